//! Sizes of which some blocks are run, to be asked whether they do what no size that is run whole does: every remainder of a power of two,
//! and sizes between those that are run whole and the one at which a version is timed. Where they do they are run whole, too. And so are
//! sizes that are numbers in the code, and the `time` size where that is small.

use super::besides::{ELSEWHERE, LARGE, SOON};
use super::sought::{Most, SOUGHT};
use super::varying::varying;
use super::{CaseAt, STEPS, Trials};
use crate::build::Built;
use crate::{BuildError, beside};
use execution::backend::{Case, Checked, Program, Reads, Status, Thoroughness, Untried, Varying};
use plan::stream::Stream;
use problem::Sizes;
use simulator::{Checks, Schedule};

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

/// Sizes that are numbers in the code, of those with many elements and of those with few.
const NAMED: [usize; 2] = [2, 3];
/// Elements of a `time` size that is run itself.
const SMALL_TIME: f64 = 131_072.0;
/// Sizes that conditions mean, at most: of those that are soon run, and of others.
const MEANT: [usize; 2] = [6, 1];
/// Conditions that stand one within the other, as deep as they are asked.
const NESTED: usize = 4;
/// Sizes at which those of the next depth are asked, at most.
const FOUND: usize = 8;
/// How many are few.
const FEW: f64 = 4096.0;

/// Sizes that were asked about, and what was told.
pub(super) struct Told {
    /// Where the version does something new.
    news: Vec<News>,
    /// Sizes that its conditions on sizes mean.
    meant: Vec<Sizes>,
}

/// A size at which a version does something new.
struct News {
    sizes: Sizes,
    program: Program,
    /// One of many that follow each other.
    small: bool,
    /// What a run of it may take.
    most: Most,
}

impl Trials<'_> {
    /// Where a version does what it does at none of the sizes that are run whole in any case.
    pub(super) fn ask(&self, built: &Built) -> Result<Told, BuildError> {
        let manifest = &self.problem.manifest;
        if !self.tries_besides() {
            return Ok(Told { news: Vec::new(), meant: Vec::new() });
        }
        let far = beside::ragged(self.problem, self.seed);
        let between = (0..BETWEEN).map(|step| beside::on_the_way(self.problem, self.seed, &far, step, BETWEEN));
        let small = beside::remainders(self.problem, self.seed, REMAINDERS, SMALL);
        let sizes = between.map(|sizes| (sizes, false)).chain(small.into_iter().map(|sizes| (sizes, true)));
        // An instance of a template that nobody compiled is not asked.
        let program = |(sizes, small): (Sizes, bool)| Some((self.version(built, &sizes).ok()?, sizes, small));
        let asked: Vec<_> = sizes.filter_map(program).collect();
        let mut near = self.problem.cases();
        near.extend(beside::second(self.problem, self.seed));
        // What the `time` size has is looked at elsewhere.
        near.extend([manifest.count.clone(), manifest.time.clone(), far]);
        // The usual one first, then what takes least.
        near.sort_by_cached_key(|sizes| (*sizes != manifest.count, beside::elements(self.problem, sizes) as u64));
        let mut known: Vec<_> =
            near.into_iter().filter_map(|sizes| Some((self.version(built, &sizes).ok()?, sizes))).collect();
        let programs: Vec<Program> = asked.iter().map(|(program, ..)| program.clone()).collect();
        let (told, mut found) = self.ask_at(built, &known, 0, &programs)?;
        let news = |((program, sizes, small), checked): (_, Checked)| {
            let Status::Untried { what, .. } = checked.status else { return None };
            // Another instance of a template does what others do, and few threads seldom do much.
            let usual = what.is_for_some() || matches!(what, Untried::Kernel { .. });
            Some(News { sizes, program, small, most: if usual { LARGE } else { SOUGHT } })
        };
        let news = asked.into_iter().zip(told).filter_map(news).collect();
        // What another condition's branch asks is asked at the sizes that take it.
        let mut meant: Vec<Sizes> = Vec::new();
        for round in 0..NESTED {
            found.retain(|sizes| !meant.contains(sizes) && known.iter().all(|(_, known)| known != sizes));
            found.sort_by_cached_key(|sizes| beside::elements(self.problem, sizes) as u64);
            let before = known.len();
            let latest = found.iter().take(FOUND);
            known.extend(latest.filter_map(|sizes| Some((self.version(built, sizes).ok()?, sizes.clone()))));
            meant.append(&mut found);
            if known.len() == before || round + 1 == NESTED {
                break;
            }
            (_, found) = self.ask_at(built, &known, known.len() - before, &[])?;
        }
        Ok(Told { news, meant })
    }

    /// Of which of these programs is something new, beside those that are known; and sizes, unsorted, that are meant, for which the `latest`
    /// of the known ones are looked at first.
    fn ask_at(
        &self,
        built: &Built,
        known: &[(Program, Sizes)],
        latest: usize,
        asked: &[Program],
    ) -> Result<(Vec<Checked>, Vec<Sizes>), BuildError> {
        let count = &self.problem.manifest.count;
        let thoroughness = Thoroughness::Asked { whole: known.len() };
        let mut case = self.case(built, None, CaseAt { sizes: count, index: 0, thoroughness, judged: false })?;
        // As elsewhere, so that a worker that was asked about the known ones knows.
        case.seed = self.far_seed();
        case.versions = known.iter().map(|(program, _)| program.clone()).chain(asked.iter().cloned()).collect();
        let varying = Varying { latest, ..varying(self.problem, known) };
        let steps = varying.steps.clone();
        case.varying = Some(varying);
        let on = self.platform.on(vec![Schedule::Its], Checks::NONE, STEPS, self.seed);
        let mut told = self.run_all(on, case, &self.options());
        let meant = told.first_mut().map(|first| std::mem::take(&mut first.meant)).unwrap_or_default();
        let of = |values: Vec<i64>| -> Sizes {
            let sizes = values.into_iter().zip(&steps).map(|(value, step)| value * step);
            count.keys().cloned().zip(sizes).collect()
        };
        Ok((told.split_off(known.len().min(told.len())), meant.into_iter().map(of).collect()))
    }

    /// Sizes that a number in the code may mean, drawn: each size that may vary, the others as at the `count` size.
    fn named(&self, built: &Built) -> Vec<Sizes> {
        let manifest = &self.problem.manifest;
        if !self.tries_besides() {
            return Vec::new();
        }
        let numbers = built.numbers();
        let mut all: Vec<Sizes> = Vec::new();
        for name in manifest.count.keys() {
            let Some(least) = beside::least(self.problem, name) else { continue };
            let most = manifest.time.get(name).copied().unwrap_or(0);
            all.extend(
                numbers.range(least..most.max(least)).map(|number| beside::with(&manifest.count, name, *number)),
            );
        }
        let known = self.problem.cases();
        all.retain(|sizes| !known.contains(sizes) && *sizes != manifest.count);
        let stream = Stream::new(self.seed, "numbers as sizes");
        let drawn = |sizes: &Sizes| sizes.values().fold(0, |all, size| stream.bits(all ^ *size as u64));
        all.sort_by_cached_key(drawn);
        let is_few = |sizes: &Sizes| beside::elements(self.problem, sizes) < FEW;
        let (few, many): (Vec<_>, Vec<_>) = all.into_iter().partition(is_few);
        many.into_iter().take(NAMED[0]).chain(few.into_iter().take(NAMED[1])).collect()
    }

    /// The `time` size where it is small, and one beyond it where it is no larger than what is run whole anyway.
    fn small_time(&self) -> Vec<Sizes> {
        let manifest = &self.problem.manifest;
        if !self.tries_besides() {
            return Vec::new();
        }
        let (elements, time) = (beside::elements(self.problem, &manifest.time), manifest.time.clone());
        let is_known = time == manifest.count || self.problem.cases().contains(&time);
        let time = Some(time).filter(|_| elements <= SMALL_TIME && !is_known);
        let beyond = (elements <= 2.0 * beside::LARGE).then(|| beside::beyond(self.problem, self.seed)).flatten();
        time.into_iter().chain(beyond).collect()
    }

    /// Runs a version whole at sizes that its code names, and where it does something new, if a run takes so many warp instructions per element.
    pub(super) fn run_asked(
        &self,
        built: &Built,
        Told { news, mut meant }: Told,
        cost: f64,
    ) -> Result<Vec<(Sizes, Checked)>, BuildError> {
        let affordable = |news: &News| news.small || self.is_within(news.most, cost, &news.sizes, &news.program);
        let (small, between): (Vec<_>, Vec<_>) = news.into_iter().filter(affordable).partition(|news| news.small);
        let mut found = Vec::new();
        let usual = self.soon();
        let named = self.named(built).into_iter().map(|sizes| (sizes, LARGE));
        meant.sort_by_cached_key(|sizes| beside::elements(self.problem, sizes) as u64);
        let soon = |sizes: &Sizes| cost * beside::elements(self.problem, sizes) <= SOON.instructions;
        let (few, many): (Vec<_>, Vec<_>) = meant.into_iter().partition(soon);
        let few = few.into_iter().take(MEANT[0]).map(|sizes| (sizes, LARGE));
        let meant = few.chain(many.into_iter().take(MEANT[1]).map(|sizes| (sizes, SOUGHT)));
        for (sizes, most) in self.small_time().into_iter().map(|sizes| (sizes, usual)).chain(named).chain(meant) {
            let Ok(program) = self.version(built, &sizes) else { continue };
            if self.is_within(most, cost, &sizes, &program) {
                found.extend(self.whole(built, sizes, ELSEWHERE + 6)?);
            }
        }
        for News { sizes, small, .. } in
            small.into_iter().take(MOST_SMALL).chain(between.into_iter().take(MOST_BETWEEN))
        {
            let thoroughness = if small { Thoroughness::Once } else { Thoroughness::Large };
            let at = CaseAt { sizes: &sizes, index: ELSEWHERE + 5, thoroughness, judged: true };
            let case = Case { reads: if small { Reads::Unasked } else { Reads::Asked }, ..self.case(built, None, at)? };
            found.extend(self.once(case, sizes, Checks::NONE));
        }
        Ok(found)
    }
}
