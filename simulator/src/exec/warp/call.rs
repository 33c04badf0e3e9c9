//! Calls, returns, and the functions that the simulator brings itself.

use crate::FindingKind;
use crate::exec::block::Shared;
use crate::exec::context::{Flow, Worker};
use crate::exec::warp::{Frame, Reach, Warp};
use crate::isa::op::{CallOp, CallValue, Callee, NOWHERE};
use crate::observe::Observer;

impl<O: Observer> Worker<'_, O> {
    /// `call`
    pub fn call(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, mask: u32, index: u32) -> Flow {
        let group = warp.groups[at];
        if mask == 0 {
            warp.groups[at].pc += 1;
            return Flow::Continue;
        }
        let op = &self.context.decoded.code.calls[index as usize];
        match &op.callee {
            Callee::Function(function) => {
                let ways = vec![(mask, *function)];
                self.enter(shared, warp, at, mask, index, ways)
            }
            Callee::Indirect(reg) => {
                let targets = warp.read(group.frame, *reg);
                let mut ways: Vec<(u32, u32)> = Vec::new();
                for (lane, &target) in targets.iter().enumerate().filter(|(lane, _)| mask >> lane & 1 != 0) {
                    let code = &self.context.decoded.code;
                    let function = code.addresses.iter().position(|address| *address == target);
                    let function = function
                        .filter(|&function| code.functions.get(function).is_some_and(|info| info.defined))
                        .map(|function| function as u32);
                    let Some(function) = function else {
                        return self.fault(shared, warp, group.pc, 1 << lane, FindingKind::BadJump { target });
                    };
                    if !op.among.is_empty() && !op.among.contains(&function) {
                        let name = &self.context.decoded.code.functions[function as usize].name;
                        let what = format!("a call goes to `{name}`, which is not in its list .calltargets");
                        return self.fault(shared, warp, group.pc, 1 << lane, FindingKind::BrokenPromise { what });
                    }
                    match ways.iter_mut().find(|(_, known)| *known == function) {
                        Some((mask, _)) => *mask |= 1 << lane,
                        None => ways.push((1 << lane, function)),
                    }
                }
                let many = ways.len() > 1 || mask != group.mask;
                self.count(group.pc, |c| c.branches += 1);
                if many {
                    self.profile.parted(group.pc as usize);
                }
                self.enter(shared, warp, at, mask, index, ways)
            }
            Callee::Printf => {
                let flow = self.printf_call(shared, warp, group.frame, group.pc, mask, op);
                if flow == Flow::Continue {
                    warp.groups[at].pc += 1;
                }
                flow
            }
            Callee::AssertFail => {
                let message = self.assert_message(shared, warp, group.frame, mask, op);
                self.fault(shared, warp, group.pc, mask, FindingKind::Assert { message })
            }
            Callee::Malloc => self.malloc(shared, warp, at, mask, op),
            Callee::Free => self.free(shared, warp, at, mask, op),
            Callee::Missing(name) => {
                let instruction = format!("call {name}: it has no body in this module");
                self.fault(shared, warp, group.pc, mask, FindingKind::Unsupported { instruction })
            }
        }
    }

    fn enter(
        &mut self,
        shared: &Shared,
        warp: &mut Warp,
        at: usize,
        mask: u32,
        call: u32,
        ways: Vec<(u32, u32)>,
    ) -> Flow {
        let group = warp.groups[at];
        let code = &self.context.decoded.code;
        let op = &code.calls[call as usize];
        let caller = &code.functions[warp.frames[group.frame as usize].function as usize];
        let limit = self.stack_limit();
        let held = warp.bytes();
        let mut places = Vec::new();
        for (lanes, function) in ways {
            let info = &code.functions[function as usize];
            if !info.defined {
                let instruction = format!("call {}: it has no body in this module", info.name);
                return self.fault(shared, warp, group.pc, lanes, FindingKind::Unsupported { instruction });
            }
            let frame = Frame {
                parent: group.frame,
                return_pc: group.pc + 1,
                call,
                function,
                base32: 0,
                base64: 0,
                base_p: 0,
                local: 0,
                reach: Reach::default(),
                lanes,
                stack: 0,
            };
            let Some(frame) = warp.enter(frame, info, caller, limit, self.context.poison(1)) else {
                return self.fault(shared, warp, group.pc, lanes, FindingKind::StackOverflow { limit });
            };
            if O::ACTIVE {
                self.entered(shared, warp, frame, lanes);
            }
            for (from, to) in op.args.iter().zip(&info.params) {
                let (from, to) = ((group.frame, *from), (frame, *to));
                warp.pass(lanes, from, to);
                if O::ACTIVE {
                    self.passed(shared, warp, lanes, from, to);
                    self.widened(shared, warp, (group.pc, lanes), from.1, to);
                }
            }
            places.push((lanes, info.start, frame));
        }
        self.state += warp.bytes().saturating_sub(held);
        if self.state > self.state_limit() {
            let limit = self.context.config.limits.state;
            return self.fault(shared, warp, group.pc, mask, FindingKind::StateLimit { limit });
        }
        let skipped = group.mask & !mask;
        let mut ways: Vec<(u32, u32)> = places.iter().map(|&(lanes, pc, _)| (lanes, pc)).collect();
        if skipped != 0 {
            ways.push((skipped, group.pc + 1));
        }
        let first = warp.groups.len();
        let flow = self.diverge(warp, at, &ways, group.pc + 1);
        // The groups are the old one and those appended, in order of the ways.
        for (order, &(_, _, frame)) in places.iter().enumerate() {
            let index = if order == 0 { at } else { first + order - 1 };
            warp.groups[index].frame = frame;
        }
        flow
    }

    /// `ret`
    pub fn ret(&mut self, shared: &Shared, warp: &mut Warp, at: usize, mask: u32) -> Flow {
        let group = warp.groups[at];
        let frame = warp.frames[group.frame as usize];
        if mask == 0 || frame.return_pc == NOWHERE {
            warp.groups[at].pc += 1;
            return Flow::Continue;
        }
        let code = &self.context.decoded.code;
        let op = &code.calls[frame.call as usize];
        let info = &code.functions[frame.function as usize];
        for (from, to) in info.returns.iter().zip(&op.returns) {
            let (from, to) = ((group.frame, *from), (frame.parent, *to));
            warp.pass(mask, from, to);
            if O::ACTIVE {
                self.passed(shared, warp, mask, from, to);
                self.widened(shared, warp, (frame.return_pc - 1, mask), from.1, to);
            }
        }
        warp.return_from(group.frame, mask);
        if mask == group.mask {
            warp.groups[at].pc = frame.return_pc;
            warp.groups[at].frame = frame.parent;
            return Flow::Continue;
        }
        let ways = [(group.mask & !mask, group.pc + 1), (mask, frame.return_pc)];
        let last = warp.groups.len();
        self.diverge(warp, at, &ways, NOWHERE);
        warp.groups[last].frame = frame.parent;
        Flow::Switch
    }

    /// An argument's lanes.
    pub fn argument(&self, warp: &Warp, frame: u32, op: &CallOp, at: usize, size: u32) -> [u64; 32] {
        match op.args.get(at) {
            Some(CallValue::Register(reg)) => warp.read(frame, *reg),
            Some(CallValue::Memory { offset, .. }) => {
                let at = warp.frames[frame as usize].local + offset;
                let there = warp.has_local(at, size);
                std::array::from_fn(|lane| if there { warp.load_local(lane, at, size) } else { 0 })
            }
            None => [0; 32],
        }
    }

    fn assert_message(&mut self, shared: &Shared, warp: &Warp, frame: u32, mask: u32, op: &CallOp) -> String {
        let lane = mask.trailing_zeros() as usize & 31;
        let mut text = |at: usize| {
            let address = self.argument(warp, frame, op, at, 8)[lane];
            let said = self.text(shared, warp, lane, address);
            // On one line: what the kernel says is no sentence of a report.
            let shown = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
            String::from_utf8_lossy(&said).chars().map(shown).collect::<String>()
        };
        let (expression, file, function) = (text(0), text(1), text(3));
        let line = self.argument(warp, frame, op, 2, 4)[lane] as u32;
        format!("{file}:{line}: {function}: assertion `{expression}` failed")
    }
}
