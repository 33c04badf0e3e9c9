//! Approximate functions against double precision: within the manual's bounds, over dense samples of every binade.

use crate::num::approx::*;

/// Positive and negative finite inputs, every 1009th by bits.
fn inputs() -> impl Iterator<Item = u32> {
    (0..0x7f80_0000u32).step_by(1009).flat_map(|bits| [bits, bits | 1 << 31])
}

fn value(bits: u32) -> f64 {
    f64::from(f32::from_bits(bits))
}

/// Checks results that are normal numbers: `f` against `exact`, relative to it.
fn relative(name: &str, bound: f64, f: impl Fn(u32) -> u32, exact: impl Fn(f64) -> f64) {
    let mut compared = 0u32;
    for a in inputs() {
        let (got, want) = (value(f(a)), exact(value(a)));
        let normal = (f64::from(f32::MIN_POSITIVE)..f64::from(f32::MAX)).contains(&want.abs());
        if normal {
            compared += 1;
            assert!((got - want).abs() <= bound.exp2() * want.abs(), "{name}({a:#x}): {got:e}, exactly {want:e}");
        }
    }
    assert!(compared > 10_000, "{name}: {compared}");
}

#[test]
#[ignore = "long"]
fn results_are_within_the_manuals_bounds() {
    relative("ex2", -22.0, |a| ex2_f32(a, false), f64::exp2);
    relative("rcp", -23.0, |a| rcp_f32(a, false), |x| 1.0 / x);
    relative("sqrt", -23.0, |a| sqrt_f32(a, false), f64::sqrt);
    relative("rsqrt", -22.9, |a| rsqrt_f32(a, false), |x| 1.0 / x.sqrt());
    relative("tanh", -11.0, tanh_f32, f64::tanh);
    relative("lg2", -22.0, |a| lg2_f32(a, false), f64::log2);
}

#[test]
fn angles_are_within_the_manuals_bounds() {
    let mut compared = 0u32;
    for a in inputs().filter(|a| value(*a).abs() <= std::f64::consts::TAU) {
        compared += 1;
        let bound = (-20.5f64).exp2();
        let (sine, cosine) = (value(sin_f32(a, false)), value(cos_f32(a, false)));
        assert!((sine - value(a).sin()).abs() <= bound, "sin({a:#x})");
        assert!((cosine - value(a).cos()).abs() <= bound, "cos({a:#x})");
    }
    assert!(compared > 100_000, "{compared}");
}

/// Who cuts an approximate quotient to an integer finds out.
#[test]
fn a_quotient_is_the_dividend_times_a_reciprocal() {
    let short = (1..300u32).filter(|&quotient| {
        let [a, b] = [41.0 * quotient as f32, 41.0].map(f32::to_bits);
        assert_eq!(div_f32_approx(a, b, false), div_f32_full(a, b, false));
        (value(div_f32_approx(a, b, false)) as u32) < quotient
    });
    assert_eq!(short.count(), 107, "of 299");
}
