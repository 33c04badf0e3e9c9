//! End-to-end tests: the real binary, as a user meets it. One module an area; add yours below.

// The helpers are test code too: a panic is how they fail.
#![allow(clippy::unwrap_used)]

mod book;
mod class;
mod command_line;
mod hardware;
mod judging;
mod page;
mod running;
mod safety;
mod support;
mod toolchain;
