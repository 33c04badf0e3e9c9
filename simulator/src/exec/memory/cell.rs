//! One lane's value in memory, of any space.

use crate::exec::accessing::LaneBytes;
use crate::exec::block::Shared;
use crate::exec::context::Worker;
use crate::exec::warp::Warp;
use crate::isa::op::AddressSpace;
use crate::observe::Observer;

/// A lane's access that cannot be done.
pub enum AccessError {
    /// Outside everything.
    Bounds,
    /// Not a multiple of its size.
    Misaligned,
    /// A store to constants.
    Constant,
    /// In the shared memory of a block that has exited.
    #[cfg(not(target_family = "wasm"))]
    Gone,
}

impl<O: Observer> Worker<'_, O> {
    /// What is there where a lane writes: nobody reads it.
    pub fn peek_lane(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        lane: usize,
        bytes: LaneBytes,
    ) -> Result<u64, AccessError> {
        let LaneBytes { space, address, size } = bytes;
        if space != AddressSpace::Global {
            return self.load_lane(shared, warp, lane, bytes);
        }
        let at = self.allocation(address, size.into()).ok_or(AccessError::Bounds)?;
        let allocation = &self.global.get().allocations[at];
        Ok(allocation.peek(address - allocation.base, size))
    }

    /// Reads one lane's value.
    pub fn load_lane(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        lane: usize,
        bytes: LaneBytes,
    ) -> Result<u64, AccessError> {
        let LaneBytes { space, address, size } = bytes;
        if address & u64::from(size - 1) != 0 {
            return Err(AccessError::Misaligned);
        }
        match space {
            AddressSpace::Shared => {
                let (all, address) = self.shared_at(shared, address)?;
                let at = usize::try_from(address).map_err(|_| AccessError::Bounds)?;
                let found = at.checked_add(size as usize).and_then(|end| all.get(at..end));
                let low = self.context.shared_low() as usize;
                let found = found.filter(|_| at >= low).ok_or(AccessError::Bounds)?;
                let mut bytes = [0; 8];
                bytes[..size as usize].copy_from_slice(found);
                Ok(u64::from_le_bytes(bytes))
            }
            AddressSpace::Local => {
                if !warp.reach.holds(address, size) {
                    return Err(AccessError::Bounds);
                }
                Ok(warp.load_local(lane, address as u32, size))
            }
            AddressSpace::Param => {
                let at = usize::try_from(address).map_err(|_| AccessError::Bounds)?;
                let found = at.checked_add(size as usize).and_then(|end| self.context.params.get(at..end));
                let found = found.ok_or(AccessError::Bounds)?;
                let mut bytes = [0; 8];
                bytes[..size as usize].copy_from_slice(found);
                Ok(u64::from_le_bytes(bytes))
            }
            _ => {
                let at = self.allocation(address, size.into()).ok_or(AccessError::Bounds)?;
                let allocation = &self.global.get().allocations[at];
                if allocation.heap && !self.in_heap(address, size) {
                    return Err(AccessError::Bounds);
                }
                // A word of 64 bits is two here: one lock for whoever cares, as for atomics.
                let words = self.global.get();
                let _guard = (size == 8 && !self.global.alone()).then(|| words.lock(address).lock());
                Ok(allocation.load(address - allocation.base, size))
            }
        }
    }

    /// The sparse allocation in which all lanes' `whole` bytes lie, and their places there, if nothing is wrong with them.
    fn sparse_lanes(&mut self, mask: u32, addresses: &[u64; 32], whole: u64) -> Option<(usize, [u64; 32])> {
        let at = self.allocation(addresses[mask.trailing_zeros() as usize % 32], whole)?;
        let allocation = &self.global.get().allocations[at];
        allocation.sparse.as_ref()?;
        let offsets = addresses.map(|address| address.wrapping_sub(allocation.base));
        let fine = |lane: usize| offsets[lane] <= allocation.size - whole && addresses[lane] & (whole - 1) == 0;
        (0..32usize).all(|lane| mask >> lane & 1 == 0 || fine(lane)).then_some((at, offsets))
    }

    /// Reads all lanes' values where they lie in one sparse allocation and nothing is wrong with them; else says `false`.
    pub fn load_sparse(&mut self, mask: u32, addresses: &[u64; 32], size: u32, values: &mut [[u64; 32]]) -> bool {
        let whole = u64::from(size) * values.len() as u64;
        let Some((at, offsets)) = self.sparse_lanes(mask, addresses, whole) else { return false };
        let sparse = self.global.get().allocations[at].sparse.as_ref();
        sparse.inspect(|sparse| sparse.load_lanes(mask, &offsets, size, values)).is_some()
    }

    /// The same for values that are written.
    pub fn store_sparse(&mut self, mask: u32, addresses: &[u64; 32], size: u32, values: &[[u64; 32]]) -> bool {
        let whole = u64::from(size) * values.len() as u64;
        let Some((at, offsets)) = self.sparse_lanes(mask, addresses, whole) else { return false };
        let allocation = &self.global.get().allocations[at];
        if allocation.constant || allocation.input || allocation.heap {
            return false;
        }
        allocation.sparse.as_ref().inspect(|sparse| sparse.store_lanes(mask, &offsets, size, values)).is_some()
    }

    /// Writes one lane's value.
    pub fn store_lane(
        &mut self,
        shared: &mut Shared,
        warp: &mut Warp,
        lane: usize,
        bytes: LaneBytes,
        value: u64,
    ) -> Result<(), AccessError> {
        let LaneBytes { space, address, size } = bytes;
        if address & u64::from(size - 1) != 0 {
            return Err(AccessError::Misaligned);
        }
        match space {
            AddressSpace::Shared => {
                let low = self.context.shared_low() as usize;
                let (all, address) = self.shared_at_mut(shared, address)?;
                let at = usize::try_from(address).map_err(|_| AccessError::Bounds)?;
                let found = at.checked_add(size as usize).and_then(|end| all.get_mut(at..end));
                let found = found.filter(|_| at >= low);
                found.ok_or(AccessError::Bounds)?.copy_from_slice(&value.to_le_bytes()[..size as usize]);
                Ok(())
            }
            AddressSpace::Local => {
                if !warp.reach.holds(address, size) {
                    return Err(AccessError::Bounds);
                }
                warp.store_local(lane, address as u32, size, value);
                Ok(())
            }
            AddressSpace::Param => Err(AccessError::Constant),
            _ => {
                let at = self.allocation(address, size.into()).ok_or(AccessError::Bounds)?;
                let allocation = &self.global.get().allocations[at];
                if allocation.constant || allocation.input && self.observer.strayed().is_some() {
                    return Err(AccessError::Constant);
                }
                if allocation.heap && !self.in_heap(address, size) {
                    return Err(AccessError::Bounds);
                }
                let words = self.global.get();
                let _guard = (size == 8 && !self.global.alone()).then(|| words.lock(address).lock());
                allocation.store(address - allocation.base, size, value);
                Ok(())
            }
        }
    }

    /// Index of the allocation that holds the bytes; the last one found is tried first.
    #[inline(always)]
    pub fn allocation(&mut self, address: u64, size: u64) -> Option<usize> {
        let global = self.global.get();
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
}
