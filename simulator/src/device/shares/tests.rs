//! On one host thread or on several: the same report, the same memory, and what the next launch is told of it.

use crate::random::mix;
use crate::{Arg, Checks, Config, Device, Launch, Module, Schedule};
use std::sync::Arc;

const WORDS: u64 = 256;
const BLOCKS: u32 = 32;

/// `%rd1` and `%rd2` are buffers of 256 words, `%r1` is the thread (of 8), `%r2` the block (of 32), `%r3` the number of both together
/// and `%rd3`, `%rd4` are its words.
fn kernel(name: &str, body: &str) -> String {
    format!(
        ".visible .entry {name}(.param .u64 a, .param .u64 b) {{ .reg .b32 %r<12>; .reg .f32 %f<4>; .reg .f64 %d<3>; .reg .b64 %rd<9>; .reg .pred %p<3>; \
         ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r9, %ntid.x; \
         mad.lo.s32 %r3, %r2, %r9, %r1; mul.wide.u32 %rd5, %r3, 4; add.s64 %rd3, %rd1, %rd5; add.s64 %rd4, %rd2, %rd5; {body} \
         E: ret; }}\n"
    )
}

/// What became of some launches: reports, memory, values that nobody wrote; and whether all were run in shares.
fn run(bodies: &[&str], threads: usize) -> (Vec<String>, bool) {
    let kernels: String = bodies.iter().enumerate().map(|(at, body)| kernel(&format!("k{at}"), body)).collect();
    let text = format!(".version 8.0\n.target sm_90\n.address_size 64\n{kernels}");
    let module = Arc::new(Module::parse(&text).expect("parses"));
    let mut config = Config { shares: threads, checks: Checks::ALL, lines: true, coverage: true, ..Config::default() };
    config.limits.steps = 1 << 15;
    let mut device = Device::new(module, config);
    let [a, b] = ["a", "b"].map(|name| device.alloc(name, 4 * WORDS).expect("fits"));
    let words: Vec<u8> = (0..WORDS as u32).flat_map(|word| (word * 3).to_le_bytes()).collect();
    device.write(a, &words).expect("inside");
    device.poison(b, 4 * WORDS, &[0x7b]).expect("inside");
    [a, b].into_iter().for_each(|buffer| device.note_reads(buffer).expect("there"));
    let mut told = Vec::new();
    for at in 0..bodies.len() {
        let launch = Launch {
            kernel: format!("k{at}"),
            grid: [BLOCKS, 1, 1],
            block: [8, 1, 1],
            shared: 0,
            args: vec![Arg::Pointer(a), Arg::Pointer(b)],
            cooperative: false,
        };
        told.push(format!("{:?}", device.launch(&launch).expect("starts")));
    }
    for buffer in [a, b] {
        let mut bytes = vec![0; 4 * WORDS as usize];
        device.read(buffer, &mut bytes).expect("inside");
        told.push(format!("{bytes:?} {:?} {:?}", device.undefined(buffer, 4 * WORDS), device.unread(buffer)));
    }
    let all = device.shares.independent.len() == bodies.len()
        && device.shares.independent.values().all(|independent| *independent);
    (told, all)
}

/// The same on one host thread and on several; were the latter of use?
fn shared(bodies: &[&str]) -> bool {
    let alone = run(bodies, 1).0;
    let several: Vec<bool> = [2, 3, 2, 5]
        .into_iter()
        .map(|threads| {
            let (told, independent) = run(bodies, threads);
            assert_eq!(told, alone, "{threads} host threads: {bodies:?}");
            independent
        })
        .collect();
    several.iter().all(|independent| *independent)
}

const ADD: &str = "ld.global.u32 %r5, [%rd3]; add.s32 %r5, %r5, %r3; st.global.u32 [%rd3], %r5;";
const FILL: &str = "st.global.u32 [%rd4], %r3;";
const COPY: &str = "ld.global.u32 %r5, [%rd4]; st.global.u32 [%rd3], %r5;";

#[test]
fn blocks_with_memory_of_their_own_are_shared_out() {
    assert!(shared(&[ADD]));
    assert!(shared(&[ADD, FILL, COPY, ADD]), "what a launch has written is written for the next");
    assert!(shared(&[
        "st.global.u8 [%rd4], %r3; st.global.u8 [%rd4+3], 7;",
        "ld.global.u8 %r5, [%rd4+3]; st.global.u32 [%rd3], %r5;"
    ]));
    // All read the first block's input, and a block's own word twice.
    assert!(shared(&[
        "ld.global.u32 %r5, [%rd1]; ld.global.u32 %r6, [%rd1+28]; add.s32 %r5, %r5, %r6; st.global.u32 [%rd4], %r5;"
    ]));
    // Words of one block beside those of another in a line, bytes of one beside another's in a word.
    let bytes = "cvt.u64.u32 %rd6, %r3; add.s64 %rd7, %rd2, %rd6; st.global.u8 [%rd7], %r2;";
    assert!(shared(&[bytes]));
}

#[test]
fn additions_meet_anywhere() {
    let add =
        "and.b32 %r4, %r3, 7; mul.wide.u32 %rd6, %r4, 4; add.s64 %rd7, %rd1, %rd6; red.global.add.u32 [%rd7], %r3;";
    assert!(shared(&[add, add]));
    assert!(shared(&[&add.replace("add.u32", "max.s32")]));
    // Somebody reads what others add to.
    let read =
        format!("{add} setp.ne.u32 %p1, %r3, 16; @%p1 bra E; ld.global.u32 %r5, [%rd1]; st.global.u32 [%rd4], %r5;");
    assert!(!shared(&[&read]));
    // Nobody tries what blocks learn of each other by: results, fences, ordered accesses.
    for body in [
        "atom.global.add.u32 %r5, [%rd1], 1; st.global.u32 [%rd4], %r5;",
        "atom.global.exch.b32 %r3, [%rd1], %r3;",
        "red.release.gpu.global.add.u32 [%rd1], 1;",
        "st.global.u32 [%rd4], %r3; membar.gl; red.global.add.u32 [%rd1], %r3;",
        "ld.volatile.global.u32 %r5, [%rd1]; st.global.u32 [%rd4], %r5;",
    ] {
        assert!(!shared(&[body]), "{body}");
    }
}

/// `%f1` is a number whose sums with others of its kind are rounded.
const REAL: &str = "cvt.rn.f32.u32 %f1, %r3; mul.f32 %f1, %f1, 0f3DCCCCCD;";
/// `%rd7` is a word of the first buffer that all blocks use.
const COMMON: &str = "and.b32 %r4, %r3, 7; mul.wide.u32 %rd6, %r4, 4; add.s64 %rd7, %rd1, %rd6;";

#[test]
fn atomics_without_a_result_are_done_in_the_order_of_blocks() {
    for atomics in [
        "red.global.add.f32 [%rd7], %f1;",
        "red.global.add.f32 [%rd1], %f1; red.global.add.f32 [%rd2+4], %f1;",
        "atom.global.exch.b32 %r5, [%rd7], %r3;",
        "atom.global.exch.b32 %r5, [%rd7], %r3; add.s64 %rd8, %rd2, %rd6;\natom.global.exch.b32 %r6, [%rd8], %r3;",
        // Two operations, of which one is not the other's.
        "red.global.add.u32 [%rd7], %r3; red.global.max.u32 [%rd7], 200; red.global.inc.u32 [%rd7], 900;",
        "red.global.add.u32 [%rd7], %r3;\natom.global.exch.b32 %r5, [%rd7], %r2;",
        // Half a word, two words, generic addresses, lanes in two allocations: lane after lane.
        "cvt.f64.f32 %d1, %f1; and.b32 %r4, %r3, 3; mul.wide.u32 %rd6, %r4, 8; add.s64 %rd7, %rd1, %rd6; red.global.add.f64 [%rd7], %d1;",
        "and.b32 %r4, %r3, 1; setp.eq.u32 %p1, %r4, 0; selp.b64 %rd8, %rd3, %rd2, %p1; cvta.global.u64 %rd8, %rd8; red.add.f32 [%rd8], %f1;",
        "and.b32 %r4, %r3, 1; setp.eq.u32 %p1, %r4, 0; selp.b64 %rd8, %rd7, %rd2, %p1;\natom.global.exch.b32 %r5, [%rd7], %r2;\natom.global.exch.b32 %r6, [%rd8], %r3;",
        "cvt.rn.f16x2.f32 %r5, %f1, %f1; red.global.add.noftz.f16x2 [%rd7], %r5;",
    ] {
        let body = format!("{REAL} {COMMON} {atomics}");
        assert!(shared(&[FILL, &body.replace("; ", ";\n"), ADD]), "{body}");
    }
}

#[test]
fn atomics_of_all_kinds_are_done_in_the_order_of_blocks() {
    const KINDS: [&str; 10] = [
        "red.global.add.f32 [%rd7], %f1;",
        "red.global.add.u32 [%rd7], %r3;",
        "red.global.min.s32 [%rd7], %r3;",
        "red.global.dec.u32 [%rd7], 1000;",
        "red.global.xor.b32 [%rd7], %r3;",
        "atom.global.exch.b32 _, [%rd7], %r3;",
        "red.global.add.noftz.f16x2 [%rd7], %r3;",
        "red.global.add.u64 [%rd8], %rd5;",
        "red.global.add.f64 [%rd8], %d1;",
        "atom.global.exch.b64 _, [%rd8], %rd5;",
    ];
    for seed in 0..24 {
        let draw = |place: u64, of: u64| mix(mix(seed) ^ place) % of;
        // Those of different sizes race.
        let kinds = [&KINDS[..6], &KINDS[6..7], &KINDS[7..]][seed as usize % 3];
        // `%rd7` is one of 32 words of either buffer, `%rd8` the one of eight bytes around it.
        let mut body = format!("{REAL} cvt.f64.f32 %d1, %f1;\n");
        for at in 0..1 + draw(0, 5) {
            let (stride, first) = (2 * draw(10 + at, 9) + 1, draw(20 + at, 32));
            body += &format!(
                "mad.lo.u32 %r4, %r3, {stride}, {first}; and.b32 %r4, %r4, 31; mul.wide.u32 %rd6, %r4, 4; add.s64 %rd7, %rd{}, %rd6; \
                 and.b64 %rd8, %rd7, -8;\n{}\n",
                1 + draw(30 + at, 2),
                kinds[draw(40 + at, kinds.len() as u64) as usize]
            );
        }
        assert!(shared(&[FILL, &body]), "{body}");
    }
}

#[test]
fn nobody_looks_at_what_comes_late() {
    // The block's threads read what one of them has added to, by itself or beside it.
    let sum = "setp.ne.u32 %p1, %r1, 0; @!%p1 red.global.add.f32 [%rd3], %f1; bar.sync 0; ";
    let look = |at: &str| {
        format!(
            "{REAL} {sum} shl.b32 %r4, %r1, 2; cvt.u64.u32 %rd6, %r4; sub.s64 %rd7, %rd3, %rd6; ld.global.f32 %f2, {at}; st.global.f32 [%rd4], %f2;"
        )
    };
    for body in [look("[%rd7]"), format!("{REAL} {sum} @!%p1 st.global.u32 [%rd3], 5;")] {
        assert!(!shared(&[&body]), "{body}");
    }
    // What was there before.
    assert!(shared(&[&format!(
        "{REAL} ld.global.f32 %f2, [%rd3]; add.f32 %f1, %f1, %f2; red.global.add.f32 [%rd3], %f1;"
    )]));
    // Another block writes there, or reads; no two of these are of one share.
    for other in ["st.global.u32 [%rd1], 5;", "ld.global.u32 %r5, [%rd1]; st.global.u32 [%rd4], %r5;"] {
        let body =
            format!("{REAL} setp.ne.u32 %p1, %r2, 1; @%p1 bra D; {other} bra E; D: red.global.add.f32 [%rd1], %f1;");
        assert!(!shared(&[&body]), "{body}");
    }
    // What nobody wrote.
    assert!(!shared(&[&format!("{REAL} red.global.add.f32 [%rd4], %f1;")]));
}

#[test]
fn blocks_that_meet_are_run_anew() {
    // What block 2 reads block 1 has written, in place: all of memory has been changed by the time that is known. These two never
    // are of one share.
    let next = "setp.ne.u32 %p1, %r2, 1; @%p1 bra D; st.global.u32 [%rd3+32], 1; D: ";
    assert!(!shared(&[&format!("{next} {ADD}")]));
    assert!(!shared(&[&format!("{next} {ADD}"), ADD]), "and the next launch finds what is there");
    // What was filled by the host has been written by a launch that one thread ran.
    let other = next.replace("%rd3+32", "%rd4+32");
    let again = "ld.global.u32 %r5, [%rd4]; add.s32 %r5, %r5, 3; st.global.u32 [%rd4], %r5;";
    assert!(!shared(&[&format!("{other} {FILL}"), &format!("{other} {again}")]));
    // All store the same value in one place, or values of their own.
    assert!(!shared(&["st.global.u32 [%rd2], 7;"]));
    assert!(!shared(&["st.global.u32 [%rd2], %r2;"]));
    // What block 1 stores after a while tells the others which word they read.
    let late = "setp.ne.u32 %p1, %r2, 1; mov.u32 %r5, 20000; @%p1 bra D; W: add.s32 %r5, %r5, -1; setp.ne.u32 %p2, %r5, 0; @%p2 bra W; \
                st.global.u32 [%rd1], 900; bra E; D: ld.global.u32 %r5, [%rd1]; cvt.u64.u32 %rd6, %r5; add.s64 %rd7, %rd1, %rd6; \
                ld.global.u32 %r5, [%rd7+4];";
    assert!(!shared(&[late]));
    assert!(!shared(&[ADD, late]), "what was read before stays read");
    // One byte of a word in common.
    assert!(!shared(&["st.global.u8 [%rd4], 1; setp.ne.u32 %p1, %r3, 15; @%p1 bra E; st.global.u8 [%rd4+4], 1;"]));
}

#[test]
#[ignore = "long"]
fn whatever_is_to_be_told_is_told_in_the_usual_order() {
    for body in [
        COPY,
        "ld.global.u32 %r5, [%rd4]; setp.eq.u32 %p1, %r5, 3; @%p1 bra E; st.global.u32 [%rd3], %r3;",
        "ld.global.u32 %r5, [%rd3+512]; st.global.u32 [%rd4], %r5;",
        "setp.ne.u32 %p1, %r3, 77; @%p1 bra E; trap;",
        "D: bra D;",
        "D: ld.global.u32 %r5, [%rd1]; setp.ne.u32 %p1, %r5, 77; @%p1 bra D;",
    ] {
        assert!(!shared(&[&format!("{ADD} {body}")]), "{body}");
    }
}

#[test]
fn an_input_is_as_it_was() {
    let run = |threads: usize| {
        let body = "st.global.u32 [%rd4], %r3; setp.ne.u32 %p1, %r3, 130; @%p1 bra E; red.global.add.u32 [%rd3], 5;";
        let text = format!(".version 8.0\n.target sm_90\n.address_size 64\n{}", kernel("k", body));
        let config = Config { shares: threads, checks: Checks::ALL, schedule: Schedule::Its, ..Config::default() };
        let mut device = Device::new(Arc::new(Module::parse(&text).expect("parses")), config);
        let [a, b] = ["a", "b"].map(|name| device.alloc(name, 4 * WORDS).expect("fits"));
        device.write(a, &[0; 4 * WORDS as usize]).expect("inside");
        device.protect(a).expect("there");
        let args = vec![Arg::Pointer(a), Arg::Pointer(b)];
        let (grid, block) = ([BLOCKS, 1, 1], [8, 1, 1]);
        let launch = Launch { kernel: "k".into(), grid, block, shared: 0, args, cooperative: false };
        let report = device.launch(&launch).expect("starts");
        let mut bytes = vec![0; 4 * WORDS as usize];
        device.read(a, &mut bytes).expect("inside");
        (format!("{report:?}"), bytes)
    };
    let alone = run(1);
    assert!(alone.0.contains("InputChanged"), "{}", alone.0);
    for _ in 0..3 {
        assert_eq!(run(2), alone);
    }
}
