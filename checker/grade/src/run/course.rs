//! What a run of grading is given, what it tells on its way, and why it may not begin.

use crate::book::{Book, BookError};
use crate::grade::Grade;
use crate::key::Makers;
use crate::rubric::{Rubric, RubricError, Scheme};
use check::{BackendChoice, CheckError, DeviceWatch, Reach, WedgedError};
use compiler::toolchain;
use problem::{Problem, ProblemError};
use std::collections::BTreeMap;
use std::path::PathBuf;
use system::files::FileError;

/// Why grading stops.
#[derive(Debug, thiserror::Error)]
pub enum GradeError {
    /// The grade book.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The rubric.
    #[error(transparent)]
    Rubric(#[from] RubricError),
    /// A problem.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// A problem's file.
    #[error("{}: {source}", system::text::path(path))]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: FileError,
    },
    /// No compiler, no GPU: nobody can be graded.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// A thread cannot be started.
    #[error("no thread can be started: {0}: fewer --jobs take fewer")]
    Thread(#[source] std::io::Error),
    /// The GPU is not as it was.
    #[error(
        "{wedged}, after {student} {exercise}: nothing more is graded\n  next: see who is on it with `nvidia-smi`, reset it or \
         restart the machine, and give the same command again: what is graded stays as it is"
    )]
    Wedged {
        /// How.
        wedged: WedgedError,
        /// Whose submission was checked.
        student: String,
        /// Of which exercise.
        exercise: String,
    },
    /// What is not graded: a pair, a problem that runs elsewhere.
    #[error("{problem}: {why}")]
    NotForGrading {
        /// The problem.
        problem: String,
        /// Why.
        why: &'static str,
    },
}

impl GradeError {
    /// Is the command line or a file that it names at fault, rather than the machine?
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Rubric(_) | Self::Problem(_) | Self::NotForGrading { .. } => true,
            Self::Book(error) => matches!(error, BookError::NoBook { .. }),
            Self::Check(error) => error.is_usage(),
            Self::File { .. } | Self::Wedged { .. } | Self::Thread(_) => false,
        }
    }
}

/// How to grade.
#[derive(Debug, Clone)]
pub struct GradeOptions {
    /// Checks at the same time.
    pub jobs: usize,
    /// Seconds for a check, with all that belongs to it.
    pub seconds: u64,
    /// How large the sizes are that are run whole.
    pub reach: Reach,
    /// Where kernels run.
    pub backend: BackendChoice,
    /// The compiler.
    pub toolchain: toolchain::ToolchainOptions,
}

/// What happens, for whoever watches.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// So many checks are to be made.
    Begins(usize),
    /// A submission has its grade.
    Graded(&'a Grade),
}

/// An exercise as it is graded.
#[derive(Debug)]
pub struct Task {
    /// The problem.
    pub problem: Problem,
    /// Its points.
    pub scheme: Scheme,
    /// Hash of its files.
    pub(super) files: String,
    /// Its seed.
    pub seed: u64,
}

/// What grading needs to know.
#[derive(Debug)]
pub struct Course<'a> {
    /// Where grades are kept.
    pub book: &'a Book,
    /// What they are worth.
    pub rubric: &'a Rubric,
    /// The exercises.
    pub tasks: BTreeMap<String, Task>,
    pub(super) makers: Makers,
    pub(super) options: GradeOptions,
    pub(super) device: Option<DeviceWatch>,
}

/// What came of it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// Checked now.
    pub checked: usize,
    /// Known from before, or the same as another's.
    pub known: usize,
    /// Without a kernel.
    pub without: usize,
    /// Not graded.
    pub open: usize,
}
