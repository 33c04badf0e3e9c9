//! What ran, operation by operation, for the price of a branch.
//!
//! A group runs operations one after the other until it jumps or stops. Such a span adds its lanes where it begins and
//! takes them away where it ends; sums from the first operation to the last then say how often each ran, and for how many
//! lanes. Only lanes whose guard is false have to be counted where it happens, and few instructions have a guard.

use crate::counters::Counters;
use crate::isa::class::Class;
use crate::isa::op::{Code, Inst, NO_GUARD, Op, Origin};

/// Differences at one operation; they wrap.
#[derive(Debug, Clone, Copy, Default)]
struct Step {
    /// Groups that begin here, less those that ended before.
    groups: u64,
    /// Their lanes.
    lanes: u64,
    /// Lanes that were here with a false guard: a sum, no difference.
    off: u64,
    /// Groups that went a long way here: a sum, too.
    long: u64,
    /// Groups whose lanes parted at this branch: a sum, too.
    parted: u64,
}

/// How often each operation of a module ran on one host thread.
#[derive(Debug)]
pub struct Profile {
    steps: Vec<Step>,
}

impl Profile {
    /// Nothing ran yet of `operations`.
    pub fn new(operations: usize) -> Self {
        Self { steps: vec![Step::default(); operations + 1] }
    }

    /// A group of `lanes` lanes ran the operations from `from` up to but not with `to`.
    #[inline(always)]
    pub fn span(&mut self, from: usize, to: usize, lanes: u64) {
        let begin = &mut self.steps[from];
        begin.groups = begin.groups.wrapping_add(1);
        begin.lanes = begin.lanes.wrapping_add(lanes);
        let end = &mut self.steps[to];
        end.groups = end.groups.wrapping_sub(1);
        end.lanes = end.lanes.wrapping_sub(lanes);
    }

    /// Of a span's lanes those in `mask` had a false guard at `pc`.
    #[inline(always)]
    pub fn off(&mut self, pc: usize, mask: u32) {
        self.steps[pc].off += u64::from(mask.count_ones());
    }

    /// A group went a long way to a result at `pc`.
    pub fn long(&mut self, pc: usize) {
        self.steps[pc].long += 1;
    }

    /// A group's lanes went different ways from the branch at `pc`.
    pub fn parted(&mut self, pc: usize) {
        self.steps[pc].parted += 1;
    }

    /// Adds what it knows to the counters of each operation's line.
    pub fn settle(&self, code: &Code, lines: &mut [Counters]) {
        let (mut groups, mut lanes) = (0u64, 0u64);
        for ((step, inst), origin) in self.steps.iter().zip(&code.insts).zip(&code.origins) {
            groups = groups.wrapping_add(step.groups);
            lanes = lanes.wrapping_add(step.lanes);
            lines[origin.line as usize].long_divisions += step.long;
            lines[origin.line as usize].divergent_branches += step.parted;
            if groups != 0 {
                add(&mut lines[origin.line as usize], code, inst, origin, groups, lanes, lanes - step.off);
            }
        }
    }
}

impl Profile {
    /// How many groups ran each operation with a lane whose guard was true, and how many parted there.
    pub fn ran(&self) -> Vec<[u64; 2]> {
        let (mut groups, mut lanes) = (0u64, 0u64);
        let each = |step: &Step| {
            groups = groups.wrapping_add(step.groups);
            lanes = lanes.wrapping_add(step.lanes);
            [if lanes > step.off { groups } else { 0 }, step.parted]
        };
        self.steps.iter().map(each).collect()
    }
}

/// Adds an operation that ran `groups` times for `lanes` lanes, of which `on` had a true guard.
fn add(to: &mut Counters, code: &Code, inst: &Inst, origin: &Origin, groups: u64, lanes: u64, on: u64) {
    if inst.counted != 0 {
        to.instructions += groups;
        to.active_thread_instructions += lanes;
        to.thread_instructions += on;
        *match origin.class {
            Class::Fp16 => &mut to.thread_fp16,
            Class::Fp32 => &mut to.thread_fp32,
            Class::Fp64 => &mut to.thread_fp64,
            Class::Special => &mut to.thread_special,
            Class::Integer => &mut to.thread_integer,
            Class::Conversion => &mut to.thread_conversion,
            Class::Control => &mut to.thread_control,
            Class::Memory => &mut to.thread_memory,
            Class::Exchange => &mut to.thread_exchange,
            Class::Matrix => &mut to.thread_matrix,
            Class::Other => &mut to.thread_other,
        } += on;
        if origin.double {
            to.double_precision += on;
        }
    }
    match inst.op {
        Op::Bra { .. } if inst.guard != NO_GUARD => to.branches += groups,
        Op::BrIndexed(_) => to.branches += groups,
        _ => {}
    }
    let flops = on * flops(code, inst);
    to.flops += flops;
    match origin.class {
        Class::Fp16 => to.flops_fp16 += flops,
        Class::Fp64 => to.flops_fp64 += flops,
        _ => to.flops_fp32 += flops,
    }
}

/// Floating-point operations a lane.
fn flops(code: &Code, inst: &Inst) -> u64 {
    match inst.op {
        Op::AddF32 { .. } | Op::SubF32 { .. } | Op::MulF32 { .. } => 1,
        Op::AddF64 { .. } | Op::SubF64 { .. } | Op::MulF64 { .. } => 1,
        Op::FmaF32 { .. } | Op::FmaF64 { .. } => 2,
        Op::Map(index) => code.maps[index as usize].flops.into(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_add_up_to_visits() {
        let mut profile = Profile::new(4);
        profile.span(0, 4, 32);
        profile.span(1, 3, 8);
        profile.span(2, 3, 1);
        profile.off(2, 0b111);
        let (mut groups, mut lanes) = (0u64, 0u64);
        let seen: Vec<(u64, u64, u64)> = profile
            .steps
            .iter()
            .map(|step| {
                groups = groups.wrapping_add(step.groups);
                lanes = lanes.wrapping_add(step.lanes);
                (groups, lanes, step.off)
            })
            .collect();
        profile.parted(1);
        assert_eq!(profile.ran(), [[1, 0], [2, 1], [3, 0], [1, 0], [0, 0]]);
        profile.off(0, u32::MAX);
        assert_eq!(profile.ran()[0], [0, 0], "nobody's guard was true");
        assert_eq!(seen, [(1, 32, 0), (2, 40, 0), (3, 41, 3), (1, 32, 0), (0, 0, 0)]);
    }
}
