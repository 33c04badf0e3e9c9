//! `mbarrier` objects: 64 opaque bits in shared memory. Ours hold, from the top: phase (1 bit), transactions pending
//! (21 bits, biased), copies (1 bit), unseen (1 bit), arrivals pending (20 bits), arrivals expected (20 bits).
//!
//! Copies are done at once, but nobody may count on that. Under explored orders the first look at a phase that needed one is told
//! that it has not ended, as if the copy had taken until then. Who goes on all the same has waited for nothing.

use crate::exec::accessing::{Accessing, LaneBytes, WarpBytes};
use crate::exec::block::Shared;
use crate::exec::context::{Flow, Worker};
use crate::exec::defined::Reached;
use crate::exec::warp::Warp;
use crate::isa::op::{AddressSpace, MbarrierKind, MbarrierOp, Op, Reg};
use crate::observe::{AccessKind, MemoryOrder, Observer, Scope, Space};
use crate::{FindingKind, Severity};

const FIELD: u64 = (1 << 21) - 1;
const COUNT: u64 = (1 << 20) - 1;
const BIAS: u64 = 1 << 20;
const COPIES: u64 = 1 << 41;
const UNSEEN: u64 = 1 << 40;

/// What must not be done with an object, and what to do instead.
type Misuse = (String, &'static str);

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

    /// What an operation with that operand, and of so many arrivals, changes; or why it must not be done.
    fn change(&mut self, kind: MbarrierKind, operand: u64, count: u64) -> Result<(), Misuse> {
        use MbarrierKind as Kind;
        match kind {
            Kind::Init => {
                let (copies, unseen) = (false, false);
                *self = Self { phase: 0, transactions: BIAS, copies, unseen, pending: count, expected: count };
            }
            Kind::Arrive | Kind::CpAsyncArrive => self.arrive(count)?,
            Kind::ArriveNoComplete => {
                self.arrive(count)?;
                if self.is_complete() {
                    return Err((
                        "the last arrival of a phase is made with .noComplete".into(),
                        "leave the modifier out",
                    ));
                }
            }
            Kind::ArriveDrop => {
                self.arrive(count)?;
                self.expected = self.expected.wrapping_sub(count);
            }
            Kind::ExpectTx => self.expect(operand.cast_signed())?,
            Kind::ArriveExpectTx => {
                self.expect(operand.cast_signed())?;
                self.arrive(1)?;
            }
            Kind::CompleteTx => self.expect(-operand.cast_signed())?,
            // One adds the arrival that it makes, the others change nothing.
            _ => {}
        }
        Ok(())
    }

    fn arrive(&mut self, count: u64) -> Result<(), Misuse> {
        if count == 0 {
            return Err(("an arrival counts 0".into(), "it has to count 1 at least"));
        }
        let Some(left) = self.pending.checked_sub(count) else {
            let many = if count == 1 { String::new() } else { format!(" that counts {count}") };
            return Err(match self.pending {
                0 if self.expected == 0 => (
                    format!("an arrival{many} where nobody is expected any more"),
                    "all have dropped out of it with mbarrier.arrive_drop",
                ),
                wanted => (
                    format!("an arrival{many} in a phase that wants {}", counted(wanted, "more arrival")),
                    "a phase takes as many arrivals as the mbarrier was initialised with; who arrives again has to wait for its end first",
                ),
            });
        };
        self.pending = left;
        Ok(())
    }

    fn expect(&mut self, bytes: i64) -> Result<(), Misuse> {
        let expected = self.transactions.cast_signed() - BIAS.cast_signed() + bytes;
        if expected.unsigned_abs() >= BIAS {
            return Err((format!("a phase is to expect {expected} bytes"), "it can 1048575 at most"));
        }
        self.transactions = BIAS.wrapping_add_signed(expected);
        Ok(())
    }

    fn is_complete(self) -> bool {
        self.pending == 0 && self.transactions == BIAS
    }

    /// Has the phase ended that such a wait names by its parity, or by a state of it?
    fn has_ended(self, kind: MbarrierKind, operand: u64) -> bool {
        let parity = matches!(kind, MbarrierKind::TestWaitParity | MbarrierKind::TryWaitParity);
        self.phase != if parity { operand & 1 } else { operand >> 63 }
    }

    /// Ends the phase if nothing is missing; says whether it did.
    fn settle(&mut self) -> bool {
        let ends = self.is_complete();
        if ends {
            self.phase ^= 1;
            self.pending = self.expected;
            self.unseen = std::mem::take(&mut self.copies);
        }
        ends
    }
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Why the phase of such an object does not end: "still wants 1 arrival and 512 bytes".
pub fn lacks(bits: u64) -> String {
    let object = Object::unpack(bits);
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
                let count = if op.a == Reg::None { 1 } else { operand & u64::from(u32::MAX) };
                if op.kind == Kind::Init
                    && let Some(misuse) = impossible(operand as u32)
                {
                    let kind = self.bad_mbarrier(shared, warp, by(1 << lane, AccessKind::Store), bytes, misuse);
                    return self.fault(shared, warp, group.pc, 1 << lane, kind);
                }
                d[lane] = if waits { object.has_ended(op.kind, operand).into() } else { before };
                if waits && d[lane] != 0 && object.unseen && self.control.is_some() {
                    d[lane] = 0;
                    early |= 1 << lane;
                }
                if !waits && op.kind != Kind::Inval {
                    let changed = object.change(op.kind, operand, count);
                    // Of one that nobody has initialised, that is what is wrong.
                    if let Err(misuse) = changed
                        && self.is_mbarrier(shared, space, found[lane])
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

    /// Has such an address been initialised? Of another block's nobody here knows, and it is taken to be.
    fn is_mbarrier(&self, shared: &Shared, space: AddressSpace, address: u64) -> bool {
        let (slot, address) = self.home(shared, address);
        space != AddressSpace::Shared || slot != shared.slot || shared.mbarriers.binary_search(&address).is_ok()
    }

    /// Lanes have initialised objects of their block, or ended them. One that lives is not to be initialised once more.
    fn born_or_gone(&mut self, shared: &mut Shared, warp: &Warp, by: Accessing, born: bool, found: &[u64; 32]) {
        let mut again = 0u32;
        for lane in (0..32usize).filter(|lane| by.lanes >> lane & 1 != 0) {
            let (_, address) = self.home(shared, found[lane]);
            match (shared.mbarriers.binary_search(&address), born) {
                (Ok(_), true) => again |= 1 << lane,
                (Ok(at), false) => _ = shared.mbarriers.remove(at),
                (Err(at), true) => shared.mbarriers.insert(at, address),
                (Err(_), false) => {}
            }
        }
        if again != 0 {
            let bytes = LaneBytes::new(AddressSpace::Shared, found[again.trailing_zeros() as usize], 8);
            let misuse = (
                "it is initialised a second time".to_owned(),
                "one thread initialises it; mbarrier.inval ends it before it is initialised anew",
            );
            let kind = self.bad_mbarrier(shared, warp, Accessing { lanes: again, ..by }, bytes, misuse);
            self.report(shared, warp, by.pc, again, kind, Severity::Error);
        }
    }

    /// Plain accesses to an mbarrier of their block that lives.
    pub fn touches_mbarrier(&mut self, shared: &Shared, warp: &Warp, by: Accessing, addresses: &[u64; 32], size: u32) {
        let (Some(first), Some(last)) = (shared.mbarriers.first(), shared.mbarriers.last()) else { return };
        let meets = |lane: &usize| {
            let (start, end) = (addresses[*lane], addresses[*lane] + u64::from(size));
            let overlaps = |object: u64| start < object + 8 && object < end;
            by.lanes >> lane & 1 != 0
                && start < last + 8
                && *first < end
                && shared.mbarriers.iter().any(|object| overlaps(*object))
        };
        let touching = (0..32).filter(meets).fold(0u32, |mask, lane| mask | 1 << lane);
        if touching != 0 {
            let does = match by.kind {
                AccessKind::Load => "it is read as if it were data",
                AccessKind::Store => "it is written as if it were data",
                AccessKind::Atomic => "it is changed as if it were data",
            };
            let bytes = LaneBytes::new(AddressSpace::Shared, addresses[touching.trailing_zeros() as usize], size);
            let misuse = (does.to_owned(), "its memory is for mbarrier instructions alone until mbarrier.inval");
            let kind = self.bad_mbarrier(shared, warp, Accessing { lanes: touching, ..by }, bytes, misuse);
            self.report(shared, warp, by.pc, touching, kind, Severity::Error);
        }
    }

    fn bad_mbarrier(
        &self,
        shared: &Shared,
        warp: &Warp,
        by: Accessing,
        bytes: LaneBytes,
        (what, instead): Misuse,
    ) -> FindingKind {
        let access = self.describe(shared, warp, by, bytes);
        FindingKind::BadMbarrier { access, what, instead: instead.to_owned() }
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
fn impossible(count: u32) -> Option<Misuse> {
    let most = BIAS as u32 - 1;
    (!(1..=most).contains(&count))
        .then(|| (format!("it is initialised with a count of {count}"), "it has to be 1 to 1048575"))
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
