//! Which lanes ran which line, step by step: `cargo run -p simulator --example trace`.

mod shared;

use simulator::{Config, trace};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let request = trace::TraceRequest { warps: vec![(0, 0), (0, 1)], grain: trace::Grain::Instruction, events: false };
    let (report, _) = shared::run(&shared::neighbour(true), Config { trace: Some(request), ..Config::default() })?;
    let trace = report.trace.unwrap_or_default();
    for step in &trace.steps {
        let (warp, place) = (&trace.warps[step.warp as usize], &trace.places[step.place as usize]);
        println!(
            "warp {}  line {:2}  lanes {:08x}  waiting {:08x}",
            warp.warp, place.ptx_line, step.lanes, step.waiting
        );
    }
    assert!(!trace.steps.is_empty());
    Ok(())
}
