//! A launch ends when it is told to, however short its blocks.

use simulator::{Arg, Checks, Config, Device, FindingKind, Launch, LaunchStatus, Module, Schedule};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[test]
fn short_blocks_are_interrupted() {
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }";
    let module = Arc::new(Module::parse(text).expect("parses"));
    let schedules = [Schedule::Its, Schedule::PreVolta, Schedule::Adversarial { seed: 9 }];
    for (schedule, checks) in schedules.into_iter().flat_map(|one| [(one, Checks::ALL), (one, Checks::NONE)]) {
        for (threads, shares) in [(1, 1), (2, 2)] {
            let config = Config { schedule, checks, threads, shares, ..Config::default() };
            let mut device = Device::new(Arc::clone(&module), config);
            device.set_interrupt(Some(Arc::new(AtomicBool::new(true))));
            let (grid, block) = ([1 << 20, 1, 1], [32, 1, 1]);
            let launch = Launch { kernel: "k".into(), grid, block, shared: 0, args: Vec::new(), cooperative: false };
            let report = device.launch(&launch).expect("starts");
            assert_eq!(report.status, LaunchStatus::Stopped, "{schedule:?}, {checks:?}");
            let interrupted = |kind: &FindingKind| matches!(kind, FindingKind::Interrupted { .. });
            assert!(report.findings.iter().all(|finding| interrupted(&finding.kind)), "{:?}", report.findings);
            assert!(report.counters.warps < 4, "{schedule:?}, {checks:?}: {} warps began", report.counters.warps);
        }
    }
}

#[test]
fn an_interrupted_start_of_a_block_is_no_livelock() {
    // Each block waits for the next one, and all of them have room: another one starts whenever nobody can go on.
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) { .reg .pred %p<2>;\n\
                .reg .b32 %r<4>; .reg .b64 %rd<4>; ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x;\n\
                mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;\n\
                WAIT: atom.global.add.u32 %r2, [%rd1+4], 0; setp.eq.u32 %p1, %r2, 0; @%p1 bra WAIT;\n\
                atom.global.exch.b32 %r2, [%rd1], 1; ret; }";
    let module = Arc::new(Module::parse(text).expect("parses"));
    for seed in 0..3 {
        let schedule = Schedule::Adversarial { seed };
        let config = Config { schedule, resident_blocks: 1 << 16, ..Config::default() };
        let mut device = Device::new(Arc::clone(&module), config);
        let flag = Arc::new(AtomicBool::new(false));
        device.set_interrupt(Some(Arc::clone(&flag)));
        let out = device.alloc("out", 4 << 16).expect("fits");
        device.write(out, &[0; 4 << 16]).expect("inside");
        let (grid, block) = ([(1 << 16) - 1, 1, 1], [1, 1, 1]);
        let args = vec![Arg::Pointer(out)];
        let launch = Launch { kernel: "k".into(), grid, block, shared: 0, args, cooperative: false };
        let report = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(50));
                flag.store(true, Ordering::Relaxed);
            });
            device.launch(&launch).expect("starts")
        });
        let interrupted = |kind: &FindingKind| matches!(kind, FindingKind::Interrupted { .. });
        assert!(report.findings.iter().all(|finding| interrupted(&finding.kind)), "{:?}", report.findings);
    }
}
