//! Which shared array an address belongs to, as far as a function's text tells: an address that is an array's, plus
//! something that is no address, may not leave that array. Other arrays lie right behind it, so at run time the place
//! alone says nothing.
//!
//! The analysis asks no order: a register has one origin if all who write it agree. What was loaded, passed or computed
//! from the addresses of two arrays may point anywhere.

use crate::isa::op::{Code, FunctionInfo, Op, Reg, RegisterUse};
use crate::opcodes::Effect;
use std::collections::HashMap;

/// A shared array: first byte and the one behind its last.
pub type Array = (u32, u32);

/// What a register holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// No address.
    Number,
    /// An address in that array.
    In(Array),
    /// Who knows.
    Anything,
}

impl Origin {
    /// Either of them.
    fn or(self, other: Self) -> Self {
        if self == other { self } else { Self::Anything }
    }

    /// Their sum, or what masks and steps make of an address.
    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Number, other) | (other, Self::Number) => other,
            _ => Self::Anything,
        }
    }

    /// Their difference.
    fn minus(self, other: Self) -> Self {
        if other == Self::Number { self } else { Self::Anything }
    }
}

/// Notes at each access of a function the array that it has to stay in. `symbols`: registers that hold an
/// array's address.
pub fn bound(code: &mut Code, info: &FunctionInfo, symbols: &[(Reg, Array)]) {
    if symbols.is_empty() {
        return;
    }
    let range = info.start as usize..(info.start + info.len) as usize;
    let mut known: HashMap<Reg, Origin> = symbols.iter().map(|(reg, array)| (*reg, Origin::In(*array))).collect();
    for (r, _) in &info.constants32 {
        known.entry(Reg::R32(*r)).or_insert(Origin::Number);
    }
    for (r, _) in &info.constants64 {
        known.entry(Reg::R64(*r)).or_insert(Origin::Number);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for inst in &code.insts[range.clone()] {
            inst.op.registers(code, &mut |reg, role| {
                if role != RegisterUse::Result || matches!(reg, Reg::None | Reg::P(_)) {
                    return;
                }
                let Some(new) = result(code, &inst.op, &known) else { return };
                let before = known.get(&reg).copied();
                let after = before.map_or(new, |before| before.or(new));
                if before != Some(after) {
                    known.insert(reg, after);
                    changed = true;
                }
            });
        }
    }
    let array = |base: Reg| match known.get(&base) {
        Some(Origin::In(array)) => Some(*array),
        _ => None,
    };
    for inst in &code.insts[range] {
        match inst.op {
            Op::Load(index) | Op::Store(index) => {
                let op = &mut code.accesses[index as usize];
                op.array = op.array.or_else(|| array(op.base));
            }
            Op::Atomic(index) => {
                let op = &mut code.atomics[index as usize];
                op.array = op.array.or_else(|| array(op.base));
            }
            Op::CopyAsync(index) => {
                let op = &mut code.copies[index as usize];
                op.array = op.array.or_else(|| array(op.to));
            }
            Op::CopyBulk(index) => {
                let op = &mut code.bulk[index as usize];
                op.to_array = op.to_array.or_else(|| array(op.to));
                op.from_array = op.from_array.or_else(|| array(op.from));
            }
            Op::Matrix(index) => {
                let op = &mut code.matrices[index as usize];
                op.array = op.array.or_else(|| array(op.base));
            }
            _ => {}
        }
    }
}

/// What an operation's result is; nothing while its sources are not known yet.
fn result(code: &Code, op: &Op, known: &HashMap<Reg, Origin>) -> Option<Origin> {
    let of = |reg: Reg| match reg {
        Reg::None | Reg::P(_) => Some(Origin::Number),
        reg => known.get(&reg).copied(),
    };
    let (r32, r64) = (|r| of(Reg::R32(r)), |r| of(Reg::R64(r)));
    Some(match *op {
        Op::Mov32 { a, .. } | Op::Zext { a, .. } | Op::Sext { a, .. } => r32(a)?,
        Op::Mov64 { a, .. } | Op::Trunc { a, .. } => r64(a)?,
        Op::Add32 { a, b, .. } | Op::And32 { a, b, .. } | Op::Or32 { a, b, .. } | Op::Xor32 { a, b, .. } => {
            r32(a)?.plus(r32(b)?)
        }
        Op::Add64 { a, b, .. } | Op::And64 { a, b, .. } | Op::Or64 { a, b, .. } | Op::Xor64 { a, b, .. } => {
            r64(a)?.plus(r64(b)?)
        }
        Op::Sub32 { a, b, .. } => r32(a)?.minus(r32(b)?),
        Op::Sub64 { a, b, .. } => r64(a)?.minus(r64(b)?),
        Op::Mad32 { a, b, c, .. } => Origin::Number.minus(r32(a)?).plus(Origin::Number.minus(r32(b)?)).plus(r32(c)?),
        Op::MadWideS32 { a, b, c, .. } | Op::MadWideU32 { a, b, c, .. } => {
            Origin::Number.minus(r32(a)?).plus(Origin::Number.minus(r32(b)?)).plus(r64(c)?)
        }
        Op::Sel32 { a, b, .. } => r32(a)?.or(r32(b)?),
        Op::Sel64 { a, b, .. } => r64(a)?.or(r64(b)?),
        // Kernels are passed no shared addresses.
        Op::Param32 { .. } | Op::Param64 { .. } => Origin::Number,
        Op::Special32 { which, .. } | Op::Special64 { which, .. } if !which.is_base() => Origin::Number,
        // A number of 32 bits in memory is an index; one of 64 may be a pointer.
        Op::Load(index) => {
            let op = &code.accesses[index as usize];
            if op.size <= 4 && !op.parameter { Origin::Number } else { Origin::Anything }
        }
        Op::Collective(index) => of(code.collectives[index as usize].a)?,
        Op::Atomic(index) if code.atomics[index as usize].size <= 4 => Origin::Number,
        _ if op.effect(code) == Effect::Pure => {
            let mut all = Some(Origin::Number);
            op.registers(code, &mut |reg, role| {
                if role == RegisterUse::Value {
                    all = all.and_then(|all| Some(Origin::Number.minus(of(reg)?).plus(all)));
                }
            });
            if matches!(op, Op::LocalAddress64 { .. } | Op::Special32 { .. } | Op::Special64 { .. }) {
                Origin::Anything
            } else {
                all?
            }
        }
        _ => Origin::Anything,
    })
}
