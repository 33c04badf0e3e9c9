//! The simulator's part of a modelled time, while the candidate's runs are still under way.

use super::{Checking, modelled};
use crate::CheckOptions;
use crate::platform::{Platform, Platforms};
use crate::versions::Versions;
use execution::backend::WorkerOptions;
use problem::{Metric, Problem};
use std::time::Instant;

impl Checking<'_> {
    /// Is a modelled time wanted that nothing measured will stand in for?
    pub(super) fn models_early(&self) -> bool {
        let Platforms { sim, gpu } = self.check.platforms;
        let models = sim.is_some() && gpu.is_none() && self.check.problem.manifest.flaw.is_none();
        models && asks(self.check.problem, self.check.options)
    }

    /// What blocks of baseline and candidate do, for the model.
    pub(super) fn profiled(&self, platform: &Platform, versions: &Versions) -> modelled::Profiles {
        let built = [&versions.baseline, &versions.candidate];
        modelled::profiles(self.check.problem, platform, built, self.check.report.seed, &options(self.until))
    }
}

/// Is a modelled time part of the report, or of a goal?
pub(super) fn asks(problem: &Problem, options: &CheckOptions) -> bool {
    !options.unmodelled || problem.manifest.goals.iter().any(|goal| goal.metric == Metric::ModelledSpeedup)
}

/// Of the workers that profile: one of those that run at the same time.
pub(super) fn options(until: Instant) -> WorkerOptions {
    WorkerOptions { until: Some(until), ..WorkerOptions::default() }.one_of(3)
}
