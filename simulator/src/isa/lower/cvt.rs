//! `cvt` in all its forms.

use crate::appearance::nans::{Bits, Nans};
use crate::isa::function::{Builder, Lower, Unknown};
use crate::isa::lower::arith::{map1, map2};
use crate::isa::op::{MapFn, Op, Reg};
use crate::isa::parts::Parts;
use crate::num::Rounding;
use crate::num::cvt::{self, Float, Fp8, Int, Modifiers};
use crate::ptx::ast::{Operand, Ty};

fn int(ty: Ty) -> Option<Int> {
    let signed = ty.signed();
    match ty {
        Ty::U8
        | Ty::U16
        | Ty::U32
        | Ty::U64
        | Ty::S8
        | Ty::S16
        | Ty::S32
        | Ty::S64
        | Ty::B8
        | Ty::B16
        | Ty::B32
        | Ty::B64 => Some(Int { bits: ty.size() * 8, signed }),
        _ => None,
    }
}

fn float(ty: Ty) -> Option<Float> {
    match ty {
        Ty::F16 => Some(Float::F16),
        Ty::Bf16 => Some(Float::Bf16),
        Ty::F32 => Some(Float::F32),
        Ty::F64 => Some(Float::F64),
        _ => None,
    }
}

/// Lowers a conversion.
pub fn lower(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    if parts.has("pack") {
        return pack(b, parts, operands);
    }
    let mut m = Modifiers {
        rounding: parts.rounding().unwrap_or(Rounding::Nearest),
        ftz: parts.has("ftz"),
        sat: parts.has("sat"),
        relu: parts.has("relu"),
        satfinite: false,
    };
    let types = parts.types();
    let fp8 = |name: &str| match name {
        "e4m3x2" => Some(Fp8::E4m3),
        "e5m2x2" => Some(Fp8::E5m2),
        _ => None,
    };
    let narrow: Vec<Fp8> = parts.picks(fp8);
    if let Some(&kind) = narrow.first() {
        return eight_bits(b, parts, operands, kind, m);
    }
    let [to, from] = types[..] else { return Err(Unknown) };
    // 9.7.9.21 has it for these alone; tf32 has a NaN of its own.
    let half = matches!(to, Ty::F16 | Ty::Bf16 | Ty::F16x2 | Ty::Bf16x2) && from == Ty::F32;
    if half && !m.ftz && !m.sat && matches!(parts.rounding(), Some(Rounding::Nearest | Rounding::Zero)) {
        m.satfinite = parts.has("satfinite");
    }
    if matches!(to, Ty::F16x2 | Ty::Bf16x2) && from == Ty::F32 {
        let [d, high, low] = operands else { return Err(Unknown) };
        let d = b.destination(d)?;
        let (high, low) = (b.source(high, from)?, b.source(low, from)?);
        let to = if to == Ty::F16x2 { Float::F16 } else { Float::Bf16 };
        b.emit_map(d, &[high, low], 0, map2(move |a, c| cvt::f32x2_to_half2(a as u32, c as u32, to, m).into()));
        return Ok(());
    }
    let [d, a] = operands else { return Err(Unknown) };
    let d = b.destination(d)?;
    let a = b.source(a, from)?;
    if to == Ty::Tf32 {
        b.emit_map(d, &[a], 0, map1(move |a| cvt::f32_to_tf32(a as u32, m).into()));
        return Ok(());
    }
    if common(b, d, a, to, from, m) {
        return Ok(());
    }
    match (int(to), int(from), float(to), float(from)) {
        (Some(to_int), Some(from), ..) => {
            let sat = m.sat;
            let widen = extension(d, to);
            b.emit_map(d, &[a], 0, map1(move |a| widen(cvt::int_to_int(a, from, to_int, sat))));
        }
        (None, Some(from), Some(to), _) => {
            b.emit_map(d, &[a], 0, map1(move |a| cvt::int_to_float(a, from, to, m)));
        }
        (Some(to_int), None, _, Some(from)) => {
            // A narrow integer result in a wider register is sign- or zero-extended.
            let rounding = parts.rounding().unwrap_or(Rounding::Zero);
            let widen = extension(d, to);
            b.emit_map(d, &[a], 0, map1(move |a| widen(cvt::float_to_int(a, from, to_int, rounding, m.ftz))));
        }
        (None, None, Some(to), Some(from)) => {
            let integral = parts.pick(|name| matches!(name, "rni" | "rzi" | "rmi" | "rpi").then_some(())).is_some();
            if to == from && integral {
                b.emit_map(d, &[a], 0, map1(move |a| cvt::float_to_integral(a, to, m)));
            } else {
                b.emit_map(d, &[a], 0, between_floats(from, to, m));
                // NaNs of 16 bits become the machine's own at whatever time.
                if from.format().fraction.min(to.format().fraction) >= Float::F32.format().fraction {
                    b.makes_nans(Nans { bits: Bits::Copied, from, to, packed: false });
                }
            }
        }
        _ => return Err(Unknown),
    }
    Ok(())
}

/// A conversion between floats; of the plain ones, which every sum in double precision begins with, a function of their own.
fn between_floats(from: Float, to: Float, m: Modifiers) -> MapFn {
    const PLAIN: Modifiers =
        Modifiers { rounding: Rounding::Nearest, ftz: false, sat: false, relu: false, satfinite: false };
    match (from, to, m == PLAIN) {
        (Float::F32, Float::F64, true) => map1(|a| cvt::widen(a as u32)),
        (Float::F64, Float::F32, true) => map1(|a| cvt::narrow(a).into()),
        (Float::F16, Float::F32, true) => map1(|a| cvt::float_to_float(a, Float::F16, Float::F32, PLAIN)),
        _ => map1(move |a| cvt::float_to_float(a, from, to, m)),
    }
}

/// What fills a register wider than the result (9.4.1): the sign for signed types, zeros for others.
fn extension(d: Reg, to: Ty) -> fn(u64) -> u64 {
    match (to, d) {
        (Ty::S8, _) => |bits| bits as i8 as i64 as u64,
        (Ty::S16, _) => |bits| bits as i16 as i64 as u64,
        (Ty::S32, Reg::R64(_)) => |bits| bits as i32 as i64 as u64,
        _ => |bits| bits,
    }
}

/// The conversions of every kernel.
fn common(b: &mut Builder<'_>, d: Reg, a: Reg, to: Ty, from: Ty, m: Modifiers) -> bool {
    if m.sat || m.ftz {
        return false;
    }
    let unsigned64 = matches!(to, Ty::U64 | Ty::S64 | Ty::B64);
    let op = match (d, a, from) {
        (Reg::R64(d), Reg::R32(a), Ty::U32 | Ty::B32) if unsigned64 => Op::Zext { d, a },
        (Reg::R64(d), Reg::R32(a), Ty::S32) if unsigned64 => Op::Sext { d, a },
        (Reg::R32(d), Reg::R64(a), Ty::U64 | Ty::S64 | Ty::B64) if matches!(to, Ty::U32 | Ty::S32 | Ty::B32) => {
            Op::Trunc { d, a }
        }
        (Reg::R32(d), Reg::R32(a), Ty::S32) if to == Ty::F32 && m.rounding == Rounding::Nearest => {
            Op::S32ToF32 { d, a }
        }
        (Reg::R32(d), Reg::R32(a), Ty::U32) if to == Ty::F32 && m.rounding == Rounding::Nearest => {
            Op::U32ToF32 { d, a }
        }
        (Reg::R32(d), Reg::R32(a), Ty::U16 | Ty::B16) if matches!(to, Ty::U32 | Ty::S32 | Ty::B32) => {
            let b = b.const32(0xffff);
            Op::And32 { d, a, b }
        }
        _ => return false,
    };
    b.emit(op);
    true
}

fn eight_bits(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand], kind: Fp8, m: Modifiers) -> Lower<()> {
    // Which of the two types stands first is the destination's. Narrow ones saturate always.
    let narrow = |name: &str| matches!(name, "e4m3x2" | "e5m2x2");
    let order = parts.picks(|name| (narrow(name) || matches!(name, "f32" | "f16x2")).then(|| narrow(name)));
    let to_narrow = order.first() == Some(&true);
    parts.has("satfinite");
    match operands {
        [d, high, low] if to_narrow => {
            let d = b.destination(d)?;
            let (high, low) = (b.source(high, Ty::F32)?, b.source(low, Ty::F32)?);
            b.emit_map(
                d,
                &[high, low],
                0,
                map2(move |a, c| cvt::f32x2_to_fp8x2(a as u32, c as u32, kind, m.relu).into()),
            );
        }
        [d, a] if to_narrow => {
            let d = b.destination(d)?;
            let a = b.source(a, Ty::F16x2)?;
            b.emit_map(d, &[a], 0, map1(move |a| cvt::f16x2_to_fp8x2(a as u32, kind, m.relu).into()));
        }
        [d, a] => {
            let d = b.destination(d)?;
            let a = b.source(a, Ty::B16)?;
            b.emit_map(d, &[a], 0, map1(move |a| cvt::fp8x2_to_f16x2(a as u16, kind, m.relu).into()));
        }
        _ => return Err(Unknown),
    }
    Ok(())
}

/// `cvt.pack.sat.u8.s32.b32 d, a, b, c`: two saturated values below those that were there, which go up (9.7.9.22).
fn pack(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let to = parts.pick(|name| {
        let bits = match name {
            "u2" | "s2" => 2,
            "u4" | "s4" => 4,
            "u8" | "s8" => 8,
            "u16" | "s16" => 16,
            _ => return None,
        };
        Some(Int { bits, signed: name.starts_with('s') })
    });
    let target = to.filter(|_| parts.has("sat")).ok_or(Unknown)?;
    let bits = target.bits;
    let [d, x, y, rest @ ..] = operands else { return Err(Unknown) };
    let d = b.destination(d)?;
    let (x, y) = (b.source(x, Ty::S32)?, b.source(y, Ty::S32)?);
    // Two of 16 bits leave no room for more.
    let c = match (&parts.types()[..], rest) {
        ([_, Ty::S32], []) if bits == 16 => b.constant(Ty::B32, 0),
        ([.., Ty::S32, Ty::B32], [c]) if bits < 16 => b.source(c, Ty::B32)?,
        _ => return Err(Unknown),
    };
    let from = Int { bits: 32, signed: true };
    b.emit_map(
        d,
        &[x, y, c],
        0,
        crate::isa::lower::arith::map3(move |x, y, c| {
            let (x, y) = (cvt::int_to_int(x, from, target, true), cvt::int_to_int(y, from, target, true));
            let pair = x << bits | y;
            if bits == 16 { pair } else { (c << (2 * bits) | pair) & 0xffff_ffff }
        }),
    );
    Ok(())
}
