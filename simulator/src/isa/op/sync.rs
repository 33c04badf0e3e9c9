//! What lanes, warps and blocks do together.

use super::{AtomicFn, Reg};

/// Votes and their kin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vote {
    All,
    Any,
    Uni,
    Ballot,
}

/// What a collective does with the lanes that came.
#[derive(Clone)]
pub enum CollectiveFn {
    ShflUp,
    ShflDown,
    ShflBfly,
    ShflIdx,
    Vote(Vote),
    MatchAny,
    MatchAll,
    /// Folded over the lanes of the mask.
    Redux(AtomicFn),
    /// The lowest lane of the mask is chosen.
    Elect,
}

/// A `*.sync` instruction that exchanges values.
#[derive(Clone)]
pub struct CollectiveOp {
    /// What.
    pub f: CollectiveFn,
    /// Destination.
    pub d: Reg,
    /// Second destination predicate.
    pub p: Reg,
    /// Source value.
    pub a: Reg,
    /// The source predicate is inverted.
    pub negated: bool,
    /// Shuffle's second operand.
    pub b: Reg,
    /// Shuffle's clamp and segment mask.
    pub c: Reg,
    /// Member mask; none for the forms without `.sync`, which take whoever is there.
    pub mask: Reg,
    /// What becomes of a shuffle's result for certain.
    pub used: Use,
    /// A shuffle whose result reaches nothing: no memory, address, condition, call, or exchange that does.
    pub in_vain: bool,
    /// A `shfl.down` whose value comes in a straight line from the result of the `shfl.down` before it: a tree's next step.
    pub fed: bool,
}

/// What the straight line of code after a shuffle does with its result, without a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Use {
    /// Nothing, or who knows.
    #[default]
    Unknown,
    /// It goes into a shuffle or a vote.
    Exchanged,
    /// Each lane stores it.
    Stored,
}

/// What a block barrier does besides waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarrierKind {
    Sync,
    Arrive,
    RedPopc,
    RedAnd,
    RedOr,
}

/// A block barrier.
#[derive(Debug, Clone)]
pub struct BarrierOp {
    /// What.
    pub kind: BarrierKind,
    /// Number of the barrier.
    pub id: Reg,
    /// Threads expected; none for the whole block.
    pub count: Reg,
    /// Reduction's source predicate.
    pub a: Reg,
    /// It is inverted.
    pub negated: bool,
    /// Reduction's destination.
    pub d: Reg,
    /// All lanes of a warp must come together.
    pub aligned: bool,
    /// It is PTX of the source's own: warps may come to several such as one. `__syncthreads()` has to be the same for all.
    pub written: bool,
}

/// How an `mbarrier.arrive` or `arrive_drop` arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// The operand is bytes that the phase is to expect, and the arrival counts 1.
    pub expects: bool,
    /// Later phases expect it no more.
    pub drops: bool,
    /// It must not be the last of its phase.
    pub no_complete: bool,
}

/// `mbarrier` instructions on 64-bit objects in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MbarrierKind {
    Init,
    Inval,
    Arrive(Arrival),
    ExpectTx,
    CompleteTx,
    TestWait,
    TestWaitParity,
    TryWait,
    TryWaitParity,
    PendingCount,
    CpAsyncArrive,
    /// Without `.noinc`: it adds the arrival that it makes.
    CpAsyncArriveExtra,
}

/// An `mbarrier` instruction.
#[derive(Debug, Clone)]
pub struct MbarrierOp {
    /// What.
    pub kind: MbarrierKind,
    /// Destination: state or predicate.
    pub d: Reg,
    /// Address.
    pub base: Reg,
    /// Added to it.
    pub offset: i64,
    /// The address is generic.
    pub generic: bool,
    /// See [`super::AccessOp::own`].
    pub own: bool,
    /// Count, state, parity or bytes.
    pub a: Reg,
    /// An arrival that does not release, a wait that does not acquire.
    pub relaxed: bool,
}
