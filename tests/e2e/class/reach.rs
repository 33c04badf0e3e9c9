//! Sizes up to the one at which kernels are timed, run whole: for a class, and for whoever asks for it.

use crate::support::{Workbook, rows_in_turn};

/// Two counters in one word, the lower one of 22 bits: right up to four million of a kind.
const PACKED: &str = "
//@ let     block = 256
//@ scratch both: u64[1]
//@ launch  clear<<<1, 1>>>(both)
//@ launch  positives<<<ceil_div(n, block), block>>>(x, both, n)
//@ launch  unpack<<<1, 1>>>(both, count)

__global__ void clear(unsigned long long* both) { *both = 0; }

__global__ void positives(const float* x, unsigned long long* both, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(both, x[i] > 0.0f ? 1ull : 1ull << 22);
}

__global__ void unpack(const unsigned long long* both, int* count)
{
    count[0] = *both & ((1 << 22) - 1);
    count[1] = *both >> 22;
}
";

#[test]
#[ignore = "long"]
fn a_sum_that_only_fits_at_smaller_sizes_is_worth_nothing() {
    for part in rows_in_turn([in_a_class, by_itself]) {
        part();
    }
}

fn in_a_class() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex03", "solutions/ex03", "kernels/few-long"]);
    workbook.write("class/ada/ex03/kernel.cu", workbook.read("solutions/ex03/solution.cu"));
    workbook.write("class/ben/ex03/kernel.cu", PACKED);
    let ran = workbook.run(["grade", "class", "--seed", "7"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let points = workbook.read("grades/grades.csv");
    assert!(points.contains("\nada,,10,") && points.contains("\nben,,0,"), "{points}");
    let told = workbook.run(["grade", "again", "ada", "ex03", "--verbose"]).stdout;
    assert!(told.split_whitespace().collect::<Vec<_>>().join(" ").contains("and up to n ="), "{told}");
}

/// The same for the learner, and what to type to see it again.
fn by_itself() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex03", "solutions/ex03", "kernels/few-long"]);
    workbook.write("exercises/ex03/kernel.cu", PACKED);
    let ran = workbook.run(["ex03", "--all", "--seed", "7", "--backend", "sim"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("WRONG RESULT") && ran.stdout.contains("checker ex03 --all --seed 7"), "{ran:?}");
}
