//! What is found in texts, form by form.

mod hosts;
mod libraries;
mod macros;
mod shapes;
mod types;
mod wrappers;
mod writes;

use super::part::{Include, Part, Skipped};
use super::{Diagnostic, OwnCode, Severity, lexer, macros::Macros};
use std::path::Path;

fn part(text: &str) -> (Part, Vec<Skipped>) {
    let mut macros = Macros::default();
    macros.add(&lexer::tokens(text));
    let mut skipped = Vec::new();
    let mut include = |name: &str| if name.contains("cuda") { Include::Cuda } else { Include::Absent };
    (Part::new("", text, &macros, &mut include, &mut skipped), skipped)
}

/// The names that are skipped, in order.
fn skipped(text: &str) -> String {
    part(text).1.iter().map(|skipped| skipped.name.as_str()).collect::<Vec<_>>().join(" ")
}

/// Each text with the names that are for the host alone.
#[test]
fn host_code_is_told_from_device_code() {
    let cases = [
        ("int f(int a) { if (a) { return 1; } return 0; } __device__ int g() { return 1; }", "f"),
        ("int f(int); extern \"C\" void g(float *); extern \"C\" __global__ void k(int);", "f g"),
        (
            "#define HD __host__ __device__\n#define DEV HD\nHD int a() { return 1; } DEV int b() { return 1; } int c();",
            "c",
        ),
        ("#ifdef X\n#define D\n#else\n#define D __device__\n#endif\nD int a() { return 1; }", ""),
        (
            "#define BOUNDS(n) __launch_bounds__(n)\n__global__ void BOUNDS(64) k(int *a) { }\nBOUNDS(3) void h() { }",
            "h",
        ),
        ("__global__ void __launch_bounds__(256, 2) k() { } static inline void h() { }", "h"),
        ("_Pragma(\"nv_diag_suppress 177\") __global__ void k() { } _Pragma(\"x\") int main() { return 0; }", "main"),
        (
            "template <typename T, int N = (3 > 2)> T f(T a) { return a; } template <class T> __device__ T g(T a) { return a; }",
            "f",
        ),
        ("template <> __device__ int g<int>(int a) { return a; } template void f<int>(int);", "f"),
        (
            "int a = 3, b[2] = {1, 2}; static float *p; const int N = 4; constexpr float F = 1; const char *const W = \"}\";",
            "a p",
        ),
        ("const char *name = \"{\"; __device__ int d[3] = {1, 2, 3}; __constant__ float c; __managed__ int m;", "name"),
        ("auto l = [](int a) { return a; }; std::vector<int> v{1, 2}; dim3 block(16, 16);", "l v block"),
        (
            "struct S { int a; S() : a(1) { } __device__ int get() { return a; } void host(); ~S() { } S(const S &) = default; };",
            "S host S",
        ),
        (
            "struct alignas(16) A { float x; }; struct __align__(8) B { int y; } shared_b; enum E { one, two = 2 }; union U { int i; };",
            "",
        ),
        (
            "struct S; class C : public S { int x; public: operator int() const { return x; } __device__ bool operator()(int a) { return a; } };",
            "operator",
        ),
        (
            "void C::run() { } bool operator<(const S &a, const S &b) { return true; } __device__ bool operator==(S a, S b) { return 1; }",
            "run operator",
        ),
        (
            "namespace a { namespace b { void f() { } __device__ void g() { } } } namespace c::d { void h() { } } inline namespace e { int v; }",
            "a::b::f c::d::h e::v",
        ),
        (
            "extern \"C\" { void f(); __global__ void k() { } } namespace x = y; using namespace std; using real = float;",
            "f",
        ),
        ("#if A\nvoid f(int a) {\n#else\nvoid f(long a) {\n#endif\n  g(\"{\");\n}\n__global__ void k() { }", "f"),
        ("__global__ void k() {\n#ifdef A\n  if (x) {\n#else\n  if (y) {\n#endif\n  }\n}\nint main() { }", "main"),
        ("#if 0\nvoid dead( { {\n#endif\n__global__ void k() { }\nint main() try { } catch (...) { }", "main"),
        (
            "int f(void (*callback)(int), int a[3]) { return 1; } void (*pointer)(int) = 0; int (*table[2])(int);",
            "f pointer table",
        ),
        (
            "void (*pick(int a))(int) { return 0; } int g() try { return 1; } catch (int) { } catch (...) { } int h;",
            "pick g h",
        ),
        ("#define KERNEL(name) __global__ void name\nKERNEL(first)(int *a) { *a = 1; }\nvoid host() { }", "host"),
        ("#define MAKE(n) __global__ void n(int *a) { *a = 1; }\nMAKE(one)\nMAKE(two);\nvoid host() { }", "host"),
        ("auto f() -> int { return 1; } __device__ auto g() -> int { return 1; } decltype(1) h() { return 1; }", "f h"),
        (
            "#include <vector>\n#include <cuda_fp16.h>\n#include \"x.h\"\nvoid f() { k<<<1, 2>>>(a); }",
            "<vector> \"x.h\" f",
        ),
        (
            "static_assert(sizeof(int) == 4, \"{\"); asm(\"{\"); [[nodiscard]] int f() { return 1; } __device__ [[nodiscard]] int g();",
            "f",
        ),
    ];
    let wrong: Vec<_> = cases.iter().filter(|(text, names)| skipped(text) != *names).collect();
    assert!(
        wrong.is_empty(),
        "{:#?}",
        wrong.iter().map(|(text, names)| (text, names, skipped(text))).collect::<Vec<_>>()
    );
}

/// Whatever is left out, every line and column of what stays is where it was.
#[test]
fn what_stays_is_where_it_was() {
    let text = "#include <vector>\n/* ä { */ int main() {\n#pragma omp parallel\n#define N 3\n  return \"ü}\";\n} __device__ int stays;\n";
    let (part, _) = part(text);
    let left = part.text();
    assert_eq!(
        left,
        "\n/* ä { */             \n                    \n#define N 3\n              \n  __device__ int stays;\n"
    );
    let column = |text: &str| text.lines().nth(5).and_then(|line| line.find("__device__"));
    assert_eq!(column(&left), column(text));
}

/// Text that is not C++ ends all the same, and nothing is lost but what has a host's form.
#[test]
fn any_text_ends() {
    let broken = [
        "",
        "}",
        "}}}",
        "{",
        "((((",
        "template <",
        "template <typename T",
        "struct",
        "struct {",
        "namespace",
        "namespace a {",
        "#",
        "#if",
        "#else",
        "#endif\n#else",
        "#if 0\n#if 1",
        "operator",
        "operator()",
        "extern \"C\"",
        "= = =",
        "[[",
        "class A : {",
        "int a(",
        "\"",
        "'",
        "R\"(",
        "/*",
        "__global__",
        "__global__ void",
        "using",
        "typedef",
        "é ü (",
        "A(B)\n(C)",
        "enum {",
    ];
    for text in broken {
        for repeated in [text.to_owned(), text.repeat(200), format!("{text} __global__ void k() {{ }}")] {
            let (part, _) = part(&repeated);
            assert_eq!(part.text().matches('\n').count(), repeated.matches('\n').count(), "{repeated}");
        }
    }
}

fn lines(text: &str) -> Vec<String> {
    let (part, skipped) = part(text);
    OwnCode { parts: vec![part], every_kernel: false, skipped }.launch_lines()
}

/// A size that would not fit into its parameter is no size.
#[test]
fn a_byte_is_no_size() {
    let made = lines("__global__ void k(char *data, char size, int n) { if (i < n) data[i] = size; }");
    assert_eq!(
        made.last().map(String::as_str),
        Some("//@ launch k<<<ceil_div(n, 256), 256>>>(data, 1, n)  // grid and block are guesses")
    );
}

/// Kernels with the lines that are made for them.
#[test]
fn lines_are_made_from_parameters() {
    let cases: [(&str, &[&str]); 8] = [
        (
            "__global__ void add(const float *a, float *__restrict__ c, int n) { c[i] = a[i]; }",
            &[
                "//@ size   n = 4096",
                "//@ in     a: f32[n] = uniform(-1, 1)",
                "//@ out    c: f32[n]",
                "//@ launch add<<<ceil_div(n, 256), 256>>>(a, c, n)  // grid and block are guesses",
            ],
        ),
        // Not const, but only read; in place; a sum that several threads add to.
        (
            "__global__ void f(double *in, unsigned *sum, short *all) { all[i] += in[i]; atomicAdd(&sum[0], 1); }",
            &[
                "//@ size   n = 4096",
                "//@ in     in: f64[n] = uniform(-1, 1)",
                "//@ inout  sum: u32[n] = integers(0, 9)",
                "//@ inout  all: i16[n] = integers(0, 9)",
                "//@ launch f<<<ceil_div(n, 256), 256>>>(in, sum, all)  // grid and block are guesses",
            ],
        ),
        (
            "template <typename T, int TILE> __global__ void t(T *out, const T *in, int width, int height, float s, bool b) {\n\
             out[threadIdx.y] = in[threadIdx.x]; }",
            &[
                "//@ size   width = 64",
                "//@ size   height = 64",
                "//@ out    out: f32[width * height]",
                "//@ in     in: f32[width * height] = uniform(-1, 1)",
                "//@ launch t<float, 16><<<(ceil_div(width, 16), ceil_div(height, 16)), (16, 16)>>>(out, in, width, height, 1.0, 1)  // grid and block are guesses",
            ],
        ),
        // Other names for types, vectors, a structure, a namespace, bounds, dynamic shared memory.
        (
            "typedef unsigned char byte; using real = double; struct S { int a; };\n\
             namespace x { __global__ void __launch_bounds__(64) k(byte *p, real r, float3 v, S s, uchar4 *q) {\n\
             extern __shared__ int d[]; p[0] = q[0].x; } }",
            &[
                "//@ size   n = 4096",
                "//@ out    p: u8[n]",
                "//@ in     q: u8[4 * n] = integers(0, 9)",
                "//@ launch x::k<<<ceil_div(n, 64), 64, 4096>>>(p, 1.0, {1.0, 1.0, 1.0}, {1}, q)  // grid and block are guesses",
            ],
        ),
        // What one kernel writes, the next may read.
        (
            "__global__ void a(int *tmp) { tmp[i] = 1; } __global__ void b(const int *tmp, int *out) { out[i] = tmp[i]; }",
            &[
                "//@ size   n = 4096",
                "//@ out    tmp: i32[n]",
                "//@ out    out: i32[n]",
                "//@ launch a<<<ceil_div(n, 256), 256>>>(tmp)  // grid and block are guesses",
                "//@ launch b<<<ceil_div(n, 256), 256>>>(tmp, out)  // grid and block are guesses",
            ],
        ),
        // One name, two types.
        (
            "__global__ void a(float *x) { x[0] = 1; } __global__ void b(double *x) { extern double __shared__ s[]; x[0] = s[0]; }",
            &[
                "//@ size   n = 4096",
                "//@ out    x: f32[n]",
                "//@ out    x_f64: f64[n]",
                "//@ launch a<<<ceil_div(n, 256), 256>>>(x)  // grid and block are guesses",
                "//@ launch b<<<ceil_div(n, 256), 256, 4096>>>(x_f64)  // grid and block are guesses",
            ],
        ),
        // Rows, and pointers to pointers.
        (
            "__global__ void r(const int (*a)[4], float b[][8], float **c) { b[0][0] = a[0][0]; c[0] = b[1]; }",
            &[
                "//@ size   n = 4096",
                "//@ in     a: i32[n] = integers(0, 9)",
                "//@ out    b: f32[n]",
                "//@ out    c: u64[n]",
                "//@ launch r<<<ceil_div(n, 256), 256>>>(a, b, c)  // grid and block are guesses",
            ],
        ),
        (
            "__global__ void none(void) { }",
            &["//@ size   n = 4096", "//@ launch none<<<ceil_div(n, 256), 256>>>()  // grid and block are guesses"],
        ),
    ];
    for (text, want) in cases {
        assert_eq!(lines(text), want, "{text}");
    }
}

/// Host code that launches kernels, with the lines that are made of it.
#[test]
fn the_host_says_how_it_launches() {
    let cases: [(&str, &[&str]); 5] = [
        // A length that nobody can tell: all else is the host's.
        (
            "#define N (33 * 1024)\n__global__ void add(int *a, int *c, int n) { c[i] = a[i]; }\n\
             int main() { const int threads = 128; int *a, *b; size_t bytes = N * sizeof(int);\n\
             cudaMalloc((void **)&a, bytes); cudaMalloc(&b, bytes_of(a)); add<<<(N + threads - 1) / threads, threads>>>(a, b, N); }",
            &[
                "//@ size   n = 33792",
                "//@ in     a: i32[33792] = integers(0, 9)",
                "//@ out    c: i32[n]",
                "//@ launch add<<<264, 128>>>(a, c, n)",
            ],
        ),
        // Everything is a constant: grid, lengths and numbers are the host's.
        (
            "#define N 1000\n__global__ void add(const int *a, int *c) { c[i] = a[i]; }\n\
             int main() { int *a, *b; cudaMalloc((void **)&a, N * sizeof(int)); cudaMalloc(&b, sizeof(int) * N);\n\
             dim3 grid(N / 100), block(10, 10); add<<<grid, block, 64 << 1>>>(a, b); }",
            &[
                "//@ in     a: i32[1000] = integers(0, 9)",
                "//@ out    c: i32[1000]",
                "//@ launch add<<<10, (10, 10), 128>>>(a, c)",
            ],
        ),
        // Lengths are not said: only the block and the template's arguments are.
        (
            "template <class T, int B> __global__ void k(T *a, int w, int h) { a[threadIdx.y] = 1; }\n\
             void f(float *a, int w, int h) { enum { X = 3 }; const int B = 32; dim3 b(B, B / 4);\n\
             k<float, 16><<<w, b>>>(a, w, h); k<double, B><<<dim3(w / B, h), b>>>(a, w, h); }",
            &[
                "//@ size   w = 64",
                "//@ size   h = 64",
                "//@ out    a: f64[w * h]",
                "//@ launch k<double, 32><<<(ceil_div(w, 32), ceil_div(h, 8)), (32, 8)>>>(a, w, h)  // the grid is a guess",
            ],
        ),
        // A texture, a condition inside the parameters, shared memory that a class hands out.
        (
            "struct Tile { __device__ float *get() { extern __shared__ float s[]; return s; } };\n\
             __global__ void k(float *out, cudaTextureObject_t t,\n#if TWO\nint a\n#else\nfloat b, S c\n#endif\n) { out[0] = 1; }",
            &[
                "//@ size   n = 4096",
                "//@ out    out: f32[n]",
                "//@ in     t_texels: f32[64 * 64] = uniform(0, 1)",
                "//@ texture t: f32[64, 64] = t_texels",
                "//@ launch k<<<ceil_div(n, 256), 256, 4096>>>(out, t, 1.0, {0})  // grid and block are guesses",
            ],
        ),
        // Constants that name each other, divisions by zero, brackets without an end.
        (
            "#define A B\n#define B A\n__global__ void k(float *p) { p[0] = 1; }\n\
             int main() { int z = 0, n = n + 1; k<<<A, 1 / z>>>(p); k<<<n, (1>>>(p); k<<<1, 1, 1, 1; }",
            &[
                "//@ size   n = 4096",
                "//@ out    p: f32[n]",
                "//@ launch k<<<ceil_div(n, 256), 256>>>(p)  // grid and block are guesses",
            ],
        ),
    ];
    for (text, want) in cases {
        assert_eq!(lines(text), want, "{text}");
    }
}

/// Launches of which the lines take a part.
#[test]
fn as_much_of_a_launch_as_is_simulated_in_a_moment() {
    let cases: [(&str, &[&str]); 3] = [
        // A place behind a pointer; more than is simulated in a moment, and nobody reads the rest.
        (
            "#define R 3\n__global__ void stencil(const float *in, float *out) { out[i] = in[i - 1]; }\n\
             int main() { float *a, *b; const int n = 1 << 22; cudaMalloc(&a, (n + 2 * R) * sizeof(float));\n\
             cudaMalloc(&b, n * sizeof(float)); stencil << <n / 256, 256 >> >(a + R, b); }",
            &[
                "//@ in     in: f32[4194310] = uniform(-1, 1)",
                "//@ out    out: f32[4194304]",
                "//@ launch stencil<<<256, 256>>>(in + 3, out)  // the host has 16384 blocks",
            ],
        ),
        // The same, and another kernel does.
        (
            "__global__ void a(float *p) { p[i] = 1; } __global__ void b(const float *p, float *q) { q[i] = p[i]; }\n\
             int main() { float *p, *q; cudaMalloc(&p, 4 << 22); cudaMalloc(&q, 4 << 22);\n\
             a<<<1 << 14, 256>>>(p); b<<<1 << 14, 256>>>(p, q); }",
            &[
                "//@ size   n = 4096",
                "//@ out    p: f32[n]",
                "//@ out    q: f32[n]",
                "//@ launch a<<<ceil_div(n, 256), 256>>>(p)  // the grid is a guess",
                "//@ launch b<<<ceil_div(n, 256), 256>>>(p, q)  // the grid is a guess",
            ],
        ),
        // Of one launch everything is known, of another no grid.
        (
            "__global__ void a(float *p) { p[i] = 1; } __global__ void b(float *p) { p[i] = 1; }\n\
             int main() { float *p; cudaMalloc(&p, 4096); a<<<4, 256>>>(p); b<<<x, 256>>>(p); }",
            &[
                "//@ out    p: f32[1024]",
                "//@ launch a<<<4, 256>>>(p)",
                "//@ launch b<<<ceil_div(1024, 256), 256>>>(p)  // the grid is a guess",
            ],
        ),
    ];
    for (text, want) in cases {
        assert_eq!(lines(text), want, "{text}");
    }
}

/// Structures of the file's own, by value; types that a macro, a chain of names or the order of its words hides; capitals.
#[test]
fn members_and_names_of_types_are_known() {
    let cases: [(&str, &[&str]); 4] = [
        (
            "#ifdef DOUBLE\ntypedef double real;\n#else\ntypedef float real;\n#endif\n\
             struct Box { real lx, ly; int cells[3]; float4 w; int size() const { return 3; } static const int K = 1; };\n\
             __global__ void k(Box box, real *x) { x[0] = box.lx; }",
            &[
                "//@ size   n = 4096",
                "//@ out    x: f32[n]",
                "//@ launch k<<<ceil_div(n, 256), 256>>>({1.0f, 1.0f, i32[3] 1, {1.0, 1.0, 1.0, 1.0}}, x)  // grid and block are guesses",
            ],
        ),
        (
            "typedef struct { int width; size_t stride; float *elements; } Matrix;\n\
             __global__ void mul(const Matrix a, Matrix c) { c.elements[0] = a.elements[0]; }",
            &[
                "//@ size   n = 4096",
                "//@ inout  a_elements: f32[n] = uniform(-1, 1)",
                "//@ inout  c_elements: f32[n] = uniform(-1, 1)",
                "//@ launch mul<<<ceil_div(n, 256), 256>>>({64, u64 1, a_elements}, {64, u64 1, c_elements})  // grid and block are guesses",
            ],
        ),
        // One with a base has more in it than is read here.
        (
            "#define real float\ntypedef long unsigned int word; typedef word key; struct A { int a; }; struct B : A { int b; };\n\
             __global__ void k(real *x, key *keys, unsigned short int *s, std::ptrdiff_t *d, B b) { x[0] = 1; keys[0] = 1; s[0] = 1; d[0] = 1; }",
            &[
                "//@ size   n = 4096",
                "//@ out    x: f32[n]",
                "//@ out    keys: u64[n]",
                "//@ out    s: u16[n]",
                "//@ out    d: i64[n]",
                "//@ launch k<<<ceil_div(n, 256), 256>>>(x, keys, s, d, {0})  // grid and block are guesses",
            ],
        ),
        (
            "__global__ void k(float *x, int B, int T, int C, int stride) { x[0] = 1; }",
            &[
                "//@ size   n = 4096",
                "//@ out    x: f32[n]",
                "//@ launch k<<<ceil_div(n, 256), 256>>>(x, 16, 16, 16, 1)  // grid and block are guesses",
            ],
        ),
    ];
    for (text, want) in cases {
        assert_eq!(lines(text), want, "{text}");
    }
}

#[test]
fn objects_flags_and_bounds_are_guessed() {
    let cases: [(&str, &[&str]); 4] = [
        // Textures and surfaces as the body reads them.
        (
            "__global__ void k(cudaTextureObject_t a, cudaTextureObject_t b, CUsurfObject c, int w, int h) {\n\
             uchar4 x = tex3D<uchar4>(a, 0, 0, 0); surf2Dwrite(x, c, 0, 0); float y = tex1D<float>(b, 1); }",
            &[
                "//@ size   w = 64",
                "//@ size   h = 64",
                "//@ in     a_texels: u8[4 * 16 * 16 * 16] = integers(0, 255)",
                "//@ texture a: u8x4[16, 16, 16] = a_texels",
                "//@ in     b_texels: f32[64] = uniform(0, 1)",
                "//@ texture b: f32[64] = b_texels, array",
                "//@ out    c_texels: f32[w * h]",
                "//@ surface c: f32[w, h] = c_texels",
                "//@ launch k<<<ceil_div(w * h, 256), 256>>>(a, b, c, w, h)  // grid and block are guesses",
            ],
        ),
        // A flag and a bound among a template's parameters, a type that a header chooses.
        (
            "#if defined(WIDE)\ntypedef double real;\n#else\ntypedef float real;\n#endif\n\
             template <const int B, const bool F> __global__ void __launch_bounds__(B) k(real *p) { p[0] = 1; }\n\
             int main() { k<64, false><<<1, 64>>>(p); }",
            &["//@ size   n = 4096", "//@ out    p: f32[n]", "//@ launch k<64, false><<<1, 64>>>(p)"],
        ),
        (
            "template <int B> __global__ void __launch_bounds__(B) k(float *p, int w, int h) { p[threadIdx.y] = 1; }",
            &[
                "//@ size   w = 64",
                "//@ size   h = 64",
                "//@ out    p: f32[w * h]",
                "//@ launch k<256><<<(ceil_div(w, 16), ceil_div(h, 16)), (16, 16)>>>(p, w, h)  // grid and block are guesses",
            ],
        ),
        (
            "template <const int B, const bool F> __global__ void __launch_bounds__(B) k(float *p) { p[0] = 1; }",
            &[
                "//@ size   n = 4096",
                "//@ out    p: f32[n]",
                "//@ launch k<256, true><<<ceil_div(n, 256), 256>>>(p)  // grid and block are guesses",
            ],
        ),
    ];
    for (text, want) in cases {
        assert_eq!(lines(text), want, "{text}");
    }
}

/// Macros with parameters, nested, and such as have no end.
#[test]
fn the_hosts_macros_are_expanded() {
    let cases: [(&str, &[&str]); 2] = [
        (
            "#define DIV_UP(a, b) (((a) + (b)-1) / (b))\n#define HALF(x) DIV_UP((x), 2)\nconst int N = 4000, BYTES = HALF(N * 8);\n\
             __global__ void k(float *a, float *b, int n) { b[i] = a[i]; }\n\
             int main() { float *a, *b; cudaMalloc((void **)&a, N * 4); cudaMalloc((void **)&b, DIV_UP(16000, 1));\n\
             k<<<DIV_UP(HALF(N), 128), 128>>>(a, b, N); }",
            &[
                "//@ size   n = 4000",
                "//@ in     a: f32[4000] = uniform(-1, 1)",
                "//@ out    b: f32[4000]",
                "//@ launch k<<<16, 128>>>(a, b, n)",
            ],
        ),
        (
            "#define F(x) G(x, x)\n#define G(a, b) (F(a) + F(b))\n#define H(a) a a a a a a a a\n#define I(a) H(H(H(H(H(H(H(a)))))))\n\
             #define J(...) 3\n#define K(a\n#define A B * B * B * B * B * B * B * B\n#define B C * C * C * C * C * C * C\n\
             #define C D * D * D * D * D * D * D * D\n#define D E * E * E * E * E * E * E * E * E\n#define E L * L * L * L * L * L * L\n#define L 1\n\
             __global__ void k(float *p) { p[0] = 1; }\n\
             int main() { k<<<F(1), 64>>>(p); k<<<I(1), I(I(I(1)))>>>(p); k<<<F(), G(1)>>>(p); k<<<J(1), K(1)>>>(p); k<<<F(1, F(>>>(p); k<<<A, A>>>(p); }",
            &[
                "//@ size   n = 4096",
                "//@ out    p: f32[n]",
                "//@ launch k<<<ceil_div(n, 64), 64>>>(p)  // the grid is a guess",
            ],
        ),
    ];
    for (text, want) in cases {
        assert_eq!(lines(text), want, "{text}");
    }
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

/// Of a launch that does not say everything in constants what it says, where the rest can be fitted to it.
#[test]
fn known_arguments_are_taken_singly() {
    let cases: [(&str, &[&str]); 4] = [
        // A grid, and the number of its blocks for the next kernel; the first one's size is nobody's word.
        (
            "#define BINS 256\n__global__ void part(unsigned *p, const unsigned *d, unsigned dataCount) { p[i] = d[i]; }\n\
             __global__ void merge(unsigned *h, const unsigned *p, unsigned histogramCount) { h[i] = p[i]; }\n\
             static const unsigned COUNT = 240; void run(unsigned *h, void *d, unsigned bytes) {\n\
             cudaMalloc((void **)&p, COUNT * BINS * sizeof(unsigned));\n\
             part<<<COUNT, 192>>>(p, (unsigned *)d, bytes / 4); merge<<<BINS, 256>>>(h, p, COUNT); }",
            &[
                "//@ size   dataCount = 4096",
                "//@ size   histogramCount = 240",
                "//@ out    p: u32[dataCount]",
                "//@ in     d: u32[dataCount] = integers(0, 9)",
                "//@ out    h: u32[dataCount]",
                "//@ launch part<<<240, 192>>>(p, d, dataCount)",
                "//@ launch merge<<<256, 256>>>(h, p, histogramCount)",
            ],
        ),
        // A number, and no grid.
        (
            "#define BLOCK 256\n__global__ void scan(uint4 *dst, const uint4 *src, unsigned size, int flag) { dst[i] = src[i]; }\n\
             void run(unsigned *d, unsigned *s, unsigned n) { scan<<<n / (4 * BLOCK), BLOCK>>>((uint4 *)d, (uint4 *)s, 4 * BLOCK, 0); }",
            &[
                "//@ size   size = 1024",
                "//@ out    dst: u32[4 * size]",
                "//@ in     src: u32[4 * size] = integers(0, 9)",
                "//@ launch scan<<<ceil_div(size, 256), 256>>>(dst, src, size, 0)  // the grid is a guess",
            ],
        ),
        // A grid that a guess at the size would not fit, and more than is simulated in a moment.
        (
            "__global__ void few(float *a, int n) { a[i] = 1; }\nint main(int c, char **v) { few<<<4, 64>>>(a, atoi(v[1])); }",
            &[
                "//@ size   n = 4096",
                "//@ out    a: f32[n]",
                "//@ launch few<<<ceil_div(n, 64), 64>>>(a, n)  // the grid is a guess",
            ],
        ),
        (
            "__global__ void many(float *a, int w, int h) { a[threadIdx.y] = 1; }\n\
             int main() { many<<<x, dim3(16, 16)>>>(a, 1 << 20, 1 << 20); }",
            &[
                "//@ size   w = 64",
                "//@ size   h = 64",
                "//@ out    a: f32[w * h]",
                "//@ launch many<<<(ceil_div(w, 16), ceil_div(h, 16)), (16, 16)>>>(a, w, h)  // the grid is a guess",
            ],
        ),
    ];
    for (text, want) in cases {
        assert_eq!(lines(text), want, "{text}");
    }
}

/// Types of the file's own as template arguments, said or deduced; what nobody can know is called a guess.
#[test]
fn template_arguments_are_the_files_own_types() {
    let op = "struct Op { float a; __device__ float operator()(float x) const { return a * x; } };\n";
    let each = "template <class F> __global__ void k(float *a, int n, F f) { if (i < n) a[i] = f(a[i]); }\n";
    let cases: [(&str, &[&str]); 6] = [
        (
            "int main() { float *a; cudaMalloc(&a, 4000); k<<<8, 128>>>(a, 1000, Op{2.f}); }",
            &[
                "//@ size   n = 1000",
                "//@ inout  a: f32[1000] = uniform(-1, 1)",
                "//@ launch k<Op><<<8, 128>>>(a, n, {2.0f})",
            ],
        ),
        // A variable of the host, one of a class with a constructor, and of a class without anything in it.
        (
            "struct P { int n; float dt; }; struct C { int c; C(float x, float y) {} }; enum class Way { up, down }; using Real = double;\n\
             namespace in { struct Empty { }; template <class T, int N> struct Two { T t[N]; }; }\n\
             template <class E, class T, Way W, class R> __global__ void m(R *b, P p, C c, E e) { b[i] += p.dt; }\n\
             int main() { const int N = 3; P p{1000, 0.5f}; in::Empty e; m<in::Empty, in::Two<float, N>, Way::up, Real><<<8, 128>>>(b, p, C(1, 2), e); }",
            &[
                "//@ size   n = 4096",
                "//@ inout  a: f32[n] = uniform(-1, 1)",
                "//@ inout  b: f64[n] = uniform(-1, 1)",
                "//@ launch k<float><<<ceil_div(n, 256), 256>>>(a, n, 1.0)  // F = float is a guess that may not compile; grid and block are guesses",
                "//@ launch m<in::Empty, in::Two<float, 3>, Way::up, Real><<<8, 128>>>(b, {1000, 0.5f}, {1}, {u8 0})",
            ],
        ),
        // The launch that names a type, not the one that passes on what it was given.
        (
            "template <class F> void launch(int n, F f) { k<<<(n + 127) / 128, 128>>>(a, n, f); }\n\
             int main() { Op twice = {3}; k<<<8, 128>>>(a, 1024, twice); launch(1024, [=] __device__ (float x) { return x; }); }",
            &[
                "//@ size   n = 1024",
                "//@ inout  a: f32[n] = uniform(-1, 1)",
                "//@ launch k<Op><<<8, 128>>>(a, n, {3.0f})",
            ],
        ),
        (
            "int main() { k<<<8, 128>>>(a, 1024, [=] __device__ (float x) { return x; }); }",
            &[
                "//@ size   n = 1024",
                "//@ inout  a: f32[n] = uniform(-1, 1)",
                "//@ launch k<float><<<8, 128>>>(a, n, 1.0)  // F = float is a guess that may not compile",
            ],
        ),
        (
            "template <class T, class Policy> __global__ void q(T *p) { p[0] = Policy::value; }\nint main() { }",
            &[
                "//@ size   n = 4096",
                "//@ inout  a: f32[n] = uniform(-1, 1)",
                "//@ out    p: f32[n]",
                "//@ launch k<float><<<ceil_div(n, 256), 256>>>(a, n, 1.0)  // F = float is a guess that may not compile; grid and block are guesses",
                "//@ launch q<float, float><<<ceil_div(n, 256), 256>>>(p)  // Policy = float is a guess that may not compile; grid and block are guesses",
            ],
        ),
        // What the host names cannot be read: a type of the host's template.
        (
            "template <class T> void run(float *a) { k<typename T::op><<<1, 128>>>(a, 3, T()); }",
            &[
                "//@ size   n = 3",
                "//@ inout  a: f32[n] = uniform(-1, 1)",
                "//@ launch k<float><<<1, 128>>>(a, n, 1.0)  // F = float is a guess that may not compile",
            ],
        ),
    ];
    for (text, want) in cases {
        assert_eq!(lines(&format!("{op}{each}{text}")), want, "{text}");
    }
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

/// Thrust in kernels is one sentence about the file's own `#include`, however many lines of Thrust's the compiler refuses.
#[test]
fn thrust_is_refused_in_one_sentence() {
    let text = "#include <vector>\n#include <thrust/sort.h>\n__global__ void k(int *a) { thrust::sort(thrust::seq, a, a + 9); }\n";
    let own = |include: Include| {
        let mut skipped = Vec::new();
        let mut what = |name: &str| if name.contains("thrust") { include.clone() } else { Include::Absent };
        let part = Part::new("", text, &Macros::default(), &mut what, &mut skipped);
        OwnCode { parts: vec![part], every_kernel: false, skipped }
    };
    let said = |file: &str, line, text: Option<&str>| Diagnostic {
        severity: Severity::Error,
        file: file.to_owned(),
        line: Some(line),
        column: None,
        message: "refused".to_owned(),
        notes: Vec::new(),
        text: text.map(str::to_owned),
    };
    let thrusts = || vec![said("thrust/sort.h", 119, None), said("thrust/sort.h", 319, None), said("a.cu", 3, None)];
    let found = own(Include::Cuda).explained(thrusts(), Path::new("a.cu"));
    assert_eq!(found.len(), 2, "{found:#?}");
    assert_eq!((found[0].file.as_str(), found[0].line, found[0].column), ("a.cu", Some(2), Some(10)));
    assert_eq!(found[0].text.as_deref(), Some("#include <thrust/sort.h>"));
    assert!(found[0].message.contains("thrust::seq"), "{found:#?}");
    assert_eq!(found[1].line, Some(3));
    // The header went without it: what uses it is why it is missed.
    let mut own = own(Include::Cuda);
    own.skipped.extend(own.parts[0].refuse_header("thrust/sort.h"));
    let line = text.lines().nth(2);
    let unknown = || Diagnostic {
        message: "name followed by \"::\" must be a class or namespace name".to_owned(),
        ..said("a.cu", 3, line)
    };
    let found = own.explained(vec![unknown(), said("a.cu", 3, line), said("a.cu", 4, line)], Path::new("a.cu"));
    assert_eq!(found.iter().map(|said| said.line).collect::<Vec<_>>(), [Some(2), Some(4)], "{found:#?}");
    // Headers of Thrust's that the compiler takes stay.
    let text = "#include <thrust/tuple.h>\n#include <thrust/sort.h>\nint main() { }\n";
    let mut include = |_: &str| Include::Cuda;
    let mut part = Part::new("", text, &Macros::default(), &mut include, &mut Vec::new());
    let mut refused = || part.refuse_header("thrust/detail/x.h").map(|skipped| skipped.name);
    assert_eq!([refused(), refused()], [Some("<thrust/sort.h>".to_owned()), None]);
}

/// Lines are made, or not, of a text that ends anywhere, begins anywhere or misses a character.
#[test]
fn lines_of_any_text_end() {
    let text = "#define UP(a, b) (((a) + (b) - 1) / (b))\nstruct Op { float a; __device__ float operator()(float x) { return x; } };\n\
                __constant__ float c[UP(9, 2)][3], d;\ntemplate <class F, int N = 3> __global__ void k(float2 *a, int n, F f) { a[n].x = f(a[0].y); }\n\
                int main() { Op op{2.f}; dim3 g(UP(8, 3), 2); cudaMalloc(&a, n * sizeof(float)); cudaMemcpyToSymbol(c, h, 4);\n\
                cudaMemset(a, 1 ? 2 : 3, 4); d.filterMode = d.addressMode[0] = 1; cudaCreateTextureObject(&a, &r, &d, 0); Op p, q(2.f);\n\
                void *args[] = {&a, &n, &op}; cudaLaunchKernel((void *)k<Op, 3>, std::min(2, 3), int(4), args, !0, s); g.x = 1 < 2 || 3 != 4;\n\
                atomicCAS(&a[0], 1, 2); k<Op, (3)><<<g, dim3(8, 8), 1 << 4>>>(a + 3, -(int)1e3f, op); k<ns::Op<float, 2>><<<1, 2>>>(a, 1, Op{UP(1, 2), .5f}); }";
    for at in 0..text.len() {
        lines(&text[..at]);
        lines(&text[at..]);
        let mut missing = text.to_owned();
        missing.remove(at);
        lines(&missing);
    }
}
