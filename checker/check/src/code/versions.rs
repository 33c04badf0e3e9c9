//! The versions of a check, compiled together.

use crate::build::{BuildError, Built};
use crate::platform::Platform;
use crate::{CheckError, build_version};
use compiler::toolchain::Toolchain;
use problem::{Kind, Problem, Version};
use std::path::PathBuf;
use std::time::Instant;
use system::interrupt::HalfWritten;

/// The three programs of a check on one platform.
pub struct Versions {
    /// Naive or starter.
    pub baseline: Built,
    /// Optimised, the learner's, or the solution.
    pub candidate: Built,
    /// The oracle.
    pub reference: Built,
}

/// Headings of the two columns.
pub fn labels(problem: &Problem, version: &Version) -> [String; 2] {
    if let Some([before, step]) = problem.step() {
        return [before.clone(), step.clone()];
    }
    let (baseline, candidate) =
        if problem.kind == Kind::Exercise { ("starter", "yours") } else { ("naive", "optimised") };
    let candidate = match version {
        Version::Candidate => candidate.to_owned(),
        Version::Solution if problem.kind == Kind::Pair => candidate.to_owned(),
        other => other.to_string(),
    };
    [baseline.to_owned(), candidate]
}

/// Compiles the three in parallel, until then at the latest.
pub fn assemble(
    toolchain: &Toolchain,
    problem: &Problem,
    version: &Version,
    platform: &Platform,
    until: Option<Instant>,
) -> Result<Versions, BuildError> {
    let [baseline, candidate, reference] = std::thread::scope(|scope| {
        [&Version::Baseline, version, &Version::Reference]
            .map(|version| scope.spawn(move || build_version(toolchain, problem, version, platform, until)))
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    // The learner's own mistake is told before a shipped one.
    let candidate = candidate?;
    Ok(Versions {
        baseline: baseline.map_err(|stop| fault_of(problem, "the baseline", stop))?,
        candidate,
        reference: reference.map_err(|stop| fault_of(problem, "the oracle", stop))?,
    })
}

/// A shipped version that cannot be built is not the learner's doing.
pub fn fault_of(problem: &Problem, what: &'static str, stop: BuildError) -> BuildError {
    let message = match stop {
        BuildError::Line(error) | BuildError::Launch(error, _) => error.to_string(),
        BuildError::Compile(error) => error.to_string(),
        BuildError::Error(error) => return BuildError::Error(error),
    };
    BuildError::Error(CheckError::Shipped { problem: problem.id.to_string(), what, message })
}

pub fn not_here(problem: &Problem, stop: BuildError) -> CheckError {
    fault_of(problem, "a kernel, compiled for this GPU,", stop).into()
}

/// Machine code in files, for workers that drive a GPU.
pub struct Cubins {
    folder: tempfile::TempDir,
    _guard: HalfWritten,
}

impl Cubins {
    /// Baseline 0, candidate 1, reference 2.
    pub fn write(versions: &Versions) -> std::io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let files = Self { _guard: HalfWritten::new(folder.path()), folder };
        for (index, built) in [&versions.baseline, &versions.candidate, &versions.reference].into_iter().enumerate() {
            std::fs::write(files.path(index), &built.compiled.cubin)?;
        }
        Ok(files)
    }

    /// A file.
    pub fn path(&self, index: usize) -> PathBuf {
        self.folder.path().join(format!("{index}.cubin"))
    }
}
