//! Results that are right in the usual order only: what the report tells to try first.

use super::{SCALE, SCALE_REFERENCE, check, fails, scale, workbook};

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
