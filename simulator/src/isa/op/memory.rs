//! Accesses to memory.

use super::Reg;
use crate::observe::{MemoryOrder, Scope};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// State space of an instruction's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressSpace {
    Generic,
    Global,
    Const,
    Shared,
    Local,
    /// A kernel's parameters.
    Param,
}

/// A load or store.
#[derive(Debug, Clone)]
pub struct AccessOp {
    /// Where.
    pub space: AddressSpace,
    /// Bytes an element.
    pub size: u32,
    /// Sign-extend to the register's width.
    pub signed: bool,
    /// Registers: one an element; a b128 element is two R64.
    pub regs: Vec<Reg>,
    /// Address register, or none for an absolute address.
    pub base: Reg,
    /// Added to it; for a frame's variable the offset in the frame.
    pub offset: i64,
    /// The address is relative to the frame's part of local memory.
    pub frame: bool,
    /// A parameter of a device function: kept in local memory here, in registers by the hardware.
    pub parameter: bool,
    /// The shared memory of one's own block only: `.shared` without `::cluster`.
    pub own: bool,
    /// Ordering.
    pub order: MemoryOrder,
    /// Scope of a non-weak access.
    pub scope: Scope,
    /// A load that a spin loop may be made of.
    pub may_spin: bool,
    /// The shared array that it has to stay in, where that is known.
    pub array: Option<crate::isa::provenance::Array>,
    /// See [`crate::observe::WarpAccess::mark`].
    pub mark: bool,
    /// See [`crate::observe::WarpAccess::group`].
    pub group: u32,
}

/// What an atomic does: old value and operands to the new value, as bits.
pub type AtomicFn = Arc<dyn Fn(u64, u64, u64) -> u64 + Send + Sync>;

/// The most frequent of them on words, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordFn {
    Add,
    Exchange,
    And,
    Or,
    Xor,
    MinSigned,
    MaxSigned,
    MinUnsigned,
    MaxUnsigned,
}

impl WordFn {
    /// The new value.
    #[inline(always)]
    pub fn apply(self, old: u32, operand: u32) -> u32 {
        match self {
            Self::Add => old.wrapping_add(operand),
            Self::Exchange => operand,
            Self::And => old & operand,
            Self::Or => old | operand,
            Self::Xor => old ^ operand,
            Self::MinSigned => (old as i32).min(operand as i32) as u32,
            Self::MaxSigned => (old as i32).max(operand as i32) as u32,
            Self::MinUnsigned => old.min(operand),
            Self::MaxUnsigned => old.max(operand),
        }
    }

    /// Does it to a word that other host threads use, too; returns the old value.
    #[inline(always)]
    pub fn apply_shared(self, word: &AtomicU32, operand: u32) -> u32 {
        match self {
            Self::Add => word.fetch_add(operand, Relaxed),
            Self::Exchange => word.swap(operand, Relaxed),
            Self::And => word.fetch_and(operand, Relaxed),
            Self::Or => word.fetch_or(operand, Relaxed),
            Self::Xor => word.fetch_xor(operand, Relaxed),
            Self::MinUnsigned => word.fetch_min(operand, Relaxed),
            Self::MaxUnsigned => word.fetch_max(operand, Relaxed),
            Self::MinSigned | Self::MaxSigned => change_shared(word, |old| self.apply(old, operand)),
        }
    }
}

/// Changes a word that other host threads use, too; returns the old value.
#[inline(always)]
pub fn change_shared(word: &AtomicU32, after: impl Fn(u32) -> u32) -> u32 {
    // The closure always gives a value, so both arms hold what was there.
    word.fetch_update(Relaxed, Relaxed, |old| Some(after(old))).unwrap_or_else(|old| old)
}

/// An atomic or a reduction.
#[derive(Clone)]
pub struct AtomicOp {
    /// It brings right a stale value that its thread has read: a compare-and-swap fails, a minimum stays.
    pub corrects: bool,
    /// Somebody uses its result.
    pub answers: bool,
    /// Its order is the author's (`atom.exch.relaxed`), rather than left out.
    pub named: bool,
    /// See [`crate::observe::WarpAccess::group`].
    pub group: u32,
    /// Where.
    pub space: AddressSpace,
    /// See [`AccessOp::own`].
    pub own: bool,
    /// Bytes an element.
    pub size: u32,
    /// Bytes that are changed as one: of a pair of half precision each half by itself, of a `b128` all.
    pub indivisible: u32,
    /// Destinations, one an element; `None` for a reduction.
    pub d: Vec<Reg>,
    /// Address register.
    pub base: Reg,
    /// Added to it.
    pub offset: i64,
    /// Operands, one an element.
    pub b: Vec<Reg>,
    /// Second operand (cas).
    pub c: Reg,
    /// Its upper half, of a `b128`.
    pub c_high: Reg,
    /// A `b128`: its two elements are changed as one.
    pub whole: bool,
    /// The function.
    pub f: AtomicFn,
    /// The same on words, if it has a name.
    pub word: Option<WordFn>,
    /// Ordering.
    pub order: MemoryOrder,
    /// Scope.
    pub scope: Scope,
    /// The result is used: a spin loop may be made of it.
    pub may_spin: bool,
    /// Some instruction of the function names the old value: it has to come back.
    pub returns: bool,
    /// Floating-point operations an element.
    pub flops: u8,
    /// The shared array that it has to stay in, where that is known.
    pub array: Option<crate::isa::provenance::Array>,
}

/// A fence.
#[derive(Debug, Clone, Copy)]
pub struct FenceOp {
    /// Ordering.
    pub order: MemoryOrder,
    /// Scope.
    pub scope: Scope,
}

/// `cp.async.bulk`, `cp.reduce.async.bulk`: performed when it is issued.
#[derive(Clone)]
pub struct BulkOp {
    /// Where to.
    pub to: Reg,
    /// Added to it.
    pub to_offset: i64,
    /// Global or shared.
    pub to_space: AddressSpace,
    /// Where from.
    pub from: Reg,
    /// Added to it.
    pub from_offset: i64,
    /// Global or shared.
    pub from_space: AddressSpace,
    /// Bytes.
    pub size: Reg,
    /// What is done with old and new elements, bytes an element, floating-point operations an element.
    pub reduce: Option<(AtomicFn, u32, u8)>,
    /// Index into [`super::Code::mbarriers`] of the `complete_tx` that follows.
    pub complete: Option<u32>,
    /// The shared array that it has to write to, where that is known.
    pub to_array: Option<crate::isa::provenance::Array>,
    /// The one that it has to read from.
    pub from_array: Option<crate::isa::provenance::Array>,
}

/// `cp.async`: performed when it is issued, so the waits for it are free.
#[derive(Debug, Clone)]
pub struct CopyOp {
    /// Shared address.
    pub to: Reg,
    /// Added to it.
    pub to_offset: i64,
    /// Global address.
    pub from: Reg,
    /// Added to it.
    pub from_offset: i64,
    /// Bytes written.
    pub size: u32,
    /// Bytes read; the rest is zero.
    pub source_size: Reg,
    /// Source is ignored (zeros) when true.
    pub ignore: Reg,
    /// The shared array that it has to stay in, where that is known.
    pub array: Option<crate::isa::provenance::Array>,
}
