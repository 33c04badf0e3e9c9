//! Versions beside each other: counters, machine code, times, by line, by version, by size.

pub(crate) mod diff;
pub(crate) mod ladder;
pub(crate) mod lines;
pub(crate) mod sweep;
pub(crate) mod table;
