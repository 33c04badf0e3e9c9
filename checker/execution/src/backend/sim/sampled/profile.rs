//! What some blocks of every launch do at a size, for a model of time: nothing is judged.

use super::left::{Left, left_by};
use super::opened::{Opened, bytes_of, open_with};
use crate::backend::machine::Stop;
use crate::backend::message::job::Program;
use crate::backend::sim::Sim;
use crate::backend::{LaunchProfile, Profile};
use plan::Plan;
use plan::stream::Stream;
use simulator::locality::{self, MemoryRegion};
use simulator::{Finding, FindingKind, LaunchReport, Severity, coverage};
use std::collections::BTreeMap;

/// Blocks of a launch that run besides the two that are looked at closely, ...
const MORE: u64 = 3;
/// ... where those two did no more warp instructions than this.
pub(super) const FEW: u64 = 1 << 14;
/// Instructions of later blocks over those of the first ones, below which the first have taken the others' work.
const FETCHED: f64 = 0.2;
/// Launches of the same kernel and extents that are looked at: the others are like them.
const ALIKE: usize = 3;

/// What memory holds that nobody wrote, where nothing better is known: as an index zeros lead nowhere bad, and those ones far away.
const UNWRITTEN: [u8; 2] = [0, 1];

/// Profiles a version. `steps` bounds the warp instructions of a launch's blocks. Where a launch reads what blocks that did not run would have
/// written, all is done once more with what a small size that was run whole has left there, over and over; where that cannot be had, or
/// leads nowhere, with two things that mean nothing.
///
/// # Errors
/// The PTX cannot be read, or a buffer is larger than anything.
pub fn profile(
    sim: &Sim,
    (program, small): (&Program, Option<&Program>),
    seed: u64,
    steps: u64,
) -> Result<Profile, Stop> {
    let with = |byte| once(sim, program, seed, steps, &Left::only(bytes_of(byte)));
    let Once { launches, guesses, variables } = with(UNWRITTEN[0])?;
    let mut profile = Profile { launches, variables, ..Profile::default() };
    if guesses {
        if let Some(left) = small.map(|small| left_by(sim, small, seed)).transpose()?.flatten() {
            let launches = once(sim, program, seed, steps, &left)?.launches;
            // Who is led astray by a small size's numbers says nothing; who does too much does.
            if launches.iter().all(|launch| launch.stopped.is_none() || launch.is_too_long()) {
                return Ok(Profile { launches, ..profile });
            }
        }
        let otherwise = with(UNWRITTEN[1])?.launches;
        let alike = |(one, other): (&LaunchProfile, &LaunchProfile)| {
            (one.counters, &one.stopped) == (other.counters, &other.stopped)
        };
        if !profile.launches.iter().zip(&otherwise).all(alike) {
            profile.otherwise = otherwise;
        }
    }
    Ok(profile)
}

/// What is found out at one go.
#[derive(Default)]
struct Once {
    launches: Vec<LaunchProfile>,
    /// A launch has read what nobody wrote.
    guesses: bool,
    /// Bytes of each variable.
    variables: Vec<u64>,
}

fn once(sim: &Sim, program: &Program, seed: u64, steps: u64, left: &Left) -> Result<Once, Stop> {
    let mut opened = open_with(sim, program, seed, &|index| left.buffer(index))?;
    left.put_variables(&mut opened.device);
    opened.constants = opened.fill_constants();
    let config = opened.device.config_mut();
    (config.limits.steps, config.coverage) = (steps, true);
    if !opened.constants {
        return Ok(Once::default());
    }
    let mut profiler = Profiler { opened, seed };
    let one = |(launch, stands_for)| LaunchProfile { stands_for, ..profiler.one(launch) };
    let launches = representatives(&program.plan).into_iter().map(one).collect();
    let Opened { device, .. } = &profiler.opened;
    let variables = device.variables().map(|(_, bytes)| bytes).collect();
    Ok(Once { launches, guesses: profiler.opened.unknown(), variables })
}

/// A version under way.
struct Profiler<'p> {
    opened: Opened<'p>,
    seed: u64,
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
        let blocks = planned.blocks();
        let mut found = LaunchProfile { launch, ..LaunchProfile::default() };
        let stream = Stream::new(self.seed, "profiled blocks");
        let draw = |at: u64| stream.integer((launch as u64) << 8 | at, 0, blocks.max(2) as i64 - 2) as u64;
        let first = draw(0);
        let pair: Vec<u64> = (first..(first + 2).min(blocks)).collect();
        let mut covered = BTreeMap::new();
        let far = Some(draw(1)).filter(|block| !pair.contains(block));
        let request = locality::LocalityRequest { block: first, far, regions: self.regions() };
        self.opened.device.config_mut().locality = Some(request);
        let mut pair = pair;
        pair.extend(far);
        pair.sort_unstable();
        let mut report = self.opened.launch(launch, pair.clone());
        // They wait for another, which may be the first.
        if pair[0] != 0 && report.as_ref().is_some_and(waits) && self.opened.launch(launch, vec![0]).is_some() {
            report = self.opened.launch(launch, pair.clone());
        }
        // A block that is alone takes nothing from others.
        found.drawn = blocks > 1 && report.as_ref().is_some_and(one_did_it_all);
        // It is the block that is traced which has to draw without an end.
        if pair[0] != first && found.drawn && report.as_ref().is_some_and(is_too_long) {
            pair = vec![first];
            report = self.opened.launch(launch, pair.clone());
        }
        self.opened.device.config_mut().locality = None;
        found.locality = report.as_mut().and_then(|report| report.locality.take()).unwrap_or_default();
        let ran = pair.len() as u64;
        let cost = add(&mut found, &mut covered, report, ran);
        if found.drawn && found.stopped.is_some() {
            // There is as much left for another one.
            let other = far.filter(|_| pair.len() == 1).unwrap_or((first + 1).min(blocks - 1));
            let after = self.opened.launch(launch, vec![other]).map_or(0, |report| report.counters.instructions);
            found.drawn = after as f64 >= FETCHED * cost as f64;
        }
        // All of them where that costs nothing: launches behind it find what it leaves.
        let mut more: Vec<u64> = match cost.saturating_mul(blocks) <= FEW * ran {
            true => (0..blocks).filter(|block| !pair.contains(block)).collect(),
            false => (1..=MORE).map(draw).filter(|block| !pair.contains(block)).collect(),
        };
        more.sort_unstable();
        more.dedup();
        if found.stopped.is_none() && cost <= FEW && !more.is_empty() {
            let (count, before) = (more.len() as u64, cost as f64 / ran as f64);
            let report = self.opened.launch(launch, more);
            let after = add(&mut found, &mut covered, report, count) as f64 / count as f64;
            // Blocks that fetch their work by an atomic: the first did all of it.
            if after < FETCHED * before && found.counters.global_atomic_return_sectors > 0 {
                found.blocks = blocks;
            }
        }
        found.coverage = covered.into_values().collect();
        found
    }

    fn regions(&self) -> Vec<MemoryRegion> {
        let buffers = self.opened.program.plan.buffers.iter().zip(&self.opened.addresses);
        let buffers = buffers.map(|(buffer, &base)| (base, buffer.bytes()));
        buffers.chain(self.opened.device.variables()).map(|(base, bytes)| MemoryRegion { base, bytes }).collect()
    }
}

/// What a launch ended with, if nothing good.
fn fault(report: &LaunchReport) -> Option<&Finding> {
    report.findings.iter().find(|finding| finding.severity == Severity::Fault)
}

/// Do blocks wait for others?
pub fn waits(report: &LaunchReport) -> bool {
    fault(report).is_some_and(|fault| matches!(fault.kind, FindingKind::Deadlock { .. } | FindingKind::Livelock { .. }))
}

/// Did a block do more than it may?
fn is_too_long(report: &LaunchReport) -> bool {
    fault(report).is_some_and(|fault| matches!(fault.kind, FindingKind::StepLimit { .. }))
}

/// Did one block nearly all that was done, where atomics brought back what the others may then not have found?
fn one_did_it_all(report: &LaunchReport) -> bool {
    let others = report.counters.instructions.saturating_sub(report.busiest) as f64;
    let one = others < FETCHED * report.busiest as f64 || is_too_long(report);
    report.counters.global_atomic_return_sectors > 0 && one
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
    if let Some(fault) = fault(&report) {
        found.stopped = Some(fault.kind.name().name().to_owned());
    }
    found.counters.add(&report.counters);
    found.blocks += blocks;
    coverage::merge(covered, report.coverage);
    report.counters.instructions
}
