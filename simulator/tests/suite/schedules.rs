//! Explored orders: planted bugs that need a certain order, their shortest witnesses, loops that wait for ever.

use simulator::explore::{Effort, Shortest, Trial, Witness, minimise};
use simulator::finding::as_named;
use simulator::{Arg, Config, Device, FindingKind, Launch, LaunchReport, LaunchStatus, Limits, Module, Schedule};
use std::sync::Arc;

/// Who plays the two parts of a planted bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Between {
    Lanes,
    Warps,
    Blocks,
}

const ALL: [Between; 3] = [Between::Lanes, Between::Warps, Between::Blocks];

/// A kernel `k(u64 out)` whose parts are `first` and `second`; `%rd1` is where they meet, `%rd3` the part's own word.
fn module(first: &str, second: &str, between: Between) -> Arc<Module> {
    let (who, part) = match between {
        Between::Lanes => ("mov.u32 %r1, %tid.x;", "mov.u32 %r2, 0;"),
        Between::Warps => ("mov.u32 %r1, %tid.x; shr.u32 %r1, %r1, 5;", "mov.u32 %r2, %tid.x; and.b32 %r2, %r2, 31;"),
        Between::Blocks => ("mov.u32 %r1, %ctaid.x;", "mov.u32 %r2, %tid.x;"),
    };
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_param_0)\n{{\n\
         .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\nld.param.u64 %rd1, [k_param_0];\n{who}\n{part}\n\
         mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n\
         setp.ne.u32 %p1, %r2, 0; @%p1 bra END; setp.gt.u32 %p1, %r1, 1; @%p1 bra END;\n\
         setp.eq.u32 %p2, %r1, 1; @%p2 bra SECOND;\n{first}\nbra.uni END;\nSECOND:\n{second}\nEND: ret;\n}}\n"
    );
    Arc::new(Module::parse(&text).expect("the test's PTX parses"))
}

fn run(module: &Arc<Module>, config: Config, between: Between) -> (LaunchReport, Vec<u32>) {
    let mut device = Device::new(Arc::clone(module), config);
    let out = device.alloc("out", 64).expect("fits");
    device.write(out, &[0; 64]).expect("inside");
    let (grid, block) = match between {
        Between::Lanes | Between::Warps => ([1, 1, 1], [64, 1, 1]),
        Between::Blocks => ([2, 1, 1], [32, 1, 1]),
    };
    let launch =
        Launch { kernel: "k".into(), grid, block, shared: 0, args: vec![Arg::Pointer(out)], cooperative: false };
    let report = device.launch(&launch).expect("starts");
    let mut bytes = [0; 64];
    device.read(out, &mut bytes).expect("inside");
    (report, bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect())
}

fn with(schedule: Schedule) -> Config {
    Config { schedule, ..Config::default() }
}

fn replay(witness: &Witness) -> Config {
    Config { schedule: Schedule::Replay, witness: witness.clone(), ..Config::default() }
}

/// Two parts add one to a word; neither expects the other between its load and its store.
const ADD: &str = "ld.volatile.global.u32 %r5, [%rd1+32]; add.u32 %r5, %r5, 1; st.volatile.global.u32 [%rd1+32], %r5;";
/// The first part sets and clears a word, the second looks twice; it may not see it set first and clear then.
const SET: &str = "st.volatile.global.u32 [%rd1+32], 1; st.volatile.global.u32 [%rd1+32], 0;";
const LOOK: &str = "ld.volatile.global.u32 %r5, [%rd1+32]; ld.volatile.global.u32 %r6, [%rd1+32]; \
                    shl.b32 %r5, %r5, 1; or.b32 %r5, %r5, %r6; st.global.u32 [%rd1+36], %r5;";

/// The planted bugs: parts, stops that they need, what shows them.
type Bug = (&'static str, &'static str, usize, fn(&[u32]) -> bool);
const BUGS: [Bug; 2] = [(ADD, ADD, 1, |out| out[8] != 2), (SET, LOOK, 2, |out| out[9] == 2)];

fn trial(module: &Arc<Module>, config: Config, between: Between, wrong: fn(&[u32]) -> bool) -> Trial {
    let (report, out) = run(module, config, between);
    assert_eq!(report.status, LaunchStatus::Finished, "{:?}", report.findings);
    let mut trial = Trial::new();
    trial.add(&report);
    trial.failed = wrong(&out);
    trial
}

fn pct(seed: u64, depth: u32, operations: u64) -> Schedule {
    Schedule::Pct { seed, depth, operations }
}

fn shortest(module: &Arc<Module>, failed: &Trial, between: Between, wrong: fn(&[u32]) -> bool) -> Shortest {
    let again = |witness: &Witness| Ok::<_, ()>(trial(module, replay(witness), between, wrong));
    minimise(failed, &Effort::default(), again).expect("runs").expect("fails again")
}

#[test]
fn fixed_orders_miss_what_random_priorities_find() {
    for between in ALL {
        for (first, second, stops, wrong) in BUGS {
            let module = module(first, second, between);
            let fixed = (0..8).map(|seed| Schedule::Adversarial { seed });
            for schedule in fixed.chain([Schedule::Its, Schedule::PreVolta, pct(0, 1, 0)]) {
                let trial = trial(&module, with(schedule), between, wrong);
                // Volatile stores that come late to another block are another way to fail; tests/suite/late.rs has it.
                let late = trial.witness.late.is_some() && between == Between::Blocks;
                assert!(!trial.failed || late, "{schedule:?} {between:?} {stops}");
            }
            let (plain, _) = run(&module, replay(&Witness::default()), between);
            let depth = stops as u32 + 1;
            let found = (0..100).find_map(|seed| {
                let trial = trial(&module, with(pct(seed, depth, plain.order.operations)), between, wrong);
                (trial.failed && trial.witness.late.is_none()).then_some((seed, trial))
            });
            let (seed, failed) = found.unwrap_or_else(|| panic!("{between:?} {stops}"));
            // The same seed does the same.
            let again = trial(&module, with(pct(seed, depth, plain.order.operations)), between, wrong);
            assert_eq!(again, failed);
            // Replayed exactly, and with the fewest stops that will do.
            let replayed = trial(&module, replay(&failed.witness), between, wrong);
            assert_eq!(replayed.witness, failed.witness);
            assert!(replayed.failed);
            let shortest = shortest(&module, &failed, between, wrong);
            assert_eq!(shortest.witness.preemptions.len(), stops, "{between:?}: {}", shortest.witness);
            assert!(shortest.minimal && shortest.witness.preemptions.iter().all(|stop| stop.before > 0));
        }
    }
}

#[test]
fn an_order_of_unknown_length_finds_them_too() {
    let (first, second, stops, wrong) = BUGS[0];
    let module = module(first, second, Between::Warps);
    let depth = stops as u32 + 1;
    assert!((0..200).any(|seed| trial(&module, with(pct(seed, depth, 0)), Between::Warps, wrong).failed));
}

#[test]
fn a_witness_of_an_adversarial_order() {
    let (first, second, stops, wrong) = BUGS[0];
    let module = module(first, second, Between::Warps);
    let seeds = (8..400).map(|seed| trial(&module, with(Schedule::Adversarial { seed }), Between::Warps, wrong));
    let failed = seeds.into_iter().find(|trial| trial.failed).expect("some seed");
    let shortest = shortest(&module, &failed, Between::Warps, wrong);
    assert_eq!(shortest.witness.preemptions.len(), stops);
    let text = shortest.witness.to_string();
    assert_eq!(text.parse::<Witness>().as_ref(), Ok(&shortest.witness));
    assert!(["b0.w0.l0@1", "b0.w1.l0@1"].contains(&text.as_str()), "{text}");
    let words = shortest.witness.explain(&shortest.preempted);
    assert!(
        words[0].starts_with("lane 0 of warp") && words[0].contains("in block 0 stops before PTX line"),
        "{words:?}"
    );
}

/// A warp of which each lane takes a lock, and lets it go inside the loop (`inside`) or after it.
fn lock(inside: bool) -> Arc<Module> {
    let body = if inside {
        "L: atom.global.cas.b32 %r3, [%rd1+32], 0, 1; setp.ne.s32 %p1, %r3, 0; @%p1 bra N; \
         ld.volatile.global.u32 %r4, [%rd1+36]; add.u32 %r4, %r4, 1; st.volatile.global.u32 [%rd1+36], %r4; \
         membar.gl; atom.global.exch.b32 %r5, [%rd1+32], 0; mov.u32 %r6, 1; N: setp.eq.s32 %p2, %r6, 0; @%p2 bra L; ret;"
    } else {
        "L: atom.global.cas.b32 %r3, [%rd1+32], 0, 1; setp.ne.s32 %p1, %r3, 0; @%p1 bra L; \
         ld.volatile.global.u32 %r4, [%rd1+36]; add.u32 %r4, %r4, 1; st.volatile.global.u32 [%rd1+36], %r4; \
         membar.gl; atom.global.exch.b32 %r5, [%rd1+32], 0; ret;"
    };
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_param_0)\n{{\n\
         .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\nld.param.u64 %rd1, [k_param_0]; mov.u32 %r6, 0;\n{body}\n}}\n"
    );
    Arc::new(Module::parse(&text).expect("the test's PTX parses"))
}

fn livelock(report: &LaunchReport) -> String {
    match &report.findings[0].kind {
        kind @ FindingKind::Livelock { .. } => kind.explain(&as_named).details.join("; "),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_lock_of_lanes_ends_on_every_order_but_lockstep() {
    let orders = (0..12).map(|seed| Schedule::Adversarial { seed }).chain((0..8).map(|seed| pct(seed, 3, 0)));
    for schedule in orders.chain([Schedule::Its]) {
        for inside in [false, true] {
            let (report, out) = run(&lock(inside), with(schedule), Between::Warps);
            assert_eq!(report.status, LaunchStatus::Finished, "{schedule:?}: {:?}", report.findings);
            assert_eq!((out[8], out[9]), (0, 64), "{schedule:?}");
        }
    }
    // Before Volta who leaves the loop waits for those that are still in it.
    let (report, _) = run(&lock(false), with(Schedule::PreVolta), Between::Warps);
    let text = livelock(&report);
    assert!(text.contains("lanes 1-31 of warp 0 go round a loop"), "{text}");
    assert!(text.contains("poll `out` + 32, which lane 0 of warp 0 changed last"), "{text}");
    assert!(text.contains("lane 0 of warp 0 waits in PTX line 8 at the reconvergence point for lanes 1-31"), "{text}");
    assert!(report.counters.instructions < 100_000, "{}", report.counters.instructions);
    assert_eq!(run(&lock(true), with(Schedule::PreVolta), Between::Warps).0.status, LaunchStatus::Finished);
}

#[test]
fn a_flag_that_nobody_sets_is_a_livelock_on_every_order() {
    let wait = "W: ld.volatile.global.u32 %r5, [%rd1+32]; setp.eq.u32 %p3, %r5, 0; @%p3 bra W;";
    // With a pause that grows, until it does not: the state repeats all the same.
    let pause = "mov.u32 %r7, 8; W: ld.volatile.global.u32 %r5, [%rd1+32]; nanosleep.u32 %r7; shl.b32 %r8, %r7, 1; \
                 min.u32 %r7, %r8, 256; setp.eq.u32 %p3, %r5, 0; @%p3 bra W;";
    let orders = [Schedule::Its, Schedule::PreVolta, Schedule::Adversarial { seed: 0 }, pct(1, 3, 0)];
    for (schedule, wait) in orders.into_iter().flat_map(|schedule| [(schedule, wait), (schedule, pause)]) {
        for between in ALL {
            let (report, _) = run(&module(wait, "", between), with(schedule), between);
            let text = livelock(&report);
            assert!(text.starts_with("lane 0 of warp 0") && text.contains("polls `out` + 32"), "{schedule:?}: {text}");
            // Before Volta, lanes that went past the loop wait for those in it.
            let alone = schedule != Schedule::PreVolta;
            assert!(!alone || text.contains("no other thread is left"), "{text}");
            assert!(report.counters.instructions < 100_000);
        }
    }
}

#[test]
fn locks_taken_in_opposite_orders() {
    let take = |lock: u32| {
        format!("L{lock}%: atom.global.cas.b32 %r5, [%rd1+{lock}], 0, 1; setp.ne.u32 %p3, %r5, 0; @%p3 bra L{lock}%;")
    };
    let both = |a: u32, b: u32, name: &str| {
        let free = format!("atom.global.exch.b32 %r6, [%rd1+{a}], 0; atom.global.exch.b32 %r6, [%rd1+{b}], 0;");
        format!("{}{}{free}", take(a), take(b))
            .replace('%', "%")
            .replace("%:", &format!("{name}:"))
            .replace("%;", &format!("{name};"))
    };
    let module = module(&both(32, 36, "A"), &both(36, 32, "B"), Between::Blocks);
    let (report, _) = run(&module, with(Schedule::Its), Between::Blocks);
    assert_eq!(report.status, LaunchStatus::Finished);
    // Block 0 stops before it takes its second lock.
    let witness: Witness = "b0.w0@1".parse().expect("a witness");
    let (report, _) = run(&module, replay(&witness), Between::Blocks);
    let text = livelock(&report);
    assert!(text.contains("lane 0 of warp 0 in block 0 goes round a loop in PTX line"), "{text}");
    assert!(text.contains("polls `out` + 36, which lane 0 of warp 0 in block 1 changed last"), "{text}");
    assert!(text.contains("polls `out` + 32, which lane 0 of warp 0 in block 0 changed last"), "{text}");
}

#[test]
fn a_loop_that_counts_is_left_to_the_step_limit() {
    let count = "W: ld.volatile.global.u32 %r5, [%rd1+32]; add.u32 %r6, %r6, 1; setp.eq.u32 %p3, %r5, 0; @%p3 bra W;";
    for schedule in [Schedule::Its, pct(1, 3, 0)] {
        let limits = Limits { steps: 200_000, ..Limits::default() };
        let (report, _) = run(&module(count, "", Between::Warps), Config { limits, ..with(schedule) }, Between::Warps);
        assert!(
            matches!(report.findings[0].kind, FindingKind::StepLimit { limit: 200_000, .. }),
            "{:?}",
            report.findings
        );
    }
}

#[test]
fn the_step_limit_is_for_what_does_not_end() {
    let module = module("st.global.u32 [%rd3], %r1;", "st.global.u32 [%rd3], %r1;", Between::Blocks);
    let limits = Limits { steps: 60_000, ..Limits::default() };
    for schedule in [Schedule::Its, Schedule::Adversarial { seed: 0 }, pct(1, 3, 0)] {
        let mut device = Device::new(Arc::clone(&module), Config { limits, ..with(schedule) });
        let out = device.alloc("out", 64).expect("fits");
        let args = vec![Arg::Pointer(out)];
        let launch =
            Launch { kernel: "k".into(), grid: [30_000, 1, 1], block: [32, 1, 1], shared: 0, args, cooperative: false };
        let report = device.launch(&launch).expect("starts");
        assert_eq!(report.status, LaunchStatus::Finished, "{:?}", report.findings);
        assert!(report.counters.instructions > 3 * limits.steps);
    }
}

/// Every thread of a grid writes its own number to one word: one mistake, which is counted as often as it was made.
#[test]
fn a_race_of_many_threads_is_one_finding() {
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{ .reg .b32 %r<9>; .reg .b64 \
                %rd<3>;\nld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r1;\n\
                st.global.u32 [%rd1], %r3;\nst.global.u32 [%rd1+4], 7;\nret; }\n";
    let module = Arc::new(Module::parse(text).expect("the test's PTX parses"));
    for schedule in [Schedule::Its, Schedule::Adversarial { seed: 3 }] {
        let checks = simulator::Checks::ALL;
        let mut device = Device::new(Arc::clone(&module), Config { schedule, checks, ..Config::default() });
        let out = device.alloc("out", 64).expect("fits");
        let (kernel, args) = ("k".into(), vec![Arg::Pointer(out)]);
        let launch = Launch { kernel, grid: [4, 1, 1], block: [64, 1, 1], shared: 0, args, cooperative: false };
        let report = device.launch(&launch).expect("starts");
        let told: Vec<(u64, bool)> =
            report.findings.iter().map(|finding| (finding.count, finding.is_same_value())).collect();
        // Eight warps: all but the first meet another. That all write a 7 to the second word is told once.
        assert_eq!(told, [(7, false), (1, true)], "{schedule:?}: {:?}", report.findings);
    }
}

/// A loop that waits for a word and gives up after so many attempts, which it counts in its own way: under a patient order it gives up after
/// exactly as many, and nobody goes round a million times for that.
#[test]
fn a_wait_that_counts_its_attempts_gives_up() {
    // Before the loop, in it (`%p4`: once more), and what is counted in the end.
    let ways = [
        ("mov.u32 %r6, 0;", "add.u32 %r6, %r6, 1; setp.lt.u32 %p4, %r6, 1000000;", 1_000_000u32),
        ("mov.u32 %r6, 0;", "add.s32 %r6, %r6, 1; setp.ne.s32 %p4, %r6, 700001;", 700_001),
        ("mov.u32 %r6, 600000;", "add.s32 %r6, %r6, -1; setp.gt.s32 %p4, %r6, 0;", 0),
        (
            "mov.u32 %r6, 0;",
            "setp.eq.u32 %p5, %r5, 1; add.u32 %r7, %r6, 1; selp.b32 %r6, %r6, %r7, %p5; setp.ne.u32 %p4, %r7, 500000;",
            500_000,
        ),
        ("mov.u32 %r6, 1;", "add.s32 %r6, %r6, 3; setp.le.u32 %p4, %r6, 30000000;", 30_000_001),
        ("mov.u32 %r6, 2147000000;", "add.s32 %r6, %r6, 1; setp.gt.s32 %p4, %r6, 0;", 1 << 31),
        (
            "mov.u32 %r6, 0; mov.u64 %rd5, 0;",
            "add.s64 %rd5, %rd5, 5; add.u32 %r6, %r6, 1; setp.lt.u64 %p4, %rd5, 4000000;",
            800_000,
        ),
        (
            "mov.u32 %r6, 0; mov.u32 %r7, 1;",
            "add.u32 %r6, %r6, 1; nanosleep.u32 %r7; shl.b32 %r7, %r7, 1; min.u32 %r7, %r7, 64; setp.lt.u32 %p4, %r6, 900000;",
            900_000,
        ),
        // How long it took is asked for, but not by the loop.
        (
            "mov.u32 %r7, %clock; st.global.u32 [%rd1+44], %r7; mov.u32 %r6, 0;",
            "add.u32 %r6, %r6, 1; setp.lt.u32 %p4, %r6, 1000000;",
            1_000_000,
        ),
    ];
    for (before, count, end) in ways {
        let wait = format!(
            "{before} W: ld.volatile.global.u32 %r5, [%rd1+32]; setp.ne.u32 %p3, %r5, 0; @%p3 bra D; {count} @%p4 bra W;\n\
             D: st.global.u32 [%rd1+36], %r6; st.global.u32 [%rd1+40], %r5;"
        );
        let module = module(&wait, "st.volatile.global.u32 [%rd1+32], 1;", Between::Warps);
        let gave_up = |seed: u64| {
            let (report, out) = run(&module, with(Schedule::Patient { seed }), Between::Warps);
            assert_eq!(report.status, LaunchStatus::Finished, "{count}: {:?}", report.findings);
            assert!(report.counters.instructions < 100_000, "{count}: {}", report.counters.instructions);
            assert!(out[10] != 0 || out[9] == end, "{count}: {} attempts", out[9]);
            out[10] == 0
        };
        assert!((0..40).filter(|seed| gave_up(*seed)).count() > 5, "{count}");
    }
}

/// What a count is used for otherwise has to happen as often as it would: such a loop is not shortened.
#[test]
fn a_wait_that_does_something_now_and_then_goes_all_the_way() {
    let wait = "mov.u32 %r6, 0; mov.u32 %r8, 0; W: ld.volatile.global.u32 %r5, [%rd1+32]; setp.ne.u32 %p3, %r5, 0; @%p3 bra D;\n\
                add.u32 %r6, %r6, 1; and.b32 %r7, %r6, 1023; setp.eq.u32 %p5, %r7, 0; @%p5 add.u32 %r8, %r8, 1;\n\
                setp.lt.u32 %p4, %r6, 40000; @%p4 bra W; D: st.global.u32 [%rd1+36], %r6; st.global.u32 [%rd1+40], %r8;";
    let module = module(wait, "st.volatile.global.u32 [%rd1+32], 1;", Between::Warps);
    let mut most = 0;
    for seed in 0..40 {
        let (_, out) = run(&module, with(Schedule::Patient { seed }), Between::Warps);
        assert_eq!(out[10], out[9] / 1024, "seed {seed}: {} attempts", out[9]);
        most = most.max(out[9]);
    }
    assert_eq!(most, 40000);
}
