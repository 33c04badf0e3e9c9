//! Elements of the inputs that a version reads, perhaps, and never uses. Where many inputs become few outputs, what becomes of one of
//! them is less than roundings, or hidden by a larger one: so the last element of each, where a tail is left out first, becomes
//! an end of its interval, and where the oracle's outputs follow, the version's must not stay the same in every bit.

use crate::backend::machine::{Machine, Session, Stop};
use crate::backend::{Output, Program, RunId, Status};
use crate::verify::answer::{OracleOutputs, ask};
use crate::verify::inputs::{filled, prepare};
use crate::verify::judge::{judgement, read_all, wanted};
use plan::{Buffer, Role};
use std::collections::BTreeMap;
use values::compare::must_change;
use values::fill;

/// Inputs for one output from which on an input may be hidden.
const CONDENSED: u64 = 2;

/// A version that has just passed a run.
pub struct Passed<'a> {
    /// It.
    pub program: &'a Program,
    /// The run.
    pub run: &'a RunId,
    /// The oracle's answer to it.
    pub answer: &'a OracleOutputs,
}

/// Runs version and oracle once more, where something may be hidden. What the session holds is of that run then.
///
/// # Errors
/// Whatever stopped the oracle, or the backend.
pub fn judge(
    machine: &dyn Machine,
    session: &mut dyn Session,
    passed: &Passed<'_>,
    oracle: &Program,
    outputs: &[Output],
) -> Result<Status, Stop> {
    let Passed { program, run, answer } = *passed;
    let of = |output: &&Output| program.plan.buffers.iter().position(|buffer| buffer.name == output.name);
    let least = outputs.iter().filter_map(|output| of(&output)).map(|at| program.plan.buffers[at].len).min();
    let least = least.unwrap_or(u64::MAX);
    // Which end matters, to a maximum say, nobody knows but the oracle.
    for upper in [run.seed.is_multiple_of(2), !run.seed.is_multiple_of(2)] {
        let changed = changed(program, run, least, upper)?;
        if changed.is_empty() {
            break;
        }
        let other = ask(machine, oracle, outputs, (run.seed, run.values), |session| write(session, oracle, &changed))?;
        let follows = outputs.iter().any(|output| {
            let Some(buffer) = of(&output).map(|at| &program.plan.buffers[at]) else { return false };
            match (wanted(answer, output, buffer), wanted(&other, output, buffer)) {
                (Ok(before), Ok(after)) => must_change(buffer.dtype, before, after, judgement(program, output, run)),
                _ => false,
            }
        });
        if !follows {
            continue;
        }
        let read = |session: &mut dyn Session| -> Result<Vec<Vec<u8>>, Stop> {
            let indices = outputs.iter().filter_map(|output| of(&output));
            indices.map(|index| read_all(session, index, &program.plan.buffers[index])).collect()
        };
        let before = read(session)?;
        prepare(session, program, run)?;
        write(session, program, &changed)?;
        session.set_checked(false);
        if let Some(stop) = session.pass(run.schedule).stop {
            return stop.status().map_err(Stop::Failure);
        }
        let same = read(session)? == before;
        let elements = changed.keys().map(|name| (name.clone(), last(program, name))).collect();
        return Ok(if same { Status::NeverUses { elements } } else { Status::Passed });
    }
    Ok(Status::Passed)
}

/// Writes inputs by name.
fn write(session: &mut dyn Session, program: &Program, inputs: &BTreeMap<String, Vec<u8>>) -> Result<(), Stop> {
    for (index, buffer) in program.plan.buffers.iter().enumerate() {
        if let Some(bytes) = inputs.get(&buffer.name) {
            session.write(index, bytes)?;
        }
    }
    Ok(())
}

/// The last element of an input.
fn last(program: &Program, name: &str) -> u64 {
    program.plan.buffers.iter().find(|buffer| buffer.name == name).map_or(0, |buffer| buffer.len.saturating_sub(1))
}

/// The inputs that are much longer than the shortest output, each with an end of its interval as its last element.
fn changed(program: &Program, run: &RunId, least: u64, upper: bool) -> Result<BTreeMap<String, Vec<u8>>, Stop> {
    let mut changed = BTreeMap::new();
    let long = |buffer: &&Buffer| matches!(buffer.role, Role::In | Role::InOut) && buffer.len / CONDENSED >= least;
    for buffer in program.plan.buffers.iter().filter(long) {
        let Some(end) = fill::end(buffer, run.seed, upper) else { continue };
        let mut bytes = filled(program, buffer, run)?.to_vec();
        let at = bytes.len().saturating_sub(end.len());
        bytes[at..].copy_from_slice(&end);
        changed.insert(buffer.name.clone(), bytes);
    }
    Ok(changed)
}
