//! The worker: one request on standard input, replies as JSON lines on standard output. It ends when its standard input
//! closes, so it never outlives its parent.

use super::capture::Capture;
use super::gpu::{self, Gpu};
use super::job::{Job, Measure, On, Verify};
use super::limits;
use super::machine::Machine;
use super::sim::Sim;
use crate::backend::{Failure, Reply};
use crate::measure;
use crate::verify::case::run_case;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::rc::Rc;

/// The hidden argument that makes the checker a worker.
pub const ARGUMENT: &str = "__worker";

/// What a worker reads first, on one line.
#[derive(Debug, Serialize, Deserialize)]
pub struct Request {
    /// What to do.
    pub job: Job,
    /// Units (case or timing, version) that are known already: an earlier worker died over the one before.
    pub known: Vec<(usize, usize)>,
    /// Most bytes of address space, for jobs on the simulator.
    pub memory: u64,
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
    let mut line = String::new();
    let mut stdin = BufReader::new(io::stdin());
    stdin.read_line(&mut line)?;
    let request: Request = serde_json::from_str(&line)?;
    drop(line);
    // Nothing more comes: when this ends, the parent has ended.
    std::thread::spawn(move || {
        let _ = stdin.read(&mut [0]);
        std::process::exit(3);
    });
    let done = match &request.job {
        Job::Verify(verify) => run_verify(verify, &request, Rc::new(capture), &mut replies),
        Job::Measure(measure) => run_measure(measure, &request.known, Rc::new(capture), &mut replies),
        Job::Roof { ordinal, tools } => {
            Gpu::open(*ordinal, Rc::new(capture)).and_then(|gpu| measure::measure_roof(&gpu, tools)).map(|roof| {
                replies.send(&Reply::Roof(roof));
                Reply::Done
            })
        }
        Job::Devices => gpu::devices().map_err(Failure::NoGpu).map(|devices| {
            replies.send(&Reply::Devices(devices));
            Reply::Done
        }),
    };
    replies.send(&done.unwrap_or_else(Reply::Failed));
    Ok(())
}

fn run_verify(
    verify: &Verify,
    request: &Request,
    capture: Rc<Capture>,
    replies: &mut Replies,
) -> Result<Reply, Failure> {
    let machine: Box<dyn Machine> = match &verify.on {
        On::Sim { config, schedules, minimise } => {
            limits::memory(request.memory);
            // A GPU's driver has needs of its own.
            system::calls::close();
            Box::new(Sim::new(config.clone(), schedules.clone(), *minimise))
        }
        On::Gpu { ordinal } => Box::new(Gpu::open(*ordinal, capture)?),
    };
    let mut failed = HashSet::new();
    for (number, case) in verify.cases.iter().enumerate() {
        let skipped = failed.clone();
        let wanted = |version| !request.known.contains(&(number, version)) && !skipped.contains(&version);
        if !(0..case.versions.len()).any(wanted) {
            continue;
        }
        run_case(&*machine, number, case, &wanted, &mut |reply| {
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
    Ok(Reply::Done)
}

fn run_measure(
    job: &Measure,
    known: &[(usize, usize)],
    capture: Rc<Capture>,
    replies: &mut Replies,
) -> Result<Reply, Failure> {
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
