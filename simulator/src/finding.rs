//! What the simulator caught: kinds, places, and both sides of a race.

use serde::{Deserialize, Serialize};

/// Where in a program and in a grid something happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct Place {
    /// Kernel or device function, as named in the PTX.
    pub function: String,
    /// Source file from `.loc`, empty when the PTX has no line information.
    pub file: String,
    /// Source line from `.loc`, 0 when unknown.
    pub line: u32,
    /// Line in the PTX text.
    pub ptx_line: u32,
    /// Block index (x, y, z).
    pub block: [u32; 3],
    /// Thread index (x, y, z) of the first lane concerned.
    pub thread: [u32; 3],
    /// How many lanes of the warp did the same.
    pub lanes: u32,
}

/// One side of a memory access.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct Access {
    /// Where.
    pub place: Place,
    /// "read", "write", "atomic", "asynchronous read" and "asynchronous write" of `cp.async`, or "cached read" (`__ldg`,
    /// `ld.global.nc`).
    pub what: String,
    /// State space: "global", "shared", "local", "const", "param".
    pub space: String,
    /// Address in its space.
    pub address: u64,
    /// Bytes.
    pub size: u32,
    /// The allocation or variable it falls into or is nearest to, with the offset: "`c` + 4096 (4 bytes behind the end of its 4092)".
    pub object: String,
}

/// A value and the order that left it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct OrderValue {
    /// The schedule's name.
    pub schedule: String,
    /// The value, as text.
    pub value: String,
}

/// What an undefined value is used for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case", tag = "as")]
pub enum Usage {
    /// An address, or the distance to one.
    Address,
    /// It decides where a thread goes, whether it takes part, or how much is copied.
    #[default]
    Condition,
    /// An `mbarrier` that nobody has initialised.
    Barrier,
    /// It is in memory that the host reads.
    Output {
        /// Where: "`c` + 4".
        object: String,
    },
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The launch cannot go on (trap, bad address, deadlock): it stops there.
    Fault,
    /// The kernel is wrong though this run may have produced right numbers (a race, an uninitialised read).
    Error,
    /// Worth knowing.
    Note,
}

/// What was caught. The kebab-case name of the variant is stable: problems' mutants refer to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum FindingKind {
    /// An access outside every allocation, variable or stack frame.
    OutOfBounds {
        /// The access.
        access: Access,
    },
    /// An address that is not a multiple of the access size.
    Misaligned {
        /// The access.
        access: Access,
    },
    /// A store to constant or parameter memory.
    WriteToConstant {
        /// The access.
        access: Access,
    },
    /// A store or an atomic on an input of the launch ([`crate::Device::protect`]), also of the value that is there.
    InputChanged {
        /// The access.
        access: Access,
    },
    /// A value that nothing wrote is used. The finding's place is where.
    Uninitialised {
        /// The read that it came from.
        access: Access,
        /// What it is used for.
        #[serde(default)]
        usage: Usage,
    },
    /// Two unordered accesses to the same bytes, at least one a write, not both atomic in a common scope; or a cached read
    /// and a write, in whatever order. A note where both write the same value.
    Race {
        /// The earlier side in this run.
        first: Access,
        /// The later side.
        second: Access,
        /// True when lockstep warps and a reconvergence stack (before Volta) would have ordered the two.
        hidden_before_volta: bool,
    },
    /// Runs of one program under two orders left different results. A launch cannot see that: whoever makes both runs and
    /// compares what they left says so.
    OrderDependent {
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
    Trap,
    /// A failed `assert`.
    Assert {
        /// The asserted expression, file, line and function, as the kernel passed them.
        message: String,
    },
    /// Lanes wait for each other for ever.
    Deadlock {
        /// Which lanes wait where for whom.
        explanation: String,
    },
    /// Lanes go round loops that wait for memory which nobody is left to change.
    Livelock {
        /// Which lanes poll what, who changed it last, and where that thread waits for whom.
        explanation: String,
    },
    /// A barrier that some threads of the block cannot reach, or reach in different places.
    DivergentBarrier {
        /// Who waits where, and who does not come.
        explanation: String,
    },
    /// A `*_sync` mask that names lanes which cannot arrive, or leaves out the executing lane.
    SyncMask {
        /// The mask, who arrived, who cannot.
        explanation: String,
    },
    /// A loop whose threads come back to a state that they had before, and read nothing in it that others can change.
    EndlessLoop {
        /// Who goes round, and where.
        explanation: String,
    },
    /// More warp instructions without a block ending than [`crate::Limits::steps`].
    StepLimit {
        /// The limit.
        limit: u64,
        /// Turns in a row of the loop that the warp was in when it was stopped, as far as no inner loop ran in between.
        #[serde(default)]
        turns: u64,
    },
    /// More stack than [`crate::Limits::stack`].
    StackOverflow {
        /// The limit in bytes.
        limit: u64,
    },
    /// More registers, local and shared memory of resident blocks than [`crate::Limits::state`].
    StateLimit {
        /// The limit in bytes.
        limit: u64,
    },
    /// A jump to something that is no label of the function, or a call of something that is no function.
    BadJump {
        /// The target.
        target: u64,
    },
    /// A promise that the text makes to the assembler (`.noreturn`, `.uni`, `.calltargets`), and that did not hold.
    BrokenPromise {
        /// Which.
        what: String,
    },
    /// An opcode, type or modifier the simulator does not know, executed.
    Unsupported {
        /// The instruction as written.
        instruction: String,
    },
    /// printf output beyond [`crate::Limits::printf`] was dropped.
    PrintfOverflow {
        /// Bytes dropped.
        dropped: u64,
    },
    /// Findings beyond [`crate::Limits::findings`] were dropped.
    FindingsOverflow {
        /// How many.
        dropped: u64,
    },
}

/// Something the simulator caught.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What.
    #[serde(flatten)]
    pub kind: FindingKind,
    /// How bad.
    pub severity: Severity,
    /// Where (for a race: the later side).
    pub place: Place,
    /// How often it was seen at this place in this launch.
    pub count: u64,
}

impl Finding {
    /// The same kind of thing, as bad, at the same place: one finding that was seen more than once.
    pub fn is_like(&self, other: &Self) -> bool {
        self.severity == other.severity
            && std::mem::discriminant(&self.kind) == std::mem::discriminant(&other.kind)
            && self.place.ptx_line == other.place.ptx_line
            && self.place.function == other.place.function
    }

    /// Two threads write the same value, in no order: worth a word, and no mistake.
    pub fn is_same_value(&self) -> bool {
        self.severity == Severity::Note && matches!(self.kind, FindingKind::Race { .. })
    }

    /// A lane read an undefined value, which a right kernel throws away and a wrong one uses: worth a word where results
    /// are wrong, and only there.
    pub fn is_suspicion(&self) -> bool {
        self.severity == Severity::Note && matches!(self.kind, FindingKind::SyncMask { .. })
    }
}
