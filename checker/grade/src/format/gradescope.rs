//! Gradescope: `/autograder/results/results.json`.

use super::{Entry, earned, is_open, total};
use serde::{Deserialize, Serialize};

/// The whole file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// Points; left out where something is open, so that nobody takes an unfinished grade for one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub score: Option<f64>,
    /// Seconds.
    pub execution_time: u64,
    /// Above the tests.
    pub output: String,
    /// Of `output`.
    pub output_format: TextFormat,
    /// Of the tests' outputs.
    pub test_output_format: TextFormat,
    /// Of the tests' names.
    pub test_name_format: TextFormat,
    /// Who sees it.
    pub visibility: Visibility,
    /// Who sees what the autograder prints.
    pub stdout_visibility: Visibility,
    /// Kept with the submission.
    pub extra_data: Extra,
    /// The parts.
    pub tests: Vec<Test>,
}

/// How a text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextFormat {
    /// As it is.
    Text,
}

/// Who sees something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Teachers.
    Hidden,
    /// Students too.
    Visible,
}

/// What is kept with a submission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extra {
    /// The checker's version.
    pub checker: String,
    /// The compiler.
    pub compiler: String,
    /// Hashes of what was handed in.
    pub sha256: Vec<String>,
}

/// A part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Test {
    /// "ex03: nothing caught".
    pub name: String,
    /// "1.2".
    pub number: String,
    /// Points.
    pub score: f64,
    /// Possible.
    pub max_score: f64,
    /// Whether it is green.
    pub status: TestStatus,
    /// Why.
    pub output: String,
    /// The exercise.
    pub tags: Vec<String>,
    /// Who sees it.
    pub visibility: Visibility,
}

/// Green or red.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestStatus {
    /// Green.
    Passed,
    /// Red.
    Failed,
}

impl Results {
    /// Of one student's grades.
    pub fn of(entries: &[Entry<'_>]) -> Self {
        let mut tests = Vec::new();
        for (number, entry) in entries.iter().enumerate() {
            let exercise = &entry.grade.exercise;
            tests.extend(entry.feedback.lines.iter().enumerate().map(|(part, line)| Test {
                name: format!("{exercise}: {}", line.text),
                number: format!("{}.{}", number + 1, part + 1),
                score: line.points.into(),
                max_score: line.of.into(),
                status: if earned(line.came) { TestStatus::Passed } else { TestStatus::Failed },
                output: line.why.clone(),
                tags: vec![exercise.clone()],
                visibility: Visibility::Visible,
            }));
        }
        let output: Vec<String> = entries.iter().map(Entry::text).collect();
        let first = entries.first().map(|entry| &entry.grade.made_by);
        Self {
            score: (!is_open(entries)).then(|| total(entries).0.into()),
            execution_time: entries.iter().map(|entry| entry.grade.seconds.ceil() as u64).sum(),
            output: output.join("\n\n"),
            output_format: TextFormat::Text,
            test_output_format: TextFormat::Text,
            test_name_format: TextFormat::Text,
            visibility: Visibility::Visible,
            stdout_visibility: Visibility::Hidden,
            extra_data: Extra {
                checker: first.map(|made| made.checker.clone()).unwrap_or_default(),
                compiler: first.map(|made| made.compiler.clone()).unwrap_or_default(),
                sha256: entries.iter().map(|entry| entry.grade.submitted.sha256.clone()).collect(),
            },
            tests,
        }
    }
}
