//! Blocks that wait for others, in launches with more blocks than the device holds at once.

use super::besides::ELSEWHERE;
use super::{CaseAt, STEPS, Trials};
use crate::build::Built;
use crate::{BuildError, beside};
use execution::backend::{Checked, Status, Thoroughness};
use problem::Sizes;
use simulator::finding::FindingName;
use simulator::{Checks, Schedule};

/// As many blocks are resident at least: groups of blocks that are resident together may wait for each other.
const FEWEST: u64 = 8;

impl Trials<'_> {
    /// A version whose threads may wait in a loop, at the largest case, with as few blocks resident at once as there are of
    /// the grid of the `time` size. A block that waits for one that has not begun then waits for ever; at sizes that are run
    /// whole otherwise all blocks are resident. Whoever waits for earlier blocks only is right with any number.
    pub(super) fn crowded(&self, built: &Built) -> Result<Option<(Sizes, Checked)>, BuildError> {
        if !self.tries_besides() || !built.waits() {
            return Ok(None);
        }
        let manifest = &self.problem.manifest;
        let by_elements = |sizes: &&Sizes| beside::elements(self.problem, sizes) as u64;
        let Some(sizes) = self.problem.cases().iter().max_by_key(by_elements).cloned() else { return Ok(None) };
        let far = self.version(built, &manifest.time)?.plan;
        let at = CaseAt { sizes: &sizes, index: ELSEWHERE + 3, thoroughness: Thoroughness::Once, judged: false };
        let mut case = self.case(built, None, at)?;
        let Some(version) = case.versions.first_mut() else { return Ok(None) };
        let mut first = None;
        for (near, far) in version.plan.launches.iter_mut().zip(&far.launches) {
            let Some(held) = far.resident.filter(|_| !far.cooperative && near.kernel == far.kernel) else { continue };
            let [here, there] = [near.grid, far.grid].map(|grid| grid.into_iter().map(u64::from).product::<u64>());
            let share = (here.saturating_mul(held.into()) / there.max(1)).max(FEWEST);
            if there > held.into() && share < here {
                near.resident = u32::try_from(share).ok();
                first = first.or(Some(Status::WaitsForLater {
                    line: near.line,
                    sizes: report::sizes(&manifest.time),
                    grid: [held.into(), there],
                    tried: [share, here],
                }));
            }
        }
        let Some(status) = first else { return Ok(None) };
        let on = self.platform.on(vec![Schedule::Its], Checks::NONE, STEPS, self.seed);
        let waits = |status: &Status| {
            let names = [FindingName::Livelock, FindingName::Deadlock].map(FindingName::name);
            matches!(status, Status::Fault { fault } if names.contains(&fault.name.as_str()))
        };
        let Some(checked) = self.told(on.clone(), case, waits) else { return Ok(None) };
        // Who waits for ever with all blocks resident waits for something else.
        let alone = self.told(on, self.case(built, None, at)?, waits);
        Ok(alone.is_none().then_some((sizes, Checked { status, ..checked })))
    }
}
