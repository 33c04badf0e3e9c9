//! `{{evidence NAME metrics=a,b arch=sm_90}}`: a metric a row, both versions beside each other, with where each comes from.

use super::svg::escape;
use crate::check::evidence::{MachineCode, machine_code};
use crate::check::{self, BackendChoice};
use crate::problem::{Metric, MetricSource, Problem, Version};
use crate::report::{self, Detail, Face, Report};
use crate::toolchain::Toolchain;
use anyhow::{Result, anyhow, bail};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Counts do not depend on it, except where a kernel's work depends on its input; then a page should not change either.
const SEED: u64 = 1;

pub fn block(toolchain: &Toolchain, problem: &Problem, settings: &BTreeMap<String, String>) -> Result<String> {
    let metrics = metrics(problem, settings)?;
    let arch = settings.get("arch").map_or(problem.manifest.arch.as_str(), String::as_str);
    let old = machine_code(toolchain, problem, &Version::Baseline, Some(arch))?;
    let new = machine_code(toolchain, problem, &Version::Solution, Some(arch))?;
    let counted = if metrics.iter().any(|metric| metric.source() == MetricSource::Counters) {
        Some(simulate(problem, Version::Solution)?)
    } else {
        None
    };
    let mut out = String::from(
        "<table class=\"wb-table\">\n<thead><tr><th></th><th>naive</th><th>optimised</th><th>from</th></tr></thead>\n<tbody>\n",
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
    let text = report::render(&simulate(problem, version)?, Face::plain(), Detail::Normal);
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
    Ok((metric.format(counter.of(before)), metric.format(counter.of(after))))
}

/// Escaped, with `words` in backticks as code.
fn code_spans(text: &str) -> String {
    let parts: Vec<String> = text
        .split('`')
        .enumerate()
        .map(|(index, part)| if index % 2 == 1 { format!("<code>{}</code>", escape(part)) } else { escape(part) })
        .collect();
    parts.concat()
}
