//! What a small size that was run whole leaves in memory, as a guess at what a large one would have there.

use super::opened::{READ, bytes_of};
use crate::backend::machine::{Session, Stop};
use crate::backend::message::job::Program;
use crate::backend::sim::Sim;
use crate::verify::POISON;
use plan::Role;
use simulator::{Device, Fill, Schedule};
use std::sync::Arc;
use values::fill::{self, Values};

/// Threads of a size that is run whole for this, at most.
const THREADS: u64 = 1 << 20;

/// What memory holds that nobody wrote.
pub struct Left {
    /// By buffer.
    buffers: Vec<Fill>,
    /// For all others.
    others: Fill,
    /// Of the module's variables, in their order.
    variables: Vec<Vec<u8>>,
}

impl Left {
    /// The same everywhere, and variables as they begin.
    pub fn only(others: Fill) -> Self {
        Self { buffers: Vec::new(), others, variables: Vec::new() }
    }

    /// Of a buffer.
    pub fn buffer(&self, index: usize) -> Fill {
        self.buffers.get(index).unwrap_or(&self.others).clone()
    }

    /// Puts the variables there.
    pub fn put_variables(&self, device: &mut Device) {
        let places: Vec<(u64, u64)> = device.variables().collect();
        for ((address, size), bytes) in places.into_iter().zip(&self.variables) {
            if bytes.len() as u64 == size {
                // A variable's own bytes lie in it.
                let _ = device.write(address, bytes);
            }
        }
    }
}

/// What a version leaves at a size after all its launches. `None`: it does not come to its end there, or that would take too long.
pub fn left_by(sim: &Sim, program: &Program, seed: u64) -> Result<Option<Left>, Stop> {
    let plan = &program.plan;
    if plan.threads() > THREADS {
        return Ok(None);
    }
    let mut session = sim.unwatched(program)?;
    for (index, buffer) in plan.buffers.iter().enumerate() {
        if READ.contains(&buffer.role) {
            let mut bytes = vec![0; buffer.bytes() as usize];
            fill::fill_part(buffer, seed, Values::AsStated, 0, &mut bytes);
            session.write(index, &bytes)?;
        } else {
            session.poison(index, POISON[0])?;
        }
    }
    if session.pass(Some(Schedule::Its)).stop.is_some() {
        return Ok(None);
    }
    let mut buffers = Vec::new();
    for (index, buffer) in plan.buffers.iter().enumerate() {
        let mut bytes = vec![0; if buffer.role == Role::In { 0 } else { buffer.bytes() as usize }];
        session.read(index, 0, &mut bytes)?;
        buffers.push(if bytes.is_empty() { bytes_of(0) } else { over_and_over(bytes) });
    }
    let variables = session.variables();
    Ok(Some(Left { buffers, others: bytes_of(0), variables }))
}

/// The bytes, one time after the other.
fn over_and_over(bytes: Vec<u8>) -> Fill {
    Arc::new(move |offset, into| {
        let from = (offset % bytes.len() as u64) as usize;
        into.iter_mut().zip(bytes.iter().cycle().skip(from)).for_each(|(to, byte)| *to = *byte);
    })
}
