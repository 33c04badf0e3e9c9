//! Copies by `cp.async` on their way: nobody may count on them, nor touch their bytes, until their thread has waited. Bulk groups are
//! kept among the others: a wait for either then ends no fewer copies than it has to.
//!
//! A copy's epochs carry its number among the warp's copies in place of a clock, and nothing is ordered after them but
//! what acquires an mbarrier that the copies arrived at. When the thread waits they become ordinary accesses of that
//! moment.

use super::cells::epoch::Epoch;
use super::racecheck::Races;
use crate::observe::{Space, WarpAccess, WarpId};
use std::collections::VecDeque;

/// Groups a lane may have open; what is older is no longer looked after.
const GROUPS: usize = 1 << 12;

/// One side of a copy by one lane.
#[derive(Debug, Clone, Copy)]
pub struct Side {
    number: u32,
    space: Space,
    address: u64,
    size: u32,
}

/// A lane's copies that it has not waited for.
#[derive(Debug, Default)]
pub struct LaneCopies {
    /// In no group yet.
    open: Vec<Side>,
    groups: VecDeque<Vec<Side>>,
}

impl Races {
    /// Remembers one side of a lane's copy.
    pub fn issue(&mut self, access: &WarpAccess<'_>, lane: u32) {
        let Some(warp) = self.warp(access.warp) else { return };
        let (number, address) = (warp.issued, access.addresses[lane as usize]);
        let side = Side { number, space: access.space, address, size: access.size };
        warp.copies.get_or_insert_default()[lane as usize].open.push(side);
    }

    /// `cp.async.commit_group`, `cp.async.bulk.commit_group`
    pub fn commit(&mut self, id: WarpId, mask: u32) {
        let Some(warp) = self.warp(id) else { return };
        let copies = warp.copies.get_or_insert_default();
        for lane in super::happens_before::sync::lanes(mask) {
            let LaneCopies { open, groups } = &mut copies[lane];
            groups.push_back(std::mem::take(open));
            if groups.len() > GROUPS {
                groups.pop_front();
            }
        }
    }

    /// `cp.async.wait_group`, `cp.async.bulk.wait_group`; `None`: `cp.async.wait_all`.
    pub fn wait(&mut self, id: WarpId, mask: u32, left: Option<u32>) {
        let Some(copies) = self.warp(id).and_then(|warp| warp.copies.as_mut()) else { return };
        let mut done: Vec<(usize, Side)> = Vec::new();
        for lane in super::happens_before::sync::lanes(mask) {
            let LaneCopies { open, groups } = &mut copies[lane];
            while groups.len() > left.unwrap_or(0) as usize {
                done.extend(groups.pop_front().unwrap_or_default().into_iter().map(|side| (lane, side)));
            }
            if left.is_none() {
                done.extend(open.drain(..).map(|side| (lane, side)));
            }
        }
        for (lane, side) in done {
            self.finish(id, lane as u32, side);
        }
    }

    /// The copy is done: from here on it is an access of its thread like any other.
    fn finish(&mut self, id: WarpId, lane: u32, side: Side) {
        let Some(slot) = self.slots.get_mut(id.slot as usize) else { return };
        let (block, phase) = (slot.block as u32, slot.phase);
        let Some(clock) = slot.warps.get(id.warp as usize).map(|warp| warp.clock) else { return };
        let (shadow, offset) = match side.space {
            Space::Shared => (&mut slot.shared, side.address),
            _ => match self.global.find(side.address) {
                Some(region) => (&mut region.data, side.address - region.base),
                None => return,
            },
        };
        let mine = |epoch: &Epoch| {
            let same = epoch.block() == block && epoch.thread() == id.warp * 32 + lane;
            same && epoch.is_copy() && epoch.clock() == side.number
        };
        let (cells, _) = shadow.cells(offset, side.size, self.launch);
        for cell in cells {
            for epoch in cell.others.iter_mut().chain([&mut cell.write]).filter(|epoch| mine(epoch)) {
                *epoch = epoch.done(phase, clock);
            }
        }
    }
}
