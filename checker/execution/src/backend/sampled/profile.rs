//! What some blocks of every launch do at a size, for a model of time: nothing is judged.

use super::super::job::Program;
use super::super::machine::Stop;
use super::super::sim::Sim;
use super::opened::{Opened, open_with};
use crate::backend::{LaunchProfile, Profile};
use plan::stream::Stream;
use plan::{Buffer, Plan};
use simulator::locality::{Locality, Region};
use simulator::trace::{Grain, Request};
use simulator::{LaunchReport, Severity, coverage};
use std::collections::BTreeMap;

/// Blocks of a launch that run besides the two that are traced.
const MORE: u64 = 3;
/// Steps of a trace that are kept.
const TRACED: usize = 1 << 15;
/// Instructions of later blocks over those of the first ones, below which the first have taken the others' work.
const FETCHED: f64 = 0.2;
/// Launches of the same kernel and extents that are looked at: the others are like them.
const ALIKE: usize = 3;

/// Profiles a version. `steps` bounds the warp instructions of a block. `whole`: every launch runs whole, so that the next ones find what
/// it leaves.
///
/// # Errors
/// The PTX cannot be read, or a buffer is larger than anything.
pub fn profile(sim: &Sim, program: &Program, seed: u64, steps: u64, whole: bool) -> Result<Profile, Stop> {
    // Zeros where nobody wrote: as an index they lead nowhere bad.
    let mut opened = open_with(sim, program, seed, 0)?;
    // Whoever watches a store looks at what was there; so traced blocks run over memory of their own.
    let mut traced = open_with(sim, program, seed, 0)?;
    for one in [&mut opened, &mut traced] {
        let config = one.device.config_mut();
        (config.limits.steps, config.limits.trace, config.coverage) = (steps, TRACED, true);
    }
    let mut profile = Profile::default();
    if !opened.constants(seed) || !traced.constants(seed) {
        return Ok(profile);
    }
    let mut profiler = Profiler { opened, traced, steps, seed, whole };
    let chosen: BTreeMap<usize, Vec<usize>> = representatives(&program.plan).into_iter().collect();
    for launch in 0..program.plan.launches.len() {
        if let Some(stands_for) = chosen.get(&launch) {
            let found = profiler.one(launch);
            profile.launches.push(LaunchProfile { stands_for: stands_for.clone(), ..found });
        } else if whole {
            profiler.opened.launch_all(launch);
            profiler.traced.launch_all(launch);
        }
    }
    Ok(profile)
}

/// A version under way.
struct Profiler<'p> {
    opened: Opened<'p>,
    traced: Opened<'p>,
    steps: u64,
    seed: u64,
    whole: bool,
}

/// The launches that are run, each with those it stands for.
fn representatives(plan: &Plan) -> Vec<(usize, Vec<usize>)> {
    // Kernel, grid, block, dynamic shared memory.
    type Kind<'p> = (&'p str, [u32; 3], [u32; 3], u32);
    let mut alike: BTreeMap<Kind<'_>, Vec<usize>> = BTreeMap::new();
    for (at, launch) in plan.launches.iter().enumerate() {
        alike.entry((&launch.kernel, launch.grid, launch.block, launch.shared)).or_default().push(at);
    }
    let mut all = Vec::new();
    for group in alike.into_values() {
        let parts = group.len().min(ALIKE);
        for part in 0..parts {
            let those = &group[group.len() * part / parts..group.len() * (part + 1) / parts];
            all.push((those[those.len() / 2], those.to_vec()));
        }
    }
    all.sort_unstable();
    all
}

impl Profiler<'_> {
    fn one(&mut self, launch: usize) -> LaunchProfile {
        let planned = &self.opened.program.plan.launches[launch];
        let blocks = planned.grid.iter().map(|&extent| u64::from(extent)).product::<u64>();
        let mut found = LaunchProfile { launch, ..LaunchProfile::default() };
        if planned.cooperative {
            found.stopped = Some("its blocks wait for each other".to_owned());
            return found;
        }
        let stream = Stream::new(self.seed, "profiled blocks");
        let draw = |at: u64| stream.integer((launch as u64) << 8 | at, 0, blocks.max(2) as i64 - 2) as u64;
        let first = draw(0);
        let pair: Vec<u64> = (first..(first + 2).min(blocks)).collect();
        found.locality = self.locality(launch, &pair);
        let mut covered = BTreeMap::new();
        let cost = if self.whole {
            self.traced.launch_all(launch);
            let report = self.opened.launch_all(launch);
            add(&mut found, &mut covered, report, blocks)
        } else {
            let report = self.opened.launch(launch, pair.clone());
            add(&mut found, &mut covered, report, pair.len() as u64)
        };
        let mut more: Vec<u64> = (1..=MORE).map(draw).filter(|block| !pair.contains(block)).collect();
        more.sort_unstable();
        more.dedup();
        if !self.whole && found.stopped.is_none() && cost <= self.steps && !more.is_empty() {
            let (count, before) = (more.len() as u64, cost as f64 / pair.len() as f64);
            let report = self.opened.launch(launch, more);
            let after = add(&mut found, &mut covered, report, count) as f64 / count as f64;
            // Blocks that fetch their work by an atomic: the first did all of it.
            if after < FETCHED * before && found.counters.global_atomic_return_sectors > 0 {
                found.blocks = blocks;
            }
        }
        found.guesses = self.opened.unknown();
        found.coverage = covered.into_values().collect();
        found
    }

    /// Of a block and the next.
    fn locality(&mut self, launch: usize, pair: &[u64]) -> Locality {
        let program = self.traced.program;
        let warps = program.plan.launches[launch].block.iter().product::<u32>().div_ceil(32);
        let request = Request {
            warps: pair.iter().flat_map(|&block| (0..warps).map(move |warp| (block, warp))).collect(),
            grain: Grain::Instruction,
            events: true,
        };
        self.traced.device.config_mut().trace = Some(request);
        let report = self.traced.launch(launch, pair.to_vec());
        self.traced.device.config_mut().trace = None;
        let region = |(buffer, &base): (&Buffer, &u64)| Region { base, bytes: buffer.len * buffer.dtype.size() as u64 };
        let regions: Vec<Region> = program.plan.buffers.iter().zip(&self.traced.addresses).map(region).collect();
        report.and_then(|report| report.trace).map(|trace| Locality::of(&trace, &regions)).unwrap_or_default()
    }
}

/// Adds what some blocks did; how many instructions that were.
fn add(
    found: &mut LaunchProfile,
    covered: &mut BTreeMap<u32, simulator::Covered>,
    report: Option<LaunchReport>,
    blocks: u64,
) -> u64 {
    let Some(report) = report else {
        found.stopped = Some("it cannot be launched".to_owned());
        return 0;
    };
    let fault = report.findings.iter().find(|finding| finding.severity == Severity::Fault);
    if let Some(fault) = fault {
        found.stopped = Some(fault.kind.name().name().to_owned());
    }
    found.counters.add(&report.counters);
    found.blocks += blocks;
    coverage::merge(covered, report.coverage);
    report.counters.instructions
}
