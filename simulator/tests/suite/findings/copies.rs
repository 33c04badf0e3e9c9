//! Copies that are under way: who looks once whether one has ended, and goes on whatever the answer is.

use simulator::{Arg, Checks, Config, Device, Finding, Launch, LaunchStatus, Module, Schedule};
use std::sync::Arc;

const EXPLORED: [Schedule; 8] = [
    Schedule::Adversarial { seed: 0 },
    Schedule::Adversarial { seed: 3 },
    Schedule::Adversarial { seed: 7 },
    Schedule::Adversarial { seed: 8 },
    Schedule::Adversarial { seed: 21 },
    Schedule::Patient { seed: 1 },
    Schedule::Pct { seed: 2, depth: 3, operations: 0 },
    Schedule::Replay,
];

/// What is found wrong with a block of 64 threads, `%r1` each, of which the first is `@!%p1`. An mbarrier `m` awaits `count` arrivals;
/// `%rd1` is global memory, `%r4` where a thread's word of `s` is.
fn findings(schedule: Schedule, count: u32, body: &str) -> Vec<Finding> {
    let text = format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in)\n{{\n\
         .reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<9>; .shared .align 16 .b8 s[256]; .shared .align 8 .b64 m;\n\
         ld.param.u64 %rd1, [in]; mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; mov.u32 %r4, s; mad.lo.u32 %r4, %r1, 4, %r4;\n\
         @%p1 bra I; mbarrier.init.shared::cta.b64 [m], {count}; I: bar.sync 0;\n\
         {body}\n}}\n"
    );
    let module = Arc::new(Module::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}")));
    let mut device = Device::new(module, Config { checks: Checks::ALL, schedule, ..Config::default() });
    let input = device.alloc("in", 256).expect("fits");
    device.write(input, &[1; 256]).expect("inside");
    let args = vec![Arg::Pointer(input)];
    let launch = Launch { kernel: "k".into(), grid: [1, 1, 1], block: [64, 1, 1], shared: 0, args, cooperative: false };
    let report = device.launch(&launch).expect("starts");
    assert!(report.status == LaunchStatus::Finished || !report.findings.is_empty(), "{body}");
    report.findings
}

/// The kinds of what is found, each once.
fn kinds(schedule: Schedule, count: u32, body: &str) -> Vec<&'static str> {
    let mut kinds: Vec<_> = findings(schedule, count, body).iter().map(|finding| finding.kind.name().name()).collect();
    kinds.dedup();
    kinds
}

/// The first thread has a bulk copy fill `s`.
const BULK: &str = "@%p1 bra C; mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 256;\n\
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [m];\nC:";
/// Every thread has its word copied.
const EACH: &str = "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2; cp.async.ca.shared.global [%r4], [%rd2], 4;\n\
    cp.async.mbarrier.arrive.noinc.shared::cta.b64 [m];";
/// The same, with an arrival of its own besides the one of its copy.
const BOTH: &str = "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2; cp.async.ca.shared.global [%r4], [%rd2], 4;\n\
    cp.async.mbarrier.arrive.shared::cta.b64 [m]; mbarrier.arrive.shared::cta.b64 _, [m];";
const READ: &str = "ld.shared.u32 %r5, [%r4]; setp.eq.u32 %p3, %r5, 0; @%p3 trap; ret;";

#[test]
fn who_looks_once_and_goes_on_has_not_waited_for_a_copy() {
    for (count, copy) in [(1, BULK), (64, EACH), (64, BOTH)] {
        for (wait, loops) in [
            ("mbarrier.try_wait.parity.shared::cta.b64 %p2, [m], 0;", false),
            ("mbarrier.test_wait.parity.shared::cta.b64 %p2, [m], 0;", false),
            ("W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [m], 0; @!%p2 bra W;", true),
            ("W: mbarrier.test_wait.parity.shared::cta.b64 %p2, [m], 0; @!%p2 bra W;", true),
            ("W: mbarrier.test_wait.parity.shared::cta.b64 %p2, [m], 0; @%p2 bra D; nanosleep.u32 20; bra W; D:", true),
            ("@%p1 bra D; W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [m], 0; @!%p2 bra W; D: bar.sync 0;", true),
        ] {
            let sync = if count == 1 && !loops { "bar.sync 0;" } else { "" };
            let body = format!("{copy} {sync} {wait} {READ}");
            for schedule in EXPLORED {
                let expected: &[&str] = if loops { &[] } else { &["race"] };
                assert_eq!(kinds(schedule, count, &body), expected, "{schedule:?}: {body}");
            }
        }
    }
}

#[test]
fn a_token_says_which_phase_of_copies_is_awaited() {
    let body = |wait: &str| {
        format!(
            "mov.b64 %rd3, 0; @%p1 bra C; mbarrier.arrive.expect_tx.shared::cta.b64 %rd3, [m], 256;\n\
             cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [m]; {wait}\n\
             ld.shared.u32 %r5, [s]; add.u32 %r5, %r5, 1; setp.eq.u32 %p3, %r5, 0; @%p3 trap; C: ret;"
        )
    };
    for schedule in EXPLORED {
        let once = body("mbarrier.try_wait.shared::cta.b64 %p2, [m], %rd3;");
        assert_eq!(kinds(schedule, 1, &once), ["race"], "{schedule:?}");
        let waited = body("W: mbarrier.try_wait.shared::cta.b64 %p2, [m], %rd3; @!%p2 bra W;");
        assert_eq!(kinds(schedule, 1, &waited), [""; 0], "{schedule:?}");
    }
}

#[test]
fn each_phase_of_copies_is_waited_for() {
    // Two copies one after the other; the second is looked at `once` or in a loop.
    let body = |second: &str| {
        format!(
            "@%p1 bra C; mov.u32 %r6, 0; L: mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 256;\n\
             cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [m];\n\
             setp.eq.u32 %p4, %r6, 1; @%p4 bra S; W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [m], 0; @!%p2 bra W;\n\
             ld.shared.u32 %r5, [s]; fence.proxy.async; mov.u32 %r6, 1; bra L; S: {second} ld.shared.u32 %r5, [s];\n\
             setp.eq.u32 %p3, %r5, 0; @%p3 trap; C: ret;"
        )
    };
    for schedule in EXPLORED {
        let once = body("mbarrier.try_wait.parity.shared::cta.b64 %p2, [m], 1;");
        assert_eq!(kinds(schedule, 1, &once), ["race"], "{schedule:?}");
        let waited = body("V: mbarrier.try_wait.parity.shared::cta.b64 %p2, [m], 1; @!%p2 bra V;");
        assert_eq!(kinds(schedule, 1, &waited), [""; 0], "{schedule:?}");
    }
}

#[test]
fn what_threads_did_themselves_or_have_seen_is_done() {
    let once = "mbarrier.test_wait.parity.shared::cta.b64 %p2, [m], 0; @!%p2 trap;";
    for schedule in EXPLORED {
        // All have arrived before the barrier.
        let arrived = format!("mbarrier.arrive.shared::cta.b64 _, [m]; bar.sync 0; {once} ret;");
        assert_eq!(kinds(schedule, 64, &arrived), [""; 0], "{schedule:?}");
        // A thread counts the bytes itself.
        let counted = format!(
            "@%p1 bra C; mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 16;\n\
             mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [m], 16; C: bar.sync 0; {once} ret;"
        );
        assert_eq!(kinds(schedule, 1, &counted), [""; 0], "{schedule:?}");
        // One has waited for all.
        let seen = format!(
            "{BULK} @%p1 bra D; W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [m], 0; @!%p2 bra W; D: bar.sync 0;\n\
             {once} {READ}"
        );
        assert_eq!(kinds(schedule, 1, &seen), [""; 0], "{schedule:?}");
    }
}

#[test]
fn a_copy_that_never_comes_is_still_waited_for_in_vain() {
    let body = "@%p1 bra C; mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 512;\n\
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [m]; C:\n\
        W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [m], 0; @!%p2 bra W; ret;";
    for schedule in EXPLORED {
        assert_eq!(kinds(schedule, 1, body), ["livelock"], "{schedule:?}");
    }
}

/// Its first thread has a bulk copy write `s` to global memory, `by`, and waits like that; then all do something.
fn stored(by: &str, wait: &str, then: &str) -> String {
    format!(
        "st.shared.u32 [%r4], %r1; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2; fence.proxy.async; bar.sync 0;\n\
         @%p1 bra C; {by} [%rd1], [s], 256; cp.async.bulk.commit_group; {wait}\nC: bar.sync 0; {then} ret;"
    )
}

const STORE: &str = "cp.async.bulk.global.shared::cta.bulk_group";
const ADD: &str = "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32";
/// Each thread reads what it does not write, so that nothing hangs on who does.
const LOOK: &str = "ld.global.u32 %r5, [%rd2]; setp.eq.u32 %p3, %r5, 77; @%p3 trap;";

#[test]
fn what_a_bulk_store_writes_is_there_when_its_group_has_been_waited_for() {
    for by in [STORE, ADD] {
        for schedule in EXPLORED {
            let found = |wait: &str, then: &str| kinds(schedule, 1, &stored(by, wait, then));
            for wait in ["", "cp.async.bulk.wait_group.read 0;", "cp.async.bulk.wait_group 1;"] {
                assert_eq!(found(wait, LOOK), ["race"], "{schedule:?}: {by} {wait}");
                assert_eq!(found(wait, "st.global.u32 [%rd2], %r1;"), ["race"], "{schedule:?}: {by} {wait}");
                let own = format!("@%p1 bra D; {LOOK} D:");
                assert_eq!(found(wait, &own), ["race"], "{schedule:?}: {by} {wait}");
            }
            for wait in ["cp.async.bulk.wait_group 0;", "cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;"]
            {
                assert_eq!(found(wait, LOOK), [""; 0], "{schedule:?}: {by} {wait}");
                assert_eq!(found(wait, "st.global.u32 [%rd2], %r1;"), [""; 0], "{schedule:?}: {by} {wait}");
            }
            // Its source may be used again as soon as it has been read.
            let again = "st.shared.u32 [%r4], %r1;";
            assert_eq!(found("cp.async.bulk.wait_group.read 0;", again), [""; 0], "{schedule:?}: {by}");
            assert_eq!(found("cp.async.bulk.wait_group.read 1;", again), ["race"], "{schedule:?}: {by}");
        }
    }
}

#[test]
fn who_waits_for_another_copy_has_not_waited_for_a_bulk_store() {
    // What comes from elsewhere is awaited at the mbarrier, where the store has never arrived.
    let copy = "add.u64 %rd3, %rd1, 240; mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 16;\n\
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+240], [%rd3], 16, [m]; C:\n\
        W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [m], 0; @!%p2 bra W; ld.global.u32 %r5, [%rd1];";
    let body = format!(
        "st.shared.u32 [%r4], %r1; fence.proxy.async; bar.sync 0; @%p1 bra C;\n\
         {STORE} [%rd1], [s], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; {copy}\n\
         setp.eq.u32 %p3, %r5, 77; @%p3 trap; bar.sync 0; @%p1 bra D; cp.async.bulk.wait_group 0; D: ret;"
    );
    for schedule in EXPLORED {
        assert_eq!(kinds(schedule, 1, &body), ["race"], "{schedule:?}");
    }
}

#[test]
fn one_wait_is_for_however_many_groups() {
    let body = |last: &str| {
        format!(
            "@%p1 bra C; mov.u32 %r6, 0; L: st.shared.u32 [s], %r6; fence.proxy.async; and.b32 %r7, %r6, 240;\n\
             cvt.u64.u32 %rd3, %r7; add.u64 %rd2, %rd1, %rd3; cp.async.bulk.wait_group 15; {STORE} [%rd2], [s], 16;\n\
             cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; add.u32 %r6, %r6, 16;\n\
             setp.ne.u32 %p4, %r6, 240; @%p4 bra L; {last} C: bar.sync 0; ld.global.u32 %r5, [%rd1];\n\
             setp.eq.u32 %p3, %r5, 77; @%p3 trap; ret;"
        )
    };
    let empty =
        "mov.u32 %r6, 0; E: cp.async.bulk.commit_group; add.u32 %r6, %r6, 1; setp.ne.u32 %p4, %r6, 5000; @%p4 bra E;";
    let all = format!("{empty} cp.async.bulk.wait_group 0;");
    assert_eq!(kinds(Schedule::Replay, 1, &body(&all)), [""; 0]);
    assert_eq!(kinds(Schedule::Replay, 1, &body("cp.async.bulk.wait_group 14;")), [""; 0]);
    assert_eq!(kinds(Schedule::Replay, 1, &body("cp.async.bulk.wait_group 15;")), ["race"]);
}

#[test]
fn bulk_copies_and_others_have_groups_of_their_own() {
    // Thread 0 stores `s` to the front of the input; each thread copies its word from there to where it is read from.
    let body = |steps: &str, again: &str| {
        let copy = "cp.async.ca.shared.global [%r8], [%rd3], 4;";
        let steps = steps.replace("COPY", copy).replace("STORE", &format!("@%p1 bra B; {STORE} [%rd1], [s], 128; B:"));
        format!(
            "mov.u32 %r8, r; mad.lo.u32 %r8, %r1, 4, %r8; mul.wide.u32 %rd3, %r1, 2; and.b64 %rd3, %rd3, 124; add.u64 %rd3, %rd1, %rd3;\n\
             add.u64 %rd3, %rd3, 128; st.shared.u32 [%r4], %r1; fence.proxy.async; bar.sync 0;\n\
             {steps} bar.sync 0; {again} cp.async.wait_all; cp.async.bulk.wait_group 0; ret;"
        )
        .replacen("mov.u32 %r8", ".shared .align 16 .b8 r[256]; mov.u32 %r8", 1)
    };
    let (copied, stored) = ("ld.shared.u32 %r5, [%r8];", "st.shared.u32 [%r4], %r1;");
    for (steps, then, right) in [
        ("COPY cp.async.commit_group; cp.async.bulk.wait_group 0;", copied, false),
        ("COPY cp.async.bulk.commit_group; cp.async.wait_group 0;", copied, false),
        ("STORE cp.async.bulk.commit_group; cp.async.wait_all;", stored, false),
        ("STORE cp.async.commit_group; cp.async.bulk.wait_group.read 0;", stored, false),
        ("COPY cp.async.commit_group; STORE cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;", copied, false),
        ("COPY cp.async.commit_group; STORE cp.async.bulk.commit_group; cp.async.wait_group 0;", stored, false),
        // A newer group of the other kind does not count.
        ("COPY cp.async.commit_group; STORE cp.async.bulk.commit_group; cp.async.wait_group 1;", copied, false),
        ("COPY cp.async.commit_group; STORE cp.async.bulk.commit_group; cp.async.wait_group 0;", copied, true),
        (
            "STORE cp.async.bulk.commit_group; COPY cp.async.commit_group; cp.async.bulk.wait_group.read 0;",
            stored,
            true,
        ),
        (
            "STORE cp.async.bulk.commit_group; COPY cp.async.commit_group; cp.async.bulk.wait_group.read 1;",
            stored,
            false,
        ),
        (
            "COPY cp.async.commit_group; cp.async.commit_group; STORE cp.async.bulk.commit_group; cp.async.wait_group 1;",
            copied,
            true,
        ),
    ] {
        let expected: &[&str] = if right { &[] } else { &["race"] };
        for schedule in EXPLORED {
            assert_eq!(kinds(schedule, 1, &body(steps, then)), expected, "{schedule:?}: {steps}");
        }
    }
}

#[test]
fn a_block_does_not_end_before_bulk_copies_are_done_with_its_shared_memory() {
    let put = format!("st.shared.u32 [%r4], %r1; fence.proxy.async; bar.sync 0; @%p1 bra C; {STORE} [%rd1], [s], 256;");
    let wait = "W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [m], 0; @!%p2 bra W;";
    let cases = [
        (format!("{put} C: ret;"), false),
        (format!("{put} cp.async.bulk.commit_group; C: ret;"), false),
        (format!("{put} cp.async.bulk.commit_group; ret; C: ret;"), false),
        (format!("{put} cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 1; C: bar.sync 0; ret;"), false),
        (format!("{put} cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; C: ret;"), true),
        (format!("{put} cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; C: ret;"), true),
        (format!("{BULK} ret;"), false),
        // A look whose answer nobody minds.
        (format!("{BULK} @%p1 bra D; mbarrier.try_wait.parity.shared::cta.b64 %p2, [m], 0; D: ret;"), false),
        (format!("{BULK} {wait} ret;"), true),
        // One waits for all.
        (format!("{BULK} @%p1 bra D; {wait} D: ret;"), true),
        (format!("{BULK} @!%p1 bra D; {wait} D: ret;"), true),
        (format!("{BULK} {} ret;", wait.replace("parity", "parity.relaxed.cta")), true),
        // What no bulk copy does is not looked at.
        ("cp.async.ca.shared.global [%r4], [%rd1], 4; ret;".to_owned(), true),
    ];
    for (body, right) in cases {
        let expected: &[&str] = if right { &[] } else { &["block-absent"] };
        for schedule in EXPLORED {
            assert_eq!(kinds(schedule, 1, &body), expected, "{schedule:?}: {body}");
        }
    }
    let found = findings(Schedule::Replay, 1, &format!("{put} cp.async.bulk.commit_group; C: ret;"));
    let text = found[0].kind.to_string();
    assert!(text.starts_with("the block ends while a bulk copy still reads its shared memory, `s` + 0"), "{text}");
    let found = findings(Schedule::Replay, 1, &format!("{BULK} ret;"));
    let text = found[0].kind.to_string();
    assert!(text.starts_with("the block ends while a bulk copy still writes its shared memory, `s` + 0"), "{text}");
}

#[test]
fn a_copy_reads_no_more_than_its_source_size() {
    // The first thread copies `size` of 16 bytes, the rest are zeros; one of the other warp writes the word at `written`.
    let body = |size: u32, written: u32| {
        format!(
            "mov.u32 %r5, {size}; @%p1 bra C; cp.async.cg.shared.global [s], [%rd1], 16, %r5; cp.async.wait_all;\n\
             C: setp.ne.u32 %p2, %r1, 32; @%p2 bra D; st.global.u8 [%rd1+{written}], 7; D: ret;"
        )
    };
    for (size, written) in [(4, 4), (4, 12), (8, 8), (12, 12), (6, 6), (15, 15), (0, 0)] {
        for schedule in EXPLORED {
            assert_eq!(kinds(schedule, 1, &body(size, written)), [""; 0], "{schedule:?}: {size}, {written}");
            if size > 0 {
                assert_eq!(kinds(schedule, 1, &body(size, size - 1)), ["race"], "{schedule:?}: {size}");
                assert_eq!(kinds(schedule, 1, &body(size, 0)), ["race"], "{schedule:?}: {size}");
            }
        }
    }
}

#[test]
fn a_copy_has_no_larger_source_than_what_it_fills() {
    let body = |size: &str, rest: &str| {
        format!(
            ".shared .align 16 .b8 d[1024]; mov.u32 %r5, {size}; mov.u32 %r6, d; mad.lo.u32 %r6, %r1, 16, %r6; setp.eq.u32 %p2, %r1, %r1;\n\
             cp.async.ca.shared.global [%r6], [%rd1], {rest}; cp.async.wait_all; ret;"
        )
    };
    for schedule in EXPLORED {
        for (size, to) in [("0", "16"), ("16", "16"), ("4", "4"), ("3", "8")] {
            assert_eq!(kinds(schedule, 1, &body(size, &format!("{to}, %r5"))), [""; 0], "{schedule:?}: {size} to {to}");
        }
        // Who copies nothing has no source.
        assert_eq!(kinds(schedule, 1, &body("99", "16, %p2")), [""; 0], "{schedule:?}");
        for (size, to) in [("8", "4"), ("32", "16"), ("17", "16"), ("-4", "16")] {
            let found = kinds(schedule, 1, &body(size, &format!("{to}, %r5")));
            assert_eq!(found, ["broken-promise"], "{schedule:?}: {size} to {to}");
        }
    }
    let said = |size| findings(Schedule::Replay, 1, &body(size, "16, %r5"))[0].kind.to_string();
    assert!(said("32").contains("copies 32 bytes into 16"), "{}", said("32"));
    assert!(said("-4").contains("copy of -4 bytes into 16"), "{}", said("-4"));
}
