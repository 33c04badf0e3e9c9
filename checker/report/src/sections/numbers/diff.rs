//! The machine code's difference.

use crate::model::{Change, Report};
use crate::{Detail, Pen, Tone, pad};

/// Lines shown unless the whole was asked for.
const SHOWN: usize = 24;

/// Writes the diff's hot part.
pub fn write(pen: &mut Pen, report: &Report, detail: Detail) {
    let Some(diff) = &report.diff else { return };
    let heading = |index: usize| report.versions.get(index).map_or("", |version| version.label.as_str());
    if diff.removed == 0 && diff.added == 0 {
        pen.heading("machine code", &diff.arch);
        pen.line(&[
            (Tone::Text, "  "),
            (
                Tone::Dim,
                &format!("the hot part is the same in {} and {}: {} instructions", heading(0), heading(1), diff.same),
            ),
        ]);
        return;
    }
    let remark = format!(
        "{}   {} {}{}   {} +{}   {} in common",
        diff.arch,
        heading(0),
        pen.face.glyph("−", "-"),
        diff.removed,
        heading(1),
        diff.added,
        diff.same
    );
    pen.heading("machine code", &remark);
    let shown = if detail == Detail::Full { diff.lines.len() } else { SHOWN };
    for line in diff.lines.iter().take(shown) {
        let source = line.line.map(|line| format!(":{line}")).unwrap_or_default();
        let (tone, mark) = match line.change {
            Change::Same => (Tone::Dim, " "),
            Change::Removed => (Tone::Bad, pen.face.glyph("−", "-")),
            Change::Added => (Tone::Good, "+"),
            Change::Skipped => (Tone::Dim, pen.face.glyph("⋮", ":")),
        };
        pen.line(&[
            (Tone::Text, "  "),
            (Tone::Dim, &pad(&source, 5, true)),
            (Tone::Text, " "),
            (tone, mark),
            (Tone::Text, " "),
            (tone, &line.text),
        ]);
    }
    let left = diff.lines.len().saturating_sub(shown) + diff.omitted;
    if left > 0 {
        let name = &report.subject.name;
        let more = if detail == Detail::Full { format!("sass {name} --diff") } else { format!("{name} --verbose") };
        pen.line(&[(Tone::Dim, &format!("        {left} lines more: checker {more}"))]);
    }
}
