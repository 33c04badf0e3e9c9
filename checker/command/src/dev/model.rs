//! `checker dev model`: the model of time, judged on all that is recorded.

use crate::{Context, Exit, Fault, Outcome, spinner::Spinner, workbook};
use anyhow::Context as _;
use check::modelled::ledger::{self, Entry};
use clap::Args;
use compiler::toolchain;
use model::judge::{Judged, Score};
use model::{Device, is_fitted};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Options of `checker dev model`.
#[derive(Debug, Clone, Args)]
pub struct ModelArgs {
    /// Problems; all that were measured unless given
    names: Vec<String>,
    /// Folder of a device's results files [default: book/results/nvidia-h200]
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
    /// Write the tables of the book into this folder
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
    /// The kernels are new to the model: no halves, and a table of their own
    #[arg(long)]
    held_out: bool,
    /// Write what the model is told of each version as JSON
    #[arg(long, value_name = "FILE")]
    facts: Option<PathBuf>,
}

/// Judges the model.
pub fn run(context: &Context, args: &ModelArgs) -> Outcome {
    let workbook = workbook::open(context)?;
    let problems = if args.names.is_empty() {
        workbook::problems(context, &workbook)
    } else {
        args.names.iter().map(|name| workbook::find(&workbook, name)).collect::<Result<_, _>>()?
    };
    let toolchain = toolchain::locate(&toolchain::ToolchainOptions::default())
        .map_err(|error| Fault { exit: Exit::Environment, error: error.into() })?;
    let device = Device::h200().map_err(anyhow::Error::from)?;
    let folder = args.results.clone().unwrap_or_else(|| workbook.root().join("book/results/nvidia-h200"));
    let mut entries: Vec<Entry> = Vec::new();
    for problem in &problems {
        let spinner = Spinner::new(context);
        entries.extend(ledger::entries(&toolchain, problem, &folder, &|what| spinner.say(what))?);
    }
    if let Some(path) = &args.facts {
        let text = serde_json::to_string(&entries).context("facts as JSON")?;
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let judged: Vec<Judged> = entries.into_iter().map(|entry| entry.judged(&device)).collect();
    if let Some(folder) = &args.write {
        for (name, text) in tables(&judged, &device.name, args.held_out)? {
            let path = folder.join(name);
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    if context.json {
        context.print_json(&serde_json::json!({ "schema": report::SCHEMA, "judged": judged }))?;
    } else {
        context.print(told(&judged, parts(args.held_out)))?;
    }
    Ok(Exit::Met)
}

/// A name, and who belongs to it.
type Part = (&'static str, fn(&Judged) -> bool);

/// Parts of what was recorded.
const PARTS: [Part; 6] = [
    ("pairs of the fitted half", |one| one.group == PAIR && is_fitted(&one.problem)),
    ("pairs of the other half", |one| one.group == PAIR && !is_fitted(&one.problem)),
    ("sweeps of the fitted half", |one| one.group == CELLS && is_fitted(&one.problem)),
    ("sweeps of the other half", |one| one.group == CELLS && !is_fitted(&one.problem)),
    ("ladders of the fitted half", |one| one.group != PAIR && one.group != CELLS && is_fitted(&one.problem)),
    ("ladders of the other half", |one| one.group != PAIR && one.group != CELLS && !is_fitted(&one.problem)),
];
/// Those of kernels that are new.
const NEW: [Part; 1] = [("kernels of no chapter", |_| true)];

fn parts(held_out: bool) -> &'static [Part] {
    if held_out { &NEW } else { &PARTS }
}

const PAIR: &str = ledger::PAIR;
const CELLS: &str = ledger::CELLS;

/// Scores by part, with the errors of each version where they are few.
fn told(judged: &[Judged], parts: &[Part]) -> String {
    const LISTED: usize = 60;
    let mut text = String::new();
    for (name, part) in parts {
        let score = Score::of(judged, part);
        if score.kernels + score.left_out == 0 {
            continue;
        }
        let _ = writeln!(
            text,
            "{name:28} {:4} modelled, {:3} not; error {:5.1} % (median), {:5.1} % (9 of 10); right winner in {} of {} comparisons; {:3.0} % inside their intervals",
            score.kernels,
            score.left_out,
            100.0 * score.median,
            100.0 * score.most,
            score.right,
            score.comparisons,
            100.0 * score.inside as f64 / score.kernels.max(1) as f64
        );
    }
    if judged.len() <= LISTED {
        text.push('\n');
        for one in judged {
            let name = format!("{} {}", one.problem, one.version);
            let _ = match &one.modelled {
                Ok(modelled) => writeln!(
                    text,
                    "{name:44} measured {:10.2} us, modelled {:10.2} us ({:+.0} %), bound by {} ({})",
                    one.measured,
                    modelled.us,
                    100.0 * (modelled.us / one.measured - 1.0),
                    modelled.bound.words(),
                    modelled.confidence.words()
                ),
                Err(why) => writeln!(text, "{name:44} measured {:10.2} us, not modelled: {why}", one.measured),
            };
        }
    }
    text
}

/// The book's tables by file name: scores by part, and every pair and exercise.
fn tables(judged: &[Judged], device: &str, held_out: bool) -> anyhow::Result<Vec<(&'static str, String)>> {
    let round = |value: f64, places: i32| (value * 10f64.powi(places)).round() / 10f64.powi(places);
    let frame = |title: &str, row: &str, columns: &[(&str, &str)], rows: Vec<serde_json::Value>| {
        let columns: Vec<_> =
            columns.iter().map(|(name, unit)| serde_json::json!({ "name": name, "unit": unit })).collect();
        serde_json::json!({
            "schema": 1, "title": title, "device": device, "command": "checker dev model", "row": row,
            "columns": columns, "rows": rows,
        })
    };
    let scored = parts(held_out).iter().filter_map(|(name, part)| {
        let score = Score::of(judged, part);
        let values = [
            score.kernels as f64,
            score.left_out as f64,
            round(100.0 * score.median, 1),
            round(100.0 * score.most, 1),
            score.comparisons as f64,
            round(100.0 * score.winners(), 1),
            round(100.0 * score.inside as f64 / score.kernels.max(1) as f64, 1),
        ];
        (score.kernels > 0).then(|| serde_json::json!({ "name": name, "values": values }))
    });
    let columns = [
        ("modelled", ""),
        ("not modelled", ""),
        ("median error", "%"),
        ("nine of ten within", "%"),
        ("comparisons", ""),
        ("right winner", "%"),
        ("inside its interval", "%"),
    ];
    let scores = frame("The model of time, judged", "part", &columns, scored.collect());
    let pairs = judged.iter().filter(|one| one.group == PAIR).map(|one| {
        let modelled = one.modelled.as_ref().ok();
        let values = [
            Some(round(one.measured, 2)),
            modelled.map(|modelled| round(modelled.us, 2)),
            one.error().map(|e| round(100.0 * e, 1)),
        ];
        serde_json::json!({ "name": format!("{} {}", one.problem, one.version), "values": values })
    });
    let columns = [("measured", "us"), ("modelled", "us"), ("error", "%")];
    let errors = frame("Measured and modelled times", "version", &columns, pairs.collect());
    let text = |value: &serde_json::Value| serde_json::to_string_pretty(value).map(|text| text + "\n");
    let names =
        if held_out { ["model-new.json", "model-new-errors.json"] } else { ["model.json", "model-errors.json"] };
    Ok(names.into_iter().zip([text(&scores)?, text(&errors)?]).collect())
}
