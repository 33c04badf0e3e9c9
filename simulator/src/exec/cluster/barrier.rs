//! The barrier of a cluster: who has arrived goes on, and waits later for all threads of the cluster that have not exited.

use super::Member;
use crate::FindingKind;
use crate::exec::block::{Block, CLUSTER_BARRIER, Shared};
use crate::exec::context::{Flow, Worker};
use crate::exec::warp::{Since, State, Warp};
use crate::isa::op::Op;
use crate::observe::Observer;

impl Member {
    /// Lanes of a warp that have arrived, and in a phase that is over.
    fn through(&self, warp: usize, phase: u64) -> u32 {
        let (arrived, odd) = (self.arrived[warp], self.odd[warp]);
        arrived & if phase.is_multiple_of(2) { odd } else { !odd }
    }
}

impl<O: Observer> Worker<'_, O> {
    /// `barrier.cluster.arrive`
    pub fn cluster_arrive(
        &mut self,
        shared: &mut Shared,
        warp: &mut Warp,
        at: usize,
        mask: u32,
        releases: bool,
    ) -> Flow {
        let group = warp.groups[at];
        warp.groups[at].pc += 1;
        let Some(cluster) = self.clusters.all.get_mut(&shared.member.number).filter(|_| mask != 0) else {
            return Flow::Continue;
        };
        let index = warp.index as usize;
        let again = shared.member.arrived[index] & mask;
        if again != 0 {
            let explanation =
                "a thread arrives a second time before it has waited (barrier.cluster.wait) for the first".to_owned();
            return self.fault(shared, warp, group.pc, again, FindingKind::ClusterBarrier { explanation });
        }
        shared.member.arrived[index] |= mask;
        let odd = &mut shared.member.odd[index];
        *odd = if cluster.phase.is_multiple_of(2) { *odd & !mask } else { *odd | mask };
        cluster.arrived += mask.count_ones();
        if O::ACTIVE {
            self.observer.cluster_arrive(shared.warp(warp.index), mask, releases);
        }
        self.complete_cluster(shared.member.number);
        Flow::Continue
    }

    /// `barrier.cluster.wait`
    pub fn cluster_wait(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, mask: u32, acquires: bool) -> Flow {
        let group = warp.groups[at];
        let Some(cluster) = self.clusters.all.get(&shared.member.number).filter(|_| mask != 0) else {
            warp.groups[at].pc += 1;
            return Flow::Continue;
        };
        let phase = cluster.phase;
        let index = warp.index as usize;
        self.count(group.pc, |counters| counters.barriers += 1);
        let never = mask & !shared.member.arrived[index];
        if never != 0 {
            let explanation = "a thread waits that has not arrived (barrier.cluster.arrive)".to_owned();
            return self.fault(shared, warp, group.pc, never, FindingKind::ClusterBarrier { explanation });
        }
        let through = mask & shared.member.through(index, phase);
        warp.split(at, mask);
        if through != mask && through != 0 {
            // Some are through already; the others wait in a group of their own.
            let rest = mask & !through;
            warp.groups.push(crate::exec::warp::Group { mask: rest, state: State::Barrier(CLUSTER_BARRIER), ..group });
            warp.groups[at].mask = through;
        }
        if through == 0 {
            warp.groups[at].state = State::Barrier(CLUSTER_BARRIER);
            return Flow::Switch;
        }
        self.go_through(shared, warp, through, acquires);
        warp.groups[at].pc += 1;
        Flow::Switch
    }

    /// Lanes go on behind the barrier.
    fn go_through(&mut self, shared: &mut Shared, warp: &Warp, mask: u32, acquires: bool) {
        shared.member.arrived[warp.index as usize] &= !mask;
        if O::ACTIVE {
            self.observer.cluster_wait(shared.warp(warp.index), mask, acquires);
        }
        self.record_barrier(shared.linear, warp, mask);
    }

    /// Lanes have exited: nobody waits for them any more.
    pub fn cluster_exit(&mut self, shared: &mut Shared, warp: u32, mask: u32) {
        let Some(cluster) = self.clusters.all.get_mut(&shared.member.number).filter(|_| self.context.clustered) else {
            return;
        };
        cluster.live -= mask.count_ones();
        let Some(arrived) = shared.member.arrived.get(warp as usize) else { return };
        let counted = mask & arrived & !shared.member.through(warp as usize, cluster.phase);
        cluster.arrived -= counted.count_ones();
        self.complete_cluster(shared.member.number);
    }

    /// Has everybody arrived?
    fn complete_cluster(&mut self, number: u64) {
        let Some(cluster) = self.clusters.all.get_mut(&number) else { return };
        if cluster.arrived == 0 || cluster.arrived < cluster.live {
            return;
        }
        cluster.phase += 1;
        cluster.arrived = 0;
        self.clusters.moved = true;
        if O::ACTIVE {
            self.observer.cluster_complete(number);
        }
    }

    /// Has a barrier been completed since this was asked last?
    pub fn cluster_moved(&mut self) -> bool {
        std::mem::take(&mut self.clusters.moved)
    }

    /// Does some lane of the block wait for the cluster?
    pub fn awaits_cluster(block: &Block) -> bool {
        let waits = |warp: &Warp| warp.groups.iter().any(|group| group.state == State::Barrier(CLUSTER_BARRIER));
        block.warps.iter().any(waits)
    }

    /// Lets those of a block go on whose barrier is complete.
    pub fn pass_cluster(&mut self, block: &mut Block) {
        if !self.context.clustered || !Self::awaits_cluster(block) {
            return;
        }
        let Some(cluster) = self.clusters.all.get(&block.shared.member.number) else { return };
        let phase = cluster.phase;
        let Block { warps, shared } = block;
        for warp in warps {
            let through = shared.member.through(warp.index as usize, phase);
            let mut passed = false;
            for at in 0..warp.groups.len() {
                let group = warp.groups[at];
                if group.state != State::Barrier(CLUSTER_BARRIER) || group.mask & !through != 0 {
                    continue;
                }
                let acquires = match self.context.decoded.code.insts[group.pc as usize].op {
                    Op::ClusterWait { acquires } => acquires,
                    _ => true,
                };
                self.go_through(shared, warp, group.mask, acquires);
                let group = &mut warp.groups[at];
                (group.state, group.pc, group.since) = (State::Ready, group.pc + 1, Since::Together);
                passed = true;
            }
            if passed {
                warp.merge();
            }
        }
    }

    /// Threads of the block's cluster that have not arrived, without those who have exited.
    pub fn missing_in_cluster(&self, shared: &Shared) -> u32 {
        self.clusters.all.get(&shared.member.number).map_or(0, |cluster| cluster.live - cluster.arrived)
    }
}
