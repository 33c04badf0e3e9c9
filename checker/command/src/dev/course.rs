//! How problems are proven: every version of all of them is work of its own, and all cores have some.

use super::prove::{Expected, Probe, Proof, is_beside, judge, plan};
use super::queue::in_order;
use crate::Fault;
use check::{self, Ahead, BackendChoice, Baselines, Budget, Reach};
use problem::audit::audit;
use problem::{BackendName, Kind, Problem, ProblemId, Version, Workbook};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How problems are proven.
#[derive(Debug)]
pub struct Prover<'a> {
    /// Where they are.
    pub workbook: &'a Workbook,
    /// Stop after what the files alone tell.
    pub files_only: bool,
    /// How versions are checked; `version` is set for each.
    pub options: check::CheckOptions,
}

/// Gets the proof of the problem of this number.
pub type Told<'a> = &'a (dyn Fn(usize, Proof) -> Result<(), Fault> + Sync);

/// Problems whose versions are listed together, before the first of them is proven.
const TOGETHER: usize = 8;

impl Prover<'_> {
    /// Proves problems. `told` gets each proof as soon as it is there.
    ///
    /// # Errors
    ///
    /// Only what no problem can cause: no toolchain, no worker; and those of `told`.
    pub fn prove(&self, ids: &[ProblemId], progress: check::Progress<'_>, told: Told<'_>) -> Result<(), Fault> {
        let problems: Vec<Proving> = ids.par_iter().map(|id| self.open(id)).collect();
        for (at, proving) in problems.iter().enumerate().filter(|(_, proving)| proving.problem.is_none()) {
            told(at, proving.files.clone())?;
        }
        let first: Vec<Step> = problems.iter().enumerate().flat_map(|(at, proving)| proving.first(at)).collect();
        if first.is_empty() {
            return Ok(());
        }
        let course = Course {
            options: &self.options,
            ahead: Ahead::new(&self.options)?,
            measures: check::find_gpu(self.options.backend)?.is_some(),
            groups: (0..).step_by(TOGETHER).zip(problems.chunks(TOGETHER)).map(Group::of).collect(),
            problems,
            progress,
            told,
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        in_order(cores, first, |step| course.is_alone(*step), |step| course.take(step))
    }

    /// What its files alone tell, and what is left to run.
    fn open(&self, id: &ProblemId) -> Proving {
        let mut proving = Proving { files: Proof::of(id), ..Proving::default() };
        let problem = match self.workbook.load(id) {
            Ok(problem) => problem,
            Err(error) => {
                proving.files.faults.push(error.to_string());
                return proving;
            }
        };
        proving.files.faults = audit(self.workbook, &problem);
        // A malformed file would be complained about a second time by every run.
        if self.files_only || !proving.files.faults.is_empty() {
            return proving;
        }
        if !on_simulator(&problem) && self.options.backend == BackendChoice::Sim {
            proving.files.skipped = Some("not run: it needs a GPU".to_owned());
            return proving;
        }
        proving.plan = plan(&problem);
        proving.problem = Some(problem);
        proving
    }
}

/// A problem on its way.
#[derive(Debug, Default)]
struct Proving {
    /// What its files tell.
    files: Proof,
    /// Nothing: no more is to be found out.
    problem: Option<Problem>,
    plan: Vec<(Version, Expected)>,
    baselines: Arc<Baselines>,
    /// By the version's place in the plan.
    outcomes: Mutex<BTreeMap<usize, Ran>>,
}

/// What became of a version.
#[derive(Debug)]
struct Ran {
    probe: Option<Probe>,
    fault: Option<String>,
}

/// Problems whose machine code is listed together.
#[derive(Debug)]
struct Group {
    problems: Vec<usize>,
    /// Versions that are still to be compiled.
    left: AtomicUsize,
    cubins: Mutex<Vec<Vec<u8>>>,
}

impl Group {
    /// Of these problems; the first one's number.
    fn of((first, problems): (usize, &[Proving])) -> Self {
        let here = || (first..).zip(problems).filter(|(_, proving)| !proving.plan.is_empty() && !proving.is_wide());
        let left = AtomicUsize::new(here().map(|(_, proving)| proving.plan.len()).sum());
        Self { problems: here().map(|(at, _)| at).collect(), left, cubins: Mutex::default() }
    }

    fn cubins(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.cubins.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A piece of work; what is less comes first. So a group is compiled while the one before it is being proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    /// Nothing: it takes long, and all others fit beside it.
    group: Option<usize>,
    what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// Compiles a version of a problem.
    Compile { at: usize, version: usize },
    /// Lists all that was compiled.
    List,
    /// Runs a version of a problem.
    Prove { at: usize, version: usize },
}

/// All problems on their way.
struct Course<'a> {
    options: &'a check::CheckOptions,
    ahead: Ahead,
    /// Is there a GPU that versions are measured on?
    measures: bool,
    problems: Vec<Proving>,
    groups: Vec<Group>,
    progress: check::Progress<'a>,
    told: Told<'a>,
}

impl Course<'_> {
    /// A measurement wants all of the machine.
    fn is_alone(&self, step: Step) -> bool {
        let What::Prove { at, version } = step.what else { return false };
        let proving = &self.problems[at];
        let simulated = proving.problem.as_ref().is_some_and(on_simulator) && is_beside(&proving.plan[version].0);
        self.measures && !simulated
    }

    /// Does it; what is to be done then.
    fn take(&self, Step { group, what }: Step) -> Result<Vec<Step>, Fault> {
        let then = |what| Step { group, what };
        match (what, group.and_then(|group| self.groups.get(group))) {
            (What::Compile { at, version }, Some(group)) => {
                let proving = &self.problems[at];
                if let Some(problem) = &proving.problem {
                    (self.progress)(&format!("{}: compiling every version", problem.id));
                    let compiled = self.ahead.compile(problem, &proving.plan[version].0);
                    group.cubins().extend(compiled);
                }
                let last = group.left.fetch_sub(1, Ordering::AcqRel) == 1;
                Ok(if last { vec![then(What::List)] } else { Vec::new() })
            }
            (What::List, Some(group)) => {
                self.ahead.list(&std::mem::take(&mut *group.cubins()));
                Ok(group.problems.iter().map(|&at| then(What::Prove { at, version: 0 })).collect())
            }
            (What::Prove { at, version }, _) => {
                self.run(at, version)?;
                // The results of its baseline are there for all others.
                let others = if version == 0 && group.is_some() { 1..self.problems[at].plan.len() } else { 0..0 };
                Ok(others.map(|version| then(What::Prove { at, version })).collect())
            }
            (What::Compile { .. } | What::List, None) => Ok(Vec::new()),
        }
    }

    /// Runs a version. The last one of its problem tells the proof.
    fn run(&self, at: usize, version: usize) -> Result<(), Fault> {
        let proving = &self.problems[at];
        let (Some(problem), (of, expected)) = (&proving.problem, &proving.plan[version]) else { return Ok(()) };
        // Versions beside the two of a report run on the simulator wherever their problem allows it: a style may be slower than
        // the solution, what it does is what matters.
        let beside = on_simulator(problem) && is_beside(of);
        let options = check::CheckOptions {
            version: Some(of.clone()),
            backend: if beside { BackendChoice::Sim } else { self.options.backend },
            reach: if problem.kind == Kind::Ladder { Reach::Whole } else { Reach::Near },
            baselines: Some(proving.baselines.clone()),
            budget: Budget { workers: self.workers(proving, of), ..self.options.budget },
            ..self.options.clone()
        };
        let progress = |what: &str| (self.progress)(&format!("{}: {of}: {what}", problem.id));
        let outcome = match check::check(problem, &options, &progress) {
            Ok(report) => {
                let (probe, fault) = judge(of, *expected, &report);
                Ran { probe: Some(probe), fault }
            }
            Err(error) if error.is_usage() => Ran { probe: None, fault: Some(format!("{of}: {error}")) },
            Err(error) => return Err(error.into()),
        };
        let mut outcomes = proving.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        outcomes.insert(version, outcome);
        if outcomes.len() < proving.plan.len() {
            return Ok(());
        }
        let mut proof = proving.files.clone();
        for Ran { probe, fault } in std::mem::take(&mut *outcomes).into_values() {
            proof.probes.extend(probe);
            proof.faults.extend(fault);
        }
        drop(outcomes);
        (self.told)(at, proof)
    }

    /// Workers of a check: one, where other versions have the other cores.
    fn workers(&self, proving: &Proving, version: &Version) -> usize {
        let wide = proving.is_wide() || self.measures || self.problems.len() == 1;
        if wide && !is_beside(version) { self.options.budget.workers } else { 1 }
    }
}

impl Proving {
    /// Does it share out its work itself?
    fn is_wide(&self) -> bool {
        self.problem.as_ref().is_some_and(|problem| matches!(problem.kind, Kind::Ladder | Kind::Sweep))
    }

    /// What is to be done first, if it is the problem of that number.
    fn first(&self, at: usize) -> impl Iterator<Item = Step> {
        let wide = self.is_wide();
        (0..self.plan.len()).map(move |version| match wide {
            // It compiles and lists for itself.
            true => Step { group: None, what: What::Prove { at, version } },
            false => Step { group: Some(at / TOGETHER), what: What::Compile { at, version } },
        })
    }
}

fn on_simulator(problem: &Problem) -> bool {
    problem.manifest.backends.contains(&BackendName::Sim)
}
