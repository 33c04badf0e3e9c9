//! Loops that wait and count their attempts: under a patient order the attempts are made at once, as far as they only count.
//!
//! Others may take as long as they like, so a loop that gives up after any number of attempts does so in some order. Going round a million
//! times would cost too much. A group that comes back to its loop twice with memory unchanged, and each time with the same sums added to
//! some registers, will do so until a comparison of one of them turns. So these registers are set to what they are shortly before that.
//! Every operation of the loop that reads one of them must be an addition, a copy, a selection or a comparison of integers, or nothing is done: then
//! what is skipped is what would have been.

use crate::exec::context::Worker;
use crate::exec::select::LaneRow;
use crate::exec::warp::{Group, Warp};
use crate::isa::op::{Code, Op, Reg, RegisterUse};
use crate::observe::Observer;

/// Rounds that are left to go before a comparison turns.
const LEFT: i128 = 4;
/// Fewer rounds are gone through.
const WORTH: i128 = 16;
/// More are not, either: sixteen million attempts (a round is sixteen) take seconds, and who gives up after hours has a guard against hangs.
const MOST: i128 = 1 << 20;
/// Times in a launch.
const TIMES: u32 = 256;

/// What is known of the group that went round a loop last.
#[derive(Debug, Default)]
pub struct Counted {
    /// Block, warp, operation, frame, lanes, changes of memory.
    who: (u64, u32, u32, u32, u32, u64),
    /// Registers of 32 bits, then of 64, of all frames, a row of lanes each.
    rows: Vec<[u64; 32]>,
    /// What the last round added to them.
    added: Option<Vec<[u64; 32]>>,
    /// Predicates and local memory: they stay as they are.
    others: Vec<u32>,
    /// How often loops were shortened.
    done: u32,
}

impl<O: Observer> Worker<'_, O> {
    /// A group has gone round a loop that waits: if it only counts, it has counted nearly all of its attempts now.
    pub(in crate::exec::schedule) fn count_on(&mut self, block: u64, warp: &mut Warp, at: usize) {
        let Some(&group) = warp.groups.get(at) else { return };
        if self.counted.done >= TIMES || group.spins.polls || self.by_clock(warp, &group) {
            return;
        }
        let who = (block, warp.index, group.pc, group.frame, group.mask, self.changes);
        let wide = |row: &LaneRow<u32>| row.map(u64::from);
        let rows: Vec<[u64; 32]> = warp.r32.iter().map(wide).chain(warp.r64.iter().map(|row| row.0)).collect();
        let held = warp.p.iter().map(|row| row & group.mask);
        let others: Vec<u32> = held.chain(warp.local.iter().flat_map(|row| row.iter()).copied()).collect();
        let narrow = warp.r32.len();
        let known = &mut self.counted;
        if known.who != who || known.rows.len() != rows.len() || known.others != others {
            *known = Counted { who, rows, added: None, others, done: known.done };
            return;
        }
        let added: Vec<[u64; 32]> = rows
            .iter()
            .zip(&known.rows)
            .enumerate()
            .map(|(row, (now, before))| {
                std::array::from_fn(|lane| {
                    let difference = now[lane].wrapping_sub(before[lane]);
                    let whole = if row < narrow { u64::from(difference as u32) } else { difference };
                    if group.mask >> lane & 1 != 0 { whole } else { 0 }
                })
            })
            .collect();
        let same = known.added.as_ref() == Some(&added);
        known.rows = rows;
        known.added = Some(added);
        if !same {
            return;
        }
        let Some(rounds) = self.rounds_left(warp, &group, narrow) else { return };
        let known = &mut self.counted;
        known.done += 1;
        let (Some(added), _) = (known.added.take(), known.rows.clear()) else { return };
        for (row, added) in added.iter().enumerate() {
            for (lane, added) in added.iter().enumerate() {
                let more = added.wrapping_mul(rounds);
                match row.checked_sub(narrow) {
                    None => warp.r32[row][lane] = warp.r32[row][lane].wrapping_add(more as u32),
                    Some(wide) => warp.r64[wide][lane] = warp.r64[wide][lane].wrapping_add(more),
                }
            }
        }
    }

    /// How many rounds nothing but sums will change; nothing if that is not known, or few.
    fn rounds_left(&self, warp: &Warp, group: &Group, narrow: usize) -> Option<u64> {
        let code = &self.context.decoded.code;
        let added = self.counted.added.as_ref()?;
        let frame = warp.frames.get(group.frame as usize)?;
        let row = |reg: Reg| match reg {
            Reg::R32(r) => Some(frame.base32 as usize + r as usize),
            Reg::R64(r) => Some(narrow + frame.base64 as usize + r as usize),
            _ => None,
        };
        let counts = |reg: Reg| {
            row(reg).and_then(|row| added.get(row)).is_some_and(|added| added.iter().any(|added| *added != 0))
        };
        let (first, last) = round(code, group.pc)?;
        let mut most: Option<i128> = None;
        for inst in &code.insts[first as usize..=last as usize] {
            let mut reads = false;
            inst.op.registers(code, &mut |reg, role| reads |= role != RegisterUse::Result && counts(reg));
            if !reads {
                continue;
            }
            let (a, b, signed) = match inst.op {
                Op::Add32 { .. } | Op::Sub32 { .. } | Op::Add64 { .. } | Op::Sub64 { .. } => continue,
                // What selects is no count, or one that is compared: it selects the same in every round.
                Op::Mov32 { .. } | Op::Mov64 { .. } | Op::Sel32 { .. } | Op::Sel64 { .. } => continue,
                Op::SetS32 { a, b, .. } => (Reg::R32(a), Reg::R32(b), true),
                Op::SetU32 { a, b, .. } => (Reg::R32(a), Reg::R32(b), false),
                Op::SetS64 { a, b, .. } => (Reg::R64(a), Reg::R64(b), true),
                Op::SetU64 { a, b, .. } => (Reg::R64(a), Reg::R64(b), false),
                _ => return None,
            };
            let counter = |reg: Reg, lane: usize| {
                let (row, wide) = (row(reg)?, matches!(reg, Reg::R64(_)));
                Some(Counter::new(self.counted.rows.get(row)?[lane], added.get(row)?[lane], (wide, signed)))
            };
            for lane in (0..32usize).filter(|lane| group.mask >> lane & 1 != 0) {
                let until = counter(a, lane)?.until(&counter(b, lane)?);
                most = Some(most.map_or(until, |most| most.min(until)));
            }
        }
        most.map(|most| most - LEFT)
            .filter(|rounds| (WORTH..=MOST).contains(rounds))
            .and_then(|rounds| u64::try_from(rounds).ok())
    }
}

/// The operations of the loop around one of them; none where there is no loop, or nobody knows.
pub fn looped(code: &Code, pc: u32) -> std::ops::RangeInclusive<u32> {
    let (first, last) = round(code, pc).filter(|(first, last)| first < last).unwrap_or((1, 0));
    first..=last
}

/// The operations that a round may execute: whoever leaves a loop and comes back to it jumps back from beyond it.
fn round(code: &Code, pc: u32) -> Option<(u32, u32)> {
    let function = code.functions.get(code.origins.get(pc as usize)?.function as usize)?;
    let all = function.start..function.start + function.len;
    if all.clone().any(|at| matches!(code.insts.get(at as usize).map(|inst| &inst.op), Some(Op::BrIndexed(_)) | None)) {
        return None;
    }
    let back = |at: u32| match code.insts[at as usize].op {
        Op::Bra { target, .. } if target <= at => Some((target, at)),
        _ => None,
    };
    let mut round = (pc, pc);
    loop {
        let meets = |(target, at): &(u32, u32)| *target <= round.1 && round.0 <= *at;
        let wider = all.clone().filter_map(back).filter(meets);
        let wider = wider.fold(round, |all, one| (all.0.min(one.0), all.1.max(one.1)));
        if wider == round {
            return Some(round);
        }
        round = wider;
    }
}

/// A register that is compared: its value, what a round adds to it, and the values that it can have.
struct Counter {
    value: i128,
    step: i128,
    range: (i128, i128),
}

impl Counter {
    fn new(value: u64, added: u64, (wide, signed): (bool, bool)) -> Self {
        let step = if wide { i128::from(added as i64) } else { i128::from(added as i32) };
        let (value, range) = match (wide, signed) {
            (false, false) => ((value as u32).into(), (0, u32::MAX.into())),
            (false, true) => ((value as i32).into(), (i32::MIN.into(), i32::MAX.into())),
            (true, false) => (value.into(), (0, u64::MAX.into())),
            (true, true) => ((value as i64).into(), (i64::MIN.into(), i64::MAX.into())),
        };
        Self { value, step, range }
    }

    /// Rounds before it has no room left.
    fn room(&self) -> i128 {
        match self.step {
            0 => i128::MAX,
            up @ 1.. => (self.range.1 - self.value) / up,
            down => (self.value - self.range.0) / -down,
        }
    }

    /// Rounds before a comparison with another one turns.
    fn until(&self, other: &Self) -> i128 {
        let (apart, step) = (self.value - other.value, self.step - other.step);
        let nears = apart.signum() * step.signum() <= 0 && step != 0;
        let meets = if nears { apart.abs() / step.abs() } else { i128::MAX };
        meets.min(self.room()).min(other.room())
    }
}
