//! The generic address space. Global memory is where allocations put it; the other spaces are windows.

use crate::isa::op::AddressSpace;

/// Module-level variables.
pub const VARIABLES: u64 = 0x0000_0100_0000_0000;
/// Allocations.
pub const ALLOCATIONS: u64 = 0x0000_0200_0000_0000;
/// A block's shared memory.
pub const SHARED: u64 = 0x0000_1000_0000_0000;
/// A thread's local memory.
pub const LOCAL: u64 = 0x0000_2000_0000_0000;
/// A kernel's parameters.
pub const PARAM: u64 = 0x0000_3000_0000_0000;
/// Functions' addresses.
pub const CODE: u64 = 0x0000_5000_0000_0000;
/// Bytes of the shared, local and parameter windows.
pub const SIZE: u64 = 1 << 32;

/// The space that a generic address belongs to.
#[inline(always)]
pub fn classify(address: u64) -> AddressSpace {
    match address >> 32 {
        0x1000 => AddressSpace::Shared,
        0x2000 => AddressSpace::Local,
        0x3000 => AddressSpace::Param,
        _ => AddressSpace::Global,
    }
}

/// Is the address among module-level variables?
pub fn is_variable(address: u64) -> bool {
    (VARIABLES..ALLOCATIONS).contains(&address)
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
