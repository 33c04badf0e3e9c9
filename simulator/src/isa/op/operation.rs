//! The table of operations.

use super::{Cmp, R, Special};
use crate::observe::Copies;

/// An operation. Three-letter fields: `d` destination, `a b c` sources.
#[rustfmt::skip]
#[derive(Debug, Clone, Copy)]
pub enum Op {
    /// Lanes that diverged may wait here for each other.
    Join,
    Bra { target: u32, join: u32 },
    BrIndexed(u32),
    Call(u32),
    Ret,
    Exit,
    Trap,
    Nop,
    /// Index into [`unsupported`](super::Code::unsupported).
    Unsupported(u32),
    /// What stands behind a call that was declared never to return.
    Returned,
    /// `.uni`: this guard is the same in all lanes that are here.
    Uniform { guard: u16 },
    /// `.uni`: all lanes that are here jump to the same place, which this register names.
    SameTarget { a: super::Reg },
    Mov32 { d: R, a: R },
    Mov64 { d: R, a: R },
    MovP { d: R, a: R },
    NotP { d: R, a: R },
    AndP { d: R, a: R, b: R },
    OrP { d: R, a: R, b: R },
    XorP { d: R, a: R, b: R },
    Special32 { d: R, which: Special },
    Special64 { d: R, which: Special },
    Param32 { d: R, offset: u32 },
    Param64 { d: R, offset: u32 },
    /// Address of a frame's local variable, relative to the thread's local memory plus `window`.
    LocalAddress64 { d: R, offset: u32 },
    Add32 { d: R, a: R, b: R },
    Sub32 { d: R, a: R, b: R },
    Mul32 { d: R, a: R, b: R },
    MulHiS32 { d: R, a: R, b: R },
    MulHiU32 { d: R, a: R, b: R },
    MulWideS32 { d: R, a: R, b: R },
    MulWideU32 { d: R, a: R, b: R },
    Mad32 { d: R, a: R, b: R, c: R },
    MadWideS32 { d: R, a: R, b: R, c: R },
    MadWideU32 { d: R, a: R, b: R, c: R },
    And32 { d: R, a: R, b: R },
    Or32 { d: R, a: R, b: R },
    Xor32 { d: R, a: R, b: R },
    Not32 { d: R, a: R },
    Neg32 { d: R, a: R },
    Shl32 { d: R, a: R, b: R },
    ShrU32 { d: R, a: R, b: R },
    ShrS32 { d: R, a: R, b: R },
    MinS32 { d: R, a: R, b: R },
    MaxS32 { d: R, a: R, b: R },
    MinU32 { d: R, a: R, b: R },
    MaxU32 { d: R, a: R, b: R },
    Add64 { d: R, a: R, b: R },
    Sub64 { d: R, a: R, b: R },
    Mul64 { d: R, a: R, b: R },
    Mad64 { d: R, a: R, b: R, c: R },
    And64 { d: R, a: R, b: R },
    Or64 { d: R, a: R, b: R },
    Xor64 { d: R, a: R, b: R },
    Shl64 { d: R, a: R, b: R },
    ShrU64 { d: R, a: R, b: R },
    ShrS64 { d: R, a: R, b: R },
    AddF32 { d: R, a: R, b: R },
    SubF32 { d: R, a: R, b: R },
    MulF32 { d: R, a: R, b: R },
    FmaF32 { d: R, a: R, b: R, c: R },
    NegF32 { d: R, a: R },
    AbsF32 { d: R, a: R },
    AddF64 { d: R, a: R, b: R },
    SubF64 { d: R, a: R, b: R },
    MulF64 { d: R, a: R, b: R },
    FmaF64 { d: R, a: R, b: R, c: R },
    SetS32 { d: R, a: R, b: R, cmp: Cmp },
    SetU32 { d: R, a: R, b: R, cmp: Cmp },
    SetS64 { d: R, a: R, b: R, cmp: Cmp },
    SetU64 { d: R, a: R, b: R, cmp: Cmp },
    SetF32 { d: R, a: R, b: R, cmp: Cmp },
    SetF64 { d: R, a: R, b: R, cmp: Cmp },
    Sel32 { d: R, a: R, b: R, p: R },
    Sel64 { d: R, a: R, b: R, p: R },
    /// Zero-extension, sign-extension, truncation.
    Zext { d: R, a: R },
    Sext { d: R, a: R },
    Trunc { d: R, a: R },
    /// High half of a 64-bit register.
    High { d: R, a: R },
    /// `{a, b}` to 64 bits, `a` low.
    Pack64 { d: R, a: R, b: R },
    S32ToF32 { d: R, a: R },
    U32ToF32 { d: R, a: R },
    /// Any pure function of lanes: index into [`maps`](super::Code::maps).
    Map(u32),
    /// Index into [`accesses`](super::Code::accesses).
    Load(u32),
    Store(u32),
    /// `discard`: nothing is left of these bytes. Index into [`accesses`](super::Code::accesses), without registers.
    Discard(u32),
    /// `prefetch`: only a model of time asks for it. Index into [`accesses`](super::Code::accesses), with a register for its bytes or none.
    #[cfg(not(target_family = "wasm"))]
    Prefetch(u32),
    /// Index into [`atomics`](super::Code::atomics).
    Atomic(u32),
    /// Index into [`collectives`](super::Code::collectives).
    Collective(u32),
    WarpBarrier { mask: R },
    /// Index into [`barriers`](super::Code::barriers).
    Barrier(u32),
    /// `barrier.cluster.arrive`
    #[cfg(not(target_family = "wasm"))]
    ClusterArrive { releases: bool },
    /// `barrier.cluster.wait`
    #[cfg(not(target_family = "wasm"))]
    ClusterWait { acquires: bool },
    /// Index into [`fences`](super::Code::fences).
    Fence(u32),
    /// `fence.proxy.async`: bulk copies come after what the thread knows of global memory, of shared memory.
    ProxyFence { global: bool, shared: bool },
    NanoSleep,
    /// Lanes of the group now executing.
    ActiveMask { d: R },
    /// Index into [`copies`](super::Code::copies).
    CopyAsync(u32),
    /// `cp.async.commit_group`
    CopyCommit { of: Copies },
    /// `cp.async.wait_group left`, `cp.async.bulk.wait_group left`; `u32::MAX`: `cp.async.wait_all`.
    CopyWait { of: Copies, left: u32 },
    /// Index into [`bulk`](super::Code::bulk).
    CopyBulk(u32),
    /// Index into [`mbarriers`](super::Code::mbarriers).
    Mbarrier(u32),
    /// Index into [`matrices`](super::Code::matrices).
    Matrix(u32),
    /// Index into [`textures`](super::Code::textures).
    #[cfg(not(target_family = "wasm"))]
    Texture(u32),
}
