//! Interleaved timing, the ratio's interval and verdict, the device's roof, and results files.
//!
//! A sample is one pass over a version's launches between two events. Before it the inputs are drawn anew on the device, outputs
//! and scratch are poisoned, the module's variables put back to their first values, shared memory overwritten, and the cache
//! brought into its stated condition, so that nothing a kernel remembers helps it. Baseline and candidate take turns and
//! swap who leads. Every timed output is compared with the oracle's for the same inputs, on the device.

#[cfg(not(target_family = "wasm"))]
mod answers;
mod floor;
#[cfg(not(target_family = "wasm"))]
mod inputs;
#[cfg(not(target_family = "wasm"))]
pub mod ladder_record;
mod neighbours;
mod outcome;
#[cfg(not(target_family = "wasm"))]
pub mod record;
#[cfg(not(target_family = "wasm"))]
mod roof;
#[cfg(not(target_family = "wasm"))]
mod side;
pub mod statistics;
#[cfg(not(target_family = "wasm"))]
mod time;
#[cfg(not(target_family = "wasm"))]
mod tools;

pub use floor::Work;
pub use neighbours::{Neighbour, neighbours};
pub use outcome::{RoofValues, Stage, Timed};
#[cfg(not(target_family = "wasm"))]
pub use roof::measure_roof;
pub use statistics::{Interval, MARGIN, Summary, Verdict};
#[cfg(not(target_family = "wasm"))]
pub use time::time;
#[cfg(not(target_family = "wasm"))]
pub use tools::Tools;

/// CUDA source of the checker's own kernels; compiled for the device and passed as `tools` in jobs.
pub const KERNELS: &str = include_str!("tools.cu");
