//! From a report to points, by a scheme. Points are whole hundredths: sums are exact, and the same everywhere.

use crate::rubric::Scheme;
use problem::Problem;
use report::{GoalStatus, Report, StageName, StageStatus, Verdict};
use serde::{Deserialize, Serialize};
use simulator::Severity;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Sub};

/// Hundredths of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(from = "f64", into = "f64")]
pub struct Points(pub i64);

impl From<f64> for Points {
    fn from(points: f64) -> Self {
        Self((points * 100.0).round() as i64)
    }
}

impl From<Points> for f64 {
    fn from(points: Points) -> Self {
        points.0 as f64 / 100.0
    }
}

impl fmt::Display for Points {
    /// "4", "3.5", "1.33".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&f64::from(*self).to_string())
    }
}

impl Add for Points {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Points {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self(0), Add::add)
    }
}

impl Points {
    /// So many thousandths of it, rounded to the nearest hundredth, halves up.
    pub fn thousandths(self, part: i64) -> Self {
        Self((self.0 * part + 500).div_euclid(1000))
    }

    /// Shared out among `count`, the first ones getting what is left over.
    pub fn shared(self, count: usize) -> Vec<Self> {
        let count = i64::try_from(count).unwrap_or(i64::MAX).max(1);
        (0..count).map(|index| Self(self.0 / count + i64::from(index < self.0 % count))).collect()
    }
}

/// What points are given for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "part")]
pub enum Part {
    /// Right at every size.
    Results,
    /// Nothing caught.
    Findings,
    /// A goal of the problem.
    Goal {
        /// Its metric.
        metric: String,
    },
    /// Measured time.
    Speed {
        /// The ratio that the interval's lower end has to reach.
        at_least: f64,
    },
}

impl Part {
    /// A short name, of letters that every format takes: "results", "sass.instructions", "speed 1.5".
    pub fn name(&self) -> String {
        match self {
            Self::Results => "results".to_owned(),
            Self::Findings => "findings".to_owned(),
            Self::Goal { metric } => metric.clone(),
            Self::Speed { at_least } => format!("speed {at_least}"),
        }
    }
}

/// How an item came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Came {
    /// The points are earned.
    Earned,
    /// They are not.
    Missed,
    /// It holds, and counts only together with something that does not.
    Withheld,
    /// This tier cannot tell: a time without a GPU.
    NotJudged,
}

/// One line of a grade.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// For what.
    #[serde(flatten)]
    pub part: Part,
    /// In words: "registers: at most 32".
    pub text: String,
    /// Points earned.
    pub points: Points,
    /// Points possible.
    pub of: Points,
    /// How it came out.
    pub came: Came,
    /// Why.
    pub why: String,
}

/// The points of a submission.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// What they are made of.
    pub items: Vec<Item>,
    /// Possible.
    pub of: Points,
    /// Earned, before what is taken off.
    pub earned: Points,
    /// Taken off for coming late, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<Deduction>,
    /// What counts.
    pub total: Points,
}

/// Points that are taken off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deduction {
    /// How many.
    pub points: Points,
    /// Why.
    pub why: String,
}

impl Tally {
    /// Of somebody who handed in nothing that could be checked.
    pub fn nothing(scheme: &Scheme, why: &str) -> Self {
        let goals =
            scheme.goals.iter().map(|(metric, of)| (Part::Goal { metric: metric.clone() }, metric.as_str(), *of));
        let speed = scheme.speed.last().map(|(at_least, of)| (Part::Speed { at_least: *at_least }, "time", *of));
        let own = [
            (Part::Results, "right at every size", scheme.results),
            (Part::Findings, "nothing caught", scheme.findings),
        ];
        let items: Vec<Item> = own
            .into_iter()
            .chain(goals)
            .chain(speed)
            .filter(|(.., of)| *of > Points(0))
            .map(|(part, text, of)| item(part, text, of, false, "", why))
            .collect();
        let of = items.iter().map(|item| item.of).sum();
        Self { items, of, earned: Points(0), late: None, total: Points(0) }
    }
}

/// What a report says, as far as points go.
struct Standing<'a> {
    report: &'a Report,
    right: bool,
    clean: bool,
    why: String,
}

impl<'a> Standing<'a> {
    fn of(report: &'a Report) -> Self {
        // On a simulator and a GPU a stage comes twice.
        let all = |name, wanted| {
            let mut stages = report.stages.iter().filter(|stage| stage.name == name).peekable();
            stages.peek().is_some() && stages.all(|stage| stage.status == wanted)
        };
        let passed = |name| all(name, StageStatus::Passed);
        // What stopped nothing and changed no result: the results were right all the same.
        let beside = |verdict: Verdict| {
            let of = |severity| {
                move |caught: &&report::Caught| {
                    caught.finding.severity == severity && Verdict::of(&caught.finding) == Some(verdict)
                }
            };
            report.findings.iter().any(|caught| of(Severity::Error)(&caught))
                && !report.findings.iter().any(|caught| of(Severity::Fault)(&caught))
        };
        let only_findings = all(StageName::Findings, StageStatus::Failed)
            && !report.stages.iter().any(|stage| stage.name == StageName::Results)
            && !report.reasons.is_empty()
            && report.reasons.iter().all(|reason| beside(reason.verdict));
        let why = match report.reasons.first() {
            Some(reason) => format!("{}: {}", reason.verdict.label(), reason.text),
            None => report.verdict.label().to_owned(),
        };
        let broken = report.verdict == Verdict::Impossible;
        Self {
            right: !broken && (passed(StageName::Results) || only_findings),
            clean: !broken && passed(StageName::Results) && passed(StageName::Findings),
            why,
            report,
        }
    }
}

/// The points of a report.
pub fn tally(scheme: &Scheme, problem: &Problem, report: &Report) -> Tally {
    let standing = Standing::of(report);
    let mut items = vec![
        results(scheme, &standing),
        item(Part::Findings, "nothing caught", scheme.findings, standing.clean, "nothing was caught", &standing.why),
    ];
    items.extend(scheme.goals.iter().map(|(metric, of)| goal(metric, *of, &standing)));
    items.extend(speed(scheme, &standing));
    items.retain(|item| item.of > Points(0));
    if let Some(bound) = broken_bound(problem, report) {
        let of_goals = |item: &&mut Item| matches!(item.part, Part::Goal { .. } | Part::Speed { .. });
        for item in items.iter_mut().filter(of_goals).filter(|item| item.came == Came::Earned) {
            (item.came, item.points) = (Came::Withheld, Points(0));
            item.why = format!("{}, but {bound}", item.why);
        }
    }
    if scheme.progress && !progress(problem, &standing) {
        for item in items.iter_mut().filter(|item| item.came == Came::Earned) {
            (item.came, item.points) = (Came::Withheld, Points(0));
            item.why = format!("{}, but no more is reached than by the starter as it was handed out", item.why);
        }
    }
    let of = items.iter().map(|item| item.of).sum();
    let earned = items.iter().map(|item| item.points).sum();
    Tally { items, of, earned, late: None, total: earned }
}

/// What every check asks of a kernel beside the problem's own goals, so that these are met by the work and not around it: how much work it
/// does, who does it, that the machine code has it, that it is no slower. The first of these that does not hold, in words.
fn broken_bound(problem: &Problem, report: &Report) -> Option<String> {
    let own = |metric: &str| problem.manifest.goals.iter().any(|goal| goal.metric.to_string() == metric);
    let broken = report.goals.iter().find(|goal| goal.status == GoalStatus::NotMet && !own(&goal.metric))?;
    let value = broken.value_text.as_deref().unwrap_or("none");
    Some(format!("{} is {value}, and it has to be {}", broken.quantity, broken.demand))
}

/// Where the scheme has it so, right at some sizes is worth their part of the points.
fn results(scheme: &Scheme, standing: &Standing<'_>) -> Item {
    let mut item = item(Part::Results, "right at every size", scheme.results, standing.right, "right", &standing.why);
    let cases = &standing.report.cases;
    let right = cases.iter().filter(|case| case.verdict == Verdict::Passed).count();
    if scheme.partial && !standing.right && right > 0 && standing.report.verdict != Verdict::Impossible {
        let part = |points: i64| points * right as i64 / cases.len().max(1) as i64;
        item.points = Points(part(scheme.results.0));
        item.why = format!("right at {right} of {} sizes: {}", cases.len(), standing.why);
    }
    item
}

fn item(part: Part, text: &str, of: Points, holds: bool, good: &str, bad: &str) -> Item {
    let (came, points, why) = if holds { (Came::Earned, of, good) } else { (Came::Missed, Points(0), bad) };
    Item { part, text: text.to_owned(), points, of, came, why: why.to_owned() }
}

fn goal(metric: &str, of: Points, standing: &Standing<'_>) -> Item {
    let part = Part::Goal { metric: metric.to_owned() };
    // Of several goals on one metric the one that is missed.
    let own = || standing.report.goals.iter().filter(|goal| goal.metric == metric);
    let found = own().find(|goal| goal.status != GoalStatus::Met).or_else(|| own().next());
    let Some(goal) = found.filter(|_| standing.clean) else {
        return item(part, metric, of, false, "", &format!("not judged: {}", standing.why));
    };
    let value = goal.value_text.as_deref().unwrap_or("none");
    let value = goal.elsewhere.as_ref().map_or(value.to_owned(), |there| {
        format!("{value}, and {} at {}", there.value_text, report::sizes(&there.sizes))
    });
    let mut item = item(part, &goal.text, of, goal.status == GoalStatus::Met, &value, &value);
    if goal.status == GoalStatus::NotJudged {
        (item.came, item.why) = (Came::NotJudged, "not judged here: it needs a GPU".to_owned());
    }
    item
}

/// One item: the highest threshold that the interval's lower end reaches.
fn speed(scheme: &Scheme, standing: &Standing<'_>) -> Option<Item> {
    let (_, of) = scheme.speed.last()?;
    let Some(measured) = standing.report.speedup.as_ref().filter(|_| standing.clean) else {
        let at_least = scheme.speed.first().map_or(0.0, |(at_least, _)| *at_least);
        let mut item = item(Part::Speed { at_least }, "faster than the starter", *of, false, "", &standing.why);
        if standing.clean {
            (item.came, item.why) = (Came::NotJudged, "not judged here: it needs a GPU".to_owned());
        }
        return Some(item);
    };
    let reached = scheme.speed.iter().rev().find(|(at_least, _)| measured.low >= *at_least);
    let at_least = reached.or(scheme.speed.first()).map_or(0.0, |(at_least, _)| *at_least);
    let text = format!("at least {at_least} times as fast as the starter");
    let why = format!("{:.3} times, its interval begins at {:.3}", measured.ratio, measured.low);
    let mut item = item(Part::Speed { at_least }, &text, *of, reached.is_some(), &why, &why);
    item.points = reached.map_or(Points(0), |(_, points)| *points);
    Some(item)
}

/// Has the kernel anything that the starter has not? Where the starter is wrong, being right is enough.
fn progress(problem: &Problem, standing: &Standing<'_>) -> bool {
    if problem.manifest.flaw.is_some() {
        return standing.right && standing.clean;
    }
    let missed_by_starter = |result: &report::GoalResult| {
        let goal = problem.manifest.goals.iter().find(|goal| goal.metric.to_string() == result.metric);
        goal.zip(result.baseline).is_none_or(|(goal, baseline)| !goal.judge(Some(baseline), baseline))
    };
    standing.clean && standing.report.goals.iter().any(|goal| goal.status == GoalStatus::Met && missed_by_starter(goal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up() {
        let shares = Points(400).shared(3);
        assert_eq!(shares, [Points(134), Points(133), Points(133)]);
        assert_eq!(shares.into_iter().sum::<Points>(), Points(400));
        assert_eq!(Points(1).shared(2), [Points(1), Points(0)]);
    }

    #[test]
    fn hundredths_are_exact_and_read_well() {
        assert_eq!(Points::from(0.1) + Points::from(0.2), Points::from(0.3));
        assert_eq!([Points(400), Points(350), Points(133)].map(|points| points.to_string()), ["4", "3.5", "1.33"]);
        assert_eq!(Points(1000).thousandths(333), Points(333));
        assert_eq!(Points(5).thousandths(500), Points(3), "a half is rounded up");
    }
}
