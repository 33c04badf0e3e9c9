//! Strings that `printf` reads are memory like any other.

use simulator::{Arg, Checks, Config, Device, FindingKind, Launch, LaunchReport, Module};
use std::sync::Arc;

/// Prints `%rd6` as `format` says, in a warp. `%rd1` is a buffer of 8 letters without an end, `%rd2` one of 8 bytes that nobody has
/// written, `str` a literal of 12 bytes.
fn print(format: &str, body: &str, block: u32) -> LaunchReport {
    let bytes = |text: &str| text.bytes().chain([0]).map(|byte| byte.to_string()).collect::<Vec<_>>().join(", ");
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n\
         .extern .func (.param .b64 r) malloc(.param .b64 s);\n.extern .func free(.param .b64 p);\n\
         .global .align 1 .b8 fmt[{}] = {{{}}}; .global .align 1 .b8 str[12] = {{{}}}; .shared .align 8 .b8 s[64];\n\
         .visible .entry k(.param .u64 letters, .param .u64 fresh) {{ .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<12>;\n\
         .local .align 8 .b8 args[16]; .local .align 8 .b8 array[16];\n\
         ld.param.u64 %rd1, [letters]; ld.param.u64 %rd2, [fresh]; mov.u32 %r1, %tid.x;\n\
         {body}\n st.local.u64 [args], %rd6; mov.u64 %rd7, fmt; mov.u64 %rd8, args; cvta.local.u64 %rd8, %rd8;\n\
         {{ .param .b64 p0; st.param.b64 [p0], %rd7; .param .b64 p1; st.param.b64 [p1], %rd8; .param .b32 r;\n\
         call.uni (r), vprintf, (p0, p1); }} ret; }}",
        format.len() + 1,
        bytes(format),
        bytes("hello world")
    );
    let config = Config { checks: Checks::ALL, ..Config::default() };
    let mut device = Device::new(Arc::new(Module::parse(&text).expect("the test's PTX parses")), config);
    let letters = device.alloc("letters", 8).expect("fits");
    device.write(letters, b"abcdefgh").expect("inside");
    let fresh = device.alloc("fresh", 8).expect("fits");
    device.poison(fresh, 8, &[0x7b]).expect("inside");
    let args = vec![Arg::Pointer(letters), Arg::Pointer(fresh)];
    let launch = Launch { kernel: "k".into(), grid: [1; 3], block: [block, 1, 1], shared: 0, args, cooperative: false };
    device.launch(&launch).expect("starts")
}

#[test]
fn strings_that_are_there_are_printed() {
    for (format, body, expected) in [
        ("%s\n", "mov.u64 %rd6, str;", "hello world\n"),
        ("%.8s", "mov.u64 %rd6, %rd1;", "abcdefgh"),
        ("%s", "mov.u64 %rd6, 0;", "(null)"),
        ("%s", "mov.u32 %r2, 0x00636261; st.local.u32 [array], %r2; cvta.local.u64 %rd6, array;", "abc"),
        ("%s", "mov.u32 %r2, 0x00636261; st.shared.u32 [s], %r2; cvta.shared.u64 %rd6, s;", "abc"),
    ] {
        let report = print(format, body, 1);
        assert!(report.findings.is_empty(), "{body}: {:?}", report.findings);
        assert_eq!(String::from_utf8_lossy(&report.printf), expected, "{body}");
    }
}

#[test]
fn strings_that_are_not_there_are_out_of_bounds() {
    let allocate = "{ .param .b64 p0; mov.u64 %rd3, 16; st.param.b64 [p0], %rd3; .param .b64 r; call.uni (r), malloc, (p0);\n\
                    ld.param.b64 %rd6, [r]; } mov.u32 %r2, 0x61; st.u16 [%rd6], %r2;\n";
    let freed = format!("{allocate} {{ .param .b64 p0; st.param.b64 [p0], %rd6; call.uni free, (p0); }}");
    for (body, where_to) in [
        ("mov.u64 %rd6, 12345;", "outside of global memory"),
        ("mov.u64 %rd6, %rd1;", "`letters` + 8"),
        (freed.as_str(), "freed"),
        (
            "mov.u32 %r2, 0x61616161; st.shared.u32 [s+60], %r2; mov.u32 %r3, s; add.u32 %r3, %r3, 60; cvt.u64.u32 %rd6, %r3;\n\
          cvta.shared.u64 %rd6, %rd6;",
            "outside of shared memory",
        ),
    ] {
        let report = print("%s", body, 1);
        let [finding] = &report.findings[..] else { panic!("{body}: {:?}", report.findings) };
        assert!(matches!(finding.kind, FindingKind::OutOfBounds { .. }), "{body}: {finding:?}");
        assert!(finding.kind.to_string().contains(where_to), "{body}: {}", finding.kind);
    }
    let report = print("%s", allocate, 1);
    assert_eq!((report.findings.len(), report.printf.as_slice()), (0, b"a".as_slice()), "{:?}", report.findings);
}

#[test]
fn strings_that_nobody_has_written_are_undefined() {
    for body in [
        "mov.u64 %rd6, %rd2;",
        "cvta.local.u64 %rd6, array;",
        "mov.u32 %r2, 0x61616161; st.local.u32 [array], %r2; cvta.local.u64 %rd6, array;",
    ] {
        let report = print("%.8s", body, 1);
        let undefined = |kind: &FindingKind| matches!(kind, FindingKind::Uninitialised { .. });
        let [finding] = &report.findings[..] else { panic!("{body}: {:?}", report.findings) };
        assert!(undefined(&finding.kind), "{body}: {finding:?}");
        assert!(finding.kind.to_string().contains("printf"), "{body}: {}", finding.kind);
    }
}

#[test]
fn strings_that_others_write_meanwhile_are_races() {
    let written = "setp.ne.u32 %p1, %r1, 0; @%p1 bra READ; mov.u32 %r2, 0x00636261; st.shared.u32 [s], %r2; READ:";
    for (barrier, races) in [("", 1), ("bar.sync 0;", 0)] {
        let report = print("%s", &format!("{written} {barrier} cvta.shared.u64 %rd6, s;"), 64);
        let race = |kind: &FindingKind| matches!(kind, FindingKind::Race { .. });
        let found = report.findings.iter().filter(|finding| race(&finding.kind)).count();
        assert_eq!(found, races, "{barrier}: {:?}", report.findings);
    }
}
