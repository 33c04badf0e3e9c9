//! From source to PTX and CUBIN, in the compiling process of the real binary.

use compiler::compile::{CompileError, CompileRequest, Compiled, Diagnostic, Limits, compile, compile_in};
use compiler::toolchain::home::Home;
use compiler::toolchain::{self, Toolchain};
use std::fs;
use std::sync::OnceLock;
use std::time::Duration;

/// The toolchain, located (and provisioned, where there is none) once for all tests.
pub fn toolchain() -> &'static Toolchain {
    static TOOLCHAIN: OnceLock<Toolchain> = OnceLock::new();
    TOOLCHAIN.get_or_init(|| toolchain::locate(&toolchain::ToolchainOptions::default()).unwrap())
}

fn request(source: &str, kernels: &[&str]) -> CompileRequest {
    CompileRequest::new("dir/k.cu", source.as_bytes(), "sm_90").unwrap().kernels(kernels.iter().copied())
}

fn build(source: &str, kernels: &[&str]) -> Result<Compiled, CompileError> {
    compile(toolchain(), &request(source, kernels))
}

fn rejected(request: &CompileRequest) -> Vec<Diagnostic> {
    match compile(toolchain(), request) {
        Err(CompileError::Rejected { diagnostics, .. }) => diagnostics,
        other => panic!("{}: {other:?}", request.source),
    }
}

const KERNEL: &str = "__global__ void k(float* a) { a[0] = 1.0f; }\n";

#[test]
fn kernel_becomes_ptx_and_cubin() {
    let source = "template <int N> __global__ void scale(float* a) { a[threadIdx.x] *= N; }\nextern \"C\" __global__ void plain(int* a) { *a = 1; }\n";
    let compiled = build(source, &["scale<3>", "scale<5>", "plain"]).unwrap();
    assert_eq!(compiled.names["scale<3>"], "_Z5scaleILi3EEvPf");
    assert_eq!(compiled.names["scale<5>"], "_Z5scaleILi5EEvPf");
    assert_eq!(compiled.names["plain"], "plain");
    assert!(compiled.ptx.contains(".entry _Z5scaleILi3EEvPf"));
    assert!(compiled.ptx.contains(".loc") && compiled.ptx.contains(".file\t1 \"k.cu\""), "{}", compiled.ptx);
    assert_eq!(&compiled.cubin[..4], b"\x7fELF");
}

#[test]
fn the_same_text_is_the_same_code_whatever_it_is_called() {
    let text = fs::read_to_string(crate::support::repository().join("exercises/ex31/starter.cu")).unwrap();
    let build = |file: &str| {
        let request = CompileRequest { file: file.into(), ..request(&text, &["count_bases"]) };
        compile_in(&Home::at(tempfile::tempdir().unwrap().path()), toolchain(), &request).unwrap()
    };
    let (kernel, starter) = (build("ex31/kernel.cu"), build("ex31/starter.cu"));
    assert_eq!(kernel.cubin, starter.cubin);
    assert!(starter.ptx.contains(".file\t1 \"starter.cu\""), "{}", starter.ptx);
    let mut files = vec!["/kernel.cu".to_owned(), "/a.cuh".to_owned()];
    starter.name_files(&mut files);
    assert_eq!(files, ["starter.cu", "/a.cuh"]);

    // What tells its name has its own.
    let telling = request("__global__ void k(int* a) { assert(*a); }\n", &["k"]);
    let told = compile(toolchain(), &CompileRequest { file: "told.cu".into(), ..telling }).unwrap();
    assert!(told.ptx.contains(".file\t1 \"told.cu\""), "{}", told.ptx);
    let bytes: String = "told.cu".bytes().map(|byte| format!("{byte}, ")).collect();
    assert!(told.ptx.contains(bytes.trim_end_matches(", ")), "{}", told.ptx);
}

#[test]
fn common_names_need_no_include_and_do_not_move_lines() {
    let source = "__global__ void k(float* a, uint8_t* b, std::size_t n) {\n  size_t i = threadIdx.x; uint32_t u = UINT_MAX; int64_t l = INT64_MAX;\n  \
                  a[i] = FLT_MAX + FLT_EPSILON + INT_MAX + M_PI + (float)u + (float)l + INFINITY;\n  assert(u); printf(\"%d\", __LINE__); b[0] = UINT8_MAX;\n}\n";
    assert!(build(&source.replace("std::", ""), &["k"]).is_ok());
    assert!(build(&format!("#include <cstddef>\n{source}"), &["k"]).is_ok());
    let wrong = request("\n\n  int x = y;\n", &[]);
    assert_eq!(rejected(&wrong)[0].line, Some(3));
}

#[test]
fn limits_have_the_right_values() {
    // static_assert in the compiler itself: nothing here repeats the header's spelling.
    let source = "__device__ constexpr float fmax_ = FLT_MAX; __device__ constexpr double dmin_ = DBL_MIN;\n\
                  static_assert(INT_MIN == -2147483647 - 1 && INT_MAX + 1u == 2147483648u && UINT_MAX + 1ull == 4294967296ull, \"\");\n\
                  static_assert(LLONG_MAX + 1ull == 1ull << 63 && ULLONG_MAX + 1 == 0 && SHRT_MIN == (short)0x8000, \"\");\n\
                  static_assert(fmax_ == 340282346638528859811704183484516925440.f && 1 + FLT_EPSILON != 1, \"\");\n\
                  static_assert(1 + DBL_EPSILON != 1 && 1 + DBL_EPSILON / 2 == 1 && dmin_ == 2.2250738585072014e-308, \"\");\n\
                  static_assert(sizeof(int8_t) == 1 && sizeof(int64_t) == 8 && sizeof(uintptr_t) == sizeof(void*), \"\");\n";
    build(&format!("{source}{KERNEL}"), &["k"]).unwrap();
}

#[test]
fn headers_of_copied_files_are_there() {
    for header in [
        "cstdio",
        "stdio.h",
        "cstdint",
        "stdint.h",
        "cfloat",
        "climits",
        "cmath",
        "math.h",
        "cassert",
        "cstdlib",
        "cstring",
        "cuda_runtime.h",
        "device_launch_parameters.h",
        "math_constants.h",
        "cuda_fp16.h",
        "cuda_bf16.h",
        "mma.h",
        "cuda_pipeline.h",
    ] {
        let result = build(&format!("#include <{header}>\n{KERNEL}"), &["k"]);
        assert!(result.is_ok(), "{header}: {result:?}");
    }
    let everything = "#include <cuda_fp16.h>\n#include <cmath>\n#include <cstdint>\n#include <cooperative_groups.h>\n\
                      #include <cooperative_groups/reduce.h>\n#include <cooperative_groups/scan.h>\n#include <mma.h>\n\
                      #include <cuda/pipeline>\n#include <cuda/std/limits>\n#include <type_traits>\n#include <limits>\n\
                      __global__ void k(float* a) { a[0] = std::sqrt(a[1]) + std::numeric_limits<float>::max() + std::is_same<int, int>::value; }\n";
    build(everything, &["k"]).unwrap();
}

#[test]
fn no_file_besides_cuda_headers_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let secret = dir.path().join("secret.cuh");
    fs::write(&secret, "#error leaked\n__device__ int leaked;\n").unwrap();
    let secret = secret.display().to_string();
    let up = format!("{}{}", "../".repeat(12), secret.trim_start_matches('/'));
    let sources = [
        format!("#include \"{secret}\"\n"),
        format!("#include <{up}>\n"),
        format!("#include \"{}\"\n", secret.trim_start_matches('/')),
        format!("#define X \"{secret}\"\n#include X\n"),
        format!("#inc\\\nlude \"{secret}\"\n"),
        format!("%:include \"{secret}\"\n"),
        format!("/* */ # /* */ include /* */ \"{secret}\"\n"),
        format!("#include_next \"{secret}\"\n"),
        format!("_Pragma(\"once\")\n#import \"{secret}\"\n"),
        format!("const unsigned char x[] = {{\n#embed \"{secret}\"\n}};\n"),
        "#include </proc/self/environ>\n".to_owned(),
        "#include \"/etc/passwd\"\n".to_owned(),
        "#include \"/dev/zero\"\n".to_owned(),
        "#include \"/dev/stdin\"\n".to_owned(),
    ];
    for landlock in [true, false] {
        for source in &sources {
            let mut request = request(&format!("{source}{KERNEL}"), &["k"]);
            request.limits = Limits { landlock, ..Limits::default() };
            let found = rejected(&request);
            let text = found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
            assert!(!text.contains("leaked") && !text.contains("root:"), "{source}{text}");
            let embed_or_import = source.contains("#embed") || source.contains("#import");
            let told = text.contains("`#include` of") && text.contains("only CUDA's own headers are available");
            assert!(told || embed_or_import, "{source}{text}");
        }
    }
}

#[test]
fn assembler_reads_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("secret.ptx");
    fs::write(&file, ".visible .global .u32 leaked;\n").unwrap();
    for directive in [".include", ".incbin"] {
        let source = format!("asm(\"{directive} \\\"{}\\\"\");\n{KERNEL}", file.display());
        if let Ok(compiled) = build(&source, &["k"]) {
            let bytes = [compiled.ptx.as_bytes(), &compiled.cubin].concat();
            assert!(!bytes.windows(6).any(|window| window == b"leaked"), "{directive}");
        }
    }
}

#[test]
fn own_headers_and_host_code_are_told() {
    let include = &rejected(&request("\n#include \"util.cuh\"\n", &[]))[0];
    assert_eq!(
        include.to_string(),
        "dir/k.cu:2:10: error: `#include` of util.cuh: only CUDA's own headers are available\n2 | #include \"util.cuh\"\n  |          ^"
    );
    let host = &rejected(&request("#include <vector>\n", &[]))[0];
    assert!(host.notes[0].contains("host code"), "{host}");
    let smaller = &rejected(&request("#include <algorithm>\n", &[]))[0];
    assert!(smaller.notes[0].contains("without a header"), "{smaller}");
    let shared = &rejected(&request("__global__ void k(int* a) { __shared__ int s = 0; a[0] = s; }\n", &["k"]))[0];
    assert!(shared.notes.iter().any(|note| note.contains("__syncthreads()")), "{shared}");
    let main = &rejected(&request(&format!("{KERNEL}int main() {{ return 0; }}\n"), &["k"]))[0];
    assert_eq!((main.line, main.column), (Some(2), Some(5)));
    assert!(main.notes[0].contains("remove main"), "{main}");
    assert!(!main.to_string().contains("-default-device"));
}

#[test]
fn errors_show_the_place_and_the_line() {
    let found = rejected(&request("__global__ void k(float* a) {\n\t\ta[0] = x;\n}\n", &["k"]));
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].to_string(),
        "dir/k.cu:2:10: error: identifier \"x\" is undefined\n2 | \t\ta[0] = x;\n  | \t\t       ^"
    );
    let missing = rejected(&request(KERNEL, &["other"]));
    assert_eq!(missing[0].to_string(), "dir/k.cu: error: no kernel `other` in this file, but a launch names it");
    let instance = rejected(&request("template <int N> __global__ void k(int* a) { *a = N; }", &["k"]));
    assert!(instance[0].message.starts_with("the launched kernel `k`: "), "{}", instance[0]);
}

#[test]
fn requests_that_cannot_be() {
    let new = |bytes: &[u8], arch| CompileRequest::new("k.cu", bytes, arch);
    assert!(matches!(new(b" \n", "sm_90"), Err(CompileError::Empty { .. })));
    assert!(matches!(new(b"int a;\n\xff", "sm_90"), Err(CompileError::NotText { line: 2, .. })));
    assert!(matches!(new(b"int a;\0", "sm_90"), Err(CompileError::NotText { line: 1, .. })));
    assert!(matches!(new(&vec![b' '; 2 << 20], "sm_90"), Err(CompileError::TooLarge { .. })));
    for arch in ["sm_90f", "sm_90aa", "sm_12", "sm_9000", "90", "compute_90", "sm_90; --x", ""] {
        match compile(toolchain(), &new(KERNEL.as_bytes(), arch).unwrap()) {
            Err(CompileError::UnknownArch { known, .. }) => assert!(known.contains(&"sm_90".to_owned())),
            other => panic!("{arch}: {other:?}"),
        }
    }
    for option in ["-I/etc", "--maxrregcount=-1", "--pre-include=/etc/passwd", "--fmad=maybe", "--use_fast_math=x"] {
        let request = CompileRequest { options: vec![option.to_owned()], ..request(KERNEL, &["k"]) };
        assert!(matches!(compile(toolchain(), &request), Err(CompileError::Option(_))), "{option}");
    }
}

#[test]
fn options_and_architecture_reach_the_machine_code() {
    let source = "__global__ void k(float* a) { a[0] = a[1] * a[2] + a[3] / a[4]; }";
    let with = |arch: &str, options: &[&str]| {
        let mut request = CompileRequest::new("k.cu", source.as_bytes(), arch).unwrap().kernels(["k"]);
        request.options = options.iter().map(|option| option.to_string()).collect();
        compile(toolchain(), &request).unwrap()
    };
    let plain = with("sm_90", &[]);
    assert!(plain.ptx.contains("fma.rn.f32") && plain.ptx.contains("div.rn.f32"));
    assert!(!with("sm_90", &["--fmad=false"]).ptx.contains("fma.rn.f32"));
    assert!(!with("sm_90", &["--use_fast_math"]).ptx.contains("div.rn.f32"));
    assert!(with("sm_75", &[]).ptx.contains(".target sm_75"));
    assert!(with("sm_90a", &[]).ptx.contains(".target sm_90a"));
}

#[test]
#[ignore = "long"]
fn compiler_is_stopped() {
    let slow = "__global__ void k(float* a) {\n#pragma unroll\n for (int i = 0; i < 4096; i++)\n#pragma unroll\n  for (int j = 0; j < 4096; j++)\n   a[i * j] = a[i * 7 + j] * a[i ^ j];\n}\n";
    let limits = Limits::default();
    let stopped = |limits| compile(toolchain(), &CompileRequest { limits, ..request(slow, &["k"]) });
    let wall = stopped(Limits { wall: Duration::from_millis(300), ..limits });
    assert!(matches!(wall, Err(CompileError::TooSlow { .. })), "{wall:?}");
    let cpu = stopped(Limits { cpu_seconds: 1, ..limits });
    assert!(matches!(cpu, Err(CompileError::TooSlow { seconds: 1, .. })), "{cpu:?}");
    let bomb = |nested: &str| {
        format!(
            "#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(x)))\n__global__ void k(float* a) {{ {nested} }}\n"
        )
    };
    let memory = compile(
        toolchain(),
        &CompileRequest {
            limits: Limits { memory: 512 << 20, ..limits },
            ..request(&bomb("B(B(a[0] += 1;))"), &["k"])
        },
    );
    assert!(matches!(memory, Err(CompileError::Rejected { .. } | CompileError::GaveUp { .. })), "{memory:?}");
    assert!(memory.unwrap_err().to_string().contains("memory"));
    // What would keep it busy for as long as it may run is not given to it.
    let refused = build(&bomb("B(B(B(B(a[0] += 1;))))"), &["k"]).unwrap_err().to_string();
    assert!(refused.contains("k.cu:3") && refused.contains("the macros up to `B`"), "{refused}");
    let deep = format!("__global__ void k(int* a) {{ a[0] = {}", "(".repeat(100_000));
    assert!(build(&deep, &["k"]).is_err());
}

/// With address randomisation NVRTC 13.5 takes one of two ways here: the last load of `count` as one vector, or as two loads.
#[test]
fn a_source_becomes_the_same_ptx_every_time() {
    if !crate::toolchain::precompiled::possible() {
        return;
    }
    let source = fs::read_to_string(crate::support::repository().join("exercises/ex31/starter.cu")).unwrap();
    let ptx = || {
        let dir = tempfile::tempdir().unwrap();
        compile_in(&Home::at(dir.path()), toolchain(), &request(&source, &["count_bases"])).unwrap().ptx
    };
    let first = ptx();
    for again in 0..6 {
        assert_eq!(ptx(), first, "run {again}");
    }
}

#[test]
fn result_is_kept_by_content() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path());
    let run = |source: &str, kernels: &[&str]| compile_in(&home, toolchain(), &request(source, kernels)).unwrap();
    let first = run(KERNEL, &["k"]);
    assert!(!first.cached);
    let second = run(KERNEL, &["k"]);
    assert!(second.cached);
    assert_eq!(
        (&first.ptx, &first.cubin, &first.names, &first.key),
        (&second.ptx, &second.cubin, &second.names, &second.key)
    );
    assert!(!run(&format!("{KERNEL}\n"), &["k"]).cached, "another source");
    assert!(!run(KERNEL, &[]).cached, "other kernels");
    let other = CompileRequest { defines: vec![("N".to_owned(), "1".to_owned())], ..request(KERNEL, &["k"]) };
    assert!(!compile_in(&home, toolchain(), &other).unwrap().cached, "other macros");

    // A damaged entry is compiled again and replaced.
    let entry = home.compiled().join(&first.key[..1]).join(&first.key);
    fs::write(&entry, b"half").unwrap();
    assert!(!run(KERNEL, &["k"]).cached);
    assert!(run(KERNEL, &["k"]).cached);
}

#[test]
fn cache_that_cannot_be_written_is_a_warning() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let compiled = compile_in(&Home::at(file.path()), toolchain(), &request(KERNEL, &["k"])).unwrap();
    assert!(!compiled.cached && compiled.not_kept.is_some());
}

#[test]
fn hidden_command_alone_is_no_crash() {
    let ran = crate::support::run(["__compile"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("only the checker itself starts"), "{}", ran.stderr);
}
