//! What is known of how often a block runs, by line.

use super::edges::Sum;
use super::median;
use super::shape::Shape;
use crate::class::{self, Class};
use crate::code::{Block, Code, Op};
use simulator::Covered;
use std::collections::BTreeMap;

type Key<'a> = (Class, &'a str, u32);

/// What source lines tell of blocks, instruction by instruction.
pub(super) struct Evidence {
    /// How often a block ran, with the weight of who says so, by block.
    pub(super) anchors: Vec<Vec<(f64, f64)>>,
    pub(super) sums: Vec<Sum>,
    /// Blocks with instructions that never ran.
    pub(super) idle: Vec<bool>,
}

impl Evidence {
    pub(super) fn of(code: &Code, coverage: &[Covered], long_divisions: f64) -> Self {
        let mut ptx: BTreeMap<Key<'_>, Vec<f64>> = BTreeMap::new();
        for covered in coverage {
            if let Some(class) = Class::of_ptx(&covered.opcode) {
                ptx.entry((class, file_name(&covered.file), covered.line)).or_default().push(covered.warps as f64);
            }
        }
        let mut own: BTreeMap<Key<'_>, Vec<(usize, bool)>> = BTreeMap::new();
        let brought = brought(code);
        for (at, block) in code.blocks.iter().enumerate().filter(|(at, _)| !brought[*at]) {
            for op in &block.ops {
                let (Some(class), Some((file, line))) = (op.class, place(code, op)) else { continue };
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
        evidence.divisions(code, coverage);
        evidence.long_divisions(code, long_divisions);
        evidence
    }

    /// Remainders and quotients of 64 bits are calls; short ones have been taken out of them before. Where there are as many calls as
    /// in PTX, but some in one block, that block says how often; where there are more or fewer, only their sum is known.
    fn divisions(&mut self, code: &Code, coverage: &[Covered]) {
        let mut ran: BTreeMap<(&str, u32), Vec<f64>> = BTreeMap::new();
        for covered in coverage.iter().filter(|covered| class::is_call(&covered.opcode)) {
            ran.entry((file_name(&covered.file), covered.line)).or_default().push(covered.warps as f64);
        }
        let mut calls: BTreeMap<(&str, u32), Vec<(usize, bool)>> = BTreeMap::new();
        for (at, block) in code.blocks.iter().enumerate() {
            let there = block.ops.iter().filter(|op| op.calls).filter_map(|op| place(code, op));
            there.for_each(|place| calls.entry(place).or_default().push((at, false)));
        }
        for (place, there) in &calls {
            let Some(ran) = ran.get(place) else { continue };
            if ran.len() == there.len() {
                self.each(ran, there, 1.0);
            } else {
                self.together(ran, there, 1.0);
            }
        }
    }

    /// Slow paths of divisions and roots are taken as often, all together, as the simulator met operands that take them. Which of them it
    /// was it does not say.
    fn long_divisions(&mut self, code: &Code, total: f64) {
        let slow = code.blocks.iter().enumerate().filter(|(_, block)| block.slow);
        let parts: Vec<(usize, f64)> = slow.map(|(at, block)| (at, block.calls.len().max(1) as f64)).collect();
        if !parts.is_empty() && total > 0.0 {
            self.sums.push(Sum { parts, total, weight: 1.0, guarded: false });
        }
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

/// Blocks of the functions that the assembler brought. Their lines are those of whatever stands before them.
pub(super) fn brought(code: &Code) -> Vec<bool> {
    behind(code, code.blocks.iter().flat_map(|block| block.calls.iter().copied()).collect())
}

/// Blocks that these lead to, with themselves.
pub(super) fn behind(code: &Code, mut stack: Vec<usize>) -> Vec<bool> {
    let mut all = vec![false; code.blocks.len()];
    while let Some(at) = stack.pop() {
        if !std::mem::replace(&mut all[at], true) {
            stack.extend(&code.blocks[at].next);
        }
    }
    all
}

/// Without its folder: the compilers may have written another one.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Where an instruction stands in the source.
pub fn place<'a>(code: &'a Code, op: &Op) -> Option<(&'a str, u32)> {
    let (file, line) = op.line?;
    Some((code.files.get(usize::from(file)).map_or("", |file| file_name(file)), line))
}

/// What PTX says of a line.
#[derive(Default)]
struct Line {
    /// How often each of its instructions ran.
    ran: Vec<f64>,
    /// Machine instructions that they become where nothing is unrolled.
    expected: f64,
    /// How often those ran.
    sum: f64,
    /// Those that become many, and how often they ran.
    long: (f64, f64),
}

/// What the source lines of a block say of how often it ran, whatever instructions they have. In a loop: a line's instructions of PTX over
/// its machine instructions, which are more where the assembler unrolled. Elsewhere what most of the line's instructions say. Lines whose
/// instructions ran differently often, or that the assembler multiplied, say little; where half of the instructions stand on others, it is sure.
pub(super) fn by_lines(code: &Code, coverage: &[Covered], shape: &Shape, warps: f64) -> Vec<Option<(f64, bool)>> {
    let mut ptx: BTreeMap<(&str, u32), Line> = BTreeMap::new();
    for covered in coverage.iter().filter(|covered| covered.line > 0) {
        let warps = covered.warps as f64;
        if covered.warps == 0 && !tells(&covered) {
            continue;
        }
        let line = ptx.entry((file_name(&covered.file), covered.line)).or_default();
        if class::is_long(&covered.opcode) {
            line.long = (line.long.0 + 1.0, line.long.1 + warps);
        }
        let expected = class::expected(&covered.opcode);
        line.ran.push(warps);
        (line.expected, line.sum) = (line.expected + expected, line.sum + expected * warps);
    }
    ptx.values_mut().for_each(|line| line.ran.sort_by(f64::total_cmp));
    let place = |op: &Op| place(code, op);
    let mut own: BTreeMap<(&str, u32), f64> = BTreeMap::new();
    for place in code.blocks.iter().flat_map(|block| &block.ops).filter_map(place) {
        *own.entry(place).or_default() += 1.0;
    }
    let guess = |(at, block): (usize, &Block)| {
        let mut values: Vec<(f64, f64)> = Vec::new();
        // Of what the compiler brought along no line tells: it goes on with those of the kernel.
        if block.slow || !shape.own[at] {
            return None;
        }
        for place in block.ops.iter().filter_map(place) {
            let Some(line) = ptx.get(&place) else { continue };
            let there = own.get(&place).copied().unwrap_or(1.0);
            let (low, high) = (line.ran[0], line.ran[line.ran.len() - 1]);
            if shape.loops[at] == 0 {
                let most = line.ran[line.ran.len() / 2];
                // A turn of a loop that was taken out of it.
                let taken_out = most > warps;
                values.push((most.min(warps), if high > 1.5 * low || taken_out { 0.1 } else { 1.0 }));
                continue;
            }
            // What is more than PTX has is theirs.
            let each = if line.long.0 > 0.0 { line.long.1 / line.long.0 } else { 0.0 };
            let more = if line.long.0 > 0.0 { f64::max(there - line.expected, 0.0) } else { 0.0 };
            let (count, sum) = (line.expected + more, line.sum + more * each);
            let multiplied = there > line.expected;
            values.push((sum / count.max(there), if high > 1.5 * low || multiplied { 0.1 } else { 1.0 }));
        }
        let sure = values.iter().filter(|(_, weight)| *weight >= 1.0).count() * 2 >= block.ops.len();
        median(&mut values).map(|value| (value, sure))
    };
    code.blocks.iter().enumerate().map(guess).collect()
}

/// Does it say how often its source line ran? A branch that is not taken is executed all the same, and counted as nothing.
fn tells(covered: &&Covered) -> bool {
    covered.line > 0 && covered.opcode != "bra"
}

/// How often the most frequent instruction of a block's source lines ran: the block no more often.
pub(super) fn most_by_lines(code: &Code, coverage: &[Covered]) -> Vec<Option<f64>> {
    let mut most: BTreeMap<(&str, u32), f64> = BTreeMap::new();
    for covered in coverage.iter().filter(tells) {
        let known = most.entry((file_name(&covered.file), covered.line)).or_default();
        *known = known.max(covered.warps as f64);
    }
    let of = |op: &Op| most.get(&place(code, op)?).copied();
    let brought = brought(code);
    let all = code.blocks.iter().enumerate();
    all.map(|(at, block)| block.ops.iter().filter(|_| !brought[at]).filter_map(of).reduce(f64::max)).collect()
}
