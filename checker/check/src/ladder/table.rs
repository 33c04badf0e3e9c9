//! The table of a ladder: counts and machine code at the `count` size, times at the `time` size.

use super::compiled::CompiledLadder;
use super::measure::{Measured, occupancy};
use super::verify;
use crate::Progress;
use crate::build::BuildError;
use crate::numbers::Known;
use crate::platform::Platform;
use crate::{CheckError, time};
use compiler::toolchain::Toolchain;
use execution::backend::DeviceInfo;
use execution::measure::ladder_record::LadderRecord;
use execution::measure::record::RoofKind;
use problem::ladder::BLOCK;
use problem::{Metric, Problem, Sizes};
use report::{LadderStep, LadderTable, Provenance, Report};

/// Fills the report's table with what the simulator counts and the compiler says.
pub fn fill(
    problem: &Problem,
    compiled: &CompiledLadder,
    platform: &Platform,
    report: &mut Report,
    progress: Progress<'_>,
) -> Result<(), BuildError> {
    if platform.gpu.is_some() && report.ladder.is_some() {
        return Ok(());
    }
    progress("counting");
    report.ladder = Some(evidence(problem, compiled, platform, report.seed)?);
    Ok(())
}

/// What the simulator counts (nothing, on a GPU) and the compiler says, version by version.
pub fn evidence(
    problem: &Problem,
    compiled: &CompiledLadder,
    platform: &Platform,
    seed: u64,
) -> Result<LadderTable, BuildError> {
    let counted = match platform.gpu {
        None => verify::count(compiled, platform, problem, seed)?,
        Some(_) => vec![None; compiled.versions.len()],
    };
    let mut steps = Vec::with_capacity(compiled.versions.len());
    for (version, (name, counted)) in compiled.versions.iter().zip(counted).enumerate() {
        let Some(built) = compiled.element(0).and_then(|element| element.versions.get(version)) else { continue };
        let sizes = compiled.own_block(0, version, &problem.manifest.count);
        let plan = compiled.program(0, version, &sizes)?.plan;
        let known = Known { built: Some(built), plan: Some(&plan), ..Known::default() };
        steps.push(LadderStep {
            version: name.to_string(),
            heading: built.file.heading(),
            block: sizes.get(BLOCK).copied().unwrap_or(0),
            launches: plan.launches.len(),
            counters: counted.and_then(|checked| checked.counters),
            sass_instructions: known.value(&Metric::Instructions),
            registers: known.value(&Metric::Registers),
            occupancy: occupancy(problem, compiled, 0, version, &sizes),
            us: None,
            gb_per_s: None,
            roof: None,
            step: None,
        });
    }
    Ok(LadderTable {
        element: problem.ladder().map(|ladder| ladder.element().name.clone()).unwrap_or_default(),
        sizes: problem.manifest.count.clone(),
        time_sizes: problem.manifest.time.clone(),
        steps,
        times: None,
    })
}

/// Adds what was measured now.
pub fn add_times(
    toolchain: &Toolchain,
    info: &DeviceInfo,
    measured: &[Measured],
    report: &mut Report,
) -> Result<(), CheckError> {
    let (Some(table), Some(measured)) = (&mut report.ladder, measured.first()) else { return Ok(()) };
    let roof = time::roof_value(&crate::roof::roof(toolchain, info)?, RoofKind::Read);
    table.times = Some(time::provenance(info));
    for found in &measured.versions {
        let Some(step) = table.steps.get_mut(found.version) else { continue };
        let rate = measured.bytes.map(|bytes| bytes / found.us.median / 1e3);
        (step.us, step.gb_per_s) = (Some(found.us.median), rate);
        step.roof = rate.filter(|_| roof > 0.0).map(|rate| rate / roof);
        step.step = found.step.map(|ratio| [ratio.median, ratio.low, ratio.high]);
    }
    report.notes.extend(measured.notes.iter().cloned());
    Ok(())
}

/// Adds what was measured earlier, on the first device by name that has results.
pub fn add_recorded(problem: &Problem, report: &mut Report) {
    let results = problem.root().join("book/results");
    let record = LadderRecord::of_problem(&results, problem.id.as_str()).into_iter().next();
    if let (Some(table), Some(record)) = (&mut report.ladder, record) {
        add_record(table, &record);
    }
}

/// The times of a results file.
pub fn add_record(table: &mut LadderTable, record: &LadderRecord) {
    let (sizes, _) = without_block(&table.time_sizes);
    let run = record.runs.first();
    for step in &mut table.steps {
        let Some(point) = record.point(&step.version, &table.element, step.block, &sizes) else { continue };
        (step.us, step.gb_per_s) = (Some(point.us.median), point.gb_per_s);
        step.roof = point.gb_per_s.filter(|_| record.read_roof_gb_per_s > 0.0).map(|r| r / record.read_roof_gb_per_s);
        step.step = point.step.map(|ratio| [ratio.median, ratio.low, ratio.high]);
        table.times = Some(Provenance::Recorded {
            device: record.device.name.clone(),
            driver: record.device.driver.clone(),
            date: record.runs.get(point.run).or(run).map(|run| run.date.clone()).unwrap_or_default(),
        });
    }
}

/// Sizes as results files have them: the block size apart.
pub fn without_block(sizes: &Sizes) -> (Sizes, i64) {
    let mut sizes = sizes.clone();
    let block = sizes.shift_remove(BLOCK).unwrap_or(0);
    (sizes, block)
}
