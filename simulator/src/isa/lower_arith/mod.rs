//! Moves, integers, logic, comparisons and selections.

mod compare;
mod integer;
mod lanes;
mod logic;
mod moves;
mod rest;
mod video;

use super::function::{Builder, Lower, Unknown};
use super::parts::Parts;
use crate::ptx::ast::{Operand, Ty};
pub use lanes::{map1, map2, map3, map4};

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

/// Lowers one of them, or says that it is none.
pub fn lower(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    match parts.base {
        "mov" => moves::lower(b, parts, operands),
        "setp" => compare::setp(b, parts, operands),
        "set" => compare::set(b, parts, operands),
        "selp" => compare::selp(b, parts, operands),
        "slct" => compare::slct(b, parts, operands),
        "and" | "or" | "xor" | "not" | "cnot" => logic::lower(b, parts, operands),
        "shl" | "shr" => logic::shift(b, parts, operands),
        "add" | "sub" | "mul" | "mad" | "mul24" | "mad24" | "addc" | "subc" | "madc" => {
            let ty = parts.ty()?;
            if ty.float() || matches!(ty, Ty::F16x2 | Ty::Bf16x2 | Ty::F32x2) {
                return Err(Unknown);
            }
            integer::lower(b, parts, operands, ty)
        }
        base if video::is_video(base) => video::lower(b, parts, operands),
        _ => rest::lower(b, parts, operands),
    }
}
