//! Goals at a second size, which the seed draws below the `count` size: a kernel that does better only at the size that is
//! counted has not done better.
//!
//! The bounds are not those of the `count` size, where a tail weighs less: it is enough to have come half of the way from what
//! the baseline does at this size to what the goal asks for in proportion.

use crate::build::Built;
use crate::numbers::{self, Known};
use execution::backend::Checked;
use plan::Plan;
use plan::stream::Stream;
use problem::{Condition, Counter, Drawn, Metric, MetricSource, Problem, Sizes};
use report::{self, Elsewhere, GoalResult, GoalStatus};
use simulator::Counters;

/// The size: each of the `count` size's that may vary lies between its half and itself, divisible by what it is divisible
/// by, as far as that leaves a choice: whoever takes four at a time may do so here. Nothing for a problem whose sizes are
/// not drawn.
pub fn sizes(problem: &Problem, seed: u64) -> Option<Sizes> {
    let manifest = &problem.manifest;
    let draw = |(name, &count): (&String, &i64)| {
        if !varies(problem, name) {
            return Some((name.clone(), count));
        }
        let least = manifest.drawn.iter().filter_map(|row| row.get(name)).map(|(low, _)| *low).min()?;
        let (low, high) = (least.max(count / 2), count - 1);
        let step = step(count);
        let (first, last) = ((low + step - 1).div_euclid(step), high.div_euclid(step));
        let drawn = (first <= last).then(|| step * Stream::new(seed, name).integer(u64::MAX, first, last));
        Some((name.clone(), drawn.unwrap_or(count)))
    };
    let drawn: Sizes = manifest.count.iter().map(draw).collect::<Option<_>>()?;
    (drawn != manifest.count).then_some(drawn)
}

/// Elements of a size that is too large for kernels to have been tried at by those who wrote them, and for checks.
const LARGE: f64 = 1.05e6;

/// Is a size drawn?
fn varies(problem: &Problem, name: &str) -> bool {
    problem.manifest.drawn.iter().any(|row| row.get(name).is_some_and(|(low, high)| low < high))
}

/// Elements of the largest input or output, and at least the product of the sizes that are drawn.
pub fn elements(problem: &Problem, sizes: &Sizes) -> f64 {
    let drawn: f64 = sizes.iter().filter(|(name, _)| varies(problem, name)).map(|(_, &size)| size as f64).product();
    let buffers = problem.io(sizes).unwrap_or_default();
    buffers.iter().map(|buffer| buffer.len as f64).fold(drawn, f64::max)
}

/// Are these so many elements that kinds of inputs are left to smaller sizes?
pub fn is_large(problem: &Problem, sizes: &Sizes) -> bool {
    elements(problem, sizes) >= LARGE
}

/// A size beyond a million elements, or the `time` size if that is not much larger, run whole and unwatched: what goes wrong
/// there is not found at the small ones, nor at the few blocks of the `time` size. Nothing where a case is as large.
pub fn large(problem: &Problem, seed: u64) -> Option<Sizes> {
    let manifest = &problem.manifest;
    if problem.cases().iter().any(|sizes| is_large(problem, sizes)) {
        return None;
    }
    let (count, time) = (elements(problem, &manifest.count), elements(problem, &manifest.time));
    let names = manifest.count.keys().filter(|name| varies(problem, name)).count();
    if names == 0 || count >= LARGE {
        return None;
    }
    if time <= 2.0 * LARGE {
        let largest = problem.cases().iter().map(|sizes| elements(problem, sizes)).fold(count, f64::max);
        return (time >= 1.5 * largest).then(|| ragged(problem, seed));
    }
    let times = (LARGE / count).powf(1.0 / names as f64);
    let draw = |(name, &count): (&String, &i64)| {
        if !varies(problem, name) {
            return (name.clone(), count);
        }
        let least = (count as f64 * times) as i64;
        let drawn = Stream::new(seed, name).integer(u64::MAX - 1, least, least + least / 16);
        // One off a multiple of what blocks may have: there tails begin and end.
        let block = 1 << (least / 16).clamp(2, 256).ilog2();
        (name.clone(), drawn / block * block + beside(seed))
    };
    Some(manifest.count.iter().map(draw).collect())
}

/// So many small sizes that follow each other, of a row of drawn ones, in an order that the seed draws: each size that may vary has
/// every remainder that they are enough for. The least is at most `small`.
pub fn remainders(problem: &Problem, seed: u64, count: i64, small: i64) -> Vec<Sizes> {
    let stream = |name: &str| Stream::new(seed, &format!("remainders of {name}"));
    let wide = |row: &&Drawn| row.values().any(|(low, high)| high - low > count);
    let all = &problem.manifest.drawn;
    let mut rows: Vec<_> = all.iter().filter(wide).collect();
    if rows.is_empty() {
        rows.extend(all);
    }
    let Some(last) = rows.len().checked_sub(1) else { return Vec::new() };
    let row = rows[stream("").integer(0, 0, last as i64) as usize];
    let sizes = |at: i64| {
        let one = |(name, &(low, high)): (&String, &(i64, i64))| {
            let stream = stream(name);
            let most = (high - count).min(small).max(low) as f64;
            // As often between 8 and 16 as between 1024 and 2048: large ones take longer to ask.
            let first = (low as f64 * (most / low as f64).powf(stream.unit(0))) as i64;
            let range = (high - first + 1).clamp(1, count);
            // An odd step meets all of a power of two, in another order for every name.
            let step = if range == count { 2 * stream.integer(1, 0, count / 2) + 1 } else { 1 };
            (name.clone(), first + (stream.integer(2, 0, count) + at * step) % range)
        };
        row.iter().map(one).collect()
    };
    (0..count).map(sizes).collect()
}

/// A size between the largest that are drawn and another one: drawn in one of so many steps, each as many times larger.
pub fn on_the_way(problem: &Problem, seed: u64, far: &Sizes, step: u64, steps: u64) -> Sizes {
    let part = (step as f64 + Stream::new(seed, "on the way").unit(step)) / steps as f64;
    let one = |(name, &count): (&String, &i64)| {
        if !varies(problem, name) {
            return (name.clone(), count);
        }
        let drawn = problem.manifest.drawn.iter().filter_map(|row| row.get(name)).map(|(_, high)| *high);
        let first = drawn.fold(1, i64::max) as f64;
        let far = far.get(name).copied().unwrap_or(count) as f64;
        (name.clone(), (first * (far / first).powf(part)) as i64)
    };
    problem.manifest.count.iter().map(one).collect()
}

/// All sizes at which more than the cases is tried for sure: a template's argument may depend on them.
pub fn all(problem: &Problem) -> Vec<Sizes> {
    let Some(seed) = problem.drawn_by().filter(|_| problem.sweep().is_none()) else { return Vec::new() };
    [sizes(problem, seed), large(problem, seed), Some(ragged(problem, seed))].into_iter().flatten().collect()
}

/// Sizes between have the remainder of the far one by two to this power...
const TAIL: u32 = 12;
/// ... where the `count` size is so many times as large at least, else by a smaller one.
const TAILS: i64 = 4;

/// A size on the way from the `count` size to another one, `rung` of `rungs` steps, each as many times larger: where sizes are
/// drawn with the other's tail, so that what is done about that is met at the first of them; else divisible by the power of two that
/// divides both.
pub fn between(problem: &Problem, far: &Sizes, rung: i32, rungs: i32) -> Sizes {
    let part = f64::from(rung) / f64::from(rungs);
    let one = |(name, &count): (&String, &i64)| {
        let far = far.get(name).copied().unwrap_or(count);
        if far == count {
            return (name.clone(), count);
        }
        let size = (count as f64 * (far as f64 / count as f64).powf(part)) as i64;
        if varies(problem, name) {
            let step = 1 << (count / TAILS).max(1).ilog2().min(TAIL);
            let (whole, tail) = (size / step * step, far % step);
            return (name.clone(), if whole + tail > 0 { whole + tail } else { step });
        }
        let step = 1 << (count | far).trailing_zeros();
        (name.clone(), (size / step * step).max(step))
    };
    problem.manifest.count.iter().map(one).collect()
}

/// The `time` size, less a little that the seed draws, so that it has a tail: what is done about the last few elements of a
/// round number nobody sees.
pub fn ragged(problem: &Problem, seed: u64) -> Sizes {
    let manifest = &problem.manifest;
    let draw = |(name, &time): (&String, &i64)| {
        let draw = |at: u64, most: i64| Stream::new(seed, name).integer(u64::MAX - at, 0, most);
        let odd = 2 * draw(2, 127) + 1 - time % 2;
        // Every second time on the other side of a multiple of 256 than `large` is.
        let near = (time % 256 + beside(seed)).rem_euclid(256);
        let less = if draw(3, 1) == 1 { near } else { odd };
        (name.clone(), if varies(problem, name) && time > 512 { time - less } else { time })
    };
    manifest.time.iter().map(draw).collect()
}

/// One before or one behind, as the seed draws.
fn beside(seed: u64) -> i64 {
    2 * Stream::new(seed, "beside").integer(0, 0, 1) - 1
}

/// A power of two that divides the size, and fits into it eight times.
fn step(count: i64) -> i64 {
    const LARGEST: u32 = 10;
    let most = (count / 8).max(1).ilog2().min(LARGEST);
    1 << count.trailing_zeros().min(most)
}

/// What both versions did at that size.
pub struct There<'a> {
    /// The size.
    pub sizes: &'a Sizes,
    /// The baseline and the candidate there.
    pub results: [&'a Checked; 2],
    /// Their code.
    pub built: [&'a Built; 2],
}

/// What is known of both versions there; `plans` are their launches.
fn known<'a>(there: &'a There<'_>, plans: &'a [Plan; 2]) -> [Known<'a>; 2] {
    std::array::from_fn(|side| Known {
        built: Some(there.built[side]),
        plan: Some(&plans[side]),
        counters: there.results[side].counters,
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
        if result.status != GoalStatus::Met || !(counted || goal.wants_code()) {
            continue;
        }
        let value = |side: &Known<'_>| match side.executed(goal) {
            Some((ran, _)) => Some(ran),
            None => side.value(&goal.metric),
        };
        let (Some(before), after) = (value(&known[0]), value(&known[1])) else { continue };
        let scale = scale(&goal.metric, here[0].value(&goal.metric), before, [here[0].counters, known[0].counters]);
        let holds = |after: f64| {
            let place = SecondBound { scale, before, slack: slack(&goal.metric, known[0].counters) };
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
    match metric {
        Metric::Count(Counter::Field(_) | Counter::Sum(_)) => match (count, counters) {
            (Some(count), _) if count > 0.0 => there / count,
            (_, [Some(here), Some(there)]) if here.instructions > 0 => {
                there.instructions as f64 / here.instructions as f64
            }
            _ => 1.0,
        },
        _ => 1.0,
    }
}

/// What a tail may cost of something that the baseline does nothing of.
fn slack(metric: &Metric, counters: Option<Counters>) -> f64 {
    match (metric, counters) {
        (Metric::Count(Counter::Field(_) | Counter::Sum(_)), Some(counters)) => 0.02 * counters.instructions as f64,
        _ => 0.0,
    }
}

/// What a condition comes to at the second size.
struct SecondBound {
    scale: f64,
    before: f64,
    slack: f64,
}

impl SecondBound {
    /// Has a candidate come half of the way to the bound? Where the baseline is there already it may be a quarter beyond.
    fn holds(&self, condition: Condition, after: f64) -> bool {
        let half_way = |bound: f64| f64::midpoint(bound, self.before);
        let at_most =
            |bound: f64| after <= if self.before <= bound { 1.25 * bound } else { half_way(bound) } + self.slack;
        let at_least = |bound: f64| after >= if self.before >= bound { 0.8 * bound } else { half_way(bound) };
        match condition {
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
        let place = SecondBound { scale: 0.5, before: 1000.0, slack: 0.0 };
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
        let none = SecondBound { scale: 1.0, before: 0.0, slack: 20.0 };
        assert!(none.holds(Condition::Max(0.0), 20.0) && !none.holds(Condition::Max(0.0), 21.0));
    }

    #[test]
    fn steps_divide_and_leave_a_choice() {
        for (count, wanted) in [(65536, 1024), (512, 64), (96, 8), (33, 1), (1, 1), (1000, 8)] {
            assert_eq!(step(count), wanted, "{count}");
            assert_eq!(count % wanted, 0);
        }
    }
}
