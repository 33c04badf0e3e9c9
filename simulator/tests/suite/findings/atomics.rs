//! Atomics of different sizes: which of them exclude each other.

use simulator::{Arg, Checks, Config, Device, Launch, Module};
use std::sync::Arc;

/// The kinds of what is found wrong with two blocks of two warps, of each of which the first thread does something: of block 0 `first` and
/// `second`, of block 1 `third` and `fourth`; the thread of `second` does `behind` after a barrier. `%rd1` is global memory, `s` shared; `%r5` and `%rd5` are 1.
fn kinds(parts: [&str; 4], behind: &str) -> Vec<&'static str> {
    let [first, second, third, fourth] = parts;
    let text = format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
         .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<30>; .reg .b64 %rd<9>; .reg .b128 %q<3>; .shared .align 16 .b8 s[512];\n\
         ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r5, 1; mov.u64 %rd5, 1;\n\
         mov.b128 %q1, {{%rd5, %rd5}}; mov.b16 %h5, 1; setp.eq.u32 %p8, %r1, 0; @%p8 st.shared.v2.u64 [s], {{%rd5, %rd5}}; bar.sync 0;\n\
         shr.u32 %r3, %r1, 5; mad.lo.u32 %r3, %r2, 2, %r3; and.b32 %r1, %r1, 31; setp.ne.u32 %p1, %r1, 0; @%p1 bra E;\n\
         setp.eq.u32 %p2, %r3, 1; @%p2 bra B; setp.eq.u32 %p2, %r3, 2; @%p2 bra C; setp.eq.u32 %p2, %r3, 3; @%p2 bra D;\n\
         {first} bra E; B: {second} bra E; C: {third} bra E; D: {fourth} E: bar.sync 0;\n\
         setp.ne.or.u32 %p3, %r3, 1, %p1; @%p3 bra F; {behind} F: bar.sync 0; ret;\n}}\n"
    );
    let module = Arc::new(Module::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}")));
    let mut device = Device::new(module, Config { checks: Checks::ALL, ..Config::default() });
    let out = device.alloc("out", 256).expect("fits");
    device.write(out, &[0; 256]).expect("inside");
    let args = vec![Arg::Pointer(out)];
    let launch = Launch { kernel: "k".into(), grid: [2, 1, 1], block: [64, 1, 1], shared: 0, args, cooperative: false };
    let findings = device.launch(&launch).expect("starts").findings;
    let mut kinds: Vec<_> = findings.iter().map(|finding| finding.kind.name().name()).collect();
    kinds.dedup();
    kinds
}

#[test]
fn atomics_of_a_word_and_of_a_part_of_it_do_not_exclude_each_other() {
    let whole = "red.global.add.u64 [%rd1], %rd5;";
    for parts in [
        [whole, "", "red.global.add.u32 [%rd1+4], %r5;", ""],
        [whole, "", "", "atom.global.add.u32 %r6, [%rd1], %r5;"],
        ["atom.global.exch.b64 %rd6, [%rd1], %rd5;", "red.global.or.b32 [%rd1+4], %r5;", "", ""],
        ["red.global.add.u32 [%rd1+4], %r5;", "", "red.global.add.u32 [%rd1+4], %r5;", whole],
        ["atom.shared.add.u64 %rd6, [s], %rd5;", "red.shared.add.u32 [s+4], %r5;", "", ""],
        ["atom.global.exch.b128 %q2, [%rd1], %q1;", "", "red.global.add.u64 [%rd1+8], %rd5;", ""],
        ["atom.global.cas.b32 %r6, [%rd1], %r5, %r5;", "", "atom.global.cas.b16 %h6, [%rd1+2], %h5, %h5;", ""],
    ] {
        assert_eq!(kinds(parts, ""), ["race"], "{parts:?}");
    }
}

#[test]
fn atomics_of_the_same_bytes_or_of_none_in_common_do() {
    let whole = "red.global.add.u64 [%rd1], %rd5;";
    let pair = "red.global.add.noftz.f16x2 [%rd1], %r5;";
    for parts in [
        [whole, whole, "atom.global.max.u64 %rd6, [%rd1], %rd5;", "atom.global.cas.b64 %rd6, [%rd1], %rd5, %rd5;"],
        [whole, "red.global.add.u32 [%rd1+8], %r5;", whole, "red.global.add.u32 [%rd1+8], %r5;"],
        ["red.global.add.u32 [%rd1], %r5;", "red.global.add.u32 [%rd1+4], %r5;", "red.global.add.u32 [%rd1], %r5;", ""],
        // Of a pair each half is by itself.
        [pair, pair, "red.global.add.noftz.f16 [%rd1+2], %h5;", "red.global.add.noftz.f16 [%rd1], %h5;"],
        // One thread does both.
        ["red.global.add.u64 [%rd1], %rd5; red.global.add.u32 [%rd1+4], %r5;", "", "", ""],
    ] {
        assert_eq!(kinds(parts, ""), [""; 0], "{parts:?}");
    }
    // A barrier in between.
    let first = ["atom.shared.add.u64 %rd6, [s], %rd5;", "", "", ""];
    assert_eq!(kinds(first, "red.shared.add.u32 [s+4], %r5;"), [""; 0]);
}
