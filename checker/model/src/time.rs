//! The time of a launch: what each part of the machine needs at least, and how they overlap.

use crate::chain::{self, Waits};
use crate::class::Class;
use crate::code::{Code, Unit};
use crate::device::Device;
use crate::facts::{Facts, LaunchFacts, Start};
use crate::frequency::{Confidence, Frequencies, file_name, frequencies};
use serde::{Deserialize, Serialize};
use simulator::locality::{CAPACITIES, Touch};
use std::collections::BTreeMap;

/// What a kernel may be bound by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Issue slots of the schedulers.
    Issue,
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
    /// Tensor cores.
    Tensor,
    /// The way of memory instructions and shuffles to their units.
    Requests,
    /// Shared memory's banks.
    Shared,
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
            Self::Fp32 => "single precision",
            Self::Integer => "integer units",
            Self::Half => "half precision",
            Self::Double => "double precision",
            Self::Special => "special functions",
            Self::Tensor => "tensor cores",
            Self::Requests => "memory requests",
            Self::Shared => "shared memory",
            Self::L1 => "the L1 cache",
            Self::L2 => "the L2 cache",
            Self::Dram => "memory",
            Self::Atomics => "atomics",
            Self::Latency => "latency",
            Self::Blocks => "handing out blocks",
            Self::Launch => "launches",
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
    /// It takes no less than one multiprocessor takes for what is left to it.
    pub fn wait_for(&mut self, us: f64, device: &Device) {
        if us <= self.us {
            return;
        }
        let factor = device.time_factor(self.confidence);
        (self.us, self.low, self.high, self.bound) = (us, us / factor, us * factor, Bound::Latency);
        add(&mut self.bars, Bound::Latency, us);
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
        let found = frequencies(code, &launch.coverage, warps);
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

/// Traffic of a block.
#[derive(Debug, Clone, Copy, Default)]
struct Traffic {
    /// Sectors from the L2 cache.
    loaded: f64,
    /// Sectors to it.
    stored: f64,
    /// Bytes of L1 cache for a block.
    capacity: f64,
    /// Share of load sectors that had been in the L1 cache long enough.
    timely: f64,
    /// Share of what comes from the L2 cache that all multiprocessors read again and again.
    hot: f64,
    /// Sectors that are written in part.
    partial: f64,
    /// Bytes of one.
    partial_bytes: f64,
    /// Lines that a request touches.
    lines_per_request: f64,
    /// The same of local loads.
    local_hits: f64,
    /// Passes through the L1 cache.
    l1_cycles: f64,
    /// Bytes from memory, of the whole launch.
    read: f64,
    /// Those of them in sectors whose neighbour the block does not read.
    scattered: f64,
    /// Bytes to memory, of the whole launch.
    written: f64,
    /// Share of the sectors from the L2 cache that came from memory.
    dram_share: f64,
}

/// What a launch needs of each part.
struct Parts {
    bars: Vec<Bar>,
    /// Share of a warp's time, alone, that it waits for memory.
    waits: f64,
}

impl Parts {
    fn of(facts: &Facts, launch: &LaunchFacts, code: &Code, found: &Frequencies, device: &Device) -> Self {
        let warps_per_block = f64::from(launch.threads.div_ceil(32));
        let ran = launch.ran.max(1) as f64;
        let blocks = launch.blocks as f64;
        let sms = device.sms as f64;
        let resident = f64::from(launch.resident.max(1));
        // The busiest multiprocessor, and how many of its schedulers have a warp.
        let most = (blocks / sms).ceil();
        let on_sm = if most > 4.0 * resident { blocks / sms + 0.5 } else { most };
        let at_once = on_sm.min(resident);
        let schedulers = (at_once * warps_per_block).min(device.schedulers as f64).max(1.0);
        let counters = &launch.counters;
        let per_block = |count: u64| count as f64 / ran;
        let work = Work::of(code, found, ran);
        let sm_us = |cycles: f64| device.us(cycles * on_sm);
        let by_schedulers = |cycles: f64| sm_us(cycles / schedulers);
        let busy = &device.busy;
        // Whoever jumps to an address that was not foreseen fetches its instructions anew; of parted lanes each part does.
        let indirect = work.of_unit(Unit::Indirect);
        let parted = if indirect > 0.0 { per_block(counters.divergent_branches) * busy.divergence } else { 0.0 };
        let issued = work.issued + parted + indirect * (busy.indirect - 1.0);
        let multiply = work.of_unit(Unit::Multiply);
        let requests: f64 = REQUESTS.into_iter().map(|unit| work.of_unit(unit)).sum();
        let meeting = &launch.locality.shared;
        let again = if meeting.requests > 0 { meeting.serial as f64 / meeting.requests as f64 - 1.0 } else { 0.0 };
        let wavefronts = per_block(
            counters.shared_load_wavefronts + counters.shared_store_wavefronts + counters.shared_atomic_requests,
        ) + per_block(counters.shared_atomic_requests) * again * device.memory.same_shared_address;
        let spilled = spilled(code, found).map(|sectors| sectors / ran);
        let traffic = Traffic::of(facts, launch, at_once, spilled, device);
        let memory = &device.memory;
        let to_sm = sm_us((traffic.loaded + traffic.stored) * SECTOR / memory.l2_bytes_per_cycle);
        let l2 = to_sm.max(traffic.l2_us(device) * blocks);
        let l1 = sm_us(traffic.l1_cycles);
        let dram = traffic.dram_us(device);
        let shared = sm_us(wavefronts);

        let far = traffic.far_cycles(device);
        let mix = |hits: f64| hits * device.latency.l1 + (1.0 - hits) * far;
        let shared_requests = per_block(counters.shared_load_requests + counters.shared_store_requests).max(1.0);
        let waits = Waits {
            global: mix(traffic.timely) + traffic.lines_per_request - 1.0,
            lines: by_line(code, launch, traffic.capacity, &mix),
            local: mix(traffic.local_hits),
            shared: (wavefronts / shared_requests - 1.0).max(0.0) * device.latency.wavefront,
            barrier: if warps_per_block > 1.0 { device.latency.barrier } else { 0.0 },
            atomic: device.latency.atomic,
        };
        let costs = chain::costs(code, &found.blocks, device, &waits);
        let warps = ran * warps_per_block;
        let path = launch.locality.path.max(1.0);
        let sum = |of: &dyn Fn(&chain::Cost) -> f64| -> f64 {
            costs.iter().zip(&found.blocks).map(|(cost, times)| of(cost) * times / warps).sum()
        };
        let waited = sum(&|cost| cost.memory);
        let chain = waited + (sum(&|cost| cost.cycles) - waited) * path + device.overhead.block;
        let rounds = (on_sm / resident).max(1.0);
        let rounds = if rounds < 4.0 { rounds.ceil() } else { rounds };
        // Its own bytes need their time, too, when nobody else's are under way.
        let own = dram / on_sm.max(1.0);
        let latency = (device.us(chain) + own) * rounds;

        let bars = [
            (Bound::Issue, by_schedulers(issued)),
            (Bound::Fp32, by_schedulers(work.of_unit(Unit::Fma) * busy.fma + multiply + work.conflicts)),
            (Bound::Integer, by_schedulers((work.of_unit(Unit::Alu) * busy.alu).max(multiply * busy.multiply))),
            (Bound::Half, by_schedulers(work.of_unit(Unit::Half) * busy.half)),
            (Bound::Double, by_schedulers(work.of_unit(Unit::Double) * busy.double)),
            (Bound::Special, by_schedulers(work.of_unit(Unit::Special) * busy.special)),
            (Bound::Tensor, by_schedulers(work.of_unit(Unit::Tensor) * busy.tensor)),
            (Bound::Requests, by_schedulers(requests * busy.memory)),
            (Bound::Shared, shared),
            (Bound::L1, l1),
            (Bound::L2, l2),
            (Bound::Dram, dram),
            (Bound::Atomics, atomics_us(facts, launch, code, device)),
            (Bound::Latency, latency),
            (Bound::Blocks, blocks / device.overhead.blocks_per_ns / 1e3),
        ];
        let bars = bars.into_iter().filter(|(_, us)| *us > 0.0).map(|(of, us)| Bar { of, us }).collect();
        Self { bars, waits: (waited / chain.max(1.0)).min(1.0) }
    }

    /// Bounds overlap, not quite. What the schedulers issue and what its units do are the same instructions.
    fn together(&self, device: &Device) -> f64 {
        let power = device.fitted.overlap;
        let largest = |of: &dyn Fn(Bound) -> bool| {
            self.bars.iter().filter(|bar| of(bar.of)).map(|bar| bar.us).fold(0.0, f64::max)
        };
        let arithmetic = largest(&|bound| bound <= Bound::Tensor);
        let near = largest(&|bound| matches!(bound, Bound::Requests | Bound::Shared | Bound::L1));
        let far = largest(&|bound| matches!(bound, Bound::L2 | Bound::Dram | Bound::Atomics));
        let norm = |parts: &[f64]| {
            let most = parts.iter().copied().fold(1e-9, f64::max);
            most * parts.iter().map(|us| (us / most).powf(power)).sum::<f64>().powf(1.0 / power)
        };
        // Warps that wait for arithmetic alone fill each other's gaps without a gap; memory comes when it comes.
        let latency = largest(&|bound| bound == Bound::Latency);
        let most = arithmetic.max(latency);
        let own = most + (norm(&[arithmetic, latency]) - most) * self.waits;
        norm(&[own, near, far, largest(&|bound| bound == Bound::Blocks)])
    }
}

/// Cycles that the loads of a source line take.
fn by_line(code: &Code, launch: &LaunchFacts, capacity: f64, mix: &dyn Fn(f64) -> f64) -> BTreeMap<(u16, u32), f64> {
    let mut all = BTreeMap::new();
    for place in &launch.locality.places {
        let names = |name: &&String| file_name(name) == file_name(&place.file);
        let Some(file) = code.files.iter().position(|name| names(&name)) else { continue };
        let timely = 1.0 - misses(&place.late, capacity) / place.requested.max(1) as f64;
        let lines = place.lines as f64 / place.requests.max(1) as f64;
        let Ok(file) = u16::try_from(file) else { continue };
        all.insert((file, place.line), mix(timely.max(0.0)) + lines - 1.0);
    }
    all
}

/// What takes the way to the memory units.
const REQUESTS: [Unit; 6] = [Unit::Shuffle, Unit::Shared, Unit::Global, Unit::Local, Unit::Atomic, Unit::Reduction];

/// Warp instructions of a block of threads, by unit.
struct Work {
    units: BTreeMap<Unit, f64>,
    issued: f64,
    conflicts: f64,
}

impl Work {
    fn of(code: &Code, found: &Frequencies, ran: f64) -> Self {
        let mut work = Self { units: BTreeMap::new(), issued: 0.0, conflicts: 0.0 };
        for (block, times) in code.blocks.iter().zip(&found.blocks) {
            for op in &block.ops {
                work.issued += times / ran;
                work.conflicts += f64::from(op.crowded) * times / ran;
                *work.units.entry(op.unit).or_default() += times / ran;
            }
        }
        work
    }

    fn of_unit(&self, unit: Unit) -> f64 {
        self.units.get(&unit).copied().unwrap_or(0.0)
    }
}

/// Atomics on global memory. A sector's request at its place of the L2 cache takes as long as it has lanes at one address, and those at
/// one place follow each other; all of them together have a rate. Of integers that a warp adds to one address the compiler may make
/// one.
fn atomics_us(facts: &Facts, launch: &LaunchFacts, code: &Code, device: &Device) -> f64 {
    let (meeting, counters, memory) = (&launch.locality.global, &launch.counters, &device.memory);
    let per_launch = launch.blocks as f64 / launch.ran.max(1) as f64;
    if counters.global_atomics == 0 {
        return 0.0;
    }
    let of = |count: u64, all: u64| if all > 0 { count as f64 / all as f64 } else { 0.0 };
    let requests = counters.global_atomic_requests as f64 * per_launch;
    let sectors = counters.global_atomic_sectors as f64 * per_launch;
    let answered = of(counters.global_atomic_return_sectors, counters.global_atomic_sectors).min(1.0);
    let place_ns = memory.place_ns + (memory.place_answer_ns - memory.place_ns) * answered;
    let written = || launch.locality.written.iter().zip(&facts.memory).filter(|(touch, _)| touch.sectors > 0);
    let spread = |blocks: u64| -> f64 {
        written().map(|(touch, memory)| touched_once(touch, launch, blocks, memory.bytes as f64)).sum()
    };
    // At a time they go only where the blocks go that are at work: neighbours may share their places.
    let at_work = (u64::from(launch.resident.max(1)) * device.sms).min(launch.blocks);
    let places = (spread(at_work) / memory.place_bytes).max(1.0);
    let spread = spread(launch.blocks);
    // What a block touches, of what all of them touch: the others go to its hottest address as far as they go where it goes.
    let own: f64 = launch.locality.written.iter().map(|touch| touch.sectors as f64 * SECTOR).sum();
    let whole = if meeting.shared { (own / spread.max(1.0)).min(1.0) } else { 1.0 / launch.blocks.max(1) as f64 };
    let (work, hottest) = if combines(code, &launch.coverage) {
        (requests, requests * of(meeting.hottest_requests, meeting.requests) * whole)
    } else {
        let together = (of(meeting.serial, meeting.requests) - 1.0).max(0.0) * requests / sectors.max(1.0);
        let lanes = counters.global_atomics as f64 * per_launch;
        (sectors * (1.0 + together), lanes * of(meeting.hottest, meeting.lanes) * whole)
    };
    // A float has to come back from the adder before the next one goes to the same sector.
    let alone = spread <= SECTOR && is_float(&launch.coverage);
    let same_ns = if alone { memory.same_float_ns } else { place_ns };
    let serial = (work / places * if alone { same_ns } else { place_ns }).max(hottest * same_ns);
    (serial + sectors / memory.atomics_per_ns) / 1e3
}

/// Bytes of a sector.
const SECTOR: f64 = 32.0;

/// Did the compiler let one lane speak for its warp? Then the warp votes where nobody wrote so.
fn combines(code: &Code, coverage: &[simulator::Covered]) -> bool {
    let ops = || code.blocks.iter().flat_map(|block| &block.ops);
    let atomics: Vec<_> = ops().filter(|op| op.class == Some(Class::AtomicGlobal)).filter_map(|op| op.line).collect();
    let votes = ops().filter(|op| op.class == Some(Class::Vote)).filter_map(|op| op.line);
    let written = |(file, line): (u16, u32)| {
        let file = code.files.get(usize::from(file)).map_or("", |file| file_name(file));
        coverage.iter().any(|one| {
            one.line == line && file_name(&one.file) == file && Class::of_ptx(&one.opcode) == Some(Class::Vote)
        })
    };
    votes.filter(|line| atomics.contains(line)).any(|line| !written(line))
}

/// Do most of the atomics work on floats?
fn is_float(coverage: &[simulator::Covered]) -> bool {
    let atomics = coverage.iter().filter(|one| Class::of_ptx(&one.opcode) == Some(Class::AtomicGlobal));
    let kind = |one: &simulator::Covered| one.opcode.rsplit('.').next().is_some_and(|kind| kind.contains('f'));
    let most = atomics.max_by_key(|one| one.warps);
    most.is_some_and(kind)
}

/// Times that a small buffer is read in all from which on both halves of the L2 cache have it.
const AGAIN: f64 = 8.0;

impl Traffic {
    /// What the L2 cache takes for a block's sectors, in microseconds.
    fn l2_us(&self, device: &Device) -> f64 {
        let memory = &device.memory;
        let hot = self.loaded * self.hot;
        let whole = self.loaded - hot + if self.partial > 0.0 { 0.0 } else { self.stored };
        let slots = (hot / memory.l2_hot_gb_per_s + whole / memory.l2_gb_per_s) * SECTOR / 1e3;
        let partial = self.partial / memory.partial_rate(self.partial_bytes) / 1e3;
        slots.max(partial)
    }

    /// What memory takes for the whole launch, in microseconds.
    fn dram_us(&self, device: &Device) -> f64 {
        let memory = &device.memory;
        let rows = self.scattered / SECTOR / memory.scattered_sectors_per_ns;
        let side_by_side = (self.read - self.scattered) / memory.read_gb_per_s;
        (rows + side_by_side) / 1e3 + self.written / memory.write_gb_per_s / 1e3
    }

    /// Cycles until an answer comes that is not in the L1 cache.
    fn far_cycles(&self, device: &Device) -> f64 {
        device.latency.l2
            + (device.latency.dram * device.fitted.loaded - device.latency.l2) * self.dram_share
            + device.memory.l2_spread * (1.0 - 1.0 / self.lines_per_request.max(1.0))
    }

    fn of(facts: &Facts, launch: &LaunchFacts, at_once: f64, spilled: [f64; 2], device: &Device) -> Self {
        let (locality, counters) = (&launch.locality, &launch.counters);
        let ran = launch.ran.max(1) as f64;
        let blocks = launch.blocks as f64;
        let held = f64::from(launch.shared) * at_once;
        let capacity = (device.memory.l1_bytes - held).max(16384.0) / at_once.max(1.0);
        let [missed, late, local_missed] =
            [&locality.missed, &locality.late, &locality.local_missed].map(|at| misses(at, capacity));
        let asked = (counters.global_load_sectors + counters.local_load_sectors) as f64 / ran;
        let ratio = if locality.requested > 0 { missed / locality.requested as f64 } else { 1.0 };
        // What the compiler spilled no simulator of PTX sees: every thread's own words, again and again.
        let [spill_loads, spill_stores] = spilled;
        let frames = f64::from(launch.stack) * f64::from(launch.threads);
        let spill_missed = if frames > 0.0 { (1.0 - capacity / frames).max(0.0) } else { 0.0 };
        let loaded = asked * ratio + spill_loads * spill_missed + counters.global_atomic_return_sectors as f64 / ran;
        let stored = (counters.global_store_sectors + counters.local_store_sectors + counters.global_atomic_sectors)
            as f64
            / ran
            + spill_stores;
        let local_asked = counters.local_load_sectors as f64 / ran;
        let local_hits =
            if local_asked > 0.0 { (1.0 - local_missed / local_asked.max(1.0)).clamp(0.0, 1.0) } else { 1.0 };
        let requests = (counters.global_load_requests + counters.local_loads + counters.local_stores) as f64 / ran;
        // The trace may have ended early.
        let traced = locality.requested.max(1) as f64;
        let lines = if locality.lines > 0 { locality.lines as f64 * (asked / traced).max(1.0) } else { requests };
        let lines_per_request = if requests > 0.0 { (lines / requests).max(1.0) } else { 1.0 };
        let written_whole = (counters.global_store_bytes + 128 * counters.local_stores) as f64 / ran / SECTOR;
        let all_stored = (counters.global_store_sectors + counters.local_store_sectors) as f64 / ran;
        let partial = if all_stored > 1.5 * written_whole { all_stored } else { 0.0 };
        let lines = lines + (spill_loads + spill_stores) / 4.0;
        let moved = asked + counters.local_store_sectors as f64 / ran + spill_loads + spill_stores;
        let l1_cycles =
            (lines / device.memory.l1_lines_per_cycle).max(moved / device.memory.l1_sectors_per_cycle).max(requests);
        let (mut read, mut scattered, mut written) = (0.0, 0.0, 0.0);
        let (mut hit, mut hot, mut touched) = (0.0, 0.0, 0.0);
        let all_bytes: u64 = facts.memory.iter().map(|memory| memory.bytes).sum();
        let stays = facts.start == Start::Warm && (all_bytes as f64) < device.memory.l2_bytes;
        // A trace that ended early has seen a part of what a block touches.
        let unseen = if locality.cut { (asked / locality.requested.max(1) as f64).max(1.0) } else { 1.0 };
        for (at, memory) in facts.memory.iter().enumerate() {
            let touch = |all: &[Touch]| scaled(all.get(at).copied().unwrap_or_default(), unseen);
            let there = facts.start == Start::Warm && memory.input && (memory.bytes as f64) < device.memory.l2_bytes;
            let (fetched, again) = fetched(&touch(&locality.read), launch, memory.bytes as f64, device);
            if there {
                hit += fetched + again;
            } else {
                read += fetched;
                scattered += fetched * apart(&touch(&locality.read));
                hit += again;
            }
            if !stays {
                written += touched_once(&touch(&locality.written), launch, launch.blocks, memory.bytes as f64);
            }
            let asked = touch(&locality.read).sectors as f64 * blocks;
            touched += asked;
            if asked * SECTOR > AGAIN * memory.bytes as f64 && (memory.bytes as f64) < device.memory.hot_bytes {
                hot += asked;
            }
        }
        let all = (read + hit).max(1.0);
        Self {
            capacity,
            loaded,
            stored,
            timely: if locality.requested > 0 { (1.0 - late / traced).max(0.0) } else { 0.0 },
            hot: hot / touched.max(1.0),
            partial,
            partial_bytes: SECTOR * written_whole / all_stored.max(1.0),
            lines_per_request,
            local_hits: if spill_loads > local_asked { 1.0 - spill_missed } else { local_hits },
            l1_cycles,
            read,
            scattered,
            written,
            dram_share: read / all,
        }
    }
}

/// Sectors that spilled registers come from and go to: four for every register of a warp.
fn spilled(code: &Code, found: &Frequencies) -> [f64; 2] {
    let mut sectors = [0.0; 2];
    for (block, times) in code.blocks.iter().zip(&found.blocks) {
        for op in block.ops.iter().filter(|op| op.unit == Unit::Local && op.class.is_none()) {
            sectors[usize::from(!op.loads)] += times * f64::from(op.bits.div_ceil(8));
        }
    }
    sectors
}

/// What was counted for caches of several sizes, for one of so many bytes: between those that were tried.
fn misses(counted: &[u64; CAPACITIES.len()], capacity: f64) -> f64 {
    let mut below = 0;
    for (index, bytes) in CAPACITIES.iter().enumerate() {
        if *bytes as f64 <= capacity {
            below = index;
        }
    }
    let above = (below + 1).min(CAPACITIES.len() - 1);
    let (from, to) = (CAPACITIES[below] as f64, CAPACITIES[above] as f64);
    let part = if to > from { ((capacity - from) / (to - from)).clamp(0.0, 1.0) } else { 0.0 };
    counted[below] as f64 * (1.0 - part) + counted[above] as f64 * part
}

fn scaled(touch: Touch, times: f64) -> Touch {
    let more = |count: u64| (count as f64 * times) as u64;
    let [sectors, pairs, second, new] = [touch.sectors, touch.pairs, touch.second, touch.new].map(more);
    Touch { sectors, pairs, second, new, ..touch }
}

/// The share of a block's sectors whose neighbour (memory moves two at once) it does not touch.
fn apart(touch: &Touch) -> f64 {
    if touch.sectors == 0 { 0.0 } else { (2 * touch.pairs).saturating_sub(touch.sectors) as f64 / touch.sectors as f64 }
}

/// Bytes of a buffer that a block touches, and those of them that no block before it did: what its neighbour does not share with it, or
/// as fast as blocks far apart go through the buffer. Neighbours may well write the same sector, and all of them the whole buffer.
fn own_and_fresh(touch: &Touch, launch: &LaunchFacts) -> (f64, f64) {
    let own = touch.sectors as f64 * SECTOR;
    let beside = if touch.second > 0 { own * touch.new as f64 / touch.second as f64 } else { own };
    let away = touch.away as f64 * SECTOR / launch.locality.away.max(1) as f64;
    (own, beside.max(away.min(own)))
}

/// Bytes of a buffer that so many blocks touch, each once.
fn touched_once(touch: &Touch, launch: &LaunchFacts, blocks: u64, bytes: f64) -> f64 {
    let (own, fresh) = own_and_fresh(touch, launch);
    (own + fresh * (blocks as f64 - 1.0)).min(bytes)
}

/// Bytes that come from memory, and bytes that are asked for again and lie in the L2 cache.
fn fetched(touch: &Touch, launch: &LaunchFacts, bytes: f64, device: &Device) -> (f64, f64) {
    let blocks = launch.blocks as f64;
    let (own, fresh) = own_and_fresh(touch, launch);
    // What neighbours do not share, and what is more than the buffer has, others have fetched before; it is still there in part.
    let apart = own + fresh * (blocks - 1.0);
    let once = apart.min(bytes);
    let again = apart - once;
    let kept = (device.memory.l2_bytes / bytes.max(1.0)).min(1.0);
    let read = once + again * (1.0 - kept);
    (read, (own * blocks - read).max(0.0))
}
