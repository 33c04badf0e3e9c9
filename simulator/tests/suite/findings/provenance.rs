//! Addresses stay in what they are addresses of: a buffer, a shared array, the thread's own local memory.

use simulator::{Arg, Checks, Config, Device, FindingKind, Launch, Module};
use std::sync::Arc;

/// Runs `k(a, b)`, two buffers of 64 words, with a warp; what is out of bounds, in words. `%r1` is the thread, `%r2` four
/// times that, `%r9` 64.
fn said(declarations: &str, body: &str) -> Vec<String> {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n{declarations}\n\
         .visible .entry k(.param .u64 a, .param .u64 b)\n{{\n\
         .reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<20>;\n\
         ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r9, %ntid.x;\n\
         shl.b32 %r9, %r9, 1;\n{body}\nret;\n}}\n"
    );
    let all = [Checks::NONE, Checks { races: false, uninitialised: false, ..Checks::ALL }].map(|checks| {
        let module = Module::parse(&text).expect("the test's PTX parses");
        let mut device = Device::new(Arc::new(module), Config { checks, ..Config::default() });
        let args = ["a", "b"].map(|name| {
            let buffer = device.alloc(name, 256).expect("fits");
            device.write(buffer, &[0; 256]).expect("inside");
            Arg::Pointer(buffer)
        });
        let launch = Launch {
            kernel: "k".into(),
            grid: [1; 3],
            block: [32, 1, 1],
            shared: 0,
            args: args.to_vec(),
            cooperative: false,
        };
        let describe = |finding: &simulator::Finding| match &finding.kind {
            FindingKind::OutOfBounds { access } => format!("{}: {}", access.what, access.object),
            other => panic!("another finding: {other}"),
        };
        device.launch(&launch).expect("starts").findings.iter().map(describe).collect::<Vec<_>>()
    });
    assert_eq!(all[0], all[1], "with and without checks");
    all[0].clone()
}

const TWO: &str = ".shared .align 4 .b8 s[128]; .shared .align 4 .b8 t[128];";

#[test]
fn an_index_does_not_lead_from_one_shared_array_into_the_next() {
    let past = "`s` + 128 (right behind its 128 bytes), that is `t` + 0";
    let cases = [
        ("mov.u32 %r3, s; add.s32 %r3, %r3, %r2; ld.shared.u32 %r4, [%r3+128];", format!("read: {past}")),
        (
            "mov.u32 %r3, s; add.s32 %r3, %r2, %r3; add.s32 %r3, %r3, 128; st.shared.u32 [%r3], 1;",
            format!("write: {past}"),
        ),
        ("mov.u32 %r3, s; mad.lo.s32 %r3, %r9, 2, %r3; st.shared.u32 [%r3], 1;", format!("write: {past}")),
        ("st.shared.u32 [s+128], 1;", format!("write: {past}")),
        ("mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3; ld.u32 %r4, [%rd3+128];", format!("read: {past}")),
        ("mov.u32 %r3, s; atom.shared.add.u32 %r4, [%r3+128], 1;", format!("atomic: {past}")),
        (
            "mov.u32 %r3, t; ld.shared.u32 %r4, [%r3+-4];",
            "read: `t` - 4 (4 bytes before its start, of 128), that is `s` + 124".into(),
        ),
        // An index that is loaded, and one that a loop counts up.
        (
            "ld.global.u32 %r5, [%rd1]; mov.u32 %r3, s; add.s32 %r3, %r3, %r5; ld.shared.u32 %r4, [%r3+128];",
            format!("read: {past}"),
        ),
        (
            "mov.u32 %r3, s; mov.u32 %r5, 0; L: st.shared.u32 [%r3], 1; add.s32 %r3, %r3, 4; add.s32 %r5, %r5, 1; \
          setp.le.u32 %p1, %r5, 32; @%p1 bra L;",
            format!("write: {past}"),
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(said(TWO, body), [expected], "{body}");
    }
}

#[test]
fn addresses_of_several_arrays_may_lead_to_either() {
    for body in [
        // Inside, by detours.
        "mov.u32 %r3, s; add.s32 %r3, %r3, %r2; ld.shared.u32 %r4, [%r3];",
        "mov.u32 %r3, t; add.s32 %r3, %r3, -400; add.s32 %r3, %r3, %r2; ld.shared.u32 %r4, [%r3+400];",
        // One of two, chosen at run time or by the way taken.
        "mov.u32 %r3, s; mov.u32 %r5, t; setp.gt.u32 %p1, %r1, 9; selp.b32 %r6, %r3, %r5, %p1; ld.shared.u32 %r4, [%r6+4];",
        "mov.u32 %r3, s; setp.gt.u32 %p1, %r1, 9; @%p1 mov.u32 %r3, t; ld.shared.u32 %r4, [%r3+4];",
        // From one to the other by their distance.
        "mov.u32 %r3, s; mov.u32 %r5, t; sub.s32 %r6, %r5, %r3; add.s32 %r3, %r3, %r6; ld.shared.u32 %r4, [%r3+124];",
        // Swapped each round, as two buffers are.
        "mov.u32 %r3, s; mov.u32 %r5, t; mov.u32 %r7, 0; L: ld.shared.u32 %r4, [%r3+124]; mov.u32 %r6, %r3; mov.u32 %r3, %r5; \
         mov.u32 %r5, %r6; add.s32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 4; @%p1 bra L;",
        // A pointer that memory held.
        "mov.u64 %rd3, t; cvta.shared.u64 %rd3, %rd3; st.global.u64 [%rd1], %rd3; ld.global.u64 %rd4, [%rd1]; ld.u32 %r4, [%rd4];",
    ] {
        assert_eq!(said(TWO, body), [""; 0], "{body}");
    }
}

#[test]
fn an_index_of_32_bits_does_not_lead_from_one_buffer_into_another() {
    for index in [64, -1, 192, 1 << 20, -(1 << 24), i64::from(i32::MAX), i64::from(i32::MIN)] {
        let offset = index * 4;
        let found = said("", &format!("add.s64 %rd3, %rd1, {offset}; ld.global.u32 %r3, [%rd3];"));
        assert!(found.len() == 1 && found[0].starts_with("read: `a` "), "{index}: {found:?}");
    }
    // By their distance one gets from one to the other.
    let there = "sub.s64 %rd3, %rd2, %rd1; add.s64 %rd3, %rd1, %rd3; ld.global.u32 %r3, [%rd3];";
    assert_eq!(said("", there), [""; 0]);
}

const OWN: &str = ".local .align 8 .b8 own[16]; cvta.local.u64 %rd3, %rd5;";

#[test]
fn local_memory_is_the_threads_own() {
    let own = OWN.replace("cvta", "mov.u64 %rd5, own; cvta");
    // One's own, by a pointer that memory held.
    let keeps = "mad.wide.u32 %rd4, %r1, 8, %rd1; st.global.u64 [%rd4], %rd3; ld.global.u64 %rd6, [%rd4]; \
                 st.u32 [%rd6], %r1; ld.u32 %r4, [%rd6]; cvta.to.local.u64 %rd7, %rd6; ld.local.u32 %r4, [%rd7];";
    assert_eq!(said("", &format!("{own} {keeps}")), [""; 0]);
    // Thread 3 hands its own to all.
    for (access, what) in
        [("ld.u32 %r4, [%rd6];", "read"), ("st.u32 [%rd6], 1;", "write"), ("atom.add.u32 %r4, [%rd6], 1;", "atomic")]
    {
        let handed = format!(
            "{own} st.local.u32 [own], 1; setp.eq.u32 %p1, %r1, 3; @%p1 st.global.u64 [%rd1], %rd3; bar.sync 0; \
             ld.global.u64 %rd6, [%rd1]; {access}"
        );
        assert_eq!(said("", &handed), [format!("{what}: local memory of thread (3, 0, 0) of this block")]);
    }
}

#[test]
fn a_load_does_not_lead_from_a_parameter_into_what_is_behind() {
    let function = ".func f(.param .b64 p, .param .align 8 .b8 q[16]) { .reg .b32 %r<3>; .reg .b64 %rd<3>;\n\
                    ld.param.u64 %rd1, [q+8]; LOAD ret; }";
    let call = "{ .param .b64 x; st.param.b64 [x], %rd1; .param .align 8 .b8 y[16]; st.param.b64 [y], %rd1;\n\
                st.param.b64 [y+8], %rd1; call f, (x, y); }";
    let kernel = |load: &str| said("", load);
    let called = |load: &str| said(&function.replace("LOAD", load), call);
    let cases = [
        (kernel("ld.param.u32 %r3, [a+4];"), ""),
        (kernel("ld.param.u64 %rd3, [b+8];"), "read: `b` + 8 (right behind its 8 bytes)"),
        (kernel("ld.param.u64 %rd3, [a+8];"), "read: `a` + 8 (right behind its 8 bytes)"),
        (kernel("ld.param.u32 %r3, [a+3000];"), "read: `a` + 3000 (2992 bytes behind the end of its 8)"),
        (kernel("ld.param.u32 %r3, [b-4];"), "read: `b` - 4 (4 bytes before its start, of 8)"),
        (kernel("ld.param.v2.u32 {%r3, %r4}, [b+8];"), "read: `b` + 8 (right behind its 8 bytes)"),
        (called("ld.param.u32 %r1, [p+4];"), ""),
        (called("ld.param.u32 %r1, [p+8];"), "read: `p` + 8 (right behind its 8 bytes)"),
        (called("ld.param.u64 %rd2, [q+16];"), "read: `q` + 16 (right behind its 16 bytes)"),
    ];
    for (at, (said, expected)) in cases.into_iter().enumerate() {
        assert_eq!(said.join("; "), expected, "case {at}");
    }
}

#[test]
fn constant_memory_is_called_so() {
    let text = ".version 8.5\n.target sm_90\n.address_size 64\n.const .align 4 .b8 tab[192];\n\
                .visible .entry k() { .reg .b32 %r<3>; ld.const.u32 %r1, [tab+192]; ret; }";
    let mut device = Device::new(Arc::new(Module::parse(text).expect("the test's PTX parses")), Config::default());
    let launch =
        Launch { kernel: "k".into(), grid: [1; 3], block: [1; 3], shared: 0, args: Vec::new(), cooperative: false };
    let report = device.launch(&launch).expect("starts");
    let said = report.findings[0].kind.to_string();
    assert!(said.starts_with("a read of 4 bytes outside of constant memory: `tab` + 192"), "{said}");
}
