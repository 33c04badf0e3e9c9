//! How an H200's tensor cores add up products of floating-point numbers, bit by bit.
//!
//! A finite operand `x` is `s_x 2^(e_x)` with the exponent `e_x` that its field says (subnormals have that of the smallest
//! normal number) and `|s_x| < 2`. For each element of the result
//!
//! ```text
//! E = max(e_a + e_b of every product that is not zero, e_c if c is not zero)
//! S = sum over all terms t of trunc(t 2^(25 - E))         an exact integer sum; trunc is towards zero
//! d = S 2^(E - 25)                                         rounded towards zero to f32, to nearest even to f16
//! ```
//!
//! so products are exact, 25 bits below the largest exponent are kept of each term, and the order of the terms does not
//! matter. A sum too large becomes an infinity, a sum of zero is `+0` unless every term is `-0`. An `f16` addend is
//! converted to `f32` first, which makes its subnormals normal; with an `f32` addend and an `f16` result, the result is
//! converted from `f32`. Where both are `f16`, a negative sum that rounds to zero is `+0`. NaN, infinities of both signs and zero times infinity give
//! the canonical NaN.
//!
//! One such step takes all of K, with these exceptions: `wmma` of `tf32` takes two of four products each, the result of
//! the first being the addend of the second. Products of 8-bit numbers are made of two steps of `f16`: first those with
//! `k mod 4 < 2`, added to `+0`, then the others, added to that; `c` is added last, in the result's type, to nearest.
//! (Other GPUs add 8-bit products differently.)
//!
//! Found by comparing; the differential tests compare all shapes with an H200's answers over numbers of every size.

use super::Rounding;
use super::half::{Half, NAN as NAN_HALF};
use super::soft::{self, Control, F16, F32, Finite, Format, Number};

/// Bits kept below the largest exponent.
const KEPT: i32 = 25;

/// A number taken apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Term {
    /// `significand * 2^(exponent - scale)`, where `scale` is the same for all terms of a matrix.
    Finite {
        /// Signed, not shifted.
        significand: i64,
        /// The exponent that the number's field says.
        exponent: i32,
        /// It is `-0`.
        negative_zero: bool,
    },
    /// True is negative.
    Infinite(bool),
    /// NaN.
    Nan,
}

impl Term {
    /// Takes bits apart.
    pub fn new(format: &Format, bits: u64) -> Self {
        match format.unpack(bits) {
            Number::Nan => Self::Nan,
            Number::Infinite(negative) => Self::Infinite(negative),
            Number::Finite(value) => {
                let magnitude = value.significand as i64;
                Self::Finite {
                    significand: if value.negative { -magnitude } else { magnitude },
                    exponent: value.exponent + format.fraction as i32,
                    negative_zero: magnitude == 0 && value.negative,
                }
            }
        }
    }

    fn times(self, other: Self) -> Self {
        let negative = |term: Self| match term {
            Self::Finite { significand, negative_zero, .. } => significand < 0 || negative_zero,
            Self::Infinite(negative) => negative,
            Self::Nan => false,
        };
        let sign = negative(self) != negative(other);
        match (self, other) {
            (Self::Finite { significand: a, exponent: e, .. }, Self::Finite { significand: b, exponent: f, .. }) => {
                Self::Finite { significand: a * b, exponent: e + f, negative_zero: a * b == 0 && sign }
            }
            (Self::Nan, _) | (_, Self::Nan) => Self::Nan,
            (Self::Finite { significand: 0, .. }, _) | (_, Self::Finite { significand: 0, .. }) => Self::Nan,
            _ => Self::Infinite(sign),
        }
    }
}

/// A sum before it is rounded.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Sum {
    /// `sum * 2^exponent`; the flag says that a zero is negative.
    Finite(i64, i32, bool),
    Infinite(bool),
    Nan,
}

/// Adds products with `fraction` bits, both factors' together, to the addend, an `f32` taken apart.
fn step(products: impl Iterator<Item = (Term, Term)> + Clone, fraction: i32, addend: Term) -> Sum {
    let mut largest = i32::MIN;
    let mut infinite = None;
    let mut negative_zero = true;
    let mut see = |term: Term| match term {
        Term::Nan => false,
        Term::Infinite(sign) => *infinite.get_or_insert(sign) == sign,
        Term::Finite { significand, exponent, negative_zero: minus } => {
            negative_zero &= minus;
            if significand != 0 {
                largest = largest.max(exponent);
            }
            true
        }
    };
    if !see(addend) || !products.clone().all(|(a, b)| see(a.times(b))) {
        return Sum::Nan;
    }
    if let Some(sign) = infinite {
        return Sum::Infinite(sign);
    }
    if largest == i32::MIN {
        return Sum::Finite(0, 0, negative_zero);
    }
    let aligned = |term: Term, fraction: i32| {
        let Term::Finite { significand, exponent, .. } = term else { return 0 };
        let shift = exponent - fraction - (largest - KEPT);
        match shift {
            // Not larger than 2^(KEPT + 2): the exponent is at most the largest.
            0.. => significand << shift,
            -62..0 => significand / (1 << -shift),
            _ => 0,
        }
    };
    let sum = products.map(|(a, b)| aligned(a.times(b), fraction)).sum::<i64>();
    Sum::Finite(sum + aligned(addend, F32.fraction as i32), largest - KEPT, false)
}

impl Sum {
    /// To `f16`, as the hardware does where the addend is `f16` too: never `-0` from a sum that is not zero.
    fn to_f16(self) -> u64 {
        let bits = self.round(&F16, NAN_HALF.into(), Rounding::Nearest);
        let vanished = matches!(self, Self::Finite(sum, ..) if sum != 0) && bits & !F16.sign() == 0;
        if vanished { 0 } else { bits }
    }

    fn round(self, format: &Format, nan: u64, rounding: Rounding) -> u64 {
        let signed = |negative: bool| if negative { format.sign() } else { 0 };
        match self {
            Self::Nan => nan,
            Self::Infinite(negative) => signed(negative) | format.infinity(),
            Self::Finite(0, _, negative) => signed(negative),
            Self::Finite(sum, exponent, _) => {
                let significand = u128::from(sum.unsigned_abs());
                let value = Finite { negative: sum < 0, exponent, significand };
                let bits = format.pack(value, Control { rounding, ftz: false });
                let top = exponent + 63 - sum.unsigned_abs().leading_zeros() as i32;
                if top >= 1 << (format.exponent - 1) { signed(sum < 0) | format.infinity() } else { bits }
            }
        }
    }

    fn to_f32(self) -> u64 {
        self.round(&F32, F32.nan, Rounding::Zero)
    }
}

/// How the products of a row and a column are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steps {
    /// So many at a time.
    Groups(usize),
    /// 8-bit numbers as `f16`.
    Bytes,
}

/// One element of a product: `a` and `b` along K in formats of so many `fractions` bits, `c` as `f32` bits; the result is
/// `f16` bits if `half`, else `f32` bits.
pub fn element(a: &[Term], b: &[Term], fractions: [u32; 2], steps: Steps, c: u32, half: bool) -> u64 {
    let fraction = (fractions[0] + fractions[1]) as i32;
    let pairs = || a.iter().copied().zip(b.iter().copied());
    let finish = |sum: Sum| if half { sum.to_f16() } else { sum.to_f32() };
    let mut sum = u64::from(c);
    match steps {
        Steps::Groups(size) => {
            for start in (0..a.len()).step_by(size) {
                let addend = Term::new(&F32, sum);
                let step = step(pairs().skip(start).take(size), fraction, addend);
                if start + size >= a.len() {
                    return finish(step);
                }
                sum = step.to_f32();
            }
            sum
        }
        Steps::Bytes => {
            let part =
                |high: bool| pairs().enumerate().filter(move |(k, _)| (k % 4 >= 2) == high).map(|(_, pair)| pair);
            let first = step(part(false), fraction, Term::new(&F32, 0));
            if half {
                let wide = soft::convert(&F16, &F32, first.to_f16(), Control::default());
                let both = step(part(true), fraction, Term::new(&F32, wide)).to_f16();
                return super::half::add(Half::F16, both as u16, narrow(c), super::half::Modifiers::default()).into();
            }
            let both = step(part(true), fraction, Term::new(&F32, first.to_f32())).to_f32();
            super::float::add_f32(both as u32, c, Rounding::Nearest, false, false).into()
        }
    }
}

/// An `f32` result as `f16`, to nearest: what becomes of a sum whose addend is `f32` and whose result is `f16`.
pub fn narrow(bits: u32) -> u16 {
    Half::F16.from_f64(f32::from_bits(bits).into())
}
