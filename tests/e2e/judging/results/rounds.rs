//! Few blocks that share all the work at a size that is not simulated whole, each of which goes round a loop hundreds of times: one or two
//! of them are run, and tell what they leave out.

use super::{SCALE, SCALE_REFERENCE, check, fails, passes, workbook};

/// A block of 512 threads for each fourth of a multiprocessor, of 132. `step`: the grid's threads.
fn looped(body: &str) -> String {
    format!(
        "
//@ launch scale<<<min(528, ceil_div(n, 512)), 512>>>(a, b, n)
__global__ void scale(const float* a, float* b, int n)
{{
    int t = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    {body}
}}
"
    )
}

fn each(condition: &str) -> String {
    looped(&format!("for (int i = t; i < n; i += step) if (!({condition})) b[i] = a[i] * 1.7f;"))
}

/// What such a block writes, and not again and again, nobody else does.
#[test]
fn a_block_leaves_out_nothing_among_its_own_parts() {
    let book = workbook(SCALE, SCALE_REFERENCE, &each("false"));
    passes("nothing", &check(&book, &each("false"), 5));
    for (what, condition) in [
        ("a thread, later", "i > 30000000 && threadIdx.x == 77"),
        ("a round", "i / step == 500"),
        ("a round of all blocks but one", "i / step == 500 && blockIdx.x != 3"),
        ("the last round", "i > 30000000 && i + step >= n"),
    ] {
        for seed in [5, 6] {
            fails(what, &check(&book, &each(condition), seed), &["WRONG RESULT", "nothing writes b[", "at n = 268435"]);
        }
    }
}

/// An element that the code names is compared, though the blocks have much to do.
#[test]
fn an_element_that_the_code_names_is_compared() {
    let other = looped("for (int i = t; i < n; i += step) b[i] = i == 123456789 ? 0.0f : a[i] * 1.7f;");
    let book = workbook(SCALE, SCALE_REFERENCE, &each("false"));
    for seed in [5, 6] {
        fails("one element", &check(&book, &other, seed), &["WRONG RESULT", "b[123456789]"]);
    }
}

/// Whole rounds first, and what is left in another way: by the last block, by the first, or by all, element by element.
#[test]
fn what_is_left_of_whole_rounds_may_be_others() {
    let book = workbook(SCALE, SCALE_REFERENCE, &each("false"));
    let quads = |rest: &str| {
        looped(&format!(
            "int whole = n / (4 * step) * step;
    for (int q = t; q < whole; q += step) {{
        float4 v = reinterpret_cast<const float4*>(a)[q];
        reinterpret_cast<float4*>(b)[q] = make_float4(v.x * 1.7f, v.y * 1.7f, v.z * 1.7f, v.w * 1.7f);
    }}
    {rest}"
        ))
    };
    let rest = |which: &str, from: &str, by: &str| {
        quads(&format!("{which} for (int i = 4 * whole + {from}; i < n; i += {by}) b[i] = a[i] * 1.7f;"))
    };
    for (who, kernel) in [
        ("the last block", rest("if (blockIdx.x == gridDim.x - 1)", "threadIdx.x", "512")),
        ("the first block", rest("if (blockIdx.x == 0)", "threadIdx.x", "512")),
        ("all blocks", rest("", "t", "step")),
    ] {
        for seed in [5, 6] {
            passes(who, &check(&book, &kernel, seed));
        }
    }
}
