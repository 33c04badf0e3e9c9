//! What fences and operations on mbarriers order, and what they do not; mbarriers that are misused.

use simulator::{Arg, Checks, Config, Device, Finding, Launch, Module};
use std::sync::Arc;

/// What is found wrong with two blocks of 64 threads, whose lanes have `%r1` in their block and `%r2` for it. `%rd1` is where a
/// word of theirs lies in a buffer, `%rd2` a word behind it that is 0.
fn findings(body: &str) -> Vec<Finding> {
    let text = format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
         .reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<9>; .shared .align 16 .b8 s[512]; .shared .align 8 .b64 m;\n\
         ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; add.u64 %rd2, %rd1, 1024;\n\
         mov.u32 %r20, s; mad.lo.u32 %r3, %r1, 4, %r20; xor.b32 %r4, %r1, 63; mad.lo.u32 %r4, %r4, 4, %r20;\n\
         {body}\nret;\n}}\n"
    );
    let module = Arc::new(Module::parse(&text).expect("the test's PTX parses"));
    let mut device = Device::new(module, Config { checks: Checks::ALL, ..Config::default() });
    let out = device.alloc("out", 2048).expect("fits");
    device.write(out, &[0; 2048]).expect("inside");
    let launch = Launch {
        kernel: "k".into(),
        grid: [2, 1, 1],
        block: [64, 1, 1],
        shared: 0,
        args: vec![Arg::Pointer(out)],
        cooperative: false,
    };
    device.launch(&launch).expect("starts").findings
}

/// The kinds of what is found, and what is said of it.
fn said(body: &str) -> String {
    let said = |finding: &Finding| format!("{}: {}", finding.kind.name().name(), finding.kind);
    findings(body).iter().map(said).collect::<Vec<_>>().join("\n")
}

/// All threads write, arrive at an mbarrier, wait there, and read what another one wrote.
fn exchange(before: &str, arrive: &str, wait: &str, after: &str) -> String {
    format!(
        "setp.ne.u32 %p1, %r1, 0; @%p1 bra I; mbarrier.init.shared::cta.b64 [m], 64; I: bar.sync 0;\n\
         st.shared.u32 [%r3], %r1; {before} mbarrier.arrive{arrive}.shared::cta.b64 _, [m];\n\
         W: mbarrier.{wait}.shared::cta.b64 %p2, [m], 0; @!%p2 bra W; {after} ld.shared.u32 %r5, [%r4];\n\
         add.u32 %r5, %r5, 1;"
    )
}

#[test]
fn a_relaxed_arrival_releases_nothing_and_a_relaxed_wait_acquires_nothing() {
    let races = |body: &str| said(body).contains("race: ");
    for (before, arrive, wait, after, expected) in [
        ("", "", "try_wait.parity", "", false),
        ("", ".release.cta", "test_wait.parity.acquire.cta", "", false),
        ("", ".relaxed.cta", "try_wait.parity", "", true),
        ("", "", "try_wait.parity.relaxed.cta", "", true),
        ("", "", "test_wait.parity.relaxed.cta", "", true),
        ("fence.acq_rel.cta;", ".relaxed.cta", "try_wait.parity.relaxed.cta", "fence.acq_rel.cta;", false),
        ("fence.release.cta;", ".relaxed.cta", "try_wait.parity.relaxed.cta", "fence.acquire.cta;", false),
    ] {
        let body = exchange(before, arrive, wait, after);
        assert_eq!(races(&body), expected, "{body}: {}", said(&body));
    }
}

/// Threads take turns by a lock in the second word, and add to the first one. CUDA's own samples leave the fence behind `atomicExch` out;
/// who writes that an exchange is relaxed has to have it.
#[test]
fn a_lock_that_is_taken_by_what_says_that_it_is_relaxed_orders_nothing() {
    let races = |exchange: &str, behind: &str| {
        let body = format!(
            "setp.ne.u32 %p1, %r1, 0; @%p1 ret; A: {exchange} %r5, [%rd2], 1; setp.ne.u32 %p2, %r5, 0; @%p2 bra A; {behind}\n\
             ld.global.u32 %r6, [%rd1]; add.u32 %r6, %r6, 1; st.global.u32 [%rd1], %r6; st.release.gpu.global.u32 [%rd2], 0;"
        );
        said(&body).contains("race: ")
    };
    for (exchange, behind, expected) in [
        ("atom.global.exch.b32", "", false),
        ("atom.relaxed.gpu.global.exch.b32", "", false),
        ("atom.acquire.gpu.global.exch.b32", "", false),
        ("atom.exch.relaxed.gpu.b32", "fence.acq_rel.gpu;", false),
        ("atom.exch.relaxed.gpu.b32", "", true),
        ("atom.exch.relaxed.gpu.b32", "fence.acq_rel.cta;", true),
    ] {
        assert_eq!(races(exchange, behind), expected, "{exchange} {behind}");
    }
}

#[test]
fn who_arrives_last_without_releasing_ends_the_phase_for_all() {
    // Thread 0 publishes, and the relaxed arrival of thread 63 ends the phase.
    let body = "setp.ne.u32 %p1, %r1, 0; @%p1 bra I; mbarrier.init.shared::cta.b64 [m], 2; st.shared.u32 [s], %r1; I: bar.sync 0;\n\
        @%p1 bra L; st.shared.u32 [s], 7; mbarrier.arrive.shared::cta.b64 _, [m]; ret;\n\
        L: setp.ne.u32 %p2, %r1, 63; @%p2 bra W; nanosleep.u32 100; mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [m];\n\
        W: mbarrier.try_wait.parity.shared::cta.b64 %p3, [m], 0; @!%p3 bra W; ld.shared.u32 %r5, [s]; add.u32 %r5, %r5, 1;";
    assert_eq!(said(body), "");
}

/// Block 0 writes and sets a flag behind a fence; block 1 waits for it, and reads behind another fence.
fn flag(release: &str, acquire: &str) -> String {
    format!(
        "setp.ne.u32 %p1, %r1, 0; @%p1 ret; setp.ne.u32 %p2, %r2, 0; @%p2 bra C; st.global.u32 [%rd1], 42; {release};\n\
         st.relaxed.gpu.global.u32 [%rd2], 1; ret; C: ld.relaxed.gpu.global.u32 %r5, [%rd2]; setp.eq.u32 %p3, %r5, 0;\n\
         @%p3 bra C; {acquire}; ld.global.u32 %r6, [%rd1]; st.global.u32 [%rd2+4], %r6;"
    )
}

#[test]
fn fences_reach_as_far_and_in_the_directions_that_they_say() {
    for (release, acquire, expected) in [
        ("fence.acq_rel.gpu", "fence.acq_rel.gpu", false),
        ("fence.sc.gpu", "membar.gl", false),
        ("membar.sys", "fence.sc.sys", false),
        ("fence.release.gpu", "fence.acquire.gpu", false),
        ("fence.acquire.gpu", "fence.acq_rel.gpu", true),
        ("fence.acq_rel.gpu", "fence.release.gpu", true),
        ("fence.acq_rel.gpu", "fence.acq_rel.cta", true),
        ("fence.acq_rel.gpu", "membar.cta", true),
        ("fence.acq_rel.gpu", "fence.acq_rel.cta; fence.acq_rel.gpu", false),
        ("fence.acq_rel.cta", "fence.acq_rel.gpu", true),
    ] {
        let body = flag(release, acquire);
        assert_eq!(said(&body).contains("race: "), expected, "{release}, {acquire}: {}", said(&body));
    }
}

#[test]
fn a_fence_of_the_block_orders_its_own_threads() {
    let body = "setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 32; mad.wide.u32 %rd1, %r2, 8, %rd1; mad.wide.u32 %rd2, %r2, 8, %rd2;\n\
        @%p2 bra C; @!%p1 ret; st.global.u32 [%rd1], 42; fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%rd2], 1; ret;\n\
        C: ld.relaxed.gpu.global.u32 %r5, [%rd2]; setp.eq.u32 %p3, %r5, 0; @%p3 bra C; fence.acq_rel.cta;\n\
        ld.global.u32 %r6, [%rd1]; st.global.u32 [%rd2+4], %r6;";
    assert_eq!(said(body), "");
}

#[test]
fn mbarriers_have_a_count_and_are_none_after_they_were_invalidated() {
    let one = |body: &str| said(&format!("setp.ne.u32 %p1, %r1, 0; @%p1 ret; mov.u32 %r5, 1; {body}"));
    let init = "mbarrier.init.shared::cta.b64 [m], %r5;";
    let arrive = "mbarrier.arrive.shared::cta.b64 %rd3, [m];";
    let inval = "mbarrier.inval.shared::cta.b64 [m];";
    assert_eq!(one(&format!("{init} {arrive} {inval} {init} {arrive}")), "");
    assert_eq!(one(&format!("mov.u32 %r5, 1048575; {init} {arrive} {inval} st.shared.b64 [m], 0;")), "");
    for count in ["0", "1048576"] {
        let said = one(&format!("mov.u32 %r5, {count}; {init}"));
        assert!(said.contains(&format!("a count of {count}")), "{said}");
    }
    // Dropping out, a thread may tell of bytes too: it counts 1 whatever they are.
    let drop = "mov.u32 %r5, 2; mbarrier.init.shared::cta.b64 [m], %r5; mbarrier.arrive_drop.expect_tx.shared::cta.b64 %rd3, [m], 64;";
    let bytes = "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [m], 64;";
    assert_eq!(one(&format!("{drop} {arrive} {bytes} {arrive}")), "");
    assert!(one(&format!("{drop} {arrive} {arrive}")).contains("in a phase that wants no more"));
    let said = one(&format!("{init} mbarrier.arrive_drop.noComplete.shared::cta.b64 %rd3, [m], 1;"));
    assert!(said.contains("made with .noComplete"), "{said}");
    let said = one(&format!("{init} {inval} {arrive}"));
    assert!(said.contains("it is used as an mbarrier"), "{said}");
}

#[test]
fn the_size_of_a_bulk_copy_is_named() {
    let copy = |offset: u32, size: u32| {
        said(&format!(
            "setp.ne.u32 %p1, %r1, 0; @%p1 ret; mov.u32 %r5, {size}; mbarrier.init.shared::cta.b64 [m], 1;\n\
             cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1+{offset}], %r5, [m];\n\
             mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], %r5;\n\
             W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [m], 0; @!%p1 bra W;"
        ))
    };
    assert_eq!(copy(16, 32), "");
    assert!(copy(0, 24).contains("a copy of 24 bytes, which is not a multiple of 16"), "{}", copy(0, 24));
    assert!(copy(0, 8).contains("a copy of 8 bytes, which is not a multiple of 16"), "{}", copy(0, 8));
    assert!(copy(4, 32).contains("at an address that is not a multiple of 16"), "{}", copy(4, 32));
}
