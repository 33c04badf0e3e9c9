//! The `checker` command.

fn main() {}
