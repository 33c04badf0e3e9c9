//! What a request to memory costs: sectors of global memory, passes over the banks of shared memory.

mod banks;
mod sectors;
#[cfg(test)]
mod tests;

use crate::counters::Counters;
use crate::exec::context::Worker;
use crate::exec::direct::LaneLayout;
use crate::isa::op::{AddressSpace, AtomicOp};
use crate::observe::{AccessKind, Observer};
use banks::distinct_places;
pub use banks::{served_together, wavefronts};
use sectors::local_sectors;
pub use sectors::sectors;

/// What a request to memory costs.
#[derive(Debug, Clone, Copy, Default)]
pub struct RequestCost {
    /// Bytes that lanes asked for.
    bytes: u64,
    /// Global and local memory: 32-byte sectors.
    sectors: u64,
    /// Shared memory: passes over the banks. Constant memory: words of different addresses.
    passes: u64,
    /// Shared memory: passes that its bytes need at least.
    fewest: u64,
}

impl RequestCost {
    /// The cost of `size` bytes a lane, aligned to that unless `shape` is [`LaneLayout::Any`]. `first` is the address of the
    /// first lane in `mask`, `addresses` all of them; those of lanes that are not in `mask` mean nothing.
    #[inline(always)]
    pub fn new(
        space: AddressSpace,
        mask: u32,
        shape: LaneLayout,
        first: u64,
        size: u32,
        kind: AccessKind,
        addresses: impl Fn() -> [u64; 32],
    ) -> Self {
        let whole = u64::from(size);
        let mut request = Self { bytes: whole * u64::from(mask.count_ones()), ..Self::default() };
        match space {
            AddressSpace::Global | AddressSpace::Generic => {
                request.sectors = match shape {
                    LaneLayout::Contiguous => (first % 32 + request.bytes).div_ceil(32),
                    LaneLayout::Uniform => (first % 32 + whole).div_ceil(32),
                    LaneLayout::Row | LaneLayout::Any => sectors(&addresses(), mask, whole),
                };
            }
            AddressSpace::Shared => {
                (request.passes, request.fewest) = match shape {
                    LaneLayout::Contiguous => (whole.div_ceil(4), whole.div_ceil(4)),
                    // Words that share a row have banks of their own.
                    LaneLayout::Uniform | LaneLayout::Row if size <= 4 => (1, 1),
                    _ => wavefronts(&addresses(), mask, size, kind),
                };
            }
            AddressSpace::Const => {
                request.passes = match shape {
                    LaneLayout::Uniform => whole.div_ceil(4),
                    _ => distinct_places(&addresses(), mask, size),
                };
            }
            AddressSpace::Local => {
                request.sectors = match shape {
                    LaneLayout::Uniform if mask == u32::MAX => 4 * whole.div_ceil(4),
                    _ => local_sectors(&addresses(), mask, size),
                };
            }
            _ => {}
        }
        request
    }
}

/// Adds a request to the sums.
#[inline(always)]
pub fn charge(counters: &mut Counters, space: AddressSpace, kind: AccessKind, request: &RequestCost) {
    let load = kind == AccessKind::Load;
    match space {
        AddressSpace::Global | AddressSpace::Generic if load => {
            counters.global_load_requests += 1;
            counters.global_load_sectors += request.sectors;
            counters.global_load_bytes += request.bytes;
        }
        AddressSpace::Global | AddressSpace::Generic => {
            counters.global_store_requests += 1;
            counters.global_store_sectors += request.sectors;
            counters.global_store_bytes += request.bytes;
        }
        AddressSpace::Shared => {
            if load {
                counters.shared_load_requests += 1;
                counters.shared_load_wavefronts += request.passes;
                counters.shared_load_bytes += request.bytes;
            } else {
                counters.shared_store_requests += 1;
                counters.shared_store_wavefronts += request.passes;
                counters.shared_store_bytes += request.bytes;
            }
            counters.shared_bank_conflicts += request.passes - request.fewest.min(request.passes);
        }
        AddressSpace::Local if load => {
            counters.local_loads += 1;
            counters.local_load_sectors += request.sectors;
        }
        AddressSpace::Local => {
            counters.local_stores += 1;
            counters.local_store_sectors += request.sectors;
        }
        AddressSpace::Const if load => {
            counters.constant_loads += 1;
            counters.constant_load_bytes += request.bytes;
            counters.constant_load_wavefronts += request.passes;
        }
        _ => {}
    }
}

/// Adds a request of atomics or reductions to the sums: of as many elements a lane as `op` has operands.
#[inline(always)]
pub fn charge_atomic(
    counters: &mut Counters,
    op: &AtomicOp,
    space: AddressSpace,
    mask: u32,
    addresses: impl Fn() -> [u64; 32],
) {
    let (lanes, count) = (u64::from(mask.count_ones()), op.b.len() as u64);
    let flops = u64::from(op.flops) * count * lanes;
    counters.flops += flops;
    match (op.size, op.flops) {
        (8, _) => counters.flops_fp64 += flops,
        (4, 1) => counters.flops_fp32 += flops,
        _ => counters.flops_fp16 += flops,
    }
    if space == AddressSpace::Shared {
        counters.shared_atomic_requests += 1;
        counters.shared_atomics += lanes;
    } else {
        counters.global_atomic_requests += 1;
        let touched = sectors(&addresses(), mask, u64::from(op.size) * count);
        counters.global_atomic_sectors += touched;
        counters.global_atomics += lanes;
        if op.returns {
            counters.global_atomic_return_sectors += touched;
        }
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Counts a request of any shape.
    pub fn count_access(
        &mut self,
        pc: u32,
        space: AddressSpace,
        kind: AccessKind,
        mask: u32,
        addresses: &[u64; 32],
        size: u32,
    ) {
        let first = addresses[mask.trailing_zeros() as usize & 31];
        let request = RequestCost::new(space, mask, LaneLayout::Any, first, size, kind, || *addresses);
        self.count(pc, |counters| charge(counters, space, kind, &request));
    }
}
