//! One version of a case: its runs, one after the other, each judged, and what was found on the way.

mod besides;
mod record;

use super::PATIENT_STEPS;
use super::answer::OracleOutputs;
use super::artefacts::{summaries, write_dump};
use super::inputs::prepare;
use super::judge::judge;
use super::probes::shortest;
use crate::backend::machine::{Machine, Pass, Session, Stop};
use crate::backend::{Case, Checked, JobError, Output, Program, Reads, RunId, RunResult, Status};
use plan::Plan;
use record::{evenness, record};
use simulator::Schedule;
use simulator::finding::FindingName;
use std::iter;
use std::path::PathBuf;
use std::rc::Rc;
use values::LooksLike;

/// Threads, and elements of all buffers, up to which every run is watched; above that the first under each schedule.
const WATCHED: u64 = 1 << 14;
/// Threads from which on each has an element of its own to take, and goes round no loop.
const MANY: u64 = 1 << 19;
/// Launches of a module that remembers at another size, ...
const VISITS: u32 = 8;
/// ... and in one of the cases: a byte that counts has begun anew, and is large again when it matters.
const OFTEN: u32 = 500;

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

    /// One run, with all that is looked at after it.
    fn run<'m>(&'m self, run: &RunId, opened: &mut Opened<'m>, checked: &mut Checked) -> Result<Status, Stop> {
        if run.number == 1 && run.schedule == self.runs[0].schedule {
            self.visit(run, opened)?;
        }
        let session = self.session(run, opened)?;
        let (schedule, over) = shortest::measured(self.machine, self.program, run)?;
        let measured = RunId { schedule, ..*run };
        let first = !self.runs[..run.number as usize].iter().any(|before| before.schedule == run.schedule);
        let watched =
            first && !(self.case.steady && self.program.plan.threads() > MANY) || is_small(&self.program.plan);
        session.set_checked(watched);
        let unfair = run.schedule.is_some_and(|schedule| schedule.is_unfair())
            && self.runs.iter().any(|other| other.schedule != run.schedule);
        let patience = self.case.within.or(unfair.then_some(PATIENT_STEPS));
        if let Some(steps) = patience {
            session.at_most(steps);
        }
        let (mut pass, mut status) = match over.map_or_else(|| self.pass(session, &measured, checked), stopped) {
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
        let first = if self.case.often { OFTEN } else { VISITS };
        let mut visits: Vec<_> = self.between.iter().zip(iter::once(first).chain(iter::repeat(1))).collect();
        if self.case.seed.is_multiple_of(2) {
            visits.reverse();
        }
        for (other, times) in visits {
            let session = self.session(run, opened)?;
            // Elsewhere the other's inputs would lie on this one's memory.
            if !session.visit(Some(other))? {
                return Ok(());
            }
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
        if self.case.reads != Reads::Unasked && run.number == 0 {
            session.note_reads()?;
        }
        let pass = session.pass(run.schedule);
        if pass.stop.is_some() {
            return stopped(pass);
        }
        let answer = self.answer(run);
        let status = judge(session, self.program, self.outputs, run, answer, &mut checked.error_over_bound)?;
        Ok((pass, status))
    }

    /// The oracle's answer to a run's inputs.
    fn answer(&self, run: &RunId) -> Option<&OracleOutputs> {
        self.answers.iter().map(Rc::as_ref).find(|answer| answer.is_for(run))
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

/// How a pass ended that did not come to its end.
fn stopped(mut pass: Pass) -> Result<(Pass, Status), Stop> {
    let status = pass.stop.take().map_or(Ok(Status::Passed), Stop::status).map_err(Stop::Failure)?;
    Ok((pass, status))
}

/// Is it cheap to watch every run? Which accesses meet does not hang on how inputs are drawn, or it shows at small sizes, too.
fn is_small(plan: &Plan) -> bool {
    let elements = plan.buffers.iter().map(|buffer| buffer.len).fold(0, u64::saturating_add);
    plan.threads().max(elements) <= WATCHED
}
