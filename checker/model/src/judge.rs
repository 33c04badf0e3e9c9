//! How far modelled times are from measured ones, and how often the right one of two is the faster.

use crate::Modelled;
use serde::Serialize;

/// A version that was measured, and what the model says of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judged {
    /// Its problem.
    pub problem: String,
    /// Which version, and where.
    pub version: String,
    /// Those of one group of a problem are compared with each other.
    pub group: String,
    /// Measured microseconds.
    pub measured: f64,
    /// The work that it does in this time, where those of its group do not all do the same.
    pub work: f64,
    /// What the model says, or why nothing.
    pub modelled: Result<Modelled, String>,
}

impl Judged {
    /// Modelled over measured time, less one.
    pub fn error(&self) -> Option<f64> {
        self.modelled.as_ref().ok().map(|modelled| modelled.us / self.measured - 1.0)
    }
}

/// What all of some come to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Default)]
pub struct Score {
    /// Versions with a modelled time.
    pub kernels: usize,
    /// Those that are not modelled.
    pub left_out: usize,
    /// Median of the absolute errors.
    pub median: f64,
    /// Nine of ten are at most so far off.
    pub most: f64,
    /// Comparisons whose measured ratio lies beyond [`CLEAR`].
    pub comparisons: usize,
    /// Those of them that the model decides as the measurement does.
    pub right: usize,
    /// Measured times inside their intervals.
    pub inside: usize,
}

/// A measured ratio that is clear.
pub const CLEAR: f64 = 1.05;

impl Score {
    /// Of those that `wanted` names.
    pub fn of(all: &[Judged], wanted: impl Fn(&Judged) -> bool) -> Self {
        let chosen: Vec<&Judged> = all.iter().filter(|judged| wanted(judged)).collect();
        let mut errors: Vec<f64> = chosen.iter().filter_map(|judged| judged.error()).map(f64::abs).collect();
        errors.sort_by(f64::total_cmp);
        let at = |part: f64| {
            let index = (errors.len() as f64 * part) as usize;
            errors.get(index.min(errors.len().saturating_sub(1))).copied().unwrap_or(0.0)
        };
        let mut score = Self {
            kernels: errors.len(),
            left_out: chosen.len() - errors.len(),
            median: at(0.5),
            most: at(0.9),
            ..Self::default()
        };
        for (position, one) in chosen.iter().enumerate() {
            let Ok(modelled) = &one.modelled else { continue };
            score.inside += usize::from((modelled.low..=modelled.high).contains(&one.measured));
            for other in &chosen[..position] {
                let Ok(against) = &other.modelled else { continue };
                if (&one.problem, &one.group) != (&other.problem, &other.group) {
                    continue;
                }
                let measured = (one.measured / one.work) / (other.measured / other.work);
                let modelled = (modelled.us / one.work) / (against.us / other.work);
                if measured.max(1.0 / measured) > CLEAR {
                    score.comparisons += 1;
                    score.right += usize::from((measured > 1.0) == (modelled > 1.0));
                }
            }
        }
        score
    }

    /// Share of the comparisons that are right; 1 of none.
    pub fn winners(&self) -> f64 {
        if self.comparisons == 0 { 1.0 } else { self.right as f64 / self.comparisons as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bound, Confidence};

    fn judged(version: &str, measured: f64, modelled: f64) -> Judged {
        let confidence = Confidence::Exact;
        let (us, low, high) = (modelled, modelled / 1.2, modelled * 1.2);
        let modelled = Modelled { us, low, high, bound: Bound::Dram, bars: Vec::new(), confidence };
        let (problem, group) = ("p".to_owned(), "g".to_owned());
        Judged { problem, version: version.into(), group, measured, work: 1.0, modelled: Ok(modelled) }
    }

    #[test]
    fn errors_winners_and_what_is_left_out() {
        let mut all = vec![judged("a", 10.0, 11.0), judged("b", 20.0, 10.0), judged("c", 20.2, 30.0)];
        all.push(Judged { modelled: Err("it waits".into()), ..judged("d", 1.0, 1.0) });
        let score = Score::of(&all, |_| true);
        assert_eq!((score.kernels, score.left_out, score.inside), (3, 1, 1));
        assert!((score.median - 30.0 / 20.2 + 1.0).abs() < 1e-9 && (score.most - 0.5).abs() < 1e-9, "{score:?}");
        // b and c are as fast as each other; a is faster than both, and modelled as slower than b.
        assert_eq!((score.comparisons, score.right), (2, 1));
        all[1].work = 4.0;
        // For its work b is the fastest.
        assert_eq!(Score::of(&all, |_| true).right, 3);
    }
}
