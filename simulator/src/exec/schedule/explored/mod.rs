//! Explored schedules: which lanes stop before which operation, and who goes next of all that is resident.

mod aside;
pub(super) mod late;
pub(super) mod order;
pub(super) mod preempt;
pub(super) mod turns;
