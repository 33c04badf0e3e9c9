//! `mov`, with packing and unpacking.

use super::{map1, map2, map4};
use crate::isa::function::{Builder, Lower, Unknown};
use crate::isa::op::{Op, Reg};
use crate::isa::parts::Parts;
use crate::ptx::ast::{Operand, Ty};

/// Lowers it.
pub fn lower(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
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

/// A move between registers of any width.
pub fn move_any(b: &mut Builder<'_>, d: Reg, a: Reg) -> Lower<()> {
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
