//! Every version of a ladder at element types, block sizes and sizes: as tasks that run in parallel.

use super::compiled::CompiledLadder;
use crate::build::BuildError;
use crate::platform::Platform;
use crate::share;
use crate::verify::{STEPS, schedules, to_visit};
use execution::backend::{self, Case, Checked, Program, Thoroughness, Verify};
use problem::ladder::{BLOCK, Ladder};
use problem::workbook::is_small;
use problem::{Problem, Sizes};
use rayon::prelude::*;
use simulator::{Checks, Schedule};
use std::sync::mpsc;
use std::time::Duration;

/// What one worker does.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// Number of the element type.
    pub element: usize,
    /// Sizes, the block size in them.
    pub sizes: Vec<Sizes>,
    /// Versions by number; all claim these block sizes and have the same bound.
    pub versions: Vec<usize>,
    /// Small sizes run over all kinds of inputs; large ones over two, or if everything is asked for over all where versions are
    /// compared, and once elsewhere.
    pub thoroughness: Thoroughness,
    /// The orders of small sizes.
    pub orders: Orders,
}

/// Under which orders small sizes run, besides the usual one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orders {
    /// As many as an exercise's sizes do.
    Many,
    /// One, the sizes in turn, beginning with this one: each meets another at every block size.
    OneInTurn(usize),
}

impl Orders {
    /// Those of the `index`-th size.
    fn of(self, explored: &[Schedule], threads: u64, index: usize) -> Vec<Schedule> {
        match self {
            Self::Many => share::orders(explored, (threads, 0), index),
            Self::OneInTurn(first) => explored.iter().cycle().skip(first + index).take(1).copied().collect(),
        }
    }
}

/// One version at one size.
#[derive(Debug)]
pub struct Outcome {
    /// Number of the element type.
    pub element: usize,
    /// Number of the version.
    pub version: usize,
    /// Sizes.
    pub sizes: Sizes,
    /// How it fared.
    pub checked: Checked,
}

/// Versions of a large task, at least: each asks the oracle anew.
const VERSIONS_A_TASK: usize = 4;
/// A GPU may need long for the slowest version at the largest size.
const PATIENCE: Duration = Duration::from_secs(120);

/// The tasks of a check, the longest first. Without `everything`, sizes that are not small are run at the first element type and
/// the version's own block size only (the ladder's, or of those that it claims the nearest), and other element types at that block
/// size; and small sizes elsewhere under one further order each.
pub fn tasks(problem: &Problem, compiled: &CompiledLadder, everything: bool, on_gpu: bool) -> Vec<Task> {
    let Some(ladder) = problem.ladder() else { return Vec::new() };
    let mut cases = problem.cases();
    if on_gpu {
        let blocks = |case: &Sizes| -> Vec<Sizes> {
            ladder.blocks.iter().map(|block| Ladder::with_block(case, *block)).collect()
        };
        cases.extend(
            ladder.gpu_cases.iter().flat_map(|case| if everything { blocks(case) } else { vec![case.clone()] }),
        );
    }
    // On a GPU one task runs at a time, and an oracle over many elements takes longer than a version.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let most = if on_gpu { usize::MAX } else { compiled.versions.len().div_ceil(cores).max(VERSIONS_A_TASK) };
    let mut tasks = Vec::new();
    for element in compiled.elements() {
        for (position, block) in ladder.blocks.iter().enumerate() {
            let here = |sizes: &&Sizes| sizes.get(BLOCK) == Some(block);
            let first = element == 0;
            let (small, large): (Vec<Sizes>, Vec<Sizes>) = cases.iter().filter(here).cloned().partition(is_small);
            for own in [true, false] {
                if everything || own || first {
                    let orders =
                        if everything || own && first { Orders::Many } else { Orders::OneInTurn(position + element) };
                    let sizes = small.clone();
                    tasks.extend(grouped(compiled, element, own, sizes, usize::MAX, (Thoroughness::Full, orders)));
                }
                if everything || (own && first) {
                    let thoroughness = match (everything, own && first) {
                        (true, false) => Thoroughness::Once,
                        (false, true) if !on_gpu => Thoroughness::LargeTwice,
                        _ => Thoroughness::Full,
                    };
                    let sizes = large.clone();
                    tasks.extend(grouped(compiled, element, own, sizes, most, (thoroughness, Orders::Many)));
                }
            }
        }
    }
    tasks.sort_by_key(|task| task.sizes.iter().all(is_small));
    tasks
}

/// Versions that claim the sizes, so many a task: those of which they have the own block size, or the others.
fn grouped(
    compiled: &CompiledLadder,
    element: usize,
    own: bool,
    sizes: Vec<Sizes>,
    most: usize,
    (thoroughness, orders): (Thoroughness, Orders),
) -> Vec<Task> {
    let Some(first) = sizes.first() else { return Vec::new() };
    let wanted = |&version: &usize| {
        compiled.claims(element, version, first)
            && own == (compiled.own_block(element, version, first).get(BLOCK) == first.get(BLOCK))
    };
    let versions: Vec<usize> = (0..compiled.versions.len()).filter(wanted).collect();
    let task = |versions: &[usize]| {
        let (sizes, versions) = (sizes.clone(), versions.to_vec());
        Task { element, sizes, versions, thoroughness, orders }
    };
    versions.chunks(most).map(task).collect()
}

/// Runs all tasks; `progress` hears how many are done. On a GPU one after the other.
pub fn run(
    compiled: &CompiledLadder,
    platform: &Platform,
    tasks: &[Task],
    seed: u64,
    progress: &dyn Fn(usize),
) -> Result<Vec<Outcome>, BuildError> {
    if platform.gpu.is_some() {
        let mut all = Vec::new();
        for (done, task) in tasks.iter().enumerate() {
            all.extend(one(compiled, platform, task, seed)?);
            progress(done + 1);
        }
        return Ok(all);
    }
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            tasks.par_iter().for_each_with(sender, |sender, task| {
                // Nobody listens any more once a task was refused.
                let _ = sender.send(one(compiled, platform, task, seed));
            });
        });
        let mut all = Vec::new();
        for (done, outcomes) in receiver.iter().enumerate() {
            all.extend(outcomes?);
            progress(done + 1);
        }
        Ok(all)
    })
}

/// The orders to try: all that any of the versions needs.
pub fn orders(compiled: &CompiledLadder, task: &Task, seed: u64) -> Vec<Schedule> {
    let Some(element) = compiled.element(task.element) else { return vec![Schedule::Its] };
    let orders = task.versions.iter().map(|&version| schedules(&element.versions[version], seed));
    orders.max_by_key(Vec::len).unwrap_or_else(|| vec![Schedule::Its])
}

fn one(compiled: &CompiledLadder, platform: &Platform, task: &Task, seed: u64) -> Result<Vec<Outcome>, BuildError> {
    // Where there are many threads the usual one.
    let orders = if task.sizes.iter().all(is_small) { orders(compiled, task, seed) } else { vec![Schedule::Its] };
    let mut cases = Vec::new();
    for (index, sizes) in task.sizes.iter().enumerate() {
        let versions: Result<Vec<_>, _> =
            task.versions.iter().map(|&version| compiled.program(task.element, version, sizes)).collect();
        let own_outputs: Result<Vec<_>, _> =
            task.versions.iter().map(|&version| compiled.outputs(task.element, Some(version), sizes)).collect();
        let mut case = Case {
            name: report::sizes(sizes),
            seed: seed.wrapping_add(index as u64),
            oracle: compiled.oracle(task.element, sizes)?,
            outputs: compiled.outputs(task.element, None, sizes)?,
            own_outputs: own_outputs?,
            versions: versions?,
            thoroughness: task.thoroughness,
            between: between(compiled, task, sizes),
            exact_integers: true,
            linear: compiled.is_linear(task.element),
            steady: true,
            ..Case::default()
        };
        if let (None, Some((usual, explored))) = (&platform.gpu, orders.split_first()) {
            case.schedules = task.orders.of(explored, share::threads(&case), index);
            case.schedules.insert(0, *usual);
        }
        cases.push(case);
    }
    let on = platform.on(orders, Checks::ALL, STEPS, seed);
    let options = backend::WorkerOptions { timeout: PATIENCE, ..backend::WorkerOptions::default() };
    let results = backend::verify(&Verify { on, cases, stop_at_failure: true }, &options);
    let results = results.map_err(|error| BuildError::Error(error.into()))?;
    let of_case = |(sizes, checked): (&Sizes, Vec<Checked>)| {
        let outcome = |(&version, checked)| Outcome { element: task.element, version, sizes: sizes.clone(), checked };
        task.versions.iter().zip(checked).map(outcome).collect::<Vec<_>>()
    };
    Ok(task.sizes.iter().zip(results).flat_map(of_case).collect())
}

/// For each version that has variables of its own, itself at others of its small sizes, the first ones rather than others. Nothing where
/// no version has any.
fn between(compiled: &CompiledLadder, task: &Task, here: &Sizes) -> Vec<Vec<Program>> {
    let Some(element) = compiled.element(task.element) else { return Vec::new() };
    if !is_small(here) || !task.versions.iter().any(|&version| element.versions[version].remembers()) {
        return Vec::new();
    }
    let others = |version: usize| -> Option<Vec<Program>> {
        let at = |sizes: &Sizes| compiled.program(task.element, version, sizes).ok();
        let others = (0..).zip(&task.sizes).filter(|(_, sizes)| *sizes != here && is_small(sizes));
        let others = others.filter_map(|(rank, sizes)| Some((rank, at(sizes)?)));
        Some(to_visit(&at(here)?, others.collect()))
    };
    let remembers = |version: usize| element.versions[version].remembers();
    let one = |&version: &usize| if remembers(version) { others(version).unwrap_or_default() } else { Vec::new() };
    task.versions.iter().map(one).collect()
}

/// Versions of which a few blocks are wrong at the `time` size, or leave out there what they do at the `count` size. What such a few
/// blocks do not tell is left to GPUs.
pub fn far(compiled: &CompiledLadder, platform: &Platform, problem: &Problem, seed: u64) -> Vec<Outcome> {
    let one = |version: usize| -> Option<Outcome> {
        let [sizes, near] =
            [&problem.manifest.time, &problem.manifest.count].map(|sizes| compiled.own_block(0, version, sizes));
        if sizes == near {
            return None;
        }
        let case = Case {
            name: report::sizes(&sizes),
            seed,
            oracle: compiled.oracle(0, &sizes).ok()?,
            outputs: compiled.outputs(0, None, &sizes).ok()?,
            own_outputs: vec![compiled.outputs(0, Some(version), &sizes).ok()?],
            versions: vec![compiled.program(0, version, &sizes).ok()?, compiled.program(0, version, &near).ok()?],
            thoroughness: Thoroughness::Sampled { followed: true },
            ..Case::default()
        };
        let on = platform.on(vec![Schedule::Its], Checks::NONE, STEPS, seed);
        let job = Verify { on, cases: vec![case], stop_at_failure: false };
        let results = backend::verify(&job, &backend::WorkerOptions::default()).ok()?;
        let checked = results.into_iter().flatten().next()?;
        checked.status.is_shown_wrong().then_some(Outcome { element: 0, version, sizes, checked })
    };
    (0..compiled.versions.len()).into_par_iter().with_max_len(1).filter_map(one).collect()
}

/// What each version does at the `count` size, without watching it: its counters.
pub fn count(
    compiled: &CompiledLadder,
    platform: &Platform,
    problem: &Problem,
    seed: u64,
) -> Result<Vec<Option<Checked>>, BuildError> {
    let one = |version: usize| -> Result<Option<Checked>, BuildError> {
        let sizes = compiled.own_block(0, version, &problem.manifest.count);
        let case = Case {
            name: report::sizes(&sizes),
            seed,
            versions: vec![compiled.program(0, version, &sizes)?],
            ..Case::default()
        };
        let on = platform.on(vec![Schedule::Its], Checks::NONE, STEPS, seed);
        let job = Verify { on, cases: vec![case], stop_at_failure: false };
        let results =
            backend::verify(&job, &backend::WorkerOptions { timeout: PATIENCE, ..backend::WorkerOptions::default() });
        Ok(results.map_err(|error| BuildError::Error(error.into()))?.into_iter().flatten().next())
    };
    (0..compiled.versions.len()).into_par_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_block_sizes_meet_every_order() {
        let explored: Vec<Schedule> = (0..5).map(|seed| Schedule::Adversarial { seed }).collect();
        for block in 0..6 {
            let met =
                |order: &Schedule| (0..5).any(|size| Orders::OneInTurn(block).of(&explored, 64, size) == [*order]);
            assert!(explored.iter().all(met), "block size {block}");
        }
        for size in 0..7 {
            let met =
                |order: &Schedule| (0..5).any(|block| Orders::OneInTurn(block).of(&explored, 64, size) == [*order]);
            assert!(explored.iter().all(met), "size {size}");
        }
        assert_eq!(Orders::Many.of(&explored, 64, 3), explored);
        assert!(Orders::OneInTurn(2).of(&[], 64, 3).is_empty());
    }
}
