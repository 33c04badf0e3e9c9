//! The model's part of a check: some blocks of each launch at the `time` size, and what they and the machine code come to.

pub mod ledger;

use crate::CheckError;
use crate::build::Built;
use crate::platform::Platform;
use execution::backend::{self, Case, LaunchProfile, Profile, Program, Thoroughness, Verify};
use model::{Code, Device, Facts, LaunchFacts, Memory, Start};
use plan::{Plan, Role};
use problem::{Cache, Problem, Sizes};
use report::{Modelled, ModelledPart, ModelledTime};
use simulator::counters::Sum;
use simulator::{Checks, Counters, Schedule};
use std::collections::BTreeMap;
use values::fill::first_turn;

/// Warp instructions that two blocks may take to be profiled.
const STEPS: u64 = 1 << 19;

/// A version at a size that is to be modelled.
pub struct Wanted<'b> {
    /// It.
    pub built: &'b Built,
    /// Its sizes.
    pub sizes: Sizes,
    /// A small size of the same kind.
    pub count: Sizes,
}

/// How profiles are made.
#[derive(Clone, Copy)]
pub struct Profiling<'a> {
    /// Of versions of this.
    pub problem: &'a Problem,
    /// On the simulator.
    pub platform: &'a Platform,
    /// Of the inputs.
    pub seed: u64,
    /// Of the workers.
    pub options: &'a backend::Options,
}

/// What some blocks of a version do.
pub struct Profiled {
    /// Its launches.
    pub plan: Plan,
    /// What was found.
    pub profile: Option<Profile>,
}

impl Profiling<'_> {
    /// Profiles programs, in one job.
    fn run(&self, programs: Vec<Program>) -> Result<Vec<Option<Profile>>, backend::Error> {
        if programs.is_empty() {
            return Ok(Vec::new());
        }
        let case = |program: Program| Case {
            name: program.name.clone(),
            seed: first_turn(self.seed),
            versions: vec![program],
            thoroughness: Thoroughness::Profiled { steps: STEPS },
            ..Case::default()
        };
        let cases: Vec<Case> = programs.into_iter().map(case).collect();
        let on = self.platform.on(vec![Schedule::Its], Checks::NONE, STEPS, self.seed);
        let results = backend::verify(&Verify { on, cases, stop_at_failure: false }, self.options)?;
        Ok(results.into_iter().map(|found| found.into_iter().next().and_then(|checked| checked.profile)).collect())
    }

    /// A version at a size, to be run.
    fn program(&self, built: &Built, sizes: &Sizes) -> Result<Program, CheckError> {
        let plan = built.plan(sizes, &self.problem.io(sizes)?)?;
        Ok(built.program(plan, None))
    }

    /// How many blocks each launch of a version has at a size.
    fn grids(&self, built: &Built, sizes: &Sizes) -> Option<Vec<[u32; 3]>> {
        let plan = built.plan(sizes, &self.problem.io(sizes).ok()?).ok()?;
        Some(plan.launches.iter().map(|launch| launch.grid).collect())
    }

    /// Some blocks of each version. Where they do too much, they are followed from two smaller sizes on.
    pub fn all(&self, wanted: &[Wanted<'_>]) -> Result<Vec<Profiled>, CheckError> {
        let programs = wanted.iter().map(|one| self.program(one.built, &one.sizes)).collect::<Result<Vec<_>, _>>()?;
        let plans: Vec<Plan> = programs.iter().map(|program| program.plan.clone()).collect();
        let mut profiles = self.run(programs)?;
        // How much a block does at a small size says at which it does as much as it may.
        let mut long: Vec<(usize, Growth)> = Vec::new();
        let mut small = Vec::new();
        for (at, one) in wanted.iter().enumerate().filter(|(at, _)| profiles[*at].as_ref().is_some_and(too_long)) {
            if let Some(growth) = Growth::of(&one.count, &one.sizes, |sizes| self.grids(one.built, sizes))
                && let Ok(program) = self.program(one.built, &growth.sizes(growth.near))
            {
                long.push((at, growth));
                small.push(program);
            }
        }
        let mut small = self.run(small)?;
        // Twice as much has to be possible.
        let much =
            |profile: &Profile| (too_long(profile) || most_of_a_block(profile) > STEPS / 4) && !takes_turns(profile);
        for ((at, growth), found) in
            long.iter_mut().zip(&mut small).filter(|(_, found)| found.as_ref().is_some_and(much))
        {
            let (built, smaller) = (wanted[*at].built, growth.clone().smaller());
            if self.grids(built, &smaller.sizes(smaller.near)) != self.grids(built, &smaller.sizes(smaller.far)) {
                continue;
            }
            *growth = smaller;
            if let Ok(program) = self.program(built, &growth.sizes(growth.near)) {
                *found = self.run(vec![program])?.pop().flatten();
            }
        }
        let (mut further, mut pairs) = (Vec::new(), Vec::new());
        for ((at, growth), small) in long.iter().zip(small) {
            // What was too long at the small size is so at the larger ones.
            if let Some(near) =
                small.filter(|small| !too_long(small)).map(|small| growth.nearest(most_of_a_block(&small)))
                && let [Ok(a), Ok(b)] =
                    [near, 2 * near].map(|size| self.program(wanted[*at].built, &growth.sizes(size)))
            {
                further.push((*at, growth.turns(near)));
                pairs.extend([a, b]);
            }
        }
        let found = self.run(pairs)?;
        for ((at, turns), pair) in further.iter().zip(found.chunks(2)) {
            if let [Some(a), Some(b)] = pair
                && let Some(far) = extrapolated(a, b, *turns)
            {
                profiles[*at] = Some(far);
            }
        }
        Ok(plans.into_iter().zip(profiles).map(|(plan, profile)| Profiled { plan, profile }).collect())
    }
}

/// Warp instructions of the busiest launch's blocks, on average.
fn most_of_a_block(profile: &Profile) -> u64 {
    profile.launches.iter().map(|launch| launch.counters.instructions / launch.blocks.max(1)).max().unwrap_or(0)
}

/// A size that grows from a small one to the one that is meant, the others being that already.
#[derive(Clone)]
struct Growth {
    name: String,
    near: i64,
    far: i64,
    others: Sizes,
}

impl Growth {
    /// Of the size that makes the greatest difference, of those that leave `grids` as they are: with more blocks each does no more.
    /// A size that grows alone need not leave them: blocks that go round do more where there is an end to their number.
    fn of(count: &Sizes, far: &Sizes, grids: impl Fn(&Sizes) -> Option<Vec<[u32; 3]>>) -> Option<Self> {
        let grown = |(name, &far_size): (&String, &i64)| {
            let near = count.get(name).copied().filter(|near| *near > 0 && far_size >= 2 * near)?;
            Some(Self { name: name.clone(), near, far: far_size, others: far.clone() })
        };
        let mut all: Vec<Self> = far.iter().filter_map(grown).collect();
        if all.len() > 1 {
            let there = grids(far);
            all.retain(|growth| grids(&growth.sizes(growth.near)) == there);
        }
        let times = |growth: &Self| growth.far as f64 / growth.near as f64;
        all.into_iter().max_by(|a, b| times(a).total_cmp(&times(b)))
    }

    /// From a size on that is so much smaller: of one block that does what all others might.
    fn smaller(self) -> Self {
        const LESS: i64 = 64;
        Self { near: (self.near / LESS).max(1), ..self }
    }

    fn sizes(&self, size: i64) -> Sizes {
        let mut sizes = self.others.clone();
        sizes.insert(self.name.clone(), size);
        sizes
    }

    /// The largest size of those that double the small one, at twice which a block does a quarter of what two may, if it did so many
    /// instructions at the small one: an unrolled loop shows from its number of copies on.
    fn nearest(&self, instructions: u64) -> i64 {
        let times = (STEPS / 8 / instructions.max(1)).max(1);
        let mut near = self.near.saturating_mul(1 << times.ilog2().min(40));
        while near > self.near && near > self.far / 2 {
            near /= 2;
        }
        near
    }

    /// How much further the size that is meant is from `near` than twice `near` is.
    fn turns(&self, near: i64) -> f64 {
        (self.far - near) as f64 / near as f64
    }
}

/// Why there is no modelled time.
#[derive(Debug)]
pub struct NotModelled {
    /// In words.
    pub why: String,
    /// Is it something that the kernel need not do?
    pub own_doing: bool,
}

impl NotModelled {
    fn own_doing(why: impl Into<String>) -> Self {
        Self { why: why.into(), own_doing: true }
    }
}

impl<T: Into<String>> From<T> for NotModelled {
    fn from(why: T) -> Self {
        Self { why: why.into(), own_doing: false }
    }
}

/// A share of the bytes that a problem has to move, or else of its outputs, below which the blocks that were run are not like the
/// others: somebody else does the work.
const FEW_BYTES: f64 = 0.5;

/// Microseconds that one multiprocessor takes at least for what the blocks that were run leave out of the bytes that must move.
fn left_to_one(problem: &Problem, plan: &Plan, facts: &Facts, device: &Device) -> Option<f64> {
    let outputs = plan.buffers.iter().filter(|buffer| matches!(buffer.role, Role::Out | Role::InOut));
    let bytes = match &problem.manifest.bytes {
        Some(bytes) => bytes.eval(&problem.manifest.time).ok()? as f64,
        None => outputs.map(|buffer| (buffer.len * buffer.dtype.size() as u64) as f64).sum(),
    };
    let moved = |launch: &LaunchFacts| {
        let each = Sum::GlobalSectors.of(&launch.counters) as f64 * 32.0 / launch.ran.max(1) as f64;
        (launch.times * launch.blocks) as f64 * each
    };
    let moved: f64 = facts.launches.iter().map(moved).sum();
    (moved < FEW_BYTES * bytes).then(|| device.us((bytes - moved) / device.memory.l2_bytes_per_cycle))
}

/// Baseline and candidate at the `time` size, modelled; or why not.
pub fn compare(
    problem: &Problem,
    platform: &Platform,
    built: [&Built; 2],
    seed: u64,
    options: &backend::Options,
) -> Result<Modelled, NotModelled> {
    let device = Device::h200().map_err(|error| error.to_string())?;
    if platform.arch != device.arch {
        return Err(format!("the machine code is {}'s, and the model knows {}", platform.arch, device.arch).into());
    }
    let sizes = &problem.manifest.time;
    let failed = |error: &dyn std::fmt::Display| format!("its blocks could not be run: {error}");
    let count = &problem.manifest.count;
    let profiling = Profiling { problem, platform, seed, options };
    let wanted = built.map(|built| Wanted { built, sizes: sizes.clone(), count: count.clone() });
    let found = profiling.all(&wanted).map_err(|error| failed(&error))?;
    let mut times = Vec::new();
    for (built, Profiled { plan, profile }) in built.into_iter().zip(&found) {
        let Some(profile) = profile else { return Err("its blocks could not be run".into()) };
        let of_candidate = !times.is_empty();
        let facts = facts(built, plan, profile, problem.manifest.cache)
            .map_err(|found| NotModelled { own_doing: found.own_doing && of_candidate, ..found })?;
        let mut time = model::model(&facts, &device);
        if let Some(us) = left_to_one(problem, plan, &facts, &device) {
            time.wait_for(us, &device);
        }
        times.push(time);
    }
    let [before, after] = times.as_slice() else { return Err("its blocks could not be run".into()) };
    let confidence = before.confidence.max(after.confidence);
    let (ratio, factor) = (before.us / after.us, device.ratio_factor(confidence));
    Ok(Modelled {
        device: device.short_name().to_owned(),
        sizes: sizes.clone(),
        low: ratio / factor,
        high: ratio * factor,
        versions: [before, after].map(told),
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

/// What a block does at a size, by what it does at two smaller ones: of a loop whose turns are the size. Nothing where the two
/// do not launch the same.
fn extrapolated(near: &Profile, further: &Profile, times: f64) -> Option<Profile> {
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

/// May the blocks have taken their work from a counter that all share? Then the first of them has done the others' as well, and what a
/// block does hangs on how many there are.
fn takes_turns(profile: &Profile) -> bool {
    profile.launches.iter().any(|launch| launch.counters.global_atomic_return_sectors > 0)
}

/// Did a block do more than it may?
fn too_long(profile: &Profile) -> bool {
    profile.launches.iter().any(|launch| launch.stopped.as_deref() == Some("step-limit"))
}

/// What the model is told of a version, or why it is not modelled.
pub fn facts(built: &Built, plan: &Plan, profile: &Profile, cache: Cache) -> Result<Facts, NotModelled> {
    let Some(module) = &built.module else { return Err("its machine code was not read".into()) };
    let mut codes: Vec<Code> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut launches = Vec::new();
    for found in &profile.launches {
        if found.guesses {
            return Err("a launch hangs on what blocks that were not run would have written".into());
        }
        if let Some(reason) = &found.stopped {
            let why = format!("a block of it ended with {reason}");
            return Err(NotModelled { why, own_doing: !takes_turns(profile) });
        }
        let waits =
            |covered: &simulator::Covered| covered.opcode.contains(".cas.") || covered.opcode.contains(".exch.");
        if found.coverage.iter().any(waits) {
            return Err(NotModelled::own_doing("its threads may wait for each other, as often as it happens"));
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
        return Err(NotModelled::own_doing(format!("`{}` calls itself, and nobody counts its stack", code.name)));
    }
    if launches.is_empty() {
        return Err("nothing of it could be run".into());
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
