//! The ways back of a loop that tries a compare-and-swap again because another thread's has succeeded.

use super::{Around, Edge, compares};
use crate::isa::op::{AtomicOp, Cmp, NO_GUARD, Op, Reg, guard};
use std::collections::{HashMap, HashSet};

/// What is known of a register after the swap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// It holds what the swap brought, or what a later read of the same word did.
    Old,
    /// It holds what the swap expected.
    Expected,
    /// The address: as it was.
    Address,
    /// A condition: where it holds, and where it does not, has the swap failed for sure?
    Failed { holds: bool, not: bool },
}

type State = HashMap<Reg, Known>;

/// Of a swap, and the rounds of all loops around it.
pub(super) struct Attempts<'a> {
    pub around: &'a Around<'a>,
    pub swap: usize,
    pub whole: &'a HashSet<usize>,
}

impl Attempts<'_> {
    /// The edges on which a swap has failed and behind which nothing comes but another attempt that expects what is there now.
    pub fn again(&self) -> HashSet<Edge> {
        let none = HashSet::new();
        let code = self.around.code;
        let Some(atomic) = self.around.atomic(self.swap) else { return none };
        let (&[old], &[expected]) = (atomic.d.as_slice(), atomic.b.as_slice()) else { return none };
        if !compares(code, self.swap) || code.insts[self.swap].guard != NO_GUARD || old == expected {
            return none;
        }
        let states = self.states(atomic, old, expected);
        let retries = states.get(&(self.swap, true)).is_some_and(|state| {
            state.get(&expected) == Some(&Known::Old)
                && (atomic.base == Reg::None || state.get(&atomic.base) == Some(&Known::Address))
        });
        if !retries {
            return none;
        }
        let mut again = HashSet::new();
        for (&(at, failed), state) in &states {
            let fails = |to: &usize| !failed && self.fails(at, *to, state) && self.only_tries(*to);
            again.extend(self.around.next(at).into_iter().filter(fails).map(|to| (at, to)));
        }
        again
    }

    /// Does a way lead to the next attempt without a loop of its own, which may wait before it tries?
    fn only_tries(&self, from: usize) -> bool {
        let none = HashSet::new();
        let stops = |at: usize| at == self.swap || !self.whole.contains(&at);
        let between = self.around.reached(&[from], stops, &none);
        let turns = |&at: &usize| {
            let after = self.around.next(at);
            !stops(at) && self.around.reached(&after, stops, &none).contains(&at)
        };
        between.contains(&self.swap) && !between.iter().any(turns)
    }

    /// Has the swap failed for sure where a branch goes there?
    fn fails(&self, at: usize, to: usize, state: &State) -> bool {
        let inst = &self.around.code.insts[at];
        let Op::Bra { target, .. } = inst.op else { return false };
        if inst.guard == NO_GUARD || target as usize == at + 1 {
            return false;
        }
        let Some(Known::Failed { holds, not }) = state.get(&guard(inst.guard)) else { return false };
        let taken = to == target as usize;
        let negated = inst.guard & 1 != 0;
        if taken != negated { *holds } else { *not }
    }

    /// What is known before each operation on the ways from one swap to the next, apart where it is known that the swap has failed.
    fn states(&self, atomic: &AtomicOp, old: Reg, expected: Reg) -> HashMap<(usize, bool), State> {
        let start: State = [(atomic.base, Known::Address), (expected, Known::Expected), (old, Known::Old)].into();
        let mut states: HashMap<(usize, bool), State> = HashMap::new();
        let mut work: Vec<(usize, bool, State)> =
            self.around.next(self.swap).into_iter().map(|to| (to, false, start.clone())).collect();
        while let Some((at, failed, new)) = work.pop() {
            if !self.whole.contains(&at) {
                continue;
            }
            let state = match states.get(&(at, failed)) {
                Some(before) => {
                    let met = meet(before, &new);
                    if met == *before {
                        continue;
                    }
                    met
                }
                None => new,
            };
            states.insert((at, failed), state.clone());
            if at == self.swap {
                continue;
            }
            let after = self.after(at, atomic, &state);
            work.extend(self.around.next(at).into_iter().map(|to| {
                let failed = failed || self.fails(at, to, &state);
                (to, failed, after.clone())
            }));
        }
        states
    }

    /// What is known after an operation.
    fn after(&self, at: usize, atomic: &AtomicOp, before: &State) -> State {
        let code = self.around.code;
        let inst = &code.insts[at];
        let results = code.results(at as u32);
        let known = match results.as_slice() {
            [_] if inst.guard == NO_GUARD => self.result(at, atomic, before),
            _ => None,
        };
        let mut state = before.clone();
        for result in &results {
            state.remove(result);
        }
        if let (Some(known), [result]) = (known, results.as_slice()) {
            state.insert(*result, known);
        }
        state
    }

    /// What is known of an operation's result.
    fn result(&self, at: usize, atomic: &AtomicOp, state: &State) -> Option<Known> {
        let code = self.around.code;
        let of = |reg: Reg| state.get(&reg).copied();
        let failed = |reg: Reg| match of(reg) {
            Some(Known::Failed { holds, not }) => (holds, not),
            _ => (false, false),
        };
        let equality = |cmp: Cmp, a: Reg, b: Reg| {
            let both = matches!(
                (of(a), of(b)),
                (Some(Known::Old), Some(Known::Expected)) | (Some(Known::Expected), Some(Known::Old))
            );
            match cmp {
                Cmp::Ne if both => Some(Known::Failed { holds: true, not: false }),
                Cmp::Eq if both => Some(Known::Failed { holds: false, not: true }),
                _ => None,
            }
        };
        match code.insts[at].op {
            Op::Mov32 { a, .. } => of(Reg::R32(a)),
            Op::Mov64 { a, .. } => of(Reg::R64(a)),
            Op::MovP { a, .. } => of(Reg::P(a)),
            Op::NotP { a, .. } => {
                let (holds, not) = failed(Reg::P(a));
                Some(Known::Failed { holds: not, not: holds })
            }
            Op::AndP { a, b, .. } => {
                let (a, b) = (failed(Reg::P(a)), failed(Reg::P(b)));
                Some(Known::Failed { holds: a.0 || b.0, not: a.1 && b.1 })
            }
            Op::OrP { a, b, .. } => {
                let (a, b) = (failed(Reg::P(a)), failed(Reg::P(b)));
                Some(Known::Failed { holds: a.0 && b.0, not: a.1 || b.1 })
            }
            Op::SetS32 { a, b, cmp, .. } | Op::SetU32 { a, b, cmp, .. } => equality(cmp, Reg::R32(a), Reg::R32(b)),
            Op::SetS64 { a, b, cmp, .. } | Op::SetU64 { a, b, cmp, .. } => equality(cmp, Reg::R64(a), Reg::R64(b)),
            Op::Map(index) => {
                // 16 bits.
                let map = &code.maps[index as usize];
                match (code.opcode_of(at as u32), map.sources[..].get(..2)) {
                    ("setp.ne.s16" | "setp.ne.u16" | "setp.ne.b16", Some(&[a, b])) => equality(Cmp::Ne, a, b),
                    ("setp.eq.s16" | "setp.eq.u16" | "setp.eq.b16", Some(&[a, b])) => equality(Cmp::Eq, a, b),
                    _ => None,
                }
            }
            Op::Load(_) | Op::Atomic(_) => {
                let there = atomic.base == Reg::None || of(atomic.base) == Some(Known::Address);
                (there && self.around.reads_word(at, self.swap)).then_some(Known::Old)
            }
            _ => None,
        }
    }
}

/// What is known on two ways.
fn meet(a: &State, b: &State) -> State {
    let both = |(reg, known): (&Reg, &Known)| {
        let known = match (*known, *b.get(reg)?) {
            (Known::Failed { holds, not }, Known::Failed { holds: also, not: neither }) => {
                Known::Failed { holds: holds && also, not: not && neither }
            }
            (one, other) if one == other => one,
            _ => return None,
        };
        Some((*reg, known))
    };
    a.iter().filter_map(both).collect()
}
