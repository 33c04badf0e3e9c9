//! Fills: what is drawn, stated, sorted, and never where it was.

use super::draw::{DENSE, ENDS};
use super::*;
use plan::Role;

fn buffer(dtype: DType, len: u64, fill: Fill) -> Buffer {
    Buffer { name: "a".into(), dtype, len, role: Role::In, fill: Some(fill) }
}

fn filled(buffer: &Buffer, seed: u64, values: Values) -> Vec<u8> {
    fill(buffer, seed, values, Path::new(".")).unwrap()
}

const TYPES: [DType; 12] = [
    DType::F64,
    DType::F32,
    DType::F16,
    DType::Bf16,
    DType::I8,
    DType::U8,
    DType::I16,
    DType::U16,
    DType::I32,
    DType::U32,
    DType::I64,
    DType::U64,
];

#[test]
fn the_same_on_any_number_of_threads_and_for_any_length() {
    for dtype in TYPES {
        let long = buffer(dtype, 50_001, Fill::Integers { lo: -3, hi: 90 });
        let short = Buffer { len: 17, ..long.clone() };
        let serial = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let parallel = rayon::ThreadPoolBuilder::new().num_threads(7).build().unwrap();
        let one = serial.install(|| filled(&long, 3, Values::AsStated));
        assert_eq!(one, parallel.install(|| filled(&long, 3, Values::AsStated)));
        assert_eq!(one[..17 * dtype.size()], filled(&short, 3, Values::AsStated));
        assert_ne!(one, filled(&long, 4, Values::AsStated));
        let other = Buffer { name: "b".into(), ..long.clone() };
        assert_ne!(one, filled(&other, 3, Values::AsStated));
    }
}

/// Values written down once, so that a seed printed by one version of the checker means the same to the next.
#[test]
fn a_seed_means_the_same_for_ever() {
    let bits: Vec<u64> = (0..3).map(|index| Stream::new(1, "a").bits(index)).collect();
    assert_eq!(bits, [16_434_937_685_191_996_708, 5_485_544_439_939_107_054, 2_551_821_177_884_792_949]);
}

#[test]
fn uniform_reals_stay_in_their_interval_and_spread() {
    for dtype in [DType::F64, DType::F32, DType::F16, DType::Bf16] {
        let bytes = filled(&buffer(dtype, 20_000, Fill::Uniform { lo: -1.0, hi: 1.0 }), 9, Values::AsStated);
        let values: Vec<f64> = bytes.chunks(dtype.size()).map(|element| crate::compare::real(dtype, element)).collect();
        assert!(values.iter().all(|x| (-1.0..1.0).contains(x)), "{dtype:?}");
        let mean = values.iter().sum::<f64>() / 20_000.0;
        let square = values.iter().map(|x| x * x).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.02 && (square - 1.0 / 3.0).abs() < 0.02, "{dtype:?} {mean} {square}");
    }
}

#[test]
fn exact_values_are_multiples_inside_the_interval_and_rarely_zero() {
    for (lo, hi) in [(-1.0, 1.0), (0.0, 1.0), (-2.0, 0.0), (0.1, 0.9), (100.0, 101.0), (-3.0, 64.0)] {
        for (dtype, len) in [(DType::F32, 4096), (DType::F16, 4096), (DType::Bf16, 40_000), (DType::F64, 300_000)] {
            let buffer = buffer(dtype, len, Fill::Uniform { lo, hi });
            let unit = exact_unit(std::slice::from_ref(&buffer));
            let Some(unit) = unit else {
                assert_eq!(lo, 100.0, "only a narrow interval has none");
                continue;
            };
            let bytes = filled(&buffer, 5, Values::ExactIntegers);
            let mut distinct = std::collections::BTreeSet::new();
            let zeros = bytes.chunks(dtype.size()).filter(|bytes| bytes.iter().all(|byte| *byte == 0)).count();
            let sparse = len > DENSE && lo <= 0.0 && hi > 0.0;
            let expected = if sparse { (len - DENSE) as f64 / len as f64 } else { 0.0 };
            assert!((zeros as f64 / len as f64 - expected).abs() < 0.01, "{zeros} of {len}");
            for element in bytes.chunks(dtype.size()).filter(|bytes| bytes.iter().any(|byte| *byte != 0)) {
                let x = crate::compare::real(dtype, element);
                let multiple = x / unit.sqrt();
                assert!(multiple == multiple.round() && x != 0.0, "{x} of {unit}");
                assert!((lo..hi).contains(&x), "{lo} {hi}: {x}");
                distinct.insert(multiple as i64);
            }
            assert!(distinct.len() >= 2, "{lo} {hi}");
        }
    }
}

/// The last elements of a long buffer count as much as any, and sums of all of it stay exact.
#[test]
fn exact_values_of_a_long_buffer_are_few_and_never_zero_at_its_ends() {
    for len in [1_100_003u64, 3_000_000] {
        let buffer = buffer(DType::F32, len, Fill::Uniform { lo: -1.0, hi: 1.0 });
        let bytes = filled(&buffer, 5, Values::ExactIntegers);
        let values: Vec<f32> = bytes.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word)).collect();
        assert!(values[..ENDS as usize].iter().all(|x| *x != 0.0));
        assert!(values[values.len() - ENDS as usize..].iter().all(|x| *x != 0.0));
        let unit = exact_unit(std::slice::from_ref(&buffer)).unwrap();
        let magnitude: f64 = values.iter().map(|x| f64::from(x.abs())).sum();
        assert!(magnitude < 2f64.powi(20) * unit, "{magnitude} of {unit}");
        // Whatever regular part is left out, a sum shows it.
        for step in [3, 12, 32, 1000] {
            for first in 0..step {
                assert!(values[first..].iter().step_by(step).any(|x| *x != 0.0), "{first} of {step}");
            }
        }
    }
}

/// Of delicate values every shorter significand, cut off or rounded, makes an error of one sign and of a size that shows.
#[test]
fn errors_of_delicate_values_add_up() {
    let intervals = [(-1.0, 1.0), (0.0, 1.0), (-200.0, 100.0), (-0.5, 1.5)];
    let kinds = [Values::Delicate, Values::Tiny, Values::Minute];
    for ((lo, hi), kind) in intervals.into_iter().flat_map(|interval| kinds.map(|kind| (interval, kind))) {
        let mut tiny = 0;
        for seed in 0..20 {
            let bytes = filled(&buffer(DType::F32, 1000, Fill::Uniform { lo, hi }), seed, kind);
            let values: Vec<f32> = bytes.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word)).collect();
            assert!(values.iter().all(|x| (lo..hi).contains(&f64::from(*x)) && *x != 0.0));
            let sum: f64 = values.iter().map(|x| f64::from(*x)).sum();
            for bits in if kind == Values::Delicate { 8..=20u32 } else { 14..=20 } {
                let cut = |x: f32| f32::from_bits(x.to_bits() >> (24 - bits) << (24 - bits));
                let half = 1u32 << (23 - bits);
                let rounded = |x: f32| cut(f32::from_bits(x.to_bits() + half));
                for shorter in [&cut as &dyn Fn(f32) -> f32, &rounded] {
                    let shortened: f64 = values.iter().map(|x| f64::from(shorter(*x))).sum();
                    // A sixth of a unit in the last place kept, at least.
                    let error = ((shortened - sum) / sum).abs();
                    assert!(error > 2f64.powi(-(bits as i32)) / 6.0, "{bits} bits: {error}");
                }
            }
            tiny += u32::from(values.iter().all(|x| x.abs() < 2e-4 * hi as f32));
        }
        assert!(if kind == Values::Delicate { (8..20).contains(&tiny) } else { tiny == 20 }, "{tiny}");
    }
    let narrow = filled(&buffer(DType::F32, 1000, Fill::Uniform { lo: 100.0, hi: 101.0 }), 1, Values::Delicate);
    assert!(narrow.as_chunks().0.iter().all(|word| (100.0..101.0).contains(&f32::from_le_bytes(*word))));
    for dtype in [DType::F16, DType::Bf16] {
        let bytes = filled(&buffer(dtype, 1000, Fill::Uniform { lo: -1.0, hi: 1.0 }), 3, Values::Delicate);
        assert!(bytes.chunks(2).all(|element| crate::compare::real(dtype, element).abs() > 6.2e-5 / 8.0));
    }
}

/// All are tiny, and not so tiny that products of three (or means, of the tiniest) are no normal numbers; none leaves its interval.
#[test]
fn tiny_values_are_tiny_everywhere() {
    let smallest = f64::from(f32::MIN_POSITIVE);
    for (lo, hi) in [(-1.0, 1.0), (0.0, 1.0), (-4000.0, 100.0), (-0.5, 1.5)] {
        for (seed, dtype) in (0..20).flat_map(|seed| [DType::F32, DType::Bf16].map(|dtype| (seed, dtype))) {
            for (values, below) in [(Values::Tiny, 2f64.powi(-24)), (Values::Minute, 2f64.powi(-71))] {
                let bytes = filled(&buffer(dtype, 1000, Fill::Uniform { lo, hi }), seed, values);
                let reals = bytes.chunks(dtype.size()).map(|element| crate::compare::real(dtype, element));
                let normal = |x: f64| match values {
                    Values::Tiny => x * x * x > smallest,
                    _ => x / 2f64.powi(20) > smallest,
                };
                assert!(
                    reals.clone().all(|x| (lo..hi).contains(&x) && x.abs() < below && normal(x.abs())),
                    "{lo} {hi}"
                );
                let words: std::collections::BTreeSet<u64> = reals.map(f64::to_bits).collect();
                assert!(words.len() > 100, "{}", words.len());
            }
        }
        for seed in 0..20 {
            let bytes = filled(&buffer(DType::F16, 1000, Fill::Uniform { lo, hi }), seed, Values::Minute);
            let mut halves = bytes.chunks(2).map(|element| crate::compare::real(DType::F16, element).abs());
            assert!(halves.all(|x| x > 6.1e-5 && x < hi.max(-lo) / 15.0));
        }
    }
    let narrow = filled(&buffer(DType::F32, 1000, Fill::Uniform { lo: 1.0, hi: 1.5 }), 1, Values::Minute);
    assert!(narrow.as_chunks().0.iter().all(|word| (1.0..1.5).contains(&f32::from_le_bytes(*word))));
}

/// Every order of magnitude is there, with either sign where the interval has both.
#[test]
fn values_of_all_sizes_lie_beside_each_other() {
    for (lo, hi) in [(-1.0, 1.0), (0.0, 1.0), (-2000.0, 100.0)] {
        for (dtype, least, exponents) in [(DType::F32, 2f64.powi(-40), 40), (DType::F16, 2f64.powi(-18), 17)] {
            let bytes = filled(&buffer(dtype, 4096, Fill::Uniform { lo, hi }), 3, Values::Sizes);
            let reals: Vec<f64> =
                bytes.chunks(dtype.size()).map(|element| crate::compare::real(dtype, element)).collect();
            assert!(reals.iter().all(|x| (lo..hi).contains(x) && x.abs() >= least));
            let each: Vec<i64> = reals.iter().map(|x| x.abs().log2().floor() as i64).collect();
            let sizes: std::collections::BTreeSet<&i64> = each.iter().collect();
            assert!(sizes.len() >= exponents, "{sizes:?}");
            let neighbours =
                |wanted: bool| each.windows(8).filter(move |some| some.iter().all(|x| *x == some[0]) == wanted);
            assert!(
                neighbours(true).count() > 400 && neighbours(false).count() > 400,
                "rows that are tiny, and numbers that are"
            );
            assert!(reals.iter().any(|x| *x > 0.0) && reals.iter().any(|x| *x < 0.0) == (lo < 0.0));
        }
    }
}

/// Blocks over numbers that are all at an end are compared between sizes.
#[test]
fn an_end_is_the_same_at_each_length() {
    for fill in [
        Fill::Uniform { lo: -1.0, hi: 1.0 },
        Fill::Scaled { lo: -10, hi: 10, len: 33 },
        Fill::Band { lo: -10.0, hi: 10.0, width: 2.0, len: 9 },
        Fill::Few { lo: 0, hi: 100, count: 5 },
    ] {
        for (seed, upper) in (0..9).flat_map(|seed| [(seed, false), (seed, true)]) {
            let ends = [70, 70_000].map(|len| {
                let fills = vec![fill.clone(), Fill::Band { lo: -900.0, hi: 900.0, width: 3.0, len: 700 }];
                end(&buffer(DType::F32, len, Fill::OneOf(fills)), (seed, Values::AsStated), upper)
            });
            assert!(ends[0].is_some() && ends[0] == ends[1], "{fill:?} {seed} {upper}");
        }
    }
}

/// A part of a buffer has the same bytes as the whole.
#[test]
fn any_part_of_a_buffer_can_be_filled() {
    let fills = [
        Fill::Uniform { lo: -1.0, hi: 1.0 },
        Fill::Integers { lo: -9, hi: 90 },
        Fill::Sorted { run: 7, short: 0 },
        Fill::Scaled { lo: -10, hi: 10, len: 33 },
        Fill::Band { lo: -10.0, hi: 10.0, width: 2.0, len: 9 },
        Fill::Few { lo: 0, hi: 100, count: 5 },
        Fill::Iota,
        Fill::Constant(3.0),
        Fill::OneOf(vec![Fill::Iota, Fill::Uniform { lo: 0.0, hi: 1.0 }]),
    ];
    for fill in fills {
        for values in
            [Values::AsStated, Values::ExactIntegers, Values::Repeating, Values::Delicate, Values::Tiny, Values::Minute]
        {
            for dtype in [DType::F32, DType::F16, DType::I64] {
                let buffer = buffer(dtype, 70_000, fill.clone());
                let whole = filled(&buffer, 11, values);
                let size = dtype.size();
                for (start, count) in [(0, 10), (17, 5000), (69_000, 1000)] {
                    let mut part = vec![0; count * size];
                    fill_part(&buffer, 11, values, start as u64, &mut part);
                    assert_eq!(part, whole[start * size..(start + count) * size], "{fill:?} {values:?} {dtype:?}");
                }
            }
        }
    }
}

#[test]
fn sorted_integers_ascend_in_steps_of_one_and_runs_differ() {
    for (run, short, len) in [(1i64, 0, 50), (7, 0, 5000), (100, 0, 40_000), (100, 3, 40_000), (5, 5, 5000), (1, 1, 50)]
    {
        for seed in 0..3 {
            let bytes = filled(&buffer(DType::I32, len, Fill::Sorted { run, short }), seed, Values::AsStated);
            let keys: Vec<i64> = bytes.as_chunks().0.iter().map(|word| i32::from_le_bytes(*word).into()).collect();
            assert!(keys[0] <= 1 && keys.windows(2).all(|pair| (0..=1).contains(&(pair[1] - pair[0]))), "{run}");
            assert!(keys[keys.len() - 1] <= len.div_ceil(run as u64) as i64, "{run}");
            let runs: Vec<usize> = keys.chunk_by(|a, b| a == b).map(<[i64]>::len).collect();
            let longest = if short > 0 { 9 * run } else { 2 * run - 1 };
            assert!(runs.iter().all(|&length| length <= longest as usize), "{run}: {runs:?}");
            assert!(run == 1 || runs.iter().any(|length| *length != runs[1]), "{run}: {runs:?}");
            if short > 0 {
                // Seven in eight are short, of each length there is.
                let shorts: Vec<usize> = runs.iter().copied().filter(|&length| length <= short as usize).collect();
                assert!(8 * (shorts.len() + 8) >= 7 * runs.len(), "{run}, {short}: {runs:?}");
                assert!((1..=short as usize).all(|length| shorts.contains(&length)), "{run}, {short}: {shorts:?}");
            }
        }
    }
}

#[test]
fn scaled_reals_share_an_exponent_for_a_stretch() {
    let fill = Fill::Scaled { lo: -100, hi: 100, len: 64 };
    let bytes = filled(&buffer(DType::F32, 64 * 200 + 5, fill), 4, Values::AsStated);
    let values: Vec<f32> = bytes.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word)).collect();
    let largest = |stretch: &[f32]| stretch.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    let exponents: Vec<i32> =
        values.chunks_exact(64).map(|stretch| f64::from(largest(stretch)).log2().ceil() as i32).collect();
    // That none of 64 comes within a factor of 2 of the bound has a chance of 2^-64.
    assert!(exponents.iter().all(|exponent| (-100..=100).contains(exponent)));
    assert!(exponents.iter().min() < Some(&-80) && exponents.iter().max() > Some(&80), "{exponents:?}");
    for (stretch, exponent) in values.chunks_exact(64).zip(exponents) {
        let mean = stretch.iter().map(|x| f64::from(x.abs())).sum::<f64>() / 64.0 / 2f64.powi(exponent);
        assert!((0.3..0.7).contains(&mean), "{stretch:?}");
    }
    let negative = values.iter().filter(|x| **x < 0.0).count() as f64 / values.len() as f64;
    assert!((negative - 0.5).abs() < 0.02, "{negative}");
}

#[test]
fn a_band_lies_elsewhere_in_each_run() {
    let buffer = buffer(DType::F32, 3000, Fill::Band { lo: 1000.0, hi: 4000.0, width: 1.0, len: 0 });
    let mut firsts = std::collections::BTreeSet::new();
    for seed in 0..20 {
        let bytes = filled(&buffer, seed, Values::AsStated);
        let values = || bytes.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word));
        let (least, most) = (values().fold(f32::INFINITY, f32::min), values().fold(0.0, f32::max));
        assert!(least >= 1000.0 && most <= 4000.0 && (0.98..=1.001).contains(&(most - least)), "{least} {most}");
        firsts.insert(least as i64 / 300);
    }
    assert!(firsts.len() >= 5, "{firsts:?}");
}

#[test]
fn neighbours_in_a_band_lie_close_together() {
    let fill = Fill::Band { lo: 1000.0, hi: 4000.0, width: 64.0, len: 50 };
    let bytes = filled(&buffer(DType::F32, 3000, fill), 4, Values::AsStated);
    let values: Vec<f32> = bytes.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word)).collect();
    let spread = |values: &[f32]| {
        values.iter().fold(f32::MIN, |most, x| most.max(*x)) - values.iter().fold(f32::MAX, |least, x| least.min(*x))
    };
    assert!((50.0..=64.01).contains(&spread(&values)), "{}", spread(&values));
    assert!(values.chunks(50).all(|stretch| (5.0..=8.01).contains(&spread(stretch))));
}

#[test]
fn fills_take_turns_from_case_to_case_and_from_run_to_run() {
    let one_of = |fills: &[Fill]| buffer(DType::F32, 40, Fill::OneOf(fills.to_vec()));
    let three = [Fill::Zeros, Fill::Iota, Fill::Constant(7.0)];
    let turn = |seed: u64| {
        let bytes = filled(&one_of(&three), seed, Values::AsStated);
        three.iter().position(|fill| bytes == filled(&one_of(&[fill.clone(), fill.clone()]), seed, Values::AsStated))
    };
    for seed in [5, 6, 7, u64::MAX - 1, u64::MAX] {
        let second = super::second_seed(seed);
        assert_eq!(turn(second), turn(seed % 3).map(|turn| (turn + 1) % 3), "seed {seed}");
    }
    assert_ne!(turn(8), turn(9));
    // The runs over chosen values take the fill that has such values.
    let mixed = one_of(&[Fill::Zeros, Fill::Uniform { lo: -1.0, hi: 1.0 }]);
    assert!(exact_unit(std::slice::from_ref(&mixed)).is_some());
    for seed in 0..2 {
        assert!(filled(&mixed, seed, Values::ExactIntegers).iter().any(|byte| *byte != 0));
    }
}

#[test]
fn few_numbers_come_often_and_are_others_in_each_run() {
    let buffer = buffer(DType::I32, 3000, Fill::Few { lo: -2_147_483_647, hi: -1, count: 40 });
    let mut all = std::collections::BTreeSet::new();
    for seed in 0..5 {
        let bytes = filled(&buffer, seed, Values::AsStated);
        let values: std::collections::BTreeSet<i32> =
            bytes.as_chunks().0.iter().map(|word| i32::from_le_bytes(*word)).collect();
        assert_eq!(values.len(), 40);
        assert!(values.iter().all(|value| *value < 0) && values.first() < Some(&-1_900_000_000), "{values:?}");
        all.extend(values);
    }
    assert_eq!(all.len(), 200);
}

#[test]
fn too_large_for_the_host_is_an_error() {
    let huge = buffer(DType::F64, u64::MAX / 4, Fill::Zeros);
    assert!(matches!(fill(&huge, 0, Values::AsStated, Path::new(".")), Err(FillError::TooLarge { .. })));
}

/// An oracle in double precision begins with what the version that it judges begins with, rounded as that is.
#[test]
fn an_oracle_holds_the_values_of_the_other_type() {
    let fills = [
        // Of four values a quarter rounds up to the end, which becomes the beginning.
        Fill::Uniform { lo: 1.0, hi: 1.0 + 2f64.powi(-21) },
        Fill::Uniform { lo: -1.0, hi: 1.0 },
        Fill::OneOf(vec![Fill::Iota, Fill::Uniform { lo: 0.1, hi: 0.2 }]),
    ];
    let kinds = [
        Values::AsStated,
        Values::ExactIntegers,
        Values::Repeating,
        Values::Delicate,
        Values::Tiny,
        Values::Minute,
        Values::Sizes,
        Values::Edges,
    ];
    for (fill, dtype) in fills.iter().flat_map(|fill| [DType::F32, DType::F16, DType::Bf16].map(|dtype| (fill, dtype)))
    {
        for (seed, values) in (0..).zip(kinds) {
            let own = buffer(dtype, 5000, fill.clone());
            let held = Fill::Held { dtype, fill: Box::new(fill.clone()) };
            let wide = filled(&buffer(DType::F64, 5000, held.clone()), seed, values);
            let wide: Vec<f64> = wide.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
            let narrow = filled(&own, seed, values);
            let value = |at: usize| match dtype {
                DType::F32 => f64::from(f32::from_le_bytes(narrow.as_chunks().0[at])),
                DType::F16 => half::f16::from_le_bytes(narrow.as_chunks().0[at]).to_f64(),
                _ => half::bf16::from_le_bytes(narrow.as_chunks().0[at]).to_f64(),
            };
            assert!((0..5000).all(|at| wide[at].to_bits() == value(at).to_bits()), "{fill:?} {dtype:?} {values:?}");
            let mut part = [0; 80];
            fill_part(&buffer(DType::F64, 5000, held), seed, values, 1234, &mut part);
            assert_eq!(
                part.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect::<Vec<_>>(),
                wide[1234..1244]
            );
        }
    }
}

#[test]
fn neighbours_are_alike_in_stretches() {
    let reals = buffer(DType::F32, 4096, Fill::Uniform { lo: -0.3, hi: 1.7 });
    let whole = buffer(DType::I32, 4096, Fill::Integers { lo: -9000, hi: 9000 });
    let mut lengths = std::collections::BTreeSet::new();
    let mut zeros = 0;
    for seed in 0..60 {
        for buffer in [&reals, &whole] {
            let bytes = filled(buffer, seed, Values::Alike);
            let words: Vec<&[u8]> = bytes.chunks(4).collect();
            let stretches: Vec<usize> = words.chunk_by(|a, b| a == b).map(<[_]>::len).collect();
            let least = stretches.iter().copied().min().unwrap_or(0);
            assert!(stretches.iter().all(|stretch| stretch % least == 0), "{stretches:?}");
            lengths.insert(least);
        }
        // Sums of as many come out exact.
        let bytes = filled(&reals, seed, Values::Alike);
        let numbers = bytes.chunks(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()));
        assert!(numbers.clone().all(|x| (-0.3..1.7).contains(&x) && (x * 4096.0).fract() == 0.0), "{seed}");
        zeros += numbers.filter(|x| *x == 0.0).count();
    }
    assert!((60 * 4096 / 20..60 * 4096 / 5).contains(&zeros), "{zeros}");
    assert_eq!(lengths, [64, 128, 256, 512, 1024, 4096].into());
}
