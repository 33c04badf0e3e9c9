//! Moodle VPL: lines of an evaluation's output. Whatever a student's file holds stays behind `Comment :=>>`.

use super::{Entry, is_open, total};

/// The lines.
pub fn lines(entries: &[Entry<'_>]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for entry in entries {
        // A line that begins with a hyphen is a title.
        lines.push(format!("-{}: {}", entry.grade.exercise, entry.feedback.verdict));
        let parts = entry.feedback.lines.iter();
        lines.extend(parts.map(|line| format!("{} of {} points, {}: {}", line.points, line.of, line.text, line.why)));
        lines.extend(entry.text().lines().skip(1).map(str::to_owned));
    }
    let comment = |line: &String| format!("Comment :=>> {}\n", system::text::line(line));
    let mut text: String = lines.iter().map(comment).collect();
    if !is_open(entries) {
        text.push_str(&format!("Grade :=>> {}\n", total(entries).0));
    }
    text
}
