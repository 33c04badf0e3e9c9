//! Blocks that are launched and idle: a goal on registers, occupancy or warps says what a grid could do, not that its blocks do it.

use execution::backend::Checked;
use problem::{Kind, Problem};
use report::{GoalResult, GoalStatus, Provenance};

/// Of the baseline's part, the least that a candidate's blocks have to do: what waits for others, is done by the last block or is taken
/// from a counter by who comes first is uneven as well.
const PART: f64 = 0.15;

/// The least that the blocks of the second one have to do, and what those of both did, where few blocks do the work of all.
fn uneven(counted: [Option<&Checked>; 2]) -> Option<(f64, [f64; 2])> {
    let [Some(before), Some(after)] = counted.map(|one| one?.evenness) else { return None };
    // A baseline that never ends has no busiest block.
    let least = PART * before.min(1.0);
    (after < least).then_some((least, [before, after]))
}

/// Is it worth a run in an order that lets all blocks take from a counter in turn?
pub fn asks_again(baseline: Option<&Checked>, candidate: Option<&Checked>) -> bool {
    uneven([baseline, candidate]).is_some()
}

/// That few blocks do the work of all, as a goal that is not met.
pub fn broken(problem: &Problem, whose: &str, counted: &[Option<Checked>; 2]) -> Option<GoalResult> {
    if problem.kind == Kind::Ladder {
        return None;
    }
    let (least, [before, after]) = uneven(counted.each_ref().map(Option::as_ref))?;
    let percent = |part: f64| format!("{:.1} %", 100.0 * part);
    let quantity = "work of a block, mean over busiest".to_owned();
    let bounds = format!("at least {}", percent(least));
    let demand = format!("{bounds} ({PART} times the {whose}'s)");
    Some(GoalResult {
        metric: "evenness".to_owned(),
        text: format!("{quantity}: {demand}"),
        quantity,
        demand,
        bounds,
        at_most: false,
        why: "the blocks share the work, as the starter's do".to_owned(),
        status: GoalStatus::NotMet,
        value: Some(after),
        value_text: Some(percent(after)),
        baseline: Some(before),
        baseline_text: Some(percent(before)),
        provenance: Some(Provenance::Simulated),
        unexecuted: None,
        elsewhere: None,
    })
}
