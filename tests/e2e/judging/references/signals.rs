//! Signals and pictures: averages, filters, transforms.

use super::arrays::{one, two, zip};
use super::formulas::{horner, spread};
use super::run::{Arrays, Sizes};

pub(super) fn mid_side(input: &Arrays, _: &Sizes) -> Arrays {
    let mid = zip(&input["left"], &input["right"], |l, r| 0.5 * l + 0.5 * r);
    let side = zip(&input["left"], &input["right"], |l, r| 0.5 * l - 0.5 * r);
    Arrays::from([("mid".to_owned(), mid), ("side".to_owned(), side)])
}

/// The smoothstep polynomial as the cubic Bezier curve it is, with the control points 0, 0, 1, 1.
pub(super) fn tone_curve(input: &Arrays, _: &Sizes) -> Arrays {
    let smooth = |t: f64| 3.0 * t * t * (1.0 - t) + t * t * t;
    one("v", input["x"].iter().map(|x| 0.25 + smooth(x.clamp(0.0, 1.0)) / 2.0).collect())
}

/// A running average that keeps `weight` of itself, as a sum of all numbers with their weights.
fn running_average(numbers: &[f64], first: f64, weight: f64) -> f64 {
    let mut factor = 1.0;
    let mut sum = 0.0;
    for number in numbers.iter().rev() {
        sum += factor * number;
        factor *= weight;
    }
    sum + factor * first
}

pub(super) fn running_averages(input: &Arrays, sizes: &Sizes) -> Arrays {
    let rounds = sizes["rounds"] as usize;
    let thread = |t: usize, f: fn(f64) -> f64| {
        let numbers: Vec<f64> =
            (0..rounds).map(|r| f(input["x"][t / 256 * 256 * rounds + 256 * r + t % 256])).collect();
        let average = |j: i64| running_average(&numbers, f(1.0 - j as f64 / 64.0), 0.5 - j as f64 / 256.0);
        (0..sizes["values"]).map(average).sum()
    };
    let threads = 256 * sizes["blocks"] as usize;
    let all = |f: fn(f64) -> f64| (0..threads).map(|t| thread(t, f)).collect();
    two("y", all(|x| x), all(f64::abs))
}

pub(super) fn thirty_two_averages(input: &Arrays, sizes: &Sizes) -> Arrays {
    let n = sizes["n"] as usize;
    let all = |f: fn(f64) -> f64| {
        let element = |i: usize| {
            let numbers: Vec<f64> = input["x"].iter().skip(i).step_by(n).map(|x| f(*x)).collect();
            (0..32).map(|j| running_average(&numbers, f64::from(j) / 64.0, 0.5 - f64::from(j) / 256.0)).sum()
        };
        (0..n).map(element).collect()
    };
    two("y", all(|x| x), all(f64::abs))
}

/// Every point times every factor.
pub(super) fn fourier(input: &Arrays, _: &Sizes) -> Arrays {
    let factors: Vec<(f64, f64)> =
        (0..4096).map(|k| (-f64::from(k) * std::f64::consts::PI / 2048.0).sin_cos()).collect();
    let (mut y, mut magnitudes) = (Vec::new(), Vec::new());
    for points in input["x"].chunks(8192) {
        let size: f64 = points.iter().map(|x| x.abs()).sum();
        for k in 0..4096 {
            let (mut re, mut im) = (0.0, 0.0);
            for (i, point) in points.chunks(2).enumerate() {
                let (sine, cosine) = factors[i * k % 4096];
                re += point[0] * cosine - point[1] * sine;
                im += point[0] * sine + point[1] * cosine;
            }
            y.extend([re, im]);
            magnitudes.extend([size, size]);
        }
    }
    two("y", y, magnitudes)
}

/// Rows first, then columns, with a frame of zeros.
pub(super) fn blurred(input: &Arrays, sizes: &Sizes) -> Arrays {
    let (width, height) = (sizes["width"] as usize, sizes["height"] as usize);
    let ninth = |f: fn(f64) -> f64| {
        let mut rows = vec![vec![0.0; width]; height + 2];
        for (row, line) in rows[1..].iter_mut().zip(input["x"].chunks(width)) {
            let framed: Vec<f64> = [0.0].into_iter().chain(line.iter().map(|x| f(*x))).chain([0.0]).collect();
            row.iter_mut().zip(framed.windows(3)).for_each(|(sum, three)| *sum = three.iter().sum());
        }
        let column = |three: &[Vec<f64>]| {
            (0..width).map(|c| (three[0][c] + three[1][c] + three[2][c]) / 9.0).collect::<Vec<f64>>()
        };
        rows.windows(3).flat_map(column).collect()
    };
    two("y", ninth(|x| x), ninth(f64::abs))
}

/// Differences to the neighbours, a quarter of each.
pub(super) fn smoothed(input: &Arrays, _: &Sizes) -> Arrays {
    let x = &input["x"];
    let beside = |i: usize| (x[i.saturating_sub(1)], x[(i + 1).min(x.len() - 1)]);
    let value = |i: usize| x[i] + (beside(i).0 - x[i]) / 4.0 + (beside(i).1 - x[i]) / 4.0;
    let magnitude = |i: usize| x[i].abs() / 2.0 + (beside(i).0.abs() + beside(i).1.abs()) / 4.0;
    two("y", (0..x.len()).map(value).collect(), (0..x.len()).map(magnitude).collect())
}

pub(super) fn response_curve(input: &Arrays, _: &Sizes) -> Arrays {
    let c = [0.75, -0.5, 0.625, 0.25, -0.375, 0.875, -0.125, 0.5, -0.25];
    let y = input["x"].iter().map(|x| horner(&c, *x)).collect();
    two("y", y, input["x"].iter().map(|x| horner(&c.map(f64::abs), x.abs())).collect())
}

/// The sine as that of the other half of a turn, the exponential as a square of its root.
pub(super) fn wavelet(input: &Arrays, _: &Sizes) -> Arrays {
    let envelope = |x: f64| (-x.abs() / 2.0).exp().powi(2) / x.hypot(1.0).powi(2);
    let y = input["x"].iter().map(|x| envelope(*x) * (x / 2.0).sin() * (x / 2.0).cos() * 2.0).collect();
    two("y", y, input["x"].iter().map(|x| envelope(*x)).collect())
}

/// The mean of the squares less the square of the mean.
pub(super) fn noise(input: &Arrays, sizes: &Sizes) -> Arrays {
    spread(&input["frames"], sizes["n"] as usize)
}

pub(super) fn turned_and_averaged(input: &Arrays, _: &Sizes) -> Arrays {
    let n = input["x"].len();
    let mut padded = input["x"].clone();
    padded.resize(n.next_multiple_of(32), 0.0);
    padded.chunks_mut(32).for_each(<[f64]>::reverse);
    let pairs: Vec<(f64, f64)> =
        (0..n).map(|i| (if i % 32 > 0 { padded[i - 1] } else { padded[i] }, padded[i])).collect();
    let magnitude = pairs.iter().map(|(a, b)| 0.5 * (a.abs() + b.abs())).collect();
    two("y", pairs.iter().map(|(a, b)| 0.5 * (a + b)).collect(), magnitude)
}

/// By a bisection of the table and sums that grow from window to window.
pub(super) fn roughness(input: &Arrays, _: &Sizes) -> Arrays {
    let (x, knots) = (&input["x"], &input["knots"]);
    let windows: Vec<&[f64]> = x.windows(40).collect();
    let of_block = |block: &[&[f64]]| {
        let total: f64 = block.iter().flat_map(|window| window.iter()).sum();
        let key = (total / (40.0 * 256.0)).trunc();
        let level = knots.partition_point(|knot| *knot < key) as f64;
        block.iter().map(|window| window.iter().map(|x| (x - level).abs()).sum()).collect::<Vec<f64>>()
    };
    one("y", windows.chunks(256).flat_map(of_block).collect())
}

/// A turn is a multiplication by 0.875 + 0.25i and a push of 0.125: the distance from the fixed point is multiplied by its power.
pub(super) fn oscillation(x: &[f64], turns: i64) -> Arrays {
    let times = |a: (f64, f64), b: (f64, f64)| (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0);
    let turn = (0.875, 0.25);
    // z = turn * z + 0.125, so z = 0.125 / (1 - turn).
    let (re, im) = (1.0 - turn.0, -turn.1);
    let fixed = (0.125 * re / (re * re + im * im), -0.125 * im / (re * re + im * im));
    let power = (0..turns).fold((1.0, 0.0), |power, _| times(turn, power));
    let end = |x: &f64| {
        let from = times((x - fixed.0, 0.5 - fixed.1), power);
        fixed.0 + from.0 + fixed.1 + from.1
    };
    two("y", x.iter().map(end).collect(), vec![3.0; x.len()])
}

/// Weight by weight, over all samples.
pub(super) fn filtered(input: &Arrays, sizes: &Sizes) -> Arrays {
    let (x, n) = (&input["x"], sizes["n"] as usize);
    let (mut y, mut magnitude) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    for (lag, weight) in [0.25f64, 0.5, -0.125, 0.0625, -0.375, 0.75].into_iter().enumerate() {
        for at in lag * n..x.len() {
            y[at] += weight * x[at - lag * n];
            magnitude[at] += weight.abs() * x[at - lag * n].abs();
        }
    }
    two("y", y, magnitude)
}

/// Column after column of A, each with the row of B that it meets.
pub(super) fn matrix_product(input: &Arrays, sizes: &Sizes) -> Arrays {
    let (n, k) = (128 * sizes["cols"] as usize, (8 * sizes["depth"] * sizes["fold"]) as usize);
    let product = |f: fn(f64) -> f64| {
        let mut c = vec![0.0; 128 * sizes["rows"] as usize * n];
        for (at, row) in input["b"].chunks(n).enumerate() {
            for (sums, a) in c.chunks_mut(n).zip(input["a"].chunks(k)) {
                sums.iter_mut().zip(row).for_each(|(sum, b)| *sum += f(a[at] * b));
            }
        }
        c
    };
    two("c", product(|x| x), product(f64::abs))
}
