//! What a run tells: findings, traces, and what kernels print.

pub mod fault;
pub(in crate::exec) mod format;
pub mod notify;
pub mod printf;
pub mod recorder;
