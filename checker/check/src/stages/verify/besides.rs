//! What is tried of a version besides the problem's cases, on the simulator: some blocks of the size at which it is timed, the
//! goals at a second size, and a size beyond a million elements.

use super::other::Other;
use super::sought::{Most, SETTLED, SOUGHT, Sought, WATCHED_BYTES};
use super::{CaseAt, STEPS, Trials, is_wrong, shipped};
use crate::build::Built;
use crate::{BuildError, beside};
use execution::backend::{self, Case, Checked, Reads, Status, Thoroughness, Verify, WorkerOptions};
use plan::stream::Stream;
use problem::Sizes;
use simulator::{Checks, Schedule};
use std::cmp::Reverse;
use values::fill::first_turn;

/// A run over a million elements: 64 warp instructions for each 32 of them, a tenth of a second.
pub(super) const LARGE: Most = Most { instructions: 2.1e6, bytes: 1 << 26 };
/// What runs at further sizes may take where somebody waits: under a lock they are long.
pub(super) const SOON: Most = Most { instructions: 5e5, bytes: LARGE.bytes };

/// Warp instructions per element where nobody counted them.
const USUAL_INSTRUCTIONS: f64 = 2.0;

/// What makes the inputs of the drawn size beside the `count` size others than those of the cases.
pub(super) const ELSEWHERE: usize = 1 << 20;

/// What was tried besides the problem's cases, each with its size.
#[derive(Debug, Clone, Default)]
pub struct Besides {
    /// Some blocks at the `time` size.
    pub sampled: Option<(Sizes, Checked)>,
    /// A drawn size beside the `count` size: see [`crate::beside`].
    pub elsewhere: Option<(Sizes, Checked)>,
    /// Sizes near some that were run whole, larger than the `count` size, if the version seems to do worse there: see
    /// [`crate::stages::farther`].
    pub farther: Vec<(Sizes, Checked)>,
    /// A size beyond a million elements: whether it is right there.
    pub large: Option<(Sizes, Checked)>,
    /// Sizes with as much for each block to do as at the `time` size: see [`super::few`].
    pub few: Vec<(Sizes, Checked)>,
    /// On devices with other numbers of multiprocessors.
    pub others: Vec<Other>,
    /// Sizes that together have all that the version does at the `time` size.
    pub sought: Vec<(Sizes, Checked)>,
    /// Sizes at which the version does what it does at no other that is run whole, those where a grid grows by a block, and those with
    /// other values of what is not drawn: see [`super::asked`], [`super::edges`] and [`super::combined`].
    pub asked: Vec<(Sizes, Checked)>,
    /// Sizes up to the `time` size, where that was asked for: see [`super::reached`].
    pub reached: Vec<(Sizes, Checked)>,
    /// A case in which few blocks are resident at once, if that is wrong.
    pub crowded: Option<(Sizes, Checked)>,
}

impl Besides {
    /// All of them, those first that were run whole: they can be run again.
    pub fn iter(&self) -> impl Iterator<Item = &(Sizes, Checked)> {
        let sizes = self.elsewhere.iter().chain(&self.asked).chain(&self.large).chain(&self.few);
        let sizes = sizes.chain(self.others.iter().map(|other| &other.run));
        sizes.chain(&self.reached).chain(&self.sought).chain(&self.sampled).chain(&self.crowded)
    }
}

impl Trials<'_> {
    /// Tries a version at what a full check adds to the cases.
    pub(super) fn besides(&self, built: &Built) -> Result<Besides, BuildError> {
        let (found, news) = rayon::join(|| self.at_some_sizes(built), || self.ask(built));
        let (found, cost) = found?;
        let cost = cost.unwrap_or(USUAL_INSTRUCTIONS);
        let news = news?;
        let (asked, edges) = rayon::join(|| self.run_asked(built, news, cost), || self.at_edges(built, cost));
        let mut asked = asked?;
        asked.append(&mut edges?);
        asked.append(&mut self.at_other_values(built, cost)?);
        let mut found = Besides { asked, crowded: self.crowded(built)?, ..found };
        let right = found.iter().all(|(_, checked)| checked.status.passed() && !is_wrong(checked));
        if let (true, Some(second)) = (right, &found.elsewhere) {
            found.reached = self.reached(built, second)?;
        }
        Ok(found)
    }

    /// What is tried at sizes that are chosen beforehand, and where the version turns; with the warp instructions that it takes per element.
    fn at_some_sizes(&self, built: &Built) -> Result<(Besides, Option<f64>), BuildError> {
        let elsewhere = self.elsewhere(built, true)?;
        let cost = elsewhere.as_ref().and_then(|(sizes, checked)| self.cost(sizes, checked));
        let affordable =
            |sizes: &Sizes| cost.is_some_and(|cost| cost * beside::elements(self.problem, sizes) <= LARGE.instructions);
        let size = self.large().filter(affordable);
        let mut near = vec![self.problem.manifest.count.clone()];
        // Where threads talk to each other, what nobody watched was not run whole.
        if !built.communicates() {
            near.extend(elsewhere.iter().map(|(sizes, _)| sizes.clone()).chain(size.clone()));
        }
        let mut cases = self.problem.cases();
        cases.sort_by_cached_key(|sizes| Reverse(beside::elements(self.problem, sizes) as u64));
        near.extend(cases);
        let large = || -> Result<_, BuildError> {
            let others = self.others(built, size.as_ref())?;
            // Where none is drawn, a case may be as large.
            let at = size.clone().or_else(|| self.large_case());
            let few = at.map(|at| self.few(built, &at)).transpose()?.flatten().into_iter().collect();
            let Some(sizes) = size else { return Ok((None, few, others)) };
            Ok((self.whole(built, sizes, ELSEWHERE + 1)?, few, others))
        };
        let (large, sampled) = rayon::join(large, || self.sampled(built, &near));
        let ((large, mut few, others), mut sampled) = (large?, sampled?);
        let mut sought = Vec::new();
        if self.is_left_to_gpus() {
            sampled = sampled.filter(|(_, checked)| !matches!(checked.status, Status::Untried { .. }));
        }
        if let Some((far, Checked { status: Status::Untried { what, shown, .. }, findings, .. })) = &sampled
            && findings.is_empty()
        {
            // What some threads do is no news that must be settled.
            let settled = *shown || what.is_for_some();
            let most = if settled && !what.may_move() { SETTLED } else { SOUGHT };
            let cost = cost.unwrap_or(USUAL_INSTRUCTIONS);
            let tried = match self.seek(built, far, &near, cost, most)? {
                Sought::Nowhere => settled,
                Sought::Nothing => true,
                Sought::At(rungs) => {
                    for rung in rungs {
                        let into = if rung.few { &mut few } else { &mut sought };
                        into.extend(self.run_rung(built, rung, cost)?);
                    }
                    true
                }
            };
            // Who had no time to look does not know that there is nothing.
            if tried || self.cut.get().is_some() {
                sampled = None;
            }
        }
        Ok((Besides { sampled, elsewhere, large, few, others, sought, ..Besides::default() }, cost))
    }

    /// Some blocks of the `time` size, with a tail and without one, beside sizes that are run whole, of which the first is the
    /// `count` size: what is done about a tail nobody sees at a round number, and what is done without one at no other.
    fn sampled(&self, built: &Built, near: &[Sizes]) -> Result<Option<(Sizes, Checked)>, BuildError> {
        let manifest = &self.problem.manifest;
        let simulated = manifest.time == manifest.count || self.problem.cases().contains(&manifest.time);
        if simulated || !self.tries_besides() {
            return Ok(None);
        }
        let ragged = beside::ragged(self.problem, self.seed);
        let round = (ragged != manifest.time).then(|| manifest.time.clone());
        // What cannot be told in time, or at all, is not judged.
        let says =
            |status: &Status| status.is_shown_wrong() || matches!(status, Status::Passed | Status::Untried { .. });
        let run = |sizes: Sizes, followed: bool| -> Result<Option<(Sizes, Checked)>, BuildError> {
            let case = self.far(built, &sizes, near, Thoroughness::Sampled { followed })?;
            // In another order, too, where threads talk to each other.
            let drawn = Schedule::Adversarial { seed: self.seed % 1_000_000 };
            let schedule = if !followed && built.communicates() { drawn } else { Schedule::Its };
            let on = self.platform.on(vec![schedule], Checks::NONE, STEPS, self.seed);
            Ok(self.told(on, case, says).map(|checked| (sizes, checked)))
        };
        let (first, second) = rayon::join(|| run(ragged, true), || round.map(|round| run(round, false)).transpose());
        let mut told: Option<(Sizes, Checked)> = None;
        for now in [first?, second?.flatten()].into_iter().flatten() {
            // What was not tried here may be right; what the other size shows to be wrong is not.
            match now.1.status {
                _ if !now.1.findings.is_empty() => return Ok(Some(now)),
                Status::Passed => told = told.or(Some(now)),
                Status::Untried { .. } => {
                    let known = told.take().filter(|(_, known)| matches!(known.status, Status::Untried { .. }));
                    told = known.or(Some(now));
                }
                _ => return Ok(Some(now)),
            }
        }
        Ok(told)
    }

    /// A version once at a drawn size beside the `count` size, on the simulator: its counters, and whether it is right there
    /// (`judged`). Nothing where that takes too long.
    pub fn elsewhere(&self, built: &Built, judged: bool) -> Result<Option<(Sizes, Checked)>, BuildError> {
        let second = beside::second(self.problem, self.seed).filter(|_| self.tries_besides());
        match second {
            Some(sizes) => self.counted_at(built, sizes, judged),
            None => Ok(None),
        }
    }

    /// The same at this size.
    pub fn counted_at(
        &self,
        built: &Built,
        sizes: Sizes,
        judged: bool,
    ) -> Result<Option<(Sizes, Checked)>, BuildError> {
        let at = CaseAt { sizes: &sizes, index: ELSEWHERE, thoroughness: Thoroughness::Once, judged };
        let mut case = self.case(built, None, at)?;
        case.reads = if judged { Reads::Asked } else { Reads::Unasked };
        // Inputs of the kind that is counted: goals are judged here, too.
        case.seed = first_turn(case.seed);
        let mut on = self.platform.on(vec![Schedule::Its], Checks::NONE, STEPS, self.seed);
        if let backend::On::Sim { config, .. } = &mut on {
            config.coverage = true;
        }
        Ok(self.told(on, case, is_about_the_version).map(|checked| (sizes, checked)))
    }

    /// A size beyond a million elements, where more than the cases is tried.
    fn large(&self) -> Option<Sizes> {
        beside::large(self.problem, self.seed).filter(|_| self.tries_besides())
    }

    /// Warp instructions per element that a run took, where they were counted.
    fn cost(&self, sizes: &Sizes, took: &Checked) -> Option<f64> {
        Some(took.counters?.instructions as f64 / beside::elements(self.problem, sizes).max(1.0))
    }

    /// A version at a size, all of it, once.
    pub(super) fn whole(
        &self,
        built: &Built,
        sizes: Sizes,
        index: usize,
    ) -> Result<Option<(Sizes, Checked)>, BuildError> {
        let case = self.whole_case(built, &sizes, index)?;
        let found = self.once(case.clone(), sizes.clone(), Checks::NONE);
        let wrong = found.as_ref().is_some_and(|(_, checked)| checked.status.is_shown_wrong());
        let small = case.versions.iter().all(|version| version.plan.bytes() <= WATCHED_BYTES);
        if !(wrong && small && built.communicates()) {
            return Ok(found);
        }
        // Perhaps a race made it so.
        Ok(self.caught(case, sizes).or(found))
    }

    /// That run.
    pub(super) fn whole_case(&self, built: &Built, sizes: &Sizes, index: usize) -> Result<Case, BuildError> {
        let at = CaseAt { sizes, index, thoroughness: Thoroughness::Large, judged: true };
        Ok(Case { reads: Reads::Asked, ..self.case(built, None, at)? })
    }

    /// A version at a size of which some blocks run, and beside it the sizes that are run whole.
    pub(super) fn far(
        &self,
        built: &Built,
        far: &Sizes,
        near: &[Sizes],
        thoroughness: Thoroughness,
    ) -> Result<Case, BuildError> {
        let judged = matches!(thoroughness, Thoroughness::Sampled { .. });
        let mut case = self.case(built, None, CaseAt { sizes: far, index: 0, thoroughness, judged })?;
        // The kind of inputs that is counted; what else is drawn differs from seed to seed.
        case.seed = self.far_seed();
        for sizes in near {
            case.versions.push(self.version(built, sizes)?);
        }
        Ok(case)
    }

    pub(super) fn far_seed(&self) -> u64 {
        first_turn(Stream::new(self.seed, "far").bits(0))
    }

    pub(super) fn version(&self, built: &Built, sizes: &Sizes) -> Result<backend::Program, BuildError> {
        let io = self.problem.io(sizes).map_err(shipped)?;
        let plan = built.plan(sizes, &io).map_err(|error| BuildError::Launch(error, report::sizes(sizes)))?;
        Ok(built.program(plan, None))
    }

    /// Is it a ladder's step, which is verified at large sizes where there is a GPU?
    fn is_left_to_gpus(&self) -> bool {
        self.problem.ladder().is_some_and(|ladder| !ladder.gpu_cases.is_empty())
    }

    /// Is more tried than the problem's cases? On the simulator, and not for every cell of a sweep.
    pub(super) fn tries_besides(&self) -> bool {
        self.platform.gpu.is_none() && self.problem.sweep().is_none()
    }

    /// What one case comes to, if that says anything.
    pub(super) fn told(&self, on: backend::On, case: Case, says: impl Fn(&Status) -> bool) -> Option<Checked> {
        let options = self.options_for(&case);
        self.run_all(on, case, &options).into_iter().next().filter(|checked| says(&checked.status))
    }

    /// What the versions of one case come to; nothing where they could not be run, which is a cut.
    pub(super) fn run_all(&self, on: backend::On, case: Case, options: &WorkerOptions) -> Vec<Checked> {
        let all = self.verified(on, case, options);
        self.look_for_cuts(&all);
        all
    }

    /// The same, whatever the machine ended.
    pub(super) fn verified(&self, on: backend::On, case: Case, options: &WorkerOptions) -> Vec<Checked> {
        let job = Verify { on, cases: vec![case], stop_at_failure: false };
        match backend::verify(&job, options) {
            Ok(cases) => cases.into_iter().flatten().collect(),
            Err(error) => {
                let _ = self.cut.set(error.to_string());
                Vec::new()
            }
        }
    }
}

/// Not that the oracle failed. One that does not end at a size like others where it does is wrong there.
pub(super) fn is_about_the_version(status: &Status) -> bool {
    !matches!(status, Status::OracleFailed { .. } | Status::NotRun { .. } | Status::OutOfTime)
}
