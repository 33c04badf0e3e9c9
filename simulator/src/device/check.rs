//! Whether a launch can start.

use super::Device;
use super::error::LaunchError;
use crate::launch::Arg;
use crate::{Dim3, Launch, Module};

/// Blocks that a cluster has on any device that knows clusters.
#[cfg(not(target_family = "wasm"))]
const MAX_CLUSTER: u64 = 8;
/// Threads a block may have.
const MAX_THREADS: u64 = 1024;

impl Device {
    /// Of a launch, and the clusters that are asked for: the kernel's index.
    pub(super) fn check(&self, module: &Module, asked: (&Launch, Option<Dim3>)) -> Result<usize, LaunchError> {
        let launch = asked.0;
        let kernels = module.kernels();
        let Some(at) = kernels.iter().position(|kernel| kernel.name == launch.kernel) else {
            let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
            return Err(LaunchError::NoKernel { name: launch.kernel.clone(), available: names.join(", ") });
        };
        if let Some((name, bytes)) = &self.unplaced {
            let limit = self.config.limits.memory;
            return Err(LaunchError::Variable { name: name.clone(), bytes: *bytes, limit });
        }
        let kernel = &kernels[at];
        let extent = |what: String, value: u64, limit: u64| {
            if value == 0 || value > limit { Err(LaunchError::Extent { what, value, limit }) } else { Ok(()) }
        };
        let limits = [("x", MAX_THREADS, (1 << 31) - 1), ("y", MAX_THREADS, 65535), ("z", 64, 65535)];
        for (axis, (name, block, grid)) in limits.into_iter().enumerate() {
            extent(format!("block.{name}"), launch.block[axis].into(), block)?;
            extent(format!("grid.{name}"), launch.grid[axis].into(), grid)?;
        }
        if let Some(required) = kernel.required_block.filter(|required| *required != launch.block) {
            return Err(LaunchError::Required { kernel: kernel.name.clone(), required, given: launch.block });
        }
        let threads: u64 = launch.block.iter().map(|&extent| u64::from(extent)).product();
        let limit = kernel.max_threads.map_or(MAX_THREADS, |max| u64::from(max).min(MAX_THREADS));
        extent("threads a block".into(), threads, limit)?;
        #[cfg(not(target_family = "wasm"))]
        if let Some(cluster) = asked.1.or(kernel.cluster) {
            if let Some(required) = kernel.cluster.filter(|required| *required != cluster) {
                return Err(LaunchError::RequiredCluster { kernel: kernel.name.clone(), required, given: cluster });
            }
            let blocks = cluster.iter().map(|&extent| u64::from(extent)).product();
            extent("blocks a cluster".into(), blocks, MAX_CLUSTER)?;
            if launch.grid.iter().zip(&cluster).any(|(grid, cluster)| grid % cluster != 0) {
                return Err(LaunchError::Cluster { kernel: kernel.name.clone(), cluster, grid: launch.grid });
            }
        }
        let bytes = u64::from(kernel.static_shared) + u64::from(launch.shared);
        let limit = u64::from(self.config.shared_per_block);
        if bytes > limit {
            return Err(LaunchError::Shared { bytes, limit });
        }
        let (expected, given) = (kernel.params.len(), launch.args.len());
        if expected != given {
            return Err(LaunchError::ArgumentCount { kernel: kernel.name.clone(), expected, given });
        }
        for (index, (param, arg)) in kernel.params.iter().zip(&launch.args).enumerate() {
            let given = match arg {
                Arg::Pointer(_) => 8,
                Arg::Bytes(bytes) => u32::try_from(bytes.len()).unwrap_or(u32::MAX),
            };
            if given != param.size {
                let (kernel, expected) = (kernel.name.clone(), param.size);
                return Err(LaunchError::ArgumentSize { kernel, index, expected, given });
            }
        }
        let blocks: u64 = launch.grid.iter().map(|&extent| u64::from(extent)).product();
        let limit = u64::from(self.config.resident_blocks);
        if launch.cooperative && blocks > limit {
            return Err(LaunchError::TooManyBlocks { blocks, limit });
        }
        Ok(at)
    }
}
