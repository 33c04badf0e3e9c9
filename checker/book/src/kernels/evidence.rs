//! `{{evidence NAME metrics=a,b arch=sm_90}}`: a metric a row, both versions beside each other, with where each comes from.
//! Of a ladder with `step=VERSION type=T`: that version beside the one before it.

use super::simulated::{decided, page_face};
use crate::kept::{Kept, folders_of};
use crate::ladder;
use crate::svg::escape;
use anyhow::{Context as _, Result, anyhow, bail};
use check::evidence::{MachineCode, machine_code};
use check::{self, BackendChoice};
use compiler::toolchain::Toolchain;
use problem::{Metric, MetricSource, Problem, Version};
use report::{self, Detail, Report};
use simulator::Counters;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Counts do not depend on it, except where a kernel's work depends on its input; then a page should not change either.
pub(crate) const SEED: u64 = 1;

pub fn block(
    kept: &Kept,
    toolchain: &Toolchain,
    problem: &Problem,
    settings: &BTreeMap<String, String>,
) -> Result<String> {
    let step = step(problem, settings)?;
    let problem = step.as_ref().unwrap_or(problem);
    let (heads, candidate) = match problem.step() {
        Some(names) => (names.each_ref().map(String::as_str), Version::Candidate),
        None => (["naive", "optimised"], Version::Solution),
    };
    let metrics = metrics(problem, settings)?;
    let arch = settings.get("arch").map_or(problem.manifest.arch.as_str(), String::as_str);
    let old = machine_code(toolchain, problem, &Version::Baseline, Some(arch))?;
    let new = machine_code(toolchain, problem, &candidate, Some(arch))?;
    let counted = if metrics.iter().any(|metric| metric.source() == MetricSource::Counters) {
        Some(both_counted(kept, toolchain, problem, candidate)?)
    } else {
        None
    };
    let mut out = format!(
        "<table class=\"wb-table\">\n<thead><tr><th></th><th>{}</th><th>{}</th><th>from</th></tr></thead>\n<tbody>\n",
        heads[0], heads[1]
    );
    for metric in &metrics {
        let (before, after) = match (metric.source(), &counted) {
            (MetricSource::Counters, Some(counters)) => simulated(counters, metric)?,
            _ => (compiled(&old, metric)?, compiled(&new, metric)?),
        };
        let source = match metric.source() {
            MetricSource::Counters => "simulated",
            MetricSource::Plan => "launch lines",
            _ => "compiler",
        };
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{before}</td><td>{after}</td><td>{source}</td></tr>",
            code_spans(&metric.words())
        );
    }
    let sizes: Vec<String> = problem.manifest.count.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let _ = write!(
        out,
        "</tbody></table>\n<p class=\"wb-caption\">{}: {arch}, {}; counts at {}.</p>\n\n",
        problem.id,
        escape(new.compiler()),
        sizes.join(", ")
    );
    Ok(out)
}

/// The step of a ladder that is asked for.
fn step(problem: &Problem, settings: &BTreeMap<String, String>) -> Result<Option<Problem>> {
    let Some(ladder) = problem.ladder() else { return Ok(None) };
    let version = settings.get("step").ok_or_else(|| anyhow!("`{}` is a ladder: say step=VERSION", problem.id))?;
    let element = settings.get("type").map_or(Some(0), |name| ladder.element_named(name));
    let of_type = element.and_then(|element| problem.of_type(element));
    let of_type = of_type.ok_or_else(|| anyhow!("`{}` has no such element type", problem.id))?;
    let step = of_type.of_step(version, false);
    step.map(Some).ok_or_else(|| anyhow!("`{}` has no version `{version}`", problem.id))
}

/// The metrics asked for; by default those of the goals.
fn metrics(problem: &Problem, settings: &BTreeMap<String, String>) -> Result<Vec<Metric>> {
    let metrics = match settings.get("metrics") {
        Some(list) => {
            list.split(',').map(Metric::parse).collect::<Result<Vec<_>, _>>().map_err(|error| anyhow!(error))?
        }
        None => problem.manifest.goals.iter().map(|goal| goal.metric.clone()).collect(),
    };
    match metrics.iter().find(|metric| metric.needs_gpu()) {
        Some(metric) => bail!("`{metric}` is measured: use `{{{{results {}}}}}`", problem.id),
        None => Ok(metrics),
    }
}

fn compiled(side: &MachineCode, metric: &Metric) -> Result<String> {
    let value = side.value(metric).ok_or_else(|| anyhow!("`{metric}` is not known of this problem"))?;
    Ok(metric.format(value))
}

/// `{{report NAME version=baseline}}`: the plain report of a check on the simulator.
pub fn report(problem: &Problem, settings: &BTreeMap<String, String>) -> Result<String> {
    let version = match settings.get("version").map(String::as_str) {
        None => Version::Solution,
        Some("baseline") => Version::Baseline,
        Some(other) => bail!("`{other}` is no version a page can show; there is: baseline"),
    };
    let text = report::render(&simulate(problem, version)?, page_face(), Detail::Normal);
    // Whether this machine had compiled it before is nothing to a reader.
    let text = text.replace(", from the cache", "");
    Ok(format!("```text\n{}\n```\n\n", text.trim_matches('\n')))
}

/// The report of a check on the simulator, with everything that was counted.
pub(crate) fn counted(kept: &Kept, problem: &Problem, version: Version) -> Result<Report> {
    let (name, element) = (problem.id.as_str(), problem.ladder().map_or(0, |ladder| ladder.element));
    let folders = folders_of(name);
    let folders = folders.each_ref().map(String::as_str);
    let question = format!("check {name} {element} {:?} {version:?}", problem.step());
    let text = kept.text(&question, &folders, || Ok(serde_json::to_string(&simulate(problem, version)?)?))?;
    serde_json::from_str(&text).context("a kept report")
}

fn simulate(problem: &Problem, version: Version) -> Result<Report> {
    let options = check::CheckOptions {
        version: Some(version),
        backend: BackendChoice::Sim,
        seed: Some(SEED),
        ..check::CheckOptions::default()
    };
    decided(check::check(problem, &options, &|_| {})?)
}

/// What was counted of both versions; of a ladder's step from the table of all its steps.
pub(crate) fn both_counted(
    kept: &Kept,
    toolchain: &Toolchain,
    problem: &Problem,
    candidate: Version,
) -> Result<[Counters; 2]> {
    if let (Some(names), Some(0)) = (problem.step(), problem.ladder().map(|ladder| ladder.element)) {
        let table = ladder::counted(kept, toolchain, problem)?;
        let of = |name: &String| {
            let step = table.steps.iter().find(|step| step.version == *name);
            step.and_then(|step| step.counters).with_context(|| format!("{name} was not counted"))
        };
        return Ok([of(&names[0])?, of(&names[1])?]);
    }
    let report = counted(kept, problem, candidate)?;
    let [before, after] = report.counters.as_slice() else {
        bail!("the check of `{}` ended with {:?} and counted nothing", report.subject.name, report.verdict);
    };
    Ok([*before, *after])
}

fn simulated(counters: &[Counters; 2], metric: &Metric) -> Result<(String, String)> {
    let Metric::Count(counter) = metric else { bail!("`{metric}` is not counted") };
    // A quotient of nothing has no value: no branch ran, nothing was loaded.
    let shown = |counters| counter.of(counters).map_or("none".to_owned(), |value| metric.format(value));
    Ok((shown(&counters[0]), shown(&counters[1])))
}

/// Escaped, with `words` in backticks as code.
pub(crate) fn code_spans(text: &str) -> String {
    let parts: Vec<String> = text
        .split('`')
        .enumerate()
        .map(|(index, part)| if index % 2 == 1 { format!("<code>{}</code>", escape(part)) } else { escape(part) })
        .collect();
    parts.concat()
}
