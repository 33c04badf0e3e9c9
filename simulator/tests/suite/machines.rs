//! What differs between machines, as nothing promises it: where variables and functions lie, the bits of NaNs.

use simulator::{Arg, Config, Device, Launch, LaunchStatus, Module};
use std::collections::HashSet;
use std::sync::Arc;

/// Machines that are looked at, 0 among them.
const MACHINES: u64 = 64;

/// What a kernel of one thread leaves in `%rd2`, on each machine.
fn seen(declarations: &str, body: &str) -> Vec<u64> {
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n{declarations}\n.visible .entry k(.param .u64 out, .param .u64 more)\n\
         {{\n.reg .b16 %rs<9>; .reg .b32 %r<20>; .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .b64 %rd<20>;\n\
         ld.param.u64 %rd1, [out];\n{body}\nst.global.b64 [%rd1], %rd2; ret;\n}}\n"
    );
    let module = Arc::new(Module::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}")));
    let launched = |machine: u64| {
        let mut device = Device::new(Arc::clone(&module), Config { machine, ..Config::default() });
        let out = device.alloc("out", 8).expect("fits");
        let (kernel, args) = ("k".into(), vec![Arg::Pointer(out), Arg::Pointer(out)]);
        let launch = Launch { kernel, grid: [1; 3], block: [1; 3], shared: 0, args, cooperative: false };
        let report = device.launch(&launch).expect("starts");
        assert_eq!((report.status, &report.findings[..]), (LaunchStatus::Finished, &[][..]), "{body}");
        let mut bytes = [0; 8];
        device.read(out, &mut bytes).expect("inside");
        u64::from_le_bytes(bytes)
    };
    (0..MACHINES).map(launched).collect()
}

fn different(all: &[u64]) -> HashSet<u64> {
    all.iter().copied().collect()
}

/// The assembler works out what it can on the bits of a NaN; the machine makes one of its own. Machine 0 does as an H200 does.
#[test]
fn bits_of_a_nan_are_the_assemblers_or_the_machines() {
    let f32 = |operation: &str| seen("", &format!("{operation} mov.b32 %r1, %f1; cvt.u64.u32 %rd2, %r1;"));
    let f64 = |operation: &str| seen("", &format!("{operation} mov.b64 %rd2, %fd1;"));
    let f16 = |operation: &str| seen("", &format!("mov.b16 %rs2, 0xfe11; {operation} cvt.u64.u16 %rd2, %rs1;"));
    let f16x2 = |operation: &str| seen("", &format!("mov.b32 %r2, 0x7c11ffc5; {operation} cvt.u64.u32 %rd2, %r1;"));
    let (canonical, short) = (0x7fff_ffff, 0x7fff);
    for (all, machines, assemblers) in [
        (f32("neg.f32 %f1, 0f7FC12345;"), canonical, &[0xffc1_2345][..]),
        (f32("neg.f32 %f1, 0f7F812345;"), canonical, &[0xffc1_2345, 0xff81_2345]),
        (f32("abs.f32 %f1, 0fFFC12344;"), canonical, &[0x7fc1_2344]),
        (f32("neg.ftz.f32 %f1, 0f7FC12345;"), canonical, &[0xffc1_2345]),
        (f32("cvt.f32.f32 %f1, 0fFFC12345;"), canonical, &[0xffc1_2345]),
        (f32("mul.f32 %f1, 0fFFC12345, 0f3F800000;"), canonical, &[0xffc1_2345]),
        (f32("mul.rn.f32 %f1, 0f3F800000, 0fFFC12345;"), canonical, &[0xffc1_2345]),
        (f32("min.f32 %f1, 0fFFC12345, 0fFFC12345;"), canonical, &[0xffc1_2345]),
        (f64("neg.f64 %fd1, 0d7FF8123456789ABC;"), 0x7ff8_1234_5678_9abc, &[0xfff8_1234_5678_9abc]),
        (f64("abs.f64 %fd1, 0dFFF8123456789ABC;"), 0xfff8_1234_5678_9abc, &[0x7ff8_1234_5678_9abc]),
        (f16("neg.f16 %rs1, %rs2;"), short, &[0x7e11]),
        (f16("abs.f16 %rs1, %rs2;"), short, &[0x7e11]),
        (f16("max.f16 %rs1, %rs2, %rs2;"), short, &[0xfe11]),
        (f16x2("neg.f16x2 %r1, %r2;"), 0x7fff_7fff, &[0xfe11_7fc5, 0xfc11_7fc5]),
        (f16x2("abs.bf16x2 %r1, %r2;"), 0x7c11_7fff, &[0x7c11_7fc5]),
    ] {
        assert_eq!(all[0], machines, "on machine 0, not {assemblers:x?}: {:x}", all[0]);
        let wanted: HashSet<u64> = assemblers.iter().copied().chain([machines]).collect();
        assert_eq!(different(&all), wanted);
    }
    // What is no NaN, and what no operand is, is the same everywhere.
    for (all, value) in [
        (f32("neg.f32 %f1, 0f3F800000;"), 0xbf80_0000),
        (f32("mul.f32 %f1, 0f7F800000, 0f00000000;"), canonical),
        (f32("min.f32 %f1, 0fFFC12345, 0f3F800000;"), 0x3f80_0000),
        (f16x2("neg.f16x2 %r1, 0x3c00bc00;"), 0xbc00_3c00),
        (f32("cvt.rn.f32.f64 %f1, 0dFFF8123456789ABC;"), 0xffc0_91a2),
    ] {
        assert_eq!(different(&all), HashSet::from([value]));
    }
}

const DISTANCE: &str = "sub.s64 %rd2, %rd3, %rd4;";

/// Variables lie in any order, close together or not.
#[test]
fn variables_of_a_module_lie_in_any_order() {
    for space in ["global", "const"] {
        let declared = format!(
            ".{space} .align 4 .u32 first[3] = {{1, 2, 3}};\n.{space} .align 16 .b8 second[5] = {{4}};\n\
             .{space} .align 8 .u64 third = first;"
        );
        let body = |a: &str, b: &str| format!("mov.u64 %rd3, {a}; mov.u64 %rd4, {b}; {DISTANCE}");
        let all = seen(&declared, &body("second", "first"));
        let signed = different(&all).into_iter().map(|distance| distance as i64);
        let (above, below): (Vec<i64>, Vec<i64>) = signed.partition(|distance| *distance > 0);
        assert!(above.len() > 1 && below.len() > 1, "{space}: {above:?} {below:?}");
        let far: Vec<i64> = above.iter().chain(&below).map(|distance| distance.abs()).collect();
        assert!(far.contains(&16) && far.iter().all(|distance| (5..1 << 16).contains(distance)), "{space}: {far:?}");
        let addresses = seen(&declared, "mov.u64 %rd2, second;");
        assert!(different(&addresses).len() > 2 && addresses.iter().all(|address| address % 16 == 0));
        // Initial values that are addresses are right wherever it is.
        let pointed = format!("ld.{space}.u64 %rd3, [third]; mov.u64 %rd4, first; {DISTANCE}");
        assert_eq!(different(&seen(&declared, &pointed)), HashSet::from([0]));
        let read = format!("ld.{space}.u32 %r1, [first+8]; cvt.u64.u32 %rd2, %r1;");
        assert_eq!(different(&seen(&declared, &read)), HashSet::from([3]));
    }
}

/// Functions begin at multiples of 128 bytes, in any order, and a pointer to one is called wherever it lies.
#[test]
fn functions_lie_in_any_order() {
    let declared = ".func (.param .b32 r) f(.param .b32 a) { .reg .b32 x; ld.param.b32 x, [a]; add.s32 x, x, 1; st.param.b32 [r], x; ret; }\n\
                    .func (.param .b32 r) g(.param .b32 a) { .reg .b32 x; ld.param.b32 x, [a]; add.s32 x, x, 5; st.param.b32 [r], x; ret; }";
    let all = seen(declared, &format!("mov.u64 %rd3, f; mov.u64 %rd4, g; {DISTANCE}"));
    assert!(different(&all).len() > 3, "{all:?}");
    assert!(all.iter().all(|distance| distance % 128 == 0));
    assert!(all.iter().any(|distance| *distance >> 63 == 0) && all.iter().any(|distance| *distance >> 63 == 1));
    let called = "mov.u64 %rd3, g; { .param .b32 p; .param .b32 q; st.param.b32 [p], 2; proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n\
                  call (q), %rd3, (p), proto; ld.param.b32 %r1, [q]; } cvt.u64.u32 %rd2, %r1;";
    assert_eq!(different(&seen(declared, called)), HashSet::from([7]));
}

/// Local variables of a function that has several are not always at the same distance.
#[test]
fn local_variables_lie_at_any_distance() {
    let body = "{ .local .b32 one; .local .align 8 .b64 two[3]; mov.u64 %rd3, two; mov.u64 %rd4, one; sub.s64 %rd2, %rd3, %rd4;\n\
                st.local.b32 [one], 1; st.local.b64 [two], 2; st.local.b64 [two+8], 3; st.local.b64 [two+16], 4; ld.local.b32 %r1, [one];\n\
                setp.ne.s32 %p1, %r1, 1; @%p1 trap; }";
    let all = seen("", &format!(".reg .pred %p<2>; {body}"));
    assert!(different(&all).len() > 3, "{all:?}");
    assert!(all.iter().all(|distance| (*distance as i64).abs() <= 64), "{all:?}");
}
