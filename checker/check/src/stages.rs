//! The pipeline of a pair or an exercise.

use super::build::{Built, Refused};
use super::judge::{failure_summary, judge, results_summary, verdict};
use super::numbers::{self, Known};
use super::platform::{Platform, Platforms};
use super::stage::{fail, pass, skip};
use super::team::{Cubins, Team, assemble, fault_of, labels, not_here};
use super::verify::{Bench, Results, schedules};
use super::{CheckError, Options, Progress, elsewhere, hot, kernel_path, line_reason, refused, time};
use account::reasons;
use account::schedule_name;
use compiler::compile::CompileError;
use compiler::toolchain::Toolchain;
use execution::backend::{Checked, Thoroughness};
use plan::Plan;
use problem::{Condition, Kind, MetricSource, Problem, ProblemError, Sizes};
use report::{self, GoalStatus, Machine, Reason, Report, Sources, Stage, StageName, StageStatus, Verdict};
use simulator::Schedule;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Runs the pipeline and fills the report.
pub fn check(
    problem: &Problem,
    toolchain: &Toolchain,
    platforms: &Platforms,
    options: &Options,
    report: &mut Report,
    sources: &mut Sources,
    progress: Progress<'_>,
) -> Result<(), CheckError> {
    let until = Instant::now() + Duration::from_secs(options.budget.seconds);
    let version = options.version();
    let labels = labels(problem, &version);
    let paths = [kernel_path(problem, &problem::Version::Baseline)?, kernel_path(problem, &version)?];
    report.versions = labels
        .iter()
        .zip(&paths)
        .map(|(label, path)| report::Version { label: label.clone(), file: sources.name(path) })
        .collect();

    // The learner's lines first: nothing else is worth a second if they cannot be read.
    match problem.version(&version) {
        Err(ProblemError::Line(error)) => {
            let reason = line_reason(Verdict::BadKernelFile, &error, sources);
            fail(report, StageName::Compile, "a line cannot be read", vec![reason]);
            return Ok(());
        }
        Err(ProblemError::Read { path, source })
            if problem.kind == Kind::Exercise && source.kind() == std::io::ErrorKind::NotFound =>
        {
            return Err(CheckError::Gone { path: sources.name(&path), problem: problem.id.to_string() });
        }
        Err(error) => return Err(error.into()),
        Ok(file) => sources.hold(file.path(), file.text()),
    }

    let here = platforms.sim.clone().or_else(|| platforms.gpu.clone());
    let Some(first) = here else {
        return Err(CheckError::Shipped {
            problem: problem.id.to_string(),
            what: "the list of backends",
            message: "it runs on a GPU only, and there is none here".into(),
        });
    };
    progress("compiling");
    let team = match assemble(toolchain, problem, &version, &first) {
        Ok(team) => team,
        Err(stop) => {
            if let Refused::Compile(error @ (CompileError::TooSlow { .. } | CompileError::GaveUp { .. })) = &stop {
                report.cut = Some(error.to_string());
            }
            let reasons = refused(stop, sources)?;
            let summary = match reasons.first().map(|reason| reason.verdict) {
                Some(Verdict::DoesNotCompile) => "the compiler refuses it",
                _ => "a launch cannot be made",
            };
            fail(report, StageName::Compile, summary, reasons);
            return Ok(());
        }
    };
    team.baseline.quoted_in(sources);
    team.candidate.quoted_in(sources);
    let cached = if team.candidate.compiled.cached { ", from the cache" } else { "" };
    let summary = format!("{} for {}{cached}", team.candidate.compiled.compiler, first.arch);
    pass(report, StageName::Compile, summary);
    report.notes.extend(team.candidate.compiled.warnings.iter().map(|warning| {
        let place = warning.line.map(|line| format!("{}:{line}: ", sources.name(&paths[1]))).unwrap_or_default();
        format!("{place}{}", warning.message)
    }));

    // Correctness, here and on the GPU.
    let mut known = [Known::default(), Known::default()];
    let mut counted: [Option<Checked>; 2] = [None, None];
    let mut besides: [Option<(Sizes, Checked)>; 2] = [None, None];
    let mut left_out: Vec<Reason> = Vec::new();
    let cut = OnceLock::new();
    let course = Course { options, seed: report.seed, until, cut: &cut };
    for platform in platforms.sim.iter().chain(&platforms.gpu) {
        let on_gpu = platform.gpu.is_some();
        progress(if on_gpu { "running on the GPU" } else { "simulating" });
        let rebuilt = if platform.arch == first.arch && platform.device == first.device {
            None
        } else {
            Some(assemble(toolchain, problem, &version, platform).map_err(|stop| not_here(problem, stop))?)
        };
        let team = rebuilt.as_ref().unwrap_or(&team);
        team.candidate.quoted_in(sources);
        let results = correctness(problem, platform, team, &course, progress);
        report.cut = cut.get().cloned();
        let (baseline, candidate) = match results {
            Ok(results) => results,
            Err(stop) => {
                let reasons = refused(stop, sources)?;
                fail(report, StageName::Results, "the launch cannot be made", reasons);
                return Ok(());
            }
        };
        report.machine = machine(platform, &candidate);
        if !on_gpu || report.held.is_none() {
            report.held = Some(held(&team.candidate, &candidate, on_gpu));
        }
        let reasons = judge(problem, &baseline, &candidate, &paths, report, sources, on_gpu)?;
        // What the simulator cannot run is tried on a GPU, for its result; the check is not passed by that.
        let unsupported = !reasons.is_empty() && reasons.iter().all(|reason| reason.verdict == Verdict::Unsupported);
        if unsupported && !on_gpu && platforms.gpu.is_some() {
            left_out = reasons;
            let summary = "not looked for: the simulator does not know all that the kernel does";
            report.stages.push(Stage {
                name: StageName::Findings,
                status: StageStatus::Failed,
                summary: summary.to_owned(),
            });
            continue;
        } else if !reasons.is_empty() {
            let summary = failure_summary(&candidate);
            let stage = if reasons.iter().any(|reason| reason.verdict == Verdict::WrongResult) {
                StageName::Results
            } else {
                StageName::Findings
            };
            fail(report, stage, summary, reasons);
            return Ok(());
        }
        if !on_gpu {
            counted = [baseline.count, candidate.count.clone()];
            besides = [baseline.elsewhere, candidate.elsewhere.clone()];
        }
        pass(report, StageName::Results, results_summary(problem, &candidate, platform));
        if !on_gpu {
            let summary = "no race, bad access, unwritten read or divergent barrier";
            pass(report, StageName::Findings, summary);
        }
    }

    // Numbers.
    let plan = |built: &Built| -> Option<Plan> {
        built.plan(&problem.manifest.count, &problem.io(&problem.manifest.count).ok()?).ok()
    };
    let plans = [plan(&team.baseline), plan(&team.candidate)];
    for (index, built) in [&team.baseline, &team.candidate].into_iter().enumerate() {
        known[index].built = Some(built);
        known[index].plan = plans[index].as_ref();
        known[index].counters = counted[index].as_ref().and_then(|checked| checked.counters);
        known[index].coverage = counted[index].as_ref().map(|checked| checked.coverage.as_slice());
    }
    let counts = |index: usize| -> Vec<(String, simulator::Counters)> {
        let launches = counted[index].as_ref().map(|checked| checked.launches.as_slice()).unwrap_or_default();
        launches.iter().map(|launch| (launch.kernel.clone(), launch.counters)).collect()
    };
    if let [Some(before), Some(after)] = &plans {
        let old = hot::hottest(&team.baseline, before, &counts(0));
        let new = hot::hottest(&team.candidate, after, &counts(1));
        if let (Some(old), Some(new)) = (old, new) {
            report.diff = Some(hot::compare(&first.arch, old, new, options.whole_diff));
        }
    }
    if let (Some(gpu), None) = (&platforms.gpu, problem.manifest.flaw) {
        progress("measuring");
        time::measure(problem, toolchain, gpu, &version, report, &mut known)?;
        if let Some(reason) = report.reasons.first() {
            // Right when checked and wrong when timed.
            report.verdict = reason.verdict;
            report.try_first = reasons::try_first(reason);
            return Ok(());
        }
    } else if problem.manifest.flaw.is_some() {
        skip(report, StageName::Time, "never timed: the baseline is wrong, not slow");
    } else {
        skip(report, StageName::Time, "no GPU here");
    }
    if report.speedup.is_none() {
        report.recorded = time::recorded(problem);
    }
    report.counters = known.iter().filter_map(|side| side.counters).collect();
    let times = std::mem::take(&mut report.table);
    report.table = known[1].table(Some(&known[0]), &problem.manifest.goals);
    report.table.extend(times);
    let measured = report.speedup.as_ref().map(|speedup| speedup.provenance.clone());
    let whose = report.versions.first().map(|version| version.label.clone()).unwrap_or_default();
    report.goals = numbers::goals(&problem.manifest.goals, &whose, Some(&known[0]), &known[1], measured.as_ref());
    everywhere(problem, &team.candidate, report);
    let work = numbers::work(problem, &whose, &known[0], &known[1], 1.0);
    if let [Some((sizes, before)), Some((_, after))] = &besides {
        let there = elsewhere::There { sizes, results: [before, after], built: [&team.baseline, &team.candidate] };
        elsewhere::judge(problem, &known, &there, &mut report.goals);
        if work.is_empty() {
            report.goals.extend(elsewhere::work(problem, &whose, &there));
        }
    }
    report.goals.extend(work);
    verdict(problem, report, &team.candidate, sources);
    not_judged(report, left_out);
    Ok(())
}

/// What could not be judged because of what the kernel does is not passed: findings and counters that the simulator did not
/// get to see.
fn not_judged(report: &mut Report, mut left_out: Vec<Reason>) {
    let Some(first) = left_out.first_mut() else { return };
    first.details.insert(0, "so no findings were looked for, and no goal on counters was judged".to_owned());
    report.verdict = Verdict::Unsupported;
    report.try_first = reasons::try_first(first);
    report.learned = None;
    left_out.append(&mut report.reasons);
    report.reasons = left_out;
}

/// A kernel of its own for the size that is counted would dodge the goals: upper bounds on machine code hold for the
/// kernels of every size.
fn everywhere(problem: &Problem, candidate: &Built, report: &mut Report) {
    let sizes = problem.manifest.cases.iter().chain([&problem.manifest.time]);
    let plans: Vec<Plan> = sizes.filter_map(|sizes| candidate.plan(sizes, &problem.io(sizes).ok()?).ok()).collect();
    for (goal, result) in problem.manifest.goals.iter().zip(&mut report.goals) {
        let code = matches!(goal.metric.source(), MetricSource::Sass | MetricSource::Resources);
        let bounded = goal.conditions.iter().any(|condition| matches!(condition, Condition::Max(_)));
        if !code || !bounded || result.status != GoalStatus::Met {
            continue;
        }
        for plan in &plans {
            let known = Known { built: Some(candidate), plan: Some(plan), ..Known::default() };
            if let Some(value) = known.value(&goal.metric).filter(|value| !goal.judge(result.baseline, *value)) {
                result.status = GoalStatus::NotMet;
                result.value = Some(value);
                result.value_text = Some(goal.metric.format(value));
            }
        }
    }
}

/// What all runs of a check share.
#[derive(Clone, Copy)]
struct Course<'a> {
    options: &'a Options,
    seed: u64,
    until: Instant,
    cut: &'a OnceLock<String>,
}

/// Runs both versions, on the simulator at the same time, on a GPU one after the other. A baseline that is right is only
/// counted: that it is right was proven when it was written.
fn correctness(
    problem: &Problem,
    platform: &Platform,
    team: &Team,
    course: &Course<'_>,
    progress: Progress<'_>,
) -> Result<(Results, Results), Refused> {
    let Course { options, seed, until, cut } = *course;
    let budget = options.budget;
    let files = match platform.gpu {
        Some(_) => Some(Cubins::write(team).map_err(|error| Refused::Error(error.into()))?),
        None => None,
    };
    let cubin = |index: usize| files.as_ref().map(|files| files.path(index));
    let reference_cubin = cubin(2);
    let reference = &team.reference;
    let bench = Bench { problem, platform, reference, reference_cubin, seed, budget, until, cut, progress };
    let flawed = problem.manifest.flaw.is_some();
    let kept = options.baselines.as_deref().filter(|_| platform.gpu.is_none());
    let baseline = || {
        if let Some(known) = kept.and_then(|kept| kept.get(problem, seed)) {
            return Ok(known);
        }
        let result = if platform.gpu.is_some() {
            bench.run(&team.baseline, cubin(0), Thoroughness::Once, vec![Schedule::Its])
        } else if flawed {
            // A flaw may show under some orders only.
            bench.run(&team.baseline, None, Thoroughness::Once, schedules(&team.baseline, seed))
        } else {
            let count = &problem.manifest.count;
            bench.counted(&team.baseline, std::slice::from_ref(count)).map(|mut counted| {
                let counted = counted.pop();
                let cases = counted.iter().map(|checked| (count.clone(), checked.clone())).collect();
                Results { cases, count: counted, schedules: vec![Schedule::Its], ..Results::default() }
            })
        };
        let with_elsewhere = |mut results: Results| {
            results.elsewhere = bench.elsewhere(&team.baseline, false)?;
            Ok(results)
        };
        let result = result.and_then(with_elsewhere).map_err(|stop| fault_of(problem, "the baseline", stop));
        if let (Some(kept), Ok(results), None) = (kept, &result, cut.get()) {
            kept.keep(problem, seed, results);
        }
        result
    };
    let candidate = || {
        let schedules = if platform.gpu.is_some() { Vec::new() } else { schedules(&team.candidate, seed) };
        bench.run(&team.candidate, cubin(1), Thoroughness::Full, schedules)
    };
    let (baseline, candidate) =
        if platform.gpu.is_some() { (baseline(), candidate()) } else { rayon::join(baseline, candidate) };
    let candidate = candidate?;
    Ok((baseline?, candidate))
}

/// What held the candidate's processes in.
fn held(built: &Built, results: &Results, on_gpu: bool) -> report::Held {
    let names = |guards: [(&str, bool); 3]| {
        guards.into_iter().filter(|(_, held)| *held).map(|(name, _)| name.to_owned()).collect()
    };
    let (linux, unix) = (cfg!(target_os = "linux"), cfg!(unix));
    let compiled = &built.compiled;
    let closed =
        results.cases.iter().filter(|(_, checked)| !checked.runs.is_empty()).all(|(_, checked)| checked.closed);
    report::Held {
        compile: names([("landlock", linux && compiled.confined), ("seccomp", compiled.closed), ("rlimits", unix)]),
        run: names([("landlock", false), ("seccomp", !on_gpu && closed), ("rlimits", unix)]),
    }
}

fn machine(platform: &Platform, candidate: &Results) -> Machine {
    match &platform.gpu {
        Some(info) => Machine::Gpu { device: info.name.clone(), driver: time::driver(info) },
        None => Machine::Sim { schedules: candidate.schedules.iter().map(schedule_name).collect() },
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
            let mut report = Report::new(subject.clone(), Machine::Sim { schedules: Vec::new() }, 1);
            (report.verdict, report.learned) = (Verdict::Passed, Some("something".into()));
            report
        };
        let text = "the simulator does not know `wgmma`".to_owned();
        let left_out = Reason { verdict: Verdict::Unsupported, text, details: Vec::new(), excerpts: Vec::new() };
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
