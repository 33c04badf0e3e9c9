//! A stretch of an output, compared; and how stretches are put together.

use super::element::{as_real, element, real, rounded, value};
use super::{Array, Comparison, Judgement};
use crate::tolerance::{Tolerance, ulp};
use crate::{LooksLike, Mismatch, Value};
use plan::dtype::DType;

/// Wrong elements that are kept.
const KEPT: usize = 8;

/// Units in the last place that an exact result may be off.
const EXACT_ULPS: f64 = 8.0;

/// Bits of the significand that are left for a third factor in a product.
pub(super) const SPARE_BITS: i32 = 4;

/// Outputs from which on their root mean square says something, or a tail is one.
const MANY: u64 = 32;

/// Right binary digits of one number from which on they are no accident.
const ALONE: u32 = 10;

/// Wrong elements, of more, that have something in common that one might have by chance.
const SEVERAL: u64 = 3;

/// How far off, relatively, what was rounded too often or to a shorter type is at most: bfloat16 keeps 8 digits.
const NEAR: f64 = 1.0 / 64.0;

/// How far roundings may be from random ones: see [`LooksLike::OffOnAverage`].
const ON_AVERAGE: f64 = 4.0;

/// Roundings that may swallow a change together.
pub(super) const SWALLOWED: f64 = 4.0;

/// Sums over a run of elements; parts are joined in order.
#[derive(Debug, Default)]
pub(super) struct Part {
    wrong: u64,
    first: Vec<Mismatch>,
    span: Option<(u64, u64)>,
    /// Greatest common divisor of the distances between wrong elements.
    step: u64,
    not_poison: u64,
    not_zero: u64,
    not_nan: u64,
    /// Smallest and largest got/want; None once an element has no ratio.
    factor: Option<(f64, f64)>,
    no_factor: bool,
    /// An element is no real number: being near says nothing.
    whole: bool,
    error_over_bound: Option<f64>,
    judged_exactly: bool,
    /// Squares of errors in units of random roundings, how many, and the largest with its element.
    squares: f64,
    count: u64,
    worst: Option<(f64, Mismatch)>,
}

/// Is it 0 where the right result is subnormal in single precision? `atom.add.f32` on global memory flushes such numbers (PTX ISA, `atom`),
/// and so does code that is compiled for it. Of other code a subnormal number is a result like any other.
fn is_flushed(got: f64, want: f64, dtype: DType) -> bool {
    dtype == DType::F32 && got == 0.0 && want.abs() < f64::from(f32::MIN_POSITIVE)
}

impl Part {
    pub(super) fn element(
        &mut self,
        index: usize,
        got: Array<'_>,
        want: Array<'_>,
        magnitude: Option<Array<'_>>,
        judgement: Judgement,
    ) {
        let got_bytes = element(got, index);
        let want_bytes = element(want, index);
        if !got.dtype.is_float() {
            if got_bytes != want_bytes {
                let (got_value, want_value) = (value(got.dtype, got_bytes), value(want.dtype, want_bytes));
                self.mismatch(index, got_bytes, judgement.poison, got_value, want_value, 0.0);
            }
            return;
        }
        let got_real = real(got.dtype, got_bytes);
        let want_real = real(want.dtype, want_bytes);
        let is_bounded = matches!(judgement.tolerance, Tolerance::Bound { .. });
        let is_same =
            got_real == want_real || is_bounded && judgement.flushes && is_flushed(got_real, want_real, got.dtype);
        // Most are equal, and there is nothing to measure.
        if is_same && (self.judged_exactly || judgement.exact_unit.is_none()) {
            if is_bounded && got_real.is_finite() {
                self.error_over_bound.get_or_insert(0.0);
                self.count += u64::from(judgement.on_average);
            }
            return;
        }
        let summed = magnitude.map_or(want_real.abs(), |magnitude| real(magnitude.dtype, element(magnitude, index)));
        let mut bound = judgement.tolerance.bound(want_real, summed, got.dtype);
        if judgement.is_exact(want_real, summed, got.dtype) {
            self.judged_exactly = true;
            bound = bound.min(EXACT_ULPS * ulp(want_real, got.dtype));
        }
        let right = if want_real.is_nan() || got_real.is_nan() {
            want_real.is_nan() && got_real.is_nan()
        } else {
            got_real == rounded(got.dtype, want_real) || (bound.is_finite() && (got_real - want_real).abs() <= bound)
        };
        if !right {
            let want_value = Value::Real(want_real);
            self.mismatch(index, got_bytes, judgement.poison, Value::Real(got_real), want_value, bound);
        } else if bound > 0.0 && got_real.is_finite() {
            let ratio = (got_real - want_real).abs() / bound;
            self.error_over_bound = Some(self.error_over_bound.map_or(ratio, |most| most.max(ratio)));
            let spread = judgement.tolerance.spread(want_real, summed, got.dtype);
            if judgement.on_average && spread > 0.0 {
                let times = (got_real - want_real).abs() / spread;
                self.squares += times * times;
                self.count += 1;
                if self.worst.as_ref().is_none_or(|(most, _)| times > *most) {
                    let (got, want) = (Value::Real(got_real), Value::Real(want_real));
                    self.worst = Some((times, Mismatch { index: index as u64, got, want, bound }));
                }
            }
        }
    }

    fn mismatch(&mut self, index: usize, bytes: &[u8], poison: u8, got: Value, want: Value, bound: f64) {
        let index = index as u64;
        self.wrong += 1;
        if self.first.len() < KEPT {
            self.first.push(Mismatch { index, got, want, bound });
        }
        let (first, last) = self.span.unwrap_or((index, index));
        self.step = gcd(self.step, index - last);
        self.span = Some((first, index));
        self.not_poison += u64::from(bytes.iter().any(|&byte| byte != poison));
        // What is to be exact is chosen, not computed.
        self.whole |= !matches!(got, Value::Real(_)) || bound == 0.0;
        let (got, want) = (as_real(got), as_real(want));
        self.not_zero += u64::from(got != 0.0);
        self.not_nan += u64::from(!got.is_nan());
        let factor = got / want;
        if !factor.is_finite() || got == 0.0 {
            self.no_factor = true;
        }
        let (lo, hi) = self.factor.unwrap_or((factor, factor));
        self.factor = Some((lo.min(factor), hi.max(factor)));
    }

    pub(super) fn then(mut self, later: Self) -> Self {
        if let (Some((first, last)), Some((later_first, later_last))) = (self.span, later.span) {
            self.step = gcd(gcd(self.step, later.step), later_first - last);
            self.span = Some((first, later_last));
        } else {
            self.step = self.step.max(later.step);
            self.span = self.span.or(later.span);
        }
        self.wrong += later.wrong;
        self.first.extend(later.first);
        self.first.truncate(KEPT);
        self.not_poison += later.not_poison;
        self.not_zero += later.not_zero;
        self.not_nan += later.not_nan;
        self.no_factor |= later.no_factor;
        self.whole |= later.whole;
        self.factor = match (self.factor, later.factor) {
            (Some((lo, hi)), Some((later_lo, later_hi))) => Some((lo.min(later_lo), hi.max(later_hi))),
            (one, other) => one.or(other),
        };
        self.error_over_bound = match (self.error_over_bound, later.error_over_bound) {
            (Some(one), Some(other)) => Some(one.max(other)),
            (one, other) => one.or(other),
        };
        self.judged_exactly |= later.judged_exactly;
        self.squares += later.squares;
        self.count += later.count;
        let larger = |most: &(f64, Mismatch)| self.worst.as_ref().is_none_or(|(known, _)| most.0 > *known);
        if later.worst.as_ref().is_some_and(larger) {
            self.worst = later.worst;
        }
        self
    }

    pub(super) fn finish(self, len: u64) -> Comparison {
        let times = (self.squares / self.count.max(1) as f64).sqrt();
        if self.wrong == 0 && self.count >= MANY && times > ON_AVERAGE {
            return Comparison {
                wrong: 0,
                first: self.worst.into_iter().map(|(_, worst)| worst).collect(),
                looks_like: LooksLike::OffOnAverage { times },
                error_over_bound: self.error_over_bound,
                judged_exactly: self.judged_exactly,
            };
        }
        let looks_like = self.looks_like(len);
        Comparison {
            wrong: self.wrong,
            first: self.first,
            looks_like,
            error_over_bound: self.error_over_bound,
            judged_exactly: self.judged_exactly,
        }
    }

    /// Are ratios from `lo` to `hi` those of numbers that were rounded too often?
    fn is_near(&self, lo: f64, hi: f64) -> bool {
        !self.no_factor && !self.whole && (hi - 1.0).max(1.0 - lo) <= NEAR
    }

    fn looks_like(&self, len: u64) -> LooksLike {
        let Some((first, last)) = self.span else { return LooksLike::Nothing };
        // What is wrong says more than where, except that a tail of untouched elements is best called a tail.
        let to_the_end = first > 0 && last + 1 == len && self.wrong == len - first && len >= MANY;
        if to_the_end && self.not_poison == 0 {
            return LooksLike::Tail { from: first };
        }
        if self.step > 1 && self.wrong >= 3 && self.wrong == (len - 1 - first) / self.step + 1 {
            return LooksLike::EveryKth { step: self.step, first };
        }
        if self.not_poison == 0 {
            return LooksLike::NeverWritten;
        }
        if self.not_zero == 0 {
            return LooksLike::Zero;
        }
        if self.not_nan == 0 {
            return LooksLike::Nan;
        }
        match self.factor {
            // One of several may be near by chance, and one alone is no pattern unless it is very near.
            Some((lo, hi))
                if (self.wrong == len || self.wrong >= SEVERAL)
                    && self.is_near(lo, hi)
                    && (self.wrong > 1 || right_digits(lo, hi) >= ALONE) =>
            {
                LooksLike::Digits { right: right_digits(lo, hi) }
            }
            Some((lo, hi)) if !self.no_factor && hi - lo <= 1e-3 * hi.abs() && (hi - 1.0).abs() > 0.01 => {
                LooksLike::Scaled { factor: if lo == hi { lo } else { lo / 2.0 + hi / 2.0 } }
            }
            _ if to_the_end => LooksLike::From { from: first },
            _ => LooksLike::Nothing,
        }
    }
}

/// Binary digits that quotients between two have in common with 1.
fn right_digits(lo: f64, hi: f64) -> u32 {
    -(hi - 1.0).max(1.0 - lo).log2() as u32
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
