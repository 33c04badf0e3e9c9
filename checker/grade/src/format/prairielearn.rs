//! PrairieLearn: `/grade/results/results.json`, 1 MB at most.

use super::{Entry, is_open, total};
use report::Verdict;
use serde::{Deserialize, Serialize};

/// The whole file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Results {
    /// It could be graded.
    Gradable(Gradable),
    /// It could not: the attempt is not counted.
    Ungradable(Ungradable),
}

/// What could be graded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gradable {
    /// True.
    pub gradable: bool,
    /// 0 to 1.
    pub score: f64,
    /// In a sentence.
    pub message: String,
    /// In full.
    pub output: String,
    /// The parts.
    pub tests: Vec<Test>,
}

/// What could not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ungradable {
    /// False.
    pub gradable: bool,
    /// Why.
    pub format_errors: Vec<String>,
}

/// A part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Test {
    /// Short.
    pub name: String,
    /// In words.
    pub description: String,
    /// Points.
    pub points: f64,
    /// Possible.
    pub max_points: f64,
    /// Why.
    pub message: String,
    /// More.
    pub output: String,
}

impl Results {
    /// Of one student's grades.
    pub fn of(entries: &[Entry<'_>]) -> Self {
        let compiles = |entry: &Entry<'_>| {
            let verdict = entry.grade.report.as_ref().map(|report| report.verdict);
            !matches!(verdict, Some(Verdict::DoesNotCompile | Verdict::BadFile | Verdict::BadKernelFile))
        };
        if is_open(entries) || entries.iter().any(|entry| !compiles(entry)) {
            let errors = entries.iter().filter(|entry| entry.feedback.open || !compiles(entry));
            return Self::Ungradable(Ungradable {
                gradable: false,
                format_errors: errors.map(|entry| entry.text()).collect(),
            });
        }
        let (points, of) = total(entries);
        let tests = entries.iter().flat_map(|entry| {
            entry.feedback.lines.iter().map(|line| Test {
                name: format!("{} {}", entry.grade.exercise, line.part.name()),
                description: line.text.clone(),
                points: line.points.into(),
                max_points: line.of.into(),
                message: line.why.clone(),
                output: String::new(),
            })
        });
        let verdicts: Vec<String> =
            entries.iter().map(|entry| format!("{}: {}", entry.grade.exercise, entry.feedback.verdict)).collect();
        let output: Vec<String> = entries.iter().map(|entry| entry.text()).collect();
        Self::Gradable(Gradable {
            gradable: true,
            score: if of.0 > 0 { points.0 as f64 / of.0 as f64 } else { 0.0 },
            message: verdicts.join(", "),
            output: output.join("\n\n"),
            tests: tests.collect(),
        })
    }
}
