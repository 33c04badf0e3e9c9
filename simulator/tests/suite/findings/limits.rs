//! Every limit can be set, holds, and is named by what it says; and kernels that ask for the impossible get a finding with
//! its place.

use simulator::{Arg, Config, Device, FindingKind, Launch, LaunchReport, LaunchStatus, Limits, Module};
use std::sync::Arc;

const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";

fn module(text: &str, limits: &Limits) -> Result<Module, String> {
    Module::parse_limited(&format!("{HEAD}{text}"), limits).map_err(|error| error.to_string())
}

/// Runs kernel `k` with one block of 32 threads.
fn run(text: &str, limits: Limits) -> Result<LaunchReport, String> {
    run_many(text, limits, [1, 1, 1], false)
}

fn run_many(text: &str, limits: Limits, grid: [u32; 3], cooperative: bool) -> Result<LaunchReport, String> {
    let config = Config { limits, ..Config::default() };
    let mut device = Device::new(Arc::new(module(text, &limits)?), config);
    let launch = Launch { kernel: "k".into(), grid, block: [32, 1, 1], shared: 0, args: Vec::new(), cooperative };
    device.launch(&launch).map_err(|error| error.to_string())
}

/// The one fault of a launch, as it reads, and its line in `text`.
fn fault(text: &str, limits: Limits) -> (String, u32) {
    let report = run(text, limits).expect("it starts");
    assert_eq!(report.status, LaunchStatus::Stopped, "{report:?}");
    let finding = &report.findings[0];
    assert_eq!(finding.place.function, "k", "{finding:?}");
    (finding.kind.to_string(), finding.place.ptx_line.saturating_sub(HEAD.lines().count() as u32))
}

fn kernel(body: &str) -> String {
    format!(".entry k() {{ .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n{body}\n}}")
}

/// A new limit does not compile until it is listed here, and gets a test below.
#[test]
fn every_limit_is_tested() {
    let Limits {
        text: _,
        nesting: _,
        trace: _,
        preemptions: _,
        variables: _,
        registers: _,
        steps: _,
        memory: _,
        printf: _,
        findings: _,
        // A full heap is no finding: `malloc` returns null, as in tests/suite/heap.rs.
        heap: _,
        stack,
        state,
    } = Limits::default();
    assert!(state > 1024 * stack, "a block with full stacks fits");
}

#[test]
fn text() {
    let limits = Limits { text: 100, ..Limits::default() };
    assert!(module(&kernel("ret;"), &Limits::default()).is_ok());
    let error = module(&" ".repeat(100), &limits).unwrap_err();
    assert!(error.contains("the limit `text` is 100"), "{error}");
}

#[test]
fn nesting() {
    let deep = |count: usize| kernel(&format!("{} ret; {}", "{".repeat(count), "}".repeat(count)));
    let limits = Limits { nesting: 5, ..Limits::default() };
    assert!(module(&deep(5), &limits).is_ok());
    let error = module(&deep(6), &limits).unwrap_err();
    assert!(error.contains("the limit `nesting` is 5"), "{error}");
    let error = module(&deep(100_000), &Limits { nesting: u32::MAX, ..limits }).unwrap_err();
    assert!(error.contains("`nesting`"), "{error}");
    let values = |count: usize| format!(".global .b32 g[1] = {}1{};", "{".repeat(count), "}".repeat(count));
    assert!(module(&values(4), &limits).is_ok());
    assert!(module(&values(7), &limits).unwrap_err().contains("`nesting` is 5"));
}

#[test]
fn variables() {
    let limits = Limits { variables: 1000, ..Limits::default() };
    assert!(module(".global .b8 a[600]; .shared .b8 b[400];", &limits).is_ok());
    for text in
        [".global .b8 a[600]; .shared .b8 b[401];", ".const .b64 c[126];", ".global .b8 g[18446744073709551615];"]
    {
        let error = module(text, &limits).unwrap_err();
        assert!(error.contains("the limit `variables` is 1000"), "{error}");
    }
}

#[test]
fn registers() {
    let text = kernel("add.s32 %r1, %r2, %r3;\nadd.s32 %r4, %r5, %r6;");
    let limits = Limits { registers: 6, ..Limits::default() };
    assert_eq!(run(&text, limits).unwrap().status, LaunchStatus::Finished);
    let (message, _) = fault(&text, Limits { registers: 5, ..limits });
    assert!(message.contains("the limit `registers`, 5"), "{message}");
    // Declaring costs nothing.
    let text = ".entry k() { .reg .b32 %r<4294967295>; mov.u32 %r4294967294, 1; ret; }";
    assert_eq!(run(text, Limits::default()).unwrap().status, LaunchStatus::Finished);
}

#[test]
fn memory() {
    let limits = Limits { memory: 4096, ..Limits::default() };
    let mut device = Device::new(Arc::new(module("", &limits).unwrap()), Config { limits, ..Config::default() });
    device.alloc("a", 4096).unwrap();
    let error = device.alloc("b", 1).unwrap_err().to_string();
    assert!(error.contains("the limit `memory` is 4096"), "{error}");
    let error = run(&format!(".global .b8 large[5000];\n{}", kernel("ret;")), limits).unwrap_err();
    assert!(error.contains("`large` of 5000 bytes") && error.contains("the limit `memory` is 4096"), "{error}");
}

#[test]
fn steps() {
    let limits = Limits { steps: 1000, ..Limits::default() };
    let (message, line) = fault(&kernel("mov.u32 %r1, 0;\nL: add.s32 %r1, %r1, 1;\nbra L;"), limits);
    assert!(message.contains("the limit `steps` is 1000") && (3..=4).contains(&line), "{line}: {message}");
}

#[test]
fn stack() {
    let limits = Limits { stack: 4096, ..Limits::default() };
    let recursion = format!(".func f() {{\ncall f;\nret;\n}}\n{}", kernel("call f;"));
    let report = run(&recursion, limits).unwrap();
    let message = report.findings[0].kind.to_string();
    assert!(message.contains("the limit `stack` is 4096"), "{message}");
    assert_eq!((report.findings[0].place.function.as_str(), report.findings[0].place.ptx_line), ("f", 5));
    let (message, line) = fault(&kernel(".local .b8 depot[1073741824];\nret;"), limits);
    assert!(message.contains("the limit `stack` is 4096") && line > 0, "{message}");
}

#[test]
fn state() {
    let text = kernel(".local .b8 v[1024];\nmov.u64 %rd1, v; st.local.u32 [%rd1], 1; ret;");
    // A block needs more than 32 KiB: with room for one only, they run one after the other.
    let limits = Limits { state: 50_000, ..Limits::default() };
    assert_eq!(run_many(&text, limits, [100, 1, 1], false).unwrap().status, LaunchStatus::Finished);
    let (message, _) = fault(&text, Limits { state: 20_000, ..limits });
    assert!(message.contains("the limit `state` is 20000"), "{message}");
    // A callee's frame counts too.
    let call = format!(".func f() {{ .local .b8 v[1024]; ret; }}\n{}", kernel("call f;"));
    assert_eq!(run(&call, limits).unwrap().status, LaunchStatus::Finished);
    let (message, _) = fault(&call, Limits { state: 20_000, ..limits });
    assert!(message.contains("the limit `state` is 20000"), "{message}");
}

#[test]
fn printf() {
    let text = format!(
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.global .b8 format[7] = {{104, 101, 108, 108, \
         111, 10, 0}};\n{}",
        kernel(
            "mov.u64 %rd1, format;\n{ .param .b64 p0; st.param.b64 [p0], %rd1; .param .b64 p1; st.param.b64 [p1], 0; .param \
             .b32 r0; call (r0), vprintf, (p0, p1); } ret;"
        )
    );
    let report = run(&text, Limits { printf: 20, ..Limits::default() }).unwrap();
    assert_eq!(report.printf, b"hello\nhello\nhello\nhe");
    let message = report.findings[0].kind.to_string();
    assert!(message.contains("172 bytes") && message.contains("the limit `printf`"), "{message}");
}

#[test]
fn findings() {
    // Each is used where it decides a jump.
    let read =
        |at: u32| format!("ld.shared.u32 %r1, [s+{}]; setp.ne.u32 %p1, %r1, 0; @%p1 bra L{at};\nL{at}:\n", 4 * at);
    let reads = (0..20).map(read).collect::<String>();
    let text = format!(".shared .b32 s[20];\n{}", kernel(&reads));
    for (most, kept) in [(64, 20), (5, 5)] {
        let limits = Limits { findings: most, ..Limits::default() };
        let config = Config { limits, checks: simulator::Checks::ALL, ..Config::default() };
        let mut device = Device::new(Arc::new(module(&text, &limits).unwrap()), config);
        let launch = Launch {
            kernel: "k".into(),
            grid: [1; 3],
            block: [32, 1, 1],
            shared: 0,
            args: Vec::new(),
            cooperative: false,
        };
        let report = device.launch(&launch).unwrap();
        let findings = report.findings.iter().filter(|finding| !finding.kind.to_string().contains("`findings`"));
        assert_eq!(findings.count(), kept);
        let note = report.findings.iter().find(|finding| finding.kind.to_string().contains("the limit `findings`"));
        assert_eq!(note.is_some(), most == 5, "{:?}", report.findings.last());
    }
}

#[test]
fn shared_per_block_and_resident_blocks() {
    let error =
        run(&format!(".shared .b8 s[300000];\n{}", kernel("st.shared.u8 [s], 1;")), Limits::default()).unwrap_err();
    assert!(error.contains("`shared_per_block` is 232448"), "{error}");
    let error = run_many(&kernel("ret;"), Limits::default(), [2000, 1, 1], true).unwrap_err();
    assert!(error.contains("`resident_blocks` is 1056"), "{error}");
}

#[test]
fn impossible_launches() {
    let module = Arc::new(module(&kernel("ret;"), &Limits::default()).unwrap());
    let launch = |grid, block, args: Vec<Arg>| {
        let mut device = Device::new(Arc::clone(&module), Config::default());
        let launch = Launch { kernel: "k".into(), grid, block, shared: 0, args, cooperative: false };
        device.launch(&launch).unwrap_err().to_string()
    };
    assert!(launch([0, 1, 1], [1, 1, 1], vec![]).starts_with("grid.x is 0"));
    assert!(launch([1, 65536, 1], [1, 1, 1], vec![]).starts_with("grid.y is 65536"));
    assert!(launch([1, 1, 1], [32, 32, 2], vec![]).starts_with("threads a block is 2048"));
    assert!(launch([1, 1, 1], [1, 1, 65], vec![]).starts_with("block.z is 65"));
    assert!(launch([1, 1, 1], [u32::MAX; 3], vec![]).starts_with("block.x is"));
    assert!(launch([1, 1, 1], [1, 1, 1], vec![Arg::Pointer(0)]).contains("takes 0 arguments"));
}

#[test]
fn jumps_to_nowhere_and_writes_everywhere() {
    // Text, what the fault says, its line.
    for (body, says, at) in [
        ("mov.u64 %rd1, 1234;\ncall %rd1, (), P;\nP: .callprototype _ ();", "0x4d2", 3),
        ("mov.u32 %r1, 9;\nbrx.idx %r1, T;\nA: ret;\nT: .branchtargets A;", "9", 3),
        ("bra nowhere;", "bra nowhere", 2),
        ("mov.u32 %r1, 1;\nst.global.u32 [0], %r1;", "write", 3),
        ("mov.u64 %rd1, 18446744073709551612;\nst.global.u64 [%rd1], %rd1;", "write", 3),
        ("mov.u64 %rd1, 18446744073709551612;\nst.u32 [%rd1+8], %r1;", "write", 3),
        ("st.shared.u32 [4294967292], %r1;", "write", 2),
        ("st.local.u32 [2147483644], %r1;", "write", 2),
        ("mov.u64 %rd1, 52776558133248;\nst.u32 [%rd1], %r1;", "", 3),
        ("ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [4];", "", 2),
        ("trap;", "trap", 2),
        ("bar.sync 16;", "sixteen", 2),
        ("frobnicate.u32 %r1;", "frobnicate.u32 %r1", 2),
    ] {
        let (message, line) = fault(&kernel(body), Limits::default());
        assert!(message.contains(says) && line == at, "{body}: line {line}: {message}");
    }
}

#[test]
fn findings_speak() {
    let kind = FindingKind::StepLimit { limit: 7, turns: 0, polls: Vec::new() };
    assert_eq!(
        kind.to_string(),
        "the kernel did not end: no block ended within 7 warp instructions; the limit `steps` is 7"
    );
}

#[test]
fn preemptions() {
    let text = kernel("activemask.b32 %r1; ret;");
    let config = |preemptions| Config {
        schedule: simulator::Schedule::Adversarial { seed: 0 },
        limits: Limits { preemptions, ..Limits::default() },
        ..Config::default()
    };
    let order = |preemptions| {
        let module = module(&text, &Limits::default()).expect("it parses");
        let launch = Launch {
            kernel: "k".into(),
            grid: [1, 1, 1],
            block: [32, 1, 1],
            shared: 0,
            args: Vec::new(),
            cooperative: false,
        };
        Device::new(Arc::new(module), config(preemptions)).launch(&launch).expect("it starts").order
    };
    let whole = order(100);
    assert!(whole.complete && whole.preempted.len() == 31, "{whole:?}");
    let cut = order(5);
    assert!(!cut.complete && cut.preempted.len() == 5, "{cut:?}");
}

/// Texts that once were more than the simulator could bear.
#[test]
fn malformed_instructions() {
    for body in ["bfe.u32 %r1;", "addc.u32;", "sub.cc.u32;", "call (%r1), k, (%r2);", "mad.lo.cc.u32 %r1;"] {
        let (message, line) = fault(&kernel(body), Limits { stack: 4096, steps: 1000, ..Limits::default() });
        assert!(line == 2 && !message.is_empty(), "{body}: line {line}: {message}");
    }
    // A name of half a million parts.
    let (message, _) = fault(&kernel(&format!("mov.u32 %r1, a{};", ".x".repeat(500_000))), Limits::default());
    assert!(message.contains("does not know"), "{message}");
    // A callee that expects more than it is given.
    let call = ".func f(.param .b8 in[4096]) { .reg .b32 %r<2>; ld.param.b32 %r1, [in+4092]; ret; }";
    let text = format!("{call}\n{}", kernel(".param .b8 p[4]; call f, (p); ret;"));
    assert_eq!(run(&text, Limits::default()).unwrap().status, LaunchStatus::Finished);
}
