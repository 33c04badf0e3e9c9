//! Those who watch for mistakes that produce right numbers: data races and reads of what nothing wrote.
//!
//! # Races
//!
//! Two accesses race when they touch a common byte, at least one writes, they come from different threads, and nothing
//! orders them. What orders (happens-before):
//!
//! * program order of a thread;
//! * a block barrier, for the threads that pass it together, and for those that have exited; a barrier for a number of
//!   threads, for those that take part; what came before a `bar.arrive`, for those who then wait at that barrier;
//! * `bar.warp.sync` (`__syncwarp`), for lanes with the same mask. Shuffles, votes and matches order nothing;
//! * release and acquire: a fence (`__threadfence`) followed by an atomic or a strong store to X, read by an atomic or a
//!   strong load of X in another thread, at a scope that holds both. An access with an order of its own needs no fence.
//!   The acquiring side must have one, too, or a fence behind it, if it is a relaxed load (`ld.relaxed`), an atomic that
//!   says that it is relaxed, or one that only releases. Other atomics (`atomicAdd`) and volatile loads acquire by themselves, although the PTX model asks for a
//!   fence: the widespread ticket idiom leaves it out, and on hardware it works. A fence before a barrier is handed on by
//!   whoever passes the barrier and publishes;
//! * observation: a plain store comes after strong writes to the same bytes whose outcome its thread has seen, by an atomic
//!   whose result it uses or by a strong load. So the last block may set the ticket back. It does not order plain loads
//!   behind atomics: who has added to a sum himself must not read it without a fence;
//! * an mbarrier: arrivals release, a wait that succeeds acquires;
//! * the end of a launch.
//!
//! Not races: two atomics of the same bytes whose scopes hold both threads; an atomic and a strong load or store; a strong store that is
//! a release, and strong loads; lanes of one warp that store to one address in one instruction, which CUDA allows; a
//! store of the value that is there already against another store, which is a note; a plain load of an address that a
//! compare-and-swap, minimum, maximum, `and` or `or` of the same function is given later: a first guess that the atomic
//! corrects, if such an atomic has run in this launch (`guess`) and what was loaded serves to decide only; plain accesses
//! to the system's part of shared memory, where tiles of several warps exchange values by a protocol of their own.
//!
//! Races in spite of that: a strong store of what its thread loaded there and changed, against another write (one update
//! is lost), unless that write handed the place over: its thread had acquired what was published with it before it loaded, elsewhere or by
//! a load of a loop, or it had waited in a loop for what it loaded, and nobody has written there since; a load through the read-only
//! cache (`ld.global.nc`) of what the same launch writes, whoever does and
//! whenever.
//!
//! `volatile` in shared memory counts as strong only where it carries a release: without a fence it keeps the compiler
//! from reusing a register and orders nothing, which is why the warp-synchronous reductions of old are races. In global
//! memory a thread may have one volatile place that it writes without a fence, a flag to stop; with a second, or an atomic
//! after it, somebody may count on their order, and both are plain. So is such a place towards a volatile load by which nothing is decided:
//! what is only added up is no flag (`isa::analysis::marks`), unless its thread reads back what it wrote itself.
//!
//! `cp.async`: its read and its write are under way until their thread waits (`wait_group`, `wait_all`), when they become
//! accesses of that moment, or until an mbarrier that they arrived at is waited for. Until then nobody may count on them
//! or change their bytes, their own thread included. So it is with both sides of a bulk copy: of one of a group `wait_group.read` ends what
//! it reads, `wait_group` what it writes as well. A block that comes to its end waits for no bulk copy: one that still
//! uses its shared memory is a mistake (`ends`). Groups of bulk copies and those of `cp.async` have nothing to do with each other.
//!
//! A bulk copy reads and writes through the async proxy, threads through the generic one: what a thread wrote, and is in order, needs a
//! `fence.proxy.async` somewhere on its way to a copy that reads or overwrites it (`proxy`). What threads have only read may be overwritten
//! without one, as everybody does, though the memory model does not say so.
//!
//! Every byte remembers its last write and two others: reads, or writes that the last one does not order (of atomics one by
//! another thread and one by another block). The two reads are of different warps where there are any (of different lanes otherwise): whoever writes next is unordered with one
//! of them if it is unordered with any reader of the same phase. More writers and readers than that may hide a race; they
//! never invent one.
//!
//! # Reads of what nothing wrote
//!
//! One bit a byte of global, shared and local memory. Host writes and module variables count as written; poison does not.
//! Reading is no mistake yet: what becomes of the value is followed by `exec::defined`.

mod cells;
#[cfg(not(target_family = "wasm"))]
mod cluster;
mod copies;
#[cfg(not(target_family = "wasm"))]
mod ends;
mod guess;
mod happens_before;
mod initcheck;
mod proxy;
mod racecheck;
#[cfg(test)]
mod same;
#[cfg(feature = "threads")]
mod share;
mod simple;
mod sizes;
pub use happens_before::sync::PUBLISHED;
#[cfg(test)]
mod tests;

use crate::config::Checks;
#[cfg(not(target_family = "wasm"))]
use crate::locality::Fold;
use crate::observe::{Complaint, Copies, MemoryOrder, Observer, Scope, Space, Unwritten, WarpAccess, WarpId};
use initcheck::Init;
use racecheck::Races;

/// The race and uninitialised-read checks, as [`Checks`] has them. One for a device: it lives across launches.
#[derive(Debug, Default)]
pub struct Sanitizer {
    races: Option<Races>,
    init: Option<Init>,
    #[cfg(not(target_family = "wasm"))]
    fold: Option<Box<Fold>>,
    /// It watches a share of a launch's blocks: see `share`.
    #[cfg(feature = "threads")]
    strayed: Option<bool>,
    /// Bytes of shadow that it came to as such a share.
    #[cfg(feature = "threads")]
    made: u64,
    /// As such a share: what comes late to global memory.
    #[cfg(feature = "threads")]
    late: Option<share::Late>,
}

impl Sanitizer {
    /// Watches what `checks` says. Memory must be announced with [`Sanitizer::allocated`] and [`Sanitizer::written`] from the
    /// start.
    pub fn new(checks: Checks) -> Self {
        let (races, init) = (checks.races.then(Races::default), checks.uninitialised.then(Init::default));
        Self { races, init, ..Self::default() }
    }

    /// Looks for nothing that is wrong: for where accesses lie.
    #[cfg(not(target_family = "wasm"))]
    pub fn folding(fold: Fold) -> Self {
        Self { fold: Some(Box::new(fold)), ..Self::default() }
    }

    /// What it was given.
    #[cfg(not(target_family = "wasm"))]
    pub fn folded(self) -> Option<Box<Fold>> {
        self.fold
    }

    /// Global memory came into being; nothing has been written to it.
    pub fn allocated(&mut self, address: u64, bytes: u64) {
        if let Some(races) = &mut self.races {
            races.allocated(address, bytes);
        }
        if let Some(init) = &mut self.init {
            init.allocated(address, bytes);
        }
    }

    /// Global memory came into being that is there where it is touched: nobody knows what was written to it before.
    #[cfg(not(target_family = "wasm"))]
    pub fn allocated_sparse(&mut self, address: u64, bytes: u64) {
        if let Some(races) = &mut self.races {
            races.allocated(address, bytes);
        }
    }

    /// The host wrote global memory.
    pub fn written(&mut self, address: u64, bytes: u64) {
        if let Some(init) = &mut self.init {
            init.set(address, bytes, true);
        }
    }

    /// The host filled global memory with something that does not count as written.
    pub fn poisoned(&mut self, address: u64, bytes: u64) {
        if let Some(init) = &mut self.init {
            init.set(address, bytes, false);
        }
    }
}

impl Observer for Sanitizer {
    const ACTIVE: bool = true;

    fn block_start(&mut self, warp: WarpId, threads: u32, shared: u32) {
        if let Some(races) = &mut self.races {
            races.block_start(warp, threads, shared);
        }
        if let Some(init) = &mut self.init {
            init.block_start(warp.slot, threads, shared);
        }
        #[cfg(not(target_family = "wasm"))]
        if let Some(fold) = &mut self.fold {
            fold.begin(warp.block, threads.div_ceil(32));
        }
    }

    fn compares(&self) -> bool {
        self.races.is_some()
    }

    #[cfg(not(target_family = "wasm"))]
    fn ran(&mut self, warp: WarpId, instructions: u64) {
        if let Some(fold) = &mut self.fold {
            fold.ran(warp.block, warp.warp, instructions);
        }
    }

    #[cfg(not(target_family = "wasm"))]
    fn block_end(&mut self, warp: WarpId) -> Vec<crate::observe::Visit> {
        let Some(races) = &mut self.races else { return Vec::new() };
        let mut visits = races.outlived(warp);
        #[cfg(feature = "threads")]
        if !visits.is_empty() {
            self.stray();
        }
        if let Some(races) = &mut self.races {
            visits.extend(races.overstayed(warp));
        }
        visits
    }

    #[cfg(not(target_family = "wasm"))]
    fn cluster_start(&mut self, warp: WarpId, cluster: u64) {
        if let Some(races) = &mut self.races {
            races.cluster_start(warp, cluster);
        }
    }

    #[cfg(not(target_family = "wasm"))]
    fn cluster_arrive(&mut self, warp: WarpId, mask: u32, releases: bool) {
        if let Some(races) = &mut self.races {
            races.cluster_arrive(warp, mask, releases);
        }
    }

    #[cfg(not(target_family = "wasm"))]
    fn cluster_complete(&mut self, cluster: u64) {
        if let Some(races) = &mut self.races {
            races.cluster_complete(cluster);
        }
    }

    #[cfg(not(target_family = "wasm"))]
    fn cluster_wait(&mut self, warp: WarpId, mask: u32, acquires: bool) {
        if let Some(races) = &mut self.races {
            races.cluster_wait(warp, mask, acquires);
        }
    }

    fn access(&mut self, access: &WarpAccess<'_>, complain: &mut dyn FnMut(Complaint)) -> Option<Box<Unwritten>> {
        #[cfg(not(target_family = "wasm"))]
        if let Some(fold) = &mut self.fold {
            fold.access(access);
            return None;
        }
        let run = is_run(access.addresses, access.mask, access.size);
        #[cfg(test)]
        let run = run && !self.races.as_ref().is_some_and(|races| races.by_lane);
        let unwritten = self.init.as_mut().and_then(|init| init.access(access, run));
        let mut told = unwritten.is_some();
        if let Some(races) = &mut self.races {
            races.access(access, run, &mut |complaint| {
                told = true;
                complain(complaint);
            });
        }
        #[cfg(feature = "threads")]
        if told
            || self.strayed.is_some()
                && (share::depends(access) || self.late.as_mut().is_some_and(|late| late.misses(access)))
        {
            self.stray();
        }
        unwritten
    }

    #[cfg(not(target_family = "wasm"))]
    fn prefetched(&mut self, warp: WarpId, mask: u32, addresses: &[u64; 32], bytes: &[u64; 32]) {
        if let Some(fold) = &mut self.fold {
            fold.prefetched(warp, mask, addresses, bytes);
        }
    }

    fn discarded(&mut self, warp: WarpId, space: Space, lane: u32, address: u64, bytes: u64) {
        #[cfg(feature = "threads")]
        if space == Space::Global {
            self.stray();
        }
        if let Some(init) = &mut self.init {
            init.discarded(warp, space, lane, address, bytes);
        }
    }

    fn reborn(&mut self, address: u64, bytes: u64) {
        #[cfg(feature = "threads")]
        self.stray();
        if let Some(races) = &mut self.races {
            races.reborn(address, bytes);
        }
    }

    fn block_barrier(&mut self, warp: WarpId, id: u32, participants: &[u32], counted: bool) {
        if let Some(races) = &mut self.races {
            races.block_barrier(warp, id, participants, counted);
        }
        #[cfg(not(target_family = "wasm"))]
        if let Some(fold) = &mut self.fold {
            fold.barrier(warp.block, participants);
        }
    }

    fn arrive(&mut self, warp: WarpId, id: u32, mask: u32) {
        if let Some(races) = &mut self.races {
            races.arrive(warp, id, mask);
        }
    }

    fn commit(&mut self, warp: WarpId, mask: u32, of: Copies) {
        if let Some(races) = &mut self.races {
            races.commit(warp, mask, of);
        }
    }

    fn wait(&mut self, warp: WarpId, mask: u32, of: Copies, left: Option<u32>) {
        if let Some(races) = &mut self.races {
            races.wait(warp, mask, of, left);
        }
    }

    fn warp_barrier(&mut self, warp: WarpId, mask: u32) {
        if let Some(races) = &mut self.races {
            races.warp_barrier(warp, mask);
        }
    }

    fn exit(&mut self, warp: WarpId, mask: u32) {
        if let Some(races) = &mut self.races {
            races.exit(warp, mask);
        }
    }

    fn fence(&mut self, warp: WarpId, mask: u32, order: MemoryOrder, scope: Scope) {
        #[cfg(feature = "threads")]
        if scope != Scope::Cta {
            self.stray();
        }
        if let Some(races) = &mut self.races {
            races.fence(warp, mask, order, scope);
        }
    }

    fn proxy_fence(&mut self, warp: WarpId, mask: u32, of: [bool; 2]) {
        if let Some(races) = &mut self.races {
            races.proxy_fence(warp, mask, of);
        }
    }

    fn strayed(&self) -> Option<bool> {
        #[cfg(feature = "threads")]
        return self.strayed.map(|strayed| strayed || share::is_full());
        #[cfg(not(feature = "threads"))]
        None
    }

    fn corrected(&self, pc: u32) -> bool {
        self.races.as_ref().is_some_and(|races| races.guesses.corrected(pc))
    }

    fn launch_end(&mut self) -> bool {
        self.races.as_mut().is_none_or(|races| races.launch_end())
    }
}

/// Does the whole warp take part, each lane right behind the one before?
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn is_run(addresses: &[u64; 32], mask: u32, size: u32) -> bool {
    let mut apart = 0;
    for (lane, address) in addresses.iter().enumerate() {
        apart |= address ^ addresses[0].wrapping_add(lane as u64 * u64::from(size));
    }
    mask == u32::MAX && apart == 0
}
