//! The executor: warps of 32 lanes as structures of arrays.
//!
//! [`lanes`] runs straight-line code and uniform branches, vectorised; what touches memory, other lanes or the schedule
//! comes back to the modules beside it.

pub mod access;
pub mod atomic;
pub mod block;
pub mod call;
pub mod collective;
pub mod context;
pub mod fault;
pub mod grid;
pub mod lanes;
pub mod matrix;
pub mod mbarrier;
pub mod printf;
pub mod schedule;
pub mod warp;
