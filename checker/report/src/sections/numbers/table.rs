//! The comparison: baseline, candidate, change; grouped by where the numbers come from.

use crate::model::*;
use crate::{Detail, Face, Pen, Tone, pad};
use console::measure_text_width;

/// Writes the rows, without those that a goal's row has the numbers of.
pub fn write(pen: &mut Pen, report: &Report, detail: Detail) {
    let asked = |row: &Row| {
        report.goals.iter().any(|goal| {
            goal.metric == row.metric && goal.value.is_some() && goal.elsewhere.is_none() && row.note.is_empty()
        })
    };
    let rows: Vec<&Row> =
        report.table.iter().filter(|row| (detail == Detail::Full || !row.detail) && !asked(row)).collect();
    if rows.is_empty() {
        return;
    }
    let both = report.versions.len() > 1;
    let heading = |index: usize| report.versions.get(index).map_or("", |version| version.label.as_str());
    let (left, right) = if both { (heading(0), heading(1)) } else { ("", heading(0)) };

    let cells: Vec<[String; 5]> = rows.iter().map(|row| cells(pen.face, row, both)).collect();
    let widest = |column: usize, least: usize| {
        cells.iter().map(|row| measure_text_width(&row[column])).max().unwrap_or(0).max(least)
    };
    let widths = [widest(0, 20), widest(1, left.len()), widest(2, right.len()), widest(3, 6)];

    pen.gap();
    let title = pad("", widths[0], false);
    let (left, right) = (pad(left, widths[1], true), pad(right, widths[2], true));
    let change = if both { pad("change", widths[3], true) } else { String::new() };
    pen.line(&[(Tone::Text, "  "), (Tone::Dim, &format!("{title}  {left}  {right}  {change}"))]);

    let mut source: Option<String> = None;
    for (row, cells) in rows.iter().zip(&cells) {
        let this = provenance(&row.provenance);
        if source.as_ref() != Some(&this) {
            let dash = pen.face.glyph("─", "-");
            let used = 2 + measure_text_width(&this) + 1;
            let total = widths.iter().sum::<usize>() + 6;
            let rule = dash.repeat(total.saturating_sub(used).max(2));
            pen.line(&[(Tone::Text, "  "), (Tone::Dim, &format!("{dash}{dash} {this} {rule}"))]);
            source = Some(this);
        }
        let tone = tone(row);
        let name = pad(&cells[0], widths[0], false);
        let numbers = format!("  {}  {}  ", pad(&cells[1], widths[1], true), pad(&cells[2], widths[2], true));
        let change = pad(&cells[3], widths[3], true);
        let note = if cells[4].is_empty() { String::new() } else { format!("  {}", cells[4]) };
        pen.line(&[
            (Tone::Text, "  "),
            (Tone::Text, &name),
            (Tone::Text, &numbers),
            (tone, &change),
            (Tone::Dim, &note),
        ]);
    }
}

/// In words, for a group's rule.
pub fn provenance(provenance: &Provenance) -> String {
    match provenance {
        Provenance::Simulated => "counted by the simulator".to_owned(),
        Provenance::Compiler => "reported by the compiler".to_owned(),
        Provenance::Modelled => "modelled".to_owned(),
        Provenance::Measured { device, driver } => format!("measured on {device}, driver {driver}"),
        Provenance::Recorded { device, driver, date } => {
            format!("recorded on {device}, driver {driver}, {date}")
        }
    }
}

fn cells(face: Face, row: &Row, both: bool) -> [String; 5] {
    let value = |value: Option<f64>| match value {
        None => face.glyph("·", "-").to_owned(),
        Some(value) if row.unit == "%" => format!("{} %", face.number(value)),
        Some(value) => face.number(value),
    };
    let unit = if row.unit.is_empty() || row.unit == "%" { String::new() } else { format!(", {}", row.unit) };
    [
        format!("{}{unit}", row.quantity),
        if both { value(row.baseline) } else { String::new() },
        value(row.candidate),
        if both { change(face, row) } else { String::new() },
        row.note.clone(),
    ]
}

/// "same", "-2", "gone", "1/4.0", "x 2.0".
fn change(face: Face, row: &Row) -> String {
    let (Some(before), Some(after)) = (row.baseline, row.candidate) else { return String::new() };
    let times = face.glyph("×", "x");
    let small = |value: f64| value.abs() < 100.0 && value == value.trunc();
    if before == after {
        face.glyph("=", "=").to_owned()
    } else if after == 0.0 {
        "gone".to_owned()
    } else if row.unit == "%" || (small(before) && small(after)) {
        let sign = if after < before { face.glyph("−", "-") } else { "+" };
        if row.unit == "%" {
            // To one decimal, as the columns beside are.
            let tenths = (after * 10.0).round() - (before * 10.0).round();
            format!("{sign}{:.1}", tenths.abs() / 10.0)
        } else {
            format!("{sign}{}", face.number((after - before).abs()))
        }
    } else if before == 0.0 {
        "new".to_owned()
    } else if after > before {
        format!("{times} {}", ratio(after / before))
    } else {
        format!("{} {}", face.glyph("÷", "/"), ratio(before / after))
    }
}

fn ratio(value: f64) -> String {
    match value {
        ..10.0 => format!("{value:.2}"),
        ..100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

fn tone(row: &Row) -> Tone {
    let (Some(before), Some(after)) = (row.baseline, row.candidate) else { return Tone::Text };
    match row.better {
        _ if before == after => Tone::Dim,
        Better::Neither => Tone::Text,
        Better::Less if after < before => Tone::Good,
        Better::More if after > before => Tone::Good,
        Better::Less | Better::More => Tone::Warn,
    }
}

/// A recorded time in half a sentence.
pub fn recorded(face: Face, report: &Report, speedup: &Speedup) -> String {
    let device = match &speedup.provenance {
        Provenance::Recorded { device, .. } | Provenance::Measured { device, .. } => device.as_str(),
        Provenance::Simulated | Provenance::Compiler | Provenance::Modelled => "",
    };
    let whose = if report.subject.kind == SubjectKind::Exercise { "the worked answer " } else { "" };
    format!("recorded: {whose}{} {} on {device}", ratio(speedup.ratio), face.glyph("×", "x"))
}

/// The measured and the recorded time. On one screen what is recorded stands beside the goal on it, if there is one.
pub fn speedups(pen: &mut Pen, report: &Report, detail: Detail) {
    if let Some(speedup) = &report.speedup {
        in_full(pen, report, speedup, false);
    }
    let beside = |goal: &GoalResult| goal.metric == "speedup" && goal.status == GoalStatus::NotJudged;
    match &report.recorded {
        Some(speedup) if detail == Detail::Full => in_full(pen, report, speedup, true),
        Some(speedup) if !report.goals.iter().any(beside) => {
            pen.line(&[(Tone::Text, "     "), (Tone::Dim, &recorded(pen.face, report, speedup))]);
        }
        _ => {}
    }
    modelled(pen, report, detail);
}

/// "exact" as an adverb.
fn sure(confidence: &str) -> &str {
    if confidence == "exact" { "exactly" } else { confidence }
}

/// Cells of the bar of what parts of the machine need.
const BAR: usize = 24;
/// Modelled times no farther apart than this are the same.
const SAME: f64 = 0.02;
/// Parts that are shown of a version.
const SHOWN: usize = 4;

/// What a model says, where nothing was measured: "modelled for an H200: 1.9x to 2.3x, bound by shared memory". In full what
/// each part of the machine needs, too.
fn modelled(pen: &mut Pen, report: &Report, detail: Detail) {
    if report.speedup.is_some() {
        return;
    }
    let Some(modelled) = &report.modelled else {
        if let Some(why) = report.not_modelled.as_ref().filter(|_| detail == Detail::Full) {
            pen.gap();
            pen.wrapped(&[(Tone::Text, "  ")], Tone::Dim, &format!("not modelled: {why}"));
        }
        return;
    };
    let times = pen.face.glyph("×", "x");
    let [before, after] = &modelled.versions;
    let bound = if before.bound == after.bound {
        format!("bound by {}", after.bound)
    } else {
        format!("bound by {}, before by {}", after.bound, before.bound)
    };
    let amount = if (before.us / after.us - 1.0).abs() < SAME {
        let whose = report.versions.first().map_or("baseline", |version| version.label.as_str());
        format!("about as fast as the {whose}, {:.2}{times} to {:.2}{times}", modelled.low, modelled.high)
    } else {
        // As the goal on it has them.
        format!("{:.2}{times} to {:.2}{times}", modelled.low, modelled.high)
    };
    let against = if before.confidence == crate::RECORDED { ", against the recorded starter" } else { "" };
    let text = format!("modelled for an {}{against}: {amount}, {bound}", modelled.device);
    if detail == Detail::Normal {
        pen.wrapped(&[(Tone::Text, "     ")], Tone::Dim, &text);
        return;
    }
    pen.heading("modelled", "");
    pen.wrapped(&[(Tone::Text, "  ")], Tone::Text, &text);
    let most = before.us.max(after.us).max(f64::MIN_POSITIVE);
    for (version, label) in modelled.versions.iter().zip(report.versions.iter().map(|version| &version.label)) {
        let (low, high) = (pen.face.number(version.low), pen.face.number(version.high));
        if version.confidence == crate::RECORDED {
            pen.line(&[(Tone::Dim, &format!("  {label}, recorded: {low} us"))]);
            continue;
        }
        let time =
            format!("  {label}, modelled: {low} to {high} us; what is executed is known {}", sure(&version.confidence));
        pen.line(&[(Tone::Dim, &time)]);
        for part in version.parts.iter().take(SHOWN) {
            let cells = (part.us / most * BAR as f64).round().clamp(0.0, BAR as f64) as usize;
            let bar = pad(&pen.face.glyph("▪", "#").repeat(cells), BAR, false);
            let us = pad(&pen.face.number(part.us), 10, true);
            pen.line(&[(Tone::Text, "    "), (Tone::Accent, &bar), (Tone::Dim, &format!("{us} us  {}", part.of))]);
        }
    }
}

fn in_full(pen: &mut Pen, report: &Report, speedup: &Speedup, recorded: bool) {
    pen.gap();
    let label = match (recorded, report.subject.kind) {
        // The learner's own kernel was never there.
        (true, SubjectKind::Exercise) => "  recorded for the worked answer  ",
        (true, _) => "  recorded  ",
        (false, _) => "  ",
    };
    let tone = match speedup.verdict {
        // What was measured elsewhere and earlier must not look like a result of now.
        _ if recorded => Tone::Dim,
        Pace::Faster => Tone::Good,
        Pace::Slower => Tone::Bad,
        Pace::Same => Tone::Strong,
    };
    let times = pen.face.glyph("×", "x");
    let amount = format!("{} {times}", ratio(speedup.ratio));
    let interval = format!("{} to {}", ratio(speedup.low), ratio(speedup.high));
    pen.line(&[
        (Tone::Dim, label),
        (tone, speedup.verdict.label()),
        (Tone::Text, "  "),
        (Tone::Strong, &amount),
        (Tone::Dim, &format!("  99 % interval {interval}, {} pairs of runs", speedup.samples)),
    ]);
    let at = crate::layout::sizes(&speedup.sizes);
    pen.line(&[(Tone::Text, "  "), (Tone::Dim, &format!("{}; {at}", provenance(&speedup.provenance)))]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(before: f64, after: f64, unit: &str) -> Row {
        Row {
            metric: "m".into(),
            quantity: "q".into(),
            unit: unit.into(),
            baseline: Some(before),
            candidate: Some(after),
            better: Better::Less,
            provenance: Provenance::Compiler,
            note: String::new(),
            detail: false,
        }
    }

    #[test]
    fn change_is_a_difference_for_small_numbers_and_a_ratio_for_large_ones() {
        let plain = Face::plain();
        assert_eq!(change(plain, &row(16.0, 14.0, "")), "-2");
        assert_eq!(change(plain, &row(4096.0, 1024.0, "")), "/ 4.00");
        assert_eq!(change(plain, &row(1024.0, 20480.0, "")), "x 20.0");
        assert_eq!(change(plain, &row(512.0, 0.0, "")), "gone");
        assert_eq!(change(plain, &row(0.0, 512.0, "")), "new");
        assert_eq!(change(plain, &row(7.0, 7.0, "")), "=");
        assert_eq!(change(plain, &row(50.0, 62.5, "%")), "+12.5");
        assert_eq!(change(plain, &row(95.42, 94.46, "%")), "-0.9");
    }

    #[test]
    fn worse_is_never_painted_good() {
        assert_eq!(tone(&row(1.0, 2.0, "")), Tone::Warn);
        assert_eq!(tone(&row(2.0, 1.0, "")), Tone::Good);
    }
}
