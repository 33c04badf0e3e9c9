//! Is a shuffle's result used for certain? A value from a lane that is not there is harmless when it is thrown away.

use crate::isa::op::Use;
use crate::ptx::ast::{Instruction, Operand, Statement};
use std::collections::HashSet;

/// Is what `shuffle` yields stored, exchanged or branched on in the straight line of code after it, without a condition? A
/// choice (`selp`), a guard or a branch in between may throw it away. Beside it the PTX line of the `shfl.down` that
/// hands it on, if that is its use.
pub fn used_at_once(shuffle: &Instruction, rest: &[Statement]) -> (Use, Option<u32>) {
    const UNKNOWN: (Use, Option<u32>) = (Use::Unknown, None);
    let mut tainted: Vec<&str> = match shuffle.operands.first() {
        Some(Operand::Name(name, _)) => vec![name],
        Some(Operand::Pair(name, _)) => names(name),
        _ => return UNKNOWN,
    };
    for statement in rest {
        let instruction = match statement {
            Statement::Instruction(instruction) => instruction,
            Statement::Label(_) | Statement::Block(_) => return UNKNOWN,
            _ => continue,
        };
        let base = instruction.opcode.split('.').next().unwrap_or_default();
        let touches = |operand: &Operand| names(operand).iter().any(|name| tainted.contains(name));
        let writes = !matches!(base, "st" | "red" | "bra" | "brx" | "bar" | "barrier");
        let sources = instruction.operands.get(usize::from(writes)..).unwrap_or_default();
        if !sources.iter().any(touches) {
            if matches!(base, "bra" | "brx" | "ret" | "exit" | "call") {
                return UNKNOWN;
            }
            continue;
        }
        match base {
            _ if instruction.guard.is_some() => return UNKNOWN,
            "st" | "red" | "atom" => return (Use::Stored, None),
            "shfl" => {
                let down = instruction.opcode.contains(".down.") && sources.first().is_some_and(touches);
                return (Use::Exchanged, down.then_some(instruction.line));
            }
            "vote" | "match" | "redux" => return (Use::Exchanged, None),
            "selp" | "slct" => {}
            "setp" | "bra" | "brx" | "call" => return UNKNOWN,
            _ => tainted.extend(instruction.operands.first().map(names).unwrap_or_default()),
        }
    }
    UNKNOWN
}

/// Names that instructions of `statements` read, addresses and guards included, if somebody asks: there is an atomic among them, or
/// a load of which a part is called unused.
pub fn read_where_asked(statements: &[Statement]) -> HashSet<String> {
    fn each(statements: &[Statement], see: &mut dyn FnMut(&Instruction)) {
        for statement in statements {
            match statement {
                Statement::Instruction(instruction) => see(instruction),
                Statement::Block(inner) => each(inner, see),
                _ => {}
            }
        }
    }
    let mut read = HashSet::new();
    let mut asked = has_unused_bytes(statements);
    each(statements, &mut |instruction| asked |= instruction.opcode.starts_with("atom"));
    if asked {
        each(statements, &mut |instruction| {
            let base = instruction.opcode.split('.').next().unwrap_or_default();
            // Nothing is written by these; a call's results are among its operands, and count as read.
            let writes = !matches!(base, "st" | "red" | "bra" | "brx" | "bar" | "barrier" | "call");
            let sources = instruction.operands.get(usize::from(writes)..).unwrap_or_default();
            read.extend(sources.iter().flat_map(names).map(str::to_owned));
            read.extend(instruction.guard.iter().map(|guard| guard.name.clone()));
        });
    }
    read
}

fn has_unused_bytes(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match statement {
        Statement::UsedBytes(_) => true,
        Statement::Block(inner) => has_unused_bytes(inner),
        _ => false,
    })
}

/// The names in an operand.
pub fn names(operand: &Operand) -> Vec<&str> {
    match operand {
        Operand::Name(name, _) => vec![name],
        Operand::Address(all) | Operand::Vector(all) | Operand::List(all) => all.iter().flat_map(names).collect(),
        Operand::Pair(a, b) => names(a).into_iter().chain(names(b)).collect(),
        Operand::Not(inner) | Operand::Negated(inner) => names(inner),
        _ => Vec::new(),
    }
}
