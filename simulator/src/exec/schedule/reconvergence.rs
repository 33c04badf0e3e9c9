//! Where diverged lanes wait for each other, and how they go on.

use super::super::block::Shared;
use super::super::context::{Flow, Worker};
use super::super::warp::{Group, Meeting, Spins, State, Warp};
use crate::config::Schedule;
use crate::observe::Observer;

impl Warp {
    /// Splits the group: `mask` stays at its place in `groups`, the others become a group at the next operation.
    pub fn split(&mut self, at: usize, mask: u32) {
        let group = self.groups[at];
        let rest = group.mask & !mask;
        if rest != 0 {
            self.groups.push(Group { mask: rest, pc: group.pc + 1, ..group });
            self.groups[at].mask = mask;
        }
    }

    /// Joins ready groups that are at the same place.
    pub fn merge(&mut self) {
        if !self.some_meet() {
            return;
        }
        let mut at = 0;
        while at < self.groups.len() {
            let mut other = at + 1;
            while other < self.groups.len() {
                if self.groups[at].meets(&self.groups[other]) {
                    let b = self.groups.swap_remove(other);
                    let a = &mut self.groups[at];
                    a.mask |= b.mask;
                    a.turn = a.turn.min(b.turn);
                    a.rank = a.rank.min(b.rank);
                    a.spins = Spins::default();
                } else {
                    other += 1;
                }
            }
            at += 1;
        }
    }

    /// Are there ready groups at the same place? In one pass: it is asked after every turn, and hardly ever so.
    fn some_meet(&self) -> bool {
        let mut seen = [0u64; 4];
        for (at, group) in self.groups.iter().enumerate().filter(|(_, group)| group.state == State::Ready) {
            // Neighbouring places, and neighbouring clans at one place, have different numbers.
            let number = group.pc.wrapping_mul(0x9e37_79b1).wrapping_add(group.clan) & 0xff;
            let (word, bit) = ((number >> 6) as usize, 1 << (number & 63));
            if seen[word] & bit != 0 && self.groups[..at].iter().any(|other| other.meets(group)) {
                return true;
            }
            seen[word] |= bit;
        }
        false
    }

    /// Lanes that will never come to a meeting.
    pub(super) fn forget(&mut self, lanes: u32) {
        for meeting in &mut self.meetings {
            meeting.members &= !lanes;
        }
        self.settle();
    }

    /// Lanes that belong to a clan from now on: the others do not wait for them.
    pub fn leave(&mut self, lanes: u32, clan: u32) {
        for meeting in self.meetings.iter_mut().filter(|meeting| meeting.clan != clan) {
            meeting.members &= !lanes;
        }
        self.settle();
    }

    /// Lets complete meetings go on.
    fn settle(&mut self) {
        let mut at = 0;
        while at < self.meetings.len() {
            let meeting = self.meetings[at];
            let here = |group: &Group| group.state == State::Joining && meeting.is_for(group);
            let arrived = self.groups.iter().filter(|group| here(group)).fold(0, |mask, group| mask | group.mask);
            if meeting.members & !arrived == 0 {
                self.meetings.swap_remove(at);
                let mut first = None;
                let mut index = 0;
                while index < self.groups.len() {
                    if here(&self.groups[index]) {
                        match first {
                            None => {
                                self.groups[index].state = State::Ready;
                                self.groups[index].pc += 1;
                                if meeting.clan == 0 {
                                    self.groups[index].turn = 0;
                                }
                                first = Some(index);
                            }
                            Some(first) => {
                                let Group { mask, rank, .. } = self.groups[index];
                                let to: &mut Group = &mut self.groups[first];
                                to.mask |= mask;
                                to.rank = to.rank.min(rank);
                                self.groups.swap_remove(index);
                                continue;
                            }
                        }
                    }
                    index += 1;
                }
            } else {
                at += 1;
            }
        }
    }
}

impl Group {
    /// Are both ready and at the same place, so that they can go on as one?
    fn meets(&self, other: &Self) -> bool {
        self.pc == other.pc
            && self.frame == other.frame
            && self.clan == other.clan
            && self.state == State::Ready
            && other.state == State::Ready
    }
}

impl Meeting {
    /// Is it where this group's lanes would meet?
    pub(super) fn is_for(&self, group: &Group) -> bool {
        self.pc == group.pc && self.frame == group.frame && self.clan == group.clan
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Lets those at a join go on without the rest.
    pub(super) fn release(&mut self, shared: &Shared, warp: &mut Warp) -> bool {
        if self.context.config.schedule == Schedule::PreVolta {
            return false;
        }
        let joining = warp.groups.iter().enumerate().filter(|(_, group)| group.state == State::Joining);
        let Some(at) = joining.min_by_key(|(_, group)| group.pc).map(|(at, _)| at) else { return false };
        let group = warp.groups[at];
        if !self.only_exits(group.pc) {
            self.left_behind(shared, warp, group);
        }
        warp.groups[at].state = State::Ready;
        warp.groups[at].pc += 1;
        for meeting in &mut warp.meetings {
            if meeting.is_for(&group) {
                meeting.members &= !group.mask;
            }
        }
        warp.meetings.retain(|meeting| meeting.members != 0);
        warp.settle();
        true
    }

    pub(super) fn join(&mut self, warp: &mut Warp, at: usize) -> Flow {
        let group = warp.groups[at];
        let meeting = warp.meetings.iter().find(|meeting| meeting.is_for(&group)).copied();
        match meeting {
            Some(meeting) if meeting.members & group.mask != 0 => {
                if meeting.members & !group.mask == 0 {
                    warp.meetings.retain(|meeting| !meeting.is_for(&group));
                    warp.groups[at].pc += 1;
                    return Flow::Switch;
                }
                warp.groups[at].state = State::Joining;
                // Whoever has nothing left but to end comes to no other meeting.
                if warp.meetings.len() > 1 && self.only_exits(group.pc) {
                    for other in warp.meetings.iter_mut().filter(|other| !other.is_for(&group)) {
                        other.members &= !group.mask;
                    }
                }
                warp.settle();
                Flow::Switch
            }
            _ => {
                warp.groups[at].pc += 1;
                Flow::Continue
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::warp::Since;
    use super::*;

    fn group(pc: u32, clan: u32, state: State) -> Group {
        let spins = Spins::default();
        Group { mask: 1, pc, frame: 0, state, turn: 0, rank: 0, clan, since: Since::Asked, spins }
    }

    #[test]
    fn one_pass_finds_whom_every_pair_would() {
        let mut random = 7u32;
        let mut below = |bound: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 16) % bound
        };
        let mut met = 0;
        for round in 0..2000u32 {
            // From a few places, where many meet, to places that share a number without being the same.
            let (places, clans) = (1 << (round % 12), 1 << (round / 12 % 6));
            let states = [State::Ready, State::Ready, State::Ready, State::Joining];
            let one = |_| group(below(places), below(clans), states[below(4) as usize]);
            let warp = Warp { groups: (0..round % 33).map(one).collect(), ..Warp::default() };
            let pairs = |at: usize| warp.groups[..at].iter().any(|other| other.meets(&warp.groups[at]));
            let some = (0..warp.groups.len()).any(pairs);
            assert_eq!(warp.some_meet(), some, "{:?}", warp.groups);
            met += usize::from(some);
        }
        assert!((200..1800).contains(&met), "{met} of 2000: both must be tried");
    }
}
