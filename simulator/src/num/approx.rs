//! Approximate instructions (PTX ISA 9.7.3): the correctly rounded result of a double-precision computation; of quotients the
//! dividend times the rounded reciprocal.
//!
//! The hardware's tables differ in the last bits; both lie within the manual's bound, which each function states, with the
//! largest difference from an H200.
//! Results on special values are the manual's and an H200's.
//!
#![doc = include_str!("../../differential/approximate.md")]

use super::Rounding;
use super::float::{NAN_F32, div_f32, flush_f32};
use super::soft::F64;

#[inline]
fn f32_function(a: u32, ftz: bool, f: impl Fn(f64) -> f64) -> u32 {
    let a = if ftz { flush_f32(a) } else { a };
    let result = f(f64::from(f32::from_bits(a))) as f32;
    let bits = if result.is_nan() { NAN_F32 } else { result.to_bits() };
    if ftz { flush_f32(bits) } else { bits }
}

/// `ex2.approx{.ftz}.f32` (9.7.3.20): relative error at most 2^-22. At most 2 ulp from an H200.
#[inline]
pub fn ex2_f32(a: u32, ftz: bool) -> u32 {
    f32_function(a, ftz, f64::exp2)
}

/// `lg2.approx{.ftz}.f32` (9.7.3.19): absolute error at most 2^-22.6 where the mantissa is near 1, relative 2^-22
/// elsewhere. From an H200 at most relative 2^-21.5 plus absolute 2^-22.
#[inline]
pub fn lg2_f32(a: u32, ftz: bool) -> u32 {
    f32_function(a, ftz, f64::log2)
}

/// What the hardware multiplies an angle by before `sin` and `cos`: 1 / (2 pi) in single precision.
const TURNS: f32 = f32::from_bits(0x3e22_f983);

/// The angle in radians as the hardware sees it: turns, rounded towards zero to single. Hence the absolute error grows with
/// the angle, as it does on the device.
#[inline]
fn angle(a: u32, ftz: bool) -> f64 {
    let turns = super::float::mul_f32(a, TURNS.to_bits(), Rounding::Zero, ftz, false);
    f64::from(f32::from_bits(turns)).rem_euclid(1.0) * std::f64::consts::TAU
}

/// `sin.approx{.ftz}.f32` (9.7.3.17): absolute error at most 2^-20.5 in [-2 pi, 2 pi]. The sign of zero is kept. At most
/// 2^-21.4 (absolute) from an H200, which gives zero for tiny angles such as 2^-23.
#[inline]
pub fn sin_f32(a: u32, ftz: bool) -> u32 {
    let a = if ftz { flush_f32(a) } else { a };
    if a & 0x7fff_ffff == 0 { a } else { f32_function(a, ftz, |_| angle(a, ftz).sin()) }
}

/// `cos.approx{.ftz}.f32` (9.7.3.18): absolute error at most 2^-20.5 in [-2 pi, 2 pi]. At most 2^-21.4 (absolute) from an
/// H200.
#[inline]
pub fn cos_f32(a: u32, ftz: bool) -> u32 {
    f32_function(a, ftz, |_| angle(a, ftz).cos())
}

/// `tanh.approx.f32` (9.7.3.22): relative error at most 2^-11. At most 134 ulp
/// from an H200.
#[inline]
pub fn tanh_f32(a: u32) -> u32 {
    f32_function(a, false, f64::tanh)
}

/// `rcp.approx{.ftz}.f32` (9.7.3.12): at most 1 ulp. At most 1 ulp from an H200.
#[inline]
pub fn rcp_f32(a: u32, ftz: bool) -> u32 {
    f32_function(a, ftz, |x| 1.0 / x)
}

/// `sqrt.approx{.ftz}.f32` (9.7.3.14): relative error at most 2^-23. At most 1 ulp from an H200.
#[inline]
pub fn sqrt_f32(a: u32, ftz: bool) -> u32 {
    f32_function(a, ftz, f64::sqrt)
}

/// `rsqrt.approx{.ftz}.f32` (9.7.3.15): relative error at most 2^-22.9. At most 2 ulp from an H200.
#[inline]
pub fn rsqrt_f32(a: u32, ftz: bool) -> u32 {
    f32_function(a, ftz, |x| 1.0 / x.sqrt())
}

/// `div.approx{.ftz}.f32` (9.7.3.8): at most 2 ulp for |b| in [2^-126, 2^126]. For larger finite |b|, zero of the
/// quotient's sign, or NaN if `a` is infinite. At most 2 ulp from an H200.
#[inline]
pub fn div_f32_approx(a: u32, b: u32, ftz: bool) -> u32 {
    let magnitude = b & 0x7fff_ffff;
    if (0x7e80_0001..0x7f80_0000).contains(&magnitude) {
        return match a & 0x7fff_ffff {
            0x7f80_0000.. => NAN_F32,
            _ => (a ^ b) & 0x8000_0000,
        };
    }
    div_f32_full(a, b, ftz)
}

/// `div.full{.ftz}.f32` (9.7.3.8): at most 2 ulp. At most 2 ulp from an H200. As there the dividend times the divisor's
/// reciprocal, of which 41 / 41 is not quite 1.
#[inline]
pub fn div_f32_full(a: u32, b: u32, ftz: bool) -> u32 {
    let [dividend, divisor] = [a, b].map(f32::from_bits);
    let reciprocal = 1.0 / divisor;
    let quotient = dividend * reciprocal;
    if dividend.is_normal() && reciprocal.is_normal() && quotient.is_normal() {
        return quotient.to_bits();
    }
    div_f32(a, b, Rounding::Nearest, ftz)
}

/// `rcp.approx.ftz.f64` (9.7.3.13): sign, exponent and 20 fraction bits of 1/a; the low word is zero. Subnormal inputs and
/// results are zeros. At most one unit of the last of these bits from an H200.
#[inline]
pub fn rcp_f64_ftz(a: u64) -> u64 {
    gross(a, |x| 1.0 / x)
}

/// `rsqrt.approx.ftz.f64` (9.7.3.16): as [`rcp_f64_ftz`].
#[inline]
pub fn rsqrt_f64_ftz(a: u64) -> u64 {
    gross(a, |x| 1.0 / x.sqrt())
}

/// Only the high word is read and written.
fn gross(a: u64, f: impl Fn(f64) -> f64) -> u64 {
    let a = F64.flush(a & !0xffff_ffff);
    let result = f(f64::from_bits(a));
    if result.is_nan() { NAN_F64_GROSS } else { F64.flush(result.to_bits()) & !0xffff_ffff }
}

/// NaN with a zero low word.
const NAN_F64_GROSS: u64 = 0x7fff_ffff_0000_0000;

/// `rsqrt.approx.f64` (9.7.3.15): within 2 ulp; subnormals are supported. At most 1 ulp from an H200; a NaN keeps its
/// payload.
#[inline]
pub fn rsqrt_f64(a: u64) -> u64 {
    let result = 1.0 / f64::from_bits(a).sqrt();
    if result.is_nan() { F64.nan_of(&[a]) } else { result.to_bits() }
}
