//! Proxies: threads write through the generic one, bulk copies read and write through the async one. Whoever puts a write before a copy
//! needs a `fence.proxy.async` on the way from one to the other: by the thread that wrote, before it lets others go on; by the one that
//! copies, after it has waited; or by anybody between.
//!
//! A thread's last few fences are kept. What forgotten ones may have put in order is not complained about.

use super::cells::epoch::{Epoch, How};
use super::cells::order::{Actor, Clash};
use super::happens_before::clock::Clock;
use super::happens_before::state::Slot;
use super::happens_before::sync::lanes;
use super::racecheck::Races;
use crate::observe::{AccessKind, WarpId};
use std::collections::{HashSet, VecDeque};

/// Fences of a thread that are kept: as many stages as a pipeline may be ahead.
const KEPT: usize = 8;

/// One lane's fence, and what the lane knew.
#[derive(Debug, Clone)]
struct ProxyFence {
    /// As if it were an access.
    epoch: Epoch,
    /// Accesses of any lane of its warp before this clock.
    known: u32,
    /// The same for each lane.
    pairs: Option<Box<[u32; 32]>>,
    acquired: Clock,
    /// Of global, of shared memory.
    of: [bool; 2],
}

impl ProxyFence {
    /// Does the write come before it?
    fn is_behind(&self, write: Epoch) -> bool {
        let at = self.epoch;
        if write.block() == at.block() {
            let phase = write.phase() < at.phase();
            let own = write.same_thread(at) && write.clock() <= at.clock();
            let pair = self.pairs.as_ref().map_or(0, |pairs| pairs[write.thread() as usize % 32]);
            if phase || own || (write.same_warp(at) && write.clock() < self.known.max(pair)) {
                return true;
            }
        }
        self.acquired.knows(write)
    }
}

/// Each thread's last fences in a block.
#[derive(Debug, Default)]
pub struct ProxyFences {
    threads: Vec<VecDeque<ProxyFence>>,
}

impl ProxyFences {
    /// A block begins.
    pub fn clear(&mut self) {
        self.threads.clear();
    }

    fn of(&self, thread: u32) -> impl Iterator<Item = &ProxyFence> {
        self.threads.get(thread as usize).into_iter().flatten()
    }
}

impl Races {
    /// The lanes executed a `fence.proxy.async`.
    pub fn proxy_fence(&mut self, id: WarpId, mask: u32, of: [bool; 2]) {
        let Some(slot) = self.slots.get_mut(id.slot as usize) else { return };
        let Some(warp) = slot.warps.get_mut(id.warp as usize) else { return };
        let how = How::plain(AccessKind::Store);
        let fences = &mut slot.proxy_fences;
        fences.threads.resize_with(fences.threads.len().max(32 * (id.warp as usize + 1)), VecDeque::new);
        for lane in lanes(mask) {
            let thread = id.warp * 32 + lane as u32;
            let kept = &mut fences.threads[thread as usize];
            kept.truncate(KEPT - 1);
            kept.push_front(ProxyFence {
                epoch: Epoch::new(slot.block, thread, 0, slot.phase, warp.clock, how),
                known: warp.known,
                pairs: warp.pairs.as_ref().map(|pairs| Box::new(pairs[lane])),
                acquired: warp.acquired(lane, &slot.acquired).clone(),
                of,
            });
        }
        // What the lanes do next is behind it.
        warp.clock += 1;
    }
}

/// What a bulk copy needs to know of fences.
pub struct Proxy<'a> {
    /// Blocks that are resident.
    pub slots: &'a [Slot],
    /// Its own block's slot.
    pub slot: usize,
    /// It is shared memory, not global.
    pub shared: bool,
    /// See [`Races::bulk`].
    pub bulk: &'a HashSet<u32>,
}

impl Proxy<'_> {
    /// The write that the bulk copy `now` comes after, if no proxy fence lies between the two.
    pub fn unfenced(&self, write: Epoch, now: Epoch, actor: &Actor<'_>) -> Option<Clash> {
        if write.is_none() || self.bulk.contains(&write.pc()) || actor.full {
            return None;
        }
        let clash = Some(Clash { other: write, same_value: false, unfenced_proxy: true });
        let own = &self.slots.get(self.slot)?.proxy_fences;
        let mine = write.block() == now.block();
        let writers = if mine {
            own
        } else {
            // A block that is gone has taken its fences with it.
            let writer = self.slots.iter().find(|slot| slot.block == u64::from(write.block()))?;
            &writer.proxy_fences
        };
        let between = |fence: &ProxyFence| {
            let before = fence.epoch.same_thread(now) || actor.ordered(fence.epoch, now);
            fence.of[usize::from(self.shared)] && before && fence.is_behind(write)
        };
        // The usual ones first.
        let all = || writers.threads.iter().chain(own.threads.iter());
        let fenced = writers.of(write.thread()).chain(own.of(now.thread())).any(between)
            || all().flatten().any(between)
            // What a thread has forgotten came before all that it remembers.
            || all().any(|thread| thread.len() == KEPT && thread.back().is_some_and(|oldest| oldest.is_behind(write)));
        if fenced { None } else { clash }
    }
}
