//! The generic address space. Global memory is where allocations put it; the other spaces are windows. All of it lies where
//! a 64-bit host maps libraries and drivers, so that an address does not tell a simulator from a GPU.

use crate::isa::op::AddressSpace;

/// Module-level variables.
pub const VARIABLES: u64 = 0x0000_7002_0000_0000;
/// Allocations.
pub const ALLOCATIONS: u64 = 0x0000_7010_0000_0000;
/// A block's shared memory.
pub const SHARED: u64 = 0x0000_7ff0_0000_0000;
/// A thread's local memory; see [`local_base`].
pub const LOCAL: u64 = 0x0000_7ff1_0000_0000;
/// A kernel's parameters.
pub const PARAM: u64 = 0x0000_7ff2_0000_0000;
/// Functions' addresses.
pub const CODE: u64 = 0x0000_7ff8_0000_0000;
/// Bytes that the system keeps at the beginning of a block's shared memory, from sm_80 on. A kernel's own begins behind them.
pub const RESERVED_SHARED: u32 = 1024;
/// Where in them cooperative groups' tiles of several warps work (`%reserved_smem_offset_1`): they take 288 bytes.
pub const RESERVED_FOR_TILES: u32 = 64;
/// Bytes of the shared, local and parameter windows.
pub const SIZE: u64 = 1 << 32;

/// An address in shared memory, of 32 bits: an offset in that of the block that asks. In that of another block of its cluster the
/// bits above these hold one more than the block's rank.
pub const WITHIN: u64 = (1 << 24) - 1;

/// What the address of another block's shared memory has above that of one's own.
pub fn of_rank(rank: u32) -> u64 {
    u64::from(rank.min(254) + 1) << WITHIN.count_ones()
}

/// The rank of the block whose shared memory an address of 32 bits is in or near, and the offset there; nothing for one's own.
#[inline]
pub fn rank(address: u64) -> Option<(u32, i64)> {
    // What lies shortly before a block's memory is meant to be in it.
    let above = (address + (WITHIN >> 1)) >> WITHIN.count_ones();
    // The last addresses of all are those before one's own first.
    let rank = u32::try_from(above.checked_sub(1)?).ok().filter(|rank| *rank < 255)?;
    Some((rank, address as i64 - of_rank(rank) as i64))
}

/// The space that a generic address belongs to.
#[inline(always)]
pub fn classify(address: u64) -> AddressSpace {
    match address >> 32 {
        0x7ff0 => AddressSpace::Shared,
        0x7ff2 => AddressSpace::Param,
        high if high & 0xffff == LOCAL >> 32 => AddressSpace::Local,
        _ => AddressSpace::Global,
    }
}

/// Where a thread's own local memory begins among generic addresses. The upper 16 bits say whose it is: warp and lane, and
/// the last bits of the block.
#[inline(always)]
pub fn local_base(block: u64, warp: u32, lane: u32) -> u64 {
    LOCAL | (block & 0x3f) << 58 | u64::from(warp & 31) << 53 | u64::from(lane & 31) << 48
}

/// Warp and lane of whom a generic address of local memory belongs to.
pub fn local_owner(address: u64) -> (u32, u32) {
    ((address >> 53) as u32 & 31, (address >> 48) as u32 & 31)
}

/// A function's address.
pub fn function_address(index: u32) -> u64 {
    CODE + 16 * (u64::from(index) + 1)
}

/// The function at an address.
pub fn function_at(address: u64) -> Option<u32> {
    let offset = address.checked_sub(CODE + 16)?;
    if offset % 16 == 0 { u32::try_from(offset / 16).ok() } else { None }
}
