//! Elements that nobody comes to, where the blocks of a large size lie in a row along a buffer.

use super::ends::{self, Due, End};
use super::opened::{Opened, READ, WRITTEN};
use super::seen::{Seen, holds};
use super::stripes::others_may_come;
use crate::backend::message::status::Status;
use plan::{Buffer, Role};
use simulator::Touched;
use std::collections::BTreeSet;

/// Blocks that have to have the same part each, before others are held to it.
const ALIKE: usize = 2;

/// Blocks beside one that should come to an end, each way, which may come there in its place, ...
const MANY: u64 = 1 << 10;
/// ... and warp instructions of them.
const ASKED_INSTRUCTIONS: u64 = 1 << 19;
/// Elements of a tail.
const TAIL: u64 = 512;

/// What was done with buffers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Outputs.
    Written,
    /// Inputs.
    Read,
}

impl Use {
    fn roles(self) -> [Role; 2] {
        match self {
            Self::Written => WRITTEN,
            Self::Read => READ,
        }
    }

    fn of(self, touched: Touched) -> Vec<(u64, u64)> {
        match self {
            Self::Written => touched.written,
            Self::Read => touched.read,
        }
    }

    /// How many of so many blocks have to lie in a row: one may be what is looked for, but for inputs, where what a block reads may say
    /// that it needs no more.
    fn needed(self, drawn: usize) -> usize {
        match self {
            Self::Written => drawn.saturating_sub(1).max(ALIKE),
            Self::Read => drawn.max(ALIKE),
        }
    }

    /// The buffers that it is about, with their indexes and where the blocks of a launch touched them.
    fn buffers<'a>(
        self,
        here: &'a Opened<'_>,
        seen: &'a Seen,
        launch: usize,
    ) -> impl Iterator<Item = (usize, &'a Buffer, &'a [ends::Stretch])> {
        let buffers = here.program.plan.buffers.iter().enumerate();
        let these = buffers.filter(move |(_, buffer)| self.roles().contains(&buffer.role));
        let stretches = &seen.stretches[usize::from(matches!(self, Self::Written))][launch];
        these.zip(stretches).map(|((index, buffer), stretches)| (index, buffer, stretches.as_slice()))
    }
}

/// Nobody comes to a byte of a buffer, which falls to that block.
pub fn never_reached(reads: bool, buffer: &Buffer, byte: u64, block: Option<u64>) -> Status {
    let index = byte / buffer.dtype.size() as u64;
    Status::NeverReached { buffer: buffer.name.clone(), index, reads, block }
}

/// What no block comes to. `there`: some blocks of the small size, where the large one has the same launches and all said something.
pub fn missed(here: &mut Opened<'_>, seen: &Seen, there: Option<&Opened<'_>>, done: Use) -> Option<Status> {
    let launches = 0..seen.launches;
    let end = there.and_then(|there| launches.clone().find_map(|launch| an_end(here, seen, there, launch, done)));
    end.or_else(|| launches.clone().find_map(|launch| a_part(here, seen, launch, done)))
}

/// An end of a buffer that blocks of the small size come to (`there`) and nobody at the large one, where it is known whose part it is.
fn an_end(here: &mut Opened<'_>, seen: &Seen, there: &Opened<'_>, launch: usize, done: Use) -> Option<Status> {
    let plan = &here.program.plan;
    let mut left = Vec::new();
    let own = |(index, ..): &(usize, &Buffer, &[ends::Stretch])| !others_may_come(plan, launch, *index);
    for (index, buffer, stretches) in done.buffers(here, seen, launch).filter(own) {
        let usual = there.program.plan.buffers.get(index).filter(|usual| usual.name == buffer.name);
        // Of an input a tail of another length may have no say in any output.
        let usual = usual.filter(|usual| done != Use::Read || usual.len % TAIL == buffer.len % TAIL);
        for end in [End::First, End::Last] {
            let Some(usual) = usual else { continue };
            let Some(due) = ends::due(plan.launches[launch].grid, stretches, buffer.bytes(), end) else { continue };
            let is_touched =
                |opened: &Opened<'_>, bytes: u64| ends::is_touched(&done.of(opened.touched(index)), bytes, end);
            if is_touched(there, usual.bytes()) && !is_touched(here, buffer.bytes()) {
                left.push((index, end, due));
            }
        }
    }
    for (index, end, due) in left {
        let buffer = &plan.buffers[index];
        let byte = if end == End::First { 0 } else { buffer.bytes() - 1 };
        let blocks = plan.launches[launch].blocks();
        let block = match due {
            Due::Block(block) => block,
            Due::Nobody(from) => {
                // The first ones or the last ones may do what is left.
                let some = BTreeSet::from([0, 1.min(blocks - 1), blocks.saturating_sub(2), blocks - 1]);
                let some: Vec<u64> = some.difference(&here.done[launch]).copied().collect();
                let told = some.is_empty() || matches!(here.blocks(launch, some), Ok(true));
                if told && done.of(here.touched(index)).last().is_none_or(|(_, to)| *to <= from) {
                    return Some(never_reached(done == Use::Read, buffer, byte, None));
                }
                continue;
            }
        };
        // Rows may begin anew in between, or go back and forth: those beside it are asked, too. One that has much to do was run at the
        // round size or never.
        let beside = |each_way: u64| block.saturating_sub(each_way)..=(block + each_way).min(blocks - 1);
        let many = (ASKED_INSTRUCTIONS / here.each().max(1)).clamp(1, MANY);
        let mut is_left = |each_way: u64| {
            let told = if here.is_long() {
                here.done[launch].contains(&block)
            } else {
                matches!(here.blocks(launch, beside(each_way).collect()), Ok(true))
            };
            told && !ends::is_touched(&done.of(here.touched(index)), buffer.bytes(), end)
        };
        if is_left(1) && is_left(many) {
            return Some(never_reached(done == Use::Read, buffer, byte, Some(block)));
        }
    }
    None
}

/// A part of a buffer that a block leaves out, of those that were run, where others share it out evenly. The last block may have
/// less to do; what several launches use, others may come to.
fn a_part(here: &mut Opened<'_>, seen: &Seen, launch: usize, done: Use) -> Option<Status> {
    let plan = &here.program.plan;
    if !plan.launches[launch].is_flat() {
        return None;
    }
    let last = plan.launches[launch].blocks() - 1;
    let shares: Vec<Option<Share>> = done
        .buffers(here, seen, launch)
        .map(|(index, buffer, stretches)| {
            let inner = || stretches.iter().filter(|(block, ..)| *block != 0 && *block != last);
            let own = ends::share(inner()).filter(|_| inner().count() >= done.needed(seen.drawn[launch]))?;
            let share = Share { index, bytes: buffer.bytes(), own, touched: done.of(here.touched(index)) };
            let whole = inner().all(|(block, ..)| share.left_by(*block).is_none());
            (whole && !others_may_come(plan, launch, index)).then_some(share)
        })
        .collect();
    let shares: Vec<Share> = match done {
        // One input may say what is needed of another.
        Use::Read => shares.into_iter().collect::<Option<_>>()?,
        Use::Written => shares.into_iter().flatten().collect(),
    };
    let left = shares.iter().find_map(|share| {
        let mut blocks = here.done[launch].iter().filter(|block| **block != last);
        let (byte, block) = blocks.find_map(|&block| share.left_by(block).map(|byte| (byte, block)))?;
        Some((share.index, byte, block))
    });
    let (index, byte, block) = left?;
    // Where shares differ by a little, the one beside it has what it leaves.
    let beside = BTreeSet::from([block.saturating_sub(1), (block + 1).min(last)]);
    let told = matches!(here.blocks(launch, beside.into_iter().collect()), Ok(true));
    let is_left = !holds(&done.of(here.touched(index)), byte);
    (told && is_left).then(|| never_reached(done == Use::Read, &plan.buffers[index], byte, Some(block)))
}

/// A buffer of which every block has so many bytes, one behind the other.
struct Share {
    index: usize,
    bytes: u64,
    own: u64,
    touched: Vec<(u64, u64)>,
}

impl Share {
    /// The first byte of a block's share that nobody came to.
    fn left_by(&self, block: u64) -> Option<u64> {
        let (from, to) = (block * self.own, ((block + 1) * self.own).min(self.bytes));
        let reached =
            self.touched.iter().find(|(first, end)| *first <= from && from < *end).map_or(from, |(_, end)| *end);
        (from < to && reached < to).then_some(reached)
    }
}
