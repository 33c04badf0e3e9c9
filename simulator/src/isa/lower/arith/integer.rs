//! Sums and products of integers, with carries.

use super::moves::move_any;
use super::{map2, map3, mask, value};
use crate::isa::function::{Builder, Lower, Unknown};
use crate::isa::op::{Op, Reg};
use crate::isa::parts::Parts;
use crate::num::half;
use crate::num::int::{self, b32, b64, w32, w64};
use crate::ptx::ast::{Operand, Ty};

/// `add`, `sub`, `mul`, `mad` and their kin.
pub fn lower(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand], ty: Ty) -> Lower<()> {
    let (hi, wide, sat) = (parts.has("hi"), parts.has("wide"), parts.has("sat"));
    let saturates = match parts.base {
        "add" | "sub" => !parts.has("cc"),
        "mad" | "mad24" => hi && !parts.has("cc"),
        _ => false,
    };
    if sat && !(saturates && ty == Ty::S32) {
        return Err(Unknown);
    }
    if parts.has("cc") || matches!(parts.base, "addc" | "subc" | "madc") {
        return carry(b, parts, operands, ty);
    }
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
    let plain = !sat && !hi && !wide && !matches!(parts.base, "mul24" | "mad24");
    use Reg::{R32, R64};
    let op = match (parts.base, d, &regs[..]) {
        ("add", R32(d), &[R32(a), R32(b)]) if plain && ty.size() == 4 && !is_pair(ty) => Op::Add32 { d, a, b },
        ("sub", R32(d), &[R32(a), R32(b)]) if plain && ty.size() == 4 && !is_pair(ty) => Op::Sub32 { d, a, b },
        ("mul", R32(d), &[R32(a), R32(b)]) if plain && ty.size() == 4 => Op::Mul32 { d, a, b },
        ("mad", R32(d), &[R32(a), R32(b), R32(c)]) if plain && ty.size() == 4 => Op::Mad32 { d, a, b, c },
        ("mul", R32(d), &[R32(a), R32(b)]) if hi && ty == Ty::S32 => Op::MulHiS32 { d, a, b },
        ("mul", R32(d), &[R32(a), R32(b)]) if hi && ty == Ty::U32 => Op::MulHiU32 { d, a, b },
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

/// Two halves of 16 bits?
pub fn is_pair(ty: Ty) -> bool {
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
    if sat && hi {
        let f = if parts.base == "mad" { int::mad_hi_sat_s32 } else { int::mad24_hi_sat_s32 };
        b.emit_map(d, regs, 0, map3(move |a, c, e| f(a as u32, c as u32, e as u32).into()));
        return Ok(());
    }
    if sat {
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

/// `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc`: the carry lives in a predicate of the function. A difference is the sum
/// with the complement: it leaves a carry where it borrows nothing. Only who mixes the two sees that.
fn carry(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand], ty: Ty) -> Lower<()> {
    let flag = Reg::P(b.carry_flag());
    let takes = matches!(parts.base, "addc" | "subc" | "madc");
    let sets = parts.has("cc");
    let subtract = parts.base.starts_with("sub");
    let (d, sources) = operands.split_first().ok_or(Unknown)?;
    let regs = sources.iter().map(|operand| b.source(operand, ty)).collect::<Lower<Vec<_>>>()?;
    let d = b.destination(d)?;
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
        let carry = takes && (carry != 0) != subtract;
        let (result, out) = match (is64, subtract) {
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
        };
        (result, out != subtract)
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
