//! Where values of a function go, by the names of registers: enough to tell what becomes of one load or one atomic.

use crate::ptx::ast::{Function, Instruction, Operand, Statement};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// A function's instructions, and who mentions which register.
pub struct Flow<'t> {
    all: Vec<&'t Instruction>,
    mentions: HashMap<&'t str, Vec<usize>>,
    by_line: HashMap<u32, Vec<usize>>,
}

impl<'t> Flow<'t> {
    /// Of a function's body.
    pub fn of(function: &'t Function) -> Self {
        let mut flow = Self { all: Vec::new(), mentions: HashMap::new(), by_line: HashMap::new() };
        flow.collect(function.body.as_deref().unwrap_or_default());
        flow
    }

    fn collect(&mut self, statements: &'t [Statement]) {
        for statement in statements {
            match statement {
                Statement::Block(inner) => self.collect(inner),
                Statement::Instruction(instruction) => {
                    let at = self.all.len();
                    self.all.push(instruction);
                    self.by_line.entry(instruction.line).or_default().push(at);
                    let mut names = Vec::new();
                    instruction.operands.iter().for_each(|operand| registers(operand, &mut names));
                    for name in names {
                        let known = self.mentions.entry(name).or_default();
                        if known.last() != Some(&at) {
                            known.push(at);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn at(&self, line: u32) -> impl Iterator<Item = &'t Instruction> {
        self.by_line.get(&line).into_iter().flatten().map(|&at| self.all[at])
    }

    fn using(&self, name: &str) -> impl Iterator<Item = &'t Instruction> {
        self.mentions.get(name).into_iter().flatten().map(|&at| self.all[at])
    }

    /// Does somebody use the result of an instruction in that line?
    pub fn answers(&self, line: u32) -> bool {
        self.at(line).flat_map(results).any(|name| self.mentions.get(name).is_some_and(|uses| uses.len() > 1))
    }

    /// Goes from a value to all that is made of it. `next` says, of an instruction that takes a register, as what the results hold it,
    /// if they do, given as what the register does.
    fn follow<S: Copy + Eq + Hash>(
        &self,
        from: impl Iterator<Item = &'t str>,
        begin: S,
        mut next: impl FnMut(&'t Instruction, &'t str, S) -> Option<S>,
    ) {
        let mut work: Vec<(&str, S)> = from.map(|name| (name, begin)).collect();
        let mut seen: HashSet<(&str, S)> = work.iter().copied().collect();
        while let Some((name, state)) = work.pop() {
            for instruction in self.using(name).filter(|instruction| takes(instruction, name)) {
                if let Some(state) = next(instruction, name, state) {
                    work.extend(results(instruction).map(|to| (to, state)).filter(|to| seen.insert(*to)));
                }
            }
        }
    }

    /// What loads in a line bring.
    fn loaded(&self, line: u32) -> impl Iterator<Item = &'t str> {
        self.at(line).filter(|load| base(load) == "ld").flat_map(results)
    }

    /// Is what a load in that line brings used for anything but comparing, and for the compare-and-swap that corrects it?
    /// `swap`: it is a compare-and-swap that does. What a loop carries on from the atomic's own answer is left out then.
    pub fn escapes(&self, line: u32, swap: bool) -> bool {
        let carried = |name| self.using(name).filter(|other| results(other).any(|to| to == name)).count() > 1;
        let mut escapes = false;
        self.follow(self.loaded(line), (), |instruction, name, ()| {
            if swap && carried(name) {
                return None;
            }
            match base(instruction) {
                "setp" | "set" | "bra" => None,
                "atom" if swap && has(instruction, "cas") => None,
                "ld" | "ldu" | "st" | "atom" | "red" | "call" | "shfl" | "vote" | "match" | "redux" | "cp" => {
                    escapes = true;
                    None
                }
                _ => Some(()),
            }
        });
        escapes
    }

    /// May something be decided by what a load in that line brings, by this thread or by one that it is passed on to? What numbers of several
    /// loads come to is told only as far as it is compared here, and of reals not at all.
    pub fn decides(&self, line: u32) -> bool {
        let mut decides = false;
        self.follow(self.loaded(line), false, |instruction, name, changed| {
            let base = base(instruction);
            let passes = matches!(base, "st" | "red" | "atom" | "shfl" | "vote" | "match" | "redux" | "ld" | "ldu");
            let sums = matches!(base, "add" | "sub" | "mul" | "mad" | "fma" | "min" | "max" | "div" | "neg");
            let is_real = || REALS.iter().any(|real| has(instruction, real));
            match base {
                "st" if puts(instruction, name) && has(instruction, "global") => None,
                "setp" | "set" | "slct" | "call" | "bra" | "brx" => {
                    decides = true;
                    None
                }
                _ if passes && !changed => {
                    decides = true;
                    None
                }
                _ if sums && is_real() => None,
                _ => Some(changed || sums),
            }
        });
        decides
    }

    /// Lines of loads, and of stores that put back what these brought from the same address, changed: both with an order, so that each
    /// by itself may meet those of other threads.
    pub fn updates(&self) -> HashSet<(u32, u32)> {
        let strong = |instruction: &Instruction| {
            ["volatile", "relaxed", "acquire", "release"].iter().any(|order| has(instruction, order))
        };
        let mut lines = HashSet::new();
        for load in self.all.iter().copied().filter(|load| base(load) == "ld" && strong(load)) {
            self.follow(results(load), false, |instruction, name, changed| match base(instruction) {
                "st" => {
                    let same = instruction.operands.first() == load.operands.get(1);
                    if same && changed && strong(instruction) && puts(instruction, name) {
                        lines.insert((load.line, instruction.line));
                    }
                    None
                }
                "setp" | "ld" | "ldu" | "atom" | "red" | "call" | "bra" => None,
                other => Some(changed || !matches!(other, "mov" | "cvt")),
            });
        }
        lines
    }
}

/// Types of reals, as opcodes name them.
const REALS: [&str; 6] = ["f16", "f16x2", "bf16", "bf16x2", "f32", "f64"];

/// The opcode without its modifiers.
fn base(instruction: &Instruction) -> &str {
    instruction.opcode.split('.').next().unwrap_or_default()
}

fn has(instruction: &Instruction, modifier: &str) -> bool {
    instruction.opcode.split('.').skip(1).any(|part| part == modifier)
}

/// Registers that it writes.
fn results(instruction: &Instruction) -> std::vec::IntoIter<&str> {
    let mut names = Vec::new();
    if !matches!(base(instruction), "st" | "red" | "bra" | "call" | "bar")
        && let Some(first) = instruction.operands.first()
    {
        registers(first, &mut names);
    }
    names.into_iter()
}

/// Does it read the register?
fn takes(instruction: &Instruction, name: &str) -> bool {
    let skip = usize::from(!matches!(base(instruction), "st" | "red" | "bra" | "call" | "bar"));
    let mut names = Vec::new();
    instruction.operands.iter().skip(skip).for_each(|operand| registers(operand, &mut names));
    names.contains(&name)
}

/// Is the register what it stores?
fn puts(instruction: &Instruction, name: &str) -> bool {
    let mut names = Vec::new();
    instruction.operands.iter().skip(1).for_each(|operand| registers(operand, &mut names));
    names.contains(&name)
}

fn registers<'t>(operand: &'t Operand, out: &mut Vec<&'t str>) {
    match operand {
        Operand::Name(name, _) => out.push(name),
        Operand::Address(all) | Operand::Vector(all) | Operand::List(all) => {
            all.iter().for_each(|inner| registers(inner, out));
        }
        Operand::Pair(a, b) => {
            registers(a, out);
            registers(b, out);
        }
        Operand::Not(inner) | Operand::Negated(inner) => registers(inner, out),
        Operand::Int(_) | Operand::F32(_) | Operand::F64(_) | Operand::Sink => {}
    }
}
