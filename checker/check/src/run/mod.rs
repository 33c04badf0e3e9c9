//! `checker run FILE.cu`: any self-describing kernel file on either backend. First the file is read ([`read`]), then made ready
//! ([`ready`]), then run under its orders ([`under`]).

mod grown;
mod read;
mod ready;
mod under;

pub use read::problem_sizes;

use super::many::Time;
use super::platform::BackendChoice;
use super::{CheckError, Progress, fresh_seed};
use account::orders::Orders;
use account::try_first;
use compiler::toolchain;
use problem::{ProblemError, Sizes, Workbook};
use report::{self, RanOn, Reason, Report, Sources, Stage, StageName, StageStatus, Subject, SubjectKind, Verdict};
use simulator::Checks;
use simulator::explore::Effort;
use simulator::trace::TraceRequest;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What `checker run` is asked to do.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Where.
    pub backend: BackendChoice,
    /// Orders to try on the simulator; empty: the default one.
    pub orders: Orders,
    /// What is watched.
    pub checks: Checks,
    /// Repeat an earlier run.
    pub seed: Option<u64>,
    /// Sizes in place of the file's defaults.
    pub sizes: Sizes,
    /// A ladder's element type in place of its first.
    pub element: Option<String>,
    /// Buffers to write to NumPy files.
    pub dump: Vec<(String, PathBuf)>,
    /// Counters beside the source.
    pub lines: bool,
    /// Which lanes run which line: warps and grain, and how many steps a launch.
    pub trace: Option<(TraceRequest, usize)>,
    /// Machine code for this architecture.
    pub arch: String,
    /// Warp instructions after which a launch counts as endless.
    pub steps: u64,
    /// How long it may take.
    pub time: Time,
    /// Compare outputs between orders, where no oracle judges them.
    pub compare: bool,
    /// What finding the shortest order that fails may cost.
    pub effort: Effort,
    /// Name everything of the file that is no device code, a line each.
    pub skipped: bool,
    /// An explicit toolchain.
    pub toolchain: toolchain::ToolchainOptions,
    /// Options that repeating it needs besides, as they are typed, a space before each.
    pub also: String,
    /// The workbook whose problems' files are judged by their problem.
    pub workbook: Option<Workbook>,
}

/// Steps of a launch that `--trace` draws unless another limit is given: two screens.
pub const TRACE_STEPS: usize = 200;

/// A run and what is known of it so far.
struct Running<'a> {
    begun: Instant,
    path: &'a Path,
    options: &'a RunOptions,
    progress: Progress<'a>,
    seed: u64,
    /// The file's name, as it may be shown.
    shown: String,
    /// What repeats the run, but for its orders.
    command: String,
    report: Report,
    sources: Sources,
}

/// Why a run ends before it has begun.
enum Halt {
    /// The file's own doing.
    Stopped(StageName, Vec<Reason>),
    /// Not its doing.
    Error(CheckError),
}

impl From<CheckError> for Halt {
    fn from(error: CheckError) -> Self {
        Self::Error(error)
    }
}

impl From<ProblemError> for Halt {
    fn from(error: ProblemError) -> Self {
        Self::Error(error.into())
    }
}

impl From<std::io::Error> for Halt {
    fn from(error: std::io::Error) -> Self {
        Self::Error(error.into())
    }
}

/// Runs a file. `progress` hears what is being done.
///
/// # Errors
/// What the file cannot cause; whatever it can is in the report.
pub fn run(path: &Path, options: &RunOptions, progress: Progress<'_>) -> Result<Report, CheckError> {
    let begun = Instant::now();
    let seed = options.seed.unwrap_or_else(fresh_seed);
    let shown = system::text::path(path);
    let subject = Subject { name: shown.clone(), title: String::new(), chapter: None, kind: SubjectKind::File };
    let mut report = Report::new(subject, RanOn::Sim { schedules: Vec::new() }, seed);
    report.versions = vec![report::Version { label: "value".into(), file: shown.clone() }];
    let sources = Sources::new(&std::env::current_dir().unwrap_or_default());
    let mut running = Running { begun, path, options, progress, seed, shown, command: String::new(), report, sources };
    match running.all() {
        Ok(()) => Ok(running.report),
        Err(Halt::Stopped(stage, reasons)) => Ok(stopped(running.report, stage, reasons)),
        Err(Halt::Error(error)) => Err(error),
    }
}

impl Running<'_> {
    fn all(&mut self) -> Result<(), Halt> {
        let read = self.read()?;
        let ready = self.ready(read)?;
        self.under_its_orders(&ready)
    }
}

fn stopped(mut report: Report, name: StageName, reasons: Vec<Reason>) -> Report {
    let summary = reasons.first().map(|reason| reason.text.clone()).unwrap_or_default();
    report.stages.push(Stage { name, status: StageStatus::Failed, summary });
    report.verdict = reasons.first().map_or(Verdict::BadKernelFile, |reason| reason.verdict);
    report.try_first = reasons.first().and_then(try_first);
    report.reasons = reasons;
    report
}
