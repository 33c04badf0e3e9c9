//! What `checker dev check` proves of one problem, and how.

use check::{self, BackendChoice, Baselines, Budget, CheckError};
use problem::audit::audit;
use problem::{BackendName, Kind, Problem, ProblemId, Reason, Version, Workbook};
use report::{GoalStatus, Provenance, Report, Verdict};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How problems are proven.
#[derive(Debug)]
pub struct Prover<'a> {
    /// Where they are.
    pub workbook: &'a Workbook,
    /// Stop after what the files alone tell.
    pub files_only: bool,
    /// How versions are checked; `version` is set for each.
    pub options: check::CheckOptions,
}

/// What was found out about one problem.
#[derive(Debug, Default, Serialize)]
pub struct Proof {
    /// The problem.
    pub name: String,
    /// What is wrong, a text each.
    pub faults: Vec<String>,
    /// The versions that ran.
    pub probes: Vec<Probe>,
    /// Why nothing ran.
    pub skipped: Option<String>,
}

/// One version that ran.
#[derive(Debug, Serialize)]
pub struct Probe {
    /// Which; in JSON as it is shown: "baseline", "solution", "mutant tail".
    #[serde(serialize_with = "as_text")]
    pub version: Version,
    /// What it should end with.
    pub expected: String,
    /// What it ended with.
    pub verdict: Verdict,
    /// Is that what it should?
    pub ok: bool,
}

fn as_text<S: serde::Serializer>(version: &Version, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(version)
}

/// What a version should end with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    Passes,
    FailsFor(Reason),
}

impl Proof {
    /// "baseline fails, solution passes, 3 mutants caught".
    pub fn summary(&self) -> String {
        let mut parts: Vec<String> = self.skipped.iter().cloned().collect();
        let held = || self.probes.iter().filter(|probe| probe.ok);
        let (mutants, others): (Vec<&Probe>, Vec<&Probe>) = held()
            .filter(|probe| !matches!(probe.version, Version::Style(_)))
            .partition(|probe| matches!(probe.version, Version::Mutant(_)));
        let styles = held().filter(|probe| matches!(probe.version, Version::Style(_))).count();
        parts.extend(others.iter().map(|probe| match probe.verdict.is_good() {
            true if probe.version == Version::Candidate => "every version passes".to_owned(),
            true => format!("{} passes", probe.version),
            false => format!("{} fails ({})", probe.version, probe.expected),
        }));
        match styles {
            0 => {}
            1 => parts.push("1 style passes".to_owned()),
            count => parts.push(format!("{count} styles pass")),
        }
        match mutants.len() {
            0 => {}
            1 => parts.push("1 mutant caught".to_owned()),
            count => parts.push(format!("{count} mutants caught")),
        }
        parts.join(", ")
    }
}

impl Prover<'_> {
    /// Compiles what the proofs of these problems are about.
    ///
    /// # Errors
    ///
    /// There is no toolchain.
    pub fn prepare(&self, ids: &[ProblemId]) -> Result<(), CheckError> {
        if self.files_only {
            return Ok(());
        }
        // What is malformed is its proof's to tell.
        let problems: Vec<Problem> = ids.iter().filter_map(|id| self.workbook.load(id).ok()).collect();
        let versions = |problem| plan(problem).into_iter().map(move |(version, _)| (problem, version));
        check::ahead(&problems.iter().flat_map(versions).collect::<Vec<_>>(), &self.options)
    }

    /// Proves one problem.
    ///
    /// # Errors
    ///
    /// Only what no problem can cause: no toolchain, no worker.
    pub fn prove(&self, id: &ProblemId, progress: check::Progress<'_>) -> Result<Proof, CheckError> {
        let mut proof = Proof { name: id.to_string(), ..Proof::default() };
        let problem = match self.workbook.load(id) {
            Ok(problem) => problem,
            Err(error) => {
                proof.faults.push(error.to_string());
                return Ok(proof);
            }
        };
        proof.faults = audit(self.workbook, &problem);
        // A malformed file would be complained about a second time by every run.
        if self.files_only || !proof.faults.is_empty() {
            return Ok(proof);
        }
        let on_simulator = problem.manifest.backends.contains(&BackendName::Sim);
        if !on_simulator && self.options.backend == BackendChoice::Sim {
            proof.skipped = Some("not run: it needs a GPU".to_owned());
            return Ok(proof);
        }
        // Versions beside the two of a report run on the simulator wherever their problem allows it: a style may be slower than
        // the solution, what it does is what matters. So many at a time as there are cores, each on one; a ladder shares out its own.
        let baselines = Arc::new(Baselines::default());
        let one = |(version, expected): &(Version, Expected)| {
            let beside = on_simulator && problem.kind != Kind::Ladder && is_beside(version);
            let workers = if beside { 1 } else { self.options.budget.workers };
            let options = check::CheckOptions {
                version: Some(version.clone()),
                backend: if on_simulator && is_beside(version) { BackendChoice::Sim } else { self.options.backend },
                everything: problem.kind == Kind::Ladder,
                baselines: Some(baselines.clone()),
                budget: Budget { workers, ..self.options.budget },
                ..self.options.clone()
            };
            match check::check(&problem, &options, &|what| progress(&format!("{version}: {what}"))) {
                Ok(report) => {
                    let (probe, fault) = judge(version, *expected, &report);
                    Ok((Some(probe), fault))
                }
                Err(error) if error.is_usage() => Ok((None, Some(format!("{version}: {error}")))),
                Err(error) => Err(error),
            }
        };
        let plan = plan(&problem);
        let first = plan.partition_point(|(version, _)| !is_beside(version));
        let jobs = if on_simulator && problem.kind != Kind::Ladder { self.options.budget.workers } else { 1 };
        let mut proven = side_by_side(1, &plan[..first], one);
        proven.extend(side_by_side(jobs, &plan[first..], one));
        for outcome in proven {
            let (probe, fault) = outcome?;
            proof.probes.extend(probe);
            proof.faults.extend(fault);
        }
        Ok(proof)
    }
}

/// Neither of the two versions that a report compares.
fn is_beside(version: &Version) -> bool {
    matches!(version, Version::Mutant(_) | Version::Style(_))
}

/// What becomes of each item, so many at a time, in the order of the items.
fn side_by_side<T: Sync, R: Send + Sync>(jobs: usize, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let worker = || loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some(item) = items.get(at) else { return };
        let outcome = work(item);
        done.lock().unwrap_or_else(PoisonError::into_inner).insert(at, outcome);
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs.min(items.len()) {
            scope.spawn(worker);
        }
        worker();
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}

/// The versions of a problem and what each should end with.
fn plan(problem: &Problem) -> Vec<(Version, Expected)> {
    if problem.kind == Kind::Sweep {
        return vec![(Version::Sweep, Expected::Passes)];
    }
    let flaw = problem.manifest.flaw.unwrap_or(Reason::Goal);
    let mut plan = match problem.kind {
        // All versions at once.
        Kind::Ladder => vec![(Version::Candidate, Expected::Passes)],
        _ => vec![(Version::Baseline, Expected::FailsFor(flaw)), (Version::Solution, Expected::Passes)],
    };
    // Right in another way: what the goals ask for is an idea, not a text.
    plan.extend(problem.styles().into_iter().map(|name| (Version::Style(name), Expected::Passes)));
    for name in problem.mutants() {
        let version = Version::Mutant(name);
        // The audit has made sure that every mutant can be read and states its reason.
        let stated = problem.version(&version).ok().and_then(|file| file.mutant().map(|(reason, _)| reason));
        if let Some(reason) = stated {
            plan.push((version, Expected::FailsFor(reason)));
        }
    }
    plan
}

/// Holds a report against what was expected.
fn judge(version: &Version, expected: Expected, report: &Report) -> (Probe, Option<String>) {
    let ok = match expected {
        Expected::Passes => report.verdict.is_good(),
        Expected::FailsFor(reason) => ends_with(report, reason),
    };
    let fault = (!ok).then(|| {
        let found = match report.reasons.as_slice() {
            [] => report.verdict.label().to_owned(),
            reasons => {
                let said: Vec<String> =
                    reasons.iter().take(3).map(|r| format!("{}: {}", r.verdict.label(), r.text)).collect();
                said.join("; ")
            }
        };
        match expected {
            Expected::Passes => format!("{version} should pass, but: {found}"),
            Expected::FailsFor(Reason::Goal) => format!("{version} should be right and fail a goal, but: {found}"),
            Expected::FailsFor(Reason::Slow) => {
                format!("{version} should be right and fail for its modelled time alone, but: {found}")
            }
            Expected::FailsFor(reason) => format!("{version} should fail for `{}`, but: {found}", reason.name()),
        }
    });
    let expected = match expected {
        Expected::Passes => "passes".to_owned(),
        Expected::FailsFor(reason) => reason.name().to_owned(),
    };
    let probe = Probe { version: version.clone(), expected, verdict: report.verdict, ok };
    // A shipped baseline that is wrong though nobody says so is found by the solution's check.
    let own = report.baseline_fails.then(|| report.notes.join("; "));
    (probe, fault.or(own))
}

/// Does the report fail for that reason, first or among others?
fn ends_with(report: &Report, reason: Reason) -> bool {
    if report.verdict.is_good() {
        return false;
    }
    let of_finding = match reason {
        Reason::Finding(finding) => Verdict::of_kind(finding),
        _ => None,
    };
    let wanted: &[Verdict] = match reason {
        Reason::WrongResult => &[Verdict::WrongResult],
        Reason::Guard => &[Verdict::GuardDamaged],
        Reason::InputChanged => &[Verdict::InputChanged],
        Reason::Goal => return report.verdict == Verdict::NotYet,
        Reason::Slow => return is_only_slow(report),
        Reason::Compile => &[Verdict::DoesNotCompile],
        Reason::Launch => &[Verdict::BadLaunch, Verdict::BadKernelFile],
        Reason::Finding(_) => of_finding.as_slice(),
    };
    wanted.contains(&report.verdict)
        || report.reasons.iter().any(|reason| wanted.contains(&reason.verdict))
        || report.findings.iter().any(|caught| Verdict::of(&caught.finding).is_some_and(|v| wanted.contains(&v)))
}

/// Is the modelled time all that a right kernel fails for?
fn is_only_slow(report: &Report) -> bool {
    let mut unmet = report.goals.iter().filter(|goal| goal.status == GoalStatus::NotMet).peekable();
    let any = unmet.peek().is_some();
    report.verdict == Verdict::NotYet && any && unmet.all(|goal| goal.provenance == Some(Provenance::Modelled))
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::{self, Caught, RanOn, Subject, SubjectKind};
    use simulator::{Access, Finding, FindingKind, Place, Severity};

    fn report(verdict: Verdict) -> Report {
        let subject = Subject { name: "ex01".into(), title: String::new(), chapter: None, kind: SubjectKind::Exercise };
        let mut report = Report::new(subject, RanOn::Sim { schedules: Vec::new() }, 1);
        report.verdict = verdict;
        if !verdict.is_good() {
            report.reasons.push(report::Reason::new(verdict, "so it ended"));
        }
        report
    }

    fn every_finding() -> Vec<FindingKind> {
        let access = Access::default;
        vec![
            FindingKind::OutOfBounds { access: access() },
            FindingKind::Misaligned { access: access() },
            FindingKind::WriteToConstant { access: access() },
            FindingKind::Uninitialised { access: access(), usage: Default::default() },
            FindingKind::Race { first: access(), second: access(), hidden_before_volta: false },
            FindingKind::Trap,
            FindingKind::Assert { message: String::new() },
            FindingKind::Deadlock { explanation: Vec::new() },
            FindingKind::Livelock { polls: Vec::new(), explanation: Vec::new() },
            FindingKind::DivergentBarrier { explanation: String::new() },
            FindingKind::SyncMask { explanation: String::new() },
            FindingKind::StepLimit { limit: 1, turns: 0, polls: Vec::new() },
            FindingKind::StackOverflow { limit: 1 },
            FindingKind::BadJump { target: 0 },
        ]
    }

    fn caught(kind: FindingKind) -> Caught {
        Caught {
            version: "mutant".into(),
            sizes: report::Sizes::new(),
            schedule: "its".into(),
            finding: Finding { kind, severity: Severity::Error, place: Place::default(), count: 1 },
        }
    }

    /// A finding is the reason of its own name and of no other, whether it gave the verdict or stands behind it.
    #[test]
    fn every_finding_is_a_reason_by_its_own_name() {
        for kind in every_finding() {
            let name = serde_json::to_value(&kind).unwrap()["kind"].as_str().unwrap().to_owned();
            let own = Reason::from_name(&name).unwrap_or_else(|| panic!("no reason is called {name}"));
            assert!(own.is_finding());
            let caught = caught(kind);
            let first = report(Verdict::of(&caught.finding).unwrap());
            let mut behind = report(Verdict::WrongResult);
            behind.findings.push(caught);
            for reason in Reason::ALL {
                assert_eq!(ends_with(&first, reason), reason == own, "{name} first, {reason:?}");
                let expected = reason == own || reason == Reason::WrongResult;
                assert_eq!(ends_with(&behind, reason), expected, "{name} behind a wrong result, {reason:?}");
            }
        }
        assert_eq!(every_finding().len(), Reason::ALL.into_iter().filter(|reason| reason.is_finding()).count());
    }

    #[test]
    fn a_goal_is_failed_only_by_a_right_kernel() {
        assert!(ends_with(&report(Verdict::NotYet), Reason::Goal));
        assert!(!ends_with(&report(Verdict::WrongResult), Reason::Goal));
        for reason in Reason::ALL {
            assert!(!ends_with(&report(Verdict::Passed), reason), "{reason:?}");
        }
    }

    #[test]
    fn faults_say_what_was_expected_and_what_was_found() {
        let mutant = Version::Mutant("tail".into());
        let cases = [
            (
                &mutant,
                Expected::FailsFor(Reason::Finding(simulator::FindingName::Race)),
                Verdict::Passed,
                "mutant tail should fail for `race`, but: PASSED",
            ),
            (
                &mutant,
                Expected::FailsFor(Reason::Finding(simulator::FindingName::Race)),
                Verdict::Trap,
                "mutant tail should fail for `race`, but: TRAP: so it ended",
            ),
            (&Version::Solution, Expected::Passes, Verdict::NotYet, "solution should pass, but: NOT YET: so it ended"),
            (
                &Version::Baseline,
                Expected::FailsFor(Reason::Goal),
                Verdict::Passed,
                "baseline should be right and fail a goal, but: PASSED",
            ),
        ];
        for (version, expected, verdict, says) in cases {
            let (probe, fault) = judge(version, expected, &report(verdict));
            assert_eq!((probe.ok, fault.as_deref()), (false, Some(says)));
        }
        let (probe, fault) = judge(&mutant, Expected::FailsFor(Reason::WrongResult), &report(Verdict::WrongResult));
        assert_eq!((probe.ok, fault), (true, None));
        let proof = Proof { name: "ex01".into(), probes: vec![probe], ..Proof::default() };
        assert_eq!(proof.summary(), "1 mutant caught");
    }

    /// A wrong baseline shows in the solution's report, as a note; it must not pass unseen.
    #[test]
    fn a_baseline_that_is_wrong_itself_is_a_fault() {
        let mut passed = report(Verdict::Passed);
        passed.baseline_fails = true;
        passed.notes.push("the starter version itself fails at n = 1: WRONG RESULT: `y` is wrong".into());
        let (probe, fault) = judge(&Version::Solution, Expected::Passes, &passed);
        assert!(probe.ok && fault.is_some());
    }
}
