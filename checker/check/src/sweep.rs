//! A sweep: one kernel over a table of two parameters. Every cell is verified like a case; the table shows rates measured
//! on a GPU, or what the simulator counted.

use super::build::{BuildError, Built};
use super::context::CheckContext;
use super::platform::Platform;
use super::stage::{fail_by, pass, skip};
use super::verify::{CaseAt, STEPS, Trials, schedules};
use super::{Budget, CheckError, Reach, build_version, kernel_path, line_reason, recorded, refused, share, time};
use account::reasons::{self, Scene};
use account::schedule_name;
use execution::backend::{self, Case, Checked, Status, Thoroughness, Verify};
use plan::Buffer;
use plan::stream::Stream;
use problem::{Cell, ProblemError, Sizes, Version};
use rayon::prelude::*;
use report::{self, Provenance, RanOn, Reason, StageName, SweepTable, Verdict};
use simulator::{Checks, Schedule};
use std::sync::OnceLock;

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
        check.report.recorded_sweep = recorded::sweep(problem);
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
    let seed = report.seed;
    let (budget, cut, untried) = (Budget::default(), OnceLock::new(), OnceLock::new());
    let until = budget.until();
    let bench = Trials {
        problem,
        platform,
        reference,
        judge: None,
        reference_cubin: None,
        seed,
        all_sizes: false,
        reach: Reach::Near,
        budget,
        until,
        given_up: None,
        room: None,
        cut: &cut,
        untried: &untried,
        progress,
        meanwhile: None,
    };
    let orders = schedules(built, report.seed);
    report.machine = RanOn::Sim { schedules: orders.iter().map(schedule_name).collect() };
    let Some(sweep) = problem.sweep() else { return Ok(Vec::new()) };
    let cells = sweep.cells(&problem.manifest.count);
    let counting = || counted(&bench, built, &cells);
    let verifying = || (bench.run(built, None, Thoroughness::Full, orders.clone()), far(&bench, built, &cells));
    let ((verified, far), counted) = rayon::join(verifying, counting);
    let verified = match verified {
        Ok(verified) => verified,
        Err(stop) => return refused(stop, sources),
    };
    let path = built.file.path();
    let counted = match counted {
        Ok(counted) => counted,
        Err(stop) => return refused(stop, sources),
    };
    let at_count = cells.iter().map(|cell| &cell.sizes).zip(&counted);
    let at_cases = verified.cases.iter().map(|(sizes, checked)| (sizes, checked));
    let at_time = far.iter().map(|(sizes, checked)| (sizes, checked));
    for (sizes, checked) in at_cases.chain(at_count).chain(at_time) {
        let case = report::sizes(sizes);
        if let Status::OracleFailed { message } = &checked.status {
            let message = format!("at {case}: {message}");
            return Err(CheckError::Shipped { problem: problem.id.to_string(), what: "the oracle", message });
        }
        let reasons = reasons::of(checked, &Scene { file: path, case: &case, buffers: &[] }, sources);
        let verdict = reasons.first().map_or(Verdict::Passed, |reason| reason.verdict);
        report.cases.push(report::Case { sizes: sizes.clone(), verdict, error: checked.error_over_bound });
        if !reasons.is_empty() {
            return Ok(reasons);
        }
    }
    let of = |checked: &Checked| sweep.counter.of(checked.counters.as_ref()?);
    let values: Vec<Option<f64>> = counted.iter().map(of).collect();
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

/// Cells of which a few blocks are run at the `time` size.
const FAR: usize = 2;

/// Those of them that are wrong there: what is done at sizes that are not run whole is done by every cell, so that a few will do, drawn.
fn far(bench: &Trials<'_>, built: &Built, counted: &[Cell]) -> Vec<(Sizes, Checked)> {
    let Some(sweep) = bench.problem.sweep() else { return Vec::new() };
    let cells = sweep.cells(&bench.problem.manifest.time);
    let drawn = Stream::new(bench.seed, "far cells");
    let one = |turn: usize| -> Option<(Sizes, Checked)> {
        let index = drawn.integer(turn as u64, 0, cells.len() as i64 - 1) as usize;
        let (sizes, near) = (&cells.get(index)?.sizes, &counted.get(index)?.sizes);
        if sizes == near {
            return None;
        }
        let at = CaseAt { sizes, index: 0, thoroughness: Thoroughness::Sampled { followed: true }, judged: true };
        let mut case = bench.case(built, None, at).ok()?;
        case.versions.push(built.program(built.plan(near, &bench.problem.io(near).ok()?).ok()?, None));
        let on = bench.platform.on(vec![Schedule::Its], Checks::NONE, STEPS, bench.seed);
        let job = Verify { on, cases: vec![case], stop_at_failure: false };
        let results = backend::verify(&job, &backend::WorkerOptions::default()).ok()?;
        let checked = results.into_iter().flatten().next()?;
        checked.status.is_shown_wrong().then(|| (sizes.clone(), checked))
    };
    (0..FAR).into_par_iter().with_max_len(1).filter_map(one).collect()
}

/// Every cell as it is counted, verified. As many workers as there are cores have cells of the same cost; those of their cells that take
/// the same inputs share these, and the oracle's answer.
fn counted(bench: &Trials<'_>, built: &Built, cells: &[Cell]) -> Result<Vec<Checked>, BuildError> {
    let case = |(index, cell): (usize, &Cell)| {
        bench.case(built, None, CaseAt { sizes: &cell.sizes, index, thoroughness: Thoroughness::Once, judged: true })
    };
    let cases = cells.iter().enumerate().map(case).collect::<Result<Vec<_>, _>>()?;
    let costs: Vec<u64> = cases.iter().map(cost).collect();
    let one = |share: &Vec<usize>| {
        let (cases, cells): (Vec<Case>, Vec<Vec<usize>>) = together(&cases, share).into_iter().unzip();
        let on = bench.platform.on(vec![Schedule::Its], Checks::NONE, STEPS << 3, bench.seed);
        let job = Verify { on, cases, stop_at_failure: false };
        let results = backend::verify(&job, &backend::WorkerOptions::default())?;
        Ok::<_, backend::BackendError>(
            cells.into_iter().flatten().zip(results.into_iter().flatten()).collect::<Vec<_>>(),
        )
    };
    let shares = share::deal(&costs, bench.budget.workers);
    let done: Result<Vec<_>, _> = shares.par_iter().with_max_len(1).map(one).collect();
    let mut done: Vec<(usize, Checked)> =
        done.map_err(|error| BuildError::Error(error.into()))?.into_iter().flatten().collect();
    done.sort_by_key(|(cell, _)| *cell);
    Ok(done.into_iter().map(|(_, checked)| checked).collect())
}

/// Those of `share`, with their numbers: what is judged over the same inputs by the same answer is one case of several versions.
fn together(cases: &[Case], share: &[usize]) -> Vec<(Case, Vec<usize>)> {
    let mut together: Vec<(Case, Vec<usize>)> = Vec::new();
    for &index in share {
        let case = &cases[index];
        match together.iter_mut().find(|(first, _)| asks_the_same(first, case)) {
            Some((first, cells)) => {
                first.versions.extend(case.versions.iter().cloned());
                cells.push(index);
            }
            None => together.push((case.clone(), vec![index])),
        }
    }
    together
}

/// What a cell costs, roughly: as much as its buffers have elements.
fn cost(case: &Case) -> u64 {
    case.versions.iter().flat_map(|version| &version.plan.buffers).map(|buffer| buffer.len).sum()
}

/// Are both judged over the same inputs, by the same answer?
fn asks_the_same(one: &Case, other: &Case) -> bool {
    let buffers = |case: &Case| -> Vec<Buffer> {
        case.versions.iter().take(1).flat_map(|version| version.plan.buffers.clone()).collect()
    };
    one.oracle == other.oracle && one.outputs == other.outputs && buffers(one) == buffers(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_with_the_same_inputs_are_one_case() {
        let case = |name: &str, len: u64| {
            let buffer =
                Buffer { name: "x".into(), dtype: plan::dtype::DType::F32, len, role: plan::Role::Out, fill: None };
            let plan = plan::Plan { buffers: vec![buffer], ..plan::Plan::default() };
            let version = backend::Program { name: name.into(), plan, ..backend::Program::default() };
            Case { versions: vec![version], ..Case::default() }
        };
        let cases = [case("a", 8), case("b", 9), case("c", 8), case("d", 8)];
        let names = |case: &Case| case.versions.iter().map(|version| version.name.clone()).collect::<Vec<_>>();
        let told: Vec<_> =
            together(&cases, &[0, 1, 3]).iter().map(|(case, cells)| (names(case), cells.clone())).collect();
        assert_eq!(told, [(vec!["a".to_owned(), "d".to_owned()], vec![0, 3]), (vec!["b".to_owned()], vec![1])]);
    }
}
