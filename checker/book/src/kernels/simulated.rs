//! Kernel files that a page has run by the simulator: where they are, how they run, and `{{run FILE.cu schedule=its}}`, their
//! report as `checker run` prints it.

use anyhow::{Context as _, Result, anyhow, bail};
use check::{BackendChoice, Orders, RunOptions, STEPS, run};
use problem::Workbook;
use report::{self, Detail, Face, Report, Verdict};
use simulator::explore::Effort;
use simulator::{Checks, FindingName};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// As many as a page shows without scrolling.
const COLUMNS: usize = 78;

/// A kernel file of the workbook by its path from the root.
pub fn kernel_file(workbook: &Workbook, file: &str) -> Result<PathBuf> {
    let path = workbook.root().join(file);
    let plain = !file.starts_with('/') && !file.split('/').any(|part| part == "..");
    if !plain || !file.ends_with(".cu") || !path.is_file() {
        bail!("`{file}` is no kernel file of the workbook: write kernels/NAME/FILE.cu");
    }
    Ok(path)
}

/// Every check, and the same seed on every page.
pub fn options(schedules: &str) -> Result<RunOptions> {
    Ok(RunOptions {
        also: String::new(),
        skipped: false,
        backend: BackendChoice::Sim,
        orders: Orders::parse(schedules, super::evidence::SEED).map_err(|error| anyhow!(error))?,
        effort: Effort::default(),
        checks: Checks::ALL,
        seed: Some(super::evidence::SEED),
        sizes: Default::default(),
        element: None,
        dump: Vec::new(),
        lines: false,
        trace: None,
        arch: "sm_90".to_owned(),
        steps: STEPS,
        time: check::Time::default(),
        compare: true,
        toolchain: compiler::toolchain::ToolchainOptions::default(),
        workbook: None,
    })
}

/// Runs a kernel file for a page.
///
/// # Errors
/// It cannot be run, or only a clock ended it.
pub fn ran(path: &Path, file: &str, options: &RunOptions) -> Result<Report> {
    decided(run(path, options, &|_| {}).with_context(|| format!("running {file}"))?)
}

/// The report, if what it says was found out: how fast the machine was that builds a book is nothing to a reader.
///
/// # Errors
/// A clock ended a run, or orders were left out for want of time.
pub fn decided(report: Report) -> Result<Report> {
    let kinds = report.findings.iter().map(|caught| caught.finding.kind.name());
    if by_the_clock(report.verdict, kinds, !report.untried.is_empty()) {
        bail!(
            "`{}` was stopped by the clock ({:?}), which says nothing of it: build the book with less beside it",
            report.subject.name,
            report.verdict
        );
    }
    Ok(report)
}

/// Was it a clock alone that ended it? What came to no end is otherwise found to do so (a loop whose state repeats), or has a count.
fn by_the_clock(verdict: Verdict, mut found: impl Iterator<Item = FindingName>, untried: bool) -> bool {
    match verdict {
        Verdict::Endless => {
            !found.any(|kind| kind != FindingName::Interrupted && Verdict::of_kind(kind) == Some(Verdict::Endless))
        }
        Verdict::OutOfTime => true,
        _ => untried,
    }
}

/// Plain text as wide as a page's listings are.
pub fn page_face() -> Face {
    Face { width: COLUMNS, ..Face::plain() }
}

/// The verdict and its reasons, under the command that gives them.
pub fn report(workbook: &Workbook, file: &str, settings: &BTreeMap<String, String>) -> Result<String> {
    let path = kernel_file(workbook, file)?;
    let schedule = settings.get("schedule").map_or("its", String::as_str);
    let mut options = RunOptions { workbook: Some(workbook.clone()), ..options(schedule)? };
    match settings.get("check").map(String::as_str) {
        None | Some("all") => {}
        // `orders` holds what the kernel computes under one order against another, and watches nothing else.
        Some("none" | "orders") => options.checks = Checks::NONE,
        Some(other) => bail!("check={other}: a page shows all, none or orders"),
    }
    let option = options.orders.option();
    let unchecked = settings.get("check").map(|checks| format!(" --check {checks}")).unwrap_or_default();
    options.compare = settings.get("check").is_none_or(|checks| checks != "none");
    let report = ran(&path, file, &options)?;
    let text = report::render(&report, page_face(), Detail::Brief);
    // A page has no paths of the machine that built it.
    let root = format!("{}/", workbook.root().display());
    let text = text.replace(&root, "");
    Ok(format!("```text\n$ checker run {file}{option}{unchecked}\n{}\n```\n\n", text.trim_matches('\n')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_clock_ended_is_no_result() {
        use FindingName::{EndlessLoop, Interrupted, PrintfOverflow, Race, StepLimit};
        for (verdict, found, untried, clock) in [
            (Verdict::Endless, &[][..], false, true),
            (Verdict::Endless, &[Interrupted, PrintfOverflow], false, true),
            (Verdict::Endless, &[PrintfOverflow, EndlessLoop], false, false),
            (Verdict::Endless, &[StepLimit], true, false),
            (Verdict::OutOfTime, &[], false, true),
            (Verdict::Race, &[Race], false, false),
            (Verdict::Finished, &[], false, false),
            (Verdict::Finished, &[], true, true),
        ] {
            assert_eq!(by_the_clock(verdict, found.iter().copied(), untried), clock, "{verdict:?} {found:?} {untried}");
        }
    }
}
