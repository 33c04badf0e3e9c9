//! How many bytes atomics change as one. Two of them exclude each other where these are the same bytes: one of a word and one of a half
//! of it are no better than plain accesses to each other.

use super::cells::epoch::Epoch;
use super::cells::shadow::Cell;

/// The atomics of a launch.
#[derive(Debug, Default)]
pub struct Sizes {
    /// By instruction; 0 of what is none, or has not run.
    of: Vec<u8>,
    /// All of them, a bit each: they are powers of two.
    seen: u32,
}

impl Sizes {
    /// An instruction changes so many bytes as one.
    #[inline]
    pub fn note(&mut self, pc: u32, bytes: u32) {
        let at = pc as usize;
        if self.of.get(at).is_some_and(|known| u32::from(*known) == bytes) {
            return;
        }
        if self.of.len() <= at {
            self.of.resize(at + 1, 0);
        }
        self.of[at] = bytes as u8;
        self.seen |= bytes;
    }

    /// Are there several in the launch?
    #[inline(always)]
    pub fn are_several(&self) -> bool {
        !(self.seen == 0 || self.seen.is_power_of_two())
    }

    /// Those of two parts of a launch.
    #[cfg(feature = "threads")]
    pub fn with(&self, other: &Self) -> Self {
        let mut both = Self { of: self.of.clone(), seen: self.seen };
        let more = other.of.iter().enumerate().filter(|(_, bytes)| **bytes > 0);
        more.for_each(|(pc, bytes)| both.note(pc as u32, (*bytes).into()));
        both
    }

    /// Are accesses that two cells remember atomics of different sizes?
    #[cfg(feature = "threads")]
    pub fn are_mixed(&self, cells: [&Cell; 2]) -> bool {
        self.are_several() && {
            let all = cells.into_iter().flat_map(Cell::accesses);
            let mut known = all.filter(|access| !access.is_none());
            known.next().is_some_and(|first| known.any(|access| self.differ(first, access)))
        }
    }

    /// Are these two atomics of different sizes? What they have in common is a part of one of them then.
    #[inline(always)]
    pub fn differ(&self, a: Epoch, b: Epoch) -> bool {
        self.are_several() && {
            let of = |epoch: Epoch| {
                if epoch.is_none() { None } else { self.of.get(epoch.pc() as usize).filter(|of| **of > 0) }
            };
            of(a).zip(of(b)).is_some_and(|(a, b)| a != b)
        }
    }

    /// Is `now` of the same size as all that a cell remembers?
    #[inline(always)]
    pub fn fit(&self, cell: &Cell, now: Epoch) -> bool {
        !self.are_several() || cell.accesses().into_iter().all(|before| !self.differ(before, now))
    }

    /// Another launch.
    pub fn clear(&mut self) {
        self.of.clear();
        self.seen = 0;
    }
}
