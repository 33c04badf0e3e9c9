//! What a kernel, a file or an interruption does never harms anybody.

mod backend;
mod interrupt;
mod leaks;
