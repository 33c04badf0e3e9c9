//! Each thread of the pool takes one check after another; what becomes of a check is kept at once.

use super::course::{Course, Event, GradeError, Task};
use crate::grade::{Grade, State};
use check::{Baselines, Budget, CheckError, WedgedError};
use report::{RanOn, Report, StageName, StageStatus, Verdict};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Somebody who looks at one submission again may wait so many times as long for it.
pub(super) const AGAIN: u64 = 4;

/// Stack of a thread that checks, in bytes: that of a program's first thread.
const STACK: usize = 8 << 20;

/// One check and the grades that come of it.
pub(super) struct PooledCheck<'t> {
    pub(super) task: &'t Task,
    pub(super) kernel: PathBuf,
    pub(super) grades: Vec<Grade>,
}

impl<'a> Course<'a> {
    /// Checks all of them; returns those that the machine did not let end.
    pub(super) fn pool<'t>(
        &self,
        mut works: Vec<PooledCheck<'t>>,
        jobs: usize,
        may_be_repeated: bool,
        events: &(dyn Fn(Event<'_>) + Sync),
    ) -> Result<Vec<PooledCheck<'t>>, GradeError> {
        let next = AtomicUsize::new(0);
        let slots: Vec<Mutex<&mut PooledCheck<'t>>> = works.iter_mut().map(Mutex::new).collect();
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
    fn one(&self, work: &mut PooledCheck<'_>, baselines: &Arc<Baselines>) -> Result<Option<GradeError>, GradeError> {
        let begun = Instant::now();
        let problem = work.task.problem.handed_in(&work.kernel);
        let options = check::CheckOptions {
            backend: self.options.backend,
            budget: Budget { seconds: self.options.seconds, patience: 1, workers: 1, measures_within: true },
            unmodelled: true,
            baselines: Some(baselines.clone()),
            seed: Some(work.task.seed),
            all_sizes: work.task.scheme.partial,
            reach: self.options.reach,
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
    fn device_is_back(&self, report: Option<&Report>) -> Result<(), WedgedError> {
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
}

/// Is a report the last word?
pub(super) fn state(report: &Report) -> State {
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

pub(super) fn gpu(report: &Report) -> Option<String> {
    match &report.machine {
        RanOn::Gpu { device, driver } => Some(format!("{device}, driver {driver}")),
        RanOn::Sim { .. } => None,
    }
}
