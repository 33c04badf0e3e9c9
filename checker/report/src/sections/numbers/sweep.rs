//! A sweep: a table with a bar in every cell's row, so that the shape is seen at a glance.

use crate::model::{Report, SweepTable};
use crate::{Pen, Tone, pad, table};

const BARS: [&str; 9] = [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"];

/// Writes the table and, beside each value, its bar relative to the largest.
pub fn write(pen: &mut Pen, report: &Report) {
    let mut told: &[String] = &[];
    for sweep in report.sweep.iter().chain(&report.recorded_sweep) {
        one(pen, sweep);
        if sweep.legend != told {
            sweep.legend.iter().for_each(|legend| pen.wrapped(&[(Tone::Text, "  ")], Tone::Dim, legend));
            told = &sweep.legend;
        }
    }
}

fn one(pen: &mut Pen, sweep: &SweepTable) {
    let largest = sweep.values.iter().flatten().flatten().copied().filter(|v| v.is_finite()).fold(0.0, f64::max);
    pen.heading(
        &format!("{} by {} and {}", sweep.quantity, sweep.row, sweep.column),
        &table::provenance(&sweep.provenance),
    );
    pen.gap();
    let row_width = sweep.rows.iter().map(|row| row.to_string().len()).max().unwrap_or(0).max(sweep.row.len());
    let texts: Vec<Vec<String>> = sweep
        .values
        .iter()
        .map(|row| row.iter().map(|cell| cell.map_or_else(|| "-".to_owned(), |value| pen.face.number(value))).collect())
        .collect();
    let width = texts.iter().flatten().map(String::len).max().unwrap_or(0).max(6);
    let columns = sweep.columns.len().max(1);
    // What is left of the line is shared by the bars.
    let bar = (pen.face.width.saturating_sub(4 + row_width) / columns).saturating_sub(width + 3).min(16);
    // Bars that are all the same length show nothing.
    let smallest = sweep.values.iter().flatten().flatten().copied().filter(|v| v.is_finite()).fold(largest, f64::min);
    let bar = if pen.face.drawing && smallest < 0.95 * largest { bar } else { 0 };

    let mut header = format!("  {}", pad(&sweep.row, row_width, true));
    for column in &sweep.columns {
        let label = format!("{} {column}", sweep.column);
        header.push_str(&format!("  {}", pad(&pad(&label, width, true), width + 1 + bar, false)));
    }
    pen.line(&[(Tone::Dim, &header)]);
    for (row, cells) in sweep.rows.iter().zip(&texts) {
        let at = sweep.rows.iter().position(|other| other == row).unwrap_or(0);
        let label = format!("  {}", pad(&row.to_string(), row_width, true));
        let mut pieces: Vec<(Tone, String)> = vec![(Tone::Strong, label)];
        for (index, cell) in cells.iter().enumerate() {
            let value = sweep.values.get(at).and_then(|row| row.get(index)).copied().flatten();
            pieces.push((Tone::Text, format!("  {} ", pad(cell, width, true))));
            pieces.push((Tone::Accent, pad(&bars(value.unwrap_or(0.0) / largest, bar), bar, false)));
        }
        let pieces: Vec<(Tone, &str)> = pieces.iter().map(|(tone, text)| (*tone, text.as_str())).collect();
        pen.line(&pieces);
    }
}

/// A bar of `fraction` of `width` columns, in eighths.
fn bars(fraction: f64, width: usize) -> String {
    if !fraction.is_finite() {
        return String::new();
    }
    let eighths = (fraction.clamp(0.0, 1.0) * (width * 8) as f64).round() as usize;
    let rest = if eighths.is_multiple_of(8) { "" } else { BARS[eighths % 8] };
    format!("{}{rest}", BARS[8].repeat(eighths / 8))
}

#[cfg(test)]
mod tests {
    use super::bars;

    #[test]
    fn bars_are_proportional() {
        assert_eq!(bars(1.0, 4), "████");
        assert_eq!(bars(0.5, 4), "██");
        assert_eq!(bars(0.53125, 4), "██▏");
        assert_eq!(bars(f64::NAN, 4), "");
    }
}
