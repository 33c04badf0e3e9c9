//! Atomics of all lanes on words, one lane after the other.

use super::locate::AccessTarget;
use super::{Direct, Files, Lanes, for_each};
use crate::exec::schedule::Writer;
use crate::exec::select::{LaneRow, put};
use crate::exec::traffic::charge_atomic;
use crate::isa::op::{AddressSpace, AtomicOp, Reg, WordFn, change_shared};
use crate::memory::global::Global;
use crate::memory::later::Later;
use crate::memory::view::View;
use crate::observe::MemoryOrder;

impl Direct<'_> {
    /// Does an atomic on one word a lane, where nobody can come between, and says what was there; nothing if it is of
    /// another kind.
    #[inline(always)]
    pub fn atomic(&mut self, pc: usize, op: &AtomicOp, files: &mut Files<'_>, mask: u32) -> Option<(Lanes, [u32; 32])> {
        let (4, &[Reg::R32(operand)]) = (op.size, &op.b[..]) else { return None };
        let second = match op.c {
            Reg::R32(r) => *files.r32[r as usize],
            Reg::None => [0; 32],
            _ => return None,
        };
        let to = match op.d[..] {
            [] | [Reg::None] => None,
            // A result that nothing reads is none: the state of a loop would not repeat for it.
            [Reg::R32(d)] => op.returns.then_some(d),
            _ => return None,
        };
        let place = AccessTarget { space: op.space, base: op.base, offset: op.offset as u64, size: 4, array: op.array };
        let lanes = self.locate(&place, files, mask)?;
        self.note_reads(&lanes, mask);
        let operands = &files.r32[operand as usize];
        let (mut old, mut changed) = ([0; 32], 0);
        // Additions are in every histogram: what is done is known before the lanes are gone through.
        let adds = op.word == Some(WordFn::Add);
        let after = |lane: usize, before: u32| match op.word {
            _ if adds => before.wrapping_add(operands[lane]),
            Some(word) => word.apply(before, operands[lane]),
            None => (op.f)(before.into(), operands[lane].into(), second[lane].into()) as u32,
        };
        let mut turn = |lane: usize, before: u32| {
            old[lane] = before;
            let after = after(lane, before);
            changed |= u32::from(after != before) << lane;
            after
        };
        match (lanes.space, &mut self.global) {
            (AddressSpace::Shared, _) => {
                let words = self.shared.as_chunks_mut::<4>().0;
                for_each(mask, |lane| {
                    if let Some(word) = words.get_mut(lanes.word(lane, 0)) {
                        *word = turn(lane, u32::from_le_bytes(*word)).to_le_bytes();
                    }
                });
            }
            (AddressSpace::Global, View::Alone(global)) if global.is_writable(lanes.allocation) => {
                let words = &mut global.allocations[lanes.allocation].words;
                for_each(mask, |lane| {
                    if let Some(word) = words.get_mut(lanes.word(lane, 0)) {
                        let word = word.get_mut();
                        *word = turn(lane, *word);
                    }
                });
            }
            (AddressSpace::Global, View::Shared(global, later, _)) if global.is_writable(lanes.allocation) => {
                if !put_off(later, global, (pc, op), &lanes, operands, mask) {
                    later.settle(global);
                    let words = &global.allocations[lanes.allocation].words;
                    for_each(mask, |lane| {
                        if let Some(word) = words.get(lanes.word(lane, 0)) {
                            let before = match op.word {
                                Some(name) => name.apply_shared(word, operands[lane]),
                                None => change_shared(word, |before| after(lane, before)),
                            };
                            turn(lane, before);
                        }
                    });
                }
            }
            _ => return None,
        }
        let line = self.origins[pc].line as usize;
        charge_atomic(&mut self.lines[line], op, lanes.space, mask, || lanes.addresses());
        if op.may_spin && changed != 0 {
            self.took(pc, &lanes, changed);
        }
        if let Some(d) = to {
            put(&mut files.r32[d as usize], &old, mask);
        }
        Some((lanes, old))
    }

    /// Remembers who changed words that loops may wait for.
    #[inline(never)]
    fn took(&mut self, pc: usize, lanes: &Lanes, changed: u32) {
        let slot = (lanes.space == AddressSpace::Shared).then_some(self.by.slot);
        for_each(changed, |lane| {
            let address = lanes.start + u64::from(lanes.offsets[lane]);
            let thread = (self.by.warp, lane as u32);
            self.writers.note(Writer::new(slot, address, self.by.block, thread, pc as u32));
        });
    }
}

/// Keeps an atomic on global memory for later, if that may be.
#[inline(always)]
fn put_off(
    later: &mut Later,
    global: &Global,
    (pc, op): (usize, &AtomicOp),
    lanes: &Lanes,
    operands: &LaneRow<u32>,
    mask: u32,
) -> bool {
    let may_wait = !op.returns && op.order == MemoryOrder::Relaxed;
    if may_wait
        && op.word == Some(WordFn::Exchange)
        && let Some(puts) = later.puts(global, lanes.allocation, pc as u32)
    {
        for_each(mask, |lane| puts.put(lanes.word(lane, 0), operands[lane]));
    } else if let Some(ledger) = &mut later.ledger {
        for_each(mask, |lane| ledger.note(lanes.entry(pc, lane, operands[lane])));
    } else if may_wait
        && op.word == Some(WordFn::Add)
        && let Some(words) = later.sums.of(global, lanes.allocation, lanes.range())
    {
        for_each(mask, |lane| {
            if let Some(word) = words.get_mut(lanes.word(lane, 0)) {
                *word = word.wrapping_add(operands[lane]);
            }
        });
    } else {
        return false;
    }
    true
}
