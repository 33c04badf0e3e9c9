//! Which registers are read later: at the beginning of a function those that have no value yet, at the beginning of a
//! block of code those that are worth remembering anything about.

use crate::isa::op::{CallValue, Code, FunctionInfo, Inst, NO_GUARD, NOWHERE, Op, Reg, RegisterUse, guard};
use std::collections::HashMap;

/// Words of all sets together that are worth computing (64 MiB); beyond it every register counts as live in the middle
/// of a function, and as assigned at its beginning.
const MOST: usize = 1 << 23;

/// A set of a function's registers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Registers {
    words: Vec<u64>,
    base64: usize,
    base_p: usize,
    end: usize,
}

impl Registers {
    pub(super) fn new(info: &FunctionInfo) -> Self {
        let base64 = info.registers32 as usize;
        let base_p = base64 + info.registers64 as usize;
        let end = base_p + info.predicates as usize;
        Self { words: vec![0; end.div_ceil(64)], base64, base_p, end }
    }

    fn index(&self, reg: Reg) -> Option<usize> {
        let (at, end) = match reg {
            Reg::R32(r) => (usize::from(r), self.base64),
            Reg::R64(r) => (self.base64 + usize::from(r), self.base_p),
            Reg::P(r) => (self.base_p + usize::from(r), self.end),
            Reg::None => return None,
        };
        (at < end).then_some(at)
    }

    /// Is it one of them?
    pub fn contains(&self, reg: Reg) -> bool {
        self.index(reg).is_some_and(|at| self.words[at / 64] >> (at % 64) & 1 != 0)
    }

    /// Adds one; was it not there?
    pub(super) fn insert(&mut self, reg: Reg) -> bool {
        let Some(at) = self.index(reg) else { return false };
        let (word, bit) = (&mut self.words[at / 64], 1 << (at % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    fn remove(&mut self, reg: Reg) {
        if let Some(at) = self.index(reg) {
            self.words[at / 64] &= !(1 << (at % 64));
        }
    }

    fn all(&self) -> impl Iterator<Item = Reg> {
        let registers =
            self.words.iter().enumerate().flat_map(|(word, bits)| {
                (0..64).filter(move |bit| bits >> bit & 1 != 0).map(move |bit| word * 64 + bit)
            });
        registers.map(|at| {
            if at >= self.base_p {
                Reg::P((at - self.base_p) as u16)
            } else if at >= self.base64 {
                Reg::R64((at - self.base64) as u16)
            } else {
                Reg::R32(at as u16)
            }
        })
    }
}

/// The registers that are read later, at the beginning of each block of a function.
#[derive(Debug, Default)]
pub struct Liveness {
    at: HashMap<u32, Registers>,
}

impl Liveness {
    /// Those at a place; nothing if no block begins there.
    pub fn at(&self, pc: u32) -> Option<&Registers> {
        self.at.get(&pc)
    }

    /// Of a function.
    pub fn of(code: &Code, info: &FunctionInfo) -> Self {
        let Some(blocks) = blocks(code, info) else { return Self::default() };
        let starts: Vec<u32> = blocks.iter().map(|block| block.start).collect();
        let number = |pc: u32| starts.binary_search(&pc).ok();
        let mut live: Vec<Registers> = vec![Registers::new(info); blocks.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (at, block) in blocks.iter().enumerate().rev() {
                let mut set = Registers::new(info);
                for to in block.next.iter().filter_map(|pc| number(*pc)) {
                    for (word, more) in set.words.iter_mut().zip(&live[to].words) {
                        *word |= more;
                    }
                }
                for (word, gone) in set.words.iter_mut().zip(&block.written.words) {
                    *word &= !gone;
                }
                for (word, more) in set.words.iter_mut().zip(&block.read.words) {
                    *word |= more;
                }
                if set != live[at] {
                    live[at] = set;
                    changed = true;
                }
            }
        }
        Self { at: starts.into_iter().zip(live).collect() }
    }
}

/// The registers that a function may read before it writes them, without its parameters and constants.
pub fn unassigned(code: &Code, info: &FunctionInfo) -> Vec<Reg> {
    let liveness = Liveness::of(code, info);
    let Some(first) = liveness.at(info.start) else { return Vec::new() };
    let mut set = first.clone();
    info.constants32.iter().for_each(|(r, _)| set.remove(Reg::R32(*r)));
    info.constants64.iter().for_each(|(r, _)| set.remove(Reg::R64(*r)));
    for value in &info.params {
        if let CallValue::Register(reg) = value {
            set.remove(*reg);
        }
    }
    set.all().collect()
}

struct Block {
    start: u32,
    /// Where it goes on.
    next: Vec<u32>,
    /// Read before it is written here.
    read: Registers,
    /// Written for certain.
    written: Registers,
}

/// The function's blocks in order; nothing if they are too many.
fn blocks(code: &Code, info: &FunctionInfo) -> Option<Vec<Block>> {
    let (start, end) = (info.start, info.start + info.len);
    let insts = &code.insts[start as usize..end as usize];
    let mut leads = vec![false; insts.len() + 1];
    leads[0] = true;
    for (at, inst) in insts.iter().enumerate() {
        if let Some(targets) = jumps(code, inst) {
            leads[at + 1] = true;
            for target in targets.into_iter().filter(|target| (start..end).contains(target)) {
                leads[(target - start) as usize] = true;
            }
        }
    }
    let count = leads.iter().filter(|leads| **leads).count();
    if count * Registers::new(info).words.len() > MOST {
        return None;
    }
    let mut blocks: Vec<Block> = Vec::new();
    // What the operations of this instruction have written, if its guard held.
    let mut own: Vec<Reg> = Vec::new();
    for (at, inst) in insts.iter().enumerate() {
        let pc = start + at as u32;
        if leads[at] {
            let (read, written) = (Registers::new(info), Registers::new(info));
            blocks.push(Block { start: pc, next: Vec::new(), read, written });
        }
        let Some(block) = blocks.last_mut() else { continue };
        if inst.counted != 0 {
            own.clear();
        }
        let read = |block: &mut Block, reg: Reg| {
            if !block.written.contains(reg) && !own.contains(&reg) {
                block.read.insert(reg);
            }
        };
        read(block, guard(inst.guard));
        inst.op.registers(code, &mut |reg, role| {
            if role != RegisterUse::Result {
                read(block, reg);
            }
        });
        if matches!(inst.op, Op::Ret) {
            for value in &info.returns {
                if let CallValue::Register(reg) = value {
                    read(block, *reg);
                }
            }
        }
        inst.op.registers(code, &mut |reg, role| {
            if role == RegisterUse::Result {
                own.push(reg);
                if inst.guard == NO_GUARD {
                    block.written.insert(reg);
                }
            }
        });
        match jumps(code, inst) {
            Some(targets) => {
                block.next = targets;
                if inst.guard != NO_GUARD {
                    block.next.push(pc + 1);
                }
            }
            None if leads[at + 1] => block.next = vec![pc + 1],
            None => {}
        }
    }
    Some(blocks)
}

/// Where an operation may go besides the next one, or instead of it; nothing if it always goes on.
fn jumps(code: &Code, inst: &Inst) -> Option<Vec<u32>> {
    match inst.op {
        Op::Bra { target, .. } => Some(vec![target].into_iter().filter(|&target| target != NOWHERE).collect()),
        Op::BrIndexed(index) => Some(code.indexed[index as usize].targets.clone()),
        Op::Ret | Op::Exit | Op::Trap | Op::Returned | Op::Unsupported(_) => Some(Vec::new()),
        _ => None,
    }
}
