//! What ran of the runs of loads that stand in the machine code (see [`crate::live`]).
//!
//! A run that serves one thread in a thousand hides no latency: those that are as long as one, and do not share a load with each other,
//! together have to be a fair share of all that the version loads from global memory. An unrolled loop is made of many runs, one behind
//! the other, of which none has much of a share.

use crate::flight::{Measure, UnderWay};
use crate::live::{Coverage, SourcePlace, moves, place};
use crate::{Instruction, Kernel};
use simulator::LineCoverage;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Part of all loads that runs have to serve, as a divisor.
const SHARE: f64 = 4.0;

/// The most that a run has under way which ran, in the measure's units, of those that serve a fair share. `kernel` is the one that they
/// stand in.
pub fn most(coverage: &Coverage<'_>, kernel: &Kernel, measure: Measure, runs: &[Vec<UnderWay<'_>>]) -> usize {
    let mut sources = Sources { coverage, kernel, measure, known: BTreeMap::new() };
    let moved: f64 =
        coverage.lines.iter().filter(|covered| moves(covered, measure)).map(|covered| sources.moved(covered)).sum();
    let runs: Vec<Run<'_>> = runs.iter().map(|run| sources.run(run)).collect();
    let mut lengths: Vec<f64> = runs.iter().flat_map(|run| run.lines.iter().map(|line| line.live)).collect();
    lengths.sort_by(|a, b| b.total_cmp(a));
    lengths.dedup();
    let fair = |length: &f64| sources.served(&runs, *length) * SHARE >= moved;
    // Parts of what several groups of copies leave under way add up to whole bytes.
    lengths.into_iter().find(fair).map_or(0, |length| (length + 1e-6) as usize)
}

/// Which loads are of one source: file and line, and opcode.
type Source<'a> = (SourcePlace, &'a str);

/// A run by source lines, the one that is executed most first. Straight-line code is executed as often as the rarest of it: what is rarer
/// than the others can be left out.
struct Run<'a> {
    lines: Vec<Line<'a>>,
}

/// Loads of a run that stand on one source line.
struct Line<'a> {
    source: Source<'a>,
    first: &'a Instruction,
    /// Their addresses in the code.
    loads: Vec<u64>,
    /// What they add to the run, ...
    adds: f64,
    /// ... and move each time.
    moves: usize,
    /// How often they are executed, in warps.
    times: f64,
    /// What is under way of this line and those before it, as far as it ran.
    live: f64,
}

/// What the PTX loads of a source did.
struct Did {
    /// Warps of each, the most first.
    warps: Vec<u64>,
    /// All that they moved.
    moved: f64,
    /// The machine code has more loads than there are.
    unrolled: bool,
}

struct Sources<'c, 'a> {
    coverage: &'c Coverage<'c>,
    kernel: &'a Kernel,
    measure: Measure,
    known: BTreeMap<Source<'a>, Did>,
}

impl<'a> Sources<'_, 'a> {
    /// What the loads of a PTX instruction moved in all.
    fn moved(&self, covered: &LineCoverage) -> f64 {
        let each = self.coverage.moved(self.kernel, self.measure, covered);
        covered.warps.iter().sum::<u64>() as f64 * each as f64
    }

    fn of(&mut self, load: &'a Instruction) -> Source<'a> {
        let source = (place(load), load.opcode.as_str());
        if !self.known.contains_key(&source) {
            let origins = self.coverage.origins(load);
            let loads = || origins.iter().filter(|covered| moves(covered, self.measure));
            let mut warps: Vec<u64> = loads().flat_map(|covered| covered.warps.clone()).collect();
            warps.sort_unstable_by_key(|warps| Reverse(*warps));
            let moved = loads().map(|covered| self.moved(covered)).sum();
            let same = |other: &&Instruction| (place(other), other.opcode.as_str()) == source;
            let unrolled = self.kernel.code().iter().filter(same).count() > warps.len();
            self.known.insert(source, Did { warps, moved, unrolled });
        }
        source
    }

    fn run(&mut self, run: &[UnderWay<'a>]) -> Run<'a> {
        let mut lines: Vec<Line<'a>> = Vec::new();
        for one in run {
            let at = lines.iter().position(|line| line.source.0 == place(one.load)).unwrap_or_else(|| {
                let (first, source) = (one.load, self.of(one.load));
                lines.push(Line { source, first, loads: Vec::new(), adds: 0.0, moves: 0, times: 0.0, live: 0.0 });
                lines.len() - 1
            });
            let line = &mut lines[at];
            line.adds += one.adds;
            // A copy that a wait leaves under way and that is made once more behind it.
            if !line.loads.contains(&one.load.address) {
                line.loads.push(one.load.address);
                line.moves += one.moves;
            }
        }
        for line in &mut lines {
            let (count, did) = (line.loads.len(), &self.known[&line.source]);
            line.times = requests(&did.warps, count, did.unrolled) / count as f64;
            line.live = line.adds * self.coverage.of_group(line.first, count) as f64 / count as f64;
        }
        lines.sort_by(|a, b| b.times.total_cmp(&a.times));
        let mut live = 0.0;
        for line in &mut lines {
            live += line.live;
            line.live = live;
        }
        Run { lines }
    }

    /// What runs of that length or more move, of which no two share a load.
    fn served(&self, runs: &[Run<'a>], length: f64) -> f64 {
        let (mut taken, mut left) = (BTreeSet::<u64>::new(), BTreeMap::new());
        let mut served = 0.0;
        for run in runs {
            let Some(lines) = run.of_length(length) else { continue };
            let loads = || lines.iter().flat_map(|line| &line.loads);
            if loads().any(|load| taken.contains(load)) {
                continue;
            }
            taken.extend(loads());
            let times = lines.last().map_or(0.0, |line| line.times);
            for line in lines {
                let left = left.entry(line.source).or_insert_with(|| self.known[&line.source].moved);
                let moved = (times * line.moves as f64).min(*left);
                *left -= moved;
                served += moved;
            }
        }
        served
    }
}

impl<'a> Run<'a> {
    /// As many of its lines as have so much under way, of which those that move the most.
    fn of_length(&self, length: f64) -> Option<&[Line<'a>]> {
        let moved = |lines: &[Line<'a>]| {
            lines.last().map_or(0.0, |line| line.times) * lines.iter().map(|line| line.moves).sum::<usize>() as f64
        };
        let long = (1..=self.lines.len()).filter(|many| self.lines[many - 1].live >= length);
        long.map(|many| &self.lines[..many]).max_by(|a, b| moved(a).total_cmp(&moved(b)))
    }
}

/// Requests of `count` loads that stand in one run, by those of a line's PTX loads, the most first. All of the run are executed
/// equally often, so it is made of as many of these: no more often than the last of so many. An `unrolled` loop has several for
/// one, all of them alike, or begins anew within the run.
fn requests(warps: &[u64], count: usize, unrolled: bool) -> f64 {
    let of = |loads: usize| warps.get(loads.wrapping_sub(1)).map_or(0, |least| least * loads as u64) as f64;
    let all = of(count.min(warps.len()));
    if unrolled { (1..=count).filter(|loads| count.is_multiple_of(*loads)).map(of).fold(all, f64::max) } else { all }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Module;
    use crate::live::cases::{covered, module, ran};
    use std::ops::Range;

    /// A run of loads, each of them once.
    fn run_of<'a>(loads: &[&'a Instruction]) -> Vec<UnderWay<'a>> {
        loads.iter().map(|load| UnderWay { load, adds: 1.0, moves: 1 }).collect()
    }

    /// Loads that ran of runs of so many, each given by its instructions.
    fn longest(module: &Module, lines: &[LineCoverage], runs: &[Range<usize>]) -> usize {
        let kernel = &module.kernels[0];
        let runs = runs.iter().map(|run| run_of(&kernel.instructions[run.clone()].iter().collect::<Vec<_>>()));
        most(&Coverage::new(lines, module), kernel, Measure::Loads, &runs.collect::<Vec<_>>())
    }

    #[test]
    fn a_run_counts_what_ran_and_what_serves_many() {
        let module = module(&[(5, "LDG.E R1, [R2]"), (5, "LDG.E R3, [R2]"), (9, "LDG.E R4, [R2]")]);
        let loads: Vec<&Instruction> = module.kernels[0].instructions.iter().collect();
        let with = |lines: &[LineCoverage], loads: &[&Instruction]| {
            most(&Coverage::new(lines, &module), &module.kernels[0], Measure::Loads, &[run_of(loads)])
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
            most(&Coverage::new(lines, &module), &module.kernels[0], Measure::Bytes, &[run])
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
            most(&Coverage::new(lines, &module), &module.kernels[0], Measure::Loads, &[run_of(&loads)])
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
            most(&Coverage::new(lines, &module), &module.kernels[0], Measure::Loads, &[run_of(&run)])
        };
        assert_eq!(of(&[ran(5, "ld.global.f32", &[1, 1]), ran(9, "ld.global.f32", &[1, 900])]), 1);
        assert_eq!(of(&[ran(5, "ld.global.f32", &[900, 900]), ran(9, "ld.global.f32", &[1, 1])]), 2);
        assert_eq!(of(&[ran(5, "ld.global.f32", &[900, 900]), ran(9, "ld.global.f32", &[1, 900])]), 3);
    }

    /// The loop of an unrolled loop is many runs, each of which serves little; what runs by ones is none of them.
    #[test]
    fn runs_that_follow_each_other_serve_together() {
        let code = module(&[(5, "LDG.E R1, [R2]"); 48]);
        let runs: Vec<Range<usize>> = (0..48).map(|start| start..(start + 6).min(start / 8 * 8 + 8)).collect();
        let often = [ran(5, "ld.global.f32", &[[64; 32].as_slice(), &[0; 16]].concat())];
        assert_eq!(longest(&code, &often, &runs), 6);
        // Six at once are a twelfth of what is loaded, as all others are by twos.
        let twos = (3..24).map(|pair| 2 * pair..2 * pair + 2);
        let lines = [ran(5, "ld.global.f32", &[64; 48])];
        let one: Vec<Range<usize>> = std::iter::once(0..6).chain(twos).collect();
        assert_eq!(longest(&code, &lines, &one), 2);
        // Windows that overlap are one run.
        let windows: Vec<Range<usize>> = (0..6).map(|start| start..start + 6).collect();
        assert_eq!(longest(&code, &lines, &windows), 0);
    }
}
