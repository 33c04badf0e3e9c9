//! Explored schedules: how long a run is, and the shortest list of preemptions with which it still fails.

use super::across;
use crate::backend::machine::{Machine, Pass, Stop};
use crate::backend::{JobError, Keep, Output, Program, RunId, Status};
use crate::verify::answer::OracleOutputs;
use crate::verify::inputs::prepare;
use crate::verify::judge::judge;
use simulator::explore::{Effort, Shortest, Trial, minimise};
use simulator::{FindingKind, Schedule, Severity, Witness};

/// What a failed run is told by: how it ended, and the first grave finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Failed {
    status: std::mem::Discriminant<Status>,
    finding: Option<(std::mem::Discriminant<FindingKind>, u32)>,
}

impl Failed {
    /// `None` for a run that did not fail.
    pub fn of(status: &Status, pass: &Pass) -> Option<Self> {
        let findings = pass.reports.iter().flat_map(|report| &report.findings);
        let grave = findings.into_iter().find(|finding| finding.severity != Severity::Note);
        let finding = grave.map(|finding| (std::mem::discriminant(&finding.kind), finding.place.ptx_line));
        let failed = !status.passed() || finding.is_some();
        failed.then(|| Self { status: std::mem::discriminant(status), finding })
    }
}

/// The order that a pass took.
pub fn trial(pass: &Pass, failed: bool) -> Trial {
    let mut trial = Trial { failed, ..Trial::new() };
    pass.reports.iter().for_each(|report| trial.add(report));
    trial
}

/// The schedule to run under: PCT is told how many operations the plain order has. Where the time was over before that order was, its
/// pass, which says how far it came: there is none for another.
///
/// # Errors
/// The backend's.
pub fn measured(
    machine: &dyn Machine,
    program: &Program,
    run: &RunId,
) -> Result<(Option<Schedule>, Option<Pass>), Stop> {
    match run.schedule {
        Some(Schedule::Pct { seed, depth, operations: 0 }) => {
            let plain = follow(machine, program, run, &Witness::default())?;
            let operations = plain.reports.iter().map(|report| report.order.operations).sum();
            let mut findings = plain.reports.iter().flat_map(|report| &report.findings);
            let over = findings.any(|finding| matches!(finding.kind, FindingKind::Interrupted { .. }));
            Ok((Some(Schedule::Pct { seed, depth, operations }), over.then_some(plain)))
        }
        schedule => Ok((schedule, None)),
    }
}

fn follow(machine: &dyn Machine, program: &Program, run: &RunId, witness: &Witness) -> Result<Pass, Stop> {
    let mut session = machine.open(program)?;
    prepare(&mut *session, program, run)?;
    session.follow(witness);
    Ok(session.pass(Some(Schedule::Replay)))
}

/// The shortest list with which the run still fails as it did.
///
/// # Errors
/// A [`JobError`] that no kernel caused.
pub fn shortest(
    machine: &dyn Machine,
    program: &Program,
    outputs: &[Output],
    run: &RunId,
    (answer, keep): (Option<&OracleOutputs>, Option<&Keep>),
    (failed, first): (&Failed, &Trial),
    effort: &Effort,
) -> Result<Option<Shortest>, JobError> {
    minimise(first, effort, |witness| {
        let attempt = || -> Result<Trial, Stop> {
            let mut session = machine.open(program)?;
            prepare(&mut *session, program, run)?;
            session.follow(witness);
            let mut pass = session.pass(Some(Schedule::Replay));
            let status = match pass.stop.take() {
                Some(stop) => stop.status().map_err(Stop::Failure)?,
                None => judge(&mut *session, program, outputs, run, answer, &mut None)?,
            };
            let status = match keep {
                Some(Keep::Against(across)) if status.passed() => across::status(&mut *session, program, run, across)?,
                _ => status,
            };
            Ok(trial(&pass, Failed::of(&status, &pass).as_ref() == Some(failed)))
        };
        match attempt() {
            Ok(trial) => Ok(trial),
            Err(Stop::Failure(failure)) => Err(failure),
            Err(_) => Ok(Trial::new()),
        }
    })
}
