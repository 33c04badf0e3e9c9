//! What a function's text tells before it runs.

pub mod control_flow;
pub(in crate::isa) mod flow;
pub mod liveness;
pub(in crate::isa) mod marks;
pub mod provenance;
