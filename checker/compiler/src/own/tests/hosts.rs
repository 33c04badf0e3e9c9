//! What a text says of its memory, its sizes and its shapes, and how far the made lines follow it.

use super::lines;

/// Every line of `wanted` is made, or the beginning of one.
#[track_caller]
fn has(text: &str, wanted: &[&str]) {
    let made = lines(text);
    let missed: Vec<_> = wanted.iter().filter(|want| !made.iter().any(|line| line.starts_with(*want))).collect();
    assert!(missed.is_empty(), "{text}\nmissed {missed:#?} in {made:#?}");
}

/// `&(x[i])` is an address as `&x[i]` is; brackets around what is read make none of it.
#[test]
fn an_address_in_brackets_is_written_through() {
    for place in ["&h[t]", "&(h[t])", "&((h[t]))", "(&(h[t]))"] {
        let text = format!("__global__ void k(unsigned *h) {{ atomicAdd({place}, 1); }}");
        has(&text, &["//@ inout  h: u32[n] = integers(0, 9)"]);
    }
    has("__global__ void k(int *h, int *g) { g[0] = 3 + (h[t]); }", &["//@ in     h: i32[n]", "//@ out    g: i32[n]"]);
}

/// What the host sets is set; every byte of it, so that of reals only zeros are known.
#[test]
fn memory_begins_as_the_host_sets_it() {
    let kernel = "__global__ void k(float *a, unsigned *h, int *p, unsigned char *c, float *f, double *z) {\n\
                  atomicAdd(&h[a[0]], 1); p[0] += 1; c[0] += 1; f[0] += 1; z[0] = 1; }\n";
    let host = "int main() { cudaMemset(dh, 0, 4 * N); cudaMemsetAsync(s.dp, 0xff, 64, stream); cudaMemset((void *)dc, 7, 3);\n\
                cudaMemset(df, 1, 3); cudaMemset(dz, 0, x); cudaMemset(); k<<<1, 64>>>(da, dh, s.dp, dc, df, dz); }";
    let wanted = [
        "//@ in     a: f32[n] = uniform(-1, 1)",
        "//@ inout  h: u32[n] = zeros",
        "//@ inout  p: i32[n] = constant(-1)",
        "//@ inout  c: u8[n] = constant(7)",
        "//@ inout  f: f32[n] = uniform(-1, 1)",
        // The kernel may leave some of it as it is.
        "//@ inout  z: f64[n] = zeros",
    ];
    has(&format!("{kernel}{host}"), &wanted);
    // What is copied there afterwards is there.
    let copied = host.replace(
        "k<<<",
        "cudaMemcpy(dh, h, 4 * N, cudaMemcpyHostToDevice); cudaMemcpy(z, dz, 8, cudaMemcpyDeviceToHost); k<<<",
    );
    has(&format!("{kernel}{copied}"), &["//@ inout  h: u32[n] = integers(0, 9)", "//@ inout  z: f64[n] = zeros"]);
    // The kernel may come without its host.
    has(kernel, &["//@ inout  h: u32[n] = integers(0, 9)", "//@ out    z: f64[n]"]);
}

/// A mutex of random numbers is taken for ever.
#[test]
fn what_atomic_cas_compares_begins_as_it_asks() {
    let text = "#define EMPTY -1\nstruct Lock { int *mutex; Lock(); __device__ void lock() { while (atomicCAS(mutex, 0, 1) != 0); } };\n\
                __device__ void take(int *gate) { while (atomicCAS((int *)&gate[0], FREE, 1)); }\n\
                __global__ void k(Lock lock, int *m, int *keys, int *gate, int *set, float *c) {\n\
                while (atomicCAS(&(m[0]), 1, 0)) { } atomicCAS(keys + i, EMPTY, 3); atomicCAS(set, 0, 1); take(gate); c[0] += 1; atomicCAS(); }\n\
                int main() { cudaMemset(ds, 3, 4); k<<<1, 64>>>(lock, dm, dk, dg, ds, dc); }";
    let wanted = [
        "//@ inout  lock_mutex: i32[n] = zeros",
        "//@ inout  m: i32[n] = constant(1)",
        "//@ inout  keys: i32[n] = constant(-1)",
        "//@ inout  gate: i32[n] = zeros",
        "//@ inout  set: i32[n] = constant(50529027)",
        "//@ inout  c: f32[n] = uniform(-1, 1)",
    ];
    has(text, &wanted);
}

/// What an atomic of libcu++'s holds is an element.
#[test]
fn atomics_are_elements() {
    let text = "using Flag = cuda::std::atomic<unsigned>;\n\
                __global__ void k(cuda::atomic<int, cuda::thread_scope_device> *flag, Flag *other, int *data) { flag->store(1); other->load(); data[0] = 1; }\n\
                int main() { cudaMemset(f, 0, sizeof(*f)); k<<<4, 1>>>(f, o, d); }";
    has(text, &["//@ inout  flag: i32[n] = zeros", "//@ out    data: i32[n]"]);
}

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

/// Columns go along x, rows along y, in whatever order they are given.
#[test]
fn columns_are_x() {
    for (first, second, x, y) in [
        ("rows", "cols", "cols", "rows"),
        ("numRows", "numCols", "numCols", "numRows"),
        ("height", "width", "width", "height"),
        ("width", "height", "width", "height"),
        ("h", "w", "w", "h"),
        ("ny", "nx", "nx", "ny"),
        ("n_rows", "n_columns", "n_columns", "n_rows"),
        ("m", "n", "m", "n"),
    ] {
        let text = format!("__global__ void k(float *a, int {first}, int {second}) {{ a[threadIdx.y] = 1; }}");
        let shape = format!("//@ launch k<<<(ceil_div({x}, 16), ceil_div({y}, 16)), (16, 16)>>>(a, {first}, {second})");
        has(&text, &[&format!("//@ out    a: f32[{first} * {second}]"), &shape]);
    }
    // An image is as wide as it has columns.
    let text = "__global__ void k(float *a, cudaTextureObject_t t, int rows, int cols) { a[threadIdx.y] = tex2D<float>(t, 1, 2); }";
    has(text, &["//@ texture t: f32[cols, rows] = t_texels"]);
}

/// Without sizes a grid of two dimensions is a square, as the structures' own sizes are.
#[test]
fn a_square_is_guessed_where_no_size_is_known() {
    let text = "typedef struct { int width; int height; float *elements; } Matrix;\n\
                __global__ void mul(Matrix a, Matrix c) { c.elements[threadIdx.y] = a.elements[0]; }";
    has(
        text,
        &[
            "//@ launch mul<<<(ceil_div(64, 16), ceil_div(64, 16)), (16, 16)>>>({64, 64, a_elements}, {64, 64, c_elements})",
        ],
    );
    has(
        "__global__ void k(float *a) { a[threadIdx.y] = 1; }",
        &["//@ launch k<<<(ceil_div(64, 16), ceil_div(64, 16)), (16, 16)>>>(a)"],
    );
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

/// Fewer blocks than the host's are said to be fewer.
#[test]
fn a_smaller_grid_says_what_the_host_has() {
    let text = |grid: &str| {
        format!(
            "__global__ void k(float *a) {{ a[threadIdx.y] = 1; }}\nint main() {{ cudaMalloc(&a, 4 << 18); k<<<{grid}, dim3(32, 32)>>>(a); }}"
        )
    };
    has(&text("dim3(20, 10)"), &["//@ launch k<<<(10, 5), (32, 32)>>>(a)  // the host has (20, 10)"]);
    has(&text("128"), &["//@ launch k<<<64, (32, 32)>>>(a)  // the host has 128 blocks"]);
    let whole = lines(&text("64"));
    assert_eq!(whole.last().map(String::as_str), Some("//@ launch k<<<64, (32, 32)>>>(a)"));
}

/// The texture that the host makes: filter, address modes, coordinates.
#[test]
fn textures_have_the_hosts_settings() {
    let case = |call: &str, settings: &str, want: &str| {
        let text = format!(
            "__global__ void k(float *a, int width, int height, cudaTextureObject_t tex) {{ a[threadIdx.y] = {call}; }}\n\
             int main() {{ cudaTextureDesc d; memset(&d, 0, sizeof(d)); {settings}\n\
             cudaCreateTextureObject(&object, &resource, &d, NULL); k<<<1, 64>>>(a, 64, 64, object); d.filterMode = cudaFilterModePoint; }}"
        );
        has(&text, &[want]);
        assert!(lines(&text).iter().any(|line| line == want), "{want}: {:#?}", lines(&text));
    };
    let plain = "tex2D<float>(tex, u, v)";
    let linear = "d.filterMode = cudaFilterModeLinear;";
    case(
        plain,
        &format!(
            "d.normalizedCoords = true; {linear} d.addressMode[0] = cudaAddressModeWrap; d.addressMode[1] = cudaAddressModeWrap;"
        ),
        "//@ texture tex: f32[width, height] = tex_texels, wrap, linear, normalized",
    );
    // Zero is to wrap, which only normalized coordinates do.
    case(plain, "d.normalizedCoords = 1;", "//@ texture tex: f32[width, height] = tex_texels, wrap, normalized");
    case(plain, linear, "//@ texture tex: f32[width, height] = tex_texels, linear");
    case(
        plain,
        "d.addressMode[0] = d.addressMode[1] = cudaAddressModeBorder; d.normalizedCoords = false;",
        "//@ texture tex: f32[width, height] = tex_texels, border",
    );
    case(
        plain,
        "d.addressMode[0] = cudaAddressModeMirror; d.addressMode[1] = cudaAddressModeClamp; d.normalizedCoords = 1;",
        "//@ texture tex: f32[width, height] = tex_texels, mirror, clamp, normalized",
    );
    // Bytes that are read as fractions.
    case(
        "tex2D<float4>(tex, u, v)",
        &format!("{linear} d.readMode = cudaReadModeNormalizedFloat;"),
        "//@ texture tex: u8x4[width, height] = tex_texels, linear, normalized_float",
    );
    // Linear memory has neither a filter nor coordinates.
    case(
        "tex1Dfetch<float>(tex, i)",
        "d.addressMode[0] = cudaAddressModeClamp;",
        "//@ texture tex: f32[4096] = tex_texels",
    );
    case(
        plain,
        "d.filterMode = smooth ? cudaFilterModeLinear : cudaFilterModePoint; d.normalizedCoords = flag;",
        "//@ texture tex: f32[width, height] = tex_texels  // not known: the host's filterMode, normalizedCoords",
    );
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

/// What nobody says is called a guess.
#[test]
fn guessed_shapes_are_called_guesses() {
    let kernel = "__global__ void k(float *a, int n) { a[0] = 1; }\n";
    for (host, want) in [
        ("", "//@ launch k<<<ceil_div(n, 256), 256>>>(a, n)  // grid and block are guesses"),
        (
            "int main() { kernel = k; kernel<<<3, 64>>>(a, 100); }",
            "//@ launch k<<<ceil_div(n, 256), 256>>>(a, n)  // grid and block are guesses",
        ),
        ("int main() { k<<<x, 64>>>(a, y); }", "//@ launch k<<<ceil_div(n, 64), 64>>>(a, n)  // the grid is a guess"),
        ("int main() { cudaMalloc(&a, 400); k<<<3, 64>>>(a, 100); }", "//@ launch k<<<3, 64>>>(a, n)"),
    ] {
        assert_eq!(lines(&format!("{kernel}{host}")).last().map(String::as_str), Some(want));
    }
    let text = "template <class T, int B> __global__ void k(T *a) { a[0] = T::f(); }";
    let want = "//@ launch k<float, 256><<<ceil_div(n, 256), 256>>>(a)  // T = float is a guess that may not compile; grid and block are guesses";
    assert_eq!(lines(text).last().map(String::as_str), Some(want));
}

/// A structure of equal members is so many elements; of others nobody can fill an array.
#[test]
fn structures_of_equal_members_are_elements() {
    let text = "struct Node { int start, n; }; struct Ball { float r; float at[3]; float3 v; }; struct Mixed { int a; float b; };\n\
                struct Wide { float4 a; float b; }; __constant__ Ball balls[20]; __constant__ Mixed mixed[3]; __constant__ Mixed one; __constant__ Mixed unfilled[2];\n\
                __global__ void k(Node *nodes, Mixed *m, Wide *w, Ball *b) { nodes[0].n = 1; m[0].a = 1; w[0].b = 1; b[0].r = 1; }\n\
                int main() { cudaMalloc(&n, 16); cudaMemcpyToSymbol(balls, h, 1); cudaMemcpyToSymbol(mixed, h, 1); cudaMemcpyToSymbol(one, h, 1); }";
    let wanted = [
        "//@ out    nodes: i32[2 * n]",
        "//@ out    m: u8[8 * n]",
        "//@ out    w: u8[8 * n]",
        "//@ out    b: f32[7 * n]",
        "//@ in     balls_values: f32[140] = uniform(-1, 1)",
        "//@ constant balls = balls_values",
        "//@ constant one = {1, 1.0f}",
        "//@ launch k<<<ceil_div(n, 256), 256>>>(nodes, m, w, b)  // grid and block are guesses; the host fills mixed, which stays 0 here",
    ];
    has(text, &wanted);
    assert!(!lines(text).iter().any(|line| line.contains("unfilled")));
    // `sizeof` knows them.
    let text = "struct Node { int start, n; }; __global__ void k(Node *nodes) { nodes[0].n = 1; }\n\
                int main() { Node *n; cudaMalloc((void **)&n, sizeof(Node) * 100); cudaMemset(n, 255, 4); k<<<2, 64>>>(n + 1); }";
    assert_eq!(lines(text), ["//@ inout  nodes: i32[200] = constant(-1)", "//@ launch k<<<2, 64>>>(nodes + 2)"]);
}
