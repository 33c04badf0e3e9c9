//! Some blocks of each launch of some versions: at the size that is meant, or followed to it from smaller ones on.

use super::growth::{Growth, extrapolated};
use crate::CheckError;
use crate::build::Built;
use crate::platform::Platform;
use execution::backend::{self, Case, LaunchProfile, Profile, Program, Thoroughness, Verify};
use model::Device;
use plan::{Plan, Role};
use problem::{Problem, Sizes};
use simulator::{Checks, Schedule};
use values::fill::first_turn;

/// Warp instructions that the blocks of a launch may take to be profiled, and how many where so few do not suffice.
const STEPS: [u64; 3] = [1 << 16, 1 << 19, 1 << 22];
/// A block that grows so many times from the small size to the one that is meant is looked at there first.
const MUCH: f64 = 8.0;

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
    pub options: &'a backend::WorkerOptions,
}

/// What some blocks of a version do.
pub struct Profiled {
    /// Its launches.
    pub plan: Plan,
    /// What was found.
    pub profile: Option<Profile>,
}

impl Profiling<'_> {
    /// Profiles programs, in one job; each beside the same version at a size that may be run whole.
    fn run(&self, programs: Vec<[Program; 2]>, steps: u64) -> Result<Vec<Option<Profile>>, backend::BackendError> {
        if programs.is_empty() {
            return Ok(Vec::new());
        }
        let case = |programs: [Program; 2]| Case {
            name: programs[0].name.clone(),
            seed: first_turn(self.seed),
            versions: programs.into(),
            thoroughness: Thoroughness::Profiled { steps },
            ..Case::default()
        };
        let cases: Vec<Case> = programs.into_iter().map(case).collect();
        let on = self.platform.on(vec![Schedule::Its], Checks::NONE, steps, self.seed);
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
        let counts = wanted.iter().map(|one| self.program(one.built, &one.count)).collect::<Result<Vec<_>, _>>()?;
        let growths = |one: &Wanted<'_>| Growth::all(&one.count, &one.sizes, |sizes| self.grids(one.built, sizes));
        let growths: Vec<Vec<Growth>> = wanted.iter().map(growths).collect();
        let mut profiles: Vec<Option<Profile>> = wanted.iter().map(|_| None).collect();
        for steps in STEPS {
            // A block that takes its work from a counter does as much as it may, not what it would do beside others.
            let more = |profile: &Profile| too_long(profile) && (steps < STEPS[2] || !takes_turns(&profile.launches));
            let open = |at: &usize| profiles[*at].as_ref().is_none_or(more);
            let open: Vec<usize> = (0..wanted.len()).filter(open).collect();
            let attempt =
                Attempt { profiling: self, wanted, programs: &programs, counts: &counts, growths: &growths, steps };
            attempt.all(&open, &mut profiles)?;
        }
        let told = |(program, profile): (Program, Option<Profile>)| Profiled { plan: program.plan, profile };
        Ok(programs.into_iter().zip(profiles).map(told).collect())
    }
}

/// Profiles of some versions with so many warp instructions at most.
struct Attempt<'p> {
    profiling: &'p Profiling<'p>,
    wanted: &'p [Wanted<'p>],
    /// At the sizes that are meant.
    programs: &'p [Program],
    /// At small ones.
    counts: &'p [Program],
    /// Along which sizes each may be followed.
    growths: &'p [Vec<Growth>],
    steps: u64,
}

/// A version that is followed along a size.
struct Long {
    /// Which of those that are wanted.
    at: usize,
    growth: Growth,
    /// What it does at the small size, ...
    small: Profile,
    /// ... and the warp instructions that two blocks are expected to take at the one that is meant.
    expected: u64,
}

impl Attempt<'_> {
    fn all(&self, open: &[usize], profiles: &mut [Option<Profile>]) -> Result<(), CheckError> {
        // What is bound to do too much is not run whole.
        let much = |at: &&usize| self.growths[**at].iter().any(|growth| growth.of_a_block >= MUCH);
        let (mut long, unsure): (Vec<Long>, Vec<Long>) =
            self.begun(open.iter().filter(much).copied())?.into_iter().partition(|long| long.expected > self.steps);
        let sure: Vec<usize> = long.iter().map(|long| long.at).collect();
        let others: Vec<usize> = open.iter().copied().filter(|at| !sure.contains(at)).collect();
        let found = self.run(others.iter().map(|at| (*at, self.programs[*at].clone())))?;
        others.iter().zip(found).for_each(|(at, found)| profiles[*at] = found);
        let is_long = |at: usize| profiles[at].as_ref().is_some_and(too_long);
        let new = others.into_iter().filter(|at| is_long(*at) && unsure.iter().all(|one| one.at != *at));
        long.extend(self.begun(new)?);
        long.extend(unsure.into_iter().filter(|one| is_long(one.at)));
        for (at, found) in self.followed(long)? {
            profiles[at] = Some(found);
        }
        Ok(())
    }

    /// Profiles programs of the versions with these numbers.
    fn run(&self, programs: impl IntoIterator<Item = (usize, Program)>) -> Result<Vec<Option<Profile>>, CheckError> {
        let beside = |(at, program): (usize, Program)| [program, self.counts[at].clone()];
        Ok(self.profiling.run(programs.into_iter().map(beside).collect(), self.steps)?)
    }

    /// Some versions at their small sizes, and at twice those: the first with which what a block does grows, or else the first.
    fn begun(&self, which: impl Iterator<Item = usize>) -> Result<Vec<Long>, CheckError> {
        let mut programs = Vec::new();
        let mut long = Vec::new();
        for at in which {
            for growth in &self.growths[at] {
                if let Some(pair) = self.pair(at, growth, growth.near) {
                    programs.extend(pair.map(|program| (at, program)));
                    long.push((at, growth));
                }
            }
        }
        let mut found = self.run(programs)?.into_iter();
        let mut all: Vec<(Long, bool)> = Vec::new();
        for (at, growth) in long {
            if let (Some(Some(small)), Some(twice)) = (found.next(), found.next()) {
                let grows = twice.as_ref().is_some_and(|twice| steady(&small, twice));
                let expected = twice.map_or(u64::MAX, |twice| expected(&small, &twice, growth.turns(growth.near)));
                let one = Long { at, growth: growth.clone(), small, expected };
                match all.last_mut() {
                    Some((last, fine)) if last.at == at => {
                        if grows && !*fine {
                            (*last, *fine) = (one, true);
                        }
                    }
                    _ => all.push((one, grows)),
                }
            }
        }
        // One that has drawn the others' work as well says nothing of what each will do.
        let shares = |one: &Long| !one.small.launches.iter().any(|launch| launch.drawn);
        Ok(all.into_iter().map(|(one, _)| one).filter(shares).collect())
    }

    /// A version at a size, and at twice that.
    fn pair(&self, at: usize, growth: &Growth, near: i64) -> Option<[Program; 2]> {
        let program = |size| self.profiling.program(self.wanted[at].built, &growth.sizes(size)).ok();
        Some([program(near)?, program(2 * near)?])
    }

    /// What versions do at the size that is meant, by what they do at two that are as large as they may be.
    fn followed(&self, long: Vec<Long>) -> Result<Vec<(usize, Profile)>, CheckError> {
        let (mut further, mut pairs) = (Vec::new(), Vec::new());
        for mut one in long {
            let much = too_long(&one.small) || most_of_a_block(&one.small) > self.steps / 4;
            if much && !takes_turns(&one.small.launches) {
                one = self.smaller(one)?;
            }
            // What was too long at the small size is so at the larger ones.
            if too_long(&one.small) {
                continue;
            }
            let near = one.growth.nearest(most_of_a_block(&one.small), self.steps);
            if let Some(pair) = self.pair(one.at, &one.growth, near) {
                further.push((one.at, one.growth.turns(near)));
                pairs.extend(pair.map(|program| (one.at, program)));
            }
        }
        let found = self.run(pairs)?;
        let mut all = Vec::new();
        for ((at, turns), pair) in further.into_iter().zip(found.chunks(2)) {
            if let [Some(a), Some(b)] = pair
                && steady(a, b)
                && shows_most(b)
                && let Some(profile) = extrapolated(a, b, turns)
            {
                all.push((at, profile));
            }
        }
        Ok(all)
    }

    /// The same from a smaller size on, if that has as many blocks.
    fn smaller(&self, long: Long) -> Result<Long, CheckError> {
        let (built, growth) = (self.wanted[long.at].built, long.growth.clone().smaller());
        let grids = |size| self.profiling.grids(built, &growth.sizes(size));
        if grids(growth.near) != grids(growth.far) {
            return Ok(long);
        }
        let Ok(program) = self.profiling.program(built, &growth.sizes(growth.near)) else { return Ok(long) };
        Ok(match self.run([(long.at, program)])?.pop().flatten() {
            Some(small) => Long { growth, small, ..long },
            None => long,
        })
    }
}

/// Warp instructions that two blocks are expected to take, along a straight line.
fn expected(small: &Profile, twice: &Profile, turns: f64) -> u64 {
    let [small, twice] = [small, twice].map(|profile| most_of_a_block(profile) as f64);
    (2.0 * (small + turns * (twice - small))).max(0.0) as u64
}

/// Does twice the size take half as much again, at least? What grows by steps or less and less is on no straight line.
fn steady(a: &Profile, b: &Profile) -> bool {
    2 * most_of_a_block(b) >= 3 * most_of_a_block(a)
}

/// Did most of the instructions of each launch run? Of a loop in a thousand copies a short one runs only what is left over.
fn shows_most(profile: &Profile) -> bool {
    let ran = |launch: &LaunchProfile| {
        2 * launch.coverage.iter().filter(|covered| covered.warps > 0).count() >= launch.coverage.len()
    };
    profile.launches.iter().all(ran)
}

/// Warp instructions of the busiest launch's blocks, on average.
fn most_of_a_block(profile: &Profile) -> u64 {
    profile.launches.iter().map(|launch| launch.counters.instructions / launch.blocks.max(1)).max().unwrap_or(0)
}

/// May the blocks have taken their work from a counter that all share? Then the first of them has done the others' as well, and what a
/// block does hangs on how many there are.
pub fn takes_turns(launches: &[LaunchProfile]) -> bool {
    launches.iter().any(|launch| launch.counters.global_atomic_return_sectors > 0)
}

/// Microseconds that such blocks queue for their numbers at least, if they took all of the inputs as they took what was followed of them: requests
/// at one address follow each other in the L2 cache.
pub fn queue_us(launch: &LaunchProfile, plan: &Plan, device: &Device) -> f64 {
    let inputs = plan.buffers.iter().filter(|buffer| matches!(buffer.role, Role::In | Role::InOut));
    let bytes: f64 = inputs.map(|buffer| buffer.bytes() as f64).sum();
    let (counters, meeting) = (&launch.counters, &launch.locality.global);
    let part = bytes / (counters.global_load_bytes.max(1) as f64);
    let hottest = meeting.hottest_requests as f64 / meeting.requests.max(1) as f64;
    let answered = counters.global_atomic_return_sectors as f64 / counters.global_atomic_sectors.max(1) as f64;
    counters.global_atomic_requests as f64 * part * hottest * device.memory.place_ns_of(answered) / 1e3
}

/// Did a block do more than it may?
fn too_long(profile: &Profile) -> bool {
    profile.launches.iter().any(LaunchProfile::is_too_long)
}
