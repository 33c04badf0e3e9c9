//! Which column of the picture a value has: its thread's, or its word's number in its array.

use super::{Holder, Spot};
use std::collections::BTreeSet;

/// A value's place before its column is known: a thread's register, or an address.
pub type Place = (Holder, u64);

/// Which column an address has: its number in its array.
pub struct Columns {
    shared: Vec<u64>,
    /// First and last address of each array in global memory.
    arrays: Vec<(u64, u64)>,
    /// Bytes of a word in global memory.
    word: u64,
}

impl Columns {
    /// Of all places of a tree.
    pub fn of(places: BTreeSet<Place>) -> Self {
        let of = |holder: Holder| places.iter().filter(move |place| place.0 == holder).map(|place| place.1);
        // Arrays lie further apart than their words.
        const APART: u64 = 64;
        let mut arrays: Vec<(u64, u64)> = Vec::new();
        let mut word = APART;
        for address in of(Holder::Global) {
            match arrays.last_mut() {
                Some((_, last)) if address - *last < APART => {
                    word = word.min(address - *last);
                    *last = address;
                }
                _ => arrays.push((address, address)),
            }
        }
        Self { shared: of(Holder::Shared).collect(), arrays, word }
    }

    /// Where a place is drawn.
    pub fn spot(&self, (holder, at): Place) -> Spot {
        let column = match holder {
            Holder::Register => at as usize,
            Holder::Host => 0,
            Holder::Shared => self.shared.binary_search(&at).unwrap_or_default(),
            Holder::Global => {
                let array = self.arrays.iter().find(|(first, last)| (*first..=*last).contains(&at));
                array.map_or(0, |(first, _)| ((at - first) / self.word) as usize)
            }
        };
        Spot { holder, column }
    }
}
