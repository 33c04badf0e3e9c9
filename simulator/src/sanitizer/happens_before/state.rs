//! What is known of resident blocks, warps and lanes: clocks, fences, and what they have acquired.

use super::clock::{Clock, Fact};
use crate::observe::Scope;
use crate::sanitizer::cells::epoch::Epoch;
use crate::sanitizer::cells::shadow::Shadow;
use crate::sanitizer::copies::LaneCopies;
use crate::sanitizer::proxy::ProxyFences;
use std::collections::HashMap;
use std::sync::OnceLock;

/// A lane's last fence.
#[derive(Debug, Clone)]
pub struct Fence {
    /// The warp's clock at the fence; 0: none.
    pub clock: u32,
    /// Block barriers passed before it.
    pub phase: u32,
    /// [`Warp::known`] at that time.
    pub warp_clock: u32,
    /// What the lane had acquired.
    pub acquired: Clock,
    /// How far it reaches.
    pub scope: Scope,
    /// See [`Fence::released`].
    pub(super) released: OnceLock<Clock>,
}

impl Fence {
    /// No fence yet.
    pub const fn none() -> Self {
        let released = OnceLock::new();
        Self { clock: 0, phase: 0, warp_clock: 0, acquired: Clock::NOTHING, scope: Scope::Cta, released }
    }

    /// What it releases of a thread of `block`: what the thread had acquired, and what it did itself. The same memory for whatever is
    /// published behind it, so that joins soon see that they know it.
    pub fn released(&self, block: u32, thread: u32) -> &Clock {
        self.released.get_or_init(|| {
            let mut all = self.acquired.clone();
            all.learn(self.fact(block, thread));
            all
        })
    }

    /// What it says of a thread of `block`.
    pub fn fact(&self, block: u32, thread: u32) -> Fact {
        Fact { block, phase: self.phase, thread, clock: self.clock, warp_clock: self.warp_clock, copies: 0 }
    }
}

/// What is published for others: some of it reaches its own block only.
#[derive(Debug, Clone, Default)]
pub struct Release {
    /// For every block.
    pub wide: Clock,
    /// For the block that published it, besides.
    pub narrow: Clock,
}

impl Release {
    /// Nothing.
    pub const NOTHING: Self = Self { wide: Clock::NOTHING, narrow: Clock::NOTHING };

    /// Adds to what it holds.
    pub fn join(&mut self, other: &Self) {
        self.wide.join(&other.wide);
        self.narrow.join(&other.narrow);
    }

    /// The part that a scope reaches.
    pub fn part(&mut self, scope: Scope) -> &mut Clock {
        if scope >= Scope::Gpu { &mut self.wide } else { &mut self.narrow }
    }
}

/// A lane's volatile stores to global memory without a fence before them. One alone is a flag that orders nothing; with
/// two of them, or an atomic after it, somebody may count on their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loose {
    /// None.
    None,
    /// To one place: address and bytes.
    One(u64, u32),
    /// To several.
    Many,
}

/// What lanes have published and acquired: most warps never do.
#[derive(Debug)]
pub struct Talk {
    /// What each lane has acquired since the last block barrier, if anything.
    pub acquired: [Clock; 32],
    /// Each lane's last fence, and its last one that reaches other blocks.
    pub fences: [[Fence; 32]; 2],
    /// What fences of other lanes before a `__syncwarp` release: whoever passed it and publishes hands it on.
    pub fenced: [Release; 32],
    /// A lane executed a fence since the last warp barrier of all.
    pub fenced_since: bool,
    /// Each lane's volatile stores without a fence, since its last fence.
    pub loose: [Loose; 32],
    /// What each lane read without acquiring it: a fence acquires it. The second: only one that reaches other blocks, as another
    /// one published it.
    pub pending: [[Clock; 32]; 2],
    /// What each lane read last where something is published.
    pub seen: [Option<Seen>; 32],
}

/// What a lane read where something is published.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    /// Where.
    pub address: u64,
    /// Who had written it.
    pub write: Epoch,
    /// What was published there the lane had acquired before.
    pub known: bool,
    /// Somewhere else, or by a load of a loop, in which it may have waited for that.
    pub waited: bool,
}

impl Default for Talk {
    fn default() -> Self {
        Self {
            acquired: [const { Clock::NOTHING }; 32],
            fences: [const { [const { Fence::none() }; 32] }; 2],
            fenced: [const { Release::NOTHING }; 32],
            fenced_since: false,
            loose: [Loose::None; 32],
            pending: [const { [const { Clock::NOTHING }; 32] }; 2],
            seen: [None; 32],
        }
    }
}

impl Talk {
    /// What a lane has acquired, given what its whole block has.
    pub fn known<'a>(&'a self, lane: usize, block_wide: &'a Clock) -> &'a Clock {
        if self.acquired[lane].is_nothing() { block_wide } else { &self.acquired[lane] }
    }

    /// The lane acquires something.
    pub fn acquire(&mut self, lane: usize, there: &Clock, block_wide: &Clock) {
        if there.is_nothing() {
            return;
        }
        if self.acquired[lane].is_nothing() {
            self.acquired[lane] = block_wide.clone();
        }
        self.acquired[lane].join(there);
    }
}

/// A warp of a resident block.
#[derive(Debug)]
pub struct Warp {
    /// Goes up at every synchronisation of the warp and at every fence.
    pub clock: u32,
    /// Accesses of the warp before this clock are known to all its lanes.
    pub known: u32,
    /// `[lane][other]`: the same for pairs of lanes, once a barrier left some out.
    pub pairs: Option<Box<[[u32; 32]; 32]>>,
    /// See [`Talk`].
    pub talk: Option<Box<Talk>>,
    /// Some lane has acquired something that the whole block has not.
    pub apart: bool,
    /// Copies by `cp.async` so far.
    pub issued: u32,
    /// Each lane's copies that it has not waited for.
    pub copies: Option<Box<[LaneCopies; 32]>>,
    /// Lanes that have not exited.
    pub live: u32,
}

impl Warp {
    /// A warp with these lanes that has done nothing.
    pub fn new(live: u32) -> Self {
        Self { clock: 1, known: 0, pairs: None, talk: None, apart: false, issued: 0, copies: None, live }
    }

    /// Is this the only place of global memory that a lane has written by `volatile`, without a fence?
    pub fn wrote_alone(&self, lane: usize, address: u64) -> bool {
        self.talk.as_ref().is_some_and(|talk| matches!(talk.loose[lane], Loose::One(at, _) if at == address))
    }

    /// Who has handed over to a lane what it is about to write: whose write it has read there last. `waited`: the lane waited for that.
    pub fn handed(&self, lane: usize, address: u64, waited: bool) -> Option<Epoch> {
        let seen = self.talk.as_ref()?.seen[lane]?;
        (seen.address == address && (waited || seen.known && seen.waited)).then_some(seen.write)
    }

    /// What a lane has acquired, given what its whole block has.
    #[inline(always)]
    pub fn acquired<'a>(&'a self, lane: usize, block_wide: &'a Clock) -> &'a Clock {
        match &self.talk {
            Some(talk) if self.apart => talk.known(lane, block_wide),
            _ => block_wide,
        }
    }
}

/// A resident block.
#[derive(Debug, Default)]
pub struct Slot {
    /// Linear index.
    pub block: u64,
    /// Block barriers that all threads passed.
    pub phase: u32,
    /// Its warps.
    pub warps: Vec<Warp>,
    /// What all threads have acquired.
    pub acquired: Clock,
    /// What fences before the last block barriers released: whoever passed the barrier and publishes hands it on.
    pub fenced: Clock,
    /// A warp executed a fence since the last block barrier.
    pub fences: bool,
    /// The shadow of its shared memory.
    pub shared: Shadow,
    /// What those who arrived at a barrier without waiting release to those who wait there, by barrier.
    pub arrived: HashMap<u32, Clock>,
    /// Its place in a cluster.
    #[cfg(not(target_family = "wasm"))]
    pub member: crate::sanitizer::cluster::Membership,
    /// What its threads knew when they exited, once bulk copies that complete at an mbarrier have begun to use its shared memory.
    #[cfg(not(target_family = "wasm"))]
    pub left: Option<Clock>,
    /// Each thread's last proxy fences.
    pub proxy_fences: ProxyFences,
    /// As [`crate::sanitizer::racecheck::Races::published`], for shared memory.
    pub published: HashMap<u64, Published>,
}

/// Whose threads published something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Publisher {
    /// Nobody's yet.
    #[default]
    Nobody,
    /// One block's.
    One(u32),
    /// Several blocks', which are not told apart: any fence acquires it.
    Several,
}

impl Publisher {
    /// Is it one other block?
    pub fn is_another(self, block: u32) -> bool {
        matches!(self, Self::One(by) if by != block)
    }

    fn add(&mut self, block: u32) {
        *self = match *self {
            Self::Nobody => Self::One(block),
            Self::One(by) if by == block => Self::One(by),
            _ => Self::Several,
        };
    }
}

/// What an atomic or strong load of an address acquires.
#[derive(Debug, Clone, Default)]
pub struct Published {
    /// Who published it.
    pub by: Publisher,
    /// Whoever reads it.
    pub wide: Clock,
    /// Readers of a block: what its own threads published at block scope.
    pub narrow: Vec<(u32, Clock)>,
    /// Of an mbarrier: what arrivals of the phase under way have released. Nobody acquires it before the phase has ended.
    pub coming: Release,
}

impl Published {
    /// What a reader in `block` acquires.
    pub fn reach(&self, block: u32) -> Clock {
        let mut all = self.wide.clone();
        if let Some((_, narrow)) = self.narrow.iter().find(|(by, _)| *by == block) {
            all.join(narrow);
        }
        all
    }

    /// A thread of `block` arrives at an mbarrier, and may be the one that ends the phase.
    pub fn arrive(&mut self, block: u32, release: &Release, ends: bool) {
        self.by.add(block);
        self.coming.join(release);
        if ends {
            let coming = std::mem::take(&mut self.coming);
            self.add(block, &coming);
        }
    }

    /// Adds what a thread of `block` releases.
    pub fn add(&mut self, block: u32, release: &Release) {
        self.by.add(block);
        self.wide.join(&release.wide);
        if release.narrow.is_nothing() {
            return;
        }
        match self.narrow.iter_mut().find(|(by, _)| *by == block) {
            Some((_, narrow)) => narrow.join(&release.narrow),
            None => self.narrow.push((block, release.narrow.clone())),
        }
    }
}
