//! Which machine instructions ran, by the simulator's coverage of the PTX that they were made of. What stands in a branch
//! that nobody takes does no work, so it cannot meet a goal that asks for "at least".
//!
//! Both sides carry source lines. On one line an instruction ran if the PTX instructions that become it all ran; did only some,
//! no more of the machine's count than of those (a loop that ptxas unrolls has many for one, so this is the careful side); did
//! none, none. A line that only the machine code has is judged by the whole version's instructions.

use crate::flight::{Measure, UnderWay};
use crate::{Instruction, Kernel, Module, origin};
use simulator::LineCoverage;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// File and line, where there is line information.
type SourcePlace = Option<(usize, u32)>;

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
    fn of_group(&self, instruction: &Instruction, count: usize) -> usize {
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

    /// Of a run of loads what ran, in the measure's units, if together they are a fair share of all that the version loads from global
    /// memory: a run that serves one thread in a thousand hides no latency. `kernel` is the one it stands in.
    pub fn of_run(&self, kernel: &Kernel, measure: Measure, run: &[UnderWay<'_>]) -> usize {
        const SHARE: f64 = 4.0;
        let mut lines: BTreeMap<SourcePlace, Line<'_>> = BTreeMap::new();
        for one in run {
            let line = lines.entry(place(one.load)).or_insert(Line {
                first: one.load,
                loads: Vec::new(),
                adds: 0.0,
                moves: 0,
            });
            line.adds += one.adds;
            // A copy that a wait leaves under way and that is made once more behind it.
            if !line.loads.contains(&one.load.address) {
                line.loads.push(one.load.address);
                line.moves += one.moves;
            }
        }
        let moved = |covered: &LineCoverage| {
            covered.warps.iter().sum::<u64>() as f64 * self.moved(kernel, measure, covered) as f64
        };
        let all: f64 = self.lines.iter().filter(|covered| moves(covered, measure)).map(moved).sum();
        let mut executed: Vec<(f64, f64, f64)> = Vec::new();
        for (at, line) in &lines {
            let count = line.loads.len();
            let origins = self.origins(line.first);
            let warps =
                origins.iter().filter(|covered| moves(covered, measure)).flat_map(|covered| covered.warps.clone());
            let mut warps: Vec<u64> = warps.collect();
            warps.sort_unstable_by_key(|warps| Reverse(*warps));
            let same =
                |other: &&Instruction| place(other) == *at && other.opcode.as_str() == line.first.opcode.as_str();
            let unrolled = kernel.code().iter().filter(same).count() > warps.len();
            let times = requests(&warps, count, unrolled) / count as f64;
            let ran = self.of_group(line.first, count) as f64 / count as f64;
            executed.push((times, line.moves as f64, line.adds * ran));
        }
        // Straight-line code is executed as often as the rarest of it; what is rarer than the others is left out.
        executed.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (mut moved, mut live, mut best) = (0.0, 0.0, 0.0);
        for (times, moves, ran) in executed {
            (moved, live) = (moved + moves, live + ran);
            if times * moved * SHARE >= all {
                best = live;
            }
        }
        // Parts of what several groups of copies leave under way add up to whole bytes.
        (best + 1e-6) as usize
    }

    /// What a request of the line's loads moves for a lane. How much `cp.async.ca` copies stands in its operands: the machine code knows.
    fn moved(&self, kernel: &Kernel, measure: Measure, covered: &LineCoverage) -> usize {
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

/// Loads of a run that stand on one source line.
struct Line<'a> {
    first: &'a Instruction,
    /// Their addresses in the code.
    loads: Vec<u64>,
    adds: f64,
    moves: usize,
}

/// File and line of an instruction.
fn place(instruction: &Instruction) -> SourcePlace {
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
fn moves(covered: &LineCoverage, measure: Measure) -> bool {
    is_load(covered) || measure == Measure::Bytes && is_copy(covered)
}

/// Requests of `count` loads that stand in one run, by those of a line's PTX loads, the most first. All of the run are executed
/// equally often, so it is made of as many of these: no more often than the last of so many. An `unrolled` loop has several for
/// one, all of them alike.
fn requests(warps: &[u64], count: usize, unrolled: bool) -> f64 {
    let of = |loads: usize| warps.get(loads.wrapping_sub(1)).map_or(0, |least| least * loads as u64) as f64;
    if unrolled {
        (1..=count).filter(|loads| count.is_multiple_of(*loads)).map(of).fold(0.0, f64::max)
    } else {
        of(count.min(warps.len()))
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
    use std::ops::Range;

    fn covered(line: u32, opcode: &str, live: usize, dead: usize) -> LineCoverage {
        ran(line, opcode, &[vec![8; live], vec![0; dead]].concat())
    }

    fn ran(line: u32, opcode: &str, warps: &[u64]) -> LineCoverage {
        let (warps, ptx_lines) = (warps.to_vec(), vec![line; warps.len()]);
        LineCoverage { file: "/k.cu".into(), line, opcode: opcode.into(), warps, ptx_lines }
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

    /// A run of loads, each of them once.
    fn run_of<'a>(loads: &[&'a Instruction]) -> Vec<UnderWay<'a>> {
        loads.iter().map(|load| UnderWay { load, adds: 1.0, moves: 1 }).collect()
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
    fn a_run_counts_what_ran_and_what_serves_many() {
        let module = module(&[(5, "LDG.E R1, [R2]"), (5, "LDG.E R3, [R2]"), (9, "LDG.E R4, [R2]")]);
        let loads: Vec<&Instruction> = module.kernels[0].instructions.iter().collect();
        let with = |lines: &[LineCoverage], loads: &[&Instruction]| {
            Coverage::new(lines, &module).of_run(&module.kernels[0], Measure::Loads, &run_of(loads))
        };
        let alive = [covered(5, "ld.global.f32", 1, 0), covered(9, "ld.global.f32", 1, 0)];
        assert_eq!(with(&alive, &loads), 3);
        // A remainder of the same line that did not run takes nothing away that ran.
        assert_eq!(with(&[covered(5, "ld.global.f32", 2, 1)], &loads[..2]), 2);
        assert_eq!(with(&[covered(5, "ld.global.f32", 0, 2), covered(9, "ld.global.f32", 1, 0)], &loads[..2]), 0);
        let mut rare = alive.clone();
        rare[1].warps = vec![1000];
        assert_eq!(with(&rare, &loads[..2]), 0, "8 requests of 1008");
        assert_eq!(with(&rare, &loads), 1, "the others are rarer than the third");
    }

    /// Wide loads count as what they move, and a copy's width is in the machine code alone.
    #[test]
    fn bytes_of_a_run_are_weighed_alike() {
        let module = module(&[
            (5, "LDG.E.128 R4, [R2]"),
            (5, "LDG.E.128 R8, [R2]"),
            (9, "LDG.E R12, [R2]"),
            (7, "LDGSTS.E.BYPASS.128 [R5], desc[UR4][R2.64]"),
        ]);
        let of = |which: Range<usize>, lines: &[LineCoverage]| {
            let loads = module.kernels[0].instructions[which].iter();
            let run: Vec<UnderWay<'_>> = loads.map(|load| UnderWay { load, adds: 16.0, moves: 16 }).collect();
            Coverage::new(lines, &module).of_run(&module.kernels[0], Measure::Bytes, &run)
        };
        let wide = ran(5, "ld.global.v4.f32", &[100, 100]);
        assert_eq!(of(0..2, &[wide.clone(), ran(9, "ld.global.f32", &[2000])]), 32, "3200 of 11,200 bytes");
        assert_eq!(of(0..2, &[wide.clone(), ran(9, "ld.global.f32", &[2600])]), 0, "3200 of 13,600");
        let copies = ran(7, "cp.async.cg.shared.global", &[700]);
        assert_eq!(of(0..2, &[wide.clone(), copies.clone()]), 0, "3200 of 14,400");
        assert_eq!(of(3..4, &[wide, copies]), 16);
    }

    /// What a line's live loads did says nothing of a run that others on the line make.
    #[test]
    fn a_rare_run_beside_a_loop_on_its_line_is_no_run() {
        let of = |run: usize, elsewhere: &[(u32, &str)], lines: &[LineCoverage]| {
            let mut code: Vec<(u32, &str)> = vec![(5, "LDG.E R1, [R2]"); run];
            code.extend(elsewhere);
            let module = module(&code);
            let loads: Vec<&Instruction> = module.kernels[0].instructions[..run].iter().collect();
            Coverage::new(lines, &module).of_run(&module.kernels[0], Measure::Loads, &run_of(&loads))
        };
        let rare_and_hot = ran(5, "ld.global.f32", &[1, 1, 1, 1, 500, 500]);
        let hot = [(5, "LDG.E R9, [R2]"); 2];
        assert_eq!(of(4, &hot, std::slice::from_ref(&rare_and_hot)), 0);
        // The loop's own run of two is one; so is a loop that the assembler unrolls by four, remainder and all.
        assert_eq!(of(2, &[(5, "LDG.E R9, [R2]"); 4], &[rare_and_hot]), 2);
        assert_eq!(of(4, &[(5, "LDG.E R9, [R2]")], &[ran(5, "ld.global.f32", &[500])]), 4);
        assert_eq!(of(4, &[(5, "LDG.E R9, [R2]"); 2], &[ran(5, "ld.global.f32", &[500, 3])]), 4);
        // A volatile load becomes another instruction.
        let volatile = [ran(5, "ld.global.f32", &[1, 1]), ran(5, "ld.volatile.global.f32", &[500])];
        assert_eq!(of(2, &[(5, "LDG.E.STRONG.SYS R9, [R2]")], &volatile), 0);
    }

    /// A run over two lines: the line that is rarely executed adds nothing, whatever else its source line does.
    #[test]
    fn a_run_is_as_frequent_as_its_rarest_load() {
        let module =
            module(&[(5, "LDG.E R1, [R2]"), (5, "LDG.E R3, [R2]"), (9, "LDG.E R4, [R2]"), (9, "LDG.E R5, [R2]")]);
        let run: Vec<&Instruction> = module.kernels[0].instructions[..3].iter().collect();
        let of = |lines: &[LineCoverage]| {
            Coverage::new(lines, &module).of_run(&module.kernels[0], Measure::Loads, &run_of(&run))
        };
        assert_eq!(of(&[ran(5, "ld.global.f32", &[1, 1]), ran(9, "ld.global.f32", &[1, 900])]), 1);
        assert_eq!(of(&[ran(5, "ld.global.f32", &[900, 900]), ran(9, "ld.global.f32", &[1, 1])]), 2);
        assert_eq!(of(&[ran(5, "ld.global.f32", &[900, 900]), ran(9, "ld.global.f32", &[1, 900])]), 3);
    }
}
