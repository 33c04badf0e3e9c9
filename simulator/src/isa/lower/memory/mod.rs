//! Loads, stores, atomics, copies and addresses.

mod address;
mod atomic;

use crate::isa::function::{Builder, Lower, Unknown};
use crate::isa::op::{AccessOp, AddressSpace, CopyOp, Op, Reg};
use crate::isa::parts::Parts;
use crate::observe::{Copies, MemoryOrder, Scope};
use crate::ptx::ast::{Operand, Ty};
pub use address::{address, convert_address, is_own, is_space, space_of};
pub use atomic::{atomic, atomic_function};

/// Ordering and scope of an access or fence.
pub fn ordering(parts: &Parts<'_>, default: MemoryOrder) -> (MemoryOrder, Scope) {
    let mut found = (default, Scope::Gpu);
    parts.picks(|name| {
        match name {
            "weak" => found.0 = MemoryOrder::Weak,
            "volatile" => found = (MemoryOrder::Volatile, Scope::Sys),
            "relaxed" => found.0 = MemoryOrder::Relaxed,
            "acquire" => found.0 = MemoryOrder::Acquire,
            "release" => found.0 = MemoryOrder::Release,
            "acq_rel" | "sc" => found.0 = MemoryOrder::AcqRel,
            "cta" => found.1 = Scope::Cta,
            "cluster" => found.1 = Scope::Cluster,
            "gpu" | "gl" => found.1 = Scope::Gpu,
            "sys" => found.1 = Scope::Sys,
            _ => return None,
        }
        Some(())
    });
    found
}

fn count_of(parts: &Parts<'_>) -> usize {
    match () {
        () if parts.has("v2") => 2,
        () if parts.has("v4") => 4,
        () if parts.has("v8") => 8,
        () => 1,
    }
}

fn elements(b: &mut Builder<'_>, operand: &Operand, count: usize) -> Lower<Vec<Operand>> {
    match operand {
        Operand::Vector(all) if all.len() == count => Ok(all.clone()),
        Operand::Name(name, 0) if count > 1 && b.vector_register(operand).is_some() => Ok(["x", "y", "z", "w"]
            [..count.min(4)]
            .iter()
            .map(|part| Operand::Name(format!("{name}.{part}"), 0))
            .collect()),
        other if count == 1 => Ok(vec![other.clone()]),
        _ => Err(Unknown),
    }
}

/// `ld`, `ldu`
pub fn load(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let ty = parts.ty()?;
    let (d, at) = (operands.first().ok_or(Unknown)?, operands.get(1).ok_or(Unknown)?);
    let count = count_of(parts);
    let (base, offset, frame, mut space) = address(b, at, space_of(parts))?;
    let mut regs = Vec::new();
    let elements = elements(b, d, count)?;
    for element in &elements {
        if ty == Ty::B128 {
            regs.extend(b.register128(element)?);
        } else {
            regs.push(b.destination(element)?);
        }
    }
    // The assembler minds the pragma at vectors only.
    let used = b.used_bytes.filter(|_| count > 1);
    let parameter = space_of(parts) == AddressSpace::Param;
    let beyond = if parameter { b.beyond_parameter(at, u64::from(ty.size()) * count as u64) } else { None };
    if beyond.is_some() {
        // Those in a frame, too, come to where it is told.
        space = AddressSpace::Param;
    } else if space == AddressSpace::Param && base == Reg::None && count == 1 {
        match regs[0] {
            Reg::R32(d) if ty.size() == 4 => {
                b.emit(Op::Param32 { d, offset: offset as u32 });
                return Ok(());
            }
            Reg::R64(d) if ty.size() == 8 => {
                b.emit(Op::Param64 { d, offset: offset as u32 });
                return Ok(());
            }
            _ => {}
        }
    }
    let (order, scope) = ordering(parts, MemoryOrder::Weak);
    let array = if parameter { beyond } else { b.array_named(at) };
    let size = ty.size().min(8);
    // Of bytes that the text calls unused nothing is loaded: the assembler may leave them out, too. What then is in a register
    // that somebody reads all the same, nobody knows.
    let mut unknown = Vec::new();
    if let Some(used) = used {
        for (at, reg) in regs.iter_mut().enumerate() {
            let shift = at as u32 * size;
            if used.checked_shr(shift).unwrap_or(0) & (u64::MAX >> (64 - size)) == 0 {
                let reg = std::mem::replace(reg, Reg::None);
                if elements.get(at).is_none_or(|element| b.is_read(element)) {
                    unknown.push(reg);
                }
            }
        }
    }
    b.code.accesses.push(AccessOp {
        space,
        size,
        signed: ty.signed(),
        regs,
        base,
        offset,
        frame,
        parameter,
        own: is_own(parts),
        order,
        scope,
        may_spin: order != MemoryOrder::Weak,
        array,
        mark: parts.has("nc") && order == MemoryOrder::Weak,
        group: 0,
    });
    b.emit(Op::Load(b.code.accesses.len() as u32 - 1));
    // A register that nothing writes has no value, and a copy of it none either.
    for reg in unknown {
        match reg {
            Reg::R32(d) => {
                let a = b.temp32();
                b.emit(Op::Mov32 { d, a });
            }
            Reg::R64(d) => {
                let a = b.temp64();
                b.emit(Op::Mov64 { d, a });
            }
            Reg::P(_) | Reg::None => {}
        }
    }
    Ok(())
}

/// `st`
pub fn store(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    if parts.has("async") || parts.has("bulk") {
        return Err(Unknown);
    }
    let ty = parts.ty()?;
    let [at, from, ..] = operands else { return Err(Unknown) };
    let (base, offset, frame, space) = address(b, at, space_of(parts))?;
    let mut regs = Vec::new();
    for element in elements(b, from, count_of(parts))? {
        if ty == Ty::B128 {
            regs.extend(b.register128(&element)?);
        } else {
            regs.push(b.source(&element, ty)?);
        }
    }
    let (order, scope) = ordering(parts, MemoryOrder::Weak);
    let array = b.array_named(at);
    let size = ty.size().min(8);
    b.code.accesses.push(AccessOp {
        space,
        size,
        signed: false,
        regs,
        base,
        offset,
        frame,
        parameter: space_of(parts) == AddressSpace::Param,
        own: is_own(parts),
        order,
        scope,
        may_spin: false,
        array,
        mark: false,
        group: 0,
    });
    b.emit(Op::Store(b.code.accesses.len() as u32 - 1));
    Ok(())
}

/// `discard{.global}.L2 [a], 128`
pub fn discard(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let [at, Operand::Int(size)] = operands else { return Err(Unknown) };
    let size = u32::try_from(*size).ok().filter(|size| *size == 128).ok_or(Unknown)?;
    let (base, offset, frame, space) = address(b, at, space_of(parts))?;
    b.code.accesses.push(without_registers(space, size, (base, offset, frame)));
    b.emit(Op::Discard(b.code.accesses.len() as u32 - 1));
    Ok(())
}

/// `prefetch{.global}.L2 [a]`. A tensor map has no bytes here.
#[cfg(not(target_family = "wasm"))]
pub fn prefetch(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let [at] = operands else { return Err(Unknown) };
    if parts.has("tensormap") {
        b.emit(Op::Nop);
        return Ok(());
    }
    let (base, offset, frame, space) = address(b, at, space_of(parts))?;
    b.code.accesses.push(without_registers(space, 1, (base, offset, frame)));
    b.emit(Op::Prefetch(b.code.accesses.len() as u32 - 1));
    Ok(())
}

/// `cp.async.bulk.prefetch.L2.global [a], size`
#[cfg(not(target_family = "wasm"))]
pub fn prefetch_bytes(b: &mut Builder<'_>, operands: &[Operand]) -> Lower<()> {
    let [at, size, ..] = operands else { return Err(Unknown) };
    let (base, offset, frame, space) = address(b, at, AddressSpace::Global)?;
    let size = b.source(size, Ty::U32)?;
    let access = without_registers(space, 1, (base, offset, frame));
    b.code.accesses.push(AccessOp { regs: vec![size], ..access });
    b.emit(Op::Prefetch(b.code.accesses.len() as u32 - 1));
    Ok(())
}

/// The same on the page.
#[cfg(target_family = "wasm")]
pub fn prefetch_bytes(b: &mut Builder<'_>, _: &[Operand]) -> Lower<()> {
    b.emit(Op::Nop);
    Ok(())
}

/// The same on the page, where nobody asks what it costs.
#[cfg(target_family = "wasm")]
pub fn prefetch(b: &mut Builder<'_>, _: &Parts<'_>, _: &[Operand]) -> Lower<()> {
    b.emit(Op::Nop);
    Ok(())
}

/// An access that leaves registers alone.
fn without_registers(space: AddressSpace, size: u32, (base, offset, frame): (Reg, i64, bool)) -> AccessOp {
    AccessOp {
        space,
        size,
        signed: false,
        regs: Vec::new(),
        base,
        offset,
        frame,
        parameter: false,
        own: false,
        order: MemoryOrder::Weak,
        scope: Scope::Gpu,
        may_spin: false,
        array: None,
        mark: false,
        group: 0,
    }
}

/// Groups of copies that a wait leaves under way.
pub fn left(operands: &[Operand]) -> Lower<u32> {
    let [Operand::Int(left)] = operands else { return Err(Unknown) };
    Ok(u32::try_from(*left).map_err(|_| Unknown)?.min(u32::MAX - 1))
}

/// `cp`
pub fn copy(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    if parts.has("bulk") {
        return crate::isa::lower::bulk::lower(b, parts, operands);
    }
    if !parts.has("async") || parts.has("reduce") {
        return Err(Unknown);
    }
    // Copies are done when they are issued; only those who watch hear of the waits.
    if parts.has("commit_group") {
        b.emit(Op::CopyCommit { of: Copies::Plain });
        return Ok(());
    }
    if parts.has("wait_group") {
        b.emit(Op::CopyWait { of: Copies::Plain, left: left(operands)? });
        return Ok(());
    }
    if parts.has("wait_all") {
        b.emit(Op::CopyWait { of: Copies::Plain, left: u32::MAX });
        return Ok(());
    }
    if parts.has("mbarrier") {
        return crate::isa::lower::sync::mbarrier(b, parts, operands);
    }
    let [to, from, Operand::Int(size), rest @ ..] = operands else { return Err(Unknown) };
    let array = b.array_named(to);
    let (to, to_offset, _, _) = address(b, to, AddressSpace::Shared)?;
    let (from, from_offset, _, _) = address(b, from, AddressSpace::Global)?;
    let (mut source_size, mut ignore) = (Reg::None, Reg::None);
    if let Some(operand) = rest.first() {
        match b.source(operand, Ty::U32) {
            Ok(reg @ Reg::P(_)) => ignore = reg,
            Ok(reg) => source_size = reg,
            Err(unknown) => return Err(unknown),
        }
    }
    let size = u32::try_from(*size).ok().filter(|size| matches!(size, 4 | 8 | 16)).ok_or(Unknown)?;
    b.code.copies.push(CopyOp { to, to_offset, from, from_offset, size, source_size, ignore, array });
    b.emit(Op::CopyAsync(b.code.copies.len() as u32 - 1));
    Ok(())
}
