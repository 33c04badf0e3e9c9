//! The model's part of a check: some blocks of each launch at the `time` size, and what they and the machine code come to.

pub mod ledger;

use crate::build::Built;
use crate::platform::Platform;
use execution::backend::{self, Case, Checked, LaunchProfile, Profile, Program, Thoroughness, Verify};
use model::{Code, Device, Facts, LaunchFacts, Memory, Start};
use plan::{Plan, Role};
use problem::{Cache, Problem, Sizes};
use report::{Modelled, ModelledPart, ModelledTime};
use simulator::{Checks, Counters, Schedule};
use std::collections::BTreeMap;
use values::fill::first_turn;

/// Warp instructions that a block may take to be profiled.
pub const STEPS: u64 = 1 << 17;

/// Profiles of programs, in one job.
pub fn profiles(
    platform: &Platform,
    programs: Vec<Program>,
    thoroughness: Thoroughness,
    seed: u64,
    options: &backend::Options,
) -> Result<Vec<Option<Profile>>, backend::Error> {
    if programs.is_empty() {
        return Ok(Vec::new());
    }
    let case = |program: Program| Case {
        name: program.name.clone(),
        seed: first_turn(seed),
        versions: vec![program],
        thoroughness,
        ..Case::default()
    };
    let cases: Vec<Case> = programs.into_iter().map(case).collect();
    let on = platform.on(vec![Schedule::Its], Checks::NONE, STEPS, seed);
    let results = backend::verify(&Verify { on, cases, stop_at_failure: false }, options)?;
    Ok(results.into_iter().map(|found| found.into_iter().next().and_then(|checked| checked.profile)).collect())
}

/// Baseline and candidate at the `time` size, modelled; or why not.
pub fn compare(
    problem: &Problem,
    platform: &Platform,
    (built, counted): ([&Built; 2], &[Option<Checked>; 2]),
    seed: u64,
    options: &backend::Options,
) -> Result<Modelled, String> {
    let device = Device::h200().map_err(|error| error.to_string())?;
    if platform.arch != device.arch {
        return Err(format!("the machine code is {}'s, and the model knows {}", platform.arch, device.arch));
    }
    let sizes = &problem.manifest.time;
    let failed = |error: &dyn std::fmt::Display| format!("its blocks could not be run: {error}");
    let mut plans = Vec::new();
    for built in built {
        let io = problem.io(sizes).map_err(|error| error.to_string())?;
        plans.push(built.plan(sizes, &io).map_err(|error| error.to_string())?);
    }
    let programs = built.iter().zip(&plans).map(|(built, plan)| built.program(plan.clone(), None)).collect();
    let thoroughness = Thoroughness::Profiled { steps: STEPS, whole: false };
    let found = profiles(platform, programs, thoroughness, seed, options).map_err(|error| failed(&error))?;
    let mut times = Vec::new();
    for (side, profile) in found.iter().enumerate() {
        let Some(profile) = profile else { return Err("its blocks could not be run".to_owned()) };
        if is_incomplete(profile) && !does_as_counted(problem, built[side], profile, counted[side].as_ref()) {
            return Err("a launch hangs on what blocks that were not run would have written".to_owned());
        }
        let cache = problem.manifest.cache;
        times.push(model::model(&facts(built[side], &plans[side], profile, cache)?, &device));
    }
    let [before, after] = times.as_slice() else { return Err("its blocks could not be run".to_owned()) };
    let confidence = before.confidence.max(after.confidence);
    let (ratio, factor) = (before.us / after.us, device.ratio_factor(confidence));
    Ok(Modelled {
        device: device.name.trim_start_matches("NVIDIA ").to_owned(),
        sizes: sizes.clone(),
        low: ratio / factor,
        high: ratio * factor,
        versions: [before, after].map(told),
    })
}

/// How far a block's instructions at the `time` size may be from those at the `count` size where it read what nobody had written.
const ALIKE: f64 = 1.3;

/// Do blocks of launches that read what others would have written do as many instructions as at the `count` size, where they read it?
/// Then what they read decides nothing.
fn does_as_counted(problem: &Problem, built: &Built, profile: &Profile, counted: Option<&Checked>) -> bool {
    let count = &problem.manifest.count;
    let (Some(counted), Ok(io)) = (counted, problem.io(count)) else { return false };
    let Ok(plan) = built.plan(count, &io) else { return false };
    let per_block = |instructions: u64, blocks: f64| instructions as f64 / blocks.max(1.0);
    profile.launches.iter().filter(|launch| launch.guesses).all(|launch| {
        let there = counted.launches.iter().zip(&plan.launches).enumerate();
        let same = there.min_by_key(|(at, _)| at.abs_diff(launch.launch));
        let Some((_, (ran, planned))) = same else { return false };
        let blocks = planned.grid.iter().map(|&extent| f64::from(extent)).product::<f64>();
        let then = per_block(ran.counters.instructions, blocks);
        let now = per_block(launch.counters.instructions, launch.blocks as f64);
        now <= ALIKE * then && then <= ALIKE * now
    })
}

fn told(time: &model::Modelled) -> ModelledTime {
    let part = |bar: &model::Bar| ModelledPart { of: bar.of.words().to_owned(), us: bar.us };
    ModelledTime {
        us: time.us,
        low: time.low,
        high: time.high,
        bound: time.bound.words().to_owned(),
        parts: time.bars.iter().map(part).collect(),
        confidence: time.confidence.words().to_owned(),
    }
}

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
