//! `checker dist OUT`: the tree that students get, or with `--for` what grades on a platform.

use clap::Args;
use command::{Blame, Context, Exit, Fault, Outcome, usage, workbook};
use grade::dist::{Contents, DistError, Files, Platform};
use grade::{Rubric, Secret};
use problem::{Kind, Problem};
use std::path::{Path, PathBuf};

/// Options of `checker dist`.
#[derive(Debug, Clone, Args)]
pub struct DistArgs {
    /// A new folder, or a .zip
    out: PathBuf,
    /// Exercises to hand out [default: all]
    #[arg(long = "exercise", value_name = "exNN")]
    exercises: Vec<String>,
    /// Without hints
    #[arg(long)]
    no_hints: bool,
    /// Without the oracles, which some answers can be read off: nothing can be checked at home then
    #[arg(long)]
    no_references: bool,
    /// What a platform grades with, for teachers only: it has the seed
    #[arg(long = "for", value_name = "PLATFORM", value_parser = platform, conflicts_with_all = ["no_hints", "no_references"])]
    platform: Option<Platform>,
    /// A built checker, for students too; what grades on a platform [default there: this one]
    #[arg(long, value_name = "FILE")]
    checker: Option<PathBuf>,
    /// Points on that platform: a rubric.toml [default: 4 for results, 2 for no findings, 4 for goals]
    #[arg(long, value_name = "FILE", requires = "platform")]
    rubric: Option<PathBuf>,
    /// A file with the number that seeds come from [default: drawn anew]
    #[arg(long, value_name = "FILE", requires = "platform")]
    seed_file: Option<PathBuf>,
}

fn platform(name: &str) -> Result<Platform, String> {
    let known = Platform::ALL.iter().find(|(known, _)| *known == name).map(|(_, platform)| *platform);
    known.ok_or_else(|| format!("one of {}", Platform::ALL.map(|(name, _)| name).join(", ")))
}

/// A rubric that fits these exercises, as the file has it.
fn rubric(path: &Path, problems: &[Problem]) -> Result<Vec<u8>, Fault> {
    let rubric = Rubric::read(path).usage()?;
    rubric.known(problems.iter().map(|problem| problem.id.as_str())).usage()?;
    problems.iter().try_for_each(|problem| rubric.scheme(problem).map(drop)).usage()?;
    system::files::read_trusted(path, 1 << 20)
        .map_err(|error| anyhow::anyhow!("{}: {error}", workbook::shown(path)))
        .usage()
}

/// Hands out.
pub fn run(context: &Context, args: &DistArgs) -> Outcome {
    let workbook = workbook::open(context)?;
    let mut problems: Vec<Problem> = Vec::new();
    for name in &args.exercises {
        let problem = workbook::find(&workbook, name)?;
        if problem.kind != Kind::Exercise {
            return Err(usage(format!("{} is no exercise", problem.id)));
        }
        problems.push(problem);
    }
    if args.exercises.is_empty() {
        problems = workbook.problems().usage()?.into_iter().filter(|problem| problem.kind == Kind::Exercise).collect();
    }
    problems.dedup_by(|a, b| a.id == b.id);
    let files = match args.platform {
        None => {
            let (hints, references) = (!args.no_hints, !args.no_references);
            let contents = Contents { hints, references, checker: args.checker.is_some() };
            Files::for_students(&problems, contents).and_then(|mut files| {
                args.checker.as_deref().map_or(Ok(()), |checker| files.add_checker(checker))?;
                Ok(files)
            })
        }
        Some(platform) => {
            let checker = match &args.checker {
                Some(path) => path.clone(),
                None => std::env::current_exe()?,
            };
            let seed = match &args.seed_file {
                Some(path) => super::grade::seed(path)?,
                None => Secret::draw()?.reveal().to_owned(),
            };
            let rubric = args.rubric.as_deref().map(|path| rubric(path, &problems)).transpose()?;
            Files::for_platform(platform, &problems, &checker, &seed, rubric.as_deref())
        }
    };
    let written = files.and_then(|files| files.write(&args.out).map(|()| files.len()));
    let written = match written {
        Err(error @ (DistError::There(_) | DistError::NoFolder(_))) => return Err(usage(error)),
        other => other.environment()?,
    };
    context.print(format!("{written} files of {} exercises: {}\n", problems.len(), workbook::shown(&args.out)))?;
    Ok(Exit::Met)
}
