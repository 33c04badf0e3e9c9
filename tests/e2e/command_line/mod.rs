//! Finding one's way on the command line, as a learner and as an author.

mod bench;
mod commands;
mod problem;
mod usage;
