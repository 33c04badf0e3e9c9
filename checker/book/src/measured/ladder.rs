//! `{{ladder NAME}}`: the steps of a ladder with their evidence, and figures of what was measured:
//! `figure=roof`, `sizes`, `steps`, `blocks`; `show=A,B` names the lines of `sizes` and `blocks` that are not grey; `type=int` for
//! another element type than the first.

use crate::PageError;
use crate::kept::Kept;
use crate::ladder_figures::{View, capitalised};
use crate::svg::escape;
use anyhow::{Context as _, Result, bail};
use check::CheckError;
use check::Platform;
use check::ladder::compiled::{CompiledLadder, LadderBuildError};
use check::ladder::{add_record, evidence};
use compiler::toolchain::Toolchain;
use execution::measure::ladder_record::LadderRecord;
use problem::{Problem, Version};
use report::{LadderStep, LadderTable};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Counts do not depend on it.
const SEED: u64 = 1;

pub fn block(
    kept: &Kept,
    toolchain: &Toolchain,
    results: &Path,
    problem: &Problem,
    settings: &BTreeMap<String, String>,
) -> Result<String> {
    let ladder = problem.ladder().with_context(|| format!("`{}` is no ladder", problem.id))?;
    let element = match settings.get("type") {
        None => 0,
        Some(name) => {
            ladder.element_named(name).with_context(|| format!("`{}` has no element type `{name}`", problem.id))?
        }
    };
    let records = LadderRecord::of_problem(results, problem.id.as_str());
    let Some(figure) = settings.get("figure") else { return steps(kept, toolchain, problem, &records) };
    if records.is_empty() {
        return Ok(not_measured(problem));
    }
    let drawn = records.iter().map(|record| {
        let shown = settings.get("show").map(|names| names.split(',').collect()).unwrap_or_default();
        let view = View { problem, ladder, element, record, shown };
        if matches!(figure.as_str(), "sizes" | "blocks") {
            view.check_shown()?;
        }
        let figure = match figure.as_str() {
            "roof" => view.roof(),
            "sizes" => view.sizes(),
            "steps" => view.beside_published()?,
            "blocks" => view.blocks(),
            other => {
                bail!(PageError(format!("no figure is called `{other}`; there are roof, sizes, steps and blocks")))
            }
        };
        Ok(figure.unwrap_or_else(|| not_measured(problem)))
    });
    drawn.collect()
}

fn not_measured(problem: &Problem) -> String {
    format!(
        "<p class=\"wb-caption\">{} has not been measured on a GPU for this yet: <code>checker bench {}</code> does \
         it.</p>\n\n",
        problem.id, problem.id
    )
}

/// What the compiler says of each version and the simulator counts, for the first element type.
pub(crate) fn counted(kept: &Kept, toolchain: &Toolchain, problem: &Problem) -> Result<LadderTable> {
    let make = || {
        let platform = Platform::sim(&problem.manifest.arch);
        let versions = problem.ladder().map(|ladder| ladder.versions.clone()).unwrap_or_default();
        let versions = versions.into_iter().map(Version::Step).collect();
        let compiled = CompiledLadder::build(problem, toolchain, &platform, versions, &[0]);
        let compiled = compiled.map_err(|LadderBuildError { refused, .. }| CheckError::from(*refused))?;
        let table = evidence(problem, &compiled, &platform, SEED).map_err(CheckError::from)?;
        Ok(serde_json::to_string(&table)?)
    };
    let folder = format!("kernels/{}", problem.id);
    let text = kept.text(&format!("counts of the ladder {}", problem.id), &[&folder], make)?;
    serde_json::from_str(&text).context("a kept table")
}

/// The table: what each version is, what was counted, and what was measured.
fn steps(kept: &Kept, toolchain: &Toolchain, problem: &Problem, records: &[LadderRecord]) -> Result<String> {
    let mut table = counted(kept, toolchain, problem)?;
    let compiler = toolchain.compiler();
    let record = records.first();
    record.iter().for_each(|record| add_record(&mut table, record));
    let mut out = rows(&table);
    let _ = write!(
        out,
        "<p class=\"wb-caption\">{}: counts of the simulator at {} for {}; machine code for {}, {}.",
        problem.id,
        escape(&report::sizes(&table.sizes)),
        escape(&table.element),
        problem.manifest.arch,
        escape(&compiler)
    );
    match record {
        Some(record) if table.times.is_some() => {
            let _ = write!(out, " Times at {}, {}", escape(&report::sizes(&table.time_sizes)), measured_on(record));
        }
        _ => {
            let _ = write!(
                out,
                " It has not been measured on a GPU yet: <code>checker bench {}</code> does it.",
                problem.id
            );
        }
    }
    out.push_str("</p>\n\n");
    Ok(out)
}

/// "measured on NVIDIA H200 (driver 580), 2026-01-01, by `checker bench reduction`."
pub(crate) fn measured_on(record: &LadderRecord) -> String {
    let run = record.runs.first();
    let mut text = format!(
        "measured on {} (driver {}), {}, {}, by <code>{}</code>.",
        escape(&record.device.name),
        escape(&record.device.driver),
        run.map_or_else(String::new, |run| escape(&run.compiler)),
        run.map_or_else(String::new, |run| escape(&run.date)),
        // Parts may have been measured again since.
        escape(&format!("checker bench {}", record.problem))
    );
    // The same note at many places is said once.
    let mut notes: BTreeMap<&str, usize> = BTreeMap::new();
    for note in record.runs.iter().flat_map(|run| &run.notes) {
        let what = note.split_once(": ").map_or(note.as_str(), |(_, what)| what);
        *notes.entry(what.trim_end_matches('.')).or_default() += 1;
    }
    for (note, places) in notes {
        let _ = match places {
            1 => write!(text, " {}.", capitalised(&escape(note))),
            _ => write!(
                text,
                " {}, at {places} of the {} places measured in all.",
                capitalised(&escape(note)),
                record.points.len()
            ),
        };
    }
    text
}

type Cell = fn(&LadderStep) -> Option<String>;

const COLUMNS: &[(&str, Cell)] = &[
    ("launches", |step| Some(step.launches.to_string())),
    ("warp instructions", |step| step.counters.map(|counters| grouped(counters.instructions))),
    ("lanes at work", |step| step.counters.map(|counters| format!("{:.0} %", 100.0 * counters.lane_efficiency()))),
    ("bank conflicts", |step| step.counters.map(|counters| grouped(counters.shared_bank_conflicts))),
    ("barriers", |step| step.counters.map(|counters| grouped(counters.barriers))),
    ("global atomics", |step| step.counters.map(|counters| grouped(counters.global_atomics))),
    ("sectors", |step| {
        step.counters.map(|counters| grouped(counters.global_load_sectors + counters.global_store_sectors))
    }),
    ("SASS", |step| step.sass_instructions.map(|value| format!("{value:.0}"))),
    ("registers", |step| step.registers.map(|value| format!("{value:.0}"))),
];
const TIMES: &[(&str, Cell)] = &[
    ("GB/s", |step| step.gb_per_s.map(|value| format!("{value:.0}"))),
    ("of the roof", |step| step.roof.map(|value| format!("{:.1} %", 100.0 * value))),
    ("step", |step| step.step.map(|[ratio, ..]| format!("{ratio:.2}x"))),
];

fn rows(table: &LadderTable) -> String {
    let columns: Vec<&(&str, Cell)> = COLUMNS.iter().chain(TIMES.iter().filter(|_| table.times.is_some())).collect();
    let heads: String = columns.iter().map(|(head, _)| format!("<th>{head}</th>")).collect();
    let mut out = format!(
        "<div class=\"wb-scroll\">\n<table class=\"wb-table wb-steps\">\n<thead><tr><th>version</th>{heads}</tr></thead>\n<tbody>\n"
    );
    for step in &table.steps {
        let cells: String = columns
            .iter()
            .map(|(_, cell)| format!("<td>{}</td>", cell(step).unwrap_or_else(|| "–".to_owned())))
            .collect();
        let _ = writeln!(out, "<tr><td><code>{}</code></td>{cells}</tr>", escape(&step.version));
    }
    out.push_str("</tbody></table>\n</div>\n");
    out
}

/// Thousands apart.
fn grouped(value: u64) -> String {
    report::number(value as f64, true)
}
