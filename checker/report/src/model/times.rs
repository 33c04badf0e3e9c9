//! Times measured and modelled, and their ratio.

use super::{Provenance, Sizes};
use serde::{Deserialize, Serialize};

/// What a time's ratio says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Pace {
    /// The candidate is faster.
    Faster,
    /// It is slower.
    Slower,
    /// Neither.
    Same,
}

impl Pace {
    /// In a report, and in its JSON.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Faster => "FASTER",
            Self::Slower => "SLOWER",
            Self::Same => "SAME",
        }
    }
}

/// The time's ratio, baseline over candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Speedup {
    /// The best estimate: 2.0 is twice as fast.
    pub ratio: f64,
    /// Lower end of the 99 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// What the interval says.
    pub verdict: Pace,
    /// Sizes it was timed at.
    pub sizes: Sizes,
    /// Pairs of runs.
    pub samples: usize,
    /// Measured or recorded, and where.
    pub provenance: Provenance,
}

/// What a part of the machine needs, by a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelledPart {
    /// The part in words: "shared memory".
    pub of: String,
    /// Microseconds.
    pub us: f64,
}

/// [`ModelledTime::confidence`] of a baseline that could not be modelled: its time was measured once.
pub const RECORDED: &str = "recorded";

/// A version's modelled time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelledTime {
    /// Microseconds.
    pub us: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// What binds, in words.
    pub bound: String,
    /// What to ask of a kernel that this binds.
    #[serde(default)]
    pub ask: String,
    /// What parts of the machine need, the most first.
    pub parts: Vec<ModelledPart>,
    /// How sure it is what was executed: "exact", "by lines", "unknown"; or [`RECORDED`].
    pub confidence: String,
}

/// Modelled times, and what they say of the speedup: never a measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Modelled {
    /// For which device.
    pub device: String,
    /// At these sizes.
    pub sizes: Sizes,
    /// Lower end of the speedup's interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Baseline and candidate.
    pub versions: [ModelledTime; 2],
}
