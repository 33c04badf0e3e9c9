//! Correctness: every case, on one platform, as jobs for workers.

mod asked;
mod attempt;
mod besides;
mod between;
mod combined;
mod crowded;
mod edges;
mod few;
mod on_gpu;
mod other;
mod reached;
mod sought;
mod varying;

use crate::build::Built;
use crate::platform::Platform;
use crate::{Budget, BuildError, CheckError, Progress, Reach, beside, share};
use account::outputs_of;
pub use besides::Besides;
pub use between::to_visit;
use execution::backend::{self, Case, Checked, MEMORY, Reads, Room, Status, Thoroughness, Verify};
use problem::{LineError, Problem, Sizes};
use simulator::{Checks, Schedule, Severity};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use values::fill::first_turn;

/// Warp instructions after which a launch of a check counts as endless: a hundred times what the largest shipped case
/// needs, and seconds of simulation.
pub const STEPS: u64 = 1 << 27;

/// How versions of one problem are run on one platform.
#[derive(Clone)]
pub struct Trials<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// Where.
    pub platform: &'a Platform,
    /// The oracle.
    pub reference: &'a Built,
    /// Its machine code in a file, for a GPU.
    pub reference_cubin: Option<PathBuf>,
    /// The checker's own kernels for the GPU, where sizes are judged on it that are not measured.
    pub judge: Option<backend::Artefact>,
    /// Seed of the inputs.
    pub seed: u64,
    /// Try all sizes, though a candidate is wrong at one.
    pub all_sizes: bool,
    /// How large the sizes are that are run whole.
    pub reach: Reach,
    /// What all of it may use.
    pub budget: Budget,
    /// When all has to end.
    pub until: Instant,
    /// Set when nobody wants to know any more.
    pub given_up: Option<Arc<AtomicBool>>,
    /// Where its workers take their memory from; nothing: it is theirs already.
    pub room: Option<Arc<Room>>,
    /// What the machine's clock or memory ended, if it did.
    pub cut: &'a OnceLock<String>,
    /// What could not be run at a size of the checker's own, for the memory or the time that it took.
    pub untried: &'a OnceLock<String>,
    /// Hears what is being run.
    pub progress: Progress<'a>,
    /// Done where a worker would wait for others: when the cases have passed or what is tried besides them has, and nothing has failed yet.
    pub meanwhile: Option<&'a (dyn Fn() + Sync)>,
}

/// One version's results, case by case.
#[derive(Debug, Clone, Default)]
pub struct Results {
    /// The cases, in the problem's order; the `count` size last if it is none of them.
    pub cases: Vec<(Sizes, Checked)>,
    /// Result at the `count` size, on the simulator.
    pub count: Option<Checked>,
    /// What was tried besides, on the simulator.
    pub besides: Besides,
    /// Schedules it ran under.
    pub schedules: Vec<Schedule>,
}

/// The orders to try: what a GPU does when nothing disturbs it, and for kernels whose threads talk to each other the
/// fixed extremes and one that the seed draws. Where a thread may wait in a loop, or uses what a compare-and-swap gives, one
/// more lets all compete for each word; where it may wait, one lets it wait for long.
pub fn schedules(built: &Built, seed: u64) -> Vec<Schedule> {
    let mut schedules = vec![Schedule::Its];
    if built.communicates() {
        schedules.extend((0..5).map(|seed| Schedule::Adversarial { seed }));
        let drawn = seed % 1_000_000;
        schedules.extend((built.waits() || built.competes()).then_some(Schedule::InTurn));
        schedules.extend(built.waits().then_some(Schedule::Patient { seed: drawn }));
        // The last one is tried at every size.
        schedules.push(Schedule::Adversarial { seed: 8 + drawn });
    }
    schedules
}

/// A size to run at, and how.
#[derive(Clone, Copy)]
pub struct CaseAt<'a> {
    pub sizes: &'a Sizes,
    /// Its number, of which its inputs are made.
    pub index: usize,
    pub thoroughness: Thoroughness,
    /// Whether the outputs are compared with the oracle's.
    pub judged: bool,
}

/// Does it speak against the version, whatever the machine's time and memory are?
fn is_wrong(checked: &Checked) -> bool {
    use Status::{NotRun, OutOfTime, Passed, TimedOut, WorkerDied};
    let grave = |found: &backend::Found| found.finding.severity != Severity::Note;
    let by_machine = matches!(checked.status, NotRun { .. } | OutOfTime | Passed | TimedOut { .. } | WorkerDied { .. });
    !checked.is_interrupted() && (!by_machine || checked.findings.iter().any(grave))
}

/// The memory of the workers of a check, but for those that try what is tried besides the cases.
pub fn room() -> Option<Arc<Room>> {
    Some(Arc::new(Room::new(MEMORY - MEMORY / 3)))
}

impl Trials<'_> {
    /// Runs a version at every case and, on the simulator, at the `count` size; on a GPU at some sizes more.
    pub fn run(
        &self,
        built: &Built,
        cubin: Option<PathBuf>,
        thoroughness: Thoroughness,
        schedules: Vec<Schedule>,
    ) -> Result<Results, BuildError> {
        let mut cases = Vec::new();
        let mut sizes = self.problem.cases();
        // What is counted is verified as well, or a kernel could do nothing at this one size.
        let count = &self.problem.manifest.count;
        if !sizes.contains(count) && self.tries_besides() {
            sizes.push(count.clone());
        }
        let counted = sizes.iter().position(|sizes| sizes == count);
        let full = thoroughness == Thoroughness::Full;
        let between =
            if full && cubin.is_none() && built.remembers() { self.at_others(built, &sizes) } else { Vec::new() };
        for (index, at) in sizes.iter().enumerate() {
            let asked = CaseAt { sizes: at, index, thoroughness, judged: true };
            let mut case = self.case(built, cubin.clone(), asked)?;
            if full && self.tries_besides() && beside::is_large(self.problem, at) {
                (case.thoroughness, case.reads) = (Thoroughness::LargeTwice, Reads::Asked);
            } else {
                case.between = between.get(index).cloned().into_iter().collect();
            }
            case.turns = full && cubin.is_none() && turns(&case);
            cases.push(case);
        }
        between::mark_often(&mut cases);
        let more = if full { self.more_on_gpu(built, &sizes) } else { Vec::new() };
        cases.extend(self.cases_on_gpu(built, cubin.as_ref(), &more)?);
        sizes.extend(more.into_iter().map(|(sizes, _)| sizes));
        // A baseline that is meant to be wrong still has to be counted.
        let meant = thoroughness == Thoroughness::Once && self.problem.manifest.flaw.is_some();
        let goes_on = meant || self.all_sizes && thoroughness == Thoroughness::Full;
        let stops = !goes_on;
        let options = self.options();
        let mut on = self.platform.on(schedules.clone(), Checks::ALL, STEPS, self.seed);
        if let backend::On::Sim { config, .. } = &mut on {
            config.coverage = true;
        }
        let run = || {
            if self.platform.gpu.is_some() {
                let job = Verify { on, cases, stop_at_failure: stops };
                backend::verify(&job, &options).map(|cases| cases.into_iter().flatten().collect())
            } else {
                let between_blocks = built.communicates_between_blocks();
                let orders = share::Orders { schedules: &schedules, between_blocks };
                share::run(&on, &cases, orders, stops, self.budget.workers, &options, self.progress)
            }
        };
        let (failed, begun) = (AtomicBool::new(false), AtomicBool::new(false));
        // Whoever is done first does it.
        let meanwhile = |passed: bool| {
            failed.fetch_or(!passed, Relaxed);
            let wanted = self.meanwhile.filter(|_| full && !failed.load(Relaxed));
            if let Some(meanwhile) = wanted.filter(|_| !begun.swap(true, Relaxed)) {
                meanwhile();
            }
        };
        // What is wrong at one of the cases is told by that: nobody waits for what may be wrong besides.
        let given_up = Arc::new(AtomicBool::new(false));
        let run = || {
            let results: Result<Vec<Checked>, backend::BackendError> = run();
            let wrong = results.as_ref().is_ok_and(|results| results.iter().any(is_wrong));
            given_up.store(wrong && full && !self.all_sizes && cubin.is_none(), Relaxed);
            meanwhile(results.as_ref().is_ok_and(|results| results.iter().all(|checked| checked.status.passed())));
            results
        };
        let besides = || {
            let besides = if full { self.besides_unless(built, &given_up)? } else { Besides::default() };
            meanwhile(besides.iter().all(|(_, checked)| checked.status.passed()));
            Ok::<_, BuildError>(besides)
        };
        let (results, besides) = rayon::join(run, besides);
        let results: Vec<Checked> = results.map_err(|error| BuildError::Error(error.into()))?;
        self.look_for_cuts(&results);
        let count = counted.and_then(|at| results.get(at).cloned());
        let mut cases: Vec<(Sizes, Checked)> = sizes.into_iter().zip(results).collect();
        if full {
            cases.extend(self.far_on_gpu(built, cubin.as_ref(), &cases)?);
        }
        // It may have been done before.
        let besides = if given_up.load(Relaxed) { Besides::default() } else { besides? };
        Ok(Results { cases, count, besides, schedules })
    }

    /// What is tried besides the cases, until it is given up: then there is nothing, and nothing was cut.
    fn besides_unless(&self, built: &Built, given_up: &Arc<AtomicBool>) -> Result<Besides, BuildError> {
        let (cut, untried) = (OnceLock::new(), OnceLock::new());
        // Its third of the memory is kept for it: it takes longest.
        let apart =
            Trials { room: None, given_up: Some(given_up.clone()), cut: &cut, untried: &untried, ..self.clone() };
        let besides = apart.besides(built);
        if given_up.load(Relaxed) {
            return Ok(Besides::default());
        }
        for (of_all, found) in [(self.cut, cut), (self.untried, untried)] {
            found.into_inner().map(|words| of_all.set(words));
        }
        besides
    }

    /// For each of those that run at the same time: a baseline, a candidate, and the candidate's sampled blocks.
    fn options(&self) -> backend::WorkerOptions {
        // A unit may take two thirds of it all.
        let timeout = Duration::from_secs(self.budget.seconds) * 2 / 3;
        let (until, given_up, room) = (Some(self.until), self.given_up.clone(), self.room.clone());
        backend::WorkerOptions { until, given_up, timeout, room, ..backend::WorkerOptions::default() }.one_of(3)
    }

    /// Remembers what the machine ended, which is no property of the kernel alone.
    fn look_for_cuts<'r>(&self, results: impl IntoIterator<Item = &'r Checked>) {
        let words = |status: &Status| match status {
            Status::TimedOut { seconds } => Some(format!("a run was stopped after {seconds:.0} s")),
            Status::OutOfTime => Some(format!("not all was tried within {} s", self.budget.all())),
            Status::WorkerDied { death } if death.out_of_memory => Some("a run needed more memory than it gets".into()),
            Status::WorkerDied { death } => Some(format!("the process of a run died: {}", death.how)),
            _ => None,
        };
        let interrupted =
            |checked: &Checked| checked.is_interrupted().then(|| "a run was stopped when its time was over".to_owned());
        let cut = |checked: &Checked| words(&checked.status).or_else(|| interrupted(checked));
        if let Some(words) = results.into_iter().find_map(cut) {
            let _ = self.cut.set(words);
        }
    }

    /// What a version does at some sizes in the usual order, without watching or judging it: its counters.
    pub fn counted(&self, built: &Built, sizes: &[Sizes]) -> Result<Vec<Checked>, BuildError> {
        let results = self.runs(built, sizes, Schedule::Its)?;
        self.look_for_cuts(&results);
        Ok(results)
    }

    /// How evenly the blocks of a version work at the `count` size where all draw from a counter in turn: in the other orders one block may
    /// have taken everything before the next one begins. Where that cannot be run to its end another order is asked; nothing where that
    /// cannot either, which then is noted.
    pub fn evenness_in_turn(&self, built: &Built) -> Result<Option<f64>, BuildError> {
        let count = std::slice::from_ref(&self.problem.manifest.count);
        let mut ended = Vec::new();
        for schedule in [Schedule::InTurn, Schedule::Patient { seed: 0 }] {
            let checked = self.runs(built, count, schedule)?;
            if let Some(lived) = checked.iter().find(|checked| checked.status.passed()) {
                return Ok(lived.evenness);
            }
            ended.extend(checked);
        }
        self.look_for_cuts(&ended);
        Ok(None)
    }

    fn runs(&self, built: &Built, sizes: &[Sizes], schedule: Schedule) -> Result<Vec<Checked>, BuildError> {
        let case = |(index, sizes)| {
            self.case(built, None, CaseAt { sizes, index, thoroughness: Thoroughness::Once, judged: false })
        };
        let cases = sizes.iter().enumerate().map(case).collect::<Result<Vec<_>, _>>()?;
        let mut on = self.platform.on(vec![schedule], Checks::NONE, STEPS, self.seed);
        if let backend::On::Sim { config, .. } = &mut on {
            // By where warps part it is known which branches the machine code has. Of other orders nobody asks.
            config.coverage = schedule == Schedule::Its;
        }
        let options = self.options();
        let results = backend::verify(&Verify { on, cases, stop_at_failure: false }, &options);
        Ok(results.map_err(|error| BuildError::Error(error.into()))?.into_iter().flatten().collect())
    }

    /// Whose turn it is of fills that take turns: those count that have a turn, and elements for what it brings.
    fn turn(&self, index: usize) -> usize {
        let manifest = &self.problem.manifest;
        let idle = |sizes: &&Sizes| **sizes == manifest.count || sizes.values().all(|size| *size == 1);
        index - manifest.cases.iter().take(index).filter(idle).count()
    }

    /// One case with one version.
    pub fn case(&self, built: &Built, cubin: Option<PathBuf>, asked: CaseAt<'_>) -> Result<Case, BuildError> {
        let CaseAt { sizes, index, thoroughness, judged } = asked;
        let io = self.problem.io(sizes).map_err(shipped)?;
        let plan = built.plan(sizes, &io).map_err(|error| BuildError::Launch(error, report::sizes(sizes)))?;
        if cubin.is_none() {
            built.fits(&plan).map_err(|error| BuildError::Launch(error, report::sizes(sizes)))?;
        }
        let seed = self.seed.wrapping_add(self.turn(index) as u64);
        let seed = if *sizes == self.problem.manifest.count { first_turn(seed) } else { seed };
        let mut oracle = None;
        let mut outputs = Vec::new();
        if judged {
            let buffers = self.problem.reference_io(&self.reference.file, sizes).map_err(shipped)?;
            let plan = self.reference.plan(sizes, &buffers).map_err(shipped)?;
            oracle = Some(self.reference.program(plan, self.reference_cubin.clone()));
            outputs = outputs_of(&self.problem.manifest.outputs, sizes).map_err(shipped)?;
        }
        let mut version = built.program(plan, cubin);
        if let (Some(oracle), Thoroughness::Full) = (&mut oracle, thoroughness) {
            let numbers: Vec<i64> = built.literals().copied().collect();
            (oracle.plan.numbers, version.plan.numbers) = (numbers.clone(), numbers);
        }
        Ok(Case {
            name: report::sizes(sizes),
            seed,
            oracle,
            outputs,
            versions: vec![version],
            thoroughness,
            exact_integers: judged,
            linear: judged && self.reference.is_linear(),
            quiet: !judged,
            ..Case::default()
        })
    }
}

/// Threads, and elements of a buffer, up to which inputs are looked for by which conditions of the code come out otherwise.
const TURNS: u64 = 1 << 17;

/// Is a case that small?
fn turns(case: &Case) -> bool {
    let plan = &case.versions[0].plan;
    plan.threads() <= TURNS && plan.buffers.iter().all(|buffer| buffer.len <= TURNS)
}

/// A malformed `problem.toml` or oracle is not the learner's doing.
fn shipped(error: LineError) -> BuildError {
    BuildError::Error(CheckError::from(error))
}
