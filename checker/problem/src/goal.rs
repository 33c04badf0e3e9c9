//! Goals: a metric, the conditions on it, and why it is asked for. See "Goals" in docs/formats.md.

use super::error::did_you_mean;
use serde::{Deserialize, Serialize};
use simulator::Counters;
use simulator::counters::{Ratio, Sum, Unit};
use std::fmt;

/// What is measured, counted or read off.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Metric {
    /// `sass.OPCODE`: instructions whose opcode starts with these parts (`LDG.E.128`).
    Opcode(String),
    /// `sass.instructions`: all instructions.
    Instructions,
    /// `sass.load_run`: the longest run of loads before the first use of one.
    LoadRun,
    /// `sass.loop_instructions`: instructions of the innermost hottest loop's body.
    LoopInstructions,
    /// `registers` a thread.
    Registers,
    /// `spills`: instructions that spill a register to local memory or refill it.
    Spills,
    /// `stack` in bytes a thread.
    Stack,
    /// `shared`: static shared memory in bytes a block.
    Shared,
    /// `occupancy`, theoretical, 0 to 1.
    Occupancy,
    /// `launches` in the plan.
    Launches,
    /// `count.FIELD`: a field of the simulator's counters, a quotient of them or a sum.
    Count(Counter),
    /// `speedup`: time of the baseline over the candidate's, lower end of the interval.
    Speedup,
    /// `roof`: fraction of the device's measured roof.
    Roof,
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
}

/// Metrics with a fixed name; `sass.OPCODE` and `count.FIELD` come on top.
const FIXED: [(&str, Metric); 11] = [
    ("sass.instructions", Metric::Instructions),
    ("sass.load_run", Metric::LoadRun),
    ("sass.loop_instructions", Metric::LoopInstructions),
    ("registers", Metric::Registers),
    ("spills", Metric::Spills),
    ("stack", Metric::Stack),
    ("shared", Metric::Shared),
    ("occupancy", Metric::Occupancy),
    ("launches", Metric::Launches),
    ("speedup", Metric::Speedup),
    ("roof", Metric::Roof),
];

impl Metric {
    /// Parses a metric's name.
    ///
    /// # Errors
    ///
    /// A sentence that names the nearest metric.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some((_, metric)) = FIXED.iter().find(|(name, _)| *name == text) {
            return Ok(metric.clone());
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
        let hint = did_you_mean(text, FIXED.iter().map(|(name, _)| *name));
        Err(format!("unknown metric `{text}`{hint}"))
    }

    /// Where its value comes from.
    pub const fn source(&self) -> MetricSource {
        match self {
            Self::Opcode(_) | Self::Instructions | Self::LoadRun | Self::LoopInstructions => MetricSource::Sass,
            Self::Registers | Self::Spills | Self::Stack | Self::Shared | Self::Occupancy => MetricSource::Resources,
            Self::Launches => MetricSource::Plan,
            Self::Count(_) => MetricSource::Counters,
            Self::Speedup | Self::Roof => MetricSource::Time,
        }
    }

    /// Can it be known without a GPU?
    pub fn needs_gpu(&self) -> bool {
        self.source() == MetricSource::Time
    }

    /// What it counts, in words: "`LDL` instructions".
    pub fn words(&self) -> String {
        match self {
            Self::Opcode(opcode) => format!("`{opcode}` instructions"),
            Self::Instructions => "SASS instructions".into(),
            Self::LoadRun => "loads in a row before the first use".into(),
            Self::LoopInstructions => "instructions in the hottest loop".into(),
            Self::Registers => "registers a thread".into(),
            Self::Spills => "spill instructions".into(),
            Self::Stack => "bytes of stack a thread".into(),
            Self::Shared => "bytes of static shared memory a block".into(),
            Self::Occupancy => "theoretical occupancy".into(),
            Self::Launches => "launches".into(),
            Self::Count(counter) => counter.words(),
            Self::Speedup => "speedup".into(),
            Self::Roof => "fraction of the device's roof".into(),
        }
    }

    /// Is it a part of a whole, or a quotient, rather than a number of things?
    fn is_fraction(&self) -> bool {
        match self {
            Self::Speedup | Self::Occupancy | Self::Roof => true,
            Self::Count(counter) => matches!(counter, Counter::Ratio(_)),
            _ => false,
        }
    }

    /// A value as a report shows it.
    pub fn format(&self, value: f64) -> String {
        match self {
            Self::Speedup => format!("{value:.2}x"),
            Self::Occupancy | Self::Roof => format!("{:.0} %", value * 100.0),
            Self::Count(counter) if counter.is_percentage() => format!("{:.1} %", value * 100.0),
            _ => number(value),
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opcode(opcode) => write!(f, "sass.{opcode}"),
            Self::Count(counter) => write!(f, "count.{counter}"),
            fixed => match FIXED.iter().find(|(_, metric)| metric == fixed) {
                Some((name, _)) => f.pad(name),
                None => Ok(()),
            },
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

/// A counter of the simulator: a field of [`Counters`], a quotient of them ([`Ratio`]) or a sum ([`Sum`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Counter {
    /// A field, by its name.
    Field(&'static str),
    /// A quotient.
    Ratio(Ratio),
    /// A sum.
    Sum(Sum),
}

impl Counter {
    /// Parses a counter's name.
    ///
    /// # Errors
    ///
    /// A sentence that names the nearest counter.
    pub fn parse(name: &str) -> Result<Self, String> {
        if let Some(ratio) = Ratio::by_name(name) {
            return Ok(Self::Ratio(ratio));
        }
        if let Some(sum) = Sum::by_name(name) {
            return Ok(Self::Sum(sum));
        }
        if let Some(field) = Counters::FIELDS.iter().find(|field| field.name == name) {
            return Ok(Self::Field(field.name));
        }
        let names = Counters::FIELDS.iter().map(|field| field.name).chain(Ratio::ALL.iter().map(|ratio| ratio.name()));
        let names = names.chain(Sum::ALL.iter().map(|sum| sum.name()));
        Err(format!("unknown counter `{name}`{}", did_you_mean(name, names)))
    }

    /// Its value; None for a quotient whose denominator is 0.
    pub fn of(self, counters: &Counters) -> Option<f64> {
        match self {
            Self::Field(name) => counters.get(name).map(|value| value as f64),
            Self::Ratio(ratio) => ratio.of(counters),
            Self::Sum(sum) => Some(sum.of(counters) as f64),
        }
    }

    /// Is it shown in per cent?
    pub fn is_percentage(self) -> bool {
        matches!(self, Self::Ratio(ratio) if ratio.unit() != Unit::Number)
    }

    /// Is it never above 1?
    pub fn is_fraction(self) -> bool {
        matches!(self, Self::Ratio(ratio) if ratio.unit() == Unit::Fraction)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Field(name) => name,
            Self::Ratio(ratio) => ratio.name(),
            Self::Sum(sum) => sum.name(),
        }
    }

    /// In words: "global load sectors".
    pub fn words(self) -> String {
        self.name().replace('_', " ")
    }
}

impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What must hold for a metric.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// At least.
    Min(f64),
    /// At most.
    Max(f64),
    /// Exactly.
    Equals(f64),
    /// Candidate at most this times the baseline.
    RatioMax(f64),
    /// Candidate at least this times the baseline.
    RatioMin(f64),
}

impl Condition {
    /// Does it hold? A ratio without a baseline does not.
    pub fn holds(self, baseline: Option<f64>, candidate: f64) -> bool {
        match self {
            Self::Min(bound) => candidate >= bound,
            Self::Max(bound) => candidate <= bound,
            Self::Equals(value) => candidate == value,
            // Multiplied out, so that a baseline of 0 is an ordinary case.
            Self::RatioMax(factor) => baseline.is_some_and(|baseline| candidate <= factor * baseline),
            Self::RatioMin(factor) => baseline.is_some_and(|baseline| candidate >= factor * baseline),
        }
    }

    /// Does it ask for something to be there? Then only what ran counts.
    pub const fn wants_more(self) -> bool {
        matches!(self, Self::Min(_) | Self::RatioMin(_))
    }

    /// Does it compare with the baseline?
    pub const fn is_ratio(self) -> bool {
        matches!(self, Self::RatioMax(_) | Self::RatioMin(_))
    }

    /// "at most 0", "at most 2,089 (0.12 times the starter's)". `whose` names the baseline.
    fn words(self, metric: &Metric, whose: &str, baseline: Option<f64>) -> String {
        let times = |factor: f64| format!("{} times the {whose}'s", number(factor));
        let of = |factor: f64, round: fn(f64) -> f64| match baseline.map(|baseline| factor * baseline) {
            Some(bound) => {
                let bound = if metric.is_fraction() { bound } else { round(bound) };
                format!("{} ({})", metric.format(bound), times(factor))
            }
            None => times(factor),
        };
        match self {
            Self::Min(bound) => format!("at least {}", metric.format(bound)),
            Self::Max(bound) => format!("at most {}", metric.format(bound)),
            Self::Equals(value) => format!("exactly {}", metric.format(value)),
            Self::RatioMax(factor) => format!("at most {}", of(factor, f64::floor)),
            Self::RatioMin(factor) => format!("at least {}", of(factor, f64::ceil)),
        }
    }
}

/// A goal of a problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Goal {
    /// What is looked at.
    pub metric: Metric,
    /// What must hold; all of them, at least one.
    pub conditions: Vec<Condition>,
    /// One sentence for the reader.
    pub why: String,
}

impl Goal {
    /// Does it ask for machine instructions to be there?
    pub fn wants_code(&self) -> bool {
        matches!(self.metric, Metric::Opcode(_) | Metric::LoadRun) && self.conditions.iter().any(|c| c.wants_more())
    }

    /// Is the goal met by a candidate of whose value only `ran` was executed? Conditions that ask for more look at that,
    /// the others at all that stands there.
    pub fn judge_both(&self, baseline: Option<f64>, ran: f64, stands: f64) -> bool {
        let looks_at = |condition: &Condition| if condition.wants_more() { ran } else { stands };
        self.conditions.iter().all(|condition| condition.holds(baseline, looks_at(condition)))
    }

    /// Is the goal met? A value that is not a number meets nothing.
    pub fn judge(&self, baseline: Option<f64>, candidate: f64) -> bool {
        self.conditions.iter().all(|condition| condition.holds(baseline, candidate))
    }

    /// What is asked of the metric: "at most 0", "at most 2,089 (0.12 times the starter's)". `whose` names the baseline.
    pub fn demand(&self, whose: &str, baseline: Option<f64>) -> String {
        let conditions = self.conditions.iter().map(|condition| condition.words(&self.metric, whose, baseline));
        conditions.collect::<Vec<_>>().join(" and ")
    }
}

/// Whole numbers with a comma between thousands, others with up to three decimals.
fn number(value: f64) -> String {
    if value.fract() != 0.0 || value.abs() >= 1e15 {
        let text = format!("{value:.3}");
        return text.trim_end_matches('0').trim_end_matches('.').to_string();
    }
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0.0 { format!("-{text}") } else { text }
}

/// What a sweep shows of the simulator in place of a rate: a counter, or a ratio of two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CounterRatio {
    /// The counter, or the ratio's numerator.
    pub of: Counter,
    /// The ratio's denominator.
    pub per: Option<Counter>,
}

impl CounterRatio {
    /// Parses `COUNTER` or `COUNTER per COUNTER`; names may be written with spaces, and the second in the singular
    /// ("instructions per flop").
    ///
    /// # Errors
    ///
    /// A sentence that names the nearest counter.
    pub fn parse(text: &str) -> Result<Self, String> {
        let name = |part: &str| part.trim().replace(' ', "_");
        match text.split_once(" per ") {
            None => Ok(Self { of: Counter::parse(&name(text))?, per: None }),
            Some((of, per)) => {
                let per = name(per);
                let plural = Counter::parse(&format!("{per}s"));
                let per = Counter::parse(&per).or_else(|error| plural.map_err(|_| error))?;
                Ok(Self { of: Counter::parse(&name(of))?, per: Some(per) })
            }
        }
    }

    /// Its value; None when the denominator is 0.
    pub fn of(&self, counters: &Counters) -> Option<f64> {
        let value = self.of.of(counters)?;
        match &self.per {
            None => Some(value),
            Some(per) => per.of(counters).filter(|per| *per != 0.0).map(|per| value / per),
        }
    }

    /// "instructions per flop".
    pub fn words(&self) -> String {
        match &self.per {
            None => self.of.words(),
            Some(per) => format!("{} per {}", self.of.words(), per.words().trim_end_matches('s')),
        }
    }
}
