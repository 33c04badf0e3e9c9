//! `soft` and the fast paths against the host's arithmetic, and directed roundings against exact integers.

use super::{Random, special};
use crate::num::float::{min_max, *};
use crate::num::soft::{self, Control, F16, F32, F64, Format, Number};
use crate::num::{Compare, MinMax, Rounding, TestP};

const RN: Control = Control { rounding: Rounding::Nearest, ftz: false };
const ALL: [Rounding; 5] = [Rounding::Nearest, Rounding::NearestAway, Rounding::Zero, Rounding::Down, Rounding::Up];

#[track_caller]
fn same32(got: u64, want: f32, what: &str) {
    let want = if want.is_nan() { NAN_F32 } else { want.to_bits() };
    assert_eq!(got, u64::from(want), "{what}: got {got:#x}, want {want:#x}");
}

#[track_caller]
fn same64(got: u64, want: f64, what: &str) {
    if want.is_nan() {
        assert!(f64::from_bits(got).is_nan(), "{what}: got {got:#x}, want a NaN");
    } else {
        assert_eq!(got, want.to_bits(), "{what}: got {got:#x}, want {:#x}", want.to_bits());
    }
}

fn operands32() -> Vec<[u32; 3]> {
    let specials = special(&F32);
    let mut out = Vec::new();
    for &a in &specials {
        for &b in &specials {
            for &c in specials.iter().step_by(3) {
                out.push([a as u32, b as u32, c as u32]);
            }
        }
    }
    let mut random = Random(1);
    for _ in 0..100_000 {
        let [a, b] = [random.bits() as u32, random.bits() as u32];
        out.push([a, b, random.bits() as u32]);
        let product = (f32::from_bits(a) * f32::from_bits(b)).to_bits();
        out.push([a, b, random.near(product)]);
        out.push([a, random.near(a), b]);
        // Few significant bits: exact results and ties.
        out.push([a & 0xfff0_0000, b & 0xffff_0000, random.near(product) & 0xffff_fff0]);
    }
    out
}

#[test]
fn f32_to_nearest_is_the_hosts() {
    for [a, b, c] in operands32() {
        let [x, y, z] = [a, b, c].map(f32::from_bits);
        let what = format!("{a:#x} {b:#x} {c:#x}");
        let [a, b, c] = [a, b, c].map(u64::from);
        same32(soft::add(&F32, a, b, RN), x + y, &what);
        same32(soft::mul(&F32, a, b, RN), x * y, &what);
        same32(soft::div(&F32, a, b, RN), x / y, &what);
        // Hidden, or LLVM sees that any NaN will do: see `sqrt_f32`.
        let root = std::hint::black_box(x.sqrt());
        same32(soft::sqrt(&F32, a, RN), root, &what);
        same32(sqrt_f32(a as u32, Rounding::Nearest, false).into(), root, &what);
        let fused = x.mul_add(y, z);
        same32(soft::fma(&F32, a, b, c, RN), fused, &what);
        same32(fma_rn_f32(a as u32, b as u32, c as u32).into(), fused, &what);
    }
}

#[test]
fn f64_to_nearest_is_the_hosts() {
    let mut random = Random(2);
    let mut operands = Vec::new();
    let specials = special(&F64);
    for &a in &specials {
        for &b in &specials {
            operands.extend(specials.iter().step_by(5).map(|&c| [a, b, c]));
        }
    }
    for _ in 0..100_000 {
        let [a, b] = [random.bits(), random.bits()];
        let product = (f64::from_bits(a) * f64::from_bits(b)).to_bits();
        operands.push([a, b, random.bits()]);
        operands.push([a, a ^ random.bits() & 0x803f_ffff_ffff_ffff, b]);
        operands.push([a, b, product ^ random.bits() & 0x803f_ffff_ffff_ffff]);
    }
    for [a, b, c] in operands {
        let [x, y, z] = [a, b, c].map(f64::from_bits);
        let what = format!("{a:#x} {b:#x} {c:#x}");
        same64(soft::add(&F64, a, b, RN), x + y, &what);
        same64(soft::mul(&F64, a, b, RN), x * y, &what);
        same64(soft::div(&F64, a, b, RN), x / y, &what);
        same64(soft::sqrt(&F64, a, RN), x.sqrt(), &what);
        same64(sqrt_f64(a, Rounding::Nearest), x.sqrt(), &what);
        same64(soft::fma(&F64, a, b, c, RN), x.mul_add(y, z), &what);
    }
}

/// An `f16` as a multiple of 2^-48.
fn f16_units(bits: u64) -> Option<i128> {
    match F16.unpack(bits) {
        Number::Finite(x) => {
            let magnitude = (x.significand << (x.exponent + 48)) as i128;
            Some(if x.negative { -magnitude } else { magnitude })
        }
        _ => None,
    }
}

/// Finds the rounding of `exact` (a multiple of 2^-48) among all finite `f16`, by search; overflow gives `None`.
fn round_by_search(table: &[(i128, u64)], exact: i128, rounding: Rounding) -> Option<i128> {
    let above = table.partition_point(|(value, _)| *value < exact);
    let up = table.get(above)?.0;
    if up == exact {
        return Some(up);
    }
    let down = table[above.checked_sub(1)?].0;
    Some(match rounding {
        Rounding::Down => down,
        Rounding::Up => up,
        Rounding::Zero => [down, up][(exact < 0) as usize],
        Rounding::Nearest | Rounding::NearestAway => match (exact - down).cmp(&(up - exact)) {
            std::cmp::Ordering::Less => down,
            std::cmp::Ordering::Greater => up,
            std::cmp::Ordering::Equal if rounding == Rounding::NearestAway => [down, up][(exact > 0) as usize],
            std::cmp::Ordering::Equal => [down, up][(table[above].1 & 1 == 0) as usize],
        },
    })
}

#[test]
#[ignore = "long"]
fn every_rounding_agrees_with_exact_integers() {
    let mut table: Vec<(i128, u64)> =
        (0..0x7c00u64).flat_map(|m| [m, m | 0x8000]).filter_map(|bits| Some((f16_units(bits)?, bits))).collect();
    table.sort();
    table.dedup_by_key(|entry| entry.0);
    let mut random = Random(3);
    let mut checked = 0;
    for _ in 0..200_000 {
        let [a, b, c] = [random.bits(), random.bits(), random.bits()].map(|x| x & 0xffff);
        // Bring c near the product in a third of the cases.
        let c = if random.bits().is_multiple_of(3) { soft::mul(&F16, a, b, RN) ^ c & 0x83ff } else { c };
        let (Some(x), Some(y), Some(z)) = (f16_units(a), f16_units(b), f16_units(c)) else { continue };
        // Operands are multiples of 2^-24, so the product of their multiples of 2^-48 has 48 zero bits to spare.
        let product = (x >> 24) * (y >> 24);
        for rounding in ALL {
            let control = Control { rounding, ftz: false };
            for (exact, got) in [
                (x + y, soft::add(&F16, a, b, control)),
                (product, soft::mul(&F16, a, b, control)),
                (product + z, soft::fma(&F16, a, b, c, control)),
            ] {
                if let Some(want) = round_by_search(&table, exact, rounding) {
                    // Beyond the largest finite number rounding to nearest overflows: round_by_search says None.
                    if f16_units(got).is_none() {
                        continue;
                    }
                    assert_eq!(f16_units(got), Some(want), "{a:#x} {b:#x} {c:#x} {rounding:?} gave {got:#x}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 1_000_000, "only {checked} results were compared");
}

/// Directed results enclose the nearest one and are neighbours, equal only where the exact value is representable.
fn encloses(format: &Format, f: impl Fn(Control) -> u64, exact: impl Fn(u64) -> bool) {
    let [nearest, _, zero, down, up] = ALL.map(|rounding| f(Control { rounding, ftz: false }));
    if format.is_nan(nearest) {
        return;
    }
    let value = |bits: u64| f64::from_bits(soft::convert(format, &F64, bits, RN));
    let (lower, upper) = (value(down), value(up));
    assert!(lower <= value(nearest) && value(nearest) <= upper);
    assert_eq!(value(zero), if upper > 0.0 && lower >= 0.0 { lower } else { upper });
    if lower == upper {
        assert!(exact(nearest), "{nearest:#x} is not exact but both directions agree");
    } else {
        assert!(!exact(nearest), "{nearest:#x} is exact but {down:#x} != {up:#x}");
        let key = |bits: u64| if bits & format.sign() != 0 { -((bits & !format.sign()) as i64) } else { bits as i64 };
        assert_eq!(key(up) - key(down), 1, "{down:#x} and {up:#x} are not neighbours");
    }
}

#[test]
fn directed_f32_encloses() {
    let mut random = Random(4);
    for _ in 0..100_000 {
        let a = random.bits() as u32;
        let b = if random.bits() & 1 == 0 { random.near(a) } else { random.bits() as u32 };
        let (x, y) = (f64::from(f32::from_bits(a)), f64::from(f32::from_bits(b)));
        let value = |bits: u64| f64::from(f32::from_bits(bits as u32));
        // Products are exact in double. A quotient or root is exact when multiplying back is.
        encloses(&F32, |c| mul_f32(a, b, c.rounding, false, false).into(), |r| value(r) == x * y);
        encloses(
            &F32,
            |c| div_f32(a, b, c.rounding, false).into(),
            |r| value(r) * y == x || !value(r).is_finite() && (y == 0.0 || x.is_infinite()),
        );
        encloses(&F32, |c| sqrt_f32(a, c.rounding, false).into(), |r| value(r) * value(r) == x);
        // Exponents within 16 of each other: the sum is exact in double.
        if ((a >> 23 & 0xff) as i32 - (b >> 23 & 0xff) as i32).abs() < 16 {
            encloses(&F32, |c| add_f32(a, b, c.rounding, false, false).into(), |r| value(r) == x + y);
        }
    }
}

#[test]
fn directed_f64_encloses() {
    let mut random = Random(5);
    for _ in 0..100_000 {
        // Exponents near zero, so that the error terms below do not underflow.
        let mut pick = || random.bits() & 0x807f_ffff_ffff_ffff | 0x3fc0_0000_0000_0000;
        let (a, b) = (pick(), pick());
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        let value = f64::from_bits;
        encloses(
            &F64,
            |c| add_f64(a, b, c.rounding),
            |r| {
                let part = value(r) - x;
                (x - (value(r) - part)) + (y - part) == 0.0
            },
        );
        encloses(&F64, |c| mul_f64(a, b, c.rounding), |r| x.mul_add(y, -value(r)) == 0.0);
        encloses(&F64, |c| div_f64(a, b, c.rounding), |r| value(r).mul_add(y, -x) == 0.0);
        encloses(&F64, |c| sqrt_f64(a & !F64.sign(), c.rounding), |r| value(r).mul_add(value(r), -x.abs()) == 0.0);
        encloses(&F64, |c| fma_f64(a, b, a, c.rounding), |_| c_exact(x, y));
    }
    // x*y + x is practically never exact for random 53-bit operands.
    fn c_exact(x: f64, y: f64) -> bool {
        (x.to_bits() | y.to_bits()) & 0xffff_ffff == 0
    }
}

#[test]
fn signs_of_zero_follow_the_rounding() {
    let one = 1f32.to_bits();
    let minus = (-1f32).to_bits();
    assert_eq!(add_f32(one, minus, Rounding::Nearest, false, false), 0);
    assert_eq!(add_f32(one, minus, Rounding::Down, false, false), 0x8000_0000);
    assert_eq!(fma_f32(one, one, minus, Rounding::Down, false, false), 0x8000_0000);
    assert_eq!(fma_f32(one, one, minus, Rounding::Up, false, false), 0);
    assert_eq!(add_f64(0x8000_0000_0000_0000, 0, Rounding::Zero), 0);
    assert_eq!(mul_f32(minus, 0, Rounding::Up, false, false), 0x8000_0000);
}

#[test]
fn flushing_and_saturation() {
    let tiny = 0x0000_0001;
    let smallest_normal = 0x0080_0000;
    let half = 0.5f32.to_bits();
    let n = Rounding::Nearest;
    assert_eq!(add_f32(tiny, 0x8000_0000, n, true, false), 0);
    assert_eq!(add_f32(tiny | 0x8000_0000, 0x8000_0000, n, true, false), 0x8000_0000);
    assert_eq!(mul_f32(smallest_normal, half, n, true, false), 0);
    assert_eq!(mul_f32(smallest_normal, half, n, false, false), 0x0040_0000);
    assert_eq!(fma_f32(smallest_normal, half, tiny, n, false, false), 0x0040_0001);
    assert_eq!(mul_f32(2f32.to_bits(), 3f32.to_bits(), n, false, true), 1f32.to_bits());
    assert_eq!(mul_f32((-2f32).to_bits(), 3f32.to_bits(), n, false, true), 0);
    assert_eq!(add_f32(NAN_F32, 0, n, false, true), 0);
    assert_eq!(add_f32(0xff80_0000, 0, n, false, true), 0);
    assert_eq!(add_f32(0x7f80_0000, 0, n, false, true), 1f32.to_bits());
    assert_eq!(mul_f32(0x8000_0000, half, n, false, true), 0);
}

#[test]
fn bounds_of_doubles_are_those_of_any_format() {
    let specials = special(&F64);
    let mut random = Random(5);
    let near: Vec<u64> = (0..200).map(|_| random.bits()).collect();
    for &a in specials.iter().chain(&near) {
        for &b in specials.iter().chain(&near) {
            assert_eq!(min_f64(a, b), min_max(&F64, &[a, b], false, MinMax::default()), "{a:#x} {b:#x}");
            assert_eq!(max_f64(a, b), min_max(&F64, &[a, b], true, MinMax::default()), "{a:#x} {b:#x}");
        }
    }
}

#[test]
fn minimum_and_maximum() {
    let plain = MinMax::default();
    let nan = MinMax { nan: true, ..plain };
    let xorsign = MinMax { xorsign_abs: true, ..plain };
    let [one, two, minus] = [1f32, 2., -3.].map(f32::to_bits);
    assert_eq!(min_f32(one, two, plain), one);
    assert_eq!(max_f32(one, minus, plain), one);
    assert_eq!(min_f32(0, 0x8000_0000, plain), 0x8000_0000);
    assert_eq!(min_f32(0x8000_0000, 0, plain), 0x8000_0000);
    assert_eq!(max_f32(0x8000_0000, 0, plain), 0);
    assert_eq!(max_f32(0, 0x8000_0000, plain), 0);
    assert_eq!(min_f32(0x7fc0_0001, two, plain), two);
    assert_eq!(max_f32(minus, 0xffc0_0001, plain), minus);
    assert_eq!(max_f32(0x7f80_0001, 0xffc0_0001, plain), NAN_F32);
    assert_eq!(min_f32(one, 0xffc0_0001, nan), NAN_F32);
    assert_eq!(min_f32(two, minus, xorsign), 0x8000_0000 | two);
    assert_eq!(max_f32(two, minus, xorsign), minus);
    assert_eq!(max_f32(two | 0x8000_0000, minus, xorsign), minus & 0x7fff_ffff);
    assert_eq!(min3_f32(two, minus, one, plain), minus);
    assert_eq!(max_f32(0x8000_0001, 0x8000_0000, MinMax { ftz: true, ..plain }), 0x8000_0000);
    assert_eq!(min_f64(1f64.to_bits(), F64.nan), 1f64.to_bits());
}

#[test]
fn comparisons_with_nan() {
    let one = 1f32.to_bits();
    let expected = [
        (Compare::Eq, false),
        (Compare::Ne, false),
        (Compare::Lt, false),
        (Compare::Ge, false),
        (Compare::Equ, true),
        (Compare::Neu, true),
        (Compare::Ltu, true),
        (Compare::Leu, true),
        (Compare::Gtu, true),
        (Compare::Geu, true),
        (Compare::Num, false),
        (Compare::Nan, true),
    ];
    for (op, want) in expected {
        assert_eq!(compare_f32(op, one, NAN_F32, false), want, "{op:?}");
        assert_eq!(compare_f64(op, F64.nan, 0), want, "{op:?}");
    }
    let mut random = Random(6);
    for _ in 0..10_000 {
        let [a, b] = [random.bits() as u32, random.bits() as u32];
        let [x, y] = [a, b].map(f32::from_bits);
        assert_eq!(compare_f32(Compare::Ltu, a, b, false), x < y || x.is_nan() || y.is_nan());
        assert_eq!(compare_f32(Compare::Neu, a, b, false), x != y);
        assert_eq!(compare_f32(Compare::Ge, a, b, false), x >= y);
    }
    assert!(compare_f32(Compare::Eq, 0, 0x8000_0000, false));
    assert!(compare_f32(Compare::Eq, 1, 0x8000_0001, true));
    assert!(!compare_f32(Compare::Eq, 1, 0x8000_0001, false));
}

#[test]
fn classes() {
    let expect = |bits: u32, classes: &[TestP]| {
        for test in [TestP::Finite, TestP::Infinite, TestP::Number, TestP::NotANumber, TestP::Normal, TestP::Subnormal]
        {
            assert_eq!(testp_f32(bits, test), classes.contains(&test), "{bits:#x} {test:?}");
        }
    };
    expect(0x8000_0000, &[TestP::Finite, TestP::Number, TestP::Normal]);
    expect(1, &[TestP::Finite, TestP::Number, TestP::Subnormal]);
    expect(0xbf80_0000, &[TestP::Finite, TestP::Number, TestP::Normal]);
    expect(0x7f80_0000, &[TestP::Infinite, TestP::Number]);
    expect(0xff80_0001, &[TestP::NotANumber]);
}

#[test]
fn nan_payloads() {
    let n = Rounding::Nearest;
    assert_eq!(add_f32(0x7f80_0001, 0, n, false, false), NAN_F32);
    assert_eq!(div_f32(0, 0, n, false), NAN_F32);
    assert_eq!(add_f64(0x7ff0_0000_0000_0001, 0, n), 0x7ff8_0000_0000_0001);
    assert_eq!(mul_f64(F64.infinity(), 0, n), NAN_F64);
    // Which NaN wins, as on an H200.
    let (x, y, z) = (0x7ff8_0000_0000_0001, 0xfff8_0000_0000_0002, 0x7ff8_0000_0000_0003);
    assert_eq!([add_f64(x, y, n), mul_f64(x, y, n), div_f64(x, y, n)], [y, y, x]);
    for rounding in [n, Rounding::Zero] {
        assert_eq!([fma_f64(x, y, z, rounding), fma_f64(x, 0, z, rounding), fma_f64(x, y, 0, rounding)], [y, z, y]);
    }
    assert_eq!([neg_f64(y), abs_f64(y), max_f64(x, y), min_f64(y, 0)], [y, y, y, 0]);
}

#[test]
fn tiny_results_are_flushed_before_they_round_up() {
    let n = Rounding::Nearest;
    let (smallest, below_one) = (0x0080_0000, 0x3f7f_ffff);
    assert_eq!(mul_f32(smallest, below_one, n, false, false), smallest);
    assert_eq!(mul_f32(smallest | 0x8000_0000, below_one, n, true, false), 0x8000_0000);
    assert_eq!(fma_f32(smallest, below_one, 0, n, true, false), 0);
    assert_eq!(mul_f32(smallest | 1, 0x3f7f_fffe, n, true, false), smallest);
    assert_eq!(mul_f32(smallest, 0x3f80_0000, n, true, false), smallest);
}

/// Every short way of `f32` gives the bits of the long one, whatever the rounding.
#[test]
fn short_ways_give_what_soft_gives() {
    for [a, b, c] in operands32().into_iter().step_by(5) {
        let what = format!("{a:#x} {b:#x} {c:#x}");
        let [x, y, z] = [a, b, c].map(u64::from);
        for rounding in ALL {
            let control = Control { rounding, ftz: false };
            let [fused, product] = [soft::fma(&F32, x, y, z, control), soft::mul(&F32, x, y, control)];
            assert_eq!(u64::from(fma_f32(a, b, c, rounding, false, false)), fused, "fma {rounding:?} {what}");
            assert_eq!(u64::from(mul_f32(a, b, rounding, false, false)), product, "mul {rounding:?} {what}");
        }
        for greater in [false, true] {
            let short = if greater { max_f32 } else { min_f32 };
            let long = min_max(&F32, &[x, y], greater, MinMax::default());
            assert_eq!(u64::from(short(a, b, MinMax::default())), long, "max {greater} {what}");
        }
    }
}
