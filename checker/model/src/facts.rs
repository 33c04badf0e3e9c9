//! What the model is told of a version at a size. Nothing here is a time.

use crate::code::Code;
use serde::{Deserialize, Serialize};
use simulator::locality::Locality;
use simulator::{Counters, Covered};

/// What the L2 cache holds when a pass begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// Nothing of the buffers.
    Cold,
    /// The inputs, as far as they fit.
    Warm,
}

/// A buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// Bytes.
    pub bytes: u64,
    /// It is an input: in a warm cache it may be there.
    pub input: bool,
}

/// Launches that are alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LaunchFacts {
    /// Index into [`Facts::codes`].
    pub code: usize,
    /// How many of them.
    pub times: u64,
    /// Blocks.
    pub blocks: u64,
    /// Threads of a block.
    pub threads: u32,
    /// Blocks that a multiprocessor holds.
    pub resident: u32,
    /// Bytes of shared memory that a block holds.
    pub shared: u32,
    /// Bytes of local memory of a thread.
    #[serde(default)]
    pub stack: u32,
    /// Blocks that were simulated.
    pub ran: u64,
    /// Their sums.
    pub counters: Counters,
    /// Instructions that they ran.
    pub coverage: Vec<Covered>,
    /// Of one of them and the next.
    pub locality: Locality,
}

/// A version at a size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Machine code of its kernels.
    pub codes: Vec<Code>,
    /// Its launches in order.
    pub launches: Vec<LaunchFacts>,
    /// Its buffers, as [`Locality`] counts them.
    pub memory: Vec<Memory>,
    /// How the pass begins.
    pub start: Start,
    /// Bytes that the host fetches afterwards and sends back the sum of.
    pub host: Option<u64>,
}
