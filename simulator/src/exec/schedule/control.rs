//! Branches that lanes take differently, and the end of lanes.

use super::super::block::Shared;
use super::super::context::{Flow, Worker};
use super::super::warp::{Group, Meeting, Since, Warp};
use crate::FindingKind;
use crate::isa::op::{IndexedBranch, NOWHERE, Reg};
use crate::observe::Observer;

impl<O: Observer> Worker<'_, O> {
    /// A branch to `target` for the lanes of `mask`, to meet again at `join`.
    pub(super) fn branch(
        &mut self,
        shared: &mut Shared,
        warp: &mut Warp,
        at: usize,
        mask: u32,
        (target, join): (u32, u32),
    ) -> Flow {
        let group = warp.groups[at];
        let not_taken = group.mask & !mask;
        if mask != 0 && not_taken != 0 {
            self.profile.parted(group.pc as usize);
        }
        if mask != 0 && target == NOWHERE {
            let kind = FindingKind::BadJump { target: u64::from(u32::MAX) };
            return self.fault(shared, warp, group.pc, mask, kind);
        }
        self.diverge(warp, at, &[(mask, target), (not_taken, group.pc + 1)], join)
    }

    /// A branch to one of many targets, by a register.
    pub(super) fn indexed(
        &mut self,
        shared: &mut Shared,
        warp: &mut Warp,
        at: usize,
        mask: u32,
        op: &IndexedBranch,
    ) -> Flow {
        let group = warp.groups[at];
        let lanes = warp.read(group.frame, op.index);
        let mut ways: Vec<(u32, u32)> = vec![(group.mask & !mask, group.pc + 1)];
        for (lane, &index) in lanes.iter().enumerate().filter(|(lane, _)| mask >> lane & 1 != 0) {
            let Some(&target) = op.targets.get(index as usize).filter(|&&target| target != NOWHERE) else {
                let kind = FindingKind::BadJump { target: index };
                return self.fault(shared, warp, group.pc, 1 << lane, kind);
            };
            match ways.iter_mut().find(|(_, pc)| *pc == target) {
                Some((mask, _)) => *mask |= 1 << lane,
                None => ways.push((1 << lane, target)),
            }
        }
        if ways.iter().filter(|(mask, _)| *mask != 0).count() > 1 {
            self.profile.parted(group.pc as usize);
        }
        self.diverge(warp, at, &ways, op.join)
    }

    /// A jump that is declared uniform: `others` are the lanes that part from the rest.
    pub(super) fn stays_uniform(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, others: u32) -> Flow {
        if others != 0 {
            let what = "lanes of a warp part at a jump that is declared uniform (.uni)".to_owned();
            let pc = warp.groups[at].pc;
            return self.fault(shared, warp, pc, others, FindingKind::BrokenPromise { what });
        }
        warp.groups[at].pc += 1;
        Flow::Continue
    }

    /// Sends the lanes of a group different ways, to meet again at `join`.
    pub fn diverge(&mut self, warp: &mut Warp, at: usize, ways: &[(u32, u32)], join: u32) -> Flow {
        let group = warp.groups[at];
        let mut ways = ways.iter().filter(|(mask, _)| *mask != 0);
        let Some(&(mask, pc)) = ways.next() else { return Flow::Switch };
        warp.groups[at].mask = mask;
        warp.groups[at].pc = pc;
        if mask == group.mask {
            return Flow::Continue;
        }
        let since = if group.since == Since::Together { Since::Parted } else { Since::Apart };
        for &(mask, pc) in ways {
            warp.groups.push(Group { mask, pc, since, ..group });
        }
        let frame = warp.frames[group.frame as usize];
        let (pc, frame) = if join != NOWHERE { (join, group.frame) } else { (frame.return_pc, frame.parent) };
        if pc != NOWHERE {
            let meets =
                |meeting: &&mut Meeting| meeting.pc == pc && meeting.frame == frame && meeting.clan == group.clan;
            match warp.meetings.iter_mut().find(meets) {
                Some(meeting) => meeting.members |= group.mask,
                None => warp.meetings.push(Meeting { pc, frame, members: group.mask, clan: group.clan }),
            }
        }
        Flow::Switch
    }

    pub(super) fn exit(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, mask: u32) -> Flow {
        let group = warp.groups[at];
        if mask == 0 {
            warp.groups[at].pc += 1;
            return Flow::Continue;
        }
        if O::ACTIVE {
            self.observer.exit(shared.warp(warp.index), mask);
        }
        self.never_came(shared, warp, mask);
        warp.exited |= mask;
        warp.strayed &= !mask;
        shared.live[warp.index as usize] = warp.live();
        shared.moved = true;
        self.cluster_exit(shared, warp.index, mask);
        let mut frame = group.frame;
        while frame != u32::MAX {
            warp.frames[frame as usize].lanes &= !mask;
            frame = warp.frames[frame as usize].parent;
        }
        if mask == group.mask {
            warp.groups.swap_remove(at);
        } else {
            warp.groups[at].mask &= !mask;
            warp.groups[at].pc += 1;
        }
        warp.forget(mask);
        self.recheck_converging(shared, warp);
        Flow::Switch
    }
}

/// Lanes of `mask` whose register has another value than the first one's.
pub(super) fn others(warp: &Warp, frame: u32, reg: Reg, mask: u32) -> u32 {
    let values = warp.read(frame, reg);
    let first = values[mask.trailing_zeros() as usize];
    let other = |lane: &usize| mask >> lane & 1 != 0 && values[*lane] != first;
    (0..32).filter(other).fold(0, |all, lane| all | 1 << lane)
}
