//! Tables of many measurements: sweeps and ladders.

use super::{Provenance, Sizes};
use serde::{Deserialize, Serialize};

/// A sweep's table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepTable {
    /// What the values are: "GFLOP/s", "instructions per flop".
    pub quantity: String,
    /// Rows' name: "threads".
    pub row: String,
    /// Rows' values.
    pub rows: Vec<i64>,
    /// Columns' name: "ilp".
    pub column: String,
    /// Columns' values.
    pub columns: Vec<i64>,
    /// What names and values mean, where they do not say it: "way: 1 one wait per entry, 2 two waits per row".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub legend: Vec<String>,
    /// Values, row by row; `None` where it could not run.
    pub values: Vec<Vec<Option<f64>>>,
    /// Where they come from.
    pub provenance: Provenance,
}

/// A ladder's table: a version a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LadderTable {
    /// Name of the element type that the numbers are for.
    pub element: String,
    /// Sizes at which it was counted.
    pub sizes: Sizes,
    /// Sizes at which it was timed.
    pub time_sizes: Sizes,
    /// The versions in order.
    pub steps: Vec<LadderStep>,
    /// Where the times come from, if there are any.
    pub times: Option<Provenance>,
}

/// A version of a ladder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LadderStep {
    /// Its name.
    pub version: String,
    /// What it does and what its flaw is: the comment that its file begins with.
    pub heading: String,
    /// Block size of these numbers.
    pub block: i64,
    /// Launches in the plan.
    pub launches: usize,
    /// Everything the simulator counted.
    pub counters: Option<simulator::Counters>,
    /// SASS instructions of all kernels launched.
    pub sass_instructions: Option<f64>,
    /// Registers of the kernel with the most.
    pub registers: Option<f64>,
    /// Theoretical occupancy of its largest launch, 0 to 1.
    pub occupancy: Option<f64>,
    /// Time of a pass in microseconds.
    pub us: Option<f64>,
    /// Bytes that must move over the time, in GB/s.
    pub gb_per_s: Option<f64>,
    /// Fraction of what reading memory reaches, 0 to 1.
    pub roof: Option<f64>,
    /// Time of the version before it over its own: median and the ends of its 99 % interval.
    pub step: Option<[f64; 3]>,
}
