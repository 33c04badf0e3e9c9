//! What a condition is computed from, as far as a function's text tells: operations that need nothing but registers, back to loads.

use crate::isa::op::{AddressSpace, Code, FunctionInfo, NO_GUARD, Op, Reg};
use crate::isa::turns::Turn;
use crate::opcodes::Effect;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Operations that are followed back, at most.
const MOST: usize = 96;

/// Where registers of a function are written.
pub type Writers = HashMap<Reg, Vec<u32>>;

/// Who writes what.
pub fn writers(code: &Code, info: &FunctionInfo) -> Writers {
    let mut writers = Writers::new();
    for at in info.start..info.start + info.len {
        code.results(at).into_iter().for_each(|reg| writers.entry(reg).or_default().push(at));
    }
    writers
}

/// A condition.
#[derive(Debug)]
pub struct Expression {
    /// The operation that makes it.
    pub root: u32,
    /// Operations whose results hang on the leaves, in the order of the text, the root last.
    pub steps: Vec<u32>,
    /// What it begins with.
    pub leaves: Vec<Leaf>,
}

/// A register that may hold an element of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaf {
    /// A load's.
    Loaded {
        /// The load.
        at: u32,
        /// Which of its elements.
        part: u32,
    },
    /// A parameter's.
    Parameter(u32),
    /// What was passed on, through shared memory or another lane: where it comes from its value tells.
    Passed(Reg),
}

impl Expression {
    /// Of the predicate that an operation makes; nothing where no input has a say, or too much does. `sizes`: what hangs on parameters is
    /// asked, and not what hangs on data.
    pub fn of(code: &Code, turns: &[Turn], writers: &Writers, root: u32, sizes: bool) -> Option<Self> {
        let mut found = Self { root, steps: Vec::new(), leaves: Vec::new() };
        let mut seen = BTreeSet::new();
        let mut open = vec![root];
        while let Some(at) = open.pop() {
            if !seen.insert(at) {
                continue;
            }
            if seen.len() > MOST {
                return None;
            }
            for reg in code.sources(at) {
                let Some(written) = writers.get(&reg) else { continue };
                let known = |at: &u32| turns[*at as usize].by_size;
                if written.iter().all(known) != sizes {
                    continue;
                }
                match written[..] {
                    [one] if matches!(code.insts[one as usize].op, Op::Param32 { .. } | Op::Param64 { .. }) => {
                        found.add(Leaf::Parameter(one));
                    }
                    [one] if is_plain(code, one) => open.push(one),
                    [one] if let Some(leaf) = loaded(code, one, reg) => found.add(leaf),
                    _ if matches!(reg, Reg::R32(_)) && !sizes => found.add(Leaf::Passed(reg)),
                    _ => {}
                }
            }
        }
        let mut hangs: HashSet<Reg> = found.leaves.iter().map(|leaf| leaf.register(code)).collect();
        // In the order of the text a register is written before it is read.
        for at in seen {
            if code.sources(at).iter().any(|reg| hangs.contains(reg)) {
                hangs.extend(code.results(at));
                found.steps.push(at);
            }
        }
        (found.steps.last() == Some(&root)).then_some(found)
    }

    fn add(&mut self, leaf: Leaf) {
        if !self.leaves.contains(&leaf) {
            self.leaves.push(leaf);
        }
    }
}

impl Leaf {
    /// The register.
    pub fn register(&self, code: &Code) -> Reg {
        match *self {
            Self::Loaded { at, part } => match code.insts[at as usize].op {
                Op::Load(index) => code.accesses[index as usize].regs[part as usize],
                _ => Reg::None,
            },
            Self::Parameter(at) => code.results(at).first().copied().unwrap_or(Reg::None),
            Self::Passed(reg) => reg,
        }
    }
}

/// The load of global memory that writes a register.
fn loaded(code: &Code, at: u32, reg: Reg) -> Option<Leaf> {
    let Op::Load(index) = code.insts[at as usize].op else { return None };
    let access = &code.accesses[index as usize];
    let global = matches!(access.space, AddressSpace::Global | AddressSpace::Generic) && !access.frame;
    let part = access.regs.iter().position(|other| *other == reg)? as u32;
    (global && access.size <= 8).then_some(Leaf::Loaded { at, part })
}

/// Does its result hang on registers alone, whenever it runs?
fn is_plain(code: &Code, at: u32) -> bool {
    let inst = &code.insts[at as usize];
    inst.guard == NO_GUARD
        && inst.op.effect(code) == Effect::Pure
        && !code.sources(at).is_empty()
        && !is_exchange(&inst.op)
}

/// Does another lane have a say?
fn is_exchange(op: &Op) -> bool {
    matches!(op, Op::Collective(_) | Op::Matrix(_) | Op::ActiveMask { .. } | Op::Call(_))
}
