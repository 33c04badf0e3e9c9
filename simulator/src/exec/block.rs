//! A block: its warps, its shared memory, its barriers.

use super::context::{Flow, Worker};
use super::warp::{Since, State, Warp, poisoned};
use crate::FindingKind;
use crate::config::Schedule;
use crate::finding::ELSEWHERE;
use crate::isa::op::{BarrierKind, BarrierOp, Op, Reg};
use crate::observe::{Observer, WarpId};
use std::sync::atomic::Ordering::Relaxed;

/// One of a block's sixteen barriers.
#[derive(Debug, Default, Clone)]
pub struct Barrier {
    /// Lanes that have arrived, by warp.
    pub arrived: Vec<u32>,
    /// Lanes whose reduction predicate is true, by warp.
    pub votes: Vec<u32>,
    /// Of those, lanes that do not wait (`bar.arrive`).
    pub passing: Vec<u32>,
    /// Threads expected; 0 for all.
    pub expected: u32,
    /// First operation that arrived.
    pub pc: u32,
}

impl Barrier {
    /// Nobody has arrived of `warps` warps; `count` threads are expected by the operation at `pc`, which comes first.
    fn open(&mut self, warps: usize, count: u32, pc: u32) {
        for lanes in [&mut self.arrived, &mut self.passing, &mut self.votes] {
            lanes.clear();
            lanes.resize(warps, 0);
        }
        (self.expected, self.pc) = (count, pc);
    }
}

/// Who waits for its whole cluster waits at a barrier of this number.
#[cfg(not(target_family = "wasm"))]
pub const CLUSTER_BARRIER: u32 = 16;

/// What the warps of a block share.
#[derive(Debug, Default)]
pub struct Shared {
    /// Block index.
    pub index: [u32; 3],
    /// Linear block index.
    pub linear: u64,
    /// Slot among resident blocks.
    pub slot: u32,
    /// Shared memory.
    pub bytes: Vec<u8>,
    /// Barriers.
    pub barriers: Vec<Barrier>,
    /// Barriers that lanes have arrived at, one bit each; the others' lists are those of an earlier phase.
    pub waited: u32,
    /// Since completeness was looked at somebody arrived or exited: nothing else completes a barrier.
    pub moved: bool,
    /// Its mbarriers that live, by address in shared memory, ascending.
    pub mbarriers: Vec<u64>,
    /// Lanes that exist and have not exited, by warp.
    pub live: Vec<u32>,
    /// Warp instructions so far.
    pub ran: u64,
    /// Its place in its cluster, where there are clusters.
    #[cfg(not(target_family = "wasm"))]
    pub member: super::cluster::Member,
}

/// What is wrong when two warps name different numbers of threads at one barrier.
fn counts(id: u32, first: u32, second: u32) -> String {
    let words = |count| if count == 0 { "all threads".to_owned() } else { format!("{count} threads") };
    format!("barrier {id} is for {} where the first warp came to it and for {} here", words(first), words(second))
}

/// A block.
#[derive(Debug, Default)]
pub struct Block {
    /// Its warps.
    pub warps: Vec<Warp>,
    /// What they share.
    pub shared: Shared,
}

/// How a block's turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// All threads have exited.
    Done,
    /// It waits for another block.
    Wait,
    /// It has had its time.
    Yield,
    /// The launch is over.
    Stop,
}

/// How a warp's turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarpTurn {
    Done,
    Blocked,
    Spin,
    Yield,
    Stop,
}

impl Shared {
    /// The warp's name for observers.
    pub fn warp(&self, index: u32) -> WarpId {
        WarpId { block: self.linear, slot: self.slot, warp: index }
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Bytes that a block needs to begin.
    fn needs(&self) -> u64 {
        let context = self.context;
        let threads: u32 = context.block.iter().product();
        let info = &context.decoded.code.functions[context.function as usize];
        let shared = u64::from(context.static_end()) + u64::from(context.dynamic_shared);
        u64::from(threads.div_ceil(32)) * Warp::bytes_of(info) + shared
    }

    /// May a block begin beside those that wait? One that was there before has its room.
    pub fn has_room(&self, block: &Block) -> bool {
        !block.warps.is_empty() || self.state + self.needs() <= self.state_limit()
    }

    /// May these blocks begin together beside those that wait?
    #[cfg(not(target_family = "wasm"))]
    pub fn has_room_for(&self, blocks: &[(u32, Block)]) -> bool {
        let fresh = blocks.iter().filter(|(_, block)| block.warps.is_empty()).count() as u64;
        self.state + fresh * self.needs() <= self.state_limit()
    }

    /// Prepares a block for its first instruction. False if it needs more than there may be: the launch is over.
    pub fn start_block(&mut self, block: &mut Block, linear: u64, slot: u32) -> bool {
        let context = self.context;
        let grid = context.grid;
        let (x, y) = (u64::from(grid[0]), u64::from(grid[1]));
        block.shared.index = [(linear % x) as u32, (linear / x % y) as u32, (linear / (x * y)) as u32];
        block.shared.linear = linear;
        block.shared.slot = slot;
        let info = &context.decoded.code.functions[context.function as usize];
        let excess = if u64::from(info.local) > self.stack_limit() {
            Some(FindingKind::StackOverflow { limit: context.config.limits.stack })
        } else if context.is_interrupted() {
            // Blocks that are soon done never come to look by themselves.
            Some(FindingKind::interrupted(0, Vec::new()))
        } else if !self.has_room(block) {
            Some(FindingKind::StateLimit { limit: context.config.limits.state })
        } else {
            None
        };
        if let Some(kind) = excess {
            self.fault(&block.shared, &Warp::default(), info.start, 1, kind);
            return false;
        }
        if block.warps.is_empty() {
            self.state += self.needs();
        }
        let threads: u32 = context.block.iter().product();
        // Without dynamic shared memory the last array's end is the end.
        let bytes = match context.dynamic_shared {
            // What is reserved need not be there where nobody can touch it.
            0 if context.static_end() == context.shared_low() => 0,
            0 => context.static_end(),
            dynamic => context.dynamic_base() + dynamic,
        };
        block.shared.bytes.clear();
        block.shared.bytes.resize(bytes as usize, 1);
        let poison = context.poison(linear);
        for (at, word) in block.shared.bytes.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            *word = poisoned(poison, at as u32).to_le_bytes();
        }
        let warps = threads.div_ceil(32) as usize;
        (block.shared.waited, block.shared.moved, block.shared.ran) = (0, false, 0);
        block.warps.resize_with(warps, Warp::default);
        block.shared.mbarriers.clear();
        block.shared.live.clear();
        for (index, warp) in block.warps.iter_mut().enumerate() {
            warp.start(index as u32, context.block, context.function, info, context.poison(0));
            block.shared.live.push(warp.lanes);
        }
        self.count(info.start, |c| c.warps += warps as u64);
        if O::ACTIVE {
            self.observer.block_start(block.shared.warp(0), threads, bytes);
            self.block_begins(block);
        }
        true
    }

    /// Runs a block until it is done, waits for others, or has had its time.
    pub fn run_block(&mut self, block: &mut Block) -> Turn {
        let count = block.warps.len();
        let (mut rounds, mut idle) = (0, 0);
        loop {
            let (mut ran, mut spinning, mut done) = (0, 0, 0);
            for at in 0..count {
                let Block { warps, shared } = &mut *block;
                let warp = &mut warps[at];
                if warp.live() == 0 {
                    done += 1;
                    continue;
                }
                if warp.groups.iter().all(|group| matches!(group.state, State::Barrier(_))) {
                    continue;
                }
                let before = self.clock;
                match self.run_warp(shared, warp) {
                    WarpTurn::Stop => return Turn::Stop,
                    WarpTurn::Done => ran += 1,
                    WarpTurn::Blocked => ran += u32::from(self.clock > before),
                    WarpTurn::Yield => ran += 1,
                    WarpTurn::Spin => spinning += 1,
                }
                self.complete_barriers(block);
                self.pass_cluster(block);
            }
            if done == count {
                return self.end_block(block);
            }
            if ran == 0 && spinning == 0 && Self::awaits_cluster(block) {
                return Turn::Wait;
            }
            if ran == 0 && spinning == 0 {
                // Nobody ran: either a barrier has just let some go, or nobody ever will.
                let ready = |warp: &Warp| warp.groups.iter().any(|group| matches!(group.state, State::Ready));
                idle += 1;
                // Before Volta a ready group may be held back by others of its warp at a barrier.
                if idle > 4 || !block.warps.iter().any(ready) {
                    self.deadlock(block);
                    return Turn::Stop;
                }
            } else if ran == 0 {
                return Turn::Wait;
            } else {
                idle = 0;
            }
            rounds += 1;
            if rounds >= 64 && spinning > 0 {
                return Turn::Yield;
            }
        }
    }

    /// All its threads have exited.
    pub fn end_block(&mut self, block: &Block) -> Turn {
        if O::ACTIVE {
            let visits = self.observer.block_end(block.shared.warp(0));
            #[cfg(not(target_family = "wasm"))]
            self.overstayed(visits);
            #[cfg(target_family = "wasm")]
            let _ = visits;
        }
        self.busiest = self.busiest.max(block.shared.ran);
        self.ended += 1;
        // The step limit is for what does not come to an end.
        // Most blocks have told of none: a store would take the cache line from the other host threads.
        if self.context.steps.load(Relaxed) != 0 {
            self.context.steps.store(0, Relaxed);
        }
        self.unreported = 0;
        Turn::Done
    }

    /// A group arrives at a block barrier.
    pub fn barrier(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, mask: u32, op: &BarrierOp) -> Flow {
        let group = warp.groups[at];
        if mask == 0 {
            warp.groups[at].pc += 1;
            return Flow::Continue;
        }
        self.count(group.pc, |c| c.barriers += 1);
        let lane = mask.trailing_zeros() as usize;
        let id = warp.read_lane(group.frame, op.id, lane) as u32;
        let count = warp.read_lane(group.frame, op.count, lane) as u32;
        if id > 15 || !count.is_multiple_of(32) {
            let explanation = if id > 15 {
                format!("barrier {id}: there are sixteen, 0 to 15")
            } else {
                format!("barrier {id} is for {count} threads: only whole warps can be named, multiples of 32")
            };
            return self.fault(shared, warp, group.pc, mask, FindingKind::DivergentBarrier { explanation });
        }
        if shared.barriers.len() <= id as usize {
            shared.barriers.resize(id as usize + 1, Barrier::default());
        }
        let warps = shared.live.len();
        shared.moved = true;
        let barrier = &mut shared.barriers[id as usize];
        if shared.waited >> id & 1 == 0 {
            shared.waited |= 1 << id;
            barrier.open(warps, count, group.pc);
        }
        let pre_volta = self.context.config.schedule == Schedule::PreVolta;
        // Before Volta a warp arrives as one, whoever of it is there.
        let arriving = if pre_volta { warp.live() } else { mask };
        barrier.arrived[warp.index as usize] |= arriving;
        let votes = warp.read_predicate(group.frame, op.a);
        barrier.votes[warp.index as usize] |= mask & if op.negated { !votes } else { votes };
        if op.kind == BarrierKind::Arrive {
            barrier.passing[warp.index as usize] |= arriving;
            if O::ACTIVE {
                self.observer.arrive(
                    WarpId { block: shared.linear, slot: shared.slot, warp: warp.index },
                    id,
                    arriving,
                );
            }
        }
        let (first, expected) = (barrier.pc, barrier.expected);
        if self.context.config.checks.barriers && op.aligned {
            // Lanes may come one by one, and some may exit instead: only what the others do tells whether they diverged.
            // Before Volta nobody else of the warp runs until the barrier is complete, so their way is looked at.
            let missing = if pre_volta { self.missing(warp, mask) } else { 0 };
            // A barrier for a number of threads may be one for producers and consumers, which wait in places of their own.
            let elsewhere = |other: &super::warp::Group| {
                other.state == State::Barrier(id) && self.different_barrier(other.pc, group.pc)
            };
            // Warps may come to several in inline PTX, too: the instruction is each warp's own.
            let apart = if count == 0 && op.kind != BarrierKind::Arrive && !(op.written && self.is_written(first)) {
                first != group.pc && self.different_barrier(first, group.pc)
            } else {
                warp.groups.iter().any(elsewhere)
            };
            if missing != 0 || apart || expected != count {
                let explanation = if expected != count {
                    counts(id, expected, count)
                } else if missing != 0 {
                    super::schedule::lanes_missing(id, mask, missing)
                } else {
                    format!("warps wait at barrier {id} {ELSEWHERE}")
                };
                self.report(
                    shared,
                    warp,
                    group.pc,
                    mask,
                    FindingKind::DivergentBarrier { explanation },
                    crate::Severity::Error,
                );
            }
        }
        if mask != group.mask {
            warp.split(at, mask);
            // `split` leaves the lanes of `mask` at this place.
        }
        if op.kind == BarrierKind::Arrive {
            warp.groups[at].pc += 1;
            return Flow::Switch;
        }
        warp.groups[at].state = State::Barrier(id);
        Flow::Switch
    }

    /// Is it a barrier of inline PTX?
    fn is_written(&self, pc: u32) -> bool {
        let code = &self.context.decoded.code;
        matches!(code.insts[pc as usize].op, Op::Barrier(index) if code.barriers[index as usize].written)
    }

    fn different_barrier(&self, a: u32, b: u32) -> bool {
        let origins = &self.context.decoded.code.origins;
        origins[a as usize].ptx_line != origins[b as usize].ptx_line
    }

    /// Lets go everybody whose barrier is complete. True if there was somebody.
    pub fn complete_barriers(&mut self, block: &mut Block) -> bool {
        if !std::mem::take(&mut block.shared.moved) {
            return false;
        }
        let mut woke = false;
        let mut waited = block.shared.waited;
        while waited != 0 {
            let id = waited.trailing_zeros() as usize;
            waited &= waited - 1;
            let barrier = &mut block.shared.barriers[id];
            // A warp has arrived when all of its lanes that are left have.
            let whole = |(arrived, live): (&u32, &u32)| *arrived != 0 && live & !arrived == 0;
            let complete = if barrier.expected == 0 {
                barrier.arrived.iter().zip(&block.shared.live).all(|(arrived, live)| live & !arrived == 0)
            } else {
                let warps = barrier.arrived.iter().zip(&block.shared.live).filter(|&pair| whole(pair)).count();
                warps as u64 * 32 >= u64::from(barrier.expected)
            };
            if !complete {
                continue;
            }
            let votes: u32 = barrier.votes.iter().map(|mask| mask.count_ones()).sum();
            let threads: u32 = barrier.arrived.iter().map(|mask| mask.count_ones()).sum();
            let counted = barrier.expected != 0;
            block.shared.waited &= !(1 << id);
            woke = true;
            if O::ACTIVE {
                let mut participants = std::mem::take(&mut barrier.arrived);
                participants.iter_mut().zip(&barrier.passing).for_each(|(all, passing)| *all &= !passing);
                self.observer.block_barrier(block.shared.warp(0), id as u32, &participants, counted);
                block.shared.barriers[id].arrived = participants;
            }
            for (index, warp) in block.warps.iter().enumerate() {
                let passed = block.shared.barriers[id].arrived.get(index).copied().unwrap_or_default();
                self.record_barrier(block.shared.linear, warp, passed);
            }
            for warp in &mut block.warps {
                let mut at = 0;
                while at < warp.groups.len() {
                    if warp.groups[at].state == State::Barrier(id as u32) {
                        let group = warp.groups[at];
                        if let Op::Barrier(index) = self.context.decoded.code.insts[group.pc as usize].op {
                            let op = &self.context.decoded.code.barriers[index as usize];
                            let value = match op.kind {
                                BarrierKind::RedPopc => votes,
                                BarrierKind::RedAnd => u32::from(votes == threads),
                                _ => u32::from(votes > 0),
                            };
                            if op.d != Reg::None {
                                warp.write(group.frame, op.d, group.mask, &[value.into(); 32]);
                            }
                        }
                        warp.groups[at].state = State::Ready;
                        warp.groups[at].pc += 1;
                        warp.groups[at].since = Since::Together;
                    }
                    at += 1;
                }
                warp.merge();
            }
        }
        woke
    }
}
