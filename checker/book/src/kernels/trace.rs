//! `{{trace FILE.cu schedule=its,pre-volta kernel=K warp=0:0 steps=N}}`: which lanes run which line, a picture a schedule,
//! made now by the simulator. The file stands alone; its path is the workbook's.

use super::simulated;
use crate::svg::escape;
use anyhow::{Context as _, Result, anyhow, bail};
use check::{RunOptions, TRACE_STEPS};
use problem::Workbook;
use report::{Dress, figure};
use simulator::explore::Effort;
use simulator::trace::{Grain, TraceRequest};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The pictures. `line` is the directive's and makes their ids unique on the page.
pub fn block(workbook: &Workbook, file: &str, settings: &BTreeMap<String, String>, line: usize) -> Result<String> {
    let path = simulated::kernel_file(workbook, file)?;
    let setting = |name: &str, default: &str| settings.get(name).map_or(default, String::as_str).to_owned();
    let names = setting("schedule", "its");
    let options = RunOptions {
        skipped: false,
        // A page shows an order as it is, not the shortest that fails.
        effort: Effort { runs: 0, ..Effort::default() },
        trace: Some((
            TraceRequest { warps: vec![warp(&setting("warp", "0:0"))?], grain: Grain::Line, events: false },
            steps(settings)?,
        )),
        ..simulated::options(&names)?
    };
    let report = simulated::ran(&path, file, &options)?;
    let kernel = settings.get("kernel");
    let wanted = report.traces.iter().filter(|traced| kernel.is_none_or(|kernel| traced.kernel == *kernel));
    let mut out = String::from("<div class=\"wb-traces\">\n");
    let mut any = false;
    for (index, traced) in wanted.enumerate() {
        for warp in 0..traced.trace.warps.len() {
            let id = format!("trace-{line}-{index}-{warp}");
            let svg = figure(traced, warp, &id, Dress::Page).ok_or_else(|| anyhow!("{file}: no such warp"))?;
            any = true;
            let _ = writeln!(
                out,
                "<figure class=\"wb-figure\">\n{svg}<figcaption><code>{}</code>, schedule <code>{}</code></figcaption>\n</figure>",
                escape(&traced.kernel),
                escape(&traced.schedule)
            );
        }
    }
    if !any {
        bail!("{file}: nothing was traced; the run ended with {:?}", report.verdict);
    }
    let _ = write!(
        out,
        "</div>\n<p class=\"wb-caption\">Simulated now: <code>checker run {} --trace --schedule {}</code></p>\n\n",
        escape(file),
        escape(&names)
    );
    Ok(out)
}

/// `warp=BLOCK:WARP`.
pub(crate) fn warp(text: &str) -> Result<(u64, u32)> {
    let parts = text.split_once(':').and_then(|(block, warp)| Some((block.parse().ok()?, warp.parse().ok()?)));
    parts.ok_or_else(|| anyhow!("warp={text}: expected BLOCK:WARP"))
}

fn steps(settings: &BTreeMap<String, String>) -> Result<usize> {
    let Some(text) = settings.get("steps") else { return Ok(TRACE_STEPS) };
    text.parse().with_context(|| format!("steps={text}: expected a number"))
}
