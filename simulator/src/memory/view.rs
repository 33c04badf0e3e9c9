//! Global memory as one host thread has it.

use super::global::Global;
use super::later::Later;
use super::ledger::{Entry, Ledger};
use std::ops::Range;

/// That several host threads may run a kernel; without that feature there is no such thing.
#[derive(Debug, Clone, Copy)]
pub enum Several {
    #[cfg(feature = "threads")]
    Threads,
}

/// Alone, or with others.
#[derive(Debug)]
pub enum View<'a> {
    /// Nobody else touches it meanwhile: words are read and written as plain ones, many at a time.
    Alone(&'a mut Global),
    /// Other host threads may: every access of a word is a relaxed atomic, and some atomics of the kernel come later.
    Shared(&'a Global, &'a mut Later, Several),
}

impl View<'_> {
    /// The memory.
    #[inline(always)]
    pub fn get(&self) -> &Global {
        match self {
            Self::Alone(global) => global,
            Self::Shared(global, ..) => global,
        }
    }

    /// The same, lent for a while.
    #[inline(always)]
    pub fn lend(&mut self) -> View<'_> {
        match self {
            Self::Alone(global) => View::Alone(global),
            Self::Shared(global, later, several) => View::Shared(global, later, *several),
        }
    }

    /// Lets others see all that was done to it.
    #[inline(always)]
    pub fn settle(&mut self) {
        if let Self::Shared(global, later, _) = self
            && !later.is_empty()
        {
            later.settle(global);
        }
    }

    /// The same before an access that may see or show what is kept, if it is to that allocation or is ordered.
    #[inline(always)]
    pub fn settle_before(&mut self, allocation: usize, ordered: bool) {
        if let Self::Shared(global, later, _) = self
            && (later.holds(allocation) || ordered && !later.is_empty())
        {
            later.settle(global);
        }
    }

    /// Puts down an atomic on global memory instead of doing it, where all are; says whether that is so.
    #[inline(always)]
    pub fn put_down(&mut self, entry: Entry) -> bool {
        let Self::Shared(global, later, _) = self else { return false };
        later.put_down(global, entry)
    }

    /// Is more to be put down than there is room for?
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Shared(_, later, _) if later.ledger.as_ref().is_some_and(Ledger::is_full))
    }

    /// A row of blocks is over: what they have put down is done, once all rows before are.
    pub fn end_row(&mut self, row: Range<u64>, mut apply: impl FnMut(&Global, Entry)) {
        if let Self::Shared(global, later, _) = self {
            later.end_row(global, row, |entry| apply(global, entry));
        }
    }

    /// Does nobody else touch it?
    #[inline(always)]
    pub fn alone(&self) -> bool {
        matches!(self, Self::Alone(_))
    }
}
