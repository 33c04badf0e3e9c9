//! A version on a device with another number of multiprocessors. Launch lines (`sms`) and kernels (`%nsmid`) may ask for it; whoever is
//! right with one number only relies on the device that it was tried on.

use super::Trials;
use super::besides::{ELSEWHERE, is_about_the_version};
use crate::build::Built;
use crate::{BuildError, beside};
use execution::backend::{self, Checked, Reads, Status};
use plan::stream::Stream;
use problem::Sizes;
use simulator::{Checks, Schedule};

/// What an H100 for PCIe has.
const OTHER: i64 = 114;

/// A run on such a device.
#[derive(Debug, Clone)]
pub struct Other {
    /// How many multiprocessors it had.
    pub sms: i64,
    /// The size, and what came of it.
    pub run: (Sizes, Checked),
}

impl Trials<'_> {
    /// A version that asks for the number at a large size, or the largest case, as on an H100 for PCIe, and at the `count` size on one
    /// whose number is drawn. Nothing for others: they do there what they do here.
    pub(super) fn others(&self, built: &Built, large: Option<&Sizes>) -> Result<Vec<Other>, BuildError> {
        if !self.tries_besides() {
            return Ok(Vec::new());
        }
        let by_elements = |sizes: &Sizes| beside::elements(self.problem, sizes) as u64;
        let largest = || self.problem.cases().into_iter().max_by_key(by_elements);
        // Not more than there are: what fits on the device has been asked of it.
        let drawn = Stream::new(self.seed, "multiprocessors").integer(0, 2, (built.device.sms - 1).max(2));
        let count = self.problem.manifest.count.clone();
        let at = [(OTHER, large.cloned().or_else(largest)), (drawn, Some(count))];
        let runs = at.into_iter().filter_map(|(sms, sizes)| self.other(built, sms, sizes?).transpose());
        runs.collect()
    }

    /// The version at a size with so many multiprocessors; nothing where it asks nobody how many there are, or that says nothing.
    fn other(&self, built: &Built, sms: i64, sizes: Sizes) -> Result<Option<Other>, BuildError> {
        let Ok(io) = self.problem.io(&sizes) else { return Ok(None) };
        let (Ok(there), Ok(here)) = (built.plan_for(sms, &sizes, &io), built.plan(&sizes, &io)) else {
            return Ok(None);
        };
        if there == here && !built.asks_for_multiprocessors() {
            return Ok(None);
        }
        let mut case = self.whole_case(built, &sizes, ELSEWHERE + 8)?;
        // What it reads is asked where it runs as it will be timed.
        case.reads = Reads::Unasked;
        case.versions = vec![built.program(there, None)];
        let mut on = self.platform.on(vec![Schedule::Its], Checks::NONE, super::STEPS, self.seed);
        if let backend::On::Sim { config, .. } = &mut on {
            config.sms = u32::try_from(sms).unwrap_or(config.sms);
        }
        let says = |status: &Status| is_about_the_version(status) && !matches!(status, Status::TimedOut { .. });
        Ok(self.told(on, case, says).map(|checked| Other { sms, run: (sizes, checked) }))
    }
}
