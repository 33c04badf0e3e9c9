//! Reals of chosen orders of magnitude: tiny ones, and all beside each other.

use super::Values;
use plan::dtype::DType;
use plan::stream::Stream;

/// Binary orders of magnitude by which [`Values::Delicate`] shrinks, from and to: below 2e-4.
const SHRINK: (i64, i64) = (14, 21);

/// The same where smaller numbers would be subnormal.
const SHRINK_F16: (i64, i64) = (4, 8);

/// The least exponent of [`Values::Sizes`] there: subnormal, with some digits left.
const SUBNORMAL_F16: i64 = -18;

/// Exponents that the largest of [`Values::Tiny`] have: so small that a detour by 2^-100 loses digits, and no smaller than that products
/// of three are normal numbers of single precision, as right kernels may flush others to 0.
const TINY: (i64, i64) = (-39, -25);

/// The same of [`Values::Minute`]: a detour by 2^-60 loses digits, and a mean of a million is a normal number.
const MINUTE: (i64, i64) = (-96, -72);

/// Parts of a buffer of [`Values::Sizes`].
const PARTS: usize = 8;

/// Elements of a stretch of them, as the exponent of a power of two: these or more, or one.
const LEAST: i64 = 3;

/// Which elements of [`Values::Sizes`] have one exponent. In each of some parts of a buffer it is each its own, or so many in a row: what
/// belongs together, a row or the numbers of a key, is tiny beside what is large.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretches {
    /// Elements of a part.
    part: u64,
    /// Of each part how many, as the exponent of a power of two, and how many less the first ones are, as blocks and warps begin elsewhere;
    /// nothing where each is its own.
    each: [Option<(u32, u64)>; PARTS],
}

impl Stretches {
    /// Of a buffer of so many elements.
    pub(super) fn of(len: u64, stream: Stream) -> Self {
        let part = len.div_ceil(PARTS as u64).max(1);
        let most = i64::from(part.ilog2());
        let each = |at: usize| {
            let key = u64::MAX / 2 - 2 * at as u64;
            let each = stream.integer(key, LEAST - 3, most.max(LEAST));
            (LEAST..=most).contains(&each).then(|| (each as u32, stream.bits(key - 1) % (1 << each)))
        };
        Self { part, each: std::array::from_fn(each) }
    }

    /// What all elements of a stretch have in common, and no others.
    fn number(self, index: u64) -> u64 {
        let part = index / self.part;
        match self.each.get(part as usize) {
            Some(Some((each, offset))) => ((index + offset) >> each) | 1 << 63 | part << 48,
            _ => index,
        }
    }
}

/// A number of an interval, as often of any exponent from that of the tiniest of [`Values::Tiny`] to that of the largest, of either sign
/// where there are both.
pub(super) fn of_any_size(
    (lo, hi): (f64, f64),
    dtype: DType,
    stream: Stream,
    (index, stretches): (u64, Stretches),
) -> f64 {
    let most = lo.abs().max(hi.abs());
    let most = if most.is_normal() { most.log2().floor() as i64 } else { f64::MIN_EXP.into() };
    let least = if dtype == DType::F16 { SUBNORMAL_F16 } else { TINY.0 - 1 };
    let power = 2f64.powi(stream.integer(!stretches.number(index), least.min(most), most) as i32);
    let (sign, plain) = (stream.bits(!index) & 1, lo + stream.unit(index) * (hi - lo));
    let value = (1.0 + stream.unit(index)) * if sign == 1 { -power } else { power };
    let inside = |value: &f64| *value >= lo && *value < hi;
    [value, -value].into_iter().find(inside).unwrap_or(plain)
}

/// The numbers of [`Values::Delicate`] and of those that are tinier, in an interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct Delicate {
    lo: f64,
    hi: f64,
    sign: f64,
    /// The largest power of two of which twice as much is in the interval.
    top: f64,
    /// Leading parts of a significand: the more there are, the seldomer two elements are equal.
    parts: u64,
}

impl Delicate {
    pub(super) fn new((lo, hi): (f64, f64), dtype: DType, values: Values, stream: Stream) -> Self {
        let most = lo.abs().max(hi.abs());
        let top = if most.is_normal() { most.log2().floor() as i64 - 1 } else { f64::MIN_EXP.into() };
        let sign = if lo.abs() > hi.abs() { -1.0 } else { 1.0 };
        let drawn = |(least, greatest)| stream.integer(u64::MAX - 1, least, greatest);
        let exponent = match values {
            _ if lo > 0.0 || hi <= 0.0 => top,
            // Three of four runs; what is left out of the others is another input's turn.
            Values::Delicate if stream.integer(u64::MAX, 0, 3) == 0 => top,
            _ if dtype == DType::F16 => top - drawn(SHRINK_F16),
            Values::Minute => drawn(MINUTE),
            Values::Tiny => drawn(TINY),
            _ => top - drawn(SHRINK),
        };
        let parts = if values == Values::Delicate { 8 } else { 4096 };
        Self { lo, hi, sign, top: 2f64.powi(exponent.min(top) as i32), parts }
    }

    pub(super) fn value(self, stream: Stream, index: u64) -> f64 {
        let bits = stream.bits(index);
        // A leading part, then a third, in one of two binades.
        let significand = 1.0 + ((bits % self.parts) as f64 + 1.0 / 3.0) / self.parts as f64;
        let value = self.sign * significand * if bits & self.parts != 0 { self.top } else { self.top / 2.0 };
        if value >= self.lo && value < self.hi { value } else { self.lo + stream.unit(index) * (self.hi - self.lo) }
    }
}
