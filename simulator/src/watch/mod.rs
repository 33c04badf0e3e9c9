//! Those who watch for mistakes that produce right numbers: data races and reads of what nothing wrote.
//!
//! # Races
//!
//! Two accesses race when they touch a common byte, at least one writes, they come from different threads, and nothing
//! orders them. What orders (happens-before):
//!
//! * program order of a thread;
//! * a block barrier, for the threads that pass it together, and for those that have exited;
//! * `bar.warp.sync` (`__syncwarp`), for the lanes it names. Shuffles, votes and matches order nothing;
//! * release and acquire: a fence (`__threadfence`) followed by an atomic or a strong store to X, read by an atomic or a
//!   strong load of X in another thread, at a scope that holds both. The acquiring side needs no fence here, although
//!   the PTX model asks for one: the widespread ticket idiom leaves it out, and on hardware it works;
//! * the end of a launch.
//!
//! Not races: two atomics whose scopes hold both threads; an atomic and a strong load or store; a strong store that is
//! a release, and strong loads; lanes of one warp that store to one address in one instruction, which CUDA allows; a
//! store of the value that is there already against another store.
//!
//! `volatile` counts as strong only where it carries a release: without a fence it keeps the compiler from reusing a
//! register and orders nothing, which is why the warp-synchronous reductions of old are races.
//!
//! Every byte remembers its last write and two reads. The two reads are of different warps where there are any (of
//! different lanes otherwise): whoever writes next is unordered with one of them if it is unordered with any reader of
//! the same phase.
//!
//! # Reads of what nothing wrote
//!
//! One bit a byte of global, shared and local memory. Host writes and module variables count as written; poison does not.

mod clock;
mod epoch;
mod init;
mod races;
mod region;
#[cfg(test)]
mod tests;

use crate::config::Checks;
use crate::observe::{Complaint, Observer, Order, Scope, WarpAccess, WarpId};
use init::Init;
use races::Races;

/// The race and uninitialised-read checks, as [`Checks`] has them. One for a device: it lives across launches.
#[derive(Debug, Default)]
pub struct Watch {
    races: Option<Races>,
    init: Option<Init>,
}

impl Watch {
    /// Watches what `checks` says. Memory must be announced with [`Watch::allocated`] and [`Watch::written`] from the
    /// start.
    pub fn new(checks: Checks) -> Self {
        Self { races: checks.races.then(Races::default), init: checks.uninitialised.then(Init::default) }
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

impl Observer for Watch {
    const ACTIVE: bool = true;

    fn block_start(&mut self, warp: WarpId, threads: u32, shared: u32) {
        if let Some(races) = &mut self.races {
            races.block_start(warp, threads, shared);
        }
        if let Some(init) = &mut self.init {
            init.block_start(warp.slot, threads, shared);
        }
    }

    fn block_end(&mut self, _: WarpId) {}

    fn access(&mut self, access: &WarpAccess<'_>, complain: &mut dyn FnMut(Complaint)) {
        if let Some(init) = &mut self.init {
            init.access(access, complain);
        }
        if let Some(races) = &mut self.races {
            races.access(access, complain);
        }
    }

    fn block_barrier(&mut self, warp: WarpId, participants: &[u32]) {
        if let Some(races) = &mut self.races {
            races.block_barrier(warp, participants);
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

    fn fence(&mut self, warp: WarpId, mask: u32, _: Order, scope: Scope) {
        if let Some(races) = &mut self.races {
            races.fence(warp, mask, scope);
        }
    }

    fn launch_end(&mut self) {
        if let Some(races) = &mut self.races {
            races.launch_end();
        }
    }
}
