//! The ends of a buffer: who comes to its first and last bytes, if blocks lie along it in the order of their numbers.
//!
//! Blocks in the middle tell how far apart two neighbours are. With that it is known which block should come to an end, or that the
//! grid stops short of it.

/// Bytes of a buffer that a block came to and none before it: the block's number, from, to.
pub type Stretch = (u64, u64, u64);

/// Blocks besides those that the line goes through, which have to lie on it, too.
const WITNESSES: usize = 2;
/// How far beside it they may lie, in bytes: for what is rounded on the way.
const BESIDE: f64 = 0.5;

/// An end of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    First,
    Last,
}

/// Who should come to an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// This block.
    Block(u64),
    /// None of the grid: there are too few, and from this byte on nobody comes.
    Nobody(u64),
}

/// Where blocks come to, by where they are in the grid: `start` for the first, and so much more for each further one in x and in y.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Line {
    start: f64,
    steps: [f64; 2],
}

impl Line {
    fn at(self, [x, y]: [f64; 2]) -> f64 {
        self.start + self.steps[0] * x + self.steps[1] * y
    }

    /// The line through the points, if they are on one. Points: where in the grid, and the byte.
    fn through(points: &[([f64; 2], f64)], flat: bool) -> Option<Self> {
        let ((origin, first), others) = points.split_first()?;
        let away = |at: &[f64; 2]| [at[0] - origin[0], at[1] - origin[1]];
        let one = others.iter().find(|(at, _)| away(at)[0] != 0.0 || away(at)[1] != 0.0)?;
        let ([x, y], up) = (away(&one.0), one.1 - first);
        let steps = if flat {
            [up / x, 0.0]
        } else {
            let cross = |at: &[f64; 2]| x * away(at)[1] - y * away(at)[0];
            let two = others.iter().find(|(at, _)| cross(at) != 0.0)?;
            let ([u, v], further) = (away(&two.0), two.1 - first);
            let whole = x * v - y * u;
            [(up * v - further * y) / whole, (further * x - up * u) / whole]
        };
        let line = Self { start: first - steps[0] * origin[0] - steps[1] * origin[1], steps };
        let on_it = |(at, byte): &([f64; 2], f64)| (line.at(*at) - byte).abs() <= BESIDE;
        let needed = if flat { 2 } else { 3 } + WITNESSES;
        (points.len() >= needed && points.iter().all(on_it)).then_some(line)
    }
}

/// The bytes of each block, of blocks that share a buffer out among themselves, the same to each, in the order of their numbers.
pub fn share<'a>(stretches: impl Iterator<Item = &'a Stretch>) -> Option<u64> {
    let mut share = None;
    for (block, from, to) in stretches.filter(|(block, ..)| *block > 0) {
        let own = to - from;
        if *from != block * own || share.is_some_and(|share| share != own) {
            return None;
        }
        share = Some(own);
    }
    share
}

/// Do blocks begin along a buffer in the order of their numbers, each as far from the one before it as any other?
pub fn in_a_row(stretches: &[Stretch]) -> bool {
    let [(one, start, _), (other, next, _), witnesses @ ..] = stretches else { return false };
    let step = (*next as f64 - *start as f64) / (*other as f64 - *one as f64);
    let on_it = |(block, from, _): &Stretch| {
        (*start as f64 + step * (*block as f64 - *one as f64) - *from as f64).abs() <= BESIDE
    };
    step > 0.0 && !witnesses.is_empty() && witnesses.iter().all(on_it)
}

/// Who should come to an end of a buffer of so many bytes; `None`: blocks do not tell.
pub fn due(grid: [u32; 3], stretches: &[Stretch], bytes: u64, end: End) -> Option<Due> {
    let [width, height, depth] = grid.map(u64::from);
    if depth > 1 {
        return None;
    }
    let blocks = width * height;
    // In a grid of two extents blocks may be numbered through, too, which those of one row do not tell.
    let one_axis = width == 1 || height == 1;
    let row = |(block, ..): &Stretch| block / width;
    let rows = stretches.windows(2).any(|pair| row(&pair[0]) != row(&pair[1]));
    let in_a_row =
        (one_axis || rows).then(|| along(blocks, |block| [block as f64, 0.0], true, stretches, bytes, end)).flatten();
    if in_a_row.is_some() || one_axis {
        return in_a_row;
    }
    along(blocks, |block| [(block % width) as f64, (block / width) as f64], false, stretches, bytes, end)
}

/// The same of blocks that have these places.
fn along(
    blocks: u64,
    place: impl Fn(u64) -> [f64; 2],
    flat: bool,
    stretches: &[Stretch],
    bytes: u64,
    end: End,
) -> Option<Due> {
    // The block at the end itself may have a part of one to do.
    let but = if end == End::First { 0 } else { blocks - 1 };
    let points: Vec<_> = stretches
        .iter()
        .filter(|(block, ..)| *block != but)
        .map(|&(block, from, to)| (place(block), if end == End::First { from } else { to } as f64))
        .collect();
    let middle = || stretches.iter().filter(|(block, ..)| *block != but);
    // Of such a row one block is enough.
    let row = |own: u64| Line { start: if end == End::First { 0.0 } else { own as f64 }, steps: [own as f64, 0.0] };
    // The first one goes round a loop if any does.
    let alone = |own: &u64| middle().all(|(_, from, to)| to - from == *own);
    let line = Line::through(&points, flat).or_else(|| share(middle().filter(|_| flat)).filter(alone).map(row))?;
    if line.steps[0] <= 0.0 || (!flat && line.steps[1] <= 0.0) {
        return None;
    }
    let furthest = line.at(place(blocks - 1));
    match end {
        End::Last if furthest + BESIDE < bytes as f64 => Some(Due::Nobody(furthest.round() as u64)),
        // Blocks that go round a loop lie along every part of the buffer that they go through.
        End::Last if flat => Some(Due::Block(((bytes as f64 - BESIDE - line.start) / line.steps[0]).ceil() as u64)),
        // Where the grid is wider or higher than it has to be, the last block has nothing to do.
        End::Last if furthest - bytes as f64 <= line.steps[0].min(line.steps[1]) => Some(Due::Block(blocks - 1)),
        End::First if line.start.abs() <= BESIDE => Some(Due::Block(0)),
        _ => None,
    }
}

/// Is the end among what was touched?
pub fn is_touched(touched: &[(u64, u64)], bytes: u64, end: End) -> bool {
    match end {
        End::First => touched.first().is_some_and(|(from, _)| *from == 0),
        End::Last => touched.last().is_some_and(|(_, to)| *to == bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of 256 elements of 4 bytes, one behind the other.
    fn row(blocks: &[u64]) -> Vec<Stretch> {
        blocks.iter().map(|&block| (block, 1024 * block, 1024 * (block + 1))).collect()
    }

    #[test]
    fn blocks_in_a_row_tell_who_is_last() {
        let some = row(&[5, 70, 31, 0, 99]);
        let last = |bytes| due([100, 1, 1], &some, bytes, End::Last);
        assert_eq!(last(102400), Some(Due::Block(99)));
        assert_eq!(last(102396), Some(Due::Block(99)), "of the last block a part");
        assert_eq!(last(101376), Some(Due::Block(98)), "one more than is needed");
        assert_eq!(last(102404), Some(Due::Nobody(102_400)));
        assert_eq!(due([100, 1, 1], &some, 102400, End::First), Some(Due::Block(0)));
    }

    #[test]
    fn blocks_in_a_row_begin_one_after_the_other() {
        assert!(in_a_row(&row(&[5, 0, 99])) && !in_a_row(&row(&[5, 0])), "two are always on a line");
        // Tiles of 64 columns and 32 rows of a picture of 1000 columns, numbered down its columns.
        let tile = |at: u64| (at, 4 * (at % 20 * 32 * 1000 + at / 20 * 64), 0);
        assert!(!in_a_row(&[tile(3), tile(77), tile(210)]));
        assert!(!in_a_row(&[(0, 500, 0), (1, 400, 0), (2, 300, 0)]), "backwards");
    }

    #[test]
    fn few_blocks_and_those_beside_a_line_tell_nothing() {
        let shifted = |blocks: &[u64]| row(blocks).iter().map(|(block, from, to)| (*block, from + 4, to + 4)).collect();
        let three: Vec<Stretch> = shifted(&[5, 70, 31]);
        assert_eq!(due([100, 1, 1], &three, 102400, End::Last), None);
        assert_eq!(due([100, 1, 1], &row(&[0]), 102400, End::Last), None, "it may be alone");
        let mut beside = row(&[5, 70, 31, 40, 0]);
        beside[2].2 -= 4;
        assert_eq!(due([100, 1, 1], &beside, 102400, End::Last), None);
        let backwards: Vec<Stretch> =
            row(&[5, 70, 31, 40]).iter().map(|&(block, from, to)| (99 - block, from, to)).collect();
        assert_eq!(due([100, 1, 1], &backwards, 102400, End::Last), None);
    }

    #[test]
    fn one_block_tells_of_those_that_share_evenly() {
        assert_eq!(due([100, 1, 1], &row(&[70]), 102400, End::Last), Some(Due::Block(99)));
        assert_eq!(due([100, 1, 1], &row(&[70, 3]), 102404, End::Last), Some(Due::Nobody(102_400)));
        let again = [row(&[70, 3]), vec![(0, 0, 102_404)]].concat();
        assert_eq!(due([100, 1, 1], &again, 102404, End::Last), None, "the first one goes round again");
        assert_eq!(due([100, 1, 1], &[(70, 71680, 73728)], 102400, End::Last), None);
    }

    #[test]
    fn blocks_that_go_round_a_loop_end_where_they_come_to() {
        // 100 blocks, 250 blocks' worth of data: the first half goes round three times.
        let some: Vec<Stretch> = [5u64, 30, 41, 49, 0].map(|b| (b, 1024 * b, 1024 * (200 + b + 1))).to_vec();
        assert_eq!(due([100, 1, 1], &some, 250 * 1024, End::Last), Some(Due::Block(49)));
    }

    #[test]
    fn rows_of_blocks_that_are_numbered_through_are_a_row() {
        // 300 blocks' worth of data, of 4 rows of 90 blocks: the last row is not full.
        let some = row(&[5, 70, 131, 0, 299]);
        assert_eq!(due([90, 4, 1], &some, 300 * 1024, End::Last), Some(Due::Block(299)));
        assert_eq!(due([90, 3, 1], &some, 300 * 1024, End::Last), Some(Due::Nobody(270 * 1024)));
    }

    #[test]
    fn tiles_tell_who_is_in_the_last_corner() {
        // Tiles of 32 by 8 of a picture of 1000 by 500.
        let tile = |x: u64, y: u64| (y * 32 + x, (y * 8 * 1000 + x * 32) * 4, ((y * 8 + 7) * 1000 + x * 32 + 32) * 4);
        let some = [tile(3, 4), tile(20, 7), tile(9, 33), tile(0, 0), tile(14, 2)];
        let last = |grid| due(grid, &some, 1000 * 500 * 4, End::Last);
        assert_eq!(last([32, 62, 1]), Some(Due::Nobody(4 * (495 * 1000 + 1024))));
        assert_eq!(last([32, 63, 1]), None, "the last row of tiles may have nothing to do");
        let last = |height: u64| due([32, 63, 1], &some, 1000 * height * 4, End::Last);
        assert_eq!(last(504), Some(Due::Block(32 * 63 - 1)));
    }
}
