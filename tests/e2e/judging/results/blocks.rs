//! Blocks of a size that is not simulated whole: those that are unlike others are found and run, and what blocks read has to show in what
//! they write.

use super::{SCALE, SCALE_REFERENCE, check, fails, passes, scale, workbook};
use crate::support::{Workbook, rows_in_turn};

/// A condition on where a thread is parts blocks from others, and one of each kind is run.
#[test]
#[ignore = "long"]
fn blocks_that_a_condition_parts_from_others_are_run() {
    let right = scale("", "a[i] * 1.7f");
    let book = workbook(SCALE, SCALE_REFERENCE, &right);
    let borders = scale(
        "int row = i / 16384, column = i % 16384;
    bool inside = row > 0 && column > 0 && column < 16383;",
        "inside ? a[i] * 1.7f : 1.7f * a[i]",
    );
    for seed in rows_in_turn([5, 6]) {
        passes("first and last of a row are known", &check(&book, &borders, seed));
    }
    let value = |condition: &str| scale("", &format!("({condition}) ? 0.0f : a[i] * 1.7f"));
    for (what, kernel) in [
        ("a row of blocks", value("blockIdx.x / 5000 == 50")),
        ("some blocks far apart", value("blockIdx.x > 20000 && blockIdx.x % 10007 == 7")),
        ("a thread of one block", value("blockIdx.x == 1000001 && threadIdx.x == 77")),
        ("an element of a million", value("(i & 1048575) == 1048575")),
        ("a warp of some blocks", value("i / 32 % 99991 == 99990")),
        ("one element", value("i == 123456789")),
    ] {
        for seed in rows_in_turn([5, 6]) {
            fails(what, &check(&book, &kernel, seed), &["WRONG RESULT", "at n = 268435"]);
        }
    }
}

/// A number that does not stand in the code, as it is computed from the parameters, is solved for.
#[test]
#[ignore = "long"]
fn a_block_whose_number_is_computed_is_run() {
    let book = workbook(SCALE, SCALE_REFERENCE, &scale("", "a[i] * 1.7f"));
    for condition in [
        "blockIdx.x == blockDim.x * 7001 + 13",
        "i == (int)blockDim.x * 1000003 + 40",
        "(blockIdx.x ^ blockDim.x * 4050) == 0",
        "__saturatef((float)(i ^ (int)blockDim.x * 1000003)) == 0.0f",
        "__clz(i ^ (int)blockDim.x * 1000003) >> 5",
        "(int)exp2f(-fabsf((float)blockIdx.x - 1000003.0f))",
        "(3 * (int)blockIdx.x >= 3000009) - (3 * (int)blockIdx.x > 3000009)",
    ] {
        for seed in rows_in_turn([5, 6]) {
            let kernel = scale("", &format!("({condition}) ? 0.0f : a[i] * 1.7f"));
            fails(condition, &check(&book, &kernel, seed), &["WRONG RESULT", "at n = 268435"]);
        }
    }
}

/// Nor where it stands in memory that nobody writes to.
#[test]
fn a_block_whose_number_is_in_memory_is_run() {
    let book = workbook(SCALE, SCALE_REFERENCE, &scale("", "a[i] * 1.7f"));
    for variable in ["__constant__ int where[2] = {3, 1000003};", "__device__ int where[2] = {3, 1000003};"] {
        let kernel = scale("", "(int)blockIdx.x == where[1] ? 0.0f : a[i] * 1.7f");
        let kernel = kernel.replace("__global__", &format!("{variable}\n__global__"));
        fails(variable, &check(&book, &kernel, 5), &["WRONG RESULT", "at n = 268435"]);
    }
}

/// The same of tiles: what is done in a corner, or in a column of them.
#[test]
#[ignore = "long"]
fn tiles_that_are_unlike_others_are_compared() {
    let problem = SCALE
        .replace(
            "cases = [{ n = 1 }, { n = 33 }, { n = 1024 }, { n = 4097 }]",
            "cases = [{ h = 1, w = 1 }, { h = 3, w = 71 }, { h = 64, w = 64 }, { h = 70, w = 1033 }]",
        )
        .replace("{ n = 4097 }", "{ h = 100, w = 100 }")
        .replace("{ n = 268435456 }", "{ h = 12000, w = 20000 }")
        .replace("\"n\"", "\"h * w\"");
    let reference = "
//@ launch scale<<<(ceil_div(w, 32), ceil_div(h, 8)), (32, 8)>>>(a, b, h, w)
__global__ void scale(const float* a, double* b, int h, int w)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < h && c < w) b[r * w + c] = (double)a[r * w + c] * (double)1.7f;
}
";
    let tile = |condition: &str| {
        format!(
            "
//@ launch scale<<<(ceil_div(w, 64), ceil_div(h, 64)), (64, 4)>>>(a, b, h, w)
__global__ void scale(const float* a, float* b, int h, int w)
{{
    int c = blockIdx.x * 64 + threadIdx.x;
    for (int k = 0; k < 16; ++k) {{
        int r = blockIdx.y * 64 + 4 * k + threadIdx.y;
        if (r < h && c < w) b[r * w + c] = ({condition}) ? 0.0f : a[r * w + c] * 1.7f;
    }}
}}
"
        )
    };
    let book = workbook(&problem, reference, &tile("false"));
    for seed in rows_in_turn([5, 6]) {
        passes("tiles", &check(&book, &tile("false"), seed));
    }
    for (what, condition) in rows_in_turn([
        ("a corner of far tiles", "c > 4000 && r > 4000 && c % 64 == 63 && r % 64 == 63"),
        ("one column", "c == 12345"),
        ("one row", "r == 8191"),
        ("tiles on the diagonal", "r / 64 == c / 64 && r > 4096"),
        ("one tile", "blockIdx.x == blockDim.x * 3 + 11 && blockIdx.y == blockDim.y * 31 + 2"),
    ]) {
        for seed in rows_in_turn([5, 6]) {
            fails(what, &check(&book, &tile(condition), seed), &["WRONG RESULT", "at h = "]);
        }
    }
}

/// A problem with two outputs of all elements: how many are above zero, and the largest.
pub const RECORD: &str = r#"
title    = "On record"
chapter  = "first"
summary  = "s"
learned  = "l"
hints    = ["one", "two", "three"]
cases = [{ n = 1 }, { n = 33 }, { n = 1024 }, { n = 4097 }, { n = 150003 }]
count = { n = 4097 }
time  = { n = 67108864 }
[[in]]
name = "a"
type = "i32"
len  = "n"
fill = "integers(-1000, 1000)"
[[out]]
name  = "record"
type  = "i32"
len   = "2"
error = "exact"
[[goal]]
metric = "launches"
max    = 2
why    = "two are enough"
"#;

const RECORD_REFERENCE: &str = "
//@ launch look<<<1, 1>>>(a, record, n)
__global__ void look(const int* a, int* record, int n)
{
    int count = 0, most = -1000;
    for (int i = 0; i < n; ++i) {
        count += a[i] > 0;
        most = max(most, a[i]);
    }
    record[0] = count;
    record[1] = most;
}
";

/// What `record` gets of each element, with a condition under which a thread does without.
fn record(line: &str, condition: &str) -> String {
    let [count, most] =
        ["count", "most"].map(|what| if line == what { format!("!({condition})") } else { "true".into() });
    format!(
        "
//@ launch clear<<<1, 1>>>(record)
//@ launch look<<<ceil_div(n, 256), 256>>>(a, record, n)
__global__ void clear(int* record)
{{
    record[0] = 0;
    record[1] = -1000;
}}
__global__ void look(const int* a, int* record, int n)
{{
    int i = blockIdx.x * 256 + threadIdx.x;
    int own = i < n ? a[i] : -1000;
    unsigned above = __ballot_sync(0xffffffffu, own > 0 && ({count}));
    int most = __reduce_max_sync(0xffffffffu, ({most}) ? own : -1000);
    if (threadIdx.x % 32 > 0) return;
    atomicAdd(&record[0], __popc(above));
    atomicMax(&record[1], most);
}}
"
    )
}

/// What a block reads has to show in what it writes, where no result tells.
#[test]
#[ignore = "long"]
fn something_follows_from_what_blocks_read() {
    let right = record("", "");
    let book = workbook(RECORD, RECORD_REFERENCE, &right);
    for seed in rows_in_turn([5, 6]) {
        passes("a record", &check(&book, &right, seed));
    }
    for (line, condition) in [
        ("count", "blockIdx.x / 2000 == 50"),
        ("most", "blockIdx.x / 2000 == 50"),
        ("count", "blockIdx.x > 100000 && threadIdx.x < 64"),
        ("most", "blockIdx.x > 100000"),
    ] {
        for seed in rows_in_turn([5, 6]) {
            let ran = check(&book, &record(line, condition), seed);
            fails(&format!("{line} but where {condition}"), &ran, &["WRONG RESULT", "reads a[", "at n = 67108"]);
        }
    }
}

/// The same with a count alone, and a loop over the grid: what is done with an element in each round.
fn counted(round: &str) -> String {
    format!(
        "
//@ launch clear<<<1, 1>>>(record)
//@ launch look<<<min(ceil_div(n, 1024), 4000), 256>>>(a, record, n)
__global__ void clear(int* record) {{ record[0] = 0; }}
__global__ void look(const int* a, int* record, int n)
{{
    int own = 0, step = gridDim.x * 256;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += step) {{
        {round}
    }}
    own = __reduce_add_sync(0xffffffffu, own);
    if (threadIdx.x % 32 == 0) atomicAdd(&record[0], own);
}}
"
    )
}

fn counts() -> Workbook {
    let problem = RECORD.replace("len   = \"2\"", "len   = \"1\"").replace("67108864", "134217728");
    let reference = RECORD_REFERENCE.replace("    record[1] = most;\n", "");
    workbook(&problem, &reference, &counted("own += a[i] > 0;"))
}

/// Blocks that count tell how many elements they used, however few they lose.
#[test]
#[ignore = "long"]
fn what_blocks_count_is_all_that_they_read() {
    let book = counts();
    let count = |condition: &str| counted(&format!("int x = a[i];\n        if (!({condition})) own += x > 0;"));
    for seed in rows_in_turn([5, 6]) {
        passes("a loop over the grid", &check(&book, &count("false"), seed));
    }
    for (what, condition) in [
        ("a warp in one round", "i / step == 77 && threadIdx.x / 32 == 3 && blockIdx.x % 64 == 9"),
        ("an element of one block", "i / step == 100 && threadIdx.x == 5 && blockIdx.x == 1234"),
    ] {
        for seed in rows_in_turn([5, 6]) {
            let words = &["WRONG RESULT", "go into what it writes", "at n = 134217"];
            fails(what, &check(&book, &count(condition), seed), words);
        }
    }
}

/// A block that comes to less of the inputs than blocks before it and behind it leaves something out.
#[test]
fn a_block_that_reads_less_than_those_around_it_stands_out() {
    let book = counts();
    let rounds =
        counted("if (i / step > 30 && i / step < 60 && blockIdx.x == 1717) continue;\n        own += a[i] > 0;");
    for seed in rows_in_turn([5, 6]) {
        let ran = check(&book, &rounds, seed);
        fails("rounds of one block", &ran, &["WRONG RESULT", "block 1717 reads", "before it and behind it"]);
    }
}

/// A table that is read by what the data say: where two threads read the same place of it, their block reads less than others do.
#[test]
fn what_is_read_by_what_the_data_say_differs_from_block_to_block() {
    let problem = SCALE
        .replace("n = 1 }", "n = 1, m = 64 }")
        .replace("n = 33 }", "n = 33, m = 256 }")
        .replace("n = 1024 }", "n = 1024, m = 64 }")
        .replace("n = 4097 }", "n = 4097, m = 64 }")
        .replace("n = 268435456 }", "n = 2097152, m = 4194304 }")
        .replace("f32", "u32")
        .replace("uniform(-1, 1)", "integers(0, 4294967295)")
        .replace("{ ops = \"2\", unit = \"u32\" }", "\"exact\"")
        .replace(
            "[[out]]",
            "[[in]]\nname = \"table\"\ntype = \"u32\"\nlen = \"m\"\nfill = \"integers(0, 4294967295)\"\n[[out]]",
        );
    let look_up = |block: u32| {
        format!(
            "
//@ launch look_up<<<ceil_div(n, {block}), {block}>>>(a, table, b, n, m)
__global__ void look_up(const unsigned* a, const unsigned* table, unsigned* b, int n, unsigned m)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = a[i];
    b[i] = table[(x ^ 1700003) & (m - 1)] + table[((x >> 9) + 900007) & (m - 1)];
}}
"
        )
    };
    let book = workbook(&problem, &look_up(128), &look_up(256));
    // At this seed it is the first of the blocks that numbers in the code may mean.
    passes("looked up", &check(&book, &look_up(256), 39));
}
