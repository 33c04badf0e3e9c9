//! What a launch did, counted exactly. A count is never a time.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Sums over one launch, or over one source line of it.
///
/// Warp-level counters count one for a warp whatever its active lanes; thread-level ones count active lanes whose guard
/// predicate is true.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counters {
    /// Warp instructions executed (PTX instructions, one a warp).
    pub instructions: u64,
    /// Thread instructions: active lanes with a true guard predicate, summed over warp instructions.
    pub thread_instructions: u64,
    /// Branch instructions executed by a warp whose guard or target could differ between lanes (`bra` with a guard,
    /// `brx`, indirect calls).
    pub branches: u64,
    /// Branches after which the active lanes of a warp went to more than one place.
    pub divergent_branches: u64,
    /// Warp-level global load requests.
    pub global_load_requests: u64,
    /// 32-byte sectors that global loads touched.
    pub global_load_sectors: u64,
    /// Bytes that lanes asked for in global loads.
    pub global_load_bytes: u64,
    /// Warp-level global store requests.
    pub global_store_requests: u64,
    /// 32-byte sectors that global stores touched.
    pub global_store_sectors: u64,
    /// Bytes that lanes wrote in global stores.
    pub global_store_bytes: u64,
    /// Warp-level shared load requests.
    pub shared_load_requests: u64,
    /// Shared memory wavefronts of loads: passes over the 32 banks of 4 bytes.
    pub shared_load_wavefronts: u64,
    /// Warp-level shared store requests.
    pub shared_store_requests: u64,
    /// Shared memory wavefronts of stores.
    pub shared_store_wavefronts: u64,
    /// Wavefronts beyond the fewest that the request's bytes need (loads and stores).
    pub shared_bank_conflicts: u64,
    /// Warp-level local memory loads.
    pub local_loads: u64,
    /// Warp-level local memory stores.
    pub local_stores: u64,
    /// Lanes' atomic and reduction operations on global memory.
    pub global_atomics: u64,
    /// Lanes' atomic and reduction operations on shared memory.
    pub shared_atomics: u64,
    /// Block barriers a warp arrived at (`bar.sync`, `barrier`, `bar.red`).
    pub barriers: u64,
    /// Warp barriers (`bar.warp.sync`) executed.
    pub warp_barriers: u64,
    /// Shuffles executed by a warp.
    pub shuffles: u64,
    /// Votes, matches and `redux` executed by a warp.
    pub votes: u64,
    /// Floating-point operations of lanes: an add or a multiply is 1, a fused multiply-add 2 (f16x2: twice that).
    pub flops: u64,
}

impl Counters {
    /// Thread instructions over 32 times warp instructions, 0 to 1 (1 when nothing ran): how full the warps were.
    pub fn lane_efficiency(&self) -> f64 {
        if self.instructions == 0 { 1.0 } else { self.thread_instructions as f64 / (32.0 * self.instructions as f64) }
    }
}

/// Counters by source line: (file, line) to sums. Lines come from `.loc`; line 0 is code without one.
pub type LineCounters = BTreeMap<(String, u32), Counters>;

macro_rules! add_fields {
    ($to:ident, $from:ident, $($field:ident)*) => { $($to.$field += $from.$field;)* };
}

impl Counters {
    /// Adds another sum to this one, field by field.
    pub fn add(&mut self, other: &Counters) {
        add_fields!(self, other, instructions thread_instructions branches divergent_branches global_load_requests
            global_load_sectors global_load_bytes global_store_requests global_store_sectors global_store_bytes
            shared_load_requests shared_load_wavefronts shared_store_requests shared_store_wavefronts
            shared_bank_conflicts local_loads local_stores global_atomics shared_atomics barriers warp_barriers shuffles
            votes flops);
    }
}
