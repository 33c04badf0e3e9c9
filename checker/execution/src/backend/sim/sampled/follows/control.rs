//! Is what an element of a large size changes odd, or is it so at the same place of what blocks of the small size read?

use super::Launch;
use super::effects::Effect;
use super::trial::Place;
use super::trials::{Looked, Trials};
use crate::backend::sim::sampled::compare::nth;
use std::collections::BTreeSet;

/// Blocks of the small size that are asked.
const BLOCKS: usize = 4;

/// Where an element is in what a block reads of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InPart {
    /// So many elements before it, and behind it.
    before: u64,
    behind: u64,
    /// The same in its range: what the block reads without a gap.
    from: u64,
    to: u64,
}

/// The version at the small size, and blocks of it.
pub(super) struct Small<'a, 'p> {
    pub trials: &'a mut Trials<'p>,
    pub blocks: &'a [u64],
}

impl Small<'_, '_> {
    /// Does an element that is at such a place, to become the same number, change something of that kind? `None`: that cannot be told.
    pub fn shows(
        &mut self,
        launch: Launch<'_>,
        (place, end): (Place, usize),
        part: InPart,
        does: impl Fn(&Effect) -> bool,
    ) -> Option<bool> {
        for &block in self.blocks.iter().take(BLOCKS) {
            let looked = self.trials.block(launch, block, [end == 0, end == 1])?;
            for element in alike(&self.trials.ranges(&looked, place.buffer), part) {
                let effect = self.trials.effect(&looked, Place { element, ..place }, end)?;
                if effect.as_ref().is_none_or(&does) {
                    return Some(true);
                }
            }
        }
        Some(false)
    }
}

impl Trials<'_> {
    /// Where an element is in what a block reads.
    pub(super) fn in_part(&self, looked: &Looked<'_>, place: Place) -> InPart {
        let ranges = self.ranges(looked, place.buffer);
        let (mut before, mut all, mut own) = (0, 0, (0, 0));
        for &(from, to) in &ranges {
            if (from..to).contains(&place.element) {
                before = all + place.element - from;
                own = (place.element - from, to - 1 - place.element);
            }
            all += to - from;
        }
        InPart { before, behind: all.saturating_sub(before + 1), from: own.0, to: own.1 }
    }
}

/// Elements of some ranges that are where one is in others, seen from the ends of all, or of the first range or the last one.
fn alike(ranges: &[(u64, u64)], part: InPart) -> BTreeSet<u64> {
    let all: u64 = ranges.iter().map(|(from, to)| to - from).sum();
    let ends = [Some(part.before), all.checked_sub(part.behind + 1)].into_iter().flatten();
    let ends = ends.filter(|rank| *rank < all).map(|rank| nth(ranges, rank));
    let edges = ranges.first().into_iter().chain(ranges.last()).flat_map(|&(from, to)| {
        [Some(from + part.from), to.checked_sub(part.to + 1)]
            .into_iter()
            .flatten()
            .filter(move |at| (from..to).contains(at))
    });
    ends.chain(edges).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_alike_from_either_end() {
        let part = InPart { before: 10, behind: 1, from: 2, to: 1 };
        assert_eq!(
            alike(&[(100, 104), (200, 204)], part),
            BTreeSet::from([102, 202]),
            "the last but one, and the third of each"
        );
        let first = InPart { before: 0, behind: 999, from: 0, to: 9 };
        assert_eq!(alike(&[(5, 8)], first), BTreeSet::from([5]));
    }
}
