//! What `malloc` and `free` of device code share: one allocation of global memory, twice [`crate::Limits::heap`] bytes,
//! which lives as long as the device. The limit is on what is allocated at a time; the rest is room for mistakes to show.
//!
//! Between blocks lies memory that is nobody's, and freed memory is handed out again only when everything else is used up,
//! the longest free first, so that whoever overruns a block or uses it after `free` touches what belongs to nobody.
//!
//! Here blocks of a grid run one after the other; on a device those that are resident together hold what they allocate at the
//! same time. So what counts against the limit is the most that each of them held ([`Together`]), and beyond it every second
//! `malloc` gives null: whoever tries again finds room some time, as others will have freed theirs.

mod together;

use crate::appearance::Appearance;
use std::collections::{BTreeMap, VecDeque};
use together::Together;

/// The purpose of its machine's random bits.
const HEAP: u64 = 13;
/// Alignment of what `malloc` returns, and the least distance between blocks.
const ALIGN: u64 = 16;

/// Who called `malloc` or `free`: the operation, the block and the thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Caller {
    /// Index of the operation, or of the nearest call that has a source line.
    pub pc: u32,
    /// Block index.
    pub block: [u32; 3],
    /// Thread index.
    pub thread: [u32; 3],
}

/// A block, allocated or freed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// First address.
    pub address: u64,
    /// Bytes asked for.
    pub bytes: u64,
    /// Who allocated it.
    pub allocated: Caller,
    /// Number of the launch that did.
    launch: u64,
    /// And of the block in its grid.
    owner: u64,
    /// Who freed it.
    pub freed: Option<Caller>,
}

impl Piece {
    /// Bytes with what lies between it and the next one.
    fn room(bytes: u64) -> Option<u64> {
        bytes.checked_next_multiple_of(ALIGN)?.checked_add(ALIGN)
    }
}

/// Why `free` refuses an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAllocated;

/// Blocks by address.
#[derive(Debug, Default)]
pub struct Heap {
    base: u64,
    /// What nobody had yet begins and ends here.
    next: u64,
    top: u64,
    end: u64,
    /// From the end on.
    downward: bool,
    limit: u64,
    in_use: u64,
    together: Together,
    /// How often there was room on a device perhaps, and perhaps not.
    tight: u64,
    pieces: BTreeMap<u64, Piece>,
    /// Freed ones, the longest free first.
    freed: VecDeque<u64>,
}

impl Heap {
    /// A heap of `size` bytes at an address, of which `limit` may be allocated at a time. `appearance` says where it begins: nothing but
    /// the alignment of blocks is promised, nor which of two is lower.
    pub fn new(base: u64, size: u64, limit: u64, appearance: Appearance) -> Self {
        let drawn = appearance.bits(HEAP);
        // What is left out does not matter: there is twice as much as may be allocated.
        let skipped = (drawn >> 8) % 32 * ALIGN;
        let (base, end) = if size > limit + 32 * ALIGN { (base + skipped, base + size) } else { (base, base + size) };
        let downward = drawn % 2 == 1;
        let mut heap = Self { base, next: base, top: end, end, downward, limit, ..Self::default() };
        heap.launch(1, 0);
        heap
    }

    /// A launch begins: of its blocks so many are resident at once, and some that do not run hold so many bytes.
    pub fn launch(&mut self, resident: u64, held: u64) {
        self.together.launch(self.in_use, resident, held);
    }

    /// The most bytes that each block of the last launch held at a time, and what it has left; those that held none are left out.
    #[cfg(not(target_family = "wasm"))]
    pub fn held(&self) -> impl Iterator<Item = (u64, u64)> {
        self.together.held()
    }

    /// `malloc` by a block of that number in its grid: the address, 0 if there is no room or nothing was asked for.
    pub fn allocate(&mut self, bytes: u64, (caller, owner): (Caller, u64)) -> u64 {
        let Some(room) = Piece::room(bytes).filter(|_| bytes > 0) else { return 0 };
        if room - ALIGN > self.limit.saturating_sub(self.in_use) {
            return 0;
        }
        if self.together.with(owner, room - ALIGN) > self.limit {
            self.tight += 1;
            if self.tight % 2 == 1 {
                return 0;
            }
        }
        let Some(address) = self.place(room) else { return 0 };
        self.in_use += room - ALIGN;
        let launch = self.together.take(owner, room - ALIGN);
        self.pieces.insert(address, Piece { address, bytes, allocated: caller, launch, owner, freed: None });
        address
    }

    /// Where `room` bytes are nobody's.
    fn place(&mut self, room: u64) -> Option<u64> {
        if room <= self.top - self.next {
            if self.downward {
                self.top -= room;
                return Some(self.top);
            }
            self.next += room;
            return Some(self.next - room);
        }
        let (low, high) = if self.downward { (self.top, self.end) } else { (self.base, self.next) };
        // Freed blocks are given up, the longest free first, until there is a gap.
        while let Some(oldest) = self.freed.pop_front() {
            self.pieces.remove(&oldest);
            let before = self.pieces.range(..oldest).next_back();
            let start = before.map_or(low, |(at, piece)| at + Piece::room(piece.bytes).unwrap_or(0)).min(oldest);
            let end = self.pieces.range(oldest..).next().map_or(high, |(at, _)| *at);
            if room <= end - start {
                return Some(start);
            }
        }
        // Gaps that others have left.
        let mut end = low;
        for (at, piece) in &self.pieces {
            if room <= at.saturating_sub(end) {
                return Some(end);
            }
            end = at + Piece::room(piece.bytes).unwrap_or(0);
        }
        None
    }

    /// `free`. Nothing happens at 0. Gives the block, or says that no block that is allocated begins there.
    pub fn release(&mut self, address: u64, caller: Caller) -> Result<Option<Piece>, NotAllocated> {
        if address == 0 {
            return Ok(None);
        }
        let piece = self.pieces.get_mut(&address).filter(|piece| piece.freed.is_none()).ok_or(NotAllocated)?;
        piece.freed = Some(caller);
        let bytes = Piece::room(piece.bytes).unwrap_or(ALIGN) - ALIGN;
        self.in_use -= bytes;
        self.together.give_back((piece.launch, piece.owner), bytes);
        self.freed.push_back(address);
        Ok(Some(*piece))
    }

    /// Blocks that are allocated, and their bytes.
    #[cfg(not(target_family = "wasm"))]
    pub fn left(&self) -> (u64, u64) {
        let left = self.pieces.values().filter(|piece| piece.freed.is_none());
        left.fold((0, 0), |(blocks, bytes), piece| (blocks + 1, bytes + piece.bytes))
    }

    /// Are these bytes inside a block that is allocated?
    pub fn holds(&self, address: u64, size: u64) -> bool {
        self.nearest(address).is_some_and(|piece| {
            let offset = address.wrapping_sub(piece.address);
            piece.freed.is_none() && offset < piece.bytes && size <= piece.bytes - offset
        })
    }

    /// The block that begins at an address or last before it, freed ones included; else the first one behind it.
    pub fn nearest(&self, address: u64) -> Option<Piece> {
        let before = self.pieces.range(..=address).next_back();
        before.or_else(|| self.pieces.range(address..).next()).map(|(_, piece)| *piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHO: Caller = Caller { pc: 1, block: [0; 3], thread: [0; 3] };

    #[test]
    fn blocks_are_apart_and_come_back_last() {
        let mut heap = Heap::new(4096, 128, 64, Appearance::PLAIN);
        let (a, b) = (heap.allocate(1, (WHO, 0)), heap.allocate(30, (WHO, 0)));
        assert_eq!((a, b), (4096, 4128));
        assert_eq!(heap.allocate(17, (WHO, 0)), 0, "beyond the limit");
        assert_eq!(heap.allocate(0, (WHO, 0)), 0);
        assert_eq!(heap.allocate(u64::MAX, (WHO, 0)), 0);
        assert!(heap.release(a, WHO).is_ok());
        assert_eq!(heap.release(a, WHO), Err(NotAllocated));
        assert_eq!(heap.release(b + 16, WHO), Err(NotAllocated));
        assert_eq!(heap.release(0, WHO), Ok(None));
        assert_eq!(heap.allocate(16, (WHO, 0)), 4176, "what was never used comes first");
        assert!(heap.release(b, WHO).is_ok());
        assert_eq!(heap.allocate(40, (WHO, 0)), 4096, "neighbours are joined");
    }

    /// Blocks lie at odd multiples of what is promised on some machines, and one behind the other in either order; all of the limit
    /// can be had again and again.
    #[test]
    fn machines_put_blocks_where_they_like() {
        let (mut odd, mut downward) = (0, 0);
        for seed in 1..65 {
            let mut heap = Heap::new(4096, 1 << 13, 1 << 12, Appearance::new(seed));
            let two = [0; 2].map(|_| heap.allocate(64, (WHO, 0)));
            odd += usize::from(!two[0].is_multiple_of(32));
            downward += usize::from(two[1] < two[0]);
            assert!(two.into_iter().all(|address| heap.release(address, WHO).is_ok()));
            for _ in 0..50 {
                let all = [0; 4].map(|_| heap.allocate(1 << 10, (WHO, 0)));
                assert!(
                    all.iter().all(|at| at.is_multiple_of(ALIGN) && (4096..=(3 << 12) - (1 << 10)).contains(at)),
                    "{all:?}"
                );
                assert!(all.into_iter().all(|address| heap.release(address, WHO).is_ok()));
            }
        }
        assert!((10..55).contains(&odd) && (10..55).contains(&downward), "{odd} {downward}");
    }

    #[test]
    fn only_allocated_bytes_are_held() {
        let mut heap = Heap::new(4096, 1024, 512, Appearance::PLAIN);
        let a = heap.allocate(10, (WHO, 0));
        let b = heap.allocate(10, (WHO, 0));
        assert!(heap.holds(a, 10) && heap.holds(a + 9, 1) && heap.holds(b, 1));
        assert!(!heap.holds(a + 10, 1) && !heap.holds(a + 9, 2) && !heap.holds(a - 1, 1) && !heap.holds(b - 1, 1));
        assert_eq!(heap.nearest(a + 12).map(|piece| piece.address), Some(a));
        assert_eq!(heap.release(a, WHO).map(|piece| piece.map(|piece| piece.bytes)), Ok(Some(10)));
        assert!(!heap.holds(a, 1) && heap.holds(b, 10));
    }

    /// Blocks of 32 bytes each, one after the other, of which some would be resident at a time; 64 bytes are there.
    #[test]
    fn what_resident_blocks_hold_counts_together() {
        let run = |resident: u64, held: u64| {
            let mut heap = Heap::new(4096, 1024, 64, Appearance::PLAIN);
            heap.launch(resident, held);
            let one = |block: u64| {
                let address = heap.allocate(32, (WHO, block));
                assert!(heap.release(address, WHO).is_ok());
                address != 0
            };
            [0, 1, 2, 3, 4].map(one)
        };
        assert_eq!(run(1, 0), [true; 5]);
        assert_eq!(run(2, 0), [true; 5]);
        assert_eq!(run(3, 0), [true, true, false, true, true], "block 2 has nothing, so 3 and 4 have enough");
        assert_eq!(run(1, 33), [false, true, false, true, false], "every second one beyond the limit");
    }
}
