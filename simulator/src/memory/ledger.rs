//! What blocks on several host threads do to global memory by atomics whose result nobody reads, put down in order.
//!
//! A sum of reals depends on the order of its terms. So each host thread puts down the atomics of the blocks that it runs, which are
//! rows of the grid's, and rows are made up for in the order of the grid: each word comes to what one host thread would have left there.
//! Nobody may look at such a word in the meantime; whoever watches the launch sees to that (`sanitizer::share`).

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// An atomic by one lane.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The operation.
    pub pc: u32,
    /// Index of the allocation.
    pub allocation: u32,
    /// Where in it.
    pub offset: u64,
    /// Its operand.
    pub operand: u64,
}

/// Entries of a row, and of rows that wait for one before them: more are too many.
const MOST: usize = 1 << 21;

/// What one host thread has put down of the row that it is at.
#[derive(Debug)]
pub struct Ledger {
    entries: Vec<Entry>,
    rows: Arc<Rows>,
    full: bool,
}

impl Ledger {
    /// Of one of the host threads that share `rows`.
    #[cfg(any(feature = "threads", test))]
    pub fn new(rows: &Arc<Rows>) -> Self {
        Self { entries: Vec::new(), rows: Arc::clone(rows), full: false }
    }

    /// Puts down one more.
    #[inline(always)]
    pub fn note(&mut self, entry: Entry) {
        if self.entries.len() < MOST {
            self.entries.push(entry);
        } else {
            self.full = true;
        }
    }

    /// Was there more than can be put down? What is there then is of no use.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// The row of blocks is over: makes up for it, and for those that wait for it, or leaves that to whoever runs the row before it.
    pub fn end_row(&mut self, row: Range<u64>, apply: impl FnMut(Entry)) {
        let entries = std::mem::take(&mut self.entries);
        match self.rows.end(row, entries, apply) {
            Some(room) => self.entries = room,
            None => self.full = true,
        }
    }
}

/// The rows of a launch.
#[derive(Debug, Default)]
pub struct Rows(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// All blocks before this one have been made up for.
    next: u64,
    /// Somebody is at it.
    busy: bool,
    /// Rows that are over, by their first block: the end and what was put down.
    waiting: BTreeMap<u64, (u64, Vec<Entry>)>,
    /// Entries that wait.
    entries: usize,
    /// Room that is no longer needed.
    room: Vec<Vec<Entry>>,
}

impl Rows {
    /// Gives room for the next row; nothing if too much waits.
    fn end(&self, row: Range<u64>, entries: Vec<Entry>, mut apply: impl FnMut(Entry)) -> Option<Vec<Entry>> {
        let mut state = self.0.lock().ok()?;
        state.entries += entries.len();
        state.waiting.insert(row.start, (row.end, entries));
        if state.entries > MOST {
            return None;
        }
        while !state.busy {
            let next = state.next;
            let Some((end, mut entries)) = state.waiting.remove(&next) else { break };
            state.busy = true;
            drop(state);
            entries.iter().copied().for_each(&mut apply);
            state = self.0.lock().ok()?;
            (state.next, state.busy) = (end, false);
            state.entries -= entries.len();
            entries.clear();
            state.room.push(entries);
        }
        Some(state.room.pop().unwrap_or_default())
    }

    /// Has been made up for all of so many blocks?
    #[cfg(any(feature = "threads", test))]
    pub fn are_over(&self, blocks: u64) -> bool {
        self.0.lock().is_ok_and(|state| state.next >= blocks && state.waiting.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, Ledger, MOST, Rows};
    use std::sync::Arc;

    fn entry(operand: u64) -> Entry {
        Entry { pc: 0, allocation: 0, offset: 0, operand }
    }

    #[test]
    fn rows_are_made_up_for_in_order() {
        let rows = Arc::new(Rows::default());
        let [mut a, mut b] = [Ledger::new(&rows), Ledger::new(&rows)];
        let mut done = Vec::new();
        (0..3).for_each(|at| a.note(entry(at)));
        (10..12).for_each(|at| b.note(entry(at)));
        b.end_row(8..12, |entry| done.push(entry.operand));
        b.note(entry(20));
        b.end_row(12..20, |entry| done.push(entry.operand));
        assert!(done.is_empty() && !rows.are_over(20), "the first row is not over");
        a.end_row(0..8, |entry| done.push(entry.operand));
        assert_eq!(done, [0, 1, 2, 10, 11, 20]);
        assert!(rows.are_over(20) && !rows.are_over(21));
        a.end_row(20..21, |entry| done.push(entry.operand));
        assert!(rows.are_over(21) && done.len() == 6, "what was put down counts once");
    }

    #[test]
    fn too_much_is_said_to_be() {
        let rows = Arc::new(Rows::default());
        let mut ledger = Ledger::new(&rows);
        (0..MOST as u64).for_each(|at| ledger.note(entry(at)));
        assert!(!ledger.is_full());
        ledger.note(entry(0));
        assert!(ledger.is_full());
        let mut other = Ledger::new(&rows);
        (0..MOST as u64).for_each(|at| other.note(entry(at)));
        other.end_row(1..2, |_| ());
        assert!(!other.is_full());
        other.note(entry(0));
        other.end_row(2..3, |_| ());
        assert!(other.is_full(), "of rows together");
    }
}
