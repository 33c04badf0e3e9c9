//! Small PTX programs with their outcomes: results, schedules, faults, counters.

use simulator::{
    Arg, Checks, Config, Device, FindingKind, Launch, LaunchReport, LaunchStatus, Limits, Module, Schedule, Severity,
};
use std::sync::Arc;

const WORDS: u64 = 256;

/// A kernel `k(u64 out)`, with declarations before it.
fn module(declarations: &str, body: &str) -> Arc<Module> {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n{declarations}\n.visible .entry k(.param .u64 k_param_0)\n{{\n\
         .reg .pred %p<20>; .reg .b16 %rs<20>; .reg .b32 %r<60>; .reg .f32 %f<20>; .reg .b64 %rd<30>;\n\
         ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n\
         {body}\n}}\n"
    );
    Arc::new(Module::parse(&text).expect("the test's PTX parses"))
}

fn run_with(module: Arc<Module>, config: Config, grid: u32, block: u32, shared: u32) -> (LaunchReport, Vec<u32>) {
    let mut device = Device::new(module, config);
    let out = device.alloc("out", WORDS * 4).expect("fits");
    device.write(out, &[0; WORDS as usize * 4]).expect("inside");
    let report = device
        .launch(&Launch {
            kernel: "k".into(),
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            shared,
            args: vec![Arg::Pointer(out)],
            cooperative: false,
        })
        .expect("starts");
    let mut bytes = vec![0; WORDS as usize * 4];
    device.read(out, &mut bytes).expect("inside");
    (report, bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect())
}

pub fn run(declarations: &str, body: &str, block: u32) -> (LaunchReport, Vec<u32>) {
    run_with(module(declarations, body), Config::default(), 1, block, 1024)
}

fn fault(body: &str) -> FindingKind {
    let config = Config { limits: Limits { steps: 100_000, ..Limits::default() }, ..Config::default() };
    let (report, _) = run_with(module("", body), config, 1, 64, 1024);
    assert_eq!(report.status, LaunchStatus::Stopped);
    assert_eq!(report.findings[0].severity, Severity::Fault);
    report.findings[0].kind.clone()
}

const STORE: &str = "st.global.u32 [%rd3], %r2; ret;";

#[test]
fn arithmetic_of_each_thread_in_both_dialects() {
    for (load, add) in [("ld.global.u32", "add.s32"), ("ld.global.b32", "add.s32")] {
        let body = format!(
            "st.global.u32 [%rd3], %r1; {load} %r3, [%rd3]; mad.lo.s32 %r4, %r3, %r3, 7; {add} %r2, %r4, -2; {STORE}"
        );
        let (report, out) = run("", &body, 96);
        assert_eq!(report.status, LaunchStatus::Finished);
        assert!((0..96).all(|i| out[i as usize] == i * i + 5));
        assert_eq!(out[96], 0);
        assert_eq!(report.counters.thread_instructions, 10 * 96);
    }
}

#[test]
fn diverged_lanes_meet_again() {
    let body = format!(
        "and.b32 %r3, %r1, 3; setp.eq.s32 %p1, %r3, 0; @%p1 bra A; mov.u32 %r2, 5; bra.uni B; A: mov.u32 %r2, 9; B: \
         activemask.b32 %r5; add.s32 %r2, %r2, %r5; {STORE}"
    );
    let (report, out) = run("", &body, 32);
    assert_eq!(out[0], 9u32.wrapping_add(u32::MAX));
    assert_eq!(out[1], 5u32.wrapping_add(u32::MAX));
    assert_eq!((report.counters.branches, report.counters.divergent_branches), (1, 1));
}

#[test]
fn an_indexed_branch_goes_many_ways() {
    let body = format!(
        "and.b32 %r3, %r1, 3; ts: .branchtargets L0, L1, L2, L3; brx.idx %r3, ts; L0: mov.u32 %r2, 10; bra.uni E; L1: \
         mov.u32 %r2, 11; bra.uni E; L2: mov.u32 %r2, 12; bra.uni E; L3: mov.u32 %r2, 13; E: {STORE}"
    );
    let (report, out) = run("", &body, 32);
    assert!((0..32).all(|i| out[i] == 10 + i as u32 % 4));
    assert_eq!(report.counters.divergent_branches, 1);
}

#[test]
fn recursion_and_calls_through_pointers() {
    let functions = "
.visible .func (.param .b32 func_retval0) fib(.param .b32 fib_param_0)
{
  .reg .pred %p<3>; .reg .b32 %r<9>;
  ld.param.u32 %r1, [fib_param_0];
  setp.lt.s32 %p1, %r1, 2;
  @%p1 bra DONE;
  add.s32 %r2, %r1, -1;
  { .param .b32 param0; st.param.b32 [param0+0], %r2; .param .b32 retval0;
    call.uni (retval0), fib, (param0); ld.param.b32 %r3, [retval0+0]; }
  add.s32 %r4, %r1, -2;
  { .param .b32 param0; st.param.b32 [param0+0], %r4; .param .b32 retval0;
    call.uni (retval0), fib, (param0); ld.param.b32 %r5, [retval0+0]; }
  add.s32 %r1, %r3, %r5;
DONE:
  st.param.b32 [func_retval0+0], %r1;
  ret;
}
.visible .func (.param .b32 func_retval0) twice(.param .b32 twice_param_0)
{ .reg .b32 %r<3>; ld.param.u32 %r1, [twice_param_0]; add.s32 %r2, %r1, %r1; st.param.b32 [func_retval0+0], %r2; ret; }
.global .align 8 .u64 table[2] = {fib, twice};";
    let body = format!(
        "and.b32 %r3, %r1, 1; mul.wide.u32 %rd4, %r3, 8; mov.u64 %rd5, table; add.s64 %rd6, %rd5, %rd4; ld.global.u64 \
         %rd7, [%rd6]; and.b32 %r4, %r1, 15; {{ .param .b32 param0; st.param.b32 [param0+0], %r4; .param .b32 retval0; \
         prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _); call (retval0), %rd7, (param0), prototype_0; \
         ld.param.b32 %r2, [retval0+0]; }} {STORE}"
    );
    for schedule in
        [Schedule::Its, Schedule::PreVolta, Schedule::Adversarial { seed: 0 }, Schedule::Adversarial { seed: 77 }]
    {
        let config = Config { schedule, ..Config::default() };
        let (report, out) = run_with(module(functions, &body), config, 1, 32, 0);
        assert_eq!(report.status, LaunchStatus::Finished, "{schedule:?}: {:?}", report.findings);
        let fib = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610];
        let want = |i: usize| if i.is_multiple_of(2) { fib[i % 16] } else { 2 * (i as u32 % 16) };
        assert!((0..32).all(|i| out[i] == want(i)), "{schedule:?}: {out:?}");
    }
}

#[test]
fn exchanges_between_lanes() {
    let body = format!(
        "shfl.sync.down.b32 %r3, %r1, 1, 31, -1; setp.gt.s32 %p1, %r1, 15; vote.sync.ballot.b32 %r4, %p1, -1; \
         redux.sync.add.s32 %r5, %r1, -1; and.b32 %r6, %r1, 1; match.any.sync.b32 %r7, %r6, -1; add.s32 %r2, %r3, %r4; \
         add.s32 %r2, %r2, %r5; add.s32 %r2, %r2, %r7; {STORE}"
    );
    let (report, out) = run("", &body, 32);
    let want = |i: u32| {
        let odd = if i % 2 == 1 { 0xaaaa_aaaau32 } else { 0x5555_5555 };
        (i + 1).min(31).wrapping_add(0xffff_0000).wrapping_add(496).wrapping_add(odd)
    };
    assert!((0..32).all(|i| out[i as usize] == want(i)));
    assert_eq!((report.counters.shuffles, report.counters.votes), (1, 3));
}

#[test]
fn what_an_exited_lane_gives_is_used_by_nobody_who_is_right() {
    // Lanes from 20 on leave; lane 19 reads lane 20. It takes the value if it equals its own ("the same key").
    let body = format!(
        "setp.gt.u32 %p1, %r1, 19; @%p1 ret; mov.u32 %r2, 7; shfl.sync.down.b32 %r3, %r2, 1, 31, -1; \
         setp.eq.s32 %p2, %r3, 7; selp.b32 %r2, 1, 0, %p2; {STORE}"
    );
    let last = |schedule| {
        let config = Config { schedule, checks: Checks::ALL, ..Config::default() };
        let (report, out) = run_with(module("", &body), config, 1, 32, 0);
        assert!(out[..19].iter().all(|word| *word == 1), "{schedule:?}");
        assert!(report.findings.iter().any(simulator::Finding::is_suspicion), "{schedule:?}: {:?}", report.findings);
        out[19]
    };
    assert_eq!(last(Schedule::Its), 0, "all ones");
    assert_eq!(last(Schedule::Adversarial { seed: 0 }), 1, "the reader's own value");
    assert_eq!(last(Schedule::Adversarial { seed: 1 }), 0, "a great number");
}

#[test]
fn a_spinning_lane_lets_the_lock_holder_go_on() {
    let body = "mov.u32 %r5, 0; L: atom.global.cas.b32 %r3, [%rd1+400], 0, 1; setp.ne.s32 %p1, %r3, 0; @%p1 bra L; \
         ld.volatile.global.u32 %r4, [%rd1]; add.s32 %r4, %r4, 1; st.volatile.global.u32 [%rd1], %r4; membar.gl; \
         atom.global.exch.b32 %r3, [%rd1+400], 0; ret;";
    for schedule in [Schedule::Its, Schedule::Adversarial { seed: 0 }, Schedule::Adversarial { seed: 9 }] {
        let config = Config { schedule, ..Config::default() };
        let (report, out) = run_with(module("", body), config, 3, 64, 0);
        assert_eq!((report.status, out[0]), (LaunchStatus::Finished, 192), "{schedule:?}");
    }
    // Before Volta the holder never gets its turn.
    let limits = Limits { steps: 50_000, ..Limits::default() };
    let config = Config { schedule: Schedule::PreVolta, limits, ..Config::default() };
    let (report, _) = run_with(module("", body), config, 1, 32, 0);
    assert!(matches!(report.findings[0].kind, FindingKind::Livelock { .. }));
}

#[test]
fn resident_blocks_wait_for_each_other() {
    // Every block announces itself and waits for all eight.
    let body = "setp.ne.s32 %p1, %r1, 0; @%p1 bra E; red.global.add.u32 [%rd1], 1; L: ld.volatile.global.u32 %r3, [%rd1]; \
         setp.lt.s32 %p2, %r3, 8; @%p2 bra L; E: bar.sync 0; ret;";
    for threads in [1, 3] {
        let config = Config { threads, ..Config::default() };
        let (report, out) = run_with(module("", body), config, 8, 64, 0);
        assert_eq!((report.status, out[0]), (LaunchStatus::Finished, 8));
    }
}

/// A warp-synchronous sum in shared memory, with or without `bar.warp.sync`.
fn warp_sum(sync: &str) -> String {
    let mut body = String::from(
        "shl.b32 %r5, %r1, 2; mov.u32 %r6, s; add.s32 %r7, %r6, %r5; st.volatile.shared.u32 [%r7], %r1; \
         st.volatile.shared.u32 [%r7+128], 0;",
    );
    for step in [64, 32, 16, 8, 4] {
        body.push_str(&format!(
            "{sync} ld.volatile.shared.u32 %r8, [%r7+{step}]; ld.volatile.shared.u32 %r9, [%r7]; {sync} add.s32 %r9, \
             %r9, %r8; st.volatile.shared.u32 [%r7], %r9;"
        ));
    }
    body.push_str("ld.volatile.shared.u32 %r2, [%r7]; st.global.u32 [%rd3], %r2; ret;");
    body
}

#[test]
fn lockstep_hides_a_race_that_other_schedules_show() {
    let shared = ".shared .align 4 .b8 s[256];";
    let sum = |sync: &str, schedule| {
        run_with(module(shared, &warp_sum(sync)), Config { schedule, ..Config::default() }, 1, 32, 0).1[0]
    };
    assert_eq!(sum("", Schedule::PreVolta), 496);
    let wrong = (0..8).filter(|&seed| sum("", Schedule::Adversarial { seed }) != 496).count();
    assert!(wrong > 0, "no fixed extreme shows the missing __syncwarp");
    for seed in 0..40 {
        assert_eq!(sum("bar.warp.sync -1;", Schedule::Adversarial { seed }), 496, "seed {seed}");
    }
    let config = Config { checks: Checks::ALL, ..Config::default() };
    let (report, _) = run_with(module(shared, &warp_sum("")), config.clone(), 1, 32, 0);
    assert!(report.findings.iter().any(|f| matches!(f.kind, FindingKind::Race { hidden_before_volta: true, .. })));
    let (report, _) = run_with(module(shared, &warp_sum("bar.warp.sync -1;")), config, 1, 32, 0);
    assert!(report.findings.is_empty(), "{:?}", report.findings);
}

#[test]
fn barriers_count_and_reduce() {
    let body = format!("setp.lt.s32 %p1, %r1, 40; bar.red.popc.u32 %r2, 0, %p1; {STORE}");
    let (report, out) = run("", &body, 100);
    assert!(out[..100].iter().all(|&n| n == 40));
    assert_eq!(report.counters.barriers, 4);
}

#[test]
fn threads_that_have_left_are_not_waited_for() {
    let body = format!("setp.ge.s32 %p1, %r1, 32; @%p1 ret; bar.sync 0; mov.u32 %r2, 1; {STORE}");
    let (report, out) = run("", &body, 64);
    assert_eq!((report.status, out[0], out[40]), (LaunchStatus::Finished, 1, 0));
}

#[test]
fn memory_faults_name_the_object() {
    let FindingKind::OutOfBounds { access } = fault("st.global.u32 [%rd3+1024], %r1; ret;") else { panic!() };
    assert_eq!(access.object.to_string(), "`out` + 1024 (right behind its 1024 bytes)");
    assert_eq!((access.what.as_str(), access.place.thread, access.place.function.as_str()), ("write", [0, 0, 0], "k"));
    let FindingKind::OutOfBounds { access } = fault("ld.shared.u32 %r2, [%r1+4096]; ret;") else { panic!() };
    assert_eq!(access.space, "shared");
    let FindingKind::OutOfBounds { access } = fault("mov.u64 %rd4, 8; ld.u32 %r2, [%rd4]; ret;") else { panic!() };
    assert_eq!(access.object.to_string(), "a null pointer + 8");
    assert!(matches!(fault("ld.global.u32 %r2, [%rd3+2]; ret;"), FindingKind::Misaligned { .. }));
    // A vector of atomics has to lie at a multiple of the whole of it.
    let pair = |offset: u32| {
        format!(".reg .f32 %v; mov.f32 %v, 0f3F800000; red.global.add.v2.f32 [%rd3+{offset}], {{%v, %v}}; ret;")
    };
    let FindingKind::Misaligned { access } = fault(&pair(4)) else { panic!() };
    assert_eq!((access.what.as_str(), access.size), ("atomic", 8));
    assert_eq!(run("", &pair(8), 1).0.status, LaunchStatus::Finished);
}

#[test]
fn other_faults() {
    assert_eq!(fault("trap;"), FindingKind::Trap);
    assert!(matches!(fault("L: bra L;"), FindingKind::StepLimit { .. }));
    assert!(matches!(fault("mov.u64 %rd4, 77; call %rd4, (), p;"), FindingKind::BadJump { target: 77 }));
    let FindingKind::Unsupported { instruction } = fault("frobnicate.u32 %r1, %r2;") else { panic!() };
    assert_eq!(instruction, "frobnicate.u32 %r1, %r2");
    let FindingKind::Deadlock { explanation } =
        fault("setp.lt.s32 %p1, %r1, 32; @%p1 bra A; bar.sync 1; A: bar.sync 0; ret;")
    else {
        panic!()
    };
    assert!(explanation.join("; ").contains("at barrier 1 for"), "{explanation:?}");
    let FindingKind::SyncMask { explanation, .. } =
        fault("setp.eq.s32 %p1, %r1, 3; @%p1 bra A; bar.warp.sync -1; bar.sync 0; ret; A: bar.sync 0; bra A;")
    else {
        panic!()
    };
    let [first, second, ..] = &explanation[..] else { panic!("{explanation:?}") };
    assert!(
        first.ends_with("at a __syncwarp() for lane 3 of warp 0, which its mask 0xffffffff names"),
        "{explanation:?}"
    );
    assert!(second.starts_with("lane 3 of warp 0 waits") && second.contains("at barrier 0"), "{explanation:?}");
    let endless = ".func f() { .local .b8 d[256]; call f, (); ret; }";
    let (report, _) = run(endless, "call f, (); ret;", 32);
    assert!(matches!(report.findings[0].kind, FindingKind::StackOverflow { .. }));
}

#[test]
fn printf_formats_as_c_does() {
    let format = "%5d|%-4u|%04x|%.2f|%g|%e|%c|%s|%lld|%%";
    let bytes: Vec<String> = format.bytes().chain([0]).map(|byte| byte.to_string()).collect();
    let declarations = format!(
        ".extern .func (.param .b32 func_retval0) vprintf (.param .b64 a, .param .b64 b);\n.global .align 1 .b8 \
         fmt[{}] = {{{}}};\n.global .align 1 .b8 str[3] = {{104, 105, 0}};",
        bytes.len(),
        bytes.join(", ")
    );
    let body = ".local .align 8 .b8 __local_depot0[80]; .reg .b64 %SP; .reg .b64 %SPL; mov.u64 %SPL, __local_depot0; \
        cvta.local.u64 %SP, %SPL; st.local.u32 [%SPL], -42; st.local.u32 [%SPL+4], 7; st.local.u32 [%SPL+8], 255; \
        mov.f64 %rd4, 0d4009000000000000; st.local.u64 [%SPL+16], %rd4; mov.f64 %rd4, 0d3EE4F8B588E368F1; st.local.u64 \
        [%SPL+24], %rd4; mov.f64 %rd4, 0d40C3880000000000; st.local.u64 [%SPL+32], %rd4; st.local.u32 [%SPL+40], 65; \
        mov.u64 %rd5, str; cvta.global.u64 %rd5, %rd5; st.local.u64 [%SPL+48], %rd5; st.local.u64 [%SPL+56], -5; mov.u64 \
        %rd6, fmt; cvta.global.u64 %rd6, %rd6; { .param .b64 param0; st.param.b64 [param0], %rd6; .param .b64 param1; \
        st.param.b64 [param1], %SP; .param .b32 retval0; call.uni (retval0), vprintf, (param0, param1); } ret;";
    let (report, _) = run(&declarations, body, 1);
    let text = String::from_utf8(report.printf).expect("ASCII");
    assert_eq!(text, "  -42|7   |00ff|3.12|1e-05|1.000000e+04|A|hi|-5|%");
}

#[test]
fn printf_returns_the_number_of_its_arguments() {
    for (format, expected) in [
        (Some("hi"), 0),
        (Some("100%%"), 0),
        (Some("%d"), 1),
        (Some("%d, %*u: %s"), 4),
        (Some("%"), 0),
        (None, u32::MAX),
    ] {
        let bytes: Vec<String> = format.unwrap_or("").bytes().chain([0]).map(|byte| byte.to_string()).collect();
        let declarations = format!(
            ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n.global .align 1 .b8 fmt[{}] = {{{}}};",
            bytes.len(),
            bytes.join(", ")
        );
        let address =
            if format.is_some() { "mov.u64 %rd6, fmt; cvta.global.u64 %rd6, %rd6;" } else { "mov.u64 %rd6, 0;" };
        let body = format!(
            ".local .align 8 .b8 args[32]; .reg .b64 %SP; mov.u64 %SP, args; cvta.local.u64 %SP, %SP; st.local.u64 [args], 0;\n\
             st.local.u64 [args+8], 0; st.local.u64 [args+16], 0; {address} {{ .param .b64 p0; st.param.b64 [p0], %rd6;\n\
             .param .b64 p1; st.param.b64 [p1], %SP; .param .b32 r; call.uni (r), vprintf, (p0, p1);\n\
             ld.param.b32 %r2, [r]; }} {STORE}"
        );
        let (_, out) = run(&declarations, &body, 1);
        assert_eq!(out[0], expected, "{format:?}");
    }
}

#[test]
fn requests_are_counted_as_hardware_does() {
    // A stride of two words: a warp touches eight sectors, and shared memory two wavefronts.
    let body = "mul.wide.u32 %rd4, %r1, 8; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r2, [%rd5]; mov.u32 %r9, s; \
         shl.b32 %r3, %r1, 3; add.u32 %r3, %r3, %r9; st.shared.u32 [%r3], %r2; shl.b32 %r4, %r1, 7; and.b32 %r4, %r4, \
         255; add.u32 %r4, %r4, %r9; ld.shared.u32 %r5, [%r4]; st.global.u32 [%rd3], %r5; ret;";
    let (report, _) = run(".shared .align 4 .b8 s[256];", body, 32);
    let c = report.counters;
    assert_eq!((c.global_load_requests, c.global_load_sectors, c.global_load_bytes), (1, 8, 128));
    assert_eq!((c.global_store_requests, c.global_store_sectors), (1, 4));
    assert_eq!((c.shared_store_wavefronts, c.shared_load_wavefronts), (2, 2));
    // The load's two words would fit one pass; the store's 32 too.
    assert_eq!(c.shared_bank_conflicts, 2);
}

#[test]
fn many_blocks_need_no_memory_of_their_own() {
    let body = "mov.u32 %r3, %ctaid.x; setp.ne.s32 %p1, %r1, 0; @%p1 ret; red.global.add.u32 [%rd1], 1; ret;";
    let (report, out) = run_with(module("", body), Config::default(), 1 << 18, 1, 0);
    assert_eq!((report.status, out[0]), (LaunchStatus::Finished, 1 << 18));
}

#[test]
fn any_cut_of_a_text_parses_or_is_refused() {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.global .align 4 .u32 g[2] = {{1, 2}};\n.visible .entry k(.param \
         .u64 p)\n{{ .reg .b32 %r<4>; mov.u32 %r1, %tid.x; @!%p1 bra L; ld.global.v2.u32 {{%r1, %r2}}, [%r3+-8]; L: {STORE} }}"
    );
    assert!(Module::parse(&text).is_ok());
    let refused = (0..text.len()).filter(|&end| Module::parse(&text[..end]).is_err()).count();
    assert!(refused > text.len() / 2);
    assert!(Module::parse("int main() {}").is_err());
}

#[test]
fn unknown_instructions_are_listed_and_harmless_until_executed() {
    let module = module("", "bra E; wgmma.fence.sync.aligned; E: ret;");
    assert_eq!(module.unsupported(), [(12, "wgmma.fence.sync.aligned")]);
    assert_eq!(run_with(module, Config::default(), 1, 32, 0).0.status, LaunchStatus::Finished);
}

#[test]
fn before_volta_a_barrier_in_a_branch_ends_too() {
    let body = "setp.lt.s32 %p1, %r1, 7; @%p1 bra A; bar.sync 0; bar.sync 1, 96; ret; A: bar.sync 2; ret;";
    let config = Config { schedule: Schedule::PreVolta, ..Config::default() };
    let (report, _) = run_with(module("", body), config, 1, 64, 0);
    assert!(matches!(report.findings[0].kind, FindingKind::Deadlock { .. }), "{:?}", report.findings);
}

#[test]
fn an_early_exit_is_no_divergent_barrier() {
    for schedule in [Schedule::Its, Schedule::PreVolta, Schedule::Adversarial { seed: 6 }] {
        let config = Config { schedule, checks: Checks::ALL, ..Config::default() };
        let body = format!("setp.ge.u32 %p1, %r1, 5; @%p1 bra E; bar.sync 0; mov.u32 %r2, 7; {STORE} E: ret;");
        let (report, _) = run_with(module("", &body), config.clone(), 1, 64, 0);
        assert!(report.findings.is_empty(), "{schedule:?}: {:?}", report.findings);
        let body = format!("setp.ge.u32 %p1, %r1, 5; @%p1 bra E; bar.sync 0; E: mov.u32 %r2, 7;\nbar.sync 0; {STORE}");
        let (report, _) = run_with(module("", &body), config, 1, 64, 0);
        assert!(!report.findings.is_empty(), "{schedule:?}");
    }
}

#[test]
fn shared_addresses_from_32_bit_registers_wrap() {
    let body = format!(
        "mov.u32 %r3, s; st.shared.u32 [%r3+128], 9; sub.s32 %r4, %r3, 2147483647; sub.s32 %r4, %r4, 2147483647; \
         sub.s32 %r4, %r4, 130; ld.shared.u32 %r2, [%r4+256]; {STORE}"
    );
    let (report, out) = run(".shared .align 4 .b8 s[256];", &body, 1);
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    assert_eq!(out[0], 9);
}

#[test]
fn a_matrix_of_halves_is_transposed() {
    // Lane l holds elements 2 l and 2 l + 1 of 8 rows of 8.
    let body = format!(
        "shl.b32 %r3, %r1, 1; shl.b32 %r4, %r1, 17; add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, 65536; \
         movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r3; {STORE}"
    );
    let (report, out) = run("", &body, 32);
    assert_eq!((report.status, report.findings), (LaunchStatus::Finished, Vec::new()));
    let transposed = |lane: u32| {
        let (row, column) = (lane / 4, lane % 4 * 2);
        (column * 8 + row) | (((column + 1) * 8 + row) << 16)
    };
    assert_eq!(out[..32], (0..32).map(transposed).collect::<Vec<u32>>());
}

#[test]
fn sixteen_bytes_are_changed_as_one() {
    let together = "{ .reg .b128 %q<4>; L: ld.relaxed.gpu.global.v2.b64 {%rd4, %rd5}, [%rd1]; cvt.u64.u32 %rd6, %r1; add.u64 %rd7, %rd4, 1; \
                    add.u64 %rd8, %rd5, %rd6; mov.b128 %q1, {%rd4, %rd5}; mov.b128 %q2, {%rd7, %rd8}; \
                    atom.global.cas.b128 %q3, [%rd1], %q1, %q2; mov.b128 {%rd9, %rd10}, %q3; setp.ne.b64 %p1, %rd9, %rd4; \
                    setp.ne.b64 %p2, %rd10, %rd5; or.pred %p1, %p1, %p2; @%p1 bra L; } ret;";
    for schedule in [Schedule::Its, Schedule::Adversarial { seed: 5 }] {
        let config = Config { schedule, ..Config::default() };
        let (report, out) = run_with(module("", together), config, 2, 64, 0);
        assert_eq!(report.findings, vec![]);
        assert_eq!(out[..4], [128, 0, 2 * 2016, 0]);
    }
    // Equal in one half only, in the other only, in both; then an exchange.
    let one = "{ .reg .b128 %q<6>; .shared .align 16 .b8 s[16]; mov.b64 %rd4, 5; mov.b64 %rd5, 6; \
               mov.b64 %rd6, 7; st.shared.v2.b64 [s], {%rd4, %rd5}; mov.b128 %q1, {%rd4, %rd6}; mov.b128 %q2, {%rd6, %rd5}; \
               mov.b128 %q3, {%rd4, %rd5}; mov.b128 %q4, {%rd6, %rd4}; atom.shared.cas.b128 %q5, [s], %q1, %q4; \
               atom.shared.cas.b128 %q5, [s], %q2, %q4; mov.b128 {%rd7, %rd8}, %q5; st.global.v2.b64 [%rd1], {%rd7, %rd8}; \
               atom.shared.cas.b128 %q5, [s], %q3, %q4; atom.shared.exch.b128 %q5, [s], %q1; mov.b128 {%rd7, %rd8}, %q5; \
               st.global.v2.b64 [%rd1+16], {%rd7, %rd8}; ld.shared.v2.b64 {%rd7, %rd8}, [s]; st.global.v2.b64 [%rd1+32], {%rd7, %rd8}; } ret;";
    let (report, out) = run("", one, 1);
    assert_eq!(report.status, LaunchStatus::Finished);
    assert_eq!(out[..12], [5, 0, 6, 0, 7, 0, 5, 0, 5, 0, 7, 0]);
}

#[test]
fn an_operation_of_several_lines_is_named_by_the_next_one() {
    let line = |body: &str| {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_param_0)\n{{\n.reg .pred %p<3>; .reg .b32 \
             %r<9>; .reg .b64 %rd<9>;\n{body}\n}}\n.file 1 \"a.cu\"\n"
        );
        let module = Arc::new(Module::parse(&text).expect("the test's PTX parses"));
        let (report, _) = run_with(module, Config::default(), 1, 32, 0);
        report.findings[0].place.line
    };
    let bad = "mov.u64 %rd1, 8; .loc 1 0 0\n ld.global.u32 %r1, [%rd1]; setp.ne.s32 %p1, %r1, 0;";
    assert_eq!(line(&format!(".loc 1 5 0\n mov.u32 %r1, 0; {bad} .loc 1 9 0\n @%p1 bra L; .loc 1 12 0\n L: ret;")), 9);
    assert_eq!(
        line(&format!(".loc 1 5 0\n mov.u32 %r1, 0; {bad} @%p1 bra L; .loc 1 12 0\n L: ret;")),
        5,
        "not another block's"
    );
    assert_eq!(line(&format!("{bad} @%p1 bra L; L: ret;")), 0);
}

#[test]
fn sums_of_products_of_24_bits_saturate() {
    // 0x7fffff * 0x7fffff = 0x3fffff000001, of which bits 47 to 16 are 0x3fffff00; the same below zero.
    for (a, c, expected) in [
        (0x7f_ffffu32, 0x7000_0000i32, 0x7fff_ffffu32),
        (0x7f_ffff, 0x4000_00ff, 0x7fff_ffff),
        (0x7f_ffff, 0x4000_0000, 0x7fff_ff00),
        (0x7f_ffff, -1, 0x3fff_feff),
        (0x80_0000, i32::MIN, 0x8000_0000),
    ] {
        let body = format!("mov.b32 %r4, {a}; mov.b32 %r5, 0x7fffff; mad24.hi.sat.s32 %r2, %r4, %r5, {c}; {STORE}");
        assert_eq!(run("", &body, 1).1[0], expected, "{a:#x} {c:#x}");
    }
    for wrong in [
        "mad24.lo.sat.s32 %r2, %r1, %r1, %r1;",
        "mad24.hi.sat.u32 %r2, %r1, %r1, %r1;",
        "mul24.hi.sat.s32 %r2, %r1, %r1;",
        "mad.lo.sat.s32 %r2, %r1, %r1, %r1;",
        "mad.hi.sat.u32 %r2, %r1, %r1, %r1;",
        "mul.hi.sat.s32 %r2, %r1, %r1;",
        "mul.lo.sat.s32 %r2, %r1, %r1;",
        "add.sat.u32 %r2, %r1, %r1;",
        "add.cc.sat.s32 %r2, %r1, %r1;",
        "mul.wide.sat.s32 %rd2, %r1, %r1;",
        "mad.wide.sat.s32 %rd2, %r1, %r1, %rd1;",
    ] {
        let kind = fault(&format!("{wrong} {STORE}"));
        assert!(matches!(kind, FindingKind::Unsupported { .. }), "{wrong}: {kind:?}");
    }
}

#[test]
fn pairs_of_saturated_integers_are_packed() {
    for (ty, a, b, c, expected) in [
        ("u8", 300, -1, 0x1234_5678u32, 0x5678_ff00u32),
        ("s8", 300, -300, 0x1234_5678, 0x5678_7f80),
        ("u4", 20, 3, 0x1234_5678, 0x3456_78f3),
        ("u4", -3, 15, 0x8000_0001, 0x0000_010f),
        ("s4", 20, -20, 0x1234_5678, 0x3456_7878),
        ("s4", -1, 5, 0, 0xf5),
        ("u2", 7, 2, 0x1234_5678, 0x2345_678e),
        ("s2", 7, -7, 0x1234_5678, 0x2345_6786),
        ("s2", -1, 0, 0, 0xc),
    ] {
        let body = format!(
            "mov.b32 %r4, {a}; mov.b32 %r5, {b}; mov.b32 %r6, {c}; cvt.pack.sat.{ty}.s32.b32 %r2, %r4, %r5, %r6; {STORE}"
        );
        assert_eq!(run("", &body, 1).1[0], expected, "{ty} {a} {b}");
    }
    for (ty, expected) in [("u16", 0xffff_0000u32), ("s16", 0x7fff_8000)] {
        let body = format!("mov.b32 %r4, 70000; mov.b32 %r5, -70000; cvt.pack.sat.{ty}.s32 %r2, %r4, %r5; {STORE}");
        assert_eq!(run("", &body, 1).1[0], expected, "{ty}");
    }
    for wrong in ["sat.u16.s32.b32 %r2, %r1, %r1, %r1", "sat.u8.s32 %r2, %r1, %r1", "u8.s32.b32 %r2, %r1, %r1, %r1"] {
        let kind = fault(&format!("cvt.pack.{wrong}; {STORE}"));
        assert!(matches!(kind, FindingKind::Unsupported { .. }), "{wrong}: {kind:?}");
    }
}
