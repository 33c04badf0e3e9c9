//! How a worker is started, and how long it may take.

use crate::backend::MEMORY;
use std::path::PathBuf;
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
    /// Host threads of a watched launch on the simulator: cores that no other worker uses at the same time.
    pub cores: usize,
    /// The worker's executable; by default the checker's own.
    pub worker: Option<PathBuf>,
}

impl Default for WorkerOptions {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(20), until: None, memory: MEMORY, cores: 1, worker: None }
    }
}

impl WorkerOptions {
    /// For one of `workers` that run at the same time: they share this memory.
    pub fn one_of(self, workers: usize) -> Self {
        Self { memory: self.memory / workers.max(1) as u64, ..self }
    }

    /// When a unit that begins now has to end.
    pub(super) fn deadline(&self) -> Instant {
        let own = Instant::now() + self.timeout;
        self.until.map_or(own, |until| own.min(until))
    }

    /// What is left for all of it.
    pub(in crate::backend) fn left(&self) -> Option<Duration> {
        self.until.map(|until| until.saturating_duration_since(Instant::now()))
    }

    /// Is the time for all of it over, or so nearly that a worker's clock has rung ([`crate::backend::worker::alarm`])?
    pub(super) fn is_nearly_over(&self) -> bool {
        const RUNG: Duration = Duration::from_secs(2);
        self.until.is_some_and(|until| until.saturating_duration_since(Instant::now()) <= RUNG)
    }

    /// Is the time for all of it over?
    pub(super) fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}
