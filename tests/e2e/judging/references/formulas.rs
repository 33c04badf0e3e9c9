//! Formulas, element by element: series, chains of steps, random numbers.

use super::arrays::{one, pairwise, two, zip};
use super::lists::trip_counts;
use super::run::{Arrays, Sizes};

/// Cooling has a closed form: the gap to the room shrinks by 0.9 a step.
pub(super) fn cooling(input: &Arrays, _: &Sizes) -> Arrays {
    let after = input["before"].iter().map(|t| 20.0 + (t - 20.0) * 0.9f64.powi(32)).collect();
    two("after", after, input["before"].iter().map(|t| t.abs().max(20.0)).collect())
}

/// So has a chain: the gap to its fixed point 1 shrinks by 0.875 a step.
pub(super) fn fma_chains(input: &Arrays, sizes: &Sizes) -> Arrays {
    let shrink = 0.875f64.powi(sizes["iterations"] as i32);
    let end = input["start"].iter().map(|x| 1.0 + (x - 1.0) * shrink).collect();
    two("end", end, input["start"].iter().map(|x| x.abs().max(1.0)).collect())
}

/// In forms 1 and 4 the step is x * x - 0.5, here as the difference of two squares and a quarter.
pub(super) fn fma_operands(input: &Arrays, sizes: &Sizes) -> Arrays {
    let ones = vec![1.0; input["start"].len()];
    if ![1, 4].contains(&sizes["form"]) {
        return two("end", fma_chains(input, sizes)["end"].clone(), ones);
    }
    let step = |x: f64, _| (x - 0.5) * (x + 0.5) - 0.25;
    two("end", input["start"].iter().map(|&x| (0..sizes["iterations"]).fold(x, step)).collect(), ones)
}

pub(super) fn polynomial(coefficients: &[f64], points: &[f64]) -> Arrays {
    let sizes: Vec<f64> = coefficients.iter().map(|c| c.abs()).collect();
    let magnitudes = points.iter().map(|x| horner(&sizes, x.abs())).collect();
    two("y", points.iter().map(|x| horner(coefficients, *x)).collect(), magnitudes)
}

/// Horner's rule from the top, where the reference adds terms from below.
pub(super) fn horner(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

pub(super) fn coefficients(input: &Arrays, _: &Sizes) -> Arrays {
    let c: [f32; 16] =
        [0.91, -0.42, 0.77, 0.35, -0.63, 0.58, -0.29, 0.84, 0.11, -0.95, 0.46, 0.23, -0.71, 0.67, 0.39, -0.88];
    let c = c.map(f64::from);
    let y = input["x"].iter().map(|x| horner(&c, *x)).collect();
    two("y", y, input["x"].iter().map(|x| horner(&c.map(f64::abs), x.abs())).collect())
}

/// The hyperbolic tangent's half sum with 1 is a logistic function of twice the argument.
pub(super) fn gelu(input: &Arrays, _: &Sizes) -> Arrays {
    let inner = |x: f64| 0.79788456 * x * (1.0 + 0.044715 * x * x);
    let y = input["x"].iter().map(|x| x / (1.0 + (-2.0 * inner(*x)).exp())).collect();
    two("y", y, input["x"].iter().map(|x| x.abs() / (1.0 + (-2.0 * inner(*x).abs()).exp())).collect())
}

/// Between the mean anomaly less and plus the eccentricity, by halving.
pub(super) fn kepler(input: &Arrays, _: &Sizes) -> Arrays {
    let place = |m: f64| {
        let (mut low, mut high) = (m - 0.5, m + 0.5);
        for _ in 0..80 {
            let middle = (low + high) / 2.0;
            if middle - 0.5 * middle.sin() < m { low = middle } else { high = middle }
        }
        (low + high) / 2.0
    };
    let mean = &input["mean"];
    two("eccentric", mean.iter().map(|m| place(*m)).collect(), mean.iter().map(|m| m.abs() + 1.0).collect())
}

/// As quotients of factorials.
pub(super) fn binomials(input: &Arrays, _: &Sizes) -> Arrays {
    let factorial = |n: f64| (1..=n as u32).map(f64::from).product::<f64>();
    one("count", zip(&input["m"], &input["k"], |m, k| factorial(m) / factorial(k.min(m)) / factorial(m - k.min(m))))
}

pub(super) fn spread(samples: &[f64], n: usize) -> Arrays {
    let pixel = |i: usize| samples.iter().skip(i).step_by(n).copied().collect::<Vec<f64>>();
    let mean = |values: &[f64]| pairwise(values) / values.len() as f64;
    let square = |values: &[f64]| mean(&zip(values, values, |a, b| a * b));
    let spreads = (0..n).map(|i| square(&pixel(i)) - mean(&pixel(i)).powi(2)).collect();
    two("spread", spreads, (0..n).map(|i| square(&pixel(i))).collect())
}

/// Cell by cell, particles from the last to the first.
pub(super) fn deposits(input: &Arrays, _: &Sizes) -> Arrays {
    let (mut mesh, mut magnitudes) = (vec![0.0; 16384], vec![0.0; 16384]);
    for (particle, cell) in input["particle"].chunks(4).zip(&input["cell"]).rev() {
        for (part, value) in particle.iter().enumerate() {
            mesh[4 * *cell as usize + part] += value;
            magnitudes[4 * *cell as usize + part] += value.abs();
        }
    }
    two("mesh", mesh, magnitudes)
}

pub(super) fn double_literal(input: &Arrays, _: &Sizes) -> Arrays {
    let c = [1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362880.0, -1.0 / 39916800.0];
    let y = input["angle"].iter().map(|x| x * horner(&c, x * x)).collect();
    two("y", y, input["angle"].iter().map(|x| x.abs() * horner(&c.map(f64::abs), x * x)).collect())
}

pub(super) fn local_array(input: &Arrays, _: &Sizes) -> Arrays {
    let a = &input["a"];
    let b = a.iter().take(1024).enumerate().map(|(i, a)| a + (i % 2) as f64).collect();
    // A window that slides over the sequence, where the reference writes all of it down.
    let last = |seed: f64| {
        let mut window: Vec<u32> =
            (0..8u32).map(|j| (seed as i64 as u32).wrapping_add(j.wrapping_mul(0x9e37_79b9))).collect();
        for _ in 0..64 {
            let next = window[0].wrapping_add(window[5]);
            window.remove(0);
            window.push(next);
        }
        f64::from(window[7])
    };
    Arrays::from([("b".to_owned(), b), ("last".to_owned(), a.iter().map(|seed| last(*seed)).collect())])
}

pub(super) fn xorshift(s: u32) -> u32 {
    let s = s ^ s << 13;
    let s = s ^ s >> 17;
    s ^ s << 5
}

pub(super) fn stirred_as_drawn(input: &Arrays, sizes: &Sizes) -> Arrays {
    let rounds = |drawn: f64| (drawn as i64 * (sizes["longest"] + 1) / 1024) as f64;
    let steps = input["drawn"].iter().map(|drawn| rounds(*drawn)).collect();
    trip_counts(&Arrays::from([("seed".to_owned(), input["seed"].clone()), ("steps".to_owned(), steps)]), sizes)
}

/// Sixteen steps of a linear congruence are one step of another.
pub(super) fn two_generators(input: &Arrays, _: &Sizes) -> Arrays {
    let (mut factor, mut summand) = (1u32, 0u32);
    for _ in 0..16 {
        factor = factor.wrapping_mul(1_664_525);
        summand = summand.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    }
    let stir = |(i, seed): (usize, &f64)| {
        let seed = *seed as u32;
        let even = (0..16).fold(seed, |s, _| xorshift(s));
        f64::from(if i % 2 == 0 { even } else { seed.wrapping_mul(factor).wrapping_add(summand) })
    };
    one("out", input["seed"].iter().enumerate().map(stir).collect())
}

/// By Horner's rule from the top, with the magnitudes of all terms.
pub(super) fn curve_in_two_pieces(input: &Arrays, _: &Sizes) -> Arrays {
    let side = |x: f64| if x < 0.0 { &input["left"] } else { &input["right"] };
    let y = input["x"].iter().map(|x| horner(side(*x), *x)).collect();
    let size = |x: &f64| horner(&side(*x).iter().map(|c| c.abs()).collect::<Vec<_>>(), x.abs());
    two("y", y, input["x"].iter().map(size).collect())
}

pub(super) fn opcodes(input: &Arrays, _: &Sizes) -> Arrays {
    let step = |op: i64, s: u32| match op {
        0 => xorshift(s),
        1 => s.wrapping_mul(1_664_525).wrapping_add(1_013_904_223),
        2 => s.reverse_bits().wrapping_add(0x9e37_79b9),
        3 => s ^ s.count_ones().wrapping_mul(0x0100_0193),
        4 => s.rotate_left(25).wrapping_mul(5).wrapping_add(0xe654_6b64),
        5 => s.max(!s) - (s >> 3),
        6 => ((u64::from(s) * 0xcc9e_2d51) >> 32) as u32 ^ (s << 9),
        _ => s.wrapping_sub((s & 0x5555_5555).wrapping_mul(3)),
    };
    let run = |(i, x): (usize, &f64)| {
        let op = input["program"][i % 8] as i64;
        f64::from((0..16).fold(*x as u32, |s, _| step(op, s)))
    };
    one("y", input["x"].iter().enumerate().map(run).collect())
}

/// By a sort of every 32.
pub(super) fn behind_the_best(input: &Arrays, _: &Sizes) -> Arrays {
    let behind = |chunk: &[f64]| {
        let mut sorted = chunk.to_vec();
        sorted.sort_by(f64::total_cmp);
        let best = sorted[sorted.len() - 1];
        chunk.iter().map(|x| if *x < 0.0 { -1.0 } else { best - x }).collect::<Vec<f64>>()
    };
    one("y", input["x"].chunks(32).flat_map(behind).collect())
}

pub(super) fn chains_of_steps(input: &Arrays, sizes: &Sizes) -> Arrays {
    let shrink = 0.875f64.powi(sizes["steps"] as i32);
    let mut out = Arrays::new();
    for (from, to) in [("doubles", "double_out"), ("floats", "float_out"), ("halves", "half_out")] {
        let end: Vec<f64> = input[from].iter().map(|x| 1.0 + (x - 1.0) * shrink).collect();
        out.insert(format!("{to}_magnitude"), vec![1.0; end.len()]);
        out.insert(to.to_owned(), end);
    }
    out
}

/// A round leaves 7/8 of the distance, then 15/16 of that.
pub(super) fn drawn_together(input: &Arrays, _: &Sizes) -> Arrays {
    let left = (0.875f64 * 0.9375).powi(32);
    let y: Vec<f64> = zip(&input["a"], &input["b"], |a, b| (a - b) * left);
    let ones = vec![1.0; y.len()];
    two("y", y, ones)
}

/// Each loop moves a value towards a fixed point: -1 or 1, then 1/2.
pub(super) fn two_linear_maps(input: &Arrays, sizes: &Sizes) -> Arrays {
    let (steps, by_warp) = (sizes["steps"] as i32, sizes["cure"] == 4);
    let towards = |v: f64, point: f64, rate: f64| point + (v - point) * rate.powi(steps);
    let value = |(i, x): (usize, &f64)| {
        let side = input["kind"][if by_warp { i / 32 * 32 } else { i }] != 0.0;
        let v = if side { towards(*x, -1.0, 0.75) } else { towards(*x, 1.0, 0.875) };
        towards(v, 0.5, 0.875)
    };
    let y: Vec<f64> = input["x"].iter().enumerate().map(value).collect();
    let ones = vec![1.0; y.len()];
    two("y", y, ones)
}

/// The branches as a table of functions.
pub(super) fn four_ways(input: &Arrays, sizes: &Sizes) -> Arrays {
    let ways: [fn(u32, u32) -> u32; 4] = [
        |_, b| b ^ b.wrapping_mul(32),
        |s, _| (0..32).map(|bit| s >> bit & 1).sum::<u32>().wrapping_mul(0x0100_0193) ^ s,
        |s, _| s.reverse_bits().wrapping_add(0x9e37_79b9),
        |s, _| s.rotate_right(7).wrapping_mul(5).wrapping_add(0xe654_6b64),
    ];
    let end = |(i, x): (usize, &f64)| {
        let way = ways[i / sizes["spread"] as usize % 4];
        let round = |s: u32| {
            let a = s ^ s.wrapping_mul(8192);
            way(s, a ^ (a / 131_072))
        };
        f64::from((0..16).fold(*x as u32, |s, _| round(s)))
    };
    one("y", input["x"].iter().enumerate().map(end).collect())
}

pub(super) fn doubled_plus_one(input: &Arrays, _: &Sizes) -> Arrays {
    let y = input["x"].iter().map(|x| 1.0 + (x + x)).collect();
    two("y", y, input["x"].iter().map(|x| 2.0 * x.abs() + 1.0).collect())
}

/// The k-th number by the k-th power of the generator's map, and 31 steps of the walk by composing its table with itself.
pub(super) fn drawn_again(input: &Arrays, _: &Sizes) -> Arrays {
    let then = |(a, c): (u32, u32), (b, d): (u32, u32)| (a.wrapping_mul(b), c.wrapping_mul(b).wrapping_add(d));
    let power = |k: u32| (0..k).fold((1, 0), |map, _| then(map, (1_664_525, 1_013_904_223)));
    let maps: Vec<(u32, u32)> = (1..=48).map(power).collect();
    let numbers = |seed: &f64| -> Vec<u32> {
        maps.iter().map(|(a, c)| (*seed as u32).wrapping_mul(*a).wrapping_add(*c) >> 24).collect()
    };

    let next = &input["next"];
    let step: Vec<usize> = next.iter().map(|to| *to as usize % next.len()).collect();
    let twice = |walk: &[usize]| -> Vec<usize> { walk.iter().map(|place| walk[*place]).collect() };
    let doublings: Vec<Vec<usize>> = std::iter::successors(Some(step), |walk| Some(twice(walk))).take(5).collect();
    let end = |place: usize| doublings.iter().fold(place, |place, walk| walk[place]);

    let warp = |seeds: &[f64]| -> Vec<f64> {
        let drawn: Vec<Vec<u32>> = seeds.iter().map(numbers).collect();
        let total: u32 = drawn.iter().flatten().sum();
        let level = next[end(total as usize % next.len())] as u32 >> 24;
        drawn
            .iter()
            .map(|numbers| f64::from(numbers.iter().map(|number| number.abs_diff(level)).sum::<u32>()))
            .collect()
    };
    one("y", input["seed"].chunks(32).flat_map(warp).collect())
}
