//! A module that remembers: what a launch at one size leaves in its variables has to do for a launch at another.

use super::Trials;
use crate::build::Built;
use crate::{beside, share};
use execution::backend::{Case, Program};
use problem::Sizes;
use std::cmp::Reverse;

/// Threads of a larger grid that is launched beside: what many leave in variables may take more memory than there is.
const MANY: u64 = 1 << 14;

/// Threads of a size that is launched hundreds of times.
const FEW: u64 = 1 << 12;

/// A version at another of its sizes, and where that stands in the order in which it is preferred.
type Other = (u64, Program);

impl Trials<'_> {
    /// For each of some sizes the version at others of them, as [`to_visit`] says.
    pub(super) fn at_others(&self, built: &Built, sizes: &[Sizes]) -> Vec<Vec<Program>> {
        let programs: Vec<Option<Program>> = sizes.iter().map(|sizes| self.version(built, sizes).ok()).collect();
        let may_be = |sizes: &Sizes| *sizes != self.problem.manifest.time && !beside::is_large(self.problem, sizes);
        let others = |here: usize| -> Vec<Other> {
            let others = (0..sizes.len()).filter(|&there| there != here && may_be(&sizes[there]));
            let ranked = others.filter_map(|there| {
                Some((beside::elements(self.problem, &sizes[there]) as u64, programs[there].clone()?))
            });
            ranked.collect()
        };
        let all = programs.iter().enumerate();
        all.map(|(at, here)| here.as_ref().map_or_else(Vec::new, |here| to_visit(here, others(at)))).collect()
    }
}

/// Marks the case beside which the other size is launched often: the largest of those with the smallest one, if that is small.
pub(super) fn mark_often(cases: &mut [Case]) {
    let visited = |case: &Case| case.between.first()?.first().map(|other| other.plan.threads());
    let small = cases.iter_mut().filter(|case| visited(case).is_some_and(|threads| threads <= FEW));
    if let Some(case) = small.min_by_key(|case| (visited(case), Reverse(share::threads(case)))) {
        case.often = true;
    }
}

/// Which others of its sizes a version is launched at: the smallest of those whose grid is no multiple of this one's, so that numbers which
/// blocks take in turn do not begin anew with this launch, else the smallest; and the smallest with a larger grid, as the largest one so
/// far may be what is remembered.
pub fn to_visit(here: &Program, others: Vec<Other>) -> Vec<Program> {
    let blocks = |program: &Program| -> Vec<u64> {
        program.plan.launches.iter().map(|launch| launch.grid.into_iter().map(u64::from).product()).collect()
    };
    let own = blocks(here);
    let of = |(rank, program): Other| {
        let there = blocks(&program);
        let multiples = there.iter().zip(&own).all(|(there, here)| there % here.max(&1) == 0);
        let larger = there.iter().zip(&own).any(|(there, here)| there > here);
        (multiples, larger, rank, program)
    };
    let mut others: Vec<_> = others.into_iter().map(of).collect();
    others.sort_by_key(|(multiples, _, rank, _)| (*multiples, *rank));
    let more = if others.first().is_some_and(|(_, larger, ..)| *larger) {
        None
    } else {
        let larger = others.iter().filter(|(_, larger, _, program)| *larger && program.plan.threads() <= MANY);
        larger.min_by_key(|(_, _, rank, _)| *rank)
    };
    others.first().into_iter().chain(more).map(|(.., program)| program.clone()).collect()
}
