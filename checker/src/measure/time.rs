//! One measurement: interleaved samples until the ratio's interval is narrow, every timed output verified.

use super::outcome::{Stage, Timed};
use super::statistics::{self, Interval};
use super::tools::{FINGERPRINTS, Tools};
use crate::backend::gpu::driver::{CudaError, Event, Graph, Memory};
use crate::backend::gpu::{Gpu, GpuSession, failure, fault};
use crate::backend::machine::{Session, Stop};
use crate::backend::{Cache, Failure, Output, RunId, Status, Timing};
use crate::plan::Role;
use crate::verify::POISON;
use crate::verify::case::{Answer, answer, explain, guard_status, judge, judge_outputs, prepare_buffer, second_seed};
use crate::verify::fill::Values;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// A sample whose pass is shorter than this is made of several passes, in a warm cache.
const LONG_ENOUGH_US: f64 = 100.0;
/// Passes of a sample at most, and bytes of outputs that they may need: every pass writes an output of its own.
const MOST_PASSES: usize = 32;
const MOST_OUTPUT_BYTES: usize = 256 << 20;
/// Nanoseconds of spinning before a sample, so that all of it is queued before it starts: a base and more a launch.
const SPIN_NS: u64 = 20_000;
const SPIN_NS_LAUNCH: u64 = 4_000;
/// A sample below this fraction of the largest clock is thrown away, as NVBench does.
const LEAST_CLOCK: f64 = 0.75;
/// Outputs larger than this are compared with the oracle's only so often, when runs differ from each other.
const LARGE_OUTPUT: usize = 16 << 20;
const LARGE_OUTPUT_CHECKS: u32 = 8;
/// When the oracle took this long, it is not run a second time for the last check.
const SLOW_ORACLE: Duration = Duration::from_secs(5);

/// Why a measurement has no numbers.
enum Trouble {
    /// A version went wrong.
    Version(usize, Stage, Status),
    /// A call of the driver failed, perhaps over what a version had launched before.
    Cuda(CudaError),
    /// Not a version's fault.
    Failure(Failure),
}

impl From<CudaError> for Trouble {
    fn from(error: CudaError) -> Self {
        Self::Cuda(error)
    }
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

fn trouble(version: usize, stage: Stage) -> impl Fn(Stop) -> Trouble {
    move |stop| match stop.status() {
        Ok(status) => Trouble::Version(version, stage, status),
        Err(failure) => Trouble::Failure(failure),
    }
}

/// Measures. `started` is told when the oracle (None) or a version begins.
///
/// # Errors
/// A failure that no kernel caused. A version that goes wrong is a result.
pub fn time(
    gpu: &Gpu,
    tools: &Tools<'_>,
    timing: &Timing,
    started: &mut dyn FnMut(Option<usize>),
) -> Result<Timed, Failure> {
    let mut at = None;
    let result = measure(gpu, tools, timing, &mut |version| {
        at = version;
        started(version);
    });
    match result {
        Ok(timed) => Ok(timed),
        Err(Trouble::Version(version, stage, status)) => Ok(Timed::failed_at(Some((version, stage)), status)),
        Err(Trouble::Cuda(error)) => match (fault(gpu, &error, 0, 0), at) {
            (Some(fault), Some(version)) => {
                Ok(Timed::failed_at(Some((version, Stage::Timed)), Status::Fault { fault }))
            }
            _ => Err(failure(error)),
        },
        Err(Trouble::Failure(failure)) => Err(failure),
    }
}

fn measure(
    gpu: &Gpu,
    tools: &Tools<'_>,
    timing: &Timing,
    started: &mut dyn FnMut(Option<usize>),
) -> Result<Timed, Trouble> {
    started(None);
    let mut answers = [None, None];
    let begin = Instant::now();
    for (slot, seed) in answers.iter_mut().zip([timing.seed, second_seed(timing.seed)]) {
        if let Some(oracle) = &timing.oracle {
            if begin.elapsed() > SLOW_ORACLE {
                break;
            }
            match answer(gpu, oracle, &timing.outputs, seed, Values::AsStated) {
                Ok(found) => *slot = Some(found),
                Err(Stop::Failure(failure)) => return Err(failure.into()),
                Err(stop) => {
                    return Ok(Timed::failed_at(None, Status::OracleFailed { message: explain(&stop) }));
                }
            }
        }
    }
    let [first, second] = answers;
    let mut sides: Vec<Side<'_>> = Vec::new();
    for version in 0..timing.versions.len() {
        started(Some(version));
        let shared = sides.first().map(|side| &side.session);
        let side = Side::open(gpu, tools, timing, version, shared, first.as_ref())?;
        sides.push(side);
    }
    let passes = sides.iter().map(Side::passes_wanted).min().unwrap_or(1);
    let passes = if timing.cache == Cache::Warm { passes } else { 1 };
    for side in &mut sides {
        side.repeat(gpu, passes)?;
    }
    let mut timed = sample_all(gpu, tools, timing, &mut sides, started)?;
    for side in &mut sides {
        started(Some(side.version));
        side.check_surroundings(tools, Stage::Timed)?;
    }
    for side in &mut sides {
        started(Some(side.version));
        side.check_afterwards(gpu, tools, timing, second.as_ref())?;
    }
    timed.passes = passes as u32;
    timed.verified = sides.iter().map(|side| side.verified).sum();
    timed.samples = sides.iter().map(|side| side.taken).sum();
    Ok(timed)
}

/// The rounds.
fn sample_all(
    gpu: &Gpu,
    tools: &Tools<'_>,
    timing: &Timing,
    sides: &mut [Side<'_>],
    started: &mut dyn FnMut(Option<usize>),
) -> Result<Timed, Trouble> {
    let budget = timing.budget;
    let events = (Event::new()?, Event::new()?);
    let nominal_mhz = f64::from(gpu.info().clock_khz) / 1e3;
    let mut times: Vec<Vec<f64>> = sides.iter().map(|_| Vec::new()).collect();
    let (mut clocks, mut discarded, mut round) = (Vec::new(), 0, 0u32);
    let begin = Instant::now();
    // The first two rounds warm up.
    const WARM_UP: u32 = 2;
    let narrow = loop {
        let order: Vec<usize> =
            if round % 2 == 0 { (0..sides.len()).collect() } else { (0..sides.len()).rev().collect() };
        let mut found = vec![0.0; sides.len()];
        let mut slowest = f64::INFINITY;
        for index in order {
            started(Some(index));
            let (time, clock) = sides[index].sample(gpu, tools, timing, &events, round)?;
            found[index] = time;
            clocks.push(clock);
            slowest = slowest.min(clock);
        }
        round += 1;
        let throttled = slowest < LEAST_CLOCK * nominal_mhz;
        if round > WARM_UP && throttled {
            discarded += 1;
        } else if round > WARM_UP {
            times.iter_mut().zip(&found).for_each(|(times, time)| times.push(*time));
        }
        let seconds = begin.elapsed().as_secs_f64();
        let counted = times.first().map_or(0, Vec::len) as u32;
        let narrow = interval(&times).is_some_and(|interval| interval.half_width() < budget.half_width);
        if counted >= budget.rounds && seconds >= budget.at_least && narrow {
            break true;
        }
        // A device that is throttled all the time must not hold the measurement for ever.
        let enough = counted >= budget.rounds || seconds > 4.0 * budget.seconds;
        if seconds > budget.seconds && enough {
            break false;
        }
    };
    let mut timed = Timed::failed_at(None, Status::Passed);
    timed.versions = times.iter().filter_map(|times| statistics::summary(times)).collect();
    if let [baseline, candidate] = times.as_slice() {
        timed.ratio = statistics::ratio_interval(baseline, candidate);
        timed.verdict = timed.ratio.map(|ratio| ratio.verdict());
    }
    timed.intervals = times.iter().filter_map(|times| statistics::median_interval(times)).collect();
    timed.steps = times.windows(2).filter_map(|pair| statistics::ratio_interval(&pair[0], &pair[1])).collect();
    timed.rounds = times.first().map_or(0, Vec::len) as u32;
    timed.discarded = discarded;
    timed.clock_mhz = statistics::median(&clocks).unwrap_or(0.0);
    timed.narrow = narrow;
    timed.seconds = begin.elapsed().as_secs_f64();
    Ok(timed)
}

/// The ratio's interval of a pair, the time's of a single version, the widest time's of many.
fn interval(times: &[Vec<f64>]) -> Option<Interval> {
    match times {
        [baseline, candidate] => statistics::ratio_interval(baseline, candidate),
        many => {
            let intervals: Option<Vec<Interval>> =
                many.iter().map(|times| statistics::median_interval(times)).collect();
            intervals?.into_iter().max_by(|a, b| a.half_width().total_cmp(&b.half_width()))
        }
    }
}

/// One version, ready to be timed.
struct Side<'a> {
    session: GpuSession<'a>,
    version: usize,
    outputs: Vec<Output>,
    answer: Option<&'a Answer>,
    run: RunId,
    /// Pristine contents of in-place buffers, by buffer.
    pristine: Vec<(usize, Memory)>,
    /// Buffers that are written: poisoned before a sample, fingerprinted after it.
    written: Vec<usize>,
    /// Buffers that are only read, and the fingerprint of all of them.
    read: Vec<usize>,
    inputs: u64,
    /// Time of one pass, roughly.
    rough_us: f64,
    /// For every pass but the first a copy of every written buffer, by pass and position in `written`.
    copies: Vec<Vec<Memory>>,
    graph: Option<Graph>,
    passes: usize,
    /// Fingerprints of outputs that were compared with the oracle's.
    known: HashSet<u64>,
    comparisons: u32,
    verified: u32,
    taken: u32,
}

impl<'a> Side<'a> {
    /// Loads a version, runs it, judges it, and sees how long it takes.
    fn open(
        gpu: &'a Gpu,
        tools: &Tools<'_>,
        timing: &Timing,
        version: usize,
        shared: Option<&GpuSession<'a>>,
        answer: Option<&'a Answer>,
    ) -> Result<Self, Trouble> {
        let program = &timing.versions[version];
        let session = GpuSession::open(gpu, program, shared).map_err(trouble(version, Stage::Before))?;
        let run = RunId { number: 0, seed: timing.seed, values: Values::AsStated, poison: POISON[0], schedule: None };
        let buffers = &program.plan.buffers;
        let of_role = |wanted: fn(Role) -> bool| -> Vec<usize> {
            (0..buffers.len()).filter(|&index| wanted(buffers[index].role)).collect()
        };
        let mut side = Self {
            session,
            version,
            outputs: timing.outputs_of(version).to_vec(),
            answer,
            run,
            pristine: Vec::new(),
            written: of_role(|role| matches!(role, Role::Out | Role::InOut)),
            read: of_role(|role| role == Role::In),
            inputs: 0,
            rough_us: f64::INFINITY,
            copies: Vec::new(),
            graph: None,
            passes: 1,
            known: HashSet::new(),
            comparisons: 0,
            verified: 0,
            taken: 0,
        };
        side.fill(gpu, tools, timing.seed, Stage::Before)?;
        side.first_run(answer, Stage::Before)?;
        side.check_surroundings(tools, Stage::Before)?;
        let (start, end) = (Event::new()?, Event::new()?);
        for _ in 0..3 {
            side.reset(gpu, POISON[0])?;
            tools.spin(SPIN_NS + SPIN_NS_LAUNCH * program.plan.launches.len() as u64)?;
            start.record(gpu.stream())?;
            side.session.enqueue(&|_| None).map_err(trouble(version, Stage::Before))?;
            end.record(gpu.stream())?;
            side.session.wait_all().map_err(trouble(version, Stage::Before))?;
            side.rough_us = side.rough_us.min(end.microseconds_since(&start)?);
        }
        Ok(side)
    }

    /// Fills every buffer for a run with this seed. Inputs that are shared were filled with the version they are shared
    /// with.
    fn fill(&mut self, gpu: &Gpu, tools: &Tools<'_>, seed: u64, stage: Stage) -> Result<(), Trouble> {
        self.run.seed = seed;
        let program = self.session.program().clone();
        for (index, buffer) in program.plan.buffers.iter().enumerate() {
            if buffer.role == Role::In && self.session.is_shared(index) {
                continue;
            }
            prepare_buffer(&mut self.session, &program, index, &self.run).map_err(trouble(self.version, stage))?;
        }
        self.pristine.clear();
        for &index in &self.written {
            if program.plan.buffers[index].role == Role::InOut {
                let bytes = self.session.bytes(index);
                let copy = Memory::new(bytes)?;
                let (memory, start) = self.session.buffer(index);
                copy.copy_from(gpu.stream(), 0, memory, start, bytes)?;
                self.pristine.push((index, copy));
            }
        }
        self.inputs = self.input_fingerprint(tools)?;
        Ok(())
    }

    /// One pass, its outputs judged.
    fn first_run(&mut self, answer: Option<&Answer>, stage: Stage) -> Result<(), Trouble> {
        if let Some(stop) = self.session.pass(None).stop {
            return Err(trouble(self.version, stage)(stop));
        }
        self.compare(answer, stage)
    }

    fn input_fingerprint(&self, tools: &Tools<'_>) -> Result<u64, Trouble> {
        tools.clear_fingerprints()?;
        for &buffer in &self.read {
            tools.add_fingerprint(0, self.session.address(buffer), self.session.bytes(buffer))?;
        }
        Ok(tools.results(1)?.1.first().copied().unwrap_or(0))
    }

    /// Guards and inputs. Inputs are compared by fingerprint; only when that differs, byte by byte.
    fn check_surroundings(&mut self, tools: &Tools<'_>, stage: Stage) -> Result<(), Trouble> {
        let program = self.session.program().clone();
        let broken = trouble(self.version, stage);
        let unchanged = self.input_fingerprint(tools)? == self.inputs;
        let status = if unchanged {
            guard_status(&mut self.session, &program).map_err(broken)?
        } else {
            judge(&mut self.session, &program, &[], &self.run, None, &mut None).map_err(broken)?
        };
        if status.passed() { Ok(()) } else { Err(Trouble::Version(self.version, stage, status)) }
    }

    fn output_bytes(&self) -> usize {
        self.written.iter().map(|&index| self.session.bytes(index)).sum()
    }

    /// How many passes a sample in a warm cache should have.
    fn passes_wanted(&self) -> usize {
        // The host cannot take part in a graph.
        if !self.pristine.is_empty() || self.session.program().plan.host.is_some() {
            return 1;
        }
        let by_time = (2.0 * LONG_ENOUGH_US / self.rough_us.max(1.0)) as usize;
        let by_memory = MOST_OUTPUT_BYTES / self.output_bytes().max(1);
        let by_fingerprints = FINGERPRINTS / self.written.len().max(1);
        by_time.min(by_memory).min(by_fingerprints).clamp(1, MOST_PASSES)
    }

    /// Prepares samples of `passes` passes, recorded into one graph. Each pass has outputs of its own, so that none finds
    /// the right answer already there.
    fn repeat(&mut self, gpu: &Gpu, passes: usize) -> Result<(), Trouble> {
        self.passes = passes;
        if passes == 1 {
            return Ok(());
        }
        for _ in 1..passes {
            let of_pass: Result<Vec<Memory>, CudaError> =
                self.written.iter().map(|&index| Memory::new(self.session.bytes(index))).collect();
            self.copies.push(of_pass?);
        }
        let mut stopped = None;
        let graph = gpu.stream().capture(|| {
            for pass in 0..passes {
                let moved = |buffer| self.address(pass, buffer);
                if let Err(stop) = self.session.enqueue(&moved) {
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

    /// Where a pass writes a buffer, when it is not the session's own.
    fn address(&self, pass: usize, buffer: usize) -> Option<u64> {
        let position = self.written.iter().position(|&written| written == buffer)?;
        Some(self.copies.get(pass.checked_sub(1)?)?[position].address())
    }

    /// One sample: microseconds of a pass, and the clock in MHz before it.
    fn sample(
        &mut self,
        gpu: &Gpu,
        tools: &Tools<'_>,
        timing: &Timing,
        (start, end): &(Event, Event),
        round: u32,
    ) -> Result<(f64, f64), Trouble> {
        let stream = gpu.stream();
        let poison = POISON[round as usize % 2];
        self.run.poison = poison;
        if timing.cache == Cache::Warm {
            self.reset(gpu, poison)?;
            self.session.enqueue(&|_| None).map_err(trouble(self.version, Stage::Timed))?;
        }
        self.reset(gpu, poison)?;
        if timing.cache == Cache::Cold {
            tools.flush_cache(self.output_bytes())?;
        }
        tools.clear_fingerprints()?;
        tools.spin(SPIN_NS + SPIN_NS_LAUNCH * self.session.program().plan.launches.len() as u64)?;
        start.record(stream)?;
        match &self.graph {
            Some(graph) => graph.launch(stream)?,
            None => self.session.enqueue(&|_| None).map_err(trouble(self.version, Stage::Timed))?,
        }
        end.record(stream)?;
        self.session.wait_all().map_err(trouble(self.version, Stage::Timed))?;
        for pass in 0..self.passes {
            for &buffer in &self.written {
                let address = self.address(pass, buffer).unwrap_or_else(|| self.session.address(buffer));
                tools.add_fingerprint(pass, address, self.session.bytes(buffer))?;
            }
        }
        let (clock, fingerprints) = tools.results(self.passes)?;
        self.taken += 1;
        self.verify_sample(gpu, &fingerprints)?;
        Ok((end.microseconds_since(start)? / self.passes as f64, clock))
    }

    /// Poisons outputs, restores in-place buffers.
    fn reset(&self, gpu: &Gpu, poison: u8) -> Result<(), Trouble> {
        let stream = gpu.stream();
        for (position, &buffer) in self.written.iter().enumerate() {
            let (memory, start) = self.session.buffer(buffer);
            let bytes = self.session.bytes(buffer);
            match self.pristine.iter().find(|(index, _)| *index == buffer) {
                Some((_, pristine)) => memory.copy_from(stream, start, pristine, 0, bytes)?,
                None => memory.fill(stream, start, bytes, poison)?,
            }
            for copies in &self.copies {
                copies[position].fill(stream, 0, bytes, poison)?;
            }
        }
        Ok(())
    }

    /// An output with a new fingerprint is compared with the oracle's; one with a known one need not be.
    fn verify_sample(&mut self, gpu: &Gpu, fingerprints: &[u64]) -> Result<(), Trouble> {
        let mut all = true;
        for (pass, fingerprint) in fingerprints.iter().enumerate() {
            if self.known.contains(fingerprint) {
                continue;
            }
            if self.output_bytes() > LARGE_OUTPUT && self.comparisons >= LARGE_OUTPUT_CHECKS {
                all = false;
                continue;
            }
            self.comparisons += 1;
            if pass > 0 {
                for (position, &buffer) in self.written.iter().enumerate() {
                    let (memory, start) = self.session.buffer(buffer);
                    let copy = &self.copies[pass - 1][position];
                    memory.copy_from(gpu.stream(), start, copy, 0, self.session.bytes(buffer))?;
                }
                gpu.stream().synchronize()?;
            }
            self.compare(self.answer, Stage::Timed)?;
            self.known.insert(*fingerprint);
        }
        self.verified += u32::from(all);
        Ok(())
    }

    fn compare(&mut self, answer: Option<&Answer>, stage: Stage) -> Result<(), Trouble> {
        let program = self.session.program().clone();
        let status = judge_outputs(&mut self.session, &program, &self.outputs, &self.run, answer, &mut None)
            .map_err(trouble(self.version, stage))?;
        if status.passed() { Ok(()) } else { Err(Trouble::Version(self.version, stage, status)) }
    }

    /// One run over fresh inputs without reloading the module: what a kernel kept from the runs before is stale there.
    fn check_afterwards(
        &mut self,
        gpu: &Gpu,
        tools: &Tools<'_>,
        timing: &Timing,
        second: Option<&Answer>,
    ) -> Result<(), Trouble> {
        if second.is_none() && timing.oracle.is_some() {
            return Ok(());
        }
        self.fill(gpu, tools, second_seed(timing.seed), Stage::After)?;
        self.first_run(second, Stage::After)?;
        self.check_surroundings(tools, Stage::After)
    }
}
