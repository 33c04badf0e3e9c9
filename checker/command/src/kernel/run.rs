//! `checker run FILE.cu`: runs any self-describing kernel file.

use crate::exercise::check::{self, BackendArg};
use crate::spinner::Spinner;
use crate::{Context, Fault, Outcome, usage, workbook};
use ::check::{Orders, RunOptions, Time, run as run_file};
use clap::Args;
use compiler::toolchain;
use problem::Sizes;
use simulator::Checks;
use simulator::explore::Effort;
use simulator::trace::{Grain, TraceRequest};
use std::path::{Path, PathBuf};
use std::time::Duration;
use system::files::FileError;

/// `--check` and `--arch` unless given.
const CHECKS: &str = "all";
const ARCH: &str = "sm_90";

/// Options of `checker run`.
#[derive(Debug, Clone, Args)]
pub struct RunArgs {
    /// Kernel file with `//@ in`, `//@ out` and `//@ launch` lines
    #[arg(required_unless_present = "trace")]
    file: Option<PathBuf>,
    /// Where to run: auto is the simulator here
    #[arg(long, value_enum, default_value_t)]
    backend: BackendArg,
    /// Order of threads on the simulator: its, pre-volta, adversarial[:SEED], patient[:SEED], in-turn, pct[:SEED[:DEPTH]], replay:WITNESS, all
    #[arg(long, value_name = "SCHEDULE", default_value = "its")]
    schedule: String,
    /// What the simulator watches, joined by commas: races, uninitialised, barriers, orders (are outputs the same under
    /// all schedules?), all, none. Bounds, alignment and traps (memory) are always watched
    #[arg(long, value_name = "CHECKS", default_value = CHECKS)]
    check: String,
    /// Repeat a run: the seed that its report names
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// A size in place of the file's default
    #[arg(long, value_name = "NAME=N")]
    size: Vec<String>,
    /// A version of a ladder: the element type, in place of its first
    #[arg(long = "type", value_name = "TYPE")]
    element: Option<String>,
    /// Write a buffer to a NumPy file
    #[arg(long, value_name = "BUFFER=FILE.npy")]
    dump: Vec<String>,
    /// Counters beside the source, line by line
    #[arg(long)]
    lines: bool,
    /// Draw which lanes run which line at each step, here or into an SVG file
    #[arg(long, value_name = "OUT.svg", num_args = 0..=1)]
    trace: Option<Option<PathBuf>>,
    /// A warp to draw, as BLOCK:WARP, blocks counted from 0 along x, then y, then z; several are drawn apart
    #[arg(long, value_name = "B:W", default_value = "0:0")]
    trace_warp: Vec<String>,
    /// Steps of a launch to draw at most
    #[arg(long, value_name = "N", default_value_t = ::check::TRACE_STEPS)]
    trace_steps: usize,
    /// A step is a PTX instruction instead of a source line
    #[arg(long)]
    trace_ptx: bool,
    /// Machine code for this architecture
    #[arg(long, value_name = "sm_XX", default_value = ARCH)]
    arch: String,
    /// Warp instructions without a block ending after which a launch on the simulator counts as endless
    #[arg(long, value_name = "N", default_value_t = ::check::STEPS)]
    steps: u64,
    /// Replay an order: a witness as reports show it, or a file that holds one
    #[arg(long, value_name = "TEXT|FILE", conflicts_with = "schedule")]
    witness: Option<String>,
    /// Runs that finding the shortest order that fails may take; 0: it is not looked for
    #[arg(long, value_name = "N", default_value_t = Effort::default().runs)]
    shortest: u32,
    /// Seconds that running may take: 30 for one schedule, 60 for several, unless given
    #[arg(long, value_name = "SECONDS", alias = "timeout", conflicts_with = "all")]
    limit: Option<u64>,
    /// Try every schedule, however long it takes
    #[arg(long)]
    all: bool,
    /// A CUDA folder to use instead of the one found
    #[arg(long, value_name = "DIR")]
    toolchain: Option<PathBuf>,
}

/// Most bytes of a file that holds a witness.
const LARGEST_WITNESS: u64 = 1 << 20;

/// Runs the file and prints the report.
pub fn run(context: &Context, args: &RunArgs) -> Outcome {
    check::known_arch(Some(&args.arch))?;
    let (file, picture) = files(args)?;
    if let Some(picture) = picture {
        writable(picture)?;
    }
    let dump = dumps(&args.dump)?;
    if let Some((name, _)) = dump.iter().find(|(_, path)| is_same_file(path, file)) {
        let shown = system::text::path(file);
        return Err(usage(format!("--dump {name}={shown}: that is the kernel file; name another")));
    }
    let seed = args.seed.unwrap_or_else(::check::fresh_seed);
    let trace = trace(args)?;
    if args.backend == BackendArg::Gpu && (args.lines || trace.is_some()) {
        let what = if args.lines { "--lines" } else { "--trace" };
        return Err(usage(format!("{what}: a GPU does not tell; leave out --backend gpu")));
    }
    let options = RunOptions {
        backend: args.backend.into(),
        orders: orders(args, seed)?,
        checks: checks(&args.check)?,
        seed: Some(seed),
        sizes: sizes(&args.size)?,
        element: args.element.clone(),
        dump,
        lines: args.lines,
        trace,
        arch: args.arch.clone(),
        steps: args.steps.max(1),
        time: time(args),
        compare: compares(&args.check),
        skipped: context.verbosity >= crate::Verbosity::Verbose,
        effort: Effort { runs: args.shortest, ..Effort::default() },
        toolchain: toolchain::ToolchainOptions {
            dir: args.toolchain.clone(),
            ..toolchain::ToolchainOptions::default()
        },
        also: also(context, args),
        workbook: workbook::current(context)?,
    };
    let spinner = Spinner::new(context);
    let mut report = run_file(file, &options, &|what| spinner.say(what))?;
    drop(spinner);
    if let Some(workbook) = options.workbook.as_ref().filter(|workbook| workbook.problem_of(file).is_some()) {
        report.notes.extend(workbook::judged_by(workbook));
    }
    if let Some(path) = picture
        && !report.traces.is_empty()
    {
        let drawing = report::standalone(&report.traces);
        system::files::replace(path, drawing.as_bytes()).map_err(|error| unwritable(path, &error))?;
        report.notes.push(format!("wrote {}", system::text::path(path)));
        // The picture is in the file; JSON has the steps all the same.
        if !context.json {
            report.traces.clear();
        }
    }
    check::print(context, &report)
}

/// What repeating the run needs besides its seed, sizes and orders.
fn also(context: &Context, args: &RunArgs) -> String {
    // Of itself it runs on the simulator.
    let backend = if args.backend == BackendArg::Gpu { args.backend } else { BackendArg::Auto };
    let mut also = check::also(context, backend, args.toolchain.as_deref());
    if args.check != CHECKS {
        also.push_str(&format!(" --check {}", system::text::word(&args.check)));
    }
    if args.arch != ARCH {
        also.push_str(&format!(" --arch {}", args.arch));
    }
    if args.steps != ::check::STEPS {
        also.push_str(&format!(" --steps {}", args.steps));
    }
    also
}

/// Are they one file? One that is not there is none.
fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Before anything is run for it: may a file of that name be written?
fn writable(path: &Path) -> Result<(), Fault> {
    let shown = system::text::path(path);
    let next = |error| format!("{shown}: {error}; name a new file, or one to overwrite");
    system::files::replaceable(path).map_err(|error| usage(next(error)))
}

fn unwritable(path: &Path, error: &FileError) -> Fault {
    let said = format!("--trace {}: {error}", system::text::path(path));
    if error.is_full() { Fault::from(anyhow::anyhow!(said)) } else { usage(said) }
}

/// The kernel file, and the file to draw into. In `--trace FILE.cu` the file is the kernel's.
fn files(args: &RunArgs) -> Result<(&Path, Option<&Path>), Fault> {
    let ends = |path: &Path, end: &str| path.extension().is_some_and(|extension| extension == end);
    match (&args.file, args.trace.as_ref().and_then(Option::as_deref)) {
        (Some(file), Some(picture)) if ends(picture, "svg") => Ok((file, Some(picture))),
        (Some(_), Some(other)) => Err(usage(format!("--trace {}: expected a file that ends in .svg", other.display()))),
        (Some(file), None) => Ok((file, None)),
        (None, Some(file)) if !ends(file, "svg") => Ok((file, None)),
        (None, _) => Err(usage("which file? checker run FILE.cu --trace")),
    }
}

/// What `--trace` asks for.
fn trace(args: &RunArgs) -> Result<Option<(TraceRequest, usize)>, Fault> {
    if args.trace.is_none() {
        return Ok(None);
    }
    let warp = |text: &String| {
        let (block, warp) = text.split_once(':')?;
        Some((block.trim().parse().ok()?, warp.trim().parse().ok()?))
    };
    let bad = |text: &String| usage(format!("--trace-warp {text}: expected BLOCK:WARP, as in --trace-warp 0:1"));
    let warps = args.trace_warp.iter().map(|text| warp(text).ok_or_else(|| bad(text))).collect::<Result<_, _>>()?;
    let grain = if args.trace_ptx { Grain::Instruction } else { Grain::Line };
    Ok(Some((TraceRequest { warps, grain, events: false }, args.trace_steps)))
}

fn orders(args: &RunArgs, seed: u64) -> Result<Orders, Fault> {
    let Some(witness) = &args.witness else { return Orders::parse(&args.schedule, seed).map_err(usage) };
    let text = if Path::new(witness).exists() {
        let bytes = system::files::read_named(Path::new(witness), LARGEST_WITNESS)
            .map_err(|error| usage(format!("--witness {witness}: {error}")))?;
        String::from_utf8(bytes).map_err(|_| usage(format!("--witness {witness}: it is not text")))?
    } else {
        witness.clone()
    };
    Orders::replay(text.trim().trim_start_matches("replay:")).map_err(usage)
}

/// Seconds that one schedule may take, and several together, unless `--limit` says it.
const ONE: u64 = 30;
const SEVERAL: u64 = 60;

fn time(args: &RunArgs) -> Time {
    let seconds = |seconds| Some(Duration::from_secs(args.limit.unwrap_or(seconds).max(1)));
    if args.all { Time::default() } else { Time { one: seconds(ONE), all: seconds(SEVERAL) } }
}

/// Are outputs to be compared between orders?
fn compares(checks: &str) -> bool {
    checks.split(',').any(|name| matches!(name.trim(), "all" | "orders"))
}

fn checks(text: &str) -> Result<Checks, Fault> {
    let mut checks = Checks::NONE;
    for name in text.split(',').map(str::trim) {
        match name {
            "all" => checks = Checks::ALL,
            "none" | "memory" | "orders" => {}
            "races" => checks.races = true,
            "uninitialised" | "uninitialized" => checks.uninitialised = true,
            "barriers" => checks.barriers = true,
            other => {
                return Err(usage(format!(
                    "no check is called `{other}`; there are memory, races, uninitialised, barriers, orders, all \
                     and none"
                )));
            }
        }
    }
    Ok(checks)
}

fn sizes(texts: &[String]) -> Result<Sizes, Fault> {
    let size = |text: &String| {
        let (name, value) = text.split_once('=')?;
        let name = name.trim();
        (!name.is_empty()).then_some(())?;
        Some((name.to_owned(), value.trim().replace('_', "").parse().ok()?))
    };
    let bad = |text: &String| usage(format!("--size {text}: expected NAME=N, as in --size n=4096"));
    texts.iter().map(|text| size(text).ok_or_else(|| bad(text))).collect()
}

fn dumps(texts: &[String]) -> Result<Vec<(String, PathBuf)>, Fault> {
    let dump = |text: &String| {
        let (name, path) = text.split_once('=')?;
        // Another name may be that of a file which somebody wrote.
        (!name.is_empty() && Path::new(path).extension().is_some_and(|extension| extension == "npy"))
            .then(|| (name.to_owned(), std::path::absolute(path).unwrap_or(path.into())))
    };
    let bad = |text: &String| usage(format!("--dump {text}: expected BUFFER=FILE.npy, as in --dump c=out.npy"));
    let dumps: Vec<(String, PathBuf)> =
        texts.iter().map(|text| dump(text).ok_or_else(|| bad(text))).collect::<Result<_, _>>()?;
    // Nothing is run for a file that will not be written.
    for (_, path) in &dumps {
        if let Some(folder) = path.parent().filter(|folder| !folder.is_dir()) {
            let (path, folder) = (system::text::path(path), system::text::path(folder));
            return Err(usage(format!("{path}: there is no folder {folder}; make it, or name another one")));
        }
        writable(path)?;
    }
    Ok(dumps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_by_name() {
        assert_eq!(checks("all").unwrap(), Checks::ALL);
        assert_eq!(checks("none").unwrap(), Checks::NONE);
        assert_eq!(checks("memory,races").unwrap(), Checks { races: true, ..Checks::NONE });
        assert!(checks("racy").is_err());
        assert!(compares("all") && compares("races, orders") && !compares("races") && !compares("none"));
    }

    #[test]
    fn sizes_and_dumps_have_a_form() {
        assert_eq!(sizes(&["n=1_000".into()]).unwrap(), Sizes::from([("n".to_owned(), 1000)]));
        assert!(sizes(&["n".into()]).is_err() && sizes(&["=3".into()]).is_err() && sizes(&["n=x".into()]).is_err());
        assert!(dumps(&["c=out.npy".into()]).is_ok() && dumps(&["c".into()]).is_err());
        assert!(dumps(&["c=kernel.cu".into()]).is_err() && dumps(&["c=".into()]).is_err());
    }
}
