//! What orders accesses: releases, acquires, fences and barriers.

use super::clock::{ClockId, Clocks, NOTHING, Own};
use super::races::Races;
use super::state::{Fence, Loose, NO_FENCE, Slot, Warp};
use crate::observe::{AccessKind, Order, Scope, Space, WarpAccess, WarpId};

impl Races {
    /// Acquires and releases of a strong access. True when it publishes something.
    pub fn synchronise(&mut self, access: &WarpAccess<'_>, lane: u32, address: u64) -> bool {
        let Some(slot) = self.slots.get_mut(access.warp.slot as usize) else { return false };
        let published = if access.space == Space::Shared { &mut slot.published } else { &mut self.published };
        let there = if published.is_empty() { None } else { published.get(&address).copied() };
        let (block_wide, fenced) = (slot.acquired, slot.fenced);
        let (block, phase) = (slot.block as u32, slot.phase);
        let Some(warp) = slot.warps.get_mut(access.warp.warp as usize) else { return false };
        let at = lane as usize;

        let reads = access.kind != AccessKind::Store;
        if let (true, Some(there)) = (reads, there) {
            if access.order == Order::Release {
                warp.pending[at] = self.clocks.merge(there, warp.pending[at]);
            } else {
                let known = if warp.acquired[at] == NOTHING { block_wide } else { warp.acquired[at] };
                warp.acquired[at] = self.clocks.merge(there, known);
            }
        }
        if access.kind == AccessKind::Load {
            return false;
        }

        let known = if warp.acquired[at] == NOTHING { block_wide } else { warp.acquired[at] };
        let [narrow, wide] = match access.order {
            Order::Release | Order::AcqRel => {
                warp.clock += 1;
                let (clock, warp_clock) = (warp.clock, warp.known);
                [Fence { clock, phase, warp_clock, acquired: known, scope: access.scope }, NO_FENCE]
            }
            _ => [warp.fences[0][at], warp.fences[1][at]],
        };
        if narrow.clock == 0 {
            if access.kind == AccessKind::Store {
                published.remove(&address);
            }
            return false;
        }
        let thread = access.warp.warp * 32 + lane;
        // Copies arrive at an mbarrier through an access of their own.
        let copies = if access.copy { warp.issued + 1 } else { 0 };
        let mut known = self.clocks.merge(fenced, warp.fenced[at]);
        // A read-modify-write continues the release sequence of those before it.
        let mut before = if access.kind == AccessKind::Atomic { there.unwrap_or(NOTHING) } else { NOTHING };
        let older = Some(wide).filter(|wide| wide.clock > 0 && wide.clock != narrow.clock);
        for fence in older.into_iter().chain([narrow]) {
            let scope = fence.scope.min(access.scope);
            let own = Own { block, phase: fence.phase, thread, clock: fence.clock, warp_clock: 0, copies, scope };
            let mut parent = self.clocks.merge(fence.acquired, known);
            if let Some(pairs) = &warp.pairs {
                for (other, clock) in pairs[at].iter().copied().enumerate() {
                    if clock > fence.warp_clock && other != at {
                        let thread = access.warp.warp * 32 + other as u32;
                        parent = self.clocks.publish(Own { thread, clock, copies: 0, ..own }, [parent, NOTHING]);
                    }
                }
            }
            known = self.clocks.publish(Own { warp_clock: fence.warp_clock, ..own }, [before, parent]);
            before = NOTHING;
        }
        published.insert(address, known);
        true
    }

    /// A volatile store that publishes nothing, or an atomic that does not: is it strong all the same? It is while it is
    /// the only one; see [`Loose`].
    pub fn loosen(&mut self, access: &WarpAccess<'_>, lane: u32, address: u64) -> bool {
        let store = access.kind == AccessKind::Store;
        let Some(warp) = self.warp(access.warp) else { return false };
        let loose = &mut warp.loose[lane as usize];
        let before = *loose;
        match before {
            Loose::None if store && access.space == Space::Global => *loose = Loose::One(address, access.size),
            Loose::One(first, _) if first != address => *loose = Loose::Many,
            _ => {}
        }
        let strong = access.space == Space::Global && *loose != Loose::Many;
        if let (Loose::One(address, size), Loose::Many) = (before, *loose)
            && let Some(region) = self.global.find(address)
        {
            let offset = address - region.base;
            let thread = access.warp.warp * 32 + lane;
            let (first, count) = region.data.locate(offset, size, self.launch);
            for index in first..first + count {
                let write = &mut region.data.cell(index).write;
                let mine = u64::from(write.block()) == access.warp.block && write.thread() == thread;
                if mine && write.how().kind == AccessKind::Store {
                    *write = write.weakened();
                }
            }
        }
        strong
    }

    pub fn fence(&mut self, id: WarpId, mask: u32, scope: Scope) {
        let Some(slot) = self.slots.get_mut(id.slot as usize) else { return };
        let (block_wide, phase) = (slot.acquired, slot.phase);
        let Some(warp) = slot.warps.get_mut(id.warp as usize) else { return };
        slot.fences |= scope >= Scope::Gpu;
        warp.clock += 1;
        warp.fenced_since = true;
        for lane in lanes(mask) {
            let pending = std::mem::replace(&mut warp.pending[lane], NOTHING);
            if pending != NOTHING {
                let known = if warp.acquired[lane] == NOTHING { block_wide } else { warp.acquired[lane] };
                warp.acquired[lane] = self.clocks.merge(pending, known);
            }
            warp.loose[lane] = Loose::None;
            let acquired = if warp.acquired[lane] == NOTHING { block_wide } else { warp.acquired[lane] };
            let fence = Fence { clock: warp.clock, phase, warp_clock: warp.known, acquired, scope };
            warp.fences[0][lane] = fence;
            if scope >= Scope::Gpu {
                warp.fences[1][lane] = fence;
            }
        }
    }

    /// `bar.arrive`: what was before it is known to those who wait at that barrier.
    pub fn arrive(&mut self, id: WarpId, barrier: u32, mask: u32) {
        let Some(slot) = self.slots.get_mut(id.slot as usize) else { return };
        let before = slot.arrived.get(&barrier).copied().unwrap_or(NOTHING);
        let all = release(slot, &mut self.clocks, id.warp as usize, mask, before);
        slot.arrived.insert(barrier, all);
    }

    pub fn warp_barrier(&mut self, id: WarpId, mask: u32) {
        let clocks = &mut self.clocks;
        let Some(slot) = self.slots.get_mut(id.slot as usize) else { return };
        let (block, phase) = (slot.block as u32, slot.phase);
        let Some(warp) = slot.warps.get_mut(id.warp as usize) else { return };
        warp.clock += 1;
        if warp.fenced_since {
            let joint = fenced_lanes(block, phase, warp, id.warp, mask, clocks);
            lanes(mask).for_each(|lane| warp.fenced[lane] = clocks.merge(joint, warp.fenced[lane]));
            warp.fenced_since = warp.live & !mask != 0;
        }
        if warp.live & !mask == 0 {
            warp.known = warp.clock;
            warp.pairs = None;
        } else {
            let pairs = warp.pairs.get_or_insert_with(|| Box::new([[0; 32]; 32]));
            let mut joint = [0; 32];
            for lane in lanes(mask) {
                for (known, most) in pairs[lane].iter().zip(joint.iter_mut()) {
                    *most = (*most).max(*known);
                }
            }
            for lane in lanes(mask) {
                joint[lane] = warp.clock;
            }
            for lane in lanes(mask) {
                pairs[lane] = joint;
            }
        }
        if lanes(mask).any(|lane| warp.acquired[lane] != NOTHING) {
            let all = lanes(mask).fold(NOTHING, |all, lane| clocks.merge(warp.acquired[lane], all));
            lanes(mask).for_each(|lane| warp.acquired[lane] = all);
        }
    }

    pub fn block_barrier(&mut self, id: WarpId, barrier: u32, participants: &[u32], counted: bool) {
        let clocks = &mut self.clocks;
        let Some(slot) = self.slots.get_mut(id.slot as usize) else { return };
        let arrived = slot.arrived.remove(&barrier).unwrap_or(NOTHING);
        let mut all = clocks.merge(slot.acquired, arrived);
        for (warp, mask) in slot.warps.iter_mut().zip(participants) {
            for lane in lanes(*mask) {
                all = clocks.merge(warp.acquired[lane], all);
            }
        }
        let everybody = !counted
            && slot.warps.iter().zip(participants).all(|(warp, mask)| warp.live & !mask == 0)
            && slot.warps.len() <= participants.len();
        if everybody {
            if std::mem::take(&mut slot.fences) {
                slot.fenced = fenced(slot, clocks);
            }
            slot.phase += 1;
            slot.acquired = all;
            for warp in &mut slot.warps {
                warp.acquired = [NOTHING; 32];
                warp.fenced = [NOTHING; 32];
            }
            return;
        }
        // Some of the block: they learn of each other as through a release and an acquire.
        for (number, mask) in participants.iter().enumerate().filter(|(_, mask)| **mask != 0) {
            all = release(slot, clocks, number, *mask, all);
        }
        for (warp, mask) in slot.warps.iter_mut().zip(participants) {
            lanes(*mask).for_each(|lane| warp.acquired[lane] = all);
        }
    }
}

/// What the lanes of a warp did so far, and `all`, published within the block.
fn release(slot: &mut Slot, clocks: &mut Clocks, warp: usize, mask: u32, mut all: ClockId) -> ClockId {
    let (block, phase, block_wide) = (slot.block as u32, slot.phase, slot.acquired);
    let Some(state) = slot.warps.get_mut(warp) else { return all };
    state.clock += 1;
    let (clock, warp_clock) = (state.clock, state.known);
    for lane in lanes(mask) {
        let acquired = if state.acquired[lane] == NOTHING { block_wide } else { state.acquired[lane] };
        let parent = clocks.merge(all, acquired);
        let thread = (warp * 32 + lane) as u32;
        let own = Own { block, phase, thread, clock, warp_clock, copies: 0, scope: Scope::Cta };
        all = clocks.publish(own, [parent, NOTHING]);
    }
    all
}

/// What fences of the lanes release to whoever passes a `__syncwarp` with them and publishes.
fn fenced_lanes(block: u32, phase: u32, warp: &Warp, number: u32, mask: u32, clocks: &mut Clocks) -> ClockId {
    let mut all = NOTHING;
    let mut last = NO_FENCE;
    for lane in lanes(mask) {
        let [narrow, wide] = [warp.fences[0][lane], warp.fences[1][lane]];
        let older = Some(wide).filter(|wide| wide.clock != narrow.clock);
        for fence in older.into_iter().chain([narrow]).filter(|fence| fence.clock > 0 && fence.phase == phase) {
            if fence.acquired != last.acquired {
                all = clocks.merge(all, fence.acquired);
            }
            last = fence;
            let Fence { clock, warp_clock, scope, .. } = fence;
            let thread = number * 32 + lane as u32;
            let own = Own { block, phase, thread, clock, warp_clock, copies: 0, scope };
            all = clocks.publish(own, [all, NOTHING]);
        }
    }
    all
}

/// What the block's fences of this phase release, besides what those of earlier phases did. (`__threadfence()` by all, then
/// a barrier, then one thread that publishes with a relaxed atomic: the barrier hands on what the fences ordered.)
fn fenced(slot: &Slot, clocks: &mut Clocks) -> ClockId {
    let mut all = slot.fenced;
    for (number, warp) in slot.warps.iter().enumerate() {
        let mut last = NOTHING;
        for (lane, fence) in warp.fences[1].iter().enumerate() {
            if fence.clock == 0 || fence.phase != slot.phase {
                continue;
            }
            if fence.acquired != last {
                all = clocks.merge(all, fence.acquired);
                last = fence.acquired;
            }
            let thread = (number * 32 + lane) as u32;
            let Fence { clock, phase, warp_clock, scope, .. } = *fence;
            all = clocks.publish(
                Own { block: slot.block as u32, phase, thread, clock, warp_clock, copies: 0, scope },
                [all, NOTHING],
            );
        }
    }
    all
}

/// The lanes of a mask.
pub fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 != 0)
}
