//! How a warp begins: nothing in its registers and its local memory is right by luck.

use super::Warp;
use super::frame::{Frame, Reach};
use super::group::{Group, Since, Spins, State};
use super::select::LaneRow;
use crate::isa::op::{FunctionInfo, Reg};

impl Warp {
    /// Starts the warp at a function's first operation. Registers keep what they held; constants and thread indices are
    /// written once, so `index`, `block` and `function` are the same in every call.
    pub fn start(&mut self, index: u32, block: [u32; 3], function: u32, info: &FunctionInfo, poison: u32) {
        let threads = u64::from(block[0]) * u64::from(block[1]) * u64::from(block[2]);
        let first = u64::from(index) * 32;
        let count = threads.saturating_sub(first).min(32) as u32;
        self.lanes = u32::MAX >> (32 - count);
        self.exited = 0;
        if self.loaded != Some(function) {
            self.r32.clear();
            self.r64.clear();
            self.p.clear();
            self.reserve(0, 0, 0, info);
            for &(r, value) in &info.constants32 {
                self.r32[r as usize] = LaneRow([value; 32]);
            }
            for &(r, value) in &info.constants64 {
                self.r64[r as usize] = LaneRow([value; 32]);
            }
            // A warp object keeps its place in blocks of one shape.
            self.index = index;
            for lane in 0..32 {
                let at = first + lane as u64;
                self.tid[0][lane] = (at % u64::from(block[0])) as u32;
                self.tid[1][lane] = (at / u64::from(block[0]) % u64::from(block[1])) as u32;
                self.tid[2][lane] = (at / (u64::from(block[0]) * u64::from(block[1]))) as u32;
            }
            self.loaded = Some(function);
        }
        self.local.clear();
        self.local.resize(info.local as usize / 4, LaneRow([0; 32]));
        for (at, word) in self.local.iter_mut().enumerate() {
            **word = std::array::from_fn(|lane| poisoned(poison, (32 * at + lane) as u32));
        }
        self.poison(0, 0, 0, info, self.lanes, poison);
        let reach = Reach { end: info.local, ..Reach::default() };
        (self.left, self.reach) = ((0, 0), reach);
        self.frames.clear();
        self.frames.push(Frame {
            parent: u32::MAX,
            return_pc: u32::MAX,
            call: u32::MAX,
            function,
            base32: 0,
            base64: 0,
            base_p: 0,
            local: 0,
            reach,
            lanes: self.lanes,
            stack: u64::from(info.local),
        });
        self.groups.clear();
        self.groups.push(Group {
            mask: self.lanes,
            pc: info.start,
            frame: 0,
            state: State::Ready,
            turn: 0,
            rank: 0,
            clan: 0,
            since: Since::Together,
            spins: Spins::default(),
        });
        self.meetings.clear();
        self.spun = false;
        self.spins = 0;
        self.strayed = 0;
        self.doubt = None;
        self.clans = 0;
        self.done = [0; 32];
        self.asked = 0;
        self.polled = (0, 0);
        self.numbered = 0;
        self.idle = 0;
        (self.quanta, self.look) = (0, None);
        self.rounds.clear();
    }

    /// Registers that the function may read before it writes them hold no luck.
    pub(super) fn poison(
        &mut self,
        base32: u32,
        base64: u32,
        base_p: u32,
        info: &FunctionInfo,
        mask: u32,
        poison: u32,
    ) {
        for reg in &info.unassigned {
            match *reg {
                Reg::R32(r) => blend(&mut self.r32[base32 as usize + r as usize], poison, mask),
                Reg::R64(r) => {
                    let wide = u64::from(poison) << 32 | u64::from(poison);
                    blend(&mut self.r64[base64 as usize + r as usize], wide, mask);
                }
                Reg::P(r) => {
                    let p = &mut self.p[base_p as usize + r as usize];
                    *p = *p & !mask | if poison & 2 != 0 { mask } else { 0 };
                }
                Reg::None => {}
            }
        }
    }

    /// Becomes a warp with one frame like another's, whose registers mean nothing.
    pub fn stand_in(&mut self, other: &Self, frame: u32, info: &FunctionInfo) {
        let frame = Frame { base32: 0, base64: 0, base_p: 0, ..other.frames[frame as usize] };
        self.frames.clear();
        self.frames.push(frame);
        (self.index, self.tid) = (other.index, other.tid);
        self.meetings.clear();
        self.reserve(0, 0, 0, info);
    }
}

/// What is in a word that nothing wrote: never 0, and another value in the next word.
#[inline(always)]
pub fn poisoned(poison: u32, at: u32) -> u32 {
    poison.wrapping_add(at.wrapping_mul(0x9e37_79ba)) | 1
}

pub(super) fn blend<T: Copy>(to: &mut [T; 32], value: T, mask: u32) {
    for (lane, to) in to.iter_mut().enumerate() {
        if mask >> lane & 1 != 0 {
            *to = value;
        }
    }
}
