//! The time of a launch: what each part of the machine needs at least, and how they overlap.

mod dram;
mod fetch;
mod parts;
mod pauses;
mod together;
mod traffic;
mod work;

use crate::device::Device;
use crate::facts::{Facts, Start};
use crate::frequency::{Confidence, frequencies};
use parts::Parts;
use serde::{Deserialize, Serialize};

/// What a kernel may be bound by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Issue slots of the schedulers.
    Issue,
    /// Code that no instruction cache holds.
    Fetch,
    /// Single precision.
    Fp32,
    /// Integer and logic units.
    Integer,
    /// Halves.
    Half,
    /// Doubles.
    Double,
    /// Special functions and conversions.
    Special,
    /// Lanes that look for others with the same value.
    Match,
    /// Tensor cores.
    Tensor,
    /// The way of memory instructions and shuffles to their units.
    Requests,
    /// Shared memory's banks.
    Shared,
    /// Constant memory, a word at a time.
    Constant,
    /// The L1 cache.
    L1,
    /// The L2 cache.
    L2,
    /// Memory.
    Dram,
    /// Atomics on the same addresses.
    Atomics,
    /// Latency that too few warps hide.
    Latency,
    /// Blocks handed out.
    Blocks,
    /// Launches, and the host between them.
    Launch,
}

impl Bound {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Issue => "issue slots",
            Self::Fetch => "fetching instructions",
            Self::Fp32 => "single precision",
            Self::Integer => "integer units",
            Self::Half => "half precision",
            Self::Double => "double precision",
            Self::Special => "special functions",
            Self::Match => "matching values",
            Self::Tensor => "tensor cores",
            Self::Requests => "memory requests",
            Self::Shared => "shared memory",
            Self::Constant => "constant memory",
            Self::L1 => "the L1 cache",
            Self::L2 => "the L2 cache",
            Self::Dram => "memory",
            Self::Atomics => "atomics",
            Self::Latency => "latency",
            Self::Blocks => "handing out blocks",
            Self::Launch => "launches",
        }
    }

    /// What to ask of a kernel that it binds.
    pub fn question(self) -> &'static str {
        match self {
            Self::Issue => "which instructions does it not need: indices, tests, what a neighbour has worked out?",
            Self::Fetch => "is its code longer than the instruction cache, unrolled more than it needs?",
            Self::Fp32 | Self::Integer | Self::Half | Self::Double | Self::Special | Self::Tensor => {
                "which of these operations could be left out, done once for many threads, or done by another unit?"
            }
            Self::Match => "how many different values does a warp match, one after the other, and does it have to?",
            Self::Requests => "which loads and stores could be one wide one, or stay in a register?",
            Self::Shared => "which accesses to shared memory meet in a bank, or could stay in a register?",
            Self::Constant => "do the lanes of a warp read different words of constant memory?",
            Self::L1 => "which lines does a warp touch more than once, or for a word only?",
            Self::L2 => "what passes the L2 cache more than once, or a sector at a time for one word?",
            Self::Dram => "which bytes are moved more than once, or moved and not used?",
            Self::Atomics => "how many atomics meet at an address, and which could be one for a warp or a block?",
            Self::Latency => {
                "who works while a thread waits? Are there warps on all multiprocessors, and several loads under way?"
            }
            Self::Blocks => "are there many more blocks than it needs, each with next to nothing to do?",
            Self::Launch => "which launches could be one?",
        }
    }
}

/// What a part of the machine needs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// Which.
    pub of: Bound,
    /// Microseconds.
    pub us: f64,
}

/// A modelled time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Modelled {
    /// Microseconds.
    pub us: f64,
    /// The interval.
    pub low: f64,
    /// Its other end.
    pub high: f64,
    /// What binds.
    pub bound: Bound,
    /// What each part needs, the most first.
    pub bars: Vec<Bar>,
    /// How sure it is what was executed.
    pub confidence: Confidence,
}

impl Modelled {
    /// It takes so many microseconds at least, by what bounds it then.
    pub fn wait_for(&mut self, us: f64, bound: Bound, device: &Device) {
        if us <= self.us {
            return;
        }
        let factor = device.time_factor(self.confidence);
        (self.us, self.low, self.high, self.bound) = (us, us / factor, us * factor, bound);
        add(&mut self.bars, bound, us);
        self.bars.sort_by(|a, b| b.us.total_cmp(&a.us));
    }
}

/// Models a version.
pub fn model(facts: &Facts, device: &Device) -> Modelled {
    let mut bars: Vec<Bar> = Vec::new();
    let mut confidence = Confidence::Exact;
    let mut us = 0.0;
    let (mut launches, mut host) = (0.0, 0.0);
    for launch in &facts.launches {
        let code = &facts.codes[launch.code];
        let warps = launch.counters.warps.max(1) as f64;
        let found = frequencies(code, &launch.coverage, warps, launch.counters.long_divisions as f64);
        confidence = confidence.max(found.confidence);
        let parts = Parts::of(facts, launch, code, &found, device);
        let times = launch.times as f64;
        us += times * parts.together(device);
        for bar in parts.bars {
            add(&mut bars, bar.of, times * bar.us);
        }
        launches += times;
    }
    if facts.host.is_some() {
        host = device.overhead.host_us;
    }
    let overhead = host + launched(facts, device, us, launches);
    us += overhead;
    add(&mut bars, Bound::Launch, overhead);
    bars.sort_by(|a, b| b.us.total_cmp(&a.us));
    let factor = device.time_factor(confidence);
    let bound = bars.first().map_or(Bound::Launch, |bar| bar.of);
    Modelled { us, low: us / factor, high: us * factor, bound, bars, confidence }
}

/// What launches cost beside their work. A first one takes longer than those behind it, and in a cold cache its code and parameters
/// have to come; short passes are measured many at a time, as nodes of a graph, as many as half of the L2 cache holds.
fn launched(facts: &Facts, device: &Device, us: f64, launches: f64) -> f64 {
    let overhead = &device.overhead;
    let behind = overhead.next_us * (launches - 1.0).max(0.0);
    if facts.start == Start::Cold {
        return overhead.first_us + overhead.cold_us + behind;
    }
    let bytes: u64 = facts.memory.iter().map(|memory| memory.bytes).sum();
    let wanted = (LONG_ENOUGH_US / (us + overhead.graph_us * launches)).ceil().min(MOST_PASSES);
    let passes = wanted.min((device.memory.l2_bytes / 2.0 / bytes.max(1) as f64).floor()).max(1.0);
    if passes < 2.0 || facts.host.is_some() {
        return overhead.first_us + behind;
    }
    (overhead.first_us + overhead.graph_us * (passes * launches - 1.0)) / passes
}

/// A sample of `checker bench` is made of several passes where one takes less, ...
const LONG_ENOUGH_US: f64 = 100.0;
/// ... of so many at most.
const MOST_PASSES: f64 = 32.0;

fn add(bars: &mut Vec<Bar>, of: Bound, us: f64) {
    match bars.iter_mut().find(|bar| bar.of == of) {
        Some(bar) => bar.us += us,
        None => bars.push(Bar { of, us }),
    }
}
