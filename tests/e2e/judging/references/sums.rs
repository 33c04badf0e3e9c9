//! Sums, extremes and moments, of all, by block, by row, by key.

use super::arrays::{chunk_sums, one, pairwise, two, zip};
use super::run::{Arrays, Sizes};

pub(super) fn block_sums_of_size(input: &Arrays, sizes: &Sizes) -> Arrays {
    one("sums", input["x"].chunks(sizes["block"] as usize).map(pairwise).collect())
}

pub(super) fn block_norms(input: &Arrays, sizes: &Sizes) -> Arrays {
    let norm = |chunk: &[f64]| chunk.iter().map(|x| x.abs()).sum();
    one("norms", input["x"].chunks(sizes["block"] as usize).map(norm).collect())
}

pub(super) fn block_ranges(input: &Arrays, sizes: &Sizes) -> Arrays {
    let range = |chunk: &[f64]| {
        let mut sorted = chunk.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() - 1] - sorted[0]
    };
    one("ranges", input["x"].chunks(sizes["block"] as usize).map(range).collect())
}

pub(super) fn block_maxima(input: &Arrays, _: &Sizes) -> Arrays {
    one("largest", input["x"].chunks(256).map(|chunk| chunk.iter().copied().fold(f64::MIN, f64::max)).collect())
}

pub(super) fn dot_products(input: &Arrays, _: &Sizes) -> Arrays {
    let products = zip(&input["a"], &input["b"], |a, b| a * b);
    let mut sums = chunk_sums("dots", &products, 256);
    // Each element is rounded as often as there are elements.
    for (magnitude, chunk) in sums.entry("dots_magnitude".to_owned()).or_default().iter_mut().zip(products.chunks(256))
    {
        *magnitude *= chunk.len() as f64 / 256.0;
    }
    sums
}

/// By a stable sort, largest first.
pub(super) fn first_of_the_largest(input: &Arrays, _: &Sizes) -> Arrays {
    let first = |(chunk, values): (usize, &[f64])| {
        let mut places: Vec<usize> = (0..values.len()).collect();
        places.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
        (256 * chunk + places[0]) as f64
    };
    one("first", input["x"].chunks(256).enumerate().map(first).collect())
}

/// As the length of the hypotenuse over all elements before and the next.
pub(super) fn euclidean_norms(input: &Arrays, _: &Sizes) -> Arrays {
    one("norms", input["x"].chunks(256).map(|chunk| chunk.iter().copied().fold(0.0, f64::hypot)).collect())
}

/// Every total by itself.
pub(super) fn running_totals(input: &Arrays, _: &Sizes) -> Arrays {
    let totals = |f: fn(f64) -> f64| {
        let total = move |chunk: &[f64]| {
            let chunk: Vec<f64> = chunk.iter().map(|x| f(*x)).collect();
            (1..=chunk.len()).map(|end| pairwise(&chunk[..end])).collect::<Vec<f64>>()
        };
        input["x"].chunks(256).flat_map(total).collect::<Vec<f64>>()
    };
    // Each is rounded as often as there are elements before it, 32 times at most.
    let fewer = totals(f64::abs).into_iter().enumerate().map(|(at, sum)| sum * (at % 256).min(32) as f64 / 32.0);
    two("y", totals(|x| x), fewer.collect())
}

/// Into bins, element after element.
pub(super) fn sums_by_key(input: &Arrays, sizes: &Sizes) -> Arrays {
    let keys = sizes["n"].unsigned_abs().div_ceil(100) as usize + 1;
    let (mut sums, mut magnitudes) = (vec![0.0; keys], vec![0.0; keys]);
    for (key, x) in input["keys"].iter().zip(&input["x"]) {
        sums[*key as usize] += x;
    }
    // Prefix sums of a warp round everything in it, for each of its keys.
    for (keys, x) in input["keys"].chunks(32).zip(input["x"].chunks(32)) {
        let whole: f64 = x.iter().map(|x| x.abs()).sum();
        let mut there: Vec<usize> = keys.iter().map(|key| *key as usize).collect();
        there.dedup();
        for key in there {
            magnitudes[key] += whole;
        }
    }
    two("sums", sums, magnitudes)
}

/// Welford's recurrence. Magnitudes as reference.cu derives them.
pub(super) fn moments(input: &Arrays, _: &Sizes) -> Arrays {
    let x = &input["x"];
    // Distances from the first: the samples lie far from 0 and close together.
    let (mut mean, mut squares) = (0.0, 0.0);
    for (before, value) in x.iter().enumerate() {
        let distance = value - x[0] - mean;
        mean += distance / (before + 1) as f64;
        squares += distance * (value - x[0] - mean);
    }
    let (mean, variance) = (x[0] + mean, squares / x.len() as f64);
    let top = x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let far = x.iter().fold(0.0, |most: f64, x| most.max((x - mean).abs()));
    let (k, unit) = (x.len().div_ceil(33792).max(16) as f64, 2f64.powi(-24));
    let count = x.len() as f64;
    let off = 5.0 * (k.min(count) + count.min(16.0)) * unit * top;
    let part = (k.min(count) + (6.0 * count - 4.0).min(84.0)) / (k + 84.0);
    let means = 2.0 * variance.sqrt() * off + off * off;
    let magnitude = part * 2.0 * (variance + far * far) + means / ((k + 84.0) * unit);
    let mut arrays = two("variance", vec![variance], vec![magnitude]);
    arrays.extend(two("mean", vec![mean], vec![part * (top + 6.0 * far)]));
    arrays
}

/// Term by term: log(e^a + e^b) = max + log(1 + e^-|a - b|).
pub(super) fn log_sum_exps(input: &Arrays, sizes: &Sizes) -> Arrays {
    let join = |a: f64, b: f64| a.max(b) + (-(a - b).abs()).exp().ln_1p();
    // Relative to the first: far from 0 every joint would round anew.
    let row = |row: &[f64]| row[0] + row.iter().map(|x| x - row[0]).reduce(join).unwrap_or(0.0);
    let rows = input["x"].chunks(sizes["cols"] as usize).map(row);
    let cols = sizes["cols"] as f64;
    let part = (cols + 20.0 + 6.0 * (cols - 1.0).min(30.0)) / (cols + 200.0);
    two("y", rows.collect(), vec![part; sizes["rows"] as usize])
}

pub(super) fn column_sums(input: &Arrays, sizes: &Sizes) -> Arrays {
    let cols = sizes["cols"] as usize;
    let column = |c: usize| input["m"].iter().skip(c).step_by(cols).copied().collect::<Vec<f64>>();
    let magnitude = |c: usize| column(c).iter().map(|value| value.abs()).sum();
    two("sums", (0..cols).map(|c| pairwise(&column(c))).collect(), (0..cols).map(magnitude).collect())
}

pub(super) fn row_sums(input: &Arrays, sizes: &Sizes) -> Arrays {
    one("sums", input["x"].chunks(sizes["width"] as usize).map(pairwise).collect())
}

/// Around the first element, so that little cancels.
pub(super) fn means_and_variances(input: &Arrays, _: &Sizes) -> Arrays {
    let mut out = Arrays::new();
    for chunk in input["x"].chunks(256) {
        let count = chunk.len() as f64;
        let shifted: Vec<f64> = chunk.iter().map(|x| x - chunk[0]).collect();
        let shift = pairwise(&shifted) / count;
        let mean = chunk[0] + shift;
        let typical = pairwise(&chunk.iter().map(|x| x.abs()).collect::<Vec<f64>>()) / count;
        let squares = shifted.iter().map(|d| (d - shift).powi(2)).collect::<Vec<f64>>();
        let spread = shifted.iter().map(|d| (d - shift).abs()).sum::<f64>() / count;
        let variance = pairwise(&squares) / count;
        // Five times f32's unit roundoff, 2^-24: where all are alike the mean's own error is what is left.
        let left = 5.0 * 2.0f64.powi(-24) * typical.powi(2);
        let values = [mean, typical, variance, variance + 2.0 * spread * typical + left];
        for (name, value) in ["mean", "mean_magnitude", "variance", "variance_magnitude"].into_iter().zip(values) {
            out.entry(name.to_owned()).or_default().push(value);
        }
    }
    out
}

/// From the sorted coordinates.
pub(super) fn box_around_points(input: &Arrays, _: &Sizes) -> Arrays {
    let [x, y] = ["x", "y"].map(|name| {
        let mut sorted = input[name].clone();
        sorted.sort_by(f64::total_cmp);
        (sorted[0], sorted[sorted.len() - 1])
    });
    one("box", vec![x.0, y.0, x.1, y.1])
}

pub(super) fn lowest_and_highest(input: &Arrays, _: &Sizes) -> Arrays {
    let mut sorted = input["x"].clone();
    sorted.sort_by(f64::total_cmp);
    one("range", vec![sorted[0], sorted[sorted.len() - 1]])
}

pub(super) fn sum_and_largest(input: &Arrays, _: &Sizes) -> Arrays {
    let mut sorted = input["x"].clone();
    sorted.sort_by(f64::total_cmp);
    one("record", vec![pairwise(&sorted), sorted[sorted.len() - 1]])
}

pub(super) fn largest_of_three(input: &Arrays, _: &Sizes) -> Arrays {
    let x = &input["x"];
    let largest = |i: usize| x[i.saturating_sub(1)..x.len().min(i + 2)].iter().copied().fold(f64::MIN, f64::max);
    one("y", (0..x.len()).map(largest).collect())
}

/// Entry by entry, over all rows.
pub(super) fn rows_of_eight(input: &Arrays, sizes: &Sizes) -> Arrays {
    let rows = sizes["rows"] as usize;
    let (mut y, mut magnitude) = (vec![0.0; rows], vec![0.0; rows]);
    for (at, (column, value)) in input["column"].iter().zip(&input["value"]).enumerate().rev() {
        let product = value * input["x"][*column as usize];
        y[at % rows] += product;
        magnitude[at % rows] += product.abs();
    }
    two("y", y, magnitude)
}

pub(super) fn rows_of_eight_each(input: &Arrays, sizes: &Sizes) -> Arrays {
    let rows = 1024 * sizes["kilo"] + sizes["tail"];
    rows_of_eight(input, &Sizes::from([("rows".to_owned(), rows)]))
}

/// The leaf is the path's bits the other way round; its chain has a closed form, as any such chain.
pub(super) fn tree_of_branches(input: &Arrays, sizes: &Sizes) -> Arrays {
    let (depth, spread) = (sizes["depth"] as u32, sizes["spread"] as usize);
    let end = |(i, x): (usize, &f64)| {
        let path = (i / spread) as u32 % (1 << depth);
        let leaf = if depth == 0 { 0 } else { path.reverse_bits() >> (32 - depth) };
        let fixed = f64::from(leaf + 1) / 32.0;
        fixed + (x - fixed) * 0.875f64.powi(64)
    };
    let y = input["x"].iter().enumerate().map(end).collect();
    two("y", y, input["x"].iter().map(|x| x.abs().max(1.0)).collect())
}
