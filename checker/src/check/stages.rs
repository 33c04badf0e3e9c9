//! The pipeline of a pair or an exercise.

use super::build::{Built, Refused};
use super::numbers::{self, Known};
use super::platform::{Platform, Platforms};
use super::reasons::{self, Scene};
use super::verify::{Bench, Results, schedules};
use super::{CheckError, Options, build_version, hot, kernel_path, line_reason, refused, time};
use crate::backend::{Checked, Status, Thoroughness};
use crate::plan::Plan;
use crate::problem::{Kind, Problem, ProblemError, Version};
use crate::report::{
    self, Case, Caught, GoalStatus, Machine, Provenance, Reason, Report, Sources, Stage, StageName, StageStatus,
    Verdict,
};
use crate::toolchain::Toolchain;
use std::path::PathBuf;

/// The three programs of a check on one platform.
pub struct Team {
    /// Naive or starter.
    pub baseline: Built,
    /// Optimised, the learner's, or the solution.
    pub candidate: Built,
    /// The oracle.
    pub reference: Built,
}

/// Runs the pipeline and fills the report.
pub fn check(
    problem: &Problem,
    toolchain: &Toolchain,
    platforms: &Platforms,
    options: &Options,
    report: &mut Report,
    sources: &mut Sources,
    progress: &dyn Fn(&str),
) -> Result<(), CheckError> {
    let version = options.version();
    let labels = labels(problem, &version);
    let paths = [kernel_path(problem, &Version::Baseline)?, kernel_path(problem, &version)?];
    report.versions = labels
        .iter()
        .zip(&paths)
        .map(|(label, path)| report::Version { label: (*label).to_owned(), file: sources.name(path) })
        .collect();

    // The learner's lines first: nothing else is worth a second if they cannot be read.
    match problem.version(&version) {
        Err(ProblemError::Line(error)) => {
            let reason = line_reason(Verdict::BadKernelFile, &error, sources);
            return Ok(fail(report, StageName::Compile, "a line cannot be read", vec![reason]));
        }
        Err(error) => return Err(error.into()),
        Ok(_) => {}
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
            let reasons = refused(stop, sources)?;
            return Ok(fail(report, StageName::Compile, "the compiler refuses it", reasons));
        }
    };
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
    for platform in platforms.sim.iter().chain(&platforms.gpu) {
        let on_gpu = platform.gpu.is_some();
        progress(if on_gpu { "running on the GPU" } else { "simulating" });
        let rebuilt = if platform.arch == first.arch && platform.device == first.device {
            None
        } else {
            Some(assemble(toolchain, problem, &version, platform).map_err(|stop| not_here(problem, stop))?)
        };
        let team = rebuilt.as_ref().unwrap_or(&team);
        let (baseline, candidate) = match correctness(problem, platform, team, report.seed) {
            Ok(results) => results,
            Err(stop) => {
                let reasons = refused(stop, sources)?;
                return Ok(fail(report, StageName::Results, "the launch cannot be made", reasons));
            }
        };
        report.machine = machine(platform, &candidate);
        let reasons = judge(problem, &baseline, &candidate, &paths, report, sources, on_gpu)?;
        let unsupported = reasons.iter().any(|reason| reason.verdict == Verdict::Unsupported);
        if unsupported && platforms.gpu.is_some() {
            report.notes.push(format!("the simulator left it out: {}", reasons[0].text));
        } else if !reasons.is_empty() {
            let summary = failure_summary(&candidate);
            let stage = if reasons.iter().any(|reason| reason.verdict == Verdict::WrongResult) {
                StageName::Results
            } else {
                StageName::Findings
            };
            return Ok(fail(report, stage, &summary, reasons));
        }
        if !on_gpu {
            counted = [baseline.count, candidate.count.clone()];
        }
        pass(report, StageName::Results, results_summary(problem, &candidate, platform));
        if !on_gpu && !unsupported {
            let summary = "no race, no bad access, no uninitialised read, no divergent barrier";
            pass(report, StageName::Findings, summary.to_owned());
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
    } else if problem.manifest.flaw.is_some() {
        skip(report, StageName::Time, "never timed: the baseline is wrong, not slow");
    } else {
        skip(report, StageName::Time, "no GPU here");
    }
    if report.speedup.is_none() {
        report.recorded = time::recorded(problem);
    }
    report.table = numbers::table(Some(&known[0]), &known[1], &problem.manifest.goals);
    let measured = report.speedup.as_ref().map(|speedup| speedup.provenance.clone());
    report.goals = numbers::goals(&problem.manifest.goals, Some(&known[0]), &known[1], measured.as_ref());
    verdict(problem, report);
    Ok(())
}

fn labels(problem: &Problem, version: &Version) -> [&'static str; 2] {
    let baseline = if problem.kind == Kind::Exercise { "starter" } else { "naive" };
    let candidate = match (problem.kind, version) {
        (_, Version::Mutant(_)) => "mutant",
        (_, Version::Baseline) => baseline,
        (Kind::Exercise, Version::Candidate) => "yours",
        (Kind::Exercise, _) => "solution",
        _ => "optimised",
    };
    [baseline, candidate]
}

/// Compiles the three in parallel.
pub fn assemble(
    toolchain: &Toolchain,
    problem: &Problem,
    version: &Version,
    platform: &Platform,
) -> Result<Team, Refused> {
    let [baseline, candidate, reference] = std::thread::scope(|scope| {
        [&Version::Baseline, version, &Version::Reference]
            .map(|version| scope.spawn(move || build_version(toolchain, problem, version, platform)))
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    // The learner's own mistake is told before a shipped one.
    let candidate = candidate?;
    Ok(Team {
        baseline: baseline.map_err(|stop| fault_of(problem, "the baseline", stop))?,
        candidate,
        reference: reference.map_err(|stop| fault_of(problem, "the oracle", stop))?,
    })
}

/// A shipped version that cannot be built is not the learner's doing.
fn fault_of(problem: &Problem, what: &'static str, stop: Refused) -> Refused {
    let message = match stop {
        Refused::Line(error) => error.to_string(),
        Refused::Compile(error) => error.to_string(),
        Refused::Error(error) => return Refused::Error(error),
    };
    Refused::Error(CheckError::Shipped { problem: problem.id.to_string(), what, message })
}

fn not_here(problem: &Problem, stop: Refused) -> CheckError {
    match fault_of(problem, "a kernel, compiled for this GPU,", stop) {
        Refused::Error(error) => error,
        Refused::Line(error) => error.into(),
        Refused::Compile(error) => error.into(),
    }
}

/// Runs both versions, each in a worker of its own, at the same time on the simulator and one after the other on a GPU.
fn correctness(problem: &Problem, platform: &Platform, team: &Team, seed: u64) -> Result<(Results, Results), Refused> {
    let files = match platform.gpu {
        Some(_) => Some(Cubins::write(team).map_err(|error| Refused::Error(error.into()))?),
        None => None,
    };
    let cubin = |index: usize| files.as_ref().map(|files| files.path(index));
    let bench = Bench { problem, platform, reference: &team.reference, reference_cubin: cubin(2), seed };
    let baseline = || {
        let result = bench.run(&team.baseline, cubin(0), Thoroughness::Once, vec![simulator::Schedule::Its]);
        result.map_err(|stop| fault_of(problem, "the baseline", stop))
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

/// Machine code in files, for workers that drive a GPU.
pub struct Cubins {
    folder: tempfile::TempDir,
    _guard: crate::command::interrupt::HalfWritten,
}

impl Cubins {
    /// Baseline 0, candidate 1, reference 2.
    pub fn write(team: &Team) -> std::io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let files = Self { _guard: crate::command::interrupt::HalfWritten::new(folder.path()), folder };
        for (index, built) in [&team.baseline, &team.candidate, &team.reference].into_iter().enumerate() {
            std::fs::write(files.path(index), &built.compiled.cubin)?;
        }
        Ok(files)
    }

    /// A file.
    pub fn path(&self, index: usize) -> PathBuf {
        self.folder.path().join(format!("{index}.cubin"))
    }
}

fn machine(platform: &Platform, candidate: &Results) -> Machine {
    match &platform.gpu {
        Some(info) => Machine::Gpu { device: info.name.clone(), driver: time::driver(info) },
        None => Machine::Sim { schedules: candidate.schedules.iter().map(reasons::schedule_name).collect() },
    }
}

/// Fills in cases and findings; returns what speaks against the candidate.
fn judge(
    problem: &Problem,
    baseline: &Results,
    candidate: &Results,
    paths: &[PathBuf; 2],
    report: &mut Report,
    sources: &mut Sources,
    on_gpu: bool,
) -> Result<Vec<Reason>, CheckError> {
    let mut against: Vec<Reason> = Vec::new();
    for (sizes, checked) in &candidate.cases {
        let case = report::sizes(sizes);
        if let Status::OracleFailed { message } = &checked.status {
            let message = format!("at {case}: {message}");
            return Err(CheckError::Shipped { problem: problem.id.to_string(), what: "the oracle", message });
        }
        let scene = Scene { file: &paths[1], case: &case };
        let reasons = reasons::of(checked, &scene, sources);
        let verdict = reasons.first().map_or(Verdict::Passed, |reason| reason.verdict);
        if !matches!(checked.status, Status::NotRun { .. }) {
            report.cases.push(Case { sizes: sizes.clone(), verdict, error: checked.error_over_bound });
        }
        let label = report.versions.get(1).map(|version| version.label.clone()).unwrap_or_default();
        report.findings.extend(checked.findings.iter().map(|found| Caught {
            version: label.clone(),
            sizes: sizes.clone(),
            schedule: reasons::schedule_name(&found.schedule),
            finding: found.finding.clone(),
        }));
        // The same complaint at every size is one complaint.
        let fresh = |reason: &Reason| {
            !against.iter().any(|other| {
                other.verdict == reason.verdict
                    && (other.excerpts.first().map(|e| (&e.file, e.line))
                        == reason.excerpts.first().map(|e| (&e.file, e.line)))
            })
        };
        let reasons: Vec<Reason> = reasons.into_iter().filter(fresh).collect();
        against.extend(reasons);
    }
    // What happens when printf floods is worth knowing, not a failure.
    let dropped: u64 = candidate.cases.iter().map(|(_, checked)| checked.printf_dropped).sum();
    if dropped > 0 {
        report.notes.push(format!("{dropped} bytes of printf output were dropped"));
    }
    if let Some(printed) = candidate.cases.iter().map(|(_, checked)| &checked.printf).find(|text| !text.is_empty()) {
        report.printf.clone_from(printed);
    }

    let wrong = baseline.cases.iter().find_map(|(sizes, checked)| {
        let case = report::sizes(sizes);
        let scene = Scene { file: &paths[0], case: &case };
        let reason = reasons::of(checked, &scene, sources).into_iter().next()?;
        Some((case, reason))
    });
    let label = report.versions.first().map(|version| version.label.clone()).unwrap_or_default();
    match (wrong, problem.manifest.flaw) {
        (Some((_, reason)), Some(_)) => {
            let place = reason.excerpts.first().map(|e| format!(" ({}:{})", e.file, e.line)).unwrap_or_default();
            report.notes.push(format!("{label}: {}: {}{place}", reason.verdict.label(), reason.text));
        }
        (Some((case, reason)), None) => {
            let message = format!("at {case}: {}: {}", reason.verdict.label(), reason.text);
            report.notes.push(format!("the {label} version itself fails {message}"));
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

fn failure_summary(candidate: &Results) -> String {
    let failed = candidate.cases.iter().find(|(_, checked)| !checked.status.passed());
    let failed = failed.or_else(|| candidate.cases.iter().find(|(_, checked)| !checked.findings.is_empty()));
    match failed {
        Some((sizes, _)) => format!("not at {}", report::sizes(sizes)),
        None => "something was caught".to_owned(),
    }
}

fn results_summary(problem: &Problem, candidate: &Results, platform: &Platform) -> String {
    let sizes: Vec<String> = candidate.cases.iter().map(|(sizes, _)| report::sizes(sizes)).collect();
    let shared = match problem.manifest.cases.first() {
        // "n = 1, 33, 1000" reads better than "n = 1; n = 33; n = 1000".
        Some(case) if case.len() == 1 => {
            let values: Vec<String> =
                candidate.cases.iter().flat_map(|(sizes, _)| sizes.values()).map(ToString::to_string).collect();
            format!("{} = {}", case.keys().next().map_or("n", String::as_str), values.join(", "))
        }
        _ => sizes.join("; "),
    };
    let runs: usize = candidate.cases.iter().map(|(_, checked)| checked.runs.len()).sum();
    let place = if platform.gpu.is_some() { "on the GPU, " } else { "" };
    format!("right {place}at {shared}: {runs} runs over fresh inputs and poisoned outputs")
}

fn verdict(problem: &Problem, report: &mut Report) {
    let unmet: Vec<_> = report.goals.iter().filter(|goal| goal.status == GoalStatus::NotMet).collect();
    let of = |stage: StageName| {
        move |provenance: &Option<Provenance>| match provenance {
            Some(Provenance::Simulated) => stage == StageName::Counters,
            Some(Provenance::Measured { .. }) => stage == StageName::Time,
            _ => stage == StageName::Sass,
        }
    };
    let mut stages = Vec::new();
    for stage in [StageName::Sass, StageName::Counters] {
        let here = of(stage);
        let judged: Vec<_> =
            report.goals.iter().filter(|goal| goal.status != GoalStatus::NotJudged && here(&goal.provenance)).collect();
        if judged.is_empty() {
            continue;
        }
        let met = judged.iter().filter(|goal| goal.status == GoalStatus::Met).count();
        let status = if met == judged.len() { StageStatus::Passed } else { StageStatus::Failed };
        stages.push(Stage { name: stage, status, summary: format!("{met} of {} goals met", judged.len()) });
    }
    report.verdict = if unmet.is_empty() { Verdict::Passed } else { Verdict::NotYet };
    report.reasons = unmet
        .iter()
        .map(|goal| {
            let found = goal.value_text.clone().unwrap_or_default();
            Reason {
                verdict: Verdict::NotYet,
                text: format!("{}; it is {found}", goal.text),
                details: Vec::new(),
                excerpts: Vec::new(),
            }
        })
        .collect();
    report.try_first = unmet.first().filter(|goal| !goal.why.is_empty()).map(|goal| sentence(&goal.why));
    report.stages.extend(stages);
    report.stages.sort_by_key(|stage| stage.name);
    if report.verdict == Verdict::Passed {
        report.learned = Some(problem.manifest.learned.clone());
    }
}

/// With a capital and a stop.
fn sentence(text: &str) -> String {
    let mut chars = text.trim().chars();
    let start: String = chars.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    let text = format!("{start}{}", chars.as_str());
    if text.ends_with(['.', '!', '?']) { text } else { text + "." }
}

fn pass(report: &mut Report, name: StageName, summary: String) {
    report.stages.push(Stage { name, status: StageStatus::Passed, summary });
}

fn skip(report: &mut Report, name: StageName, summary: &str) {
    report.stages.push(Stage { name, status: StageStatus::Skipped, summary: summary.to_owned() });
}

/// Ends the pipeline: the rest is not worth running.
fn fail(report: &mut Report, name: StageName, summary: &str, mut reasons: Vec<Reason>) {
    report.stages.push(Stage { name, status: StageStatus::Failed, summary: summary.to_owned() });
    // The gravest first, as they come; what only follows from it is left to --verbose.
    report.verdict = reasons.first().map_or(Verdict::NotYet, |reason| reason.verdict);
    report.try_first = reasons.first().and_then(|reason| reasons::try_first(reason));
    report.reasons.append(&mut reasons);
}
