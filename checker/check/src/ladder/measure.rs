//! Measured times of a ladder: all versions at one place in turn, every timed output verified.

use super::compiled::CompiledLadder;
use crate::roof;
use crate::time::{Tools, cache, failed, least_us};
use crate::{CheckError, bench};
use compiler::toolchain::Toolchain;
use execution::backend::{self, Budget, DeviceInfo, Measure, Timing};
use execution::measure::{Interval, RoofValues, Timed};
use problem::ladder::BLOCK;
use problem::{Problem, Sizes};
use report::{self, Reason};
use std::time::Duration;
use values::fill::first_turn;

/// An oracle, or the slowest version, at the largest size may be slow.
const PATIENCE: Duration = Duration::from_secs(240);

/// Where versions are compared with each other.
#[derive(Debug, Clone, PartialEq)]
pub struct LadderPlace {
    /// Number of the element type.
    pub element: usize,
    /// Sizes, the block size in them.
    pub sizes: Sizes,
}

/// How long a measurement may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thorough {
    /// For a report now.
    No,
    /// For a results file.
    Yes,
}

/// A version's time at a place.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredVersion {
    /// Number of the version.
    pub version: usize,
    /// Where it ran: at the place's sizes, with a block size that it claims.
    pub sizes: Sizes,
    /// Median of the time of a pass in microseconds, with its 99 % interval.
    pub us: Interval,
    /// Samples.
    pub samples: u32,
    /// Time of the version before it over its own, where both were measured here.
    pub step: Option<Interval>,
    /// Theoretical occupancy of the launch with the most threads, 0..1.
    pub occupancy: Option<f64>,
}

/// What was measured at a place.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Where.
    pub place: LadderPlace,
    /// Bytes that must move there, where the problem says so.
    pub bytes: Option<f64>,
    /// In the ladder's order.
    pub versions: Vec<MeasuredVersion>,
    /// Median SM clock before the samples, in MHz.
    pub clock_mhz: f64,
    /// What disturbed the measurement.
    pub notes: Vec<String>,
}

/// Measures every place. At the ladder's own block size a version that does not claim it takes part with the nearest it
/// claims; elsewhere it is left out. The inner error is a version that went wrong.
pub fn measure(
    problem: &Problem,
    toolchain: &Toolchain,
    info: &DeviceInfo,
    compiled: &CompiledLadder,
    places: &[LadderPlace],
    thorough: Thorough,
    seed: u64,
) -> Result<Result<Vec<Measured>, Box<Reason>>, CheckError> {
    let tools = Tools::build(toolchain, &info.arch)?;
    let budget = match thorough {
        Thorough::No => Budget { seconds: 2.0, at_least: 0.2, rounds: 7, half_width: 0.01 },
        Thorough::Yes => Budget { seconds: 3.0, at_least: 0.3, rounds: 15, half_width: 0.004 },
    };
    let mut all = Vec::with_capacity(places.len());
    for place in places {
        let taking_part = taking_part(problem, compiled, place);
        let timing = timing(problem, compiled, place, &taking_part, budget, seed)?;
        let typed = compiled.element(place.element).map_or(problem, |element| &element.problem);
        let job = Measure { ordinal: info.ordinal, tools: tools.artefact(), timings: vec![timing] };
        let options = backend::WorkerOptions { timeout: PATIENCE, ..backend::WorkerOptions::default() };
        let least = |roof: &RoofValues| Ok(vec![least_us(typed, roof, info, &place.sizes)?]);
        let Some(timed) = roof::timed(toolchain, info, job, &options, &least)?.into_iter().next() else { continue };
        if timed.intervals.len() != taking_part.len() || !timed.status.passed() {
            return Ok(Err(Box::new(wrong(problem, compiled, place, &taking_part, &timed)?)));
        }
        all.push(measured(problem, compiled, place, &taking_part, &timed)?);
    }
    Ok(Ok(all))
}

/// The versions at a place, each with its sizes.
fn taking_part(problem: &Problem, compiled: &CompiledLadder, place: &LadderPlace) -> Vec<(usize, Sizes)> {
    let own = problem.ladder().is_some_and(|ladder| place.sizes.get(BLOCK) == Some(&ladder.block));
    let one = |version: usize| -> Option<(usize, Sizes)> {
        let sizes = if own { compiled.own_block(place.element, version, &place.sizes) } else { place.sizes.clone() };
        compiled.claims(place.element, version, &sizes).then_some((version, sizes))
    };
    (0..compiled.versions.len()).filter_map(one).collect()
}

fn timing(
    problem: &Problem,
    compiled: &CompiledLadder,
    place: &LadderPlace,
    versions: &[(usize, Sizes)],
    budget: Budget,
    seed: u64,
) -> Result<Timing, CheckError> {
    let programs: Result<Vec<_>, _> =
        versions.iter().map(|(version, sizes)| compiled.program(place.element, *version, sizes)).collect();
    let bounds: Result<Vec<_>, _> =
        versions.iter().map(|(version, sizes)| compiled.outputs(place.element, Some(*version), sizes)).collect();
    Ok(Timing {
        name: report::sizes(&place.sizes),
        versions: programs?,
        oracle: compiled.oracle(place.element, &place.sizes)?,
        outputs: compiled.outputs(place.element, None, &place.sizes)?,
        own_outputs: bounds?,
        least_us: None,
        seed: first_turn(seed),
        cache: cache(problem),
        budget,
    })
}

fn measured(
    problem: &Problem,
    compiled: &CompiledLadder,
    place: &LadderPlace,
    versions: &[(usize, Sizes)],
    timed: &Timed,
) -> Result<Measured, CheckError> {
    let typed = compiled.element(place.element).map_or(problem, |element| &element.problem);
    let bytes = typed.manifest.bytes.as_ref().map(|bytes| bytes.eval(&place.sizes)).transpose()?;
    let of = |(index, (version, sizes)): (usize, &(usize, Sizes))| MeasuredVersion {
        version: *version,
        sizes: sizes.clone(),
        us: timed.intervals[index],
        samples: timed.versions.get(index).map_or(0, |summary| summary.samples),
        // The one before took part too, and not one before that.
        step: index
            .checked_sub(1)
            .filter(|before| versions[*before].0 + 1 == *version)
            .and_then(|before| timed.steps.get(before).copied()),
        occupancy: occupancy(typed, compiled, place.element, *version, sizes),
    };
    Ok(Measured {
        place: place.clone(),
        bytes: bytes.map(|bytes| bytes as f64),
        versions: versions.iter().enumerate().map(of).collect(),
        clock_mhz: timed.clock_mhz,
        notes: bench::notes(timed),
    })
}

/// Occupancy of the launch with the most threads.
pub fn occupancy(
    problem: &Problem,
    compiled: &CompiledLadder,
    element: usize,
    version: usize,
    sizes: &Sizes,
) -> Option<f64> {
    let built = compiled.element(element)?.versions.get(version)?;
    let plan = built.plan(sizes, &problem.io(sizes).ok()?).ok()?;
    let threads = |extents: [u32; 3]| extents.into_iter().map(u64::from).product::<u64>();
    let largest = plan.launches.iter().max_by_key(|launch| threads(launch.grid) * threads(launch.block))?;
    let block = u32::try_from(threads(largest.block)).ok()?;
    Some(built.occupancy(&largest.kernel, block, largest.shared)?.fraction)
}

/// Why there is no time: the version's doing, or the oracle's.
fn wrong(
    problem: &Problem,
    compiled: &CompiledLadder,
    place: &LadderPlace,
    versions: &[(usize, Sizes)],
    timed: &Timed,
) -> Result<Reason, CheckError> {
    let at = report::sizes(&place.sizes);
    if let backend::Status::OracleFailed { message } = &timed.status {
        let message = format!("timed at {at}: {message}");
        return Err(CheckError::Shipped { problem: problem.id.to_string(), what: "the oracle", message });
    }
    let (version, sizes) = &versions[timed.failed.map_or(0, |(index, _)| index).min(versions.len() - 1)];
    let built = compiled.element(place.element).and_then(|element| element.versions.get(*version));
    let said = built.and_then(|built| failed(timed, built.file.path(), sizes));
    let name = &compiled.versions[*version];
    Ok(match said {
        Some(reason) => reason.prefixed(format!("{name}, timed")),
        None => Reason::new(report::Verdict::DeviceFault, format!("{name}: no time was measured at {at}")),
    })
}
