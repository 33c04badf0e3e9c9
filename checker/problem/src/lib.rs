//! Problems: kernel-file lines, expressions, `problem.toml`, goals, the workbook's folders; a `Plan` for a version at a
//! size. See docs/formats.md.
//!
//! Everything here is read from text that people write, so everything malformed is a [`LineError`] with its place; and
//! everything here ends and stays small whatever the text says.

mod error;
pub mod expr;
pub mod kernel_file;
pub mod manifest;
mod planning;
pub mod workbook;

use expr::{cursor, formula};
pub use kernel_file::{entry, signature, statement};
use kernel_file::{kernel_name, source, types};
use manifest::{fill, ladder_check};
pub use manifest::{goal, ladder, metric, work};
pub use workbook::{audit, topics};
use workbook::{mutant, pages, renamed};

pub use error::{LineError, SourceLine, did_you_mean, nearest};
pub use expr::Sizes;
pub use fill::FORM as FILL_FORM;
pub use formula::Formula;
pub use goal::{Condition, Goal};
pub use kernel_file::KernelFile;
pub use kernel_name::KernelName;
pub use ladder::{ElementType, Ladder, Published};
pub use manifest::{
    Axis, BackendName, CacheState, Cell, Drawn, ErrorBound, HARDEST, InputSpec, Manifest, OutputSpec, Quantity, Sweep,
    magnitude_name,
};
pub use metric::{Better, Counter, CounterRatio, Metric, MetricSource};
pub use mutant::Reason;
pub use pages::Page;
pub use planning::{DeviceShape, MAX_LAUNCHES, PlanContext};
pub use renamed::renamed;
pub use source::Owner;
pub use topics::{Topic, Topics};
pub use types::Types;
pub use work::{WorkBounds, WorkKind};
pub use workbook::{Kind, MANIFEST, Problem, ProblemId, ROOT_VARIABLE, Version, Workbook};

use std::path::PathBuf;

/// Why a problem or kernel file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProblemError {
    /// Malformed at a place.
    #[error(transparent)]
    Line(#[from] LineError),
    /// A file that cannot be read.
    #[error("cannot read {}: {source}", system::text::path(path))]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// `WARPBOOK_ROOT` names no workbook.
    #[error(
        "{} holds no workbook (no exercises/ and kernels/): correct --workbook or {ROOT_VARIABLE}",
        system::text::path(root)
    )]
    BadRoot {
        /// What it names.
        root: PathBuf,
    },
    /// Not inside a workbook.
    #[error(
        "no workbook at or above {} (a folder with exercises/ and kernels/): go into yours (cd), or name it by \
         --workbook FOLDER or {ROOT_VARIABLE}",
        system::text::path(start)
    )]
    NoWorkbook {
        /// Where the search began.
        start: PathBuf,
    },
    /// No such problem.
    #[error("no problem is called `{name}`{}", unknown_hint(nearest.as_deref()))]
    Unknown {
        /// As written.
        name: String,
        /// The nearest in spelling.
        nearest: Option<String>,
    },
    /// A folder in `exercises/` that is not `exNN`.
    #[error("exercises/{name}: an exercise's folder is named exNN, with two digits or more")]
    BadExerciseName {
        /// Its name.
        name: ProblemId,
    },
    /// No such step of a ladder, or no ladder.
    #[error("{problem} has no version `{step}`{}", if steps.is_empty() { String::new() } else { format!("; it has {steps}") })]
    NoStep {
        /// The problem.
        problem: ProblemId,
        /// As written.
        step: String,
        /// The names there are.
        steps: String,
    },
    /// No such element type of a ladder, or no ladder.
    #[error(
        "--type {element}: {problem} {}",
        if types.is_empty() { "is no ladder, it has no element types to choose from".into() } else { format!("has {types}") }
    )]
    NoType {
        /// The problem, or the file that belongs to none.
        problem: String,
        /// As written.
        element: String,
        /// The names there are.
        types: String,
    },
    /// This kind of problem has no such version.
    #[error("{problem} has no {version} version")]
    NoVersion {
        /// The problem.
        problem: ProblemId,
        /// The version.
        version: String,
    },
}

fn unknown_hint(nearest: Option<&str>) -> String {
    match nearest {
        Some(near) => format!("; did you mean `{near}`?"),
        None => "; `checker list` shows them all".to_string(),
    }
}

#[cfg(test)]
mod tests;
