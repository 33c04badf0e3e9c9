//! Which bytes of an allocation kernels have read. Host threads note side by side; nobody looks before a launch has ended.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A word of flags for each word of memory, a byte of it for each byte.
#[derive(Debug)]
pub struct Reads {
    flags: Box<[AtomicU32]>,
    /// No launch has run since they were made.
    none: bool,
}

/// All bytes of a word.
const WHOLE: u32 = 0x0101_0101;

impl Reads {
    /// Of so many words nothing.
    pub fn none(words: usize) -> Self {
        Self { flags: (0..words).map(|_| AtomicU32::new(0)).collect(), none: true }
    }

    /// Notes `size` bytes from `offset` on, 1 to 16 and naturally aligned in what they are elements of.
    #[inline]
    pub fn note(&self, offset: u64, size: u32) {
        let (first, within) = ((offset >> 2) as usize, offset as u32 & 3);
        if within + size > 4 || size == 4 {
            // Who only looks leaves the cache line to others, too.
            let words = self.flags.get(first..first + size.div_ceil(4) as usize).unwrap_or_default();
            words.iter().filter(|word| word.load(Relaxed) != WHOLE).for_each(|word| word.store(WHOLE, Relaxed));
        } else if let Some(word) = self.flags.get(first) {
            let bytes = (WHOLE >> (32 - 8 * size)) << (8 * within);
            if word.load(Relaxed) & bytes != bytes {
                word.fetch_or(bytes, Relaxed);
            }
        }
    }

    /// A launch has run.
    pub fn launched(&mut self) {
        self.none = false;
    }

    /// Has nothing been read, for certain?
    #[cfg(feature = "threads")]
    pub fn are_none(&self) -> bool {
        self.none
    }

    /// A word for each word of memory.
    #[cfg(feature = "threads")]
    pub fn flags(&mut self) -> &mut [AtomicU32] {
        &mut self.flags
    }

    /// The first `bytes` that were never read, from and to, ascending.
    pub fn left(&self, bytes: u64) -> Vec<Range<u64>> {
        let mut left: Vec<Range<u64>> = Vec::new();
        let mut add = |from: u64, to: u64| match left.last_mut() {
            Some(last) if last.end == from => last.end = to,
            _ => left.push(from..to),
        };
        for (at, word) in self.flags.iter().enumerate() {
            let (flags, base) = (word.load(Relaxed), at as u64 * 4);
            match flags {
                WHOLE => {}
                0 => add(base, (base + 4).min(bytes)),
                _ => {
                    let unread = |byte: &u64| flags >> (8 * byte) & 1 == 0 && base + byte < bytes;
                    (0..4).filter(unread).for_each(|byte| add(base + byte, base + byte + 1));
                }
            }
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::Reads;

    #[test]
    fn what_nobody_read_is_left() {
        let reads = Reads::none(5);
        assert_eq!(reads.left(18), std::slice::from_ref(&(0..18)));
        reads.note(0, 2);
        reads.note(3, 1);
        reads.note(8, 4);
        assert_eq!(reads.left(18), [2..3, 4..8, 12..18]);
        reads.note(8, 8);
        assert_eq!(reads.left(18), [2..3, 4..8, 16..18]);
        reads.note(4, 4);
        reads.note(2, 1);
        reads.note(16, 2);
        assert_eq!(reads.left(18), []);
    }
}
