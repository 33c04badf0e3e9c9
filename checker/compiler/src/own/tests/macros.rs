//! Kernels that macros make.

use super::{has, lines};

/// Parameters may be a macro's.
#[test]
fn parameters_of_macros_are_read() {
    let text = "#define ARGUMENTS float *x, \\\n int n\n__global__ void k(ARGUMENTS) { x[0] = 1; }\nint main() { k<<<1, 64>>>(a, 100); }";
    has(text, &["//@ size   n = 100", "//@ out    x: f32[n]", "//@ launch k<<<1, 64>>>(x, n)"]);
}

/// Each call of a macro that has a kernel in it makes one.
#[test]
fn macros_make_kernels() {
    let text = "#define OP(NAME, T, E) __global__ void NAME##_kernel(const T *a, T *o, int n) { \\\n\
                  const char *name = #NAME; int i = blockIdx.x * blockDim.x + threadIdx.x; \\\n  if (i < n) { T x = a[i]; o[i] = E; } }\n\
                OP(relu, float, x > 0 ? x : 0)\nnamespace in {\nOP(half, double, f(x, 2))\n}\n\
                int main() { relu_kernel<<<2, 64>>>(p, q, 100); }";
    let wanted = [
        "//@ size   n = 100",
        "//@ in     a: f32[n]",
        "//@ out    o: f32[n]",
        "//@ in     a_f64: f64[n]",
        "//@ out    o_f64: f64[n]",
        "//@ launch relu_kernel<<<",
        "//@ launch in::half_kernel<<<ceil_div(n, 256), 256>>>(a_f64, o_f64, n)",
    ];
    has(text, &wanted);
    // Shifts and arrows stay what they are; more arguments are all the rest.
    let text = "#define K(name, ...) __global__ void name(int *a, __VA_ARGS__) { a[1 << 2] <<= 3; s->x = 1; }\nK(k, int n, float f)\n";
    has(text, &["//@ inout  a: i32[n]", "//@ launch k<<<ceil_div(n, 256), 256>>>(a, n, 1.0)"]);
    // Without enough arguments, and without an end.
    for text in [
        "#define K(a, b) __global__ void a##b(int *p) { *p = 1; }\nK(k)\nK(\n",
        "#define K(a\nK(3)\n",
        "#define K() __global__\nK()\n",
    ] {
        lines(text);
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
