//! Whether a version is right: results, findings, and orders of execution.

use super::judge::{failure_summary, judge, results_summary};
use super::one_way::one_way;
use super::stage::{NOTHING_CAUGHT, fail, pass};
use super::verify::{self, Results, Trials, schedules};
use super::{Checking, Shown, farther, kept, machine, so_far, uneven};
use crate::build::{BuildError, Built};
use crate::platform::Platform;
use crate::time::Tools;
use crate::versions::{Cubins, Versions, assemble, fault_of, not_here};
use crate::{CheckError, CheckOptions, Progress, refused};
use execution::backend::{Artefact, Thoroughness};
use problem::Problem;
use report::{self, Reason, Stage, StageName, StageStatus, Verdict};
use simulator::Schedule;
use std::sync::OnceLock;
use std::time::Instant;

impl Checking<'_> {
    /// Correctness, here and on the GPU; nothing where the candidate is found wrong.
    pub(super) fn is_right(&mut self, versions: &Versions, first: &Platform) -> Result<Option<Shown>, CheckError> {
        let (problem, platforms) = (self.check.problem, self.check.platforms);
        let mut shown = Shown::default();
        for platform in platforms.sim.iter().chain(&platforms.gpu) {
            let on_gpu = platform.gpu.is_some();
            (self.check.progress)(if on_gpu { "running on the GPU" } else { "simulating" });
            let rebuilt = if platform.arch == first.arch && platform.device == first.device {
                None
            } else {
                let made = assemble(self.check.toolchain, problem, &self.version, platform, Some(self.until));
                Some(made.map_err(|stop| not_here(problem, stop))?)
            };
            let versions = rebuilt.as_ref().unwrap_or(versions);
            let Some((baseline, candidate)) = self.results(versions, platform)? else { return Ok(None) };
            let mut reasons =
                judge(problem, &baseline, &candidate, &self.paths, self.check.report, self.check.sources, on_gpu)?;
            so_far::tell(&mut reasons, &candidate.cases);
            // What the simulator cannot run is tried on a GPU, for its result; the check is not passed by that.
            let unsupported = |reason: &Reason| reason.verdict == Verdict::Unsupported;
            if !reasons.is_empty() && reasons.iter().all(unsupported) && !on_gpu && platforms.gpu.is_some() {
                shown.left_out = reasons;
                let summary = "not looked for: the simulator does not know all that the kernel does".to_owned();
                let status = StageStatus::Failed;
                self.check.report.stages.push(Stage { name: StageName::Findings, status, summary });
                continue;
            } else if !reasons.is_empty() {
                let wrong = reasons.iter().any(|reason| reason.verdict.is_of_results());
                let stage = if wrong { StageName::Results } else { StageName::Findings };
                fail(self.check.report, stage, failure_summary(&candidate), reasons);
                return Ok(None);
            }
            pass(self.check.report, StageName::Results, results_summary(problem, &candidate, platform));
            if !on_gpu {
                pass(self.check.report, StageName::Findings, NOTHING_CAUGHT);
                self.check.report.one_way = one_way(&candidate, &self.paths[1]);
                shown.kept = kept::broken(&versions.candidate, &candidate);
                shown.counted = [baseline.count, candidate.count];
                shown.besides = [baseline.besides.elsewhere, candidate.besides.elsewhere];
                shown.farther = [baseline.besides.farther, candidate.besides.farther];
            }
        }
        Ok(Some(shown))
    }

    /// Both versions' runs on a platform; nothing where the candidate cannot be launched.
    fn results(&mut self, versions: &Versions, platform: &Platform) -> Result<Option<(Results, Results)>, CheckError> {
        let on_gpu = platform.gpu.is_some();
        versions.candidate.quoted_in(self.check.sources);
        let (cut, untried) = (OnceLock::new(), OnceLock::new());
        let profiles = OnceLock::new();
        let (problem, seed) = (self.check.problem, self.check.report.seed);
        let profile = || {
            let _ = profiles.set(self.profiled(platform, versions));
        };
        let meanwhile: Option<&(dyn Fn() + Sync)> = if self.models_early() { Some(&profile) } else { None };
        let tools = match &platform.gpu {
            Some(info) if problem.manifest.flaw.is_some() => Some(Tools::build(self.check.toolchain, &info.arch)?),
            _ => None,
        };
        let judge = tools.as_ref().map(Tools::artefact);
        let (options, until, judge) = (self.check.options, self.until, judge.as_ref());
        let course = Course { options, seed, until, cut: &cut, untried: &untried, meanwhile, judge };
        let results = correctness(problem, platform, versions, &course, self.check.progress);
        self.profiles = profiles.into_inner();
        self.check.report.cut = cut.into_inner().or_else(|| self.check.report.cut.take());
        self.check.report.large_untried = untried.into_inner().or_else(|| self.check.report.large_untried.take());
        let (baseline, candidate) = match results {
            Ok(results) => results,
            Err(stop) => {
                let reasons = refused(stop, self.check.sources)?;
                fail(self.check.report, StageName::Results, "the launch cannot be made", reasons);
                return Ok(None);
            }
        };
        self.check.report.machine = machine(platform, &candidate);
        if !on_gpu || self.check.report.held.is_none() {
            self.check.report.held = Some(held(&versions.candidate, &candidate, on_gpu));
        }
        Ok(Some((baseline, candidate)))
    }
}

/// What all runs of a check share.
#[derive(Clone, Copy)]
struct Course<'a> {
    options: &'a CheckOptions,
    seed: u64,
    until: Instant,
    cut: &'a OnceLock<String>,
    untried: &'a OnceLock<String>,
    /// What else the check needs if the candidate is right.
    meanwhile: Option<&'a (dyn Fn() + Sync)>,
    /// The checker's own kernels, where a GPU judges what it does not measure.
    judge: Option<&'a Artefact>,
}

/// Runs both versions, on the simulator at the same time, on a GPU one after the other. A baseline that is right is only
/// counted: that it is right was proven when it was written.
fn correctness(
    problem: &Problem,
    platform: &Platform,
    versions: &Versions,
    course: &Course<'_>,
    progress: Progress<'_>,
) -> Result<(Results, Results), BuildError> {
    let Course { options, seed, until, cut, untried, meanwhile, judge } = *course;
    let budget = options.budget;
    let files = match platform.gpu {
        Some(_) => Some(Cubins::write(versions).map_err(|error| BuildError::Error(error.into()))?),
        None => None,
    };
    let cubin = |index: usize| files.as_ref().map(|files| files.path(index));
    let reference_cubin = cubin(2);
    let reference = &versions.reference;
    let bench = Trials {
        problem,
        platform,
        reference,
        reference_cubin,
        judge: judge.cloned(),
        seed,
        all_sizes: options.all_sizes,
        reach: options.reach,
        budget,
        until,
        given_up: None,
        room: verify::room(),
        cut,
        untried,
        progress,
        meanwhile,
    };
    let flawed = problem.manifest.flaw.is_some();
    let kept = options.baselines.as_deref().filter(|_| platform.gpu.is_none());
    let baseline = || {
        if let Some(known) = kept.and_then(|kept| kept.get(problem, seed)) {
            return Ok(known);
        }
        let result = if platform.gpu.is_some() && never_ends(problem) {
            Ok(Results::default())
        } else if platform.gpu.is_some() {
            bench.run(&versions.baseline, cubin(0), Thoroughness::Once, vec![Schedule::Its])
        } else if flawed {
            // A flaw may show under some orders only.
            bench.run(&versions.baseline, None, Thoroughness::Once, schedules(&versions.baseline, seed))
        } else {
            let count = &problem.manifest.count;
            bench.counted(&versions.baseline, std::slice::from_ref(count)).map(|mut counted| {
                let counted = counted.pop();
                let cases = counted.iter().map(|checked| (count.clone(), checked.clone())).collect();
                Results { cases, count: counted, schedules: vec![Schedule::Its], ..Results::default() }
            })
        };
        let with_elsewhere = |mut results: Results| {
            results.besides.elsewhere = bench.elsewhere(&versions.baseline, false)?;
            Ok(results)
        };
        let result = result.and_then(with_elsewhere).map_err(|stop| fault_of(problem, "the baseline", stop));
        if let (Some(kept), Ok(results), None) = (kept, &result, cut.get()) {
            kept.keep(problem, seed, results);
        }
        result
    };
    let candidate = || {
        let schedules = if platform.gpu.is_some() { Vec::new() } else { schedules(&versions.candidate, seed) };
        bench.run(&versions.candidate, cubin(1), Thoroughness::Full, schedules)
    };
    let (baseline, candidate) =
        if platform.gpu.is_some() { (baseline(), candidate()) } else { rayon::join(baseline, candidate) };
    let mut candidate = candidate?;
    let mut baseline = baseline?;
    let right = candidate.cases.iter().all(|(_, checked)| checked.status.passed());
    for sizes in farther::sizes(problem, [&baseline, &candidate]) {
        // An instance of a template that nobody compiled is not asked.
        let at = |built: &Built| bench.counted_at(built, sizes.clone(), false).unwrap_or_default();
        if let (Some(before), Some(after)) = (at(&versions.baseline), at(&versions.candidate)) {
            baseline.besides.farther.push(before);
            candidate.besides.farther.push(after);
        }
    }
    let uneven = right && uneven::asks_again(baseline.count.as_ref(), candidate.count.as_ref());
    if let Some(count) = candidate.count.as_mut().filter(|_| uneven && versions.candidate.communicates()) {
        // Where no such run lives, nobody knows.
        let in_turn = bench.evenness_in_turn(&versions.candidate)?;
        count.evenness = in_turn.and(count.evenness);
        count.is_as_even_as(in_turn);
    }
    Ok((baseline, candidate))
}

/// Is the baseline known for what a GPU would be at until it is stopped, most of a check's time? The simulator shows it at once.
fn never_ends(problem: &Problem) -> bool {
    use problem::Reason::Finding;
    use simulator::finding::FindingName::{Deadlock, EndlessLoop, Livelock, StepLimit};
    matches!(problem.manifest.flaw, Some(Finding(Deadlock | EndlessLoop | Livelock | StepLimit)))
}

/// What held the candidate's processes in.
fn held(built: &Built, results: &Results, on_gpu: bool) -> report::Held {
    let names = |guards: [(&str, bool); 3]| {
        guards.into_iter().filter(|(_, held)| *held).map(|(name, _)| name.to_owned()).collect()
    };
    let (linux, unix) = (cfg!(target_os = "linux"), cfg!(unix));
    let compiled = &built.compiled;
    let ran = || results.cases.iter().map(|(_, checked)| checked).filter(|checked| !checked.runs.is_empty());
    let (closed, confined) = (ran().all(|checked| checked.closed), ran().all(|checked| checked.confined));
    report::Held {
        compile: names([("landlock", linux && compiled.confined), ("seccomp", compiled.closed), ("rlimits", unix)]),
        run: names([("landlock", linux && !on_gpu && confined), ("seccomp", !on_gpu && closed), ("rlimits", unix)]),
    }
}
