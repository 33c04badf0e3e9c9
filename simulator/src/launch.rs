//! A launch and what comes back from it.

use crate::explore::Preempted;
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
pub enum LaunchStatus {
    /// Every thread exited.
    Finished,
    /// A finding of [`crate::Severity::Fault`] stopped it.
    Stopped,
}

/// Everything a launch has to say.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LaunchReport {
    /// How it ended.
    pub status: LaunchStatus,
    /// What was caught, faults first, then in program order.
    pub findings: Vec<Finding>,
    /// Sums over the launch.
    pub counters: Counters,
    /// Sums by source line; empty unless [`crate::Config::lines`].
    pub lines: LineCounters,
    /// Every instruction of the kernel and of functions that are no kernels; empty unless [`crate::Config::coverage`].
    #[serde(default)]
    pub coverage: Vec<crate::Covered>,
    /// Every instruction that made a predicate or computed with sizes, and what it came to; empty unless [`crate::Config::conditions`].
    #[serde(default)]
    pub conditions: Vec<crate::Condition>,
    /// Inputs that [`crate::Config::steer`] asked for.
    #[cfg(not(target_family = "wasm"))]
    #[serde(default)]
    pub steered: Vec<crate::steer::Steered>,
    /// The trace, if [`crate::Config::trace`] asked for one.
    pub trace: Option<crate::trace::Trace>,
    /// What [`crate::Config::locality`] asked for.
    #[serde(default)]
    pub locality: Option<crate::locality::Locality>,
    /// Who wrote last to what [`crate::Config::tracked`] names, if anybody did.
    #[serde(default)]
    pub writer: Option<crate::Place>,
    /// What printf wrote, cut at [`crate::Limits::printf`].
    pub printf: Vec<u8>,
    /// Warp instructions of the block that executed most.
    #[serde(default)]
    pub busiest: u64,
    /// What the schedule did, where it is not [`crate::Schedule::Its`] or [`crate::Schedule::PreVolta`].
    pub order: LaunchOrder,
}

/// The order that a launch took: the plain one but for this.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchOrder {
    /// Of a block's warps the last went first.
    pub warps_reversed: bool,
    /// Of the grid's blocks the last went first.
    pub blocks_reversed: bool,
    /// Who waited went on waiting, long before others went first.
    pub patient: bool,
    /// Which writes that nothing orders came late: 0 for all, else a number by which they are drawn.
    #[serde(default)]
    pub late: Option<u64>,
    /// Who stopped where, in the order in which it happened.
    pub preempted: Vec<Preempted>,
    /// False if there were more than [`crate::Limits::preemptions`].
    pub complete: bool,
    /// Operations before which lanes could have stopped.
    pub operations: u64,
}
