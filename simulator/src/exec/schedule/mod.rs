//! Who goes next: lane groups within a warp.
//!
//! * `Its`: the group with the lowest program counter, so that diverged lanes meet where the code joins; lanes wait for
//!   each other at immediate post-dominators. A group that only waits (it loops over volatile loads, atomics or
//!   `nanosleep`) hands over, and if nobody else can run, those who wait at a join go on alone.
//! * `PreVolta`: the same joins, but nobody ever leaves one early: lanes in lockstep.
//! * Explored schedules (`Adversarial`, `Patient`, `Pct`, `Replay`): `Its`, but before an operation that others can see lanes may be
//!   stopped; they belong to another clan then, for which nobody waits at a join. Of all resident blocks the group with
//!   the lowest rank goes next; who only waits goes behind all others, so that every order is fair (under `Patient` when it has
//!   waited for long).

mod control;
mod explored;
mod pick;
mod progress;
mod reconvergence;
mod run;
mod step;

pub use explored::late::Late;
pub use explored::order::Control;
pub use explored::preempt::visible;
pub use progress::counted::Counted;
pub use progress::divergent_barrier::lanes_missing;
pub use progress::endless::Look;
pub use progress::polls::Polls;
pub use progress::writers::{Writer, Writers};
#[cfg(not(target_family = "wasm"))]
pub(in crate::exec) use run::quiet;
