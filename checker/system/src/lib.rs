//! What the machine gives, made safe: files that others may have put there, text that is shown, caches, programs with
//! limits, and what a signal has to undo.

pub mod cache;
pub mod calls;
pub mod confined;
pub mod files;
pub mod interrupt;
pub mod itself;
pub mod placement;
pub mod sandbox;
pub mod text;
