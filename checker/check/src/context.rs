//! What every kind of check is given, and what it fills.

use crate::platform::Platforms;
use crate::{CheckOptions, Progress};
use compiler::toolchain::Toolchain;
use problem::Problem;
use report::{Report, Sources};

/// A problem that is being checked.
pub(crate) struct CheckContext<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// What compiles its kernels.
    pub toolchain: &'a Toolchain,
    /// What runs them.
    pub platforms: &'a Platforms,
    /// How thoroughly.
    pub options: &'a CheckOptions,
    /// What was found so far.
    pub report: &'a mut Report,
    /// The texts that the report quotes.
    pub sources: &'a mut Sources,
    /// Hears what is being done.
    pub progress: Progress<'a>,
}

impl CheckContext<'_> {
    /// The same, for a part of the check.
    pub fn again(&mut self) -> CheckContext<'_> {
        CheckContext { report: &mut *self.report, sources: &mut *self.sources, ..*self }
    }
}
