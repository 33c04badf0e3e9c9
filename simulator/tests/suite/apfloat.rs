//! `num::soft`, the reference of all floating-point arithmetic here, against LLVM's: bit for bit, over every rounding, numbers of
//! all kinds and ones that lie close together. NaNs need only be NaNs: which one is PTX's affair.

use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};
use simulator::num::Rounding;
use simulator::num::soft::{self, BF16, Control, F16, F32, F64, Format};

const ROUNDINGS: [(Rounding, Round); 5] = [
    (Rounding::Nearest, Round::NearestTiesToEven),
    (Rounding::NearestAway, Round::NearestTiesToAway),
    (Rounding::Zero, Round::TowardZero),
    (Rounding::Down, Round::TowardNegative),
    (Rounding::Up, Round::TowardPositive),
];

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Bits of a number: any, one at an edge of the format, or one near `other`, so that sums cancel.
    fn number(&mut self, format: &Format, other: u64) -> u64 {
        let all = format.sign() << 1;
        let mask = all.wrapping_sub(1);
        let edges = [
            0,
            1,
            format.one(),
            format.infinity(),
            format.max,
            format.nan,
            1 << format.fraction,
            format.infinity() | 1,
        ];
        let drawn = self.next();
        match drawn % 8 {
            0 => edges[(drawn >> 8) as usize % edges.len()] | (format.sign() & drawn),
            1 => (other ^ (drawn >> 60)) & mask,
            2 => (other ^ format.sign() ^ (drawn >> 61)) & mask,
            // Exponents near that of 1: products and quotients that neither overflow nor vanish.
            3 | 4 => (drawn >> 8) & (format.sign() | ((1 << format.fraction) - 1)) | format.one(),
            _ => (drawn >> 3) & mask,
        }
    }
}

/// All operations on `COUNT` triples under every rounding.
fn arithmetic<F: Float>(format: &Format, seed: u64) {
    const COUNT: usize = 20_000;
    let mut random = Random(seed);
    let mut seen_subnormal = 0;
    for _ in 0..COUNT {
        let a = random.number(format, 0);
        let b = random.number(format, a);
        let c = random.number(format, soft::mul(format, a, b, Control::default()));
        let [x, y, z] = [a, b, c].map(|bits| F::from_bits(u128::from(bits)));
        for (rounding, round) in ROUNDINGS {
            let control = Control { rounding, ftz: false };
            let pairs = [
                ("add", soft::add(format, a, b, control), x.add_r(y, round).value),
                ("mul", soft::mul(format, a, b, control), x.mul_r(y, round).value),
                ("div", soft::div(format, a, b, control), x.div_r(y, round).value),
                ("fma", soft::fma(format, a, b, c, control), x.mul_add_r(y, z, round).value),
                ("rint", soft::round_integral(format, a, rounding), x.round_to_integral(round).value),
            ];
            for (what, got, wanted) in pairs {
                seen_subnormal += u32::from(format.is_subnormal(got));
                let same = if wanted.is_nan() { format.is_nan(got) } else { u128::from(got) == wanted.to_bits() };
                assert!(
                    same,
                    "{what} of {a:#x}, {b:#x}, {c:#x}, {rounding:?}: {got:#x}, and {:#x} is right",
                    wanted.to_bits()
                );
            }
        }
    }
    assert!(seen_subnormal > 1000, "{seen_subnormal}");
}

/// Conversions of a type to another.
fn converted<From: FloatConvert<To>, To: Float>(from: &Format, to: &Format, seed: u64) {
    let mut random = Random(seed);
    for _ in 0..20_000 {
        let bits = random.number(from, 0);
        for (rounding, round) in ROUNDINGS {
            let got = soft::convert(from, to, bits, Control { rounding, ftz: false });
            let wanted: To = From::from_bits(u128::from(bits)).convert_r(round, &mut false).value;
            let same = if wanted.is_nan() { to.is_nan(got) } else { u128::from(got) == wanted.to_bits() };
            assert!(same, "{bits:#x}, {rounding:?}: {got:#x}, and {:#x} is right", wanted.to_bits());
        }
    }
}

#[test]
fn half_precision() {
    arithmetic::<Half>(&F16, 1);
}

#[test]
fn bfloat() {
    arithmetic::<BFloat>(&BF16, 2);
}

#[test]
fn single_precision() {
    arithmetic::<Single>(&F32, 3);
}

#[test]
fn double_precision() {
    arithmetic::<Double>(&F64, 4);
}

#[test]
fn conversions() {
    converted::<Double, Single>(&F64, &F32, 5);
    converted::<Double, Half>(&F64, &F16, 6);
    converted::<Single, Half>(&F32, &F16, 7);
    converted::<Single, BFloat>(&F32, &BF16, 8);
    converted::<Half, Single>(&F16, &F32, 9);
    converted::<BFloat, Double>(&BF16, &F64, 10);
}
