//! What the race check has to know of loads, stores and atomics besides what they are: first guesses that atomics correct,
//! atomics whose result is used, and stores that put back what their thread read and changed.

use crate::isa::flow::Flow;
use crate::isa::op::{AccessOp, AtomicOp, Code, FunctionInfo, Inst, Op, Reg};
use crate::observe::{MemoryOrder, PERHAPS, TAKEN, WAITED};
use crate::ptx::ast::Function;
use std::collections::HashMap;

/// Where a function's part of the code begins: its first instruction, access and atomic.
type Begin = (u32, usize, usize);

/// Marks what the function has.
pub fn mark(code: &mut Code, function: &Function, info: &FunctionInfo, begin: Begin) {
    let (base, accesses, atomics) = begin;
    let strong = code.accesses[accesses..].iter().any(|access| access.order != MemoryOrder::Weak);
    if code.atomics.len() == atomics && !strong {
        return;
    }
    let flow = Flow::of(function);
    let updates = flow.updates();
    let mut places = Places { loads: HashMap::new(), atomics: HashMap::new(), back: Vec::new() };
    let mut stores: Vec<(usize, u32, u32)> = Vec::new();
    for (at, inst) in (base..).zip(&code.insts[base as usize..]) {
        let line = code.origins[at as usize].ptx_line;
        match inst.op {
            Op::Load(index) => drop(places.loads.insert(index as usize, (at, line))),
            Op::Store(index) => {
                let store = &mut code.accesses[index as usize];
                store.mark = store.order != MemoryOrder::Weak && updates.iter().any(|(_, store)| *store == line);
                if store.mark {
                    stores.push((index as usize, at, line));
                }
            }
            Op::Atomic(index) => {
                let atomic = &mut code.atomics[index as usize];
                atomic.answers &= flow.answers(line);
                places.atomics.insert(index as usize, at);
            }
            Op::Bra { target, .. } if target <= at => places.back.push((at, target)),
            _ => {}
        }
    }
    for (index, (at, line)) in &places.loads {
        let load = &mut code.accesses[*index];
        if load.order == MemoryOrder::Volatile && !flow.decides(*line) {
            load.group = TAKEN;
        } else if load.order != MemoryOrder::Weak && places.back.iter().any(|(from, to)| (*to..=*from).contains(at)) {
            load.group = WAITED;
        }
    }
    for (index, at, line) in stores {
        let mut loads = places.loads.values().filter(|(_, load)| updates.contains(&(*load, line)));
        if loads.all(|(load, _)| places.waits(*load, at)) {
            code.accesses[index].group = WAITED;
        }
    }
    guesses(code, &flow, info, begin, &places);
}

/// Where a function's loads, atomics and loops are, as indices of instructions; loads with their lines.
struct Places {
    loads: HashMap<usize, (u32, u32)>,
    atomics: HashMap<usize, u32>,
    /// Branches back, and where to.
    back: Vec<(u32, u32)>,
}

impl Places {
    /// Does a load stand in a loop that is left before that store?
    fn waits(&self, load: u32, store: u32) -> bool {
        self.back.iter().any(|(from, to)| (*to..=*from).contains(&load) && !(*to..=*from).contains(&store))
    }

    /// May that atomic be executed after that load?
    fn follows(&self, atomic: usize, load: u32) -> bool {
        let Some(atomic) = self.atomics.get(&atomic) else { return true };
        load < *atomic || self.back.iter().any(|(from, to)| *from > load && to <= atomic)
    }
}

/// Plain loads of an address that a correcting atomic of the same function is given later are first guesses, not races, if
/// what they bring is used to decide and for that atomic only. The text shows the same address, or the execution does.
fn guesses(code: &mut Code, flow: &Flow<'_>, info: &FunctionInfo, begin: Begin, places: &Places) {
    let (base, first_access, first_atomic) = begin;
    if !code.atomics[first_atomic..].iter().any(|atomic| atomic.corrects) {
        return;
    }
    let bases = Bases::of(info, &code.insts[base as usize..]);
    let weak = |access: &AccessOp| access.order == MemoryOrder::Weak && access.regs.len() == 1 && !access.frame;
    for index in first_access..code.accesses.len() {
        let load = &code.accesses[index];
        let Some(&(at, line)) = places.loads.get(&index).filter(|_| weak(load) && !load.mark) else { continue };
        let place = bases.place(load.base, load.offset);
        let alike = |&number: &usize| {
            let atomic = &code.atomics[number];
            let alike = (atomic.space, atomic.size) == (load.space, load.size);
            atomic.corrects && alike && places.follows(number, at)
        };
        let alike: Vec<usize> = (first_atomic..code.atomics.len()).filter(alike).collect();
        let same = |&number: &usize| {
            let atomic = &code.atomics[number];
            bases.place(atomic.base, atomic.offset) == place
        };
        let found: Vec<usize> = alike.iter().copied().filter(same).collect();
        let candidates = if found.is_empty() { &alike } else { &found };
        let swap = candidates.iter().any(|&number| code.atomics[number].c != Reg::None);
        if candidates.is_empty() || flow.escapes(line, swap) {
            continue;
        }
        if found.is_empty() {
            // Whether one of them is given the same address will be seen when they are executed.
            code.accesses[index].group = PERHAPS;
            code.accesses[index].order = MemoryOrder::Checked;
            for number in alike {
                let known = &mut code.atomics[number].group;
                *known = if *known == 0 { number as u32 + 1 } else { *known };
            }
            continue;
        }
        // Loads that share an atomic share a group.
        let group = found[0] as u32 + 1;
        let old: Vec<u32> = found.iter().map(|&number| code.atomics[number].group).filter(|&old| old != 0).collect();
        code.accesses[index].group = group;
        code.accesses[index].order = MemoryOrder::Checked;
        let renamed = |known: &mut u32| {
            if old.contains(known) {
                *known = group;
            }
        };
        found.iter().for_each(|&number| code.atomics[number].group = group);
        code.accesses[first_access..].iter_mut().for_each(|access| renamed(&mut access.group));
        code.atomics[first_atomic..].iter_mut().for_each(|atomic: &mut AtomicOp| renamed(&mut atomic.group));
    }
}

/// Registers that hold constants: an address may be in one or not.
struct Bases {
    known: HashMap<Reg, i64>,
}

impl Bases {
    fn of(info: &FunctionInfo, insts: &[Inst]) -> Self {
        let mut known: HashMap<Reg, i64> = HashMap::new();
        known.extend(info.constants32.iter().map(|&(at, value)| (Reg::R32(at), i64::from(value))));
        known.extend(info.constants64.iter().map(|&(at, value)| (Reg::R64(at), value as i64)));
        let moved: Vec<(Reg, i64)> = insts
            .iter()
            .filter_map(|inst| match inst.op {
                Op::Mov32 { d, a } => Some((Reg::R32(d), *known.get(&Reg::R32(a))?)),
                Op::Mov64 { d, a } => Some((Reg::R64(d), *known.get(&Reg::R64(a))?)),
                _ => None,
            })
            .collect();
        for (to, value) in moved {
            known.entry(to).or_insert(value);
        }
        Self { known }
    }

    fn place(&self, base: Reg, offset: i64) -> (Reg, i64) {
        self.known.get(&base).map_or((base, offset), |value| (Reg::None, offset.wrapping_add(*value)))
    }
}
