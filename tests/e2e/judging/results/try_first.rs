//! What the report tells to try first about a wrong result.

use super::{SCALE, SCALE_REFERENCE, check, fails, scale, workbook};
use crate::support::{Workbook, rows_in_turn};

/// Blocks that use tickets, with these variables and this beginning.
fn tickets(variables: &str, begin: &str, value: &str) -> String {
    let variables = format!("__device__ unsigned ticket;\n{variables}\n__global__");
    scale(begin, value).replace("__global__", &variables)
}

/// A block's ticket is its number as long as blocks begin one after the other.
#[test]
fn who_comes_first_is_asked_where_the_usual_order_is_right() {
    let begin =
        "__shared__ unsigned mine; if (threadIdx.x == 0) mine = atomicInc(&ticket, gridDim.x - 1); __syncthreads();";
    let kernel = tickets("", begin, "(mine == blockIdx.x ? a[i] * 1.7f : 0.0f)");
    let ran = check(&workbook(SCALE, SCALE_REFERENCE, &kernel), &kernel, 3);
    let words =
        ["WRONG RESULT", "in the usual order it comes out right", "which of them may come first under adversarial:"];
    fails("tickets for block numbers", &ran, &words);
}

/// Without a fence the last block may look for what others added before it has arrived.
#[test]
fn a_late_write_is_what_to_try_first() {
    let begin = "__shared__ int missing;
        if (threadIdx.x == 0) {
            missing = 0;
            atomicAdd(&come[blockIdx.x], 1);
            if (atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1)
                for (int k = 0; k < gridDim.x; ++k) missing += atomicExch(&come[k], 0) != 1;
        }
        __syncthreads();";
    let kernel = tickets("__device__ int come[2097152];", begin, "(a[i] * 1.7f + missing)");
    let ran = check(&workbook(SCALE, SCALE_REFERENCE, &kernel), &kernel, 3);
    let words = ["WRONG RESULT", "What makes sure that the write of line", "has arrived before"];
    fails("an addition without a fence", &ran, &words);
}

#[test]
fn what_wrong_elements_have_in_common_is_asked_about() {
    let right = scale("", "a[i] * 1.7f");
    let book = workbook(SCALE, SCALE_REFERENCE, &right);
    let short = scale("", "__uint_as_float(__float_as_uint(a[i] * 1.7f) & 0xfffff000u)");
    let words = ["binary digits", "Which step on the way to b[0] rounds to a shorter type"];
    fails("twelve digits less", &check(&book, &short, 3), &words);
    let tail = right.replace("ceil_div(n, 128)", "max(n / 128, 1)");
    let words = ["is the tail missing?", "Which thread is to write b[4096]: does the grid have one"];
    fails("the last block is left out", &check(&book, &tail, 3), &words);
}

/// A count is nearer to the cause than a modelled time; where only the time is not met, what binds it is asked about.
#[test]
#[ignore = "long"]
fn a_count_goes_before_a_time() {
    let book = Workbook::copy_of_parts(&["exercises/ex21", "solutions/ex21", "kernels/fuse"]);
    let ask = |mutant: &str| {
        book.write("exercises/ex21/kernel.cu", book.read(&format!("solutions/ex21/mutants/{mutant}.cu")));
        book.run(["ex21", "--backend", "sim", "--seed", "3"])
    };
    for (mutant, advice) in rows_in_turn([
        ("first_block_alone", "try first  Look at the work of a block"),
        ("one_block", "try first  Your version is modelled as bound by latency. Who works while"),
    ]) {
        fails(mutant, &ask(mutant), &["x  modelled speedup", advice]);
    }
}
