//! The race check. The rules are in the module's documentation.

use super::clock::{ClockId, Clocks, NOTHING};
use super::epoch::{Epoch, How};
use super::order::Actor;
use super::region::Regions;
use super::shadow::Shadow;
use super::state::{Slot, Warp};
use crate::observe::{AccessKind, Complaint, Order, Scope, Space, WarpAccess, WarpId};
use std::collections::HashMap;

/// The race check of a device.
#[derive(Debug, Default)]
pub struct Races {
    pub global: Regions<Shadow>,
    pub slots: Vec<Slot>,
    pub clocks: Clocks,
    /// What an atomic or strong load of an address acquires.
    pub published: HashMap<u64, ClockId>,
    /// Launches so far: shadows of earlier ones are stale.
    pub launch: u64,
    /// Every access lane by lane, to compare the others with.
    #[cfg(test)]
    pub by_lane: bool,
}

impl Races {
    pub fn allocated(&mut self, address: u64, bytes: u64) {
        self.global.add(address, bytes, Shadow::default());
    }

    pub fn block_start(&mut self, id: WarpId, threads: u32, _shared: u32) {
        let index = id.slot as usize;
        if self.slots.len() <= index {
            self.slots.resize_with(index + 1, Slot::default);
        }
        let slot = &mut self.slots[index];
        slot.block = id.block;
        slot.phase = 0;
        slot.acquired = NOTHING;
        slot.fenced = NOTHING;
        slot.fences = false;
        slot.warps.clear();
        slot.warps.extend((0..threads.div_ceil(32)).map(|warp| {
            let lanes = (threads - warp * 32).min(32);
            Warp::new(u32::MAX >> (32 - lanes))
        }));
        slot.shared.reset(self.launch);
        slot.published.clear();
        slot.arrived.clear();
    }

    pub fn exit(&mut self, id: WarpId, mask: u32) {
        if let Some(warp) = self.warp(id) {
            warp.live &= !mask;
        }
    }

    /// A resident warp.
    pub fn warp(&mut self, id: WarpId) -> Option<&mut Warp> {
        self.slots.get_mut(id.slot as usize)?.warps.get_mut(id.warp as usize)
    }

    pub fn launch_end(&mut self) {
        self.launch += 1;
        self.clocks.clear();
        self.published.clear();
    }

    /// Looks at an access. `run`: the whole warp takes part, each lane right behind the one before.
    pub fn access(&mut self, access: &WarpAccess<'_>, run: bool, complain: &mut dyn FnMut(Complaint)) {
        if access.space == Space::Local {
            return;
        }
        #[cfg(test)]
        let by_lane = self.by_lane;
        #[cfg(not(test))]
        let by_lane = false;
        if !by_lane && self.simple(access, run, complain) {
            return;
        }
        if access.copy
            && access.kind != AccessKind::Atomic
            && let Some(warp) = self.warp(access.warp)
        {
            warp.issued += 1;
        }
        let mut mask = access.mask;
        while mask != 0 {
            let lane = mask.trailing_zeros();
            mask &= mask - 1;
            self.lane(access, lane, complain);
        }
    }

    fn lane(&mut self, access: &WarpAccess<'_>, lane: u32, complain: &mut dyn FnMut(Complaint)) {
        let address = access.addresses[lane as usize];
        // A volatile store is strong only if it publishes something; see the module's documentation.
        let strong = access.order != Order::Weak || access.kind == AccessKind::Atomic;
        let volatile_store = access.kind == AccessKind::Store && access.order == Order::Volatile;
        let published = strong && access.order != Order::Checked && self.synchronise(access, lane, address);
        let unfenced = !published && (volatile_store || access.kind == AccessKind::Atomic);
        let alone = unfenced && self.loosen(access, lane, address) && volatile_store;
        let strong = strong && (published || alone || !volatile_store);
        let loose = alone && several(access);
        let copy = access.copy && access.kind != AccessKind::Atomic;
        if copy {
            self.issue(access, lane);
        }
        let Some(slot) = self.slots.get_mut(access.warp.slot as usize) else { return };
        // The shadow of shared memory is borrowed apart from the rest of its slot.
        let mut shared = std::mem::take(&mut slot.shared);
        let slot = &self.slots[access.warp.slot as usize];
        let found = match access.space {
            Space::Shared => Some((&mut shared, address)),
            _ => self.global.find(address).map(|region| {
                let offset = address - region.base;
                (&mut region.data, offset)
            }),
        };
        if let (Some((shadow, offset)), Some(warp)) = (found, slot.warps.get(access.warp.warp as usize)) {
            let scope = if strong { access.scope } else { Scope::Sys };
            let how = How { kind: access.kind, strong, scope, copy, loose };
            let thread = access.warp.warp * 32 + lane;
            let clock = if copy { warp.issued } else { warp.clock };
            let now = Epoch::new(slot.block, thread, access.pc, slot.phase, clock, how);
            let own = warp.acquired[lane as usize];
            let acquired = if own == NOTHING { slot.acquired } else { own };
            let mut actor = Actor { slot, warp, clocks: &mut self.clocks, acquired };
            let silent = access.silent >> lane & 1 != 0;
            let (first, count) = shadow.locate(offset, access.size, self.launch);
            for index in first..first + count {
                let Some(other) = actor.meet(shadow.cell(index), now, silent) else { continue };
                let step = u64::from(access.size) / count as u64;
                complain(Complaint::Race {
                    lane,
                    address: address + (index - first) as u64 * step,
                    other_block: u64::from(other.block()),
                    other_thread: other.thread(),
                    other_pc: other.pc(),
                    other_kind: other.how().kind,
                    other_copy: other.is_copy(),
                    hidden_before_volta: other.same_warp(now) && other.pc() != now.pc() && !other.is_copy() && !copy,
                });
                break;
            }
        }
        self.slots[access.warp.slot as usize].shared = shared;
    }
}

/// Do the lanes go to different places: an array rather than a flag?
fn several(access: &WarpAccess<'_>) -> bool {
    let first = access.addresses[access.mask.trailing_zeros() as usize & 31];
    super::sync::lanes(access.mask).any(|lane| access.addresses[lane] != first)
}
