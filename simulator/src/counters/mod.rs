//! What a launch did, counted exactly. A count is never a time.
//!
//! # How it is counted
//!
//! Every count belongs to one PTX instruction, and so to one source line (`.loc`; code that a header put into the
//! kernel's file counts at the line that calls it). The counts of a launch are the sums over its lines, and those of
//! several launches the sums over launches, exactly.
//!
//! Three units must not be confused: a *warp* count adds one for a warp whatever its active lanes; a *lane* count adds
//! the active lanes whose guard predicate is true; a *request* is a warp's memory instruction that at least one lane
//! takes part in. A generic address counts for the space it lies in, one request a space.
//!
//! The instructions are PTX's, not the machine's: the assembler merges, splits and drops some. Memory requests, sectors,
//! wavefronts, atomics and barriers are the same on both sides as long as it drops none of them; for the others the
//! names of profiler quantities below say what is meant, not what a GPU's profiler prints to the last digit.
//!
//! # Memory
//!
//! * Global memory is moved in *sectors* of 32 bytes, aligned. A request touches the distinct sectors
//!   `{ (a + k) / 32 : a a lane's address, 0 <= k < its bytes }`. There is no cache here: every touch counts.
//! * Shared memory has 32 banks of 4 bytes: byte `a` is in bank `a / 4 mod 32`. Lanes that want the same word share it.
//!   Requests of up to 4 bytes a lane go at once, of 8 bytes by half warps, of 16 bytes by quarter warps. Each part takes
//!   as many *wavefronts* as its fullest bank has distinct words; all beyond one are *bank conflicts*.
//! * Local memory is interleaved: word `w` of lane `l` lies at `(32 w + l) * 4` of the warp's own region. So 32 lanes at
//!   the same place touch 4 sectors, and a lane alone one.
//!
//! # Ways to memory
//!
//! `ld`, `ldu`, `ld.global.nc`, `cp.async`, `cp.async.bulk` and `ldmatrix` are loads of the space that they read, and copies are
//! stores of the space that they write. `atom` and `red` are counted by themselves, in sectors like loads and stores; an
//! atomic whose old value is used brings a sector back as a load does (`global_atomic_return_sectors`). Loads from
//! `__constant__` memory are counted by request and byte. A prefetch moves nothing that the load after it does not count.
//! Textures and tensor maps are not simulated.
//!
//! # Derived quantities
//!
//! [`Sum`] has the sums over ways: all that global memory is touched, all that is read. [`Ratio`] has every quotient with
//! its formula, and the profiler quantities they are.
//! [`UNKNOWN`] lists those that no simulator without a clock can know.

mod ratio;
mod sum;

pub use ratio::{Ratio, UNKNOWN, Unit, Unknown};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
pub use sum::Sum;

/// A counter: its name and what it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// As in [`Counters`], in JSON, and in goals.
    pub name: &'static str,
    /// The documentation of the field.
    pub doc: &'static str,
}

/// The straight line through two sums, `times` as far as the second.
pub(crate) fn along(from: u64, to: u64, times: f64) -> u64 {
    (from as f64 + times * (to as f64 - from as f64)).max(0.0) as u64
}

/// Declares the counters once: the struct, its sum, its table.
macro_rules! counters {
    ($($(#[doc = $doc:literal])+ $field:ident,)*) => {
        /// Sums over one launch, or over one source line of it. The units are those of the [module](self).
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Counters {
            $($(#[doc = $doc])+ pub $field: u64,)*
        }

        impl Counters {
            /// Every counter, in order.
            pub const FIELDS: &[Field] = &[
                $(Field { name: stringify!($field), doc: concat!($($doc),+) },)*
            ];

            /// Adds another sum to this one, field by field.
            pub fn add(&mut self, other: &Counters) {
                $(self.$field += other.$field;)*
            }

            /// The straight line through this sum and another one, `times` as far as that: for a larger size.
            #[must_use]
            pub fn along(&self, other: &Counters, times: f64) -> Counters {
                Counters { $($field: along(self.$field, other.$field, times),)* }
            }

            /// A counter by its name.
            pub fn get(&self, name: &str) -> Option<u64> {
                match name {
                    $(stringify!($field) => Some(self.$field),)*
                    _ => None,
                }
            }
        }
    };
}

counters! {
    /// Warps that began, counted at the kernel's first instruction.
    warps,
    /// Warp instructions: PTX instructions executed, one a warp.
    instructions,
    /// Lanes that were there, summed over warp instructions, whatever their guard predicate.
    active_thread_instructions,
    /// Thread instructions: lanes whose guard predicate is true, summed over warp instructions.
    /// The sum of the `thread_...` counters below.
    thread_instructions,
    /// Thread instructions on f16, bf16 and pairs of them: arithmetic and comparisons.
    thread_fp16,
    /// Thread instructions on f32.
    thread_fp32,
    /// Thread instructions on f64.
    thread_fp64,
    /// Thread instructions on integers and bits: arithmetic, logic, shifts, comparisons, selections.
    thread_integer,
    /// Thread instructions that are special functions: `div`, `rcp`, `sqrt`, `rsqrt`, `sin`, `cos`, `lg2`, `ex2`, `tanh`
    /// of any floating-point type.
    thread_special,
    /// Thread instructions that convert between types (`cvt`).
    thread_conversion,
    /// Thread instructions that may go elsewhere: branches, calls, returns, exits, traps.
    thread_control,
    /// Thread instructions on memory: loads, stores, atomics, copies, prefetches, matrix loads and stores.
    thread_memory,
    /// Thread instructions between lanes: shuffles, votes, matches, `redux`, `activemask`, `elect`.
    thread_exchange,
    /// Thread instructions that multiply matrices.
    thread_matrix,
    /// All other thread instructions: moves, parameters, predicates, address conversions, barriers, fences.
    thread_other,
    /// Branch instructions executed by a warp whose guard or target could differ between lanes: `bra` with a guard,
    /// `brx`, indirect calls.
    branches,
    /// Branches after which the active lanes of a warp went to more than one place.
    divergent_branches,
    /// Requests of global loads; `cp.async` is one, and a store to shared memory as well. Not `global_polls`.
    global_load_requests,
    /// 32-byte sectors that global loads touched, by request.
    global_load_sectors,
    /// Bytes that lanes asked for in global loads.
    global_load_bytes,
    /// Requests of `volatile`, `relaxed` and `acquire` loads from global memory that is no input, where the same operation of the warp
    /// looked the time before, as a loop does that waits. How many there are is a matter of luck, so they are in no other counter of loads.
    global_polls,
    /// Requests of global stores.
    global_store_requests,
    /// 32-byte sectors that global stores touched, by request.
    global_store_sectors,
    /// Bytes that lanes wrote in global stores.
    global_store_bytes,
    /// Requests of atomics and reductions on global memory.
    global_atomic_requests,
    /// 32-byte sectors that they touched, by request.
    global_atomic_sectors,
    /// Lanes' atomics and reductions on global memory.
    global_atomics,
    /// 32-byte sectors that come back to the lanes: those of atomics on global memory whose old value is used. Such an
    /// atomic is a load as well.
    global_atomic_return_sectors,
    /// Requests of loads from constant memory, kernel parameters left out.
    constant_loads,
    /// Bytes that lanes asked for in loads from constant memory. Lanes that want the same word share it.
    constant_load_bytes,
    /// Wavefronts of loads from constant memory: words of different addresses, by request, which come one after the other. Different bytes
    /// of one word are different addresses.
    constant_load_wavefronts,
    /// Requests of shared loads.
    shared_load_requests,
    /// Wavefronts of shared loads: passes over the 32 banks.
    shared_load_wavefronts,
    /// Bytes that lanes asked for in shared loads.
    shared_load_bytes,
    /// Requests of shared stores.
    shared_store_requests,
    /// Wavefronts of shared stores.
    shared_store_wavefronts,
    /// Bytes that lanes wrote in shared stores.
    shared_store_bytes,
    /// Wavefronts of shared loads and stores beyond one for each part of a request.
    shared_bank_conflicts,
    /// Requests of atomics and reductions on shared memory.
    shared_atomic_requests,
    /// Lanes' atomics and reductions on shared memory.
    shared_atomics,
    /// Requests of local loads.
    local_loads,
    /// 32-byte sectors that local loads touched, by request.
    local_load_sectors,
    /// Requests of local stores.
    local_stores,
    /// 32-byte sectors that local stores touched, by request.
    local_store_sectors,
    /// Arrivals of warps, or of diverged parts of one, at block barriers (`bar.sync`, `bar.arrive`, `bar.red`).
    barriers,
    /// Warp barriers (`bar.warp.sync`) passed by a warp, or by a diverged part of one.
    warp_barriers,
    /// Memory fences (`membar`, `fence`) executed by a warp, or by a diverged part of one.
    fences,
    /// Shuffles executed by a warp, without those whose result reaches no memory, address, condition or call.
    shuffles,
    /// Votes, matches and `redux` executed by a warp.
    votes,
    /// Different values that a warp's `match.any` found, summed over them: the machine takes one after the other.
    match_values,
    /// Divisions, reciprocals and roots to nearest, of f32 and f64, executed by a warp of which a lane has an operand that the machine's
    /// short way does not do: none, subnormal, infinite, or such that the result is. The warp goes a long way for it.
    long_divisions,
    /// Floating-point operations of lanes: an add, a subtraction or a multiplication is 1, a fused multiply-add 2, of a
    /// pair twice that; an atomic add is 1. Nothing else is one. The sum of the next four.
    flops,
    /// Those on f16 and bf16.
    flops_fp16,
    /// Those on f32.
    flops_fp32,
    /// Those on f64.
    flops_fp64,
    /// Those of matrix products: `2 m n k` a warp instruction, whatever the type, unless it is an integer's.
    flops_matrix,
    /// Thread instructions that compute with f64 in any way: arithmetic, comparisons, special functions, matrix products,
    /// and conversions to f64 or from it. Loads, stores and moves of f64 are none.
    double_precision,
}

impl Counters {
    /// Thread instructions over 32 times warp instructions, 0 to 1 (1 when nothing ran): how full the warps were.
    pub fn lane_efficiency(&self) -> f64 {
        Ratio::LaneEfficiency.of(self).unwrap_or(1.0)
    }

    /// Did nothing count?
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Counters by source line: (file, line) to sums. Lines come from `.loc`; line 0 is code without one.
pub type LineCounters = BTreeMap<(String, u32), Counters>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_in_the_table_by_its_name_in_json() {
        let json = serde_json_names();
        let names: Vec<&str> = Counters::FIELDS.iter().map(|field| field.name).collect();
        assert_eq!(json, names);
        assert!(Counters::FIELDS.iter().all(|field| !field.doc.trim().is_empty()));
    }

    /// The names that serialisation gives, in order.
    fn serde_json_names() -> Vec<String> {
        let text = serde_json::to_string(&Counters::default()).unwrap();
        text.split('"').skip(1).step_by(2).map(str::to_owned).collect()
    }

    #[test]
    fn sums_are_field_by_field() {
        let (mut a, b) = (
            Counters { warps: 1, flops: 2, ..Default::default() },
            Counters { flops: 3, votes: 4, ..Default::default() },
        );
        a.add(&b);
        assert_eq!(a, Counters { warps: 1, flops: 5, votes: 4, ..Default::default() });
        assert_eq!((a.get("flops"), a.get("flop")), (Some(5), None));
        assert_eq!(a.along(&Counters { flops: 7, ..a }, 10.0), Counters { flops: 25, ..a });
    }
}
