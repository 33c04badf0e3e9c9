//! Why a verdict is what it is, and the places that show it.

use super::Sizes;
use crate::Verdict;
use serde::{Deserialize, Serialize};
use simulator::finding::FindingName;

/// Lines of source around a place, taken when the check ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// File, relative to the workbook where it is inside.
    pub file: String,
    /// The line concerned, from 1.
    pub line: u32,
    /// Column from 1, when known.
    pub column: Option<u32>,
    /// Columns to underline, when known.
    pub length: Option<u32>,
    /// Short words beside the caret.
    pub label: String,
    /// Number of the first of `lines`.
    pub first: u32,
    /// The lines.
    pub lines: Vec<String>,
}

/// Why the verdict is what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The verdict this alone would give.
    pub verdict: Verdict,
    /// One sentence.
    pub text: String,
    /// Further sentences: which case, which elements, who waits for whom.
    pub details: Vec<String>,
    /// The places, two for a race.
    pub excerpts: Vec<Excerpt>,
    /// The sizes that the sentence names behind "at" and that were drawn; empty where it names none.
    #[serde(default, skip_serializing_if = "Sizes::is_empty")]
    pub drawn: Sizes,
    /// The first element of an output that shows it, `after[33]`, where one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<String>,
    /// The schedule that it takes to go wrong, `patient:7`, where the same inputs come out right in the usual order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_under: Option<String>,
    /// What its wrong elements have in common.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Pattern>,
    /// What is behind it, where the verdict alone does not say what to try first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// What may be behind it, whose places and sentence it has, where that alone would be no failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspicion: Option<FindingName>,
}

/// What wrong elements have in common, as far as it says what to try first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// None was written.
    NeverWritten,
    /// They are the last of a long output.
    Tail,
    /// Their first binary digits are right.
    Digits,
    /// They are right in a first run, and wrong in the second.
    SecondRun,
    /// They are right as long as nobody has to wait for long.
    LongWait,
}

/// What is behind a finding, as far as it says what to try first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// A block of the device heap that was freed.
    Freed,
    /// The local memory of another thread.
    OtherThread,
    /// A null pointer.
    NullPointer,
    /// A pointer to nowhere near any memory.
    NoPointer,
    /// A variable that was not set, rather than memory.
    Variable,
    /// A variable whose declaration gives it no value.
    Declared,
    /// `printf`'s format asks for what no argument gives.
    NotGiven,
    /// Atomics of block scope that meet those of another block.
    BlockScope,
    /// A read through a cache that does not see what the same launch writes.
    CachedRead,
    /// The dynamic shared memory of the launch, which is none or too small.
    DynamicShared,
    /// A free of what is no block of the device heap.
    BadFree,
    /// The local memory of a function that has returned.
    Returned,
    /// An address in the shared or local memory of threads that are gone.
    Ended,
    /// The size of a bulk copy.
    CopySize,
    /// `grid.sync()` in a launch that is not cooperative.
    NotCooperative,
    /// The phase of an `mbarrier` that does not end.
    Mbarrier,
    /// Elements that no block of a large size comes to.
    LeftOut,
    /// A launch whose blocks end one after the other has more to do than its time allows.
    TooMuch,
}

impl Reason {
    /// A verdict and its sentence, with nothing beside it.
    pub fn new(verdict: Verdict, text: impl Into<String>) -> Self {
        Self {
            verdict,
            text: text.into(),
            details: Vec::new(),
            excerpts: Vec::new(),
            drawn: Sizes::new(),
            element: None,
            only_under: None,
            pattern: None,
            cause: None,
            suspicion: None,
        }
    }

    /// With these further sentences.
    #[must_use]
    pub fn with_details(self, details: impl IntoIterator<Item = String>) -> Self {
        Self { details: details.into_iter().collect(), ..self }
    }

    /// With this element of this output as the first that shows it.
    #[must_use]
    pub fn with_element(self, output: &str, index: u64) -> Self {
        Self { element: Some(format!("{output}[{index}]")), ..self }
    }

    /// With these places.
    #[must_use]
    pub fn with_excerpts(self, excerpts: impl IntoIterator<Item = Excerpt>) -> Self {
        Self { excerpts: excerpts.into_iter().collect(), ..self }
    }

    /// The sentence behind these words.
    #[must_use]
    pub fn prefixed(self, words: impl std::fmt::Display) -> Self {
        Self { text: format!("{words}: {}", self.text), ..self }
    }

    /// The sentence without the sizes that were drawn.
    pub fn text_without_sizes(&self) -> String {
        if self.drawn.is_empty() { self.text.clone() } else { self.text.replacen(&at_sizes(&self.drawn), "", 1) }
    }
}

/// " at n = 4711": where something holds, behind what holds there.
pub fn at_sizes(sizes: &Sizes) -> String {
    format!(" at {}", crate::sizes(sizes))
}
