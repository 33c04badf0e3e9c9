//! Some blocks of a size that is too large to simulate: a few of the first launches' blocks, over memory that is filled where it
//! is touched. What a version does there is held against the oracle's blocks for the same elements, and against what the
//! version itself does at a size that is simulated whole.
//!
//! Judged is only what such blocks can tell for certain. A launch whose blocks read what blocks that did not run would have
//! written, wait for them, or take too long, says nothing, and neither do the launches behind it.
mod compare;
mod ends;
mod follows;
mod known;
mod lacks;
mod left;
mod opened;
mod profile;
mod reached;
mod seen;
mod short;
mod stripes;
mod switches;
mod truth;
mod unlike;

use crate::backend::machine::Stop;
use crate::backend::message::job::{Output, Program};
use crate::backend::message::status::Status;
use crate::backend::sim::Sim;
pub use known::Known;
use opened::{WRITTEN, open};
use plan::{Arg, Plan};
pub use profile::profile;
use reached::Use;
pub use switches::{first_tried, news};

/// Operations, of 32 threads each, that are computed to tell blocks of all launches apart: a hundredth of a second.
const STEPS: u64 = 1 << 16;

/// Judges a version at a size (`large`) by what it does there and at a size that is simulated (`small`). `None`: nothing can be
/// told.
///
/// # Errors
/// The PTX cannot be read, or a buffer is larger than anything.
pub fn judge(
    sim: &Sim,
    (large, small): (&Program, &Program),
    oracle: Option<&Program>,
    (outputs, followed): (&[Output], bool),
    seed: u64,
) -> Result<Option<Status>, Stop> {
    let mut here = open(sim, large, seed)?;
    if !here.constants {
        return Ok(None);
    }
    let seen = here.run(seed, true);
    if let Some(fault) = seen.fault {
        return Ok(Some(fault));
    }
    if seen.launches == 0 {
        return Ok(None);
    }
    let mut there = open(sim, small, seed)?;
    let usual = there.run(seed, false);
    let comparable = usual.fault.is_none() && usual.launches > 0 && seen.launches >= usual.launches;
    let kernels =
        |program: &Program| program.plan.launches.iter().map(|launch| launch.kernel.clone()).collect::<Vec<_>>();
    let alike = comparable && kernels(large) == kernels(small);
    if let Some(status) = short::leaves_out(&mut here, (&seen, &usual), (comparable, alike)) {
        return Ok(Some(status));
    }
    let whole = |program: &Program| program.plan.host.is_none() && one_makes_the_outputs(&program.plan);
    for launch in 0..seen.launches {
        match here.unlike(launch, &small.plan, STEPS / seen.launches as u64, seed) {
            Ok(true) => {}
            Ok(false) => break,
            Err(fault) => return Ok(Some(fault)),
        }
    }
    // Said if nothing says which element.
    let lacking = [true, false]
        .into_iter()
        .find_map(|reads| lacks::lacks(sim, &here, (&seen, &usual), reads, seed))
        .filter(|_| comparable);
    let oracle = oracle.filter(|oracle| whole(large) && whole(oracle));
    if oracle.is_some()
        && let Err(fault) = here.more(seed)
    {
        return Ok(Some(fault));
    }
    let beside = (alike && seen.launches == large.plan.launches.len()).then_some(&there);
    if let Some(status) = reached::missed(&mut here, &seen, beside, Use::Written) {
        return Ok(Some(status));
    }
    if let Some(status) = stripes::left_out(&mut here, &seen, alike.then_some(&usual)) {
        return Ok(Some(status));
    }
    if lacking.is_some() {
        let read = reached::missed(&mut here, &seen, beside, Use::Read);
        return Ok(read.or(lacking));
    }
    let compared = match oracle {
        Some(oracle) => compare::compare_outputs(sim, &here, oracle, outputs, seed)?,
        None => None,
    };
    // Wrong results say more.
    if compared.as_ref().is_none_or(Status::passed)
        && let Some(status) = reached::missed(&mut here, &seen, beside, Use::Read)
    {
        return Ok(Some(status));
    }
    // Where nothing was compared, many elements become few outputs, perhaps.
    if followed && compared.is_none() && alike && large.plan.host.is_none() {
        return follows::unfollowed(sim, &here, small, seen.launches, seed);
    }
    Ok(compared)
}

/// Does the first launch make all outputs, if any does, and no other touch them?
fn one_makes_the_outputs(plan: &Plan) -> bool {
    let outputs = || plan.buffers.iter().enumerate().filter(|(_, buffer)| WRITTEN.contains(&buffer.role));
    let leads_to_one = |arg: &Arg| outputs().any(|(index, _)| arg.may_lead_to(index));
    plan.launches.iter().skip(1).all(|launch| !launch.args.iter().any(leads_to_one))
}
