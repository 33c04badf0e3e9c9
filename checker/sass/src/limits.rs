//! What a multiprocessor of each architecture holds.
//!
//! Source: the compute capability tables of the CUDA C++ Programming Guide 13 (threads, blocks, registers, shared memory);
//! allocation units and shared memory configurations as in NVIDIA's `cuda_occupancy.h`, against which the tests compare.

use serde::Serialize;

/// Limits of a device that decide occupancy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// Compute capability times 10: 75, 90, 120.
    pub sm: u32,
    /// Threads that a block may have.
    pub threads_per_block: u32,
    /// Threads resident on a multiprocessor.
    pub threads_per_sm: u32,
    /// Blocks resident on a multiprocessor.
    pub blocks_per_sm: u32,
    /// 32-bit registers of a multiprocessor; a block may have as many.
    pub registers_per_sm: u32,
    /// Registers that a thread may have, as the hardware checks it.
    pub registers_per_thread: u32,
    /// Registers are given to a warp in units of this many.
    pub register_unit: u32,
    /// Warp schedulers, each with its share of the registers.
    pub partitions: u32,
    /// Shared memory of a multiprocessor in bytes, at most.
    pub shared_per_sm: u32,
    /// Shared memory of a block in bytes without opting in.
    pub shared_per_block: u32,
    /// Shared memory of a block in bytes after opting in (`cudaFuncAttributeMaxDynamicSharedMemorySize`).
    pub shared_opt_in: u32,
    /// Bytes that the driver takes of each block's.
    pub shared_reserved: u32,
    /// Shared memory is given to a block in units of this many bytes.
    pub shared_unit: u32,
    /// Sizes in KiB to which a multiprocessor's shared memory can be set, ascending; the rest is L1.
    pub shared_sizes: &'static [u32],
    /// Named barriers of a multiprocessor as a multiple of its blocks; `None` where they never limit.
    pub barriers_per_block: Option<u32>,
}

const KIB: u32 = 1024;

impl Limits {
    /// Of an architecture by number (75 for sm_75); `None` if its limits are not published.
    pub fn of(sm: u32) -> Option<Self> {
        DEVICES.iter().find(|d| d.sm == sm).copied()
    }
}

/// All that is the same since Turing.
const BASE: Limits = Limits {
    sm: 0,
    threads_per_block: 1024,
    threads_per_sm: 2048,
    blocks_per_sm: 32,
    registers_per_sm: 65536,
    registers_per_thread: 256,
    register_unit: 256,
    partitions: 4,
    shared_per_sm: 228 * KIB,
    shared_per_block: 48 * KIB,
    shared_opt_in: 227 * KIB,
    shared_reserved: KIB,
    shared_unit: 128,
    shared_sizes: LARGE,
    barriers_per_block: None,
};

const TURING: &[u32] = &[32, 64];
const SMALL: &[u32] = &[0, 8, 16, 32, 64, 100];
const AMPERE: &[u32] = &[0, 8, 16, 32, 64, 100, 132, 164];
const LARGE: &[u32] = &[0, 8, 16, 32, 64, 100, 132, 164, 196, 228];

/// The architectures with published limits.
pub const DEVICES: &[Limits] = &[
    Limits {
        sm: 75,
        threads_per_sm: 1024,
        blocks_per_sm: 16,
        shared_per_sm: 64 * KIB,
        shared_opt_in: 64 * KIB,
        shared_reserved: 0,
        shared_unit: 256,
        shared_sizes: TURING,
        ..BASE
    },
    Limits { sm: 80, shared_per_sm: 164 * KIB, shared_opt_in: 163 * KIB, shared_sizes: AMPERE, ..BASE },
    Limits {
        sm: 86,
        threads_per_sm: 1536,
        blocks_per_sm: 16,
        shared_per_sm: 100 * KIB,
        shared_opt_in: 99 * KIB,
        shared_sizes: SMALL,
        ..BASE
    },
    Limits {
        sm: 87,
        threads_per_sm: 1536,
        blocks_per_sm: 16,
        shared_per_sm: 164 * KIB,
        shared_opt_in: 163 * KIB,
        shared_sizes: AMPERE,
        ..BASE
    },
    Limits {
        sm: 89,
        threads_per_sm: 1536,
        blocks_per_sm: 24,
        shared_per_sm: 100 * KIB,
        shared_opt_in: 99 * KIB,
        shared_sizes: SMALL,
        ..BASE
    },
    Limits { sm: 90, barriers_per_block: Some(2), ..BASE },
    Limits { sm: 100, barriers_per_block: Some(2), ..BASE },
    Limits { sm: 103, barriers_per_block: Some(1), ..BASE },
    Limits { sm: 110, threads_per_sm: 1536, blocks_per_sm: 24, barriers_per_block: Some(1), ..BASE },
    BLACKWELL_RTX,
    Limits { sm: 121, ..BLACKWELL_RTX },
];

const BLACKWELL_RTX: Limits = Limits {
    sm: 120,
    threads_per_sm: 1536,
    blocks_per_sm: 24,
    shared_per_sm: 100 * KIB,
    shared_opt_in: 99 * KIB,
    shared_sizes: SMALL,
    barriers_per_block: Some(1),
    ..BASE
};
