//! The `checker` command; what it does is in the crates beside this one.
//!
//! ARCHITECTURE.md has the bird's-eye view. The rule that holds everywhere: the checker knows no problem by name.

pub mod command;
pub mod progress;
