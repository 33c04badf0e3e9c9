//! What the machine gives, made safe: files that others may have put there, text that is shown, caches, programs with
//! limits, and what a signal has to undo.
//!
//! In WebAssembly, where there are neither programs nor signals, only what reads and shows is left.

#[cfg(not(target_family = "wasm"))]
pub mod cache;
#[cfg(not(target_family = "wasm"))]
pub mod calls;
#[cfg(not(target_family = "wasm"))]
pub mod confined;
pub mod files;
#[cfg(not(target_family = "wasm"))]
pub mod interrupt;
#[cfg(not(target_family = "wasm"))]
pub mod itself;
#[cfg(not(target_family = "wasm"))]
pub mod placement;
#[cfg(not(target_family = "wasm"))]
pub mod sandbox;
pub mod text;
