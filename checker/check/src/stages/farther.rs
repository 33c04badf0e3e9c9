//! Whether a version does at larger sizes what it does at the one that is counted. One that has a better way for that one alone, and
//! the starter's for all others, has not got better; the size at which it is timed is among the others.

use super::elsewhere::sums;
use super::verify::Results;
use crate::beside;
use problem::{Better, Metric, MetricSource, Problem, Sizes};
use simulator::Counters;

/// As much worse, per element, than at the `count` size it may be without being looked at: half of the way back to the baseline, if that is
/// less than the second and more than the first.
const WORSE: (f64, f64) = (1.05, 1.3);
/// Warp instructions that the baseline may take there, about: some seconds, for one that is under suspicion.
const MOST: f64 = 1e8;
/// Part of the instructions at the `count` size that anything may come to of which nothing was counted there.
const SLACK: f64 = 0.02;

/// Sizes larger than the `count` size, and as divisible, near some that were run whole, if the candidate seems to do worse there at what goals
/// count: the smallest and the largest.
pub fn sizes(problem: &Problem, [baseline, candidate]: [&Results; 2]) -> Vec<Sizes> {
    let counted = |results: &Results| results.count.as_ref()?.counters;
    let mut runs = candidate.cases.iter().chain(candidate.besides.iter());
    // No goal is judged of what is wrong.
    let right = runs.all(|(_, checked)| checked.status.passed());
    let (true, Some(before), Some(here)) = (right, counted(baseline), counted(candidate)) else { return Vec::new() };
    let count = beside::elements(problem, &problem.manifest.count);
    let besides = &candidate.besides;
    let whole = besides.sought.iter().chain(&besides.reached).chain(&besides.large).chain(&besides.asked);
    let mut whole: Vec<_> = whole.collect();
    whole.sort_by_cached_key(|(sizes, _)| beside::elements(problem, sizes) as u64);
    let larger = whole.into_iter().filter_map(|(sizes, checked)| {
        let times = beside::elements(problem, sizes) / count;
        let there = checked.counters.filter(|_| checked.status.passed() && times > 1.0)?;
        let affordable = before.instructions as f64 * times <= MOST;
        (affordable && is_worse(problem, (&before, &here, &there), times)).then(|| beside::divisible(problem, sizes))
    });
    match &larger.collect::<Vec<Sizes>>()[..] {
        [first, .., last] if first != last => vec![first.clone(), last.clone()],
        [first, ..] => vec![first.clone()],
        [] => Vec::new(),
    }
}

/// Does it come to more, or to less, of what a goal counts than so many times as many elements account for?
fn is_worse(problem: &Problem, (baseline, here, there): (&Counters, &Counters, &Counters), times: f64) -> bool {
    let slack = SLACK * here.instructions as f64;
    problem.manifest.goals.iter().filter(|goal| goal.metric.source() == MetricSource::Counters).any(|goal| {
        let Metric::Count(counter) = &goal.metric else { return false };
        let sums = sums(&goal.metric);
        let (times, slack) = if sums { (times, slack) } else { (1.0, 0.0) };
        let (Some(before), Some(after)) = (counter.of(here), counter.of(there)) else { return true };
        let half_way = counter.of(baseline).map_or(before, |baseline| f64::midpoint(baseline, before));
        let after = after / times;
        let (least, most) = WORSE;
        let more = || after > half_way.clamp(least * before, most * before) + slack;
        let less = || after < half_way.clamp(before / most, before / least);
        goal.conditions.iter().any(|condition| match condition.better() {
            Better::Less => more(),
            // A grid that does not grow, and goes round once more, has as many warps and exchanges as before.
            Better::More => !sums && less(),
            Better::Neither => more() || !sums && less(),
        })
    })
}
