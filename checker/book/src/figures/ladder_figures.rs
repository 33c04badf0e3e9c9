//! The figures of `{{ladder NAME figure=...}}`, drawn from a ladder's results file.

use crate::PageError;
use crate::bars::{Bar, Bars};
use crate::ladder::measured_on;
use crate::svg::{Chart, Series, escape, evenly};
use anyhow::{Context as _, Result, bail};
use check::ladder::without_block;
use execution::measure::ladder_record::{LadderRecord, Point};
use problem::ladder::{BLOCK, Ladder};
use problem::{Problem, Sizes};
use std::fmt::Write as _;

/// One element type of a ladder's results on one device.
pub(crate) struct View<'a> {
    pub problem: &'a Problem,
    pub ladder: &'a Ladder,
    pub element: usize,
    pub record: &'a LadderRecord,
    /// The versions that a figure of lines names; the others are grey. Empty: all.
    pub shown: Vec<&'a str>,
}

/// More lines than this cannot be told apart.
const MOST_LINES: usize = 6;

impl View<'_> {
    fn element_name(&self) -> &str {
        &self.ladder.types[self.element].name
    }

    /// The point of a version at sizes with a block size; at the ladder's own the one it was compared at.
    fn point(&self, version: &str, sizes: &Sizes) -> Option<&Point> {
        let (rest, block) = without_block(sizes);
        let element = self.element_name();
        self.record.point(version, element, block, &rest).or_else(|| {
            // A version that does not claim the ladder's block size was measured with the nearest it claims.
            let here = |point: &&Point| point.version == version && point.element == element && point.sizes == rest;
            let nearest = self.record.points.iter().filter(here).min_by_key(|point| (point.block - block).abs());
            nearest.filter(|_| block == self.ladder.block)
        })
    }

    fn at(&self, value: i64) -> Sizes {
        let mut sizes = Ladder::with_block(&self.problem.manifest.time, self.ladder.block);
        sizes.insert(self.ladder.sizes.0.clone(), value);
        sizes
    }

    fn figure(&self, svg: &str, caption: &str) -> String {
        format!(
            "<figure class=\"wb-figure\">\n{svg}<figcaption>{caption} {}</figcaption>\n</figure>\n\n",
            capitalised(&measured_on(self.record))
        )
    }

    /// Are there few enough lines, and does every version that is to be shown exist?
    pub fn check_shown(&self) -> Result<()> {
        let versions = &self.ladder.versions;
        if let Some(unknown) = self.shown.iter().find(|name| !versions.iter().any(|version| version == *name)) {
            let versions = versions.join(", ");
            bail!(PageError(format!("`{}` has no version `{unknown}`; there are {versions}", self.problem.id)));
        }
        let lines = if self.shown.is_empty() { versions.len() } else { self.shown.len() };
        if lines > MOST_LINES {
            let name = format!("name at most {MOST_LINES} versions in show=A,B; the others are grey");
            bail!(PageError(format!("{lines} lines cannot be told apart: {name}")));
        }
        Ok(())
    }

    fn line(&self, version: &str, values: Vec<f64>) -> Series {
        let quiet = !self.shown.is_empty() && !self.shown.contains(&version);
        Series { name: version.to_owned(), values, quiet }
    }

    /// "Grey: a, b." for a caption.
    fn grey(&self, drawn: &[Series]) -> String {
        let names: Vec<String> = drawn.iter().filter(|line| line.quiet).map(|line| escape(&line.name)).collect();
        if names.is_empty() { String::new() } else { format!(" Grey: {}.", names.join(", ")) }
    }

    /// Every version's rate at the `time` size against what reading memory reaches.
    pub fn roof(&self) -> Option<String> {
        let sizes = &self.problem.manifest.time;
        let rate = |version: &String| self.point(version, sizes).and_then(|point| point.gb_per_s);
        self.ladder.versions.iter().find_map(rate)?;
        let rows = self.ladder.versions.iter().map(|v| Bar { name: v.clone(), values: vec![rate(v)] }).collect();
        let roof = self.record.read_roof_gb_per_s;
        let bars = Bars {
            title: format!("{}: GB/s of every version on {}", self.problem.manifest.title, self.record.device.name),
            label: "GB/s".into(),
            series: vec!["GB/s".into()],
            rows,
            unit: "",
            reference: Some((format!("reading memory: {roof:.0} GB/s"), roof)),
        };
        let at = report::sizes(sizes);
        Some(self.figure(&bars.svg(), &format!("{} at {}.", self.element_name(), escape(&at))))
    }

    /// Every version's rate over the sizes, both on logarithmic scales.
    pub fn sizes(&self) -> Option<String> {
        let (name, values) = &self.ladder.sizes;
        let rate = |version: &str, value: i64| {
            self.point(version, &self.at(value)).and_then(|point| point.gb_per_s).unwrap_or(f64::NAN)
        };
        let values: Vec<i64> = values
            .iter()
            .copied()
            .filter(|value| self.ladder.versions.iter().any(|version| rate(version, *value).is_finite()))
            .collect();
        if values.is_empty() {
            return None;
        }
        let of = |version: &String| self.line(version, values.iter().map(|value| rate(version, *value)).collect());
        let series: Vec<Series> = self.ladder.versions.iter().map(of).collect();
        let grey = self.grey(&series);
        let roof = self.record.read_roof_gb_per_s;
        let chart = Chart {
            title: format!("{}: GB/s over {name} on {}", self.problem.manifest.title, self.record.device.name),
            x_label: name.clone(),
            y_label: "GB/s".into(),
            x: evenly(values.iter().map(|value| power(*value))),
            series,
            reference: Some((format!("reading memory: {roof:.0} GB/s"), roof)),
            log: true,
        };
        // A version may choose its own.
        let block = self.ladder.block;
        let another = |version: &&String| {
            values.iter().any(|value| self.point(version, &self.at(*value)).is_some_and(|p| p.block != block))
        };
        let others: Vec<String> = self.ladder.versions.iter().filter(another).map(|version| escape(version)).collect();
        let but = if others.is_empty() {
            String::new()
        } else {
            format!(" ({}: blocks of its own choice)", others.join(", "))
        };
        Some(self.figure(&chart.svg(), &format!("{}, blocks of {block}{but}.{grey}", self.element_name())))
    }

    /// Every step's speedup beside the published one.
    pub fn beside_published(&self) -> Result<Option<String>> {
        let published = self.ladder.published.as_ref();
        let published = published.with_context(|| format!("`{}` has no [ladder.published]", self.problem.id))?;
        let view = View { element: published.element, shown: Vec::new(), ..*self };
        let sizes = view.at(published.at);
        let us = |version: &str| view.point(version, &sizes).map(|point| point.us.median);
        if published.ms.iter().all(|(version, _)| us(version).is_none()) {
            return Ok(None);
        }
        let ratio = |before: Option<f64>, after: Option<f64>| Some(before? / after?);
        let rows: Vec<Bar> = published
            .ms
            .windows(2)
            .map(|pair| Bar {
                name: pair[1].0.clone(),
                values: vec![Some(pair[0].1 / pair[1].1), ratio(us(&pair[0].0), us(&pair[1].0))],
            })
            .collect();
        let bars = Bars {
            title: format!("{}: speedup of every step, published and measured", self.problem.manifest.title),
            label: "times as fast as the step before".into(),
            series: vec![format!("{}, published", published.device), self.record.device.name.clone()],
            rows,
            unit: "x",
            reference: None,
        };
        let mut table = format!(
            "<table class=\"wb-table\">\n<thead><tr><th>version</th><th>{0}, ms</th><th>{1}, µs</th><th>step on {0}</th><th>step on {1}</th></tr></thead>\n<tbody>\n",
            escape(&published.device),
            escape(&self.record.device.name)
        );
        let dash = || "–".to_owned();
        for (index, (version, ms)) in published.ms.iter().enumerate() {
            let before = index.checked_sub(1).map(|before| &published.ms[before]);
            let step = before.map_or_else(String::new, |(_, before)| format!("{:.2}x", before / ms));
            let own = before.map_or_else(String::new, |(before, _)| {
                ratio(us(before), us(version)).map_or_else(dash, |ratio| format!("{ratio:.2}x"))
            });
            let time = us(version).map_or_else(dash, |us| format!("{us:.2}"));
            let _ = writeln!(
                table,
                "<tr><td><code>{}</code></td><td>{ms}</td><td>{time}</td><td>{step}</td><td>{own}</td></tr>",
                escape(version)
            );
        }
        table.push_str("</tbody></table>\n");
        let caption = format!(
            "{} at {}. Published: {}.",
            view.element_name(),
            escape(&report::sizes(&sizes)),
            escape(&published.source)
        );
        Ok(Some(format!("{}{table}\n", self.figure(&bars.svg(), &caption))))
    }

    /// Every version's rate over the block sizes at the `time` size, and its occupancy there.
    pub fn blocks(&self) -> Option<String> {
        let at = |block: i64| Ladder::with_block(&self.problem.manifest.time, block);
        let point = |version: &str, block: i64| self.point(version, &at(block)).filter(|point| point.block == block);
        let versions: Vec<&String> = self
            .ladder
            .versions
            .iter()
            .filter(|version| self.ladder.blocks.iter().filter(|block| point(version, **block).is_some()).count() > 1)
            .collect();
        if versions.is_empty() {
            return None;
        }
        let of = |version: &&String| {
            let rate = |block: &i64| point(version, *block).and_then(|point| point.gb_per_s).unwrap_or(f64::NAN);
            self.line(version, self.ladder.blocks.iter().map(rate).collect())
        };
        let series: Vec<Series> = versions.iter().map(of).collect();
        let grey = self.grey(&series);
        let roof = self.record.read_roof_gb_per_s;
        let chart = Chart {
            title: format!("{}: GB/s over the block size on {}", self.problem.manifest.title, self.record.device.name),
            x_label: "threads per block".into(),
            y_label: "GB/s".into(),
            x: evenly(self.ladder.blocks.iter().map(ToString::to_string)),
            series,
            reference: Some((format!("reading memory: {roof:.0} GB/s"), roof)),
            log: false,
        };
        let heads: String = self.ladder.blocks.iter().map(|block| format!("<th>{block}</th>")).collect();
        let mut table =
            format!("<table class=\"wb-table\">\n<thead><tr><th>occupancy</th>{heads}</tr></thead>\n<tbody>\n");
        // Versions with the same numbers share a row.
        let mut rows: Vec<(String, Vec<String>)> = Vec::new();
        for version in &versions {
            let cell = |block: &i64| {
                let occupancy = point(version, *block).and_then(|point| point.occupancy);
                format!("<td>{}</td>", occupancy.map_or_else(|| "–".to_owned(), |o| format!("{:.0} %", 100.0 * o)))
            };
            let cells: String = self.ladder.blocks.iter().map(cell).collect();
            let name = format!("<code>{}</code>", escape(version));
            match rows.iter_mut().find(|(known, _)| *known == cells) {
                Some((_, names)) => names.push(name),
                None => rows.push((cells, vec![name])),
            }
        }
        for (cells, names) in rows {
            let _ = writeln!(table, "<tr><td>{}</td>{cells}</tr>", names.join(", "));
        }
        table.push_str("</tbody></table>\n");
        let mut rest = self.problem.manifest.time.clone();
        rest.shift_remove(BLOCK);
        let caption = format!("{} at {}.{grey}", self.element_name(), escape(&report::sizes(&rest)));
        Some(format!("{}{table}\n", self.figure(&chart.svg(), &caption)))
    }
}

/// "2^20" for a power of two.
pub fn power(value: i64) -> String {
    if value > 1 && value & (value - 1) == 0 { format!("2^{}", value.ilog2()) } else { value.to_string() }
}

pub fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
