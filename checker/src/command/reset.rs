//! `checker reset NAME`: the starter again; the learner's version is kept.

use super::{Blame, Context, Exit, Outcome, shelf, usage};
use crate::progress::{self, Store};
use anyhow::Context as _;
use clap::Args;
use compiler::compile::LARGEST_SOURCE;
use problem::{Kind, Version};
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
    let workbook = shelf::open(context)?;
    let problem = shelf::find(&workbook, &args.name)?;
    if problem.kind != Kind::Exercise {
        return Err(usage(format!("`{}` is no exercise: there is nothing to reset", problem.id.as_str())));
    }
    let kernel = shelf::candidate(&problem);
    let starter = problem.version_path(&Version::Baseline).unwrap_or_default();
    let shown = shelf::shown(&kernel);
    let limit = LARGEST_SOURCE;
    let wanted = files::read_trusted(&starter, limit).with_context(|| shelf::shown(&starter)).environment()?;
    let current = match files::read_in(Some(workbook.root()), &kernel, limit) {
        Ok(current) => Some(current),
        Err(error) if error.is_missing() => None,
        Err(error) => return Err(usage(format!("{shown}: {error}; next: move it away, then reset again"))),
    };
    if current.as_ref() == Some(&wanted) {
        context.print(format!("{shown} already is as it was at the start.\n"))?;
        return Ok(Exit::Met);
    }
    if current.is_some() && !args.yes && !agreed(&shown)? {
        context.print("Nothing was changed.\n")?;
        return Ok(Exit::Met);
    }
    if let Some(current) = current {
        let kept = backup(workbook.root(), problem.id.as_str(), &current).environment()?;
        context.print(format!("Your version is kept: {}\n", shelf::shown(&kept)))?;
    }
    let relative = kernel.strip_prefix(workbook.root()).unwrap_or(&kernel);
    Folder::trusted(workbook.root())
        .and_then(|top| top.replace(relative, &wanted))
        .with_context(|| format!("writing {shown}"))
        .environment()?;
    let forgotten = Store::of(workbook.root()).update(|progress| {
        progress.solved.remove(problem.id.as_str());
        progress.hints.remove(problem.id.as_str());
    });
    match forgotten {
        Ok((_, warning)) => warning.iter().for_each(|warning| context.note(warning)),
        Err(error) => context.note(&format!("note: {error}")),
    }
    context.print(format!("{shown} is the starter again.\n"))?;
    Ok(Exit::Met)
}

fn agreed(shown: &str) -> Result<bool, super::Fault> {
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
fn backup(root: &Path, name: &str, content: &[u8]) -> anyhow::Result<PathBuf> {
    let inside = Path::new(progress::FOLDER).join("backups");
    let shown = |name: &str| shelf::shown(&root.join(&inside).join(name));
    let folder = Folder::trusted(root)
        .and_then(|top| top.enter(&inside, true))
        .with_context(|| format!("making {}", shown("")))?;
    let stamp = stamp(progress::now());
    for attempt in 0..1000 {
        let suffix = if attempt == 0 { String::new() } else { format!("-{attempt}") };
        let file = format!("{name}-{stamp}{suffix}.cu");
        if !folder.has(&file) {
            folder.replace(Path::new(&file), content).with_context(|| format!("writing {}", shown(&file)))?;
            return Ok(root.join(&inside).join(file));
        }
    }
    anyhow::bail!("{} is full of backups of this second", shown(""))
}

/// "20261121-041530", UTC. The calendar is Howard Hinnant's `civil_from_days`.
pub(crate) fn stamp(seconds: u64) -> String {
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
