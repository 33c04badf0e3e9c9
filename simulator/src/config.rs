//! What a caller can set: schedule, checks and limits. Every limit has a default and is named in its message.

use serde::{Deserialize, Serialize};

/// How the lanes of a warp, the warps of a block and the blocks of a grid take turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Schedule {
    /// One program counter a warp: a reconvergence stack at immediate post-dominators, lanes in lockstep, no progress
    /// for a lane that waits for another lane of its own warp (before compute capability 7.0).
    PreVolta,
    /// Independent thread scheduling, fair and converging: what a Volta or later GPU does when nothing disturbs it.
    #[default]
    Its,
    /// Any order that the CUDA model allows, drawn from a seed; lanes converge only where the program demands it.
    /// Seeds 0 to 7 are fixed extremes (lanes reversed, one lane ahead, warps reversed, blocks reversed, ...).
    Adversarial {
        /// Which order.
        seed: u64,
    },
}

/// Which checks watch a launch. Those that are off cost nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checks {
    /// Data races in shared and global memory.
    pub races: bool,
    /// Reads of global, shared or local memory that nothing wrote.
    pub uninitialised: bool,
    /// Barriers that some lanes never reach, and divergent barriers.
    pub barriers: bool,
}

impl Checks {
    /// Every check.
    pub const ALL: Self = Self { races: true, uninitialised: true, barriers: true };
    /// None but the memory bounds, alignment and trap checks, which are always on.
    pub const NONE: Self = Self { races: false, uninitialised: false, barriers: false };
}

/// Bounds on what a launch may use. Each has a default and a message that names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Warp instructions a launch may execute in all before it counts as endless.
    pub steps: u64,
    /// Bytes of device memory, all allocations together.
    pub memory: u64,
    /// Bytes of printf output kept (the FIFO); what comes after is counted and dropped.
    pub printf: usize,
    /// Findings kept; further ones of a kind at the same place are only counted.
    pub findings: usize,
    /// Bytes of local memory and call stack a thread.
    pub stack: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 1 << 33, memory: 4 << 30, printf: 1 << 20, findings: 64, stack: 512 << 10 }
    }
}

/// The device to simulate and how to watch it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Config {
    /// Order of execution.
    pub schedule: Schedule,
    /// What is watched.
    pub checks: Checks,
    /// Bounds.
    pub limits: Limits,
    /// Count per source line as well as in total.
    pub lines: bool,
    /// Threads of the host that run blocks; 1 is deterministic in every respect, also for atomics on floats.
    pub threads: usize,
    /// Streaming multiprocessors of the simulated device (for `%nsmid`, `%smid` and co-residency).
    pub sms: u32,
    /// Blocks that are resident at once on the whole device: these make progress together.
    pub resident_blocks: u32,
    /// Most dynamic plus static shared memory a block may have, in bytes (227 KiB on sm_90).
    pub shared_per_block: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            schedule: Schedule::default(),
            checks: Checks::NONE,
            limits: Limits::default(),
            lines: false,
            threads: 1,
            sms: 132,
            resident_blocks: 132 * 8,
            shared_per_block: 227 << 10,
        }
    }
}
