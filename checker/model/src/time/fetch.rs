//! Fetching code that fits into no instruction cache.

use crate::code::Code;
use crate::device::Fetch;

/// Bytes of an instruction, from Volta on.
const INSTRUCTION: f64 = 16.0;
/// Blocks that run so many times less often than another are of no loop with it.
const AS_OFTEN: f64 = 0.9;

/// Cycles in which a warp's instructions are fetched, where `times` says how often all `warps` run each block. A block finds its code in a
/// cache as large as all that runs as often as it does. Warps that are there together are taken to go together: one fetches for all.
pub(super) fn cycles(code: &Code, times: &[f64], warps: f64, device: &Fetch) -> f64 {
    let blocks = || code.blocks.iter().zip(times).filter(|(_, times)| **times > 0.0);
    let beside = |often: f64| -> f64 {
        let as_often = blocks().filter(|(_, times)| **times >= AS_OFTEN * often);
        as_often.map(|(block, _)| INSTRUCTION * block.ops.len() as f64).sum()
    };
    // Most code is short.
    if beside(0.0) <= device.bytes[0] {
        return 0.0;
    }
    blocks().map(|(block, times)| times / warps * block.ops.len() as f64 * device.of(beside(*times))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;
    use crate::code::{Block, Op, Unit};

    fn code(lengths: &[usize]) -> Code {
        let op = Op {
            unit: Unit::Fma,
            bits: 32,
            loads: false,
            past_l1: false,
            guarded: false,
            conflicts: 0,
            crowded: 0,
            stall: 1,
            pause: 0,
            writes: None,
            reads: None,
            waits: 0,
            class: None,
            line: None,
            shared_atomic: None,
            fence: None,
            calls: false,
            double_products: 0,
        };
        let block = |length: &usize| Block {
            address: 0,
            ops: vec![op; *length],
            next: Vec::new(),
            ends: false,
            leaves: false,
            root: false,
            slow: false,
            calls: Vec::new(),
        };
        Code { name: "k()".into(), blocks: lengths.iter().map(block).collect(), files: Vec::new(), recursive: false }
    }

    #[test]
    fn a_loop_that_fits_costs_nothing_whatever_is_around_it() {
        let device = Device::h200().unwrap().fetch;
        let of = |lengths: &[usize], times: &[f64]| cycles(&code(lengths), times, 8.0, &device);
        assert_eq!(of(&[2000], &[80.0]), 0.0);
        // 64 KB, ten turns a warp; twice that and more.
        assert_eq!(of(&[4096], &[80.0]), 40960.0 * device.cycles[0]);
        assert_eq!(of(&[10_000], &[80.0]), 100_000.0 * device.cycles[1]);
        // What runs once is fetched once: the loop beside it fits.
        assert_eq!(of(&[4000, 1000], &[8.0, 8000.0]), 4000.0 * device.cycles[0]);
        // Two loops of one length, each too short, that turn together.
        assert_eq!(of(&[1500, 1500], &[80.0, 80.0]), 30_000.0 * device.cycles[0]);
        assert_eq!(of(&[1500, 9000], &[80.0, 0.0]), 0.0);
    }
}
