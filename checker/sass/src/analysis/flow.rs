//! Control flow: basic blocks, natural loops, and which instructions are padding.
//!
//! An edge goes to every label that a branch names, from `BSYNC` to the label of its `BSSY` (`convergence`), and on to the next
//! instruction unless the branch is unconditional. The slow path of `BRA.DIV` (a warp whose lanes have parted) is no edge:
//! it is a copy for a rare case and would count twice. A call goes on behind itself; what it calls is a part of its own.

use crate::convergence::{self, barrier};
use crate::{instruction::Instruction, listing::Kernel, operand::Operand};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap, HashSet};

/// A natural loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loop {
    /// Index of the first instruction of its header.
    pub header: usize,
    /// 1 for an outermost loop.
    pub depth: u32,
    /// Whether no other loop is inside.
    pub innermost: bool,
    /// Indices of its instructions, those of inner loops included, in address order.
    pub body: Vec<usize>,
}

/// Number of instructions before the padding: the NOPs at the end and the branch to itself in front of them.
pub fn code_len(f: &Kernel) -> usize {
    let mut len = f.instructions.len();
    while len > 0 && f.instructions[len - 1].opcode.mnemonic() == "NOP" {
        len -= 1;
    }
    let Some(last) = len.checked_sub(1).map(|n| &f.instructions[n]) else { return len };
    let to_itself = last.opcode.mnemonic() == "BRA"
        && last.guard.is_none()
        && last.targets().any(|t| f.labels.iter().any(|l| l.name == t && l.address == last.address));
    if to_itself && len > 1 { len - 1 } else { len }
}

/// Index of the first instruction at or behind an address.
fn at(f: &Kernel, address: u64) -> usize {
    f.instructions.partition_point(|i| i.address < address)
}

/// The function's own part: from its start to the first function inside it, or to the padding.
pub fn main_len(f: &Kernel) -> usize {
    let inner = f.labels.iter().filter(|l| l.function && l.address > 0).map(|l| at(f, l.address)).min();
    inner.unwrap_or(usize::MAX).min(code_len(f))
}

/// Edges between basic blocks.
pub struct Graph {
    /// First instruction of each block, ascending.
    pub starts: Vec<usize>,
    /// Successors of each block.
    pub successors: Vec<Vec<usize>>,
    /// Blocks at which a function begins.
    pub roots: Vec<usize>,
    /// One behind the last instruction.
    end: usize,
}

/// What happens behind an instruction.
pub struct Exits {
    /// Instructions it may go to: of a `BSYNC` those behind every `BSSY` of its barrier.
    pub targets: Vec<usize>,
    /// It may go on to the next.
    pub falls_through: bool,
    ends_block: bool,
}

impl Graph {
    /// Of everything before the padding.
    pub fn of(f: &Kernel) -> Self {
        let end = code_len(f);
        let labels: HashMap<&str, usize> = f.labels.iter().map(|l| (l.name.as_str(), at(f, l.address))).collect();
        let mut syncs: HashMap<u8, Vec<usize>> = HashMap::new();
        for i in &f.instructions[..end] {
            if let ("BSSY", Some(barrier)) = (i.opcode.mnemonic(), barrier(i)) {
                syncs.entry(barrier).or_default().extend(i.targets().filter_map(|t| labels.get(t)));
            }
        }
        let exits: Vec<Exits> = f.instructions[..end].iter().map(|i| exits(i, &labels, &syncs)).collect();
        let mut starts: BTreeSet<usize> = f.labels.iter().filter(|l| l.function).map(|l| at(f, l.address)).collect();
        let mut roots: BTreeSet<usize> = starts.clone();
        roots.insert(0);
        starts.insert(0);
        for (n, e) in exits.iter().enumerate() {
            starts.extend(&e.targets);
            if e.ends_block {
                starts.insert(n + 1);
            }
        }
        let starts: Vec<usize> = starts.into_iter().filter(|s| *s < end).collect();
        let block_at = |instruction: usize| starts.binary_search(&instruction).ok();
        let roots: Vec<usize> = roots.into_iter().filter_map(block_at).collect();
        let joins = convergence::joins(f, (&starts, &roots, end), &exits, &labels);
        let successors = (0..starts.len())
            .map(|b| {
                let last = starts.get(b + 1).copied().unwrap_or(end) - 1;
                let targets = joins.get(&last).unwrap_or(&exits[last].targets);
                let mut next: Vec<usize> = targets.iter().filter_map(|t| block_at(*t)).collect();
                if exits[last].falls_through {
                    next.extend(block_at(last + 1));
                }
                next.sort_unstable();
                next.dedup();
                next
            })
            .collect();
        Self { starts, successors, roots, end }
    }

    /// Instructions of a block.
    pub fn block(&self, block: usize) -> std::ops::Range<usize> {
        self.starts[block]..self.starts.get(block + 1).copied().unwrap_or(self.end)
    }

    /// Blocks that can be reached from a root, each before its successors as far as loops allow.
    fn reverse_postorder(&self) -> Vec<usize> {
        let (mut order, mut seen) = (Vec::new(), vec![false; self.starts.len()]);
        for &root in self.roots.iter().rev() {
            if std::mem::replace(&mut seen[root], true) {
                continue;
            }
            let mut stack = vec![(root, 0)];
            while let Some((block, next)) = stack.pop() {
                match self.successors[block].get(next) {
                    Some(&s) => {
                        stack.push((block, next + 1));
                        if !std::mem::replace(&mut seen[s], true) {
                            stack.push((s, 0));
                        }
                    }
                    None => order.push(block),
                }
            }
        }
        order.reverse();
        order
    }

    /// Immediate dominators by block, after Cooper, Harvey and Kennedy; a virtual root (the number of blocks) is above all.
    fn dominators(&self, order: &[usize], predecessors: &[Vec<usize>]) -> Vec<Option<usize>> {
        let top = self.starts.len();
        let mut rank = vec![usize::MAX; top + 1];
        rank[top] = 0;
        for (n, b) in order.iter().enumerate() {
            rank[*b] = n + 1;
        }
        let mut dominator: Vec<Option<usize>> = vec![None; top + 1];
        dominator[top] = Some(top);
        let mut changed = true;
        while changed {
            changed = false;
            for &b in order {
                let mut new = self.roots.contains(&b).then_some(top);
                for &p in predecessors[b].iter().filter(|p| dominator[**p].is_some()) {
                    new = Some(new.map_or(p, |other| intersect(other, p, &rank, &dominator)));
                }
                if new.is_some() && dominator[b] != new {
                    dominator[b] = new;
                    changed = true;
                }
            }
        }
        dominator
    }
}

fn intersect(mut a: usize, mut b: usize, rank: &[usize], dominator: &[Option<usize>]) -> usize {
    while a != b {
        while rank[a] > rank[b] {
            a = dominator[a].unwrap_or(a);
        }
        while rank[b] > rank[a] {
            b = dominator[b].unwrap_or(b);
        }
    }
    a
}

/// Whether a branch may not be taken: a guard, or a predicate among its operands (`BRA P0, ...`, `BRA.U !UP0, ...`).
fn conditional(i: &Instruction) -> bool {
    use crate::operand::File::{Predicate, UniformPredicate};
    i.guard.is_some_and(|g| g.is_conditional())
        || i.opcode.modifiers().any(|m| matches!(m, "DIV" | "CONV"))
        || i.operands.iter().any(
            |o| matches!(o, Operand::Register(r) if matches!(r.file, Predicate | UniformPredicate) && (r.index.is_some() || r.negated)),
        )
}

/// Does a thread go on elsewhere, or may it?
pub fn jumps(i: &Instruction) -> bool {
    matches!(i.opcode.mnemonic(), "BRA" | "BRX" | "JMP" | "JMX" | "CALL")
}

fn exits(i: &Instruction, labels: &HashMap<&str, usize>, syncs: &HashMap<u8, Vec<usize>>) -> Exits {
    let named = || i.targets().filter_map(|t| labels.get(t).copied()).collect::<Vec<_>>();
    let next = Exits { targets: Vec::new(), falls_through: true, ends_block: false };
    match i.opcode.mnemonic() {
        "BRA" | "BRAU" if i.opcode.modifiers().any(|m| m == "DIV") => Exits { ends_block: true, ..next },
        "BRA" | "BRAU" | "BRX" | "BRXU" | "JMP" | "JMX" | "JMXU" | "JMPU" => {
            Exits { targets: named(), falls_through: conditional(i), ends_block: true }
        }
        "WARPSYNC" => {
            let targets = named();
            Exits { ends_block: !targets.is_empty(), targets, falls_through: true }
        }
        "BSYNC" => {
            let targets: Vec<usize> = barrier(i).and_then(|b| syncs.get(&b).cloned()).unwrap_or_default();
            Exits { ends_block: true, falls_through: conditional(i) || targets.is_empty(), targets }
        }
        "EXIT" | "RET" | "KILL" | "RTT" => Exits { falls_through: conditional(i), ends_block: true, ..next },
        _ => next,
    }
}

/// The function's natural loops, outer before inner, otherwise in address order.
pub fn loops(f: &Kernel) -> Vec<Loop> {
    let graph = Graph::of(f);
    let order = graph.reverse_postorder();
    let mut predecessors = vec![Vec::new(); graph.starts.len()];
    for &b in &order {
        for &s in &graph.successors[b] {
            predecessors[s].push(b);
        }
    }
    let dominator = graph.dominators(&order, &predecessors);
    let dominates = |a: usize, mut b: usize| loop {
        if a == b {
            return true;
        }
        match dominator[b] {
            Some(d) if d != b => b = d,
            _ => return false,
        }
    };
    // Back edges with the same header are one loop.
    let mut bodies: HashMap<usize, HashSet<usize>> = HashMap::new();
    for &tail in &order {
        for &header in graph.successors[tail].iter().filter(|h| dominates(**h, tail)) {
            let body = bodies.entry(header).or_insert_with(|| HashSet::from([header]));
            let mut work = vec![tail];
            while let Some(b) = work.pop() {
                if body.insert(b) {
                    work.extend(&predecessors[b]);
                }
            }
        }
    }
    let mut loops: Vec<Loop> = bodies
        .iter()
        .map(|(header, blocks)| {
            let mut body: Vec<usize> = blocks.iter().flat_map(|b| graph.block(*b)).collect();
            body.sort_unstable();
            let depth = bodies.values().filter(|other| other.contains(header)).count();
            let innermost = !bodies.keys().any(|inner| inner != header && blocks.contains(inner));
            Loop { header: graph.starts[*header], depth: u32::try_from(depth).unwrap_or(u32::MAX), innermost, body }
        })
        .collect();
    loops.sort_by_key(|l| (l.header, l.depth));
    loops
}

/// The loop in which the kernel is expected to spend its time: the deepest innermost one, of several the longest.
pub fn hottest(loops: &[Loop]) -> Option<&Loop> {
    loops.iter().filter(|l| l.innermost).max_by_key(|l| (l.depth, l.body.len(), std::cmp::Reverse(l.header)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::parse;

    fn function(body: &str) -> Kernel {
        let (mut text, mut address) = ("\t.section\t.text.k,\"ax\"\n".to_owned(), 0);
        for line in body.lines().map(str::trim).filter(|l| !l.is_empty()) {
            if line.ends_with(':') {
                text += line;
            } else {
                text += &format!("/*{address:04x}*/ {line} ;");
                address += 16;
            }
            text += "\n";
        }
        parse(&text).kernels.remove(0)
    }

    #[test]
    fn nested_loops_and_a_remainder() {
        let f = function(
            "MOV R1, c[0x0][0x28]
             .outer:
             IADD3 R2, R2, 0x1, RZ
             .inner:
             FFMA R3, R3, R3, R3
             FADD R3, R3, R3
             @P0 BRA `(.inner)
             .tail:
             FMUL R3, R3, R3
             @P1 BRA `(.tail)
             @P2 BRA `(.outer)
             EXIT
             .pad:
             BRA `(.pad)
             NOP",
        );
        assert_eq!((code_len(&f), main_len(&f)), (9, 9));
        let found = loops(&f);
        let shape: Vec<_> = found.iter().map(|l| (l.header, l.depth, l.innermost, l.body.len())).collect();
        assert_eq!(shape, [(1, 1, false, 7), (2, 2, true, 3), (5, 2, true, 2)]);
        assert_eq!(hottest(&found).map(|l| l.header), Some(2));
    }

    #[test]
    fn a_convergence_point_is_no_loop_and_a_slow_path_is_not_part_of_one() {
        let f = function(
            ".loop:
             BSSY B0, `(.join)
             @P0 BRA `(.other)
             BRA.DIV UR4, `(.slow)
             SHFL.DOWN PT, R2, R2, 0x1, 0x1f
             .other:
             BSYNC B0
             .join:
             @P1 BRA `(.loop)
             EXIT
             .slow:
             SHFL.DOWN PT, R2, R2, 0x1, 0x1f
             BRA `(.other)",
        );
        let found = loops(&f);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].body, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn an_endless_kernel_keeps_its_loop() {
        let f = function("MOV R1, R2\n.a:\nBRA `(.a)\n.b:\nBRA `(.b)\nNOP");
        assert_eq!(code_len(&f), 2);
        assert_eq!(loops(&f).len(), 1);
        assert!(loops(&function("")).is_empty());
        assert!(loops(&function("BRA `(.nowhere)")).is_empty());
    }
}
