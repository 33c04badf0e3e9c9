//! Interleaved timing, the ratio's interval and verdict, the device's roof, and results files.
//!
//! A sample is one pass over a version's launches between two events, with the outputs poisoned and the cache brought
//! into its stated condition before. Baseline and candidate take turns and swap who leads. Every timed output is
//! verified: its fingerprint must be that of an output that was compared with the oracle's. Afterwards each version runs
//! once more over fresh inputs without reloading its module.

pub mod ladder_record;
mod neighbours;
mod outcome;
pub mod record;
mod roof;
pub mod statistics;
mod time;
mod tools;

pub use neighbours::{Neighbour, neighbours};
pub use outcome::{RoofValues, Stage, Timed};
pub use roof::measure_roof;
pub use statistics::{Interval, MARGIN, Summary, Verdict};
pub use time::time;
pub use tools::Tools;

/// CUDA source of the checker's own kernels; compiled for the device and passed as `tools` in jobs.
pub const KERNELS: &str = include_str!("tools.cu");
