//! Everything that was measured and is recorded, with what the model is told of it: what the model is judged on.

use super::{completed, extrapolated, facts, is_incomplete, nearer, profiles, too_long};
use crate::build::{Built, Refused};
use crate::ladder::kit::Kit;
use crate::platform::Platform;
use crate::{CheckError, Progress, build_version};
use compiler::toolchain::Toolchain;
use execution::backend::{self, Profile, Program, Thoroughness};
use execution::measure::ladder_record::LadderRecord;
use execution::measure::record::Record;
use model::judge::Judged;
use model::{Device, Facts};
use problem::ladder::{BLOCK, Ladder};
use problem::{Cache, Kind, Problem, Quantity, Sizes, Version};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Warp instructions of a block here, where nobody waits.
const STEPS: u64 = 1 << 19;
/// The inputs' seed.
const SEED: u64 = 1;

/// The group of a pair's two versions.
pub const PAIR: &str = "pair";
/// The group of a sweep's cells.
pub const CELLS: &str = "cells";

/// A version at a size, measured.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Entry {
    /// Its problem.
    pub problem: String,
    /// Version, and what else tells it from others of its problem.
    pub version: String,
    /// Those of the same problem and group do the same work.
    pub group: String,
    /// Microseconds.
    pub measured: f64,
    /// Work over time, relative to others of the group.
    pub work: f64,
    /// What the model is told, or why it is told nothing.
    pub facts: Result<Facts, String>,
}

impl Entry {
    /// What the model says of it.
    pub fn judged(self, device: &Device) -> Judged {
        let modelled = self.facts.map(|facts| model::model(&facts, device));
        let Self { problem, version, group, measured, work, .. } = self;
        Judged { problem, version, group, measured, work, modelled }
    }
}

/// One thing to profile.
struct Wanted<'b> {
    entry: Entry,
    built: &'b Built,
    sizes: Sizes,
    /// A small size of the same kind.
    count: Sizes,
}

/// The entries of a problem; none where nothing was recorded on the device whose folder it is.
///
/// # Errors
/// A shipped version that does not compile.
pub fn entries(
    toolchain: &Toolchain,
    problem: &Problem,
    folder: &Path,
    progress: Progress<'_>,
) -> Result<Vec<Entry>, CheckError> {
    let path = folder.join(format!("{}.json", problem.id));
    progress(&format!("profiling {}", problem.id));
    match problem.kind {
        Kind::Ladder => match LadderRecord::read(&path) {
            Ok(record) => ladder(toolchain, problem, &record),
            Err(_) => Ok(Vec::new()),
        },
        _ => match Record::read(&path) {
            Ok(record) => flat(toolchain, problem, &record),
            Err(_) => Ok(Vec::new()),
        },
    }
}

fn refused(refused: Refused) -> CheckError {
    refused.into()
}

fn flat(toolchain: &Toolchain, problem: &Problem, record: &Record) -> Result<Vec<Entry>, CheckError> {
    let platform = Platform::sim(&record.device.arch);
    let entry = |version: &str, group: &str, measured: f64, work: f64| Entry {
        problem: problem.id.to_string(),
        version: version.to_owned(),
        group: group.to_owned(),
        measured,
        work,
        facts: Err("not profiled".to_owned()),
    };
    if let (Some(table), Some(sweep)) = (&record.sweep, problem.sweep()) {
        let built = build_version(toolchain, problem, &Version::Sweep, &platform, None).map_err(refused)?;
        let cells = sweep.cells(&problem.manifest.time);
        let small = sweep.cells(&problem.manifest.count);
        let rates = table.cells.iter().flatten();
        let mut wanted = Vec::new();
        for ((cell, near), rate) in cells.iter().zip(&small).zip(rates) {
            let Some(rate) = rate else { continue };
            let work = match sweep.quantity {
                Quantity::Gflops => &problem.manifest.flops,
                Quantity::GBytes => &problem.manifest.bytes,
            };
            let work = work.as_ref().map(|work| work.eval(&cell.sizes)).transpose()?.unwrap_or(0) as f64;
            let axes: Vec<String> = [&sweep.rows.name, &sweep.columns.name]
                .iter()
                .map(|name| format!("{name}={}", cell.sizes.get(name.as_str()).copied().unwrap_or(0)))
                .collect();
            let entry = entry(&axes.join(" "), CELLS, work / rate / 1e3, work);
            wanted.push(Wanted { entry, built: &built, sizes: cell.sizes.clone(), count: near.sizes.clone() });
        }
        return profile(problem, &platform, wanted, record.cache.into_problem());
    }
    let (Some(before), Some(after)) = (&record.baseline, &record.candidate) else { return Ok(Vec::new()) };
    let built = [
        build_version(toolchain, problem, &Version::Baseline, &platform, None).map_err(refused)?,
        build_version(toolchain, problem, &Version::Solution, &platform, None).map_err(refused)?,
    ];
    let names = ["before", "after"];
    let mut wanted = Vec::new();
    for ((built, name), time) in built.iter().zip(names).zip([before, after]) {
        let entry = entry(name, PAIR, time.median_us, 1.0);
        wanted.push(Wanted { entry, built, sizes: record.sizes.clone(), count: problem.manifest.count.clone() });
    }
    profile(problem, &platform, wanted, record.cache.into_problem())
}

fn ladder(toolchain: &Toolchain, problem: &Problem, record: &LadderRecord) -> Result<Vec<Entry>, CheckError> {
    let platform = Platform::sim(&record.device.arch);
    let Some(of) = problem.ladder() else { return Ok(Vec::new()) };
    let versions: Vec<Version> = of.versions.iter().cloned().map(Version::Step).collect();
    let elements: Vec<usize> = (0..of.types.len()).collect();
    let kit =
        Kit::build(problem, toolchain, &platform, versions, &elements).map_err(|unbuilt| refused(*unbuilt.refused))?;
    let mut wanted: Vec<Vec<Wanted<'_>>> = elements.iter().map(|_| Vec::new()).collect();
    for point in &record.points {
        let Some(element) = of.element_named(&point.element) else { continue };
        let Some(version) = of.position(&point.version) else { continue };
        let Some(built) = kit.element(element).and_then(|element| element.versions.get(version)) else { continue };
        let mut sizes = Ladder::with_block(&problem.manifest.time, point.block);
        for (name, value) in &point.sizes {
            sizes.insert(name.clone(), *value);
        }
        let n: Vec<String> = point.sizes.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let group = format!("{} {BLOCK}={} {}", point.element, point.block, n.join(" "));
        let entry = Entry {
            problem: problem.id.to_string(),
            version: format!("{} {group}", point.version),
            group,
            measured: point.us.median,
            work: 1.0,
            facts: Err("not profiled".to_owned()),
        };
        let count = Ladder::with_block(&problem.manifest.count, point.block);
        wanted[element].push(Wanted { entry, built, sizes, count });
    }
    let mut all = Vec::new();
    for (element, wanted) in wanted.into_iter().enumerate() {
        let Some(kind) = kit.element(element) else { continue };
        all.extend(profile(&kind.problem, &platform, wanted, record.cache.into_problem())?);
    }
    Ok(all)
}

trait IntoProblem {
    fn into_problem(self) -> Cache;
}

impl IntoProblem for backend::Cache {
    fn into_problem(self) -> Cache {
        match self {
            Self::Cold => Cache::Cold,
            Self::Warm => Cache::Warm,
        }
    }
}

fn profile(
    problem: &Problem,
    platform: &Platform,
    wanted: Vec<Wanted<'_>>,
    cache: Cache,
) -> Result<Vec<Entry>, CheckError> {
    let program = |one: &Wanted<'_>, sizes: &Sizes| -> Result<Program, CheckError> {
        let plan = one.built.plan(sizes, &problem.io(sizes)?)?;
        Ok(one.built.program(plan, None))
    };
    let run = |programs: Vec<Program>, steps: u64, whole: bool| {
        let thoroughness = Thoroughness::Profiled { steps, whole };
        profiles(platform, programs, thoroughness, SEED, &backend::Options::default())
    };
    let programs = wanted.iter().map(|one| program(one, &one.sizes)).collect::<Result<Vec<_>, _>>()?;
    let mut profiled = run(programs.clone(), STEPS, false)?;
    // Where blocks do too much: two sizes on the way.
    let mut near = Vec::new();
    for (at, one) in wanted.iter().enumerate() {
        if profiled[at].as_ref().is_some_and(too_long)
            && let Some((sizes, times)) = nearer(&one.count, &one.sizes)
            && let [Ok(a), Ok(b)] = sizes.map(|sizes| program(one, &sizes))
        {
            near.push((at, times, [a, b]));
        }
    }
    let programs_near = near.iter().flat_map(|(_, _, programs)| programs.clone()).collect();
    let found = run(programs_near, STEPS << 1, false)?;
    for ((at, times, _), pair) in near.iter().zip(found.chunks(2)) {
        if let [Some(a), Some(b)] = pair
            && let Some(far) = extrapolated(a, b, *times)
        {
            profiled[*at] = Some(far);
        }
    }
    // Where a launch hangs on what others leave: a small size, whole.
    let mut small = Vec::new();
    for (at, one) in wanted.iter().enumerate() {
        // What a ladder's launches do hangs on no data.
        if problem.kind != Kind::Ladder
            && profiled[at].as_ref().is_some_and(is_incomplete)
            && let Some((_, times)) = nearer(&one.count, &one.sizes)
            && let Ok(program) = program(one, &one.count)
        {
            small.push((at, times, program));
        }
    }
    let whole = run(small.iter().map(|(_, _, program)| program.clone()).collect(), STEPS << 3, true)?;
    for ((at, times, program), found) in small.iter().zip(whole) {
        if let (Some(far), Some(found)) = (&mut profiled[*at], found) {
            *far = completed(std::mem::take(far), &programs[*at].plan, &found, &program.plan, *times);
        }
    }
    let told = |((mut one, program), profile): ((Wanted<'_>, Program), Option<Profile>)| {
        one.entry.facts = match profile {
            Some(profile) => facts(one.built, &program.plan, &profile, cache),
            None => Err("its blocks could not be run".to_owned()),
        };
        one.entry
    };
    Ok(wanted.into_iter().zip(programs).zip(profiled).map(told).collect())
}
