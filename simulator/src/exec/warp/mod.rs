//! A warp's state: registers, lane groups, call frames and the places where diverged lanes wait for each other.

pub mod call;
pub mod lanes;
pub mod profile;
pub mod select;
pub mod special;

use super::defined::{Shadow, Slot};
use super::schedule::Look;
use crate::isa::op::{AddressSpace, CallValue, FunctionInfo, Inst, NO_GUARD, Reg};

/// What a lane group is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It can run.
    Ready,
    /// It waits at a reconvergence point for lanes that took another way.
    Joining,
    /// It waits at a `*.sync` instruction for the lanes of its mask.
    Converging,
    /// It waits at a block barrier of that number.
    Barrier(u32),
}

/// Lanes at the same program counter with the same call stack.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// The lanes.
    pub mask: u32,
    /// Next operation.
    pub pc: u32,
    /// Index of the frame.
    pub frame: u32,
    /// What it is doing.
    pub state: State,
    /// Smaller goes first.
    pub turn: u32,
    /// Under an explored schedule: smaller goes first, of all warps and blocks.
    pub rank: u64,
    /// Lanes of different clans do not wait for each other at joins.
    pub clan: u32,
    /// What happened to it last, as far as an explored schedule wants to know.
    pub since: Since,
    /// What it was like when it last went round a waiting loop.
    pub spins: Spins,
}

/// What last happened to a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// Its lanes started or came together.
    Together,
    /// Its lanes went a way of their own.
    Apart,
    /// The schedule has been asked since.
    Asked,
}

/// A group's state at an earlier round of its waiting loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spins {
    /// Hash of the state.
    pub state: u128,
    /// Writes by then that had changed memory.
    pub changes: u64,
    /// Looks since the state was taken.
    pub looks: u32,
    /// The state has repeated: the loop goes on as long as memory stays as it is.
    pub polls: bool,
    /// What it last read that a loop may wait for: the operation,
    pub pc: u32,
    /// the space
    pub space: AddressSpace,
    /// and the address in it.
    pub address: u64,
}

impl Default for Spins {
    fn default() -> Self {
        Self { state: 0, changes: 0, looks: 0, polls: false, pc: u32::MAX, space: AddressSpace::Generic, address: 0 }
    }
}

/// A function's activation.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// Caller's frame.
    pub parent: u32,
    /// Where to go on after the return.
    pub return_pc: u32,
    /// The call, for results.
    pub call: u32,
    /// Index of the function.
    pub function: u32,
    /// First registers.
    pub base32: u32,
    /// See above.
    pub base64: u32,
    /// See above.
    pub base_p: u32,
    /// First byte of local memory.
    pub local: u32,
    /// Lanes that are still in it.
    pub lanes: u32,
    /// Bytes of stack, callers included.
    pub stack: u64,
}

/// Undefined values on their way down a tree of shuffles.
#[derive(Debug, Clone, Copy)]
pub struct Doubt {
    /// Lanes that hold one.
    pub lanes: u32,
    /// The shuffle that read the first of them.
    pub pc: u32,
    /// Who read it there.
    pub reader: u32,
    /// From whom.
    pub from: u32,
    /// With which mask.
    pub mask: u32,
}

/// Lanes that diverged and should meet again.
#[derive(Debug, Clone, Copy)]
pub struct Meeting {
    /// The join.
    pub pc: u32,
    /// Its frame.
    pub frame: u32,
    /// Who should come.
    pub members: u32,
    /// Of which clan.
    pub clan: u32,
}

/// A warp.
#[derive(Debug, Default)]
pub struct Warp {
    /// Number within the block.
    pub index: u32,
    /// Lanes that exist.
    pub lanes: u32,
    /// Lanes that have exited.
    pub exited: u32,
    /// Register files, frame after frame.
    pub r32: Vec<[u32; 32]>,
    /// See above.
    pub r64: Vec<[u64; 32]>,
    /// One bit a lane.
    pub p: Vec<u32>,
    /// Thread index by lane: x, y, z.
    pub tid: [[u32; 32]; 3],
    /// Local memory, word by word, lane by lane.
    pub local: Vec<[u32; 32]>,
    /// Lane groups.
    pub groups: Vec<Group>,
    /// Frames; those without lanes are free.
    pub frames: Vec<Frame>,
    /// Open meetings.
    pub meetings: Vec<Meeting>,
    /// An instruction that spin loops are made of ran since the last backward branch.
    pub spun: bool,
    /// Such iterations in a row.
    pub spins: u32,
    /// Lanes that went past a place where others wait for them at a `__syncwarp`, which they may still meet elsewhere.
    pub strayed: u32,
    /// Values of a tree of `shfl.down` that come from a lane that is not there.
    pub doubt: Option<Doubt>,
    /// Explored schedules: clans given so far.
    pub clans: u32,
    /// Operations executed that others can see, by lane.
    pub done: [u32; 32],
    /// Lanes for which the schedule has been asked about the operation they are at.
    pub asked: u32,
    /// Rounds in a row in which groups of it only waited.
    pub idle: usize,
    /// The last branch back, where to, and how often in a row.
    pub turns: (u32, u64),
    /// Quanta that it has used up.
    pub quanta: u64,
    /// It is looked at: does the state of its lanes repeat?
    pub look: Option<Box<Look>>,
    /// Registers with undefined bits, where that is checked.
    pub shadow: Shadow,
    /// Function whose constants are in the first frame's registers.
    pub loaded: Option<u32>,
}

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
                self.r32[r as usize] = [value; 32];
            }
            for &(r, value) in &info.constants64 {
                self.r64[r as usize] = [value; 32];
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
        self.local.resize(info.local as usize / 4, [0; 32]);
        for (at, word) in self.local.iter_mut().enumerate() {
            *word = std::array::from_fn(|lane| poisoned(poison, (32 * at + lane) as u32));
        }
        self.poison(0, 0, 0, info, self.lanes, poison);
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
        self.idle = 0;
        (self.turns, self.quanta, self.look) = ((0, 0), 0, None);
    }

    /// Registers that the function may read before it writes them hold no luck.
    fn poison(&mut self, base32: u32, base64: u32, base_p: u32, info: &FunctionInfo, mask: u32, poison: u32) {
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

    fn reserve(&mut self, base32: u32, base64: u32, base_p: u32, info: &FunctionInfo) {
        let grow = |len: usize, base: u32, count: u32| len.max((base + count) as usize);
        self.r32.resize(grow(self.r32.len(), base32, info.registers32), [0; 32]);
        self.r64.resize(grow(self.r64.len(), base64, info.registers64), [0; 32]);
        self.p.resize(grow(self.p.len(), base_p, info.predicates), 0);
    }

    /// Bytes of registers and local memory.
    pub fn bytes(&self) -> u64 {
        let words = self.r32.len() + 2 * self.r64.len() + self.local.capacity();
        128 * words as u64 + 4 * self.p.len() as u64
    }

    /// The same of a warp that is about to start.
    pub fn bytes_of(info: &FunctionInfo) -> u64 {
        128 * (u64::from(info.registers32) + 2 * u64::from(info.registers64) + u64::from(info.local) / 4)
    }

    /// Lanes that exist and have not exited.
    pub fn live(&self) -> u32 {
        self.lanes & !self.exited
    }

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
            Reg::R64(r) => out = self.r64[frame.base64 as usize + r as usize],
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

    /// One value of local memory of a lane; the caller has checked the range.
    pub fn load_local(&self, lane: usize, at: u32, size: u32) -> u64 {
        let word = |at: u32| u64::from(self.local[at as usize / 4][lane]);
        match size {
            8 => word(at) | word(at + 4) << 32,
            4 => word(at),
            _ => word(at) >> ((at & 3) * 8) & if size == 1 { 0xff } else { 0xffff },
        }
    }

    /// Stores one value.
    pub fn store_local(&mut self, lane: usize, at: u32, size: u32, value: u64) {
        let word = at as usize / 4;
        match size {
            8 => {
                self.local[word][lane] = value as u32;
                self.local[word + 1][lane] = (value >> 32) as u32;
            }
            4 => self.local[word][lane] = value as u32,
            _ => {
                let shift = (at & 3) * 8;
                let mask: u32 = if size == 1 { 0xff } else { 0xffff };
                let cell = &mut self.local[word][lane];
                *cell = *cell & !(mask << shift) | (value as u32 & mask) << shift;
            }
        }
    }

    /// Enters a function with the lanes of `mask`; false if the stack would be larger than `limit`.
    pub fn enter(
        &mut self,
        mut frame: Frame,
        info: &FunctionInfo,
        caller: &FunctionInfo,
        limit: u64,
        poison: u32,
    ) -> Option<u32> {
        let parent = self.frames[frame.parent as usize];
        frame.base32 = parent.base32 + caller.registers32;
        frame.base64 = parent.base64 + caller.registers64;
        frame.base_p = parent.base_p + caller.predicates;
        frame.local = (parent.local + caller.local).next_multiple_of(16);
        // What the hardware would spill is charged as well, so that recursion without locals ends too.
        let registers = 4 * u64::from(info.registers32) + 8 * u64::from(info.registers64) + 32;
        frame.stack = parent.stack + u64::from(info.local) + registers;
        if frame.stack > limit {
            return None;
        }
        self.reserve(frame.base32, frame.base64, frame.base_p, info);
        let words = (frame.local + info.local) as usize / 4;
        if self.local.len() < words {
            self.local.resize(words, [1; 32]);
        }
        let mask = frame.lanes;
        // Lanes that come the same way at different times are in one frame, so that they can meet in the function.
        let same = |known: &Frame| {
            known.lanes != 0
                && (known.parent, known.return_pc) == (frame.parent, frame.return_pc)
                && (known.call, known.function) == (frame.call, frame.function)
        };
        let known = self.frames.iter().position(same);
        self.poison(frame.base32, frame.base64, frame.base_p, info, mask, poison);
        let first = frame.local as usize / 4;
        for (at, word) in self.local[first..words].iter_mut().enumerate() {
            for (lane, word) in word.iter_mut().enumerate().filter(|(lane, _)| mask >> lane & 1 != 0) {
                *word = poisoned(poison, (32 * (first + at) + lane) as u32);
            }
        }
        for &(r, value) in &info.constants32 {
            blend(&mut self.r32[(frame.base32 + u32::from(r)) as usize], value, mask);
        }
        for &(r, value) in &info.constants64 {
            blend(&mut self.r64[(frame.base64 + u32::from(r)) as usize], value, mask);
        }
        if let Some(at) = known {
            self.frames[at].lanes |= mask;
            return Some(at as u32);
        }
        match self.frames.iter().position(|frame| frame.lanes == 0) {
            Some(at) => {
                self.frames[at] = frame;
                Some(at as u32)
            }
            None => {
                self.frames.push(frame);
                Some(self.frames.len() as u32 - 1)
            }
        }
    }

    /// Is it local memory? A call may pass more than the callee has declared.
    pub fn has_local(&self, at: u32, size: u32) -> bool {
        (at as usize + size as usize).div_ceil(4) <= self.local.len()
    }

    /// Copies a value between frames for the lanes of `mask`.
    pub fn pass(&mut self, mask: u32, from: (u32, CallValue), to: (u32, CallValue)) {
        let size = match (from.1, to.1) {
            (CallValue::Memory { size: a, .. }, CallValue::Memory { size: b, .. }) => a.max(b),
            (CallValue::Memory { size, .. }, _) | (_, CallValue::Memory { size, .. }) => size,
            _ => 8,
        };
        for step in 0..size.div_ceil(8).max(1) {
            let bytes = (size - step * 8).min(8);
            let piece = if bytes > 4 { 8 } else { 4 };
            let value = match from.1 {
                CallValue::Register(reg) => self.read(from.0, reg),
                CallValue::Memory { offset, .. } => {
                    let at = self.frames[from.0 as usize].local + offset + step * 8;
                    let there = self.has_local(at, piece);
                    std::array::from_fn(|lane| if there { self.load_local(lane, at, piece) } else { 0 })
                }
            };
            match to.1 {
                CallValue::Register(reg) => self.write(to.0, reg, mask, &value),
                CallValue::Memory { offset, .. } => {
                    let at = self.frames[to.0 as usize].local + offset + step * 8;
                    if !self.has_local(at, piece) {
                        continue;
                    }
                    for (lane, value) in value.iter().enumerate().filter(|(lane, _)| mask >> lane & 1 != 0) {
                        self.store_local(lane, at, piece, *value);
                    }
                }
            }
        }
    }
}

/// What is in a word that nothing wrote: never 0, and another value in the next word.
#[inline(always)]
pub fn poisoned(poison: u32, at: u32) -> u32 {
    poison.wrapping_add(at.wrapping_mul(0x9e37_79ba)) | 1
}

fn blend<T: Copy>(to: &mut [T; 32], value: T, mask: u32) {
    for (lane, to) in to.iter_mut().enumerate() {
        if mask >> lane & 1 != 0 {
            *to = value;
        }
    }
}
