//! Branches that lanes take differently, and the end of lanes.

use super::super::block::Shared;
use super::super::context::{Flow, Worker};
use super::super::warp::{Group, Meeting, Since, Warp};
use crate::isa::op::NOWHERE;
use crate::observe::Observer;

impl<O: Observer> Worker<'_, O> {
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
        for &(mask, pc) in ways {
            warp.groups.push(Group { mask, pc, since: Since::Apart, ..group });
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
