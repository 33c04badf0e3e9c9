//! What blocks of a few launches did, in parts of the inputs and outputs.

use super::ends::Stretch;
use crate::backend::message::status::Status;

/// Stretches of an output beyond which nobody asks where they lie.
const SCATTERED: usize = 64;

/// What parts of buffers may be off by, far below an element of a large one.
const ROUNDING: f64 = 1e-12;

/// Of some buffers: how many bytes each has, and which of them were touched, from and to.
pub type Ranges = Vec<(u64, Vec<(u64, u64)>)>;

/// What the blocks of the launches that say something did.
pub struct Seen {
    /// Such launches, from the first on.
    pub launches: usize,
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
    /// How many blocks of each launch that is, but for the first and the last one.
    pub drawn: Vec<usize>,
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
    /// The first and the last block are among them.
    pub ends: bool,
}

impl Share {
    /// Of a launch: what its first or last block did, what the others did, several more together; how many blocks
    /// there are, and bytes of the buffers.
    pub fn of_launch(ends: &[f64], drawn: &[f64], several: (f64, u64), blocks: f64, bytes: f64) -> Self {
        let scale = blocks / bytes;
        let most = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
        // Of a few blocks all are drawn.
        let these = if drawn.is_empty() { ends } else { drawn };
        let most_of_all = most(ends).max(most(drawn));
        let run = ends.len() as f64 + drawn.len() as f64 + several.1 as f64;
        let sum = ends.iter().sum::<f64>() + drawn.iter().sum::<f64>() + several.0;
        Self {
            drawn: most(these) * scale,
            most: most_of_all * scale,
            mean: sum / run.max(1.0) * scale,
            even: drawn.iter().all(|bytes| *bytes == drawn[0]),
            lacking: (run * most_of_all - sum) / bytes,
            block: most_of_all / bytes,
            ends: ends.len() as f64 >= blocks.min(2.0),
        }
    }

    /// Has each block a part of its own, and no more? Data say which parts others read, and how much of all.
    pub fn is_shared_out(&self) -> bool {
        self.even && self.most <= 1.0 + 2.0 * self.block
    }

    /// Of a launch that alone comes to the buffers: can its blocks have come to all, if none did more than the busiest that was run?
    /// Where all blocks together lack more of that than there is too much of it, they cannot.
    pub fn may_be_all(&self, but: f64) -> bool {
        self.lacking <= self.most - 1.0 + but * self.block + ROUNDING
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
        // Grids that are too large have blocks without anything.
        assert!(may(&[1024.0, 0.0], &[1024.0, 0.0, 1024.0, 0.0], (0.0, 0), 1500.0, 1_024_000.0));
        // Some go round once more than others.
        assert!(may(&[2048.0, 1024.0], &all, (0.0, 0), 700.0, 1_024_000.0));
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
