//! `{{table NAME}}`: what an experiment wrote that is no problem's, from `book/results/DEVICE/tables/NAME.json`: a name and a number
//! a column in every row. `columns=a,b` leaves these columns.

use crate::svg::escape;
use anyhow::{Context as _, Result};
use execution::measure::record::device_folders;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A results file.
#[derive(Debug, Deserialize)]
pub(crate) struct Table {
    title: String,
    device: String,
    #[serde(default)]
    compiler: String,
    #[serde(default)]
    date: String,
    command: String,
    /// What a row is.
    row: String,
    columns: Vec<Column>,
    rows: Vec<Row>,
}

#[derive(Debug, Deserialize)]
struct Column {
    name: String,
    /// Empty where the name says it.
    #[serde(default)]
    unit: String,
}

#[derive(Debug, Deserialize)]
struct Row {
    name: String,
    /// A value a column; none where nothing was measured.
    values: Vec<Option<f64>>,
}

impl Table {
    fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let table: Self = serde_json::from_str(&text).with_context(|| format!("{} is no table", path.display()))?;
        for row in &table.rows {
            let (found, wanted) = (row.values.len(), table.columns.len());
            anyhow::ensure!(found == wanted, "{}: `{}` has {found} of {wanted} values", path.display(), row.name);
        }
        Ok(table)
    }

    /// Where the tables of that name are, by device.
    fn files(results: &Path, name: &str) -> Vec<PathBuf> {
        let files =
            device_folders(results).into_iter().map(|device| device.join("tables").join(format!("{name}.json")));
        files.filter(|path| path.is_file()).collect()
    }

    /// The table of that name of the first device that has one.
    pub fn first(results: &Path, name: &str) -> Result<Self> {
        let files = Self::files(results, name);
        Self::read(files.first().with_context(|| format!("no tables/{name}.json under book/results"))?)
    }

    fn column(&self, name: &str) -> Result<usize> {
        let known = || self.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ");
        let at = self.columns.iter().position(|column| column.name == name);
        at.with_context(|| format!("the table has no column `{name}`; there are {}", known()))
    }

    /// One value.
    pub fn entry(&self, row: &str, column: &str) -> Result<f64> {
        let at = self.column(column)?;
        let known = || self.rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>().join(", ");
        let found = self.rows.iter().find(|known| known.name == row);
        let found = found.with_context(|| format!("the table has no row `{row}`; there are {}", known()))?;
        found.values[at].with_context(|| format!("`{row}` has no {column}"))
    }

    /// The names of the rows that have a value in a column.
    pub fn rows(&self, column: &str) -> Result<Vec<String>> {
        let at = self.column(column)?;
        Ok(self.rows.iter().filter(|row| row.values[at].is_some()).map(|row| row.name.clone()).collect())
    }
}

/// The block: a table for every device that has a file.
///
/// # Errors
/// A file that cannot be read, or a column that it does not have.
pub fn block(results: &Path, name: &str, settings: &BTreeMap<String, String>) -> Result<String> {
    let mut out = String::new();
    for path in Table::files(results, name) {
        let table = Table::read(&path)?;
        let columns: Vec<usize> = match settings.get("columns") {
            // A name's blanks are written as underscores.
            Some(names) => names.split(',').map(|name| table.column(&name.replace('_', " "))).collect::<Result<_>>()?,
            None => (0..table.columns.len()).collect(),
        };
        let head = |at: &usize| {
            let Column { name, unit } = &table.columns[*at];
            // A file may be plain ASCII.
            let unit = if unit == "us" { "µs" } else { unit.as_str() };
            let unit = if unit.is_empty() { String::new() } else { format!(", {}", escape(unit)) };
            format!("<th>{}{unit}</th>", escape(name))
        };
        let heads: String = columns.iter().map(head).collect();
        let _ = writeln!(
            out,
            "<div class=\"wb-scroll\">\n<table class=\"wb-table\">\n<thead><tr><th>{}</th>{heads}</tr></thead>\n<tbody>",
            escape(&table.row)
        );
        for row in &table.rows {
            let cell = |at: &usize| {
                row.values[*at].map_or_else(|| "<td>–</td>".to_owned(), |value| format!("<td>{value}</td>"))
            };
            let _ = writeln!(
                out,
                "<tr><td>{}</td>{}</tr>",
                escape(&row.name),
                columns.iter().map(cell).collect::<String>()
            );
        }
        let said: Vec<&str> = [&table.device, &table.compiler, &table.date]
            .map(String::as_str)
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect();
        let _ = write!(
            out,
            "</tbody></table>\n</div>\n<p class=\"wb-caption\">{}: {}, by <code>{}</code>.</p>\n\n",
            escape(&table.title),
            escape(&said.join(", ")),
            escape(&table.command)
        );
    }
    if out.is_empty() {
        out = format!("<p class=\"wb-caption\">Not measured yet: <code>{}</code>.</p>\n\n", escape(name));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"{"schema":1,"title":"Waits","device":"Some GPU","compiler":"nvcc 13","date":"2026-01-01","command":"x",
        "row":"instruction","columns":[{"name":"one chain","unit":"cycles"},{"name":"error"}],
        "rows":[{"name":"LDG from L2","values":[262.5,null]},{"name":"FFMA","values":[4,0.25]}]}"#;

    fn written(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let tables = folder.path().join("some-gpu/tables");
        std::fs::create_dir_all(&tables).unwrap();
        std::fs::write(tables.join("waits.json"), text).unwrap();
        let path = folder.path().to_path_buf();
        (folder, path)
    }

    #[test]
    fn every_row_has_its_values_and_a_gap_is_a_dash() {
        let (_folder, path) = written(FILE);
        let whole = block(&path, "waits", &BTreeMap::new()).unwrap();
        assert!(whole.contains("<th>instruction</th><th>one chain, cycles</th><th>error</th>"), "{whole}");
        assert!(whole.contains("<tr><td>LDG from L2</td><td>262.5</td><td>–</td></tr>"), "{whole}");
        assert!(whole.contains("Waits: Some GPU, nvcc 13, 2026-01-01, by <code>x</code>"), "{whole}");
        let (_folder, micro) = written(&FILE.replace("cycles", "us"));
        assert!(block(&micro, "waits", &BTreeMap::new()).unwrap().contains("<th>one chain, µs</th>"), "{whole}");
        let settings = BTreeMap::from([("columns".to_owned(), "one_chain".to_owned())]);
        let chosen = block(&path, "waits", &settings).unwrap();
        assert!(chosen.contains("<tr><td>FFMA</td><td>4</td></tr>"), "{chosen}");
    }

    #[test]
    fn an_entry_is_named_by_row_and_column() {
        let (_folder, path) = written(FILE);
        let table = Table::first(&path, "waits").unwrap();
        assert_eq!(table.entry("LDG from L2", "one chain").unwrap(), 262.5);
        assert_eq!(table.rows("error").unwrap(), ["FFMA"]);
        for (row, column, said) in [
            ("LDG", "error", "LDG from L2, FFMA"),
            ("FFMA", "x", "one chain, error"),
            ("LDG from L2", "error", "no error"),
        ] {
            let message = table.entry(row, column).unwrap_err().to_string();
            assert!(message.contains(said), "{message}");
        }
    }

    #[test]
    fn a_row_that_is_too_short_is_an_error() {
        let (_folder, path) = written(&FILE.replace("[4,0.25]", "[4]"));
        let message = block(&path, "waits", &BTreeMap::new()).unwrap_err().to_string();
        assert!(message.contains("`FFMA` has 1 of 2 values"), "{message}");
        assert!(block(&path, "other", &BTreeMap::new()).unwrap().contains("Not measured yet"));
    }
}
