//! What blocks of a large size read, and whether anything follows from it. Where many elements become few outputs, no block's part of
//! them is known; but one element becomes another number, and something that the block writes has to be another, too. Where blocks
//! count or add up, what they write tells how many elements they used.
//!
//! Inputs hold the same number everywhere, the one end of their interval, and one element the other end: so it is the place alone that
//! decides. Blocks are held to it where those of the small size all do it.

mod alike;
mod control;
mod effects;
mod habit;
mod light;
mod trial;
mod trials;
mod weigh;

use super::opened::Opened;
use crate::backend::machine::Stop;
use crate::backend::message::job::Program;
use crate::backend::message::status::Status;
use crate::backend::sim::Sim;
use control::Small;
use std::collections::BTreeSet;
use trial::ends;
use trials::Trials;
use values::fill;

/// Blocks that are looked at.
const BLOCKS: u64 = 24;
/// Bytes of module variables that are put back before every run.
const VARIABLES: u64 = 1 << 16;

/// A launch, and those before it that have to be done.
type Launch<'a> = (&'a [usize], usize);

/// What is wrong with a version whose blocks of the large size (`here`) use less of what they read than those of the small one.
///
/// # Errors
/// The PTX cannot be read, or a buffer is larger than anything.
pub fn unfollowed(
    sim: &Sim,
    here: &Opened<'_>,
    small: &Program,
    launches: usize,
    seed: u64,
) -> Result<Option<Status>, Stop> {
    let large = here.program;
    // Of several fills the one of which most inputs have ends.
    let known = |seed: u64| (0..large.plan.buffers.len()).filter(|index| ends(large, *index, seed).is_some()).count();
    let turns = (0..fill::TURNS).map(|turn| fill::first_turn(seed) + (seed + turn) % fill::TURNS);
    let Some(seed) = turns.rev().max_by_key(|seed| known(*seed)).filter(|seed| known(*seed) > 0) else {
        return Ok(None);
    };
    if here.device.variables().map(|(_, size)| size).sum::<u64>() > VARIABLES {
        return Ok(None);
    }
    let [mut before, mut now] = [Trials::open(sim, small, seed)?, Trials::open(sim, large, seed)?];
    for launch in 0..launches {
        let blocks = |program: &Program, at: usize| program.plan.launches[at].blocks();
        if blocks(small, launch) < 2 || blocks(large, launch) < 2 {
            continue;
        }
        // Whatever is done by several blocks nobody has done, at both sizes.
        let done: Vec<usize> = (0..launch).filter(|&at| blocks(large, at) == 1 && blocks(small, at) == 1).collect();
        let launch = (done.as_slice(), launch);
        let those = chosen(&[], blocks(small, launch.1), seed);
        let Some(usual) = before.habit(launch, &those) else { continue };
        let these = chosen(&here.unlike[launch.1], blocks(large, launch.1), seed);
        let mut control = Small { trials: &mut before, blocks: &those };
        if let Some(status) = now.lacking(launch, &these, (&usual, &mut control)) {
            return Ok(Some(status));
        }
    }
    Ok(None)
}

/// Blocks that are looked at, in this order: some of these, and some of all.
fn chosen(unlike: &[u64], blocks: u64, seed: u64) -> Vec<u64> {
    let drawn = super::chosen::drawn(seed, "blocks that are followed", BLOCKS / 2, blocks);
    let drawn: Vec<u64> = [blocks - 1, 0].into_iter().chain(drawn).collect();
    // Two of them for one that is drawn.
    let turns = 0..unlike.len().max(drawn.len());
    let all = turns.flat_map(|turn| [unlike.get(2 * turn), unlike.get(2 * turn + 1), drawn.get(turn)]).flatten();
    let mut known = BTreeSet::new();
    all.copied().filter(|block| known.insert(*block)).take(BLOCKS as usize).collect()
}
