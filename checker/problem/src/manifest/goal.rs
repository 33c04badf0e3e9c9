//! Goals: a metric, the conditions on it, and why it is asked for. See "Goals" in docs/formats.md.

use crate::metric::{self, Better, Metric};
use serde::{Deserialize, Serialize};

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

    /// Does it ask for less, or for more?
    pub const fn better(self) -> Better {
        match self {
            Self::Max(_) | Self::RatioMax(_) => Better::Less,
            Self::Min(_) | Self::RatioMin(_) => Better::More,
            Self::Equals(_) => Better::Neither,
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

    /// "at most 2,089", and "0.12 times the starter's" where that is how it comes about. `whose` names the baseline.
    fn words(self, metric: &Metric, whose: &str, baseline: Option<f64>) -> (String, Option<String>) {
        let plain = |side: &str, value: f64| (format!("{side} {}", metric.format(value)), None);
        let ratio = |side: &str, factor: f64, round: fn(f64) -> f64| {
            let times = format!("{} times the {whose}'s", metric::number(factor));
            match baseline.map(|baseline| factor * baseline) {
                Some(bound) => {
                    let bound = if metric.unit().is_whole() { round(bound) } else { bound };
                    (format!("{side} {}", metric.format(bound)), Some(times))
                }
                None => (format!("{side} {times}"), None),
            }
        };
        match self {
            Self::Min(bound) => plain("at least", bound),
            Self::Max(bound) => plain("at most", bound),
            Self::Equals(value) => plain("exactly", value),
            Self::RatioMax(factor) => ratio("at most", factor, f64::floor),
            Self::RatioMin(factor) => ratio("at least", factor, f64::ceil),
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
    /// Does it ask for less, or for more? With several conditions the first says.
    pub fn better(&self) -> Better {
        self.conditions.first().map_or(Better::Neither, |condition| condition.better())
    }

    /// Does it ask for machine instructions to be there?
    pub fn wants_code(&self) -> bool {
        matches!(self.metric, Metric::Opcode(_) | Metric::LoadRun | Metric::BytesInFlight)
            && self.conditions.iter().any(|c| c.wants_more())
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
        self.joined(whose, baseline, |bound, times| match times {
            Some(times) => format!("{bound} ({times})"),
            None => bound,
        })
    }

    /// The same without how a bound comes about: "at most 2,089".
    pub fn bounds(&self, whose: &str, baseline: Option<f64>) -> String {
        self.joined(whose, baseline, |bound, _| bound)
    }

    fn joined(&self, whose: &str, baseline: Option<f64>, say: impl Fn(String, Option<String>) -> String) -> String {
        let words = self.conditions.iter().map(|condition| condition.words(&self.metric, whose, baseline));
        words.map(|(bound, times)| say(bound, times)).collect::<Vec<_>>().join(" and ")
    }
}
