//! `f16` and `bf16` instructions and their packed pairs (PTX ISA 9.7.4, 9.7.3 for `tanh`/`ex2`), over bits.
//!
//! These instructions round to nearest only. Sums of products are computed in double, rounded to odd, and rounded once
//! more to the half format, which gives the fused result.

use super::float::{min_max, order, sum_to_odd};
use super::soft::{self, BF16, Control, F16, F64, Format};
use super::{Compare, MinMax};

/// The NaN that half instructions return, `0x7fff` (9.7.4).
pub const NAN: u16 = 0x7fff;

/// Which 16-bit format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Half {
    /// `.f16`
    F16,
    /// `.bf16`
    Bf16,
}

/// Modifiers of half arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Modifiers {
    /// `.ftz`
    pub ftz: bool,
    /// `.sat`: the result is clamped to [0, 1], NaN becomes +0.
    pub sat: bool,
    /// `.relu`: negative results become +0, NaN stays NaN.
    pub relu: bool,
}

impl Half {
    /// The format's description.
    #[inline]
    pub const fn format(self) -> &'static Format {
        match self {
            Half::F16 => &F16,
            Half::Bf16 => &BF16,
        }
    }

    /// The exact value as a double.
    #[inline(always)]
    pub fn to_f64(self, a: u16) -> f64 {
        match self {
            Half::F16 => f64::from(f16_to_f32(a)),
            Half::Bf16 => f64::from(f32::from_bits(u32::from(a) << 16)),
        }
    }

    /// Rounds to nearest even. NaN becomes [`NAN`].
    #[inline]
    pub fn from_f64(self, a: f64) -> u16 {
        let format = self.format();
        let bits = a.to_bits();
        let drop = 52 - format.fraction;
        let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
        let bias = (1 << (format.exponent - 1)) - 1;
        if exponent > -bias && exponent < bias {
            // Normal and not in the last binade: rounding the fraction cannot overflow.
            let magnitude = bits & (F64.sign() - 1);
            let rounded = magnitude + ((1u64 << (drop - 1)) - 1) + (magnitude >> drop & 1);
            let rebased = (rounded >> drop) - ((1023 - bias as u64) << format.fraction);
            return (rebased | (bits >> 63) << 15) as u16;
        }
        if a.is_nan() { NAN } else { soft::convert(&F64, format, bits, Control::default()) as u16 }
    }

    #[inline(always)]
    fn input(self, a: u16, m: Modifiers) -> f64 {
        self.to_f64(if m.ftz { self.format().flush(a.into()) as u16 } else { a })
    }

    #[inline(always)]
    fn output(self, value: f64, m: Modifiers) -> u16 {
        let format = self.format();
        let mut bits = u64::from(self.from_f64(value));
        if m.ftz {
            // As `f32`: flushed is what rounds to less than the smallest normal number where the exponent has no limit.
            let smallest = 1 << format.fraction;
            let limit = self.to_f64(smallest as u16) * (1.0 - 0.25 / smallest as f64);
            let tiny = bits & (format.sign() - 1) == smallest && value.abs() < limit;
            bits = if tiny { bits & format.sign() } else { format.flush(bits) };
        }
        if m.sat {
            bits = format.saturate(bits);
        }
        if m.relu {
            bits = format.relu(bits);
        }
        bits as u16
    }
}

/// The exact `f32` of an `f16`; NaN keeps its payload.
#[inline(always)]
pub fn f16_to_f32(a: u16) -> f32 {
    let sign = u32::from(a & 0x8000) << 16;
    let magnitude = u32::from(a & 0x7fff);
    let bits = match magnitude {
        0 => 0,
        // Subnormal: an integer count of 2^-24.
        0x0001..0x0400 => (magnitude as f32 * f32::from_bits(0x3380_0000)).to_bits(),
        0x0400..0x7c00 => (magnitude << 13) + (112 << 23),
        _ => 0x7f80_0000 | (magnitude & 0x3ff) << 13,
    };
    f32::from_bits(sign | bits)
}

/// `add.rn` (9.7.4.1).
#[inline(always)]
pub fn add(t: Half, a: u16, b: u16, m: Modifiers) -> u16 {
    t.output(sum_to_odd(t.input(a, m), t.input(b, m)), m)
}

/// `sub.rn` (9.7.4.2).
#[inline(always)]
pub fn sub(t: Half, a: u16, b: u16, m: Modifiers) -> u16 {
    add(t, a, b ^ 0x8000, m)
}

/// `mul.rn` (9.7.4.3).
#[inline(always)]
pub fn mul(t: Half, a: u16, b: u16, m: Modifiers) -> u16 {
    t.output(t.input(a, m) * t.input(b, m), m)
}

/// `fma.rn` (9.7.4.4).
#[inline(always)]
pub fn fma(t: Half, a: u16, b: u16, c: u16, m: Modifiers) -> u16 {
    t.output(sum_to_odd(t.input(a, m) * t.input(b, m), t.input(c, m)), m)
}

/// `fma.rn.oob` (9.7.4.4): the result is zero if `a` or `b` is the out-of-bounds NaN `0xffff`.
#[inline]
pub fn fma_oob(t: Half, a: u16, b: u16, c: u16, m: Modifiers) -> u16 {
    if a == 0xffff || b == 0xffff { 0 } else { fma(t, a, b, c, m) }
}

/// `neg{.ftz}` (9.7.4.5). NaN becomes canonical.
#[inline]
pub fn neg(t: Half, a: u16, ftz: bool) -> u16 {
    unary(t, a, ftz, |a| a ^ 0x8000)
}

/// `abs{.ftz}` (9.7.4.6). NaN becomes canonical.
#[inline]
pub fn abs(t: Half, a: u16, ftz: bool) -> u16 {
    unary(t, a, ftz, |a| a & 0x7fff)
}

#[inline]
fn unary(t: Half, a: u16, ftz: bool, f: impl Fn(u16) -> u16) -> u16 {
    let a = if ftz { t.format().flush(a.into()) as u16 } else { a };
    if t.format().is_nan(a.into()) { NAN } else { f(a) }
}

/// `min{.ftz}{.NaN}{.xorsign.abs}` (9.7.4.7).
#[inline]
pub fn min(t: Half, a: u16, b: u16, options: MinMax) -> u16 {
    min_max(t.format(), &[a.into(), b.into()], false, options) as u16
}

/// `max{.ftz}{.NaN}{.xorsign.abs}` (9.7.4.8).
#[inline]
pub fn max(t: Half, a: u16, b: u16, options: MinMax) -> u16 {
    min_max(t.format(), &[a.into(), b.into()], true, options) as u16
}

/// The comparison of `setp.op{.ftz}` and `set.op{.ftz}` (9.7.7).
#[inline]
pub fn compare(t: Half, op: Compare, a: u16, b: u16, ftz: bool) -> bool {
    let flush = |a: u16| if ftz { t.format().flush(a.into()) } else { a.into() };
    op.decide(order(t.format(), flush(a), flush(b)))
}

/// `tanh.approx` (9.7.4.9): largest relative error of the hardware 2^-10.987 (`f16`), 2^-8 (`bf16`). At
/// most 1 ulp from an H200.
#[inline]
pub fn tanh_approx(t: Half, a: u16) -> u16 {
    t.from_f64(t.to_f64(a).tanh())
}

/// `ex2.approx` (9.7.4.10; `bf16` is always `.ftz`): largest relative error of the hardware 2^-9.9 (`f16`), 2^-7
/// (`bf16`). At most 1 ulp from an H200.
#[inline]
pub fn ex2_approx(t: Half, a: u16, ftz: bool) -> u16 {
    let m = Modifiers { ftz, ..Modifiers::default() };
    t.output(t.input(a, m).exp2(), m)
}

/// Applies a function to both halves of a packed register.
#[inline]
pub fn packed1(a: u32, f: impl Fn(u16) -> u16) -> u32 {
    pack(f(a as u16), f((a >> 16) as u16))
}

/// Applies a function to both halves of two packed registers.
#[inline]
pub fn packed2(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    pack(f(a as u16, b as u16), f((a >> 16) as u16, (b >> 16) as u16))
}

/// Applies a function to both halves of three packed registers.
#[inline]
pub fn packed3(a: u32, b: u32, c: u32, f: impl Fn(u16, u16, u16) -> u16) -> u32 {
    pack(f(a as u16, b as u16, c as u16), f((a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16))
}

/// Two halves as one register, the first in the low bits.
#[inline]
pub const fn pack(low: u16, high: u16) -> u32 {
    low as u32 | (high as u32) << 16
}
