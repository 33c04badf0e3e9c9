//! End-to-end tests: the real binary, as a user meets it. One module an area; add yours below.

// The helpers are test code too: a panic is how they fail.
#![allow(clippy::unwrap_used)]

mod backend;
mod bench;
mod book;
mod check;
mod commands;
mod compile;
mod interrupt;
mod occupancy;
mod problem;
mod references;
mod run;
mod sass;
mod support;
mod toolchain;
mod usage;
mod verdicts;
