//! Which lanes ran which line at each step, as plain data.
//!
//! A launch with [`crate::Config::trace`] set records the warps asked for, on one host thread and in their order. Recording
//! changes nothing: not the order, not a result, not a count.
//!
//! A *step* is what lanes of one warp did together at one place, one warp instruction or a run of them on the same source
//! line. Every lane of the warp is in one of four states during a step: it runs ([`Step::lanes`]), it waits where lanes
//! meet ([`Step::waiting`]), it could run but is elsewhere (the other [`Step::live`] ones), or it has left.

use crate::observe::{AccessKind, Space};
use serde::{Deserialize, Serialize};

/// What to record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceRequest {
    /// Warps: linear block index and warp within the block.
    pub warps: Vec<(u64, u32)>,
    /// How fine.
    pub grain: Grain,
    /// Record what lanes touch and whom they meet, too: [`Trace::events`].
    #[serde(default)]
    pub events: bool,
}

impl Default for TraceRequest {
    /// The first warp of the first block, by line.
    fn default() -> Self {
        Self { warps: vec![(0, 0)], grain: Grain::Line, events: false }
    }
}

/// What makes a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Grain {
    /// A run of instructions of one source line by the same lanes; instructions without a line belong to the run.
    #[default]
    Line,
    /// One PTX instruction.
    Instruction,
}

/// What was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct Trace {
    /// Places that the steps refer to.
    pub places: Vec<TracePlace>,
    /// The warps that ran, in order of block and warp.
    pub warps: Vec<TracedWarp>,
    /// The first steps of all these warps, in the order in which they happened, [`crate::Limits::trace`] at most.
    pub steps: Vec<Step>,
    /// Steps that came after.
    pub dropped: u64,
    /// What happened during these steps, in the order in which it happened, when [`TraceRequest::events`] is set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
}

/// Something that lanes of a warp did with others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Index into [`Trace::steps`] of the step that it belongs to; of a barrier the last one before it.
    #[serde(default)]
    pub step: u32,
    /// Index into [`Trace::warps`].
    pub warp: u32,
    /// Index into [`Trace::places`]; of a barrier the place of whatever ran last.
    pub place: u32,
    /// Lanes that took part.
    pub lanes: u32,
    /// What they did.
    pub what: What,
}

/// What lanes did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// A memory instruction; an access of more than 16 bytes per lane is several.
    Memory {
        /// State space.
        space: Space,
        /// Load, store or atomic.
        kind: AccessKind,
        /// Bytes per lane.
        bytes: u32,
        /// Address by lane, of the event's lanes in ascending order.
        addresses: Vec<u64>,
    },
    /// A shuffle: whose value each lane got, of the event's lanes in ascending order.
    Shuffle {
        /// Lanes.
        from: Vec<u32>,
    },
    /// They passed a barrier of their warp or block.
    Barrier,
}

/// A place in the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct TracePlace {
    /// Kernel or device function, as named in the PTX.
    pub function: String,
    /// Source file, empty where the PTX has no line.
    pub file: String,
    /// Source line, 0 where the PTX has none.
    pub line: u32,
    /// Line in the PTX text; of a step by line that of its first instruction.
    pub ptx_line: u32,
    /// Of an instruction: others can see what it does, so an order of execution may stop lanes before it
    /// ([`crate::explore::Preemption::before`] counts these).
    #[serde(default)]
    pub seen: bool,
}

/// A warp that was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedWarp {
    /// Linear block index.
    pub block: u64,
    /// Warp within the block.
    pub warp: u32,
    /// Lanes that exist.
    pub lanes: u32,
}

/// Lanes of a warp at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Index into [`Trace::warps`].
    pub warp: u32,
    /// Index into [`Trace::places`].
    pub place: u32,
    /// Lanes that were there, whatever their guards.
    pub lanes: u32,
    /// Those of which at least one guard was true.
    pub active: u32,
    /// Lanes that waited meanwhile: for their warp to come together, at a `*.sync` instruction, at a block barrier.
    pub waiting: u32,
    /// Lanes that had not exited when the step began.
    pub live: u32,
    /// Warp instructions.
    pub instructions: u64,
}
