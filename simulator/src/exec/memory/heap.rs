//! `malloc` and `free` of device code.

use crate::exec::accessing::{Accessing, LaneBytes, WarpBytes};
use crate::exec::block::Shared;
use crate::exec::context::{Flow, Worker};
use crate::exec::warp::Warp;
use crate::finding::{FindingKind, MemoryLocation};
use crate::isa::op::{AddressSpace, CallOp, CallValue};
use crate::memory::heap::{Caller, Heap, NotAllocated};
use crate::observe::{AccessKind, MemoryOrder, Observer, Scope, Space};

impl<O: Observer> Worker<'_, O> {
    /// Something with the heap; nothing without one.
    fn heap<T>(&self, what: impl FnOnce(&mut Heap) -> T) -> Option<T> {
        // A poisoned lock is one whose holder panicked: the blocks are as they were.
        let heap = self.context.heap?;
        Some(what(&mut heap.lock().unwrap_or_else(std::sync::PoisonError::into_inner)))
    }

    /// Are these bytes of the heap inside a block that is allocated?
    pub fn in_heap(&self, address: u64, size: u32) -> bool {
        self.heap(|heap| heap.holds(address, size.into())).unwrap_or(false)
    }

    /// Whom to name for a `malloc` or `free`.
    fn caller(&self, shared: &Shared, warp: &Warp, pc: u32, lane: usize) -> Caller {
        let pc = self.with_a_line(warp, pc, 1 << lane);
        Caller { pc, block: shared.index, thread: std::array::from_fn(|axis| warp.tid[axis][lane]) }
    }

    /// What lies at an address of the heap.
    pub fn heap_object(&self, address: u64) -> Option<MemoryLocation> {
        let piece = self.heap(|heap| heap.nearest(address))??;
        let place = |caller: Caller| Box::new(self.place_of(caller.block, caller.thread, caller.pc, 1));
        Some(MemoryLocation::Heap {
            offset: address.wrapping_sub(piece.address) as i64,
            bytes: piece.bytes,
            allocated: place(piece.allocated),
            freed: piece.freed.map(place),
        })
    }

    /// What was in a block is gone: it has just been allocated, or freed.
    fn spoil(&mut self, shared: &Shared, warp: &Warp, lane: usize, address: u64, bytes: u64) {
        let Some(at) = self.allocation(address, bytes) else { return };
        for word in (address..address + bytes).step_by(4) {
            let allocation = &self.global.get().allocations[at];
            allocation.store(word - allocation.base, 4, self.context.poison(word).into());
        }
        if O::ACTIVE {
            self.forget_cells(shared, warp, AddressSpace::Global, lane, address, bytes);
            self.observer.discarded(shared.warp(warp.index), Space::Global, lane as u32, address, bytes);
        }
    }

    /// To other threads the end of a block is a write of all its bytes: whoever still reads there has to be ordered before it.
    fn retire(&mut self, shared: &Shared, warp: &Warp, by: Accessing, address: u64, bytes: u64) {
        const WORD: u64 = 16;
        if !O::ACTIVE || !self.context.config.checks.races {
            return;
        }
        let write = |at: u64, size: u32| ([at; 32], size);
        let words = (0..bytes / WORD).map(|word| write(address + word * WORD, WORD as u32));
        let rest = (bytes / WORD * WORD..bytes).map(|byte| write(address + byte, 1));
        for (addresses, size) in words.chain(rest) {
            let bytes = WarpBytes { space: AddressSpace::Global, addresses: &addresses, size };
            self.observe(shared, warp, by, bytes, (MemoryOrder::Weak, Scope::Cta));
        }
    }

    /// `malloc(size)`, lane after lane.
    pub fn malloc(&mut self, shared: &Shared, warp: &mut Warp, at: usize, mask: u32, op: &CallOp) -> Flow {
        let group = warp.groups[at];
        let sizes = self.argument(warp, group.frame, op, 0, 8);
        let mut found = [0; 32];
        for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
            let caller = self.caller(shared, warp, group.pc, lane);
            found[lane] = self.heap(|heap| heap.allocate(sizes[lane], (caller, shared.linear))).unwrap_or(0);
            if found[lane] != 0 {
                self.spoil(shared, warp, lane, found[lane], sizes[lane]);
                if O::ACTIVE {
                    self.observer.reborn(found[lane], sizes[lane]);
                }
            }
        }
        match op.returns.first() {
            Some(CallValue::Register(reg)) => warp.write(group.frame, *reg, mask, &found),
            Some(CallValue::Memory { offset, .. }) => {
                let place = warp.frames[group.frame as usize].local + offset;
                for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
                    warp.store_local(lane, place, 8, found[lane]);
                    if O::ACTIVE {
                        self.forget_cells(shared, warp, AddressSpace::Local, lane, place.into(), 8);
                    }
                }
            }
            None => {}
        }
        warp.groups[at].pc += 1;
        Flow::Continue
    }

    /// `free(pointer)`, lane after lane. What `malloc` did not return, or what was freed before, is a bad access.
    pub fn free(&mut self, shared: &Shared, warp: &mut Warp, at: usize, mask: u32, op: &CallOp) -> Flow {
        let group = warp.groups[at];
        let pointers = self.argument(warp, group.frame, op, 0, 8);
        for lane in (0..32usize).filter(|lane| mask >> lane & 1 != 0) {
            let (pointer, caller) = (pointers[lane], self.caller(shared, warp, group.pc, lane));
            match self.heap(|heap| heap.release(pointer, caller)).unwrap_or(Err(NotAllocated)) {
                Ok(Some(piece)) => {
                    let by = Accessing { pc: caller.pc, lanes: 1 << lane, kind: AccessKind::Store };
                    self.retire(shared, warp, by, piece.address, piece.bytes);
                    self.spoil(shared, warp, lane, piece.address, piece.bytes);
                }
                Ok(None) => {}
                Err(NotAllocated) => {
                    let (kind, space) = (AccessKind::Store, AddressSpace::Global);
                    let mut access = self.describe(
                        shared,
                        warp,
                        Accessing { pc: group.pc, lanes: 1 << lane, kind },
                        LaneBytes::new(space, pointer, 0),
                    );
                    access.what = "free".into();
                    return self.fault(shared, warp, group.pc, 1 << lane, FindingKind::OutOfBounds { access });
                }
            }
        }
        warp.groups[at].pc += 1;
        Flow::Continue
    }
}
