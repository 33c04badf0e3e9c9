//! The simulator as its users meet it: small texts of PTX, launched.

mod apfloat;
mod counters;
mod defined;
mod endless;
mod execution;
mod heap;
mod limits;
mod provenance;
mod sampled;
mod schedules;
mod text;
mod threads;
mod trace;
