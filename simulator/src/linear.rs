//! Is what code computes of the reals in its inputs linear: sums, differences, the larger of two, multiples, and nothing else? What comes
//! out is then as tiny as what goes in, and so is all in between: no product of two tiny numbers underflows on the way.

use crate::ptx::ast::{Instruction, Operand, Statement};
use std::collections::HashSet;

/// Binary orders of magnitude, up and down, of a literal by which a real may be multiplied or divided.
const MODERATE: i32 = 20;

/// Follows the values that kernels load, register by register, up to where they are stored. A factor that is made of integers is taken
/// for a moderate one. What is not known is not linear, text that cannot be read neither.
pub fn is_linear(ptx: &str) -> bool {
    let Ok(tree) = crate::ptx::parse(ptx, &crate::Limits::default()) else { return false };
    tree.functions.iter().filter_map(|function| function.body.as_deref()).all(|body| {
        let mut all = Vec::new();
        flatten(body, &mut all);
        Reals::default().follow(&all)
    })
}

fn flatten<'t>(statements: &'t [Statement], all: &mut Vec<&'t Instruction>) {
    for statement in statements {
        match statement {
            Statement::Instruction(instruction) => all.push(instruction),
            Statement::Block(inner) => flatten(inner, all),
            _ => {}
        }
    }
}

/// A function's registers that hold what is made of a loaded value.
#[derive(Default)]
struct Reals<'t> {
    registers: HashSet<&'t str>,
}

impl<'t> Reals<'t> {
    /// Goes through the instructions until no register is new, as a loop brings values back; false at the first that is not linear.
    fn follow(&mut self, all: &[&'t Instruction]) -> bool {
        loop {
            let before = self.registers.len();
            for instruction in all {
                match self.makes(instruction) {
                    None => return false,
                    Some(false) => {}
                    Some(true) => {
                        if let Some(to) = instruction.operands.first() {
                            self.add(to);
                        }
                    }
                }
            }
            if self.registers.len() == before {
                return true;
            }
        }
    }

    /// Is an instruction's result made of loaded values? Nothing where it hangs on them in another than a linear way.
    fn makes(&self, instruction: &'t Instruction) -> Option<bool> {
        let mut parts = instruction.opcode.split('.');
        let base = parts.next().unwrap_or_default();
        let last = parts.next_back().unwrap_or_default();
        let float = is_float(last);
        let sources = instruction.operands.get(1..).unwrap_or_default();
        let is = |at: usize| sources.get(at).is_some_and(|source| self.is_real(source));
        let any = sources.iter().any(|source| self.is_real(source));
        match base {
            "ld" | "ldu" | "atom" => Some(!instruction.opcode.starts_with("ld.param")),
            "st" | "red" | "bra" | "bar" | "barrier" | "ret" | "setp" | "membar" | "fence" => Some(false),
            "call" => None,
            // Of an integer that was loaded it makes a number like any other.
            "cvt" => match (float, instruction.opcode.split('.').any(is_integer)) {
                (true, true) if any => None,
                (true, false) => Some(any),
                _ => Some(false),
            },
            "mul" if float => match (is(0), is(1)) {
                (true, true) => None,
                (real, other) => {
                    let factor = if real { sources.get(1) } else { sources.first() };
                    self.times(real || other, factor)
                }
            },
            "fma" | "mad" if float => match (is(0), is(1)) {
                (true, true) => None,
                (false, false) => Some(is(2)),
                (real, _) => self.times(true, if real { sources.get(1) } else { sources.first() }),
            },
            "div" if float => {
                if is(1) {
                    return None;
                }
                self.times(is(0), sources.get(1))
            }
            // Bits that are moved, or a sign that is masked.
            "mov" | "selp" | "shfl" | "and" | "or" | "xor" | "shl" | "shr" | "prmt" => Some(any),
            "add" | "sub" | "min" | "max" | "neg" | "abs" | "copysign" if float => Some(any),
            _ if float && any => None,
            _ => Some(false),
        }
    }

    /// A product: linear in a real if the other factor is not too large or too small.
    fn times(&self, real: bool, factor: Option<&Operand>) -> Option<bool> {
        let moderate = |value: f64| value == 0.0 || value.abs().log2().abs() <= f64::from(MODERATE);
        match factor {
            Some(Operand::F64(bits)) if real && !moderate(f64::from_bits(*bits)) => None,
            Some(Operand::F32(bits)) if real && !moderate(f32::from_bits(*bits).into()) => None,
            _ => Some(real),
        }
    }

    fn is_real(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Name(name, _) => self.registers.contains(name.as_str()),
            Operand::Vector(all) | Operand::List(all) => all.iter().any(|inner| self.is_real(inner)),
            Operand::Pair(a, b) => self.is_real(a) || self.is_real(b),
            Operand::Negated(inner) | Operand::Not(inner) => self.is_real(inner),
            // An address may be made of integers that were loaded.
            Operand::Address(_) | Operand::Int(_) | Operand::F32(_) | Operand::F64(_) | Operand::Sink => false,
        }
    }

    fn add(&mut self, operand: &'t Operand) {
        match operand {
            Operand::Name(name, _) => {
                self.registers.insert(name);
            }
            Operand::Vector(all) => all.iter().for_each(|inner| self.add(inner)),
            Operand::Pair(value, _) => self.add(value),
            _ => {}
        }
    }
}

fn is_float(part: &str) -> bool {
    matches!(part, "f16" | "f16x2" | "bf16" | "bf16x2" | "f32" | "f64" | "tf32")
}

fn is_integer(part: &str) -> bool {
    matches!(part, "s8" | "u8" | "s16" | "u16" | "s32" | "u32" | "s64" | "u64")
}

#[cfg(test)]
mod tests {
    use super::is_linear;

    fn linear(body: &str) -> bool {
        is_linear(&format!(".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p)\n{{\n{body}\n}}\n"))
    }

    #[test]
    fn sums_and_multiples_are_linear_and_products_are_not() {
        let start = "ld.param.u64 %rd1, [p];\nld.global.f32 %f1, [%rd1];\ncvt.f64.f32 %fd1, %f1;\nld.global.u32 %r1, [%rd1+4];\n\
                     cvt.rn.f64.s32 %fd2, %r1;\n";
        let of = |rest: &str| linear(&format!("{start}{rest}\nst.global.f64 [%rd1], %fd9;"));
        for body in [
            "fma.rn.f64 %fd9, %fd1, 0d4000000000000000, %fd1;",
            "div.rn.f64 %fd9, %fd1, %fd2;",
            "mul.f64 %fd9, %fd2, %fd1;",
            "abs.f64 %fd3, %fd1;\nmax.f64 %fd9, %fd3, %fd1;",
            "mul.f64 %fd3, %fd2, %fd2;\nsqrt.rn.f64 %fd4, %fd3;\nmul.f64 %fd9, %fd1, %fd4;",
            "LOOP:\nadd.f64 %fd9, %fd9, %fd1;\n@%p1 bra LOOP;",
        ] {
            assert!(of(body), "{body}");
        }
        for body in [
            "mul.f64 %fd9, %fd1, %fd1;",
            "fma.rn.f64 %fd9, %fd1, %fd1, %fd2;",
            "div.rn.f64 %fd9, %fd2, %fd1;",
            "sqrt.rn.f64 %fd9, %fd1;",
            "cvt.rni.s32.f64 %r2, %fd1;",
            "mul.f64 %fd9, %fd1, 0d3DF0000000000000;",
            // What the loop brings back is a real the second time.
            "LOOP:\nmul.f64 %fd9, %fd8, %fd7;\nmov.f64 %fd8, %fd7;\nmov.f64 %fd7, %fd1;\n@%p1 bra LOOP;",
            "call.uni (r), f, (q);",
        ] {
            assert!(!of(body), "{body}");
        }
        assert!(!is_linear("no PTX"));
    }
}
