//! What comes back of a version at a size: plain data.

#[cfg(test)]
mod tests;

use super::profile::Profile;
use super::status::Status;
use plan::dtype::DType;
use serde::{Deserialize, Serialize};
use simulator::finding::FindingName;
use simulator::trace::Trace;
use simulator::{Counters, Finding, Schedule};
use std::path::PathBuf;
use values::Value;
use values::fill::Values;

/// Which run of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunId {
    /// From 0.
    pub number: u32,
    /// Seed of its fills.
    pub seed: u64,
    /// Its values.
    pub values: Values,
    /// Byte that outputs and scratch were filled with.
    pub poison: u8,
    /// Simulator: the schedule.
    pub schedule: Option<Schedule>,
}

/// One run and how it ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Which.
    pub run: RunId,
    /// How it ended.
    pub status: Status,
}

/// A buffer in a few numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BufferSummary {
    /// Name.
    pub name: String,
    /// Element type.
    pub dtype: DType,
    /// Elements.
    pub len: u64,
    /// The first few.
    pub head: Vec<Value>,
    /// Smallest finite element.
    pub min: Option<f64>,
    /// Largest finite element.
    pub max: Option<f64>,
    /// Mean of the finite elements.
    pub mean: Option<f64>,
    /// NaNs, unwritten elements not counted.
    pub nans: u64,
    /// Elements that still hold the poison.
    pub unwritten: u64,
}

/// A finding and the run it belongs to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// What the simulator caught.
    pub finding: Finding,
    /// Under which schedule.
    pub schedule: Schedule,
    /// Which launch of the plan, from 0.
    pub launch: usize,
}

/// Counters of one source line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCount {
    /// File, as in `.loc`.
    pub file: String,
    /// Line; 0 for code without one.
    pub line: u32,
    /// Sums over all launches.
    pub counters: Counters,
}

/// Counters of one launch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchCount {
    /// Kernel as the launch names it.
    pub kernel: String,
    /// Line of the launch in the kernel file.
    pub line: u32,
    /// Its sums.
    pub counters: Counters,
    /// Its trace, when asked for.
    pub trace: Option<Trace>,
}

/// One version at one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// How it fared.
    pub status: Status,
    /// Runs made, in order, each with how it ended; `status` above is the first that did not pass.
    pub runs: Vec<RunResult>,
    /// Simulator: the inputs, found by what the code asks of them, over which it failed.
    #[serde(default)]
    pub turned: Option<TurnedInputs>,
    /// Simulator: what the conditions that hang on data came to over those inputs, where such were looked for.
    #[serde(default)]
    pub conditions: Vec<simulator::Condition>,
    /// Simulator: sizes at which conditions come out as at none that is known, where that was asked for.
    #[serde(default)]
    pub meant: Vec<Vec<i64>>,
    /// Largest error over its bound, over all judged elements with a bound; 0..1 when passed.
    pub error_over_bound: Option<f64>,
    /// Simulator: what was caught in any run, the same thing at the same place once.
    pub findings: Vec<Found>,
    /// Simulator: sums over the launches of the first run.
    pub counters: Option<Counters>,
    /// Simulator: the same by launch.
    pub launches: Vec<LaunchCount>,
    /// Simulator: what the blocks of all launches did, as a part of what they would have done if each had done as much as the busiest
    /// one of its launch; next to nothing where all but the busiest ones did so. Under the order that comes to most: who takes work from a counter depends on it.
    #[serde(default)]
    pub evenness: Option<f64>,
    /// Simulator: the same by source line, when asked for.
    pub lines: Vec<LineCount>,
    /// Simulator: which instructions of which lines ran in the first run, when asked for.
    #[serde(with = "simulator::coverage::packed")]
    pub coverage: Vec<simulator::LineCoverage>,
    /// What the kernels printed in the first run, cut.
    pub printf: String,
    /// Bytes of printf output that were cut.
    pub printf_dropped: u64,
    /// Simulator: blocks of the device heap that nobody had freed after the launches of the first run, and their bytes.
    #[serde(default)]
    pub heap_left: (u64, u64),
    /// Buffers written to files.
    pub dumped: Vec<PathBuf>,
    /// Without an oracle: what the outputs held after the first run.
    pub outputs: Vec<BufferSummary>,
    /// Outputs that differ from another order's by rounding alone, where that was asked for.
    #[serde(default)]
    pub rounding: Vec<crate::backend::Difference>,
    /// Simulator: what some blocks of every launch did, when asked for.
    #[serde(default)]
    pub profile: Option<Profile>,
    /// Simulator: the shortest order that fails, when asked for.
    pub shortest: Option<simulator::explore::Shortest>,
    /// Its process could make no system call beyond what it needs.
    #[serde(default)]
    pub closed: bool,
    /// Its process could open no file but those that the job names.
    #[serde(default)]
    pub confined: bool,
}

/// Inputs by which a condition came out as it did in no run before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnedInputs {
    /// Source file of the condition, as the compiler got it; empty without one.
    pub file: String,
    /// Its line; 0 without one.
    pub line: u32,
    /// Elements of inputs, and what they are.
    pub elements: Vec<(String, u64, Value)>,
}

/// The larger one, of those that there are.
fn larger(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.into_iter().chain(b).reduce(f64::max)
}

/// Warps of a launch that run less than this part of what those of another launch run are there for their number.
const IDLE_WARPS: f64 = 0.05;

impl Checked {
    /// What goals are judged by: the counters, but for warps of launches whose warps have next to nothing to do beside those of the launch
    /// whose warps do most. An empty kernel puts no work on a multiprocessor.
    #[must_use]
    pub fn worked(&self) -> Option<Counters> {
        let each = |launch: &LaunchCount| launch.counters.instructions as f64 / launch.counters.warps.max(1) as f64;
        let most = self.launches.iter().map(each).fold(0.0, f64::max);
        let idle = self.launches.iter().filter(|launch| each(launch) < IDLE_WARPS * most);
        let idle: u64 = idle.map(|launch| launch.counters.warps).sum();
        self.counters.map(|counters| Counters { warps: counters.warps.saturating_sub(idle), ..counters })
    }

    /// The first run that did not pass.
    pub fn failed_run(&self) -> Option<&RunId> {
        self.runs.iter().find(|result| !result.status.passed()).map(|result| &result.run)
    }

    /// Adds what further runs of the same version at the same size gave.
    pub fn append(&mut self, other: Self) {
        if self.status.passed() {
            self.status = other.status;
        }
        self.closed &= other.closed;
        self.confined &= other.confined;
        self.runs.extend(other.runs);
        self.turned = self.turned.take().or(other.turned);
        self.error_over_bound = larger(self.error_over_bound, other.error_over_bound);
        self.is_as_even_as(other.evenness);
        for found in other.findings {
            self.add_finding(found);
        }
        self.shortest = self.shortest.take().or(other.shortest);
    }

    /// How evenly its blocks worked in one more run: the order that comes to most counts.
    pub fn is_as_even_as(&mut self, evenness: Option<f64>) {
        self.evenness = larger(self.evenness, evenness);
    }

    /// Its launches were stopped when the time for all was over, before that said anything about them: what it had not come to is what
    /// was not tried.
    #[cfg(not(target_family = "wasm"))]
    pub(in crate::backend) fn cut_short(&mut self) {
        let interrupted = FindingName::Interrupted.name();
        let stopped = |status: &Status| matches!(status, Status::Fault { fault } if fault.name == interrupted);
        self.findings.retain(|found| found.finding.kind.name() != FindingName::Interrupted);
        self.runs.retain(|run| !stopped(&run.status));
        if stopped(&self.status) || matches!(self.status, Status::OracleFailed { .. }) {
            self.status = Status::OutOfTime;
        }
    }

    /// Was a launch stopped when its time was over?
    pub fn is_interrupted(&self) -> bool {
        self.findings.iter().any(|found| found.finding.kind.name() == FindingName::Interrupted)
    }

    /// Keeps a finding, unless the same thing was caught at the same place before.
    pub fn add_finding(&mut self, found: Found) {
        let known = |other: &Found| other.launch == found.launch && other.finding.is_like(&found.finding);
        if !self.findings.iter().any(known) {
            self.findings.push(found);
        }
    }

    /// A result of which nothing but its status is known.
    pub fn only(status: Status) -> Self {
        Self {
            closed: false,
            confined: false,
            status,
            runs: Vec::new(),
            turned: None,
            conditions: Vec::new(),
            meant: Vec::new(),
            error_over_bound: None,
            findings: Vec::new(),
            counters: None,
            launches: Vec::new(),
            evenness: None,
            lines: Vec::new(),
            coverage: Vec::new(),
            printf: String::new(),
            printf_dropped: 0,
            heap_left: (0, 0),
            dumped: Vec::new(),
            outputs: Vec::new(),
            rounding: Vec::new(),
            profile: None,
            shortest: None,
        }
    }
}
