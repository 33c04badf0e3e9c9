//! Goals, the work that a problem needs, and sweeps.

use super::text::non_empty;
use super::{identifier, written};
use crate::error::{LineError, did_you_mean};
use crate::formula::TomlText;
use crate::goal::{Condition, Goal};
use crate::manifest::raw;
use crate::manifest::{Axis, ErrorBound, Manifest, Sweep};
use crate::metric::{CounterRatio, Metric, Unit};
use crate::work::{QUEUEING, WorkBounds, WorkKind};
use toml::Spanned;

pub(super) fn check_work(toml: TomlText, raw: &raw::Manifest) -> Result<WorkBounds, LineError> {
    let mut bounds = WorkBounds::default();
    for (spanned, &times) in &raw.work {
        let (at, name) = (spanned.span().start, spanned.get_ref().as_str());
        let work = WorkKind::by_name(name);
        if work.is_none() && name != QUEUEING {
            let names = || WorkKind::names().chain([QUEUEING]);
            let hint = did_you_mean(name, names());
            return Err(toml
                .error(at, format!("unknown work `{name}`{hint}"))
                .expected(names().collect::<Vec<_>>().join(", ")));
        }
        // A kernel may do nothing of the others; none takes no time.
        if !times.is_finite() || times < 0.0 || (work.is_none() && times == 0.0) {
            return Err(toml.error(at, format!("{times} is no bound for `{name}`: so many times the baseline's")));
        }
        match work {
            Some(work) => bounds.changed.push((work, times)),
            None => bounds.queueing = Some(times),
        }
    }
    Ok(bounds)
}

pub(super) fn check_goal(toml: TomlText, goal: &Spanned<raw::Goal>) -> Result<Goal, LineError> {
    let raw = goal.get_ref();
    let at = raw.metric.span().start;
    let metric =
        Metric::parse(raw.metric.get_ref()).map_err(|message| toml.error(at, message).expected(Metric::forms()))?;
    let conditions: Vec<Condition> = [
        raw.min.map(Condition::Min),
        raw.max.map(Condition::Max),
        raw.equals.map(Condition::Equals),
        raw.ratio_max.map(Condition::RatioMax),
        raw.ratio_min.map(Condition::RatioMin),
    ]
    .into_iter()
    .flatten()
    .collect();
    if conditions.is_empty() {
        let message = format!("the goal on `{metric}` has no condition");
        return Err(toml.error(at, message).expected("min, max, equals, ratio_max or ratio_min = NUMBER"));
    }
    for condition in &conditions {
        let (Condition::Min(value)
        | Condition::Max(value)
        | Condition::Equals(value)
        | Condition::RatioMax(value)
        | Condition::RatioMin(value)) = *condition;
        if !value.is_finite() || value < 0.0 {
            return Err(toml.error(at, format!("{value} is no bound for `{metric}`: it is never negative")));
        }
        if condition.is_ratio() && matches!(metric, Metric::Speedup | Metric::ModelledSpeedup) {
            return Err(toml.error(at, format!("`{metric}` is a ratio already: use `min`")));
        }
        if matches!(metric.unit(), Unit::Fraction { .. }) && value > 1.0 && !condition.is_ratio() {
            return Err(toml.error(at, format!("`{metric}` is between 0 and 1, not {value}")));
        }
    }
    if let (Some(min), Some(max)) = (raw.min, raw.max)
        && min > max
    {
        return Err(toml.error(at, format!("no value is at least {min} and at most {max}")));
    }
    Ok(Goal { metric, conditions, why: non_empty(toml, &raw.why)? })
}

pub(super) fn check_sweep(toml: TomlText, sweep: &Spanned<raw::Sweep>) -> Result<Sweep, LineError> {
    let raw = sweep.get_ref();
    let rows = check_axis(toml, raw.rows.get_ref())?;
    let columns = check_axis(toml, raw.columns.get_ref())?;
    if rows.name == columns.name {
        let at = raw.columns.get_ref().name.span().start;
        return Err(toml.error(at, format!("rows and columns are both `{}`", rows.name)));
    }
    let counter = CounterRatio::parse(raw.counter.get_ref())
        .map_err(|message| toml.error(raw.counter.span().start, message).expected("COUNTER or COUNTER per COUNTER"))?;
    Ok(Sweep { rows, columns, quantity: *raw.quantity.get_ref(), counter })
}

fn check_axis(toml: TomlText, axis: &raw::Axis) -> Result<Axis, LineError> {
    identifier(axis.name.get_ref()).map_err(|message| toml.error(axis.name.span().start, message))?;
    let values = axis.values.get_ref();
    let at = axis.values.span().start;
    if values.is_empty() {
        return Err(toml.error(at, format!("`{}` has no values", axis.name.get_ref())));
    }
    if values.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(toml.error(at, format!("the values of `{}` do not increase", axis.name.get_ref())));
    }
    let labels = axis.labels.as_ref().map(|labels| (labels.get_ref().clone(), labels.span().start));
    if let Some((labels, at)) = &labels
        && (labels.len() != values.len() || labels.iter().any(|label| label.trim().is_empty()))
    {
        let message = format!("`{}` has {} values and {} labels", axis.name.get_ref(), values.len(), labels.len());
        return Err(toml.error(*at, message).expected("a label for each value"));
    }
    let means = axis.means.as_ref().map(|means| non_empty(toml, means)).transpose()?;
    let labels = labels.map(|(labels, _)| labels).unwrap_or_default();
    Ok(Axis { name: axis.name.get_ref().clone(), values: values.clone(), means, labels })
}

/// Every formula must have a sensible value at every size that will be run.
pub(super) fn evaluate(manifest: &Manifest) -> Result<(), LineError> {
    let ends = manifest.ends_of_drawn();
    for sizes in manifest.cases.iter().chain(&ends).chain([&manifest.count, &manifest.time]) {
        // In a sweep the first cell stands for all: names and signs are the same in each.
        let sizes = match &manifest.sweep {
            Some(sweep) => sweep.cells(sizes).swap_remove(0).sizes,
            None => sizes.clone(),
        };
        manifest.io(&sizes)?;
        for formula in manifest.bytes.iter().chain(&manifest.flops) {
            let value = formula.eval(&sizes)?;
            if value < 0 {
                return Err(formula.error(format!("{value} at {}", written(&sizes))));
            }
        }
        for output in &manifest.outputs {
            let own = manifest.ladder.iter().flat_map(|ladder| ladder.ops.values());
            let ErrorBound::Ops { ops, .. } = &output.error else { continue };
            for ops in own.chain([ops]) {
                let value = ops.eval(&sizes)?;
                if value < 0 {
                    return Err(ops.error(format!("{value} operations at {}", written(&sizes))));
                }
            }
        }
    }
    Ok(())
}
