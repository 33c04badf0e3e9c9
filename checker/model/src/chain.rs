//! How long one warp takes for a block of code when nobody is in its way: what the control fields make it wait for.

use crate::code::{Block, Code, FenceScope, Op, Unit};
use crate::device::Device;
use std::collections::BTreeMap;

/// What loads from global and local memory take on average, in cycles.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Waits {
    /// A load from global memory, where its line is not known.
    pub global: f64,
    /// One of a source line, as [`Op::line`] has it.
    pub lines: BTreeMap<(u16, u32), f64>,
    /// A load from local memory.
    pub local: f64,
    /// Cycles that a shared access takes longer, for its wavefronts beyond the first.
    pub shared: f64,
    /// The same of a load from constant memory, for its words.
    pub constant: f64,
    /// Cycles that the others of its block keep a warp at a barrier that has come last; alone it goes on at once.
    pub barrier: f64,
    /// A global atomic with a result.
    pub atomic: f64,
    /// Cycles that a `match.any` takes longer, for its values beyond the first.
    pub matches: f64,
    /// Cycles that requests before it and other warps of the multiprocessor keep a fence of the device.
    pub fences: f64,
}

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Nothing but the stall count.
    Stall,
    /// A scoreboard of a unit.
    Unit(Unit),
}

/// The issue of one instruction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Issue {
    /// Cycle.
    pub at: f64,
    /// Cycles before it in which nothing was issued.
    pub waited: f64,
    /// For what.
    pub why: Why,
    /// Which instruction of those that it issued, from 0, it waited for.
    pub by: Option<usize>,
}

/// A scoreboard: until when, for which unit, by which instruction.
type Board = (f64, Unit, usize);

/// A warp by itself.
#[derive(Debug, Clone)]
pub struct Lone<'d> {
    device: &'d Device,
    waits: &'d Waits,
    now: f64,
    last: f64,
    issued: usize,
    boards: [Board; 6],
}

impl<'d> Lone<'d> {
    /// In cycle 0, with nothing under way.
    pub fn new(device: &'d Device, waits: &'d Waits) -> Self {
        Self { device, waits, now: 0.0, last: 0.0, issued: 0, boards: [(0.0, Unit::Other, 0); 6] }
    }

    /// The cycle from which on it may issue again.
    pub fn now(&self) -> f64 {
        self.now
    }

    /// The scoreboard that an instruction waits for longest.
    fn latest(&self, op: &Op) -> Option<Board> {
        let waited_for = |board: &usize| op.waits >> board & 1 != 0;
        let boards = (0..6).filter(waited_for).map(|board| self.boards[board]);
        boards.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(until, _, _)| *until > self.now)
    }

    /// When an instruction may issue, and what it waits for until then.
    pub fn earliest(&self, op: &Op) -> Issue {
        match self.latest(op) {
            Some((at, unit, by)) => Issue { at, waited: at - self.now, why: Why::Unit(unit), by: Some(by) },
            None => Issue { at: self.now, waited: 0.0, why: Why::Stall, by: None },
        }
    }

    /// Issues an instruction as soon as it may.
    pub fn issue(&mut self, op: &Op) -> Issue {
        let issue = self.earliest(op);
        self.issue_at(op, issue.at);
        issue
    }

    /// Issues an instruction at a cycle in which it may.
    pub fn issue_at(&mut self, op: &Op, at: f64) {
        let latency = self.latency(op);
        self.last = at;
        self.now = at + f64::from(op.stall.max(1 + op.conflicts));
        self.now += f64::from(op.pause) * self.device.clock_ghz;
        if op.unit == Unit::Indirect {
            self.now += self.device.latency.uniform;
        }
        if op.unit == Unit::Barrier {
            self.now += self.waits.barrier;
        }
        self.now += op.fence.map_or(0.0, |scope| self.fence(scope));
        for (board, takes) in [(op.writes, latency), (op.reads, self.device.latency.read)] {
            let Some(board) = board else { continue };
            let known = &mut self.boards[usize::from(board.min(5))];
            if at + takes >= known.0 {
                *known = (at + takes, op.unit, self.issued);
            }
        }
        self.issued += 1;
    }

    /// Its last instruction was a jump back.
    pub fn jump(&mut self) {
        self.now = self.now.max(self.last + self.device.latency.jump);
    }

    fn fence(&self, scope: FenceScope) -> f64 {
        let latency = &self.device.latency;
        match scope {
            FenceScope::Block => latency.fence_block,
            FenceScope::Device => latency.fence + self.waits.fences,
            FenceScope::System => latency.fence_system,
        }
    }

    fn latency(&self, op: &Op) -> f64 {
        let latency = &self.device.latency;
        match op.unit {
            Unit::Global if op.loads => {
                op.line.and_then(|line| self.waits.lines.get(&line)).copied().unwrap_or(self.waits.global)
            }
            Unit::Local if op.loads => self.waits.local,
            Unit::Global | Unit::Local | Unit::Reduction => latency.read,
            Unit::Arrival => latency.shared,
            Unit::Shared => {
                let words = if op.loads { f64::from(op.bits.max(32) / 32 - 1) } else { 0.0 };
                latency.shared + self.waits.shared.max(words * latency.wide)
            }
            Unit::Atomic => self.waits.atomic,
            Unit::Shuffle => latency.shuffle,
            Unit::Special => latency.special,
            Unit::Match => latency.special + self.waits.matches,
            Unit::Double => latency.double,
            Unit::Tensor => latency.tensor,
            Unit::Constant => latency.constant + self.waits.constant,
            Unit::Uniform | Unit::Other | Unit::Fence | Unit::Barrier | Unit::Group => latency.uniform,
            Unit::Fma | Unit::Multiply | Unit::Alu | Unit::Half | Unit::Control | Unit::Indirect => 4.0,
        }
    }
}

/// What a warp takes for a block of code.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cost {
    /// Cycles.
    pub cycles: f64,
    /// Those of them that it waits for global and local memory.
    pub memory: f64,
}

/// Cycles that a warp takes for each block: behind the blocks that it comes from, so that a load of one turn that the next
/// waits for is waited for. `frequency` weighs those.
pub fn costs(code: &Code, frequency: &[f64], device: &Device, waits: &Waits) -> Vec<Cost> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); code.blocks.len()];
    for (at, block) in code.blocks.iter().enumerate() {
        block.next.iter().for_each(|next| before[*next].push(at));
    }
    let run = |warp: &mut Lone<'_>, block: &Block| -> f64 {
        let memory = |issue: Issue| match issue.why {
            Why::Unit(Unit::Global | Unit::Local | Unit::Atomic) => issue.waited,
            _ => 0.0,
        };
        block.ops.iter().map(|op| memory(warp.issue(op))).sum()
    };
    (0..code.blocks.len())
        .map(|at| {
            let mut from: Vec<(f64, Option<usize>)> =
                before[at].iter().map(|before| (frequency[*before], Some(*before))).collect();
            if from.is_empty() || at == 0 {
                from.push((1e-9, None));
            }
            // Of a loop's two ways in, the one from itself is taken but once less.
            let own = from.iter().any(|(_, before)| *before == Some(at));
            let others: f64 = from.iter().filter(|(_, before)| *before != Some(at)).map(|(times, _)| times).sum();
            let (mut cycles, mut memory, mut weights) = (0.0, 0.0, 0.0);
            for (times, before) in from {
                let weight = match before {
                    Some(before) if before == at => (frequency[at] - others).max(0.0),
                    _ if own => times.min(frequency[at]),
                    _ => times,
                };
                let mut warp = Lone::new(device, waits);
                if let Some(before) = before {
                    // What stands before that one is in flight, too.
                    run(&mut warp, &code.blocks[before]);
                }
                let begin = warp.now();
                if before.is_some_and(|before| before >= at) {
                    warp.jump();
                }
                memory += weight * run(&mut warp, &code.blocks[at]);
                cycles += weight * (warp.now() - begin);
                weights += weight;
            }
            let plain = Cost { cycles: code.blocks[at].ops.len() as f64, memory: 0.0 };
            if weights > 0.0 { Cost { cycles: cycles / weights, memory: memory / weights } } else { plain }
        })
        .collect()
}
