//! Is an access ordered after those before it? What a cell does when somebody accesses it.

use super::epoch::Epoch;
use super::shadow::{Cell, EMPTY};
use crate::observe::{AccessKind, Scope};
use crate::sanitizer::guess::Guesses;
use crate::sanitizer::happens_before::clock::Clock;
use crate::sanitizer::happens_before::state::Warp;
use crate::sanitizer::sizes::Sizes;

/// Who accesses, and what is known of the order of things.
pub struct Actor<'a> {
    /// Its warp.
    pub warp: &'a Warp,
    /// What it has acquired.
    pub acquired: &'a Clock,
    /// Everything counts as ordered.
    pub full: bool,
    /// The write that its thread has read here last, if that handed it over: what was published with it was known before, or waited for.
    pub handed: Option<Epoch>,
    /// Which first guesses are corrected.
    pub guesses: &'a Guesses,
    /// How much atomics change as one.
    pub sizes: &'a Sizes,
}

/// What is wrong with an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clash {
    /// The access before it.
    pub other: Epoch,
    /// Both store the same value, so that it does not matter which one comes last.
    pub same_value: bool,
    /// They are in order, but for the proxies that they go through.
    pub unfenced_proxy: bool,
}

impl Actor<'_> {
    /// Is `before` ordered before the access `now`?
    #[inline(always)]
    pub fn ordered(&self, before: Epoch, now: Epoch) -> bool {
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
        self.full || self.acquired.knows(before)
    }

    /// Does `now` race with `before`?
    #[inline]
    fn races(&self, before: Epoch, now: Epoch, silent: bool) -> Option<Clash> {
        if before.is_none() || (before.is_load() && now.is_load()) {
            return None;
        }
        let clash = Clash { other: before, same_value: false, unfenced_proxy: false };
        // The read-only cache may hold what was there when the launch began, whoever has written since, and when. What was read by
        // a texture or surface instruction may be written later.
        if before.is_read_only() || now.is_cached() {
            return Some(clash);
        }
        if before.same_thread(now) && !before.is_copy() {
            return None;
        }
        if self.morally_strong(before, now) {
            return None;
        }
        let stores = before.how().kind == AccessKind::Store && now.how().kind == AccessKind::Store;
        if stores && before.same_warp(now) && before.pc() == now.pc() && !now.how().mark {
            return None;
        }
        let same_value = stores && silent && !now.how().mark;
        (!self.ordered(before, now)).then_some(Clash { same_value, ..clash })
    }

    /// May the two meet without a race? Both strong, at scopes that hold both threads, and of the same bytes where both are atomics.
    fn morally_strong(&self, a: Epoch, b: Epoch) -> bool {
        let (x, y) = (a.how(), b.how());
        let reach = a.block() == b.block() || x.scope.min(y.scope) >= Scope::Gpu;
        // What nobody decides by is no flag, and counts on an order that an unfenced store has not.
        let loose = (x.loose || y.loose) && a.same_warp(b) || x.alone && y.alone;
        if !(x.strong && y.strong && reach && !loose) || self.sizes.differ(a, b) {
            return false;
        }
        let guess = |epoch: Epoch| !epoch.is_guess() || self.guesses.corrected(epoch.pc());
        // Two writes of which one puts back what its thread read and changed: one of them is lost.
        let lost = |store: Epoch, other: Epoch| store.is_update() && !other.is_load();
        guess(a) && guess(b) && !lost(a, b) && !lost(b, a)
    }

    /// Do all lanes of the warp know the same of others?
    pub fn alike(&self) -> bool {
        self.warp.pairs.is_none() && self.acquired.is_nothing() && !self.warp.apart
    }

    /// What [`Actor::meet`] does, with a short way for what is most frequent: everything before lies behind a barrier or is
    /// the thread's own; readers beside readers; atomics after atomics.
    #[inline(always)]
    pub fn touch(&mut self, cell: &mut Cell, now: Epoch, silent: bool) -> Option<Clash> {
        let past = |before: Epoch| {
            let mine = before.block() == now.block() && !before.is_special();
            before.is_none() || (mine && (before.same_thread(now) || before.phase() < now.phase()))
        };
        let [a, b] = cell.others;
        match now.how().kind {
            AccessKind::Load if past(cell.write) && a.is_load() && b.is_load() => {
                if now.is_cached() && !cell.write.is_none() {
                    return self.check(cell, now, silent);
                }
                self.remember(cell, now);
                None
            }
            AccessKind::Store if !now.how().strong && past(cell.write) && past(a) && past(b) => {
                *cell = Cell { write: now, ..EMPTY };
                None
            }
            AccessKind::Atomic if self.among_atomics(cell, now) => {
                push_atomic(cell, now);
                None
            }
            _ => self.check(cell, now, silent),
        }
    }

    /// Looks at a cell, updates it, and returns the access that `now` races with.
    #[inline]
    pub fn check(&mut self, cell: &mut Cell, now: Epoch, silent: bool) -> Option<Clash> {
        let writes = now.how().kind != AccessKind::Load;
        let mut clash: Option<Clash> = None;
        let handed = !cell.write.is_none() && self.handed == Some(cell.write);
        for before in cell.accesses() {
            if clash.is_some_and(|clash| !clash.same_value) {
                break;
            }
            if let Some(found) = self.races(before, now, silent)
                && (!before.is_strong_write()
                    || now.is_cached()
                    || !handed && (now.is_update() || !self.observed(cell, now)))
            {
                clash = clash.filter(|_| found.same_value).or(Some(found));
            }
        }
        if writes {
            if now.is_atomic() && self.among_atomics(cell, now) {
                push_atomic(cell, now);
            } else {
                cell.others = self.kept_at_write(cell, now);
                cell.write = now;
            }
        } else {
            self.remember(cell, now);
        }
        clash
    }

    /// Is nothing there but atomics that `now` may meet?
    #[inline(always)]
    fn among_atomics(&self, cell: &Cell, now: Epoch) -> bool {
        if now.is_device_wide_atomic() && cell.is_met_like(now) && self.sizes.fit(cell, now) {
            return true;
        }
        let atomic = |before: Epoch| before.is_none() || (before.is_atomic() && self.morally_strong(before, now));
        atomic(cell.write) && cell.others.into_iter().all(atomic)
    }

    /// What must stay remembered beside the write `now`. A plain store takes the place of everything: what was before it
    /// is ordered or has been complained about. A strong one does not order what others do next, so plain accesses
    /// before it, its own thread's too, and others' unordered atomics still matter.
    #[inline]
    fn kept_at_write(&self, cell: &Cell, now: Epoch) -> [Epoch; 2] {
        let mut kept = [Epoch::NONE; 2];
        if !now.how().strong {
            return kept;
        }
        let mut free = 0;
        // Plain writes first: everybody can race with them. Then plain reads, and what is strong itself.
        for rank in 0..3 {
            for before in cell.accesses() {
                let strong = before.how().strong && !before.is_guess();
                let own = if strong { 2 } else { u32::from(before.is_load()) };
                if before.is_none() || own != rank || free == kept.len() {
                    continue;
                }
                let open = || !before.is_load() && !before.same_thread(now) && !self.ordered(before, now);
                if !strong || open() {
                    kept[free] = before;
                    free += 1;
                }
            }
        }
        kept
    }

    /// Does the plain store `now` come after all strong writes that the cell remembers, because its thread, or somebody
    /// before it, has seen what the last of them left? An atomic that asks for the old value sees it, and so does a strong
    /// load. Reading it once more by a plain load is another matter: that may be answered from elsewhere.
    fn observed(&self, cell: &Cell, now: Epoch) -> bool {
        let before = |epoch: Epoch| epoch.same_thread(now) || self.ordered(epoch, now);
        if !cell.write.is_strong_write() {
            return false;
        }
        let asks = cell.write.is_atomic() && cell.write.how().mark && before(cell.write);
        let reads = cell.others.into_iter().any(|read| {
            // A write forgets the strong loads before it, so this one came after.
            !read.is_none()
                && read.is_load()
                && !read.is_guess()
                && self.morally_strong(cell.write, read)
                && before(read)
        });
        if now.is_load() { reads && !cell.write.is_atomic() } else { asks || reads }
    }

    /// Keeps a read: in place of one that is before it, else in a free place, else so that the two kept are of
    /// different warps.
    #[inline(always)]
    pub fn remember(&self, cell: &mut Cell, now: Epoch) {
        let [a, b] = cell.others;
        let replaceable = |kept: Epoch| {
            // Whoever writes is wrong once somebody has read through the read-only cache.
            let stays = kept.is_read_only() && !now.is_read_only();
            kept.is_none() || (!stays && (kept.same_thread(now) || self.ordered(kept, now)))
        };
        if replaceable(a) {
            cell.others[0] = now;
        } else if replaceable(b) || (a.same_warp(b) && !a.same_warp(now)) {
            cell.others[1] = now;
        }
    }
}

/// An atomic after others. Of those before it the cell remembers one by another thread and one by another block: a plain
/// access is unordered with one of them if it is with any of the last few.
#[inline(always)]
pub fn push_atomic(cell: &mut Cell, now: Epoch) {
    let before = cell.write;
    if !before.is_none() {
        if before.block() != now.block() {
            cell.others[1] = before;
        } else if !before.same_thread(now) {
            cell.others[0] = before;
        }
    }
    cell.write = now;
}
