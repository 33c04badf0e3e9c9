//! Modules that remember what they were launched with before.

use super::{SCALE, SCALE_REFERENCE, check, fails, passes, scale, workbook};

/// Sets of counters that take turns, of which none is ever cleared.
#[test]
fn what_comes_round_after_many_launches_is_used_again() {
    let sets = |count: u32| {
        scale("", "a[i] * 1.7f + (i == 0 ? used[turn % SETS]++ : 0)")
            .replace("//@ launch", "//@ launch next<<<1, 1>>>()\n//@ launch")
            .replace("__global__", "__device__ unsigned turn;\n__device__ float used[SETS];\n__global__ void next() { ++turn; }\n__global__")
            .replace("SETS", &count.to_string())
    };
    let book = workbook(SCALE, SCALE_REFERENCE, &scale("", "a[i] * 1.7f"));
    for count in [16, 300] {
        fails("sets in turn", &check(&book, &sets(count), 3), &["WRONG RESULT"]);
    }
}

/// The largest size so far, the largest grid so far, and the last grid.
#[test]
#[ignore = "long"]
fn who_remembers_a_larger_launch_is_wrong_at_a_smaller_one() {
    let book = workbook(SCALE, SCALE_REFERENCE, &scale("", "a[i] * 1.7f"));
    let remembers = |before: &str, after: &str| {
        let begin = format!("bool other = false;\n    if (i == 0) {{ other = {before}; {after}; }}");
        scale(&begin, "a[i] * 1.7f + (other ? 1.0f : 0.0f)")
            .replace("__global__", "__device__ int most = 0;\n__global__")
    };
    let blocks = "(int)gridDim.x";
    let [most_n, most_blocks] = ["n", blocks].map(|number| format!("most = max(most, {number})"));
    for seed in [3, 4, 5] {
        for (what, before, after) in [
            ("the largest size", "n < most", &*most_n),
            ("the largest grid", "(int)gridDim.x < most", &*most_blocks),
            ("the last grid", "(int)gridDim.x < most", "most = gridDim.x"),
        ] {
            fails(what, &check(&book, &remembers(before, after), seed), &["WRONG RESULT"]);
        }
        passes("nothing of it", &check(&book, &remembers("most < 0", &most_blocks), seed));
    }
}
