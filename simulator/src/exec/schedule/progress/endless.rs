//! Proof that a loop never ends: its lanes come back to a state that they had before.
//!
//! A warp that has run for long is looked at for a while. At every branch back the state of the group (place, way of
//! calls, its lanes' registers and local memory) is held against one kept earlier; which one is kept follows Brent, so a
//! cycle of any length is found. What the lanes do is a function of that state and of what they take in from others. If
//! they took in nothing since, they go on like that whatever others do. If they read memory that nobody has changed
//! since, they wait, and `livelock` says whether anybody is left to change it.
//!
//! Registers that decide nothing within the loop, like a count of its turns, are part of the state all the same: such
//! loops, and loops that look at a clock, are left to the step limit.

use crate::exec::block::Shared;
use crate::exec::context::{Flow, Worker};
use crate::exec::select::LaneRow;
use crate::exec::warp::{Group, Warp};
use crate::isa::op::{AddressSpace, Callee, Op, Reg};
use crate::observe::Observer;
use crate::{FindingKind, Severity};

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
    /// Since then: memory was read that others may write.
    read: bool,
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
    fn of(warp: &Warp, group: &Group, changes: u64, renewed: u64) -> Self {
        Self {
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
        fn rows<T: PartialEq>(mask: u32, a: &[LaneRow<T>], b: &[LaneRow<T>]) -> bool {
            let equal = |(a, b): (&LaneRow<T>, &LaneRow<T>)| {
                a == b || (0..32).all(|lane| mask >> lane & 1 == 0 || a[lane] == b[lane])
            };
            a.len() == b.len() && a.iter().zip(b).all(equal)
        }
        let Self { mask, .. } = *self;
        (self.pc, mask) == (group.pc, group.mask)
            && rows(mask, &self.r32, &warp.r32)
            && rows(mask, &self.r64, &warp.r64)
            && self.p.len() == warp.p.len()
            && self.p.iter().zip(&warp.p).all(|(a, b)| (a ^ b) & mask == 0)
            && rows(mask, &self.local, &warp.local)
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
        let same = look.kept.as_mut().is_some_and(|kept| {
            kept.compared += 1;
            kept.is_of(warp, &group)
        });
        let unchanged = look.kept.as_ref().is_some_and(|kept| kept.changes == self.changes);
        if same && !look.met && !look.read {
            self.never_ends(shared, warp, &group);
            return Flow::Stop;
        }
        if same && !look.met && unchanged {
            if self.watching || self.control.is_some() {
                let spins = &mut warp.groups[at].spins;
                (spins.polls, spins.changes, spins.looks) = (true, self.changes, spins.looks.max(1));
            }
            // Whoever waits is looked at again when its turn comes: what it read may have changed by then.
            *look = Look { left: look.left.max(STATES), ..Look::default() };
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
            look.kept = Some(Kept::of(warp, &group, self.changes, renewed));
            (look.met, look.read) = (false, false);
        }
        warp.look = Some(look);
        Flow::Continue
    }

    /// Before an operation of a warp that is looked at: does it take in something from others?
    pub(in crate::exec::schedule) fn takes_in(&self, warp: &mut Warp, at: usize, mask: u32, op: &Op) {
        let code = &self.context.decoded.code;
        let group = warp.groups[at];
        let Some(members) = warp.look.as_ref().and_then(|look| look.kept.as_ref()).map(|kept| kept.mask) else {
            return;
        };
        let common = |space| !matches!(space, AddressSpace::Local | AddressSpace::Param | AddressSpace::Const);
        let mut read = None;
        let met = match op {
            Op::Load(index) => {
                let access = &code.accesses[*index as usize];
                if common(access.space) {
                    read = Some((access.space, access.base, access.offset, access.frame));
                }
                false
            }
            Op::Atomic(index) => {
                let atomic = &code.atomics[*index as usize];
                if !atomic.d.is_empty() {
                    read = Some((atomic.space, atomic.base, atomic.offset, false));
                }
                false
            }
            Op::Mbarrier(index) => {
                let barrier = &code.mbarriers[*index as usize];
                let space = if barrier.generic { AddressSpace::Generic } else { AddressSpace::Shared };
                read = Some((space, barrier.base, barrier.offset, false));
                false
            }
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
        if let Some((space, base, offset, frame)) = read {
            let lane = mask.trailing_zeros() as usize & 31;
            let mut found = self.lane_addresses(warp, group.frame, base, offset, frame);
            let space = Self::by_space(space, 1 << lane, &mut found).first().map_or(space, |part| part.0);
            if space != AddressSpace::Local {
                let spins = &mut warp.groups[at].spins;
                (spins.pc, spins.space, spins.address) = (group.pc, space, found[lane]);
            }
        }
        if let Some(look) = &mut warp.look {
            look.read |= read.is_some();
            look.met |= met;
        }
    }

    /// The launch is over: a group goes round a loop for ever.
    fn never_ends(&mut self, shared: &Shared, warp: &Warp, group: &Group) {
        let explanation = self.goes_round(shared, warp, group);
        let kind = FindingKind::EndlessLoop { explanation };
        self.report(shared, warp, group.pc, group.mask, kind, Severity::Fault);
        self.halt();
    }
}
