//! Everything that was measured and is recorded, with what the model is told of it: what the model is judged on.

use super::{Profiled, Profiling, Wanted, facts};
use crate::ladder::compiled::CompiledLadder;
use crate::platform::Platform;
use crate::{CheckError, Progress, build_version};
use compiler::toolchain::Toolchain;
use execution::backend;
use execution::measure::ladder_record::LadderRecord;
use execution::measure::record::Record;
use model::judge::Judged;
use model::{Device, Facts};
use problem::ladder::{BLOCK, Ladder};
use problem::{CacheState, Kind, Problem, Quantity, Version};
use serde::{Deserialize, Serialize};
use std::path::Path;

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
        let built = build_version(toolchain, problem, &Version::Sweep, &platform, None)?;
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
            wanted.push((entry, Wanted { built: &built, sizes: cell.sizes.clone(), count: near.sizes.clone() }));
        }
        return profile(problem, &platform, wanted, stated(record.cache));
    }
    let (Some(before), Some(after)) = (&record.baseline, &record.candidate) else { return Ok(Vec::new()) };
    let built = [
        build_version(toolchain, problem, &Version::Baseline, &platform, None)?,
        build_version(toolchain, problem, &Version::Solution, &platform, None)?,
    ];
    let names = ["before", "after"];
    let mut wanted = Vec::new();
    for ((built, name), time) in built.iter().zip(names).zip([before, after]) {
        let entry = entry(name, PAIR, time.median_us, 1.0);
        wanted.push((entry, Wanted { built, sizes: record.sizes.clone(), count: problem.manifest.count.clone() }));
    }
    profile(problem, &platform, wanted, stated(record.cache))
}

fn ladder(toolchain: &Toolchain, problem: &Problem, record: &LadderRecord) -> Result<Vec<Entry>, CheckError> {
    let platform = Platform::sim(&record.device.arch);
    let Some(of) = problem.ladder() else { return Ok(Vec::new()) };
    let versions: Vec<Version> = of.versions.iter().cloned().map(Version::Step).collect();
    let elements: Vec<usize> = (0..of.types.len()).collect();
    let compiled = CompiledLadder::build(problem, toolchain, &platform, versions, &elements)
        .map_err(|unbuilt| CheckError::from(*unbuilt.refused))?;
    let mut wanted: Vec<Vec<(Entry, Wanted<'_>)>> = elements.iter().map(|_| Vec::new()).collect();
    for point in &record.points {
        let Some(element) = of.element_named(&point.element) else { continue };
        let Some(version) = of.position(&point.version) else { continue };
        let Some(built) = compiled.element(element).and_then(|element| element.versions.get(version)) else { continue };
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
        wanted[element].push((entry, Wanted { built, sizes, count }));
    }
    let mut all = Vec::new();
    for (element, wanted) in wanted.into_iter().enumerate() {
        let Some(kind) = compiled.element(element) else { continue };
        all.extend(profile(&kind.problem, &platform, wanted, stated(record.cache))?);
    }
    Ok(all)
}

/// As a problem states it.
fn stated(cache: backend::L2State) -> CacheState {
    match cache {
        backend::L2State::Cold => CacheState::Cold,
        backend::L2State::Warm => CacheState::Warm,
    }
}

fn profile(
    problem: &Problem,
    platform: &Platform,
    wanted: Vec<(Entry, Wanted<'_>)>,
    cache: CacheState,
) -> Result<Vec<Entry>, CheckError> {
    let profiling = Profiling { problem, platform, seed: SEED, options: &backend::WorkerOptions::default() };
    let (entries, wanted): (Vec<Entry>, Vec<Wanted<'_>>) = wanted.into_iter().unzip();
    let found = profiling.all(&wanted)?;
    let told = |((mut entry, one), found): ((Entry, Wanted<'_>), Profiled)| {
        entry.facts = match &found.profile {
            Some(profile) => facts(one.built, &found.plan, profile, cache).map_err(|found| found.why),
            None => Err("its blocks could not be run".to_owned()),
        };
        entry
    };
    Ok(entries.into_iter().zip(wanted).zip(found).map(told).collect())
}
