//! What a launch tells beside its results: counters, samples, traces.

pub(super) mod ahead;
pub(super) mod counters;
pub(super) mod sampled;
pub(super) mod trace;
