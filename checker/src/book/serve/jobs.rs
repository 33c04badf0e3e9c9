//! The queue: a thread a job, and a process a job that runs. Jobs go in the order in which they came, so many at a time; a page
//! has one at a time. Whoever stops listening ends its job, with the processes of it.
//!
//! A job's process gets its order as a line on the standard input, which stays open as long as somebody listens. Its lines are
//! handed on as they come; the last one when its place in the queue is free again.

use super::super::job::Said;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Write};
use std::net::IpAddr;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Jobs that one guest's address may have in the queue.
const OF_ONE_GUEST: usize = 4;
/// Jobs in the queue.
const LONGEST: usize = 100;
/// How long a job's process has to clean up after itself.
const GRACE: Duration = Duration::from_secs(2);

/// Whose job it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whose {
    /// A page's name for itself.
    pub page: String,
    /// Where a guest is.
    pub guest: Option<IpAddr>,
}

/// Why there is no job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    /// Everybody's.
    #[error("{LONGEST} jobs are waiting already; next: try again in a minute")]
    Queue,
    /// One guest's.
    #[error("{OF_ONE_GUEST} jobs of yours are waiting already; next: close a page, or wait")]
    Guest,
}

/// All jobs.
#[derive(Debug)]
pub struct Queue {
    jobs: Mutex<Jobs>,
    changed: Condvar,
    /// At the same time.
    limit: usize,
}

#[derive(Debug, Default)]
struct Jobs {
    next: u64,
    waiting: VecDeque<Arc<Job>>,
    running: Vec<Arc<Job>>,
}

#[derive(Debug)]
struct Job {
    number: u64,
    whose: Whose,
    ended: AtomicBool,
    child: Mutex<Option<Child>>,
}

/// What a job says, a line of JSON at a time; dropped, it ends the job.
#[derive(Debug)]
pub struct Listener {
    /// Closed after the last line.
    pub lines: UnboundedReceiver<String>,
    job: Arc<Job>,
    queue: Arc<Queue>,
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.queue.end(&self.job);
    }
}

/// The last word of a job that was ended.
fn ended() -> String {
    Said::Failed("the job was ended before it had an answer".to_owned()).line()
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Queue {
    /// An empty one; `limit` jobs run at the same time.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { jobs: Mutex::default(), changed: Condvar::new(), limit: limit.max(1) })
    }

    /// Puts a job at the end: `command`, once it is its turn, with `order` as its input. What the same page had before is ended.
    ///
    /// # Errors
    /// There are too many.
    pub fn start(self: &Arc<Self>, whose: Whose, command: Command, order: Vec<u8>) -> Result<Listener, QueueError> {
        let (say, lines) = unbounded_channel();
        let mut jobs = hold(&self.jobs);
        let (before, others): (Vec<_>, Vec<_>) =
            jobs.waiting.iter().chain(&jobs.running).cloned().partition(|job| job.whose == whose);
        if others.len() >= LONGEST {
            return Err(QueueError::Queue);
        }
        let of_guest = |job: &&Arc<Job>| whose.guest.is_some() && job.whose.guest == whose.guest;
        if others.iter().filter(of_guest).count() >= OF_ONE_GUEST {
            return Err(QueueError::Guest);
        }
        jobs.next += 1;
        let job = Arc::new(Job { number: jobs.next, whose, ended: AtomicBool::new(false), child: Mutex::new(None) });
        jobs.waiting.push_back(job.clone());
        drop(jobs);
        before.iter().for_each(|job| self.end(job));
        let (queue, own) = (self.clone(), job.clone());
        std::thread::spawn(move || {
            let last = if queue.turn(&own, &say) {
                let last = own.run(command, &order, &say);
                queue.leave(&own);
                last
            } else {
                ended()
            };
            // Nobody may be listening any more.
            let _ = say.send(last);
        });
        Ok(Listener { lines, job, queue: self.clone() })
    }

    /// Ends a job: one that waits goes, one that runs is told to.
    fn end(&self, job: &Arc<Job>) {
        job.ended.store(true, Ordering::SeqCst);
        hold(&self.jobs).waiting.retain(|other| other.number != job.number);
        self.changed.notify_all();
        job.stop();
    }

    /// Waits until it is the job's turn; false if it was ended before.
    fn turn(&self, job: &Arc<Job>, say: &UnboundedSender<String>) -> bool {
        let mut jobs = hold(&self.jobs);
        let mut told = 0;
        loop {
            let Some(place) = jobs.waiting.iter().position(|other| other.number == job.number) else { return false };
            if place == 0 && jobs.running.len() < self.limit {
                jobs.waiting.pop_front();
                jobs.running.push(job.clone());
                self.changed.notify_all();
                return true;
            }
            let before = place + jobs.running.len();
            if before != told {
                let _ = say.send(Said::Waiting(before).line());
                told = before;
            }
            jobs = self.changed.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn leave(&self, job: &Job) {
        hold(&self.jobs).running.retain(|other| other.number != job.number);
        self.changed.notify_all();
    }
}

impl Job {
    /// Does it in a process of its own, and gives the last line.
    fn run(self: &Arc<Self>, command: Command, order: &[u8], say: &UnboundedSender<String>) -> String {
        match self.process(command, order, say) {
            Ok(Some(last)) => last,
            Ok(None) => ended(),
            Err(error) => Said::Failed(format!("the job could not be started: {error}")).line(),
        }
    }

    fn process(
        self: &Arc<Self>,
        mut command: Command,
        order: &[u8],
        say: &UnboundedSender<String>,
    ) -> io::Result<Option<String>> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (mut input, output) = (child.stdin.take(), child.stdout.take());
        *hold(&self.child) = Some(child);
        if self.ended.load(Ordering::SeqCst) {
            self.stop();
        }
        if let Some(input) = &mut input {
            // One that has ended already says so by its output.
            let _ = input.write_all(order).and_then(|()| input.write_all(b"\n"));
        }
        let mut last: Option<String> = None;
        for line in output.into_iter().flat_map(|output| BufReader::new(output).lines()) {
            if let Some(line) = last.replace(line?) {
                let _ = say.send(line);
            }
        }
        drop(input);
        let ended = hold(&self.child).take().map(|mut child| child.wait()).transpose()?;
        // Steps are no last word.
        Ok(last.filter(|_| ended.is_some_and(|status| status.success())))
    }

    /// Asks the process to end, and sees to it.
    fn stop(self: &Arc<Self>) {
        let Some(process) = hold(&self.child).as_ref().map(rustix::process::Pid::from_child) else { return };
        let _ = rustix::process::kill_process(process, rustix::process::Signal::TERM);
        let job = self.clone();
        std::thread::spawn(move || {
            std::thread::sleep(GRACE);
            if let Some(child) = hold(&job.child).as_mut() {
                let _ = child.kill();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    fn of(page: &str) -> Whose {
        Whose { page: page.to_owned(), guest: None }
    }

    fn next(listener: &mut Listener) -> Option<String> {
        listener.lines.blocking_recv()
    }

    #[test]
    fn jobs_wait_for_each_other_and_say_what_their_processes_say() {
        let queue = Queue::new(1);
        // Lives as long as its input is open.
        let mut first =
            queue.start(of("a"), shell("read x; echo $x; echo two; cat >/dev/null"), b"one".to_vec()).unwrap();
        assert_eq!(next(&mut first).as_deref(), Some("one"));
        let mut second = queue.start(of("b"), shell("echo second"), Vec::new()).unwrap();
        let mut third = queue.start(of("c"), shell("exit 3"), Vec::new()).unwrap();
        assert_eq!(next(&mut second).as_deref(), Some(r#"{"waiting":1}"#));
        assert_eq!(next(&mut third).as_deref(), Some(r#"{"waiting":2}"#));
        // Nobody listens to the first any more: it ends, and the others have their turn.
        drop(first);
        assert_eq!(next(&mut second).as_deref(), Some("second"));
        assert_eq!(next(&mut second), None);
        let told: Vec<String> = std::iter::from_fn(|| next(&mut third)).collect();
        assert!(told.last().is_some_and(|last| last.contains("failed")), "{told:?}");
        assert!(hold(&queue.jobs).running.is_empty() && hold(&queue.jobs).waiting.is_empty());
    }

    #[test]
    fn a_page_has_one_job_and_a_guest_a_few() {
        let queue = Queue::new(1);
        let mut old = queue.start(of("a"), shell("echo on; cat >/dev/null"), Vec::new()).unwrap();
        let mut new = queue.start(of("a"), shell("echo new"), Vec::new()).unwrap();
        let told: Vec<String> =
            std::iter::from_fn(|| next(&mut new)).filter(|line| !line.contains("waiting")).collect();
        assert_eq!(told, ["new"]);
        let told: Vec<String> = std::iter::from_fn(|| next(&mut old)).collect();
        assert!(told.last().is_some_and(|last| last.contains("was ended before")), "{told:?}");

        let guest = |page: usize, last| Whose { page: format!("{page}"), guest: Some(IpAddr::from([10, 0, 0, last])) };
        let wait = || shell("cat >/dev/null");
        let kept: Vec<_> =
            (0..OF_ONE_GUEST).map(|page| queue.start(guest(page, 1), wait(), Vec::new()).unwrap()).collect();
        assert_eq!(queue.start(guest(9, 1), wait(), Vec::new()).unwrap_err(), QueueError::Guest);
        let mut more = vec![queue.start(guest(10, 2), wait(), Vec::new()).unwrap()];
        more.extend(
            (more.len() + kept.len()..LONGEST)
                .map(|page| queue.start(of(&format!("own {page}")), wait(), Vec::new()).unwrap()),
        );
        assert_eq!(queue.start(of("one more"), wait(), Vec::new()).unwrap_err(), QueueError::Queue);
        let _again = queue.start(of("own 50"), wait(), Vec::new()).expect("it takes the place of its page's last");
        let named_alike = Whose { page: "own 50".to_owned(), guest: Some(IpAddr::from([10, 0, 0, 3])) };
        assert_eq!(
            queue.start(named_alike, wait(), Vec::new()).unwrap_err(),
            QueueError::Queue,
            "a guest ends nobody's job"
        );
    }

    #[test]
    fn a_process_that_does_not_listen_is_ended_all_the_same() {
        let queue = Queue::new(1);
        let deaf = shell("trap '' TERM; echo $$; while :; do sleep 0.05; done");
        let mut job = queue.start(of("a"), deaf, Vec::new()).unwrap();
        let mut next_one = queue.start(of("b"), shell("echo free"), Vec::new()).unwrap();
        assert_eq!(next(&mut next_one).as_deref(), Some(r#"{"waiting":1}"#));
        job.lines.close();
        drop(job);
        assert_eq!(next(&mut next_one).as_deref(), Some("free"));
    }
}
