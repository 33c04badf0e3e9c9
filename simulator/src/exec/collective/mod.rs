//! Instructions that lanes execute together: shuffles, votes, matches, reductions, elections, `bar.warp.sync`.

pub mod matrix;
pub mod mbarrier;
pub(in crate::exec) mod shuffle;

use super::block::Shared;
use super::context::{Flow, Worker};
use super::warp::{Group, Since, State, Warp};
use crate::config::Schedule;
use crate::isa::op::{CollectiveFn, CollectiveOp, Op, Reg, Vote};
use crate::observe::Observer;
use crate::{FindingKind, Severity};

/// The lanes of a mask.
fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 != 0)
}

/// A group waits at a `*.sync` instruction: lanes that named others than its first lane did are groups of their own, for each waits for
/// other lanes. Are there such?
fn wait_by_mask(warp: &mut Warp, at: usize, masks: &[u64; 32]) -> bool {
    let group = Group { state: State::Converging, ..warp.groups[at] };
    // Each names itself, said or not.
    let named = |lane: usize, other: usize| masks[lane] as u32 | 1 << lane | 1 << other;
    let mut left = group.mask;
    while left != 0 {
        let first = left.trailing_zeros() as usize;
        let same =
            lanes(left).filter(|&lane| named(lane, first) == named(first, lane)).fold(0, |all, lane| all | 1 << lane);
        if left == group.mask {
            warp.groups[at] = Group { mask: same, ..group };
        } else {
            warp.groups.push(Group { mask: same, ..group });
        }
        left &= !same;
    }
    warp.groups[at].mask != group.mask
}

impl<O: Observer> Worker<'_, O> {
    /// The member mask by lane of the operation at a group's place.
    fn member_masks(&self, warp: &Warp, group: &Group) -> [u64; 32] {
        match self.context.decoded.code.insts[group.pc as usize].op {
            Op::WarpBarrier { mask } => warp.read(group.frame, Reg::R32(mask)),
            Op::Collective(index) => {
                let op = &self.context.decoded.code.collectives[index as usize];
                match op.mask {
                    // Without `.sync`: whoever is there.
                    Reg::None => [group.mask.into(); 32],
                    reg => warp.read(group.frame, reg),
                }
            }
            // Matrix instructions take the whole warp.
            Op::Matrix(_) => [u32::MAX.into(); 32],
            _ => [0; 32],
        }
    }

    fn is_barrier(&self, group: &Group) -> bool {
        matches!(self.context.decoded.code.insts[group.pc as usize].op, Op::WarpBarrier { .. })
    }

    /// The lanes that a group at an exchange or a vote asked for. A warp's barrier may be met elsewhere, so it names none.
    pub fn asked(&self, warp: &Warp, group: &Group) -> u32 {
        if self.is_barrier(group) {
            return 0;
        }
        self.member_masks(warp, group)[group.mask.trailing_zeros() as usize & 31] as u32
    }

    /// The lanes that a group names, at a warp's barrier too.
    pub fn named(&self, warp: &Warp, group: &Group) -> u32 {
        self.member_masks(warp, group)[group.mask.trailing_zeros() as usize & 31] as u32
    }

    /// Lanes that a waiting group waits for.
    pub fn lacking(&self, warp: &Warp, group: &Group) -> u32 {
        let here = |other: &&Group| other.state == State::Converging && other.pc == group.pc;
        let arrived = warp.groups.iter().filter(here).fold(0, |mask, group| mask | group.mask);
        self.named(warp, group) & warp.live() & !arrived
    }

    /// Where a group waits for lanes of its warp, in words.
    pub fn meets_at(&self, group: &Group) -> &'static str {
        let code = &self.context.decoded.code;
        match code.insts[group.pc as usize].op {
            Op::WarpBarrier { .. } => "a __syncwarp()",
            Op::Matrix(_) => "a matrix instruction",
            Op::Collective(index) => match code.collectives[index as usize].f {
                CollectiveFn::ShflUp | CollectiveFn::ShflDown | CollectiveFn::ShflBfly | CollectiveFn::ShflIdx => {
                    "a shuffle"
                }
                CollectiveFn::Vote(_) => "a vote",
                CollectiveFn::MatchAny | CollectiveFn::MatchAll => "a match",
                CollectiveFn::Redux(_) => "a reduction",
                CollectiveFn::Elect => "an election",
            },
            _ => "a warp-wide instruction",
        }
    }

    /// A group comes to a `*.sync` instruction.
    pub fn converge(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, mask: u32) -> Flow {
        let group = warp.groups[at];
        if mask == 0 {
            self.counted(warp, &group, 0);
            warp.groups[at].pc += 1;
            return Flow::Continue;
        }
        if mask != group.mask {
            // Lanes whose guard is false go past it.
            warp.split(at, mask);
        }
        let group = warp.groups[at];
        let masks = self.member_masks(warp, &group);
        self.check_members(shared, warp, &group, &masks);
        if self.context.config.schedule == Schedule::PreVolta {
            // Lockstep: whoever is there is together.
            return self.perform(shared, warp, at);
        }
        let live = warp.live();
        if lanes(group.mask).all(|lane| masks[lane] as u32 & live & !group.mask == 0) {
            return self.perform(shared, warp, at);
        }
        // Who comes completes nothing but what it waits for.
        if wait_by_mask(warp, at, &masks) {
            self.recheck_converging(shared, warp);
        } else {
            self.complete(shared, warp, at);
        }
        Flow::Switch
    }

    fn check_members(&mut self, shared: &Shared, warp: &Warp, group: &Group, masks: &[u64; 32]) {
        if !self.context.config.checks.barriers {
            return;
        }
        let gone = !warp.live();
        if gone != 0 && matches!(self.context.decoded.code.insts[group.pc as usize].op, Op::Matrix(_)) {
            let explanation = format!(
                "all 32 lanes of a warp take part in a matrix instruction, and lanes {gone:#010x} have left the kernel or were never \
                 there: what the others get is undefined"
            );
            self.report(shared, warp, group.pc, group.mask, FindingKind::sync_mask(explanation), Severity::Error);
        }
        self.check_agreement(shared, warp, group, masks);
        let themselves = (0..32).fold(0u32, |mask, lane| mask | masks[lane] as u32 & 1 << lane);
        let outside = group.mask & !themselves;
        if outside != 0 {
            let lane = outside.trailing_zeros() as usize;
            let explanation = format!("lanes {outside:#010x} execute it, but its mask is {:#010x}", masks[lane] as u32);
            let kind = FindingKind::sync_mask(explanation);
            self.report(shared, warp, group.pc, outside, kind, Severity::Error);
        }
    }

    /// Lanes that come together and name each other have to name the same lanes. Of a warp's barrier they may mean another one, which
    /// is yet to come.
    fn check_agreement(&mut self, shared: &Shared, warp: &Warp, group: &Group, masks: &[u64; 32]) {
        let first = masks[group.mask.trailing_zeros() as usize & 31];
        if self.is_barrier(group) || lanes(group.mask).all(|lane| masks[lane] == first) {
            return;
        }
        let live = u64::from(warp.live());
        for lane in lanes(group.mask) {
            let mask = masks[lane];
            let differs = |other: &usize| mask >> other & 1 != 0 && (masks[*other] ^ mask) & live != 0;
            let others = lanes(group.mask).filter(differs).fold(0u32, |all, other| all | 1 << other);
            if others != 0 {
                let other = others.trailing_zeros() as usize;
                let explanation = format!(
                    "lane {lane} executes it, and its mask {mask:#010x} names lanes {others:#010x}, which come with another: lane {other} \
                     with {:#010x}",
                    masks[other]
                );
                self.report(shared, warp, group.pc, 1 << lane, FindingKind::sync_mask(explanation), Severity::Error);
                return;
            }
        }
    }

    /// The member mask of one lane of a group.
    fn member_mask(&self, warp: &Warp, group: &Group, lane: usize) -> u32 {
        match self.context.decoded.code.insts[group.pc as usize].op {
            Op::WarpBarrier { mask } => warp.read_lane(group.frame, Reg::R32(mask), lane) as u32,
            Op::Collective(index) => match self.context.decoded.code.collectives[index as usize].mask {
                Reg::None => group.mask,
                reg => warp.read_lane(group.frame, reg, lane) as u32,
            },
            Op::Matrix(_) => u32::MAX,
            _ => 0,
        }
    }

    /// Lanes of a group that named `members`; each names itself, said or not.
    fn lanes_that_named(&self, warp: &Warp, group: &Group, members: u32) -> u32 {
        lanes(group.mask)
            .filter(|&lane| self.member_mask(warp, group, lane) | 1 << lane == members | 1 << lane)
            .fold(0, |mask, lane| mask | 1 << lane)
    }

    /// Looks whether lanes that wait at `*.sync` instructions are complete, and makes groups of those that are.
    pub fn recheck_converging(&mut self, shared: &mut Shared, warp: &mut Warp) {
        while (0..warp.groups.len()).any(|at| self.complete(shared, warp, at)) {}
    }

    /// Is everybody there whom the first lane of a waiting group named? Then they are groups that are ready.
    fn complete(&mut self, shared: &Shared, warp: &mut Warp, at: usize) -> bool {
        let group = warp.groups[at];
        if group.state != State::Converging {
            return false;
        }
        let barrier = self.is_barrier(&group);
        let first = group.mask.trailing_zeros() as usize & 31;
        let members = self.member_mask(warp, &group, first) | 1 << first;
        // Lanes with the same mask: of a barrier wherever they wait, of an exchange at the same instruction.
        let same = |other: &Group| {
            // Who called the function does not matter: it is the same instruction.
            other.state == State::Converging && if barrier { self.is_barrier(other) } else { other.pc == group.pc }
        };
        let waiting = warp.groups.iter().filter(|other| same(other)).fold(0, |mask, other| mask | other.mask);
        let wanted = members & warp.live();
        if wanted & !waiting != 0 {
            return false;
        }
        let came = |other: &Group| if same(other) { self.lanes_that_named(warp, other, members) } else { 0 };
        let came: Vec<u32> = warp.groups.iter().map(came).collect();
        let arrived = came.iter().fold(0, |mask, lanes| mask | lanes);
        if wanted & !arrived != 0 {
            return false;
        }
        let mut fresh: Vec<Group> = Vec::new();
        for (from, &lanes) in warp.groups.iter_mut().zip(&came).filter(|(_, lanes)| **lanes != 0) {
            from.mask &= !lanes;
            match fresh.iter_mut().find(|known| known.pc == from.pc && known.frame == from.frame) {
                Some(known) => {
                    known.mask |= lanes;
                    known.rank = known.rank.min(from.rank);
                }
                None => {
                    fresh.push(Group { mask: lanes, state: State::Ready, turn: 0, since: Since::Together, ..*from });
                }
            }
        }
        warp.groups.retain(|group| group.mask != 0);
        for group in &fresh {
            warp.leave(group.mask, group.clan);
        }
        if barrier {
            warp.strayed &= !arrived;
            if O::ACTIVE {
                self.observer.warp_barrier(shared.warp(warp.index), arrived);
            }
            self.record_barrier(shared.linear, warp, arrived);
            for group in fresh {
                self.counted(warp, &group, group.mask);
                self.count(group.pc, |c| c.warp_barriers += 1);
                warp.groups.push(Group { pc: group.pc + 1, ..group });
            }
        } else if fresh.len() > 1 {
            // One instruction in a function that was called from several places.
            self.perform_apart(shared, warp, &fresh);
        } else {
            // Complete now: its turn will come, and find it so.
            warp.groups.extend(fresh);
        }
        true
    }

    /// Executes it for the lanes of the group.
    fn perform(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize) -> Flow {
        let group = warp.groups[at];
        let code = &self.context.decoded.code;
        let inst = code.insts[group.pc as usize];
        self.counted(warp, &group, group.mask);
        match inst.op {
            Op::Collective(index) => {
                let op = &code.collectives[index as usize];
                self.exchange(shared, warp, std::slice::from_ref(&group), op);
                self.count_exchange(group.pc, op);
            }
            Op::Matrix(index) => {
                if self.matrix(shared, warp, at, &code.matrices[index as usize]) == Flow::Stop {
                    return Flow::Stop;
                }
            }
            _ => {
                if O::ACTIVE {
                    // Lanes with different masks are barriers of their own, met at one place.
                    let masks = self.member_masks(warp, &group);
                    let mut left = group.mask;
                    while left != 0 {
                        let first = masks[left.trailing_zeros() as usize];
                        let lanes = |lane: &u32| left >> lane & 1 != 0 && masks[*lane as usize] == first;
                        let same = (0..32).filter(lanes).fold(0, |mask, lane| mask | 1 << lane);
                        self.observer.warp_barrier(shared.warp(warp.index), same);
                        left &= !same;
                    }
                }
                self.record_barrier(shared.linear, warp, group.mask);
                self.count(group.pc, |c| c.warp_barriers += 1);
            }
        }
        warp.groups[at].pc += 1;
        warp.groups[at].since = Since::Together;
        Flow::Continue
    }

    /// Executes an exchange for lanes that came to it in different calls, each with registers of its own.
    fn perform_apart(&mut self, shared: &Shared, warp: &mut Warp, parts: &[Group]) {
        let code = &self.context.decoded.code;
        let Some(first) = parts.first() else { return };
        if let Op::Collective(index) = code.insts[first.pc as usize].op {
            let op = &code.collectives[index as usize];
            self.exchange(shared, warp, parts, op);
            self.count_exchange(first.pc, op);
        }
        for part in parts {
            self.counted(warp, part, part.mask);
            warp.groups.push(Group { pc: part.pc + 1, ..*part });
        }
    }

    fn count_exchange(&mut self, pc: u32, op: &CollectiveOp) {
        use CollectiveFn::{Elect, ShflBfly, ShflDown, ShflIdx, ShflUp};
        match op.f {
            ShflUp | ShflDown | ShflBfly | ShflIdx if op.in_vain => {}
            ShflUp | ShflDown | ShflBfly | ShflIdx => self.count(pc, |c| c.shuffles += 1),
            // An exchange of no values.
            Elect => {}
            _ => self.count(pc, |c| c.votes += 1),
        }
    }

    /// Of a `match.any` with these results, counts the different values.
    fn count_values(&mut self, group: &Group, op: &CollectiveOp, found: &[u64; 32]) {
        if matches!(op.f, CollectiveFn::MatchAny) {
            // The first lane of each value.
            let first = |lane: &u32| group.mask >> lane & 1 != 0 && found[*lane as usize].trailing_zeros() == *lane;
            let values = (0..32).filter(first).count() as u64;
            self.count(group.pc, |c| c.match_values += values);
        }
    }

    /// The lanes of `parts`, each in its own frame, exchange what `op` says.
    fn exchange(&mut self, shared: &Shared, warp: &mut Warp, parts: &[Group], op: &CollectiveOp) {
        let Some(&first) = parts.first() else { return };
        let active = parts.iter().fold(0, |mask, part| mask | part.mask);
        let group = &Group { mask: active, ..first };
        let a = gather(warp, parts, op.a);
        let masks = match op.mask {
            Reg::None => [u64::from(active); 32],
            reg => gather(warp, parts, reg),
        };
        let (mut d, mut p) = ([0u64; 32], [0u64; 32]);
        let (mut sources, mut lost) = ([0u32; 32], None);
        let each = (0..32usize).filter(|lane| active >> lane & 1 != 0);
        match &op.f {
            CollectiveFn::ShflUp | CollectiveFn::ShflDown | CollectiveFn::ShflBfly | CollectiveFn::ShflIdx => {
                let operands = [a, gather(warp, parts, op.b), gather(warp, parts, op.c)];
                (d, p, sources, lost) = self.shuffle(shared, warp, group, op, &masks, &operands);
                if let Some(trace) = &mut self.trace {
                    let code = &self.context.decoded.code;
                    trace.shuffle(code, (shared.linear, warp), group.pc, active, &sources);
                }
            }
            CollectiveFn::Vote(vote) => {
                let votes = parts.iter().map(|part| part.mask & warp.read_predicate(part.frame, op.a));
                let mut votes = votes.fold(0, |all, part| all | part);
                if op.negated {
                    votes = !votes;
                }
                for lane in each {
                    let members = masks[lane] as u32 & active;
                    let yes = votes & members;
                    d[lane] = match vote {
                        Vote::All => u64::from(yes == members),
                        Vote::Any => u64::from(yes != 0),
                        Vote::Uni => u64::from(yes == members || yes == 0),
                        Vote::Ballot => yes.into(),
                    };
                }
            }
            CollectiveFn::MatchAny | CollectiveFn::MatchAll => {
                for lane in each {
                    let members = masks[lane] as u32 & active;
                    let same = (0..32)
                        .filter(|&other| members >> other & 1 != 0 && a[other] == a[lane])
                        .fold(0u32, |mask, other| mask | 1 << other);
                    let all = same == members;
                    d[lane] = match op.f {
                        CollectiveFn::MatchAny => same.into(),
                        _ if all => members.into(),
                        _ => 0,
                    };
                    p[lane] = u64::from(all);
                }
                self.count_values(group, op, &d);
            }
            CollectiveFn::Redux(f) => {
                // Lanes have the same members, as a rule.
                let mut known = (0, 0);
                for lane in each {
                    let members = masks[lane] as u32 & active;
                    if known.0 != members {
                        let all = (0..32usize).filter(|other| members >> other & 1 != 0).map(|other| a[other]);
                        known = (members, all.reduce(|sum, other| f(sum, other, 0)).unwrap_or(0));
                    }
                    d[lane] = known.1;
                }
            }
            CollectiveFn::Elect => {
                for lane in each {
                    let members = masks[lane] as u32 & active;
                    let leader = if members != 0 { members.trailing_zeros() as usize } else { lane };
                    (d[lane], p[lane]) = (leader as u64, u64::from(lane == leader));
                }
            }
        }
        let doubts = if O::ACTIVE { self.told(warp, parts, op, &masks, (&sources, lost)) } else { None };
        for part in parts {
            warp.write(part.frame, op.d, part.mask, &d);
            warp.write(part.frame, op.p, part.mask, &p);
            if let Some(doubts) = &doubts {
                doubts.mark(warp, part, op);
            }
        }
    }
}

/// A register by lane, of each lane in its own frame.
fn gather(warp: &Warp, parts: &[Group], reg: Reg) -> [u64; 32] {
    if let [part] = parts {
        return warp.read(part.frame, reg);
    }
    let mut all = [0; 32];
    for part in parts {
        let values = warp.read(part.frame, reg);
        for lane in (0..32).filter(|lane| part.mask >> lane & 1 != 0) {
            all[lane] = values[lane];
        }
    }
    all
}
