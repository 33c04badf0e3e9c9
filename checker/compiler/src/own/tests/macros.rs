//! Kernels that macros make.

use super::lines;
use super::shapes::has;

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
