//! What orders accesses: releases, acquires, fences and barriers.

use super::clock::{Clock, Fact};
use super::state::{Fence, Loose, Published, Release, Slot, Talk, Warp};
use crate::observe::{AccessKind, MemoryOrder, Scope, Space, WarpAccess, WarpId};
use crate::sanitizer::cells::shadow::Cell;
use crate::sanitizer::copies::{channel, mark};
use crate::sanitizer::racecheck::Races;
use std::collections::{HashMap, HashSet};

/// Addresses that anything is published at; with more of them a launch is watched no further, which may hide races and
/// never invents one. The launch's report says so.
pub const PUBLISHED: usize = 1 << 20;

/// What came of a strong access.
#[derive(Debug, Clone, Copy, Default)]
pub struct Synchronised {
    /// It publishes something.
    pub publishes: bool,
    /// Something is published there: had its thread acquired that before?
    pub known: Option<bool>,
}

impl Races {
    /// Acquires and releases of a strong access.
    pub fn synchronise(&mut self, access: &WarpAccess<'_>, lane: u32, address: u64) -> Synchronised {
        #[cfg(not(target_family = "wasm"))]
        if access.space == Space::Shared && access.home != access.warp.slot {
            // Another block's are borrowed apart from one's own.
            let Some(home) = self.slots.get_mut(access.home as usize) else { return Synchronised::default() };
            let mut published = std::mem::take(&mut home.published);
            let Some(slot) = self.slots.get_mut(access.warp.slot as usize) else { return Synchronised::default() };
            let done = synchronise(slot, Some(&mut published), (&mut self.full, &self.bulk), access, lane, address);
            self.slots[access.home as usize].published = published;
            return done;
        }
        let Some(slot) = self.slots.get_mut(access.warp.slot as usize) else { return Synchronised::default() };
        let published = (access.space != Space::Shared).then_some(&mut self.published);
        synchronise(slot, published, (&mut self.full, &self.bulk), access, lane, address)
    }

    /// A volatile store that publishes nothing, or an atomic that does not: is it strong all the same? It is while it is
    /// the only one; see [`Loose`].
    pub fn loosen(&mut self, access: &WarpAccess<'_>, lane: u32, address: u64) -> bool {
        let store = access.kind == AccessKind::Store;
        let Some(warp) = self.warp(access.warp) else { return false };
        let global = access.space == Space::Global;
        if warp.talk.is_none() && !(store && global) {
            return global;
        }
        let loose = &mut warp.talk.get_or_insert_default().loose[lane as usize];
        let before = *loose;
        match before {
            Loose::None if store && global => *loose = Loose::One(address, access.size),
            Loose::One(first, _) if first != address => *loose = Loose::Many,
            _ => {}
        }
        let strong = global && *loose != Loose::Many;
        if let (Loose::One(address, size), Loose::Many) = (before, *loose)
            && let Some(region) = self.global.find(address)
        {
            let offset = address - region.base;
            let thread = access.warp.warp * 32 + lane;
            let (cells, _) = region.data.cells(offset, size, self.launch);
            for Cell { write, .. } in cells {
                let mine = u64::from(write.block()) == access.warp.block && write.thread() == thread;
                if mine && write.how().kind == AccessKind::Store {
                    *write = write.weakened();
                }
            }
        }
        strong
    }

    pub fn fence(&mut self, id: WarpId, mask: u32, order: MemoryOrder, scope: Scope) {
        let Some(slot) = self.slots.get_mut(id.slot as usize) else { return };
        let phase = slot.phase;
        let Some(warp) = slot.warps.get_mut(id.warp as usize) else { return };
        let (acquires, releases) = (order != MemoryOrder::Release, order != MemoryOrder::Acquire);
        slot.fences |= releases && scope >= Scope::Gpu;
        warp.clock += 1;
        let (clock, warp_clock) = (warp.clock, warp.known);
        let talk = warp.talk.get_or_insert_default();
        talk.fenced_since |= releases;
        for lane in lanes(mask) {
            // A fence of the block has no say in what other blocks published: a wider one may still come.
            let reached = if scope >= Scope::Gpu { 2 } else { 1 };
            for from in 0..if acquires { reached } else { 0 } {
                let pending = std::mem::take(&mut talk.pending[from][lane]);
                if !pending.is_nothing() {
                    talk.acquire(lane, &pending, &slot.acquired);
                    warp.apart = true;
                }
            }
            if !releases {
                continue;
            }
            talk.loose[lane] = Loose::None;
            let acquired = talk.known(lane, &slot.acquired).clone();
            let fence = Fence { clock, phase, warp_clock, acquired, scope, ..Fence::none() };
            if scope >= Scope::Gpu {
                talk.fences[1][lane] = fence.clone();
            }
            talk.fences[0][lane] = fence;
        }
    }

    /// `bar.arrive`: what was before it is known to those who wait at that barrier.
    pub fn arrive(&mut self, id: WarpId, barrier: u32, mask: u32) {
        let Some(slot) = self.slots.get_mut(id.slot as usize) else { return };
        let mut all = slot.arrived.remove(&barrier).unwrap_or_default();
        release(slot, id.warp as usize, mask, &mut all);
        slot.arrived.insert(barrier, all);
    }

    pub fn warp_barrier(&mut self, id: WarpId, mask: u32) {
        let Some(slot) = self.slots.get_mut(id.slot as usize) else { return };
        let (block, phase) = (slot.block as u32, slot.phase);
        let Some(warp) = slot.warps.get_mut(id.warp as usize) else { return };
        warp.clock += 1;
        let clock = warp.clock;
        if let Some(talk) = warp.talk.as_mut().filter(|talk| talk.fenced_since) {
            let joint = fenced_lanes(block, phase, talk, id.warp, mask);
            lanes(mask).for_each(|lane| talk.fenced[lane].join(&joint));
            talk.fenced_since = warp.live & !mask != 0;
        }
        if warp.live & !mask == 0 {
            warp.known = clock;
            warp.pairs = None;
        } else {
            let pairs = warp.pairs.get_or_insert_with(|| Box::new([[0; 32]; 32]));
            let mut joint = [0; 32];
            for lane in lanes(mask) {
                for (known, most) in pairs[lane].iter().zip(joint.iter_mut()) {
                    *most = (*most).max(*known);
                }
            }
            for lane in lanes(mask) {
                joint[lane] = clock;
            }
            for lane in lanes(mask) {
                pairs[lane] = joint;
            }
        }
        if let (true, Some(talk)) = (warp.apart, &mut warp.talk)
            && lanes(mask).any(|lane| !talk.acquired[lane].is_nothing())
        {
            let mut all = Clock::NOTHING;
            lanes(mask).for_each(|lane| all.join(&talk.acquired[lane]));
            lanes(mask).for_each(|lane| talk.acquired[lane] = all.clone());
        }
    }

    pub fn block_barrier(&mut self, id: WarpId, barrier: u32, participants: &[u32], counted: bool) {
        let Some(slot) = self.slots.get_mut(id.slot as usize) else { return };
        let mut all = slot.acquired.clone();
        if let Some(arrived) = slot.arrived.remove(&barrier) {
            all.join(&arrived);
        }
        for (warp, mask) in slot.warps.iter().zip(participants) {
            if let (true, Some(talk)) = (warp.apart, &warp.talk) {
                lanes(*mask).for_each(|lane| all.join(&talk.acquired[lane]));
            }
        }
        let everybody = !counted
            && slot.warps.iter().zip(participants).all(|(warp, mask)| warp.live & !mask == 0)
            && slot.warps.len() <= participants.len();
        if everybody {
            if std::mem::take(&mut slot.fences) {
                slot.fenced = fenced(slot);
            }
            slot.phase += 1;
            slot.acquired = all;
            for warp in &mut slot.warps {
                warp.apart = false;
                if let Some(talk) = &mut warp.talk {
                    talk.acquired = Default::default();
                    talk.fenced = Default::default();
                }
            }
            return;
        }
        // Some of the block: they learn of each other as through a release and an acquire.
        for (number, mask) in participants.iter().enumerate().filter(|(_, mask)| **mask != 0) {
            release(slot, number, *mask, &mut all);
        }
        for (warp, mask) in slot.warps.iter_mut().zip(participants).filter(|(_, mask)| **mask != 0) {
            let talk = warp.talk.get_or_insert_default();
            lanes(*mask).for_each(|lane| talk.acquired[lane] = all.clone());
            warp.apart = true;
        }
    }
}

/// An access of a thread of the block in `slot`, to which `elsewhere` belongs if it is not the block's own shared memory.
fn synchronise(
    slot: &mut Slot,
    elsewhere: Option<&mut HashMap<u64, Published>>,
    (full, bulk): (&mut bool, &HashSet<u32>),
    access: &WarpAccess<'_>,
    lane: u32,
    address: u64,
) -> Synchronised {
    let mut done = Synchronised::default();
    let published = elsewhere.unwrap_or(&mut slot.published);
    let (block, phase) = (slot.block as u32, slot.phase);
    let Some(warp) = slot.warps.get_mut(access.warp.warp as usize) else { return done };
    let at = lane as usize;

    if access.kind != AccessKind::Store
        && let Some(there) = published.get(&address)
    {
        let (there, far) = (there.reach(block), there.by.is_another(block));
        let talk = warp.talk.get_or_insert_default();
        done.known = Some(talk.known(at, &slot.acquired).includes(&there));
        // A relaxed load acquires nothing until its thread executes a fence, nor does a relaxed arrival at an mbarrier, nor an atomic that
        // says that it is relaxed.
        let reads = access.kind == AccessKind::Load || access.completing.is_some() || access.named;
        if access.order == MemoryOrder::Relaxed && reads || access.order == MemoryOrder::Release {
            talk.pending[usize::from(far)][at].join(&there);
        } else {
            talk.acquire(at, &there, &slot.acquired);
            warp.apart = true;
        }
    }
    if access.kind == AccessKind::Load {
        return done;
    }
    let copies = match access.copy {
        true if bulk.contains(&access.pc) => mark(warp, channel(address)),
        true => mark(warp, 0),
        false => 0,
    };
    let thread = access.warp.warp * 32 + lane;
    let of = Fact { block, phase, thread, clock: 0, warp_clock: 0, copies };
    let Some(release) = released(warp, (&slot.acquired, &slot.fenced), access, lane, of) else {
        if access.kind == AccessKind::Store {
            published.remove(&address);
        }
        // The last arrival at an mbarrier ends its phase for all, whether it releases anything or not.
        if let (Some(completing), Some(there)) = (access.completing, published.get_mut(&address)) {
            there.arrive(block, &Release::NOTHING, completing >> lane & 1 != 0);
        }
        return done;
    };
    done.publishes = true;
    if published.len() >= PUBLISHED {
        *full = true;
        return done;
    }
    let there = published.entry(address).or_default();
    // A read-modify-write continues the release sequence of those before it.
    if access.kind == AccessKind::Store {
        *there = Default::default();
    }
    match access.completing {
        Some(completing) => there.arrive(block, &release, completing >> lane & 1 != 0),
        None => there.add(block, &release),
    }
    done
}

/// What a lane's strong store or atomic releases, if anything: what it did before its fence, or before the access if that
/// is a release itself. `block_wide`, `fenced`: as its [`Slot`] has them; `of`: the lane, with its copies.
fn released(
    warp: &mut Warp,
    (block_wide, fenced): (&Clock, &Clock),
    access: &WarpAccess<'_>,
    lane: u32,
    of: Fact,
) -> Option<Release> {
    let at = lane as usize;
    let own;
    let none = Fence::none();
    let [narrow, wide] = match access.order {
        MemoryOrder::Release | MemoryOrder::AcqRel => {
            warp.clock += 1;
            let acquired = warp.acquired(at, block_wide).clone();
            let (clock, phase, warp_clock, scope) = (warp.clock, of.phase, warp.known, access.scope);
            own = Fence { clock, phase, warp_clock, acquired, scope, ..Fence::none() };
            [&own, &none]
        }
        _ => {
            let talk = warp.talk.as_ref()?;
            [&talk.fences[0][at], &talk.fences[1][at]]
        }
    };
    if narrow.clock == 0 {
        return None;
    }
    let mut release = Release::NOTHING;
    let older = Some(wide).filter(|wide| wide.clock > 0 && wide.clock != narrow.clock);
    for fence in older.into_iter().chain([narrow]) {
        let scope = fence.scope.min(access.scope);
        let part = release.part(scope);
        part.join(fence.released(of.block, of.thread));
        part.join(fenced);
        if let Some(talk) = &warp.talk {
            part.join(&talk.fenced[at].wide);
            if scope < Scope::Gpu {
                part.join(&talk.fenced[at].narrow);
            }
        }
        for (other, clock) in warp.pairs.iter().flat_map(|pairs| pairs[at].iter().copied().enumerate()) {
            if clock > fence.warp_clock && other != at {
                let thread = access.warp.warp * 32 + other as u32;
                part.learn(Fact { phase: fence.phase, thread, clock, warp_clock: 0, copies: 0, ..of });
            }
        }
        if of.copies > 0 {
            part.learn(Fact { copies: of.copies, ..fence.fact(of.block, of.thread) });
        }
    }
    Some(release)
}

/// What the lanes of a warp did so far is added to `all`, which stays in their block.
pub fn release(slot: &mut Slot, warp: usize, mask: u32, all: &mut Clock) {
    let (block, phase) = (slot.block as u32, slot.phase);
    let Some(state) = slot.warps.get_mut(warp) else { return };
    state.clock += 1;
    let (clock, warp_clock) = (state.clock, state.known);
    for lane in lanes(mask) {
        all.join(state.acquired(lane, &slot.acquired));
        let thread = (warp * 32 + lane) as u32;
        all.learn(Fact { block, phase, thread, clock, warp_clock, copies: 0 });
    }
}

/// The same for a warp of which all lanes come that are left: what those did who have exited is added, too.
#[cfg(not(target_family = "wasm"))]
pub fn release_all(slot: &mut Slot, warp: usize, mask: u32, all: &mut Clock) {
    let (block, phase) = (slot.block as u32, slot.phase);
    let Some(state) = slot.warps.get_mut(warp) else { return };
    state.clock += 1;
    let clock = state.clock;
    let mut before: Option<&Clock> = None;
    for lane in lanes(mask) {
        let acquired = state.acquired(lane, &slot.acquired);
        if !before.is_some_and(|before| before.is_same(acquired)) {
            all.join(acquired);
        }
        before = Some(acquired);
    }
    all.learn(Fact { block, phase, thread: warp as u32 * 32, clock, warp_clock: clock, copies: 0 });
}

/// What fences of the lanes release to whoever passes a `__syncwarp` with them and publishes.
fn fenced_lanes(block: u32, phase: u32, talk: &Talk, number: u32, mask: u32) -> Release {
    let mut all = Release::NOTHING;
    for lane in lanes(mask) {
        let [narrow, wide] = [&talk.fences[0][lane], &talk.fences[1][lane]];
        let older = Some(wide).filter(|wide| wide.clock != narrow.clock);
        for fence in older.into_iter().chain([narrow]).filter(|fence| fence.clock > 0 && fence.phase == phase) {
            let part = all.part(fence.scope);
            part.join(fence.released(block, number * 32 + lane as u32));
        }
    }
    all
}

/// What the block's fences of this phase release, besides what those of earlier phases did. (`__threadfence()` by all, then
/// a barrier, then one thread that publishes with a relaxed atomic: the barrier hands on what the fences ordered.)
fn fenced(slot: &Slot) -> Clock {
    let mut all = slot.fenced.clone();
    for (number, Warp { talk, .. }) in slot.warps.iter().enumerate() {
        for (lane, fence) in talk.iter().flat_map(|talk| talk.fences[1].iter().enumerate()) {
            if fence.clock != 0 && fence.phase == slot.phase {
                all.join(fence.released(slot.block as u32, (number * 32 + lane) as u32));
            }
        }
    }
    all
}

/// The lanes of a mask.
pub fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 != 0)
}
