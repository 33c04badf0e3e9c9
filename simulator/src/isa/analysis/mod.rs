//! What a function's text tells before it runs.

mod by_size;
pub(in crate::isa) mod clocked;
pub(in crate::isa) mod contract;
pub mod control_flow;
pub mod decides;
pub mod fixed;
pub(in crate::isa) mod flow;
#[cfg(feature = "threads")]
pub mod independent;
pub mod liveness;
#[cfg(not(target_family = "wasm"))]
pub mod locks;
pub(in crate::isa) mod marks;
#[cfg(not(target_family = "wasm"))]
pub mod placed;
pub mod provenance;
pub mod turns;
pub(in crate::isa) mod unused;
