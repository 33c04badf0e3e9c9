//! A module that remembers: what a launch at one size leaves in its variables has to do for a launch at another.

use super::Trials;
use crate::beside;
use crate::build::Built;
use execution::backend::Program;
use plan::Plan;
use problem::Sizes;

impl Trials<'_> {
    /// For each of some sizes the version at another of them: the smallest of those whose grid is no multiple of this one's, so that
    /// numbers which blocks take in turn do not begin anew with this launch; else the smallest.
    pub(super) fn at_others(&self, built: &Built, sizes: &[Sizes]) -> Vec<Option<Program>> {
        let blocks = |plan: &Plan| -> Vec<u64> {
            plan.launches.iter().map(|launch| launch.grid.into_iter().map(u64::from).product()).collect()
        };
        let programs: Vec<Option<Program>> = sizes.iter().map(|sizes| self.version(built, sizes).ok()).collect();
        let grids: Vec<_> = programs.iter().map(|program| Some(blocks(&program.as_ref()?.plan))).collect();
        let may_be = |sizes: &Sizes| *sizes != self.problem.manifest.time && !beside::is_large(self.problem, sizes);
        let other = |here: usize| {
            let own = grids[here].as_ref()?;
            let others = (0..sizes.len()).filter(|&there| there != here && may_be(&sizes[there]));
            let ranked = others.filter_map(|there| {
                let multiples = grids[there].as_ref()?.iter().zip(own).all(|(there, here)| there % here.max(&1) == 0);
                Some((multiples, beside::elements(self.problem, &sizes[there]) as u64, there))
            });
            let (_, _, there) = ranked.min_by_key(|(multiples, elements, _)| (*multiples, *elements))?;
            programs[there].clone()
        };
        (0..sizes.len()).map(other).collect()
    }
}
