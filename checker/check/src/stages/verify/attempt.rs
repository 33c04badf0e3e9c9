//! Runs at large sizes that the checker chose. Who is right there may need more memory or time than a run gets, most of all where it is
//! watched: that says nothing against a version, and is no reason to leave it without a grade.

use super::besides::is_about_the_version;
use super::sought::WATCHED_BYTES;
use super::{STEPS, Trials};
use execution::backend::{Case, Checked, Status, Thoroughness, WorkerOptions};
use problem::Sizes;
use simulator::finding::FindingName;
use simulator::{Checks, Schedule};
use std::time::{Duration, Instant};

/// Part of a run's time that it has while it is watched, ...
const WATCHED: f64 = 1.0 / 3.0;
/// ... and that it has if that was not enough: all together is what one run may take.
const UNWATCHED: f64 = 1.0 / 2.0;

/// A worker's clock rings so long before the end of a check.
const RUNG: Duration = Duration::from_secs(2);

/// Why a run came to no end, in words.
struct Ended(String);

impl Trials<'_> {
    /// What a run at a size comes to, if that says anything.
    pub(super) fn once(&self, case: Case, sizes: Sizes, checks: Checks) -> Option<(Sizes, Checked)> {
        self.first_told(case, sizes, &[(checks, 1.0)])
    }

    /// The same of a run that is watched, as far as there is memory and time for that.
    pub(super) fn watched(&self, case: Case, sizes: Sizes) -> Option<(Sizes, Checked)> {
        self.first_told(case, sizes, &[(Checks::ALL, WATCHED), (Checks::NONE, UNWATCHED)])
    }

    /// What a watched run caught; nothing where there was not enough memory or time to watch it.
    pub(super) fn caught(&self, case: Case, sizes: Sizes) -> Option<(Sizes, Checked)> {
        let checked = self.attempt(case, Checks::ALL, 1.0).ok().flatten()?;
        (!checked.findings.is_empty()).then_some((sizes, checked))
    }

    fn first_told(&self, case: Case, sizes: Sizes, attempts: &[(Checks, f64)]) -> Option<(Sizes, Checked)> {
        let mut why = String::new();
        for &(checks, part) in attempts {
            match self.attempt(case.clone(), checks, part) {
                Ok(checked) => return checked.map(|checked| (sizes, checked)),
                Err(Ended(ended)) => why = ended,
            }
        }
        let _ = self.untried.set(format!("at {}, {why}", case.name));
        None
    }

    /// One attempt, which has a part of the time of a run.
    fn attempt(&self, case: Case, checks: Checks, part: f64) -> Result<Option<Checked>, Ended> {
        let on = self.platform.on(vec![Schedule::Its], checks, STEPS, self.seed);
        let mut options = self.options_for(&case);
        options.timeout = options.timeout.mul_f64(part);
        let large = case.thoroughness == Thoroughness::Large;
        let Some(checked) = self.verified(on, case, &options).into_iter().next() else { return Ok(None) };
        // When the check itself is over it is not this run that took too long.
        let is_over = Instant::now() + RUNG >= self.until;
        if let (false, Some(ended)) = (is_over, ended(&checked, large)) {
            return Err(ended);
        }
        self.look_for_cuts([&checked]);
        let says = is_about_the_version(&checked.status) && !(large && is_slow(&checked));
        Ok(Some(checked).filter(|_| says))
    }

    /// For each of those that run at the same time; a large one has all of the memory, once nobody else needs any.
    pub(super) fn options_for(&self, case: &Case) -> WorkerOptions {
        let is_large = case.versions.iter().any(|version| version.plan.bytes() > WATCHED_BYTES);
        let mut options = self.options();
        if is_large && case.thoroughness == Thoroughness::Large {
            options.memory = WorkerOptions::default().memory;
        }
        options
    }
}

/// Why the machine ended a run. At a small size one that takes all its time does not end; at a `large` one that is how much there is to do.
fn ended(checked: &Checked, large: bool) -> Option<Ended> {
    let why = match &checked.status {
        Status::WorkerDied { death } if death.out_of_memory => "a run needs more memory than it gets".to_owned(),
        Status::OracleFailed { .. } if large => "the oracle came to no end".to_owned(),
        _ if large && is_slow(checked) => "a run needs more time than it gets".to_owned(),
        _ => return None,
    };
    Some(Ended(why))
}

/// Was it stopped for the time that it took, with nothing caught until then?
fn is_slow(checked: &Checked) -> bool {
    let interrupted = FindingName::Interrupted;
    match &checked.status {
        Status::TimedOut { .. } => true,
        Status::Fault { fault } if fault.name == interrupted.name() => {
            let mut kinds = checked.findings.iter().map(|found| found.finding.kind.name());
            kinds.all(|kind| kind == interrupted)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use execution::backend::Death;

    fn died(out_of_memory: bool) -> Checked {
        let death = Death { how: "SIGABRT".into(), out_of_memory, stderr: String::new() };
        Checked::only(Status::WorkerDied { death })
    }

    #[test]
    fn memory_and_time_are_the_machines_and_a_crash_is_not() {
        let slow = Checked::only(Status::TimedOut { seconds: 7.0 });
        let oracle = Checked::only(Status::OracleFailed { message: "no end".into() });
        for large in [false, true] {
            assert!(ended(&died(true), large).is_some() && ended(&died(false), large).is_none());
            assert!(ended(&Checked::only(Status::Passed), large).is_none());
            assert_eq!(ended(&slow, large).is_some(), large);
            assert_eq!(ended(&oracle, large).is_some(), large);
        }
    }
}
