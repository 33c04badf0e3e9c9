//! What kernels write otherwise than by an assignment, and what one variable of the host is to two parameters.

use super::{has, lines};

/// Functions of an element, references to it, and members of members.
#[test]
fn what_others_write_is_written() {
    let text = "struct Particle { float x, v; __device__ void step(float dt) { x += v * dt; } };\n\
                struct Row { float v[2]; __device__ float &operator()(int i) { return v[i]; } };\n\
                __device__ void clampTo(float &v, float lo, const float &hi) { v = v < lo ? lo : hi; } template <class T> __device__ void put(int i, T &to) { to = i; }\n";
    for (write, ty) in [
        ("p[i].step(dt);", "Particle"),
        ("clampTo(p[i], 0, 1);", "float"),
        ("put<float>(3, p[i]);", "float"),
        ("put(f(2, 3), (p[i]));", "float"),
        ("swap(a, *p);", "float"),
        ("(*p)(3) = 2;", "Row"),
        ("p[0](3) = 2;", "Row"),
        ("float &v = p[i]; v = 2;", "float"),
        ("auto &v = *p; v = 2;", "float"),
        ("reinterpret_cast<int &>(p[i]) = 2;", "float"),
        ("cuda::atomic_ref<float, cuda::thread_scope_device> all(p[i]); all += 1;", "float"),
        ("cuda::std::atomic_ref(*p).fetch_add(1);", "float"),
    ] {
        let text = format!("{text}__global__ void k({ty} *p, int i, float dt) {{ {write} }}");
        has(&text, &["//@ inout  p: f32["]);
    }
    for write in ["p[i].v[1] = 2;", "(*p).v[0] = 2;"] {
        has(&format!("{text}__global__ void k(Row *p, int i) {{ {write} }}"), &["//@ out    p: f32["]);
    }
    has("__global__ void k(float *p, int i) { (int &)p[i] = 2; }", &["//@ out    p: f32["]);
    // These read.
    for read in [
        "q[i] = fmaxf(p[i], 1);",
        "clampTo(q[i], p[i], p[i]);",
        "const float &v = p[i]; q[0] = v;",
        "q[i] = reinterpret_cast<const int &>(p[i]);",
        "q[i] = f(*p) + (p[i]);",
        "q[i] = a && p[i];",
        "q[int(p[i])] = 3; q[(int)*p] = 1;",
    ] {
        let text = format!("{text}__global__ void k(float *p, float *q, int i) {{ {read} }}");
        has(&text, &["//@ in     p: f32["]);
    }
}

/// One variable of the host is one buffer, from wherever in it a parameter starts.
#[test]
fn one_variable_is_one_buffer() {
    let fill = "__global__ void k(int *first, int *last, int v) { for (int *p = first; p < last; p++) *p = v; }\n";
    let host = "int main() { int *p; cudaMalloc(&p, 400); k<<<1, 32>>>(p, p + 100, 7); }";
    assert_eq!(
        lines(&format!("{fill}{host}")),
        ["//@ inout  first: i32[100] = integers(0, 9)", "//@ launch k<<<1, 32>>>(first, first + 100, 7)"]
    );
    // Whichever reads and whichever writes.
    let kernel = "__global__ void k(float *out, const float *in, float *other) { out[0] = in[0]; other[0] = 1; }\n";
    let host = |arguments: &str| {
        format!("{kernel}int main() {{ cudaMalloc(&d, 400); cudaMalloc(&e, 400); k<<<1, 32>>>({arguments}); }}")
    };
    assert_eq!(
        lines(&host("d, d + 50, e")),
        [
            "//@ inout  out: f32[100] = uniform(-1, 1)",
            "//@ out    other: f32[100]",
            "//@ launch k<<<1, 32>>>(out, out + 50, other)"
        ]
    );
    // The same place twice is worked on in place.
    has(&host("d, d, e"), &["//@ launch k<<<1, 32>>>(out, in, other)"]);
    // Nothing is no variable; neither do different types share one.
    let text = "__global__ void k(float *a, float *b, int *c) { a[0] = 1; b[0] = 1; c[0] = 1; }\nint main() { k<<<1, 32>>>(nullptr, nullptr, x); k<<<1, 32>>>(x, y, x); }";
    has(text, &["//@ launch k<<<1, 32>>>(a, b, c)"]);
    has(&text.replace("k<<<1, 32>>>(nullptr, nullptr, x); ", ""), &["//@ launch k<<<1, 32>>>(a, b, c)"]);
}
