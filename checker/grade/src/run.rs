//! Grading: every submission that has no grade yet is checked, by a pool of threads, each check with workers of its own.
//!
//! What a clock or a full memory ended says something of the machine. It is tried once more, alone and with four times the time, and
//! is otherwise not graded, never worth 0.

use crate::book::{Book, BookError};
use crate::grade::{Grade, State};
use crate::intake::Submission;
use crate::key::{self, Makers};
use crate::rubric::{Rubric, RubricError, Scheme};
use crate::secret::Secret;
use check::{BackendChoice, Baselines, Budget, CheckError};
use compiler::toolchain;
use problem::{BackendName, Kind, Problem, ProblemError, Workbook};
use report::{Machine, Report, Verdict};
use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use system::files::FileError;

/// A second try gets so many times the time of the first.
const AGAIN: u64 = 4;

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
            Self::File { .. } => false,
        }
    }
}

/// How to grade.
#[derive(Debug, Clone)]
pub struct Options {
    /// Checks at the same time.
    pub jobs: usize,
    /// Seconds for a check.
    pub seconds: u64,
    /// Where kernels run.
    pub backend: BackendChoice,
    /// The compiler.
    pub toolchain: toolchain::Options,
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
    options: Options,
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
        options: Options,
    ) -> Result<Self, GradeError> {
        let found = toolchain::locate(&options.toolchain).map_err(CheckError::from)?;
        let makers = Makers::of(&found).map_err(CheckError::Temporary)?;
        Ok(Self { book, rubric, tasks, makers, options })
    }

    /// The key of a submission to a task.
    fn key(&self, task: &Task, sha256: &str) -> String {
        let tier = match self.options.backend {
            BackendChoice::Sim => "sim",
            BackendChoice::Auto | BackendChoice::Gpu => "gpu",
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
        let mut summary = Summary::default();
        let mut open: Vec<Work<'_>> = Vec::new();
        for submission in submissions {
            let Some(task) = self.tasks.get(&submission.exercise) else { continue };
            let bytes = match &submission.kernel {
                Ok(bytes) => bytes,
                Err(why) => {
                    let mut grade = Grade::without_kernel(submission, why, self.makers.made_by.clone());
                    self.keep(&mut grade, task, events)?;
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
                self.keep(&mut grade, task, events)?;
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
        let seconds = self.options.seconds;
        let again = self.pool(open, self.options.jobs, seconds, true, events)?;
        // Alone, so that nobody else takes the time.
        let left = self.pool(again, 1, seconds * AGAIN, false, events)?;
        summary.open = left.len();
        Ok(summary)
    }

    /// Checks all of them; returns those that the machine did not let end.
    fn pool<'t>(
        &self,
        mut works: Vec<Work<'t>>,
        jobs: usize,
        seconds: u64,
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
                let outcome = self.one(&mut work, seconds, &baselines).and_then(|()| {
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
                    })
                });
                if let Err(error) = outcome {
                    failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..jobs.clamp(1, slots.len().max(1)) {
                scope.spawn(worker);
            }
        });
        drop(slots);
        if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let cut = cut.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(works.into_iter().zip(cut).filter(|(_, cut)| *cut).map(|(work, _)| work).collect())
    }

    /// One check.
    fn one(&self, work: &mut Work<'_>, seconds: u64, baselines: &Arc<Baselines>) -> Result<(), GradeError> {
        let begun = Instant::now();
        let problem = work.task.problem.handed_in(&work.kernel);
        let options = check::Options {
            backend: self.options.backend,
            budget: Budget { seconds, workers: 1 },
            baselines: Some(baselines.clone()),
            seed: Some(work.task.seed),
            toolchain: self.options.toolchain.clone(),
            ..check::Options::default()
        };
        let checked = catch_unwind(AssertUnwindSafe(|| check::check(&problem, &options, &|_| ())));
        let (state, report) = match checked {
            Err(_) => (State::NotGraded { why: "the checker itself failed: please report it".to_owned() }, None),
            Ok(Err(error @ CheckError::Toolchain(_))) => return Err(error.into()),
            Ok(Err(error)) => (State::NotGraded { why: error.to_string() }, None),
            Ok(Ok(report)) => (state(&report), Some(report)),
        };
        // One that does not compile has none, and no submission is less of one for it.
        let code = if report.is_some() { check::listing(&problem, &options).unwrap_or_default() } else { Vec::new() };
        for grade in &mut work.grades {
            grade.code.clone_from(&code);
            let repeat = format!("checker grade again \"{}\" {}", grade.student, grade.exercise);
            grade.report = report.clone().map(|report| Report { repeat, next: None, ..report });
            grade.state = state.clone();
            grade.made_by.gpu = grade.report.as_ref().and_then(gpu);
            grade.seconds = begun.elapsed().as_secs_f64();
        }
        Ok(())
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
        let options = check::Options { version, backend: BackendChoice::Sim, toolchain, ..check::Options::default() };
        check::listing(&task.problem, &options).unwrap_or_default()
    }

    /// Checks one kept submission again, as it was checked.
    ///
    /// # Errors
    /// There is no compiler, or the check cannot be made.
    pub fn again(&self, grade: &Grade, task: &Task) -> Result<Report, GradeError> {
        let problem = task.problem.handed_in(&self.book.kernel(&grade.submitted.sha256));
        let options = check::Options {
            backend: self.options.backend,
            budget: Budget { seconds: self.options.seconds * AGAIN, workers: 1 },
            seed: Some(grade.seed),
            toolchain: self.options.toolchain.clone(),
            ..check::Options::default()
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
        if let Some(report) = &mut self.report {
            report.repeat = format!("checker grade again \"{}\" {}", self.student, self.exercise);
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

fn gpu(report: &Report) -> Option<String> {
    match &report.machine {
        Machine::Gpu { device, driver } => Some(format!("{device}, driver {driver}")),
        Machine::Sim { .. } => None,
    }
}
