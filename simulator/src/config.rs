//! What a caller can set: schedule, checks and limits. Every limit has a default and is named in its message.

use crate::explore::Witness;
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
    /// An order that the CUDA model allows and hardware seldom takes; lanes converge only where the program demands it.
    /// Seeds 0 to 7 are fixed extremes (lanes reversed, one lane ahead, warps reversed, blocks reversed, ...), other
    /// seeds move lanes behind others at random.
    Adversarial {
        /// Which order.
        seed: u64,
    },
    /// Random priorities, and `depth - 1` places where lanes lose theirs (Burckhardt and others, ASPLOS 2010): with n units
    /// (lanes that go the same way) and k operations it finds a bug that needs `depth` things in a certain order with a
    /// probability of the order of 1 / (n k^(depth - 1)).
    Pct {
        /// Which order.
        seed: u64,
        /// How many orderings the bug may need; 1 has no change of priority.
        depth: u32,
        /// Operations that others can see, all launches of the device together: [`crate::LaunchOrder::operations`] of another
        /// run. 0: not known, then every launch has its own places, and every power of two is as likely.
        operations: u64,
    },
    /// Lanes stopped at random, and who waits is not made to wait: a loop that waits for others goes on until it has come back to
    /// a state that it had before (nothing but a change by others will end it) or the launch's patience is used up. Whoever holds
    /// what others wait for is stopped for as long, so a loop that counts its attempts and gives up does so.
    Patient {
        /// Which order.
        seed: u64,
    },
    /// The plain order, but before an atomic whose result somebody uses (on global memory, or by which it may wait) a warp lets all others go first: those who
    /// draw their work from a counter draw in turn, and of those who compete for a word all but one fail each time.
    InTurn,
    /// The order of [`Config::witness`], exactly.
    Replay,
}

impl Schedule {
    /// One that is the plain order with preemptions: a report has its [`crate::LaunchOrder`].
    pub fn is_explored(&self) -> bool {
        !matches!(self, Self::Its | Self::PreVolta)
    }

    /// One that may let some wait for as long as it takes: that a kernel has not ended under it says nothing by itself.
    pub fn is_unfair(&self) -> bool {
        matches!(self, Self::Patient { .. } | Self::InTurn)
    }
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

/// Bounds on what a text and a launch may use. Each has a default and a message that names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Bytes of PTX text.
    pub text: usize,
    /// Scopes, or braces of an initial value, inside each other.
    pub nesting: u32,
    /// Bytes of a module's `.global`, `.const` and `.shared` variables together.
    pub variables: u64,
    /// Registers of a kind (predicates, 32 bits, 64 bits) that a function uses, constants included; at most 32767.
    pub registers: u32,
    /// Warp instructions that a launch may execute without a block ending before it counts as endless.
    pub steps: u64,
    /// Bytes of device memory, all allocations together.
    pub memory: u64,
    /// Bytes of printf output kept (the FIFO); what comes after is counted and dropped.
    pub printf: usize,
    /// Findings kept; further ones of a kind at the same place are only counted.
    pub findings: usize,
    /// Bytes of local memory and call stack a thread.
    pub stack: u64,
    /// Bytes that device code can `malloc`, all blocks together; they count as device memory of a module that does.
    pub heap: u64,
    /// Steps of a launch's trace kept; what comes after is counted and dropped.
    pub trace: usize,
    /// Bytes of registers, local and shared memory that the resident blocks hold on the host. A block begins only when it
    /// fits beside those that wait.
    pub state: u64,
    /// Preemptions of a schedule that a report keeps; a longer order has no [`Witness`].
    pub preemptions: usize,
}

impl Default for Limits {
    fn default() -> Self {
        // A 32-bit host cannot address more, with what the checks keep beside it.
        let (memory, state) = if cfg!(target_pointer_width = "32") { (1 << 30, 1 << 30) } else { (4 << 30, 8 << 30) };
        Self {
            text: 64 << 20,
            nesting: 64,
            variables: 4 << 30,
            registers: 32767,
            steps: 1 << 33,
            memory,
            printf: 1 << 20,
            findings: 64,
            stack: 512 << 10,
            heap: 8 << 20,
            trace: 1000,
            state,
            preemptions: 1 << 16,
        }
    }
}

/// The device to simulate and how to watch it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Order of execution.
    pub schedule: Schedule,
    /// What [`Schedule::Replay`] follows.
    pub witness: Witness,
    /// What is watched.
    pub checks: Checks,
    /// Bounds.
    pub limits: Limits,
    /// What is in memory and registers that nothing has been written to is drawn from it.
    pub seed: u64,
    /// Report the counters of each source line as well as in total. They are kept in any case.
    pub lines: bool,
    /// Report which instructions ran: [`crate::LaunchReport::coverage`].
    pub coverage: bool,
    /// Report what every comparison came to, and arithmetic with sizes: [`crate::LaunchReport::conditions`]. That takes an operation at a time.
    pub conditions: bool,
    /// Look for inputs that turn conditions: [`crate::LaunchReport::steered`]. Only where nothing is checked, and not in WebAssembly.
    #[cfg(not(target_family = "wasm"))]
    pub steer: Option<crate::steer::SteerRequest>,
    /// Warps to trace; that takes one thread of the host, whatever `threads` says.
    pub trace: Option<crate::trace::TraceRequest>,
    /// What two blocks find again in caches, and where they meet: [`crate::LaunchReport::locality`]. Only where nothing is checked,
    /// nothing traced, and not in WebAssembly.
    pub locality: Option<crate::locality::LocalityRequest>,
    /// Threads of the host that run blocks of launches that nobody watches; 1 is deterministic in every respect, also for atomics
    /// on floats.
    pub threads: usize,
    /// Threads of the host among which the blocks of a watched launch are shared out. Where they turn out to be independent that
    /// is how it is run; where they do not, by one thread: the report is the same.
    pub shares: usize,
    /// Streaming multiprocessors of the simulated device (for `%nsmid`, `%smid` and co-residency).
    pub sms: u32,
    /// Blocks that are resident at once on the whole device: these make progress together.
    pub resident_blocks: u32,
    /// Bytes of the device heap that blocks hold which are resident beside those that run: where [`Config::blocks`] names a few of
    /// a grid.
    pub heap_held: u64,
    /// What hardware shows and promises to nobody follows from this: clocks, `%smid`, `%warpid`, `%gridid`, addresses. With 0
    /// they are the simplest (clocks count instructions from 0); a kernel that behaves otherwise with another number
    /// relies on what it must not.
    pub machine: u64,
    /// Only these blocks of a grid run, by their number with x first; none of them beyond the grid.
    pub blocks: Option<Vec<u64>>,
    /// Bytes of global memory (address, length) whose last writer is told: [`crate::LaunchReport::writer`]. Only where
    /// something is watched.
    pub tracked: Option<(u64, u64)>,
    /// Most dynamic plus static shared memory a block may have, in bytes (227 KiB on sm_90).
    pub shared_per_block: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            schedule: Schedule::default(),
            witness: Witness::default(),
            checks: Checks::NONE,
            limits: Limits::default(),
            seed: 0,
            lines: false,
            coverage: false,
            conditions: false,
            #[cfg(not(target_family = "wasm"))]
            steer: None,
            trace: None,
            locality: None,
            threads: 1,
            shares: 1,
            sms: 132,
            resident_blocks: 132 * 8,
            heap_held: 0,
            machine: 0,
            blocks: None,
            tracked: None,
            shared_per_block: 227 << 10,
        }
    }
}
