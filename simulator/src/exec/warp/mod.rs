//! A warp's state: registers, lane groups, call frames and the places where diverged lanes wait for each other.

pub mod call;
mod frame;
mod group;
pub mod lanes;
mod local;
pub mod profile;
mod registers;
mod rounds;
pub mod select;
pub mod special;
mod start;

pub use frame::{Frame, Reach};
pub use group::{Doubt, Group, Meeting, Since, Spins, State};
pub use rounds::{Round, Rounds, depth};
pub use start::poisoned;

use super::defined::Shadow;
use super::schedule::Look;
use crate::isa::op::FunctionInfo;
use select::LaneRow;

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
    pub r32: Vec<LaneRow<u32>>,
    /// See above.
    pub r64: Vec<LaneRow<u64>>,
    /// One bit a lane.
    pub p: Vec<u32>,
    /// Thread index by lane: x, y, z.
    pub tid: [[u32; 32]; 3],
    /// Local memory, word by word, lane by lane.
    pub local: Vec<LaneRow<u32>>,
    /// Lane groups.
    pub groups: Vec<Group>,
    /// Frames; those without lanes are free.
    pub frames: Vec<Frame>,
    /// Local memory of the function that has returned last: where it began and ended.
    pub left: (u32, u32),
    /// The local memory that the group that runs may use.
    pub reach: Reach,
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
    /// The operation with which lanes perhaps waited last, and those that have executed no other since.
    pub polled: (u32, u32),
    /// Lanes whose last operation that others can see was an atomic that gave them a number.
    pub numbered: u32,
    /// Rounds in a row in which groups of it only waited.
    pub idle: usize,
    /// The loops that it goes round.
    pub rounds: Rounds,
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
    fn reserve(&mut self, base32: u32, base64: u32, base_p: u32, info: &FunctionInfo) {
        let grow = |len: usize, base: u32, count: u32| len.max((base + count) as usize);
        self.r32.resize(grow(self.r32.len(), base32, info.registers32), LaneRow([0; 32]));
        self.r64.resize(grow(self.r64.len(), base64, info.registers64), LaneRow([0; 32]));
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

    /// Where a group is in each function on its way, the kernel first.
    pub fn places(&self, group: &Group) -> Vec<u32> {
        let mut places = vec![group.pc];
        let mut at = group.frame;
        for _ in 0..depth(&self.frames, group.frame) {
            let frame = self.frames[at as usize];
            places.push(frame.return_pc);
            at = frame.parent;
        }
        places.reverse();
        places
    }

    /// Lanes that exist and have not exited.
    pub fn live(&self) -> u32 {
        self.lanes & !self.exited
    }
}
