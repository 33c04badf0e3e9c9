//! Lines of several kernels: what flows from one to the next, and in which order they are launched.

use super::{has, lines};

const ADD: &str = "__global__ void add(float *y, const float *in, int n) { y[i] = in[i] + 1; }\n";
const TWICE: &str = "__global__ void twice(float *tmp, const float *x, int n) { tmp[i] = 2 * x[i]; }\n";
const ZERO: &str = "__global__ void zero(unsigned *c) { *c = 0; }\n";
const COUNT: &str =
    "__global__ void count(unsigned *counter, const float *v, int n) { if (v[i] > 0) atomicAdd(counter, 1u); }\n";

/// What the host gives one variable is one buffer, in its order; what is written before needs no fill.
#[test]
fn buffers_follow_the_hosts_variables() {
    let host = "int main() { float *a, *t, *b; unsigned *many; zero<<<1, 1>>>(many); twice<<<8, 128>>>(t, a, 1024);\n\
                add<<<8, 128>>>(b, (const float *)t, 1024); count<<<8, 128>>>(many, b, 1024); }";
    let want = [
        "//@ size   n = 1024",
        "//@ out    c: u32[n]",
        "//@ out    tmp: f32[n]",
        "//@ in     x: f32[n] = uniform(-1, 1)",
        "//@ out    y: f32[n]",
        "//@ launch zero<<<1, 1>>>(c)",
        "//@ launch twice<<<8, 128>>>(tmp, x, n)",
        "//@ launch add<<<8, 128>>>(y, tmp, n)",
        "//@ launch count<<<8, 128>>>(c, y, n)",
    ];
    assert_eq!(lines(&format!("{ADD}{TWICE}{ZERO}{COUNT}{host}")), want);
}

/// Two variables are two buffers, whatever kernels call them; where nobody launches, or in functions of their own, pointers of one name
/// are one.
#[test]
fn two_variables_are_two_buffers() {
    let host = "int main() { add<<<8, 128>>>(p, q, 1024); more<<<8, 128>>>(r, q, 1024); }";
    let more = ADD.replace("add", "more");
    has(
        &format!("{ADD}{more}{host}"),
        &["//@ out    r: f32[n]", "//@ launch add<<<8, 128>>>(y, in, n)", "//@ launch more<<<8, 128>>>(r, in, n)"],
    );
    // A name that is a parameter's is nobody's buffer.
    has(&format!("{ADD}{more}{}", host.replace("(r,", "(n,")), &["//@ out    y_2: f32[n]"]);
    let apart = host.replace("more<<<", "} void other() { more<<<");
    let together = ["//@ launch add<<<8, 128>>>(y, in, n)", "//@ launch more<<<8, 128>>>(y, in, n)"];
    has(&format!("{ADD}{more}{apart}"), &together);
    has(&format!("{ADD}{more}"), &["//@ launch more<<<ceil_div(n, 256), 256>>>(y, in, n)"]);
}

/// A declaration without a body is nothing to launch.
#[test]
fn only_what_has_a_body_is_launched() {
    let declared = "__global__ void later(float *a);\n__global__ void never(float *b);\n";
    let text = format!("{declared}__global__ void later(float *a) {{ a[0] = 2; }}\n");
    let made = lines(&text);
    assert!(made.iter().any(|line| line.starts_with("//@ launch later")), "{made:?}");
    assert!(!made.iter().any(|line| line.contains("never") || line.contains(" b:")), "{made:?}");
    assert_eq!(lines(declared), Vec::<String>::new());
}

/// A place a little behind a pointer stays where the length is a guess.
#[test]
fn a_short_offset_fits_a_guess() {
    let kernel = "#define R 4\n__global__ void st(float *in, float *out) { out[i] = in[i - R]; }\n";
    let host = "int main(int c, char **v) { int n = atoi(v[1]); st<<<n / 32, 32>>>(di + R, dou + 100 * R); }";
    has(&format!("{kernel}{host}"), &["//@ launch st<<<ceil_div(n, 32), 32>>>(in + 4, out)"]);
}

/// What nothing of the file declares is the compiler's to find.
#[test]
fn constants_of_headers_stand_as_they_are() {
    let kernel = "template <int T, int I, Way W> __global__ void sums(float *a) { a[0] = T; }\n";
    let host = "template <int T, int I, Way W> void test() { sums<T, I, W><<<1, T>>>(a); }\n\
                int main() { test<1024, 1, SCAN_RAKING>(); }\n";
    has(&format!("{kernel}{host}"), &["//@ launch sums<1024, 1, SCAN_RAKING><<<1, 1024>>>(a)"]);
    has(&format!("{kernel}{}", host.replace("SCAN", "lib::SCAN")), &["//@ launch sums<1024, 1, lib::SCAN_RAKING>"]);
    // A variable, or a parameter that nobody gives a value, is no such thing.
    let open = host.replace("test<1024, 1, SCAN_RAKING>();", "");
    has(&format!("{kernel}{open}"), &["//@ launch sums<256, 256, 256>"]);
}

/// A number that bounds an index, and buffers that are too long or of which nobody says how long they are, are made smaller; the line says
/// what the host has. Seeds and the like stay as they are.
#[test]
fn large_sizes_are_made_smaller() {
    let kernel = "__global__ void rows(const float *A, float *sums, size_t ds, int seed) { if (i < ds) sums[i] = A[ds * i + seed]; }\n";
    let host = "int main() { const int D = 16384; float *a, *s; cudaMalloc(&a, D * D * sizeof(float)); cudaMalloc(&s, D * 4);\n\
                rows<<<D / 256, 256>>>(a, s, D, 123456); }";
    let want = [
        "//@ size   ds = 256  // the host has 16384",
        "//@ in     A: f32[ds] = uniform(-1, 1)",
        "//@ launch rows<<<64, 256>>>(A, sums, ds, 123456)",
    ];
    has(&format!("{kernel}{host}"), &want);
    has(&format!("{}{host}", kernel.replace("ds", "n")), &["//@ size   n = 256  // the host has 16384"]);
    // What fits stays.
    let small = host.replace("16384", "2048");
    has(&format!("{kernel}{small}"), &["//@ launch rows<<<8, 256>>>(A, sums, 2048, 123456)"]);
}

/// What counts a loop's turns is counted by a line, as often as the host does; otherwise it is what it is at first. It is no size.
#[test]
fn loops_around_launches_count() {
    let kernel = "__global__ void sort(float *a, int j, int k, int n) { if (i < n) a[i] = j; }\n";
    let host = "int main() { const int N = 64; for (int k = 2; k <= N; k <<= 1) for (int j = k >> 1; j > 0; j = j / 2)\n\
                { sort<<<1, 64>>>(d, j, k, N); } }";
    let want = [
        "//@ size   n = 64",
        "//@ inout  a: f32[n] = uniform(-1, 1)",
        "//@ for (k = 2; k <= 64; k = k << 1)",
        "//@   for (j = k >> 1; j > 0; j = j / 2)",
        "//@     launch sort<<<1, 64>>>(a, j, k, n)",
        "//@   end",
        "//@ end",
    ];
    let kernel = kernel.replace("a[i] = j", "a[i] += j");
    assert_eq!(lines(&format!("{kernel}{host}")), want);
    let unknown = host.replace("k <= N", "k <= atoi(v)");
    has(&format!("{kernel}{unknown}"), &["//@ size   n = 64", "//@ launch sort<<<1, 64>>>(a, 1, 2, n)"]);
    let many = host.replace("k <<= 1", "++k");
    has(&format!("{kernel}{many}"), &["//@ launch sort<<<1, 64>>>(a, 1, 2, n)"]);
}
