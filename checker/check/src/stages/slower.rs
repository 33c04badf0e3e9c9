//! A kernel that meets its counts and is slower than what it started from is no answer. Where nothing is measured, a model says so,
//! if it is far from wrong.

use super::numbers::{self, Known};
use problem::{Condition, Goal, Kind, Metric, Problem};
use report::GoalResult;

/// Of the speedup that a goal asks for, ...
const PART: f64 = 0.5;
/// ... and where none does: how fast an exercise's answer has to be at the better end of the model's interval. Goals on counts
/// only may be met at the starter's speed, which the model misses by less than that.
const UNASKED: f64 = 0.5;

/// The least modelled speedup. Nothing for what a goal of the problem judges, for starters that are wrong and not slow, and for
/// pairs that are no faster.
pub fn floor(problem: &Problem) -> Option<f64> {
    let manifest = &problem.manifest;
    if manifest.flaw.is_some() || manifest.goals.iter().any(|goal| goal.metric == Metric::ModelledSpeedup) {
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

/// That it is slower, as a goal that is not met; `modelled`: as much faster at best.
pub fn broken(problem: &Problem, modelled: Option<f64>) -> Option<GoalResult> {
    let (floor, modelled) = (floor(problem)?, modelled?);
    if modelled >= floor {
        return None;
    }
    let goal = Goal {
        metric: Metric::ModelledSpeedup,
        conditions: vec![Condition::Min(floor)],
        why: "the kernel is no slower than what it began from".to_owned(),
    };
    let known = Known { modelled: Some(modelled), ..Known::default() };
    numbers::goals(&[goal], "", None, &known, None).pop()
}
