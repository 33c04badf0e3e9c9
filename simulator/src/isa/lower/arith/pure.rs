//! Integer instructions as functions of lanes, one each: what a row of [`table`](crate::isa::table) names.

use super::integer::is_pair;
use super::{is_float, lanes, map1, map2, map3, map4, mask, value};
use crate::isa::function::{Builder, Lower, Unknown};
use crate::isa::lower::float;
use crate::isa::op::{MapFn, Op};
use crate::isa::parts::Parts;
use crate::num::half;
use crate::num::int::{self, PrmtMode, b32, b64, w16, w32, w64};
use crate::ptx::ast::{Operand, Ty};

/// `div`
pub fn div(_: &Parts<'_>, ty: Ty) -> Lower<MapFn> {
    Ok(map2(move |a, c| match (ty.size(), ty.signed()) {
        (8, true) => w64::div_s(a, c),
        (8, false) => w64::div_u(a, c),
        (2, true) => w16::div_s(a as u16, c as u16).into(),
        (2, false) => w16::div_u(a as u16, c as u16).into(),
        (_, true) => w32::div_s(a as u32, c as u32).into(),
        (_, false) => w32::div_u(a as u32, c as u32).into(),
    }))
}

/// `rem`
pub fn rem(_: &Parts<'_>, ty: Ty) -> Lower<MapFn> {
    Ok(map2(move |a, c| match (ty.size(), ty.signed()) {
        (8, true) => w64::rem_s(a, c),
        (8, false) => w64::rem_u(a, c),
        (2, true) => w16::rem_s(a as u16, c as u16).into(),
        (2, false) => w16::rem_u(a as u16, c as u16).into(),
        (_, true) => w32::rem_s(a as u32, c as u32).into(),
        (_, false) => w32::rem_u(a as u32, c as u32).into(),
    }))
}

/// `min`, `max`
pub fn bound(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let ty = parts.last_type()?;
    if is_float(ty) {
        return float::lower(b, parts, operands);
    }
    let (larger, relu) = (parts.base == "max", parts.has("relu"));
    if !relu && ty.size() == 4 && !is_pair(ty) {
        let [d, x, y] = operands else { return Err(Unknown) };
        let (a, c, d) = (b.source32(x, ty)?, b.source32(y, ty)?, b.destination32(d)?);
        b.emit(match (larger, ty.signed()) {
            (false, true) => Op::MinS32 { d, a, b: c },
            (true, true) => Op::MaxS32 { d, a, b: c },
            (false, false) => Op::MinU32 { d, a, b: c },
            (true, false) => Op::MaxU32 { d, a, b: c },
        });
        return Ok(());
    }
    let f = if is_pair(ty) {
        map2(move |a, c| {
            let pick = |a: u16, c: u16| {
                let first = if ty == Ty::S16x2 { (a as i16) < c as i16 } else { a < c };
                let picked = if first != larger { a } else { c };
                if relu && (picked as i16) < 0 { 0 } else { picked }
            };
            half::packed2(a as u32, c as u32, pick).into()
        })
    } else {
        map2(move |a, c| {
            let first = value(ty, a) < value(ty, c);
            let picked = if first != larger { a } else { c };
            if relu && value(ty, picked) < 0 { 0 } else { picked & mask(ty) }
        })
    };
    lanes::emit(b, operands, ty, 0, f)
}

/// `neg`
pub fn neg(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let ty = parts.last_type()?;
    if is_float(ty) {
        return float::lower(b, parts, operands);
    }
    if ty.size() == 4 {
        let [d, a] = operands else { return Err(Unknown) };
        let (a, d) = (b.source32(a, ty)?, b.destination32(d)?);
        b.emit(Op::Neg32 { d, a });
        return Ok(());
    }
    lanes::emit(b, operands, ty, 0, map1(move |a| a.wrapping_neg() & mask(ty)))
}

/// `abs`
pub fn abs(_: &Parts<'_>, ty: Ty) -> Lower<MapFn> {
    Ok(map1(move |a| value(ty, a).unsigned_abs() as u64 & mask(ty)))
}

/// `popc`
pub fn popc(_: &Parts<'_>, ty: Ty) -> Lower<MapFn> {
    Ok(map1(move |a| (a & mask(ty)).count_ones().into()))
}

/// `clz`
pub fn clz(_: &Parts<'_>, ty: Ty) -> Lower<MapFn> {
    Ok(map1(move |a| u64::from((a & mask(ty)).leading_zeros() - (64 - ty.size() * 8))))
}

/// `brev`
pub fn brev(_: &Parts<'_>, ty: Ty) -> Lower<MapFn> {
    Ok(map1(move |a| a.reverse_bits() >> (64 - ty.size() * 8)))
}

/// `bfind`
pub fn bfind(parts: &Parts<'_>, ty: Ty) -> Lower<MapFn> {
    let shift = parts.has("shiftamt");
    Ok(map1(move |a| match (ty.size(), ty.signed()) {
        (8, true) => b64::bfind_s(a, shift).into(),
        (8, false) => b64::bfind_u(a, shift).into(),
        (_, true) => b32::bfind_s(a as u32, shift).into(),
        (_, false) => b32::bfind_u(a as u32, shift).into(),
    }))
}

/// `bfe`
pub fn bfe(_: &Parts<'_>, ty: Ty) -> Lower<MapFn> {
    Ok(map3(move |a, p, n| match (ty.size(), ty.signed()) {
        (8, true) => b64::bfe_s(a, p as u32, n as u32),
        (8, false) => b64::bfe_u(a, p as u32, n as u32),
        (_, true) => b32::bfe_s(a as u32, p as u32, n as u32).into(),
        (_, false) => b32::bfe_u(a as u32, p as u32, n as u32).into(),
    }))
}

/// `bfi`
pub fn bfi(_: &Parts<'_>, ty: Ty) -> Lower<MapFn> {
    Ok(match ty.size() {
        8 => map4(|a, c, p, n| b64::bfi(a, c, p as u32, n as u32)),
        _ => map4(|a, c, p, n| b32::bfi(a as u32, c as u32, p as u32, n as u32).into()),
    })
}

/// `sad`
pub fn sad(_: &Parts<'_>, ty: Ty) -> Lower<MapFn> {
    Ok(map3(move |a, c, e| (value(ty, a).abs_diff(value(ty, c)) as u64).wrapping_add(e) & mask(ty)))
}

/// `fns`
pub fn fns(_: &Parts<'_>, _: Ty) -> Lower<MapFn> {
    Ok(map3(|a, base, offset| int::fns(a as u32, base as u32, offset as i32).into()))
}

/// `bmsk`
pub fn bmsk(parts: &Parts<'_>, _: Ty) -> Lower<MapFn> {
    let wrap = parts.has("wrap");
    Ok(map2(move |a, c| int::bmsk(a as u32, c as u32, wrap).into()))
}

/// `szext`
pub fn szext(parts: &Parts<'_>, ty: Ty) -> Lower<MapFn> {
    let (wrap, signed) = (parts.has("wrap"), ty.signed());
    Ok(map2(move |a, c| int::szext(a as u32, c as u32, wrap, signed).into()))
}

/// `shf`
pub fn shf(parts: &Parts<'_>, _: Ty) -> Lower<MapFn> {
    let (left, wrap) = (parts.has("l"), parts.has("wrap"));
    if left == parts.has("r") {
        return Err(Unknown);
    }
    let f = if left { int::shf_l } else { int::shf_r };
    Ok(map3(move |a, c, n| f(a as u32, c as u32, n as u32, wrap).into()))
}

/// `prmt`
pub fn prmt(parts: &Parts<'_>, _: Ty) -> Lower<MapFn> {
    let mode = parts.pick(|name| {
        Some(match name {
            "f4e" => PrmtMode::Forward4Extract,
            "b4e" => PrmtMode::Backward4Extract,
            "rc8" => PrmtMode::Replicate8,
            "ecl" => PrmtMode::EdgeClampLeft,
            "ecr" => PrmtMode::EdgeClampRight,
            "rc16" => PrmtMode::Replicate16,
            _ => return None,
        })
    });
    let mode = mode.unwrap_or(PrmtMode::Generic);
    Ok(map3(move |a, c, s| int::prmt(a as u32, c as u32, s as u32, mode).into()))
}

/// `dp4a`, `dp2a`
pub fn dot(parts: &Parts<'_>, _: Ty) -> Lower<MapFn> {
    let [ta, tb] = parts.types()[..] else { return Err(Unknown) };
    let (sa, sb, four, hi) = (ta.signed(), tb.signed(), parts.base == "dp4a", parts.base == "dp2a" && parts.has("hi"));
    Ok(map3(move |a, c, e| {
        let (a, c, e) = (a as u32, c as u32, e as u32);
        if four { int::dp4a(a, c, e, sa, sb).into() } else { int::dp2a(a, c, e, sa, sb, hi).into() }
    }))
}

/// `lop3`
pub fn lop3(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let [d, x, y, z, Operand::Int(table), rest @ ..] = operands else { return Err(Unknown) };
    if parts.last_type()? != Ty::B32 {
        return Err(Unknown);
    }
    let table = *table as u8;
    let sources = [b.source(x, Ty::B32)?, b.source(y, Ty::B32)?, b.source(z, Ty::B32)?];
    let f = move |a: u64, c: u64, e: u64| u64::from(int::lop3(a as u32, c as u32, e as u32, table));
    if let (Operand::Pair(d, p), [q]) = (d, rest) {
        let (d, p, q) = (b.destination(d)?, b.destination(p)?, b.source(q, Ty::Pred)?);
        let either = parts.has("or");
        let all = [sources[0], sources[1], sources[2], q];
        b.emit_map(
            p,
            &all,
            0,
            map4(move |a, c, e, q| {
                let set = f(a, c, e) != 0;
                u64::from(if either { set || q != 0 } else { set && q != 0 })
            }),
        );
        b.emit_map(d, &sources, 0, map3(f));
        return Ok(());
    }
    let d = b.destination(d)?;
    b.emit_map(d, &sources, 0, map3(f));
    Ok(())
}
