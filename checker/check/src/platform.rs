//! Where a check runs: the simulator, a GPU, or both.

use super::{CheckError, CheckOptions};
use execution::backend::{self, DeviceInfo, On};
use problem::{BackendName, DeviceShape, Problem};
use simulator::{Checks, Schedule};
use std::path::Path;

/// `--backend`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BackendChoice {
    /// The simulator, and a GPU where there is one.
    #[default]
    Auto,
    /// A GPU, or an error; the simulator too, for findings and counters.
    Gpu,
    /// The simulator only.
    Sim,
}

/// One place to run on.
#[derive(Debug, Clone)]
pub struct Platform {
    /// What launch lines see.
    pub device: DeviceShape,
    /// What to compile for.
    pub arch: String,
    /// The GPU; `None` is the simulator.
    pub gpu: Option<DeviceInfo>,
}

/// Where a check runs.
#[derive(Debug)]
pub struct Platforms {
    /// The simulator, unless the problem is for GPUs only.
    pub sim: Option<Platform>,
    /// A GPU, where there is one and it was not refused.
    pub gpu: Option<Platform>,
}

impl Platform {
    /// The simulated H200.
    pub fn sim(arch: &str) -> Self {
        Self { device: DeviceShape::H200, arch: arch.to_owned(), gpu: None }
    }

    /// A GPU.
    pub fn gpu(info: DeviceInfo) -> Self {
        let device = DeviceShape {
            sms: info.sms.into(),
            warp: 32,
            max_threads_per_sm: info.max_threads_per_sm.into(),
            shared_per_sm: info.shared_per_sm.into(),
            shared_per_block: info.shared_per_block.into(),
            memory: i64::try_from(info.memory_bytes).unwrap_or(i64::MAX),
        };
        Self { device, arch: info.arch.clone(), gpu: Some(info) }
    }

    /// As a job says it. On the simulator `seed` says which machine it looks like.
    pub fn on(&self, schedules: Vec<Schedule>, checks: Checks, steps: u64, seed: u64) -> On {
        match &self.gpu {
            Some(info) => On::Gpu { ordinal: info.ordinal },
            None => {
                let config = account::config(&self.device, checks, steps, seed);
                On::Sim { config, schedules, minimise: None }
            }
        }
    }
}

/// Finds the places for a problem.
pub fn choose(problem: &Problem, options: &CheckOptions) -> Result<Platforms, CheckError> {
    let arch = options.arch.clone().unwrap_or_else(|| problem.manifest.arch.clone());
    let allows = |backend| problem.manifest.backends.contains(&backend);
    let gpu = if allows(BackendName::Gpu) { find_gpu(options.backend)? } else { None };
    let sim = allows(BackendName::Sim).then(|| Platform::sim(&arch));
    Ok(Platforms { sim, gpu })
}

/// The first GPU, as far as `choice` wants one.
pub fn find_gpu(choice: BackendChoice) -> Result<Option<Platform>, CheckError> {
    if choice == BackendChoice::Sim || (choice == BackendChoice::Auto && !may_have_gpu()) {
        return Ok(None);
    }
    match backend::devices(&backend::WorkerOptions::default()) {
        Ok(devices) => Ok(devices.into_iter().next().map(Platform::gpu)),
        Err(_) if choice == BackendChoice::Auto => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A look that costs nothing: no driver has ever run here without its device files (`/dev/dxg` on WSL).
fn may_have_gpu() -> bool {
    ["/dev/nvidiactl", "/dev/dxg"].iter().any(|path| Path::new(path).exists())
}
