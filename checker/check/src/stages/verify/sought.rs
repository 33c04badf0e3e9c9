//! Where a version turns: the first size at which it does what it does at the `time` size and at no size that was run whole.

use super::besides::{ELSEWHERE, LARGE, SOON};
use super::{STEPS, Trials};
use crate::build::Built;
use crate::{BuildError, Reach, beside};
use execution::backend::{self, Case, Checked, Reads, Status, Thoroughness};
use plan::stream::Stream;
use problem::Sizes;
use simulator::{Checks, Schedule};
use values::fill::{first_turn, turns};

/// What a whole run may take.
#[derive(Clone, Copy)]
pub(super) struct Most {
    /// Warp instructions.
    pub(super) instructions: f64,
    /// Bytes of its buffers, which are filled and compared; there are the oracle's, too.
    pub(super) bytes: u64,
}

/// Of a run of which it is known that something turns there, and nothing else shows whether that is right: some
/// seconds. It holds a sum of so many floats that 65535 blocks of 1024 threads go round once more.
pub(super) const SOUGHT: Most = Most { instructions: 1e8, bytes: 3 << 27 };
/// The same where something else has settled it: some tenths of a second.
pub(super) const SETTLED: Most = Most { instructions: 8e6, bytes: 1 << 25 };

/// Bytes of all buffers up to which it is watched: what is noted of them is several times as large.
pub(super) const WATCHED_BYTES: u64 = 192 << 20;

/// Sizes that are asked about between one that is run whole and the one at which a version is timed.
const RUNGS: i32 = 24;

/// Sizes that are run whole at most where it takes several: their extents are large one at a time.
const APART: usize = 3;

/// A version at a size, to be asked what it meets there.
pub(super) struct Rung {
    pub(super) sizes: Sizes,
    pub(super) program: backend::Program,
    /// With few multiprocessors.
    pub(super) few: bool,
}

/// Where a version does what it does at the `time` size, and at no size that was run whole.
pub(super) enum Sought {
    /// At these sizes together, most often one.
    At(Vec<Rung>),
    /// At none that can be run whole.
    Nowhere,
    /// It is nothing that has to be looked at.
    Nothing,
}

/// What sizes that were asked about come to.
enum Met {
    /// At this one of them all was met that is met at the `time` size, there or at one before it.
    At(usize),
    /// At none of them.
    Never,
    /// It is nothing that has to be looked at.
    Nothing,
}

impl Trials<'_> {
    /// Looks for the first of some sizes by which all was met that is met at `far`: sizes with few multiprocessors up to
    /// a million elements, then sizes between the `count` size and `far`, as far as a run is within `most` at `cost` warp instructions per
    /// element. If there is none, for several by which it is met together, with one large extent each.
    pub(super) fn seek(
        &self,
        built: &Built,
        far: &Sizes,
        near: &[Sizes],
        cost: f64,
        most: Most,
    ) -> Result<Sought, BuildError> {
        let case = self.far(built, far, near, Thoroughness::Sought { whole: near.len() })?;
        let mut ladder = self.few_rungs(built);
        ladder.extend(self.rungs(built, far));
        ladder.retain(|rung| self.is_within(most, cost, &rung.sizes, &rung.program));
        match self.met(&case, &[], &ladder) {
            Met::At(at) => return Ok(Sought::At(ladder.into_iter().skip(at).take(1).collect())),
            Met::Nothing => return Ok(Sought::Nothing),
            Met::Never => {}
        }
        let most = Most { instructions: most.instructions / APART as f64, ..most };
        let apart = beside::apart(self.problem, far);
        if apart.is_empty() {
            return Ok(Sought::Nowhere);
        }
        for far in apart {
            let rungs = self.rungs(built, &far).into_iter();
            ladder.extend(rungs.filter(|rung| self.is_within(most, cost, &rung.sizes, &rung.program)));
        }
        // The last one that it takes, then, where that is not enough, the last one that it takes beside it.
        let mut found: Vec<Rung> = Vec::new();
        for _ in 0..=APART {
            match self.met(&case, &found, &ladder) {
                Met::At(at) if found.len() < APART => found.push(ladder.remove(at)),
                Met::Nothing if !found.is_empty() => return Ok(Sought::At(found)),
                _ => break,
            }
        }
        Ok(Sought::Nowhere)
    }

    /// Sizes between the `count` size and another one.
    fn rungs(&self, built: &Built, far: &Sizes) -> Vec<Rung> {
        let sizes = (0..=RUNGS).map(|rung| beside::between(self.problem, far, rung, RUNGS));
        // An instance of a template that nobody compiled is no rung.
        let rung = |sizes: Sizes| Some(Rung { program: self.version(built, &sizes).ok()?, sizes, few: false });
        sizes.filter_map(rung).collect()
    }

    /// Asks about sizes, where some are run whole that were found before.
    fn met(&self, case: &Case, found: &[Rung], ladder: &[Rung]) -> Met {
        let mut case = case.clone();
        case.thoroughness = Thoroughness::Sought { whole: case.versions.len() - 1 + found.len() };
        let program = |rung: &Rung| rung.program.clone();
        // Before the others: what is asked at a size that was found only counts as asked there, as it does at the `count` size.
        case.versions.splice(1..1, found.iter().map(program));
        case.versions.extend(ladder.iter().map(program));
        let on = self.platform.on(vec![Schedule::Its], Checks::NONE, STEPS, self.seed);
        match self.told(on, case, |_| true).map(|checked| checked.status) {
            Some(Status::Untried { from: Some(from), .. }) if from < ladder.len() => Met::At(from),
            Some(Status::Passed) => Met::Nothing,
            _ => Met::Never,
        }
    }

    /// What runs at further sizes may take.
    pub(super) fn soon(&self) -> Most {
        if self.reach == Reach::Near { SOON } else { LARGE }
    }

    /// Is a run at a size, which takes so many warp instructions per element, within such bounds?
    pub(super) fn is_within(&self, most: Most, cost: f64, sizes: &Sizes, program: &backend::Program) -> bool {
        cost * beside::elements(self.problem, sizes) <= most.instructions && program.plan.bytes() <= most.bytes
    }

    /// Runs a version whole where it turns, at so many warp instructions per element: over the kind of inputs over which that was met, and
    /// over another kind, where that is soon done. Among elements that are alike it does not matter much which of them are left out.
    pub(super) fn run_rung(&self, built: &Built, rung: Rung, cost: f64) -> Result<Vec<(Sizes, Checked)>, BuildError> {
        let Rung { sizes, program, .. } = rung;
        let kinds = if self.is_within(SETTLED, cost, &sizes, &program) { turns(&program.plan.buffers) } else { 1 };
        let watched = built.communicates() && program.plan.bytes() <= WATCHED_BYTES;
        let mut case = self.whole_case(built, &sizes, ELSEWHERE + 2)?;
        case.versions = vec![program];
        case.reads = Reads::WhereCheap;
        case.seed = first_turn(case.seed);
        let (same, at) = (case.clone(), sizes.clone());
        let first = if watched { self.watched(same, at) } else { self.once(same, at, Checks::NONE) };
        let mut found = Vec::from_iter(first);
        if kinds > 1 {
            let turn = Stream::new(self.seed, "another kind").integer(0, 1, kinds as i64 - 1);
            case.seed = case.seed.wrapping_add_signed(turn);
            (case.thoroughness, case.reads) = (Thoroughness::Once, Reads::Unasked);
            found.extend(self.once(case, sizes, Checks::NONE));
        }
        Ok(found)
    }
}
