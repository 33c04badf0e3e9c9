//! Lines that are made of kernels alone: of their parameters, and of what they do with them.

use super::lines;

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
