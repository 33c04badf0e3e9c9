//! `mbarrier` instructions on objects in shared memory.
//!
//! Copies are done at once, but nobody may count on that. Under explored orders the first look at a phase that needed one is told
//! that it has not ended, as if the copy had taken until then. Who goes on all the same has waited for nothing.

mod misuse;
mod object;

use crate::exec::accessing::{Accessing, LaneBytes, WarpBytes};
use crate::exec::block::Shared;
use crate::exec::context::{Flow, Worker};
use crate::exec::defined::Reached;
use crate::exec::warp::Warp;
use crate::isa::op::{AddressSpace, MbarrierKind, MbarrierOp, Op, Reg};
use crate::observe::{AccessKind, MemoryOrder, Observer, Scope, Space};
pub use object::lacks;
use object::{Object, UNSEEN};

impl<O: Observer> Worker<'_, O> {
    /// Executes one of them, lane after lane.
    pub fn mbarrier(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, mask: u32, op: &MbarrierOp) -> Flow {
        use MbarrierKind as Kind;
        let group = warp.groups[at];
        let by = |lanes, kind| Accessing { pc: group.pc, lanes, kind };
        let operands = warp.read(group.frame, op.a);
        let mut d = [0u64; 32];
        if op.kind == Kind::PendingCount {
            warp.write(group.frame, op.d, mask, &operands.map(|state| Object::unpack(state).pending));
            warp.groups[at].pc += 1;
            return Flow::Continue;
        }
        let mut found = self.lane_addresses(warp, group.frame, op.base, op.offset, false);
        let space = if op.generic { AddressSpace::Generic } else { AddressSpace::Shared };
        let waits = matches!(op.kind, Kind::TestWait | Kind::TryWait | Kind::TestWaitParity | Kind::TryWaitParity);
        // `mbarrier.complete_tx` is its thread's own doing.
        let copies = matches!(op.kind, Kind::CpAsyncArrive | Kind::CpAsyncArriveExtra)
            || op.kind == Kind::CompleteTx && self.is_copy(group.pc);
        for (space, part) in Self::by_space(space, mask, &mut found) {
            if let Some(stop) =
                self.outside_block(shared, warp, by(part, AccessKind::Atomic), WarpBytes::new(space, &found, 8), op.own)
            {
                return stop;
            }
            let (mut ended, mut early) = (0, 0);
            for lane in (0..32usize).filter(|lane| part >> lane & 1 != 0) {
                let bytes = LaneBytes::new(space, found[lane], 8);
                let before = match self.load_lane(shared, warp, lane, bytes) {
                    Ok(before) => before,
                    Err(bad) => {
                        return self.bad_access(shared, warp, by(1 << lane, AccessKind::Atomic), bytes, bad);
                    }
                };
                let mut object = Object::unpack(before);
                let operand = operands[lane];
                let count = if op.a == Reg::None { 1 } else { operand & u64::from(u32::MAX) };
                d[lane] = if waits { object.has_ended(op.kind, operand).into() } else { before };
                if waits && d[lane] != 0 && object.unseen && self.control.is_some() {
                    d[lane] = 0;
                    early |= 1 << lane;
                }
                if !waits && op.kind != Kind::Inval {
                    let changed = object.change(op.kind, operand, count);
                    // Of one that nobody has initialised, that is what is wrong.
                    if let Err(misuse) = changed
                        && (op.kind == Kind::Init || self.is_mbarrier(shared, space, found[lane]))
                    {
                        let kind = self.bad_mbarrier(shared, warp, by(1 << lane, AccessKind::Atomic), bytes, misuse);
                        return self.fault(shared, warp, group.pc, 1 << lane, kind);
                    }
                    object.copies |= copies;
                    if object.settle() {
                        ended |= 1 << lane;
                    }
                    if let Err(bad) = self.store_lane(shared, warp, lane, bytes, object.pack()) {
                        return self.bad_access(shared, warp, by(1 << lane, AccessKind::Atomic), bytes, bad);
                    }
                }
            }
            self.looked(shared, warp, early, space, &found);
            if space == AddressSpace::Shared && matches!(op.kind, Kind::Init | Kind::Inval) {
                self.born_or_gone(shared, warp, by(part, AccessKind::Store), op.kind == Kind::Init, &found);
            }
            if O::ACTIVE {
                let (kind, order) = ordering(op, waits);
                let waiting = |lane: &usize| part >> lane & 1 != 0 && (!waits || d[*lane] != 0);
                let part = (0..32usize).filter(waiting).fold(0, |mask, lane| mask | 1 << lane);
                self.completing = Some(ended);
                self.copying = matches!(op.kind, Kind::CpAsyncArrive | Kind::CpAsyncArriveExtra | Kind::CompleteTx);
                let order = (order, Scope::Cta);
                let unwritten = self.observe(shared, warp, by(part, kind), WarpBytes::new(space, &found, 8), order);
                self.met(shared, warp, &Reached { pc: group.pc, space, mask: part, addresses: &found, unwritten });
                if op.kind == Kind::Inval && space == AddressSpace::Shared {
                    self.invalidated(shared, warp, part, &found);
                }
            }
        }
        warp.write(group.frame, op.d, mask, &d);
        warp.spun |= waits;
        warp.groups[at].pc += 1;
        Flow::Continue
    }

    /// Is the operation a copy that tells an object of its bytes?
    fn is_copy(&self, pc: u32) -> bool {
        matches!(self.context.decoded.code.insts[pc as usize].op, Op::CopyBulk(_))
    }

    /// Lanes have looked at a phase that copies ended: whoever looks next finds it ended.
    fn looked(&mut self, shared: &mut Shared, warp: &mut Warp, early: u32, space: AddressSpace, found: &[u64; 32]) {
        for lane in (0..32usize).filter(|lane| early >> lane & 1 != 0) {
            let bytes = LaneBytes::new(space, found[lane], 8);
            if let Ok(object) = self.load_lane(shared, warp, lane, bytes) {
                // It has just been read there: it can be written, too.
                let _ = self.store_lane(shared, warp, lane, bytes, object & !UNSEEN);
                // Who was proven to wait for ever was not told the last word.
                self.changes += 1;
            }
        }
    }

    /// They are no objects any more: whoever uses one uses what nobody has written.
    fn invalidated(&mut self, shared: &Shared, warp: &Warp, mask: u32, found: &[u64; 32]) {
        for lane in (0..32usize).filter(|lane| mask >> lane & 1 != 0) {
            self.observer.discarded(shared.warp(warp.index), Space::Shared, lane as u32, found[lane], 8);
        }
    }
}

/// How an operation accesses its object, and what it orders.
fn ordering(op: &MbarrierOp, waits: bool) -> (AccessKind, MemoryOrder) {
    match op.kind {
        MbarrierKind::Init => (AccessKind::Store, MemoryOrder::Weak),
        // `cuda::pipeline`'s last thread does it, ordered by a relaxed count of its own: an operation on
        // the object like any other, which races with plain accesses only.
        MbarrierKind::Inval => (AccessKind::Atomic, MemoryOrder::Acquire),
        _ if op.relaxed => (if waits { AccessKind::Load } else { AccessKind::Atomic }, MemoryOrder::Relaxed),
        // A wait that succeeds acquires what the arrivals released.
        _ if waits => (AccessKind::Load, MemoryOrder::Acquire),
        _ => (AccessKind::Atomic, MemoryOrder::Release),
    }
}
