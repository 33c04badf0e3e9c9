//! Halves: conversions exhaustively, arithmetic against `soft` and the `half` crate.

use super::{Random, special};
use crate::num::half::*;
use crate::num::soft::{self, BF16, Control, F16};
use crate::num::{Compare, MinMax};

const RN: Control = Control { rounding: crate::num::Rounding::Nearest, ftz: false };

#[test]
fn every_f16_and_bf16_widens_exactly_and_returns() {
    for bits in 0..=u16::MAX {
        let wide = f16_to_f32(bits);
        let want = ::half::f16::from_bits(bits).to_f32();
        assert!(wide.to_bits() == want.to_bits() || wide.is_nan() && want.is_nan(), "{bits:#x}");
        if !wide.is_nan() {
            assert_eq!(Half::F16.from_f64(f64::from(wide)), bits);
        }
        let wide = Half::Bf16.to_f64(bits);
        let want = ::half::bf16::from_bits(bits).to_f64();
        assert!(wide == want || wide.is_nan() && want.is_nan(), "{bits:#x}");
        if !wide.is_nan() {
            assert_eq!(Half::Bf16.from_f64(wide), bits);
        }
    }
}

#[test]
fn rounding_to_half_agrees_with_the_half_crate() {
    let mut random = Random(7);
    for i in 0..400_000 {
        // All exponents of f16 and beyond, and ties.
        let exponent = if i % 4 == 0 { random.bits() % 255 } else { 95 + random.bits() % 50 };
        let fraction = random.bits() as u32 & if i % 3 == 0 { 0x7f_f000 } else { 0x7f_ffff };
        let value = f32::from_bits((random.bits() as u32 & 0x8000_0000) | (exponent as u32) << 23 | fraction);
        assert_eq!(Half::F16.from_f64(f64::from(value)), ::half::f16::from_f32(value).to_bits(), "{value:e}");
        assert_eq!(Half::Bf16.from_f64(f64::from(value)), ::half::bf16::from_f32(value).to_bits(), "{value:e}");
    }
}

#[test]
fn arithmetic_agrees_with_soft() {
    let mut random = Random(8);
    let m = Modifiers::default();
    for (t, format) in [(Half::F16, &F16), (Half::Bf16, &BF16)] {
        let mut operands: Vec<[u16; 3]> = Vec::new();
        let specials = special(format);
        for &a in &specials {
            for &b in &specials {
                operands.extend(specials.iter().map(|&c| [a as u16, b as u16, c as u16]));
            }
        }
        for _ in 0..200_000 {
            let [a, b] = [random.bits() as u16, random.bits() as u16];
            let product = soft::mul(format, a.into(), b.into(), RN) as u16;
            operands.push([a, b, random.bits() as u16]);
            operands.push([a, b, product ^ random.bits() as u16 & 0x87ff]);
        }
        for [a, b, c] in operands {
            let wide = [a, b, c].map(u64::from);
            let what = format!("{t:?} {a:#x} {b:#x} {c:#x}");
            assert_eq!(u64::from(add(t, a, b, m)), soft::add(format, wide[0], wide[1], RN), "add {what}");
            assert_eq!(u64::from(mul(t, a, b, m)), soft::mul(format, wide[0], wide[1], RN), "mul {what}");
            assert_eq!(u64::from(fma(t, a, b, c, m)), soft::fma(format, wide[0], wide[1], wide[2], RN), "fma {what}");
        }
    }
}

#[test]
fn modifiers() {
    let f16 = |x: f32| ::half::f16::from_f32(x).to_bits();
    let m = Modifiers::default();
    let t = Half::F16;
    assert_eq!(fma(t, f16(-2.), f16(3.), f16(1.), Modifiers { relu: true, ..m }), 0);
    assert_eq!(fma(t, NAN, f16(3.), f16(1.), Modifiers { relu: true, ..m }), NAN);
    assert_eq!(add(t, f16(2.), f16(3.), Modifiers { sat: true, ..m }), f16(1.));
    assert_eq!(mul(t, 0x0400, f16(0.5), Modifiers { ftz: true, ..m }), 0);
    assert_eq!(mul(t, 0x0400, f16(0.5), m), 0x0200);
    assert_eq!(sub(t, f16(1.), f16(1.), m), 0);
    assert_eq!(neg(t, 0x7e01, false), NAN);
    assert_eq!(abs(t, 0x8001, true), 0);
    assert_eq!(fma_oob(t, 0xffff, f16(1.), f16(2.), m), 0);
    assert_eq!(min(t, NAN, f16(2.), MinMax::default()), f16(2.));
    assert_eq!(max(t, f16(1.), NAN, MinMax { nan: true, ..MinMax::default() }), NAN);
    assert!(compare(t, Compare::Lt, f16(-1.), f16(0.5), false));
    assert!(compare(t, Compare::Eq, 0x8000, 0, false));
    assert!(!compare(t, Compare::Le, NAN, 0, false));
    assert_eq!(tanh_approx(t, f16(0.5)), f16(0.5f32.tanh()));
    assert_eq!(ex2_approx(t, f16(3.), false), f16(8.));
    let pair = pack(f16(1.), f16(2.));
    assert_eq!(packed2(pair, pair, |a, b| add(t, a, b, m)), pack(f16(2.), f16(4.)));
}
