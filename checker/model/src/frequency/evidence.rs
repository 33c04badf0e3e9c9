//! What is known of how often a block runs, by line.

use super::edges::Sum;
use super::median;
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
    pub(super) fn of(code: &Code, coverage: &[Covered]) -> Self {
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

/// Without its folder: the compilers may have written another one.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// What the source lines of a block say of how often it ran, whatever instructions they have: a line's instructions of PTX over
/// its machine instructions, which are more where the assembler unrolled. Lines whose instructions ran differently often, or that the assembler multiplied, say
/// little; where half of the instructions stand on others, it is sure.
pub(super) fn by_lines(code: &Code, coverage: &[Covered]) -> Vec<Option<(f64, bool)>> {
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
pub(super) fn most_by_lines(code: &Code, coverage: &[Covered]) -> Vec<Option<f64>> {
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
