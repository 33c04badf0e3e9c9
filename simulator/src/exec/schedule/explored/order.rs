//! What an explored schedule decides: which lanes stop before an operation that others can see.
//!
//! The plain order is that of `Its`: blocks, warps, and of a warp the group with the lowest program counter; whoever runs
//! goes on until it waits. Everything else is a preemption, so that any order is a list of them.

use super::aside::Aside;
use super::late;
use crate::config::{Config, Schedule};
use crate::exec::warp::{Group, Since};
use crate::explore::{Preempted, Preemption, Rank};
use crate::isa::op::Code;
use crate::launch::LaunchOrder;
use crate::random::finish;
use std::collections::HashMap;

/// Ranks from here on are behind all others, in the order in which they were given.
const BEHIND: u64 = 1 << 40;
/// Operations of a launch among which PCT's change points are drawn, as a power of two.
const POINTS: u32 = 20;
/// Warp instructions of a launch that may go into waiting before those who wait let others go first: thousands of rounds of every
/// loop of a small grid, and tenths of a second where all of it is used.
const PATIENCE: u64 = 1 << 20;
/// Times in a launch that who has taken a lock is stopped for as long as others wait for it.
const HOLDS: u32 = 8;
/// Times in a launch that who has got a number from an atomic is stopped behind those who have none.
const OVERTAKEN: u32 = 256;
/// Times in a launch that who waits no longer is stopped behind all others, before it acts on what it saw.
const ENDED: u32 = 8;
/// Waits that have to be proven right before all are taken to be: each that wakes is proven again.
const PROOFS: u32 = 256;
/// Warps of a launch of which each may be stopped at random; of more, one in four is. Before atomics any is: who is first there is what
/// they are about.
const FEW_WARPS: u64 = 64;
/// Other stops of a launch in which those who wait go on.
const STOPS: u32 = 256;
/// One in so many lanes that went a way of their own is stopped before an atomic there: a block's ticket, most often.
const FIRST_ATOMIC: u32 = 4;

/// Operations of a lane from which on a stop of it is behind all others every second time: whoever goes round for so long may wait for
/// somebody who is behind, though it changes memory meanwhile, as one that gives its first lock back while the second is taken.
const LONG: u32 = 1 << 10;

/// The state of an explored schedule.
pub struct Control {
    chooser: Chooser,
    random: u64,
    /// Operations so far that others can see.
    operations: u64,
    behind: u64,
    /// Of a block's warps the last goes first.
    pub warps_reversed: bool,
    /// Of a grid's blocks the last goes first.
    pub blocks_reversed: bool,
    /// Warp instructions for which those who wait may still go on; `None` where they let others go first.
    patience: Option<u64>,
    /// How many more of those who hold something may be stopped for it.
    holds: u32,
    /// How many more of those whose wait has ended may be.
    ended: u32,
    /// How many more of those who got a number from an atomic are overtaken by all.
    overtaken: u32,
    /// Blocks that have stepped aside before a fence that comes too late.
    pub aside: Aside,
    /// How many more random stops there are where those who wait go on.
    stops: u32,
    /// How many more proofs of right waits are awaited.
    proofs: u32,
    /// Writes that nothing orders come late; see [`super::late`].
    pub late: Option<u64>,
    /// Some warps only are stopped at random, drawn by this number.
    chosen: Option<u64>,
    launch: u64,
    limit: usize,
    taken: Vec<(Preemption, u32)>,
    complete: bool,
}

enum Chooser {
    /// Fixed, wherever lanes have come together.
    Extreme(u64),
    /// Now and then.
    Random,
    /// Random priorities and places where they change.
    Pct { points: Vec<u64> },
    /// Whoever is about to draw a number, or to compete for a word, goes behind all others.
    InTurn,
    /// By block and warp.
    Replay(HashMap<(u64, u32), Vec<Preemption>>),
}

/// Who asks: a group before an operation that others can see.
pub struct Asker<'a> {
    /// Linear block index.
    pub block: u64,
    /// Warp of the block.
    pub warp: u32,
    /// The group.
    pub group: &'a Group,
    /// Such operations executed, by lane.
    pub done: &'a [u32; 32],
    /// Lanes whose last atomic changed a word that others may wait for.
    pub holds: u32,
    /// It would publish writes of which others have perhaps been told before.
    pub too_late: bool,
    /// Perhaps it waits.
    pub polls: bool,
    /// Lanes that perhaps waited with the operation before, and go on with another one.
    pub waited: u32,
    /// It is an atomic.
    pub atomic: bool,
    /// It gives a number (an atomic on global memory whose result somebody uses), or perhaps decides who goes on.
    pub draws: bool,
    /// It is the first operation behind one that gave a number.
    pub after: bool,
}

impl Control {
    /// For a launch (from 0) of so many warps after `so_far` operations, of which all blocks can be resident or not; `None` where
    /// nothing is to be decided.
    pub fn new(config: &Config, launch: u64, so_far: u64, (warps, resident): (u64, bool)) -> Option<Self> {
        let mut new = Self {
            chooser: Chooser::Random,
            random: 0,
            operations: 0,
            behind: BEHIND,
            warps_reversed: false,
            blocks_reversed: false,
            patience: None,
            holds: 0,
            ended: 0,
            overtaken: OVERTAKEN,
            aside: Aside::default(),
            stops: STOPS,
            proofs: PROOFS,
            late: None,
            chosen: None,
            launch,
            limit: config.limits.preemptions,
            taken: Vec::new(),
            complete: true,
        };
        match config.schedule {
            Schedule::Its | Schedule::PreVolta => return None,
            Schedule::Adversarial { seed } if seed < 8 => {
                new.chooser = Chooser::Extreme(seed);
                new.warps_reversed = matches!(seed, 3 | 7);
                new.blocks_reversed = matches!(seed, 4 | 7);
                // The first block that does something comes late, and the last.
                new.late = matches!(seed, 1 | 3 | 4 | 5 | 7).then_some(if seed == 3 { late::OVERTAKEN } else { 0 });
            }
            Schedule::Adversarial { seed } => {
                new.random = seed;
                new.warps_reversed = new.below(2) == 1;
                // Blocks may wait for those before them (docs/execution.md), so only where all are resident at once.
                new.blocks_reversed = new.below(2) == 1 && resident;
                new.chosen = (warps > FEW_WARPS).then_some(seed ^ launch);
                new.late = drawn_late(seed);
            }
            Schedule::InTurn => new.chooser = Chooser::InTurn,
            Schedule::Patient { seed } => {
                new.random = seed ^ 0x5041_5400;
                (new.patience, new.holds, new.ended) = (Some(PATIENCE), HOLDS, ENDED);
                // Who waits is there before those it waits for, half of the time; of blocks only where all are resident at once.
                (new.warps_reversed, new.blocks_reversed) = (new.below(2) == 1, resident && new.below(2) == 1);
            }
            Schedule::Pct { seed, depth, operations } => {
                new.random = seed ^ 0x5043_5400;
                let mut point = || match operations {
                    0 => {
                        let power = new.below(POINTS);
                        (1u64 << power) - 1 + u64::from(new.below(1 << power))
                    }
                    // Those before this launch are behind us.
                    _ => new.wide(operations).wrapping_sub(so_far),
                };
                let points = (1..depth.min(64)).map(|_| point()).collect();
                new.late = drawn_late(seed);
                // Priorities differ from launch to launch.
                new.random ^= launch.wrapping_mul(0xd6e8_feb8_6659_fd93);
                new.chooser = Chooser::Pct { points };
            }
            Schedule::Replay => {
                let mut by_warp: HashMap<_, Vec<Preemption>> = HashMap::new();
                for stop in config.witness.preemptions.iter().filter(|stop| stop.launch == launch) {
                    by_warp.entry((stop.block, stop.warp)).or_default().push(*stop);
                }
                new.warps_reversed = config.witness.warps_reversed;
                new.blocks_reversed = config.witness.blocks_reversed;
                new.patience = config.witness.patient.then_some(PATIENCE);
                new.late = config.witness.late;
                new.chooser = Chooser::Replay(by_warp);
            }
        }
        Some(new)
    }

    fn wide(&mut self, bound: u64) -> u64 {
        let bits = u64::from(self.below(u32::MAX)) << 32 | u64::from(self.below(u32::MAX));
        ((u128::from(bits) * u128::from(bound)) >> 64) as u64
    }

    /// A random number below `bound` (splitmix64, Steele, Lea, Flood 2014, without its last shift).
    fn below(&mut self, bound: u32) -> u32 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u64::from((z >> 32) as u32) * u64::from(bound)) >> 32) as u32
    }

    /// Do all who can be resident take part from the beginning?
    pub const fn is_in_turn(&self) -> bool {
        matches!(self.chooser, Chooser::InTurn)
    }

    /// Operations so far that others can see.
    pub const fn operations(&self) -> u64 {
        self.operations
    }

    /// A place behind everybody.
    pub fn last(&mut self) -> u64 {
        self.behind += 1;
        self.behind
    }

    /// Do those who wait still go on?
    pub fn is_patient(&self) -> bool {
        self.patience.is_some_and(|left| left > 0)
    }

    /// Somebody has waited for so many warp instructions: may they go on, though others could?
    pub fn goes_on_waiting(&mut self, instructions: u64) -> bool {
        let Some(left) = &mut self.patience else { return false };
        *left = left.saturating_sub(instructions);
        *left > 0
    }

    /// Somebody was proven to wait for as long as it takes: after many of them nobody's patience need be tried.
    pub fn proven(&mut self) {
        self.proofs = self.proofs.saturating_sub(1);
        if self.proofs == 0 {
            self.patience = self.patience.map(|_| 0);
            (self.holds, self.ended) = (0, 0);
        }
    }

    /// The number that orders lanes with this rank.
    pub fn rank(&mut self, rank: Rank) -> u64 {
        match rank {
            Rank::Last | Rank::Aside => self.last(),
            Rank::Among(number) => 1 + u64::from(number),
            Rank::InWarp(_) => 0,
        }
    }

    /// Is the warp one of those that are stopped at random?
    fn is_chosen(&self, asker: &Asker<'_>) -> bool {
        let place = asker.block.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(asker.warp);
        self.chosen.is_none_or(|drawn| finish(place ^ drawn.wrapping_mul(0xd6e8_feb8_6659_fd93)) >> 62 == 0)
    }

    /// Which lanes of the group stop here.
    pub fn decide(&mut self, asker: &Asker<'_>) -> Vec<(u32, Rank)> {
        let operation = self.operations;
        self.operations += 1;
        let mask = asker.group.mask;
        let since = asker.group.since;
        if asker.polls {
            self.aside.polled();
        }
        if asker.too_late && self.aside.may(asker.block) && self.steps_aside() {
            return vec![(mask, Rank::Aside)];
        }
        let waits = asker.polls && self.aside.may_be_in_step() && matches!(self.chooser, Chooser::Extreme(_));
        if waits && self.below(8) == 0 {
            return vec![(mask, Rank::Last)];
        }
        match &self.chooser {
            Chooser::Extreme(seed) if since == Since::Together => extreme(*seed, mask),
            // Lanes come together again only where the program demands it.
            Chooser::Extreme(_) if since == Since::Apart => vec![(mask, Rank::InWarp(asker.group.turn))],
            // Nor need those stay together that go the same way.
            Chooser::Extreme(seed) if since == Since::Parted => {
                let mut stops = vec![(mask, Rank::InWarp(asker.group.turn))];
                stops.extend(extreme(*seed, mask));
                stops
            }
            Chooser::Extreme(_) => Vec::new(),
            Chooser::Random => self.random(asker),
            Chooser::InTurn if asker.draws => vec![(mask, Rank::Last)],
            Chooser::InTurn => Vec::new(),
            Chooser::Pct { points } => {
                let lowers = points.contains(&operation);
                self.pct(since, mask, lowers)
            }
            Chooser::Replay(by_warp) => {
                let stops = by_warp.get(&(asker.block, asker.warp)).map_or(&[][..], Vec::as_slice);
                let lanes = |stop: &Preemption| {
                    let due = (0..32).filter(|&lane| asker.done[lane] == stop.before);
                    due.fold(0, |lanes, lane| lanes | 1u32 << lane) & stop.lanes & mask
                };
                stops.iter().map(|stop| (lanes(stop), stop.rank)).filter(|(lanes, _)| *lanes != 0).collect()
            }
        }
    }

    /// Does a block step aside before a fence that comes too late? Always under a fixed order, mostly under a drawn one.
    fn steps_aside(&mut self) -> bool {
        match self.chooser {
            Chooser::Extreme(_) => true,
            Chooser::Random | Chooser::Pct { .. } => self.below(4) != 0,
            Chooser::InTurn | Chooser::Replay(_) => false,
        }
    }

    /// A random order stops now and then.
    fn random(&mut self, asker: &Asker<'_>) -> Vec<(u32, Rank)> {
        let mask = asker.group.mask;
        if matches!(asker.group.since, Since::Apart | Since::Parted) {
            // Lanes come together again only where the program demands it. One that takes a ticket for its block is overtaken by others
            // of other blocks.
            let takes = asker.atomic && !(self.patience.is_some() && asker.polls);
            if takes && self.below(FIRST_ATOMIC) == 0 {
                return vec![(mask, self.place(asker))];
            }
            let mut stops = vec![(mask, Rank::InWarp(asker.group.turn))];
            // Nor need those stay together that go the same way.
            let parted = asker.group.since == Since::Parted && mask.count_ones() > 1;
            if parted && self.is_chosen(asker) && self.below(8) == 0 {
                stops.push((mask & self.below(u32::MAX), Rank::Among(self.below(1 << 30))));
            }
            return stops;
        }
        // Who has taken something that others want goes on when all of them have waited for long.
        if asker.holds != 0 && self.holds > 0 && self.below(2) == 0 {
            self.holds -= 1;
            return vec![(asker.holds, Rank::Last)];
        }
        // What it saw another may see, too, before it acts: that the lock is free.
        if asker.waited != 0 && self.ended > 0 && self.below(2) == 0 {
            self.ended -= 1;
            return vec![(asker.waited, Rank::Last)];
        }
        // Who has got a number is overtaken by all who have none: what it has yet to do should not have been announced. In
        // whatever order they go on then, so that nobody takes all work from a counter.
        if asker.after && self.overtaken > 0 && self.below(4) != 0 {
            self.overtaken -= 1;
            return vec![(mask, Rank::Among((1 << 30) + self.below(1 << 30)))];
        }
        // Who is stopped while it waits would let those go on that it waits for.
        let one_in = if self.patience.is_some() { 3 } else { 8 };
        if !asker.atomic && !self.is_chosen(asker) {
            return Vec::new();
        }
        let spared = self.patience.is_some() && (asker.polls || self.stops == 0);
        if spared || self.below(one_in) != 0 {
            return Vec::new();
        }
        self.stops = self.stops.saturating_sub(1);
        let part = if self.below(2) == 0 { mask } else { mask & self.below(u32::MAX) };
        vec![(part, self.place(asker))]
    }

    /// Where somebody goes who is stopped at random.
    fn place(&mut self, asker: &Asker<'_>) -> Rank {
        let number = self.below(1 << 30);
        let lane = asker.group.mask.trailing_zeros() as usize;
        let long = asker.done.get(lane).is_some_and(|done| *done >= LONG);
        if long && number.is_multiple_of(2) { Rank::Last } else { Rank::Among(number) }
    }

    fn pct(&mut self, since: Since, mask: u32, lowers: bool) -> Vec<(u32, Rank)> {
        let mut stops = Vec::new();
        // A new unit gets a priority: a warp (or two halves of it, drawn), or lanes that went a way of their own.
        let number = |control: &mut Self| Rank::Among(control.below(1 << 30));
        match since {
            Since::Together if mask.count_ones() > 1 && self.below(4) == 0 => {
                let part = self.part(mask);
                stops.push((part, number(self)));
                stops.push((mask & !part, number(self)));
            }
            Since::Together => stops.push((mask, number(self))),
            Since::Apart | Since::Parted if self.below(2) == 0 => stops.push((mask, number(self))),
            Since::Apart | Since::Parted | Since::Asked => {}
        }
        if lowers {
            stops.push((self.part(mask), Rank::Last));
        }
        stops
    }

    /// Some lanes of a group: all, one, all but one, or any.
    fn part(&mut self, mask: u32) -> u32 {
        let nth = self.below(mask.count_ones());
        let mut rest = mask;
        for _ in 0..nth {
            rest &= rest - 1;
        }
        let one = rest & rest.wrapping_neg();
        let part = match self.below(4) {
            0 => mask,
            1 => one,
            2 => mask & !one,
            _ => mask & self.below(u32::MAX),
        };
        if part == 0 { mask } else { part }
    }

    /// Notes a preemption that takes place before the operation at `pc`, of lanes that may have come differently far.
    pub fn note(&mut self, asker: &Asker<'_>, lanes: u32, whole: bool, rank: Rank, pc: u32) {
        let mut left = lanes;
        while left != 0 {
            let before = asker.done[left.trailing_zeros() as usize & 31];
            let same = (0..32).filter(|&lane| left >> lane & 1 != 0 && asker.done[lane] == before);
            let same = same.fold(0, |same, lane| same | 1u32 << lane);
            left &= !same;
            if self.taken.len() >= self.limit {
                self.complete = false;
                return;
            }
            // Lanes that are all there is of a warp are the warp.
            let lanes = if whole && same == lanes { u32::MAX } else { same };
            let (launch, block, warp) = (self.launch, asker.block, asker.warp);
            self.taken.push((Preemption { launch, block, warp, lanes, before, rank }, pc));
        }
    }

    /// For the report.
    pub fn order(self, code: &Code) -> LaunchOrder {
        let place = |(preemption, pc): (Preemption, u32)| {
            let origin = code.origins.get(pc as usize).copied().unwrap_or_default();
            let (_, line) = code.lines[code.line_near(pc) as usize];
            Preempted { preemption, line, ptx_line: origin.ptx_line }
        };
        LaunchOrder {
            warps_reversed: self.warps_reversed,
            blocks_reversed: self.blocks_reversed,
            patient: self.patience.is_some(),
            late: self.late,
            preempted: self.taken.into_iter().map(place).collect(),
            complete: self.complete,
            operations: self.operations,
        }
    }
}

/// Which writes come late under a random order: none in one of four, all in one of four, else a drawn half of the instructions'.
fn drawn_late(seed: u64) -> Option<u64> {
    let drawn = finish(seed ^ 0x4c41_5445);
    match drawn >> 62 {
        0 => None,
        1 => Some(0),
        _ => Some((drawn & 0xffff) + 1),
    }
}

/// Seeds 0 to 7: lanes reversed; lane 0 ahead; last lane ahead; warps reversed; blocks reversed; upper half ahead; lanes
/// in order, one by one; lanes, warps and blocks reversed.
fn extreme(seed: u64, mask: u32) -> Vec<(u32, Rank)> {
    let each = (0..32).map(|lane| mask & 1 << lane).filter(|&lane| lane != 0);
    let first = mask & mask.wrapping_neg();
    let last = 1u32 << (31 - mask.leading_zeros().min(31));
    let parts: Vec<u32> = match seed {
        0 | 7 => each.rev().collect(),
        1 => vec![first, mask & !first],
        2 => vec![last, mask & !last],
        5 => vec![mask & 0xffff_0000, mask & 0xffff],
        6 => each.collect(),
        _ => Vec::new(),
    };
    let parts = parts.into_iter().filter(|&part| part != 0).enumerate().skip(1);
    parts.map(|(order, part)| (part, Rank::InWarp(order as u32))).collect()
}
