//! Kernels that a template of the host launches: what its parameters stand for.

use super::{has, lines};

const SCALE: &str =
    "template <typename T> __global__ void scale(T *p, T f, int n) { if (i < n) p[i] = T(float(p[i]) * float(f)); }\n";

/// A wrapper's type is what its call names, or what the variables are that are passed.
#[test]
fn a_wrappers_type_is_its_calls() {
    let wrapper = "template <class T> void run(T *q, T f, int n) { scale<T><<<(n + 63) / 64, 64>>>(q, f, n); }\n";
    for (main, ty, element) in [
        ("__half *p; cudaMalloc(&p, 600); run(p, f(), 300);", "__half", "f16[300]"),
        (
            "const int n = 300; double *a, *p = 0; cudaMalloc(&p, n * sizeof(double)); run(p, 2.0, n);",
            "double",
            "f64[300]",
        ),
        ("cudaMalloc(&p, 1200); run<int>(p, 2, 300);", "int", "i32[300]"),
        ("unsigned long long p[300]; run(&p[0], 2, 300);", "unsigned long long", "u64[n]"),
        (
            "thrust::device_vector<double> v(300); run(thrust::raw_pointer_cast(v.data()), f(), 300);",
            "double",
            "f64[n]",
        ),
        ("run((short *)p, f(), 300);", "short", "i16[n]"),
    ] {
        let text = format!("{SCALE}{wrapper}int main() {{ {main} }}");
        let launch = format!("//@ launch scale<{ty}><<<5, 64>>>(p, ");
        has(&text, &["//@ size   n = 300", &format!("//@ inout  p: {element}"), &launch]);
        assert!(!lines(&text).iter().any(|line| line.contains("is a guess")), "{main}: {:#?}", lines(&text));
    }
}

/// The kernel's own type follows from what is passed where nobody names it.
#[test]
fn a_kernels_type_is_deduced() {
    let text = format!("{SCALE}int main() {{ double *d, *e; scale<<<4, 64>>>(e, 0.5, 256); }}");
    has(&text, &["//@ launch scale<double><<<4, 64>>>(p, 0.5, n)"]);
    let wrapper = "template <class T> void run(T *q, T f, int n) { scale<<<(n + 63) / 64, 64>>>(q, f, n); }\n";
    has(
        &format!("{SCALE}{wrapper}int main() {{ double *d; run(d, 2.0, 300); }}"),
        &["//@ launch scale<double><<<5, 64>>>(p, 2.0, n)"],
    );
}

/// Numbers of a wrapper decide the block too.
#[test]
fn a_wrappers_numbers_are_its_calls() {
    let kernel = "template <int W> __global__ void k(float *y, int rows) { y[blockIdx.x * W] = 1; }\n";
    for (wrapper, call) in [
        ("template <int V> void run(float *y, int r) { k<V><<<(r + V - 1) / V, V * 32>>>(y, r); }", "run<4>(y, 50);"),
        ("template <int V = 4> void run(float *y, int r) { k<V><<<(r + V - 1) / V, V * 32>>>(y, r); }", "run(y, 50);"),
        (
            "template <class T> void run(T *y, int r) { constexpr int V = 4; k<V><<<(r + V - 1) / V, V * 32>>>(y, r); }",
            "run(y, 50);",
        ),
        (
            "template <class T, int V = 4> struct Run { T *y; void go(int r) { k<V><<<(50 + V - 1) / V, V * 32>>>(y, 50); } };",
            "Run<float> all; all.go(50);",
        ),
        (
            "template <int V> void inner(float *y, int r) { k<V><<<(r + V - 1) / V, V * 32>>>(y, r); }\n\
             template <int U> void run(float *y, int s) { inner<U * 2>(y, s); }",
            "run<2>(y, 50);",
        ),
    ] {
        let text = format!("{kernel}{wrapper}\nint main() {{ float *y; cudaMalloc(&y, 200); {call} }}");
        has(&text, &["//@ launch k<4><<<13, 128>>>(y, rows)"]);
    }
    // Of several launches the one whose number is the block that is asked for.
    let text = "template <class T, int B> __global__ void sum(const T *in, T *out, int n) { out[blockIdx.x] = in[0]; }\n\
                template <class T> void run(int n, int threads) { T *a, *b; cudaMalloc(&a, n * sizeof(T)); cudaMalloc(&b, 64 * sizeof(T));\n\
                switch (threads) { case 256: sum<T, 256><<<(n + 255) / 256, threads>>>(a, b, n); break;\n\
                case 128: sum<T, 128><<<(n + 127) / 128, threads>>>(a, b, n); } }\nint main() { run<double>(4000, 128); }";
    has(
        text,
        &[
            "//@ in     in: f64[4000]",
            "//@ out    out: f64[64]",
            "//@ launch sum<double, 128><<<32, 128>>>(in, out, n)",
        ],
    );
}

/// Where nobody calls the wrapper, or not with anything that is known, that is said.
#[test]
fn what_a_wrapper_is_not_called_with_is_called_a_guess() {
    let kernel = "template <class T, int W> __global__ void k(T *y, int n) { y[0] = 1; }\n\
                  template <class T, int V> void run(T *y, int n) { k<T, V><<<(n + 63) / 64, 64>>>(y, n); }\n";
    let want = "//@ launch k<float, 16><<<ceil_div(n, 64), 64>>>(y, n)  // T = float is a guess that may not compile; W = 16 is a guess; the grid is a guess";
    for main in ["", "int main() { run(f(), g()); }", "template <class U> void loop(U *y) { run(y, g()); }"] {
        let made = lines(&format!("{kernel}{main}"));
        assert_eq!(made.last().map(String::as_str), Some(want.replace("16", "256").as_str()), "{main}");
    }
    // Templates that call each other come to an end.
    let text = "template <class T> void a(T *y) { b<T *>(y); k<T, 3><<<1, 64>>>(y, 3); }\ntemplate <class T> void b(T *y) { a<T *>(y); }\n";
    assert!(!lines(&format!("{kernel}{text}int main() {{ }}")).is_empty());
}
