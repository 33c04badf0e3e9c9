//! Why a mutant must fail.

use serde::{Deserialize, Serialize};

/// The stated reason of a mutant: what the check must find, by the name it has in reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A result differs from the oracle's.
    WrongResult,
    /// It writes outside a buffer into a guard zone, or leaves one wrong.
    Guard,
    /// It changes an input.
    InputChanged,
    /// It is right, but fails a goal.
    Goal,
    /// It does not compile.
    Compile,
    /// Its launch lines are malformed.
    Launch,
    /// Finding of the simulator of the same name.
    OutOfBounds,
    /// Finding of the simulator of the same name.
    Misaligned,
    /// Finding of the simulator of the same name.
    WriteToConstant,
    /// Finding of the simulator of the same name.
    Uninitialised,
    /// Finding of the simulator of the same name.
    Race,
    /// Finding of the simulator of the same name.
    Trap,
    /// Finding of the simulator of the same name.
    Assert,
    /// Finding of the simulator of the same name.
    Deadlock,
    /// Finding of the simulator of the same name.
    Livelock,
    /// Finding of the simulator of the same name.
    DivergentBarrier,
    /// Finding of the simulator of the same name.
    SyncMask,
    /// Finding of the simulator of the same name.
    StepLimit,
    /// Finding of the simulator of the same name.
    StackOverflow,
    /// Finding of the simulator of the same name.
    BadJump,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Self; 20] = [
        Self::WrongResult,
        Self::Guard,
        Self::InputChanged,
        Self::Goal,
        Self::Compile,
        Self::Launch,
        Self::OutOfBounds,
        Self::Misaligned,
        Self::WriteToConstant,
        Self::Uninitialised,
        Self::Race,
        Self::Trap,
        Self::Assert,
        Self::Deadlock,
        Self::Livelock,
        Self::DivergentBarrier,
        Self::SyncMask,
        Self::StepLimit,
        Self::StackOverflow,
        Self::BadJump,
    ];

    /// Its kebab-case name; for a finding the name of the simulator's `FindingKind`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WrongResult => "wrong-result",
            Self::Guard => "guard",
            Self::InputChanged => "input-changed",
            Self::Goal => "goal",
            Self::Compile => "compile",
            Self::Launch => "launch",
            Self::OutOfBounds => "out-of-bounds",
            Self::Misaligned => "misaligned",
            Self::WriteToConstant => "write-to-constant",
            Self::Uninitialised => "uninitialised",
            Self::Race => "race",
            Self::Trap => "trap",
            Self::Assert => "assert",
            Self::Deadlock => "deadlock",
            Self::Livelock => "livelock",
            Self::DivergentBarrier => "divergent-barrier",
            Self::SyncMask => "sync-mask",
            Self::StepLimit => "step-limit",
            Self::StackOverflow => "stack-overflow",
            Self::BadJump => "bad-jump",
        }
    }

    /// The reason of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// Is it a finding that only the simulator makes?
    pub const fn is_finding(self) -> bool {
        !matches!(
            self,
            Self::WrongResult | Self::Guard | Self::InputChanged | Self::Goal | Self::Compile | Self::Launch
        )
    }
}
