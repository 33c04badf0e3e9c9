//! A sweep: one kernel over a table of two parameters. Every cell is verified like a case; the table shows rates measured
//! on a GPU, or what the simulator counted.

use super::build::{BuildError, Built};
use super::context::CheckContext;
use super::platform::Platform;
use super::stage::{fail_by, pass, skip};
use super::verify::{CaseAt, STEPS, Trials, schedules};
use super::{Budget, CHECK_SECONDS, CheckError, build_version, kernel_path, line_reason, refused, time};
use account::reasons::{self, Scene};
use account::schedule_name;
use execution::backend::{self, Checked, Status, Thoroughness, Verify};
use problem::{ProblemError, Version};
use report::{self, Case, Provenance, RanOn, Reason, StageName, SweepTable, Verdict};
use simulator::{Checks, Schedule};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Runs the sweep and fills the report.
pub fn check(mut check: CheckContext<'_>) -> Result<(), CheckError> {
    let CheckContext { problem, toolchain, platforms, progress, .. } = check;
    let (path, Some(sweep)) = (kernel_path(problem, &Version::Sweep)?, problem.sweep()) else { return Ok(()) };
    check.report.versions = vec![report::Version { label: "sweep".into(), file: check.sources.name(&path) }];
    match problem.version(&Version::Sweep) {
        Err(ProblemError::Line(error)) => {
            fail_by(check.report, StageName::Compile, vec![line_reason(Verdict::BadKernelFile, &error, check.sources)]);
            return Ok(());
        }
        Err(error) => return Err(error.into()),
        Ok(file) => check.sources.hold(file.path(), file.text()),
    }
    for platform in platforms.sim.iter().chain(&platforms.gpu) {
        progress("compiling");
        let built = match build_version(toolchain, problem, &Version::Sweep, platform, None) {
            Ok(built) => built,
            Err(stop) => {
                fail_by(check.report, StageName::Compile, refused(stop, check.sources)?);
                return Ok(());
            }
        };
        built.quoted_in(check.sources);
        if check.report.stages.is_empty() {
            pass(check.report, StageName::Compile, format!("{} for {}", built.compiled.compiler, platform.arch));
        }
        let reference = build_version(toolchain, problem, &Version::Reference, platform, None)?;
        match &platform.gpu {
            None => {
                progress("simulating");
                let reasons = simulate(&mut check, platform, &built, &reference)?;
                if !reasons.is_empty() {
                    fail_by(check.report, StageName::Results, reasons);
                    return Ok(());
                }
            }
            Some(info) => {
                progress("measuring");
                check.report.machine = RanOn::Gpu { device: info.name.clone(), driver: time::driver(info) };
                match time::sweep(problem, toolchain, info, sweep, (&built, &reference), check.report.seed)? {
                    Ok(table) => check.report.sweep = Some(table),
                    Err(reason) => {
                        fail_by(check.report, StageName::Time, vec![*reason]);
                        return Ok(());
                    }
                }
            }
        }
    }
    if check.report.sweep.as_ref().is_none_or(|table| table.provenance == Provenance::Simulated) {
        skip(check.report, StageName::Time, "no GPU here");
        let recorded = time::recorded_sweep(problem);
        check.report.recorded_sweep = recorded;
    }
    check.report.verdict = Verdict::Passed;
    check.report.learned = Some(problem.manifest.learned.clone());
    Ok(())
}

/// Verifies every case, and every cell as it is counted.
fn simulate(
    check: &mut CheckContext<'_>,
    platform: &Platform,
    built: &Built,
    reference: &Built,
) -> Result<Vec<Reason>, CheckError> {
    let (problem, progress) = (check.problem, check.progress);
    let (report, sources) = (&mut *check.report, &mut *check.sources);
    let until = Instant::now() + Duration::from_secs(CHECK_SECONDS);
    let seed = report.seed;
    let (budget, cut) = (Budget::default(), OnceLock::new());
    let bench = Trials {
        problem,
        platform,
        reference,
        reference_cubin: None,
        seed,
        all_sizes: false,
        budget,
        until,
        room: None,
        cut: &cut,
        progress,
        meanwhile: None,
    };
    let orders = schedules(built, report.seed);
    report.machine = RanOn::Sim { schedules: orders.iter().map(schedule_name).collect() };
    let Some(sweep) = problem.sweep() else { return Ok(Vec::new()) };
    let cells = sweep.cells(&problem.manifest.count);
    let counting = || -> Result<Vec<Vec<Checked>>, BuildError> {
        let cases = cells
            .iter()
            .enumerate()
            .map(|(index, cell)| {
                let at = CaseAt { sizes: &cell.sizes, index, thoroughness: Thoroughness::Once, judged: true };
                bench.case(built, None, at)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let on = platform.on(vec![Schedule::Its], Checks::NONE, STEPS << 3, report.seed);
        let job = Verify { on, cases, stop_at_failure: false };
        backend::verify(&job, &backend::WorkerOptions::default()).map_err(|error| BuildError::Error(error.into()))
    };
    let verifying = || bench.run(built, None, Thoroughness::Full, orders.clone());
    let (verified, counted) = rayon::join(verifying, counting);
    let verified = match verified {
        Ok(verified) => verified,
        Err(stop) => return refused(stop, sources),
    };
    let path = built.file.path();
    let counted = match counted {
        Ok(counted) => counted,
        Err(stop) => return refused(stop, sources),
    };
    let at_count = cells.iter().zip(&counted).filter_map(|(cell, case)| Some((&cell.sizes, case.first()?)));
    for (sizes, checked) in verified.cases.iter().map(|(sizes, checked)| (sizes, checked)).chain(at_count) {
        let case = report::sizes(sizes);
        if let Status::OracleFailed { message } = &checked.status {
            let message = format!("at {case}: {message}");
            return Err(CheckError::Shipped { problem: problem.id.to_string(), what: "the oracle", message });
        }
        let reasons = reasons::of(checked, &Scene { file: path, case: &case, buffers: &[] }, sources);
        let verdict = reasons.first().map_or(Verdict::Passed, |reason| reason.verdict);
        report.cases.push(Case { sizes: sizes.clone(), verdict, error: checked.error_over_bound });
        if !reasons.is_empty() {
            return Ok(reasons);
        }
    }
    let of = |checked: &Checked| sweep.counter.of(checked.counters.as_ref()?);
    let values: Vec<Option<f64>> = counted.iter().map(|case| case.first().and_then(of)).collect();
    let values = values.chunks(sweep.columns.values.len().max(1)).map(<[_]>::to_vec).collect();
    pass(report, StageName::Results, format!("right at {} cases, {} cells counted", verified.cases.len(), cells.len()));
    report.sweep = Some(SweepTable {
        quantity: sweep.counter.words(),
        row: sweep.rows.name.clone(),
        rows: sweep.rows.values.clone(),
        column: sweep.columns.name.clone(),
        columns: sweep.columns.values.clone(),
        legend: sweep.legend(),
        values,
        provenance: Provenance::Simulated,
    });
    Ok(Vec::new())
}
