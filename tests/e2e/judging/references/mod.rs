//! Every shipped reference against an independent computation: the reference kernel runs on the simulator, and what it
//! writes is compared with the same quantity computed here in another way (a closed form, another order, a sort).

mod arrays;
mod formulas;
mod lists;
mod run;
mod signals;
mod sums;

use arrays::{block_sums, chunk_sums, one, pairwise, total, zip};
use formulas::*;
use lists::*;
use problem::{Problem, Workbook};
use run::{Arrays, Sizes, run_reference};
pub use run::{argument, load};
use signals::*;
use sums::*;

/// Inputs and sizes to outputs.
type Independent = fn(&Arrays, &Sizes) -> Arrays;

const TABLE: &[(&str, Independent)] = &[
    ("active-mask", active_mask),
    ("atomics", |input, _| one("sum", vec![input["x"].iter().rev().sum()])),
    ("back-off", sum_and_largest),
    ("calls", drawn_together),
    ("coefficients", coefficients),
    ("copy-flight", |input, _| one("b", input["a"].clone())),
    ("cures", two_linear_maps),
    ("dead-code", |input, _| one("steps", vec![256.0; input["x"].len()])),
    ("dispatcher", |input, sizes| one("sums", input["x"].chunks(sizes["block"] as usize).map(pairwise).collect())),
    ("double-literal", double_literal),
    ("early-loads", rows_of_eight_each),
    ("ex01", cooling),
    ("ex02", doubled_plus_one),
    ("ex03", |input, _| {
        let (positive, others): (Vec<f64>, Vec<f64>) = input["x"].iter().partition(|x| **x > 0.0);
        one("count", vec![positive.len() as f64, others.len() as f64])
    }),
    ("ex11", smoothed),
    ("ex12", gelu),
    ("ex13", byte_distances),
    ("ex14", rows_of_eight),
    ("ex15", largest_of_three),
    ("ex21", mid_side),
    ("ex22", byte_scores),
    ("ex23", row_sums),
    ("ex24", drawn_again),
    ("ex31", base_counts),
    ("ex32", binomials),
    ("ex33", four_largest),
    ("ex34", most_frequent),
    ("ex41", curve_in_two_pieces),
    ("ex42", marked_samples),
    ("ex43", two_generators),
    ("ex44", tries),
    ("ex52", turned_and_averaged),
    ("ex53", kept),
    ("ex54", lowest_and_highest),
    ("ex55", behind_the_best),
    ("ex56", lists_of_buckets),
    ("ex57", parcels),
    ("ex61", dot_products),
    ("ex62", running_totals),
    ("ex63", means_and_variances),
    ("ex65", box_around_points),
    ("ex73", |input, _| polynomial(&input["c"], &input["x"])),
    ("ex74", column_sums),
    ("ex75", looked_up),
    ("ex76", looked_up),
    ("ex77", thirty_two_averages),
    ("ex78", blurred),
    ("ex81", histogram),
    ("ex82", sums_by_key),
    ("ex83", first_of_the_largest),
    ("ex84", log_sum_exps),
    ("ex85", euclidean_norms),
    ("ex91", filtered),
    ("ex92", block_ranges),
    ("ex93", longest_runs),
    ("ex94", |input, _| one("peak", vec![input["x"].iter().map(|x| x.abs()).fold(0.0, f64::max)])),
    ("ex95", moments),
    ("few-long", few_long),
    ("fft", fourier),
    ("full-unroll", block_norms),
    ("fuse", tone_curve),
    ("global-passes", total),
    ("half2", response_curve),
    ("ilp", fma_chains),
    ("interleaving", two_lists),
    ("intrinsics", wavelet),
    ("last-warp", block_sums_of_size),
    ("lifetimes", roughness),
    ("local-array", local_array),
    ("lock", sum_and_largest),
    ("modulo", block_maxima),
    ("nesting", tree_of_branches),
    ("opcodes", opcodes),
    ("operands", fma_operands),
    ("per-thread", |input, _| one("to", input["from"].clone())),
    ("plain-unroll", |input, sizes| oscillation(&input["x"], sizes["rounds"])),
    ("precision", chains_of_steps),
    ("reduction", total),
    ("register-budget", running_averages),
    ("register-limit", |input, sizes| spread(&input["samples"], sizes["n"] as usize)),
    ("rolled", kepler),
    ("run-dry", |input, _| one("to", input["from"].clone())),
    ("sequential-addressing", block_sums),
    ("sgemm", matrix_product),
    ("shuffle", block_sums),
    ("single-pass", total),
    ("sort-32", |input, _| one("y", input["x"].chunks(32).flat_map(sorted).collect())),
    ("sorting", stirred_as_drawn),
    ("spills", noise),
    ("sum-loads", |input, sizes| chunk_sums("sums", &input["x"], 256 * sizes["per"] as usize)),
    ("survivors", |input, _| one("y", input["x"].iter().map(|x| x.max(0.0).powi(2)).collect())),
    ("targets", four_ways),
    ("transpose-32", transposed),
    ("trip-counts", trip_counts),
    ("two-elements", |input, _| one("c", zip(&input["a"], &input["b"], |a, b| b + a))),
    ("unroll-factor", |input, sizes| oscillation(&input["x"], sizes["iterations"])),
    ("vector-red", deposits),
    ("waves", fma_chains),
    ("which-tree", |input, _| chunk_sums("sums", &input["x"], 4096)),
    ("wide-loads", doubled_plus_one),
];

#[test]
fn every_reference_agrees_with_an_independent_computation() {
    let workbook = Workbook::around(crate::support::repository()).unwrap();
    let problems = workbook.problems().unwrap();
    let mut names: Vec<&str> = problems.iter().map(|problem| problem.id.as_str()).collect();
    names.sort_unstable();
    let known: Vec<&str> = TABLE.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, known, "a problem without an independent computation, or one that is gone");

    let problems = problems.iter().filter(|problem| crate::support::in_turn(problem.id.as_str()));
    for problem in problems.flat_map(of_every_type) {
        let (_, independent) = TABLE[known.binary_search(&problem.id.as_str()).unwrap()];
        // A ladder's oracle does not look at the block size.
        let block = problem.ladder().map(|ladder| ladder.block);
        let cases = problem.cases().into_iter().filter(|sizes| block.is_none_or(|block| sizes["block"] == block));
        for sizes in cases {
            let (input, output) = run_reference(&problem, &sizes);
            let sizes: Sizes = sizes.iter().map(|(name, value)| (name.clone(), *value)).collect();
            let mut expected = independent(&input, &sizes);
            // Whole numbers are exact: their oracle has no magnitude.
            expected.retain(|name, _| block.is_none() || !name.ends_with("_magnitude") || output.contains_key(name));
            assert_eq!(
                output.keys().collect::<Vec<_>>(),
                expected.keys().collect::<Vec<_>>(),
                "{} at {sizes:?}: outputs",
                problem.id
            );
            for (name, want) in &expected {
                let magnitude = expected.get(&format!("{name}_magnitude")).unwrap_or(want);
                compare(&format!("{} at {sizes:?}: {name}", problem.id), &output[name], want, magnitude);
            }
        }
    }
}

/// The problem for each of its element types.
fn of_every_type(problem: &Problem) -> Vec<Problem> {
    match problem.ladder() {
        None => vec![problem.clone()],
        Some(ladder) => (0..ladder.types.len()).filter_map(|element| problem.of_type(element)).collect(),
    }
}

/// Double precision leaves a factor of 2^29 between its roundings and those of f32; 1e-12 is far below what a tolerance
/// could notice and far above what a thousand roundings in another order do.
fn compare(what: &str, got: &[f64], want: &[f64], magnitude: &[f64]) {
    assert_eq!(got.len(), want.len(), "{what}: length");
    for (index, (got, (want, magnitude))) in got.iter().zip(want.iter().zip(magnitude)).enumerate() {
        let bound = 1e-12 * magnitude.abs();
        assert!((got - want).abs() <= bound, "{what}[{index}]: the reference says {got}, computed here: {want}");
    }
}
