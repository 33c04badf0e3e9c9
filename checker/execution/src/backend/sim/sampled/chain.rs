//! Several launches one after the other, of which none makes the outputs alone: one clears them, one stores what the next one takes on, one
//! touches them again. The blocks of all of them for the same part of the work are run, and launches of a few blocks whole; what the last large one has
//! written is then as it stays.

use super::chosen::{chosen, drawn};
use super::compare::compare_outputs;
use super::opened::{ENOUGH, Opened, open};
use super::seen::added;
use super::truth::place;
use super::{STEPS, is_in_place, maker, makers};
use crate::backend::machine::Stop;
use crate::backend::message::job::{Output, Program};
use crate::backend::message::status::Status;
use crate::backend::sim::Sim;
use std::collections::BTreeSet;

/// Blocks of a launch that is run whole, at most.
pub const WHOLE: u64 = 16;
/// Blocks of a launch that do the part of one block of another, at most.
const EACH: u64 = 256;
/// Blocks of a launch that are run, at most, ...
const MOST: u64 = 256;
/// ... and of the one that is compared, where others have many for each of these.
const FEW: u64 = 4;
/// Blocks that are drawn.
const DRAWN: u64 = 24;

/// Holds what the last large launch writes against the oracle. `None`: nothing is told.
///
/// # Errors
/// The PTX cannot be read, or a buffer is larger than anything.
pub fn judge(
    sim: &Sim,
    here: &Opened<'_>,
    small: &Program,
    oracle: &Program,
    (outputs, seed): (&[Output], u64),
) -> Result<Option<Status>, Stop> {
    let launches = &here.program.plan.launches;
    let is_whole = |launch: usize| launches[launch].blocks() <= WHOLE;
    let judged = launches.len() > 1 && !is_in_place(here.program) && maker(oracle) == Some(0);
    let Some(large) = last_large(here.program).filter(|_| judged) else { return Ok(None) };
    let blocks = launches[large].blocks();
    // Where it writes, whatever it reads.
    let mut scout = open(sim, here.program, seed)?;
    let any = drawn(seed, "blocks of all launches", DRAWN, blocks);
    let some = [blocks - 1, 0].into_iter().chain(chosen(seed, large as u64, blocks)).chain(any);
    let first = scout.try_all(large, some);
    let before = scout.written();
    let unlike_of = |launch: usize| {
        let found = match &here.unlike[launch] {
            asked if !asked.is_empty() => asked.clone(),
            _ => scout.unlike_of(launch, &small.plan, STEPS / launches.len() as u64, seed),
        };
        found.into_iter().map(move |block| place(block, launches[launch].blocks(), blocks))
    };
    let others = (0..launches.len()).filter(|launch| *launch != large && !is_whole(*launch));
    // Of what one launch does otherwise another passes something on.
    let mut known = BTreeSet::new();
    let unlike = others.chain([large]).flat_map(unlike_of).filter(|block| known.insert(*block));
    let unlike: Vec<u64> = unlike.collect();
    let unlike = scout.try_all(large, unlike.into_iter());
    let wrote = scout.written();
    let mut chain = open(sim, here.program, seed)?;
    // Where another launch has many blocks for one of these, few.
    let ratio = launches.iter().map(|launch| launch.blocks().div_ceil(blocks)).max().unwrap_or(1);
    let most = (MOST / ratio).max(FEW) as usize;
    let half = first.len().min(most / 2);
    let both = first[..half].iter().chain(&unlike).chain(&first[half..]).copied();
    let mut known = BTreeSet::new();
    let mut both: Vec<u64> = both.filter(|block| known.insert(*block)).take(most).collect();
    both.sort_unstable();
    for (launch, planned) in launches.iter().enumerate() {
        let part = !is_whole(launch);
        let many = planned.blocks();
        let asked = if part { same_part(&both, blocks, many) } else { (0..many).collect() };
        if !matches!(chain.blocks(launch, asked), Ok(true)) {
            return Ok(None);
        }
        if part {
            chain.device.end_part();
        }
    }
    chain.unlike_wrote = wrote.iter().zip(&before).map(|(now, before)| added(before, now)).collect();
    chain.unlike[large] = unlike;
    compare_outputs(sim, (&chain, large, Some(&wrote)), oracle, outputs, seed)
}

/// The last launch of many blocks that comes to outputs.
pub fn last_large(program: &Program) -> Option<usize> {
    makers(program).filter(|launch| program.plan.launches[*launch].blocks() > WHOLE).last()
}

/// The blocks, of so many, that do the part which some of others do, of as many as there are of those.
fn same_part(others: &[u64], of: u64, many: u64) -> Vec<u64> {
    let part = |other: &u64| {
        let from = place(*other, of, many);
        let until = if other + 1 == of { many } else { place(other + 1, of, many) };
        from..until.clamp(from + 1, from + EACH)
    };
    others.iter().flat_map(part).collect::<BTreeSet<u64>>().into_iter().collect()
}

impl Opened<'_> {
    /// Runs blocks, whatever they read, as far as that takes little: those that ran.
    fn try_all(&mut self, launch: usize, blocks: impl Iterator<Item = u64>) -> Vec<u64> {
        let mut ran = Vec::new();
        let before = self.ran;
        for block in blocks {
            if self.ran - before > ENOUGH && ran.len() > 1 {
                break;
            }
            let _ = self.blocks(launch, vec![block]);
            ran.push(block);
        }
        ran
    }
}
