//! Global memory as one host thread has it.

use super::global::Global;

/// Alone, or with others.
#[derive(Debug)]
pub enum View<'a> {
    /// Nobody else touches it meanwhile: words are read and written as plain ones, many at a time.
    Alone(&'a mut Global),
    /// Other host threads may: every access of a word is a relaxed atomic.
    Shared(&'a Global),
}

impl View<'_> {
    /// The memory.
    #[inline(always)]
    pub fn get(&self) -> &Global {
        match self {
            Self::Alone(global) => global,
            Self::Shared(global) => global,
        }
    }

    /// The same, lent for a while.
    #[inline(always)]
    pub fn lend(&mut self) -> View<'_> {
        match self {
            Self::Alone(global) => View::Alone(global),
            Self::Shared(global) => View::Shared(global),
        }
    }

    /// Does nobody else touch it?
    #[inline(always)]
    pub fn alone(&self) -> bool {
        matches!(self, Self::Alone(_))
    }
}
