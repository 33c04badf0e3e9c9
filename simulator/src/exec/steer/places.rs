//! Solves a condition that hangs on no data for where a thread is: for its block, and for its place there.

use super::expression::{Expression, Writers};
use super::search::{Held, Search, Word};
use crate::exec::warp::Warp;
use crate::isa::op::{Code, FunctionInfo, Op, Reg, Special};
use crate::steer::{Aim, Element, Input, SteerRequest};
use std::collections::{BTreeSet, HashSet};

/// Numbers that say where a thread is: of its block, and its own there, along three axes each.
const NUMBERS: usize = 6;

/// What is asked of one function.
pub struct Places<'a> {
    code: &'a Code,
    writers: Writers,
    /// Operations that hang on parameters and on where a thread is, in the order of the text.
    steps: &'a [u32],
    request: SteerRequest,
    grid: [u32; 3],
}

impl<'a> Places<'a> {
    /// Of a launch.
    pub fn new(code: &'a Code, info: &FunctionInfo, steps: &'a [u32], grid: [u32; 3], block: [u32; 3]) -> Self {
        let extents = grid.into_iter().chain(block).zip(0u64..);
        let inputs = extents.map(|(extent, at)| Input {
            address: at,
            bytes: Vec::new(),
            element: Element::Unsigned(4),
            low: 0.0,
            high: f64::from(extent.saturating_sub(1)),
        });
        let request = SteerRequest {
            wanted: BTreeSet::new(),
            goals: Vec::new(),
            inputs: inputs.collect(),
            parameters: Vec::new(),
            seed: 0,
            steps: 0,
        };
        Self { code, writers: super::expression::writers(code, info), steps, request, grid }
    }

    /// The block in which what `root` makes comes out as wanted, for a thread like one of those whose numbers a warp holds in
    /// its registers. `most` operations may be computed, by `run`; with how many were.
    pub fn solve(
        &self,
        warp: &mut Warp,
        (root, aim): (u32, Aim),
        (seed, most): (u64, u64),
        run: impl FnMut(&mut Warp, u32),
    ) -> (Option<u64>, u64) {
        let Some((expression, numbers)) = self.expression(root) else { return (None, 0) };
        let mut search = Search::new(self.code, &self.writers, (&expression, aim.into()), &self.request, seed, run);
        if search.choose(warp, u32::MAX).is_none() {
            return (None, search.spent);
        }
        let mut words: Vec<Word> = Vec::new();
        for (reg, input) in numbers {
            match words.iter_mut().find(|word| word.input == input) {
                Some(word) => word.registers.push(Held::all(reg, 4)),
                None => words.push(Word {
                    input,
                    address: input as u64,
                    size: 4,
                    registers: vec![Held::all(reg, 4)],
                    value: warp.read_lane(0, reg, 0),
                }),
            }
        }
        let mut block: [u64; 3] =
            std::array::from_fn(|axis| words.iter().find(|word| word.input == axis).map_or(0, |word| word.value));
        let solved = search.solve(warp, &words, most);
        let spent = search.spent;
        let Some(values) = solved else { return (None, spent) };
        for (word, value) in words.iter().zip(values) {
            if let Some(axis) = block.get_mut(word.input) {
                *axis = value;
            }
        }
        let [width, height, _] = self.grid.map(u64::from);
        (Some(block[0] + width * (block[1] + height * block[2])), spent)
    }

    /// What a predicate is computed from, and the registers with the numbers that say where a thread is; nothing where the block has no
    /// say.
    fn expression(&self, root: u32) -> Option<(Expression, Vec<(Reg, usize)>)> {
        let (mut needed, mut before) = (HashSet::from([root]), 0);
        while needed.len() > before {
            before = needed.len();
            let read: HashSet<Reg> = needed.iter().flat_map(|at| self.code.sources(*at)).collect();
            let feeds = |at: &u32| self.code.results(*at).iter().any(|reg| read.contains(reg));
            needed.extend(self.steps.iter().copied().filter(|at| *at < root).filter(feeds));
        }
        let needed = |at: &&u32| needed.contains(*at);
        let numbers: Vec<(Reg, usize)> =
            self.steps.iter().filter(needed).filter_map(|at| number(self.code, *at)).collect();
        let mut hangs: HashSet<Reg> = numbers.iter().map(|(reg, _)| *reg).collect();
        let mut steps = Vec::new();
        for at in self.steps.iter().filter(needed) {
            if self.code.sources(*at).iter().any(|reg| hangs.contains(reg)) {
                hangs.extend(self.code.results(*at));
                steps.push(*at);
            }
        }
        let result = self.code.results(root).first().copied()?;
        let by_block = numbers.iter().any(|(_, number)| *number < NUMBERS / 2);
        (by_block && steps.last() == Some(&root))
            .then(|| (Expression { root, result, steps, leaves: Vec::new(), places: Vec::new() }, numbers))
    }
}

/// The register that an operation writes such a number to, and which of them.
fn number(code: &Code, at: u32) -> Option<(Reg, usize)> {
    let Op::Special32 { d, which } = code.insts[at as usize].op else { return None };
    match which {
        Special::Ctaid(axis @ 0..3) => Some((Reg::R32(d), axis.into())),
        Special::Tid(axis @ 0..3) => Some((Reg::R32(d), NUMBERS / 2 + usize::from(axis))),
        _ => None,
    }
}
