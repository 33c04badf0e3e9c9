//! Comparison: what passes, what fails, and what is said of it.

use super::*;
use crate::Value;

const BOUND: Tolerance = Tolerance::Bound { ops: 4.0, unit: DType::F32 };

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn doubles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn judge(got: &[f32], want: &[f64], tolerance: Tolerance) -> Comparison {
    judge_of(got, want, tolerance, true)
}

/// Of code that flushes subnormal numbers, or does not.
fn judge_of(got: &[f32], want: &[f64], tolerance: Tolerance, flushes: bool) -> Comparison {
    let judgement = Judgement { tolerance, exact_unit: None, poison: 0xff, on_average: true, flushes };
    let (got, want) = (floats(got), doubles(want));
    compare(Array { dtype: DType::F32, bytes: &got }, Array { dtype: DType::F64, bytes: &want }, None, judgement)
}

#[test]
fn rounding_passes_and_more_does_not() {
    assert_eq!(judge(&[0.1], &[0.1], Tolerance::Exact).wrong, 0);
    assert_eq!(judge(&[0.1f32.next_up()], &[0.1], Tolerance::Exact).wrong, 1);
    assert_eq!(judge(&[1.0 + 2.0 * f32::EPSILON], &[1.0], BOUND).wrong, 0);
    assert_eq!(judge(&[1.0 + 4.0 * f32::EPSILON], &[1.0], BOUND).wrong, 1);
    assert!(judge(&[1.0 + 2.0 * f32::EPSILON], &[1.0], BOUND).error_over_bound.unwrap() > 0.5);
}

/// `atom.add.f32` makes 0 of a subnormal number; what is an output's own to round is not flushed, and a normal number is not.
#[test]
fn subnormal_results_may_be_0() {
    let (below, normal) = (f64::from(f32::MIN_POSITIVE) * 0.75, f64::from(f32::MIN_POSITIVE));
    assert_eq!(judge(&[0.0, -0.0], &[below, -below], BOUND).wrong, 0);
    assert!(!judge(&[0.0; 64], &[below; 64], BOUND).fails());
    assert_eq!(judge(&[(below / 2.0) as f32], &[below], BOUND).wrong, 1);
    assert_eq!(judge(&[0.0], &[normal], BOUND).wrong, 1);
    assert_eq!(judge(&[0.0], &[below], Tolerance::Exact).wrong, 1);
    // Nobody else's.
    assert_eq!(judge_of(&[0.0, -0.0], &[below, -below], BOUND, false).wrong, 2);
    let smallest = f64::from(f32::from_bits(1));
    assert_eq!(judge_of(&[0.0, below as f32], &[smallest, below], BOUND, false).wrong, 0, "a rounding's size");
}

/// Roundings that follow no input are off by their square root; a systematic error within every bound is not.
#[test]
fn a_small_error_everywhere_is_more_than_roundings() {
    let tolerance = Tolerance::Bound { ops: 1000.0, unit: DType::F32 };
    let off = |len: usize, error: &dyn Fn(usize) -> f64| {
        let want: Vec<f64> = (0..len).map(|index| 1.0 + index as f64 / len as f64).collect();
        let got: Vec<f32> = want.iter().enumerate().map(|(index, x)| (x * (1.0 + error(index))) as f32).collect();
        judge(&got, &want, tolerance)
    };
    // A fifth of the bound: 200 roundings of 2^-24.
    let systematic = |_: usize| 200.0 * 2f64.powi(-24);
    let found = off(1000, &systematic);
    assert_eq!((found.wrong, found.first.len(), found.fails()), (0, 1, true));
    assert!(matches!(found.looks_like, LooksLike::OffOnAverage { times } if (5.0..7.0).contains(&times)), "{found:?}");
    assert!(!off(16, &systematic).fails(), "too few to say");
    let stream = plan::stream::Stream::new(5, "roundings");
    let random =
        |index: usize| (0..1000).map(|k| stream.unit((index * 1000 + k) as u64) - 0.5).sum::<f64>() * 2f64.powi(-23);
    assert!(!off(1000, &random).fails());
}

#[test]
fn nan_passes_only_where_the_oracle_is_nan() {
    let nan = f32::NAN;
    assert_eq!(judge(&[nan, nan, 1.0], &[f64::NAN, 1.0, f64::NAN], BOUND).wrong, 2);
    let infinite = [f64::INFINITY, 1e300, 1.0, f64::INFINITY];
    assert_eq!(judge(&[f32::INFINITY, f32::INFINITY, f32::INFINITY, f32::MAX], &infinite, BOUND).wrong, 2);
}

#[test]
fn what_wrong_elements_have_in_common() {
    let n = 100_000;
    let want: Vec<f64> = (1..=n).map(f64::from).collect();
    let right: Vec<f32> = want.iter().map(|&x| x as f32).collect();
    let with = |change: &dyn Fn(usize) -> Option<f32>| {
        let got: Vec<f32> = right.iter().enumerate().map(|(index, &x)| change(index).unwrap_or(x)).collect();
        judge(&got, &want, BOUND)
    };
    let poison = f32::from_bits(0xffff_ffff);
    assert_eq!(with(&|_| None).looks_like, LooksLike::Nothing);
    assert_eq!(with(&|_| Some(poison)).looks_like, LooksLike::NeverWritten);
    assert_eq!(with(&|_| Some(0.0)).looks_like, LooksLike::Zero);
    assert_eq!(with(&|_| Some(f32::NAN)).looks_like, LooksLike::Nan);
    assert_eq!(with(&|i| (i >= 99_968).then_some(poison)).looks_like, LooksLike::Tail { from: 99_968 });
    let strided = with(&|i| (i % 32 == 31).then_some(-1.0));
    assert_eq!(strided.looks_like, LooksLike::EveryKth { step: 32, first: 31 });
    assert_eq!(strided.wrong, 3125);
    assert_eq!(strided.first[1].index, 63);
    assert!(matches!(with(&|i| Some((i + 1) as f32 * 2.0)).looks_like,
        LooksLike::Scaled { factor } if (factor - 2.0).abs() < 1e-6));
    assert_eq!(with(&|i| (i == 7 || i == 9000).then_some(-1.0)).looks_like, LooksLike::Nothing);
    let short = with(&|i| (i % 7 > 2).then(|| f32::from_bits(((i + 1) as f32).to_bits() + 0x800)));
    assert_eq!(short.looks_like, LooksLike::Digits { right: 12 });
    let few = judge(&[1.0, 2.0, 9.0], &[1.0, 2.0, 3.0], BOUND);
    assert!(!matches!(few.looks_like, LooksLike::Tail { .. }), "of three elements none is a tail: {few:?}");
}

#[test]
fn exact_results_are_judged_exactly() {
    let judgement = Judgement {
        tolerance: Tolerance::Bound { ops: 1e6, unit: DType::F32 },
        exact_unit: Some(0.25),
        poison: 0,
        on_average: true,
        flushes: false,
    };
    let check = |got: f32, magnitude: f64| {
        let (got, want, magnitude) = (floats(&[got]), doubles(&[100.25]), doubles(&[magnitude]));
        let double = |bytes| Array { dtype: DType::F64, bytes };
        compare(Array { dtype: DType::F32, bytes: &got }, double(&want), Some(double(&magnitude)), judgement)
    };
    assert_eq!(check(100.5, 4000.0).wrong, 1);
    assert_eq!(check(100.25, 4000.0).wrong, 0);
    assert_eq!(check(100.25f32.next_up(), 4000.0).wrong, 0);
    assert_eq!(check(100.5, 2f64.powi(18)).wrong, 0, "sums that may round are judged by the bound");
    assert!(check(100.25, 4000.0).judged_exactly && !check(100.25, 1e9).judged_exactly);
}

#[test]
fn integers_of_64_bits_are_compared_exactly() {
    let (got, want) = ((i64::MAX - 1).to_le_bytes(), i64::MAX.to_le_bytes());
    let array = |bytes| Array { dtype: DType::I64, bytes };
    let judgement =
        Judgement { tolerance: Tolerance::Exact, exact_unit: None, poison: 0, on_average: true, flushes: false };
    let found = compare(array(&got), array(&want), None, judgement);
    assert_eq!(found.first[0].got, Value::Signed(i64::MAX - 1));
}

#[test]
fn a_change_that_roundings_hide_is_none() {
    let judged =
        |tolerance, exact_unit| Judgement { tolerance, exact_unit, poison: 0, on_average: false, flushes: false };
    let must = |tolerance, unit, old: f64, new: f64, magnitude: f64| {
        let (old, new, magnitude) = (old.to_le_bytes(), new.to_le_bytes(), magnitude.to_le_bytes());
        let array = |bytes| Array { dtype: DType::F64, bytes };
        let of = |bytes| Wanted { want: array(bytes), magnitude: Some(array(&magnitude)) };
        !must_change(DType::F32, of(&old), of(&new), judged(tolerance, unit)).is_empty()
    };
    assert!(must(BOUND, None, 1.0, 1.00001, 1.0));
    assert!(!must(BOUND, None, 1.0, 1.0000001, 1.0) && !must(BOUND, None, 1.0, 1.00001, 100.0));
    // Judged exactly, or rounded to the same number.
    assert!(!must(BOUND, Some(0.25), 1.0, 2.0, 1.0) && must(BOUND, Some(0.3), 1.0, 2.0, 1.0));
    assert!(!must(Tolerance::Exact, None, 1.0, 1.0 + 1e-9, 1.0) && must(Tolerance::Exact, None, 1.0, 1.0 + 2e-7, 1.0));
    assert!(!must(BOUND, None, 1.0, f64::NAN, 1.0));
}
