//! Loops that never end are proven to, loops that end are not called endless; who communicates.

use simulator::{
    Arg, Checks, Config, Device, FindingKind, Launch, LaunchReport, LaunchStatus, Limits, Module, Schedule,
};
use std::sync::Arc;

/// A kernel `k(u64 c, u64 a)`: `%rd1` is a buffer of 64 words, all 0, `k_param_1` an input, `%r1` the thread, `%r2` to `%r4` are 0.
fn module(body: &str) -> Arc<Module> {
    let late = ".func (.reg .b32 %late) late { mov.u32 %late, %clock; shr.u32 %late, %late, 18; ret; }";
    let nine = ".func nine { .reg .b32 %n; .reg .pred %q; mov.u32 %n, 0; N: add.u32 %n, %n, 1; setp.lt.u32 %q, %n, 9; @%q bra N; ret; }";
    let late =
        [("late", late), ("nine", nine)].into_iter().find(|(name, _)| body.contains(name)).map_or("", |found| found.1);
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n{late}\n.visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)\n{{\n\
         .local .align 4 .b8 own[16]; .shared .align 4 .b8 tile[64];\n\
         .reg .pred %p<9>; .reg .b32 %r<20>; .reg .f32 %f<9>; .reg .b64 %rd<9>;\nld.param.u64 %rd1, [k_param_0];\n\
         mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 0;\n{body}\nret;\n}}\n"
    );
    Arc::new(Module::parse(&text).expect("the test's PTX parses"))
}

fn launch(body: &str, threads: u32, config: Config) -> LaunchReport {
    let mut device = Device::new(module(body), config);
    let c = device.alloc("c", 256).expect("fits");
    device.write(c, &[0; 256]).expect("inside");
    let a = device.alloc("a", 256).expect("fits");
    device.write(a, &[0; 256]).expect("inside");
    device.protect(a).expect("an allocation");
    let args = vec![Arg::Pointer(c), Arg::Pointer(a)];
    let launch =
        Launch { kernel: "k".into(), grid: [1; 3], block: [threads, 1, 1], shared: 0, args, cooperative: false };
    device.launch(&launch).expect("starts")
}

/// Ways to run: schedules, with and without checks.
fn ways(steps: u64) -> Vec<Config> {
    let schedules = [
        Schedule::Its,
        Schedule::PreVolta,
        Schedule::Adversarial { seed: 0 },
        Schedule::Pct { seed: 2, depth: 3, operations: 0 },
        Schedule::Patient { seed: 3 },
    ];
    let limits = Limits { steps, ..Limits::default() };
    let with = |schedule, checks| Config { schedule, checks, limits, ..Config::default() };
    schedules
        .into_iter()
        .flat_map(|schedule| [Checks::ALL, Checks::NONE].map(|checks| with(schedule, checks)))
        .collect()
}

/// Loops without an end: name, body, whether nothing that others do could end it.
const ENDLESS: [(&str, &str, bool); 20] = [
    ("nothing", "L: bra L;", true),
    ("one lane", "setp.ne.u32 %p1, %r1, 7; @%p1 bra E; L: xor.b32 %r2, %r2, 1; bra L; E:", true),
    ("a cycle of 97", "L: add.u32 %r2, %r2, 1; rem.u32 %r2, %r2, 97; setp.lt.u32 %p1, %r2, 97; @%p1 bra L;", true),
    ("a loop inside", "L: mov.u32 %r2, 0; M: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 200; @%p1 bra M; bra L;", true),
    (
        "two ways each turn",
        "L: and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra A; add.u32 %r4, %r3, 1; A: bra L;",
        true,
    ),
    ("it only writes", "L: st.global.u32 [%rd1], 5; bra L;", true),
    ("it reads what nobody changes", "L: ld.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;", true),
    (
        "it polls what nobody changes",
        "L: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;",
        false,
    ),
    (
        "it reads again behind a fence",
        "L: ld.global.u32 %r2, [%rd1]; membar.gl; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;",
        false,
    ),
    (
        "it polls, and reads more",
        "L: ld.relaxed.gpu.global.u32 %r2, [%rd1]; ld.global.u32 %r3, [%rd1+4]; bra L;",
        false,
    ),
    ("it reads an input", "ld.param.u64 %rd2, [k_param_1]; L: ld.global.u32 %r2, [%rd2]; bra L;", true),
    (
        "it reads an input, and changes memory by atomics without a result",
        "ld.param.u64 %rd2, [k_param_1]; L: ld.global.u32 %r2, [%rd2]; atom.global.add.u32 %r15, [%rd1], 1; bra L;",
        true,
    ),
    (
        "it reads a table that others have filled before",
        "mov.u32 %r5, tile; mad.lo.u32 %r5, %r1, 4, %r5; and.b32 %r3, %r1, 15; setp.ne.u32 %p1, %r3, %r1; @%p1 bra B; \
         st.shared.u32 [%r5], %r1; B: bar.sync 0; L: ld.shared.u32 %r2, [tile+8]; bra L;",
        true,
    ),
    (
        "it reads what an atomic of another thread has taken",
        "setp.ne.u32 %p1, %r1, 0; @%p1 bra L; atom.global.exch.b32 %r3, [%rd1], 1; add.u32 %r4, %r3, 1; \
         L: bar.warp.sync -1; setp.eq.u32 %p1, %r1, 0; @%p1 exit; M: ld.global.u32 %r2, [%rd1]; bra M;",
        false,
    ),
    (
        "an atomic that changes nothing",
        "L: atom.global.or.b32 %r2, [%rd1], 0; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;",
        false,
    ),
    ("a clock before it", "mov.u32 %r3, %clock; st.global.u32 [%rd1], %r3; L: xor.b32 %r2, %r2, 1; bra L;", true),
    (
        "a clock before a wait, and another in its own loop",
        "C: mov.u32 %r3, %clock; st.global.u32 [%rd1+4], %r3; setp.eq.u32 %p1, %r3, 0; @%p1 bra C;\n\
         L: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;",
        false,
    ),
    (
        "a clock whose value goes nowhere",
        "L: mov.u64 %rd5, %clock64; cvt.u32.u64 %r5, %rd5; add.u32 %r6, %r6, %r5; \
         ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;",
        false,
    ),
    (
        "a list that comes back to itself, and its length",
        "L: mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3]; add.u32 %r4, %r4, 1; \
         setp.lt.u32 %p1, %r2, 64; @%p1 bra L; st.global.u32 [%rd1+4], %r4;",
        true,
    ),
    (
        "a sum that is taken along by a shuffle of something else",
        "L: shfl.sync.idx.b32 %r3, %r1, 0, 31, -1; add.u32 %r4, %r4, %r3; \
         add.u32 %r4, %r4, 1; bra L; st.global.u32 [%rd1+4], %r4;",
        true,
    ),
];

#[test]
fn loops_without_an_end_are_proven() {
    for (name, body, alone) in ENDLESS {
        for config in ways(1 << 24) {
            let how = format!("{name}: {:?} {:?}", config.schedule, config.checks);
            let report = launch(body, 32, config);
            assert_eq!(report.status, LaunchStatus::Stopped, "{how}");
            let kind = report
                .findings
                .iter()
                .map(|finding| &finding.kind)
                .find(|kind| matches!(kind, FindingKind::EndlessLoop { .. } | FindingKind::Livelock { .. }));
            match (kind, alone) {
                (Some(FindingKind::EndlessLoop { .. }), true) | (Some(FindingKind::Livelock { .. }), false) => {}
                _ => panic!("{how}: {:?}", report.findings),
            }
        }
    }
}

/// Loops that end late: registers may repeat for long, something else goes on.
const ENDING: [(&str, u32, &str); 17] = [
    ("a count", 32, "L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 300000; @%p1 bra L;"),
    (
        "a count in memory of which only the upper half is looked at",
        32,
        "setp.ne.u32 %p1, %r1, 0; @%p1 bra E;\n\
         L: red.global.add.u32 [%rd1], 1; ld.volatile.global.u32 %r2, [%rd1]; shr.u32 %r2, %r2, 17; \
         setp.eq.u32 %p1, %r2, 0; @%p1 bra L; E:",
    ),
    (
        "a count in local memory",
        32,
        "mov.u32 %r2, 0; st.local.u32 [own], %r2;\n\
         L: ld.local.u32 %r2, [own]; add.u32 %r2, %r2, 1; st.local.u32 [own], %r2; shr.u32 %r2, %r2, 17; \
         setp.eq.u32 %p1, %r2, 0; @%p1 bra L;",
    ),
    (
        "a count in shared memory",
        32,
        "setp.ne.u32 %p1, %r1, 0; @%p1 bra E; mov.u32 %r2, 0; st.shared.u32 [tile], %r2;\n\
         L: ld.shared.u32 %r2, [tile]; add.u32 %r2, %r2, 1; st.shared.u32 [tile], %r2; shr.u32 %r2, %r2, 17; \
         setp.eq.u32 %p1, %r2, 0; @%p1 bra L; E:",
    ),
    (
        "a word that another warp sets late",
        64,
        "setp.ge.u32 %p1, %r1, 32; @%p1 bra S;\n\
         L: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L; bra E;\n\
         S: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 200000; @%p1 bra S; st.volatile.global.u32 [%rd1], 1; E:",
    ),
    (
        "a clock",
        32,
        "mov.u32 %r4, %clock;\nL: mov.u32 %r2, %clock; sub.u32 %r2, %r2, %r4; setp.lt.u32 %p1, %r2, 400000; mov.u32 %r2, 0; \
         @%p1 bra L;",
    ),
    (
        "a clock around a loop that repeats itself",
        32,
        "mov.u32 %r4, %clock;\nL: mov.u32 %r2, %clock; sub.u32 %r2, %r2, %r4; shr.u32 %r2, %r2, 18; mov.u32 %r3, 0;\n\
         M: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 40; @%p2 bra M; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;",
    ),
    (
        "a word that another warp sets when its time has come",
        64,
        "setp.ge.u32 %p1, %r1, 32; @%p1 bra S;\n\
         L: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L; bra E;\n\
         S: mov.u32 %r4, %clock;\nT: mov.u32 %r3, %clock; sub.u32 %r3, %r3, %r4; setp.lt.u32 %p1, %r3, 200000; mov.u32 %r3, 0; \
         @%p1 bra T; st.volatile.global.u32 [%rd1], 1; E:",
    ),
    (
        "a clock that the loop's function reads",
        32,
        "L: call (%r2), late; setp.eq.u32 %p1, %r2, 0; mov.u32 %r2, 0; @%p1 bra L;",
    ),
    (
        "a lane that the others wait for",
        32,
        "setp.ne.u32 %p1, %r1, 3; @%p1 bra J;\n\
         L: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 200000; @%p2 bra L;\n\
         J: bar.warp.sync 0xffffffff; shfl.sync.idx.b32 %r5, %r2, 3, 31, 0xffffffff;",
    ),
    (
        "a count whose upper part comes back by shared memory",
        32,
        "L: add.u32 %r2, %r2, 1; shr.u32 %r3, %r2, 17; st.shared.u32 [tile], %r3; bar.warp.sync -1; ld.shared.u32 %r4, [tile]; \
         bar.warp.sync -1; setp.eq.u32 %p1, %r4, 0; @%p1 bra L;",
    ),
    (
        "the same by local memory",
        32,
        "L: add.u32 %r2, %r2, 1; shr.u32 %r3, %r2, 17; st.local.u32 [own], %r3; ld.local.u32 %r4, [own]; setp.eq.u32 %p1, %r4, 0; @%p1 bra L;",
    ),
    (
        "a count that only the loop around looks at",
        32,
        "L: mov.u32 %r3, 0;\nM: add.u32 %r3, %r3, 1; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r3, 40; @%p1 bra M;\n\
         setp.lt.u32 %p2, %r2, 300000; @%p2 bra L;",
    ),
    (
        "a count around a call with a loop",
        32,
        "L: call nine;\nadd.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 20000; @%p1 bra L;",
    ),
    (
        "a count of another lane",
        32,
        "L: add.u32 %r2, %r2, 1; shr.u32 %r3, %r2, 17; shfl.sync.idx.b32 %r4, %r3, 5, 31, -1; setp.eq.u32 %p1, %r4, 0; @%p1 bra L;",
    ),
    (
        "a count that says whether a register is written",
        32,
        "L: add.u32 %r2, %r2, 1; setp.gt.u32 %p2, %r2, 200000; @%p2 mov.u32 %r3, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra L;",
    ),
    (
        "a count by which an address is chosen",
        32,
        "setp.gt.u32 %p3, %r1, 40;\n\
         L: add.u32 %r2, %r2, 1; shr.u32 %r3, %r2, 17; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2; @%p3 ld.global.u32 %r4, [%rd3]; \
         setp.eq.u32 %p1, %r3, 0; @%p1 bra L;",
    ),
];

/// Every second one: two tests, for two cores.
fn assert_every_second_ends(from: usize) {
    for (name, threads, body) in ENDING.iter().skip(from).step_by(2) {
        for config in ways(1 << 26) {
            let how = format!("{name}: {:?} {:?}", config.schedule, config.checks);
            let report = launch(body, *threads, config);
            assert_eq!(report.status, LaunchStatus::Finished, "{how}: {:?}", report.findings);
        }
    }
}

#[test]
#[ignore = "long"]
fn loops_that_end_are_not_called_endless() {
    assert_every_second_ends(0);
}

#[test]
#[ignore = "long"]
fn other_loops_that_end_are_not_called_endless() {
    assert_every_second_ends(1);
}

#[test]
fn a_loop_stopped_by_the_limit_has_its_turns() {
    let limits = Limits { steps: 1 << 20, ..Limits::default() };
    let body = "L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 0xfffffff0; @%p1 bra L;";
    let report = launch(body, 32, Config { limits, ..Config::default() });
    let turns = report.findings.iter().find_map(|finding| match finding.kind {
        FindingKind::StepLimit { turns, .. } => Some(turns),
        _ => None,
    });
    assert!(turns.is_some_and(|turns| (300_000..400_000).contains(&turns)), "{:?}", report.findings);
}

/// A loop that ends lies inside the one that does not, which is the one to look at, in its own function or in the one that it calls.
#[test]
fn the_loop_that_never_ends_is_named_and_not_one_inside_of_it() {
    let inner = "mov.u32 %r2, 0; M: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 9; @%p1 bra M;";
    let counted = "setp.ne.u32 %p2, %r4, 0xfffffff0;\n@%p2 bra L;";
    let cases = [
        format!("L: {inner}\nbra L;"),
        "L: call nine;\nbra L;".to_owned(),
        format!("L: {inner} add.u32 %r4, %r4, 1; {counted}"),
        format!("L: {inner} add.u32 %r4, %r4, 1; ld.volatile.global.u32 %r3, [%rd1]; {counted}"),
    ];
    let limits = Limits { steps: 1 << 20, ..Limits::default() };
    for body in &cases {
        let report = launch(body, 32, Config { limits, ..Config::default() });
        let finding = &report.findings[0];
        let line = 10 + body.lines().count() as u32;
        assert_eq!(finding.place.ptx_line, line, "{body}: {finding:?}");
        if let FindingKind::StepLimit { turns, .. } = finding.kind {
            assert!(turns > 10_000, "{body}: {turns}");
        }
    }
    // One that goes on for ever inside of one that has come round a few times is the one.
    let body = "L: mov.u32 %r2, 0;\nM: add.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, %r5; @%p1 bra M;\n\
                add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 5; selp.b32 %r5, %r5, 0xfffffff0, %p2; bra L;";
    let report = launch(&format!("mov.u32 %r5, 1; {body}"), 32, Config { limits, ..Config::default() });
    assert_eq!(report.findings[0].place.ptx_line, 12, "{:?}", report.findings);
}

#[test]
fn a_wait_stopped_by_the_limit_says_what_it_polls() {
    let limits = Limits { steps: 1 << 18, ..Limits::default() };
    let polls = |body: &str| {
        let report = launch(body, 32, Config { limits, ..Config::default() });
        match &report.findings[0].kind {
            FindingKind::StepLimit { polls, .. } => {
                polls.iter().map(|poll| poll.location.is_some()).collect::<Vec<_>>()
            }
            other => panic!("{other}"),
        }
    };
    // A clock in it whose value goes somewhere forbids the proof that it never ends.
    let look = "ld.relaxed.gpu.global.u32 %r2, [%rd1]; mov.u32 %r3, %clock; st.global.u32 [%rd1+8], %r3; \
                setp.ne.u32 %p1, %r2, 12345;";
    assert_eq!(polls(&format!("L: {look} @%p1 bra L;")), [true]);
    assert_eq!(
        polls(&format!("{look} L: add.u32 %r4, %r4, 1; st.global.u32 [%rd1+12], %r4; @%p1 bra L;")),
        [false; 0],
        "it looked before the loop"
    );
}

#[test]
fn what_is_left_of_a_loop_is_where_its_inlined_part_was_called() {
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.loc 1 10 1\n\
                L:\n.loc 1 3 5, function_name info, inlined_at 1 12 9\nbra.uni L;\n}\n.file 1 \"k.cu\"\n";
    let module = Arc::new(Module::parse(text).expect("the test's PTX parses"));
    let mut device = Device::new(module, Config::default());
    let args = Vec::new();
    let launch = Launch { kernel: "k".into(), grid: [1; 3], block: [1; 3], shared: 0, args, cooperative: false };
    let report = device.launch(&launch).expect("starts");
    assert_eq!(report.findings[0].place.line, 12, "{:?}", report.findings);
}

/// Warps 2 and 3 each hold a lock and want the other's; warps 0 and 1 want one of them.
#[test]
fn those_who_wait_in_a_circle_are_told_of_first() {
    let body = "and.b32 %r5, %r1, 31; setp.ne.u32 %p1, %r5, 0; @%p1 exit; shr.u32 %r5, %r1, 5; setp.lt.u32 %p2, %r5, 2; \
                and.b32 %r6, %r5, 1; mul.wide.u32 %rd2, %r6, 4; add.s64 %rd3, %rd1, %rd2; @%p2 bra B;\n\
                atom.global.cas.b32 %r7, [%rd3], 0, 1; setp.ne.u32 %p3, %r7, 0; @%p3 trap; xor.b32 %r6, %r6, 1; \
                mul.wide.u32 %rd2, %r6, 4; add.s64 %rd3, %rd1, %rd2;\n\
                B: bar.sync 0; L: atom.global.cas.b32 %r7, [%rd3], 0, 1; setp.ne.u32 %p3, %r7, 0; @%p3 bra L;";
    let report = launch(body, 128, Config::default());
    let finding = &report.findings[0];
    let FindingKind::Livelock { polls, explanation } = &finding.kind else { panic!("{finding:?}") };
    let who: Vec<&str> = polls.iter().map(|poll| poll.lanes.as_str()).collect();
    assert_eq!(who, [2, 3, 0, 1].map(|warp| format!("lane 0 of warp {warp}")), "{polls:?}");
    let changed = |at: usize| polls[at].last_change.clone().unwrap_or_default();
    assert!(changed(0).starts_with("lane 0 of warp 3") && changed(1).starts_with("lane 0 of warp 2"), "{polls:?}");
    assert!(explanation[0].starts_with("the first 2 wait in a circle"), "{explanation:?}");
    assert_eq!(finding.place.thread, [64, 0, 0]);
}

#[test]
fn who_communicates() {
    for body in [
        "bar.sync 0;",
        "activemask.b32 %r2;",
        "ld.relaxed.gpu.global.u32 %r2, [%rd1];",
        "ld.acquire.gpu.global.u32 %r2, [%rd1];",
        "st.release.gpu.global.u32 [%rd1], 1;",
        "st.relaxed.sys.global.u32 [%rd1], 1;",
        "ld.volatile.global.u32 %r2, [%rd1];",
        "ld.shared.u32 %r2, [tile];",
        "red.global.add.u32 [%rd1], 1;",
        "atom.global.add.u32 %r2, [%rd1], 1;",
        "shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffffffff;",
        "bar.warp.sync 0xffffffff;",
        "vote.sync.any.pred %p1, %p2, 0xffffffff;",
        "nanosleep.u32 20;",
        "mov.u32 %r2, %clock;",
        "mbarrier.init.shared.b64 [tile], 4;",
        "cp.async.ca.shared.global [tile], [%rd1], 4;",
        "fence.acq_rel.gpu;",
        "elect.sync %r2|%p1, 0xffffffff;",
    ] {
        assert!(module(body).communicates(), "{body}");
    }
    for body in [
        "",
        "ld.global.u32 %r2, [%rd1];",
        "st.global.u32 [%rd1], %r1;",
        "st.local.u32 [own], %r1;",
        "mov.u32 %r2, %laneid;",
    ] {
        assert!(!module(body).communicates(), "{body}");
    }
}
