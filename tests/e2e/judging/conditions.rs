//! What a kernel does under conditions that no draw meets: on few values or pairs of them, on sizes in a relation, beyond the size that is
//! counted.

use super::inputs::Exercise;
use crate::support::{Ran, Workbook, rows_in_turn};

/// An input of words with neighbours, an output of as many.
fn words() -> Exercise {
    let io = "cases = [{ n = 1 }, { n = 33 }, { n = 512 }, { n = 1000 }, { n = 4097 }]\ncount = { n = 4097 }\n\n[[in]]\nname = \"a\"\ntype = \
              \"i32\"\nlen = \"n\"\nfill = \"integers(-1000000000, 1000000000)\"\n\n[[out]]\nname = \"b\"\ntype = \"i32\"\nlen = \"n\"\nerror = \
              \"exact\"\n";
    Exercise::new(
        "a, b, n",
        "const int* a, int* b, int n",
        "ceil_div(n, 128)",
        io,
        "    for (int i = 0; i < n; ++i) b[i] = max(a[i], a[(i + 1) % n]);",
    )
}

fn is_refused(ran: &Ran, what: &str, says: &[&str]) {
    let plain = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(ran.code == Some(1) && says.iter().all(|word| plain.contains(word)), "{what}: {ran:?}");
}

/// Bits under a mask, a product, neighbours in a relation, one of them behind another question, through shared memory: the report names
/// the line and the elements.
#[test]
#[ignore = "long"]
fn inputs_that_a_condition_asks_for_are_found() {
    let exercise = words();
    let right = "    __shared__ int s[129];\n    s[t] = a[i < n ? i : 0];\n    if (t == 127) s[128] = a[(i + 1) % n];\n    __syncthreads();\n    if (i < n) b[i] = \
                 max(s[t], s[t + 1]);";
    let ran = exercise.judge(right, right);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for condition in [
        "(a[i] & 0xffffff) == 0x2aaaa5",
        "(a[i] * 2654435761u & 0xffffff) == 99",
        "a[i] % 100003 == 7",
        "a[i] == -a[(i + 1) % n] && a[i] > 5000",
        "s[t] - s[t + 1] == 123456",
        "a[i] == 777 && a[(i + 1) % n] == -776",
        // One comparison asks for a place and for what is there.
        "((i ^ 403) | (a[i] ^ 99999)) == 0",
        "(float)(i ^ 203) * 4.0f + fabsf((float)a[i] - 1234567.0f) < 1.0f",
    ] {
        let body = format!("{right}\n    if (i < n && {condition}) b[i] = 1;");
        is_refused(
            &exercise.judge(right, &body),
            condition,
            &["WRONG RESULT", "where inputs are chosen so that a condition in line 10 comes out the other way: `a["],
        );
        // The same where it is right.
        let body = format!("{right}\n    if (i < n && {condition}) b[i] = max(a[i], a[(i + 1) % n]);");
        assert_eq!(exercise.judge(right, &body).code, Some(0), "{condition}");
    }
    // What is caught there is told.
    let barrier = right
        .replace("__syncthreads();", "if ((a[min(i & ~127, n - 1)] * 69069 & 0xfffff) != 0x54321) __syncthreads();");
    is_refused(&exercise.judge(right, &barrier), "a barrier", &["RACE", "so that a condition in line"]);
    let endless = format!("{right}\n    while (i < n && (a[i] & 0xffffff) == 0x2aaaa5) __nanosleep(100);");
    is_refused(&exercise.judge(right, &endless), "a loop", &["LIVELOCK", "so that a condition in line 10"]);
}

/// One pattern of a ballot, so many equal lanes, two numbers of all lanes at a distance: each lane has to have its own element for that.
#[test]
#[ignore = "long"]
fn what_all_lanes_of_a_warp_have_to_make_together_is_found() {
    let exercise = words();
    let right = "    if (i < n) b[i] = max(a[i], a[(i + 1) % n]);";
    for condition in [
        "__ballot_sync(~0u, i < n && a[i % n] > 0) == 0x5a5a00ff",
        "(__ballot_sync(~0u, a[i % n] & 1) & 0xffff00) == 0xf00f00",
        "__popc(__match_any_sync(~0u, a[i % n])) == 13",
        "__reduce_max_sync(~0u, a[i % n]) == __reduce_min_sync(~0u, a[i % n]) + 77",
        "__any_sync(~0u, a[i % n] == 31337)",
    ] {
        let body = format!("    bool met = {condition};\n{right}\n    if (i < n && met) b[i] = 1;");
        is_refused(&exercise.judge(right, &body), condition, &["WRONG RESULT", "comes out the other way"]);
        let body =
            format!("    bool met = {condition};\n{right}\n    if (i < n && met) b[i] = max(a[(i + 1) % n], a[i]);");
        assert_eq!(exercise.judge(right, &body).code, Some(0), "{condition}");
    }
}

/// Seventy conditions that nothing can turn stand before the one that matters; a register that two operations write.
#[test]
fn conditions_that_cannot_turn_hide_none_that_can() {
    let exercise = words();
    let right = "    if (i < n) b[i] = max(a[i], a[(i + 1) % n]);";
    // No square is 3 modulo 4.
    let decoys: String =
        (0..70).map(|k| format!("    if (i < 32 && (a[0] * a[0] & 0xffff) == {}) b[0] = {k};\n", 4 * k + 3)).collect();
    let ran = exercise.judge(right, &format!("{decoys}{right}"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let behind = format!("{decoys}{right}\n    if (i < n && (a[i] & 0xffffff) == 0x2aaaa5) b[i] = 1;");
    is_refused(&exercise.judge(right, &behind), "behind decoys", &["WRONG RESULT", "comes out the other way"]);
    let twice = "    if (i >= n) return;\n    unsigned word = a[i], w = word;\n    asm volatile(\"{ .reg .pred p; setp.ne.s32 p, %1, -1; @p add.u32 %0, %0, 12345; \
                 }\" : \"+r\"(w) : \"r\"(n));\n    if (w == 0x2aaaa5) word = 2000000000;\n    b[i] = max((int)word, a[(i + 1) % n]);";
    is_refused(&exercise.judge(right, twice), "written twice", &["WRONG RESULT", "comes out the other way"]);
}

/// What is told by a number and no predicate: of an element, and of the size.
#[test]
fn conditions_in_disguise_are_turned() {
    let exercise = words();
    let right = "    if (i < n) b[i] = max(a[i], a[(i + 1) % n]);";
    let wrong = |bad: &str| {
        format!(
            "    if (i >= n) return;\n    unsigned d = (unsigned)a[i] ^ (blockDim.x * 0x51ed7u + 77u);\n    b[i] = max(a[i], a[(i + 1) % n]) + {bad};"
        )
    };
    for bad in [
        "1 + ((int)(d | -d) >> 31)",
        "(int)((~d & (d - 1)) >> 31)",
        "(__clz(d) >> 5)",
        "1 - (int)__saturatef((float)d)",
        "1 - (int)min(d, 1u)",
        // Arithmetic that comes to the same but for one value, of whatever kind.
        "__float2int_rz(1.0f / (1.0f + __uint2float_ru(d)))",
        "__float2int_rd(exp2f(-__uint2float_ru(d)))",
        "(int)(copysignf(1.0f, (float)(int)(d - 1u)) * copysignf(1.0f, (float)(int)d)) - 1",
        "(int)isnan(__uint2float_ru(d) * INFINITY)",
        "(int)((unsigned long long)d + 0xffffffffull >> 32 ^ 1)",
        // Two thresholds that are one apart.
        "(int)(d >= 0x1abc1234u) - (int)(d > 0x1abc1234u)",
        "(int)(min(max(d, 0x1abc1234u), 0x1abc1235u) - min(max(d, 0x1abc1233u), 0x1abc1234u)) - 1",
    ] {
        is_refused(&exercise.judge(right, &wrong(bad)), bad, &["WRONG RESULT", "comes out the other way"]);
    }
}

/// What is asked about is what another thread, or a function, was given, and was changed before.
#[test]
#[ignore = "long"]
fn words_that_are_changed_and_passed_on_are_followed() {
    let exercise = words();
    let right = "    if (i < n) b[i] = max(a[i], a[(i + 1) % n]);";
    for (passes, bad) in [
        (
            "__shared__ unsigned s[128];\n    s[t] = word * 7u + 11u;\n    __syncthreads();",
            "s[t ^ 3] == 0x13579bu * 7u + 11u",
        ),
        ("unsigned other = __shfl_xor_sync(~0u, word * 5u + 3u, 7);", "other == 4448u"),
        // Put together with another in memory: what an atomic makes of both.
        (
            "__shared__ unsigned s[128];\n    s[t] = word;\n    atomicXor(&s[t], 0x51415926u);",
            "s[t] == 0x51415926u + 77u",
        ),
        ("__shared__ unsigned s[128];\n    s[t] = 5u;\n    atomicAdd(&s[t], word);", "s[t] == 0x12345678u"),
        ("unsigned other = __shfl_sync(~0u, word ^ 0x5a5a5au, 9);", "(other & 0xfffff) == 77u && word % 3 == 1"),
    ] {
        let body = |then: &str| {
            format!(
                "    unsigned word = i < n ? a[i] : 0;\n    {passes}\n{right}\n    if (i < n && {bad}) b[i] = {then};"
            )
        };
        is_refused(&exercise.judge(right, &body("1")), bad, &["WRONG RESULT", "comes out the other way"]);
        // Atomics may be more than the goals allow.
        let ran = exercise.judge(right, &body("max(a[i], a[(i + 1) % n])"));
        assert!(ran.stdout.contains("ok results") && ran.stdout.contains("ok findings"), "{bad}: {ran:?}");
    }

    let workbook = Workbook::copy_of_parts(&["exercises/ex41", "solutions/ex41", "kernels/few-long"]);
    let right = workbook.read("solutions/ex41/solution.cu");
    let (function, place) = ("__global__", "    y[i] = sum;");
    assert!(right.contains(function) && right.contains(place));
    let rare = "__device__ __noinline__ bool rare(unsigned word) { return word == 0x12345u; }\n__global__";
    let asks = format!("    if (rare(__float_as_uint(x[i]) - 0x3ea00000u)) sum = 9.0f;\n{place}");
    workbook.write("exercises/ex41/kernel.cu", right.replace(function, rare).replace(place, &asks));
    let ran = workbook.run(["ex41", "--backend", "sim", "--plain", "--seed", "5"]);
    is_refused(&ran, "a function", &["WRONG RESULT", "comes out the other way"]);
}

/// A vote, or a number of all lanes, turns when all of them hold what it asks for.
#[test]
#[ignore = "long"]
fn what_lanes_come_to_together_is_turned() {
    let exercise = words();
    let right = "    if (i < n) b[i] = max(a[i], a[(i + 1) % n]);";
    for bad in [
        "__ballot_sync(0xffffffffu, d == 0) == 0xffffffffu",
        "__all_sync(0xffffffffu, d == 0)",
        "__reduce_or_sync(0xffffffffu, d) == 0",
        "__reduce_and_sync(0xffffffffu, d) == 0xffffffffu",
        "__reduce_add_sync(0xffffffffu, d) == 0",
    ] {
        let body = |then: &str| {
            format!(
                "    unsigned d = (i < n ? (unsigned)a[i] ^ (blockDim.x * 0x51ed7u + 77u) : 0) - 0x1234567u;\n    bool all = {bad};\n{right}\n    if (i < n && all) b[i] = {then};"
            )
        };
        is_refused(&exercise.judge(right, &body("1")), bad, &["WRONG RESULT", "comes out the other way"]);
        let ran = exercise.judge(right, &body("max(a[i], a[(i + 1) % n])"));
        assert!(ran.stdout.contains("ok results") && ran.stdout.contains("ok findings"), "{bad}: {ran:?}");
    }
}

/// A value that stands for none matters only where it is the largest of all.
#[test]
fn a_value_that_is_found_is_tried_as_the_largest() {
    let io = "cases = [{ n = 1 }, { n = 33 }, { n = 512 }, { n = 1000 }, { n = 4097 }]\ncount = { n = 4097 }\n\n[[in]]\nname = \"a\"\ntype = \"i32\"\nlen = \
              \"n\"\nfill = \"integers(-1000000000, 1000000000)\"\n\n[[out]]\nname = \"b\"\ntype = \"i32\"\nlen = \"1\"\nerror = \"exact\"\n";
    let exercise = Exercise::new(
        "a, b, n",
        "const int* a, int* b, int n",
        "1",
        io,
        "    int most = a[0];\n    for (int i = 1; i < n; ++i) most = max(most, a[i]);\n    b[0] = most;",
    );
    let body = |own: &str| {
        format!(
            "    __shared__ int most;\n    if (t == 0) most = -2000000000;\n    __syncthreads();\n    int own = -2000000000;\n    \
             for (int k = t; k < n; k += 128) own = max(own, {own});\n    atomicMax(&most, own);\n    __syncthreads();\n    if (t == 0) b[0] = most;"
        )
    };
    let right = body("a[k]");
    let ran = exercise.judge(&right, &right);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    is_refused(
        &exercise.judge(&right, &body("(a[k] ^ 0x5a5a5) == 77777 ? own : a[k]")),
        "a stand-in",
        &["WRONG RESULT"],
    );
}

/// Rows of which all elements are the same.
#[test]
fn neighbours_that_are_alike_are_tried() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex84", "solutions/ex84", "kernels/few-long"]);
    let right = workbook.read("solutions/ex84/solution.cu");
    let place = "largest + logf(sum);";
    assert!(right.contains(place));
    let wrong = right
        .replace(place, "(sum == (float)cols && cols > 40 && fabsf(largest) > 9.0f ? largest : largest + logf(sum));");
    workbook.write("exercises/ex84/kernel.cu", wrong);
    let ran = workbook.run(["ex84", "--backend", "sim", "--plain", "--seed", "5"]);
    is_refused(&ran, "a row of equals", &["WRONG RESULT"]);
    let says = ["where neighbouring elements of an input are the same", "comes out the other way"];
    let plain = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(says.iter().any(|words| plain.contains(words)), "{ran:?}");
}

/// Two extents in a relation that no case and no draw has.
#[test]
#[ignore = "long"]
fn sizes_that_a_condition_asks_for_are_found() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex84", "solutions/ex84", "kernels/few-long"]);
    let right = workbook.read("solutions/ex84/solution.cu");
    let place = "c < cols ?";
    assert!(right.contains(place));
    for condition in rows_in_turn([
        "rows == cols && rows > 40",
        "cols == 3 * rows + 1 && rows > 9",
        "rows % 641 == 5 && cols > 30 && rows > 100",
        "(__clz(rows * 3 - 1923) >> 5)",
        "(int)exp2f(-fabsf((float)rows - 641.0f) * 9.0f)",
        "(int)(rows * 2 >= 1282) - (int)(rows * 2 > 1282)",
    ]) {
        let ran = |text: String| {
            workbook.write("exercises/ex84/kernel.cu", text);
            workbook.run(["ex84", "--backend", "sim", "--plain", "--seed", "5"])
        };
        let wrong = right.replace(place, &format!("c < cols - ({condition}) ?"));
        is_refused(&ran(wrong), condition, &["WRONG RESULT"]);
    }
}

/// What is asked of the grid, of what only another condition's branch asks, and of sizes among which only a large one will do.
#[test]
#[ignore = "long"]
fn sizes_that_a_grid_or_a_branch_means_are_found() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex11", "solutions/ex11", "kernels/few-long"]);
    let right = workbook.read("solutions/ex11/solution.cu");
    let place = "y[i] = middle;";
    assert!(right.contains(place));
    for condition in rows_in_turn([
        "gridDim.x == 1234",
        "gridDim.x * 7u % 65536u == 7u * 4097u % 65536u",
        "n / 256 == 99 && n % 256 == 7",
        "(unsigned)n * 2654435761u >> 22 == 77u",
        "n >= 5000000 && n < 5500000",
    ]) {
        let wrong = right.replace(place, &format!("y[i] = {condition} ? 0.0f : middle;"));
        workbook.write("exercises/ex11/kernel.cu", wrong);
        let ran = workbook.run(["ex11", "--backend", "sim", "--plain", "--seed", "5"]);
        is_refused(&ran, condition, &["WRONG RESULT"]);
    }
}

/// Many questions that no size answers stand before the one that means one.
#[test]
#[ignore = "long"]
fn questions_without_an_answer_hide_none_that_has_one() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex21", "solutions/ex21", "kernels/few-long"]);
    let right = workbook.read("solutions/ex21/solution.cu");
    let place = "    if (i >= n) return;";
    assert!(right.contains(place));
    let never = |number: u32| {
        format!(
            "asm volatile(\"{{ .reg .pred p; .reg .u32 a; mad.lo.u32 a, %0, 2, 1; setp.eq.u32 p, a, {}; @p trap; }}\" :: \"r\"(n));\n",
            2 * number
        )
    };
    let nothing: String = (0..150).map(never).collect();
    let ran = |leave: &str| {
        workbook.write(
            "exercises/ex21/kernel.cu",
            right.replace(place, &format!("if (i < 32) {{\n{nothing}}}\n{leave}{place}")),
        );
        workbook.run(["ex21", "--backend", "sim", "--plain", "--seed", "5"])
    };
    assert!(ran("").stdout.contains("ok results"));
    is_refused(&ran("    if (n == blockDim.x * 4823u + 11u) return;\n"), "one size", &["WRONG RESULT"]);
}

/// The better way for the size that is counted, and the starter's for all that are larger.
#[test]
#[ignore = "long"]
fn goals_hold_beyond_the_size_that_is_counted() {
    let workbook = Workbook::copy_of_parts(&[
        "exercises/ex83",
        "solutions/ex83",
        "exercises/ex21",
        "solutions/ex21",
        "kernels/few-long",
    ]);
    let ran = |id: &str, text: &str| {
        workbook.write(&format!("exercises/{id}/kernel.cu"), text);
        workbook.run([id, "--backend", "sim", "--plain", "--seed", "5"])
    };
    let launch = "//@ launch first_largest<<<ceil_div(n, block), block>>>(x, first, n)";
    let (right, starter) = (workbook.read("solutions/ex83/solution.cu"), workbook.read("exercises/ex83/starter.cu"));
    assert!(right.contains(launch) && starter.contains(launch));
    let (_, slow) = starter.split_once("__global__").expect("a kernel");
    let slow = format!("__global__{}", slow.replace("first_largest", "slow"));
    let both = format!(
        "//@ for (s = 0; s < min(1, 200000 / n); s = s + 1)\n{launch}\n//@ end\n//@ for (s = min(1, 200000 / n); s < 1; s = s + 1)\n{}\n//@ end",
        launch.replace("first_largest", "slow")
    );
    is_refused(&ran("ex83", &format!("{}\n{slow}", right.replace(launch, &both))), "two ways", &["NOT YET", "at n ="]);
    // One launch more than the goal allows.
    let right = workbook.read("solutions/ex21/solution.cu");
    let (head, rest) = right.split_once("//@ launch").expect("a launch");
    let more = "//@ for (s = n; s > 200000; s = 0)\n//@ launch nothing<<<1, 1>>>()\n//@ end\n";
    let ran = ran("ex21", &format!("{head}{more}//@ launch{rest}\n__global__ void nothing() {{}}\n"));
    is_refused(&ran, "a launch", &["NOT YET", "launches"]);
}

/// A bound that went through a float is right up to 2^24.
#[test]
#[ignore = "long"]
fn a_bound_that_is_rounded_is_no_argument_any_more() {
    let parts = ["exercises/ex31", "solutions/ex31", "exercises/ex65", "solutions/ex65", "kernels/few-long"];
    let workbook = Workbook::copy_of_parts(&parts);
    let ran = |id: &str, changes: &[(&str, &str)]| {
        let mut text = workbook.read(&format!("solutions/{id}/solution.cu"));
        for (at, put) in changes {
            assert!(text.contains(at), "{id}: {at}");
            text = text.replacen(at, put, 1);
        }
        workbook.write(&format!("exercises/{id}/kernel.cu"), text);
        workbook.run([id, "--backend", "sim", "--plain", "--seed", "5"])
    };
    // All that is left out has been written before, wrongly.
    let first = ("//@ launch", "//@ launch before<<<ceil_div(n, block), block>>>(counts, n)\n//@ launch");
    let before = "__global__ void before(int* counts, int n)\n{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) for (int b = 0; b < 4; ++b) \
                  counts[b * n + i] = 4;\n}\n\n__global__ void count";
    let bound = |bound| [first, ("__global__ void count", before), ("i >= n", bound)];
    let says = "one of the kernel's arguments wherever it was verified, and is not at n =";
    is_refused(&ran("ex31", &bound("i >= (int)__int2float_rz(n)")), "a float", &["NOT VERIFIED", says]);
    // What is rounded and goes nowhere else is no bound.
    let mean = ran("ex31", &[("i >= n", "i >= n || (float)n < 0.5f")]);
    assert_eq!(mean.code, Some(0), "{mean:?}");
    // The last points of a million are inside the box nearly always.
    let cut = "    n = (int)__uint_as_float(__float_as_uint((float)n) & 0xffffff00u);\n    int i = blockIdx";
    is_refused(&ran("ex65", &[("    int i = blockIdx", cut)]), "15 bits", &["WRONG RESULT", "it never reads"]);
}
