//! The one word a report leads with.

use serde::{Deserialize, Serialize};
use simulator::{Finding, FindingName};

/// Declares the verdicts once: what each means, the words on its badge, the kinds of findings that lead to it.
macro_rules! verdicts {
    ($($(#[doc = $doc:literal])+ $variant:ident $label:literal $(of $($finding:ident)+)?;)*) => {
        /// The verdict of a check or a run. The kebab-case name is stable: JSON readers and mutants' reasons use it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Verdict {
            $($(#[doc = $doc])+ $variant,)*
        }

        impl Verdict {
            /// The words on the badge.
            pub const fn label(self) -> &'static str {
                match self {
                    $(Self::$variant => $label,)*
                }
            }

            /// The verdict that a kind of finding leads to; `None` for one that is only worth knowing.
            pub const fn of_kind(kind: FindingName) -> Option<Self> {
                match kind {
                    $($($(FindingName::$finding)|+ => Some(Self::$variant),)?)*
                    FindingName::Unwatched | FindingName::PrintfOverflow | FindingName::FindingsOverflow => None,
                }
            }
        }
    };
}

verdicts! {
    /// Right, and every goal met.
    Passed "PASSED";
    /// Ran without a fault and there was nothing to judge (`checker run`, a sweep).
    Finished "FINISHED";
    /// Right, but a goal is not met.
    NotYet "NOT YET";
    /// An output differs from the oracle's by more than its tolerance.
    WrongResult "WRONG RESULT" of LateWrite;
    /// Something happens only at sizes that are not run whole: nobody knows whether it is right.
    NotVerified "NOT VERIFIED";
    /// The outputs depend on the order in which threads run.
    OrderDependent "ORDER DEPENDENT" of OrderDependent;
    /// Timed, it took less than its work can take on the device.
    Impossible "IMPOSSIBLE";
    /// The kernel changed an input.
    InputChanged "INPUT CHANGED" of InputChanged;
    /// The kernel wrote beside a buffer and nothing stopped it (the guard zone around it changed).
    GuardDamaged "WRITE OUT OF BOUNDS";
    /// Two unordered accesses to the same bytes.
    Race "RACE" of Race;
    /// An access outside every allocation.
    OutOfBounds "OUT OF BOUNDS" of OutOfBounds;
    /// An address that is not a multiple of the access size.
    Misaligned "MISALIGNED ACCESS" of Misaligned;
    /// A store to constant memory.
    WriteToConstant "WRITE TO CONSTANT" of WriteToConstant;
    /// A read of bytes that nothing wrote.
    Uninitialised "UNINITIALISED READ" of Uninitialised;
    /// Lanes that wait for each other for ever.
    Deadlock "DEADLOCK" of Deadlock;
    /// Lanes that poll what nobody is left to change.
    Livelock "LIVELOCK" of Livelock;
    /// A barrier that not all threads reach.
    DivergentBarrier "DIVERGENT BARRIER" of DivergentBarrier;
    /// The shared memory of another block of the cluster is accessed, which may not be there.
    BlockAbsent "BLOCK NOT THERE" of BlockAbsent;
    /// Arrivals and waits at a cluster's barrier do not take turns.
    ClusterBarrier "WRONG CLUSTER BARRIER" of ClusterBarrier;
    /// A `*_sync` mask that names lanes which cannot arrive.
    SyncMask "WRONG SYNC MASK" of SyncMask;
    /// `trap`.
    Trap "TRAP" of Trap;
    /// A failed `assert`.
    Assert "ASSERT FAILED" of Assert;
    /// It did not end within its limit.
    Endless "DID NOT END" of StepLimit EndlessLoop Interrupted;
    /// The time for the check was over before everything was tried.
    OutOfTime "OUT OF TIME";
    /// Too deep a call stack.
    StackOverflow "STACK OVERFLOW" of StackOverflow;
    /// A jump to nowhere.
    BadJump "BAD JUMP" of BadJump;
    /// A promise that the kernel makes to the assembler (`.noreturn`, `.uni`, `.calltargets`) does not hold.
    BrokenPromise "BROKEN PROMISE" of BrokenPromise;
    /// An mbarrier that is used as the PTX ISA forbids.
    BadMbarrier "BAD MBARRIER USE" of BadMbarrier;
    /// A texture or surface object that is none, of another kind, or too small for a coordinate.
    BadTexture "BAD TEXTURE ACCESS" of BadTexture;
    /// An instruction that the simulator does not know.
    Unsupported "NOT SIMULATED" of Unsupported;
    /// The GPU reported a fault and did not say more.
    DeviceFault "DEVICE FAULT";
    /// The launch cannot be made as written.
    BadLaunch "BAD LAUNCH";
    /// More memory than there is.
    OutOfMemory "OUT OF MEMORY" of StateLimit;
    /// The compiler refused it.
    DoesNotCompile "DOES NOT COMPILE";
    /// The file is empty, too large, or no text in UTF-8.
    BadFile "BAD FILE";
    /// A `//@` line cannot be read.
    BadKernelFile "BAD //@ LINE";
}

impl Verdict {
    /// Is an output wrong, or may it be?
    pub const fn is_of_results(self) -> bool {
        matches!(self, Self::WrongResult | Self::NotVerified)
    }

    /// Is it good news?
    pub const fn is_good(self) -> bool {
        matches!(self, Self::Passed | Self::Finished)
    }

    /// The verdict that a finding leads to; `None` for one that is only worth knowing.
    pub fn of(finding: &Finding) -> Option<Self> {
        if finding.is_same_value() { None } else { Self::of_kind(finding.kind.name()) }
    }
}
