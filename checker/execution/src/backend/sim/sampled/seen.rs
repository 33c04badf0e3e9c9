//! What blocks of a few launches did, in parts of the inputs and outputs.

use super::ends::Stretch;
use super::stripes::Striped;
use crate::backend::message::status::Status;

/// Stretches of an output beyond which nobody asks where they lie.
const SCATTERED: usize = 64;

/// What blocks come to in all that have little in common, but for those that go round a loop once more, in parts of the buffers.
const COMMON: f64 = 1.05;

/// What parts of buffers may be off by, far below an element of a large one.
const ROUNDING: f64 = 1e-12;

/// Of some buffers: how many bytes each has, and which of them were touched, from and to.
pub type Ranges = Vec<(u64, Vec<(u64, u64)>)>;

/// What the blocks of the launches that say something did.
#[derive(Default)]
pub struct Seen {
    /// Such launches, from the first on.
    pub launches: usize,
    /// So many of them ran whole, from the first on.
    pub whole: usize,
    /// What they read of the inputs, launch by launch.
    pub read: Vec<Share>,
    /// What they wrote of the outputs.
    pub written: Vec<Share>,
    /// How a block faulted.
    pub fault: Option<Status>,
    /// Where the blocks of the last launch read the inputs, and where they write the outputs.
    pub places: [Places; 2],
    /// Where the blocks of each launch read each input, and where they write each output.
    pub stretches: [Vec<Vec<Vec<Stretch>>>; 2],
    /// Which of them come to an input, or to an output, in parts that lie as far from each other, launch by launch and buffer by buffer.
    pub striped: [Vec<Vec<Vec<Striped>>>; 2],
    /// How many blocks of each launch that is, but for the first and the last one.
    pub drawn: Vec<usize>,
    /// How much each of them did, launch by launch.
    pub did: Vec<Vec<Did>>,
}

/// Bytes of each input that were read, and of each output that were written.
pub type Touches = [Vec<f64>; 2];

/// How much a block did.
#[derive(Debug, Clone)]
pub struct Did {
    /// Its number.
    pub block: u64,
    /// What it read and none before it, and what it wrote.
    pub bytes: Touches,
}

impl Did {
    /// By what had been touched before it and what had after it.
    pub fn between(block: u64, before: &Touches, after: &Touches) -> Self {
        let new = |kind: usize| after[kind].iter().zip(&before[kind]).map(|(after, before)| after - before).collect();
        Self { block, bytes: [new(0), new(1)] }
    }

    /// Bytes of all inputs, or of all outputs.
    pub fn all(&self, reads: bool) -> f64 {
        self.bytes[usize::from(!reads)].iter().sum()
    }

    /// The same of some of them.
    pub fn of(&self, reads: bool, some: &[bool]) -> f64 {
        let bytes = self.bytes[usize::from(!reads)].iter().zip(some);
        bytes.filter(|(_, is_one)| **is_one).map(|(bytes, _)| bytes).sum()
    }
}

/// A block (of some) that did less than one before it and one behind it of others, and these two. Loops that blocks share out end
/// for the first ones a round later, and for none in between earlier.
pub fn valley(some: &[Did], others: &[Did], bytes: impl Fn(&Did) -> f64) -> Option<[u64; 3]> {
    some.iter().find_map(|one| {
        let most = |before: bool| {
            let side = others.iter().filter(|other| other.block != one.block && (other.block < one.block) == before);
            side.max_by(|a, b| bytes(a).total_cmp(&bytes(b))).filter(|most| bytes(one) < bytes(most))
        };
        Some([one.block, most(true)?.block, most(false)?.block])
    })
}

/// Where the blocks of a launch touch buffers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Places {
    /// Does every block do so where its number lies among the blocks, and nowhere else?
    pub in_place: bool,
    /// The blocks are numbered along one axis.
    pub flat: bool,
    /// The part of the buffers up to which they come.
    pub reach: f64,
    /// The bytes that the busiest of them touches.
    pub block: f64,
    /// Blocks that come to something.
    pub blocks: usize,
}

impl Places {
    /// A block, the first or any other, touched so much from here to there, both parts of the buffers.
    pub fn add(&mut self, block: u64, blocks: u64, (from, to): (f64, f64)) {
        let (first, last) = (block as f64 / blocks as f64, (block + 1) as f64 / blocks as f64);
        // A tail that is no whole block shifts what lies before it by less than a block.
        let near = 1.0 / blocks as f64 + 1e-9;
        self.in_place &= from > first - near && to < last + near;
        self.reach = self.reach.max(to);
        self.blocks += 1;
    }
}

/// Which part of buffers the blocks of a grid, or of several, come to, estimated from those that were run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Share {
    /// If each did as much as the busiest of those that were drawn.
    pub drawn: f64,
    /// If each did as much as the busiest of all that were run.
    pub most: f64,
    /// As much as they did on average.
    pub mean: f64,
    /// All that were drawn did as much as each other.
    pub even: bool,
    /// What those that were run lack of as much as the busiest of them did, ...
    pub lacking: f64,
    /// ... and what a block is that does as much.
    pub block: f64,
    /// The first and the last block are among those that were run, ...
    pub ends: bool,
    /// ... which are so many.
    pub run: f64,
}

impl Share {
    /// Of a launch: what its first or last block did, what the others did, several more together; how many blocks
    /// there are, and bytes of the buffers.
    pub fn of_launch(ends: &[f64], drawn: &[f64], several: (f64, u64), blocks: f64, bytes: f64) -> Self {
        let scale = blocks / bytes;
        let most = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
        // Of a few blocks all are drawn.
        let these = if drawn.is_empty() { ends } else { drawn };
        // One is like itself.
        let alike = if drawn.len() > 1 { drawn.to_vec() } else { [ends, drawn].concat() };
        let most_of_all = most(ends).max(most(drawn));
        let run = ends.len() as f64 + drawn.len() as f64 + several.1 as f64;
        let sum = ends.iter().sum::<f64>() + drawn.iter().sum::<f64>() + several.0;
        Self {
            drawn: most(these) * scale,
            most: most_of_all * scale,
            mean: sum / run.max(1.0) * scale,
            even: alike.iter().all(|bytes| bytes == &alike[0]),
            lacking: (run * most_of_all - sum) / bytes,
            block: most_of_all / bytes,
            ends: ends.len() as f64 >= blocks.min(2.0),
            run,
        }
    }

    /// Has each block a part of its own, and no more? Data say which parts others read, and how much of all.
    pub fn is_shared_out(&self) -> bool {
        self.even && self.most <= 1.0 + 2.0 * self.block
    }

    /// Have blocks little in common?
    pub fn is_own(&self) -> bool {
        self.drawn <= COMMON + 2.0 * self.block
    }

    /// Of a launch that alone comes to the buffers: can its blocks have come to all, if none did more than the busiest that was run?
    /// Where all blocks together lack more of that than there is too much of it, they cannot.
    pub fn may_be_all(&self, but: f64) -> bool {
        self.lacking <= self.most - 1.0 + but * self.block + ROUNDING
    }

    /// With more blocks that were run, by what they did of so many bytes.
    pub fn with(self, blocks: impl Iterator<Item = f64> + Clone, bytes: f64) -> Self {
        let busiest = blocks.clone().fold(self.block * bytes, f64::max) / bytes;
        let more: f64 = blocks.map(|block| busiest - block / bytes).sum();
        let most = if self.block > 0.0 { self.most * busiest / self.block } else { self.most };
        Self { block: busiest, most, lacking: self.lacking + self.run * (busiest - self.block) + more, ..self }
    }

    /// Of all launches; what one lacks says nothing of all.
    pub fn of_all(launches: &[Self]) -> Self {
        let none = Self { even: true, ..Self::default() };
        launches.iter().fold(none, |all, one| Self {
            drawn: all.drawn + one.drawn,
            most: all.most + one.most,
            mean: all.mean + one.mean,
            even: all.even && one.even,
            ..all
        })
    }
}

/// Is a byte in ranges, which ascend and of which no two touch?
pub fn holds(ranges: &[(u64, u64)], byte: u64) -> bool {
    let at = ranges.partition_point(|(_, to)| *to <= byte);
    ranges.get(at).is_some_and(|(from, _)| *from <= byte)
}

/// From where to where something came to be touched of a buffer, in bytes: what was touched before, and what is now. Scattered
/// places have no beginning and no end.
pub fn stretch(known: &[(u64, u64)], now: &[(u64, u64)]) -> Option<(u64, u64)> {
    if now.len() > SCATTERED {
        return None;
    }
    let is_known = |byte: u64| known.iter().any(|(from, to)| (*from..*to).contains(&byte));
    // What was touched before ends where something new begins.
    let begins = now.iter().map(|(from, _)| *from).chain(known.iter().map(|(_, to)| *to));
    let inside = |byte: &u64| now.iter().any(|(from, to)| (*from..*to).contains(byte)) && !is_known(*byte);
    let ends = now.iter().map(|(_, to)| *to).chain(known.iter().map(|(from, _)| *from));
    let last = ends.filter(|end| end.checked_sub(1).is_some_and(|byte| inside(&byte))).max();
    Some((begins.filter(inside).min()?, last?))
}

/// What is in ranges and was not in others before, both ascending, of which no two touch.
pub fn added(before: &[(u64, u64)], now: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut known = before.iter().copied().peekable();
    let mut new = Vec::new();
    for &(mut from, to) in now {
        while let Some(&(first, end)) = known.peek().filter(|(first, _)| *first < to) {
            if from < first {
                new.push((from, first));
            }
            from = from.max(end);
            // What reaches beyond is known of the next one, too.
            if end > to {
                break;
            }
            known.next();
        }
        if from < to {
            new.push((from, to));
        }
    }
    new
}

/// What is in either, both ascending, of which no two touch, and so again.
pub fn joined(some: &[(u64, u64)], others: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let new = added(some, others);
    if new.is_empty() {
        return some.to_vec();
    }
    let mut all = [some, &new].concat();
    all.sort_unstable();
    all.dedup_by(|next, before| {
        let touch = next.0 <= before.1;
        before.1 = if touch { before.1.max(next.1) } else { before.1 };
        touch
    });
    all
}

/// The same of several buffers as parts of them (bytes, what was touched of them); the widest of all.
pub fn span(before: &[(u64, Vec<(u64, u64)>)], after: &[(u64, Vec<(u64, u64)>)]) -> Option<(f64, f64)> {
    let mut widest: Option<(f64, f64)> = None;
    for ((bytes, known), (_, now)) in before.iter().zip(after) {
        if now.len() > SCATTERED {
            return Some((0.0, 1.0));
        }
        let Some((from, to)) = stretch(known, now) else { continue };
        let (from, to) = (from as f64 / *bytes as f64, to as f64 / *bytes as f64);
        widest = Some(widest.map_or((from, to), |(low, high)| (low.min(from), high.max(to))));
    }
    widest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cannot_have_come_to_all_if_they_lack_more_than_is_too_much() {
        let may = |ends: &[f64], drawn: &[f64], several: (f64, u64), blocks: f64, bytes: f64| {
            Share::of_launch(ends, drawn, several, blocks, bytes).may_be_all(0.0)
        };
        let all = [1024.0; 4];
        assert!(may(&[1024.0, 512.0], &all, (0.0, 0), 1000.0, 1_023_488.0), "the last has what is left");
        assert!(!may(&[1024.0, 512.0], &all, (0.0, 0), 1000.0, 1_024_000.0));
        assert!(!may(&[1020.0; 2], &[1020.0; 4], (0.0, 0), 1000.0, 1_024_000.0), "each leaves a thread out");
        assert!(!may(&[1024.0; 2], &all, (23.0 * 1024.0, 24), 1000.0, 1_024_000.0), "one of several does nothing");
        // Those that were run later count like the others.
        let some = Share::of_launch(&[1024.0; 2], &all, (0.0, 0), 1000.0, 1_024_000.0);
        let with = |more: &[f64], bytes: f64| some.with(more.iter().copied(), bytes).may_be_all(0.0);
        assert!(with(&[1024.0; 3], 1_024_000.0) && !with(&[1024.0, 1020.0], 1_024_000.0));
        assert!(with(&[1536.0, 1024.0], 1_024_000.0), "the busiest is among them");
        // Grids that are too large have blocks without anything.
        assert!(may(&[1024.0, 0.0], &[1024.0, 0.0, 1024.0, 0.0], (0.0, 0), 1500.0, 1_024_000.0));
        // Some go round once more than others.
        assert!(may(&[2048.0, 1024.0], &all, (0.0, 0), 700.0, 1_024_000.0));
    }

    #[test]
    fn a_block_that_does_less_than_those_around_it_stands_out() {
        let did = |all: &[(u64, f64)]| -> Vec<Did> {
            all.iter().map(|&(block, bytes)| Did { block, bytes: [vec![bytes], Vec::new()] }).collect()
        };
        let others = did(&[(0, 512.0), (40, 512.0), (70, 448.0), (99, 448.0)]);
        let found = |bytes: f64, block: u64| valley(&did(&[(block, bytes)]), &others, |did| did.all(true));
        assert_eq!(found(384.0, 17), Some([17, 0, 40]));
        assert_eq!(found(384.0, 80).map(|[block, _, behind]| [block, behind]), Some([80, 99]));
        assert_eq!(found(448.0, 80), None, "as those behind it");
        assert_eq!(found(460.0, 55), None, "the last round ends in it");
        assert_eq!(found(0.0, 100), None, "nobody is behind it");
    }

    #[test]
    fn what_is_new_is_told_range_by_range() {
        assert_eq!(
            [2, 3, 4, 5, 9, 10].map(|byte| holds(&[(3, 5), (9, 10)], byte)),
            [false, true, true, false, true, false]
        );
        assert_eq!(added(&[], &[(3, 5)]), [(3, 5)]);
        assert_eq!(added(&[(0, 10)], &[(1, 3), (5, 7)]), []);
        assert_eq!(added(&[(2, 6)], &[(1, 3), (5, 7), (8, 9)]), [(1, 2), (6, 7), (8, 9)]);
        assert_eq!(added(&[(3, 5), (9, 10)], &[(3, 5), (9, 10)]), []);
        assert_eq!(added(&[(3, 5), (9, 10)], &[(2, 7), (9, 12), (20, 21)]), [(2, 3), (5, 7), (10, 12), (20, 21)]);
    }

    #[test]
    fn what_either_has_is_joined() {
        assert_eq!(joined(&[], &[(3, 5)]), [(3, 5)]);
        assert_eq!(joined(&[(0, 10)], &[(1, 3), (5, 7)]), [(0, 10)]);
        assert_eq!(joined(&[(3, 5), (9, 10)], &[(1, 3), (5, 7), (12, 14)]), [(1, 7), (9, 10), (12, 14)]);
        assert_eq!(joined(&[(1, 3), (12, 14)], &[(3, 12), (20, 21)]), [(1, 14), (20, 21)]);
    }

    #[test]
    fn what_came_to_be_written_is_told_from_what_was() {
        let at = |ranges: &[(u64, u64)]| vec![(100, ranges.to_vec())];
        assert_eq!(span(&at(&[]), &at(&[(10, 20)])), Some((0.1, 0.2)));
        assert_eq!(span(&at(&[(10, 20)]), &at(&[(10, 30), (90, 100)])), Some((0.2, 1.0)));
        assert_eq!(span(&at(&[(20, 30)]), &at(&[(10, 30)])), Some((0.1, 0.2)));
        assert_eq!(span(&at(&[(10, 20)]), &at(&[(10, 20)])), None);
    }
}
