//! A diff as text: side by side where there is room, unified otherwise.

use super::{guard, style};
use crate::sass::{
    diff::{Change, Diff, Row, summary},
    instruction::Instruction,
};
use console::{Style, measure_text_width, truncate_str};
use std::fmt::Write;

/// Equal rows shown around a change; longer equal stretches are folded.
const CONTEXT: usize = 3;

/// How wide the two columns may be.
#[derive(Debug, Clone, Copy)]
pub struct SideBySide {
    /// Columns of the terminal, at least 120.
    pub columns: usize,
}

/// A diff as text: summary first, then rows. `fold` leaves out equal stretches far from any change.
pub fn diff(d: &Diff, names: (&str, &str), layout: Option<SideBySide>, colour: bool, fold: bool) -> String {
    let bold = Style::new().force_styling(colour).bold();
    let dim = Style::new().force_styling(colour).dim();
    let mut out = String::new();
    match layout {
        Some(s) => {
            let width = column(s.columns);
            let left = truncate_str(names.0, width, "...").into_owned();
            let pad = " ".repeat(width.saturating_sub(measure_text_width(&left)) + 3);
            let _ = writeln!(out, "{}{pad}{}", bold.apply_to(left), bold.apply_to(truncate_str(names.1, width, "...")));
        }
        None => {
            let _ = writeln!(out, "{}", bold.apply_to(format!("--- {}", names.0)));
            let _ = writeln!(out, "{}", bold.apply_to(format!("+++ {}", names.1)));
        }
    }
    let _ = writeln!(out, "{}", bold.apply_to(summary(&d.totals)));
    if !d.opcodes.is_empty() {
        let _ = writeln!(out, "{}", bold.apply_to(summary(&d.opcodes)));
    }
    if d.is_same() {
        let moved = d.count(Change::MovedHere);
        let order = if moved > 0 { format!("; {moved} stand in another place") } else { String::new() };
        let _ = writeln!(out, "the same instructions but for register numbers, addresses and scheduling{order}");
        return out;
    }
    out.push('\n');
    let far_from_change = |n: usize| {
        let near = &d.rows[n.saturating_sub(CONTEXT)..(n + CONTEXT + 1).min(d.rows.len())];
        fold && near.iter().all(|r| r.change == Change::Same)
    };
    let mut n = 0;
    while n < d.rows.len() {
        let stretch = |wanted: &dyn Fn(usize) -> bool| (n..d.rows.len()).take_while(|n| wanted(*n)).count();
        let folded = stretch(&far_from_change);
        if folded > 0 {
            let _ = writeln!(out, "{}", dim.apply_to(format!("    ... {folded} equal")));
            n += folded;
            continue;
        }
        let changed = stretch(&|n| d.rows[n].change != Change::Same);
        let rows = &d.rows[n..n + changed.max(1)];
        match layout {
            Some(s) => rows.iter().for_each(|row| side_by_side(row, s.columns, colour, &mut out)),
            None => unified(rows, colour, &mut out),
        }
        n += rows.len();
    }
    out
}

/// Width of one of the two columns.
fn column(columns: usize) -> usize {
    columns.saturating_sub(5) / 2
}

fn flush(out: &mut String, folded: &mut usize, dim: &Style) {
    if *folded > 0 {
        let _ = writeln!(out, "{}", dim.apply_to(format!("    ... {folded} equal")));
    }
    *folded = 0;
}

fn text(i: &Instruction) -> String {
    let source = i.source.map_or(String::new(), |s| format!("{:>4}", s.line));
    format!("{source:>4} {:>5} {}", guard(i), i.text)
}

/// A stretch of changes: first what was, then what is.
fn unified(rows: &[Row], colour: bool, out: &mut String) {
    let (red, green) = (Style::new().force_styling(colour).red(), Style::new().force_styling(colour).green());
    let dim = Style::new().force_styling(colour).dim();
    let mut line = |mark: &str, i: &Instruction, style: &Style| {
        let _ = writeln!(out, "{}", style.apply_to(format!("{mark} {}", text(i)).trim_end()));
    };
    for (row, i) in rows.iter().filter_map(|row| Some((row, row.old?))) {
        match row.change {
            Change::MovedAway => line("<", i, &dim),
            Change::Same => {}
            _ => line("-", i, &red),
        }
    }
    for (row, i) in rows.iter().filter_map(|row| Some((row, row.new?))) {
        match row.change {
            Change::MovedHere => line(">", i, &dim),
            Change::Same => line(" ", i, &dim),
            _ => line("+", i, &green),
        }
    }
}

/// Left, a mark, right. A row that is the same is dim; the instructions themselves keep the colour of what they cost.
fn side_by_side(row: &Row, columns: usize, colour: bool, out: &mut String) {
    let plain = Style::new().force_styling(colour);
    let (mark, mark_style) = match row.change {
        Change::Same => (" ", plain.clone()),
        Change::Changed => ("|", plain.clone().yellow().bold()),
        Change::Removed => ("-", plain.clone().red().bold()),
        Change::Added => ("+", plain.clone().green().bold()),
        Change::MovedAway => ("<", plain.clone().dim()),
        Change::MovedHere => (">", plain.clone().dim()),
    };
    let width = column(columns);
    let cell = |i: Option<&Instruction>| {
        let Some(i) = i else { return " ".repeat(width) };
        let cut = truncate_str(&text(i), width, "...").into_owned();
        let pad = " ".repeat(width.saturating_sub(measure_text_width(&cut)));
        let quiet = matches!(row.change, Change::Same | Change::MovedAway | Change::MovedHere);
        let style = if quiet { plain.clone().dim() } else { style(i, colour) };
        format!("{}{pad}", style.apply_to(cut))
    };
    let line = format!("{} {} {}", cell(row.old), mark_style.apply_to(mark), cell(row.new));
    let _ = writeln!(out, "{}", line.trim_end());
}
