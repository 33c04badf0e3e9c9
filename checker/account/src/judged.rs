//! How a run is set up so that it is judged alike wherever it runs: the simulated device, the outputs' tolerances.

use execution::backend::Output;
use plan::stream::Stream;
use problem::{DeviceShape, ErrorBound, LineError, OutputSpec, Sizes};
use simulator::{Checks, Config};
use values::Tolerance;

/// The simulated device. `seed` says which machine it looks like.
pub fn config(device: &DeviceShape, checks: Checks, steps: u64, seed: u64) -> Config {
    let mut config = Config { checks, machine: machine_of(seed), ..Config::default() };
    config.limits.steps = steps;
    config.sms = u32::try_from(device.sms).unwrap_or(config.sms);
    config.shared_per_block = u32::try_from(device.shared_per_block).unwrap_or(config.shared_per_block);
    config
}

/// The number of the machine that runs of this seed see; never the plain one.
fn machine_of(seed: u64) -> u64 {
    Stream::new(seed, "machine").bits(0) | 1
}

/// The tolerances at these sizes.
pub fn outputs_of(specs: &[OutputSpec], sizes: &Sizes) -> Result<Vec<Output>, LineError> {
    let output = |spec: &OutputSpec| {
        let tolerance = match &spec.error {
            ErrorBound::Exact => Tolerance::Exact,
            ErrorBound::Ops { ops, unit } => Tolerance::Bound { ops: ops.eval(sizes)? as f64, unit: *unit },
        };
        Ok(Output { name: spec.name.clone(), tolerance })
    };
    specs.iter().map(output).collect()
}
