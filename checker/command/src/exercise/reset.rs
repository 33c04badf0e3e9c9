//! `checker reset NAME`: the starter again; the learner's version is kept.

use crate::progress::{self, Store};
use crate::{Blame, Context, Exit, Fault, Outcome, usage, workbook};
use anyhow::Context as _;
use clap::Args;
use compiler::compile::LARGEST_SOURCE;
use problem::{Kind, Problem, Version, Workbook};
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use system::files::{self, Folder};

/// Options of `checker reset`.
#[derive(Debug, Clone, Args)]
pub struct ResetArgs {
    /// Exercise
    name: String,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

/// Asks, keeps a backup, puts the starter back.
pub fn run(context: &Context, args: &ResetArgs) -> Outcome {
    let workbook = workbook::open(context)?;
    let problem = workbook::find(&workbook, &args.name)?;
    let kernel = workbook::candidate(&problem);
    let shown = workbook::shown(&kernel);
    let (wanted, current) = (starter(&problem)?, current(&problem)?);
    if current.as_ref() == Some(&wanted) {
        context.print(format!("{shown} already is as it was at the start.\n"))?;
        return Ok(Exit::Met);
    }
    if current.is_some() && !args.yes && !agreed(&shown)? {
        context.print("Nothing was changed.\n")?;
        return Ok(Exit::Met);
    }
    let done = put_back(&workbook, &problem)?;
    if let Some(kept) = done.kept {
        context.print(format!("Your version is kept: {}\n", workbook::shown(&kept)))?;
    }
    done.notes.iter().for_each(|note| context.note(note));
    context.print(format!("{shown} is the starter again.\n"))?;
    Ok(Exit::Met)
}

/// What putting the starter back has done.
#[derive(Debug, Default)]
pub struct PutBack {
    /// Where the learner's version is kept.
    pub kept: Option<PathBuf>,
    /// Trouble with the progress file, which ends nothing.
    pub notes: Vec<String>,
}

/// The exercise as it was at the start; the learner's version is kept, what was solved and hinted is forgotten.
pub fn put_back(workbook: &Workbook, problem: &Problem) -> Result<PutBack, Fault> {
    let kernel = workbook::candidate(problem);
    let wanted = starter(problem)?;
    let kept = match current(problem)? {
        Some(current) => Some(backup(workbook.root(), problem.id.as_str(), &current).environment()?),
        None => None,
    };
    let relative = kernel.strip_prefix(workbook.root()).unwrap_or(&kernel);
    Folder::trusted(workbook.root())
        .and_then(|top| top.replace(relative, &wanted))
        .with_context(|| format!("writing {}", workbook::shown(&kernel)))
        .environment()?;
    let forgotten = Store::of(workbook.root()).update(|progress| {
        progress.solved.remove(problem.id.as_str());
        progress.hints.remove(problem.id.as_str());
    });
    let notes = match forgotten {
        Ok((_, warning)) => warning.into_iter().collect(),
        Err(error) => vec![format!("note: {error}")],
    };
    Ok(PutBack { kept, notes })
}

/// The exercise's text as it was at the start.
pub fn starter(problem: &Problem) -> Result<Vec<u8>, Fault> {
    if problem.kind != Kind::Exercise {
        return Err(usage(format!("`{}` is no exercise: there is nothing to reset", problem.id.as_str())));
    }
    let starter = problem.version_path(&Version::Baseline).unwrap_or_default();
    files::read_trusted(&starter, LARGEST_SOURCE).with_context(|| workbook::shown(&starter)).environment()
}

/// The learner's text, where there is one.
fn current(problem: &Problem) -> Result<Option<Vec<u8>>, Fault> {
    let kernel = workbook::candidate(problem);
    match files::read_in(Some(problem.root()), &kernel, LARGEST_SOURCE) {
        Ok(current) => Ok(Some(current)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => {
            Err(usage(format!("{}: {error}; next: move it away, then reset again", workbook::shown(&kernel))))
        }
    }
}

fn agreed(shown: &str) -> Result<bool, Fault> {
    let shown = system::text::line(shown);
    eprint!("Put the starter back into {shown}? Your version is kept as a backup. [y/N] ");
    let _ = std::io::stderr().flush();
    let mut answer = String::new();
    if std::io::stdin().lock().read_line(&mut answer)? == 0 {
        eprintln!();
        return Err(usage("nobody answered; next: `checker reset NAME --yes` does not ask"));
    }
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Writes `.warpbook/backups/NAME-TIME.cu`; never over an earlier one.
pub fn backup(root: &Path, name: &str, content: &[u8]) -> anyhow::Result<PathBuf> {
    keep(root, &Path::new(progress::FOLDER).join("backups"), name, content)
}

/// Writes `FOLDER/NAME-TIME.cu` below the workbook's top; never over an earlier one.
pub fn keep(root: &Path, inside: &Path, name: &str, content: &[u8]) -> anyhow::Result<PathBuf> {
    let shown = |name: &str| workbook::shown(&root.join(inside).join(name));
    let folder = Folder::trusted(root)
        .and_then(|top| top.enter(inside, true))
        .with_context(|| format!("making {}", shown("")))?;
    let stamp = stamp(progress::now());
    for attempt in 0..1000 {
        let suffix = if attempt == 0 { String::new() } else { format!("-{attempt}") };
        let file = format!("{name}-{stamp}{suffix}.cu");
        if !folder.has(&file) {
            folder.replace(Path::new(&file), content).with_context(|| format!("writing {}", shown(&file)))?;
            return Ok(root.join(inside).join(file));
        }
    }
    anyhow::bail!("{} is full of files of this second", shown(""))
}

/// "20261121-041530", UTC. The calendar is Howard Hinnant's `civil_from_days`.
pub fn stamp(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let days = days + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}{month:02}{day:02}-{:02}{:02}{:02}", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn stamps_are_dates() {
        assert_eq!(stamp(0), "19700101-000000");
        assert_eq!(stamp(951_782_400), "20000229-000000");
        assert_eq!(stamp(1_795_234_530), "20261121-041530");
    }

    #[test]
    fn backups_never_overwrite() {
        let root = tempfile::tempdir().unwrap();
        let first = backup(root.path(), "ex01", b"one").unwrap();
        let second = backup(root.path(), "ex01", b"two").unwrap();
        assert_ne!(first, second);
        assert_eq!((fs::read(first).unwrap(), fs::read(second).unwrap()), (b"one".to_vec(), b"two".to_vec()));
    }
}
