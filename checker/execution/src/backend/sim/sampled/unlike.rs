//! Blocks that may do what others do not: of kinds that differ in what hangs on no data, and those that a number in the code may mean.

use super::opened::{ENOUGH, MORE_BLOCKS, Opened};
use super::seen::{Did, added};
use super::stripes::Striped;
use crate::backend::message::status::Status;
use plan::Plan;
use plan::stream::Stream;
use std::collections::BTreeSet;

/// Numbers below are sizes of blocks and the like, not places in long arrays.
const FEW_ELEMENTS: u64 = 4096;
/// Warp instructions of the blocks that numbers in the code may mean.
const NAMED_INSTRUCTIONS: u64 = 1 << 16;
/// As many of those that have much to do: hardly a kernel has numbers so large.
const LONG_BLOCKS: usize = 3;
/// Bits that follow each other in a mask, at least.
const MASK: u32 = 8;
/// Blocks that two numbers may mean together.
const CROSSINGS: usize = 64;
/// Warp instructions of blocks that are unlike those that were run.
const UNLIKE_INSTRUCTIONS: u64 = 1 << 16;

impl Opened<'_> {
    /// The blocks of a launch that a number in the code may mean, as their own or as that of a thread or an element: somebody may
    /// treat it in its own way. Of blocks that have much to do only those for numbers from `beyond` on, as long as no buffer is of a size
    /// that is run whole.
    fn named(&self, launch: usize, beyond: u64, seed: u64) -> Vec<u64> {
        let planned = &self.program.plan.launches[launch];
        let blocks = planned.blocks();
        let threads = planned.block.iter().map(|&extent| u64::from(extent)).product::<u64>();
        let elements = self.program.plan.buffers.iter().map(|buffer| buffer.len).max().unwrap_or(0);
        let long = self.each() > ENOUGH;
        let least = if long { beyond.max(FEW_ELEMENTS) } else { FEW_ELEMENTS };
        let mut numbers = self.numbers(least, elements.max(blocks));
        // Halves of words are taken apart by masks.
        let is_mask = |number: u64| {
            let ones = number.count_ones();
            number >> number.trailing_zeros() == u64::MAX >> (64 - ones) && ones >= MASK
        };
        numbers.retain(|number| !long || !is_mask(*number));
        // Of threads, of blocks or what they do in turn, of all that a block has, of warps, and of threads with up to 16 elements each.
        let shares = [threads, 1, elements.div_ceil(blocks), threads.div_ceil(32)].into_iter();
        let shares = shares.chain((1..=4).map(|power| threads << power));
        // Who is meant comes before who is near it.
        let meant = shares.flat_map(|share| numbers.iter().map(move |number| (*number, share)));
        let near = meant.clone().flat_map(|(number, share)| [(number - 1, share), (number + 1, share)]);
        // Of a grid that goes round again and again, too.
        let block = |(number, share): (u64, u64)| match number / share {
            block if share == threads || share == 1 => Some(block % blocks),
            block => Some(block).filter(|block| *block < blocks),
        };
        let in_a_row = meant.chain(near).filter_map(block);
        let mut known = self.done[launch].clone();
        let wanted = self.crossing(launch, &numbers, seed).into_iter().chain(in_a_row);
        let most = if long { LONG_BLOCKS } else { self.affordable(NAMED_INSTRUCTIONS) };
        wanted.filter(|block| known.insert(*block)).take(most).collect()
    }

    /// Numbers in the code from one to another.
    fn numbers(&self, least: u64, most: u64) -> BTreeSet<u64> {
        let numbers = self.device.module().numbers();
        numbers.into_iter().map(i64::unsigned_abs).filter(|number| (least..=most).contains(number)).collect()
    }

    /// The elements of an output that a number in the code may mean, or a group of up to 16 of them, in this round of a launch's
    /// grid or the next: from, to.
    pub fn meant(&self, launch: usize, len: u64) -> Vec<(u64, u64)> {
        let round = self.program.plan.launches[launch].threads();
        let numbers = self.numbers(FEW_ELEMENTS, len);
        let all = numbers.into_iter().flat_map(|number| [number, number.saturating_add(round)]);
        let groups = all.flat_map(|number| (0..=4).map(move |power| number << power..(number + 1) << power));
        let elements: BTreeSet<u64> = groups.flatten().filter(|element| *element < len).collect();
        elements.into_iter().map(|element| (element, element + 1)).collect()
    }

    /// Blocks of a grid of two extents, in the columns and the rows of blocks that numbers may mean.
    fn crossing(&self, launch: usize, numbers: &BTreeSet<u64>, seed: u64) -> Vec<u64> {
        let planned = &self.program.plan.launches[launch];
        let [width, height, _] = planned.grid.map(u64::from);
        if planned.is_flat() {
            return Vec::new();
        }
        let stream = Stream::new(seed, "blocks that cross");
        let drawn = |number: u64, below: u64| stream.integer(number, 0, below as i64 - 1) as u64;
        let at = |number: u64, axis: usize| {
            let extent = u64::from(planned.block[axis]);
            let shares = (0..=4).map(move |power| extent << power).filter(move |share| *share > 1);
            shares.map(move |share| number / share).filter(move |at| *at < [width, height][axis])
        };
        let along = |axis| numbers.iter().flat_map(move |number| at(*number, axis).map(move |at| (*number, at)));
        let columns = along(0).map(|(number, x)| drawn(number, height) * width + x);
        let rows = along(1).map(|(number, y)| y * width + drawn(number, width));
        // A place in both is meant by two numbers.
        let both = along(0).flat_map(|(number, x)| {
            along(1).filter(move |(other, _)| *other != number).map(move |(_, y)| y * width + x)
        });
        columns.chain(rows).chain(both.take(CROSSINGS)).collect()
    }

    /// Blocks of a launch of every kind that there is, as many as may be of those that have not run: kinds differ in how something comes
    /// out that hangs on no data.
    fn kinds(&self, launch: usize, steps: u64, seed: u64) -> Vec<u64> {
        let Some(request) = self.request(launch) else { return Vec::new() };
        let cluster = self.program.plan.launches[launch].cluster;
        let most = self.affordable(UNLIKE_INSTRUCTIONS);
        let done = &self.done[launch];
        let asked = simulator::Unlike { done: &BTreeSet::new(), most: most + done.len(), steps, seed };
        let blocks = self.device.unlike(&request, cluster, asked).unwrap_or_default();
        let (known, new): (Vec<u64>, Vec<u64>) = blocks.into_iter().partition(|block| done.contains(block));
        new.into_iter().take(most).chain(known).collect()
    }

    /// Blocks that so many warp instructions are enough for, and one at least if it has not very much to do.
    fn affordable(&self, instructions: u64) -> usize {
        let least = u64::from(self.each() <= 1 << 18);
        (instructions / self.each().max(1)).clamp(least, MORE_BLOCKS) as usize
    }

    /// Runs the blocks of a launch that may do what others do not: one of each kind (if a block costs little), which so many operations may
    /// be computed to find, and those that a number in the code may mean. `makes`: it makes the outputs; `near`: a size that is run whole.
    /// `false`: they say nothing.
    pub fn unlike(
        &mut self,
        (launch, makes): (usize, bool),
        near: &Plan,
        steps: u64,
        seed: u64,
    ) -> Result<bool, Status> {
        let before = if makes { self.written() } else { Vec::new() };
        let blocks = self.unlike_of(launch, near, steps, seed);
        let new: Vec<u64> = blocks.iter().copied().filter(|block| !self.done[launch].contains(block)).collect();
        let mut before_it = self.touches();
        let mut told = true;
        let long = self.is_long();
        for block in new {
            let wrote = if long { self.written() } else { Vec::new() };
            told = self.blocks(launch, vec![block])?;
            if !told {
                break;
            }
            let after_it = self.touches();
            self.unlike_did[launch].push(Did::between(block, &before_it, &after_it));
            before_it = after_it;
            if long {
                let outputs: Vec<_> =
                    self.came_to(false).map(|(index, buffer, now)| (index, buffer.bytes(), now)).collect();
                for (striped, (index, bytes, now)) in self.unlike_striped[launch].iter_mut().zip(outputs) {
                    striped.extend(Striped::of(block, &added(&wrote[index], &now), bytes));
                }
            }
        }
        if makes {
            self.unlike_wrote = self.written().iter().zip(&before).map(|(now, before)| added(before, now)).collect();
        }
        self.unlike[launch] = blocks;
        Ok(told)
    }

    /// Blocks of a launch that may do what others do not, those first that no size has which is run whole.
    pub fn unlike_of(&self, launch: usize, near: &Plan, steps: u64, seed: u64) -> Vec<u64> {
        let kinds = if self.each() > ENOUGH { Vec::new() } else { self.kinds(launch, steps, seed) };
        let beyond = near.buffers.iter().map(|buffer| buffer.len).min().unwrap_or(0);
        let verified = near.launches.get(launch).map_or(0, |launch| launch.blocks());
        let mut known = BTreeSet::new();
        let all = kinds.into_iter().chain(self.named(launch, beyond, seed));
        let mut all: Vec<u64> = all.filter(|block| known.insert(*block)).collect();
        all.sort_by_key(|block| (*block < verified, self.done[launch].contains(block)));
        all
    }

    /// What was written of outputs, by buffer: inputs have the most pages.
    pub fn written(&self) -> Vec<Vec<(u64, u64)>> {
        let mut all = vec![Vec::new(); self.program.plan.buffers.len()];
        self.came_to(false).for_each(|(index, _, ranges)| all[index] = ranges);
        all
    }
}
