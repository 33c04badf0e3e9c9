//! Writes that nothing orders come late to other blocks under some orders, and where a fence orders them under none.

use simulator::explore::{Effort, Trial, Witness, minimise};
use simulator::{
    Arg, Checks, Config, Device, FindingKind, Launch, LaunchReport, LaunchStatus, Module, Schedule, Severity,
};
use std::sync::Arc;

/// A kernel `k(u64 out)` of blocks of 64: `%rd1` is a buffer of 64 words, all 0, `%r1` the thread, `%r2` the block, `%r3` the number
/// of blocks, and `%p1` holds for thread 0.
fn module(body: &str) -> Arc<Module> {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_param_0)\n{{\n\
         .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\nld.param.u64 %rd1, [k_param_0];\n\
         mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x; setp.eq.u32 %p1, %r1, 0;\n{body}\nret;\n}}\n"
    );
    Arc::new(Module::parse(&text).expect("the test's PTX parses"))
}

fn run(module: &Arc<Module>, config: Config) -> (LaunchReport, Vec<u32>) {
    let mut device = Device::new(Arc::clone(module), config);
    let out = device.alloc("out", 256).expect("fits");
    device.write(out, &[0; 256]).expect("inside");
    let (kernel, args) = ("k".into(), vec![Arg::Pointer(out)]);
    let launch = Launch { kernel, grid: [6, 1, 1], block: [64, 1, 1], shared: 0, args, cooperative: false };
    let report = device.launch(&launch).expect("starts");
    let mut bytes = [0; 256];
    device.read(out, &mut bytes).expect("inside");
    (report, bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect())
}

/// Some of each kind.
fn orders() -> impl Iterator<Item = Schedule> {
    let random = (8..40).map(|seed| Schedule::Adversarial { seed });
    let priorities = (0..20).map(|seed| Schedule::Pct { seed, depth: 3, operations: 0 });
    let patient = (0..4).map(|seed| Schedule::Patient { seed });
    (0..8).map(|seed| Schedule::Adversarial { seed }).chain(random).chain(priorities).chain(patient)
}

/// Under how many of the orders the fifth word is not 384 in the end, with some checks or without.
fn wrong(body: &str) -> usize {
    let module = module(body);
    let one = |schedule: Schedule| {
        let checks = if matches!(schedule, Schedule::Pct { .. }) { Checks::NONE } else { Checks::ALL };
        let (report, out) = run(&module, Config { schedule, checks, ..Config::default() });
        assert_eq!(report.status, LaunchStatus::Finished, "{schedule:?}: {:?}", report.findings);
        out[4] != 384
    };
    orders().filter(|schedule| one(*schedule)).count()
}

/// Every thread adds one to the first word; the block with the last ticket (second word) reads it and keeps it in the fifth.
fn ticket(before: &str, ticket: &str) -> String {
    format!(
        "red.global.add.u32 [%rd1], 1; {before}\n@!%p1 bra END; {ticket}\nadd.u32 %r6, %r3, -1; setp.ne.u32 %p2, %r5, %r6; \
         @%p2 bra END; membar.gl; atom.global.or.b32 %r7, [%rd1], 0; st.global.u32 [%rd1+16], %r7; END:"
    )
}

const TICKET: &str = "atom.global.add.u32 %r5, [%rd1+4], 1;";

/// Sixty-four threads of six blocks take a lock in turn and add to the fifth word.
fn lock(store: &str, fence: &str) -> String {
    lock_given_back(store, fence, "atom.global.exch.b32 %r7, [%rd1+4], 0;", "")
}

/// The same, given back in that way, with something behind.
fn lock_given_back(store: &str, fence: &str, back: &str, behind: &str) -> String {
    format!(
        "mov.u32 %r9, 0; L: atom.global.cas.b32 %r5, [%rd1+4], 0, 1; setp.ne.u32 %p2, %r5, 0; @%p2 bra N; membar.gl; \
         ld.volatile.global.u32 %r6, [%rd1+16]; add.u32 %r6, %r6, 1; {store} [%rd1+16], %r6; {fence}\n\
         {back} {behind} mov.u32 %r9, 1; N: setp.eq.u32 %p3, %r9, 0; @%p3 bra L;"
    )
}

#[test]
fn an_atomic_without_a_fence_before_the_ticket() {
    for before in ["bar.sync 0;", "membar.cta; bar.sync 0; @%p1 membar.cta;", "bar.sync 0; @%p1 fence.acq_rel.cta;"] {
        assert!(wrong(&ticket(before, TICKET)) > 10, "{before}");
    }
    let block = ticket("bar.sync 0;", "atom.acq_rel.cta.global.add.u32 %r5, [%rd1+4], 1;");
    assert!(wrong(&block) > 10);
}

#[test]
fn a_fence_wherever_it_stands() {
    for before in ["membar.gl; bar.sync 0;", "bar.sync 0; @%p1 membar.gl;", "bar.sync 0; @%p1 fence.sc.sys;"] {
        assert_eq!(wrong(&ticket(before, TICKET)), 0, "{before}");
    }
    for order in ["release", "acq_rel"] {
        let ordered = format!("atom.{order}.gpu.global.add.u32 %r5, [%rd1+4], 1;");
        assert_eq!(wrong(&ticket("bar.sync 0;", &ordered)), 0, "{order}");
    }
    // What has a result is there when its thread goes on.
    let answered = ticket("add.u32 %r9, %r8, 1; bar.sync 0;", TICKET);
    assert_eq!(wrong(&answered.replace("red.global.add.u32", "atom.global.add.u32 %r8,")), 0);
}

#[test]
#[ignore = "long"]
fn volatile_data_under_a_lock() {
    for fence in ["", "membar.cta;"] {
        // The race check sees the first of the two as well; here the value counts.
        assert!(wrong(&lock("st.volatile.global.u32", fence)) > 5, "{fence}");
        assert!(wrong(&lock("st.relaxed.gpu.global.u32", fence)) > 5, "{fence}");
    }
    assert_eq!(wrong(&lock("st.volatile.global.u32", "membar.gl;")), 0);
}

/// A fence behind the operation that tells of a write comes too late, and so does another thread's that has not met with its own.
#[test]
#[ignore = "long"]
fn a_fence_behind_the_lock() {
    let store = "st.volatile.global.u32";
    let backs = [("atom.global.exch.b32 %r7, [%rd1+4], 0;", 20), ("atom.global.add.u32 %r7, [%rd1+4], -1;", 5)];
    for (back, few) in backs {
        let found = wrong(&lock_given_back(store, "", back, "membar.gl;"));
        assert!(found > few, "{back}: {found}");
        assert_eq!(wrong(&lock_given_back(store, "membar.gl;", back, "membar.gl;")), 0, "{back}");
    }
    // This one may come late itself, with what it tells of.
    let plain = "st.relaxed.gpu.global.u32 [%rd1+4], 0;";
    assert!(wrong(&lock_given_back(store, "", plain, "membar.gl;")) > 5);
    for back in ["st.release.gpu.global.u32 [%rd1+4], 0;", "red.release.gpu.global.and.b32 [%rd1+4], 0;"] {
        assert_eq!(wrong(&lock_given_back(store, "", back, "")), 0, "{back}");
    }
}

/// A block sees its own writes at once, whichever thread made them, in the order in which they were made.
#[test]
fn a_block_sees_its_own() {
    let own = "mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; @%p1 st.volatile.global.u32 [%rd3+32], 100; bar.sync 0;\n\
               red.global.add.u32 [%rd3+32], 1; bar.sync 0; setp.ne.u32 %p2, %r1, 63; @%p2 bra E;\n\
               ld.volatile.global.u32 %r5, [%rd3+32]; add.u32 %r5, %r5, -100; red.global.add.u32 [%rd1+16], %r5; E:";
    assert_eq!(wrong(own), 0);
}

/// Who waits for a word that comes late gets it, whether it only looks or changes memory meanwhile.
#[test]
fn nobody_waits_for_ever() {
    let looks = "ld.volatile.global.u32 %r5, [%rd1];";
    let changes = "atom.global.exch.b32 %r6, [%rd1+8], 1; atom.global.exch.b32 %r6, [%rd1+8], 0; \
                   ld.volatile.global.u32 %r5, [%rd1];";
    for wait in [looks, changes] {
        for write in ["st.volatile.global.u32 [%rd1], 7;", "red.global.or.b32 [%rd1], 7;"] {
            let body = format!(
                "@!%p1 bra E; setp.ne.u32 %p2, %r2, 0; @%p2 bra W; {write}\nst.global.u32 [%rd1+16], 384; bra E;\n\
                 W: {wait} setp.ne.u32 %p3, %r5, 7; @%p3 bra W; E:"
            );
            assert_eq!(wrong(&body), 0, "{write} {wait}");
        }
    }
}

#[test]
fn the_order_as_data_and_in_words() {
    let module = module(&ticket("bar.sync 0;", TICKET));
    let trial = |config: Config| {
        let (report, out) = run(&module, config);
        let mut trial = Trial::new();
        trial.add(&report);
        trial.failed = out[4] != 384;
        (trial, report)
    };
    let (failed, report) = trial(Config { schedule: Schedule::Adversarial { seed: 1 }, ..Config::default() });
    assert!(failed.failed);
    let note = report.findings.iter().find(|found| found.is_suspicion()).expect("it says who looked too early");
    assert_eq!((note.severity, note.place.ptx_line), (Severity::Note, 11));
    let FindingKind::LateWrite { first, second } = &note.kind else { panic!("{note:?}") };
    assert_eq!((first.place.ptx_line, first.what.as_str()), (9, "atomic"));
    assert_ne!(first.place.block, second.place.block);
    let replay = |witness: &Witness| {
        Ok::<_, ()>(trial(Config { schedule: Schedule::Replay, witness: witness.clone(), ..Config::default() }).0)
    };
    let shortest = minimise(&failed, &Effort::default(), replay).expect("runs").expect("fails again");
    assert_eq!(shortest.witness.to_string(), "late=0");
    assert!(shortest.witness.explain(&shortest.preempted)[0].starts_with("atomics without a result"));
}
