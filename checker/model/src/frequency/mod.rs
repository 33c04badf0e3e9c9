//! How often each basic block of the machine code ran, from how often PTX did.
//!
//! Both sides have source lines. Where a line has as many instructions of a kind in PTX as in the machine code they are the same
//! ones, in order, and say how often their blocks ran. Where the assembler unrolled or dropped some, only the sum is known. What
//! flows into a block flows out of it; that says the rest. All of it together is solved by proportional fitting.

mod edges;
mod evidence;
mod fit;
mod shape;
#[cfg(test)]
mod tests;

use crate::code::Code;
use edges::{Edges, Sum};
use evidence::{Evidence, behind, most_by_lines};
pub use evidence::{file_name, place};
use fit::{Fit, ROUNDS};
use serde::{Deserialize, Serialize};
use shape::Shape;
use simulator::Covered;
use std::collections::BTreeMap;

/// How sure it is how often blocks ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// Every block that matters holds instructions whose number is known.
    Exact,
    /// Some follow from sums over source lines, or from the flow between others.
    ByLines,
    /// What is known contradicts itself.
    Unknown,
}

impl Confidence {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::ByLines => "by lines",
            Self::Unknown => "unknown",
        }
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Frequencies {
    /// Executions of each block by all warps.
    pub blocks: Vec<f64>,
    /// How sure that is.
    pub confidence: Confidence,
}

/// Executions of a warp that are none.
const NOBODY: f64 = 1e-5;

/// Finds them. `warps` is how many warps began, `long_divisions` how often one went the slow path of a division or a root.
pub fn frequencies(code: &Code, coverage: &[Covered], warps: f64, long_divisions: f64) -> Frequencies {
    let coverage = &with_lines(coverage);
    let shape = Shape::of(code);
    let Evidence { mut anchors, sums, idle } = Evidence::of(code, coverage, long_divisions);
    let most = most_by_lines(code, coverage);
    let turn = |anchors: &mut [Vec<(f64, f64)>]| {
        let fit = Fit::of(code, coverage, anchors, &sums, &shape, warps);
        let mut edges = Edges::of(code, |at| fit.start(at));
        for _ in 0..ROUNDS {
            fit.round(&mut edges);
        }
        let entered = edges.entered(code, NOBODY * warps);
        let found = |at: usize| {
            // Divergent lanes go both ways, of which the flow knows nothing: somebody has to say so, too.
            let flows = if entered[at] || !idle[at] { edges.block(at) } else { 0.0 };
            fit.known[at].unwrap_or_else(|| most[at].unwrap_or(f64::MAX).min(flows))
        };
        let blocks: Vec<f64> = (0..code.blocks.len()).map(found).collect();
        (blocks, fit.known)
    };
    let (mut blocks, mut known) = turn(&mut anchors);
    for _ in 0..CALLS_DEEP {
        if !called(code, &blocks, &mut anchors, NEW * warps) {
            break;
        }
        (blocks, known) = turn(&mut anchors);
    }
    let confidence = confidence(code, &blocks, &known, &sums, &anchors);
    Frequencies { blocks, confidence }
}

/// Executions of a warp from which on those of a function are news: a slow path of which nothing is known counts less.
const NEW: f64 = 0.01;

/// Functions that the assembler brought call one another no deeper than this.
const CALLS_DEEP: usize = 2;

/// A function that the assembler brought runs as often as it is called, which is known when the blocks that call it are; it has no loops,
/// and whoever comes to it is taken to go the longest way. Was that something new?
fn called(code: &Code, blocks: &[f64], anchors: &mut [Vec<(f64, f64)>], least: f64) -> bool {
    let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
    for (block, times) in code.blocks.iter().zip(blocks) {
        block.calls.iter().for_each(|root| *sums.entry(*root).or_default() += times);
    }
    let mut new = false;
    for (root, sum) in sums.into_iter().filter(|(root, sum)| (sum - blocks[*root]).abs() > least) {
        let inside = behind(code, vec![root]);
        (0..inside.len()).filter(|at| inside[*at]).for_each(|at| anchors[at] = vec![(sum, 1.0)]);
        new = true;
    }
    new
}

/// What NVRTC makes of a long operation has no line; the assembler goes on with the one before.
fn with_lines(coverage: &[Covered]) -> Vec<Covered> {
    let mut all = coverage.to_vec();
    for at in 1..all.len() {
        if all[at].line == 0 && all[at - 1].line > 0 {
            (all[at].file, all[at].line) = (all[at - 1].file.clone(), all[at - 1].line);
        }
    }
    all
}

/// Functions of which nothing is known are slow paths.
fn unreached(code: &Code, known: &[Option<f64>], guesses: &[Option<f64>]) -> Vec<bool> {
    let mut all = vec![false; code.blocks.len()];
    for root in (1..code.blocks.len()).filter(|at| code.blocks[*at].root) {
        let (mut seen, mut stack) = (vec![false; code.blocks.len()], vec![root]);
        while let Some(at) = stack.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                stack.extend(&code.blocks[at].next);
            }
        }
        let ran = |at: usize| known[at].is_some() || guesses[at].is_some_and(|guess| guess > 0.0);
        let anchored = (0..seen.len()).any(|at| seen[at] && ran(at));
        if !anchored {
            (0..seen.len()).filter(|at| seen[*at]).for_each(|at| all[at] = true);
        }
    }
    all
}

/// The value in the middle of the weights.
fn median(values: &mut [(f64, f64)]) -> Option<f64> {
    // Branches alone say too little.
    let most = values.iter().map(|(_, weight)| *weight).fold(0.0, f64::max);
    if most < 0.1 {
        return None;
    }
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = values.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut passed = 0.0;
    for (value, weight) in values.iter() {
        passed += weight;
        if passed >= half {
            return Some(*value);
        }
    }
    None
}

fn confidence(
    code: &Code,
    blocks: &[f64],
    known: &[Option<f64>],
    sums: &[Sum],
    anchors: &[Vec<(f64, f64)>],
) -> Confidence {
    let work = |at: usize| blocks[at] * code.blocks[at].ops.len() as f64;
    let all: f64 = (0..blocks.len()).map(work).sum::<f64>().max(1e-9);
    let sure: f64 = (0..blocks.len()).filter(|at| known[*at].is_some()).map(work).sum();
    let mut off = 0.0;
    for sum in sums.iter().filter(|sum| sum.weight >= 1.0) {
        let now: f64 = sum.parts.iter().map(|(block, copies)| copies * blocks[*block]).sum();
        let short = if sum.guarded { (sum.total - now).max(0.0) } else { (sum.total - now).abs() };
        off += short;
    }
    let mut disputed = 0.0;
    for (at, values) in anchors.iter().enumerate() {
        let heavy: Vec<f64> = values.iter().filter(|(_, weight)| *weight >= 1.0).map(|(value, _)| *value).collect();
        let (low, high) =
            heavy.iter().fold((f64::MAX, 0.0f64), |(low, high), value| (low.min(*value), high.max(*value)));
        if heavy.len() > 1 && high > 1.1 * low {
            disputed += work(at);
        }
    }
    let total: f64 = sums.iter().filter(|sum| sum.weight >= 1.0).map(|sum| sum.total).sum::<f64>().max(1e-9);
    let (off, disputed) = (off / total, disputed / all);
    if off > 0.3 || disputed > 0.5 {
        Confidence::Unknown
    } else if sure / all > 0.9 && off < 0.05 && disputed < 0.1 {
        Confidence::Exact
    } else {
        Confidence::ByLines
    }
}
