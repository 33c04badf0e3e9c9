//! Some blocks of a size that is too large to simulate: a few of the first launches' blocks, over memory that is filled where it
//! is touched. What a version does there is held against the oracle's blocks for the same elements, and against what the
//! version itself does at a size that is simulated whole.
//!
//! Judged is only what such blocks can tell for certain. A launch whose blocks read what blocks that did not run would have
//! written, wait for them, or take too long, says nothing, and neither do the launches behind it.
mod chain;
mod chosen;
mod compare;
mod ends;
mod follows;
mod heap;
mod known;
mod lacks;
mod left;
mod meant;
mod opened;
mod parts;
mod profile;
mod reached;
mod seen;
mod short;
mod stripes;
mod switches;
mod truth;
mod unlike;
mod unread;

use crate::backend::machine::{Sampled, Stop};
use crate::backend::message::job::{Output, Program};
use crate::backend::message::status::Status;
use crate::backend::sim::Sim;
pub use known::Known;
pub use meant::meant;
use opened::{Opened, WRITTEN, open, open_over};
use plan::{Arg, Role};
pub use profile::profile;
use reached::Use;
use std::iter::successors;
pub use switches::{first_tried, news};
use values::fill::second_seed;

/// Operations, of 32 threads each, that are computed to tell blocks of all launches apart: a hundredth of a second.
const STEPS: u64 = 1 << 16;

/// Other inputs over which blocks run that leave out some of what they read: a few at first, as that is most often for good, and then so
/// many that what a block of two reads is read with one of them.
const OTHER_INPUTS: [usize; 2] = [3, 12];

/// Judges a version at a size (`large`) by what it does there, in the first of the orders that are asked for, and at a size that is
/// simulated (`small`). Some of its blocks are watched.
///
/// # Errors
/// The PTX cannot be read, or a buffer is larger than anything.
pub fn judge(
    sim: &Sim,
    (large, small): (&Program, &Program),
    oracle: Option<&Program>,
    asked: (&[Output], bool),
    seed: u64,
) -> Result<Sampled, Stop> {
    let mut here = open(sim, large, seed)?;
    if !here.constants {
        return Ok(Sampled::default());
    }
    here.watch = true;
    here.schedule = sim.first_schedule();
    let status = judge_opened(sim, &mut here, small, oracle, asked, seed)?;
    let status = match status {
        Some(status) if status.is_of_reads() => over_others(sim, (large, small), oracle, (asked, status), seed)?,
        status => status,
    };
    Ok(Sampled { status, findings: here.findings })
}

/// The same of one that leaves out some of what it reads (`status`), if it does so with other inputs, too. How far it reads may hang on what is
/// there: a search ends at what it finds, and what is multiplied by 0 counts for nothing.
fn over_others(
    sim: &Sim,
    (large, small): (&Program, &Program),
    oracle: Option<&Program>,
    (asked, status): ((&[Output], bool), Status),
    seed: u64,
) -> Result<Option<Status>, Stop> {
    let mut status = Some(status);
    for many in OTHER_INPUTS {
        // Of several fills each has its turn.
        let others: Vec<u64> = successors(Some(seed), |&seed| Some(second_seed(seed))).skip(1).take(many).collect();
        let mut here = open_over(sim, large, seed, &others)?;
        here.schedule = sim.first_schedule();
        status = judge_opened(sim, &mut here, small, oracle, asked, seed)?;
        if !status.as_ref().is_some_and(Status::is_of_reads) {
            break;
        }
    }
    Ok(status)
}

/// The same of one that is open. `None`: nothing can be told.
fn judge_opened(
    sim: &Sim,
    here: &mut Opened<'_>,
    small: &Program,
    oracle: Option<&Program>,
    (outputs, followed): (&[Output], bool),
    seed: u64,
) -> Result<Option<Status>, Stop> {
    let large = here.program;
    let seen = here.run(seed, true);
    if let Some(fault) = seen.fault {
        return Ok(Some(fault));
    }
    if seen.launches == 0 {
        return Ok(None);
    }
    let mut there = open_over(sim, small, seed, &here.others())?;
    let usual = there.run_like(here, seed);
    let comparable = usual.fault.is_none() && usual.launches > 0 && seen.launches >= usual.launches;
    let kernels =
        |program: &Program| program.plan.launches.iter().map(|launch| launch.kernel.clone()).collect::<Vec<_>>();
    let same = kernels(large) == kernels(small);
    let alike = comparable && same;
    if let Some(status) = short::leaves_out(here, (&seen, &usual), (comparable, same)) {
        return Ok(Some(status));
    }
    // It reads what launches before it have written, all of it.
    let maker = maker(large).filter(|maker| *maker < seen.launches && *maker <= seen.whole);
    for launch in 0..seen.launches {
        match here.unlike((launch, maker == Some(launch)), &small.plan, STEPS / seen.launches as u64, seed) {
            Ok(true) => {}
            Ok(false) => break,
            Err(fault) => return Ok(Some(fault)),
        }
    }
    // Said if nothing says which element.
    let lacking = [true, false]
        .into_iter()
        .find_map(|reads| lacks::lacks(sim, here, (&seen, &usual), reads, seed))
        .filter(|_| comparable);
    let by_oracle = oracle.zip(maker).filter(|(oracle, _)| self::maker(oracle) == Some(0));
    if let Some((_, maker)) = by_oracle
        && let Err(fault) = here.more(maker, seed)
    {
        return Ok(Some(fault));
    }
    let beside = (alike && seen.launches == large.plan.launches.len()).then_some(&there);
    if let Some(status) = reached::missed(here, &seen, beside, Use::Written) {
        return Ok(Some(status));
    }
    if let Some(status) = stripes::left_out(here, &seen, alike.then_some(&usual)) {
        return Ok(Some(status));
    }
    if lacking.is_some() {
        let read = reached::missed(here, &seen, beside, Use::Read);
        return Ok(read.or(lacking));
    }
    let compared = match by_oracle {
        Some((oracle, maker)) => compare::compare_outputs(sim, (here, maker, None), oracle, outputs, seed)?,
        None => None,
    };
    // Wrong results say more.
    if compared.as_ref().is_none_or(Status::passed)
        && let Some(status) = reached::missed(here, &seen, beside, Use::Read)
    {
        return Ok(Some(status));
    }
    // A block that takes all the work there is tells nothing in another way either, and takes as long each time.
    let oracle = oracle.filter(|_| !here.endless);
    if let (None, Some(oracle)) = (&compared, oracle)
        && let Some(status) = chain::judge(sim, here, small, oracle, (outputs, seed))?.filter(|status| !status.passed())
    {
        return Ok(Some(status));
    }
    if let (None, Some(oracle)) = (&compared, oracle)
        && let Some(status) = parts::judge(sim, here, oracle, (outputs, seed))?.filter(|status| !status.passed())
    {
        return Ok(Some(status));
    }
    if compared.is_none()
        && let Some(status) = unread::judge(sim, here, small, seed)?
    {
        return Ok(Some(status));
    }
    // Where nothing was compared, many elements become few outputs, perhaps.
    if followed && compared.is_none() && same && usual.fault.is_none() && large.plan.host.is_none() {
        return follows::unfollowed(sim, here, small, seen.launches.min(usual.launches), seed);
    }
    Ok(compared)
}

/// The one launch that comes to outputs, if it is one.
fn maker(program: &Program) -> Option<usize> {
    let mut makers = makers(program);
    let maker = makers.next()?;
    makers.next().is_none().then_some(maker)
}

/// May launches change in place what others read? What blocks that did not run would have changed looks as if it were known.
fn is_in_place(program: &Program) -> bool {
    program.plan.launches.len() > 1 && program.plan.buffers.iter().any(|buffer| buffer.role == Role::InOut)
}

/// The launches that may come to outputs, where the host does nothing.
fn makers(program: &Program) -> impl Iterator<Item = usize> {
    let plan = &program.plan;
    let outputs = || plan.buffers.iter().enumerate().filter(|(_, buffer)| WRITTEN.contains(&buffer.role));
    let leads_to_one = move |arg: &Arg| outputs().any(|(index, _)| arg.may_lead_to(index));
    let launches = if plan.host.is_none() { plan.launches.len() } else { 0 };
    (0..launches).filter(move |launch| plan.launches[*launch].args.iter().any(leads_to_one))
}
