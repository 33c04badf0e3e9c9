//! What graders read: a file each, as typed data. `checker grade ... --for NAME` writes them.

pub mod autolab;
pub mod canvas;
pub mod classroom50;
pub mod gradescope;
pub mod junit;
pub mod prairielearn;
pub mod sarif;
pub mod vpl;

use crate::feedback::{Feedback, Told, of};
use crate::grade::Grade;
use crate::points::{Came, Points};
use report::Excerpt;

/// Most bytes of a text and of a line's reason: what platforms take ends somewhere, for all texts together.
const LONGEST: usize = 10_000;
const LONGEST_WHY: usize = 2_000;

/// A text up to so many bytes, and a word where that is not all of it.
fn up_to(most: usize, mut text: String) -> String {
    if text.len() > most {
        let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.push_str("\n(the rest is left out)");
    }
    text
}

/// Who reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `results.json` of a Gradescope autograder.
    Gradescope,
    /// `results.json` of a PrairieLearn external grader.
    PrairieLearn,
    /// `result.json` of Classroom 50.
    Classroom50,
    /// The last lines of an Autolab job's output.
    Autolab,
    /// JUnit XML.
    Junit,
    /// SARIF 2.1.0.
    Sarif,
    /// Lines of a Moodle VPL evaluation.
    Vpl,
}

impl Format {
    /// All of them by their names on a command line.
    pub const ALL: [(&str, Self); 7] = [
        ("gradescope", Self::Gradescope),
        ("prairielearn", Self::PrairieLearn),
        ("classroom50", Self::Classroom50),
        ("autolab", Self::Autolab),
        ("junit", Self::Junit),
        ("sarif", Self::Sarif),
        ("vpl", Self::Vpl),
    ];

    /// Writes the grades of one student, or of several where the format takes them.
    pub fn write(self, grades: &[&Grade], how: Told) -> String {
        let told: Vec<Entry<'_>> =
            grades.iter().map(|grade| Entry { grade, feedback: short(of(grade, how)) }).collect();
        match self {
            Self::Gradescope => json(&gradescope::Results::of(&told)),
            Self::PrairieLearn => json(&prairielearn::Results::of(&told)),
            Self::Classroom50 => {
                json(&classroom50::Outcome::of(&told, &|name| std::env::var(name).unwrap_or_default()))
            }
            Self::Autolab => autolab::lines(&told),
            Self::Junit => junit::xml(&told),
            Self::Sarif => json(&sarif::Log::of(grades, how)),
            Self::Vpl => vpl::lines(&told),
        }
    }
}

fn short(mut feedback: Feedback) -> Feedback {
    for line in &mut feedback.lines {
        line.why = up_to(LONGEST_WHY, std::mem::take(&mut line.why));
    }
    feedback
}

/// A grade with what its student is told.
pub struct Entry<'a> {
    /// The grade.
    pub grade: &'a Grade,
    /// What is told.
    pub feedback: Feedback,
}

fn json(value: &impl serde::Serialize) -> String {
    // Plain data with string keys: serialisation cannot fail.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

impl Entry<'_> {
    /// The verdict with its reasons and places, as lines.
    fn text(&self) -> String {
        let feedback = &self.feedback;
        let mut lines = vec![format!("{}: {}", self.grade.exercise, feedback.verdict)];
        lines.extend(feedback.reasons.iter().cloned());
        for place in &feedback.places {
            lines.extend(quoted(place));
        }
        let late = feedback.late.as_ref().map(|late| format!("\n{late}")).unwrap_or_default();
        up_to(LONGEST, lines.join("\n")) + &late
    }
}

/// A place with its line of source.
fn quoted(place: &Excerpt) -> Vec<String> {
    let label = if place.label.is_empty() { String::new() } else { format!("  {}", place.label) };
    let own = place.lines.last().map(|line| format!("    {line}"));
    [format!("  {}:{}{label}", place.file, place.line)].into_iter().chain(own).collect()
}

/// Points of all grades together.
fn total(told: &[Entry<'_>]) -> (Points, Points) {
    (told.iter().map(|told| told.feedback.total).sum(), told.iter().map(|told| told.feedback.of).sum())
}

/// Is anything of it still open?
fn is_open(told: &[Entry<'_>]) -> bool {
    told.iter().any(|told| told.feedback.open)
}

/// Are the points earned?
fn earned(came: Came) -> bool {
    came == Came::Earned
}
