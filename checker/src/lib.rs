//! The library behind the `checker` command.
//!
//! ARCHITECTURE.md has the bird's-eye view. The rule that holds everywhere: the checker knows no problem by name.

pub mod dtype;
pub mod plan;
