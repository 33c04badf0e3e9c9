//! `f32` and `f64` instructions (PTX ISA 9.7.3, comparisons 9.7.6), over bits.
//!
//! Fast paths: round-to-nearest uses the host's arithmetic; directed rounding of `f32` rounds a double that was itself
//! rounded to odd, which is exact for any direction (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums",
//! 2008). The rest goes through [`soft`].

use super::soft::{self, Control, F32, F64, Format};
use super::{Compare, MinMax, Rounding, TestP};
use std::cmp::Ordering;

/// The NaN that `f32` instructions return, `0x7fffffff` (9.7.3).
pub const NAN_F32: u32 = 0x7fff_ffff;
/// The NaN of an invalid `f64` operation.
pub const NAN_F64: u64 = F64.nan;

/// `a + b` rounded to odd: if inexact, the neighbour with an odd last bit. Both finite and far from overflow.
#[inline(always)]
pub fn sum_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    // Knuth's TwoSum: `error` is exactly a + b - sum.
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    let bits = sum.to_bits();
    // NaN errors (infinite sums) compare false on both sides.
    let inexact = (error > 0.0) | (error < 0.0);
    let outwards = (error > 0.0) == (sum > 0.0);
    let step = if outwards { 1 } else { u64::MAX };
    let adjust = inexact & (bits & 1 == 0);
    f64::from_bits(bits.wrapping_add(if adjust { step } else { 0 }))
}

/// `fma.rn.f32` without the host's fused instruction: exact product in double, sum rounded to odd, one rounding to single.
/// Branch-free, so that a loop over lanes vectorises. NaN results are canonical.
#[inline(always)]
pub fn fma_rn_f32(a: u32, b: u32, c: u32) -> u32 {
    let product = f64::from(f32::from_bits(a)) * f64::from(f32::from_bits(b));
    let result = sum_to_odd(product, f64::from(f32::from_bits(c))) as f32;
    if result.is_nan() { NAN_F32 } else { result.to_bits() }
}

/// Flushes a subnormal `f32` to zero of its sign.
#[inline(always)]
pub fn flush_f32(a: u32) -> u32 {
    if a & 0x7f80_0000 == 0 { a & 0x8000_0000 } else { a }
}

#[inline(always)]
fn flush_if(a: u32, ftz: bool) -> u32 {
    if ftz { flush_f32(a) } else { a }
}

/// `.sat` of an `f32`: clamped to [0, 1], NaN becomes +0.
#[inline(always)]
pub fn saturate_f32(a: u32) -> u32 {
    // As integers, everything above +infinity (negative numbers, NaNs) becomes 0.
    if a > 0x7f80_0000 { 0 } else { a.min(0x3f80_0000) }
}

/// `.ftz` of a result that may have been rounded up to the smallest normal number; `exact` is its exact value, or that
/// rounded to odd. The hardware rounds to 24 bits first, whatever the exponent, and flushes what is then below the smallest
/// normal number: on an H200 `0x00800000 * 0x3f7fffff` is zero, `0x00800001 * 0x3f7ffffe` is `0x00800000`.
#[inline(always)]
fn flush_tiny(result: u32, exact: f64, rounding: Rounding) -> u32 {
    const SMALLEST: f64 = f32::MIN_POSITIVE as f64;
    const ULP: f64 = f32::EPSILON as f64 / 2.0;
    let tiny = result & 0x7fff_ffff == 0x0080_0000
        && match rounding {
            Rounding::Nearest | Rounding::NearestAway => exact.abs() < SMALLEST * (1.0 - ULP / 2.0),
            Rounding::Zero | Rounding::Down | Rounding::Up => exact.abs() <= SMALLEST * (1.0 - ULP),
        };
    if tiny { result & 0x8000_0000 } else { result }
}

#[inline(always)]
fn finish_f32(result: u32, ftz: bool, sat: bool) -> u32 {
    let result = flush_if(result, ftz);
    if sat { saturate_f32(result) } else { result }
}

#[inline(always)]
fn canonical_f32(result: f32) -> u32 {
    if result.is_nan() { NAN_F32 } else { result.to_bits() }
}

/// Rounds a double to `f32`; right for any rounding if the double was rounded to odd.
#[inline]
fn round_to_f32(value: f64, rounding: Rounding) -> u32 {
    let nearest = value as f32;
    let rounded = f64::from(nearest);
    // The neighbour on the other side of the value, where the nearest lies on the wrong one. NaN compares false.
    let result = match rounding {
        Rounding::Nearest => nearest,
        Rounding::Down if rounded > value => nearest.next_down(),
        Rounding::Up if rounded < value => nearest.next_up(),
        Rounding::Zero if rounded.abs() > value.abs() => f32::from_bits(nearest.to_bits() - 1),
        Rounding::NearestAway if !value.is_nan() => {
            return soft::convert(&F64, &F32, value.to_bits(), Control { rounding, ftz: false }) as u32;
        }
        _ => nearest,
    };
    canonical_f32(result)
}

#[inline(always)]
fn double(a: u32) -> f64 {
    f64::from(f32::from_bits(a))
}

/// `add{.rnd}{.ftz}{.sat}.f32` (9.7.3.3).
#[inline]
pub fn add_f32(a: u32, b: u32, rounding: Rounding, ftz: bool, sat: bool) -> u32 {
    let (a, b) = (flush_if(a, ftz), flush_if(b, ftz));
    let result = if rounding == Rounding::Nearest {
        canonical_f32(f32::from_bits(a) + f32::from_bits(b))
    } else {
        soft::add(&F32, a.into(), b.into(), Control { rounding, ftz: false }) as u32
    };
    finish_f32(result, ftz, sat)
}

/// `sub{.rnd}{.ftz}{.sat}.f32` (9.7.3.4).
#[inline]
pub fn sub_f32(a: u32, b: u32, rounding: Rounding, ftz: bool, sat: bool) -> u32 {
    add_f32(a, b ^ 0x8000_0000, rounding, ftz, sat)
}

/// `mul{.rnd}{.ftz}{.sat}.f32` (9.7.3.5).
#[inline]
pub fn mul_f32(a: u32, b: u32, rounding: Rounding, ftz: bool, sat: bool) -> u32 {
    let (a, b) = (flush_if(a, ftz), flush_if(b, ftz));
    // A product of singles is exact in double.
    let exact = double(a) * double(b);
    let result = round_to_f32(exact, rounding);
    finish_f32(if ftz { flush_tiny(result, exact, rounding) } else { result }, ftz, sat)
}

/// `fma.rnd{.ftz}{.sat}.f32` and `mad.rnd.f32` (9.7.3.6, 9.7.3.7).
#[inline(always)]
pub fn fma_f32(a: u32, b: u32, c: u32, rounding: Rounding, ftz: bool, sat: bool) -> u32 {
    let (a, b, c) = (flush_if(a, ftz), flush_if(b, ftz), flush_if(c, ftz));
    // A product of singles is exact in double.
    let exact = || sum_to_odd(double(a) * double(b), double(c));
    let result = match rounding {
        Rounding::Nearest => fma_rn_f32(a, b, c),
        // Zero is exact. Zeros of one sign keep it; the sign of any other zero sum depends on the rounding.
        _ if exact() == 0.0 => {
            let signs = [a ^ b, c].map(|bits| bits & 0x8000_0000);
            let other = if rounding == Rounding::Down { 0x8000_0000 } else { 0 };
            if signs[0] == signs[1] { signs[0] } else { other }
        }
        _ => round_to_f32(exact(), rounding),
    };
    finish_f32(if ftz { flush_tiny(result, exact(), rounding) } else { result }, ftz, sat)
}

/// `div.rnd{.ftz}.f32` (9.7.3.8).
#[inline]
pub fn div_f32(a: u32, b: u32, rounding: Rounding, ftz: bool) -> u32 {
    let (a, b) = (flush_if(a, ftz), flush_if(b, ftz));
    let result = if rounding == Rounding::Nearest {
        canonical_f32(f32::from_bits(a) / f32::from_bits(b))
    } else {
        soft::div(&F32, a.into(), b.into(), Control { rounding, ftz: false }) as u32
    };
    flush_if(result, ftz)
}

/// `rcp.rnd{.ftz}.f32` (9.7.3.12).
#[inline]
pub fn rcp_f32(a: u32, rounding: Rounding, ftz: bool) -> u32 {
    div_f32(F32.one() as u32, a, rounding, ftz)
}

/// `sqrt.rnd{.ftz}.f32` (9.7.3.14).
#[inline]
pub fn sqrt_f32(a: u32, rounding: Rounding, ftz: bool) -> u32 {
    let a = flush_if(a, ftz);
    let result = if rounding == Rounding::Nearest {
        // The operand says whether a NaN comes out: LLVM drops a choice between `sqrt(x)` and another NaN where `x` is less than
        // 0, and then the host's NaN comes out (seen with LLVM 22 at opt-level 2, where the caller compares the result).
        if a > 0x7f80_0000 && a != 0x8000_0000 { NAN_F32 } else { f32::from_bits(a).sqrt().to_bits() }
    } else {
        soft::sqrt(&F32, a.into(), Control { rounding, ftz: false }) as u32
    };
    flush_if(result, ftz)
}

/// Host results carry x86 or ARM NaNs; operands decide which NaN an `f64` instruction returns.
#[inline]
fn canonical_f64(result: f64, operands: &[u64]) -> u64 {
    if result.is_nan() { F64.nan_of(operands) } else { result.to_bits() }
}

/// `add{.rnd}.f64` (9.7.3.3).
#[inline]
pub fn add_f64(a: u64, b: u64, rounding: Rounding) -> u64 {
    if rounding == Rounding::Nearest {
        return canonical_f64(f64::from_bits(a) + f64::from_bits(b), &[b, a]);
    }
    soft::add(&F64, a, b, Control { rounding, ftz: false })
}

/// `sub{.rnd}.f64` (9.7.3.4).
#[inline]
pub fn sub_f64(a: u64, b: u64, rounding: Rounding) -> u64 {
    // A NaN keeps its sign.
    let b = if F64.is_nan(b) { b } else { b ^ F64.sign() };
    add_f64(a, b, rounding)
}

/// `mul{.rnd}.f64` (9.7.3.5).
#[inline]
pub fn mul_f64(a: u64, b: u64, rounding: Rounding) -> u64 {
    if rounding == Rounding::Nearest {
        return canonical_f64(f64::from_bits(a) * f64::from_bits(b), &[b, a]);
    }
    soft::mul(&F64, a, b, Control { rounding, ftz: false })
}

/// `fma.rnd.f64` and `mad.rnd.f64` (9.7.3.6, 9.7.3.7).
#[inline]
pub fn fma_f64(a: u64, b: u64, c: u64, rounding: Rounding) -> u64 {
    if rounding == Rounding::Nearest {
        return canonical_f64(f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)), &[b, c, a]);
    }
    soft::fma(&F64, a, b, c, Control { rounding, ftz: false })
}

/// `div.rnd.f64` (9.7.3.8).
#[inline]
pub fn div_f64(a: u64, b: u64, rounding: Rounding) -> u64 {
    if rounding == Rounding::Nearest {
        return canonical_f64(f64::from_bits(a) / f64::from_bits(b), &[a, b]);
    }
    soft::div(&F64, a, b, Control { rounding, ftz: false })
}

/// `rcp.rnd.f64` (9.7.3.12).
#[inline]
pub fn rcp_f64(a: u64, rounding: Rounding) -> u64 {
    div_f64(F64.one(), a, rounding)
}

/// `sqrt.rnd.f64` (9.7.3.14).
#[inline]
pub fn sqrt_f64(a: u64, rounding: Rounding) -> u64 {
    if rounding == Rounding::Nearest {
        // As for `f32`.
        let invalid = a > F64.infinity() && a != F64.sign();
        return if invalid { F64.nan_of(&[a]) } else { f64::from_bits(a).sqrt().to_bits() };
    }
    soft::sqrt(&F64, a, Control { rounding, ftz: false })
}

/// `neg{.ftz}.f32` (9.7.3.10). NaN becomes canonical: the hardware computes `-a + -0`.
#[inline]
pub fn neg_f32(a: u32, ftz: bool) -> u32 {
    let a = flush_if(a, ftz);
    if F32.is_nan(a.into()) { NAN_F32 } else { a ^ 0x8000_0000 }
}

/// `abs{.ftz}.f32` (9.7.3.9). NaN becomes canonical.
#[inline]
pub fn abs_f32(a: u32, ftz: bool) -> u32 {
    let a = flush_if(a, ftz);
    if F32.is_nan(a.into()) { NAN_F32 } else { a & 0x7fff_ffff }
}

/// `neg.f64` (9.7.3.10). The hardware computes `-a + -0`, which leaves a NaN's sign and payload and makes it quiet.
#[inline]
pub fn neg_f64(a: u64) -> u64 {
    if F64.is_nan(a) { F64.nan_of(&[a]) } else { a ^ F64.sign() }
}

/// `abs.f64` (9.7.3.9). The hardware computes `|a| + -0`, which leaves a NaN's sign and payload and makes it quiet.
#[inline]
pub fn abs_f64(a: u64) -> u64 {
    if F64.is_nan(a) { F64.nan_of(&[a]) } else { a & !F64.sign() }
}

/// `copysign.f32 d, a, b` (9.7.3.2): sign of `a`, magnitude of `b`.
#[inline]
pub fn copysign_f32(a: u32, b: u32) -> u32 {
    a & 0x8000_0000 | b & 0x7fff_ffff
}

/// `copysign.f64 d, a, b` (9.7.3.2): sign of `a`, magnitude of `b`.
#[inline]
pub fn copysign_f64(a: u64, b: u64) -> u64 {
    a & F64.sign() | b & !F64.sign()
}

/// `min`/`max` of any format (9.7.3.11, 9.7.4.7): a NaN operand is ignored unless `.NaN`; two NaNs give the canonical NaN;
/// -0 < +0.
pub(super) fn min_max(format: &Format, operands: &[u64], greater: bool, options: MinMax) -> u64 {
    let flush = |bits: u64| if options.ftz { format.flush(bits) } else { bits };
    let sign = operands.iter().fold(0, |sign, bits| sign ^ (bits & format.sign()));
    let mut best: Option<u64> = None;
    for &bits in operands {
        let bits = flush(bits);
        if format.is_nan(bits) {
            if options.nan {
                return quiet_nan(format);
            }
            continue;
        }
        let bits = if options.xorsign_abs { bits & !format.sign() } else { bits };
        best = Some(match best {
            Some(other) if (order_key(format, bits) > order_key(format, other)) != greater => other,
            _ => bits,
        });
    }
    match best {
        // `f64`: of two NaNs the second, quieted, as on an H200.
        None if format.payloads => operands.last().map_or(format.nan, |bits| format.nan_of(&[*bits])),
        None => quiet_nan(format),
        Some(bits) if options.xorsign_abs => bits | sign,
        Some(bits) => bits,
    }
}

/// The NaN of `min` and `max`: positive in every format.
fn quiet_nan(format: &Format) -> u64 {
    format.nan & !format.sign()
}

/// A signed integer that orders like the number, -0 below +0. Not for NaN.
fn order_key(format: &Format, bits: u64) -> i64 {
    let magnitude = (bits & (format.sign() - 1)) as i64;
    if bits & format.sign() != 0 { -magnitude - 1 } else { magnitude }
}

/// Is one of them NaN?
#[inline(always)]
fn unordered(a: u32, b: u32) -> bool {
    f32::from_bits(a).is_nan() | f32::from_bits(b).is_nan()
}

/// [`order_key`] of an `f32`.
#[inline(always)]
fn order_key_f32(bits: u32) -> i32 {
    bits as i32 ^ ((bits as i32 >> 31) as u32 >> 1) as i32
}

/// [`order_key`] of two `f64`, if neither is NaN.
#[inline(always)]
fn order_keys_f64(a: u64, b: u64) -> Option<(i64, i64)> {
    let key = |bits: u64| bits as i64 ^ ((bits as i64 >> 63) as u64 >> 1) as i64;
    (!(f64::from_bits(a).is_nan() | f64::from_bits(b).is_nan())).then(|| (key(a), key(b)))
}

/// `min{.ftz}{.NaN}{.xorsign.abs}.f32` (9.7.3.11).
#[inline]
pub fn min_f32(a: u32, b: u32, options: MinMax) -> u32 {
    if options == MinMax::default() && !unordered(a, b) {
        return if order_key_f32(b) < order_key_f32(a) { b } else { a };
    }
    min_max(&F32, &[a.into(), b.into()], false, options) as u32
}

/// `max{.ftz}{.NaN}{.xorsign.abs}.f32` (9.7.3.12).
#[inline]
pub fn max_f32(a: u32, b: u32, options: MinMax) -> u32 {
    if options == MinMax::default() && !unordered(a, b) {
        return if order_key_f32(b) > order_key_f32(a) { b } else { a };
    }
    min_max(&F32, &[a.into(), b.into()], true, options) as u32
}

/// Three-operand `min.f32` (sm_100 on).
#[inline]
pub fn min3_f32(a: u32, b: u32, c: u32, options: MinMax) -> u32 {
    min_max(&F32, &[a.into(), b.into(), c.into()], false, options) as u32
}

/// Three-operand `max.f32` (sm_100 on).
#[inline]
pub fn max3_f32(a: u32, b: u32, c: u32, options: MinMax) -> u32 {
    min_max(&F32, &[a.into(), b.into(), c.into()], true, options) as u32
}

/// `min.f64` (9.7.3.11).
#[inline]
pub fn min_f64(a: u64, b: u64) -> u64 {
    match order_keys_f64(a, b) {
        Some((left, right)) => {
            if right < left {
                b
            } else {
                a
            }
        }
        None => min_max(&F64, &[a, b], false, MinMax::default()),
    }
}

/// `max.f64` (9.7.3.12).
#[inline]
pub fn max_f64(a: u64, b: u64) -> u64 {
    match order_keys_f64(a, b) {
        Some((left, right)) => {
            if right > left {
                b
            } else {
                a
            }
        }
        None => min_max(&F64, &[a, b], true, MinMax::default()),
    }
}

/// `testp.op.f32` (9.7.3.1). Zeros count as normal.
pub fn testp_f32(a: u32, test: TestP) -> bool {
    testp(&F32, a.into(), test)
}

/// `testp.op.f64` (9.7.3.1).
pub fn testp_f64(a: u64, test: TestP) -> bool {
    testp(&F64, a, test)
}

fn testp(format: &Format, bits: u64, test: TestP) -> bool {
    let magnitude = bits & (format.sign() - 1);
    match test {
        TestP::Finite => magnitude <= format.max,
        TestP::Infinite => magnitude == format.infinity(),
        TestP::Number => magnitude <= format.infinity(),
        TestP::NotANumber => magnitude > format.infinity(),
        TestP::Normal => magnitude <= format.max && !format.is_subnormal(bits),
        TestP::Subnormal => format.is_subnormal(bits),
    }
}

/// The comparison of `setp.op{.ftz}.f32` and `set.op{.ftz}.dtype.f32` (9.7.6).
#[inline]
pub fn compare_f32(op: Compare, a: u32, b: u32, ftz: bool) -> bool {
    op.decide(f32::from_bits(flush_if(a, ftz)).partial_cmp(&f32::from_bits(flush_if(b, ftz))))
}

/// The comparison of `setp.op.f64` (9.7.6).
#[inline]
pub fn compare_f64(op: Compare, a: u64, b: u64) -> bool {
    op.decide(f64::from_bits(a).partial_cmp(&f64::from_bits(b)))
}

/// The order of two numbers of any format; `None` if one is NaN.
pub(super) fn order(format: &Format, a: u64, b: u64) -> Option<Ordering> {
    if format.is_nan(a) || format.is_nan(b) {
        return None;
    }
    if (a | b) & (format.sign() - 1) == 0 {
        return Some(Ordering::Equal);
    }
    Some(order_key(format, a).cmp(&order_key(format, b)))
}
