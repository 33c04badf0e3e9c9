//! Some blocks of a size that is too large to simulate: a few of the first launches' blocks, over memory that is filled where it
//! is touched. What a version does there is held against the oracle's blocks for the same elements, and against what the
//! version itself does at a size that is simulated whole.
//!
//! Judged is only what such blocks can tell for certain. A launch whose blocks read what blocks that did not run would have
//! written, wait for them, or take too long, says nothing, and neither do the launches behind it.
mod compare;
mod opened;
#[cfg(not(target_family = "wasm"))]
mod profile;
mod switches;

use crate::backend::machine::Stop;
use crate::backend::message::job::{Output, Program};
use crate::backend::message::status::Status;
use crate::backend::sim::Sim;
use opened::open;
use plan::{Arg, Plan, Role};
#[cfg(not(target_family = "wasm"))]
pub use profile::profile;
pub use switches::first_tried;

/// A version that comes to all of its data where it is simulated whole...
const ALL: f64 = 0.9;
/// ... and to less than this part of it where it is not, leaves work out. Blocks differ in what they do, and few were looked at.
const LITTLE: f64 = 0.5;
/// The same of a version whose blocks all do as much as each other, the first and the last one no more.
const NEARLY_ALL: f64 = 0.98;

/// Judges a version at a size (`large`) by what it does there and at a size that is simulated (`small`). `None`: nothing can be
/// told.
///
/// # Errors
/// The PTX cannot be read, or a buffer is larger than anything.
pub fn judge(
    sim: &Sim,
    (large, small): (&Program, &Program),
    oracle: Option<&Program>,
    outputs: &[Output],
    seed: u64,
) -> Result<Option<Status>, Stop> {
    let constants = |program: &Program| !program.plan.constants.is_empty();
    if constants(large) || oracle.is_some_and(constants) {
        return Ok(None);
    }
    let mut here = open(sim, large, seed)?;
    let seen = here.run(seed);
    if let Some(fault) = seen.fault {
        return Ok(Some(fault));
    }
    if seen.launches == 0 {
        return Ok(None);
    }
    let mut there = open(sim, small, seed)?;
    let usual = there.run(seed);
    let comparable = usual.fault.is_none() && usual.launches > 0 && seen.launches >= usual.launches;
    // All that it writes elsewhere it writes again and again, if it is as much. A block that writes more than one of the small
    // size goes round a loop, and may end anywhere.
    let once = seen.block <= usual.block;
    if comparable && usual.in_place && !seen.in_place && once && seen.reach < ALL {
        return Ok(Some(Status::LeavesOut { reads: false, part: seen.reach }));
    }
    for (reads, usual, now) in [(true, usual.read, seen.read), (false, usual.written, seen.written)] {
        if comparable && usual.drawn >= ALL && now.drawn < LITTLE {
            return Ok(Some(Status::LeavesOut { reads, part: now.drawn }));
        }
        if comparable && usual.most >= NEARLY_ALL && now.even && now.most < NEARLY_ALL {
            return Ok(Some(Status::LeavesOut { reads, part: now.most }));
        }
    }
    let whole = |program: &Program| program.plan.host.is_none() && one_makes_the_outputs(&program.plan);
    match oracle {
        Some(oracle) if whole(large) && whole(oracle) => {
            if let Err(fault) = here.more(seed) {
                return Ok(Some(fault));
            }
            compare::compare_outputs(sim, &here, oracle, outputs, seed)
        }
        _ => Ok(None),
    }
}
/// Does the first launch make all outputs, if any does, and no other touch them?
fn one_makes_the_outputs(plan: &Plan) -> bool {
    let output = |arg: &Arg| match arg {
        Arg::Structure(_) => true,
        arg => arg.buffer().is_some_and(|at| matches!(plan.buffers[at].role, Role::Out | Role::InOut)),
    };
    plan.launches.iter().skip(1).all(|launch| !launch.args.iter().any(output))
}
