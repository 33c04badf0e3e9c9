//! A version whose launch lines ask how many multiprocessors there are, with few of them. As many blocks as fill a large device have
//! little to do each at any size that can be run whole; with few of them a block has as much to do as at the `time` size, and a counter
//! that overflows there overflows here.

use super::Trials;
use super::besides::ELSEWHERE;
use super::sought::Rung;
use crate::build::Built;
use crate::{BuildError, beside};
use execution::backend::{Checked, Program};
use plan::{Fill, Plan};
use problem::Sizes;
use simulator::Checks;
use values::fill::first_turn;

/// Sizes that are asked about with few multiprocessors.
const RUNGS: i32 = 8;

impl Trials<'_> {
    /// A version at a size of a million elements, once, where blocks have as much to do as at the `time` size. Nothing where its
    /// launches do not ask.
    pub(super) fn few(&self, built: &Built, sizes: &Sizes) -> Result<Option<(Sizes, Checked)>, BuildError> {
        let Some(program) = self.on_few(built, sizes) else { return Ok(None) };
        let mut case = self.whole_case(built, sizes, ELSEWHERE + 4)?;
        case.seed = most_alike(&program.plan, case.seed);
        case.versions = vec![program];
        Ok(self.once(case, sizes.clone(), Checks::NONE))
    }

    /// The first of the cases that has a million elements.
    pub(super) fn large_case(&self) -> Option<Sizes> {
        self.problem.cases().into_iter().find(|sizes| beside::is_large(self.problem, sizes))
    }

    /// The version at sizes from the `count` size to a million elements, or a case that has more, so.
    pub(super) fn few_rungs(&self, built: &Built) -> Vec<Rung> {
        let Some(far) = beside::large(self.problem, self.seed).or_else(|| self.large_case()) else { return Vec::new() };
        let rungs = (0..=RUNGS).map(|rung| beside::between(self.problem, &far, rung, RUNGS));
        rungs.filter_map(|sizes| self.on_few(built, &sizes).map(|program| Rung { sizes, program, few: true })).collect()
    }

    /// The version at a size, with so many multiprocessors that each has as many of the elements as at the `time` size. `None`: it
    /// would be launched alike.
    fn on_few(&self, built: &Built, sizes: &Sizes) -> Option<Program> {
        let [here, there] = [sizes, &self.problem.manifest.time].map(|sizes| beside::elements(self.problem, sizes));
        let sms = (built.device.sms as f64 * here / there) as i64;
        let io = self.problem.io(sizes).ok()?;
        let few = built.plan_for(sms.max(1), sizes, &io).ok()?;
        let all = built.plan(sizes, &io).ok()?;
        let grids = |plan: &Plan| plan.launches.iter().map(|launch| launch.grid).collect::<Vec<_>>();
        (grids(&few) != grids(&all)).then(|| built.program(few, None))
    }
}

/// The seed that gives an input of fills that take turns the one whose elements are most alike.
fn most_alike(plan: &Plan, seed: u64) -> u64 {
    let turns = plan.buffers.iter().filter_map(|buffer| match &buffer.fill {
        Some(Fill::OneOf(fills)) => Some(fills),
        _ => None,
    });
    let few = turns.flat_map(|fills| fills.iter().enumerate()).filter_map(|(turn, fill)| match fill {
        Fill::Few { count, .. } => Some((*count, turn)),
        _ => None,
    });
    few.min().map_or(seed, |(_, turn)| first_turn(seed) + turn as u64)
}
