//! Which blocks of a grid are run, and in which order.

use plan::stream::Stream;
use std::collections::BTreeSet;

/// Blocks of a launch that are run: the first, the last, and drawn ones.
const BLOCKS: u64 = 6;

/// The blocks of a grid that are run, ascending.
pub fn chosen(seed: u64, launch: u64, blocks: u64) -> BTreeSet<u64> {
    let stream = Stream::new(seed, "blocks");
    let drawn = |at: u64| stream.integer(launch << 8 | at, 0, blocks as i64 - 1) as u64;
    [0, blocks - 1].into_iter().chain((2..BLOCKS).map(drawn)).collect()
}

/// Some blocks of a grid for a purpose, any of them.
pub fn drawn(seed: u64, purpose: &str, count: u64, blocks: u64) -> impl Iterator<Item = u64> + use<> {
    let stream = Stream::new(seed, purpose);
    (0..count).map(move |at| stream.integer(at, 0, blocks as i64 - 1) as u64)
}

/// In the order in which they are run: if there is time for one only, that is none at an end; the ends come next.
pub fn drawn_first(chosen: &BTreeSet<u64>, blocks: u64) -> Vec<u64> {
    let (ends, drawn) = ends_and_drawn(chosen, blocks);
    let (first, others) = drawn.split_at(drawn.len().min(1));
    [first, &ends, others].concat()
}

/// The last one, the first one, and those that are drawn.
pub fn ends_first(chosen: &BTreeSet<u64>, blocks: u64) -> Vec<u64> {
    let (ends, drawn) = ends_and_drawn(chosen, blocks);
    [ends, drawn].concat()
}

/// The first and the last one, and the others, each descending.
fn ends_and_drawn(chosen: &BTreeSet<u64>, blocks: u64) -> (Vec<u64>, Vec<u64>) {
    chosen.iter().rev().partition(|block| **block == 0 || **block == blocks - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_block_comes_first_and_the_ends_then() {
        assert_eq!(drawn_first(&BTreeSet::from([0, 7, 5, 9]), 10), [7, 9, 0, 5]);
        assert_eq!(drawn_first(&BTreeSet::from([0, 1]), 2), [1, 0]);
        assert_eq!(drawn_first(&BTreeSet::from([0]), 1), [0]);
        assert_eq!(ends_first(&BTreeSet::from([0, 7, 5, 9]), 10), [9, 0, 7, 5]);
    }

    #[test]
    fn blocks_are_drawn_by_seed_with_both_ends() {
        for blocks in [1, 2, 5, 1000, 1 << 31] {
            let drawn = chosen(3, 0, blocks);
            assert!(drawn.contains(&0) && drawn.contains(&(blocks - 1)) && drawn.iter().all(|block| *block < blocks));
            assert_eq!(drawn, chosen(3, 0, blocks));
        }
        assert_ne!(chosen(3, 0, 1000), chosen(4, 0, 1000));
        assert_ne!(chosen(3, 0, 1000), chosen(3, 1, 1000));
    }
}
