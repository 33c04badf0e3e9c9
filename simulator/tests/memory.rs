//! Memory grows with what is resident, not with the grid: the peak of a process that runs many blocks is that of one that
//! runs few.
#![cfg(target_os = "linux")]

use simulator::{Arg, Checks, Config, Device, Launch, Limits, Module, Schedule, Status};
use std::process::Command;
use std::sync::Arc;

/// Blocks that read a small buffer, meet at a barrier, use shared and local memory, and add to a counter.
const KERNEL: &str = ".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b) {
    .reg .b32 %r<9>; .reg .b64 %rd<9>;
    .local .align 4 .b8 mine[16];
    ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.s32 %r3, %r2, 32, %r1; and.b32 %r3, %r3, 1023;
    mul.wide.u32 %rd3, %r3, 4; add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r4, [%rd4];
    shl.b32 %r5, %r1, 2; st.shared.u32 [%r5], %r4; st.local.u32 [mine], %r4;
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
        assert_eq!((report.status, report.findings.len()), (Status::Finished, 0), "{:?}", report.findings);
    }
}

/// Peak resident memory in KiB of a process that runs that many blocks.
fn peak(blocks: u32) -> u64 {
    let mut child = Command::new(std::env::current_exe().expect("a test has a file"));
    child.args(["memory_does_not_grow_with_the_grid", "--exact", "--nocapture"]).env(BLOCKS, blocks.to_string());
    let output = child.output().expect("starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let found = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_else(|| panic!("no peak: {text}"));
    found.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn memory_does_not_grow_with_the_grid() {
    if let Some(blocks) = std::env::var(BLOCKS).ok().and_then(|text| text.parse().ok()) {
        run(blocks);
        let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
        println!("\n{line}");
        return;
    }
    let (few, many) = (peak(1 << 12), peak(1 << 17));
    // Eight bytes a block would be 1 MiB.
    assert!(many < few + 1024, "{few} KiB with 2^12 blocks, {many} KiB with 2^17");
}
