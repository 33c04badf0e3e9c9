//! A kernel that meets its counts and is slower than what it started from is no answer. A measurement says so, and where nothing is
//! measured a model, if it is far from wrong.

use super::numbers::{self, Known};
use model::Bound;
use problem::{Condition, Goal, Kind, Metric, Problem};
use report::{GoalResult, Modelled, Provenance, Report, Speedup};

/// Of the speedup that a goal asks for, ...
const PART: f64 = 0.5;
/// ... and where none does: how fast an exercise's answer has to be at the better end of the model's interval. Goals on counts
/// only may be met at the starter's speed, which the model misses by less than that.
const UNASKED: f64 = 0.5;

/// What is measured needs no such room: as much of the starter's speed at the interval's upper end. Answers that only meet counts lie
/// at 0.99 (ex14), 1.00 (ex65) and 1.02 (ex12) on an H200.
const MEASURED: f64 = 0.9;

/// The same where the starter is wrong and not slow: a lock or an atomic has its price, a thread that does the work of all, or that
/// sleeps, is another matter. Answers of the shipped kind lie at 0.58 and more.
const FLAWED: f64 = 0.2;

/// The least modelled speedup. Nothing for what a goal of the problem judges, and for pairs that are no faster.
pub fn floor(problem: &Problem) -> Option<f64> {
    let manifest = &problem.manifest;
    if manifest.flaw.is_some() {
        return (problem.kind == Kind::Exercise).then_some(FLAWED);
    }
    if manifest.goals.iter().any(|goal| goal.metric == Metric::ModelledSpeedup) {
        return None;
    }
    let least = |condition: &Condition| match condition {
        Condition::Min(least) => Some(*least),
        _ => None,
    };
    let speedup = manifest.goals.iter().filter(|goal| goal.metric == Metric::Speedup);
    let asked = speedup.flat_map(|goal| &goal.conditions).find_map(least).filter(|least| *least >= 1.0);
    asked.map(|least| (PART * least).max(1.0)).or_else(|| (problem.kind == Kind::Exercise).then_some(UNASKED))
}

/// The floor of a version of which that is modelled: where its atomics wait for each other `[work]` may leave it more time.
fn floor_of(problem: &Problem, modelled: Option<&Modelled>) -> Option<f64> {
    let usual = floor(problem)?;
    let queues = modelled.is_some_and(|modelled| modelled.versions[1].bound == Bound::Atomics.words());
    Some(problem.manifest.work.queueing.filter(|_| queues).map_or(usual, |times| times.recip().min(usual)))
}

/// That it is modelled as slower, as a goal that is not met; `own_doing`: it cannot be modelled, for what it does.
pub fn broken(problem: &Problem, modelled: Option<&Modelled>, own_doing: bool) -> Option<GoalResult> {
    let floor = floor_of(problem, modelled)?;
    let modelled = modelled.map(|modelled| modelled.high).or_else(|| own_doing.then_some(0.0))?;
    let known = Known { modelled: Some(modelled), ..Known::default() };
    let why = match problem.manifest.flaw {
        Some(_) => "what is right is not many times slower than what it began from",
        None => NO_SLOWER,
    };
    (modelled < floor).then(|| missed((Metric::ModelledSpeedup, floor), why, &known, None)).flatten()
}

/// That it was measured as slower, in an exercise without a goal on the time.
pub fn measured(problem: &Problem, speedup: &Speedup) -> Option<GoalResult> {
    let manifest = &problem.manifest;
    let judged = manifest.goals.iter().any(|goal| goal.metric.source().is_time());
    if judged || manifest.flaw.is_some() || problem.kind != Kind::Exercise || speedup.high >= MEASURED {
        return None;
    }
    let known = Known { speedup: Some(speedup.ratio), ..Known::default() };
    missed((Metric::Speedup, MEASURED), NO_SLOWER, &known, Some(&speedup.provenance))
}

/// What the report of a kernel that has passed says of a speedup that a GPU is asked for and the model does not believe in.
pub fn hardly_enough(problem: &Problem, report: &Report) -> Option<String> {
    let modelled = report.modelled.as_ref()?;
    let asked = problem.manifest.goals.iter().filter(|goal| goal.metric == Metric::Speedup);
    let least = asked.flat_map(|goal| &goal.conditions).find_map(|condition| match condition {
        Condition::Min(least) => Some(*least),
        _ => None,
    })?;
    (modelled.high < least).then(|| {
        format!(
            "where a GPU measures, {} is asked for; modelled is {} at best, so it will probably not pass there",
            Metric::Speedup.format(least),
            Metric::Speedup.format(modelled.high)
        )
    })
}

/// What the report of a right answer says that is slow only because its atomics wait for each other, which is let pass.
pub fn right_and_slow(problem: &Problem, modelled: Option<&Modelled>) -> Option<String> {
    let modelled = modelled.filter(|modelled| floor(problem).is_some_and(|usual| modelled.high < usual))?;
    let [_, after] = &modelled.versions;
    Some(format!(
        "right, but slow: {} to {} the starter's speed as modelled for an H200, bound by {}: {}",
        Metric::ModelledSpeedup.format(modelled.low),
        Metric::ModelledSpeedup.format(modelled.high),
        after.bound,
        after.ask
    ))
}

const NO_SLOWER: &str = "the kernel is no slower than what it began from";

fn missed(
    (metric, least): (Metric, f64),
    why: &str,
    known: &Known<'_>,
    measured: Option<&Provenance>,
) -> Option<GoalResult> {
    let goal = Goal { metric, conditions: vec![Condition::Min(least)], why: why.to_owned() };
    numbers::goals(&[goal], "", None, known, measured).pop()
}

#[cfg(test)]
mod tests {
    use super::measured;
    use problem::{ProblemId, Sizes, Workbook};
    use report::{Pace, Provenance, Speedup};
    use std::path::Path;

    /// Of the workbook as it is shipped.
    fn is_slower(id: &str, ratio: f64, high: f64) -> bool {
        let workbook = Workbook::around(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        let problem = workbook.load(&ProblemId::from(id)).unwrap();
        let provenance = Provenance::Measured { device: "a GPU".into(), driver: "1".into() };
        let (low, sizes) = (ratio - (high - ratio), Sizes::new());
        let speedup = Speedup { ratio, low, high, verdict: Pace::Slower, sizes, samples: 9, provenance };
        measured(&problem, &speedup).is_some()
    }

    #[test]
    fn where_no_goal_is_on_the_time_a_slower_kernel_is_refused() {
        assert!(is_slower("ex12", 0.74, 0.75));
        // Not where the interval leaves it open, as fast as the starter, or faster.
        assert!(!is_slower("ex12", 0.85, 0.95) && !is_slower("ex12", 1.02, 1.03));
        // A goal of its own judges ex01, and ex54's starter is wrong, so that right ones may be slower.
        assert!(!is_slower("ex01", 0.5, 0.6) && !is_slower("ex54", 0.5, 0.6));
        // A pair shows what it shows.
        assert!(!is_slower("half2", 0.5, 0.6));
    }
}
