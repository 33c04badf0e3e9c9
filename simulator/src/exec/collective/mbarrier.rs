//! `mbarrier` objects: 64 opaque bits in shared memory. Ours hold, from the top: phase (1 bit), transactions pending
//! (21 bits, biased), arrivals pending (21 bits), arrivals expected (21 bits).

use crate::FindingKind;
use crate::exec::accessing::{Accessing, LaneBytes, WarpBytes};
use crate::exec::block::Shared;
use crate::exec::context::{Flow, Worker};
use crate::exec::defined::Reached;
use crate::exec::warp::Warp;
use crate::isa::op::{AddressSpace, MbarrierKind, MbarrierOp, Reg};
use crate::observe::{AccessKind, MemoryOrder, Observer, Scope, Space};

const FIELD: u64 = (1 << 21) - 1;
const BIAS: u64 = 1 << 20;

#[derive(Clone, Copy)]
struct Object {
    phase: u64,
    transactions: u64,
    pending: u64,
    expected: u64,
}

impl Object {
    fn unpack(bits: u64) -> Self {
        Self {
            phase: bits >> 63,
            transactions: bits >> 42 & FIELD,
            pending: bits >> 21 & FIELD,
            expected: bits & FIELD,
        }
    }

    fn pack(self) -> u64 {
        self.phase << 63 | (self.transactions & FIELD) << 42 | (self.pending & FIELD) << 21 | self.expected & FIELD
    }

    /// Ends the phase if nothing is missing; says whether it did.
    fn settle(&mut self) -> bool {
        let ends = self.pending == 0 && self.transactions == BIAS;
        if ends {
            self.phase ^= 1;
            self.pending = self.expected;
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
        for (space, part) in Self::by_space(space, mask, &mut found) {
            let mut ended = 0;
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
                let count = if op.a == Reg::None { 1 } else { operand & FIELD };
                if op.kind == Kind::Init
                    && let Some(kind) = impossible(operand as u32)
                {
                    return self.fault(shared, warp, group.pc, 1 << lane, kind);
                }
                d[lane] = before;
                match op.kind {
                    Kind::Init => {
                        object = Object { phase: 0, transactions: BIAS, pending: count, expected: count };
                    }
                    Kind::Arrive | Kind::ArriveNoComplete | Kind::CpAsyncArrive => {
                        object.pending = object.pending.wrapping_sub(count);
                    }
                    Kind::ArriveDrop => {
                        object.pending = object.pending.wrapping_sub(count);
                        object.expected = object.expected.wrapping_sub(count);
                    }
                    Kind::ExpectTx => object.transactions += operand,
                    Kind::ArriveExpectTx => {
                        object.transactions += operand;
                        object.pending = object.pending.wrapping_sub(1);
                    }
                    Kind::CompleteTx => object.transactions = object.transactions.wrapping_sub(operand),
                    Kind::TestWait | Kind::TryWait => d[lane] = u64::from(object.phase != operand >> 63),
                    Kind::TestWaitParity | Kind::TryWaitParity => d[lane] = u64::from(object.phase != operand & 1),
                    // The arrival that it adds and the one that it makes.
                    Kind::CpAsyncArriveExtra | Kind::Inval | Kind::PendingCount => {}
                }
                if !waits && op.kind != Kind::Inval {
                    if object.settle() {
                        ended |= 1 << lane;
                    }
                    if let Err(bad) = self.store_lane(shared, warp, lane, bytes, object.pack()) {
                        return self.bad_access(shared, warp, by(1 << lane, AccessKind::Atomic), bytes, bad);
                    }
                }
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
