//! The same blocks over other inputs, for where they read: a search in a row ends at what it finds, and what is behind that is read with
//! another input.

use super::{Opened, as_stated, bytes_of, memory, open};
use crate::backend::machine::Stop;
use crate::backend::message::job::Program;
use crate::backend::sim::Sim;
use crate::backend::sim::sampled::seen::joined;
use crate::verify::POISON;
use simulator::Touched;

/// A version at a size, whose blocks read what they read over the inputs of any of these seeds.
pub fn open_over<'p>(sim: &Sim, program: &'p Program, seed: u64, others: &[u64]) -> Result<Opened<'p>, Stop> {
    let mut opened = open(sim, program, seed)?;
    for &other in others {
        let input = |_, buffer: &_| as_stated(buffer, other);
        opened.others.push((other, memory(sim, program, &|_| bytes_of(POISON[0]), &input)?.0));
    }
    if !others.is_empty() {
        opened.constants = opened.fill_constants();
    }
    Ok(opened)
}

impl<'p> Opened<'p> {
    /// The seeds of the other inputs.
    pub fn others(&self) -> Vec<u64> {
        self.others.iter().map(|(seed, _)| *seed).collect()
    }

    /// The same version over the same inputs, as if nothing had run.
    pub fn again(&self, sim: &Sim, seed: u64) -> Result<Opened<'p>, Stop> {
        open_over(sim, self.program, seed, &self.others())
    }

    /// Forgets what ran.
    pub fn rewind(&mut self) {
        self.device.rewind();
        self.others.iter_mut().for_each(|(_, device)| device.rewind());
        self.fill_constants();
    }

    /// Of the launches before a part of the blocks ran.
    pub(super) fn end_part(&mut self) {
        self.device.end_part();
        self.others.iter_mut().for_each(|(_, device)| device.end_part());
    }

    /// Launches over the other inputs what ran over the first. What becomes of it is not looked at.
    pub(super) fn launch_others(&mut self, request: &simulator::Launch, cluster: Option<[u32; 3]>) {
        let asked = self.device.config_mut().clone();
        for (_, device) in &mut self.others {
            let config = device.config_mut();
            config.schedule = asked.schedule;
            config.limits.steps = asked.limits.steps;
            config.blocks.clone_from(&asked.blocks);
            config.heap_held.clone_from(&asked.heap_held);
            let _ = device.launch_in_clusters(request, cluster);
        }
    }

    /// What was touched of a buffer, with what was read of it over the other inputs.
    pub(super) fn with_others(&self, index: usize, mut touched: Touched) -> Touched {
        for (_, device) in &self.others {
            touched.read = joined(&touched.read, &device.touched(self.addresses[index]).unwrap_or_default().read);
        }
        if !self.others.is_empty() {
            touched.read_bytes = touched.read.iter().map(|(from, to)| to - from).sum();
        }
        touched
    }
}
