//! Parts of an output that a block comes to again and again, one as far from the last as any other: loops by the size of the grid. What
//! such a block leaves out among its own parts nobody else comes to.

use super::opened::{Opened, WRITTEN};
use super::reached::never_reached;
use super::seen::{Seen, holds};
use crate::backend::message::status::Status;
use plan::Plan;
use std::collections::BTreeSet;

/// Parts at the beginning that have to be as large and as far apart as each other.
const FIRST: usize = 4;
/// Parts beyond which nobody looks.
const MANY: usize = 1 << 16;
/// Blocks that have to lie in a row, before others are held to it: two always do.
const ROW: usize = 3;
/// Warp instructions of the blocks that are asked who comes to the end instead.
const ASKED_INSTRUCTIONS: u64 = 1 << 22;
/// More than this of what it comes to a block leaves to others, where its parts are in groups: rows of tiles, say.
const GROUPED: u64 = 16;

/// Where the parts of a block are, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stripes {
    /// The first begins here.
    first: u64,
    /// Each has so many.
    own: u64,
    /// From one to the next.
    pitch: u64,
}

impl Stripes {
    /// By the first ranges of all that a block wrote.
    fn of(ranges: &[(u64, u64)]) -> Option<Self> {
        let [(first, end), (second, _), ..] = *ranges else { return None };
        let stripes = Self { first, own: end - first, pitch: second - first };
        let fits = |(at, range): (usize, &(u64, u64))| {
            let from = first + at as u64 * stripes.pitch;
            *range == (from, from + stripes.own)
        };
        (ranges.len() > FIRST && ranges.iter().take(FIRST).enumerate().all(fits)).then_some(stripes)
    }

    /// Of the parts before `end` what is not in the ranges: the first such byte, and how many; nothing where a range is in no part.
    fn left(self, ranges: &[(u64, u64)], end: u64) -> Option<(Option<u64>, u64)> {
        let (mut reached, mut bytes, mut first) = (self.first, 0, None);
        for &(from, to) in ranges {
            let start = self.first + (from - self.first) / self.pitch * self.pitch;
            if to > start + self.own {
                return None;
            }
            bytes += self.between(reached, from, &mut first);
            reached = to;
        }
        bytes += self.between(reached, end, &mut first);
        Some((first, bytes))
    }

    /// Bytes of parts that begin or go on in between; the first of them is noted.
    fn between(self, from: u64, to: u64, first: &mut Option<u64>) -> u64 {
        let bytes = self.before(to).saturating_sub(self.before(from));
        if bytes > 0 {
            let into = (from - self.first) % self.pitch;
            first.get_or_insert(if into < self.own { from } else { from - into + self.pitch });
        }
        bytes
    }

    /// Bytes of parts before a byte that does not lie before the first.
    fn before(self, byte: u64) -> u64 {
        let into = byte - self.first;
        into / self.pitch * self.own + (into % self.pitch).min(self.own)
    }
}

/// A block that comes to a buffer in parts.
#[derive(Debug, Clone, Copy)]
pub struct Striped {
    block: u64,
    stripes: Stripes,
    /// Bytes that it came to.
    touched: u64,
    /// It leaves out nothing before the last byte that it came to, or this and so many more.
    within: Left,
    /// The same up to the buffer's end.
    ever: Left,
}

/// What is left out: the first byte, and how many; 0 if there is none.
type Left = (Option<u64>, u64);

impl Striped {
    /// By all that a block came to of a buffer of so many bytes.
    pub fn of(block: u64, ranges: &[(u64, u64)], bytes: u64) -> Option<Self> {
        let stripes = Stripes::of(ranges).filter(|_| ranges.len() <= MANY)?;
        let last = ranges.last().map_or(0, |(_, to)| *to);
        let touched = ranges.iter().map(|(from, to)| to - from).sum();
        Some(Self { block, stripes, touched, within: stripes.left(ranges, last)?, ever: stripes.left(ranges, bytes)? })
    }

    /// The first byte that it leaves out before the last that it came to. More at once is another's, in rows of tiles say.
    fn gap(&self) -> Option<u64> {
        self.within.0.filter(|_| self.within.1 * GROUPED <= self.touched)
    }

    /// Does it leave out nothing?
    fn is_whole(&self) -> bool {
        self.ever.1 == 0
    }

    /// The first byte of what it leaves out up to the end, if that is a whole part or more.
    fn whole_part(&self, bytes: u64) -> Option<u64> {
        let Stripes { first, own, pitch } = self.stripes;
        let few = self.within.1 == 0 && self.ever.1 * GROUPED <= self.touched;
        self.ever.0.filter(|byte| few && (byte - first).is_multiple_of(pitch) && byte + own <= bytes)
    }

    /// A block whose parts lie between those of this one, in the order of blocks.
    fn is_beside(&self, other: &Self) -> bool {
        let (one, two) = (self.stripes, other.stripes);
        let alike = (one.own, one.pitch) == (two.own, two.pitch);
        alike
            && i128::from(one.first) - i128::from(two.first)
                == (i128::from(self.block) - i128::from(other.block)) * i128::from(one.own)
    }
}

/// What a block leaves out among its own parts, where blocks of the small size leave out nothing so.
pub fn left_out(here: &mut Opened<'_>, seen: &Seen, usual: Option<&Seen>) -> Option<Status> {
    let plan = &here.program.plan;
    let outputs = || plan.buffers.iter().enumerate().filter(|(_, buffer)| WRITTEN.contains(&buffer.role));
    for launch in 0..seen.launches {
        for (at, ((index, buffer), blocks)) in outputs().zip(&seen.striped[1][launch]).enumerate() {
            let before = usual.and_then(|usual| usual.striped[1].get(launch)).map(|launch| &launch[at]);
            let all_whole = before.is_none_or(|blocks| blocks.iter().all(Striped::is_whole));
            if others_may_come(plan, launch, index) || !all_whole {
                continue;
            }
            let left = |one: &Striped| Some((left_by(one, blocks)?, one.block));
            let unlike = &here.unlike_striped[launch][at];
            let found = blocks.iter().chain(unlike).find_map(left).or_else(|| {
                let whole = |one: &Striped| Some((one.whole_part(buffer.bytes())?, one.block));
                blocks.iter().find_map(whole).map(|(byte, block)| (Missed { byte, early: true }, block))
            });
            let certain = |here: &mut Opened<'_>, Missed { byte, early }: Missed, block: u64| {
                !early || nobody_goes_on(here, launch, index, (block, byte))
            };
            if let Some((missed, block)) = found
                && certain(here, missed, block)
            {
                let byte = missed.byte;
                return Some(never_reached(false, buffer, byte, Some(block)));
            }
        }
    }
    None
}

/// A whole part of a block is left out at the end: does no block that may come to it instead, of those that are asked? Tails are done by
/// the first block or by the last one, by one nearby, or by all in smaller parts.
fn nobody_goes_on(here: &mut Opened<'_>, launch: usize, buffer: usize, (block, byte): (u64, u64)) -> bool {
    let blocks = here.program.plan.launches[launch].blocks();
    let asked = who_goes_on(block, blocks);
    let asked: Vec<u64> = asked.into_iter().filter(|block| !here.done[launch].contains(block)).collect();
    if here.each().saturating_mul(asked.len() as u64) > ASKED_INSTRUCTIONS {
        return false;
    }
    let is_reached = |here: &Opened<'_>| holds(&here.touched(buffer).written, byte);
    !is_reached(here)
        && asked.into_iter().all(|block| {
            let told = matches!(here.blocks(launch, vec![block]), Ok(true));
            told && !is_reached(here)
        })
}

/// Blocks of so many that may come to what a block leaves out at the end.
pub fn who_goes_on(block: u64, blocks: u64) -> BTreeSet<u64> {
    let smaller = (1..=4).flat_map(|power| [block << power, block >> power]);
    let near = [Some(0), blocks.checked_sub(1), block.checked_sub(1), block.checked_add(1)].into_iter().flatten();
    near.chain(smaller).filter(|other| *other < blocks && *other != block).collect()
}

/// What a block leaves out of its own parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missed {
    /// The first byte.
    pub byte: u64,
    /// It goes no further, and another block may come to the rest.
    pub early: bool,
}

/// What a block leaves out of its own parts: among them, or up to the end, where one before it and one behind it leave out nothing.
pub fn left_by(one: &Striped, blocks: &[Striped]) -> Option<Missed> {
    let goes_on = |before: bool| {
        let side = blocks.iter().filter(|other| other.block != one.block && (other.block < one.block) == before);
        side.filter(|other| other.is_beside(one)).any(Striped::is_whole)
    };
    let early = || one.ever.0.filter(|_| one.within.1 == 0 && goes_on(true) && goes_on(false));
    let gap = one.gap().map(|byte| Missed { byte, early: false });
    gap.or_else(|| early().map(|byte| Missed { byte, early: true }))
}

/// Do the parts of blocks lie between each other's in the order of their numbers?
pub fn in_a_row(blocks: &[Striped]) -> bool {
    blocks.len() >= ROW && blocks.windows(2).all(|pair| pair[0].is_beside(&pair[1]))
}

/// May launches beside one come to a buffer?
pub fn others_may_come(plan: &Plan, launch: usize, buffer: usize) -> bool {
    let others = plan.launches.iter().enumerate().filter(|(other, _)| *other != launch);
    others.flat_map(|(_, other)| &other.args).any(|arg| arg.may_lead_to(buffer))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rounds of a block that has 8 bytes of every 100, from 16 on.
    fn rounds(rounds: impl Iterator<Item = u64>) -> Vec<(u64, u64)> {
        rounds.map(|round| (100 * round + 16, 100 * round + 24)).collect()
    }

    fn gaps(ranges: &[(u64, u64)], bytes: u64) -> Option<[Option<u64>; 2]> {
        Striped::of(1, ranges, bytes).map(|striped| [striped.gap(), striped.ever.0.filter(|_| striped.within.1 == 0)])
    }

    #[test]
    fn a_round_that_is_left_out_is_a_gap() {
        assert_eq!(gaps(&rounds(0..40), 4000), Some([None, None]));
        assert_eq!(gaps(&rounds((0..40).filter(|round| *round != 30)), 4000), Some([Some(3016), None]));
        assert_eq!(gaps(&rounds(0..39), 4000), Some([None, Some(3916)]), "the last one");
        assert_eq!(gaps(&rounds(0..39), 3916), Some([None, None]), "nothing is left for it");
        let mut cut = rounds(0..40);
        cut[39].1 -= 2;
        assert_eq!(gaps(&cut, 3922), Some([None, None]));
        assert_eq!(gaps(&cut, 4000), Some([None, Some(3922)]));
    }

    #[test]
    fn a_thread_that_is_left_out_is_a_gap() {
        let without = |round: u64| [(100 * round + 16, 100 * round + 18), (100 * round + 20, 100 * round + 24)];
        let ranges: Vec<_> = rounds(0..38).into_iter().chain((38..40).flat_map(without)).collect();
        assert_eq!(gaps(&ranges, 4000), Some([Some(3818), None]));
    }

    #[test]
    fn parts_in_groups_and_those_beside_say_nothing() {
        // Rows of tiles: those in between are others'.
        assert_eq!(gaps(&rounds((0..8).chain(24..32)), 3200), Some([None, None]));
        let beside: Vec<_> = rounds(0..40).into_iter().chain([(4010, 4030)]).collect();
        assert_eq!(gaps(&beside, 5000), None);
        assert_eq!(gaps(&rounds(0..4), 4000), None, "few");
        assert_eq!(gaps(&rounds([0, 1, 2, 4, 5].into_iter()), 4000), None);
    }

    #[test]
    fn a_block_that_stops_before_those_around_it_leaves_something_out() {
        let of = |block: u64, rounds: u64| {
            let ranges: Vec<_> =
                (0..rounds).map(|round| (100 * round + 8 * block, 100 * round + 8 * block + 8)).collect();
            Striped::of(block, &ranges, 4000).expect("stripes")
        };
        let early = |blocks: &[Striped]| left_by(&blocks[0], blocks).map(|missed| missed.byte);
        assert_eq!(early(&[of(3, 39), of(1, 40), of(7, 40)]), Some(3924));
        assert_eq!(early(&[of(3, 39), of(1, 40)]), None, "from there on nobody goes on");
        assert_eq!(early(&[of(3, 39), of(1, 40), of(7, 39)]), None);
        assert_eq!(early(&[of(3, 40), of(1, 40), of(7, 40)]), None);
        assert_eq!(early(&[of(3, 20), of(1, 40), of(7, 40)]), Some(2024), "however early");
    }
}
