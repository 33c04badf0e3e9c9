//! Comparison of a version's output with the oracle's, element by element, and what the wrong elements have in common.

use super::tolerance::{Tolerance, ulp};
use crate::{LooksLike, Mismatch, Value};
use half::{bf16, f16};
use plan::dtype::{DType, half};
use rayon::prelude::*;

/// Wrong elements that are kept.
const KEPT: usize = 8;
/// Units in the last place that an exact result may be off.
const EXACT_ULPS: f64 = 8.0;
/// Bits of the significand that are left for a third factor in a product.
const SPARE_BITS: i32 = 4;
/// Outputs from which on their root mean square says something.
const MANY: u64 = 32;
/// How far roundings may be from random ones: see [`LooksLike::OffOnAverage`].
const ON_AVERAGE: f64 = 4.0;
/// Roundings that may swallow a change together.
const SWALLOWED: f64 = 4.0;
/// Elements a task.
const CHUNK: usize = 1 << 14;

/// An array on the host.
#[derive(Debug, Clone, Copy)]
pub struct Array<'a> {
    /// Element type.
    pub dtype: DType,
    /// Little-endian elements.
    pub bytes: &'a [u8],
}

/// How to judge.
#[derive(Debug, Clone, Copy)]
pub struct Judgement {
    /// Allowed error.
    pub tolerance: Tolerance,
    /// In a run over [`Values::ExactIntegers`](super::fill::Values): results that are multiples of this unit, with
    /// everything that was summed up below 2^20 units (2^7 for half), come out exact whatever the order of summation, and
    /// may be off by `EXACT_ULPS` only, for kernels that take a root or a quotient on the way.
    pub exact_unit: Option<f64>,
    /// The byte the output was poisoned with.
    pub poison: u8,
    /// The inputs are independent of each other, so that roundings are, too: their mean is bounded as well.
    pub on_average: bool,
}

impl Judgement {
    /// Comes this result out exact, of terms whose magnitudes sum up to so much?
    fn is_exact(&self, want: f64, summed: f64, dtype: DType) -> bool {
        let Some(unit) = self.exact_unit else { return false };
        let bits = self.tolerance.significand_bits(dtype) - SPARE_BITS;
        let multiple = want / unit;
        multiple == multiple.round() && summed.abs() < 2f64.powi(bits) * unit
    }
}

/// The oracle's array for an output, and the magnitudes.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The results.
    pub want: Array<'a>,
    /// What their terms' magnitudes sum up to.
    pub magnitude: Option<Array<'a>>,
}

impl Wanted<'_> {
    fn at(&self, index: usize) -> (f64, f64) {
        let want = real(self.want.dtype, element(self.want, index));
        let of = |magnitude: Array<'_>| real(magnitude.dtype, element(magnitude, index));
        (want, self.magnitude.map_or(want.abs(), of))
    }
}

/// Must an output of this type have other bits where the oracle's goes from `before` to `after`? What one rounding may swallow of
/// the largest sum on the way is no change; elements that are judged exactly are left out, as what they lack has shown.
pub fn must_change(dtype: DType, before: Wanted<'_>, after: Wanted<'_>, judgement: Judgement) -> bool {
    let len = before.want.bytes.len() / before.want.dtype.size();
    if !dtype.is_float() {
        return before.want.bytes != after.want.bytes;
    }
    (0..len).any(|index| {
        let ((old, summed), (new, also)) = (before.at(index), after.at(index));
        if !old.is_finite() || !new.is_finite() || judgement.is_exact(old, summed, dtype) {
            return false;
        }
        match judgement.tolerance {
            Tolerance::Exact => rounded(dtype, old) != rounded(dtype, new),
            Tolerance::Bound { unit, .. } => {
                let one = Tolerance::Bound { ops: 1.0, unit };
                let swallowed = one.bound(old, summed, dtype).max(one.bound(new, also, dtype));
                (new - old).abs() > SWALLOWED * swallowed
            }
        }
    })
}

/// What a comparison found.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Wrong elements.
    pub wrong: u64,
    /// The first few of them.
    pub first: Vec<Mismatch>,
    /// What they have in common.
    pub looks_like: LooksLike,
    /// Largest error over its bound, where there is a bound.
    pub error_over_bound: Option<f64>,
    /// Any element was judged by [`Judgement::exact_unit`].
    pub judged_exactly: bool,
}

impl Comparison {
    /// Is an element wrong, or are all together?
    pub fn fails(&self) -> bool {
        self.wrong > 0 || matches!(self.looks_like, LooksLike::OffOnAverage { .. })
    }
}

/// Compares. `got`, `want` and `magnitude` have the same number of elements; integers have the same type.
pub fn compare(got: Array<'_>, want: Array<'_>, magnitude: Option<Array<'_>>, judgement: Judgement) -> Comparison {
    let size = got.dtype.size();
    let len = got.bytes.len() / size;
    let part = (0..len.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let mut part = Part::default();
            for index in chunk * CHUNK..len.min((chunk + 1) * CHUNK) {
                part.element(index, got, want, magnitude, judgement);
            }
            part
        })
        .reduce(Part::default, Part::then);
    part.finish(len as u64)
}

/// Sums over a run of elements; parts are joined in order.
#[derive(Debug, Default)]
struct Part {
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
    error_over_bound: Option<f64>,
    judged_exactly: bool,
    /// Squares of errors in units of random roundings, how many, and the largest with its element.
    squares: f64,
    count: u64,
    worst: Option<(f64, Mismatch)>,
}

impl Part {
    fn element(
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

    fn then(mut self, later: Self) -> Self {
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

    fn finish(self, len: u64) -> Comparison {
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

    fn looks_like(&self, len: u64) -> LooksLike {
        let Some((first, last)) = self.span else { return LooksLike::Nothing };
        // What is wrong says more than where, except that a tail of untouched elements is best called a tail.
        if first > 0 && last + 1 == len && self.wrong == len - first {
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
            Some((lo, hi)) if !self.no_factor && hi - lo <= 1e-3 * hi.abs() && (hi - 1.0).abs() > 0.01 => {
                LooksLike::Scaled { factor: if lo == hi { lo } else { lo / 2.0 + hi / 2.0 } }
            }
            _ => LooksLike::Nothing,
        }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn element(array: Array<'_>, index: usize) -> &[u8] {
    let size = array.dtype.size();
    &array.bytes[index * size..(index + 1) * size]
}

fn as_real(value: Value) -> f64 {
    match value {
        Value::Real(x) => x,
        Value::Signed(x) => x as f64,
        Value::Unsigned(x) => x as f64,
    }
}

/// An element as a number without loss. `bytes` has the type's size.
pub fn value(dtype: DType, bytes: &[u8]) -> Value {
    match dtype {
        DType::F64 | DType::F32 | DType::F16 | DType::Bf16 => Value::Real(real(dtype, bytes)),
        DType::I8 => Value::Signed(i8::from_le_bytes(fixed(bytes)).into()),
        DType::I16 => Value::Signed(i16::from_le_bytes(fixed(bytes)).into()),
        DType::I32 => Value::Signed(i32::from_le_bytes(fixed(bytes)).into()),
        DType::I64 => Value::Signed(i64::from_le_bytes(fixed(bytes))),
        DType::U8 => Value::Unsigned(u8::from_le_bytes(fixed(bytes)).into()),
        DType::U16 => Value::Unsigned(u16::from_le_bytes(fixed(bytes)).into()),
        DType::U32 => Value::Unsigned(u32::from_le_bytes(fixed(bytes)).into()),
        DType::U64 => Value::Unsigned(u64::from_le_bytes(fixed(bytes))),
    }
}

/// An element as a double; `bytes` has the type's size. 64-bit integers are rounded.
#[inline]
pub fn real(dtype: DType, bytes: &[u8]) -> f64 {
    match dtype {
        DType::F64 => f64::from_le_bytes(fixed(bytes)),
        DType::F32 => f32::from_le_bytes(fixed(bytes)).into(),
        DType::F16 => f16::from_le_bytes(fixed(bytes)).to_f64(),
        DType::Bf16 => bf16::from_le_bytes(fixed(bytes)).to_f64(),
        _ => as_real(value(dtype, bytes)),
    }
}

/// The first N bytes; there are always so many.
#[inline]
fn fixed<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

/// `value` rounded to a float type.
fn rounded(dtype: DType, value: f64) -> f64 {
    match dtype {
        DType::F32 => f64::from(value as f32),
        DType::F16 => half(value).to_f64(),
        DType::Bf16 => bf16::from_f64(value).to_f64(),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUND: Tolerance = Tolerance::Bound { ops: 4.0, unit: DType::F32 };

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    fn doubles(values: &[f64]) -> Vec<u8> {
        values.iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    fn judge(got: &[f32], want: &[f64], tolerance: Tolerance) -> Comparison {
        let judgement = Judgement { tolerance, exact_unit: None, poison: 0xff, on_average: true };
        let (got, want) = (floats(got), doubles(want));
        compare(Array { dtype: DType::F32, bytes: &got }, Array { dtype: DType::F64, bytes: &want }, None, judgement)
    }

    #[test]
    fn rounding_passes_and_more_does_not() {
        assert_eq!(judge(&[0.1], &[0.1], Tolerance::Exact).wrong, 0);
        assert_eq!(judge(&[0.1f32.next_up()], &[0.1], Tolerance::Exact).wrong, 1);
        assert_eq!(judge(&[1.0 + 2.0 * f32::EPSILON], &[1.0], BOUND).wrong, 0);
        assert_eq!(judge(&[1.0 + 4.0 * f32::EPSILON], &[1.0], BOUND).wrong, 1);
        assert!(judge(&[1.0 + 2.0 * f32::EPSILON], &[1.0], BOUND).error_over_bound.unwrap() > 0.5);
    }

    /// Roundings that follow no input are off by their square root; a systematic error within every bound is not.
    #[test]
    fn a_small_error_everywhere_is_more_than_roundings() {
        let tolerance = Tolerance::Bound { ops: 1000.0, unit: DType::F32 };
        let off = |len: usize, error: &dyn Fn(usize) -> f64| {
            let want: Vec<f64> = (0..len).map(|index| 1.0 + index as f64 / len as f64).collect();
            let got: Vec<f32> = want.iter().enumerate().map(|(index, x)| (x * (1.0 + error(index))) as f32).collect();
            judge(&got, &want, tolerance)
        };
        // A fifth of the bound: 200 roundings of 2^-24.
        let systematic = |_: usize| 200.0 * 2f64.powi(-24);
        let found = off(1000, &systematic);
        assert_eq!((found.wrong, found.first.len(), found.fails()), (0, 1, true));
        assert!(
            matches!(found.looks_like, LooksLike::OffOnAverage { times } if (5.0..7.0).contains(&times)),
            "{found:?}"
        );
        assert!(!off(16, &systematic).fails(), "too few to say");
        let stream = plan::stream::Stream::new(5, "roundings");
        let random = |index: usize| {
            (0..1000).map(|k| stream.unit((index * 1000 + k) as u64) - 0.5).sum::<f64>() * 2f64.powi(-23)
        };
        assert!(!off(1000, &random).fails());
    }

    #[test]
    fn nan_passes_only_where_the_oracle_is_nan() {
        let nan = f32::NAN;
        assert_eq!(judge(&[nan, nan, 1.0], &[f64::NAN, 1.0, f64::NAN], BOUND).wrong, 2);
        let infinite = [f64::INFINITY, 1e300, 1.0, f64::INFINITY];
        assert_eq!(judge(&[f32::INFINITY, f32::INFINITY, f32::INFINITY, f32::MAX], &infinite, BOUND).wrong, 2);
    }

    #[test]
    fn what_wrong_elements_have_in_common() {
        let n = 100_000;
        let want: Vec<f64> = (1..=n).map(f64::from).collect();
        let right: Vec<f32> = want.iter().map(|&x| x as f32).collect();
        let with = |change: &dyn Fn(usize) -> Option<f32>| {
            let got: Vec<f32> = right.iter().enumerate().map(|(index, &x)| change(index).unwrap_or(x)).collect();
            judge(&got, &want, BOUND)
        };
        let poison = f32::from_bits(0xffff_ffff);
        assert_eq!(with(&|_| None).looks_like, LooksLike::Nothing);
        assert_eq!(with(&|_| Some(poison)).looks_like, LooksLike::NeverWritten);
        assert_eq!(with(&|_| Some(0.0)).looks_like, LooksLike::Zero);
        assert_eq!(with(&|_| Some(f32::NAN)).looks_like, LooksLike::Nan);
        assert_eq!(with(&|i| (i >= 99_968).then_some(poison)).looks_like, LooksLike::Tail { from: 99_968 });
        let strided = with(&|i| (i % 32 == 31).then_some(-1.0));
        assert_eq!(strided.looks_like, LooksLike::EveryKth { step: 32, first: 31 });
        assert_eq!(strided.wrong, 3125);
        assert_eq!(strided.first[1].index, 63);
        assert!(matches!(with(&|i| Some((i + 1) as f32 * 2.0)).looks_like,
            LooksLike::Scaled { factor } if (factor - 2.0).abs() < 1e-6));
        assert_eq!(with(&|i| (i == 7 || i == 9000).then_some(-1.0)).looks_like, LooksLike::Nothing);
    }

    #[test]
    fn exact_results_are_judged_exactly() {
        let judgement = Judgement {
            tolerance: Tolerance::Bound { ops: 1e6, unit: DType::F32 },
            exact_unit: Some(0.25),
            poison: 0,
            on_average: true,
        };
        let check = |got: f32, magnitude: f64| {
            let (got, want, magnitude) = (floats(&[got]), doubles(&[100.25]), doubles(&[magnitude]));
            let double = |bytes| Array { dtype: DType::F64, bytes };
            compare(Array { dtype: DType::F32, bytes: &got }, double(&want), Some(double(&magnitude)), judgement)
        };
        assert_eq!(check(100.5, 4000.0).wrong, 1);
        assert_eq!(check(100.25, 4000.0).wrong, 0);
        assert_eq!(check(100.25f32.next_up(), 4000.0).wrong, 0);
        assert_eq!(check(100.5, 2f64.powi(18)).wrong, 0, "sums that may round are judged by the bound");
        assert!(check(100.25, 4000.0).judged_exactly && !check(100.25, 1e9).judged_exactly);
    }

    #[test]
    fn integers_of_64_bits_are_compared_exactly() {
        let (got, want) = ((i64::MAX - 1).to_le_bytes(), i64::MAX.to_le_bytes());
        let array = |bytes| Array { dtype: DType::I64, bytes };
        let judgement = Judgement { tolerance: Tolerance::Exact, exact_unit: None, poison: 0, on_average: true };
        let found = compare(array(&got), array(&want), None, judgement);
        assert_eq!(found.first[0].got, Value::Signed(i64::MAX - 1));
    }

    #[test]
    fn a_change_that_roundings_hide_is_none() {
        let judged = |tolerance, exact_unit| Judgement { tolerance, exact_unit, poison: 0, on_average: false };
        let must = |tolerance, unit, old: f64, new: f64, magnitude: f64| {
            let (old, new, magnitude) = (old.to_le_bytes(), new.to_le_bytes(), magnitude.to_le_bytes());
            let array = |bytes| Array { dtype: DType::F64, bytes };
            let of = |bytes| Wanted { want: array(bytes), magnitude: Some(array(&magnitude)) };
            must_change(DType::F32, of(&old), of(&new), judged(tolerance, unit))
        };
        assert!(must(BOUND, None, 1.0, 1.00001, 1.0));
        assert!(!must(BOUND, None, 1.0, 1.0000001, 1.0) && !must(BOUND, None, 1.0, 1.00001, 100.0));
        // Judged exactly, or rounded to the same number.
        assert!(!must(BOUND, Some(0.25), 1.0, 2.0, 1.0) && must(BOUND, Some(0.3), 1.0, 2.0, 1.0));
        assert!(
            !must(Tolerance::Exact, None, 1.0, 1.0 + 1e-9, 1.0) && must(Tolerance::Exact, None, 1.0, 1.0 + 2e-7, 1.0)
        );
        assert!(!must(BOUND, None, 1.0, f64::NAN, 1.0));
    }
}
