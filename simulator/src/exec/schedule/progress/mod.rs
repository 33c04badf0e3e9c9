//! Whether lanes that wait can ever go on: deadlocks, barriers that some never reach, loops that never end.

pub(super) mod circle;
pub(super) mod counted;
pub(super) mod deadlock;
pub(super) mod divergent_barrier;
pub(super) mod endless;
pub(super) mod livelock;
pub(super) mod polls;
pub(super) mod writers;
