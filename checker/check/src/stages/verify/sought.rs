//! Where a version turns: the first size at which it does what it does at the `time` size and at no size that was run whole.

use super::besides::ELSEWHERE;
use super::{STEPS, Trials};
use crate::build::Built;
use crate::{BuildError, beside};
use execution::backend::{self, Checked, Status, Thoroughness};
use problem::Sizes;
use simulator::{Checks, Schedule};
use values::fill::first_turn;

/// Warp instructions that a run may take of which it is known that something turns there: some seconds, ...
pub(super) const SOUGHT_INSTRUCTIONS: f64 = 1.3e8;
/// ... and bytes of its buffers: there are the oracle's, too.
const SOUGHT_BYTES: u64 = 1 << 30;

/// Bytes of all buffers up to which it is watched: what is noted of them is several times as large.
pub(super) const WATCHED_BYTES: u64 = 192 << 20;

/// Sizes that are asked about between one that is run whole and the one at which a version is timed.
const RUNGS: i32 = 24;

/// A version at a size, to be asked what it meets there.
pub(super) struct Rung {
    pub(super) sizes: Sizes,
    pub(super) program: backend::Program,
    /// With few multiprocessors.
    pub(super) few: bool,
}

/// Where a version does what it does at the `time` size, and at no size that was run whole.
pub(super) enum Sought {
    /// At this size.
    At(Box<Rung>),
    /// At none that can be run whole.
    Nowhere,
    /// It is nothing that has to be looked at.
    Nothing,
}

impl Trials<'_> {
    /// Looks for the first of some sizes by which all was met that is met at `far`: sizes with few multiprocessors up to
    /// a million elements, then sizes between the `count` size and `far`, as far as there is time and memory to run them whole.
    pub(super) fn seek(
        &self,
        built: &Built,
        far: &Sizes,
        near: &[Sizes],
        affordable: &dyn Fn(&Sizes) -> bool,
    ) -> Result<Sought, BuildError> {
        let mut case = self.far(built, far, near, Thoroughness::Sought { whole: near.len() })?;
        let mut ladder = self.few_rungs(built);
        for sizes in (0..=RUNGS).map(|rung| beside::between(self.problem, far, rung, RUNGS)) {
            // An instance of a template that nobody compiled is no rung.
            if let Ok(program) = self.version(built, &sizes) {
                ladder.push(Rung { sizes, program, few: false });
            }
        }
        ladder.retain(|rung| affordable(&rung.sizes) && rung.program.plan.bytes() <= SOUGHT_BYTES);
        case.versions.extend(ladder.iter().map(|rung| rung.program.clone()));
        let on = self.platform.on(vec![Schedule::Its], Checks::NONE, STEPS, self.seed);
        let found = self.told(on, case, |_| true);
        Ok(match found.map(|checked| checked.status) {
            Some(Status::Untried { from: Some(from), .. }) => {
                ladder.into_iter().nth(from).map_or(Sought::Nowhere, |rung| Sought::At(rung.into()))
            }
            Some(Status::Passed) => Sought::Nothing,
            _ => Sought::Nowhere,
        })
    }

    /// Runs a version whole where it turns.
    pub(super) fn run_rung(&self, built: &Built, rung: Rung) -> Result<Option<(Sizes, Checked)>, BuildError> {
        let Rung { sizes, program, .. } = rung;
        let watched = built.communicates() && program.plan.bytes() <= WATCHED_BYTES;
        let checks = if watched { Checks::ALL } else { Checks::NONE };
        let mut case = self.whole_case(built, &sizes, ELSEWHERE + 2)?;
        case.versions = vec![program];
        // What is never read is asked at the second sizes; among millions that takes the oracle twice more.
        case.reads = !built.communicates();
        // The kind of inputs over which it was met.
        case.seed = first_turn(case.seed);
        Ok(self.once(case, sizes, checks))
    }
}
