//! Blocks of a size that is too large to be run whole, where they need what others have done first, or race with each other there only.

use super::{SCALE, SCALE_REFERENCE, check, fails, passes, scale, workbook};
use crate::support::{Workbook, rows_in_turn};

/// Every block waits until the first one has said that it is there.
fn after_the_first(value: &str) -> String {
    let begin = "if (blockIdx.x == 0 && threadIdx.x == 0) atomicExch(go, 1u);
    if (threadIdx.x == 0) while (atomicAdd(go, 0u) == 0) {}
    __syncthreads();";
    scale(begin, value)
        .replace("//@ launch", "//@ scratch go: u32[1]\n//@ launch clear<<<1, 1>>>(go)\n//@ launch")
        .replace("(a, b, n)", "(a, b, go, n)")
        .replace("float* b, int n", "float* b, unsigned* go, int n")
        .replace("__global__", "__global__ void clear(unsigned* go) { go[0] = 0; }\n__global__")
}

/// A launch before says which elements a block has.
fn by_a_table(value: &str) -> String {
    let begin = "i = 128 * order[blockIdx.x] + threadIdx.x;";
    scale(begin, value)
        .replace(
            "//@ launch",
            "//@ let     blocks = ceil_div(n, 128)\n//@ scratch order: i32[blocks]\n//@ launch turned<<<ceil_div(blocks, 1024), \
             1024>>>(order, blocks)\n//@ launch",
        )
        .replace("(a, b, n)", "(a, b, order, n)")
        .replace("float* b, int n", "float* b, const int* order, int n")
        .replace(
            "__global__",
            "__global__ void turned(int* order, int blocks)\n{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < blocks) \
             order[i] = blocks - 1 - i;\n}\n__global__",
        )
}

/// Two launches are enough.
fn two_launches(starter: &str) -> Workbook {
    workbook(&SCALE.replace("max    = 1", "max    = 2"), SCALE_REFERENCE, starter)
}

#[test]
fn blocks_that_wait_for_the_first_one_are_compared() {
    let right = after_the_first("a[i] * 1.7f");
    let book = two_launches(&right);
    for seed in rows_in_turn([5, 6]) {
        passes("right", &check(&book, &right, seed));
        let wrong = after_the_first("i > 200000000 ? 0.0f : a[i] * 1.7f");
        fails("wrong", &check(&book, &wrong, seed), &["WRONG RESULT", "at n = 26843"]);
    }
}

#[test]
#[ignore = "long"]
fn blocks_that_read_what_a_launch_has_written_are_compared() {
    let right = by_a_table("a[i] * 1.7f");
    let book = two_launches(&right);
    for seed in rows_in_turn([5, 6]) {
        passes("right", &check(&book, &right, seed));
        let wrong = by_a_table("i > 200000000 ? 0.0f : a[i] * 1.7f");
        fails("wrong", &check(&book, &wrong, seed), &["WRONG RESULT", "at n = 26843"]);
    }
}

/// What several launches write to stays as the last large one leaves it, whatever another touches of it, or stores beforehand.
#[test]
#[ignore = "long"]
fn what_the_last_large_launch_writes_is_compared() {
    let touched = |value: &str| {
        scale("", value)
            .replace("b, n)\n", "b, n)\n//@ launch touch<<<1, 1>>>(b)\n")
            .replace("__global__", "__global__ void touch(float* b) { b[0] = b[0]; }\n__global__")
    };
    let stored = |value: &str| {
        scale("", value)
            .replace(
                "(a, b, n)\n",
                "(a, kept, n)\n//@ launch copy<<<ceil_div(n, 1024), 128>>>(kept, b, n)\n",
            )
            .replace("//@ launch scale", "//@ scratch kept: f32[n]\n//@ launch scale")
            .replace(
                "__global__",
                "__global__ void copy(const float* a, float* b, int n)\n{\n    for (int k = 0; k < 8; ++k) {\n        int i = blockIdx.x * 1024 + k * \
                 128 + threadIdx.x;\n        if (i < n) b[i] = a[i];\n    }\n}\n__global__",
            )
    };
    let cleared = |value: &str| {
        scale("", value)
            .replace("//@ launch", "//@ launch clear<<<ceil_div(n, 128), 128>>>(b, n)\n//@ launch")
            .replace(
                "__global__",
                "__global__ void clear(float* b, int n)\n{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) b[i] = \
                 0.0f;\n}\n__global__",
            )
    };
    let ways: [&dyn Fn(&str) -> String; 3] = [&cleared, &touched, &stored];
    for (number, way) in ways.into_iter().enumerate() {
        let right = way("a[i] * 1.7f");
        assert_eq!(right.matches("//@ launch").count(), 2, "{right}");
        let book = two_launches(&right);
        for seed in rows_in_turn([5, 6]) {
            passes("right", &check(&book, &right, seed));
            let wrong = way("blockIdx.x == 1601234 ? 0.0f : a[i] * 1.7f");
            fails(&format!("way {number}"), &check(&book, &wrong, seed), &["WRONG RESULT", "at n = 26843"]);
        }
    }
}

/// Of blocks that no size has which is run whole, some are watched.
#[test]
fn a_barrier_that_is_left_out_beyond_the_simulated_sizes_is_a_race() {
    let turned = |barrier: &str| {
        let begin = format!(
            "__shared__ float s[128];
    s[threadIdx.x] = i < n ? a[i] : 0.0f;
    {barrier}
    float x = s[127 - threadIdx.x];
    __syncthreads();
    s[127 - threadIdx.x] = x;
    __syncthreads();"
        );
        scale(&begin, "s[threadIdx.x] * 1.7f")
    };
    let right = turned("__syncthreads();");
    let book = workbook(SCALE, SCALE_REFERENCE, &right);
    for seed in rows_in_turn([5, 6]) {
        passes("right", &check(&book, &right, seed));
        let early = turned("if (blockIdx.x < 200000) __syncthreads();");
        fails("left out", &check(&book, &early, seed), &["RACE", "in shared memory"]);
    }
}

/// A size that stands in the code is run.
#[test]
fn a_size_that_the_code_names_is_run_whole() {
    let right = scale("", "a[i] * 1.7f");
    let book = workbook(SCALE, SCALE_REFERENCE, &right);
    book.write("exercises/ex01/problem.toml", SCALE.replace("count =", "drawn = [{ n = [2, 4000] }]\ncount ="));
    let in_a_line = right
        .replace("//@ launch", "//@ let m = n\n//@ for (; m == 54321; m = 0)\n//@ end\n//@ launch")
        .replace("(a, b, n)", "(a, b, m)");
    for seed in rows_in_turn([5, 6]) {
        passes("right", &check(&book, &right, seed));
        let in_the_code = scale("if (n == 54321) return;", "a[i] * 1.7f");
        for kernel in [&in_the_code, &in_a_line] {
            fails("named", &check(&book, kernel, seed), &["WRONG RESULT", "at n = 54321"]);
        }
    }
}
