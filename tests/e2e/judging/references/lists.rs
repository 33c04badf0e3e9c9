//! Lists, counts and order: what is kept, how often, where.

use super::arrays::{one, pairwise, zip};
use super::formulas::xorshift;
use super::run::{Arrays, Sizes};

pub(super) fn kept(input: &Arrays, _: &Sizes) -> Arrays {
    let compacted = |chunk: &[f64]| {
        let (kept, dropped): (Vec<f64>, Vec<f64>) = chunk.iter().partition(|x| **x > 0.0);
        kept.into_iter().chain(dropped.iter().map(|_| 0.0)).collect::<Vec<f64>>()
    };
    one("kept", input["x"].chunks(32).flat_map(compacted).collect())
}

/// The longest piece between samples that are not positive.
pub(super) fn longest_runs(input: &Arrays, _: &Sizes) -> Arrays {
    let longest = |chunk: &[f64]| chunk.split(|x| *x <= 0.0).map(<[f64]>::len).max().unwrap_or(0) as f64;
    one("longest", input["x"].chunks(256).map(longest).collect())
}

pub(super) fn histogram(input: &Arrays, _: &Sizes) -> Arrays {
    let mut sorted = input["x"].clone();
    sorted.sort_by(f64::total_cmp);
    let below = |bin: usize| sorted.partition_point(|x| *x < bin as f64);
    one("bins", (0..64).map(|bin| (below(bin + 1) - below(bin)) as f64).collect())
}

pub(super) fn base_counts(input: &Arrays, _: &Sizes) -> Arrays {
    let count = |word: f64, base: u32| {
        let word = word as u32;
        (0..32).step_by(2).filter(|shift| word >> shift & 3 == base).count() as f64
    };
    one("counts", (0..4).flat_map(|base| input["bases"].iter().map(move |word| count(*word, base))).collect())
}

pub(super) fn active_mask(input: &Arrays, _: &Sizes) -> Arrays {
    let word = |chunk: &[f64]| chunk.iter().rev().fold(0u32, |word, x| word << 1 | u32::from(*x > 0.5));
    one("bits", input["x"].chunks(32).map(|chunk| word(chunk).into()).collect())
}

/// All places after one step, then after the next.
pub(super) fn two_lists(input: &Arrays, sizes: &Sizes) -> Arrays {
    let length = sizes["length"];
    let mut places: Vec<i64> = (0..32 * sizes["warps"] * sizes["blocks"]).map(|t| t % length).collect();
    for _ in 0..sizes["steps"] {
        for (lane, place) in places.iter_mut().enumerate() {
            let (list, further) = if lane & 16 == 0 { ("left", 0) } else { ("right", 1) };
            *place = (input[list][*place as usize] as i64 + further) & (length - 1);
        }
    }
    one("end", places.into_iter().map(|place| place as f64).collect())
}

pub(super) fn looked_up(input: &Arrays, _: &Sizes) -> Arrays {
    one("y", input["x"].iter().map(|place| input["table"][*place as usize]).collect())
}

/// By a sort of each pixel's samples.
pub(super) fn four_largest(input: &Arrays, sizes: &Sizes) -> Arrays {
    let n = sizes["n"] as usize;
    let sorted = |i: usize| {
        let mut samples: Vec<f64> = input["x"].iter().skip(i).step_by(n).copied().collect();
        samples.sort_by(|a, b| b.total_cmp(a));
        samples
    };
    let samples: Vec<Vec<f64>> = (0..n).map(sorted).collect();
    one("four", (0..4).flat_map(|place| samples.iter().map(move |samples| samples[place])).collect())
}

/// Products first, then sums by halves.
pub(super) fn byte_scores(input: &Arrays, _: &Sizes) -> Arrays {
    let score = |row: &[f64]| pairwise(&zip(row, &input["question"], |a, b| a * b));
    one("score", input["rows"].chunks(64).map(score).collect())
}

pub(super) fn trip_counts(input: &Arrays, _: &Sizes) -> Arrays {
    let stir = |seed: f64, steps: f64| f64::from((0..steps as u32).fold(seed as u32, |s, _| xorshift(s)));
    one("out", zip(&input["seed"], &input["steps"], stir))
}

/// Stirred until the last six bits are zero.
pub(super) fn tries(input: &Arrays, _: &Sizes) -> Arrays {
    let tries = |x: &f64| {
        let stirred = std::iter::successors(Some(*x as u32), |s| Some(xorshift(xorshift(*s))));
        stirred.skip(1).position(|s| s.trailing_zeros() >= 6).unwrap() as f64 + 1.0
    };
    one("y", input["x"].iter().map(tries).collect())
}

/// By sorting the elements by bucket.
pub(super) fn lists_of_buckets(input: &Arrays, _: &Sizes) -> Arrays {
    let mut elements: Vec<(i64, f64)> =
        input["key"].iter().zip(&input["value"]).map(|(key, value)| (*key as i64 % 64, *value)).collect();
    elements.sort_by_key(|(bucket, _)| *bucket);
    let of = |bucket: i64| elements.iter().filter(move |(other, _)| *other == bucket).map(|(_, value)| *value);
    let length = (0..64).map(|bucket| of(bucket).count() as f64).collect();
    let sum = (0..64).map(|bucket| of(bucket).sum()).collect();
    Arrays::from([("length".to_owned(), length), ("sum".to_owned(), sum)])
}

/// Parcel after parcel.
pub(super) fn parcels(input: &Arrays, _: &Sizes) -> Arrays {
    let mut balance = vec![0.0; 16];
    for ((amounts, from), further) in input["amount"].chunks(32).zip(&input["from"]).zip(&input["further"]) {
        let sum: f64 = amounts.iter().sum();
        balance[*from as usize] -= sum;
        balance[(*from + *further) as usize % 16] += sum;
    }
    one("balance", balance)
}

pub(super) fn marked_samples(input: &Arrays, _: &Sizes) -> Arrays {
    let filter = |x: f64, mark: f64| {
        let filtered = if mark == 7.0 { (0..48).fold(x as u32, |s, _| xorshift(s)) } else { x as u32 / 2 };
        f64::from(filtered)
    };
    one("y", zip(&input["x"], &input["marked"], filter))
}

/// By a sort, and the longest run of equals.
pub(super) fn most_frequent(input: &Arrays, sizes: &Sizes) -> Arrays {
    let n = sizes["n"] as usize;
    let message = |i: usize| {
        let words = input["words"].iter().skip(i).step_by(n).map(|word| *word as u32);
        let mut symbols: Vec<u32> = words.flat_map(|word| (0..8).map(move |k| word >> (4 * k) & 15)).collect();
        symbols.sort_unstable();
        let runs: Vec<&[u32]> = symbols.chunk_by(|a, b| a == b).collect();
        // The last of equals in the other direction is the first.
        f64::from(runs.iter().rev().max_by_key(|run| run.len()).unwrap()[0])
    };
    one("mode", (0..n).map(message).collect())
}

pub(super) fn few_long(input: &Arrays, sizes: &Sizes) -> Arrays {
    let end = |seed: f64, drawn: f64| {
        let rounds = if drawn as i64 % sizes["rare"] == 0 { 256 } else { 8 };
        f64::from((0..rounds).fold(seed as u32, |s, _| xorshift(s)))
    };
    one("out", zip(&input["seed"], &input["drawn"], end))
}

pub(super) fn transposed(input: &Arrays, _: &Sizes) -> Arrays {
    let column = |matrix: &[f64], at: usize| matrix.iter().skip(at).step_by(32).copied().collect::<Vec<f64>>();
    let columns = |matrix: &[f64]| (0..32).flat_map(|at| column(matrix, at)).collect::<Vec<f64>>();
    one("y", input["x"].chunks(1024).flat_map(columns).collect())
}

pub(super) fn sorted(row: &[f64]) -> Vec<f64> {
    let mut row = row.to_vec();
    row.sort_by(f64::total_cmp);
    row
}

/// A distance is the larger less the smaller.
pub(super) fn byte_distances(input: &Arrays, sizes: &Sizes) -> Arrays {
    let bytes = |words: &[f64]| words.iter().flat_map(|word| (*word as u32).to_le_bytes()).collect::<Vec<u8>>();
    let (signal, pattern) = (bytes(&input["signal"]), bytes(&input["pattern"]));
    let at = |i: usize| signal[4 * i..].iter().zip(&pattern).map(|(a, b)| f64::from(*a.max(b) - *a.min(b))).sum();
    one("distance", (0..sizes["n"] as usize).map(at).collect())
}
