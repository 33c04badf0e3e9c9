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
