//! `{{sweep NAME figure=roofline roof=A,B}}`: a sweep's rates over what it computes per byte, below the rate of the device's memory
//! times that, and below its arithmetic. Both roofs are those that the results of other problems were held against.

use crate::PageError;
use crate::svg::{Chart, Series, Tick};
use anyhow::{Result, anyhow, bail};
use execution::measure::record::{Record, RecordedSweep, RoofKind};
use problem::{Problem, Sizes};
use std::path::Path;

/// What a device can do at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Roofs {
    /// Bytes that a copy reads and writes, in GB/s.
    pub copy: f64,
    /// Multiply-adds of floats, in GFLOP/s.
    pub fma: f64,
}

impl Roofs {
    /// Of the problems `text` names: a copy's and an arithmetic one.
    pub fn of(results: &Path, text: Option<&String>) -> Result<Self> {
        let text = text.ok_or_else(|| PageError("figure=roofline needs roof=A,B: problems with these roofs".into()))?;
        let (mut copy, mut fma) = (None, None);
        for name in text.split(',') {
            let roof = Record::of_problem(results, name).first().and_then(|record| record.roof);
            match roof.map(|roof| (roof.kind, roof.value)) {
                Some((RoofKind::Copy, value)) => copy = Some(value),
                Some((RoofKind::Fma, value)) => fma = Some(value),
                Some((RoofKind::Read, _)) | None => {
                    bail!(PageError(format!("`{name}` has no roof of a copy or of arithmetic")))
                }
            }
        }
        copy.zip(fma).map(|(copy, fma)| Self { copy, fma }).ok_or_else(|| anyhow!("roof={text}: one roof is missing"))
    }
}

/// Operations per byte of a sweep's cells, row by row, as the problem states them.
pub fn intensities(problem: &Problem, record: &Record, sweep: &RecordedSweep) -> Result<Vec<Vec<f64>>> {
    let manifest = &problem.manifest;
    let (Some(flops), Some(bytes)) = (&manifest.flops, &manifest.bytes) else {
        bail!(PageError(format!("`{}` states no `flops` or no `bytes`", problem.id)));
    };
    let cell = |row: i64, column: i64| -> Result<f64> {
        let mut sizes: Sizes = record.sizes.iter().map(|(name, value)| (name.clone(), *value)).collect();
        sizes.insert(sweep.rows.0.clone(), row);
        sizes.insert(sweep.columns.0.clone(), column);
        Ok(flops.eval(&sizes)? as f64 / bytes.eval(&sizes)? as f64)
    };
    sweep.rows.1.iter().map(|row| sweep.columns.1.iter().map(|column| cell(*row, *column)).collect()).collect()
}

/// The chart: a line per column, both axes logarithmic.
pub fn chart(title: String, sweep: &RecordedSweep, intensity: &[Vec<f64>], roofs: Roofs, names: &[String]) -> Chart {
    let mut all: Vec<f64> = intensity.iter().flatten().copied().collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    let first = all.first().map_or(0.0, |least| least.log2());
    let width = (all.last().map_or(1.0, |most| most.log2()) - first).max(1.0);
    let tick = |value: &f64| Tick {
        at: (value.log2() - first) / width,
        label: if *value < 1.0 { format!("1/{:.0}", 1.0 / value) } else { format!("{value:.0}") },
    };
    let line = |(column, name): (usize, &String)| {
        let value = |wanted: &f64| {
            let row = intensity.iter().position(|row| row.get(column) == Some(wanted));
            row.and_then(|row| sweep.cells.get(row)?.get(column).copied().flatten()).unwrap_or(f64::NAN)
        };
        Series { name: name.clone(), values: all.iter().map(value).collect(), quiet: false }
    };
    let memory = |value: &f64| if value * roofs.copy <= roofs.fma { value * roofs.copy } else { f64::NAN };
    let memory = Series { name: "memory".to_owned(), values: all.iter().map(memory).collect(), quiet: true };
    Chart {
        title,
        x_label: "operations per byte".to_owned(),
        y_label: sweep.quantity.clone(),
        x: all.iter().map(tick).collect(),
        series: names.iter().enumerate().map(line).chain([memory]).collect(),
        reference: Some((format!("arithmetic, floats: {:.0}", roofs.fma), roofs.fma)),
        log: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stand_over_their_operations_per_byte() {
        let sweep = RecordedSweep {
            rows: ("steps".into(), vec![1, 16]),
            columns: ("bytes".into(), vec![2, 4]),
            quantity: "GFLOP/s".into(),
            cells: vec![vec![Some(1.0), Some(2.0)], vec![Some(3.0), None]],
        };
        let intensity = [vec![0.5, 0.25], vec![8.0, 4.0]];
        let roofs = Roofs { copy: 100.0, fma: 500.0 };
        let chart = chart("t".into(), &sweep, &intensity, roofs, &["half".into(), "float".into()]);
        let labels: Vec<&str> = chart.x.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["1/4", "1/2", "4", "8"]);
        assert_eq!(chart.x.iter().map(|tick| tick.at * 5.0).collect::<Vec<_>>(), [0.0, 1.0, 4.0, 5.0]);
        let known = |values: &[f64]| values.iter().map(|v| if v.is_nan() { -1.0 } else { *v }).collect::<Vec<_>>();
        assert_eq!(known(&chart.series[0].values), [-1.0, 1.0, -1.0, 3.0]);
        assert_eq!(known(&chart.series[1].values), [2.0, -1.0, -1.0, -1.0]);
        // Memory allows 25, 50 and 400; 800 is more than arithmetic does.
        assert_eq!((known(&chart.series[2].values), chart.series[2].quiet), (vec![25.0, 50.0, 400.0, -1.0], true));
    }
}
