//! `cvt` (PTX ISA 9.7.9.21): conversions between every pair of types, over bits in a `u64`.

use super::Rounding;
use super::half::pack;
use super::soft::{self, BF16, Control, E4M3, E5M2, F16, F32, F64, Finite, Format, TF32};

/// Integer types of `cvt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Int {
    /// Width: 8, 16, 32 or 64.
    pub bits: u32,
    /// `.s` or `.u`.
    pub signed: bool,
}

/// Floating-point types of `cvt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Float {
    /// `.f16`
    F16,
    /// `.bf16`
    Bf16,
    /// `.f32`
    F32,
    /// `.f64`
    F64,
}

/// 8-bit floating-point types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fp8 {
    /// `.e4m3`
    E4m3,
    /// `.e5m2`
    E5m2,
}

/// Modifiers of a conversion to a float.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Modifiers {
    /// `.rn`, `.rna`, `.rz`, `.rm`, `.rp`; for [`float_to_integral`] `.rni` and so on.
    pub rounding: Rounding,
    /// `.ftz`: `f32` subnormals, in or out, become zeros.
    pub ftz: bool,
    /// `.sat`: clamped to [0, 1], NaN becomes +0.
    pub sat: bool,
    /// `.relu`: negative values become +0, NaN the canonical NaN.
    pub relu: bool,
    /// `.satfinite`: what is larger than the largest finite number becomes that, NaN the canonical NaN.
    pub satfinite: bool,
}

impl Int {
    /// The value of the low bits.
    #[inline]
    pub fn value(self, bits: u64) -> i128 {
        let unused = 64 - self.bits;
        if self.signed { i128::from((bits << unused) as i64 >> unused) } else { i128::from(bits << unused >> unused) }
    }

    /// Smallest and largest value.
    #[inline]
    pub fn range(self) -> (i128, i128) {
        if self.signed { (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1) } else { (0, (1 << self.bits) - 1) }
    }

    #[inline]
    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }
}

impl Float {
    /// The format's description.
    #[inline]
    pub const fn format(self) -> &'static Format {
        match self {
            Float::F16 => &F16,
            Float::Bf16 => &BF16,
            Float::F32 => &F32,
            Float::F64 => &F64,
        }
    }

    #[inline]
    fn flush(self, bits: u64, ftz: bool) -> u64 {
        if ftz && self == Float::F32 { F32.flush(bits) } else { bits }
    }

    /// The exact value as a double.
    #[inline]
    fn to_f64(self, bits: u64) -> f64 {
        match self {
            Float::F16 => f64::from(super::half::f16_to_f32(bits as u16)),
            Float::Bf16 => f64::from(f32::from_bits((bits as u32) << 16)),
            Float::F32 => f64::from(f32::from_bits(bits as u32)),
            Float::F64 => f64::from_bits(bits),
        }
    }
}

/// Integer to integer. The result is the target's bits, zero-extended; a wider register takes them sign-extended if the
/// target is signed. Without `.sat` the value is truncated or extended.
#[inline]
pub fn int_to_int(bits: u64, from: Int, to: Int, sat: bool) -> u64 {
    let value = from.value(bits);
    let value = if sat { value.clamp(to.range().0, to.range().1) } else { value };
    value as u64 & to.mask()
}

/// Integer to float.
#[inline]
pub fn int_to_float(bits: u64, from: Int, to: Float, m: Modifiers) -> u64 {
    let value = from.value(bits);
    let result = match (to, m.rounding) {
        (Float::F32, Rounding::Nearest) if from.signed => u64::from((value as i64 as f32).to_bits()),
        (Float::F32, Rounding::Nearest) => u64::from((value as u64 as f32).to_bits()),
        (Float::F64, Rounding::Nearest) if from.signed => (value as i64 as f64).to_bits(),
        (Float::F64, Rounding::Nearest) => (value as u64 as f64).to_bits(),
        _ => {
            let exact = Finite { negative: value < 0, exponent: 0, significand: value.unsigned_abs() };
            to.format().pack(exact, Control { rounding: m.rounding, ftz: false })
        }
    };
    finish(result, to, m)
}

/// Float to integer (`.rni`, `.rzi`, `.rmi`, `.rpi`). Out-of-range values are clamped, with or without `.sat`. NaN becomes
/// 0 if the source is not `f64` and the target has at most 32 bits; otherwise the target's top bit alone.
#[inline]
pub fn float_to_int(bits: u64, from: Float, to: Int, rounding: Rounding, ftz: bool) -> u64 {
    let value = from.to_f64(from.flush(bits, ftz));
    if value.is_nan() {
        return if from == Float::F64 || to.bits == 64 { 1 << (to.bits - 1) } else { 0 };
    }
    let whole = round_f64(value, rounding);
    // The host's casts clamp.
    match (to.bits, to.signed) {
        (8, true) => u64::from(whole as i8 as u8),
        (8, false) => u64::from(whole as u8),
        (16, true) => u64::from(whole as i16 as u16),
        (16, false) => u64::from(whole as u16),
        (32, true) => u64::from(whole as i32 as u32),
        (32, false) => u64::from(whole as u32),
        (_, true) => whole as i64 as u64,
        (_, false) => whole as u64,
    }
}

#[inline]
fn round_f64(value: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::Nearest => value.round_ties_even(),
        Rounding::NearestAway => value.round(),
        Rounding::Zero => value.trunc(),
        Rounding::Down => value.floor(),
        Rounding::Up => value.ceil(),
    }
}

/// `cvt.f64.f32`: exact; a NaN keeps its sign and payload and is quiet.
#[inline(always)]
pub fn widen(bits: u32) -> u64 {
    let value = f32::from_bits(bits);
    let nan = u64::from(bits & 0x8000_0000) << 32 | 0x7ff8_0000_0000_0000 | u64::from(bits & 0x7f_ffff) << 29;
    if value.is_nan() { nan } else { f64::from(value).to_bits() }
}

/// `cvt.rn.f32.f64`: a NaN keeps its sign and the upper bits of its payload and is quiet.
#[inline(always)]
pub fn narrow(bits: u64) -> u32 {
    let value = f64::from_bits(bits);
    let nan = (bits >> 32) as u32 & 0x8000_0000 | 0x7fc0_0000 | (bits >> 29) as u32 & 0x7f_ffff;
    if value.is_nan() { nan } else { (value as f32).to_bits() }
}

/// Float to float of another type or, to clamp only, of the same one.
#[inline]
pub fn float_to_float(bits: u64, from: Float, to: Float, m: Modifiers) -> u64 {
    let bits = from.flush(bits, m.ftz);
    let result = match (from, to) {
        (from, to) if from == to => {
            if from.format().is_nan(bits) {
                from.format().nan_of(&[bits])
            } else {
                bits
            }
        }
        // NaN and every rounding but to nearest take the general way.
        (Float::F16, Float::F32) if bits & 0x7fff <= 0x7c00 => {
            u64::from(super::half::f16_to_f32(bits as u16).to_bits())
        }
        (Float::F32, Float::F64) => widen(bits as u32),
        (Float::F64, Float::F32) if m.rounding == Rounding::Nearest => narrow(bits).into(),
        (Float::F32, Float::F16) if m.rounding == Rounding::Nearest && !f32::from_bits(bits as u32).is_nan() => {
            super::half::Half::F16.from_f64(f64::from(f32::from_bits(bits as u32))).into()
        }
        // A NaN keeps its bits, signalling or not, as on an H200.
        (Float::Bf16, Float::F32) => bits << 16,
        _ => soft::convert(from.format(), to.format(), bits, Control { rounding: m.rounding, ftz: false }),
    };
    finish(result, to, m)
}

/// Float to an integral value of the same type (`cvt.rni.f32.f32` and so on).
#[inline]
pub fn float_to_integral(bits: u64, t: Float, m: Modifiers) -> u64 {
    let bits = t.flush(bits, m.ftz);
    let whole = match t {
        Float::F32 if !f32::from_bits(bits as u32).is_nan() => {
            u64::from((round_f64(f64::from(f32::from_bits(bits as u32)), m.rounding) as f32).to_bits())
        }
        Float::F64 if !f64::from_bits(bits).is_nan() => round_f64(f64::from_bits(bits), m.rounding).to_bits(),
        _ => soft::round_integral(t.format(), bits, m.rounding),
    };
    finish(whole, t, m)
}

#[inline]
fn finish(bits: u64, to: Float, m: Modifiers) -> u64 {
    let bits = to.flush(bits, m.ftz);
    let bits = if m.satfinite { to.format().finite(bits) } else { bits };
    if m.sat {
        to.format().saturate(bits)
    } else if m.relu {
        to.format().relu(bits)
    } else {
        bits
    }
}

/// `cvt.rnd{.relu}.f16x2.f32 d, a, b` and `bf16x2`: `a` goes to the upper half, `b` to the lower.
#[inline]
pub fn f32x2_to_half2(a: u32, b: u32, to: Float, m: Modifiers) -> u32 {
    let one = |x: u32| float_to_float(x.into(), Float::F32, to, m) as u16;
    pack(one(b), one(a))
}

/// `cvt.rn.satfinite{.relu}` to an 8-bit float: too large values and infinities become the largest finite number.
#[inline]
pub fn float_to_fp8(bits: u64, from: Float, to: Fp8, relu: bool) -> u8 {
    let format = match to {
        Fp8::E4m3 => &E4M3,
        Fp8::E5m2 => &E5M2,
    };
    let finite = format.finite(soft::convert(from.format(), format, bits, Control::default()));
    if format.is_nan(finite) {
        return format.nan as u8;
    }
    if relu { format.relu(finite) as u8 } else { finite as u8 }
}

/// `cvt.rn.satfinite.e4m3x2.f32 d, a, b` and `e5m2x2`: `a` goes to the upper byte, `b` to the lower.
#[inline]
pub fn f32x2_to_fp8x2(a: u32, b: u32, to: Fp8, relu: bool) -> u16 {
    let one = |x: u32| u16::from(float_to_fp8(x.into(), Float::F32, to, relu));
    one(b) | one(a) << 8
}

/// `cvt.rn.satfinite.e4m3x2.f16x2`: the upper half goes to the upper byte.
#[inline]
pub fn f16x2_to_fp8x2(a: u32, to: Fp8, relu: bool) -> u16 {
    let one = |x: u32| u16::from(float_to_fp8((x & 0xffff).into(), Float::F16, to, relu));
    one(a) | one(a >> 16) << 8
}

/// `cvt.rn{.relu}.f16x2.e4m3x2` and `.e5m2x2`: exact.
#[inline]
pub fn fp8x2_to_f16x2(a: u16, from: Fp8, relu: bool) -> u32 {
    let format = match from {
        Fp8::E4m3 => &E4M3,
        Fp8::E5m2 => &E5M2,
    };
    let one = |x: u16| {
        let bits = soft::convert(format, &F16, (x & 0xff).into(), Control::default());
        (if relu { F16.relu(bits) } else { bits }) as u16
    };
    pack(one(a), one(a >> 8))
}

/// `cvt.rna.tf32.f32`, also `.rn`, `.rz` with `.relu` (sm_90): a `tf32` in a 32-bit register, the 13 low bits zero. NaN
/// becomes `0x7fffe000`, but `.rna` only drops its low bits, which can leave an infinity: so an H200.
#[inline]
pub fn f32_to_tf32(a: u32, m: Modifiers) -> u32 {
    if F32.is_nan(a.into()) {
        return if m.rounding == Rounding::NearestAway { a & !0x1fff } else { (TF32.nan as u32) << 13 };
    }
    let bits = soft::convert(&F32, &TF32, a.into(), Control { rounding: m.rounding, ftz: false });
    let bits = if m.relu { TF32.relu(bits) } else { bits };
    (bits as u32) << 13
}
