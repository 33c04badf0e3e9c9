//! Atomics and reductions: what they compute of the old value, in which order and scope.

use super::address::{address, is_own, space_of};
use super::{count_of, elements, ordering};
use crate::isa::function::{Builder, Lower, Unknown};
use crate::isa::lower::arith::value;
use crate::isa::op::{AtomicFn, AtomicOp, Op, Reg, WordFn};
use crate::isa::parts::Parts;
use crate::num::float as f;
use crate::num::half::{self, Half};
use crate::num::{MinMax, Rounding};
use crate::observe::MemoryOrder;
use crate::ptx::ast::{Operand, Ty};
use std::sync::Arc;

/// What an atomic of that name and type computes from the old value and its operands.
pub fn atomic_function(name: &str, ty: Ty) -> Option<(AtomicFn, u8)> {
    let near = Rounding::Nearest;
    let keep = u64::MAX >> (64 - ty.size().min(8) * 8);
    let options = MinMax::default();
    let exact = half::Modifiers::default();
    Some(match (name, ty) {
        ("exch", _) => (Arc::new(|_, b, _| b), 0),
        ("cas", _) => (Arc::new(move |old, b, c| if old & keep == b & keep { c } else { old }), 0),
        ("add", Ty::F32) => (Arc::new(move |old, b, _| f::add_f32(old as u32, b as u32, near, true, false).into()), 1),
        ("add", Ty::F64) => (Arc::new(move |old, b, _| f::add_f64(old, b, near)), 1),
        ("add", Ty::F16) => (Arc::new(move |old, b, _| half::add(Half::F16, old as u16, b as u16, exact).into()), 1),
        ("add", Ty::Bf16) => (Arc::new(move |old, b, _| half::add(Half::Bf16, old as u16, b as u16, exact).into()), 1),
        ("add" | "min" | "max", Ty::F16x2 | Ty::Bf16x2) => {
            let t = if ty == Ty::F16x2 { Half::F16 } else { Half::Bf16 };
            match name {
                "add" => (
                    Arc::new(move |old, b, _| {
                        half::packed2(old as u32, b as u32, |x, y| half::add(t, x, y, exact)).into()
                    }),
                    2,
                ),
                "min" => (
                    Arc::new(move |old, b, _| {
                        half::packed2(old as u32, b as u32, |x, y| half::min(t, x, y, options)).into()
                    }),
                    0,
                ),
                _ => (
                    Arc::new(move |old, b, _| {
                        half::packed2(old as u32, b as u32, |x, y| half::max(t, x, y, options)).into()
                    }),
                    0,
                ),
            }
        }
        ("min" | "max", Ty::F16 | Ty::Bf16) => {
            let t = if ty == Ty::F16 { Half::F16 } else { Half::Bf16 };
            let bound = if name == "min" { half::min } else { half::max };
            (Arc::new(move |old, b, _| bound(t, old as u16, b as u16, options).into()), 0)
        }
        ("min", Ty::F32) => (Arc::new(move |old, b, _| f::min_f32(old as u32, b as u32, options).into()), 0),
        ("max", Ty::F32) => (Arc::new(move |old, b, _| f::max_f32(old as u32, b as u32, options).into()), 0),
        ("add", _) => (Arc::new(|old, b, _| old.wrapping_add(b)), 0),
        ("min", _) => (Arc::new(move |old, b, _| if value(ty, b) < value(ty, old) { b } else { old }), 0),
        ("max", _) => (Arc::new(move |old, b, _| if value(ty, b) > value(ty, old) { b } else { old }), 0),
        ("and", _) => (Arc::new(|old, b, _| old & b), 0),
        ("or", _) => (Arc::new(|old, b, _| old | b), 0),
        ("xor", _) => (Arc::new(|old, b, _| old ^ b), 0),
        ("inc", _) => (Arc::new(move |old, b, _| if old & keep >= b & keep { 0 } else { old + 1 }), 0),
        ("dec", _) => {
            (Arc::new(move |old, b, _| if old & keep == 0 || old & keep > b & keep { b } else { old - 1 }), 0)
        }
        _ => return None,
    })
}

/// The same by name, on a word.
fn word_function(name: &str, ty: Ty) -> Option<WordFn> {
    Some(match (name, ty) {
        ("add", Ty::U32 | Ty::S32) => WordFn::Add,
        ("exch", Ty::B32) => WordFn::Exchange,
        ("and", Ty::B32) => WordFn::And,
        ("or", Ty::B32) => WordFn::Or,
        ("xor", Ty::B32) => WordFn::Xor,
        ("min", Ty::S32) => WordFn::MinSigned,
        ("max", Ty::S32) => WordFn::MaxSigned,
        ("min", Ty::U32) => WordFn::MinUnsigned,
        ("max", Ty::U32) => WordFn::MaxUnsigned,
        _ => return None,
    })
}

/// `atom`, `red`
pub fn atomic(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let ty = parts.ty()?;
    if parts.has("async") {
        return Err(Unknown);
    }
    let whole = ty == Ty::B128;
    let returns = parts.base == "atom" && operands.first().is_some_and(|d| b.is_read(d));
    let name = parts
        .pick(|name| {
            let known = matches!(name, "add" | "min" | "max" | "inc" | "dec" | "and" | "or" | "xor" | "exch" | "cas");
            known.then_some(name)
        })
        .ok_or(Unknown)?;
    if whole && !matches!(name, "exch" | "cas") {
        return Err(Unknown);
    }
    let (f, flops) = atomic_function(name, ty).ok_or(Unknown)?;
    let count = count_of(parts);
    let (d, rest) = if parts.base == "atom" {
        let (d, rest) = operands.split_first().ok_or(Unknown)?;
        let d = if whole {
            b.register128(d)?.to_vec()
        } else {
            elements(b, d, count)?.iter().map(|d| b.destination(d)).collect::<Lower<Vec<_>>>()?
        };
        (d, rest)
    } else {
        (Vec::new(), operands)
    };
    let [at, value, more @ ..] = rest else { return Err(Unknown) };
    let (base, offset, _, space) = address(b, at, space_of(parts))?;
    let values = if whole {
        b.register128(value)?.to_vec()
    } else {
        elements(b, value, count)?.iter().map(|v| b.source(v, ty)).collect::<Lower<Vec<_>>>()?
    };
    let [c, c_high] = match (name, more) {
        ("cas", [c, ..]) if whole => b.register128(c)?,
        ("cas", [c, ..]) => [b.source(c, ty)?, Reg::None],
        ("cas", []) => return Err(Unknown),
        _ => [Reg::None; 2],
    };
    let (order, scope) = ordering(parts, MemoryOrder::Relaxed);
    // A read in disguise (`atomicAdd(p, 0)`) and the instructions of locks, of one bit too, are what spin loops are made of.
    let may_spin = !d.is_empty() && (matches!(name, "cas" | "exch" | "or" | "and") || *value == Operand::Int(0));
    let array = b.array_named(at);
    let corrects = matches!(name, "cas" | "min" | "max" | "and" | "or");
    b.code.atomics.push(AtomicOp {
        corrects,
        answers: !d.is_empty(),
        // As `cuda::atomic` writes it. For sm_100 the compiler itself writes `atom.relaxed.gpu.add` for `atomicAdd`.
        named: parts.is_behind("relaxed", name),
        group: 0,
        space,
        own: is_own(parts),
        size: ty.size().min(8),
        indivisible: if matches!(ty, Ty::F16x2 | Ty::Bf16x2) { 2 } else { ty.size() },
        d,
        base,
        offset,
        b: values,
        c,
        c_high,
        whole,
        f,
        word: word_function(name, ty),
        order,
        scope,
        may_spin,
        returns,
        flops,
        array,
    });
    b.emit(Op::Atomic(b.code.atomics.len() as u32 - 1));
    Ok(())
}
