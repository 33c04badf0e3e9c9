//! What a thread has under way from global memory before it needs any of it: loads, or their bytes.
//!
//! A load is under way until an instruction names a register that it writes. A copy to shared memory (`LDGSTS`) names none: it belongs
//! to the group that the next `LDGDEPBAR` closes, and `DEPBAR.LE SB0, n` waits for all but the last n groups. What such a wait leaves
//! under way was asked for in earlier turns of the loop that it stands in, so that it is not in the code behind it: it counts as n
//! groups of what a group of that loop has on average.

use crate::{
    flow,
    instruction::Instruction,
    listing::Kernel,
    live::Coverage,
    live_runs,
    opcode::{Access, Family, Space},
    operand::{File, Operand, Register},
};
use std::collections::BTreeSet;
use std::ops::Range;

/// What is added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Loads to registers, whatever their width.
    Loads,
    /// Bytes, of copies to shared memory too.
    Bytes,
}

impl Measure {
    /// What one of these adds; `None` for an instruction that is no such load.
    pub fn of(self, i: &Instruction) -> Option<usize> {
        match self {
            Self::Loads => is_load(i).then_some(1),
            Self::Bytes => (is_load(i) || is_copy(i)).then(|| i.opcode.width() as usize / 8),
        }
    }
}

/// A load of a run.
#[derive(Debug, Clone, Copy)]
pub struct UnderWay<'a> {
    /// The load.
    pub load: &'a Instruction,
    /// What it adds to the run: of a copy in a loop as much as its groups that are under way.
    pub adds: f64,
    /// What it moves each time, in the same measure.
    pub moves: usize,
}

/// The most that is ever under way in straight-line code. With a coverage, only what ran counts.
pub fn most(kernel: &Kernel, measure: Measure, coverage: Option<&Coverage<'_>>) -> usize {
    let starts = straight(kernel).into_iter().flat_map(|code| code.clone().map(move |start| start..code.end));
    let runs = starts.map(|code| from(kernel, code, measure)).filter(|run| !run.is_empty());
    match coverage {
        Some(coverage) => live_runs::most(coverage, kernel, measure, &runs.collect::<Vec<_>>()),
        None => runs.map(|run| run.iter().map(|one| one.adds).sum::<f64>() as usize).max().unwrap_or(0),
    }
}

/// The most of several kernels that ran; see `sass.load_run` and `sass.bytes_in_flight`.
pub fn executed(kernels: &[&Kernel], measure: Measure, coverage: &Coverage<'_>) -> usize {
    kernels.iter().map(|kernel| most(kernel, measure, Some(coverage))).max().unwrap_or(0)
}

/// Stretches of straight-line code: blocks that follow each other with no other way in.
fn straight(kernel: &Kernel) -> Vec<Range<usize>> {
    let graph = flow::Graph::of(kernel);
    let mut entered = vec![0usize; graph.starts.len()];
    for s in graph.successors.iter().flatten() {
        entered[*s] += 1;
    }
    let (mut stretches, mut block) = (Vec::new(), 0);
    while block < graph.starts.len() {
        let first = graph.block(block).start;
        while block + 1 < graph.starts.len()
            && graph.successors[block].contains(&(block + 1))
            && entered[block + 1] == 1
            && !graph.roots.contains(&(block + 1))
        {
            block += 1;
        }
        stretches.push(first..graph.block(block).end);
        block += 1;
    }
    stretches
}

/// What is under way from the first of these instructions on: nothing if that is neither a load nor a wait that leaves some.
fn from(kernel: &Kernel, code: Range<usize>, measure: Measure) -> Vec<UnderWay<'_>> {
    let Some(first) = kernel.instructions.get(code.start) else { return Vec::new() };
    let left = waits(first).filter(|groups| measure == Measure::Bytes && *groups > 0);
    let mut run = match left {
        Some(groups) => left_under_way(kernel, code.start, groups),
        None if measure.of(first).is_some() => Vec::new(),
        None => return Vec::new(),
    };
    let (mut pending, mut closed, mut oldest_copy) = (BTreeSet::new(), 0u32, None);
    let behind = if left.is_some() { code.start + 1 } else { code.start };
    for i in &kernel.instructions[behind..code.end] {
        let waited =
            waits(i).is_some_and(|groups| left.is_some() || oldest_copy.is_some_and(|at| at + groups < closed));
        if waited || named_registers(i).any(|r| pending.contains(&r)) {
            break;
        }
        if let Some(moves) = measure.of(i) {
            run.push(UnderWay { load: i, adds: moves as f64, moves });
            if is_load(i) {
                pending.extend(loaded_registers(i));
            } else {
                oldest_copy.get_or_insert(closed);
            }
        }
        closed += u32::from(i.opcode.mnemonic() == "LDGDEPBAR");
    }
    run
}

/// What a wait leaves under way of the copies of its loop; without a loop, of the kernel's.
fn left_under_way(kernel: &Kernel, wait: usize, groups: u32) -> Vec<UnderWay<'_>> {
    let loops = flow::loops(kernel);
    let around = loops.iter().filter(|l| l.body.binary_search(&wait).is_ok()).max_by_key(|l| l.depth);
    let body: Vec<&Instruction> = match around {
        Some(around) => around.body.iter().map(|n| &kernel.instructions[*n]).collect(),
        None => kernel.code().iter().collect(),
    };
    let closed = body.iter().filter(|i| i.opcode.mnemonic() == "LDGDEPBAR").count();
    let copies = body.into_iter().filter(|i| closed > 0 && is_copy(i));
    copies
        .map(|load| {
            let moves = load.opcode.width() as usize / 8;
            UnderWay { load, adds: f64::from(groups) * moves as f64 / closed as f64, moves }
        })
        .collect()
}

/// A load to registers, from global memory or by an address of any space.
fn is_load(i: &Instruction) -> bool {
    matches!(i.opcode.family(), Family::Memory(Space::Global | Space::Generic, Access::Load))
}

/// A thread's own copy from global to shared memory.
fn is_copy(i: &Instruction) -> bool {
    i.opcode.mnemonic() == "LDGSTS"
}

/// How many groups of copies a wait leaves under way.
fn waits(i: &Instruction) -> Option<u32> {
    let number = |operand: &Operand| match operand {
        Operand::Integer(n) => u32::try_from(*n).ok(),
        _ => None,
    };
    (i.opcode.mnemonic() == "DEPBAR").then(|| i.operands.iter().find_map(number).unwrap_or(0))
}

fn loaded_registers(i: &Instruction) -> impl Iterator<Item = u8> {
    let first = i.operands.iter().find_map(|o| match o {
        Operand::Register(r) if r.file == File::General => r.index,
        _ => None,
    });
    let count = u8::try_from(i.opcode.width().div_ceil(32)).unwrap_or(1);
    first.into_iter().flat_map(move |r| r..r.saturating_add(count))
}

/// Every general register that an instruction reads or writes; of a wide one all parts.
fn named_registers(i: &Instruction) -> impl Iterator<Item = u8> {
    let family = i.opcode.family();
    let wide = matches!(family, Family::Fp64) || i.opcode.modifiers().any(|m| m == "WIDE" || m == "64");
    let data = match family {
        Family::Memory(..) => i.opcode.width().div_ceil(32),
        Family::Tensor => 4,
        _ if wide => 2,
        _ => 1,
    };
    let whole = move |r: &Register, count: u32| {
        let count = if r.suffix.split('.').any(|s| s == "64") { 2 } else { count };
        let range =
            r.index.filter(|_| r.file == File::General).map(|n| n..n.saturating_add(u8::try_from(count).unwrap_or(1)));
        range.into_iter().flatten()
    };
    // Two factors of 32 bits: what is added, and the sum, have 64.
    let product = i.opcode.mnemonic() == "IMAD" && i.opcode.modifiers().any(|m| m == "WIDE");
    let last = i.operands.len().saturating_sub(1);
    i.operands.iter().enumerate().flat_map(move |(at, o)| -> Vec<u8> {
        match o {
            Operand::Register(r) if product && at != 0 && at != last => whole(r, 1).collect(),
            Operand::Register(r) => whole(r, data).collect(),
            Operand::Memory { address, .. } | Operand::Constant { address, .. } => {
                address.registers.iter().flat_map(|r| whole(r, 1)).collect()
            }
            _ => Vec::new(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::parse;

    fn under_way(lines: &[&str], measure: Measure) -> usize {
        let mut text = "\t.section\t.text.k,\"ax\"\n".to_owned();
        let mut address = 0;
        for line in lines {
            if line.ends_with(':') {
                text += &format!("{line}\n");
            } else {
                text += &format!("/*{address:04x}*/ {line} ;\n");
                address += 16;
            }
        }
        most(&parse(&text).kernels.remove(0), measure, None)
    }

    #[test]
    fn loads_before_the_first_use() {
        let run = |lines: &[&str]| under_way(lines, Measure::Loads);
        assert_eq!(run(&["LDG.E R2, [R4]", "FADD R2, R2, R2", "LDG.E R3, [R4+0x4]", "EXIT"]), 1);
        // The third load's window opens at the second: {2, 3} and then {3, 4} in flight, three from the second on.
        let staggered = [
            "LDG.E R0, [R9]",
            "LDG.E R1, [R9]",
            "FADD R8, R0, R8",
            "LDG.E R2, [R9]",
            "LDG.E R3, [R9]",
            "FADD R8, R1, R8",
        ];
        assert_eq!(run(&staggered), 3);
        // R6 is the third register of a 128-bit load.
        assert_eq!(run(&["LDG.E.128 R4, [R2]", "FADD R9, R6, R9", "LDG.E R0, [R2]"]), 1);
        // An address that a load gives is a use.
        assert_eq!(run(&["LDG.E.64 R4, [R2]", "LDG.E R0, [R4.64]"]), 1);
        // The low half of a pair names the high half; a factor is no pair.
        assert_eq!(run(&["LDG.E R5, [R2]", "IMAD.WIDE R8, R0, R1, R4", "LDG.E R7, [R2]"]), 1);
        assert_eq!(run(&["LDG.E R5, [R2]", "IMAD.WIDE R8, R4, 0x20, R10", "LDG.E R7, [R2]"]), 2);
        assert_eq!(run(&["LDS R5, [R2]", "EXIT"]), 0);
        assert_eq!(run(&["LDGSTS.E [R5], [R2.64]", "EXIT"]), 0, "nobody's register");
    }

    #[test]
    fn bytes_are_weighed_by_width() {
        let bytes = |lines: &[&str]| under_way(lines, Measure::Bytes);
        assert_eq!(bytes(&["LDG.E.128 R4, [R2]", "LDG.E.128 R8, [R2]", "FADD R9, R6, R9", "EXIT"]), 32);
        assert_eq!(
            bytes(&["LDG.E.64 R4, [R2]", "LDG.E.U16 R8, [R2]", "FADD R9, R5, R9", "LDG.E R3, [R2]", "EXIT"]),
            10
        );
    }

    #[test]
    fn copies_are_under_way_until_their_group_is_waited_for() {
        let bytes = |lines: &[&str]| under_way(lines, Measure::Bytes);
        let copy = "LDGSTS.E.BYPASS.128 [R5], desc[UR4][R2.64]";
        assert_eq!(bytes(&[copy, copy, "LDGDEPBAR", "DEPBAR.LE SB0, 0x0", copy, "EXIT"]), 32);
        // The first wait is for the first group: three copies were under way before it.
        assert_eq!(
            bytes(&[copy, "LDGDEPBAR", copy, copy, "LDGDEPBAR", "DEPBAR.LE SB0, 0x1", "DEPBAR.LE SB0, 0x0", "EXIT"]),
            48
        );
        // A ring: a copy a turn, of which six are left under way by the wait, and a seventh follows it.
        let ring = |left: u32| {
            let wait = format!("DEPBAR.LE SB0, {left:#x}");
            bytes(&[".a:", &wait, "LDS.128 R8, [R5]", copy, "LDGDEPBAR", "@P0 BRA `(.a)", "EXIT"])
        };
        assert_eq!((ring(6), ring(1), ring(0)), (7 * 16, 32, 16));
        // Groups that nothing is in are groups.
        let empty = [".a:", "DEPBAR.LE SB0, 0x6", copy, "LDGDEPBAR", "LDGDEPBAR", "LDGDEPBAR", "@P0 BRA `(.a)", "EXIT"];
        assert_eq!(bytes(&empty), 48);
    }
}
