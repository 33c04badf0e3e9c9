//! What no GPU is there to measure: a model says that a kernel is slower, and what it cannot be told of is not believed.

use crate::support::{Workbook, rows_in_turn};

/// GELU by one instruction, of an element `i`.
const GELU: &str = "float t = x[i];
float inner = 0.79788456f * (t + 0.044715f * t * t * t);
float bent;
asm(\"tanh.approx.f32 %0, %1;\" : \"=f\"(bent) : \"f\"(inner));
y[i] = 0.5f * t * (1.0f + bent);";

/// What a check of ex12 says of a kernel file, with everything that is modelled.
fn ex12(kernel: &str) -> crate::support::Ran {
    let workbook = Workbook::copy_of_parts(&["exercises/ex12", "kernels/few-long"]);
    workbook.write("exercises/ex12/kernel.cu", kernel);
    workbook.run(["ex12", "--backend", "sim", "--seed", "5", "--plain", "--verbose"])
}

/// The modelled interval of a report holds what was measured.
fn assert_lies_in(measured: f64, report: &str) {
    let told = report.split_once("modelled for an H200: ").map(|(_, rest)| rest).unwrap_or_default();
    let ends: Vec<f64> =
        told.split('x').take(2).filter_map(|end| end.trim_start_matches(" to ").parse().ok()).collect();
    assert!(ends.len() == 2 && ends[0] <= measured && measured <= ends[1], "{measured}: {ends:?}\n{report}");
}

/// An element a thread, and something before it.
fn after(before: &str, of_the_file: &str) -> String {
    format!(
        "//@ launch gelu<<<ceil_div(n, 256), 256>>>(x, y, n)\n{of_the_file}\n__global__ void gelu(const float* x, float* y, int n)\n{{\n\
         {before}\nint i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i >= n) return;\n{GELU}\n}}\n"
    )
}

/// Blocks, or warps, that draw their work from a counter until there is none left: here the first takes what many would take. How fast they
/// are, an H200 says (driver 580.159.04, CUDA 13.0).
#[test]
#[ignore = "long"]
fn who_draws_from_a_counter_is_modelled_by_what_all_have_to_do() {
    let tiles = |block_draws: &str, grid: &str| {
        format!(
            "//@ scratch next: i32[1]\n//@ launch begin<<<1, 1>>>(next)\n//@ launch gelu<<<min(ceil_div(n, {block_draws}), {grid} * sms), \
             256>>>(x, y, next, n)\n__global__ void begin(int* next) {{ *next = 0; }}\n__global__ void gelu(const float* x, float* y, int* \
             next, int n)\n{{\n__shared__ int drawn;\nwhile (true) {{\n__syncthreads();\nif (threadIdx.x == 0) drawn = atomicAdd(next, 1);\n\
             __syncthreads();\nint first = drawn * {block_draws};\nif (first >= n) return;\n#pragma unroll 8\nfor (int k = 0; k < \
             {block_draws} / 256; ++k) {{\nint i = first + k * 256 + threadIdx.x;\nif (i >= n) continue;\n{GELU}\n}}\n}}\n}}\n"
        )
    };
    let by_warp = format!(
        "//@ launch gelu<<<min(ceil_div(n, 1024), 16 * sms), 128>>>(x, y, n)\n__device__ unsigned next, done;\n__global__ void gelu(const \
         float* x, float* y, int n)\n{{\nint lane = threadIdx.x % 32;\nwhile (true) {{\nunsigned drawn = 0;\nif (lane == 0) drawn = \
         atomicAdd(&next, 1u);\ndrawn = __shfl_sync(0xffffffffu, drawn, 0);\nlong long first = (long long)drawn * 256;\nif (first >= n) \
         break;\n#pragma unroll\nfor (int k = 0; k < 8; ++k) {{\nint i = int(first) + k * 32 + lane;\nif (i >= n) continue;\n{GELU}\n}}\n}}\n\
         __syncthreads();\nif (threadIdx.x == 0) {{\n__threadfence();\nif (atomicAdd(&done, 1u) == gridDim.x - 1) {{ next = 0; done = 0; }}\n\
         }}\n}}\n"
    );
    for (kernel, measured) in rows_in_turn([(tiles("2048", "8"), 1.22), (tiles("65536", "4"), 0.79), (by_warp, 0.60)]) {
        let ran = ex12(&kernel);
        assert_eq!(ran.code, Some(0), "{measured}: {ran:?}");
        assert_lies_in(measured, &ran.stdout);
    }
}

/// In an exercise whose goals do not speak of time: kernels that take as long as nobody can tell, and those that queue.
#[test]
#[ignore = "long"]
fn what_takes_as_long_as_nobody_knows_is_not_believed() {
    assert_eq!(ex12(&after("", "")).code, Some(0));
    let turns = "if (threadIdx.x == 0) { while (atomicCAS(&turn, blockIdx.x, blockIdx.x) != blockIdx.x); __threadfence(); atomicExch(&turn, \
                 blockIdx.x + 1 == gridDim.x ? 0 : blockIdx.x + 1); }";
    for (before, of_the_file, says) in rows_in_turn([
        ("__nanosleep(gridDim.x * 1000u);", "", "it sleeps for as long as a register says"),
        ("void* own = malloc(16); free(own);", "", "it calls malloc"),
        ("printf(\"\");", "", "it calls printf"),
        (turns, "__device__ unsigned turn;", "it cannot be modelled"),
        ("if (threadIdx.x % 32 < 2) atomicAdd(&asked, 1u);", "__device__ unsigned asked;", "bound by atomics"),
        (
            "if (threadIdx.x % 32 < 2) atomicAdd(&asked[blockIdx.x % 2], 1u);",
            "__device__ unsigned asked[2];",
            "bound by atomics",
        ),
    ]) {
        let ran = ex12(&after(before, of_the_file));
        assert!(ran.stdout.contains(says), "{before}: {}", ran.stdout);
        assert!(ran.code == Some(1) || says == "bound by atomics", "{before}: {ran:?}");
    }
}

/// A compare-and-swap that is tried again because another one has succeeded waits for nobody, nor does an exchange that decides about no
/// loop: both are modelled.
#[test]
#[ignore = "long"]
fn swaps_that_wait_for_nobody_are_modelled() {
    let guide = "__device__ int top;\n__device__ void raise(float value) {\nint old = top, assumed;\ndo {\nassumed = old;\nold = \
                 atomicCAS(&top, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));\n} while (assumed != old);\n}";
    let early = "__device__ int top;\n__device__ void raise(float value) {\nint old = atomicAdd(&top, 0);\nwhile (__int_as_float(old) < \
                 value) {\nint assumed = old;\nold = atomicCAS(&top, assumed, __float_as_int(value));\nif (old == assumed) break;\n}\n}";
    let clears = "__device__ int top;\n__device__ void raise(float value) { atomicExch(&top, __float_as_int(value)); }";
    for of_the_file in rows_in_turn([guide, early, clears]) {
        let ran = ex12(&after("if (threadIdx.x == 0) raise(x[blockIdx.x]);", of_the_file));
        assert!(ran.code == Some(0) && ran.stdout.contains("modelled for an H200"), "{of_the_file}: {ran:?}");
    }
    // One block that takes something takes it from nobody.
    let alone = after("", "__device__ int top;\n__global__ void take() { if (atomicExch(&top, 0) == 7) top = 8; }");
    let ran = ex12(&format!("//@ launch take<<<1, 1>>>()\n{alone}"));
    assert!(ran.code == Some(0) && ran.stdout.contains("modelled for an H200"), "{ran:?}");
    // In the shape of an update, a lock.
    let lock = "__device__ int top;\n__device__ void raise(float value) {\nint old = 0, assumed;\ndo {\nassumed = old & ~1;\nold = \
                atomicCAS(&top, assumed, assumed | 1);\n} while (assumed != old);\natomicExch(&top, 0);\n}";
    let ran = ex12(&after("if (threadIdx.x == 0) raise(x[blockIdx.x]);", lock));
    assert!(ran.code == Some(1) && ran.stdout.contains("its threads may wait for each other"), "{ran:?}");
}

/// Blocks of which few do all of the work, at large sizes only, ask a counter as well: that shares nothing.
#[test]
#[ignore = "long"]
fn few_blocks_that_ask_a_counter_do_not_share_their_work() {
    for grid in rows_in_turn(["8 * sms", "min(16, sms)"]) {
        let ran = ex12(&format!(
            "//@ scratch next: i32[1]\n//@ launch begin<<<1, 1>>>(next)\n//@ launch gelu<<<min(ceil_div(n, 256), {grid}), 256>>>(x, y, next, \
             n)\n__global__ void begin(int* next) {{ *next = 0; }}\n__global__ void gelu(const float* x, float* y, int* next, int n)\n{{\n\
             int drawn = threadIdx.x == 0 ? atomicAdd(next, 1) : 0;\nif (drawn < 0) return;\nint busy = n > 4000000 ? 8 : gridDim.x;\n\
             if (blockIdx.x >= busy) return;\nfor (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += busy * 256) {{\n{GELU}\n}}\n}}\n"
        ));
        assert!(ran.code == Some(1) && ran.stdout.contains("modelled for an H200: 0.0"), "{grid}: {ran:?}");
    }
}

/// A load that is volatile finds nothing in the L1 cache.
#[test]
#[ignore = "long"]
fn volatile_loads_go_past_the_l1_cache() {
    let low = |pointer: &str| {
        let chain = format!(
            "int last = min(n, 4096) - 1, at = threadIdx.x % 32 < last ? threadIdx.x % 32 : 0;\nfor (int k = 0; k < 24; ++k) at = \
             (({pointer}*)x)[at] > 9.0f || at >= last ? 0 : at + 1;\nif (at < 0) return;"
        );
        let ran = ex12(&after(&chain, ""));
        let told = ran.stdout.split_once("modelled for an H200: ").map(|(_, rest)| rest.to_owned());
        told.and_then(|told| told.split_once('x')?.0.parse::<f64>().ok()).unwrap_or_else(|| panic!("{}", ran.stdout))
    };
    let (cached, volatile) = (low("const float"), low("const volatile float"));
    assert!(volatile < 0.7 * cached, "{volatile} {cached}");
}

/// Fences and prefetches that nobody needs, and stores all over a variable of the file: times of ex21 by an H200 (driver 580.159.04, CUDA 13.0).
#[test]
#[ignore = "long"]
fn fences_prefetches_and_variables_of_the_file_cost_time() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex21", "kernels/few-long"]);
    let scattered = "unsigned t = blockIdx.x * 256u + threadIdx.x;\nif (t % 2 == 0) big[t * 2654435761u >> 6] = t;";
    let device = |count| "__threadfence();".repeat(count);
    let system = |count| "__threadfence_system();".repeat(count);
    let prefetch = |what: &str| format!("asm volatile(\"prefetch.global.L2 [%0];\" :: \"l\"({what}));");
    let ahead =
        ["left", "right"].map(|from| prefetch(&format!("{from} + blockIdx.x * 256 + threadIdx.x + 65536"))).concat();
    let all_over = prefetch("left + (blockIdx.x * 256u + threadIdx.x) * 2654435761u % unsigned(n)");
    let kernel = |first: &str, of_the_file: &str| {
        format!(
            "//@ launch mid_side<<<ceil_div(n, 256), 256>>>(left, right, mid, side, n)\n{of_the_file}\n__global__ void mid_side(const float* \
             left, const float* right, float* mid, float* side, int n)\n{{\n{first}\nint i = blockIdx.x * blockDim.x + threadIdx.x;\n\
             if (i >= n) return;\nfloat l = left[i], r = right[i];\nmid[i] = 0.5f * (l + r);\nside[i] = 0.5f * (l - r);\n}}\n"
        )
    };
    let run = |first: &str, of_the_file: &str| {
        workbook.write("exercises/ex21/kernel.cu", kernel(first, of_the_file));
        workbook.run(["ex21", "--backend", "sim", "--seed", "5", "--plain", "--verbose"])
    };
    // Of the last the model has a little more than the card.
    for (first, of_the_file, measured, lies_in) in rows_in_turn([
        (ahead, "", 1.70, true),
        (device(1), "", 1.31, true),
        (device(3), "", 0.87, true),
        (system(1), "", 0.89, true),
        (system(3), "", 0.46, true),
        (scattered.to_owned(), "__device__ unsigned big[1u << 26];", 0.21, true),
        (all_over, "", 0.49, false),
    ]) {
        let ran = run(&first, of_the_file);
        if lies_in {
            assert_lies_in(measured, &ran.stdout);
        }
        assert_eq!(ran.code, Some(i32::from(measured < 1.0)), "{measured}: {}", ran.stdout);
    }
}

/// Where the starter is wrong and not slow, being right is not bought with so much time: a thread that does the work of all, one that sleeps.
#[test]
#[ignore = "long"]
fn what_is_right_is_not_many_times_slower() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex63", "solutions/ex63", "kernels/few-long"]);
    let right = workbook.read("solutions/ex63/solution.cu");
    let run = |text: &str| {
        workbook.write("exercises/ex63/kernel.cu", text);
        workbook.run(["ex63", "--backend", "sim", "--seed", "5", "--plain"])
    };
    let ran = run(&right);
    assert!(ran.code == Some(0) && !ran.stdout.contains("modelled"), "{ran:?}");
    let (head, body) = right.rsplit_once("    int i = ").expect("an index");
    let ran = run(&format!("{head}    __nanosleep(1000000);\n    int i = {body}"));
    assert!(ran.code == Some(1) && ran.stdout.contains("at least 0.20x"), "{ran:?}");
}

/// Whose atomics only wait for each other, where a problem lets them, is right and told why it is slow; one block for all is not let pass.
#[test]
#[ignore = "long"]
fn atomics_that_queue_are_right_and_slow() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex03", "solutions/ex03", "kernels/few-long"]);
    let run = |text: String| {
        workbook.write("exercises/ex03/kernel.cu", text);
        workbook.run(["ex03", "--backend", "sim", "--seed", "5", "--plain"])
    };
    let ran = run(workbook.read("solutions/ex03/styles/chosen.cu"));
    assert!(ran.code == Some(0) && ran.stdout.contains("right, but slow") && ran.stdout.contains("atomics"), "{ran:?}");
    let ran = run(workbook.read("solutions/ex03/mutants/one_block.cu"));
    assert!(ran.code == Some(1) && ran.stdout.contains("at least 0.20x"), "{ran:?}");
    let ran = run(workbook.read("solutions/ex03/solution.cu"));
    assert!(ran.code == Some(0) && !ran.stdout.contains("slow"), "{ran:?}");
}
