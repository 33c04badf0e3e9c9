//! One bit a byte: has anything been written here?

use super::region::Regions;
use crate::observe::{AccessKind, Complaint, Space, WarpAccess};

/// Bits of a stretch of memory, 64 bytes a word.
#[derive(Debug, Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn of(bytes: u64) -> Self {
        Self(vec![0; bytes.div_ceil(64) as usize])
    }

    /// First unwritten byte of `size` bytes at `offset`. An access of at most 16 bytes is aligned, so it stays in a word.
    #[inline]
    fn missing(&self, offset: u64, size: u32) -> Option<u64> {
        let word = self.0.get((offset / 64) as usize).copied().unwrap_or(u64::MAX);
        let wanted = pattern(size) << (offset % 64);
        let missing = wanted & !word;
        (missing != 0).then(|| offset / 64 * 64 + u64::from(missing.trailing_zeros()))
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

    /// A stretch word by word: index and bits.
    fn pieces(&self, first: u64, end: u64) -> impl Iterator<Item = (usize, u64)> + use<> {
        (first / 64..end.div_ceil(64)).map(move |word| {
            let (from, to) = (first.max(word * 64), end.min(word * 64 + 64));
            (word as usize, pattern((to - from) as u32) << (from % 64))
        })
    }

    #[inline]
    fn set(&mut self, offset: u64, size: u32) {
        if let Some(word) = self.0.get_mut((offset / 64) as usize) {
            *word |= pattern(size) << (offset % 64);
        }
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
            Space::Shared => match self.slots.get_mut(access.warp.slot as usize) {
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

    /// Looks at an access. `run`: the whole warp takes part, each lane right behind the one before.
    pub fn access(&mut self, access: &WarpAccess<'_>, run: bool, complain: &mut dyn FnMut(Complaint)) {
        if run && self.run(access) {
            return;
        }
        match access.space {
            Space::Global => {
                let global = &mut self.global;
                each(access, complain, |lane, address, reads, writes, size| {
                    let _ = lane;
                    let region = global.find(address)?;
                    let offset = address - region.base;
                    let missing = if reads { region.data.missing(offset, size) } else { None };
                    if writes || missing.is_some() {
                        region.data.set(offset, size);
                    }
                    missing.map(|offset| region.base + offset)
                });
            }
            Space::Shared => {
                let Some(block) = self.slots.get_mut(access.warp.slot as usize) else { return };
                let shared = &mut block.shared;
                each(access, complain, |_, offset, reads, writes, size| {
                    let missing = if reads { shared.missing(offset, size) } else { None };
                    if writes || missing.is_some() {
                        shared.set(offset, size);
                    }
                    missing
                });
            }
            Space::Local => {
                let block = self.slots.get_mut(access.warp.slot as usize);
                let Some(local) = block.and_then(|block| block.local.get_mut(access.warp.warp as usize)) else {
                    return;
                };
                each(access, complain, |lane, offset, reads, writes, size| {
                    let index = (offset / 64) as usize;
                    if local.len() <= index {
                        local.resize(index + 1, [0; 32]);
                    }
                    let word = &mut local[index][lane as usize];
                    let wanted = pattern(size) << (offset % 64);
                    let missing = if reads { wanted & !*word } else { 0 };
                    if writes || missing != 0 {
                        *word |= wanted;
                    }
                    (missing != 0).then(|| offset / 64 * 64 + u64::from(missing.trailing_zeros()))
                });
            }
        }
    }
}

/// Calls `byte(lane, address, reads, writes, size)` for each lane and complains where it returns an address. A byte that
/// was complained about counts as written from then on, so that one mistake is one finding.
#[inline]
fn each(
    access: &WarpAccess<'_>,
    complain: &mut dyn FnMut(Complaint),
    mut byte: impl FnMut(u32, u64, bool, bool, u32) -> Option<u64>,
) {
    let (reads, writes) = match access.kind {
        AccessKind::Load => (true, false),
        AccessKind::Store => (false, true),
        AccessKind::Atomic => (true, true),
    };
    let mut mask = access.mask;
    while mask != 0 {
        let lane = mask.trailing_zeros();
        mask &= mask - 1;
        if let Some(address) = byte(lane, access.addresses[lane as usize], reads, writes, access.size) {
            complain(Complaint::Uninitialised { lane, address });
        }
    }
}
