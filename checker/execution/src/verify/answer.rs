//! The oracle's answers. A case's versions and orders have the same inputs, so the answers given last are kept.

use super::POISON;
use super::inputs::prepare;
use super::judge::read_all;
use crate::backend::machine::{Machine, Session, Stop};
use crate::backend::{Output, Program, RunId};
use plan::dtype::DType;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use values::compare::Array;
use values::fill::{self, Values};

/// Bytes of answers that are kept.
const MOST: usize = 8 << 20;

/// The oracle's outputs for one set of inputs.
pub struct OracleOutputs {
    /// Seed of the inputs.
    pub seed: u64,
    /// Their kind.
    pub values: Values,
    buffers: BTreeMap<String, (DType, Vec<u8>)>,
}

impl OracleOutputs {
    /// Arrays by buffer, each with its type.
    pub fn new(seed: u64, values: Values, buffers: BTreeMap<String, (DType, Vec<u8>)>) -> Self {
        Self { seed, values, buffers }
    }

    /// Is it the answer to a run's inputs?
    pub(super) fn is_for(&self, run: &RunId) -> bool {
        self.seed == run.seed && self.values == run.values
    }

    /// Are the outputs the same, bit by bit?
    pub(super) fn equals(&self, other: &Self, outputs: &[Output]) -> bool {
        outputs.iter().all(|output| self.buffers.get(&output.name) == other.buffers.get(&output.name))
    }

    pub(super) fn array(&self, name: &str) -> Option<Array<'_>> {
        self.buffers.get(name).map(|(dtype, bytes)| Array { dtype: *dtype, bytes })
    }

    fn has(&self, outputs: &[Output]) -> bool {
        outputs.iter().all(|output| self.buffers.contains_key(&output.name))
    }

    fn bytes(&self) -> usize {
        self.buffers.values().map(|(_, bytes)| bytes.len()).sum()
    }
}

thread_local! {
    /// Oracles with what they answered, the latest last.
    static KEPT: RefCell<Vec<(Program, Rc<OracleOutputs>)>> = const { RefCell::new(Vec::new()) };
}

/// What the oracle says of one set of inputs; asked once for the inputs that came last. What is read from a file is asked each time.
///
/// # Errors
/// Whatever stopped it.
pub fn answer(
    machine: &dyn Machine,
    oracle: &Program,
    outputs: &[Output],
    seed: u64,
    values: Values,
) -> Result<Rc<OracleOutputs>, Stop> {
    let same = |(program, answer): &&(Program, Rc<OracleOutputs>)| {
        answer.seed == seed && answer.values == values && program == oracle && answer.has(outputs)
    };
    if let Some(known) = KEPT.with_borrow(|kept| kept.iter().find(same).map(|(_, answer)| Rc::clone(answer))) {
        return Ok(known);
    }
    let answer = Rc::new(ask(machine, oracle, outputs, (seed, values), |_| Ok(()))?);
    let from_file = oracle.plan.buffers.iter().any(fill::is_from_file);
    if answer.bytes() <= MOST && !from_file {
        KEPT.with_borrow_mut(|kept| {
            kept.push((oracle.clone(), Rc::clone(&answer)));
            while kept.iter().map(|(_, answer)| answer.bytes()).sum::<usize>() > MOST {
                kept.remove(0);
            }
        });
    }
    Ok(answer)
}

/// Runs the oracle over one set of inputs, which `change` may change, and takes its outputs to the host. Its buffers are wiped
/// before they are given back, so that no version finds them in fresh memory.
///
/// # Errors
/// Whatever stopped it, or what `change` says.
pub(super) fn ask(
    machine: &dyn Machine,
    oracle: &Program,
    outputs: &[Output],
    (seed, values): (u64, Values),
    change: impl FnOnce(&mut dyn Session) -> Result<(), Stop>,
) -> Result<OracleOutputs, Stop> {
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
    Ok(OracleOutputs { seed, values, buffers })
}
