//! The numbers of a version, and the table and goals made of them.

use crate::build::Built;
use account::table::Values;
use execution::backend::Checked;
use plan::Plan;
use problem::{Better, Goal, Kind, Metric, MetricSource, Problem};
use report::{GoalResult, GoalStatus, Provenance, Row, Unexecuted};
use sass::{Measure, Quantity};
use simulator::{Counters, LineCoverage};

/// What is known of a version at the `count` size.
#[derive(Debug, Default)]
pub struct Known<'a> {
    /// Its code.
    pub built: Option<&'a Built>,
    /// Its launches there.
    pub plan: Option<&'a Plan>,
    /// Simulator's sums there.
    pub counters: Option<Counters>,
    /// Which instructions ran there, by source line.
    pub coverage: Option<&'a [LineCoverage]>,
    /// GPU: `speedup` and `roof`.
    pub speedup: Option<f64>,
    /// As much faster as the model has it at best, or as was measured.
    pub modelled: Option<f64>,
    /// Fraction of the device's roof.
    pub roof: Option<f64>,
}

impl Known<'_> {
    /// A metric's value, where this machine can tell.
    pub fn value(&self, metric: &Metric) -> Option<f64> {
        let of_code = |quantity| {
            let built = self.built?;
            built.module.as_ref()?;
            sass::measure(&built.launched(self.plan?), quantity)
        };
        match metric {
            Metric::Count(counter) => counter.of(&self.counters?),
            Metric::Launches => Some(self.plan?.launches.len() as f64),
            Metric::Speedup => self.speedup,
            Metric::ModelledSpeedup => self.speedup.or(self.modelled),
            Metric::Roof => self.roof,
            Metric::Occupancy => self.occupancy().map(|(fraction, _)| fraction),
            Metric::Opcode(prefix) => of_code(Quantity::Opcode(prefix)),
            Metric::Instructions => of_code(Quantity::Instructions),
            Metric::LoadRun => of_code(Quantity::LoadRun),
            Metric::BytesInFlight => of_code(Quantity::BytesInFlight),
            Metric::LoopInstructions => of_code(Quantity::LoopInstructions),
            Metric::Registers => of_code(Quantity::Registers),
            Metric::Spills => of_code(Quantity::Spills),
            Metric::Stack => of_code(Quantity::Stack),
            Metric::Shared => of_code(Quantity::Shared),
        }
    }

    /// Has its machine code no local memory? Then what PTX has of it the assembler has put into registers.
    fn keeps_registers(&self) -> bool {
        let (Some(built), Some(plan)) = (self.built, self.plan) else { return false };
        let kernels = built.launched(plan);
        let none = |quantity| sass::measure(&kernels, quantity) == Some(0.0);
        built.module.is_some()
            && [Quantity::Stack, Quantity::Opcode("LDL"), Quantity::Opcode("STL")].into_iter().all(none)
    }

    /// What ran of the machine instructions that a goal asks for: its value, and those that only stand there. `None` for
    /// goals of another kind, and where nothing was simulated.
    pub fn executed(&self, goal: &Goal) -> Option<(f64, Option<Unexecuted>)> {
        let (built, plan, lines) = (self.built?, self.plan?, self.coverage?);
        let module = built.module.as_ref()?;
        let kernels = built.launched(plan);
        let coverage = sass::Coverage::new(lines, module);
        match &goal.metric {
            Metric::Opcode(prefix) if goal.wants_code() => {
                let executed = coverage.executed(&kernels, prefix);
                let own = built.file.path().file_name();
                let line = executed.dead_at.filter(|(file, _)| {
                    module.files.get(*file).and_then(|file| std::path::Path::new(file).file_name()) == own
                });
                let unexecuted = Unexecuted { instructions: executed.dead, line: line.map(|(_, line)| line) };
                Some((executed.live as f64, (executed.dead > 0).then_some(unexecuted)))
            }
            Metric::LoadRun | Metric::BytesInFlight if goal.wants_code() => {
                let measure = if goal.metric == Metric::LoadRun { Measure::Loads } else { Measure::Bytes };
                let (all, ran) =
                    (self.value(&goal.metric)?, sass::flight::executed(&kernels, measure, &coverage) as f64);
                let unexecuted = Unexecuted { instructions: (all - ran) as usize, line: None };
                Some((ran, (all > ran).then_some(unexecuted)))
            }
            _ => None,
        }
    }

    /// The table beside a baseline; the numbers that goals are about are in it.
    pub fn table(&self, baseline: Option<&Known<'_>>, goals: &[Goal]) -> Vec<Row> {
        let before = |metric: &Metric| baseline.and_then(|known| known.value(metric));
        let before: Option<Values<'_>> = baseline.is_some().then_some(&before);
        let limit = self.occupancy().map(|(_, limit)| limit).unwrap_or_default();
        account::table::rows(before, &|metric| self.value(metric), &limit, goals)
    }

    /// The lowest occupancy of all launches, and what limits it.
    pub fn occupancy(&self) -> Option<(f64, String)> {
        let built = self.built?;
        let lowest = self
            .plan?
            .launches
            .iter()
            .filter_map(|launch| built.occupancy(&launch.kernel, launch.block.iter().product::<u32>(), launch.shared))
            .min_by(|a, b| a.fraction.total_cmp(&b.fraction))?;
        let limiters: Vec<String> = lowest.limiters.iter().map(ToString::to_string).collect();
        Some((lowest.fraction, format!("limited by {}", limiters.join(" and "))))
    }
}

/// What a version did, as goals count it: warps part at a branch of the PTX that only chooses what is computed only where the machine code
/// has one. (Where it has no lines, or was not listed, at all of them.)
pub fn counted(built: &Built, checked: &Checked) -> Option<Counters> {
    let mut counters = checked.worked()?;
    if counters.divergent_branches > 0
        && let Some(module) = &built.module
        && let Some(made) = built.made()
    {
        let gone = sass::selected::selected(made, &built.compiled.ptx, &module.kernels);
        let places = |covered: &'_ LineCoverage| -> u64 {
            let parted = covered.ptx_lines.iter().zip(&covered.parted);
            parted.filter(|(line, _)| gone.contains(line)).map(|(_, parted)| parted).sum()
        };
        let fewer: u64 = checked.coverage.iter().map(places).sum();
        counters.divergent_branches = counters.divergent_branches.saturating_sub(fewer);
    }
    Some(counters)
}

/// Judges every goal. `whose` names the baseline. `judged` is false when an earlier step failed: nothing is met then.
pub fn goals(
    goals: &[Goal],
    whose: &str,
    baseline: Option<&Known<'_>>,
    candidate: &Known<'_>,
    measured: Option<&Provenance>,
) -> Vec<GoalResult> {
    let judge = |goal: &Goal| {
        let before = baseline.and_then(|known| known.value(&goal.metric));
        let executed = candidate.executed(goal);
        let value = match &executed {
            Some((ran, _)) => Some(*ran),
            None => candidate.value(&goal.metric),
        };
        // An upper bound in the same goal is for all that stands there.
        let stands = candidate.value(&goal.metric);
        // A quotient of nothing, where something was counted, is not for want of a judge.
        let nothing = value.is_none() && goal.metric.source() == MetricSource::Counters && candidate.counters.is_some();
        let status = match value {
            None if nothing => GoalStatus::NotMet,
            None => GoalStatus::NotJudged,
            // Without the baseline's number there is nothing to compare with.
            Some(_) if before.is_none() && goal.conditions.iter().any(|condition| condition.is_ratio()) => {
                GoalStatus::NotJudged
            }
            Some(value) if goal.judge_both(before, value, stands.unwrap_or(value)) => GoalStatus::Met,
            Some(_) => GoalStatus::NotMet,
        };
        let provenance = match goal.metric.source() {
            MetricSource::Time => measured.cloned(),
            MetricSource::Model => measured.cloned().or(Some(Provenance::Modelled)),
            _ => Some(account::table::provenance(&goal.metric)),
        };
        let (quantity, demand) = (goal.metric.label(), goal.demand(whose, before));
        GoalResult {
            metric: goal.metric.to_string(),
            text: format!("{quantity}: {demand}"),
            quantity,
            demand,
            bounds: goal.bounds(whose, before),
            at_most: goal.conditions.iter().any(|condition| condition.better() == Better::Less),
            why: goal.why.clone(),
            status,
            value,
            value_text: value.map(|value| goal.metric.format(value)).or_else(|| nothing.then(|| "none".to_owned())),
            baseline: before,
            baseline_text: before.filter(|_| !goal.metric.source().is_time()).map(|value| goal.metric.format(value)),
            provenance: provenance.filter(|_| value.is_some() || nothing),
            unexecuted: executed.and_then(|(_, unexecuted)| unexecuted),
            elsewhere: None,
        }
    };
    // A bound on the modelled time has room for the model's error; what was measured is asked for no more than a goal on that asks for.
    let time = measured.and_then(|_| goals.iter().find(|goal| goal.metric == Metric::Speedup));
    let eased = |goal: &Goal| match (judge(goal), time) {
        (GoalResult { status: GoalStatus::NotMet, .. }, Some(time)) if goal.metric == Metric::ModelledSpeedup => {
            judge(&Goal { conditions: time.conditions.clone(), ..goal.clone() })
        }
        (result, _) => result,
    };
    goals.iter().map(eased).collect()
}

/// The bounds on work that the candidate breaks, as goals that are not met. What is kept is not told.
pub fn work(problem: &Problem, whose: &str, baseline: &Known<'_>, candidate: &Known<'_>, room: f64) -> Vec<GoalResult> {
    // A ladder's steps are compared to see what each costs, not to be judged.
    if problem.kind == Kind::Ladder {
        return Vec::new();
    }
    let (Some(before), Some(mut after)) = (&baseline.counters, candidate.counters) else { return Vec::new() };
    if candidate.keeps_registers() {
        (after.local_load_sectors, after.local_store_sectors) = (0, 0);
    }
    let broken = problem.manifest.work.broken(&problem.manifest.goals, before, &after, room);
    goals(&broken, whose, Some(baseline), candidate, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use problem::Condition;

    #[test]
    fn what_was_measured_is_asked_for_no_more_than_a_goal_on_it_asks_for() {
        let goal = |metric, least| Goal { metric, conditions: vec![Condition::Min(least)], why: String::new() };
        let both = [goal(Metric::ModelledSpeedup, 1.4), goal(Metric::Speedup, 1.2)];
        let statuses = |asked: &[Goal], known: Known<'_>| {
            let measured = Provenance::Measured { device: "a GPU".into(), driver: "1".into() };
            let measured = known.speedup.map(|_| measured);
            goals(asked, "", None, &known, measured.as_ref()).into_iter().map(|goal| goal.status).collect::<Vec<_>>()
        };
        let measured = |speedup| Known { speedup: Some(speedup), ..Known::default() };
        let modelled = |speedup| Known { modelled: Some(speedup), ..Known::default() };
        assert_eq!(statuses(&both, measured(1.3)), [GoalStatus::Met, GoalStatus::Met]);
        assert_eq!(statuses(&both, measured(1.1)), [GoalStatus::NotMet, GoalStatus::NotMet]);
        assert_eq!(statuses(&both[..1], measured(1.3)), [GoalStatus::NotMet]);
        assert_eq!(statuses(&both, modelled(1.3)), [GoalStatus::NotMet, GoalStatus::NotJudged]);
        assert_eq!(statuses(&both, modelled(1.5)), [GoalStatus::Met, GoalStatus::NotJudged]);
    }
}
