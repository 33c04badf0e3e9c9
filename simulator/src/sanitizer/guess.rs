//! First guesses: plain loads of what an atomic of the same function corrects when they are stale. They are excused only
//! where such an atomic has been executed in this launch: one in a branch that nobody takes corrects nothing. Where the
//! text does not show that load and atomic have the same address (a probe of a hash table, in a loop that the compiler has
//! turned), the threads do: one of them must have given the atomic what it loaded last at that place.

use super::happens_before::sync::lanes;
use crate::observe::{AccessKind, PERHAPS, WarpAccess};
use std::collections::{HashMap, HashSet};

/// The guesses of a launch.
#[derive(Debug, Default)]
pub struct Guesses {
    /// Which group an instruction belongs to: loads, and the atomics that correct them.
    groups: HashMap<u32, u32>,
    /// Groups of which an atomic has been executed.
    ran: HashSet<u32>,
    /// Loads that may be guesses, those known to be, and where each thread (slot, thread) loaded last.
    perhaps: Vec<u32>,
    known: HashSet<u32>,
    last: HashMap<(u32, u32, u32), u64>,
}

impl Guesses {
    /// Learns of an access.
    #[inline]
    pub fn note(&mut self, access: &WarpAccess<'_>) {
        if access.group == 0 {
            return;
        }
        match access.kind {
            AccessKind::Load if access.group == PERHAPS => self.loaded(access),
            AccessKind::Load => drop(self.groups.insert(access.pc, access.group)),
            _ => {
                self.ran.insert(access.group);
                if !self.last.is_empty() {
                    self.compare(access);
                }
            }
        }
    }

    fn loaded(&mut self, access: &WarpAccess<'_>) {
        if self.known.contains(&access.pc) {
            return;
        }
        if !self.perhaps.contains(&access.pc) {
            self.perhaps.push(access.pc);
        }
        for (thread, address) in threads(access) {
            self.last.insert((access.warp.slot, thread, access.pc), address);
        }
    }

    fn compare(&mut self, access: &WarpAccess<'_>) {
        for (thread, address) in threads(access) {
            for &pc in &self.perhaps {
                if self.last.get(&(access.warp.slot, thread, pc)) == Some(&address) {
                    self.known.insert(pc);
                }
            }
        }
        let known = &self.known;
        self.perhaps.retain(|pc| !known.contains(pc));
        self.last.retain(|(_, _, pc), _| !known.contains(pc));
    }

    /// Another block has a slot.
    pub fn block_start(&mut self, slot: u32) {
        if !self.last.is_empty() {
            self.last.retain(|(known, _, _), _| *known != slot);
        }
    }

    /// Is the guess at `pc` corrected?
    pub fn corrected(&self, pc: u32) -> bool {
        self.known.contains(&pc) || self.groups.get(&pc).is_some_and(|group| self.ran.contains(group))
    }

    /// May the load at `pc` still turn out to be one that is corrected?
    pub fn may_be(&self, pc: u32) -> bool {
        self.perhaps.contains(&pc)
    }

    /// Another launch.
    pub fn clear(&mut self) {
        self.groups.clear();
        self.ran.clear();
        self.perhaps.clear();
        self.known.clear();
        self.last.clear();
    }
}

/// Threads of their block, and what each of them accesses.
fn threads(access: &WarpAccess<'_>) -> impl Iterator<Item = (u32, u64)> {
    let first = access.warp.warp * 32;
    lanes(access.mask).map(move |lane| (first + lane as u32, access.addresses[lane]))
}
