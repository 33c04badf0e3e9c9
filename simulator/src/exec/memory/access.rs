//! Loads and stores: all lanes at once where [`crate::exec::direct`] can, else lane after lane.

use crate::exec::accessing::{Accessing, LaneBytes, WarpBytes};
use crate::exec::block::Shared;
use crate::exec::cell::AccessError;
use crate::exec::context::{Flow, Worker};
use crate::exec::defined::Reached;
use crate::exec::direct::{Direct, Files, Lanes};
use crate::exec::warp::Warp;
use crate::isa::op::{AccessOp, AddressSpace, Reg};
use crate::observe::{AccessKind, Observer, Unwritten};

/// An address from a 32-bit register has 32 bits: a negative index below the offset of a shared array is fine.
#[inline(always)]
fn wrap(base: Reg, addresses: &mut [u64; 32]) {
    if matches!(base, Reg::R32(_)) {
        addresses.iter_mut().for_each(|address| *address &= u64::from(u32::MAX));
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Lanes' addresses of an access.
    pub fn lane_addresses(&self, warp: &Warp, frame: u32, base: Reg, offset: i64, in_frame: bool) -> [u64; 32] {
        let offset = if in_frame { offset + i64::from(warp.frames[frame as usize].local) } else { offset };
        let mut out = warp.read(frame, base);
        for address in &mut out {
            *address = address.wrapping_add(offset as u64);
        }
        wrap(base, &mut out);
        out
    }

    /// Splits the lanes by the space their address is in, with the addresses in that space.
    pub fn by_space(space: AddressSpace, mask: u32, found: &mut [u64; 32]) -> Vec<(AddressSpace, u32)> {
        if matches!(space, AddressSpace::Global | AddressSpace::Const) {
            return vec![(AddressSpace::Global, mask)];
        }
        let mut parts: Vec<(AddressSpace, u32)> = Vec::with_capacity(1);
        for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
            let (space, address) = Self::resolve(space, found[lane]);
            found[lane] = address;
            match parts.iter_mut().find(|(known, _)| *known == space) {
                Some((_, mask)) => *mask |= 1 << lane,
                None => parts.push((space, 1 << lane)),
            }
        }
        parts
    }

    /// Memory as accesses of all lanes at once take it, of that warp.
    #[inline(always)]
    pub fn direct<'m>(&'m mut self, shared: &'m mut Shared, warp: u32) -> Direct<'m> {
        Direct {
            by: shared.warp(warp),
            global: self.global.lend(),
            last: &mut self.last,
            shared: &mut shared.bytes,
            shared_low: self.context.shared_low(),
            lines: &mut self.lines,
            origins: &self.context.decoded.code.origins,
            writers: &mut self.writers,
            polls: &mut self.polls,
        }
    }

    /// Does all lanes of an access at once, if that is possible, and tells of it.
    fn at_once(
        &mut self,
        shared: &mut Shared,
        warp: &mut Warp,
        at: usize,
        mask: u32,
        (kind, op): (AccessKind, &AccessOp),
    ) -> bool {
        let (group, pc) = (warp.groups[at], warp.groups[at].pc as usize);
        let frame = warp.frames[group.frame as usize];
        let mut memory = self.direct(shared, warp.index);
        let mut files = Files::new(warp, &frame);
        let done = match kind {
            AccessKind::Load => load_at_once(&mut memory, pc, op, &mut files, mask),
            _ => store_at_once(&mut memory, pc, op, &mut files, mask),
        };
        let Some((lanes, changed)) = done else { return false };
        if O::ACTIVE && !op.parameter {
            let order = (op.order, op.scope);
            let found = lanes.addresses();
            let mut unwritten = None;
            for (piece, bytes) in pieces(op.size * op.regs.len() as u32) {
                self.silent = if kind == AccessKind::Store { mask & !changed } else { 0 };
                let behind = (piece > 0).then(|| found.map(|address| address.wrapping_add(u64::from(piece))));
                let addresses = behind.as_ref().unwrap_or(&found);
                let by = Accessing { pc: group.pc, lanes: mask, kind };
                let more = self.observe(shared, warp, by, WarpBytes::new(lanes.space, addresses, bytes), order);
                join(&mut unwritten, more, piece);
            }
            let to = Reached { pc: group.pc, space: lanes.space, mask, addresses: &found, unwritten };
            match kind {
                AccessKind::Load => self.loaded(shared, warp, op, to),
                _ => self.stored(shared, warp, op, to),
            }
        } else if O::ACTIVE {
            let to = Reached { pc: group.pc, space: lanes.space, mask, addresses: &lanes.addresses(), unwritten: None };
            match kind {
                AccessKind::Load => self.loaded(shared, warp, op, to),
                _ => self.stored(shared, warp, op, to),
            }
        }
        warp.groups[at].pc += 1;
        true
    }

    /// `ld`
    pub fn load(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, mask: u32, op: &AccessOp) -> Flow {
        warp.spun |= op.may_spin;
        if self.at_once(shared, warp, at, mask, (AccessKind::Load, op)) {
            return Flow::Continue;
        }
        self.global.settle();
        let group = warp.groups[at];
        let by = |lanes| Accessing { pc: group.pc, lanes, kind: AccessKind::Load };
        let (size, count) = (op.size, op.regs.len() as u32);
        let whole = size * count;
        let mut found = self.lane_addresses(warp, group.frame, op.base, op.offset, op.frame);
        if op.space == AddressSpace::Generic
            && let Some(stop) = self.foreign(shared, warp, by(mask), &found, whole)
        {
            return stop;
        }
        if op.parameter
            && op.base == Reg::None
            && let Some(parameter) = op.array
        {
            return self.outside_parameter(shared, warp, by(mask), op, parameter);
        }
        let mut values = [[0u64; 32]; 8];
        let mut doubts = Vec::new();
        for (space, part) in Self::by_space(op.space, mask, &mut found) {
            let bytes = WarpBytes::new(space, &found, whole);
            if let Some(stop) = self.outside(shared, warp, by(part), bytes, (op.own, op.array)) {
                return stop;
            }
            let counted = if op.space == AddressSpace::Const { AddressSpace::Const } else { space };
            if !op.parameter {
                self.count_access(group.pc, counted, AccessKind::Load, part, &found, whole);
            }
            let sparse =
                space == AddressSpace::Global && self.load_sparse(part, &found, size, &mut values[..count as usize]);
            for lane in (0..32usize).filter(|lane| !sparse && part >> lane & 1 != 0) {
                if found[lane] & u64::from(whole - 1) != 0 {
                    let lanes = misaligned(&found, part, whole);
                    let at = LaneBytes::new(space, found[lane], whole);
                    return self.bad_access(shared, warp, by(lanes), at, AccessError::Misaligned);
                }
                for element in 0..count {
                    let address = found[lane].wrapping_add(u64::from(element * size));
                    match self.load_lane(shared, warp, lane, LaneBytes::new(space, address, size)) {
                        Ok(value) => values[element as usize][lane] = value,
                        Err(bad) => {
                            let lanes = 1 << lane;
                            let at = LaneBytes::new(counted, found[lane], whole);
                            return self.bad_access(shared, warp, by(lanes), at, bad);
                        }
                    }
                }
            }
            if O::ACTIVE {
                let (mut unwritten, order) = (None, (op.order, op.scope));
                for (piece, bytes) in pieces(whole).filter(|_| !op.parameter) {
                    let shifted = found.map(|address| address.wrapping_add(u64::from(piece)));
                    let more = self.observe(shared, warp, by(part), WarpBytes::new(space, &shifted, bytes), order);
                    join(&mut unwritten, more, piece);
                }
                doubts.push((space, part, unwritten));
            }
        }
        if op.signed && size < 8 {
            let shift = 64 - size * 8;
            for values in &mut values[..count as usize] {
                for value in values {
                    *value = ((*value << shift) as i64 >> shift) as u64;
                }
            }
        }
        for (reg, values) in op.regs.iter().zip(&values) {
            warp.write(group.frame, *reg, mask, values);
        }
        for (space, part, unwritten) in doubts {
            let to = Reached { pc: group.pc, space, mask: part, addresses: &found, unwritten };
            self.loaded(shared, warp, op, to);
        }
        warp.groups[at].pc += 1;
        Flow::Continue
    }

    /// `st`
    pub fn store(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, mask: u32, op: &AccessOp) -> Flow {
        if self.at_once(shared, warp, at, mask, (AccessKind::Store, op)) {
            return Flow::Continue;
        }
        self.global.settle();
        let group = warp.groups[at];
        let by = |lanes| Accessing { pc: group.pc, lanes, kind: AccessKind::Store };
        let (size, count) = (op.size, op.regs.len() as u32);
        let whole = size * count;
        let mut found = self.lane_addresses(warp, group.frame, op.base, op.offset, op.frame);
        if op.space == AddressSpace::Generic
            && let Some(stop) = self.foreign(shared, warp, by(mask), &found, whole)
        {
            return stop;
        }
        if op.space == AddressSpace::Const {
            let at = LaneBytes::new(AddressSpace::Const, found[mask.trailing_zeros() as usize], whole);
            return self.bad_access(shared, warp, by(mask), at, AccessError::Constant);
        }
        let mut changed = 0u32;
        let values: Vec<[u64; 32]> = op.regs.iter().map(|reg| warp.read(group.frame, *reg)).collect();
        for (space, part) in Self::by_space(op.space, mask, &mut found) {
            let bytes = WarpBytes::new(space, &found, whole);
            if let Some(stop) = self.outside(shared, warp, by(part), bytes, (op.own, op.array)) {
                return stop;
            }
            if !op.parameter {
                self.count_access(group.pc, space, AccessKind::Store, part, &found, whole);
            }
            if space == AddressSpace::Global {
                self.protect(shared, warp, by(part), &found, whole);
            }
            let compared = O::ACTIVE && self.observer.compares();
            let sparse = space == AddressSpace::Global && !compared && self.store_sparse(part, &found, size, &values);
            for lane in (0..32usize).filter(|lane| !sparse && part >> lane & 1 != 0) {
                if found[lane] & u64::from(whole - 1) != 0 {
                    let lanes = misaligned(&found, part, whole);
                    let at = LaneBytes::new(space, found[lane], whole);
                    return self.bad_access(shared, warp, by(lanes), at, AccessError::Misaligned);
                }
                for element in 0..count {
                    let address = found[lane].wrapping_add(u64::from(element * size));
                    let value = values[element as usize][lane];
                    if compared {
                        let before = self.peek_lane(shared, warp, lane, LaneBytes::new(space, address, size)).ok();
                        if before != Some(value & u64::MAX >> (64 - size * 8)) {
                            changed |= 1 << lane;
                        }
                    }
                    if let Err(bad) = self.store_lane(shared, warp, lane, LaneBytes::new(space, address, size), value) {
                        let at = LaneBytes::new(space, found[lane], whole);
                        return self.bad_access(shared, warp, by(1 << lane), at, bad);
                    }
                }
            }
            if O::ACTIVE && !op.parameter {
                let order = (op.order, op.scope);
                for (piece, bytes) in pieces(whole) {
                    self.silent = part & !changed;
                    let shifted = found.map(|address| address.wrapping_add(u64::from(piece)));
                    self.observe(shared, warp, by(part), WarpBytes::new(space, &shifted, bytes), order);
                }
            }
            if O::ACTIVE {
                let to = Reached { pc: group.pc, space, mask: part, addresses: &found, unwritten: None };
                self.stored(shared, warp, op, to);
            }
        }
        warp.groups[at].pc += 1;
        Flow::Continue
    }
}

#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn load_at_once<'m>(
    memory: &mut Direct<'m>,
    pc: usize,
    op: &AccessOp,
    files: &mut Files<'m>,
    mask: u32,
) -> Option<(Lanes, u32)> {
    let lanes = memory.access(op, files, mask)?;
    memory.load(pc, op, &lanes, files, mask);
    Some((lanes, 0))
}

#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn store_at_once<'m>(
    memory: &mut Direct<'m>,
    pc: usize,
    op: &AccessOp,
    files: &mut Files<'m>,
    mask: u32,
) -> Option<(Lanes, u32)> {
    let lanes = memory.access(op, files, mask)?;
    let changed = memory.store::<true>(pc, op, &lanes, files, mask)?;
    Some((lanes, changed))
}

fn misaligned(found: &[u64; 32], part: u32, size: u32) -> u32 {
    (0..32)
        .filter(|lane| part >> lane & 1 != 0 && found[*lane as usize] & u64::from(size - 1) != 0)
        .fold(0, |mask, lane| mask | 1 << lane)
}

/// Adds what is unwritten of the part of an access that begins `piece` bytes behind its start.
fn join(all: &mut Option<Box<Unwritten>>, more: Option<Box<Unwritten>>, piece: u32) {
    let Some(more) = more else { return };
    let all = all.get_or_insert_with(|| Box::new([0; 32]));
    all.iter_mut().zip(more.iter()).for_each(|(all, more)| *all |= more << piece);
}

/// An access of up to 32 bytes in parts that observers know.
fn pieces(whole: u32) -> impl Iterator<Item = (u32, u32)> {
    let bytes = whole.min(16);
    (0..whole).step_by(bytes as usize).map(move |at| (at, bytes))
}
