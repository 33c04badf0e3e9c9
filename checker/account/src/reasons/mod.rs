//! From what a backend says to what a learner needs to hear: one sentence, the place, and the next thing to try.

mod finding;
mod place;
mod run;
mod sampled;
mod status;
mod wrong;

use super::element::Elements;
use execution::backend::{Checked, Found, Status};
use finding::{finding, say};
use plan::Buffer;
use problem::LineError;
use report::{Reason, Sources, Verdict};
use run::chosen;
use simulator::{Finding, FindingKind, Severity, Usage};
use status::status;
use std::path::Path;
use system::text;

pub use place::{name, who};

/// Where the version's source is and how its run is described.
#[derive(Debug)]
pub struct Scene<'a> {
    /// The kernel file.
    pub file: &'a Path,
    /// The case: "n = 33".
    pub case: &'a str,
    /// Its buffers, as far as they are known: they say what an element is.
    pub buffers: &'a [Buffer],
}

/// Everything that speaks against this result, the gravest first; empty when there is nothing.
pub fn of(checked: &Checked, scene: &Scene<'_>, sources: &mut Sources) -> Vec<Reason> {
    let elements = Elements::new(sources.lines(scene.file), scene.buffers);
    let grave = |severity| checked.findings.iter().filter(move |found| found.finding.severity == severity);
    // A race explains a wrong result better than the wrong element does, and an uninitialised read likewise.
    let mut findings: Vec<&Found> = grave(Severity::Fault).chain(grave(Severity::Error)).collect();
    let polled = polled(&checked.findings);
    // Where something undefined decides, chance says how it goes on. A race may be why it is.
    let raced = findings.iter().any(|found| matches!(found.finding.kind, FindingKind::Race { .. }));
    findings.sort_by_key(|found| !(is_unset(&found.finding, &polled) || !raced && decides(&found.finding)));
    let mut reasons: Vec<Reason> = Vec::new();
    for found in findings {
        reasons.extend(finding(found, &elements, scene, sources));
    }
    let has_fault = checked.findings.iter().any(|found| found.finding.severity == Severity::Fault);
    if !(has_fault && matches!(checked.status, Status::Fault { .. })) {
        reasons.extend(status(checked, scene, sources));
    }
    // A status says it itself.
    if let (Some(first), Some(inputs)) = (reasons.first_mut(), &checked.turned)
        && !first.details.iter().any(|detail| detail.contains(&chosen(inputs)))
    {
        first.details.insert(0, chosen(inputs));
    }
    // Why they wait there and nowhere else comes first.
    if matches!(checked.status, Status::WaitsForLater { .. }) {
        reasons.rotate_right(1);
    }
    // One of every kind before a second of any: what fails may have its cause in what comes later.
    let mut kinds: Vec<Verdict> = Vec::new();
    reasons.sort_by_cached_key(|reason| {
        let repeated = kinds.contains(&reason.verdict);
        kinds.push(reason.verdict);
        repeated
    });
    // What may be behind a wrong result, when nothing else explains it.
    let suspicion = checked.findings.iter().find(|found| found.finding.is_suspicion());
    if let (Some(first), Some(suspicion)) = (reasons.first_mut(), suspicion)
        && matches!(first.verdict, Verdict::WrongResult | Verdict::OrderDependent)
    {
        first
            .excerpts
            .extend(finding(suspicion, &elements, scene, sources).into_iter().flat_map(|reason| reason.excerpts));
        // It is the cause more often than the element that went wrong is.
        first.suspicion = Some(suspicion.finding.kind.name());
        first.details.insert(0, format!("perhaps because {}", say(&suspicion.finding, &elements).details.join("; ")));
    }
    reasons
}

/// Buffers and variables that threads poll for ever.
fn polled(findings: &[Found]) -> Vec<&str> {
    let polls = findings.iter().flat_map(|found| match &found.finding.kind {
        FindingKind::Livelock { polls, .. }
        | FindingKind::StepLimit { polls, .. }
        | FindingKind::Interrupted { polls, .. } => polls.as_slice(),
        _ => &[],
    });
    polls.filter_map(|poll| poll.location.as_ref()?.name()).collect()
}

/// A read of what is polled before anything has written it: a lock that was never set to 0 looks taken, and nobody gives it back.
fn is_unset(finding: &Finding, polled: &[&str]) -> bool {
    matches!(&finding.kind, FindingKind::Uninitialised { access, .. } if access.object.name().is_some_and(|name| polled.contains(&name)))
}

/// Does something undefined decide where threads go?
fn decides(finding: &Finding) -> bool {
    let decides = |usage: &Usage| matches!(usage, Usage::Address | Usage::Condition | Usage::Barrier);
    matches!(&finding.kind, FindingKind::Uninitialised { usage, .. } if decides(usage))
}

/// A malformed or impossible `//@` line as a reason; of a file that is at fault as a whole [`Verdict::BadFile`].
pub fn line(verdict: Verdict, error: &LineError, sources: &mut Sources) -> Reason {
    let verdict = if error.of_file { Verdict::BadFile } else { verdict };
    if error.of_file && error.source_line.is_empty() {
        return Reason::new(verdict, error.message.to_string());
    }
    let mut excerpt = sources.excerpt(&error.path, error.line, Some(error.column), "");
    let line = text::line(&error.source_line.replace('\t', "    ")).into_owned();
    if excerpt.lines.last() != Some(&line) {
        (excerpt.first, excerpt.lines) = (error.line, vec![line]);
    }
    Reason::new(verdict, error.message.to_string())
        .with_details(error.expected.iter().map(|form| format!("expected: {form}")))
        .with_excerpts([excerpt])
}
