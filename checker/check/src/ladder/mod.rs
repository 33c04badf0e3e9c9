//! A ladder: every version is verified at element types, block sizes and sizes; a table shows what each step changes.

mod bench;
pub mod compiled;
mod measure;
mod table;
mod verify;

pub use bench::LadderAsk;
pub use measure::{LadderPlace, Measured, Thorough, measure};
pub use table::{add_record, evidence, without_block};

use super::build::BuildError;
use super::context::CheckContext;
use super::platform::Platform;
use super::stage::{NOTHING_CAUGHT, fail_by, pass, skip};
use super::{CheckError, Reach, refused, time};
use account::reasons::{self, Scene};
use compiled::{CompiledLadder, LadderBuildError};
use execution::backend::Status;
use problem::workbook::is_small;
use problem::{Problem, Version};
use report::{self, Case, RanOn, Report, Stage, StageName, Verdict};

/// A step that was checked beside the one before it, of one element type: now as a version of its ladder, wherever the ladder has it.
/// Where something speaks against it, that is the report.
pub(crate) fn check_step(ladder: &Problem, check: CheckContext<'_>) -> Result<(), CheckError> {
    let pair = check.report;
    let mut wide = Report::new(pair.subject.clone(), pair.machine.clone(), pair.seed);
    wide.repeat.clone_from(&pair.repeat);
    self::check(CheckContext { problem: ladder, report: &mut wide, ..check })?;
    if wide.verdict != Verdict::Passed {
        *pair = wide;
        return Ok(());
    }
    let results = |stage: &&mut Stage| stage.name == StageName::Results;
    if let (Some(told), Some(more)) = (pair.stages.iter_mut().find(results), wide.stages.iter_mut().find(results)) {
        told.summary = format!("{}; as the ladder has it, {}", told.summary, more.summary);
    }
    Ok(())
}

/// Checks all versions, or in their place a mutant or one step, and fills the report.
pub(crate) fn check(mut check: CheckContext<'_>) -> Result<(), CheckError> {
    let CheckContext { problem, toolchain, platforms, options, progress, .. } = check;
    let Some(ladder) = problem.ladder() else { return Ok(()) };
    let versions: Vec<Version> = match (&options.version, &options.step) {
        (Some(mutant @ Version::Mutant(_)), _) => vec![mutant.clone()],
        (_, Some(step)) => vec![Version::Step(step.clone())],
        _ => ladder.versions.iter().cloned().map(Version::Step).collect(),
    };
    let whole = versions.len() > 1;
    let elements: Vec<usize> = (0..ladder.types.len()).collect();
    check.report.versions = versions
        .iter()
        .filter_map(|version| {
            let file = check.sources.name(&problem.version_path(version)?);
            Some(report::Version { label: version.to_string(), file })
        })
        .collect();
    for platform in platforms.sim.iter().chain(&platforms.gpu) {
        progress(&format!("compiling {} versions for {} element types", versions.len(), elements.len()));
        let compiled = match CompiledLadder::build(problem, toolchain, platform, versions.clone(), &elements) {
            Ok(compiled) => compiled,
            Err(LadderBuildError { version: None, refused }) => return Err((*refused).into()),
            Err(LadderBuildError { refused: stop, .. }) => {
                fail_by(check.report, StageName::Compile, refused(*stop, check.sources)?);
                return Ok(());
            }
        };
        for index in 0..elements.len() {
            compiled
                .element(index)
                .iter()
                .flat_map(|element| &element.versions)
                .for_each(|built| built.quoted_in(check.sources));
        }
        if check.report.stages.is_empty() {
            let compiler = compiled.element(0).map(|element| element.reference.compiled.compiler.clone());
            pass(check.report, StageName::Compile, format!("{} for {}", compiler.unwrap_or_default(), platform.arch));
        }
        match verified(&mut check, &compiled, platform) {
            Ok(true) if whole => {
                table::fill(problem, &compiled, platform, check.report, progress).map_err(CheckError::from)?
            }
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(stop) => {
                fail_by(check.report, StageName::Results, refused(stop, check.sources)?);
                return Ok(());
            }
        }
        if let (Some(info), true) = (&platform.gpu, whole) {
            progress("measuring");
            let place = LadderPlace { element: 0, sizes: problem.manifest.time.clone() };
            match measure(problem, toolchain, info, &compiled, &[place], Thorough::No, check.report.seed)? {
                Ok(measured) => table::add_times(toolchain, info, &measured, check.report)?,
                Err(reason) => {
                    fail_by(check.report, StageName::Time, vec![*reason]);
                    return Ok(());
                }
            }
        }
    }
    if platforms.gpu.is_none() {
        skip(check.report, StageName::Time, "no GPU here");
        table::add_recorded(problem, check.report);
    }
    check.report.verdict = Verdict::Passed;
    check.report.learned = Some(problem.manifest.learned.clone());
    Ok(())
}

/// Runs and judges everything; false when something speaks against a version, which the report then says.
fn verified(check: &mut CheckContext<'_>, compiled: &CompiledLadder, platform: &Platform) -> Result<bool, BuildError> {
    let (problem, options, progress) = (check.problem, check.options, check.progress);
    let (report, sources) = (&mut *check.report, &mut *check.sources);
    let mutant = matches!(compiled.versions[..], [Version::Mutant(_)]);
    let everything = options.reach == Reach::Whole || mutant;
    let tasks = verify::tasks(problem, compiled, everything, platform.gpu.is_some());
    let place = if platform.gpu.is_some() { "on the GPU" } else { "on the simulator" };
    let say = |done: usize| progress(&format!("verifying {place}: {done} of {} groups", tasks.len()));
    say(0);
    report.machine = match &platform.gpu {
        Some(info) => RanOn::Gpu { device: info.name.clone(), driver: time::driver(info) },
        None => {
            let orders = tasks.iter().map(|task| verify::orders(compiled, task, report.seed)).max_by_key(Vec::len);
            RanOn::Sim { schedules: orders.unwrap_or_default().iter().map(account::schedule_name).collect() }
        }
    };
    let (small, large): (Vec<_>, Vec<_>) = tasks.iter().cloned().partition(|task| task.sizes.iter().all(is_small));
    let mut outcomes = if mutant {
        // A mutant is caught at small sizes as a rule.
        verify::run(compiled, platform, &small, report.seed, &say)?
    } else {
        verify::run(compiled, platform, &tasks, report.seed, &say)?
    };
    if mutant && outcomes.iter().all(|outcome| outcome.checked.status.passed()) {
        outcomes.extend(verify::run(compiled, platform, &large, report.seed, &say)?);
    }
    if platform.gpu.is_none() && outcomes.iter().all(|outcome| outcome.checked.status.passed()) {
        outcomes.extend(verify::far(compiled, platform, problem, report.seed));
    }
    // In the order of the steps, so that the first that is wrong is told first.
    outcomes.sort_by_key(|outcome| (outcome.version, outcome.element));
    let runs: usize = outcomes.iter().map(|outcome| outcome.checked.runs.len()).sum();
    for outcome in &outcomes {
        let Some(element) = compiled.element(outcome.element) else { continue };
        let kind = problem.ladder().map_or("", |ladder| ladder.types[outcome.element].name.as_str());
        let case = format!("{kind}, {}", report::sizes(&outcome.sizes));
        if let Status::OracleFailed { message } = &outcome.checked.status {
            let message = format!("at {case}: {message}");
            let problem = problem.id.to_string();
            return Err(BuildError::Error(CheckError::Shipped { problem, what: "the oracle", message }));
        }
        let path = element.versions[outcome.version].file.path();
        let found = reasons::of(&outcome.checked, &Scene { file: path, case: &case, buffers: &[] }, sources);
        let verdict = found.first().map_or(Verdict::Passed, |reason| reason.verdict);
        report.cases.push(Case { sizes: outcome.sizes.clone(), verdict, error: outcome.checked.error_over_bound });
        if !found.is_empty() {
            let version = &compiled.versions[outcome.version];
            let found = found.into_iter().map(|reason| reason.prefixed(version));
            let stage = if verdict.is_of_results() { StageName::Results } else { StageName::Findings };
            fail_by(report, stage, found.collect());
            return Ok(false);
        }
    }
    let types: Vec<&str> =
        problem.ladder().iter().flat_map(|ladder| &ladder.types).map(|kind| kind.name.as_str()).collect();
    let extent = if everything {
        format!("at every one of {} sizes and block sizes", problem.cases().len())
    } else {
        "at small sizes, and at large ones as the table has them; --all runs everything".to_owned()
    };
    let on = if platform.gpu.is_some() { " on the GPU" } else { "" };
    pass(report, StageName::Results, format!("right{on} for {}, {extent}: {runs} runs", types.join(", ")));
    if platform.gpu.is_none() {
        pass(report, StageName::Findings, NOTHING_CAUGHT);
    }
    Ok(true)
}
