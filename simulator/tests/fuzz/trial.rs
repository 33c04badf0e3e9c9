//! One input: parse it, launch every kernel under every kind of schedule with tight limits, and check what must hold of
//! any answer.

use simulator::{
    Arg, Checks, Config, Device, Launch, LaunchReport, LaunchStatus, Limits, MemoryError, Module, Schedule, Severity,
};
use std::sync::Arc;

/// Kernels of a module that are launched.
const KERNELS: usize = 2;
/// Bytes of each buffer that a pointer-sized parameter points to.
const BUFFER: u64 = 2048;
/// A parameter larger than this gets no argument: the launch is refused.
const LARGEST_ARGUMENT: u32 = 1 << 16;

/// What the trials may use: small enough that each takes milliseconds.
pub fn limits() -> Limits {
    Limits { steps: 6000, memory: 8 << 20, printf: 512, findings: 6, stack: 8 << 10, ..Limits::default() }
}

/// What came of an input.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// It parses.
    pub parsed: u64,
    /// Launches that finished.
    pub finished: u64,
    /// Launches that a fault stopped.
    pub stopped: u64,
    /// Launches that were refused.
    pub refused: u64,
}

impl Outcome {
    /// Sums.
    #[allow(dead_code, reason = "the coverage-guided targets do not need it")]
    pub fn add(&mut self, other: Outcome) {
        self.parsed += other.parsed;
        self.finished += other.finished;
        self.stopped += other.stopped;
        self.refused += other.refused;
    }
}

/// Runs an input; panics if anything is not as it must be. `seed` chooses schedules and launch shapes.
pub fn run(text: &str, seed: u64) -> Outcome {
    let mut outcome = Outcome::default();
    let module = match Module::parse_limited(text, &limits()) {
        Ok(module) => Arc::new(module),
        Err(error) => {
            let lines = text.bytes().filter(|&byte| byte == b'\n').count() as u32 + 1;
            assert!(error.line >= 1 && error.line <= lines && error.column >= 1, "{error}");
            return outcome;
        }
    };
    outcome.parsed = 1;
    let random = 8 + (seed >> 8) % 1000;
    let schedules = [
        (Schedule::Its, Checks::ALL),
        (Schedule::PreVolta, Checks::ALL),
        (Schedule::Adversarial { seed: seed % 8 }, Checks::ALL),
        (Schedule::Adversarial { seed: random }, Checks::ALL),
        (Schedule::Pct { seed, depth: 3, operations: seed >> 8 & 255 }, Checks::ALL),
        (Schedule::Patient { seed }, Checks::ALL),
        (Schedule::Its, Checks::NONE),
    ];
    let kernels = module.kernels();
    let first = (seed >> 24) as usize % kernels.len().max(1);
    for kernel in kernels.iter().cycle().skip(first).take(kernels.len().min(KERNELS)) {
        for (index, (schedule, checks)) in schedules.into_iter().enumerate() {
            let config = Config {
                schedule,
                checks,
                limits: limits(),
                lines: index == 0,
                resident_blocks: 4,
                threads: if checks == Checks::NONE { 2 } else { 1 },
                ..Config::default()
            };
            let mut device = Device::new(Arc::clone(&module), config);
            let result = arguments(&mut device, &kernel.params, seed, index).map(|args| {
                let block = [[64, 1, 1], [33, 2, 1], [32, 1, 1], [7, 3, 2]][(seed >> 4) as usize % 4];
                let grid = [[3, 1, 1], [1, 1, 1], [2, 2, 1]][(seed >> 6) as usize % 3];
                let (kernel, shared) = (kernel.name.clone(), [0, 256, 4096][(seed >> 7) as usize % 3]);
                let cooperative = seed & 1 << 20 != 0;
                device.launch(&Launch { kernel, grid, block, shared, args, cooperative })
            });
            match result {
                Ok(Ok(report)) => {
                    check(&report);
                    match report.status {
                        LaunchStatus::Finished => outcome.finished += 1,
                        LaunchStatus::Stopped => outcome.stopped += 1,
                    }
                }
                Ok(Err(error)) => {
                    assert!(!error.to_string().is_empty());
                    outcome.refused += 1;
                }
                Err(_) => outcome.refused += 1,
            }
        }
    }
    outcome
}

fn arguments(
    device: &mut Device,
    params: &[simulator::Param],
    seed: u64,
    index: usize,
) -> Result<Vec<Arg>, MemoryError> {
    let mut args = Vec::new();
    for (at, param) in params.iter().enumerate() {
        args.push(if param.size == 8 {
            let address = device.alloc(&format!("b{at}"), BUFFER)?;
            if index > 0 {
                let fill: Vec<u8> = (0..BUFFER).map(|byte| (byte.wrapping_mul(seed | 1) >> 3) as u8).collect();
                device.write(address, &fill)?;
            }
            Arg::Pointer(address)
        } else {
            let mut bytes = vec![0; param.size.min(LARGEST_ARGUMENT) as usize];
            if let Some(first) = bytes.first_mut() {
                *first = (seed >> 12) as u8;
            }
            Arg::Bytes(bytes)
        });
    }
    Ok(args)
}

/// What holds of every report.
fn check(report: &LaunchReport) {
    let limits = limits();
    let faults = report.findings.iter().filter(|finding| finding.severity == Severity::Fault);
    assert_eq!(report.status == LaunchStatus::Stopped, faults.clone().count() > 0, "{report:?}");
    for fault in faults {
        assert!(fault.place.ptx_line > 0 && !fault.place.function.is_empty(), "no place: {fault:?}");
    }
    assert!(report.printf.len() <= limits.printf);
    // Notes on what was dropped and a fault come on top; each host thread counts on its own.
    assert!(report.findings.len() <= 2 * (limits.findings + 3), "{} findings", report.findings.len());
    // Each of up to four blocks may go as far, and each host thread before it looks at what the others did.
    assert!(report.counters.instructions <= 6 * limits.steps, "{} steps", report.counters.instructions);
}
