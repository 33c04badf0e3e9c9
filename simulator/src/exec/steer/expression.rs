//! What a condition is computed from, as far as a function's text tells: operations that need nothing but registers, back to loads.

use crate::isa::op::{AddressSpace, Code, CollectiveFn, FunctionInfo, NO_GUARD, Op, Reg, Special};
use crate::isa::turns::Turn;
use crate::opcodes::Effect;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Operations that are followed back, at most.
const MOST: usize = 96;
/// Places in which a register is written, at most.
const PLACES: usize = 4;

/// Where registers of a function are written.
pub type Writers = HashMap<Reg, Vec<u32>>;

/// Who writes what in the function that an operation belongs to, of what is known of some functions.
pub fn writers_around<'a>(known: &'a mut HashMap<u32, Writers>, code: &Code, at: u32) -> &'a Writers {
    let function = code.origins[at as usize].function;
    known.entry(function).or_insert_with(|| writers(code, &code.functions[function as usize]))
}

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
    /// The operation that makes it, or passes it on.
    pub root: u32,
    /// The register that holds it.
    pub result: Reg,
    /// Operations whose results hang on the leaves, in the order of the text; the last makes it.
    pub steps: Vec<u32>,
    /// What it begins with.
    pub leaves: Vec<Leaf>,
    /// Registers of which it hangs on where a thread is.
    pub places: Vec<Reg>,
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
    /// A parameter's, or how many blocks there are.
    Parameter(u32),
    /// What was passed on, through shared memory or another lane: where it comes from its value tells.
    Passed(Reg),
    /// What was put together of all lanes: whatever its value, each of them has a say.
    Gathered(Reg),
}

impl Expression {
    /// Of the predicate that an operation makes; nothing where no input has a say, or too much does. `sizes`: what hangs on parameters is
    /// asked, and not what hangs on data. `several`: registers that are written in several places are followed back, too; whether what is
    /// computed then is what was computed has to be seen.
    pub fn of(
        code: &Code,
        turns: &[Turn],
        writers: &Writers,
        root: u32,
        (sizes, several): (bool, bool),
    ) -> Option<Self> {
        let result = code.results(root).first().copied().unwrap_or(Reg::None);
        let found = Self::back(code, turns, writers, (root, result), (sizes, several))?;
        (found.steps.last() == Some(&root)).then_some(found)
    }

    /// Of a register that an operation hands to the other lanes.
    pub fn given(
        code: &Code,
        turns: &[Turn],
        writers: &Writers,
        (root, result): (u32, Reg),
        several: bool,
    ) -> Option<Self> {
        let found = Self::back(code, turns, writers, (root, result), (false, several))?;
        (!found.leaves.is_empty()).then_some(found)
    }

    /// From what an operation makes, or else from what it passes on, back to the leaves.
    fn back(
        code: &Code,
        turns: &[Turn],
        writers: &Writers,
        (root, result): (u32, Reg),
        (sizes, several): (bool, bool),
    ) -> Option<Self> {
        let mut found = Self { root, result, steps: Vec::new(), leaves: Vec::new(), places: Vec::new() };
        let passes = !code.results(root).contains(&result);
        let mut seen = BTreeSet::new();
        let mut open = vec![root];
        while let Some(at) = open.pop() {
            if !seen.insert(at) {
                continue;
            }
            if seen.len() > MOST {
                return None;
            }
            let read = if passes && at == root { vec![result] } else { code.sources(at) };
            for reg in read {
                let Some(written) = writers.get(&reg) else { continue };
                let known = |at: &u32| turns[*at as usize].by_size;
                if written.iter().all(known) != sizes {
                    if !sizes && !found.places.contains(&reg) && is_place(code, writers, reg) {
                        found.places.push(reg);
                    }
                    continue;
                }
                let before = |at: &u32| *at < root && is_plain(code, *at, true);
                match written[..] {
                    [one] if is_number_of_launch(&code.insts[one as usize].op) => found.add(Leaf::Parameter(one)),
                    [one] if is_plain(code, one, several) => open.push(one),
                    [_, _, ..] if several && written.len() <= PLACES && written.iter().all(before) => {
                        open.extend(written)
                    }
                    [one] if let Some(leaf) = loaded(code, one, reg) => found.add(leaf),
                    [one] if matches!(reg, Reg::R32(_)) && is_gathering(code, one) && !sizes => {
                        found.add(Leaf::Gathered(reg))
                    }
                    _ if matches!(reg, Reg::R32(_)) && !sizes => {
                        // A load is one of several who write it, perhaps: that its value is there tells.
                        let loads = written.iter().take(PLACES).filter_map(|at| loaded(code, *at, reg));
                        loads.chain([Leaf::Passed(reg)]).for_each(|leaf| found.add(leaf));
                    }
                    _ => {}
                }
            }
        }
        let mut hangs: HashSet<Reg> = found.leaves.iter().map(|leaf| leaf.register(code)).collect();
        // In the order of the text a register is written before it is read.
        for at in seen.into_iter().filter(|at| !passes || *at != root) {
            if code.sources(at).iter().any(|reg| hangs.contains(reg)) {
                hangs.extend(code.results(at));
                found.steps.push(at);
            }
        }
        Some(found)
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
            Self::Passed(reg) | Self::Gathered(reg) => reg,
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

/// Does what a register holds hang on where a thread is, as far as so many operations tell?
fn is_place(code: &Code, writers: &Writers, reg: Reg) -> bool {
    let (mut seen, mut open) = (HashSet::from([reg]), vec![reg]);
    while let Some(reg) = open.pop().filter(|_| seen.len() <= MOST) {
        for &at in writers.get(&reg).into_iter().flatten() {
            if let Op::Special32 { which, .. } | Op::Special64 { which, .. } = code.insts[at as usize].op
                && matches!(which, Special::Tid(_) | Special::Ctaid(_) | Special::Laneid)
            {
                return true;
            }
            open.extend(code.sources(at).into_iter().filter(|reg| seen.insert(*reg)));
        }
    }
    false
}

/// Does its result hang on registers alone, whenever it runs?
fn is_plain(code: &Code, at: u32, guarded: bool) -> bool {
    let inst = &code.insts[at as usize];
    (guarded || inst.guard == NO_GUARD)
        && inst.op.effect(code) == Effect::Pure
        && !code.sources(at).is_empty()
        && !is_exchange(&inst.op)
}

/// Is what it makes put together of what all lanes hand in: a vote, or a number of all of them?
pub fn is_gathering(code: &Code, at: u32) -> bool {
    let Op::Collective(index) = code.insts[at as usize].op else { return false };
    matches!(
        code.collectives[index as usize].f,
        CollectiveFn::Vote(_) | CollectiveFn::Redux(_) | CollectiveFn::MatchAny | CollectiveFn::MatchAll
    )
}

/// Is it the same in all threads, and another at another size, perhaps?
fn is_number_of_launch(op: &Op) -> bool {
    matches!(op, Op::Param32 { .. } | Op::Param64 { .. } | Op::Special32 { which: Special::Nctaid(0..3), .. })
}

/// Does another lane have a say?
fn is_exchange(op: &Op) -> bool {
    matches!(op, Op::Collective(_) | Op::Matrix(_) | Op::ActiveMask { .. } | Op::Call(_))
}
