//! `mbarrier` objects: 64 opaque bits in shared memory. Ours hold, from the top: phase (1 bit), transactions pending
//! (21 bits, biased), copies (1 bit), unseen (1 bit), arrivals pending (20 bits), arrivals expected (20 bits).
//!
//! Copies are done at once, but nobody may count on that. Under explored orders the first look at a phase that needed one is told
//! that it has not ended, as if the copy had taken until then. Who goes on all the same has waited for nothing.

use crate::FindingKind;
use crate::exec::accessing::{Accessing, LaneBytes, WarpBytes};
use crate::exec::block::Shared;
use crate::exec::context::{Flow, Worker};
use crate::exec::defined::Reached;
use crate::exec::warp::Warp;
use crate::isa::op::{AddressSpace, MbarrierKind, MbarrierOp, Op, Reg};
use crate::observe::{AccessKind, MemoryOrder, Observer, Scope, Space};

const FIELD: u64 = (1 << 21) - 1;
const COUNT: u64 = (1 << 20) - 1;
const BIAS: u64 = 1 << 20;
const COPIES: u64 = 1 << 41;
const UNSEEN: u64 = 1 << 40;

#[derive(Clone, Copy)]
struct Object {
    phase: u64,
    transactions: u64,
    /// An asynchronous copy has arrived, or brought bytes, in the phase under way.
    copies: bool,
    /// One had in the phase before, and nobody has asked yet whether that has ended.
    unseen: bool,
    pending: u64,
    expected: u64,
}

impl Object {
    fn unpack(bits: u64) -> Self {
        Self {
            phase: bits >> 63,
            transactions: bits >> 42 & FIELD,
            copies: bits & COPIES != 0,
            unseen: bits & UNSEEN != 0,
            pending: bits >> 20 & COUNT,
            expected: bits & COUNT,
        }
    }

    fn pack(self) -> u64 {
        let marks = if self.copies { COPIES } else { 0 } | if self.unseen { UNSEEN } else { 0 };
        let counts = (self.pending & COUNT) << 20 | self.expected & COUNT;
        self.phase << 63 | (self.transactions & FIELD) << 42 | marks | counts
    }

    /// What an operation with that operand, and of so many arrivals, changes.
    fn change(&mut self, kind: MbarrierKind, operand: u64, count: u64) {
        use MbarrierKind as Kind;
        match kind {
            Kind::Init => {
                let (copies, unseen) = (false, false);
                *self = Self { phase: 0, transactions: BIAS, copies, unseen, pending: count, expected: count };
            }
            Kind::Arrive | Kind::ArriveNoComplete | Kind::CpAsyncArrive => {
                self.pending = self.pending.wrapping_sub(count);
            }
            Kind::ArriveDrop => {
                self.pending = self.pending.wrapping_sub(count);
                self.expected = self.expected.wrapping_sub(count);
            }
            Kind::ExpectTx => self.transactions += operand,
            Kind::ArriveExpectTx => {
                self.transactions += operand;
                self.pending = self.pending.wrapping_sub(1);
            }
            Kind::CompleteTx => self.transactions = self.transactions.wrapping_sub(operand),
            // One adds the arrival that it makes, the others change nothing.
            _ => {}
        }
    }

    /// Has the phase ended that such a wait names by its parity, or by a state of it?
    fn has_ended(self, kind: MbarrierKind, operand: u64) -> bool {
        let parity = matches!(kind, MbarrierKind::TestWaitParity | MbarrierKind::TryWaitParity);
        self.phase != if parity { operand & 1 } else { operand >> 63 }
    }

    /// Ends the phase if nothing is missing; says whether it did.
    fn settle(&mut self) -> bool {
        let ends = self.pending == 0 && self.transactions == BIAS;
        if ends {
            self.phase ^= 1;
            self.pending = self.expected;
            self.unseen = std::mem::take(&mut self.copies);
        }
        ends
    }
}

/// Why the phase of such an object does not end: "still wants 1 arrival and 512 bytes".
pub fn lacks(bits: u64) -> String {
    let object = Object::unpack(bits);
    let counted = |count: u64, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let arrivals = (object.pending > 0).then(|| counted(object.pending, "arrival"));
    let early = BIAS.saturating_sub(object.transactions);
    let bytes = (object.transactions > BIAS).then(|| counted(object.transactions - BIAS, "byte"));
    let wanted: Vec<String> = arrivals.into_iter().chain(bytes).collect();
    match (wanted.as_slice(), early) {
        ([], 0) => "has ended already: the loop waits for another one".to_owned(),
        ([], early) => format!("got {} more than it was told to expect", counted(early, "byte")),
        (wanted, 0) => format!("still wants {}", wanted.join(" and ")),
        (wanted, early) => format!("still wants {}, and got {} too many", wanted.join(" and "), counted(early, "byte")),
    }
}

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
                let count = if op.a == Reg::None { 1 } else { operand & COUNT };
                if op.kind == Kind::Init
                    && let Some(kind) = impossible(operand as u32)
                {
                    return self.fault(shared, warp, group.pc, 1 << lane, kind);
                }
                d[lane] = if waits { object.has_ended(op.kind, operand).into() } else { before };
                if waits && d[lane] != 0 && object.unseen && self.control.is_some() {
                    d[lane] = 0;
                    early |= 1 << lane;
                }
                if !waits && op.kind != Kind::Inval {
                    object.change(op.kind, operand, count);
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

/// What is wrong with the count that an object is initialised with, if anything.
fn impossible(count: u32) -> Option<FindingKind> {
    let most = BIAS as u32 - 1;
    (!(1..=most).contains(&count)).then(|| FindingKind::BrokenPromise {
        what: format!("an mbarrier is initialised with a count of {count}, which has to be 1 to {most}"),
    })
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
