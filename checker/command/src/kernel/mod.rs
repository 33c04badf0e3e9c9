//! Any kernel file or problem: run, measured, its machine code.

pub mod bench;
mod characterise;
pub mod run;
pub mod sass;
