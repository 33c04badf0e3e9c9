//! Undefined bits between registers and memory.

use super::{Origin, Owner, Slot};
use crate::exec::block::Shared;
use crate::exec::context::Worker;
use crate::exec::warp::Warp;
use crate::finding::Usage;
use crate::isa::op::{AccessOp, AddressSpace, AtomicOp, Reg};
use crate::observe::{Observer, Unwritten};

use super::fill::{WAYS, fill};

/// Where lanes of an access went to.
pub struct Reached<'a> {
    /// The operation.
    pub pc: u32,
    /// In that space,
    pub space: AddressSpace,
    /// these lanes,
    pub mask: u32,
    /// to these addresses;
    pub addresses: &'a [u64; 32],
    /// and what nobody had written there.
    pub unwritten: Option<Box<Unwritten>>,
}

/// The lanes of a mask.
pub(super) fn each(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 != 0)
}

/// Bytes as bits.
pub(super) fn widen(bytes: u32) -> u64 {
    (0..8).filter(|at| bytes >> at & 1 != 0).fold(0, |bits, at| bits | 0xff << (8 * at))
}

/// Whose memory it is.
pub(super) fn owner(shared: &Shared, warp: &Warp, space: AddressSpace, lane: usize) -> Owner {
    match space {
        AddressSpace::Shared => Owner::Shared(shared.slot),
        AddressSpace::Local => Owner::Local(shared.slot, warp.index, lane as u32),
        _ => Owner::Global,
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Whose memory a lane's address is in, and the address there.
    fn owner(&self, shared: &Shared, warp: &Warp, space: AddressSpace, lane: usize, address: u64) -> (Owner, u64) {
        if space == AddressSpace::Shared {
            let (slot, address) = self.home(shared, address);
            return (Owner::Shared(slot), address);
        }
        (owner(shared, warp, space, lane), address)
    }

    /// Undefined bits of `size` bytes, 8 at most, that a lane reads `behind` bytes behind its address.
    pub(super) fn undefined(
        &self,
        shared: &Shared,
        warp: &Warp,
        to: &Reached<'_>,
        lane: usize,
        behind: u32,
        size: u32,
    ) -> (u64, Option<Origin>) {
        let address = to.addresses[lane].wrapping_add(behind.into());
        let (whose, address) = self.owner(shared, warp, to.space, lane, address);
        let (bits, origin) = self.defined.cells.bits(whose, address, size);
        let missing = to.unwritten.as_ref().map_or(0, |bytes| bytes[lane] >> behind);
        (bits | widen(missing) & u64::MAX >> (64 - size.min(8) * 8), origin)
    }

    /// After lanes have loaded.
    #[inline]
    pub fn loaded(&mut self, shared: &Shared, warp: &mut Warp, op: &AccessOp, to: Reached<'_>) {
        if to.unwritten.is_some() || !self.defined.cells.is_empty() || !warp.shadow.is_empty() {
            self.loaded_in_doubt(shared, warp, op, &to);
        }
    }

    #[cold]
    fn loaded_in_doubt(&mut self, shared: &Shared, warp: &mut Warp, op: &AccessOp, to: &Reached<'_>) {
        let group = warp.groups.iter().find(|group| group.mask & to.mask != 0);
        let Some(frame) = group.map(|group| warp.frames[group.frame as usize]) else { return };
        for (element, reg) in op.regs.iter().enumerate() {
            let Some(slot) = Slot::of(&frame, *reg) else { continue };
            let behind = element as u32 * op.size;
            let (mut bits, mut origin) = ([0; 32], None);
            for lane in each(to.mask) {
                let (found, from) = self.undefined(shared, warp, to, lane, behind, op.size);
                bits[lane] = found;
                if op.signed && op.size < 8 {
                    let shift = 64 - op.size * 8;
                    bits[lane] = ((found << shift) as i64 >> shift) as u64 & slot.all();
                }
                if found != 0 {
                    let at = (to.space, to.addresses[lane].wrapping_add(behind.into()), op.size);
                    let from = from.unwrap_or_else(|| self.read_from(shared, warp, to.pc, lane as u32, at));
                    if self.defined.origins.is_told(from) {
                        bits[lane] = 0;
                    } else {
                        origin = origin.or(Some(from));
                    }
                }
            }
            warp.shadow.set(slot, to.mask, &bits, origin);
        }
    }

    /// Writes undefined bits of one lane's value into memory, or that there are none.
    pub(super) fn put_undefined(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        to: &Reached<'_>,
        lane: usize,
        (behind, size): (u32, u32),
        (bits, origin): (u64, Option<Origin>),
    ) {
        let address = to.addresses[lane].wrapping_add(behind.into());
        let from =
            origin.filter(|_| bits != 0).map(|origin| (origin, self.stored_at(shared, warp, to.pc, lane as u32)));
        let (whose, address) = self.owner(shared, warp, to.space, lane, address);
        self.defined.cells.write(whose, address, size, bits, from);
    }

    /// After lanes have stored.
    #[inline]
    pub fn stored(&mut self, shared: &Shared, warp: &Warp, op: &AccessOp, to: Reached<'_>) {
        if !self.defined.cells.is_empty() || !warp.shadow.is_empty() {
            self.stored_in_doubt(shared, warp, op, &to);
        }
    }

    #[cold]
    fn stored_in_doubt(&mut self, shared: &Shared, warp: &Warp, op: &AccessOp, to: &Reached<'_>) {
        for (element, reg) in op.regs.iter().enumerate() {
            let behind = element as u32 * op.size;
            for lane in each(to.mask) {
                let found = self.register(warp, to, *reg, lane);
                self.put_undefined(shared, warp, to, lane, (behind, op.size), found);
            }
        }
    }

    /// Undefined bits of a lane's register.
    fn register(&self, warp: &Warp, to: &Reached<'_>, reg: Reg, lane: usize) -> (u64, Option<Origin>) {
        let group = warp.groups.iter().find(|group| group.mask & to.mask != 0);
        let frame = group.and_then(|group| warp.frames.get(group.frame as usize));
        let mark = frame.and_then(|frame| Slot::of(frame, reg)).and_then(|slot| warp.shadow.get(slot));
        mark.map_or((0, None), |mark| (mark.bits[lane], Some(mark.origin)))
    }

    /// After lanes have done the `element`-th of their atomics; `was`: what was there before each.
    #[inline]
    pub fn exchanged(
        &mut self,
        shared: &Shared,
        warp: &mut Warp,
        op: &AtomicOp,
        element: usize,
        to: Reached<'_>,
        was: impl FnOnce() -> [u64; 32],
    ) {
        if to.unwritten.is_some() || !self.defined.cells.is_empty() || !warp.shadow.is_empty() {
            self.exchanged_in_doubt(shared, warp, op, element, &to, &was());
        }
    }

    #[cold]
    fn exchanged_in_doubt(
        &mut self,
        shared: &Shared,
        warp: &mut Warp,
        op: &AtomicOp,
        element: usize,
        to: &Reached<'_>,
        was: &[u64; 32],
    ) {
        let group = warp.groups.iter().find(|group| group.mask & to.mask != 0);
        let Some(group) = group.copied() else { return };
        let frame = warp.frames[group.frame as usize];
        let keep = u64::MAX >> (64 - op.size.min(8) * 8);
        let c = if op.whole && element == 1 { op.c_high } else { op.c };
        let b = op.b.get(element).copied().unwrap_or(Reg::None);
        let (b_values, c_values) = (warp.read(group.frame, b), warp.read(group.frame, c));
        let (mut results, mut origin) = ([0; 32], None);
        for lane in each(to.mask) {
            let (mut old, mut from) = self.undefined(shared, warp, to, lane, 0, op.size);
            // Lanes before this one may have written it since.
            let (whose, address) = self.owner(shared, warp, to.space, lane, to.addresses[lane]);
            let before = |other: usize| to.mask >> other & 1 != 0 && to.addresses[other] == to.addresses[lane];
            if (0..lane).any(before) {
                (old, from) = self.defined.cells.bits(whose, address, op.size);
            }
            let (b_bits, b_from) = self.register(warp, to, b, lane);
            let (c_bits, c_from) = self.register(warp, to, c, lane);
            results[lane] = old;
            let mut after = 0;
            if old | b_bits | c_bits != 0 {
                let at = (to.space, to.addresses[lane], op.size);
                if old != 0 && from.is_none() {
                    from = Some(self.read_from(shared, warp, to.pc, lane as u32, at));
                }
                origin = origin.or(if old != 0 { from } else { None });
                let run = |way: usize| {
                    let filled = |value, bits, others, place| fill(way, value, bits, others, place, lane as u64);
                    let old = filled(was[lane], old, b_values[lane], 0);
                    let b = filled(b_values[lane], b_bits, 0, 1);
                    (op.f)(old, b, filled(c_values[lane], c_bits, 0, 2)) & keep
                };
                let first = run(0);
                after = (1..WAYS).fold(0, |bits, way| bits | (run(way) ^ first));
            }
            let from = from.filter(|_| old != 0).or(b_from).or(c_from);
            self.put_undefined(shared, warp, to, lane, (0, op.size), (after, from));
        }
        if let Some(slot) = op.d.get(element).and_then(|reg| Slot::of(&frame, *reg)) {
            warp.shadow.set(slot, to.mask, &results, origin);
        }
    }

    /// After lanes have looked at an `mbarrier`: one that nobody has initialised is used at once.
    pub fn met(&mut self, shared: &Shared, warp: &Warp, to: &Reached<'_>) {
        let Some(unwritten) = &to.unwritten else { return };
        let lanes = each(to.mask).filter(|lane| unwritten[*lane] != 0).fold(0u32, |all, lane| all | 1 << lane);
        if lanes != 0 {
            let lane = lanes.trailing_zeros();
            let at = (to.space, to.addresses[lane as usize & 31], 8);
            let origin = self.read_from(shared, warp, to.pc, lane, at);
            self.used(shared, warp, to.pc, lanes, origin, Usage::Barrier);
        }
    }

    /// After `printf` has taken so many bytes of an argument or a string: it writes what is there. `unwritten` says what it means
    /// that nobody has written them. Was anything undefined?
    #[cfg(not(target_family = "wasm"))]
    pub fn printed(&mut self, shared: &Shared, warp: &Warp, to: &Reached<'_>, size: u32, unwritten: Usage) -> bool {
        let mut any = false;
        for lane in each(to.mask) {
            let (bits, from) = self.undefined(shared, warp, to, lane, 0, size);
            if bits != 0 {
                let at = (to.space, to.addresses[lane], size);
                let (origin, usage) = match from {
                    Some(origin) => (origin, Usage::Printed),
                    None => (self.read_from(shared, warp, to.pc, lane as u32, at), unwritten.clone()),
                };
                self.used(shared, warp, to.pc, 1 << lane, origin, usage);
                any = true;
            }
        }
        any
    }

    /// After lanes have copied `bytes[lane]` bytes from memory to memory; the rest of `size` has been written with zeros.
    pub fn copied(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        from: &Reached<'_>,
        to: &Reached<'_>,
        bytes: impl Fn(usize) -> u32,
        size: u32,
    ) {
        if from.unwritten.is_none() && self.defined.cells.is_empty() {
            return;
        }
        for lane in each(to.mask) {
            for behind in 0..size {
                let mut found = (0, None);
                if behind < bytes(lane) && from.mask >> lane & 1 != 0 {
                    found = self.undefined(shared, warp, from, lane, behind, 1);
                }
                if found.0 != 0 && found.1.is_none() {
                    let at = (from.space, from.addresses[lane].wrapping_add(behind.into()), size);
                    found.1 = Some(self.read_from(shared, warp, from.pc, lane as u32, at));
                }
                self.put_undefined(shared, warp, to, lane, (behind, 1), found);
            }
        }
    }
}
