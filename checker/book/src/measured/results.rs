//! `{{results NAME}}` and `{{sweep NAME}}`: what was measured, from the files committed under `book/results/`.

use crate::PageError;
use crate::ladder_figures::capitalised;
use crate::product;
use crate::roofline::{self, Roofs};
use crate::svg::{Chart, Series, escape, evenly};
use anyhow::{Result, anyhow, bail};
use execution::measure::record::{Record, RecordedSweep, RoofKind, Sides};
use execution::measure::statistics::{Summary, Verdict};
use problem::{Axis, Problem};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// A problem's times on every device that has a record.
pub fn table(results: &Path, problem: &Problem) -> Result<String> {
    if problem.manifest.flaw.is_some() {
        return Ok(
            "<p class=\"wb-caption\">Not timed: the naive version is wrong, and the time of a wrong kernel says \
                   nothing.</p>\n\n"
                .to_owned(),
        );
    }
    let records = Record::of_problem(results, problem.id.as_str());
    if records.is_empty() {
        return Ok(format!(
            "<p class=\"wb-caption\">{} has not been measured on a GPU yet: <code>checker bench {}</code> does it.</p>\n\n",
            problem.id, problem.id
        ));
    }
    records.iter().map(one).collect()
}

fn one(record: &Record) -> Result<String> {
    let missing = || anyhow!("the record of `{}` on {} has no times", record.problem, record.device.name);
    let (old, new) = (record.baseline.ok_or_else(missing)?, record.candidate.ok_or_else(missing)?);
    let ratio = record.ratio.ok_or_else(missing)?;
    let mut out = String::from(
        "<table class=\"wb-table\">\n<thead><tr><th></th><th>naive</th><th>optimised</th></tr></thead>\n<tbody>\n",
    );
    let mut row = |name: &str, a: String, b: String| {
        let _ = writeln!(out, "<tr><td>{name}</td><td>{a}</td><td>{b}</td></tr>");
    };
    row("median time", time(old.median_us), time(new.median_us));
    row("middle half", spread(&old), spread(&new));
    let mut rate = |name: &str, sides: Option<Sides>| {
        if let Some(sides) = sides {
            row(name, format!("{:.0}", sides.baseline), format!("{:.0}", sides.candidate));
        }
    };
    rate("GB/s", record.gb_per_s);
    rate("GFLOP/s", record.gflop_per_s);
    if let Some(roof) = &record.roof {
        let name = match roof.kind {
            RoofKind::Copy => "of the copy roof",
            RoofKind::Read => "of the read roof",
            RoofKind::Fma => "of the arithmetic roof",
        };
        let percent = |fraction: f64| format!("{:.1} %", 100.0 * fraction);
        row(name, percent(roof.baseline_fraction), percent(roof.candidate_fraction));
    }
    let verdict = match record.verdict {
        Some(Verdict::Faster) => "faster",
        Some(Verdict::Slower) => "slower",
        Some(Verdict::Same) | None => "the same",
    };
    let _ = writeln!(
        out,
        "<tr><td>speedup</td><td></td><td><b>{:.2}x</b> ({:.2} to {:.2}): {verdict}</td></tr>",
        ratio.median, ratio.low, ratio.high
    );
    out.push_str("</tbody></table>\n");
    out.push_str(&caption(record, None));
    Ok(out)
}

/// A sweep's figure and table on every device that has a record; with `figure=product` its cells over row times column.
pub fn sweep(results: &Path, problem: &Problem, settings: &BTreeMap<String, String>) -> Result<String> {
    let records = Record::of_problem(results, problem.id.as_str());
    if records.is_empty() {
        return table(results, problem);
    }
    let mut out = String::new();
    for record in &records {
        let sweep = record
            .sweep
            .as_ref()
            .ok_or_else(|| anyhow!("the record of `{}` on {} is no sweep", record.problem, record.device.name))?;
        match settings.get("figure").map(String::as_str) {
            None => {}
            Some("product") => {
                let title = format!("{} on {}", problem.manifest.title, record.device.name);
                let _ = write!(out, "<figure class=\"wb-figure\">\n{}</figure>\n", product::chart(title, sweep).svg());
                out.push_str(&caption(record, None));
                continue;
            }
            Some("roofline") => {
                out.push_str(&roofline(results, (problem, record, sweep), settings.get("roof"))?);
                continue;
            }
            Some(other) => {
                bail!(PageError(format!("no figure of a sweep is called `{other}`; there are product and roofline")))
            }
        }
        let axes = problem.sweep();
        let (rows, columns) = (axes.map(|axes| &axes.rows), axes.map(|axes| &axes.columns));
        let row_label =
            |value: &i64| rows.and_then(|rows| rows.label(*value)).map_or_else(|| value.to_string(), ToOwned::to_owned);
        let column_label = |value: &i64| column_name(problem, sweep, *value);
        let column = |index: usize| -> Vec<f64> {
            sweep.cells.iter().map(|row| row.get(index).copied().flatten().unwrap_or(f64::NAN)).collect()
        };
        let chart = Chart {
            title: format!("{} on {}", problem.manifest.title, record.device.name),
            x_label: rows.map_or(&*sweep.rows.0, Axis::heading).to_owned(),
            y_label: sweep.quantity.clone(),
            x: evenly(sweep.rows.1.iter().map(row_label)),
            series: sweep
                .columns
                .1
                .iter()
                .enumerate()
                .map(|(index, value)| Series { name: column_label(value), values: column(index), quiet: false })
                .collect(),
            reference: None,
            log: false,
        };
        let _ = write!(out, "<figure class=\"wb-figure\">\n{}</figure>\n\n", chart.svg());
        let heads: String =
            sweep.columns.1.iter().map(|value| format!("<th>{}</th>", escape(&column_label(value)))).collect();
        let _ = writeln!(
            out,
            "<table class=\"wb-table\">\n<thead><tr><th>{}</th>{heads}</tr></thead>\n<tbody>",
            escape(rows.map_or(&*sweep.rows.0, Axis::heading))
        );
        for (value, cells) in sweep.rows.1.iter().zip(&sweep.cells) {
            let cells: String = cells
                .iter()
                .map(|cell| cell.map_or_else(|| "<td>–</td>".to_owned(), |cell| format!("<td>{cell:.0}</td>")))
                .collect();
            let _ = writeln!(out, "<tr><td>{}</td>{cells}</tr>", escape(&row_label(value)));
        }
        out.push_str("</tbody></table>\n");
        // Labels explain themselves.
        out.push_str(&caption(record, columns.filter(|columns| columns.labels.is_empty()).and_then(Axis::legend)));
    }
    Ok(out)
}

/// A column's label, or its value.
fn column_name(problem: &Problem, sweep: &RecordedSweep, value: i64) -> String {
    let label = problem.sweep().and_then(|axes| axes.columns.label(value));
    label.map_or_else(|| format!("{} {value}", sweep.columns.0), ToOwned::to_owned)
}

/// The rates over operations per byte.
fn roofline(
    results: &Path,
    (problem, record, sweep): (&Problem, &Record, &RecordedSweep),
    roof: Option<&String>,
) -> Result<String> {
    let roofs = Roofs::of(results, roof)?;
    let intensity = roofline::intensities(problem, record, sweep)?;
    let names: Vec<String> = sweep.columns.1.iter().map(|value| column_name(problem, sweep, *value)).collect();
    let title = format!("{} on {}: rates by operations per byte", problem.manifest.title, record.device.name);
    let chart = roofline::chart(title, sweep, &intensity, roofs, &names);
    let key = format!("grey: what a copy's {:.0} GB/s allow", roofs.copy);
    Ok(format!("<figure class=\"wb-figure wb-roofline\">\n{}</figure>\n{}", chart.svg(), caption(record, Some(key))))
}

/// Where the numbers come from, behind what the columns are called.
fn caption(record: &Record, columns: Option<String>) -> String {
    // A size of 0 (no tail) adds nothing to the work.
    let sizes = record.sizes.iter().filter(|(_, value)| **value != 0);
    let sizes = sizes.map(|(name, value)| format!("{name} = {value}, ")).collect::<String>();
    let mut out = format!(
        "<p class=\"wb-caption\">{}{}{} on {} (driver {}), {}, {}, by <code>{}</code>.",
        columns.as_ref().map(|columns| format!("{}; ", escape(&capitalised(columns)))).unwrap_or_default(),
        escape(&sizes),
        if sizes.is_empty() && columns.is_none() { "Measured" } else { "measured" },
        escape(&record.device.name),
        escape(&record.device.driver),
        escape(&record.compiler),
        escape(&record.date),
        escape(&record.command)
    );
    for note in &record.notes {
        let _ = write!(out, " {}.", capitalised(&escape(note.trim_end_matches('.'))));
    }
    out.push_str("</p>\n\n");
    out
}

fn time(us: f64) -> String {
    match us {
        us if us < 1000.0 => format!("{us:.1} µs"),
        us => format!("{:.3} ms", us / 1000.0),
    }
}

fn spread(summary: &Summary) -> String {
    format!("{} to {}", time(summary.q1_us), time(summary.q3_us))
}
