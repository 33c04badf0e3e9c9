//! What a text says of its memory and its shapes, and how far the made lines follow it.

use super::{has, lines};

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

/// A function's pointer is what it is called with; to spin on `atomicExch` is to wait for 0.
#[test]
fn locks_of_functions_begin_free() {
    let text = "__device__ void acquire(int n, int *mutex) { while (atomicCAS(mutex, 2, 1) != 2) { } }\n\
                __device__ void spin(unsigned *gate) { while (atomicExch(gate, 1)) { } }\n__device__ void release(int *m) { atomicExch(m, 0); }\n\
                __global__ void k(int *a, unsigned *b, int *c, int *d) { acquire(1, &a[3]); spin(b + 1); release(c); while (0 != atomicExch(&d[0], 1)); acquire(); acquire(3, }";
    let wanted = [
        "//@ inout  a: i32[n] = constant(2)",
        "//@ inout  b: u32[n] = zeros",
        "//@ inout  c: i32[n] = integers(0, 9)",
        "//@ inout  d: i32[n] = zeros",
    ];
    has(text, &wanted);
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
