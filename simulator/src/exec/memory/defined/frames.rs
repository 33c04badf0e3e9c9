//! What blocks and functions begin with: registers and local memory that hold nothing yet.

use crate::exec::accessing::{Accessing, LaneBytes};
use crate::exec::block::{Block, Shared};
use crate::exec::cell::AccessError;
use crate::exec::context::{Flow, Worker};
use crate::exec::warp::Warp;
use crate::isa::op::{AccessOp, AddressSpace};
use crate::observe::{AccessKind, Observer, Space};

use super::access::{each, owner};

/// Bytes that `discard` takes at once.
const LINE: u64 = 128;

impl<O: Observer> Worker<'_, O> {
    /// A block has been prepared for its first instruction.
    pub fn block_begins(&mut self, block: &mut Block) {
        self.defined.cells.forget(block.shared.slot);
        let context = self.context;
        let info = &context.decoded.code.functions[context.function as usize];
        for warp in &mut block.warps {
            warp.shadow.clear();
            if !info.unassigned.is_empty() {
                let origin = self.never_assigned(&block.shared, warp, info.start);
                let (frame, lanes) = (warp.frames[0], warp.lanes);
                warp.shadow.enter(&frame, lanes, info, Some(origin));
            }
        }
    }

    /// The lanes of `mask` have begun a function: its registers and its local memory hold nothing.
    pub fn entered(&mut self, shared: &Shared, warp: &mut Warp, frame: u32, mask: u32) {
        let code = &self.context.decoded.code;
        let frame = warp.frames[frame as usize];
        let info = &code.functions[frame.function as usize];
        let origin =
            if info.unassigned.is_empty() { None } else { Some(self.never_assigned(shared, warp, info.start)) };
        if origin.is_some() || !warp.shadow.is_empty() {
            warp.shadow.enter(&frame, mask, info, origin);
        }
        let who = shared.warp(warp.index);
        for lane in each(mask) {
            let (address, bytes) = (u64::from(frame.local), u64::from(info.local));
            self.observer.discarded(who, Space::Local, lane as u32, address, bytes);
            if !self.defined.cells.is_empty() {
                self.forget_cells(shared, warp, AddressSpace::Local, lane, address, bytes);
            }
        }
    }

    /// Memory that is about to be written anew, or to be undefined as a whole, has no undefined bits of its own.
    pub fn forget_cells(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        space: AddressSpace,
        lane: usize,
        address: u64,
        bytes: u64,
    ) {
        let whose = owner(shared, warp, space, lane);
        for word in (address..address + bytes).step_by(4) {
            self.defined.cells.write(whose, word, 4, 0, None);
        }
    }

    /// `prefetch`, `cp.async.bulk.prefetch`: nothing comes of it, wherever it goes, but traffic. Of the latter a register has the bytes.
    #[cfg(not(target_family = "wasm"))]
    pub fn prefetch(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, mask: u32, op: &AccessOp) -> Flow {
        let group = warp.groups[at];
        if O::ACTIVE {
            let mut found = self.lane_addresses(warp, group.frame, op.base, op.offset, op.frame);
            let bytes = match op.regs.first() {
                Some(size) => warp.read(group.frame, *size).map(|size| size & 0xffff_ffff),
                None => [u64::from(op.size); 32],
            };
            for (space, mask) in Self::by_space(op.space, mask, &mut found) {
                if space == AddressSpace::Global {
                    self.observer.prefetched(shared.warp(warp.index), mask, &found, &bytes);
                }
            }
        }
        warp.groups[at].pc += 1;
        Flow::Continue
    }

    /// `discard`: what was in these lines is gone.
    pub fn discard(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, mask: u32, op: &AccessOp) -> Flow {
        let group = warp.groups[at];
        let found = self.lane_addresses(warp, group.frame, op.base, op.offset, op.frame);
        for lane in each(mask) {
            let line = found[lane];
            let refused = LaneBytes::new(AddressSpace::Global, line, LINE as u32);
            if !line.is_multiple_of(LINE) {
                return self.bad_access(
                    shared,
                    warp,
                    Accessing { pc: group.pc, lanes: 1 << lane, kind: AccessKind::Store },
                    refused,
                    AccessError::Misaligned,
                );
            }
            self.protect(
                shared,
                warp,
                Accessing { pc: group.pc, lanes: 1 << lane, kind: AccessKind::Store },
                &found,
                LINE as u32,
            );
            for word in (line..line + LINE).step_by(4) {
                let value = self.context.poison(word).into();
                let stored = self.store_lane(shared, warp, lane, LaneBytes::new(AddressSpace::Global, word, 4), value);
                if let Err(bad) = stored {
                    return self.bad_access(
                        shared,
                        warp,
                        Accessing { pc: group.pc, lanes: 1 << lane, kind: AccessKind::Store },
                        refused,
                        bad,
                    );
                }
            }
            if O::ACTIVE {
                self.forget_cells(shared, warp, AddressSpace::Global, lane, line, LINE);
                self.observer.discarded(shared.warp(warp.index), Space::Global, lane as u32, line, LINE);
            }
        }
        warp.groups[at].pc += 1;
        Flow::Continue
    }
}
