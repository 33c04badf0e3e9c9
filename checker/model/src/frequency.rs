//! How often each basic block of the machine code ran, from how often PTX did.
//!
//! Both sides have source lines. Where a line has as many instructions of a kind in PTX as in the machine code they are the same
//! ones, in order, and say how often their blocks ran. Where the assembler unrolled or dropped some, only the sum is known. What
//! flows into a block flows out of it; that says the rest. All of it together is solved by proportional fitting.

use crate::class::{self, Class};
use crate::code::{Block, Code, Op};
use serde::{Deserialize, Serialize};
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

/// Rounds of fitting.
const ROUNDS: usize = 120;
/// What a slow path counts that nothing says anything of.
const RARE: f64 = 1e-3;

/// Executions of a warp that are none.
const NOBODY: f64 = 1e-5;

/// How far a block that nothing is known of goes in a round towards what its lines say.
const GUESS: f64 = 0.3;

/// A sum over blocks that is known.
struct Sum {
    /// Blocks, with how many of the instructions they hold.
    parts: Vec<(usize, f64)>,
    total: f64,
    weight: f64,
    /// Some may be skipped: the sum is one from below.
    guarded: bool,
}

/// Edges between blocks, and from and to the outside.
struct Edges {
    value: Vec<f64>,
    /// Where each leads, if not outside.
    to: Vec<Option<usize>>,
    into: Vec<Vec<usize>>,
    out: Vec<Vec<usize>>,
}

impl Edges {
    fn of(code: &Code, start: impl Fn(usize) -> f64) -> Self {
        let blocks = code.blocks.len();
        let none = || vec![Vec::new(); blocks];
        let mut edges = Self { value: Vec::new(), to: Vec::new(), into: none(), out: none() };
        for (at, block) in code.blocks.iter().enumerate() {
            if at == 0 || block.root {
                edges.add(None, Some(at), start(at));
            }
            for &next in &block.next {
                edges.add(Some(at), Some(next), start(next).min(start(at)));
            }
            if block.ends || block.next.is_empty() {
                edges.add(Some(at), None, start(at));
            }
        }
        edges
    }

    fn add(&mut self, from: Option<usize>, to: Option<usize>, value: f64) {
        let edge = self.value.len();
        if let Some(from) = from {
            self.out[from].push(edge);
        }
        if let Some(to) = to {
            self.into[to].push(edge);
        }
        self.value.push(value);
        self.to.push(to);
    }

    /// Blocks that something comes to, from outside on: a loop that nobody enters goes round for ever, as far as its own
    /// edges say.
    fn entered(&self, code: &Code, least: f64) -> Vec<bool> {
        let mut entered = vec![false; self.into.len()];
        let begins = |at: &usize| (*at == 0 || code.blocks[*at].root) && self.block(*at) > least;
        let mut stack: Vec<usize> = (0..entered.len()).filter(begins).collect();
        while let Some(at) = stack.pop() {
            if !std::mem::replace(&mut entered[at], true) {
                let alive = self.out[at].iter().filter(|edge| self.value[**edge] > least);
                stack.extend(alive.filter_map(|edge| self.to[*edge]));
            }
        }
        entered
    }

    fn sum(&self, edges: &[usize]) -> f64 {
        edges.iter().map(|edge| self.value[*edge]).sum()
    }

    fn scale(&mut self, block: usize, into: bool, factor: f64) {
        let edges = if into { &self.into[block] } else { &self.out[block] };
        for &edge in edges {
            self.value[edge] *= factor;
        }
    }

    fn block(&self, block: usize) -> f64 {
        (self.sum(&self.into[block]) * self.sum(&self.out[block])).sqrt()
    }

    /// Scales what goes in and out towards `target`.
    fn set(&mut self, block: usize, target: f64) {
        for into in [true, false] {
            let now = self.sum(if into { &self.into[block] } else { &self.out[block] });
            if now > 0.0 {
                self.scale(block, into, target / now);
            }
        }
    }

    /// What comes in goes out.
    fn balance(&mut self, block: usize) {
        let (into, out) = (self.sum(&self.into[block]), self.sum(&self.out[block]));
        if into > 0.0 && out > 0.0 {
            let middle = (into * out).sqrt();
            self.scale(block, true, middle / into);
            self.scale(block, false, middle / out);
        }
    }
}

/// Without its folder: the compilers may have written another one.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

type Key<'a> = (Class, &'a str, u32);

/// What source lines tell of blocks, instruction by instruction.
struct Evidence {
    /// How often a block ran, with the weight of who says so, by block.
    anchors: Vec<Vec<(f64, f64)>>,
    sums: Vec<Sum>,
    /// Blocks with instructions that never ran.
    idle: Vec<bool>,
}

impl Evidence {
    fn of(code: &Code, coverage: &[Covered]) -> Self {
        let mut ptx: BTreeMap<Key<'_>, Vec<f64>> = BTreeMap::new();
        for covered in coverage {
            if let Some(class) = Class::of_ptx(&covered.opcode) {
                ptx.entry((class, file_name(&covered.file), covered.line)).or_default().push(covered.warps as f64);
            }
        }
        let mut own: BTreeMap<Key<'_>, Vec<(usize, bool)>> = BTreeMap::new();
        for (at, block) in code.blocks.iter().enumerate() {
            for op in &block.ops {
                let (Some(class), Some((file, line))) = (op.class, op.line) else { continue };
                let file = code.files.get(usize::from(file)).map_or("", |file| file_name(file));
                own.entry((class, file, line)).or_default().push((at, op.guarded));
            }
        }
        let count = code.blocks.len();
        let mut evidence = Self { anchors: vec![Vec::new(); count], sums: Vec::new(), idle: vec![false; count] };
        for (key, there) in &own {
            let Some(ran) = ptx.get(key) else { continue };
            let weight = key.0.weight();
            if ran.iter().all(|times| *times == 0.0) {
                evidence.never(there, weight);
            } else if ran.len() == there.len() {
                evidence.each(ran, there, weight);
            } else {
                evidence.together(ran, there, weight);
            }
        }
        evidence
    }

    /// None of these instructions ran.
    fn never(&mut self, there: &[(usize, bool)], weight: f64) {
        for (block, guarded) in there {
            self.idle[*block] = true;
            if !guarded {
                self.anchors[*block].push((0.0, weight));
            }
        }
    }

    /// As many in PTX as in the machine code: the same ones, in order.
    fn each(&mut self, ran: &[f64], there: &[(usize, bool)], weight: f64) {
        for (times, (block, guarded)) in ran.iter().zip(there) {
            // Of a guarded instruction only those are counted that did something.
            if !guarded {
                self.anchors[*block].push((*times, weight));
            } else if *times > 0.0 {
                let parts = vec![(*block, 1.0)];
                self.sums.push(Sum { parts, total: *times, weight, guarded: true });
            }
        }
    }

    /// Some were unrolled or dropped: only the sum is known.
    fn together(&mut self, ran: &[f64], there: &[(usize, bool)], weight: f64) {
        let mut parts: BTreeMap<usize, f64> = BTreeMap::new();
        for (block, _) in there {
            *parts.entry(*block).or_default() += 1.0;
        }
        let total: f64 = ran.iter().sum();
        // Fewer than there were: several became one, so that the sum says less.
        let fused = there.len() < ran.len();
        let total = if fused { total * there.len() as f64 / ran.len() as f64 } else { total };
        let weight = if fused { weight * 0.5 } else { weight };
        self.sums.push(Sum {
            parts: parts.into_iter().collect(),
            total,
            weight,
            guarded: there.iter().any(|(_, guarded)| *guarded),
        });
    }
}

/// What the fitting keeps to, by block.
struct Fit<'a> {
    code: &'a Code,
    sums: &'a [Sum],
    /// How often a block ran, where that is known.
    known: Vec<Option<f64>>,
    /// What its lines say, where they say anything.
    guesses: Vec<Option<f64>>,
    /// Most copies of an instruction that a block has. Of an unrolled loop and its remainder the one with more copies does the work.
    copies: Vec<f64>,
    unreached: Vec<bool>,
    /// Warps that began.
    warps: f64,
}

impl<'a> Fit<'a> {
    fn of(code: &'a Code, coverage: &[Covered], anchors: &mut [Vec<(f64, f64)>], sums: &'a [Sum], warps: f64) -> Self {
        let mut copies = vec![0.0f64; code.blocks.len()];
        for (block, share) in sums.iter().flat_map(|sum| &sum.parts) {
            copies[*block] = copies[*block].max(*share);
        }
        let guesses = by_lines(code, coverage);
        let known: Vec<Option<f64>> = (0..code.blocks.len())
            .map(|at| {
                let sure = || guesses[at].filter(|(_, sure)| *sure && copies[at] == 0.0).map(|(times, _)| times);
                if at == 0 { Some(warps) } else { median(&mut anchors[at]).or_else(sure) }
            })
            .collect();
        let guesses: Vec<Option<f64>> = guesses.into_iter().map(|guess| guess.map(|(times, _)| times)).collect();
        let unreached = unreached(code, &known, &guesses);
        Self { code, sums, known, guesses, copies, unreached, warps }
    }

    /// Where the fitting of a block begins.
    fn start(&self, at: usize) -> f64 {
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
    fn round(&self, edges: &mut Edges) {
        for sum in self.sums {
            let now: f64 = sum.parts.iter().map(|(block, copies)| copies * edges.block(*block)).sum();
            if now <= 0.0 || sum.guarded && now >= sum.total {
                continue;
            }
            let factor = (sum.total / now).powf(sum.weight);
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

/// Finds them. `warps` is how many warps began.
pub fn frequencies(code: &Code, coverage: &[Covered], warps: f64) -> Frequencies {
    let Evidence { mut anchors, sums, idle } = Evidence::of(code, coverage);
    let fit = Fit::of(code, coverage, &mut anchors, &sums, warps);
    let mut edges = Edges::of(code, |at| fit.start(at));
    for _ in 0..ROUNDS {
        fit.round(&mut edges);
    }
    let most = most_by_lines(code, coverage);
    let entered = edges.entered(code, NOBODY * warps);
    let found = |at: usize| {
        // Divergent lanes go both ways, of which the flow knows nothing: somebody has to say so, too.
        let flows = if entered[at] || !idle[at] { edges.block(at) } else { 0.0 };
        fit.known[at].unwrap_or_else(|| most[at].unwrap_or(f64::MAX).min(flows))
    };
    let blocks: Vec<f64> = (0..code.blocks.len()).map(found).collect();
    let confidence = confidence(code, &blocks, &fit.known, &sums, &anchors);
    Frequencies { blocks, confidence }
}

/// What the source lines of a block say of how often it ran, whatever instructions they have: a line's instructions of PTX over
/// its machine instructions, which are more where the assembler unrolled. Lines whose instructions ran differently often, or that the assembler multiplied, say
/// little; where half of the instructions stand on others, it is sure.
fn by_lines(code: &Code, coverage: &[Covered]) -> Vec<Option<(f64, bool)>> {
    let mut ptx: BTreeMap<(&str, u32), (f64, f64, f64, f64)> = BTreeMap::new();
    // Those that become many machine instructions, and how often they ran.
    let mut long: BTreeMap<(&str, u32), (f64, f64)> = BTreeMap::new();
    for covered in coverage.iter().filter(|covered| covered.line > 0) {
        let warps = covered.warps as f64;
        if class::is_long(&covered.opcode) {
            let (count, sum) = long.entry((file_name(&covered.file), covered.line)).or_default();
            (*count, *sum) = (*count + 1.0, *sum + warps);
        }
        let (count, sum, low, high) =
            ptx.entry((file_name(&covered.file), covered.line)).or_insert((0.0, 0.0, f64::MAX, 0.0));
        (*count, *sum, *low, *high) = (*count + 1.0, *sum + warps, low.min(warps), high.max(warps));
    }
    let place = |op: &Op| {
        let (file, line) = op.line?;
        Some((code.files.get(usize::from(file)).map_or("", |file| file_name(file)), line))
    };
    let mut own: BTreeMap<(&str, u32), f64> = BTreeMap::new();
    for place in code.blocks.iter().flat_map(|block| &block.ops).filter_map(place) {
        *own.entry(place).or_default() += 1.0;
    }
    let guess = |block: &Block| {
        let mut values: Vec<(f64, f64)> = Vec::new();
        for place in block.ops.iter().filter_map(place) {
            if let Some((count, sum, low, high)) = ptx.get(&place) {
                let there = own.get(&place).copied().unwrap_or(1.0);
                // What is more than PTX has is theirs.
                let each = long.get(&place).map(|(those, ran)| ran / those);
                let more = each.map_or(0.0, |_| f64::max(there - count, 0.0));
                let (count, sum) = (count + more, sum + more * each.unwrap_or(0.0));
                values.push((sum / count.max(there), if *high > 1.5 * low || there > count { 0.1 } else { 1.0 }));
            }
        }
        let sure = values.iter().filter(|(_, weight)| *weight >= 1.0).count() * 2 >= block.ops.len();
        median(&mut values).map(|value| (value, sure))
    };
    code.blocks.iter().map(guess).collect()
}

/// How often the most frequent instruction of a block's source lines ran: the block no more often.
fn most_by_lines(code: &Code, coverage: &[Covered]) -> Vec<Option<f64>> {
    let mut most: BTreeMap<(&str, u32), f64> = BTreeMap::new();
    for covered in coverage.iter().filter(|covered| covered.line > 0) {
        let known = most.entry((file_name(&covered.file), covered.line)).or_default();
        *known = known.max(covered.warps as f64);
    }
    let of = |op: &Op| {
        let (file, line) = op.line?;
        most.get(&(code.files.get(usize::from(file)).map_or("", |file| file_name(file)), line)).copied()
    };
    code.blocks.iter().map(|block| block.ops.iter().filter_map(of).reduce(f64::max)).collect()
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
