//! Elements of the inputs that a version never reads, though the result hangs on them: what becomes of a few among a million is
//! less than roundings, so no output shows it.
//!
//! A version that does not read an element has the same outputs whatever the element is. If the oracle's outputs are others when
//! it changes, the version is wrong for one of the two inputs.

use crate::backend::machine::{Machine, Session, Stop, Unread};
use crate::backend::{Output, Program, RunId, Status};
use crate::verify::POISON;
use crate::verify::answer::{answer, ask};
use crate::verify::inputs::filled;
use plan::{Buffer, Fill};
use std::iter::once;
use std::rc::Rc;
use values::edges;
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
        let Some((index, buffer)) = found else { continue };
        let Some(fill) = fill::chosen(buffer, seed).filter(|fill| apart(fill)) else { continue };
        let as_stated = filled(oracle, buffer, &run(seed))?;
        let others = filled(oracle, buffer, &run(fill::second_seed(seed)))?;
        let stated = answer(machine, oracle, outputs, seed, Values::AsStated)?;
        for others in once(others).chain(ends(buffer, fill)) {
            let mut bytes = Vec::clone(&as_stated);
            for range in left.bytes() {
                bytes[range.clone()].copy_from_slice(&others[range]);
            }
            let change = |session: &mut dyn Session| session.write(index, &bytes);
            if !ask(machine, oracle, outputs, (seed, Values::AsStated), change)?.equals(&stated, outputs) {
                let (buffer, first, count) = (left.buffer, left.first, left.count);
                return Ok(Status::NeverReads { buffer, first, count });
            }
        }
    }
    Ok(Status::Passed)
}

/// A buffer with the smallest, and one with the largest number of its interval everywhere: the largest element of a million hangs on
/// few of them otherwise.
fn ends(buffer: &Buffer, fill: &Fill) -> Vec<Rc<Vec<u8>>> {
    let word = |upper| edges::end(fill, buffer.dtype, upper);
    let all = |word: u64| Rc::new(word.to_le_bytes()[..buffer.dtype.size()].repeat(buffer.len as usize));
    [false, true].into_iter().filter_map(word).map(all).collect()
}

/// Is each element drawn by itself? Then another one in its place is as good an input.
fn apart(fill: &Fill) -> bool {
    matches!(
        fill,
        Fill::Uniform { .. } | Fill::Integers { .. } | Fill::Scaled { .. } | Fill::Band { .. } | Fill::Few { .. }
    )
}
