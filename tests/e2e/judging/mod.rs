//! Kernels judged by a problem: right, clean, fast, and not by a trick.

pub(super) mod check;
mod conditions;
mod goals;
mod inputs;
mod judged;
mod modelled;
pub(super) mod references;
mod results;
mod sizes;
mod verdicts;
