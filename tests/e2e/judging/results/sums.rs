//! Sums that come to the outputs by atomics, from blocks of a size that is not simulated whole: what an element adds to them is the same wherever it
//! is, and what the blocks for some of them add is what the oracle says.

use super::blocks::RECORD;
use super::{check, fails, passes, workbook};
use crate::support::{Workbook, rows_in_turn};

/// A problem with two counts.
fn count_problem() -> String {
    RECORD.replace("record", "count")
}

const COUNT_REFERENCE: &str = "
//@ launch count_reference<<<1, 1>>>(a, count, n)
__global__ void count_reference(const int* a, int* count, int n)
{
    int above = 0;
    for (int i = 0; i < n; ++i) above += a[i] > 0;
    count[0] = above;
    count[1] = n - above;
}
";

/// Who counts, with what each element does to the words.
fn count(each: &str) -> String {
    format!(
        "
//@ launch clear<<<1, 2>>>(count)
//@ launch add<<<ceil_div(n, 256), 256>>>(a, count, n)
__global__ void clear(int* count) {{ count[threadIdx.x] = 0; }}
__global__ void add(const int* a, int* count, int n)
{{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) {each};
}}
"
    )
}

/// An element that counts for two, for the other word, or by another condition, where no size is run whole.
#[test]
#[ignore = "long"]
fn an_element_counts_the_same_wherever_it_is() {
    let right = count("atomicAdd(&count[a[i] > 0 ? 0 : 1], 1)");
    let book = workbook(&count_problem(), COUNT_REFERENCE, &right);
    for seed in rows_in_turn([5, 6]) {
        passes("a count", &check(&book, &right, seed));
    }
    for (what, each) in rows_in_turn([
        ("twice", "atomicAdd(&count[a[i] > 0 ? 0 : 1], 1 + (i >> 25))"),
        ("the other way round", "atomicAdd(&count[(a[i] > 0) != (i >> 25) ? 0 : 1], 1)"),
        ("above another number", "atomicAdd(&count[a[i] > (i >> 25) * -700 ? 0 : 1], 1)"),
        ("taken off", "atomicAdd(&count[a[i] > 0 ? 0 : 1], i >= 50000000 ? -1 : 1)"),
    ]) {
        for seed in rows_in_turn([5, 6]) {
            let words = &["WRONG RESULT", "a change of a[", "moves count[", "at n = 67108"];
            fails(what, &check(&book, &count(each), seed), words);
        }
    }
}

/// A problem with a sum of each hundred elements.
fn groups_problem() -> String {
    let problem = RECORD.replace("n = 33 }", "n = 133 }").replace("\"record\"", "\"sums\"");
    problem.replace("len   = \"2\"", "len   = \"ceil_div(n, 100)\"")
}

const GROUPS_REFERENCE: &str = "
//@ let m = ceil_div(n, 100)
//@ launch sums_reference<<<ceil_div(m, 64), 64>>>(a, sums, n, m)
__global__ void sums_reference(const int* a, int* sums, int n, int m)
{
    int j = blockIdx.x * 64 + threadIdx.x;
    if (j >= m) return;
    int sum = 0;
    for (int i = j * 100; i < min(j * 100 + 100, n); ++i) sum += a[i];
    sums[j] = sum;
}
";

/// Who adds up groups, each element to a sum.
fn groups(sum: &str, what: &str) -> String {
    format!(
        "
//@ let m = ceil_div(n, 100)
//@ launch clear<<<ceil_div(m, 256), 256>>>(sums, m)
//@ launch add<<<ceil_div(n, 128), 128>>>(a, sums, n, m)
__global__ void clear(int* sums, int m)
{{
    int j = blockIdx.x * 256 + threadIdx.x;
    if (j < m) sums[j] = 0;
}}
__global__ void add(const int* a, int* sums, int n, int m)
{{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n) atomicAdd(&sums[{sum}], {what});
}}
"
    )
}

/// Sums to which several blocks come are whole where all of these have run.
#[test]
#[ignore = "long"]
fn sums_of_several_blocks_are_compared() {
    let right = groups("i / 100", "a[i]");
    let book = workbook(&groups_problem(), GROUPS_REFERENCE, &right);
    for seed in rows_in_turn([5, 6]) {
        passes("groups", &check(&book, &right, seed));
        let turned = groups("(n - 1 - i) / 100", "a[n - 1 - i]");
        passes("the last element first", &check(&book, &turned, seed));
    }
    // The upper bits by a launch of their own, the last element first.
    let two = groups("i / 100", "a[i] & 255");
    let two = two.replace("__global__ void add(", "__global__ void more(const int* a, int* sums, int n)\n{\n    int i = n - 1 - (blockIdx.x * 128 + threadIdx.x);\n    if (i >= 0) atomicAdd(&sums[i / 100], a[i] & ~255);\n}\n__global__ void add(");
    let two = two.replace("//@ launch add", "//@ launch more<<<ceil_div(n, 128), 128>>>(a, sums, n)\n//@ launch add");
    for seed in rows_in_turn([5, 6]) {
        let ran = check(&book, &two, seed);
        assert!(ran.stdout.contains("ok results"), "{ran:?}");
    }
    for (what, sum, adds) in rows_in_turn([
        ("more of each", "i / 100", "a[i] + (i >> 25)"),
        ("another sum", "min(i / 100 + (i >> 25), m - 1)", "a[i]"),
        ("a sum that is left out", "i / 100", "i / 100 % 1000 == 999 && i >> 25 ? 0 : a[i]"),
    ]) {
        for seed in rows_in_turn([5, 6]) {
            fails(what, &check(&book, &groups(sum, adds), seed), &["WRONG RESULT", "at n = 67108"]);
        }
    }
}

/// The largest of all elements: of each block's part first, and then of these.
fn largest(own: &str, parts: &str) -> String {
    format!(
        "
//@ let grid = ceil_div(n, 1024)
//@ scratch parts: i32[grid]
//@ launch part<<<grid, 256>>>(a, parts, n)
//@ launch all<<<1, 256>>>(parts, count, grid)
__device__ int block_most(int most)
{{
    __shared__ int warps[8];
    most = __reduce_max_sync(0xffffffffu, most);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = most;
    __syncthreads();
    return __reduce_max_sync(0xffffffffu, warps[threadIdx.x % 8]);
}}
__global__ void part(const int* a, int* parts, int n)
{{
    int most = -1000;
    for (int i = blockIdx.x * 1024 + threadIdx.x; i < min((int)blockIdx.x * 1024 + 1024, n); i += 256) most = max(most, a[i]);
    most = block_most(most);
    if (threadIdx.x == 0) parts[blockIdx.x] = {own};
}}
__global__ void all(const int* parts, int* count, int grid)
{{
    int most = -1000;
    for (int i = threadIdx.x; i < {parts}; i += 256) most = max(most, parts[i]);
    most = block_most(most);
    if (threadIdx.x == 0) count[0] = most;
}}
"
    )
}

/// What a block leaves for the next launch is the same for the same numbers, and is read.
#[test]
#[ignore = "long"]
fn what_blocks_leave_is_the_same_and_is_read() {
    let problem = count_problem().replace("len   = \"2\"", "len   = \"1\"");
    let reference = "
//@ launch largest_reference<<<1, 1>>>(a, count, n)
__global__ void largest_reference(const int* a, int* count, int n)
{
    int most = -1000;
    for (int i = 0; i < n; ++i) most = max(most, a[i]);
    count[0] = most;
}
";
    let book = workbook(&problem, reference, &largest("most", "grid"));
    for seed in rows_in_turn([5, 6]) {
        passes("the largest", &check(&book, &largest("most", "grid"), seed));
        let less = largest("most - ((int)blockIdx.x >> 15)", "grid");
        fails("less", &check(&book, &less, seed), &["WRONG RESULT", "leaves parts[", "at n = 67108"]);
        let few = largest("most", "min(grid, 60000)");
        fails("few", &check(&book, &few, seed), &["WRONG RESULT", "no later launch reads that", "at n = 67108"]);
    }
}

/// An element at the edge of a block's part may have less of a say there.
#[test]
#[ignore = "long"]
fn elements_at_edges_may_move_less() {
    let problem = count_problem().replace("len   = \"2\"", "len   = \"1\"").replace("(-1000, 1000)", "(-10, 10)");
    let reference = "
//@ launch steps_reference<<<1, 1>>>(a, count, n)
__global__ void steps_reference(const int* a, int* count, int n)
{
    int sum = 0;
    for (int i = 0; i + 1 < n; ++i) sum += abs(a[i + 1] - a[i]);
    count[0] = sum;
}
";
    let steps = "
//@ launch clear<<<1, 1>>>(count)
//@ launch steps<<<ceil_div(n, 1024), 1024>>>(a, count, n)
__global__ void clear(int* count) { count[0] = 0; }
__global__ void steps(const int* a, int* count, int n)
{
    __shared__ int all;
    if (threadIdx.x == 0) all = 0;
    __syncthreads();
    int i = blockIdx.x * 1024 + threadIdx.x;
    int own = i + 1 < n ? abs(a[i + 1] - a[i]) : 0;
    own = __reduce_add_sync(0xffffffffu, own);
    if (threadIdx.x % 32 == 0) atomicAdd(&all, own);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(count, all);
}
";
    let book = workbook(&problem, reference, steps);
    // At the last two the large size has an edge among the elements that are looked at, and the small one has none.
    for seed in [5, 6, 21, 29] {
        passes("steps", &check(&book, steps, seed));
    }
}

/// Blocks of a launch that clears what others add to are not held to have written less where those had been before them.
#[test]
#[ignore = "long"]
fn what_clears_writes_all_of_it() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex74", "solutions/ex74", "kernels/few-long"]);
    let strips = "
//@ let    block = 128
//@ launch clear<<<ceil_div(cols, 1024), 1024>>>(sums, cols)
//@ launch column_sums<<<(ceil_div(cols, block), ceil_div(rows, 64)), block>>>(m, sums, rows, cols)
__global__ void clear(float* sums, int cols)
{
    int c = blockIdx.x * 1024 + threadIdx.x;
    if (c < cols) sums[c] = 0;
}
__global__ void column_sums(const float* m, float* sums, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    int from = blockIdx.y * 64, to = min(from + 64, rows);
    float sum = 0.0f;
    #pragma unroll 8
    for (int r = from; r < to; ++r) sum += m[(long long)r * cols + c];
    atomicAdd(&sums[c], sum);
}
";
    workbook.write("exercises/ex74/kernel.cu", strips);
    for seed in ["13", "15"] {
        let ran = workbook.run(["ex74", "--backend", "sim", "--seed", seed]);
        assert!(ran.stdout.contains("ok results"), "{ran:?}");
    }
}

/// 127 columns of 128 rows are as many elements as 128 of 127, and their sums are others: where a drawn size has 127 left in both directions.
#[test]
#[ignore = "long"]
fn tiles_at_two_edges_leave_what_they_may() {
    let book = Workbook::copy_of_parts(&["exercises/ex74", "solutions/ex74", "kernels/few-long"]);
    book.write("exercises/ex74/kernel.cu", book.read("solutions/ex74/styles/strips.cu"));
    passes("strips", &book.run(["ex74", "--backend", "sim", "--seed", "44"]));
}
