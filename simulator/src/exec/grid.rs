//! A grid: blocks become resident in order, take turns while they wait for each other, and leave.

use super::block::{Block, Turn};
use super::context::{Context, Worker};
use crate::config::Schedule;
use crate::counters::{Counters, LineCounters};
use crate::finding::{Finding, FindingKind, Severity};
use crate::launch::{LaunchReport, Status};
use crate::observe::Observer;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a host thread hands back.
pub struct Outcome {
    counters: Counters,
    lines: Vec<Counters>,
    findings: Vec<Finding>,
    printf: Vec<u8>,
    dropped: u64,
    dropped_at: Option<crate::Place>,
}

/// Runs blocks until none is left. Several host threads may do so at once, each with `resident` blocks of its own.
pub fn work<O: Observer>(
    context: &Context<'_>,
    observer: &mut O,
    next: &AtomicU64,
    slots: std::ops::Range<u32>,
) -> Outcome {
    let seed = match context.config.schedule {
        Schedule::Adversarial { seed } => seed,
        _ => 0,
    };
    let mut worker = Worker::new(context, observer, seed);
    let total: u64 = context.grid.iter().map(|&extent| u64::from(extent)).product();
    let backwards = matches!(seed, 4 | 7);
    let mut resident: VecDeque<Box<Block>> = VecDeque::new();
    let mut free: Vec<(u32, Box<Block>)> = Vec::new();
    let mut unused = slots.clone();
    'blocks: loop {
        // A new block if there is room and nobody who was there before can go on.
        let mut turns = resident.len();
        while turns > 0 {
            turns -= 1;
            let Some(mut block) = resident.pop_front() else { break };
            match worker.run_block(&mut block) {
                Turn::Done => free.push((block.shared.slot, block)),
                Turn::Yield => resident.push_back(block),
                Turn::Stop => break 'blocks,
            }
            if !worker_within(&mut worker) {
                break 'blocks;
            }
        }
        let slot = match free.pop() {
            Some(found) => Some(found),
            None => unused.next().map(|slot| (slot, Box::default())),
        };
        if let Some((slot, mut block)) = slot {
            let linear = next.fetch_add(1, Relaxed);
            if linear < total {
                let linear = if backwards { total - 1 - linear } else { linear };
                worker.start_block(&mut block, linear, slot);
                resident.push_back(block);
                // The newest goes first: those before it have just waited.
                resident.rotate_right(1);
                continue;
            }
            free.push((slot, block));
        }
        if resident.is_empty() {
            break;
        }
    }
    worker.observer.launch_end();
    Outcome {
        counters: worker.counters,
        lines: worker.lines,
        findings: worker.findings,
        printf: worker.printf,
        dropped: worker.dropped,
        dropped_at: worker.dropped_at,
    }
}

fn worker_within<O: Observer>(worker: &mut Worker<'_, O>) -> bool {
    worker.stopped |= worker.context.stop.load(Relaxed);
    !worker.stopped
}

/// Puts the host threads' outcomes together.
pub fn report(context: &Context<'_>, outcomes: Vec<Outcome>) -> LaunchReport {
    let mut counters = Counters::default();
    let mut lines = LineCounters::new();
    let (mut findings, mut printf) = (Vec::<Finding>::new(), Vec::new());
    let (mut dropped, mut dropped_at) = (0, None);
    let code = &context.decoded.code;
    for outcome in outcomes {
        counters.add(&outcome.counters);
        for (index, line) in outcome.lines.iter().enumerate().filter(|(_, line)| line.instructions > 0) {
            let (file, number) = code.lines[index];
            let file = if number > 0 { code.file(file).to_string() } else { String::new() };
            lines.entry((file, number)).or_default().add(line);
        }
        for finding in outcome.findings {
            let same = |known: &&mut Finding| {
                std::mem::discriminant(&known.kind) == std::mem::discriminant(&finding.kind)
                    && known.place.ptx_line == finding.place.ptx_line
                    && known.place.function == finding.place.function
            };
            match findings.iter_mut().find(same) {
                Some(known) => known.count += finding.count,
                None => findings.push(finding),
            }
        }
        printf.extend(outcome.printf);
        dropped += outcome.dropped;
        dropped_at = dropped_at.or(outcome.dropped_at);
    }
    let limit = context.config.limits.printf;
    dropped += printf.len().saturating_sub(limit) as u64;
    printf.truncate(limit);
    if dropped > 0 {
        let place = dropped_at.unwrap_or_default();
        let kind = FindingKind::PrintfOverflow { dropped };
        findings.push(Finding { kind, severity: Severity::Note, place, count: 1 });
    }
    findings.sort_by_key(|finding| {
        let rank = match finding.severity {
            Severity::Fault => 0,
            Severity::Error => 1,
            Severity::Note => 2,
        };
        (rank, finding.place.ptx_line)
    });
    let stopped = findings.iter().any(|finding| finding.severity == Severity::Fault);
    let status = if stopped { Status::Stopped } else { Status::Finished };
    LaunchReport { status, findings, counters, lines, printf }
}
