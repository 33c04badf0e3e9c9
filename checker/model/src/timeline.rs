//! Warps of one scheduler along time, and a turn of a loop cycle by cycle: what issues, what waits and for what. Made of control
//! fields and latencies alone; caches and bandwidth are left out.

use crate::chain::{Issue, Lone, Waits, Why};
use crate::code::{Op, Unit};
use crate::device::Device;

/// What a warp does in a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// An instruction of it is issued.
    Issues,
    /// It could issue, and another warp did.
    Ready,
    /// Its last instruction's stall count is not over.
    Stalls,
    /// For global or local memory.
    Memory,
    /// For shared memory or a unit with a scoreboard.
    Near,
    /// For the other warps of its block.
    Barrier,
    /// It has ended.
    Done,
}

impl State {
    /// All that a picture shows, in the order of its legend.
    pub const SHOWN: [Self; 6] = [Self::Issues, Self::Ready, Self::Stalls, Self::Memory, Self::Near, Self::Barrier];

    /// In a legend.
    pub fn words(self) -> &'static str {
        match self {
            Self::Issues => "issues",
            Self::Ready => "could issue",
            Self::Stalls => "stall count",
            Self::Memory => "global memory",
            Self::Near => "shared memory, units",
            Self::Barrier => "barrier",
            Self::Done => "has ended",
        }
    }

    /// Of a warp that waits.
    pub fn of(why: Why) -> Self {
        match why {
            Why::Stall => Self::Stalls,
            Why::Unit(Unit::Global | Unit::Local | Unit::Atomic | Unit::Reduction) => Self::Memory,
            Why::Unit(Unit::Barrier) => Self::Barrier,
            Why::Unit(_) => Self::Near,
        }
    }
}

/// States by warp and cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeline {
    /// Of each warp.
    pub warps: Vec<Vec<State>>,
}

struct Warp<'d> {
    lone: Lone<'d>,
    at: usize,
    at_barrier: bool,
}

impl Warp<'_> {
    fn state(&self, path: &[Op], cycle: f64) -> State {
        let Some(next) = path.get(self.at) else { return State::Done };
        if self.at_barrier {
            return State::Barrier;
        }
        let behind_barrier = self.at > 0 && path[self.at - 1].unit == Unit::Barrier;
        let Issue { at: from, why, .. } = self.lone.earliest(next);
        match why {
            _ if from <= cycle => State::Ready,
            _ if self.lone.now() > cycle => {
                if behind_barrier {
                    State::Barrier
                } else {
                    State::Stalls
                }
            }
            why => State::of(why),
        }
    }
}

impl Timeline {
    /// So many warps that start together on a path; nothing where it does not end within `cycles`.
    pub fn of(path: &[Op], warps: usize, cycles: usize, device: &Device, waits: &Waits) -> Option<Self> {
        let fresh = || Warp { lone: Lone::new(device, waits), at: 0, at_barrier: false };
        let mut all: Vec<Warp<'_>> = (0..warps).map(|_| fresh()).collect();
        let mut out = vec![Vec::new(); warps];
        let mut last = 0;
        for cycle in 0..=cycles {
            let now = cycle as f64;
            if all.iter().all(|warp| warp.at_barrier || warp.at >= path.len()) {
                all.iter_mut().for_each(|warp| warp.at_barrier = false);
            }
            let states: Vec<State> = all.iter().map(|warp| warp.state(path, now)).collect();
            if states.iter().all(|state| *state == State::Done) {
                return Some(Self { warps: out });
            }
            // Greedy, then the youngest.
            let ready = |index: usize| states[index] == State::Ready;
            let chosen = if ready(last) { Some(last) } else { (0..warps).rev().find(|index| ready(*index)) };
            for (index, state) in states.iter().enumerate() {
                out[index].push(if chosen == Some(index) { State::Issues } else { *state });
            }
            if let Some(index) = chosen {
                last = index;
                let warp = &mut all[index];
                let next = &path[warp.at];
                warp.lone.issue_at(next, now);
                warp.at += 1;
                warp.at_barrier = next.unit == Unit::Barrier;
            }
        }
        None
    }

    /// Cycles in all.
    pub fn cycles(&self) -> usize {
        self.warps.first().map_or(0, Vec::len)
    }

    /// Cycles in which an instruction is issued.
    pub fn issued(&self) -> usize {
        self.warps.iter().flatten().filter(|state| **state == State::Issues).count()
    }
}

/// Turns that a loop is followed for: in the first ones its loads have not been waited for.
const TURNS: usize = 32;

/// An instruction of a turn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Cycle of its issue, from the turn's first on.
    pub at: f64,
    /// Cycles before it in which nothing was issued.
    pub waited: f64,
    /// For what.
    pub why: Why,
    /// Which instruction of the loop that was, of this turn or one before.
    pub of: Option<usize>,
}

/// A turn of a loop, one warp alone, when one is like the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// Its instructions.
    pub steps: Vec<Step>,
    /// Cycles until the next turn begins.
    pub cycles: f64,
}

impl Turn {
    /// Of a loop's body: straight on, and back.
    pub fn of(body: &[Op], device: &Device, waits: &Waits) -> Self {
        let mut warp = Lone::new(device, waits);
        let mut steps = Vec::new();
        let mut begin = 0.0;
        let mut cycles = 0.0;
        for turn in 0..=TURNS {
            let issues: Vec<_> = body.iter().map(|op| warp.issue(op)).collect();
            warp.jump();
            let Some(first) = issues.first() else { break };
            if turn == TURNS {
                cycles = first.at - begin;
                break;
            }
            begin = first.at;
            let step = |issue: &Issue| Step {
                at: issue.at - begin,
                waited: issue.waited,
                why: issue.why,
                of: issue.by.map(|by| by % body.len()),
            };
            steps = issues.iter().map(step).collect();
        }
        Self { steps, cycles }
    }

    /// Cycles that are waited for something, the longest first; what issues first.
    pub fn parts(&self) -> Vec<(State, f64)> {
        let mut parts: Vec<(State, f64)> = Vec::new();
        let mut add = |state: State, cycles: f64| match parts.iter_mut().find(|(known, _)| *known == state) {
            Some((_, sum)) => *sum += cycles,
            None if cycles > 0.0 => parts.push((state, cycles)),
            None => {}
        };
        add(State::Issues, self.steps.len() as f64);
        let mut scoreboards = 0.0;
        for step in &self.steps {
            if let Why::Unit(_) = step.why {
                add(State::of(step.why), step.waited);
                scoreboards += step.waited;
            }
        }
        add(State::Stalls, self.cycles - scoreboards - self.steps.len() as f64);
        let waits = parts.len().min(1);
        parts[waits..].sort_by(|a, b| b.1.total_cmp(&a.1));
        parts
    }
}
