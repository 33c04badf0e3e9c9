//! Memory that somebody wrote undefined bits to. What nobody wrote at all is the watcher's ([`crate::sanitizer`]).

use super::Origin;
use std::collections::HashMap;

/// Words kept of each kind of memory: a kernel that computes with nothing but undefined values has been found out by then.
const MOST: usize = 1 << 18;

/// Whose memory a word is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Owner {
    /// The device's.
    Global,
    /// The shared memory of the block in that slot.
    Shared(u32),
    /// The local memory of a thread: slot, warp, lane.
    Local(u32, u32, u32),
}

/// An aligned word of 32 bits with undefined ones.
#[derive(Debug, Clone, Copy)]
pub struct Cell {
    /// The bits.
    pub bits: u32,
    /// Where the value came from.
    pub origin: Origin,
    /// Which store wrote it: a number in [`super::Origins`].
    pub stored: super::Stored,
}

/// Within a block: a thread by warp and lane, or all of them.
type Whose = Option<(u32, u32)>;

/// The words of all memory.
#[derive(Debug, Default)]
pub struct Cells {
    global: HashMap<u64, Cell>,
    /// By slot: the word's thread (nothing for shared memory) and address.
    blocks: HashMap<u32, HashMap<(Whose, u64), Cell>>,
}

impl Cells {
    /// Is there none?
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.global.is_empty() && self.blocks.is_empty()
    }

    /// A block begins or ends in a slot.
    pub fn forget(&mut self, slot: u32) {
        self.blocks.remove(&slot);
    }

    /// The word at an address divided by 4.
    pub fn get(&self, owner: Owner, word: u64) -> Option<&Cell> {
        match owner {
            Owner::Global => self.global.get(&word),
            Owner::Shared(slot) => self.blocks.get(&slot)?.get(&(None, word)),
            Owner::Local(slot, warp, lane) => self.blocks.get(&slot)?.get(&(Some((warp, lane)), word)),
        }
    }

    /// Undefined bits of `size` bytes at an aligned address, 8 at most, and where they came from.
    pub fn bits(&self, owner: Owner, address: u64, size: u32) -> (u64, Option<Origin>) {
        let low = self.get(owner, address / 4);
        let high = if size == 8 { self.get(owner, address / 4 + 1) } else { None };
        let word = |cell: Option<&Cell>| cell.map_or(0, |cell| u64::from(cell.bits));
        let bits = (word(low) | word(high) << 32) >> (address % 4 * 8) & u64::MAX >> (64 - size.min(8) * 8);
        (bits, low.or(high).filter(|_| bits != 0).map(|cell| cell.origin))
    }

    /// `size` bytes at an aligned address, 8 at most, have been written with a value of which these bits are undefined.
    pub fn write(&mut self, owner: Owner, address: u64, size: u32, bits: u64, from: Option<(Origin, super::Stored)>) {
        if size == 8 {
            self.write(owner, address, 4, bits & u64::from(u32::MAX), from);
            return self.write(owner, address + 4, 4, bits >> 32, from);
        }
        let (word, shift) = (address / 4, address % 4 * 8);
        let keep = !((u64::MAX >> (64 - size.clamp(1, 4) * 8)) << shift) as u32;
        let before = self.get(owner, word).copied();
        let after = before.map_or(0, |cell| cell.bits) & keep | (bits << shift) as u32 & !keep;
        let (origin, stored) = match (from, before) {
            (Some(from), _) if bits != 0 => from,
            (_, Some(cell)) => (cell.origin, cell.stored),
            _ => return,
        };
        self.put(owner, word, Cell { bits: after, origin, stored });
    }

    fn put(&mut self, owner: Owner, word: u64, cell: Cell) {
        fn into<K: std::hash::Hash + Eq>(map: &mut HashMap<K, Cell>, key: K, cell: Cell) {
            if cell.bits == 0 {
                map.remove(&key);
            } else if map.len() < MOST || map.contains_key(&key) {
                map.insert(key, cell);
            }
        }
        let (slot, who) = match owner {
            Owner::Global => return into(&mut self.global, word, cell),
            Owner::Shared(slot) => (slot, None),
            Owner::Local(slot, warp, lane) => (slot, Some((warp, lane))),
        };
        let block = self.blocks.entry(slot).or_default();
        into(block, (who, word), cell);
        if block.is_empty() {
            self.blocks.remove(&slot);
        }
    }

    /// The host wrote global memory.
    pub fn written(&mut self, address: u64, bytes: u64) {
        if !self.global.is_empty() {
            self.global.retain(|word, _| word * 4 + 4 <= address || word * 4 >= address + bytes);
        }
    }

    /// A launch has ended: blocks are gone.
    pub fn launch_end(&mut self) {
        self.blocks.clear();
    }

    /// The undefined words of a range of global memory, in order.
    pub fn within(&self, address: u64, bytes: u64) -> Vec<(u64, Cell)> {
        let range = address / 4..(address + bytes).div_ceil(4);
        let inside = self.global.iter().filter(|(word, _)| range.contains(word));
        let mut found: Vec<(u64, Cell)> = inside.map(|(word, cell)| (word * 4, *cell)).collect();
        found.sort_unstable_by_key(|(address, _)| *address);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_bytes_and_words_come_back() {
        let mut cells = Cells::default();
        let from = Some((7, 9));
        cells.write(Owner::Global, 8, 8, 0xff00_0000_0000_00f0, from);
        assert_eq!(cells.bits(Owner::Global, 8, 8), (0xff00_0000_0000_00f0, Some(7)));
        assert_eq!(cells.bits(Owner::Global, 12, 4), (0xff00_0000, Some(7)));
        assert_eq!(cells.bits(Owner::Global, 15, 1), (0xff, Some(7)));
        assert_eq!(cells.bits(Owner::Global, 14, 1), (0, None));
        assert_eq!(cells.bits(Owner::Shared(0), 8, 8), (0, None), "another memory");
        cells.write(Owner::Global, 15, 1, 0, None);
        assert_eq!(cells.bits(Owner::Global, 12, 4), (0, None), "a defined byte defines");
        assert_eq!(cells.within(0, 64).len(), 1);
        cells.written(0, 12);
        assert!(cells.is_empty());
    }

    #[test]
    fn a_block_takes_its_cells_along() {
        let mut cells = Cells::default();
        cells.write(Owner::Local(3, 0, 31), 4, 4, 1, Some((1, 1)));
        assert_eq!(cells.bits(Owner::Local(3, 0, 30), 4, 4).0, 0);
        assert_eq!(cells.bits(Owner::Local(3, 0, 31), 4, 2).0, 1);
        cells.forget(3);
        assert!(cells.is_empty());
    }
}
