//! What a function's text tells before it runs.

pub mod control_flow;
pub(in crate::isa) mod flow;
#[cfg(feature = "threads")]
pub mod independent;
pub mod liveness;
pub(in crate::isa) mod marks;
pub mod provenance;
