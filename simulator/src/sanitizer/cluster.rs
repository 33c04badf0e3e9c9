//! What is known of clusters: who has met whom at their barrier, and who has been in whose shared memory.
//!
//! The barrier orders what came before an arrival that releases (as it does unless it is relaxed) before what follows a wait that acquires;
//! whoever exits arrives, and releases. Blocks begin and exit one after the other, so an access to another's shared memory needs proof
//! that the block has begun (a passed barrier, or anything learnt from one of its threads), and proof for the block, before it exits,
//! that the access has been made.

use super::cells::epoch::Epoch;
use super::happens_before::clock::Clock;
use super::happens_before::sync::{lanes, release, release_all};
use super::racecheck::Races;
use crate::observe::{Visit, WarpAccess, WarpId};
use std::collections::HashMap;

/// A cluster's barrier.
#[derive(Debug, Default)]
pub struct Meeting {
    /// What arrivals of the phase under way have released.
    coming: Clock,
    /// What those of the phase before did.
    done: Clock,
}

/// What a block of a cluster remembers.
#[derive(Debug, Default)]
pub struct Membership {
    /// The cluster, if there are any.
    number: Option<u64>,
    /// By warp: lanes that have passed the cluster's barrier.
    met: Vec<u32>,
    /// What its threads knew when they exited.
    left: Clock,
    /// The last access to its shared memory by each thread of another block: by block and thread.
    visitors: HashMap<(u64, u32), (Epoch, Visit)>,
}

impl Races {
    /// A block has begun; its slot has nothing of an earlier one any more.
    pub fn cluster_start(&mut self, id: WarpId, number: u64) {
        let Some(slot) = self.slots.get_mut(id.slot as usize) else { return };
        let met = vec![0; slot.warps.len()];
        slot.member = Membership { number: Some(number), met, ..Membership::default() };
        self.meetings.entry(number).or_default();
    }

    /// Lanes arrive at the barrier.
    pub fn cluster_arrive(&mut self, id: WarpId, mask: u32, releases: bool) {
        let Some(slot) = self.slots.get_mut(id.slot as usize).filter(|_| releases) else { return };
        let Some(meeting) = slot.member.number.and_then(|number| self.meetings.get_mut(&number)) else { return };
        let whole = slot.warps.get(id.warp as usize).is_some_and(|warp| warp.live & !mask == 0);
        if whole {
            release_all(slot, id.warp as usize, mask, &mut meeting.coming);
        } else {
            release(slot, id.warp as usize, mask, &mut meeting.coming);
        }
    }

    /// Everybody has arrived.
    pub fn cluster_complete(&mut self, number: u64) {
        if let Some(meeting) = self.meetings.get_mut(&number) {
            meeting.done = std::mem::take(&mut meeting.coming);
        }
    }

    /// Lanes go on behind the barrier.
    pub fn cluster_wait(&mut self, id: WarpId, mask: u32, acquires: bool) {
        let Some(slot) = self.slots.get_mut(id.slot as usize) else { return };
        let Some(meeting) = slot.member.number.and_then(|number| self.meetings.get(&number)) else { return };
        if let Some(met) = slot.member.met.get_mut(id.warp as usize) {
            *met |= mask;
        }
        let Some(warp) = slot.warps.get_mut(id.warp as usize).filter(|_| acquires) else { return };
        // What all lanes of the warp know alike is made once.
        let alike = !warp.apart;
        let talk = warp.talk.get_or_insert_default();
        let mut first: Option<Clock> = None;
        for lane in lanes(mask) {
            match &first {
                Some(first) if alike => talk.acquired[lane] = first.clone(),
                _ => {
                    talk.acquire(lane, &meeting.done, &slot.acquired);
                    first = Some(talk.acquired[lane].clone());
                }
            }
        }
        warp.apart = true;
    }

    /// Lanes have exited: they arrive wherever they are missed, and their block knows what they know.
    pub fn cluster_exit(&mut self, id: WarpId, mask: u32) {
        let Some(slot) = self.slots.get_mut(id.slot as usize) else { return };
        let Some(meeting) = slot.member.number.and_then(|number| self.meetings.get_mut(&number)) else { return };
        release(slot, id.warp as usize, mask, &mut meeting.coming);
        let Some(warp) = slot.warps.get(id.warp as usize) else { return };
        for lane in lanes(mask) {
            slot.member.left.join(warp.acquired(lane, &slot.acquired));
        }
    }

    /// A lane accesses the shared memory of another block. True if that may not have begun.
    pub fn visit(&mut self, access: &WarpAccess<'_>, lane: u32, now: Epoch) -> bool {
        let Ok([home, slot]) = self.slots.get_disjoint_mut([access.home as usize, access.warp.slot as usize]) else {
            return false;
        };
        let warp = access.warp.warp;
        let thread = warp * 32 + lane;
        let visit = Visit {
            block: slot.block,
            thread,
            pc: access.pc,
            kind: access.kind,
            address: access.addresses[lane as usize],
            size: access.size,
            copy: false,
        };
        home.member.visitors.insert((slot.block, thread), (now, visit));
        let met = slot.member.met.get(warp as usize).is_some_and(|met| met >> lane & 1 != 0);
        let state = slot.warps.get(warp as usize);
        !met && !state.is_some_and(|warp| warp.acquired(lane as usize, &slot.acquired).knows_some(home.block as u32))
    }

    /// A block has come to its end: accesses of others that it knows nothing of, one for each instruction.
    pub fn overstayed(&mut self, id: WarpId) -> Vec<Visit> {
        let Some(slot) = self.slots.get_mut(id.slot as usize) else { return Vec::new() };
        let member = std::mem::take(&mut slot.member);
        if self.full {
            return Vec::new();
        }
        let unknown = |(epoch, _): &&(Epoch, Visit)| !member.left.knows(*epoch);
        let mut visits: Vec<Visit> = member.visitors.values().filter(unknown).map(|(_, visit)| *visit).collect();
        visits.sort_unstable_by_key(|visit| (visit.pc, visit.block, visit.thread));
        visits.dedup_by_key(|visit| visit.pc);
        visits
    }
}
