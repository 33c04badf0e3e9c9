//! Any kernel file or problem: run, measured, its machine code.

pub(super) mod bench;
pub(super) mod run;
pub mod sass;
