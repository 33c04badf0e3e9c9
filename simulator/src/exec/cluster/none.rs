//! No clusters: what the executor asks of them, for a page's module.

use super::accessing::{Accessing, WarpBytes};
use super::block::{Block, Shared};
use super::cell::AccessError;
use super::context::{Flow, Worker};
use super::warp::Warp;
use crate::observe::Observer;
use std::ops::Range;
use std::sync::atomic::AtomicU64;

impl<O: Observer> Worker<'_, O> {
    #[inline(always)]
    pub fn shared_at<'s>(&'s self, shared: &'s Shared, address: u64) -> Result<(&'s [u8], u64), AccessError> {
        Ok((&shared.bytes, address))
    }

    #[inline(always)]
    pub fn shared_at_mut<'s>(
        &'s mut self,
        shared: &'s mut Shared,
        address: u64,
    ) -> Result<(&'s mut [u8], u64), AccessError> {
        Ok((&mut shared.bytes, address))
    }

    #[inline(always)]
    pub fn outside_block(&mut self, _: &Shared, _: &Warp, _: Accessing, _: WarpBytes<'_>, _: bool) -> Option<Flow> {
        None
    }

    #[inline(always)]
    pub fn home(&self, shared: &Shared, address: u64) -> (u32, u64) {
        (shared.slot, address)
    }

    #[inline(always)]
    pub fn park(&mut self, _: &mut Block) {}

    #[inline(always)]
    pub fn unpark(&mut self, _: &mut Block) {}

    #[inline(always)]
    pub fn leave_cluster(&mut self, _: &Block) {}

    #[inline(always)]
    pub fn cluster_moved(&mut self) -> bool {
        false
    }

    #[inline(always)]
    pub fn cluster_exit(&mut self, _: &mut Shared, _: u32, _: u32) {}

    #[inline(always)]
    pub fn pass_cluster(&mut self, _: &mut Block) {}

    #[inline(always)]
    pub fn awaits_cluster(_: &Block) -> bool {
        false
    }

    #[inline(always)]
    pub fn take_turns_in_clusters(&mut self, _: &AtomicU64, _: Range<u32>) {}

    #[inline(always)]
    pub fn admit_cluster(
        &mut self,
        _: &AtomicU64,
        _: &mut Range<u32>,
        _: &mut Vec<(u32, Block)>,
        _: &mut Vec<Block>,
    ) -> bool {
        false
    }
}
