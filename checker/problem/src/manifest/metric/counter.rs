//! The simulator's counters, quotients and sums as metrics.

use super::Unit;
use super::counters::{COUNTERS, CounterRow};
use crate::error::did_you_mean;
use simulator::Counters;
use simulator::counters::{self, Ratio, Sum};
use std::fmt;

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
        Self::find(name).ok_or_else(|| {
            let names = Counters::FIELDS.iter().map(|field| field.name);
            let names = names.chain(Ratio::ALL.iter().map(|ratio| ratio.name()));
            let names = names.chain(Sum::ALL.iter().map(|sum| sum.name()));
            format!("unknown counter `{name}`{}", did_you_mean(name, names))
        })
    }

    /// The counter of that name.
    fn find(name: &str) -> Option<Self> {
        if let Some(ratio) = Ratio::by_name(name) {
            return Some(Self::Ratio(ratio));
        }
        if let Some(sum) = Sum::by_name(name) {
            return Some(Self::Sum(sum));
        }
        Counters::FIELDS.iter().find(|field| field.name == name).map(|field| Self::Field(field.name))
    }

    /// Its value; None for a quotient whose denominator is 0.
    pub fn of(self, counters: &Counters) -> Option<f64> {
        match self {
            Self::Field(name) => counters.get(name).map(|value| value as f64),
            Self::Ratio(ratio) => ratio.of(counters),
            Self::Sum(sum) => Some(sum.of(counters) as f64),
        }
    }

    /// What kind of number it is.
    pub fn unit(self) -> Unit {
        match self {
            Self::Field(_) | Self::Sum(_) => Unit::Count,
            Self::Ratio(ratio) => match ratio.unit() {
                counters::Unit::Fraction => Unit::Fraction { decimals: 1 },
                counters::Unit::Efficiency => Unit::Efficiency,
                counters::Unit::Number => Unit::Quotient,
            },
        }
    }

    /// How reports call it.
    pub fn row(self) -> Option<&'static CounterRow> {
        COUNTERS.iter().find(|row| row.name == self.name())
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
                let per = Counter::find(&format!("{per}s")).map_or_else(|| Counter::parse(&per), Ok)?;
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
