//! Lanes that go the same way, and the places where they wait for each other.

use crate::isa::op::AddressSpace;

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
    /// They came together and then went a way of their own, before the schedule was asked.
    Parted,
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
    /// Others may change what it reads there: it waits. A loop that does not, and that nobody is left to disturb, has no end of its own.
    pub waits: bool,
    /// The last operation of that loop; `u32::MAX` where it is not known.
    pub round: u32,
    /// What it last read that a loop may wait for: the operation,
    pub pc: u32,
    /// the space
    pub space: AddressSpace,
    /// and the address in it.
    pub address: u64,
}

impl Default for Spins {
    fn default() -> Self {
        let none = u32::MAX;
        let space = AddressSpace::Generic;
        Self { state: 0, changes: 0, looks: 0, polls: false, waits: false, round: none, pc: none, space, address: 0 }
    }
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

impl Spins {
    /// It goes round a loop that waits for nobody, and goes on as long as memory stays as it is.
    pub fn is_endless(&self) -> bool {
        self.polls && !self.waits && self.round != u32::MAX
    }
}
