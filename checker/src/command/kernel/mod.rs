//! Any kernel file or problem: run, measured, its machine code.

pub(super) mod bench;
mod characterise;
pub(super) mod run;
pub mod sass;
