//! From results to a report: cases, findings, what speaks against the candidate, and the verdict on goals.

use crate::CheckError;
use crate::build::Built;
use crate::platform::Platform;
use crate::verify::Results;
use account::reasons::{self, Scene};
use account::schedule_name;
use execution::backend::{Checked, Status};
use problem::{Problem, Sizes};
use report::{
    self, Case, Caught, Excerpt, GoalResult, GoalStatus, Provenance, Reason, Report, Sources, Stage, StageName,
    StageStatus, Verdict,
};
use simulator::FindingKind;
use simulator::finding::as_named;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Of few multiprocessors.
const FEW: &str =
    "launched as for a device with so few multiprocessors that a block has as much to do as at the `time` size";

/// What a reader cannot see of this run.
fn unseen(candidate: &Results, run: &(Sizes, Checked)) -> Option<String> {
    if candidate.besides.few.iter().any(|few| std::ptr::eq(few, run)) {
        return Some(FEW.into());
    }
    let other = candidate.besides.others.iter().find(|other| std::ptr::eq(&other.run, run))?;
    Some(format!("as on a device with {} multiprocessors", other.sms))
}

/// Fills in cases and findings; returns what speaks against the candidate.
pub fn judge(
    problem: &Problem,
    baseline: &Results,
    candidate: &Results,
    paths: &[PathBuf; 2],
    report: &mut Report,
    sources: &mut Sources,
    on_gpu: bool,
) -> Result<Vec<Reason>, CheckError> {
    let mut against: Vec<Reason> = Vec::new();
    let besides = candidate.besides.iter().filter(|(_, checked)| !checked.status.passed() || is_caught(checked));
    for (index, at) in candidate.cases.iter().chain(besides).enumerate() {
        let (sizes, checked) = at;
        let case = report::sizes(sizes);
        if let Status::OracleFailed { message } = &checked.status {
            let message = format!("at {case}: {message}");
            return Err(CheckError::Shipped { problem: problem.id.to_string(), what: "the oracle", message });
        }
        let buffers = problem.io(sizes).unwrap_or_default();
        let scene = Scene { file: &paths[1], case: &case, buffers: &buffers };
        let mut reasons = reasons::of(checked, &scene, sources);
        let unseen = unseen(candidate, at);
        reasons.iter_mut().for_each(|reason| reason.details.extend(unseen.clone()));
        let verdict = reasons.first().map_or(Verdict::Passed, |reason| reason.verdict);
        if !matches!(checked.status, Status::NotRun { .. }) {
            report.cases.push(Case { sizes: sizes.clone(), verdict, error: checked.error_over_bound });
        }
        let label = report.versions.get(1).map(|version| version.label.clone()).unwrap_or_default();
        report.findings.extend(checked.findings.iter().map(|found| Caught {
            version: label.clone(),
            sizes: sizes.clone(),
            schedule: schedule_name(&found.schedule),
            finding: found.finding.clone(),
        }));
        // The same complaint at every size is one complaint; what is tried besides has less to tell of it than the cases.
        let beside = index >= candidate.cases.len();
        let place = |reason: &Reason| reason.excerpts.first().map(|e| (e.file.clone(), e.line));
        let fresh = |reason: &Reason| {
            let same = |other: &&Reason| other.verdict == reason.verdict;
            !against.iter().filter(same).any(|other| beside || place(other) == place(reason))
        };
        let reasons: Vec<Reason> = reasons.into_iter().filter(fresh).collect();
        against.extend(reasons);
    }
    let findings = candidate.cases.iter().flat_map(|(_, checked)| &checked.findings).map(|found| &found.finding);
    report.notes.extend(account::race::same_values(findings));
    let unwatched = |(sizes, checked): &(problem::Sizes, Checked)| {
        let mut kinds = checked.findings.iter().map(|found| &found.finding.kind);
        let kind = kinds.find(|kind| matches!(kind, FindingKind::Unwatched { .. }))?;
        Some(format!("at {}, {}", report::sizes(sizes), kind.explain(&as_named).sentence))
    };
    report.notes.extend(candidate.cases.iter().find_map(unwatched));
    if against.is_empty() {
        report.tell_untried();
    }
    // What happens when printf floods is worth knowing, not a failure.
    let dropped: u64 = candidate.cases.iter().map(|(_, checked)| checked.printf_dropped).sum();
    if dropped > 0 {
        report.notes.push(FindingKind::PrintfOverflow { dropped }.explain(&as_named).sentence);
    }
    if let Some(printed) = candidate.cases.iter().map(|(_, checked)| &checked.printf).find(|text| !text.is_empty()) {
        report.printf.clone_from(printed);
    }

    let wrong = baseline.cases.iter().find_map(|(sizes, checked)| {
        let case = report::sizes(sizes);
        let buffers = problem.io(sizes).unwrap_or_default();
        let scene = Scene { file: &paths[0], case: &case, buffers: &buffers };
        let reason = reasons::of(checked, &scene, sources).into_iter().next()?;
        Some((case, reason))
    });
    let label = report.versions.first().map(|version| version.label.clone()).unwrap_or_default();
    match (wrong, problem.manifest.flaw) {
        // An unchanged starter has just been told of.
        (Some((_, reason)), Some(_))
            if against.first().is_some_and(|one| (one.verdict, &one.text) == (reason.verdict, &reason.text)) => {}
        (Some((_, reason)), Some(_)) => {
            let place = reason.excerpts.first().map(|e| format!(" ({}:{})", e.file, e.line)).unwrap_or_default();
            report.notes.push(format!("{label}: {}: {}{place}", reason.verdict.label(), reason.text));
        }
        (Some((case, reason)), None) => {
            let message = format!("at {case}: {}: {}", reason.verdict.label(), reason.text);
            report.notes.push(format!("the {label} version itself fails {message}"));
            report.baseline_fails = true;
        }
        (None, Some(flaw)) if !on_gpu => {
            report
                .notes
                .push(format!("the {label} version was not caught this time at what it is known for: {}", flaw.name()));
        }
        (None, _) => {}
    }
    Ok(against)
}

/// Does a finding lead to a verdict?
fn is_caught(checked: &Checked) -> bool {
    checked.findings.iter().any(|found| Verdict::of(&found.finding).is_some())
}

/// Where it failed first.
pub fn failure_summary(candidate: &Results) -> String {
    let mut all = candidate.cases.iter().chain(candidate.besides.iter());
    let failed = all.find(|(_, checked)| !checked.status.passed());
    let failed = failed.or_else(|| candidate.cases.iter().find(|(_, checked)| is_caught(checked)));
    match failed {
        Some((sizes, _)) => format!("not at {}", report::sizes(sizes)),
        None => "something was caught".to_owned(),
    }
}

/// What was right, and in how many runs.
pub fn results_summary(problem: &Problem, candidate: &Results, platform: &Platform) -> String {
    /// More cases than this are counted, not listed.
    const LISTED: usize = 12;
    let sizes: Vec<String> = candidate.cases.iter().map(|(sizes, _)| report::sizes(sizes)).collect();
    let shared = match problem.manifest.cases.first() {
        // "n = 1, 33, 1000" reads better than "n = 1; n = 33; n = 1000".
        Some(case) if case.len() == 1 => {
            let values: Vec<String> =
                candidate.cases.iter().flat_map(|(sizes, _)| sizes.values()).map(ToString::to_string).collect();
            format!("{} = {}", case.keys().next().map_or("n", String::as_str), values.join(", "))
        }
        _ if sizes.len() > LISTED => format!("{} sizes, the last {}", sizes.len(), sizes[sizes.len() - 1]),
        _ => sizes.join("; "),
    };
    let runs: usize = candidate.cases.iter().map(|(_, checked)| checked.runs.len()).sum();
    let place = if platform.gpu.is_some() { "on the GPU, " } else { "" };
    let largest = candidate.besides.reached.last();
    let largest = largest.map(|(sizes, _)| format!(", and up to {}", report::sizes(sizes))).unwrap_or_default();
    format!("right {place}at {shared}: {runs} runs, inputs fresh, outputs poisoned{largest}")
}

/// Judges the goals: the last word when nothing else failed.
pub fn verdict(problem: &Problem, report: &mut Report, candidate: &Built, sources: &mut Sources) {
    let unmet: Vec<_> = report.goals.iter().filter(|goal| goal.status == GoalStatus::NotMet).collect();
    let stages = judged(&report.goals);
    report.verdict = if unmet.is_empty() { Verdict::Passed } else { Verdict::NotYet };
    report.reasons = unmet.iter().map(|goal| reason(goal, problem, report, candidate, sources)).collect();
    // One look at a line is enough.
    for index in 1..report.reasons.len() {
        let (before, rest) = report.reasons.split_at_mut(index);
        let seen = |excerpt: &Excerpt| {
            before
                .iter()
                .flat_map(|r| &r.excerpts)
                .any(|other| (&other.file, other.line) == (&excerpt.file, excerpt.line))
        };
        rest[0].excerpts.retain(|excerpt| !seen(excerpt));
    }
    // What is counted is nearer to the cause than a time is.
    let first = unmet.iter().position(|goal| !is_modelled(goal)).unwrap_or(0);
    report.try_first = unmet.get(first).map(|goal| try_first(goal, &report.reasons[first], report.modelled.as_ref()));
    report.stages.extend(stages);
    report.stages.sort_by_key(|stage| stage.name);
    if report.verdict == Verdict::Passed {
        report.learned = Some(problem.manifest.learned.clone());
        report.notes.extend(super::slower::hardly_enough(problem, report));
    }
}

/// The stages that goals are judged at, with how many are met.
fn judged(goals: &[GoalResult]) -> Vec<Stage> {
    let of = |goal: &GoalResult| match goal.provenance {
        Some(Provenance::Simulated) => StageName::Counters,
        Some(Provenance::Measured { .. } | Provenance::Modelled) => StageName::Time,
        _ => StageName::Sass,
    };
    let stage = |name: StageName| {
        let judged = goals.iter().filter(|goal| goal.status != GoalStatus::NotJudged && of(goal) == name);
        let met: Vec<bool> = judged.map(|goal| goal.status == GoalStatus::Met).collect();
        let (all, met) = (met.len(), met.into_iter().filter(|met| *met).count());
        let status = if met == all { StageStatus::Passed } else { StageStatus::Failed };
        (all > 0).then(|| Stage { name, status, summary: format!("{met} of {all} goals met") })
    };
    [StageName::Sass, StageName::Counters].into_iter().filter_map(stage).collect()
}

/// Why a goal is not met, with the line that it comes from.
fn reason(goal: &GoalResult, problem: &Problem, report: &Report, candidate: &Built, sources: &mut Sources) -> Reason {
    let found = match &goal.elsewhere {
        Some(there) => format!("{}{}", there.value_text, report::at_sizes(&there.sizes)),
        None => goal.value_text.clone().unwrap_or_default(),
    };
    let drawn = goal.elsewhere.as_ref().map(|there| there.sizes.clone()).unwrap_or_default();
    let opcode = goal.metric.strip_prefix("sass.").filter(|_| goal.at_most);
    let origin = opcode.and_then(|opcode| origin(opcode, goal.value, candidate, sources));
    let idle = goal.unexecuted.as_ref();
    let origin = origin.or_else(|| {
        let unexecuted = idle?;
        let label = format!("{} from here never ran", unexecuted.instructions);
        Some(sources.excerpt(candidate.file.path(), unexecuted.line?, None, &label))
    });
    let detail = idle
        .map(|unexecuted| seen_only(unexecuted, problem))
        .or_else(|| goal.elsewhere.as_ref().map(|there| only_here(there, goal, problem, report)))
        .or_else(|| report.modelled.as_ref().filter(|_| is_modelled(goal)).map(|_| AT_BEST.to_owned()))
        .or_else(|| report.not_modelled.as_deref().filter(|_| is_modelled(goal)).map(cannot_be));
    let text = format!("{}: {found}, and the goal is {}", goal.quantity, goal.demand);
    Reason { drawn, ..Reason::new(Verdict::NotYet, text).with_details(detail).with_excerpts(origin) }
}

/// What to look at for a goal that is not met.
fn try_first(goal: &GoalResult, reason: &Reason, modelled: Option<&report::Modelled>) -> String {
    let what = &goal.quantity;
    if let Some(modelled) = modelled.filter(|_| is_modelled(goal)) {
        let [_, after] = &modelled.versions;
        return format!("Your version is modelled as bound by {}. {}", after.bound, capital(&after.ask));
    }
    match reason.excerpts.first() {
        Some(excerpt) => {
            let question = format!("Why does {}:{} become {what}?", excerpt.file, excerpt.line);
            if goal.why.is_empty() { question } else { format!("{question} Behind the goal: {}", stop(&goal.why)) }
        }
        None => {
            let what = what.trim_end_matches(" in all");
            let question = match goal.metric.as_str() {
                super::kept::METRIC => {
                    "What does the kernel work out that no result needs, or that is known before it runs?".to_owned()
                }
                _ if goal.at_most => format!("Why are there so many {what}?"),
                _ => format!("Look at the {what}."),
            };
            if goal.why.is_empty() { question } else { format!("{question} Behind the goal: {}", stop(&goal.why)) }
        }
    }
}

fn is_modelled(goal: &GoalResult) -> bool {
    goal.provenance == Some(Provenance::Modelled)
}

/// The interval, and what binds, are told with the other numbers.
const AT_BEST: &str = "nothing was measured: of what is modelled the better end counts";

/// "it cannot be modelled: its threads may wait for each other".
fn cannot_be(why: &str) -> String {
    format!("it cannot be modelled: {why}")
}

/// "4 more stand in the machine code, but at n = 32768 nothing executed them".
fn seen_only(unexecuted: &report::Unexecuted, problem: &Problem) -> String {
    let case = report::sizes(&problem.manifest.count);
    let (count, stand) = (unexecuted.instructions, if unexecuted.instructions == 1 { "stands" } else { "stand" });
    format!("{count} more {stand} in the machine code, but at {case} nothing, or next to nothing, executed them")
}

/// "at n = 32768, where it is counted, it is 40; what holds there only is not met (at n = 20480 the starter's is 900)".
fn only_here(there: &report::Elsewhere, goal: &GoalResult, problem: &Problem, report: &Report) -> String {
    let here = report::sizes(&problem.manifest.count);
    let whose = report.versions.first().map_or("baseline", |version| version.label.as_str());
    format!(
        "it is {} at {here}, and the {whose}'s is {} at {}: a goal holds at every size, not only where it is counted",
        goal.value_text.as_deref().unwrap_or("none"),
        there.baseline_text,
        report::sizes(&there.sizes)
    )
}

/// The line of the kernel file that most instructions of an opcode come from; there are `all` of them.
fn origin(opcode: &str, all: Option<f64>, candidate: &Built, sources: &mut Sources) -> Option<Excerpt> {
    let module = candidate.module.as_ref()?;
    let own = compiler::compile::name_of(candidate.file.path());
    let mut lines: BTreeMap<u32, usize> = BTreeMap::new();
    for instruction in module.kernels.iter().flat_map(|kernel| kernel.code()) {
        if let Some(source) = instruction.source
            && instruction.opcode.matches(opcode)
            && module.files.get(source.file).is_some_and(|file| file.trim_start_matches('/') == own)
        {
            *lines.entry(source.line).or_default() += 1;
        }
    }
    let (line, count) = lines.into_iter().max_by_key(|(_, count)| *count)?;
    // How many there are is the goal's word.
    let label = match (count, all) {
        (1, Some(1.0)) => "it comes from here".to_owned(),
        (count, Some(all)) if count as f64 >= all => "all of them come from here".to_owned(),
        (1, _) => "one of them comes from here".to_owned(),
        (count, _) => format!("{count} of them come from here"),
    };
    Some(sources.excerpt(candidate.file.path(), line, None, &label))
}

/// Begins a sentence.
fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

/// Ends with a stop.
fn stop(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}
