//! The pipeline's steps: in one row, or each with what it found.

use crate::model::*;
use crate::{Face, Pen, Tone, pad};
use console::measure_text_width;

const fn mark(face: Face, status: StageStatus) -> (Tone, &'static str) {
    match status {
        StageStatus::Passed => (Tone::Good, face.glyph("✓ ", "ok")),
        StageStatus::Failed => (Tone::Bad, face.glyph("✗ ", "x ")),
        StageStatus::Skipped => (Tone::Dim, face.glyph("· ", "--")),
    }
}

/// All in one row; what was skipped says why, where there is room.
pub fn row(pen: &mut Pen, report: &Report) {
    let mut pieces = pieces(pen.face, report, true);
    if pieces.iter().map(|(_, text)| measure_text_width(text)).sum::<usize>() > pen.face.width {
        pieces = self::pieces(pen.face, report, false);
    }
    if !pieces.is_empty() {
        let pieces: Vec<(Tone, &str)> = pieces.iter().map(|(tone, text)| (*tone, text.as_str())).collect();
        pen.line(&pieces);
    }
}

fn pieces(face: Face, report: &Report, reasons: bool) -> Vec<(Tone, String)> {
    let mut pieces = Vec::new();
    // With a GPU results are looked at twice: there and on the simulator.
    let stages = report.stages.chunk_by(|one, next| (one.name, one.status) == (next.name, next.status));
    for stage in stages.filter_map(<[Stage]>::first) {
        let (tone, mark) = mark(face, stage.status);
        pieces.push((tone, format!("  {} ", mark.trim_end())));
        pieces.push(match stage.status {
            StageStatus::Skipped if reasons => (Tone::Dim, format!("{}: {}", stage.name.label(), stage.summary)),
            StageStatus::Skipped => (Tone::Dim, stage.name.label().to_owned()),
            _ => (Tone::Text, stage.name.label().to_owned()),
        });
    }
    pieces
}

/// Each with what it found.
pub fn list(pen: &mut Pen, report: &Report) {
    if report.stages.is_empty() {
        return;
    }
    pen.gap();
    let width = report.stages.iter().map(|stage| stage.name.label().len()).max().unwrap_or(0);
    for stage in &report.stages {
        let (tone, mark) = mark(pen.face, stage.status);
        let text = if stage.status == StageStatus::Skipped { Tone::Dim } else { Tone::Text };
        let name = pad(stage.name.label(), width, false);
        let first = [(Tone::Text, "  "), (tone, mark), (Tone::Text, " "), (text, name.as_str()), (Tone::Text, "  ")];
        pen.wrapped(&first, text, &stage.summary);
    }
}
