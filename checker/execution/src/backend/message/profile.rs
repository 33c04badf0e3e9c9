//! What some blocks of every launch did.

use serde::{Deserialize, Serialize};
use simulator::Counters;
use simulator::finding::FindingName;

/// What some blocks of a launch did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LaunchProfile {
    /// Which launch of the plan, from 0.
    pub launch: usize,
    /// Launches of the plan that are like it, itself among them.
    pub stands_for: Vec<usize>,
    /// How many of its blocks ran.
    pub blocks: u64,
    /// Their sums.
    pub counters: Counters,
    /// Instructions that ran, with how often.
    #[serde(with = "simulator::coverage::packed")]
    pub coverage: Vec<simulator::Covered>,
    /// Caches, first touches, atomics and the slowest warp, of one block and the next.
    pub locality: simulator::locality::Locality,
    /// Why its counts say little.
    pub stopped: Option<String>,
    /// One of its blocks did nearly all that they did, and atomics answered: it may have drawn the others' work from a counter.
    #[serde(default)]
    pub drawn: bool,
}

impl LaunchProfile {
    /// Did a block do more than it may?
    pub fn is_too_long(&self) -> bool {
        self.stopped.as_deref() == Some(FindingName::StepLimit.name())
    }
}

/// What some blocks of every launch did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Launches that differ, in order; empty where nothing could be run.
    pub launches: Vec<LaunchProfile>,
    /// The same with something else where blocks that did not run would have written; empty if that changes nothing.
    pub otherwise: Vec<LaunchProfile>,
    /// Bytes of each of its `__device__` variables: in what a launch read and wrote ([`simulator::locality::Locality`]) they follow the buffers.
    #[serde(default)]
    pub variables: Vec<u64>,
}
