//! One bit a byte: has anything been written here?

use super::cells::region::Regions;
use crate::observe::{AccessKind, Space, Unwritten, WarpAccess, WarpId};

/// Bits of a stretch of memory, 64 bytes a word.
#[derive(Debug, Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn of(bytes: u64) -> Self {
        Self(vec![0; bytes.div_ceil(64) as usize])
    }

    /// Unwritten bytes of `size` bytes at `offset`, if they are read; afterwards written ones, if they are written. An
    /// access of at most 16 bytes is aligned, so it stays in a word.
    #[inline]
    fn touch(&mut self, offset: u64, size: u32, reads: bool, writes: bool) -> u32 {
        let Some(word) = self.0.get_mut((offset / 64) as usize) else { return 0 };
        let wanted = pattern(size) << (offset % 64);
        let missing = if reads { wanted & !*word } else { 0 };
        if writes {
            *word |= wanted;
        }
        (missing >> (offset % 64)) as u32
    }

    /// Is everything of the stretch written? Then all of it lies inside.
    #[inline]
    fn all(&self, first: u64, end: u64) -> bool {
        self.pieces(first, end).all(|(at, bits)| self.0.get(at).is_some_and(|word| bits & !word == 0))
    }

    /// Marks the stretch; nothing beyond the end.
    #[inline]
    fn set_all(&mut self, first: u64, end: u64) {
        for (at, bits) in self.pieces(first, end) {
            if let Some(word) = self.0.get_mut(at) {
                *word |= bits;
            }
        }
    }

    /// Nothing of the stretch is written any more.
    fn clear(&mut self, first: u64, end: u64) {
        for (at, bits) in self.pieces(first, end) {
            if let Some(word) = self.0.get_mut(at) {
                *word &= !bits;
            }
        }
    }

    /// A stretch word by word: index and bits.
    fn pieces(&self, first: u64, end: u64) -> impl Iterator<Item = (usize, u64)> + use<> {
        (first / 64..end.div_ceil(64)).map(move |word| {
            let (from, to) = (first.max(word * 64), end.min(word * 64 + 64));
            (word as usize, pattern((to - from) as u32) << (from % 64))
        })
    }
}

#[inline]
fn pattern(size: u32) -> u64 {
    if size >= 64 { u64::MAX } else { (1 << size) - 1 }
}

/// A block's shared and local memory.
#[derive(Debug, Default)]
struct Block {
    shared: Bits,
    /// By warp: 64 bytes of each lane's local memory an element, grown on demand.
    local: Vec<Vec<[u64; 32]>>,
}

/// The bits of all memory.
#[derive(Debug, Default)]
pub struct Init {
    global: Regions<Bits>,
    slots: Vec<Block>,
}

impl Init {
    /// The same for other blocks: what is written of global memory is known to both. Takes the memory of an old one.
    #[cfg(feature = "threads")]
    pub fn share(&self, old: Self) -> Self {
        let copy = |bits: &Bits, known: Option<Bits>| {
            let mut mine = known.unwrap_or_default();
            mine.0.clone_from(&bits.0);
            mine
        };
        Self { global: self.global.like(old.global, copy), slots: old.slots }
    }

    /// Adds what other blocks have written of global memory.
    #[cfg(feature = "threads")]
    pub fn add(&mut self, others: &Self) {
        for (mine, theirs) in self.global.beside(&others.global) {
            mine.0.iter_mut().zip(&theirs.0).for_each(|(mine, theirs)| *mine |= theirs);
        }
    }

    pub fn allocated(&mut self, address: u64, bytes: u64) {
        self.global.add(address, bytes, Bits::of(bytes));
    }

    /// Marks bytes that the host wrote or poisoned.
    pub fn set(&mut self, address: u64, bytes: u64, written: bool) {
        let Some(region) = self.global.find(address) else { return };
        let first = address - region.base;
        let end = (first + bytes).min(region.bytes);
        let mut at = first;
        while at < end {
            let stop = (at / 64 * 64 + 64).min(end);
            let bits = pattern((stop - at) as u32) << (at % 64);
            let word = &mut region.data.0[(at / 64) as usize];
            *word = if written { *word | bits } else { *word & !bits };
            at = stop;
        }
    }

    pub fn block_start(&mut self, slot: u32, threads: u32, shared: u32) {
        let slot = slot as usize;
        if self.slots.len() <= slot {
            self.slots.resize_with(slot + 1, Block::default);
        }
        let block = &mut self.slots[slot];
        block.shared.0.clear();
        block.shared.0.resize(shared.div_ceil(64) as usize, 0);
        block.local.resize_with(threads.div_ceil(32) as usize, Vec::new);
        block.local.iter_mut().for_each(Vec::clear);
    }

    /// A run of global or shared memory, if there is nothing to complain about.
    fn run(&mut self, access: &WarpAccess<'_>) -> bool {
        let (address, bytes) = (access.addresses[0], u64::from(access.size) * 32);
        let (bits, offset) = match access.space {
            Space::Global => match self.global.find(address) {
                Some(region) if bytes <= region.bytes - (address - region.base) => {
                    let offset = address - region.base;
                    (&mut region.data, offset)
                }
                _ => return false,
            },
            Space::Shared => match self.slots.get_mut(access.home as usize) {
                Some(block) => (&mut block.shared, address),
                None => return false,
            },
            Space::Local => return false,
        };
        match access.kind {
            AccessKind::Store => bits.set_all(offset, offset + bytes),
            _ => return bits.all(offset, offset + bytes),
        }
        true
    }

    /// Reads of a short stretch that is written from end to end: of words that lanes share, or that lie side by side in some order.
    fn is_written_around(&mut self, access: &WarpAccess<'_>) -> bool {
        const SHORT: u64 = 2048;
        if access.kind == AccessKind::Store {
            return false;
        }
        let (low, last) = span(access.addresses, access.mask);
        let end = last.wrapping_add(access.size.into());
        if last < low || last - low > SHORT {
            return false;
        }
        match access.space {
            Space::Global => self.global.find(low).is_some_and(|region| {
                end - region.base <= region.bytes && region.data.all(low - region.base, end - region.base)
            }),
            Space::Shared => self.slots.get(access.home as usize).is_some_and(|block| block.shared.all(low, end)),
            Space::Local => false,
        }
    }

    /// Looks at an access and says which bytes that it reads nothing has written. `run`: the whole warp takes part, each
    /// lane right behind the one before.
    pub fn access(&mut self, access: &WarpAccess<'_>, run: bool) -> Option<Box<Unwritten>> {
        if run && self.run(access) || self.is_written_around(access) {
            return None;
        }
        match access.space {
            Space::Global => {
                let global = &mut self.global;
                each(access, |_, address, reads, writes, size| {
                    let Some(region) = global.find(address) else { return 0 };
                    region.data.touch(address - region.base, size, reads, writes)
                })
            }
            Space::Shared => {
                let shared = &mut self.slots.get_mut(access.home as usize)?.shared;
                each(access, |_, offset, reads, writes, size| shared.touch(offset, size, reads, writes))
            }
            Space::Local => {
                let local = self.local(access.warp)?;
                each(access, |lane, offset, reads, writes, size| {
                    let word = local_word(local, offset, lane);
                    let wanted = pattern(size) << (offset % 64);
                    let missing = if reads { wanted & !*word } else { 0 };
                    if writes {
                        *word |= wanted;
                    }
                    (missing >> (offset % 64)) as u32
                })
            }
        }
    }

    /// Local memory of a warp.
    fn local(&mut self, warp: WarpId) -> Option<&mut Vec<[u64; 32]>> {
        self.slots.get_mut(warp.slot as usize)?.local.get_mut(warp.warp as usize)
    }

    /// What was in a lane's memory is gone.
    pub fn discarded(&mut self, warp: WarpId, space: Space, lane: u32, address: u64, bytes: u64) {
        match space {
            Space::Global => self.set(address, bytes, false),
            Space::Shared => {
                if let Some(slot) = self.slots.get_mut(warp.slot as usize) {
                    slot.shared.clear(address, address + bytes);
                }
            }
            Space::Local => {
                let Some(local) = self.local(warp) else { return };
                // What lies beyond has never been written.
                let end = (address + bytes).min(local.len() as u64 * 64);
                for offset in (address..end).step_by(4) {
                    *local_word(local, offset, lane) &= !(0xf << (offset % 64));
                }
            }
        }
    }
}

/// The bits of the 64 bytes of a lane's local memory around an offset.
fn local_word(local: &mut Vec<[u64; 32]>, offset: u64, lane: u32) -> &mut u64 {
    let index = (offset / 64) as usize;
    if local.len() <= index {
        local.resize(index + 1, [0; 32]);
    }
    &mut local[index][lane as usize & 31]
}

/// Calls `touch(lane, address, reads, writes, size)` for each lane: it says which bytes of them are missing.
#[inline]
fn each(access: &WarpAccess<'_>, mut touch: impl FnMut(u32, u64, bool, bool, u32) -> u32) -> Option<Box<Unwritten>> {
    let (reads, writes) = match access.kind {
        AccessKind::Load => (true, false),
        AccessKind::Store => (false, true),
        AccessKind::Atomic => (true, true),
    };
    let mut found: Option<Box<Unwritten>> = None;
    let mut mask = access.mask;
    while mask != 0 {
        let lane = mask.trailing_zeros();
        mask &= mask - 1;
        let missing = touch(lane, access.addresses[lane as usize], reads, writes, access.size);
        if missing != 0 {
            found.get_or_insert_with(|| Box::new([0; 32]))[lane as usize] = missing;
        }
    }
    found
}

/// The lowest and the highest address of some lanes.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
pub fn span(addresses: &[u64; 32], mask: u32) -> (u64, u64) {
    let (mut low, mut high) = (u64::MAX, 0);
    for (lane, &address) in addresses.iter().enumerate() {
        let takes_part = mask >> lane & 1 != 0;
        low = low.min(if takes_part { address } else { u64::MAX });
        high = high.max(if takes_part { address } else { 0 });
    }
    (low, high)
}
