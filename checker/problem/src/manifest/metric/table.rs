//! The metrics with names of their own: one table. Goals, rows of reports, directives of the book, `--json` and the table
//! in docs/formats.md follow from it.

use super::Better::{Less, More, Neither};
use super::MetricSource::{Model, Plan, Resources, Sass, Time};
use super::Shown::{Always, Changed, Never};
use super::Statistic::{AllKernels, AllLaunches, LeastOfLaunches, LowerEnd, Median, MostOfKernels, UpperEnd};
use super::Unit::{self, Bytes, Count, Fraction, Times};
use super::{Better, Counter, MetricSource, Shown, Statistic};
use serde::{Deserialize, Serialize};

/// A metric's row.
#[derive(Debug, Clone)]
pub struct Row {
    /// The metric.
    pub metric: Metric,
    /// In goals, in JSON and in directives.
    pub name: &'static str,
    /// In reports.
    pub label: &'static str,
    /// Of each of what: "thread", "block"; empty for a version's.
    pub per: &'static str,
    /// What kind of number it is.
    pub unit: Unit,
    /// Which way is good.
    pub better: Better,
    /// Where it comes from.
    pub source: MetricSource,
    /// How one value comes of several.
    pub statistic: Statistic,
    /// When it is worth a line.
    pub shown: Shown,
    /// What it is.
    pub meaning: &'static str,
}

/// Declares the metrics once: the enum, the table.
macro_rules! metrics {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal, $label:literal, per $per:literal, $unit:expr, $better:ident,
        $source:ident, $statistic:ident, $shown:ident;)*) => {
        /// What is measured, counted or read off.
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub enum Metric {
            /// `sass.OPCODE`: instructions whose opcode starts with these parts (`LDG.E.128`).
            Opcode(String),
            /// `count.FIELD`: a field of the simulator's counters, a quotient of them or a sum.
            Count(Counter),
            $($(#[doc = $doc])+ $variant,)*
        }

        /// The metrics with names of their own, in a report's order.
        pub const FIXED: &[Row] = &[$(Row {
            metric: Metric::$variant,
            name: $name,
            label: $label,
            per: $per,
            unit: $unit,
            better: $better,
            source: $source,
            statistic: $statistic,
            shown: $shown,
            meaning: concat!($($doc),+),
        },)*];
    };
}

metrics! {
    /// Launches in the plan.
    Launches "launches", "launches", per "", Count, Less, Plan, AllLaunches, Changed;
    /// All machine instructions, disguised moves included, padding after the last EXIT left out.
    Instructions "sass.instructions", "SASS instructions", per "", Count, Neither, Sass, AllKernels, Always;
    /// Instructions of the hottest loop's body: the deepest innermost one, of several the longest; 0 without a loop.
    LoopInstructions "sass.loop_instructions", "hottest loop's instructions", per "", Count, Less, Sass, MostOfKernels, Changed;
    /// The longest run of loads from global memory before the first use of any of them.
    LoadRun "sass.load_run", "loads before first use", per "", Count, More, Sass, MostOfKernels, Changed;
    /// The most bytes from global memory under way for a thread: loads before the first use of any, and copies to shared memory before a wait for the first.
    BytesInFlight "sass.bytes_in_flight", "bytes in flight", per "thread", Bytes, More, Sass, MostOfKernels, Changed;
    /// Registers of 32 bits.
    Registers "registers", "registers", per "thread", Count, Neither, Resources, MostOfKernels, Always;
    /// Instructions that spill a register to local memory or refill it, as the compiler marks them.
    Spills "spills", "spill instructions", per "", Count, Less, Resources, MostOfKernels, Changed;
    /// Local memory: arrays, spills, call frames.
    Stack "stack", "stack", per "thread", Bytes, Less, Resources, MostOfKernels, Changed;
    /// Static shared memory.
    Shared "shared", "static shared memory", per "block", Bytes, Neither, Resources, MostOfKernels, Changed;
    /// Theoretical occupancy: warps that fit on a multiprocessor over those that it can hold.
    Occupancy "occupancy", "occupancy", per "", Fraction { decimals: 0 }, More, Resources, LeastOfLaunches, Always;
    /// Time of the baseline over the candidate's, at the `time` size.
    Speedup "speedup", "speedup", per "", Times, More, Time, LowerEnd, Never;
    /// The same as a model of an H200 has it. What a GPU has measured stands in for it, and is asked for no more than a goal on `speedup` asks for.
    ModelledSpeedup "modelled.speedup", "modelled speedup", per "", Times, More, Model, UpperEnd, Never;
    /// Fraction of the device's measured roof.
    Roof "roof", "fraction of the device's roof", per "", Fraction { decimals: 0 }, More, Time, Median, Never;
}
