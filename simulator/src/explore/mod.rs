//! Orders of execution as data: what a schedule did, the shortest part of it that still fails, and the words for it.
//!
//! A schedule that is neither [`Schedule::Its`](crate::Schedule::Its) nor
//! [`Schedule::PreVolta`](crate::Schedule::PreVolta) is the plain order (blocks, warps and lanes as `Its` takes them)
//! with [`Preemption`]s: lanes that stop before an operation that others can see. A [`LaunchReport`](crate::LaunchReport)
//! lists them, a [`Witness`] repeats them under [`Schedule::Replay`](crate::Schedule::Replay) exactly, and [`minimise`]
//! finds the shortest list with which a run still fails.
//!
//! ```
//! use simulator::explore::{Effort, Trial, Witness, minimise};
//!
//! // A run that fails whenever lane 3 of warp 0 stops before its third operation.
//! let run = |witness: &Witness| -> Result<Trial, ()> {
//!     let failed = witness.preemptions.iter().any(|stop| stop.lanes >> 3 & 1 != 0 && stop.before == 2);
//!     Ok(Trial { failed, witness: witness.clone(), preempted: Vec::new(), steps: 10, complete: true })
//! };
//! let long: Witness = "b0.w0.l5@1=77,b0.w0.l0-15@2,b1.w0@0=3".parse().expect("well-formed");
//! let shortest = minimise(&run(&long)?, &Effort::default(), run)?.expect("it fails");
//! assert_eq!(shortest.witness.to_string(), "b0.w0.l3@2");
//! # Ok::<(), ()>(())
//! ```

mod minimise;
mod text;
mod words;

pub use minimise::{Effort, Shortest, Trial, minimise};
pub use text::WitnessError;
pub(crate) use text::lanes;

use serde::{Deserialize, Serialize};

/// Where preempted lanes stand from then on, until lanes come together at a `*.sync` instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rank {
    /// Behind all others: they go on when nobody else can.
    Last,
    /// Among those that were given a number, by the number; behind all without one.
    Among(u32),
    /// In the order of their warp, behind its lanes with smaller numbers.
    InWarp(u32),
    /// With the whole block behind all other blocks: it goes on when no other can, the last that stepped aside first, or when the others
    /// have only waited for long.
    Aside,
}

/// Lanes that stop before an operation that others can see (on shared or global memory, a fence, `activemask`), so that
/// others go first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Preemption {
    /// Launch of the device, from 0.
    pub launch: u64,
    /// Linear block index.
    pub block: u64,
    /// Warp of the block.
    pub warp: u32,
    /// The lanes; all bits for the whole warp.
    pub lanes: u32,
    /// How many such operations each of them has executed in this launch.
    pub before: u32,
    /// Where they stand from then on.
    pub rank: Rank,
}

/// A preemption that took place, with its place in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preempted {
    /// What.
    pub preemption: Preemption,
    /// Source line of the operation they stop before, 0 when unknown.
    pub line: u32,
    /// Its line in the PTX text.
    pub ptx_line: u32,
}

/// An order of execution: the plain one but for this. Its text form is what `parse` takes:
/// `b0.w1.l3-5+7@12` are lanes 3 to 5 and 7 of warp 1 in block 0 before their 13th operation, without lanes the whole
/// warp; `k1.` before it the second launch; `=N` after it [`Rank::Among`], `~N` [`Rank::InWarp`], `=aside` [`Rank::Aside`]. Items are joined by
/// commas; `warps-reversed`, `blocks-reversed`, `patient` and `late=N` are items too, and `plain` is the empty list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Witness {
    /// Of a block's warps the last goes first.
    pub warps_reversed: bool,
    /// Of a grid's blocks the last goes first.
    pub blocks_reversed: bool,
    /// Who waits in a loop goes on, for long, before others may.
    #[serde(default)]
    pub patient: bool,
    /// What a block adds to global memory by atomics without a result, or stores as `volatile` or `.relaxed`, comes late to other blocks
    /// where no fence puts it before what follows: of all instructions with 0, else of half of them, drawn by the number.
    #[serde(default)]
    pub late: Option<u64>,
    /// Who stops where.
    pub preemptions: Vec<Preemption>,
}
