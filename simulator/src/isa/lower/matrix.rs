//! `mma`, `wmma`, `ldmatrix` and their kin.

use crate::isa::function::{Builder, Lower, Unknown};
use crate::isa::lower::memory::{address, space_of};
use crate::isa::op::{AddressSpace, MatrixKind, MatrixOp, Op, Reg};
use crate::isa::parts::Parts;
use crate::num::cvt::Fp8;
use crate::num::half::Half;
use crate::num::matrix::{Element, Family, MatrixOperand, MatrixShape, Product};
use crate::ptx::ast::{Operand, Ty};

fn element(name: &str) -> Option<Element> {
    Some(match name {
        "f16" => Element::Half(Half::F16),
        "bf16" => Element::Half(Half::Bf16),
        "e4m3" => Element::Fp8(Fp8::E4m3),
        "e5m2" => Element::Fp8(Fp8::E5m2),
        "tf32" => Element::Tf32,
        "f32" => Element::F32,
        "f64" => Element::F64,
        "s8" => Element::S8,
        "u8" => Element::U8,
        "b1" => Element::B1,
        "s4" => Element::S4,
        "u4" => Element::U4,
        "s32" => Element::S32,
        _ => return None,
    })
}

fn shape(parts: &Parts<'_>) -> Lower<MatrixShape> {
    let parse = |name: &str| {
        let (m, rest) = name.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        Some(MatrixShape { m: m.parse().ok()?, n: n.parse().ok()?, k: k.parse().ok()? })
    };
    parts.pick(parse).ok_or(Unknown)
}

fn registers(b: &mut Builder<'_>, operand: &Operand) -> Lower<Vec<Reg>> {
    match operand {
        Operand::Vector(all) => all.iter().map(|operand| b.source(operand, Ty::B32)).collect(),
        operand => Ok(vec![b.source(operand, Ty::B32)?]),
    }
}

fn words(regs: &[Reg]) -> usize {
    regs.iter().map(|reg| if matches!(reg, Reg::R64(_)) { 2 } else { 1 }).sum()
}

fn push(b: &mut Builder<'_>, op: MatrixOp) {
    b.code.matrices.push(op);
    b.emit(Op::Matrix(b.code.matrices.len() as u32 - 1));
}

/// Lowers one of them.
pub fn lower(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let mut op = MatrixOp {
        kind: MatrixKind::Transpose,
        d: Vec::new(),
        sources: Vec::new(),
        base: Reg::None,
        offset: 0,
        space: AddressSpace::Generic,
        stride: Reg::None,
        array: operands.iter().find_map(|operand| b.array_named(operand)),
    };
    match (parts.base, operands) {
        ("movmatrix", [d, a]) if parts.has("trans") && parts.has("m8n8") && parts.has("b16") => {
            (op.d, op.sources) = (registers(b, d)?, registers(b, a)?);
        }
        ("ldmatrix", [d, at]) if parts.has("m8n8") && parts.has("b16") => {
            op.kind = MatrixKind::Load { transposed: parts.has("trans") };
            op.d = registers(b, d)?;
            (op.base, op.offset, _, op.space) = address(b, at, space_of(parts))?;
        }
        ("stmatrix", [at, a]) if parts.has("m8n8") && parts.has("b16") => {
            op.kind = MatrixKind::Store { transposed: parts.has("trans") };
            op.sources = registers(b, a)?;
            (op.base, op.offset, _, op.space) = address(b, at, space_of(parts))?;
        }
        ("wmma", [d, at, rest @ ..]) if parts.has("load") => {
            op.d = registers(b, d)?;
            op.kind = wmma_access(parts, &op.d, true)?;
            place(b, parts, &mut op, at, rest)?;
        }
        ("wmma", [at, a, rest @ ..]) if parts.has("store") => {
            op.sources = registers(b, a)?;
            op.kind = wmma_access(parts, &op.sources, false)?;
            place(b, parts, &mut op, at, rest)?;
        }
        ("mma" | "wmma", [d, x, y, z]) if !parts.has("sp") => {
            let family = if parts.base == "mma" { Family::Mma } else { Family::Wmma };
            let types = parts.picks(element);
            let half = Element::Half(Half::F16);
            let (d_type, a_type, b_type, c_type) = match types[..] {
                [d, a, b, c] => (d, a, b, c),
                // `wmma.mma` of f16 names the accumulators only.
                [d, c] => (d, half, half, c),
                _ => return Err(Unknown),
            };
            let product = Product {
                family,
                shape: shape(parts)?,
                a: a_type,
                b: b_type,
                c: c_type,
                d: d_type,
                saturate: parts.has("satfinite"),
                and: parts.has("and"),
            };
            op.d = registers(b, d)?;
            let sources = [registers(b, x)?, registers(b, y)?, registers(b, z)?];
            let given = [words(&sources[0]), words(&sources[1]), words(&sources[2]), words(&op.d)];
            if !product.is_supported() || given.map(|count| count as u32) != product.words() {
                return Err(Unknown);
            }
            op.sources = sources.concat();
            op.kind = MatrixKind::Product(product);
        }
        _ => return Err(Unknown),
    }
    push(b, op);
    Ok(())
}

fn wmma_access(parts: &Parts<'_>, regs: &[Reg], load: bool) -> Lower<MatrixKind> {
    let role = match () {
        () if parts.has("a") => MatrixOperand::A,
        () if parts.has("b") => MatrixOperand::B,
        () if !load || parts.has("c") => MatrixOperand::C,
        () => return Err(Unknown),
    };
    let [element] = parts.picks(element)[..] else { return Err(Unknown) };
    let shape = shape(parts)?;
    let row_major = parts.has("row");
    if !row_major && !parts.has("col") {
        return Err(Unknown);
    }
    let expected = crate::num::matrix::words(Family::Wmma, shape, role, element);
    if words(regs) as u32 != expected {
        return Err(Unknown);
    }
    Ok(if load {
        MatrixKind::WmmaLoad { shape, role, element, row_major }
    } else {
        MatrixKind::WmmaStore { shape, role, element, row_major }
    })
}

fn place(b: &mut Builder<'_>, parts: &Parts<'_>, op: &mut MatrixOp, at: &Operand, rest: &[Operand]) -> Lower<()> {
    (op.base, op.offset, _, op.space) = address(b, at, space_of(parts))?;
    op.stride = match rest {
        [stride] => b.source(stride, Ty::U32)?,
        _ => return Err(Unknown),
    };
    Ok(())
}
