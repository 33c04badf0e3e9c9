//! Moves, integers, logic, comparisons and selections.

use super::decode::Parts;
use super::function::{Builder, Lower, Unknown};
use super::op::{Cmp, MapFn, Op, R, Reg};
use crate::num::int::{self, PrmtMode, b32, b64, w16, w32, w64};
use crate::num::video::{Simd, Video};
use crate::num::{float, half};
use crate::ptx::ast::{Operand, Ty};
use std::sync::Arc;

/// Lanes of a one-source function.
pub fn map1(f: impl Fn(u64) -> u64 + Send + Sync + 'static) -> MapFn {
    Arc::new(move |s, out| {
        for lane in 0..32 {
            out[lane] = f(s[0][lane]);
        }
    })
}

/// Lanes of a two-source function.
pub fn map2(f: impl Fn(u64, u64) -> u64 + Send + Sync + 'static) -> MapFn {
    Arc::new(move |s, out| {
        for lane in 0..32 {
            out[lane] = f(s[0][lane], s[1][lane]);
        }
    })
}

/// Lanes of a three-source function.
pub fn map3(f: impl Fn(u64, u64, u64) -> u64 + Send + Sync + 'static) -> MapFn {
    Arc::new(move |s, out| {
        for lane in 0..32 {
            out[lane] = f(s[0][lane], s[1][lane], s[2][lane]);
        }
    })
}

/// Lanes of a four-source function.
pub fn map4(f: impl Fn(u64, u64, u64, u64) -> u64 + Send + Sync + 'static) -> MapFn {
    Arc::new(move |s, out| {
        for lane in 0..32 {
            out[lane] = f(s[0][lane], s[1][lane], s[2][lane], s[3][lane]);
        }
    })
}

/// The value of the low bits of a type.
pub fn value(ty: Ty, bits: u64) -> i128 {
    let width = ty.size().min(8) * 8;
    if ty.signed() {
        i128::from((bits << (64 - width)) as i64 >> (64 - width))
    } else {
        i128::from(bits << (64 - width) >> (64 - width))
    }
}

fn mask(ty: Ty) -> u64 {
    u64::MAX >> (64 - ty.size().min(8) * 8)
}

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

/// Lowers one of them, or says that it is none.
pub fn lower(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    match parts.base {
        "mov" => mov(b, parts, operands),
        "setp" => setp(b, parts, operands),
        "set" => set(b, parts, operands),
        "selp" => selp(b, parts, operands),
        "slct" => slct(b, parts, operands),
        "and" | "or" | "xor" | "not" | "cnot" => logic(b, parts, operands),
        "shl" | "shr" => shift(b, parts, operands),
        "add" | "sub" | "mul" | "mad" | "mul24" | "mad24" | "addc" | "subc" | "madc" => {
            let ty = parts.ty()?;
            if ty.float() || matches!(ty, Ty::F16x2 | Ty::Bf16x2 | Ty::F32x2) {
                return Err(Unknown);
            }
            add_mul(b, parts, operands, ty)
        }
        _ => lower_rest(b, parts, operands),
    }
}

fn mov(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let ty = parts.ty()?;
    let [d, a] = operands else { return Err(Unknown) };
    match (d, a) {
        (Operand::Vector(parts_of), a) => return unpack(b, ty, parts_of, a),
        (d, Operand::Vector(parts_of)) => return pack(b, ty, d, parts_of),
        _ => {}
    }
    if ty == Ty::B128 {
        let (d, a) = (b.register128(d)?, b.register128(a)?);
        for (d, a) in d.into_iter().zip(a) {
            move_any(b, d, a)?;
        }
        return Ok(());
    }
    let d = b.destination(d)?;
    // Specials and addresses are computed straight into the destination.
    let before = b.insts.len();
    let a = b.source(a, ty)?;
    if b.insts.len() == before + 1
        && let Some(last) = b.insts.last_mut()
    {
        match (&mut last.op, d) {
            (Op::Special32 { d: at, .. }, Reg::R32(d))
            | (Op::LocalAddress64 { d: at, .. }, Reg::R64(d))
            | (Op::Special64 { d: at, .. }, Reg::R64(d)) => {
                *at = d;
                return Ok(());
            }
            _ => {}
        }
    }
    move_any(b, d, a)
}

fn move_any(b: &mut Builder<'_>, d: Reg, a: Reg) -> Lower<()> {
    b.emit(match (d, a) {
        (Reg::R32(d), Reg::R32(a)) => Op::Mov32 { d, a },
        (Reg::R64(d), Reg::R64(a)) => Op::Mov64 { d, a },
        (Reg::P(d), Reg::P(a)) => Op::MovP { d, a },
        (Reg::R32(d), Reg::R64(a)) => Op::Trunc { d, a },
        (Reg::R64(d), Reg::R32(a)) => Op::Zext { d, a },
        (Reg::None, _) => Op::Nop,
        _ => return Err(Unknown),
    });
    Ok(())
}

fn unpack(b: &mut Builder<'_>, ty: Ty, into: &[Operand], a: &Operand) -> Lower<()> {
    if ty == Ty::B128 {
        let a = b.register128(a)?;
        if into.len() != 2 {
            return Err(Unknown);
        }
        for (d, a) in into.iter().zip(a) {
            let d = b.destination(d)?;
            move_any(b, d, a)?;
        }
        return Ok(());
    }
    let a = b.source(a, ty)?;
    let each = ty.size() * 8 / (into.len() as u32).max(1);
    if each == 0 || each > 32 {
        return Err(Unknown);
    }
    // The source may be one of the destinations: copy it first.
    let regs = into.iter().map(|d| b.destination(d)).collect::<Lower<Vec<_>>>()?;
    let a = if regs.contains(&a) {
        let copy = match a {
            Reg::R64(_) => Reg::R64(b.temp64()),
            _ => Reg::R32(b.temp32()),
        };
        move_any(b, copy, a)?;
        copy
    } else {
        a
    };
    for (at, d) in regs.into_iter().enumerate() {
        match (d, a, at, each) {
            (Reg::None, ..) => b.emit(Op::Nop),
            (Reg::R32(d), Reg::R64(a), 0, 32) => b.emit(Op::Trunc { d, a }),
            (Reg::R32(d), Reg::R64(a), 1, 32) => b.emit(Op::High { d, a }),
            _ => {
                let shift = at as u32 * each;
                let keep = u64::MAX >> (64 - each);
                b.emit_map(d, &[a], 0, map1(move |a| a >> shift & keep));
            }
        }
    }
    Ok(())
}

fn pack(b: &mut Builder<'_>, ty: Ty, d: &Operand, from: &[Operand]) -> Lower<()> {
    let count = from.len() as u32;
    if ty == Ty::B128 {
        let d = b.register128(d)?;
        if from.len() != 2 {
            return Err(Unknown);
        }
        for (d, a) in d.into_iter().zip(from) {
            let a = b.source(a, Ty::B64)?;
            move_any(b, d, a)?;
        }
        return Ok(());
    }
    let d = b.destination(d)?;
    let each = ty.size() * 8 / count.max(1);
    let part = match each {
        32 => Ty::B32,
        16 => Ty::B16,
        8 => Ty::B8,
        _ => return Err(Unknown),
    };
    let sources = from.iter().map(|a| b.source(a, part)).collect::<Lower<Vec<_>>>()?;
    let keep = u64::MAX >> (64 - each);
    match (d, &sources[..]) {
        (Reg::R64(d), &[Reg::R32(a), Reg::R32(c)]) => b.emit(Op::Pack64 { d, a, b: c }),
        (_, &[x, y]) => b.emit_map(d, &[x, y], 0, map2(move |x, y| x & keep | (y & keep) << each)),
        (_, &[_, _, _, _]) => b.emit_map(
            d,
            &sources,
            0,
            map4(move |x, y, z, w| x & keep | (y & keep) << each | (z & keep) << (2 * each) | (w & keep) << (3 * each)),
        ),
        _ => return Err(Unknown),
    }
    Ok(())
}

/// The comparison of `setp`/`set` into a predicate, combined with a third operand.
fn compare(b: &mut Builder<'_>, parts: &Parts<'_>, ty: Ty, a: &Operand, c: &Operand, d: R) -> Lower<()> {
    let cmp = parts.mods.iter().find_map(|name| comparison(name)).ok_or(Unknown)?;
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

fn combine(b: &mut Builder<'_>, parts: &Parts<'_>, d: R, a: R, c: R) {
    b.emit(if parts.has("and") {
        Op::AndP { d, a, b: c }
    } else if parts.has("or") {
        Op::OrP { d, a, b: c }
    } else {
        Op::XorP { d, a, b: c }
    });
}

fn setp(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let ty = parts.ty()?;
    let [d, x, y, rest @ ..] = operands else { return Err(Unknown) };
    if matches!(ty, Ty::F16x2 | Ty::Bf16x2) {
        return setp_packed(b, parts, operands, ty);
    }
    let (p, q) = match d {
        Operand::Pair(p, q) => (b.destination_p(p)?, Some(b.destination_p(q)?)),
        d => (b.destination_p(d)?, None),
    };
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
                combine(b, parts, plain, plain, third);
                combine(b, parts, inverse, inverse, third);
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
    let cmp = parts.mods.iter().find_map(|name| comparison(name)).ok_or(Unknown)?;
    let ftz = parts.has("ftz");
    let (x, y) = (b.source(x, ty)?, b.source(y, ty)?);
    b.emit_map(p, &[x, y], 0, map2(move |x, y| holds(one, cmp, ftz, x & 0xffff, y & 0xffff).into()));
    b.emit_map(q, &[x, y], 0, map2(move |x, y| holds(one, cmp, ftz, x >> 16 & 0xffff, y >> 16 & 0xffff).into()));
    Ok(())
}

fn set(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
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
        let cmp = parts.mods.iter().find_map(|name| comparison(name)).ok_or(Unknown)?;
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
        combine(b, parts, p, p, c);
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

fn selp(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
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

fn slct(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
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

fn logic(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let ty = parts.ty()?;
    if parts.base == "cnot" {
        let [d, a] = operands else { return Err(Unknown) };
        let (d, a) = (b.destination(d)?, b.source(a, ty)?);
        let mask = mask(ty);
        b.emit_map(d, &[a], 0, map1(move |a| u64::from(a & mask == 0)));
        return Ok(());
    }
    if parts.base == "not" {
        let [d, a] = operands else { return Err(Unknown) };
        if ty == Ty::Pred {
            let (a, d) = (b.source_p(a)?, b.destination_p(d)?);
            b.emit(Op::NotP { d, a });
        } else if ty.size() == 8 {
            let (a, ones, d) = (b.source64(a, ty)?, b.const64(u64::MAX), b.destination64(d)?);
            b.emit(Op::Xor64 { d, a, b: ones });
        } else {
            let (a, d) = (b.source32(a, ty)?, b.destination32(d)?);
            b.emit(Op::Not32 { d, a });
        }
        return Ok(());
    }
    let [d, x, y] = operands else { return Err(Unknown) };
    if ty == Ty::Pred {
        let (a, c, d) = (b.source_p(x)?, b.source_p(y)?, b.destination_p(d)?);
        b.emit(match parts.base {
            "and" => Op::AndP { d, a, b: c },
            "or" => Op::OrP { d, a, b: c },
            _ => Op::XorP { d, a, b: c },
        });
    } else if ty.size() == 8 {
        let (a, c, d) = (b.source64(x, ty)?, b.source64(y, ty)?, b.destination64(d)?);
        b.emit(match parts.base {
            "and" => Op::And64 { d, a, b: c },
            "or" => Op::Or64 { d, a, b: c },
            _ => Op::Xor64 { d, a, b: c },
        });
    } else {
        let (a, c, d) = (b.source32(x, ty)?, b.source32(y, ty)?, b.destination32(d)?);
        b.emit(match parts.base {
            "and" => Op::And32 { d, a, b: c },
            "or" => Op::Or32 { d, a, b: c },
            _ => Op::Xor32 { d, a, b: c },
        });
    }
    Ok(())
}

fn shift(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let ty = parts.ty()?;
    let [d, x, n] = operands else { return Err(Unknown) };
    let n = b.source32(n, Ty::U32)?;
    match ty.size() {
        8 => {
            let (a, d) = (b.source64(x, ty)?, b.destination64(d)?);
            b.emit(match (parts.base, ty.signed()) {
                ("shl", _) => Op::Shl64 { d, a, b: n },
                (_, false) => Op::ShrU64 { d, a, b: n },
                _ => Op::ShrS64 { d, a, b: n },
            });
        }
        4 => {
            let (a, d) = (b.source32(x, ty)?, b.destination32(d)?);
            b.emit(match (parts.base, ty.signed()) {
                ("shl", _) => Op::Shl32 { d, a, b: n },
                (_, false) => Op::ShrU32 { d, a, b: n },
                _ => Op::ShrS32 { d, a, b: n },
            });
        }
        _ => {
            let left = parts.base == "shl";
            let (d, a) = (b.destination(d)?, b.source(x, ty)?);
            b.emit_map(
                d,
                &[a, Reg::R32(n)],
                0,
                map2(move |a, n| {
                    let n = (n as u32).min(63);
                    if left { a << n & mask(ty) } else { (value(ty, a) >> n) as u64 & mask(ty) }
                }),
            );
        }
    }
    Ok(())
}

fn add_mul(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand], ty: Ty) -> Lower<()> {
    if parts.has("cc") || matches!(parts.base, "addc" | "subc" | "madc") {
        return carry(b, parts, operands, ty);
    }
    let wide = parts.has("wide");
    let sources = operands.get(1..).ok_or(Unknown)?;
    let third_ty = match (wide, ty) {
        (true, Ty::U32) => Ty::U64,
        (true, Ty::S32) => Ty::S64,
        (true, Ty::U16) => Ty::U32,
        (true, Ty::S16) => Ty::S32,
        _ => ty,
    };
    let regs = sources
        .iter()
        .enumerate()
        .map(|(at, operand)| b.source(operand, if at == 2 { third_ty } else { ty }))
        .collect::<Lower<Vec<_>>>()?;
    let d = b.destination(operands.first().ok_or(Unknown)?)?;
    let signed = ty.signed();
    let plain = !parts.has("sat") && !parts.has("hi") && !wide && !matches!(parts.base, "mul24" | "mad24");
    use Reg::{R32, R64};
    let op = match (parts.base, d, &regs[..]) {
        ("add", R32(d), &[R32(a), R32(b)]) if plain && ty.size() == 4 && !is_pair(ty) => Op::Add32 { d, a, b },
        ("sub", R32(d), &[R32(a), R32(b)]) if plain && ty.size() == 4 && !is_pair(ty) => Op::Sub32 { d, a, b },
        ("mul", R32(d), &[R32(a), R32(b)]) if plain && ty.size() == 4 => Op::Mul32 { d, a, b },
        ("mad", R32(d), &[R32(a), R32(b), R32(c)]) if plain && ty.size() == 4 => Op::Mad32 { d, a, b, c },
        ("mul", R32(d), &[R32(a), R32(b)]) if parts.has("hi") && ty == Ty::S32 => Op::MulHiS32 { d, a, b },
        ("mul", R32(d), &[R32(a), R32(b)]) if parts.has("hi") && ty == Ty::U32 => Op::MulHiU32 { d, a, b },
        ("mul", R64(d), &[R32(a), R32(b)]) if wide && ty == Ty::S32 => Op::MulWideS32 { d, a, b },
        ("mul", R64(d), &[R32(a), R32(b)]) if wide && ty == Ty::U32 => Op::MulWideU32 { d, a, b },
        ("mad", R64(d), &[R32(a), R32(b), R64(c)]) if wide && ty == Ty::S32 => Op::MadWideS32 { d, a, b, c },
        ("mad", R64(d), &[R32(a), R32(b), R64(c)]) if wide && ty == Ty::U32 => Op::MadWideU32 { d, a, b, c },
        ("add", R64(d), &[R64(a), R64(b)]) if plain => Op::Add64 { d, a, b },
        ("sub", R64(d), &[R64(a), R64(b)]) if plain => Op::Sub64 { d, a, b },
        ("mul", R64(d), &[R64(a), R64(b)]) if plain && ty.size() == 8 => Op::Mul64 { d, a, b },
        ("mad", R64(d), &[R64(a), R64(b), R64(c)]) if plain && ty.size() == 8 => Op::Mad64 { d, a, b, c },
        _ => return rare_add_mul(b, parts, ty, d, &regs, signed),
    };
    b.emit(op);
    Ok(())
}

fn is_pair(ty: Ty) -> bool {
    matches!(ty, Ty::U16x2 | Ty::S16x2)
}

fn rare_add_mul(b: &mut Builder<'_>, parts: &Parts<'_>, ty: Ty, d: Reg, regs: &[Reg], signed: bool) -> Lower<()> {
    let (hi, wide, sat) = (parts.has("hi"), parts.has("wide"), parts.has("sat"));
    if is_pair(ty) {
        let subtract = parts.base == "sub";
        let f = move |a: u16, b: u16| if subtract { a.wrapping_sub(b) } else { a.wrapping_add(b) };
        b.emit_map(d, regs, 0, map2(move |a, c| half::packed2(a as u32, c as u32, f).into()));
        return Ok(());
    }
    if sat && hi && parts.base == "mad" {
        b.emit_map(d, regs, 0, map3(|a, c, e| int::mad_hi_sat_s32(a as u32, c as u32, e as u32).into()));
        return Ok(());
    }
    if sat && matches!(parts.base, "add" | "sub") {
        let f = if parts.base == "add" { int::add_sat_s32 } else { int::sub_sat_s32 };
        b.emit_map(d, regs, 0, map2(move |a, c| f(a as u32, c as u32).into()));
        return Ok(());
    }
    if matches!(parts.base, "mul24" | "mad24") {
        let f = if hi { int::mul24_hi } else { int::mul24_lo };
        match regs.len() {
            2 => b.emit_map(d, regs, 0, map2(move |a, c| f(a as u32, c as u32, signed).into())),
            _ => b.emit_map(
                d,
                regs,
                0,
                map3(move |a, c, e| u64::from(f(a as u32, c as u32, signed).wrapping_add(e as u32))),
            ),
        }
        return Ok(());
    }
    let bits = ty.size() * 8;
    let result = if wide { u64::MAX } else { mask(ty) };
    let product = move |a: u64, c: u64| -> u64 {
        match (hi, bits, signed) {
            (true, 64, false) => w64::mul_hi_u(a, c),
            (true, 64, true) => w64::mul_hi_s(a, c),
            (true, ..) => ((value(ty, a) * value(ty, c)) >> bits) as u64,
            // The low 64 bits of a product do not depend on the operands' signs beyond their extension.
            _ => (value(ty, a) as u64).wrapping_mul(value(ty, c) as u64),
        }
    };
    match (parts.base, regs.len()) {
        ("add", 2) => b.emit_map(d, regs, 0, map2(move |a, c| a.wrapping_add(c) & result)),
        ("sub", 2) => b.emit_map(d, regs, 0, map2(move |a, c| a.wrapping_sub(c) & result)),
        ("mul", 2) => b.emit_map(d, regs, 0, map2(move |a, c| product(a, c) & result)),
        ("mad", 3) => b.emit_map(d, regs, 0, map3(move |a, c, e| product(a, c).wrapping_add(e) & result)),
        _ => return Err(Unknown),
    }
    Ok(())
}

/// `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc`: the carry lives in a predicate of the function.
fn carry(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand], ty: Ty) -> Lower<()> {
    let flag = Reg::P(b.carry_flag());
    let takes = matches!(parts.base, "addc" | "subc" | "madc");
    let sets = parts.has("cc");
    let subtract = parts.base.starts_with("sub");
    let regs = operands[1..].iter().map(|operand| b.source(operand, ty)).collect::<Lower<Vec<_>>>()?;
    let d = b.destination(&operands[0])?;
    let is64 = ty.size() == 8;
    let (mut x, mut y) = match regs[..] {
        [x, y] => (x, y),
        [x, y, z] => {
            let t = if is64 { Reg::R64(b.temp64()) } else { Reg::R32(b.temp32()) };
            let hi = parts.has("hi");
            let f = move |a: u64, c: u64| match (is64, hi, ty.signed()) {
                (true, false, _) => a.wrapping_mul(c),
                (true, true, false) => w64::mul_hi_u(a, c),
                (true, true, true) => w64::mul_hi_s(a, c),
                (false, false, _) => u64::from((a as u32).wrapping_mul(c as u32)),
                (false, true, false) => w32::mul_hi_u(a as u32, c as u32).into(),
                (false, true, true) => w32::mul_hi_s(a as u32, c as u32).into(),
            };
            b.emit_map(t, &[x, y], 0, map2(f));
            (t, z)
        }
        _ => return Err(Unknown),
    };
    let run = move |a: u64, c: u64, carry: u64| -> (u64, bool) {
        let carry = takes && carry != 0;
        match (is64, subtract) {
            (true, false) => b64::add_carry(a, c, carry),
            (true, true) => b64::sub_borrow(a, c, carry),
            (false, false) => {
                let (sum, out) = b32::add_carry(a as u32, c as u32, carry);
                (sum.into(), out)
            }
            (false, true) => {
                let (difference, out) = b32::sub_borrow(a as u32, c as u32, carry);
                (difference.into(), out)
            }
        }
    };
    // The new carry must not be seen by the sum, nor the sum by the new carry: the destination may be a source.
    if sets {
        for reg in [&mut x, &mut y] {
            if *reg == d {
                let copy = if is64 { Reg::R64(b.temp64()) } else { Reg::R32(b.temp32()) };
                move_any(b, copy, *reg)?;
                *reg = copy;
            }
        }
    }
    b.emit_map(d, &[x, y, flag], 0, map3(move |a, c, carry| run(a, c, carry).0));
    if sets {
        b.emit_map(flag, &[x, y, flag], 0, map3(move |a, c, carry| run(a, c, carry).1.into()));
    }
    Ok(())
}

/// Integer instructions of one form each, as lane functions. Floats are not here.
fn lower_rest(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let types = parts.types();
    let ty = types.last().copied().ok_or(Unknown)?;
    if ty.float() || matches!(ty, Ty::F16x2 | Ty::Bf16x2 | Ty::F32x2) {
        return Err(Unknown);
    }
    let is64 = ty.size() == 8;
    let signed = ty.signed();
    let f: MapFn = match parts.base {
        "div" => map2(move |a, c| match (is64, signed) {
            (true, true) => w64::div_s(a, c),
            (true, false) => w64::div_u(a, c),
            (false, true) if ty.size() == 2 => w16::div_s(a as u16, c as u16).into(),
            (false, false) if ty.size() == 2 => w16::div_u(a as u16, c as u16).into(),
            (false, true) => w32::div_s(a as u32, c as u32).into(),
            (false, false) => w32::div_u(a as u32, c as u32).into(),
        }),
        "rem" => map2(move |a, c| match (is64, signed) {
            (true, true) => w64::rem_s(a, c),
            (true, false) => w64::rem_u(a, c),
            (false, true) if ty.size() == 2 => w16::rem_s(a as u16, c as u16).into(),
            (false, false) if ty.size() == 2 => w16::rem_u(a as u16, c as u16).into(),
            (false, true) => w32::rem_s(a as u32, c as u32).into(),
            (false, false) => w32::rem_u(a as u32, c as u32).into(),
        }),
        "min" | "max" if is_pair(ty) => {
            let larger = parts.base == "max";
            let relu = parts.has("relu");
            map2(move |a, c| {
                let pick = |a: u16, c: u16| {
                    let first = if ty == Ty::S16x2 { (a as i16) < c as i16 } else { a < c };
                    let picked = if first != larger { a } else { c };
                    if relu && (picked as i16) < 0 { 0 } else { picked }
                };
                half::packed2(a as u32, c as u32, pick).into()
            })
        }
        "min" | "max" => {
            let larger = parts.base == "max";
            let relu = parts.has("relu");
            if !relu && ty.size() == 4 {
                let [d, x, y] = operands else { return Err(Unknown) };
                let (a, c, d) = (b.source32(x, ty)?, b.source32(y, ty)?, b.destination32(d)?);
                b.emit(match (larger, signed) {
                    (false, true) => Op::MinS32 { d, a, b: c },
                    (true, true) => Op::MaxS32 { d, a, b: c },
                    (false, false) => Op::MinU32 { d, a, b: c },
                    (true, false) => Op::MaxU32 { d, a, b: c },
                });
                return Ok(());
            }
            map2(move |a, c| {
                let first = value(ty, a) < value(ty, c);
                let picked = if first != larger { a } else { c };
                if relu && value(ty, picked) < 0 { 0 } else { picked & mask(ty) }
            })
        }
        "neg" if ty.size() == 4 => {
            let [d, a] = operands else { return Err(Unknown) };
            let (a, d) = (b.source32(a, ty)?, b.destination32(d)?);
            b.emit(Op::Neg32 { d, a });
            return Ok(());
        }
        "neg" => map1(move |a| a.wrapping_neg() & mask(ty)),
        "abs" => map1(move |a| value(ty, a).unsigned_abs() as u64 & mask(ty)),
        "popc" => map1(move |a| (a & mask(ty)).count_ones().into()),
        "clz" => map1(move |a| u64::from((a & mask(ty)).leading_zeros() - (64 - ty.size() * 8))),
        "brev" => map1(move |a| a.reverse_bits() >> (64 - ty.size() * 8)),
        "bfind" => {
            let shift = parts.has("shiftamt");
            map1(move |a| match (is64, signed) {
                (true, true) => b64::bfind_s(a, shift).into(),
                (true, false) => b64::bfind_u(a, shift).into(),
                (false, true) => b32::bfind_s(a as u32, shift).into(),
                (false, false) => b32::bfind_u(a as u32, shift).into(),
            })
        }
        "bfe" => map3(move |a, p, n| match (is64, signed) {
            (true, true) => b64::bfe_s(a, p as u32, n as u32),
            (true, false) => b64::bfe_u(a, p as u32, n as u32),
            (false, true) => b32::bfe_s(a as u32, p as u32, n as u32).into(),
            (false, false) => b32::bfe_u(a as u32, p as u32, n as u32).into(),
        }),
        "bfi" if is64 => map4(|a, c, p, n| b64::bfi(a, c, p as u32, n as u32)),
        "bfi" => map4(|a, c, p, n| b32::bfi(a as u32, c as u32, p as u32, n as u32).into()),
        "sad" => map3(move |a, c, e| (value(ty, a).abs_diff(value(ty, c)) as u64).wrapping_add(e) & mask(ty)),
        "fns" => map3(|a, base, offset| int::fns(a as u32, base as u32, offset as i32).into()),
        "bmsk" => {
            let wrap = parts.has("wrap");
            map2(move |a, c| int::bmsk(a as u32, c as u32, wrap).into())
        }
        "szext" => {
            let wrap = parts.has("wrap");
            map2(move |a, c| int::szext(a as u32, c as u32, wrap, signed).into())
        }
        "shf" => {
            let (left, wrap) = (parts.has("l"), parts.has("wrap"));
            let f = if left { int::shf_l } else { int::shf_r };
            map3(move |a, c, n| f(a as u32, c as u32, n as u32, wrap).into())
        }
        "lop3" => return lop3(b, parts, operands),
        "prmt" => {
            let mode = match parts.mods.iter().find(|name| Ty::from_name(name).is_none()) {
                None => PrmtMode::Generic,
                Some(&"f4e") => PrmtMode::Forward4Extract,
                Some(&"b4e") => PrmtMode::Backward4Extract,
                Some(&"rc8") => PrmtMode::Replicate8,
                Some(&"ecl") => PrmtMode::EdgeClampLeft,
                Some(&"ecr") => PrmtMode::EdgeClampRight,
                Some(&"rc16") => PrmtMode::Replicate16,
                Some(_) => return Err(Unknown),
            };
            map3(move |a, c, s| int::prmt(a as u32, c as u32, s as u32, mode).into())
        }
        "dp4a" | "dp2a" => {
            let [ta, tb] = types[..] else { return Err(Unknown) };
            let (sa, sb, four, hi) = (ta.signed(), tb.signed(), parts.base == "dp4a", parts.has("hi"));
            map3(move |a, c, e| {
                let (a, c, e) = (a as u32, c as u32, e as u32);
                if four { int::dp4a(a, c, e, sa, sb).into() } else { int::dp2a(a, c, e, sa, sb, hi).into() }
            })
        }
        "vabsdiff4" | "vadd4" | "vsub4" | "vmin4" | "vmax4" | "vavrg4" | "vabsdiff2" | "vadd2" | "vsub2" | "vmin2"
        | "vmax2" | "vavrg2" => video(parts, &types)?,
        _ => return Err(Unknown),
    };
    let (d, sources) = operands.split_first().ok_or(Unknown)?;
    if sources.len() > 4 {
        return Err(Unknown);
    }
    let d = b.destination(d)?;
    // Bit positions, shift amounts and the like are 32-bit whatever the instruction's type.
    let count = sources.len();
    let sources = sources
        .iter()
        .enumerate()
        .map(|(at, operand)| {
            let small = matches!((parts.base, at), ("bfe" | "bfi", at) if at >= count - 2);
            b.source(operand, if small { Ty::U32 } else { ty })
        })
        .collect::<Lower<Vec<_>>>()?;
    b.emit_map(d, &sources, 0, f);
    Ok(())
}

fn lop3(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let [d, x, y, z, Operand::Int(table), rest @ ..] = operands else { return Err(Unknown) };
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

/// SIMD video instructions (9.7.17) without selectors: `vabsdiff4.u32.u32.u32.add d, a, b, c`.
fn video(parts: &Parts<'_>, types: &[Ty]) -> Lower<MapFn> {
    let &[td, ta, tb] = types else { return Err(Unknown) };
    let op = match parts.base.trim_end_matches(['2', '4']) {
        "vadd" => Video::Add,
        "vsub" => Video::Sub,
        "vabsdiff" => Video::AbsoluteDifference,
        "vmin" => Video::Min,
        "vmax" => Video::Max,
        "vavrg" => Video::Average,
        _ => return Err(Unknown),
    };
    let simd = Simd {
        d_signed: td.signed(),
        a_signed: ta.signed(),
        b_signed: tb.signed(),
        sat: parts.has("sat"),
        add: parts.has("add"),
        ..Simd::new(op, if parts.base.ends_with('4') { 4 } else { 2 })
    };
    Ok(map3(move |a, b, c| simd.run(a as u32, b as u32, c as u32).into()))
}
