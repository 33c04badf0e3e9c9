//! Caches of several sizes at once. What was used longest ago is forgotten, so that a small cache holds a part of what a larger
//! one holds: one list in the order of use does for all, with a mark where each of them ends.

use super::CAPACITIES;
use crate::random::ByNumber;

/// Bytes of a line.
pub const LINE: u64 = 128;
const CACHES: usize = CAPACITIES.len();
const NOBODY: u32 = u32::MAX;

/// A line that was used.
struct Line {
    /// Those used before and after it.
    older: u32,
    newer: u32,
    /// The smallest cache that it is in.
    zone: u8,
    /// Its sectors in each cache, a bit each.
    there: [u8; CACHES],
    /// In which turn each of them came.
    fetched: [[u32; 4]; CACHES],
}

/// Caches of [`CAPACITIES`].
pub struct Stack {
    places: ByNumber<u32>,
    lines: Vec<Line>,
    newest: u32,
    /// The line in each cache that was used longest ago.
    oldest: [u32; CACHES],
    /// Lines in the list, as many as the largest holds at most.
    held: u64,
}

/// What an access did not find, by cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Missed {
    /// Sectors that were not there, a bit each.
    pub missed: [u8; CACHES],
    /// Those, and those that came in the same or the last turn.
    pub late: [u8; CACHES],
}

impl Stack {
    /// Empty ones.
    pub fn new() -> Self {
        Self { places: ByNumber::default(), lines: Vec::new(), newest: NOBODY, oldest: [NOBODY; CACHES], held: 0 }
    }

    /// Uses sectors of a line.
    pub fn access(&mut self, line: u64, sectors: u8, turn: u32) -> Missed {
        let at = self.bring(line);
        let known = &mut self.lines[at];
        let from = usize::from(known.zone);
        known.zone = 0;
        let mut found = Missed::default();
        for cache in 0..CACHES {
            if cache < from {
                known.there[cache] = 0;
            }
            let missed = sectors & !known.there[cache];
            let mut late = missed;
            for sector in 0..4 {
                if missed >> sector & 1 != 0 {
                    known.fetched[cache][sector] = turn;
                } else if sectors >> sector & 1 != 0 && turn <= known.fetched[cache][sector] + 1 {
                    late |= 1 << sector;
                }
            }
            known.there[cache] |= sectors;
            (found.missed[cache], found.late[cache]) = (missed, late);
        }
        found
    }

    /// Moves a line to the front; its zone still says where it was.
    fn bring(&mut self, line: u64) -> usize {
        let next = self.lines.len() as u32;
        let at = *self.places.entry(line).or_insert(next);
        if at == next {
            let zone = CACHES as u8;
            let (there, fetched) = ([0; CACHES], [[0; 4]; CACHES]);
            self.lines.push(Line { older: NOBODY, newer: NOBODY, zone, there, fetched });
        }
        if at == self.newest {
            return at as usize;
        }
        let zone = usize::from(self.lines[at as usize].zone);
        let absent = zone == CACHES;
        // A full cache that does not have it gives up its oldest line.
        for (cache, bytes) in CAPACITIES.iter().enumerate().take(zone) {
            let oldest = self.oldest[cache];
            if self.held >= bytes / LINE && oldest != NOBODY {
                self.lines[oldest as usize].zone = cache as u8 + 1;
                self.oldest[cache] = self.lines[oldest as usize].newer;
                if cache + 1 == CACHES {
                    self.unlink(oldest);
                }
            }
        }
        if !absent {
            let newer = self.lines[at as usize].newer;
            for oldest in self.oldest.iter_mut().filter(|oldest| **oldest == at) {
                *oldest = newer;
            }
            self.unlink(at);
        }
        let newest = self.newest;
        (self.lines[at as usize].older, self.lines[at as usize].newer) = (newest, NOBODY);
        if newest != NOBODY {
            self.lines[newest as usize].newer = at;
        }
        self.newest = at;
        self.held += 1;
        for oldest in self.oldest.iter_mut().filter(|oldest| **oldest == NOBODY) {
            *oldest = at;
        }
        at as usize
    }

    fn unlink(&mut self, at: u32) {
        let (older, newer) = (self.lines[at as usize].older, self.lines[at as usize].newer);
        if older != NOBODY {
            self.lines[older as usize].newer = newer;
        }
        match newer {
            NOBODY => self.newest = older,
            newer => self.lines[newer as usize].older = older,
        }
        self.held -= 1;
    }
}
