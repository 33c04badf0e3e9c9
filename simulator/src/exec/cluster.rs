//! Clusters: blocks that are resident together, reach each other's shared memory, and meet at a barrier of their own.
//!
//! A block's shared memory lies in the block while it has its turn, and with its cluster in between, where the others find it.

mod barrier;
mod turns;

use super::accessing::{Accessing, LaneBytes, WarpBytes};
use super::block::{Block, Shared};
use super::cell::AccessError;
use super::context::{Context, Flow, Worker};
use super::warp::Warp;
use crate::finding::{FindingKind, MemoryLocation};
use crate::isa::op::{AddressSpace, ClusterSpecial};
use crate::memory::window;
use crate::observe::Observer;
use std::collections::HashMap;

/// Clusters with resident blocks.
#[derive(Debug, Default)]
pub struct Clusters {
    all: HashMap<u64, Cluster>,
    /// A barrier has been completed, and who waits there does not know yet.
    moved: bool,
}

/// A cluster.
#[derive(Debug, Default)]
struct Cluster {
    /// Its blocks by rank.
    blocks: Vec<Parked>,
    /// How often its barrier has been completed.
    phase: u64,
    /// Threads that have not exited.
    live: u32,
    /// Those of them that have arrived in this phase.
    arrived: u32,
}

/// A block between its turns.
#[derive(Debug)]
struct Parked {
    slot: u32,
    /// Its shared memory.
    bytes: Vec<u8>,
    gone: bool,
}

/// A block's place in its cluster.
#[derive(Debug, Default)]
pub struct Member {
    /// The cluster.
    number: u64,
    rank: u32,
    /// By warp: lanes that have arrived at the cluster's barrier and not yet waited there,
    arrived: Vec<u32>,
    /// and of those the ones that did so in an odd phase.
    odd: Vec<u32>,
}

impl Context<'_> {
    /// Blocks of a cluster.
    pub fn cluster_size(&self) -> u32 {
        self.cluster.iter().product()
    }

    /// The block of a rank in a cluster, by their numbers.
    fn block_in(&self, cluster: u64, rank: u32) -> u64 {
        let [x, y, _] = self.cluster;
        let across = self.grid_of_clusters();
        let at = indices(cluster, across);
        let inside = [rank % x, rank / x % y, rank / (x * y)];
        let [bx, by, bz] = std::array::from_fn(|axis| u64::from(at[axis] * self.cluster[axis] + inside[axis]));
        bx + u64::from(self.grid[0]) * (by + u64::from(self.grid[1]) * bz)
    }

    fn grid_of_clusters(&self) -> [u32; 3] {
        std::array::from_fn(|axis| self.grid[axis] / self.cluster[axis])
    }

    /// The number of a block's cluster, by its number in the grid.
    fn cluster_of(&self, block: u64) -> u64 {
        let at = indices(block, self.grid);
        let [x, y, z]: [u64; 3] = std::array::from_fn(|axis| u64::from(at[axis] / self.cluster[axis]));
        let [gx, gy, _] = self.grid_of_clusters();
        x + u64::from(gx) * (y + u64::from(gy) * z)
    }
}

/// A number as indices in extents, x first.
fn indices(number: u64, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(x), u64::from(y));
    [(number % x) as u32, (number / x % y) as u32, (number / (x * y)) as u32]
}

/// A special register.
#[inline(never)]
pub fn special(which: ClusterSpecial, context: &Context<'_>, block: [u32; 3]) -> u64 {
    let cluster = context.cluster;
    let inside: [u32; 3] = std::array::from_fn(|axis| block[axis] % cluster[axis]);
    match which {
        ClusterSpecial::Id(axis @ 0..3) => (block[axis as usize] / cluster[axis as usize]).into(),
        ClusterSpecial::Count(axis @ 0..3) => context.grid_of_clusters()[axis as usize].into(),
        ClusterSpecial::Block(axis @ 0..3) => inside[axis as usize].into(),
        ClusterSpecial::Blocks(axis @ 0..3) => cluster[axis as usize].into(),
        ClusterSpecial::Count(_) | ClusterSpecial::Blocks(_) => 1,
        ClusterSpecial::Id(_) | ClusterSpecial::Block(_) => 0,
        ClusterSpecial::Rank => (inside[0] + cluster[0] * (inside[1] + cluster[1] * inside[2])).into(),
        ClusterSpecial::Ranks => context.cluster_size().into(),
        ClusterSpecial::Explicit => context.explicit_cluster.into(),
    }
}

impl<O: Observer> Worker<'_, O> {
    /// The other block of the cluster that an address in shared memory belongs to, if it is none of one's own, and the offset there.
    fn other(&self, shared: &Shared, address: u64) -> Option<(u32, u64)> {
        if address <= window::WITHIN || !self.context.clustered {
            return None;
        }
        let (rank, offset) = window::rank(address)?;
        // Before its beginning there is nothing either.
        Some((rank, offset as u64)).filter(|_| rank != shared.member.rank)
    }

    /// Reports lanes that would go to the shared memory of another block with an instruction that reaches their own (`own`) only.
    pub fn outside_block(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        by: Accessing,
        bytes: WarpBytes<'_>,
        own: bool,
    ) -> Option<Flow> {
        let WarpBytes { space, addresses, size } = bytes;
        if !(own && self.context.clustered && space == AddressSpace::Shared) {
            return None;
        }
        let outside = |lane: &usize| by.lanes >> lane & 1 != 0 && self.other(shared, addresses[*lane]).is_some();
        let lane = (0..32).find(outside)?;
        let mut access = self.describe(shared, warp, by.lane(lane), LaneBytes::new(space, addresses[lane], size));
        let memory = "the shared memory of another block, which takes .shared::cluster".to_owned();
        access.object = MemoryLocation::Nobodys { memory };
        Some(self.fault(shared, warp, by.pc, 1 << lane, FindingKind::OutOfBounds { access }))
    }

    fn parked(&self, shared: &Shared, rank: u32) -> Result<&Parked, AccessError> {
        let cluster = self.clusters.all.get(&shared.member.number);
        let block = cluster.and_then(|cluster| cluster.blocks.get(rank as usize)).ok_or(AccessError::Bounds)?;
        if block.gone { Err(AccessError::Gone) } else { Ok(block) }
    }

    /// The shared memory that an address is in, and the offset there.
    pub fn shared_at<'s>(&'s self, shared: &'s Shared, address: u64) -> Result<(&'s [u8], u64), AccessError> {
        match self.other(shared, address) {
            Some((rank, offset)) => Ok((&self.parked(shared, rank)?.bytes, offset)),
            None => Ok((&shared.bytes, address)),
        }
    }

    /// The same, to be written.
    pub fn shared_at_mut<'s>(
        &'s mut self,
        shared: &'s mut Shared,
        address: u64,
    ) -> Result<(&'s mut [u8], u64), AccessError> {
        let Some((rank, offset)) = self.other(shared, address) else { return Ok((&mut shared.bytes, address)) };
        self.parked(shared, rank)?;
        let cluster = self.clusters.all.get_mut(&shared.member.number);
        let block = cluster.and_then(|cluster| cluster.blocks.get_mut(rank as usize)).ok_or(AccessError::Bounds)?;
        Ok((&mut block.bytes, offset))
    }

    /// The slot of the block whose shared memory an address is in, and the offset there.
    pub fn home(&self, shared: &Shared, address: u64) -> (u32, u64) {
        match self.other(shared, address) {
            Some((rank, offset)) => (self.parked(shared, rank).map_or(shared.slot, |block| block.slot), offset),
            None => (shared.slot, address),
        }
    }

    /// The offset that an address in shared memory stands for, in whichever block of the cluster.
    pub fn within_cluster(&self, address: u64) -> Result<u64, MemoryLocation> {
        let (true, Some((rank, offset))) = (self.context.clustered, window::rank(address)) else { return Ok(address) };
        let blocks = self.context.cluster_size();
        if rank >= blocks {
            let memory = format!("the cluster has {blocks} blocks, and none of rank {rank}");
            return Err(MemoryLocation::Nobodys { memory });
        }
        Ok(offset.max(0) as u64)
    }

    /// A block has had its turn: its shared memory goes where the others of its cluster find it.
    pub fn park(&mut self, block: &mut Block) {
        self.exchange_bytes(block);
    }

    /// A block gets its turn, and its shared memory back.
    pub fn unpark(&mut self, block: &mut Block) {
        self.exchange_bytes(block);
    }

    fn exchange_bytes(&mut self, block: &mut Block) {
        let Member { number, rank, .. } = block.shared.member;
        if let Some(parked) =
            self.clusters.all.get_mut(&number).and_then(|cluster| cluster.blocks.get_mut(rank as usize))
        {
            std::mem::swap(&mut parked.bytes, &mut block.shared.bytes);
        }
    }

    /// A block has come to its end.
    pub fn leave_cluster(&mut self, block: &Block) {
        let Member { number, rank, .. } = block.shared.member;
        let Some(cluster) = self.clusters.all.get_mut(&number) else { return };
        if let Some(parked) = cluster.blocks.get_mut(rank as usize) {
            (parked.gone, parked.bytes) = (true, Vec::new());
        }
        if cluster.blocks.iter().all(|block| block.gone) {
            self.clusters.all.remove(&number);
        }
    }
}
