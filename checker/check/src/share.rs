//! The runs of a version on the simulator, shared out among the cores.
//!
//! First every size in the usual order; a version that fails there is not tried under others. What a report says does not
//! depend on the number of cores: who is shared out is fixed before, every worker keeps the order of the sizes and
//! stops at its first failure, and whatever comes after the first failing size counts as not run.

use super::Progress;
use execution::backend::{self, Case, Checked, On, Status, Thoroughness, Verify};
use plan::Launch;
use rayon::prelude::*;
use simulator::Schedule;

/// Workers at most: each parses the code anew.
const WORKERS: usize = 8;
/// Threads of a case up to which every order is tried.
const FEW_THREADS: u64 = 1 << 10;
/// Threads of a case up to which four orders are tried, above it two.
const SOME_THREADS: u64 = 1 << 14;

/// Runs `cases`, each of one version, under `schedules`, of which the first is the usual one.
///
/// # Errors
/// No worker, or one that failed without a kernel's doing.
pub fn run(
    on: &On,
    cases: &[Case],
    schedules: &[Schedule],
    stop_at_failure: bool,
    options: &backend::Options,
    progress: Progress<'_>,
) -> Result<Vec<Checked>, backend::Error> {
    let Some((usual, others)) = schedules.split_first() else { return Ok(Vec::new()) };
    let first = |case: &Case| Case { schedules: vec![*usual], ..case.clone() };
    let usual: Vec<Case> = cases.iter().map(first).collect();
    let mut results = all(on, &usual, stop_at_failure, options, progress)?;
    let failed = results.iter().any(|checked| !checked.status.passed());
    if others.is_empty() || failed && stop_at_failure {
        return Ok(results);
    }
    let again = |(index, case): (usize, &Case)| Case {
        schedules: orders(others, threads(case), index),
        thoroughness: Thoroughness::Once,
        exact_integers: false,
        dump: Vec::new(),
        ..case.clone()
    };
    let others: Vec<Case> = cases.iter().enumerate().map(again).collect();
    let others = all(on, &others, stop_at_failure, options, progress)?;
    for (result, other) in results.iter_mut().zip(others) {
        result.append(other);
    }
    Ok(results)
}

/// Of the explored schedules those that a case is run under: all where that is cheap, else the one that the seed draws (the
/// last) and two others in turn, or that one alone.
fn orders(explored: &[Schedule], threads: u64, index: usize) -> Vec<Schedule> {
    let Some((drawn, fixed)) = explored.split_last() else { return Vec::new() };
    let in_turn = |at: usize| fixed.get((index + at) % fixed.len().max(1));
    let fixed: Vec<&Schedule> = if threads <= FEW_THREADS {
        fixed.iter().collect()
    } else if threads <= SOME_THREADS {
        [in_turn(0), in_turn(1)].into_iter().flatten().collect()
    } else {
        Vec::new()
    };
    fixed.into_iter().chain([drawn]).copied().collect()
}

/// Threads of a case, all launches together.
fn threads(case: &Case) -> u64 {
    let of_launch =
        |launch: &Launch| launch.grid.iter().chain(&launch.block).map(|extent| u64::from(*extent)).product::<u64>();
    case.versions.iter().flat_map(|version| &version.plan.launches).map(of_launch).sum()
}

/// Runs every case, as many at a time as there are cores.
fn all(
    on: &On,
    cases: &[Case],
    stop_at_failure: bool,
    options: &backend::Options,
    progress: Progress<'_>,
) -> Result<Vec<Checked>, backend::Error> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(WORKERS);
    // A kernel that only starts costs something, too.
    let costs: Vec<u64> =
        cases.iter().map(|case| (threads(case) + 1024) * case.schedules.len().max(1) as u64).collect();
    let shares = deal(&costs, cores);
    let options = options.clone().one_of(shares.len());
    let one = |share: &Vec<usize>| {
        let cases = share.iter().map(|&index| cases[index].clone()).collect();
        let job = Verify { on: on.clone(), cases, stop_at_failure };
        let results =
            backend::verify_with(&job, &options, &mut |case| progress(&format!("simulating {}", job.cases[case].name)));
        Ok(share
            .iter()
            .copied()
            .zip(results?.into_iter().filter_map(|case| case.into_iter().next()))
            .collect::<Vec<_>>())
    };
    let done: Result<Vec<_>, backend::Error> = shares.par_iter().map(one).collect();
    let mut done: Vec<(usize, Checked)> = done?.into_iter().flatten().collect();
    done.sort_by_key(|(index, _)| *index);
    let mut results: Vec<Checked> = done.into_iter().map(|(_, checked)| checked).collect();
    let failed = results.iter().position(|checked| !checked.status.passed());
    if let Some(failed) = failed.filter(|_| stop_at_failure) {
        let reason = format!("it failed at {}", cases[failed].name);
        results[failed + 1..].fill(Checked::only(Status::NotRun { reason }));
    }
    Ok(results)
}

/// Deals items out so that the costliest share is small: the costliest item first, each to whoever has least. Each share
/// is in order; no share is empty.
fn deal(costs: &[u64], shares: usize) -> Vec<Vec<usize>> {
    let mut dealt = vec![(0u64, Vec::new()); shares.clamp(1, costs.len().max(1))];
    let mut items: Vec<usize> = (0..costs.len()).collect();
    items.sort_by_key(|&item| (std::cmp::Reverse(costs[item]), item));
    for item in items {
        if let Some((cost, share)) = dealt.iter_mut().min_by_key(|(cost, _)| *cost) {
            *cost += costs[item];
            share.push(item);
        }
    }
    for (_, share) in &mut dealt {
        share.sort_unstable();
    }
    dealt.into_iter().map(|(_, share)| share).filter(|share| !share.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_even_and_in_order() {
        assert_eq!(deal(&[1, 1, 1, 9, 3, 3], 2), [vec![3], vec![0, 1, 2, 4, 5]]);
        assert_eq!(deal(&[5, 5], 8), [vec![0], vec![1]]);
        assert!(deal(&[], 2).is_empty());
    }

    #[test]
    fn fewer_orders_for_more_threads() {
        let fixed: Vec<Schedule> = (0..4).map(|seed| Schedule::Adversarial { seed }).collect();
        let drawn = Schedule::Adversarial { seed: 99 };
        let explored: Vec<Schedule> = fixed.iter().copied().chain([drawn]).collect();
        assert_eq!(orders(&explored, 1024, 0), explored);
        assert_eq!(orders(&explored, 1025, 3), [fixed[3], fixed[0], drawn]);
        assert_eq!(orders(&explored, 1 << 20, 3), [drawn]);
        assert!(orders(&[], 5, 0).is_empty());
    }
}
