//! The operation set of the executor.

mod code;
mod effect;
mod matrix;
mod memory;
mod operation;
mod registers;
mod sync;
#[cfg(not(target_family = "wasm"))]
mod texture;

use crate::appearance::nans::Nans;
pub use crate::num::Compare as Cmp;
pub use code::{CallOp, CallValue, Callee, Code, FunctionInfo, IndexedBranch, Origin, Variable};
pub use matrix::{MatrixKind, MatrixOp};
pub use memory::{AccessOp, AddressSpace, AtomicFn, AtomicOp, BulkOp, CopyOp, FenceOp, WordFn, change_shared};
pub use operation::Op;
pub use registers::{RegisterUse, guard};
use std::sync::Arc;
pub use sync::{Arrival, BarrierKind, BarrierOp, CollectiveFn, CollectiveOp, MbarrierKind, MbarrierOp, Use, Vote};
#[cfg(not(target_family = "wasm"))]
pub use texture::{Geometry, Outside, TextureAct, TextureOp};

/// Index into one of a frame's register files. Constants live in the same files.
pub type R = u16;

/// No guard.
pub const NO_GUARD: u16 = u16::MAX;
/// No target, no reconvergence point.
pub const NOWHERE: u32 = u32::MAX;

/// A register of any file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reg {
    /// 8 to 32 bits; what lies above a narrower value means nothing.
    R32(R),
    /// 64 bits.
    R64(R),
    /// A predicate: one bit a lane.
    P(R),
    /// Not there, or `_`.
    None,
}

/// Special registers that differ by lane, warp, block or launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    Laneid,
    Warpid,
    Nwarpid,
    Smid,
    Nsmid,
    Gridid,
    LanemaskEq,
    LanemaskLt,
    LanemaskLe,
    LanemaskGt,
    LanemaskGe,
    Clock,
    ClockHi,
    Clock64,
    Globaltimer,
    GlobaltimerLo,
    GlobaltimerHi,
    Envreg(u8),
    DynamicSmemSize,
    DynamicSmemBase,
    TotalSmemSize,
    /// Where the thread's local memory begins among generic addresses.
    LocalWindow,
    /// Where shared memory begins among generic addresses.
    SharedWindow,
    /// `%aggr_smem_size`: with what is reserved.
    AggregateSmemSize,
    /// `%reserved_smem_offset_end`, `_cap`: what is reserved.
    ReservedSmem,
    /// `%reserved_smem_offset_1`
    ReservedForTiles,
    /// Where the block is in its cluster.
    #[cfg(not(target_family = "wasm"))]
    Cluster(ClusterSpecial),
    Zero,
    /// A clock or a timer whose value goes nowhere: 0, but no number that anything may count on.
    Stopped,
    #[cfg(target_family = "wasm")]
    One,
}

/// Special registers of clusters.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClusterSpecial {
    /// `%clusterid`, by axis.
    Id(u8),
    /// `%nclusterid`
    Count(u8),
    /// `%cluster_ctaid`
    Block(u8),
    /// `%cluster_nctaid`
    Blocks(u8),
    /// `%cluster_ctarank`
    Rank,
    /// `%cluster_nctarank`
    Ranks,
    /// `%is_explicit_cluster`
    Explicit,
}

impl Special {
    /// An address, or a part of one.
    pub fn is_base(self) -> bool {
        matches!(self, Self::DynamicSmemBase | Self::LocalWindow)
    }

    /// A clock or a timer: a loop that reads it never comes back to the same state.
    pub fn is_clock(self) -> bool {
        matches!(
            self,
            Self::Clock | Self::ClockHi | Self::Clock64 | Self::Globaltimer | Self::GlobaltimerLo | Self::GlobaltimerHi
        )
    }
}

/// An operation with its guard.
#[derive(Debug, Clone, Copy)]
pub struct Inst {
    /// What.
    pub op: Op,
    /// Predicate register shifted left by one, plus one when negated; [`NO_GUARD`].
    pub guard: u16,
    /// 1 for the first operation of a PTX instruction, 0 for those that complete it.
    pub counted: u8,
}

/// Sources by lane, widened to 64 bits, to results.
pub type MapFn = Arc<dyn Fn(&[[u64; 32]; 4], &mut [u64; 32]) + Send + Sync>;

/// A pure function of lanes.
#[derive(Clone)]
pub struct MapOp {
    /// Destination.
    pub d: Reg,
    /// Sources.
    pub sources: [Reg; 4],
    /// The function.
    pub f: MapFn,
    /// Floating-point operations a lane.
    pub flops: u8,
    /// Is it a long way to the result, by the first two sources of a lane?
    pub long: Option<LongFn>,
    /// Is the result an approximation of single precision, of which each machine has its own?
    pub approximate: Option<Approximate>,
    /// Whose NaNs may be the assembler's.
    pub nans: Option<Nans>,
}

/// What an approximation is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approximate {
    /// A function of one operand: `ex2`, `rcp`, `rsqrt` and their kin.
    Function,
    /// A dividend times the reciprocal of a divisor.
    Quotient,
}

/// Of operands: does the machine go a long way for them?
pub type LongFn = fn(u64, u64) -> bool;
