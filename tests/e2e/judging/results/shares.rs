//! Blocks that share a size that is not simulated whole among themselves, each right in what it does: a product that no longer fits gives
//! some the share of others, and theirs to nobody.

use super::{SCALE, SCALE_REFERENCE, check, fails, passes, workbook};
use crate::support::{Workbook, rows_in_turn};

/// Blocks of 256 threads, each with the tile of another, which a product of the type `WIDE` chooses.
const SCATTERED: &str = "
//@ launch scale<<<ceil_div(n, 256), 256>>>(a, b, n)
__global__ void scale(const float* a, float* b, int n)
{
    // A prime number: each block has a tile of its own, unless there are a multiple of so many.
    int i = int(blockIdx.x * WIDE(65537) % gridDim.x) * 256 + threadIdx.x;
    if (i < n) b[i] = a[i] * 1.7f;
}
";

/// A few hundred blocks, each with its part of the elements.
const SHARED: &str = "
//@ launch scale<<<256, 256>>>(a, b, n)
__global__ void scale(const float* a, float* b, int n)
{
    int from = WIDE(n) * blockIdx.x / gridDim.x, to = WIDE(n) * (blockIdx.x + 1) / gridDim.x;
    for (int i = from + threadIdx.x; i < to; i += blockDim.x) b[i] = a[i] * 1.7f;
}
";

/// Rows of blocks, as one of all of them may have 65535 at most; `ROW` is how many they are taken to have.
const ROWS: &str = "
//@ let    blocks = ceil_div(n, 256)
//@ launch scale<<<(min(blocks, 65535), ceil_div(blocks, 65535)), 256>>>(a, b, n)
__global__ void scale(const float* a, float* b, int n)
{
    int i = (blockIdx.y * ROW + blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[i] * 1.7f;
}
";

/// A tile at each seam of two rows.
#[test]
#[ignore = "long"]
fn rows_of_blocks_that_a_small_size_does_not_have_are_run() {
    let of = |row: &str| ROWS.replace("ROW", row);
    let book = workbook(SCALE, SCALE_REFERENCE, &of("gridDim.x"));
    for seed in rows_in_turn([5, 6]) {
        passes("as many as there are", &check(&book, &of("gridDim.x"), seed));
        fails("one more", &check(&book, &of("65536"), seed), &["WRONG RESULT", "elements of `b` are wrong"]);
    }
}

#[test]
#[ignore = "long"]
fn blocks_that_do_the_work_of_others_leave_their_own() {
    for (what, kernel) in [("scattered tiles", SCATTERED), ("shares", SHARED)] {
        let of = |wide: &str| kernel.replace("WIDE", wide);
        let book = workbook(SCALE, SCALE_REFERENCE, &of("(long long)"));
        for seed in rows_in_turn([5, 6]) {
            passes(what, &check(&book, &of("(long long)"), seed));
            fails(what, &check(&book, &of("(unsigned)"), seed), &["WRONG RESULT", "elements of `b` are wrong"]);
        }
    }
}

/// Of elements that are alike it hardly matters which are left out: those of another kind of inputs are not.
#[test]
#[ignore = "long"]
fn what_is_left_out_shows_over_another_kind_of_inputs() {
    let book = Workbook::copy_of_parts(&["exercises/ex95", "solutions/ex95", "kernels/few-long"]);
    let right = book.read("solutions/ex95/solution.cu");
    let of = |wide: &str| {
        let begin = right.find("    #pragma unroll 4").expect("a loop");
        let end = right.find("    float mean = count").expect("what comes after it");
        let share = "    int from = WIDE(n) * blockIdx.x / gridDim.x, to = WIDE(n) * (blockIdx.x + 1) / gridDim.x;\n";
        let round = "    #pragma unroll 4\n    for (int i = from + threadIdx.x; i < to; i += block) add(x[i]);\n";
        let shared = format!("{}{share}{round}{}", &right[..begin], &right[end..]);
        shared.replace("WIDE", wide).replace("x[min(first, n - 1)]", "x[(long long)n * blockIdx.x / gridDim.x]")
    };
    let check = |kernel: &str, seed: u32| {
        book.write("exercises/ex95/kernel.cu", kernel);
        book.run(["ex95", "--seed", &seed.to_string()])
    };
    for seed in rows_in_turn([5, 6]) {
        passes("shares of 64 bits", &check(&of("(long long)"), seed));
        fails("shares of 32 bits", &check(&of("(unsigned)"), seed), &["WRONG RESULT"]);
    }
}
