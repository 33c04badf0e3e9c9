//! A module that remembers: what a launch at one size leaves in its variables has to do for a launch at another.

use super::Trials;
use crate::build::Built;
use crate::elsewhere;
use execution::backend::Program;
use plan::Plan;
use problem::Sizes;

impl Trials<'_> {
    /// The version at another of some sizes: the smallest of those whose grid is no multiple of this one's, so that numbers which blocks
    /// take in turn do not begin anew with this launch; else the smallest.
    pub(super) fn at_another(&self, built: &Built, sizes: &[Sizes], here: usize) -> Option<Program> {
        let blocks = |plan: &Plan| -> Vec<u64> {
            plan.launches.iter().map(|launch| launch.grid.into_iter().map(u64::from).product()).collect()
        };
        let own = blocks(&self.version(built, &sizes[here]).ok()?.plan);
        let others = sizes.iter().enumerate().filter(|(index, sizes)| {
            *index != here && **sizes != self.problem.manifest.time && !elsewhere::is_large(self.problem, sizes)
        });
        let programs = others.filter_map(|(_, sizes)| {
            let program = self.version(built, sizes).ok()?;
            let multiples = blocks(&program.plan).iter().zip(&own).all(|(there, here)| there % here.max(&1) == 0);
            Some(((multiples, elsewhere::elements(self.problem, sizes) as u64), program))
        });
        programs.min_by_key(|(rank, _)| *rank).map(|(_, program)| program)
    }
}
