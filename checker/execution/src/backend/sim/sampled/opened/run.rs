//! Blocks of all launches, one after the other, and what each was seen to do.

use super::{ENOUGH, Needs, Opened, READ, WRITTEN};
use crate::backend::message::status::Status;
use crate::backend::sim::sampled::chosen::{chosen, drawn_first};
use crate::backend::sim::sampled::seen::{Did, Places, Seen, Share, added, span, stretch};
use crate::backend::sim::sampled::stripes::Striped;
use plan::stream::Stream;
use std::collections::BTreeSet;

/// Blocks that are run for what they do on average, too, ...
const SEVERAL: u64 = 24;
/// ... and warp instructions of all of them together.
const SEVERAL_INSTRUCTIONS: u64 = 1 << 15;
/// Blocks that are run for their outputs, too, ...
pub const MORE_BLOCKS: u64 = 512;
/// ... and warp instructions of all of them together: hundredths of a second.
const MORE_INSTRUCTIONS: u64 = 1 << 17;
/// Warp instructions of a launch that is run whole, because others read what it writes: some hundredths of a second.
const WHOLE: u64 = 1 << 21;
/// What divides the lengths of all buffers of a round size.
const ROUND: u64 = 256;

impl Opened<'_> {
    /// Runs blocks of every launch, as far as they say something; `several`: more of them, for what they do on average. Where they
    /// lack something of others, once more, after these.
    pub fn run(&mut self, seed: u64, several: bool) -> Seen {
        let mut seen = self.run_once(seed, several);
        // Each need once.
        for _ in 0..2 {
            let all = seen.fault.is_some() || seen.launches == self.program.plan.launches.len();
            let Needs { first, before } = self.lacked;
            let news = first && !self.needs.first || before && !self.needs.before && seen.launches > 0;
            if all || !news {
                break;
            }
            self.needs = Needs { first: first || self.needs.first, before: before || self.needs.before };
            self.begin_anew();
            seen = self.run_once(seed, several);
        }
        seen
    }

    /// The same as far as another has come, and no further.
    pub fn run_like(&mut self, other: &Self, seed: u64) -> Seen {
        self.needs = other.needs;
        self.run_once(seed, false)
    }

    /// As if nothing had run.
    fn begin_anew(&mut self) {
        self.rewind();
        (self.ran, self.blocks_run, self.watched, self.lacked) = (0, 0, 0, Needs::default());
        self.done.iter_mut().for_each(BTreeSet::clear);
        self.findings.clear();
    }

    fn run_once(&mut self, seed: u64, several: bool) -> Seen {
        let (inputs, outputs) = (self.bytes(&READ).max(1.0), self.bytes(&WRITTEN).max(1.0));
        let mut seen = Seen::default();
        for (launch, planned) in self.program.plan.launches.iter().enumerate() {
            let blocks = planned.blocks();
            let chosen = chosen(seed, launch as u64, blocks);
            let ran = self.ran;
            let mut found = [Places { in_place: true, flat: planned.is_flat(), ..Places::default() }; 2];
            // What the first and the last block did, and what the others did.
            let (mut read, mut written) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
            let (mut run, mut did) = (0, Vec::new());
            let (mut places, mut bytes) = (self.read_and_written(), self.touches());
            let mut stretches = places.each_ref().map(|buffers| vec![Vec::new(); buffers.len()]);
            let mut striped = places.each_ref().map(|buffers| vec![Vec::new(); buffers.len()]);
            for block in self.order(&chosen, blocks) {
                // Both ends tell more than the other drawn ones: loops may go round once more there.
                let spent = self.ran - ran;
                if spent > ENOUGH && (run > 2 || spent > run * ENOUGH) {
                    break;
                }
                run += 1;
                match self.blocks(launch, vec![block]) {
                    Ok(true) => {}
                    Ok(false) => return seen,
                    Err(fault) => return Seen { fault: Some(fault), ..seen },
                }
                let now = self.read_and_written();
                for (((found, stretches), before), now) in found.iter_mut().zip(&mut stretches).zip(&places).zip(&now) {
                    if let Some(span) = span(before, now) {
                        found.add(block, blocks, span);
                    }
                    for ((stretches, (_, before)), (_, now)) in stretches.iter_mut().zip(before).zip(now) {
                        stretches.extend(stretch(before, now).map(|(from, to)| (block, from, to)));
                    }
                }
                for ((striped, before), now) in striped.iter_mut().zip(&places).zip(&now) {
                    for ((striped, (bytes, before)), (_, now)) in striped.iter_mut().zip(before).zip(now) {
                        striped.extend(Striped::of(block, &added(before, now), *bytes));
                    }
                }
                places = now;
                let drawn = usize::from(block != 0 && block != blocks - 1);
                let after = self.touches();
                let one = Did::between(block, &bytes, &after);
                read[drawn].push(one.all(true));
                written[drawn].push(one.all(false));
                did.push(one);
                bytes = after;
            }
            let each = (self.ran - ran) / run.max(1);
            let several = match self.several(launch, (&chosen, several), (each, run), seed) {
                Ok(Some(several)) => several,
                Ok(None) => return seen,
                Err(fault) => return Seen { fault: Some(fault), ..seen },
            };
            let more = Did::between(0, &bytes, &self.touches());
            if run + several < blocks {
                self.end_part();
            } else if seen.whole == launch {
                seen.whole += 1;
            }
            seen.launches += 1;
            for (found, bytes) in found.iter_mut().zip([&read, &written]) {
                // One or two are in their place by chance.
                found.in_place &= 2 * found.blocks as u64 >= run;
                found.block = bytes.iter().flatten().copied().fold(0.0, f64::max);
            }
            seen.places = found;
            seen.drawn.push(written[1].len());
            seen.did.push(did);
            for (all, these) in seen.striped.iter_mut().zip(striped) {
                all.push(these);
            }
            for (all, these) in seen.stretches.iter_mut().zip(stretches) {
                all.push(these);
            }
            let several = ((more.all(true), several), (more.all(false), several));
            seen.read.push(Share::of_launch(&read[0], &read[1], several.0, blocks as f64, inputs));
            seen.written.push(Share::of_launch(&written[0], &written[1], several.1, blocks as f64, outputs));
        }
        seen
    }

    /// In which order chosen blocks are run. If there is time for one only, that is the last one of a round size, and elsewhere none at an
    /// end.
    fn order(&self, chosen: &BTreeSet<u64>, blocks: u64) -> Vec<u64> {
        let round = self.program.plan.buffers.iter().all(|buffer| buffer.len == 1 || buffer.len % ROUND == 0);
        let mut order = drawn_first(chosen, blocks);
        if round {
            order.sort_by_key(|block| *block != blocks - 1);
        }
        if self.needs.first {
            order.sort_by_key(|block| *block != 0);
        }
        order
    }

    /// Runs all other blocks of a launch if later ones need them, or `several` more, where that costs little: how many. `Ok(None)`: they say nothing.
    fn several(
        &mut self,
        launch: usize,
        (but, several): (&BTreeSet<u64>, bool),
        (each, run): (u64, u64),
        seed: u64,
    ) -> Result<Option<u64>, Status> {
        let blocks = self.program.plan.launches[launch].blocks();
        if self.needs.before && each.saturating_mul(blocks) <= WHOLE && run == but.len() as u64 {
            let others: Vec<u64> = (0..blocks).filter(|block| !but.contains(block)).collect();
            let many = others.len() as u64;
            return Ok(self.blocks(launch, others)?.then_some(many));
        }
        if !several {
            return Ok(Some(0));
        }
        let stream = Stream::new(seed, "several blocks");
        let drawn = |at: u64| stream.integer((launch as u64) << 8 | at, 0, blocks as i64 - 1) as u64;
        let many = (SEVERAL_INSTRUCTIONS / each.max(1)).min(SEVERAL);
        let wanted: BTreeSet<u64> = (0..many).map(drawn).filter(|block| !but.contains(block)).collect();
        let many = wanted.len() as u64;
        let told = wanted.is_empty() || self.blocks(launch, wanted.into_iter().collect())?;
        Ok(told.then_some(many))
    }

    /// Runs more blocks of the launch that makes the outputs, as many as cost little: what is done in few of them shows in many only.
    pub fn more(&mut self, launch: usize, seed: u64) -> Result<(), Status> {
        let planned = &self.program.plan.launches[launch];
        let blocks = planned.blocks();
        // Others at another size.
        let elements = self.program.plan.buffers.iter().map(|buffer| buffer.len).fold(0, u64::wrapping_add);
        let stream = Stream::new(seed, &format!("more blocks of {elements}"));
        let drawn = |at: u64| stream.integer(at, 0, blocks as i64 - 1) as u64;
        let wanted: BTreeSet<u64> = (0..(MORE_INSTRUCTIONS / self.each().max(1)).min(MORE_BLOCKS)).map(drawn).collect();
        if !wanted.is_empty() {
            self.blocks(launch, wanted.into_iter().filter(|block| !self.done[launch].contains(block)).collect())?;
        }
        Ok(())
    }
}
