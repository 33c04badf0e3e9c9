//! Bitwise logic and shifts.

use super::{map1, map2, mask, value};
use crate::isa::function::{Builder, Lower, Unknown};
use crate::isa::op::{Op, Reg};
use crate::isa::parts::Parts;
use crate::ptx::ast::{Operand, Ty};

/// `and`, `or`, `xor`, `not`, `cnot`
pub fn lower(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
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

/// `shl`, `shr`
pub fn shift(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
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
