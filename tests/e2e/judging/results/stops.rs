//! Versions that read no more than they need: how much that is hangs on the data, and says nothing of what they leave out.

use super::{check, fails, passes, workbook};

/// Where each row of 256 has the first 7. Few rows have one.
const SEARCH: &str = r#"
title    = "Found"
chapter  = "first"
summary  = "s"
learned  = "l"
hints    = ["one", "two", "three"]
cases = [{ n = 1 }, { n = 33 }, { n = 256 }, { n = 4097 }]
count = { n = 4097 }
time  = { n = 1048576 }
[[in]]
name = "x"
type = "i32"
len  = "256 * n"
fill = "integers(0, 100000)"
[[out]]
name  = "first"
type  = "i32"
len   = "n"
error = "exact"
[[goal]]
metric = "launches"
max    = 1
why    = "one is enough"
"#;

const SEARCH_REFERENCE: &str = "
//@ launch search<<<ceil_div(n, 64), 64>>>(x, first, n)
__global__ void search(const int* x, int* first, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    int at = -1;
    for (int k = 255; k >= 0; --k) if (x[row * 256LL + k] == 7) at = k;
    first[row] = at;
}
";

/// A row a warp, up to the first hit, in a row of so many elements.
fn by_warps(length: &str) -> String {
    format!(
        "
//@ launch search<<<ceil_div(n, 4), 128>>>(x, first, n)
__global__ void search(const int* x, int* first, int n)
{{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= n) return;
    int at = -1;
    for (int k = 0; k < ({length}); k += 32) {{
        unsigned hits = __ballot_sync(0xffffffffu, x[row * 256LL + k + lane] == 7);
        if (hits) {{
            at = k + __ffs(hits) - 1;
            break;
        }}
    }}
    if (lane == 0) first[row] = at;
}}
"
    )
}

/// A search that ends where it has found something reads less of some rows. What it reads of none of another input either it leaves out.
#[test]
#[ignore = "long"]
fn a_search_need_not_read_what_is_behind_a_hit() {
    let right = by_warps("256");
    let book = workbook(SEARCH, SEARCH_REFERENCE, &right);
    for seed in [1, 2] {
        passes("up to the first hit", &check(&book, &right, seed));
    }
    for (what, length) in [("a row", "row == 77777 ? 128 : 256"), ("a part of the rows", "row > 100000 ? 224 : 256")] {
        fails(what, &check(&book, &by_warps(length), 1), &["WRONG RESULT", "reads"]);
    }
}
