//! Which instructions ran: what stands in a kernel and never runs does no work, whatever it looks like.

pub mod packed;

use crate::steer::Aim;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A PTX instruction of a launched kernel, or of a function that kernels call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covered {
    /// Which instruction of the module: the same in every launch.
    pub at: u32,
    /// Source file, as in `.loc`; empty without one.
    pub file: String,
    /// Source line on which it stands itself, in a header perhaps; 0 without one.
    pub line: u32,
    /// Line of the PTX.
    pub ptx_line: u32,
    /// `ld.global.v4.f32`
    pub opcode: String,
    /// Warps, or diverged parts of one, that executed it with a lane whose guard was true.
    pub warps: u64,
    /// Of those the ones whose lanes went different ways from here.
    pub parted: u64,
}

/// What is asked of an instruction's results, what a few blocks cannot settle first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// Is the predicate true?
    True,
    /// Is the number one of the kernel's arguments? A bound that went through something narrower is none from some size on.
    Argument,
    /// Is the first of two numbers that are compared for equality the smaller one?
    Less,
    /// Is the number another than zero?
    NotZero,
    /// Is it the first source, or all of what was computed? A maximum may be the second; a product may not fit.
    Kept,
    /// Has the number ever been another?
    Varies,
    /// Have two numbers been equal whose order was asked?
    Equal,
}

impl Question {
    /// Is it asked to find inputs, and sizes, and tells nothing of a size by itself?
    #[must_use]
    pub fn is_searched_for(self) -> bool {
        matches!(self, Self::Varies | Self::Equal)
    }
}

/// An instruction whose result came out one way or the other: one that made a predicate, or whose number hangs on nothing but
/// parameters and on where a thread is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// Which instruction of the module: the same in every launch.
    pub at: u32,
    /// What was asked.
    pub question: Question,
    /// No data has a say in it, only parameters, and where a thread is.
    pub by_size: bool,
    /// Source file, as in `.loc`; empty without one.
    pub file: String,
    /// Source line on which it stands itself; 0 without one.
    pub line: u32,
    /// The answer was yes in some lane.
    pub held: bool,
    /// It was no in some lane.
    pub failed: bool,
    /// Of a number that may vary: the first that it came to.
    pub number: u64,
}

impl Condition {
    /// What it has to come to that it did not yet; nothing where that is no question of an input or a size.
    #[must_use]
    pub fn aim(&self) -> Option<Aim> {
        match self.question {
            Question::True | Question::NotZero => (self.held != self.failed).then_some(Aim::Is(!self.held)),
            Question::Varies => (!self.held).then_some(Aim::Other(self.number)),
            Question::Equal => (!self.held).then_some(Aim::Equal),
            Question::Argument | Question::Less | Question::Kept => None,
        }
    }

    /// Adds what it came to elsewhere.
    pub fn add(&mut self, other: &Self) {
        self.held |= other.held || self.question == Question::Varies && self.number != other.number;
        self.failed |= other.failed;
    }
}

/// Instructions of one opcode on one source line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCoverage {
    /// Source file.
    pub file: String,
    /// Source line.
    pub line: u32,
    /// `ld.global.v4.f32`
    pub opcode: String,
    /// For each of them, the warps that executed it with a lane whose guard was true.
    pub warps: Vec<u64>,
    /// For each of them, those of the warps whose lanes went different ways from there.
    pub parted: Vec<u64>,
    /// For each of them, its line of the PTX.
    pub ptx_lines: Vec<u32>,
}

impl LineCoverage {
    /// Instructions that some lane executed.
    pub fn live(&self) -> usize {
        self.warps.iter().filter(|warps| **warps > 0).count()
    }

    /// Instructions that none did.
    pub fn dead(&self) -> usize {
        self.warps.len() - self.live()
    }
}

/// Adds a launch's to those of launches before it.
pub fn merge(all: &mut BTreeMap<u32, Covered>, launch: Vec<Covered>) {
    for covered in launch {
        match all.get_mut(&covered.at) {
            Some(known) => {
                known.warps += covered.warps;
                known.parted += covered.parted;
            }
            None => {
                all.insert(covered.at, covered);
            }
        }
    }
}

/// By line and opcode.
pub fn by_line(all: impl IntoIterator<Item = Covered>) -> Vec<LineCoverage> {
    let mut lines: BTreeMap<(String, u32, String), LineCoverage> = BTreeMap::new();
    for Covered { file, line, ptx_line, opcode, warps, parted, .. } in all {
        let entry = lines.entry((file.clone(), line, opcode.clone()));
        let (warps_of, parted_of, ptx_lines) = (Vec::new(), Vec::new(), Vec::new());
        let none = LineCoverage { file, line, opcode, warps: warps_of, parted: parted_of, ptx_lines };
        let sum = entry.or_insert(none);
        sum.warps.push(warps);
        sum.parted.push(parted);
        sum.ptx_lines.push(ptx_line);
    }
    lines.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(at: u32, line: u32, opcode: &str, warps: u64) -> Covered {
        Covered { at, file: "k.cu".into(), line, ptx_line: 10 * at, opcode: opcode.into(), warps, parted: 0 }
    }

    #[test]
    fn what_one_of_several_launches_ran_is_alive() {
        let mut all = BTreeMap::new();
        merge(&mut all, vec![covered(1, 5, "shfl", 0), covered(2, 5, "shfl", 3), covered(3, 5, "add", 0)]);
        merge(&mut all, vec![covered(1, 5, "shfl", 2), covered(2, 5, "shfl", 0), covered(9, 6, "shfl", 0)]);
        let lines = by_line(all.into_values());
        let found: Vec<_> = lines.iter().map(|l| (l.line, l.opcode.as_str(), l.warps.as_slice())).collect();
        assert_eq!(found, [(5, "add", &[0][..]), (5, "shfl", &[2, 3]), (6, "shfl", &[0])]);
        assert_eq!((lines[0].live(), lines[0].dead(), lines[1].live(), lines[1].dead()), (0, 1, 2, 0));
    }
}
