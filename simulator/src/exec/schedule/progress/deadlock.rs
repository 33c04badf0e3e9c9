//! Explains who waits where for whom, after nobody can go on.

#[cfg(not(target_family = "wasm"))]
use crate::exec::block::CLUSTER_BARRIER;
use crate::exec::block::{Block, Shared};
use crate::exec::collective::mbarrier;
use crate::exec::context::Worker;
use crate::exec::schedule::progress::circle::Polling;
use crate::exec::schedule::progress::counted::looped;
use crate::exec::warp::{Group, Spins, State, Warp};
use crate::explore::lanes;
use crate::isa::op::{AddressSpace, Inst, Op};
use crate::observe::Observer;
use crate::{Finding, FindingKind, Poll, Severity};

/// Groups that are named one by one; of more only the number is said.
const NAMED: usize = 4;

/// "lane 3 of warp 0", with the block where there are several.
fn who(mask: u32, warp: u32, block: Option<u64>) -> String {
    let lanes = match mask.count_ones() {
        1 => format!("lane {}", mask.trailing_zeros()),
        _ => format!("lanes {}", lanes(mask, ", ", "-")),
    };
    let block = block.map_or_else(String::new, |block| format!(" in block {block}"));
    format!("{lanes} of warp {warp}{block}")
}

/// How many more groups of lanes there are than those named, if there are.
fn more(count: usize, verb: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("and one more group of lanes {verb}s")),
        _ => Some(format!("and {count} more groups of lanes {verb}")),
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Nobody of the resident blocks can go on: a fault that says why.
    pub fn stuck(&mut self, resident: &[Block]) {
        let groups = |block: &Block| block.warps.iter().flat_map(|warp| warp.groups.clone()).collect::<Vec<_>>();
        let polls = resident.iter().any(|block| groups(block).iter().any(|group| group.state == State::Ready));
        let held = resident.iter().find(|block| !groups(block).is_empty());
        match held {
            Some(block) if !polls => self.deadlock(block),
            _ => self.livelock(resident),
        }
    }

    fn line(&self, pc: u32) -> String {
        let code = &self.context.decoded.code;
        let origin = code.origins.get(pc as usize).copied().unwrap_or_default();
        let (_, line) = code.lines[code.line_near(pc) as usize];
        if line > 0 { format!("line {line}") } else { format!("PTX line {}", origin.ptx_line) }
    }

    /// What a group that cannot run waits for; `None` for one that can.
    fn awaits(&self, shared: &Shared, warp: &Warp, group: &Group) -> Option<String> {
        let for_whom = match group.state {
            #[cfg(not(target_family = "wasm"))]
            State::Barrier(CLUSTER_BARRIER) => {
                format!("at the cluster's barrier for {} of its threads", self.missing_in_cluster(shared))
            }
            State::Barrier(id) => {
                let barrier = &shared.barriers[id as usize];
                let warps = barrier.arrived.iter().zip(&shared.live).enumerate();
                let missing: Vec<String> = warps
                    .filter(|(_, (arrived, live))| *live & !*arrived != 0)
                    .map(|(index, (arrived, live))| who(live & !arrived, index as u32, None))
                    .take(NAMED)
                    .collect();
                if missing.is_empty() {
                    // Before Volta a warp arrives as one; a barrier for a number of threads may want more than there are.
                    let count = barrier.expected;
                    format!("at barrier {id}, which {count} threads have to reach")
                } else {
                    format!("at barrier {id} for {}", missing.join(", "))
                }
            }
            State::Converging => {
                let (what, mask) = (self.meets_at(group), self.named(warp, group));
                match self.lacking(warp, group) {
                    0 => format!("at {what}, whose mask {mask:#010x} is not that of the other lanes there"),
                    lacking => {
                        format!("at {what} for {}, which its mask {mask:#010x} names", who(lacking, warp.index, None))
                    }
                }
            }
            State::Joining => {
                let members = warp.meetings.iter().find(|meeting| meeting.is_for(group));
                let here = |other: &&Group| other.state == State::Joining && other.pc == group.pc;
                let came = warp.groups.iter().filter(here).fold(0, |mask, group| mask | group.mask);
                match members.map(|meeting| meeting.members & !came).filter(|missing| *missing != 0) {
                    Some(missing) => format!("at the reconvergence point for {}", who(missing, warp.index, None)),
                    None => "for the lanes of its warp to come together".into(),
                }
            }
            State::Ready => return None,
        };
        Some(format!("in {} {for_whom}", self.line(group.pc)))
    }

    /// Nobody in the block can run.
    pub fn deadlock(&mut self, block: &Block) {
        let all: Vec<(&Warp, Group)> =
            block.warps.iter().flat_map(|warp| warp.groups.iter().map(move |group| (warp, *group))).collect();
        let waiting: Vec<(&Warp, Group, String)> = all
            .iter()
            .filter_map(|(warp, group)| Some((*warp, *group, self.awaits(&block.shared, warp, group)?)))
            .collect();
        let meets = |(_, group, _): &&(&Warp, Group, String)| group.state == State::Converging;
        let Some((warp, group, _)) = waiting.iter().find(meets).or(waiting.first()) else {
            self.halt();
            return;
        };
        // Who waits at a warp-wide instruction comes first, then the lanes that it waits for.
        let met = group.state == State::Converging;
        let lacking = if met { self.lacking(warp, group) } else { 0 };
        let rank = |(of, other, _): &(&Warp, Group, String)| {
            let near = met && of.index == warp.index;
            if near && other.mask == group.mask { 0 } else { 2 - u32::from(near && other.mask & lacking != 0) }
        };
        let mut told: Vec<_> = waiting.iter().collect();
        told.sort_by_key(|one| rank(one));
        let parts = told.iter().take(2 * NAMED).map(|(warp, group, awaits)| {
            let verb = if group.mask.count_ones() == 1 { "waits" } else { "wait" };
            format!("{} {verb} {awaits}", who(group.mask, warp.index, None))
        });
        let explanation: Vec<String> = parts.chain(more(told.len().saturating_sub(2 * NAMED), "wait")).collect();
        if met && let Some((warp, group, kind)) = self.parted_at_a_barrier(block) {
            // What was found when the lanes went on without them is the same.
            let place = self.place(block.shared.index, warp, group.pc, group.mask);
            let same = |known: &Finding| {
                matches!(known.kind, FindingKind::DivergentBarrier { .. }) && known.place.ptx_line == place.ptx_line
            };
            self.findings.retain(|known| known.severity == Severity::Fault || !same(known));
            self.report(&block.shared, warp, group.pc, group.mask, kind, Severity::Fault);
        } else {
            let kind = if met {
                FindingKind::SyncMask { explanation, usage: None }
            } else {
                FindingKind::Deadlock { explanation }
            };
            self.report(&block.shared, warp, group.pc, group.mask, kind, Severity::Fault);
        }
        self.halt();
    }

    /// Whoever can run polls memory that nobody changes.
    fn livelock(&mut self, resident: &[Block]) {
        let several = resident.len() > 1;
        let named = |block: &Block| several.then_some(block.shared.linear);
        let all = || {
            let warps = resident.iter().flat_map(|block| block.warps.iter().map(move |warp| (block, warp)));
            warps.flat_map(|(block, warp)| warp.groups.iter().map(move |group| (block, warp, group)))
        };
        let polling: Vec<Polling<'_>> = all().filter(|(_, _, group)| group.state == State::Ready).collect();
        if let Some((block, warp, group)) = polling.iter().find(|(_, _, group)| group.spins.is_endless()) {
            return self.never_ends(&block.shared, warp, group, group.spins.round, true);
        }
        // Who waits in a circle comes first: others wait for one of these.
        let circle = self.circle(&polling);
        let others = (0..polling.len()).filter(|at| !circle.contains(at));
        let told: Vec<Polling<'_>> = circle.iter().copied().chain(others).map(|at| polling[at]).collect();
        let Some((block, warp, group)) = told.first().copied() else { return };
        let pc = if group.spins.pc == u32::MAX { group.pc } else { group.spins.pc };
        let mut parts = Vec::new();
        let named_ones = circle.len().clamp(NAMED, 2 * NAMED).min(told.len());
        let polls = told[..named_ones]
            .iter()
            .map(|(block, warp, group)| self.polls(&block.shared, warp, group, named(block)))
            .collect();
        if circle.len() > 1 {
            let count = circle.len();
            parts.push(format!("the first {count} wait in a circle: each for what the next one changed, the last for what the first did"));
        }
        parts.extend(more(told.len() - named_ones, "poll"));
        let waiting = all().filter_map(|(block, warp, group)| {
            let awaits = self.awaits(&block.shared, warp, group)?;
            let verb = if group.mask.count_ones() == 1 { "waits" } else { "wait" };
            Some(format!("{} {verb} {awaits}", who(group.mask, warp.index, named(block))))
        });
        let waiting: Vec<String> = waiting.take(NAMED).collect();
        if waiting.is_empty() {
            parts.push("no other thread is left that could change it".into());
        }
        parts.extend(waiting);
        if self.context.config.schedule == crate::Schedule::PreVolta {
            parts.push("before Volta the lanes of a warp that leave a loop wait for those still in it".into());
        }
        let kind = FindingKind::Livelock { polls, explanation: parts };
        self.report(&block.shared, warp, pc, group.mask, kind, Severity::Fault);
        self.halt();
    }

    /// Who goes round a loop that nothing others do can end, or will: one that reads what they could change.
    pub(in crate::exec::schedule) fn goes_round(
        &self,
        shared: &Shared,
        warp: &Warp,
        group: &Group,
        pc: u32,
        reads: bool,
    ) -> String {
        let verb = if group.mask.count_ones() == 1 { "goes" } else { "go" };
        let lanes = who(group.mask, warp.index, Some(shared.linear));
        let reads = if reads {
            "nobody is left who changes what the loop reads"
        } else {
            "the loop reads nothing that others could change"
        };
        let line = self.line(pc);
        let empty = matches!(self.context.decoded.code.insts.get(pc as usize), Some(Inst { op: Op::Bra { target, .. }, .. }) if *target == pc);
        // Of a loop whose results go nowhere the compiler leaves a jump, with the line of whatever was inside.
        let left =
            if empty { "; nothing is left of what was in it, and it may be a loop around this line" } else { "" };
        format!(
            "{lanes} {verb} round a loop in {line}: every register that it depends on is what it was some turns before, and {reads}{left}"
        )
    }

    /// What a warp polls in the loop that it is in, which may end some day.
    pub(in crate::exec::schedule) fn polls_now(&self, shared: &Shared, warp: &Warp) -> Vec<Poll> {
        let named = (self.blocks() > 1).then_some(shared.linear);
        let polls = |group: &&Group| {
            let code = &self.context.decoded.code;
            let waits = code.insts.get(group.spins.pc as usize).is_some_and(|inst| code.may_wait(&inst.op));
            group.state == State::Ready && waits && looped(code, group.pc).contains(&group.spins.pc)
        };
        warp.groups.iter().filter(polls).take(1).map(|group| self.polls(shared, warp, group, named)).collect()
    }

    /// What a group polls, and who changed it last.
    fn polls(&self, shared: &Shared, warp: &Warp, group: &Group, named: Option<u64>) -> Poll {
        let spins = &group.spins;
        let several = group.mask.count_ones() != 1;
        let lanes = who(group.mask, warp.index, named);
        if spins.pc == u32::MAX {
            return Poll { lanes, several, line: self.line(group.pc), location: None, last_change: None, lacks: None };
        }
        let function = warp.frames.first().map_or(0, |frame| frame.function);
        let slot = (spins.space == AddressSpace::Shared).then_some(shared.slot);
        let last_change = self.writers.last(slot, spins.address).map(|writer| {
            let across = named.is_some() || writer.block != shared.linear;
            let whose = who(1 << writer.lane, writer.warp, across.then_some(writer.block));
            format!("{whose} changed last, in {}", self.line(writer.pc))
        });
        let location = Some(self.object(spins.space, spins.address, function, spins.pc));
        let lacks = self.lacks(shared, spins);
        Poll { lanes, several, line: self.line(spins.pc), location, last_change, lacks }
    }

    /// Why the phase of the `mbarrier` that a group polls does not end; `None` for any other word.
    fn lacks(&self, shared: &Shared, spins: &Spins) -> Option<String> {
        let polls = self.context.decoded.code.insts.get(spins.pc as usize)?;
        if !matches!(polls.op, Op::Mbarrier(_)) || spins.space != AddressSpace::Shared {
            return None;
        }
        let (bytes, at) = self.shared_at(shared, spins.address).ok()?;
        let at = usize::try_from(at).ok()?;
        let object = bytes.get(at..at.checked_add(8)?)?.try_into().ok()?;
        Some(mbarrier::lacks(u64::from_le_bytes(object)))
    }
}
