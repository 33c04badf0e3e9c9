//! One operation that the hot loop leaves to others.

use super::super::block::Shared;
use super::super::context::{Flow, Worker};
use super::super::warp::Warp;
use super::control::others;
use super::visible;
use crate::FindingKind;
use crate::isa::op::{Inst, Op, Reg};
use crate::observe::Observer;

impl<O: Observer> Worker<'_, O> {
    /// Executes an operation that [`lanes::run`] leaves to others.
    pub(super) fn slow(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize) -> Flow {
        let code = &self.context.decoded.code;
        let group = warp.groups[at];
        let Some(&inst) = code.insts.get(group.pc as usize) else {
            let target = group.pc.into();
            return self.fault(shared, warp, 0, group.mask, FindingKind::BadJump { target });
        };
        let mask = warp.guarded(&inst, group.frame, group.mask);
        warp.reach = warp.frames[group.frame as usize].reach;
        // Where somebody watches, accesses come this way that settle by themselves what they have to.
        if !(keeps_to_itself(&inst.op) || O::ACTIVE && is_access(&inst.op)) {
            self.global.settle();
        }
        if self.control.is_some()
            && mask != 0
            && visible(&self.context.decoded.code, &inst.op)
            && self.preempt(shared, warp, at)
        {
            return Flow::Switch;
        }
        // Instructions that wait are counted once, when they have their lanes.
        let waits = matches!(inst.op, Op::Collective(_) | Op::WarpBarrier { .. } | Op::Matrix(_) | Op::Join);
        if !waits {
            self.counted(warp, &group, mask);
        }
        let looked_at = warp.look.is_some() && mask != 0;
        if looked_at {
            self.takes_in(shared, warp, at, mask, &inst.op);
        }
        let before =
            if looked_at || self.tracks() && mask != 0 { self.before(shared, warp, at, mask, &inst.op) } else { None };
        let late =
            if self.late.is_some() && mask != 0 { self.hold_back(shared, warp, at, mask, &inst.op) } else { None };
        let flow = self.execute(shared, warp, at, mask, inst);
        if let Some(late) = late
            && flow != Flow::Stop
        {
            self.take_back(late);
        }
        if let Some(before) = before
            && flow != Flow::Stop
        {
            self.after(shared, warp, &group, mask, &inst.op, &before);
        }
        flow
    }

    fn execute(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, mask: u32, inst: Inst) -> Flow {
        let code = &self.context.decoded.code;
        let group = warp.groups[at];
        match inst.op {
            Op::Join => self.join(warp, at),
            Op::Bra { target, join } => self.branch(shared, warp, at, mask, (target, join)),
            Op::BrIndexed(index) => self.indexed(shared, warp, at, mask, &code.indexed[index as usize]),
            Op::Call(index) => self.call(shared, warp, at, mask, index),
            Op::Ret => self.ret(shared, warp, at, mask),
            Op::Exit => self.exit(shared, warp, at, mask),
            Op::Trap if mask != 0 => self.fault(shared, warp, group.pc, mask, FindingKind::Trap),
            Op::Returned if mask != 0 => {
                let what = "a call that is declared never to return (.noreturn) has returned".to_owned();
                self.fault(shared, warp, group.pc, mask, FindingKind::BrokenPromise { what })
            }
            Op::Uniform { guard } => {
                let taken = warp.guarded(&Inst { guard, ..inst }, group.frame, group.mask);
                let parted = taken != 0 && taken != group.mask;
                self.stays_uniform(shared, warp, at, if parted { taken } else { 0 })
            }
            Op::SameTarget { a } if mask != 0 => {
                let others = others(warp, group.frame, a, mask);
                self.stays_uniform(shared, warp, at, others)
            }
            Op::Unsupported(index) if mask != 0 => {
                let instruction = code.unsupported[index as usize].clone();
                self.fault(shared, warp, group.pc, mask, FindingKind::Unsupported { instruction })
            }
            Op::Barrier(index) => self.barrier(shared, warp, at, mask, &code.barriers[index as usize]),
            #[cfg(not(target_family = "wasm"))]
            Op::ClusterArrive { releases } => self.cluster_arrive(shared, warp, at, mask, releases),
            #[cfg(not(target_family = "wasm"))]
            Op::ClusterWait { acquires } => self.cluster_wait(shared, warp, at, mask, acquires),
            Op::Collective(_) | Op::WarpBarrier { .. } | Op::Matrix(_) => self.converge(shared, warp, at, mask),
            _ if mask == 0 => advance(warp, at),
            Op::Load(index) => self.load(shared, warp, at, mask, &code.accesses[index as usize]),
            Op::Store(index) => self.store(shared, warp, at, mask, &code.accesses[index as usize]),
            Op::Atomic(index) => self.atomic(shared, warp, at, mask, &code.atomics[index as usize]),
            Op::Discard(index) => self.discard(shared, warp, at, mask, &code.accesses[index as usize]),
            #[cfg(not(target_family = "wasm"))]
            Op::Prefetch(index) => self.prefetch(shared, warp, at, mask, &code.accesses[index as usize]),
            Op::CopyBulk(index) => self.bulk(shared, warp, at, mask, &code.bulk[index as usize]),
            Op::CopyAsync(index) => self.copy(shared, warp, at, mask, &code.copies[index as usize]),
            Op::Mbarrier(index) => self.mbarrier(shared, warp, at, mask, &code.mbarriers[index as usize]),
            #[cfg(not(target_family = "wasm"))]
            Op::Texture(index) => self.texture(shared, warp, at, mask, &code.textures[index as usize]),
            Op::CopyCommit { .. } | Op::CopyWait { .. } | Op::Fence(_) | Op::ProxyFence { .. } => {
                self.orders(shared, warp, group.pc, mask, inst.op);
                advance(warp, at)
            }
            Op::NanoSleep => {
                warp.groups[at].pc += 1;
                Flow::Spin
            }
            Op::ActiveMask { d } => {
                let reg = Reg::R32(d);
                warp.write(group.frame, reg, mask, &[mask.into(); 32]);
                advance(warp, at)
            }
            // The hot loop executes the others. What neither of both knows does not pass as done.
            // (Its place names it: texts of all operations would weigh on the page's module.)
            _ => {
                let instruction = "an operation that nothing executes".to_owned();
                self.fault(shared, warp, group.pc, mask, FindingKind::Unsupported { instruction })
            }
        }
    }

    /// Waits for copies, and fences: only those who watch hear of them.
    fn orders(&mut self, shared: &Shared, warp: &Warp, pc: u32, mask: u32, op: Op) {
        if matches!(op, Op::Fence(_)) {
            self.count(pc, |counters| counters.fences += 1);
        }
        if !O::ACTIVE {
            return;
        }
        let who = shared.warp(warp.index);
        match op {
            Op::CopyCommit { of } => self.observer.commit(who, mask, of),
            Op::CopyWait { of, left } => {
                self.observer.wait(who, mask, of, Some(left).filter(|&left| left != u32::MAX));
            }
            Op::ProxyFence { global, shared } => self.observer.proxy_fence(who, mask, [global, shared]),
            Op::Fence(index) => {
                let op = self.context.decoded.code.fences[index as usize];
                #[cfg(not(target_family = "wasm"))]
                let scope = self.in_cluster(op.scope);
                #[cfg(target_family = "wasm")]
                let scope = op.scope;
                self.observer.fence(who, mask, op.order, scope);
            }
            _ => {}
        }
    }
}

/// Does nobody learn through the operation what a thread has written? (Who shares a barrier shares a host thread, too.)
fn keeps_to_itself(op: &Op) -> bool {
    matches!(
        op,
        Op::Join
            | Op::Bra { .. }
            | Op::BrIndexed(_)
            | Op::Ret
            | Op::Exit
            | Op::Barrier(_)
            | Op::Collective(_)
            | Op::WarpBarrier { .. }
    )
}

/// A load, a store or an atomic.
fn is_access(op: &Op) -> bool {
    matches!(op, Op::Load(_) | Op::Store(_) | Op::Atomic(_))
}

/// On to the next operation.
fn advance(warp: &mut Warp, at: usize) -> Flow {
    warp.groups[at].pc += 1;
    Flow::Continue
}
