//! Conditions that come out one way at every size that is run whole, and the other way at one that is not: behind them may
//! lie what was never run whole.
//!
//! One that was met both ways says nothing here, nor does one that differs between threads, if data has a say in it. What is left
//! hangs on the size (`n > 4000000`, `n >> 24`, `min(n, 90000)`), on where a thread is, or on how often it goes round, and a size
//! where it turns may be small enough to be run whole.

use super::chosen::{chosen, ends_first};
use super::known;
use super::opened::open;
use crate::backend::machine::Stop;
use crate::backend::message::job::Program;
use crate::backend::message::status::{Status, Untried};
use crate::backend::sim::Sim;
use plan::{Choice, ChoiceKind};
use simulator::steer::Aim;
use simulator::{Condition, Question};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Warp instructions of a block after which no more is looked at, and of several after which no other is.
const STEPS: u64 = 1 << 15;

/// The same of several blocks at one of many sizes, ...
const FEW_STEPS: u64 = 1 << 12;
/// ... and after which no more sizes are asked: hundredths of a second.
const ASKED_STEPS: u64 = 1 << 17;

/// Sizes that are run whole and looked at first; the others only where something is left.
const FIRST: usize = 2;

/// A line of the kernel file, a place, and what was asked of its result.
type Asked = (u32, Where, Question);

/// What was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Where {
    /// An instruction that ran for this launch line.
    Instruction(u32),
    /// An operation in this column of an expression of the line.
    Column(u32),
}

/// What some blocks met at a size.
#[derive(Default)]
pub struct Met {
    /// What conditions came to.
    conditions: BTreeMap<Asked, Condition>,
    /// Kernels that were launched, with the first launch's line.
    kernels: BTreeMap<String, u32>,
    /// Warp instructions that were run.
    steps: u64,
}

impl Met {
    fn add(&mut self, more: &Self) {
        self.steps += more.steps;
        for (at, condition) in &more.conditions {
            self.note(*at, condition);
        }
        self.kernels.extend(more.kernels.clone());
    }

    /// Notes what an expression came to: no data has a say in it.
    fn choose(&mut self, choice: &Choice) {
        let question = match choice.kind {
            ChoiceKind::NotZero => Question::NotZero,
            ChoiceKind::First => Question::Kept,
        };
        let (at, held, failed) = (choice.column, choice.yes, choice.no);
        let condition =
            Condition { at, question, by_size: true, file: String::new(), line: choice.line, held, failed, number: 0 };
        self.note((choice.line, Where::Column(choice.column), question), &condition);
    }

    /// What there is at another size and not here.
    fn lacks<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (&'a Asked, &'a Condition)> {
        let weighed = other.conditions.iter().filter(|(at, _)| !at.2.is_searched_for());
        weighed.filter(|(at, there)| {
            let here = self.conditions.get(at);
            !here.is_some_and(|here| (here.held || !there.held) && (here.failed || !there.failed))
        })
    }

    /// Is there nothing at another size that is not here?
    fn covers(&self, other: &Self) -> bool {
        self.lacks(other).next().is_none() && other.kernels.keys().all(|name| self.kernels.contains_key(name))
    }

    fn note(&mut self, at: Asked, condition: &Condition) {
        self.conditions.entry(at).and_modify(|known| known.add(condition)).or_insert_with(|| condition.clone());
    }
}

impl Met {
    /// Of what hangs on the size: what operations came to at no size, by launch line.
    pub(super) fn one_way(&self) -> BTreeMap<u32, BTreeSet<(u32, Aim)>> {
        let mut open: BTreeMap<u32, BTreeSet<(u32, Aim)>> = BTreeMap::new();
        for (&(line, place, _), condition) in &self.conditions {
            let Where::Instruction(at) = place else { continue };
            if let Some(aim) = condition.aim().filter(|_| condition.by_size) {
                open.entry(line).or_default().insert((at, aim));
            }
        }
        open
    }
}

/// What blocks of several programs met.
pub(super) fn met_by_all(sim: &Sim, programs: &[Program], seed: u64) -> Result<Met, Stop> {
    let mut all = Met::default();
    for program in programs {
        all.add(&*met(sim, program, seed, FEW_STEPS)?);
    }
    Ok(all)
}

/// Runs some blocks of each launch, whatever they read, until they took so many warp instructions: each as many at most.
fn met(sim: &Sim, program: &Program, seed: u64, enough: u64) -> Result<Rc<Met>, Stop> {
    let (module, config) = (sim.module(program)?, sim.config(program));
    let query = known::Query { module, plan: program.plan.clone(), config, seed, enough };
    sim.modules.met.or(query, || find(sim, program, seed, enough, None))
}

/// The same of launches in some lines only, if any are named.
fn met_in(sim: &Sim, program: &Program, seed: u64, lines: Option<BTreeSet<u32>>) -> Result<Rc<Met>, Stop> {
    match lines {
        Some(lines) => find(sim, program, seed, STEPS, Some(&lines)).map(Rc::new),
        None => met(sim, program, seed, STEPS),
    }
}

/// Runs them.
fn find(sim: &Sim, program: &Program, seed: u64, enough: u64, lines: Option<&BTreeSet<u32>>) -> Result<Met, Stop> {
    let mut opened = open(sim, program, seed)?;
    opened.device.config_mut().conditions = true;
    opened.device.config_mut().limits.steps = enough;
    let mut met = Met::default();
    for choice in &program.plan.choices {
        met.choose(choice);
    }
    for (launch, planned) in program.plan.launches.iter().enumerate() {
        met.kernels.entry(planned.kernel.clone()).or_insert(planned.line);
        if lines.is_some_and(|lines| !lines.contains(&planned.line)) {
            continue;
        }
        let blocks = planned.blocks();
        let mut ran = 0;
        for block in ends_first(&chosen(seed, launch as u64, blocks), blocks) {
            if ran > enough {
                break;
            }
            let report = opened.launch(launch, vec![block]);
            ran += report.as_ref().map_or(0, |report| report.counters.instructions);
            // What blocks that did not run would have written decides nothing.
            let known = !opened.unknown();
            // What data makes of a number is no question of sizes.
            let told = |condition: &Condition| condition.by_size || known && condition.question == Question::True;
            for condition in report.into_iter().flat_map(|report| report.conditions).filter(told) {
                met.note((planned.line, Where::Instruction(condition.at), condition.question), &condition);
            }
        }
        met.steps += ran;
    }
    Ok(met)
}

/// The launch lines of some conditions; `None`: all lines matter, as what a launch does may hang on what others have written.
fn lines<'a>(conditions: impl Iterator<Item = (&'a Asked, &'a Condition)>) -> Option<BTreeSet<u32>> {
    conditions.map(|((line, ..), condition)| condition.by_size.then_some(*line)).collect()
}

/// What came out the other way.
#[derive(Clone)]
struct Turned {
    /// The way that is new.
    condition: Condition,
    /// Some threads alone went it.
    some: bool,
}

impl Turned {
    fn untried(&self) -> Untried {
        let Self { condition, some } = self;
        let (file, line) = (condition.file.clone(), condition.line);
        Untried::Condition { file, line, question: condition.question, holds: condition.held, some: *some }
    }
}

/// What `far` has that none of `near` had.
struct Open {
    conditions: BTreeMap<Asked, Turned>,
    kernels: BTreeMap<String, u32>,
}

impl Open {
    fn between(far: &Met, near: &Met) -> Self {
        let turned = |(at, condition): (&Asked, &Condition)| {
            if at.2.is_searched_for() {
                return None;
            }
            let before = near.conditions.get(at)?;
            let one_way = |condition: &Condition| condition.held != condition.failed;
            let both_ways = condition.by_size && condition.held && condition.failed;
            // A number that is an argument there alone is one by chance.
            if at.2 == Question::Argument && before.failed {
                return None;
            }
            let turns = one_way(before) && (both_ways || one_way(condition) && before.held != condition.held);
            // The way that was met before is no news.
            let condition = Condition { held: !before.held, failed: !before.failed, ..condition.clone() };
            turns.then_some((*at, Turned { condition, some: both_ways }))
        };
        let known: BTreeSet<&String> = near.kernels.keys().collect();
        let new = far.kernels.iter().filter(|(name, _)| !known.contains(name));
        Self {
            conditions: far.conditions.iter().filter_map(turned).collect(),
            kernels: new.map(|(name, line)| (name.clone(), *line)).collect(),
        }
    }

    /// Takes away what is met at another size.
    fn close(&mut self, met: &Met) {
        self.conditions.retain(|at, Turned { condition, .. }| {
            let same = |other: &Condition| if condition.held { other.held } else { other.failed };
            !met.conditions.get(at).is_some_and(same)
        });
        self.kernels.retain(|name, _| !met.kernels.contains_key(name));
    }

    /// See [`lines`].
    fn lines(&self) -> Option<BTreeSet<u32>> {
        lines(self.conditions.iter().map(|(at, turned)| (at, &turned.condition)))
    }

    /// Takes away which of two numbers a launch line took where that launch's threads go another way as well: a grid that is held to so
    /// many blocks is right if they go round once more.
    fn settle_grids(&mut self) {
        let instruction = |at: &Asked| matches!(at.1, Where::Instruction(_));
        let some = self.conditions.iter().filter(|(at, turned)| instruction(at) && turned.some);
        let lines: BTreeSet<u32> = some.map(|(at, _)| at.0).collect();
        let is_settled = |at: &Asked| !instruction(at) && at.2 == Question::Kept && lines.contains(&at.0);
        self.conditions.retain(|at, _| !is_settled(at));
    }

    fn first(&self) -> Option<Untried> {
        if let Some((kernel, line)) = self.kernels.iter().next() {
            return Some(Untried::Kernel { kernel: kernel.clone(), line: *line });
        }
        let order = |turned: &&Turned| {
            let condition = &turned.condition;
            (turned.untried().rank(), condition.question, condition.line == 0, condition.at)
        };
        self.conditions.values().min_by_key(order).map(Turned::untried)
    }
}

/// What is different at a size (`far`) from sizes that are run whole (`near`), and the first size of `ladder` by which all
/// of it was met, or else all that is as grave as the gravest ([`Untried::rank`]). `None`: nothing is, or only what some threads do, and no
/// size of the ladder has that.
///
/// # Errors
/// The PTX cannot be read, or a buffer is larger than anything.
pub fn first_tried(
    sim: &Sim,
    far: &Program,
    near: &[Program],
    ladder: &[Program],
    seed: u64,
) -> Result<Option<Status>, Stop> {
    let far = met(sim, far, seed, STEPS)?;
    let mut known = Met::default();
    let (first, others) = near.split_at(near.len().min(FIRST));
    for program in first {
        known.add(&*met(sim, program, seed, STEPS)?);
    }
    let mut open = Open::between(&far, &known);
    for program in others {
        if open.first().is_none() {
            break;
        }
        open.close(&*met_in(sim, program, seed, open.lines())?);
    }
    open.settle_grids();
    let Some(what) = open.first() else { return Ok(None) };
    // By which all was met that is as grave as the gravest.
    let mut certain = None;
    for (at, program) in ladder.iter().enumerate() {
        open.close(&*met_in(sim, program, seed, open.lines())?);
        match open.first() {
            None => return Ok(Some(Status::Untried { what, from: Some(at), shown: false })),
            Some(left) if left.rank() > what.rank() => certain = certain.or(Some(at)),
            Some(_) => {}
        }
    }
    match open.first() {
        // A loop that goes round once more, perhaps: nothing says that it is wrong.
        Some(left) if left.is_for_some() && !ladder.is_empty() => {
            Ok(certain.map(|at| Status::Untried { what, from: Some(at), shown: false }))
        }
        left => Ok(Some(Status::Untried { what: left.unwrap_or(what), from: None, shown: false })),
    }
}

/// What is done at each of some sizes (`asked`) that is done at none before, nor at those of which more is known. They are asked as far as
/// there is time, and of the known as many as it takes until nothing is new.
///
/// # Errors
/// As [`first_tried`].
pub fn news(sim: &Sim, known: &[Program], asked: &[Program], seed: u64) -> Result<Vec<Option<Status>>, Stop> {
    let (mut here, mut steps) = (Vec::new(), 0);
    for program in asked {
        if steps > ASKED_STEPS {
            break;
        }
        let met = met(sim, program, seed, FEW_STEPS)?;
        steps += met.steps;
        here.push(met);
    }
    // Who covers what they have together covers each.
    let mut together = Met::default();
    here.iter().for_each(|met| together.add(met));
    let mut before = Met::default();
    for program in known {
        if before.covers(&together) {
            break;
        }
        let lines = lines(before.lacks(&together));
        before.add(&*met_in(sim, program, seed, lines)?);
    }
    let mut all = Vec::new();
    for here in here {
        let what = Open::between(&here, &before).first();
        all.push(what.map(|what| Status::Untried { what, from: None, shown: false }));
        before.add(&here);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_size(conditions: &[(u32, bool, bool)], kernels: &[&str]) -> Met {
        let mut met = Met::default();
        for &(at, held, failed) in conditions {
            let question = Question::True;
            // What is odd is data.
            let by_size = at % 2 == 0;
            let condition = Condition { at, question, by_size, file: "k.cu".into(), line: at, held, failed, number: 0 };
            met.note((9, Where::Instruction(at), question), &condition);
        }
        met.kernels = kernels.iter().map(|name| ((*name).to_owned(), 9)).collect();
        met
    }

    #[test]
    fn only_what_turns_for_all_threads_counts() {
        let near = [(1, false, true), (3, false, true), (4, true, true), (5, true, false)];
        let far = [(1, true, false), (3, true, true), (4, true, false), (5, true, false), (6, true, false)];
        let mut open = Open::between(&at_size(&far, &["k"]), &at_size(&near, &["k"]));
        assert_eq!(open.conditions.keys().copied().collect::<Vec<_>>(), [(9, Where::Instruction(1), Question::True)]);
        let first = |line| {
            let question = Question::True;
            Some(Untried::Condition { file: "k.cu".into(), line, question, holds: true, some: false })
        };
        assert_eq!(open.first(), first(1));
        open.close(&at_size(&[(1, false, true)], &["k"]));
        assert!(open.first().is_some(), "it did not turn there");
        open.close(&at_size(&[(1, true, true)], &["k"]));
        assert_eq!(open.first(), None);
    }

    #[test]
    fn without_data_both_ways_are_a_turn() {
        let mut open = Open::between(
            &at_size(&[(2, true, true), (3, true, true)], &["k"]),
            &at_size(&[(2, false, true), (3, false, true)], &["k"]),
        );
        assert_eq!(open.conditions.keys().map(|(_, at, _)| *at).collect::<Vec<_>>(), [Where::Instruction(2)]);
        assert!(matches!(open.first(), Some(Untried::Condition { some: true, .. })));
        open.close(&at_size(&[(2, false, true)], &["k"]));
        assert!(open.first().is_some(), "one way was known before");
        open.close(&at_size(&[(2, true, false)], &["k"]));
        assert_eq!(open.first(), None);
    }

    #[test]
    fn what_may_move_a_blocks_work_comes_before_another_round_of_a_loop() {
        let met = |round: bool, kept: bool| {
            let mut met = at_size(&[(2, true, round)], &["k"]);
            let question = Question::Kept;
            let (at, line) = (4, 4);
            let condition = Condition {
                at,
                question,
                by_size: true,
                file: "k.cu".into(),
                line,
                held: true,
                failed: !kept,
                number: 0,
            };
            met.note((9, Where::Instruction(at), question), &condition);
            met
        };
        let mut open = Open::between(&met(true, false), &met(false, true));
        let first = open.first().expect("both");
        assert!(matches!(first, Untried::Condition { line: 4, some: true, .. }) && first.may_move(), "{first:?}");
        open.close(&met(false, false));
        let left = open.first().expect("another round");
        assert!(left.rank() > first.rank() && !left.may_move(), "{left:?}");
    }

    #[test]
    fn a_grid_that_is_held_to_some_blocks_needs_a_loop() {
        let choice = |yes, no| Choice { line: 9, column: 3, kind: ChoiceKind::First, yes, no };
        let at = |conditions: &[(u32, bool, bool)], choice: Choice| {
            let mut met = at_size(conditions, &["k"]);
            met.choose(&choice);
            met
        };
        let first = |far: &[(u32, bool, bool)]| {
            let near = at(&[(2, false, true)], choice(true, false));
            let mut open = Open::between(&at(far, choice(false, true)), &near);
            open.settle_grids();
            open.first()
        };
        assert!(matches!(first(&[(2, false, true)]), Some(Untried::Condition { some: false, .. })));
        assert!(
            matches!(first(&[(2, true, true)]), Some(Untried::Condition { some: true, .. })),
            "some go round again"
        );
    }

    #[test]
    fn a_size_covers_what_it_has_both_ways() {
        let here = at_size(&[(2, true, true), (3, false, true)], &["k"]);
        let covers = |conditions: &[(u32, bool, bool)], kernels: &[&str]| here.covers(&at_size(conditions, kernels));
        assert!(covers(&[(2, true, false), (3, false, true)], &["k"]) && covers(&[], &[]));
        assert!(
            !covers(&[(3, true, true)], &["k"]) && !covers(&[(4, true, false)], &["k"]),
            "the other way, or nowhere"
        );
        assert!(!covers(&[(2, true, true)], &["k", "large"]));
    }

    #[test]
    fn a_kernel_that_is_launched_there_only_is_new() {
        let mut open = Open::between(&at_size(&[], &["k", "large"]), &at_size(&[], &["k"]));
        assert_eq!(open.first(), Some(Untried::Kernel { kernel: "large".into(), line: 9 }));
        open.close(&at_size(&[], &["large"]));
        assert_eq!(open.first(), None);
    }
}
