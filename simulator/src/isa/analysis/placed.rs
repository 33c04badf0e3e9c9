//! The part of a kernel that computes with parameters and with where a thread is, and whose results differ between blocks.

use super::turns::Turn;
use crate::isa::op::{Code, FunctionInfo, NO_GUARD, Op, Reg, Special, guard};
use std::collections::HashSet;

/// Operations of a kernel, in the order of its text.
#[derive(Debug, Default)]
pub struct Slice {
    /// What has to be computed: index of the operation, and whether anything is asked of its result.
    pub steps: Vec<(u32, bool)>,
}

/// What a kernel's conditions and arithmetic hang on that hang on no data but on the block. Loops are gone through once: what is written
/// in several places holds what was written last in the text.
pub fn slice(code: &Code, info: &FunctionInfo, turns: &[Turn]) -> Slice {
    let range = info.start as usize..(info.start + info.len) as usize;
    let known = |at: &usize| turns[*at].by_size;
    let results = |at: usize| code.results(at as u32);
    let sources = |at: usize| {
        let mut found = code.sources(at as u32);
        if code.insts[at].guard != NO_GUARD {
            found.push(guard(code.insts[at].guard));
        }
        found
    };
    let by_block = |op: &Op| {
        matches!(op, Op::Special32 { which: Special::Ctaid(_), .. } | Op::Special64 { which: Special::Ctaid(_), .. })
    };
    // Forwards: what differs between blocks.
    let mut differs: HashSet<Reg> = HashSet::new();
    loop {
        let before = differs.len();
        for at in range.clone().filter(known) {
            if by_block(&code.insts[at].op) || sources(at).iter().any(|reg| differs.contains(reg)) {
                differs.extend(results(at));
            }
        }
        if differs.len() == before {
            break;
        }
    }
    // Backwards: what those hang on of which anything is asked.
    let asked = |at: usize| turns[at].is_asked() && sources(at).iter().any(|reg| differs.contains(reg));
    let mut needed: HashSet<Reg> = HashSet::new();
    let mut steps: HashSet<usize> = range.clone().filter(known).filter(|at| asked(*at)).collect();
    loop {
        let before = (steps.len(), needed.len());
        needed.extend(steps.iter().flat_map(|at| sources(*at)));
        let feeds = |at: &usize| results(*at).iter().any(|reg| needed.contains(reg));
        steps.extend(range.clone().filter(known).filter(feeds));
        if (steps.len(), needed.len()) == before {
            break;
        }
    }
    let mut steps: Vec<usize> = steps.into_iter().collect();
    steps.sort_unstable();
    Slice { steps: steps.into_iter().map(|at| (at as u32, asked(at))).collect() }
}
