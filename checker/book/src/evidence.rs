//! `{{evidence NAME metrics=a,b arch=sm_90}}`: a metric a row, both versions beside each other, with where each comes from.
//! Of a ladder with `step=VERSION type=T`: that version beside the one before it.

use super::simulated::page_face;
use super::svg::escape;
use anyhow::{Result, anyhow, bail};
use check::evidence::{MachineCode, machine_code};
use check::{self, BackendChoice};
use compiler::toolchain::Toolchain;
use problem::{Metric, MetricSource, Problem, Version};
use report::{self, Detail, Report};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Counts do not depend on it, except where a kernel's work depends on its input; then a page should not change either.
pub(super) const SEED: u64 = 1;

pub fn block(toolchain: &Toolchain, problem: &Problem, settings: &BTreeMap<String, String>) -> Result<String> {
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
        Some(simulate(problem, candidate)?)
    } else {
        None
    };
    let mut out = format!(
        "<table class=\"wb-table\">\n<thead><tr><th></th><th>{}</th><th>{}</th><th>from</th></tr></thead>\n<tbody>\n",
        heads[0], heads[1]
    );
    for metric in &metrics {
        let (before, after) = match (metric.source(), &counted) {
            (MetricSource::Counters, Some(report)) => simulated(report, metric)?,
            _ => (compiled(&old, metric)?, compiled(&new, metric)?),
        };
        let source = if metric.source() == MetricSource::Counters { "simulated" } else { "compiler" };
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

fn simulate(problem: &Problem, version: Version) -> Result<Report> {
    let options = check::Options {
        version: Some(version),
        backend: BackendChoice::Sim,
        seed: Some(SEED),
        ..check::Options::default()
    };
    Ok(check::check(problem, &options, &|_| {})?)
}

fn simulated(report: &Report, metric: &Metric) -> Result<(String, String)> {
    let (Metric::Count(counter), [before, after]) = (metric, report.counters.as_slice()) else {
        let name = &report.subject.name;
        bail!("the check of `{name}` ended with {:?} and did not count `{metric}`", report.verdict);
    };
    // A quotient of nothing has no value: no branch ran, nothing was loaded.
    let shown = |counters| counter.of(counters).map_or("none".to_owned(), |value| metric.format(value));
    Ok((shown(before), shown(after)))
}

/// Escaped, with `words` in backticks as code.
pub(super) fn code_spans(text: &str) -> String {
    let parts: Vec<String> = text
        .split('`')
        .enumerate()
        .map(|(index, part)| if index % 2 == 1 { format!("<code>{}</code>", escape(part)) } else { escape(part) })
        .collect();
    parts.concat()
}
