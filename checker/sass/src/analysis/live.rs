//! Which machine instructions ran, by the simulator's coverage of the PTX that they were made of. What stands in a branch
//! that nobody takes does no work, so it cannot meet a goal that asks for "at least".
//!
//! Both sides carry source lines. On one line an instruction ran if the PTX instructions that become it all ran; did only some,
//! no more of the machine's count than of those (a loop that ptxas unrolls has many for one, so this is the careful side); did
//! none, none. A line that only the machine code has is judged by the whole version's instructions.

use crate::flight::Measure;
use crate::{Instruction, Kernel, Module, origin};
use simulator::LineCoverage;
use std::collections::BTreeMap;

/// File and line, where there is line information.
pub(super) type SourcePlace = Option<(usize, u32)>;

/// What ran of a version.
#[derive(Debug, Clone, Copy)]
pub struct Coverage<'a> {
    /// The simulator's, of the size that is counted.
    pub lines: &'a [LineCoverage],
    /// Names of the machine code's files.
    pub files: &'a [String],
}

/// What ran of an opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Executed {
    /// Instructions that ran.
    pub live: usize,
    /// Instructions that stand there only.
    pub dead: usize,
    /// The source line with most of those: index of the file, and the line.
    pub dead_at: Option<(usize, u32)>,
}

impl<'a> Coverage<'a> {
    /// Of a module.
    pub fn new(lines: &'a [LineCoverage], module: &'a Module) -> Self {
        Self { lines, files: &module.files }
    }

    /// What may become the instruction on its line; of the whole version if the line has no code of its own.
    pub(super) fn origins(&self, instruction: &Instruction) -> Vec<&'a LineCoverage> {
        let here = |covered: &&LineCoverage| {
            instruction.source.is_some_and(|source| {
                covered.line == source.line && self.files.get(source.file).is_some_and(|file| same(file, &covered.file))
            })
        };
        let on_line: Vec<&LineCoverage> = self.lines.iter().filter(here).collect();
        let fitting = |pool: &[&'a LineCoverage]| -> Vec<&'a LineCoverage> {
            let fit = pool.iter().filter(|covered| origin::becomes(&covered.opcode, instruction)).copied().collect();
            origin::best(fit, instruction)
        };
        let found = fitting(&on_line);
        if !found.is_empty() {
            return found;
        }
        let everywhere: Vec<&LineCoverage> = self.lines.iter().collect();
        match (fitting(&everywhere), on_line.is_empty()) {
            (found, _) if !found.is_empty() => found,
            (_, false) => on_line,
            _ => everywhere,
        }
    }

    /// How many of so many instructions ran, all of one opcode and line.
    pub(super) fn of_group(&self, instruction: &Instruction, count: usize) -> usize {
        let origins = self.origins(instruction);
        let live: usize = origins.iter().map(|covered| covered.live()).sum();
        if origins.iter().all(|covered| covered.dead() == 0) && live > 0 { count } else { count.min(live) }
    }

    /// Instructions with that prefix that ran, moves in disguise left out.
    pub fn executed(&self, kernels: &[&Kernel], prefix: &str) -> Executed {
        let mut groups: BTreeMap<(&str, SourcePlace), (usize, &Instruction)> = BTreeMap::new();
        let matching = |i: &&Instruction| i.opcode.matches(prefix) && !i.is_disguised_move();
        for instruction in kernels.iter().flat_map(|kernel| kernel.code()).filter(matching) {
            groups.entry((instruction.opcode.as_str(), place(instruction))).or_insert((0, instruction)).0 += 1;
        }
        let mut all = Executed::default();
        let mut most = 0;
        for ((_, place), (count, instruction)) in groups {
            let live = self.of_group(instruction, count);
            all.live += live;
            all.dead += count - live;
            if count - live > most {
                (most, all.dead_at) = (count - live, place);
            }
        }
        all
    }

    /// What a request of the line's loads moves for a lane. How much `cp.async.ca` copies stands in its operands: the machine code knows.
    pub(super) fn moved(&self, kernel: &Kernel, measure: Measure, covered: &LineCoverage) -> usize {
        let here = |i: &&Instruction| {
            i.opcode.mnemonic() == "LDGSTS"
                && i.source.is_some_and(|source| {
                    source.line == covered.line
                        && self.files.get(source.file).is_some_and(|file| same(file, &covered.file))
                })
        };
        match measure {
            Measure::Loads => 1,
            Measure::Bytes if !is_copy(covered) => origin::width(&covered.opcode) as usize / 8,
            Measure::Bytes => kernel.code().iter().find(here).map_or(16, |i| i.opcode.width() as usize / 8),
        }
    }
}

/// File and line of an instruction.
pub(super) fn place(instruction: &Instruction) -> SourcePlace {
    instruction.source.map(|source| (source.file, source.line))
}

/// Loads from memory that others see, from global memory as far as its opcode says.
fn is_load(covered: &LineCoverage) -> bool {
    let mut parts = covered.opcode.split('.');
    matches!(parts.next(), Some("ld" | "ldu"))
        && !parts.any(|part| matches!(part, "shared" | "local" | "const" | "param"))
}

/// Copies from global to shared memory that each thread makes on its own.
fn is_copy(covered: &LineCoverage) -> bool {
    covered.opcode.starts_with("cp.async.")
        && covered.opcode.split('.').any(|part| part == "global")
        && !covered.opcode.split('.').any(|part| part == "bulk")
}

/// Does the measure count these?
pub(super) fn moves(covered: &LineCoverage, measure: Measure) -> bool {
    is_load(covered) || measure == Measure::Bytes && is_copy(covered)
}

/// The same file: the compilers may have written another folder.
fn same(a: &str, b: &str) -> bool {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    a == b || name(a) == name(b)
}

/// Coverages and code for tests.
#[cfg(test)]
pub mod cases {
    use super::*;
    use crate::listing::parse;

    pub(crate) fn covered(line: u32, opcode: &str, live: usize, dead: usize) -> LineCoverage {
        ran(line, opcode, &[vec![8; live], vec![0; dead]].concat())
    }

    pub(crate) fn ran(line: u32, opcode: &str, warps: &[u64]) -> LineCoverage {
        let (warps, parted, ptx_lines) = (warps.to_vec(), vec![0; warps.len()], vec![line; warps.len()]);
        LineCoverage { file: "/k.cu".into(), line, opcode: opcode.into(), warps, parted, ptx_lines }
    }

    /// Instructions, each with its line.
    pub(crate) fn module(code: &[(u32, &str)]) -> Module {
        let mut text =
            "\t.section\t.text.k,\"ax\"\n        .other          k,@\"STO_CUDA_ENTRY STV_DEFAULT\"\n".to_owned();
        for (n, (line, instruction)) in code.iter().enumerate() {
            text += &format!("\t//## File \"/k.cu\", line {line}\n/*{:04x}*/ {instruction} ;\n", n * 16);
        }
        let listing = parse(&text);
        Module { target: "sm_90".into(), files: listing.files, kernels: listing.kernels }
    }
}

#[cfg(test)]
mod tests {
    use super::cases::{covered, module};
    use super::*;

    fn executed(code: &[(u32, &str)], lines: &[LineCoverage], prefix: &str) -> (usize, usize, Option<u32>) {
        let module = module(code);
        let kernels: Vec<&Kernel> = module.kernels.iter().collect();
        let found = Coverage::new(lines, &module).executed(&kernels, prefix);
        (found.live, found.dead, found.dead_at.map(|(_, line)| line))
    }

    #[test]
    fn a_dead_line_does_not_count_and_is_named() {
        let code = [(5, "SHFL.DOWN PT, R1, R1, 0x1, 0x1f"), (9, "SHFL.DOWN PT, R1, R1, 0x2, 0x1f"), (9, "EXIT")];
        let lines =
            [covered(5, "shfl.sync.down.b32", 1, 0), covered(9, "shfl.sync.down.b32", 0, 1), covered(9, "ret", 1, 0)];
        assert_eq!(executed(&code, &lines, "SHFL"), (1, 1, Some(9)));
    }

    #[test]
    fn a_loop_unrolled_by_the_assembler_counts_whole_and_a_mixed_line_by_what_ran() {
        let shuffles = [(5, "SHFL.DOWN PT, R1, R1, 0x1, 0x1f"); 5];
        assert_eq!(executed(&shuffles, &[covered(5, "shfl.sync.down.b32", 1, 0)], "SHFL"), (5, 0, None));
        assert_eq!(executed(&shuffles, &[covered(5, "shfl.sync.down.b32", 1, 4)], "SHFL"), (1, 4, Some(5)));
    }

    #[test]
    fn a_live_load_does_not_vouch_for_a_wider_or_another_one() {
        let code = [(5, "LDG.E.128 R4, [R2]"), (5, "LDG.E R8, [R2]"), (5, "LDS R9, [R3]")];
        let lines = [
            covered(5, "ld.global.v4.f32", 0, 1),
            covered(5, "ld.global.f32", 1, 0),
            covered(5, "ld.shared.f32", 0, 1),
        ];
        assert_eq!(executed(&code, &lines, "LDG.E.128"), (0, 1, Some(5)));
        assert_eq!(executed(&code, &lines, "LDS"), (0, 1, Some(5)));
        // Merged by the assembler of scalar ones that all ran: fine.
        assert_eq!(executed(&code[..1], &[covered(5, "ld.global.f32", 4, 0)], "LDG.E.128"), (1, 0, None));
    }

    #[test]
    fn contractions_conversions_and_lines_of_headers() {
        assert_eq!(executed(&[(5, "FFMA R1, R2, R3, R4")], &[covered(5, "mul.f32", 1, 0)], "FFMA"), (1, 0, None));
        assert_eq!(
            executed(
                &[(5, "FFMA R1, R2, R3, R4")],
                &[covered(5, "setp.lt.s32", 1, 0), covered(5, "fma.rn.f32", 0, 1)],
                "FFMA"
            )
            .0,
            0
        );
        // A line that coverage does not have: by the version's own shuffles, dead or alive.
        let header = [(77, "SHFL.BFLY PT, R1, R1, 0x1, 0x1f")];
        assert_eq!(executed(&header, &[covered(5, "shfl.sync.bfly.b32", 1, 0)], "SHFL").0, 1);
        assert_eq!(
            executed(&header, &[covered(5, "shfl.sync.bfly.b32", 0, 1), covered(6, "add.s32", 1, 0)], "SHFL").0,
            0
        );
    }
}
