//! Turns under an explored schedule: of all that is resident the group with the lowest rank goes next.

use super::order::Control;
use crate::exec::block::{Block, Turn};
use crate::exec::context::{Flow, Worker};
use crate::exec::schedule::run::QUANTUM;
use crate::exec::warp::{Group, Spins, State};
use crate::observe::Observer;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Blocks that are under way at once as long as nobody waits for a later one.
const WINDOW: usize = 16;

/// What orders a warp among all: rank and position; and its index.
type Key = (u64, u64, u32, usize);

/// What a warp can do next, as long as nothing changes that it depends on.
#[derive(Debug, Clone, Copy)]
struct Choice {
    /// None while nobody of it can run.
    key: Option<Key>,
    /// Somebody polls: who can run depends on what others changed.
    polls: bool,
    /// [`Worker::changes`] when it was made.
    changes: u64,
}

/// A resident block's choices.
#[derive(Debug, Default)]
struct Choices {
    /// By warp; None where it has to be made anew.
    warps: Vec<Option<Choice>>,
    /// The best of them, if it is still that.
    best: Option<Option<Key>>,
    /// Some warp polls.
    polls: bool,
    /// [`Worker::changes`] when the best was looked for.
    changes: u64,
}

impl Choices {
    /// A warp has had its turn, which `woke` others perhaps.
    fn forget(&mut self, warp: usize, woke: bool) {
        self.best = None;
        if woke {
            self.warps.clear();
        } else if let Some(choice) = self.warps.get_mut(warp) {
            *choice = None;
        }
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Runs all blocks.
    pub fn explore(&mut self, next: &AtomicU64, mut slots: Range<u32>) {
        let mut resident: Vec<Block> = Vec::new();
        let mut free: Vec<(u32, Block)> = Vec::new();
        let mut choices: Vec<Choices> = Vec::new();
        let in_turn = self.control.as_ref().is_some_and(Control::is_in_turn);
        loop {
            let aside = self.come_back();
            while (in_turn || resident.len() < WINDOW + aside) && self.admit(next, &mut slots, &mut free, &mut resident)
            {
            }
            choices.resize_with(resident.len(), Choices::default);
            if self.control.as_mut().is_some_and(|control| control.aside.moved()) {
                choices.iter_mut().for_each(|choices| *choices = Choices::default());
            }
            // No two warps have the same key. This loop is run once a turn.
            let mut next_turn: Option<(Key, usize)> = None;
            for (at, (block, choices)) in resident.iter().zip(&mut choices).enumerate() {
                if let Some(key) = self.best(block, choices)
                    && next_turn.is_none_or(|(best, _)| key < best)
                {
                    next_turn = Some((key, at));
                }
            }
            match next_turn {
                Some((_, at)) if self.goes_on(&resident[at]) => {}
                Some(((_, _, _, warp), at)) => {
                    self.unpark(&mut resident[at]);
                    let (turn, woke) = self.turn(&mut resident[at], warp);
                    self.park(&mut resident[at]);
                    choices[at].forget(warp, woke);
                    if self.cluster_moved() {
                        resident.iter_mut().for_each(|block| self.pass_cluster(block));
                        choices.iter_mut().for_each(|choices| *choices = Choices::default());
                    }
                    match turn {
                        Turn::Stop => return,
                        Turn::Done => {
                            let block = resident.swap_remove(at);
                            self.leave_cluster(&block);
                            choices.swap_remove(at);
                            free.push((block.shared.slot, block));
                        }
                        Turn::Wait | Turn::Yield => {}
                    }
                }
                None if resident.is_empty() || self.stopped => return,
                None => {
                    choices.clear();
                    let more = self.admit(next, &mut slots, &mut free, &mut resident)
                        || resident.iter_mut().any(|block| self.release_one(block))
                        || self.come();
                    if !more {
                        // A block that was not allowed to start is no proof that nobody can go on.
                        if !self.stopped {
                            self.stuck(&resident);
                        }
                        return;
                    }
                }
            }
        }
    }

    /// Blocks that stepped aside come back where the others only wait. How many are left.
    fn come_back(&mut self) -> usize {
        let Some(control) = self.control.as_mut().filter(|control| control.aside.len() > 0) else { return 0 };
        control.aside.look(self.clock, self.late.as_ref().map_or(0, |late| late.looks));
        control.aside.len()
    }

    /// Does a block that stepped aside come back because nobody else can go on?
    fn goes_on(&mut self, block: &Block) -> bool {
        let block = block.shared.linear;
        let Some(control) = self.control.as_mut().filter(|control| control.aside.has(block)) else { return false };
        control.aside.comes_back(block);
        true
    }

    /// The block's best warp.
    #[inline]
    fn best(&self, block: &Block, choices: &mut Choices) -> Option<Key> {
        if let Some(best) = choices.best
            && (!choices.polls || choices.changes == self.changes)
        {
            return best;
        }
        self.look_for_best(block, choices)
    }

    fn look_for_best(&self, block: &Block, choices: &mut Choices) -> Option<Key> {
        choices.warps.resize(block.warps.len(), None);
        (choices.polls, choices.changes) = (false, self.changes);
        let mut best: Option<Key> = None;
        for (at, known) in choices.warps.iter_mut().enumerate() {
            let choice = match known {
                Some(choice) if !choice.polls || choice.changes == self.changes => *choice,
                _ => *known.insert(self.choice(block, at)),
            };
            choices.polls |= choice.polls;
            if let Some(key) = choice.key
                && best.is_none_or(|best| key < best)
            {
                best = Some(key);
            }
        }
        choices.best = Some(best);
        best
    }

    /// What a warp of the block can do.
    fn choice(&self, block: &Block, at: usize) -> Choice {
        let warp = &block.warps[at];
        let polls = warp.groups.iter().any(|group| group.spins.polls);
        let key = self.control.as_ref().zip(self.first(warp)).map(|(control, ((rank, ..), _))| {
            let linear = if control.blocks_reversed { u64::MAX - block.shared.linear } else { block.shared.linear };
            (
                rank + control.aside.behind(block.shared.linear),
                linear,
                if control.warps_reversed { u32::MAX - warp.index } else { warp.index },
                at,
            )
        });
        Choice { key, polls, changes: self.changes }
    }

    /// A warp's turn, as long as its groups have the rank that it was chosen for; and whether it let others of its block go on.
    fn turn(&mut self, block: &mut Block, at: usize) -> (Turn, bool) {
        let Block { warps, shared } = &mut *block;
        let warp = &mut warps[at];
        let mut rank = None;
        loop {
            warp.merge();
            let Some((key, group)) = self.first(warp) else { break };
            if *rank.get_or_insert(key.0) != key.0 {
                break;
            }
            let start = self.clock;
            let changes = self.changes;
            let flow = self.run_group(shared, warp, group, start + QUANTUM);
            if self.stopped || flow == Flow::Stop {
                return (Turn::Stop, false);
            }
            let long = self.clock >= start + QUANTUM;
            if long {
                self.ran_long(warp);
            }
            if flow == Flow::Spin {
                self.look(warp, group);
                if let (Some(control), Some(Group { spins: Spins { polls: true, .. }, .. })) =
                    (&mut self.control, warp.groups.get(group))
                {
                    control.proven();
                }
                warp.idle += 1;
            } else {
                warp.idle = 0;
            }
            let (spent, spins) = (self.clock - start, flow == Flow::Spin && !long);
            if spins && self.control.as_ref().is_some_and(|control| control.is_patient()) {
                self.count_on(shared.linear, warp, group);
            }
            let goes_on = spins && self.control.as_mut().is_some_and(|control| control.goes_on_waiting(spent));
            if (flow == Flow::Spin || long)
                && !goes_on
                && let (Some(control), Some(group)) = (&mut self.control, warp.groups.get_mut(group))
            {
                // Whoever waits, or has run for long, lets all others go first.
                group.rank = control.last();
            }
            let ready = || warp.groups.iter().filter(|group| group.state == State::Ready).count();
            if flow == Flow::Spin && warp.idle >= ready() {
                warp.idle = 0;
                self.release(shared, warp);
            }
            let others = warp.groups.iter().any(|group| matches!(group.state, State::Barrier(_)));
            let aside = self.control.as_ref().is_some_and(|control| control.aside.has(shared.linear));
            if flow == Flow::Spin || long || others || aside || self.changes != changes {
                break;
            }
        }
        let ended = warp.live() == 0;
        let woke = self.complete_barriers(block);
        let ended = ended && block.shared.live.iter().all(|lanes| *lanes == 0);
        (if ended { self.end_block(block) } else { Turn::Yield }, woke)
    }

    /// Starts one more block, if there is one and room for it.
    fn admit(
        &mut self,
        next: &AtomicU64,
        slots: &mut Range<u32>,
        free: &mut Vec<(u32, Block)>,
        resident: &mut Vec<Block>,
    ) -> bool {
        if self.context.clustered {
            return self.admit_cluster(next, slots, free, resident);
        }
        let reversed = self.control.as_ref().is_some_and(|control| control.blocks_reversed);
        let Some((slot, mut block)) = free.pop().or_else(|| slots.next().map(|slot| (slot, Block::default()))) else {
            return false;
        };
        let chosen = self.context.config.blocks.as_deref();
        let total = chosen.map_or_else(|| self.blocks(), |chosen| chosen.len() as u64);
        let room = resident.is_empty() || self.has_room(&block);
        let linear = if room { next.fetch_add(1, Relaxed) } else { total };
        if linear >= total {
            free.push((slot, block));
            return false;
        }
        let at = if reversed { total - 1 - linear } else { linear };
        let started = self.start_block(&mut block, chosen.map_or(at, |chosen| chosen[at as usize]), slot);
        if started {
            resident.push(block);
        }
        started
    }

    /// Lets lanes of some warp go on from a join without the rest.
    fn release_one(&mut self, block: &mut Block) -> bool {
        let Block { warps, shared } = block;
        let released = warps.iter_mut().any(|warp| self.release(shared, warp));
        self.complete_barriers(block);
        released
    }
}
