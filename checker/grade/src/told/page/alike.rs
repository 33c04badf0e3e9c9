//! Submissions that look alike: a table of them, two side by side.

use super::{page, text};
use crate::grade::Grade;
use crate::similar::Pair;
use similar::{ChangeTag, DiffTag, TextDiff};
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

/// Two submissions side by side, line beside line; lines that only one has are marked, and in two that stand for each other the words.
pub fn pair(pair: &Pair<'_>, kernels: [&str; 2]) -> String {
    let cleaned = kernels.map(|kernel| kernel.lines().map(|line| system::text::clean(line).into_owned()).collect());
    let [left, right]: [Vec<String>; 2] = cleaned;
    let diff = similar::capture_diff_slices(similar::Algorithm::Myers, &left, &right);
    let (mut sides, mut own) = ([String::new(), String::new()], 0);
    for op in diff {
        let (old, new) = (&left[op.old_range()], &right[op.new_range()]);
        for at in 0..old.len().max(new.len()) {
            let lines = [old.get(at), new.get(at)].map(|line| line.map(String::as_str));
            let rows = match lines {
                [Some(one), Some(_)] if op.tag() == DiffTag::Equal => {
                    [0, 1].map(|_| format!("  {}\n", report::escape(one)))
                }
                lines => {
                    own += 1;
                    let other = [lines[1], lines[0]];
                    [0, 1].map(|side| marked(lines[side], other[side]))
                }
            };
            sides.iter_mut().zip(rows).for_each(|(side, row)| side.push_str(&row));
        }
    }
    let said = match own {
        0 => "No line differs.".to_owned(),
        1 => "One line differs; it begins with &gt;.".to_owned(),
        own => format!("{own} lines differ; they begin with &gt;."),
    };
    let [one, other] = [pair.one, pair.other].map(student);
    let body = format!(
        "<p>{said}</p>\n<div class=\"pair\">\n<div><h2>{one}</h2><pre>{}</pre></div>\n<div><h2>{other}</h2><pre>{}</pre></div>\n</div>\n",
        sides[0], sides[1]
    );
    page(&format!("{}: {:.0} % of the machine code", pair.one.exercise, 100.0 * pair.alike), &body)
}

/// A line that only one side has, with the words marked that `other`, which stands there instead, has not; an empty row where the other
/// side has a line of its own.
fn marked(line: Option<&str>, other: Option<&str>) -> String {
    let Some(line) = line else { return "\n".to_owned() };
    let diff = TextDiff::from_words(other.unwrap_or_default(), line);
    let mut row = String::new();
    for change in diff.iter_all_changes() {
        let words = report::escape(change.value());
        match change.tag() {
            ChangeTag::Equal => row.push_str(&words),
            ChangeTag::Insert if other.is_some() && !words.trim().is_empty() => {
                let _ = write!(row, "<mark>{words}</mark>");
            }
            ChangeTag::Insert => row.push_str(&words),
            ChangeTag::Delete => {}
        }
    }
    format!("<span class=\"own\">&gt; {row}</span>\n")
}

#[cfg(test)]
mod tests {
    use super::marked;

    #[test]
    fn a_line_of_one_side_is_marked_without_colours_too() {
        assert_eq!(marked(Some("int a = 1;"), None), "<span class=\"own\">&gt; int a = 1;</span>\n");
        assert_eq!(marked(None, Some("int a;")), "\n");
        let row = marked(Some("if (t < many) return;"), Some("if (t < found) return;"));
        assert_eq!(row, "<span class=\"own\">&gt; if (t &lt; <mark>many)</mark> return;</span>\n");
        // What a learner wrote is text.
        assert!(marked(Some("<b>"), Some("x")).contains("&lt;b&gt;"));
    }
}
