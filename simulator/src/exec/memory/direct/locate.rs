//! Finds where the lanes of an access go.

use super::{Direct, Files, LaneLayout, Lanes};
use crate::exec::select::{LaneRow, holds};
use crate::isa::op::{AccessOp, AddressSpace, Reg};
use crate::isa::provenance::Array;
use crate::memory::global::Allocation;
use crate::memory::window;
use crate::observe::MemoryOrder;

/// Where an operation goes to.
pub struct AccessTarget {
    /// State space.
    pub space: AddressSpace,
    /// Address register.
    pub base: Reg,
    /// Added to it.
    pub offset: u64,
    /// Bytes a lane, a power of two.
    pub size: u32,
    /// The shared array that it has to stay in.
    pub array: Option<Array>,
}

impl Direct<'_> {
    /// Finds a load or store; nothing if it is to be done lane after lane.
    #[inline(always)]
    pub fn access(&mut self, op: &AccessOp, files: &Files<'_>, mask: u32) -> Option<Lanes> {
        // A 64-bit word is two here: only whoever is alone, or does not care about order, may take them one by one.
        let torn = op.size == 8 && op.order != MemoryOrder::Weak && !self.global.alone();
        if torn || !op.regs.iter().all(|reg| fits(*reg, op.size)) {
            return None;
        }
        let offset = if op.frame { op.offset + i64::from(files.frame) } else { op.offset } as u64;
        let size = op.size * op.regs.len() as u32;
        self.locate(&AccessTarget { space: op.space, base: op.base, offset, size, array: op.array }, files, mask)
    }

    /// Finds what the lanes of `mask` ask for.
    #[inline(always)]
    #[expect(
        clippy::too_many_lines,
        reason = "the hot path of every access: its loops become vectors where they stand"
    )]
    pub fn locate(&mut self, place: &AccessTarget, files: &Files<'_>, mask: u32) -> Option<Lanes> {
        let AccessTarget { space, base, offset, size, array } = *place;
        if mask == 0 {
            return None;
        }
        let lane = mask.trailing_zeros() as usize & 31;
        let first = match base {
            Reg::R64(r) => files.r64[r as usize][lane].wrapping_add(offset),
            // An address from a 32-bit register has 32 bits: a negative index below the offset of a shared array is fine.
            Reg::R32(r) => files.r32[r as usize][lane].wrapping_add(offset as u32).into(),
            Reg::None => offset,
            Reg::P(_) => return None,
        };
        // A generic address is none of the window it points to.
        let (space, window) = match space {
            AddressSpace::Generic => (window::classify(first), window::begin(first)),
            space => (space, 0),
        };
        let (start, length) = match space {
            AddressSpace::Global | AddressSpace::Const => {
                let found = self.allocation(first, size.into()).filter(|found| !found.heap)?;
                (found.base, found.size)
            }
            AddressSpace::Shared => (window, self.shared.len() as u64),
            AddressSpace::Local => (0, files.reach.end.into()),
            AddressSpace::Param | AddressSpace::Generic => return None,
        };
        // Offsets have 32 bits.
        let limit = length.checked_sub(size.into()).filter(|_| length <= 1 << 32)?;
        let mut offsets = LaneRow([0u32; 32]);
        let mut outside = false;
        match base {
            // Generic addresses of local memory say whose it is; another thread's are left to those who complain.
            Reg::R64(r) if window::classify(first) == AddressSpace::Local => {
                let own = |lane: usize| window::local_like(first, self.by.block, self.by.warp, lane as u32);
                let begin = first.wrapping_sub(own(lane));
                for (lane, base) in files.r64[r as usize].iter().enumerate() {
                    let offset = base.wrapping_add(offset).wrapping_sub(own(lane));
                    let offset = if holds(mask, lane) { offset } else { begin };
                    outside |= offset > limit;
                    offsets[lane] = offset as u32;
                }
            }
            Reg::R64(r) => {
                let (begin, shift) = (first.wrapping_sub(start), offset.wrapping_sub(start));
                let bases = &files.r64[r as usize];
                // Without comparisons of 64 bits, which are no vector instructions everywhere.
                let mut above = begin;
                if mask == u32::MAX {
                    for lane in 0..32 {
                        let offset = bases[lane].wrapping_add(shift);
                        above |= offset;
                        offsets[lane] = offset as u32;
                    }
                } else {
                    for lane in 0..32 {
                        let offset = bases[lane].wrapping_add(shift);
                        let offset = if holds(mask, lane) { offset } else { begin };
                        above |= offset;
                        offsets[lane] = offset as u32;
                    }
                }
                let most = offsets.iter().fold(0, |most, offset| *offset.max(&most));
                outside = above >> 32 != 0 || u64::from(most) > limit;
            }
            Reg::R32(r) if start == 0 => {
                for (lane, base) in files.r32[r as usize].iter().enumerate() {
                    let offset = base.wrapping_add(offset as u32);
                    offsets[lane] = if holds(mask, lane) { offset } else { first as u32 };
                }
                let most = offsets.iter().fold(0, |most, offset| *offset.max(&most));
                outside = u64::from(most) > limit;
            }
            Reg::R32(_) => return None,
            _ => {
                outside = first.wrapping_sub(start) > limit;
                offsets = LaneRow([first.wrapping_sub(start) as u32; 32]);
            }
        }
        if let (AddressSpace::Shared, Some((from, to))) = (space, array) {
            let limit = to.checked_sub(from + size)?;
            for &offset in offsets.iter() {
                outside |= offset.wrapping_sub(from) > limit;
            }
        }
        if space == AddressSpace::Shared {
            let mut below = false;
            offsets.iter().for_each(|offset| below |= *offset < self.shared_low);
            outside |= below;
        }
        if space == AddressSpace::Local && files.reach.gap.1 > 0 {
            let (from, to) = files.reach.gap;
            let mut gone = false;
            offsets.iter().for_each(|offset| gone |= (*offset < to) & (offset.wrapping_add(size) > from));
            outside |= gone;
        }
        let begin = offsets[lane];
        let (mut odd, mut apart, mut gaps) = (0, 0, 0);
        for (lane, &offset) in offsets.iter().enumerate() {
            odd |= offset;
            apart |= offset ^ begin;
            gaps |= offset ^ begin.wrapping_add(lane as u32 * size);
        }
        if outside || odd & (size - 1) != 0 || start & u64::from(size - 1) != 0 {
            return None;
        }
        let shape = match (apart, gaps) {
            (0, _) => LaneLayout::Uniform,
            (_, 0) => LaneLayout::Contiguous,
            (..=127, _) => LaneLayout::Row,
            _ => LaneLayout::Any,
        };
        let start = if matches!(space, AddressSpace::Shared | AddressSpace::Local) { 0 } else { start };
        Some(Lanes { space, shape, size, allocation: *self.last, start, offsets })
    }

    /// The allocation that holds the bytes; the last one is tried first.
    #[inline(always)]
    fn allocation(&mut self, address: u64, size: u64) -> Option<&Allocation> {
        let global = self.global.get();
        if let Some(last) = global.allocations.get(*self.last) {
            let offset = address.wrapping_sub(last.base);
            if offset < last.size && size <= last.size - offset && last.sparse.is_none() {
                return Some(last);
            }
        }
        let found = global.find(address, size)?;
        let allocation = global.allocations.get(found)?;
        if allocation.sparse.is_some() {
            return None;
        }
        *self.last = found;
        Some(allocation)
    }
}

/// Does a register of that kind take an element of that size without being widened?
#[inline(always)]
fn fits(reg: Reg, size: u32) -> bool {
    match reg {
        Reg::R32(_) => size <= 4,
        Reg::R64(_) => size == 8,
        Reg::P(_) => false,
        Reg::None => true,
    }
}
