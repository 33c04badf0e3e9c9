//! One version, ready to be timed: its samples, each over inputs that it has not seen, each judged.

use super::answers::Oracle;
use super::inputs::{self, Copies};
use super::seal::{Key, What};
use super::tools::Tools;
use crate::backend::gpu::driver::{CudaError, Event, Graph, Memory};
use crate::backend::gpu::{Gpu, GpuSession, Share, Variables};
use crate::backend::{L2State, Output, RunId, Status, Timing};
use crate::measure::outcome::Stage;
use crate::measure::time::{TimingError, trouble};
use crate::verify::POISON;
use crate::verify::judge::{guard_status, judge, judge_outputs};
use plan::{Buffer, Role};
use values::fill::Values;

/// A sample whose pass is shorter than this is made of several passes, in a warm cache.
const LONG_ENOUGH_US: f64 = 100.0;
/// Passes of a sample at most, and bytes that they may need: every pass has inputs, outputs and scratch of its own.
const MOST_PASSES: usize = 32;
const MOST_BYTES: usize = 256 << 20;
/// Nanoseconds of spinning before a sample, so that all of it is queued before it starts: a base and more a launch.
const SPIN_NS: u64 = 20_000;
const SPIN_NS_LAUNCH: u64 = 4_000;

/// What of a measurement a version can have changed, in words.
const CLOCK: &str = "the clock";
const COUNTS: &str = "the counts";
const ANSWERS: &str = "the right answers";

/// What a sample is taken of.
pub struct Round<'r, 'a> {
    /// From 0.
    pub number: u32,
    /// Inputs of the passes behind the first.
    pub copies: &'r Copies,
    /// What is right.
    pub oracle: Option<&'r Oracle<'a>>,
    /// Of the first pass's inputs.
    pub seed: u64,
}

/// One version, ready to be timed.
pub struct Side<'a> {
    session: GpuSession<'a>,
    version: usize,
    outputs: Vec<Output>,
    /// Its module's variables when nothing had run yet.
    variables: Variables,
    /// First contents of in-place buffers, by buffer.
    pristine: Vec<(usize, Memory)>,
    /// Buffers that are written: poisoned before a sample, or put back.
    written: Vec<usize>,
    /// Time of one pass, roughly.
    rough_us: f64,
    /// For every pass but the first a copy of every written buffer, by pass and position in `written`.
    own: Vec<Vec<Memory>>,
    graph: Option<Graph>,
    passes: usize,
    verified: u32,
    taken: u32,
}

impl<'a> Side<'a> {
    /// Loads a version, and sees that it runs and how long that takes.
    pub fn open(
        gpu: &'a Gpu,
        tools: &Tools<'_>,
        timing: &Timing,
        version: usize,
        shared: Option<&GpuSession<'a>>,
    ) -> Result<Self, TimingError> {
        let program = &timing.versions[version];
        let broken = || trouble(version, Stage::Before);
        let session = GpuSession::open(gpu, program, shared.map_or(Share::Nothing, Share::All)).map_err(broken())?;
        let buffers = program.plan.buffers.iter().enumerate();
        let written = buffers.filter(|(_, buffer)| buffer.role != Role::In).map(|(index, _)| index).collect();
        let mut side = Self {
            variables: session.variables()?,
            session,
            version,
            outputs: timing.outputs_of(version).to_vec(),
            pristine: Vec::new(),
            written,
            rough_us: f64::INFINITY,
            own: Vec::new(),
            graph: None,
            passes: 1,
            verified: 0,
            taken: 0,
        };
        let seed = inputs::seed_of(timing.seed, u64::from(u32::MAX), 0);
        side.fill(gpu, &Copies::default(), &inputs::run_of(seed))?;
        side.draw(gpu, tools, &Copies::default(), &[seed])?;
        side.session.fill_constants().map_err(broken())?;
        let (start, end) = (Event::new()?, Event::new()?);
        for _ in 0..3 {
            side.reset(gpu, POISON[0])?;
            tools.spin(side.spin_ns())?;
            start.record(gpu.stream())?;
            side.session.enqueue(&|_| None).map_err(broken())?;
            end.record(gpu.stream())?;
            side.session.wait_all().map_err(broken())?;
            side.rough_us = side.rough_us.min(end.microseconds_since(&start)?);
        }
        side.check_guards(Stage::Before)?;
        Ok(side)
    }

    /// Its session.
    pub fn session(&self) -> &GpuSession<'a> {
        &self.session
    }

    /// Which version it is.
    pub fn version(&self) -> usize {
        self.version
    }

    /// Samples whose outputs were all judged.
    pub fn verified(&self) -> u32 {
        self.verified
    }

    /// Samples taken.
    pub fn taken(&self) -> u32 {
        self.taken
    }

    /// Passes of a sample.
    pub fn passes(&self) -> usize {
        self.passes
    }

    fn spin_ns(&self) -> u64 {
        SPIN_NS + SPIN_NS_LAUNCH * self.session.program().plan.launches.len() as u64
    }

    /// Fills what is the same for every seed.
    pub fn fill(&mut self, gpu: &Gpu, copies: &Copies, run: &RunId) -> Result<(), TimingError> {
        let filled = inputs::fill(&mut self.session, copies, gpu.stream(), run);
        filled.map_err(trouble(self.version, Stage::Before))
    }

    /// New inputs for the next samples, those that it shares left to whoever it shares them with; in-place buffers too.
    pub fn draw(&mut self, gpu: &Gpu, tools: &Tools<'_>, copies: &Copies, seeds: &[u64]) -> Result<(), TimingError> {
        inputs::draw(tools, &self.session, copies, seeds)?;
        inputs::fill_in_place(&mut self.session, seeds[0]).map_err(trouble(self.version, Stage::Timed))?;
        self.pristine.clear();
        for &index in &self.written {
            if self.session.program().plan.buffers[index].role == Role::InOut {
                let bytes = self.session.bytes(index);
                let copy = Memory::new(bytes)?;
                let (memory, start) = self.session.buffer(index);
                copy.copy_from(gpu.stream(), 0, memory, start, bytes)?;
                self.pristine.push((index, copy));
            }
        }
        Ok(())
    }

    /// Bytes of all buffers of a pass.
    pub fn bytes_of_pass(&self) -> usize {
        (0..self.session.program().plan.buffers.len()).map(|index| self.session.bytes(index)).sum()
    }

    fn output_bytes(&self) -> usize {
        let is_output = |index: &usize| self.session.program().plan.buffers[*index].role != Role::Scratch;
        self.written.iter().copied().filter(is_output).map(|index| self.session.bytes(index)).sum()
    }

    /// Can a sample have several passes? Not where one could find what the one before left in a variable or in place, and not
    /// where the host takes part, or fills variables.
    pub fn takes_passes(&self) -> bool {
        let plan = &self.session.program().plan;
        let in_place = plan.buffers.iter().any(|buffer| buffer.role == Role::InOut);
        !in_place && plan.host.is_none() && plan.constants.is_empty() && self.variables.are_none()
    }

    /// How many passes make a sample long enough.
    pub fn passes_wanted(&self) -> usize {
        let by_time = (2.0 * LONG_ENOUGH_US / self.rough_us.max(1.0)) as usize;
        let by_memory = MOST_BYTES / self.bytes_of_pass().max(1);
        by_time.min(by_memory).clamp(1, MOST_PASSES)
    }

    /// Prepares samples of `passes` passes, recorded into one graph. Each pass has buffers of its own, so that none finds
    /// what another left, and inputs of its own.
    pub fn repeat(&mut self, gpu: &Gpu, copies: &Copies, passes: usize) -> Result<(), TimingError> {
        self.passes = passes;
        if passes == 1 {
            return Ok(());
        }
        for _ in 1..passes {
            let of_pass: Result<Vec<Memory>, CudaError> =
                self.written.iter().map(|&index| Memory::new(self.session.bytes(index))).collect();
            self.own.push(of_pass?);
        }
        let mut stopped = None;
        let graph = gpu.stream().capture(|| {
            for pass in 0..passes {
                if let Err(stop) = self.session.enqueue(&|buffer| self.address(copies, pass, buffer)) {
                    stopped = Some(stop);
                    break;
                }
            }
            Ok(())
        });
        if let Some(stop) = stopped {
            return Err(trouble(self.version, Stage::Before)(stop));
        }
        self.graph = Some(graph?);
        Ok(())
    }

    /// Where a pass finds a buffer, when it is not the session's own.
    fn address(&self, copies: &Copies, pass: usize, buffer: usize) -> Option<u64> {
        match self.written.iter().position(|&written| written == buffer) {
            Some(position) => Some(self.own.get(pass.checked_sub(1)?)?[position].address()),
            None => copies.address(pass, &self.session.program().plan.buffers[buffer].name),
        }
    }

    fn enqueue(&self, gpu: &Gpu) -> Result<(), TimingError> {
        match &self.graph {
            Some(graph) => Ok(graph.launch(gpu.stream())?),
            None => self.session.enqueue(&|_| None).map_err(trouble(self.version, Stage::Timed)),
        }
    }

    /// Runs over the inputs of the round before: what comes next finds its code in the caches.
    pub fn warm_up(&mut self, gpu: &Gpu) -> Result<(), TimingError> {
        self.session.put_back(&self.variables).map_err(trouble(self.version, Stage::Timed))?;
        self.session.fill_constants().map_err(trouble(self.version, Stage::Timed))?;
        self.reset(gpu, POISON[0])?;
        self.enqueue(gpu)?;
        self.session.wait_all().map_err(trouble(self.version, Stage::Timed))
    }

    /// One sample: microseconds of a pass, and the clock in MHz before it.
    pub fn sample(
        &mut self,
        gpu: &Gpu,
        tools: &Tools<'_>,
        timing: &Timing,
        (start, end): &(Event, Event),
        round: &Round<'_, '_>,
    ) -> Result<(f64, f64), TimingError> {
        let (stream, stage) = (gpu.stream(), if round.number == 0 { Stage::Before } else { Stage::Timed });
        let poison = POISON[round.number as usize % 2];
        let inputs = tools.fresh_key(What::Inputs);
        let before = self.input_fingerprint(tools, round.copies, inputs, stage)?;
        // Nothing is left of what ran before: not in variables, buffers or shared memory.
        self.session.put_back(&self.variables).map_err(trouble(self.version, stage))?;
        self.session.fill_constants().map_err(trouble(self.version, stage))?;
        self.reset(gpu, poison)?;
        tools.scrub(round.number)?;
        match timing.cache {
            L2State::Cold => tools.flush_cache(self.output_bytes())?,
            L2State::Warm => self.warm_inputs(tools, round.copies)?,
        }
        // Nothing of what was asked is left for it to find.
        tools.clear()?;
        tools.spin(self.spin_ns())?;
        start.record(stream)?;
        self.enqueue(gpu)?;
        end.record(stream)?;
        self.session.wait_all().map_err(trouble(self.version, stage))?;
        self.taken += 1;
        let clock = tools.clock()?.ok_or_else(|| self.wrote_elsewhere(CLOCK, stage))?;
        self.judge_sample(gpu, tools, round, stage)?;
        if self.input_fingerprint(tools, round.copies, inputs, stage)? != before {
            return Err(self.input_changed(round, stage));
        }
        // Nor is anything left of this one for what runs next over the same inputs.
        self.session.put_back(&self.variables).map_err(trouble(self.version, stage))?;
        self.reset(gpu, poison)?;
        Ok((end.microseconds_since(start)? / self.passes as f64, clock))
    }

    /// Brings the inputs of all passes into the cache, by other code than the version's own.
    fn warm_inputs(&self, tools: &Tools<'_>, copies: &Copies) -> Result<(), TimingError> {
        for (index, _) in self.read() {
            for pass in 0..self.passes {
                let address = self.address(copies, pass, index).unwrap_or_else(|| self.session.address(index));
                tools.warm(address, self.session.bytes(index))?;
            }
        }
        Ok(())
    }

    fn read(&self) -> impl Iterator<Item = (usize, &Buffer)> {
        self.session.program().plan.buffers.iter().enumerate().filter(|(_, buffer)| buffer.role == Role::In)
    }

    /// A fingerprint of the inputs of all passes, each under a key of its own, so that they cannot be exchanged either.
    fn input_fingerprint(
        &self,
        tools: &Tools<'_>,
        copies: &Copies,
        key: Key,
        stage: Stage,
    ) -> Result<Vec<u64>, TimingError> {
        tools.clear()?;
        let mut keys = (0..).map(|number| key.of(What::Inputs, number));
        for (index, _) in self.read() {
            for (pass, key) in (0..self.passes).zip(&mut keys) {
                let address = self.address(copies, pass, index).unwrap_or_else(|| self.session.address(index));
                tools.add_fingerprint(0, (address, self.session.bytes(index)), key)?;
            }
        }
        tools.results(1)?.ok_or_else(|| self.wrote_elsewhere(COUNTS, stage))
    }

    /// It changed what the checker keeps on the device.
    fn wrote_elsewhere(&self, what: &str, stage: Stage) -> TimingError {
        TimingError::Version(self.version, stage, Status::WroteElsewhere { what: what.to_owned() })
    }

    /// Which input it changed. Of a pass behind the first only that it did is known.
    fn input_changed(&mut self, round: &Round<'_, '_>, stage: Stage) -> TimingError {
        let program = self.session.program().clone();
        let run = RunId { values: Values::AsStated, ..inputs::run_of(round.seed) };
        let found = judge(&mut self.session, &program, &[], &run, None, &mut None);
        let unknown = || {
            let buffer = self.read().next().map(|(_, buffer)| buffer.name.clone()).unwrap_or_default();
            let value = values::Value::Unsigned(0);
            Status::InputChanged { buffer, index: 0, got: value, want: value }
        };
        match found {
            Ok(status) if !status.passed() => TimingError::Version(self.version, stage, status),
            Ok(_) => TimingError::Version(self.version, stage, unknown()),
            Err(stop) => trouble(self.version, stage)(stop),
        }
    }

    /// Judges guard zones.
    pub fn check_guards(&mut self, stage: Stage) -> Result<(), TimingError> {
        let program = self.session.program().clone();
        let status = guard_status(&mut self.session, &program).map_err(trouble(self.version, stage))?;
        if status.passed() { Ok(()) } else { Err(TimingError::Version(self.version, stage, status)) }
    }

    /// Poisons outputs and scratch, restores in-place buffers.
    fn reset(&self, gpu: &Gpu, poison: u8) -> Result<(), TimingError> {
        let stream = gpu.stream();
        for (position, &buffer) in self.written.iter().enumerate() {
            let (memory, start) = self.session.buffer(buffer);
            let bytes = self.session.bytes(buffer);
            match self.pristine.iter().find(|(index, _)| *index == buffer) {
                Some((_, pristine)) => memory.copy_from(stream, start, pristine, 0, bytes)?,
                None => memory.fill(stream, start, bytes, poison)?,
            }
            for own in &self.own {
                own[position].fill(stream, 0, bytes, poison)?;
            }
        }
        Ok(())
    }

    /// Judges the outputs of every pass on the device, those that are not right there on the host. The counts are cleared now that the
    /// version's kernels have ended, and the answers have to be those that were put there before.
    fn judge_sample(
        &mut self,
        gpu: &Gpu,
        tools: &Tools<'_>,
        round: &Round<'_, '_>,
        stage: Stage,
    ) -> Result<(), TimingError> {
        let Some(oracle) = round.oracle else { return Ok(()) };
        tools.clear()?;
        let program = self.session.program().clone();
        let mut told = vec![true; self.passes];
        for output in &self.outputs {
            let Some(index) = program.plan.buffers.iter().position(|buffer| buffer.name == output.name) else {
                continue;
            };
            for (pass, told) in told.iter_mut().enumerate() {
                let address = self.address(round.copies, pass, index).unwrap_or_else(|| self.session.address(index));
                let buffer = (address, &program.plan.buffers[index]);
                *told &= oracle.compare(tools, (pass, pass), output, buffer)?;
            }
        }
        // Behind the counts of all passes the fingerprints of their answers.
        for pass in 0..self.passes {
            oracle.mark(tools, (self.passes + pass, pass))?;
        }
        let found = tools.results(2 * self.passes)?.ok_or_else(|| self.wrote_elsewhere(COUNTS, stage))?;
        let intact = |pass: usize| oracle.is_intact(pass, found.get(self.passes + pass).copied());
        if !(0..self.passes).all(intact) {
            return Err(self.wrote_elsewhere(ANSWERS, stage));
        }
        for (pass, told) in told.into_iter().enumerate() {
            if !told || found.get(pass) != Some(&0) {
                self.judge_on_host(gpu, tools, (round, oracle), pass, stage)?;
            }
        }
        self.verified += 1;
        Ok(())
    }

    fn judge_on_host(
        &mut self,
        gpu: &Gpu,
        tools: &Tools<'_>,
        (round, oracle): (&Round<'_, '_>, &Oracle<'_>),
        pass: usize,
        stage: Stage,
    ) -> Result<(), TimingError> {
        if let Some(own) = pass.checked_sub(1).and_then(|pass| self.own.get(pass)) {
            for (copy, &buffer) in own.iter().zip(&self.written) {
                let (memory, start) = self.session.buffer(buffer);
                memory.copy_from(gpu.stream(), start, copy, 0, self.session.bytes(buffer))?;
            }
            gpu.stream().synchronize()?;
        }
        let answer = oracle.on_host(tools, pass)?;
        let program = self.session.program().clone();
        let run = RunId { poison: POISON[round.number as usize % 2], ..inputs::run_of(round.seed) };
        let judged = judge_outputs(&mut self.session, &program, &self.outputs, &run, Some(&answer), &mut None);
        match judged.map_err(trouble(self.version, stage))? {
            Status::Passed => Ok(()),
            status => Err(TimingError::Version(self.version, stage, status)),
        }
    }
}
