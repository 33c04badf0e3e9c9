//! Loads of all lanes.

use super::{Direct, Files, LaneLayout, Lanes, for_each};
use crate::exec::select::{LaneRow, put};
use crate::isa::op::{AccessOp, AddressSpace, Reg};
use crate::memory::view::View;
use crate::observe::AccessKind;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

impl Direct<'_> {
    /// Loads what [`Direct::access`] found.
    #[inline(always)]
    pub fn load(&mut self, pc: usize, op: &AccessOp, lanes: &Lanes, files: &mut Files<'_>, mask: u32) {
        if op.may_spin && self.looks_again(pc, lanes, mask) {
            self.lines[self.origins[pc].line as usize].global_polls += 1;
        } else {
            self.charge(pc, op, lanes, mask, AccessKind::Load);
        }
        self.note_reads(lanes, mask);
        self.settle(lanes, op);
        for (element, reg) in op.regs.iter().enumerate() {
            let behind = element * op.size as usize;
            match (*reg, op.size) {
                (Reg::R32(d), 4) if let Some(words) = self.shared_run(lanes) => {
                    // Straight into the register: a vector read right behind 32 short writes waits for them.
                    for (to, from) in files.r32[d as usize].iter_mut().zip(words) {
                        *to = from.load(Relaxed);
                    }
                }
                (Reg::R32(d), 4) => {
                    let words = self.words(lanes, files, behind / 4);
                    put(&mut files.r32[d as usize], &words, mask);
                }
                (Reg::R64(d), 8) => {
                    let low = self.words(lanes, files, behind / 4);
                    let high = self.words(lanes, files, behind / 4 + 1);
                    let both = LaneRow(std::array::from_fn(|lane| u64::from(low[lane]) | u64::from(high[lane]) << 32));
                    put(&mut files.r64[d as usize], &both, mask);
                }
                (Reg::R32(d), _) => {
                    let values = self.parts(lanes, files, behind as u32, op.size, op.signed);
                    put(&mut files.r32[d as usize], &values, mask);
                }
                _ => {}
            }
        }
    }

    /// Is it where the same operation of the warp looked before, in memory that others may change?
    #[inline(never)]
    fn looks_again(&mut self, pc: usize, lanes: &Lanes, mask: u32) -> bool {
        lanes.space == AddressSpace::Global
            && !self.global.get().allocations[lanes.allocation].is_read_only()
            && self.polls.again(self.by, pc, mask, &lanes.addresses())
    }

    /// Notes what is read, where somebody wants to know.
    #[inline(always)]
    pub(super) fn note_reads(&self, lanes: &Lanes, mask: u32) {
        if matches!(lanes.space, AddressSpace::Global | AddressSpace::Const)
            && let Some(reads) = &self.global.get().allocations[lanes.allocation].reads
        {
            for_each(mask, |lane| reads.note(lanes.offsets[lane].into(), lanes.size));
        }
    }

    /// The words of a whole warp, one behind the other, where other host threads may change them.
    #[inline(always)]
    fn shared_run(&self, lanes: &Lanes) -> Option<&[AtomicU32]> {
        let View::Shared(global, ..) = &self.global else { return None };
        if !lanes.is_run() || !matches!(lanes.space, AddressSpace::Global | AddressSpace::Const) {
            return None;
        }
        let first = lanes.word(0, 0);
        global.allocations[lanes.allocation].words.get(first..first + 32)
    }

    /// The word that lies `behind` words behind each lane's offset.
    #[inline(always)]
    fn words(&mut self, lanes: &Lanes, files: &Files<'_>, behind: usize) -> LaneRow<u32> {
        let mut out = LaneRow([0; 32]);
        let first = lanes.word(0, behind);
        let run = lanes.is_run();
        match lanes.space {
            AddressSpace::Shared => {
                let words = self.shared.as_chunks::<4>().0;
                match words.get(first..first + 32) {
                    Some(words) if run => {
                        for (to, from) in out.iter_mut().zip(words) {
                            *to = u32::from_le_bytes(*from);
                        }
                    }
                    _ if lanes.shape == LaneLayout::Uniform => {
                        out = LaneRow([words.get(first).map_or(0, |word| u32::from_le_bytes(*word)); 32]);
                    }
                    _ => {
                        for (lane, to) in out.iter_mut().enumerate() {
                            let word = words.get(lanes.word(lane, behind));
                            *to = word.map_or(0, |word| u32::from_le_bytes(*word));
                        }
                    }
                }
            }
            AddressSpace::Local if lanes.shape == LaneLayout::Uniform => {
                out = files.local.get(first).copied().unwrap_or(out);
            }
            AddressSpace::Local => {
                for (lane, to) in out.iter_mut().enumerate() {
                    *to = files.local.get(lanes.word(lane, behind)).map_or(0, |word| word[lane]);
                }
            }
            _ => {
                if let (true, View::Alone(global)) = (run, &mut self.global)
                    && let Some(words) = global.allocations[lanes.allocation].words.get_mut(first..first + 32)
                {
                    for (to, from) in out.iter_mut().zip(words) {
                        *to = *from.get_mut();
                    }
                    return out;
                }
                let words = &self.global.get().allocations[lanes.allocation].words;
                if lanes.shape == LaneLayout::Uniform {
                    return LaneRow([words.get(first).map_or(0, |word| word.load(Relaxed)); 32]);
                }
                for (lane, to) in out.iter_mut().enumerate() {
                    *to = words.get(lanes.word(lane, behind)).map_or(0, |word| word.load(Relaxed));
                }
            }
        }
        out
    }

    /// The 8 or 16 bits that lie `behind` bytes behind each lane's offset.
    #[inline(always)]
    fn parts(&self, lanes: &Lanes, files: &Files<'_>, behind: u32, size: u32, signed: bool) -> LaneRow<u32> {
        let at = |lane: usize| lanes.offsets[lane].wrapping_add(behind);
        let mut out = LaneRow([0; 32]);
        match lanes.space {
            // Shared memory may end in the middle of a word.
            AddressSpace::Shared if size == 2 => {
                for (lane, to) in out.iter_mut().enumerate() {
                    let bytes = self.shared.get(at(lane) as usize..).and_then(|bytes| bytes.first_chunk());
                    *to = bytes.map_or(0, |bytes| u16::from_le_bytes(*bytes).into());
                }
            }
            AddressSpace::Shared => {
                for (lane, to) in out.iter_mut().enumerate() {
                    *to = self.shared.get(at(lane) as usize).map_or(0, |byte| (*byte).into());
                }
            }
            AddressSpace::Local => {
                for (lane, to) in out.iter_mut().enumerate() {
                    let word = files.local.get((at(lane) >> 2) as usize).map_or(0, |word| word[lane]);
                    *to = word >> ((at(lane) & 3) * 8);
                }
            }
            _ => {
                let words = &self.global.get().allocations[lanes.allocation].words;
                for (lane, to) in out.iter_mut().enumerate() {
                    let word = words.get((at(lane) >> 2) as usize).map_or(0, |word| word.load(Relaxed));
                    *to = word >> ((at(lane) & 3) * 8);
                }
            }
        }
        let unused = 32 - size * 8;
        for to in out.iter_mut() {
            let high = *to << unused;
            *to = if signed { (high as i32 >> unused) as u32 } else { high >> unused };
        }
        out
    }
}
