//! What a version that has passed is held against besides, and the shortest order with which it fails.

#[cfg(not(target_family = "wasm"))]
use super::super::probes::turned;
use super::super::probes::unused::{self, Passed};
use super::super::probes::{across, shortest, unread};
use super::Version;
#[cfg(not(target_family = "wasm"))]
use crate::backend::Found;
use crate::backend::machine::{Pass, Session, Stop};
use crate::backend::{Checked, JobError, Reads, RunId, Status};
use simulator::FindingKind;
#[cfg(not(target_family = "wasm"))]
use simulator::Schedule;
use values::fill::Values;

/// Warp instructions up to which inputs are looked for that conditions ask for: some milliseconds.
#[cfg(not(target_family = "wasm"))]
const TURNED_STEPS: u64 = 1 << 16;

impl Version<'_> {
    /// What has passed is run over inputs that the code asks for, where that was wanted.
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn turn(&self, checked: &mut Checked) -> Result<(), JobError> {
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
        let turned::Failed { status, pass, inputs } = match found {
            turned::Found::Wrong(failed) => *failed,
            turned::Found::Conditions(conditions) => {
                checked.conditions = conditions;
                return Ok(());
            }
        };
        (checked.status, checked.turned) = (status, Some(inputs));
        let schedule = run.schedule.unwrap_or_default();
        for (launch, report) in pass.reports.into_iter().enumerate() {
            for finding in report.findings {
                checked.add_finding(Found { finding, schedule, launch });
            }
        }
        Ok(())
    }

    /// What a first run that has passed, in so many warp instructions, is held against besides: another order's outputs, and what it
    /// did not read or use. `values` become those of the inputs for which a difference was found.
    pub(super) fn first(
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
        let (Some(oracle), true) = (&self.case.oracle, self.case.reads != Reads::Unasked) else {
            return Ok(Status::Passed);
        };
        let status = unread::judge(self.machine, session.unread(), oracle, self.outputs, run.seed)?;
        let again = self.case.reads == Reads::Asked || steps <= unused::MOST_STEPS;
        match self.answer(run) {
            // What is written to files is of the run itself.
            Some(answer) if status.passed() && self.dump.is_empty() && again => {
                let passed = Passed { program: self.program, run, answer, steps };
                unused::judge(self.machine, session, &passed, oracle, self.outputs)
            }
            _ => Ok(status),
        }
    }

    /// Looks for the shortest order with which an explored schedule fails in the same way, where that was asked for.
    pub(super) fn shorten(
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
}
