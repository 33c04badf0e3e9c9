//! What a run starts from: inputs filled, outputs and scratch poisoned.

use super::kept;
use crate::backend::machine::{Session, Stop};
use crate::backend::{JobError, Program, RunId};
use plan::{Buffer, Role};
use std::rc::Rc;
use values::fill::Values;

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
    let holds_numbers = buffer.role == Role::In && matches!(run.values, Values::Edges | Values::Ends);
    let numbers: &[i64] = if holds_numbers { &program.plan.numbers } else { &[] };
    kept::fill(buffer, (run.seed, run.values), numbers, &program.dir)
        .map_err(|error| JobError::Fill { message: error.to_string() })
}
