//! What is known of resident blocks, warps and lanes: clocks, fences, and what they have acquired.

use super::clock::{ClockId, NOTHING};
use super::copies::LaneCopies;
use super::shadow::Shadow;
use crate::observe::Scope;
use std::collections::HashMap;

/// A lane's last fence.
#[derive(Debug, Clone, Copy)]
pub struct Fence {
    /// The warp's clock at the fence; 0: none.
    pub clock: u32,
    /// Block barriers passed before it.
    pub phase: u32,
    /// [`Warp::known`] at that time.
    pub warp_clock: u32,
    /// What the lane had acquired.
    pub acquired: ClockId,
    /// How far it reaches.
    pub scope: Scope,
}

/// No fence yet.
pub const NO_FENCE: Fence = Fence { clock: 0, phase: 0, warp_clock: 0, acquired: NOTHING, scope: Scope::Cta };

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

/// A warp of a resident block.
#[derive(Debug)]
pub struct Warp {
    /// Goes up at every synchronisation of the warp and at every fence.
    pub clock: u32,
    /// Accesses of the warp before this clock are known to all its lanes.
    pub known: u32,
    /// `[lane][other]`: the same for pairs of lanes, once a barrier left some out.
    pub pairs: Option<Box<[[u32; 32]; 32]>>,
    /// What each lane has acquired since the last block barrier, if anything.
    pub acquired: [ClockId; 32],
    /// Each lane's last fence, and its last one that reaches other blocks.
    pub fences: [[Fence; 32]; 2],
    /// What fences of other lanes before a `__syncwarp` release: whoever passed it and publishes hands it on.
    pub fenced: [ClockId; 32],
    /// A lane executed a fence since the last warp barrier of all.
    pub fenced_since: bool,
    /// Each lane's volatile stores without a fence, since its last fence.
    pub loose: [Loose; 32],
    /// What each lane read through an atomic that only releases: a fence acquires it.
    pub pending: [ClockId; 32],
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
        Self {
            clock: 1,
            known: 0,
            pairs: None,
            acquired: [NOTHING; 32],
            fences: [[NO_FENCE; 32]; 2],
            fenced: [NOTHING; 32],
            fenced_since: false,
            loose: [Loose::None; 32],
            pending: [NOTHING; 32],
            issued: 0,
            copies: None,
            live,
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
    pub acquired: ClockId,
    /// What fences before the last block barriers released: whoever passed the barrier and publishes hands it on.
    pub fenced: ClockId,
    /// A warp executed a fence since the last block barrier.
    pub fences: bool,
    /// The shadow of its shared memory.
    pub shared: Shadow,
    /// What those who arrived at a barrier without waiting release to those who wait there, by barrier.
    pub arrived: HashMap<u32, ClockId>,
    /// As [`super::races::Races::published`], for shared memory.
    pub published: HashMap<u64, ClockId>,
}
