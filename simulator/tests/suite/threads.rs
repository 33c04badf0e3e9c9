//! However many host threads run the blocks, and whether somebody watches or not: the same results, the same counts.

use simulator::{Arg, Checks, Config, Device, Launch, LaunchStatus, Module};
use std::sync::Arc;

/// Every block applies one atomic to 64 words, with values that depend on block and thread.
fn kernel(operation: &str) -> String {
    format!(
        ".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a) {{
    .reg .b32 %r<12>; .reg .b64 %rd<4>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [a];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r4, %r2, %r3, %r1;
    mul.lo.s32 %r5, %r4, 747796405; add.s32 %r5, %r5, 12345; mov.u32 %r6, 16;
L:  mad.lo.s32 %r5, %r5, 1664525, 1013904223; shr.u32 %r7, %r5, 26;
    mul.wide.u32 %rd2, %r7, 4; add.s64 %rd3, %rd1, %rd2;
    {operation};
    add.s32 %r6, %r6, -1; setp.ne.s32 %p1, %r6, 0; @%p1 bra L;
    ret;
}}"
    )
}

fn run(text: &str, threads: usize, checks: Checks) -> (Vec<u8>, simulator::Counters) {
    let module = Arc::new(Module::parse(text).expect("parses"));
    let mut device = Device::new(module, Config { threads, checks, ..Config::default() });
    let buffer = device.alloc("a", 256).expect("fits");
    let first: Vec<u8> = (0..64u32).flat_map(|word| word.wrapping_mul(0x9e37_79b9).to_le_bytes()).collect();
    device.write(buffer, &first).expect("inside");
    let args = vec![Arg::Pointer(buffer)];
    let launch =
        Launch { kernel: "k".into(), grid: [64, 1, 1], block: [96, 1, 1], shared: 0, args, cooperative: false };
    let report = device.launch(&launch).expect("starts");
    assert_eq!((report.status, report.findings.len()), (LaunchStatus::Finished, 0), "{:?}", report.findings);
    let mut bytes = vec![0; 256];
    device.read(buffer, &mut bytes).expect("inside");
    (bytes, report.counters)
}

#[test]
fn atomics_that_commute_do_so_across_host_threads() {
    // Those with a name of their own, and one without, in both forms.
    let operations = ["add.u32", "min.s32", "max.s32", "min.u32", "max.u32", "and.b32", "or.b32", "xor.b32", "inc.u32"];
    for operation in operations {
        let value = if operation == "inc.u32" { "-1" } else { "%r5" };
        for form in ["red.global", "atom.global"] {
            let result = if form == "atom.global" { "%r8, " } else { "" };
            let text = kernel(&format!("{form}.{operation} {result}[%rd3], {value}"));
            let alone = run(&text, 1, Checks::NONE);
            assert_ne!(alone.0, run(&kernel("mov.u32 %r8, 0"), 1, Checks::NONE).0, "{operation} does something");
            for (threads, checks) in [(2, Checks::NONE), (5, Checks::NONE), (1, Checks::ALL), (3, Checks::ALL)] {
                let (bytes, counters) = run(&text, threads, checks);
                assert_eq!(bytes, alone.0, "{form}.{operation}, {threads} threads, {checks:?}");
                assert_eq!(counters, alone.1, "{form}.{operation}, {threads} threads, {checks:?}");
            }
        }
    }
}

#[test]
fn exchanged_values_are_neither_lost_nor_doubled() {
    // Each thread puts its number into a word and adds what it takes out, and what is left, to the word behind.
    let text = kernel("atom.global.exch.b32 %r8, [%rd1], %r4; red.global.add.u32 [%rd1+4], %r8");
    let sum = |threads: usize| {
        let (bytes, _) = run(&text, threads, Checks::NONE);
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        word(0).wrapping_add(word(4))
    };
    let numbers: u32 = 16 * (0..64 * 96).sum::<u32>();
    for threads in [1, 2, 4] {
        assert_eq!(sum(threads), numbers.wrapping_add(0x9e37_79b9), "{threads} threads");
    }
}

/// Runs a kernel of two buffers, `%rd1` and `%rd2` of 64 words each, with `%r1` the thread, `%r2` the block and `%rd3` four times the
/// thread, over 2 to 5 host threads. Returns both as words, the same from all.
fn two_buffers(body: &str, grid: u32) -> [Vec<u32>; 2] {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b) {{ .reg .b32 %r<12>; \
         .reg .b64 %rd<9>; .reg .pred %p<3>; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; mov.u32 %r1, %tid.x; mov.u32 \
         %r2, %ctaid.x; mul.wide.u32 %rd3, %r1, 4; {body} ret; }}"
    );
    // What becomes of an atomic's result is known by lines.
    let module = Arc::new(Module::parse(&text.replace("; ", ";\n")).expect("parses"));
    let result = |threads: usize| {
        let mut device =
            Device::new(Arc::clone(&module), Config { threads, checks: Checks::NONE, ..Config::default() });
        let buffers = ["a", "b"].map(|name| device.alloc(name, 256).expect("fits"));
        buffers.iter().for_each(|buffer| device.write(*buffer, &[0; 256]).expect("inside"));
        let args = buffers.map(Arg::Pointer).to_vec();
        let launch =
            Launch { kernel: "k".into(), grid: [grid, 1, 1], block: [64, 1, 1], shared: 0, args, cooperative: false };
        let report = device.launch(&launch).expect("starts");
        assert_eq!(report.status, LaunchStatus::Finished, "{:?}", report.findings);
        buffers.map(|buffer| {
            let mut bytes = [0; 256];
            device.read(buffer, &mut bytes).expect("inside");
            bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
        })
    };
    let first = result(2);
    for threads in 3..=5 {
        assert_eq!(result(threads), first, "{threads} threads");
    }
    first
}

#[test]
fn a_thread_sees_what_it_has_added_and_exchanged() {
    // Each block has a thread's word to itself at another place, so what it reads is what it has added.
    let own = "rem.u32 %r3, %r1, 16; shl.b32 %r4, %r2, 4; add.s32 %r3, %r3, %r4; mul.wide.u32 %rd4, %r3, 4; add.s64 %rd5, %rd1, \
               %rd4; add.s64 %rd6, %rd2, %rd4; setp.ge.u32 %p1, %r1, 16;";
    let read = two_buffers(
        &format!(
            "{own} @%p1 bra E; red.global.add.u32 [%rd5], 5; red.global.add.u32 [%rd6], 9; ld.global.u32 %r6, [%rd5]; \
             red.global.add.u32 [%rd6], %r6; E:"
        ),
        4,
    );
    assert_eq!(read, [vec![5; 64], vec![14; 64]]);
    let stored = two_buffers(
        &format!(
            "{own} @%p1 bra E; red.global.add.u32 [%rd5], 5; st.global.u32 [%rd5], 7; red.global.add.u32 [%rd5], 1; E:"
        ),
        4,
    );
    assert_eq!(stored[0], vec![8; 64]);
    let exchanged = two_buffers(
        &format!(
            "{own} @%p1 bra E; atom.global.exch.b32 _, [%rd5], 8; atom.global.exch.b32 _, [%rd5], 5; ld.global.u32 %r6, [%rd5]; \
             atom.global.exch.b32 _, [%rd6], %r6; st.global.u32 [%rd5], 7; E:"
        ),
        4,
    );
    assert_eq!(exchanged, [vec![7; 64], vec![5; 64]]);
}

#[test]
fn a_barrier_shows_the_block_what_was_added() {
    // The other warp reads it.
    let both = two_buffers(
        "xor.b32 %r3, %r1, 32; mul.wide.u32 %rd4, %r3, 4; add.s64 %rd5, %rd1, %rd3; add.s64 %rd6, %rd1, %rd4; add.s64 %rd7, %rd2, \
         %rd3; add.s32 %r4, %r1, 1; red.global.add.u32 [%rd5], %r4; bar.sync 0; ld.global.u32 %r5, [%rd6]; setp.ne.u32 %p1, \
         %r2, 0; @!%p1 st.global.u32 [%rd7], %r5;",
        1,
    );
    assert_eq!(both, [(1..=64).collect::<Vec<u32>>(), (0..64).map(|at| (at ^ 32) + 1).collect()]);
}

#[test]
fn a_fence_shows_others_what_was_added_before() {
    // Each pair of blocks has eight words of one buffer and a flag in the other: the even block adds, fences and raises the flag by a
    // plain store, the odd one waits for it and reads.
    // All of them take a while first, so that every host thread has begun.
    let once = || {
        two_buffers(
            "mov.u32 %r9, 5000; D: add.s32 %r9, %r9, -1; setp.ne.s32 %p1, %r9, 0; @%p1 bra D; \
         and.b32 %r3, %r2, 1; shr.u32 %r4, %r2, 1; mul.wide.u32 %rd4, %r4, 4; add.s64 %rd6, %rd2, %rd4; mul.wide.u32 %rd4, %r4, 32;          add.s64 %rd5, %rd1, %rd4; add.s64 %rd4, %rd5, %rd3; setp.ne.u32 %p1, %r3, 0; setp.ne.u32 %p2, %r1, 0; @%p1 bra W;          setp.ge.u32 %p1, %r1, 8; @!%p1 red.global.add.u32 [%rd4], 1; bar.sync 0; @%p2 bra E; fence.acq_rel.gpu; st.global.u32          [%rd6], 1; bra E; W: @%p2 bra E; P: ld.volatile.global.u32 %r5, [%rd6]; setp.eq.u32 %p1, %r5, 0; @%p1 bra P;          fence.acq_rel.gpu; ld.global.u32 %r6, [%rd5+28]; red.global.add.u32 [%rd2+252], %r6; E:",
            16,
        )
    };
    for _ in 0..10 {
        let [_, seen] = once();
        assert_eq!(seen[63], 8, "{seen:?}");
    }
}

#[test]
fn blocks_taken_many_at_a_time_run_once_each_and_wait_for_those_before_them() {
    // Each block waits for the flag of the one before, adds that block's sum to its own number and raises its flag.
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b) { .reg .b32 %r<9>; \
                .reg .b64 %rd<9>; .reg .pred %p<3>; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; mov.u32 %r2, %ctaid.x; mul.wide.u32 \
                %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3; mov.u32 %r4, 0; setp.eq.u32 %p1, %r2, 0; @%p1 bra F; \
                P: ld.volatile.global.u32 %r3, [%rd4+-4]; setp.eq.u32 %p1, %r3, 0; @%p1 bra P; fence.acq_rel.gpu; ld.global.u32 %r4, \
                [%rd5+-4]; F: add.s32 %r4, %r4, %r2; st.global.u32 [%rd5], %r4; fence.acq_rel.gpu; atom.global.add.u32 %r5, [%rd4], 1; ret; }";
    const BLOCKS: u32 = 1024;
    let module = Arc::new(Module::parse(text).expect("parses"));
    for threads in [1, 2, 4] {
        let config = Config { threads, resident_blocks: 32, checks: Checks::NONE, ..Config::default() };
        let mut device = Device::new(Arc::clone(&module), config);
        let buffers = ["a", "b"].map(|name| device.alloc(name, 4 * u64::from(BLOCKS)).expect("fits"));
        buffers.iter().for_each(|buffer| device.write(*buffer, &[0; 4 * BLOCKS as usize]).expect("inside"));
        let args = buffers.map(Arg::Pointer).to_vec();
        let (grid, block) = ([BLOCKS, 1, 1], [1, 1, 1]);
        let report = device
            .launch(&Launch { kernel: "k".into(), grid, block, shared: 0, args, cooperative: false })
            .expect("starts");
        assert_eq!(report.status, LaunchStatus::Finished, "{:?}", report.findings);
        let [flags, sums] = buffers.map(|buffer| {
            let mut bytes = [0; 4 * BLOCKS as usize];
            device.read(buffer, &mut bytes).expect("inside");
            bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect::<Vec<_>>()
        });
        assert_eq!(flags, vec![1; BLOCKS as usize], "{threads} host threads");
        assert_eq!(sums, (0..BLOCKS).map(|at| at * (at + 1) / 2).collect::<Vec<_>>(), "{threads} host threads");
    }
}
