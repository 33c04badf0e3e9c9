//! Versions compiled, and what their machine code alone tells.

pub(crate) mod ahead;
pub(crate) mod build;
pub(crate) mod complaint;
pub mod evidence;
pub(crate) mod listing;
pub(crate) mod page;
pub(crate) mod unfilled;
pub(crate) mod unsteady;
pub(crate) mod versions;
