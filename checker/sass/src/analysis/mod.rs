//! What a listing tells: its control flow, its counts, what ran of it, and how two of them differ.

pub(crate) mod convergence;
pub mod diff;
pub mod flight;
pub mod flow;
pub mod live;
pub(crate) mod live_runs;
pub mod stats;
