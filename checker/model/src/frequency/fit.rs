//! Fits the flow to what is known, round after round.

use super::edges::{Edges, Sum};
use super::evidence::by_lines;
use super::shape::Shape;
use super::{median, unreached};
use crate::code::Code;
use simulator::Covered;

/// Rounds of fitting.
pub(super) const ROUNDS: usize = 120;

/// What a slow path counts that nothing says anything of.
const RARE: f64 = 1e-3;

/// How far a block that nothing is known of goes in a round towards what its lines say.
const GUESS: f64 = 0.3;

/// What the fitting keeps to, by block.
pub(super) struct Fit<'a> {
    code: &'a Code,
    sums: &'a [Sum],
    /// How often a block ran, where that is known.
    pub(super) known: Vec<Option<f64>>,
    /// What its lines say, where they say anything.
    guesses: Vec<Option<f64>>,
    /// Most copies of an instruction that a block has. Of an unrolled loop and its remainder the one with more copies does the work.
    copies: Vec<f64>,
    unreached: Vec<bool>,
    /// Warps that began.
    warps: f64,
}

impl<'a> Fit<'a> {
    pub(super) fn of(
        code: &'a Code,
        coverage: &[Covered],
        anchors: &mut [Vec<(f64, f64)>],
        sums: &'a [Sum],
        shape: &Shape,
        warps: f64,
    ) -> Self {
        let mut copies = vec![0.0f64; code.blocks.len()];
        for (block, share) in sums.iter().flat_map(|sum| &sum.parts) {
            copies[*block] = copies[*block].max(*share);
        }
        let guesses = by_lines(code, coverage, shape, warps);
        let mut known: Vec<Option<f64>> = (0..code.blocks.len())
            .map(|at| {
                let sure = || guesses[at].filter(|(_, sure)| *sure && copies[at] == 0.0).map(|(times, _)| times);
                if at == 0 { Some(warps) } else { median(&mut anchors[at]).or_else(sure) }
            })
            .collect();
        spread(&mut known, anchors, shape);
        let guesses: Vec<Option<f64>> = guesses.into_iter().map(|guess| guess.map(|(times, _)| times)).collect();
        let unreached = unreached(code, &known, &guesses);
        Self { code, sums, known, guesses, copies, unreached, warps }
    }

    /// Where the fitting of a block begins.
    pub(super) fn start(&self, at: usize) -> f64 {
        match self.known[at] {
            Some(times) => times.max(1e-9),
            None if self.code.blocks[at].slow || self.unreached[at] => RARE * self.warps,
            None if self.guesses[at].is_some() && self.copies[at] == 0.0 => {
                self.guesses[at].unwrap_or(self.warps).max(1e-9)
            }
            None => self.warps * 4.0f64.powf(self.copies[at].min(8.0)),
        }
    }

    /// Sums first, then what flows in and out of each block.
    pub(super) fn round(&self, edges: &mut Edges) {
        for sum in self.sums {
            let now: f64 = sum.parts.iter().map(|(block, copies)| copies * edges.block(*block)).sum();
            if now <= 0.0 || sum.guarded && now >= sum.total {
                continue;
            }
            // An edge between two of its blocks is scaled by both, one from a block to itself twice.
            let factor = (sum.total / now).powf(sum.weight / 2.0);
            for (block, _) in sum.parts.iter().filter(|(block, _)| self.known[*block].is_none()) {
                edges.scale(*block, true, factor);
                edges.scale(*block, false, factor);
            }
        }
        for at in 0..self.known.len() {
            if let Some(times) = self.known[at] {
                edges.set(at, times);
                continue;
            }
            edges.balance(at);
            if let Some(guess) = self.guesses[at].filter(|_| self.copies[at] == 0.0 && !self.unreached[at]) {
                let now = edges.block(at);
                let factor = if now > 0.0 { (guess.max(1e-9) / now).powf(GUESS) } else { 1.0 };
                edges.scale(at, true, factor);
                edges.scale(at, false, factor);
            }
        }
    }
}

/// What is known of a block holds for those that run as often, and nobody comes to what lies behind one that never ran.
fn spread(known: &mut [Option<f64>], anchors: &[Vec<(f64, f64)>], shape: &Shape) {
    let count = known.len();
    for first in (0..count).filter(|at| shape.like[*at] == *at) {
        let class = || (first..count).filter(|at| shape.like[*at] == first);
        let own = if first == 0 { known[0] } else { None };
        let mut said: Vec<(f64, f64)> = class().flat_map(|at| anchors[at].iter().copied()).collect();
        let any = class().find_map(|at| known[at]);
        let value = own.or_else(|| median(&mut said)).or(any);
        class().for_each(|at| known[at] = value);
    }
    let never: Vec<usize> = (0..count).filter(|at| known[*at] == Some(0.0)).collect();
    for (at, known) in known.iter_mut().enumerate() {
        if never.iter().any(|idle| shape.is_behind(at, *idle)) {
            *known = Some(0.0);
        }
    }
}
