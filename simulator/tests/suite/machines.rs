//! What differs between machines, as nothing promises it: the bits of NaNs.

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
