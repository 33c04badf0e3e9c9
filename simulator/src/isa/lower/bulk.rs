//! `cp.async.bulk`, `cp.reduce.async.bulk`: copies of many bytes by one thread. Tensor maps are not supported.

use crate::isa::function::{Builder, Lower, Unknown};
use crate::isa::lower::memory::{address, atomic_function, left, prefetch_bytes};
use crate::isa::op::{AddressSpace, BulkOp, MbarrierKind, MbarrierOp, Op};
use crate::isa::parts::Parts;
use crate::observe::Copies;
use crate::ptx::ast::{Operand, Ty};

/// Lowers one of them.
pub fn lower(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    if parts.has("tensor") || parts.has("multicast::cluster") {
        return Err(Unknown);
    }
    // Copies are done when they are issued; only those who watch hear of the waits. Caches are not simulated.
    if parts.has("commit_group") {
        b.emit(Op::CopyCommit { of: Copies::Bulk });
        return Ok(());
    }
    if parts.has("wait_group") {
        let of = if parts.has("read") { Copies::BulkReads } else { Copies::Bulk };
        b.emit(Op::CopyWait { of, left: left(operands)? });
        return Ok(());
    }
    if parts.has("prefetch") {
        // Into the level 2 cache, from global memory: nothing else can be written.
        return if parts.has("L2") && parts.has("global") { prefetch_bytes(b, operands) } else { Err(Unknown) };
    }
    let space = |name: &str| match name {
        "global" => Some(AddressSpace::Global),
        "shared::cta" | "shared::cluster" => Some(AddressSpace::Shared),
        _ => None,
    };
    let spaces: Vec<AddressSpace> = parts.picks(space);
    let ([to_space, from_space], [to, from, size, rest @ ..]) = (&spaces[..], operands) else { return Err(Unknown) };
    let (to_array, from_array) = (b.array_named(to), b.array_named(from));
    let (to, to_offset, _, to_space) = address(b, to, *to_space)?;
    let (from, from_offset, _, from_space) = address(b, from, *from_space)?;
    let size = b.source(size, Ty::U32)?;
    let reduce = if parts.base == "cp" && parts.has("reduce") {
        let ty = parts.ty()?;
        let name = parts
            .pick(|name| matches!(name, "add" | "min" | "max" | "inc" | "dec" | "and" | "or" | "xor").then_some(name));
        let (f, flops) = name.and_then(|name| atomic_function(name, ty)).ok_or(Unknown)?;
        Some((f, ty.size(), flops))
    } else {
        None
    };
    let complete = if parts.has("mbarrier::complete_tx::bytes") {
        let (base, offset, _, space) = address(b, rest.first().ok_or(Unknown)?, AddressSpace::Shared)?;
        let generic = space == AddressSpace::Generic;
        b.code.mbarriers.push(MbarrierOp {
            kind: MbarrierKind::CompleteTx,
            d: crate::isa::op::Reg::None,
            base,
            offset,
            generic,
            own: false,
            a: size,
            relaxed: false,
        });
        Some(b.code.mbarriers.len() as u32 - 1)
    } else {
        None
    };
    b.code.bulk.push(BulkOp {
        to,
        to_offset,
        to_space,
        from,
        from_offset,
        from_space,
        size,
        reduce,
        complete,
        to_array,
        from_array,
    });
    b.emit(Op::CopyBulk(b.code.bulk.len() as u32 - 1));
    Ok(())
}
