//! What all blocks do at one place of memory, one after the other: loads and stores that queue there, and blocks that wait for their turn.

use super::traffic::goes_past_l1;
use crate::code::{Block, Code, Unit};
use crate::device::Device;
use crate::facts::LaunchFacts;
use crate::frequency::{file_name, place};
use std::collections::BTreeMap;

/// Microseconds of the longest queue of loads that go past the L1 cache, and of stores, at a place of the L2 cache: a sector takes as long as
/// an atomic's lane there ([`crate::device::MemoryRates::place_ns`]), which is measured; of loads and stores it is taken to be so.
pub(super) fn hot_us(launch: &LaunchFacts, code: &Code, device: &Device) -> f64 {
    let mut places: BTreeMap<u64, f64> = BTreeMap::new();
    for hot in &launch.locality.hot {
        if hot.store || goes_past_l1(code, &hot.file, hot.line) {
            // So many of two blocks go where one far from them goes.
            let share = hot.far.iter().filter(|meets| **meets).count() as f64 / 2.0;
            *places.entry(hot.place).or_default() += hot.sectors as f64 * share;
        }
    }
    let longest = places.into_values().fold(0.0, f64::max);
    longest * launch.blocks as f64 * device.memory.place_ns / 1e3
}

/// Microseconds in which blocks wait for each other where each waits for a word that the one before it writes and then writes it itself: a
/// block begins when what the last one wrote has come from the L2 cache.
pub(super) fn turns_us(launch: &LaunchFacts, code: &Code, device: &Device) -> f64 {
    let waits = launch.locality.turns.iter().any(|(file, line)| polls(code, (file_name(file), *line)));
    if waits { device.us(device.latency.l2 * launch.blocks as f64) } else { 0.0 }
}

/// Does a source line load past the L1 cache again and again, in a loop that does nothing for others?
fn polls(code: &Code, line: (&str, u32)) -> bool {
    let polled = |block: &Block| block.ops.iter().any(|op| op.past_l1 && place(code, op) == Some(line));
    let idle = |block: &Block| {
        let works = |unit: Unit| matches!(unit, Unit::Atomic | Unit::Reduction | Unit::Barrier);
        !block.ops.iter().any(|op| works(op.unit) || (op.unit == Unit::Global && !op.loads))
    };
    (0..code.blocks.len()).any(|at| polled(&code.blocks[at]) && code.comes_back(at, idle))
}
