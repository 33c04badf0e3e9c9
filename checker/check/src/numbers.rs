//! The numbers of a version, and the table and goals made of them.

use super::build::Built;
use plan::Plan;
use problem::{Goal, Kind, Metric, MetricSource, Problem};
use report::{Better, GoalResult, GoalStatus, Provenance, Row, Unexecuted};
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
    /// Fraction of the device's roof.
    pub roof: Option<f64>,
}

impl Known<'_> {
    /// A metric's value, where this machine can tell.
    pub fn value(&self, metric: &Metric) -> Option<f64> {
        match metric.source() {
            MetricSource::Counters => match metric {
                Metric::Count(counter) => counter.of(&self.counters?),
                _ => None,
            },
            MetricSource::Plan => Some(self.plan?.launches.len() as f64),
            MetricSource::Time => match metric {
                Metric::Roof => self.roof,
                _ => self.speedup,
            },
            MetricSource::Sass | MetricSource::Resources => match metric {
                Metric::Occupancy => self.occupancy().map(|(fraction, _)| fraction),
                _ => {
                    let built = self.built?;
                    built.module.as_ref()?;
                    sass::metric(&built.launched(self.plan?), &metric.to_string())
                }
            },
        }
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
            Metric::LoadRun if goal.wants_code() => {
                let (all, ran) = (self.value(&goal.metric)?, sass::executed_load_run(&kernels, &coverage) as f64);
                let unexecuted = Unexecuted { instructions: (all - ran) as usize, line: None };
                Some((ran, (all > ran).then_some(unexecuted)))
            }
            _ => None,
        }
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

/// A metric of the table: name, words, unit, which way is good, and when it is worth a line.
struct Shown {
    metric: &'static str,
    words: &'static str,
    unit: &'static str,
    better: Better,
    /// When it is worth a line without being asked for.
    shown: When,
}

/// When a metric is worth a line without being asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// Even when it is zero on both sides or did not change.
    Always,
    /// When it changed and is not zero.
    Changed,
    /// Only with all the details.
    Never,
}

const fn shown(metric: &'static str, words: &'static str, unit: &'static str, better: Better, always: bool) -> Shown {
    Shown { metric, words, unit, better, shown: if always { When::Always } else { When::Changed } }
}

const fn detail(metric: &'static str, words: &'static str, unit: &'static str, better: Better) -> Shown {
    Shown { metric, words, unit, better, shown: When::Never }
}

/// Everything a report's table may have, in its order.
const TABLE: &[Shown] = &[
    shown("launches", "launches", "", Better::Less, false),
    detail("count.warps", "warps", "", Better::Neither),
    shown("count.instructions", "warp instructions", "", Better::Less, true),
    detail("count.instructions_per_warp", "an average warp's", "", Better::Less),
    detail("count.active_thread_instructions", "active lanes' instructions", "", Better::Less),
    detail("count.thread_instructions", "thread instructions", "", Better::Less),
    detail("count.thread_fp16", "on half precision", "", Better::Neither),
    detail("count.thread_fp32", "on single precision", "", Better::Neither),
    detail("count.thread_fp64", "on double precision", "", Better::Neither),
    detail("count.thread_special", "special functions", "", Better::Neither),
    detail("count.thread_integer", "on integers", "", Better::Neither),
    detail("count.thread_conversion", "conversions", "", Better::Neither),
    detail("count.thread_control", "control", "", Better::Neither),
    detail("count.thread_memory", "on memory", "", Better::Neither),
    detail("count.thread_exchange", "between lanes", "", Better::Neither),
    detail("count.thread_matrix", "matrix products", "", Better::Neither),
    detail("count.thread_other", "other", "", Better::Neither),
    shown("count.lane_efficiency", "lane efficiency", "%", Better::More, true),
    detail("count.idle_lanes", "idle lane slots", "", Better::Less),
    detail("count.warp_execution_efficiency", "warp execution efficiency", "%", Better::More),
    detail("count.control_flow_divergence", "control-flow divergence", "%", Better::Less),
    detail("count.branches", "branches", "", Better::Less),
    shown("count.divergent_branches", "divergent branches", "", Better::Less, false),
    detail("count.branch_efficiency", "branch efficiency", "%", Better::More),
    detail("count.branch_divergence", "branch divergence", "%", Better::Less),
    shown("count.global_load_requests", "global load requests", "", Better::Less, false),
    shown("count.global_load_sectors", "global load sectors", "", Better::Less, false),
    detail("count.global_load_bytes", "global load bytes", "", Better::Less),
    detail("count.global_load_sectors_per_request", "sectors a load request", "", Better::Neither),
    detail("count.global_load_bytes_per_request", "bytes a load request", "", Better::Neither),
    detail("count.global_load_efficiency", "global load efficiency", "%", Better::More),
    shown("count.global_store_requests", "global store requests", "", Better::Less, false),
    shown("count.global_store_sectors", "global store sectors", "", Better::Less, false),
    detail("count.global_store_bytes", "global store bytes", "", Better::Less),
    detail("count.global_store_sectors_per_request", "sectors a store request", "", Better::Neither),
    detail("count.global_store_efficiency", "global store efficiency", "%", Better::More),
    shown("count.global_atomics", "global atomics", "", Better::Less, false),
    detail("count.global_atomic_requests", "global atomic requests", "", Better::Less),
    detail("count.global_atomic_sectors", "global atomic sectors", "", Better::Less),
    detail("count.global_atomic_return_sectors", "sectors atomics bring back", "", Better::Less),
    detail("count.global_atomic_sectors_per_request", "sectors an atomic request", "", Better::Neither),
    detail("count.global_read_sectors", "global sectors read", "", Better::Less),
    detail("count.global_sectors", "global sectors in all", "", Better::Less),
    detail("count.global_requests", "global requests in all", "", Better::Less),
    detail("count.shared_load_requests", "shared load requests", "", Better::Less),
    shown("count.shared_load_wavefronts", "shared load wavefronts", "", Better::Less, false),
    detail("count.shared_load_bytes", "shared load bytes", "", Better::Neither),
    detail("count.shared_load_wavefronts_per_request", "wavefronts a load request", "", Better::Less),
    detail("count.shared_store_requests", "shared store requests", "", Better::Less),
    shown("count.shared_store_wavefronts", "shared store wavefronts", "", Better::Less, false),
    detail("count.shared_store_bytes", "shared store bytes", "", Better::Neither),
    detail("count.shared_store_wavefronts_per_request", "wavefronts a store request", "", Better::Less),
    shown("count.shared_bank_conflicts", "shared bank conflicts", "", Better::Less, false),
    detail("count.shared_efficiency", "shared memory efficiency", "%", Better::More),
    shown("count.shared_atomics", "shared atomics", "", Better::Less, false),
    detail("count.shared_atomic_requests", "shared atomic requests", "", Better::Less),
    detail("count.shared_wavefronts", "shared wavefronts in all", "", Better::Less),
    detail("count.atomics", "atomics in all", "", Better::Less),
    detail("count.constant_loads", "constant memory loads", "", Better::Neither),
    detail("count.constant_load_bytes", "constant memory bytes", "", Better::Neither),
    shown("count.local_loads", "local memory loads", "", Better::Less, false),
    detail("count.local_load_sectors", "local load sectors", "", Better::Less),
    detail("count.local_load_sectors_per_request", "sectors a local load", "", Better::Neither),
    shown("count.local_stores", "local memory stores", "", Better::Less, false),
    detail("count.local_store_sectors", "local store sectors", "", Better::Less),
    detail("count.local_store_sectors_per_request", "sectors a local store", "", Better::Neither),
    detail("count.local_sectors", "local sectors in all", "", Better::Less),
    detail("count.local_memory_overhead", "local memory overhead", "%", Better::Less),
    shown("count.barriers", "block barriers", "", Better::Less, false),
    shown("count.warp_barriers", "warp barriers", "", Better::Neither, false),
    detail("count.fences", "memory fences", "", Better::Neither),
    shown("count.shuffles", "shuffles", "", Better::Neither, false),
    shown("count.votes", "votes, matches, redux", "", Better::Neither, false),
    shown("count.flops", "floating-point operations", "", Better::Neither, false),
    detail("count.flops_fp16", "in half precision", "", Better::Neither),
    detail("count.flops_fp32", "in single precision", "", Better::Neither),
    detail("count.flops_fp64", "in double precision", "", Better::Neither),
    detail("count.double_precision", "double precision in any way", "", Better::Neither),
    detail("count.flops_matrix", "of matrix products", "", Better::Neither),
    detail("count.instructions_per_byte", "instructions a byte", "", Better::Neither),
    detail("count.flops_per_byte", "operations a byte", "", Better::Neither),
    shown("sass.instructions", "SASS instructions", "", Better::Neither, true),
    shown("sass.loop_instructions", "in the hottest loop", "", Better::Less, false),
    shown("sass.load_run", "loads before first use", "", Better::More, false),
    shown("registers", "registers", "", Better::Neither, true),
    shown("spills", "spill instructions", "", Better::Less, false),
    shown("stack", "stack", "bytes", Better::Less, false),
    shown("shared", "static shared memory", "bytes", Better::Neither, false),
    shown("occupancy", "occupancy", "%", Better::More, true),
];

/// The comparison's rows. What a goal asks for comes in where its metric stands, or at the end of its group. A row that
/// is neither asked for nor changed is a detail.
pub fn table(baseline: Option<&Known<'_>>, candidate: &Known<'_>, goals: &[Goal]) -> Vec<Row> {
    let mut rows = Vec::new();
    let asked = |metric: &Metric| goals.iter().any(|goal| goal.metric == *metric);
    let mut add = |metric: &Metric, words: String, unit: &str, better: Better, when: When| {
        let (before, after) = (baseline.and_then(|known| known.value(metric)), candidate.value(metric));
        if before.is_none() && after.is_none() {
            return;
        }
        let zero = before.unwrap_or(0.0) == 0.0 && after.unwrap_or(0.0) == 0.0;
        let changed = baseline.is_none() || before != after;
        let scale = if unit == "%" { 100.0 } else { 1.0 };
        let note = match metric {
            Metric::Occupancy => candidate.occupancy().map(|(_, limit)| limit).unwrap_or_default(),
            _ => String::new(),
        };
        rows.push(Row {
            metric: metric.to_string(),
            quantity: words,
            unit: unit.to_owned(),
            baseline: before.map(|value| value * scale),
            candidate: after.map(|value| value * scale),
            better,
            provenance: provenance(metric),
            note,
            detail: !(asked(metric) || when == When::Always || (when == When::Changed && changed && !zero)),
        });
    };
    for shown in TABLE {
        if let Ok(metric) = Metric::parse(shown.metric) {
            add(&metric, shown.words.to_owned(), shown.unit, shown.better, shown.shown);
        }
    }
    for goal in goals.iter().filter(|goal| !TABLE.iter().any(|shown| shown.metric == goal.metric.to_string())) {
        if !goal.metric.needs_gpu() {
            let words = goal.metric.words().replace('`', "");
            add(&goal.metric, words, "", direction(goal), When::Always);
        }
    }
    rows.sort_by_key(|row| row.provenance != Provenance::Simulated);
    rows
}

/// Which way is good, by what a goal asks.
fn direction(goal: &Goal) -> Better {
    use problem::Condition;
    match goal.conditions.first() {
        Some(Condition::Max(_) | Condition::RatioMax(_)) => Better::Less,
        Some(Condition::Min(_) | Condition::RatioMin(_)) => Better::More,
        Some(Condition::Equals(_)) | None => Better::Neither,
    }
}

/// Where a metric's number comes from. (Times are not in the table.)
fn provenance(metric: &Metric) -> Provenance {
    match metric.source() {
        MetricSource::Counters | MetricSource::Plan => Provenance::Simulated,
        _ => Provenance::Compiler,
    }
}

/// What a metric is called: as in the table if it has a row.
fn words(metric: &Metric) -> String {
    let name = metric.to_string();
    TABLE.iter().find(|shown| shown.metric == name).map_or_else(|| metric.words(), |shown| shown.words.to_owned())
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
        let provenance = if goal.metric.needs_gpu() { measured.cloned() } else { Some(provenance(&goal.metric)) };
        GoalResult {
            metric: goal.metric.to_string(),
            text: format!("{}: {}", words(&goal.metric), goal.demand(whose, before)),
            why: goal.why.clone(),
            status,
            value,
            value_text: value.map(|value| goal.metric.format(value)).or_else(|| nothing.then(|| "none".to_owned())),
            baseline: before,
            baseline_text: before
                .filter(|_| !matches!(goal.metric, Metric::Speedup))
                .map(|value| goal.metric.format(value)),
            provenance: provenance.filter(|_| value.is_some() || nothing),
            unexecuted: executed.and_then(|(_, unexecuted)| unexecuted),
            elsewhere: None,
        }
    };
    goals.iter().map(judge).collect()
}

/// The bounds on work that the candidate breaks, as goals that are not met. What is kept is not told.
pub fn work(problem: &Problem, whose: &str, baseline: &Known<'_>, candidate: &Known<'_>) -> Vec<GoalResult> {
    // A ladder's steps are compared to see what each costs, not to be judged.
    if problem.kind == Kind::Ladder {
        return Vec::new();
    }
    let (Some(before), Some(after)) = (&baseline.counters, &candidate.counters) else { return Vec::new() };
    let broken = problem.manifest.work.broken(&problem.manifest.goals, before, after);
    goals(&broken, whose, Some(baseline), candidate, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use simulator::counters::{Ratio, Sum, Unit};

    #[test]
    fn every_counter_and_quotient_has_a_row() {
        let names = Counters::FIELDS.iter().map(|field| field.name).chain(Ratio::ALL.iter().map(|ratio| ratio.name()));
        let names = names.chain(Sum::ALL.iter().map(|sum| sum.name()));
        for name in names {
            let rows: Vec<&Shown> = TABLE.iter().filter(|shown| shown.metric == format!("count.{name}")).collect();
            assert_eq!(rows.len(), 1, "{name}");
            let percent = Ratio::by_name(name).is_some_and(|ratio| ratio.unit() != Unit::Number);
            assert_eq!(rows[0].unit == "%", percent, "{name}");
            assert!(Metric::parse(rows[0].metric).is_ok(), "{name}");
        }
    }
}
