//! Which registers decide where a loop goes and what it touches: a sum over the elements of a list does not, nor does a count of turns
//! that nobody asks for.

use super::clocked::rounds;
use super::liveness::Registers;
use super::unused::used;
use crate::isa::op::{Code, Op, Reg};
use crate::opcodes::Effect;
use std::ops::Range;

/// What decides in the outermost loop around an operation.
#[derive(Debug)]
pub struct Decides {
    /// The loop's operations: whoever comes back to one of them without leaving its function has executed no others there.
    range: Range<usize>,
    registers: Registers,
    /// The function's registers of 32 bits, of 64, and its predicates.
    all: [usize; 3],
}

impl Decides {
    /// Of the loop around an operation; nothing where there is none.
    pub fn around(code: &Code, pc: u32) -> Option<Self> {
        let info = &code.functions[code.origins.get(pc as usize)?.function as usize];
        let function = info.start as usize..(info.start + info.len) as usize;
        let range = rounds(code, function).into_iter().find(|range| range.contains(&(pc as usize)))?;
        // Who exchanges waits for those that are named, which a register may do. What is stored may be read again.
        let computes = |op: &Op| op.effect(code) == Effect::Pure;
        let registers = used(code, info, &code.insts[range.clone()], computes);
        let all = [info.registers32, info.registers64, info.predicates].map(|count| count as usize);
        Some(Self { range, registers, all })
    }

    /// Is the operation in this loop?
    pub fn holds(&self, pc: u32) -> bool {
        self.range.contains(&(pc as usize))
    }

    /// Do the `at`th registers of a frame count? Those behind the function's own belong to others, and do.
    pub fn counts32(&self, at: usize) -> bool {
        at >= self.all[0] || self.registers.contains(Reg::R32(at as u16))
    }

    /// See above.
    pub fn counts64(&self, at: usize) -> bool {
        at >= self.all[1] || self.registers.contains(Reg::R64(at as u16))
    }

    /// See above.
    pub fn counts_p(&self, at: usize) -> bool {
        at >= self.all[2] || self.registers.contains(Reg::P(at as u16))
    }
}
