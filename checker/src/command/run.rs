//! `checker run FILE.cu`: runs any self-describing kernel file.

use super::busy::Busy;
use super::check::{self, BackendArg};
use super::{Context, Fault, Outcome, usage};
use crate::check::{RunOptions, run as run_file};
use crate::toolchain;
use clap::Args;
use simulator::{Checks, Schedule};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Options of `checker run`.
#[derive(Debug, Clone, Args)]
pub struct RunArgs {
    /// Kernel file with `//@ in`, `//@ out` and `//@ launch` lines
    file: PathBuf,
    /// Where to run: auto is the simulator here
    #[arg(long, value_enum, default_value_t)]
    backend: BackendArg,
    /// Order of threads on the simulator: its, pre-volta, adversarial, adversarial:SEED, all
    #[arg(long, value_name = "SCHEDULE", default_value = "its")]
    schedule: String,
    /// What the simulator watches, joined by commas: races, uninitialised, barriers, all, none. Bounds, alignment and
    /// traps (memory) are always watched
    #[arg(long, value_name = "CHECKS", default_value = "all")]
    check: String,
    /// Repeat a run: the seed that its report names
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// A size in place of the file's default
    #[arg(long, value_name = "NAME=N")]
    size: Vec<String>,
    /// Write a buffer to a NumPy file
    #[arg(long, value_name = "BUFFER=FILE.npy")]
    dump: Vec<String>,
    /// Counters beside the source, line by line
    #[arg(long)]
    lines: bool,
    /// Machine code for this architecture
    #[arg(long, value_name = "sm_XX", default_value = "sm_90")]
    arch: String,
    /// Warp instructions after which a launch on the simulator counts as endless
    #[arg(long, value_name = "N", default_value_t = crate::check::STEPS)]
    steps: u64,
    /// Seconds after which the run is stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
    /// A CUDA folder to use instead of the one found
    #[arg(long, value_name = "DIR")]
    toolchain: Option<PathBuf>,
}

/// Runs the file and prints the report.
pub fn run(context: &Context, args: &RunArgs) -> Outcome {
    check::known_arch(Some(&args.arch))?;
    let seed = args.seed.unwrap_or_else(crate::check::fresh_seed);
    let options = RunOptions {
        backend: args.backend.into(),
        schedules: schedules(&args.schedule, seed)?,
        checks: checks(&args.check)?,
        seed: Some(seed),
        sizes: sizes(&args.size)?,
        dump: dumps(&args.dump)?,
        lines: args.lines,
        arch: args.arch.clone(),
        steps: args.steps.max(1),
        timeout: args.timeout.max(1),
        toolchain: toolchain::Options { dir: args.toolchain.clone(), ..toolchain::Options::default() },
    };
    let busy = Busy::new(context);
    let report = run_file(&args.file, &options, &|what| busy.say(what))?;
    drop(busy);
    check::print(context, &report)
}

fn schedules(text: &str, seed: u64) -> Result<Vec<Schedule>, Fault> {
    let one = |name: &str| match name {
        "its" => Ok(vec![Schedule::Its]),
        "pre-volta" => Ok(vec![Schedule::PreVolta]),
        // Past the fixed extremes, so that every seed is an order of its own.
        "adversarial" => Ok(vec![Schedule::Adversarial { seed: 8 + seed }]),
        "all" => {
            let fixed = (0..8).map(|seed| Schedule::Adversarial { seed });
            let drawn = (0..4).map(|n| Schedule::Adversarial { seed: 8 + seed + n });
            Ok([Schedule::Its, Schedule::PreVolta].into_iter().chain(fixed).chain(drawn).collect())
        }
        other => match other.strip_prefix("adversarial:").and_then(|seed| seed.parse().ok()) {
            Some(seed) => Ok(vec![Schedule::Adversarial { seed }]),
            None => Err(usage(format!(
                "no schedule is called `{other}`; there are its, pre-volta, adversarial, adversarial:SEED and all"
            ))),
        },
    };
    let lists = text.split(',').map(|name| one(name.trim())).collect::<Result<Vec<_>, _>>()?;
    Ok(lists.into_iter().flatten().collect())
}

fn checks(text: &str) -> Result<Checks, Fault> {
    let mut checks = Checks::NONE;
    for name in text.split(',').map(str::trim) {
        match name {
            "all" => checks = Checks::ALL,
            "none" | "memory" => {}
            "races" => checks.races = true,
            "uninitialised" | "uninitialized" => checks.uninitialised = true,
            "barriers" => checks.barriers = true,
            other => {
                return Err(usage(format!(
                    "no check is called `{other}`; there are memory, races, uninitialised, barriers, all and none"
                )));
            }
        }
    }
    Ok(checks)
}

fn sizes(texts: &[String]) -> Result<BTreeMap<String, i64>, Fault> {
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
        (!name.is_empty() && !path.is_empty())
            .then(|| (name.to_owned(), std::path::absolute(path).unwrap_or(path.into())))
    };
    let bad = |text: &String| usage(format!("--dump {text}: expected BUFFER=FILE.npy, as in --dump c=out.npy"));
    texts.iter().map(|text| dump(text).ok_or_else(|| bad(text))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_by_name() {
        assert_eq!(schedules("its", 5).unwrap(), [Schedule::Its]);
        assert_eq!(
            schedules("adversarial:3,pre-volta", 5).unwrap(),
            [Schedule::Adversarial { seed: 3 }, Schedule::PreVolta]
        );
        let all = schedules("all", 5).unwrap();
        assert!(all.contains(&Schedule::Adversarial { seed: 0 }) && all.contains(&Schedule::PreVolta));
        assert!(schedules("fair", 5).is_err() && schedules("adversarial:x", 5).is_err());
    }

    #[test]
    fn checks_by_name() {
        assert_eq!(checks("all").unwrap(), Checks::ALL);
        assert_eq!(checks("none").unwrap(), Checks::NONE);
        assert_eq!(checks("memory,races").unwrap(), Checks { races: true, ..Checks::NONE });
        assert!(checks("racy").is_err());
    }

    #[test]
    fn sizes_and_dumps_have_a_form() {
        assert_eq!(sizes(&["n=1_000".into()]).unwrap(), BTreeMap::from([("n".to_owned(), 1000)]));
        assert!(sizes(&["n".into()]).is_err() && sizes(&["=3".into()]).is_err() && sizes(&["n=x".into()]).is_err());
        assert!(dumps(&["c=out.npy".into()]).is_ok() && dumps(&["c".into()]).is_err());
    }
}
