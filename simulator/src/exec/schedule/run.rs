//! Runs a warp group after group, within its time and the launch's limits.

use super::super::block::{Shared, WarpTurn};
use super::super::context::{Flow, Worker};
use super::super::direct::Direct;
use super::super::lanes::{self, LaneMachine, Stop};
use super::super::turns;
use super::super::warp::{Group, State, Warp};
use crate::config::Schedule;
use crate::finding::MANY_TURNS;
use crate::isa::op::{Inst, Op};
use crate::observe::Observer;
use crate::{FindingKind, Poll};

/// Warp instructions before another warp of the block gets its turn.
pub(super) const QUANTUM: u64 = 1 << 16;
/// Operations that are looked through at most for one of which something is asked.
const RUN: usize = 64;
/// Steps between two looks at the launch's shared count.
const REPORT: u64 = 1 << 14;

/// Operations from `pc` on at which nothing is to be looked at, up to where they branch.
pub(in crate::exec) fn quiet(insts: &[Inst], pc: u32, is_quiet: impl Fn(usize) -> bool) -> u64 {
    let mut branched = false;
    let quiet = (pc as usize..insts.len()).take(RUN).take_while(|&at| {
        let goes_on = !branched && is_quiet(at);
        branched |= matches!(insts[at].op, Op::Bra { .. });
        goes_on
    });
    quiet.count() as u64
}

impl<O: Observer> Worker<'_, O> {
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
                    self.look(warp, at);
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
                self.ran_long(warp);
                // Whoever has run that long lets the other lanes of its warp go first.
                let turn = warp.groups.iter().map(|group| group.turn).max().unwrap_or(0);
                if let Some(group) = warp.groups.get_mut(at) {
                    group.turn = turn + 1;
                }
                return WarpTurn::Yield;
            }
        }
    }

    /// Counts an operation that `group` executed, of whose lanes `mask` have a true guard.
    pub fn counted(&mut self, warp: &Warp, group: &Group, mask: u32) {
        let pc = group.pc as usize;
        if let Some(block) = self.traced {
            self.record(block, warp, group, mask);
        }
        self.profile.span(pc, pc + 1, group.mask.count_ones().into());
        self.profile.off(pc, group.mask & !mask);
        let instructions = u64::from(self.context.decoded.code.insts[pc].counted);
        self.clock += instructions;
        self.unreported += instructions;
    }

    /// Is the launch to go on?
    fn within_limits(&mut self, shared: &Shared, warp: &Warp, at: usize) -> bool {
        use std::sync::atomic::Ordering::Relaxed;
        let total = self.context.steps.fetch_add(self.unreported, Relaxed) + self.unreported;
        self.unreported = 0;
        if self.context.stop.load(Relaxed) {
            self.stopped = true;
            return false;
        }
        if self.context.is_interrupted() {
            let (pc, turns, polls) = self.stopped_at(shared, warp, at);
            let kind = FindingKind::interrupted(turns, polls);
            self.fault(shared, warp, pc, warp.live(), kind);
            return false;
        }
        if self.observer.strayed() == Some(true) {
            self.halt();
            return false;
        }
        if self.ends_undefined(total) {
            return false;
        }
        let limit = self.context.config.limits.steps;
        if total >= limit {
            let (pc, turns, polls) = self.stopped_at(shared, warp, at);
            let kind = FindingKind::StepLimit { limit, turns, polls };
            self.fault(shared, warp, pc, warp.live(), kind);
            return false;
        }
        true
    }

    /// Where a group is stopped: the last operation of the loop that does not end, its turns, and what it polls. After a few turns it may
    /// end soon, and the next operation says more.
    fn stopped_at(&self, shared: &Shared, warp: &Warp, at: usize) -> (u32, u64, Vec<Poll>) {
        let group = &warp.groups[at];
        let round = warp.rounds.endless(&warp.places(group)).unwrap_or_default();
        let pc = if round.turns < MANY_TURNS { group.pc } else { round.source };
        (pc, round.turns, self.polls_now(shared, warp))
    }

    /// The lanes of a group whose guard is true.
    fn guarded(&self, warp: &Warp, group: &Group) -> u32 {
        let inst = self.context.decoded.code.insts.get(group.pc as usize);
        inst.map_or(0, |inst| warp.guarded(inst, group.frame, group.mask))
    }

    /// Records an operation of `group`, if it is an instruction.
    #[cold]
    fn record(&mut self, block: u64, warp: &Warp, group: &Group, active: u32) {
        let code = &self.context.decoded.code;
        if let Some(trace) = &mut self.trace
            && code.insts[group.pc as usize].counted != 0
        {
            trace.record(code, block, warp, group, active);
        }
    }

    /// What an operation of `group` is about to compute with.
    #[cold]
    fn sources(&self, warp: &Warp, group: &Group) -> turns::Sources {
        let code = &self.context.decoded.code;
        let inst = code.insts.get(group.pc as usize);
        inst.map_or([[0; 32]; 2], |inst| turns::sources(code, inst, warp, group.frame))
    }

    /// Operations from `pc` on that nothing is asked of any more, up to where they branch.
    fn unasked(&self, pc: u32) -> u64 {
        let decoded = self.context.decoded;
        quiet(&decoded.code.insts, pc, |at| turns::is_settled(decoded.turns()[at], self.conditions[at]))
    }

    /// How many operations may run before one of which something is asked, and what that one is about to compute with: its lanes, and
    /// their sources.
    fn asked_of(&mut self, shared: &Shared, warp: &Warp, group: &Group) -> (u64, Option<(u32, turns::Sources)>) {
        #[cfg(not(target_family = "wasm"))]
        if self.steer.is_some() {
            return (self.steered(shared, warp, group), None);
        }
        #[cfg(target_family = "wasm")]
        let _ = shared;
        // A page never asks.
        if cfg!(target_family = "wasm") || self.conditions.is_empty() {
            return (u64::MAX, None);
        }
        let unasked = self.unasked(group.pc);
        (unasked, (unasked == 0).then(|| (self.guarded(warp, group), self.sources(warp, group))))
    }

    /// What an operation of `group` came to.
    #[cold]
    fn note_condition(&mut self, warp: &Warp, group: &Group, active: u32, sources: &turns::Sources) {
        let decoded = self.context.decoded;
        let at = group.pc as usize;
        let met = turns::met(self.context, decoded.turns()[at], warp, group, active, sources);
        self.conditions[at].add(met);
    }

    /// Records that lanes passed a barrier, where that is asked for.
    pub fn record_barrier(&mut self, block: u64, warp: &Warp, lanes: u32) {
        if let Some(trace) = &mut self.trace {
            trace.barrier(&self.context.decoded.code, (block, warp), lanes);
        }
    }

    pub(super) fn run_group(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, until: u64) -> Flow {
        let began = self.clock;
        let flow = self.go_on(shared, warp, at, until);
        shared.ran += self.clock - began;
        flow
    }

    fn go_on(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, until: u64) -> Flow {
        let context = self.context;
        self.traced = self.trace.as_ref().filter(|trace| trace.wants(shared.linear, warp.index)).map(|_| shared.linear);
        let report = REPORT.min(context.config.limits.steps.max(1));
        loop {
            let before = warp.groups[at];
            let mut group = before;
            let left = until.saturating_sub(self.clock).max(1);
            let careful = O::ACTIVE && !warp.shadow.is_empty();
            if careful {
                self.careful(shared, warp, at);
            }
            let (unasked, noted) = self.asked_of(shared, warp, &before);
            let fuel = if careful || self.traced.is_some() || noted.is_some() {
                1
            } else {
                left.min(report.saturating_sub(self.unreported).max(1)).min(unasked)
            };
            let guarded = self.traced.map(|block| (block, self.guarded(warp, &before)));
            let by = shared.warp(warp.index);
            // An explored schedule may let others go before an operation that they can see; who waits or has run for long is
            // looked at, too.
            let looking = warp.look.is_some();
            let direct = !O::ACTIVE && !looking && !self.tracks();
            let mut machine = LaneMachine {
                context,
                block: shared.index,
                clock: self.clock,
                direct,
                looking,
                profile: &mut self.profile,
                memory: Direct {
                    global: self.global.lend(),
                    last: &mut self.last,
                    shared: &mut shared.bytes,
                    shared_low: context.shared_low(),
                    lines: &mut self.lines,
                    origins: &context.decoded.code.origins,
                    writers: &mut self.writers,
                    polls: &mut self.polls,
                    by,
                },
            };
            let (stop, instructions) = lanes::run(&mut machine, warp, &mut group, fuel);
            self.clock += instructions;
            self.unreported += instructions;
            // Uncounted operations in an endless loop would otherwise never use up the limit.
            self.unreported += u64::from(instructions == 0 && stop == Stop::Fuel && self.traced.is_none());
            if O::ACTIVE {
                self.observer.ran(by, instructions);
            }
            if let (Some((block, active)), 1) = (guarded, instructions) {
                self.record(block, warp, &before, active);
            }
            if let (Some((active, sources)), Stop::Fuel) = (&noted, stop) {
                self.note_condition(warp, &before, *active, sources);
            }
            warp.groups[at] = group;
            if self.unreported >= report && !self.within_limits(shared, warp, at) {
                return Flow::Stop;
            }
            let counted = self.clock;
            let flow = match stop {
                Stop::Fuel if self.clock >= until => return Flow::Switch,
                Stop::Fuel => continue,
                Stop::Spin => {
                    self.global.settle();
                    return Flow::Spin;
                }
                Stop::Turn => self.turned(shared, warp, at),
                Stop::Slow => self.slow(shared, warp, at),
            };
            if O::ACTIVE {
                self.observer.ran(by, self.clock - counted);
            }
            if flow != Flow::Continue {
                return flow;
            }
            if self.clock >= until {
                return Flow::Switch;
            }
        }
    }
}
