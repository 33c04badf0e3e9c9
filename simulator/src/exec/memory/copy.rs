//! `cp.async`.

use crate::FindingKind;
use crate::exec::accessing::{Accessing, LaneBytes, WarpBytes};
use crate::exec::block::Shared;
use crate::exec::cell::AccessError;
use crate::exec::context::{Flow, Worker};
use crate::exec::defined::Reached;
use crate::exec::warp::Warp;
use crate::isa::op::{AddressSpace, CopyOp, Reg};
use crate::observe::{AccessKind, MemoryOrder, Observer, Scope, Unwritten};

impl<O: Observer> Worker<'_, O> {
    /// `cp.async`, done at once.
    pub fn copy(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, mask: u32, op: &CopyOp) -> Flow {
        let group = warp.groups[at];
        let by = |lanes, kind| Accessing { pc: group.pc, lanes, kind };
        let to = self.lane_addresses(warp, group.frame, op.to, op.to_offset, false);
        let from = self.lane_addresses(warp, group.frame, op.from, op.from_offset, false);
        let sizes = warp.read(group.frame, op.source_size);
        let ignored = warp.read_predicate(group.frame, op.ignore);
        if let Some((lane, kind)) = too_many(op, mask & !ignored, &sizes) {
            return self.fault(shared, warp, group.pc, 1 << lane, kind);
        }
        let limit = |lane: usize| match (ignored >> lane & 1, op.source_size) {
            (1, _) => 0,
            (_, Reg::None) => op.size,
            _ => sizes[lane] as u32,
        };
        // Lanes that only write zeros do not read.
        let reading =
            (0..32).filter(|&lane| mask >> lane & 1 != 0 && limit(lane) > 0).fold(0, |all, lane| all | 1 << lane);
        if reading != 0 {
            self.count_access(group.pc, AddressSpace::Global, AccessKind::Load, reading, &from, op.size);
        }
        self.count_access(group.pc, AddressSpace::Shared, AccessKind::Store, mask, &to, op.size);
        let target = WarpBytes::new(AddressSpace::Shared, &to, op.size);
        if let Some(stop) = self.outside_array(shared, warp, by(mask, AccessKind::Store), target, op.array) {
            return stop;
        }
        for lane in (0..32usize).filter(|lane| mask >> lane & 1 != 0) {
            let limit = limit(lane);
            let size = u64::from(op.size);
            if !to[lane].is_multiple_of(size) || limit > 0 && !from[lane].is_multiple_of(size) {
                let (space, address, kind) = if !to[lane].is_multiple_of(size) {
                    (AddressSpace::Shared, to[lane], AccessKind::Store)
                } else {
                    (AddressSpace::Global, from[lane], AccessKind::Load)
                };
                let at = LaneBytes::new(space, address, op.size);
                return self.bad_access(shared, warp, by(1 << lane, kind), at, AccessError::Misaligned);
            }
            for step in (0..op.size).step_by(4) {
                let mut value = 0;
                for byte in step..(step + 4).min(limit.max(step)) {
                    let bytes = LaneBytes::new(AddressSpace::Global, from[lane] + u64::from(byte), 1);
                    match self.load_lane(shared, warp, lane, bytes) {
                        Ok(read) => value |= read << ((byte - step) * 8),
                        Err(bad) => {
                            let at = LaneBytes { size: op.size, ..bytes };
                            return self.bad_access(shared, warp, by(1 << lane, AccessKind::Load), at, bad);
                        }
                    }
                }
                let address = to[lane] + u64::from(step);
                let bytes = LaneBytes::new(AddressSpace::Shared, address, 4);
                if let Err(bad) = self.store_lane(shared, warp, lane, bytes, value) {
                    let at = LaneBytes { size: op.size, ..bytes };
                    return self.bad_access(shared, warp, by(1 << lane, AccessKind::Store), at, bad);
                }
            }
        }
        if O::ACTIVE {
            let order = (MemoryOrder::Weak, Scope::Gpu);
            let limits = std::array::from_fn(|lane| if reading >> lane & 1 != 0 { limit(lane) } else { 0 });
            let unwritten = self.observe_copied(shared, warp, by(reading, AccessKind::Load), &from, &limits);
            let space = AddressSpace::Global;
            let source = Reached { pc: group.pc, space, mask: reading, addresses: &from, unwritten };
            self.copying = true;
            let (space, kind) = (AddressSpace::Shared, AccessKind::Store);
            self.observe(shared, warp, by(mask, kind), WarpBytes::new(space, &to, op.size), order);
            let target = Reached { pc: group.pc, space, mask, addresses: &to, unwritten: None };
            self.copied(shared, warp, &source, &target, limit, op.size);
        }
        warp.groups[at].pc += 1;
        Flow::Continue
    }

    /// Tells the observer what lanes of a copy read: `limits[lane]` bytes each, those behind are another's. Cells of memory are
    /// watched in powers of two, so 12 bytes are told as 8 and 4. Returns which of them nobody has written.
    fn observe_copied(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        by: Accessing,
        from: &[u64; 32],
        limits: &[u32; 32],
    ) -> Option<Box<Unwritten>> {
        let mut unwritten = None::<Box<Unwritten>>;
        for size in [16u32, 8, 4, 2, 1] {
            let lanes = (0..32).filter(|lane| limits[*lane] & size != 0).fold(0, |all, lane| all | 1 << lane);
            if lanes == 0 {
                continue;
            }
            // The greater parts come first.
            let behind = |lane: usize| limits[lane] & !(2 * size - 1);
            let addresses = std::array::from_fn(|lane| from[lane].wrapping_add(behind(lane).into()));
            let bytes = WarpBytes::new(AddressSpace::Global, &addresses, size);
            self.copying = true;
            let order = (MemoryOrder::Weak, Scope::Gpu);
            if let Some(more) = self.observe(shared, warp, Accessing { lanes, ..by }, bytes, order) {
                let all = unwritten.get_or_insert_with(|| Box::new([0; 32]));
                for (lane, (all, more)) in all.iter_mut().zip(more.iter()).enumerate() {
                    *all |= more << behind(lane);
                }
            }
        }
        unwritten
    }
}

/// The first of the lanes whose source is larger than what it fills, if one is: PTX leaves open what happens then. A size that was computed
/// as a negative number is such.
fn too_many(op: &CopyOp, lanes: u32, sizes: &[u64; 32]) -> Option<(u32, FindingKind)> {
    let wrong = |lane: &u32| lanes >> lane & 1 != 0 && sizes[*lane as usize] as u32 > op.size;
    let lane = (0..32).find(wrong).filter(|_| op.source_size != Reg::None)?;
    let (from, to) = (sizes[lane as usize] as u32, op.size);
    let what = if (from as i32) < 0 {
        format!("an asynchronous copy of {} bytes into {to}: the size of its source is negative", from as i32)
    } else {
        format!("an asynchronous copy copies {from} bytes into {to}: its source may not be larger than what it fills")
    };
    Some((lane, FindingKind::BrokenPromise { what }))
}
