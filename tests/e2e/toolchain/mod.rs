//! From source to machine code: the compiler, found and run, and what it wrote.

mod architectures;
pub(super) mod compile;
mod occupancy;
mod precompiled;
mod provision;
mod sass;
mod together;
