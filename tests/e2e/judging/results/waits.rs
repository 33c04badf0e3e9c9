//! Blocks that wait for others: whom a block may wait for where not all of them are resident at once.

use super::{SCALE, SCALE_REFERENCE, check, fails, passes, scale, workbook};

/// Each block does its work and counts itself; then some wait until `until` holds of the count. Who is last sets it back.
fn waits(who: &str, until: &str) -> String {
    let begin = format!(
        "if (threadIdx.x == 0) {{ atomicAdd(&arrived, 1); if ({who}) while (!({until})) __nanosleep(1000); if (atomicInc(&gone, \
         gridDim.x - 1) == gridDim.x - 1) atomicExch(&arrived, 0); }}"
    );
    scale(&begin, "a[i] * 1.7f").replace(
        "__global__",
        "__device__ unsigned arrived, gone;\n__device__ unsigned now() { return *(volatile unsigned*)&arrived; }\n__global__",
    )
}

/// 33 blocks at the largest case, all of them resident there; two million at the `time` size, of which the device holds some
/// thousands.
#[test]
#[ignore = "long"]
fn blocks_wait_for_later_ones_only_where_all_are_resident() {
    let all = waits("true", "now() >= gridDim.x");
    let book = workbook(SCALE, SCALE_REFERENCE, &all);
    let words = ["LIVELOCK", "blocks wait for others that have not begun", "n = 268435456", "8 of its 33 blocks"];
    fails("all wait for all", &check(&book, &all, 3), &words);
    let next = waits("true", "now() >= min(blockIdx.x + 2, gridDim.x)");
    passes(
        "each waits for the next one, for which there is room when the one before has gone",
        &check(&book, &next, 3),
    );
    passes("each waits for those before it", &check(&book, &waits("true", "now() >= blockIdx.x"), 3));
    passes("the first waits for all", &check(&book, &waits("blockIdx.x == 0", "now() >= gridDim.x"), 3));
    let never = check(&book, &waits("true", "now() == 77777u"), 3);
    fails("for what never comes", &never, &["LIVELOCK", "Who was to change what is polled at"]);
    assert!(!never.stdout.contains("have not begun"), "{never:?}");
    let few = all
        .replace("ceil_div(n, 128)", "min(ceil_div(n, 128), sms)")
        .replace("if (i < n) b[i] = a[i] * 1.7f;", "for (; i < n; i += gridDim.x * blockDim.x) b[i] = a[i] * 1.7f;");
    passes("as many as are resident", &check(&book, &few, 3));
}
