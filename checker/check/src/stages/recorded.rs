//! What was measured on a named device, as committed with the workbook.

use super::time::pace;
use execution::measure::record::{self, Record};
use problem::{Problem, Sweep};
use report::{Provenance, Speedup, SweepTable};
use std::path::PathBuf;

/// Where the results files lie.
fn folder(problem: &Problem) -> PathBuf {
    problem.root().join("book/results")
}

/// The results files of a problem. They lie outside its folder and belong to it: a check reads them, so whoever takes the
/// problem elsewhere takes them, too.
pub fn files(problem: &Problem) -> Vec<PathBuf> {
    record::files_of(&folder(problem), problem.id.as_str())
}

/// The committed results of this problem, one a device, by the devices' names.
fn records(problem: &Problem) -> Vec<Record> {
    Record::of_problem(&folder(problem), problem.id.as_str())
}

fn recorded_on(record: &Record) -> Provenance {
    Provenance::Recorded {
        device: record.device.name.clone(),
        driver: record.device.driver.clone(),
        date: record.date.clone(),
    }
}

/// A committed speedup, marked as such: of the first device.
pub fn speedup(problem: &Problem) -> Option<Speedup> {
    let record = records(problem).into_iter().next()?;
    let (ratio, verdict) = (record.ratio?, record.verdict?);
    Some(Speedup {
        ratio: ratio.median,
        low: ratio.low,
        high: ratio.high,
        verdict: pace(verdict),
        sizes: record.sizes.clone(),
        samples: record.candidate.map_or(0, |side| side.samples as usize),
        provenance: recorded_on(&record),
    })
}

/// Microseconds that the baseline once took on this device at the `time` size, whatever other devices have results.
pub fn baseline(problem: &Problem, device: &str) -> Option<f64> {
    let fits = |record: &Record| record.device.name == device && record.sizes == problem.manifest.time;
    records(problem).into_iter().find(fits)?.baseline.map(|side| side.median_us)
}

/// A committed sweep, marked as such: of the first device.
pub fn sweep(problem: &Problem) -> Option<SweepTable> {
    let record = records(problem).into_iter().next()?;
    let provenance = recorded_on(&record);
    let sweep = record.sweep?;
    Some(SweepTable {
        quantity: sweep.quantity,
        row: sweep.rows.0,
        rows: sweep.rows.1,
        column: sweep.columns.0,
        columns: sweep.columns.1,
        legend: problem.sweep().map(Sweep::legend).unwrap_or_default(),
        values: sweep.cells,
        provenance,
    })
}
