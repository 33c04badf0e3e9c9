//! Lanes that others wait for and that never come: divergence at barriers.

use crate::exec::block::{Block, Shared};
use crate::exec::context::Worker;
use crate::exec::warp::{Group, Meeting, State, Warp};
use crate::isa::op::{NO_GUARD, Op};
use crate::observe::Observer;
use crate::{FindingKind, Severity};

/// What is wrong when `came` wait at a barrier for `missing`.
pub fn lanes_missing(id: u32, came: u32, missing: u32) -> String {
    format!("lanes {came:#010x} of the warp reach barrier {id} without lanes {missing:#010x}")
}

impl<O: Observer> Worker<'_, O> {
    /// `group` goes on from a join without lanes that wait for it at a barrier: they diverged on the way.
    pub(in crate::exec::schedule) fn left_behind(&mut self, shared: &Shared, warp: &mut Warp, group: Group) {
        if !self.context.config.checks.barriers {
            return;
        }
        let same = |meeting: &&Meeting| meeting.is_for(&group);
        let members = warp.meetings.iter().find(same).map_or(0, |meeting| meeting.members);
        let waiting = |held: &&Group| held.state == State::Converging && held.mask & members != 0;
        if warp.groups.iter().filter(waiting).any(|held| self.named(warp, held) & group.mask != 0) {
            warp.strayed |= group.mask;
        }
        let warp = &*warp;
        for held in warp.groups.iter().filter(|held| held.mask & members != 0) {
            let kind = match held.state {
                State::Barrier(id) if self.aligned(held.pc) => {
                    FindingKind::DivergentBarrier { explanation: lanes_missing(id, held.mask, group.mask) }
                }
                State::Converging if group.mask & self.asked(warp, held) != 0 => {
                    let explanation = format!(
                        "lanes {:#010x} wait for lanes {:#010x}, which went another way",
                        held.mask,
                        group.mask & self.asked(warp, held)
                    );
                    FindingKind::sync_mask(explanation)
                }
                _ => continue,
            };
            self.report(shared, warp, held.pc, held.mask, kind, Severity::Error);
        }
    }

    /// Lanes that exit while others wait for them at a `__syncwarp` that they went past will never come to it.
    pub(in crate::exec::schedule) fn never_came(&mut self, shared: &Shared, warp: &Warp, exiting: u32) {
        let gone = warp.strayed & exiting;
        if gone == 0 {
            return;
        }
        for at in 0..warp.groups.len() {
            let held = warp.groups[at];
            let missed = self.named(warp, &held) & gone;
            if held.state == State::Converging && missed != 0 {
                let explanation = format!(
                    "lanes {:#010x} wait for lanes {missed:#010x}, which went another way and ended without it",
                    held.mask
                );
                self.report(shared, warp, held.pc, held.mask, FindingKind::sync_mask(explanation), Severity::Error);
            }
        }
    }

    /// Lanes that wait at a barrier of the block while others of their warp wait for them at a warp-wide instruction behind it: these did
    /// not come to the barrier. Where the instruction is on the way to the barrier it is the other way round.
    pub(in crate::exec::schedule) fn parted_at_a_barrier<'b>(
        &self,
        block: &'b Block,
    ) -> Option<(&'b Warp, Group, FindingKind)> {
        let meets = |group: &&Group| group.state == State::Converging;
        let groups =
            block.warps.iter().flat_map(|warp| warp.groups.iter().filter(meets).map(move |group| (warp, group)));
        for (warp, group) in groups {
            let lacking = self.lacking(warp, group);
            for held in warp.groups.iter().filter(|held| held.mask & lacking != 0) {
                let State::Barrier(id) = held.state else { continue };
                if !self.aligned(held.pc) || !self.leads_to(warp, held, group.pc) {
                    continue;
                }
                let missing = lanes_missing(id, held.mask, group.mask);
                let explanation = format!("{missing}, which wait behind it for those at {}", self.meets_at(group));
                return Some((warp, *held, FindingKind::DivergentBarrier { explanation }));
            }
        }
        None
    }

    /// Does a way from where a group is, and without a branch back, come to an operation?
    fn leads_to(&self, warp: &Warp, group: &Group, to: u32) -> bool {
        let code = &self.context.decoded.code;
        // Behind a function its callers go on.
        let mut stack = warp.places(group);
        let mut seen = std::collections::HashSet::new();
        while let Some(pc) = stack.pop() {
            if pc == to {
                return true;
            }
            let Some(inst) = code.insts.get(pc as usize).filter(|_| seen.insert(pc)) else { continue };
            if let Op::Bra { target, .. } = inst.op
                && target > pc
            {
                stack.push(target);
            }
            let ends = matches!(inst.op, Op::Bra { .. } | Op::Ret | Op::Exit | Op::BrIndexed(_));
            if !ends || inst.guard != NO_GUARD {
                stack.push(pc + 1);
            }
        }
        false
    }

    fn aligned(&self, pc: u32) -> bool {
        let code = &self.context.decoded.code;
        matches!(code.insts[pc as usize].op, Op::Barrier(index) if code.barriers[index as usize].aligned)
    }

    /// Nothing but the end of the thread follows: whoever waits at a barrier meanwhile does not miss those lanes.
    pub(in crate::exec::schedule) fn only_exits(&self, pc: u32) -> bool {
        let code = &self.context.decoded.code;
        let rest = code.insts.get(pc as usize..).unwrap_or_default();
        rest.iter()
            .find(|inst| !matches!(inst.op, Op::Join))
            .is_some_and(|inst| matches!(inst.op, Op::Exit) && inst.guard == NO_GUARD)
    }

    /// Lanes of the warp that are not in `mask`, and would meet those of `mask` or come to a barrier before they exit.
    pub fn missing(&self, warp: &Warp, mask: u32) -> u32 {
        let others = warp.groups.iter().filter(|group| group.mask & mask == 0 && !self.leaves(warp, mask, group));
        others.fold(0, |missing, group| missing | group.mask)
    }

    /// Does every way from here end the thread, without a barrier or a join with lanes of `mask`?
    fn leaves(&self, warp: &Warp, mask: u32, group: &Group) -> bool {
        let code = &self.context.decoded.code;
        let (mut seen, mut stack) = (std::collections::HashSet::new(), vec![group.pc]);
        while let Some(pc) = stack.pop() {
            if !seen.insert(pc) {
                continue;
            }
            let Some(inst) = code.insts.get(pc as usize) else { return false };
            let goes_on = inst.guard != NO_GUARD;
            match inst.op {
                Op::Exit if !goes_on => {}
                Op::Barrier(_) | Op::Ret | Op::BrIndexed(_) => return false,
                Op::Join if !self.only_exits(pc) => {
                    let ours = |meeting: &Meeting| {
                        meeting.pc == pc && meeting.frame == group.frame && meeting.members & mask != 0
                    };
                    if warp.meetings.iter().any(ours) {
                        return false;
                    }
                    stack.push(pc + 1);
                }
                Op::Bra { target, .. } => {
                    stack.push(target);
                    if goes_on {
                        stack.push(pc + 1);
                    }
                }
                _ => stack.push(pc + 1),
            }
        }
        true
    }
}
