//! Records traces.

use crate::exec::schedule::visible;
use crate::exec::warp::{Group, State, Warp};
use crate::isa::op::Code;
use crate::observe::WarpAccess;
use crate::trace::{Event, Grain, Step, Trace, TracePlace, TraceRequest, TracedWarp, What};
use std::collections::HashMap;

/// One host thread's trace while it grows.
#[derive(Debug)]
pub struct Recorder<'a> {
    request: &'a TraceRequest,
    limit: usize,
    trace: Trace,
    places: HashMap<(u32, u32), u32>,
    /// The last step, also when it was dropped.
    last: Option<Step>,
}

impl<'a> Recorder<'a> {
    /// Keeps at most `limit` steps.
    pub fn new(request: &'a TraceRequest, limit: usize) -> Self {
        Self { request, limit, trace: Trace::default(), places: HashMap::new(), last: None }
    }

    /// Is the warp to be recorded?
    pub fn wants(&self, block: u64, warp: u32) -> bool {
        self.request.warps.contains(&(block, warp))
    }

    /// A warp's access to memory.
    pub fn access(&mut self, code: &Code, warp: &Warp, access: &WarpAccess<'_>) {
        let addresses = listed(access.mask, access.addresses);
        let what = What::Memory { space: access.space, kind: access.kind, bytes: access.size, addresses };
        self.event(code, (access.warp.block, warp), Some(access.pc), access.mask, what);
    }

    /// A shuffle among the lanes of `mask`, with the lane that each read from.
    pub fn shuffle(&mut self, code: &Code, of: (u64, &Warp), pc: u32, mask: u32, from: &[u32; 32]) {
        self.event(code, of, Some(pc), mask, What::Shuffle { from: listed(mask, from) });
    }

    /// The lanes of `mask` passed a barrier.
    pub fn barrier(&mut self, code: &Code, of: (u64, &Warp), mask: u32) {
        self.event(code, of, None, mask, What::Barrier);
    }

    fn event(&mut self, code: &Code, (block, warp): (u64, &Warp), pc: Option<u32>, lanes: u32, what: What) {
        if !self.request.events || self.trace.dropped > 0 || lanes == 0 || !self.wants(block, warp.index) {
            return;
        }
        let place = match pc {
            Some(pc) => self.place(code, pc),
            None => self.last.map_or(0, |step| step.place),
        };
        let warp = self.warp(block, warp);
        // An instruction is recorded before it does anything.
        let step = self.trace.steps.len().saturating_sub(1) as u32;
        self.trace.events.push(Event { step, warp, place, lanes, what });
    }

    /// `group` of the warp executed the operation at its place; the guards of `active` were true.
    pub fn record(&mut self, code: &Code, block: u64, warp: &Warp, group: &Group, active: u32) {
        let others = warp.groups.iter().filter(|other| other.mask & group.mask == 0 && other.state != State::Ready);
        let step = Step {
            warp: self.warp(block, warp),
            place: self.place(code, group.pc),
            lanes: group.mask,
            active,
            waiting: others.fold(0, |mask, other| mask | other.mask),
            live: warp.live(),
            instructions: 1,
        };
        if self.request.grain == Grain::Line
            && let Some(last) = &mut self.last
            && (last.warp, last.lanes) == (step.warp, step.lanes)
            // What the compiler gives no line belongs to what its lanes were at.
            && (last.place == step.place || self.trace.places[step.place as usize].line == 0)
        {
            last.instructions += 1;
            last.active |= active;
            if self.trace.dropped == 0
                && let Some(kept) = self.trace.steps.last_mut()
            {
                *kept = *last;
            }
            return;
        }
        self.last = Some(step);
        if self.trace.steps.len() < self.limit {
            self.trace.steps.push(step);
        } else {
            self.trace.dropped += 1;
        }
    }

    fn warp(&mut self, block: u64, warp: &Warp) -> u32 {
        let warps = &mut self.trace.warps;
        let known = warps.iter().position(|known| (known.block, known.warp) == (block, warp.index));
        known.unwrap_or_else(|| {
            warps.push(TracedWarp { block, warp: warp.index, lanes: warp.lanes });
            warps.len() - 1
        }) as u32
    }

    fn place(&mut self, code: &Code, pc: u32) -> u32 {
        let origin = code.origins[pc as usize];
        let (file, line) = code.lines[origin.line as usize];
        let key = match self.request.grain {
            Grain::Line => (origin.function, origin.line),
            Grain::Instruction => (origin.function, pc),
        };
        let places = &mut self.trace.places;
        *self.places.entry(key).or_insert_with(|| {
            places.push(TracePlace {
                function: code.functions[origin.function as usize].name.clone(),
                file: if line > 0 { code.file(file).to_string() } else { String::new() },
                line,
                ptx_line: origin.ptx_line,
                seen: self.request.grain == Grain::Instruction && visible(code, &code.insts[pc as usize].op),
            });
            places.len() as u32 - 1
        })
    }

    /// What was recorded.
    pub fn finish(mut self) -> Trace {
        // In order of block and warp, whoever came first.
        let mut order: Vec<usize> = (0..self.trace.warps.len()).collect();
        order.sort_by_key(|&at| (self.trace.warps[at].block, self.trace.warps[at].warp));
        let warps = order.iter().map(|&at| self.trace.warps[at]).collect();
        for step in &mut self.trace.steps {
            step.warp = order.iter().position(|&at| at == step.warp as usize).unwrap_or_default() as u32;
        }
        for event in &mut self.trace.events {
            event.warp = order.iter().position(|&at| at == event.warp as usize).unwrap_or_default() as u32;
        }
        self.trace.warps = warps;
        self.trace
    }
}

/// Values of the lanes in `mask`.
fn listed<T: Copy>(mask: u32, values: &[T; 32]) -> Vec<T> {
    (0..32).filter(|lane| mask >> lane & 1 != 0).map(|lane| values[lane]).collect()
}
