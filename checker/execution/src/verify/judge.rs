//! What a finished run left behind, held against the oracle's answer.

use super::answer::OracleOutputs;
use super::inputs::filled;
use crate::backend::machine::{Session, Stop};
use crate::backend::{JobError, Output, Program, RunId, Status, WrongOutput};
use plan::{Buffer, Fill, Plan, Role};
use values::compare::{Array, Judgement, Wanted, compare, value};
use values::fill::{self, Values};

/// Bytes moved at a time when a buffer is looked through.
pub(super) const PIECE: usize = 16 << 20;

/// Judges what a finished run left: guards, inputs, outputs. Without an answer outputs are not judged.
///
/// # Errors
/// The backend's.
pub fn judge(
    session: &mut dyn Session,
    program: &Program,
    outputs: &[Output],
    run: &RunId,
    answer: Option<&OracleOutputs>,
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
        let bytes = buffer.bytes();
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
    answer: Option<&OracleOutputs>,
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
        let Wanted { want, magnitude } = match wanted(answer, output, buffer) {
            Ok(wanted) => wanted,
            Err(message) => return Ok(Status::OracleFailed { message }),
        };
        let found = compare(got, want, magnitude, judgement(program, output, run));
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

/// How an output of a run is judged.
pub(super) fn judgement(program: &Program, output: &Output, run: &RunId) -> Judgement {
    let plan = &program.plan;
    Judgement {
        tolerance: output.tolerance,
        exact_unit: if run.values == Values::ExactIntegers { fill::exact_unit(&plan.buffers) } else { None },
        poison: run.poison,
        on_average: independent(plan, run.seed) && run.values.are_stated(),
        flushes: program.flushes,
    }
}

/// Are inputs as stated reals that have nothing to do with each other? Terms that are alike are rounded alike, again and again.
pub fn independent(plan: &Plan, seed: u64) -> bool {
    let apart = |buffer: &Buffer| {
        let fill = fill::chosen(buffer, seed);
        !buffer.dtype.is_float() || matches!(fill, None | Some(Fill::Uniform { .. } | Fill::Band { .. }))
    };
    plan.buffers.iter().all(apart)
}

/// The oracle's array for an output and the magnitudes, in the shapes a comparison needs.
pub(super) fn wanted<'a>(answer: &'a OracleOutputs, output: &Output, buffer: &Buffer) -> Result<Wanted<'a>, String> {
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
    Ok(Wanted { want, magnitude })
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
    let mut bytes = fill::zeroed(buffer).map_err(|error| JobError::Fill { message: error.to_string() })?;
    session.read(index, 0, &mut bytes)?;
    Ok(bytes)
}
