//! Before an operation that others can see: an explored schedule may stop some lanes there.

use super::order::Asker;
use crate::exec::block::Shared;
use crate::exec::context::Worker;
use crate::exec::warp::{Group, Since, State, Warp};
use crate::explore::Rank;
use crate::isa::op::{AddressSpace, Code, Op, Reg};
use crate::observe::Observer;
use crate::opcodes::Effect;

/// Does the order of lanes that execute it matter to others?
pub fn visible(code: &Code, op: &Op) -> bool {
    let shared = |space| !matches!(space, AddressSpace::Local | AddressSpace::Param | AddressSpace::Const);
    match op {
        Op::Load(index) | Op::Store(index) => shared(code.accesses[*index as usize].space),
        Op::Collective(index) => code.collectives[*index as usize].mask == Reg::None,
        // Who waits here is waited for; a schedule has nothing to add.
        Op::WarpBarrier { .. } | Op::Barrier(_) | Op::NanoSleep | Op::CopyCommit { .. } | Op::CopyWait { .. } => false,
        #[cfg(not(target_family = "wasm"))]
        Op::ClusterArrive { .. } | Op::ClusterWait { .. } => false,
        Op::Matrix(_) | Op::Discard(_) => false,
        #[cfg(not(target_family = "wasm"))]
        Op::Texture(_) => false,
        op => match op.effect(code) {
            Effect::Memory | Effect::Exchange | Effect::Synchronises => true,
            Effect::Pure | Effect::Flow | Effect::Nothing | Effect::NotSimulated => false,
        },
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Asks the schedule, once for each lane and operation. True if lanes stopped: somebody has to be chosen again.
    pub(in crate::exec::schedule) fn preempt(&mut self, shared: &Shared, warp: &mut Warp, at: usize) -> bool {
        let Some(control) = &mut self.control else { return false };
        let group = warp.groups[at];
        if group.mask & !warp.asked == 0 {
            warp.asked &= !group.mask;
            for lane in (0..32).filter(|lane| group.mask >> lane & 1 != 0) {
                warp.done[lane] += 1;
            }
            return false;
        }
        warp.asked |= group.mask;
        let done = warp.done;
        let code = &self.context.decoded.code;
        let op = code.insts.get(group.pc as usize).map(|inst| &inst.op);
        let polls = match op {
            Some(Op::Load(index)) => code.accesses[*index as usize].may_spin,
            Some(Op::Atomic(index)) => code.atomics[*index as usize].may_spin,
            _ => false,
        };
        let (pc, lanes) = warp.polled;
        let waited = if pc == group.pc { 0 } else { lanes & group.mask };
        warp.polled = match polls {
            true if pc == group.pc => (pc, lanes | group.mask),
            true => (group.pc, group.mask),
            false => (pc, lanes & !group.mask),
        };
        let holds = self.writers.taken((shared.linear, warp.index), group.mask);
        let too_late = code.insts.get(group.pc as usize).zip(self.late.as_ref()).is_some_and(|(inst, late)| {
            let mask = || warp.guarded(inst, group.frame, group.mask);
            late.too_late(code, (shared.linear, warp.index), mask, &inst.op)
        });
        let atomic = matches!(op, Some(Op::Atomic(_)));
        let after = warp.numbered & group.mask;
        // A number is what an atomic on global memory gives. Who has taken a lock is stopped for other reasons.
        let (answers, global) = match op {
            Some(Op::Atomic(index)) => {
                let atomic = &code.atomics[*index as usize];
                (atomic.answers, atomic.space != AddressSpace::Shared)
            }
            _ => (false, false),
        };
        let counts = answers && global && !polls;
        warp.numbered = if counts { warp.numbered | group.mask } else { warp.numbered & !group.mask };
        let (block, warp_index) = (shared.linear, warp.index);
        let asker = Asker {
            block,
            warp: warp_index,
            group: &group,
            done: &done,
            holds,
            too_late,
            polls,
            waited,
            atomic,
            draws: answers && (global || polls),
            after: after != 0,
        };
        let stops = control.decide(&asker);
        warp.groups[at].since = Since::Asked;
        let mut stopped = false;
        for (lanes, rank) in stops {
            let lanes = lanes & group.mask;
            if lanes == 0 {
                continue;
            }
            stopped = true;
            control.note(&asker, lanes, lanes == warp.live(), rank, group.pc);
            if rank == Rank::Aside {
                control.aside.step(block, self.clock);
                continue;
            }
            let number = control.rank(rank);
            move_lanes(warp, &group, lanes, rank, number);
        }
        if !stopped {
            return self.preempt(shared, warp, at);
        }
        true
    }
}

/// Gives lanes a new rank; those that were together with others become a group of their own, for which nobody waits at a
/// reconvergence point.
fn move_lanes(warp: &mut Warp, place: &Group, lanes: u32, rank: Rank, number: u64) {
    // Earlier preemptions at this place may have split the group. Who leaves may complete meetings, which merges groups:
    // only after the walk.
    let mut left = Vec::new();
    for at in 0..warp.groups.len() {
        let group = warp.groups[at];
        let here = group.state == State::Ready && group.pc == place.pc && group.frame == place.frame;
        let part = group.mask & lanes;
        if !here || part == 0 {
            continue;
        }
        let mut moved = Group { mask: part, ..group };
        match rank {
            Rank::InWarp(turn) => moved.turn = turn,
            Rank::Last | Rank::Among(_) | Rank::Aside => moved.rank = number,
        }
        let alone = part == warp.live();
        if !alone {
            warp.clans += 1;
            moved.clan = warp.clans;
        }
        if part == group.mask {
            warp.groups[at] = moved;
        } else {
            warp.groups[at].mask &= !part;
            warp.groups.push(moved);
        }
        if !alone {
            left.push((part, moved.clan));
        }
    }
    for (part, clan) in left {
        warp.leave(part, clan);
    }
}
