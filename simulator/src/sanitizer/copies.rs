//! Copies by `cp.async` and bulk copies of groups on their way: nobody may count on them, nor touch their bytes, until their thread has
//! waited.
//!
//! A copy's epochs carry its number among the warp's copies in place of a clock, and nothing is ordered after them but
//! what acquires an mbarrier that the copies arrived at. When the thread waits they become ordinary accesses of that
//! moment.

use super::cells::epoch::Epoch;
use super::cells::shadow::LINE;
use super::happens_before::state::Warp;
use super::racecheck::Races;
use crate::observe::{AccessKind, Copies, Space, WarpAccess, WarpId};
use std::collections::VecDeque;

/// Groups a lane may have open; older ones are waited for as one.
const GROUPS: usize = 1 << 12;

/// Copies of bulk groups are numbered from here on: they arrive at no mbarrier, so whoever waits at one knows nothing of them.
pub const BULK: u32 = 1 << 31;

/// Bits of a copy's number among its warp's; above them stands for bulk copies at which mbarrier they complete, as [`channel`] has it.
/// Each completes at its own, and of another's phase nobody learns anything about it.
const NUMBER: u32 = 23;
/// Copies beyond this are taken for this one.
const LAST: u32 = (1 << NUMBER) - 2;

/// An mbarrier's number among those near it, from 1 on: 0 stands for `cp.async`, of which an arrival has all before it.
pub fn channel(mbarrier: u64) -> u32 {
    (mbarrier >> 3) as u32 % 128 + 1
}

/// What the warp's copies so far at a channel are below.
pub fn mark(warp: &Warp, channel: u32) -> u32 {
    channel << NUMBER | (warp.issued.min(LAST) + 1)
}

/// Does a mark, or a copy's number, belong to the same channel?
pub const fn are_of_one(a: u32, b: u32) -> bool {
    a >> NUMBER == b >> NUMBER
}

/// One side of copies by one lane, whose bytes follow each other.
#[derive(Debug, Clone, Copy)]
pub struct Side {
    pub pc: u32,
    /// The first copy's number,
    first: u32,
    /// and the last one's.
    last: u32,
    pub space: Space,
    pub address: u64,
    pub bytes: u64,
}

/// A lane's copies of one kind that it has not waited for, or what they do on one side.
#[derive(Debug, Default)]
struct Pending {
    /// In no group yet.
    open: Vec<Side>,
    groups: VecDeque<Vec<Side>>,
}

/// Those of a lane: by `cp.async`, what bulk copies read, and what they write.
#[derive(Debug, Default)]
pub struct LaneCopies([Pending; 3]);

impl LaneCopies {
    /// What bulk copies of groups still read.
    #[cfg(not(target_family = "wasm"))]
    pub fn read(&self) -> impl Iterator<Item = &Side> {
        let [_, reads, _] = &self.0;
        reads.groups.iter().flatten().chain(&reads.open)
    }

    fn of(&mut self, copies: Copies) -> &mut [Pending] {
        match copies {
            Copies::Plain => &mut self.0[..1],
            Copies::BulkReads => &mut self.0[1..2],
            Copies::Bulk => &mut self.0[1..],
        }
    }
}

/// The number of a copy that its warp has just begun.
pub fn number(access: &WarpAccess<'_>, warp: &Warp) -> u32 {
    let number = warp.issued.min(LAST);
    match access.completing {
        Some(mbarrier) if access.proxy => channel(mbarrier.into()) << NUMBER | number,
        None if access.proxy => BULK | number,
        _ => number,
    }
}

impl Pending {
    fn issue(&mut self, now: Side) {
        let behind =
            |side: &&mut Side| side.pc == now.pc && side.space == now.space && side.address + side.bytes == now.address;
        // Behind the last copy of either side, where both are kept here.
        match self.open.iter_mut().rev().take(2).find(behind) {
            Some(side) => (side.last, side.bytes) = (now.last, side.bytes + now.bytes),
            None => self.open.push(now),
        }
    }

    fn commit(&mut self) {
        self.groups.push_back(std::mem::take(&mut self.open));
        if self.groups.len() > GROUPS
            && let Some(next) = self.groups.remove(1)
        {
            self.groups[0].extend(next);
        }
    }

    /// All but the newest `left` groups are done, or all copies.
    fn wait(&mut self, left: Option<u32>) -> Vec<Side> {
        let done = self.groups.len().saturating_sub(left.unwrap_or(0) as usize);
        let mut done: Vec<Side> = self.groups.drain(..done).flatten().collect();
        if left.is_none() {
            done.append(&mut self.open);
        }
        done
    }
}

impl Races {
    /// Remembers one side of a lane's copy.
    pub fn issue(&mut self, access: &WarpAccess<'_>, lane: u32) {
        let Some(warp) = self.warp(access.warp) else { return };
        let (number, address) = (number(access, warp), access.addresses[lane as usize]);
        let (pc, space, bytes) = (access.pc, access.space, access.size.into());
        let list = if access.proxy { 1 + usize::from(access.kind != AccessKind::Load) } else { 0 };
        let pending = &mut warp.copies.get_or_insert_default()[lane as usize].0[list];
        pending.issue(Side { pc, first: number, last: number, space, address, bytes });
    }

    /// `cp.async.commit_group`, `cp.async.bulk.commit_group`
    pub fn commit(&mut self, id: WarpId, mask: u32, of: Copies) {
        let Some(warp) = self.warp(id) else { return };
        let copies = warp.copies.get_or_insert_default();
        for lane in super::happens_before::sync::lanes(mask) {
            copies[lane].of(of).iter_mut().for_each(Pending::commit);
        }
    }

    /// `cp.async.wait_group`, `cp.async.bulk.wait_group`; `left` is none: `cp.async.wait_all`.
    pub fn wait(&mut self, id: WarpId, mask: u32, of: Copies, left: Option<u32>) {
        for lane in super::happens_before::sync::lanes(mask) {
            let Some(copies) = self.warp(id).and_then(|warp| warp.copies.as_mut()) else { return };
            let done: Vec<Side> = copies[lane].of(of).iter_mut().flat_map(|pending| pending.wait(left)).collect();
            done.into_iter().for_each(|side| self.finish(id, lane as u32, side));
        }
    }

    /// The copies are done: from here on they are accesses of their thread like any other.
    fn finish(&mut self, id: WarpId, lane: u32, side: Side) {
        let Some(slot) = self.slots.get_mut(id.slot as usize) else { return };
        let (block, phase) = (slot.block as u32, slot.phase);
        let Some(clock) = slot.warps.get(id.warp as usize).map(|warp| warp.clock) else { return };
        let mine = |epoch: &Epoch| {
            let same = epoch.block() == block && epoch.thread() == id.warp * 32 + lane;
            same && epoch.is_copy() && (side.first..=side.last).contains(&epoch.clock())
        };
        let end = side.address + side.bytes;
        let mut address = side.address;
        while address < end {
            let (shadow, offset) = match side.space {
                Space::Shared => (&mut slot.shared, address),
                _ => match self.global.find(address) {
                    Some(region) => (&mut region.data, address - region.base),
                    None => return,
                },
            };
            // No further than a line goes.
            let bytes = (end - address).min(LINE / 2 - offset % (LINE / 2));
            let (cells, _) = shadow.cells(offset, bytes as u32, self.launch);
            for cell in cells {
                for epoch in cell.others.iter_mut().chain([&mut cell.write]).filter(|epoch| mine(epoch)) {
                    *epoch = epoch.done(phase, clock);
                }
            }
            address += bytes;
        }
    }
}
