//! Bulk copies that still use the shared memory of a block when it ends. Of a group its thread has to wait until it has read; that a
//! copy which completes at an mbarrier is done some thread of the block has to know when it exits.

use super::cells::epoch::Epoch;
use super::copies::BULK;
use super::happens_before::sync::lanes;
use super::racecheck::Races;
use crate::observe::{Space, Visit, WarpId};

impl Races {
    /// Lanes exit: their block remembers what they know, where that is asked for.
    pub fn leave(&mut self, id: WarpId, mask: u32) {
        let Some(slot) = self.slots.get_mut(id.slot as usize) else { return };
        let (Some(left), Some(warp)) = (&mut slot.left, slot.warps.get(id.warp as usize)) else { return };
        for lane in lanes(mask) {
            left.join(warp.acquired(lane, &slot.acquired));
            // Who has looked without acquiring anything has seen the end of the copy all the same.
            for pending in warp.talk.iter().flat_map(|talk| &talk.pending) {
                left.join(&pending[lane]);
            }
        }
    }

    /// A block has come to its end: bulk copies of its threads that nobody has waited for, one for each instruction and side.
    pub fn outlived(&mut self, id: WarpId) -> Vec<Visit> {
        let Some(slot) = self.slots.get_mut(id.slot as usize).filter(|_| !self.full) else { return Vec::new() };
        let mut visits = Vec::new();
        for (number, warp) in slot.warps.iter().enumerate() {
            for (lane, copies) in warp.copies.iter().flat_map(|copies| copies.iter().enumerate()) {
                visits.extend(copies.read().filter(|side| side.space == Space::Shared).map(|side| Visit {
                    block: slot.block,
                    thread: (number * 32 + lane) as u32,
                    pc: side.pc,
                    kind: crate::observe::AccessKind::Load,
                    address: side.address,
                    size: side.bytes as u32,
                    copy: true,
                }));
            }
        }
        if let Some(left) = slot.left.take() {
            let (block, bulk) = (slot.block as u32, &self.bulk);
            // Copies by other blocks are visits of theirs.
            let mine = |epoch: Epoch| {
                epoch.is_copy() && epoch.block() == block && epoch.clock() < BULK && bulk.contains(&epoch.pc())
            };
            slot.shared.each(|address, size, cell| {
                for epoch in cell.accesses().into_iter().filter(|epoch| mine(*epoch) && !left.knows(*epoch)) {
                    let (thread, pc, kind) = (epoch.thread(), epoch.pc(), epoch.how().kind);
                    visits.push(Visit { block: slot.block, thread, pc, kind, address, size, copy: true });
                }
            });
        }
        visits.sort_unstable_by_key(|visit| (visit.pc, visit.kind as u8, visit.thread, visit.address));
        visits.dedup_by_key(|visit| (visit.pc, visit.kind as u8));
        visits
    }
}
