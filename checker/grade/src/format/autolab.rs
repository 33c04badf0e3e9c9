//! Autolab: the last two lines of a job's output. Problems of the lab are called after the exercises.

use super::{Entry, earned};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// The line before the last: what the feedback page shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    /// "semantic".
    #[serde(rename = "_presentation")]
    pub presentation: String,
    /// A stage an exercise.
    pub stages: Vec<String>,
    /// By stage and part.
    #[serde(flatten)]
    pub results: IndexMap<String, IndexMap<String, Part>>,
}

/// A part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// All of its points.
    pub passed: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hint: Option<String>,
}

/// The last line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// By problem of the lab. What is not graded is left out, and keeps the score it had.
    pub scores: IndexMap<String, f64>,
    /// For the scoreboard.
    pub scoreboard: Vec<f64>,
}

/// Both lines.
pub fn lines(entries: &[Entry<'_>]) -> String {
    let stage = |entry: &Entry<'_>| {
        let parts = entry.feedback.lines.iter().map(|line| {
            let passed = earned(line.came);
            (line.part.name(), Part { passed, hint: (!passed).then(|| line.why.clone()) })
        });
        (entry.grade.exercise.clone(), parts.collect())
    };
    let feedback = Feedback {
        presentation: "semantic".to_owned(),
        stages: entries.iter().map(|entry| entry.grade.exercise.clone()).collect(),
        results: entries.iter().map(stage).collect(),
    };
    let graded = || entries.iter().filter(|entry| !entry.feedback.open);
    let scores = Scores {
        scores: graded().map(|entry| (entry.grade.exercise.clone(), entry.feedback.total.into())).collect(),
        scoreboard: graded().map(|entry| entry.feedback.total.into()).collect(),
    };
    let line = |value: Result<String, serde_json::Error>| value.unwrap_or_default();
    format!("{}\n{}\n", line(serde_json::to_string(&feedback)), line(serde_json::to_string(&scores)))
}
