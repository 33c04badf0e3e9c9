//! Sizes where a launch's grid grows by a block: the last one before and the first one behind. Who takes several elements per thread and
//! leaves the rest to the thread behind has no such thread where the others fill their blocks, which is at few sizes. And what a block does
//! when all of its threads have something to do, several do here.

use super::besides::{ELSEWHERE, LARGE};
use super::{CaseAt, Trials};
use crate::build::Built;
use crate::{BuildError, beside};
use execution::backend::{Case, Checked, Reads, Thoroughness};
use plan::stream::Stream;
use problem::Sizes;
use simulator::Checks;
use values::fill::turns;

/// The edge at which the second block begins is passed by: the small cases lie around it. One of so many behind it is drawn.
const DRAWN: i64 = 3;

/// Launches whose grids are looked at, at most: where a loop has more they are alike.
const LAUNCHES: usize = 8;

/// How much longer a run takes while it is watched, about.
const WATCHED: f64 = 8.0;

/// The last size before an edge, and the first one behind it.
type Edge = [Sizes; 2];

impl Trials<'_> {
    /// An edge of each launch's grid along each size that varies, those with few elements first.
    pub(super) fn edges(&self, built: &Built) -> Vec<Edge> {
        let few = beside::few(self.problem, self.seed);
        let mut found: Vec<Edge> = Vec::new();
        for (name, &most) in self.problem.manifest.time.iter() {
            let Some(least) = beside::least(self.problem, name) else { continue };
            let at = |size: i64| beside::with(&few, name, size);
            let passed_by = Stream::new(self.seed, name).integer(u64::MAX - 6, 1, DRAWN);
            for launch in 0..self.blocks(built, &few).len().min(LAUNCHES) {
                let blocks = |size: i64| self.blocks(built, &at(size)).get(launch).copied().unwrap_or(0);
                let edge = (0..=passed_by).try_fold(least, |from, _| grown(from, most, blocks));
                let edge = edge.map(|behind| [at(behind - 1), at(behind)]);
                found.extend(edge.filter(|edge| !found.contains(edge)));
            }
        }
        found.sort_by_cached_key(|[_, behind]| beside::elements(self.problem, behind) as u64);
        found
    }

    /// Blocks of each launch at a size; none where it cannot be launched.
    fn blocks(&self, built: &Built, sizes: &Sizes) -> Vec<u64> {
        let plan = self.problem.io(sizes).and_then(|io| built.plan(sizes, &io)).ok();
        let launches = plan.iter().flat_map(|plan| &plan.launches);
        launches.map(|launch| launch.grid.into_iter().map(u64::from).product()).collect()
    }

    /// A version whole at such sizes, as many as are soon run at so many warp instructions per element. Where threads talk to each other it is
    /// watched, and then over the other kinds of inputs before an edge.
    pub(super) fn at_edges(&self, built: &Built, cost: f64) -> Result<Vec<(Sizes, Checked)>, BuildError> {
        if !self.tries_besides() {
            return Ok(Vec::new());
        }
        let talk = built.communicates();
        let (checks, times) = if talk { (Checks::ALL, WATCHED) } else { (Checks::NONE, 1.0) };
        let known = self.problem.cases();
        let (mut runs, mut more) = (Vec::new(), Vec::new());
        for (sizes, full) in
            self.edges(built).into_iter().flat_map(|[before, behind]| [(before, true), (behind, false)])
        {
            let Ok(program) = self.version(built, &sizes) else { continue };
            if known.contains(&sizes) || program.plan.bytes() > LARGE.bytes {
                continue;
            }
            let at = CaseAt { sizes: &sizes, index: ELSEWHERE + 9, thoroughness: Thoroughness::Once, judged: true };
            let case = Case { reads: Reads::WhereCheap, ..self.case(built, None, at)? };
            let kinds = if full && talk { turns(&program.plan.buffers) } else { 1 };
            let others = (1..kinds).map(|turn| case.seed.wrapping_add(turn));
            more.extend(others.map(|seed| (sizes.clone(), Case { seed, ..case.clone() })));
            runs.push((sizes, case));
        }
        let mut left = self.soon().instructions;
        let affordable = |(sizes, _): &(Sizes, Case)| {
            left -= times * cost * beside::elements(self.problem, sizes);
            left >= 0.0
        };
        let all = runs.into_iter().chain(more).take_while(affordable);
        Ok(all.filter_map(|(sizes, case)| self.once(case, sizes, checks)).collect())
    }
}

/// The first size behind this one, up to `most`, that has more blocks. They are taken to grow with the size.
fn grown(from: i64, most: i64, blocks: impl Fn(i64) -> u64) -> Option<i64> {
    let has_more = {
        let here = blocks(from);
        move |size: i64| blocks(size) > here
    };
    let (mut before, mut step) = (from, 1);
    let mut behind = loop {
        let next = before.saturating_add(step).min(most);
        if next <= before {
            return None;
        }
        if has_more(next) {
            break next;
        }
        (before, step) = (next, step.saturating_mul(2));
    };
    while behind - before > 1 {
        let middle = before + (behind - before) / 2;
        if has_more(middle) { behind = middle } else { before = middle }
    }
    Some(behind)
}

#[cfg(test)]
mod tests {
    use super::grown;

    #[test]
    fn a_grid_grows_where_a_block_is_full() {
        let blocks = |size: i64| (size as u64 / 4).div_ceil(256).max(1);
        assert_eq!(grown(1, 1 << 20, blocks), Some(1028));
        assert_eq!(grown(1028, 1 << 20, blocks), Some(2052));
        assert_eq!(grown(1, 1028, blocks), Some(1028));
        assert_eq!((grown(1, 1027, blocks), grown(1, 1, blocks)), (None, None));
        assert_eq!(grown(1, i64::MAX, |_| 132), None);
    }
}
