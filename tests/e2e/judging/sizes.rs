//! Sizes beside the cases: what is compiled for them, what is wrong at them, and what only a GPU can run.

use crate::support::{Workbook, rows_in_turn};

const SIM: [&str; 4] = ["--backend", "sim", "--plain", "--seed"];

/// A template's argument that depends on the size has another value at sizes that are no case.
#[test]
#[ignore = "long"]
fn every_size_that_is_tried_has_its_instance_of_a_template() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex21", "solutions/ex21", "kernels/few-long"]);
    let answer = workbook.read("solutions/ex21/styles/tail_in_the_template.cu");
    workbook.write("exercises/ex21/kernel.cu", answer);
    for seed in ["3", "4"] {
        let ran = workbook.run(["ex21"].iter().chain(&SIM).chain([&seed]));
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
}

/// Wrong at sizes with one remainder, or between the largest case and the `time` size, which neither draw meets.
#[test]
fn what_is_done_at_few_sizes_is_found() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex03", "solutions/ex03", "kernels/few-long", "exercises/ex21"]);
    let right = workbook.read("solutions/ex03/solution.cu");
    let place = "    if (x[i] > 0.0f)";
    assert!(right.contains(place));
    // What it says is of the size at which it was wrong.
    let size = |stdout: &str| -> Option<i64> {
        let (_, at) = stdout.split_once("at n = ")?;
        at.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    let remainder = |rest: i64| move |n: i64| n % 128 == rest;
    let between = |n: i64| n > 20000 && n < 400000;
    for (condition, wrong_at) in rows_in_turn([
        ("n % 128 == 77 && i == 2", &remainder(77) as &dyn Fn(i64) -> bool),
        ("(n & 127) - 22 == 0 && i == n - 1", &remainder(22)),
        ("n > 20000 && n < 400000 && i == 20000", &between),
    ]) {
        workbook
            .write("exercises/ex03/kernel.cu", right.replace(place, &format!("    if ({condition}) return;\n{place}")));
        for seed in rows_in_turn(["3", "4"]) {
            let ran = workbook.run(["ex03"].iter().chain(&SIM).chain([&seed]));
            let told = ran.stdout.contains("WRONG RESULT") && size(&ran.stdout).is_some_and(wrong_at);
            assert!(ran.code == Some(1) && told, "{condition}, {seed}: {ran:?}");
        }
    }
}

/// The thread behind those that have four elements does the rest, and the grid has none where these fill their blocks.
#[test]
fn sizes_at_which_a_grid_grows_are_tried() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex01", "solutions/ex01", "kernels/few-long", "exercises/ex21"]);
    let right = workbook.read("solutions/ex01/solution.cu");
    let wrong = right
        .replace("<<<ceil_div(n, block), block>>>", "<<<max(1, ceil_div(n / 4, block)), block>>>")
        .replace("    float t = before[i];", "    int end = i < n / 4 ? 4 * i + 4 : i == n / 4 ? n : 0;\n    for (int e = 4 * i; e < end; ++e) {\n    float t = before[e];")
        .replace("    after[i] = t;", "    after[e] = t;\n    }");
    workbook.write("exercises/ex01/kernel.cu", wrong);
    for seed in ["3", "4", "5"] {
        let ran = workbook.run(["ex01"].iter().chain(&SIM).chain([&seed]));
        let told = ran.stdout.contains("WRONG RESULT") && ran.stdout.contains("3 of the ");
        assert!(ran.code == Some(1) && told, "{seed}: {ran:?}");
    }
}

/// An instance of a template for each number of threads: one is wrong for few elements, one for many.
#[test]
fn each_value_that_is_not_drawn_meets_other_sizes() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex92", "solutions/ex92", "kernels/few-long", "exercises/ex21"]);
    let right = workbook.read("solutions/ex92/solution.cu");
    let index = "int i = blockIdx.x * block + t;";
    assert!(right.contains(index));
    let few = "if (block == 512 && gridDim.x < 30) { if (t == 0) ranges[blockIdx.x] = 0; return; }";
    let few = right.replace(index, &format!("{index}\n{few}"));
    let many = right.replace(index, "int i = (block == 128 ? blockIdx.x & 127 : blockIdx.x) * block + t;");
    for (wrong, block) in [(few, "block = 512"), (many, "block = 128")] {
        workbook.write("exercises/ex92/kernel.cu", wrong);
        for seed in ["3", "4"] {
            let ran = workbook.run(["ex92"].iter().chain(&SIM).chain([&seed]));
            let told = ran.stdout.contains("WRONG RESULT") && ran.stdout.contains(block);
            assert!(ran.code == Some(1) && told, "{block}, {seed}: {ran:?}");
        }
    }
}

/// Full blocks none of whose elements is positive add without an atomic.
#[test]
#[ignore = "long"]
fn full_blocks_are_watched_over_each_kind_of_inputs() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex03", "solutions/ex03", "kernels/few-long", "exercises/ex21"]);
    let right = workbook.read("solutions/ex03/solution.cu");
    let head = right.split("//@ launch positives").next().unwrap();
    let races = r"
        //@ launch positives<<<ceil_div(n, 64 * block), block>>>(x, count, n)
        __global__ void clear(int* count) { count[threadIdx.x] = 0; }
        __global__ void positives(const float* x, int* count, int n)
        {
            __shared__ int sums[2];
            if (threadIdx.x < 2) sums[threadIdx.x] = 0;
            __syncthreads();
            int first = blockIdx.x * 64 * blockDim.x + threadIdx.x, positive = 0, all = 0;
            for (int i = first; i < min(n, first + 64 * int(blockDim.x)); i += blockDim.x) ++all, positive += x[i] > 0.0f;
            atomicAdd(&sums[0], positive);
            atomicAdd(&sums[1], all - positive);
            __syncthreads();
            if (threadIdx.x > 0) return;
            if (sums[1] == 64 * blockDim.x) count[1] += sums[1];
            else atomicAdd(&count[0], sums[0]), atomicAdd(&count[1], sums[1]);
        }
    ";
    workbook.write("exercises/ex03/kernel.cu", [head, races].concat());
    for seed in ["3", "4", "5"] {
        let ran = workbook.run(["ex03", "--all"].iter().chain(&SIM).chain([&seed]));
        assert!(ran.code == Some(1) && ran.stdout.contains("  RACE  ex03"), "{seed}: {ran:?}");
    }
}

/// The table shows what was counted of a right kernel.
#[test]
fn a_sweep_is_right_where_it_is_counted() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex21", "kernels/few-long"]);
    let file = "kernels/few-long/sweep.cu";
    let broken = workbook.read(file).replace("? 256 : 8", "? (n > 1000 ? 255 : 256) : 8");
    workbook.write(file, broken);
    let ran = workbook.run(["few-long"].iter().chain(&SIM).chain([&"3"]));
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("elements of `out` are wrong") && ran.stdout.contains("n = 8192"), "{}", ran.stdout);
}

/// Nor is it at the size that is measured, which no cell is run at whole: a few blocks of two cells tell.
#[test]
#[ignore = "long"]
fn a_sweep_is_right_where_it_is_measured() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex21", "kernels/copy-flight", "kernels/register-budget"]);
    for (id, whole, cut, says) in [
        (
            "copy-flight",
            "size_t(blockIdx.x) * 128",
            "size_t(blockIdx.x % 4096) * 128",
            "it writes about 6 % of its outputs",
        ),
        ("register-budget", "size_t(blockIdx.x) * 256", "size_t(blockIdx.x % 64) * 256", "elements of `y` are wrong"),
    ] {
        let file = format!("kernels/{id}/sweep.cu");
        let right = workbook.read(&file);
        assert!(right.contains(whole), "{id}");
        let ran = |text: String| {
            workbook.write(&file, text);
            workbook.run([id].iter().chain(&SIM).chain([&"4"]))
        };
        let wrong = ran(right.replace(whole, cut));
        assert!(wrong.code == Some(1) && wrong.stdout.contains(says), "{id}: {wrong:?}");
        assert_eq!(ran(right).code, Some(0), "{id}");
    }
}

/// A version is tried whole at a block size that it claims, and a few blocks of it at the size that is measured.
#[test]
#[ignore = "long"]
fn a_ladders_version_is_tried_where_it_says_it_runs() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex21", "kernels/reduction"]);
    for (version, right, wrong, says) in [
        // The ladder's own block size is none of its: other types, several blocks.
        ("best", "t < n % width)", "t < n % width && t < 3)", "at half, n = "),
        ("best", "        __threadfence();\n        last", "        last", "two threads use `partial["),
        // Its module at another size between two runs.
        (
            "ticket",
            "atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1",
            "(atomicAdd(&ticket, 1u) + 1) % gridDim.x == 0",
            "two threads use `partial[",
        ),
        (
            "atomic",
            "max(1, ceil_div(n, block))",
            "max(1, min(65535, ceil_div(n, block)))",
            "it reads about 6 % of its inputs",
        ),
    ] {
        let file = format!("kernels/reduction/{version}.cu");
        let text = workbook.read(&file);
        assert!(text.contains(right), "{version}");
        workbook.write(&file, text.replace(right, wrong));
        let ran = workbook.run(["reduction", version].iter().chain(&SIM).chain([&"3"]));
        assert!(ran.code == Some(1) && ran.stdout.contains(says), "{version}: {ran:?}");
        workbook.write(&file, text);
    }
}

/// From 2^27 elements on it is another instance, which a GPU verifies (`gpu_cases`) and nothing else can.
#[test]
#[ignore = "long"]
fn a_ladders_step_is_not_wrong_for_what_gpus_run() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex21", "kernels/reduction"]);
    let ran = workbook.run(["reduction", "best"].iter().chain(&SIM).chain([&"3"]));
    assert_eq!(ran.code, Some(0), "{ran:?}");
}
