//! Global memory as one host thread has it.

use super::global::Global;
use super::sums::Sums;

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
    /// Other host threads may: every access of a word is a relaxed atomic, and some additions come later.
    Shared(&'a Global, &'a mut Sums, Several),
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
            Self::Shared(global, sums, several) => View::Shared(global, sums, *several),
        }
    }

    /// Lets others see all that was done to it.
    #[inline(always)]
    pub fn settle(&mut self) {
        if let Self::Shared(global, sums, _) = self
            && !sums.is_empty()
        {
            sums.settle(global);
        }
    }

    /// The same before an access that others' sums may be seen by, if it is to that allocation or is ordered.
    #[inline(always)]
    pub fn settle_before(&mut self, allocation: usize, ordered: bool) {
        if let Self::Shared(global, sums, _) = self
            && (sums.holds(allocation) || ordered && !sums.is_empty())
        {
            sums.settle(global);
        }
    }

    /// Does nobody else touch it?
    #[inline(always)]
    pub fn alone(&self) -> bool {
        matches!(self, Self::Alone(_))
    }
}
