//! A grid: blocks become resident in order, take turns while they wait for each other, and leave.

use super::block::{Block, Turn};
use super::context::{Context, Worker};
use super::defined::Defined;
use super::turns::{ARGUMENT, EQUAL, FAILED, HELD, KEPT, LOST, Met, OTHER, SEEN, UNEQUAL, VARIED};
use crate::counters::{Counters, LineCounters};
use crate::coverage::{Condition, Covered, Question};
use crate::finding::{Finding, FindingKind, Severity};
use crate::isa::op::Op;
use crate::launch::{LaunchOrder, LaunchReport, LaunchStatus};
use crate::memory::view::View;
use crate::observe::Observer;
use crate::sanitizer::PUBLISHED;
use crate::trace::Trace;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a host thread hands back.
pub struct Outcome {
    lines: Vec<Counters>,
    /// By operation, when asked for.
    ran: Vec<[u64; 2]>,
    /// By operation, when asked for.
    conditions: Vec<Met>,
    #[cfg(not(target_family = "wasm"))]
    steered: Vec<crate::steer::Steered>,
    trace: Option<Trace>,
    findings: Vec<Finding>,
    writer: Option<crate::Place>,
    unkept: Option<(u64, crate::Place)>,
    printf: Vec<u8>,
    dropped: u64,
    dropped_at: Option<crate::Place>,
    order: Option<LaunchOrder>,
    busiest: u64,
    /// Blocks that have ended, and warp instructions.
    done: [u64; 2],
    watched: bool,
    /// What is known of undefined values.
    pub defined: Defined,
}

/// What a host thread does of a launch.
pub struct Part<'a> {
    /// The next block that nobody has taken.
    pub next: &'a AtomicU64,
    /// Blocks that it may have resident, by their slots.
    pub slots: std::ops::Range<u32>,
    /// Blocks that are its own from the start; it takes as many more at a time, one where there are none. Neighbours have
    /// neighbouring memory.
    pub first: std::ops::Range<u64>,
    /// Host threads that take from the row: towards the end fewer at a time, or the last one would keep the others waiting.
    pub hosts: u64,
}

impl<'a> Part<'a> {
    /// Of one that takes every block from the row.
    pub fn from_the_row(next: &'a AtomicU64, slots: std::ops::Range<u32>) -> Self {
        Self { next, slots, first: 0..0, hosts: 1 }
    }
}

/// Runs blocks until none is left. Several host threads may do so at once, each with resident blocks of its own.
pub fn work<O: Observer>(
    context: &Context<'_>,
    global: View<'_>,
    observer: &mut O,
    mut defined: Defined,
    part: Part<'_>,
) -> Outcome {
    defined.origins.launch_start();
    let mut worker = Worker::new(context, global, observer);
    worker.defined = defined;
    #[cfg(not(target_family = "wasm"))]
    if let Some(request) = &context.config.steer {
        worker.steer = Some(Box::new(super::steer::Steer::new(request, context.decoded)));
    }
    if worker.control.is_none() && context.clustered {
        worker.take_turns_in_clusters(part.next, part.slots);
    } else if worker.control.is_some() {
        worker.explore(part.next, part.slots);
        worker.come();
    } else {
        worker.take_turns(part);
    }
    worker.global.settle();
    worker.settle_doubts();
    let watched = worker.observer.launch_end();
    worker.defined.cells.launch_end();
    worker.profile.settle(&context.decoded.code, &mut worker.lines);
    Outcome {
        ran: if context.config.coverage { worker.profile.ran() } else { Vec::new() },
        lines: worker.lines,
        conditions: worker.conditions,
        #[cfg(not(target_family = "wasm"))]
        steered: worker.steer.map(|steer| steer.finish()).unwrap_or_default(),
        trace: worker.trace.map(|trace| trace.finish()),
        findings: worker.findings,
        writer: worker.writer,
        unkept: worker.unkept,
        printf: worker.printf,
        dropped: worker.dropped,
        dropped_at: worker.dropped_at,
        order: worker.control.map(|control| control.order(&context.decoded.code)),
        busiest: worker.busiest,
        done: [worker.ended, worker.clock],
        watched,
        defined: worker.defined,
    }
}

/// Takes up to `most` of `total` blocks from the row.
fn take(next: &AtomicU64, total: u64, most: u64, hosts: u64) -> std::ops::Range<u64> {
    let count = |first: u64| (total.saturating_sub(first) / (2 * hosts)).clamp(1, most);
    // The closure always gives a value, so both arms hold what was there.
    let first = next.fetch_update(Relaxed, Relaxed, |first| Some(first + count(first))).unwrap_or_else(|first| first);
    first..first + count(first)
}

/// A new block comes for so many that wait, at once.
pub const AT_ONCE: usize = 4;

impl<O: Observer> Worker<'_, O> {
    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        self.context.grid.iter().map(|&extent| u64::from(extent)).product()
    }

    /// The blocks have ended: what they did by atomics without a result is done now, where that was put down.
    fn end_row(&mut self, row: std::ops::Range<u64>) {
        let code = &self.context.decoded.code;
        self.global.end_row(row, |global, entry| {
            let Op::Atomic(index) = code.insts[entry.pc as usize].op else { return };
            let (op, allocation) = (&code.atomics[index as usize], &global.allocations[entry.allocation as usize]);
            let before = allocation.load(entry.offset, op.size);
            allocation.store(entry.offset, op.size, (op.f)(before, entry.operand, 0));
        });
    }

    fn take_turns(&mut self, part: Part<'_>) {
        let Part { next, mut slots, first: mut taken, hosts } = part;
        let in_a_row = (taken.end - taken.start).max(1);
        let mut row = taken.clone();
        // What other host threads do is not known here: there the step limit remains.
        let alone = slots.len() as u32 == self.context.config.resident_blocks.max(1);
        // Of a selection those of its list, else all.
        let config = self.context.config;
        let chosen = config.blocks.as_deref();
        let total = chosen.map_or_else(|| self.blocks(), |chosen| chosen.len() as u64);
        let number = |at: u64| chosen.map_or(at, |chosen| chosen[at as usize]);
        let share = self.observer.strayed().is_some();
        let mut resident: VecDeque<Block> = VecDeque::new();
        let mut free: Vec<(u32, Block)> = Vec::new();
        loop {
            // A new block if there is room and nobody who was there before can go on.
            let mut waited = true;
            for _ in 0..resident.len() {
                let Some(mut block) = resident.pop_front() else { break };
                let turn = self.run_block(&mut block);
                waited &= turn == Turn::Wait;
                match turn {
                    Turn::Done => free.push((block.shared.slot, block)),
                    // For whom it waits is not known here.
                    Turn::Wait | Turn::Yield if share => {
                        self.halt();
                        return;
                    }
                    Turn::Wait | Turn::Yield => resident.push_back(block),
                    Turn::Stop => return,
                }
                if share && self.has_strayed() {
                    self.halt();
                }
                if self.context.stop.load(Relaxed) {
                    return;
                }
            }
            // Several where many wait, or each would wait once for every block that comes.
            let wanted = (resident.len() / AT_ONCE).max(1);
            let mut started = 0;
            while started < wanted {
                let slot = match free.pop() {
                    Some(found) => Some(found),
                    None => slots.next().map(|slot| (slot, Block::default())),
                };
                let Some((slot, mut block)) = slot else { break };
                let room = resident.is_empty() || self.has_room(&block);
                if room && taken.is_empty() {
                    self.end_row(row);
                    taken = take(next, total, in_a_row, hosts);
                    row = taken.clone();
                }
                let linear = if room { taken.next().unwrap_or(total) } else { total };
                if linear >= total {
                    free.push((slot, block));
                    break;
                }
                if !self.start_block(&mut block, number(linear), slot) {
                    return;
                }
                resident.push_back(block);
                started += 1;
            }
            if started > 0 {
                // The newest go first: those before them have just waited.
                resident.rotate_right(started);
                continue;
            }
            if resident.is_empty() {
                return;
            }
            if alone && self.round(resident.make_contiguous(), waited) {
                self.stuck(resident.make_contiguous());
                return;
            }
        }
    }
}

/// Puts the host threads' outcomes together.
pub fn report(context: &Context<'_>, outcomes: Vec<Outcome>) -> LaunchReport {
    let mut counters = Counters::default();
    let mut lines = LineCounters::new();
    let (mut findings, mut printf) = (Vec::<Finding>::new(), Vec::new());
    let (mut dropped, mut dropped_at) = (0, None);
    let mut unkept: Option<(u64, crate::Place)> = None;
    let mut order = LaunchOrder { complete: true, ..LaunchOrder::default() };
    let code = &context.decoded.code;
    let (mut trace, mut writer, mut busiest, mut watched) = (None, None, 0, true);
    let mut ran = vec![[0u64; 2]; if context.config.coverage { code.insts.len() } else { 0 }];
    let mut met = vec![Met::default(); if context.config.conditions { code.insts.len() } else { 0 }];
    #[cfg(not(target_family = "wasm"))]
    let mut steered = Vec::new();
    let mut done = [0; 2];
    for outcome in outcomes {
        done.iter_mut().zip(outcome.done).for_each(|(sum, more)| *sum += more);
        #[cfg(not(target_family = "wasm"))]
        steered.extend(outcome.steered);
        for (sum, more) in ran.iter_mut().zip(&outcome.ran) {
            sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        met.iter_mut().zip(&outcome.conditions).for_each(|(all, more)| all.add(*more));
        trace = trace.or(outcome.trace);
        writer = writer.or(outcome.writer);
        busiest = busiest.max(outcome.busiest);
        watched &= outcome.watched;
        for (index, line) in outcome.lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
            counters.add(line);
            if !context.config.lines {
                continue;
            }
            let (file, number) = code.lines[index];
            let file = if number > 0 { code.file(file).to_string() } else { String::new() };
            lines.entry((file, number)).or_default().add(line);
        }
        add_up(&mut findings, outcome.findings);
        if let Some((count, place)) = outcome.unkept {
            unkept.get_or_insert((0, place)).0 += count;
        }
        printf.extend(outcome.printf);
        dropped += outcome.dropped;
        order = outcome.order.unwrap_or(order);
        dropped_at = dropped_at.or(outcome.dropped_at);
    }
    came_so_far(context, &mut findings, done);
    let limit = context.config.limits.printf;
    dropped += printf.len().saturating_sub(limit) as u64;
    printf.truncate(limit);
    if dropped > 0 {
        let place = dropped_at.unwrap_or_default();
        findings.push(note(FindingKind::PrintfOverflow { dropped }, place));
    }
    if let Some((dropped, place)) = unkept {
        findings.push(note(FindingKind::FindingsOverflow { dropped }, place));
    }
    if !watched {
        findings.push(note(FindingKind::Unwatched { addresses: PUBLISHED as u64 }, crate::Place::default()));
    }
    findings.sort_by_key(|finding| (rank(finding.severity), finding.place.ptx_line));
    let stopped = findings.iter().any(|finding| finding.severity == Severity::Fault);
    let status = if stopped { LaunchStatus::Stopped } else { LaunchStatus::Finished };
    let coverage = covered(context, &ran);
    let conditions = conditions(context, &met);
    LaunchReport {
        status,
        findings,
        counters,
        lines,
        coverage,
        conditions,
        #[cfg(not(target_family = "wasm"))]
        steered,
        trace,
        locality: None,
        writer,
        printf,
        busiest,
        order,
    }
}

/// Adds a host thread's findings to those of others: one mistake is one finding.
fn add_up(findings: &mut Vec<Finding>, more: Vec<Finding>) {
    for finding in more {
        match findings.iter_mut().find(|known| known.is_like(&finding)) {
            Some(known) => known.count += finding.count,
            None => findings.push(finding),
        }
    }
}

/// A launch that was stopped is told by how far all its host threads have come, at the place that says most: where a block that ran was
/// stopped, and not before one began.
fn came_so_far(context: &Context<'_>, findings: &mut Vec<Finding>, [ended, instructions]: [u64; 2]) {
    let went_on = |finding: &Finding| matches!(finding.kind, FindingKind::Interrupted { turns: 1.., .. });
    if findings.iter().any(went_on) {
        findings.retain(|finding| !matches!(finding.kind, FindingKind::Interrupted { turns: 0, .. }));
    }
    let grid = context.grid.iter().map(|&extent| u64::from(extent)).product();
    let all = context.config.blocks.as_ref().map_or(grid, |chosen| chosen.len() as u64);
    for finding in findings {
        if let FindingKind::Interrupted { steps, done, blocks, .. } = &mut finding.kind {
            (*steps, *done, *blocks) = (instructions, ended, all);
        }
    }
}

/// What could not be kept or seen.
fn note(kind: FindingKind, place: crate::Place) -> Finding {
    Finding { kind, severity: Severity::Note, place, count: 1 }
}

/// The gravest first.
fn rank(severity: Severity) -> u8 {
    match severity {
        Severity::Fault => 0,
        Severity::Error => 1,
        Severity::Note => 2,
    }
}

/// Every instruction of the kernel and of functions that are no kernels, by how many groups ran its operations.
fn covered(context: &Context<'_>, ran: &[[u64; 2]]) -> Vec<Covered> {
    let code = &context.decoded.code;
    let mut covered = Vec::new();
    for (at, ((ran, inst), origin)) in ran.iter().zip(&code.insts).zip(&code.origins).enumerate() {
        let others = origin.function != context.function && code.functions[origin.function as usize].entry;
        if inst.counted == 0 || others {
            continue;
        }
        let (file, line) = code.lines[origin.place as usize];
        covered.push(Covered {
            at: at as u32,
            file: if line > 0 { code.file(file).to_string() } else { String::new() },
            line,
            ptx_line: origin.ptx_line,
            opcode: code.opcodes.get(origin.opcode as usize).cloned().unwrap_or_default(),
            warps: ran[0],
            parted: ran[1],
        });
    }
    covered
}

/// What every operation came to of which that is asked.
fn conditions(context: &Context<'_>, met: &[Met]) -> Vec<Condition> {
    if met.is_empty() || cfg!(target_family = "wasm") {
        return Vec::new();
    }
    let code = &context.decoded.code;
    let turns = context.decoded.turns();
    let mut all = Vec::new();
    for (at, met) in met.iter().enumerate().filter(|(_, met)| met.ways != 0) {
        let (file, line) = code.lines[code.origins[at].place as usize];
        let questions = match turns[at].is_predicate() {
            true => [(Question::True, HELD, FAILED), (Question::Less, KEPT, LOST), (Question::Equal, EQUAL, UNEQUAL)]
                .as_slice(),
            false => &[
                (Question::NotZero, HELD, FAILED),
                (Question::Kept, KEPT, LOST),
                (Question::Argument, ARGUMENT, OTHER),
                (Question::Varies, VARIED, SEEN),
                (Question::Equal, EQUAL, UNEQUAL),
            ],
        };
        for &(question, yes, no) in questions {
            let ways = met.ways;
            if ways & (yes | no) != 0 {
                all.push(Condition {
                    at: at as u32,
                    question,
                    by_size: turns[at].by_size,
                    file: if line > 0 { code.file(file).to_string() } else { String::new() },
                    line,
                    held: ways & yes != 0,
                    failed: ways & no != 0,
                    number: met.number,
                });
            }
        }
    }
    all
}
