//! `setp`, `set`, `selp` and `slct`.

use super::{map1, map2, map3, value};
use crate::isa::function::{Builder, Lower, Unknown};
use crate::isa::op::{Cmp, Op, R, Reg};
use crate::isa::parts::Parts;
use crate::num::{float, half};
use crate::ptx::ast::{Operand, Ty};

/// A comparison by its modifier, `lo ls hi hs` being the unsigned names.
pub fn comparison(name: &str) -> Option<Cmp> {
    Some(match name {
        "eq" => Cmp::Eq,
        "ne" => Cmp::Ne,
        "lt" | "lo" => Cmp::Lt,
        "le" | "ls" => Cmp::Le,
        "gt" | "hi" => Cmp::Gt,
        "ge" | "hs" => Cmp::Ge,
        "equ" => Cmp::Equ,
        "neu" => Cmp::Neu,
        "ltu" => Cmp::Ltu,
        "leu" => Cmp::Leu,
        "gtu" => Cmp::Gtu,
        "geu" => Cmp::Geu,
        "num" => Cmp::Num,
        "nan" => Cmp::Nan,
        _ => return None,
    })
}

/// Does `a cmp b` hold for values of the type?
fn holds(ty: Ty, cmp: Cmp, ftz: bool, a: u64, b: u64) -> bool {
    match ty {
        Ty::F32 => float::compare_f32(cmp, a as u32, b as u32, ftz),
        Ty::F64 => float::compare_f64(cmp, a, b),
        Ty::F16 => half::compare(half::Half::F16, cmp, a as u16, b as u16, ftz),
        Ty::Bf16 => half::compare(half::Half::Bf16, cmp, a as u16, b as u16, ftz),
        _ => cmp.decide(Some(value(ty, a).cmp(&value(ty, b)))),
    }
}

/// The comparison of `setp`/`set` into a predicate, combined with a third operand.
fn compare(b: &mut Builder<'_>, parts: &Parts<'_>, ty: Ty, a: &Operand, c: &Operand, d: R) -> Lower<()> {
    let cmp = parts.pick(comparison).ok_or(Unknown)?;
    let ftz = parts.has("ftz");
    let (x, y) = (b.source(a, ty)?, b.source(c, ty)?);
    let op = match (ty, x, y) {
        (Ty::S32, Reg::R32(a), Reg::R32(b)) => Op::SetS32 { d, a, b, cmp },
        (Ty::U32 | Ty::B32, Reg::R32(a), Reg::R32(b)) => Op::SetU32 { d, a, b, cmp },
        (Ty::S64, Reg::R64(a), Reg::R64(b)) => Op::SetS64 { d, a, b, cmp },
        (Ty::U64 | Ty::B64, Reg::R64(a), Reg::R64(b)) => Op::SetU64 { d, a, b, cmp },
        (Ty::F32, Reg::R32(a), Reg::R32(b)) if !ftz => Op::SetF32 { d, a, b, cmp },
        (Ty::F64, Reg::R64(a), Reg::R64(b)) => Op::SetF64 { d, a, b, cmp },
        _ => {
            b.emit_map(Reg::P(d), &[x, y], 0, map2(move |x, y| holds(ty, cmp, ftz, x, y).into()));
            return Ok(());
        }
    };
    b.emit(op);
    Ok(())
}

fn combine(b: &mut Builder<'_>, parts: &Parts<'_>, d: R, a: R, c: R) -> Lower<()> {
    b.emit(match () {
        () if parts.has("and") => Op::AndP { d, a, b: c },
        () if parts.has("or") => Op::OrP { d, a, b: c },
        () if parts.has("xor") => Op::XorP { d, a, b: c },
        () => return Err(Unknown),
    });
    Ok(())
}

/// `setp`
pub fn setp(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let ty = parts.ty()?;
    let [d, x, y, rest @ ..] = operands else { return Err(Unknown) };
    if matches!(ty, Ty::F16x2 | Ty::Bf16x2) {
        return setp_packed(b, parts, operands, ty);
    }
    let (p, q) = match d {
        Operand::Pair(p, q) => (b.destination_p(p)?, Some(b.destination_p(q)?)),
        d => (b.destination_p(d)?, None),
    };
    // Which of two results stays in one predicate is not written down, and the assembler has its own order.
    if q == Some(p) {
        return Err(Unknown);
    }
    match (q, rest) {
        (None, []) => compare(b, parts, ty, x, y, p)?,
        (q, rest) => {
            let (plain, inverse) = (b.temp_p(), b.temp_p());
            // The third operand may be one of the destinations.
            let third = match rest {
                [c] => Some(b.source_p(c)?),
                _ => None,
            };
            compare(b, parts, ty, x, y, plain)?;
            b.emit(Op::NotP { d: inverse, a: plain });
            if let Some(third) = third {
                combine(b, parts, plain, plain, third)?;
                combine(b, parts, inverse, inverse, third)?;
            }
            b.emit(Op::MovP { d: p, a: plain });
            if let Some(q) = q {
                b.emit(Op::MovP { d: q, a: inverse });
            }
        }
    }
    Ok(())
}

fn setp_packed(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand], ty: Ty) -> Lower<()> {
    let [Operand::Pair(p, q), x, y] = operands else { return Err(Unknown) };
    let (p, q) = (b.destination(p)?, b.destination(q)?);
    let one = if ty == Ty::F16x2 { Ty::F16 } else { Ty::Bf16 };
    let cmp = parts.pick(comparison).ok_or(Unknown)?;
    let ftz = parts.has("ftz");
    let (x, y) = (b.source(x, ty)?, b.source(y, ty)?);
    b.emit_map(p, &[x, y], 0, map2(move |x, y| holds(one, cmp, ftz, x & 0xffff, y & 0xffff).into()));
    b.emit_map(q, &[x, y], 0, map2(move |x, y| holds(one, cmp, ftz, x >> 16 & 0xffff, y >> 16 & 0xffff).into()));
    Ok(())
}

/// `set`
pub fn set(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let types = parts.types();
    let [to, from] = types[..] else { return Err(Unknown) };
    let [d, x, y, rest @ ..] = operands else { return Err(Unknown) };
    let d = b.destination(d)?;
    if matches!(from, Ty::F16x2 | Ty::Bf16x2) {
        let one = if from == Ty::F16x2 { Ty::F16 } else { Ty::Bf16 };
        let yes: u64 = match to {
            Ty::F16x2 => 0x3c00,
            Ty::Bf16x2 => 0x3f80,
            _ => 0xffff,
        };
        let cmp = parts.pick(comparison).ok_or(Unknown)?;
        let ftz = parts.has("ftz");
        let (x, y) = (b.source(x, from)?, b.source(y, from)?);
        b.emit_map(
            d,
            &[x, y],
            0,
            map2(move |x, y| {
                let low = if holds(one, cmp, ftz, x & 0xffff, y & 0xffff) { yes } else { 0 };
                let high = if holds(one, cmp, ftz, x >> 16 & 0xffff, y >> 16 & 0xffff) { yes } else { 0 };
                low | high << 16
            }),
        );
        return Ok(());
    }
    let p = b.temp_p();
    compare(b, parts, from, x, y, p)?;
    if let [c] = rest {
        let c = b.source_p(c)?;
        combine(b, parts, p, p, c)?;
    }
    let yes: u64 = match to {
        Ty::F32 => 0x3f80_0000,
        Ty::F16 => 0x3c00,
        Ty::Bf16 => 0x3f80,
        _ => 0xffff_ffff,
    };
    b.emit_map(d, &[Reg::P(p)], 0, map1(move |p| if p != 0 { yes } else { 0 }));
    Ok(())
}

/// `selp`
pub fn selp(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let ty = parts.ty()?;
    let [d, x, y, p] = operands else { return Err(Unknown) };
    let p = b.source_p(p)?;
    if ty.size() == 8 {
        let (a, c) = (b.source64(x, ty)?, b.source64(y, ty)?);
        let d = b.destination64(d)?;
        b.emit(Op::Sel64 { d, a, b: c, p });
    } else {
        let (a, c) = (b.source32(x, ty)?, b.source32(y, ty)?);
        let d = b.destination32(d)?;
        b.emit(Op::Sel32 { d, a, b: c, p });
    }
    Ok(())
}

/// `slct`
pub fn slct(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let types = parts.types();
    let ([ty, by], [d, x, y, c]) = (&types[..], operands) else { return Err(Unknown) };
    let (d, x, y, c) = (b.destination(d)?, b.source(x, *ty)?, b.source(y, *ty)?, b.source(c, *by)?);
    let (float, ftz) = (*by == Ty::F32, parts.has("ftz"));
    b.emit_map(
        d,
        &[x, y, c],
        0,
        map3(move |x, y, c| {
            let first = if float { holds(Ty::F32, Cmp::Ge, ftz, c, 0) } else { c as i32 >= 0 };
            if first { x } else { y }
        }),
    );
    Ok(())
}
