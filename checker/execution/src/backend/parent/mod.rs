//! The parent's side: starts workers, reads their replies, ends them when they take too long or say too much, and turns
//! whatever happened into results.

mod device;
mod options;
mod process;
mod room;
mod talk;
mod verify;

pub use device::{devices, free_memory, measure, roof};
pub use options::{AT_ONCE, WorkerOptions};
pub use room::Room;
use talk::{Talk, converse};
pub use verify::{verify, verify_with};

use super::message::job::{Job, On};
use super::worker::WorkerRequest;
use crate::backend::{Death, JobError, Reply};
use process::Worker;
use std::path::PathBuf;

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BackendError {
    /// The work could not be done: no GPU, a file that cannot be read, ...
    #[error(transparent)]
    Failure(#[from] JobError),
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
    /// It was stopped when the time for all was over, long before it had what a unit may have: nobody knows whether it ends.
    CutShort {
        /// Seconds on the clock that its last unit had.
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
    let request = |worker: &mut Worker| {
        let request = WorkerRequest::new(job, &needs, known, options, worker.sent());
        let mut request = serde_json::to_vec(&request).map_err(|error| start(error.into()))?;
        request.push(b'\n');
        Ok::<_, BackendError>(request)
    };
    let simulated = matches!(job, Job::Verify(verify) if matches!(verify.on, On::Sim { .. }));
    if let Some(mut idle) = (simulated && !needs.writes).then(|| process::idle(&path, &needs.reads)).flatten() {
        let mut answered = false;
        let request = request(&mut idle)?;
        let end = converse(&mut idle, request, options, simulated, &mut |reply| {
            answered = true;
            each(reply);
        })?;
        // One that ended while it waited says nothing about this job.
        if answered || !matches!(end, Talk::Over(End::Died(_))) {
            return Ok(end.keep(idle));
        }
    }
    let mut worker = Worker::start(&path, needs.reads.clone()).map_err(start)?;
    let request = request(&mut worker)?;
    match converse(&mut worker, request, options, simulated, each)? {
        Talk::Ready if !simulated => Ok(End::Done),
        talk => Ok(talk.keep(worker)),
    }
}

impl On {
    /// Is it the simulator?
    pub fn is_sim(&self) -> bool {
        matches!(self, Self::Sim { .. })
    }
}
