//! Clusters: their barrier, and addresses in the shared memory of their other blocks.

use crate::isa::function::{Builder, Lower, Unknown};
use crate::isa::lower::arith::map2;
use crate::isa::op::{ClusterSpecial, Op, Reg, Special};
use crate::isa::parts::Parts;
use crate::memory::window;
use crate::ptx::ast::{Operand, Ty};

/// `barrier.cluster`
pub fn barrier(b: &mut Builder<'_>, parts: &Parts<'_>) -> Lower<()> {
    b.code.uses_clusters = true;
    let relaxed = parts.has("relaxed");
    if parts.has("arrive") {
        b.emit(Op::ClusterArrive { releases: !relaxed });
    } else if parts.has("wait") {
        b.emit(Op::ClusterWait { acquires: !relaxed });
    } else {
        return Err(Unknown);
    }
    Ok(())
}

/// `mapa`: the same place in the shared memory of the block of that rank. The sum lets an address stay one of its array.
pub fn mapa(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let [d, a, rank] = operands else { return Err(Unknown) };
    // An address says by itself whether it is generic.
    let _ = parts.has("shared::cluster");
    let ty = parts.ty()?;
    let rank = Reg::R32(b.source32(rank, Ty::U32)?);
    let own = own_rank(b);
    let distance = map2(|rank, own| if rank as u32 == own as u32 { 0 } else { window::of_rank(rank as u32) });
    if ty.size() == 8 {
        let a = b.source64(a, ty)?;
        let d = b.destination64(d)?;
        let (keep, offset, far) = (b.const64(!(u64::from(u32::MAX) & !window::WITHIN)), b.temp64(), b.temp64());
        b.emit(Op::And64 { d: offset, a, b: keep });
        b.emit_map(Reg::R64(far), &[rank, own], 0, distance);
        b.emit(Op::Add64 { d, a: offset, b: far });
    } else {
        let a = b.source32(a, ty)?;
        let d = b.destination32(d)?;
        let (keep, offset, far) = (b.const32(window::WITHIN as u32), b.temp32(), b.temp32());
        b.emit(Op::And32 { d: offset, a, b: keep });
        b.emit_map(Reg::R32(far), &[rank, own], 0, distance);
        b.emit(Op::Add32 { d, a: offset, b: far });
    }
    Ok(())
}

/// `getctarank`: whose shared memory an address is in.
pub fn rank_of(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let [d, a] = operands else { return Err(Unknown) };
    let _ = parts.has("shared::cluster");
    let a = b.source(a, parts.ty()?)?;
    let d = b.destination(d)?;
    let own = own_rank(b);
    b.emit_map(
        d,
        &[a, own],
        0,
        map2(|a, own| window::rank(a & u64::from(u32::MAX)).map_or(own, |(rank, _)| rank.into())),
    );
    Ok(())
}

/// A register with the rank of the block that asks.
fn own_rank(b: &mut Builder<'_>) -> Reg {
    let own = b.temp32();
    b.emit(Op::Special32 { d: own, which: Special::Cluster(ClusterSpecial::Rank) });
    Reg::R32(own)
}
