//! What all blocks of a launch share, and what one host thread keeps for itself.

use super::defined::Defined;
use super::profile::Profile;
use super::recorder::Recorder;
use super::schedule::{Control, Counted, Late, Polls, Writers};
use super::turns::Met;
use crate::appearance::Appearance;
use crate::config::Config;
use crate::counters::Counters;
use crate::isa::decode::Decoded;
use crate::memory::heap::Heap;
use crate::memory::view::View;
use crate::observe::Observer;
use crate::random::mix;
#[cfg(not(target_family = "wasm"))]
use crate::texture::Texture;
use crate::{Dim3, Finding};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// What all blocks share.
pub struct Context<'a> {
    /// Code and variables.
    pub decoded: &'a Decoded,
    /// Settings.
    pub config: &'a Config,
    /// Index of the kernel's function.
    pub function: u32,
    /// Parameter bytes.
    pub params: Vec<u8>,
    /// Grid.
    pub grid: Dim3,
    /// Block.
    pub block: Dim3,
    /// Blocks of a cluster, by axis.
    #[cfg(not(target_family = "wasm"))]
    pub cluster: Dim3,
    /// The kernel or the launch says so (`%is_explicit_cluster`).
    #[cfg(not(target_family = "wasm"))]
    pub explicit_cluster: bool,
    /// Threads may meet the other blocks of their cluster, be it one of a single block.
    pub clustered: bool,
    /// Static shared memory.
    pub static_shared: u32,
    /// Dynamic shared memory.
    pub dynamic_shared: u32,
    /// `%envreg1` and `%envreg2`: where a cooperative grid's barrier is.
    pub workspace: u64,
    /// Warp instructions executed by all host threads.
    pub steps: AtomicU64,
    /// A fault stopped the launch.
    pub stop: &'a AtomicBool,
    /// Host threads that run it.
    pub threads: u64,
    /// Clocks and places as this machine has them.
    pub appearance: Appearance,
    /// Number of this launch.
    pub launch: u64,
    /// Operations of the launches before it that others could see, under explored schedules.
    pub operations: u64,
    /// Set from outside, it stops the launch.
    pub interrupt: Option<&'a AtomicBool>,
    /// Where `malloc` of device code takes from.
    pub heap: Option<&'a Mutex<Heap>>,
    /// Textures and surfaces: an object is one more than its place here.
    #[cfg(not(target_family = "wasm"))]
    pub textures: &'a [Texture],
}

/// What one host thread keeps.
pub struct Worker<'a, O: Observer> {
    /// Shared.
    pub context: &'a Context<'a>,
    /// Global memory.
    pub global: View<'a>,
    /// Watcher.
    pub observer: &'a mut O,
    /// Sums by index of [`crate::isa::op::Code::lines`], without what `profile` knows.
    pub lines: Vec<Counters>,
    /// What ran.
    pub profile: Profile,
    /// By operation, what it came to ([`super::turns`]); empty unless asked for.
    pub conditions: Vec<Met>,
    /// Looks for inputs, when asked for.
    #[cfg(not(target_family = "wasm"))]
    pub steer: Option<Box<super::steer::Steer<'a>>>,
    /// The trace, when asked for.
    pub trace: Option<Box<Recorder<'a>>>,
    /// The linear index of the block whose warp runs now, if that is to be traced.
    pub traced: Option<u64>,
    /// Findings.
    pub findings: Vec<Finding>,
    /// Who wrote last to what is tracked.
    pub writer: Option<crate::Place>,
    /// Races with loads that may be first guesses.
    pub doubtful: Vec<(u32, Finding)>,
    /// Findings beyond the limit, and the first's place.
    pub unkept: Option<(u64, crate::Place)>,
    /// What printf wrote.
    pub printf: Vec<u8>,
    /// What it wrote beyond the limit.
    pub dropped: u64,
    /// The place of the first dropped output.
    pub dropped_at: Option<crate::Place>,
    /// Steps taken since the shared count was brought up to date.
    pub unreported: u64,
    /// Warp instructions of the block with most, of those that have ended.
    pub busiest: u64,
    /// Blocks that have ended.
    pub ended: u64,
    /// Steps seen in all; also the clock.
    pub clock: u64,
    /// Allocation last used.
    pub last: usize,
    /// Writes that changed memory, while that is kept track of.
    pub changes: u64,
    /// Somebody has remembered how many there were: until then nobody asks whether a write changed anything.
    pub remembered: bool,
    /// Nobody goes on: it is kept track of what changes memory.
    pub watching: bool,
    /// Rounds in a row in which all resident blocks only waited.
    pub rounds: u64,
    /// Who last changed a word by an atomic with a result, as a lock is taken.
    pub writers: Writers,
    /// What was looked at last.
    pub polls: Polls,
    /// Decides, where the schedule is one that is explored.
    pub control: Option<Control>,
    /// The loop that was gone round last, where who waits goes on.
    pub counted: Counted,
    /// Writes that come late, where the schedule has some.
    pub late: Option<Late>,
    /// Lanes whose store writes what is there already, for the next observed access.
    pub silent: u32,
    /// Bytes that its blocks hold, those that are done and wait to be used again included.
    pub state: u64,
    /// Undefined values.
    pub defined: Defined,
    /// Clusters with resident blocks.
    #[cfg(not(target_family = "wasm"))]
    pub clusters: super::cluster::Clusters,
    /// The next observed access is made by `cp.async`.
    pub copying: bool,
    /// The access about to be told of is an operation on an mbarrier: lanes that end its phase.
    pub completing: Option<u32>,
    /// The launch must stop.
    pub stopped: bool,
}

/// What a slow operation means for the group that executed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on with the same group.
    Continue,
    /// Choose a group again.
    Switch,
    /// The group waits for something that others must do.
    Spin,
    /// The launch is over.
    Stop,
}

impl<'a> Context<'a> {
    /// The same launch, for one of several host threads that run it apart from each other.
    #[cfg(feature = "threads")]
    pub fn again<'b>(&self, stop: &'b AtomicBool, threads: u64) -> Context<'b>
    where
        'a: 'b,
    {
        Context { params: self.params.clone(), steps: AtomicU64::new(0), stop, threads, ..*self }
    }

    /// Is it to end, for want of time?
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.is_some_and(|interrupt| interrupt.load(Relaxed))
    }

    /// What memory and registers hold that nothing has been written to: never 0, by the seed, the launch and a place.
    pub fn poison(&self, place: u64) -> u32 {
        let seed = self.config.seed ^ self.launch << 48;
        (mix(seed.wrapping_add(mix(place))) >> 32) as u32 | 1
    }

    /// Offset in shared memory at which the dynamic part begins: behind the static one, aligned.
    pub fn dynamic_base(&self) -> u32 {
        self.static_end().next_multiple_of(16)
    }

    /// End of static shared memory, behind what the system keeps.
    pub fn static_end(&self) -> u32 {
        self.decoded.reserved_shared.saturating_add(self.static_shared)
    }

    /// Where the shared memory begins that the kernel may touch.
    pub fn shared_low(&self) -> u32 {
        if self.decoded.code.uses_reserved { 0 } else { self.decoded.reserved_shared }
    }
}

impl<'a, O: Observer> Worker<'a, O> {
    /// A fresh one.
    pub fn new(context: &'a Context<'a>, global: View<'a>, observer: &'a mut O) -> Self {
        let code = &context.decoded.code;
        let request = context.config.trace.as_ref();
        let blocks: u64 = context.grid.iter().map(|&extent| u64::from(extent)).product();
        let resident = blocks <= u64::from(context.config.resident_blocks);
        let threads: u64 = context.block.iter().map(|&extent| u64::from(extent)).product();
        let extent = (blocks * threads.div_ceil(32), resident);
        let control = Control::new(context.config, context.launch - 1, context.operations, extent);
        Self {
            context,
            global,
            observer,
            lines: vec![Counters::default(); code.lines.len()],
            profile: Profile::new(code.insts.len()),
            conditions: vec![Met::default(); if context.config.conditions { code.insts.len() } else { 0 }],
            #[cfg(not(target_family = "wasm"))]
            steer: None,
            trace: request.map(|request| Box::new(Recorder::new(request, context.config.limits.trace))),
            traced: None,
            findings: Vec::new(),
            writer: None,
            doubtful: Vec::new(),
            unkept: None,
            printf: Vec::new(),
            dropped: 0,
            dropped_at: None,
            unreported: 0,
            busiest: 0,
            ended: 0,
            clock: 0,
            last: 0,
            changes: 0,
            remembered: false,
            watching: false,
            rounds: 0,
            writers: Writers::default(),
            polls: Polls::default(),
            counted: Counted::default(),
            late: Late::new(control.as_ref().and_then(|control| control.late), code),
            control,
            silent: 0,
            state: 0,
            defined: Defined::default(),
            #[cfg(not(target_family = "wasm"))]
            clusters: super::cluster::Clusters::default(),
            copying: false,
            completing: None,
            stopped: false,
        }
    }

    /// Adds to the sums of the operation's line.
    #[inline(always)]
    pub fn count(&mut self, pc: u32, add: impl Fn(&mut Counters)) {
        let line = self.context.decoded.code.origins[pc as usize].line;
        add(&mut self.lines[line as usize]);
    }

    /// Its share of [`crate::Limits::state`].
    pub fn state_limit(&self) -> u64 {
        self.context.config.limits.state / self.context.threads.max(1)
    }

    /// It runs a share of the blocks, and may not: something depends on the others, or is to be told.
    pub fn has_strayed(&self) -> bool {
        self.observer.strayed().is_some_and(|strayed| {
            strayed
                || self.stopped
                || !self.findings.is_empty()
                || !self.doubtful.is_empty()
                || self.unkept.is_some()
                || !self.printf.is_empty()
                || self.dropped > 0
                || !self.defined.is_empty()
                || self.global.is_full()
        })
    }

    /// The stack limit; more than an address can name is no limit.
    pub fn stack_limit(&self) -> u64 {
        self.context.config.limits.stack.min(1 << 30)
    }
}
