//! One size of a problem: the oracle, then every version, run and judged on whichever backend.

use super::POISON;
use super::across;
use super::as_written;
use super::kept;
use super::leavings::{summaries, write_dump};
use super::shortest::{self, Failed};
use super::unread;
use crate::backend::machine::{Machine, Pass, Session, Stop};
use crate::backend::{
    Case, Checked, Failure, Found, Keep, LaunchCount, LineCount, Output, Program, Reply, RunId, RunResult, Status,
    Thoroughness, WrongOutput,
};
use plan::dtype::DType;
use plan::{Buffer, Fill, Plan, Role};
use simulator::{Counters, FindingKind, Schedule};
use std::collections::BTreeMap;
use std::rc::Rc;
use values::compare::{Array, Judgement, compare, value};
use values::fill::{self, Values};
use values::{LooksLike, Tolerance};

/// printf output kept of a version.
const PRINTF_KEPT: usize = 64 << 10;
/// Threads, and elements of all buffers, up to which every run is watched; above that the first under each schedule.
const WATCHED: u64 = 1 << 14;
/// Bytes moved at a time when a buffer is looked through.
pub(super) const PIECE: usize = 16 << 20;

/// Runs a case. `wanted` says which versions; what is found goes to `emit` as soon as it is known.
///
/// # Errors
/// A [`Failure`] that no kernel caused.
pub fn run_case(
    machine: &dyn Machine,
    number: usize,
    case: &Case,
    wanted: &dyn Fn(usize) -> bool,
    emit: &mut dyn FnMut(Reply),
) -> Result<(), Failure> {
    if matches!(case.thoroughness, Thoroughness::Sampled | Thoroughness::Reads) {
        return run_beside(machine, number, case, emit);
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
        let dump = (dump, case.keep.as_ref());
        let mut checked = check_version(machine, program, case.outputs_of(version), &runs, &answers, dump)?;
        as_written::look(machine, program, &runs, &mut checked)?;
        emit(Reply::Checked { case: number, version, result: Box::new(checked) });
        if machine.broken() {
            break;
        }
    }
    Ok(())
}

/// A version in another way than run by run: some blocks of it beside its second size, or what it reads.
fn run_beside(machine: &dyn Machine, number: usize, case: &Case, emit: &mut dyn FnMut(Reply)) -> Result<(), Failure> {
    emit(Reply::Started { case: number, version: Some(0) });
    let oracle = case.oracle.as_ref();
    let status = match (case.versions.as_slice(), oracle) {
        ([version], Some(oracle)) => unread::judge(machine, version, oracle, &case.outputs, case.seed),
        ([large, small], _) => machine.sampled((large, small), oracle, &case.outputs, case.seed),
        _ => Ok(None),
    };
    let status = match status {
        Ok(status) => status.unwrap_or(Status::Passed),
        Err(stop) => stop.status()?,
    };
    for version in 0..case.versions.len() {
        let status = if version == 0 { status.clone() } else { Status::Passed };
        emit(Reply::Checked { case: number, version, result: Box::new(Checked::only(status)) });
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
            add(fill::second_seed(case.seed), Values::AsStated, 1, schedule);
            if exact {
                add(case.seed, Values::ExactIntegers, 0, schedule);
            }
            if repeating_run_helps(case) {
                add(case.seed, Values::Repeating, 1, schedule);
            }
            if case.exact_integers && delicate_run_helps(case) {
                add(case.seed, Values::Delicate, 0, schedule);
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

/// Is there an input of a 16-bit type, and an output that asks for wider arithmetic?
fn repeating_run_helps(case: &Case) -> bool {
    let wide = |output: &Output| matches!(output.tolerance, Tolerance::Bound { unit: DType::F32 | DType::F64, .. });
    case.outputs.iter().any(wide) && case.versions.iter().any(|version| version.plan.buffers.iter().any(fill::repeats))
}

/// The oracle's outputs for one set of inputs.
pub struct Answer {
    seed: u64,
    values: Values,
    buffers: BTreeMap<String, (DType, Vec<u8>)>,
}

impl Answer {
    /// Arrays by buffer, each with its type.
    pub fn new(seed: u64, values: Values, buffers: BTreeMap<String, (DType, Vec<u8>)>) -> Self {
        Self { seed, values, buffers }
    }

    /// Are the outputs the same, bit by bit?
    pub(super) fn equals(&self, other: &Self, outputs: &[Output]) -> bool {
        outputs.iter().all(|output| self.buffers.get(&output.name) == other.buffers.get(&output.name))
    }

    fn array(&self, name: &str) -> Option<Array<'_>> {
        self.buffers.get(name).map(|(dtype, bytes)| Array { dtype: *dtype, bytes })
    }
}

fn all_answers(machine: &dyn Machine, oracle: &Program, case: &Case, runs: &[RunId]) -> Result<Vec<Answer>, Stop> {
    let mut answers: Vec<Answer> = Vec::new();
    for run in runs {
        if !answers.iter().any(|answer| answer.seed == run.seed && answer.values == run.values) {
            answers.push(answer(machine, oracle, &case.outputs, run.seed, run.values)?);
        }
    }
    Ok(answers)
}

/// Runs the oracle over one set of inputs and takes its outputs to the host. Its buffers are wiped before they are
/// given back, so that no version finds them in fresh memory.
///
/// # Errors
/// Whatever stopped it.
pub fn answer(
    machine: &dyn Machine,
    oracle: &Program,
    outputs: &[Output],
    seed: u64,
    values: Values,
) -> Result<Answer, Stop> {
    answer_to(machine, oracle, outputs, (seed, values), |_| Ok(()))
}

/// The same over inputs that `change` has changed.
///
/// # Errors
/// Whatever stopped it, or what `change` says.
pub(super) fn answer_to(
    machine: &dyn Machine,
    oracle: &Program,
    outputs: &[Output],
    (seed, values): (u64, Values),
    change: impl FnOnce(&mut dyn Session) -> Result<(), Stop>,
) -> Result<Answer, Stop> {
    let mut session = machine.open_trusted(oracle)?;
    let run = RunId { number: 0, seed, values, poison: POISON[0], schedule: machine.schedules()[0] };
    prepare(&mut *session, oracle, &run)?;
    change(&mut *session)?;
    if let Some(stop) = session.pass(run.schedule).stop {
        return Err(stop);
    }
    let mut buffers = BTreeMap::new();
    for (index, buffer) in oracle.plan.buffers.iter().enumerate() {
        let wanted = |output: &Output| {
            buffer.name == output.name || buffer.name.strip_suffix("_magnitude") == Some(output.name.as_str())
        };
        if outputs.iter().any(wanted) {
            buffers.insert(buffer.name.clone(), (buffer.dtype, read_all(&mut *session, index, buffer)?));
        }
    }
    for index in 0..oracle.plan.buffers.len() {
        session.poison(index, POISON[0])?;
    }
    Ok(Answer { seed, values, buffers })
}

fn check_version(
    machine: &dyn Machine,
    program: &Program,
    outputs: &[Output],
    runs: &[RunId],
    answers: &[Answer],
    (dump, keep): (&[(String, std::path::PathBuf)], Option<&Keep>),
) -> Result<Checked, Failure> {
    let mut checked = Checked::only(Status::Passed);
    let mut session: Option<(Option<Schedule>, Box<dyn Session + '_>)> = None;
    let mut failed_schedule = None;
    for run in runs {
        if failed_schedule == Some(run.schedule) || machine.broken() {
            continue;
        }
        // A schedule starts with a module in its initial state.
        if session.as_ref().is_none_or(|(schedule, _)| *schedule != run.schedule) {
            drop(session.take());
            match machine.open(program) {
                Ok(opened) => session = Some((run.schedule, opened)),
                Err(stop) => {
                    checked.status = stop.status()?;
                    return Ok(checked);
                }
            }
        }
        let Some((_, open)) = session.as_mut() else { break };
        let answer = answers.iter().find(|answer| answer.seed == run.seed && answer.values == run.values);
        let schedule = match shortest::measured(machine, program, run) {
            Ok(schedule) => schedule,
            Err(stop) => {
                checked.status = stop.status()?;
                return Ok(checked);
            }
        };
        let measured = RunId { schedule, ..*run };
        let first = !runs[..run.number as usize].iter().any(|before| before.schedule == run.schedule);
        open.watch(first || is_small(&program.plan));
        let (pass, mut status) = match run_once(&mut **open, program, outputs, &measured, answer, &mut checked) {
            Ok(done) => done,
            Err(stop) => (Pass::default(), stop.status()?),
        };
        let mut replayed = *run;
        if let (Some(keep), 0, true) = (keep, run.number, status.passed()) {
            match across::apply(machine, program, &mut **open, &measured, keep) {
                Ok(found) => {
                    (status, checked.rounding, replayed.values) = (found.status, found.rounding, found.values);
                }
                Err(stop) => status = stop.status()?,
            }
        }
        if let (Some(effort), true, Some(failed)) = (machine.effort(), first, Failed::of(&status, &pass)) {
            let trial = shortest::trial(&pass, true);
            let failed = (&failed, &trial);
            if checked.shortest.is_none() && run.schedule.is_some_and(|schedule| schedule.is_explored()) {
                checked.shortest =
                    shortest::shortest(machine, program, outputs, &replayed, (answer, keep), failed, &effort)?;
            }
        }
        record(&mut checked, program, run, pass);
        if run.number == 0 && !machine.broken() {
            if answers.is_empty() {
                checked.outputs = summaries(&mut **open, &program.plan, run.poison)?;
            }
            for (name, path) in dump {
                write_dump(&mut **open, &program.plan, name, path)?;
                checked.dumped.push(path.clone());
            }
        }
        // Wrong only because the run before it left something behind? Then a fresh module gives the right answer.
        if run.number == 1
            && run.values == Values::AsStated
            && !machine.broken()
            && let Status::Wrong { outputs: wrong } = &mut status
        {
            drop(session.take());
            if let Ok(mut fresh) = machine.open(program) {
                let again = run_once(&mut *fresh, program, outputs, run, answer, &mut Checked::only(Status::Passed));
                if matches!(again, Ok((_, Status::Passed))) {
                    wrong.iter_mut().for_each(|output| output.looks_like = LooksLike::SecondRunOnly);
                }
            }
        }
        if !status.passed() {
            failed_schedule = Some(run.schedule);
            session = None;
            if checked.status.passed() {
                checked.status = status.clone();
            }
        }
        checked.runs.push(RunResult { run: *run, status });
    }
    if checked.status.passed() {
        // What was read and had no effect.
        checked.findings.retain(|found| !found.finding.is_suspicion());
    }
    Ok(checked)
}

/// Is it cheap to watch every run? Which accesses meet does not hang on how inputs are drawn, or it shows at small sizes, too.
fn is_small(plan: &Plan) -> bool {
    let elements = plan.buffers.iter().map(|buffer| buffer.len).fold(0, u64::saturating_add);
    plan.threads().max(elements) <= WATCHED
}

/// Fills, runs, judges.
fn run_once(
    session: &mut dyn Session,
    program: &Program,
    outputs: &[Output],
    run: &RunId,
    answer: Option<&Answer>,
    checked: &mut Checked,
) -> Result<(Pass, Status), Stop> {
    prepare(session, program, run)?;
    // The second value of poison is for another run over the same inputs: other luck as well.
    session.draw(run.seed ^ u64::from(run.poison) << 56);
    let mut pass = session.pass(run.schedule);
    if let Some(stop) = pass.stop.take() {
        let status = stop.status().map_err(Stop::Failure)?;
        return Ok((pass, status));
    }
    let status = judge(session, program, outputs, run, answer, &mut checked.error_over_bound)?;
    Ok((pass, status))
}

/// Fills inputs, poisons outputs and scratch.
pub(super) fn prepare(session: &mut dyn Session, program: &Program, run: &RunId) -> Result<(), Stop> {
    session.appear(run.seed);
    (0..program.plan.buffers.len()).try_for_each(|index| prepare_buffer(session, program, index, run))
}

/// Fills or poisons one buffer, as its role says.
///
/// # Errors
/// A fill that cannot be made, or the backend's.
pub fn prepare_buffer(session: &mut dyn Session, program: &Program, index: usize, run: &RunId) -> Result<(), Stop> {
    let buffer = &program.plan.buffers[index];
    match buffer.role {
        Role::In | Role::InOut => session.write(index, &filled(program, buffer, run)?),
        Role::Out | Role::Scratch => session.poison(index, run.poison),
    }
}

pub(super) fn filled(program: &Program, buffer: &Buffer, run: &RunId) -> Result<Rc<Vec<u8>>, Failure> {
    kept::fill(buffer, run.seed, run.values, &program.dir).map_err(|error| Failure::Fill { message: error.to_string() })
}

/// Judges what a finished run left: guards, inputs, outputs. Without an answer outputs are not judged.
///
/// # Errors
/// The backend's.
pub fn judge(
    session: &mut dyn Session,
    program: &Program,
    outputs: &[Output],
    run: &RunId,
    answer: Option<&Answer>,
    error_over_bound: &mut Option<f64>,
) -> Result<Status, Stop> {
    let plan = &program.plan;
    let guards = guard_status(session, program)?;
    if !guards.passed() {
        return Ok(guards);
    }
    for (index, buffer) in plan.buffers.iter().enumerate().filter(|(_, buffer)| buffer.role == Role::In) {
        let want = filled(program, buffer, run)?;
        if let Some(status) = changed(session, index, buffer, &want)? {
            return Ok(status);
        }
    }
    judge_outputs(session, program, outputs, run, answer, error_over_bound)
}

/// Judges the guard zones alone.
///
/// # Errors
/// The backend's.
pub fn guard_status(session: &mut dyn Session, program: &Program) -> Result<Status, Stop> {
    Ok(session.broken_guard()?.map_or(Status::Passed, |broken| {
        let buffer = &program.plan.buffers[broken.buffer];
        let bytes = buffer.len * buffer.dtype.size() as u64;
        Status::GuardBroken { buffer: buffer.name.clone(), offset: broken.offset, bytes }
    }))
}

/// Judges the outputs alone.
///
/// # Errors
/// The backend's.
pub fn judge_outputs(
    session: &mut dyn Session,
    program: &Program,
    outputs: &[Output],
    run: &RunId,
    answer: Option<&Answer>,
    error_over_bound: &mut Option<f64>,
) -> Result<Status, Stop> {
    let plan = &program.plan;
    let Some(answer) = answer else { return Ok(Status::Passed) };
    let mut wrong = Vec::new();
    for output in outputs {
        let Some((index, buffer)) = plan.buffers.iter().enumerate().find(|(_, buffer)| buffer.name == output.name)
        else {
            let message = format!("{}: no buffer `{}`", program.name, output.name);
            return Ok(Status::OracleFailed { message });
        };
        let bytes = read_all(session, index, buffer)?;
        let got = Array { dtype: buffer.dtype, bytes: &bytes };
        let (want, magnitude) = match oracle_arrays(answer, output, buffer) {
            Ok(arrays) => arrays,
            Err(message) => return Ok(Status::OracleFailed { message }),
        };
        let judgement = Judgement {
            tolerance: output.tolerance,
            exact_unit: if run.values == Values::ExactIntegers { fill::exact_unit(&plan.buffers) } else { None },
            poison: run.poison,
            on_average: independent(plan, run),
        };
        let found = compare(got, want, magnitude, judgement);
        if let Some(ratio) = found.error_over_bound {
            *error_over_bound = Some(error_over_bound.map_or(ratio, |most| most.max(ratio)));
        }
        if found.fails() {
            wrong.push(WrongOutput {
                name: buffer.name.clone(),
                dtype: buffer.dtype,
                len: buffer.len,
                wrong: found.wrong,
                first: found.first,
                looks_like: found.looks_like,
                exact_integers: found.judged_exactly,
            });
        }
    }
    Ok(if wrong.is_empty() { Status::Passed } else { Status::Wrong { outputs: wrong } })
}

/// Are a run's inputs reals that have nothing to do with each other? Terms that are alike are rounded alike, again and again.
fn independent(plan: &Plan, run: &RunId) -> bool {
    let apart = |buffer: &Buffer| {
        let fill = fill::chosen(buffer, run.seed);
        !buffer.dtype.is_float() || matches!(fill, None | Some(Fill::Uniform { .. } | Fill::Band { .. }))
    };
    run.values == Values::AsStated && plan.buffers.iter().all(apart)
}

/// The oracle's array for an output and the magnitudes, in the shapes a comparison needs.
fn oracle_arrays<'a>(
    answer: &'a Answer,
    output: &Output,
    buffer: &Buffer,
) -> Result<(Array<'a>, Option<Array<'a>>), String> {
    let name = &output.name;
    let want = answer.array(name).ok_or_else(|| format!("the oracle has no buffer `{name}`"))?;
    let fits = |array: &Array<'_>| array.bytes.len() as u64 / array.dtype.size() as u64 == buffer.len;
    if want.dtype.is_float() != buffer.dtype.is_float() || (!want.dtype.is_float() && want.dtype != buffer.dtype) {
        return Err(format!("the oracle's `{name}` is {:?}, the output is {:?}", want.dtype, buffer.dtype));
    }
    let magnitude = answer.array(&format!("{name}_magnitude"));
    if !fits(&want) || magnitude.is_some_and(|magnitude| !fits(&magnitude)) {
        return Err(format!("the oracle's `{name}` has not the output's {} elements", buffer.len));
    }
    Ok((want, magnitude))
}

fn changed(session: &mut dyn Session, index: usize, buffer: &Buffer, want: &[u8]) -> Result<Option<Status>, Stop> {
    let size = buffer.dtype.size();
    let mut piece = vec![0; PIECE.min(want.len())];
    for (number, want) in want.chunks(PIECE).enumerate() {
        let got = &mut piece[..want.len()];
        session.read(index, (number * PIECE) as u64, got)?;
        if got != want {
            let at = got.iter().zip(want).position(|(got, want)| got != want).unwrap_or(0) / size;
            let element = |bytes: &[u8]| value(buffer.dtype, &bytes[at * size..(at + 1) * size]);
            return Ok(Some(Status::InputChanged {
                buffer: buffer.name.clone(),
                index: (number * PIECE / size + at) as u64,
                got: element(got),
                want: element(want),
            }));
        }
    }
    Ok(None)
}

pub(super) fn read_all(session: &mut dyn Session, index: usize, buffer: &Buffer) -> Result<Vec<u8>, Stop> {
    let mut bytes = fill::zeroed(buffer).map_err(|error| Failure::Fill { message: error.to_string() })?;
    session.read(index, 0, &mut bytes)?;
    Ok(bytes)
}

/// Adds a run's findings; of the first run also counters, lines and printf output.
fn record(checked: &mut Checked, program: &Program, run: &RunId, pass: Pass) {
    let first = run.number == 0;
    if first {
        keep_printf(checked, &pass.printf, pass.printf_dropped);
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
