//! What became of a stage, written into the report.

use account::try_first;
use report::{Reason, Report, Stage, StageName, StageStatus, Verdict};

/// What is said of a version in which nothing was caught.
pub const NOTHING_CAUGHT: &str = "no race, bad access, unwritten read or divergent barrier";

/// A stage held.
pub fn pass(report: &mut Report, name: StageName, summary: impl Into<String>) {
    report.stages.push(Stage { name, status: StageStatus::Passed, summary: summary.into() });
}

/// A stage did not take place.
pub fn skip(report: &mut Report, name: StageName, summary: impl Into<String>) {
    report.stages.push(Stage { name, status: StageStatus::Skipped, summary: summary.into() });
}

/// Ends the pipeline: the rest is not worth running.
pub fn fail(report: &mut Report, name: StageName, summary: impl Into<String>, mut reasons: Vec<Reason>) {
    report.stages.push(Stage { name, status: StageStatus::Failed, summary: summary.into() });
    // The gravest first, as they come; what only follows from it is left to --verbose.
    report.verdict = reasons.first().map_or(Verdict::NotYet, |reason| reason.verdict);
    report.try_first = reasons.first().and_then(try_first);
    report.reasons.append(&mut reasons);
}

/// As [`fail`], in the words of the first reason.
pub fn fail_by(report: &mut Report, name: StageName, reasons: Vec<Reason>) {
    let summary = reasons.first().map(|reason| reason.text.clone()).unwrap_or_default();
    fail(report, name, summary, reasons);
}
