//! `malloc` and `free` of device code, as NVRTC calls them.

use simulator::{Arg, Checks, Config, Device, FindingKind, Launch, LaunchReport, Limits, Module, Status};
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
        assert_eq!((report.status, report.findings.as_slice()), (Status::Finished, &[][..]));
        assert_eq!(sums, [45; 64]);
    }
}

#[test]
fn a_full_heap_gives_null() {
    // Room for sixteen nodes of all threads.
    let limits = Limits { heap: 256, ..Limits::default() };
    let (report, sums) = run("k", 10, Config { limits, ..Config::default() });
    assert_eq!(report.status, Status::Finished);
    // Sixteen threads get the first node, whose value is 0; nobody gets a second.
    assert_eq!(sums, [0; 64]);
}

#[test]
fn freeing_twice_is_found() {
    let (report, _) = run("twice", 0, Config::default());
    assert!(matches!(&report.findings[0].kind, FindingKind::OutOfBounds { access } if access.what == "free"));
}

#[test]
fn reading_fresh_memory_is_found() {
    let (report, _) = run("unwritten", 0, Config { checks: Checks::ALL, ..Config::default() });
    assert!(report.findings.iter().any(|finding| matches!(finding.kind, FindingKind::Uninitialised { .. })));
}
