//! What one host thread has added to global memory and the others do not see yet.
//!
//! Adding to a word that another host thread adds to as well moves its cache line from core to core, lane after lane. So additions whose
//! result nobody reads are summed up here, and added when they have to be there (`memory::later`).

use super::global::Global;
use std::sync::atomic::Ordering::Relaxed;

/// Words of the largest allocation that is summed up for. Beyond it lanes seldom meet, and the sums would fill the host's caches.
const MOST: usize = 1 << 18;

/// Sums to be added, of one allocation.
#[derive(Debug, Default)]
pub struct Sums {
    allocation: usize,
    /// By word; 0 but between `low` and `high`.
    words: Vec<u32>,
    /// Words that have something to be added: none if `low` is not below `high`.
    low: usize,
    high: usize,
}

impl Sums {
    /// Is there nothing to be added?
    #[inline(always)]
    pub const fn is_empty(&self) -> bool {
        self.low >= self.high
    }

    /// Is there something to be added to that allocation?
    #[inline(always)]
    pub const fn holds(&self, allocation: usize) -> bool {
        !self.is_empty() && self.allocation == allocation
    }

    /// The sums for an allocation's words; nothing if it is too large. `range` is what will be changed of them.
    #[inline(always)]
    pub fn of(&mut self, global: &Global, allocation: usize, range: std::ops::Range<usize>) -> Option<&mut [u32]> {
        if !self.holds(allocation) && !self.begin(global, allocation) {
            return None;
        }
        self.low = self.low.min(range.start);
        self.high = self.high.max(range.end);
        Some(&mut self.words)
    }

    #[cold]
    fn begin(&mut self, global: &Global, allocation: usize) -> bool {
        self.settle(global);
        let words = global.allocations[allocation].words.len();
        if words > MOST {
            return false;
        }
        self.words.resize(words.max(self.words.len()), 0);
        (self.allocation, self.low, self.high) = (allocation, words, 0);
        true
    }

    /// Adds them to memory.
    #[cold]
    pub fn settle(&mut self, global: &Global) {
        if self.is_empty() {
            return;
        }
        let range = self.low..self.high.min(self.words.len());
        let words = global.allocations[self.allocation].words.iter().skip(self.low);
        for (sum, word) in self.words[range].iter_mut().zip(words) {
            if *sum != 0 {
                word.fetch_add(std::mem::take(sum), Relaxed);
            }
        }
        (self.low, self.high) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::Sums;
    use crate::appearance::Appearance;
    use crate::memory::global::Global;

    fn two(words: u64) -> Global {
        let mut global = Global::new(Appearance::new(Default::default()));
        global.alloc(words * 4, "a");
        global.alloc(words * 4, "b");
        global
    }

    #[test]
    fn sums_are_added_once_and_an_allocation_at_a_time() {
        let global = two(8);
        let mut sums = Sums::default();
        let mut add = |allocation: usize, word: usize, value: u32| {
            let words = sums.of(&global, allocation, word..word + 1).expect("small");
            words[word] = words[word].wrapping_add(value);
        };
        add(0, 3, 5);
        add(0, 7, 1);
        add(0, 3, u32::MAX);
        let seen = |allocation: usize| {
            let mut bytes = [0; 32];
            global.allocations[allocation].read(0, &mut bytes);
            bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect::<Vec<_>>()
        };
        assert_eq!(seen(0), [0; 8], "nothing is there before it is asked for");
        add(1, 0, 2);
        assert_eq!(seen(0), [0, 0, 0, 4, 0, 0, 0, 1], "another allocation's turn");
        assert_eq!(seen(1), [0; 8]);
        sums.settle(&global);
        sums.settle(&global);
        assert_eq!((seen(0), seen(1)), (vec![0, 0, 0, 4, 0, 0, 0, 1], vec![2, 0, 0, 0, 0, 0, 0, 0]));
        assert!(sums.is_empty());
    }

    #[test]
    fn a_large_allocation_is_left_alone() {
        let global = two(super::MOST as u64 + 1);
        let mut sums = Sums::default();
        assert!(sums.of(&global, 0, 0..1).is_none());
        assert!(sums.is_empty());
    }
}
