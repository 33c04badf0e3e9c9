//! Results that are not the kernel's: right only where it is looked at, right only on one machine, hidden in the tolerance; and
//! the checker's own kernels for measuring, which draw inputs and compare outputs on a GPU, on the simulator.

mod blocks;
mod constants;
mod device;
mod large;
mod machine;
mod others;
mod remembers;
mod rounds;
mod shares;
mod shown;
mod stops;
mod sums;
mod try_first;
mod waits;

use crate::support::{Ran, Workbook, rows_in_turn};

/// A problem with an output an element.
const SCALE: &str = r#"
title    = "Scaled"
chapter  = "first"
summary  = "s"
learned  = "l"
hints    = ["one", "two", "three"]
cases = [{ n = 1 }, { n = 33 }, { n = 1024 }, { n = 4097 }]
count = { n = 4097 }
time  = { n = 268435456 }
[[in]]
name = "a"
type = "f32"
len  = "n"
fill = "uniform(-1, 1)"
[[out]]
name  = "b"
type  = "f32"
len   = "n"
error = { ops = "2", unit = "f32" }
[[goal]]
metric = "launches"
max    = 1
why    = "one is enough"
"#;

const SCALE_REFERENCE: &str = "
//@ launch scale<<<ceil_div(n, 128), 128>>>(a, b, n)
__global__ void scale(const float* a, double* b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = (double)a[i] * (double)1.7f;
}
";

/// A problem with one output of all elements.
const SUM: &str = r#"
title    = "Added up"
chapter  = "first"
summary  = "s"
learned  = "l"
hints    = ["one", "two", "three"]
cases = [{ n = 1 }, { n = 33 }, { n = 1024 }, { n = 4097 }, { n = 150003 }]
count = { n = 4097 }
time  = { n = 268435456 }
[[in]]
name = "a"
type = "f32"
len  = "n"
fill = "uniform(-1, 1)"
[[out]]
name  = "sum"
type  = "f32"
len   = "1"
error = { ops = "log2(n) + 20", unit = "f32" }
[[goal]]
metric = "launches"
max    = 2
why    = "two are enough"
"#;

const SUM_REFERENCE: &str = "
//@ launch sum_all<<<1, 256>>>(a, sum, sum_magnitude, n)
__global__ void sum_all(const float* a, double* sum, double* sum_magnitude, int n)
{
    __shared__ double own[256], large[256];
    double s = 0.0, m = 0.0;
    for (int i = threadIdx.x; i < n; i += 256) {
        s += a[i];
        m += fabs((double)a[i]);
    }
    own[threadIdx.x] = s;
    large[threadIdx.x] = m;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int t = 1; t < 256; ++t) {
        s += own[t];
        m += large[t];
    }
    *sum = s;
    *sum_magnitude = m;
}
";

/// Adds `VALUE` of every element; `BEGIN` stands where the first kernel begins.
const SUM_KERNEL: &str = "
//@ let     block = 256
//@ let     grid  = min(ceil_div(n, 4 * block), 1024)
//@ scratch parts: f32[grid]
//@ launch  part<<<grid, block>>>(a, parts, n)
//@ launch  part<<<1, block>>>(parts, sum, 0 - grid)
__global__ void part(const float* a, float* out, int n)
{
    __shared__ float s[256];
    BEGIN
    // The second launch, over parts, is told by a length below 0.
    bool last = n < 0;
    int len = last ? -n : n;
    float own = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < len; i += gridDim.x * blockDim.x) {
        float x = a[i];
        own += last ? x : (VALUE);
    }
    s[threadIdx.x] = own;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (threadIdx.x < step) s[threadIdx.x] += s[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
";

/// One exercise, with a starter that no goal looks at.
fn workbook(problem: &str, reference: &str, kernel: &str) -> Workbook {
    let workbook = Workbook::copy("small");
    workbook.write("exercises/ex01/problem.toml", problem);
    workbook.write("exercises/ex01/reference.cu", reference);
    workbook.write("exercises/ex01/starter.cu", kernel);
    workbook.write("exercises/ex01/kernel.cu", kernel);
    workbook
}

pub(super) fn check(workbook: &Workbook, kernel: &str, seed: u32) -> Ran {
    workbook.write("exercises/ex01/kernel.cu", kernel);
    workbook.run(["ex01", "--backend", "sim", "--seed", &seed.to_string()])
}

fn scale(begin: &str, value: &str) -> String {
    format!(
        "
//@ launch scale<<<ceil_div(n, 128), 128>>>(a, b, n)
__global__ void scale(const float* a, float* b, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {begin}
    if (i < n) b[i] = {value};
}}
"
    )
}

fn sum(begin: &str, value: &str) -> String {
    SUM_KERNEL.replace("BEGIN", begin).replace("VALUE", value)
}

fn passes(what: &str, ran: &Ran) {
    assert_eq!(ran.code, Some(0), "{what}: {ran:?}");
}

fn fails(what: &str, ran: &Ran, words: &[&str]) {
    assert_eq!(ran.code, Some(1), "{what}: {ran:?}");
    for word in words {
        assert!(ran.stdout.contains(word), "{what}: no {word:?} in {}", ran.stdout);
    }
}

/// Some blocks of the timed size are simulated: who does nothing there, something else, or too much, is told.
#[test]
#[ignore = "long"]
fn what_happens_beyond_the_simulated_sizes_is_seen() {
    let right = scale("", "a[i] * 1.7f");
    let book = workbook(SCALE, SCALE_REFERENCE, &right);
    passes("an element a thread", &check(&book, &right, 3));
    let strided = "
//@ launch scale<<<min(ceil_div(n, 128), 8 * sms), 128>>>(a, b, n)
__global__ void scale(const float* a, float* b, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) b[i] = a[i] * 1.7f;
}
";
    passes("a loop over the grid", &check(&book, strided, 3));
    let once_and_a_half = strided.replace("8 * sms", "1400000");
    passes("a loop that half of the blocks go round twice", &check(&book, &once_and_a_half, 3));
    let wrapped = right.replace("int i = blockIdx.x", "int i = (blockIdx.x & 0xffff)");
    let beside = scale("", "n > 100000 ? a[i] * 1.6f : a[i] * 1.7f").replace(
        "__global__ void scale",
        "//@ launch nothing<<<1, 32>>>(n)\n__global__ void nothing(int n) {}\n__global__ void scale",
    );
    // Of a block with many warps each comes too late to where its states are looked at.
    let endless = scale("while (n > 1000000 && i >= 0) asm volatile(\"\");", "a[i] * 1.7f").replace("128", "32");
    let fewer = right.replace("ceil_div(n, 128)", "min(ceil_div(n, 128), 2000000)");
    let first = "//@ launch first<<<min(ceil_div(n, 128), 2000000), 128>>>(a, b, n)\n__global__ void first(const float* a, float* b, int n)\n{ \
                 int i = blockIdx.x * 128 + threadIdx.x; if (i < n) b[i] = a[i] * 1.7f; }\n";
    let of_two = first.to_owned() + &scale("if (i < n && a[i] < 0.0f) return;", "a[i] * 1.7f");
    let wrong: [(&str, String, &[&str]); 10] = [
        ("a twentieth of the first of two launches is missing", of_two, &["WRONG RESULT", "95 % of its outputs"]),
        ("a twentieth of the blocks is missing", fewer, &["WRONG RESULT", "95 % of its", "268435456"]),
        ("a block number of 16 bits", wrapped, &["WRONG RESULT", "of its outputs", "268435456"]),
        ("a launch that does nothing behind it", beside, &["WRONG RESULT", "268435456"]),
        ("endless from some size on", endless, &["DID NOT END"]),
        (
            "returns at once",
            scale("if (n > 100000) return;", "a[i] * 1.7f"),
            &["WRONG RESULT", "none of its", "268435456"],
        ),
        ("another factor", scale("float f = n > 100000 ? 1.6f : 1.7f;", "a[i] * f"), &["WRONG RESULT", "268435456"]),
        ("half of the blocks", scale("if (n > 100000 && blockIdx.x > 9) return;", "a[i] * 1.7f"), &["268435456"]),
        ("reads a neighbour", scale("int k = n > 100000 ? i + 1 : i;", "a[k] * 1.7f"), &["OUT OF BOUNDS"]),
        ("an early stop by a flag", scale("if (n >> 20) i = 0;", "a[i] * 1.7f"), &["268435456"]),
    ];
    for (what, kernel, words) in &wrong {
        fails(what, &check(&book, kernel, 3), words);
    }
}

/// What is wrong at a case is told by that alone: nobody waits for what else goes wrong at sizes beyond, and none of it is told.
#[test]
fn what_is_tried_besides_is_given_up_when_a_case_is_wrong() {
    let endless = |value| scale("while (n > 1000000 && i >= 0) asm volatile(\"\");", value).replace("128", "32");
    let book = workbook(SCALE, SCALE_REFERENCE, &scale("", "a[i] * 1.7f"));
    let ran = check(&book, &endless("a[i] * 1.6f"), 3);
    fails("wrong and endless", &ran, &["WRONG RESULT"]);
    assert!(!ran.stdout.contains("did not end") && !ran.stdout.contains("time for a check was over"), "{}", ran.stdout);
}

/// Blocks that lie in a row tell whose part an element is, and numbers in the code where to look.
#[test]
#[ignore = "long"]
fn no_block_and_no_element_is_left_out_beyond_the_simulated_sizes() {
    let right = scale("", "a[i] * 1.7f");
    let book = workbook(SCALE, SCALE_REFERENCE, &right);
    let grid = "<<<ceil_div(n, 128), 128>>>";
    let tail_first = "
//@ launch scale<<<max(n / 128, 1), 128>>>(a, b, n)
__global__ void scale(const float* a, float* b, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n / 128 * 128) b[i] = a[i] * 1.7f;
    int last = n - 1 - threadIdx.x;
    if (blockIdx.x == 0 && threadIdx.x < n % 128) b[last] = a[last] * 1.7f;
}
";
    let round = "
//@ launch scale<<<min(ceil_div(n, 128), 700000), 128>>>(a, b, n)
__global__ void scale(const float* a, float* b, int n)
{
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) b[i] = a[i] * 1.7f;
}
";
    let snake = "
//@ let    wide = max(min(n / 100000, 64), 1)
//@ launch scale<<<(wide, ceil_div(n, 128 * wide)), 128>>>(a, b, n)
__global__ void scale(const float* a, float* b, int n)
{
    int x = blockIdx.y % 2 ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    int i = (blockIdx.y * gridDim.x + x) * 128 + threadIdx.x;
    if (i < n) b[i] = a[i] * 1.7f;
}
";
    for (what, kernel) in [
        ("from the end on", right.replace("blockIdx.x *", "(gridDim.x - 1 - blockIdx.x) *").as_str()),
        ("a few blocks too many", &right.replace("ceil_div(n, 128),", "8 * ceil_div(n, 1024),")),
        ("the first block has the tail", tail_first),
        ("most blocks go round once more than others", round),
        ("rows of blocks, there and back", snake),
    ] {
        for seed in [3, 4] {
            passes(what, &check(&book, kernel, seed));
        }
    }
    let without = |condition: &str| scale(&format!("if ({condition}) return;"), "a[i] * 1.7f");
    let wrong: [(&str, String, &[&str]); 6] = [
        (
            "a block too few",
            right.replace(grid, "<<<min(ceil_div(n, 128), 2097151), 128>>>"),
            &["nothing writes b[", "end before it", "is the grid held"],
        ),
        ("without the last block", without("blockIdx.x > 2097150"), &["nothing writes b[", "block 2097151"]),
        (
            "without the first block",
            without("blockIdx.x == 0 && gridDim.x > 2000000"),
            &["nothing writes b[0]", "block 0"],
        ),
        ("without a stretch of blocks", without("blockIdx.x / 20000 == 77"), &["nothing writes b["]),
        ("without an element", without("i == 123456789"), &["nothing writes b[123456789]", "block 964506"]),
        ("an element of its own", scale("", "a[i] * (i == 123456789 ? 1.8f : 1.7f)"), &["b[123456789] is"]),
    ];
    for (what, kernel, words) in &wrong {
        for seed in [3, 4] {
            fails(what, &check(&book, kernel, seed), words);
        }
    }
    let sum = "
//@ launch clear<<<1, 1>>>(sum)
//@ launch add<<<ceil_div(n, 256), 256>>>(a, sum, n)
__global__ void clear(float* sum) { *sum = 0.0f; }
__global__ void add(const float* a, float* sum, int n)
{
    __shared__ float s[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    s[threadIdx.x] = i < n ? a[i] : 0.0f;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (threadIdx.x < step) s[threadIdx.x] += s[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(sum, s[0]);
}
";
    // Sums of so many by atomics are not near enough, whatever is left out.
    let book = workbook(&SUM.replace("log2(n) + 20", "n"), SUM_REFERENCE, sum);
    passes("a sum", &check(&book, sum, 3));
    let but_one = sum.replace("i < n ?", "i < n && i != 123456789 ?");
    fails("a sum of all but one", &check(&book, &but_one, 3), &["nothing reads a[123456789]", "block 482253"]);
}

/// No block does more than the busiest, so that all of them cannot have come to all where some lack more than there is too much of it.
#[test]
#[ignore = "long"]
fn blocks_that_lack_a_little_each_leave_elements_out() {
    let loops = |goes_on: &str| {
        format!(
            "
//@ launch scale<<<min(ceil_div(n, 128), 30000), 128>>>(a, b, n)
__global__ void scale(const float* a, float* b, int n)
{{
    int step = gridDim.x * 128;
    for (int i = blockIdx.x * 128 + threadIdx.x; {goes_on}; i += step) b[i] = a[i] * 1.7f;
}}
"
        )
    };
    let book = workbook(SCALE, SCALE_REFERENCE, &loops("i < n"));
    // Blocks are numbered through two extents, and some of the last row have nothing to do.
    let wide = "
//@ let    wide = min(ceil_div(n, 128), 65535)
//@ launch scale<<<(wide, ceil_div(n, 128 * wide)), 128>>>(a, b, n)
__global__ void scale(const float* a, float* b, int n)
{
    int i = (blockIdx.y * gridDim.x + blockIdx.x) * 128 + threadIdx.x;
    if (i < n) b[i] = a[i] * 1.7f;
}
";
    for seed in rows_in_turn([3, 4]) {
        passes("rows of blocks that are too many", &check(&book, wide, seed));
        passes("a loop over the grid", &check(&book, &loops("i < n"), seed));
    }
    let without = |condition: &str| scale(&format!("if ({condition}) return;"), "a[i] * 1.7f");
    for (what, kernel) in rows_in_turn([
        ("one thread of a block, from some block on", without("threadIdx.x == 77 && blockIdx.x > 30000")),
        ("the last thread of each block", without("threadIdx.x == 127 && n > 100000")),
        ("a thread of every third block", without("threadIdx.x == 5 && blockIdx.x % 3 == 2 && blockIdx.x > 50000")),
        ("the last round", loops("i < n && (i / step < 20 || i + step < n)")),
        ("a round on the way", loops("i < n").replace("b[i] =", "if (i / step != 44) b[i] =")),
    ]) {
        for seed in rows_in_turn([3, 4]) {
            fails(what, &check(&book, &kernel, seed), &["WRONG RESULT", "268435"]);
        }
    }
}

/// A grid that is held to so many blocks is right where threads go round once more, however large a size has to be for that; and
/// wrong where they do not.
#[test]
#[ignore = "long"]
fn a_grid_that_is_held_to_some_blocks_needs_a_loop() {
    // A part for every 100 elements: the first launch goes round from 52 million elements on.
    let parts = "
//@ let     m = ceil_div(n, 100)
//@ scratch parts: f32[m]
//@ launch  clear<<<min(ceil_div(m, 256), 2048), 256>>>(parts, m)
//@ launch  add<<<ceil_div(n, 256), 256>>>(a, parts, n)
//@ launch  finish<<<1, 256>>>(parts, sum, m)
__global__ void clear(float* parts, int m)
{
    for (int i = blockIdx.x * 256 + threadIdx.x; i < m; i += gridDim.x * 256) parts[i] = 0.0f;
}
__global__ void add(const float* a, float* parts, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) atomicAdd(&parts[i / 100], a[i]);
}
__global__ void finish(const float* parts, float* sum, int m)
{
    __shared__ float s[256];
    float own = 0.0f;
    for (int i = threadIdx.x; i < m; i += 256) own += parts[i];
    s[threadIdx.x] = own;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (threadIdx.x < step) s[threadIdx.x] += s[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) *sum = s[0];
}
";
    let problem = SUM.replace("max    = 2", "max    = 3").replace("log2(n) + 20", "n");
    let book = workbook(&problem, SUM_REFERENCE, parts);
    passes("a loop", &check(&book, parts, 3));
    let once = parts.replace(
        "for (int i = blockIdx.x * 256 + threadIdx.x; i < m; i += gridDim.x * 256)",
        "int i = blockIdx.x * 256 + threadIdx.x; if (i < m)",
    );
    assert_ne!(once, parts);
    fails("no loop", &check(&book, &once, 3), &["NOT VERIFIED", "268435"]);
}

/// Blocks that were run make a part of a list only: what launches behind them find in it says nothing.
#[test]
fn a_list_that_some_blocks_began_says_nothing_of_who_works_it_off() {
    let right = "
//@ scratch list: i32[n]
//@ scratch found: i32[1]
//@ launch clear<<<1, 32>>>(found)
//@ launch collect<<<ceil_div(n, 128), 128>>>(list, found, n)
//@ launch scale<<<ceil_div(n, 128), 128>>>(a, list, found, b, n)
__global__ void clear(int* found) { *found = 0; }
__global__ void collect(int* list, int* found, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) list[atomicAdd(found, 1)] = i;
}
__global__ void scale(const float* a, const int* list, const int* found, float* b, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < *found) b[list[j]] = a[list[j]] * 1.7f;
}
";
    let book = workbook(&SCALE.replace("max    = 1", "max    = 3"), SCALE_REFERENCE, right);
    for seed in [1, 5, 6] {
        passes("a list of all", &check(&book, right, seed));
    }
    let nothing = right.replace("if (j < *found)", "if (n < 1000000 && j < *found)");
    // Where it turns it is run whole.
    fails("nothing at the timed size", &check(&book, &nothing, 1), &["WRONG RESULT", "never written"]);
}

/// The same where no single block has a result of its own.
#[test]
#[ignore = "long"]
fn parts_of_a_sum_that_are_left_out_beyond_the_simulated_sizes_are_seen() {
    let right = sum("", "x");
    let book = workbook(SUM, SUM_REFERENCE, &right);
    passes("two launches", &check(&book, &right, 3));
    // The launch behind reads nothing of the inputs at sizes that are run whole: what these blocks leave out nobody comes to.
    for (what, begin, says) in [
        ("returns at once", "if (n > 1000000) return;", "it reads none of its inputs at n = 268435456"),
        ("a tenth", "if (n > 1000000) n /= 10;", "`sum` is wrong"),
        ("later", "if (n > 100000000) return;", "it reads none of its inputs at n = 268435456"),
    ] {
        fails(what, &check(&book, &sum(begin, "x"), 3), &["WRONG RESULT", says]);
    }
}

/// A few blocks show that something else happens, if not what comes of it.
#[test]
#[ignore = "long"]
fn what_turns_beyond_the_simulated_sizes_is_run_where_it_turns() {
    let right = sum("", "x");
    // Where sizes are drawn it is known what a size costs.
    let drawn = SUM.replace("count = ", "drawn = [{ n = [2, 5000] }]\ncount = ");
    let book = workbook(&drawn, SUM_REFERENCE, &right);
    let wider = right.replace("1024)", "1024 * (n / 3000000 + 1))");
    passes("a wider grid of the same kernel", &check(&book, &wider, 3));
    let other = right.replace("part<<<grid, block>>>(a, parts, n)", "part<n / 4000000><<<grid, block>>>(a, parts, n)");
    let other = other
        .replace("__global__ void part", "template <int size>\n__global__ void part")
        .replace("part<<<1, block>>>", "part<0><<<1, block>>>");
    for (what, kernel, words) in rows_in_turn([
        (
            "a third of the blocks",
            sum("if (n > 1300000 && blockIdx.x % 3 == 1) n = 0;", "x"),
            ["WRONG RESULT", "sum[0]"],
        ),
        (
            "the same, near the timed size only",
            sum("if (n > 250000000 && blockIdx.x % 3 == 1) n = 0;", "x"),
            ["a condition is true at n = 26843", "if (n > 250000000"],
        ),
        (
            "read and dropped",
            sum("bool drop = n > 2000000;", "drop && i % 11 == 3 && x < 2 ? 0 : x"),
            ["WRONG RESULT", "sum[0]"],
        ),
        ("an instance by size", other, ["NOT VERIFIED", "is launched at n = 26843"]),
        ("a quotient that is 0 up to there", sum("int more = n >> 21;", "x + more"), ["WRONG RESULT", "sum[0]"]),
        (
            "the end is cut off",
            sum("n = min(n, 268000000);", "x"),
            ["arguments wherever it was verified, and is not at n = 26843", "min(n"],
        ),
        (
            "a launch line that cuts the end off",
            sum("", "x").replace("(a, parts, n)", "(a, parts, min(n, 268000000))"),
            ["a number is cut off or overflows at n = 26843", "//@"],
        ),
        ("one element", sum("", "x + 9999 * (i == 3000001)"), ["WRONG RESULT", "sum[0]"]),
        ("a few threads' elements", sum("", "x + (i > 3000000)"), ["WRONG RESULT", "sum[0]"]),
    ]) {
        fails(what, &check(&book, &kernel, 3), &words);
    }
    let scaled = workbook(SCALE, SCALE_REFERENCE, &scale("", "a[i] * 1.7f"));
    let rare = scale("", "a[i] * (1.7f - 0.1f * (n / 200000000) * (blockIdx.x % 97 == 5))");
    fails(
        "one block in 97, without a condition on the size",
        &check(&scaled, &rare, 3),
        &["WRONG RESULT", "268435456"],
    );
}

/// Nothing that a kernel sees of the machine tells it that it is simulated.
#[test]
fn who_knows_the_machine_is_wrong_on_another() {
    let book = workbook(SCALE, SCALE_REFERENCE, &scale("", "a[i] * 1.7f"));
    let special = |register: &str, condition: &str| {
        let begin = format!("unsigned long long v; asm volatile(\"{register}\" : \"=l\"(v));");
        scale(&begin, &format!("a[i] * (({condition}) ? 1.7f : 1.6f)"))
    };
    let wide = |name: &str| format!("{{ .reg .u32 t; mov.u32 t, %%{name}; cvt.u64.u32 %0, t; }}");
    let kernels = [
        ("SMs in order", special(&wide("smid"), "v == blockIdx.x % 132")),
        ("warps from 0", special(&wide("warpid"), "v == threadIdx.x / 32")),
        ("a clock that begins at 0", special("mov.u64 %0, %%clock64;", "v < 1000000")),
        ("a young timer", special("mov.u64 %0, %%globaltimer;", "v < 1000000000000")),
        ("the first grid", special("mov.u64 %0, %%gridid;", "v < 100")),
        ("round addresses", scale("", "a[i] * (((size_t)a & 0xfffffff) == 0 ? 1.7f : 1.6f)")),
        ("a distance", scale("", "a[i] * ((unsigned)((char*)b - (char*)a) < 4 * n + 768 ? 1.7f : 1.6f)")),
    ];
    for (what, kernel) in &kernels {
        fails(what, &check(&book, kernel, 5), &["WRONG RESULT"]);
    }
}

/// A tolerance is for roundings: nothing that leaves out digits, small values or elements hides in it.
#[test]
#[ignore = "long"]
fn nothing_hides_in_the_tolerance_of_a_sum() {
    let right = sum("", "x");
    let book = workbook(SUM, SUM_REFERENCE, &right);
    for seed in [1, 2] {
        passes("right", &check(&book, &right, seed));
    }
    let wrong = [
        ("15 bits, cut off, of large arrays", "n > 100000 ? __uint_as_float(__float_as_uint(x) & ~0x1ffu) : x"),
        (
            "13 bits, rounded, of large arrays",
            "n > 100000 ? __uint_as_float((__float_as_uint(x) + 0x400u) & ~0x7ffu) : x",
        ),
        ("small values of large arrays", "n > 100000 && fabsf(x) < 2e-4f ? 0.0f : x"),
        ("one in twelve of large arrays", "n > 100000 && i % 12 == 5 ? 0.0f : x"),
        ("the tail of large arrays", "n > 100000 && i >= n / 4 * 4 ? 0.0f : x"),
        ("one element in the middle", "i == 2000 ? 0.0f : x"),
    ];
    for (what, value) in wrong {
        fails(what, &check(&book, &sum("", value), 1), &["WRONG RESULT"]);
    }
}
