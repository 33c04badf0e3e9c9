//! A worker as its parent sees it: a process, its three streams, and those that wait for another job.

use crate::backend::spent::Clock;
use crate::backend::worker::ARGUMENT;
use crate::backend::{Artefact, Reply};
use std::collections::{BTreeSet, VecDeque};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, TryRecvError};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Longest reply a worker may send.
const LINE_BYTES: u64 = 64 << 20;
/// Bytes of stderr that are kept, from its end.
const STDERR_BYTES: usize = 16 << 10;
/// A worker that has said its last word may take this long to end.
const GRACE: Duration = Duration::from_secs(5);

/// One that was killed may take this long to give its memory back before somebody goes on without it.
const DYING: Duration = Duration::from_millis(500);

/// Workers that have done a job and wait for another one.
static IDLE: Mutex<Vec<Worker>> = Mutex::new(Vec::new());

/// What comes from a worker.
pub enum Event {
    /// A line that is a reply.
    Reply(Box<Reply>),
    /// Something else.
    Nonsense,
    /// The end.
    Closed,
}

/// A running worker; dropping it ends the process.
pub struct Worker {
    path: PathBuf,
    /// What it may read since its first job.
    reads: BTreeSet<PathBuf>,
    /// Code that it was sent and keeps.
    sent: Vec<Arc<Artefact>>,
    /// Always there, until it is dropped.
    child: Option<Child>,
    events: mpsc::Receiver<Event>,
    stderr: Option<JoinHandle<Vec<u8>>>,
    /// Dropped with the worker: only then is its standard input closed.
    requests: mpsc::Sender<Vec<u8>>,
}

/// A worker of this executable that waits, and may read all of this.
pub fn idle(path: &Path, reads: &BTreeSet<PathBuf>) -> Option<Worker> {
    let mut all = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    while let Some(at) = all.iter().position(|worker| worker.path == path && worker.reads.is_superset(reads)) {
        let mut worker = all.swap_remove(at);
        let silent = matches!(worker.events.try_recv(), Err(TryRecvError::Empty));
        if silent && matches!(worker.child.as_mut().map(Child::try_wait), Some(Ok(None))) {
            return Some(worker);
        }
    }
    None
}

impl Worker {
    /// Starts one that waits for its first request, which reads this.
    pub fn start(path: &Path, reads: BTreeSet<PathBuf>) -> io::Result<Self> {
        let mut child = spawn(path)?;
        let (events_in, events) = mpsc::channel();
        let (requests, asked) = mpsc::channel::<Vec<u8>>();
        if let Some(mut stdin) = child.stdin.take() {
            std::thread::spawn(move || {
                // A worker that dies early is noticed on its output.
                asked.into_iter().try_for_each(|request| stdin.write_all(&request).and_then(|()| stdin.flush()))
            });
        }
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || read_replies(BufReader::new(stdout), &events_in));
        }
        let stderr = child.stderr.take().map(|stderr| std::thread::spawn(move || tail(stderr)));
        Ok(Self { path: path.to_path_buf(), reads, sent: Vec::new(), child: Some(child), events, stderr, requests })
    }

    /// Code that it keeps for the next request.
    pub fn sent(&mut self) -> &mut Vec<Arc<Artefact>> {
        &mut self.sent
    }

    /// Sends a request, a line with its end.
    pub fn ask(&self, request: Vec<u8>) {
        // One that is gone is noticed on its output.
        let _ = self.requests.send(request);
    }

    /// What it says next, within this time.
    pub fn next(&self, time: Duration) -> Result<Event, RecvTimeoutError> {
        self.events.recv_timeout(time)
    }

    /// Its processor time.
    pub fn clock(&self) -> Clock {
        self.child.as_ref().map_or(Clock::Wall, |child| Clock::Of(child.id()))
    }

    /// Leaves it waiting for another job.
    pub fn rest(self) {
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(self);
    }

    /// Waits a little for the end, then enforces it.
    pub fn wait(&mut self) -> Option<ExitStatus> {
        let child = self.child.as_mut()?;
        if let Some(status) = end_within(child, GRACE) {
            return Some(status);
        }
        let _ = child.kill();
        child.wait().ok()
    }

    /// The last of what it said on its standard error, after its end.
    pub fn stderr(&mut self) -> String {
        let bytes = self.stderr.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        without_hint(String::from_utf8_lossy(&bytes).trim())
    }
}

/// Rust's advice to whoever debugs the checker is none to whoever reads a report.
fn without_hint(said: &str) -> String {
    said.lines().filter(|line| !line.contains("RUST_BACKTRACE")).collect::<Vec<_>>().join("\n")
}

impl Drop for Worker {
    fn drop(&mut self) {
        // A GPU's context goes with its process, and an endless kernel with its context.
        let Some(mut child) = self.child.take() else { return };
        let _ = child.kill();
        if end_within(&mut child, DYING).is_none() {
            std::thread::spawn(move || child.wait());
        }
    }
}

/// How a process ended, if it has within that time.
fn end_within(child: &mut Child, time: Duration) -> Option<ExitStatus> {
    let until = Instant::now() + time;
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if Instant::now() >= until {
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A worker ends when the thread that started it does (`PR_SET_PDEATHSIG` means threads), so a thread that stays starts them all.
fn spawn(path: &Path) -> io::Result<Child> {
    type Order = (PathBuf, mpsc::Sender<io::Result<Child>>);
    static ORDERS: OnceLock<mpsc::Sender<Order>> = OnceLock::new();
    let orders = ORDERS.get_or_init(|| {
        let (orders, taken) = mpsc::channel::<Order>();
        std::thread::spawn(move || {
            for (path, started) in taken {
                let mut command = Command::new(path);
                command.arg(ARGUMENT).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
                let _ = started.send(command.spawn());
            }
        });
        orders
    });
    let (started, child) = mpsc::channel();
    let gone = || io::Error::other("the thread that starts workers has ended");
    orders.send((path.to_path_buf(), started)).map_err(|_| gone())?;
    child.recv().map_err(|_| gone())?
}

fn read_replies(mut from: impl BufRead, to: &mpsc::Sender<Event>) {
    let mut line = Vec::new();
    loop {
        line.clear();
        let event = match from.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => Event::Closed,
            Ok(_) => serde_json::from_slice(&line).map_or(Event::Nonsense, |reply| Event::Reply(Box::new(reply))),
        };
        let last = !matches!(event, Event::Reply(_));
        if to.send(event).is_err() || last {
            return;
        }
    }
}

/// Reads to the end and keeps the last bytes.
fn tail(mut from: impl Read) -> Vec<u8> {
    let mut kept = VecDeque::new();
    let mut piece = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut piece) {
        kept.extend(&piece[..read]);
        let excess = kept.len().saturating_sub(STDERR_BYTES);
        kept.drain(..excess);
    }
    kept.into()
}

#[cfg(test)]
mod tests {
    use super::without_hint;

    #[test]
    fn a_report_has_no_advice_on_backtraces() {
        let said = "memory allocation of 64 bytes failed\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace";
        assert_eq!(without_hint(said), "memory allocation of 64 bytes failed");
        assert_eq!(without_hint("one\ntwo"), "one\ntwo");
    }
}
