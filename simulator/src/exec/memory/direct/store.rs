//! Stores of all lanes.

use super::{Direct, Files, Lanes, for_each};
use crate::isa::op::{AccessOp, AddressSpace, Reg};
use crate::memory::view::View;
use crate::observe::AccessKind;
use std::sync::atomic::Ordering::Relaxed;

/// Lanes that take part, and of those who changed something if anybody wants to know.
struct Store<const WATCHED: bool> {
    mask: u32,
    changed: u32,
}

impl<const WATCHED: bool> Store<WATCHED> {
    #[inline(always)]
    fn note(&mut self, lane: usize, before: u32, value: u32) {
        if WATCHED {
            self.changed |= u32::from(before != value) << lane;
        }
    }
}

impl Direct<'_> {
    /// Stores where [`Direct::access`] found room, and returns the lanes whose store changed something (only with
    /// `WATCHED`); nothing if the place is read-only or an input.
    #[inline(always)]
    pub fn store<const WATCHED: bool>(
        &mut self,
        pc: usize,
        op: &AccessOp,
        lanes: &Lanes,
        files: &mut Files<'_>,
        mask: u32,
    ) -> Option<u32> {
        let constant = match lanes.space {
            AddressSpace::Const => true,
            AddressSpace::Global => self.global.get().allocations[lanes.allocation].is_read_only(),
            _ => false,
        };
        if constant {
            return None;
        }
        self.charge(pc, op, lanes, mask, AccessKind::Store);
        self.settle(lanes, op);
        if lanes.space == AddressSpace::Global {
            self.polls.forget(self.by);
        }
        let mut store = Store::<WATCHED> { mask, changed: 0 };
        for (element, reg) in op.regs.iter().enumerate() {
            let behind = element * op.size as usize;
            match (*reg, op.size) {
                (Reg::R32(r), 4) => {
                    let values = files.r32[r as usize];
                    self.put_words(lanes, files, behind / 4, &values, &mut store);
                }
                (Reg::R64(r), 8) => {
                    let values = files.r64[r as usize];
                    self.put_words(lanes, files, behind / 4, &values.map(|value| value as u32), &mut store);
                    let high = values.map(|value| (value >> 32) as u32);
                    self.put_words(lanes, files, behind / 4 + 1, &high, &mut store);
                }
                (Reg::R32(r), _) => {
                    let values = files.r32[r as usize];
                    self.put_parts(lanes, files, (behind as u32, op.size), &values, &mut store);
                }
                // The sink: what is stored from it is 0.
                (_, 8) => {
                    self.put_words(lanes, files, behind / 4, &[0; 32], &mut store);
                    self.put_words(lanes, files, behind / 4 + 1, &[0; 32], &mut store);
                }
                (_, 4) => self.put_words(lanes, files, behind / 4, &[0; 32], &mut store),
                _ => self.put_parts(lanes, files, (behind as u32, op.size), &[0; 32], &mut store),
            }
        }
        Some(store.changed)
    }

    /// Stores the word `behind` words behind each lane's offset.
    #[inline(always)]
    fn put_words<const WATCHED: bool>(
        &mut self,
        lanes: &Lanes,
        files: &mut Files<'_>,
        behind: usize,
        values: &[u32; 32],
        store: &mut Store<WATCHED>,
    ) {
        let first = lanes.word(0, behind);
        let run = lanes.is_run();
        match lanes.space {
            AddressSpace::Shared => {
                let words = self.shared.as_chunks_mut::<4>().0;
                match words.get_mut(first..first + 32) {
                    Some(words) if run => {
                        for (lane, (to, value)) in words.iter_mut().zip(values).enumerate() {
                            store.note(lane, u32::from_le_bytes(*to), *value);
                            *to = value.to_le_bytes();
                        }
                    }
                    _ => for_each(store.mask, |lane| {
                        if let Some(to) = words.get_mut(lanes.word(lane, behind)) {
                            store.note(lane, u32::from_le_bytes(*to), values[lane]);
                            *to = values[lane].to_le_bytes();
                        }
                    }),
                }
            }
            AddressSpace::Local => for_each(store.mask, |lane| {
                if let Some(word) = files.local.get_mut(lanes.word(lane, behind)) {
                    store.note(lane, word[lane], values[lane]);
                    word[lane] = values[lane];
                }
            }),
            _ => {
                if let (true, View::Alone(global)) = (run, &mut self.global)
                    && let Some(words) = global.allocations[lanes.allocation].words.get_mut(first..first + 32)
                {
                    for (lane, (to, value)) in words.iter_mut().zip(values).enumerate() {
                        store.note(lane, *to.get_mut(), *value);
                        *to.get_mut() = *value;
                    }
                    return;
                }
                let shared = run && !self.global.alone();
                let words = &self.global.get().allocations[lanes.allocation].words;
                if let (true, Some(words)) = (shared, words.get(first..first + 32)) {
                    if WATCHED {
                        let before: [u32; 32] = std::array::from_fn(|lane| words[lane].load(Relaxed));
                        (0..32).for_each(|lane| store.note(lane, before[lane], values[lane]));
                    }
                    for (to, value) in words.iter().zip(values) {
                        to.store(*value, Relaxed);
                    }
                    return;
                }
                for_each(store.mask, |lane| {
                    if let Some(to) = words.get(lanes.word(lane, behind)) {
                        if WATCHED {
                            store.note(lane, to.load(Relaxed), values[lane]);
                        }
                        to.store(values[lane], Relaxed);
                    }
                });
            }
        }
    }

    /// Stores 8 or 16 bits: `part` is the bytes behind the lane's offset, and the size.
    #[inline(always)]
    fn put_parts<const WATCHED: bool>(
        &mut self,
        lanes: &Lanes,
        files: &mut Files<'_>,
        (behind, size): (u32, u32),
        values: &[u32; 32],
        store: &mut Store<WATCHED>,
    ) {
        let keep = u32::MAX >> (32 - size * 8);
        let alone = self.global.alone();
        for_each(store.mask, |lane| {
            let offset = lanes.offsets[lane] + behind;
            let (at, shift) = ((offset >> 2) as usize, (offset & 3) * 8);
            let value = values[lane] & keep;
            let place = |word: u32| word & !(keep << shift) | value << shift;
            let before = match lanes.space {
                AddressSpace::Shared => {
                    let bytes = self.shared.get_mut(offset as usize..(offset + size) as usize).unwrap_or_default();
                    let mut before = 0;
                    for (at, byte) in bytes.iter_mut().enumerate() {
                        before |= u32::from(*byte) << (8 * at);
                        *byte = (value >> (8 * at)) as u8;
                    }
                    before << shift
                }
                AddressSpace::Local => {
                    let Some(word) = files.local.get_mut(at) else { return };
                    let before = word[lane];
                    word[lane] = place(before);
                    before
                }
                _ => {
                    let allocation = &self.global.get().allocations[lanes.allocation];
                    let Some(word) = allocation.words.get(at) else { return };
                    let before = word.load(Relaxed);
                    if alone {
                        word.store(place(before), Relaxed);
                    } else {
                        allocation.store(offset.into(), size, value.into());
                    }
                    before
                }
            };
            store.note(lane, before >> shift & keep, value);
        });
    }
}
