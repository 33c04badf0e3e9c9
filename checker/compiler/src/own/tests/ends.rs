//! Texts that are no C++, or a part of it: whatever is made of them, it ends.

use super::{lines, part};

/// Text that is not C++ ends all the same, and nothing is lost but what has a host's form.
#[test]
fn any_text_ends() {
    let broken = [
        "",
        "}",
        "}}}",
        "{",
        "((((",
        "template <",
        "template <typename T",
        "struct",
        "struct {",
        "namespace",
        "namespace a {",
        "#",
        "#if",
        "#else",
        "#endif\n#else",
        "#if 0\n#if 1",
        "operator",
        "operator()",
        "extern \"C\"",
        "= = =",
        "[[",
        "class A : {",
        "int a(",
        "\"",
        "'",
        "R\"(",
        "/*",
        "__global__",
        "__global__ void",
        "using",
        "typedef",
        "é ü (",
        "A(B)\n(C)",
        "enum {",
    ];
    for text in broken {
        for repeated in [text.to_owned(), text.repeat(200), format!("{text} __global__ void k() {{ }}")] {
            let (part, _) = part(&repeated);
            assert_eq!(part.text().matches('\n').count(), repeated.matches('\n').count(), "{repeated}");
        }
    }
}

/// Lines are made, or not, of a text that ends anywhere, begins anywhere or misses a character.
#[test]
fn lines_of_any_text_end() {
    let text = "#define UP(a, b) (((a) + (b) - 1) / (b))\nstruct Op { float a; __device__ float operator()(float x) { return x; } };\n\
                __constant__ float c[UP(9, 2)][3], d;\ntemplate <class F, int N = 3> __global__ void k(float2 *a, int n, F f) { a[n].x = f(a[0].y); }\n\
                int main() { Op op{2.f}; dim3 g(UP(8, 3), 2); cudaMalloc(&a, n * sizeof(float)); cudaMemcpyToSymbol(c, h, 4);\n\
                cudaMemset(a, 1 ? 2 : 3, 4); d.filterMode = d.addressMode[0] = 1; cudaCreateTextureObject(&a, &r, &d, 0); Op p, q(2.f);\n\
                void *args[] = {&a, &n, &op}; cudaLaunchKernel((void *)k<Op, 3>, std::min(2, 3), int(4), args, !0, s); g.x = 1 < 2 || 3 != 4;\n\
                atomicCAS(&a[0], 1, 2); k<Op, (3)><<<g, dim3(8, 8), 1 << 4>>>(a + 3, -(int)1e3f, op); k<ns::Op<float, 2>><<<1, 2>>>(a, 1, Op{UP(1, 2), .5f}); }";
    for at in 0..text.len() {
        lines(&text[..at]);
        lines(&text[at..]);
        let mut missing = text.to_owned();
        missing.remove(at);
        lines(&missing);
    }
}
