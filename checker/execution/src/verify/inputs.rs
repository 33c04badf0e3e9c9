//! What a run starts from: inputs filled, outputs and scratch poisoned.

use super::kept;
use crate::backend::machine::{Session, Stop};
use crate::backend::{JobError, Program, RunId};
use plan::{Buffer, Role};
use std::rc::Rc;
use values::fill::Values;
use values::named;

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

pub(super) fn filled(program: &Program, buffer: &Buffer, run: &RunId) -> Result<Rc<Vec<u8>>, JobError> {
    let drawn = kept::fill(buffer, run.seed, run.values, &program.dir)
        .map_err(|error| JobError::Fill { message: error.to_string() })?;
    let numbers = &program.plan.numbers;
    let single = run.values == Values::Ends;
    if !(single || run.values == Values::Edges) || numbers.is_empty() || buffer.role != Role::In {
        return Ok(drawn);
    }
    let mut bytes = drawn.to_vec();
    named::put(buffer, numbers, run.seed, single, &mut bytes);
    Ok(Rc::new(bytes))
}
