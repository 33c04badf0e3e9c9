//! The generic address space. Global memory is where allocations put it; the other spaces are windows. All of it lies where
//! a 64-bit host maps libraries and drivers, so that an address does not tell a simulator from a GPU. Those of shared and local memory
//! have sixteen places, of which a machine has one ([`place`]); whose window an address is in does not hang on the machine.

use crate::appearance::Appearance;
use crate::isa::op::AddressSpace;

/// Module-level variables.
pub const VARIABLES: u64 = 0x0000_7002_0000_0000;
/// Allocations.
pub const ALLOCATIONS: u64 = 0x0000_7010_0000_0000;
/// Where windows begin: no allocation is beyond it.
pub const WINDOWS: u64 = 0x0000_7f00_0000_0000;
/// The bits in which the places of a window differ.
const PLACES: u64 = 0xf << 36;
/// A block's shared memory, at the last of its places.
pub const SHARED: u64 = WINDOWS | PLACES;
/// A thread's local memory, at the last of its places; see [`local_base`].
pub const LOCAL: u64 = WINDOWS | PLACES | 1 << 32;
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
    const SHARED_HIGH: u64 = SHARED >> 32;
    const LOCAL_HIGH: u64 = LOCAL >> 32;
    match (address | PLACES) >> 32 {
        SHARED_HIGH => AddressSpace::Shared,
        high if high & 0xffff == LOCAL_HIGH => AddressSpace::Local,
        _ if address >> 32 == PARAM >> 32 => AddressSpace::Param,
        _ => AddressSpace::Global,
    }
}

/// What the addresses of shared and local memory differ by between a machine and the plain one: to be taken off with an exclusive or.
pub fn place(machine: Appearance) -> u64 {
    machine.bits(WINDOW) << 36 & PLACES
}

/// The purpose of a machine's random bits.
const WINDOW: u64 = 14;

/// Where the window begins that an address of shared memory is in.
#[inline(always)]
pub fn begin(address: u64) -> u64 {
    address & !(SIZE - 1)
}

/// Where a thread's own local memory begins, for a machine that an address of local memory is of.
#[inline(always)]
pub fn local_like(address: u64, block: u64, warp: u32, lane: u32) -> u64 {
    local_base(block, warp, lane) & !PLACES | address & PLACES
}

/// Where a thread's own local memory begins among generic addresses, on the plain machine. The upper 16 bits say whose it is: warp and lane, and
/// the last bits of the block.
#[inline(always)]
pub fn local_base(block: u64, warp: u32, lane: u32) -> u64 {
    LOCAL | (block & 0x3f) << 58 | u64::from(warp & 31) << 53 | u64::from(lane & 31) << 48
}

/// Warp and lane of whom a generic address of local memory belongs to.
pub fn local_owner(address: u64) -> (u32, u32) {
    ((address >> 53) as u32 & 31, (address >> 48) as u32 & 31)
}

/// A function's address, on the plain machine.
pub fn function_address(index: u32) -> u64 {
    CODE + 128 * (u64::from(index) + 1)
}
