//! A launch and what comes back from it.

use crate::{Counters, Finding, LineCounters};
use serde::{Deserialize, Serialize};

/// Extents in x, y, z.
pub type Dim3 = [u32; 3];

/// One kernel argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arg {
    /// A device address.
    Pointer(u64),
    /// A value by its little-endian bytes, as long as the kernel's parameter.
    Bytes(Vec<u8>),
}

/// What `<<<grid, block, shared>>>(args)` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// Kernel by its name in the PTX (mangled).
    pub kernel: String,
    /// Blocks.
    pub grid: Dim3,
    /// Threads a block.
    pub block: Dim3,
    /// Dynamic shared memory in bytes.
    pub shared: u32,
    /// Arguments, in order.
    pub args: Vec<Arg>,
    /// A cooperative launch: every block must be resident, `grid.sync()` works.
    pub cooperative: bool,
}

/// How a launch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Every thread exited.
    Finished,
    /// A finding of [`crate::Severity::Fault`] stopped it.
    Stopped,
}

/// Everything a launch has to say.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LaunchReport {
    /// How it ended.
    pub status: Status,
    /// What was caught, faults first, then in program order.
    pub findings: Vec<Finding>,
    /// Sums over the launch.
    pub counters: Counters,
    /// Sums by source line; empty unless [`crate::Config::lines`].
    pub lines: LineCounters,
    /// What printf wrote, cut at [`crate::Limits::printf`].
    pub printf: Vec<u8>,
}
