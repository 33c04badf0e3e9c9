//! The worker: requests on standard input, one after the other, replies as JSON lines on standard output. It ends when its
//! standard input closes, so it never outlives its parent.

mod alarm;
pub(super) mod capture;
mod limits;

use super::gpu::{self, Gpu};
use super::machine::Machine;
use super::message::job::{Artefact, Job, Measure, Needs, On, Verify};
use super::parent::WorkerOptions;
use super::sim::{Modules, Sim};
use crate::backend::{JobError, NoGpuError, Reply};
use crate::measure;
use crate::verify::case::run_case;
use alarm::Alarm;
use capture::Capture;
use serde::{Deserialize, Serialize};
use simulator::Config;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, OnceLock, mpsc};
use std::time::{Duration, Instant};
use system::calls::Programs;

/// The hidden argument that makes the checker a worker.
pub const ARGUMENT: &str = "__worker";

/// Bytes of code beyond which a worker forgets what it was sent.
const SENT: usize = 8 << 20;

/// What a worker reads, on one line.
#[derive(Debug, Serialize, Deserialize)]
pub struct WorkerRequest {
    /// What to do. Its programs lack their artefacts.
    job: Job,
    /// Of the compiled code that it was sent before it keeps so much, from the first on.
    kept: usize,
    /// More of it, once each: a job names the same dozens of times, and the next job does again.
    artefacts: Vec<Arc<Artefact>>,
    /// Which of all these each of the job's programs has, in their order.
    places: Vec<usize>,
    /// Units (case or timing, version) that are known already: an earlier worker died over the one before.
    known: Vec<(usize, usize)>,
    /// Most bytes of address space, for jobs on the simulator.
    memory: u64,
    /// Host threads of a watched launch there.
    cores: usize,
    /// What a unit may take,
    unit: Duration,
    /// and all of them together, from now on.
    all: Option<Duration>,
    /// What it reads on the simulator, besides this line.
    reads: Vec<PathBuf>,
    /// It writes files there, too.
    writes: bool,
}

impl WorkerRequest {
    /// For this job, and a worker that has been sent this; what it is sent now is added.
    pub(super) fn new(
        job: &Job,
        needs: &Needs,
        known: &[(usize, usize)],
        options: &WorkerOptions,
        sent: &mut Vec<Arc<Artefact>>,
    ) -> Self {
        let mut job = job.clone();
        if sent.iter().map(|artefact| artefact.text()).sum::<usize>() > SENT {
            sent.clear();
        }
        let (kept, mut places) = (sent.len(), Vec::new());
        job.each_program(&mut |program| {
            let artefact = std::mem::take(&mut program.artefact);
            let known = sent.iter().position(|known| Arc::ptr_eq(known, &artefact) || *known == artefact);
            places.push(known.unwrap_or(sent.len()));
            if known.is_none() {
                sent.push(artefact);
            }
        });
        let artefacts = sent[kept..].to_vec();
        let (reads, writes) = (needs.reads.iter().cloned().collect(), needs.writes);
        let (memory, &WorkerOptions { cores, timeout: unit, .. }) = (options.share(), options);
        Self {
            job,
            kept,
            artefacts,
            places,
            known: known.to_vec(),
            memory,
            cores,
            unit,
            all: options.left(),
            reads,
            writes,
        }
    }

    /// The job as it was; `had` is what was sent before.
    fn take_job(&mut self, had: &mut Vec<Arc<Artefact>>) -> Job {
        let mut job = std::mem::replace(&mut self.job, Job::Devices);
        had.truncate(self.kept);
        had.append(&mut self.artefacts);
        let mut places = self.places.iter().filter_map(|&place| had.get(place));
        job.each_program(&mut |program| program.artefact = places.next().cloned().unwrap_or_default());
        job
    }
}

/// Called first in `main`: a worker does its work and ends here. Its exit status tells nothing that its replies do not.
pub fn dispatch() {
    if std::env::args_os().nth(1).is_none_or(|argument| argument != ARGUMENT) {
        return;
    }
    limits::at_start();
    let status = match serve() {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("worker: {error}");
            3
        }
    };
    std::process::exit(status);
}

fn serve() -> io::Result<()> {
    let (replies, capture) = Capture::start()?;
    let mut replies = Replies { to: replies };
    let capture = Rc::new(capture);
    let modules = Modules::default();
    let alarm = Alarm::start();
    let mut had = Vec::new();
    for line in requests() {
        let mut request: WorkerRequest = serde_json::from_str(&line)?;
        drop(line);
        let job = request.take_job(&mut had);
        let done = match &job {
            Job::Verify(verify) => run_verify(verify, &request, (&capture, &modules, &alarm), &mut replies),
            Job::Measure(measure) => run_measure(measure, &request.known, capture.clone(), &mut replies),
            Job::Roof { ordinal, tools } => {
                Gpu::open(*ordinal, capture.clone()).and_then(|gpu| measure::measure_roof(&gpu, tools)).map(|roof| {
                    replies.send(&Reply::Roof(roof));
                    Reply::Done
                })
            }
            Job::Free { ordinal } => free(*ordinal, &capture).map(|bytes| {
                replies.send(&Reply::Free(bytes));
                Reply::Done
            }),
            Job::Devices => gpu::devices().map_err(JobError::NoGpu).map(|devices| {
                replies.send(&Reply::Devices(devices));
                Reply::Done
            }),
        };
        drop(job);
        let done = done.unwrap_or_else(Reply::Failed);
        replies.send(&done);
        if done != Reply::Ready {
            break;
        }
    }
    Ok(())
}

/// Lines of standard input. When nothing more comes, the parent has ended, and so does this process, whatever it is at.
fn requests() -> mpsc::Receiver<String> {
    let (lines, read) = mpsc::channel();
    std::thread::spawn(move || {
        let mut stdin = BufReader::new(io::stdin());
        let mut line = String::new();
        while let Ok(1..) = stdin.read_line(&mut line) {
            if lines.send(std::mem::take(&mut line)).is_err() {
                return;
            }
        }
        std::process::exit(3);
    });
    read
}

fn run_verify(
    verify: &Verify,
    request: &WorkerRequest,
    (capture, modules, alarm): (&Rc<Capture>, &Modules, &Alarm),
    replies: &mut Replies,
) -> Result<Reply, JobError> {
    let began = Instant::now();
    let (mut closed, mut confined) = (false, false);
    let machine: Box<dyn Machine> = match &verify.on {
        On::Sim { config, schedules, minimise } => {
            limits::memory(request.memory);
            // A GPU's driver has needs of its own.
            static CLOSED: OnceLock<(bool, bool)> = OnceLock::new();
            (closed, confined) = *CLOSED.get_or_init(|| {
                limits::files();
                // Nothing is written but what somebody asked for at his own terminal; such a worker takes no other job.
                let confined = !request.writes && system::sandbox::confine(&readable(&request.reads), None);
                (system::calls::close(Programs::Refused), confined)
            });
            limits::host_threads(request.cores);
            let config = Config { shares: request.cores, ..config.clone() };
            let sim = Sim::new(config, schedules.clone(), *minimise, modules.clone());
            Box::new(sim.until(alarm.bell()))
        }
        On::Gpu { ordinal } => Box::new(Gpu::open(*ordinal, capture.clone())?),
    };
    let mut failed = HashSet::new();
    for (number, case) in verify.cases.iter().enumerate() {
        let skipped = failed.clone();
        let wanted = |version| !request.known.contains(&(number, version)) && !skipped.contains(&version);
        if !(0..case.versions.len()).any(wanted) {
            continue;
        }
        run_case(&*machine, number, case, &wanted, &mut |mut reply| {
            if let Reply::Started { .. } = &reply {
                let left = request.all.map(|all| all.saturating_sub(began.elapsed()));
                alarm.set(request.unit, left);
            }
            if let Reply::Checked { result, .. } = &mut reply {
                (result.closed, result.confined) = (closed, confined);
                if alarm.was_hasty() {
                    result.cut_short();
                }
            }
            if let Reply::Checked { version, result, .. } = &reply
                && verify.stop_at_failure
                && !result.status.passed()
            {
                failed.insert(*version);
            }
            replies.send(&reply);
        })?;
        if machine.broken() {
            return Ok(Reply::Broken);
        }
    }
    drop(machine);
    // Memory that it keeps would be missed by the next job.
    let ready = verify.on.is_sim() && !request.writes && limits::is_light();
    Ok(if ready { Reply::Ready } else { Reply::Done })
}

/// What a simulation opens: the files of its inputs, and where the system says how much memory it has.
fn readable(reads: &[PathBuf]) -> Vec<PathBuf> {
    // Asked for now: where a container says it, it cannot be read any more.
    limits::threads();
    reads.iter().cloned().chain([PathBuf::from("/proc/self")]).collect()
}

/// Device memory that nobody has, after something was written there and read again: a GPU that still runs somebody's kernel, or
/// that hangs, does not come that far.
fn free(ordinal: u32, capture: &Rc<Capture>) -> Result<u64, JobError> {
    const WORDS: [u8; 8] = *b"free now";
    let gpu = Gpu::open(ordinal, capture.clone())?;
    let bytes = gpu::driver::free_memory().map_err(gpu::failure)?;
    let mut back = [0; WORDS.len()];
    let used = gpu::driver::Memory::new(WORDS.len())
        .and_then(|memory| memory.write(0, &WORDS).and_then(|()| memory.read(0, &mut back)));
    drop(gpu);
    used.map_err(gpu::failure)?;
    if back == WORDS {
        Ok(bytes)
    } else {
        Err(JobError::NoGpu(NoGpuError::Driver {
            name: "memory".into(),
            message: "it does not keep what is written".into(),
        }))
    }
}

fn run_measure(
    job: &Measure,
    known: &[(usize, usize)],
    capture: Rc<Capture>,
    replies: &mut Replies,
) -> Result<Reply, JobError> {
    // Asked before this process is on the GPU itself.
    let neighbours = gpu::uuid(job.ordinal).ok().and_then(|uuid| measure::neighbours(&uuid));
    let gpu = Gpu::open(job.ordinal, capture)?;
    let tools = measure::Tools::open(&gpu, &job.tools)?;
    for (number, timing) in job.timings.iter().enumerate() {
        if known.contains(&(number, 0)) {
            continue;
        }
        let mut result = measure::time(&gpu, &tools, timing, &mut |version| {
            replies.send(&Reply::Started { case: number, version });
        })?;
        result.neighbours.clone_from(&neighbours);
        replies.send(&Reply::Timed { timing: number, result: Box::new(result) });
        if gpu.broken() {
            return Ok(Reply::Broken);
        }
    }
    Ok(Reply::Done)
}

struct Replies {
    to: File,
}

impl Replies {
    /// One line. When the parent has gone there is nobody left to work for.
    fn send(&mut self, reply: &Reply) {
        let sent = serde_json::to_vec(reply).map_err(io::Error::from).and_then(|mut line| {
            line.push(b'\n');
            self.to.write_all(&line)
        });
        if let Err(error) = sent {
            eprintln!("worker: {error}");
            std::process::exit(3);
        }
    }
}
