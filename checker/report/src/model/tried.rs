//! The steps of a check, and what was run in them: cases and orders of execution.

use super::Sizes;
use crate::Verdict;
use serde::{Deserialize, Serialize};
use simulator::Finding;

/// A step of the pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    /// What.
    pub name: StageName,
    /// How it went.
    pub status: StageStatus,
    /// In a few words.
    pub summary: String,
}

/// The steps, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StageName {
    /// NVRTC took both versions.
    Compile,
    /// Right at every size.
    Results,
    /// Nothing caught by the simulator.
    Findings,
    /// Goals on machine code and resources.
    Sass,
    /// Goals on simulated counts.
    Counters,
    /// Measured time.
    Time,
}

impl StageName {
    /// In a report.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Compile => "compile",
            Self::Results => "results",
            Self::Findings => "findings",
            Self::Sass => "machine code",
            Self::Counters => "counts",
            Self::Time => "time",
        }
    }
}

/// How a step went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StageStatus {
    /// Nothing to object to.
    Passed,
    /// It objects.
    Failed,
    /// Not done, because an earlier step failed or because this machine cannot.
    Skipped,
}

/// A case that was run and verified.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// Its sizes.
    pub sizes: Sizes,
    /// Verdict of the candidate here.
    pub verdict: Verdict,
    /// The largest error over its tolerance, over all outputs (1 is the edge); `None` where nothing was compared.
    pub error: Option<f64>,
}

/// How one order of execution went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriedOrder {
    /// The schedule, as `--schedule` writes it.
    pub schedule: String,
    /// The gravest that was found under it.
    pub verdict: Verdict,
    /// The command that repeats it; empty for one that is clean.
    pub repeat: String,
}

/// The shortest order of execution that fails.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShortestOrder {
    /// The schedule that failed, as `--schedule` writes it.
    pub schedule: String,
    /// What happens out of the ordinary, a sentence each.
    pub steps: Vec<String>,
    /// The witness, as `--witness` takes it.
    pub witness: String,
    /// The command that replays it.
    pub repeat: String,
    /// Nothing can be left out; false if that took too long to find out.
    pub minimal: bool,
}

/// A finding of the simulator, with where it was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Caught {
    /// The version's label.
    pub version: String,
    /// The case.
    pub sizes: Sizes,
    /// The schedule, as `--schedule` writes it.
    pub schedule: String,
    /// What.
    #[serde(flatten)]
    pub finding: Finding,
}
