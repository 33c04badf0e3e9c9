//! The model's part of a check: some blocks of each launch at the `time` size, and what they and the machine code come to.

pub mod ledger;

use crate::build::Built;
use execution::backend::{LaunchProfile, Profile};
use model::{Code, Facts, LaunchFacts, Memory, Start};
use plan::{Plan, Role};
use problem::{Cache, Sizes};
use simulator::Counters;
use std::collections::BTreeMap;

/// Warp instructions that a block may take to be profiled.
pub const STEPS: u64 = 1 << 17;

/// Two sizes at which a version is profiled where its blocks do too much at the size that is meant, and how much further that
/// is: the `count` size and twice it, where one size alone makes the difference.
pub fn nearer(count: &Sizes, far: &Sizes) -> Option<([Sizes; 2], f64)> {
    let mut names = far.iter().filter(|(name, size)| count.get(name.as_str()) != Some(size)).map(|(name, _)| name);
    let (name, None) = (names.next()?, names.next()) else { return None };
    let (near, far_size) = (*count.get(name)?, *far.get(name)?);
    if near <= 0 || far_size < 2 * near {
        return None;
    }
    let with = |size: i64| {
        let mut sizes = far.clone();
        sizes.insert(name.clone(), size);
        sizes
    };
    Some(([with(near), with(2 * near)], (far_size - near) as f64 / near as f64))
}

/// What a block does at a size, by what it does at two smaller ones: of a loop whose turns are the size. Nothing where the two
/// do not launch the same.
pub fn extrapolated(near: &Profile, further: &Profile, times: f64) -> Option<Profile> {
    if near.launches.len() != further.launches.len() {
        return None;
    }
    let one = |(a, b): (&LaunchProfile, &LaunchProfile)| {
        let alike = a.launch == b.launch && a.stands_for == b.stands_for && a.blocks > 0;
        // Of the larger size fewer blocks may have run.
        let share = b.blocks as f64 / a.blocks.max(1) as f64;
        let near = Counters::default().along(&a.counters, share);
        let fine = a.stopped.is_none() && b.stopped.is_none() && a.coverage.len() == b.coverage.len();
        let line = |(from, to): (&simulator::Covered, &simulator::Covered)| {
            let near = from.warps as f64 * share;
            let warps = near + times * (to.warps as f64 - near);
            simulator::Covered { warps: warps.max(0.0) as u64, ..to.clone() }
        };
        (alike && fine).then(|| LaunchProfile {
            counters: near.along(&b.counters, times),
            coverage: a.coverage.iter().zip(&b.coverage).map(line).collect(),
            ..b.clone()
        })
    };
    let launches = near.launches.iter().zip(&further.launches).map(one).collect::<Option<_>>()?;
    Some(Profile { launches })
}

/// A profile in which launches that read what earlier ones would have written are told by those of a smaller size that ran whole: `whole`
/// and its plan's kernels, `times` as small. Only where there are so many times more blocks, too: then each does the same.
pub fn completed(mut profile: Profile, plan: &Plan, whole: &Profile, whole_plan: &Plan, times: f64) -> Profile {
    let blocks = |plan: &Plan, launch: usize| {
        plan.launches[launch].grid.iter().map(|&extent| f64::from(extent)).product::<f64>()
    };
    for launch in profile.launches.iter_mut().filter(|launch| launch.guesses || launch.stopped.is_some()) {
        let kernel = &plan.launches[launch.launch].kernel;
        let grows =
            |other: &LaunchProfile| blocks(plan, launch.launch) / blocks(whole_plan, other.launch) > 0.5 * times;
        let same = |other: &&LaunchProfile| {
            whole_plan.launches[other.launch].kernel == *kernel && other.blocks > 0 && grows(other)
        };
        let at = whole.launches.iter().filter(same).min_by_key(|other| other.launch.abs_diff(launch.launch));
        if let Some(other) = at {
            let (at, stands_for) = (launch.launch, std::mem::take(&mut launch.stands_for));
            *launch = LaunchProfile { launch: at, stands_for, ..other.clone() };
        }
    }
    profile
}

/// Does it hang on what blocks that did not run would have written?
pub fn is_incomplete(profile: &Profile) -> bool {
    profile.launches.iter().any(|launch| launch.guesses)
}

/// Did a block do more than it may?
pub fn too_long(profile: &Profile) -> bool {
    profile.launches.iter().any(|launch| launch.stopped.as_deref() == Some("step-limit"))
}

/// What the model is told of a version, or why it is not modelled.
pub fn facts(built: &Built, plan: &Plan, profile: &Profile, cache: Cache) -> Result<Facts, String> {
    let Some(module) = &built.module else { return Err("its machine code was not read".to_owned()) };
    let mut codes: Vec<Code> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut launches = Vec::new();
    for found in &profile.launches {
        if let Some(reason) = &found.stopped {
            return Err(format!("a block of it ended with {reason}"));
        }
        let waits =
            |covered: &simulator::Covered| covered.opcode.contains(".cas.") || covered.opcode.contains(".exch.");
        if found.coverage.iter().any(waits) {
            return Err("its threads may wait for each other, as often as it happens".to_owned());
        }
        let planned = &plan.launches[found.launch];
        let threads = planned.block.iter().product::<u32>();
        let Some(kernel) = built.kernel(&planned.kernel) else {
            return Err(format!("`{}` has no machine code", planned.kernel));
        };
        let Some(occupancy) = built.occupancy(&planned.kernel, threads, planned.shared) else {
            return Err(format!("nobody knows how many blocks of `{}` fit", planned.kernel));
        };
        let code = *places.entry(planned.kernel.as_str()).or_insert_with(|| {
            codes.push(Code::of(kernel, &module.files));
            codes.len() - 1
        });
        launches.push(LaunchFacts {
            code,
            times: found.stands_for.len() as u64,
            blocks: planned.grid.iter().map(|&extent| u64::from(extent)).product(),
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
        return Err(format!("`{}` calls itself, and nobody counts its stack", code.name));
    }
    if launches.is_empty() {
        return Err("nothing of it could be run".to_owned());
    }
    let memory = plan.buffers.iter().map(|buffer| Memory {
        bytes: buffer.len * buffer.dtype.size() as u64,
        input: matches!(buffer.role, Role::In | Role::InOut),
    });
    Ok(Facts {
        codes,
        launches,
        memory: memory.collect(),
        start: match cache {
            Cache::Cold => Start::Cold,
            Cache::Warm => Start::Warm,
        },
        host: plan.host.map(|host| plan.buffers[host.from].len * plan.buffers[host.from].dtype.size() as u64),
    })
}
