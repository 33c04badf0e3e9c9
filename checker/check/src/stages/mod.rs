//! The pipeline of a pair or an exercise.

pub(crate) mod beside;
mod correctness;
pub(crate) mod difference;
mod early;
pub(crate) mod elsewhere;
mod farther;
pub(crate) mod judge;
mod kept;
pub mod modelled;
pub(crate) mod numbers;
mod one_way;
pub(crate) mod recorded;
pub(crate) mod roof;
mod slower;
mod so_far;
pub(crate) mod stage;
pub(crate) mod time;
mod uneven;
pub(crate) mod verify;

use super::build::{BuildError, Built};
use super::context::CheckContext;
use super::platform::Platform;
use super::unfilled;
use super::versions::{Versions, assemble, labels};
use super::{CheckError, kernel_path, line_reason, refused};
use account::schedule_name;
use account::try_first;
use compiler::compile::CompileError;
use execution::backend::Checked;
use judge::verdict;
use numbers::Known;
use plan::Plan;
use problem::{Condition, Kind, Metric, MetricSource, Problem, ProblemError, Sizes};
use report::{self, GoalResult, GoalStatus, RanOn, Reason, Report, StageName, Verdict};
use stage::{fail, pass, skip};
use std::path::PathBuf;
use std::time::Instant;
use verify::Results;

/// Runs the pipeline and fills the report.
pub fn check(check: CheckContext<'_>) -> Result<(), CheckError> {
    let CheckContext { problem, options, .. } = check;
    let until = options.budget.until();
    let version = options.version();
    let labels = labels(problem, &version);
    let paths = [kernel_path(problem, &problem::Version::Baseline)?, kernel_path(problem, &version)?];
    check.report.versions = labels
        .iter()
        .zip(&paths)
        .map(|(label, path)| report::Version { label: label.clone(), file: check.sources.name(path) })
        .collect();
    Checking { check, version, paths, until, profiles: None }.all()
}

/// A check under way.
struct Checking<'a> {
    check: CheckContext<'a>,
    /// The candidate.
    version: problem::Version,
    /// Files of the baseline and the candidate.
    paths: [PathBuf; 2],
    /// When all has to end.
    until: Instant,
    /// What blocks of baseline and candidate do at the `time` size, if it has been looked at already.
    profiles: Option<modelled::Profiles>,
}

/// What the runs of a candidate that is right have shown, of the baseline and of itself.
#[derive(Default)]
struct Shown {
    /// At the `count` size.
    counted: [Option<Checked>; 2],
    /// At a second size.
    besides: [Option<(Sizes, Checked)>; 2],
    /// At larger sizes at which the candidate seems to do worse.
    farther: [Vec<(Sizes, Checked)>; 2],
    /// At a size at which what ran is not what was compiled, that.
    kept: Option<GoalResult>,
    /// What the simulator could not run, and a GPU did.
    left_out: Vec<Reason>,
}

impl Checking<'_> {
    /// Stage after stage, as far as it goes.
    fn all(mut self) -> Result<(), CheckError> {
        if !self.can_be_read()? {
            return Ok(());
        }
        let here = self.check.platforms.sim.as_ref().or(self.check.platforms.gpu.as_ref());
        let Some(first) = here else {
            return Err(CheckError::Shipped {
                problem: self.check.problem.id.to_string(),
                what: "the list of backends",
                message: "it runs on a GPU only, and there is none here".into(),
            });
        };
        let Some(versions) = self.compiled(first)? else { return Ok(()) };
        let Some(shown) = self.is_right(&versions, first)? else { return Ok(()) };
        self.numbers(&versions, &first.arch, shown)
    }

    /// The learner's lines first: nothing else is worth a second if they cannot be read.
    fn can_be_read(&mut self) -> Result<bool, CheckError> {
        match self.check.problem.version(&self.version) {
            Err(ProblemError::Line(error)) => {
                let reason = line_reason(Verdict::BadKernelFile, &error, self.check.sources);
                fail(self.check.report, StageName::Compile, "a line cannot be read", vec![reason]);
                Ok(false)
            }
            Err(ProblemError::Read { path, source })
                if self.check.problem.kind == Kind::Exercise && source.kind() == std::io::ErrorKind::NotFound =>
            {
                let problem = self.check.problem.id.to_string();
                if self.version != problem::Version::Candidate {
                    return Err(CheckError::NoSolution { problem });
                }
                Err(CheckError::Gone { path: self.check.sources.name(&path), problem })
            }
            Err(error) => Err(error.into()),
            Ok(file) => {
                self.check.sources.hold(file.path(), file.text());
                Ok(true)
            }
        }
    }

    /// All versions compiled, or the reason why the candidate cannot be.
    fn compiled(&mut self, platform: &Platform) -> Result<Option<Versions>, CheckError> {
        (self.check.progress)("compiling");
        let versions =
            match assemble(self.check.toolchain, self.check.problem, &self.version, platform, Some(self.until)) {
                Ok(versions) => versions,
                Err(stop) => {
                    if let BuildError::Compile(error @ (CompileError::TooSlow { .. } | CompileError::GaveUp { .. })) =
                        &stop
                    {
                        self.check.report.cut = Some(error.to_string());
                    }
                    let reasons = refused(stop, self.check.sources)?;
                    let summary = match reasons.first().map(|reason| reason.verdict) {
                        Some(Verdict::DoesNotCompile) => "the compiler refuses it",
                        _ => "a launch cannot be made",
                    };
                    fail(self.check.report, StageName::Compile, summary, reasons);
                    return Ok(None);
                }
            };
        versions.baseline.quoted_in(self.check.sources);
        versions.candidate.quoted_in(self.check.sources);
        let compiled = &versions.candidate.compiled;
        let cached = if compiled.cached { ", from the cache" } else { "" };
        pass(self.check.report, StageName::Compile, format!("{} for {}{cached}", compiled.compiler, platform.arch));
        for warning in &compiled.warnings {
            let file = self.check.sources.name(&self.paths[1]);
            let place = warning.line.map(|line| format!("{file}:{line}: ")).unwrap_or_default();
            self.check.report.notes.push(format!("{place}{}", warning.message));
        }
        self.check.report.notes.extend(unfilled(&versions.candidate).into_iter().map(|name| {
            let shown = account::reasons::name(name);
            format!(
                "nothing fills {shown}, so it is all zeros: a line `//@ constant NAME = INPUT` copies an input there before the launches"
            )
        }));
        Ok(Some(versions))
    }

    /// Time, the table, the goals and the verdict on them.
    fn numbers(self, versions: &Versions, arch: &str, shown: Shown) -> Result<(), CheckError> {
        let (problem, report) = (self.check.problem, self.check.report);
        let Shown { counted, besides, farther, kept, left_out } = shown;
        let plan = |built: &Built| -> Option<Plan> {
            built.plan(&problem.manifest.count, &problem.io(&problem.manifest.count).ok()?).ok()
        };
        let built = [&versions.baseline, &versions.candidate];
        let plans = built.map(plan);
        let mut known: [Known<'_>; 2] = std::array::from_fn(|side| Known {
            built: Some(built[side]),
            plan: plans[side].as_ref(),
            counters: counted[side].as_ref().and_then(|checked| numbers::counted(built[side], checked)),
            coverage: counted[side].as_ref().map(|checked| checked.coverage.as_slice()),
            ..Known::default()
        });
        if let [Some(before), Some(after)] = &plans {
            let hottest = |side: usize, plan| difference::hottest(built[side], plan, &launches(counted[side].as_ref()));
            let both = hottest(0, before).zip(hottest(1, after));
            report.diff = both.map(|(old, new)| difference::compare(arch, old, new, self.check.options.whole_diff));
        }
        if let (Some(gpu), None) = (&self.check.platforms.gpu, problem.manifest.flaw) {
            (self.check.progress)("measuring");
            let until = self.check.options.budget.measures_within.then_some(self.until);
            time::measure(problem, self.check.toolchain, gpu, &self.version, until, report, &mut known)?;
            if let Some(reason) = report.reasons.first() {
                // Right when checked and wrong when timed.
                report.verdict = reason.verdict;
                report.try_first = try_first(reason);
                return Ok(());
            }
        } else if problem.manifest.flaw.is_some() {
            skip(report, StageName::Time, "never timed: the baseline is wrong, not slow");
        } else {
            skip(report, StageName::Time, "no GPU here");
        }
        if report.speedup.is_none() {
            report.recorded = recorded::speedup(problem);
        }
        let models = report.speedup.is_none();
        // What the baseline can be modelled for and this cannot, for what it does, is not known to be as fast.
        let own_doing = std::cell::Cell::new(false);
        let mut profiles = self.profiles;
        let mut model = |known: &mut Known<'_>, report: &mut Report| {
            let Some(sim) = &self.check.platforms.sim else { return };
            let profiles = profiles
                .take()
                .unwrap_or_else(|| modelled::profiles(problem, sim, built, report.seed, &early::options(self.until)));
            match modelled::compare(problem, sim, built, profiles) {
                Ok(found) => {
                    known.modelled = Some(found.high);
                    report.modelled = Some(found);
                }
                Err(found) => {
                    // What cannot be modelled for what it does has not met a goal on that.
                    known.modelled = found.own_doing.then_some(0.0);
                    own_doing.set(found.own_doing && !found.excused);
                    report.not_modelled = Some(found.why);
                }
            }
        };
        let flawed = problem.manifest.flaw.is_some();
        let modelled = models && !flawed && early::asks(problem, self.check.options);
        if modelled {
            model(&mut known[1], report);
        }
        report.counters = known.iter().filter_map(|side| side.counters).collect();
        let times = std::mem::take(&mut report.table);
        report.table = known[1].table(Some(&known[0]), &problem.manifest.goals);
        report.table.extend(times);
        goals(problem, versions, &known, &besides, &farther, report);
        let whose = report.versions.first().map(|version| version.label.clone()).unwrap_or_default();
        report.goals.extend(uneven::broken(problem, &whose, &counted).into_iter().chain(kept));
        if models && report.goals.iter().all(|goal| goal.status != GoalStatus::NotMet) {
            if !modelled && slower::floor(problem).is_some() {
                model(&mut known[1], report);
            }
            bounded(problem, own_doing.get(), report);
        }
        report.goals.extend(report.speedup.as_ref().and_then(|speedup| slower::measured(problem, speedup)));
        verdict(problem, report, &versions.candidate, self.check.sources);
        not_judged(report, left_out);
        Ok(())
    }
}

/// Judges the bound on a modelled time. Where the starter is wrong and not slow, how fast a version is was not the question.
fn bounded(problem: &Problem, own_doing: bool, report: &mut Report) {
    let broken = slower::broken(problem, report.modelled.as_ref(), own_doing);
    if problem.manifest.flaw.is_some() && broken.is_none() {
        report.notes.extend(slower::right_and_slow(problem, report.modelled.as_ref()));
        (report.modelled, report.not_modelled) = (None, None);
    }
    report.goals.extend(broken);
}

/// The counters of each launch, by kernel.
fn launches(checked: Option<&Checked>) -> Vec<(String, simulator::Counters)> {
    let launches = checked.map(|checked| checked.launches.as_slice()).unwrap_or_default();
    launches.iter().map(|launch| (launch.kernel.clone(), launch.counters)).collect()
}

/// Judges the goals, at the `count` size and at the second one, and the work that both versions do.
fn goals(
    problem: &Problem,
    versions: &Versions,
    known: &[Known<'_>; 2],
    besides: &[Option<(Sizes, Checked)>; 2],
    [before, after]: &[Vec<(Sizes, Checked)>; 2],
    report: &mut Report,
) {
    let measured = report.speedup.as_ref().map(|speedup| speedup.provenance.clone());
    let whose = report.versions.first().map(|version| version.label.clone()).unwrap_or_default();
    report.goals = numbers::goals(&problem.manifest.goals, &whose, Some(&known[0]), &known[1], measured.as_ref());
    everywhere(problem, &versions.candidate, report);
    let work = numbers::work(problem, &whose, &known[0], &known[1], 1.0);
    let there = |sizes, results, enough| elsewhere::There {
        sizes,
        results,
        built: [&versions.baseline, &versions.candidate],
        enough,
    };
    if let [Some((sizes, before)), Some((_, after))] = besides {
        let there = there(sizes, [before, after], elsewhere::Enough::HalfWay);
        elsewhere::judge(problem, known, &there, &mut report.goals);
        if work.is_empty() {
            report.goals.extend(elsewhere::work(problem, &whose, &there));
        }
    }
    for ((sizes, before), (_, after)) in before.iter().zip(after) {
        elsewhere::judge(problem, known, &there(sizes, [before, after], elsewhere::Enough::Nearly), &mut report.goals);
    }
    report.goals.extend(work);
}

/// What could not be judged because of what the kernel does is not passed: findings and counters that the simulator did not
/// get to see.
fn not_judged(report: &mut Report, mut left_out: Vec<Reason>) {
    let Some(first) = left_out.first_mut() else { return };
    first.details.insert(0, "so no findings were looked for, and no goal on counters was judged".to_owned());
    report.verdict = Verdict::Unsupported;
    report.try_first = try_first(first);
    report.learned = None;
    left_out.append(&mut report.reasons);
    report.reasons = left_out;
}

/// A kernel of its own for the size that is counted would dodge the goals: upper bounds on machine code hold for the
/// kernels of every size, and what a launch is asked for also at the `time` size.
fn everywhere(problem: &Problem, candidate: &Built, report: &mut Report) {
    let sizes = problem.manifest.cases.iter().chain([&problem.manifest.time]);
    let plans: Vec<Plan> = sizes.filter_map(|sizes| candidate.plan(sizes, &problem.io(sizes).ok()?).ok()).collect();
    for (goal, result) in problem.manifest.goals.iter().zip(&mut report.goals) {
        let source = goal.metric.source();
        let code = matches!(source, MetricSource::Sass | MetricSource::Resources);
        let bounded = goal.conditions.iter().any(|condition| matches!(condition, Condition::Max(_)));
        let launched = source == MetricSource::Plan || goal.metric == Metric::Occupancy;
        let plans = match (code && bounded, launched) {
            (true, _) => &plans[..],
            (false, true) => &plans[plans.len().saturating_sub(1)..],
            _ => continue,
        };
        if result.status != GoalStatus::Met {
            continue;
        }
        for plan in plans {
            let known = Known { built: Some(candidate), plan: Some(plan), ..Known::default() };
            if let Some(value) = known.value(&goal.metric).filter(|value| !goal.judge(result.baseline, *value)) {
                result.status = GoalStatus::NotMet;
                result.value = Some(value);
                result.value_text = Some(goal.metric.format(value));
            }
        }
    }
}

fn machine(platform: &Platform, candidate: &Results) -> RanOn {
    match &platform.gpu {
        Some(info) => RanOn::Gpu { device: info.name.clone(), driver: time::driver(info) },
        None => RanOn::Sim { schedules: candidate.schedules.iter().map(schedule_name).collect() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::{Subject, SubjectKind};

    /// On a machine with a GPU the result may be right there; what the simulator did not get to see is not passed by that.
    #[test]
    fn what_the_simulator_left_out_is_not_passed() {
        let subject = Subject { name: "ex01".into(), title: String::new(), chapter: None, kind: SubjectKind::Exercise };
        let passed = || {
            let mut report = Report::new(subject.clone(), RanOn::Sim { schedules: Vec::new() }, 1);
            (report.verdict, report.learned) = (Verdict::Passed, Some("something".into()));
            report
        };
        let left_out = Reason::new(Verdict::Unsupported, "the simulator does not know `wgmma`");
        let mut report = passed();
        not_judged(&mut report, vec![left_out]);
        assert_eq!((report.verdict, &report.learned), (Verdict::Unsupported, &None));
        assert!(
            report.reasons[0].text.contains("wgmma") && report.reasons[0].details[0].contains("no goal"),
            "{report:?}"
        );
        let mut report = passed();
        not_judged(&mut report, Vec::new());
        assert_eq!(report.verdict, Verdict::Passed);
    }
}
