//! Moves, integers, logic, comparisons and selections.

pub mod compare;
mod integer;
pub mod lanes;
pub mod logic;
pub mod moves;
pub mod pure;
pub mod video;

use crate::isa::function::{Builder, Lower};
use crate::isa::parts::Parts;
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

/// Arithmetic of such values is floating-point.
pub fn is_float(ty: Ty) -> bool {
    ty.float() || matches!(ty, Ty::F16x2 | Ty::Bf16x2 | Ty::F32x2)
}

/// `add`, `sub`, `mul`, `mad` and their kin, of integers and floats.
pub fn sum(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    if is_float(parts.last_type()?) {
        return crate::isa::lower::float::lower(b, parts, operands);
    }
    integer::lower(b, parts, operands, parts.ty()?)
}
