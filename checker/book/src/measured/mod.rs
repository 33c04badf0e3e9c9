//! Blocks made of results files.

pub(crate) mod ladder;
pub(crate) mod peers;
pub(crate) mod results;
pub(crate) mod table;
