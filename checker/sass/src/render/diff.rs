//! A diff as text: side by side where there is room, unified otherwise.

use super::{guard, style};
use crate::{
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
            let pad = " ".repeat(width.saturating_sub(measure_text_width(&left)) + 1);
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
            Some(s) => side_by_side(rows, s.columns, colour, &mut out),
            None => unified(rows, colour, &mut out),
        }
        n += rows.len();
    }
    out
}

/// Width of one of the two columns.
fn column(columns: usize) -> usize {
    columns.saturating_sub(2) / 2
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

/// Two columns, each with its mark. Between rows that have both sides, what is gone stands beside what is new.
fn side_by_side(rows: &[Row], columns: usize, colour: bool, out: &mut String) {
    let width = column(columns);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let mut flush = |left: &mut Vec<Side>, right: &mut Vec<Side>| {
        for n in 0..left.len().max(right.len()) {
            let line = format!("{} {}", cell(left.get(n), width, colour), cell(right.get(n), width, colour));
            let _ = writeln!(out, "{}", line.trim_end());
        }
        left.clear();
        right.clear();
    };
    for row in rows {
        let both = row.old.is_some() && row.new.is_some();
        if both {
            flush(&mut left, &mut right);
        }
        left.extend(row.old.map(|i| (row.change, i, '-')));
        right.extend(row.new.map(|i| (row.change, i, '+')));
        if both {
            flush(&mut left, &mut right);
        }
    }
    flush(&mut left, &mut right);
}

/// An instruction in a column: how it compares, and the mark of its side.
type Side<'a> = (Change, &'a Instruction, char);

/// What is the same or only moved is dim; the rest has the colour of what it costs.
fn cell(side: Option<&Side>, width: usize, colour: bool) -> String {
    let Some((change, i, mark)) = side else { return " ".repeat(width) };
    let plain = Style::new().force_styling(colour);
    let (mark, mark_style, style) = match change {
        Change::Same => (' ', plain.clone(), plain.clone().dim()),
        Change::MovedAway => ('<', plain.clone().dim(), plain.clone().dim()),
        Change::MovedHere => ('>', plain.clone().dim(), plain.clone().dim()),
        Change::Changed => ('~', plain.clone().yellow().bold(), style(i, colour)),
        Change::Removed => (*mark, plain.clone().red().bold(), style(i, colour)),
        Change::Added => (*mark, plain.clone().green().bold(), style(i, colour)),
    };
    let cut = truncate_str(&text(i), width.saturating_sub(2), "...").into_owned();
    let pad = " ".repeat(width.saturating_sub(2 + measure_text_width(&cut)));
    format!("{} {}{pad}", mark_style.apply_to(mark), style.apply_to(cut))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{diff::diff as compare, listing::parse};

    #[test]
    fn two_columns() {
        let kernel = |lines: &[&str]| {
            let body: String = lines.iter().enumerate().map(|(n, l)| format!("/*{:04x}*/ {l} ;\n", n * 16)).collect();
            parse(&format!("\t.section\t.text.k,\"ax\"\n{body}")).kernels.remove(0)
        };
        let old = kernel(&["S2R R0, SR_TID.X", "STL [R4], R2", "LDL R2, [R4]", "FADD R3, R2, 1", "EXIT"]);
        let new = kernel(&["S2R R5, SR_TID.X", "@P0 SEL R2, R4, R5, !P0", "FADD R3, R2, 2", "EXIT"]);
        let text = diff(&compare(&old, &new), ("old", "new"), Some(SideBySide { columns: 120 }), false, true);
        insta::assert_snapshot!(text, @r"
        old                                                         new
        instructions 5 -> 4, registers 0
        LDL 1 -> 0, STL 1 -> 0, SEL 0 -> 1

                     S2R R0, SR_TID.X                                            S2R R5, SR_TID.X
        -            STL [R4], R2                                   +        @P0 SEL R2, R4, R5, !P0
        -            LDL R2, [R4]
        ~            FADD R3, R2, 1                                 ~            FADD R3, R2, 2
                     EXIT                                                        EXIT
        ");
    }
}
