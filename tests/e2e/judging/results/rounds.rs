//! Few blocks that share all the work at a size that is not simulated whole, each of which goes round a loop hundreds of times: one or two
//! of them are run, and tell what they leave out.

use super::{SCALE, SCALE_REFERENCE, check, fails, passes, workbook};
use crate::support::rows_in_turn;

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
#[ignore = "long"]
fn a_block_leaves_out_nothing_among_its_own_parts() {
    let book = workbook(SCALE, SCALE_REFERENCE, &each("false"));
    passes("nothing", &check(&book, &each("false"), 5));
    for (what, condition) in rows_in_turn([
        ("a thread, later", "i > 30000000 && threadIdx.x == 77"),
        ("a round", "i / step == 500"),
        ("a round of all blocks but one", "i / step == 500 && blockIdx.x != 3"),
        ("the last round", "i > 30000000 && i + step >= n"),
    ]) {
        for seed in rows_in_turn([5, 6]) {
            fails(what, &check(&book, &each(condition), seed), &["WRONG RESULT", "nothing writes b[", "at n = 268435"]);
        }
    }
}

/// A block that a number in the code means is run, though not drawn: of elements or of what blocks do in turn.
#[test]
fn a_part_that_the_code_names_is_left_out_by_nobody() {
    let book = workbook(SCALE, SCALE_REFERENCE, &each("false"));
    let turns = "for (int part = blockIdx.x; part < (n + 511) / 512; part += gridDim.x) {
        int i = part * 512 + threadIdx.x;
        if (i < n && part != 401234) b[i] = a[i] * 1.7f;
    }";
    for seed in rows_in_turn([5, 6]) {
        for kernel in rows_in_turn([each("i == 123456789"), looped(turns)]) {
            fails("left out", &check(&book, &kernel, seed), &["WRONG RESULT", "nothing writes b["]);
        }
    }
}

/// An element that the code names is compared, though the blocks have much to do.
#[test]
fn an_element_that_the_code_names_is_compared() {
    let other = looped("for (int i = t; i < n; i += step) b[i] = i == 123456789 ? 0.0f : a[i] * 1.7f;");
    let book = workbook(SCALE, SCALE_REFERENCE, &each("false"));
    for seed in rows_in_turn([5, 6]) {
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
    for (who, kernel) in rows_in_turn([
        ("the last block", rest("if (blockIdx.x == gridDim.x - 1)", "threadIdx.x", "512")),
        ("the first block", rest("if (blockIdx.x == 0)", "threadIdx.x", "512")),
        ("all blocks", rest("", "t", "step")),
    ]) {
        for seed in rows_in_turn([5, 6]) {
            passes(who, &check(&book, &kernel, seed));
        }
    }
}

/// However blocks share out the elements, each by one of them is right.
#[test]
#[ignore = "long"]
fn shares_need_not_be_even() {
    let book = workbook(SCALE, SCALE_REFERENCE, &each("false"));
    let kernel = |grid: &str, body: &str| {
        format!(
            "
//@ launch scale<<<{grid}, 256>>>(a, b, n)
__global__ void scale(const float* a, float* b, int n)
{{
    int t = threadIdx.x, g = gridDim.x, k = blockIdx.x;
    {body}
}}
"
        )
    };
    let from_to = |from: &str, to: &str| format!("for (int i = {from} + t; i < {to}; i += 256) b[i] = a[i] * 1.7f;");
    let tiles = "int tiles = (n + 255) / 256;";
    let few = "min(ceil_div(n, 256), 1056)";
    for (how, grid, body) in rows_in_turn([
        (
            "fractions of all tiles",
            few,
            format!(
                "{tiles} {}",
                from_to("256 * int((long long)k * tiles / g)", "min(n, 256 * int((long long)(k + 1) * tiles / g))")
            ),
        ),
        (
            "a tile more for the first blocks",
            few,
            format!(
                "{tiles} int begin = k * (tiles / g) + min(k, tiles % g), end = begin + tiles / g + (k < tiles % g); {}",
                from_to("256 * begin", "min(n, 256 * end)")
            ),
        ),
        (
            "even shares, and the rest from the first block on",
            few,
            format!(
                "int own = n / g / 32 * 32; {} {}",
                from_to("k * own", "(k + 1) * own"),
                "for (int i = g * own + k * 32 + t; i < n && t < 32; i += 32 * g) b[i] = a[i] * 1.7f;"
            ),
        ),
        (
            "even shares, and the rest by the last threads",
            few,
            format!(
                "int own = n / g; {} if (k == g - 1 && t >= 200) for (int i = g * own + t - 200; i < n; i += 56) b[i] = a[i] * 1.7f;",
                from_to("k * own", "(k + 1) * own")
            ),
        ),
        (
            "fifteen blocks for sixteen tiles",
            "ceil_div(15 * ceil_div(n, 256), 16)",
            "for (int i = k * 256 + t; i < n; i += 256 * g) b[i] = a[i] * 1.7f;".to_owned(),
        ),
        (
            "tiles from a third of the grid on",
            "ceil_div(n, 256)",
            "int i = (k + g / 3) % g * 256 + t; if (i < n) b[i] = a[i] * 1.7f;".to_owned(),
        ),
        (
            "whole rounds, and the rest from the last block down",
            few,
            format!(
                "int whole = n / (256 * g) * (256 * g), own = (n - whole + g - 1) / g, from = whole + (g - 1 - k) * own;
    for (int i = k * 256 + t; i < whole; i += 256 * g) b[i] = a[i] * 1.7f;
    {}",
                from_to("from", "min(n, from + own)")
            ),
        ),
    ]) {
        for seed in rows_in_turn([5, 7]) {
            passes(how, &check(&book, &kernel(grid, &body), seed));
        }
    }
}
