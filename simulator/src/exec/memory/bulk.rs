//! Bulk copies: `cp.async.bulk` and `cp.reduce.async.bulk`, done at once. They are watched as copies on their way: one that completes at
//! an mbarrier until somebody has waited there, one of a bulk group until its thread has waited for the group.

use crate::exec::accessing::{Accessing, LaneBytes, WarpBytes};
use crate::exec::block::Shared;
use crate::exec::cell::AccessError;
use crate::exec::context::{Flow, Worker};
use crate::exec::defined::Reached;
use crate::exec::warp::Warp;
use crate::isa::op::{AddressSpace, BulkOp};
use crate::observe::{AccessKind, MemoryOrder, Observer, Scope};

/// Addresses and sizes are multiples of this.
const UNIT: u64 = 16;

impl<O: Observer> Worker<'_, O> {
    /// Executes one of them, lane after lane. Counted as requests of up to 512 bytes.
    pub fn bulk(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, mask: u32, op: &BulkOp) -> Flow {
        let group = warp.groups[at];
        let to = self.lane_addresses(warp, group.frame, op.to, op.to_offset, false);
        let from = self.lane_addresses(warp, group.frame, op.from, op.from_offset, false);
        let sizes = warp.read(group.frame, op.size);
        let mbarriers = op.complete.filter(|_| O::ACTIVE).map(|index| {
            let object = &self.context.decoded.code.mbarriers[index as usize];
            self.lane_addresses(warp, group.frame, object.base, object.offset, false)
        });
        for lane in (0..32usize).filter(|lane| mask >> lane & 1 != 0) {
            let size = sizes[lane] & 0xffff_ffff;
            if let Some(stop) = self.bulk_ends(shared, warp, (group.pc, lane), op, [from[lane], to[lane]], size) {
                return stop;
            }
            if op.to_space == AddressSpace::Global && size > 0 {
                let kind = if op.reduce.is_some() { AccessKind::Atomic } else { AccessKind::Store };
                self.protect(shared, warp, Accessing { pc: group.pc, lanes: 1 << lane, kind }, &to, UNIT as u32);
            }
            for offset in (0..size).step_by(UNIT as usize) {
                if let Err((space, address, kind, bad)) =
                    self.bulk_unit(shared, warp, lane, op, from[lane] + offset, to[lane] + offset)
                {
                    return self.bad_access(
                        shared,
                        warp,
                        Accessing { pc: group.pc, lanes: 1 << lane, kind },
                        LaneBytes::new(space, address, UNIT as u32),
                        bad,
                    );
                }
                if O::ACTIVE {
                    let written = if op.reduce.is_some() { AccessKind::Atomic } else { AccessKind::Store };
                    let (source, target) = ([from[lane] + offset; 32], [to[lane] + offset; 32]);
                    let (mask, size) = (1 << lane, UNIT as u32);
                    let ends = [(op.from_space, &source, AccessKind::Load), (op.to_space, &target, written)];
                    let [source, target] = ends.map(|(space, addresses, kind)| {
                        let order = if kind == AccessKind::Atomic { MemoryOrder::Relaxed } else { MemoryOrder::Weak };
                        let order = (order, Scope::Gpu);
                        self.copying = true;
                        self.completing = mbarriers.map(|mbarriers| mbarriers[lane] as u32);
                        let unwritten = self.observe(
                            shared,
                            warp,
                            Accessing { pc: group.pc, lanes: mask, kind },
                            WarpBytes::new(space, addresses, size),
                            order,
                        );
                        Reached { pc: group.pc, space, mask, addresses, unwritten }
                    });
                    self.copied(shared, warp, &source, &target, |_| size, size);
                }
            }
            if let Some((_, element, flops)) = &op.reduce {
                let flops = u64::from(*flops) * size / u64::from(*element);
                self.count(group.pc, |counters| counters.flops += flops);
            }
        }
        match op.complete {
            Some(index) => {
                let code = &self.context.decoded.code;
                self.mbarrier(shared, warp, at, mask, &code.mbarriers[index as usize])
            }
            None => {
                warp.groups[at].pc += 1;
                Flow::Continue
            }
        }
    }

    /// Counts both sides of a lane's copy, and stops where one of them cannot be.
    fn bulk_ends(
        &mut self,
        shared: &mut Shared,
        warp: &mut Warp,
        (pc, lane): (u32, usize),
        op: &BulkOp,
        [from, to]: [u64; 2],
        size: u64,
    ) -> Option<Flow> {
        let ends =
            [(op.from_space, from, AccessKind::Load, op.from_array), (op.to_space, to, AccessKind::Store, op.to_array)];
        for (space, address, kind, array) in ends {
            let (by, all) = (Accessing { pc, lanes: 1 << lane, kind }, [address; 32]);
            let whole = WarpBytes::new(space, &all, size as u32);
            if let Some(stop) = self.outside_array(shared, warp, by, whole, array) {
                return Some(stop);
            }
            if !address.is_multiple_of(UNIT) || !size.is_multiple_of(UNIT) {
                // Of a size that is wrong the finding names the size, where the address is right.
                let named = if address.is_multiple_of(UNIT) { size } else { UNIT };
                let at = LaneBytes::new(space, address, named as u32);
                return Some(self.bad_access(shared, warp, by, at, AccessError::Misaligned));
            }
            for start in (0..size).step_by(512) {
                let lanes = ((size - start) / UNIT).min(32) as u32;
                let addresses = std::array::from_fn(|lane| address + start + lane as u64 * UNIT);
                self.count_access(pc, space, kind, u32::MAX >> (32 - lanes), &addresses, UNIT as u32);
            }
        }
        None
    }

    /// Sixteen bytes.
    fn bulk_unit(
        &mut self,
        shared: &mut Shared,
        warp: &mut Warp,
        lane: usize,
        op: &BulkOp,
        from: u64,
        to: u64,
    ) -> Result<(), (AddressSpace, u64, AccessKind, AccessError)> {
        let size = op.reduce.as_ref().map_or(8, |(_, size, _)| *size);
        for at in (0..UNIT).step_by(size as usize) {
            let (from, to) = (from + at, to + at);
            let read = self.load_lane(shared, warp, lane, LaneBytes::new(op.from_space, from, size));
            let mut value = read.map_err(|bad| (op.from_space, from, AccessKind::Load, bad))?;
            if let Some((f, ..)) = &op.reduce {
                let old = self.load_lane(shared, warp, lane, LaneBytes::new(op.to_space, to, size));
                value = f(old.map_err(|bad| (op.to_space, to, AccessKind::Atomic, bad))?, value, 0);
            }
            let written = self.store_lane(shared, warp, lane, LaneBytes::new(op.to_space, to, size), value);
            written.map_err(|bad| (op.to_space, to, AccessKind::Store, bad))?;
        }
        Ok(())
    }
}
