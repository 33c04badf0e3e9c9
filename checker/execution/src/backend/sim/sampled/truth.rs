//! Which of the oracle's blocks write what blocks of a version wrote.

use super::compare::find;
use super::opened::Opened;
use super::seen::holds;
use crate::backend::message::job::Output;
use plan::stream::Stream;
use std::collections::BTreeSet;

/// Elements of what a block wrote in a row that are held against the oracle's, where that block may be unlike others.
const PER_BLOCK: u64 = 32;

/// The oracle's blocks that write what the version's blocks wrote, from all over the grid, in case there are too many. They take turns
/// with those for what blocks wrote that may be unlike others. `None`: its blocks say nothing.
///
/// A block's part of the grid is its part of the work, and so of the output where that is one row of results; where blocks have tiles of
/// it, or a part of each of several rows, one of them tells how large these are.
pub fn oracle_blocks(
    (here, maker): (&Opened<'_>, usize),
    truth: &mut Opened<'_>,
    outputs: &[Output],
    seed: u64,
) -> Option<Vec<u64>> {
    let (launch, oracle) = (&truth.program.plan.launches[0], truth.program);
    let (blocks, own) = (launch.blocks(), here.program.plan.launches[maker].blocks());
    let at = |part: u64, whole: u64| place(part, whole, blocks);
    let grid = launch.grid.map(u64::from);
    if !matches!(truth.blocks(0, vec![middle(grid)]), Ok(true)) {
        return None;
    }
    let (mut unlike, mut by_output, mut numbered) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for output in outputs {
        let Some((index, buffer)) = find(here.program, &output.name) else { continue };
        let size = buffer.dtype.size() as u64;
        // Of elements: an oracle may hold them in double precision.
        let tiles = find(oracle, &output.name)
            .and_then(|(index, buffer)| Tiles::of(grid, &truth.touched(index).written, buffer.dtype.size() as u64));
        let block = |element: u64| tiles.map_or_else(|| at(element, buffer.len), |tiles| tiles.block(element));
        let ends = |(from, to): &(u64, u64)| [from / size, (to - 1) / size].map(block);
        // One thread of a block may be meant: what lies between the ends counts, too.
        let between = |(from, to): &(u64, u64)| {
            let (from, to) = (from / size, (to - 1) / size);
            let step = ((to - from) / PER_BLOCK).max(1);
            (from..to).step_by(step as usize).chain([to]).map(block).collect::<BTreeSet<u64>>()
        };
        unlike.extend(here.unlike_wrote[index].iter().flat_map(between));
        let written = here.touched(index).written;
        by_output.extend(written.iter().flat_map(ends));
        let is_written = |(element, _): &(u64, u64)| holds(&written, element * size);
        numbered
            .extend(here.meant(maker, buffer.len).into_iter().filter(is_written).map(|(element, _)| block(element)));
    }
    let by_number = |block: &u64| [at(*block, own), at(*block + 1, own).saturating_sub(1).max(at(*block, own))];
    let stream = Stream::new(seed, "oracle's blocks");
    let drawn = |mut blocks: Vec<u64>| {
        blocks.sort_by_cached_key(|block| stream.bits(*block));
        blocks
    };
    // Those by their number count twice: there are few, and they lead to the block for certain where oracle and version share work alike.
    let [first, last] = [0, 1].map(|end| here.unlike[maker].iter().map(move |block| by_number(block)[end]));
    let meant: Vec<u64> = first.chain(last).collect();
    let (even, odd) = (meant.iter().copied().step_by(2).collect(), meant.iter().copied().skip(1).step_by(2).collect());
    Some(in_turn(&[
        even,
        numbered.into_iter().collect(),
        odd,
        drawn(here.done[maker].iter().flat_map(by_number).collect()),
        all_over(&by_output.into_iter().collect::<Vec<_>>(), &stream),
        drawn(unlike.into_iter().collect()),
    ]))
}

/// The block, of so many, that does a part of so many parts. Where each does a whole number of parts, or several a part, but for what is
/// missing at the end, that is the number.
pub fn place(part: u64, parts: u64, blocks: u64) -> u64 {
    let (parts, blocks) = (parts.max(1), blocks.max(1));
    let (each, several) = ((blocks + parts / 2) / parts, (parts + blocks / 2) / blocks);
    let block = if each > 0 && (parts * each).abs_diff(blocks) < each {
        part.saturating_mul(each)
    } else if several > 0 && (blocks * several).abs_diff(parts) < several {
        part / several
    } else {
        (u128::from(part) * u128::from(blocks) / u128::from(parts)) as u64
    };
    block.min(blocks - 1)
}

/// Blocks in ascending order, the late ones and the early ones and those in between in turn: one of the last eighth, of the half, of the first
/// eighth and so on, drawn in each.
fn all_over(blocks: &[u64], stream: &Stream) -> Vec<u64> {
    const PARTS: [u64; 8] = [7, 4, 0, 6, 2, 5, 1, 3];
    let count = blocks.len() as u64;
    let part = |part: u64| {
        let of = &blocks[(count * part / 8) as usize..(count * (part + 1) / 8) as usize];
        let mut of = of.to_vec();
        of.sort_by_cached_key(|block| stream.bits(*block));
        of
    };
    in_turn(&PARTS.map(part))
}

/// Those of several lists in turn, none twice.
fn in_turn(lists: &[Vec<u64>]) -> Vec<u64> {
    let most = lists.iter().map(Vec::len).max().unwrap_or(0);
    let mut known = BTreeSet::new();
    let all = (0..most).flat_map(|rank| lists.iter().filter_map(move |list| list.get(rank)));
    all.copied().filter(|block| known.insert(*block)).collect()
}

/// A block in the middle of a grid of several extents.
fn middle([width, height, _]: [u64; 3]) -> u64 {
    height / 2 * width + width / 2
}

/// Tiles of a row-major matrix, one each block of a grid.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Tiles {
    /// Elements of a row of the matrix, ...
    pitch: u64,
    /// ... of a row of a tile, ...
    width: u64,
    /// ... and rows of a tile.
    height: u64,
    /// Of the grid.
    grid: [u64; 2],
}

impl Tiles {
    /// By what the block in the middle wrote, in bytes of elements of that size.
    fn of([columns, rows, layers]: [u64; 3], written: &[(u64, u64)], size: u64) -> Option<Self> {
        let [(from, to), (next, _), ..] = *written else { return None };
        let (pitch, width, height) = ((next - from) / size, (to - from) / size, written.len() as u64);
        let regular = written.windows(2).all(|rows| rows[1].0 - rows[0].0 == next - from);
        let even = written.iter().all(|row| row.1 - row.0 == to - from);
        let tiles = Self { pitch, width, height, grid: [columns, rows] };
        let first = from / size;
        let is_there = width > 0 && first % pitch == columns / 2 * width && first / pitch == rows / 2 * height;
        (layers == 1 && regular && even && is_there).then_some(tiles)
    }

    /// The block that an element falls to.
    fn block(self, element: u64) -> u64 {
        let Self { pitch, width, height, grid: [columns, rows] } = self;
        let (x, y) = (element % pitch / width, element / pitch / height);
        y.min(rows - 1) * columns + x.min(columns - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_done_by_the_block_of_its_number() {
        assert_eq!(place(20_008, 32_767, 65_533), 40_016, "two blocks a part, the last one alone");
        assert_eq!(place(40_017, 65_533, 32_767), 20_008);
        assert_eq!(place(32_767, 32_768, 32_768), 32_767);
        assert_eq!(place(500, 1000, 2718), 1359, "by proportion");
        assert_eq!(place(999_999, 1_000_000, 3), 2);
        assert_eq!(place(7, 8, 1), 0);
    }

    #[test]
    fn blocks_of_several_lists_take_turns_and_come_once() {
        assert_eq!(in_turn(&[vec![4, 1, 3, 2], vec![], vec![3, 8, 7]]), [4, 3, 1, 8, 7, 2]);
    }

    #[test]
    fn the_first_few_are_from_all_over() {
        let stream = Stream::new(1, "blocks");
        let blocks: Vec<u64> = (0..80).map(|at| 10 * at).collect();
        let order = all_over(&blocks, &stream);
        assert_eq!(order[..8].iter().map(|block| block / 100).collect::<Vec<_>>(), [7, 4, 0, 6, 2, 5, 1, 3]);
        assert_eq!(order.iter().copied().collect::<BTreeSet<_>>(), blocks.iter().copied().collect());
        assert_eq!(all_over(&[3, 9], &stream).len(), 2);
    }

    #[test]
    fn one_tile_tells_whose_every_element_is() {
        let grid = [10, 6, 1];
        assert_eq!(middle(grid), 35);
        // Tiles of 32 by 8 of rows of 300 elements of 4 bytes: the one in the middle begins at row 24, column 160.
        let row = |row: u64| (4 * (300 * row + 160), 4 * (300 * row + 192));
        let rows: Vec<_> = (24..32).map(row).collect();
        let tiles = Tiles::of(grid, &rows, 4).expect("tiles");
        assert_eq!([0, 299, 300 * 8 - 1, 300 * 8 + 31, 300 * 47].map(|at| tiles.block(at)), [0, 9, 9, 10, 50]);
        assert_eq!(Tiles::of(grid, &rows[1..], 4), None, "another row of tiles");
        assert_eq!(Tiles::of(grid, &rows[..1], 4), None, "nobody knows how long rows are");
        assert_eq!(Tiles::of([6, 10, 1], &rows, 4), None, "turned round");
    }
}
