//! What is kept of a run: its findings, and of the first one all that was counted and printed.

use crate::backend::machine::Pass;
use crate::backend::{Checked, Found, LaunchCount, LineCount, Program, RunId};
use simulator::{Counters, FindingKind};
use std::collections::BTreeMap;

/// Of what the busiest block did the part that blocks which are idle come to, on average.
const IDLE: f64 = 0.05;
/// printf output kept of a version.
const PRINTF_KEPT: usize = 64 << 10;

/// What the blocks did, of what they would have done if each had done as much as the busiest one of its launch. Where all but that one
/// together did next to nothing it is only what those did: of two blocks the busy one alone would make a half. Nothing where nothing was
/// counted.
pub(super) fn evenness(program: &Program, pass: &Pass) -> Option<f64> {
    let grid = |launch: &plan::Launch| launch.grid.iter().map(|&extent| f64::from(extent)).product::<f64>();
    let (mut did, mut most, mut others, mut most_of_others) = (0.0, 0.0, 0.0, 0.0);
    for (launch, report) in program.plan.launches.iter().zip(&pass.reports) {
        let (sum, busiest) = (report.counters.instructions as f64, report.busiest as f64);
        did += sum;
        most += busiest * grid(launch);
        others += (sum - busiest).max(0.0);
        most_of_others += busiest * (grid(launch) - 1.0).max(0.0);
    }
    let idle = others < IDLE * most_of_others;
    (most > 0.0).then(|| if idle { others / most_of_others } else { did / most })
}

/// Adds a run's findings; of the first run also counters, lines and printf output.
pub(super) fn record(checked: &mut Checked, program: &Program, run: &RunId, pass: Pass) {
    let first = run.number == 0;
    if first {
        keep_printf(checked, &pass.printf, pass.printf_dropped);
        checked.heap_left = pass.heap_left;
    }
    let mut lines: BTreeMap<(String, u32), Counters> = BTreeMap::new();
    let mut covered = BTreeMap::new();
    for (launch, report) in pass.reports.into_iter().enumerate() {
        let schedule = run.schedule.unwrap_or_default();
        if first {
            let planned = &program.plan.launches[launch];
            let (kernel, line) = (planned.kernel.clone(), planned.line);
            checked.launches.push(LaunchCount { kernel, line, counters: report.counters, trace: report.trace });
            checked.counters.get_or_insert_default().add(&report.counters);
            simulator::coverage::merge(&mut covered, report.coverage);
            for (place, counters) in &report.lines {
                lines.entry(place.clone()).or_default().add(counters);
            }
            let dropped = report.findings.iter().map(|finding| match finding.kind {
                FindingKind::PrintfOverflow { dropped } => dropped,
                _ => 0,
            });
            let dropped = dropped.sum();
            keep_printf(checked, &report.printf, dropped);
        }
        for finding in report.findings {
            checked.add_finding(Found { finding, schedule, launch });
        }
    }
    checked.lines.extend(lines.into_iter().map(|((file, line), counters)| LineCount { file, line, counters }));
    if first {
        checked.coverage = simulator::coverage::by_line(covered.into_values());
    }
}

fn keep_printf(checked: &mut Checked, printed: &[u8], dropped: u64) {
    let room = PRINTF_KEPT.saturating_sub(checked.printf.len()).min(printed.len());
    checked.printf.push_str(&String::from_utf8_lossy(&printed[..room]));
    checked.printf_dropped += dropped + (printed.len() - room) as u64;
}
