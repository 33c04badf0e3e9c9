//! What all blocks of a launch share, and what one host thread keeps for itself.

use crate::config::Config;
use crate::counters::Counters;
use crate::isa::decode::Decoded;
use crate::memory::global::Global;
use crate::observe::Observer;
use crate::{Dim3, Finding};
use std::sync::atomic::{AtomicBool, AtomicU64};

/// What all blocks share.
pub struct Context<'a> {
    /// Code and variables.
    pub decoded: &'a Decoded,
    /// Settings.
    pub config: &'a Config,
    /// Global memory.
    pub global: &'a Global,
    /// Index of the kernel's function.
    pub function: u32,
    /// Parameter bytes.
    pub params: Vec<u8>,
    /// Grid.
    pub grid: Dim3,
    /// Block.
    pub block: Dim3,
    /// Static shared memory.
    pub static_shared: u32,
    /// Dynamic shared memory.
    pub dynamic_shared: u32,
    /// `%envreg1` and `%envreg2`: where a cooperative grid's barrier is.
    pub workspace: u64,
    /// Warp instructions executed by all host threads.
    pub steps: AtomicU64,
    /// A fault stopped the launch.
    pub stop: AtomicBool,
    /// Number of this launch.
    pub launch: u64,
}

/// What one host thread keeps.
pub struct Worker<'a, O: Observer> {
    /// Shared.
    pub context: &'a Context<'a>,
    /// Watcher.
    pub observer: &'a mut O,
    /// Sums.
    pub counters: Counters,
    /// Sums by index of [`crate::isa::op::Code::lines`], when asked for.
    pub lines: Vec<Counters>,
    /// Findings.
    pub findings: Vec<Finding>,
    /// What printf wrote.
    pub printf: Vec<u8>,
    /// What it wrote beyond the limit.
    pub dropped: u64,
    /// The place of the first dropped output.
    pub dropped_at: Option<crate::Place>,
    /// Steps taken since the shared count was brought up to date.
    pub unreported: u64,
    /// Steps seen in all; also the clock.
    pub clock: u64,
    /// Allocation last used.
    pub last: usize,
    /// State of the schedule's random numbers.
    pub random: u64,
    /// Lanes whose store writes what is there already, for the next observed access.
    pub silent: u32,
    /// The launch must stop.
    pub stopped: bool,
}

/// What a slow operation means for the group that executed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on with the same group.
    Continue,
    /// Choose a group again.
    Switch,
    /// The group waits for something that others must do.
    Spin,
    /// The launch is over.
    Stop,
}

impl<'a, O: Observer> Worker<'a, O> {
    /// A fresh one.
    pub fn new(context: &'a Context<'a>, observer: &'a mut O, seed: u64) -> Self {
        let lines = if context.config.lines { context.decoded.code.lines.len() } else { 0 };
        Self {
            context,
            observer,
            counters: Counters::default(),
            lines: vec![Counters::default(); lines],
            findings: Vec::new(),
            printf: Vec::new(),
            dropped: 0,
            dropped_at: None,
            unreported: 0,
            clock: 0,
            last: 0,
            random: seed ^ 0x9e37_79b9_7f4a_7c15,
            silent: 0,
            stopped: false,
        }
    }

    /// Adds to the sums, and to those of the operation's line.
    #[inline(always)]
    pub fn count(&mut self, pc: u32, add: impl Fn(&mut Counters)) {
        add(&mut self.counters);
        if !self.lines.is_empty() {
            let line = self.context.decoded.code.origins[pc as usize].line;
            add(&mut self.lines[line as usize]);
        }
    }

    /// A random number below `bound` (splitmix64, Steele, Lea, Flood 2014).
    pub fn below(&mut self, bound: u32) -> u32 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u64::from((z >> 32) as u32) * u64::from(bound)) >> 32) as u32
    }
}
