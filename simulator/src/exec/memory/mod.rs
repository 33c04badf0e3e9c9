//! Accesses to memory: what is read and written, what it costs, what no hardware complains about.

pub mod access;
pub mod atomic;
pub(in crate::exec) mod bounds;
pub(in crate::exec) mod bulk;
pub mod cell;
pub mod copy;
pub mod defined;
pub mod direct;
pub(in crate::exec) mod heap;
#[cfg(not(target_family = "wasm"))]
mod texture;
pub mod traffic;
