//! Traces: who runs which line at each step, under each schedule.

use simulator::trace::{Grain, Trace, TraceRequest};
use simulator::{Arg, Config, Device, Launch, LaunchReport, Limits, Module, Schedule};
use std::sync::Arc;

/// `if (threadIdx.x < 4) { A; B; } else { X; Y; } [__syncwarp();] Z;` as stores on the lines below.
const IF: u32 = 2;
const A: u32 = 3;
const B: u32 = 4;
const X: u32 = 6;
const Y: u32 = 7;
const SYNC: u32 = 8;
const Z: u32 = 9;

fn module(sync: bool) -> Arc<Module> {
    let barrier = if sync { ".loc 1 8 0\nbar.warp.sync -1;" } else { "" };
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
         .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n.loc 1 1 0\nld.param.u64 %rd1, [p];\n\
         mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd1, %rd2;\n\
         .loc 1 2 0\nsetp.gt.u32 %p1, %r1, 3;\n@%p1 bra ELSE;\n\
         .loc 1 3 0\nst.volatile.global.u32 [%rd2], 1;\n.loc 1 4 0\nst.volatile.global.u32 [%rd2], 2;\nbra.uni END;\n\
         ELSE:\n.loc 1 6 0\nst.volatile.global.u32 [%rd2], 3;\n.loc 1 7 0\nst.volatile.global.u32 [%rd2], 4;\n\
         END:\n{barrier}\n.loc 1 9 0\nadd.s32 %r2, %r1, 5;\nst.volatile.global.u32 [%rd2], %r2;\nret;\n}}\n.file 1 \"k.cu\"\n"
    );
    Arc::new(Module::parse(&text).expect("the test's PTX parses"))
}

fn run(
    sync: bool,
    schedule: Schedule,
    block: u32,
    trace: Option<TraceRequest>,
    limit: usize,
) -> (LaunchReport, Vec<u8>) {
    let limits = Limits { trace: limit, ..Limits::default() };
    let mut device = Device::new(module(sync), Config { schedule, trace, limits, lines: true, ..Config::default() });
    let data = device.alloc("data", 1024).expect("fits");
    let launch = Launch {
        kernel: "k".into(),
        grid: [2, 1, 1],
        block: [block, 1, 1],
        shared: 0,
        args: vec![Arg::Pointer(data)],
        cooperative: false,
    };
    let report = device.launch(&launch).expect("starts");
    let mut bytes = vec![0; 1024];
    device.read(data, &mut bytes).expect("inside");
    (report, bytes)
}

fn trace(sync: bool, schedule: Schedule, block: u32) -> Trace {
    run(sync, schedule, block, Some(TraceRequest::default()), 1000).0.trace.expect("it was asked for")
}

/// (line, lanes, those waiting) of each step.
fn steps(trace: &Trace) -> Vec<(u32, u32, u32)> {
    trace.steps.iter().map(|step| (trace.places[step.place as usize].line, step.lanes, step.waiting)).collect()
}

#[test]
fn one_program_counter_runs_a_b_x_y_and_z_together() {
    // Before Volta, and on a GPU that nothing disturbs: lanes 0 to 3 wait at the join while the others run.
    for schedule in [Schedule::PreVolta, Schedule::Its] {
        let expected =
            [(1, 0xff, 0), (IF, 0xff, 0), (A, 0x0f, 0), (B, 0x0f, 0), (X, 0xf0, 0x0f), (Y, 0xf0, 0x0f), (Z, 0xff, 0)];
        assert_eq!(steps(&trace(false, schedule, 8)), expected, "{schedule:?}");
    }
}

#[test]
fn an_order_that_is_allowed_runs_z_before_y() {
    let late = |steps: &[(u32, u32, u32)]| {
        let first = steps.iter().position(|step| step.0 == Z).expect("Z runs");
        let last = steps.iter().rposition(|step| matches!(step.0, A | B | X | Y)).expect("they run");
        first < last
    };
    let seeds = 8..40;
    let without: Vec<_> = seeds.clone().map(|seed| steps(&trace(false, Schedule::Adversarial { seed }, 8))).collect();
    assert!(without.iter().any(|steps| late(steps)), "without __syncwarp() nothing keeps Z back");
    let sides = |steps: &[(u32, u32, u32)]| {
        let order: Vec<bool> = steps.iter().filter(|step| (A..=Y).contains(&step.0)).map(|step| step.0 < X).collect();
        order.windows(2).filter(|pair| pair[0] != pair[1]).count() > 1
    };
    assert!(without.iter().any(|steps| sides(steps)), "the sides of the branch alternate");
    for seed in seeds {
        let steps = steps(&trace(true, Schedule::Adversarial { seed }, 8));
        assert!(!late(&steps), "seed {seed}: with __syncwarp() Z is after all: {steps:?}");
        let synced = steps.iter().filter(|step| step.0 == SYNC).fold(0, |lanes, step| lanes | step.1);
        assert_eq!(synced, 0xff);
    }
}

#[test]
fn every_lane_runs_its_lines_in_order_under_every_schedule() {
    let fixed = (0..16).map(|seed| Schedule::Adversarial { seed });
    for schedule in [Schedule::PreVolta, Schedule::Its].into_iter().chain(fixed) {
        let trace = trace(false, schedule, 32);
        for lane in 0..32 {
            let mut own: Vec<u32> =
                steps(&trace).iter().filter(|step| step.1 >> lane & 1 != 0).map(|step| step.0).collect();
            // A group may be pulled apart in the middle of a line.
            own.dedup();
            let expected = if lane < 4 { [1, IF, A, B, Z] } else { [1, IF, X, Y, Z] };
            assert_eq!(own, expected, "{schedule:?} lane {lane}");
        }
        let both = TraceRequest { warps: vec![(0, 0), (1, 0)], grain: Grain::Line, events: false };
        let report = run(false, schedule, 32, Some(both), 1000).0;
        let recorded: u64 = report.trace.iter().flat_map(|trace| &trace.steps).map(|step| step.instructions).sum();
        assert_eq!(recorded, report.counters.instructions, "{schedule:?}");
        assert!(trace.steps.iter().all(|step| step.lanes & step.waiting == 0 && step.lanes & !step.live == 0));
    }
}

#[test]
fn recording_changes_nothing() {
    let all = TraceRequest { warps: vec![(0, 0), (1, 1), (0, 1), (9, 9)], grain: Grain::Instruction, events: false };
    for schedule in [Schedule::PreVolta, Schedule::Its, Schedule::Adversarial { seed: 11 }] {
        let (plain, bytes) = run(true, schedule, 40, None, 1000);
        let (traced, traced_bytes) = run(true, schedule, 40, Some(all.clone()), 1000);
        assert_eq!((plain.counters, plain.lines, bytes), (traced.counters, traced.lines, traced_bytes));
        let trace = traced.trace.expect("it was asked for");
        let warps: Vec<_> = trace.warps.iter().map(|warp| (warp.block, warp.warp, warp.lanes)).collect();
        assert_eq!(warps, [(0, 0, u32::MAX), (0, 1, 0xff), (1, 1, 0xff)], "there is no block 9");
        assert!(trace.steps.iter().all(|step| step.instructions == 1));
        let first = &trace.steps[0];
        assert_eq!(trace.places[first.place as usize].ptx_line, 8);
    }
}

#[test]
fn a_false_guard_is_there_but_not_active() {
    let request = TraceRequest { grain: Grain::Instruction, ..TraceRequest::default() };
    let trace = run(false, Schedule::Its, 8, Some(request), 1000).0.trace.expect("it was asked for");
    let branch = trace.steps.iter().find(|step| step.active != step.lanes).expect("the branch");
    assert_eq!((branch.lanes, branch.active, trace.places[branch.place as usize].line), (0xff, 0xf0, IF));
}

#[test]
fn the_limit_keeps_the_first_steps_and_counts_the_rest() {
    let whole = trace(false, Schedule::Its, 8);
    let cut = run(false, Schedule::Its, 8, Some(TraceRequest::default()), 3).0.trace.expect("it was asked for");
    assert_eq!(cut.steps, whole.steps[..3]);
    assert_eq!(cut.dropped, whole.steps.len() as u64 - 3);
    assert_eq!(run(false, Schedule::Its, 8, Some(TraceRequest::default()), 0).0.trace.expect("asked for").dropped, 7);
}

#[test]
fn events_say_what_lanes_touch_and_change_nothing() {
    use simulator::observe::{AccessKind, Space};
    use simulator::trace::What;
    let wanted = TraceRequest { events: true, ..TraceRequest::default() };
    for schedule in [Schedule::PreVolta, Schedule::Its, Schedule::Adversarial { seed: 11 }] {
        let (plain, bytes) = run(true, schedule, 40, Some(TraceRequest::default()), 1000);
        let (told, told_bytes) = run(true, schedule, 40, Some(wanted.clone()), 1000);
        assert_eq!((plain.counters, plain.lines, bytes), (told.counters, told.lines, told_bytes));
        let (plain, told) = (plain.trace.expect("asked for"), told.trace.expect("asked for"));
        assert!(plain.events.is_empty());
        assert_eq!(plain.steps, told.steps);
        // Each lane stores twice before the barrier and once behind it, at four bytes times its number.
        let mut stores = [(0, 0); 32];
        let mut passed = 0u32;
        for event in &told.events {
            match &event.what {
                What::Barrier => passed |= event.lanes,
                What::Memory { space, kind, bytes, addresses } => {
                    assert_eq!((*space, *kind, *bytes), (Space::Global, AccessKind::Store, 4));
                    let lanes: Vec<usize> = (0..32).filter(|lane| event.lanes >> lane & 1 != 0).collect();
                    assert_eq!(lanes.len(), addresses.len());
                    for (lane, address) in lanes.into_iter().zip(addresses) {
                        assert_eq!(address % 128, 4 * lane as u64);
                        let behind = passed >> lane & 1 != 0;
                        assert_eq!(told.places[event.place as usize].line == Z, behind);
                        let count = &mut stores[lane];
                        if behind { count.1 += 1 } else { count.0 += 1 }
                    }
                }
                What::Shuffle { .. } => panic!("nobody shuffles"),
            }
        }
        assert_eq!(stores, [(2, 1); 32], "{schedule:?}");
    }
    // The limit of steps is theirs, too.
    let cut = run(true, Schedule::Its, 8, Some(wanted), 3).0.trace.expect("it was asked for");
    assert!(cut.events.len() <= 3 && cut.dropped > 0, "{cut:?}");
}
