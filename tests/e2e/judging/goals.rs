//! Goals are met by what runs: machine code that nothing executes, and work that is moved instead of saved.

use crate::support::{Ran, Workbook, rows_in_turn};

/// The fixture's exercise with other goals and with kernels of the same launch; each kernel is `scale`'s body, `i` and `a[i]` at
/// hand.
pub(super) fn exercise(goals: &str) -> Workbook {
    let workbook = Workbook::copy("small");
    let problem = workbook.read("exercises/ex01/problem.toml");
    let (head, _) = problem.split_once("[[goal]]").expect("the fixture has goals");
    workbook.write("exercises/ex01/problem.toml", format!("{head}{goals}"));
    workbook
}

pub(super) fn judged(workbook: &Workbook, body: &str) -> Ran {
    judged_as(workbook, body, "--plain")
}

pub(super) fn judged_as(workbook: &Workbook, body: &str, face: &str) -> Ran {
    let text = format!(
        "//@ let    block = 128\n//@ launch scale<<<ceil_div(n, block), block>>>(a, b, n)\n\n\
         __global__ void scale(const float* a, float* b, int n)\n{{\n    __shared__ float s[128];\n    int i = blockIdx.x * \
         blockDim.x + threadIdx.x;\n    int t = threadIdx.x;\n{body}\n    if (i < n) b[i] = a[i] * 1.7f;\n    s[t] = 0.0f;\n}}\n"
    );
    workbook.write("exercises/ex01/kernel.cu", text);
    workbook.run(["ex01", "--backend", "sim", "--seed", "7", face])
}

fn goal(metric: &str, condition: &str) -> String {
    format!("[[goal]]\nmetric = \"{metric}\"\n{condition}\nwhy = \"the test asks for it\"\n\n")
}

/// A problem whose drawn sizes all lie below the `count` size has a second size all the same: who does better, or less, at the
/// one that is counted only is found out, and so is who does not end at the other.
#[test]
fn the_size_that_is_counted_is_not_the_only_one() {
    let workbook = exercise(&goal("count.global_load_requests", "max = 0"));
    let problem = workbook.read("exercises/ex01/problem.toml");
    let count = problem.lines().find(|line| line.starts_with("count")).expect("a size that is counted").to_owned();
    assert!(count.contains("n = "), "{count}");
    let drawn = problem.replace(&count, &format!("{count}\ndrawn = [{{ n = [2, 40] }}]"));
    workbook.write("exercises/ex01/problem.toml", drawn);
    let counted: u32 = count.chars().filter(char::is_ascii_digit).collect::<String>().parse().expect("a number");
    let only = |then: &str| format!("    if (n != {counted} && n > 40) {{ {then} }}");
    for (then, says) in [
        ("float x = ((volatile const float*)a)[i % 8]; if (x == 9.0f) b[0] = x;", "NOT YET"),
        ("for (int k = 0; k < 4000; ++k) if (__shfl_xor_sync(~0u, t, k % 32) == 999) b[0] = k;", "NOT YET"),
        ("while (i >= 0) asm volatile(\"\");", "DID NOT END"),
    ] {
        let ran = judged(&workbook, &only(then));
        assert!(ran.code == Some(1) && ran.stdout.contains(says), "{then}: {ran:?}");
    }
}

/// Opcodes of several kinds in a branch that nobody takes, each beside the same where it runs: the first is refused with the
/// line, the second passes.
#[test]
fn an_opcode_that_never_runs_does_not_count() {
    let cases = [
        ("sass.SHFL", "{ int v = __shfl_down_sync(~0u, t, 1); if (v == 999) b[0] = 1.0f; }"),
        ("sass.MEMBAR", "{ __threadfence(); }"),
        ("sass.LDG.E.128", "{ float4 v = *(const float4*)a; if (v.x + v.y + v.z + v.w == 99.0f) b[0] = v.x; }"),
        (
            "sass.MUFU",
            "{ float v; asm volatile(\"ex2.approx.f32 %0, %1;\" : \"=f\"(v) : \"f\"(a[0])); if (v == 9.0f) b[0] = v; }",
        ),
        ("sass.ATOMS", "{ if (atomicAdd((int*)&s[0], 1) == -1) b[0] = 1.0f; }"),
    ];
    for (metric, code) in cases {
        let workbook = exercise(&goal(metric, "min = 1"));
        let dead = judged(&workbook, &format!("    if (n < 0) {code}"));
        assert_eq!(dead.code, Some(1), "{metric}: {dead:?}");
        assert!(dead.stdout.contains("nothing, or next to nothing, executed"), "{metric}: {}", dead.stdout);
        assert!(dead.stdout.contains("kernel.cu:9"), "{metric} names the line: {}", dead.stdout);
    }
    let workbook =
        exercise(&(goal("sass.SHFL", "min = 1") + &goal("sass.MEMBAR", "min = 1") + &goal("sass.MUFU", "min = 1")));
    let all: String = [cases[0].1, cases[1].1, cases[3].1].map(|code| format!("    {code}\n")).concat();
    let alive = judged(&workbook, &all);
    assert_eq!(alive.code, Some(0), "{alive:?}");
}

/// Goals that are met by what a line's other instructions do: each of the wanted ones is dead or rare, beside a live one that is like
/// it. The same kernel with the wanted ones alive passes.
#[test]
fn what_runs_on_the_line_does_not_vouch_for_another_opcode() {
    let cases = [
        (
            "sass.MUFU.COS",
            "asm volatile(\"cos.approx.f32 %0, %0;\" : \"+f\"(f));",
            "asm volatile(\"rem.u16 %0, %0, 7;\" : \"+h\"(h));",
        ),
        ("sass.MEMBAR", "__threadfence();", "if (atomicMin((int*)&s[0], 5) == 77) b[0] = 1.0f;"),
        ("sass.SHFL.BFLY", "f += __shfl_xor_sync(~0u, f, 1);", "f += __shfl_down_sync(~0u, f, 2);"),
        (
            "sass.HFMA2",
            "asm volatile(\"fma.rn.f16x2 %0, %0, %0, %0;\" : \"+r\"(u));",
            "asm volatile(\"fma.rn.f32 %0, %0, %0, %0;\" : \"+f\"(f));",
        ),
        ("sass.ATOMS.OR", "atomicOr((int*)&s[1], t);", "atomicMax((int*)&s[1], t);"),
    ];
    let run = "float v[6]; _Pragma(\"unroll\") for (int k = 0; k < 6; ++k) v[k] = a[k * 8 % n]; \
               _Pragma(\"unroll\") for (int k = 0; k < 6; ++k) f += v[k];";
    let one =
        "_Pragma(\"unroll 1\") for (int k = 0; k < 6; ++k) { f += a[k * 8 % n]; asm volatile(\"\" :: \"f\"(f)); }";
    let goals: String = cases.iter().map(|(metric, ..)| goal(metric, "min = 1")).collect();
    let in_flight = goal("sass.load_run", "min = 6") + &goal("sass.bytes_in_flight", "min = 24");
    let workbook = exercise(&(goals + &in_flight));
    let kernel = |guard: &str, rare: &str| {
        let lines = cases.iter().map(|(_, wanted, other)| format!("    if ({guard}) {{ {wanted} }} {other}\n"));
        let loads = format!("    if ({rare}) {{ {run} }} else {{ {one} }}\n");
        let all: String = lines.chain([loads]).collect();
        format!(
            "    float f = t; unsigned u = t; unsigned short h = t; s[t] = f; __syncthreads();\n{all}    if (f == 1e30f && u == 7 && h == 9) b[0] = f; __syncthreads();"
        )
    };
    let goals = |kernel: &str| {
        let ran = judged_as(&workbook, kernel, "--json");
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).expect("a report");
        report["goals"].as_array().expect("goals").clone()
    };
    let asked: Vec<&str> = cases.iter().map(|case| case.0).chain(["sass.load_run", "sass.bytes_in_flight"]).collect();
    let of = |goals: &[serde_json::Value], fits: &dyn Fn(&serde_json::Value) -> bool| -> Vec<String> {
        let metrics = goals.iter().filter(|goal| fits(goal)).filter_map(|goal| goal["metric"].as_str());
        metrics.filter(|metric| asked.contains(metric)).map(str::to_owned).collect()
    };
    let dead = goals(&kernel("n < 0", "blockIdx.x == 0 && t < 32"));
    assert_eq!(of(&dead, &|goal| goal["status"] == "not-met" && goal["unexecuted"].is_object()), asked, "{dead:#?}");
    // (Work that the starter does none of is refused; these goals are met.)
    let alive = goals(&kernel("n > 0", "n > 0"));
    assert_eq!(of(&alive, &|goal| goal["status"] == "met"), asked, "{alive:#?}");
}

/// A loop that is unrolled whole has many short runs of loads on one line, of which none is a fair share: together they are.
#[test]
fn runs_of_an_unrolled_loop_count_together() {
    let workbook = exercise(&(goal("sass.load_run", "min = 4") + &goal("sass.bytes_in_flight", "min = 16")));
    // What is stored before the barrier is added up before it.
    let load = "_Pragma(\"unroll\") for (int k = 0; k < 4; ++k) v[k] = a[(j * 4 + k) * 8 % n];";
    let add = "f += v[0] + v[1] + v[2] + v[3]; ((volatile float*)s)[t] = f; __syncthreads();";
    let fours =
        format!("    float f = t, v[4];\n    _Pragma(\"unroll\") for (int j = 0; j < 8; ++j) {{ {load} {add} }}");
    let ran = judged_as(&workbook, &fours, "--json");
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).expect("a report");
    let goals = report["goals"].as_array().expect("goals");
    for metric in ["sass.load_run", "sass.bytes_in_flight"] {
        let goal = goals.iter().find(|goal| goal["metric"] == metric).expect("the goal");
        assert_eq!(goal["status"], "met", "{goal:#}");
    }
}

/// What must not be there must not be there in dead code either: nobody can tell what a file means to run later.
#[test]
fn an_upper_bound_counts_all_that_stands_there() {
    let workbook = exercise(&goal("sass.SHFL", "max = 0"));
    let dead = judged(&workbook, "    if (n < 0) b[0] = __shfl_down_sync(~0u, t, 1);");
    assert_eq!(dead.code, Some(1), "{dead:?}");
}

/// The same number of a thing on one line, of which only some run.
#[test]
fn a_live_instruction_does_not_vouch_for_its_dead_neighbours() {
    let workbook = exercise(&goal("sass.SHFL", "min = 3"));
    let line = "    { int v = __shfl_down_sync(~0u, t, 1); if (n < 0) { v += __shfl_down_sync(~0u, v, 2); \
                v += __shfl_down_sync(~0u, v, 4); } if (v == 999) b[0] = 1.0f; }";
    let ran = judged(&workbook, line);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let goal = ran.stdout.lines().find(|line| line.contains("`SHFL` instructions")).unwrap_or_default();
    assert!(goal.contains("-> 1 ") && goal.contains("at least 3"), "{}", ran.stdout);
}

/// No goal speaks of any of these; all are far more work than the starter's.
#[test]
fn work_beyond_the_starters_is_refused_without_a_goal_of_its_own() {
    let workbook = exercise(&goal("launches", "equals = 1"));
    let cases = [
        ("warp instructions", "    for (int k = 0; k < 40; ++k) asm volatile(\"{ .reg .u32 r; mov.u32 r, 1; }\");"),
        ("global sectors in all", "    for (int k = 0; k < 3; ++k) if (i < n) ((volatile float*)b)[i] = 0.0f;"),
        ("shared wavefronts in all", "    for (int k = 0; k < 6; ++k) ((volatile float*)s)[t] = 0.0f;"),
        (
            "atomics in all",
            "    if (t == 0) s[0] = 0.0f;\n    __syncthreads();\n    atomicAdd(&s[0], 1.0f);\n    __syncthreads();",
        ),
    ];
    for (words, code) in cases {
        let ran = judged(&workbook, code);
        assert_eq!(ran.code, Some(1), "{words}: {ran:?}");
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    let plain = judged(&workbook, "");
    assert_eq!(plain.code, Some(0), "{plain:?}");
    assert!(!plain.stdout.contains("in all"), "what is kept is not told: {}", plain.stdout);
}

/// A problem whose idea costs more of something says so; a name that is none is refused.
/// An array with an index from data is local memory in PTX. Where the assembler finds room for it in registers it is none.
#[test]
fn local_memory_that_the_assembler_removed_is_not_held_against_a_kernel() {
    let workbook = exercise(&goal("count.shared_load_requests", "max = 0"));
    let row = |loops: &str| {
        format!(
            "    int row[10] = {{1, 0, 0, 0, 0, 0, 0, 0, 0, 0}};\n#pragma {loops}\n    for (int k = 0; k < t % 10; ++k)\n\
             #pragma {loops}\n        for (int j = 9; j > 0; --j) row[j] += row[j - 1];\n    if (row[t % 7] == 999) b[0] = 1.0f;"
        )
    };
    for (loops, held) in [("unroll", false), ("unroll 1", true)] {
        let ran = judged(&workbook, &row(loops));
        assert_eq!(ran.stdout.contains("local sectors"), held, "{loops}: {ran:?}");
    }
}

#[test]
fn a_problem_may_change_a_bound_on_work() {
    let code = "    for (int k = 0; k < 40; ++k) asm volatile(\"{ .reg .u32 r; mov.u32 r, 1; }\");";
    let workbook = exercise(&(goal("launches", "equals = 1") + "[work]\ninstructions = 10\n"));
    assert_eq!(judged(&workbook, code).code, Some(0));
    let workbook = exercise(&(goal("launches", "equals = 1") + "[work]\ninstruction = 10\n"));
    let ran = judged(&workbook, "");
    assert!(ran.code == Some(2) && ran.stderr.contains("did you mean `instructions`"), "{ran:?}");
}

/// Loads that are no `ld`: a bound on what is read holds for them.
#[test]
fn reading_by_atomics_and_by_asynchronous_copies_is_reading() {
    let workbook = exercise(&goal("count.global_read_sectors", "ratio_max = 1.0"));
    let cases = [
        "    if (i < n) b[i] = 0.0f;\n    if (i < n && atomicAdd(&b[i], 0.0f) == 99.0f) s[t] = 1.0f;",
        "    if (i < n) { unsigned to = __cvta_generic_to_shared(&s[t]); asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4; \
         cp.async.wait_all;\" :: \"r\"(to), \"l\"(a + i)); }",
    ];
    for code in cases {
        let ran = judged(&workbook, code);
        assert_eq!(ran.code, Some(1), "{code}: {ran:?}");
        assert!(ran.stdout.contains("global sectors read"), "{code}: {}", ran.stdout);
    }
}

/// All counts are as they should be, and one multiprocessor does the work of all: one block goes round, or the first of many does,
/// or the first of many warps. What is left to the others does not look like work to any counter.
#[test]
#[ignore = "long"]
fn a_kernel_that_is_slower_than_the_starter_has_not_met_the_goals() {
    let workbook = exercise(&goal("sass.DMUL", "max = 0"));
    let problem = workbook.read("exercises/ex01/problem.toml");
    let timed = problem.replace("[[in]]", "time = { n = 16777216 }\nbytes = \"8 * n\"\n\n[[in]]");
    workbook.write("exercises/ex01/problem.toml", timed);
    let judged = |grid: &str, body: &str| {
        let text = format!(
            "//@ launch scale<<<{grid}>>>(a, b, n)\n__global__ void scale(const float* a, float* b, int n)\n{{\n    int t = \
             threadIdx.x, own = blockIdx.x * blockDim.x + t;\n{body}\n}}\n"
        );
        workbook.write("exercises/ex01/kernel.cu", text);
        workbook.run(["ex01", "--backend", "sim", "--seed", "7", "--plain"])
    };
    let many = "ceil_div(n, 128), 128";
    let right = judged(many, "    if (own < n) b[own] = a[own] * 1.7f;");
    assert_eq!(right.code, Some(0), "{right:?}");
    for (grid, body) in rows_in_turn([
        ("1, 128", "    for (int i = t; i < n; i += 128) b[i] = a[i] * 1.7f;"),
        (many, "    if (blockIdx.x == 0) for (int i = t; i < n; i += 128) b[i] = a[i] * 1.7f;"),
        (many, "    if (blockIdx.x == gridDim.x - 1) for (int i = t; i < n; i += 128) b[i] = a[i] * 1.7f;"),
    ]) {
        let ran = judged(grid, body);
        assert!(ran.code == Some(1) && ran.stdout.contains("NOT YET"), "{grid} {body}: {ran:?}");
        // Where most blocks idle, that is the first thing told.
        let says = ["a model of an H200 says 0.0", "modelled for an H200: 0.0"];
        assert!(says.iter().any(|says| ran.stdout.contains(says)), "{grid} {body}: {}", ran.stdout);
    }
}

/// A goal on the modelled speedup is not dodged by being one that cannot be modelled.
#[test]
fn a_kernel_that_cannot_be_modelled_has_not_met_a_goal_on_that() {
    let workbook = exercise(&goal("modelled.speedup", "min = 0.5"));
    let alive = judged(&workbook, "");
    assert_eq!(alive.code, Some(0), "{alive:?}");
    for swaps in ["atomicCAS((int*)&s[t], 9, 8);", "while (atomicCAS((int*)&s[t], 0, 8) != 0);"] {
        let dodges = judged(&workbook, &format!("    s[t] = 0.0f;\n    {swaps}"));
        assert!(dodges.code == Some(1) && dodges.stdout.contains("it cannot be modelled"), "{swaps}: {dodges:?}");
    }
}

/// A launch that reads what blocks that were not run would have written is modelled if that hardly matters.
#[test]
fn what_hangs_a_little_on_unknown_results_is_modelled() {
    let workbook = exercise(&goal("registers", "max = 40"));
    let problem = workbook.read("exercises/ex01/problem.toml");
    workbook.write("exercises/ex01/problem.toml", problem.replace("[[in]]", "time = { n = 16777216 }\n\n[[in]]"));
    let modelled = |second: &str| {
        let text = format!(
            "//@ scratch part: f32[ceil_div(n, 128)]\n//@ launch first<<<ceil_div(n, 128), 128>>>(a, b, part, n)\n\
             //@ launch second<<<1, 128>>>(part, ceil_div(n, 128))\n\
             __global__ void first(const float* a, float* b, float* part, int n)\n{{\n    int i = blockIdx.x * 128 + threadIdx.x;\n    \
             if (i < n) b[i] = a[i] * 1.7f;\n    if (threadIdx.x == 0) part[blockIdx.x] = a[i];\n}}\n\
             __global__ void second(float* part, int blocks)\n{{\n    if (threadIdx.x >= blocks) return;\n    \
             float own = part[threadIdx.x];\n{second}\n}}\n"
        );
        workbook.write("exercises/ex01/kernel.cu", text);
        workbook.run(["ex01", "--backend", "sim", "--seed", "7", "--plain", "--verbose"]).stdout
    };
    let little = modelled("    if (own > 0.0f) part[threadIdx.x] = 1.0f / own;");
    assert!(little.contains("modelled for an H200"), "{little}");
    // What a small size left there says that it waits; with zeros, or ones, it would not.
    let much = modelled("    if (own > 0.0f && own < 1.0f) __nanosleep(1000000u);\n    part[threadIdx.x] = own;");
    assert!(much.contains("it sleeps for as long as a register says"), "{much}");
}

/// Blocks that are launched for a goal and idle: few do the work of all, whatever the others are at. A block that takes what is left
/// from a counter, and a last one that finishes, share the work all the same.
#[test]
fn blocks_that_idle_are_no_blocks() {
    let workbook = exercise(&goal("registers", "max = 40"));
    let kernel = |work: &str| {
        let text = format!(
            "//@ scratch next: i32[1]\n//@ launch clear<<<1, 1>>>(next)\n//@ launch scale<<<ceil_div(n, 128), 128>>>(a, b, next, n)\n\n\
             __global__ void clear(int* next) {{ *next = 0; }}\n\
             __global__ void scale(const float* a, float* b, int* next, int n)\n{{\n    __shared__ int from;\n{work}\n}}\n"
        );
        workbook.write("exercises/ex01/kernel.cu", text);
        workbook.run(["ex01", "--backend", "sim", "--seed", "7", "--plain"])
    };
    let all = "for (int i = threadIdx.x; i < n; i += 128) b[i] = a[i] * 1.7f;";
    for idle in [
        format!("if (blockIdx.x != 0) return;\n{all}"),
        format!("if (blockIdx.x != 3 % gridDim.x) {{ if (threadIdx.x == 0) atomicAdd(next, 1); return; }}\n{all}"),
        format!("if (blockIdx.x != gridDim.x - 1) {{ __syncthreads(); __threadfence(); return; }}\n{all}"),
    ] {
        let ran = kernel(&idle);
        assert!(ran.code == Some(1) && ran.stdout.contains("work of a block, mean over busiest"), "{idle}: {ran:?}");
    }
    for shared in [
        "int i = blockIdx.x * 128 + threadIdx.x; if (i < n) b[i] = a[i] * 1.7f;",
        "while (true) {\n__syncthreads();\nif (threadIdx.x == 0) from = atomicAdd(next, 128);\n__syncthreads();\nint i = from + threadIdx.x;\n\
         if (from >= n) return;\nif (i < n) b[i] = a[i] * 1.7f;\n}",
        "int i = blockIdx.x * 128 + threadIdx.x; if (i < n) b[i] = a[i] * 1.7f;\n__threadfence();\n__syncthreads();\n\
         if (threadIdx.x == 0) from = atomicAdd(next, 1);\n__syncthreads();\nif (from == gridDim.x - 1) __threadfence();",
    ] {
        let ran = kernel(shared);
        assert_eq!(ran.code, Some(0), "{shared}: {ran:?}");
    }
}

/// Warps of many blocks that draw their work from a counter: how evenly they do is seen where they draw in turn. That few are left with
/// all is not excused by a counter.
#[test]
fn warps_of_many_blocks_share_a_queue() {
    let workbook = exercise(&goal("registers", "max = 40"));
    let problem = workbook.read("exercises/ex01/problem.toml");
    workbook.write("exercises/ex01/problem.toml", problem.replace("count = { n = 4097 }", "count = { n = 524288 }"));
    let kernel = |draws: &str| {
        let text = format!(
            "//@ scratch next: i32[1]\n//@ launch clear<<<1, 1>>>(next)\n//@ launch scale<<<min(ceil_div(n, 128), 2 * sms), 128>>>(a, b, \
             next, n)\n__global__ void clear(int* next) {{ *next = 0; }}\n__global__ void scale(const float* a, float* b, int* next, int \
             n)\n{{\nfor (;;) {{\nint from = threadIdx.x % 32 == 0 ? {draws} : 0;\nfrom = __shfl_sync(0xffffffffu, from, 0);\nif (from >= \
             n) return;\nfor (int i = from + threadIdx.x % 32; i < min(n, from + 256); i += 32) b[i] = a[i] * 1.7f;\n}}\n}}\n"
        );
        workbook.write("exercises/ex01/kernel.cu", text);
        workbook.run(["ex01", "--backend", "sim", "--seed", "7", "--plain"])
    };
    let shared = kernel("atomicAdd(next, 256)");
    assert_eq!(shared.code, Some(0), "{shared:?}");
    let few = kernel("blockIdx.x < 8 ? atomicAdd(next, 256) : n");
    assert!(few.code == Some(1) && few.stdout.contains("work of a block, mean over busiest"), "{few:?}");
}

/// A kernel that holds the time of day would be another one each time, and get other points.
#[test]
fn a_kernel_with_a_clock_of_the_compiler_is_refused() {
    let workbook = exercise("");
    for text in ["    if (__TIME__[7] & 1) return;", "#define P(a, b) a ## b\n    if (P(__DA, TE__)[5] == '1') return;"]
    {
        let ran = judged(&workbook, &format!("{text}\n    if (i < n) b[i] = a[i] * 1.7f;"));
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stdout.contains("makes another kernel of this file each time"), "{text}: {}", ran.stdout);
    }
}

/// What is judged is what NVRTC makes of a file: nvcc, which its author uses elsewhere, has to make the same.
#[test]
fn a_kernel_that_asks_for_its_compiler_is_refused() {
    let workbook = exercise("");
    for text in [
        "#ifdef __CUDACC_RTC__",
        "#ifndef __NVCC__",
        "#if __CUDACC_VER_MAJOR__ >= 9",
        "#if !defined(__GNU\\\nC__)",
        "#ifndef __COUNTER__",
        "#ifndef __linux__",
    ] {
        let ran = judged(&workbook, &format!("{text}\n    if (i < n)\n#endif\n    b[i] = a[i] * 1.7f;"));
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(
            ran.stdout.contains("makes another kernel of this file with another compiler"),
            "{text}: {}",
            ran.stdout
        );
    }
    let there = "#if !__has_include(\"/dev/nvidia0\")\n    if (i < n)\n#endif\n    b[i] = a[i] * 1.7f;";
    let ran = judged(&workbook, there);
    assert!(ran.code == Some(1) && ran.stdout.contains("of this file on another machine"), "{ran:?}");
    // Nor does it matter where the file lies; to say so is another thing.
    let ran = judged(&workbook, "    if (sizeof(__FILE__) > 40) return;\n    if (i < n) b[i] = a[i] * 1.7f;");
    assert!(ran.code == Some(1) && ran.stdout.contains("of this file in another folder"), "{ran:?}");
    let ran = judged(
        &workbook,
        "    if (i > n + 9999) printf(\"%s:%d\\n\", __FILE__, __LINE__);\n    if (i < n) b[i] = a[i] * 1.7f;",
    );
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// One program that runs, and another that is judged: a branch that the assembler works out otherwise than the simulator does. The real work is
/// not in the machine code, so the machine code says nothing of it.
#[test]
fn what_is_judged_is_what_is_simulated() {
    let workbook = exercise(&goal("sass.instructions", "max = 400"));
    let folded = |text: &str, real: &str| {
        format!(
            "    unsigned bits;\n    asm volatile(\"{text}\" : \"=r\"(bits));\n    if (bits == {real}u) {{\n        \
             if (i < n) b[i] = a[i] * 1.7f;\n    }}\n    return;"
        )
    };
    // The bits of what is no number are each machine's own, too.
    let ran = judged(&workbook, &folded("neg.f32 %0, 0f7fc12345;", "0x7fffffff"));
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("WRONG RESULT"), "{}", ran.stdout);
    // The last bits of an approximation are each machine's own: some case goes the other way.
    let ran = judged(&workbook, &folded("sin.approx.f32 %0, 0f3fe1c1bd;", "0x3f7b401c"));
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("WRONG RESULT"), "{}", ran.stdout);
    // The same where both work it out alike.
    let ran = judged(&workbook, &folded("mov.u32 %0, 7;", "7"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // Loads and stores stay, and between them work is gone that nobody uses, once the assembler has looked at it: whole numbers, which
    // become something else in any machine code.
    let between = |uses: &str| {
        let work = "mad.lo.u32 s, s, 5, 2;\\n xor.b32 s, s, 77;\\n ".repeat(5);
        format!(
            "    unsigned u = i;\n    asm volatile(\"{{ .reg .u32 s; .reg .pred p; mov.u32 s, %0;\\n setp.eq.u32 p, s, 12345;\\n @p bra \
             SKIP;\\n {work}{uses} SKIP: }}\" : \"+r\"(u));\n    if (u == 7 && i < n) b[i] = 1.0f;"
        )
    };
    let ran = judged(&workbook, &between(""));
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("in blocks that are in the machine code"), "{}", ran.stdout);
    let told: String = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("the compiler left out most of line") && told.contains("no result needs"), "{}", ran.stdout);
    let ran = judged(&workbook, &between("mov.u32 %0, s;\\n"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
}
