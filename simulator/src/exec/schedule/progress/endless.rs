//! Proof that a loop never ends: its lanes come back to a state that they had before.
//!
//! A warp that has run for long is looked at for a while. At every branch back the state of the group (place, way of
//! calls, its lanes' registers and local memory) is held against one kept earlier; which one is kept follows Brent, so a
//! cycle of any length is found. What the lanes do is a function of that state and of what they take in from others. If
//! they took in nothing since, they go on like that whatever others do; inputs, which nobody may write, are nothing. If
//! they read memory that nobody has changed since, `livelock` says whether anybody is left to change it. They wait for
//! that only if they look by strong loads, atomics or with a fence or a pause between, or at a word that an atomic of
//! another thread has changed; else the loop is as endless. The outermost loop gone round meanwhile is the one to name.
//!
//! Registers of a kernel's own loop that reach no condition, address, store or call in it are no part of the state
//! (`isa/analysis/decides`). Those of functions that are called are, and what a loop stores: loops that change them for ever, or
//! look at a clock, are left to the step limit.

use crate::exec::block::Shared;
use crate::exec::context::{Flow, Worker};
use crate::exec::select::LaneRow;
use crate::exec::warp::{Group, Round, Warp};
use crate::isa::decides::Decides;
use crate::isa::op::{AddressSpace, Callee, Op, Reg};
use crate::observe::{MemoryOrder, Observer};
use crate::{FindingKind, Severity};
use std::sync::Arc;

/// States compared in a first look; in the nth of them 2^n times as many.
const STATES: u64 = 16;

/// A look at a warp that has run for long.
#[derive(Debug, Default)]
pub struct Look {
    /// States that may still be compared.
    left: u64,
    /// Quanta of the warp at which it ends, compared or not: a look slows it down.
    until: u64,
    /// The lanes' state at an earlier branch back.
    kept: Option<Kept>,
    /// Since then: something came from others that is no memory.
    met: bool,
    /// Since then: memory was read that others may write,
    read: bool,
    /// and by an operation that waits for others, or where another thread has written.
    waits: bool,
    /// The outermost loop gone round since then.
    outer: Option<Round>,
    /// What decides in the loop that was last kept a state of.
    decides: Option<Arc<Decides>>,
}

/// A group's state.
#[derive(Debug)]
struct Kept {
    mask: u32,
    pc: u32,
    /// Calls on the way here: where each returns to, and its registers.
    path: Vec<(u32, u32, u32, u32, u32)>,
    r32: Vec<LaneRow<u32>>,
    r64: Vec<LaneRow<u64>>,
    p: Vec<u32>,
    local: Vec<LaneRow<u32>>,
    /// Which of the kernel's registers count; nothing: all do.
    decides: Option<Arc<Decides>>,
    changes: u64,
    /// States compared with this one, and after how many another is kept.
    compared: u64,
    renewed: u64,
}

/// The calls that a group is in.
fn path(warp: &Warp, group: &Group) -> Vec<(u32, u32, u32, u32, u32)> {
    let mut path = Vec::new();
    let mut frame = group.frame;
    while let Some(found) = warp.frames.get(frame as usize) {
        path.push((found.return_pc, found.base32, found.base64, found.base_p, found.local));
        frame = found.parent;
    }
    path
}

impl Kept {
    fn of(warp: &Warp, group: &Group, decides: Option<Arc<Decides>>, changes: u64, renewed: u64) -> Self {
        Self {
            decides,
            mask: group.mask,
            pc: group.pc,
            path: path(warp, group),
            r32: warp.r32.clone(),
            r64: warp.r64.clone(),
            p: warp.p.clone(),
            local: warp.local.clone(),
            changes,
            compared: 0,
            renewed,
        }
    }

    /// Is the group's state this one?
    fn is_of(&self, warp: &Warp, group: &Group) -> bool {
        fn rows<T: PartialEq>(
            mask: u32,
            a: &[LaneRow<T>],
            b: &[LaneRow<T>],
            counts: impl Fn(&Decides, usize) -> bool,
            decides: Option<&Decides>,
        ) -> bool {
            let equal = |(at, (a, b)): (usize, (&LaneRow<T>, &LaneRow<T>))| {
                a == b
                    || (0..32).all(|lane| mask >> lane & 1 == 0 || a[lane] == b[lane])
                    || decides.is_some_and(|decides| !counts(decides, at))
            };
            a.len() == b.len() && a.iter().zip(b).enumerate().all(equal)
        }
        let (mask, decides) = (self.mask, self.decides.as_deref());
        let predicate = |(at, (a, b)): (usize, (&u32, &u32))| {
            (a ^ b) & mask == 0 || decides.is_some_and(|decides| !decides.counts_p(at))
        };
        (self.pc, mask) == (group.pc, group.mask)
            && rows(mask, &self.r32, &warp.r32, Decides::counts32, decides)
            && rows(mask, &self.r64, &warp.r64, Decides::counts64, decides)
            && self.p.len() == warp.p.len()
            && self.p.iter().zip(&warp.p).enumerate().all(predicate)
            && rows(mask, &self.local, &warp.local, |_, _| true, None)
            && self.path == path(warp, group)
    }
}

impl<O: Observer> Worker<'_, O> {
    /// A warp has run for a quantum, or went round a loop that waits: look at it, the longer the longer it runs.
    pub(in crate::exec::schedule) fn ran_long(&self, warp: &mut Warp) {
        warp.quanta += 1;
        let quanta = warp.quanta;
        if quanta.is_power_of_two() {
            let (left, until) = (STATES.saturating_mul(quanta), quanta + (quanta / 8).max(1));
            warp.look = Some(Box::new(Look { left, until, ..Look::default() }));
        } else if warp.look.as_ref().is_some_and(|look| look.until <= quanta) {
            warp.look = None;
        }
    }

    /// A group whose warp is looked at took a branch back.
    pub(in crate::exec::schedule) fn turned(&mut self, shared: &Shared, warp: &mut Warp, at: usize) -> Flow {
        let Some(mut look) = warp.look.take() else { return Flow::Continue };
        let group = warp.groups[at];
        if self.by_clock(warp, &group) {
            warp.look = Some(look);
            return Flow::Continue;
        }
        if look.left == 0 {
            return Flow::Continue;
        }
        look.left -= 1;
        let round = warp.rounds.now;
        let outer = look.outer.map_or(round, |outer| outer.outer(round));
        look.outer = Some(outer);
        let same = look.kept.as_mut().is_some_and(|kept| {
            kept.compared += 1;
            kept.is_of(warp, &group)
        });
        let unchanged = look.kept.as_ref().is_some_and(|kept| kept.changes == self.changes);
        if same && !look.met && !look.read {
            self.never_ends(shared, warp, &group, outer.source, false);
            return Flow::Stop;
        }
        if same && !look.met && unchanged {
            if self.watching || self.control.is_some() {
                let spins = &mut warp.groups[at].spins;
                (spins.polls, spins.changes, spins.looks) = (true, self.changes, spins.looks.max(1));
                (spins.waits, spins.round) = (look.waits, outer.source);
            }
            // Whoever waits is looked at again when its turn comes: what it read may have changed by then.
            *look = Look { left: look.left.max(STATES), decides: look.decides.take(), ..Look::default() };
            warp.look = Some(look);
            return Flow::Spin;
        }
        // A cycle that took something in is looked at from here again, any other for longer.
        let renewed = match &look.kept {
            None => Some(1),
            Some(kept) if same => Some(kept.renewed),
            Some(kept) => (kept.compared >= kept.renewed).then(|| kept.renewed.saturating_mul(2)),
        };
        if let Some(renewed) = renewed {
            self.remembered = true;
            look.decides = self.decides(warp, &group, look.decides.take());
            look.kept = Some(Kept::of(warp, &group, look.decides.clone(), self.changes, renewed));
            (look.met, look.read, look.waits, look.outer) = (false, false, false, None);
        }
        warp.look = Some(look);
        Flow::Continue
    }

    /// What decides in the loop that a group goes round, if that is the kernel's own; `known`: of the loop looked at before.
    fn decides(&self, warp: &Warp, group: &Group, known: Option<Arc<Decides>>) -> Option<Arc<Decides>> {
        // A loop of a function that is called is not all that may be gone round: its caller may call it again.
        let frame = warp.frames.get(group.frame as usize)?;
        if warp.frames.get(frame.parent as usize).is_some() || (frame.base32, frame.base64, frame.base_p) != (0, 0, 0) {
            return None;
        }
        known
            .filter(|known| known.holds(group.pc))
            .or_else(|| Decides::around(&self.context.decoded.code, group.pc).map(Arc::new))
    }

    /// Before an operation of a warp that is looked at: does it take in something from others?
    pub(in crate::exec::schedule) fn takes_in(&self, shared: &Shared, warp: &mut Warp, at: usize, mask: u32, op: &Op) {
        let code = &self.context.decoded.code;
        let group = warp.groups[at];
        let Some(members) = warp.look.as_ref().and_then(|look| look.kept.as_ref()).map(|kept| kept.mask) else {
            return;
        };
        let met = match op {
            Op::Barrier(_) | Op::Unsupported(_) | Op::CopyWait { .. } => true,
            Op::Collective(index) if code.collectives[*index as usize].mask == Reg::None => true,
            Op::Collective(_) | Op::WarpBarrier { .. } | Op::Matrix(_) => {
                (group.mask | self.named(warp, &group)) & warp.live() & !members != 0
            }
            // Who is there at the moment is the schedule's doing.
            Op::ActiveMask { .. } => true,
            Op::Call(index) => matches!(code.calls[*index as usize].callee, Callee::Malloc | Callee::Free),
            _ => false,
        };
        let read = self.reads(shared, warp, &group, mask, op);
        let Some(look) = &mut warp.look else { return };
        look.met |= met;
        // Who fences or pauses between two looks waits, whatever it looks by.
        look.waits |= matches!(op, Op::Fence(_) | Op::NanoSleep);
        let Some(Read { space, address, waits }) = read else { return };
        look.read = true;
        // A wait is told of, not what else is read in its loop.
        if waits || !look.waits {
            let spins = &mut warp.groups[at].spins;
            (spins.pc, spins.space, spins.address) = (group.pc, space, address);
        }
        look.waits |= waits;
    }

    /// What an operation reads that others may change, if it does.
    fn reads(&self, shared: &Shared, warp: &Warp, group: &Group, mask: u32, op: &Op) -> Option<Read> {
        let code = &self.context.decoded.code;
        let ((space, base, offset, frame), size, strong) = match op {
            Op::Load(index) => {
                let access = &code.accesses[*index as usize];
                let strong = access.order != MemoryOrder::Weak;
                ((access.space, access.base, access.offset, access.frame), access.size, strong)
            }
            Op::Atomic(index) => {
                let atomic = &code.atomics[*index as usize];
                if !atomic.returns {
                    return None;
                }
                ((atomic.space, atomic.base, atomic.offset, false), atomic.size, true)
            }
            Op::Mbarrier(index) => {
                let barrier = &code.mbarriers[*index as usize];
                let space = if barrier.generic { AddressSpace::Generic } else { AddressSpace::Shared };
                ((space, barrier.base, barrier.offset, false), 8, true)
            }
            _ => return None,
        };
        let common = |space| !matches!(space, AddressSpace::Local | AddressSpace::Param | AddressSpace::Const);
        if !common(space) {
            return None;
        }
        let mut found = self.lane_addresses(warp, group.frame, base, offset, frame);
        let mut read = None;
        for (space, part) in Self::by_space(space, mask, &mut found).into_iter().filter(|(space, _)| common(*space)) {
            for lane in (0..32u32).filter(|lane| part >> lane & 1 != 0) {
                let address = found[lane as usize];
                if !strong && space == AddressSpace::Global && self.is_input(address, size.into()) {
                    continue;
                }
                let slot = (space == AddressSpace::Shared).then_some(shared.slot);
                let others = self.writers.last(slot, address).is_some_and(|writer| {
                    (writer.block, writer.warp) != (shared.linear, warp.index) || group.mask >> writer.lane & 1 == 0
                });
                let known = *read.get_or_insert(Read { space, address, waits: strong || others });
                if others && !known.waits {
                    read = Some(Read { space, address, waits: true });
                }
            }
        }
        read
    }

    /// Is it memory that no thread may write?
    fn is_input(&self, address: u64, size: u64) -> bool {
        let global = self.global.get();
        global.find(address, size).is_some_and(|at| !global.is_writable(at))
    }

    /// The launch is over: a group goes round a loop for ever, to its last operation `pc` and back.
    pub(in crate::exec::schedule) fn never_ends(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        group: &Group,
        pc: u32,
        reads: bool,
    ) {
        let explanation = self.goes_round(shared, warp, group, pc, reads);
        let kind = FindingKind::EndlessLoop { explanation, reads };
        self.report(shared, warp, pc, group.mask, kind, Severity::Fault);
        self.halt();
    }
}

/// Memory that is read.
#[derive(Clone, Copy)]
struct Read {
    space: AddressSpace,
    address: u64,
    /// For others to change it.
    waits: bool,
}
