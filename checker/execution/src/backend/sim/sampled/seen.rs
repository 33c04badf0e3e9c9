//! What blocks of a few launches did, in parts of the inputs and outputs.

use super::ends::Stretch;
use crate::backend::message::status::Status;

/// Stretches of an output beyond which nobody asks where they lie.
const SCATTERED: usize = 64;

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
#[derive(Debug, Clone, Copy)]
pub struct Share {
    /// If each did as much as the busiest of those that were drawn.
    pub drawn: f64,
    /// If each did as much as the busiest of all that were run.
    pub most: f64,
    /// As much as they did on average.
    pub mean: f64,
    /// All that were drawn did as much as each other.
    pub even: bool,
    /// So many blocks tell what they do on average.
    pub blocks: u64,
}

impl Share {
    /// Of a launch: what its first or last block did, what the others did, several more together, and how many blocks there are
    /// to a byte of the buffers.
    pub fn of_launch(ends: &[f64], drawn: &[f64], several: (f64, u64), scale: f64) -> Self {
        let most = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
        // Of a few blocks all are drawn.
        let these = if drawn.is_empty() { ends } else { drawn };
        let blocks = these.len() as u64 + several.1;
        Self {
            drawn: most(these) * scale,
            most: most(ends).max(most(drawn)) * scale,
            mean: (these.iter().sum::<f64>() + several.0) / blocks.max(1) as f64 * scale,
            even: drawn.iter().all(|bytes| *bytes == drawn[0]),
            blocks,
        }
    }

    /// Of all launches.
    pub fn of_all(launches: &[Self]) -> Self {
        let none = Self { drawn: 0.0, most: 0.0, mean: 0.0, even: true, blocks: u64::MAX };
        launches.iter().fold(none, |all, one| Self {
            drawn: all.drawn + one.drawn,
            most: all.most + one.most,
            mean: all.mean + one.mean,
            even: all.even && one.even,
            blocks: all.blocks.min(one.blocks),
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
    fn what_came_to_be_written_is_told_from_what_was() {
        let at = |ranges: &[(u64, u64)]| vec![(100, ranges.to_vec())];
        assert_eq!(span(&at(&[]), &at(&[(10, 20)])), Some((0.1, 0.2)));
        assert_eq!(span(&at(&[(10, 20)]), &at(&[(10, 30), (90, 100)])), Some((0.2, 1.0)));
        assert_eq!(span(&at(&[(20, 30)]), &at(&[(10, 30)])), Some((0.1, 0.2)));
        assert_eq!(span(&at(&[(10, 20)]), &at(&[(10, 20)])), None);
    }
}
