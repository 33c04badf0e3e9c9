//! Poison, guards, oracle: the runs that a version has to stand. Fills, tolerances and comparison are in `values`.
//!
//! A version is right when, for fresh inputs, every element of every output lies within the derived bound of the
//! oracle's, run twice without reloading its module, with outputs and scratch poisoned differently before each run,
//! its inputs unchanged and nothing written outside its buffers.

pub mod answer;
mod artefacts;
pub mod case;
pub mod inputs;
pub mod judge;
mod kept;
mod probes;
mod version;

/// Bytes that outputs and scratch are filled with before a run. In the first run every float is NaN and every integer
/// -1 (or the largest unsigned); in the second floats are huge (1e36 in f32, 61280 in f16): no right answer is both.
pub const POISON: [u8; 2] = [0xff, 0x7b];

/// Warp instructions that a launch may take in an order in which who waits goes on waiting, beside other orders: tenths of a second.
pub const PATIENT_STEPS: u64 = 1 << 21;
