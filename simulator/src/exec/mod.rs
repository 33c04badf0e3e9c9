//! The executor: warps of 32 lanes as structures of arrays.
//!
//! [`lanes`] runs straight-line code and uniform branches, vectorised; what touches memory, other lanes or the schedule
//! comes back to the modules beside it.

pub mod accessing;
pub mod block;
#[cfg(not(target_family = "wasm"))]
pub mod cluster;
#[cfg(target_family = "wasm")]
#[path = "cluster/none.rs"]
pub mod cluster;
pub mod collective;
pub mod context;
pub mod grid;
#[cfg(not(target_family = "wasm"))]
pub mod kinds;
mod memory;
mod output;
pub mod schedule;
#[cfg(not(target_family = "wasm"))]
pub mod steer;
pub mod turns;
pub mod warp;

pub use memory::{cell, defined, direct, traffic};
pub use output::recorder;
pub use warp::{lanes, profile, select, special};
