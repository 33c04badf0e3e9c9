//! What `checker dev check` proves of one problem.

use problem::{Kind, Problem, ProblemId, Reason, Version};
use report::{GoalStatus, Provenance, Report, Verdict};
use serde::Serialize;

/// What was found out about one problem.
#[derive(Debug, Clone, Default, Serialize)]
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
#[derive(Debug, Clone, Serialize)]
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
pub enum Expected {
    /// All goals met.
    Passes,
    /// That, first or among others.
    FailsFor(Reason),
}

impl Proof {
    /// Of a problem of which nothing is known yet.
    pub fn of(id: &ProblemId) -> Self {
        Self { name: id.to_string(), ..Self::default() }
    }

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

/// Neither of the two versions that a report compares.
pub fn is_beside(version: &Version) -> bool {
    matches!(version, Version::Mutant(_) | Version::Style(_))
}

/// The versions of a problem and what each should end with.
pub fn plan(problem: &Problem) -> Vec<(Version, Expected)> {
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
pub fn judge(version: &Version, expected: Expected, report: &Report) -> (Probe, Option<String>) {
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
        Reason::WrongResult => &[Verdict::WrongResult, Verdict::NotVerified],
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
            FindingKind::SyncMask { explanation: Vec::new(), usage: None },
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
