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
