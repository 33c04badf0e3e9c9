//! A verification: the worker starts anew behind each run that took it along.

use super::options::WorkerOptions;
use super::talk::{error, untimely};
use super::{BackendError, End, run};
use crate::backend::message::job::{Job, Verify};
use crate::backend::{Checked, Reply, Status};

/// Runs and judges: for every case the result of every version. A version whose worker died, or was stopped, has that as
/// its result; the others are run in a new worker.
///
/// # Errors
/// No GPU, a file that cannot be read or written, a worker that cannot be started.
pub fn verify(job: &Verify, options: &WorkerOptions) -> Result<Vec<Vec<Checked>>, BackendError> {
    verify_with(job, options, &mut |_| {})
}

/// [`verify`]; `begun` hears of each case when it begins.
///
/// # Errors
/// As [`verify`].
pub fn verify_with(
    job: &Verify,
    options: &WorkerOptions,
    begun: &mut dyn FnMut(usize),
) -> Result<Vec<Vec<Checked>>, BackendError> {
    let mut results: Vec<Vec<Option<Checked>>> =
        job.cases.iter().map(|case| case.versions.iter().map(|_| None).collect()).collect();
    loop {
        skip_after_failure(job, &mut results);
        if options.is_over() {
            out_of_time(&mut results);
        }
        let known: Vec<(usize, usize)> = indices(&results, Option::is_some);
        if results.iter().flatten().all(Option::is_some) {
            break;
        }
        // Too late: there is no time left either.
        let Some(_part) = options.part() else { continue };
        let mut at = None;
        let end = run(&Job::Verify(Box::new(job.clone())), &known, options, &mut |reply| match reply {
            Reply::Started { case, version } => {
                at = Some((*case, *version));
                begun(*case);
            }
            Reply::Checked { case, version, result } => {
                if let Some(slot) = results.get_mut(*case).and_then(|case| case.get_mut(*version)) {
                    let cut = matches!(result.status, Status::OracleFailed { .. }) && options.is_nearly_over();
                    *slot = Some(if cut { Checked::only(Status::OutOfTime) } else { (**result).clone() });
                }
            }
            _ => {}
        })?;
        match (untimely(&end), at) {
            (Some(status), Some((case, Some(version)))) if results[case][version].is_none() => {
                results[case][version] = Some(Checked::only(status));
            }
            (Some(status), Some((case, None))) => {
                // What ran before used up the time: that is nothing to blame the oracle for.
                let timed_out = matches!(status, Status::TimedOut { .. }) && options.is_nearly_over();
                let status = match timed_out || status == Status::OutOfTime {
                    true => Status::OutOfTime,
                    false => Status::OracleFailed { message: oracle_message(&status) },
                };
                for slot in results[case].iter_mut().filter(|slot| slot.is_none()) {
                    *slot = Some(Checked::only(status.clone()));
                }
            }
            _ => {}
        }
        skip_after_failure(job, &mut results);
        let progress = indices(&results, Option::is_some).len() > known.len();
        if !progress {
            without_progress(end, &mut results)?;
        }
    }
    Ok(results.into_iter().map(|case| case.into_iter().flatten().collect()).collect())
}

/// A worker ended before any of its units had begun. Where that was because the time for all was over, nobody is to blame.
fn without_progress(end: End, results: &mut [Vec<Option<Checked>>]) -> Result<(), BackendError> {
    match end {
        End::CutShort { .. } => {
            out_of_time(results);
            Ok(())
        }
        end => Err(error(end)),
    }
}

/// Nothing more is tried.
fn out_of_time(results: &mut [Vec<Option<Checked>>]) {
    results.iter_mut().flatten().for_each(|slot| {
        slot.get_or_insert_with(|| Checked::only(Status::OutOfTime));
    });
}

pub(super) fn oracle_message(status: &Status) -> String {
    match status {
        Status::TimedOut { seconds } => format!("no end within {seconds:.0} s"),
        Status::WorkerDied { death } if death.out_of_memory => format!("out of memory ({})", death.how),
        Status::WorkerDied { death } => format!("its process died: {} {}", death.how, death.stderr),
        _ => "it did not finish".to_owned(),
    }
}

fn indices(results: &[Vec<Option<Checked>>], wanted: fn(&Option<Checked>) -> bool) -> Vec<(usize, usize)> {
    let of_case = |(case, versions): (usize, &Vec<Option<Checked>>)| {
        versions
            .iter()
            .enumerate()
            .filter(|(_, slot)| wanted(slot))
            .map(|(version, _)| (case, version))
            .collect::<Vec<_>>()
    };
    results.iter().enumerate().flat_map(of_case).collect()
}

/// Versions that failed are not run at later sizes.
fn skip_after_failure(job: &Verify, results: &mut [Vec<Option<Checked>>]) {
    if !job.stop_at_failure {
        return;
    }
    let mut failed: Vec<(usize, String)> = Vec::new();
    for (case, versions) in job.cases.iter().zip(results) {
        for (version, slot) in versions.iter_mut().enumerate() {
            match (slot.as_ref(), failed.iter().find(|(failed, _)| *failed == version)) {
                (Some(checked), None) if !checked.status.passed() => failed.push((version, case.name.clone())),
                (None, Some((_, name))) => {
                    *slot = Some(Checked::only(Status::NotRun { reason: format!("it failed at {name}") }));
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_had_not_begun_when_the_time_was_over_is_out_of_time() {
        let mut results = vec![vec![Some(Checked::only(Status::Passed)), None], vec![None]];
        assert_eq!(without_progress(End::CutShort { seconds: 0.1 }, &mut results), Ok(()));
        let told: Vec<_> = results.iter().flatten().flatten().map(|checked| checked.status.clone()).collect();
        assert_eq!(told, [Status::Passed, Status::OutOfTime, Status::OutOfTime]);
        let late = BackendError::TimedOut { seconds: 9.0 };
        assert_eq!(without_progress(End::TimedOut { seconds: 9.0 }, &mut results), Err(late));
    }
}
