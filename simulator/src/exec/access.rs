//! Loads and stores: fast for a warp that touches one run of words, right for everything.

use super::block::Shared;
use super::context::{Flow, Worker};
use super::lanes::{Shape, addresses};
use super::warp::Warp;
use crate::FindingKind;
use crate::isa::op::{AccessOp, AddressSpace, CopyOp, Reg};
use crate::observe::{AccessKind, Observer, Order, Scope, Space, WarpAccess};
use std::sync::atomic::Ordering::Relaxed;

/// Distinct 32-byte sectors of a request.
pub fn sectors(addresses: &[u64; 32], mask: u32, size: u64) -> u64 {
    let mut all = [0u64; 64];
    let mut count = 0;
    let mut sorted = true;
    for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
        for sector in addresses[lane] / 32..=(addresses[lane] + size - 1) / 32 {
            if count > 0 && all[count - 1] == sector {
                continue;
            }
            sorted &= count == 0 || all[count - 1] < sector;
            if count < 64 {
                all[count] = sector;
                count += 1;
            }
        }
    }
    if sorted {
        return count as u64;
    }
    all[..count].sort_unstable();
    1 + (1..count).filter(|&at| all[at] != all[at - 1]).count() as u64
}

/// Passes over the banks that a request to shared memory takes, and the fewest that its bytes need. Lanes that read the
/// same word share it. Wider accesses go by halves and quarters of the warp.
pub fn wavefronts(addresses: &[u64; 32], mask: u32, size: u32) -> (u64, u64) {
    if size <= 4 && mask != 0 && conflict_free(addresses, mask) {
        return (1, 1);
    }
    let lanes_a_pass = if size <= 4 { 32 } else { 128 / size };
    let (mut passes, mut fewest) = (0, 0);
    for first in (0..32).step_by(lanes_a_pass as usize) {
        let mut words = [u64::MAX; 128];
        let mut count = 0;
        for lane in (first..first + lanes_a_pass).filter(|lane| mask >> lane & 1 != 0) {
            for word in addresses[lane as usize] / 4..=(addresses[lane as usize] + u64::from(size) - 1) / 4 {
                if count > 0 && words[count - 1] == word {
                    continue;
                }
                words[count.min(127)] = word;
                count = (count + 1).min(127);
            }
        }
        if count == 0 {
            continue;
        }
        let words = &mut words[..count];
        if !words.is_sorted() {
            words.sort_unstable();
        }
        let (mut banks, mut distinct, mut before) = ([0u8; 32], 0u64, u64::MAX);
        for &word in words.iter() {
            if word != before {
                banks[(word % 32) as usize] += 1;
                distinct += 1;
            }
            before = word;
        }
        passes += u64::from(banks.iter().copied().max().unwrap_or(0));
        fewest += distinct.div_ceil(32);
    }
    (passes, fewest.max(u64::from(passes > 0)))
}

/// Does no bank hold two different words? For accesses of at most a word.
fn conflict_free(addresses: &[u64; 32], mask: u32) -> bool {
    let mut seen = [u64::MAX; 32];
    let mut clash = false;
    for (lane, address) in addresses.iter().enumerate() {
        if mask >> lane & 1 != 0 {
            let word = address >> 2;
            let bank = &mut seen[(word & 31) as usize];
            clash |= *bank != u64::MAX && *bank != word;
            *bank = word;
        }
    }
    !clash
}

/// A lane's access that cannot be done.
pub enum Bad {
    /// Outside everything.
    Bounds,
    /// Not a multiple of its size.
    Misaligned,
    /// A store to constants.
    Constant,
}

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

    #[expect(clippy::too_many_arguments, reason = "all of them are the access")]
    fn bad_access(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        pc: u32,
        lanes: u32,
        kind: AccessKind,
        at: (AddressSpace, u64, u32),
        bad: Bad,
    ) -> Flow {
        let (space, address, size) = at;
        let access = self.describe(shared, warp, pc, lanes, kind, space, address, size);
        let kind = match bad {
            Bad::Bounds => FindingKind::OutOfBounds { access },
            Bad::Misaligned => FindingKind::Misaligned { access },
            Bad::Constant => FindingKind::WriteToConstant { access },
        };
        self.fault(shared, warp, pc, lanes, kind)
    }

    /// Reports a lane's bad access.
    #[expect(clippy::too_many_arguments, reason = "all of them are the access")]
    pub fn refuse(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        pc: u32,
        lane: usize,
        kind: AccessKind,
        space: AddressSpace,
        address: u64,
        size: u32,
        bad: Bad,
    ) -> Flow {
        self.bad_access(shared, warp, pc, 1 << lane, kind, (space, address, size), bad)
    }

    /// Reads one lane's value.
    pub fn load_lane(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        lane: usize,
        space: AddressSpace,
        address: u64,
        size: u32,
    ) -> Result<u64, Bad> {
        if address & u64::from(size - 1) != 0 {
            return Err(Bad::Misaligned);
        }
        match space {
            AddressSpace::Shared => {
                let at = usize::try_from(address).map_err(|_| Bad::Bounds)?;
                let found = at.checked_add(size as usize).and_then(|end| shared.bytes.get(at..end));
                let found = found.ok_or(Bad::Bounds)?;
                let mut bytes = [0; 8];
                bytes[..size as usize].copy_from_slice(found);
                Ok(u64::from_le_bytes(bytes))
            }
            AddressSpace::Local => {
                let end = address.checked_add(u64::from(size)).ok_or(Bad::Bounds)?;
                if end > warp.local.len() as u64 * 4 {
                    return Err(Bad::Bounds);
                }
                Ok(warp.load_local(lane, address as u32, size))
            }
            AddressSpace::Param => {
                let at = usize::try_from(address).map_err(|_| Bad::Bounds)?;
                let found = at.checked_add(size as usize).and_then(|end| self.context.params.get(at..end));
                let found = found.ok_or(Bad::Bounds)?;
                let mut bytes = [0; 8];
                bytes[..size as usize].copy_from_slice(found);
                Ok(u64::from_le_bytes(bytes))
            }
            _ => {
                let at = self.allocation(address, size.into()).ok_or(Bad::Bounds)?;
                let allocation = &self.context.global.allocations[at];
                Ok(allocation.load(address - allocation.base, size))
            }
        }
    }

    /// Writes one lane's value.
    #[expect(clippy::too_many_arguments, reason = "all of them are the access")]
    pub fn store_lane(
        &mut self,
        shared: &mut Shared,
        warp: &mut Warp,
        lane: usize,
        space: AddressSpace,
        address: u64,
        size: u32,
        value: u64,
    ) -> Result<(), Bad> {
        if address & u64::from(size - 1) != 0 {
            return Err(Bad::Misaligned);
        }
        match space {
            AddressSpace::Shared => {
                let at = usize::try_from(address).map_err(|_| Bad::Bounds)?;
                let found = at.checked_add(size as usize).and_then(|end| shared.bytes.get_mut(at..end));
                found.ok_or(Bad::Bounds)?.copy_from_slice(&value.to_le_bytes()[..size as usize]);
                Ok(())
            }
            AddressSpace::Local => {
                let end = address.checked_add(u64::from(size)).ok_or(Bad::Bounds)?;
                if end > warp.local.len() as u64 * 4 {
                    return Err(Bad::Bounds);
                }
                warp.store_local(lane, address as u32, size, value);
                Ok(())
            }
            AddressSpace::Param => Err(Bad::Constant),
            _ => {
                let at = self.allocation(address, size.into()).ok_or(Bad::Bounds)?;
                let allocation = &self.context.global.allocations[at];
                if allocation.constant {
                    return Err(Bad::Constant);
                }
                allocation.store(address - allocation.base, size, value);
                Ok(())
            }
        }
    }

    /// Index of the allocation that holds the bytes; the last one found is tried first.
    #[inline(always)]
    pub fn allocation(&mut self, address: u64, size: u64) -> Option<usize> {
        let global = self.context.global;
        if let Some(last) = global.allocations.get(self.last) {
            let offset = address.wrapping_sub(last.base);
            if offset < last.size && size <= last.size - offset {
                return Some(self.last);
            }
        }
        let found = global.find(address, size)?;
        self.last = found;
        Some(found)
    }

    /// Counts a request.
    #[expect(clippy::too_many_arguments, reason = "all of them are the access")]
    pub fn count_access(
        &mut self,
        pc: u32,
        space: AddressSpace,
        kind: AccessKind,
        mask: u32,
        addresses: &[u64; 32],
        size: u32,
        contiguous: bool,
    ) {
        match space {
            AddressSpace::Global | AddressSpace::Generic => {
                let bytes = u64::from(size) * u64::from(mask.count_ones());
                let sectors = if contiguous {
                    (addresses[0] % 32 + bytes).div_ceil(32)
                } else {
                    sectors(addresses, mask, size.into())
                };
                self.count(pc, |c| {
                    if kind == AccessKind::Load {
                        c.global_load_requests += 1;
                        c.global_load_sectors += sectors;
                        c.global_load_bytes += bytes;
                    } else {
                        c.global_store_requests += 1;
                        c.global_store_sectors += sectors;
                        c.global_store_bytes += bytes;
                    }
                });
            }
            AddressSpace::Shared => {
                let (passes, fewest) = if contiguous && size == 4 && addresses[0].is_multiple_of(4) {
                    (1, 1)
                } else {
                    wavefronts(addresses, mask, size)
                };
                self.count(pc, |c| {
                    if kind == AccessKind::Load {
                        c.shared_load_requests += 1;
                        c.shared_load_wavefronts += passes;
                    } else {
                        c.shared_store_requests += 1;
                        c.shared_store_wavefronts += passes;
                    }
                    c.shared_bank_conflicts += passes - fewest.min(passes);
                });
            }
            AddressSpace::Local => {
                self.count(pc, |c| if kind == AccessKind::Load { c.local_loads += 1 } else { c.local_stores += 1 })
            }
            _ => {}
        }
    }

    /// Tells the observer.
    #[expect(clippy::too_many_arguments, reason = "all of them are the access")]
    pub fn observe(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        pc: u32,
        space: AddressSpace,
        kind: AccessKind,
        order: (Order, Scope),
        size: u32,
        mask: u32,
        addresses: &[u64; 32],
    ) {
        let space = match space {
            AddressSpace::Shared => Space::Shared,
            AddressSpace::Local => Space::Local,
            AddressSpace::Param => return,
            _ => Space::Global,
        };
        let access = WarpAccess {
            warp: shared.warp(warp.index),
            pc,
            space,
            kind,
            order: order.0,
            scope: order.1,
            size,
            mask,
            addresses,
            silent: std::mem::take(&mut self.silent),
        };
        let mut complaints = Vec::new();
        self.observer.access(&access, &mut |complaint| complaints.push(complaint));
        for complaint in complaints {
            self.complain(shared, warp, &access, complaint);
        }
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

    /// Contiguous words of global memory, a whole warp, one register.
    #[inline(always)]
    fn fast_load(
        &mut self,
        warp: &mut Warp,
        frame: u32,
        d: Reg,
        space: AddressSpace,
        shared: &Shared,
        first: u64,
    ) -> bool {
        let Reg::R32(r) = d else { return false };
        let at = warp.frames[frame as usize].base32 as usize + r as usize;
        if space == AddressSpace::Shared {
            let Some(bytes) = usize::try_from(first).ok().and_then(|at| shared.bytes.get(at..at.checked_add(128)?))
            else {
                return false;
            };
            for (to, from) in warp.r32[at].iter_mut().zip(bytes.as_chunks::<4>().0) {
                *to = u32::from_le_bytes(*from);
            }
            return true;
        }
        let Some(index) = self.allocation(first, 128) else { return false };
        let allocation = &self.context.global.allocations[index];
        let word = ((first - allocation.base) / 4) as usize;
        let Some(words) = allocation.words.get(word..word + 32) else { return false };
        for (to, from) in warp.r32[at].iter_mut().zip(words) {
            *to = from.load(Relaxed);
        }
        true
    }

    #[inline(always)]
    fn fast_store(
        &mut self,
        warp: &Warp,
        frame: u32,
        from: Reg,
        space: AddressSpace,
        shared: &mut Shared,
        first: u64,
    ) -> bool {
        let Reg::R32(r) = from else { return false };
        let at = warp.frames[frame as usize].base32 as usize + r as usize;
        if space == AddressSpace::Shared {
            let Some(bytes) = usize::try_from(first).ok().and_then(|at| shared.bytes.get_mut(at..at.checked_add(128)?))
            else {
                return false;
            };
            for (to, from) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(&warp.r32[at]) {
                *to = from.to_le_bytes();
            }
            return true;
        }
        let Some(index) = self.allocation(first, 128) else { return false };
        let allocation = &self.context.global.allocations[index];
        let word = ((first - allocation.base) / 4) as usize;
        let Some(words) = allocation.words.get(word..word + 32).filter(|_| !allocation.constant) else { return false };
        for (to, from) in words.iter().zip(&warp.r32[at]) {
            to.store(*from, Relaxed);
        }
        true
    }

    /// `ld`
    pub fn load(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, mask: u32, op: &AccessOp) -> Flow {
        let group = warp.groups[at];
        warp.spun |= op.may_spin;
        let (size, count) = (op.size, op.regs.len() as u32);
        let whole = size * count;
        let (mut found, shape) = self.find_addresses(warp, group.frame, op, mask);
        let direct = matches!(op.space, AddressSpace::Global | AddressSpace::Shared);
        if shape == Shape::Contiguous && direct && whole == 4 && found[0].is_multiple_of(4) && found[0] >> 32 != 0x1000
        {
            self.count_access(group.pc, op.space, AccessKind::Load, mask, &found, 4, true);
            if self.fast_load(warp, group.frame, op.regs[0], op.space, shared, found[0]) {
                if O::ACTIVE {
                    let order = (op.order, op.scope);
                    self.observe(shared, warp, group.pc, op.space, AccessKind::Load, order, 4, mask, &found);
                }
                warp.groups[at].pc += 1;
                return Flow::Continue;
            }
            self.uncount_access(group.pc, op.space, AccessKind::Load, mask, &found);
        }
        if op.space == AddressSpace::Shared
            && whole == 4
            && let Reg::R32(r) = op.regs[0]
            && let Some(words) = gather(&shared.bytes, &found, mask)
        {
            self.count_access(group.pc, AddressSpace::Shared, AccessKind::Load, mask, &found, 4, false);
            if O::ACTIVE {
                let order = (op.order, op.scope);
                self.observe(shared, warp, group.pc, op.space, AccessKind::Load, order, 4, mask, &found);
            }
            let at_register = warp.frames[group.frame as usize].base32 as usize + r as usize;
            for (lane, (to, from)) in warp.r32[at_register].iter_mut().zip(words).enumerate() {
                *to = if mask >> lane & 1 != 0 { from } else { *to };
            }
            warp.groups[at].pc += 1;
            return Flow::Continue;
        }
        let mut values = [[0u64; 32]; 8];
        for (space, part) in Self::by_space(op.space, mask, &mut found) {
            let counted = if op.space == AddressSpace::Const { AddressSpace::Const } else { space };
            if !op.parameter {
                self.count_access(group.pc, counted, AccessKind::Load, part, &found, whole, false);
            }
            for lane in (0..32usize).filter(|lane| part >> lane & 1 != 0) {
                if found[lane] & u64::from(whole - 1) != 0 {
                    let lanes = misaligned(&found, part, whole);
                    let at = (space, found[lane], whole);
                    return self.bad_access(shared, warp, group.pc, lanes, AccessKind::Load, at, Bad::Misaligned);
                }
                for element in 0..count {
                    let address = found[lane].wrapping_add(u64::from(element * size));
                    match self.load_lane(shared, warp, lane, space, address, size) {
                        Ok(value) => values[element as usize][lane] = value,
                        Err(bad) => {
                            let lanes = 1 << lane;
                            let at = (space, found[lane], whole);
                            return self.bad_access(shared, warp, group.pc, lanes, AccessKind::Load, at, bad);
                        }
                    }
                }
            }
            if O::ACTIVE && !op.parameter {
                let order = (op.order, op.scope);
                for (piece, bytes) in pieces(whole) {
                    let shifted = found.map(|address| address.wrapping_add(u64::from(piece)));
                    self.observe(shared, warp, group.pc, space, AccessKind::Load, order, bytes, part, &shifted);
                }
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
        warp.groups[at].pc += 1;
        Flow::Continue
    }

    fn uncount_access(&mut self, pc: u32, space: AddressSpace, kind: AccessKind, mask: u32, found: &[u64; 32]) {
        // The fast path was counted before it turned out to be out of bounds; the launch is about to stop there.
        let bytes = 4 * u64::from(mask.count_ones());
        let sectors = (found[0] % 32 + bytes).div_ceil(32);
        self.count(pc, |c| match (space, kind) {
            (AddressSpace::Shared, AccessKind::Load) => {
                c.shared_load_requests -= 1;
                c.shared_load_wavefronts -= 1;
            }
            (AddressSpace::Shared, _) => {
                c.shared_store_requests -= 1;
                c.shared_store_wavefronts -= 1;
            }
            (_, AccessKind::Load) => {
                c.global_load_requests -= 1;
                c.global_load_sectors -= sectors;
                c.global_load_bytes -= bytes;
            }
            _ => {
                c.global_store_requests -= 1;
                c.global_store_sectors -= sectors;
                c.global_store_bytes -= bytes;
            }
        });
    }

    #[inline(always)]
    fn find_addresses(&self, warp: &Warp, frame: u32, op: &AccessOp, mask: u32) -> ([u64; 32], Shape) {
        let mut out = [0; 32];
        let at = &warp.frames[frame as usize];
        let offset = if op.frame { op.offset + i64::from(at.local) } else { op.offset } as u64;
        let whole = u64::from(op.size) * op.regs.len() as u64;
        let shape = match op.base {
            Reg::R64(r) => {
                let base = &warp.r64[at.base64 as usize + r as usize];
                addresses(base, offset, whole, mask, &mut out)
            }
            reg => {
                let shape = addresses(&warp.read(frame, reg), offset, whole, mask, &mut out);
                wrap(reg, &mut out);
                shape
            }
        };
        (out, shape)
    }

    /// `st`
    pub fn store(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, mask: u32, op: &AccessOp) -> Flow {
        let group = warp.groups[at];
        let (size, count) = (op.size, op.regs.len() as u32);
        let whole = size * count;
        let (mut found, shape) = self.find_addresses(warp, group.frame, op, mask);
        let direct = matches!(op.space, AddressSpace::Global | AddressSpace::Shared);
        if !O::ACTIVE
            && shape == Shape::Contiguous
            && direct
            && whole == 4
            && found[0].is_multiple_of(4)
            && found[0] >> 32 != 0x1000
        {
            self.count_access(group.pc, op.space, AccessKind::Store, mask, &found, 4, true);
            if self.fast_store(warp, group.frame, op.regs[0], op.space, shared, found[0]) {
                warp.groups[at].pc += 1;
                return Flow::Continue;
            }
            self.uncount_access(group.pc, op.space, AccessKind::Store, mask, &found);
        }
        if op.space == AddressSpace::Const {
            let at = (AddressSpace::Const, found[mask.trailing_zeros() as usize], whole);
            return self.bad_access(shared, warp, group.pc, mask, AccessKind::Store, at, Bad::Constant);
        }
        let mut changed = 0u32;
        let values: Vec<[u64; 32]> = op.regs.iter().map(|reg| warp.read(group.frame, *reg)).collect();
        for (space, part) in Self::by_space(op.space, mask, &mut found) {
            if !op.parameter {
                self.count_access(group.pc, space, AccessKind::Store, part, &found, whole, false);
            }
            for lane in (0..32usize).filter(|lane| part >> lane & 1 != 0) {
                if found[lane] & u64::from(whole - 1) != 0 {
                    let lanes = misaligned(&found, part, whole);
                    let at = (space, found[lane], whole);
                    return self.bad_access(shared, warp, group.pc, lanes, AccessKind::Store, at, Bad::Misaligned);
                }
                for element in 0..count {
                    let address = found[lane].wrapping_add(u64::from(element * size));
                    let value = values[element as usize][lane];
                    if O::ACTIVE {
                        let before = self.load_lane(shared, warp, lane, space, address, size).ok();
                        if before != Some(value & u64::MAX >> (64 - size * 8)) {
                            changed |= 1 << lane;
                        }
                    }
                    if let Err(bad) = self.store_lane(shared, warp, lane, space, address, size, value) {
                        let at = (space, found[lane], whole);
                        return self.bad_access(shared, warp, group.pc, 1 << lane, AccessKind::Store, at, bad);
                    }
                }
            }
            if O::ACTIVE && !op.parameter {
                let order = (op.order, op.scope);
                for (piece, bytes) in pieces(whole) {
                    self.silent = part & !changed;
                    let shifted = found.map(|address| address.wrapping_add(u64::from(piece)));
                    self.observe(shared, warp, group.pc, space, AccessKind::Store, order, bytes, part, &shifted);
                }
            }
        }
        warp.groups[at].pc += 1;
        Flow::Continue
    }

    /// `cp.async`, done at once.
    pub fn copy(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, mask: u32, op: &CopyOp) -> Flow {
        let group = warp.groups[at];
        let to = self.lane_addresses(warp, group.frame, op.to, op.to_offset, false);
        let from = self.lane_addresses(warp, group.frame, op.from, op.from_offset, false);
        let sizes = warp.read(group.frame, op.source_size);
        let ignored = warp.read_predicate(group.frame, op.ignore);
        self.count_access(group.pc, AddressSpace::Global, AccessKind::Load, mask, &from, op.size, false);
        self.count_access(group.pc, AddressSpace::Shared, AccessKind::Store, mask, &to, op.size, false);
        for lane in (0..32usize).filter(|lane| mask >> lane & 1 != 0) {
            let limit = match (ignored >> lane & 1, op.source_size) {
                (1, _) => 0,
                (_, Reg::None) => op.size,
                _ => (sizes[lane] as u32).min(op.size),
            };
            let size = u64::from(op.size);
            if !to[lane].is_multiple_of(size) || limit > 0 && !from[lane].is_multiple_of(size) {
                let (space, address) = if !to[lane].is_multiple_of(size) {
                    (AddressSpace::Shared, to[lane])
                } else {
                    (AddressSpace::Global, from[lane])
                };
                let at = (space, address, op.size);
                return self.bad_access(shared, warp, group.pc, 1 << lane, AccessKind::Load, at, Bad::Misaligned);
            }
            for step in (0..op.size).step_by(4) {
                let mut value = 0;
                for byte in step..(step + 4).min(limit.max(step)) {
                    match self.load_lane(shared, warp, lane, AddressSpace::Global, from[lane] + u64::from(byte), 1) {
                        Ok(read) => value |= read << ((byte - step) * 8),
                        Err(bad) => {
                            let at = (AddressSpace::Global, from[lane] + u64::from(byte), op.size);
                            return self.bad_access(shared, warp, group.pc, 1 << lane, AccessKind::Load, at, bad);
                        }
                    }
                }
                let address = to[lane] + u64::from(step);
                if let Err(bad) = self.store_lane(shared, warp, lane, AddressSpace::Shared, address, 4, value) {
                    let at = (AddressSpace::Shared, address, op.size);
                    return self.bad_access(shared, warp, group.pc, 1 << lane, AccessKind::Store, at, bad);
                }
            }
        }
        if O::ACTIVE {
            let order = (Order::Weak, Scope::Gpu);
            let reading = mask & !ignored;
            self.observe(
                shared,
                warp,
                group.pc,
                AddressSpace::Global,
                AccessKind::Load,
                order,
                op.size,
                reading,
                &from,
            );
            self.observe(shared, warp, group.pc, AddressSpace::Shared, AccessKind::Store, order, op.size, mask, &to);
        }
        warp.groups[at].pc += 1;
        Flow::Continue
    }
}

/// Words of shared memory by lane, or nothing if one of them cannot be read.
fn gather(bytes: &[u8], found: &[u64; 32], mask: u32) -> Option<[u32; 32]> {
    let words = bytes.as_chunks::<4>().0;
    let mut out = [0; 32];
    let mut bad = 0;
    for (lane, (to, &address)) in out.iter_mut().zip(found).enumerate() {
        if mask >> lane & 1 != 0 {
            bad |= address & 3;
            match words.get((address >> 2) as usize) {
                Some(word) => *to = u32::from_le_bytes(*word),
                None => bad |= 1,
            }
        }
    }
    (bad == 0).then_some(out)
}

fn misaligned(found: &[u64; 32], part: u32, size: u32) -> u32 {
    (0..32)
        .filter(|lane| part >> lane & 1 != 0 && found[*lane as usize] & u64::from(size - 1) != 0)
        .fold(0, |mask, lane| mask | 1 << lane)
}

/// An access of up to 32 bytes in parts that observers know.
fn pieces(whole: u32) -> impl Iterator<Item = (u32, u32)> {
    let bytes = whole.min(16);
    (0..whole).step_by(bytes as usize).map(move |at| (at, bytes))
}
