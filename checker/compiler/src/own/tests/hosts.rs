//! What the host computes and declares: sizes, structures, launches.

use super::{has, lines};

/// Sizes whose axes are assigned one by one.
#[test]
fn axes_are_followed() {
    let kernel = "__global__ void k(float *a, int M) { a[0] = blockIdx.x; }\n";
    let host = "int main() { dim3 g, b; b.x = 128; b.y = 4; g.x = (64 + b.x - 1) / b.x; g.y = 64 / b.y; cudaMalloc(&a, 256);\n\
                k<<<g, b>>>(a, 64); b.y = 8; }";
    has(&format!("{kernel}{host}"), &["//@ launch k<<<(1, 16), (128, 4)>>>(a, M)"]);
    let host = "int main() { dim3 b(7, 2); b.x = 32; const dim3 g = {3, 5}; cudaMalloc(&a, 256); k<<<g, b>>>(a, 64); }";
    has(&format!("{kernel}{host}"), &["//@ launch k<<<(3, 5), (32, 2)>>>(a, M)"]);
    // An axis that nobody knows, and one of another variable of that name.
    let host = "void f() { dim3 b; b.x = 9; b.y = 9; } int main() { dim3 b; b.y = x; cudaMalloc(&a, 256); k<<<3, b>>>(a, 64); }";
    has(&format!("{kernel}{host}"), &["//@ launch k<<<ceil_div(M, 256), 256>>>(a, M)"]);
}

/// Every declarator of a declaration has values of its own.
#[test]
fn later_declarators_are_read() {
    let kernel = "struct P { int n; float a; };\n__global__ void k(float *y, P p, P q) { y[0] = p.a + q.a; }\n";
    let launch = "k<<<1, 128>>>(y, p, q); }";
    for declared in [
        "P p{100, 2.0f}, q{50, 3.0f};",
        "const P p = {100, 2.0f}, q = {50, 3.0f};",
        "if (x) { y = 1; } P p = P{100, 2.0f}, q = P{50, 3.0f};",
        "P p{100, 2.0f}; P q = {50, 3.0f}, r;",
    ] {
        let text = format!("{kernel}int main() {{ float *y; cudaMalloc(&y, 400); {declared} {launch}");
        has(&text, &["//@ launch k<<<1, 128>>>(y, {100, 2.0f}, {50, 3.0f})"]);
    }
    // A parameter, and what another call is given.
    let text = format!("{kernel}void f(P p, int q) {{ g(p, q); cudaMalloc(&y, 400); {launch}");
    has(&text, &["//@ launch k<<<1, 128>>>(y, {64, 1.0f}, {64, 1.0f})"]);
}

/// A constructor that only hands its arguments on says what the members are.
#[test]
fn plain_constructors_are_followed() {
    let each =
        "template <class F> __global__ void k(float *a, F f) { a[0] = f(a[1]); }\nint main() { cudaMalloc(&a, 400); ";
    for (class, made, want) in [
        ("const float a; Op(float _a) : a(_a) {}", "Op(2.0f)", "{2.0f}"),
        ("float a; int b; Op(int _b, float _a) : a{_a}, b(_b) { }", "Op{7, 0.5f}", "{0.5f, 7}"),
        ("float a; int b; Op(int b, float _a) { this->b = b; a = _a; }", "Op(7, 0.5f)", "{0.5f, 7}"),
        (
            "float a; float b; Op() {} Op(float x) : b(x) {} Op(float x, float y) : a(x), b(y) {}",
            "Op(2, 3)",
            "{2.0f, 3.0f}",
        ),
        (
            "float a; float b; Op() {} Op(float x) : b(x) {} Op(float x, float y) : a(x), b(y) {}",
            "Op(3)",
            "{1.0f, 3.0f}",
        ),
        // More than its arguments is nobody's word.
        ("float a; Op(float x) : a(2 * x) {}", "Op(4)", "{1.0f}"),
        ("float a; Op(float x) : a(x) { a = f(a); }", "Op(4)", "{1.0f}"),
        ("float a; Op(float x);", "Op(4)", "{1.0f}"),
        // Without a constructor it is as with braces.
        ("float a;", "Op(4)", "{4.0f}"),
    ] {
        let class = format!("struct Op {{ {class} __device__ float operator()(float x) {{ return a * x; }} }};\n");
        has(
            &format!("{class}{each}k<<<1, 64>>>(a, {made}); }}"),
            &[&format!("//@ launch k<Op><<<1, 64>>>(a, {want})")],
        );
    }
    let class =
        "struct Op { float a; Op(float _a) : a(_a) {} __device__ float operator()(float x) { return a * x; } };\n";
    has(&format!("{class}{each}Op op(3.0f); k<<<1, 64>>>(a, op); }}"), &["//@ launch k<Op><<<1, 64>>>(a, {3.0f})"]);
}

/// Numbers that are chosen: the smaller one, the larger one, one of two.
#[test]
fn chosen_numbers_are_known() {
    for (grid, want) in [
        ("imin(32, (N + 127) / 128)", "8"),
        ("std::min(32, (N + 127) / 128)", "8"),
        ("std::max<int>(3, N / 500)", "3"),
        ("min(N, max(2, 5))", "5"),
        ("N < 32 ? N : 32", "32"),
        ("N >= 1000 && 3 != 4 ? 1 << 2 : 5", "4"),
        ("(N == 2 || !(N > 1)) ? 7 : N <= 10 ? 8 : 9", "9"),
        ("(int)ceil(N / (double)512)", "2"),
        ("ceilf(N / 300.0f)", "4"),
        ("static_cast<unsigned>(N / 100)", "10"),
        ("int(N / 100)", "10"),
        ("1 ? 2 : unknown", "2"),
    ] {
        let text = format!(
            "#define imin(a, b) (a<b?a:b)\nconst int N = 1000;\n__global__ void k(float *y, int n) {{ y[0] = 1; }}\n\
             int main() {{ cudaMalloc(&y, N * 4); int g = {grid}; k<<<g, 128>>>(y, N); }}"
        );
        has(&text, &[&format!("//@ launch k<<<{want}, 128>>>(y, n)")]);
    }
    for grid in ["N < unknown ? 1 : 2", "f(N)", "std::min(N)", "N ? 1", "N < ? 1 : 2", "min(1, 2", "2.5 < N", "ceil()"]
    {
        let text = format!(
            "const int N = 1000;\n__global__ void k(float *y, int n) {{ y[0] = 1; }}\nint main() {{ k<<<{grid}, 128>>>(y, N); }}"
        );
        lines(&text);
    }
}

/// Where every size is known, a grid that nobody knows takes no length with it.
#[test]
fn lengths_are_taken_without_a_grid() {
    let text = "__global__ void k(unsigned char *buffer, long size, unsigned *histo) { atomicAdd(&histo[buffer[i]], 1); }\n\
                int main() { cudaMalloc((void **)&b, 1000); cudaMalloc((void **)&h, 256 * sizeof(int)); k<<<blocks * 2, 256>>>(b, 1000, h); }";
    has(
        text,
        &[
            "//@ size   size = 1000",
            "//@ in     buffer: u8[1000]",
            "//@ inout  histo: u32[256]",
            "//@ launch k<<<ceil_div(size, 256), 256>>>(buffer, size, histo)",
        ],
    );
    // Nor where there is no size at all: as many threads as the longest has elements.
    let text = "__global__ void k(float *a, float *part) { part[blockIdx.x] = a[i]; }\n\
                int main() { cudaMalloc(&a, 40000); cudaMalloc(&p, 4 * blocks); k<<<blocks, 128>>>(a, p); }";
    has(
        text,
        &[
            "//@ in     a: f32[10000]",
            "//@ out    part: f32[n]",
            "//@ launch k<<<ceil_div(10000, 128), 128>>>(a, part)",
        ],
    );
    // As many blocks as write an element each.
    has(&text.replace("4 * blocks", "4 * 20"), &["//@ out    part: f32[20]", "//@ launch k<<<20, 128>>>(a, part)"]);
}

/// A launch by the runtime's function, its arguments in an array.
#[test]
fn launches_by_function_are_read() {
    let kernel = "__global__ void k(const float *in, float *out, int n) { cg::this_grid().sync(); out[0] = in[0]; }\n";
    for (array, function) in [
        ("void *args[] = {&in, &out, &n};", "(void *)k"),
        ("void *args[3] = {(void *)&in, (void *)&out, (void *)&n};", "k"),
        ("void *other[] = {&n}; void *args[] = { &in, &out, &n };", "(const void *)&k"),
    ] {
        for call in ["cudaLaunchCooperativeKernel", "cudaLaunchKernel"] {
            let text = format!(
                "{kernel}int main() {{ int n = 10000, blocks = 8; cudaMalloc(&in, n * sizeof(float)); cudaMalloc(&out, 4); {array}\n\
                 {call}({function}, dim3(blocks), dim3(128), args, 128 * sizeof(double), NULL); }}"
            );
            let wanted = [
                "//@ size   n = 10000",
                "//@ in     in: f32[10000]",
                "//@ out    out: f32[1]",
                "//@ launch cooperative k<<<8, 128, 1024>>>(in, out, n)",
            ];
            has(&text, &wanted);
        }
    }
    let text = "template <int B> __global__ void k(float *out) { out[0] = B; }\n\
                int main() { cudaLaunchKernel((void *)k<64>, 2, 64, unknown, 0, 0); cudaLaunchKernel(); cudaLaunchKernel(k); }";
    has(text, &["//@ launch k<64><<<ceil_div(n, 64), 64>>>(out)"]);
}

#[test]
fn the_hosts_reals_are_taken() {
    let text = "const float R = 0.02f; const double D = -1e-7; const int N = 256;\n\
                __global__ void k(float *a, float r, double d, float three, float unknown, half h, int i) { a[i] = r; }\n\
                int main() { float *a; cudaMalloc(&a, N * sizeof(float));\n\
                k<<<1, N>>>(a, R * 2, D, 3, f(x), (float)N / 512, (int)2.5f); }";
    let want =
        ["//@ out    a: f32[256]", "//@ launch k<<<1, 256>>>(a, 0.04, -1e-7, 3.0, 1.0, 0.5, 2)"].map(str::to_owned);
    assert_eq!(lines(text), want);
}

/// Constant memory that the host fills gets values, as far as its type is known.
#[test]
fn the_hosts_symbols_are_filled() {
    let text = "struct P { int w; float a; }; __constant__ P par;\n#define R 8\n#define LENGTH (2 * R + 1)\n__constant__ float taps[LENGTH]; __constant__ float other[3];\n\
                namespace in { __constant__ float4 rows[2][R]; __constant__ int one; __constant__ S s; __constant__ float u[X]; __device__ int d; }\n\
                __global__ void k(float *p) { p[0] = taps[0]; }\n\
                void f(float *h) { cudaMemcpyToSymbol(taps, h, LENGTH * sizeof(float)); cudaMemcpyToSymbol(in::one, h, 4);\n\
                cudaMemcpyToSymbolAsync(&in::rows, h, 1); cudaMemcpyToSymbol(in::s, h, 1); cudaMemcpyToSymbol(in::u, h, 1); cudaMemcpyToSymbol(in::d, h, 1);\n\
                cudaMemcpyToSymbol(taps, h, 4); cudaMemcpyToSymbol(par, h, sizeof(P)); cudaMemcpyToSymbol(nowhere, h, 4); cudaMemcpyToSymbol(); cudaMemcpyToSymbol( }";
    let want = [
        "//@ size   n = 4096",
        "//@ out    p: f32[n]",
        "//@ constant par = {64, 1.0f}",
        "//@ in     taps_values: f32[17] = uniform(-1, 1)",
        "//@ constant taps = taps_values",
        "//@ in     rows_values: f32[64] = uniform(-1, 1)",
        "//@ constant in::rows = rows_values",
        "//@ in     one_values: i32[1] = integers(0, 9)",
        "//@ constant in::one = one_values",
        "//@ launch k<<<ceil_div(n, 256), 256>>>(p)  // grid and block are guesses; the host fills in::s, in::u, which stay 0 here",
    ];
    assert_eq!(lines(text), want);
}
