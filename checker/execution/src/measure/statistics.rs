//! Summaries of samples: pure functions.

use serde::{Deserialize, Serialize};

/// Samples in five numbers; times in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Half of the samples lie below.
    pub median_us: f64,
    /// A quarter lies below.
    pub q1_us: f64,
    /// Three quarters lie below.
    pub q3_us: f64,
    /// The shortest.
    pub min_us: f64,
    /// How many.
    pub samples: u32,
}

/// A median with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The median.
    pub median: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// What the interval of baseline time over candidate time says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// The candidate is faster: the whole interval lies above 1 + [`MARGIN`].
    Faster,
    /// The candidate is slower: the whole interval lies below 1 / (1 + [`MARGIN`]).
    Slower,
    /// Neither can be said.
    Same,
}

/// Ratios closer to 1 than this are no difference: what remains between two copies of one kernel.
pub const MARGIN: f64 = 0.01;

/// z of the two-sided 99 % normal quantile. 99 rather than 95 per cent, because the measurement looks at the interval
/// again and again until it is narrow, which makes every single look less certain.
const Z: f64 = 2.576;

/// The five numbers; None without samples.
pub fn summary(samples: &[f64]) -> Option<Summary> {
    let sorted = sorted(samples);
    Some(Summary {
        median_us: quantile(&sorted, 0.5)?,
        q1_us: quantile(&sorted, 0.25)?,
        q3_us: quantile(&sorted, 0.75)?,
        min_us: *sorted.first()?,
        samples: sorted.len() as u32,
    })
}

fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = samples.iter().copied().filter(|sample| sample.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// Linear interpolation between order statistics (Hyndman and Fan, type 7). `sorted` ascends.
fn quantile(sorted: &[f64], fraction: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let position = fraction * last as f64;
    let below = position.floor() as usize;
    let above = (below + 1).min(last);
    Some(sorted[below] + (sorted[above] - sorted[below]) * (position - below as f64))
}

/// The median of the samples.
pub fn median(samples: &[f64]) -> Option<f64> {
    quantile(&sorted(samples), 0.5)
}

/// The median with its 99 % interval from order statistics: the ranks n/2 -+ z sqrt(n)/2 (David and Nagaraja, *Order
/// Statistics*, section 7.1). It assumes nothing of the distribution. With fewer than 8 samples the interval is the
/// range.
pub fn median_interval(samples: &[f64]) -> Option<Interval> {
    let sorted = sorted(samples);
    let n = sorted.len();
    let median = quantile(&sorted, 0.5)?;
    if n < 8 {
        return Some(Interval { median, low: sorted[0], high: sorted[n - 1] });
    }
    let half = Z * (n as f64).sqrt() / 2.0;
    let low = (n as f64 / 2.0 - half).floor().max(0.0) as usize;
    let high = ((n as f64 / 2.0 + half).ceil() as usize).min(n - 1);
    Some(Interval { median, low: sorted[low], high: sorted[high] })
}

/// Baseline over candidate: the median of the rounds' ratios with its interval. Taken over logarithms, so that swapping
/// the two gives the inverse.
pub fn ratio_interval(baseline: &[f64], candidate: &[f64]) -> Option<Interval> {
    let logs: Vec<f64> =
        baseline.iter().zip(candidate).map(|(baseline, candidate)| (baseline / candidate).ln()).collect();
    let Interval { median, low, high } = median_interval(&logs)?;
    Some(Interval { median: median.exp(), low: low.exp(), high: high.exp() })
}

impl Interval {
    /// Half its width as a fraction of the median.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0 / self.median.abs().max(f64::MIN_POSITIVE)
    }

    /// The verdict on a ratio.
    pub fn verdict(&self) -> Verdict {
        if self.low > 1.0 + MARGIN {
            Verdict::Faster
        } else if self.high < 1.0 / (1.0 + MARGIN) {
            Verdict::Slower
        } else {
            Verdict::Same
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::stream::Stream;

    /// Normal-ish noise: the sum of 12 uniforms.
    fn noise(stream: Stream, index: u64) -> f64 {
        (0..12).map(|part| stream.unit(index * 12 + part)).sum::<f64>() - 6.0
    }

    #[test]
    fn five_numbers() {
        let found = summary(&[4.0, 1.0, 3.0, 2.0, 5.0]).unwrap();
        assert_eq!(found, Summary { median_us: 3.0, q1_us: 2.0, q3_us: 4.0, min_us: 1.0, samples: 5 });
        assert_eq!(median(&[1.0, 2.0]), Some(1.5));
        assert_eq!(summary(&[]), None);
        assert_eq!(median_interval(&[]), None);
    }

    /// The interval covers the true median about as often as it claims, over skewed noise too.
    #[test]
    fn the_interval_covers_the_median() {
        for skewed in [false, true] {
            let covered = (0..1000)
                .filter(|&trial| {
                    let stream = Stream::new(trial, "noise");
                    let samples: Vec<f64> = (0..60)
                        .map(|index| {
                            let x = noise(stream, index);
                            if skewed { x.exp() } else { x }
                        })
                        .collect();
                    let interval = median_interval(&samples).unwrap();
                    let truth = if skewed { 1.0 } else { 0.0 };
                    interval.low <= truth && truth <= interval.high
                })
                .count();
            assert!((975..=1000).contains(&covered), "{covered}");
        }
    }

    #[test]
    fn swapping_the_sides_inverts_the_ratio() {
        let stream = Stream::new(1, "times");
        let a: Vec<f64> = (0..50).map(|index| 10.0 + noise(stream, index)).collect();
        let b: Vec<f64> = (50..100).map(|index| 20.0 + noise(stream, index)).collect();
        let (one, other) = (ratio_interval(&a, &b).unwrap(), ratio_interval(&b, &a).unwrap());
        assert!((one.median * other.median - 1.0).abs() < 1e-9);
        assert_eq!((one.verdict(), other.verdict()), (Verdict::Slower, Verdict::Faster));
    }

    #[test]
    fn equal_kernels_are_the_same_and_small_differences_too() {
        for seed in 0..50 {
            let (a, b) = (Stream::new(seed, "a"), Stream::new(seed, "b"));
            let times = |stream: Stream, scale: f64| -> Vec<f64> {
                (0..40).map(|index| scale * (500.0 + 5.0 * noise(stream, index))).collect()
            };
            assert_eq!(ratio_interval(&times(a, 1.0), &times(b, 1.0)).unwrap().verdict(), Verdict::Same);
            assert_eq!(ratio_interval(&times(a, 1.05), &times(b, 1.0)).unwrap().verdict(), Verdict::Faster);
        }
    }
}
