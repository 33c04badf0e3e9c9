//! An access as those see it who check, report and observe it.

use crate::isa::op::AddressSpace;
use crate::observe::AccessKind;

/// Lanes of a warp that access memory, and where in the code.
#[derive(Clone, Copy)]
pub struct Accessing {
    /// The operation.
    pub pc: u32,
    /// The lanes, a bit each.
    pub lanes: u32,
    /// Load, store or atomic.
    pub kind: AccessKind,
}

impl Accessing {
    /// One of the lanes.
    pub const fn lane(self, lane: usize) -> Self {
        Self { lanes: 1 << lane, ..self }
    }
}

/// What one lane accesses.
#[derive(Clone, Copy)]
pub struct LaneBytes {
    /// Where the address counts.
    pub space: AddressSpace,
    /// The first byte.
    pub address: u64,
    /// How many bytes.
    pub size: u32,
}

impl LaneBytes {
    /// In the order of the fields.
    #[inline(always)]
    pub const fn new(space: AddressSpace, address: u64, size: u32) -> Self {
        Self { space, address, size }
    }
}

/// What the lanes of a warp access.
#[derive(Clone, Copy)]
pub struct WarpBytes<'a> {
    /// Where the addresses count.
    pub space: AddressSpace,
    /// Every lane's first byte.
    pub addresses: &'a [u64; 32],
    /// How many bytes from each.
    pub size: u32,
}

impl<'a> WarpBytes<'a> {
    /// In the order of the fields.
    #[inline(always)]
    pub const fn new(space: AddressSpace, addresses: &'a [u64; 32], size: u32) -> Self {
        Self { space, addresses, size }
    }
}
