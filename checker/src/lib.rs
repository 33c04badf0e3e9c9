//! The library behind the `checker` command.
//!
//! ARCHITECTURE.md has the bird's-eye view. The rule that holds everywhere: the checker knows no problem by name.

pub mod backend;
pub mod book;
mod cache;
pub mod check;
pub mod command;
pub mod compile;
pub mod confined;
pub mod dtype;
pub mod files;
pub mod measure;
pub mod own;
pub mod plan;
pub mod problem;
pub mod progress;
pub mod report;
pub mod sass;
pub mod text;
pub mod toolchain;
pub mod verify;
