//! Metrics: what goals are about and what reports, book pages and JSON show. `table` has what has a name of its own,
//! `counters` the simulator's counts; `sass.OPCODE` comes on top.

mod counter;
mod counters;
mod table;

use crate::error::did_you_mean;
pub use counter::{Counter, CounterRatio};
pub use counters::{COUNTERS, CounterRow};
use serde::{Deserialize, Serialize};
use std::fmt;
pub use table::{FIXED, Metric, Row};

/// What kind of number a metric's value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A number of things.
    Count,
    /// Bytes.
    Bytes,
    /// A part of a whole, 0 to 1, shown in per cent.
    Fraction {
        /// With so many decimals.
        decimals: usize,
    },
    /// What was asked for over what was moved, shown in per cent; may be above 1.
    Efficiency,
    /// So many to one.
    Quotient,
    /// A quotient of times.
    Times,
}

impl Unit {
    /// Beside a number: "", "bytes", "%".
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Count | Self::Quotient | Self::Times => "",
            Self::Bytes => "bytes",
            Self::Fraction { .. } | Self::Efficiency => "%",
        }
    }

    /// Is every value a whole number?
    pub const fn is_whole(self) -> bool {
        matches!(self, Self::Count | Self::Bytes)
    }

    /// A value as a report shows it.
    fn format(self, value: f64) -> String {
        match self {
            Self::Times => format!("{value:.2}x"),
            Self::Fraction { decimals } => format!("{:.decimals$} %", value * 100.0),
            Self::Efficiency => format!("{:.1} %", value * 100.0),
            Self::Count | Self::Bytes | Self::Quotient => number(value),
        }
    }
}

/// Which way is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// Less is better.
    Less,
    /// More is better.
    More,
    /// Neither.
    #[default]
    Neither,
}

/// When a metric is worth a line of a report without being asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// Even when it is zero on both sides or did not change.
    Always,
    /// When it changed and is not zero.
    Changed,
    /// Only with all the details.
    Never,
}

/// Where a metric's value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MetricSource {
    /// The SASS listing for the problem's `arch`.
    Sass,
    /// The CUBIN's resources.
    Resources,
    /// The plan.
    Plan,
    /// The simulator's counters at the `count` size.
    Counters,
    /// Time measured on a GPU at the `time` size.
    Time,
    /// Time modelled for an H200 at the `time` size.
    Model,
}

impl MetricSource {
    /// Is it a time, measured or modelled?
    pub const fn is_time(self) -> bool {
        matches!(self, Self::Time | Self::Model)
    }

    /// In documentation.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Sass => "machine code",
            Self::Resources => "the CUBIN",
            Self::Plan => "the plan",
            Self::Counters => "the simulator",
            Self::Time => "a GPU",
            Self::Model => "the model of time",
        }
    }
}

/// How one value comes of several kernels, launches or runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Statistic {
    /// The sum over all kernels that are launched.
    AllKernels,
    /// Of the kernel with the most.
    MostOfKernels,
    /// Of the launch with the least.
    LeastOfLaunches,
    /// The sum over all launches; of a quotient both parts are summed first.
    AllLaunches,
    /// The lower end of the interval over the runs.
    LowerEnd,
    /// The upper end of the model's interval.
    UpperEnd,
    /// The median over the runs.
    Median,
}

impl Statistic {
    /// In documentation.
    pub const fn words(self) -> &'static str {
        match self {
            Self::AllKernels => "sum over the kernels launched",
            Self::MostOfKernels => "the kernel with the most",
            Self::LeastOfLaunches => "the launch with the least",
            Self::AllLaunches => "sum over launches",
            Self::LowerEnd => "lower end of the 99 % interval",
            Self::UpperEnd => "upper end of the model's interval",
            Self::Median => "median",
        }
    }
}

impl Metric {
    /// All that have a row in reports, in a report's order.
    pub fn shown() -> impl Iterator<Item = Self> {
        let (plan, others): (Vec<&Row>, Vec<&Row>) = FIXED.iter().partition(|row| row.source == MetricSource::Plan);
        let counters = COUNTERS.iter().filter_map(|row| Counter::parse(row.name).ok()).map(Self::Count);
        let others = others.into_iter().filter(|row| !row.source.is_time());
        plan.into_iter().map(|row| row.metric.clone()).chain(counters).chain(others.map(|row| row.metric.clone()))
    }

    /// What a message lists: "registers, ..., sass.OPCODE, count.FIELD".
    pub fn forms() -> String {
        let fixed = FIXED.iter().map(|row| row.name);
        fixed.chain(["sass.OPCODE", "count.FIELD"]).collect::<Vec<_>>().join(", ")
    }

    /// Parses a metric's name.
    ///
    /// # Errors
    ///
    /// A sentence that names the nearest metric.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some(row) = FIXED.iter().find(|row| row.name == text) {
            return Ok(row.metric.clone());
        }
        if let Some(field) = text.strip_prefix("count.") {
            return Counter::parse(field).map(Self::Count);
        }
        if let Some(opcode) = text.strip_prefix("sass.")
            && !opcode.is_empty()
            && opcode.split('.').all(|part| {
                !part.is_empty() && part.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
            })
            && opcode.starts_with(|c: char| c.is_ascii_uppercase())
        {
            return Ok(Self::Opcode(opcode.to_string()));
        }
        let hint = did_you_mean(text, FIXED.iter().map(|row| row.name));
        Err(format!("unknown metric `{text}`{hint}"))
    }

    /// Where its value comes from.
    pub fn source(&self) -> MetricSource {
        match self {
            Self::Opcode(_) => MetricSource::Sass,
            Self::Count(_) => MetricSource::Counters,
            fixed => fixed.row().map_or(MetricSource::Sass, |row| row.source),
        }
    }

    /// What kind of number it is.
    pub fn unit(&self) -> Unit {
        match self {
            Self::Opcode(_) => Unit::Count,
            Self::Count(counter) => counter.unit(),
            fixed => fixed.row().map_or(Unit::Count, |row| row.unit),
        }
    }

    /// Which way is good.
    pub fn better(&self) -> Better {
        match self {
            Self::Opcode(_) => Better::Neither,
            Self::Count(counter) => counter.row().map_or(Better::Neither, |row| row.better),
            fixed => fixed.row().map_or(Better::Neither, |row| row.better),
        }
    }

    /// When it is worth a line of a report; `None` for one without a row of its own.
    pub fn shown_when(&self) -> Option<Shown> {
        match self {
            Self::Opcode(_) => None,
            Self::Count(counter) => counter.row().map(|row| row.shown),
            fixed => fixed.row().filter(|row| !row.source.is_time()).map(|row| row.shown),
        }
    }

    /// Can it be known without a GPU?
    pub fn needs_gpu(&self) -> bool {
        self.source() == MetricSource::Time
    }

    /// In a report's row and in a goal: "registers", "`LDL` instructions".
    pub fn label(&self) -> String {
        match self {
            Self::Opcode(opcode) => format!("`{opcode}` instructions"),
            Self::Count(counter) => counter.row().map_or(counter.name(), |row| row.label).to_owned(),
            fixed => fixed.row().map_or("", |row| row.label).to_owned(),
        }
    }

    /// Where nothing beside it says of what and in what unit: "stack per thread, bytes".
    pub fn words(&self) -> String {
        let row = self.row();
        let per = row.map_or("", |row| row.per);
        let per = if per.is_empty() { String::new() } else { format!(" per {per}") };
        let unit = if self.unit() == Unit::Bytes { ", bytes" } else { "" };
        format!("{}{per}{unit}", self.label())
    }

    /// A value as a report shows it.
    pub fn format(&self, value: f64) -> String {
        self.unit().format(value)
    }

    /// Its row, if it has a name of its own.
    fn row(&self) -> Option<&'static Row> {
        FIXED.iter().find(|row| row.metric == *self)
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opcode(opcode) => write!(f, "sass.{opcode}"),
            Self::Count(counter) => write!(f, "count.{counter}"),
            fixed => f.pad(fixed.row().map_or("", |row| row.name)),
        }
    }
}

impl TryFrom<String> for Metric {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text)
    }
}

impl From<Metric> for String {
    fn from(metric: Metric) -> Self {
        metric.to_string()
    }
}

/// Whole numbers with a comma between thousands, others with up to three decimals.
pub(crate) fn number(value: f64) -> String {
    if value.fract() != 0.0 || value.abs() >= 1e15 {
        let text = format!("{value:.3}");
        return text.trim_end_matches('0').trim_end_matches('.').to_string();
    }
    system::text::grouped(value as i64)
}
