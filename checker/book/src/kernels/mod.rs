//! Blocks made of a kernel as it was compiled, or as it ran on the simulator.

pub(crate) mod evidence;
pub(crate) mod listing;
pub(crate) mod sass;
pub(crate) mod simulated;
pub(crate) mod source;
pub(crate) mod trace;
