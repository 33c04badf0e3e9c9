//! What verification needs of a backend. Nothing above this line asks which one it is talking to.

use super::message::job::{Output, Program, Varying};
use crate::backend::{Fault, Found, JobError, Profile, Status};
use simulator::explore::Effort;
use simulator::steer::Aim;
use simulator::{Condition, LaunchReport, Schedule, Witness};
use std::collections::BTreeSet;
use std::ops::Range;

/// Why a session cannot go on.
#[derive(Debug, Clone, PartialEq)]
pub enum Stop {
    /// A launch faulted.
    Fault(Fault),
    /// A launch cannot start.
    BadLaunch {
        /// Which, from 0.
        launch: usize,
        /// Its line in the kernel file.
        line: u32,
        /// What is wrong.
        message: String,
    },
    /// Not the kernel's fault.
    Failure(JobError),
}

impl From<JobError> for Stop {
    fn from(failure: JobError) -> Self {
        Self::Failure(failure)
    }
}

impl Stop {
    /// As a status, unless it is the environment's failure.
    pub fn status(self) -> Result<Status, JobError> {
        match self {
            Self::Fault(fault) => Ok(Status::Fault { fault }),
            Self::BadLaunch { launch, line, message } => Ok(Status::BadLaunch { launch, line, message }),
            Self::Failure(failure) => Err(failure),
        }
    }
}

/// A write outside a buffer, seen afterwards in its guard zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenGuard {
    /// Index of the buffer in the plan.
    pub buffer: usize,
    /// Bytes from the buffer's start.
    pub offset: i64,
}

/// Elements of an input that no launch read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The input.
    pub buffer: String,
    /// The first of them.
    pub first: u64,
    /// How many.
    pub count: u64,
    /// Their bytes, ascending.
    pub ranges: Vec<Range<u64>>,
}

impl Unread {
    /// Their bytes as indices.
    pub fn bytes(&self) -> impl Iterator<Item = Range<usize>> {
        self.ranges.iter().map(|range| range.start as usize..range.end as usize)
    }
}

/// What one pass over a plan's launches had to say.
#[derive(Debug, Default)]
pub struct Pass {
    /// Simulator: one report a launch that ran.
    pub reports: Vec<LaunchReport>,
    /// GPU: what was printed. (The simulator's is in the reports.)
    pub printf: Vec<u8>,
    /// GPU: printed bytes that were dropped.
    pub printf_dropped: u64,
    /// Simulator: blocks of the device heap that nobody freed, and their bytes.
    pub heap_left: (u64, u64),
    /// Why it ended early.
    pub stop: Option<Stop>,
}

/// What some blocks of a large size tell.
#[derive(Debug, Default)]
pub struct Sampled {
    /// How it fared; `None` where nothing can be told.
    pub status: Option<Status>,
    /// What the simulator caught in blocks that were watched.
    pub findings: Vec<Found>,
}

/// An input of independent elements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Free {
    /// Its index in the plan.
    pub buffer: usize,
    /// The least that an element may be, ...
    pub low: f64,
    /// ... and the most: of reals less than that.
    pub high: f64,
}

/// Bytes of an input that become others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Index of the buffer in the plan.
    pub buffer: usize,
    /// The first of them.
    pub at: usize,
    /// What stands there then.
    pub bytes: Vec<u8>,
}

/// Inputs by which a condition of the code comes out as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turned {
    /// The operation that makes it.
    pub at: u32,
    /// What was wanted of it.
    pub aim: Aim,
    /// Source file, as the compiler got it; empty without one.
    pub file: String,
    /// Source line; 0 without one.
    pub line: u32,
    /// What changes.
    pub changes: Vec<Change>,
    /// It does so only once a word that is passed on is the first of these, and others stay the others.
    pub goal: Vec<u64>,
    /// Perhaps it does: what is asked about was made of what changes.
    pub guess: bool,
}

/// A backend.
pub trait Machine {
    /// Loads a program and allocates its buffers.
    fn open(&self, program: &Program) -> Result<Box<dyn Session + '_>, Stop>;
    /// The same for a program that is shipped and proven: nobody watches it.
    fn open_trusted(&self, program: &Program) -> Result<Box<dyn Session + '_>, Stop> {
        self.open(program)
    }
    /// Simulator: as [`Machine::open`], and every launch says who wrote last to one element of a buffer.
    fn open_tracking(
        &self,
        _program: &Program,
        _buffer: usize,
        _element: u64,
    ) -> Result<Option<Box<dyn Session + '_>>, Stop> {
        Ok(None)
    }
    /// Schedules to run under; `[None]` where there are none.
    fn schedules(&self) -> Vec<Option<Schedule>>;
    /// Simulator: judges a version by some blocks of a size that is too large for all of them, beside a size that is not.
    /// `followed`: as [`Thoroughness::Sampled`](super::message::job::Thoroughness::Sampled) says.
    fn sampled(
        &self,
        _programs: (&Program, &Program),
        _oracle: Option<&Program>,
        _outputs: &[Output],
        _seed: u64,
        _followed: bool,
    ) -> Result<Sampled, Stop> {
        Ok(Sampled::default())
    }
    /// Simulator: what a version does at a size (`far`) and at none that is run whole (`near`), and the first size of `ladder`
    /// by which all of it was met; `None` where that is nothing.
    fn untried(
        &self,
        _far: &Program,
        _near: &[Program],
        _ladder: &[Program],
        _seed: u64,
    ) -> Result<Option<Status>, Stop> {
        Ok(None)
    }
    /// Simulator: what a version does at each of some sizes that it does at none before, nor at those of which more is known.
    fn news(&self, _known: &[Program], _asked: &[Program], _seed: u64) -> Result<Vec<Option<Status>>, Stop> {
        Ok(Vec::new())
    }
    /// Simulator: sizes at which conditions come out as in no blocks that were run of known ones.
    fn meant(&self, _known: &[Program], _varying: &Varying, _seed: u64) -> Result<Vec<Vec<i64>>, Stop> {
        Ok(Vec::new())
    }
    /// Simulator: what some blocks of every launch do, of at most so many warp instructions a block; or all blocks. `small`: the same version at
    /// a size that may be run whole.
    fn profiled(
        &self,
        _program: &Program,
        _small: Option<&Program>,
        _seed: u64,
        _steps: u64,
    ) -> Result<Option<Profile>, Stop> {
        Ok(None)
    }
    /// Simulator: find the shortest order of a run that failed under an explored schedule, at this cost.
    fn effort(&self) -> Option<Effort> {
        None
    }
    /// A fault has left the device unusable for this process.
    fn broken(&self) -> bool;
}

/// A loaded program with its buffers, by their index in the plan. Its module's variables keep their values from pass
/// to pass.
pub trait Session {
    /// Writes a buffer from its start.
    fn write(&mut self, buffer: usize, bytes: &[u8]) -> Result<(), Stop>;
    /// Fills a whole buffer with a byte; a simulator still counts it as uninitialised.
    fn poison(&mut self, buffer: usize, byte: u8) -> Result<(), Stop>;
    /// Reads from byte `offset` on.
    fn read(&mut self, buffer: usize, offset: u64, into: &mut [u8]) -> Result<(), Stop>;
    /// Simulator: from now on the same module is launched by this program's plan, with buffers of its own; its variables keep their
    /// values. Without one, by its own again. False where nothing of this is done.
    fn visit(&mut self, _other: Option<&Program>) -> Result<bool, Stop> {
        Ok(false)
    }
    /// Simulator: what is in memory and registers that nothing has written is drawn from `seed`.
    fn draw(&mut self, _seed: u64) {}
    /// Simulator: clocks and places of blocks, warps and grids are another machine's, by this number, from the next pass on.
    fn appear(&mut self, _machine: u64) {}
    /// Simulator: has the next pass the checks that the job says, or none at all? After one that was not none is until the next session.
    fn set_checked(&mut self, _checked: bool) {}
    /// Simulator: a launch ends after so many warp instructions, at most.
    fn at_most(&mut self, _steps: u64) {}
    /// Simulator: what a pass under [`Schedule::Replay`] follows.
    fn follow(&mut self, _witness: &Witness) {}
    /// Simulator: what passes read of the inputs is noted from now on.
    fn note_reads(&mut self) -> Result<(), Stop> {
        Ok(())
    }
    /// Simulator: what they did not read since, where that is little, and where it can be told.
    fn unread(&self) -> Vec<Unread> {
        Vec::new()
    }
    /// Simulator: what every condition of the code comes to in a pass that nobody watches.
    fn conditions(&mut self) -> Result<Vec<Condition>, Stop> {
        Ok(Vec::new())
    }
    /// Simulator: in a pass that nobody watches looks for inputs by which conditions ([`Condition::at`]) come to what is wanted of them.
    /// `goals`: what an earlier pass found that has to be made and passed on.
    fn turn(
        &mut self,
        _wanted: BTreeSet<(u32, Aim)>,
        _goals: &[Turned],
        _inputs: &[Free],
        _seed: u64,
    ) -> Result<Vec<Turned>, Stop> {
        Ok(Vec::new())
    }
    /// All launches of the plan in order, to their end, and what the host does after them.
    fn pass(&mut self, schedule: Option<Schedule>) -> Pass;
    /// Looks for writes outside the buffers; a backend that catches them as they happen finds none.
    fn broken_guard(&mut self) -> Result<Option<BrokenGuard>, Stop>;
}
