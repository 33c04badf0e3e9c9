//! A grid of clusters: the blocks of one become resident together.

use super::{Cluster, Member, Parked};
use crate::exec::block::{Block, Turn};
use crate::exec::context::Worker;
use crate::exec::grid::AT_ONCE;
use crate::observe::Observer;
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Slots without a block, with what is left of the last one there.
type Free = Vec<(u32, Block)>;

impl<O: Observer> Worker<'_, O> {
    /// Runs all clusters, or those of the blocks that are chosen, in the usual order.
    pub fn take_turns_in_clusters(&mut self, next: &AtomicU64, slots: Range<u32>) {
        let mut slots = self.at_least_a_cluster(slots);
        let chosen = self.chosen_clusters();
        let total = chosen.as_ref().map_or_else(|| self.all_clusters(), |chosen| chosen.len() as u64);
        let mut resident: VecDeque<Block> = VecDeque::new();
        let mut free: Free = Vec::new();
        let size = self.context.cluster_size() as usize;
        loop {
            let mut waited = true;
            for _ in 0..resident.len() {
                let Some(mut block) = resident.pop_front() else { break };
                self.unpark(&mut block);
                self.pass_cluster(&mut block);
                let turn = self.run_block(&mut block);
                self.park(&mut block);
                waited &= turn == Turn::Wait;
                match turn {
                    Turn::Done => {
                        self.leave_cluster(&block);
                        free.push((block.shared.slot, block));
                    }
                    Turn::Wait | Turn::Yield => resident.push_back(block),
                    Turn::Stop => return,
                }
                if self.context.stop.load(Relaxed) {
                    return;
                }
            }
            // As long as those who are there bring each other on, no others have to come.
            if self.cluster_moved() {
                continue;
            }
            let wanted = (resident.len() / AT_ONCE / size).max(1);
            let mut started = 0;
            for _ in 0..wanted {
                let room = self.take_slots(&mut slots, &mut free, resident.is_empty());
                let Some(room) = room else { break };
                let at = next.fetch_add(1, Relaxed);
                if at >= total {
                    free.extend(room);
                    break;
                }
                let cluster = chosen.as_ref().map_or(at, |chosen| chosen[at as usize]);
                let Some(blocks) = self.start_cluster(cluster, room) else { return };
                started += blocks.len();
                resident.extend(blocks);
            }
            if started > 0 {
                resident.rotate_right(started);
                continue;
            }
            if resident.is_empty() {
                return;
            }
            if self.round(resident.make_contiguous(), waited) {
                self.stuck(resident.make_contiguous());
                return;
            }
        }
    }

    /// Starts one more cluster under an explored schedule, if there is one and room for it.
    pub fn admit_cluster(
        &mut self,
        next: &AtomicU64,
        slots: &mut Range<u32>,
        free: &mut Free,
        resident: &mut Vec<Block>,
    ) -> bool {
        *slots = self.at_least_a_cluster(slots.clone());
        let reversed = self.control.as_ref().is_some_and(|control| control.blocks_reversed);
        let Some(room) = self.take_slots(slots, free, resident.is_empty()) else { return false };
        let chosen = self.chosen_clusters();
        let total = chosen.as_ref().map_or_else(|| self.all_clusters(), |chosen| chosen.len() as u64);
        let at = next.fetch_add(1, Relaxed);
        if at >= total {
            free.extend(room);
            return false;
        }
        let at = if reversed { total - 1 - at } else { at };
        let started = self.start_cluster(chosen.map_or(at, |chosen| chosen[at as usize]), room);
        let some = started.is_some();
        resident.extend(started.into_iter().flatten());
        some
    }

    /// The clusters of the blocks that are chosen, if any are.
    fn chosen_clusters(&self) -> Option<Vec<u64>> {
        let blocks = self.context.config.blocks.as_ref()?;
        let of: BTreeSet<u64> = blocks.iter().map(|block| self.context.cluster_of(*block)).collect();
        Some(of.into_iter().collect())
    }

    fn all_clusters(&self) -> u64 {
        self.blocks() / u64::from(self.context.cluster_size())
    }

    /// A device that holds any block holds a whole cluster.
    fn at_least_a_cluster(&self, slots: Range<u32>) -> Range<u32> {
        if slots.start == 0 { 0..slots.end.max(self.context.cluster_size()) } else { slots }
    }

    /// Slots for a whole cluster; nothing if there are too few, or no room beside those who are there.
    fn take_slots(&mut self, slots: &mut Range<u32>, free: &mut Free, alone: bool) -> Option<Free> {
        let size = self.context.cluster_size() as usize;
        if free.len() + slots.len() < size {
            return None;
        }
        let mut taken = free.split_off(free.len().saturating_sub(size));
        while taken.len() < size {
            taken.push((slots.next()?, Block::default()));
        }
        if alone || self.has_room_for(&taken) {
            return Some(taken);
        }
        free.extend(taken);
        None
    }

    /// Starts the blocks of a cluster. Nothing if that is not possible: the launch is over.
    fn start_cluster(&mut self, number: u64, room: Free) -> Option<Vec<Block>> {
        self.clusters.all.insert(number, Cluster::default());
        let mut started = Vec::new();
        for (rank, (slot, mut block)) in room.into_iter().enumerate() {
            let linear = self.context.block_in(number, rank as u32);
            block.shared.member = Member { number, rank: rank as u32, ..Member::default() };
            if !self.start_block(&mut block, linear, slot) {
                return None;
            }
            let warps = block.warps.len();
            (block.shared.member.arrived, block.shared.member.odd) = (vec![0; warps], vec![0; warps]);
            if let Some(cluster) = self.clusters.all.get_mut(&number) {
                cluster.live += block.shared.live.iter().map(|lanes| lanes.count_ones()).sum::<u32>();
                cluster.blocks.push(Parked { slot, bytes: Vec::new(), gone: false });
            }
            if O::ACTIVE {
                self.observer.cluster_start(block.shared.warp(0), number);
            }
            self.park(&mut block);
            started.push(block);
        }
        Some(started)
    }
}
