//! What a report says to try first goes by the cause of a finding, where its verdict has several.

use crate::support::checker;

struct Told {
    name: &'static str,
    kernel: &'static str,
    parts: &'static [&'static str],
}

const TOLD: &[Told] = &[
    Told {
        name: "freed",
        kernel: "//@ out c: i32[32]\n//@ launch k<<<1, 32>>>(c)\n__global__ void k(int *c) {\n    int *p = (int *)malloc(16);\n    p[0] = 1;\n    free(p);\n    c[threadIdx.x] = p[0];\n}\n",
        parts: &["try first Which thread frees that block"],
    },
    Told {
        name: "another-thread",
        kernel: "//@ out c: i32[32]\n//@ launch k<<<1, 32>>>(c)\n__global__ void k(int *c) {\n    __shared__ int *p;\n    int mine[4] = {1, 2, 3, (int)threadIdx.x};\n    if (threadIdx.x == 0) p = mine;\n    __syncthreads();\n    c[threadIdx.x] = p[threadIdx.x & 3];\n}\n",
        parts: &["try first Where does the pointer of", "A thread's own variables are for that thread alone"],
    },
    Told {
        name: "null",
        kernel: "//@ out c: f32[32]\n//@ launch k<<<1, 32>>>(c, 0)\n__global__ void k(float *c, const float *w) { c[threadIdx.x] = w[threadIdx.x]; }\n",
        parts: &["try first Where does the pointer of", "that it is not null"],
    },
    Told {
        name: "past-the-end",
        kernel: "//@ in a: f32[32] = iota\n//@ out c: f32[32]\n//@ launch k<<<1, 32>>>(a, c)\n__global__ void k(const float *a, float *c) { c[threadIdx.x] = a[threadIdx.x + 1]; }\n",
        parts: &["try first Which index does that thread compute"],
    },
    Told {
        name: "variable",
        kernel: "//@ in a: f32[256] = iota\n//@ out c: f32[32]\n//@ launch k<<<1, 32>>>(a, c, 8)\n__global__ void k(const float *a, float *c, int n) {\n    float sum;\n    for (int i = 0; i < n; i++)\n        sum += a[i * 32 + threadIdx.x];\n    c[threadIdx.x] = sum;\n}\n",
        parts: &[
            "`sum` is read before it has a value (declared in line 5)",
            "try first What is its value to be before anything sets it?",
        ],
    },
    Told {
        name: "printf",
        kernel: "#include <cstdio>\n//@ out c: i32[1]\n//@ launch k<<<1, 1>>>(c)\n__global__ void k(int *c) {\n    *c = 0;\n    printf(\"%d %lld\\n\", 1, *c);\n}\n",
        parts: &["printf's format asks for 8 bytes that no argument gives", "try first Compare the format in"],
    },
    // The bytes of an argument that is there, and has no value.
    Told {
        name: "printed",
        kernel: "#include <cstdio>\n//@ in a: i32[4] = iota\n//@ out c: i32[4]\n//@ launch k<<<1, 4>>>(a, c)\n__global__ void k(const int *a, int *c) {\n    int x[4];\n    x[a[threadIdx.x]] = 1;\n    printf(\"%d\\n\", x[(a[threadIdx.x] + 1) & 3]);\n    c[threadIdx.x] = 0;\n}\n",
        parts: &["printf writes it out", "try first Who was to write those bytes"],
    },
    Told {
        name: "arrivals",
        kernel: "//@ out c: i32[32]\n//@ launch k<<<1, 32>>>(c)\n__global__ void k(int *c) {\n    __shared__ alignas(8) unsigned long long phase;\n    unsigned at = (unsigned)__cvta_generic_to_shared(&phase), done = 0;\n    if (threadIdx.x == 0) asm volatile(\"mbarrier.init.shared.b64 [%0], 33;\" :: \"r\"(at) : \"memory\");\n    __syncthreads();\n    asm volatile(\"{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }\" :: \"r\"(at) : \"memory\");\n    while (!done) asm volatile(\"{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }\" : \"=r\"(done) : \"r\"(at) : \"memory\");\n    c[threadIdx.x] = done;\n}\n",
        parts: &[
            "poll `phase`, an mbarrier whose phase still wants 1 arrival",
            "try first What is waited for at",
            "do as many threads arrive",
            "is it the phase that is meant",
        ],
    },
    Told {
        name: "bytes",
        kernel: "//@ out c: i32[32]\n//@ launch k<<<1, 32>>>(c)\n__global__ void k(int *c) {\n    __shared__ alignas(8) unsigned long long phase;\n    unsigned at = (unsigned)__cvta_generic_to_shared(&phase), done = 0;\n    if (threadIdx.x == 0) {\n        asm volatile(\"mbarrier.init.shared.b64 [%0], 1;\" :: \"r\"(at) : \"memory\");\n        asm volatile(\"mbarrier.arrive.expect_tx.shared.b64 _, [%0], 512;\" :: \"r\"(at) : \"memory\");\n    }\n    __syncthreads();\n    while (!done) asm volatile(\"{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }\" : \"=r\"(done) : \"r\"(at) : \"memory\");\n    c[threadIdx.x] = done;\n}\n",
        parts: &["poll `phase`, an mbarrier whose phase still wants 512 bytes"],
    },
    Told {
        name: "scope",
        kernel: "//@ inout s: i32[1] = zeros\n//@ launch k<<<4, 32>>>(s)\n__global__ void k(int *s) { atomicAdd_block(s, 1); }\n",
        parts: &["atomics of block scope", "try first Which blocks share what", "need device scope"],
    },
    Told {
        name: "read-only",
        kernel: "//@ inout a: i32[64] = iota\n//@ launch k<<<1, 64>>>(a)\n__global__ void k(int *a) {\n    int t = threadIdx.x;\n    a[t] = __ldg(a + t) + 1;\n}\n",
        parts: &["read-only cache", "try first Has", "read by a plain load: no __ldg"],
    },
    Told {
        name: "dynamic",
        kernel: "//@ out o: i32[8]\n//@ launch k<<<1, 8>>>(o)\n__global__ void k(int *o) {\n    extern __shared__ int q[];\n    q[threadIdx.x] = 1;\n    o[threadIdx.x] = q[threadIdx.x];\n}\n",
        parts: &["gives it no dynamic memory", "try first How many bytes of dynamic shared memory", "third number"],
    },
    Told {
        name: "moved",
        kernel: "//@ out o: i32[8]\n//@ launch k<<<1, 8>>>(o)\n__global__ void k(int *o) {\n    int *p = (int *)malloc(64), *q = p;\n    if (!p) return;\n    for (int i = 0; i < 4; i++) *q++ = i;\n    o[threadIdx.x] = p[2];\n    free(q);\n}\n",
        parts: &["a free of what malloc has not returned", "try first Is what", "unchanged?"],
    },
    Told {
        name: "returned",
        kernel: "//@ in a: i32[32] = iota\n//@ out o: i32[32]\n//@ launch k<<<1, 32>>>(a, o)\n__device__ __noinline__ int *make(const int *a) {\n    int l[8];\n    for (int i = 0; i < 8; i++) l[i] = a[(threadIdx.x + i) & 31];\n    return l;\n}\n__global__ void k(const int *a, int *o) { o[threadIdx.x] = make(a)[a[threadIdx.x] & 7]; }\n",
        parts: &["a function that has returned", "A function's local variables end with it"],
    },
    Told {
        name: "earlier-block",
        kernel: "//@ scratch p: u64[4]\n//@ out o: i32[1]\n//@ launch a<<<1, 1>>>(p)\n//@ launch b<<<1, 1>>>(p, o)\n__global__ void a(unsigned long long *p) {\n    __shared__ int s[4];\n    s[0] = 7;\n    p[0] = (unsigned long long)&s[0];\n}\n__global__ void b(unsigned long long *p, int *o) { o[0] = *(int *)p[0]; }\n",
        parts: &["outside of global memory: an address in shared or local memory", "Shared memory ends with its block"],
    },
    Told {
        name: "bulk-size",
        kernel: "//@ in a: f32[1024] = iota\n//@ out o: f32[128]\n//@ launch k<<<1, 128>>>(a, o, 126)\n#include <cuda/ptx>\nnamespace ptx = cuda::ptx;\n__global__ void k(const float *a, float *o, int n) {\n    __shared__ alignas(128) float s[128];\n    __shared__ alignas(8) unsigned long long bar;\n    if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);\n    __syncthreads();\n    if (threadIdx.x == 0) {\n        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, n * 4);\n        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, a, n * 4, &bar);\n    }\n    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) { }\n    o[threadIdx.x] = s[threadIdx.x];\n}\n",
        parts: &["a copy of 504 bytes", "try first Bulk copies take multiples of 16 bytes"],
    },
    Told {
        name: "grid-sync",
        kernel: "//@ inout x: i32[128] = iota\n//@ launch k<<<4, 32>>>(x)\n#include <cooperative_groups.h>\n__global__ void k(int *x) {\n    x[threadIdx.x] = 0;\n    cooperative_groups::this_grid().sync();\n}\n",
        parts: &["grid.sync() in a launch that is not cooperative", "try first Make the launch cooperative"],
    },
    Told {
        name: "lock",
        kernel: "//@ out c: i32[1]\n//@ launch k<<<1, 1>>>(c)\n__device__ int lock;\n__global__ void k(int *c) {\n    while (atomicAdd(&lock, 0) == 0) { }\n    *c = 1;\n}\n",
        parts: &["polls `lock`", "try first Who was to change what is polled"],
    },
];

#[test]
#[ignore = "long"]
fn what_to_try_first_goes_by_the_cause() {
    let folder = tempfile::tempdir().expect("a folder");
    let wrong: Vec<String> = TOLD
        .iter()
        .filter_map(|Told { name, kernel, parts }| {
            let file = folder.path().join(format!("{name}.cu"));
            std::fs::write(&file, kernel).expect("the kernel");
            let ran =
                checker().arg("run").arg(&file).args(["--seed", "3", "--backend", "sim"]).output().expect("it starts");
            let said = String::from_utf8_lossy(&ran.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
            let missing: Vec<_> = parts.iter().filter(|part| !said.contains(**part)).collect();
            (!missing.is_empty() || ran.status.code() != Some(1)).then(|| format!("{name}: no {missing:?} in {said}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
