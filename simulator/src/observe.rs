//! What the executor tells those who watch. An observer is a type parameter of the executor: with [`Nobody`] every call
//! is compiled out.

use serde::{Deserialize, Serialize};

/// State spaces that observers hear about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Space {
    /// Device memory; addresses are device addresses.
    Global,
    /// A block's shared memory; addresses are offsets from its start.
    Shared,
    /// A thread's local memory; addresses are offsets from its start.
    Local,
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AccessKind {
    /// A plain, volatile or relaxed load.
    Load,
    /// A store.
    Store,
    /// An atomic or reduction.
    Atomic,
}

/// Memory ordering that an access or a fence carries (PTX memory model).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryOrder {
    /// Weak: an ordinary access.
    Weak,
    /// A weak load of what a compare-and-swap, minimum or maximum of the same address corrects when it is stale.
    Checked,
    /// `.volatile`: relaxed at system scope, but see the race rules.
    Volatile,
    /// `.relaxed`.
    Relaxed,
    /// `.acquire`.
    Acquire,
    /// `.release`.
    Release,
    /// `.acq_rel` or `.sc`.
    AcqRel,
}

/// Scope of an ordered access, atomic or fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// `.cta`
    Cta,
    /// `.cluster`
    Cluster,
    /// `.gpu`
    Gpu,
    /// `.sys`
    Sys,
}

/// Which warp acts: the linear block index within the grid and the warp index within the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WarpId {
    /// Linear block index.
    pub block: u64,
    /// Slot of the block among the resident ones: small, reused after the block has finished.
    pub slot: u32,
    /// Warp within the block.
    pub warp: u32,
}

/// One warp's memory instruction, all its lanes at once.
#[derive(Debug, Clone, Copy)]
pub struct WarpAccess<'a> {
    /// Who.
    pub warp: WarpId,
    /// Index of the decoded instruction: names its place.
    pub pc: u32,
    /// Where to.
    pub space: Space,
    /// Load, store or atomic.
    pub kind: AccessKind,
    /// Ordering.
    pub order: MemoryOrder,
    /// Scope of a non-weak access.
    pub scope: Scope,
    /// Bytes a lane: 1, 2, 4, 8 or 16.
    pub size: u32,
    /// Of an atomic: the bytes that it changes as one, 1 to 16. Of anything else, operations on mbarriers and bulk copies that reduce
    /// among it: 0.
    pub indivisible: u32,
    /// Lanes that take part.
    pub mask: u32,
    /// Address by lane; only those in `mask` mean anything.
    pub addresses: &'a [u64; 32],
    /// Lanes whose store writes the value that memory already holds: two such stores at once are harmless. 0 is always
    /// allowed.
    pub silent: u32,
    /// Made by `cp.async` or a bulk copy: done when somebody has waited for it.
    pub copy: bool,
    /// Made by a bulk copy: through the async proxy.
    pub proxy: bool,
    /// Of a load: through the read-only cache (`ld.global.nc`). Of a store that is not weak: it puts back what its thread
    /// read there and changed. Of an atomic: somebody uses its result.
    pub mark: bool,
    /// Of a marked load: by a texture or surface instruction. What it reads may be written later in the launch, not before.
    pub texture: bool,
    /// Of an atomic: that it is relaxed its author says, rather than nobody.
    pub named: bool,
    /// Of a load that an atomic corrects, and of that atomic: a number that they share; else 0. [`PERHAPS`] of a load of
    /// which only its address will tell whether an atomic corrects it. [`WAITED`] of those that may belong to a wait, [`TAKEN`] of
    /// volatile loads by which nothing is decided.
    pub group: u32,
    /// Of an operation on an mbarrier: the lanes whose arrival ends its phase. What arrivals release is there for those who wait
    /// when the phase has ended. Of a bulk copy that completes at an mbarrier: the lowest bits of its address.
    pub completing: Option<u32>,
    /// In the system's part of shared memory.
    pub reserved: bool,
    /// Of an access to shared memory: the slot of the block whose it is.
    pub home: u32,
}

impl WarpAccess<'_> {
    /// Is it a side of a copy, which goes on behind its thread's back? (A copy's arrival at an mbarrier is none.)
    pub fn is_under_way(&self) -> bool {
        self.copy && (self.kind != AccessKind::Atomic || self.proxy)
    }
}

/// Copies that have groups of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copies {
    /// By `cp.async`.
    Plain,
    /// Bulk copies.
    Bulk,
    /// Bulk copies, as far as they read (`.read`).
    BulkReads,
}

/// See [`WarpAccess::group`].
pub const PERHAPS: u32 = u32::MAX;

/// The group of a store that puts back, changed, what its thread has waited for in a loop, and of a load that is not weak and stands in one.
pub const WAITED: u32 = u32::MAX - 1;

/// The group of a volatile load whose value no condition hangs on.
pub const TAKEN: u32 = u32::MAX - 2;

/// Bytes of an access that nothing has written, by lane: bit i is the byte at the lane's address + i.
pub type Unwritten = [u32; 32];

/// A place that a watcher found wrong; the executor turns it into a [`crate::Finding`] with names and lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Complaint {
    /// Lane `lane` races with an earlier access.
    Race {
        /// The lane.
        lane: u32,
        /// First byte in common.
        address: u64,
        /// The other side: linear block, linear thread within it, instruction, and what it did.
        other_block: u64,
        /// Linear thread index within the other block.
        other_thread: u32,
        /// The other side's instruction.
        other_pc: u32,
        /// What the other side did.
        other_kind: AccessKind,
        /// The other side was made by `cp.async`.
        other_copy: bool,
        /// The other side is in order, but wrote through the generic proxy, and this one is a bulk copy without a proxy fence between.
        unfenced_proxy: bool,
        /// The other side and this one: a load through the read-only cache.
        cached: [bool; 2],
        /// Would lockstep have ordered them?
        hidden_before_volta: bool,
        /// Both store the same value: worth knowing, and no mistake.
        same_value: bool,
        /// A load that meets an atomic, and is no mistake if it turns out to be a first guess ([`Observer::corrected`]).
        guess: Option<u32>,
    },
    /// Lane `lane` accesses the shared memory of another block, which nothing says has begun.
    #[cfg(not(target_family = "wasm"))]
    Early {
        /// The lane.
        lane: u32,
    },
}

/// An access to the shared memory of a block that may come after its end: by a thread of another block, or by a bulk copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visit {
    /// Who: linear block,
    pub block: u64,
    /// linear thread within it.
    pub thread: u32,
    /// Its instruction.
    pub pc: u32,
    /// What it did.
    pub kind: AccessKind,
    /// Where, as an offset in the block's shared memory.
    pub address: u64,
    /// Bytes.
    pub size: u32,
    /// A bulk copy that a thread of the block itself began.
    pub copy: bool,
}

/// Those who watch a launch. Calls come in execution order of one host thread.
pub trait Observer {
    /// Is anybody listening? False lets the executor skip the preparation of every other call.
    const ACTIVE: bool;
    /// A block starts in `slot` with `threads` threads and `shared` bytes of shared memory.
    fn block_start(&mut self, warp: WarpId, threads: u32, shared: u32);
    /// A block has finished. Says which accesses to its shared memory may have come later.
    fn block_end(&mut self, _warp: WarpId) -> Vec<Visit> {
        Vec::new()
    }
    /// The block that has just begun is one of that cluster.
    fn cluster_start(&mut self, _warp: WarpId, _cluster: u64) {}
    /// The lanes of `mask` arrived at the barrier of their cluster.
    fn cluster_arrive(&mut self, _warp: WarpId, _mask: u32, _releases: bool) {}
    /// Everybody has arrived there.
    fn cluster_complete(&mut self, _cluster: u64) {}
    /// The lanes of `mask` go on behind it.
    fn cluster_wait(&mut self, _warp: WarpId, _mask: u32, _acquires: bool) {}
    /// A warp accesses memory; complaints go to `complain`. Says which of the bytes that it reads nothing has written.
    fn access(&mut self, access: &WarpAccess<'_>, complain: &mut dyn FnMut(Complaint)) -> Option<Box<Unwritten>>;
    /// Does anybody want to know which stores change nothing? Somebody has to read before each store.
    fn compares(&self) -> bool {
        true
    }
    /// A warp executed so many instructions.
    fn ran(&mut self, _warp: WarpId, _instructions: u64) {}
    /// Its lanes of `mask` ask for so many bytes of global memory at these addresses ahead of time.
    fn prefetched(&mut self, _warp: WarpId, _mask: u32, _addresses: &[u64; 32], _bytes: &[u64; 32]) {}
    /// What is in these bytes of memory is gone. `lane`: of the warp, whose local memory it may be.
    fn discarded(&mut self, _warp: WarpId, _space: Space, _lane: u32, _address: u64, _bytes: u64) {}
    /// A block of the device's heap was allocated: what happened there before was in another one.
    fn reborn(&mut self, _address: u64, _bytes: u64) {}
    /// Every thread of `participants` (one mask a warp of the block) passed block barrier `id` together, and so after
    /// those that have arrived at it. `counted`: a barrier for a number of threads, to which exited ones do not belong.
    fn block_barrier(&mut self, warp: WarpId, id: u32, participants: &[u32], counted: bool);
    /// The lanes of `mask` arrived at block barrier `id` and did not wait (`bar.arrive`).
    fn arrive(&mut self, _warp: WarpId, _id: u32, _mask: u32) {}
    /// The lanes of `mask` put those copies of theirs that are in no group yet into one (`cp.async.commit_group`,
    /// `cp.async.bulk.commit_group`).
    fn commit(&mut self, _warp: WarpId, _mask: u32, _of: Copies) {}
    /// The lanes of `mask` waited for all but the newest `left` groups of those copies of theirs; for all copies when `None`.
    fn wait(&mut self, _warp: WarpId, _mask: u32, _of: Copies, _left: Option<u32>) {}
    /// The lanes of `mask` passed a `bar.warp.sync` together.
    fn warp_barrier(&mut self, warp: WarpId, mask: u32);
    /// The lanes of `mask` exited: barriers no longer wait for them.
    fn exit(&mut self, _warp: WarpId, _mask: u32) {}
    /// The lanes of `mask` executed a fence of `scope`.
    fn fence(&mut self, warp: WarpId, mask: u32, order: MemoryOrder, scope: Scope);
    /// The lanes of `mask` executed a `fence.proxy.async` for `[global, shared]` memory.
    fn proxy_fence(&mut self, _warp: WarpId, _mask: u32, _of: [bool; 2]) {}
    /// Every thread of the grid passed `grid.sync()`-like synchronisation is not an event of its own: it is seen
    /// through its atomics and fences.
    /// `false`: it has looked no further from somewhere on.
    fn launch_end(&mut self) -> bool {
        true
    }

    /// Of one who watches a share of a launch's blocks, while others run the rest: has it met what the shares may not have to
    /// do with each other, or anything to tell? Nothing for one who watches all blocks.
    fn strayed(&self) -> Option<bool> {
        None
    }

    /// At the end of a launch: has the load at `pc` been a first guess that atomics corrected?
    fn corrected(&self, _pc: u32) -> bool {
        false
    }
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl Observer for Nobody {
    const ACTIVE: bool = false;
    fn block_start(&mut self, _: WarpId, _: u32, _: u32) {}
    fn access(&mut self, _: &WarpAccess<'_>, _: &mut dyn FnMut(Complaint)) -> Option<Box<Unwritten>> {
        None
    }
    fn block_barrier(&mut self, _: WarpId, _: u32, _: &[u32], _: bool) {}
    fn warp_barrier(&mut self, _: WarpId, _: u32) {}
    fn fence(&mut self, _: WarpId, _: u32, _: MemoryOrder, _: Scope) {}
}
