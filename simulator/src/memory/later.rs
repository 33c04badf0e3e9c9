//! What one host thread has done to global memory and the others do not see yet.
//!
//! PTX orders a relaxed operation with those on other addresses by fences only (PTX ISA, Memory Consistency Model). An atomic whose result
//! nobody reads need not be seen at once, so it is kept until something may see or show it: an access of the same allocation, an ordered
//! access, a fence, a wait, the end of the launch.

use super::global::Global;
use super::ledger::{Entry, Ledger};
use super::puts::Puts;
use super::sums::Sums;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// What comes later.
#[derive(Debug, Default)]
pub struct Later {
    /// Additions.
    pub sums: Sums,
    /// Exchanges, where all that the kernel does to global memory by atomics are such.
    puts: Option<Puts>,
    /// All atomics on global memory, where they have to come in the order of blocks: none of them has a result.
    pub ledger: Option<Ledger>,
}

impl Later {
    /// Of a launch of a kernel that only exchanges words, if `exchanges`, and of one whose atomics are put down.
    #[cfg(feature = "threads")]
    pub fn new(exchanges: bool, ledger: Option<Ledger>) -> Self {
        Self { puts: exchanges.then(Puts::default), ledger, ..Self::default() }
    }

    /// Is there nothing that somebody may have to wait for? What is put down nobody may look at.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        let kept = |puts: &Puts| self.ledger.is_none() && !puts.is_empty();
        self.sums.is_empty() && !self.puts.as_ref().is_some_and(kept)
    }

    /// Is there, in that allocation?
    #[inline(always)]
    pub fn holds(&self, allocation: usize) -> bool {
        let kept = |puts: &Puts| self.ledger.is_none() && puts.holds(allocation);
        self.sums.holds(allocation) || self.puts.as_ref().is_some_and(kept)
    }

    /// Lets the others see it.
    #[cold]
    pub fn settle(&mut self, global: &Global) {
        self.sums.settle(global);
        if self.ledger.is_none() {
            self.settle_puts(global);
        }
    }

    /// Where exchanges of an allocation's words are kept; nothing if they are not.
    #[inline(always)]
    pub fn puts(&mut self, global: &Global, allocation: usize, pc: u32) -> Option<&mut Puts> {
        if !self.puts.as_ref()?.holds(allocation) {
            self.settle_puts(global);
            let words = global.allocations[allocation].words.len();
            if !self.puts.as_mut()?.begin(allocation, words, pc) {
                return None;
            }
        }
        self.puts.as_mut()
    }

    #[cold]
    fn settle_puts(&mut self, global: &Global) {
        let Self { puts: Some(puts), ledger, .. } = self else { return };
        puts.drain(|pc, allocation, word, value| match ledger {
            Some(ledger) => {
                ledger.note(Entry { pc, allocation: allocation as u32, offset: 4 * word as u64, operand: value.into() })
            }
            None => {
                if let Some(word) = global.allocations[allocation].words.get(word) {
                    word.store(value, Relaxed);
                }
            }
        });
    }

    /// See [`super::view::View::put_down`].
    pub fn put_down(&mut self, global: &Global, entry: Entry) -> bool {
        if self.ledger.is_some() {
            self.settle_puts(global);
        }
        let Some(ledger) = &mut self.ledger else { return false };
        ledger.note(entry);
        true
    }

    /// A row of blocks is over.
    pub fn end_row(&mut self, global: &Global, row: Range<u64>, apply: impl FnMut(Entry)) {
        if self.ledger.is_some() {
            self.settle_puts(global);
        }
        if let Some(ledger) = &mut self.ledger {
            ledger.end_row(row, apply);
        }
    }
}
