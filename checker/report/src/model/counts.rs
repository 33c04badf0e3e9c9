//! What was counted by source line and launch, and what outputs hold.

use serde::{Deserialize, Serialize};

/// Counters of one source line, for `checker run --lines`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SourceLine {
    /// File.
    pub file: String,
    /// Line from 1.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// Its counters; `None` for a line that nothing was attributed to.
    pub counters: Option<simulator::Counters>,
}

/// Counters of one launch, for `checker run`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchCounters {
    /// Kernel as the launch names it.
    pub kernel: String,
    /// Line of the launch in the kernel file.
    pub line: u32,
    /// Its sums.
    pub counters: simulator::Counters,
}

/// Which lanes ran which line at each step of a launch, for `checker run --trace`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traced {
    /// The schedule, as `checker run --schedule` writes it.
    pub schedule: String,
    /// Kernel as the launch names it.
    pub kernel: String,
    /// Line of the launch in the kernel file.
    pub line: u32,
    /// Steps kept at most.
    pub limit: usize,
    /// Source line of each of the trace's places; the PTX instruction where there is none, or where steps are instructions.
    pub texts: Vec<String>,
    /// The steps.
    #[serde(flatten)]
    pub trace: simulator::trace::Trace,
}

/// What an output held at the end of `checker run`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutputSummary {
    /// Buffer.
    pub name: String,
    /// "f32".
    pub dtype: String,
    /// Elements.
    pub len: u64,
    /// The first few elements.
    pub head: Vec<String>,
    /// Smallest, largest and mean of the finite elements.
    pub min: Option<f64>,
    /// Largest.
    pub max: Option<f64>,
    /// Mean.
    pub mean: Option<f64>,
    /// NaNs.
    pub nans: u64,
    /// Elements that nothing wrote, as far as the poison tells.
    pub unwritten: u64,
}
