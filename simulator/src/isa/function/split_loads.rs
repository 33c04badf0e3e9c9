//! Vector loads that the compiler split and the assembler puts together again.
//!
//! NVRTC marks a vector load of which it needs some bytes only (`.pragma "used_bytes_mask m"`), and may load the others by an
//! instruction of their own a few lines below, though nothing was stored there in between. Whether it does depends on its
//! pointers' values (13.5), so the same source comes in both forms. The machine code is the same: one vector load. So it is
//! here, for what is counted.

use super::used::names;
use crate::isa::parts::Parts;
use crate::ptx::ast::{Instruction, Operand, Statement};
use std::borrow::Cow;

/// The statements with such loads put together: the later one becomes a move of what the first has loaded.
pub fn join(statements: &[Statement]) -> Cow<'_, [Statement]> {
    let mut joined = Cow::Borrowed(statements);
    for (at, statement) in statements.iter().enumerate() {
        let Statement::UsedBytes(mask) = statement else { continue };
        let Some((load, vector)) = next(statements, at + 1, Vector::of) else { continue };
        let mut used = *mask;
        for (element, register) in vector.elements.iter().enumerate() {
            let bytes = vector.bytes(element);
            if used & bytes != 0 {
                continue;
            }
            let Some((later, single)) = vector.other_load(element, statements, load + 1) else { continue };
            let moved = Instruction {
                opcode: format!("mov.b{}", 8 * vector.size),
                operands: vec![single.operands[0].clone(), register.clone()],
                ..single.clone()
            };
            joined.to_mut()[later] = Statement::Instruction(moved);
            used |= bytes;
        }
        if used != *mask {
            joined.to_mut()[at] = Statement::UsedBytes(used);
        }
    }
    joined
}

/// The next instruction, if it is of that kind.
fn next<'a, T>(
    statements: &'a [Statement],
    from: usize,
    kind: impl Fn(&'a Instruction) -> Option<T>,
) -> Option<(usize, T)> {
    let found = statements.iter().enumerate().skip(from).find_map(|(at, statement)| match statement {
        Statement::Instruction(instruction) => Some((at, instruction)),
        _ => None,
    });
    found.and_then(|(at, instruction)| Some((at, kind(instruction)?)))
}

/// What may stand between the two loads, besides stores to another space.
const PURE: [&str; 16] =
    ["add", "sub", "mul", "mad", "fma", "mov", "cvt", "cvta", "shl", "shr", "and", "or", "xor", "setp", "selp", "ld"];

/// `ld.space.vN.type {elements}, [base+offset]`
struct Vector<'a> {
    /// "ld.space.type"
    opcode: String,
    space: &'a str,
    elements: &'a [Operand],
    /// Bytes of an element.
    size: u64,
    base: &'a str,
    offset: i64,
}

impl<'a> Vector<'a> {
    fn of(load: &'a Instruction) -> Option<Self> {
        let [Operand::Vector(elements), Operand::Address(address)] = &load.operands[..] else { return None };
        let [Operand::Name(base, offset)] = &address[..] else { return None };
        // A weak load of one of these spaces: others may not be moved.
        let ["ld", space @ ("local" | "shared" | "global"), "v2" | "v4", ty] =
            load.opcode.split('.').collect::<Vec<_>>()[..]
        else {
            return None;
        };
        let size = u64::from(Parts::new(&load.opcode).ty().ok()?.size());
        let plain = load.guard.is_none() && size * elements.len() as u64 <= 16 && size >= 4;
        let opcode = format!("ld.{space}.{ty}");
        plain.then_some(Self { opcode, space, elements, size, base, offset: *offset })
    }

    /// An element's part of the mask.
    fn bytes(&self, element: usize) -> u64 {
        ((1 << self.size) - 1) << (element as u64 * self.size)
    }

    /// The instruction that loads an element once more, before anything could have changed it, its address or its register.
    fn other_load(&self, element: usize, statements: &'a [Statement], from: usize) -> Option<(usize, &'a Instruction)> {
        let offset = self.offset + element as i64 * self.size as i64;
        let register = names(&self.elements[element]);
        for (at, statement) in statements.iter().enumerate().skip(from) {
            let instruction = match statement {
                Statement::Instruction(instruction) => instruction,
                Statement::Label(_) | Statement::Block(_) => return None,
                _ => continue,
            };
            if instruction.opcode == self.opcode
                && instruction.guard.is_none()
                && matches!(&instruction.operands[1..], [Operand::Address(address)]
                    if matches!(&address[..], [Operand::Name(base, at)] if base == self.base && *at == offset))
            {
                return Some((at, instruction));
            }
            let mut parts = instruction.opcode.split('.');
            let (base, space) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            let elsewhere = base == "st" && space != self.space && matches!(space, "local" | "shared" | "global");
            let pure = PURE.contains(&base);
            let written =
                if elsewhere { Vec::new() } else { instruction.operands.first().map(names).unwrap_or_default() };
            if !(elsewhere || pure) || written.iter().any(|name| *name == self.base || register.contains(name)) {
                return None;
            }
        }
        None
    }
}
