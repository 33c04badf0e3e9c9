//! The executor: warps of 32 lanes as structures of arrays.
//!
//! [`lanes`] runs straight-line code and uniform branches, vectorised; what touches memory, other lanes or the schedule
//! comes back to the modules beside it.

pub mod access;
pub mod atomic;
pub mod block;
mod bounds;
mod bulk;
pub mod call;
pub mod cell;
pub mod collective;
pub mod context;
pub mod copy;
pub mod defined;
pub mod direct;
pub mod fault;
mod format;
pub mod grid;
mod heap;
pub mod lanes;
pub mod matrix;
pub mod mbarrier;
pub mod printf;
pub mod profile;
pub mod recorder;
pub mod schedule;
pub mod select;
mod shuffle;
pub mod special;
pub mod tell;
pub mod traffic;
pub mod warp;
