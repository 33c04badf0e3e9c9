//! Pauses (`__nanosleep`, waits for a barrier object with a limit): a block keeps its place until its slowest warp has ended, whether a
//! barrier follows or not.

use crate::code::Code;
use crate::device::Device;
use crate::facts::LaunchFacts;
use crate::frequency::Frequencies;

/// Cycles in which a block's warps pause.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pauses {
    /// A warp on average.
    average: f64,
    /// The one that pauses longest.
    slowest: f64,
    /// See [`simulator::locality::Locality::path`].
    path: f64,
}

impl Pauses {
    /// Of a launch's blocks. A warp comes at most once to what is in no loop; who pauses in a loop is taken to be one warp
    /// alone, as nobody counts the turns of each.
    pub(super) fn of(code: &Code, found: &Frequencies, launch: &LaunchFacts, device: &Device) -> Self {
        let ran = launch.ran.max(1) as f64;
        let warps = ran * f64::from(launch.threads.div_ceil(32));
        let mut all = Self { path: launch.locality.path.max(1.0), ..Self::default() };
        for (at, (block, times)) in code.blocks.iter().zip(&found.blocks).enumerate() {
            let cycles = block.ops.iter().map(|op| f64::from(op.pause)).sum::<f64>() * device.clock_ghz;
            if cycles <= 0.0 || *times <= 0.0 {
                continue;
            }
            let (average, of_block) = (times / warps, times / ran);
            let once = !code.comes_back(at, |_| true) && code.reaches(0, at, |_| true);
            all.average += cycles * average;
            all.slowest += cycles * if once { of_block.min(1.0).max(average) } else { of_block };
        }
        all
    }
    /// Cycles of a block's slowest warp beside waiting for memory, where so many are a warp's on average, its pauses among them.
    pub(super) fn among(&self, average: f64) -> f64 {
        (average - self.average).max(0.0) * self.path + self.slowest
    }
}
