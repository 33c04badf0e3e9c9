//! The runs of a version on the simulator, shared out among the cores.
//!
//! First every size in the usual order; a version that fails there is not tried under others, and one that was caught at
//! something only at its small sizes. What a report says does not depend on the number of cores: what is dealt out is fixed
//! before, every worker keeps the order of the sizes and stops at its first failure, and whatever comes after the first
//! failing size counts as not run.

use super::Progress;
use execution::backend::{self, Case, Checked, On, Status, Thoroughness, Verify, WorkerOptions};
use rayon::prelude::*;
use simulator::{Schedule, Severity};

/// Workers at most: each parses the code anew.
const WORKERS: usize = 8;
/// Threads of a case up to which every order is tried.
const FEW_THREADS: u64 = 1 << 10;
/// Warp instructions of such a case in the usual order above which three are tried of it, too: with all of them it takes longer than
/// large cases.
const FEW_INSTRUCTIONS: u64 = 1 << 11;
/// Threads of a case up to which three orders are tried, above it one.
const SOME_THREADS: u64 = 1 << 14;
/// An order that lets one lane after the other run takes up to 32 times the instructions of the usual one; of a case with more
/// threads than a few it takes part up to so many warp instructions.
const ONE_BY_ONE: u64 = 1 << 19;

/// Warp instructions that a case may take in the usual order to be run under others, too: each costs as much again, and more. What
/// is larger shows its errors at one of the smaller cases of many threads, where there is one; else more is allowed.
const EXPLORED: [u64; 2] = [1 << 16, 1 << 18];

/// So many times the warp instructions of the usual order another one may take of many threads, which may wait for each other: who has
/// not ended by then may do so later.
const STRETCH: u64 = 2;
/// It may take as many in any case.
const LEAST: u64 = 1 << 17;
/// What a kernel that only starts costs, in threads or in warp instructions.
const STARTS: u64 = 1024;
/// Cost from which on cases are dealt out in more shares than there are workers, ...
const MUCH: u64 = 1 << 19;
/// ... so many each.
const SHARES: usize = 2;
/// Threads of a case in which all compete for each word: who tries again until it succeeds takes the square of them.
const COMPETING: u64 = 1 << 12;
/// One lane after the other.
const ONE_BY_ONE_ORDER: Schedule = Schedule::Adversarial { seed: 0 };

/// Workers where nobody says how many.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(WORKERS)
}

/// Orders to run cases under.
#[derive(Clone, Copy)]
pub struct Orders<'a> {
    /// The first is the usual one.
    pub schedules: &'a [Schedule],
    /// May it depend on them what threads of different blocks do to each other?
    pub between_blocks: bool,
}

/// Runs `cases`, each of one version, under some orders, in so many workers at most.
///
/// # Errors
/// No worker, or one that failed without a kernel's doing.
pub fn run(
    on: &On,
    cases: &[Case],
    orders: Orders<'_>,
    stop_at_failure: bool,
    workers: usize,
    options: &WorkerOptions,
    progress: Progress<'_>,
) -> Result<Vec<Checked>, backend::BackendError> {
    let Some((usual, others)) = orders.schedules.split_first() else { return Ok(Vec::new()) };
    let first = |case: &Case| Case { schedules: vec![*usual], ..case.clone() };
    let usual: Vec<Case> = cases.iter().map(first).collect();
    let pool = Pool { on, stop_at_failure, workers, options, progress };
    let costs: Vec<u64> = usual.iter().map(|case| threads(case) + STARTS).collect();
    let mut results = pool.all(&usual, &costs)?;
    let failed = results.iter().any(|checked| !checked.status.passed());
    let caught = failed || results.iter().any(is_caught);
    // Of what is meant to be wrong nobody asks how else it is.
    if others.is_empty() || failed && stop_at_failure || caught && !stop_at_failure {
        return Ok(results);
    }
    let most = if caught { FEW_THREADS } else { u64::MAX };
    let instructions: Vec<u64> =
        results.iter().map(|checked| checked.counters.map_or(0, |counters| counters.instructions)).collect();
    let units = units(cases, &instructions, Orders { schedules: others, ..orders }, most);
    let within =
        |index: usize| (threads(&cases[index]) > FEW_THREADS).then(|| LEAST.max(STRETCH * instructions[index]));
    let again = |(index, schedules): &(usize, Vec<Schedule>)| Case {
        schedules: schedules.clone(),
        within: within(*index),
        thoroughness: Thoroughness::Once,
        exact_integers: false,
        dump: Vec::new(),
        ..cases[*index].clone()
    };
    let others: Vec<Case> = units.iter().map(again).collect();
    let cost = |(index, orders): &(usize, Vec<Schedule>)| cost(instructions[*index], orders);
    let on = &uncovered(on);
    let others = Pool { on, ..pool }.all(&others, &units.iter().map(cost).collect::<Vec<_>>())?;
    for ((index, _), other) in units.iter().zip(others) {
        results[*index].append(other);
    }
    Ok(results)
}

/// The same, without a word on which instructions ran: of the usual order that is known already, and of others nobody asks.
fn uncovered(on: &On) -> On {
    let mut on = on.clone();
    if let On::Sim { config, .. } = &mut on {
        config.coverage = false;
    }
    on
}

/// Does a finding speak against it?
fn is_caught(checked: &Checked) -> bool {
    checked.findings.iter().any(|found| found.finding.severity != Severity::Note)
}

/// What is dealt out of the further orders of all cases of `most` threads at most: a small case with all its orders, which share
/// the oracle's answers; of a larger one an order each, so that no core waits for another. `instructions`: what a case took in the
/// usual order.
fn units(cases: &[Case], instructions: &[u64], others: Orders<'_>, most: u64) -> Vec<(usize, Vec<Schedule>)> {
    let Orders { schedules: others, between_blocks } = others;
    // Blocks that have nothing to do with each other show at a few of them what they do.
    let enough = if between_blocks { SOME_THREADS } else { FEW_THREADS };
    let quick: Vec<Schedule> = others.iter().copied().filter(|order| *order != ONE_BY_ONE_ORDER).collect();
    let many = |most: u64| move |(case, instructions): (&Case, &u64)| threads(case) > enough && *instructions <= most;
    let longest = EXPLORED.into_iter().find(|&most| cases.iter().zip(instructions).any(many(most))).unwrap_or(u64::MAX);
    let mut units = Vec::new();
    for (index, (case, &instructions)) in cases.iter().zip(instructions).enumerate() {
        let threads = threads(case);
        if threads > FEW_THREADS && instructions > longest {
            continue;
        }
        let dear = threads > FEW_THREADS && instructions * 32 > ONE_BY_ONE;
        let orders = orders(if dear { &quick } else { others }, (threads, instructions), index);
        if threads <= FEW_THREADS {
            units.push((index, orders));
        } else if threads <= most {
            // Where many wait for one, letting each wait for long takes longer than it tells.
            let quick = orders.into_iter().filter(|order| !matches!(order, Schedule::Patient { .. }));
            units.extend(quick.map(|order| (index, vec![order])));
        }
    }
    units
}

/// Of the explored schedules those that a case of so many threads and warp instructions is run under: all where that is cheap, else the
/// one that the seed draws (the last), two others in turn and the one in which all compete, or the drawn one alone.
pub fn orders(explored: &[Schedule], (threads, instructions): (u64, u64), index: usize) -> Vec<Schedule> {
    let Some((drawn, fixed)) = explored.split_last() else { return Vec::new() };
    // Many who compete for a word fail often, and who takes several locks meets whoever takes them in another order.
    let (competing, others): (Vec<&Schedule>, Vec<&Schedule>) =
        fixed.iter().partition(|order| **order == Schedule::InTurn);
    let in_turn = |at: usize| others.get((index + at) % others.len().max(1)).copied();
    let fixed: Vec<&Schedule> = if threads <= FEW_THREADS && instructions <= FEW_INSTRUCTIONS {
        fixed.iter().collect()
    } else if threads <= SOME_THREADS {
        let competing = competing.into_iter().filter(|_| threads <= COMPETING);
        [in_turn(0), in_turn(1)].into_iter().flatten().chain(competing).collect()
    } else {
        Vec::new()
    };
    fixed.into_iter().chain([drawn]).copied().collect()
}

/// Threads of a case: of its largest version, all launches together.
pub fn threads(case: &Case) -> u64 {
    case.versions.iter().map(|version| version.plan.threads()).max().unwrap_or(0)
}

/// What a case costs under some orders that took so many warp instructions in the usual one, in warp instructions, roughly.
fn cost(instructions: u64, orders: &[Schedule]) -> u64 {
    let one = |order: &Schedule| if *order == ONE_BY_ONE_ORDER { 4 } else { 1 };
    (instructions + STARTS) * orders.iter().map(one).sum::<u64>()
}

/// Those who run cases.
struct Pool<'a> {
    on: &'a On,
    stop_at_failure: bool,
    workers: usize,
    options: &'a WorkerOptions,
    progress: Progress<'a>,
}

impl Pool<'_> {
    /// Runs every case, as many at a time as there are workers. In more shares than that where there is much to do: a worker that
    /// was busy with something else takes what is left.
    fn all(&self, cases: &[Case], costs: &[u64]) -> Result<Vec<Checked>, backend::BackendError> {
        let few = self.workers == 1 || costs.iter().sum::<u64>() < MUCH;
        let shares = deal(costs, if few { self.workers } else { self.workers * SHARES });
        let workers = shares.len().clamp(1, self.workers);
        let options = WorkerOptions { cores: self.workers / workers, ..self.options.clone().one_of(workers) };
        let one = |share: &Vec<usize>| {
            let cases = share.iter().map(|&index| cases[index].clone()).collect();
            let job = Verify { on: self.on.clone(), cases, stop_at_failure: self.stop_at_failure };
            let begun = &mut |case: usize| (self.progress)(&format!("simulating {}", job.cases[case].name));
            let results = backend::verify_with(&job, &options, begun)?;
            let results = results.into_iter().filter_map(|case| case.into_iter().next());
            Ok(share.iter().copied().zip(results).collect::<Vec<_>>())
        };
        let done: Result<Vec<_>, backend::BackendError> = match shares.as_slice() {
            [all] => one(all).map(|done| vec![done]),
            shares => shares.par_iter().with_max_len(1).map(one).collect(),
        };
        let mut done: Vec<(usize, Checked)> = done?.into_iter().flatten().collect();
        done.sort_by_key(|(index, _)| *index);
        let mut results: Vec<Checked> = done.into_iter().map(|(_, checked)| checked).collect();
        let failed = results.iter().position(|checked| !checked.status.passed());
        if let Some(failed) = failed.filter(|_| self.stop_at_failure) {
            let reason = format!("it failed at {}", cases[failed].name);
            results[failed + 1..].fill(Checked::only(Status::NotRun { reason }));
        }
        Ok(results)
    }
}

/// Deals items out so that the costliest share is small: the costliest item first, each to whoever has least. Each share
/// is in order; no share is empty.
pub fn deal(costs: &[u64], shares: usize) -> Vec<Vec<usize>> {
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

    fn case(threads: u32) -> Case {
        let launch = plan::Launch {
            kernel: "k".into(),
            grid: [threads / 32, 1, 1],
            block: [32, 1, 1],
            shared: 0,
            args: Vec::new(),
            cooperative: false,
            cluster: None,
            resident: None,
            line: 1,
        };
        let plan = plan::Plan { launches: vec![launch], ..plan::Plan::default() };
        Case {
            seed: 1,
            versions: vec![backend::Program { plan, ..backend::Program::default() }],
            thoroughness: Thoroughness::Full,
            ..Case::default()
        }
    }

    fn among(schedules: &[Schedule]) -> Orders<'_> {
        Orders { schedules, between_blocks: true }
    }

    #[test]
    fn large_cases_are_dealt_out_order_by_order() {
        let others: Vec<Schedule> = (0..5).map(|seed| Schedule::Adversarial { seed }).collect();
        let cases = [case(64), case(4096), case(1 << 15)];
        let of = |most: u64| -> Vec<(usize, usize)> {
            units(&cases, &[0; 3], among(&others), most).iter().map(|(index, orders)| (*index, orders.len())).collect()
        };
        assert_eq!(of(u64::MAX), [(0, 5), (1, 1), (1, 1), (1, 1), (2, 1)]);
        assert_eq!(of(FEW_THREADS), [(0, 5)], "what was caught at something is tried further at small sizes only");
        let orders: Vec<Schedule> =
            units(&cases, &[0; 3], among(&others), u64::MAX)[1..4].iter().map(|unit| unit.1[0]).collect();
        assert_eq!(orders, super::orders(&others, (4096, 0), 1), "and no order is lost");
        let of_few = |instructions| super::orders(&others, (64, instructions), 1).len();
        assert_eq!((of_few(FEW_INSTRUCTIONS), of_few(FEW_INSTRUCTIONS + 1)), (5, 3), "few threads may have much to do");
        let cases = [case(4096), case(64)];
        let one_by_one = |instructions: u64| -> Vec<usize> {
            let with = |(_, orders): &(usize, Vec<Schedule>)| orders.contains(&Schedule::Adversarial { seed: 0 });
            let units = units(&cases, &[instructions, 0], among(&others), u64::MAX);
            units.iter().filter(|unit| with(unit)).map(|(index, _)| *index).collect()
        };
        assert_eq!(one_by_one(ONE_BY_ONE / 32), [0, 1]);
        assert_eq!(one_by_one(ONE_BY_ONE / 32 + 1), [1], "lane after lane only where that is cheap, or there are few");
    }

    #[test]
    fn a_long_case_is_explored_where_no_other_has_many_threads() {
        let others = [Schedule::Adversarial { seed: 7 }];
        let of = |sizes: &[(u32, u64)]| -> Vec<usize> {
            let cases: Vec<Case> = sizes.iter().map(|(threads, _)| case(*threads)).collect();
            let instructions: Vec<u64> = sizes.iter().map(|(_, instructions)| *instructions).collect();
            units(&cases, &instructions, among(&others), u64::MAX).iter().map(|(index, _)| *index).collect()
        };
        let (many, few) = (1 << 15, 1 << 12);
        for most in EXPLORED {
            assert_eq!(of(&[(few, 9), (many, most), (many, most + 1)]), [0, 1]);
        }
        let [_, most] = EXPLORED;
        assert_eq!(of(&[(few, 9), (many, most + 1)]), [0, 1]);
        assert_eq!(of(&[(64, most + 1), (many, 9)]), [0, 1], "few threads are always explored");
        let apart = Orders { schedules: &others, between_blocks: false };
        let of = |few: u32| -> Vec<usize> {
            let cases = [case(few), case(many)];
            units(&cases, &[9, most], apart, u64::MAX).iter().map(|(index, _)| *index).collect()
        };
        assert_eq!(of(few), [0], "where no block has to do with another some blocks do as well as many");
        assert_eq!(of(64), [0, 1]);
    }

    #[test]
    fn fewer_orders_for_more_threads() {
        let fixed: Vec<Schedule> = (0..4).map(|seed| Schedule::Adversarial { seed }).collect();
        let drawn = Schedule::Adversarial { seed: 99 };
        let explored: Vec<Schedule> = fixed.iter().copied().chain([drawn]).collect();
        assert_eq!(orders(&explored, (1024, 0), 0), explored);
        assert_eq!(orders(&explored, (1025, 0), 3), [fixed[3], fixed[0], drawn]);
        assert_eq!(orders(&explored, (1 << 20, 0), 3), [drawn]);
        assert!(orders(&[], (5, 0), 0).is_empty());
    }
}
