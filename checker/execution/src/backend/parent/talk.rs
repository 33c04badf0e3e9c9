//! A worker's replies, until it ends by itself or is ended.

use super::options::WorkerOptions;
use super::{BackendError, End};
use crate::backend::parent::process::{Event, Worker};
use crate::backend::spent::{Clock, Stopwatch};
use crate::backend::{Death, Reply, Status};
use std::process::ExitStatus;
use std::sync::mpsc::RecvTimeoutError;

/// How a conversation about one job ended.
pub(super) enum Talk {
    /// The job is done, and the worker waits for another one.
    Ready,
    /// The worker is of no more use.
    Over(End),
}

impl Talk {
    pub(super) fn keep(self, worker: Worker) -> End {
        match self {
            Self::Ready => {
                worker.rest();
                End::Done
            }
            Self::Over(end) => end,
        }
    }
}

pub(super) fn converse(
    worker: &mut Worker,
    request: Vec<u8>,
    options: &WorkerOptions,
    simulated: bool,
    each: &mut dyn FnMut(&Reply),
) -> Result<Talk, BackendError> {
    worker.ask(request);
    let clock = if simulated { worker.clock() } else { Clock::Wall };
    let mut unit = Stopwatch::start(clock);
    let end = loop {
        let next = match options.more(&unit.spent()) {
            Some(time) => worker.next(time),
            None => Err(RecvTimeoutError::Timeout),
        };
        match next {
            Ok(Event::Reply(reply)) => match *reply {
                Reply::Ready => return Ok(Talk::Ready),
                Reply::Done => break End::Done,
                Reply::Broken => break End::Broken,
                Reply::Failed(failure) => return Err(failure.into()),
                reply => {
                    if matches!(reply, Reply::Started { .. }) {
                        unit = Stopwatch::start(clock);
                    }
                    each(&reply);
                }
            },
            Ok(Event::Nonsense) => break End::Flooded,
            Err(RecvTimeoutError::Timeout) => {
                let spent = unit.spent();
                let seconds = spent.wall.as_secs_f64();
                if options.more(&spent).is_none() {
                    let little = options.is_given_up() || spent.is_little(options.timeout);
                    break if little { End::CutShort { seconds } } else { End::TimedOut { seconds } };
                }
            }
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
    Death { how, out_of_memory, stderr: without_backtrace(stderr) }
}

/// What was said, without the head of a backtrace behind which there is none: where memory is full nothing is left to make one with.
fn without_backtrace(stderr: &str) -> String {
    stderr.lines().filter(|line| line.trim() != "stack backtrace:").collect::<Vec<_>>().join("\n")
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
pub(super) fn untimely(end: &End) -> Option<Status> {
    match end {
        End::Done | End::Broken => None,
        End::TimedOut { seconds } => Some(Status::TimedOut { seconds: *seconds }),
        End::CutShort { .. } => Some(Status::OutOfTime),
        End::Flooded => {
            let how = "it sent something that is no reply and was stopped".to_owned();
            Some(Status::WorkerDied { death: Death { how, out_of_memory: false, stderr: String::new() } })
        }
        End::Died(death) => Some(Status::WorkerDied { death: death.clone() }),
    }
}

/// An untimely end that no kernel can be blamed for.
pub(super) fn error(end: End) -> BackendError {
    match end {
        End::TimedOut { seconds } | End::CutShort { seconds } => BackendError::TimedOut { seconds },
        End::Died(Death { how, stderr, .. }) => {
            BackendError::Died { how, stderr: if stderr.is_empty() { stderr } else { format!(": {stderr}") } }
        }
        End::Done | End::Broken | End::Flooded => {
            BackendError::Died { how: "its answer cannot be read".into(), stderr: String::new() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_of_a_full_memory_are_about_memory() {
        let death = death(None, "memory allocation of 64 bytes failed\nstack backtrace:\n");
        assert!(death.out_of_memory);
        assert_eq!(death.stderr, "memory allocation of 64 bytes failed");
    }
}
