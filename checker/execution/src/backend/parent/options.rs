//! How a worker is started, and how long it may take.

use super::room::{Part, Room};
use crate::backend::MEMORY;
use crate::backend::spent::{Spent, longest};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A worker may use so much, whatever its share is: 512 MiB for data, and what is beside them.
const LEAST: u64 = (512 << 20) / 15 * 16;

/// So many workers may work at the same time, whatever the number of cores.
pub const AT_ONCE: usize = (MEMORY / LEAST) as usize;

/// Between two looks at what a unit has had, at least.
const LOOK: Duration = Duration::from_millis(20);

/// How workers are run.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// What one version at one size (or one measurement) may take, all its runs together: on the simulator of processor time, if that is
    /// less than the clock says.
    pub timeout: Duration,
    /// When all has to end, whatever is left to do.
    pub until: Option<Instant>,
    /// Set when nobody wants to know any more: then it ends as if the time were over.
    pub given_up: Option<Arc<AtomicBool>>,
    /// Bytes that a worker may use on the simulator; how they are dealt out: `parent::room`.
    pub memory: u64,
    /// Where it takes them from while it works, if others do, too.
    pub room: Option<Arc<Room>>,
    /// Host threads of a watched launch on the simulator: cores that no other worker uses at the same time.
    pub cores: usize,
    /// The worker's executable; by default the checker's own.
    pub worker: Option<PathBuf>,
}

impl Default for WorkerOptions {
    fn default() -> Self {
        let timeout = Duration::from_secs(20);
        Self { timeout, until: None, given_up: None, memory: MEMORY, room: None, cores: 1, worker: None }
    }
}

impl WorkerOptions {
    /// For one of `workers` that run at the same time: they share this memory.
    pub fn one_of(self, workers: usize) -> Self {
        Self { memory: self.memory / workers.max(1) as u64, ..self }
    }

    /// What a worker may use on the simulator. With as many workers as eight cores run, a share would be less than some of the workbook's
    /// kernels need.
    pub(in crate::backend) fn share(&self) -> u64 {
        self.memory.max(LEAST)
    }

    /// Waits until there is memory for a worker; nothing if there is none in time.
    pub(super) fn part(&self) -> Option<Option<Part<'_>>> {
        match &self.room {
            Some(room) => room.take(self.share(), self.until).map(Some),
            None => Some(None),
        }
    }

    /// How much longer a unit that has had this may have before somebody looks again; nothing if it has to end.
    pub(super) fn more(&self, spent: &Spent) -> Option<Duration> {
        if self.is_given_up() {
            return None;
        }
        let all = longest(self.timeout, self.left().map(|left| left + spent.wall));
        let left = self.timeout.saturating_sub(spent.counts()).min(all.saturating_sub(spent.wall));
        let look = if self.given_up.is_some() { LOOK } else { Duration::MAX };
        (!left.is_zero()).then_some(left.max(LOOK).min(look))
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

    /// Does nobody want to know any more?
    pub(super) fn is_given_up(&self) -> bool {
        self.given_up.as_ref().is_some_and(|given_up| given_up.load(Relaxed))
    }

    /// Is the time for all of it over?
    pub(super) fn is_over(&self) -> bool {
        self.is_given_up() || self.until.is_some_and(|until| Instant::now() >= until)
    }
}
