//! Registers and predicates, lane by lane.

use super::Warp;
use crate::exec::defined::Slot;
use crate::isa::op::{Inst, NO_GUARD, Reg};

impl Warp {
    /// The lanes of `mask` whose guard holds.
    #[inline(always)]
    pub fn guarded(&self, inst: &Inst, frame: u32, mask: u32) -> u32 {
        if inst.guard == NO_GUARD {
            return mask;
        }
        let at = self.frames[frame as usize].base_p as usize + (inst.guard >> 1) as usize;
        let p = self.p[at];
        mask & if inst.guard & 1 != 0 { !p } else { p }
    }

    /// A register's lanes, widened to 64 bits.
    pub fn read(&self, frame: u32, reg: Reg) -> [u64; 32] {
        let frame = &self.frames[frame as usize];
        let mut out = [0; 32];
        match reg {
            Reg::R32(r) => {
                let from = &self.r32[frame.base32 as usize + r as usize];
                for lane in 0..32 {
                    out[lane] = from[lane].into();
                }
            }
            Reg::R64(r) => out = *self.r64[frame.base64 as usize + r as usize],
            Reg::P(r) => {
                let from = self.p[frame.base_p as usize + r as usize];
                for (lane, out) in out.iter_mut().enumerate() {
                    *out = (from >> lane & 1).into();
                }
            }
            Reg::None => {}
        }
        out
    }

    /// One lane of a register.
    pub fn read_lane(&self, frame: u32, reg: Reg, lane: usize) -> u64 {
        let frame = &self.frames[frame as usize];
        match reg {
            Reg::R32(r) => self.r32[frame.base32 as usize + r as usize][lane].into(),
            Reg::R64(r) => self.r64[frame.base64 as usize + r as usize][lane],
            Reg::P(r) => (self.p[frame.base_p as usize + r as usize] >> lane & 1).into(),
            Reg::None => 0,
        }
    }

    /// A predicate's lanes.
    pub fn read_predicate(&self, frame: u32, reg: Reg) -> u32 {
        match reg {
            Reg::P(r) => self.p[self.frames[frame as usize].base_p as usize + r as usize],
            Reg::None => 0,
            reg => {
                let lanes = self.read(frame, reg);
                (0..32).fold(0, |mask, lane| mask | u32::from(lanes[lane] != 0) << lane)
            }
        }
    }

    /// Writes the lanes of `mask`, with values that are defined.
    pub fn write(&mut self, frame: u32, reg: Reg, mask: u32, values: &[u64; 32]) {
        let frame = self.frames[frame as usize];
        if !self.shadow.is_empty()
            && let Some(slot) = Slot::of(&frame, reg)
        {
            self.shadow.define(slot, mask);
        }
        match reg {
            Reg::R32(r) => {
                let to = &mut self.r32[frame.base32 as usize + r as usize];
                for lane in 0..32 {
                    to[lane] = if mask >> lane & 1 != 0 { values[lane] as u32 } else { to[lane] };
                }
            }
            Reg::R64(r) => {
                let to = &mut self.r64[frame.base64 as usize + r as usize];
                for lane in 0..32 {
                    to[lane] = if mask >> lane & 1 != 0 { values[lane] } else { to[lane] };
                }
            }
            Reg::P(r) => {
                let bits = (0..32).fold(0, |bits, lane| bits | u32::from(values[lane] != 0) << lane);
                let to = &mut self.p[frame.base_p as usize + r as usize];
                *to = *to & !mask | bits & mask;
            }
            Reg::None => {}
        }
    }
}
