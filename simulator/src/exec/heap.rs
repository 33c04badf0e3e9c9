//! `malloc` and `free` of device code.

use super::block::Shared;
use super::context::{Flow, Worker};
use super::warp::Warp;
use crate::FindingKind;
use crate::isa::op::{AddressSpace, CallOp, CallValue};
use crate::memory::heap::Heap;
use crate::observe::{AccessKind, Observer};

impl<O: Observer> Worker<'_, O> {
    /// Something with the heap; nothing without one.
    fn heap<T>(&self, what: impl FnOnce(&mut Heap) -> T) -> Option<T> {
        // A poisoned lock is one whose holder panicked: the blocks are as they were.
        let heap = self.context.heap?;
        Some(what(&mut heap.lock().unwrap_or_else(std::sync::PoisonError::into_inner)))
    }

    /// `malloc(size)`, lane after lane.
    pub fn malloc(&mut self, warp: &mut Warp, at: usize, mask: u32, op: &CallOp) -> Flow {
        let group = warp.groups[at];
        let sizes = self.argument(warp, group.frame, op, 0, 8);
        let mut found = [0; 32];
        self.heap(|heap| {
            for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
                found[lane] = heap.allocate(sizes[lane]);
            }
        });
        match op.returns.first() {
            Some(CallValue::Register(reg)) => warp.write(group.frame, *reg, mask, &found),
            Some(CallValue::Memory { offset, .. }) => {
                let place = warp.frames[group.frame as usize].local + offset;
                for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
                    warp.store_local(lane, place, 8, found[lane]);
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
            let pointer = pointers[lane];
            if self.heap(|heap| heap.release(pointer)) != Some(true) {
                let (kind, space) = (AccessKind::Store, AddressSpace::Global);
                let mut access = self.describe(shared, warp, group.pc, 1 << lane, kind, space, pointer, 0);
                access.what = "free".into();
                return self.fault(shared, warp, group.pc, 1 << lane, FindingKind::OutOfBounds { access });
            }
        }
        warp.groups[at].pc += 1;
        Flow::Continue
    }
}
