//! Requests and atomics: what the units of an SM and of L2 have to do.

use super::dram::touched_once;
use crate::class::Class;
use crate::code::{Block, Code, Op, Unit};
use crate::device::{Device, PipeCycles};
use crate::facts::{Facts, LaunchFacts};
use crate::frequency::{Frequencies, file_name};
use std::collections::BTreeMap;

/// What takes the way to the memory units.
const REQUESTS: [Unit; 6] = [Unit::Shuffle, Unit::Shared, Unit::Global, Unit::Local, Unit::Atomic, Unit::Reduction];

/// Warp instructions of a block of threads, by unit.
pub(super) struct BlockWork {
    units: BTreeMap<Unit, f64>,
    issued: f64,
    pub(super) conflicts: f64,
    /// Calls of what the assembler brought, from which one comes back by an address in a register.
    calls: f64,
}

impl BlockWork {
    pub(super) fn of(code: &Code, found: &Frequencies, ran: f64) -> Self {
        let mut work = Self { units: BTreeMap::new(), issued: 0.0, conflicts: 0.0, calls: 0.0 };
        for (block, times) in code.blocks.iter().zip(&found.blocks) {
            for op in &block.ops {
                work.issued += times / ran;
                work.calls += if op.calls { times / ran } else { 0.0 };
                work.conflicts += f64::from(op.crowded) * times / ran;
                *work.units.entry(op.unit).or_default() += times / ran;
            }
        }
        work
    }

    /// Cycles of a scheduler that is to issue all of it. Whoever jumps to an address that was not foreseen fetches its instructions anew; of
    /// parted lanes each part does.
    pub(super) fn slots(&self, divergent: f64, busy: &PipeCycles) -> f64 {
        let indirect = self.of_unit(Unit::Indirect);
        let parted = if indirect > 0.0 { divergent * busy.divergence } else { 0.0 };
        self.issued + parted + (indirect + self.calls) * (busy.indirect - 1.0)
    }

    /// Cycles of a scheduler's way to the memory units, with what waits for nothing but that.
    pub(super) fn requests(&self, busy: &PipeCycles) -> f64 {
        let requests: f64 = REQUESTS.into_iter().map(|unit| self.of_unit(unit)).sum();
        let waiting = self.of_unit(Unit::Arrival) * busy.arrival + self.of_unit(Unit::Group) * busy.group;
        requests * busy.memory + waiting
    }

    pub(super) fn of_unit(&self, unit: Unit) -> f64 {
        self.units.get(&unit).copied().unwrap_or(0.0)
    }
}

/// Cycles of a scheduler's tensor core for a block's products of matrices: those of doubles by how much there is to multiply.
pub(super) fn tensor(code: &Code, found: &Frequencies, ran: f64, busy: &PipeCycles) -> f64 {
    let each = |op: &Op| (f64::from(op.double_products) / busy.double_products).max(busy.tensor);
    let of = |block: &Block| block.ops.iter().filter(|op| op.unit == Unit::Tensor).map(each).sum::<f64>();
    code.blocks.iter().zip(&found.blocks).map(|(block, times)| of(block) * times / ran).sum()
}

/// Atomics on global memory. A sector's request at its place of the L2 cache takes as long as it has lanes at one address, and those at
/// one place follow each other; all of them together have a rate. Of integers that a warp adds to one address the compiler may make
/// one.
pub(super) fn atomics_us(facts: &Facts, launch: &LaunchFacts, code: &Code, device: &Device) -> f64 {
    let (meeting, counters, memory) = (&launch.locality.global, &launch.counters, &device.memory);
    let per_launch = launch.blocks as f64 / launch.ran.max(1) as f64;
    if counters.global_atomics == 0 {
        return 0.0;
    }
    let of = |count: u64, all: u64| if all > 0 { count as f64 / all as f64 } else { 0.0 };
    let requests = counters.global_atomic_requests as f64 * per_launch;
    let sectors = counters.global_atomic_sectors as f64 * per_launch;
    let place_ns = memory.place_ns_of(of(counters.global_atomic_return_sectors, counters.global_atomic_sectors));
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
    let part = match meeting.shared {
        true => (own / spread.max(1.0)).min(1.0),
        false => 1.0 / launch.blocks.max(1) as f64,
    };
    // So many of two blocks go where one far from them goes.
    let far = meeting.far.iter().filter(|meets| **meets).count() as f64 / 2.0;
    let whole = part.max(far);
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
pub(super) const SECTOR: f64 = 32.0;

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
