//! The `time` size run whole, or the largest on the way to it that is not too much: a few of its blocks do not tell what all of them
//! come to together, a sum that no longer fits for one. For a class, and for whoever asks for more.

use super::besides::ELSEWHERE;
use super::sought::Most;
use super::{CaseAt, Trials};
use crate::build::Built;
use crate::{BuildError, Reach, beside};
use execution::backend::{Case, Checked, Program, Thoroughness};
use problem::Sizes;
use simulator::Checks;
use values::Tolerance;
use values::fill::{first_turn, turns};

/// What the runs at the largest size may take together, the oracle's too: some ten seconds on what platforms grade on, half a processor and
/// 768 MB.
const FAR: Most = Most { instructions: 5e7, bytes: 1 << 26 };
/// The same for whoever asks for more: the inputs of 2^26 threads, an element each.
const WHOLE: Most = Most { instructions: 8e8, bytes: (1 << 29) + (1 << 20) };
/// Kinds of inputs at the largest size.
const TURNS: u64 = 4;
/// Steps between the `count` size and the `time` size, each as many times larger.
const RUNGS: i32 = 24;
/// Times the elements of the one before it that a size has at most: what it is taken to cost would be a guess.
const STRIDE: f64 = 32.0;
/// Sizes are whole numbers.
const ROUNDED: f64 = 0.99;

/// What a run came to.
#[derive(Debug, Clone, Copy)]
struct Took {
    elements: f64,
    instructions: f64,
}

impl Took {
    /// Warp instructions at so many elements: a power of them, in proportion at least, by what a smaller size took.
    fn at(self, elements: f64, before: Option<Self>) -> f64 {
        let power =
            |before: Self| (self.instructions / before.instructions).ln() / (self.elements / before.elements).ln();
        let power = before.map(power).filter(|power| power.is_finite()).unwrap_or(1.0).max(1.0);
        self.instructions * (elements / self.elements).powf(power)
    }
}

/// Kinds of inputs that take turns.
fn kinds(program: &Program) -> u64 {
    turns(&program.plan.buffers).min(TURNS)
}

impl Trials<'_> {
    /// A version at the largest size up to the `time` size that is within what it may take, and at some on the way there, from one that was run
    /// whole. The first that is wrong is the last.
    pub(super) fn reached(
        &self,
        built: &Built,
        second: &(Sizes, Checked),
    ) -> Result<Vec<(Sizes, Checked)>, BuildError> {
        let most = match self.reach {
            Reach::Near => return Ok(Vec::new()),
            Reach::Far => FAR,
            Reach::Whole => WHOLE,
        };
        let sizes = (0..=RUNGS).map(|rung| beside::between(self.problem, &self.problem.manifest.time, rung, RUNGS));
        // An instance of a template that nobody compiled is no rung.
        let ladder: Vec<_> = sizes.filter_map(|sizes| Some((self.version(built, &sizes).ok()?, sizes))).collect();
        let elements = |sizes: &Sizes| beside::elements(self.problem, sizes);
        let took = |(sizes, checked): &(Sizes, Checked)| {
            let instructions = checked.counters?.instructions as f64;
            Some(Took { elements: elements(sizes), instructions })
        };
        let oracle = self.oracle(built, &second.0)?;
        let judged = 1.0 + took(second).map_or(0.0, |candidate| oracle / candidate.instructions.max(1.0));
        let next = |now: Took, before: Option<Took>| {
            let is_within = |(program, sizes): &&(Program, Sizes)| {
                let elements = elements(sizes);
                elements > now.elements
                    && now.at(elements, before) * judged * (1.0 + kinds(program) as f64) <= most.instructions
                    && program.plan.bytes() <= most.bytes
            };
            let times = elements(&ladder.iter().rev().find(is_within)?.1) / now.elements;
            let step = times.powf(1.0 / times.log(STRIDE).ceil().max(1.0));
            ladder.iter().filter(is_within).find(|(_, sizes)| elements(sizes) >= now.elements * step * ROUNDED)
        };
        let (mut before, mut now) = (None, took(second));
        let mut found: Vec<(Sizes, Checked)> = Vec::new();
        // Elsewhere only one kind of inputs is watched in grids as large.
        if built.communicates() {
            let program = self.version(built, &second.0)?;
            found.extend(self.over_other_inputs(built, &second.0, &program, Checks::ALL)?);
            if found.iter().any(|(_, checked)| !checked.status.passed() || !checked.findings.is_empty()) {
                return Ok(found);
            }
        }
        while let Some((last, (program, sizes))) = now.and_then(|now| Some((now, next(now, before)?))) {
            let at = CaseAt { sizes, index: ELSEWHERE + 7, thoroughness: Thoroughness::Large, judged: true };
            let Some(run) = self.once(self.case(built, None, at)?, sizes.clone(), Checks::NONE) else { break };
            let right = run.1.status.passed();
            (before, now) = (Some(last), took(&run));
            found.push(run);
            if !right {
                break;
            }
            if now.and_then(|now| next(now, before)).is_none() {
                found.extend(self.over_other_inputs(built, sizes, program, Checks::NONE)?);
            }
        }
        Ok(found)
    }

    /// Warp instructions of the oracle at a size.
    fn oracle(&self, built: &Built, sizes: &Sizes) -> Result<f64, BuildError> {
        let at = CaseAt { sizes, index: ELSEWHERE + 7, thoroughness: Thoroughness::Once, judged: true };
        let case = self.case(built, None, at)?;
        let oracle = case.oracle.iter().cloned().collect();
        let alone = Case { versions: oracle, oracle: None, outputs: Vec::new(), quiet: true, ..case };
        let counters = self.once(alone, sizes.clone(), Checks::NONE).and_then(|(_, checked)| checked.counters);
        Ok(counters.map_or(0.0, |counters| counters.instructions as f64))
    }

    /// Over inputs as stated, of each kind that takes a turn; those of another run, too, where they are watched.
    fn over_other_inputs(
        &self,
        built: &Built,
        sizes: &Sizes,
        program: &Program,
        checks: Checks,
    ) -> Result<Vec<(Sizes, Checked)>, BuildError> {
        let at = CaseAt { sizes, index: ELSEWHERE + 7, thoroughness: Thoroughness::Once, judged: true };
        let usual = self.case(built, None, at)?;
        // What is exact was not on the grid.
        let known = usual.outputs.iter().all(|output| output.tolerance == Tolerance::Exact).then_some(usual.seed);
        let seeds = (0..kinds(program)).map(|turn| first_turn(usual.seed) + turn);
        let cases = seeds.filter(|seed| Some(*seed) != known || checks != Checks::NONE);
        let cases = cases.map(|seed| Case { seed, ..usual.clone() });
        Ok(cases.filter_map(|case| self.once(case, sizes.clone(), checks)).collect())
    }
}
