//! The model's part of a check: some blocks of each launch at the `time` size, and what they and the machine code come to.

mod drawn;
mod growth;
pub mod ledger;
mod profiling;
mod untold;

use crate::build::Built;
use crate::platform::Platform;
use execution::backend::{self, LaunchProfile, Profile};
use model::{Bound, Code, Device, Facts, LaunchFacts, Memory, Start};
use plan::{Plan, Role};
use problem::{CacheState, Problem};
pub use profiling::{Profiled, Profiling, Wanted};
use profiling::{queue_us, takes_turns};
use report::{Modelled, ModelledPart, ModelledTime};
use simulator::Unsure;
use simulator::counters::Sum;
use std::collections::BTreeMap;

/// Why there is no modelled time.
#[derive(Debug)]
pub struct NotModelled {
    /// In words.
    pub why: String,
    /// Is it something that the kernel need not do?
    pub own_doing: bool,
    /// May it well be as fast all the same? The blocks that ran missed what others would have written.
    pub excused: bool,
    /// Microseconds that its blocks queue for their work at least.
    pub queue_us: f64,
}

impl NotModelled {
    fn own_doing(why: impl Into<String>) -> Self {
        Self { why: why.into(), own_doing: true, excused: false, queue_us: 0.0 }
    }
}

impl<T: Into<String>> From<T> for NotModelled {
    fn from(why: T) -> Self {
        Self { why: why.into(), own_doing: false, excused: false, queue_us: 0.0 }
    }
}

/// A share of the bytes that a problem has to move, or else of its outputs, below which the blocks that were run are not like the
/// others: somebody else does the work.
const FEW_BYTES: f64 = 0.5;
/// Bytes of a sector.
const SECTOR: f64 = 32.0;

/// Microseconds that one multiprocessor takes at least for what the blocks that were run leave out of the bytes that must move.
fn left_to_one(problem: &Problem, plan: &Plan, facts: &Facts, device: &Device) -> Option<f64> {
    let outputs = plan.buffers.iter().filter(|buffer| matches!(buffer.role, Role::Out | Role::InOut));
    let bytes = match &problem.manifest.bytes {
        Some(bytes) => bytes.eval(&problem.manifest.time).ok()? as f64,
        None => outputs.map(|buffer| buffer.bytes() as f64).sum(),
    };
    let moved = |launch: &LaunchFacts| {
        let each = Sum::GlobalSectors.of(&launch.counters) as f64 * SECTOR / launch.ran.max(1) as f64;
        (launch.times * launch.blocks) as f64 * each
    };
    let moved: f64 = facts.launches.iter().map(moved).sum();
    (moved < FEW_BYTES * bytes).then(|| device.us((bytes - moved) / device.memory.l2_bytes_per_cycle))
}

/// What some blocks of baseline and candidate do, or why nobody knows.
pub type Profiles = Result<Vec<Profiled>, NotModelled>;

/// Some blocks of baseline and candidate at the `time` size.
pub fn profiles(
    problem: &Problem,
    platform: &Platform,
    built: [&Built; 2],
    seed: u64,
    options: &backend::WorkerOptions,
) -> Profiles {
    known(&Device::h200().map_err(|error| error.to_string())?, platform)?;
    let profiling = Profiling { problem, platform, seed, options };
    let (sizes, count) = (&problem.manifest.time, &problem.manifest.count);
    let wanted = built.map(|built| Wanted { built, sizes: sizes.clone(), count: count.clone() });
    profiling.all(&wanted).map_err(|error| format!("its blocks could not be run: {error}").into())
}

/// Is the machine code of a device that the model knows?
fn known(device: &Device, platform: &Platform) -> Result<(), NotModelled> {
    if platform.arch == device.arch {
        return Ok(());
    }
    Err(format!("the machine code is {}'s, and the model knows {}", platform.arch, device.arch).into())
}

/// Baseline and candidate at the `time` size, modelled from what some of their blocks do; or why not.
pub fn compare(
    problem: &Problem,
    platform: &Platform,
    built: [&Built; 2],
    profiles: Profiles,
) -> Result<Modelled, NotModelled> {
    let device = Device::h200().map_err(|error| error.to_string())?;
    known(&device, platform)?;
    let sizes = &problem.manifest.time;
    let found = profiles?;
    let [starter, yours] = built;
    let [first, second] = found.as_slice() else { return Err("its blocks could not be run".into()) };
    let before = match time(problem, starter, first, None, &device) {
        Ok(before) => Before::Modelled(before),
        // Whatever keeps the baseline from being modelled, its record is there.
        Err(found) => match super::recorded::baseline(problem, &device.name) {
            Some(us) => Before::Recorded(us),
            None => return Err(NotModelled { own_doing: false, ..found }),
        },
    };
    let (us, confidence) = match &before {
        Before::Modelled(before) => (before.us, Some(before.confidence)),
        Before::Recorded(us) => (*us, None),
    };
    let after = time(problem, yours, second, Some(us), &device)?;
    let (ratio, sure) = (us / after.us, confidence.map_or(after.confidence, |before| before.max(after.confidence)));
    let factor = device.ratio_factor(sure);
    let after = told(&after);
    let before = match before {
        Before::Modelled(before) => told(&before),
        Before::Recorded(us) => ModelledTime {
            us,
            low: us,
            high: us,
            parts: Vec::new(),
            confidence: report::RECORDED.to_owned(),
            ..after.clone()
        },
    };
    Ok(Modelled {
        device: device.short_name().to_owned(),
        sizes: sizes.clone(),
        low: ratio / factor,
        high: ratio * factor,
        versions: [before, after],
    })
}

/// The baseline's time.
enum Before {
    Modelled(model::Modelled),
    /// Microseconds that were measured once.
    Recorded(f64),
}

/// A version's time; `before`: the baseline's, in microseconds.
fn time(
    problem: &Problem,
    built: &Built,
    Profiled { plan, profile }: &Profiled,
    before: Option<f64>,
    device: &Device,
) -> Result<model::Modelled, NotModelled> {
    let Some(profile) = profile else { return Err("its blocks could not be run".into()) };
    let facts = facts(built, plan, profile, problem.manifest.cache).map_err(|found| match before {
        Some(before) if found.queue_us > before => {
            let [queue, before] = [found.queue_us, before].map(|us| us / 1e3);
            let why = format!(
                "its blocks queue at one address for {queue:.1} ms or more, where the baseline takes about {before:.1} ms"
            );
            NotModelled::own_doing(why)
        }
        _ => found,
    })?;
    let mut time = model::model(&facts, device);
    if let Some(us) = left_to_one(problem, plan, &facts, device) {
        time.wait_for(us, Bound::Latency, device);
    }
    let drawn = profile.launches.iter().filter(|launch| launch.drawn);
    time.wait_for(drawn.map(|launch| queue_us(launch, plan, device)).sum(), Bound::Atomics, device);
    Ok(time)
}

fn told(time: &model::Modelled) -> ModelledTime {
    let part = |bar: &model::Bar| ModelledPart { of: bar.of.words().to_owned(), us: bar.us };
    ModelledTime {
        us: time.us,
        low: time.low,
        high: time.high,
        bound: time.bound.words().to_owned(),
        ask: time.bound.question().to_owned(),
        parts: time.bars.iter().map(part).collect(),
        confidence: time.confidence.words().to_owned(),
    }
}

/// What the model is told of a version, or why it is not modelled. Where launches do other things with other values in what blocks that did
/// not run would have written, and nobody knows what these would have been, the slower one counts.
pub fn facts(built: &Built, plan: &Plan, profile: &Profile, cache: CacheState) -> Result<Facts, NotModelled> {
    let device = Device::h200().map_err(|error| error.to_string())?;
    let launched = |found| launched(built, (plan, &profile.variables), found, (cache, &device));
    if profile.otherwise.is_empty() {
        return launched(&profile.launches);
    }
    let us = |facts: &Facts| model::model(facts, &device).us;
    match (launched(&profile.launches), launched(&profile.otherwise)) {
        (Ok(one), Ok(other)) => Ok(if us(&other) > us(&one) { other } else { one }),
        (Err(one), Err(_)) => Err(one),
        _ => Err("a launch hangs on what blocks that were not run would have written".into()),
    }
}

fn launched(
    built: &Built,
    (plan, variables): (&Plan, &[u64]),
    found: &[LaunchProfile],
    (cache, device): (CacheState, &Device),
) -> Result<Facts, NotModelled> {
    let Some(module) = &built.module else { return Err("its machine code was not read".into()) };
    let mut codes: Vec<Code> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut launches = Vec::new();
    let takes_turns = takes_turns(found);
    for found in found {
        let average = drawn::average(found, plan);
        let found = average.as_ref().unwrap_or(found);
        if let Some(reason) = &found.stopped {
            let why = format!("a block of it ended with {reason}");
            let own_doing = !takes_turns;
            let queue_us = if takes_turns { queue_us(found, plan, device) } else { 0.0 };
            let excused = !found.is_too_long();
            return Err(NotModelled { why, own_doing, excused, queue_us });
        }
        // What no block came to is for the last one, which waits for nobody.
        let ran = found.coverage.iter().filter(|covered| covered.warps > 0);
        if let Some(unsure) = ran.filter_map(|covered| built.unsure_swaps().get(&covered.at)).next() {
            return Err(NotModelled::own_doing(match unsure {
                Unsure::Waits => "its threads may wait for each other, as often as it happens",
                Unsure::Finds => "whether an atomicCAS finds what it expects, nobody knows of blocks that were not run",
            }));
        }
        if let Some(why) = untold::why(&built.compiled.ptx, &found.coverage) {
            return Err(NotModelled::own_doing(why));
        }
        let planned = &plan.launches[found.launch];
        let threads = planned.block.iter().product::<u32>();
        let Some(kernel) = built.kernel(&planned.kernel) else {
            return Err(format!("`{}` has no machine code", planned.kernel).into());
        };
        let Some(occupancy) = built.occupancy(&planned.kernel, threads, planned.shared) else {
            return Err(format!("nobody knows how many blocks of `{}` fit", planned.kernel).into());
        };
        let code = *places.entry(planned.kernel.as_str()).or_insert_with(|| {
            codes.push(Code::of(kernel, &module.files));
            codes.len() - 1
        });
        launches.push(LaunchFacts {
            code,
            times: found.stands_for.len() as u64,
            blocks: planned.blocks(),
            threads,
            resident: occupancy.active_blocks,
            shared: kernel.resources.shared.saturating_add(planned.shared),
            stack: kernel.resources.stack,
            ran: found.blocks,
            counters: found.counters,
            coverage: found.coverage.clone(),
            locality: found.locality.clone(),
        });
    }
    if let Some(code) = codes.iter().find(|code| code.recursive) {
        return Err(NotModelled::own_doing(format!("`{}` calls itself, and nobody counts its stack", code.name)));
    }
    if launches.is_empty() {
        return Err("nothing of it could be run".into());
    }
    let memory = plan
        .buffers
        .iter()
        .map(|buffer| Memory { bytes: buffer.bytes(), input: matches!(buffer.role, Role::In | Role::InOut) });
    let memory = memory.chain(variables.iter().map(|&bytes| Memory { bytes, input: false }));
    Ok(Facts {
        codes,
        launches,
        memory: memory.collect(),
        start: match cache {
            CacheState::Cold => Start::Cold,
            CacheState::Warm => Start::Warm,
        },
        host: plan.host.map(|host| plan.buffers[host.from].len * plan.buffers[host.from].dtype.size() as u64),
    })
}
