//! A class: submissions in, points by a rubric, a grade book that loses nothing, and what graders read. See docs/grading.md.
//!
//! ```text
//! folder, zip, list -> intake -> Submission -> run (check::check, a pool) -> Grade -> book (one file each)
//!                                    rubric -> points --------------------------^        \-> table, pages, formats
//! ```
//!
//! Rules that all of it keeps: only a kernel file is taken from a student, as bytes, and no name that a student chose becomes a
//! path; a grade hangs on nothing that the machine or the hour decides; what could not be told is not graded, and never 0 points.

pub mod book;
pub mod dist;
pub mod format;
pub mod grade;
pub mod intake;
pub mod key;
pub mod points;
pub mod rubric;
pub mod run;
pub mod secret;
pub mod similar;
mod told;

pub use book::{Book, BookError};
pub use grade::{Grade, State};
pub use intake::{Intake, IntakeError, Student, Submission};
pub use jiff::Timestamp;
pub use points::{Points, Tally};
pub use rubric::{Rubric, RubricError};
pub use secret::Secret;
pub use told::{feedback, page, table};

/// Version of the files in a grade book; goes up when a reader of them would have to change.
pub const SCHEMA: u32 = 1;

use std::fmt::Write as _;

/// Digits of a hash.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A hash over parts that cannot run into each other.
fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    use sha2::{Digest, Sha256};
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex(&hash.finalize())
}
