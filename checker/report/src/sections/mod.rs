//! The parts of a report, each as it is laid out.

pub(crate) mod diff;
pub(crate) mod goals;
pub(crate) mod ladder;
pub(crate) mod lines;
pub(crate) mod orders;
pub(crate) mod schedules;
pub(crate) mod stages;
pub(crate) mod sweep;
pub(crate) mod table;
pub(crate) mod trace;
pub(crate) mod trace_svg;
pub(crate) mod verdict;
