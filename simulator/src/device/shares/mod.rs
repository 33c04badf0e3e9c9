//! A watched launch on several host threads, where its blocks turn out to be independent; its report is the same as on one.
//! What that means, and how it is found out, is told by `sanitizer::share`.

#[cfg(test)]
mod tests;

use crate::exec::context::Context;
use crate::exec::defined::Defined;
use crate::exec::grid::{self, Outcome, Part};
use crate::isa::independent::may_be;
use crate::memory::global::{Allocation, Global};
use crate::memory::sums::Sums;
use crate::memory::view::{Several, View};
use crate::sanitizer::Sanitizer;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

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
    /// Were a kernel's blocks independent when they were last shared out?
    pub(super) independent: &'a mut HashMap<u32, bool>,
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
        if hosts < 2 || threads < MANY || self.independent.get(&context.function) == Some(&false) || !self.is_plain() {
            return None;
        }
        let before = Before::of(&mut *self.global, (threads * BESIDE).min(MOST_BESIDE))?;
        let mut shares = (0..hosts).map(|_| watch.share()).collect::<Option<Vec<Sanitizer>>>()?;
        let at_a_time = (blocks / (TIMES * u64::from(hosts))).clamp(1, AT_A_TIME);
        let (next, stop) = (AtomicU64::new(at_a_time * u64::from(hosts)), AtomicBool::new(false));
        let outcomes = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for (at, share) in (0..hosts).zip(&mut shares) {
                let slots = slots * at / hosts..slots * (at + 1) / hosts;
                let first = at_a_time * u64::from(at)..at_a_time * u64::from(at + 1);
                // Steps are counted for the block that is running: each host thread has its own count.
                let context = context.again(&stop, hosts.into());
                let (outcomes, global, next) = (&outcomes, &*self.global, &next);
                let one = move || {
                    let mut sums = Sums::default();
                    let view = View::Shared(global, &mut sums, Several::Threads);
                    let part = Part { next, slots, first };
                    let outcome = grid::work(&context, view, share, Defined::default(), part);
                    if let Ok(mut all) = outcomes.lock() {
                        all.push((at, outcome));
                    }
                };
                if std::thread::Builder::new().spawn_scoped(scope, one).is_err() {
                    stop.store(true, Relaxed);
                }
            }
        });
        let mut outcomes = outcomes.into_inner().unwrap_or_default();
        let whole = outcomes.len() == hosts as usize && !stop.load(Relaxed);
        if !whole || meet(&mut shares) {
            before.restore(self.global);
            self.independent.insert(context.function, false);
            return None;
        }
        self.independent.insert(context.function, true);
        outcomes.sort_by_key(|(at, _)| *at);
        watch.adopt(&shares);
        // What they remember takes as long to forget as it took to come by.
        std::thread::scope(|scope| {
            for share in shares {
                // Who gets no thread forgets here.
                let _ = std::thread::Builder::new().spawn_scoped(scope, move || drop(share));
            }
        });
        self.defined.passed_over();
        Some(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
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
            && memory.iter().all(|allocation| allocation.sparse.is_none() && allocation.reads.is_none())
            && may_be(&context.decoded.code, context.function)
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

/// What memory held before a launch, where it may write.
struct Before(Vec<(usize, Contents)>);

enum Contents {
    /// This word again and again.
    Filled(u32),
    Words(Vec<u32>),
}

impl Before {
    /// Nothing if more than `most` bytes would have to be copied.
    fn of(global: &mut Global, most: u64) -> Option<Self> {
        let copied = |one: &Allocation| if one.is_read_only() || one.filled.is_some() { 0 } else { one.size };
        if global.allocations.iter().map(copied).sum::<u64>() > most {
            return None;
        }
        let one = |(at, allocation): (usize, &mut Allocation)| {
            if allocation.is_read_only() {
                return None;
            }
            let words = |words: &mut [AtomicU32]| words.iter_mut().map(|word| *word.get_mut()).collect();
            let contents = match allocation.filled {
                Some(word) => Contents::Filled(word),
                None => Contents::Words(words(&mut allocation.words)),
            };
            Some((at, contents))
        };
        Some(Self(global.allocations.iter_mut().enumerate().filter_map(one).collect()))
    }

    fn restore(self, global: &Global) {
        for (at, contents) in self.0 {
            let words = &global.allocations[at].words;
            match contents {
                Contents::Filled(value) => words.iter().for_each(|word| word.store(value, Relaxed)),
                Contents::Words(values) => {
                    words.iter().zip(values).for_each(|(word, value)| word.store(value, Relaxed));
                }
            }
        }
    }
}
