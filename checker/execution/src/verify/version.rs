//! One version of a case: its runs, one after the other, each judged, and what was found on the way.

use super::PATIENT_STEPS;
use super::answer::OracleOutputs;
use super::artefacts::{summaries, write_dump};
use super::inputs::prepare;
use super::judge::judge;
use super::probes::across;
use super::probes::shortest;
#[cfg(not(target_family = "wasm"))]
use super::probes::turned;
use super::probes::unread;
use super::probes::unused::{self, Passed};
use crate::backend::machine::{Machine, Pass, Session, Stop};
use crate::backend::{
    Case, Checked, Found, JobError, LaunchCount, LineCount, Output, Program, RunId, RunResult, Status,
};
use plan::Plan;
use simulator::finding::FindingName;
use simulator::{Counters, FindingKind, Schedule};
use std::collections::BTreeMap;
use std::iter;
use std::path::PathBuf;
use std::rc::Rc;
use values::LooksLike;
use values::fill::Values;

/// Of what the busiest block did the part that blocks which are idle come to, on average.
const IDLE: f64 = 0.05;
/// printf output kept of a version.
const PRINTF_KEPT: usize = 64 << 10;
/// Threads, and elements of all buffers, up to which every run is watched; above that the first under each schedule.
const WATCHED: u64 = 1 << 14;
/// Threads from which on each has an element of its own to take, and goes round no loop.
const MANY: u64 = 1 << 19;

/// Warp instructions up to which inputs are looked for that conditions ask for: some milliseconds.
#[cfg(not(target_family = "wasm"))]
const TURNED_STEPS: u64 = 1 << 16;
/// Launches of a module that remembers at another size.
const VISITS: u32 = 8;

/// A version, and what its runs are held against.
pub(super) struct Version<'a> {
    /// Where it runs.
    pub machine: &'a dyn Machine,
    /// The case.
    pub case: &'a Case,
    /// The version.
    pub program: &'a Program,
    /// Its outputs, with how far they may be off.
    pub outputs: &'a [Output],
    /// The same module at other sizes.
    pub between: &'a [Program],
    /// Buffers to write to files.
    pub dump: &'a [(String, PathBuf)],
    /// Its runs, those of a schedule together.
    pub runs: &'a [RunId],
    /// The oracle's answers to their inputs; none if nobody judges.
    pub answers: &'a [Rc<OracleOutputs>],
}

/// A session, and the schedule that it was opened for.
type Opened<'m> = Option<(Option<Schedule>, Box<dyn Session + 'm>)>;

impl Version<'_> {
    /// Runs it and judges every run; under a schedule that it fails under it is run no more.
    ///
    /// # Errors
    /// A [`JobError`] that no kernel caused.
    pub fn check(&self) -> Result<Checked, JobError> {
        let mut checked = Checked::only(Status::Passed);
        let mut opened = None;
        let mut failed = None;
        for run in self.runs {
            if failed == Some(run.schedule) || self.machine.broken() {
                continue;
            }
            let status = match self.run(run, &mut opened, &mut checked) {
                Ok(status) => status,
                Err(stop) => {
                    checked.status = stop.status()?;
                    return Ok(checked);
                }
            };
            if !status.passed() {
                failed = Some(run.schedule);
                opened = None;
                if checked.status.passed() {
                    checked.status = status.clone();
                }
            }
            checked.runs.push(RunResult { run: *run, status });
        }
        #[cfg(not(target_family = "wasm"))]
        if checked.status.passed() && !self.machine.broken() {
            self.turn(&mut checked)?;
        }
        if checked.status.passed() {
            // What was read and had no effect.
            checked.findings.retain(|found| !found.finding.is_suspicion());
        }
        Ok(checked)
    }

    /// What has passed is run over inputs that the code asks for, where that was wanted.
    #[cfg(not(target_family = "wasm"))]
    fn turn(&self, checked: &mut Checked) -> Result<(), JobError> {
        let steps = checked.counters.map_or(0, |counters| counters.instructions);
        let turns = self.case.turns && steps <= TURNED_STEPS;
        let usual = |run: &&RunId| run.number == 0 && run.schedule == Some(Schedule::Its);
        let first = self.runs.first().filter(|run| turns && usual(run));
        let (Some(run), Some(oracle)) = (first, &self.case.oracle) else { return Ok(()) };
        let probe =
            turned::Probe { machine: self.machine, program: self.program, oracle, outputs: self.outputs, steps };
        let found = match probe.judge(run) {
            Ok(found) => found,
            Err(stop) => {
                checked.status = stop.status()?;
                return Ok(());
            }
        };
        let Some(turned::Failed { status, pass, inputs }) = found else { return Ok(()) };
        (checked.status, checked.turned) = (status, Some(inputs));
        let schedule = run.schedule.unwrap_or_default();
        for (launch, report) in pass.reports.into_iter().enumerate() {
            for finding in report.findings {
                checked.add_finding(Found { finding, schedule, launch });
            }
        }
        Ok(())
    }

    /// One run, with all that is looked at after it.
    fn run<'m>(&'m self, run: &RunId, opened: &mut Opened<'m>, checked: &mut Checked) -> Result<Status, Stop> {
        if run.number == 1 && run.schedule == self.runs[0].schedule {
            self.visit(run, opened)?;
        }
        let session = self.session(run, opened)?;
        let measured = RunId { schedule: shortest::measured(self.machine, self.program, run)?, ..*run };
        let first = !self.runs[..run.number as usize].iter().any(|before| before.schedule == run.schedule);
        let watched =
            first && !(self.case.steady && self.program.plan.threads() > MANY) || is_small(&self.program.plan);
        session.set_checked(watched);
        let unfair = matches!(run.schedule, Some(Schedule::Patient { .. }))
            && self.runs.iter().any(|other| other.schedule != run.schedule);
        let patience = unfair.then_some(PATIENT_STEPS).or(self.case.within);
        if let Some(steps) = patience {
            session.at_most(steps);
        }
        let (mut pass, mut status) = match self.pass(session, &measured, checked) {
            Ok(done) => done,
            Err(stop) => (Pass::default(), stop.status()?),
        };
        // Waiting for longer than that is the order's doing.
        if let (Some(_), Status::Fault { fault }) = (patience, &status)
            && fault.name == FindingName::StepLimit.name()
        {
            (pass, status) = (Pass::default(), Status::Passed);
        }
        let watchable = run.schedule.is_some() && self.program.plan.threads() <= MANY;
        if !watched && watchable && matches!(status, Status::Wrong { .. }) {
            self.watch_again(&measured, &mut pass);
        }
        let mut replayed = *run;
        if run.number == 0 && status.passed() {
            let steps = pass.reports.iter().map(|report| report.counters.instructions).sum();
            let also = self.first(session, &measured, steps, checked, &mut replayed.values);
            status = also.or_else(Stop::status)?;
        }
        if first && let Some(failed) = shortest::Failed::of(&status, &pass) {
            self.shorten(&replayed, &failed, &pass, checked)?;
        }
        if first {
            // What blocks take from a counter depends on the order.
            checked.is_as_even_as(evenness(self.program, &pass));
        }
        record(checked, self.program, run, pass);
        if run.number == 0 && !self.machine.broken() {
            if self.answers.is_empty() && !self.case.quiet {
                checked.outputs = summaries(session, &self.program.plan, run.poison)?;
            }
            for (name, path) in self.dump {
                write_dump(session, &self.program.plan, name, path)?;
                checked.dumped.push(path.clone());
            }
        }
        let second = run.number == 1 && run.values.are_stated();
        if let (true, false, Status::Wrong { outputs }) = (second, self.machine.broken(), &mut status) {
            *opened = None;
            if self.is_right_alone(run) {
                for output in outputs {
                    let unwritten = output.looks_like == LooksLike::NeverWritten;
                    output.looks_like = LooksLike::SecondRunOnly { unwritten };
                }
            }
        }
        Ok(status)
    }

    /// Launches the module at other sizes: at the first several times, as it may count its launches, at others once. In every second case
    /// the first comes last: a module may remember the last size or the largest. What goes wrong there is for the cases of those sizes to
    /// tell.
    fn visit<'m>(&'m self, run: &RunId, opened: &mut Opened<'m>) -> Result<(), Stop> {
        let mut visits: Vec<_> = self.between.iter().zip(iter::once(VISITS).chain(iter::repeat(1))).collect();
        if self.case.seed.is_multiple_of(2) {
            visits.reverse();
        }
        for (other, times) in visits {
            let session = self.session(run, opened)?;
            session.visit(Some(other))?;
            prepare(session, other, run)?;
            let ended = (0..times).all(|_| session.pass(run.schedule).stop.is_none());
            session.visit(None)?;
            if !ended {
                *opened = None;
            }
        }
        Ok(())
    }

    /// What was wrong and not watched is done once more on a fresh module, watched: what was caught is a better reason than a wrong number.
    fn watch_again(&self, run: &RunId, pass: &mut Pass) {
        if let Ok((again, Status::Wrong { .. })) = self.alone(run, true) {
            *pass = again;
        }
    }

    /// The session to run in. A schedule starts with a module in its initial state.
    fn session<'m, 'o>(&'m self, run: &RunId, opened: &'o mut Opened<'m>) -> Result<&'o mut (dyn Session + 'm), Stop> {
        let other = opened.take().filter(|(schedule, _)| *schedule == run.schedule);
        let (_, session) = match other {
            Some(same) => opened.insert(same),
            None => {
                let session = self.machine.open(self.program)?;
                opened.insert((run.schedule, session))
            }
        };
        Ok(session.as_mut())
    }

    /// Fills, runs, judges.
    fn pass(&self, session: &mut dyn Session, run: &RunId, checked: &mut Checked) -> Result<(Pass, Status), Stop> {
        prepare(session, self.program, run)?;
        // The second value of poison is for another run over the same inputs: other luck as well.
        session.draw(run.seed ^ u64::from(run.poison) << 56);
        if self.case.reads && run.number == 0 {
            session.note_reads()?;
        }
        let mut pass = session.pass(run.schedule);
        if let Some(stop) = pass.stop.take() {
            let status = stop.status().map_err(Stop::Failure)?;
            return Ok((pass, status));
        }
        let answer = self.answer(run);
        let status = judge(session, self.program, self.outputs, run, answer, &mut checked.error_over_bound)?;
        Ok((pass, status))
    }

    /// The oracle's answer to a run's inputs.
    fn answer(&self, run: &RunId) -> Option<&OracleOutputs> {
        self.answers.iter().map(Rc::as_ref).find(|answer| answer.is_for(run))
    }

    /// What a first run that has passed, in so many warp instructions, is held against besides: another order's outputs, and what it
    /// did not read or use. `values` become those of the inputs for which a difference was found.
    fn first(
        &self,
        session: &mut dyn Session,
        run: &RunId,
        steps: u64,
        checked: &mut Checked,
        values: &mut Values,
    ) -> Result<Status, Stop> {
        if let Some(keep) = &self.case.keep {
            let found = across::apply(self.machine, self.program, session, run, keep)?;
            (checked.rounding, *values) = (found.rounding, found.values);
            return Ok(found.status);
        }
        let (Some(oracle), true) = (&self.case.oracle, self.case.reads) else { return Ok(Status::Passed) };
        let status = unread::judge(self.machine, session.unread(), oracle, self.outputs, run.seed)?;
        match self.answer(run) {
            // What is written to files is of the run itself.
            Some(answer) if status.passed() && self.dump.is_empty() => {
                let passed = Passed { program: self.program, run, answer, steps };
                unused::judge(self.machine, session, &passed, oracle, self.outputs)
            }
            _ => Ok(status),
        }
    }

    /// Looks for the shortest order with which an explored schedule fails in the same way, where that was asked for.
    fn shorten(
        &self,
        run: &RunId,
        failed: &shortest::Failed,
        pass: &Pass,
        checked: &mut Checked,
    ) -> Result<(), JobError> {
        let Some(effort) = self.machine.effort() else { return Ok(()) };
        // There is no time left for it.
        let findings = pass.reports.iter().flat_map(|report| &report.findings);
        if findings.into_iter().any(|finding| matches!(finding.kind, FindingKind::Interrupted { .. })) {
            return Ok(());
        }
        if checked.shortest.is_none() && run.schedule.is_some_and(|schedule| schedule.is_explored()) {
            let against = (self.answer(run), self.case.keep.as_ref());
            let first = (failed, &shortest::trial(pass, true));
            checked.shortest =
                shortest::shortest(self.machine, self.program, self.outputs, run, against, first, &effort)?;
        }
        Ok(())
    }

    /// Wrong only because the run before it left something behind? Then a fresh module gives the right answer.
    fn is_right_alone(&self, run: &RunId) -> bool {
        matches!(self.alone(run, false), Ok((_, Status::Passed)))
    }

    /// A run on a fresh module, of which nothing is recorded.
    fn alone(&self, run: &RunId, watched: bool) -> Result<(Pass, Status), Stop> {
        let mut fresh = self.machine.open(self.program)?;
        if watched {
            fresh.set_checked(true);
        }
        self.pass(&mut *fresh, run, &mut Checked::only(Status::Passed))
    }
}

/// Is it cheap to watch every run? Which accesses meet does not hang on how inputs are drawn, or it shows at small sizes, too.
fn is_small(plan: &Plan) -> bool {
    let elements = plan.buffers.iter().map(|buffer| buffer.len).fold(0, u64::saturating_add);
    plan.threads().max(elements) <= WATCHED
}

/// What the blocks did, of what they would have done if each had done as much as the busiest one of its launch. Where all but that one
/// together did next to nothing it is only what those did: of two blocks the busy one alone would make a half. Nothing where nothing was
/// counted.
fn evenness(program: &Program, pass: &Pass) -> Option<f64> {
    let grid = |launch: &plan::Launch| launch.grid.iter().map(|&extent| f64::from(extent)).product::<f64>();
    let (mut did, mut most, mut others, mut most_of_others) = (0.0, 0.0, 0.0, 0.0);
    for (launch, report) in program.plan.launches.iter().zip(&pass.reports) {
        let (sum, busiest) = (report.counters.instructions as f64, report.busiest as f64);
        did += sum;
        most += busiest * grid(launch);
        others += (sum - busiest).max(0.0);
        most_of_others += busiest * (grid(launch) - 1.0).max(0.0);
    }
    let idle = others < IDLE * most_of_others;
    (most > 0.0).then(|| if idle { others / most_of_others } else { did / most })
}

/// Adds a run's findings; of the first run also counters, lines and printf output.
fn record(checked: &mut Checked, program: &Program, run: &RunId, pass: Pass) {
    let first = run.number == 0;
    if first {
        keep_printf(checked, &pass.printf, pass.printf_dropped);
        checked.heap_left = pass.heap_left;
    }
    let mut lines: BTreeMap<(String, u32), Counters> = BTreeMap::new();
    let mut covered = BTreeMap::new();
    for (launch, report) in pass.reports.into_iter().enumerate() {
        let schedule = run.schedule.unwrap_or_default();
        if first {
            let planned = &program.plan.launches[launch];
            let (kernel, line) = (planned.kernel.clone(), planned.line);
            checked.launches.push(LaunchCount { kernel, line, counters: report.counters, trace: report.trace });
            checked.counters.get_or_insert_default().add(&report.counters);
            simulator::coverage::merge(&mut covered, report.coverage);
            for (place, counters) in &report.lines {
                lines.entry(place.clone()).or_default().add(counters);
            }
            let dropped = report.findings.iter().map(|finding| match finding.kind {
                FindingKind::PrintfOverflow { dropped } => dropped,
                _ => 0,
            });
            let dropped = dropped.sum();
            keep_printf(checked, &report.printf, dropped);
        }
        for finding in report.findings {
            checked.add_finding(Found { finding, schedule, launch });
        }
    }
    checked.lines.extend(lines.into_iter().map(|((file, line), counters)| LineCount { file, line, counters }));
    if first {
        checked.coverage = simulator::coverage::by_line(covered.into_values());
    }
}

fn keep_printf(checked: &mut Checked, printed: &[u8], dropped: u64) {
    let room = PRINTF_KEPT.saturating_sub(checked.printf.len()).min(printed.len());
    checked.printf.push_str(&String::from_utf8_lossy(&printed[..room]));
    checked.printf_dropped += dropped + (printed.len() - room) as u64;
}
