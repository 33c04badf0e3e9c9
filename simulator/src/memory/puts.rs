//! Words that one host thread has exchanged without looking at what was there: the last value of each counts, and comes later.

/// Words of the largest allocation for which values are kept.
const MOST: usize = 1 << 18;

/// Values to be stored, of one allocation.
#[derive(Debug, Default)]
pub struct Puts {
    allocation: usize,
    /// The operation that exchanged them, or one of several alike.
    pc: u32,
    words: Vec<u32>,
    /// A bit for each word that has a value.
    set: Vec<u64>,
    /// Elements of `set` that have bits: none if `low` is not below `high`.
    low: usize,
    high: usize,
}

impl Puts {
    /// Is there nothing to be stored?
    #[inline(always)]
    pub const fn is_empty(&self) -> bool {
        self.low >= self.high
    }

    /// Is there something to be stored in that allocation?
    #[inline(always)]
    pub const fn holds(&self, allocation: usize) -> bool {
        !self.is_empty() && self.allocation == allocation
    }

    /// Begins to keep values for an allocation of so many words, after what was kept is gone; false if it is too large.
    pub fn begin(&mut self, allocation: usize, words: usize, pc: u32) -> bool {
        if words > MOST {
            return false;
        }
        if self.words.len() < words {
            self.words.resize(words, 0);
            self.set.resize(words.div_ceil(64), 0);
        }
        (self.allocation, self.pc) = (allocation, pc);
        true
    }

    /// Keeps a value for a word.
    #[inline(always)]
    pub fn put(&mut self, word: usize, value: u32) {
        let at = word / 64;
        if let (Some(to), Some(set)) = (self.words.get_mut(word), self.set.get_mut(at)) {
            *to = value;
            *set |= 1 << (word % 64);
            if self.is_empty() {
                (self.low, self.high) = (at, at + 1);
            } else {
                (self.low, self.high) = (self.low.min(at), self.high.max(at + 1));
            }
        }
    }

    /// Gives what is kept away: operation, allocation, word, value.
    #[cold]
    pub fn drain(&mut self, mut each: impl FnMut(u32, usize, usize, u32)) {
        for at in self.low..self.high {
            let mut bits = std::mem::take(&mut self.set[at]);
            while bits != 0 {
                let word = at * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                each(self.pc, self.allocation, word, self.words[word]);
            }
        }
        (self.low, self.high) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, Puts};

    fn all(puts: &mut Puts) -> Vec<(usize, usize, u32)> {
        let mut all = Vec::new();
        puts.drain(|pc, allocation, word, value| {
            assert_eq!(pc, 9);
            all.push((allocation, word, value));
        });
        all
    }

    #[test]
    fn the_last_value_counts_once() {
        let mut puts = Puts::default();
        assert!(puts.is_empty() && puts.begin(3, 200, 9) && puts.is_empty());
        [(199, 1), (0, 2), (64, 3), (0, 4)].into_iter().for_each(|(word, value)| puts.put(word, value));
        assert!(puts.holds(3) && !puts.holds(2));
        assert_eq!(all(&mut puts), [(3, 0, 4), (3, 64, 3), (3, 199, 1)]);
        assert!(puts.is_empty() && !puts.holds(3));
        assert!(puts.begin(2, 70, 9));
        puts.put(64, 5);
        assert_eq!(all(&mut puts), [(2, 64, 5)], "of what was stored before nothing is left");
        assert!(!puts.begin(1, MOST + 1, 9));
    }
}
