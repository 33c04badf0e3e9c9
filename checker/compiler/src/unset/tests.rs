use super::{held, unset};

/// The suspects of a kernel with this body.
fn suspects(body: &str) -> Vec<String> {
    suspects_with("", body)
}

fn suspects_with(before: &str, body: &str) -> Vec<String> {
    let text = format!("{before}\n__global__ void k(const float *a, float *o, int n) {{\n{body}\n}}\n");
    unset(&text).into_iter().map(|one| one.name).collect()
}

#[test]
fn what_is_read_before_it_is_set_is_a_suspect() {
    let suspect = [
        "float x; x += a[0]; o[0] = x;",
        "float x; x = x + a[0]; o[0] = x;",
        "int i; i++; o[i] = 0;",
        "float x; if (n) x = 1; o[0] = x;",
        "float x; for (int i = 0; i < n; i++) x = a[i]; o[0] = x;",
        "float x; while (n--) { x = a[n]; break; } o[0] = x;",
        "float x; switch (n) { case 0: x = 1; break; case 1: x = 2; } o[0] = x;",
        "float x[2]; x[0] = 1; for (int i = 0; i < 2; i++) o[i] = x[i];",
        "float4 x; x.x = x.y = 0; o[0] = x.z;",
        "float4 x; x.x = 0; float4 y = x;",
        "float x, y = 1; o[0] = x * y;",
        "unsigned long long x; o[0] = n ? x : 0;",
        "const float *x; o[0] = *x;",
        "float x; auto f = [&](int i) { x += a[i]; }; f(0); o[0] = x;",
        "float x; o[0] = fmaxf(x, a[0]);",
        "unsigned x; asm(\"add.u32 %0, %0, 1;\" : \"+r\"(x)); o[0] = x;",
    ];
    for body in suspect {
        assert_eq!(
            suspects(body),
            ["x"].map(|x| if body.starts_with("int i") { "i".into() } else { x.to_owned() }),
            "{body}"
        );
    }
}

#[test]
fn what_is_set_on_every_way_is_none() {
    let right = [
        "float x; x = a[0]; o[0] = x;",
        "float x; if (n) x = 1; else x = 2; o[0] = x;",
        "float x; if (n) x = 1; else return; o[0] = x;",
        "float x; if (n) { x = 1; } else if (n > 3) { x = 2; } else { x = 3; } o[0] = x;",
        "float x; switch (n) { case 0: x = 1; break; case 1: x = 2; break; default: x = 3; } o[0] = x;",
        "float x; do { x = a[n]; } while (--n); o[0] = x;",
        "float x; for (;;) { x = a[0]; if (x > n) break; } o[0] = x;",
        "float x; while (true) { if (n > 3) { x = 1; break; } ++n; } o[0] = x;",
        "float x[4]; for (int i = 0; i < 4; i++) x[i] = 0; for (int i = 0; i < 4; i++) x[i] += a[i];",
        "float x[2]; x[0] = 1; x[1] = 2; for (int i = 0; i < 2; i++) o[i] = x[i];",
        "float x; for (int i = 0; i < 4; i++) x = a[i]; o[0] = x;",
        "float4 x; x.x = x.y = x.z = x.w = 0; float4 y = x;",
        "float x, y; sincosf(a[0], &x, &y); o[0] = x + y;",
        "float x; memcpy(&x, a, 4); o[0] = x;",
        "unsigned x; asm(\"mov.u32 %0, 1;\" : \"=r\"(x)); o[0] = x;",
        "float x; *reinterpret_cast<unsigned *>(&x) = 0; o[0] = x;",
        "__shared__ float x[32]; extern __shared__ float y[]; o[0] = x[0] + y[0];",
        "static int x; o[0] = x; union { float f; unsigned u; } z; z.f = 1; o[1] = z.u;",
        "wmma::fragment<A> x; wmma::load_matrix_sync(x, a, 16); cuda::barrier<S> y; y.wait();",
        "float x; int i = sizeof(x); decltype(x) y = 1; o[i] = y;",
        "float x; x = a[0], o[0] = x;",
        "int x{}, y(3), z = 1; o[x] = y + z;",
    ];
    for body in right {
        assert_eq!(suspects(body), [""; 0], "{body}");
    }
}

#[test]
fn what_a_function_of_the_file_does_with_its_argument_counts() {
    let read = "__device__ void f(float &y, int n) { if (n) y = 1; }";
    assert_eq!(suspects_with(read, "float x; f(x, n); o[0] = x;"), ["x"]);
    let set = "__device__ void f(float &y, int n) { if (n) { y = 1; return; } y = 2; }";
    assert_eq!(suspects_with(set, "float x; f(x, n); o[0] = x;"), [""; 0]);
    let pointer = "__device__ void f(float *y, int n) { *y = n; }";
    assert_eq!(suspects_with(pointer, "float x; f(&x, n); o[0] = x;"), [""; 0]);
    let value = "__device__ float f(float y, int n) { return y + n; }";
    assert_eq!(suspects_with(value, "float x; o[0] = f(x, n);"), ["x"]);
    let array = "__device__ void f(float (&y)[4]) { for (int i = 0; i < 4; i++) y[i] = 0; }";
    assert_eq!(suspects_with(array, "float x[4]; f(x); o[0] = x[0];"), [""; 0]);
    let more = "__device__ void f(float (&y)[4]) { for (int i = 0; i < 4; i++) y[i] += 1; }";
    assert_eq!(suspects_with(more, "float x[4]; f(x); o[0] = x[0];"), ["x"]);
    let itself = "__device__ void f(float &y, int n) { if (n) f(y, n - 1); else y = 0; }";
    assert_eq!(suspects_with(itself, "float x; f(x, n); o[0] = x;"), [""; 0]);
}

#[test]
fn types_of_the_file_are_known() {
    let plain = "struct S { float a; int b[2]; __device__ float sum() const { return a; } };";
    assert_eq!(suspects_with(plain, "S s; s.a = 1; o[0] = s.b[0];"), ["s"]);
    let made = "struct S { float a; __device__ S() : a(0) {} };";
    assert_eq!(suspects_with(made, "S s; o[0] = s.a;"), [""; 0]);
    let valued = "struct S { float a = 0; };";
    assert_eq!(suspects_with(valued, "S s; o[0] = s.a;"), [""; 0]);
    assert_eq!(suspects_with("using R = float; typedef unsigned U;", "R r; U u; o[u] = r;"), ["r", "u"]);
    let host = "int main() { float *d; cudaMalloc(&d, 4); int x; x++; }";
    assert_eq!(suspects_with(host, "o[0] = 0;"), [""; 0]);
    let device = "#define HD __host__ __device__\ntemplate <typename T> HD T f(T a) { T x; x += a; return x; }";
    assert_eq!(suspects_with(device, "o[0] = f(a[0]);"), ["x"]);
}

#[test]
fn places_are_lines_of_the_text() {
    let text = "__device__ int f()\n{\n    int x;\n    if (threadIdx.x)\n        x = 1;\n    return x;\n}\n";
    let [one] = unset(text).try_into().expect("one");
    assert_eq!((one.line, one.function, one.array, one.used), (3, (1, 7), false, vec![5, 6]));
}

/// No nesting is too deep for the stack, and no text takes longer than others of its length: what is not followed is not suspected.
#[test]
#[ignore = "long"]
fn deep_and_long_texts_are_followed_as_far_as_that_goes() {
    let nested =
        |open: &str, close: &str, many: usize| format!("float x; {}o[0] = x;{}", open.repeat(many), close.repeat(many));
    assert_eq!(suspects(&nested("{ ", " }", 50)), ["x"]);
    for (open, close) in [
        ("{ ", " }"),
        ("if (n) ", ""),
        ("if (n) ; else ", ""),
        ("while (n) ", ""),
        ("do ", " while (n);"),
        ("switch (n) case 1: ", ""),
        ("for (;;) ", ""),
        ("x = ", ""),
        ("(", ")"),
        ("f(", ")"),
        ("x[", "]"),
    ] {
        let _ = suspects(&nested(open, close, 100_000));
    }
    let calls = "f(y, n - 1); ".repeat(3000);
    let itself = format!("__device__ void f(float &y, int n) {{ {calls} y = n; }}");
    let _ = suspects_with(&itself, "float x; f(x, n); o[0] = x;");
    let _ = suspects_with("__device__ void g(...);", &format!("float x; g({}x);", "x, ".repeat(50_000)));
    let many: String = (0..5000).map(|k| format!("float v{k}; o[{k}] = v{k};\n")).collect();
    let found = suspects(&many);
    assert!(!found.is_empty() && found.len() <= 64, "{}", found.len());
}

#[test]
fn whatever_the_text_is_it_comes_to_an_end() {
    let text = "__global__ void k(int *o, int n) { int x; for (;;) { if (n) { switch (n) { case 1: do { x += f(x)[x]; } while (x); } } } asm(\"\" : \"=r\"(x)); }";
    for end in 0..text.len() {
        let _ = unset(&text[..end]);
        let _ = unset(&text[end..]);
        let _ = unset(&format!("{}{}", &text[..end], &text[(end + 7).min(text.len())..]));
    }
}

/// Behind their declarations, on their lines; what is in memory, and what has a value, is left as it is.
#[test]
fn suspects_are_put_into_registers_without_a_value() {
    let text = "__global__ void k(float *o, int n) {\n int i; unsigned long long u, v = 2;\n float x[2]; const float *p; bool b;\n o[i + u + b] = *p + x[0];\n}\n";
    let found = unset(text);
    let told = held(text, &found).unwrap_or_default();
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), text.lines().count());
    assert_eq!(
        lines[1],
        r#" int i; asm volatile("" : "=r"(i)); unsigned long long u, v = 2; asm volatile("" : "=l"(u));"#
    );
    assert_eq!(lines[2], r#" float x[2]; const float *p; asm volatile("" : "=l"(p)); bool b;"#);
    let none = "__global__ void k(float *o) {\n float x[2]; o[0] = x[0]; int i, j = (i = 2); o[i] = j;\n}\n";
    assert_eq!(held(none, &unset(none)), None);
}
