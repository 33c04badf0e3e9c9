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
mod opened;
mod profile;
mod reached;
mod seen;
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
use seen::Share;
pub use switches::{first_tried, news};

/// A version that comes to all of its data where it is simulated whole...
const ALL: f64 = 0.9;
/// ... and to less than this part of it where it is not, leaves work out. Blocks differ in what they do, and few were looked at.
const LITTLE: f64 = 0.5;
/// The same of a version whose blocks all do as much as each other, the first and the last one no more.
const NEARLY_ALL: f64 = 0.98;

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
    // All that it touches elsewhere it touches again and again, if it is as much. A block that does more than one of the small
    // size goes round a loop, and may end anywhere.
    for (reads, usual, now) in [(false, usual.places[1], seen.places[1]), (true, usual.places[0], seen.places[0])] {
        if comparable && usual.in_place && !now.in_place && now.flat && now.block <= usual.block && now.reach < ALL {
            return Ok(Some(Status::LeavesOut { reads, part: now.reach }));
        }
    }
    let kernels =
        |program: &Program| program.plan.launches.iter().map(|launch| launch.kernel.clone()).collect::<Vec<_>>();
    let alike = comparable && kernels(large) == kernels(small);
    // Where loops go round once more, they do so in the first block.
    let first_ran = seen.did.iter().all(|blocks| blocks.iter().any(|did| did.block == 0));
    for (reads, usual, now) in [(true, &usual.read, &seen.read), (false, &usual.written, &seen.written)] {
        if alike
            && first_ran
            && let Some(part) = falls_short(usual, now)
        {
            return Ok(Some(Status::LeavesOut { reads, part }));
        }
        let (usual, now) = (Share::of_all(usual), Share::of_all(now));
        if comparable && usual.drawn >= ALL && now.drawn < LITTLE {
            return Ok(Some(Status::LeavesOut { reads, part: now.drawn }));
        }
        if comparable && first_ran && usual.most >= NEARLY_ALL && now.even && now.most < NEARLY_ALL {
            return Ok(Some(Status::LeavesOut { reads, part: now.most }));
        }
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

/// The part that a launch comes to where it comes to all of the data usually, and no other does what is left. (One that
/// clears, and others that write here and there.)
fn falls_short(usual: &[Share], now: &[Share]) -> Option<f64> {
    let grows = |other: usize| now[other].most > 1.25 * usual[other].most + 0.01;
    let launches = usual.len().min(now.len());
    let short = (0..launches).find(|&launch| {
        let (usual, now) = (usual[launch], now[launch]);
        usual.even && now.even && usual.most >= NEARLY_ALL && now.most < NEARLY_ALL
    })?;
    let others = || (0..launches).filter(|&other| other != short);
    let all_by_others = others().map(|other| now[other].most).sum::<f64>() >= NEARLY_ALL;
    let left_to_others = now.len() > launches || all_by_others || others().any(grows);
    (!left_to_others).then_some(now[short].most)
}

/// Does the first launch make all outputs, if any does, and no other touch them?
fn one_makes_the_outputs(plan: &Plan) -> bool {
    let outputs = || plan.buffers.iter().enumerate().filter(|(_, buffer)| WRITTEN.contains(&buffer.role));
    let leads_to_one = |arg: &Arg| outputs().any(|(index, _)| arg.may_lead_to(index));
    plan.launches.iter().skip(1).all(|launch| !launch.args.iter().any(leads_to_one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_launch_leaves_out_others_may_do() {
        let even = |part: f64| Share { drawn: part, most: part, mean: part, even: true, ..Share::default() };
        let here_and_there = |part: f64| Share { even: false, ..even(part) };
        let usual = [even(1.0), here_and_there(0.5)];
        let part = |now: &[Share]| falls_short(&usual, now);
        assert_eq!(part(&[even(0.95), here_and_there(0.55)]), Some(0.95));
        assert_eq!(part(&[even(0.99), here_and_there(0.55)]), None);
        assert_eq!(part(&[here_and_there(0.95), here_and_there(0.55)]), None);
        assert_eq!(part(&[even(0.95), here_and_there(0.7)]), None);
        assert_eq!(part(&[even(0.95), here_and_there(0.5), even(0.05)]), None);
        assert_eq!(falls_short(&[even(1.0), even(1.0)], &[even(0.95), even(1.0)]), None);
    }
}
