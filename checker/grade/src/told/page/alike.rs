//! Submissions that look alike: a table of them, two side by side.

use super::{page, text};
use crate::grade::Grade;
use crate::similar::Pair;
use similar::{ChangeTag, TextDiff};
use std::fmt::Write;

/// What looks alike of an exercise, and where it is shown.
#[derive(Debug)]
pub struct LooksAlike<'a> {
    /// The exercise.
    pub exercise: &'a str,
    /// Submissions that are the same file, with its page.
    pub same: Vec<(Vec<&'a Grade>, String)>,
    /// Pairs, with their pages.
    pub pairs: Vec<(Pair<'a>, String)>,
    /// Pairs that have none.
    pub more: usize,
}

fn student(grade: &Grade) -> String {
    text(&grade.student.to_string())
}

/// The table of all exercises.
pub(super) fn table(body: &mut String, alike: &[LooksAlike<'_>]) {
    body.push_str(
        "<h2>Look alike</h2>\n<p>In machine code, without registers, names and order of lines, and without what the starter has. \
         A small exercise has one good answer: a pair is a reason to look, and no proof. Of several who have the same file the first stands \
         for all.</p>\n<table>\n",
    );
    for LooksAlike { exercise, same, pairs, more } in alike {
        let exercise = text(exercise);
        for (grades, file) in same {
            let names: Vec<String> = grades.iter().map(|grade| student(grade)).collect();
            let _ = writeln!(
                body,
                "<tr><td>{exercise}</td><td colspan=\"2\"><a href=\"{}\">the same file</a>: {}</td><td class=\"n\">{} students</td></tr>",
                text(file),
                names.join(", "),
                names.len()
            );
        }
        for (pair, file) in pairs {
            let _ = writeln!(
                body,
                "<tr><td>{exercise}</td><td>{}</td><td>{}</td><td class=\"n\"><a href=\"{}\">{:.0} %</a></td></tr>",
                student(pair.one),
                student(pair.other),
                text(file),
                100.0 * pair.alike
            );
        }
        if *more > 0 {
            let pairs = if *more == 1 { "pair" } else { "pairs" };
            let _ = writeln!(body, "<tr><td>{exercise}</td><td colspan=\"3\">and {more} {pairs} more</td></tr>");
        }
    }
    body.push_str("</table>\n");
}

/// A file that several have handed in.
pub fn kernel(grades: &[&Grade], kernel: &str) -> String {
    let names: Vec<String> = grades.iter().map(|grade| student(grade)).collect();
    let kernel = report::escape(&system::text::clean(kernel));
    let exercise = grades.first().map_or("", |grade| grade.exercise.as_str());
    page(&format!("{exercise}: the same file"), &format!("<p>{}</p>\n<pre>{kernel}</pre>\n", names.join(", ")))
}

/// Two submissions side by side; lines that only one has are marked.
pub fn pair(pair: &Pair<'_>, kernels: [&str; 2]) -> String {
    let diff = TextDiff::from_lines(kernels[0], kernels[1]);
    let mut sides = [String::new(), String::new()];
    for change in diff.iter_all_changes() {
        let line = report::escape(&system::text::clean(change.value().trim_end_matches('\n')));
        let (to, class): (&[usize], &str) = match change.tag() {
            ChangeTag::Equal => (&[0, 1], ""),
            ChangeTag::Delete => (&[0], "own"),
            ChangeTag::Insert => (&[1], "own"),
        };
        for &side in to {
            let _ = writeln!(sides[side], "<span class=\"{class}\">{line}</span>");
        }
    }
    let [one, other] = [pair.one, pair.other].map(student);
    let body = format!(
        "<div class=\"pair\">\n<div><h2>{one}</h2><pre>{}</pre></div>\n<div><h2>{other}</h2><pre>{}</pre></div>\n</div>\n",
        sides[0], sides[1]
    );
    page(&format!("{}: {:.0} % of the machine code", pair.one.exercise, 100.0 * pair.alike), &body)
}
