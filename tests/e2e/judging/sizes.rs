//! Sizes beside the cases: what is compiled for them, what is wrong at them, and what only a GPU can run.

use crate::support::Workbook;

const SIM: [&str; 4] = ["--backend", "sim", "--plain", "--seed"];

/// A template's argument that depends on the size has another value at sizes that are no case.
#[test]
fn every_size_that_is_tried_has_its_instance_of_a_template() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex21", "solutions/ex21", "kernels/few-long"]);
    let answer = workbook.read("solutions/ex21/styles/tail_in_the_template.cu");
    workbook.write("exercises/ex21/kernel.cu", answer);
    for seed in ["3", "4"] {
        let ran = workbook.run(["ex21"].iter().chain(&SIM).chain([&seed]));
        assert_eq!(ran.code, Some(0), "{ran:?}");
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

/// From 2^27 elements on it is another instance, which a GPU verifies (`gpu_cases`) and nothing else can.
#[test]
fn a_ladders_step_is_not_wrong_for_what_gpus_run() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex21", "kernels/reduction"]);
    let ran = workbook.run(["reduction", "best"].iter().chain(&SIM).chain([&"3"]));
    assert_eq!(ran.code, Some(0), "{ran:?}");
}
