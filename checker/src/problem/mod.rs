//! Problems: kernel-file lines, expressions, `problem.toml`, goals, the workbook's folders; a `Plan` for a version at a
//! size. See "Formats" in ARCHITECTURE.md.
//!
//! Everything here is read from text that people write, so everything malformed is a [`LineError`] with its place; and
//! everything here ends and stays small whatever the text says.

mod cursor;
mod error;
pub mod expr;
mod fill;
pub mod kernel_file;
mod kernel_name;
mod mutant;
mod planning;
mod source;
pub mod statement;

pub use error::{LineError, SourceLine, did_you_mean, nearest};
pub use expr::Sizes;
pub use fill::FORM as FILL_FORM;
pub use kernel_file::KernelFile;
pub use kernel_name::KernelName;
pub use mutant::Reason;
pub use planning::{DeviceShape, MAX_LAUNCHES, PlanContext};

use std::path::PathBuf;

/// Why a problem or kernel file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProblemError {
    /// Malformed at a place.
    #[error(transparent)]
    Line(#[from] LineError),
    /// A file that cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}
