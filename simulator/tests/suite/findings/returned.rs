//! Local memory of functions that have returned, and of those that have not.

use simulator::{Arg, Checks, Config, Device, Launch, LaunchStatus, Module};
use std::sync::Arc;

/// Functions with local arrays of 8 words: `make` fills one and returns its address, `%p` is where it is; `sum` has one of its own, and
/// adds what it is given the address of; `keep` fills what it is given.
const FUNCTIONS: &str = ".func (.param .b64 r) make(.param .b32 n) {\n\
     .local .align 8 .b8 d[32]; .reg .b64 %rd<5>; .reg .b32 %r<9>; ld.param.u32 %r1, [n]; mov.u64 %rd1, d; cvta.local.u64 %rd2, %rd1;\n\
     st.local.u32 [%rd1], %r1; add.u32 %r2, %r1, 1; st.local.u32 [%rd1+4], %r2; st.param.b64 [r], %rd2; ret; }\n\
     .func (.param .b32 r) sum(.param .b64 a, .param .b32 n) {\n\
     .local .align 8 .b8 d[32]; .reg .b64 %rd<5>; .reg .b32 %r<9>; ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u64 %rd2, d;\n\
     st.local.v2.u32 [%rd2], {%r1, %r1}; st.local.v2.u32 [%rd2+8], {%r1, %r1}; st.local.v2.u32 [%rd2+16], {%r1, %r1};\n\
     st.local.v2.u32 [%rd2+24], {%r1, %r1}; ld.u32 %r2, [%rd1]; ld.u32 %r3, [%rd1+4]; add.u32 %r2, %r2, %r3; ld.local.u32 %r3, [%rd2+4];\n\
     add.u32 %r2, %r2, %r3; st.param.b32 [r], %r2; ret; }\n\
     .func keep(.param .b64 a, .param .b32 n) {\n\
     .reg .b64 %rd<5>; .reg .b32 %r<9>; ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; st.u32 [%rd1], %r1; st.u32 [%rd1+4], %r1; ret; }\n\
     .func (.param .b32 r) down(.param .b64 a, .param .b32 n) {\n\
     .local .align 8 .b8 d[16]; .reg .pred %p<3>; .reg .b64 %rd<5>; .reg .b32 %r<9>; ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n];\n\
     mov.u64 %rd2, d; cvta.local.u64 %rd3, %rd2; ld.u32 %r2, [%rd1]; add.u32 %r2, %r2, 1; st.local.u32 [%rd2], %r2;\n\
     setp.eq.u32 %p1, %r1, 0; @%p1 bra E; sub.u32 %r1, %r1, 1;\n\
     { .param .b64 x; .param .b32 y; .param .b32 z; st.param.b64 [x], %rd3; st.param.b32 [y], %r1; call (z), down, (x, y);\n\
     ld.param.b32 %r2, [z]; }\n\
     ld.local.u32 %r3, [%rd2]; add.u32 %r2, %r2, %r3; E: st.param.b32 [r], %r2; ret; }\n";

/// A call of a function with a pointer.
fn with(function: &str, pointer: &str) -> String {
    format!(
        "{{ .param .b64 x; .param .b32 y; .param .b32 z; st.param.b64 [x], {pointer}; st.param.b32 [y], %r1;\n\
         call {function}, (x, y); {} }}\n",
        if function.starts_with('(') { "ld.param.b32 %r2, [z];" } else { "" }
    )
}

const MAKE: &str =
    "{ .param .b32 y; .param .b64 x; st.param.b32 [y], %r1; call (x), make, (y); ld.param.b64 %rd3, [x]; }\n";

/// What is found wrong with a warp that ends with a result in `%r2`, and the results. `%r1` is 3; `%rd2` is an array of the kernel.
fn run(body: &str) -> (Vec<String>, Vec<u32>) {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n{FUNCTIONS}\n.visible .entry k(.param .u64 out)\n{{\n\
         .local .align 8 .b8 own[32]; .reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<20>; ld.param.u64 %rd1, [out];\n\
         mov.u64 %rd2, own; cvta.local.u64 %rd2, %rd2; mov.u32 %r5, %tid.x; mul.wide.u32 %rd9, %r5, 4; add.u64 %rd1, %rd1, %rd9;\n\
         mov.u32 %r1, 3; {body} setp.eq.u32 %p7, %r2, 0; @%p7 bra N; st.global.u32 [%rd1], %r2; N: ret;\n}}\n"
    );
    let module = Arc::new(Module::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}")));
    let mut device = Device::new(module, Config { checks: Checks::ALL, ..Config::default() });
    let out = device.alloc("out", 128).expect("fits");
    device.write(out, &[0; 128]).expect("inside");
    let args = vec![Arg::Pointer(out)];
    let launch = Launch { kernel: "k".into(), grid: [1, 1, 1], block: [32, 1, 1], shared: 0, args, cooperative: false };
    let report = device.launch(&launch).expect("starts");
    assert!(report.status == LaunchStatus::Finished || !report.findings.is_empty());
    let mut bytes = [0; 128];
    device.read(out, &mut bytes).expect("inside");
    let words = bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect();
    let said = |finding: &simulator::Finding| format!("{}: {}", finding.kind.name().name(), finding.kind);
    (report.findings.iter().map(said).collect(), words)
}

#[test]
fn what_a_function_had_is_nobodys_when_it_has_returned() {
    let gone = "local memory of a function that has returned";
    for (body, kind) in [
        (format!("{MAKE} ld.u32 %r2, [%rd3];"), "out-of-bounds"),
        (format!("{MAKE} st.u32 [%rd3+4], 1; mov.u32 %r2, 1;"), "out-of-bounds"),
        // A second call does not bring it back, nor does one of another function.
        (format!("{MAKE} mov.u64 %rd4, %rd3; {MAKE} ld.u32 %r2, [%rd4];"), "out-of-bounds"),
        (format!("{MAKE} mov.u64 %rd4, %rd3; {} ld.u32 %r2, [%rd4];", with("(z), sum", "%rd2")), "out-of-bounds"),
        // Used where another function has its own.
        (format!("{MAKE} {}", with("(z), sum", "%rd3")), "out-of-bounds"),
        (format!("{MAKE} {}", with("keep", "%rd3")), "out-of-bounds"),
    ] {
        let body = format!("st.u32 [%rd2], 1; st.u32 [%rd2+4], 2; {body}");
        let (said, _) = run(&body);
        assert!(said.first().is_some_and(|said| said.starts_with(kind)), "{body}: {said:?}");
        assert!(said[0].contains(gone), "{said:?}");
    }
}

#[test]
fn what_callers_have_is_there_for_those_they_call() {
    let filled = "st.u32 [%rd2], 10; st.u32 [%rd2+4], 20;";
    for (body, result) in [
        (format!("{filled} {}", with("(z), sum", "%rd2")), 33),
        (format!("{} ld.u32 %r2, [%rd2+4];", with("keep", "%rd2")), 3),
        // Again and again, before and after others; lanes at different times.
        (format!("{filled} {0} {MAKE} {0} {1} {0}", with("(z), sum", "%rd2"), with("(z), down", "%rd2")), 33),
        (
            format!(
                "{filled} and.b32 %r6, %r5, 1; setp.eq.u32 %p1, %r6, 0; @%p1 bra O; {0} bra J; O: {MAKE} {0} J:",
                with("(z), sum", "%rd2")
            ),
            33,
        ),
        // Each level hands down its own, and reads it again: 11, 12, 13 and 14.
        (format!("{filled} {}", with("(z), down", "%rd2")), 50),
    ] {
        let (said, words) = run(&body);
        assert_eq!(said, [""; 0], "{body}");
        assert_eq!(words, [result; 32], "{body}");
    }
}
