//! Who accessed a byte, when, and how: 16 bytes.

use crate::observe::{AccessKind, Scope};

/// One access, as a shadow cell remembers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Epoch {
    block: u32,
    /// Thread within the block (10 bits), instruction (22 bits).
    thread_pc: u32,
    /// Block barriers passed before it (23 bits), alone (1 bit), mark (1 bit), loose (1 bit), scope (2 bits), copy (1 bit), strong (1 bit),
    /// kind (2 bits).
    phase_how: u32,
    /// The warp's clock; of a copy its number among the warp's copies.
    clock: u32,
}

/// What an access was, besides who and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct How {
    /// Load, store or atomic.
    pub kind: AccessKind,
    /// It may meet other strong accesses without a race: atomics, relaxed and stronger accesses, volatile loads, and
    /// volatile stores that follow a fence.
    pub strong: bool,
    /// Scope, if strong.
    pub scope: Scope,
    /// Made by `cp.async` and not waited for.
    pub copy: bool,
    /// A volatile store without a fence before it: strong towards other warps only. Of a cached load: by a texture or surface
    /// instruction.
    pub loose: bool,
    /// Of a volatile store: without a fence before it. Of a volatile load: nothing is decided by what it brings, so that it is no flag, and
    /// its thread has left nothing there itself. Of global memory both.
    pub alone: bool,
    /// See [`crate::observe::WarpAccess::mark`]; of a strong load: a first guess.
    pub mark: bool,
}

impl How {
    /// An access that orders nothing.
    pub const fn plain(kind: AccessKind) -> Self {
        Self { kind, strong: false, scope: Scope::Sys, copy: false, loose: false, alone: false, mark: false }
    }
}

/// Phases beyond this are taken for this one; a kernel with 8 million barriers loses precision, not soundness of others.
const LAST_PHASE: u32 = (1 << (32 - HOW)) - 1;
const KIND: u32 = 3;
const STRONG: u32 = 4;
const COPY: u32 = 8;
const LOOSE: u32 = 64;
const MARK: u32 = 128;
const ALONE: u32 = 256;
/// Bits of all that, below the phase.
const HOW: u32 = 9;
const LAST_PC: u32 = (1 << 22) - 1;

impl Epoch {
    /// No access.
    pub const NONE: Self = Self { block: u32::MAX, thread_pc: 0, phase_how: 0, clock: 0 };

    /// An access by `thread` of `block`.
    #[inline]
    pub fn new(block: u64, thread: u32, pc: u32, phase: u32, clock: u32, how: How) -> Self {
        let kind = match how.kind {
            AccessKind::Load => 0,
            AccessKind::Store => 1,
            AccessKind::Atomic => 2,
        };
        let bits = u32::from(how.strong) << 2
            | u32::from(how.copy) << 3
            | u32::from(how.loose) << 6
            | u32::from(how.mark) << 7
            | u32::from(how.alone) << 8;
        let how = kind | bits | (how.scope as u32) << 4;
        Self {
            block: block as u32,
            thread_pc: (thread & 1023) << 22 | pc.min(LAST_PC),
            phase_how: phase.min(LAST_PHASE) << HOW | how,
            clock,
        }
    }

    /// Is there none?
    #[inline]
    pub fn is_none(self) -> bool {
        self.block == u32::MAX
    }

    /// The block.
    #[inline]
    pub fn block(self) -> u32 {
        self.block
    }

    /// The thread within the block.
    #[inline]
    pub fn thread(self) -> u32 {
        self.thread_pc >> 22
    }

    /// The warp within the block.
    #[inline]
    pub fn warp(self) -> u32 {
        self.thread_pc >> 27
    }

    /// The instruction.
    #[inline]
    pub fn pc(self) -> u32 {
        self.thread_pc & LAST_PC
    }

    /// Block barriers before it.
    #[inline]
    pub fn phase(self) -> u32 {
        self.phase_how >> HOW
    }

    /// The warp's clock.
    #[inline]
    pub fn clock(self) -> u32 {
        self.clock
    }

    /// What it was.
    #[inline]
    pub fn how(self) -> How {
        How {
            kind: match self.phase_how & KIND {
                0 => AccessKind::Load,
                1 => AccessKind::Store,
                _ => AccessKind::Atomic,
            },
            strong: self.phase_how & STRONG != 0,
            copy: self.is_copy(),
            loose: self.phase_how & LOOSE != 0,
            alone: self.phase_how & ALONE != 0,
            mark: self.phase_how & MARK != 0,
            scope: match self.phase_how >> 4 & 3 {
                0 => Scope::Cta,
                1 => Scope::Cluster,
                2 => Scope::Gpu,
                _ => Scope::Sys,
            },
        }
    }

    /// A copy by `cp.async` that its thread has not waited for?
    #[inline]
    pub fn is_copy(self) -> bool {
        self.phase_how & COPY != 0
    }

    /// A load through the read-only cache: no write of the launch may come before it.
    #[inline]
    pub fn is_cached(self) -> bool {
        self.phase_how & (KIND | STRONG | MARK) == MARK
    }

    /// A load of what the whole launch may only read (`ld.global.nc`): no write may come after it either.
    #[inline]
    pub fn is_read_only(self) -> bool {
        self.phase_how & (KIND | STRONG | MARK | LOOSE) == MARK
    }

    /// A plain load of what an atomic corrects when it is stale.
    #[inline]
    pub fn is_guess(self) -> bool {
        self.phase_how & (KIND | STRONG | MARK) == STRONG | MARK
    }

    /// A strong store of what its thread read there and changed.
    #[inline]
    pub fn is_update(self) -> bool {
        self.phase_how & (KIND | STRONG | MARK) == 1 | STRONG | MARK
    }

    /// An atomic?
    #[inline]
    pub fn is_atomic(self) -> bool {
        self.phase_how & KIND == 2
    }

    /// A copy under way or a load of what is only read: time alone does not order them.
    #[inline]
    pub fn is_special(self) -> bool {
        self.is_copy() || self.is_read_only()
    }

    /// An atomic that may meet every atomic like it, whichever thread's.
    #[inline(always)]
    pub fn is_device_wide_atomic(self) -> bool {
        self.phase_how & (KIND | STRONG | COPY | LOOSE) == 2 | STRONG && self.phase_how >> 4 & 3 >= Scope::Gpu as u32
    }

    /// Of the same kind, strength and scope, or none at all?
    #[inline(always)]
    pub fn is_like_or_none(self, other: Self) -> bool {
        self.is_none() || (self.phase_how ^ other.phase_how) & (MARK - 1) == 0
    }

    /// A strong write: an atomic, or a store that may meet others.
    #[inline]
    pub fn is_strong_write(self) -> bool {
        self.phase_how & KIND != 0 && self.phase_how & STRONG != 0
    }

    /// A copy that is done: an access in this phase at this clock.
    pub fn done(self, phase: u32, clock: u32) -> Self {
        let how = self.phase_how & ((1 << HOW) - 1) & !COPY;
        Self { phase_how: phase.min(LAST_PHASE) << HOW | how, clock, ..self }
    }

    /// The same access, no longer strong.
    pub fn weakened(self) -> Self {
        Self { phase_how: self.phase_how & !STRONG, ..self }
    }

    /// A load, or none?
    #[inline]
    pub fn is_load(self) -> bool {
        self.phase_how & KIND == 0
    }

    /// Same thread?
    #[inline]
    pub fn same_thread(self, other: Self) -> bool {
        self.block == other.block && self.thread_pc >> 22 == other.thread_pc >> 22
    }

    /// Same warp?
    #[inline]
    pub fn same_warp(self, other: Self) -> bool {
        self.block == other.block && self.thread_pc >> 27 == other.thread_pc >> 27
    }

    /// The same access by the thread `lanes` behind this one.
    #[inline]
    pub fn behind(self, lanes: u32) -> Self {
        if self.is_none() { self } else { Self { thread_pc: self.thread_pc.wrapping_add(lanes << 22), ..self } }
    }
}
