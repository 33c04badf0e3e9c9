//! Loads and stores of all lanes at once, where they lie in one allocation or one window and nothing is wrong with them.
//! Whatever else there is (lanes in several spaces, addresses out of bounds, constants, odd registers) is left alone, for
//! [`super::access`] to do lane after lane.

mod atomic;
mod load;
mod locate;
mod store;

use crate::counters::Counters;
use crate::exec::schedule::{Polls, Writers};
use crate::exec::select::LaneRow;
use crate::exec::traffic::{RequestCost, charge};
use crate::exec::warp::{Frame, Reach, Warp};
use crate::isa::op::{AccessOp, AddressSpace, Origin};
use crate::memory::ledger::Entry;
use crate::memory::view::View;
use crate::observe::{AccessKind, MemoryOrder, WarpId};

/// The memory that a warp sees, and the sums its accesses are added to.
pub struct Direct<'m> {
    /// Global memory.
    pub global: View<'m>,
    /// Index of the allocation used last.
    pub last: &'m mut usize,
    /// The block's shared memory.
    pub shared: &'m mut [u8],
    /// The first byte of it that the kernel may touch.
    pub shared_low: u32,
    /// Sums by line.
    pub lines: &'m mut [Counters],
    /// Lines by operation.
    pub origins: &'m [Origin],
    /// Who took which lock.
    pub writers: &'m mut Writers,
    /// What was looked at last.
    pub polls: &'m mut Polls,
    /// The warp, for both.
    pub by: WarpId,
}

/// A warp's registers and local memory, from the current frame's first register on.
pub struct Files<'w> {
    /// 32-bit registers.
    pub r32: &'w mut [LaneRow<u32>],
    /// 64-bit registers.
    pub r64: &'w mut [LaneRow<u64>],
    /// Local memory of the thread, all frames.
    pub local: &'w mut [LaneRow<u32>],
    /// First byte of the frame in it.
    pub frame: u32,
    /// What of it the function may use.
    pub reach: Reach,
}

impl<'w> Files<'w> {
    /// Those of a frame.
    pub fn new(warp: &'w mut Warp, frame: &Frame) -> Self {
        Self {
            r32: &mut warp.r32[frame.base32 as usize..],
            r64: &mut warp.r64[frame.base64 as usize..],
            local: &mut warp.local,
            frame: frame.local,
            reach: frame.reach,
        }
    }
}

/// How the lanes' accesses lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneLayout {
    /// The whole warp, each lane right after the one before.
    Contiguous,
    /// All at the same address.
    Uniform,
    /// In the same aligned 128 bytes.
    Row,
    /// Nothing special.
    Any,
}

/// Where the lanes' accesses are. All are inside and aligned.
pub struct Lanes {
    /// Global, constant, shared or local.
    pub space: AddressSpace,
    /// How they lie.
    shape: LaneLayout,
    /// Bytes a lane.
    size: u32,
    /// Index of the allocation, in global memory.
    allocation: usize,
    /// Address of the allocation; 0 of a window.
    start: u64,
    /// Offsets in the allocation or window; lanes that take no part have that of one which does.
    offsets: LaneRow<u32>,
}

impl Lanes {
    /// Addresses in the space, by lane.
    #[inline(always)]
    pub fn addresses(&self) -> [u64; 32] {
        self.offsets.map(|offset| self.start + u64::from(offset))
    }

    /// A word a lane, the whole warp, one behind the other?
    #[inline(always)]
    fn is_run(&self) -> bool {
        self.shape == LaneLayout::Contiguous && self.size == 4
    }

    /// The words that they touch and those between, where each lane touches one.
    #[inline(always)]
    fn range(&self) -> std::ops::Range<usize> {
        let (low, high) = self.offsets.iter().fold((u32::MAX, 0), |(low, high), &at| (low.min(at), high.max(at)));
        (low >> 2) as usize..(high >> 2) as usize + 1
    }

    /// What is put down of a lane's atomic on global memory.
    #[inline(always)]
    fn entry(&self, pc: usize, lane: usize, operand: u32) -> Entry {
        let (allocation, offset) = (self.allocation as u32, self.offsets[lane].into());
        Entry { pc: pc as u32, allocation, offset, operand: operand.into() }
    }

    /// Index of the word `behind` words behind the lane's first.
    #[inline(always)]
    fn word(&self, lane: usize, behind: usize) -> usize {
        (self.offsets[lane] >> 2) as usize + behind
    }
}

impl Direct<'_> {
    /// What others do not see yet comes before this access, if it has to.
    #[inline(always)]
    fn settle(&mut self, lanes: &Lanes, op: &AccessOp) {
        if lanes.space == AddressSpace::Global {
            self.global.settle_before(lanes.allocation, op.order != MemoryOrder::Weak);
        }
    }

    /// Adds an access to the counts.
    #[inline(always)]
    fn charge(&mut self, pc: usize, op: &AccessOp, lanes: &Lanes, mask: u32, kind: AccessKind) {
        if !op.parameter {
            let first = lanes.start + u64::from(lanes.offsets[mask.trailing_zeros() as usize & 31]);
            let request =
                RequestCost::new(lanes.space, mask, lanes.shape, first, lanes.size, kind, || lanes.addresses());
            charge(&mut self.lines[self.origins[pc].line as usize], lanes.space, kind, &request);
        }
    }
}

/// Calls `f` for the lanes of `mask`, in order.
#[inline(always)]
fn for_each(mask: u32, mut f: impl FnMut(usize)) {
    for lane in 0..32 {
        if mask >> lane & 1 != 0 {
            f(lane);
        }
    }
}
