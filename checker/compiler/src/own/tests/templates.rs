//! Template arguments that the host names or passes on, or that are guessed.

use super::lines;

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
                "//@ inout  b: f64[n] = uniform(-1, 1)",
                "//@ inout  a: f32[n] = uniform(-1, 1)",
                "//@ launch m<in::Empty, in::Two<float, 3>, Way::up, Real><<<8, 128>>>(b, {1000, 0.5f}, {1}, {u8 0})",
                "//@ launch k<float><<<ceil_div(n, 256), 256>>>(a, n, 1.0)  // F = float is a guess that may not compile; grid and block are guesses",
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
