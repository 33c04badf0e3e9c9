//! Why a mutant must fail.

use serde::{Deserialize, Serialize};
use simulator::FindingName;

/// The stated reason of a mutant: what the check must find, by the name it has in reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub enum Reason {
    /// A result differs from the oracle's.
    WrongResult,
    /// It writes outside a buffer into a guard zone, or leaves one wrong.
    Guard,
    /// It changes an input.
    InputChanged,
    /// It is right, but fails a goal.
    Goal,
    /// It is right and meets every goal but the one on the modelled time.
    Slow,
    /// It does not compile.
    Compile,
    /// Its launch lines are malformed.
    Launch,
    /// A finding that only the simulator makes.
    Finding(FindingName),
}

impl Reason {
    /// All reasons. A finding is one if a kernel can be judged by it.
    pub const ALL: [Self; 21] = [
        Self::WrongResult,
        Self::Guard,
        Self::InputChanged,
        Self::Goal,
        Self::Slow,
        Self::Compile,
        Self::Launch,
        Self::Finding(FindingName::OutOfBounds),
        Self::Finding(FindingName::Misaligned),
        Self::Finding(FindingName::WriteToConstant),
        Self::Finding(FindingName::Uninitialised),
        Self::Finding(FindingName::Race),
        Self::Finding(FindingName::Trap),
        Self::Finding(FindingName::Assert),
        Self::Finding(FindingName::Deadlock),
        Self::Finding(FindingName::Livelock),
        Self::Finding(FindingName::DivergentBarrier),
        Self::Finding(FindingName::SyncMask),
        Self::Finding(FindingName::StepLimit),
        Self::Finding(FindingName::StackOverflow),
        Self::Finding(FindingName::BadJump),
    ];

    /// Its kebab-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WrongResult => "wrong-result",
            Self::Guard => "guard",
            Self::InputChanged => "input-changed",
            Self::Goal => "goal",
            Self::Slow => "slow",
            Self::Compile => "compile",
            Self::Launch => "launch",
            Self::Finding(finding) => finding.name(),
        }
    }

    /// The reason of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// Is it a finding that only the simulator makes?
    pub const fn is_finding(self) -> bool {
        matches!(self, Self::Finding(_))
    }
}

impl From<Reason> for &'static str {
    fn from(reason: Reason) -> Self {
        reason.name()
    }
}

impl TryFrom<String> for Reason {
    type Error = String;
    fn try_from(name: String) -> Result<Self, String> {
        Self::from_name(&name).ok_or_else(|| format!("`{name}` is no reason of a mutant"))
    }
}
