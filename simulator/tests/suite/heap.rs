//! `malloc` and `free` of device code, as NVRTC calls them.

use simulator::{Arg, Checks, Config, Device, FindingKind, Launch, LaunchReport, LaunchStatus, Limits, Module};
use std::sync::Arc;

/// A list of `n` nodes a thread, summed up while it is freed, as NVRTC writes it for sm_90.
const LIST: &str = "
.version 9.0
.target sm_90
.address_size 64
.extern .func (.param .b64 func_retval0) malloc (.param .b64 malloc_param_0);
.extern .func free (.param .b64 free_param_0);
.visible .entry k(.param .u64 out, .param .u32 n)
{
    .reg .b32 i, count, s, v, t;
    .reg .b64 head, p, to;
    .reg .pred q;
    ld.param.u64 to, [out];
    ld.param.u32 count, [n];
    mov.u64 head, 0;
    mov.u32 i, 0;
NEXT:
    setp.ge.u32 q, i, count;
    @q bra SUM;
    { .param .b64 param0; st.param.b64 [param0+0], 16; .param .b64 retval0;
      call.uni (retval0), malloc, (param0); ld.param.b64 p, [retval0+0]; }
    setp.eq.u64 q, p, 0;
    @q bra SUM;
    st.u32 [p], i;
    st.u64 [p+8], head;
    mov.u64 head, p;
    add.u32 i, i, 1;
    bra.uni NEXT;
SUM:
    mov.u32 s, 0;
WALK:
    setp.eq.u64 q, head, 0;
    @q bra DONE;
    ld.u32 v, [head];
    add.u32 s, s, v;
    ld.u64 p, [head+8];
    { .param .b64 param0; st.param.b64 [param0+0], head; call.uni free, (param0); }
    mov.u64 head, p;
    bra.uni WALK;
DONE:
    mov.u32 t, %tid.x;
    mad.wide.u32 to, t, 4, to;
    st.global.u32 [to], s;
    ret;
}
.visible .entry twice(.param .u64 out, .param .u32 n)
{
    .reg .b64 p;
    { .param .b64 param0; st.param.b64 [param0], 8; .param .b64 retval0;
      call.uni (retval0), malloc, (param0); ld.param.b64 p, [retval0]; }
    { .param .b64 param0; st.param.b64 [param0], p; call.uni free, (param0); }
    { .param .b64 param0; st.param.b64 [param0], p; call.uni free, (param0); }
    ret;
}
.visible .entry turns(.param .u64 out, .param .u32 n)
{
    .reg .b64 p, to;
    .reg .b32 v, t;
    .reg .pred q;
    mov.u32 t, %tid.x;
    mov.u32 v, 0;
TURN:
    { .param .b64 param0; st.param.b64 [param0], 12; .param .b64 retval0;
      call.uni (retval0), malloc, (param0); ld.param.b64 p, [retval0]; }
    setp.eq.u64 q, p, 0;
    @q bra TURN;
    st.u32 [p+4], v;
    ld.u32 v, [p+4];
    { .param .b64 param0; st.param.b64 [param0], p; call.uni free, (param0); }
    add.u32 v, v, 1;
    setp.lt.u32 q, v, 8;
    @q bra TURN;
    ld.param.u64 to, [out];
    mad.wide.u32 to, t, 4, to;
    st.global.u32 [to], v;
    ret;
}
.visible .entry again(.param .u64 out, .param .u32 n)
{
    .reg .b64 p, to;
    .reg .b32 v, t;
    .reg .pred q;
    mov.u32 t, %tid.x;
    setp.ne.u32 q, t, 0;
    @q ret;
    mov.u32 v, 0;
AGAIN:
    { .param .b64 param0; st.param.b64 [param0], 64; .param .b64 retval0;
      call.uni (retval0), malloc, (param0); ld.param.b64 p, [retval0]; }
    setp.eq.u32 q, v, 9;
    @q bra LOOK;
    st.u32 [p], v;
    { .param .b64 param0; st.param.b64 [param0], p; call.uni free, (param0); }
    add.u32 v, v, 1;
    bra.uni AGAIN;
LOOK:
    ld.u32 v, [p];
    ld.param.u64 to, [out];
    st.global.u32 [to], v;
    ret;
}
.visible .entry unwritten(.param .u64 out, .param .u32 n)
{
    .reg .b64 p, to;
    .reg .b32 v;
    { .param .b64 param0; st.param.b64 [param0], 8; .param .b64 retval0;
      call.uni (retval0), malloc, (param0); ld.param.b64 p, [retval0]; }
    ld.u32 v, [p];
    ld.param.u64 to, [out];
    st.global.u32 [to], v;
    ret;
}
";

fn run(kernel: &str, n: u32, config: Config) -> (LaunchReport, Vec<u32>) {
    let module = Module::parse(LIST).expect("parses");
    let mut device = Device::new(Arc::new(module), config);
    let out = device.alloc("out", 256).expect("fits");
    let launch = Launch {
        kernel: kernel.into(),
        grid: [1; 3],
        block: [64, 1, 1],
        shared: 0,
        args: vec![Arg::Pointer(out), Arg::Bytes(n.to_le_bytes().to_vec())],
        cooperative: false,
    };
    let mut report = device.launch(&launch).expect("launches");
    report.findings.extend(device.undefined(out, 256));
    let mut bytes = [0; 256];
    device.read(out, &mut bytes).expect("reads");
    let words = bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    (report, words)
}

#[test]
fn lists_are_made_and_freed() {
    for checks in [Checks::NONE, Checks::ALL] {
        let (report, sums) = run("k", 10, Config { checks, ..Config::default() });
        assert_eq!((report.status, report.findings.as_slice()), (LaunchStatus::Finished, &[][..]));
        assert_eq!(sums, [45; 64]);
    }
}

/// Four times what the heap holds goes through it: what one thread freed another one gets, in no order but the heap's own.
#[test]
fn a_block_that_comes_back_is_nobody_elses() {
    let limits = Limits { heap: 2048, ..Limits::default() };
    let (report, turns) = run("turns", 0, Config { checks: Checks::ALL, limits, ..Config::default() });
    assert_eq!((report.status, report.findings.as_slice()), (LaunchStatus::Finished, &[][..]));
    assert_eq!(turns, [8; 64]);
}

#[test]
fn a_full_heap_gives_null() {
    // Room for sixteen nodes of all threads.
    let limits = Limits { heap: 256, ..Limits::default() };
    let (report, sums) = run("k", 10, Config { limits, ..Config::default() });
    assert_eq!(report.status, LaunchStatus::Finished);
    // Sixteen threads get the first node, whose value is 0; nobody gets a second.
    assert_eq!(sums, [0; 64]);
}

/// Runs `body` with `p`, a block of 10 bytes, and says what is wrong with it.
fn said(body: &str) -> Vec<String> {
    let head = &LIST[..LIST.find(".visible").expect("kernels")];
    let malloc = |to: &str, bytes: u32| {
        format!(
            "{{ .param .b64 param0; st.param.b64 [param0], {bytes}; .param .b64 retval0;\n\
             call.uni (retval0), malloc, (param0);\nld.param.b64 {to}, [retval0]; }}\n"
        )
    };
    let body = body.replace("free(p)", "{ .param .b64 param0; st.param.b64 [param0], p;\ncall.uni free, (param0); }");
    let text = format!(
        "{head}.visible .entry k()\n{{\n.reg .b64 p, q; .reg .b32 v;\n{}{}st.u64 [p], 1; st.u64 [q], 1;\n{body}\nret;\n}}\n",
        malloc("p", 10),
        malloc("q", 16)
    );
    let launch =
        Launch { kernel: "k".into(), grid: [1; 3], block: [1; 3], shared: 0, args: Vec::new(), cooperative: false };
    let all = [Checks::NONE, Checks::ALL].map(|checks| {
        let module = Module::parse(&text).expect("parses");
        let mut device = Device::new(Arc::new(module), Config { checks, ..Config::default() });
        let report = device.launch(&launch).expect("launches");
        let describe = |finding: &simulator::Finding| match &finding.kind {
            FindingKind::OutOfBounds { access } => format!("{}: {}", access.what, access.object),
            other => other.to_string(),
        };
        report.findings.iter().map(describe).collect::<Vec<_>>()
    });
    assert_eq!(all[0], all[1], "with and without checks");
    all[0].clone()
}

#[test]
fn what_is_wrong_with_a_block_is_told_with_both_places() {
    let cases = [
        ("st.u16 [p+8], 1; ld.u8 v, [p+9]; free(p)", ""),
        ("st.u16 [p+10], 1;", "write: byte 10 of the block of 10 allocated in line"),
        ("ld.u32 v, [p+8];", "read: byte 8 of the block of 10 allocated in line"),
        ("atom.add.u32 v, [p+16], 1;", "atomic: byte 16 of the block of 10 allocated in line"),
        ("ld.u32 v, [q+28];", "read: byte 28 of the block of 16 allocated in line"),
        ("free(p)\nst.u32 [p], 1;", "write: byte 0 of a block of 10 that was freed in line"),
        ("free(p)\nld.u32 v, [p+4];", "read: byte 4 of a block of 10 that was freed in line"),
        ("free(p)\nfree(p)", "free: byte 0 of a block of 10 that was freed in line"),
        ("add.u64 p, p, 8; free(p)", "free: byte 8 of the block of 10 allocated in line"),
    ];
    for (body, expected) in cases {
        let said = said(body);
        let fits = if expected.is_empty() {
            said.is_empty()
        } else {
            said.len() == 1 && said[0].starts_with(expected) && said[0].contains("by thread 0 of block 0")
        };
        assert!(fits, "{body}: {said:?}");
    }
}

#[test]
fn freed_memory_holds_nothing_when_it_comes_back() {
    // As much as there is, freed and allocated again: what was written is gone.
    let limits = Limits { heap: 64, ..Limits::default() };
    let (report, _) = run("again", 0, Config { checks: Checks::ALL, limits, ..Config::default() });
    assert!(matches!(report.findings[..], [simulator::Finding { kind: FindingKind::Uninitialised { .. }, .. }]));
}

#[test]
fn freeing_twice_is_found() {
    let (report, _) = run("twice", 0, Config::default());
    assert!(matches!(&report.findings[0].kind, FindingKind::OutOfBounds { access } if access.what == "free"));
    let said = report.findings[0].kind.to_string();
    assert!(said.starts_with("a free of a block that has been freed already: byte 0 of a block of 8"), "{said}");
}

#[test]
fn reading_fresh_memory_is_found() {
    let (report, _) = run("unwritten", 0, Config { checks: Checks::ALL, ..Config::default() });
    assert!(report.findings.iter().any(|finding| matches!(finding.kind, FindingKind::Uninitialised { .. })));
}

/// Blocks that hold 512 bytes each and have given them back before the next one begins: a device has them at the same time.
#[test]
fn blocks_that_are_resident_together_share_the_heap() {
    let went = |resident_blocks: u32, heap_held: u64| {
        let module = Module::parse(LIST).expect("parses");
        let limits = Limits { heap: 4096, ..Limits::default() };
        let config = Config { limits, resident_blocks, heap_held, ..Config::default() };
        let mut device = Device::new(Arc::new(module), config);
        let out = device.alloc("out", 128).expect("fits");
        let (grid, block) = ([16, 1, 1], [32, 1, 1]);
        let args = vec![Arg::Pointer(out), Arg::Bytes(1u32.to_le_bytes().to_vec())];
        let launch = Launch { kernel: "k".into(), grid, block, shared: 0, args, cooperative: false };
        assert_eq!(device.launch(&launch).expect("launches").status, LaunchStatus::Finished);
        let held = device.heap_held();
        assert!(held.iter().all(|(_, left)| *left == 0), "{held:?}");
        held.iter().map(|(most, _)| *most).collect::<Vec<_>>()
    };
    assert_eq!(went(8, 0), [512; 8], "of those that may still be resident");
    assert!(went(16, 0)[8..].iter().all(|most| *most < 512), "eight of them have all of it");
    assert!(went(8, 4000).iter().all(|most| (1..=256 + 96).contains(most)), "every second thread gets something");
}
