//! Barriers, shuffles, votes, fences and memory barrier objects.

use crate::isa::function::{Builder, Lower, Unknown};
use crate::isa::lower::arith::map1;
use crate::isa::lower::memory::{address, atomic_function, is_own, ordering};
use crate::isa::op::{
    AddressSpace, Arrival, AtomicFn, BarrierKind, BarrierOp, CollectiveFn, CollectiveOp, FenceOp, MbarrierKind,
    MbarrierOp, Op, Reg, Use, Vote,
};
use crate::isa::parts::Parts;
use crate::num::{MinMax, float};
use crate::observe::{MemoryOrder, Scope};
use crate::ptx::ast::{Operand, Ty};
use std::sync::Arc;

/// `bar`, `barrier`
pub fn bar(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    match parts.base {
        "bar" if parts.has("warp") => {
            let [mask] = operands else { return Err(Unknown) };
            let mask = b.source32(mask, Ty::B32)?;
            b.emit(Op::WarpBarrier { mask });
        }
        #[cfg(not(target_family = "wasm"))]
        "barrier" if parts.has("cluster") => return crate::isa::lower::cluster::barrier(b, parts),
        // A launch without clusters: a cluster is a block.
        #[cfg(target_family = "wasm")]
        "barrier" if parts.has("cluster") && parts.has("arrive") => b.emit(Op::Nop),
        #[cfg(target_family = "wasm")]
        "barrier" if parts.has("cluster") => {
            let id = b.constant(Ty::U32, 15);
            push_barrier(b, BarrierOp { id, ..BARRIER });
        }
        _ => return barrier(b, parts, operands),
    }
    Ok(())
}

/// `match`
pub fn matches(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let [d, a, rest @ ..] = operands else { return Err(Unknown) };
    let (d, p) = match d {
        Operand::Pair(d, p) => (b.destination(d)?, b.destination(p)?),
        d => (b.destination(d)?, Reg::None),
    };
    let a = b.source(a, parts.ty()?)?;
    let mask = mask_of(b, rest)?;
    let f = match () {
        () if parts.has("any") => CollectiveFn::MatchAny,
        () if parts.has("all") => CollectiveFn::MatchAll,
        () => return Err(Unknown),
    };
    push(b, CollectiveOp { p, a, ..exchange(f, d, mask) });
    Ok(())
}

/// `redux`
pub fn redux(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let [d, a, rest @ ..] = operands else { return Err(Unknown) };
    let ty = parts.ty()?;
    let name = parts.pick(|name| matches!(name, "add" | "min" | "max" | "and" | "or" | "xor").then_some(name));
    let (f, _) = name.and_then(|name| atomic_function(name, ty)).ok_or(Unknown)?;
    let (d, mut a) = (b.destination(d)?, b.source(a, ty)?);
    let f = match name {
        Some(name) if ty == Ty::F32 => {
            if parts.has("abs") {
                let magnitude = Reg::R32(b.temp32());
                b.emit_map(magnitude, &[a], 0, map1(|a| a & 0x7fff_ffff));
                a = magnitude;
            }
            redux_float(name, parts.has("NaN"))?
        }
        _ => f,
    };
    let mask = mask_of(b, rest)?;
    let f = CollectiveFn::Redux(f);
    push(b, CollectiveOp { a, ..exchange(f, d, mask) });
    Ok(())
}

/// `activemask`
pub fn active_mask(b: &mut Builder<'_>, _: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let [d] = operands else { return Err(Unknown) };
    let d = b.destination32(d)?;
    b.emit(Op::ActiveMask { d });
    Ok(())
}

/// `elect`
pub fn elect(b: &mut Builder<'_>, _: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let [Operand::Pair(d, p), mask] = operands else { return Err(Unknown) };
    let (d, p, mask) = (b.destination(d)?, b.destination(p)?, b.source(mask, Ty::B32)?);
    push(b, CollectiveOp { p, ..exchange(CollectiveFn::Elect, d, mask) });
    Ok(())
}

/// `membar`, `fence`
pub fn fence(b: &mut Builder<'_>, parts: &Parts<'_>, _: &[Operand]) -> Lower<()> {
    if parts.has("proxy") && (parts.has("async") || parts.has("async::generic")) {
        let (global, shared) = (parts.has("global"), parts.has("shared::cta") || parts.has("shared::cluster"));
        let both = !global && !shared;
        b.emit(Op::ProxyFence { global: global || both, shared: shared || both });
        return Ok(());
    }
    if parts.has("proxy") || parts.has("mbarrier_init") {
        b.emit(Op::Nop);
        return Ok(());
    }
    let (order, mut scope) = ordering(parts, MemoryOrder::AcqRel);
    if parts.base == "membar" && parts.has("cta") {
        scope = Scope::Cta;
    }
    b.code.fences.push(FenceOp { order, scope });
    b.emit(Op::Fence(b.code.fences.len() as u32 - 1));
    Ok(())
}

/// `nanosleep`
pub fn sleep(b: &mut Builder<'_>, _: &Parts<'_>, _: &[Operand]) -> Lower<()> {
    b.emit(Op::NanoSleep);
    Ok(())
}

/// `redux.sync.{min,max}{.NaN}.f32`
fn redux_float(name: &str, nan: bool) -> Lower<AtomicFn> {
    let options = MinMax { nan, ..MinMax::default() };
    let f = match name {
        "min" => float::min_f32,
        "max" => float::max_f32,
        _ => return Err(Unknown),
    };
    Ok(Arc::new(move |old, b, _| f(old as u32, b as u32, options).into()))
}

/// An exchange of nothing, to be told the rest.
fn exchange(f: CollectiveFn, d: Reg, mask: Reg) -> CollectiveOp {
    CollectiveOp {
        f,
        d,
        p: Reg::None,
        a: Reg::None,
        negated: false,
        b: Reg::None,
        c: Reg::None,
        mask,
        used: Use::Unknown,
        in_vain: false,
        fed: false,
    }
}

fn push(b: &mut Builder<'_>, op: CollectiveOp) {
    b.code.collectives.push(op);
    b.emit(Op::Collective(b.code.collectives.len() as u32 - 1));
}

fn push_barrier(b: &mut Builder<'_>, op: BarrierOp) {
    b.code.barriers.push(op);
    b.emit(Op::Barrier(b.code.barriers.len() as u32 - 1));
}

fn mask_of(b: &mut Builder<'_>, rest: &[Operand]) -> Lower<Reg> {
    match rest.last() {
        Some(mask) => b.source(mask, Ty::B32),
        None => Ok(Reg::None),
    }
}

/// A predicate operand and whether it is inverted.
fn predicate(b: &mut Builder<'_>, operand: &Operand) -> Lower<(Reg, bool)> {
    match operand {
        Operand::Not(inner) => Ok((b.source(inner, Ty::Pred)?, true)),
        operand => Ok((b.source(operand, Ty::Pred)?, false)),
    }
}

/// A barrier of all threads, without an operand.
const BARRIER: BarrierOp = BarrierOp {
    kind: BarrierKind::Sync,
    id: Reg::None,
    count: Reg::None,
    a: Reg::None,
    negated: false,
    d: Reg::None,
    aligned: false,
    written: false,
};

fn barrier(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let aligned = parts.base == "bar" || parts.has("aligned");
    let mut op = BarrierOp { aligned, written: b.written, ..BARRIER };
    let mut rest = operands;
    if parts.has("red") {
        op.kind = match () {
            () if parts.has("popc") => BarrierKind::RedPopc,
            () if parts.has("and") => BarrierKind::RedAnd,
            () if parts.has("or") => BarrierKind::RedOr,
            () => return Err(Unknown),
        };
        let [d, middle @ .., p] = operands else { return Err(Unknown) };
        op.d = b.destination(d)?;
        (op.a, op.negated) = predicate(b, p)?;
        rest = middle;
    } else if parts.has("arrive") {
        op.kind = BarrierKind::Arrive;
    }
    match rest {
        [id] => op.id = b.source(id, Ty::U32)?,
        [id, count] => {
            op.id = b.source(id, Ty::U32)?;
            op.count = b.source(count, Ty::U32)?;
        }
        _ => return Err(Unknown),
    }
    push_barrier(b, op);
    Ok(())
}

/// `shfl`
pub fn shuffle(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let [d, a, lane, clamp, rest @ ..] = operands else { return Err(Unknown) };
    let (d, p) = match d {
        Operand::Pair(d, p) => (b.destination(d)?, b.destination(p)?),
        d => (b.destination(d)?, Reg::None),
    };
    let f = match () {
        () if parts.has("up") => CollectiveFn::ShflUp,
        () if parts.has("down") => CollectiveFn::ShflDown,
        () if parts.has("bfly") => CollectiveFn::ShflBfly,
        () if parts.has("idx") => CollectiveFn::ShflIdx,
        () => return Err(Unknown),
    };
    let a = b.source(a, Ty::B32)?;
    let (lane, clamp) = (b.source(lane, Ty::B32)?, b.source(clamp, Ty::B32)?);
    let mask = if parts.has("sync") { mask_of(b, rest)? } else { Reg::None };
    let (used, fed) = (b.used_at_once, b.fed);
    push(b, CollectiveOp { f, d, p, a, negated: false, b: lane, c: clamp, mask, used, in_vain: false, fed });
    Ok(())
}

/// `vote`
pub fn vote(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let [d, p, rest @ ..] = operands else { return Err(Unknown) };
    let vote = match () {
        () if parts.has("all") => Vote::All,
        () if parts.has("any") => Vote::Any,
        () if parts.has("uni") => Vote::Uni,
        () if parts.has("ballot") => Vote::Ballot,
        () => return Err(Unknown),
    };
    let d = b.destination(d)?;
    let (a, negated) = predicate(b, p)?;
    let mask = if parts.has("sync") { mask_of(b, rest)? } else { Reg::None };
    push(b, CollectiveOp { a, negated, ..exchange(CollectiveFn::Vote(vote), d, mask) });
    Ok(())
}

/// `mbarrier`, and `cp.async.mbarrier.arrive`
pub fn mbarrier(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    use MbarrierKind as Kind;
    let generic = parts.pick(|name| name.starts_with("shared").then_some(())).is_none();
    let space = if generic { AddressSpace::Generic } else { AddressSpace::Shared };
    let parity = parts.has("parity");
    if parts.base == "cp" {
        let (base, offset, _, space) = address(b, operands.first().ok_or(Unknown)?, space)?;
        let generic = space == AddressSpace::Generic;
        let kind = if parts.has("noinc") { Kind::CpAsyncArrive } else { Kind::CpAsyncArriveExtra };
        b.code.mbarriers.push(MbarrierOp {
            kind,
            d: Reg::None,
            base,
            offset,
            generic,
            own: true,
            a: Reg::None,
            relaxed: false,
        });
        b.emit(Op::Mbarrier(b.code.mbarriers.len() as u32 - 1));
        return Ok(());
    }
    if parts.has("pending_count") {
        let [d, a] = operands else { return Err(Unknown) };
        let (d, a) = (b.destination(d)?, b.source(a, Ty::B64)?);
        let kind = Kind::PendingCount;
        b.code.mbarriers.push(MbarrierOp {
            kind,
            d,
            base: Reg::None,
            offset: 0,
            generic: false,
            own: true,
            a,
            relaxed: false,
        });
        b.emit(Op::Mbarrier(b.code.mbarriers.len() as u32 - 1));
        return Ok(());
    }
    let kind = match () {
        () if parts.has("init") => Kind::Init,
        () if parts.has("inval") => Kind::Inval,
        () if parts.has("arrive") || parts.has("arrive_drop") => Kind::Arrive(Arrival {
            expects: parts.has("expect_tx"),
            drops: parts.has("arrive_drop"),
            no_complete: parts.has("noComplete"),
        }),
        () if parts.has("expect_tx") => Kind::ExpectTx,
        () if parts.has("complete_tx") => Kind::CompleteTx,
        () if parts.has("test_wait") && parity => Kind::TestWaitParity,
        () if parts.has("test_wait") => Kind::TestWait,
        () if parts.has("try_wait") && parity => Kind::TryWaitParity,
        () if parts.has("try_wait") => Kind::TryWait,
        () => return Err(Unknown),
    };
    let at = operands.iter().position(|operand| matches!(operand, Operand::Address(_))).ok_or(Unknown)?;
    let d = if at == 0 { Reg::None } else { b.destination(&operands[0])? };
    let (base, offset, _, space) = address(b, &operands[at], space)?;
    let a = match operands.get(at + 1) {
        None => Reg::None,
        Some(operand) => {
            let wide = matches!(kind, Kind::TestWait | Kind::TryWait);
            b.source(operand, if wide { Ty::B64 } else { Ty::U32 })?
        }
    };
    let generic = space == AddressSpace::Generic;
    let relaxed = !matches!(kind, Kind::Init | Kind::Inval) && parts.has("relaxed");
    b.code.mbarriers.push(MbarrierOp { kind, d, base, offset, generic, own: is_own(parts), a, relaxed });
    b.emit(Op::Mbarrier(b.code.mbarriers.len() as u32 - 1));
    Ok(())
}
