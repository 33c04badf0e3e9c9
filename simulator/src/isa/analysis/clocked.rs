//! Loops in which a clock or a timer is read: whoever goes round one does not come back to the same state.
//!
//! A program may read a clock in one place and wait in another, so the loop is asked and not the module. What a loop calls is
//! part of it. A clock whose value goes nowhere makes no loop one of these: it stands still, at 0.

use super::unused::{computes, used};
use crate::isa::op::{Callee, Code, Op, Reg, Special};
use std::ops::Range;

/// Says of the module's code whether it reads a clock, and from where a round of a loop may do so.
pub fn mark(code: &mut Code) {
    code.reads_clock = code.insts.iter().any(|inst| reads(&inst.op));
    if !code.reads_clock {
        return;
    }
    still_unused(code);
    let functions = functions_that_read(code);
    let here: Vec<bool> = code.insts.iter().map(|inst| reads(&inst.op) || calls(code, &inst.op, &functions)).collect();
    if !here.contains(&true) {
        return;
    }
    // Whoever is in no loop does not come back.
    let mut clocked = vec![false; here.len()];
    for info in &code.functions {
        for range in rounds(code, info.start as usize..(info.start + info.len) as usize) {
            let any = here[range.clone()].contains(&true);
            clocked[range].fill(any);
        }
    }
    code.clocked = clocked;
}

/// Does the operation read a clock?
fn reads(op: &Op) -> bool {
    matches!(op, Op::Special32 { which, .. } | Op::Special64 { which, .. } if which.is_clock())
}

/// Clocks whose values reach no memory, address, condition or call stand still: nobody can tell, and the loop that reads one
/// comes back to its state.
fn still_unused(code: &mut Code) {
    for index in 0..code.functions.len() {
        let info = &code.functions[index];
        let range = info.start as usize..(info.start + info.len) as usize;
        if !code.insts[range.clone()].iter().any(|inst| reads(&inst.op)) {
            continue;
        }
        let used = used(code, info, &code.insts[range.clone()], |op| computes(op, code));
        for inst in &mut code.insts[range] {
            match &mut inst.op {
                Op::Special32 { d, which, .. } if which.is_clock() && !used.contains(Reg::R32(*d)) => {
                    *which = Special::Stopped;
                }
                Op::Special64 { d, which, .. } if which.is_clock() && !used.contains(Reg::R64(*d)) => {
                    *which = Special::Stopped;
                }
                _ => {}
            }
        }
    }
}

/// Functions that read a clock, or call one that does.
fn functions_that_read(code: &Code) -> Vec<bool> {
    let mut known = vec![false; code.functions.len()];
    loop {
        let before = known.clone();
        for (inst, origin) in code.insts.iter().zip(&code.origins) {
            let function = origin.function as usize;
            known[function] = known[function] || reads(&inst.op) || calls(code, &inst.op, &known);
        }
        if known == before {
            return known;
        }
    }
}

/// Does the operation call one of these functions, perhaps?
fn calls(code: &Code, op: &Op, functions: &[bool]) -> bool {
    let Op::Call(index) = op else { return false };
    let call = &code.calls[*index as usize];
    match call.callee {
        Callee::Function(function) => functions[function as usize],
        Callee::Indirect(_) if call.among.is_empty() => functions.contains(&true),
        Callee::Indirect(_) => call.among.iter().any(|function| functions[*function as usize]),
        Callee::Printf | Callee::AssertFail | Callee::Malloc | Callee::Free | Callee::Missing(_) => false,
    }
}

/// What rounds of a function's loops may execute, each loop with those that it is in; the whole function where branches go by
/// numbers.
pub(super) fn rounds(code: &Code, function: Range<usize>) -> Vec<Range<usize>> {
    if code.insts[function.clone()].iter().any(|inst| matches!(inst.op, Op::BrIndexed(_))) {
        return vec![function];
    }
    let back = |at: usize| match code.insts[at].op {
        Op::Bra { target, .. } if target as usize <= at => Some(target as usize..at + 1),
        _ => None,
    };
    let mut loops: Vec<Range<usize>> = function.filter_map(back).collect();
    loops.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in loops {
        match merged.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}
