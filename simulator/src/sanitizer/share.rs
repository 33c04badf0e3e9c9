//! Shares of a launch's blocks, each watched by itself on a host thread of its own.
//!
//! Blocks that have nothing to do with each other may run in any order, and so at the same time. Whoever watches a share has shadows of
//! its own, which are held against each other in the end. The shares were independent if no byte of global memory was touched by two
//! of them and written by one, additions to it aside whose order nobody can tell. Within a share blocks come in the usual order, so
//! each has read what it would have read, and all is as if they had run one after the other.
//!
//! Whatever else there is between blocks (fences, ordered accesses, results of atomics), and whatever would be told (races, values
//! that nothing wrote), makes a share stray: then the launch is run anew as a whole, and its report is of that.

use super::Sanitizer;
use super::cells::shadow::{Cell, Shadow, begin, made};
use super::initcheck::span;
use super::racecheck::Races;
use super::sizes::Sizes;
use crate::observe::{AccessKind, MemoryOrder, Scope, Space, WarpAccess};

impl Sanitizer {
    /// Is enough watched to tell whether shares of a launch are independent?
    pub fn can_be_shared(&self) -> bool {
        self.races.is_some() && self.init.is_some()
    }

    /// Begins to watch a share of the next launch's blocks, on this host thread, beside others: `whole` knows of what was before. Memory
    /// that an earlier share took is used again. `late`: what atomics do to global memory comes at the end of a row of blocks.
    pub fn begin(&mut self, whole: &Self, late: bool) {
        if let Some(races) = &whole.races {
            let mine = self.races.take().unwrap_or_default();
            self.races = Some(races.share(mine));
        }
        if let Some(init) = &whole.init {
            self.init = Some(init.share(self.init.take().unwrap_or_default()));
        }
        (self.strayed, self.late) = (Some(false), late.then(Late::default));
        begin(self.races.as_ref().map_or(0, |races| races.global.each().map(Shadow::bytes).sum()));
    }

    /// The share's blocks have ended.
    pub fn end(&mut self) {
        self.made = made();
    }

    /// Does it remember more than is worth being kept?
    pub fn is_large(&self) -> bool {
        self.made > KEPT
    }

    /// After a launch: have the two shares to do with each other?
    pub fn meets(&mut self, other: &Self) -> bool {
        let (Some(mine), Some(theirs)) = (&mut self.races, &other.races) else { return true };
        mine.meets(theirs)
    }

    /// A launch is over that shares were run of; takes what they have learnt.
    pub fn adopt(&mut self, shares: &[Self]) {
        for share in shares {
            if let (Some(init), Some(more)) = (&mut self.init, &share.init) {
                init.add(more);
            }
        }
        if let Some(races) = &mut self.races {
            races.launch_end();
        }
    }

    /// This share, if it is one, is no longer independent of the others.
    pub(super) fn stray(&mut self) {
        self.strayed = self.strayed.map(|_| true);
    }
}

/// Bytes of shadow that a share may come to, which may be as much again as all blocks together need.
const MOST: u64 = 192 << 20;
/// Bytes of it that are kept for the next launch.
const KEPT: u64 = 16 << 20;

/// Has this host thread, which watches a share, made more shadow than one may?
pub fn is_full() -> bool {
    made() > MOST
}

/// Where atomics have changed global memory that has not been changed yet: a stretch for each region.
#[derive(Debug, Default)]
pub struct Late(Vec<(u64, u64)>);

impl Late {
    /// Sees an access: may it miss what comes late?
    pub fn misses(&mut self, access: &WarpAccess<'_>) -> bool {
        if access.space != Space::Global {
            return false;
        }
        let (low, last) = span(access.addresses, access.mask);
        let end = last + u64::from(access.size);
        if access.kind != AccessKind::Atomic {
            return self.0.iter().any(|(from, to)| low < *to && *from < end);
        }
        // What is near is taken together, of two buffers perhaps: then more accesses between may miss something, and one thread runs the launch.
        const NEAR: u64 = 1 << 32;
        match self.0.iter_mut().find(|(from, to)| low + NEAR > *to && *from + NEAR > end) {
            Some((from, to)) => (*from, *to) = ((*from).min(low), (*to).max(end)),
            None => self.0.push((low, end)),
        }
        false
    }
}

/// May other blocks learn of such an access, or it of them, or may it meet theirs otherwise than an addition does?
pub fn depends(access: &WarpAccess<'_>) -> bool {
    access.space == Space::Global
        && match access.kind {
            AccessKind::Load | AccessKind::Store => access.order != MemoryOrder::Weak,
            AccessKind::Atomic => {
                let arrives = access.copy && !access.proxy;
                access.order != MemoryOrder::Relaxed || access.scope < Scope::Gpu || arrives || access.mark
            }
        }
}

impl Cell {
    /// What two shares remember of the same byte: has one of them written it, and is that more than additions by both to the same
    /// bytes?
    fn meets(&self, other: &Self, sizes: &Sizes) -> bool {
        let is_touched = |cell: &Self| cell.accesses().iter().any(|access| !access.is_none());
        let adds =
            |cell: &Self| cell.accesses().iter().all(|access| access.is_none() || access.is_device_wide_atomic());
        let written = !self.write.is_none() || !other.write.is_none();
        written
            && is_touched(self)
            && is_touched(other)
            && !(adds(self) && adds(other) && !sizes.are_mixed([self, other]))
    }
}

impl Races {
    fn share(&self, mut old: Self) -> Self {
        let fresh = |_: &Shadow, known: Option<Shadow>| {
            let mut shadow = known.unwrap_or_default();
            shadow.recycle(self.launch);
            shadow
        };
        let global = self.global.like(std::mem::take(&mut old.global), fresh);
        Self { global, launch: self.launch, sizes: Sizes::default(), ..old }
    }

    fn meets(&mut self, other: &Self) -> bool {
        let sizes = self.sizes.with(&other.sizes);
        self.global.beside(&other.global).any(|(mine, theirs)| mine.meets(theirs, |a, b| a.meets(b, &sizes)))
    }
}
