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
