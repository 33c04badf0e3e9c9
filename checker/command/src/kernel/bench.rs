//! `checker bench NAME...`: careful measurement on a GPU, to results files.

use super::characterise;
use crate::spinner::Spinner;
use crate::{Context, Exit, Outcome, usage, workbook};
use check::bench::{Against, Ask, Bench};
use check::ladder::LadderAsk;
use check::{CheckError, fresh_seed};
use clap::Args;
use compiler::toolchain;
use execution::measure::RoofValues;
use execution::measure::ladder_record::LadderRecord;
use execution::measure::record::{self, Record, Sides};
use problem::{Kind, Problem, Version, Workbook};
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;

/// What to measure.
#[derive(Debug, Clone, Default, Args)]
pub struct BenchArgs {
    /// Exercises, pairs and ladders
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Every problem of the workbook
    #[arg(long, conflicts_with = "names")]
    all: bool,
    /// Measure the worked answers of exercises instead of your kernels
    #[arg(long)]
    solution: bool,
    /// Folder for results files; without it pairs and worked answers go to book/results, your own kernels nowhere
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Measure so often, each time in a new process, and say how far the ratios lie apart; writes no files
    #[arg(long, value_name = "N")]
    repeat: Option<u32>,
    /// Measure the baseline against itself: the verdict should be SAME; writes no files
    #[arg(long)]
    itself: bool,
    /// Measure the GPU's bandwidth and arithmetic roof anew
    #[arg(long)]
    roof: bool,
    /// Measure what the model of time knows of a GPU into tables, by the programs of scripts/clock: all, or those named
    #[arg(long, conflicts_with_all = ["all", "roof", "repeat", "itself", "solution"])]
    characterise: bool,
    /// Of a ladder: only this element type; may be given again
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,
    /// Of a ladder: only this value of the size that it varies; may be given again
    #[arg(long = "at", value_name = "N")]
    values: Vec<i64>,
    /// Seed of the inputs
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// A CUDA folder to use instead of the one found
    #[arg(long, value_name = "DIR")]
    toolchain: Option<PathBuf>,
}

/// One problem's part of the JSON.
#[derive(Debug, Serialize)]
struct Entry {
    problem: String,
    /// One a repetition.
    records: Vec<Record>,
    /// Largest ratio over smallest, minus 1, over the repetitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    spread: Option<f64>,
    /// A ladder's.
    #[serde(skip_serializing_if = "Option::is_none")]
    ladder: Option<LadderRecord>,
    /// Where it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<PathBuf>,
    /// Why there is no record.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
}

impl Entry {
    fn new(problem: &Problem) -> Self {
        let problem = problem.id.to_string();
        Self { problem, records: Vec::new(), spread: None, ladder: None, file: None, refused: None }
    }
}

/// `--json`, schema 1.
#[derive(Debug, Serialize)]
struct Results {
    schema: u32,
    device: execution::backend::DeviceInfo,
    #[serde(skip_serializing_if = "Option::is_none")]
    roof: Option<RoofValues>,
    problems: Vec<Entry>,
}

/// Measures.
pub fn run(context: &Context, args: &BenchArgs) -> Outcome {
    let workbook = workbook::open(context)?;
    let problems: Vec<Problem> = if args.characterise {
        Vec::new()
    } else if args.all {
        workbook::problems(context, &workbook)
    } else {
        args.names.iter().map(|name| workbook::find(&workbook, name)).collect::<Result<_, _>>()?
    };
    if problems.is_empty() && !args.roof && !args.characterise {
        return Err(usage("name what to measure: `checker bench local-array`, or --all, --roof, --characterise"));
    }
    let spinner = Spinner::new(context);
    spinner.say("looking for the compiler and the GPU");
    let options = toolchain::ToolchainOptions { dir: args.toolchain.clone(), ..toolchain::ToolchainOptions::default() };
    let bench = Bench::new(|| Ok(toolchain::locate(&options)?))?;
    if args.characterise {
        // The assembler's tools lie side by side.
        let nvcc = toolchain::locate(&options).map_err(CheckError::from)?.nvdisasm.with_file_name("nvcc");
        drop(spinner);
        return characterise::run(context, &workbook, &args.names, args.out.as_deref(), &nvcc);
    }
    let mut results = Results { schema: 1, device: bench.device().clone(), roof: None, problems: Vec::new() };
    if args.roof {
        spinner.say("measuring the roof");
        results.roof = Some(bench.fresh_roof()?);
    }
    for problem in &problems {
        spinner.say(&format!("measuring {}", problem.id));
        let entry = match problem.kind {
            Kind::Ladder => ladder(context, &bench, &workbook, problem, args)?,
            _ => one(&bench, &workbook, problem, args)?,
        };
        results.problems.push(entry);
    }
    drop(spinner);
    if context.json {
        context.print_json(&results)?;
    } else {
        context.print(written(&results))?;
    }
    let failed = results.problems.iter().any(|entry| entry.refused.is_some());
    Ok(if failed { Exit::NotMet } else { Exit::Met })
}

fn one(
    bench: &Bench,
    workbook: &problem::Workbook,
    problem: &Problem,
    args: &BenchArgs,
) -> Result<Entry, crate::Fault> {
    let own = problem.kind == Kind::Exercise && !args.solution;
    let version = if args.solution { Version::Solution } else { Version::Candidate };
    let against = if args.itself { Against::Itself } else { Against::Baseline };
    let date = today();
    let command = format!("checker bench {}{}", problem.id, if args.solution { " --solution" } else { "" });
    let mut entry = Entry::new(problem);
    for _ in 0..args.repeat.unwrap_or(1).max(1) {
        let seed = args.seed.unwrap_or_else(fresh_seed);
        let ask = Ask { version: &version, against, seed, command: &command, date: &date };
        match bench.measure(problem, &ask)? {
            Ok(record) => entry.records.push(record),
            Err(refusal) => {
                entry.refused = Some(refusal.text);
                return Ok(entry);
            }
        }
    }
    if args.repeat.is_some() {
        let ratios = || entry.records.iter().filter_map(|record| record.ratio).map(|ratio| ratio.median);
        let (low, high) = (ratios().fold(f64::INFINITY, f64::min), ratios().fold(0.0, f64::max));
        entry.spread = (low.is_finite() && low > 0.0).then(|| high / low - 1.0);
    } else if !args.itself {
        let folder = match &args.out {
            Some(folder) => Some(folder.clone()),
            None if own => None,
            None => Some(workbook.root().join("book/results")),
        };
        if let (Some(folder), Some(record)) = (folder, entry.records.first()) {
            entry.file = Some(record.write(&folder).map_err(anyhow::Error::from)?);
        }
    }
    Ok(entry)
}

/// The day, ISO 8601.
fn today() -> String {
    let stamp = crate::exercise::reset::stamp(crate::progress::now());
    format!("{}-{}-{}", &stamp[..4], &stamp[4..6], &stamp[6..8])
}

/// A ladder: its file is written after every place, so that nothing measured is lost, and points that are not measured
/// now stay if they are from the same device, driver and compiler.
fn ladder(
    context: &Context,
    bench: &Bench,
    workbook: &Workbook,
    problem: &Problem,
    args: &BenchArgs,
) -> Result<Entry, crate::Fault> {
    let mut entry = Entry::new(problem);
    if args.repeat.is_some() || args.itself {
        entry.refused = Some("--repeat and --itself are for pairs and exercises".to_owned());
        return Ok(entry);
    }
    let folder = args.out.clone().unwrap_or_else(|| workbook.root().join("book/results"));
    let earlier = LadderRecord::read(&record::path(&folder, &bench.device().name, problem.id.as_str())).ok();
    let types: String = args.types.iter().map(|name| format!(" --type {name}")).collect();
    let values: String = args.values.iter().map(|value| format!(" --at {value}")).collect();
    let ask = LadderAsk {
        elements: &args.types,
        values: &args.values,
        seed: args.seed.unwrap_or_else(fresh_seed),
        command: &format!("checker bench {}{types}{values}", problem.id),
        date: &today(),
    };
    let mut file = None;
    let mut keep = |record: &LadderRecord, line: &str| {
        let mut whole = record.clone();
        earlier.iter().for_each(|earlier| whole.merge(earlier.clone()));
        file = Some(whole.write(&folder).map_err(CheckError::Record)?);
        context.note(line);
        Ok(())
    };
    match bench.ladder(problem, &ask, &mut keep)? {
        Ok(record) => entry.ladder = Some(record),
        Err(refusal) => entry.refused = Some(refusal.text),
    }
    entry.file = file;
    Ok(entry)
}

/// The results as text: a line or two a problem.
fn written(results: &Results) -> String {
    let mut text = format!("{}, {}\n", results.device.name, results.device.arch);
    if let Some(roof) = &results.roof {
        let _ = writeln!(
            text,
            "roof: copy {:.0} GB/s, read {:.0} GB/s, FMA {:.0} GFLOP/s (clock {:.0} MHz)",
            roof.copy_gb_per_s, roof.read_gb_per_s, roof.fma_gflop_per_s, roof.clock_mhz
        );
    }
    let width = results.problems.iter().map(|entry| entry.problem.len()).max().unwrap_or(0);
    for entry in &results.problems {
        if let Some(reason) = &entry.refused {
            let _ = writeln!(text, "{:width$}  {reason}", entry.problem);
        }
        for record in &entry.records {
            let _ = writeln!(text, "{:width$}  {}", entry.problem, line(record));
            for note in &record.notes {
                let _ = writeln!(text, "{:width$}  note: {note}", "");
            }
        }
        if let Some(ladder) = &entry.ladder {
            let _ = writeln!(text, "{:width$}  {} times", entry.problem, ladder.points.len());
            for note in ladder.runs.iter().flat_map(|run| &run.notes) {
                let _ = writeln!(text, "{:width$}  note: {note}", "");
            }
        }
        if let Some(spread) = entry.spread {
            let _ = writeln!(text, "{:width$}  ratios lie within {:.2} %", "", 100.0 * spread);
        }
        if let Some(file) = &entry.file {
            let _ = writeln!(text, "{:width$}  {}", "", workbook::shown(file));
        }
    }
    text
}

fn line(record: &Record) -> String {
    if let Some(sweep) = &record.sweep {
        let cells = sweep.cells.iter().flatten().flatten();
        let best = cells.fold(0.0f64, |best, cell| best.max(*cell));
        return format!("{} x {} cells, best {best:.0} {}", sweep.rows.1.len(), sweep.columns.1.len(), sweep.quantity);
    }
    let (Some(baseline), Some(candidate), Some(ratio), Some(verdict)) =
        (record.baseline, record.candidate, record.ratio, record.verdict)
    else {
        return "no times".to_owned();
    };
    let mut text = format!(
        "{:.2} us -> {:.2} us  {:.3}x [{:.3}, {:.3}]  {}",
        baseline.median_us,
        candidate.median_us,
        ratio.median,
        ratio.low,
        ratio.high,
        check::pace(verdict).label()
    );
    let mut rates = |sides: Option<Sides>, unit: &str| {
        if let Some(sides) = sides {
            let _ = write!(text, "  {:.0} -> {:.0} {unit}", sides.baseline, sides.candidate);
        }
    };
    rates(record.gb_per_s, "GB/s");
    rates(record.gflop_per_s, "GFLOP/s");
    if let Some(roof) = record.roof {
        let (before, after) = (100.0 * roof.baseline_fraction, 100.0 * roof.candidate_fraction);
        let _ = write!(text, "  {before:.0} -> {after:.0} % of the roof");
    }
    text
}
