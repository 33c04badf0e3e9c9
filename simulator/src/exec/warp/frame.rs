//! Call frames: how a function is entered, and how values pass between two of them.

use super::Warp;
use super::select::LaneRow;
use super::start::{blend, poisoned};
use crate::isa::op::{CallValue, FunctionInfo};

/// Bytes of local memory that are not used again at once after a function has returned.
const SKIPPED: u32 = 512;
/// Depth from which on all is used again: recursion must not need a multiple of its stack.
const DEEP: u32 = 1 << 16;

/// Local memory that a function may have an address of: what is its own and its callers'.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reach {
    /// It ends here.
    pub end: u32,
    /// What has been left out of it, since it was a function's that has returned.
    pub gap: (u32, u32),
}

impl Reach {
    /// Does it hold these bytes?
    #[inline(always)]
    pub fn holds(self, address: u64, size: u32) -> bool {
        let end = address.saturating_add(size.into());
        end <= self.end.into() && (end <= self.gap.0.into() || address >= self.gap.1.into())
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
    /// Which local memory it may use.
    pub reach: Reach,
    /// Lanes that are still in it.
    pub lanes: u32,
    /// Bytes of stack, callers included.
    pub stack: u64,
}

impl Warp {
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
        // Lanes that come the same way at different times are in one frame, so that they can meet in the function.
        let same = |known: &Frame| {
            known.lanes != 0
                && (known.parent, known.return_pc) == (frame.parent, frame.return_pc)
                && (known.call, known.function) == (frame.call, frame.function)
        };
        let known = self.frames.iter().position(same);
        let behind = (parent.local + caller.local).next_multiple_of(16);
        let (left, gone) = self.left;
        (frame.local, frame.reach.gap) = match known {
            Some(at) => (self.frames[at].local, self.frames[at].reach.gap),
            // Not where the last one was, unless it was large: who still has its address does not find the new one there.
            None if left == behind && gone - left <= SKIPPED && behind < DEEP => {
                (gone.next_multiple_of(16), (left, gone))
            }
            None => (behind, parent.reach.gap),
        };
        frame.reach.end = frame.local + info.local;
        // What the hardware would spill is charged as well, so that recursion without locals ends too.
        let registers = 4 * u64::from(info.registers32) + 8 * u64::from(info.registers64) + 32;
        frame.stack = parent.stack + u64::from(info.local) + registers;
        if frame.stack > limit {
            return None;
        }
        self.reserve(frame.base32, frame.base64, frame.base_p, info);
        let words = frame.reach.end as usize / 4;
        if self.local.len() < words {
            self.local.resize(words, LaneRow([1; 32]));
        }
        let mask = frame.lanes;
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

    /// The lanes of `mask` return from a frame.
    pub fn return_from(&mut self, frame: u32, mask: u32) {
        let frame = &mut self.frames[frame as usize];
        frame.lanes &= !mask;
        if frame.lanes == 0 && frame.reach.end > frame.local {
            self.left = (frame.local, frame.reach.end);
        }
    }

    /// Copies a value between frames for the lanes of `mask`.
    pub fn pass(&mut self, mask: u32, from: (u32, CallValue), to: (u32, CallValue)) {
        let size = from.1.bytes_to(to.1);
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
