//! Classroom 50: `result.json`. Points are whole numbers there: hundredths where any are not whole.

use super::{Entry, earned, total};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The file's schema.
pub const SCHEMA: &str = "classroom50/result/v1";

/// The whole file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Outcome {
    /// [`SCHEMA`].
    pub schema: String,
    /// From the job's environment, as the next five.
    pub classroom: String,
    /// `ASSIGNMENT`.
    pub assignment: String,
    /// `SUBMISSION_TAG`.
    pub submission: String,
    /// `COMMIT_URL`.
    pub commit: String,
    /// `RELEASE_URL`.
    pub release: String,
    /// `REVIEW_URL`.
    pub review: String,
    /// Now.
    pub datetime: String,
    /// Points.
    pub score: i64,
    /// Possible.
    pub max_score: i64,
    /// The parts.
    pub tests: Vec<Test>,
}

/// A part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Test {
    /// "ex03 results".
    pub test_name: String,
    /// All of its points.
    pub passed: bool,
    /// Points.
    pub score: i64,
    /// Possible.
    pub max_score: i64,
    /// Why; the format keeps fields that it does not know.
    pub output: String,
}

impl Outcome {
    /// Of one student's grades, with the job's variables.
    pub fn of(entries: &[Entry<'_>], variable: &dyn Fn(&str) -> String) -> Self {
        let (points, of) = total(entries);
        let lines = || entries.iter().flat_map(|entry| entry.feedback.lines.iter());
        let all = lines().flat_map(|line| [line.points, line.of]).chain([points, of]);
        let unit = if all.into_iter().all(|points| points.0 % 100 == 0) { 100 } else { 1 };
        let tests = entries.iter().flat_map(|entry| {
            entry.feedback.lines.iter().map(move |line| Test {
                test_name: format!("{} {}", entry.grade.exercise, line.part.name()),
                passed: earned(line.came),
                score: line.points.0 / unit,
                max_score: line.of.0 / unit,
                output: line.why.clone(),
            })
        });
        Self {
            schema: SCHEMA.to_owned(),
            classroom: variable("CLASSROOM"),
            assignment: variable("ASSIGNMENT"),
            submission: variable("SUBMISSION_TAG"),
            commit: variable("COMMIT_URL"),
            release: variable("RELEASE_URL"),
            review: variable("REVIEW_URL"),
            datetime: Timestamp::from_second(Timestamp::now().as_second()).unwrap_or_default().to_string(),
            score: points.0 / unit,
            max_score: of.0 / unit,
            tests: tests.collect(),
        }
    }
}
