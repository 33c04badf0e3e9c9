//! Addresses: their space, their offset, and what turns one kind into another.

use crate::isa::function::{Builder, Lower, Unknown};
use crate::isa::lower::arith::map1;
use crate::isa::op::{AddressSpace, Op, Reg, Special};
use crate::isa::parts::Parts;
use crate::memory::window;
use crate::ptx::ast::{Operand, Ty};

/// The state space that an opcode names.
pub fn space_of(parts: &Parts<'_>) -> AddressSpace {
    let space = |name: &str| {
        Some(match name {
            "global" => AddressSpace::Global,
            "const" => AddressSpace::Const,
            "shared" | "shared::cta" | "shared::cluster" => AddressSpace::Shared,
            "local" => AddressSpace::Local,
            "param" | "param::entry" | "param::func" => AddressSpace::Param,
            _ => return None,
        })
    };
    parts.pick(space).unwrap_or(AddressSpace::Generic)
}

/// Does the opcode reach the shared memory of one's own block only?
pub fn is_own(parts: &Parts<'_>) -> bool {
    space_of(parts) == AddressSpace::Shared && !parts.has("shared::cluster")
}

/// Base register, offset, whether it is relative to the frame, and the space it turned out to be.
pub fn address(b: &mut Builder<'_>, operand: &Operand, space: AddressSpace) -> Lower<(Reg, i64, bool, AddressSpace)> {
    let Operand::Address(inner) = operand else { return Err(Unknown) };
    match inner.first().ok_or(Unknown)? {
        Operand::Int(at) => Ok((Reg::None, *at as i64, false, space)),
        Operand::Name(name, offset) => {
            if let Some(reg) = b.register(name) {
                let space = match (space, b.entry) {
                    (AddressSpace::Param, true) => AddressSpace::Generic,
                    (AddressSpace::Param, false) => AddressSpace::Local,
                    (space, _) => space,
                };
                return if matches!(reg, Reg::P(_)) { Err(Unknown) } else { Ok((reg, *offset, false, space)) };
            }
            if let Some(at) = b.frame_offset(name) {
                return Ok((Reg::None, i64::from(at).wrapping_add(*offset), true, AddressSpace::Local));
            }
            if let Some(at) = b.kernel_param(name) {
                return Ok((Reg::None, i64::from(at).wrapping_add(*offset), false, AddressSpace::Param));
            }
            if b.is_dynamic_shared(name) {
                let base = b.source(&Operand::Name(name.clone(), 0), Ty::U32)?;
                return Ok((base, *offset, false, AddressSpace::Shared));
            }
            let at = b.fixed_address(name).ok_or(Unknown)?;
            Ok((Reg::None, (at as i64).wrapping_add(*offset), false, space))
        }
        _ => Err(Unknown),
    }
}

fn window_of(b: &Builder<'_>, space: AddressSpace) -> u64 {
    match space {
        AddressSpace::Shared => window::SHARED,
        AddressSpace::Local => window::LOCAL,
        AddressSpace::Param if !b.entry => window::LOCAL,
        // Addresses of global, constant and kernel parameter memory are generic as they are.
        _ => 0,
    }
}

/// `cvta`
pub fn convert_address(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let [d, a] = operands else { return Err(Unknown) };
    let (base, to) = (window_of(b, space_of(parts)), parts.has("to"));
    let ty = parts.ty()?;
    if ty.size() != 8 {
        return Err(Unknown);
    }
    let a = b.source64(a, ty)?;
    let d = b.destination64(d)?;
    if base == 0 {
        b.emit(Op::Mov64 { d, a });
        return Ok(());
    }
    let which = if base == window::LOCAL { Special::LocalWindow } else { Special::SharedWindow };
    let base = b.temp64();
    b.emit(Op::Special64 { d: base, which });
    b.emit(if to { Op::Sub64 { d, a, b: base } } else { Op::Add64 { d, a, b: base } });
    Ok(())
}

/// `isspacep`
pub fn is_space(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let [d, a] = operands else { return Err(Unknown) };
    let (d, a) = (b.destination(d)?, b.source(a, Ty::U64)?);
    let space = space_of(parts);
    let variables_end = b.code.variables_end;
    let own = !parts.has("shared::cluster") && cfg!(not(target_family = "wasm"));
    b.emit_map(
        d,
        &[a],
        0,
        map1(move |a| {
            let found = window::classify(a);
            u64::from(match space {
                AddressSpace::Shared => {
                    found == AddressSpace::Shared && !(own && window::rank(a & (window::SIZE - 1)).is_some())
                }
                AddressSpace::Local => found == AddressSpace::Local,
                AddressSpace::Param => found == AddressSpace::Param,
                AddressSpace::Const => (window::VARIABLES..variables_end).contains(&a),
                _ => found == AddressSpace::Global,
            })
        }),
    );
    Ok(())
}
