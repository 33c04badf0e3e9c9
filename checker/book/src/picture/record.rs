//! Runs of kernel files with what their lanes touch, for pictures.

use crate::simulated;
use anyhow::{Context as _, Result, anyhow, bail};
use check::{RunOptions, run};
use problem::{Sizes, Workbook};
use report::Traced;
use simulator::explore::Effort;
use simulator::trace::{Event, Grain, TraceRequest};
use std::collections::BTreeMap;

/// Steps recorded at most: more than a picture of one warp can show.
const STEPS: usize = 5000;

/// One launch of a kernel file, as one warp of it went.
#[derive(Debug)]
pub struct Recorded {
    /// The file.
    pub file: String,
    traced: Traced,
}

impl Recorded {
    /// What the warp did, in order.
    pub fn events(&self) -> &[Event] {
        &self.traced.trace.events
    }

    /// The launch.
    pub fn traced(&self) -> &Traced {
        &self.traced
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

/// Runs the file on the simulator in the usual order. `warp=B:W` chooses the warp, `launch=N` the launch, both from 0.
pub fn record(workbook: &Workbook, file: &str, settings: &BTreeMap<String, String>) -> Result<Recorded> {
    let path = simulated::kernel_file(workbook, file)?;
    let warp = settings.get("warp").map_or(Ok((0, 0)), |text| crate::trace::warp(text))?;
    let request = TraceRequest { warps: vec![warp], grain: Grain::Line, events: true };
    let options = RunOptions {
        effort: Effort { runs: 0, ..Effort::default() },
        sizes: sizes(settings)?,
        element: settings.get("type").cloned(),
        trace: Some((request, STEPS)),
        workbook: Some(workbook.clone()),
        ..simulated::options("its")?
    };
    let report = run(&path, &options, &|_| {}).with_context(|| format!("running {file}"))?;
    let number: usize = settings.get("launch").map_or(Ok(0), |text| text.parse()).context("launch=")?;
    let count = report.traces.len();
    let Some(traced) = report.traces.into_iter().nth(number) else {
        bail!("{file}: launch {number} of {count} was not recorded; the run ended with {:?}", report.verdict);
    };
    if traced.trace.dropped > 0 {
        bail!("{file}: the warp takes more than {STEPS} steps; give it a smaller size=");
    }
    Ok(Recorded { file: file.to_owned(), traced })
}
