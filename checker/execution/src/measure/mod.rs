//! Interleaved timing, the ratio's interval and verdict, the device's roof, and results files.
//!
//! A sample is one pass over a version's launches between two events. Before it the inputs are drawn anew on the device, outputs
//! and scratch are poisoned, the module's variables put back to their first values, shared memory overwritten, and the cache
//! brought into its stated condition, so that nothing a kernel remembers helps it. Baseline and candidate take turns and
//! swap who leads. Every timed output is compared with the oracle's for the same inputs, on the device. What the checker notes there is sealed:
//! a kernel can write to it.

#[cfg(not(target_family = "wasm"))]
mod device;
mod floor;
mod neighbours;
mod outcome;
#[cfg(not(target_family = "wasm"))]
mod results;
pub mod statistics;
#[cfg(not(target_family = "wasm"))]
mod time;

#[cfg(not(target_family = "wasm"))]
pub use device::{roof::measure_roof, tools::Tools};
pub use floor::{FloorWork, Peak};
pub use neighbours::{Neighbour, neighbours};
pub use outcome::{RoofValues, Stage, Timed};
#[cfg(not(target_family = "wasm"))]
pub use results::{ladder_record, record};
pub use statistics::{Interval, MARGIN, Summary, Verdict};
#[cfg(not(target_family = "wasm"))]
pub use time::time;

/// CUDA source of the checker's own kernels; compiled for the device and passed as `tools` in jobs.
pub const KERNELS: &str = include_str!("device/tools.cu");
