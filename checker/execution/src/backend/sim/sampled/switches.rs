//! Conditions that come out one way at every size that is run whole, and the other way at one that is not: behind them may
//! lie what was never run whole.
//!
//! A condition that differs between threads says nothing here, nor does one that was met both ways. What is left hangs on the
//! size (`n > 4000000`), or on how often a thread goes round, and a size where it turns may be small enough to be run whole.

use super::opened::{chosen, open};
use crate::backend::machine::Stop;
use crate::backend::message::job::Program;
use crate::backend::message::status::{Status, Untried};
use crate::backend::sim::Sim;
use simulator::Condition;
use std::collections::{BTreeMap, BTreeSet};

/// Warp instructions of a block after which no more is looked at.
const STEPS: u64 = 1 << 15;

/// What some blocks met at a size.
#[derive(Default)]
struct Met {
    /// What conditions came to, by launch line and instruction.
    conditions: BTreeMap<(u32, u32), Condition>,
    /// Kernels that were launched, with the first launch's line.
    kernels: BTreeMap<String, u32>,
}

impl Met {
    fn add(&mut self, more: Self) {
        for (at, condition) in more.conditions {
            self.note(at, condition);
        }
        self.kernels.extend(more.kernels);
    }

    fn note(&mut self, at: (u32, u32), condition: Condition) {
        let known = self.conditions.entry(at).or_insert_with(|| condition.clone());
        known.held |= condition.held;
        known.failed |= condition.failed;
    }
}

/// Runs some blocks of each launch, whatever they read.
fn met(sim: &Sim, program: &Program, seed: u64) -> Result<Met, Stop> {
    let mut opened = open(sim, program, seed)?;
    opened.device.config_mut().conditions = true;
    opened.device.config_mut().limits.steps = STEPS;
    let mut met = Met::default();
    for (launch, planned) in program.plan.launches.iter().enumerate() {
        met.kernels.entry(planned.kernel.clone()).or_insert(planned.line);
        let blocks = planned.grid.iter().map(|&extent| u64::from(extent)).product::<u64>();
        for block in chosen(seed, launch as u64, blocks) {
            let report = opened.launch(launch, vec![block]);
            for condition in report.into_iter().flat_map(|report| report.conditions) {
                met.note((planned.line, condition.at), condition);
            }
        }
    }
    Ok(met)
}

/// What `far` has that none of `near` had.
struct Open {
    conditions: BTreeMap<(u32, u32), Condition>,
    kernels: BTreeMap<String, u32>,
}

impl Open {
    fn between(far: &Met, near: &Met) -> Self {
        let turned = |(at, condition): (&(u32, u32), &Condition)| {
            let before = near.conditions.get(at)?;
            let one_way = |condition: &Condition| condition.held != condition.failed;
            (one_way(before) && one_way(condition) && before.held != condition.held).then(|| (*at, condition.clone()))
        };
        let known: BTreeSet<&String> = near.kernels.keys().collect();
        let new = far.kernels.iter().filter(|(name, _)| !known.contains(name));
        Self {
            conditions: far.conditions.iter().filter_map(turned).collect(),
            kernels: new.map(|(name, line)| (name.clone(), *line)).collect(),
        }
    }

    /// Takes away what is met at another size.
    fn close(&mut self, met: &Met) {
        self.conditions.retain(|at, condition| {
            let same = |other: &Condition| if condition.held { other.held } else { other.failed };
            !met.conditions.get(at).is_some_and(same)
        });
        self.kernels.retain(|name, _| !met.kernels.contains_key(name));
    }

    fn first(&self) -> Option<Untried> {
        if let Some((kernel, line)) = self.kernels.iter().next() {
            return Some(Untried::Kernel { kernel: kernel.clone(), line: *line });
        }
        let condition = self.conditions.values().min_by_key(|condition| (condition.line == 0, condition.at))?;
        Some(Untried::Condition { file: condition.file.clone(), line: condition.line, holds: condition.held })
    }
}

/// What is different at a size (`far`) from sizes that are run whole (`near`), and the first size of `ladder` by which all
/// of it was met. `None`: nothing is.
///
/// # Errors
/// The PTX cannot be read, or a buffer is larger than anything.
pub fn first_tried(
    sim: &Sim,
    far: &Program,
    near: &[Program],
    ladder: &[Program],
    seed: u64,
) -> Result<Option<Status>, Stop> {
    // Sparse memory has no constants.
    if !far.plan.constants.is_empty() {
        return Ok(None);
    }
    let far = met(sim, far, seed)?;
    let mut known = Met::default();
    for program in near {
        known.add(met(sim, program, seed)?);
    }
    let mut open = Open::between(&far, &known);
    let Some(what) = open.first() else { return Ok(None) };
    for (at, program) in ladder.iter().enumerate() {
        open.close(&met(sim, program, seed)?);
        if open.first().is_none() {
            return Ok(Some(Status::Untried { what, from: Some(at) }));
        }
    }
    Ok(Some(Status::Untried { what: open.first().unwrap_or(what), from: None }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_size(conditions: &[(u32, bool, bool)], kernels: &[&str]) -> Met {
        let mut met = Met::default();
        for &(at, held, failed) in conditions {
            met.note((9, at), Condition { at, file: "k.cu".into(), line: at, held, failed });
        }
        met.kernels = kernels.iter().map(|name| ((*name).to_owned(), 9)).collect();
        met
    }

    #[test]
    fn only_what_turns_for_all_threads_counts() {
        let near = at_size(&[(1, false, true), (2, false, true), (3, true, true), (4, true, false)], &["k"]);
        let far =
            at_size(&[(1, true, false), (2, true, true), (3, true, false), (4, true, false), (5, true, false)], &["k"]);
        let mut open = Open::between(&far, &near);
        assert_eq!(open.conditions.keys().copied().collect::<Vec<_>>(), [(9, 1)]);
        assert_eq!(open.first(), Some(Untried::Condition { file: "k.cu".into(), line: 1, holds: true }));
        open.close(&at_size(&[(1, false, true)], &["k"]));
        assert!(open.first().is_some(), "it did not turn there");
        open.close(&at_size(&[(1, true, true)], &["k"]));
        assert_eq!(open.first(), None);
    }

    #[test]
    fn a_kernel_that_is_launched_there_only_is_new() {
        let mut open = Open::between(&at_size(&[], &["k", "large"]), &at_size(&[], &["k"]));
        assert_eq!(open.first(), Some(Untried::Kernel { kernel: "large".into(), line: 9 }));
        open.close(&at_size(&[], &["large"]));
        assert_eq!(open.first(), None);
    }
}
