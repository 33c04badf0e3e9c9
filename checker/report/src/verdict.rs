//! The one word a report leads with.

use serde::{Deserialize, Serialize};
use simulator::{Finding, FindingKind};

/// The verdict of a check or a run. The kebab-case name is stable: JSON readers and mutants' reasons use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Right, and every goal met.
    Passed,
    /// Ran without a fault and there was nothing to judge (`checker run`, a sweep).
    Finished,
    /// Right, but a goal is not met.
    NotYet,
    /// An output differs from the oracle's by more than its tolerance.
    WrongResult,
    /// The outputs depend on the order in which threads run.
    OrderDependent,
    /// Timed, it took less than its work can take on the device.
    Impossible,
    /// The kernel changed an input.
    InputChanged,
    /// The kernel wrote beside a buffer and nothing stopped it (the guard zone around it changed).
    GuardDamaged,
    /// Two unordered accesses to the same bytes.
    Race,
    /// An access outside every allocation.
    OutOfBounds,
    /// An address that is not a multiple of the access size.
    Misaligned,
    /// A store to constant memory.
    WriteToConstant,
    /// A read of bytes that nothing wrote.
    Uninitialised,
    /// Lanes that wait for each other for ever.
    Deadlock,
    /// Lanes that poll what nobody is left to change.
    Livelock,
    /// A barrier that not all threads reach.
    DivergentBarrier,
    /// A `*_sync` mask that names lanes which cannot arrive.
    SyncMask,
    /// `trap`.
    Trap,
    /// A failed `assert`.
    Assert,
    /// It did not end within its limit.
    Endless,
    /// The time for the check was over before everything was tried.
    OutOfTime,
    /// Too deep a call stack.
    StackOverflow,
    /// A jump to nowhere.
    BadJump,
    /// A promise that the kernel makes to the assembler (`.noreturn`, `.uni`, `.calltargets`) does not hold.
    BrokenPromise,
    /// An instruction that the simulator does not know.
    Unsupported,
    /// The GPU reported a fault and did not say more.
    DeviceFault,
    /// The launch cannot be made as written.
    BadLaunch,
    /// More memory than there is.
    OutOfMemory,
    /// The compiler refused it.
    DoesNotCompile,
    /// A `//@` line cannot be read.
    BadKernelFile,
}

impl Verdict {
    /// The words on the badge.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Passed => "PASSED",
            Self::Finished => "FINISHED",
            Self::NotYet => "NOT YET",
            Self::WrongResult => "WRONG RESULT",
            Self::OrderDependent => "ORDER DEPENDENT",
            Self::Impossible => "IMPOSSIBLE",
            Self::InputChanged => "INPUT CHANGED",
            Self::GuardDamaged => "WRITE OUT OF BOUNDS",
            Self::Race => "RACE",
            Self::OutOfBounds => "OUT OF BOUNDS",
            Self::Misaligned => "MISALIGNED ACCESS",
            Self::WriteToConstant => "WRITE TO CONSTANT",
            Self::Uninitialised => "UNINITIALISED READ",
            Self::Deadlock => "DEADLOCK",
            Self::Livelock => "LIVELOCK",
            Self::DivergentBarrier => "DIVERGENT BARRIER",
            Self::SyncMask => "WRONG SYNC MASK",
            Self::Trap => "TRAP",
            Self::Assert => "ASSERT FAILED",
            Self::Endless => "DID NOT END",
            Self::OutOfTime => "OUT OF TIME",
            Self::StackOverflow => "STACK OVERFLOW",
            Self::BadJump => "BAD JUMP",
            Self::BrokenPromise => "BROKEN PROMISE",
            Self::Unsupported => "NOT SIMULATED",
            Self::DeviceFault => "DEVICE FAULT",
            Self::BadLaunch => "BAD LAUNCH",
            Self::OutOfMemory => "OUT OF MEMORY",
            Self::DoesNotCompile => "DOES NOT COMPILE",
            Self::BadKernelFile => "BAD //@ LINE",
        }
    }

    /// Is it good news?
    pub const fn is_good(self) -> bool {
        matches!(self, Self::Passed | Self::Finished)
    }

    /// The same in the words of mutants, where there is one.
    pub const fn reason(self) -> Option<problem::Reason> {
        use problem::Reason;
        Some(match self {
            Self::WrongResult => Reason::WrongResult,
            Self::GuardDamaged => Reason::Guard,
            Self::InputChanged => Reason::InputChanged,
            Self::NotYet => Reason::Goal,
            Self::DoesNotCompile => Reason::Compile,
            Self::BadLaunch | Self::BadKernelFile => Reason::Launch,
            Self::OutOfBounds => Reason::OutOfBounds,
            Self::Misaligned => Reason::Misaligned,
            Self::WriteToConstant => Reason::WriteToConstant,
            Self::Uninitialised => Reason::Uninitialised,
            Self::Race => Reason::Race,
            Self::Trap => Reason::Trap,
            Self::Assert => Reason::Assert,
            Self::Deadlock => Reason::Deadlock,
            Self::Livelock => Reason::Livelock,
            Self::DivergentBarrier => Reason::DivergentBarrier,
            Self::SyncMask => Reason::SyncMask,
            Self::Endless => Reason::StepLimit,
            Self::StackOverflow => Reason::StackOverflow,
            Self::BadJump => Reason::BadJump,
            // Where there is an oracle, it judges.
            Self::OrderDependent => return None,
            Self::Passed
            | Self::Finished
            | Self::BrokenPromise
            | Self::Unsupported
            | Self::DeviceFault
            | Self::OutOfMemory
            | Self::OutOfTime
            | Self::Impossible => return None,
        })
    }

    /// The verdict that a finding leads to; `None` for one that is only worth knowing.
    pub fn of(finding: &Finding) -> Option<Self> {
        Some(match &finding.kind {
            FindingKind::OutOfBounds { .. } => Self::OutOfBounds,
            FindingKind::Misaligned { .. } => Self::Misaligned,
            FindingKind::WriteToConstant { .. } => Self::WriteToConstant,
            FindingKind::InputChanged { .. } => Self::InputChanged,
            FindingKind::Uninitialised { .. } => Self::Uninitialised,
            FindingKind::Race { .. } if finding.is_same_value() => return None,
            FindingKind::Race { .. } => Self::Race,
            FindingKind::OrderDependent { .. } => Self::OrderDependent,
            FindingKind::Trap => Self::Trap,
            FindingKind::Assert { .. } => Self::Assert,
            FindingKind::Deadlock { .. } => Self::Deadlock,
            FindingKind::Livelock { .. } => Self::Livelock,
            FindingKind::DivergentBarrier { .. } => Self::DivergentBarrier,
            FindingKind::SyncMask { .. } => Self::SyncMask,
            FindingKind::StepLimit { .. } | FindingKind::EndlessLoop { .. } => Self::Endless,
            FindingKind::StackOverflow { .. } => Self::StackOverflow,
            FindingKind::StateLimit { .. } => Self::OutOfMemory,
            FindingKind::BadJump { .. } => Self::BadJump,
            FindingKind::BrokenPromise { .. } => Self::BrokenPromise,
            FindingKind::Unsupported { .. } => Self::Unsupported,
            FindingKind::PrintfOverflow { .. } | FindingKind::FindingsOverflow { .. } => return None,
        })
    }
}
