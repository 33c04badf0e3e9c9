//! What inputs hold: values that no draw meets, and elements that are read and never used.

use crate::support::{Ran, Workbook};

/// The fixture's exercise with another input, output, oracle and starter; `device` stands above the kernel `k`.
pub(super) struct Exercise {
    workbook: Workbook,
    arguments: &'static str,
    parameters: &'static str,
    grid: &'static str,
}

impl Exercise {
    pub(super) fn new(
        arguments: &'static str,
        parameters: &'static str,
        grid: &'static str,
        io: &str,
        oracle: &str,
    ) -> Self {
        let workbook = Workbook::copy("small");
        let problem = workbook.read("exercises/ex01/problem.toml");
        let (head, _) = problem.split_once("cases").expect("the fixture has cases");
        let goal = "[[goal]]\nmetric = \"launches\"\nequals = 1\nwhy = \"the test asks for it\"\n";
        workbook.write("exercises/ex01/problem.toml", format!("{head}{io}\n{goal}"));
        let double = parameters.replacen(", float* ", ", double* ", 1);
        workbook.write(
            "exercises/ex01/reference.cu",
            format!("//@ launch k<<<1, 1>>>({arguments})\n__global__ void k({double})\n{{\n{oracle}\n}}\n"),
        );
        Self { workbook, arguments, parameters, grid }
    }

    /// The report on a kernel with this body; `starter` is the one that it is compared with.
    pub(super) fn judge(&self, starter: &str, body: &str) -> Ran {
        let text = |body: &str| {
            let (arguments, parameters, grid) = (self.arguments, self.parameters, self.grid);
            format!(
                "//@ launch k<<<{grid}, 128>>>({arguments})\n__global__ void k({parameters})\n{{\n    int t = threadIdx.x, i = \
                 blockIdx.x * 128 + t;\n{body}\n}}\n"
            )
        };
        self.workbook.write("exercises/ex01/starter.cu", text(starter));
        self.workbook.write("exercises/ex01/kernel.cu", text(body));
        self.workbook.run(["ex01", "--backend", "sim", "--seed", "6", "--plain"])
    }
}

/// Kernels that are wrong for a single value each: an end of the interval, 0, the numbers next to it, a word of equal bits.
#[test]
fn values_that_no_draw_meets() {
    let io = |dtype: &str, fill: &str, error: &str| {
        format!(
            "cases = [{{ n = 1 }}, {{ n = 33 }}, {{ n = 512 }}, {{ n = 1000 }}, {{ n = 4097 }}]\ncount = {{ n = 4097 }}\n\n[[in]]\nname = \
             \"a\"\ntype = \"{dtype}\"\nlen = \"n\"\nfill = \"{fill}\"\n\n[[out]]\nname = \"b\"\ntype = \"{dtype}\"\nlen = \"n\"\nerror = {error}\n"
        )
    };
    let bounded = "{ ops = \"4\", unit = \"f32\" }";
    let (arguments, parameters, grid) = ("a, b, n", "const float* a, float* b, int n", "ceil_div(n, 128)");
    let reals = Exercise::new(
        arguments,
        parameters,
        grid,
        &io("f32", "uniform(-3, 5)", bounded),
        "    for (int i = 0; i < n; ++i) b[i] = (double)a[i] * 2;",
    );
    let right = "    if (i < n) b[i] = a[i] * 2;";
    let ran = reals.judge(right, right);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let wrong =
        ["    if (i < n) b[i] = a[i] <= -3.0f ? 0 : a[i] * 2;", "    if (i < n) b[i] = a[i] / a[i] * a[i] * 2;"];
    for body in wrong {
        let ran = reals.judge(right, body);
        assert!(ran.code == Some(1) && ran.stdout.contains("WRONG RESULT"), "{body}: {ran:?}");
    }
    let words = Exercise::new(
        arguments,
        "const unsigned* a, unsigned* b, int n",
        grid,
        &io("u32", "integers(0, 4294967295)", "\"exact\""),
        "    for (int i = 0; i < n; ++i) b[i] = __popc(a[i] & 0x55555555u) * 100 + __popc(a[i]);",
    );
    let right = "    if (i < n) b[i] = __popc(a[i] & 0x55555555u) * 100 + __popc(a[i]);";
    assert_eq!(words.judge(right, right).code, Some(0));
    // A field that is too narrow for 32.
    let body = "    if (i < n) b[i] = __popc(a[i] & 0x55555555u) * 100 + (__popc(a[i]) & 31);";
    let ran = words.judge(right, body);
    assert!(ran.code == Some(1) && ran.stdout.contains("WRONG RESULT"), "{ran:?}");
}

/// The last element is loaded, which a volatile access makes sure of, and left out of the result: of a minimum, where another one
/// is smaller nearly always; and of a mean, where it is less than roundings.
#[test]
fn an_element_that_is_read_and_never_used() {
    let io = |dtype: &str, fill: &str, error: &str| {
        format!(
            "cases = [{{ n = 1 }}, {{ n = 33 }}, {{ n = 4096 }}]\ndrawn = [{{ n = [2, 1500] }}]\ncount = {{ n = 4096 }}\n\n[[in]]\nname = \
             \"a\"\ntype = \"{dtype}\"\nlen = \"n\"\nfill = \"{fill}\"\n\n[[out]]\nname = \"b\"\ntype = \"{dtype}\"\nlen = \"1\"\nerror = {error}\n"
        )
    };
    let least = Exercise::new(
        "a, b, n",
        "const int* a, int* b, int n",
        "1",
        &io("i32", "integers(-1000000, 1000000)", "\"exact\""),
        "    int least = a[0];\n    for (int i = 1; i < n; ++i) least = min(least, a[i]);\n    b[0] = least;",
    );
    let body = |used: &str| {
        format!(
            "    __shared__ int s;\n    if (t == 0) s = a[0];\n    __syncthreads();\n    int own = a[0];\n    for (int k = t; k < n - 1; \
             k += 128) own = min(own, a[k]);\n    if (t == 5) {{ int last = *(const volatile int*)&a[n - 1]; if ({used}) own = min(own, last); \
             }}\n    atomicMin(&s, own);\n    __syncthreads();\n    if (t == 0) b[0] = s;"
        )
    };
    holds(&least, &body("true"), &body("n < 2000"));
    let mean = Exercise::new(
        "a, b, n",
        "const float* a, float* b, int n",
        "1",
        &io("f32", "band(-8000, 8000, 1)", "{ ops = \"40\", unit = \"f32\" }"),
        "    double sum = 0;\n    for (int i = 0; i < n; ++i) sum += a[i];\n    b[0] = sum / n;",
    );
    let body = |used: &str| {
        format!(
            "    __shared__ float s[128];\n    float own = 0;\n    for (int k = t; k < n - 1; k += 128) own += a[k] - a[0];\n    \
             float last = *(const volatile float*)&a[n - 1] - a[0];\n    if (t == 5 && ({used})) own += last;\n    s[t] = own;\n    \
             __syncthreads();\n    for (int k = 64; k > 0; k /= 2) {{ if (t < k) s[t] += s[t + k]; __syncthreads(); }}\n    \
             if (t == 0) b[0] = a[0] + s[0] / (({used}) ? n : n - 1);"
        )
    };
    holds(&mean, &body("true"), &body("n < 2000"));
}

/// Elements anywhere that are loaded and left out where there are many: a stretch, when it is another fill's turn as well; and a column of
/// rows of which each has its own output.
#[test]
#[ignore = "long"]
fn elements_anywhere_that_are_never_used() {
    let io = |len: &str, outputs: &str, fill: &str| {
        format!(
            "cases = [{{ n = 1 }}, {{ n = 33 }}, {{ n = 128 }}, {{ n = 4096 }}]\ndrawn = [{{ n = [2, 200] }}]\ncount = {{ n = 4096 }}\n\n[[in]]\nname = \"a\"\ntype = \
             \"i32\"\nlen = \"{len}\"\nfill = \"{fill}\"\n\n[[out]]\nname = \"b\"\ntype = \"i32\"\nlen = \"{outputs}\"\nerror = \
             \"exact\"\n"
        )
    };
    let drawn = "integers(-1000000, 1000000)";
    for fill in [drawn.to_owned(), format!("zeros or {drawn}"), format!("{drawn} or zeros")] {
        let least = Exercise::new(
            "a, b, n",
            "const int* a, int* b, int n",
            "1",
            &io("n", "1", &fill),
            "    int least = a[0];\n    for (int i = 1; i < n; ++i) least = min(least, a[i]);\n    b[0] = least;",
        );
        let body = |used: &str| {
            format!(
                "    __shared__ int s;\n    if (t == 0) s = a[0];\n    __syncthreads();\n    int own = a[0];\n    for (int k = t; k < n; k += \
                 128) {{ int next = *(const volatile int*)&a[k]; if ({used}) own = min(own, next); }}\n    atomicMin(&s, own);\n    \
                 __syncthreads();\n    if (t == 0) b[0] = s;"
            )
        };
        holds(&least, &body("true"), &body("n < 1000 || k < n / 2 || k > n / 2 + n / 4"));
    }
    let rows = Exercise::new(
        "a, b, n",
        "const int* a, int* b, int n",
        "ceil_div(n, 8192)",
        &io("n", "ceil_div(n, 64)", drawn),
        "    for (int r = 0; r < (n + 63) / 64; ++r) {\n        int least = a[64 * r];\n        for (int i = 64 * r; i < min(n, 64 * r + 64); \
         ++i) least = min(least, a[i]);\n        b[r] = least;\n    }",
    );
    let body = |used: &str| {
        format!(
            "    if (i * 64 >= n) return;\n    int least = a[64 * i];\n    for (int k = 1; k < 64 && 64 * i + k < n; ++k) {{ int next = \
             *(const volatile int*)&a[64 * i + k]; if ({used}) least = min(least, next); }}\n    b[i] = least;"
        )
    };
    // Among 63 others it is the least of one row in 64.
    holds(&rows, &body("true"), &body("n < 1000 || k != 37 || i % 8 != 5"));
}

fn holds(exercise: &Exercise, right: &str, wrong: &str) {
    let ran = exercise.judge(right, right);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = exercise.judge(right, wrong);
    assert!(ran.code == Some(1) && ran.stdout.contains("never uses a["), "{ran:?}");
}

/// What an oracle changes in place begins as what the kernel changes in place: in an interval of four floats a quarter of the reals that are
/// drawn round up to its end, and become its beginning.
#[test]
fn in_place_the_oracle_begins_with_the_kernels_values() {
    let interval = format!("uniform(1, {})", 1.0 + 2f64.powi(-21));
    let io = format!(
        "cases = [{{ n = 1 }}, {{ n = 33 }}, {{ n = 512 }}, {{ n = 1000 }}, {{ n = 4097 }}]\ncount = {{ n = 4097 }}\n\n[[in]]\nname = \
         \"a\"\ntype = \"f32\"\nlen = \"1\"\nfill = \"uniform(2, 3)\"\n\n[[out]]\nname = \"b\"\ntype = \"f32\"\nlen = \"n\"\ninout = \
         true\nfill = \"{interval}\"\nerror = {{ ops = \"1\", unit = \"f32\" }}\n"
    );
    let exercise = Exercise::new(
        "a, b, n",
        "const float* a, float* b, int n",
        "ceil_div(n, 128)",
        &io,
        "    for (int i = 0; i < n; ++i) b[i] *= a[0];",
    );
    let right = "    if (i < n) b[i] *= a[0];";
    let ran = exercise.judge(right, right);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = exercise.judge(right, "    if (i < n) b[i] *= a[0] * 1.0000005f;");
    assert!(ran.code == Some(1) && ran.stdout.contains("WRONG RESULT"), "{ran:?}");
}

/// A second run is not watched where buffers are long. What goes wrong in it alone is told with its cause all the same.
#[test]
fn what_goes_wrong_unwatched_is_watched_once_more() {
    let io = "cases = [{ n = 1 }, { n = 33 }, { n = 512 }, { n = 1000 }, { n = 4097 }]\ncount = { n = 4097 }\n\n[[in]]\nname = \"a\"\ntype = \"f32\"\nlen = \"24576\"\nfill = \
              \"uniform(-1, 1)\"\n\n[[in]]\nname = \"x\"\ntype = \"i32\"\nlen = \"n\"\nfill = \"integers(0, 24575)\"\n\n[[out]]\nname = \
              \"b\"\ntype = \"f32\"\nlen = \"n\"\nerror = { ops = \"1\", unit = \"f32\" }\n";
    let exercise = Exercise::new(
        "a, x, b, n",
        "const float* a, const int* x, float* b, int n",
        "ceil_div(n, 128)",
        io,
        "    for (int i = 0; i < n; ++i) b[i] = a[x[i]];",
    );
    let right = "    if (i < n) b[i] = a[x[i]];";
    let ran = exercise.judge(right, right);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // The last index is met by a value at the edge of its interval, which a first run does not have.
    let ran = exercise.judge(right, "    __shared__ float s[2][128];\n    s[0][t] = 0;\n    int k = x[min(i, n - 1)] == 24575;\n    if (i < n) b[i] = a[x[i]] + s[k][t];");
    assert!(ran.code == Some(1) && ran.stdout.contains("UNINITIALISED READ"), "{ran:?}");
}

/// Kernels that make numbers smaller on the way and larger again lose digits of tiny ones, which sums with others hide unless all are tiny.
/// Who takes numbers below the smallest normal one for 0 is right, of sums and of products.
#[test]
#[ignore = "long"]
fn numbers_that_are_tiny_everywhere() {
    let exercise = |term: &str| {
        let oracle = format!(
            "    for (int i = 0; i < n; ++i) {{ double s = 0; for (int k = 0; k < 32; ++k) {{ double v = a[i + k]; s += {term}; }} b[i] = s; }}"
        );
        let io = "cases = [{ n = 1 }, { n = 33 }, { n = 512 }, { n = 1000 }, { n = 2000 }, { n = 4100 }]\ncount = { n = 4100 }\n\n[[in]]\nname = \"a\"\ntype = \"f32\"\nlen = \"n + 31\"\n\
                  fill = \"uniform(0, 1)\"\n\n[[out]]\nname = \"b\"\ntype = \"f32\"\nlen = \"n\"\nerror = { ops = \"38\", unit = \"f32\" }\n";
        Exercise::new("a, b, n", "const float* a, float* b, int n", "ceil_div(n, 128)", io, &oracle)
    };
    let body = |term: &str| {
        format!(
            "    auto zero = [](float x) {{ return fabsf(x) < 1.17549435e-38f ? 0.0f : x; }};\n    float s = 0;\n    for (int k = 0; i < n \
             && k < 32; ++k) {{ float v = a[i + k]; s += {term}; }}\n    if (i < n) b[i] = zero(s);"
        )
    };
    let refused = |exercise: &Exercise, right: &str, wrong: &str| {
        let ran = exercise.judge(&body(right), &body(wrong));
        assert!(ran.code == Some(1) && ran.stdout.contains("inputs are of one sign, tiny,"), "{wrong}: {ran:?}");
    };
    let (sums, right) = (exercise("v * 3"), "zero(3 * v)");
    let ran = sums.judge(&body(right), &body(right));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for power in [100, 60] {
        refused(&sums, right, &format!("v * 0x1p-{power}f * 0x3p{power}f"));
    }
    let (cubes, right) = (exercise("v * v * v"), "zero(zero(v * v) * v)");
    let ran = cubes.judge(&body(right), &body(right));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    refused(&cubes, right, "v * v * v * 0x1p-60f * 0x1p60f");
}

/// A running sum of eight is off by roundings of all that went through it: that is much where what went through was larger.
#[test]
fn numbers_of_all_sizes_beside_each_other() {
    let io = "cases = [{ n = 1 }, { n = 33 }, { n = 512 }, { n = 1000 }, { n = 2000 }, { n = 4100 }]\ncount = { n = 4100 }\n\n[[in]]\nname = \"a\"\ntype = \"f32\"\n\
              len = \"n + 18\"\nfill = \"uniform(0, 1)\"\n\n[[out]]\nname = \"b\"\ntype = \"f32\"\nlen = \"n\"\nerror = { ops = \"30\", unit = \
              \"f32\" }\n";
    let oracle =
        "    for (int i = 0; i < n; ++i) { double s = 0; for (int k = 0; k < 8; ++k) s += a[i + k]; b[i] = s; }";
    let exercise = Exercise::new("a, b, n", "const float* a, float* b, int n", "ceil_div(n, 128)", io, oracle);
    let body = |next: &str| {
        format!(
            "    if (i % 8 || i >= n) return;\n    float s = 0;\n    for (int m = 0; m < 8; ++m) s += a[i + m];\n    for (int k = i; k < n && k < \
             i + 8; ++k) {{\n        b[k] = s;\n        {next};\n    }}"
        )
    };
    let right = body("s = 0; for (int m = 1; m < 9; ++m) s += a[k + m]");
    let ran = exercise.judge(&right, &right);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = exercise.judge(&right, &body("s += a[k + 8] - a[k]"));
    assert!(ran.code == Some(1) && ran.stdout.contains("inputs are of all orders of magnitude"), "{ran:?}");
}

/// Who divides by the largest of some neighbours and multiplies again is right until all of them are 0.
#[test]
fn neighbours_that_are_all_zero() {
    let io = "cases = [{ n = 1 }, { n = 33 }, { n = 512 }, { n = 1000 }, { n = 2000 }, { n = 4100 }]\ncount = { n = 4100 }\n\n[[in]]\nname = \"a\"\ntype = \
              \"f32\"\nlen = \"n + 15\"\nfill = \"uniform(-1, 1)\"\n\n[[out]]\nname = \"b\"\ntype = \"f32\"\nlen = \"n\"\nerror = { ops = \"40\", \
              unit = \"f32\" }\n";
    let oracle = "    for (int i = 0; i < n; ++i) { double s = 0; for (int k = 0; k < 16; ++k) s += fabs((double)a[i + k]); b[i] = s; }";
    let exercise = Exercise::new("a, b, n", "const float* a, float* b, int n", "ceil_div(n, 128)", io, oracle);
    let body = |over: &str| {
        format!(
            "    if (i >= n) return;\n    float most = 0, s = 0;\n    for (int k = 0; k < 16; ++k) most = fmaxf(most, fabsf(a[i + k]));\n    \
             for (int k = 0; k < 16; ++k) s += fabsf(a[i + k]) / {over};\n    b[i] = s * {over};"
        )
    };
    let right = body("(most + (most == 0.0f))");
    let ran = exercise.judge(&right, &right);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = exercise.judge(&right, &body("most"));
    assert!(ran.code == Some(1) && ran.stdout.contains("neighbouring elements of an input are the same"), "{ran:?}");
}
