//! Ordinary loads and stores, and atomics that only add up: a whole warp's loads or stores side by side by the line, all
//! others lane after lane.

use super::cells::epoch::{Epoch, How};
use super::cells::order::{Actor, push_atomic};
use super::cells::region::Regions;
use super::cells::shadow::{EMPTY, LINE, Line, Shadow, Words};
use super::happens_before::state::{Loose, Warp};
use super::racecheck::{Races, report};
use super::sizes::Sizes;
use crate::observe::{AccessKind, Complaint, MemoryOrder, Scope, Space, WarpAccess};
use std::collections::HashSet;

impl Races {
    /// Looks at an access that neither acquires nor releases anything; false if it may. `run`: the whole warp takes part,
    /// each lane right behind the one before.
    pub fn simple(&mut self, access: &WarpAccess<'_>, run: bool, complain: &mut dyn FnMut(Complaint)) -> bool {
        let atomic = access.kind == AccessKind::Atomic && access.order == MemoryOrder::Relaxed && self.unfenced(access);
        let weak = access.order == MemoryOrder::Weak && access.kind != AccessKind::Atomic;
        if !(weak || atomic) || access.copy || access.proxy || access.home != access.warp.slot {
            return false;
        }
        let Some(slot) = self.slots.get_mut(access.warp.slot as usize) else { return true };
        // The shadow of shared memory is borrowed apart from the rest of its slot.
        let mut shared = std::mem::take(&mut slot.shared);
        let slot = &self.slots[access.warp.slot as usize];
        if let Some(warp) = slot.warps.get(access.warp.warp as usize) {
            let scope = if atomic { access.scope } else { Scope::Sys };
            let mark = access.mark && access.kind != AccessKind::Store;
            let how = How { strong: atomic, scope, loose: access.texture, mark, ..How::plain(access.kind) };
            let first = Epoch::new(slot.block, access.warp.warp * 32, access.pc, slot.phase, warp.clock, how);
            let mut actor = Actor {
                warp,
                acquired: &slot.acquired,
                full: self.full,
                handed: None,
                guesses: &self.guesses,
                sizes: &self.sizes,
            };
            let (launch, global) = (self.launch, &mut self.global);
            let mut side = Side { access, first, launch, global, shared: &mut shared, told: &mut self.told };
            if !(run && weak && side.lines(&mut actor, complain)) {
                let left = if atomic { side.atomics(access.mask, &self.sizes) } else { access.mask };
                side.lanes(&mut actor, left, complain);
            }
        }
        self.slots[access.warp.slot as usize].shared = shared;
        true
    }

    /// Nothing has been published that an atomic could acquire, and its warp has nothing to publish.
    fn unfenced(&self, access: &WarpAccess<'_>) -> bool {
        let Some(slot) = self.slots.get(access.warp.slot as usize) else { return false };
        let published = if access.space == Space::Shared { &slot.published } else { &self.published };
        let none = |warp: &Warp| {
            warp.talk.as_ref().is_none_or(|talk| {
                talk.fences[0].iter().all(|fence| fence.clock == 0)
                    && talk.loose.iter().all(|loose| *loose == Loose::None)
            })
        };
        published.is_empty() && slot.warps.get(access.warp.warp as usize).is_some_and(none)
    }
}

/// An access on its way.
struct Side<'a> {
    access: &'a WarpAccess<'a>,
    /// Lane 0's epoch.
    first: Epoch,
    launch: u64,
    global: &'a mut Regions<Shadow>,
    shared: &'a mut Shadow,
    told: &'a mut HashSet<(u32, u32)>,
}

/// The shadow of an address, and the offset in it.
#[inline(always)]
fn find<'a>(
    space: Space,
    global: &'a mut Regions<Shadow>,
    shared: &'a mut Shadow,
    address: u64,
) -> Option<(&'a mut Shadow, u64)> {
    stretch(space, global, shared, address).map(|(shadow, start, _)| (shadow, address - start))
}

/// The shadow of an address, and where the memory that it is of begins, and its bytes.
#[inline(always)]
fn stretch<'a>(
    space: Space,
    global: &'a mut Regions<Shadow>,
    shared: &'a mut Shadow,
    address: u64,
) -> Option<(&'a mut Shadow, u64, u64)> {
    if space == Space::Shared {
        return Some((shared, 0, u64::MAX));
    }
    let region = global.find(address)?;
    Some((&mut region.data, region.base, region.bytes))
}

impl Side<'_> {
    /// The shadow of an address, and the offset in it.
    #[inline(always)]
    fn shadow(&mut self, address: u64) -> Option<(&mut Shadow, u64)> {
        find(self.access.space, self.global, self.shared, address)
    }

    /// The lines of a run; false if it does not begin with one.
    ///
    /// All words of a run have the same history but for their threads, which lie side by side as those of the access do. So
    /// one of them stands for all, unless what a thread knows of others is its own affair.
    fn lines(&mut self, actor: &mut Actor<'_>, complain: &mut dyn FnMut(Complaint)) -> bool {
        let (size, launch) = (self.access.size, self.launch);
        let shift = match size {
            4 => 0,
            8 => 1,
            16 => 2,
            _ => return false,
        };
        let begin = self.access.addresses[0];
        let Some((_, offset)) = self.shadow(begin) else { return false };
        if offset % LINE != 0 {
            return false;
        }
        let lanes = 32 >> shift;
        let alike = actor.alike();
        for line in 0..size / 4 {
            let now = self.first.behind(line * lanes);
            let mask = (u64::from(u32::MAX) >> (32 - lanes) << (line * lanes)) as u32;
            let place = self.shadow(begin + u64::from(line) * LINE);
            let Some(line) = place.map(|(shadow, offset)| shadow.line(offset, launch)) else { continue };
            let known = match *line {
                Line::Empty => Some(EMPTY),
                Line::Run(cell, known) if known == shift => Some(cell),
                _ => None,
            };
            if let (true, Some(mut cell)) = (alike, known)
                && actor.touch(&mut cell, now, false).is_none()
            {
                *line = Line::Run(cell, shift);
                continue;
            }
            self.lanes(actor, mask, complain);
            if known.is_some()
                && let Some((shadow, offset)) = self.shadow(self.access.addresses[mask.trailing_zeros() as usize])
            {
                shadow.line(offset, launch).join(shift);
            }
        }
        true
    }

    /// Atomics on words that saw nothing but atomics like them: most of a histogram. Says which lanes are left for [`Side::lanes`]; all
    /// of a word are, or none.
    fn atomics(&mut self, mask: u32, sizes: &Sizes) -> u32 {
        let (access, launch, first) = (self.access, self.launch, self.first);
        if access.size != 4 || !first.is_device_wide_atomic() {
            return mask;
        }
        let (mut rest, mut left) = (mask, 0);
        while rest != 0 {
            let address = access.addresses[rest.trailing_zeros() as usize];
            let Some((shadow, start, bytes)) = stretch(access.space, self.global, self.shared, address) else {
                rest &= rest - 1;
                continue;
            };
            shadow.begin(launch);
            // All lanes from here on that stay in this memory.
            while rest != 0 {
                let lane = rest.trailing_zeros();
                let at = access.addresses[lane as usize].wrapping_sub(start);
                if at >= bytes {
                    break;
                }
                rest &= rest - 1;
                match shadow.known(at) {
                    Some(Line::Words(words))
                        if words.cells[(at % LINE / 4) as usize].is_met_like(first)
                            && sizes.fit(&words.cells[(at % LINE / 4) as usize], first) =>
                    {
                        push_atomic(words.cell((at % LINE / 4) as usize), first.behind(lane));
                    }
                    _ => left |= 1 << lane,
                }
            }
        }
        left
    }

    /// Lane after lane.
    fn lanes(&mut self, actor: &mut Actor<'_>, mask: u32, complain: &mut dyn FnMut(Complaint)) {
        let (access, launch, first) = (self.access, self.launch, self.first);
        let (everybody, size) = (actor.acquired, access.size as usize);
        let loads = access.kind == AccessKind::Load && actor.alike();
        let mut rest = mask;
        while rest != 0 {
            let address = access.addresses[rest.trailing_zeros() as usize];
            let Some((shadow, offset)) = find(access.space, self.global, self.shared, address) else {
                rest &= rest - 1;
                continue;
            };
            let start = address - offset % LINE;
            let line = shadow.line(offset, launch);
            if let (true, 4, Line::Words(words)) = (loads, size, &mut *line) {
                rest = quiet_loads(words, actor, access, (start, first), rest);
            }
            // All lanes from here on that stay in this line.
            while rest != 0 {
                let lane = rest.trailing_zeros();
                let at = access.addresses[lane as usize].wrapping_sub(start);
                if at >= LINE {
                    break;
                }
                rest &= rest - 1;
                let now = first.behind(lane);
                if loads && line.is_settled(at as usize, size, now) {
                    continue;
                }
                let (cells, grain) = line.cells(at as usize, size);
                actor.acquired = actor.warp.acquired(lane as usize, everybody);
                let silent = access.silent >> lane & 1 != 0;
                for (index, cell) in cells.iter_mut().enumerate() {
                    let Some(clash) = actor.touch(cell, now, silent) else { continue };
                    let address = start + at + index as u64 * grain;
                    if report(self.told, actor.guesses, clash, now, lane, address, complain) {
                        break;
                    }
                }
            }
        }
        actor.acquired = everybody;
    }
}

/// Loads of words by a warp whose lanes all know the same: what [`Actor::touch`] does with each, as long as it is a read after the last
/// block barrier's writes. Returns the lanes that are left: those of other lines, and all from the first on that needs a closer look.
fn quiet_loads(
    words: &mut Words,
    actor: &Actor<'_>,
    access: &WarpAccess<'_>,
    (start, first): (u64, Epoch),
    mut rest: u32,
) -> u32 {
    let settled = words.settled(first);
    if settled != 0 {
        rest &= !lanes_within(access.addresses, start, settled);
    }
    // A word whose readers stay as they are, whichever lane of this warp reads it next but these.
    let (mut still, mut but) = (u64::MAX, 0);
    while rest != 0 {
        let lane = rest.trailing_zeros();
        let at = access.addresses[lane as usize].wrapping_sub(start);
        if at >= LINE {
            break;
        }
        if still == at && but >> lane & 1 == 0 {
            rest &= but | !lanes_at(access.addresses, start + at);
            continue;
        }
        let now = first.behind(lane);
        let cell = &mut words.cells[at as usize / 4];
        if cell.is_settled(now) {
            (rest, still) = (rest & (rest - 1), u64::MAX);
            continue;
        }
        if !cell.read_only_since(now) || now.is_cached() {
            break;
        }
        rest &= rest - 1;
        actor.remember(cell, now);
        let [a, b] = cell.others;
        if a != now && b != now {
            let own = |reader: Epoch| if reader.same_warp(now) { 1 << (reader.thread() % 32) } else { 0 };
            (still, but) = (at, own(a) | own(b));
        }
        words.settle(at as usize / 4, now);
    }
    rest
}

/// The lanes whose access begins at an address.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn lanes_at(addresses: &[u64; 32], address: u64) -> u32 {
    let mut lanes = 0;
    for (lane, at) in addresses.iter().enumerate() {
        lanes |= u32::from(*at == address) << lane;
    }
    lanes
}

/// The lanes whose access begins at one of those words of the line that begins at `start`.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn lanes_within(addresses: &[u64; 32], start: u64, words: u32) -> u32 {
    let mut lanes = 0;
    for (lane, at) in addresses.iter().enumerate() {
        let offset = at.wrapping_sub(start);
        let held = offset < LINE && words >> (offset >> 2 & 31) & 1 != 0;
        lanes |= u32::from(held) << lane;
    }
    lanes
}
