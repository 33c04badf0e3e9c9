//! Which machine instructions ran, by the simulator's coverage of the PTX that they were made of. What stands in a branch
//! that nobody takes does no work, so it cannot meet a goal that asks for "at least".
//!
//! Both sides carry source lines. On one line an instruction ran if the PTX instructions that become it all ran; did only some,
//! no more of the machine's count than of those (a loop that ptxas unrolls has many for one, so this is the careful side); did
//! none, none. A line that only the machine code has is judged by the whole version's instructions.

use super::{Family, Instruction, Kernel, Module, opcode::Access, opcode::Space};
use simulator::LineCoverage;
use std::collections::BTreeMap;

/// File and line, where there is line information.
type SourcePlace = Option<(usize, u32)>;

/// What becomes an opcode: bases of PTX opcodes.
struct Origin {
    mnemonics: &'static str,
    bases: &'static [&'static str],
}

const fn origin(mnemonics: &'static str, bases: &'static [&'static str]) -> Origin {
    Origin { mnemonics, bases }
}

/// Instructions of double and single precision; division and roots are sequences of them.
const FLOAT: &[&str] = &[
    "fma", "mad", "add", "sub", "mul", "div", "rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh", "neg", "abs",
];
const ATOMIC: &[&str] = &["atom", "red"];

/// A mnemonic that is not here may come from anything on its line.
const ORIGINS: &[Origin] = &[
    origin("LDG LDGMC LD LDL LDS LDC LDCU", &["ld", "ldu"]),
    origin("STG ST STS STL", &["st"]),
    origin("LDSM", &["ldmatrix", "wmma"]),
    origin("STSM", &["stmatrix"]),
    origin("LDGSTS LDGDEPBAR DEPBAR", &["cp"]),
    origin("UBLKCP UBLKRED", &["cp"]),
    origin("ATOM ATOMG RED REDG ATOMS", ATOMIC),
    origin("SHFL", &["shfl"]),
    origin("VOTE VOTEU", &["vote", "activemask", "match", "elect"]),
    origin("MATCH", &["match"]),
    origin("REDUX CREDUX", &["redux"]),
    origin("BAR", &["bar", "barrier"]),
    origin("WARPSYNC", &["bar", "shfl", "vote", "match", "redux"]),
    origin("MEMBAR FENCE", &["membar", "fence", "atom", "red", "ld", "st"]),
    origin("FFMA FADD FMUL FFMA2 FADD2 FMUL2 FFMA32I FADD32I FMUL32I DFMA DADD DMUL", FLOAT),
    origin("HFMA2 HADD2 HMUL2", FLOAT),
    origin("HMMA IMMA DMMA BMMA QMMA", &["mma", "wmma"]),
    origin("HGMMA IGMMA QGMMA BGMMA", &["wgmma"]),
    origin("F2F F2I I2F F2FP F2IP FRND I2FP I2I", &["cvt"]),
    origin("MUFU", &["div", "rem", "rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh"]),
    origin("POPC", &["popc"]),
    origin("PRMT", &["prmt"]),
];

/// The state space that a memory instruction of this kind names in PTX; a generic one fits all.
fn space(instruction: &Instruction) -> Option<&'static str> {
    match instruction.opcode.family() {
        Family::Memory(Space::Global, _) => Some("global"),
        Family::Memory(Space::Shared, _) => Some("shared"),
        Family::Memory(Space::Local, _) => Some("local"),
        Family::Memory(Space::Constant, Access::Load) => Some("const"),
        _ => None,
    }
}

/// May this PTX opcode become the instruction?
fn becomes(ptx: &str, instruction: &Instruction) -> bool {
    const SPACES: [&str; 5] = ["global", "shared", "local", "const", "param"];
    let mnemonic = instruction.opcode.mnemonic();
    let Some(origin) = ORIGINS.iter().find(|o| o.mnemonics.split(' ').any(|m| m == mnemonic)) else { return true };
    let mut parts = ptx.split('.');
    if !parts.next().is_some_and(|base| origin.bases.contains(&base)) {
        return false;
    }
    let named = parts.find_map(|part| SPACES.iter().find(|space| part.split("::").next() == Some(**space)));
    match (named, space(instruction)) {
        (Some(named), Some(space)) => *named == space,
        _ => true,
    }
}

/// Bits that each lane moves: `ld.global.v4.f32` 128.
fn width(ptx: &str) -> u32 {
    let (mut lanes, mut bits) = (1, 32);
    for part in ptx.split('.').skip(1) {
        match part {
            "v2" => lanes = 2,
            "v4" => lanes = 4,
            "v8" => lanes = 8,
            _ => {
                let digits = part.trim_start_matches(|c: char| c.is_ascii_lowercase());
                if let (true, Ok(found)) = (digits.len() < part.len(), digits.parse()) {
                    bits = found;
                }
            }
        }
    }
    lanes * bits
}

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
    fn origins(&self, instruction: &Instruction) -> Vec<&'a LineCoverage> {
        let here = |covered: &&LineCoverage| {
            instruction.source.is_some_and(|source| {
                covered.line == source.line && self.files.get(source.file).is_some_and(|file| same(file, &covered.file))
            })
        };
        let on_line: Vec<&LineCoverage> = self.lines.iter().filter(here).collect();
        let fitting = |pool: &[&'a LineCoverage]| -> Vec<&'a LineCoverage> {
            pool.iter().filter(|covered| becomes(&covered.opcode, instruction)).copied().collect()
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
    fn of_group(&self, instruction: &Instruction, count: usize) -> usize {
        let origins = self.origins(instruction);
        let sum = |of: &dyn Fn(&LineCoverage) -> u32| origins.iter().map(|covered| of(covered) as usize).sum::<usize>();
        let memory = matches!(instruction.opcode.family(), Family::Memory(..));
        let wide = |covered: &LineCoverage| !memory || width(&covered.opcode) >= instruction.opcode.width();
        match (sum(&|covered| covered.live), sum(&|covered| covered.dead)) {
            (0, _) => 0,
            (_, 0) => count,
            _ => count.min(sum(&|covered| if wide(covered) { covered.live } else { 0 })),
        }
    }

    /// Instructions with that prefix that ran, moves in disguise left out.
    pub fn executed(&self, kernels: &[&Kernel], prefix: &str) -> Executed {
        let mut groups: BTreeMap<(&str, SourcePlace), (usize, &Instruction)> = BTreeMap::new();
        let matching = |i: &&Instruction| i.opcode.matches(prefix) && !i.is_disguised_move();
        for instruction in kernels.iter().flat_map(|kernel| kernel.code()).filter(matching) {
            let place = instruction.source.map(|source| (source.file, source.line));
            groups.entry((instruction.opcode.as_str(), place)).or_insert((0, instruction)).0 += 1;
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

    /// Of a run of loads those that ran, if together they are a fair share of all that the version loads from global memory:
    /// a run that serves one thread in a thousand hides no latency.
    pub fn of_run(&self, loads: &[&Instruction]) -> usize {
        const SHARE: u64 = 4;
        let mut lines: BTreeMap<Option<(usize, u32)>, (usize, &Instruction)> = BTreeMap::new();
        for load in loads {
            lines.entry(load.source.map(|source| (source.file, source.line))).or_insert((0, load)).0 += 1;
        }
        let requests = |covered: &LineCoverage| {
            let mut parts = covered.opcode.split('.');
            let loads = matches!(parts.next(), Some("ld" | "ldu"));
            let other = parts.any(|part| matches!(part, "shared" | "local" | "const" | "param"));
            if loads && !other { covered.warps } else { 0 }
        };
        let all: u64 = self.lines.iter().map(requests).sum();
        let (mut live, mut served) = (0, 0);
        for (count, load) in lines.values() {
            let origins = self.origins(load);
            let alive: usize = origins.iter().map(|covered| covered.live as usize).sum();
            let dead = origins.iter().any(|covered| covered.dead > 0);
            live += if dead { (*count).min(alive) } else { *count };
            served += origins.iter().map(|covered| requests(covered)).sum::<u64>();
        }
        if served * SHARE < all { 0 } else { live }
    }
}

/// The same file: the compilers may have written another folder.
fn same(a: &str, b: &str) -> bool {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    a == b || name(a) == name(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::parse;

    fn covered(line: u32, opcode: &str, live: u32, dead: u32) -> LineCoverage {
        LineCoverage { file: "/k.cu".into(), line, opcode: opcode.into(), live, dead, warps: u64::from(live) * 8 }
    }

    /// Instructions, each with its line.
    fn module(code: &[(u32, &str)]) -> Module {
        let mut text =
            "\t.section\t.text.k,\"ax\"\n        .other          k,@\"STO_CUDA_ENTRY STV_DEFAULT\"\n".to_owned();
        for (n, (line, instruction)) in code.iter().enumerate() {
            text += &format!("\t//## File \"/k.cu\", line {line}\n/*{:04x}*/ {instruction} ;\n", n * 16);
        }
        let listing = parse(&text);
        Module { target: "sm_90".into(), files: listing.files, kernels: listing.kernels }
    }

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

    #[test]
    fn widths_of_ptx() {
        let cases = [
            ("ld.global.v4.f32", 128),
            ("ld.global.u8", 8),
            ("ld.global.nc.v2.u64", 128),
            ("ld.global.L1::no_allocate.f32", 32),
        ];
        for (opcode, bits) in cases {
            assert_eq!(width(opcode), bits, "{opcode}");
        }
    }

    #[test]
    fn a_run_counts_what_ran_and_what_serves_many() {
        let module = module(&[(5, "LDG.E R1, [R2]"), (5, "LDG.E R3, [R2]"), (9, "LDG.E R4, [R2]")]);
        let loads: Vec<&Instruction> = module.kernels[0].instructions.iter().collect();
        let with = |lines: &[LineCoverage], loads: &[&Instruction]| Coverage::new(lines, &module).of_run(loads);
        let alive = [covered(5, "ld.global.f32", 1, 0), covered(9, "ld.global.f32", 1, 0)];
        assert_eq!(with(&alive, &loads), 3);
        // A remainder of the same line that did not run takes nothing away that ran.
        assert_eq!(with(&[covered(5, "ld.global.f32", 2, 1)], &loads[..2]), 2);
        assert_eq!(with(&[covered(5, "ld.global.f32", 0, 2), covered(9, "ld.global.f32", 1, 0)], &loads[..2]), 0);
        let mut rare = alive.clone();
        rare[1].warps = 1000;
        assert_eq!(with(&rare, &loads[..2]), 0, "8 requests of 1008");
        assert_eq!(with(&rare, &loads), 3);
    }
}
