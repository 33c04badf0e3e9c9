//! Names of problems, their kinds, and the versions that they have.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A problem's name: `ex03`, `local-array`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProblemId(pub(super) String);

impl ProblemId {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// 3 for `ex03`.
    pub fn exercise_number(&self) -> Option<u32> {
        self.0.strip_prefix("ex").filter(|digits| digits.len() >= 2)?.parse().ok()
    }
}

impl From<&str> for ProblemId {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl fmt::Display for ProblemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Kinds of problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Something to improve.
    Exercise,
    /// A naive and an optimised kernel.
    Pair,
    /// One kernel over two sizes.
    Sweep,
    /// A row of versions, each a step from the one before.
    Ladder,
}

/// A version of a problem's kernel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Version {
    /// `naive.cu`, `starter.cu`; of a ladder's step the one before.
    Baseline,
    /// `optimised.cu`, the learner's `kernel.cu`, `sweep.cu`; a ladder's step.
    Candidate,
    /// `optimised.cu`, `solution.cu`, `sweep.cu`; a ladder's step.
    Solution,
    /// `reference.cu`, the oracle.
    Reference,
    /// `mutants/NAME.cu`.
    Mutant(String),
    /// `styles/NAME.cu`: right in another way than the solution.
    Style(String),
    /// `sweep.cu`.
    Sweep,
    /// `NAME.cu` of a ladder.
    Step(String),
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Baseline => f.write_str("baseline"),
            Self::Candidate => f.write_str("candidate"),
            Self::Solution => f.write_str("solution"),
            Self::Reference => f.write_str("reference"),
            Self::Mutant(name) => write!(f, "mutant {name}"),
            Self::Style(name) => write!(f, "style {name}"),
            Self::Sweep => f.write_str("sweep"),
            Self::Step(name) => f.write_str(name),
        }
    }
}
