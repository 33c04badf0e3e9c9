//! A watched launch on several host threads, where its blocks turn out to be independent; its report is the same as on one.
//! What that means, and how it is found out, is told by `sanitizer::share`.

mod before;
mod parallel;
#[cfg(test)]
mod tests;

use crate::exec::context::Context;
use crate::exec::defined::Defined;
use crate::exec::grid::{self, Outcome, Part};
use crate::isa::independent::{self, Blocks};
use crate::memory::global::Global;
use crate::memory::later::Later;
use crate::memory::ledger::{Ledger, Rows};
use crate::memory::view::{Several, View};
use crate::sanitizer::Sanitizer;
use before::Before;
use parallel::side_by_side;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Threads of a launch from which on a second host thread is worth its start; tests have small launches.
const MANY: u64 = if cfg!(test) { 1 } else { 1 << 14 };
/// Bytes of memory a thread of the launch that may have to be put aside first, and in all.
const BESIDE: u64 = 64;
const MOST_BESIDE: u64 = 256 << 20;

/// A launch, and what of the device it uses.
pub(super) struct Shared<'a, 'c> {
    pub(super) context: &'a Context<'c>,
    pub(super) global: &'a mut Global,
    pub(super) defined: &'a mut Defined,
    pub(super) kept: &'a mut Kept,
}

/// What such launches leave for those after them.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// By function: were a kernel's blocks independent when they were last shared out?
    pub(super) independent: HashMap<u32, bool>,
    /// Those who watched, with the memory that they have got.
    watches: Vec<Sanitizer>,
    before: Before,
}

/// Blocks that a host thread takes at a time at most, and how often it does so at least.
const AT_A_TIME: u64 = 64;
const TIMES: u64 = 8;

impl Shared<'_, '_> {
    /// Runs a launch in shares, one for each host thread. Nothing if that may not be, or was of no use: then nothing has happened.
    pub(super) fn run(self, watch: &mut Sanitizer) -> Option<Vec<Outcome>> {
        let context = self.context;
        let blocks: u64 = context.grid.iter().map(|&extent| u64::from(extent)).product();
        let threads = blocks * context.block.iter().map(|&extent| u64::from(extent)).product::<u64>();
        let slots = context.config.resident_blocks.max(1);
        let hosts = (context.config.shares as u64).min(blocks).min(u64::from(slots)) as u32;
        if hosts < 2
            || context.clustered
            || threads < MANY
            || self.kept.independent.get(&context.function) == Some(&false)
            || !self.is_plain()
        {
            return None;
        }
        let kind = independent::blocks(&context.decoded.code, context.function);
        if kind == Blocks::Depend {
            return None;
        }
        let rows = matches!(kind, Blocks::InOrder { .. }).then(Arc::<Rows>::default);
        let Kept { independent: known_independent, watches, before } = self.kept;
        if !watch.can_be_shared() || !before.put_aside(self.global, (threads * BESIDE).min(MOST_BESIDE), hosts) {
            return None;
        }
        watches.resize_with(hosts as usize, Sanitizer::default);
        let at_a_time = (blocks / (TIMES * u64::from(hosts))).clamp(1, AT_A_TIME);
        let (next, stop) = (AtomicU64::new(at_a_time * u64::from(hosts)), AtomicBool::new(false));
        let mut outcomes: Vec<Option<Outcome>> = (0..hosts).map(|_| None).collect();
        let (known, global, part_of) = (&*watch, &*self.global, &next);
        let one = |(at, (share, outcome)): (u32, (&mut Sanitizer, &mut Option<Outcome>))| {
            let slots = slots * at / hosts..slots * (at + 1) / hosts;
            let first = at_a_time * u64::from(at)..at_a_time * u64::from(at + 1);
            // Steps are counted for the block that is running: each host thread has its own count.
            let context = context.again(&stop, hosts.into());
            let ledger = rows.as_ref().map(Ledger::new);
            // On its own stack: side by side they would write to the same lines of the host's caches.
            let mut mine = std::mem::take(share);
            mine.begin(known, ledger.is_some());
            let mut later = Later::new(kind == Blocks::InOrder { exchanges: true }, ledger);
            let view = View::Shared(global, &mut later, Several::Threads);
            let part = Part { next: part_of, slots, first, hosts: hosts.into() };
            *outcome = Some(grid::work(&context, view, &mut mine, Defined::default(), part));
            mine.end();
            *share = mine;
        };
        side_by_side(hosts, (0..hosts).zip(watches.iter_mut().zip(&mut outcomes)).collect(), one);
        let unfinished = |rows: &Arc<Rows>| !rows.are_over(blocks);
        // A launch that is stopped from outside has come as far as its shares have, if they have nothing to do with each other so far.
        let interrupted = context.is_interrupted();
        let strayed = !interrupted && (stop.load(Relaxed) || rows.as_ref().is_some_and(unfinished)) || meet(watches);
        if !interrupted {
            known_independent.insert(context.function, !strayed);
        }
        if strayed {
            before.restore(self.global);
            watches.clear();
            return None;
        }
        watch.adopt(watches);
        // What a share remembers takes as long to forget as it took to come by.
        before.done();
        let large: Vec<Sanitizer> = watches.extract_if(.., |share| share.is_large()).collect();
        side_by_side(hosts, large, drop);
        self.defined.passed_over();
        Some(outcomes.into_iter().flatten().collect())
    }

    /// Does its report hang on nothing but what each of its blocks does by itself, as far as can be told before?
    fn is_plain(&self) -> bool {
        let context = self.context;
        let config = context.config;
        let usual = !config.schedule.is_explored() && config.blocks.is_none() && config.tracked.is_none();
        let memory = &self.global.allocations;
        usual
            && config.trace.is_none()
            && context.workspace == 0
            && self.defined.cells.is_empty()
            && memory.iter().all(|allocation| allocation.sparse.is_none())
    }
}

/// Has any share to do with another one?
fn meet(shares: &mut [Sanitizer]) -> bool {
    let mut rest = shares;
    while let Some((first, others)) = rest.split_first_mut() {
        if others.iter().any(|other| first.meets(other)) {
            return true;
        }
        rest = others;
    }
    false
}
