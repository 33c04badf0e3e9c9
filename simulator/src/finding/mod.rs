//! What the simulator caught: kinds, places, and both sides of a race. `kind` has the table of kinds, `explain` what each
//! says in English; whoever shows a finding takes its words from there.

mod explain;
mod kind;
mod location;
mod poll;
mod race;

pub(crate) use explain::{ELSEWHERE, MANY_TURNS};
pub use explain::{ENDLESS_ADVICE, Explanation, Objects, as_named};
pub use kind::{FindingKind, FindingName};
pub use location::{MemoryLocation, NO_DYNAMIC, NO_POINTER, OWN, RETURNED, before, behind};
pub use poll::Poll;
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
    /// "read", "write", "atomic", "asynchronous read" and "asynchronous write" of `cp.async` and bulk copies, "asynchronous reduction",
    /// or "cached read" (`__ldg`, `ld.global.nc`).
    pub what: String,
    /// State space: "global", "shared", "local", "const", "param".
    pub space: String,
    /// Address in its space.
    pub address: u64,
    /// Bytes.
    pub size: u32,
    /// The allocation or variable it falls into or is nearest to.
    pub object: MemoryLocation,
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
    /// `printf` writes it.
    #[cfg(not(target_family = "wasm"))]
    Printed,
    /// `printf`'s format asks for it, and no argument gives it.
    #[cfg(not(target_family = "wasm"))]
    NotGiven,
    /// It is in memory that the host reads.
    Output {
        /// Where.
        object: MemoryLocation,
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

    /// A lane read an undefined value, or one that was soon to change, which a right kernel does not count on and a wrong one uses: worth
    /// a word where results are wrong, and only there.
    pub fn is_suspicion(&self) -> bool {
        self.severity == Severity::Note
            && matches!(self.kind, FindingKind::SyncMask { .. } | FindingKind::LateWrite { .. })
    }
}
