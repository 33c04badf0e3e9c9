//! Names of types: the file's own, those of `std` and of libraries, enumerations.

use super::{has, lines};

/// The last of the lines, which is the launch.
#[track_caller]
fn launches(text: &str, want: &str) {
    assert_eq!(lines(text).last().map(String::as_str), Some(want), "{text}");
}

/// Another name for a type of `std` is that type; so is one inside a namespace.
#[test]
fn other_names_for_types_of_std_are_known() {
    for named in ["typedef std::size_t index;", "using index = std::uint64_t;", "using index = ::std::size_t;"] {
        let text = format!(
            "{named}\n__global__ void k(float *x, index n) {{ x[threadIdx.x] = 1; }}\nint main() {{ cudaMalloc(&x, 400); k<<<1, 128>>>(x, 100); }}"
        );
        has(&text, &["//@ size   n = 100", "//@ out    x: f32[100]", "//@ launch k<<<1, 128>>>(x, n)"]);
    }
    let text = "namespace ops { using real = double; using byte = std::uint8_t; }\n\
                __global__ void k(ops::real *x, const ops::byte *b, ::ops::real f) { x[0] = f * b[0]; }";
    has(text, &["//@ out    x: f64[n]", "//@ in     b: u8[n]", "//@ launch k<<<ceil_div(n, 256), 256>>>(x, b, 1.0)"]);
}

#[test]
fn reals_of_cufft_are_reals() {
    let text = "__global__ void k(cufftReal *z, cufftDoubleReal s) { z[0] = s; }\nint main() { k<<<1, 64>>>(z, .5); }";
    has(text, &["//@ out    z: f32[n]", "//@ launch k<<<1, 64>>>(z, 0.5)"]);
}

/// An enumeration is passed as the integer beneath, of the value that the host names or the first one.
#[test]
fn enumerations_are_integers() {
    let enums = "enum Mode { ADD, MUL, LAST = MUL + 4, MORE }; enum class Dir : unsigned char { Fwd = 3, Bwd };\n\
                 namespace in { enum class Big : std::int64_t { A }; } typedef enum { ONE = 1 } Old;\n\
                 __global__ void k(int *x, Mode m, Dir n, in::Big b, enum Mode c, Old o) { x[0] = m; }\n";
    let host = |arguments: &str| format!("{enums}int main() {{ cudaMalloc(&x, 400); k<<<1, 64>>>(x, {arguments}); }}");
    launches(&host("MUL, Dir::Bwd, in::Big::A, MORE, ONE"), "//@ launch k<<<1, 64>>>(x, 1, 4, 0, 6, 1)");
    launches(&host("Mode::LAST, Dir::Fwd, f(), g(), h()"), "//@ launch k<<<1, 64>>>(x, 5, 3, 0, 0, 0)");
    // Neither is a size, whatever its name.
    assert!(!lines(&host("MUL, Dir::Bwd, in::Big::A, MORE, ONE")).iter().any(|line| line.starts_with("//@ size")));
    // A template's argument is the type itself.
    let text = "enum class E { a, b }; enum F { c, d };\ntemplate <E e, F f> __global__ void k(int *x) { x[0] = int(e); }\nint main() { k<E::b, d><<<1, 64>>>(x); }";
    has(text, &["//@ launch k<E::b, d><<<"]);
}

/// A concept is for the device too.
#[test]
fn concepts_are_no_variables() {
    let text = "template <class T> concept Int = requires(T x) { x << 1; }; template <Int T> requires B<T> void f(T a) { }\n\
                template <Int T> requires B<T> __global__ void k(T *a) { a[0] = 1; }";
    assert_eq!(super::skipped(text), "f");
}
