//! What a run of a kernel file gave, written into its report.

use super::orders::{self, schedule_name};
use super::reasons::{self, Scene};
use super::{annotate, race};
use execution::backend::{self, Checked, Status};
use plan::Plan;
use problem::Sizes;
use report::{Caught, OutputSummary, Report, Sources, Verdict};
use simulator::FindingKind;
use simulator::finding::as_named;
use std::path::Path;

/// Elements of an output that a report shows.
const HEAD: usize = 8;

/// A run and what it was made of.
#[derive(Debug)]
pub struct CheckedRun<'a> {
    /// The kernel file.
    pub path: &'a Path,
    /// Buffers and launches.
    pub plan: &'a Plan,
    /// At these sizes.
    pub sizes: &'a Sizes,
    /// What it gave.
    pub checked: &'a Checked,
}

/// Reasons and the verdict that they give, findings, outputs, counts; not the table, for which the compiler is asked, too.
pub fn report_run(report: &mut Report, run: &CheckedRun<'_>, sources: &mut Sources) {
    let CheckedRun { path, plan, sizes, checked } = *run;
    let case = report::sizes(sizes);
    let case = if case.is_empty() { "the file's sizes" } else { &case };
    let scene = Scene { file: path, case, buffers: &plan.buffers };
    report.reasons = reasons::of(checked, &scene, sources);
    report.verdict = report.reasons.first().map_or(Verdict::Finished, |reason| reason.verdict);
    report.try_first = report.reasons.first().and_then(super::try_first);
    report.findings = checked
        .findings
        .iter()
        .map(|found| Caught {
            version: String::new(),
            sizes: sizes.clone(),
            schedule: schedule_name(&found.schedule),
            finding: found.finding.clone(),
        })
        .collect();
    if let Status::OrderDependent { other, outputs } = &checked.status {
        let this = checked.failed_run().and_then(|run| run.schedule).unwrap_or_default();
        report.findings.extend(outputs.iter().map(|difference| Caught {
            version: String::new(),
            sizes: sizes.clone(),
            schedule: schedule_name(&this),
            finding: orders::finding(difference, *other, this),
        }));
    }
    report.printf.clone_from(&checked.printf);
    if checked.printf_dropped > 0 {
        report.notes.push(FindingKind::PrintfOverflow { dropped: checked.printf_dropped }.explain(&as_named).sentence);
    }
    report.notes.extend(match checked.heap_left {
        (0, _) => None,
        (1, bytes) => Some(format!("a block of the device heap, {bytes} bytes, was never freed")),
        (blocks, bytes) => {
            Some(format!("{blocks} blocks of the device heap, {bytes} bytes together, were never freed"))
        }
    });
    report.notes.extend(race::same_values(checked.findings.iter().map(|found| &found.finding)));
    for path in &checked.dumped {
        report.notes.push(format!("wrote {}", system::text::path(path)));
    }
    let untouched = checked.outputs.iter().filter(|output| output.len > 0 && output.unwritten == output.len);
    report.notes.extend(untouched.map(|output| format!("nothing was written to the output `{}`", output.name)));
    report.outputs = checked.outputs.iter().map(summary).collect();
    report.counters = checked.counters.into_iter().collect();
    report.launches = checked.launches.iter().map(annotate::launch).collect();
    if !checked.lines.is_empty() {
        report.lines = annotate::source(&checked.lines, sources, path);
    }
}

fn summary(output: &backend::BufferSummary) -> OutputSummary {
    OutputSummary {
        name: output.name.clone(),
        dtype: output.dtype.to_string(),
        len: output.len,
        head: output.head.iter().take(HEAD).map(ToString::to_string).collect(),
        min: output.min,
        max: output.max,
        mean: output.mean,
        nans: output.nans,
        unwritten: output.unwritten,
    }
}
