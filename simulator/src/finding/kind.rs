//! The kinds of findings: one table of names, meanings and what each carries.

use super::{Access, OrderValue, Poll, Usage};
use serde::{Deserialize, Serialize};

/// Declares the kinds once: the data, the names, the meanings. What a page's module cannot meet is left out of it.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $(except $family:literal)? $({
        $($(#[doc = $about:literal])+ $(#[serde($serde:ident)])? $field:ident: $ty:ty,)*
    })?,)*) => {
        /// What was caught. The name in JSON ([`FindingName::name`]) is stable: problems' mutants refer to it.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(tag = "kind")]
        #[non_exhaustive]
        pub enum FindingKind {
            $($(#[doc = $doc])+ $(#[cfg(not(target_family = $family))])? #[serde(rename = $name)] $variant $({
                $($(#[doc = $about])+ $(#[serde($serde)])? $field: $ty,)*
            })?,)*
        }

        /// A kind of finding without what it carries.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum FindingName {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $variant,)*
        }

        impl FindingKind {
            /// Its kind.
            pub const fn name(&self) -> FindingName {
                match self {
                    $($(#[cfg(not(target_family = $family))])? Self::$variant { .. } => FindingName::$variant,)*
                }
            }
        }

        impl FindingName {
            /// All of them, in order.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// As in JSON, in reasons of mutants, in the documentation.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// What it means, in a line or two.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!($($doc),+),)*
                }
            }
        }
    };
}

kinds! {
    /// An access outside every allocation, variable or stack frame.
    OutOfBounds "out-of-bounds" {
        /// The access.
        access: Access,
    },
    /// An address that is not a multiple of the access size.
    Misaligned "misaligned" {
        /// The access.
        access: Access,
    },
    /// A store to constant or parameter memory.
    WriteToConstant "write-to-constant" {
        /// The access.
        access: Access,
    },
    /// A store or an atomic on an input of the launch, also of the value that is there.
    InputChanged "input-changed" {
        /// The access.
        access: Access,
    },
    /// A value that nothing wrote is used. The finding's place is where.
    Uninitialised "uninitialised" {
        /// The read that it came from.
        access: Access,
        /// What it is used for.
        #[serde(default)]
        usage: Usage,
    },
    /// Two unordered accesses to the same bytes, at least one a write, not both atomic in a common scope on the same word; or a cached read
    /// and a write, in whatever order; or a write and a bulk copy without a proxy fence between. A note where both write the same value.
    Race "race" {
        /// The earlier side in this run.
        first: Access,
        /// The later side.
        second: Access,
        /// True when lockstep warps and a reconvergence stack (before Volta) would have ordered the two.
        hidden_before_volta: bool,
    },
    /// A thread looked at a word that another block had written by an atomic without a result, or a `volatile` store, and did not find it
    /// there, as no fence had put it before what followed. A note: it matters where a result is wrong.
    LateWrite "late-write" {
        /// The write.
        first: Access,
        /// Who looked.
        second: Access,
    },
    /// Runs of one program under two orders left different results. A launch cannot see that: whoever makes both runs and
    /// compares what they left says so.
    OrderDependent "order-dependent" {
        /// The buffer.
        object: String,
        /// Its elements.
        elements: u64,
        /// Elements that differ.
        differing: u64,
        /// Index of the first of them.
        index: u64,
        /// What it is under one order,
        first: OrderValue,
        /// and under the other.
        second: OrderValue,
    },
    /// `trap`, or `brkpt`.
    Trap "trap",
    /// A failed `assert`.
    Assert "assert" {
        /// The asserted expression, file, line and function, as the kernel passed them.
        message: String,
    },
    /// Lanes wait for each other for ever.
    Deadlock "deadlock" {
        /// Which lanes wait where for whom, a sentence each.
        explanation: Vec<String>,
    },
    /// Lanes go round loops that wait for memory which nobody is left to change.
    Livelock "livelock" {
        /// Which lanes poll what, and who changed it last.
        polls: Vec<Poll>,
        /// Where others wait for whom, a sentence each.
        explanation: Vec<String>,
    },
    /// A barrier that some threads of the block cannot reach, or reach in different places (which warps may where it is inline PTX).
    DivergentBarrier "divergent-barrier" {
        /// Who waits where, and who does not come.
        explanation: String,
    },
    /// An access to the shared memory of another block of the cluster, which may not have begun yet, or may have exited; or a bulk copy
    /// that may still use a block's when that exits.
    BlockAbsent "block-absent" except "wasm" {
        /// The access.
        access: Access,
        /// It may come too late, not too early.
        exited: bool,
    },
    /// A thread waits at the barrier of its cluster without having arrived, or arrives a second time without having waited.
    ClusterBarrier "cluster-barrier" except "wasm" {
        /// Which.
        explanation: String,
    },
    /// A `*_sync` mask that names lanes which cannot arrive or come with another one, or leaves out the executing lane; or a matrix
    /// instruction after lanes of its warp have left.
    SyncMask "sync-mask" {
        /// The mask, who arrived, who cannot: a sentence each, what says most first.
        explanation: Vec<String>,
        /// What an undefined value that a shuffle gave is used for, where it was followed there. The place is the shuffle's.
        #[serde(default)]
        usage: Option<super::Usage>,
    },
    /// A loop whose threads come back to a state that they had before, and read nothing in it that others can change, or that anybody
    /// is left to change.
    EndlessLoop "endless-loop" {
        /// Who goes round, and where.
        explanation: String,
        /// It reads what others could change, and nobody is left who does.
        #[serde(default)]
        reads: bool,
    },
    /// More warp instructions without a block ending than the limit `steps`.
    StepLimit "step-limit" {
        /// The limit.
        limit: u64,
        /// Turns in a row of the loop that the warp was in when it was stopped: of several around each other, of the one with most.
        #[serde(default)]
        turns: u64,
        /// What that loop polls, if it does.
        #[serde(default)]
        polls: Vec<Poll>,
    },
    /// Stopped from outside: [`crate::Device::set_interrupt`].
    Interrupted "interrupted" {
        /// Warp instructions that the launch had executed.
        steps: u64,
        /// Blocks that had ended.
        #[serde(default)]
        done: u64,
        /// Blocks that were to run.
        #[serde(default)]
        blocks: u64,
        /// Turns in a row of the loop that the warp was in: of several around each other, of the one with most.
        #[serde(default)]
        turns: u64,
        /// What that loop polls, if it does.
        #[serde(default)]
        polls: Vec<Poll>,
    },
    /// More stack than the limit `stack`.
    StackOverflow "stack-overflow" {
        /// The limit in bytes.
        limit: u64,
    },
    /// More registers, local and shared memory of resident blocks than the limit `state`.
    StateLimit "state-limit" {
        /// The limit in bytes.
        limit: u64,
    },
    /// A jump to something that is no label of the function, or a call of something that is no function.
    BadJump "bad-jump" {
        /// The target.
        target: u64,
    },
    /// A promise that the text makes to the assembler (`.noreturn`, `.uni`, `.calltargets`), and that did not hold; or an operand
    /// beyond what its instruction takes: a source of `cp.async` larger than what it fills.
    BrokenPromise "broken-promise" {
        /// Which.
        what: String,
    },
    /// An mbarrier that is used as the PTX ISA forbids: a count beyond what it can hold or has pending, `.noComplete` that completes, a
    /// second `init` without `inval`, a plain access before that.
    BadMbarrier "bad-mbarrier" {
        /// Where it lies, and who uses it.
        access: Access,
        /// How.
        what: String,
        /// What to do instead.
        instead: String,
    },
    /// A texture or surface object that is none, or not what the instruction takes; a surface's coordinates outside of it.
    BadTexture "bad-texture" {
        /// Which, and what is wrong.
        explanation: String,
    },
    /// An opcode, type or modifier the simulator does not know, executed.
    Unsupported "unsupported" {
        /// The instruction as written.
        instruction: String,
    },
    /// Threads publish at more addresses than are followed: from there on no races were looked for in the launch.
    Unwatched "unwatched" {
        /// How many are followed.
        addresses: u64,
    },
    /// printf output beyond the limit `printf` was dropped.
    PrintfOverflow "printf-overflow" {
        /// Bytes dropped.
        dropped: u64,
    },
    /// Findings beyond the limit `findings` were dropped.
    FindingsOverflow "findings-overflow" {
        /// How many.
        dropped: u64,
    },
}

impl FindingKind {
    /// Stopped from outside; how far all of the launch has come is known in its end.
    pub(crate) fn interrupted(turns: u64, polls: Vec<Poll>) -> Self {
        Self::Interrupted { steps: 0, done: 0, blocks: 0, turns, polls }
    }

    /// A mask of which one sentence says everything.
    pub(crate) fn sync_mask(explanation: String) -> Self {
        Self::SyncMask { explanation: vec![explanation], usage: None }
    }
}

impl FindingName {
    /// The kind of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}
