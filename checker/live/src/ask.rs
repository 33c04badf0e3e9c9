//! What a reader asks of a kernel.

use draw::Wish;
use problem::Sizes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How to run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ask {
    /// `//@` lines in place of the file's, by their number from 1.
    pub lines: BTreeMap<u32, String>,
    /// Sizes in place of the kernel's own.
    pub sizes: Sizes,
    /// Seed of the inputs and of orders that are drawn.
    pub seed: u64,
    /// One order, as `--schedule` names it; or `replay:WITNESS`.
    pub schedule: String,
    /// Watch for races, uninitialised reads and barriers. Bounds are always watched.
    pub watch: bool,
    /// Record what these warps do, instruction by instruction: linear block index, and warp within the block.
    pub trace: Vec<(u64, u32)>,
    /// Draw one access of this warp: linear block index, warp within the block.
    pub picture: Option<(u64, u32, Wish)>,
    /// Runs that finding the shortest order that fails may take, under a schedule that is explored.
    pub shortest: u32,
}

impl Default for Ask {
    fn default() -> Self {
        Self {
            lines: BTreeMap::new(),
            sizes: Sizes::new(),
            seed: 1,
            schedule: "its".to_owned(),
            watch: true,
            trace: Vec::new(),
            picture: None,
            shortest: 0,
        }
    }
}
