//! Is an access ordered after those before it? What a cell does when somebody accesses it.

use super::clock::{ClockId, Clocks, NOTHING};
use super::epoch::Epoch;
use super::shadow::{Cell, EMPTY};
use super::state::{Slot, Warp};
use crate::observe::{AccessKind, Scope};

/// Who accesses, and what is known of the order of things.
pub struct Actor<'a> {
    /// Its block.
    pub slot: &'a Slot,
    /// Its warp.
    pub warp: &'a Warp,
    /// All published clocks.
    pub clocks: &'a mut Clocks,
    /// What it has acquired.
    pub acquired: ClockId,
}

impl Actor<'_> {
    /// Is `before` ordered before the access `now`?
    #[inline(always)]
    fn ordered(&mut self, before: Epoch, now: Epoch) -> bool {
        if before.block() == now.block() && !before.is_copy() {
            if before.phase() < now.phase() {
                return true;
            }
            if before.same_warp(now) {
                let pair = self
                    .warp
                    .pairs
                    .as_ref()
                    .map_or(0, |pairs| pairs[now.thread() as usize % 32][before.thread() as usize % 32]);
                if before.clock() < self.warp.known.max(pair) {
                    return true;
                }
            }
        }
        self.acquired != NOTHING && self.clocks.knows(self.acquired, before, self.slot.block as u32)
    }

    /// Does `now` race with `before`?
    #[inline]
    fn races(&mut self, before: Epoch, now: Epoch, silent: bool) -> bool {
        if before.is_none() || (before.same_thread(now) && !before.is_copy()) {
            return false;
        }
        let (old, new) = (before.how(), now.how());
        if old.kind == AccessKind::Load && new.kind == AccessKind::Load {
            return false;
        }
        if morally_strong(before, now) {
            return false;
        }
        if old.kind == AccessKind::Store
            && new.kind == AccessKind::Store
            && (silent || (before.same_warp(now) && before.pc() == now.pc()))
        {
            return false;
        }
        !self.ordered(before, now)
    }

    /// Do all lanes of the warp know the same of others?
    pub fn alike(&self) -> bool {
        let none = |acquired: &[ClockId; 32]| acquired.iter().fold(true, |all, &acquired| all & (acquired == NOTHING));
        self.warp.pairs.is_none() && self.acquired == NOTHING && none(&self.warp.acquired)
    }

    /// What [`Actor::meet`] does, with a short way for what is most frequent: everything before lies behind a barrier or is
    /// the thread's own; readers beside readers; atomics after atomics.
    #[inline(always)]
    pub fn touch(&mut self, cell: &mut Cell, now: Epoch, silent: bool) -> Option<Epoch> {
        let past = |before: Epoch| {
            let mine = before.block() == now.block() && !before.is_copy();
            before.is_none() || (mine && (before.same_thread(now) || before.phase() < now.phase()))
        };
        let [a, b] = cell.others;
        match now.how().kind {
            AccessKind::Load if past(cell.write) && a.is_load() && b.is_load() => {
                self.remember(cell, now);
                None
            }
            AccessKind::Store if !now.how().strong && past(cell.write) && past(a) && past(b) => {
                *cell = Cell { write: now, ..EMPTY };
                None
            }
            AccessKind::Atomic
                if a.is_none() && b.is_none() && (cell.write.is_none() || morally_strong(cell.write, now)) =>
            {
                cell.write = now;
                None
            }
            _ => self.meet(cell, now, silent),
        }
    }

    /// Looks at a cell, updates it, and returns the access that `now` races with.
    #[inline]
    pub fn meet(&mut self, cell: &mut Cell, now: Epoch, silent: bool) -> Option<Epoch> {
        let writes = now.how().kind != AccessKind::Load;
        let mut other = (self.races(cell.write, now, silent) && !self.observed(cell, now)).then_some(cell.write);
        for before in cell.others {
            let matters = writes || before.how().kind != AccessKind::Load;
            if matters && other.is_none() && self.races(before, now, silent) {
                other = Some(before);
            }
        }
        if writes {
            cell.others = self.beside(cell, now);
            cell.write = now;
        } else {
            self.remember(cell, now);
        }
        other
    }

    /// What must stay remembered beside the write `now`. A plain store takes the place of everything: what was before it
    /// is ordered or has been complained about. A strong one does not order what others do next, so plain accesses
    /// before it, its own thread's too, and others' unordered atomics still matter.
    #[inline]
    fn beside(&mut self, cell: &Cell, now: Epoch) -> [Epoch; 2] {
        let mut kept = [Epoch::NONE; 2];
        if !now.how().strong {
            return kept;
        }
        let mut free = 0;
        let all = [cell.write, cell.others[0], cell.others[1]];
        let weak_write = |before: Epoch| !before.how().strong && before.how().kind != AccessKind::Load;
        // Plain writes first: everybody can race with them.
        for plain in [true, false] {
            for before in all {
                if before.is_none() || weak_write(before) != plain || free == kept.len() {
                    continue;
                }
                let matters = if before.how().strong {
                    // An atomic observes the strong writes before it: whoever is ordered after it is ordered after them.
                    let observes = now.how().kind == AccessKind::Atomic && morally_strong(before, now);
                    before.how().kind != AccessKind::Load
                        && !before.same_thread(now)
                        && !observes
                        && !self.ordered(before, now)
                } else {
                    true
                };
                if matters {
                    kept[free] = before;
                    free += 1;
                }
            }
        }
        kept
    }

    /// Has a strong load that is before `now` read the cell's write? Then that write is before `now` too.
    fn observed(&mut self, cell: &Cell, now: Epoch) -> bool {
        cell.others.into_iter().any(|read| {
            // A write forgets the strong loads before it, so this one came after.
            !read.is_none()
                && read.how().kind == AccessKind::Load
                && morally_strong(cell.write, read)
                && (read.same_thread(now) || self.ordered(read, now))
        })
    }

    /// Keeps a read: in place of one that is before it, else in a free place, else so that the two kept are of
    /// different warps.
    #[inline(always)]
    fn remember(&mut self, cell: &mut Cell, now: Epoch) {
        let [a, b] = cell.others;
        let replaceable =
            |actor: &mut Self, kept: Epoch| kept.is_none() || kept.same_thread(now) || actor.ordered(kept, now);
        if replaceable(self, a) {
            cell.others[0] = now;
        } else if replaceable(self, b) || (a.same_warp(b) && !a.same_warp(now)) {
            cell.others[1] = now;
        }
    }
}

/// May the two meet without a race? Both strong, at scopes that hold both threads.
fn morally_strong(a: Epoch, b: Epoch) -> bool {
    let (x, y) = (a.how(), b.how());
    let reach = a.block() == b.block() || x.scope.min(y.scope) >= Scope::Gpu;
    let loose = (x.loose || y.loose) && a.same_warp(b);
    x.strong && y.strong && reach && !loose
}
