//! Shadow memory: what each byte remembers of who accessed it.

use super::epoch::Epoch;

/// What a byte, an aligned word of four, or each word of a run remembers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// The last write.
    pub write: Epoch,
    /// Two others that are not ordered before `write`: reads, or atomics that `write` did not race with.
    pub others: [Epoch; 2],
}

impl Cell {
    /// Was the last write, by whomever, before a block barrier that `now` has passed, with nothing but reads since?
    #[inline(always)]
    pub fn read_only_since(&self, now: Epoch) -> bool {
        let write = self.write;
        let past = write.block() == now.block() && !write.is_copy() && write.phase() < now.phase();
        (write.is_none() || past) && self.others[0].is_load() && self.others[1].is_load()
    }

    /// Have two warps of this block read it in this phase, and nobody written?
    #[inline(always)]
    fn is_read_by_two(&self, now: Epoch) -> bool {
        let [a, b] = self.others;
        let here = |read: Epoch| read.block() == now.block() && read.phase() == now.phase();
        here(a) && here(b) && !a.same_warp(b) && self.read_only_since(now) && !now.is_cached()
    }

    /// Are these two others than `now`'s? Then one more plain load of a warp that has acquired nothing changes nothing here and
    /// races with nothing.
    #[inline(always)]
    pub fn is_settled(&self, now: Epoch) -> bool {
        let [a, b] = self.others;
        self.is_read_by_two(now) && !a.same_warp(now) && !b.same_warp(now)
    }

    /// Was nobody here who did not do the same as `now`, at the same scope?
    #[inline(always)]
    pub fn is_met_like(&self, now: Epoch) -> bool {
        self.write.is_like_or_none(now) & self.others[0].is_like_or_none(now) & self.others[1].is_like_or_none(now)
    }

    /// The cell of a word that belongs to the thread `lanes` behind this cell's.
    fn behind(self, lanes: u32) -> Self {
        Self { write: self.write.behind(lanes), others: self.others.map(|epoch| epoch.behind(lanes)) }
    }
}

/// Nobody was here.
pub const EMPTY: Cell = Cell { write: Epoch::NONE, others: [Epoch::NONE; 2] };
/// Bytes of a line.
pub const LINE: u64 = 128;
/// Lines made at once.
const CHUNK: usize = 64;
/// Marks an index as that of a byte's cell.
const BYTE: usize = 1 << (usize::BITS - 1);

/// The cells of a line's words, and which of them further loads leave as they are.
#[derive(Debug)]
pub struct Words {
    pub cells: [Cell; 32],
    /// Words that two warps have read, in the block and the phase below: for other warps than these they are settled.
    settled: u32,
    block: u32,
    phase: u32,
    /// A bit a warp.
    readers: u32,
}

impl Words {
    fn new(cells: [Cell; 32]) -> Box<Self> {
        Box::new(Self { cells, settled: 0, block: u32::MAX, phase: 0, readers: 0 })
    }

    /// A word's cell, which may be changed.
    #[inline(always)]
    pub fn cell(&mut self, word: usize) -> &mut Cell {
        self.settled &= !(1 << word);
        &mut self.cells[word]
    }

    /// Words that a load of `now`'s warp leaves as they are.
    #[inline(always)]
    pub fn settled(&self, now: Epoch) -> u32 {
        let here = self.block == now.block() && self.phase == now.phase() && !now.is_cached();
        if here && self.readers & 1 << now.warp() == 0 { self.settled } else { 0 }
    }

    /// After a load by `now`: if two warps have read the word, the others will know without looking at it.
    #[inline(always)]
    pub fn settle(&mut self, word: usize, now: Epoch) {
        if !self.cells[word].is_read_by_two(now) {
            return;
        }
        if (self.block, self.phase) != (now.block(), now.phase()) {
            (self.block, self.phase, self.settled, self.readers) = (now.block(), now.phase(), 0, 0);
        }
        self.settled |= 1 << word;
        self.readers |= self.cells[word].others.iter().fold(0, |warps, read| warps | 1 << read.warp());
    }
}

/// An aligned stretch of 128 bytes, as coarse as its accesses allow.
#[derive(Debug, Default)]
pub enum Line {
    /// Nobody was here.
    #[default]
    Empty,
    /// Whole warps accessed it, each lane 4, 8 or 16 bytes behind those of the lane before: the cell of the first word.
    /// Word `w` has the same with threads `w >> shift` further on.
    Run(Cell, u32),
    /// One cell a word.
    Words(Box<Words>),
    /// One cell a byte, after an access of less than a word.
    Bytes(Box<[Cell; 128]>),
}

impl Line {
    fn split(&mut self, bytes: bool) {
        *self = match (std::mem::take(self), bytes) {
            (Self::Empty, false) => Self::Words(Words::new([EMPTY; 32])),
            (Self::Run(cell, shift), false) => {
                Self::Words(Words::new(std::array::from_fn(|word| cell.behind(word as u32 >> shift))))
            }
            (Self::Empty, true) => Self::Bytes(Box::new([EMPTY; 128])),
            (Self::Run(cell, shift), true) => {
                Self::Bytes(Box::new(std::array::from_fn(|byte| cell.behind((byte as u32 / 4) >> shift))))
            }
            (Self::Words(words), true) => Self::Bytes(Box::new(std::array::from_fn(|byte| words.cells[byte / 4]))),
            (line, _) => line,
        };
    }

    /// Cells for `size` bytes at an offset in the line, and whether there is one a byte.
    #[inline(always)]
    pub fn cells(&mut self, at: usize, size: usize) -> (&mut [Cell], bool) {
        if !matches!((&*self, size), (Self::Bytes(_), _) | (Self::Words(_), 4..)) {
            self.split(size < 4);
        }
        match self {
            Self::Words(words) => {
                let (first, end) = (at / 4, (at + size) / 4);
                words.settled &= !(((1 << (end - first)) - 1) << first) as u32;
                (&mut words.cells[first..end], false)
            }
            Self::Bytes(bytes) => (&mut bytes[at..at + size], true),
            Self::Empty | Self::Run(..) => (&mut [], false),
        }
    }

    /// Is the word, or the byte, at an offset one that a load by `now` leaves as it is?
    #[inline(always)]
    pub fn is_settled(&self, at: usize, size: usize, now: Epoch) -> bool {
        match self {
            Self::Words(words) if size == 4 => words.cells[at / 4].is_settled(now),
            Self::Bytes(bytes) if size == 1 => bytes[at].is_settled(now),
            _ => false,
        }
    }

    /// Becomes a run again, if its words are one.
    pub fn join(&mut self, shift: u32) {
        if let Self::Words(words) = self
            && (1..32).all(|word| words.cells[word] == words.cells[0].behind(word as u32 >> shift))
        {
            *self = Self::Run(words.cells[0], shift);
        }
    }
}

#[cold]
fn chunk_of_lines() -> Box<[Line; CHUNK]> {
    Box::new(std::array::from_fn(|_| Line::Empty))
}

/// The shadow of a stretch of memory. It grows with what is touched: 64 bytes a line of 128 for whole warps' accesses side
/// by side, 1.5 KiB more once others come, 6 KiB more once somebody accesses less than a word.
#[derive(Debug, Default)]
pub struct Shadow {
    chunks: Vec<Option<Box<[Line; CHUNK]>>>,
    launch: u64,
}

impl Shadow {
    /// Cells for the access, which crosses no line: index of the first and how many.
    #[inline]
    pub fn locate(&mut self, offset: u64, size: u32, launch: u64) -> (usize, usize) {
        let line = self.line(offset, launch);
        match line {
            Line::Bytes(_) => {}
            Line::Words(_) if size >= 4 => {}
            _ => line.split(size < 4),
        }
        let bytes = matches!(line, Line::Bytes(_));
        if bytes { (offset as usize | BYTE, size as usize) } else { (offset as usize / 4, size as usize / 4) }
    }

    /// The line of an offset, as it is.
    #[inline(always)]
    pub fn line(&mut self, offset: u64, launch: u64) -> &mut Line {
        if self.launch != launch {
            self.launch = launch;
            self.chunks.clear();
        }
        self.at((offset / LINE) as usize)
    }

    #[inline(always)]
    fn at(&mut self, index: usize) -> &mut Line {
        let chunk = index / CHUNK;
        if chunk >= self.chunks.len() {
            self.chunks.resize_with(chunk + 1, || None);
        }
        &mut self.chunks[chunk].get_or_insert_with(chunk_of_lines)[index % CHUNK]
    }

    /// Another block's memory: the cells are stale, but their chunks are kept.
    pub fn reset(&mut self, launch: u64) {
        self.chunks.iter_mut().flatten().for_each(|chunk| chunk.fill_with(Line::default));
        self.launch = launch;
    }

    /// A cell that [`Shadow::locate`] found, or of a word or byte beside it in the same line.
    #[inline]
    pub fn cell(&mut self, index: usize) -> &mut Cell {
        let (byte, index) = (index & BYTE != 0, index & !BYTE);
        let line = self.at(if byte { index / 128 } else { index / 32 });
        if !matches!((&*line, byte), (Line::Bytes(_), _) | (Line::Words(_), false)) {
            line.split(byte);
        }
        match line {
            Line::Words(words) => words.cell(index % 32),
            Line::Bytes(bytes) => &mut bytes[if byte { index % 128 } else { index % 32 * 4 }],
            Line::Empty | Line::Run(..) => unreachable!("a line was split into words or bytes"),
        }
    }

    /// All cells of `bytes` bytes, byte by byte.
    #[cfg(test)]
    pub fn cells(&mut self, bytes: u64, launch: u64) -> Vec<Cell> {
        (0..bytes)
            .map(|offset| {
                let (first, _) = self.locate(offset / 4 * 4, 4, launch);
                *self.cell(if first & BYTE != 0 { offset as usize | BYTE } else { first })
            })
            .collect()
    }
}
