//! What an operation makes of undefined bits.

use super::access::each;
use super::fill::{WAYS, fill};
use super::{Origin, Slot};
use crate::exec::block::Shared;
use crate::exec::context::{Context, Worker};
use crate::exec::direct::Direct;
use crate::exec::lanes::{self, LaneMachine};
use crate::exec::profile::Profile;
use crate::exec::warp::{Group, Warp};
use crate::finding::Usage;
use crate::isa::op::{Inst, Op, Reg, RegisterUse, guard};
use crate::observe::Observer;
use crate::opcodes::Effect;

/// Registers that an operation computes with at most.
const SOURCES: usize = 4;

/// Where operations are tried out: a warp whose registers nobody else sees.
#[derive(Debug, Default)]
pub struct TrialWarp {
    warp: Warp,
    profile: Option<Profile>,
}

impl TrialWarp {
    /// It is about to try out the operation that a group of a warp is at, whose guard holds.
    fn stand_in(&mut self, context: &Context<'_>, warp: &Warp, group: &Group, inst: Inst, sources: &[Reg]) {
        let info = &context.decoded.code.functions[warp.frames[group.frame as usize].function as usize];
        self.warp.stand_in(warp, group.frame, info);
        let by = guard(inst.guard);
        if !sources.contains(&by) {
            let held = u64::from(inst.guard & 1 == 0);
            self.warp.write(0, by, u32::MAX, &[held; 32]);
        }
    }
}

/// The sources' values with their undefined bits filled in the `way`-th way.
fn fill_all(
    way: usize,
    sources: &[Reg],
    values: &[[u64; 32]; SOURCES],
    marks: &[[u64; 32]; SOURCES],
) -> [[u64; 32]; SOURCES] {
    let mut filled = *values;
    for at in (0..sources.len()).filter(|at| marks[*at] != [0; 32]) {
        // The same register twice has the same value.
        let first = sources.iter().position(|reg| *reg == sources[at]).unwrap_or(at);
        let other = if sources.len() > 1 { &values[usize::from(at == 0)] } else { &values[at] };
        for lane in 0..32 {
            let value = values[at][lane];
            filled[at][lane] = fill(way, value, marks[at][lane], other[lane], first as u64, lane as u64);
        }
    }
    filled
}

impl<O: Observer> Worker<'_, O> {
    /// Before an operation of a group whose warp holds undefined bits: reports what it uses, and notes what is undefined of
    /// its result.
    pub fn careful(&mut self, shared: &Shared, warp: &mut Warp, at: usize) {
        let code = &self.context.decoded.code;
        let group = warp.groups[at];
        let Some(&inst) = code.insts.get(group.pc as usize) else { return };
        warp.shadow.forget_told(&self.defined.origins);
        self.forget_dead(warp, &group);
        let frame = warp.frames[group.frame as usize];
        let doubtful = warp.shadow.lanes(Slot::of(&frame, guard(inst.guard)), group.mask);
        let mask = warp.guarded(&inst, group.frame, group.mask);
        if inst.op.effect(code) == Effect::Pure {
            return self.compute(warp, &group, inst, mask, doubtful);
        }
        if matches!(inst.op, Op::Join | Op::Nop) {
            return;
        }
        if doubtful != 0 {
            self.use_register(shared, warp, &group, guard(inst.guard), doubtful, Usage::Condition);
        }
        let mut uses = Vec::new();
        inst.op.registers(code, &mut |reg, role| match role {
            RegisterUse::Address => uses.push((reg, Usage::Address)),
            RegisterUse::Decides => uses.push((reg, Usage::Condition)),
            RegisterUse::Value if matches!(inst.op, Op::Barrier(_)) => uses.push((reg, Usage::Condition)),
            RegisterUse::Value | RegisterUse::Result => {}
        });
        for (reg, usage) in uses {
            self.use_register(shared, warp, &group, reg, mask, usage);
        }
    }

    /// Reports the lanes of `mask` if they use undefined bits of a register, which then count as defined.
    fn use_register(&mut self, shared: &Shared, warp: &mut Warp, group: &Group, reg: Reg, mask: u32, usage: Usage) {
        let frame = warp.frames[group.frame as usize];
        let Some(slot) = Slot::of(&frame, reg) else { return };
        let Some(mark) = warp.shadow.get(slot) else { return };
        let (lanes, origin) = (mark.lanes(mask), mark.origin);
        if lanes != 0 {
            self.used(shared, warp, group.pc, lanes, origin, usage);
            warp.shadow.define(slot, lanes);
        }
    }

    /// Where the group's block of code begins, registers that nobody reads later are forgotten.
    fn forget_dead(&mut self, warp: &mut Warp, group: &Group) {
        let frame = warp.frames[group.frame as usize];
        let code = &self.context.decoded.code;
        let Some(lives) = self.defined.liveness(code, frame.function).at(group.pc) else { return };
        warp.shadow.retain(&frame, group.mask, |reg| lives.contains(reg));
    }

    /// An operation that computes a register from registers.
    fn compute(&mut self, warp: &mut Warp, group: &Group, inst: Inst, mask: u32, doubtful: u32) {
        let code = &self.context.decoded.code;
        let frame = warp.frames[group.frame as usize];
        let (mut sources, mut count, mut result) = ([Reg::None; SOURCES], 0, Reg::None);
        inst.op.registers(code, &mut |reg, role| match role {
            RegisterUse::Result => result = reg,
            _ if reg != Reg::None && count < SOURCES => {
                sources[count] = reg;
                count += 1;
            }
            _ => {}
        });
        let sources = &sources[..count];
        let Some(to) = Slot::of(&frame, result) else { return };
        let active = mask | doubtful;
        let undefined = |reg: Reg| {
            let mark = Slot::of(&frame, reg).and_then(|slot| warp.shadow.get(slot));
            mark.map(|mark| (mark.bits, mark.origin))
        };
        let mut marks = [[0u64; 32]; SOURCES];
        let (mut lanes, mut origin): (u32, Option<Origin>) = (0, None);
        for (bits, reg) in marks.iter_mut().zip(sources) {
            let Some((found, from)) = undefined(*reg) else { continue };
            let having = each(active).filter(|lane| found[*lane] != 0).fold(0, |all, lane| all | 1 << lane);
            if having != 0 {
                *bits = found;
                lanes |= having;
                origin = origin.or(Some(from));
            }
        }
        if doubtful == 0 && origin.is_none() {
            return warp.shadow.define(to, mask);
        }
        let mut values = [[0u64; 32]; SOURCES];
        for (values, reg) in values.iter_mut().zip(sources) {
            *values = warp.read(group.frame, *reg);
        }
        let mut bench = std::mem::take(&mut self.defined.bench);
        bench.stand_in(self.context, warp, group, inst, sources);
        let plain = self.try_out(&mut bench, group, sources, &values, result);
        let mut bits = [0u64; 32];
        if origin.is_some() {
            for way in 0..WAYS {
                let filled = fill_all(way, sources, &values, &marks);
                let tried = self.try_out(&mut bench, group, sources, &filled, result);
                for lane in 0..32 {
                    bits[lane] |= (tried[lane] ^ plain[lane]) & to.all();
                }
                // More than all is not to be found.
                if each(lanes).all(|lane| bits[lane] == to.all()) {
                    break;
                }
            }
        }
        self.defined.bench = bench;
        if doubtful != 0 {
            // Whether it is executed is undefined: so is what differs between before and after.
            let before = warp.read(group.frame, result);
            let (old, by) = (undefined(result), undefined(guard(inst.guard)));
            origin = origin.or(by.map(|(_, from)| from));
            for lane in each(doubtful) {
                bits[lane] |= (before[lane] ^ plain[lane]) & to.all() | old.map_or(0, |(bits, _)| bits[lane]);
            }
        }
        warp.shadow.set(to, active, &bits, origin);
    }

    /// What the operation would compute from other values of its sources, were its guard true.
    fn try_out(
        &mut self,
        bench: &mut TrialWarp,
        group: &Group,
        sources: &[Reg],
        values: &[[u64; 32]; SOURCES],
        result: Reg,
    ) -> [u64; 32] {
        for (reg, values) in sources.iter().zip(values) {
            bench.warp.write(0, *reg, u32::MAX, values);
        }
        let mut alone = Group { mask: u32::MAX, frame: 0, ..*group };
        let profile = bench.profile.get_or_insert_with(|| Profile::new(self.context.decoded.code.insts.len()));
        self.run_alone(profile, &mut bench.warp, &mut alone);
        bench.warp.read(0, result)
    }

    /// Runs the operation that a group of a warp beside the launch is at, one that touches registers only.
    pub(in crate::exec) fn run_alone(&mut self, profile: &mut Profile, warp: &mut Warp, group: &mut Group) {
        let mut machine = LaneMachine {
            context: self.context,
            block: [0; 3],
            clock: self.clock,
            direct: false,
            looking: false,
            profile,
            memory: Direct {
                global: self.global.lend(),
                last: &mut self.last,
                shared: &mut [],
                shared_low: 0,
                lines: &mut self.lines,
                origins: &self.context.decoded.code.origins,
                writers: &mut self.writers,
                polls: &mut self.polls,
                by: crate::observe::WarpId { block: 0, slot: 0, warp: 0 },
            },
        };
        lanes::run(&mut machine, warp, group, 1);
    }
}
