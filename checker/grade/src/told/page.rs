//! Pages of a grade book, each a file by itself: one a student, one for the teacher, one for each pair of submissions that look alike.
//! Everything that a student wrote is text in them.

use crate::grade::{Grade, State};
use crate::intake::{Student, Without};
use crate::points::{Came, Points};
use crate::rubric::Counts;
use crate::told::feedback::{Feedback, Told, of, sentence};
use crate::told::table::counting;
use report::{Detail, Face, GoalStatus, render};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

mod alike;
mod figure;
mod look;

pub use alike::{LooksAlike, kernel, pair};

/// Kinds of findings of an exercise that are named, and students for each.
const MOST_FOUND: usize = 12;
const MOST_NAMED: usize = 6;

const STYLE: &str = "\
:root { color-scheme: light dark; --line: #8884; --good: #2a7d2a; --bad: #b3402a; --dim: #888 }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0 } th, td { border-bottom: 1px solid var(--line); padding: .25rem .75rem; text-align: left; vertical-align: top }
td.n { text-align: right; font-variant-numeric: tabular-nums } .good { color: var(--good) } .bad { color: var(--bad) } .dim { color: var(--dim) }
pre { overflow-x: auto; border: 1px solid var(--line); padding: .5rem; font-size: .85rem } .bar { display: inline-block; height: .7rem; background: var(--good) }
figure { display: inline-block; margin: 0 1rem 1rem 0 } figcaption { font-size: .9rem } svg text { font: 13px system-ui, sans-serif; fill: currentColor }
rect.met { fill: var(--good) } rect.missed { fill: var(--bad) } .pair { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1rem } .own { background: #b3402a22 } mark { background: #b3402a66; color: inherit }
";

/// Text in HTML: controls are shown, markup is none.
fn text(words: &str) -> String {
    report::escape(&system::text::line(words))
}

/// A whole page. No script, nothing from elsewhere: what it shows was handed in by strangers.
fn page(title: &str, body: &str) -> String {
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    let title = text(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n"
    )
}

/// What a student gets: every submission with its points; with `Told::Released` the whole report.
pub fn student(student: &Student, grades: &[&Grade], told: Told) -> String {
    let mut body = String::new();
    for grade in grades {
        let feedback = of(grade, told);
        let _ = writeln!(body, "<h2>{}: {} of {}</h2>", text(&grade.exercise), feedback.total, feedback.of);
        let time = grade.submitted.time.map(|time| format!(", {time}")).unwrap_or_default();
        let _ =
            writeln!(body, "<p>{}{}: <b>{}</b></p>", text(&grade.submitted.file), text(&time), text(&feedback.verdict));
        body.push_str(&said(&feedback));
        if let (Told::Released, Some(report)) = (told, &grade.report) {
            let rendered = render(report, Face::plain(), Detail::Full).into_string();
            let _ = writeln!(body, "<pre>{}</pre>", report::escape(&rendered));
        }
    }
    page(&student.to_string(), &body)
}

fn said(feedback: &Feedback) -> String {
    let mut body = String::new();
    for reason in &feedback.reasons {
        let _ = writeln!(body, "<p>{}</p>", text(reason));
    }
    for place in &feedback.places {
        let lines: Vec<String> = place.lines.iter().map(|line| text(line)).collect();
        let _ = writeln!(
            body,
            "<pre>{}:{}  {}\n{}</pre>",
            text(&place.file),
            place.line,
            text(&place.label),
            lines.join("\n")
        );
    }
    body.push_str("<table>\n");
    for line in &feedback.lines {
        let class = if line.came == Came::Earned { "good" } else { "bad" };
        let _ = writeln!(
            body,
            "<tr><td class=\"n {class}\">{}</td><td>of {}</td><td>{}</td><td>{}</td></tr>",
            line.points,
            line.of,
            text(&line.text),
            text(&line.why)
        );
    }
    body.push_str("</table>\n");
    if let Some(late) = &feedback.late {
        let _ = writeln!(body, "<p>{}</p>", text(late));
    }
    body
}

/// What the teacher's page is made of.
#[derive(Debug)]
pub struct Class<'a> {
    /// All grades.
    pub grades: &'a [Grade],
    /// Of whom nothing could be taken.
    pub without: &'a [Without],
    /// Which of several count.
    pub counts: Counts,
    /// Pages of students, by student.
    pub students: BTreeMap<&'a Student, String>,
    /// What looks alike, with its pages.
    pub alike: Vec<LooksAlike<'a>>,
}

/// The page for the teacher: who solved what, the goals, the commonest findings, what is open, who looks alike.
pub fn teacher(class: &Class<'_>) -> String {
    let counting = counting(class.grades, class.counts);
    let exercises: BTreeSet<&str> = counting.keys().map(|(_, exercise)| *exercise).collect();
    let mut body = String::new();
    look::open(&mut body, class.grades, class.without);

    body.push_str("<h2>Points</h2>\n<table>\n<tr><th>student</th>");
    for exercise in &exercises {
        let _ = write!(body, "<th>{}</th>", text(exercise));
    }
    body.push_str("<th>total</th></tr>\n");
    for (student, file) in &class.students {
        let _ = write!(body, "<tr><td><a href=\"{}\">{}</a></td>", text(file), text(&student.to_string()));
        let mut total = Points(0);
        for exercise in &exercises {
            let cell = counting.get(&(*student, *exercise)).map(|grade| cell(grade));
            total = total
                + counting
                    .get(&(*student, *exercise))
                    .and_then(|grade| grade.points.as_ref())
                    .map(|points| points.total)
                    .unwrap_or_default();
            body.push_str(&cell.unwrap_or_else(|| "<td></td>".to_owned()));
        }
        let _ = writeln!(body, "<td class=\"n\">{total}</td></tr>");
    }
    body.push_str("</table>\n");
    for exercise in &exercises {
        let own: Vec<&Grade> =
            counting.iter().filter(|((_, name), _)| name == exercise).map(|(_, grade)| *grade).collect();
        of_exercise(&mut body, exercise, &own);
    }
    alike::table(&mut body, &class.alike);
    page("The class", &body)
}

fn cell(grade: &Grade) -> String {
    match (&grade.state, &grade.points) {
        (State::NotGraded { .. }, _) | (_, None) => "<td class=\"bad\">not graded</td>".to_owned(),
        (_, Some(points)) => {
            let class = if points.total >= points.of { "n good" } else { "n" };
            format!("<td class=\"{class}\">{}</td>", points.total)
        }
    }
}

/// How an exercise went: points, each part of them, the values of its goals, and what was found most often.
fn of_exercise(body: &mut String, exercise: &str, grades: &[&Grade]) {
    let graded: Vec<&Grade> = grades.iter().filter(|grade| grade.points.is_some()).copied().collect();
    let tallies = || graded.iter().filter_map(|grade| grade.points.as_ref());
    let full = tallies().filter(|points| points.total >= points.of).count();
    let _ = writeln!(body, "<h2>{}</h2>\n<p>{full} of {} have all points</p>\n<table>", text(exercise), graded.len());
    let mut parts: Vec<(String, usize)> = Vec::new();
    for item in tallies().flat_map(|points| &points.items) {
        let name = item.part.name();
        let holds = usize::from(matches!(item.came, Came::Earned | Came::Withheld));
        match parts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += holds,
            None => parts.push((name, holds)),
        }
    }
    for (name, count) in parts {
        row(body, &name, count, graded.len());
    }
    body.push_str("</table>\n<div class=\"figures\">\n");
    let points: Vec<figure::Value> = tallies().map(|points| (points.total.into(), points.total >= points.of)).collect();
    if !points.is_empty() {
        body.push_str(&figure::distribution("points", &points));
    }
    let mut goals: Vec<(&str, Vec<figure::Value>)> = Vec::new();
    for goal in graded.iter().filter_map(|grade| grade.report.as_ref()).flat_map(|report| &report.goals) {
        let Some(value) = goal.value else { continue };
        let value = (value, goal.status == GoalStatus::Met);
        match goals.iter_mut().find(|(known, _)| *known == goal.text) {
            Some((_, values)) => values.push(value),
            None => goals.push((&goal.text, vec![value])),
        }
    }
    for (goal, values) in goals {
        body.push_str(&figure::distribution(goal, &values));
    }
    body.push_str("</div>\n");
    found(body, &graded);
}

/// What was found most often, in the words of the reports without their numbers, and in whose kernels.
fn found(body: &mut String, graded: &[&Grade]) {
    let mut kinds: BTreeMap<(&str, String), Vec<&Student>> = BTreeMap::new();
    for grade in graded {
        for reason in grade.report.iter().flat_map(|report| &report.reasons) {
            let students = kinds.entry((reason.verdict.label(), sentence(reason, Told::Guarded))).or_default();
            if !students.contains(&&grade.student) {
                students.push(&grade.student);
            }
        }
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, students)| std::cmp::Reverse(students.len()));
    if kinds.is_empty() {
        return;
    }
    body.push_str("<table>\n<tr><th>found</th><th></th><th>in kernels of</th></tr>\n");
    for ((label, what), students) in kinds.iter().take(MOST_FOUND) {
        let mut names: Vec<String> =
            students.iter().take(MOST_NAMED).map(|student| text(&student.to_string())).collect();
        if students.len() > names.len() {
            names.push(format!("{} more", students.len() - names.len()));
        }
        let _ = writeln!(
            body,
            "<tr><td class=\"n\">{}</td><td>{label}: {}</td><td>{}</td></tr>",
            students.len(),
            text(what),
            names.join(", ")
        );
    }
    body.push_str("</table>\n");
}

fn row(body: &mut String, name: &str, count: usize, of: usize) {
    let width = 12.0 * count as f64 / of.max(1) as f64;
    let name = text(name);
    let _ = writeln!(
        body,
        "<tr><td>{name}</td><td class=\"n\">{count} of {of}</td><td><span class=\"bar\" style=\"width:{width:.2}rem\"></span></td></tr>"
    );
}
