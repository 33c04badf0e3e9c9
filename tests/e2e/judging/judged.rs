//! What is judged is what is simulated: one program, from the source to the result, the counts and the machine code.

use crate::judging::check::{check, with_kernel};
use crate::support::{Workbook, checker, repository};
use serde_json::Value;

/// `checker run` of a text, as JSON, with its exit status.
fn run(text: &str) -> (Option<i32>, Value) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("k.cu");
    std::fs::write(&path, text).expect("a file");
    let args = ["--json", "--seed", "7", "--backend", "sim"];
    let ran = checker().arg("run").arg(&path).args(args).output().expect("it starts");
    let report = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    (ran.status.code(), report)
}

fn reasons(report: &Value) -> String {
    report["reasons"].to_string()
}

const HEAD: &str = "//@ in  a: u32[64] = iota\n//@ out o: u32[64]\n//@ launch k<<<2, 32>>>(a, o)\n";

/// A kernel with these statements; `i` is its thread.
fn kernel(declarations: &str, body: &str) -> String {
    format!(
        "{HEAD}{declarations}\nextern \"C\" __global__ void k(const unsigned* a, unsigned* o) {{\n    unsigned i = blockIdx.x * 32 + \
         threadIdx.x, r = 0;\n    {body}\n}}\n"
    )
}

/// A file that may write to constant memory is compiled twice, and only findings of such writes come from the second time:
/// a kernel that asks which of the two it is in gets the result, the counts and the machine code of the first.
#[test]
fn a_program_of_its_own_for_the_unoptimised_compilation() {
    let asks = [
        "#ifdef __CUDACC_DEBUG__\n    o[i] = a[i];\n#else\n    o[i] = 5;\n#endif",
        "#ifdef __CUDACC_DEBUG__\n    for (int n = 0; n < 99; ++n) r += a[n % 64];\n#endif\n    o[i] = 5 + 0 * r;",
        "r = __builtin_constant_p(i * 0) ? 5 : a[i]; o[i] = r;",
    ];
    for ask in asks {
        let never = "if (a[0] > 1000) { int* to = const_cast<int*>(table); to[i] = 3; }";
        let text = kernel("__constant__ int table[64];", &format!("{ask}\n    {never}\n"));
        let (code, report) = run(&text);
        assert_eq!((code, &report["verdict"]), (Some(0), &Value::from("finished")), "{report}");
        assert_eq!(report["outputs"][0]["head"][3].to_string().trim_matches('"'), "5", "{}", report["outputs"]);
        let plain = run(&kernel("", "o[i] = 5;")).1;
        let loads = |report: &Value| report["counters"][0]["global_store_requests"].clone();
        assert_eq!(loads(&report), loads(&plain), "{ask}");
    }
    // Such a write is still found, where it is, and nothing else of that second run is told.
    let text =
        kernel("__constant__ int table[64];", "#ifdef __CUDACC_DEBUG__\n    o[999] = 1;\n#endif\n    o[i] = a[i];");
    assert_eq!(run(&text).0, Some(0));
    let text = kernel(
        "__constant__ int table[64];",
        "o[i] = a[i];\n    if (a[i] > 9) { int* to = const_cast<int*>(table); to[i] = 3; }",
    );
    let (code, report) = run(&text);
    assert_eq!((code, &report["verdict"]), (Some(1), &Value::from("write-to-constant")), "{report}");
}

/// The exercise's machine code and its result are of one program: a kernel that is empty where it is optimised fails.
#[test]
fn an_exercise_is_judged_by_the_code_that_its_cubin_has() {
    let workbook = with_kernel(|text| {
        let text = text.replace("1.7", "1.7f");
        let body = text.rfind('}').expect("a kernel");
        let (head, tail) = text.split_at(body);
        let begin = head.rfind("{").expect("a body");
        format!(
            "__constant__ float table[32];\n{}{{\n#ifdef __CUDACC_DEBUG__\n{}        if (a[0] > 1000.0f) ((float*)table)[threadIdx.x] = 1.0f;\n#endif\n{tail}",
            &head[..begin],
            &head[begin + 1..]
        )
    });
    let ran = check(&workbook, &["--json"]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    assert_eq!(ran.code, Some(1), "{report}");
    assert_ne!(report["verdict"], "passed");
}

/// The optimiser may make the right thing of a variable that has no value: the exercise is wrong all the same.
#[test]
fn an_exercise_that_reads_a_variable_without_a_value_is_wrong() {
    let body = "        b[i] = a[i] * 1.7;";
    let sets = "    {\n        double factor;\n        if (i < 7) factor = 1.7;\n        b[i] = a[i] * factor;\n    }";
    let ran = check(&with_kernel(|text| text.replace(body, sets)), &["--json"]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    assert_eq!((ran.code, &report["verdict"]), (Some(1), &"uninitialised".into()), "{report}");
    assert!(reasons(&report).contains("`factor` is read before it has a value (declared in line 10)"), "{report}");
}

/// Promises to the assembler that the text makes and the kernel breaks.
#[test]
fn what_stands_behind_a_call_that_never_returns_is_not_there() {
    let declares = "extern \"C\" __device__ __noinline__ void leave(unsigned* o) { if (o == nullptr) __trap(); }";
    let call = "unsigned long long f = (unsigned long long)(void*)&leave;\n    asm volatile(\"{ .param .b64 p; P: .callprototype _ (.param .b64 _) .noreturn; st.param.b64 [p], %1; call %0, (p), P; }\" :: \"l\"(f), \"l\"(o) : \"memory\");\n    o[i] = a[i];";
    let (code, report) = run(&kernel(declares, call));
    assert_eq!((code, &report["verdict"]), (Some(1), &Value::from("broken-promise")), "{report}");
    assert!(reasons(&report).contains(".noreturn"), "{report}");

    let uniform = "asm volatile(\"{ .reg .pred p; setp.lt.u32 p, %1, 7; @p bra.uni D; mov.u32 %0, 9; D: }\" : \"+r\"(r) : \"r\"(i)); o[i] = r;";
    let (code, report) = run(&kernel("", uniform));
    assert_eq!((code, &report["verdict"]), (Some(1), &Value::from("broken-promise")), "{report}");
}

/// A kernel's own function under a name that is the system's elsewhere is called, here as in the machine code.
#[test]
fn own_functions_under_the_systems_names_are_called() {
    let own =
        "extern \"C\" __device__ __noinline__ int vprintf(const char*, void* to) { **(unsigned**)to = 7; return 5; }";
    let (code, report) =
        run(&kernel(own, "unsigned* v[1] = {o + i}; o[i] = a[i]; int r2 = vprintf(\"\", v); if (r2 != 5) o[i] = 1;"));
    assert_eq!(code, Some(0), "{report}");
    assert_eq!(report["outputs"][0]["head"][3].to_string().trim_matches('"'), "7", "{report}");
    let own = "extern \"C\" __device__ __noinline__ void free(void* p) { if (p == nullptr) __trap(); }";
    let (code, report) = run(&kernel(own, "o[i] = a[i]; free(i == 63 ? nullptr : o);"));
    assert_eq!((code, &report["verdict"]), (Some(1), &Value::from("trap")), "{report}");
}

/// What a pragma calls unused of a load, the machine code may load or leave out.
#[test]
fn what_a_pragma_calls_unused_has_no_value() {
    let masked = "unsigned y = 6; asm volatile(\".pragma \\\"used_bytes_mask 0xf\\\";\\n\\tld.global.v2.u32 {%0, %1}, [%2];\" : \"+r\"(r), \"+r\"(y) : \"l\"(a + i / 2 * 2)); o[i] = r + y;";
    let (code, report) = run(&kernel("", masked));
    assert_eq!((code, &report["verdict"]), (Some(1), &Value::from("uninitialised")), "{report}");
}

/// No more blocks run side by side than the device holds: who waits for a block that cannot start waits for ever.
#[test]
fn a_block_that_does_not_fit_does_not_run() {
    let text = |waiting: u32, blocks: u32, threads: u32| {
        format!(
            "//@ inout f: i32[1] = zeros\n//@ launch k<<<{blocks}, {threads}>>>(f)\n__global__ void k(int* f)\n{{\n    if \
             (threadIdx.x != 0) return;\n    if (blockIdx.x == {blocks} - 1) atomicExch(f, 1);\n    if (blockIdx.x < {waiting})\n        \
             while (atomicAdd(f, 0) == 0) {{}}\n}}\n"
        )
    };
    // An H200 holds two blocks of 1024 threads on each of 132 multiprocessors.
    let (code, report) = run(&text(264, 300, 1024));
    assert_eq!((code, &report["verdict"]), (Some(1), &Value::from("livelock")), "{report}");
    assert_eq!(run(&text(263, 300, 1024)).0, Some(0));
}

/// Inline PTX that the assembler takes: what it means is what is simulated.
#[test]
fn inline_ptx_means_what_the_assembler_makes_of_it() {
    let cases = [
        ("mov.u32 %0, 1+2*3;", "7"),
        ("mov.u32 %0, (1+2)*3;", "9"),
        ("mov.u32 %0, 1 ? 2 : 3;", "2"),
        ("mov .u32 %0, WARP_SZ*2;", "64"),
        ("{ .reg .u32 q<3>; mov.u32 q1, 1; mov.u32 q01, 3; mov.u32 %0, q1; }", "3"),
        ("mov.u32 %0, 1; // c\\r mov.u32 %0, 2;\\n", "1"),
        ("mov.u32 %0, 1; /*/ mov.u32 %0, 2; /*/", "1"),
        ("mov.u32 %0, 0X2;", "2"),
        ("{ .reg .f32 f; add.f32 f, .5, 1.; cvt.rzi.u32.f32 %0, f; }", "1"),
    ];
    let body: String = (0..).zip(cases).fold(String::new(), |body, (at, (text, _))| {
        format!("{body}    asm volatile(\"{text}\" : \"+r\"(r)); if (i == {at}) o[i] = r;\n")
    });
    let (_, report) = run(&kernel("", &format!("o[i] = 0;\n{body}")));
    let head = report["outputs"][0]["head"].as_array().cloned().unwrap_or_default();
    for (value, (text, wanted)) in head.iter().zip(cases) {
        assert_eq!(value.to_string().trim_matches('"'), wanted, "{text}");
    }
    assert!(!head.is_empty(), "{report}");
}

/// Inline PTX that the assembler takes and the simulator does not know is the kernel's doing: status 1, with its line.
#[test]
fn inline_ptx_that_is_not_known_is_not_passed() {
    let cases = [
        ("{ .shared .u32 q[4]; ld.shared.u32 %0, q[1]; }", "cannot read"),
        ("{ .reg .u64 q; stacksave.u64 q; cvt.u32.u64 %0, q; }", "stacksave"),
    ];
    for (text, says) in cases {
        let (code, report) = run(&kernel("", &format!("asm volatile(\"{text}\" : \"=r\"(r)); o[i] = r;")));
        assert_eq!((code, &report["verdict"]), (Some(1), &Value::from("unsupported")), "{text}: {report}");
        assert!(reasons(&report).contains(says), "{text}: {report}");
        assert_eq!(report["reasons"][0]["excerpts"][0]["line"], 7, "{text}: {report}");
    }
    let workbook = with_kernel(|text| {
        let asm = "unsigned q; asm volatile(\"{ .shared .u32 q[4]; ld.shared.u32 %0, q[1]; }\" : \"=r\"(q));";
        text.replacen("    if (i < n)", &format!("    {asm}\n    if (i < n && q != 1)"), 1)
    });
    let ran = check(&workbook, &[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("NOT SIMULATED"), "{ran:?}");
}

/// Launches that a device refuses: block sizes that the kernel was not compiled for, registers and local memory beyond
/// what there is, more blocks than are resident where all must be.
#[test]
fn launches_that_a_device_refuses() {
    let heavy = "float v[200];\n    for (int n = 0; n < 200; ++n) v[n] = a[(i + n) % 64];\n    float s = 0;\n    #pragma unroll\n    for (int n = 0; n < 200; ++n) s += v[n] * v[199 - n] + v[(n * 7) % 200];\n    o[i % 64] = s;";
    let unrolled =
        heavy.replace("for (int n = 0; n < 200; ++n) v", "#pragma unroll\n    for (int n = 0; n < 200; ++n) v");
    let local = "volatile char big[530000]; big[a[i] % 530000] = 1; o[i] = big[i];";
    let cases: [(String, &str, &str); 9] = [
        (
            kernel("", "o[i] = a[i];").replace("__global__ void", "__global__ void __launch_bounds__(16)"),
            "<<<2, 32>>>",
            "at most 16",
        ),
        (
            kernel("", "o[i] = a[i];").replace("__global__ void", "__global__ void __block_size__((64, 1, 1))"),
            "<<<2, 32>>>",
            "exactly 64 x 1 x 1",
        ),
        (
            kernel("", "o[i] = a[i];").replace("__global__ void", "__global__ void __block_size__((8, 4, 1))"),
            "<<<2, (32, 1)>>>",
            "exactly 8 x 4 x 1",
        ),
        (
            kernel("", "o[i] = a[i];").replace("__global__ void", "__global__ void __cluster_dims__(4, 1, 1)"),
            "<<<2, 32>>>",
            "each has to be a multiple",
        ),
        (
            kernel("", "o[i] = a[i];").replace("__global__ void", "__global__ void __cluster_dims__(4, 4, 1)"),
            "<<<(4, 4), 32>>>",
            "16 in all",
        ),
        (kernel("", &unrolled), "<<<1, 1024>>>", "registers per thread"),
        (kernel("", local), "<<<1, 32>>>", "local memory per thread"),
        (kernel("", "o[i % 64] = a[i % 64];"), "<<<(1, 70000), 32>>>", "65535"),
        (
            kernel("", "o[i % 64] = a[i % 64];").replace("launch k", "launch cooperative k"),
            "<<<100000, 1024>>>",
            "resident",
        ),
    ];
    for (text, shape, says) in cases {
        let (code, report) = run(&text.replace("<<<2, 32>>>", shape));
        assert_eq!((code, &report["verdict"]), (Some(1), &Value::from("bad-launch")), "{says}: {report}");
        assert!(reasons(&report).contains(says), "{says}: {report}");
        assert_eq!(report["reasons"][0]["excerpts"][0]["line"], 3, "{says}: {report}");
    }
    // Just within what there is.
    for (text, shape) in [
        (
            kernel("", "o[i] = a[i];").replace("__global__ void", "__global__ void __block_size__((32, 1, 1))"),
            "<<<2, 32>>>",
        ),
        (kernel("", &local.replace("530000", "200000")), "<<<1, 32>>>"),
        (kernel("", "o[i % 64] = a[i % 64];").replace("launch k", "launch cooperative k"), "<<<264, 32>>>"),
    ] {
        let (_, report) = run(&text.replace("<<<2, 32>>>", shape));
        assert_ne!(report["verdict"], "bad-launch", "{shape}: {report}");
    }
}

/// printf as the host's C library writes it: the expected text is what a C program with the same calls printed.
#[test]
fn printf_writes_what_c_writes() {
    let file = repository().join("tests/fixtures/printf.cu");
    let ran = checker().arg("run").arg(file).args(["--json", "--seed", "1"]).output().expect("it starts");
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    let wanted = std::fs::read_to_string(repository().join("tests/fixtures/printf.txt")).expect("the text");
    for (got, wanted) in report["printf"].as_str().unwrap_or_default().lines().zip(wanted.lines()) {
        assert_eq!(got, wanted);
    }
    assert_eq!(report["printf"].as_str(), Some(wanted.as_str()));
}

/// The fixture workbook's solution still passes: none of the above is a false alarm.
#[test]
fn a_right_solution_passes() {
    let ran = check(&Workbook::copy("small"), &["--solution"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}
