//! The typed, versioned report and its faces: terminal, plain, JSON.
//!
//! [`Report`] is data; [`render`] lays it out once for both text faces; [`Report::to_json`] writes it as it is.

mod diff;
mod excerpt;
mod face;
mod layout;
mod model;
mod sweep;
mod table;
mod verdict;

#[cfg(test)]
mod tests;

pub use excerpt::Sources;
pub use face::{Face, Pen, Tone, number, pad, wrap};
pub use layout::{Detail, render, sizes};
pub use model::*;
pub use verdict::Verdict;
