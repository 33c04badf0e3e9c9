//! End-to-end tests: the real binary, as a user meets it. One module an area; add yours below.

// The helpers are test code too: a panic is how they fail.
#![allow(clippy::unwrap_used)]

mod architectures;
mod backend;
mod bench;
mod book;
mod check;
mod commands;
mod compile;
mod counts;
mod documents;
mod findings;
mod goals;
mod grade;
mod grade_cheats;
mod grade_claims;
mod grade_formats;
mod grade_intake;
mod hardware;
mod inputs;
mod interrupt;
mod judged;
mod ladder;
mod leaks;
mod model;
mod occupancy;
mod orders;
mod own;
mod page;
mod precompiled;
mod problem;
mod references;
mod results;
mod run;
mod sass;
mod schedules;
mod support;
mod together;
mod toolchain;
mod usage;
mod verdicts;
