//! What goes through L2 and what comes from DRAM.

use super::work::SECTOR;
use crate::code::{Code, Unit};
use crate::device::Device;
use crate::facts::{Facts, LaunchFacts, Start};
use crate::frequency::Frequencies;
use simulator::locality::{CAPACITIES, Touch};

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
    /// Sectors that are written in part.
    partial: f64,
    /// Bytes of one.
    partial_bytes: f64,
    /// Lines that a request touches.
    pub(super) lines_per_request: f64,
    /// The same of local loads.
    pub(super) local_hits: f64,
    /// Passes through the L1 cache.
    pub(super) l1_cycles: f64,
    /// Bytes from memory, of the whole launch.
    read: f64,
    /// Those of them in sectors whose neighbour the block does not read.
    scattered: f64,
    /// Bytes to memory, of the whole launch.
    written: f64,
    /// Share of the sectors from the L2 cache that came from memory.
    dram_share: f64,
}

impl Traffic {
    /// What the L2 cache takes for a block's sectors, in microseconds.
    pub(super) fn l2_us(&self, device: &Device) -> f64 {
        let memory = &device.memory;
        let hot = self.loaded * self.hot;
        let whole = self.loaded - hot + if self.partial > 0.0 { 0.0 } else { self.stored };
        let slots = (hot / memory.l2_hot_gb_per_s + whole / memory.l2_gb_per_s) * SECTOR / 1e3;
        let partial = self.partial / memory.partial_rate(self.partial_bytes) / 1e3;
        slots.max(partial)
    }

    /// What memory takes for the whole launch, in microseconds.
    pub(super) fn dram_us(&self, device: &Device) -> f64 {
        let memory = &device.memory;
        let rows = self.scattered / SECTOR / memory.scattered_sectors_per_ns;
        let side_by_side = (self.read - self.scattered) / memory.read_gb_per_s;
        (rows + side_by_side) / 1e3 + self.written / memory.write_gb_per_s / 1e3
    }

    /// Cycles until an answer comes that is not in the L1 cache.
    pub(super) fn far_cycles(&self, device: &Device) -> f64 {
        device.latency.l2
            + (device.latency.dram * device.fitted.loaded - device.latency.l2) * self.dram_share
            + device.memory.l2_spread * (1.0 - 1.0 / self.lines_per_request.max(1.0))
    }

    pub(super) fn of(facts: &Facts, launch: &LaunchFacts, at_once: f64, spilled: [f64; 2], device: &Device) -> Self {
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
pub(super) fn touched_once(touch: &Touch, launch: &LaunchFacts, blocks: u64, bytes: f64) -> f64 {
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
