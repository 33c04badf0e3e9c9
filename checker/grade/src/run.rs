//! Grading: every submission that has no grade yet is checked, by a pool of threads, each check with workers of its own.
//!
//! What a clock or a full memory ended says something of the machine. Where others ran beside it, it is tried once more, alone; it is
//! otherwise not graded, never worth 0.

use crate::book::{Book, BookError};
use crate::grade::{Grade, State};
use crate::intake::{Submission, identity};
use crate::key::{self, Makers};
use crate::rubric::{Rubric, RubricError, Scheme};
use crate::secret::Secret;
use check::{BackendChoice, Baselines, Budget, CheckError, DeviceWatch, Wedged};
use compiler::toolchain;
use problem::{BackendName, Kind, Problem, ProblemError, Workbook};
use report::{RanOn, Report, StageName, StageStatus, Verdict};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use system::files::FileError;

/// Somebody who looks at one submission again may wait so many times as long for it.
const AGAIN: u64 = 4;

/// Stack of a thread that checks, in bytes: that of a program's first thread.
const STACK: usize = 8 << 20;

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
        wedged: Wedged,
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
    files: String,
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
    makers: Makers,
    options: GradeOptions,
    device: Option<DeviceWatch>,
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

/// The exercises of that name, ready to be graded.
///
/// # Errors
/// One is none, or the rubric does not fit it.
pub fn tasks(
    workbook: &Workbook,
    names: impl IntoIterator<Item = String>,
    rubric: &Rubric,
    secret: &Secret,
) -> Result<BTreeMap<String, Task>, GradeError> {
    let mut tasks = BTreeMap::new();
    for name in names {
        if tasks.contains_key(&name) {
            continue;
        }
        let problem = workbook.load(&name.as_str().into())?;
        let wrong = |why| GradeError::NotForGrading { problem: name.clone(), why };
        if problem.kind != Kind::Exercise {
            return Err(wrong("only exercises are graded"));
        }
        if !problem.manifest.backends.contains(&BackendName::Sim) {
            return Err(wrong("it runs on a GPU only, and grades come from the simulator first"));
        }
        let scheme = rubric.scheme(&problem)?;
        let files =
            key::of_problem(&problem).map_err(|source| GradeError::File { path: problem.dir.clone(), source })?;
        let seed = secret.seed(&name);
        tasks.insert(name, Task { problem, scheme, files, seed });
    }
    Ok(tasks)
}

impl<'a> Course<'a> {
    /// Finds the compiler.
    ///
    /// # Errors
    /// There is none.
    pub fn new(
        book: &'a Book,
        rubric: &'a Rubric,
        tasks: BTreeMap<String, Task>,
        options: GradeOptions,
    ) -> Result<Self, GradeError> {
        let found = toolchain::locate(&options.toolchain).map_err(CheckError::from)?;
        let makers = Makers::of(&found).map_err(CheckError::Temporary)?;
        let device = DeviceWatch::begin(options.backend)?;
        Ok(Self { book, rubric, tasks, makers, options, device })
    }

    /// The key of a submission to a task.
    fn key(&self, task: &Task, sha256: &str) -> String {
        let tier = match (self.options.backend, task.scheme.partial) {
            (BackendChoice::Sim, false) => "sim",
            (BackendChoice::Sim, true) => "sim, all sizes",
            (BackendChoice::Auto | BackendChoice::Gpu, false) => "gpu",
            (BackendChoice::Auto | BackendChoice::Gpu, true) => "gpu, all sizes",
        };
        self.makers.key(sha256, &task.files, task.seed, tier)
    }

    /// Grades what has no grade yet. Each grade is kept as soon as it is known.
    ///
    /// # Errors
    /// The grade book cannot be written, or nobody can be graded here. What was graded before is kept.
    pub fn grade(
        &self,
        submissions: &[Submission],
        events: &(dyn Fn(Event<'_>) + Sync),
    ) -> Result<Summary, GradeError> {
        let known = self.book.read()?;
        let reports: HashMap<&str, &Grade> = known
            .grades
            .iter()
            .filter(|grade| grade.is_settled() && grade.report.is_some())
            .map(|grade| (grade.key.as_str(), grade))
            .collect();
        let there: HashMap<String, &Grade> = known
            .grades
            .iter()
            .map(|grade| (identity(&grade.student, &grade.exercise, &grade.submitted), grade))
            .collect();
        // What is there already is not written again.
        let keep = |mut grade: Grade, task: &Task| {
            grade.score(&task.scheme, &task.problem, self.rubric.late.as_ref());
            match there.get(&identity(&grade.student, &grade.exercise, &grade.submitted)) {
                Some(known) if **known == grade => Ok(()),
                _ => self.book.keep(&grade),
            }
        };
        let mut summary = Summary::default();
        let mut open: Vec<Work<'_>> = Vec::new();
        for submission in submissions {
            let Some(task) = self.tasks.get(&submission.exercise) else { continue };
            let bytes = match &submission.kernel {
                Ok(bytes) => bytes,
                Err(why) => {
                    keep(Grade::without_kernel(submission, why, self.makers.made_by.clone()), task)?;
                    summary.without += 1;
                    continue;
                }
            };
            let submitted = submission.submitted();
            let kernel = self.book.keep_kernel(&submitted.sha256, bytes)?;
            let key = self.key(task, &submitted.sha256);
            let mut grade = Grade {
                submitted,
                key,
                seed: task.seed,
                ..Grade::without_kernel(submission, "", self.makers.made_by.clone())
            };
            if let Some(known) = reports.get(grade.key.as_str()) {
                grade.take(known);
                keep(grade, task)?;
                summary.known += 1;
                continue;
            }
            // The same file of several students is checked once.
            match open.iter_mut().find(|work| work.grades[0].key == grade.key) {
                Some(work) => {
                    work.grades.push(grade);
                    summary.known += 1;
                }
                None => open.push(Work { task, kernel, grades: vec![grade] }),
            }
        }
        events(Event::Begins(open.len()));
        summary.checked = open.len();
        let jobs = self.options.jobs.min(open.len());
        let mut left = self.pool(open, jobs, jobs > 1, events)?;
        if jobs > 1 {
            // Alone, so that nobody else takes the time.
            left = self.pool(left, 1, false, events)?;
        }
        summary.open = left.len();
        Ok(summary)
    }

    /// Gives the points of all other grades of a book anew, by the same rubric, where nobody else writes to it. Returns how many were
    /// checked by another checker or compiler, or with other files of the problem.
    ///
    /// # Errors
    /// The grade book cannot be written.
    pub fn others(&self, grades: &mut [Grade], submissions: &[Submission]) -> Result<usize, GradeError> {
        let now: HashSet<String> = submissions
            .iter()
            .map(|submission| identity(&submission.student, &submission.exercise, &submission.submitted()))
            .collect();
        let mut stale = 0;
        for grade in grades {
            let Some(task) = self.tasks.get(&grade.exercise) else { continue };
            if now.contains(&identity(&grade.student, &grade.exercise, &grade.submitted)) {
                continue;
            }
            stale += usize::from(grade.report.is_some() && grade.key != self.key(task, &grade.submitted.sha256));
            let before = grade.points.clone();
            grade.score(&task.scheme, &task.problem, self.rubric.late.as_ref());
            if grade.points != before {
                self.book.keep(grade)?;
            }
        }
        Ok(stale)
    }

    /// Checks all of them; returns those that the machine did not let end.
    fn pool<'t>(
        &self,
        mut works: Vec<Work<'t>>,
        jobs: usize,
        may_be_repeated: bool,
        events: &(dyn Fn(Event<'_>) + Sync),
    ) -> Result<Vec<Work<'t>>, GradeError> {
        let next = AtomicUsize::new(0);
        let slots: Vec<Mutex<&mut Work<'t>>> = works.iter_mut().map(Mutex::new).collect();
        let cut = Mutex::new(vec![false; slots.len()]);
        let failed: Mutex<Option<GradeError>> = Mutex::new(None);
        let baselines = Arc::new(Baselines::default());
        let worker = || {
            while failed.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(slot) = slots.get(index) else { return };
                let mut work = slot.lock().unwrap_or_else(PoisonError::into_inner);
                let outcome = self.one(&mut work, &baselines).and_then(|wedged| {
                    let open = !work.grades.iter().all(Grade::is_settled);
                    cut.lock().unwrap_or_else(PoisonError::into_inner)[index] = open;
                    // One that is tried again has no grade yet, but if everything ends here it is known why.
                    let task = work.task;
                    work.grades.iter_mut().try_for_each(|grade| {
                        let quiet = |_: Event<'_>| ();
                        if open && may_be_repeated {
                            self.keep(grade, task, &quiet)
                        } else {
                            self.keep(grade, task, events)
                        }
                    })?;
                    wedged.map_or(Ok(()), Err)
                });
                if let Err(error) = outcome {
                    failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..jobs.clamp(1, slots.len().max(1)) {
                let started = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker);
                if let Err(error) = started {
                    failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(GradeError::Thread(error));
                }
            }
        });
        drop(slots);
        if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let cut = cut.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(works.into_iter().zip(cut).filter(|(_, cut)| *cut).map(|(work, _)| work).collect())
    }

    /// One check. What it leaves a GPU in may be the end of all grading.
    fn one(&self, work: &mut Work<'_>, baselines: &Arc<Baselines>) -> Result<Option<GradeError>, GradeError> {
        let begun = Instant::now();
        let problem = work.task.problem.handed_in(&work.kernel);
        let options = check::CheckOptions {
            backend: self.options.backend,
            budget: Budget { seconds: self.options.seconds, workers: 1, measures_within: true },
            unmodelled: true,
            baselines: Some(baselines.clone()),
            seed: Some(work.task.seed),
            all_sizes: work.task.scheme.partial,
            toolchain: self.options.toolchain.clone(),
            ..check::CheckOptions::default()
        };
        let checked = catch_unwind(AssertUnwindSafe(|| check::check(&problem, &options, &|_| ())));
        let (state, report) = match checked {
            Err(_) => (State::NotGraded { why: "the checker itself failed: please report it".to_owned() }, None),
            Ok(Err(error @ CheckError::Toolchain(_))) => return Err(error.into()),
            Ok(Err(error)) => (State::NotGraded { why: error.to_string() }, None),
            Ok(Ok(report)) => (state(&report), Some(report)),
        };
        // One that does not compile has none, and no submission is less of one for it.
        let code = match &report {
            Some(report) if is_compiled(report) => check::listing(&problem, &options).unwrap_or_default(),
            _ => Vec::new(),
        };
        let (state, wedged) = match self.device_is_back(report.as_ref()) {
            Ok(()) => (state, None),
            Err(wedged) => (State::NotGraded { why: format!("after its check {wedged}") }, Some(wedged)),
        };
        for grade in &mut work.grades {
            grade.code.clone_from(&code);
            let repeat = grade.repeat();
            grade.report = report.clone().map(|report| Report { repeat, next: None, ..report });
            grade.state = state.clone();
            grade.made_by.gpu = grade.report.as_ref().and_then(gpu);
            grade.seconds = begun.elapsed().as_secs_f64();
        }
        let first = &work.grades[0];
        let (student, exercise) = (first.student.to_string(), first.exercise.clone());
        Ok(wedged.map(|wedged| GradeError::Wedged { wedged, student, exercise }))
    }

    /// After a check that a GPU took part in, or may have: is it as it was?
    fn device_is_back(&self, report: Option<&Report>) -> Result<(), Wedged> {
        let stayed_away = report.is_some_and(|report| gpu(report).is_none() && report.cut.is_none());
        match &self.device {
            Some(device) if !stayed_away => device.is_back(),
            _ => Ok(()),
        }
    }

    fn keep(&self, grade: &mut Grade, task: &Task, events: &(dyn Fn(Event<'_>) + Sync)) -> Result<(), GradeError> {
        grade.score(&task.scheme, &task.problem, self.rubric.late.as_ref());
        self.book.keep(grade)?;
        events(Event::Graded(grade));
        Ok(())
    }

    /// Machine code that everybody begins with; nothing where it cannot be had.
    pub fn starter(&self, task: &Task) -> Vec<String> {
        let version = Some(problem::Version::Baseline);
        let toolchain = self.options.toolchain.clone();
        let options =
            check::CheckOptions { version, backend: BackendChoice::Sim, toolchain, ..check::CheckOptions::default() };
        check::listing(&task.problem, &options).unwrap_or_default()
    }

    /// Checks one kept submission again, as it was checked.
    ///
    /// # Errors
    /// There is no compiler, or the check cannot be made.
    pub fn again(&self, grade: &Grade, task: &Task) -> Result<Report, GradeError> {
        let problem = task.problem.handed_in(&self.book.kernel(&grade.submitted.sha256));
        let options = check::CheckOptions {
            backend: self.options.backend,
            budget: Budget { seconds: self.options.seconds * AGAIN, workers: 1, measures_within: false },
            unmodelled: true,
            seed: Some(grade.seed),
            all_sizes: task.scheme.partial,
            toolchain: self.options.toolchain.clone(),
            ..check::CheckOptions::default()
        };
        Ok(check::check(&problem, &options, &|_| ())?)
    }
}

/// One check and the grades that come of it.
struct Work<'t> {
    task: &'t Task,
    kernel: PathBuf,
    grades: Vec<Grade>,
}

impl Grade {
    /// What checking the same file said.
    fn take(&mut self, known: &Self) {
        self.state = known.state.clone();
        self.report.clone_from(&known.report);
        self.made_by = known.made_by.clone();
        self.seconds = known.seconds;
        self.code.clone_from(&known.code);
        let repeat = self.repeat();
        if let Some(report) = &mut self.report {
            report.repeat = repeat;
        }
    }
}

/// Is a report the last word?
fn state(report: &Report) -> State {
    match (&report.cut, report.verdict) {
        (Some(why), _) => State::NotGraded { why: why.clone() },
        (None, Verdict::Unsupported) => {
            let what = report.reasons.first().map(|reason| reason.text.clone()).unwrap_or_default();
            State::NotGraded { why: format!("{what}: look at it yourself, or grade it on a GPU") }
        }
        (None, _) => State::Graded,
    }
}

fn is_compiled(report: &Report) -> bool {
    report.stages.iter().any(|stage| stage.name == StageName::Compile && stage.status == StageStatus::Passed)
}

fn gpu(report: &Report) -> Option<String> {
    match &report.machine {
        RanOn::Gpu { device, driver } => Some(format!("{device}, driver {driver}")),
        RanOn::Sim { .. } => None,
    }
}
