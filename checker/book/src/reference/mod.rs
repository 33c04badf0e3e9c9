//! Blocks made of the tools' own tables.

pub(crate) mod counters;
pub(crate) mod kernel_lines;
pub(crate) mod topics;
