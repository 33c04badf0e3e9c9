//! Grading: every submission that has no grade yet is checked, by a pool of threads, each check with workers of its own.
//!
//! What a clock or a full memory ended says something of the machine. Where others ran beside it, it is tried once more, alone; it is
//! otherwise not graded, never worth 0.

mod course;
mod pool;

use crate::book::Book;
use crate::grade::Grade;
use crate::intake::{Submission, identity};
use crate::key::{self, Makers};
use crate::rubric::Rubric;
use crate::secret::Secret;
use check::{BackendChoice, Budget, CheckError, DeviceWatch, Reach};
use compiler::toolchain;
pub use course::{Course, Event, GradeError, GradeOptions, Summary, Task};
use pool::{AGAIN, PooledCheck};
use problem::{BackendName, Kind, Workbook};
use report::Report;
use std::collections::{BTreeMap, HashMap, HashSet};

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
        let place = match self.options.backend {
            BackendChoice::Sim => "sim",
            BackendChoice::Auto | BackendChoice::Gpu => "gpu",
        };
        let all = if task.scheme.partial { ", all sizes" } else { "" };
        let whole = if self.options.reach == Reach::Whole { ", whole" } else { "" };
        self.makers.key(sha256, &task.files, task.seed, &format!("{place}{all}{whole}"))
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
        let mut open: Vec<PooledCheck<'_>> = Vec::new();
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
                None => open.push(PooledCheck { task, kernel, grades: vec![grade] }),
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
            budget: Budget { seconds: self.options.seconds * AGAIN, patience: 1, workers: 1, measures_within: false },
            unmodelled: true,
            seed: Some(grade.seed),
            all_sizes: task.scheme.partial,
            reach: self.options.reach,
            toolchain: self.options.toolchain.clone(),
            ..check::CheckOptions::default()
        };
        Ok(check::check(&problem, &options, &|_| ())?)
    }
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
