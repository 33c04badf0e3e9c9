//! A reader's own `.cu` file, with its host code, on `checker run` and `checker sass`.

use crate::support::{Ran, Workbook, checker, repository};
use std::path::Path;

/// A folder with the whole program of the fixtures; `lines` are put before it.
fn program(lines: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!("{lines}{}", fixture("smooth.cu"));
    std::fs::write(folder.path().join("own.cu"), &text).expect("a file");
    std::fs::write(folder.path().join("weights.cuh"), fixture("weights.cuh")).expect("a file");
    (folder, text)
}

fn fixture(name: &str) -> String {
    std::fs::read_to_string(repository().join("tests/fixtures/own").join(name)).expect("the fixture")
}

fn checker_in(folder: &Path, args: &[&str]) -> Ran {
    checker().args(args).current_dir(folder).output().expect("the binary starts").into()
}

fn run(folder: &Path, text: &str) -> Ran {
    std::fs::write(folder.join("own.cu"), text).expect("a file");
    checker_in(folder, &["run", "own.cu", "--seed", "1", "--backend", "sim"])
}

const LINES: &str = "//@ size n = 300\n//@ in x: f32[n] = constant(1)\n//@ in w: f32[3] = constant(2)\n//@ out y: f32[n]\n\
                     //@ constant filters::taps = w\n\
                     //@ launch filters::smooth<float, 3><<<3, 128>>>(x, y, n, {-1.0f, f32 2.5})\n\
                     //@ launch negate_in_place<<<1, 128>>>(y + 200, 100)\n";

/// Host functions, variables, classes and headers are skipped and named; what kernels use is kept: macros for
/// annotations, `constexpr`, `std::min`, members of a structure, a header beside the file.
#[test]
fn a_whole_program_runs_with_launch_lines_alone() {
    let (folder, text) = program(LINES);
    let ran = run(folder.path(), &text);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // 0.5 * (2 + 2 + 2) clipped at 2.5; the last hundred with the other sign.
    assert!(
        ran.stdout.contains("y: f32[300]  2.5 2.5") && ran.stdout.contains("min -2.50, max 2.50"),
        "{}",
        ran.stdout
    );
    let flat = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in
        ["skipped: main, ", "host functions", "2 host variables", "<vector>", "\"missing/timing.h\"", "Clock (line"]
    {
        assert!(flat.contains(said), "{said}: {flat}");
    }
    assert!(flat.contains("read beside it: weights.cuh"), "{flat}");
    let all = checker_in(folder.path(), &["run", "own.cu", "--seed", "1", "--backend", "sim", "--verbose"]);
    let line = 1 + text.lines().position(|line| line.starts_with("real on_host")).expect("it is there");
    assert!(all.stdout.contains(&format!("own.cu:{line}: skipped on_host: host function")), "{}", all.stdout);
}

/// CUB's header of all headers, which it refuses for NVRTC itself: what blocks and warps call is there.
#[test]
fn all_of_cub_that_runs_on_a_device_is_one_include() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "#include <cub/cub.cuh>\n//@ size n = 300\n//@ in x: f32[n] = constant(1)\n//@ out y: f32[2]\n\
                //@ launch sums<<<2, 256>>>(x, y, n)\n\
                __global__ void sums(const float* x, float* y, int n)\n{\n    using Reduce = cub::BlockReduce<float, 256>;\n    \
                __shared__ Reduce::TempStorage room;\n    int i = blockIdx.x * 256 + threadIdx.x;\n    \
                float sum = Reduce(room).Sum(i < n ? x[i] : 0.0f);\n    if (threadIdx.x == 0) y[blockIdx.x] = sum;\n}\n";
    let ran = run(folder.path(), text);
    assert!(ran.code == Some(0) && ran.stdout.contains("y: f32[2]  256 44"), "{ran:?}");
}

/// What a host's headers bring with them is there for the device, in the place of one that is left out, and a constant that only the host
/// can work out is left out, though a kernel's parameter has its name.
#[test]
#[ignore = "long"]
fn parts_of_std_are_brought_where_they_are_missed() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "//@ size n = 64\n//@ in x: f32[n] = constant(1)\n//@ out y: f32[n]\n//@ launch twice<float><<<2, 32>>>(x, y, 2.5)\n\
                #include <vector>\n#include <algorithm>\nconst double side = 3.0;\nconst double area = side * side;\n\
                template <typename T> __global__ void twice(const T* x, T* y, float area)\n{\n    \
                int i = blockIdx.x * 32 + threadIdx.x;\n    std::pair<T, T> both = std::make_pair(x[i], x[i]);\n    \
                if constexpr (std::is_same<T, float>::value && UINT32_C(1) > UINT8_C(0)) y[i] = area * (both.first + both.second);\n}\n";
    let ran = run(folder.path(), text);
    assert!(ran.code == Some(0) && ran.stdout.contains("y: f32[64]  5 5"), "{ran:?}");
}

/// Lines and columns of what is found are those of the file as it stands, behind everything that was skipped.
#[test]
fn findings_keep_their_lines() {
    let (folder, text) = program(LINES);
    let wrong = text.replace("data[i] = -data[i]", "data[i + n] = -data[i]");
    let line = 1 + wrong.lines().position(|line| line.contains("data[i + n]")).expect("it is there");
    let ran = run(folder.path(), &wrong);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("OUT OF BOUNDS") && ran.stdout.contains(&format!("own.cu:{line}")), "{}", ran.stdout);
}

/// The lines that are made for a file without any run as they are.
#[test]
fn made_lines_can_be_pasted() {
    let (folder, text) = program("");
    let asked = run(folder.path(), &text);
    assert_eq!(asked.code, Some(2), "{asked:?}");
    assert!(asked.stderr.contains("paste these at the top"), "{}", asked.stderr);
    let lines: Vec<&str> = asked.stderr.lines().filter(|line| line.starts_with("//@")).collect();
    assert!(lines.contains(&"//@ size   n = 1000"), "{lines:?}");
    assert!(lines.contains(&"//@ launch filters::smooth<real, 3><<<8, 128>>>(in, out, n, {-1.0f, 1.0f})"), "{lines:?}");
    // What the host negates is what it has smoothed.
    assert!(lines.contains(&"//@ launch negate_in_place<<<8, 128>>>(out, n)"), "{lines:?}");
    assert!(lines.contains(&"//@ out    out: f32[n]"), "{lines:?}");
    let pasted = lines.join("\n");
    let ran = run(folder.path(), &format!("{pasted}\n{text}"));
    assert_eq!(ran.code, Some(0), "{pasted}\n{ran:?}");
    assert!(ran.stdout.contains("FINISHED"), "{}", ran.stdout);
}

/// Made lines are tried: what the kernels go past is made longer, and what is pasted runs. An index that nobody knows makes nothing longer, nor
/// does one past a length that the host says.
#[test]
fn made_buffers_are_as_long_as_kernels_go() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "#include <cstdlib>\n__global__ void k(const float *a, float *b, const int *at, float *c, int n)\n{\n    \
                int i = blockIdx.x * blockDim.x + threadIdx.x;\n    b[3 * i] = a[i] + a[i + 1];\n    c[at[i]] = 1;\n}\n\
                int main(int argc, char **argv)\n{\n    float *a, *b, *c;\n    cudaMalloc(&a, atoi(argv[1]));\n    \
                k<<<atoi(argv[1]), 256>>>(a, b, 0, c, atoi(argv[1]));\n}\n";
    let asked = run(folder.path(), text);
    let lines: Vec<&str> = asked.stderr.lines().filter(|line| line.starts_with("//@")).collect();
    let wanted = [
        "//@ in     a: f32[2 * n] = uniform(-1, 1)  // as far as a kernel goes",
        "//@ out    b: f32[4 * n]  // as far as a kernel goes",
        "//@ out    c: f32[n]",
    ];
    assert!(asked.code == Some(2) && wanted.iter().all(|line| lines.contains(line)), "{lines:?}");
    let ran = run(folder.path(), &format!("{}\n{text}", lines.join("\n")));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let said = text.replace("int *at, float *c, int n", "int *at, float *c").replace("atoi(argv[1])", "4096");
    let said = said.replace("(a, b, 0, c, 4096)", "(a, a, a, a)").replace("<<<4096,", "<<<16,");
    let asked = run(folder.path(), &said);
    let length = "//@ in     a: f32[1024] = uniform(-1, 1)";
    assert!(asked.code == Some(2) && asked.stderr.lines().any(|line| line == length), "{}", asked.stderr);
}

/// What waits for memory that the host sets ends with the lines that are made for it: a lock, and an atomic of libcu++'s, whose template
/// arguments are written with parentheses.
#[test]
fn made_locks_and_flags_begin_as_the_host_sets_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "#include <cstdio>\n#include <cuda/atomic>\n\
                __global__ void k(cuda::atomic<int, cuda::thread_scope_device> *flag, int *mutex, int *sum)\n{\n    \
                while (atomicCAS(mutex, 0, 1) != 0) { }\n    __threadfence();\n    atomicAdd(&(sum[0]), flag->fetch_add(1));\n    \
                __threadfence();\n    atomicExch(mutex, 0);\n}\nint main()\n{\n    int *f, *m, *s;\n    cudaMalloc(&s, 4);\n    \
                cudaMemset(f, 0, 4);\n    cudaMemset(s, 0, 4);\n    k<<<4, 1>>>(f, m, s);\n}\n";
    let asked = run(folder.path(), text);
    let lines: Vec<&str> = asked.stderr.lines().filter(|line| line.starts_with("//@")).collect();
    let wanted =
        ["//@ inout  flag: i32[n] = zeros", "//@ inout  mutex: i32[n] = zeros", "//@ inout  sum: i32[1] = zeros"];
    assert!(asked.code == Some(2) && wanted.iter().all(|line| lines.contains(line)), "{lines:?}");
    let ran = run(folder.path(), &format!("{}\n{text}", lines.join("\n")));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // 0 + 1 + 2 + 3
    assert!(ran.stdout.contains("sum: i32[1]  6"), "{}", ran.stdout);
}

/// Leniency ends where a launched kernel needs what is refused.
#[test]
fn what_a_launched_kernel_needs_is_never_skipped() {
    let (folder, text) = program(LINES);
    let cases = [
        // A host function, called from a kernel.
        (("weight(sum)", "on_host(sum)"), "is host code: kernels can call it if it is `__device__`"),
        // A mistake in a kernel that is launched.
        (("= -data[i]", "= -dta[i]"), "identifier \"dta\" is undefined"),
        // A mistake in what a launched kernel calls, in a member and in a header.
        (("std::max(x, lo)", "std::max(x, low)"), "identifier \"low\" is undefined"),
        (
            ("#include \"weights.cuh\"", "__device__ float weight(float x) { return y; }"),
            "identifier \"y\" is undefined",
        ),
    ];
    for ((from, to), says) in cases {
        let ran = run(folder.path(), &text.replace(from, to));
        assert_eq!(ran.code, Some(1), "{to}: {ran:?}");
        let flat = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains("DOES NOT COMPILE") && flat.contains(says), "{to}: {flat}");
    }
    // Nobody launches this one.
    let unused = format!("{text}\n__global__ void unused(float *a) {{ *a = nothing; }}\n");
    let ran = run(folder.path(), &unused);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("unused (line"), "{}", ran.stdout);
    // But its listing cannot be had.
    let listed = checker_in(folder.path(), &["sass", "own.cu", "--kernel", "unused"]);
    assert_eq!(listed.code, Some(1), "{listed:?}");
    assert!(listed.stderr.contains("identifier \"nothing\" is undefined"), "{}", listed.stderr);
}

/// A declaration without a name that does not compile goes, whether the launched kernel is a template or not.
#[test]
fn a_nameless_declaration_is_skipped_beside_a_template() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "//@ out c: f32[1]\n//@ launch k<float><<<1, 1>>>(c)\n#include <absent/numeric.hpp>\nusing namespace absent::numeric;\n\
                template<class T> __global__ void k(T *c) { *c = 7; }\n";
    let ran = run(folder.path(), text);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("c: f32[1]  7"), "{}", ran.stdout);
    let wrong = run(folder.path(), &text.replace("*c = 7", "*c = numeric::seven"));
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
}

/// Only regular files in the file's own folder and below are read as headers.
#[cfg(unix)]
#[test]
fn no_header_is_read_from_elsewhere() {
    let outer = tempfile::tempdir().expect("a folder");
    let folder = outer.path().join("inner");
    std::fs::create_dir_all(folder.join("sub")).expect("a folder");
    std::fs::write(outer.path().join("secret.cuh"), "#error top-secret\n").expect("a file");
    std::os::unix::fs::symlink(outer.path().join("secret.cuh"), folder.join("link.cuh")).expect("a link");
    std::os::unix::fs::symlink(outer.path(), folder.join("up")).expect("a link");
    std::fs::write(folder.join("sub/good.cuh"), "#include \"../sub/deep.cuh\"\n").expect("a file");
    std::fs::write(folder.join("sub/deep.cuh"), "__device__ inline int deep() { return 7; }\n").expect("a file");
    let absolute = outer.path().join("secret.cuh").display().to_string();
    let text = format!(
        "//@ out c: i32[1]\n//@ launch k<<<1, 1>>>(c)\n#include \"../secret.cuh\"\n#include \"link.cuh\"\n\
         #include \"up/secret.cuh\"\n#include \"{absolute}\"\n#include \"sub/../../secret.cuh\"\n#include \"sub/good.cuh\"\n\
         int main() {{}}\n__global__ void k(int *c) {{ *c = deep(); }}\n"
    );
    let ran = run(&folder, &text);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("c: i32[1]  7"), "{}", ran.stdout);
    assert!(!format!("{ran:?}").contains("top-secret"), "{ran:?}");
}

/// What is judged is compiled as it stands.
#[test]
fn exercises_are_read_strictly() {
    let workbook = Workbook::copy("small");
    let kernel = workbook.read("exercises/ex01/kernel.cu");
    workbook.write("exercises/ex01/kernel.cu", format!("{kernel}\nint main() {{ return 0; }}\n"));
    for args in [&["ex01"][..], &["run", "exercises/ex01/kernel.cu"], &["sass", "exercises/ex01/kernel.cu"]] {
        let ran = workbook.run(args);
        assert_eq!(ran.code, Some(1), "{args:?}: {ran:?}");
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains("remove main"), "{args:?}: {said}");
    }
}

/// Places inside buffers, vectors, structures with pointers, and the messages where they do not fit.
#[test]
fn offsets_structures_and_constants() {
    let folder = tempfile::tempdir().expect("a folder");
    let kernels = "struct Matrix { char tag; int width; double scale; const float *rows; short pad[3]; };\n\
                   __constant__ int table[4];\n__device__ float unused_by_all;\n\
                   __global__ void k(float *c, Matrix m, float4 v, uint3 u) {\n\
                   c[threadIdx.x] = m.tag + 10 * m.width + m.scale * m.rows[threadIdx.x] + v.w + u.z + m.pad[2] + table[1]; }\n";
    let with = |launch: &str| {
        let head = "//@ in a: f32[8] = iota\n//@ in t: i32[4] = iota\n//@ in five: i32[5] = iota\n//@ out c: f32[8]\n";
        run(folder.path(), &format!("{head}{launch}\n{kernels}"))
    };
    let good = run(folder.path(), &fixture("arguments.cu"));
    assert_eq!(good.code, Some(0), "{good:?}");
    assert!(good.stdout.contains("4425.5 4525.5 4625.5 4725.5 4425.5 4525.5"), "{}", good.stdout);
    let member = |first: &str| format!("//@ launch k<<<1, 4>>>(c, {first}, {{0, 0, 0, 0.5}}, {{1, 2, 3}})");
    let cases = [
        ("//@ launch k<<<1, 4>>>(c + 9, {0}, {0}, {0})".to_owned(), "`c` has 8 elements; element 9 is not in it"),
        ("//@ launch k<<<1, 4>>>(c - 1, {0}, {0}, {0})".to_owned(), "element -1 is not in it"),
        (member("{1, 2, 3"), "expected `,` or `}`"),
        (member("{1, 2,, 3}"), "expected a number, a name or `(`, found `,`"),
        (member("{1, 2}"), "these members make 8 bytes and it has 32"),
        (member("{f32[0] 1}"), "expected a number from 1 to"),
        (member("{u8 300}"), "300 does not fit into u8"),
        (member("{{{{{{{{{{1}}}}}}}}}}"), "structures nested more than 8 deep"),
        (member("7"), "a number is given for its 32 bytes; write `{...}`"),
        ("//@ launch k<<<1, 4>>>({1, 2}, {0}, {0}, {0})".to_owned(), "a structure is given"),
        ("//@ constant tabel = t".to_owned(), "no variable `tabel` in this file"),
        (format!("//@ constant table = c\n{}", member("{1}")), "`c` has no values before the launches"),
        ("//@ constant table = b".to_owned(), "`b` is no buffer"),
        (
            format!("//@ constant table = five\n{}", member("{i8 1, 2, 1.0, a, i16[3] 0}")),
            "`five` has 20 bytes, `table` has 16",
        ),
    ];
    for (launch, says) in cases {
        let ran = with(&launch);
        assert_eq!(ran.code, Some(1), "{launch}: {ran:?}");
        let flat = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(says), "{launch}: {flat}");
    }
}

/// `sass` lists every kernel of a file without lines, and says how to ask for a template's instance.
#[test]
fn sass_lists_every_kernel() {
    let (folder, _) = program("__global__ void another(int *a) { *a = 1; }\n");
    let ran = checker_in(folder.path(), &["sass", "own.cu", "--stats"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("negate_in_place") && ran.stdout.contains("another"), "{}", ran.stdout);
    // As the host writes it.
    assert!(ran.stdout.contains("--kernel 'filters::smooth<real, 3>'"), "{}", ran.stdout);
    let instance = checker_in(folder.path(), &["sass", "own.cu", "--stats", "--kernel", "filters::smooth<real, 3>"]);
    assert_eq!(instance.code, Some(0), "{instance:?}");
    assert!(instance.stdout.contains("filters::smooth<float, 3>"), "{}", instance.stdout);
    // Of a file with nothing but templates there is an instance of each.
    let text = "template <class T, int N> __global__ void only(T *a) { a[0] = N; }\nint main() { only<double, 48><<<1, 1>>>(0); }\n";
    std::fs::write(folder.path().join("only.cu"), text).expect("a file");
    let only = checker_in(folder.path(), &["sass", "only.cu", "--stats"]);
    assert_eq!(only.code, Some(0), "{only:?}");
    assert!(only.stdout.contains("`only<double, 48>` is an instance that the host launches"), "{}", only.stdout);
}

/// What samples bring in a header of their own that everybody copies, and the types that libraries' headers bring, are there.
#[test]
fn vectors_have_operators_by_the_names_that_samples_use() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "//@ out c: f32[9]\n//@ launch k<<<1, 1>>>(c)\n#include <helper_math.h>\n#include <cublas_v2.h>\n\
                #include <cufft.h>\n__global__ void k(float* c)\n{\n\
                float3 a = make_float3(1, 2, 3), b = 2.0f * make_float3(0, 1, 0) - a / 4.0f;\n\
                c[0] = dot(a, b); c[1] = cross(a, make_float3(0, 0, 1)).x; c[2] = length(make_float4(1.0f) + 1.0f);\n\
                c[3] = clamp(lerp(a, b, 0.5f), 0.0f, 1.0f).y; c[4] = normalize(make_float2(3, 4)).y;\n\
                int2 i = max(make_int2(make_float2(2.9f, -1)), make_int2(1)); i += 3; c[5] = i.x * 10 + i.y;\n\
                c[6] = fracf(make_float2(a)).x + fabs(-a).z + smoothstep(0.0f, 1.0f, 0.5f);\n\
                cufftComplex z = make_cuComplex(5, 6); __nv_bfloat16 h = 7; c[7] = z.y; c[8] = h;\n}\n";
    let ran = run(folder.path(), text);
    assert!(ran.stdout.contains("c: f32[9]  0.5 2 4 1 0.800000011920929 54 3.5 6 ..."), "{ran:?}");
    // A header of that name beside the file is the one that is meant.
    std::fs::write(folder.path().join("helper_math.h"), "inline __device__ float mine() { return 8; }\n")
        .expect("a file");
    let text = "//@ out c: f32[1]\n//@ launch k<<<1, 1>>>(c)\n#include <helper_math.h>\n\
                __global__ void k(float* c) { c[0] = mine(); }\n";
    let ran = run(folder.path(), text);
    assert!(ran.stdout.contains("c: f32[1]  8"), "{ran:?}");
}

/// What flows from kernel to kernel by the host's variables does so in made lines, which run as they are; a loop that counts is one.
#[test]
fn made_lines_launch_what_the_host_does_in_its_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "__global__ void second(float *y, const float *in, int n) { int i = threadIdx.x; if (i < n) y[i] = in[i] + 1; }\n\
                __global__ void first(float *tmp, int n) { int i = threadIdx.x; if (i < n) tmp[i] = 2 * i; }\n\
                __global__ void halve(float *v, int s) { if (threadIdx.x < s) v[threadIdx.x] += v[threadIdx.x + s]; }\n\
                __global__ void absent(float *v);\n\
                int main()\n{\n    const int n = 32;\n    float *t, *y;\n    cudaMalloc(&t, n * 4);\n    cudaMalloc(&y, n * 4);\n    \
                first<<<1, 32>>>(t, n);\n    second<<<1, 32>>>(y, t, n);\n    \
                for (int s = n / 2; s > 0; s >>= 1)\n        halve<<<1, 32>>>(y, s);\n}\n";
    let asked = run(folder.path(), text);
    let lines: Vec<&str> = asked.stderr.lines().filter(|line| line.starts_with("//@")).collect();
    assert!(asked.code == Some(2) && !asked.stderr.contains("tried with"), "{asked:?}");
    let ran = run(folder.path(), &format!("{}\n{text}", lines.join("\n")));
    // 2 * (0 + ... + 31) + 32
    assert!(ran.code == Some(0) && ran.stdout.contains("y: f32[32]  1024 "), "{lines:?}\n{ran:?}");
}

/// Where made lines fail, the answer says with what, and where in the file as it stands.
#[test]
fn made_lines_that_fail_say_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "__global__ void k(float *a, int n)\n{\n    a[threadIdx.x - 5] = n;\n}\n";
    let asked = run(folder.path(), text);
    assert!(
        asked.code == Some(2) && asked.stderr.contains("tried with these lines: out of bounds in line 3: "),
        "{asked:?}"
    );
    let asked = run(folder.path(), &text.replace("= n", "= m"));
    let says = "tried with these lines: does not compile in line 3: identifier \"m\" is undefined";
    assert!(asked.code == Some(2) && asked.stderr.contains(says), "{asked:?}");
    // So is a line that is told besides, and what is wrong with the guess itself.
    let unknown = "#include <cstdio>\nconst float d = sqrtf(2.0f);\n__global__ void k(float *a)\n{\n    a[threadIdx.x] = d;\n}\n\
                   int main() { printf(\"\"); }\n\\";
    let asked = run(folder.path(), unknown);
    assert!(asked.code == Some(2) && asked.stderr.contains("in line 5: "), "{asked:?}");
    assert!(asked.stderr.contains("`d` (line 2) does not compile"), "{asked:?}");
    let clusters = "__global__ void __cluster_dims__(3) k(float *a)\n{\n    a[threadIdx.x] = 1;\n}\n";
    let asked = run(folder.path(), clusters);
    let says = "tried with these lines: bad launch in one of them, which is a guess: a grid of ";
    assert!(asked.code == Some(2) && asked.stderr.contains(says), "{asked:?}");
}

/// A word that C++17 dropped is left out of a file of the reader's own, and lines and columns stay.
#[test]
fn register_is_left_out_and_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "//@ out c: i32[4]\n//@ launch k<<<1, 4>>>(c)\n__global__ void k(int *c)\n{\n    register int i = threadIdx.x;\n    \
                c[i] = i;\n}\n";
    let ran = run(folder.path(), text);
    assert!(ran.code == Some(0) && ran.stdout.contains("skipped: the word `register`"), "{ran:?}");
    let ran = run(folder.path(), &text.replace("threadIdx.x", "thread"));
    assert!(ran.code == Some(1) && ran.stdout.contains("own.cu:5:22"), "{ran:?}");
}

/// An error that says what to do stands first, and what follows from it is not shown; what may be in a header that is not there names it.
#[test]
fn explanations_come_first_and_missing_headers_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines = "//@ scratch s: u8[1536]\n//@ out o: f32[32]\n//@ launch k<<<1, 32>>>(s, o)\n";
    let random =
        "#include <curand_kernel.h>\n__global__ void k(curandState *s, float *o) { o[0] = curand_uniform(s); }\n";
    let ran = run(folder.path(), &format!("{lines}{random}"));
    let first = ran.stdout.lines().find(|line| line.trim_start().starts_with("x identifier")).unwrap_or_default();
    assert!(first.contains("\"curandState\" is undefined") && ran.stdout.contains("is cuRAND's"), "{ran:?}");
    assert!(!ran.stdout.contains("does not apply here"), "{ran:?}");
    let missing =
        "#include <stdio.h>\n#include \"../common/book.h\"\n__global__ void k(char *s, float *o) { o[0] = SIZE; }\n";
    let ran = run(folder.path(), &format!("{lines}{missing}"));
    let flat = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let says = "it may come from a header that was left out: \"../common/book.h\" (line 5);";
    assert!(ran.code == Some(1) && flat.contains(says), "{flat}");
}

/// A file that has nothing to launch says so.
#[test]
fn a_file_without_kernels_gets_no_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = run(folder.path(), "int main() { return 0; }\n");
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("has no `__global__` function") && !ran.stderr.contains("//@ size"), "{ran:?}");
}

/// NVRTC crashes over instances of a template whose own text is wrong; the report says what is wrong with the text.
#[test]
fn a_crash_over_an_instance_does_not_hide_the_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "//@ out c: f16[1]\n//@ launch k<16, 16><<<1, 1>>>(c)\ntemplate<const int A, const int B>\n\
                __global__ void __launch_bounds__(UNKNOWN * A) k(half* c, int n) { static_assert(A == B, \"no\"); }\n\
                int main() {}\n";
    let ran = run(folder.path(), text);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("\"UNKNOWN\" is undefined"), "{ran:?}");
}

/// A finding in a function of a header beside the file quotes the header.
#[test]
fn findings_in_a_header_quote_it() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("parts")).expect("a folder");
    let header = "__device__ __noinline__ void put(int* c)\n{\n    c[threadIdx.x + 1] = 1;\n}\n";
    std::fs::write(folder.path().join("parts/put.cuh"), header).expect("a file");
    let text = "//@ out c: i32[32]\n//@ launch k<<<1, 32>>>(c)\n#include \"parts/put.cuh\"\n\
                __global__ void k(int* c) { put(c); }\n";
    let ran = run(folder.path(), text);
    assert!(ran.stdout.contains("--> parts/put.cuh:3\n") && ran.stdout.contains("c[threadIdx.x + 1] = 1;"), "{ran:?}");
}
