//! Sums that come to the outputs by atomics, from several blocks each. What a block of the oracle reads tells from which elements its results
//! come; where the version's blocks that read these have run, nothing is missing in the sums.

use super::chain::{WHOLE, last_large};
use super::chosen::drawn;
use super::compare::{Ranges, compare_written, find};
use super::opened::{ENOUGH, Opened, READ, open};
use super::seen::added;
use super::truth::place;
use super::{is_in_place, maker};
use crate::backend::machine::Stop;
use crate::backend::message::job::{Output, Program};
use crate::backend::message::status::Status;
use crate::backend::sim::Sim;
use std::collections::BTreeSet;

/// Blocks of the oracle that are tried, at most.
const BLOCKS: u64 = 8;
/// Blocks that an oracle's grid has at least.
const FEW: u64 = 3;
/// Blocks of the version that are run for one of these, at most.
const MOST: usize = 256;
/// Warp instructions for all of them together.
const INSTRUCTIONS: u64 = 1 << 18;
/// Blocks anywhere that are run besides, where something is wrong: would more come to it?
const BESIDES: u64 = 32;

/// Holds sums of some blocks against the oracle's. `None`: nothing is told.
///
/// # Errors
/// The PTX cannot be read, or a buffer is larger than anything.
pub fn judge(
    sim: &Sim,
    here: &Opened<'_>,
    oracle: &Program,
    (outputs, seed): (&[Output], u64),
) -> Result<Option<Status>, Stop> {
    let launches = &here.program.plan.launches;
    let Some(large) = last_large(here.program) else { return Ok(None) };
    let is_told = large + 1 == launches.len() && !is_in_place(here.program) && maker(oracle) == Some(0);
    if !is_told || oracle.plan.launches[0].blocks() < FEW {
        return Ok(None);
    }
    let (mut truth, mut version) = (open(sim, oracle, seed)?, open(sim, here.program, seed)?);
    truth.device.config_mut().limits.steps = ENOUGH;
    let mut passed = None;
    for block in asked(here, large, oracle.plan.launches[0].blocks(), seed) {
        if version.ran + truth.ran > INSTRUCTIONS {
            break;
        }
        let part = Part { large, outputs, seed };
        match part.judge(&mut version, &mut truth, block) {
            None => return Ok(passed),
            Some(status) if status.passed() => passed = Some(status),
            wrong => return Ok(wrong),
        }
    }
    Ok(passed)
}

/// Blocks of the oracle: those for what may be unlike the rest, the last one, and drawn ones.
fn asked(here: &Opened<'_>, large: usize, blocks: u64, seed: u64) -> Vec<u64> {
    let own = here.program.plan.launches[large].blocks();
    let unlike = here.unlike[large].iter().take(BLOCKS as usize / 2).map(|block| place(*block, own, blocks));
    let mut drawn: Vec<u64> = drawn(seed, "blocks whose sums are whole", BLOCKS + 1, blocks).collect();
    let mut known = BTreeSet::new();
    let all = drawn.pop().into_iter().chain(unlike).chain([blocks - 1]);
    all.chain(drawn).filter(|block| known.insert(*block)).take(BLOCKS as usize).collect()
}

struct Part<'a> {
    /// The launch that adds up.
    large: usize,
    outputs: &'a [Output],
    seed: u64,
}

impl Part<'_> {
    /// The sums of one block of the oracle.
    fn judge(&self, version: &mut Opened<'_>, truth: &mut Opened<'_>, block: u64) -> Option<Status> {
        if !truth.alone(0, block) {
            return None;
        }
        let read = read_of(version, truth)?;
        let blocks = readers(version, self.large, &read)?;
        version.rewind();
        let cleared = self.prepare(version, truth)?;
        self.add(version, blocks.clone())?;
        let is_whole = read.iter().all(|(index, ranges)| added(&version.touched(*index).read, ranges).is_empty());
        if !is_whole {
            return None;
        }
        let compare = |version: &Opened<'_>| {
            compare_written((version, self.large, Some(&cleared)), truth, self.outputs, (true, self.seed))
        };
        let status = compare(version)?;
        if status.passed() {
            return Some(status);
        }
        // Of what is whole more blocks change nothing.
        let all = version.program.plan.launches[self.large].blocks();
        let width = u64::from(version.program.plan.launches[self.large].grid[0]);
        let near = |block: &u64| {
            let by = [2, 3, width.saturating_sub(1), width, width + 1];
            by.map(|by| [block.checked_sub(by), block.checked_add(by)]).into_iter().flatten().flatten()
        };
        let drawn = drawn(self.seed, "blocks that change no sums", BESIDES, all);
        let besides: BTreeSet<u64> = blocks.iter().flat_map(near).chain(drawn).chain([0, all - 1]).collect();
        let fresh = besides.into_iter().filter(|block| *block < all && !blocks.contains(block)).collect();
        self.add(version, fresh)?;
        compare(version).filter(|after| *after == status)
    }

    /// Runs what comes before the sums, as far as it comes to what the oracle's block wrote: what has a value then, by buffer.
    fn prepare(&self, version: &mut Opened<'_>, truth: &Opened<'_>) -> Option<Vec<Ranges>> {
        let plan = &version.program.plan;
        for launch in 0..self.large {
            let many = plan.launches[launch].blocks();
            let part = || -> Vec<u64> {
                let outputs = self.outputs.iter().filter_map(|output| find(truth.program, &output.name));
                let parts = outputs.flat_map(|(index, buffer)| {
                    let size = buffer.dtype.size() as u64;
                    let written = truth.touched(index).written.into_iter();
                    let ends = written.flat_map(move |(from, to)| [from / size, (to - 1) / size]);
                    ends.map(move |element| place(element, buffer.len, many)).collect::<Vec<_>>()
                });
                let (first, last) = parts.fold((many, 0), |(first, last), part| (part.min(first), part.max(last)));
                (first.saturating_sub(1)..=(last + 1).min(many - 1)).collect()
            };
            let blocks: Vec<u64> = if many <= WHOLE { (0..many).collect() } else { part() };
            if blocks.len() > MOST || !matches!(version.blocks(launch, blocks), Ok(true)) {
                return None;
            }
            version.device.end_part();
        }
        // Of sums to which several launches come these few blocks are a part.
        let touched: Vec<_> = (0..plan.buffers.len()).map(|index| version.touched(index)).collect();
        let is_part = touched.iter().any(|touched| touched.changed);
        (!is_part).then(|| touched.into_iter().map(|touched| touched.written).collect())
    }

    fn add(&self, version: &mut Opened<'_>, blocks: Vec<u64>) -> Option<()> {
        matches!(version.blocks(self.large, blocks), Ok(true)).then_some(())
    }
}

/// What the oracle's block read of the inputs, by the version's buffers. `None`: of one that the version has not.
fn read_of(version: &Opened<'_>, truth: &Opened<'_>) -> Option<Vec<(usize, Ranges)>> {
    let inputs = truth.program.plan.buffers.iter().enumerate().filter(|(_, buffer)| READ.contains(&buffer.role));
    let read = inputs.map(|(own, buffer)| (buffer, truth.touched(own).read)).filter(|(_, read)| !read.is_empty());
    read.map(|(buffer, read)| {
        let (index, same) = find(version.program, &buffer.name)?;
        (same.dtype == buffer.dtype).then_some((index, read))
    })
    .collect()
}

/// The version's blocks to which these elements fall, and those beside them.
fn readers(version: &Opened<'_>, large: usize, read: &[(usize, Ranges)]) -> Option<Vec<u64>> {
    let many = version.program.plan.launches[large].blocks();
    let mut blocks = BTreeSet::new();
    for (index, ranges) in read {
        let bytes = version.program.plan.buffers[*index].bytes();
        for (from, to) in ranges {
            let [first, last] = [*from, to - 1].map(|byte| place(byte, bytes, many));
            if last - first > MOST as u64 {
                return None;
            }
            blocks.extend(first.saturating_sub(1)..=(last + 1).min(many - 1));
        }
        if blocks.len() > MOST {
            return None;
        }
    }
    Some(blocks.into_iter().collect())
}
