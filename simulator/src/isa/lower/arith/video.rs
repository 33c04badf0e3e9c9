//! Video instructions: opcodes and operands; what they compute is in [`crate::num::video`].

use super::compare::comparison;
use super::map3;
use crate::isa::function::{Builder, Lower, Unknown};
use crate::isa::op::{MapFn, Reg};
use crate::isa::parts::Parts;
use crate::num::video::{Part, Scalar, ScalarVideo, Simd, Then, Video, VideoMad};
use crate::ptx::ast::{Operand, Ty};

/// Lowers one of them.
pub fn lower(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let [d, x, y, rest @ ..] = operands else { return Err(Unknown) };
    let (d, to) = selected(b, d)?;
    let (x, y) = (selected_signed(b, x)?, selected_signed(b, y)?);
    let c = match rest {
        [] => (Reg::None, None, false),
        [c] => selected_signed(b, c)?,
        _ => return Err(Unknown),
    };
    let Reg::R32(_) = d else { return Err(Unknown) };
    let f = match parts.base {
        "vmad" => mad(parts, (x.1, x.2), (y.1, y.2), c.2)?,
        _ if x.2 || y.2 || c.2 => return Err(Unknown),
        base if base.ends_with(['2', '4']) => simd(parts, to, x.1, y.1)?,
        _ => scalar(parts, to, x.1, y.1)?,
    };
    b.emit_map(d, &[x.0, y.0, c.0], 0, f);
    Ok(())
}

/// A register and the name of its part.
fn selected<'o>(b: &mut Builder<'_>, operand: &'o Operand) -> Lower<(Reg, Option<&'o str>)> {
    if let Operand::Name(name, 0) = operand
        && let Some((base, part)) = name.rsplit_once('.')
        && part.starts_with(['b', 'h'])
        && let Some(reg) = b.register(base)
    {
        return Ok((reg, Some(part)));
    }
    Ok((b.source(operand, Ty::U32)?, None))
}

type Selected<'o> = (Reg, Option<&'o str>, bool);

/// The same, with a sign before it.
fn selected_signed<'o>(b: &mut Builder<'_>, operand: &'o Operand) -> Lower<Selected<'o>> {
    let (inner, negated) = if let Operand::Negated(inner) = operand { (&**inner, true) } else { (operand, false) };
    let (reg, part) = selected(b, inner)?;
    Ok((reg, part, negated))
}

fn part(name: Option<&str>) -> Lower<Part> {
    Ok(match name {
        None => Part::Whole,
        Some("b0") => Part::Byte(0),
        Some("b1") => Part::Byte(1),
        Some("b2") => Part::Byte(2),
        Some("b3") => Part::Byte(3),
        Some("h0") => Part::Half(0),
        Some("h1") => Part::Half(1),
        Some(_) => return Err(Unknown),
    })
}

/// `vset` has no type of a result: it is unsigned.
fn signs(parts: &Parts<'_>) -> Lower<[bool; 3]> {
    match parts.types()[..] {
        [d, a, b] => Ok([d.signed(), a.signed(), b.signed()]),
        [a, b] if parts.base.starts_with("vset") => Ok([false, a.signed(), b.signed()]),
        _ => Err(Unknown),
    }
}

fn scalar(parts: &Parts<'_>, d: Option<&str>, a: Option<&str>, b: Option<&str>) -> Lower<MapFn> {
    let [d_signed, a_signed, b_signed] = signs(parts)?;
    let wrap = parts.has("wrap");
    let op = match parts.base {
        "vadd" => Scalar::Add,
        "vsub" => Scalar::Sub,
        "vabsdiff" => Scalar::AbsoluteDifference,
        "vmin" => Scalar::Min,
        "vmax" => Scalar::Max,
        "vshl" => Scalar::Shl(wrap),
        "vshr" => Scalar::Shr(wrap),
        "vset" => Scalar::Set(parts.pick(comparison).ok_or(Unknown)?),
        _ => return Err(Unknown),
    };
    let then = match () {
        () if parts.has("add") => Then::Add,
        () if parts.has("min") => Then::Min,
        () if parts.has("max") => Then::Max,
        () => Then::Merge(part(d)?),
    };
    let video =
        ScalarVideo { op, then, d_signed, a: (part(a)?, a_signed), b: (part(b)?, b_signed), sat: parts.has("sat") };
    Ok(map3(move |a, b, c| video.run(a as u32, b as u32, c as u32).into()))
}

fn mad(parts: &Parts<'_>, a: (Option<&str>, bool), b: (Option<&str>, bool), negate_c: bool) -> Lower<MapFn> {
    let [_, a_signed, b_signed] = signs(parts)?;
    let video = VideoMad {
        a: (part(a.0)?, a_signed),
        b: (part(b.0)?, b_signed),
        negate_product: a.1 != b.1,
        negate_c,
        plus_one: parts.has("po"),
        shift: match () {
            () if parts.has("shr7") => 7,
            () if parts.has("shr15") => 15,
            () => 0,
        },
        sat: parts.has("sat"),
    };
    Ok(map3(move |a, b, c| video.run(a as u32, b as u32, c as u32).into()))
}

/// Lanes by their digits, the highest first: `b7531`.
fn lanes(name: &str) -> Lower<Vec<u8>> {
    name[1..].bytes().rev().map(|digit| digit.checked_sub(b'0').filter(|lane| *lane < 8).ok_or(Unknown)).collect()
}

fn simd(parts: &Parts<'_>, d: Option<&str>, a: Option<&str>, b: Option<&str>) -> Lower<MapFn> {
    let [d_signed, a_signed, b_signed] = signs(parts)?;
    let op = match parts.base.trim_end_matches(['2', '4']) {
        "vadd" => Video::Add,
        "vsub" => Video::Sub,
        "vabsdiff" => Video::AbsoluteDifference,
        "vmin" => Video::Min,
        "vmax" => Video::Max,
        "vavrg" => Video::Average,
        "vset" => Video::Set(parts.pick(comparison).ok_or(Unknown)?),
        _ => return Err(Unknown),
    };
    let count = if parts.base.ends_with('4') { 4 } else { 2 };
    let mut simd =
        Simd { d_signed, a_signed, b_signed, sat: parts.has("sat"), add: parts.has("add"), ..Simd::new(op, count) };
    if let Some(name) = d {
        simd.mask = lanes(name)?.iter().fold(0, |mask, lane| mask | 1 << lane);
    }
    for (name, select) in [(a, &mut simd.a_select), (b, &mut simd.b_select)] {
        let Some(name) = name else { continue };
        let chosen = lanes(name)?;
        if chosen.len() != count as usize {
            return Err(Unknown);
        }
        select[..chosen.len()].copy_from_slice(&chosen);
    }
    Ok(map3(move |a, b, c| simd.run(a as u32, b as u32, c as u32).into()))
}
