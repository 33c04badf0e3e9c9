//! Runs: under which orders, which fail, and what happened step by step.

pub(crate) mod orders;
pub(crate) mod schedules;
pub(crate) mod trace;
pub(crate) mod trace_svg;
