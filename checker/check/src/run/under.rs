//! A file under its orders: what each shows, what they differ in, and the shortest that fails.

use super::ready::Ready;
use super::{Halt, Running};
use crate::many::{self, How, Time};
use crate::numbers::Known;
use crate::{CheckError, time};
use account::CheckedRun;
use account::annotate::{self, Texts};
use account::orders::{self, schedule_name};
use account::reasons::{self, Scene};
use execution::backend::{self, Across, Checked, Keep, Status, Verify};
use report::{RanOn, ShortestOrder, Stage, StageName, StageStatus, TriedOrder, Verdict};
use simulator::explore::Effort;
use simulator::{Schedule, Witness};
use std::path::Path;
use std::time::{Duration, Instant};
use system::interrupt::HalfWritten;

/// What looking for the shortest order may take.
const SHORTEST: Duration = Duration::from_secs(30);
/// What the command needs of its time when the runs are over: to end workers and to tell.
const TELLING: Duration = Duration::from_millis(1500);

/// The orders that came to their end.
struct Tried {
    schedules: Vec<Schedule>,
    results: Vec<Checked>,
}

impl Running<'_> {
    /// Runs it and tells what came of it.
    pub(super) fn under_its_orders(&mut self, ready: &Ready) -> Result<(), Halt> {
        let on_gpu = ready.platform.gpu.is_some();
        (self.progress)(if on_gpu { "running on the GPU" } else { "simulating" });
        let options = self.options;
        let asked = &options.orders.schedules;
        let asked = if asked.is_empty() { vec![Schedule::Its] } else { asked.clone() };
        // The time is that of the whole command: some of it has gone by.
        let spent = self.begun.elapsed() + TELLING;
        let left = |time: Option<Duration>| time.map(|time| time.saturating_sub(spent).max(TELLING));
        let time = Time { one: left(options.time.one), all: left(options.time.all) };
        let until = time.all.map(|all| Instant::now() + all);
        let compared = options.compare && ready.case.oracle.is_none() && !on_gpu;
        let folder = if compared { Some(tempfile::tempdir()?) } else { None };
        let kept = folder.as_ref().map(tempfile::TempDir::path);
        let _guard = kept.map(HalfWritten::new);
        let one = |schedule: &Schedule, how: &How| self.one(ready, &asked, schedule, how, None);
        let results = many::run(&asked, (time, options.steps), kept, &one)?;
        let (tried, untried): (Vec<_>, Vec<_>) = asked.iter().zip(results).partition(|(_, result)| result.is_some());
        let untried: Vec<String> = untried.into_iter().map(|(schedule, _)| options.orders.name(schedule)).collect();
        let (schedules, results) = tried.into_iter().filter_map(|(schedule, found)| Some((*schedule, found?))).unzip();
        let tried = Tried { schedules, results };
        self.report.notes.extend(cut(&untried, options.time));
        self.report.untried = untried;
        self.report.machine = match &ready.platform.gpu {
            Some(info) => RanOn::Gpu { device: info.name.clone(), driver: time::driver(info) },
            None => RanOn::Sim { schedules: tried.schedules.iter().map(schedule_name).collect() },
        };
        self.report.meanings = meanings(&tried.schedules);
        self.verdicts(ready, &tried);
        self.shortest(ready, &tried, kept, until)?;
        if let Some(trace) = &options.trace {
            let ptx = ready.built.compiled.ptx.as_str();
            let mut texts = Texts { sources: &mut self.sources, path: self.path, ptx };
            self.report.traces = annotate::traces(&tried.schedules, &tried.results, trace, &mut texts);
            self.report.notes.extend(annotate::unknown_warps(&trace.0, &self.report.traces));
        }
        self.report.notes.extend(roundings(&tried.schedules, &tried.results));
        self.conclude(ready, tried);
        Ok(())
    }

    /// One order, a job of its own: a finding then belongs to every order that shows it, not only to the first.
    fn one(
        &self,
        ready: &Ready,
        all: &[Schedule],
        schedule: &Schedule,
        how: &How,
        effort: Option<Effort>,
    ) -> Result<Option<Checked>, CheckError> {
        let options = self.options;
        let mut on = ready.platform.on(vec![*schedule], options.checks, how.steps, self.seed);
        if let backend::On::Sim { config, minimise, .. } = &mut on {
            *minimise = effort;
            config.lines = options.lines;
            if let Some((request, steps)) = &options.trace {
                (config.trace, config.limits.trace) = (Some(request.clone()), *steps);
            }
            config.witness.clone_from(&options.orders.witness);
        }
        let mut case = ready.case.clone();
        if all.first() != Some(schedule) {
            case.dump.clear();
        }
        case.keep.clone_from(&how.keep);
        let until = Instant::now().checked_add(how.timeout);
        let limits = backend::WorkerOptions { timeout: how.timeout, until, ..backend::WorkerOptions::default() };
        let beside = many::side_by_side(all.len());
        let limits = backend::WorkerOptions { cores: crate::share::cores() / beside, ..limits.one_of(beside) };
        let job = Verify { on, cases: vec![case], stop_at_failure: false };
        Ok(backend::verify(&job, &limits)?.into_iter().flatten().next())
    }

    /// What each order comes to, and what repeats it.
    fn verdicts(&mut self, ready: &Ready, tried: &Tried) {
        let orders = &self.options.orders;
        let scene = Scene { file: self.path, case: &ready.case.name, buffers: &ready.plan.buffers };
        // What is held against another order is repeated together with it.
        let named = |schedule: &Schedule, verdict: Verdict| match (verdict, tried.schedules.first()) {
            (Verdict::OrderDependent, Some(first)) => format!("{},{}", orders.name(first), orders.name(schedule)),
            _ => orders.name(schedule),
        };
        for (schedule, checked) in tried.schedules.iter().zip(&tried.results) {
            let reasons = reasons::of(checked, &scene, &mut self.sources);
            let verdict = reasons.first().map_or(Verdict::Finished, |reason| reason.verdict);
            let name = named(schedule, verdict);
            let repeat = if verdict.is_good() { String::new() } else { format!("{} --schedule {name}", self.command) };
            self.report.orders.push(TriedOrder { schedule: orders.name(schedule), verdict, repeat });
        }
    }

    /// Where the usual order is right, the shortest order that is not says what matters.
    fn shortest(
        &mut self,
        ready: &Ready,
        tried: &Tried,
        kept: Option<&Path>,
        until: Option<Instant>,
    ) -> Result<(), CheckError> {
        let options = self.options;
        let pairs = || tried.schedules.iter().zip(&self.report.orders);
        let usual = pairs().find(|(schedule, _)| **schedule == Schedule::Its);
        let wrong = pairs().find(|(schedule, order)| {
            schedule.is_explored() && **schedule != Schedule::Replay && !order.verdict.is_good()
        });
        let (None | Some(true), Some((schedule, order))) = (usual.map(|(_, order)| order.verdict.is_good()), wrong)
        else {
            return Ok(());
        };
        let left = until.map_or(SHORTEST, |until| until.saturating_duration_since(Instant::now()).min(SHORTEST));
        if left.is_zero() {
            return Ok(());
        }
        (self.progress)("looking for the shortest order that fails");
        let (first, depends) = (tried.schedules[0], order.verdict == Verdict::OrderDependent);
        let against = |folder: &Path| Keep::Against(Across { schedule: first, folder: folder.to_path_buf() });
        let keep = kept.filter(|_| depends).map(against);
        let how = How { timeout: left, steps: options.steps, keep };
        let found = self.one(ready, &tried.schedules, schedule, &how, Some(options.effort))?;
        let found = found.and_then(|checked| checked.shortest).filter(|found| found.witness != Witness::default());
        let name = order.schedule.clone();
        self.report.shortest_order = found.map(|found| {
            let witness = found.witness.to_string();
            let replay = format!("replay:{witness}");
            let list = if depends { format!("{},{replay}", options.orders.name(&first)) } else { replay };
            ShortestOrder {
                schedule: name,
                steps: found.witness.explain(&found.preempted),
                witness,
                repeat: format!("{} --schedule {list}", self.command),
                minimal: found.minimal,
            }
        });
        Ok(())
    }

    /// What all orders together come to.
    fn conclude(&mut self, ready: &Ready, tried: Tried) {
        let Tried { schedules, results } = tried;
        let Some(checked) = merged(results) else { return };
        if ready.is_judged && checked.status.passed() {
            let summary = format!("right at {}", ready.case.name);
            self.report.stages.push(Stage { name: StageName::Results, status: StageStatus::Passed, summary });
        }
        let (path, plan, sizes) = (self.path, &ready.plan, &ready.sizes);
        account::report_run(&mut self.report, &CheckedRun { path, plan, sizes, checked: &checked }, &mut self.sources);
        let known =
            Known { built: Some(&ready.built), plan: Some(plan), counters: checked.counters, ..Known::default() };
        self.report.table = known.table(None, &[]);
        let lockstep = only_lockstep_fails(&schedules, &self.report.orders);
        if let (true, Some(reason)) = (lockstep, self.report.reasons.first_mut()) {
            let first = format!(
                "only pre-volta fails: since Volta the lanes of a warp can wait for each other, and code for {} runs on no \
                 older GPU; the compiler may move what others wait for behind the loop that waits",
                ready.platform.arch
            );
            reason.details.insert(0, first);
        }
    }
}

/// What the names of schedules mean, each kind once.
fn meanings(schedules: &[Schedule]) -> Vec<String> {
    let mut meanings: Vec<String> = schedules.iter().map(|schedule| orders::meaning(schedule).to_owned()).collect();
    meanings.dedup();
    meanings
}

/// What was not tried for want of time, and how to try it.
fn cut(untried: &[String], time: Time) -> Option<String> {
    let seconds = time.all?.as_secs();
    let first = untried.first()?;
    let which = match untried.len() {
        1 => format!("schedule {first} was"),
        many => format!("{many} schedules (the first is {first}) were"),
    };
    Some(format!(
        "{which} not tried to the end within {seconds} s: --all tries every one, --limit SECONDS goes on longer"
    ))
}

/// Is all well in every order but that of GPUs before Volta?
fn only_lockstep_fails(schedules: &[Schedule], orders: &[TriedOrder]) -> bool {
    let fails = |lockstep| {
        let pairs = schedules.iter().zip(orders);
        pairs
            .filter(|(schedule, _)| (**schedule == Schedule::PreVolta) == lockstep)
            .any(|(_, order)| !order.verdict.is_good())
    };
    orders.len() > 1 && fails(true) && !fails(false)
}

/// The first order's numbers with everything that any order showed, the same thing at the same place once.
fn merged(results: Vec<Checked>) -> Option<Checked> {
    let mut results = results.into_iter();
    let mut first = results.next()?;
    for other in results {
        for found in other.findings {
            if !first.findings.iter().any(|seen| seen.finding.is_like(&found.finding)) {
                first.findings.push(found);
            }
        }
        if first.status.passed() && !other.status.passed() {
            (first.status, first.runs) = (other.status, other.runs);
        }
    }
    Some(first)
}

/// What differs by rounding alone: of each output the largest difference.
fn roundings(schedules: &[Schedule], results: &[Checked]) -> Vec<String> {
    let Some(other) = schedules.first() else { return Vec::new() };
    // Of what is another value under some order nobody asks how it is rounded under others.
    let dependent = |name: &str| {
        results.iter().any(|checked| match &checked.status {
            Status::OrderDependent { outputs, .. } => outputs.iter().any(|output| output.name == name),
            _ => false,
        })
    };
    let mut most: Vec<(Schedule, &backend::Difference)> = Vec::new();
    for (schedule, checked) in schedules.iter().zip(results) {
        for difference in checked.rounding.iter().filter(|difference| !dependent(&difference.name)) {
            match most.iter_mut().find(|(_, known)| known.name == difference.name) {
                Some(known) if known.1.apart >= difference.apart => {}
                Some(known) => *known = (*schedule, difference),
                None => most.push((*schedule, difference)),
            }
        }
    }
    most.into_iter().map(|(this, difference)| orders::rounding(difference, *other, this)).collect()
}
