//! Conditions of the code, and inputs by which they come out the other way.

use super::session::SimSession;
use crate::backend::machine::{Change, Free, Session, Stop, Turned};
use plan::dtype::DType;
use simulator::steer::{Aim, Element, Goal, Input, SteerRequest, Steered};
use simulator::{Condition, Schedule};
use std::collections::BTreeSet;

/// Warp operations that may be computed in a pass to find inputs: some hundredths of a second.
const STEPS: u64 = 3 << 17;

impl SimSession {
    /// What every condition comes to.
    pub(super) fn met_conditions(&mut self) -> Result<Vec<Condition>, Stop> {
        self.set_checked(false);
        self.device.config_mut().conditions = true;
        let pass = self.pass(Some(Schedule::Its));
        self.device.config_mut().conditions = false;
        match pass.stop {
            Some(stop) => Err(stop),
            None => Ok(pass.reports.into_iter().flat_map(|report| report.conditions).collect()),
        }
    }

    /// Inputs by which some come to what is wanted of them.
    pub(super) fn turned_conditions(
        &mut self,
        wanted: BTreeSet<(u32, Aim)>,
        goals: &[Turned],
        inputs: &[Free],
        seed: u64,
    ) -> Result<Vec<Turned>, Stop> {
        self.set_checked(false);
        let mut request = self.request(wanted, inputs, seed)?;
        // What is likeliest comes first, and has most of the time.
        let mut aims = request.wanted.iter().map(|(_, aim)| *aim).chain(goals.iter().map(|turned| turned.aim));
        request.steps /= match (aims.any(|aim| matches!(aim, Aim::Is(_))), goals.is_empty()) {
            (true, true) => 1,
            (true, false) => 4,
            (false, true) => 12,
            (false, false) => 32,
        };
        request.goals = goals.iter().map(|turned| self.goal(turned)).collect();
        let config = self.device.config_mut();
        (config.steer, config.threads) = (Some(request), 1);
        let pass = self.pass(Some(Schedule::Its));
        self.device.config_mut().steer = None;
        match pass.stop {
            Some(stop) => Err(stop),
            None => {
                let found = pass.reports.into_iter().flat_map(|report| report.steered);
                Ok(found.map(|steered| self.turned(steered)).collect())
            }
        }
    }

    /// What is asked of the simulator, with what the inputs hold.
    fn request(&mut self, wanted: BTreeSet<(u32, Aim)>, inputs: &[Free], seed: u64) -> Result<SteerRequest, Stop> {
        let mut all = Vec::new();
        for &Free { buffer: index, low, high } in inputs {
            let buffer = &self.program.plan.buffers[index];
            let (element, address) = (element(buffer.dtype), self.addresses[index]);
            let mut bytes = vec![0; buffer.bytes() as usize];
            self.read(index, 0, &mut bytes)?;
            all.push(Input { address, bytes, element, low, high });
        }
        Ok(SteerRequest { wanted, goals: Vec::new(), inputs: all, parameters: Vec::new(), seed, steps: STEPS })
    }

    /// What was found, by buffers.
    fn turned(&self, found: Steered) -> Turned {
        let Steered { at, aim, file, line, changes, goal, guess } = found;
        let located = |(address, bytes): (u64, Vec<u8>)| {
            let mut buffers = self.program.plan.buffers.iter().zip(&self.addresses);
            let buffer = buffers.position(|(buffer, base)| (*base..base + buffer.bytes()).contains(&address))?;
            Some(Change { buffer, at: (address - self.addresses[buffer]) as usize, bytes })
        };
        Turned { at, aim, file, line, changes: changes.into_iter().filter_map(located).collect(), goal, guess }
    }

    /// The word that has to be made.
    fn goal(&self, turned: &Turned) -> Goal {
        let changes = turned.changes.iter();
        let changes = changes.map(|change| (self.addresses[change.buffer] + change.at as u64, change.bytes.clone()));
        Goal { at: turned.at, aim: turned.aim, words: turned.goal.clone(), changes: changes.collect() }
    }
}

fn element(dtype: DType) -> Element {
    match dtype {
        DType::F64 => Element::F64,
        DType::F32 => Element::F32,
        DType::F16 => Element::F16,
        DType::Bf16 => Element::Bf16,
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => Element::Signed(dtype.size() as u8),
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => Element::Unsigned(dtype.size() as u8),
    }
}
