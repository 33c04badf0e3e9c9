//! `problem.toml`: what learners do not own. See "problem.toml" in docs/formats.md.
//!
//! [`Manifest::parse`] reads and checks everything that the file alone can tell; whoever holds a [`Manifest`] need not
//! check it again.

pub(crate) mod check;
pub(crate) mod fill;
pub mod goal;
mod interface;
pub mod ladder;
pub(crate) mod ladder_check;
pub mod metric;
pub(crate) mod raw;
pub mod work;

use super::error::{LineError, did_you_mean};
use super::expr::Sizes;
use super::formula::{Formula, TomlText};
use super::mutant::Reason;
use super::types::Types;
use goal::Goal;
use indexmap::IndexMap;
pub use interface::{ErrorBound, InputSpec, Interface, OutputSpec, magnitude_name};
use ladder::Ladder;
use metric::CounterRatio;
use plan::Buffer;
use serde::{Deserialize, Serialize};
use std::path::Path;
use work::WorkBounds;

/// A checked `problem.toml`.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// Title of the problem.
    pub title: String,
    /// The book page, `book/src/CHAPTER.md`.
    pub chapter: String,
    /// One sentence: what the naive version does wrong.
    pub summary: String,
    /// Shown when the goals are met.
    pub learned: String,
    /// From the first nudge to nearly the answer; two or more (none for a sweep).
    pub hints: Vec<String>,
    /// Numbers of the topics that it shows or trains, as `book/topics.toml` has them.
    pub topics: Vec<u32>,
    /// Of an exercise: how hard it is, 1 to [`HARDEST`].
    pub difficulty: Option<u32>,
    /// Of an exercise: how many minutes it takes somebody who has read the page.
    pub minutes: Option<u32>,
    /// Place in the list of pairs.
    pub order: Option<i64>,
    /// The baseline is wrong, not slow: what the simulator must report for it at some case. It is never timed.
    pub flaw: Option<Reason>,
    /// Where the problem runs; at least one.
    pub backends: Vec<BackendName>,
    /// Sizes that are run and verified. For a sweep see `Problem::cases`.
    pub cases: Vec<Sizes>,
    /// Cases whose sizes every check draws anew, so that no kernel can know them: `cases` has them once
    /// [`Problem::drawn`](super::Problem::drawn) has drawn.
    pub drawn: Vec<Drawn>,
    /// Where counters are taken; by default the last case.
    pub count: Sizes,
    /// Where time is measured; by default as `count`.
    pub time: Sizes,
    /// May the working set sit in L2 while timed?
    pub cache: CacheState,
    /// Bytes that must move.
    pub bytes: Option<Formula>,
    /// Floating-point operations.
    pub flops: Option<Formula>,
    /// Inputs in order.
    pub inputs: Vec<InputSpec>,
    /// Outputs in order.
    pub outputs: Vec<OutputSpec>,
    /// Goals in order.
    pub goals: Vec<Goal>,
    /// What no version may do much more of than the baseline.
    pub work: WorkBounds,
    /// For SASS goals, `sm_90`.
    pub arch: String,
    /// For a problem of kind sweep.
    pub sweep: Option<Sweep>,
    /// For a problem of kind ladder; the manifest is then for one of its element types.
    pub ladder: Option<Ladder>,
}

/// The highest difficulty of an exercise.
pub const HARDEST: u32 = 3;

/// A place where kernels run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BackendName {
    /// The simulator.
    Sim,
    /// A GPU.
    Gpu,
}

/// Cache state of timed runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheState {
    /// DRAM-bound: working set beyond L2, or L2 flushed.
    #[default]
    Cold,
    /// May sit in L2.
    Warm,
}

/// A table over two sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// Down the table.
    pub rows: Axis,
    /// Across the table.
    pub columns: Axis,
    /// What of the measured time is shown.
    pub quantity: Quantity,
    /// What of the simulator's counters is shown instead.
    pub counter: CounterRatio,
}

/// One axis of a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// Name of the size.
    pub name: String,
    /// Its values in order.
    pub values: Vec<i64>,
    /// What the size is, in words: "thousands of rows".
    pub means: Option<String>,
    /// A word for each value, where values are only numbers of ways; or none.
    pub labels: Vec<String>,
}

impl Axis {
    /// What stands beside the axis.
    pub fn heading(&self) -> &str {
        self.means.as_deref().unwrap_or(&self.name)
    }

    /// A value as readers see it, if it has a word of its own.
    pub fn label(&self, value: i64) -> Option<&str> {
        let at = self.values.iter().position(|other| *other == value)?;
        self.labels.get(at).map(String::as_str)
    }

    /// What name and values mean, where they do not say it: "way: 1 one wait per entry, 2 two waits per row".
    pub fn legend(&self) -> Option<String> {
        let labels = self.values.iter().zip(&self.labels).map(|(value, label)| format!("{value} {label}"));
        let words: Vec<String> = self.means.iter().cloned().chain(labels).collect();
        (!words.is_empty()).then(|| format!("{}: {}", self.name, words.join(", ")))
    }
}

/// A rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Quantity {
    /// From `flops`.
    #[serde(rename = "GFLOP/s")]
    Gflops,
    /// From `bytes`.
    #[serde(rename = "GB/s")]
    GBytes,
}

impl Quantity {
    /// Its unit.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Gflops => "GFLOP/s",
            Self::GBytes => "GB/s",
        }
    }
}

/// One cell of a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// Value of the row's size.
    pub row: i64,
    /// Value of the column's size.
    pub column: i64,
    /// The given sizes with both added.
    pub sizes: Sizes,
}

impl Sweep {
    /// What the axes mean, where their names and values do not say it.
    pub fn legend(&self) -> Vec<String> {
        [&self.rows, &self.columns].into_iter().filter_map(Axis::legend).collect()
    }

    /// All cells, row by row, with `sizes` extended by the row's and the column's.
    pub fn cells(&self, sizes: &Sizes) -> Vec<Cell> {
        let mut cells = Vec::with_capacity(self.rows.values.len() * self.columns.values.len());
        for &row in &self.rows.values {
            for &column in &self.columns.values {
                let mut sizes = sizes.clone();
                sizes.insert(self.rows.name.clone(), row);
                sizes.insert(self.columns.name.clone(), column);
                cells.push(Cell { row, column, sizes });
            }
        }
        cells
    }
}

/// Smallest and largest value of each size of a drawn case.
pub type Drawn = IndexMap<String, (i64, i64)>;

impl Manifest {
    /// Parses and checks a manifest; `path` is for messages. A ladder's is for its first element type.
    ///
    /// # Errors
    ///
    /// The first thing that is malformed, with its line and column.
    pub fn parse(path: &Path, text: &str) -> Result<Self, LineError> {
        Self::parse_all(path, text).map(|mut all| all.swap_remove(0))
    }

    /// The manifests of all of a ladder's element types; one for any other kind.
    ///
    /// # Errors
    ///
    /// As [`Manifest::parse`].
    pub fn parse_all(path: &Path, text: &str) -> Result<Vec<Self>, LineError> {
        let toml = TomlText { path, text };
        let raw: raw::Manifest = toml::from_str(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            unknown_key(toml.error(offset, error.message().trim().replace('\n', "; ")))
        })?;
        let types = raw.ladder.as_ref().map_or(1, |ladder| ladder.get_ref().types.len().max(1));
        (0..types).map(|element| check::check(toml, &raw, element)).collect()
    }

    /// Drawn cases with every size at its smallest, and with every size at its largest.
    pub fn ends_of_drawn(&self) -> Vec<Sizes> {
        let smallest = |row: &Drawn| row.iter().map(|(name, ends)| (name.clone(), ends.0)).collect();
        let largest = |row: &Drawn| row.iter().map(|(name, ends)| (name.clone(), ends.1)).collect();
        self.drawn.iter().flat_map(|row| [smallest(row), largest(row)]).collect()
    }

    /// Names of types that `//@` lines may use.
    pub fn types(&self) -> Types {
        self.ladder.as_ref().map_or_else(Types::default, |ladder| ladder.element().types.clone())
    }

    /// What goes in and comes out.
    pub fn interface(&self) -> Interface {
        Interface { inputs: self.inputs.clone(), outputs: self.outputs.clone(), types: self.types() }
    }

    /// See [`Interface::io`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn io(&self, sizes: &Sizes) -> Result<Vec<Buffer>, LineError> {
        interface::io(&self.inputs, &self.outputs, sizes)
    }

    /// See [`Interface::reference_io`].
    ///
    /// # Errors
    ///
    /// As [`Interface::io`].
    pub fn reference_io(
        &self,
        sizes: &Sizes,
        writes_magnitude: impl Fn(&str) -> bool,
    ) -> Result<Vec<Buffer>, LineError> {
        Ok(interface::of_reference(self.io(sizes)?, writes_magnitude))
    }

    /// The output of that name.
    pub fn output(&self, name: &str) -> Option<&OutputSpec> {
        self.outputs.iter().find(|output| output.name == name)
    }
}

/// Serde's "unknown field `a`, expected one of `b`, `c`" as our own: the nearest key, and the keys as what was expected.
fn unknown_key(error: LineError) -> LineError {
    let Some((head, keys)) = error.message.split_once(", expected ").filter(|(head, _)| head.starts_with("unknown "))
    else {
        return error;
    };
    let quoted = |text: &str| -> Vec<String> { text.split('`').skip(1).step_by(2).map(str::to_string).collect() };
    let (written, keys) = (quoted(head).concat(), quoted(keys));
    let what = if head.starts_with("unknown field") { "key" } else { "value" };
    let hint = did_you_mean(&written, keys.iter().map(String::as_str));
    let message = format!("unknown {what} `{written}`{hint}").into_boxed_str();
    LineError { message, ..error.clone() }.expected(format!("one of {}", keys.join(", ")))
}
