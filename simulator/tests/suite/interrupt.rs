//! A launch ends when it is told to, however short its blocks.

use simulator::{Checks, Config, Device, FindingKind, Launch, LaunchStatus, Module, Schedule};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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
