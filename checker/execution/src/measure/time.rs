//! One measurement: interleaved samples until the ratio's interval is narrow, every timed output verified.

use super::device::answers::Oracle;
use super::device::inputs::{self, Copies, seed_of, seed_of_turn};
use super::device::side::{Round, Side};
use super::device::tools::Tools;
use super::outcome::{Stage, Timed};
use super::statistics::{self, Interval};
use crate::backend::gpu::driver::{CudaError, Event};
use crate::backend::gpu::{Gpu, failure, fault};
use crate::backend::machine::Stop;
use crate::backend::{JobError, L2State, Status, Timing};
use crate::verify::case::explain;
use std::time::Instant;
use values::fill::turns;

/// A sample below this fraction of the largest clock is thrown away, as NVBench does.
const LEAST_CLOCK: f64 = 0.75;
/// Fills of inputs besides the first over which a version is judged, untimed.
const OTHER_FILLS: u64 = 4;
/// Seconds after which no further fill is begun, and the same where nobody asks for a time: an oracle may be slow.
const FILLS: [f64; 2] = [5.0, 0.5];
/// Why a measurement has no numbers.
pub enum TimingError {
    /// A version went wrong.
    Version(usize, Stage, Status),
    /// A call of the driver failed, perhaps over what a version had launched before.
    Cuda(CudaError),
    /// Not a version's fault.
    Failure(JobError),
}

impl From<CudaError> for TimingError {
    fn from(error: CudaError) -> Self {
        Self::Cuda(error)
    }
}

impl From<JobError> for TimingError {
    fn from(failure: JobError) -> Self {
        Self::Failure(failure)
    }
}

/// A version's stop.
pub fn trouble(version: usize, stage: Stage) -> impl Fn(Stop) -> TimingError {
    move |stop| match stop.status() {
        Ok(status) => TimingError::Version(version, stage, status),
        Err(failure) => TimingError::Failure(failure),
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
) -> Result<Timed, JobError> {
    let mut at = None;
    let result = measure(gpu, tools, timing, &mut |version| {
        at = version;
        started(version);
    });
    match result {
        Ok(timed) => Ok(timed),
        Err(TimingError::Version(version, stage, status)) => Ok(Timed::failed_at(Some((version, stage)), status)),
        Err(TimingError::Cuda(error)) => match (fault(gpu, &error, 0, 0), at) {
            (Some(fault), Some(version)) => {
                Ok(Timed::failed_at(Some((version, Stage::Timed)), Status::Fault { fault }))
            }
            _ => Err(failure(error)),
        },
        Err(TimingError::Failure(failure)) => Err(failure),
    }
}

fn measure(
    gpu: &Gpu,
    tools: &Tools<'_>,
    timing: &Timing,
    started: &mut dyn FnMut(Option<usize>),
) -> Result<Timed, TimingError> {
    tools.begin()?;
    let mut sides: Vec<Side<'_>> = Vec::new();
    for version in 0..timing.versions.len() {
        started(Some(version));
        let side = Side::open(gpu, tools, timing, version, sides.first().map(Side::session))?;
        sides.push(side);
    }
    let Some(first) = sides.first() else { return Ok(Timed::failed_at(None, Status::Passed)) };
    started(None);
    let mut oracle = match &timing.oracle {
        Some(program) => match Oracle::open(gpu, program, &timing.outputs, first.session()) {
            Ok(oracle) => Some(oracle),
            Err(Stop::Failure(failure)) => return Err(failure.into()),
            Err(stop) => return Ok(Timed::failed_at(None, Status::OracleFailed { message: explain(&stop) })),
        },
        None => None,
    };
    let passes = passes(gpu, timing, &sides, oracle.as_ref());
    let copies = Copies::new(first.session(), passes)?;
    let run = inputs::run_of(seed_of(timing.seed, 0, 0));
    for side in &mut sides {
        started(Some(side.version()));
        side.fill(gpu, &copies, &run)?;
        side.repeat(gpu, &copies, passes)?;
    }
    if let Some(oracle) = &mut oracle {
        oracle.fill(&run).map_err(|stop| trouble(0, Stage::Before)(stop))?;
    }
    let mut timed = match sample_all(gpu, tools, timing, &mut sides, &mut oracle, &copies, started)? {
        Ok(timed) => timed,
        Err(message) => return Ok(Timed::failed_at(None, Status::OracleFailed { message })),
    };
    let round = timed.rounds + timed.discarded + WARM_UP;
    if let Err(message) = judge_other_fills(gpu, tools, timing, &mut sides, &mut oracle, (&copies, round), started)? {
        return Ok(Timed::failed_at(None, Status::OracleFailed { message }));
    }
    for side in &mut sides {
        started(Some(side.version()));
        side.check_guards(Stage::Timed)?;
    }
    timed.passes = passes as u32;
    timed.verified = sides.iter().map(Side::verified).sum();
    timed.samples = sides.iter().map(Side::taken).sum();
    Ok(timed)
}

/// How many passes a sample has: in a warm cache several of a short one, as long as inputs and outputs of all of them lie in
/// half of the cache.
fn passes(gpu: &Gpu, timing: &Timing, sides: &[Side<'_>], oracle: Option<&Oracle<'_>>) -> usize {
    let can = sides.iter().all(Side::takes_passes) && oracle.is_none_or(Oracle::takes_passes);
    if timing.cache != L2State::Warm || !can {
        return 1;
    }
    let bytes = sides.iter().map(Side::bytes_of_pass).max().unwrap_or(0);
    let in_cache = gpu.info().l2_bytes as usize / 2 / bytes.max(1);
    sides.iter().map(Side::passes_wanted).min().unwrap_or(1).min(in_cache).max(1)
}

/// New inputs on the device, and the oracle's answers to them. The inner error is the oracle's.
fn new_inputs(
    gpu: &Gpu,
    tools: &Tools<'_>,
    sides: &mut [Side<'_>],
    oracle: &mut Option<Oracle<'_>>,
    copies: &Copies,
    (number, seeds): (u64, &[u64]),
) -> Result<Result<(), String>, TimingError> {
    for side in sides {
        side.draw(gpu, tools, copies, seeds)?;
    }
    let Some(oracle) = oracle else { return Ok(Ok(())) };
    match oracle.answer(tools, copies, number, seeds) {
        Ok(()) => Ok(Ok(())),
        Err(Stop::Failure(failure)) => Err(failure.into()),
        Err(stop) => Ok(Err(explain(&stop))),
    }
}

/// Timed are the first of fills that take turns. So whoever is judged runs once more over each of the others, a baseline excepted: what
/// goes wrong for those alone is wrong, too. The inner error is the oracle's.
fn judge_other_fills(
    gpu: &Gpu,
    tools: &Tools<'_>,
    timing: &Timing,
    sides: &mut [Side<'_>],
    oracle: &mut Option<Oracle<'_>>,
    (copies, round): (&Copies, u32),
    started: &mut dyn FnMut(Option<usize>),
) -> Result<Result<(), String>, TimingError> {
    if oracle.is_none() {
        return Ok(Ok(()));
    }
    let events = (Event::new()?, Event::new()?);
    let (begin, seconds) = (Instant::now(), FILLS[usize::from(timing.budget.rounds == 0)]);
    let turns = timing.versions.iter().map(|version| turns(&version.plan.buffers)).max().unwrap_or(1);
    for turn in 1..turns.min(1 + OTHER_FILLS) {
        if begin.elapsed().as_secs_f64() > seconds {
            break;
        }
        // Behind all rounds, so that none of their answers is taken for this one's.
        let number = u64::from(u32::MAX) + turn;
        let passes = sides.first().map_or(1, Side::passes);
        let seeds: Vec<u64> = (0..passes).map(|pass| seed_of_turn(timing.seed, number, pass, turn)).collect();
        started(None);
        if let Err(message) = new_inputs(gpu, tools, sides, oracle, copies, (number, &seeds))? {
            return Ok(Err(message));
        }
        let judged = if let [_, candidate] = &mut *sides { std::slice::from_mut(candidate) } else { &mut *sides };
        for side in judged {
            started(Some(side.version()));
            let now = Round { number: round + turn as u32, copies, oracle: oracle.as_ref(), seed: seeds[0] };
            side.sample(gpu, tools, timing, &events, &now)?;
        }
    }
    Ok(Ok(()))
}

/// Rounds that warm up.
const WARM_UP: u32 = 2;

/// The rounds. The inner error is the oracle's.
fn sample_all(
    gpu: &Gpu,
    tools: &Tools<'_>,
    timing: &Timing,
    sides: &mut [Side<'_>],
    oracle: &mut Option<Oracle<'_>>,
    copies: &Copies,
    started: &mut dyn FnMut(Option<usize>),
) -> Result<Result<Timed, String>, TimingError> {
    let budget = timing.budget;
    let events = (Event::new()?, Event::new()?);
    let nominal_mhz = f64::from(gpu.info().clock_khz) / 1e3;
    let mut times: Vec<Vec<f64>> = sides.iter().map(|_| Vec::new()).collect();
    let (mut clocks, mut discarded, mut round) = (Vec::new(), 0, 0u32);
    let begin = Instant::now();
    let narrow = loop {
        let order: Vec<usize> =
            if round % 2 == 0 { (0..sides.len()).collect() } else { (0..sides.len()).rev().collect() };
        let mut found = vec![0.0; sides.len()];
        let mut slowest = f64::INFINITY;
        if timing.cache == L2State::Warm {
            // The code gets warm on what was drawn before; then there are new inputs.
            for side in &mut *sides {
                started(Some(side.version()));
                side.warm_up(gpu)?;
            }
        }
        started(None);
        let number = oracle.as_ref().map_or(round.into(), |oracle| oracle.round(round.into()));
        let passes = sides.first().map_or(1, Side::passes);
        let seeds: Vec<u64> = (0..passes).map(|pass| seed_of(timing.seed, number, pass)).collect();
        if let Err(message) = new_inputs(gpu, tools, sides, oracle, copies, (number, &seeds))? {
            return Ok(Err(message));
        }
        for index in order {
            started(Some(index));
            let now = Round { number: round, copies, oracle: oracle.as_ref(), seed: seeds[0] };
            let (time, clock) = sides[index].sample(gpu, tools, timing, &events, &now)?;
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
    if let Some(least_us) = timing.least_us {
        for (version, times) in times.iter().enumerate() {
            if let Some(us) = statistics::median(times).filter(|us| *us < least_us) {
                return Err(TimingError::Version(version, Stage::Timed, Status::Impossible { us, least_us }));
            }
        }
    }
    let clock_mhz = statistics::median(&clocks).unwrap_or(0.0);
    Ok(Ok(Timed { discarded, clock_mhz, narrow, seconds: begin.elapsed().as_secs_f64(), ..summary(&times) }))
}

/// What the rounds' times, of each version, come to.
fn summary(times: &[Vec<f64>]) -> Timed {
    let mut timed = Timed::failed_at(None, Status::Passed);
    timed.versions = times.iter().filter_map(|times| statistics::summary(times)).collect();
    if let [baseline, candidate] = times {
        timed.ratio = statistics::ratio_interval(baseline, candidate);
        timed.verdict = timed.ratio.map(|ratio| ratio.verdict());
    }
    timed.intervals = times.iter().filter_map(|times| statistics::median_interval(times)).collect();
    timed.steps = times.windows(2).filter_map(|pair| statistics::ratio_interval(&pair[0], &pair[1])).collect();
    timed.rounds = times.first().map_or(0, Vec::len) as u32;
    timed
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
