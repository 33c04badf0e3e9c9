//! A plan run: the simulator and the GPU behind one interface, in a worker process ([`backend`]), outputs compared with an
//! oracle's ([`verify`]), versions timed in turn ([`measure`]).
//!
//! In WebAssembly there are neither processes nor GPUs: the simulator runs where it is called, and what it finds is the same.

pub mod backend;
pub mod measure;
pub mod verify;
