//! Branches, calls, returns.

use crate::isa::function::{Builder, Lower, Unknown};
use crate::isa::op::{CallOp, CallValue, Callee, IndexedBranch, NOWHERE, Op, Reg};
use crate::isa::parts::Parts;
use crate::ptx::ast::{Operand, Ty};

/// `bra`
pub fn branch(b: &mut Builder<'_>, _: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let Some(Operand::Name(name, 0)) = operands.first() else { return Err(Unknown) };
    let target = b.label(name).ok_or(Unknown)?;
    b.at_caller(target);
    b.emit(Op::Bra { target, join: NOWHERE });
    Ok(())
}

/// `brx`
pub fn indexed(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let [index, Operand::Name(list, 0)] = operands else { return Err(Unknown) };
    let index = Reg::R32(b.source32(index, Ty::U32)?);
    let names = b.targets(list).ok_or(Unknown)?;
    let targets = names.iter().map(|name| b.label(name).ok_or(Unknown)).collect::<Lower<Vec<u32>>>()?;
    if parts.has("uni") {
        b.promise_same_target(index);
    }
    b.code.indexed.push(IndexedBranch { index, targets, join: NOWHERE });
    b.emit(Op::BrIndexed(b.code.indexed.len() as u32 - 1));
    Ok(())
}

/// `ret`
pub fn ret(b: &mut Builder<'_>, _: &Parts<'_>, _: &[Operand]) -> Lower<()> {
    b.emit(if b.entry { Op::Exit } else { Op::Ret });
    Ok(())
}

/// `exit`
pub fn exit(b: &mut Builder<'_>, _: &Parts<'_>, _: &[Operand]) -> Lower<()> {
    b.emit(Op::Exit);
    Ok(())
}

/// `trap`, `brkpt`
pub fn trap(b: &mut Builder<'_>, _: &Parts<'_>, _: &[Operand]) -> Lower<()> {
    b.emit(Op::Trap);
    Ok(())
}

/// `call`
pub fn call(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let (returns, rest) = match operands {
        [Operand::List(returns), rest @ ..] => (returns.as_slice(), rest),
        rest => (&[][..], rest),
    };
    let [Operand::Name(target, 0), rest @ ..] = rest else { return Err(Unknown) };
    let args = match rest {
        [Operand::List(args), ..] => args.as_slice(),
        _ => &[],
    };
    // The prototype or the list of targets of a call through a pointer.
    let shape = match rest.last() {
        Some(Operand::Name(name, 0)) => Some(name.as_str()),
        _ => None,
    };
    let mut never_returns = shape.is_some_and(|name| b.prototype_never_returns(name));
    let listed = shape.and_then(|name| b.targets(name));
    let mut among = Vec::new();
    for name in listed.iter().flatten() {
        among.push(b.function(name).ok_or(Unknown)?);
    }
    let callee = if let Some(reg) = b.register(target) {
        if parts.has("uni") {
            b.promise_same_target(reg);
        }
        Callee::Indirect(reg)
    } else {
        match b.function(target) {
            Some(index) => {
                never_returns |= b.code.never_return.contains(&index);
                Callee::Function(index)
            }
            None => system_function(target).unwrap_or_else(|| Callee::Missing(target.clone())),
        }
    };
    let args = args.iter().map(|arg| value(b, arg)).collect::<Lower<Vec<_>>>()?;
    let returns = returns.iter().map(|slot| value(b, slot)).collect::<Lower<Vec<_>>>()?;
    let among_never = |index: &u32| b.code.never_return.contains(index);
    never_returns |= !among.is_empty() && among.iter().all(among_never);
    never_returns &= !matches!(callee, Callee::AssertFail);
    b.code.calls.push(CallOp { callee, args, returns, among });
    b.emit(Op::Call(b.code.calls.len() as u32 - 1));
    if never_returns {
        b.emit(Op::Returned);
    }
    Ok(())
}

/// What CUDA's system provides under a name for which the module has no function of its own.
pub fn system_function(name: &str) -> Option<Callee> {
    Some(match name {
        "vprintf" => Callee::Printf,
        "__assertfail" => Callee::AssertFail,
        "malloc" => Callee::Malloc,
        "free" => Callee::Free,
        _ => return None,
    })
}

fn value(b: &mut Builder<'_>, operand: &Operand) -> Lower<CallValue> {
    if let Operand::Name(name, 0) = operand
        && let Some(offset) = b.frame_offset(name)
    {
        let size = b.passed.get(&offset).copied().unwrap_or(0);
        return Ok(CallValue::Memory { offset, size });
    }
    match operand {
        Operand::Int(bits) => Ok(CallValue::Register(b.constant(Ty::B64, *bits))),
        Operand::F32(bits) => Ok(CallValue::Register(b.constant(Ty::B32, u64::from(*bits)))),
        _ => Ok(CallValue::Register(b.source(operand, Ty::B64)?)),
    }
}
