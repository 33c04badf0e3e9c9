//! From PTX instructions to operations, by kind.

pub mod arith;
pub mod bulk;
pub mod call;
#[cfg(not(target_family = "wasm"))]
pub mod cluster;
pub mod cvt;
pub mod float;
pub mod matrix;
pub mod memory;
pub mod sync;
#[cfg(not(target_family = "wasm"))]
pub mod texture;
