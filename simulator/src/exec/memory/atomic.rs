//! Atomics and reductions, lane after lane.

use crate::exec::accessing::{Accessing, LaneBytes, WarpBytes};
use crate::exec::block::Shared;
use crate::exec::cell::AccessError;
use crate::exec::context::{Flow, Worker};
use crate::exec::defined::Reached;
use crate::exec::direct::Files;
use crate::exec::schedule::Writer;
use crate::exec::traffic::charge_atomic;
use crate::exec::warp::{Group, Warp};
use crate::isa::op::{AddressSpace, AtomicOp, Reg};
use crate::memory::ledger::Entry;
use crate::observe::{AccessKind, Observer};
use std::sync::atomic::Ordering::Relaxed;

impl<O: Observer> Worker<'_, O> {
    /// `atom`, `red`
    pub fn atomic(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, mask: u32, op: &AtomicOp) -> Flow {
        let group = warp.groups[at];
        let by = |lanes| Accessing { pc: group.pc, lanes, kind: AccessKind::Atomic };
        // Who reads no result waits for nobody.
        warp.spun |= op.may_spin && (op.returns || self.control.is_some());
        if self.atomic_at_once(shared, warp, at, mask, op) {
            return Flow::Continue;
        }
        self.global.settle();
        let mut found = self.lane_addresses(warp, group.frame, op.base, op.offset, false);
        if op.space == AddressSpace::Generic
            && let Some(stop) = self.foreign(shared, warp, by(mask), &found, op.size)
        {
            return stop;
        }
        let mut old = vec![[0u64; 32]; op.b.len()];
        let mut doubts = Vec::new();
        for (space, part) in Self::by_space(op.space, mask, &mut found) {
            let bytes = WarpBytes::new(space, &found, op.size);
            if let Some(stop) = self.outside(shared, warp, by(part), bytes, (op.own, op.array)) {
                return stop;
            }
            self.count(group.pc, |counters| charge_atomic(counters, op, space, part, || found));
            if space == AddressSpace::Global {
                self.protect(shared, warp, by(part), &found, op.size);
            }
            // A vector lies at a multiple of the whole of it.
            let whole = op.size * op.b.len().max(1) as u32;
            for lane in (0..32usize).filter(|lane| part >> lane & 1 != 0) {
                if !found[lane].is_multiple_of(whole.into()) {
                    let vector = LaneBytes::new(space, found[lane], whole);
                    return self.bad_access(shared, warp, by(1 << lane), vector, AccessError::Misaligned);
                }
                let at = (space, found[lane]);
                let done = if op.whole {
                    self.atomic_whole(shared, warp, (group, lane), at, op, &mut old)
                } else {
                    self.atomic_elements(shared, warp, (group, lane), at, op, &mut old)
                };
                if let Err((bad, bytes)) = done {
                    return self.bad_access(shared, warp, by(1 << lane), bytes, bad);
                }
            }
            if O::ACTIVE {
                for element in 0..op.b.len() as u64 {
                    let shifted = found.map(|address| address.wrapping_add(element * u64::from(op.size)));
                    let order = (op.order, op.scope);
                    let unwritten =
                        self.observe(shared, warp, by(part), WarpBytes::new(space, &shifted, op.size), order);
                    doubts.push((space, part, element, shifted, unwritten));
                }
            }
        }
        // A result that nothing reads is none: the state of a loop would not repeat for it.
        for (reg, old) in op.d.iter().zip(&old).filter(|_| op.returns) {
            warp.write(group.frame, *reg, mask, old);
        }
        for (space, part, element, addresses, unwritten) in doubts {
            let to = Reached { pc: group.pc, space, mask: part, addresses: &addresses, unwritten };
            self.exchanged(shared, warp, op, element as usize, to, || old[element as usize]);
        }
        warp.groups[at].pc += 1;
        Flow::Continue
    }

    /// Does all lanes of an atomic at once, if that is possible, and tells of it.
    fn atomic_at_once(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, mask: u32, op: &AtomicOp) -> bool {
        let group = warp.groups[at];
        let frame = warp.frames[group.frame as usize];
        let mut memory = self.direct(shared, warp.index);
        let mut files = Files::new(warp, &frame);
        let Some((lanes, old)) = memory.atomic(group.pc as usize, op, &mut files, mask) else { return false };
        if O::ACTIVE {
            let order = (op.order, op.scope);
            let addresses = lanes.addresses();
            let by = Accessing { pc: group.pc, lanes: mask, kind: AccessKind::Atomic };
            let unwritten = self.observe(shared, warp, by, WarpBytes::new(lanes.space, &addresses, 4), order);
            let to = Reached { pc: group.pc, space: lanes.space, mask, addresses: &addresses, unwritten };
            self.exchanged(shared, warp, op, 0, to, || old.map(u64::from));
        }
        warp.groups[at].pc += 1;
        true
    }

    /// One lane's elements, one after the other.
    fn atomic_elements(
        &mut self,
        shared: &mut Shared,
        warp: &mut Warp,
        (group, lane): (Group, usize),
        (space, first): (AddressSpace, u64),
        op: &AtomicOp,
        old: &mut [[u64; 32]],
    ) -> Result<(), (AccessError, LaneBytes)> {
        let second = warp.read_lane(group.frame, op.c, lane);
        for (element, old) in old.iter_mut().enumerate() {
            let operand = warp.read_lane(group.frame, op.b[element], lane);
            let address = first.wrapping_add(element as u64 * u64::from(op.size));
            let bytes = LaneBytes::new(space, address, op.size);
            let result = match space {
                AddressSpace::Global => self.atomic_global(group.pc, address, op, [operand, second]),
                _ => self.load_lane(shared, warp, lane, bytes).and_then(|before| {
                    let after = (op.f)(before, operand, second);
                    self.store_lane(shared, warp, lane, bytes, after)?;
                    Ok(before)
                }),
            };
            let before = result.map_err(|bad| (bad, bytes))?;
            old[lane] = before;
            let keep = u64::MAX >> (64 - u64::from(op.size.min(8)) * 8);
            if op.may_spin && ((op.f)(before, operand, second) ^ before) & keep != 0 {
                self.changed_by(shared, warp, (group, lane), (space, address));
            }
        }
        Ok(())
    }

    /// Somebody may poll what the lane has changed.
    fn changed_by(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        (group, lane): (Group, usize),
        (space, address): (AddressSpace, u64),
    ) {
        let slot = (space == AddressSpace::Shared).then_some(shared.slot);
        self.writers.note(Writer::new(slot, address, shared.linear, (warp.index, lane as u32), group.pc));
    }

    /// One lane's `b128`: both halves at once.
    fn atomic_whole(
        &mut self,
        shared: &mut Shared,
        warp: &mut Warp,
        (group, lane): (Group, usize),
        (space, address): (AddressSpace, u64),
        op: &AtomicOp,
        old: &mut [[u64; 32]],
    ) -> Result<(), (AccessError, LaneBytes)> {
        let bad = |bad| (bad, LaneBytes::new(space, address, 16));
        let pair = |low, high| [low, high].map(|reg| warp.read_lane(group.frame, reg, lane));
        let (new, expected) = (pair(op.b[0], op.b[1]), pair(op.c, op.c_high));
        let swaps = |before: [u64; 2]| op.c == Reg::None || before == new;
        let put = if op.c == Reg::None { new } else { expected };
        let before = if space == AddressSpace::Global {
            let at = self.changeable(address, 16).map_err(bad)?;
            let global = self.global.get();
            let allocation = &global.allocations[at];
            let offset = address - allocation.base;
            let _guard = (!self.global.alone()).then(|| global.lock(address).lock());
            let before = [allocation.load(offset, 8), allocation.load(offset + 8, 8)];
            if swaps(before) {
                allocation.store(offset, 8, put[0]);
                allocation.store(offset + 8, 8, put[1]);
            }
            before
        } else {
            let halves = [0, 8].map(|half| LaneBytes::new(space, address.wrapping_add(half), 8));
            let mut before = [0; 2];
            for (before, half) in before.iter_mut().zip(halves) {
                *before = self.load_lane(shared, warp, lane, half).map_err(bad)?;
            }
            for (put, half) in put.into_iter().zip(halves).filter(|_| swaps(before)) {
                self.store_lane(shared, warp, lane, half, put).map_err(bad)?;
            }
            before
        };
        if op.may_spin && swaps(before) && put != before {
            self.changed_by(shared, warp, (group, lane), (space, address));
        }
        (old[0][lane], old[1][lane]) = (before[0], before[1]);
        Ok(())
    }

    /// The allocation of bytes that an atomic changes.
    fn changeable(&mut self, address: u64, size: u32) -> Result<usize, AccessError> {
        let at = self.allocation(address, size.into()).ok_or(AccessError::Bounds)?;
        let global = self.global.get();
        let allocation = &global.allocations[at];
        if allocation.constant || allocation.input && self.observer.strayed().is_some() {
            return Err(AccessError::Constant);
        }
        if allocation.heap && !self.in_heap(address, size) {
            return Err(AccessError::Bounds);
        }
        Ok(at)
    }

    fn atomic_global(
        &mut self,
        pc: u32,
        address: u64,
        op: &AtomicOp,
        [operand, second]: [u64; 2],
    ) -> Result<u64, AccessError> {
        let size = op.size;
        if address & u64::from(size - 1) != 0 {
            return Err(AccessError::Misaligned);
        }
        let at = self.changeable(address, size)?;
        let offset = address - self.global.get().allocations[at].base;
        if self.global.put_down(Entry { pc, allocation: at as u32, offset, operand }) {
            return Ok(0);
        }
        let global = self.global.get();
        let allocation = &global.allocations[at];
        if let Some(sparse) = &allocation.sparse {
            return Ok(sparse.change(offset, size, op.returns, |before| (op.f)(before, operand, second)));
        }
        if self.global.alone() {
            let before = allocation.load(offset, size);
            allocation.store(offset, size, (op.f)(before, operand, second));
            return Ok(before);
        }
        if size == 8 {
            let _guard = global.lock(address).lock();
            let before = allocation.load(offset, 8);
            allocation.store(offset, 8, (op.f)(before, operand, second));
            return Ok(before);
        }
        if let Some(reads) = &allocation.reads {
            reads.note(offset, size);
        }
        let word = &allocation.words[(offset >> 2) as usize];
        let shift = (offset & 3) * 8;
        let keep = u32::MAX >> (32 - size * 8);
        let before = word.fetch_update(Relaxed, Relaxed, |word| {
            let before = word >> shift & keep;
            let after = (op.f)(before.into(), operand, second) as u32 & keep;
            Some(word & !(keep << shift) | after << shift)
        });
        // The closure always gives a value, so both arms hold what was there.
        Ok(u64::from(before.unwrap_or_else(|before| before) >> shift & keep))
    }
}
