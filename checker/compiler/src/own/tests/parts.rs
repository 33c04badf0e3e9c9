//! What of a text is for the host, and what stays of it where it was.

use super::{part, skipped};

/// Each text with the names that are for the host alone.
#[test]
fn host_code_is_told_from_device_code() {
    let cases = [
        ("int f(int a) { if (a) { return 1; } return 0; } __device__ int g() { return 1; }", "f"),
        ("int f(int); extern \"C\" void g(float *); extern \"C\" __global__ void k(int);", "f g"),
        (
            "#define HD __host__ __device__\n#define DEV HD\nHD int a() { return 1; } DEV int b() { return 1; } int c();",
            "c",
        ),
        ("#ifdef X\n#define D\n#else\n#define D __device__\n#endif\nD int a() { return 1; }", ""),
        (
            "#define BOUNDS(n) __launch_bounds__(n)\n__global__ void BOUNDS(64) k(int *a) { }\nBOUNDS(3) void h() { }",
            "h",
        ),
        ("__global__ void __launch_bounds__(256, 2) k() { } static inline void h() { }", "h"),
        ("_Pragma(\"nv_diag_suppress 177\") __global__ void k() { } _Pragma(\"x\") int main() { return 0; }", "main"),
        (
            "template <typename T, int N = (3 > 2)> T f(T a) { return a; } template <class T> __device__ T g(T a) { return a; }",
            "f",
        ),
        ("template <> __device__ int g<int>(int a) { return a; } template void f<int>(int);", "f"),
        (
            "int a = 3, b[2] = {1, 2}; static float *p; const int N = 4; constexpr float F = 1; const char *const W = \"}\";",
            "a p",
        ),
        ("const char *name = \"{\"; __device__ int d[3] = {1, 2, 3}; __constant__ float c; __managed__ int m;", "name"),
        ("auto l = [](int a) { return a; }; std::vector<int> v{1, 2}; dim3 block(16, 16);", "l v block"),
        (
            "struct S { int a; S() : a(1) { } __device__ int get() { return a; } void host(); ~S() { } S(const S &) = default; };",
            "S host S",
        ),
        (
            "struct alignas(16) A { float x; }; struct __align__(8) B { int y; } shared_b; enum E { one, two = 2 }; union U { int i; };",
            "",
        ),
        (
            "struct S; class C : public S { int x; public: operator int() const { return x; } __device__ bool operator()(int a) { return a; } };",
            "operator",
        ),
        (
            "void C::run() { } bool operator<(const S &a, const S &b) { return true; } __device__ bool operator==(S a, S b) { return 1; }",
            "run operator",
        ),
        (
            "namespace a { namespace b { void f() { } __device__ void g() { } } } namespace c::d { void h() { } } inline namespace e { int v; }",
            "a::b::f c::d::h e::v",
        ),
        (
            "extern \"C\" { void f(); __global__ void k() { } } namespace x = y; using namespace std; using real = float;",
            "f",
        ),
        ("#if A\nvoid f(int a) {\n#else\nvoid f(long a) {\n#endif\n  g(\"{\");\n}\n__global__ void k() { }", "f"),
        ("__global__ void k() {\n#ifdef A\n  if (x) {\n#else\n  if (y) {\n#endif\n  }\n}\nint main() { }", "main"),
        ("#if 0\nvoid dead( { {\n#endif\n__global__ void k() { }\nint main() try { } catch (...) { }", "main"),
        (
            "int f(void (*callback)(int), int a[3]) { return 1; } void (*pointer)(int) = 0; int (*table[2])(int);",
            "f pointer table",
        ),
        (
            "void (*pick(int a))(int) { return 0; } int g() try { return 1; } catch (int) { } catch (...) { } int h;",
            "pick g h",
        ),
        ("#define KERNEL(name) __global__ void name\nKERNEL(first)(int *a) { *a = 1; }\nvoid host() { }", "host"),
        ("#define MAKE(n) __global__ void n(int *a) { *a = 1; }\nMAKE(one)\nMAKE(two);\nvoid host() { }", "host"),
        ("auto f() -> int { return 1; } __device__ auto g() -> int { return 1; } decltype(1) h() { return 1; }", "f h"),
        (
            "#include <vector>\n#include <cuda_fp16.h>\n#include \"x.h\"\nvoid f() { k<<<1, 2>>>(a); }",
            "<vector> \"x.h\" f",
        ),
        (
            "static_assert(sizeof(int) == 4, \"{\"); asm(\"{\"); [[nodiscard]] int f() { return 1; } __device__ [[nodiscard]] int g();",
            "f",
        ),
    ];
    let wrong: Vec<_> = cases.iter().filter(|(text, names)| skipped(text) != *names).collect();
    assert!(
        wrong.is_empty(),
        "{:#?}",
        wrong.iter().map(|(text, names)| (text, names, skipped(text))).collect::<Vec<_>>()
    );
}

/// Whatever is left out, every line and column of what stays is where it was.
#[test]
fn what_stays_is_where_it_was() {
    let text = "#include <vector>\n/* ä { */ int main() {\n#pragma omp parallel\n#define N 3\n  return \"ü}\";\n} __device__ int stays;\n";
    let (part, _) = part(text);
    let left = part.text();
    assert_eq!(
        left,
        "\n/* ä { */             \n                    \n#define N 3\n              \n  __device__ int stays;\n"
    );
    let column = |text: &str| text.lines().nth(5).and_then(|line| line.find("__device__"));
    assert_eq!(column(&left), column(text));
}
