//! One size of a problem: the oracle, then every version, run and judged on whichever backend.

use super::POISON;
use super::answer::{OracleOutputs, answer};
use super::probes::as_written;
use super::version::Version;
use crate::backend::machine::{Machine, Sampled, Stop};
use crate::backend::{Case, Checked, JobError, Output, Program, Reply, RunId, Status, Thoroughness};
use plan::dtype::DType;
use plan::{Buffer, Plan, Role};
use simulator::Schedule;
use std::rc::Rc;
use values::Tolerance;
use values::fill::{self, TURNS, Values};

/// Threads, and elements of a buffer, up to which a run over [`Values::Ends`] is made.
const FEW: u64 = 1 << 12;

/// Runs a case. `wanted` says which versions; what is found goes to `emit` as soon as it is known.
///
/// # Errors
/// A [`JobError`] that no kernel caused.
pub fn run_case(
    machine: &dyn Machine,
    number: usize,
    case: &Case,
    wanted: &dyn Fn(usize) -> bool,
    emit: &mut dyn FnMut(Reply),
) -> Result<(), JobError> {
    if matches!(case.thoroughness, Thoroughness::Sampled { .. } | Thoroughness::Sought { .. }) {
        return run_sampled(machine, number, case, emit);
    }
    if let Thoroughness::Asked { whole } = case.thoroughness {
        let (known, asked) = case.versions.split_at(whole.min(case.versions.len()));
        let news = machine.news(known, asked, case.seed).or_else(|stop| stop.status().map(|_| Vec::new()))?;
        let meant = case.varying.as_ref().map(|varying| machine.meant(known, varying, case.seed));
        let mut meant = meant.transpose().or_else(|stop| stop.status().map(|_| None))?.unwrap_or_default();
        let known = std::iter::repeat_n(None, known.len());
        // Of those that there was no time to ask nothing is known.
        let all = known.chain(news).chain(std::iter::repeat(None)).take(case.versions.len());
        for (version, status) in all.enumerate() {
            let meant = std::mem::take(&mut meant);
            let result = Box::new(Checked { meant, ..Checked::only(status.unwrap_or(Status::Passed)) });
            emit(Reply::Checked { case: number, version, result });
        }
        return Ok(());
    }
    if let Thoroughness::Profiled { steps } = case.thoroughness {
        return run_profiled(machine, number, case, steps, wanted, emit);
    }
    let own: Vec<Option<Schedule>> = case.schedules.iter().copied().map(Some).collect();
    let runs = runs(case, &if own.is_empty() { machine.schedules() } else { own });
    emit(Reply::Started { case: number, version: None });
    let mut answers = Vec::new();
    if let Some(oracle) = &case.oracle {
        match all_answers(machine, oracle, case, &runs) {
            Ok(found) => answers = found,
            Err(Stop::Failure(failure)) => return Err(failure),
            Err(stop) => {
                let message = explain(&stop);
                for version in (0..case.versions.len()).filter(|&version| wanted(version)) {
                    let result = Box::new(Checked::only(Status::OracleFailed { message: message.clone() }));
                    emit(Reply::Checked { case: number, version, result });
                }
                return Ok(());
            }
        }
    }
    for (version, program) in case.versions.iter().enumerate().filter(|(version, _)| wanted(*version)) {
        emit(Reply::Started { case: number, version: Some(version) });
        let dump = if version + 1 == case.versions.len() { case.dump.as_slice() } else { &[] };
        let outputs = case.outputs_of(version);
        let between = case.between.get(version).map_or(&[][..], Vec::as_slice);
        let whole = Version { machine, case, program, between, outputs, dump, runs: &runs, answers: &answers };
        let mut checked = whole.check()?;
        as_written::look(machine, program, &runs, case.thoroughness, &mut checked)?;
        emit(Reply::Checked { case: number, version, result: Box::new(checked) });
        if machine.broken() {
            break;
        }
    }
    Ok(())
}

/// Some blocks of a version, beside those of its second size.
fn run_sampled(machine: &dyn Machine, number: usize, case: &Case, emit: &mut dyn FnMut(Reply)) -> Result<(), JobError> {
    emit(Reply::Started { case: number, version: Some(0) });
    let told = match (case.thoroughness, case.versions.as_slice()) {
        (Thoroughness::Sought { whole }, [far, others @ ..]) => {
            let (near, ladder) = others.split_at(whole.min(others.len()));
            machine.untried(far, near, ladder, case.seed).map(|status| Sampled { status, findings: Vec::new() })
        }
        (Thoroughness::Sampled { followed }, [large, small, ..]) => {
            let sampled = machine.sampled((large, small), case.oracle.as_ref(), &case.outputs, case.seed, followed);
            sampled.and_then(|sampled| Ok(Sampled { status: besides(machine, case, sampled.status)?, ..sampled }))
        }
        _ => Ok(Sampled::default()),
    };
    let Sampled { status, findings } = match told {
        Ok(told) => told,
        Err(stop) => Sampled { status: Some(stop.status()?), findings: Vec::new() },
    };
    let mut first = Some(Checked { findings, ..Checked::only(status.unwrap_or(Status::Passed)) });
    for version in 0..case.versions.len() {
        let result = Box::new(first.take().unwrap_or_else(|| Checked::only(Status::Passed)));
        emit(Reply::Checked { case: number, version, result });
    }
    Ok(())
}

/// With what the version does at the large size and at none that is run whole; what is wrong is wrong, whatever else there is.
fn besides(machine: &dyn Machine, case: &Case, status: Option<Status>) -> Result<Option<Status>, Stop> {
    let ([large, near @ ..], None | Some(Status::Passed)) = (case.versions.as_slice(), &status) else {
        return Ok(status);
    };
    Ok(match (machine.untried(large, near, &[], case.seed)?, &status) {
        // Of blocks whose results were compared all had the arithmetic, and some those threads.
        (Some(Status::Untried { what, from, .. }), Some(_)) => {
            let shown = what.shows();
            Some(Status::Untried { what, from, shown })
        }
        (untried, _) => untried.or(status),
    })
}

/// Some blocks of every launch of the first version, for their counts; the second is the same at a size that may be run whole.
fn run_profiled(
    machine: &dyn Machine,
    number: usize,
    case: &Case,
    steps: u64,
    wanted: &dyn Fn(usize) -> bool,
    emit: &mut dyn FnMut(Reply),
) -> Result<(), JobError> {
    for (version, program) in case.versions.iter().enumerate().filter(|(version, _)| wanted(*version)) {
        emit(Reply::Started { case: number, version: Some(version) });
        let result = match version {
            0 => match machine.profiled(program, case.versions.get(1), case.seed, steps) {
                Ok(profile) => Checked { profile, ..Checked::only(Status::Passed) },
                Err(stop) => Checked::only(stop.status()?),
            },
            _ => Checked::only(Status::Passed),
        };
        emit(Reply::Checked { case: number, version, result: Box::new(result) });
    }
    Ok(())
}

/// The runs every version of the case makes.
fn runs(case: &Case, schedules: &[Option<Schedule>]) -> Vec<RunId> {
    let exact = case.exact_integers && exact_run_helps(case);
    let mut runs = Vec::new();
    let mut add = |seed, values, poison: usize, schedule| {
        runs.push(RunId { number: runs.len() as u32, seed, values, poison: POISON[poison % 2], schedule });
    };
    // What nobody judges is shown: poison must not look like an everyday result, as -1 and 255 do. (A NaN does not.)
    let integers = |buffer: &Buffer| buffer.role == Role::Out && !buffer.dtype.is_float();
    let shown = case.oracle.is_none() && case.versions.iter().any(|one| one.plan.buffers.iter().any(integers));
    let shown = usize::from(shown);
    if matches!(case.thoroughness, Thoroughness::Large | Thoroughness::LargeTwice) {
        let values = if exact { Values::ExactIntegers } else { Values::AsStated };
        let schedule = schedules.first().copied().flatten();
        add(case.seed, values, 0, schedule);
        if case.thoroughness == Thoroughness::LargeTwice {
            add(fill::second_seed(case.seed), Values::AsStated, 1, schedule);
        }
        return runs;
    }
    for (position, &schedule) in schedules.iter().enumerate() {
        add(case.seed, Values::AsStated, position.max(shown), schedule);
        if position == 0 && case.thoroughness == Thoroughness::Full {
            add(fill::second_seed(case.seed), Values::Edges, 1, schedule);
            if exact {
                add(case.seed, Values::ExactIntegers, 0, schedule);
            }
            if repeating_run_helps(case) {
                add(case.seed, Values::Repeating, 1, schedule);
            }
            if case.exact_integers && delicate_run_helps(case) {
                add(case.seed, delicate(case), 0, schedule);
            }
            if case.exact_integers && ends_run_helps(case) {
                add(case.seed, Values::Ends, 1, schedule);
                add(case.seed, Values::Alike, 1, schedule);
            }
        }
    }
    runs
}

/// Is there an output with a bound, and are there inputs whose values can be chosen so that it comes out exact?
fn exact_run_helps(case: &Case) -> bool {
    let bounded = case.outputs.iter().any(|output| output.tolerance != Tolerance::Exact);
    bounded && case.versions.iter().any(|version| fill::exact_unit(&version.plan.buffers).is_some())
}

/// Are there inputs that can be tiny and of many digits?
fn delicate_run_helps(case: &Case) -> bool {
    case.versions.iter().any(|version| version.plan.buffers.iter().any(fill::is_delicate))
}

/// Which values these are, in turn from case to case. (The seed of what is counted is a multiple of [`TURNS`].)
fn delicate(case: &Case) -> Values {
    match ((case.seed / TURNS).wrapping_add(case.seed) % 3, case.linear) {
        (0, _) => Values::Delicate,
        (1, _) => Values::Sizes,
        (_, false) => Values::Tiny,
        (_, true) => Values::Minute,
    }
}

/// Is it small, and is there an input that is drawn one by one?
fn ends_run_helps(case: &Case) -> bool {
    let plans = || case.versions.iter().map(|version| &version.plan);
    let small = |plan: &Plan| plan.threads() <= FEW && plan.buffers.iter().all(|buffer| buffer.len <= FEW);
    plans().all(small) && plans().any(|plan| plan.buffers.iter().any(fill::has_ends))
}

/// Is there an input of a 16-bit type, and an output that asks for wider arithmetic?
fn repeating_run_helps(case: &Case) -> bool {
    let wide = |output: &Output| matches!(output.tolerance, Tolerance::Bound { unit: DType::F32 | DType::F64, .. });
    case.outputs.iter().any(wide) && case.versions.iter().any(|version| version.plan.buffers.iter().any(fill::repeats))
}

/// An answer for each set of inputs.
fn all_answers(
    machine: &dyn Machine,
    oracle: &Program,
    case: &Case,
    runs: &[RunId],
) -> Result<Vec<Rc<OracleOutputs>>, Stop> {
    let mut answers: Vec<Rc<OracleOutputs>> = Vec::new();
    for run in runs {
        if !answers.iter().any(|answer| answer.is_for(run)) {
            answers.push(answer(machine, oracle, &case.outputs, run.seed, run.values)?);
        }
    }
    Ok(answers)
}

/// A stop in a sentence, where its parts do not matter.
pub fn explain(stop: &Stop) -> String {
    match stop {
        Stop::Fault(fault) => format!("launch in line {}: {}: {}", fault.line, fault.name, fault.message),
        Stop::BadLaunch { line, message, .. } => format!("launch in line {line}: {message}"),
        Stop::Failure(failure) => failure.to_string(),
    }
}

#[cfg(test)]
mod tests;
