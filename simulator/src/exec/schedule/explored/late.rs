//! Writes that come late: under some explored schedules what a block adds to global memory by atomics without a result, or stores
//! by `volatile` and `.relaxed`, is seen by other blocks only after a while.
//!
//! No finding tells of such a write that nothing orders: atomics and strong accesses are no races. So it is held back as long as
//! the PTX memory model allows for certain: until its thread executes a fence, a release or an acquire of a scope wider than the
//! block, until another one of its block does so after anything by which threads of a block meet (that thread may have to hand it on),
//! until its own block touches the same bytes, until nobody can go on, or for so many operations (`held`). A block may have ended by then. Its own
//! threads see its writes at once.
//!
//! Who changes memory by an atomic, or gives a lock back, for all to see, while such writes of its own are held back may have said that
//! they are there. A fence behind that comes too late, so before it the block steps aside (see [`super::aside`]).
//!
//! The operation is executed like any other, with all checks; then the old values are put back.

mod held;
mod orders;

pub use held::{Late, OVERTAKEN};

use crate::exec::accessing::{Accessing, LaneBytes};
use crate::exec::block::Shared;
use crate::exec::context::Worker;
use crate::exec::warp::{Group, Warp};
use crate::isa::op::{AddressSpace, Op};
use crate::memory::global::Global;
use crate::memory::window;
use crate::observe::{AccessKind, Observer};
use crate::opcodes::Effect;
use crate::{Finding, FindingKind, Severity};
use held::{Change, Lanes, Write};
use orders::{is_global, meets, publishes_all, reaches_cluster};

/// What memory held before an operation whose writes come late: address, bytes, value.
pub struct Taken {
    old: Vec<(u64, u32, u64)>,
    writes: Vec<Write>,
}

impl<O: Observer> Worker<'_, O> {
    /// Before an operation: what its block has to see of its own writes comes, and so does what it publishes. What memory holds, if its
    /// own writes are to come late.
    pub(in crate::exec::schedule) fn hold_back(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        at: usize,
        mask: u32,
        op: &Op,
    ) -> Option<Taken> {
        let operations = self.control.as_ref().map_or(0, |control| control.operations());
        let late = self.late.as_mut()?;
        let code = &self.context.decoded.code;
        if late.is_due(operations, self.clock, code.may_wait(op)) {
            self.come();
        }
        let group = warp.groups[at];
        if self.context.clustered && reaches_cluster(code, op) {
            self.come_of_block(shared.linear);
        }
        if let Some(late) = self.late.as_mut().filter(|late| late.count > 0 && meets(code, op)) {
            late.meet(shared.linear);
        }
        let lanes = Lanes { block: shared.linear, warp: warp.index, mask };
        if publishes_all(code, op) {
            self.come_of(lanes);
        }
        let (base, offset, bytes, frame) = match op {
            Op::Load(index) | Op::Store(index) => {
                let op = &code.accesses[*index as usize];
                is_global(op.space).then_some((op.base, op.offset, op.size * op.regs.len() as u32, op.frame))?
            }
            Op::Atomic(index) => {
                let op = &code.atomics[*index as usize];
                is_global(op.space).then_some((op.base, op.offset, op.size * op.b.len() as u32, false))?
            }
            Op::Fence(_) => return None,
            op if op.effect(code) == Effect::Memory => {
                self.come_of_block(shared.linear);
                return None;
            }
            _ => return None,
        };
        let found = self.lane_addresses(warp, group.frame, base, offset, frame);
        let held = self.is_held(lanes, group.pc, op, &found);
        if !matches!(op, Op::Store(_)) {
            self.too_early(shared, warp, (group.pc, mask), &found, bytes);
        }
        // Writes to one place that all come late stay in their order.
        let atomic = held && matches!(op, Op::Atomic(_));
        if !atomic {
            self.come_to(shared.linear, mask, &found, bytes);
        }
        let taken = if held { self.taken(shared.linear, warp, at, mask, (op, &found)) } else { None };
        // Another store may be one more of what a fence behind it publishes.
        let tells = taken.is_none()
            && match op {
                Op::Atomic(_) => true,
                Op::Store(_) => self.gives_back(mask, &found),
                _ => false,
            };
        if let (true, Some(late)) = (tells, &mut self.late) {
            late.tell(lanes);
        }
        taken
    }

    /// Does one of these lanes write a word that somebody has taken hold of? It is a lock, which this gives back.
    fn gives_back(&self, mask: u32, found: &[u64; 32]) -> bool {
        let code = &self.context.decoded.code;
        let answers = |op: &Op| matches!(op, Op::Atomic(index) if code.atomics[*index as usize].returns);
        let took = |pc: u32| code.insts.get(pc as usize).is_some_and(|inst| answers(&inst.op));
        let taken = |lane: usize| self.writers.last(None, found[lane]).is_some_and(|writer| took(writer.pc));
        (0..32usize).any(|lane| mask >> lane & 1 != 0 && taken(lane))
    }

    /// Is what these lanes are about to do held back?
    fn is_held(&mut self, lanes: Lanes, pc: u32, op: &Op, found: &[u64; 32]) -> bool {
        let code = &self.context.decoded.code;
        let Some(late) = &mut self.late else { return false };
        late.may_hold(code, op) && late.chooses(lanes, pc) && !self.gives_back(lanes.mask, found)
    }

    /// Notes who looks at a word that another block has written.
    fn too_early(&mut self, shared: &Shared, warp: &Warp, (pc, mask): (u32, u32), found: &[u64; 32], bytes: u32) {
        let asks = self.control.as_ref().is_some_and(|control| control.aside.len() > 0);
        let Some(late) = self.late.as_ref().filter(|late| late.count > 0 && (asks || late.told > 0)) else { return };
        let code = &self.context.decoded.code;
        let answers = |op: &Op| !matches!(op, Op::Atomic(index) if !code.atomics[*index as usize].returns);
        if !answers(&code.insts[pc as usize].op) {
            return;
        }
        let seen = (0..32usize).filter(|lane| mask >> lane & 1 != 0).find_map(|lane| {
            let here = late.held.get(&(found[lane] >> 3))?;
            Some((lane, here.iter().find(|write| write.block != shared.linear && write.meets(found[lane], bytes))?))
        });
        let Some((lane, write)) = seen else { return };
        let write = (write.block, write.thread, write.pc, matches!(write.change, Change::Store(_)));
        let told = late.told;
        if let Some(late) = &mut self.late {
            (late.told, late.looks) = (told.saturating_sub(1), late.looks + 1);
        }
        if told > 0 {
            self.tell_of(shared, warp, (pc, lane), (found[lane], bytes), write);
        }
    }

    /// A note about it.
    fn tell_of(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        (pc, lane): (u32, usize),
        (address, bytes): (u64, u32),
        (block, thread, at, stores): (u64, u32, u32, bool),
    ) {
        let loads = matches!(self.context.decoded.code.insts[pc as usize].op, Op::Load(_));
        let kind = if loads { AccessKind::Load } else { AccessKind::Atomic };
        let by = Accessing { pc, lanes: 1 << lane, kind };
        let second = self.describe(shared, warp, by, LaneBytes::new(AddressSpace::Global, address, bytes));
        let mut first = second.clone();
        first.what = if stores { "write" } else { "atomic" }.into();
        first.place = self.place_of_thread(block, thread, at);
        let place = second.place.clone();
        let kind = FindingKind::LateWrite { first, second };
        self.add_finding(Finding { kind, severity: Severity::Note, place, count: 1 });
    }

    /// What the lanes are about to change, and how; nothing if some of it is to be done at once.
    fn taken(&self, block: u64, warp: &Warp, at: usize, mask: u32, (op, found): (&Op, &[u64; 32])) -> Option<Taken> {
        let code = &self.context.decoded.code;
        let Group { frame, pc, .. } = warp.groups[at];
        let (size, values, second) = match op {
            Op::Store(index) => {
                let op = &code.accesses[*index as usize];
                (op.size, &op.regs, None)
            }
            Op::Atomic(index) => {
                let op = &code.atomics[*index as usize];
                (op.size, &op.b, Some(op))
            }
            _ => return None,
        };
        if size > 8 {
            return None;
        }
        let operands: Vec<[u64; 32]> = values.iter().map(|reg| warp.read(frame, *reg)).collect();
        let third = second.map(|op| warp.read(frame, op.c));
        let global = self.global.get();
        let (mut old, mut writes) = (Vec::new(), Vec::new());
        for lane in (0..32usize).filter(|lane| mask >> lane & 1 != 0) {
            for (element, operand) in (0u64..).zip(&operands) {
                let address = found[lane].wrapping_add(element * u64::from(size));
                old.push((address, size, peek(global, address, size)?));
                let change = match (second, &third) {
                    (Some(op), Some(third)) => Change::Atomic(op.f.clone(), operand[lane], third[lane]),
                    _ => Change::Store(operand[lane]),
                };
                let thread = warp.index * 32 + lane as u32;
                writes.push(Write { met: false, block, thread, pc, address, size, change });
            }
        }
        Some(Taken { old, writes })
    }

    /// After the operation: nobody else has seen it yet.
    pub(in crate::exec::schedule) fn take_back(&mut self, taken: Taken) {
        let operations = self.control.as_ref().map_or(0, |control| control.operations());
        let Some(late) = &mut self.late else { return };
        late.begin(operations, self.clock);
        for (address, size, value) in taken.old {
            poke(self.global.get(), address, size, value);
        }
        for write in taken.writes {
            late.hold(write);
        }
    }

    /// All writes come. True if there were any.
    pub(in crate::exec) fn come(&mut self) -> bool {
        let Some(late) = self.late.as_mut().filter(|late| late.count > 0) else { return false };
        let writes = late.take_all();
        self.apply(writes);
        true
    }

    /// Those that a fence of these lanes publishes.
    fn come_of(&mut self, lanes: Lanes) {
        let Some(late) = self.late.as_mut().filter(|late| late.count > 0) else { return };
        let writes = late.take_of(lanes);
        self.apply(writes);
    }

    /// Those of a block.
    fn come_of_block(&mut self, block: u64) {
        let Some(late) = self.late.as_mut().filter(|late| late.count > 0) else { return };
        late.meet(block);
        let writes = late.take_of(Lanes { block, warp: 0, mask: 0 });
        self.apply(writes);
    }

    /// Those of a block to these bytes.
    fn come_to(&mut self, block: u64, mask: u32, found: &[u64; 32], bytes: u32) {
        let Some(late) = self.late.as_mut().filter(|late| late.has(block)) else { return };
        let mut writes = Vec::new();
        for lane in (0..32usize).filter(|lane| mask >> lane & 1 != 0) {
            let last = found[lane].saturating_add(u64::from(bytes.max(1)) - 1);
            for word in found[lane] >> 3..=last >> 3 {
                writes.extend(late.take(block, word, |write| write.meets(found[lane], bytes)));
            }
        }
        self.apply(writes);
    }

    fn apply(&mut self, writes: Vec<Write>) {
        let global = self.global.get();
        for Write { address, size, change, .. } in writes {
            let Some(before) = peek(global, address, size) else { continue };
            let after = match change {
                Change::Store(value) => value,
                Change::Atomic(f, operand, second) => f(before, operand, second),
            };
            self.changes += u64::from((before ^ after) & u64::MAX >> (64 - size * 8) != 0);
            poke(global, address, size, after);
        }
    }
}

/// What is there, where kernels write.
fn peek(global: &Global, address: u64, size: u32) -> Option<u64> {
    if window::classify(address) != AddressSpace::Global || !address.is_multiple_of(size.into()) {
        return None;
    }
    let allocation = &global.allocations[global.find(address, size.into())?];
    let writable = !allocation.is_read_only() && !allocation.heap;
    writable.then(|| allocation.peek(address - allocation.base, size))
}

fn poke(global: &Global, address: u64, size: u32, value: u64) {
    if let Some(at) = global.find(address, size.into()) {
        let allocation = &global.allocations[at];
        allocation.store(address - allocation.base, size, value);
    }
}
