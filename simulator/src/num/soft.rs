//! Exact binary floating point for any format up to `f64`: unpack, compute exactly (with a sticky bit), round once.
//!
//! The reference for every other path, and the path of directed roundings of `f64`, divisions and square roots.

use super::Rounding;

/// A binary interchange format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// Width of the exponent field.
    pub exponent: u32,
    /// Width of the fraction field.
    pub fraction: u32,
    /// Bits of the largest finite number.
    pub max: u64,
    /// Bits of the NaN that an operation generates.
    pub nan: u64,
    /// Whether the format has infinities; `e4m3` has none.
    pub infinite: bool,
    /// Whether an operation on NaN returns a NaN operand, quieted, in place of `nan`. The manual (9.7.3) promises NaN
    /// payloads for `f64` only.
    pub payloads: bool,
}

/// `.f32`. The generated NaN is the canonical `0x7fffffff` (9.7.3).
pub const F32: Format =
    Format { exponent: 8, fraction: 23, max: 0x7f7f_ffff, nan: 0x7fff_ffff, infinite: true, payloads: false };
/// `.f64`. The NaN of an invalid operation is `0xfff8000000000000`, as CUDA's `CUDART_NAN`.
pub const F64: Format = Format {
    exponent: 11,
    fraction: 52,
    max: 0x7fef_ffff_ffff_ffff,
    nan: 0xfff8_0000_0000_0000,
    infinite: true,
    payloads: true,
};
/// `.f16`. Canonical NaN `0x7fff` (9.7.4).
pub const F16: Format = Format { exponent: 5, fraction: 10, max: 0x7bff, nan: 0x7fff, infinite: true, payloads: false };
/// `.bf16`. Canonical NaN `0x7fff` (9.7.4).
pub const BF16: Format = Format { exponent: 8, fraction: 7, max: 0x7f7f, nan: 0x7fff, infinite: true, payloads: false };
/// `.e4m3` (5.2.3): no infinities, NaN is `0x7f`.
pub const E4M3: Format = Format { exponent: 4, fraction: 3, max: 0x7e, nan: 0x7f, infinite: false, payloads: false };
/// `.e5m2` (5.2.3). The canonical NaN is `0x7f` (9.7.9.21).
pub const E5M2: Format = Format { exponent: 5, fraction: 2, max: 0x7b, nan: 0x7f, infinite: true, payloads: false };
/// `.tf32` (5.2.3), without the 13 low bits that its 32-bit container adds.
pub const TF32: Format =
    Format { exponent: 8, fraction: 10, max: 0x3fbff, nan: 0x3ffff, infinite: true, payloads: false };

/// A finite value `(-1)^negative * significand * 2^exponent`. Bit 0 of `significand` may be sticky.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finite {
    /// Sign.
    pub negative: bool,
    /// Power of two of the significand's bit 0.
    pub exponent: i32,
    /// Magnitude; 0 is a signed zero.
    pub significand: u128,
}

/// What the bits of a number mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// NaN.
    Nan,
    /// Infinity; true is negative.
    Infinite(bool),
    /// Everything else.
    Finite(Finite),
}

/// How a result is rounded and flushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Control {
    /// Rounding direction.
    pub rounding: Rounding,
    /// `.ftz`: subnormal inputs and results become zeros of the same sign.
    pub ftz: bool,
}

impl Format {
    /// The sign bit.
    #[inline]
    pub const fn sign(&self) -> u64 {
        1 << (self.exponent + self.fraction)
    }

    /// Bits of +infinity (in `e4m3`, of the largest binade's start).
    #[inline]
    pub const fn infinity(&self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    /// Exponent of the lowest bit of a subnormal.
    #[inline]
    pub const fn quantum(&self) -> i32 {
        2 - (1 << (self.exponent - 1)) - self.fraction as i32
    }

    /// Bits of 1.
    #[inline]
    pub const fn one(&self) -> u64 {
        ((1 << (self.exponent - 1)) - 1) << self.fraction
    }

    /// Whether the bits are a NaN.
    #[inline]
    pub const fn is_nan(&self, bits: u64) -> bool {
        let magnitude = bits & (self.sign() - 1);
        if self.infinite { magnitude > self.infinity() } else { magnitude == self.nan }
    }

    /// Whether the bits are a subnormal, not zero.
    #[inline]
    pub const fn is_subnormal(&self, bits: u64) -> bool {
        let magnitude = bits & (self.sign() - 1);
        magnitude != 0 && magnitude < 1 << self.fraction
    }

    /// The bits with a subnormal replaced by zero of its sign.
    #[inline]
    pub const fn flush(&self, bits: u64) -> u64 {
        if self.is_subnormal(bits) { bits & self.sign() } else { bits }
    }

    /// Reads bits.
    pub fn unpack(&self, bits: u64) -> Number {
        let negative = bits & self.sign() != 0;
        let magnitude = bits & (self.sign() - 1);
        if self.is_nan(bits) {
            return Number::Nan;
        }
        if self.infinite && magnitude == self.infinity() {
            return Number::Infinite(negative);
        }
        let field = (magnitude >> self.fraction) as i32;
        let fraction = u128::from(magnitude & ((1 << self.fraction) - 1));
        let significand = if field == 0 { fraction } else { fraction | 1 << self.fraction };
        Number::Finite(Finite { negative, exponent: self.quantum() + (field - 1).max(0), significand })
    }

    /// Rounds an exact (or sticky) value into the format.
    ///
    /// `.ftz` looks at the rounded result: a value that rounds up to the smallest normal is kept. (Hardware flushes some
    /// of these: see `float::mul_f32`.)
    pub fn pack(&self, value: Finite, control: Control) -> u64 {
        let sign = if value.negative { self.sign() } else { 0 };
        if value.significand == 0 {
            return sign;
        }
        let length = 128 - value.significand.leading_zeros() as i32;
        let quantum = (value.exponent + length - 1 - self.fraction as i32).max(self.quantum());
        let overflow = if !self.infinite {
            self.max
        } else {
            match control.rounding {
                Rounding::Nearest | Rounding::NearestAway => self.infinity(),
                Rounding::Zero => self.max,
                Rounding::Down => [self.max, self.infinity()][value.negative as usize],
                Rounding::Up => [self.infinity(), self.max][value.negative as usize],
            }
        };
        if quantum - self.quantum() >= 1 << self.exponent {
            return sign | overflow;
        }
        let rounded = round_shift(value.significand, quantum - value.exponent, value.negative, control.rounding) as u64;
        // The hidden bit adds one to the exponent field; a carry out of the fraction does so too.
        let bits = (((quantum - self.quantum()) as u64) << self.fraction) + rounded;
        if bits > self.max {
            return sign | overflow;
        }
        if control.ftz { self.flush(sign | bits) } else { sign | bits }
    }

    /// The NaN that results from operands of which at least one may be NaN: the first one, quieted. The order of
    /// preference is the caller's: an H200 prefers `b` to `a`, and in `fma` `b` to `c` to `a`; division prefers `a`.
    pub fn nan_of(&self, operands: &[u64]) -> u64 {
        match operands.iter().find(|bits| self.payloads && self.is_nan(**bits)) {
            Some(bits) => bits | 1 << (self.fraction - 1),
            None => self.nan,
        }
    }

    /// `.sat`: clamps to [0, 1]; NaN becomes +0.
    pub fn saturate(&self, bits: u64) -> u64 {
        if self.is_nan(bits) || bits & self.sign() != 0 { 0 } else { bits.min(self.one()) }
    }

    /// `.satfinite`: infinities become the largest finite numbers, NaN the canonical NaN.
    pub fn finite(&self, bits: u64) -> u64 {
        let sign = bits & self.sign();
        if self.is_nan(bits) { self.nan } else { (bits & !self.sign()).min(self.max) | sign }
    }

    /// `.relu`: negative values become +0; NaN becomes the canonical NaN.
    pub fn relu(&self, bits: u64) -> u64 {
        if self.is_nan(bits) {
            self.nan
        } else if bits & self.sign() != 0 {
            0
        } else {
            bits
        }
    }
}

/// `significand / 2^shift`, rounded to an integer; `shift` may be negative.
pub fn round_shift(significand: u128, shift: i32, negative: bool, rounding: Rounding) -> u128 {
    if shift <= 0 {
        return significand << -shift;
    }
    let (whole, rest, half) = if shift > 127 {
        // Below half a unit whatever the bits: significands stay under 2^127.
        (0, significand.min(1), 2)
    } else {
        (significand >> shift, significand & ((1 << shift) - 1), 1 << (shift - 1))
    };
    let up = match rounding {
        Rounding::Nearest => rest > half || rest == half && whole & 1 == 1,
        Rounding::NearestAway => rest >= half,
        Rounding::Zero => false,
        Rounding::Down => negative && rest != 0,
        Rounding::Up => !negative && rest != 0,
    };
    whole + u128::from(up)
}

/// Moves the top bit to bit 125.
fn normalise(value: Finite) -> Finite {
    let shift = value.significand.leading_zeros() as i32 - 2;
    Finite { significand: value.significand << shift, exponent: value.exponent - shift, ..value }
}

/// `x + y`, exact but for a sticky bit far below any format's precision.
fn add_finite(x: Finite, y: Finite, rounding: Rounding) -> Finite {
    if x.significand == 0 && y.significand == 0 {
        let negative = if x.negative == y.negative { x.negative } else { rounding == Rounding::Down };
        return Finite { negative, ..x };
    }
    if x.significand == 0 {
        return y;
    }
    if y.significand == 0 {
        return x;
    }
    let (x, y) = (normalise(x), normalise(y));
    let (big, small) = if (x.exponent, x.significand) >= (y.exponent, y.significand) { (x, y) } else { (y, x) };
    let distance = big.exponent - small.exponent;
    let aligned = if distance > 126 {
        1
    } else {
        let lost = small.significand & ((1 << distance) - 1) != 0;
        small.significand >> distance | u128::from(lost)
    };
    if big.negative == small.negative {
        Finite { significand: big.significand + aligned, ..big }
    } else if big.significand == aligned {
        Finite { negative: rounding == Rounding::Down, exponent: 0, significand: 0 }
    } else {
        Finite { significand: big.significand - aligned, ..big }
    }
}

/// `a + b` (9.7.3.3).
pub fn add(format: &Format, a: u64, b: u64, control: Control) -> u64 {
    let (a, b) = flush_inputs(format, a, b, control);
    match (format.unpack(a), format.unpack(b)) {
        (Number::Nan, _) | (_, Number::Nan) => format.nan_of(&[b, a]),
        (Number::Infinite(x), Number::Infinite(y)) if x != y => format.nan,
        (Number::Infinite(_), _) => a,
        (_, Number::Infinite(_)) => b,
        (Number::Finite(x), Number::Finite(y)) => format.pack(add_finite(x, y, control.rounding), control),
    }
}

/// `a * b` (9.7.3.5).
pub fn mul(format: &Format, a: u64, b: u64, control: Control) -> u64 {
    let (a, b) = flush_inputs(format, a, b, control);
    match multiply(format.unpack(a), format.unpack(b)) {
        Some(Number::Nan) => format.nan_of(&[b, a]),
        None => format.nan,
        Some(Number::Infinite(negative)) => signed(format, format.infinity(), negative),
        Some(Number::Finite(product)) => format.pack(product, control),
    }
}

/// The exact product; `None` for zero times infinity.
fn multiply(a: Number, b: Number) -> Option<Number> {
    Some(match (a, b) {
        (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
        (Number::Infinite(x), Number::Infinite(y)) => Number::Infinite(x != y),
        (Number::Infinite(x), Number::Finite(y)) | (Number::Finite(y), Number::Infinite(x)) => {
            if y.significand == 0 {
                return None;
            }
            Number::Infinite(x != y.negative)
        }
        (Number::Finite(x), Number::Finite(y)) => Number::Finite(Finite {
            negative: x.negative != y.negative,
            exponent: x.exponent + y.exponent,
            significand: x.significand * y.significand,
        }),
    })
}

/// `a * b + c` with one rounding (9.7.3.6).
pub fn fma(format: &Format, a: u64, b: u64, c: u64, control: Control) -> u64 {
    let (a, b) = flush_inputs(format, a, b, control);
    let c = if control.ftz { format.flush(c) } else { c };
    match (multiply(format.unpack(a), format.unpack(b)), format.unpack(c)) {
        (Some(Number::Nan), _) | (_, Number::Nan) => format.nan_of(&[b, c, a]),
        (None, _) => format.nan,
        (Some(Number::Infinite(x)), Number::Infinite(y)) if x != y => format.nan,
        (Some(Number::Infinite(x)), _) => signed(format, format.infinity(), x),
        (_, Number::Infinite(_)) => c,
        (Some(Number::Finite(x)), Number::Finite(y)) => format.pack(add_finite(x, y, control.rounding), control),
    }
}

/// `a / b` (9.7.3.8).
pub fn div(format: &Format, a: u64, b: u64, control: Control) -> u64 {
    let (a, b) = flush_inputs(format, a, b, control);
    let negative = (a ^ b) & format.sign() != 0;
    match (format.unpack(a), format.unpack(b)) {
        (Number::Nan, _) | (_, Number::Nan) => format.nan_of(&[a, b]),
        (Number::Infinite(_), Number::Infinite(_)) => format.nan,
        (Number::Infinite(_), _) => signed(format, format.infinity(), negative),
        (_, Number::Infinite(_)) => signed(format, 0, negative),
        (Number::Finite(x), Number::Finite(y)) => match (x.significand, y.significand) {
            (0, 0) => format.nan,
            (0, _) => signed(format, 0, negative),
            (_, 0) => signed(format, format.infinity(), negative),
            (_, _) => {
                // Dividend at the top, divisor at most 53 bits: the quotient has 72 bits or more, the rest is sticky.
                let x = normalise(x);
                let (quotient, rest) = (x.significand / y.significand, x.significand % y.significand);
                let significand = quotient << 1 | u128::from(rest != 0);
                format.pack(Finite { negative, exponent: x.exponent - y.exponent - 1, significand }, control)
            }
        },
    }
}

/// `sqrt(a)` (9.7.3.14).
pub fn sqrt(format: &Format, a: u64, control: Control) -> u64 {
    let a = if control.ftz { format.flush(a) } else { a };
    match format.unpack(a) {
        Number::Nan => format.nan_of(&[a]),
        Number::Infinite(false) => a,
        Number::Infinite(true) => format.nan,
        Number::Finite(x) if x.significand == 0 => a,
        Number::Finite(x) if x.negative => format.nan,
        Number::Finite(x) => {
            let mut x = normalise(x);
            if x.exponent & 1 != 0 {
                x.significand <<= 1;
                x.exponent -= 1;
            }
            let root = x.significand.isqrt();
            let significand = root << 1 | u128::from(root * root != x.significand);
            format.pack(Finite { negative: false, exponent: x.exponent / 2 - 1, significand }, control)
        }
    }
}

/// Converts between formats. NaN becomes the target's canonical NaN, but from or to a format with payloads it keeps its
/// sign and the payload's high bits, quieted.
pub fn convert(from: &Format, to: &Format, bits: u64, control: Control) -> u64 {
    match from.unpack(bits) {
        Number::Nan if to.payloads || from.payloads && to.infinite => {
            let fraction = bits & ((1 << from.fraction) - 1);
            let fraction = if to.fraction >= from.fraction {
                fraction << (to.fraction - from.fraction)
            } else {
                fraction >> (from.fraction - to.fraction)
            };
            signed(to, to.infinity() | fraction | 1 << (to.fraction - 1), bits & from.sign() != 0)
        }
        Number::Nan => to.nan,
        Number::Infinite(negative) if to.infinite => signed(to, to.infinity(), negative),
        Number::Infinite(negative) => signed(to, to.max, negative),
        Number::Finite(value) => to.pack(value, control),
    }
}

/// Rounds to an integral value of the same format (`cvt.rni.f32.f32` and the like). The sign of a zero result is kept.
pub fn round_integral(format: &Format, bits: u64, rounding: Rounding) -> u64 {
    match format.unpack(bits) {
        Number::Nan => format.nan_of(&[bits]),
        Number::Finite(x) if x.exponent < 0 => {
            let whole = round_shift(x.significand, -x.exponent, x.negative, rounding);
            format.pack(Finite { exponent: 0, significand: whole, ..x }, Control::default())
        }
        Number::Infinite(_) | Number::Finite(_) => bits,
    }
}

#[inline]
fn signed(format: &Format, magnitude: u64, negative: bool) -> u64 {
    if negative { magnitude | format.sign() } else { magnitude }
}

#[inline]
fn flush_inputs(format: &Format, a: u64, b: u64, control: Control) -> (u64, u64) {
    if control.ftz { (format.flush(a), format.flush(b)) } else { (a, b) }
}
