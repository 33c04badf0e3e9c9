//! Counts: by family and opcode, and by loop.

use crate::{
    flight::{self, Measure},
    flow::{self, Loop},
    instruction::{Instruction, SourceLine},
    listing::Kernel,
    opcode::{Access, Family, Opcode, Space},
};
use serde::Serialize;
use std::collections::BTreeMap;

/// The family an instruction is counted in: its opcode's, but a disguised move's is [`Family::Move`].
pub fn family(i: &Instruction) -> Family {
    if i.is_disguised_move() { Family::Move } else { i.opcode.family() }
}

/// A number of instructions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Count<K> {
    /// What was counted.
    pub of: K,
    /// How many.
    pub count: usize,
}

/// Memory instructions of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct MemoryKind {
    /// Which memory.
    pub space: Space,
    /// What they do.
    pub access: Access,
    /// Bits a thread.
    pub width: u32,
}

/// Counts of one loop's body, inner loops included.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoopStats {
    /// Address of its first instruction.
    pub address: u64,
    /// Source line of its first instruction.
    pub source: Option<SourceLine>,
    /// 1 for an outermost loop.
    pub depth: u32,
    /// Whether no other loop is inside.
    pub innermost: bool,
    /// The loop in which most time is expected: see [`flow::hottest`].
    pub hottest: bool,
    /// Instructions of the body.
    pub instructions: usize,
    /// By family.
    pub families: Vec<Count<Family>>,
}

/// Counts of one kernel. Padding is not counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stats {
    /// All instructions.
    pub instructions: usize,
    /// Those of them that are moves in disguise.
    pub disguised_moves: usize,
    /// By family, the most frequent first. Disguised moves count as moves.
    pub families: Vec<Count<Family>>,
    /// By full opcode, as written (`IMAD.MOV.U32` too), the most frequent first.
    pub opcodes: Vec<Count<Opcode>>,
    /// Memory instructions by space, access and width.
    pub memory: Vec<Count<MemoryKind>>,
    /// Loops in address order, outer before inner.
    pub loops: Vec<LoopStats>,
    /// Longest run of loads from global memory before one of their results is needed.
    pub load_run: usize,
    /// Most registers alive at once, if life ranges were asked for.
    pub live_registers: Option<u16>,
}

impl Stats {
    /// Counts a kernel's instructions.
    pub fn of(kernel: &Kernel) -> Self {
        let code = kernel.code();
        let loops = flow::loops(kernel);
        let hottest = flow::hottest(&loops).map(|l| l.header);
        Self {
            instructions: code.len(),
            disguised_moves: code.iter().filter(|i| i.is_disguised_move()).count(),
            families: tally(code.iter().map(family)),
            opcodes: tally(code.iter().map(|i| i.opcode.clone())),
            memory: tally(code.iter().filter_map(|i| match family(i) {
                Family::Memory(space, access) => Some(MemoryKind { space, access, width: i.opcode.width() }),
                _ => None,
            })),
            loops: loops.iter().map(|l| loop_stats(kernel, l, Some(l.header) == hottest)).collect(),
            load_run: flight::most(kernel, Measure::Loads, None),
            live_registers: code.iter().filter_map(|i| i.live).map(|l| l.registers).max(),
        }
    }

    /// Instructions of the hottest loop's body; 0 without a loop.
    pub fn loop_instructions(&self) -> usize {
        self.loops.iter().find(|l| l.hottest).map_or(0, |l| l.instructions)
    }

    /// Instructions for one element: of the hottest loop's body, or of the kernel if it has none, over the elements that
    /// one thread handles there.
    pub fn per_element(&self, elements: f64) -> f64 {
        let all = if self.loops.is_empty() { self.instructions } else { self.loop_instructions() };
        all as f64 / elements
    }
}

fn loop_stats(kernel: &Kernel, l: &Loop, hottest: bool) -> LoopStats {
    let header = &kernel.instructions[l.header];
    LoopStats {
        address: header.address,
        source: header.source,
        depth: l.depth,
        innermost: l.innermost,
        hottest,
        instructions: l.body.len(),
        families: tally(l.body.iter().map(|n| family(&kernel.instructions[*n]))),
    }
}

fn tally<K: Ord>(items: impl Iterator<Item = K>) -> Vec<Count<K>> {
    let mut counts: BTreeMap<K, usize> = BTreeMap::new();
    for item in items {
        *counts.entry(item).or_default() += 1;
    }
    let mut counts: Vec<Count<K>> = counts.into_iter().map(|(of, count)| Count { of, count }).collect();
    counts.sort_by_key(|c| std::cmp::Reverse(c.count));
    counts
}

/// What can be measured of the kernels that a version launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity<'a> {
    /// Registers a thread; of the kernel with the most, as the next ones.
    Registers,
    /// Instructions that spill a register or refill it.
    Spills,
    /// Local memory a thread in bytes.
    Stack,
    /// Static shared memory a block in bytes.
    Shared,
    /// The longest run of loads before the first use of one.
    LoadRun,
    /// The most bytes that a thread has under way from global memory.
    BytesInFlight,
    /// Instructions of the hottest loop.
    LoopInstructions,
    /// All instructions, the sum over kernels.
    Instructions,
    /// Instructions whose opcode starts with these parts, the sum over kernels.
    Opcode(&'a str),
}

/// A quantity of the kernels that a version launches; `None` for an opcode that there is not.
pub fn measure(kernels: &[&Kernel], quantity: Quantity<'_>) -> Option<f64> {
    let sum = |of: &dyn Fn(&Kernel) -> usize| Some(kernels.iter().map(|k| of(k)).sum::<usize>() as f64);
    let most = |of: &dyn Fn(&Kernel) -> usize| Some(kernels.iter().map(|k| of(k)).max().unwrap_or(0) as f64);
    match quantity {
        Quantity::Registers => most(&|k| k.resources.registers as usize),
        Quantity::Spills => most(&|k| k.resources.spills() as usize),
        Quantity::Stack => most(&|k| k.resources.stack as usize),
        Quantity::Shared => most(&|k| k.resources.shared as usize),
        Quantity::LoadRun => most(&|k| flight::most(k, Measure::Loads, None)),
        Quantity::BytesInFlight => most(&|k| flight::most(k, Measure::Bytes, None)),
        Quantity::LoopInstructions => most(&|k| flow::hottest(&flow::loops(k)).map_or(0, |l| l.body.len())),
        Quantity::Instructions => sum(&|k| k.code().len()),
        Quantity::Opcode(prefix) if is_opcode(prefix) => {
            sum(&|k| k.code().iter().filter(|i| i.opcode.matches(prefix) && !i.is_disguised_move()).count())
        }
        Quantity::Opcode(_) => None,
    }
}

/// Whether it can be an opcode's prefix: its mnemonic is one the table knows.
fn is_opcode(prefix: &str) -> bool {
    Opcode::new(prefix).family() != Family::Other
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::parse;

    fn kernel(lines: &[&str]) -> Kernel {
        let mut text = "\t.section\t.text.k,\"ax\"\n".to_owned();
        for (n, line) in lines.iter().enumerate() {
            text += &format!("/*{:04x}*/ {line} ;\n", n * 16);
        }
        parse(&text).kernels.remove(0)
    }

    #[test]
    fn disguised_moves_are_moves() {
        let k = kernel(&[
            "IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28]",
            "HFMA2.MMA R9, -RZ, RZ, 2, 0",
            "HFMA2 R9, -RZ, RZ, 0, 0",
            "IMAD.U32 R4, RZ, RZ, UR4",
            "IMAD.SHL.U32 R16, R17, 0x4, RZ",
            "IMAD.X R15, RZ, RZ, R7, P2",
            "IMAD.MOV R8, RZ, RZ, -R5",
            "IMAD.IADD R7, R0, 0x1, R3",
            "HFMA2.MMA R9, R1, R2, R9",
            "LDL.LU R0, [R1]",
            "EXIT",
            "NOP",
        ]);
        let stats = Stats::of(&k);
        assert_eq!((stats.instructions, stats.disguised_moves), (11, 4));
        let value = |opcode| measure(&[&k], Quantity::Opcode(opcode));
        assert_eq!(value("IMAD"), Some(4.0));
        assert_eq!(value("IMAD.MOV"), Some(1.0));
        assert_eq!(value("HFMA2"), Some(1.0));
        assert_eq!(value("LDL"), Some(1.0));
        assert_eq!(value("NOP"), Some(0.0));
        assert_eq!(measure(&[&k, &k], Quantity::Instructions), Some(22.0));
        assert_eq!((value("ZORK"), value(""), value("occupancy")), (None, None, None));
        let family = |f| stats.families.iter().find(|c| c.of == f).map_or(0, |c| c.count);
        assert_eq!((family(Family::Move), family(Family::Integer), family(Family::Fp16)), (4, 4, 1));
    }
}
