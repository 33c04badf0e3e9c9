//! The typed, versioned report and its faces: terminal, plain, JSON.
//!
//! [`Report`] is data; [`render`] lays it out once for both text faces; [`Report::to_json`] writes it as it is.

mod diff;
mod excerpt;
mod face;
mod goals;
mod ladder;
mod layout;
mod lines;
mod markup;
mod model;
mod orders;
mod room;
mod schedules;
mod screen_svg;
mod stages;
mod sweep;
mod table;
mod trace;
mod trace_svg;
mod verdict;

#[cfg(test)]
mod tests;

pub use excerpt::Sources;
pub use face::{Face, Pen, Tone, number, pad, wrap};
pub use layout::{Detail, render, sizes};
pub use lines::{Heat, heat};
pub use markup::escape;
pub use model::*;
pub use screen_svg::screen;
pub use trace_svg::{Dress, figure, standalone};
pub use verdict::Verdict;
