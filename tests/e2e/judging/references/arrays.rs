//! Helpers: arrays by position, and sums in an order of their own.

use super::run::{Arrays, Sizes};

pub(super) fn one(name: &str, values: Vec<f64>) -> Arrays {
    Arrays::from([(name.to_owned(), values)])
}

pub(super) fn two(name: &str, values: Vec<f64>, magnitudes: Vec<f64>) -> Arrays {
    Arrays::from([(name.to_owned(), values), (format!("{name}_magnitude"), magnitudes)])
}

pub(super) fn zip(a: &[f64], b: &[f64], f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect()
}

/// A sum by halves.
pub(super) fn pairwise(values: &[f64]) -> f64 {
    match values {
        [] => 0.0,
        [value] => *value,
        _ => pairwise(&values[..values.len() / 2]) + pairwise(&values[values.len() / 2..]),
    }
}

pub(super) fn total(input: &Arrays, _: &Sizes) -> Arrays {
    let magnitudes: Vec<f64> = input["x"].iter().map(|value| value.abs()).collect();
    two("sum", vec![pairwise(&input["x"])], vec![pairwise(&magnitudes)])
}

pub(super) fn block_sums(input: &Arrays, _: &Sizes) -> Arrays {
    chunk_sums("sums", &input["x"], 256)
}

/// Sums of chunks and of their magnitudes.
pub(super) fn chunk_sums(name: &str, values: &[f64], chunk: usize) -> Arrays {
    let magnitudes: Vec<f64> = values.iter().map(|value| value.abs()).collect();
    two(name, values.chunks(chunk).map(pairwise).collect(), magnitudes.chunks(chunk).map(pairwise).collect())
}
