//! The table of a version's numbers.

use problem::metric::Shown;
use problem::{Better, Goal, Metric, MetricSource};
use report::{Provenance, Row};

/// A metric's value of some version, where it is known.
pub type Values<'a> = &'a dyn Fn(&Metric) -> Option<f64>;

/// The comparison's rows. What a goal asks for comes in where its metric stands, or at the end of its group. A row that
/// is neither asked for nor changed is a detail.
pub fn rows(baseline: Option<Values<'_>>, candidate: Values<'_>, occupancy: &str, goals: &[Goal]) -> Vec<Row> {
    let mut rows = Vec::new();
    let asked = |metric: &Metric| goals.iter().any(|goal| goal.metric == *metric);
    let mut add = |metric: &Metric, better: Better, when: Shown| {
        let (before, after) = (baseline.and_then(|value| value(metric)), candidate(metric));
        if before.is_none() && after.is_none() {
            return;
        }
        let zero = before.unwrap_or(0.0) == 0.0 && after.unwrap_or(0.0) == 0.0;
        let changed = baseline.is_none() || before != after;
        let unit = metric.unit().symbol();
        let scale = if unit == "%" { 100.0 } else { 1.0 };
        let note = match metric {
            Metric::Occupancy => occupancy.to_owned(),
            _ => String::new(),
        };
        rows.push(Row {
            metric: metric.to_string(),
            quantity: metric.label().replace('`', ""),
            unit: unit.to_owned(),
            baseline: before.map(|value| value * scale),
            candidate: after.map(|value| value * scale),
            better,
            provenance: provenance(metric),
            note,
            detail: !(asked(metric) || when == Shown::Always || (when == Shown::Changed && changed && !zero)),
        });
    };
    for metric in Metric::shown() {
        add(&metric, metric.better(), metric.shown_when().unwrap_or(Shown::Never));
    }
    for goal in goals.iter().filter(|goal| goal.metric.shown_when().is_none() && !goal.metric.source().is_time()) {
        // Which way is good is what the goal asks.
        add(&goal.metric, goal.better(), Shown::Always);
    }
    rows.sort_by_key(|row| row.provenance != Provenance::Simulated);
    rows
}

/// Where a metric's number comes from. (Times are not in the table.)
pub fn provenance(metric: &Metric) -> Provenance {
    match metric.source() {
        MetricSource::Counters | MetricSource::Plan => Provenance::Simulated,
        _ => Provenance::Compiler,
    }
}
