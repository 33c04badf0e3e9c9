//! `{{peers NAME}}`: a kernel beside libraries that do the same, or several ways beside each other, from
//! `book/results/DEVICE/peers/NAME.json` (another file of that folder: `file=NAME`), which `scripts/peers/` writes.

use crate::ladder_figures::power;
use crate::svg::{Chart, Series, escape, evenly};
use anyhow::{Context as _, Result};
use execution::measure::record::device_folders;
use execution::measure::statistics::Interval;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The candidate that is the workbook's own.
const OURS: &str = "kernel";

/// A results file.
#[derive(Debug, Deserialize)]
pub(crate) struct Peers {
    device: String,
    driver: String,
    /// Version by name.
    #[serde(default)]
    peers: BTreeMap<String, String>,
    compiler: String,
    date: String,
    command: String,
    rounds: u32,
    rows: Vec<Row>,
}

/// All candidates at one size.
#[derive(Debug, Deserialize)]
pub(crate) struct Row {
    /// Element type.
    r#type: String,
    /// Elements.
    pub n: i64,
    /// "cold" or "warm".
    cache: String,
    /// Microseconds a call, by candidate; intervals are of 99 %.
    pub us: BTreeMap<String, Interval>,
    /// A peer's time over the kernel's, by peer; empty where no candidate is the workbook's own.
    #[serde(default)]
    pub ratio: BTreeMap<String, Interval>,
}

impl Peers {
    fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is no peers file", path.display()))
    }

    /// Where the files of that name are, by device.
    fn files(results: &Path, name: &str) -> Vec<PathBuf> {
        let files = device_folders(results).into_iter().map(|device| device.join("peers").join(format!("{name}.json")));
        files.filter(|path| path.is_file()).collect()
    }

    /// The file of that name of the first device that has one.
    pub fn first(results: &Path, name: &str) -> Result<Self> {
        let files = Self::files(results, name);
        Self::read(files.first().with_context(|| format!("no peers/{name}.json under book/results"))?)
    }

    /// The rows of an element type.
    pub fn of(&self, kind: &str, cache: &str) -> Vec<&Row> {
        self.rows.iter().filter(|row| row.r#type == kind && row.cache == cache).collect()
    }
}

/// Bytes of an element.
fn element(kind: &str) -> f64 {
    if kind == "half" { 2.0 } else { 4.0 }
}

/// The block: a figure of the rates and a table of the ratios for one element type, for every device that has a file.
///
/// # Errors
/// A results file that cannot be read, or has no row of the type.
pub fn block(results: &Path, problem: &str, settings: &BTreeMap<String, String>) -> Result<String> {
    let kind = settings.get("type").map_or("float", String::as_str);
    let cache = settings.get("cache").map_or("cold", String::as_str);
    let sizes = settings.get("n").map(|list| list.split(',').map(str::parse::<i64>).collect::<Result<Vec<_>, _>>());
    let sizes = sizes.transpose().context("n=: expected numbers of elements")?;
    let name = settings.get("file").map_or(problem, String::as_str);
    let mut out = String::new();
    for path in Peers::files(results, name) {
        let file = Peers::read(&path)?;
        let chosen = |row: &&Row| sizes.as_ref().is_none_or(|sizes| sizes.contains(&row.n));
        let rows: Vec<&Row> = file.of(kind, cache).into_iter().filter(chosen).collect();
        anyhow::ensure!(!rows.is_empty(), "{} has no rows of type {kind}, {cache} cache", path.display());
        if rows.iter().any(|row| row.us.contains_key(OURS)) {
            // A few sizes are no line.
            if sizes.is_none() {
                figure(&mut out, &file, kind, &rows);
            }
            table(&mut out, &rows);
        } else {
            ways(&mut out, &rows);
        }
        caption(&mut out, &file, kind, cache);
    }
    if out.is_empty() {
        out = "<p class=\"wb-caption\">Not compared on a GPU yet: <code>scripts/peers/</code> does it.</p>\n\n"
            .to_owned();
    }
    Ok(out)
}

fn figure(out: &mut String, file: &Peers, kind: &str, rows: &[&Row]) {
    let names = [(OURS, "this one"), ("CUB", "CUB"), ("torch", "PyTorch"), ("read", "reading")];
    let rate =
        |row: &Row, name: &str| row.us.get(name).map_or(f64::NAN, |us| row.n as f64 * element(kind) / us.median / 1e3);
    let chart = Chart {
        title: format!("Sum of {kind} by size on {}, GB/s", file.device),
        x_label: "elements".to_owned(),
        y_label: "GB/s".to_owned(),
        x: evenly(rows.iter().map(|row| power(row.n))),
        series: names
            .iter()
            .map(|(name, shown)| Series {
                name: (*shown).to_owned(),
                values: rows.iter().map(|row| rate(row, name)).collect(),
                quiet: false,
            })
            .collect(),
        reference: None,
        log: false,
    };
    let _ = write!(out, "<figure class=\"wb-figure\">\n{}</figure>\n\n", chart.svg());
}

fn table(out: &mut String, rows: &[&Row]) {
    out.push_str(
        "<table class=\"wb-table wb-steps\">\n<thead><tr><th>elements</th><th>this one, µs</th><th>CUB, µs</th><th>CUB / this \
         one</th><th>PyTorch / this one</th><th>copy / this one</th><th>of reading</th></tr></thead>\n<tbody>\n",
    );
    for row in rows {
        let us = |name: &str| row.us.get(name).map_or_else(|| "–".to_owned(), |us| format!("{:.2}", us.median));
        let ratio = |name: &str| match row.ratio.get(name) {
            Some(ratio) => format!("{:.3} ({:.3} to {:.3})", ratio.median, ratio.low, ratio.high),
            None => "–".to_owned(),
        };
        let short = |name: &str| row.ratio.get(name).map_or_else(|| "–".to_owned(), |r| format!("{:.2}", r.median));
        let reading =
            row.ratio.get("read").map_or_else(|| "–".to_owned(), |ratio| format!("{:.1} %", 100.0 * ratio.median));
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td><b>{}</b></td><td>{}</td><td>{}</td><td>{reading}</td></tr>",
            power(row.n),
            us(OURS),
            us("CUB"),
            ratio("CUB"),
            short("torch"),
            short("copy")
        );
    }
    out.push_str("</tbody></table>\n");
}

/// Candidates of equal standing: a column each.
fn ways(out: &mut String, rows: &[&Row]) {
    let names: Vec<&String> = rows.first().map(|row| row.us.keys().collect()).unwrap_or_default();
    let heads: String = names.iter().map(|name| format!("<th>{}, µs</th>", escape(name))).collect();
    let _ = writeln!(out, "<table class=\"wb-table\">\n<thead><tr><th>elements</th>{heads}</tr></thead>\n<tbody>");
    for row in rows {
        let cell = |name: &&String| match row.us.get(*name) {
            Some(us) => format!("<td>{:.1} ({:.1} to {:.1})</td>", us.median, us.low, us.high),
            None => "<td>–</td>".to_owned(),
        };
        let cells: String = names.iter().map(cell).collect();
        let _ = writeln!(out, "<tr><td>{}</td>{cells}</tr>", power(row.n));
    }
    out.push_str("</tbody></table>\n");
}

fn caption(out: &mut String, file: &Peers, kind: &str, cache: &str) {
    let versions: String = file.peers.iter().map(|(name, version)| format!(", {name} {version}")).collect();
    let cache = if cache == "cold" { "cache emptied before each call" } else { "back-to-back calls on one array" };
    let _ = write!(
        out,
        "<p class=\"wb-caption\">{}, {cache}, median of {} rounds with its 99 % interval, on {} (driver {}){}, {}, {}, \
         by <code>{}</code>.</p>\n\n",
        escape(kind),
        file.rounds,
        escape(&file.device),
        escape(&file.driver),
        escape(&versions),
        escape(&file.compiler),
        escape(&file.date),
        escape(&file.command)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let peers = folder.path().join("some-gpu/peers");
        std::fs::create_dir_all(&peers).unwrap();
        std::fs::write(peers.join("reduction.json"), text).unwrap();
        let path = folder.path().to_path_buf();
        (folder, path)
    }

    const FILE: &str = r#"{"schema":1,"device":"Some GPU","driver":"1.2","peers":{"CUB":"3.0.0"},"compiler":"NVRTC 13",
        "date":"2026-01-01","command":"x","rounds":61,"rows":[{"type":"float","n":1048576,"cache":"cold",
        "us":{"kernel":{"median":4.0,"low":3.9,"high":4.1},"CUB":{"median":5.0,"low":4.9,"high":5.1}},
        "ratio":{"CUB":{"median":1.25,"low":1.2,"high":1.3}}}]}"#;

    #[test]
    fn ratios_stand_beside_their_intervals() {
        let (_folder, path) = written(FILE);
        let block = block(&path, "reduction", &BTreeMap::new()).unwrap();
        assert!(
            block.contains("<td>2^20</td><td>4.00</td><td>5.00</td><td><b>1.250 (1.200 to 1.300)</b></td>"),
            "{block}"
        );
        assert!(block.contains("Some GPU (driver 1.2), CUB 3.0.0"), "{block}");
    }

    #[test]
    fn ways_without_a_kernel_of_ours_are_columns() {
        let (_folder, path) = written(
            r#"{"device":"Some GPU","driver":"1.2","compiler":"nvcc 13","date":"2026-01-01","command":"x","rounds":301,
            "rows":[{"type":"float","n":1024,"cache":"warm","us":{"host":{"median":9.0,"low":8.5,"high":9.5}}}]}"#,
        );
        let settings = BTreeMap::from([("cache".to_owned(), "warm".to_owned())]);
        let block = block(&path, "reduction", &settings).unwrap();
        assert!(block.contains("<th>host, µs</th>") && block.contains("<td>9.0 (8.5 to 9.5)</td>"), "{block}");
        assert!(!block.contains("<svg"), "{block}");
    }

    #[test]
    fn a_type_nobody_measured_is_an_error_and_no_file_is_said() {
        let (_folder, path) = written(FILE);
        let half = BTreeMap::from([("type".to_owned(), "half".to_owned())]);
        assert!(block(&path, "reduction", &half).unwrap_err().to_string().contains("no rows of type half"));
        assert!(block(&path, "other", &BTreeMap::new()).unwrap().contains("Not compared"));
    }
}
