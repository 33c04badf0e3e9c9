//! Lines that are made of launches: what the host says, as far as it says it.

use super::lines;

/// Host code that launches kernels, with the lines that are made of it.
#[test]
fn the_host_says_how_it_launches() {
    let cases: [(&str, &[&str]); 5] = [
        // A length that nobody can tell: all else is the host's.
        (
            "#define N (33 * 1024)\n__global__ void add(int *a, int *c, int n) { c[i] = a[i]; }\n\
             int main() { const int threads = 128; int *a, *b; size_t bytes = N * sizeof(int);\n\
             cudaMalloc((void **)&a, bytes); cudaMalloc(&b, bytes_of(a)); add<<<(N + threads - 1) / threads, threads>>>(a, b, N); }",
            &[
                "//@ size   n = 33792",
                "//@ in     a: i32[33792] = integers(0, 9)",
                "//@ out    c: i32[n]",
                "//@ launch add<<<264, 128>>>(a, c, n)",
            ],
        ),
        // Everything is a constant: grid, lengths and numbers are the host's.
        (
            "#define N 1000\n__global__ void add(const int *a, int *c) { c[i] = a[i]; }\n\
             int main() { int *a, *b; cudaMalloc((void **)&a, N * sizeof(int)); cudaMalloc(&b, sizeof(int) * N);\n\
             dim3 grid(N / 100), block(10, 10); add<<<grid, block, 64 << 1>>>(a, b); }",
            &[
                "//@ in     a: i32[1000] = integers(0, 9)",
                "//@ out    c: i32[1000]",
                "//@ launch add<<<10, (10, 10), 128>>>(a, c)",
            ],
        ),
        // Lengths are not said: only the block and the template's arguments are.
        (
            "template <class T, int B> __global__ void k(T *a, int w, int h) { a[threadIdx.y] = 1; }\n\
             void f(float *a, int w, int h) { enum { X = 3 }; const int B = 32; dim3 b(B, B / 4);\n\
             k<float, 16><<<w, b>>>(a, w, h); k<double, B><<<dim3(w / B, h), b>>>(a, w, h); }",
            &[
                "//@ size   w = 64",
                "//@ size   h = 64",
                "//@ out    a: f64[w * h]",
                "//@ launch k<double, 32><<<(ceil_div(w, 32), ceil_div(h, 8)), (32, 8)>>>(a, w, h)  // the grid is a guess",
            ],
        ),
        // A texture, a condition inside the parameters, shared memory that a class hands out.
        (
            "struct Tile { __device__ float *get() { extern __shared__ float s[]; return s; } };\n\
             __global__ void k(float *out, cudaTextureObject_t t,\n#if TWO\nint a\n#else\nfloat b, S c\n#endif\n) { out[0] = 1; }",
            &[
                "//@ size   n = 4096",
                "//@ out    out: f32[n]",
                "//@ in     t_texels: f32[64 * 64] = uniform(0, 1)",
                "//@ texture t: f32[64, 64] = t_texels",
                "//@ launch k<<<ceil_div(n, 256), 256, 4096>>>(out, t, 1.0, {0})  // grid and block are guesses",
            ],
        ),
        // Constants that name each other, divisions by zero, brackets without an end.
        (
            "#define A B\n#define B A\n__global__ void k(float *p) { p[0] = 1; }\n\
             int main() { int z = 0, n = n + 1; k<<<A, 1 / z>>>(p); k<<<n, (1>>>(p); k<<<1, 1, 1, 1; }",
            &[
                "//@ size   n = 4096",
                "//@ out    p: f32[n]",
                "//@ launch k<<<ceil_div(n, 256), 256>>>(p)  // grid and block are guesses",
            ],
        ),
    ];
    for (text, want) in cases {
        assert_eq!(lines(text), want, "{text}");
    }
}

/// Launches of which the lines take a part.
#[test]
fn as_much_of_a_launch_as_is_simulated_in_a_moment() {
    let cases: [(&str, &[&str]); 3] = [
        // A place behind a pointer; more than is simulated in a moment, and nobody reads the rest.
        (
            "#define R 3\n__global__ void stencil(const float *in, float *out) { out[i] = in[i - 1]; }\n\
             int main() { float *a, *b; const int n = 1 << 22; cudaMalloc(&a, (n + 2 * R) * sizeof(float));\n\
             cudaMalloc(&b, n * sizeof(float)); stencil << <n / 256, 256 >> >(a + R, b); }",
            &[
                "//@ in     in: f32[4194310] = uniform(-1, 1)",
                "//@ out    out: f32[4194304]",
                "//@ launch stencil<<<256, 256>>>(in + 3, out)  // the host has 16384 blocks",
            ],
        ),
        // The same, and another kernel does.
        (
            "__global__ void a(float *p) { p[i] = 1; } __global__ void b(const float *p, float *q) { q[i] = p[i]; }\n\
             int main() { float *p, *q; cudaMalloc(&p, 4 << 22); cudaMalloc(&q, 4 << 22);\n\
             a<<<1 << 14, 256>>>(p); b<<<1 << 14, 256>>>(p, q); }",
            &[
                "//@ size   n = 4096",
                "//@ out    p: f32[n]",
                "//@ out    q: f32[n]",
                "//@ launch a<<<ceil_div(n, 256), 256>>>(p)  // the grid is a guess",
                "//@ launch b<<<ceil_div(n, 256), 256>>>(p, q)  // the grid is a guess",
            ],
        ),
        // Of one launch everything is known, of another no grid.
        (
            "__global__ void a(float *p) { p[i] = 1; } __global__ void b(float *p) { p[i] = 1; }\n\
             int main() { float *p; cudaMalloc(&p, 4096); a<<<4, 256>>>(p); b<<<x, 256>>>(p); }",
            &[
                "//@ out    p: f32[1024]",
                "//@ launch a<<<4, 256>>>(p)",
                "//@ launch b<<<ceil_div(1024, 256), 256>>>(p)  // the grid is a guess",
            ],
        ),
    ];
    for (text, want) in cases {
        assert_eq!(lines(text), want, "{text}");
    }
}

/// Of a launch that does not say everything in constants what it says, where the rest can be fitted to it.
#[test]
fn known_arguments_are_taken_singly() {
    let cases: [(&str, &[&str]); 4] = [
        // A grid, and the number of its blocks for the next kernel; the first one's size is nobody's word.
        (
            "#define BINS 256\n__global__ void part(unsigned *p, const unsigned *d, unsigned dataCount) { p[i] = d[i]; }\n\
             __global__ void merge(unsigned *h, const unsigned *p, unsigned histogramCount) { h[i] = p[i]; }\n\
             static const unsigned COUNT = 240; void run(unsigned *h, void *d, unsigned bytes) {\n\
             cudaMalloc((void **)&p, COUNT * BINS * sizeof(unsigned));\n\
             part<<<COUNT, 192>>>(p, (unsigned *)d, bytes / 4); merge<<<BINS, 256>>>(h, p, COUNT); }",
            &[
                "//@ size   dataCount = 4096",
                "//@ size   histogramCount = 240",
                "//@ out    p: u32[dataCount]",
                "//@ in     d: u32[dataCount] = integers(0, 9)",
                "//@ out    h: u32[dataCount]",
                "//@ launch part<<<240, 192>>>(p, d, dataCount)",
                "//@ launch merge<<<256, 256>>>(h, p, histogramCount)",
            ],
        ),
        // A number, and no grid.
        (
            "#define BLOCK 256\n__global__ void scan(uint4 *dst, const uint4 *src, unsigned size, int flag) { dst[i] = src[i]; }\n\
             void run(unsigned *d, unsigned *s, unsigned n) { scan<<<n / (4 * BLOCK), BLOCK>>>((uint4 *)d, (uint4 *)s, 4 * BLOCK, 0); }",
            &[
                "//@ size   size = 1024",
                "//@ out    dst: u32[4 * size]",
                "//@ in     src: u32[4 * size] = integers(0, 9)",
                "//@ launch scan<<<ceil_div(size, 256), 256>>>(dst, src, size, 0)  // the grid is a guess",
            ],
        ),
        // A grid that a guess at the size would not fit, and more than is simulated in a moment.
        (
            "__global__ void few(float *a, int n) { a[i] = 1; }\nint main(int c, char **v) { few<<<4, 64>>>(a, atoi(v[1])); }",
            &[
                "//@ size   n = 4096",
                "//@ out    a: f32[n]",
                "//@ launch few<<<ceil_div(n, 64), 64>>>(a, n)  // the grid is a guess",
            ],
        ),
        (
            "__global__ void many(float *a, int w, int h) { a[threadIdx.y] = 1; }\n\
             int main() { many<<<x, dim3(16, 16)>>>(a, 1 << 20, 1 << 20); }",
            &[
                "//@ size   w = 64  // the host has 1048576",
                "//@ size   h = 64  // the host has 1048576",
                "//@ out    a: f32[w * h]",
                "//@ launch many<<<(ceil_div(w, 16), ceil_div(h, 16)), (16, 16)>>>(a, w, h)  // the grid is a guess",
            ],
        ),
    ];
    for (text, want) in cases {
        assert_eq!(lines(text), want, "{text}");
    }
}
