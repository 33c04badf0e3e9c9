//! Counters beside the source, and by launch: a column for each counter that is not zero everywhere.

use crate::model::{LaunchCounters, Report, SourceLine};
use crate::{Detail, Face, Pen, Tone, pad};
use serde::Serialize;
use simulator::Counters;
use std::collections::BTreeMap;

/// Columns of text at most, whatever the terminal has: the eye goes from the counts to the code.
const WIDEST: usize = 100;
/// Columns that the source should at least have.
const SOURCE: usize = 34;
/// A line with this part of all instructions stands out.
const HOT: f64 = 0.1;

/// A column: its heading, the same in words, and what it counts.
struct Column {
    heading: &'static str,
    words: &'static str,
    value: fn(&Counters) -> u64,
}

const fn column(heading: &'static str, words: &'static str, value: fn(&Counters) -> u64) -> Column {
    Column { heading, words, value }
}

/// Columns by importance. `lanes`, a quotient, stands second and is not one of them.
const COLUMNS: &[Column] = &[
    column("instr", "warp instructions", |c| c.instructions),
    column("split", "divergent branches", |c| c.divergent_branches),
    column("sectors", "global sectors", |c| c.global_load_sectors + c.global_store_sectors),
    column("conflicts", "shared bank conflicts", |c| c.shared_bank_conflicts),
    column("local", "local memory sectors", |c| c.local_load_sectors + c.local_store_sectors),
    column("atomics", "atomics", |c| c.global_atomics + c.shared_atomics),
    column("barriers", "barriers", |c| c.barriers),
    column("waves", "shared memory wavefronts", |c| c.shared_load_wavefronts + c.shared_store_wavefronts),
    column("flops", "floating-point operations", |c| c.flops),
    column("exch", "shuffles and votes", |c| c.shuffles + c.votes),
];

/// A count by line of the kernel file, for a page that shades its listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Heat {
    /// What is counted: "global sectors".
    pub words: &'static str,
    /// How often, by line; lines where it is 0 are left out.
    pub lines: BTreeMap<u32, u64>,
}

/// Every count that is not zero everywhere, by line of the file.
pub fn heat(lines: &[SourceLine], file: &str) -> Vec<Heat> {
    let own = |line: &&SourceLine| line.file == file && line.line > 0;
    let of = |column: &Column| {
        let value =
            |line: &SourceLine| Some((line.line, (column.value)(&line.counters?))).filter(|(_, count)| *count > 0);
        Heat { words: column.words, lines: lines.iter().filter(own).filter_map(value).collect() }
    };
    COLUMNS.iter().map(of).filter(|heat| !heat.lines.is_empty()).collect()
}

/// The columns that fit, with their widths, and the headings of those that do not.
struct Layout {
    shown: Vec<(&'static Column, usize)>,
    left_out: Vec<&'static str>,
}

impl Layout {
    /// For these counters, in at most `room` columns of text.
    fn new(all: &[Counters], room: usize) -> Self {
        let (mut shown, mut left_out, mut used) = (Vec::new(), Vec::new(), LANES);
        for column in COLUMNS {
            let Some(largest) = all.iter().map(column.value).max().filter(|&largest| largest > 0) else { continue };
            let width = largest.to_string().len().max(column.heading.len());
            if used + 2 + width > room {
                left_out.push(column.heading);
            } else {
                used += 2 + width;
                shown.push((column, width));
            }
        }
        Self { shown, left_out }
    }

    fn headings(&self) -> String {
        self.cells(|column| column.heading.to_owned(), "lanes")
    }

    /// A row; a counter that is zero is left blank.
    fn row(&self, counters: &Counters) -> String {
        let value = |column: &Column| match (column.value)(counters) {
            0 => String::new(),
            // Without commas: a column of counts is narrow and has one scale.
            value => value.to_string(),
        };
        let lanes = match counters.instructions {
            0 => String::new(),
            _ => format!("{:.0} %", 100.0 * counters.lane_efficiency()),
        };
        self.cells(value, &lanes)
    }

    fn cells(&self, cell: impl Fn(&Column) -> String, lanes: &str) -> String {
        let mut out = String::new();
        for (index, (column, width)) in self.shown.iter().enumerate() {
            out.push_str("  ");
            out.push_str(&pad(&cell(column), *width, true));
            if index == 0 {
                out.push_str(&pad(lanes, LANES, true));
            }
        }
        out
    }
}

/// Width of the column `lanes` with the blanks before it.
const LANES: usize = 7;

/// Writes the source with its counters.
pub fn write(pen: &mut Pen, report: &Report, detail: Detail) {
    let counted: Vec<Counters> = report.lines.iter().filter_map(|line| line.counters).collect();
    if counted.is_empty() {
        return;
    }
    let mut total = Counters::default();
    counted.iter().for_each(|line| total.add(line));
    let width = pen.face.width.min(WIDEST);
    let with_total: Vec<Counters> = counted.iter().copied().chain([total]).collect();
    let room = if detail == Detail::Full { usize::MAX } else { width.saturating_sub(SOURCE + 8) };
    let layout = Layout::new(&with_total, room);
    let bar = pen.face.glyph(" │ ", " | ");
    let digits = report.lines.iter().map(|line| line.line).max().unwrap_or(0).to_string().len().max(3);
    let mut file = None;
    for line in &report.lines {
        if file != Some(&line.file) {
            file = Some(&line.file);
            let name = if line.file.is_empty() { "code without a line" } else { &line.file };
            pen.heading(name, "");
            pen.line(&[(Tone::Dim, &layout.headings())]);
        }
        source_line(pen, &layout, line, &total, (digits, bar, width));
    }
    let blank = " ".repeat(digits);
    let row = layout.row(&total);
    pen.line(&[(Tone::Strong, &row), (Tone::Dim, &format!("  {blank}{bar}")), (Tone::Strong, "all lines")]);
    explain(pen, &layout);
}

fn source_line(
    pen: &mut Pen,
    layout: &Layout,
    line: &SourceLine,
    total: &Counters,
    (digits, bar, width): (usize, &str, usize),
) {
    let counts = match &line.counters {
        None => " ".repeat(layout.headings().chars().count()),
        Some(counters) => layout.row(counters),
    };
    let hot = line.counters.is_some_and(|c| c.instructions as f64 >= HOT * total.instructions as f64);
    let number = if line.line > 0 { line.line.to_string() } else { String::new() };
    let number = format!("  {}{bar}", pad(&number, digits, true));
    let room = width.saturating_sub(counts.chars().count() + number.chars().count()).max(20);
    let text = shorten(&line.text, room, pen.face);
    let tone = if line.counters.is_none() { Tone::Dim } else { Tone::Text };
    pen.line(&[(if hot { Tone::Warn } else { Tone::Accent }, &counts), (Tone::Dim, &number), (tone, &text)]);
}

/// What the columns are, and which are not shown.
fn explain(pen: &mut Pen, layout: &Layout) {
    let words = |heading: &str| match heading {
        "instr" => "warp instructions",
        "split" => "divergent branches",
        "sectors" => "32-byte sectors of global memory",
        "conflicts" => "shared bank conflicts",
        "local" => "sectors of local memory",
        "atomics" => "lanes' atomics",
        "barriers" => "arrivals at block barriers",
        "waves" => "shared wavefronts",
        "flops" => "floating-point operations",
        _ => "shuffles and votes",
    };
    let mut text: Vec<String> =
        layout.shown.iter().map(|(column, _)| format!("{}: {}", column.heading, words(column.heading))).collect();
    text.insert(1.min(text.len()), "lanes: how full the warps were".into());
    pen.wrapped(&[(Tone::Text, "  ")], Tone::Dim, &text.join("; "));
    if !layout.left_out.is_empty() {
        let names: Vec<&str> = layout.left_out.iter().map(|heading| words(heading)).collect();
        let text = format!("counted as well: {}; --verbose has them beside the source, --json all", names.join(", "));
        pen.wrapped(&[(Tone::Text, "  ")], Tone::Dim, &text);
    }
}

/// Writes the counters of each launch, if there are several.
pub fn launches(pen: &mut Pen, report: &Report) {
    if report.launches.len() < 2 {
        return;
    }
    pen.heading("launches", "");
    let mut total = Counters::default();
    report.launches.iter().for_each(|launch| total.add(&launch.counters));
    let all: Vec<Counters> = report.launches.iter().map(|launch| launch.counters).chain([total]).collect();
    let layout = Layout::new(&all, pen.face.width.min(WIDEST).saturating_sub(SOURCE));
    pen.line(&[(Tone::Dim, &layout.headings())]);
    for LaunchCounters { kernel, line, counters } in &report.launches {
        let row = layout.row(counters);
        let name = format!("  {kernel}, line {line}");
        pen.line(&[(Tone::Accent, &row), (Tone::Text, &name)]);
    }
    let row = layout.row(&total);
    pen.line(&[(Tone::Strong, &row), (Tone::Text, "  all launches")]);
}

/// Text in at most `room` columns.
pub fn shorten(text: &str, room: usize, face: Face) -> String {
    let text = system::text::line(&text.replace('\t', " ")).into_owned();
    if console::measure_text_width(&text) <= room {
        return text.trim_end().to_owned();
    }
    console::truncate_str(&text, room, face.glyph("…", "...")).into_owned()
}
