//! What an operation orders, and for whom.

use crate::isa::op::{AddressSpace, AtomicOp, Code, Op};
use crate::observe::{MemoryOrder, Scope};
use crate::opcodes::Effect;

/// May it be global memory?
pub(super) const fn is_global(space: AddressSpace) -> bool {
    matches!(space, AddressSpace::Global | AddressSpace::Generic)
}

/// Where a load, a store or an atomic goes, and what it orders for whom.
fn access(code: &Code, op: &Op) -> Option<(AddressSpace, MemoryOrder, Scope)> {
    match op {
        Op::Load(index) | Op::Store(index) => {
            let op = &code.accesses[*index as usize];
            Some((op.space, op.order, op.scope))
        }
        Op::Atomic(index) => {
            let op = &code.atomics[*index as usize];
            Some((op.space, op.order, op.scope))
        }
        _ => None,
    }
}

/// Is a store of that order ordered by nothing?
pub(super) const fn may_be_late(order: MemoryOrder) -> bool {
    matches!(order, MemoryOrder::Volatile | MemoryOrder::Relaxed)
}

/// An atomic whose result nobody reads. Those by which locks are given back and flags set (they often have a place for the result) are not
/// where that is likely (`tells`): who is told as late as what it is told of misses nothing.
pub(super) fn atomic_may_be_late(op: &AtomicOp, tells: bool) -> bool {
    !(op.returns || op.may_spin && tells) && op.order == MemoryOrder::Relaxed
}

/// Does an access with that order order others around it?
const fn orders(order: MemoryOrder) -> bool {
    matches!(order, MemoryOrder::Acquire | MemoryOrder::Release | MemoryOrder::AcqRel)
}

/// Does an operation publish what came before it, beyond the block?
pub(super) fn publishes_all(code: &Code, op: &Op) -> bool {
    match op {
        Op::Fence(index) => code.fences[*index as usize].scope != Scope::Cta,
        op => access(code, op)
            .is_some_and(|(space, order, scope)| is_global(space) && orders(order) && scope != Scope::Cta),
    }
}

/// Do threads of a block meet there, or may one learn there of another without a fence wider than the block?
pub(super) fn meets(code: &Code, op: &Op) -> bool {
    match op {
        Op::Fence(index) => code.fences[*index as usize].scope == Scope::Cta,
        Op::NanoSleep => false,
        op => match access(code, op) {
            Some((AddressSpace::Shared, order, _)) if order != MemoryOrder::Weak => true,
            Some((_, order, scope)) => orders(order) && scope == Scope::Cta,
            None => matches!(op.effect(code), Effect::Exchange | Effect::Synchronises),
        },
    }
}

/// Is it by shared memory, or by a barrier, that the operation lets other blocks of a cluster see what came before it?
pub(super) fn reaches_cluster(code: &Code, op: &Op) -> bool {
    match op {
        #[cfg(not(target_family = "wasm"))]
        Op::ClusterArrive { releases: sees } | Op::ClusterWait { acquires: sees } => *sees,
        Op::Mbarrier(_) => true,
        op => access(code, op)
            .is_some_and(|(space, order, scope)| space == AddressSpace::Shared && orders(order) && scope != Scope::Cta),
    }
}
