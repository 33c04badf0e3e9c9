//! First guesses: plain loads of what an atomic of the same function corrects when they are stale. They are excused only
//! where such an atomic has been executed in this launch: one in a branch that nobody takes corrects nothing.

use crate::observe::{AccessKind, WarpAccess};
use std::collections::{HashMap, HashSet};

/// The guesses of a launch.
#[derive(Debug, Default)]
pub struct Guesses {
    /// Which group an instruction belongs to: loads, and the atomics that correct them.
    groups: HashMap<u32, u32>,
    /// Groups of which an atomic has been executed.
    ran: HashSet<u32>,
}

impl Guesses {
    /// Learns of an access.
    #[inline]
    pub fn note(&mut self, access: &WarpAccess<'_>) {
        if access.group == 0 {
            return;
        }
        match access.kind {
            AccessKind::Load => drop(self.groups.insert(access.pc, access.group)),
            _ => drop(self.ran.insert(access.group)),
        }
    }

    /// Is the guess at `pc` corrected?
    pub fn corrected(&self, pc: u32) -> bool {
        self.groups.get(&pc).is_some_and(|group| self.ran.contains(group))
    }

    /// Another launch.
    pub fn clear(&mut self) {
        self.groups.clear();
        self.ran.clear();
    }
}
