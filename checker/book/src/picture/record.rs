//! Runs of kernel files with what their lanes touch, for pictures.

use crate::simulated;
use anyhow::{Context as _, Result, anyhow, bail};
use check::RunOptions;
use problem::{Sizes, Workbook};
use report::Traced;
use simulator::explore::Effort;
use simulator::trace::{Grain, TraceRequest};
use std::collections::BTreeMap;

/// Steps recorded at most: more than a picture can show.
const STEPS: usize = 50_000;

/// Launches of a kernel file, as some warps of it went.
#[derive(Debug)]
pub struct Recorded {
    /// The file.
    pub file: String,
    launches: Vec<Traced>,
}

impl Recorded {
    /// The launches, at least one.
    pub fn launches(&self) -> &[Traced] {
        &self.launches
    }

    /// The first of them.
    pub fn traced(&self) -> &Traced {
        &self.launches[0]
    }
}

/// Which warps are recorded, and how fine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// The warp that `warp=B:W` names, by line.
    Warp,
    /// Every warp of the first block, by instruction.
    Block,
    /// Every warp, by instruction.
    Grid,
}

impl Whole {
    /// As many as a block can have; of a grid those of one block more than a picture has columns for, so that a larger one is seen.
    fn warps(self, settings: &BTreeMap<String, String>) -> Result<Vec<(u64, u32)>> {
        Ok(match self {
            Self::Warp => vec![settings.get("warp").map_or(Ok((0, 0)), |text| crate::trace::warp(text))?],
            Self::Block => (0..32).map(|warp| (0, warp)).collect(),
            Self::Grid => (0..=64).flat_map(|block| (0..32).map(move |warp| (block, warp))).collect(),
        })
    }
}

/// `size=n:16,block:16` of a directive.
pub fn sizes(settings: &BTreeMap<String, String>) -> Result<Sizes> {
    let Some(text) = settings.get("size") else { return Ok(Sizes::default()) };
    let one = |part: &str| {
        let (name, value) = part.split_once(':')?;
        Some((name.to_owned(), value.parse().ok()?))
    };
    let pairs = text.split(',').map(|part| one(part).ok_or_else(|| anyhow!("size={text}: expected NAME:VALUE,...")));
    pairs.collect()
}

/// Runs the file on the simulator in the usual order. Of a warp `launch=N` chooses the launch, from 0.
pub fn record(workbook: &Workbook, file: &str, settings: &BTreeMap<String, String>, whole: Whole) -> Result<Recorded> {
    let path = simulated::kernel_file(workbook, file)?;
    let grain = if whole == Whole::Warp { Grain::Line } else { Grain::Instruction };
    let request = TraceRequest { warps: whole.warps(settings)?, grain, events: true };
    let options = RunOptions {
        effort: Effort { runs: 0, ..Effort::default() },
        sizes: sizes(settings)?,
        element: settings.get("type").cloned(),
        trace: Some((request, STEPS)),
        workbook: Some(workbook.clone()),
        ..simulated::options("its")?
    };
    let report = simulated::ran(&path, file, &options)?;
    let mut launches = report.traces;
    let count = launches.len();
    if whole == Whole::Warp || count == 0 {
        let number: usize = settings.get("launch").map_or(Ok(0), |text| text.parse()).context("launch=")?;
        if number >= count {
            bail!("{file}: launch {number} of {count} was not recorded; the run ended with {:?}", report.verdict);
        }
        launches = vec![launches.swap_remove(number)];
    }
    if launches.iter().any(|launch| launch.trace.dropped > 0) {
        bail!("{file}: a launch takes more than {STEPS} steps; give it a smaller size=");
    }
    Ok(Recorded { file: file.to_owned(), launches })
}
