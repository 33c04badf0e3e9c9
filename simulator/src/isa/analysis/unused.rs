//! Shuffles whose result nobody uses: they go nowhere but into results that nobody uses either.

use super::liveness::Registers;
use crate::isa::op::{CallValue, Code, CollectiveFn, FunctionInfo, Inst, Op, RegisterUse, guard};
use crate::opcodes::Effect;

/// Does the operation do nothing but compute results?
pub(super) fn computes(op: &Op, code: &Code) -> bool {
    matches!(op.effect(code), Effect::Pure | Effect::Exchange)
}

/// Registers whose values reach memory, an address, a condition, a call or what the function returns, in whatever order its
/// operations are executed; `computes`: an operation counts only by its results.
pub(super) fn used(code: &Code, info: &FunctionInfo, insts: &[Inst], computes: impl Fn(&Op) -> bool) -> Registers {
    let mut used = Registers::new(info);
    for value in &info.returns {
        if let CallValue::Register(reg) = value {
            used.insert(*reg);
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for inst in insts.iter().rev() {
            let mut counts = !computes(&inst.op);
            inst.op.registers(code, &mut |reg, role| counts |= role == RegisterUse::Result && used.contains(reg));
            if !counts {
                continue;
            }
            changed |= used.insert(guard(inst.guard));
            inst.op.registers(code, &mut |reg, role| changed |= role != RegisterUse::Result && used.insert(reg));
        }
    }
    used
}

/// Says of a function's shuffles whether their results are used.
pub fn mark(code: &mut Code, info: &FunctionInfo) {
    use CollectiveFn::{ShflBfly, ShflDown, ShflIdx, ShflUp};
    let insts = &code.insts[info.start as usize..(info.start + info.len) as usize];
    let number = |inst: &Inst| match inst.op {
        Op::Collective(index) => Some(index as usize),
        _ => None,
    };
    let shuffles: Vec<usize> = insts
        .iter()
        .filter_map(number)
        .filter(|&index| matches!(code.collectives[index].f, ShflUp | ShflDown | ShflBfly | ShflIdx))
        .collect();
    if shuffles.is_empty() {
        return;
    }
    let used = used(code, info, insts, |op| computes(op, code));
    for index in shuffles {
        let op = &mut code.collectives[index];
        op.in_vain = !used.contains(op.d) && !used.contains(op.p);
    }
}
