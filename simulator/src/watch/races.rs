//! The race check. The rules are in the module's documentation.

use super::clock::{ClockId, Clocks, NOTHING, Own};
use super::epoch::{Epoch, How};
use super::region::Regions;
use crate::observe::{AccessKind, Complaint, Order, Scope, Space, WarpAccess, WarpId};
use std::collections::HashMap;

/// What a byte, or an aligned word of four, remembers.
#[derive(Debug, Clone, Copy)]
struct Cell {
    write: Epoch,
    /// Two others that are not ordered before `write`: reads, or atomics that `write` did not race with.
    others: [Epoch; 2],
}

const EMPTY: Cell = Cell { write: Epoch::NONE, others: [Epoch::NONE; 2] };
/// Cells made at once.
const CHUNK: usize = 1024;

/// Cells of a stretch of memory: one a word until somebody accesses less than a word, then one a byte.
#[derive(Debug, Default)]
struct Shadow {
    bytes: bool,
    chunks: Vec<Option<Box<[Cell; CHUNK]>>>,
    launch: u64,
}

impl Shadow {
    /// Cells for the access: index of the first and how many.
    fn locate(&mut self, offset: u64, size: u32, launch: u64) -> (usize, usize) {
        if self.launch != launch {
            self.launch = launch;
            self.bytes = false;
            self.chunks.clear();
        }
        if size < 4 && !self.bytes {
            self.split();
        }
        if self.bytes { (offset as usize, size as usize) } else { (offset as usize / 4, size as usize / 4) }
    }

    #[inline]
    fn cell(&mut self, index: usize) -> &mut Cell {
        let chunk = index / CHUNK;
        if chunk >= self.chunks.len() {
            self.chunks.resize_with(chunk + 1, || None);
        }
        &mut self.chunks[chunk].get_or_insert_with(|| Box::new([EMPTY; CHUNK]))[index % CHUNK]
    }

    fn split(&mut self) {
        self.bytes = true;
        let words = std::mem::take(&mut self.chunks);
        for (number, chunk) in words.into_iter().enumerate() {
            let Some(chunk) = chunk else { continue };
            for (index, cell) in chunk.iter().enumerate() {
                for byte in 0..4 {
                    *self.cell((number * CHUNK + index) * 4 + byte) = *cell;
                }
            }
        }
    }
}

/// A lane's last fence.
#[derive(Debug, Clone, Copy)]
struct Fence {
    /// 0: none.
    clock: u32,
    phase: u32,
    warp_clock: u32,
    acquired: ClockId,
    scope: Scope,
}

const NO_FENCE: Fence = Fence { clock: 0, phase: 0, warp_clock: 0, acquired: NOTHING, scope: Scope::Cta };

#[derive(Debug)]
struct Warp {
    /// Goes up at every synchronisation of the warp and at every fence.
    clock: u32,
    /// Accesses of the warp before this clock are known to all its lanes.
    known: u32,
    /// `[lane][other]`: the same for pairs of lanes, once a barrier left some out.
    pairs: Option<Box<[[u32; 32]; 32]>>,
    acquired: [ClockId; 32],
    fences: [Fence; 32],
    live: u32,
}

/// A resident block.
#[derive(Debug, Default)]
struct Slot {
    block: u64,
    /// Block barriers that all threads passed.
    phase: u32,
    warps: Vec<Warp>,
    /// What all threads have acquired.
    acquired: ClockId,
    /// What fences before the last block barriers released: whoever passed the barrier and publishes hands it on.
    fenced: ClockId,
    /// A warp executed a fence since the last block barrier.
    fences: bool,
    shared: Shadow,
    /// As [`Races::published`], for shared memory.
    published: HashMap<u64, ClockId>,
}

/// The race check of a device.
#[derive(Debug, Default)]
pub struct Races {
    global: Regions<Shadow>,
    slots: Vec<Slot>,
    clocks: Clocks,
    /// What an atomic or strong load of an address acquires.
    published: HashMap<u64, ClockId>,
    /// Launches so far: shadows of earlier ones are stale.
    launch: u64,
}

/// Who accesses, and what is known of the order of things.
struct Actor<'a> {
    slot: &'a Slot,
    warp: &'a Warp,
    clocks: &'a mut Clocks,
    acquired: ClockId,
}

impl Actor<'_> {
    /// Is `before` ordered before the access `now`?
    #[inline]
    fn ordered(&mut self, before: Epoch, now: Epoch) -> bool {
        if before.block() == now.block() {
            if before.phase() < now.phase() {
                return true;
            }
            if before.same_warp(now) {
                let pair = self
                    .warp
                    .pairs
                    .as_ref()
                    .map_or(0, |pairs| pairs[now.thread() as usize % 32][before.thread() as usize % 32]);
                if before.clock() < self.warp.known.max(pair) {
                    return true;
                }
            }
        }
        self.acquired != NOTHING && self.clocks.knows(self.acquired, before, self.slot.block as u32)
    }

    /// Does `now` race with `before`?
    #[inline]
    fn races(&mut self, before: Epoch, now: Epoch, silent: bool) -> bool {
        if before.is_none() || before.same_thread(now) {
            return false;
        }
        let (old, new) = (before.how(), now.how());
        if old.kind == AccessKind::Load && new.kind == AccessKind::Load {
            return false;
        }
        let reach = before.block() == now.block() || old.scope.min(new.scope) >= Scope::Gpu;
        if old.strong && new.strong && reach {
            return false;
        }
        if old.kind == AccessKind::Store
            && new.kind == AccessKind::Store
            && (silent || (before.same_warp(now) && before.pc() == now.pc()))
        {
            return false;
        }
        !self.ordered(before, now)
    }

    /// Looks at a cell, updates it, and returns the access that `now` races with.
    #[inline]
    fn meet(&mut self, cell: &mut Cell, now: Epoch, silent: bool) -> Option<Epoch> {
        let writes = now.how().kind != AccessKind::Load;
        let mut other = self.races(cell.write, now, silent).then_some(cell.write);
        for before in cell.others {
            let matters = writes || before.how().kind != AccessKind::Load;
            if matters && other.is_none() && self.races(before, now, silent) {
                other = Some(before);
            }
        }
        if writes {
            cell.others = self.beside(cell, now);
            cell.write = now;
        } else {
            self.remember(cell, now);
        }
        other
    }

    /// What must stay remembered beside the write `now`. A plain store takes the place of everything: what was before it
    /// is ordered or has been complained about. A strong one does not order what others do next, so plain accesses
    /// before it, its own thread's too, and others' unordered atomics still matter.
    #[inline]
    fn beside(&mut self, cell: &Cell, now: Epoch) -> [Epoch; 2] {
        let mut kept = [Epoch::NONE; 2];
        if !now.how().strong {
            return kept;
        }
        let mut free = 0;
        for before in [cell.write, cell.others[0], cell.others[1]] {
            let weak = !before.how().strong;
            let matters = !before.is_none()
                && (weak || before.how().kind != AccessKind::Load)
                && if before.same_thread(now) { weak } else { !self.ordered(before, now) };
            if matters && free < kept.len() {
                kept[free] = before;
                free += 1;
            }
        }
        kept
    }

    /// Keeps a read: in place of one that is before it, else in a free place, else so that the two kept are of
    /// different warps.
    #[inline]
    fn remember(&mut self, cell: &mut Cell, now: Epoch) {
        let [a, b] = cell.others;
        let replaceable =
            |actor: &mut Self, kept: Epoch| kept.is_none() || kept.same_thread(now) || actor.ordered(kept, now);
        if replaceable(self, a) {
            cell.others[0] = now;
        } else if replaceable(self, b) || (a.same_warp(b) && !a.same_warp(now)) {
            cell.others[1] = now;
        }
    }
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
            Warp {
                clock: 1,
                known: 0,
                pairs: None,
                acquired: [NOTHING; 32],
                fences: [NO_FENCE; 32],
                live: if lanes == 32 { u32::MAX } else { (1 << lanes) - 1 },
            }
        }));
        // Another block's shared memory: its cells are stale, but their chunks are kept.
        for chunk in slot.shared.chunks.iter_mut().flatten() {
            chunk.fill(EMPTY);
        }
        slot.shared.launch = self.launch;
        slot.published.clear();
    }

    pub fn exit(&mut self, id: WarpId, mask: u32) {
        if let Some(warp) = self.warp(id) {
            warp.live &= !mask;
        }
    }

    fn warp(&mut self, id: WarpId) -> Option<&mut Warp> {
        self.slots.get_mut(id.slot as usize)?.warps.get_mut(id.warp as usize)
    }

    pub fn launch_end(&mut self) {
        self.launch += 1;
        self.clocks.clear();
        self.published.clear();
    }

    pub fn access(&mut self, access: &WarpAccess<'_>, complain: &mut dyn FnMut(Complaint)) {
        if access.space == Space::Local {
            return;
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
        let strong = strong && (self.synchronise(access, lane, address) || !volatile_store);
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
            let how = How { kind: access.kind, strong, scope };
            let thread = access.warp.warp * 32 + lane;
            let now = Epoch::new(slot.block, thread, access.pc, slot.phase, warp.clock, how);
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
                    hidden_before_volta: other.same_warp(now) && other.pc() != now.pc(),
                });
                break;
            }
        }
        self.slots[access.warp.slot as usize].shared = shared;
    }

    /// Acquires and releases of a strong access. True when it publishes something.
    fn synchronise(&mut self, access: &WarpAccess<'_>, lane: u32, address: u64) -> bool {
        let Some(slot) = self.slots.get_mut(access.warp.slot as usize) else { return false };
        let published = if access.space == Space::Shared { &mut slot.published } else { &mut self.published };
        let there = if published.is_empty() { None } else { published.get(&address).copied() };
        let (block_wide, fenced) = (slot.acquired, slot.fenced);
        let (block, phase) = (slot.block as u32, slot.phase);
        let Some(warp) = slot.warps.get_mut(access.warp.warp as usize) else { return false };
        let at = lane as usize;

        let reads = access.kind != AccessKind::Store;
        if let (true, Some(there)) = (reads, there) {
            let known = if warp.acquired[at] == NOTHING { block_wide } else { warp.acquired[at] };
            warp.acquired[at] = self.clocks.merge(there, known);
        }
        if access.kind == AccessKind::Load {
            return false;
        }

        let known = if warp.acquired[at] == NOTHING { block_wide } else { warp.acquired[at] };
        let fence = match access.order {
            Order::Release | Order::AcqRel => {
                warp.clock += 1;
                let (clock, warp_clock) = (warp.clock, warp.known);
                Fence { clock, phase, warp_clock, acquired: known, scope: access.scope }
            }
            _ => warp.fences[at],
        };
        if fence.clock == 0 {
            if access.kind == AccessKind::Store {
                published.remove(&address);
            }
            return false;
        }
        let thread = access.warp.warp * 32 + lane;
        let scope = fence.scope.min(access.scope);
        let mut parent = self.clocks.merge(fence.acquired, fenced);
        if let Some(pairs) = &warp.pairs {
            for (other, clock) in pairs[at].iter().copied().enumerate() {
                if clock > fence.warp_clock && other != at {
                    let thread = access.warp.warp * 32 + other as u32;
                    let own = Own { block, phase: fence.phase, thread, clock, warp_clock: 0, scope };
                    parent = self.clocks.publish(own, [parent, NOTHING]);
                }
            }
        }
        let own = Own { block, phase: fence.phase, thread, clock: fence.clock, warp_clock: fence.warp_clock, scope };
        // A read-modify-write continues the release sequence of those before it.
        let before = if access.kind == AccessKind::Atomic { there.unwrap_or(NOTHING) } else { NOTHING };
        let id = self.clocks.publish(own, [before, parent]);
        published.insert(address, id);
        true
    }

    pub fn fence(&mut self, id: WarpId, mask: u32, scope: Scope) {
        let Some(slot) = self.slots.get_mut(id.slot as usize) else { return };
        let (block_wide, phase) = (slot.acquired, slot.phase);
        let Some(warp) = slot.warps.get_mut(id.warp as usize) else { return };
        slot.fences |= scope >= Scope::Gpu;
        warp.clock += 1;
        for lane in lanes(mask) {
            let acquired = if warp.acquired[lane] == NOTHING { block_wide } else { warp.acquired[lane] };
            if scope >= warp.fences[lane].scope || warp.fences[lane].clock == 0 {
                warp.fences[lane] = Fence { clock: warp.clock, phase, warp_clock: warp.known, acquired, scope };
            }
        }
    }

    pub fn warp_barrier(&mut self, id: WarpId, mask: u32) {
        let clocks = &mut self.clocks;
        let Some(warp) = self.slots.get_mut(id.slot as usize).and_then(|s| s.warps.get_mut(id.warp as usize)) else {
            return;
        };
        warp.clock += 1;
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

    pub fn block_barrier(&mut self, id: WarpId, participants: &[u32]) {
        let clocks = &mut self.clocks;
        let Some(slot) = self.slots.get_mut(id.slot as usize) else { return };
        let mut all = slot.acquired;
        for (warp, mask) in slot.warps.iter_mut().zip(participants) {
            for lane in lanes(*mask) {
                all = clocks.merge(warp.acquired[lane], all);
            }
        }
        let everybody = slot.warps.iter().zip(participants).all(|(warp, mask)| warp.live & !mask == 0)
            && slot.warps.len() <= participants.len();
        if everybody {
            if std::mem::take(&mut slot.fences) {
                slot.fenced = fenced(slot, clocks);
            }
            slot.phase += 1;
            slot.acquired = all;
            for warp in &mut slot.warps {
                warp.acquired = [NOTHING; 32];
            }
            return;
        }
        // Some of the block: they learn of each other as through a release and an acquire.
        for (number, (warp, mask)) in slot.warps.iter_mut().zip(participants).enumerate() {
            if *mask == 0 {
                continue;
            }
            warp.clock += 1;
            for lane in lanes(*mask) {
                let own = Own {
                    block: slot.block as u32,
                    phase: slot.phase,
                    thread: (number * 32 + lane) as u32,
                    clock: warp.clock,
                    warp_clock: warp.known,
                    scope: Scope::Cta,
                };
                all = clocks.publish(own, [all, NOTHING]);
            }
        }
        for (warp, mask) in slot.warps.iter_mut().zip(participants) {
            lanes(*mask).for_each(|lane| warp.acquired[lane] = all);
        }
    }
}

/// What the block's fences of this phase release, besides what those of earlier phases did. (`__threadfence()` by all, then
/// a barrier, then one thread that publishes with a relaxed atomic: the barrier hands on what the fences ordered.)
fn fenced(slot: &Slot, clocks: &mut Clocks) -> ClockId {
    let mut all = slot.fenced;
    for (number, warp) in slot.warps.iter().enumerate() {
        let mut last = NOTHING;
        for (lane, fence) in warp.fences.iter().enumerate() {
            if fence.clock == 0 || fence.phase != slot.phase || fence.scope < Scope::Gpu {
                continue;
            }
            if fence.acquired != last {
                all = clocks.merge(all, fence.acquired);
                last = fence.acquired;
            }
            let thread = (number * 32 + lane) as u32;
            let Fence { clock, phase, warp_clock, scope, .. } = *fence;
            all = clocks
                .publish(Own { block: slot.block as u32, phase, thread, clock, warp_clock, scope }, [all, NOTHING]);
        }
    }
    all
}

fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 != 0)
}
