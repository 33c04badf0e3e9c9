//! The report as data: what every face prints and what `--json` writes. Versioned: [`SCHEMA`] goes up when a reader of
//! the JSON would have to change; added fields do not count. README.md documents it.

mod comparison;
mod counts;
mod one_way;
mod reason;
mod tables;
mod times;
mod tried;

use super::Verdict;
pub use comparison::*;
pub use counts::*;
pub use one_way::*;
pub use problem::{Better, Sizes};
pub use reason::*;
use serde::{Deserialize, Serialize};
pub use tables::*;
pub use times::*;
pub use tried::*;

/// Version of the JSON that `--json` writes.
pub const SCHEMA: u32 = 1;

/// Where a number comes from. A simulated count is never a time, a recorded time is never one of now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "source")]
pub enum Provenance {
    /// Counted by the simulator.
    Simulated,
    /// Said by the compiler: SASS, resources, occupancy derived from them.
    Compiler,
    /// Said by the model of time.
    Modelled,
    /// Measured now, on this device.
    Measured {
        /// "NVIDIA H200".
        device: String,
        /// Driver version.
        driver: String,
    },
    /// Measured earlier, on that device, and committed with the workbook.
    Recorded {
        /// "NVIDIA H200".
        device: String,
        /// Driver version.
        driver: String,
        /// Day, ISO 8601.
        date: String,
    },
}

/// What was checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Subject {
    /// "ex03", "local-array", or a file's path.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The book page, without `.md`.
    pub chapter: Option<String>,
    /// What it is.
    pub kind: SubjectKind,
}

/// The kinds of [`Subject`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SubjectKind {
    /// A naive and an optimised kernel of a chapter.
    Pair,
    /// A kernel the learner improves.
    Exercise,
    /// One kernel over a table of parameters.
    Sweep,
    /// A row of versions, each a step from the one before.
    Ladder,
    /// A stand-alone kernel file.
    File,
}

/// One of the two versions compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// The column's heading: "starter", "yours", "solution", "naive", "optimised".
    pub label: String,
    /// File, relative to the workbook where it is inside.
    pub file: String,
}

/// What the kernels ran on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum RanOn {
    /// The simulator.
    Sim {
        /// Schedules that were tried, as `checker run --schedule` writes them.
        schedules: Vec<String>,
    },
    /// A GPU.
    Gpu {
        /// "NVIDIA H200".
        device: String,
        /// Driver version.
        driver: String,
    },
}

/// What held processes in that handled hostile input, by the guards' names: "landlock", "seccomp", "rlimits".
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// The compiler's.
    pub compile: Vec<String>,
    /// Those that ran the kernel.
    pub run: Vec<String>,
}

/// What to do after this report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Next {
    /// A command to type.
    pub command: String,
    /// In words.
    pub text: String,
}

/// The report of a check or a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: u32,
    /// This command's version.
    pub checker: String,
    /// What was checked.
    pub subject: Subject,
    /// The verdict.
    pub verdict: Verdict,
    /// The one or two reasons.
    pub reasons: Vec<Reason>,
    /// Baseline and candidate; only one for a stand-alone file or a sweep.
    pub versions: Vec<Version>,
    /// What it ran on.
    pub machine: RanOn,
    /// The seed of inputs and of adversarial schedules.
    pub seed: u64,
    /// A command that repeats this run exactly.
    pub repeat: String,
    /// The pipeline's steps.
    pub stages: Vec<Stage>,
    /// Cases run.
    pub cases: Vec<Case>,
    /// `checker run`: orders of execution that were tried.
    pub orders: Vec<TriedOrder>,
    /// Orders that were not, or not to their end, for want of time: as `--schedule` writes them.
    #[serde(default)]
    pub untried: Vec<String>,
    /// What the names of the schedules mean, a line a kind.
    #[serde(default)]
    pub meanings: Vec<String>,
    /// `checker run`: the shortest order that fails, where the usual one does not.
    pub shortest_order: Option<ShortestOrder>,
    /// Findings of the candidate.
    pub findings: Vec<Caught>,
    /// The comparison.
    pub table: Vec<Row>,
    /// Everything the simulator counted at the `count` size, a version each; empty where it did not get that far.
    pub counters: Vec<simulator::Counters>,
    /// Machine code.
    pub diff: Option<SassDiff>,
    /// Goals.
    pub goals: Vec<GoalResult>,
    /// Measured now.
    pub speedup: Option<Speedup>,
    /// Measured earlier on a named device.
    pub recorded: Option<Speedup>,
    /// Modelled, where nothing was measured now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modelled: Option<Modelled>,
    /// Why nothing is modelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_modelled: Option<String>,
    /// A sweep's table.
    pub sweep: Option<SweepTable>,
    /// The same, measured earlier on a named device.
    pub recorded_sweep: Option<SweepTable>,
    /// A ladder's table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ladder: Option<LadderTable>,
    /// Outputs of a stand-alone run.
    pub outputs: Vec<OutputSummary>,
    /// What printf wrote.
    pub printf: String,
    /// Counters of each launch of `checker run`.
    pub launches: Vec<LaunchCounters>,
    /// Counters beside the source.
    pub lines: Vec<SourceLine>,
    /// Which lanes ran which line when, a launch and a schedule each.
    pub traces: Vec<Traced>,
    /// Warnings and limits worth knowing.
    pub notes: Vec<String>,
    /// What held the candidate's processes in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Held>,
    /// The machine's clock or memory ended something, so that another machine may come to another verdict: what it was, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    /// What could not be run at a size that the checker chose beyond the problem's cases, in words, for the memory or the time that it
    /// takes: it speaks neither for the kernel nor against it, and is worth a look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub large_untried: Option<String>,
    /// Conditions on data that came out one way in every run, and for which no inputs were found by which they come out the other way:
    /// what hangs on them was never seen, and is worth a look.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub one_way: Vec<OneWay>,
    /// The baseline is wrong though nothing says that it should be; a note says how.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub baseline_fails: bool,
    /// Unsolved: the one thing to try first.
    pub try_first: Option<String>,
    /// Solved: what was learned.
    pub learned: Option<String>,
    /// What comes next.
    pub next: Option<Next>,
}

impl Report {
    /// An empty report with a verdict of [`Verdict::Finished`].
    pub fn new(subject: Subject, machine: RanOn, seed: u64) -> Self {
        Self {
            schema: SCHEMA,
            checker: env!("CARGO_PKG_VERSION").to_owned(),
            subject,
            verdict: Verdict::Finished,
            reasons: Vec::new(),
            versions: Vec::new(),
            machine,
            seed,
            repeat: String::new(),
            stages: Vec::new(),
            cases: Vec::new(),
            orders: Vec::new(),
            untried: Vec::new(),
            meanings: Vec::new(),
            shortest_order: None,
            findings: Vec::new(),
            table: Vec::new(),
            counters: Vec::new(),
            diff: None,
            goals: Vec::new(),
            speedup: None,
            recorded: None,
            modelled: None,
            not_modelled: None,
            sweep: None,
            recorded_sweep: None,
            ladder: None,
            outputs: Vec::new(),
            printf: String::new(),
            launches: Vec::new(),
            lines: Vec::new(),
            traces: Vec::new(),
            notes: Vec::new(),
            held: None,
            cut: None,
            large_untried: None,
            one_way: Vec::new(),
            baseline_fails: false,
            try_first: None,
            learned: None,
            next: None,
        }
    }

    /// Remembers that the machine, not the kernel, kept something from being tried, and says what that means.
    pub fn not_all_was_tried(&mut self, why: &str) {
        self.notes.push(format!("not all was tried, and a class would get no grade for this: {why}"));
        self.cut.get_or_insert_with(|| why.to_owned());
    }

    /// Says of a kernel that nothing speaks against what was not tried.
    pub fn tell_untried(&mut self) {
        if let Some(cut) = self.cut.clone() {
            self.not_all_was_tried(&cut);
        }
        if let Some(what) = &self.large_untried {
            self.notes.push(format!("not tried: {what}; that speaks neither for the kernel nor against it"));
        }
    }

    /// The report as JSON, one object.
    pub fn to_json(&self) -> String {
        // Plain data with string keys: serialisation cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}
