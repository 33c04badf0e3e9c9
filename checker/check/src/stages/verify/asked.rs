//! Sizes of which some blocks are run, to be asked whether they do what no size that is run whole does: every remainder of a power of two,
//! and sizes between those that are run whole and the one at which a version is timed. Where they do they are run whole, too.

use super::besides::{ELSEWHERE, LARGE_INSTRUCTIONS};
use super::sought::SOUGHT_INSTRUCTIONS;
use super::{CaseAt, STEPS, Trials};
use crate::build::Built;
use crate::{BuildError, beside};
use execution::backend::{Case, Checked, Status, Thoroughness};
use plan::stream::Stream;
use problem::Sizes;
use simulator::{Checks, Schedule};
use values::fill::first_turn;

/// Small sizes that follow each other: they have every remainder of whatever is as large.
const REMAINDERS: i64 = 128;
/// The least of them is not larger.
const SMALL: i64 = 2048;
/// Sizes that are asked about between those that are drawn and the `time` size.
const BETWEEN: u64 = 8;
/// Small sizes that are run whole at most,
const MOST_SMALL: usize = 8;
/// and of those between.
const MOST_BETWEEN: usize = 2;

/// A size at which a version does something new.
pub(super) struct News {
    sizes: Sizes,
    /// One of many that follow each other.
    small: bool,
    /// Some threads alone do it.
    some: bool,
}

impl Trials<'_> {
    /// Where a version does what it does at none of the sizes that are run whole in any case.
    pub(super) fn ask(&self, built: &Built) -> Result<Vec<News>, BuildError> {
        let manifest = &self.problem.manifest;
        if !self.tries_besides() {
            return Ok(Vec::new());
        }
        let far = beside::ragged(self.problem, self.seed);
        let between = (0..BETWEEN).map(|step| beside::on_the_way(self.problem, self.seed, &far, step, BETWEEN));
        let small = beside::remainders(self.problem, self.seed, REMAINDERS, SMALL);
        let sizes = between.map(|sizes| (sizes, false)).chain(small.into_iter().map(|sizes| (sizes, true)));
        // An instance of a template that nobody compiled is not asked.
        let program = |(sizes, small): (Sizes, bool)| Some((self.version(built, &sizes).ok()?, sizes, small));
        let (programs, asked): (Vec<_>, Vec<_>) =
            sizes.filter_map(program).map(|(program, sizes, small)| (program, (sizes, small))).unzip();
        let mut near = self.problem.cases();
        near.extend(beside::second(self.problem, self.seed));
        // What the `time` size has is looked at elsewhere.
        near.extend([manifest.count.clone(), manifest.time.clone(), far]);
        // The usual one first, then what takes least.
        near.sort_by_cached_key(|sizes| (*sizes != manifest.count, beside::elements(self.problem, sizes) as u64));
        let known: Vec<_> = near.iter().filter_map(|sizes| self.version(built, sizes).ok()).collect();
        let thoroughness = Thoroughness::Asked { whole: known.len() };
        let at = CaseAt { sizes: &manifest.count, index: 0, thoroughness, judged: false };
        let mut case = self.case(built, None, at)?;
        case.seed = first_turn(Stream::new(self.seed, "asked").bits(0));
        let whole = known.len();
        case.versions = known.into_iter().chain(programs).collect();
        let on = self.platform.on(vec![Schedule::Its], Checks::NONE, STEPS, self.seed);
        let told = self.run_all(on, case, &self.options()).into_iter().skip(whole);
        let news = asked.into_iter().zip(told).filter_map(|((sizes, small), checked)| match &checked.status {
            Status::Untried { what, .. } => Some(News { sizes, small, some: what.is_for_some() }),
            _ => None,
        });
        Ok(news.collect())
    }

    /// Runs a version whole where it does something new, if a run takes so many warp instructions per element.
    pub(super) fn run_asked(
        &self,
        built: &Built,
        news: Vec<News>,
        cost: f64,
    ) -> Result<Vec<(Sizes, Checked)>, BuildError> {
        let affordable = |News { sizes, small, some }: &News| {
            let most = if *some { LARGE_INSTRUCTIONS } else { SOUGHT_INSTRUCTIONS };
            *small || cost * beside::elements(self.problem, sizes) <= most
        };
        let (small, between): (Vec<_>, Vec<_>) = news.into_iter().filter(affordable).partition(|news| news.small);
        let mut found = Vec::new();
        for News { sizes, small, .. } in
            small.into_iter().take(MOST_SMALL).chain(between.into_iter().take(MOST_BETWEEN))
        {
            let thoroughness = if small { Thoroughness::Once } else { Thoroughness::Large };
            let at = CaseAt { sizes: &sizes, index: ELSEWHERE + 5, thoroughness, judged: true };
            let case = Case { reads: !small, ..self.case(built, None, at)? };
            found.extend(self.once(case, sizes, Checks::NONE));
        }
        Ok(found)
    }
}
