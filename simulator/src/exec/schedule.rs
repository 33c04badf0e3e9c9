//! Who goes next: lane groups within a warp.
//!
//! * `Its`: the group with the lowest program counter, so that diverged lanes meet where the code joins; lanes wait for
//!   each other at immediate post-dominators. A group that only waits (it loops over volatile loads, atomics or
//!   `nanosleep`) hands over, and if nobody else can run, those who wait at a join go on alone.
//! * `PreVolta`: the same joins, but nobody ever leaves one early: lanes in lockstep.
//! * `Adversarial`: no joins. Groups are split and ordered by the seed.

use super::block::{Shared, WarpTurn};
use super::context::{Flow, Worker};
use super::lanes::{self, Stop, Tally};
use super::warp::{Group, Meeting, State, Warp};
use crate::config::Schedule;
use crate::isa::op::{NO_GUARD, NOWHERE, Op};
use crate::observe::Observer;
use crate::{FindingKind, Severity};

/// Warp instructions before another warp of the block gets its turn.
const QUANTUM: u64 = 1 << 16;
/// Steps between two looks at the launch's shared count.
const REPORT: u64 = 1 << 14;

impl Warp {
    /// Splits the group: `mask` stays at its place in `groups`, the others become a group at the next operation.
    pub fn split(&mut self, at: usize, mask: u32) {
        let group = self.groups[at];
        let rest = group.mask & !mask;
        if rest != 0 {
            self.groups.push(Group { mask: rest, pc: group.pc + 1, ..group });
            self.groups[at].mask = mask;
        }
    }

    /// Joins ready groups that are at the same place.
    pub fn merge(&mut self) {
        let mut at = 0;
        while at < self.groups.len() {
            let mut other = at + 1;
            while other < self.groups.len() {
                let (a, b) = (self.groups[at], self.groups[other]);
                if a.state == State::Ready && b.state == State::Ready && a.pc == b.pc && a.frame == b.frame {
                    self.groups[at].mask |= b.mask;
                    self.groups[at].turn = a.turn.min(b.turn);
                    self.groups.swap_remove(other);
                } else {
                    other += 1;
                }
            }
            at += 1;
        }
    }

    /// Lanes that will never come to a meeting.
    fn forget(&mut self, lanes: u32) {
        for meeting in &mut self.meetings {
            meeting.members &= !lanes;
        }
        self.settle();
    }

    /// Lets complete meetings go on.
    fn settle(&mut self) {
        let mut at = 0;
        while at < self.meetings.len() {
            let meeting = self.meetings[at];
            let here =
                |group: &Group| group.state == State::Joining && group.pc == meeting.pc && group.frame == meeting.frame;
            let arrived = self.groups.iter().filter(|group| here(group)).fold(0, |mask, group| mask | group.mask);
            if meeting.members & !arrived == 0 {
                self.meetings.swap_remove(at);
                let mut first = None;
                let mut index = 0;
                while index < self.groups.len() {
                    if here(&self.groups[index]) {
                        match first {
                            None => {
                                self.groups[index].state = State::Ready;
                                self.groups[index].pc += 1;
                                self.groups[index].turn = 0;
                                first = Some(index);
                            }
                            Some(first) => {
                                let mask = self.groups[index].mask;
                                let to: &mut Group = &mut self.groups[first];
                                to.mask |= mask;
                                self.groups.swap_remove(index);
                                continue;
                            }
                        }
                    }
                    index += 1;
                }
            } else {
                at += 1;
            }
        }
    }
}

/// What is wrong when `came` wait at a barrier for `missing`.
pub fn stray(id: u32, came: u32, missing: u32) -> String {
    format!("lanes {came:#010x} of the warp reach barrier {id} without lanes {missing:#010x}")
}

impl<O: Observer> Worker<'_, O> {
    /// An adversarial schedule?
    pub fn adversarial(&self) -> bool {
        matches!(self.context.config.schedule, Schedule::Adversarial { .. })
    }

    fn seed(&self) -> Option<u64> {
        match self.context.config.schedule {
            Schedule::Adversarial { seed } => Some(seed),
            _ => None,
        }
    }

    /// Warps in reverse order?
    pub fn warps_reversed(&mut self) -> bool {
        match self.seed() {
            Some(3 | 7) => true,
            Some(seed) if seed > 7 => self.below(2) == 1,
            _ => false,
        }
    }

    /// Lanes of a group came together (or started): an adversarial schedule may pull them apart again.
    ///
    /// Seeds 0 to 7: lanes reversed; lane 0 ahead; last lane ahead; warps reversed; blocks reversed; upper half ahead;
    /// lanes in order, one by one; lanes, warps and blocks reversed.
    pub fn converged(&mut self, warp: &mut Warp, at: usize) {
        let Some(seed) = self.seed() else { return };
        let mask = warp.groups[at].mask;
        if mask.count_ones() < 2 {
            return;
        }
        let mut parts: Vec<u32> = Vec::new();
        let each = (0..32).map(|lane| mask & 1 << lane).filter(|&lane| lane != 0);
        match seed {
            0 | 7 => parts.extend(each.rev()),
            1 => {
                let first = mask & mask.wrapping_neg();
                parts.extend([first, mask & !first]);
            }
            2 => {
                let last = 1 << (31 - mask.leading_zeros());
                parts.extend([last, mask & !last]);
            }
            5 => parts.extend([mask & 0xffff_0000, mask & 0xffff]),
            6 => parts.extend(each),
            _ => return,
        }
        parts.retain(|&part| part != 0);
        let group = warp.groups[at];
        warp.groups[at].mask = parts[0];
        warp.groups[at].turn = 0;
        for (order, &mask) in parts.iter().enumerate().skip(1) {
            warp.groups.push(Group { mask, turn: order as u32, ..group });
        }
    }

    /// Before an operation that others can see: a random schedule may split the group or let another go first.
    fn preempt(&mut self, warp: &mut Warp, at: usize) -> bool {
        if self.seed().is_none_or(|seed| seed < 8) || self.below(8) != 0 {
            return false;
        }
        let group = warp.groups[at];
        if group.mask.count_ones() > 1 && self.below(2) == 0 {
            let part = group.mask & self.below(u32::MAX);
            if part != 0 && part != group.mask {
                warp.groups[at].mask = part;
                warp.groups[at].turn = self.below(1 << 16);
                let turn = self.below(1 << 16);
                warp.groups.push(Group { mask: group.mask & !part, turn, ..group });
                return true;
            }
        }
        warp.groups[at].turn = self.below(1 << 16);
        true
    }

    fn pick(&self, warp: &mut Warp) -> Option<usize> {
        if warp.groups.len() > 1 && !self.adversarial() {
            warp.merge();
        }
        let ready = warp.groups.iter().enumerate().filter(|(_, group)| group.state == State::Ready);
        if self.adversarial() {
            ready.min_by_key(|(_, group)| group.turn).map(|(at, _)| at)
        } else {
            ready.min_by_key(|(_, group)| (group.turn, group.pc)).map(|(at, _)| at)
        }
    }

    /// Lets those at a join go on without the rest.
    fn release(&mut self, shared: &Shared, warp: &mut Warp) -> bool {
        if self.context.config.schedule == Schedule::PreVolta {
            return false;
        }
        let joining = warp.groups.iter().enumerate().filter(|(_, group)| group.state == State::Joining);
        let Some(at) = joining.min_by_key(|(_, group)| group.pc).map(|(at, _)| at) else { return false };
        let group = warp.groups[at];
        if !self.only_exits(group.pc) {
            self.left_behind(shared, warp, group);
        }
        warp.groups[at].state = State::Ready;
        warp.groups[at].pc += 1;
        for meeting in &mut warp.meetings {
            if meeting.pc == group.pc && meeting.frame == group.frame {
                meeting.members &= !group.mask;
            }
        }
        warp.meetings.retain(|meeting| meeting.members != 0);
        warp.settle();
        true
    }

    /// `group` goes on from a join without lanes that wait for it at a barrier: they diverged on the way.
    fn left_behind(&mut self, shared: &Shared, warp: &Warp, group: Group) {
        let same = |meeting: &&super::warp::Meeting| meeting.pc == group.pc && meeting.frame == group.frame;
        let members = warp.meetings.iter().find(same).map_or(0, |meeting| meeting.members);
        for held in warp.groups.iter().filter(|held| held.mask & members != 0) {
            let kind = match held.state {
                State::Barrier(id) if self.context.config.checks.barriers && self.aligned(held.pc) => {
                    FindingKind::DivergentBarrier { explanation: stray(id, held.mask, group.mask) }
                }
                State::Converging if group.mask & self.asked(warp, held) != 0 => {
                    let explanation = format!(
                        "lanes {:#010x} wait for lanes {:#010x}, which went another way",
                        held.mask,
                        group.mask & self.asked(warp, held)
                    );
                    FindingKind::SyncMask { explanation }
                }
                _ => continue,
            };
            self.report(shared, warp, held.pc, held.mask, kind, Severity::Error);
        }
    }

    fn aligned(&self, pc: u32) -> bool {
        let code = &self.context.decoded.code;
        matches!(code.insts[pc as usize].op, Op::Barrier(index) if code.barriers[index as usize].aligned)
    }

    /// Nothing but the end of the thread follows: whoever waits at a barrier meanwhile does not miss those lanes.
    fn only_exits(&self, pc: u32) -> bool {
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
                    let ours = |meeting: &super::warp::Meeting| {
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

    /// Runs a warp until it blocks, waits, is done or has had its time.
    pub fn run_warp(&mut self, shared: &mut Shared, warp: &mut Warp) -> WarpTurn {
        let start = self.clock;
        let mut idle = 0;
        loop {
            if warp.live() == 0 {
                return WarpTurn::Done;
            }
            let pre_volta = self.context.config.schedule == Schedule::PreVolta;
            if pre_volta && warp.groups.iter().any(|group| matches!(group.state, State::Barrier(_))) {
                return WarpTurn::Blocked;
            }
            let Some(at) = self.pick(warp) else {
                if self.release(shared, warp) {
                    continue;
                }
                return WarpTurn::Blocked;
            };
            let flow = self.run_group(shared, warp, at, start + QUANTUM);
            if self.stopped {
                return WarpTurn::Stop;
            }
            match flow {
                Flow::Stop => return WarpTurn::Stop,
                Flow::Spin => {
                    let turn = warp.groups.iter().map(|group| group.turn).max().unwrap_or(0);
                    if let Some(group) = warp.groups.get_mut(at) {
                        group.turn = turn + 1;
                    }
                    if pre_volta {
                        return WarpTurn::Spin;
                    }
                    idle += 1;
                    let ready = warp.groups.iter().filter(|group| group.state == State::Ready).count();
                    if idle >= ready && !self.release(shared, warp) {
                        return WarpTurn::Spin;
                    }
                }
                _ => {}
            }
            if self.clock >= start + QUANTUM {
                // Whoever has run that long lets the other lanes of its warp go first.
                let turn = warp.groups.iter().map(|group| group.turn).max().unwrap_or(0);
                if let Some(group) = warp.groups.get_mut(at) {
                    group.turn = turn + 1;
                }
                return WarpTurn::Yield;
            }
        }
    }

    fn tally(&mut self, pc: u32, tally: &Tally) {
        let Tally { instructions, threads, flops, branches } = *tally;
        self.count(pc, |c| {
            c.instructions += instructions;
            c.thread_instructions += threads;
            c.flops += flops;
            c.branches += branches;
        });
        self.clock += instructions;
        self.unreported += instructions;
    }

    /// Is the launch to go on?
    fn within_limits(&mut self, shared: &Shared, warp: &Warp, pc: u32) -> bool {
        use std::sync::atomic::Ordering::Relaxed;
        let total = self.context.steps.fetch_add(self.unreported, Relaxed) + self.unreported;
        self.unreported = 0;
        if self.context.stop.load(Relaxed) {
            self.stopped = true;
            return false;
        }
        let limit = self.context.config.limits.steps;
        if total >= limit {
            self.fault(shared, warp, pc, warp.live(), FindingKind::StepLimit { limit });
            return false;
        }
        true
    }

    fn run_group(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, until: u64) -> Flow {
        let context = self.context;
        let by_line = !self.lines.is_empty();
        loop {
            let mut group = warp.groups[at];
            let left = until.saturating_sub(self.clock).max(1);
            let fuel = if by_line { 1 } else { left.min(REPORT) };
            let first = group.pc;
            let mut tally = Tally::default();
            let stop = lanes::run(context, warp, &mut group, shared.index, &mut tally, self.clock, fuel);
            self.tally(first, &tally);
            // Uncounted operations in an endless loop would otherwise never use up the limit.
            if tally.instructions == 0 && stop == Stop::Fuel {
                self.unreported += u64::from(!by_line);
            }
            warp.groups[at] = group;
            if self.unreported >= REPORT && !self.within_limits(shared, warp, group.pc) {
                return Flow::Stop;
            }
            let flow = match stop {
                Stop::Fuel if self.clock >= until => return Flow::Switch,
                Stop::Fuel => continue,
                Stop::Spin => return Flow::Spin,
                Stop::Slow => self.slow(shared, warp, at),
            };
            if flow != Flow::Continue {
                return flow;
            }
            if self.clock >= until {
                return Flow::Switch;
            }
        }
    }

    /// Executes an operation that [`lanes::run`] leaves to others.
    fn slow(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize) -> Flow {
        let code = &self.context.decoded.code;
        let group = warp.groups[at];
        let Some(&inst) = code.insts.get(group.pc as usize) else {
            let target = group.pc.into();
            return self.fault(shared, warp, 0, group.mask, FindingKind::BadJump { target });
        };
        let visible = matches!(
            inst.op,
            Op::Load(_) | Op::Store(_) | Op::Atomic(_) | Op::CopyAsync(_) | Op::Mbarrier(_) | Op::Fence(_)
        );
        if visible && self.adversarial() && self.preempt(warp, at) {
            return Flow::Switch;
        }
        let mask = warp.guarded(&inst, group.frame, group.mask);
        // Instructions that wait are counted once, when they have their lanes.
        let waits = matches!(inst.op, Op::Collective(_) | Op::WarpBarrier { .. } | Op::Matrix(_) | Op::Join);
        if !waits {
            self.counted(group.pc, inst.counted, mask);
        }
        match inst.op {
            Op::Join => self.join(warp, at),
            Op::Bra { target, join } => {
                let taken = mask;
                let not_taken = group.mask & !mask;
                self.count(group.pc, |c| {
                    c.branches += 1;
                    c.divergent_branches += u64::from(taken != 0 && not_taken != 0);
                });
                if taken != 0 && target == NOWHERE {
                    let kind = FindingKind::BadJump { target: u64::from(u32::MAX) };
                    return self.fault(shared, warp, group.pc, taken, kind);
                }
                self.diverge(warp, at, &[(taken, target), (not_taken, group.pc + 1)], join)
            }
            Op::BrIndexed(index) => {
                let op = &code.indexed[index as usize];
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
                let many = ways.iter().filter(|(mask, _)| *mask != 0).count() > 1;
                self.count(group.pc, |c| {
                    c.branches += 1;
                    c.divergent_branches += u64::from(many);
                });
                self.diverge(warp, at, &ways, op.join)
            }
            Op::Call(index) => self.call(shared, warp, at, mask, index),
            Op::Ret => self.ret(warp, at, mask),
            Op::Exit => self.exit(shared, warp, at, mask),
            Op::Trap if mask != 0 => self.fault(shared, warp, group.pc, mask, FindingKind::Trap),
            Op::Unsupported(index) if mask != 0 => {
                let instruction = code.unsupported[index as usize].clone();
                self.fault(shared, warp, group.pc, mask, FindingKind::Unsupported { instruction })
            }
            Op::Barrier(index) => self.barrier(shared, warp, at, inst, mask, &code.barriers[index as usize]),
            Op::Collective(_) | Op::WarpBarrier { .. } | Op::Matrix(_) => self.converge(shared, warp, at, inst, mask),
            _ if mask == 0 => {
                warp.groups[at].pc += 1;
                Flow::Continue
            }
            Op::Load(index) => self.load(shared, warp, at, mask, &code.accesses[index as usize]),
            Op::Store(index) => self.store(shared, warp, at, mask, &code.accesses[index as usize]),
            Op::Atomic(index) => self.atomic(shared, warp, at, mask, &code.atomics[index as usize]),
            Op::CopyAsync(index) => self.copy(shared, warp, at, mask, &code.copies[index as usize]),
            Op::Mbarrier(index) => self.mbarrier(shared, warp, at, mask, &code.mbarriers[index as usize]),
            Op::Fence(index) => {
                if O::ACTIVE {
                    let op = code.fences[index as usize];
                    self.observer.fence(shared.warp(warp.index), mask, op.order, op.scope);
                }
                warp.groups[at].pc += 1;
                Flow::Continue
            }
            Op::NanoSleep => {
                warp.groups[at].pc += 1;
                Flow::Spin
            }
            Op::ActiveMask { d } => {
                let reg = crate::isa::op::Reg::R32(d);
                warp.write(group.frame, reg, mask, &[mask.into(); 32]);
                warp.groups[at].pc += 1;
                Flow::Continue
            }
            Op::Elect { d, p, mask: members } => {
                use crate::isa::op::Reg;
                let members = warp.read(group.frame, Reg::R32(members))[mask.trailing_zeros() as usize] as u32;
                let leader = if members & mask != 0 { members & mask } else { mask }.trailing_zeros();
                let elected = std::array::from_fn(|lane| u64::from(lane as u32 == leader));
                warp.write(group.frame, Reg::R32(d), mask, &[leader.into(); 32]);
                warp.write(group.frame, Reg::P(p), mask, &elected);
                warp.groups[at].pc += 1;
                Flow::Continue
            }
            _ => {
                warp.groups[at].pc += 1;
                Flow::Continue
            }
        }
    }

    /// Counts an instruction.
    pub fn counted(&mut self, pc: u32, counted: u8, mask: u32) {
        if counted != 0 {
            self.tally(pc, &Tally { instructions: 1, threads: mask.count_ones().into(), ..Tally::default() });
        }
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
        for &(mask, pc) in ways {
            warp.groups.push(Group { mask, pc, ..group });
        }
        if !self.adversarial() {
            let frame = warp.frames[group.frame as usize];
            let (pc, frame) = if join != NOWHERE { (join, group.frame) } else { (frame.return_pc, frame.parent) };
            if pc != NOWHERE {
                let known = warp.meetings.iter_mut().find(|meeting| meeting.pc == pc && meeting.frame == frame);
                match known {
                    Some(meeting) => meeting.members |= group.mask,
                    None => warp.meetings.push(Meeting { pc, frame, members: group.mask }),
                }
            }
        }
        Flow::Switch
    }

    fn join(&mut self, warp: &mut Warp, at: usize) -> Flow {
        let group = warp.groups[at];
        let meeting =
            warp.meetings.iter().find(|meeting| meeting.pc == group.pc && meeting.frame == group.frame).copied();
        match meeting {
            Some(meeting) if meeting.members & group.mask != 0 && !self.adversarial() => {
                if meeting.members & !group.mask == 0 {
                    warp.meetings.retain(|m| !(m.pc == group.pc && m.frame == group.frame));
                    warp.groups[at].pc += 1;
                    return Flow::Switch;
                }
                warp.groups[at].state = State::Joining;
                warp.settle();
                Flow::Switch
            }
            _ => {
                warp.groups[at].pc += 1;
                Flow::Continue
            }
        }
    }

    fn exit(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, mask: u32) -> Flow {
        let group = warp.groups[at];
        if mask == 0 {
            warp.groups[at].pc += 1;
            return Flow::Continue;
        }
        if O::ACTIVE {
            self.observer.exit(shared.warp(warp.index), mask);
        }
        warp.exited |= mask;
        shared.live[warp.index as usize] = warp.live();
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

    /// Explains who waits for whom, after nobody in the block could run.
    pub fn deadlock(&mut self, block: &super::block::Block) {
        let mut text = String::new();
        let mut first: Option<(&Warp, Group)> = None;
        for warp in &block.warps {
            for group in &warp.groups {
                let what = match group.state {
                    State::Barrier(id) => {
                        let barrier = &block.shared.barriers[id as usize];
                        let missing: Vec<String> = barrier
                            .arrived
                            .iter()
                            .zip(&block.shared.live)
                            .enumerate()
                            .filter(|(_, (arrived, live))| *live & !*arrived != 0)
                            .map(|(index, (arrived, live))| format!("lanes {:#010x} of warp {index}", live & !arrived))
                            .take(4)
                            .collect();
                        format!("at barrier {id} for {}", missing.join(", "))
                    }
                    State::Converging => format!("at a *.sync instruction for {}", self.awaited(warp, group)),
                    State::Joining => "for the lanes of its warp to come together".into(),
                    State::Ready => continue,
                };
                let named = first.is_some_and(|(_, first): (&Warp, Group)| first.state == State::Converging);
                if first.is_none() || group.state == State::Converging && !named {
                    first = Some((warp, *group));
                }
                if text.len() < 600 {
                    let origin = self.context.decoded.code.origins[group.pc as usize];
                    let (_, line) = self.context.decoded.code.lines[origin.line as usize];
                    let place = if line > 0 { format!("line {line}") } else { format!("PTX line {}", origin.ptx_line) };
                    if !text.is_empty() {
                        text.push_str("; ");
                    }
                    text.push_str(&format!("lanes {:#010x} of warp {} wait in {place} {what}", group.mask, warp.index));
                }
            }
        }
        if let Some((warp, group)) = first {
            let kind = match group.state {
                State::Converging => FindingKind::SyncMask { explanation: text },
                _ => FindingKind::Deadlock { explanation: text },
            };
            self.report(&block.shared, warp, group.pc, group.mask, kind, Severity::Fault);
        }
        self.halt();
    }
}
