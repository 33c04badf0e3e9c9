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
    /// All that it remembers.
    #[inline(always)]
    pub fn accesses(&self) -> [Epoch; 3] {
        [self.write, self.others[0], self.others[1]]
    }

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
    /// One cell for two bytes, after an access of two,
    Halves(Box<[Cell; 64]>),
    /// one a byte, after an access of one.
    Bytes(Box<[Cell; 128]>),
}

impl Line {
    /// Gets cells for accesses of `size` bytes.
    fn split(&mut self, size: usize) {
        make(size_of::<Cell>() * 128 / size.min(4));
        *self = match (std::mem::take(self), size) {
            (Self::Empty, 1) => Self::Bytes(Box::new([EMPTY; 128])),
            (Self::Empty, 2) => Self::Halves(Box::new([EMPTY; 64])),
            (Self::Empty, _) => Self::Words(Words::new([EMPTY; 32])),
            (Self::Run(cell, shift), size) => {
                let of = |byte: usize| cell.behind((byte as u32 / 4) >> shift);
                match size {
                    1 => Self::Bytes(Box::new(std::array::from_fn(of))),
                    2 => Self::Halves(Box::new(std::array::from_fn(|half| of(2 * half)))),
                    _ => Self::Words(Words::new(std::array::from_fn(|word| of(4 * word)))),
                }
            }
            (Self::Words(words), 1) => Self::Bytes(Box::new(std::array::from_fn(|byte| words.cells[byte / 4]))),
            (Self::Words(words), 2) => Self::Halves(Box::new(std::array::from_fn(|half| words.cells[half / 2]))),
            (Self::Halves(halves), 1) => Self::Bytes(Box::new(std::array::from_fn(|byte| halves[byte / 2]))),
            (line, _) => line,
        };
    }

    /// Cells for an access of `size` bytes at an offset in the line, of which it crosses no end, and how many bytes each stands for.
    #[inline(always)]
    pub fn cells(&mut self, at: usize, size: usize) -> (&mut [Cell], u64) {
        if !matches!((&*self, size), (Self::Bytes(_), _) | (Self::Words(_), 4..) | (Self::Halves(_), 2..)) {
            self.split(size);
        }
        match self {
            Self::Words(words) => {
                let (first, end) = (at / 4, (at + size) / 4);
                words.settled &= !(((1 << (end - first)) - 1) << first) as u32;
                (&mut words.cells[first..end], 4)
            }
            Self::Halves(halves) => (&mut halves[at / 2..(at + size) / 2], 2),
            Self::Bytes(bytes) => (&mut bytes[at..at + size], 1),
            Self::Empty | Self::Run(..) => (&mut [], 1),
        }
    }

    /// Is the word, the half or the byte at an offset one that a load by `now` leaves as it is?
    #[inline(always)]
    pub fn is_settled(&self, at: usize, size: usize, now: Epoch) -> bool {
        match self {
            Self::Words(words) if size == 4 => words.cells[at / 4].is_settled(now),
            Self::Halves(halves) if size == 2 => halves[at / 2].is_settled(now),
            Self::Bytes(bytes) if size == 1 => bytes[at].is_settled(now),
            _ => false,
        }
    }

    /// Calls `each` with every cell, the offset of its bytes in the line, and how many they are. Of runs, which no copy leaves, none.
    #[cfg(not(target_family = "wasm"))]
    fn each(&self, mut each: impl FnMut(u64, u32, &Cell)) {
        let cells = match self {
            Self::Empty | Self::Run(..) => return,
            Self::Words(words) => &words.cells[..],
            Self::Halves(halves) => &halves[..],
            Self::Bytes(bytes) => &bytes[..],
        };
        let grain = LINE as u32 / cells.len() as u32;
        cells.iter().zip((0..).step_by(grain as usize)).for_each(|(cell, at)| each(at, grain, cell));
    }

    /// Bytes that a cell stands for.
    #[cfg(feature = "threads")]
    fn grain(&self) -> usize {
        match self {
            Self::Bytes(_) => 1,
            Self::Halves(_) => 2,
            _ => 4,
        }
    }

    /// What is remembered of a byte, by some thread.
    #[cfg(feature = "threads")]
    fn of(&self, byte: usize) -> &Cell {
        match self {
            Self::Empty => &EMPTY,
            Self::Run(cell, _) => cell,
            Self::Words(words) => &words.cells[byte / 4],
            Self::Halves(halves) => &halves[byte / 2],
            Self::Bytes(bytes) => &bytes[byte],
        }
    }

    /// Do the cells of some byte meet?
    #[cfg(feature = "threads")]
    fn meets(&self, other: &Self, meet: impl Fn(&Cell, &Cell) -> bool + Copy) -> bool {
        match (self, other) {
            (Self::Empty, _) | (_, Self::Empty) => false,
            (Self::Run(mine, _), Self::Run(theirs, _)) => meet(mine, theirs),
            _ => {
                let grain = self.grain().min(other.grain());
                (0..LINE as usize).step_by(grain).any(|byte| meet(self.of(byte), other.of(byte)))
            }
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

#[cfg(feature = "threads")]
thread_local! {
    static MADE: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// This thread of the host begins to make shadow, and has so many bytes of it.
#[cfg(feature = "threads")]
pub fn begin(bytes: u64) {
    MADE.set(bytes);
}

/// Bytes of shadow that it has made since.
#[cfg(feature = "threads")]
pub fn made() -> u64 {
    MADE.get()
}

#[inline(always)]
fn make(_bytes: usize) {
    #[cfg(feature = "threads")]
    MADE.set(MADE.get() + _bytes as u64);
}

#[cold]
fn chunk_of_lines() -> Box<[Line; CHUNK]> {
    make(size_of::<[Line; CHUNK]>());
    Box::new(std::array::from_fn(|_| Line::Empty))
}

#[cfg(feature = "threads")]
#[cold]
fn emptied(mut chunk: Box<[Line; CHUNK]>) -> Box<[Line; CHUNK]> {
    chunk.fill_with(Line::default);
    chunk
}

/// The shadow of a stretch of memory. It grows with what is touched: 64 bytes a line of 128 for whole warps' accesses side
/// by side, 1.5 KiB more once others come, twice as much once somebody accesses half a word, four times for a byte.
#[derive(Debug, Default)]
pub struct Shadow {
    chunks: Vec<Option<Box<[Line; CHUNK]>>>,
    launch: u64,
    /// Chunks of an earlier launch, to be used again.
    #[cfg(feature = "threads")]
    spare: Vec<Option<Box<[Line; CHUNK]>>>,
}

impl Shadow {
    /// Cells for an access, which crosses no end of a line, and how many bytes each stands for.
    #[inline]
    pub fn cells(&mut self, offset: u64, size: u32, launch: u64) -> (&mut [Cell], u64) {
        self.line(offset, launch).cells((offset % LINE) as usize, size as usize)
    }

    /// The line of an offset, as it is.
    #[inline(always)]
    pub fn line(&mut self, offset: u64, launch: u64) -> &mut Line {
        self.begin(launch);
        self.at((offset / LINE) as usize)
    }

    /// What is of an earlier launch is gone.
    #[inline(always)]
    pub fn begin(&mut self, launch: u64) {
        if self.launch != launch {
            self.launch = launch;
            self.chunks.clear();
        }
    }

    /// The line of an offset, if there is anything to be known of it or of those around it.
    #[inline(always)]
    pub fn known(&mut self, offset: u64) -> Option<&mut Line> {
        let index = (offset / LINE) as usize;
        let chunk = self.chunks.get_mut(index / CHUNK)?.as_mut()?;
        Some(&mut chunk[index % CHUNK])
    }

    /// Nobody was at these bytes, of whole words, from an offset on.
    pub fn forget(&mut self, offset: u64, bytes: u64) {
        let end = offset + bytes;
        let mut at = offset / 4 * 4;
        while at < end {
            let next = (at / LINE + 1) * LINE;
            match self.known(at) {
                Some(line) if at.is_multiple_of(LINE) && next <= end => *line = Line::Empty,
                Some(Line::Empty) | None => {}
                Some(line) => {
                    for word in (at..next.min(end)).step_by(4) {
                        line.cells((word % LINE) as usize, 4).0.fill(EMPTY);
                    }
                }
            }
            at = next;
        }
    }

    #[inline(always)]
    fn at(&mut self, index: usize) -> &mut Line {
        let chunk = index / CHUNK;
        if chunk >= self.chunks.len() {
            self.chunks.resize_with(chunk + 1, || None);
        }
        #[cfg(feature = "threads")]
        let made = || self.spare.pop().flatten().map_or_else(chunk_of_lines, emptied);
        #[cfg(not(feature = "threads"))]
        let made = chunk_of_lines;
        &mut self.chunks[chunk].get_or_insert_with(made)[index % CHUNK]
    }

    /// The same for every line; the offset is that in the memory.
    #[cfg(not(target_family = "wasm"))]
    pub fn each(&self, mut each: impl FnMut(u64, u32, &Cell)) {
        for (index, chunk) in self.chunks.iter().enumerate() {
            for (line, number) in chunk.iter().flat_map(|chunk| chunk.iter()).zip((index * CHUNK) as u64..) {
                line.each(|at, size, cell| each(number * LINE + at, size, cell));
            }
        }
    }

    /// Another launch: the cells are gone, their memory is kept.
    #[cfg(feature = "threads")]
    pub fn recycle(&mut self, launch: u64) {
        self.spare.extend(self.chunks.drain(..).filter(Option::is_some));
        self.launch = launch;
    }

    /// Another block's memory: the cells are stale, but their chunks are kept.
    pub fn reset(&mut self, launch: u64) {
        self.chunks.iter_mut().flatten().for_each(|chunk| chunk.fill_with(Line::default));
        self.launch = launch;
    }

    /// Bytes of its chunks.
    #[cfg(feature = "threads")]
    pub fn bytes(&self) -> u64 {
        ((self.chunks.iter().flatten().count() + self.spare.len()) * size_of::<[Line; CHUNK]>()) as u64
    }

    /// Do the cells of some byte meet those of another shadow of the same memory? Both are of one launch.
    #[cfg(feature = "threads")]
    pub fn meets(&self, other: &Self, meet: impl Fn(&Cell, &Cell) -> bool + Copy) -> bool {
        self.chunks.iter().zip(&other.chunks).any(|chunks| match chunks {
            (Some(mine), Some(theirs)) => mine.iter().zip(theirs.iter()).any(|(mine, theirs)| mine.meets(theirs, meet)),
            _ => false,
        })
    }

    /// All cells of `bytes` bytes, byte by byte.
    #[cfg(test)]
    pub fn all(&mut self, bytes: u64, launch: u64) -> Vec<Cell> {
        (0..bytes)
            .map(|offset| {
                let (cells, grain) = self.cells(offset / 4 * 4, 4, launch);
                cells[(offset % 4 / grain) as usize]
            })
            .collect()
    }
}
