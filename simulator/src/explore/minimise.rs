//! The shortest list of preemptions with which a run still fails: delta debugging (Zeller and Hildebrandt 2002).

use super::{Preempted, Preemption, Rank, Witness};
use crate::LaunchReport;

/// Who else is tried in place of those in the list, and how far on.
const UNITS: usize = 9;
const FEW: usize = 6;
const FURTHER: u32 = 24;

/// What minimising may cost. When it is used up, the shortest list so far is the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Effort {
    /// Runs.
    pub runs: u32,
    /// Warp instructions, all runs together.
    pub steps: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self { runs: 400, steps: 1 << 26 }
    }
}

/// A run under a schedule, as its caller made and judged it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trial {
    /// Did it fail in the way that is looked for?
    pub failed: bool,
    /// The order it took, as data.
    pub witness: Witness,
    /// The same preemptions with their places.
    pub preempted: Vec<Preempted>,
    /// Warp instructions.
    pub steps: u64,
    /// False if a launch made more preemptions than [`crate::Limits::preemptions`].
    pub complete: bool,
}

impl Trial {
    /// A run with no launch yet.
    pub fn new() -> Self {
        Self { complete: true, ..Self::default() }
    }

    /// Adds a launch.
    pub fn add(&mut self, report: &LaunchReport) {
        let order = &report.order;
        self.witness.warps_reversed |= order.warps_reversed;
        self.witness.blocks_reversed |= order.blocks_reversed;
        self.witness.patient |= order.patient;
        self.witness.late = self.witness.late.or(order.late);
        self.witness.preemptions.extend(order.preempted.iter().map(|preempted| preempted.preemption));
        self.preempted.extend_from_slice(&order.preempted);
        self.steps += report.counters.instructions;
        self.complete &= order.complete;
    }
}

/// The result of [`minimise`].
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Shortest {
    /// The order.
    pub witness: Witness,
    /// Its preemptions with their places.
    pub preempted: Vec<Preempted>,
    /// Runs that were made.
    pub runs: u32,
    /// Leaving out any one preemption makes the run pass; false if the [`Effort`] ended before that was known.
    pub minimal: bool,
}

/// Finds the shortest list of preemptions with which `run` still fails, starting from a failed run. `None` if that list
/// is not complete, or if its replay does not fail.
///
/// # Errors
/// Those of `run`.
pub fn minimise<E>(
    failed: &Trial,
    effort: &Effort,
    run: impl FnMut(&Witness) -> Result<Trial, E>,
) -> Result<Option<Shortest>, E> {
    if !failed.complete {
        return Ok(None);
    }
    let mut search = Search { best: failed.clone(), runs: 0, steps: 0, minimal: true, effort: *effort, run };
    let flags = Witness { preemptions: Vec::new(), ..failed.witness.clone() };
    let found = search.fails(Witness::default())? || search.fails(flags)? || search.fails(failed.witness.clone())?;
    if !found {
        return Ok(None);
    }
    let order = search.best.witness.clone();
    if order.warps_reversed {
        search.fails(Witness { warps_reversed: false, ..order })?;
    }
    let order = search.best.witness.clone();
    if order.blocks_reversed {
        search.fails(Witness { blocks_reversed: false, ..order })?;
    }
    let order = search.best.witness.clone();
    if order.patient {
        search.fails(Witness { patient: false, ..order })?;
    }
    let order = search.best.witness.clone();
    if order.late.is_some() {
        search.fails(Witness { late: None, ..order })?;
    }
    search.all_last()?;
    search.shorten()?;
    let (last, fewer) = (search.each_last()?, search.fewer_lanes()?);
    if last || fewer {
        search.shorten()?;
    }
    // Removing alone finds a list of which nothing can be left out; another may be shorter still.
    let units = search.units(&failed.witness);
    while search.list().len() <= FEW && search.one_less(&units)? {
        search.shorten()?;
    }
    if search.fewer_lanes()? {
        search.shorten()?;
    }
    let minimal = search.minimal;
    Ok(Some(Shortest { minimal, runs: search.runs, witness: search.best.witness, preempted: search.best.preempted }))
}

struct Search<F> {
    best: Trial,
    runs: u32,
    steps: u64,
    /// It is known that nothing can be left out.
    minimal: bool,
    effort: Effort,
    run: F,
}

impl<E, F: FnMut(&Witness) -> Result<Trial, E>> Search<F> {
    fn left(&self) -> bool {
        self.runs < self.effort.runs && self.steps < self.effort.steps
    }

    /// Tries an order; one that fails is the best from then on. What of it did not take place is left out.
    fn fails(&mut self, witness: Witness) -> Result<bool, E> {
        if !self.left() {
            return Ok(false);
        }
        let trial = (self.run)(&witness)?;
        self.runs += 1;
        self.steps += trial.steps;
        let found = trial.failed && trial.complete;
        if found {
            self.best = trial;
        }
        Ok(found)
    }

    fn with(&self, preemptions: Vec<Preemption>) -> Witness {
        Witness { preemptions, ..self.best.witness.clone() }
    }

    fn list(&self) -> &[Preemption] {
        &self.best.witness.preemptions
    }

    /// Removes halves, quarters, ... and at last single preemptions, as long as that fails.
    fn shorten(&mut self) -> Result<(), E> {
        let mut parts = 2;
        self.minimal = self.list().is_empty();
        while !self.list().is_empty() && self.left() {
            let size = self.list().len().div_ceil(parts);
            let mut smaller = false;
            self.minimal = false;
            for from in (0..self.list().len()).step_by(size) {
                let list = self.list();
                let to = (from + size).min(list.len());
                let rest: Vec<_> = list[..from].iter().chain(&list[to..]).copied().collect();
                if self.fails(self.with(rest))? {
                    smaller = true;
                    break;
                }
            }
            if smaller {
                parts = parts.saturating_sub(1).max(1);
            } else if size == 1 {
                self.minimal = self.left();
                break;
            } else {
                parts = (parts * 2).min(self.list().len());
            }
        }
        self.minimal |= self.list().is_empty();
        Ok(())
    }

    /// All behind all others, which is easier to say than numbers.
    fn all_last(&mut self) -> Result<bool, E> {
        if self.list().iter().all(|stop| stop.rank == Rank::Last) {
            return Ok(false);
        }
        let last = self.list().iter().map(|stop| Preemption { rank: Rank::Last, ..*stop }).collect();
        self.fails(self.with(last))
    }

    fn each_last(&mut self) -> Result<bool, E> {
        let mut changed = false;
        for at in 0..self.list().len() {
            let mut list = self.list().to_vec();
            if list.get(at).is_some_and(|stop| stop.rank != Rank::Last) {
                list[at].rank = Rank::Last;
                changed |= self.fails(self.with(list))?;
            }
        }
        Ok(changed)
    }

    /// Who stops in the given order and in the shortest so far.
    fn units(&self, given: &Witness) -> Vec<Preemption> {
        let mut units: Vec<Preemption> = Vec::new();
        let mut add = |unit: Preemption| {
            if units.len() < UNITS && !units.contains(&unit) {
                units.push(unit);
            }
        };
        for stop in self.list().iter().chain(&given.preemptions) {
            let unit = Preemption { before: 0, rank: Rank::Last, ..*stop };
            add(unit);
            // The same lanes of a neighbour.
            add(Preemption { warp: unit.warp.saturating_sub(1), ..unit });
            add(Preemption { block: unit.block.saturating_sub(1), ..unit });
        }
        units
    }

    /// One preemption (or reversal) less, with one of the others elsewhere: somebody else, or earlier or later.
    fn one_less(&mut self, units: &[Preemption]) -> Result<bool, E> {
        let best = self.best.witness.clone();
        let mut fewer = Vec::new();
        if best.warps_reversed {
            fewer.push(Witness { warps_reversed: false, ..best.clone() });
        }
        if best.blocks_reversed {
            fewer.push(Witness { blocks_reversed: false, ..best.clone() });
        }
        if best.patient {
            fewer.push(Witness { patient: false, ..best.clone() });
        }
        if best.late.is_some() {
            fewer.push(Witness { late: None, ..best.clone() });
        }
        for at in 0..best.preemptions.len() {
            let mut less = best.clone();
            less.preemptions.remove(at);
            fewer.push(less);
        }
        let most = best.preemptions.iter().map(|stop| stop.before).max().unwrap_or(0);
        for less in fewer {
            for at in 0..less.preemptions.len() {
                let own = less.preemptions[at];
                for unit in std::iter::once(own).chain(units.iter().copied()) {
                    for before in 0..=most.saturating_add(2).min(FURTHER) {
                        let mut moved = less.clone();
                        moved.preemptions[at] = Preemption { before, ..unit };
                        if !self.left() {
                            return Ok(false);
                        }
                        if self.fails(moved)? {
                            return Ok(true);
                        }
                    }
                }
            }
        }
        Ok(false)
    }

    /// Halves the lanes of each preemption down to one, as long as that fails.
    fn fewer_lanes(&mut self) -> Result<bool, E> {
        let mut changed = false;
        for at in 0..self.list().len() {
            while let Some(lanes) = self.list().get(at).map(|stop| stop.lanes).filter(|lanes| lanes.count_ones() > 1) {
                let half = lanes.count_ones() / 2;
                let mut low = 0;
                while low == 0 || u32::count_ones(low) < half {
                    let rest = lanes & !low;
                    low |= rest & rest.wrapping_neg();
                }
                let mut fewer = false;
                for part in [low, lanes & !low] {
                    let mut list = self.list().to_vec();
                    if let Some(stop) = list.get_mut(at) {
                        stop.lanes = part;
                    }
                    fewer = self.fails(self.with(list))?;
                    if fewer {
                        break;
                    }
                }
                changed |= fewer;
                if !fewer {
                    break;
                }
            }
        }
        Ok(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(fails: impl Fn(&[Preemption]) -> bool) -> impl FnMut(&Witness) -> Result<Trial, ()> {
        move |witness| {
            let failed = fails(&witness.preemptions);
            Ok(Trial { failed, witness: witness.clone(), preempted: Vec::new(), steps: 1, complete: true })
        }
    }

    fn many() -> Witness {
        let text: Vec<String> = (0..100).map(|n| format!("b{}.w{}@{n}={n}", n % 3, n % 7)).collect();
        text.join(",").parse().expect("a witness")
    }

    fn shortest(effort: Effort, fails: impl Fn(&[Preemption]) -> bool) -> Option<Shortest> {
        let mut run = run(fails);
        let first = run(&many()).expect("runs");
        minimise(&first, &effort, run).expect("runs")
    }

    #[test]
    fn two_of_a_hundred() {
        let both = |list: &[Preemption]| [17, 71].iter().all(|n| list.iter().any(|stop| stop.before == *n));
        let found = shortest(Effort::default(), both).expect("fails");
        assert_eq!(found.witness.preemptions.iter().map(|stop| stop.before).collect::<Vec<_>>(), [17, 71]);
        assert!(found.minimal && found.witness.preemptions.iter().all(|stop| stop.rank == Rank::Last));
    }

    #[test]
    fn the_effort_is_a_bound() {
        let most = |list: &[Preemption]| list.len() >= 60;
        let effort = Effort { runs: 9, ..Effort::default() };
        let found = shortest(effort, most).expect("fails");
        assert!(found.runs <= 9 && !found.minimal && found.witness.preemptions.len() >= 60);
        let found = shortest(Effort { runs: 2000, ..effort }, most).expect("fails");
        assert!(found.minimal && found.witness.preemptions.len() == 60);
    }

    #[test]
    fn what_fails_in_any_order_needs_no_preemption() {
        let found = shortest(Effort::default(), |_| true).expect("fails");
        assert_eq!((found.witness.to_string().as_str(), found.runs), ("plain", 1));
        assert!(shortest(Effort::default(), |_| false).is_none());
    }
}
