//! The simulator as its users meet it: small texts of PTX, launched.

mod apfloat;
mod clusters;
mod contract;
mod execution;
mod findings;
mod heap;
mod interrupt;
mod late;
mod machines;
mod observed;
mod schedules;
mod text;
mod threads;
