//! Compare-and-swaps and exchanges by whose results a loop may wait for other threads, as one that takes a lock does.
//!
//! A round of a loop that updates a word (`assumed = old; old = atomicCAS(p, assumed, f(assumed))` until `old == assumed`) fails only because
//! another thread's has succeeded, so that somebody gets on whatever happens. It is told by two things: where the swap has failed the
//! next one expects what is there now, and whoever succeeds is free to go. Its way back is left out; what then is still in a loop with a
//! condition that hangs on the result may wait.

mod attempts;

use crate::isa::op::{AtomicOp, Callee, Code, NO_GUARD, NOWHERE, Op, Reg, guard};
use attempts::Attempts;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// What is not known of a swap where only some blocks of a launch run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsure {
    /// How often loops go round that wait by its result.
    Waits,
    /// Whether it finds what it expects: it is no attempt that is made again until it does.
    Finds,
}

/// The operations by whose results loops may wait, those of functions that others call among them, and the compare-and-swaps that are tried
/// once.
pub fn unsure(code: &Code) -> BTreeMap<u32, Unsure> {
    let mut all = BTreeMap::new();
    for info in &code.functions {
        let range = info.start as usize..(info.start + info.len) as usize;
        for at in range.clone().filter(|&at| swaps(code, at)) {
            let unsure = match info.entry {
                true => Around { code, range: range.clone() }.unsure(at),
                false => Some(Unsure::Waits),
            };
            // An instruction is told by its first operation.
            let first = (range.start..=at).rev().find(|&one| code.insts[one].counted > 0);
            all.extend(first.zip(unsure).map(|(first, unsure)| (first as u32, unsure)));
        }
    }
    all
}

/// Is it a compare-and-swap or an exchange?
fn swaps(code: &Code, at: usize) -> bool {
    compares(code, at) || matches!(code.insts[at].op, Op::Atomic(_)) && has(code, at, "exch")
}

/// Is it a compare-and-swap?
fn compares(code: &Code, at: usize) -> bool {
    matches!(code.insts[at].op, Op::Atomic(_)) && has(code, at, "cas")
}

fn has(code: &Code, at: usize, modifier: &str) -> bool {
    code.opcode_of(at as u32).split('.').any(|part| part == modifier)
}

/// An edge of the control flow.
type Edge = (usize, usize);

/// A function's control flow.
struct Around<'c> {
    code: &'c Code,
    range: Range<usize>,
}

impl Around<'_> {
    /// The atomic that an operation is.
    fn atomic(&self, at: usize) -> Option<&AtomicOp> {
        match self.code.insts[at].op {
            Op::Atomic(index) => Some(&self.code.atomics[index as usize]),
            _ => None,
        }
    }

    /// Where a thread may be after an operation, within the function.
    fn next(&self, at: usize) -> Vec<usize> {
        let inst = &self.code.insts[at];
        let falls = inst.guard != NO_GUARD;
        let mut next = match inst.op {
            Op::Bra { target, .. } => vec![target as usize],
            Op::BrIndexed(index) => {
                self.code.indexed[index as usize].targets.iter().map(|target| *target as usize).collect()
            }
            Op::Ret | Op::Exit | Op::Trap | Op::Returned | Op::Unsupported(_) => Vec::new(),
            _ => vec![at + 1],
        };
        if falls && !next.contains(&(at + 1)) {
            next.push(at + 1);
        }
        next.retain(|to| self.range.contains(to));
        next
    }

    /// The same without some edges.
    fn ways(&self, at: usize, left_out: &HashSet<Edge>) -> Vec<usize> {
        let mut next = self.next(at);
        next.retain(|to| !left_out.contains(&(at, *to)));
        next
    }

    /// Operations that are reached from some without going on from those where `stops` says so.
    fn reached(&self, from: &[usize], stops: impl Fn(usize) -> bool, left_out: &HashSet<Edge>) -> HashSet<usize> {
        let mut seen: HashSet<usize> = from.iter().copied().collect();
        let mut work = from.to_vec();
        while let Some(at) = work.pop() {
            if !stops(at) {
                work.extend(self.ways(at, left_out).into_iter().filter(|to| seen.insert(*to)));
            }
        }
        seen
    }

    /// The operations of the loops around one.
    fn rounds(&self, at: usize, left_out: &HashSet<Edge>) -> HashSet<usize> {
        let behind = self.reached(&self.ways(at, left_out), |_| false, left_out);
        if !behind.contains(&at) {
            return HashSet::new();
        }
        // Those of them from where it is reached.
        let mut found: HashSet<usize> = HashSet::from([at]);
        loop {
            let before = found.len();
            for &one in &behind {
                if self.ways(one, left_out).iter().any(|to| found.contains(to)) {
                    found.insert(one);
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    /// What is not known of the swap there.
    fn unsure(&self, at: usize) -> Option<Unsure> {
        let whole = self.rounds(at, &HashSet::new());
        let again = Attempts { around: self, swap: at, whole: &whole }.again();
        let rounds = self.rounds(at, &again);
        let hang = self.hanging(at, &whole);
        let waits = rounds.iter().any(|&one| self.decides(one, &hang) && self.leaves(one, &rounds, &again));
        let once = compares(self.code, at) && again.is_empty();
        waits.then_some(Unsure::Waits).or(once.then_some(Unsure::Finds))
    }

    /// Does a condition that hangs on these registers tell where to go from there?
    fn decides(&self, at: usize, hang: &HashSet<Reg>) -> bool {
        let inst = &self.code.insts[at];
        let ends = matches!(inst.op, Op::Bra { .. } | Op::Ret | Op::Exit | Op::Trap);
        let indexed =
            matches!(inst.op, Op::BrIndexed(index) if hang.contains(&self.code.indexed[index as usize].index));
        indexed || ends && inst.guard != NO_GUARD && hang.contains(&guard(inst.guard))
    }

    /// Does a way from there leave some rounds before its ways meet again?
    fn leaves(&self, at: usize, rounds: &HashSet<usize>, left_out: &HashSet<Edge>) -> bool {
        if !matches!(self.code.insts[at].op, Op::Bra { .. } | Op::BrIndexed(_)) {
            return true;
        }
        let next = self.ways(at, left_out);
        let join = self.join(at);
        let decided = self.reached(&next, |one| Some(one) == join || !rounds.contains(&one), left_out);
        // It decides nothing where all of its other ways are those of another attempt.
        next.len() > 1 && decided.iter().any(|one| !rounds.contains(one))
    }

    /// Where a branch's ways meet.
    fn join(&self, at: usize) -> Option<usize> {
        let join = match self.code.insts[at].op {
            Op::Bra { join, .. } => join,
            Op::BrIndexed(index) => self.code.indexed[index as usize].join,
            _ => NOWHERE,
        };
        (join != NOWHERE).then_some(join as usize)
    }

    /// Registers that hang on what the atomic there brings, in some rounds around it; on what it expects; and on what others read of its word.
    fn hanging(&self, swap: usize, whole: &HashSet<usize>) -> HashSet<Reg> {
        let mut hang: HashSet<Reg> = self.code.results(swap as u32).into_iter().collect();
        if let Some(atomic) = self.atomic(swap).filter(|_| compares(self.code, swap)) {
            hang.extend(atomic.b.iter().copied());
        }
        let mut stored = false;
        let mut decided: HashSet<usize> = HashSet::new();
        loop {
            let before = (hang.len(), stored, decided.len());
            for &at in whole {
                let inst = &self.code.insts[at];
                let by_guard = inst.guard != NO_GUARD && hang.contains(&guard(inst.guard));
                let from = self.code.sources(at as u32).iter().any(|reg| hang.contains(reg));
                let chosen = from || by_guard || decided.contains(&at);
                let comes = match inst.op {
                    Op::Load(_) | Op::Atomic(_) => stored || self.reads_word(at, swap),
                    Op::Call(index) => !matches!(self.code.calls[index as usize].callee, Callee::Printf),
                    _ => false,
                };
                if chosen || comes {
                    hang.extend(self.code.results(at as u32));
                }
                stored |= chosen && at != swap && matches!(inst.op, Op::Store(_) | Op::Atomic(_));
                if self.decides(at, &hang) {
                    let join = self.join(at);
                    let ways =
                        self.reached(&self.next(at), |one| Some(one) == join || !whole.contains(&one), &HashSet::new());
                    decided.extend(ways.into_iter().filter(|one| Some(*one) != join));
                }
            }
            if before == (hang.len(), stored, decided.len()) {
                return hang;
            }
        }
    }

    /// Does an operation read the word of the atomic there, by the same address?
    fn reads_word(&self, at: usize, swap: usize) -> bool {
        let Some(swap) = self.atomic(swap) else { return false };
        match self.code.insts[at].op {
            Op::Load(index) => {
                let load = &self.code.accesses[index as usize];
                (load.base, load.offset) == (swap.base, swap.offset)
            }
            Op::Atomic(index) => {
                let other = &self.code.atomics[index as usize];
                (other.base, other.offset) == (swap.base, swap.offset)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
