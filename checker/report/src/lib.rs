//! The typed, versioned report and its faces: terminal, plain, JSON.
//!
//! [`Report`] is data; [`render`] lays it out once for both text faces; [`Report::to_json`] writes it as it is.

mod excerpt;
mod face;
mod layout;
mod markup;
mod model;
mod room;
mod screen_svg;
mod sections;

#[cfg(test)]
mod tests;

use sections::numbers::{diff, ladder, lines, sweep, table};
use sections::runs::{orders, schedules, trace, trace_svg};
use sections::{goals, stages, verdict};

pub use excerpt::Sources;
pub use face::{Face, Pen, Tone, number, pad, wrap};
pub use layout::{Detail, render, sizes};
pub use lines::{Heat, heat};
pub use markup::escape;
pub use model::*;
pub use screen_svg::screen;
pub use trace_svg::{Dress, figure, standalone};
pub use verdict::Verdict;
