//! Memory grows with what is resident, not with the grid: the peak of a process that runs many blocks is that of one that
//! runs few.
#![cfg(target_os = "linux")]

use simulator::{Arg, Checks, Config, Device, Launch, LaunchStatus, Limits, Module, Schedule};
use std::process::Command;
use std::sync::Arc;

/// Blocks that read a small buffer, meet at a barrier, use shared and local memory, and add to a counter.
const KERNEL: &str = ".version 8.0
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.visible .entry k(.param .u64 a, .param .u64 b) {
    .reg .b32 %r<9>; .reg .b64 %rd<9>;
    .local .align 4 .b8 mine[16];
    ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.s32 %r3, %r2, 32, %r1; and.b32 %r3, %r3, 1023;
    mul.wide.u32 %rd3, %r3, 4; add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r4, [%rd4];
    mov.u32 %r8, dynamic; shl.b32 %r5, %r1, 2; add.s32 %r5, %r5, %r8; st.shared.u32 [%r5], %r4; st.local.u32 [mine], %r4;
    bar.sync 0;
    xor.b32 %r5, %r5, 4; ld.shared.u32 %r6, [%r5]; ld.local.u32 %r7, [mine]; add.s32 %r6, %r6, %r7;
    red.global.add.u32 [%rd2], %r6;
    ret;
}";

/// Blocks of the child process, if this is one.
const BLOCKS: &str = "SIMULATOR_TEST_BLOCKS";

fn run(blocks: u32) {
    let module = Arc::new(Module::parse(KERNEL).expect("parses"));
    let schedules = [Schedule::Its, Schedule::PreVolta, Schedule::Adversarial { seed: 1 }];
    for (schedule, checks) in schedules.into_iter().flat_map(|s| [(s, Checks::NONE), (s, Checks::ALL)]) {
        // What an adversarial schedule remembers of itself has a limit of its own.
        let limits = Limits { preemptions: 256, ..Limits::default() };
        let config = Config { schedule, checks, limits, resident_blocks: 64, ..Config::default() };
        let mut device = Device::new(Arc::clone(&module), config);
        let buffers = ["a", "b"].map(|name| device.alloc(name, 4096).expect("fits"));
        for buffer in buffers {
            device.write(buffer, &[1; 4096]).expect("inside");
        }
        let args = buffers.map(Arg::Pointer).to_vec();
        let (grid, block) = ([blocks, 1, 1], [32, 1, 1]);
        let launch = Launch { kernel: "k".into(), grid, block, shared: 128, args, cooperative: false };
        let report = device.launch(&launch).expect("starts");
        assert_eq!((report.status, report.findings.len()), (LaunchStatus::Finished, 0), "{:?}", report.findings);
    }
}

/// A block that meets at an mbarrier, in shared memory, twice a round: after each thread has written its word and after it
/// has read its neighbour's.
const MEETING: &str = ".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u32 n, .param .u32 rounds) {
    .reg .b32 %r<12>; .reg .b64 %rd<4>; .reg .pred %p<4>;
    .shared .align 8 .b64 bar;
    .shared .align 4 .b8 data[4096];
    ld.param.u32 %r1, [n]; ld.param.u32 %r2, [rounds];
    mov.u32 %r3, %tid.x; mov.u32 %r4, data; mov.u32 %r5, bar;
    setp.ne.u32 %p1, %r3, 0; @%p1 bra READY;
    mbarrier.init.shared.b64 [%r5], %r1;
READY:
    bar.sync 0;
    shl.b32 %r6, %r3, 2; add.s32 %r6, %r4, %r6;
    add.s32 %r7, %r3, 1; rem.u32 %r7, %r7, %r1; shl.b32 %r7, %r7, 2; add.s32 %r7, %r4, %r7;
ROUND:
    st.shared.u32 [%r6], %r2;
    mbarrier.arrive.shared.b64 %rd1, [%r5];
WRITTEN:
    mbarrier.test_wait.shared.b64 %p2, [%r5], %rd1; @!%p2 bra WRITTEN;
    ld.shared.u32 %r8, [%r7];
    mbarrier.arrive.shared.b64 %rd1, [%r5];
READ:
    mbarrier.test_wait.shared.b64 %p2, [%r5], %rd1; @!%p2 bra READ;
    add.s32 %r2, %r2, -1; setp.ne.u32 %p3, %r2, 0; @%p3 bra ROUND;
    ret;
}";

/// Threads of the block of the child process, if this is one.
const THREADS: &str = "SIMULATOR_TEST_THREADS";

fn run_meetings(threads: u32) {
    let module = Arc::new(Module::parse(MEETING).expect("parses"));
    let mut device = Device::new(module, Config { checks: Checks::ALL, ..Config::default() });
    let args = [threads, 16].map(|value| Arg::Bytes(value.to_le_bytes().to_vec())).to_vec();
    let launch =
        Launch { kernel: "k".into(), grid: [1; 3], block: [threads, 1, 1], shared: 0, args, cooperative: false };
    let report = device.launch(&launch).expect("starts");
    assert_eq!((report.status, report.findings.len()), (LaunchStatus::Finished, 0), "{:?}", report.findings);
}

/// Peak resident memory in KiB of a process that runs `test` with that variable.
fn peak(test: &str, variable: &str, value: u32) -> u64 {
    let mut child = Command::new(std::env::current_exe().expect("a test has a file"));
    child.args([test, "--exact", "--nocapture", "--include-ignored"]).env(variable, value.to_string());
    let output = child.output().expect("starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let found = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_else(|| panic!("no peak: {text}"));
    found.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// Runs `work` if this is the child process, and prints its peak.
fn is_child(variable: &str, work: impl Fn(u32)) -> bool {
    let Some(value) = std::env::var(variable).ok().and_then(|text| text.parse().ok()) else { return false };
    work(value);
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
    println!("\n{line}");
    true
}

#[test]
#[ignore = "long"]
fn memory_does_not_grow_with_the_grid() {
    if is_child(BLOCKS, run) {
        return;
    }
    let blocks = |blocks| peak("memory_does_not_grow_with_the_grid", BLOCKS, blocks);
    let (few, many) = (blocks(1 << 12), blocks(1 << 17));
    // Eight bytes a block would be 1 MiB.
    assert!(many < few + 1024, "{few} KiB with 2^12 blocks, {many} KiB with 2^17");
}

#[test]
fn what_threads_know_of_each_other_stays_small() {
    if is_child(THREADS, run_meetings) {
        return;
    }
    let most = peak("what_threads_know_of_each_other_stays_small", THREADS, 1024);
    // 1024 threads meet 32 times: a clock of its own for every thread at every meeting would be 128 MiB.
    assert!(most < 48 << 10, "{most} KiB");
}
