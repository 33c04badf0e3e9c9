//! The parent's side: starts workers, reads their replies, ends them when they take too long or say too much, and turns
//! whatever happened into results.

use super::MEMORY;
use super::job::{Artefact, Job, Measure, On, Verify};
use super::process::{self, Event, Worker};
use super::worker::Request;
use crate::backend::{Checked, Death, DeviceInfo, Failure, Reply, Status};
use crate::measure::{RoofValues, Timed};
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// How workers are run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerOptions {
    /// What one version at one size (or one measurement) may take, all its runs together.
    pub timeout: Duration,
    /// When all has to end, whatever is left to do.
    pub until: Option<Instant>,
    /// Most bytes of a worker's address space on the simulator.
    pub memory: u64,
    /// The worker's executable; by default the checker's own.
    pub worker: Option<PathBuf>,
}

impl Default for WorkerOptions {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(20), until: None, memory: MEMORY, worker: None }
    }
}

impl WorkerOptions {
    /// For one of `workers` that run at the same time: they share this memory.
    pub fn one_of(self, workers: usize) -> Self {
        Self { memory: self.memory / workers.max(1) as u64, ..self }
    }

    /// When a unit that begins now has to end.
    fn deadline(&self) -> Instant {
        let own = Instant::now() + self.timeout;
        self.until.map_or(own, |until| own.min(until))
    }

    /// What is left for all of it.
    fn left(&self) -> Option<Duration> {
        self.until.map(|until| until.saturating_duration_since(Instant::now()))
    }

    /// Is the time for all of it over, or so nearly that a worker's clock has rung ([`super::alarm`])?
    fn is_nearly_over(&self) -> bool {
        const RUNG: Duration = Duration::from_secs(2);
        self.until.is_some_and(|until| until.saturating_duration_since(Instant::now()) <= RUNG)
    }

    /// Is the time for all of it over?
    fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BackendError {
    /// The work could not be done: no GPU, a file that cannot be read, ...
    #[error(transparent)]
    Failure(#[from] Failure),
    /// The worker could not be started.
    #[error("cannot start the worker process {path}: {message}")]
    Start {
        /// Its executable.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// The worker died over something that is no kernel's doing.
    #[error("the worker process died ({how}){stderr}")]
    Died {
        /// How.
        how: String,
        /// What it said, with a colon before, or empty.
        stderr: String,
    },
    /// The worker took too long over something that is no kernel's doing.
    #[error("the worker process did not answer within {seconds} s")]
    TimedOut {
        /// Seconds it was given.
        seconds: f64,
    },
}

/// How a worker ended.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// Everything is done.
    Done,
    /// A kernel broke its device context; the rest needs a new worker.
    Broken,
    /// It was stopped, after [`WorkerOptions::timeout`] or when the time for all was over.
    TimedOut {
        /// Seconds that its last unit had.
        seconds: f64,
    },
    /// It sent more than a reply may have, or no reply, and was stopped.
    Flooded,
    /// It died.
    Died(Death),
}

/// Has one worker do a job; `known` units are left out. Replies go to `each` as they come. On the simulator that may be a worker
/// that has done others before, and it may be given more when it is ready for them.
///
/// # Errors
/// The worker cannot be started, or says that the work cannot be done.
pub fn run(
    job: &Job,
    known: &[(usize, usize)],
    options: &WorkerOptions,
    each: &mut dyn FnMut(&Reply),
) -> Result<End, BackendError> {
    let path = match &options.worker {
        Some(path) => path.clone(),
        None => std::env::current_exe()
            .map_err(|error| BackendError::Start { path: "checker".into(), message: error.to_string() })?,
    };
    let start = |error: std::io::Error| BackendError::Start { path: path.clone(), message: error.to_string() };
    let needs = job.needs();
    let request = Request::new(job, &needs, known, options.memory, options.timeout, options.left());
    let mut request = serde_json::to_vec(&request).map_err(|error| start(error.into()))?;
    request.push(b'\n');
    let simulated = matches!(job, Job::Verify(verify) if matches!(verify.on, On::Sim { .. }));
    if let Some(mut idle) = (simulated && !needs.writes).then(|| process::idle(&path, &needs.reads)).flatten() {
        let mut answered = false;
        let end = converse(&mut idle, request.clone(), options, &mut |reply| {
            answered = true;
            each(reply);
        })?;
        // One that ended while it waited says nothing about this job.
        if answered || !matches!(end, Talk::Over(End::Died(_))) {
            return Ok(end.keep(idle));
        }
    }
    let mut worker = Worker::start(&path, needs.reads).map_err(start)?;
    match converse(&mut worker, request, options, each)? {
        Talk::Ready if !simulated => Ok(End::Done),
        talk => Ok(talk.keep(worker)),
    }
}

/// How a conversation about one job ended.
enum Talk {
    /// The job is done, and the worker waits for another one.
    Ready,
    /// The worker is of no more use.
    Over(End),
}

impl Talk {
    fn keep(self, worker: Worker) -> End {
        match self {
            Self::Ready => {
                worker.rest();
                End::Done
            }
            Self::Over(end) => end,
        }
    }
}

fn converse(
    worker: &mut Worker,
    request: Vec<u8>,
    options: &WorkerOptions,
    each: &mut dyn FnMut(&Reply),
) -> Result<Talk, BackendError> {
    worker.ask(request);
    let mut began = Instant::now();
    let mut deadline = options.deadline();
    let end = loop {
        match worker.next(deadline) {
            Ok(Event::Reply(reply)) => match *reply {
                Reply::Ready => return Ok(Talk::Ready),
                Reply::Done => break End::Done,
                Reply::Broken => break End::Broken,
                Reply::Failed(failure) => return Err(failure.into()),
                reply => {
                    if matches!(reply, Reply::Started { .. }) {
                        began = Instant::now();
                        deadline = options.deadline();
                    }
                    each(&reply);
                }
            },
            Ok(Event::Nonsense) => break End::Flooded,
            Err(RecvTimeoutError::Timeout) => break End::TimedOut { seconds: began.elapsed().as_secs_f64() },
            Ok(Event::Closed) | Err(RecvTimeoutError::Disconnected) => {
                let status = worker.wait();
                break End::Died(death(status, &worker.stderr()));
            }
        }
    };
    Ok(Talk::Over(end))
}

fn death(status: Option<ExitStatus>, stderr: &str) -> Death {
    use std::os::unix::process::ExitStatusExt;
    let signal = status.and_then(|status| status.signal());
    let how = match (signal, status.and_then(|status| status.code())) {
        (Some(number), _) => signal_name(number).map_or_else(|| format!("signal {number}"), str::to_owned),
        (None, Some(code)) => format!("exit status {code}"),
        (None, None) => "no exit status".to_owned(),
    };
    // Rust aborts when an allocation fails; the kernel kills when memory runs out.
    let out_of_memory = stderr.contains("memory allocation of") || signal == Some(libc::SIGKILL);
    Death { how, out_of_memory, stderr: stderr.to_owned() }
}

fn signal_name(number: i32) -> Option<&'static str> {
    Some(match number {
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGILL => "SIGILL",
        libc::SIGINT => "SIGINT",
        libc::SIGKILL => "SIGKILL",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGTERM => "SIGTERM",
        libc::SIGXCPU => "SIGXCPU",
        libc::SIGXFSZ => "SIGXFSZ",
        _ => return None,
    })
}

/// The status of the unit a worker was at when it ended before its time; None when it did not.
fn untimely(end: &End) -> Option<Status> {
    match end {
        End::Done | End::Broken => None,
        End::TimedOut { seconds } => Some(Status::TimedOut { seconds: *seconds }),
        End::Flooded => {
            let how = "it sent something that is no reply and was stopped".to_owned();
            Some(Status::WorkerDied { death: Death { how, out_of_memory: false, stderr: String::new() } })
        }
        End::Died(death) => Some(Status::WorkerDied { death: death.clone() }),
    }
}

/// An untimely end that no kernel can be blamed for.
fn error(end: End) -> BackendError {
    match end {
        End::TimedOut { seconds } => BackendError::TimedOut { seconds },
        End::Died(Death { how, stderr, .. }) => {
            BackendError::Died { how, stderr: if stderr.is_empty() { stderr } else { format!(": {stderr}") } }
        }
        End::Done | End::Broken | End::Flooded => {
            BackendError::Died { how: "its answer cannot be read".into(), stderr: String::new() }
        }
    }
}

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
            let cut = || Checked::only(Status::OutOfTime);
            results.iter_mut().flatten().for_each(|slot| {
                slot.get_or_insert_with(cut);
            });
        }
        let known: Vec<(usize, usize)> = indices(&results, Option::is_some);
        if results.iter().flatten().all(Option::is_some) {
            break;
        }
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
                let timed_out = matches!(status, Status::TimedOut { .. });
                let status = match timed_out && options.is_nearly_over() {
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
            return Err(error(end));
        }
    }
    Ok(results.into_iter().map(|case| case.into_iter().flatten().collect()).collect())
}

fn oracle_message(status: &Status) -> String {
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

/// Measures, in order. A measurement whose worker died, or was stopped, has that as its result.
///
/// # Errors
/// No GPU, a file that cannot be read, a worker that cannot be started.
pub fn measure(job: &Measure, options: &WorkerOptions) -> Result<Vec<Timed>, BackendError> {
    let mut results: Vec<Option<Timed>> = job.timings.iter().map(|_| None).collect();
    while results.iter().any(Option::is_none) {
        let known: Vec<_> =
            results.iter().enumerate().filter(|(_, slot)| slot.is_some()).map(|(timing, _)| (timing, 0)).collect();
        let mut at = None;
        let end = run(&Job::Measure(job.clone()), &known, options, &mut |reply| match reply {
            Reply::Started { case, version } => at = Some((*case, *version)),
            Reply::Timed { timing, result } => {
                if let Some(slot) = results.get_mut(*timing) {
                    *slot = Some((**result).clone());
                }
            }
            _ => {}
        })?;
        if let (Some(status), Some((timing, version))) = (untimely(&end), at)
            && results[timing].is_none()
        {
            let status = match version {
                Some(_) => status,
                None => Status::OracleFailed { message: oracle_message(&status) },
            };
            results[timing] = Some(Timed::failed(version, status));
        }
        if results.iter().filter(|slot| slot.is_some()).count() == known.len() {
            return Err(error(end));
        }
    }
    Ok(results.into_iter().flatten().collect())
}

/// Measures a device's roof.
///
/// # Errors
/// No GPU, or the measurement failed.
pub fn roof(ordinal: u32, tools: &Artefact, options: &WorkerOptions) -> Result<RoofValues, BackendError> {
    let mut found = None;
    let end = run(&Job::Roof { ordinal, tools: tools.clone() }, &[], options, &mut |reply| {
        if let Reply::Roof(roof) = reply {
            found = Some(roof.clone());
        }
    })?;
    found.ok_or_else(|| error(end))
}

/// The GPUs of this machine.
///
/// # Errors
/// There is none ([`Failure::NoGpu`] says why), or the driver does not answer.
pub fn devices(options: &WorkerOptions) -> Result<Vec<DeviceInfo>, BackendError> {
    let mut found = None;
    let end = run(&Job::Devices, &[], options, &mut |reply| {
        if let Reply::Devices(devices) = reply {
            found = Some(devices.clone());
        }
    })?;
    found.ok_or_else(|| error(end))
}

/// Bytes of a GPU's memory that nobody has, asked by using it.
///
/// # Errors
/// It does not answer, or not in time.
pub fn free_memory(ordinal: u32, options: &WorkerOptions) -> Result<u64, BackendError> {
    let mut found = None;
    let end = run(&Job::Free { ordinal }, &[], options, &mut |reply| {
        if let Reply::Free(bytes) = reply {
            found = Some(*bytes);
        }
    })?;
    found.ok_or_else(|| error(end))
}

impl On {
    /// Is it the simulator?
    pub fn is_sim(&self) -> bool {
        matches!(self, Self::Sim { .. })
    }
}
