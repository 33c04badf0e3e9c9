//! One submission's grade, as the grade book keeps it: what was handed in, what checking it said, what it is worth.

use crate::intake::{Student, Submission};
use crate::points::{Deduction, Tally, tally};
use crate::rubric::{Late, Scheme};
use jiff::Timestamp;
use problem::Problem;
use report::Report;
use serde::{Deserialize, Serialize};

/// A grade.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Grade {
    /// [`crate::SCHEMA`].
    pub schema: u32,
    /// Who.
    pub student: Student,
    /// For what.
    pub exercise: String,
    /// What was handed in.
    pub submitted: Submitted,
    /// Hash of everything that the report depends on.
    pub key: String,
    /// How far it got.
    pub state: State,
    /// What it is worth; nothing where it is not graded.
    pub points: Option<Tally>,
    /// Of its inputs and orders.
    pub seed: u64,
    /// By what.
    pub made_by: MadeBy,
    /// Seconds that checking took, which nothing hangs on.
    pub seconds: f64,
    /// What checking said.
    pub report: Option<Report>,
    /// Its machine code, normalised, for comparing submissions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<String>,
}

/// What was handed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submitted {
    /// Its name where it came from.
    pub file: String,
    /// Hash of its content, by which the grade book keeps it; empty where nothing could be taken.
    pub sha256: String,
    /// When, where that is known.
    pub time: Option<Timestamp>,
}

/// How far a grade got.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum State {
    /// It has its points.
    Graded,
    /// There is no kernel that could be taken: 0 points.
    NoKernel {
        /// Why.
        why: String,
    },
    /// Something that is not the student's doing, or that hangs on the machine: to be graded again.
    NotGraded {
        /// Why.
        why: String,
    },
}

/// What a grade was made by.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeBy {
    /// Version of the checker.
    pub checker: String,
    /// Hash of its program.
    pub program: String,
    /// "NVRTC 13.5".
    pub compiler: String,
    /// The GPU and its driver, where one took part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
}

impl Grade {
    /// Of a submission that there is nothing to check of.
    pub fn without_kernel(submission: &Submission, why: &str, made_by: MadeBy) -> Self {
        Self {
            schema: crate::SCHEMA,
            student: submission.student.clone(),
            exercise: submission.exercise.clone(),
            submitted: submission.submitted(),
            key: String::new(),
            state: State::NoKernel { why: why.to_owned() },
            points: None,
            seed: 0,
            made_by,
            seconds: 0.0,
            report: None,
            code: Vec::new(),
        }
    }

    /// The command that checks it again. It is for pasting, so no name in it is more than a name.
    pub fn repeat(&self) -> String {
        self.repeat_with("")
    }

    /// The same with these further options.
    pub fn repeat_with(&self, options: &str) -> String {
        let student = system::text::word(&self.student.to_string());
        // A name that begins with a hyphen, quoted or not, would be an option.
        let end = if student.trim_start_matches('\'').starts_with('-') { "-- " } else { "" };
        format!("checker grade again {options}{end}{student} {}", self.exercise)
    }

    /// Is there nothing left to do?
    pub fn is_settled(&self) -> bool {
        !matches!(self.state, State::NotGraded { .. })
    }

    /// Gives it its points: by its report, or 0 where there is no kernel.
    pub fn score(&mut self, scheme: &Scheme, problem: &Problem, late: Option<&Late>) {
        self.points = match (&self.state, &self.report) {
            (State::Graded, Some(report)) => Some(tally(scheme, problem, report)),
            (State::NoKernel { why }, _) => Some(Tally::nothing(scheme, why)),
            _ => None,
        };
        let costs = late.zip(self.submitted.time).and_then(|(late, time)| late.costs(time));
        if let (Some(points), Some((part, why))) = (&mut self.points, costs) {
            let off = points.earned.thousandths(part);
            points.total = points.earned - off;
            points.late = Some(Deduction { points: off, why });
        }
    }
}
