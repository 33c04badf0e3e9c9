//! Loads that look again at the word they looked at before, as a loop does that waits: how often depends on who comes when, so they are
//! counted apart from what a kernel reads.

use crate::observe::WarpId;
use crate::random::mix;
use std::collections::HashMap;

/// Warps remembered; with more everything is forgotten, and the next look of each is a first one.
const WARPS: usize = 1 << 16;

/// What was looked at last: by block and warp, for each operation and first lane where its lanes read.
#[derive(Debug, Default)]
pub struct Polls {
    last: HashMap<(u64, u32), Vec<Look>>,
}

/// One operation's last look.
#[derive(Debug)]
struct Look {
    lane: u32,
    pc: u32,
    /// Where its lanes read, as a hash.
    place: u64,
}

impl Polls {
    /// Lanes of a warp read at these addresses: have they just done so by the same operation?
    #[inline(never)]
    pub fn again(&mut self, by: WarpId, pc: usize, mask: u32, addresses: &[u64; 32]) -> bool {
        let asked = (0..32).filter(|lane| mask >> lane & 1 != 0).map(|lane| addresses[lane]);
        // Which lanes ask does not matter, only what they ask for.
        let (place, _) = asked.fold((0, None), |(place, before), address| {
            let again = before == Some(address);
            (if again { place } else { mix(place ^ address) }, Some(address))
        });
        if self.last.len() >= WARPS {
            self.last.clear();
        }
        let (lane, pc) = (mask.trailing_zeros(), pc as u32);
        let mine = self.last.entry((by.block, by.warp)).or_default();
        match mine.iter_mut().find(|look| (look.lane, look.pc) == (lane, pc)) {
            Some(look) => std::mem::replace(&mut look.place, place) == place,
            None => {
                mine.push(Look { lane, pc, place });
                false
            }
        }
    }

    /// A warp has written something: whoever does so between two looks does not wait.
    #[inline(always)]
    pub fn forget(&mut self, by: WarpId) {
        if !self.last.is_empty() {
            self.forget_warp(by);
        }
    }

    #[inline(never)]
    fn forget_warp(&mut self, by: WarpId) {
        self.last.remove(&(by.block, by.warp));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_place_again_is_a_poll() {
        let mut polls = Polls::default();
        let by = |warp| WarpId { block: 7, slot: 0, warp };
        let at = |address: u64| [address; 32];
        assert!(!polls.again(by(0), 3, 1, &at(64)));
        assert!(polls.again(by(0), 3, 1, &at(64)));
        assert!(!polls.again(by(0), 3, 1, &at(68)), "elsewhere");
        assert!(!polls.again(by(0), 3, 1, &at(64)), "back there is a look of its own");
        assert!(!polls.again(by(0), 4, 1, &at(64)), "another operation");
        assert!(!polls.again(by(1), 3, 1, &at(64)), "another warp");
        let mut other = at(64);
        other[5] = 96;
        assert!(!polls.again(by(0), 3, 1 | 1 << 5, &other), "one lane looks elsewhere");
        assert!(polls.again(by(0), 3, 1 | 1 << 5, &other));
        polls.forget(by(1));
        assert!(polls.again(by(0), 3, 1 | 1 << 5, &other), "another warp has written");
        polls.forget(by(0));
        assert!(!polls.again(by(0), 3, 1 | 1 << 5, &other), "it has written");
    }
}
