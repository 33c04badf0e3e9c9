//! Elements of the inputs that a version never reads, though the result hangs on them: what becomes of a few among a million is
//! less than roundings, so no output shows it.
//!
//! A version that does not read an element has the same outputs whatever the element is. If the oracle's outputs are others when
//! it changes, the version is wrong for one of the two inputs.

use crate::backend::machine::{Machine, Stop, Unread};
use crate::backend::{Output, Program, RunId, Status};
use crate::verify::POISON;
use crate::verify::answer::{answer, ask};
use crate::verify::inputs::filled;
use plan::Fill;
use std::rc::Rc;
use values::fill::{self, Values};

/// Holds what a version did not read against what the oracle's outputs hang on.
///
/// # Errors
/// Whatever stopped the oracle, or an input that cannot be made.
pub fn judge(
    machine: &dyn Machine,
    unread: Vec<Unread>,
    oracle: &Program,
    outputs: &[Output],
    seed: u64,
) -> Result<Status, Stop> {
    let run = |seed| RunId { number: 0, seed, values: Values::AsStated, poison: POISON[0], schedule: None };
    for left in unread {
        let found = oracle.plan.buffers.iter().enumerate().find(|(_, buffer)| buffer.name == left.buffer);
        let Some((index, buffer)) = found.filter(|(_, buffer)| fill::chosen(buffer, seed).is_some_and(apart)) else {
            continue;
        };
        let mut bytes = Rc::unwrap_or_clone(filled(oracle, buffer, &run(seed))?);
        let others = filled(oracle, buffer, &run(fill::second_seed(seed)))?;
        for range in left.bytes() {
            bytes[range.clone()].copy_from_slice(&others[range]);
        }
        let stated = answer(machine, oracle, outputs, seed, Values::AsStated)?;
        let changed = ask(machine, oracle, outputs, (seed, Values::AsStated), |session| session.write(index, &bytes))?;
        if !changed.equals(&stated, outputs) {
            let (buffer, first, count) = (left.buffer, left.first, left.count);
            return Ok(Status::NeverReads { buffer, first, count });
        }
    }
    Ok(Status::Passed)
}

/// Is each element drawn by itself? Then another one in its place is as good an input.
fn apart(fill: &Fill) -> bool {
    matches!(
        fill,
        Fill::Uniform { .. } | Fill::Integers { .. } | Fill::Scaled { .. } | Fill::Band { .. } | Fill::Few { .. }
    )
}
