//! What is compared: values, goals, machine code.

use super::{Better, Provenance, Sizes};
use serde::{Deserialize, Serialize};

/// One row of the comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The metric's name as goals write it: "registers", "count.local_loads", "time".
    pub metric: String,
    /// In words: "local memory loads".
    pub quantity: String,
    /// "", "bytes", "us", "GB/s", "%".
    pub unit: String,
    /// Baseline.
    pub baseline: Option<f64>,
    /// Candidate; the only column of a stand-alone run.
    pub candidate: Option<f64>,
    /// Which way is good.
    pub better: Better,
    /// Where the numbers come from.
    pub provenance: Provenance,
    /// Beside the numbers: "limited by registers".
    pub note: String,
    /// Worth a line only with `--verbose`: nobody asked for it and it did not change.
    pub detail: bool,
}

/// A goal and how it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GoalResult {
    /// The metric as `problem.toml` writes it.
    pub metric: String,
    /// In words: "registers: at most 32".
    pub text: String,
    /// What is looked at: "registers".
    pub quantity: String,
    /// What is asked of it: "at most 32", "at most 12 (0.5 times the starter's)".
    pub demand: String,
    /// The same without how a bound comes about: "at most 12".
    #[serde(default)]
    pub bounds: String,
    /// There is an upper bound.
    pub at_most: bool,
    /// Why the problem asks for it.
    pub why: String,
    /// How it stands.
    pub status: GoalStatus,
    /// The candidate's value, where known.
    pub value: Option<f64>,
    /// The same as a report shows it.
    pub value_text: Option<String>,
    /// The baseline's value, where known.
    pub baseline: Option<f64>,
    /// The same as a report shows it.
    pub baseline_text: Option<String>,
    /// Where the values come from.
    pub provenance: Option<Provenance>,
    /// Of a goal that asks for machine instructions: those that stand in the code and never ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unexecuted: Option<Unexecuted>,
    /// Of a goal that is met at the `count` size only: what was counted at another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<Elsewhere>,
}

/// What was counted at a drawn size, where a goal that is met at the `count` size is not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Elsewhere {
    /// The size.
    pub sizes: Sizes,
    /// The candidate's value; none for a quotient of nothing.
    pub value: Option<f64>,
    /// The same as a report shows it.
    pub value_text: String,
    /// The baseline's value.
    pub baseline: f64,
    /// The same as a report shows it.
    pub baseline_text: String,
}

/// Machine instructions that nothing executed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unexecuted {
    /// How many.
    pub instructions: usize,
    /// The line of the kernel file that most of them come from, where it is known.
    pub line: Option<u32>,
}

/// How a goal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GoalStatus {
    /// Met.
    Met,
    /// Not met.
    NotMet,
    /// This machine cannot tell (a measured goal without a GPU), or an earlier step failed.
    NotJudged,
}

/// One line of the machine code's difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffLine {
    /// Which side has it.
    pub change: Change,
    /// The instruction.
    pub text: String,
    /// Source line in its version's kernel file, where known.
    pub line: Option<u32>,
}

/// The side of a [`DiffLine`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Both.
    Same,
    /// The baseline only.
    Removed,
    /// The candidate only.
    Added,
    /// A run of equal instructions that is left out; the text says how many.
    Skipped,
}

/// The machine code's difference: its hot part, or all with `--verbose`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SassDiff {
    /// "sm_90".
    pub arch: String,
    /// The kernels compared.
    pub baseline_kernel: String,
    /// The kernels compared.
    pub candidate_kernel: String,
    /// Instructions the baseline alone has.
    pub removed: usize,
    /// Instructions the candidate alone has.
    pub added: usize,
    /// Instructions in common.
    pub same: usize,
    /// The lines shown.
    pub lines: Vec<DiffLine>,
    /// Lines left out at the end.
    pub omitted: usize,
}
