//! The race check. The rules are in the module's documentation.

use super::cells::epoch::{Epoch, How};
use super::cells::order::{Actor, Clash};
use super::cells::region::Regions;
use super::cells::shadow::Shadow;
use super::copies::number;
use super::guess::Guesses;
use super::happens_before::clock::Clock;
use super::happens_before::state::{Published, Seen, Slot, Warp};
use super::happens_before::sync::Synchronised;
use super::proxy::Proxy;
use super::sizes::Sizes;
use crate::observe::{AccessKind, Complaint, MemoryOrder, Scope, Space, TAKEN, WAITED, WarpAccess, WarpId};
use std::collections::{HashMap, HashSet};

/// The race check of a device.
#[derive(Debug, Default)]
pub struct Races {
    pub global: Regions<Shadow>,
    pub slots: Vec<Slot>,
    /// What an atomic or strong load of an address acquires.
    pub published: HashMap<u64, Published>,
    /// Too much is published: from here on everything counts as ordered.
    pub full: bool,
    /// First guesses that atomics correct.
    pub guesses: Guesses,
    /// Pairs of instructions that store the same value in no order: told once.
    pub told: HashSet<(u32, u32)>,
    /// How much atomics change as one.
    pub sizes: Sizes,
    /// Instructions that are bulk copies.
    pub bulk: HashSet<u32>,
    /// The barriers of clusters with resident blocks.
    #[cfg(not(target_family = "wasm"))]
    pub meetings: HashMap<u64, super::cluster::Meeting>,
    /// Launches so far: shadows of earlier ones are stale.
    pub launch: u64,
    /// Every access lane by lane, to compare the others with.
    #[cfg(test)]
    pub by_lane: bool,
}

impl Races {
    pub fn allocated(&mut self, address: u64, bytes: u64) {
        self.global.add(address, bytes, Shadow::default());
    }

    /// A block of the heap is another thread's from now on: the heap itself has ordered the one before it.
    pub fn reborn(&mut self, address: u64, bytes: u64) {
        let launch = self.launch;
        if let Some(region) = self.global.find(address) {
            region.data.begin(launch);
            region.data.forget(address - region.base, bytes);
        }
        self.published.retain(|at, _| !(address..address + bytes).contains(at));
    }

    pub fn block_start(&mut self, id: WarpId, threads: u32, _shared: u32) {
        let index = id.slot as usize;
        if self.slots.len() <= index {
            self.slots.resize_with(index + 1, Slot::default);
        }
        let slot = &mut self.slots[index];
        slot.block = id.block;
        slot.phase = 0;
        slot.acquired = Clock::NOTHING;
        slot.fenced = Clock::NOTHING;
        slot.fences = false;
        slot.warps.clear();
        slot.warps.extend((0..threads.div_ceil(32)).map(|warp| {
            let lanes = (threads - warp * 32).min(32);
            Warp::new(u32::MAX >> (32 - lanes))
        }));
        slot.shared.reset(self.launch);
        slot.published.clear();
        slot.arrived.clear();
        slot.proxy_fences.clear();
        #[cfg(not(target_family = "wasm"))]
        {
            slot.left = None;
        }
        self.guesses.block_start(id.slot);
    }

    pub fn exit(&mut self, id: WarpId, mask: u32) {
        #[cfg(not(target_family = "wasm"))]
        {
            self.cluster_exit(id, mask);
            self.leave(id, mask);
        }
        if let Some(warp) = self.warp(id) {
            warp.live &= !mask;
        }
    }

    /// A resident warp.
    pub fn warp(&mut self, id: WarpId) -> Option<&mut Warp> {
        self.slots.get_mut(id.slot as usize)?.warps.get_mut(id.warp as usize)
    }

    /// `false`: from somewhere on races were not looked for.
    pub fn launch_end(&mut self) -> bool {
        self.launch += 1;
        let watched = !std::mem::take(&mut self.full);
        self.guesses.clear();
        self.sizes.clear();
        self.told.clear();
        self.bulk.clear();
        self.published.clear();
        #[cfg(not(target_family = "wasm"))]
        self.meetings.clear();
        watched
    }

    /// Looks at an access. `run`: the whole warp takes part, each lane right behind the one before.
    pub fn access(&mut self, access: &WarpAccess<'_>, run: bool, complain: &mut dyn FnMut(Complaint)) {
        // How the system's part of shared memory is used is the system's own affair. What orders threads there counts.
        let own = access.reserved && access.kind != AccessKind::Atomic && access.order == MemoryOrder::Weak;
        if access.space == Space::Local || own {
            return;
        }
        self.guesses.note(access);
        if access.indivisible > 0 {
            self.sizes.note(access.pc, access.indivisible);
        }
        if access.proxy {
            self.bulk.insert(access.pc);
        }
        #[cfg(test)]
        let by_lane = self.by_lane;
        #[cfg(not(test))]
        let by_lane = false;
        if !by_lane && self.simple(access, run, complain) {
            return;
        }
        if access.is_under_way()
            && let Some(warp) = self.warp(access.warp)
        {
            warp.issued += 1;
        }
        let mut mask = access.mask;
        while mask != 0 {
            let lane = mask.trailing_zeros();
            mask &= mask - 1;
            self.lane(access, lane, complain);
        }
    }

    /// A lane has read where something is published: what, and whether it had acquired that before.
    fn saw(&mut self, access: &WarpAccess<'_>, (lane, address): (u32, u64), known: bool, write: Epoch) {
        let Some(talk) = self.warp(access.warp).and_then(|warp| warp.talk.as_mut()) else { return };
        let seen = &mut talk.seen[lane as usize];
        let before = seen.filter(|seen| seen.address == address);
        let waited = if known { before.is_none_or(|seen| seen.waited) } else { access.group == WAITED };
        *seen = Some(Seen { address, write, known, waited });
    }

    fn lane(&mut self, access: &WarpAccess<'_>, lane: u32, complain: &mut dyn FnMut(Complaint)) {
        let address = access.addresses[lane as usize];
        // A volatile store is strong only if it publishes something; see the module's documentation.
        let strong = access.order != MemoryOrder::Weak || access.kind == AccessKind::Atomic;
        let volatile_store = access.kind == AccessKind::Store && access.order == MemoryOrder::Volatile;
        // A bulk copy's sums say nothing of its thread, which goes on at once.
        let asks = strong && access.order != MemoryOrder::Checked && !access.proxy;
        let Synchronised { publishes, known } =
            if asks { self.synchronise(access, lane, address) } else { Synchronised::default() };
        let unfenced = !publishes && (volatile_store || access.kind == AccessKind::Atomic && !access.proxy);
        let alone = unfenced && self.loosen(access, lane, address) && volatile_store;
        let strong = strong && (publishes || alone || !volatile_store);
        let loose = alone && several(access);
        let copy = access.is_under_way();
        // What completes at an mbarrier is in no group.
        if copy && access.completing.is_none() {
            self.issue(access, lane);
        }
        let home = access.home as usize;
        #[cfg(not(target_family = "wasm"))]
        let mut visit = None;
        let Some(slot) = self.slots.get_mut(home) else { return };
        #[cfg(not(target_family = "wasm"))]
        if copy && access.completing.is_some() && access.space == Space::Shared {
            slot.left.get_or_insert_default();
        }
        // The shadow of shared memory is borrowed apart from the rest of its slot.
        let mut shared = std::mem::take(&mut slot.shared);
        let slot = &self.slots[access.warp.slot as usize];
        let mut last = None;
        let found = match access.space {
            Space::Shared => Some((&mut shared, address)),
            _ => self.global.find(address).map(|region| {
                let offset = address - region.base;
                (&mut region.data, offset)
            }),
        };
        if let (Some((shadow, offset)), Some(warp)) = (found, slot.warps.get(access.warp.warp as usize)) {
            let scope = if strong { access.scope } else { Scope::Sys };
            let mark = match access.kind {
                AccessKind::Load => access.mark || access.order == MemoryOrder::Checked,
                AccessKind::Store => access.mark && strong,
                AccessKind::Atomic => access.mark,
            };
            let loose = loose || access.texture;
            let taken = access.group == TAKEN && access.space == Space::Global;
            let alone = alone || taken && !warp.wrote_alone(lane as usize, address);
            let how = How { kind: access.kind, strong, scope, copy, loose, alone, mark };
            let thread = access.warp.warp * 32 + lane;
            let clock = if copy { number(access, warp) } else { warp.clock };
            let now = Epoch::new(slot.block, thread, access.pc, slot.phase, clock, how);
            #[cfg(not(target_family = "wasm"))]
            {
                visit = (access.home != access.warp.slot).then_some(now);
            }
            let acquired = warp.acquired(lane as usize, &slot.acquired);
            let stores = access.kind == AccessKind::Store && strong;
            let handed = stores.then(|| warp.handed(lane as usize, address, access.group == WAITED)).flatten();
            let mut actor =
                Actor { warp, acquired, full: self.full, handed, guesses: &self.guesses, sizes: &self.sizes };
            let silent = access.silent >> lane & 1 != 0;
            let (own, of_block) = (access.warp.slot as usize, access.space == Space::Shared);
            let proxy = Proxy { slots: &self.slots, slot: own, shared: of_block, bulk: &self.bulk };
            let (cells, grain) = shadow.cells(offset, access.size, self.launch);
            last = cells.first().map(|cell| cell.write);
            for (index, cell) in cells.iter_mut().enumerate() {
                let write = cell.write;
                let clash = actor.check(cell, now, silent);
                let unfenced = || access.proxy.then(|| proxy.unfenced(write, now, &actor)).flatten();
                let Some(clash) = clash.or_else(unfenced) else { continue };
                let address = address + index as u64 * grain;
                if report(&mut self.told, &self.guesses, clash, now, lane, address, complain) {
                    break;
                }
            }
        }
        self.slots[home].shared = shared;
        if let (AccessKind::Load, Some(known), Some(write)) = (access.kind, known, last) {
            self.saw(access, (lane, address), known, write);
        }
        #[cfg(not(target_family = "wasm"))]
        if visit.is_some_and(|now| self.visit(access, lane, now)) {
            complain(Complaint::Early { lane });
        }
    }
}

/// Do the lanes go to different places: an array rather than a flag?
fn several(access: &WarpAccess<'_>) -> bool {
    let first = access.addresses[access.mask.trailing_zeros() as usize & 31];
    super::happens_before::sync::lanes(access.mask).any(|lane| access.addresses[lane] != first)
}

/// Complains of a clash. False where that is only worth knowing and has been told.
pub fn report(
    told: &mut HashSet<(u32, u32)>,
    guesses: &Guesses,
    Clash { other, same_value, unfenced_proxy }: Clash,
    now: Epoch,
    lane: u32,
    address: u64,
    complain: &mut dyn FnMut(Complaint),
) -> bool {
    if same_value && !told.insert((other.pc(), now.pc())) {
        return false;
    }
    let guess = |load: Epoch, atomic: Epoch| {
        (load.is_guess() && atomic.is_atomic() && guesses.may_be(load.pc())).then(|| load.pc())
    };
    let plain = !other.is_copy() && !now.is_copy() && !other.is_cached() && !now.is_cached();
    complain(Complaint::Race {
        lane,
        address,
        other_block: u64::from(other.block()),
        other_thread: other.thread(),
        other_pc: other.pc(),
        other_kind: other.how().kind,
        other_copy: other.is_copy(),
        unfenced_proxy,
        cached: [other.is_cached(), now.is_cached()],
        hidden_before_volta: other.same_warp(now) && other.pc() != now.pc() && plain,
        same_value,
        guess: guess(other, now).or_else(|| guess(now, other)),
    });
    !same_value
}
