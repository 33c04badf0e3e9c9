//! Conversions: values worked out by hand from the manual's rules, and round trips.

use super::{Random, special};
use crate::num::Rounding;
use crate::num::cvt::*;
use crate::num::soft::{self, Control, F32, F64};

const S8: Int = Int { bits: 8, signed: true };
const U8: Int = Int { bits: 8, signed: false };
const S16: Int = Int { bits: 16, signed: true };
const S32: Int = Int { bits: 32, signed: true };
const U32: Int = Int { bits: 32, signed: false };
const S64: Int = Int { bits: 64, signed: true };
const U64: Int = Int { bits: 64, signed: false };

fn rounded(rounding: Rounding) -> Modifiers {
    Modifiers { rounding, ..Modifiers::default() }
}

#[test]
fn integers() {
    assert_eq!(int_to_int(0xff, S8, S32, false), 0xffff_ffff);
    assert_eq!(int_to_int(0xff, U8, S32, false), 0xff);
    assert_eq!(int_to_int(0x1_8000, S32, S16, false), 0x8000);
    assert_eq!(int_to_int(0x1_8000, S32, S16, true), 0x7fff);
    assert_eq!(int_to_int(0xffff_ffff, S32, U8, true), 0);
    assert_eq!(int_to_int(0xffff_ffff, U32, U8, true), 0xff);
    assert_eq!(int_to_int(u64::MAX, U64, S64, true), i64::MAX as u64);
    assert_eq!(int_to_int(0x8000_0000, S32, U64, false), 0xffff_ffff_8000_0000);
}

#[test]
fn integers_to_floats() {
    let bits = |value: u64, from, to, rounding| int_to_float(value, from, to, rounded(rounding));
    assert_eq!(bits(0x0100_0001, U32, Float::F32, Rounding::Nearest), u64::from(16_777_216f32.to_bits()));
    assert_eq!(bits(0x0100_0001, U32, Float::F32, Rounding::Up), u64::from(16_777_218f32.to_bits()));
    assert_eq!(bits(0xfeff_ffff, S32, Float::F32, Rounding::Zero), u64::from((-16_777_216f32).to_bits()));
    assert_eq!(bits(0xfeff_ffff, S32, Float::F32, Rounding::Down), u64::from((-16_777_218f32).to_bits()));
    assert_eq!(bits(u64::MAX, U64, Float::F64, Rounding::Zero), 0x43ef_ffff_ffff_ffff);
    assert_eq!(bits(u64::MAX, U64, Float::F64, Rounding::Nearest), 0x43f0_0000_0000_0000);
    assert_eq!(bits(u64::MAX, S64, Float::F64, Rounding::Nearest), (-1f64).to_bits());
    assert_eq!(bits(70_000, U32, Float::F16, Rounding::Nearest), 0x7c00);
    assert_eq!(bits(70_000, U32, Float::F16, Rounding::Zero), 0x7bff);
    assert_eq!(bits(0xff, S8, Float::F16, Rounding::Nearest), 0xbc00);
    let mut random = Random(9);
    for _ in 0..10_000 {
        let value = random.bits();
        for from in [S64, U64] {
            let exact = from.value(value);
            let down = f64::from_bits(bits(value, from, Float::F64, Rounding::Down)) as i128;
            let up = f64::from_bits(bits(value, from, Float::F64, Rounding::Up)) as i128;
            assert!(down <= exact && exact <= up && up - down <= 2048);
        }
    }
}

#[test]
fn floats_to_integers_clamp() {
    let f = |value: f32, to, rounding| float_to_int(value.to_bits().into(), Float::F32, to, rounding, false);
    let d = |value: f64, to| float_to_int(value.to_bits(), Float::F64, to, Rounding::Zero, false);
    assert_eq!(f(2.5, S32, Rounding::Nearest), 2);
    assert_eq!(f(3.5, S32, Rounding::Nearest), 4);
    assert_eq!(f(-2.5, S32, Rounding::Down) as u32 as i32, -3);
    assert_eq!(f(-2.5, S32, Rounding::Up) as u32 as i32, -2);
    assert_eq!(f(-2.5, S32, Rounding::Zero) as u32 as i32, -2);
    assert_eq!(f(3e9, S32, Rounding::Zero), 0x7fff_ffff);
    assert_eq!(f(-3e9, S32, Rounding::Zero), 0x8000_0000);
    assert_eq!(f(-1., U32, Rounding::Zero), 0);
    assert_eq!(f(1e10, U32, Rounding::Zero), 0xffff_ffff);
    assert_eq!(f(300., U8, Rounding::Zero), 255);
    assert_eq!(f(-300., S8, Rounding::Zero), 0x80);
    assert_eq!(f(f32::INFINITY, S64, Rounding::Zero), i64::MAX as u64);
    assert_eq!(f(f32::NAN, S32, Rounding::Zero), 0);
    assert_eq!(f(f32::NAN, U64, Rounding::Zero), 0x8000_0000_0000_0000);
    assert_eq!(d(f64::NAN, S32), 0x8000_0000);
    assert_eq!(d(f64::NAN, U32), 0x8000_0000);
    assert_eq!(d(1e300, U64), u64::MAX);
    assert_eq!(d(-0.75, S64), 0);
    assert_eq!(float_to_int(1, Float::F32, S32, Rounding::Up, false), 1);
    assert_eq!(float_to_int(1, Float::F32, S32, Rounding::Up, true), 0);
    assert_eq!(float_to_int(0x4500, Float::F16, S16, Rounding::Nearest, false), 5);
}

#[test]
fn floats_to_floats() {
    let to_f32 = |value: f64, m| f32::from_bits(float_to_float(value.to_bits(), Float::F64, Float::F32, m) as u32);
    let third = 1.0 / 3.0;
    assert_eq!(to_f32(third, rounded(Rounding::Nearest)), third as f32);
    let (down, up) = (to_f32(third, rounded(Rounding::Down)), to_f32(third, rounded(Rounding::Up)));
    assert!(f64::from(down) < third && third < f64::from(up) && up.to_bits() - down.to_bits() == 1);
    assert_eq!(to_f32(-third, rounded(Rounding::Zero)), -down);
    assert_eq!(to_f32(1e300, rounded(Rounding::Zero)), f32::MAX);
    assert_eq!(to_f32(-1e-44, Modifiers { ftz: true, ..Modifiers::default() }).to_bits(), 0x8000_0000);
    assert_eq!(to_f32(7.0, Modifiers { sat: true, ..Modifiers::default() }), 1.0);
    assert_eq!(float_to_float(0x7c01, Float::F16, Float::F32, Modifiers::default()), 0x7fff_ffff);
    let relu = Modifiers { relu: true, ..Modifiers::default() };
    assert_eq!(f32x2_to_half2((-1f32).to_bits(), 2f32.to_bits(), Float::F16, relu), 0x0000_4000);
    let plain = Modifiers::default();
    assert_eq!(f32x2_to_half2(1f32.to_bits(), 2f32.to_bits(), Float::Bf16, plain), 0x3f80_4000);
    let integral = |value: f32, rounding| {
        f32::from_bits(float_to_integral(value.to_bits().into(), Float::F32, rounded(rounding)) as u32)
    };
    for value in [-3.5f32, -2.5, -0.25, 0.0, 0.5, 1.5, 2.5, 8_388_607.5, 1e30, f32::INFINITY] {
        assert_eq!(integral(value, Rounding::Nearest).to_bits(), value.round_ties_even().to_bits());
        assert_eq!(integral(value, Rounding::Down).to_bits(), value.floor().to_bits());
        assert_eq!(integral(value, Rounding::Up).to_bits(), value.ceil().to_bits());
        assert_eq!(integral(value, Rounding::Zero).to_bits(), value.trunc().to_bits());
    }
}

#[test]
fn eight_bit_floats() {
    let fp8 = |value: f32, to| float_to_fp8(value.to_bits().into(), Float::F32, to, false);
    assert_eq!(fp8(1.0, Fp8::E4m3), 0x38);
    assert_eq!(fp8(448.0, Fp8::E4m3), 0x7e);
    assert_eq!(fp8(1e9, Fp8::E4m3), 0x7e);
    assert_eq!(fp8(f32::NEG_INFINITY, Fp8::E4m3), 0xfe);
    assert_eq!(fp8(f32::NAN, Fp8::E4m3), 0x7f);
    assert_eq!(fp8(0.001_953_125, Fp8::E4m3), 0x01);
    assert_eq!(fp8(1.0, Fp8::E5m2), 0x3c);
    assert_eq!(fp8(57344.0, Fp8::E5m2), 0x7b);
    assert_eq!(fp8(f32::INFINITY, Fp8::E5m2), 0x7b);
    assert_eq!(f32x2_to_fp8x2(1f32.to_bits(), 2f32.to_bits(), Fp8::E4m3, false), 0x3840);
    for byte in 0..=255u16 {
        for from in [Fp8::E4m3, Fp8::E5m2] {
            let wide = fp8x2_to_f16x2(byte, from, false);
            let finite = match from {
                Fp8::E4m3 => byte & 0x7f != 0x7f,
                Fp8::E5m2 => byte & 0x7f < 0x7c,
            };
            if finite {
                assert_eq!(f16x2_to_fp8x2(wide, from, false), byte, "{from:?} {byte:#x}");
            }
        }
    }
}

#[test]
fn tf32() {
    let away = rounded(Rounding::NearestAway);
    assert_eq!(f32_to_tf32(0x3f80_1000, away), 0x3f80_2000);
    assert_eq!(f32_to_tf32(0x3f80_1000, rounded(Rounding::Nearest)), 0x3f80_0000);
    assert_eq!(f32_to_tf32(0x3f80_0fff, away), 0x3f80_0000);
    assert_eq!(f32_to_tf32(0xffff_ffff, away), 0xffff_e000);
    assert_eq!(f32_to_tf32(0x7f80_0001, away), 0x7f80_0000);
    assert_eq!(f32_to_tf32(0xffc0_0000, rounded(Rounding::Zero)), 0x7fff_e000);
    assert_eq!(f32_to_tf32(0xff80_0000, away), 0xff80_0000);
    assert_eq!(f32_to_tf32(0x7f7f_ffff, away), 0x7f80_0000);
}

/// Conversions between the host's own types give the bits of the long way.
#[test]
fn short_ways_give_what_soft_gives() {
    let mut random = Random(7);
    let special = special(&F32).into_iter().chain(special(&F64));
    for bits in special.chain((0..20_000).map(|_| random.bits())) {
        for rounding in [Rounding::Nearest, Rounding::Zero, Rounding::Down, Rounding::Up] {
            let m = rounded(rounding);
            let control = Control { rounding, ftz: false };
            let single = bits & 0xffff_ffff;
            let wide = soft::convert(&F32, &F64, single, control);
            assert_eq!(float_to_float(single, Float::F32, Float::F64, m), wide, "{single:#x}");
            let narrow = soft::convert(&F64, &F32, bits, control);
            assert_eq!(float_to_float(bits, Float::F64, Float::F32, m), narrow, "{bits:#x} {rounding:?}");
            let whole = soft::round_integral(&F32, single, rounding);
            assert_eq!(float_to_integral(single, Float::F32, m), whole, "{single:#x} {rounding:?}");
            let whole = soft::round_integral(&F64, bits, rounding);
            assert_eq!(float_to_integral(bits, Float::F64, m), whole, "{bits:#x} {rounding:?}");
        }
    }
}
