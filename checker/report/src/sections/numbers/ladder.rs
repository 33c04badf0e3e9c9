//! A ladder: a version a row, what was counted, what the compiler says, and the times where there are any.

use crate::model::{LadderStep, LadderTable, Provenance, Report};
use crate::{Detail, Face, Pen, Tone, pad, table};
use console::measure_text_width;

/// A column: its two lines of heading, and its cell.
struct Column {
    head: [&'static str; 2],
    cell: fn(Face, &LadderStep) -> Option<String>,
}

const fn column(head: [&'static str; 2], cell: fn(Face, &LadderStep) -> Option<String>) -> Column {
    Column { head, cell }
}

fn count(face: Face, step: &LadderStep, of: fn(&simulator::Counters) -> u64) -> Option<String> {
    step.counters.as_ref().map(|counters| short(face, of(counters) as f64))
}

const COUNTED: &[Column] = &[
    column(["", "launches"], |_, step| Some(step.launches.to_string())),
    column(["warp", "instr."], |face, step| count(face, step, |c| c.instructions)),
    column(["lanes", "at work"], |_, step| {
        step.counters.as_ref().map(|counters| format!("{:.0} %", 100.0 * counters.lane_efficiency()))
    }),
    column(["bank", "confl."], |face, step| count(face, step, |c| c.shared_bank_conflicts)),
    column(["block", "barriers"], |face, step| count(face, step, |c| c.barriers)),
    column(["global", "atomics"], |face, step| count(face, step, |c| c.global_atomics)),
    column(["global", "sectors"], |face, step| count(face, step, |c| c.global_load_sectors + c.global_store_sectors)),
    column(["SASS", "instr."], |_, step| step.sass_instructions.map(|value| format!("{value:.0}"))),
    column(["regis-", "ters"], |_, step| step.registers.map(|value| format!("{value:.0}"))),
    column(["occu-", "pancy"], |_, step| step.occupancy.map(|value| format!("{:.0} %", 100.0 * value))),
];

const MEASURED: &[Column] = &[
    column(["", "time, us"], |_, step| step.us.map(microseconds)),
    column(["", "GB/s"], |_, step| step.gb_per_s.map(|value| format!("{value:.0}"))),
    column(["of the", "roof"], |_, step| step.roof.map(|value| format!("{:.0} %", 100.0 * value))),
    column(["against the", "step before"], |face, step| {
        step.step.map(|[ratio, ..]| format!("{} {}", factor(ratio), face.glyph("×", "x")))
    }),
    column(["99 %", "interval"], |_, step| {
        step.step.map(|[_, low, high]| format!("{} to {}", factor(low), factor(high)))
    }),
];

/// Writes the table. What was recorded elsewhere is one of the details.
pub fn write(pen: &mut Pen, report: &Report, detail: Detail) {
    let Some(ladder) = &report.ladder else { return };
    let at = crate::layout::sizes(&ladder.sizes);
    pen.heading(&format!("{} at {at}", ladder.element), "counted by the simulator, reported by the compiler");
    pen.gap();
    rows(pen, ladder, COUNTED);
    let of_now = |times: &Provenance| matches!(times, Provenance::Measured { .. });
    if let Some(times) = ladder.times.as_ref().filter(|times| detail == Detail::Full || of_now(times)) {
        let at = crate::layout::sizes(&ladder.time_sizes);
        pen.heading(&format!("{} at {at}", ladder.element), &table::provenance(times));
        pen.gap();
        rows(pen, ladder, MEASURED);
    }
}

fn rows(pen: &mut Pen, ladder: &LadderTable, columns: &[Column]) {
    let face = pen.face;
    let dash = face.glyph("·", "-");
    let texts: Vec<Vec<String>> = ladder
        .steps
        .iter()
        .map(|step| columns.iter().map(|column| (column.cell)(face, step).unwrap_or_else(|| dash.to_owned())).collect())
        .collect();
    let name = ladder.steps.iter().map(|step| step.version.len()).max().unwrap_or(0);
    let widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let cells = texts.iter().map(|row| measure_text_width(&row[index]));
            cells.chain(column.head.map(str::len)).max().unwrap_or(0)
        })
        .collect();
    let line = |first: &str, cells: &mut dyn Iterator<Item = &str>| {
        let mut text = format!("  {}", pad(first, name, false));
        for (cell, width) in cells.zip(&widths) {
            text.push_str("  ");
            text.push_str(&pad(cell, *width, true));
        }
        text
    };
    for head in 0..2 {
        pen.line(&[(Tone::Dim, &line("", &mut columns.iter().map(|column| column.head[head])))]);
    }
    for (step, row) in ladder.steps.iter().zip(&texts) {
        pen.line(&[(Tone::Text, &line(&step.version, &mut row.iter().map(String::as_str)))]);
    }
}

/// A count in few characters: "1234", "56.7 k", "8.90 M".
fn short(face: Face, value: f64) -> String {
    match value {
        ..10_000.0 => face.number(value).replace([',', ' '], ""),
        ..1e6 => format!("{:.1} k", value / 1e3),
        _ => format!("{:.2} M", value / 1e6),
    }
}

fn microseconds(us: f64) -> String {
    match us {
        ..1000.0 => format!("{us:.2}"),
        _ => format!("{us:.0}"),
    }
}

fn factor(value: f64) -> String {
    match value {
        ..10.0 => format!("{value:.2}"),
        _ => format!("{value:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_stay_short() {
        let face = Face::plain();
        assert_eq!(short(face, 0.0), "0");
        assert_eq!(short(face, 9999.0), "9999");
        assert_eq!(short(face, 56_789.0), "56.8 k");
        assert_eq!(short(face, 8_901_000.0), "8.90 M");
    }
}
