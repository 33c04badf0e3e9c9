//! A precompiled header changes the time that a compilation takes, and nothing else: not a byte of the result.

use crate::toolchain::compile::toolchain;
use compiler::compile::{CompileError, CompileRequest, Compiled, compile_in};
use compiler::toolchain::home::Home;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A workbook's folder, and one in which no header can ever lie.
struct Homes {
    folder: tempfile::TempDir,
}

impl Homes {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("plain")).unwrap();
        fs::write(folder.path().join("plain/pch"), "in the way").unwrap();
        Self { folder }
    }

    fn with(&self, request: &CompileRequest) -> Result<Compiled, CompileError> {
        compile_in(&Home::at(self.folder.path().join("with")), toolchain(), request)
    }

    fn plain(&self, request: &CompileRequest) -> Result<Compiled, CompileError> {
        compile_in(&Home::at(self.folder.path().join("plain")), toolchain(), request)
    }

    fn headers(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.path().join("with/pch")).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_none()).collect()
    }

    /// Compiles as for the first time, and waits for the header that is made then. The time only ends a test that fails.
    fn make(&self, request: &CompileRequest) -> Compiled {
        let before = self.headers().len();
        let first = self.with(request).unwrap();
        assert!(!first.precompiled && !first.cached);
        self.wait(|| self.headers().len() > before);
        first
    }

    fn wait(&self, until: impl Fn() -> bool) {
        let end = Instant::now() + Duration::from_secs(200);
        while !until() {
            assert!(Instant::now() < end, "no header was made");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn forget_results(&self) {
        fs::remove_dir_all(self.folder.path().join("with/compiled")).unwrap();
    }
}

/// Does this system allow fixed addresses, and NVRTC such headers?
pub fn possible() -> bool {
    let placed = std::process::Command::new("setarch").args(["-R", "true"]).status();
    let possible = cfg!(target_os = "linux") && placed.is_ok_and(|status| status.success());
    if !possible || toolchain().nvrtc_version < (12, 8) {
        eprintln!("skipped: addresses cannot be fixed here, or NVRTC is too old");
    }
    possible && toolchain().nvrtc_version >= (12, 8)
}

fn request(file: &str, source: &str, kernels: &[&str]) -> CompileRequest {
    CompileRequest::new(file, source.as_bytes(), "sm_90").unwrap().kernels(kernels.iter().copied())
}

/// A header that takes little time stands for those that take much.
const TOP: &str = "#include <cuda/std/cstdint>\n";

#[test]
#[ignore = "long"]
fn results_and_messages_are_the_same_byte_by_byte() {
    if !possible() {
        return;
    }
    let homes = Homes::new();
    homes.make(&request("k.cu", &format!("{TOP}__global__ void k(int* a) {{ *a = 1; }}\n"), &["k"]));
    let body = "template <int N> __global__ void k(cuda::std::uint32_t* a) {\n  int unused = 2;\n  a[N] = __LINE__;\n  \
                printf(\"%s\", __FILE__); assert(a[1]);\n}\n";
    let large = format!("// {}\n{TOP}{body}", "x".repeat(700_000));
    let good = [
        ("k.cu", format!("{TOP}{body}")),
        ("other.cu", format!("//@ launch k\n/* on\ntwo lines */\n\n  #  include \t<cuda/std/cstdint> // why\n{body}")),
        (
            "k.cu",
            format!("{TOP}#include <cuda_fp16.h>\n#include <cstdio>\n#define N_ 2\n{body}\n__device__ __half h;\n"),
        ),
        ("k.cu", large),
    ];
    for (file, source) in &good {
        let request = request(file, source, &["k<3>", "k<4>"]);
        let (with, plain) = (homes.with(&request).unwrap(), homes.plain(&request).unwrap());
        assert!(with.precompiled && !plain.precompiled, "{file}: {}", source.len());
        assert!(with.log.contains("unused") && with.confined == plain.confined);
        assert_eq!(Compiled { precompiled: false, not_kept: None, ..with }, Compiled { not_kept: None, ..plain });
    }
    // So is what lies beside the source and has a name of its own, but nothing of the name of a header that CUDA's may mean.
    for (name, precompiled) in [("parts/mine.h", true), ("parts/vector_types.h", false), ("mine", false)] {
        let source =
            format!("{TOP}#include \"{name}\"\n__global__ void k(int* a) {{ int unused = 2; *a = mine(); }}\n");
        let headers = vec![(name.to_owned(), "__device__ inline int mine() { return __LINE__; }\n".to_owned())];
        let request = CompileRequest { headers, ..request("k.cu", &source, &["k"]) };
        let (with, plain) = (homes.with(&request).unwrap(), homes.plain(&request).unwrap());
        assert_eq!(with.precompiled, precompiled, "{name}");
        assert_eq!(Compiled { precompiled: false, not_kept: None, ..with }, Compiled { not_kept: None, ..plain });
    }
    // Nothing to say: an empty log stays empty.
    let quiet = request("k.cu", &format!("{TOP}__global__ void k(int* a) {{ *a = 7; }}\n"), &["k"]);
    assert_eq!((homes.with(&quiet).unwrap().log, homes.plain(&quiet).unwrap().log), (String::new(), String::new()));
    let bad = [
        format!("// line 1\n{TOP}\n__global__ void k(int* a) {{ *a = b; }}\n"),
        format!("{TOP}template <class T> struct S {{ typename T::type x; }};\n__device__ S<cuda::std::uint8_t> s;\n"),
        format!("{TOP}__global__ void k() {{ asm(\"nonsense;\"); }}\n"),
        format!("{TOP}#include <no_such_header.h>\n"),
        format!("{TOP}#include \"/proc/self/environ\"\n"),
    ];
    for source in &bad {
        let request = request("k.cu", source, &[]);
        let said = |result: Result<Compiled, CompileError>| match result {
            Err(CompileError::Rejected { diagnostics, log }) => (diagnostics, log),
            other => panic!("{source}: {other:?}"),
        };
        assert_eq!(said(homes.with(&request)), said(homes.plain(&request)), "{source}");
    }
    assert_eq!(homes.headers().len(), 1);
}

#[test]
#[ignore = "long"]
fn cooperative_groups_come_from_the_header() {
    if !possible() {
        return;
    }
    let homes = Homes::new();
    let source = "// sums\n#include <cooperative_groups.h>\n\n#include <cooperative_groups/reduce.h>\nnamespace cg = cooperative_groups;\n\
                  __global__ void sum(float* a) {\n  auto tile = cg::tiled_partition<32>(cg::this_thread_block());\n  int unused = 1;\n  \
                  a[threadIdx.x] = cg::reduce(tile, a[threadIdx.x], cg::plus<float>());\n}\n";
    let request = request("sum.cu", source, &["sum"]);
    let plain = homes.make(&request);
    homes.forget_results();
    let with = homes.with(&request).unwrap();
    assert!(with.precompiled && with.log.contains("unused"));
    assert_eq!(Compiled { precompiled: false, ..with }, plain);
}

#[test]
fn what_a_header_does_not_fit_is_compiled_without() {
    if !possible() {
        return;
    }
    let homes = Homes::new();
    let kernel = "__global__ void k(int* a) { *a = cuda::std::int16_t(WIDE); }\n";
    let plain = format!("{TOP}#define WIDE 70000\n{kernel}");
    homes.make(&request("k.cu", &plain, &["k"]));
    // A macro above the include could change what the header says.
    let above = request("k.cu", &format!("#define WIDE 70000\n{TOP}{kernel}"), &["k"]);
    assert!(!homes.with(&above).unwrap().precompiled);
    // A header beside the file may stand for one of CUDA's.
    let shadowed = "#pragma once\n#define WIDE 3\nnamespace cuda { namespace std { using int16_t = int; } }\n";
    let headers = vec![("cuda/std/cstdint".to_owned(), shadowed.to_owned())];
    let beside = CompileRequest { headers, ..request("k.cu", &format!("{TOP}{kernel}"), &["k"]) };
    let compiled = homes.with(&beside).unwrap();
    assert!(!compiled.precompiled && compiled.ptx.contains(", 3;"), "{}", compiled.ptx);
    // Other options, another header.
    for other in [
        CompileRequest { arch: "sm_80".to_owned(), ..request("k.cu", &plain, &["k"]) },
        CompileRequest { unoptimised: true, ..request("k.cu", &plain, &["k"]) },
        CompileRequest { own: true, ..request("k.cu", &plain, &["k"]) },
        CompileRequest { options: vec!["--use_fast_math".to_owned()], ..request("k.cu", &plain, &["k"]) },
    ] {
        assert!(!homes.with(&other).unwrap().precompiled);
    }
}

#[test]
#[ignore = "long"]
fn a_damaged_header_costs_nothing_but_itself() {
    if !possible() {
        return;
    }
    let homes = Homes::new();
    let source = |value| request("k.cu", &format!("{TOP}__global__ void k(int* a) {{ *a = {value}; }}\n"), &["k"]);
    homes.make(&source(1));
    let [header] = &homes.headers()[..] else { panic!("one header") };
    let whole = fs::read(header).unwrap();
    let mut other = whole.clone();
    other[..4096].fill(b'x');
    for (value, damaged) in [(2, &b"not a header at all"[..]), (3, &whole[..whole.len() - 9000]), (4, &other)] {
        fs::write(header, damaged).unwrap();
        let _ = fs::remove_file(header.with_extension("making"));
        let compiled = homes.with(&source(value)).unwrap();
        assert!(compiled.ptx.contains(&format!(", {value};")) && !compiled.precompiled, "{value}: {}", compiled.ptx);
        homes.wait(|| fs::read(header).ok().is_none_or(|now| now.len() == whole.len()));
    }
    // Nor made again at once.
    assert!(!homes.with(&source(5)).unwrap().precompiled);
    assert_eq!(homes.headers(), Vec::<PathBuf>::new());
}

#[test]
fn doctor_says_how_it_stands() {
    let doctor = |setting: &str| {
        let ran = crate::support::checker().arg("doctor").env("WARPBOOK_PCH", setting).output().unwrap();
        String::from_utf8(ran.stdout).unwrap()
    };
    let off = doctor("0");
    assert!(off.contains("off (WARPBOOK_PCH=0)") && off.contains("unset WARPBOOK_PCH"), "{off}");
    let on = doctor("1");
    assert!(!on.contains("WARPBOOK_PCH") && on.contains("precompiled headers"), "{on}");
    assert!(!possible() || on.contains("in use; "), "{on}");
}
