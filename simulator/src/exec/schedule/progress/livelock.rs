//! Proof that a waiting loop never ends: the state of its lanes repeats, and nothing has changed memory in between.
//!
//! The state of a group is its place, its registers and its local memory. A loop that comes back to the same state goes on
//! the same way until memory changes. If all lanes that are left either wait or go round such loops, nobody will change it.
//! Loops that read a clock are left to the step limit.

use crate::exec::accessing::LaneBytes;
use crate::exec::block::{Block, Shared};
use crate::exec::context::Worker;
use crate::exec::warp::{Frame, Group, State, Warp};
use crate::isa::op::{AddressSpace, MbarrierKind, Op, Reg};
use crate::observe::Observer;

/// Rounds of waiting after which proof is sought, and rounds that it is sought for; then again at twice as many.
const FIRST: u64 = 2;
const LOOK: u64 = 48;

/// What an operation is about to change.
pub struct Before {
    values: Option<Vec<u64>>,
}

/// A group's state in 128 bits.
fn state(warp: &Warp, group: &Group) -> u128 {
    let (mut a, mut b) = (0x243f_6a88_85a3_08d3u64, 0x1319_8a2e_0370_7344u64);
    let mut mix = |value: u64| {
        a = (a ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        b = (b.rotate_left(17) ^ value).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    };
    mix(u64::from(group.pc) << 32 | u64::from(group.frame));
    mix(group.mask.into());
    let mut frame = group.frame;
    while let Some(&Frame { parent, return_pc, .. }) = warp.frames.get(frame as usize) {
        mix(u64::from(parent) << 32 | u64::from(return_pc));
        frame = parent;
    }
    let lanes = || (0..32usize).filter(|lane| group.mask >> lane & 1 != 0);
    for row in &warp.r32 {
        lanes().for_each(|lane| mix(row[lane].into()));
    }
    for row in &warp.r64 {
        lanes().for_each(|lane| mix(row[lane]));
    }
    for row in &warp.p {
        mix((row & group.mask).into());
    }
    for row in &warp.local {
        lanes().for_each(|lane| mix(row[lane].into()));
    }
    u128::from(a) << 64 | u128::from(b)
}

impl<O: Observer> Worker<'_, O> {
    /// Is it kept track of what changes memory?
    pub(in crate::exec::schedule) fn tracks(&self) -> bool {
        self.watching || self.control.is_some()
    }

    /// A round of waiting is over (`waited`), or somebody went on. True if it was proven that this is for ever.
    pub fn round(&mut self, resident: &[Block], waited: bool) -> bool {
        if !waited {
            (self.rounds, self.watching) = (0, false);
            return false;
        }
        self.rounds += 1;
        let since = self.rounds - (1 << self.rounds.ilog2());
        let watched = std::mem::replace(&mut self.watching, self.rounds >= FIRST && since < LOOK);
        // What was proven when nobody kept track since is not proven any more.
        self.changes += u64::from(self.watching && !watched);
        self.watching && self.hopeless(resident)
    }

    /// Nobody is left who could change anything.
    pub(in crate::exec::schedule) fn hopeless(&self, resident: &[Block]) -> bool {
        let mut groups = resident.iter().flat_map(|block| &block.warps).filter(|warp| warp.live() != 0);
        groups.all(|warp| {
            let polls = |group: &Group| group.spins.polls && group.spins.changes == self.changes;
            warp.groups.iter().all(|group| group.state != State::Ready || polls(group))
        })
    }

    /// May a round of the loops that a group is in read a clock? Those of its callers count, too.
    pub(in crate::exec::schedule) fn by_clock(&self, warp: &Warp, group: &Group) -> bool {
        let clocked = &self.context.decoded.code.clocked;
        if clocked.is_empty() {
            return false;
        }
        let reads = |pc: u32| clocked.get(pc as usize).is_some_and(|reads| *reads);
        let frames = std::iter::successors(warp.frames.get(group.frame as usize), |frame| {
            warp.frames.get(frame.parent as usize)
        });
        reads(group.pc) || frames.into_iter().any(|frame| reads(frame.return_pc))
    }

    /// A group went round a loop that waits: is its state one that it had before?
    pub(in crate::exec::schedule) fn look(&mut self, warp: &mut Warp, at: usize) {
        if !self.tracks() || at >= warp.groups.len() {
            return;
        }
        let group = warp.groups[at];
        if self.by_clock(warp, &group) || group.spins.polls && group.spins.changes == self.changes {
            return;
        }
        self.remembered = true;
        let now = state(warp, &group);
        let spins = &mut warp.groups[at].spins;
        if spins.looks == 0 || spins.changes != self.changes {
            (spins.state, spins.changes, spins.looks, spins.polls) = (now, self.changes, 1, false);
        } else if spins.state == now {
            (spins.polls, spins.waits) = (true, true);
        } else {
            // Brent's way to find a cycle of any length.
            spins.looks += 1;
            if spins.looks.is_power_of_two() {
                spins.state = now;
            }
        }
    }

    /// Before an operation: what a group polls, and what the operation may change.
    pub(in crate::exec::schedule) fn before(
        &mut self,
        shared: &Shared,
        warp: &mut Warp,
        at: usize,
        mask: u32,
        op: &Op,
    ) -> Option<Before> {
        let code = &self.context.decoded.code;
        let group = warp.groups[at];
        let waits = |kind| {
            use MbarrierKind as Kind;
            matches!(kind, Kind::TestWait | Kind::TryWait | Kind::TestWaitParity | Kind::TryWaitParity)
        };
        let (space, base, offset, polls) = match op {
            Op::Load(index) | Op::Store(index) => {
                let access = &code.accesses[*index as usize];
                (access.space, access.base, access.offset, access.may_spin)
            }
            Op::Atomic(index) => {
                let atomic = &code.atomics[*index as usize];
                (atomic.space, atomic.base, atomic.offset, atomic.may_spin)
            }
            Op::Mbarrier(index) => {
                let barrier = &code.mbarriers[*index as usize];
                let space = if barrier.generic { AddressSpace::Generic } else { AddressSpace::Shared };
                (space, barrier.base, barrier.offset, waits(barrier.kind))
            }
            Op::CopyAsync(_) | Op::CopyBulk(_) | Op::Matrix(_) => return Some(Before { values: None }),
            #[cfg(not(target_family = "wasm"))]
            Op::Texture(_) => return Some(Before { values: None }),
            _ => return None,
        };
        let lane = mask.trailing_zeros() as usize & 31;
        if polls {
            let mut found = self.lane_addresses(warp, group.frame, base, offset, false);
            let space = Self::by_space(space, 1 << lane, &mut found).first().map_or(space, |part| part.0);
            let spins = &mut warp.groups[at].spins;
            (spins.pc, spins.space, spins.address) = (group.pc, space, found[lane]);
        }
        match op {
            Op::Load(_) => None,
            Op::Mbarrier(index) if waits(code.mbarriers[*index as usize].kind) => None,
            _ if !self.remembered => None,
            Op::Mbarrier(_) => Some(Before { values: None }),
            _ => Some(Before { values: self.values(shared, warp, &group, mask, op) }),
        }
    }

    /// After the operation.
    pub(in crate::exec::schedule) fn after(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        group: &Group,
        mask: u32,
        op: &Op,
        before: &Before,
    ) {
        let same = before.values.is_some() && self.values(shared, warp, group, mask, op) == before.values;
        self.changes += u64::from(!same);
    }

    /// What is in shared and global memory where a store or an atomic goes; `None` where that is not looked at.
    fn values(&mut self, shared: &Shared, warp: &Warp, group: &Group, mask: u32, op: &Op) -> Option<Vec<u64>> {
        let code = &self.context.decoded.code;
        let (space, base, offset, size, elements, frame) = match op {
            Op::Store(index) => {
                let op = &code.accesses[*index as usize];
                (op.space, op.base, op.offset, op.size, op.regs.len(), op.frame)
            }
            Op::Atomic(index) => {
                let op = &code.atomics[*index as usize];
                (op.space, op.base, op.offset, op.size, op.b.len(), false)
            }
            _ => return None,
        };
        if size > 8 || matches!(base, Reg::None) {
            return None;
        }
        let mut found = self.lane_addresses(warp, group.frame, base, offset, frame);
        let mut values = Vec::new();
        for (space, part) in Self::by_space(space, mask, &mut found) {
            // Local memory is part of the group's own state.
            if space == AddressSpace::Local {
                continue;
            }
            for lane in (0..32usize).filter(|lane| part >> lane & 1 != 0) {
                for element in 0..elements as u64 {
                    let address = found[lane].wrapping_add(element * u64::from(size));
                    let bytes = LaneBytes::new(space, address, size);
                    values.push(self.peek_lane(shared, warp, lane, bytes).unwrap_or(0));
                }
            }
        }
        Some(values)
    }
}
