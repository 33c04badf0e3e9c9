//! What goes through L2 and what comes from DRAM.

use super::dram::{Dram, scaled, unseen};
use super::work::SECTOR;
use crate::code::{Code, Unit};
use crate::device::Device;
use crate::facts::{Facts, LaunchFacts};
use crate::frequency::{Frequencies, file_name, place};
use simulator::locality::{CAPACITIES, Touch};

/// Sectors that leave, for each that would be filled, from which on they are partial ones.
const PARTIAL: f64 = 1.2;

/// Times that a small buffer is read in all from which on both halves of the L2 cache have it.
const AGAIN: f64 = 8.0;

/// Traffic of a block.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Traffic {
    /// Sectors from the L2 cache.
    pub(super) loaded: f64,
    /// Sectors to it.
    pub(super) stored: f64,
    /// Bytes of L1 cache for a block.
    pub(super) capacity: f64,
    /// Share of load sectors that had been in the L1 cache long enough.
    pub(super) timely: f64,
    /// Share of what comes from the L2 cache that all multiprocessors read again and again.
    hot: f64,
    /// Sectors that are written in part, as they leave the L1 cache.
    partial: f64,
    /// How many of them a request touches of a line.
    partial_per_line: f64,
    /// Lines that a request touches.
    pub(super) lines_per_request: f64,
    /// The same of local loads.
    pub(super) local_hits: f64,
    /// Passes through the L1 cache's tags, or sectors to lanes.
    pub(super) l1_cycles: f64,
    /// Passes through its data, which shared memory's go through, too.
    pub(super) wavefronts: f64,
    /// What comes from memory and goes there, of the whole launch.
    pub(super) dram: Dram,
}

impl Traffic {
    /// What the L2 cache takes for a block's sectors, in microseconds.
    pub(super) fn l2_us(&self, device: &Device) -> f64 {
        let memory = &device.memory;
        let hot = self.loaded * self.hot;
        let whole = self.loaded - hot + if self.partial > 0.0 { 0.0 } else { self.stored };
        let slots = (hot / memory.l2_hot_gb_per_s + whole / memory.l2_gb_per_s) * SECTOR / 1e3;
        let partial = self.partial / memory.partial_rate(self.partial_per_line) / 1e3;
        slots.max(partial)
    }

    /// Cycles until an answer comes that is not in the L1 cache.
    pub(super) fn far_cycles(&self, device: &Device) -> f64 {
        device.latency.l2
            + (device.latency.dram * device.fitted.loaded - device.latency.l2) * self.dram.share
            + device.memory.l2_spread * (1.0 - 1.0 / self.lines_per_request.max(1.0))
    }

    pub(super) fn of(
        facts: &Facts,
        launch: &LaunchFacts,
        (code, spilled): (&Code, [f64; 2]),
        at_once: f64,
        device: &Device,
    ) -> Self {
        let (locality, counters) = (&launch.locality, &launch.counters);
        let ran = launch.ran.max(1) as f64;
        let blocks = launch.blocks as f64;
        let held = f64::from(launch.shared) * at_once;
        let capacity = (device.memory.l1_bytes - held).max(16384.0) / at_once.max(1.0);
        let [missed, late, local_missed] =
            [&locality.missed, &locality.late, &locality.local_missed].map(|at| misses(at, capacity));
        let past = past_l1(code, launch, capacity);
        let (missed, late) = (missed + past, late + past);
        let asked = (counters.global_load_sectors + counters.local_load_sectors) as f64 / ran;
        let ratio = if locality.requested > 0 { missed / locality.requested as f64 } else { 1.0 };
        // What the compiler spilled no simulator of PTX sees: every thread's own words, again and again.
        let [spill_loads, spill_stores] = spilled;
        let frames = f64::from(launch.stack) * f64::from(launch.threads);
        let spill_missed = if frames > 0.0 { (1.0 - capacity / frames).max(0.0) } else { 0.0 };
        let loaded = asked * ratio
            + locality.prefetched as f64
            + spill_loads * spill_missed
            + counters.global_atomic_return_sectors as f64 / ran;
        let all_stored = (counters.global_store_sectors + counters.local_store_sectors) as f64 / ran;
        // A request that completes what the one before it began leaves with it.
        let joined: f64 =
            locality.joined.iter().zip(&device.memory.joins).map(|(sectors, share)| *sectors as f64 * share).sum();
        let store_sectors = counters.global_store_sectors as f64 / ran;
        let leaves = all_stored - store_sectors * (joined / locality.store_sectors.max(1) as f64).min(1.0);
        let stored = leaves + counters.global_atomic_sectors as f64 / ran + spill_stores;
        let local_asked = counters.local_load_sectors as f64 / ran;
        let local_hits =
            if local_asked > 0.0 { (1.0 - local_missed / local_asked.max(1.0)).clamp(0.0, 1.0) } else { 1.0 };
        let requests = (counters.global_load_requests + counters.local_loads + counters.local_stores) as f64 / ran;
        // The trace may have ended early.
        let traced = locality.requested.max(1) as f64;
        let lines = if locality.lines > 0 { locality.lines as f64 * (asked / traced).max(1.0) } else { requests };
        let lines_per_request = if requests > 0.0 { (lines / requests).max(1.0) } else { 1.0 };
        let local_words = locality.local_words.min(32 * counters.local_stores / launch.ran.max(1)) as f64;
        let written_whole = (counters.global_store_bytes as f64 / ran + 4.0 * local_words) / SECTOR;
        let partial = if leaves > PARTIAL * written_whole { leaves } else { 0.0 };
        let partial_per_line = if counters.local_store_sectors > counters.global_store_sectors {
            4.0
        } else {
            locality.store_sectors as f64 / locality.store_lines.max(1) as f64
        };
        let lines = lines + (spill_loads + spill_stores) / 4.0;
        let moved = asked + counters.local_store_sectors as f64 / ran + spill_loads + spill_stores;
        let l1_cycles =
            (lines / device.memory.l1_lines_per_cycle).max(moved / device.memory.l1_sectors_per_cycle).max(requests);
        let (mut hot, mut touched) = (0.0, 0.0);
        let unseen = unseen(launch);
        for (at, memory) in facts.memory.iter().enumerate() {
            let touch = |all: &[Touch]| scaled(all.get(at).copied().unwrap_or_default(), unseen);
            let asked = touch(&locality.read).sectors as f64 * blocks;
            touched += asked;
            if asked * SECTOR > AGAIN * memory.bytes as f64 && (memory.bytes as f64) < device.memory.hot_bytes {
                hot += asked;
            }
        }
        let of_data = if locality.requests > 0 { locality.wavefronts as f64 / locality.requests as f64 } else { 1.0 };
        let global = (counters.global_load_requests + counters.global_store_requests) as f64 / ran;
        let local = (counters.local_loads + counters.local_stores) as f64 / ran + (spill_loads + spill_stores) / 4.0;
        Self {
            capacity,
            loaded,
            stored,
            timely: if locality.requested > 0 { (1.0 - late / traced).max(0.0) } else { 0.0 },
            hot: hot / touched.max(1.0),
            partial,
            partial_per_line,
            lines_per_request,
            local_hits: if spill_loads > local_asked { 1.0 - spill_missed } else { local_hits },
            l1_cycles,
            wavefronts: global * of_data + local,
            dram: Dram::of(facts, launch, device),
        }
    }
}

/// Does a source line load past the L1 cache?
pub(super) fn goes_past_l1(code: &Code, file: &str, line: u32) -> bool {
    let here = (file_name(file), line);
    let mut ops = code.blocks.iter().flat_map(|block| &block.ops).filter(|op| op.past_l1);
    ops.any(|op| place(code, op) == Some(here))
}

/// Sectors that the cache would have had, of loads that go past it.
fn past_l1(code: &Code, launch: &LaunchFacts, capacity: f64) -> f64 {
    let places = launch.locality.places.iter().filter(|place| goes_past_l1(code, &place.file, place.line));
    places.map(|place| (place.requested as f64 - misses(&place.late, capacity)).max(0.0)).sum()
}

/// Sectors that spilled registers come from and go to: four for every register of a warp.
pub(super) fn spilled(code: &Code, found: &Frequencies) -> [f64; 2] {
    let mut sectors = [0.0; 2];
    for (block, times) in code.blocks.iter().zip(&found.blocks) {
        for op in block.ops.iter().filter(|op| op.unit == Unit::Local && op.class.is_none()) {
            sectors[usize::from(!op.loads)] += times * f64::from(op.bits.div_ceil(8));
        }
    }
    sectors
}

/// What was counted for caches of several sizes, for one of so many bytes: between those that were tried.
pub(super) fn misses(counted: &[u64; CAPACITIES.len()], capacity: f64) -> f64 {
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
