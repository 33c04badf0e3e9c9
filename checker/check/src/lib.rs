//! The pipeline of one check: compile, correctness on every size, findings, goals on machine code and counters, time;
//! it stops at the first failure that makes the rest meaningless.
//!
//! What the learner's kernel does wrong ends in a [`Report`]. A [`CheckError`] is for what it cannot cause.

mod baselines;
pub mod bench;
mod code;
mod context;
mod device;
pub mod ladder;
mod many;
mod platform;
mod run;
mod share;
mod stages;
mod sweep;

pub use code::ahead::{Ahead, ahead};
pub use code::build::listing_options;
pub use code::evidence;
use code::{build, complaint, listing, page, unfilled::unfilled, unsteady::unsteady, versions};
use context::CheckContext;
pub use stages::modelled;
use stages::{beside, numbers, recorded, roof, stage, time, verify};

pub use account::{CHECK_SECONDS, Orders, schedule_name};
pub use baselines::Baselines;
pub use device::{DeviceWatch, WedgedError};
pub use listing::listing;
pub use many::Time;
pub use page::{edited_kernel, page_kernel};
pub use platform::{BackendChoice, Platform, find_gpu};
pub use recorded::files as results_files;
pub use run::{RunOptions, TRACE_STEPS, run};
pub use time::pace;
pub use verify::STEPS;

use build::{BuildError, Built};
use compiler::compile::{self, CompileCause, CompileError, LARGEST_SOURCE};
use compiler::toolchain::{self, Toolchain, ToolchainError};
use execution::backend;
use problem::{Kind, LineError, Problem, ProblemError, Version};
use report::{RanOn, Reason, Report, Sources, Subject, SubjectKind, Verdict};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use system::files;

/// Hears what is being done.
pub type Progress<'a> = &'a (dyn Fn(&str) + Sync);

/// What is right shall not depend on who else uses the machine: a check that somebody waits for may take so many times its seconds.
const PATIENCE: u64 = 4;

/// What a check of an exercise or a pair may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Seconds, two thirds of which a version may have at a size, on the simulator of processor time.
    pub seconds: u64,
    /// It ends after so many times that, whatever its kernel does and whoever else uses the machine.
    pub patience: u64,
    /// Workers that run a version at the same time. They share the memory, so a kernel may use more of it where they are few.
    pub workers: usize,
    /// Measuring on a GPU has to end with all the rest, too. Whoever waits would rather wait a little longer for it.
    pub measures_within: bool,
}

impl Default for Budget {
    /// For somebody who waits: all cores, not long.
    fn default() -> Self {
        Self { seconds: CHECK_SECONDS, patience: PATIENCE, workers: share::cores(), measures_within: false }
    }
}

impl Budget {
    /// Seconds after which all of it ends.
    pub fn all(&self) -> u64 {
        self.seconds * self.patience
    }

    /// When all of it ends, if it begins now.
    pub(crate) fn until(&self) -> Instant {
        Instant::now() + Duration::from_secs(self.all())
    }
}

/// How large the sizes are that are run whole, on the simulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reach {
    /// As large as somebody waits for.
    #[default]
    Near,
    /// Towards the `time` size, as far as that takes some seconds.
    Far,
    /// The same with sixteen times as much to do. Of a ladder every element type at every size and block size.
    Whole,
}

impl Reach {
    /// Seconds for a check.
    pub fn seconds(self) -> u64 {
        if self == Self::Whole { 4 * CHECK_SECONDS } else { CHECK_SECONDS }
    }
}

/// What a check is asked to do.
#[derive(Debug, Clone, Default)]
pub struct CheckOptions {
    /// Check the worked answer instead of the learner's kernel.
    pub solution: bool,
    /// Check this version in the candidate's place, whatever `solution` says: for authors.
    pub version: Option<Version>,
    /// Where to run.
    pub backend: BackendChoice,
    /// A ladder: this step against the one before instead of the table of all.
    pub step: Option<String>,
    /// How large the sizes are that are run whole.
    pub reach: Reach,
    /// Try all sizes, though it is wrong at one.
    pub all_sizes: bool,
    /// What it may use.
    pub budget: Budget,
    /// Leave out the modelled time, unless a goal asks for it: for callers that read no more than the verdict.
    pub unmodelled: bool,
    /// What baselines came to in earlier checks.
    pub baselines: Option<Arc<Baselines>>,
    /// Options that repeating it needs besides, as they are typed, a space before each.
    pub also: String,
    /// Repeat an earlier run.
    pub seed: Option<u64>,
    /// Machine code for this architecture instead of the problem's.
    pub arch: Option<String>,
    /// Diff whole kernels instead of their hottest loops.
    pub whole_diff: bool,
    /// An explicit toolchain.
    pub toolchain: toolchain::ToolchainOptions,
}

impl CheckOptions {
    /// The version that takes the candidate's part.
    fn version(&self) -> Version {
        let usual = if self.solution { Version::Solution } else { Version::Candidate };
        self.version.clone().unwrap_or(usual)
    }
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The problem is malformed, or there is no such version.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// No toolchain.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// The compiler cannot do what was asked, or a shipped kernel does not compile.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// No listing.
    #[error(transparent)]
    Sass(#[from] sass::SassError),
    /// No GPU, no worker, no memory.
    #[error(transparent)]
    Backend(#[from] backend::BackendError),
    /// Another class is graded on the GPU.
    #[error("{device} is grading another class: one submission at a time is measured there; wait for its end")]
    Busy {
        /// The GPU.
        device: String,
    },
    /// A file for a worker cannot be written.
    #[error("cannot write a temporary file: {0}")]
    Temporary(#[from] std::io::Error),
    /// A results file cannot be written.
    #[error(transparent)]
    Record(#[from] execution::measure::record::RecordError),
    /// The learner's file is gone.
    #[error("{path} is gone\n  next: `checker reset {problem}` puts the starter back")]
    Gone {
        /// The file.
        path: String,
        /// The exercise.
        problem: String,
    },
    /// An exercise's worked answer was never there, as in what a class is given.
    #[error("this copy has no worked solution of `{problem}`")]
    NoSolution {
        /// The exercise.
        problem: String,
    },
    /// A size that a file's run was given, and that it does not have.
    #[error("--size {size}: {of} has no such size; it has {}", if known.is_empty() { "none" } else { known })]
    NoSize {
        /// The size.
        size: String,
        /// The file, or its problem.
        of: String,
        /// Names of those that there are.
        known: String,
    },
    /// A buffer that is to be written to a file, and that there is none of.
    #[error("--dump {buffer}=...: {file} has no buffer `{buffer}`; it has {known}")]
    NoBuffer {
        /// Its name.
        buffer: String,
        /// The kernel file.
        file: String,
        /// Names of those that there are.
        known: String,
    },
    /// A file of the reader's own that does not say how it is launched.
    #[error("{}", no_lines(file, lines, failed.as_deref()))]
    NoLines {
        /// The file.
        file: String,
        /// Lines made from its kernels' parameters; empty where it has no kernel.
        lines: Vec<String>,
        /// What came of trying them, if they fail.
        failed: Option<String>,
    },
    /// A shipped part of the problem is at fault.
    #[error("{what} of `{problem}` is at fault, not your kernel: {message}")]
    Shipped {
        /// The problem.
        problem: String,
        /// "the oracle", "the baseline".
        what: &'static str,
        /// Why.
        message: String,
    },
}

fn no_lines(file: &str, lines: &[String], failed: Option<&str>) -> String {
    if lines.is_empty() {
        return format!("{file} has no `__global__` function with a body, so there is nothing to run");
    }
    let lines = lines.join("\n");
    let tried = failed.map(|failed| format!("  tried with these lines: {failed}\n")).unwrap_or_default();
    format!(
        "{file} does not say how its kernels are launched: it has no `//@` lines\n\n{lines}\n\n{tried}  next: paste these at the \
         top, correct sizes, fills and launches, and run it again"
    )
}

impl CheckError {
    /// Is the command line or an input file at fault, rather than the machine?
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Problem(_) | Self::Shipped { .. } | Self::Gone { .. } | Self::NoLines { .. } => true,
            Self::NoSolution { .. } | Self::NoSize { .. } | Self::NoBuffer { .. } => true,
            Self::Compile(error) => error.cause() != CompileCause::Environment,
            // What a file's fill names is the file's doing.
            Self::Backend(backend::BackendError::Failure(backend::JobError::Fill { .. })) => true,
            Self::Busy { .. }
            | Self::Toolchain(_)
            | Self::Sass(_)
            | Self::Backend(_)
            | Self::Temporary(_)
            | Self::Record(_) => false,
        }
    }
}

impl From<BuildError> for CheckError {
    /// For versions that are shipped: whatever is wrong with them is no learner's doing.
    fn from(refused: BuildError) -> Self {
        match refused {
            BuildError::Line(error) | BuildError::Launch(error, _) => error.into(),
            BuildError::Compile(error) => error.into(),
            BuildError::Error(error) => error,
        }
    }
}

impl From<LineError> for CheckError {
    fn from(error: LineError) -> Self {
        Self::Problem(error.into())
    }
}

/// A seed that nobody can foresee, short enough to type.
pub fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    let random = std::hash::RandomState::new().build_hasher().finish();
    random % 1_000_000_000
}

/// Stack of a thread that runs parts of a check.
const STACK: usize = 16 << 20;

/// Checks a problem. `progress` hears what is being done.
///
/// On threads of its own: one that waits for a part of its check takes up other parts of it meanwhile, and must not take up those
/// of somebody else's, whose time its own would be.
///
/// # Errors
/// See [`CheckError`].
pub fn check(problem: &Problem, options: &CheckOptions, progress: Progress<'_>) -> Result<Report, CheckError> {
    let threads = options.budget.workers.max(1);
    match rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build() {
        Ok(pool) => pool.install(|| check_here(problem, options, progress)),
        // Where no thread can be had, on this one.
        Err(_) => check_here(problem, options, progress),
    }
}

fn check_here(problem: &Problem, options: &CheckOptions, progress: Progress<'_>) -> Result<Report, CheckError> {
    let seed = options.seed.unwrap_or_else(fresh_seed);
    let step = options.step.as_ref().map(|step| of_step(problem, step, options.reach == Reach::Whole)).transpose()?;
    let ladder = step.is_some().then(|| problem.drawn(seed));
    let problem = &step.as_ref().unwrap_or(problem).drawn(seed);
    let name = problem.id.as_str();
    let kind = match problem.kind {
        Kind::Exercise => SubjectKind::Exercise,
        Kind::Pair => SubjectKind::Pair,
        Kind::Sweep => SubjectKind::Sweep,
        Kind::Ladder => SubjectKind::Ladder,
    };
    let subject = Subject {
        name: name.to_owned(),
        title: problem.manifest.title.clone(),
        chapter: Some(problem.manifest.chapter.clone()),
        kind,
    };
    let mut report = Report::new(subject, RanOn::Sim { schedules: Vec::new() }, seed);
    let solution = if options.version() == Version::Solution { " --solution" } else { "" };
    let step = options.step.as_ref().map(|step| format!(" {step}")).unwrap_or_default();
    let everything = if options.reach == Reach::Near { "" } else { " --all" };
    report.repeat = format!("checker {name}{step}{everything}{solution} --seed {seed}{}", options.also);

    progress("looking for the compiler");
    let toolchain = toolchain::locate(&options.toolchain)?;
    let platforms = platform::choose(problem, options)?;
    let mut sources = Sources::new(problem.root());
    sources.allow_headers(&toolchain.includes);
    if let Some(kernel) = problem.submission() {
        sources.rename(kernel, "kernel.cu");
    }
    let mut check = CheckContext {
        problem,
        toolchain: &toolchain,
        platforms: &platforms,
        options,
        report: &mut report,
        sources: &mut sources,
        progress,
    };
    match (problem.kind, &ladder) {
        (Kind::Sweep, _) => sweep::check(check)?,
        (Kind::Ladder, None) => ladder::check(check)?,
        (Kind::Ladder, Some(ladder)) => {
            stages::check(check.again())?;
            if check.report.verdict == Verdict::Passed {
                ladder::check_step(ladder, check)?;
            }
        }
        (Kind::Pair | Kind::Exercise, _) => stages::check(check)?,
    }
    Ok(report)
}

/// A step of a ladder as a problem of its own.
fn of_step(problem: &Problem, step: &str, everything: bool) -> Result<Problem, CheckError> {
    problem.of_step(step, everything).ok_or_else(|| {
        CheckError::Problem(ProblemError::NoStep {
            problem: problem.id.clone(),
            step: step.to_owned(),
            steps: problem.ladder().map(|ladder| ladder.versions.join(", ")).unwrap_or_default(),
        })
    })
}

/// The version's path, or an error that says what to do about a learner's file that is gone.
fn kernel_path(problem: &Problem, version: &Version) -> Result<PathBuf, CheckError> {
    problem.version_path(version).ok_or_else(|| {
        CheckError::Problem(ProblemError::NoVersion { problem: problem.id.clone(), version: version.to_string() })
    })
}

/// Turns a refusal of the learner's file into a reason; the rest stays an error.
fn refused(refused: BuildError, sources: &mut Sources) -> Result<Vec<Reason>, CheckError> {
    match refused {
        BuildError::Line(error) => Ok(vec![line_reason(Verdict::BadLaunch, &error, sources)]),
        BuildError::Launch(error, case) => {
            let mut reason = line_reason(Verdict::BadLaunch, &error, sources);
            if !case.is_empty() {
                reason.details.push(format!("at {case}"));
            }
            Ok(vec![reason])
        }
        BuildError::Compile(error) => Ok(complaint::of(&error, sources)),
        BuildError::Error(error) => Err(error),
    }
}

/// A malformed or impossible `//@` line as a reason.
fn line_reason(verdict: Verdict, error: &LineError, sources: &mut Sources) -> Reason {
    if !sources.holds(&error.path)
        && let Ok(bytes) = files::read_named(&error.path, LARGEST_SOURCE)
    {
        // The file whose line it is, for the line before it.
        sources.hold(&error.path, &String::from_utf8_lossy(&bytes));
    }
    account::reasons::line(verdict, error, sources)
}

/// Compiles a version and reads its machine code, until then at the latest.
fn build_version(
    toolchain: &Toolchain,
    problem: &Problem,
    version: &Version,
    platform: &Platform,
    until: Option<Instant>,
) -> Result<Built, BuildError> {
    let mut built = compile_version(toolchain, problem, version, platform, until)?;
    if *version != Version::Reference {
        built.disassemble(toolchain, until)?;
    }
    Ok(built)
}

/// Compiles a version, until then at the latest.
fn compile_version(
    toolchain: &Toolchain,
    problem: &Problem,
    version: &Version,
    platform: &Platform,
    until: Option<Instant>,
) -> Result<Built, BuildError> {
    let file = problem.version(version)?;
    if let Some(found) = unsteady(file.text()) {
        return Err(file.line(found.line).error(found.column, found.says()).into());
    }
    let mut cases = problem.cases();
    cases.extend([problem.manifest.count.clone(), problem.manifest.time.clone()]);
    if let Some(sweep) = problem.sweep() {
        cases = cases.iter().take(cases.len() - 2).cloned().collect();
        cases.extend(sweep.cells(&problem.manifest.time).into_iter().map(|cell| cell.sizes));
        cases.extend(sweep.cells(&problem.manifest.count).into_iter().map(|cell| cell.sizes));
    }
    cases.extend(beside::all(problem));
    build::build_by(file, &cases, platform.device, &platform.arch, &mut |request| {
        if let Some(until) = until {
            request.limits = request.limits.until(until);
        }
        compile::compile(toolchain, request)
    })
}
