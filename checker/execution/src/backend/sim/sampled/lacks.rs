//! What blocks lack of what all together have to come to, and blocks that come to less than others.

use super::ends;
use super::opened::{Opened, READ, WRITTEN, open};
use super::reached::never_reached;
use super::seen::{Did, Seen, Share, holds, valley};
use super::stripes::{self, Striped, left_by, others_may_come, who_goes_on};
use crate::backend::message::status::Status;
use crate::backend::sim::Sim;

/// So many blocks' worth of an input may be left that no output needs, ...
const LEFT: f64 = 2.0;
/// ... and of outputs none.
const NOTHING: f64 = 0.0;
/// Blocks that are run by themselves at most, as they came to less than others.
const THIN: usize = 6;
/// Blocks that are run with the next ones, to see whether these begin where they end.
const PAIRS: usize = 3;
/// What makes other inputs of a seed's.
const OTHER_INPUTS: [u64; 2] = [1 << 40, 1 << 41];
/// Blocks that have to leave out nothing, before one is held to it.
const ALIKE: usize = 2;

/// What the only launch did that came to anything, if its first and its last block were run, and which one that is.
fn only(launches: &[Share]) -> Option<(usize, Share)> {
    let mut some = launches.iter().copied().enumerate().filter(|(_, share)| share.most > 0.0);
    some.next().filter(|(_, share)| share.ends && some.next().is_none())
}

/// Do blocks lack more than all together have too much, or does one do less than those around it, where those of the small size do not?
pub fn lacks(sim: &Sim, here: &Opened<'_>, (seen, usual): (&Seen, &Seen), reads: bool, seed: u64) -> Option<Status> {
    let (left, roles, now) = if reads { (LEFT, READ, &seen.read) } else { (NOTHING, WRITTEN, &seen.written) };
    let plan = &here.program.plan;
    let these = || plan.buffers.iter().enumerate().filter(|(_, buffer)| roles.contains(&buffer.role));
    // What launches do that say nothing.
    let mut others = plan.launches.iter().skip(now.len()).flat_map(|launch| &launch.args);
    if others.any(|arg| these().any(|(index, _)| arg.may_lead_to(index))) {
        return None;
    }
    let (launch, now) = only(now)?;
    let (small, usual_share) = only(if reads { &usual.read } else { &usual.written })?;
    let usual_did = &usual.did[small];
    let bytes = here.bytes(&roles).max(1.0);
    let unlike = here.unlike_did[launch].iter().map(|did| did.all(reads));
    let held = usual_share.may_be_all(left) && (!reads || usual_share.is_shared_out());
    let part = if now.even { now.most } else { now.mean.min(1.0) };
    let last = plan.launches[launch].blocks() - 1;
    let inner: Vec<Did> = seen.did[launch].iter().filter(|did| did.block != last).cloned().collect();
    // Where other launches come there, too, less was new to those that were run after these.
    let is_shared = these().any(|(index, _)| others_may_come(plan, launch, index));
    let all = if is_shared { now } else { now.with(unlike, bytes) };
    if held && !all.may_be_all(left) {
        let uneven = all.most < 1.0 && one_behind_the_other(&mut here.again(sim, seed).ok()?, launch, reads, &inner);
        return (!uneven).then_some(Status::LeavesOut { reads, part });
    }
    // Neither those of the small size, nor those that are drawn.
    let which = usize::from(!reads);
    let buffers = || seen.stretches[which][launch].iter().zip(&seen.striped[which][launch]);
    // Of a buffer whose parts lie here and there, as a table that is read by what data say, some read more than others.
    let told: Vec<bool> = buffers().map(|(stretches, striped)| !(stretches.is_empty() && striped.is_empty())).collect();
    let in_a_row = told.contains(&true)
        && plan.launches[launch].is_flat()
        && now.is_own()
        && buffers()
            .zip(&told)
            .all(|((stretches, striped), told)| !told || ends::in_a_row(stretches) || stripes::in_a_row(striped));
    let bytes = |did: &Did| did.of(reads, &told);
    if !in_a_row || valley(usual_did, usual_did, bytes).is_some() || valley(&inner, &inner, bytes).is_some() {
        return None;
    }
    let busiest = inner.iter().map(bytes).fold(0.0, f64::max);
    let less = here.unlike_did[launch].iter().filter(|did| bytes(did) < busiest).map(|did| did.block);
    let less: Vec<u64> = less.take(THIN).collect();
    if less.is_empty() {
        return None;
    }
    let mut again = here.again(sim, seed).ok()?;
    let found = valley(&here.unlike_did[launch], &inner, bytes)
        .and_then(|these| stands_out(sim, &mut again, (launch, reads), (these, &told), seed));
    found.or_else(|| if held { thinned(here, &mut again, (launch, reads), (&less, &inner)) } else { None })
}

/// Does each block begin where the one before it ends, of some? Then there is nothing between them that both leave out, and their shares
/// differ by a little: of 497 parts and 496, say, of which the former are few.
fn one_behind_the_other(alone: &mut Opened<'_>, launch: usize, reads: bool, inner: &[Did]) -> bool {
    let mut parts = |block: u64| -> Option<Vec<(u64, u64)>> {
        let told = alone.alone(launch, block);
        let touched = alone.came_to(reads).map(|(_, _, ranges)| ranges).filter(|ranges| !ranges.is_empty());
        let whole = |ranges: Vec<(u64, u64)>| <[_; 1]>::try_from(ranges).ok().map(|[range]| range);
        touched.map(whole).collect::<Option<Vec<_>>>().filter(|_| told)
    };
    inner.len() >= ALIKE
        && inner.iter().take(PAIRS).all(|did| {
            let (Some(one), Some(next)) = (parts(did.block), parts(did.block + 1)) else { return false };
            !one.is_empty() && one.len() == next.len() && one.iter().zip(&next).all(|(one, next)| one.1 == next.0)
        })
}

/// The first of three blocks, if it comes to less of the buffers that are `told` than one before it and one behind it. By itself each, as one
/// that was run before has what they share. With other inputs they come to as much: how far a loop goes that ends where it has found
/// something, say, hangs on the data.
fn stands_out(
    sim: &Sim,
    again: &mut Opened<'_>,
    (launch, reads): (usize, bool),
    (these, told): ([u64; 3], &[bool]),
    seed: u64,
) -> Option<Status> {
    let alone = |here: &mut Opened<'_>| -> Option<Vec<f64>> {
        let one = |block: u64| {
            let ran = here.alone(launch, block);
            ran.then(|| Did { block, bytes: here.touches() }.of(reads, told))
        };
        these.map(one).into_iter().collect()
    };
    let found = alone(again)?;
    let [bytes, before, behind] = found[..] else { return None };
    let (block, others) = (these[0], before.min(behind));
    let hangs_on_data = || {
        OTHER_INPUTS.iter().any(|other| {
            open(sim, again.program, seed ^ other).is_ok_and(|mut here| alone(&mut here) != Some(found.clone()))
        })
    };
    (bytes < others && !hangs_on_data()).then_some(Status::DoesLess {
        reads,
        block,
        bytes: bytes as u64,
        others: others as u64,
    })
}

/// What a block leaves out among its own parts, of those that are unlike others and came to `less` than the busiest one of those that were
/// drawn, if these leave out nothing.
fn thinned(
    here: &Opened<'_>,
    again: &mut Opened<'_>,
    (launch, reads): (usize, bool),
    (less, inner): (&[u64], &[Did]),
) -> Option<Status> {
    if inner.len() < ALIKE {
        return None;
    }
    let plan = &here.program.plan;
    let own = |index: usize| reads || !others_may_come(plan, launch, index);
    let mut alone = |block: u64| -> Option<Vec<(usize, Option<Striped>)>> {
        let told = again.alone(launch, block);
        let buffers = again.came_to(reads).filter(|(index, ..)| own(*index));
        let parts = buffers.map(|(index, buffer, ranges)| (index, Striped::of(block, &ranges, buffer.bytes())));
        told.then(|| parts.collect())
    };
    let others = inner.iter().map(|did| alone(did.block)).collect::<Option<Vec<_>>>()?;
    let (block, missed, index) = less.iter().find_map(|&block| {
        let parts = alone(block)?;
        let mut left = parts.iter().enumerate().filter_map(|(at, (index, one))| {
            let others: Vec<Striped> = others.iter().filter_map(|parts| parts[at].1).collect();
            let whole = others.len() >= ALIKE && others.iter().all(|other| left_by(other, &others).is_none());
            Some((block, left_by(one.as_ref()?, &others).filter(|_| whole)?, *index))
        });
        left.next()
    })?;
    // What is left at the end the first block may do, or one near by.
    let mut comes = |other: u64| {
        let told = again.alone(launch, other);
        let touched = again.touched(index);
        !told || holds(if reads { &touched.read } else { &touched.written }, missed.byte)
    };
    let done_by_others = missed.early && who_goes_on(block, plan.launches[launch].blocks()).into_iter().any(&mut comes);
    (!done_by_others).then(|| never_reached(reads, &plan.buffers[index], missed.byte, Some(block)))
}
