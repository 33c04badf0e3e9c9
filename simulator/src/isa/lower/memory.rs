//! Loads, stores, atomics, copies and addresses.

use crate::isa::function::{Builder, Lower, Unknown};
use crate::isa::lower::arith::{map1, value};
use crate::isa::op::{AccessOp, AddressSpace, AtomicFn, AtomicOp, CopyOp, Op, Reg, Special, WordFn};
use crate::isa::parts::Parts;
use crate::memory::window;
use crate::num::float as f;
use crate::num::half::{self, Half};
use crate::num::{MinMax, Rounding};
use crate::observe::{MemoryOrder, Scope};
use crate::ptx::ast::{Operand, Ty};
use std::sync::Arc;

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
    let (base, offset, frame, space) = address(b, at, space_of(parts))?;
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
    if space == AddressSpace::Param && base == Reg::None && count == 1 {
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
    let array = b.array_named(at);
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
        parameter: space_of(parts) == AddressSpace::Param,
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
    let (base, offset, frame, space) = address(b, at, space_of(parts))?;
    b.code.accesses.push(AccessOp {
        space,
        size: u32::try_from(*size).ok().filter(|size| *size == 128).ok_or(Unknown)?,
        signed: false,
        regs: Vec::new(),
        base,
        offset,
        frame,
        parameter: false,
        order: MemoryOrder::Weak,
        scope: Scope::Gpu,
        may_spin: false,
        array: None,
        mark: false,
        group: 0,
    });
    b.emit(Op::Discard(b.code.accesses.len() as u32 - 1));
    Ok(())
}

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
    if ty == Ty::B128 || parts.has("async") {
        return Err(Unknown);
    }
    let returns = parts.base == "atom" && operands.first().is_some_and(|d| b.is_read(d));
    let name = parts
        .pick(|name| {
            let known = matches!(name, "add" | "min" | "max" | "inc" | "dec" | "and" | "or" | "xor" | "exch" | "cas");
            known.then_some(name)
        })
        .ok_or(Unknown)?;
    let (f, flops) = atomic_function(name, ty).ok_or(Unknown)?;
    let count = count_of(parts);
    let (d, rest) = if parts.base == "atom" {
        let (d, rest) = operands.split_first().ok_or(Unknown)?;
        let d = elements(b, d, count)?.iter().map(|d| b.destination(d)).collect::<Lower<Vec<_>>>()?;
        (d, rest)
    } else {
        (Vec::new(), operands)
    };
    let [at, value, more @ ..] = rest else { return Err(Unknown) };
    let (base, offset, _, space) = address(b, at, space_of(parts))?;
    let values = elements(b, value, count)?.iter().map(|v| b.source(v, ty)).collect::<Lower<Vec<_>>>()?;
    let c = match (name, more) {
        ("cas", [c, ..]) => b.source(c, ty)?,
        ("cas", []) => return Err(Unknown),
        _ => Reg::None,
    };
    let (order, scope) = ordering(parts, MemoryOrder::Relaxed);
    // A read in disguise (`atomicAdd(p, 0)`) and the lock's own instructions are what spin loops are made of.
    let may_spin = !d.is_empty() && (matches!(name, "cas" | "exch") || *value == Operand::Int(0));
    let array = b.array_named(at);
    let corrects = matches!(name, "cas" | "min" | "max" | "and" | "or");
    b.code.atomics.push(AtomicOp {
        corrects,
        answers: !d.is_empty(),
        group: 0,
        space,
        size: ty.size(),
        d,
        base,
        offset,
        b: values,
        c,
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
        b.emit(Op::CopyCommit);
        return Ok(());
    }
    if parts.has("wait_group") {
        b.emit(Op::CopyWait { left: left(operands)? });
        return Ok(());
    }
    if parts.has("wait_all") {
        b.emit(Op::CopyWait { left: u32::MAX });
        return Ok(());
    }
    if parts.has("mbarrier") {
        return crate::isa::lower::sync::mbarrier(b, parts, operands);
    }
    let [to, from, Operand::Int(size), rest @ ..] = operands else { return Err(Unknown) };
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
    b.code.copies.push(CopyOp { to, to_offset, from, from_offset, size, source_size, ignore });
    b.emit(Op::CopyAsync(b.code.copies.len() as u32 - 1));
    Ok(())
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
    let base = if base == window::LOCAL {
        let own = b.temp64();
        b.emit(Op::Special64 { d: own, which: Special::LocalWindow });
        own
    } else {
        b.const64(base)
    };
    b.emit(if to { Op::Sub64 { d, a, b: base } } else { Op::Add64 { d, a, b: base } });
    Ok(())
}

/// `isspacep`
pub fn is_space(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let [d, a] = operands else { return Err(Unknown) };
    let (d, a) = (b.destination(d)?, b.source(a, Ty::U64)?);
    let space = space_of(parts);
    b.emit_map(
        d,
        &[a],
        0,
        map1(move |a| {
            let found = window::classify(a);
            u64::from(match space {
                AddressSpace::Shared => found == AddressSpace::Shared,
                AddressSpace::Local => found == AddressSpace::Local,
                AddressSpace::Param => found == AddressSpace::Param,
                AddressSpace::Const => window::is_variable(a),
                _ => found == AddressSpace::Global,
            })
        }),
    );
    Ok(())
}
