//! `tex`, `tld4`, `suld`, `sust`. In a browser they are unknown: the module that a page loads has no room for what executes them.

use crate::isa::function::{Builder, Lower, Unknown};
use crate::isa::op::{Geometry, Op, Outside, Reg, TextureAct, TextureOp};
use crate::isa::parts::Parts;
use crate::ptx::ast::{Operand, Ty};

/// The arrangement, and how many coordinates are written for it.
fn geometry(parts: &Parts<'_>) -> Lower<(Geometry, usize)> {
    let found = parts.pick(|name| {
        let (axes, layered, cube, written) = match name {
            "1d" => (1, false, false, 1),
            "2d" => (2, false, false, 2),
            "3d" => (3, false, false, 4),
            "a1d" => (1, true, false, 2),
            "a2d" => (2, true, false, 4),
            "cube" => (3, false, true, 4),
            "acube" => (3, true, true, 4),
            _ => return None,
        };
        Some((Geometry { axes, layered, cube }, written))
    });
    found.ok_or(Unknown)
}

/// The object and its coordinates: `[object, {x, y}]`.
fn place(b: &mut Builder<'_>, at: &Operand, geometry: Geometry, written: usize, ty: Ty) -> Lower<(Reg, Vec<Reg>)> {
    let Operand::Address(inner) = at else { return Err(Unknown) };
    let [object, coordinates] = &inner[..] else { return Err(Unknown) };
    let all = match coordinates {
        Operand::Vector(all) => all.as_slice(),
        one => std::slice::from_ref(one),
    };
    let used = usize::from(geometry.axes) + usize::from(geometry.layered);
    // What is written beyond is ignored.
    if all.len() < used || all.len() > written.max(used) {
        return Err(Unknown);
    }
    let mut regs = Vec::new();
    for (at, coordinate) in all[..used].iter().enumerate() {
        let ty = if geometry.layered && at == 0 { Ty::U32 } else { ty };
        regs.push(Reg::R32(b.source32(coordinate, ty)?));
    }
    Ok((Reg::R64(b.source64(object, Ty::U64)?), regs))
}

fn push(b: &mut Builder<'_>, op: TextureOp) -> Lower<()> {
    b.code.textures.push(op);
    b.emit(Op::Texture(b.code.textures.len() as u32 - 1));
    Ok(())
}

fn destinations(b: &mut Builder<'_>, d: &Operand) -> Lower<(Vec<Reg>, Reg)> {
    let (d, resident) = match d {
        Operand::Pair(d, resident) => (&**d, b.destination(resident)?),
        d => (d, Reg::None),
    };
    let regs = match d {
        Operand::Vector(all) => all.iter().map(|one| b.destination(one)).collect::<Lower<Vec<Reg>>>()?,
        one => vec![b.destination(one)?],
    };
    Ok((regs, resident))
}

/// `tex`, `tld4`
pub fn sample(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    // A level or gradients choose among sizes of the texture, and there is one.
    let chosen = usize::from(parts.has("level")) + 2 * usize::from(parts.has("grad"));
    let [d, at, rest @ ..] = operands else { return Err(Unknown) };
    if rest.len() != chosen || !parts.has("v4") {
        return Err(Unknown);
    }
    let (geometry, written) = geometry(parts)?;
    let [ty, coordinate] = parts.types()[..] else { return Err(Unknown) };
    let fetch = match coordinate {
        Ty::F32 => false,
        Ty::S32 if parts.base == "tex" && geometry == (Geometry { axes: 1, layered: false, cube: false }) => true,
        _ => return Err(Unknown),
    };
    if !matches!(ty, Ty::F32 | Ty::U32 | Ty::S32) {
        return Err(Unknown);
    }
    let act = if parts.base == "tld4" {
        let channel = parts.pick(|name| ["r", "g", "b", "a"].iter().position(|known| *known == name));
        if geometry != (Geometry { axes: 2, layered: false, cube: false }) {
            return Err(Unknown);
        }
        TextureAct::Gather(channel.ok_or(Unknown)? as u8)
    } else {
        TextureAct::Sample { fetch }
    };
    let (regs, resident) = destinations(b, d)?;
    let (object, coordinates) = place(b, at, geometry, written, coordinate)?;
    let float = ty == Ty::F32;
    push(b, TextureOp { act, geometry, object, coordinates, regs, resident, float, size: 4 })
}

/// `suld`, `sust`, both by bits
pub fn surface(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let (geometry, written) = geometry(parts)?;
    let outside = parts.pick(|name| {
        Some(match name {
            "trap" => Outside::Trap,
            "clamp" => Outside::Clamp,
            "zero" => Outside::Zero,
            _ => return None,
        })
    });
    let outside = outside.ok_or(Unknown)?;
    let ty = parts.ty()?;
    if geometry.cube || !parts.has("b") || !matches!(ty, Ty::B8 | Ty::B16 | Ty::B32 | Ty::B64) {
        return Err(Unknown);
    }
    let count = parts.pick(|name| ["v2", "v4"].iter().position(|known| *known == name)).map_or(1, |at| 2 << at);
    let (act, at, regs) = match (parts.base, operands) {
        ("suld", [d, at]) => (TextureAct::Load(outside), at, destinations(b, d)?.0),
        ("sust", [at, from]) => {
            let all = match from {
                Operand::Vector(all) => all.as_slice(),
                one => std::slice::from_ref(one),
            };
            let regs = all.iter().map(|one| b.source(one, ty)).collect::<Lower<Vec<Reg>>>()?;
            (TextureAct::Store(outside), at, regs)
        }
        _ => return Err(Unknown),
    };
    if regs.len() != count || ty.size() * count as u32 > 16 {
        return Err(Unknown);
    }
    let (object, coordinates) = place(b, at, geometry, written, Ty::S32)?;
    let (resident, size) = (Reg::None, ty.size());
    push(b, TextureOp { act, geometry, object, coordinates, regs, resident, float: false, size })
}
