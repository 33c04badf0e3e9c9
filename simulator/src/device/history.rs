//! What the host did to memory, kept for checks that are switched on later.

use super::Device;
use crate::sanitizer::Sanitizer;

/// Something the host did to memory.
#[derive(Debug, Clone, Copy)]
pub(super) enum History {
    Allocated(u64, u64),
    #[cfg(not(target_family = "wasm"))]
    AllocatedSparse(u64, u64),
    Written(u64, u64),
    Poisoned(u64, u64),
}

impl History {
    pub(super) fn range(&self) -> (u64, u64) {
        match *self {
            #[cfg(not(target_family = "wasm"))]
            Self::AllocatedSparse(at, size) => (at, size),
            Self::Allocated(at, size) | Self::Written(at, size) | Self::Poisoned(at, size) => (at, size),
        }
    }

    pub(super) fn order(&self) -> u8 {
        match self {
            Self::Allocated(..) => 0,
            #[cfg(not(target_family = "wasm"))]
            Self::AllocatedSparse(..) => 0,
            Self::Written(..) => 1,
            Self::Poisoned(..) => 2,
        }
    }

    fn overlaps(&self, other: &Self) -> bool {
        let ((a, m), (b, n)) = (self.range(), other.range());
        a < b + n && b < a + m
    }

    /// Does the same to what a check knows of memory.
    pub(super) fn replay(&self, sanitizer: &mut Sanitizer) {
        match *self {
            Self::Allocated(at, size) => sanitizer.allocated(at, size),
            #[cfg(not(target_family = "wasm"))]
            Self::AllocatedSparse(at, size) => sanitizer.allocated_sparse(at, size),
            Self::Written(at, size) => sanitizer.written(at, size),
            Self::Poisoned(at, size) => sanitizer.poisoned(at, size),
        }
    }
}

impl Device {
    pub(super) fn remember(&mut self, event: History) {
        // Writes of the same place again and again (one a launch) do not grow the list.
        if let Some(last) = self.history.iter().rposition(|known| known.range() == event.range()) {
            let replaces = !matches!(self.history[last], History::Allocated(..));
            let later = self.history[last + 1..].iter().all(|known| !known.overlaps(&event));
            if replaces && later {
                self.history[last] = event;
            } else {
                self.history.push(event);
            }
        } else {
            self.history.push(event);
        }
        if let Some((_, watch)) = &mut self.watch {
            event.replay(watch);
        }
        let (address, bytes) = event.range();
        self.defined.cells.written(address, bytes);
    }
}
