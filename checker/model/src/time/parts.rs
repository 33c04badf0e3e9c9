//! The parts of one launch's time, and how they go together.

use super::pauses::Pauses;
use super::traffic::{Traffic, goes_past_l1, misses, spilled};
use super::work::{BlockWork, SECTOR, atomics_us, tensor};
use super::{Bar, Bound, fetch, together};
use crate::chain::{self, Waits};
use crate::code::{Code, SharedAtomic, Unit};
use crate::device::Device;
use crate::facts::{Facts, LaunchFacts};
use crate::frequency::{Confidence, Frequencies, file_name};
use std::collections::BTreeMap;

/// What a launch needs of each part.
pub(super) struct Parts {
    pub(super) bars: Vec<Bar>,
    /// Share of a warp's time, alone, that it waits for memory.
    waits: f64,
}

impl Parts {
    pub(super) fn of(facts: &Facts, launch: &LaunchFacts, code: &Code, found: &Frequencies, device: &Device) -> Self {
        let warps_per_block = f64::from(launch.threads.div_ceil(32));
        let ran = launch.ran.max(1) as f64;
        let (blocks, sms) = (launch.blocks as f64, device.sms as f64);
        let resident = f64::from(launch.resident.max(1));
        // The busiest multiprocessor, and how many of its schedulers have a warp.
        let most = (blocks / sms).ceil();
        let on_sm = if most > 4.0 * resident { blocks / sms + 0.5 } else { most };
        let at_once = on_sm.min(resident);
        let schedulers = (at_once * warps_per_block).min(device.schedulers as f64).max(1.0);
        let counters = &launch.counters;
        let per_block = |count: u64| count as f64 / ran;
        let work = BlockWork::of(code, found, ran);
        let sm_us = |cycles: f64| device.us(cycles * on_sm);
        let by_schedulers = |cycles: f64| sm_us(cycles / schedulers);
        let busy = &device.busy;
        let issued = work.slots(per_block(counters.divergent_branches), busy);
        let values = match_values(per_block(counters.match_values), work.of_unit(Unit::Match));
        let multiply = work.of_unit(Unit::Multiply);
        let requests = work.requests(busy);
        let wavefronts = shared(launch, code, found)
            + per_block(counters.shared_atomic_requests) * shared_atomic(launch, code, found, device);
        let spilled = spilled(code, found).map(|sectors| sectors / ran);
        let traffic = Traffic::of(facts, launch, (code, spilled), at_once, device);
        let memory = &device.memory;
        let to_sm = sm_us((traffic.loaded + traffic.stored) * SECTOR / memory.l2_bytes_per_cycle);
        let l2 = to_sm.max(traffic.l2_us(device) * blocks).max(together::hot_us(launch, code, device));
        // Shared memory and the L1 cache are one memory.
        let both = sm_us(wavefronts + traffic.wavefronts);
        let mostly_shared = wavefronts > traffic.wavefronts;
        let l1 = if mostly_shared { sm_us(traffic.l1_cycles) } else { both.max(sm_us(traffic.l1_cycles)) };
        let dram = traffic.dram.us(device);
        let shared = if mostly_shared { both } else { sm_us(wavefronts) };

        let far = traffic.far_cycles(device);
        let mix = |hits: f64| hits * device.latency.l1 + (1.0 - hits) * far;
        let shared_requests = counters.shared_load_requests + counters.shared_store_requests;
        let shared_requests = per_block(shared_requests + counters.shared_atomic_requests).max(1.0);
        let words = counters.constant_load_wavefronts as f64 / counters.constant_loads.max(1) as f64;
        let waits = Waits {
            global: mix(traffic.timely) + traffic.lines_per_request - 1.0,
            lines: by_line(code, launch, traffic.capacity, &mix),
            local: mix(traffic.local_hits),
            shared: (wavefronts / shared_requests - 1.0).max(0.0) * device.latency.wavefront,
            constant: (words - 1.0).max(0.0) * memory.constant_word,
            barrier: if warps_per_block > 1.0 { device.latency.barrier } else { 0.0 },
            atomic: device.latency.atomic,
            matches: values / work.of_unit(Unit::Match).max(1e-9) * busy.match_value,
            fences: device.latency.fences(at_once * warps_per_block),
        };
        let costs = chain::costs(code, &found.blocks, device, &waits);
        let warps = ran * warps_per_block;
        let sum = |of: &dyn Fn(&chain::Cost) -> f64| -> f64 {
            costs.iter().zip(&found.blocks).map(|(cost, times)| of(cost) * times / warps).sum()
        };
        let waited = sum(&|cost| cost.memory);
        let works = Pauses::of(code, found, launch, device).among(sum(&|cost| cost.cycles) - waited);
        let chain = waited + works + device.overhead.block;
        let rounds = (on_sm / resident).max(1.0);
        let rounds = if rounds < 4.0 { rounds.ceil() } else { rounds };
        // Its own bytes need their time, too, when nobody else's are under way.
        let own = dram / on_sm.max(1.0);
        let latency = ((device.us(chain) + own) * rounds).max(together::turns_us(launch, code, device));

        let bars = [
            (Bound::Issue, by_schedulers(issued)),
            (Bound::Fetch, device.us(fetch::cycles(code, &found.blocks, warps, &device.fetch)) * rounds),
            (Bound::Fp32, by_schedulers(work.of_unit(Unit::Fma) * busy.fma + multiply + work.conflicts)),
            (Bound::Integer, by_schedulers((work.of_unit(Unit::Alu) * busy.alu).max(multiply * busy.multiply))),
            (Bound::Half, by_schedulers(work.of_unit(Unit::Half) * busy.half)),
            (Bound::Double, by_schedulers(work.of_unit(Unit::Double) * busy.double)),
            (Bound::Special, by_schedulers((work.of_unit(Unit::Special) + work.of_unit(Unit::Match)) * busy.special)),
            (Bound::Match, by_schedulers(values * busy.match_value)),
            (Bound::Tensor, by_schedulers(tensor(code, found, ran, busy))),
            (Bound::Requests, by_schedulers(requests)),
            (Bound::Shared, shared),
            (Bound::Constant, sm_us(per_block(counters.constant_load_wavefronts) * memory.constant_word)),
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
    pub(super) fn together(&self, device: &Device) -> f64 {
        let power = device.fitted.overlap;
        let largest = |of: &dyn Fn(Bound) -> bool| {
            self.bars.iter().filter(|bar| of(bar.of)).map(|bar| bar.us).fold(0.0, f64::max)
        };
        let arithmetic = largest(&|bound| bound <= Bound::Tensor);
        let near = largest(&|bound| matches!(bound, Bound::Requests | Bound::Shared | Bound::Constant | Bound::L1));
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

/// Values of `match.any` beyond the first of each, which the machine takes one after the other: none where the assembler made no such
/// instruction, and no more than 31 of each.
fn match_values(counted: f64, executed: f64) -> f64 {
    (counted - executed).clamp(0.0, 31.0 * executed)
}

/// Wavefronts of a block's loads from shared memory and stores to it. The simulator has those of PTX. Where the assembler makes one
/// request of several, each goes on taking as many, and one for 8 bytes of a lane at least; one that it makes of a branch around takes one
/// where no lane wants anything.
fn shared(launch: &LaunchFacts, code: &Code, found: &Frequencies) -> f64 {
    let (counters, ran) = (&launch.counters, launch.ran.max(1) as f64);
    let wavefronts = (counters.shared_load_wavefronts + counters.shared_store_wavefronts) as f64 / ran;
    let asked = (counters.shared_load_requests + counters.shared_store_requests) as f64 / ran;
    let each = wavefronts / asked.max(1.0);
    let (mut executed, mut merged) = (0.0, 0.0);
    for (block, times) in code.blocks.iter().zip(&found.blocks) {
        for op in block.ops.iter().filter(|op| op.unit == Unit::Shared && op.shared_atomic.is_none()) {
            executed += times / ran;
            merged += times / ran * each.max(f64::from(op.bits) / 64.0);
        }
    }
    if asked <= 0.0 || executed <= 0.0 || found.confidence == Confidence::Unknown {
        return wavefronts;
    }
    if executed < asked { merged.min(wavefronts) } else { wavefronts + executed - asked }
}

/// Wavefronts that a request of an atomic on shared memory takes.
fn shared_atomic(launch: &LaunchFacts, code: &Code, found: &Frequencies, device: &Device) -> f64 {
    let meeting = &launch.locality.shared;
    let of = |sum: u64| (sum as f64 / meeting.requests.max(1) as f64).max(1.0);
    let (mut all, mut wavefronts) = (0.0, 0.0);
    for (block, times) in code.blocks.iter().zip(&found.blocks) {
        for kind in block.ops.iter().filter_map(|op| op.shared_atomic) {
            all += times;
            wavefronts += times
                * match kind {
                    SharedAtomic::Counts => of(meeting.places_in_bank),
                    SharedAtomic::Serves => of(meeting.in_bank),
                    SharedAtomic::Retries => 1.0 + (of(meeting.serial) - 1.0) * device.memory.same_shared_address,
                };
        }
    }
    if all > 0.0 { wavefronts / all } else { of(meeting.in_bank) }
}

/// Cycles that the loads of a source line take.
fn by_line(code: &Code, launch: &LaunchFacts, capacity: f64, mix: &dyn Fn(f64) -> f64) -> BTreeMap<(u16, u32), f64> {
    let mut all = BTreeMap::new();
    for place in &launch.locality.places {
        let names = |name: &&String| file_name(name) == file_name(&place.file);
        let Some(file) = code.files.iter().position(|name| names(&name)) else { continue };
        let late = misses(&place.late, capacity) / place.requested.max(1) as f64;
        let timely = if goes_past_l1(code, &place.file, place.line) { 0.0 } else { 1.0 - late };
        let lines = place.lines as f64 / place.requests.max(1) as f64;
        let Ok(file) = u16::try_from(file) else { continue };
        all.insert((file, place.line), mix(timely.max(0.0)) + lines - 1.0);
    }
    all
}
