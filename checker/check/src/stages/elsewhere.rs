//! Goals at a second size, which the seed draws below the `count` size: a kernel that does better only at the size that is
//! counted has not done better.
//!
//! The bounds are not those of the `count` size, where a tail weighs less: it is enough to have come half of the way from what
//! the baseline does at this size to what the goal asks for in proportion.

use crate::build::Built;
use crate::numbers::{self, Known};
use execution::backend::Checked;
use plan::Plan;
use problem::{Condition, Counter, Metric, MetricSource, Problem, Sizes};
use report::{self, Elsewhere, GoalResult, GoalStatus};
use simulator::Counters;

/// What both versions did at that size.
pub struct There<'a> {
    /// The size.
    pub sizes: &'a Sizes,
    /// The baseline and the candidate there.
    pub results: [&'a Checked; 2],
    /// Their code.
    pub built: [&'a Built; 2],
    /// How far bounds are met there.
    pub enough: Enough,
}

/// How much of a goal's bound has to be met at another size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enough {
    /// Half of the way from what the baseline does, as a tail weighs more at a smaller size.
    HalfWay,
    /// All of it, but for a seventh.
    Nearly,
}

/// That seventh.
const NEARLY: f64 = 1.15;

/// What is known of both versions there; `plans` are their launches.
fn known<'a>(there: &'a There<'_>, plans: &'a [Plan; 2]) -> [Known<'a>; 2] {
    std::array::from_fn(|side| Known {
        built: Some(there.built[side]),
        plan: Some(&plans[side]),
        counters: super::numbers::counted(there.built[side], there.results[side]),
        coverage: Some(&there.results[side].coverage),
        ..Known::default()
    })
}

fn plans(problem: &Problem, there: &There<'_>) -> Option<[Plan; 2]> {
    let plan = |built: &Built| built.plan(there.sizes, &problem.io(there.sizes).ok()?).ok();
    Some([plan(there.built[0])?, plan(there.built[1])?])
}

/// Times the bounds on work that hold at the `count` size: what does not shrink with the size weighs more at this one.
const ROOM: f64 = 2.0;

/// The bounds on work that the candidate breaks there, as goals that it does not meet.
pub fn work(problem: &Problem, whose: &str, there: &There<'_>) -> Vec<GoalResult> {
    let Some(plans) = plans(problem, there) else { return Vec::new() };
    let known = known(there, &plans);
    let mut broken = numbers::work(problem, whose, &known[0], &known[1], ROOM);
    for result in &mut broken {
        let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "none".to_owned());
        result.elsewhere = Some(Elsewhere {
            sizes: there.sizes.clone(),
            value: result.value,
            value_text: text(&result.value_text),
            baseline: result.baseline.unwrap_or(0.0),
            baseline_text: text(&result.baseline_text),
        });
    }
    broken
}

/// Goals that are met at the `count` size, and by far not at this one, are not met.
pub fn judge(problem: &Problem, here: &[Known<'_>; 2], there: &There<'_>, goals: &mut [GoalResult]) {
    let Some(plans) = plans(problem, there) else { return };
    let known = known(there, &plans);
    for (goal, result) in problem.manifest.goals.iter().zip(goals) {
        let counted = goal.metric.source() == MetricSource::Counters;
        let code = goal.wants_code() && there.enough == Enough::HalfWay;
        if result.status != GoalStatus::Met || !(counted || code) {
            continue;
        }
        let value = |side: &Known<'_>| match side.executed(goal) {
            Some((ran, _)) => Some(ran),
            None => side.value(&goal.metric),
        };
        let (Some(before), after) = (value(&known[0]), value(&known[1])) else { continue };
        let scale = scale(&goal.metric, here[0].value(&goal.metric), before, [here[0].counters, known[0].counters]);
        let holds = |after: f64| {
            let slack = slack(&goal.metric, known[0].counters);
            let place = SecondBound { scale, before, slack, enough: there.enough, sums: sums(&goal.metric) };
            goal.conditions.iter().all(|condition| place.holds(*condition, after))
        };
        // A quotient of nothing is no number to be proud of.
        if !after.is_some_and(holds) {
            result.status = GoalStatus::NotMet;
            let text = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |value| goal.metric.format(value));
            result.elsewhere = Some(Elsewhere {
                sizes: there.sizes.clone(),
                value: after,
                value_text: text(after),
                baseline: before,
                baseline_text: text(Some(before)),
            });
        }
    }
}

/// By how much an absolute bound shrinks: as the baseline's number does, or else its instructions. Quotients and what stands
/// in the code do not.
fn scale(metric: &Metric, count: Option<f64>, there: f64, counters: [Option<Counters>; 2]) -> f64 {
    match (count, counters) {
        _ if !sums(metric) => 1.0,
        (Some(count), _) if count > 0.0 => there / count,
        (_, [Some(here), Some(there)]) if here.instructions > 0 => there.instructions as f64 / here.instructions as f64,
        _ => 1.0,
    }
}

/// Does a metric grow with the size?
pub fn sums(metric: &Metric) -> bool {
    matches!(metric, Metric::Count(Counter::Field(_) | Counter::Sum(_)))
}

/// What a tail may cost of something that the baseline does nothing of.
fn slack(metric: &Metric, counters: Option<Counters>) -> f64 {
    match (metric, counters) {
        (metric, Some(counters)) if sums(metric) => 0.02 * counters.instructions as f64,
        _ => 0.0,
    }
}

/// What a condition comes to at the second size.
struct SecondBound {
    scale: f64,
    before: f64,
    slack: f64,
    enough: Enough,
    /// Of a number that grows with the size, and of no quotient.
    sums: bool,
}

impl SecondBound {
    /// Has a candidate come half of the way to the bound? Where the baseline is there already it may be a quarter beyond.
    fn holds(&self, condition: Condition, after: f64) -> bool {
        let nearly = self.enough == Enough::Nearly;
        let half_way = |bound: f64| f64::midpoint(bound, self.before);
        let above = |bound: f64| if nearly { half_way(bound).min(NEARLY * bound) } else { half_way(bound) };
        let below = |bound: f64| if nearly { half_way(bound).max(bound / NEARLY) } else { half_way(bound) };
        let at_most = |bound: f64| after <= if self.before <= bound { 1.25 * bound } else { above(bound) } + self.slack;
        let at_least = |bound: f64| after >= if self.before >= bound { 0.8 * bound } else { below(bound) };
        match condition {
            // A grid that does not grow with the size does not come to more.
            Condition::Min(_) | Condition::RatioMin(_) if nearly && self.sums => true,
            Condition::Max(bound) => at_most(self.scale * bound),
            Condition::Min(bound) => at_least(self.scale * bound),
            Condition::Equals(bound) => at_most(self.scale * bound) && at_least(self.scale * bound),
            Condition::RatioMax(factor) => at_most(factor * self.before),
            Condition::RatioMin(factor) => at_least(factor * self.before),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_way_is_enough_and_none_is_not() {
        let place = SecondBound { scale: 0.5, before: 1000.0, slack: 0.0, enough: Enough::HalfWay, sums: true };
        for (condition, enough, too_little) in [
            (Condition::Max(400.0), 600.0, 601.0),
            (Condition::RatioMax(0.1), 550.0, 551.0),
            (Condition::Min(6000.0), 2000.0, 1999.0),
            (Condition::RatioMin(3.0), 2000.0, 1999.0),
            (Condition::RatioMax(1.2), 1500.0, 1501.0),
            (Condition::Min(1000.0), 400.0, 399.0),
        ] {
            assert!(place.holds(condition, enough), "{condition:?}");
            assert!(!place.holds(condition, too_little), "{condition:?}");
        }
        // What the baseline does is never enough for a goal that it does not meet.
        for condition in [Condition::Max(400.0), Condition::RatioMax(0.9), Condition::RatioMin(1.1)] {
            assert!(!place.holds(condition, 1000.0), "{condition:?}");
        }
        // At a larger size there is less room.
        let place = SecondBound { enough: Enough::Nearly, sums: true, ..place };
        assert!(place.holds(Condition::RatioMax(0.6), 690.0) && !place.holds(Condition::RatioMax(0.6), 691.0));
        assert!(place.holds(Condition::RatioMin(3.0), 100.0), "of a grid that does not grow");
        let quotient = SecondBound { sums: false, ..place };
        assert!(quotient.holds(Condition::RatioMin(3.0), 2609.0) && !quotient.holds(Condition::RatioMin(3.0), 2608.0));
        let none = SecondBound { scale: 1.0, before: 0.0, slack: 20.0, enough: Enough::HalfWay, sums: true };
        assert!(none.holds(Condition::Max(0.0), 20.0) && !none.holds(Condition::Max(0.0), 21.0));
    }
}
