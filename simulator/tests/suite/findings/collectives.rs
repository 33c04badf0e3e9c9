//! Lanes that name each other at a `*.sync` instruction: who waits for whom, and with which mask.

use simulator::{
    Arg, Checks, Config, Device, FindingKind, Launch, LaunchReport, LaunchStatus, Module, Schedule, Severity,
};
use std::sync::Arc;

/// A kernel of one warp, which stores `%r9` of each lane.
fn run(body: &str, schedule: Schedule) -> (LaunchReport, Vec<u32>) {
    run_with(32, body, schedule)
}

/// The same of as many threads, of which the first 32 are read back.
fn run_with(threads: u32, body: &str, schedule: Schedule) -> (LaunchReport, Vec<u32>) {
    let text = format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
         .reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<9>;\n\
         ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r9, 0;\n\
         mad.wide.u32 %rd1, %r1, 4, %rd1;\n{body}\nst.global.u32 [%rd1], %r9; ret;\n}}\n"
    );
    let module = Arc::new(Module::parse(&text).expect("the test's PTX parses"));
    let mut device = Device::new(module, Config { schedule, checks: Checks::ALL, ..Config::default() });
    let out = device.alloc("out", 256).expect("fits");
    device.write(out, &[0; 256]).expect("inside");
    let launch = Launch {
        kernel: "k".into(),
        grid: [1; 3],
        block: [threads, 1, 1],
        shared: 0,
        args: vec![Arg::Pointer(out)],
        cooperative: false,
    };
    let report = device.launch(&launch).expect("starts");
    let mut bytes = [0; 128];
    device.read(out, &mut bytes).expect("inside");
    let words = bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    (report, words.collect())
}

fn schedules() -> impl Iterator<Item = Schedule> {
    let adversarial = (0..8).map(|seed| Schedule::Adversarial { seed });
    [Schedule::Its, Schedule::PreVolta].into_iter().chain(adversarial)
}

/// Every order gives these words, and finds nothing.
fn right(body: &str, expected: impl Fn(u32) -> u32) {
    for schedule in schedules() {
        let (report, out) = run(body, schedule);
        assert_eq!((report.status, &report.findings), (LaunchStatus::Finished, &vec![]), "{schedule:?}: {body}");
        let expected: Vec<u32> = (0..32).map(&expected).collect();
        assert_eq!(out, expected, "{schedule:?}: {body}");
    }
}

/// What the first order says of wrong masks.
fn said(body: &str) -> String {
    let (report, _) = run(body, Schedule::Its);
    let masks = report.findings.iter().filter_map(|finding| match &finding.kind {
        FindingKind::SyncMask { explanation, .. } => Some(explanation.join("; ")),
        _ => None,
    });
    masks.collect::<Vec<_>>().join("; ")
}

/// Sets `%r9` to 1 for who is elected.
fn elect(mask: u32) -> String {
    format!("elect.sync %r2|%p1, {mask:#x}; selp.u32 %r9, 1, 0, %p1;")
}

#[test]
fn one_lane_of_the_mask_is_elected() {
    right(&elect(u32::MAX), |lane| u32::from(lane == 0));
    let half = format!("setp.lt.u32 %p2, %r1, 8; @%p2 bra L; {} L:", elect(0xffff_ff00));
    right(&half, |lane| u32::from(lane == 8));
    // Each half elects one of its own, and all learn who it is.
    let both = "setp.lt.u32 %p2, %r1, 16; selp.u32 %r3, 0xffff, 0xffff0000, %p2; elect.sync %r9|_, %r3;";
    right(both, |lane| lane & 16);
}

#[test]
fn an_election_waits_for_the_lanes_of_its_mask() {
    let diverged = format!("setp.gt.u32 %p2, %r1, 4; @%p2 bra L; {} L:", elect(u32::MAX));
    assert!(said(&diverged).contains("lanes 0x0000001f wait for lanes 0xffffffe0"), "{}", said(&diverged));
    assert!(said(&elect(0xfff0)).contains("lanes 0xffff000f execute it, but its mask is 0x0000fff0"));
}

#[test]
fn lanes_that_name_each_other_name_the_same_lanes() {
    // Disjoint masks, each of its own lanes.
    let halves = "setp.lt.u32 %p2, %r1, 16; selp.u32 %r3, 0xffff, 0xffff0000, %p2;";
    right(&format!("{halves} redux.sync.add.u32 %r9, %r1, %r3;"), |lane| if lane < 16 { 120 } else { 376 });
    right(&format!("{halves} setp.eq.u32 %p1, %r1, %r1; vote.sync.ballot.b32 %r9, %p1, %r3;"), |lane| {
        if lane < 16 { 0xffff } else { 0xffff_0000 }
    });
    let kinds = "and.b32 %r4, %r1, 3; match.any.sync.b32 %r3, %r4, 0xffffffff;";
    right(&format!("{kinds} shfl.sync.idx.b32 %r9, %r1, %r4, 31, %r3;"), |lane| lane & 3);
    let differing = "setp.lt.u32 %p2, %r1, 4; selp.u32 %r3, 0xf, 0xffffffff, %p2;";
    for operation in [
        "redux.sync.add.u32 %r9, %r1, %r3;",
        "vote.sync.ballot.b32 %r9, %p2, %r3;",
        "match.any.sync.b32 %r9, %r1, %r3;",
        "shfl.sync.bfly.b32 %r9, %r1, 1, 31, %r3;",
        "elect.sync %r9|%p1, %r3;",
    ] {
        let said = said(&format!("{differing} {operation}"));
        let expected = "its mask 0xffffffff names lanes 0x0000000f, which come with another: lane 0 with 0x0000000f";
        assert!(said.contains(expected), "{operation}: {said}");
    }
}

/// Lanes of four masks wait in one group, and the last one comes alone: it completes its own mask, and the others are complete without it.
#[test]
fn lanes_of_several_masks_wait_each_for_their_own() {
    let apart = ".shared .align 4 .b32 s; setp.ne.u32 %p2, %r1, 0; @%p2 bra L; st.shared.u32 [s], %r9; L: bar.sync 0; ld.shared.u32 %r9, [s];";
    let masks = "and.b32 %r2, %r1, 24; mov.b32 %r3, 0xff; shl.b32 %r3, %r3, %r2;";
    let all = "shfl.sync.bfly.b32 %r9, %r9, 16, 31, 0xffffffff;";
    right(&format!("{apart} {masks} shfl.sync.bfly.b32 %r9, %r1, 4, 31, %r3; {all}"), |lane| lane ^ 20);
    right(&format!("{apart} {masks} bar.warp.sync %r3; mov.b32 %r9, %r1; {all}"), |lane| lane ^ 16);
}

/// In the last warp of 35 threads there is no lane 4: its value may be asked for, and be thrown away, but not be used.
#[test]
fn a_lane_that_the_last_warp_never_had_may_be_asked_in_vain() {
    let ask = "shfl.sync.idx.b32 %r2, %r1, 4, 31, 0xffffffff; setp.lt.u32 %p1, %r1, 32;";
    let vain = [
        format!("{ask} selp.b32 %r9, %r2, %r1, %p1;"),
        format!("{ask} @!%p1 bra L; mul.lo.u32 %r9, %r2, %r2; L:"),
        format!("{ask} setp.ne.and.u32 %p2, %r2, 4, %p1; @%p2 trap;"),
    ];
    for schedule in schedules() {
        for body in &vain {
            let (report, _) = run_with(35, body, schedule);
            let wrong = report.findings.iter().find(|finding| !finding.is_suspicion());
            assert_eq!((report.status, wrong), (LaunchStatus::Finished, None), "{schedule:?}: {body}");
        }
        for used in ["mov.b32 %r9, %r2;", "shfl.sync.idx.b32 %r9, %r2, 0, 31, 0xffffffff;"] {
            let (report, _) = run_with(35, &format!("{ask} {used}"), schedule);
            let wrong = report.findings.iter().find(|finding| !finding.is_suspicion());
            let wrong = wrong.map(|finding| &finding.kind);
            assert!(matches!(wrong, Some(FindingKind::SyncMask { .. })), "{schedule:?}: {used}");
        }
        // One that has exited is another matter: all ask for it, and somebody meant it to be there.
        let gone = format!("setp.eq.u32 %p3, %r1, 4; @%p3 exit; {ask} @!%p1 bra L; mul.lo.u32 %r9, %r2, %r2; L:");
        let (report, _) = run_with(32, &gone, schedule);
        assert!(report.findings.iter().any(|finding| !finding.is_suspicion()), "{schedule:?}");
    }
}

/// Who waits at a barrier in a branch is missed at the next shuffle: the barrier is what is wrong. Who waits at a barrier behind a shuffle in
/// a branch is missed there as well, and there it is the shuffle.
#[test]
fn lanes_that_wait_at_a_barrier_are_missed_behind_it_or_before() {
    let some = "setp.ne.u32 %p2, %r1, 0; @%p2 bra L;";
    let shuffle = "shfl.sync.down.b32 %r9, %r1, 1, 31, 0xffffffff;";
    for (body, kind, parts) in [
        (
            format!("{some} bar.sync 0; L: {shuffle}"),
            "divergent-barrier",
            ["lanes 0x00000001 of the warp reach barrier 0", "a shuffle"],
        ),
        (
            format!("{some} {shuffle} L: bar.sync 0;"),
            "sync-mask",
            ["waits in PTX line", "at a shuffle for lanes 1-31 of warp 0, which its mask 0xffffffff names"],
        ),
        (
            format!(
                "mov.u32 %r3, 0; A: {some} bar.sync 0; L: {shuffle} add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 3; @%p1 bra A;"
            ),
            "divergent-barrier",
            ["without lanes 0xfffffffe", "a shuffle"],
        ),
    ] {
        let (report, _) = run(&body, Schedule::Its);
        let faults = report.findings.iter().filter(|finding| finding.severity == Severity::Fault);
        let fault = faults.map(|finding| &finding.kind).next().expect("a fault");
        assert_eq!(fault.name().name(), kind, "{body}: {fault}");
        assert!(parts.iter().all(|part| fault.to_string().contains(part)), "{body}: {fault}");
        let others = report.findings.iter().filter(|finding| finding.kind.name().name() == "divergent-barrier").count();
        assert_eq!(others, usize::from(kind == "divergent-barrier"), "{body}: {:?}", report.findings);
    }
}

/// PTX lets each warp come to a barrier at a place of its own; `__syncthreads()` has to be the same for all threads. NVRTC's comments tell one
/// from the other. In neither may lanes of a warp part.
#[test]
fn warps_may_come_to_barriers_of_inline_ptx_in_different_places() {
    let both = |barrier: &str, of: &str| {
        let body =
            format!("setp.lt.u32 %p1, %r1, {of}; @%p1 bra L;\n{barrier}\nbra M; L:\n{barrier}\nM: mov.u32 %r9, 3;",);
        let (report, _) = run_with(64, &body, Schedule::Its);
        report
            .findings
            .iter()
            .map(|finding| finding.explain(&|object, _| object.to_string()).sentence)
            .collect::<Vec<_>>()
    };
    let inline = "// begin inline asm\nbar.sync 0;\n// end inline asm\n";
    let elsewhere = "not all threads of the block wait at the same barrier";
    assert_eq!(both(inline, "32"), [""; 0]);
    assert_eq!(both("bar.sync 0;\n", "32"), [elsewhere]);
    assert!(!both(inline, "16").is_empty());
    assert_eq!(both(&format!("{inline}bar.sync 0;\n"), "32"), [elsewhere]);
}
