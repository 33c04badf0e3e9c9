//! `checker watch [NAME]`: checks again whenever the kernel file is saved.

use super::check;
use crate::exercise::hint;
use crate::keys::Keys;
use crate::{Context, Exit, Fault, Outcome, Verbosity, workbook};
use clap::Args;
use compiler::compile::LARGEST_SOURCE;
use problem::Problem;
use report::{Pen, Report, Tone, Verdict};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use system::files;
use system::text::Screen;

/// How often the file is looked at.
const POLL: Duration = Duration::from_millis(100);

/// Options of `checker watch`.
#[derive(Debug, Clone, Args)]
pub struct WatchArgs {
    /// What to check: the next unsolved exercise unless given
    name: Option<String>,
    #[command(flatten)]
    options: check::CheckFlags,
}

/// Watches one file by looking at it. Editors that write a new file and rename it, and files that are missing for a
/// moment, are no trouble: only content counts.
#[derive(Debug)]
pub struct Watched {
    path: PathBuf,
    stamp: Option<(SystemTime, u64)>,
    content: Option<Vec<u8>>,
}

impl Watched {
    /// The file as it is now.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_path_buf(), stamp: stamp(path), content: content(path) }
    }

    /// Has its content changed since the last call?
    pub fn changed(&mut self) -> bool {
        let now = stamp(&self.path);
        if now.is_none() || now == self.stamp {
            return false;
        }
        let Some(content) = content(&self.path) else { return false };
        // An editor truncates before it writes; the next look sees the rest.
        if content.is_empty() && self.content.as_ref().is_some_and(|before| !before.is_empty()) {
            return false;
        }
        self.stamp = now;
        if self.content.as_ref() == Some(&content) {
            return false;
        }
        self.content = Some(content);
        true
    }
}

/// What a check would read; nothing of what it would refuse.
fn content(path: &Path) -> Option<Vec<u8>> {
    files::read_named(path, LARGEST_SOURCE).ok()
}

fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let data = std::fs::symlink_metadata(path).ok()?;
    Some((data.modified().ok()?, data.len()))
}

/// What the reader asked for with a key.
enum Asked {
    Again,
    Hint,
    Next,
    Quit,
    Whole,
}

/// What the last check said: it can be shown again in another length.
enum Said {
    Report(Box<Report>),
    Fault(Fault),
}

impl Said {
    /// The problem that the report names as the next one.
    fn next(&self) -> Option<String> {
        let Self::Report(report) = self else { return None };
        if report.verdict != Verdict::Passed {
            return None;
        }
        Some(report.next.as_ref()?.command.strip_prefix("checker ")?.to_owned())
    }
}

/// Runs until `q` or Ctrl-C.
pub fn run(context: &Context, args: &WatchArgs) -> Outcome {
    let mut context = context.clone();
    let mut name = args.name.clone();
    loop {
        let (workbook, problem) = check::resolve(&context, name.as_deref())?;
        let path = workbook::candidate(&problem);
        let mut watched = Watched::new(&path);
        clear(&context)?;
        // One key shows all of it, so all of it is worked out.
        let said = match check::examine(&context, &workbook, &problem, &args.options, true) {
            Ok(report) => Said::Report(Box::new(report)),
            Err(fault) => Said::Fault(fault),
        };
        let mut exit = show(&context, &said, &problem)?;
        name = loop {
            match wait(&mut watched) {
                Asked::Quit => return Ok(exit),
                Asked::Again => break Some(problem.id.to_string()),
                Asked::Next => break said.next(),
                Asked::Hint => {
                    // Short, so that the verdict stays on the screen.
                    clear(&context)?;
                    if let Said::Report(report) = &said {
                        let brief = Context { verbosity: Verbosity::Quiet, ..context.clone() };
                        check::print(&brief, report)?;
                    }
                    hint::one(&context, problem.id.as_str())?;
                    footer(&context, &problem, exit)?;
                }
                Asked::Whole => {
                    context.verbosity = match context.verbosity {
                        Verbosity::Verbose => Verbosity::Normal,
                        Verbosity::Normal | Verbosity::Quiet => Verbosity::Verbose,
                    };
                    clear(&context)?;
                    exit = show(&context, &said, &problem)?;
                }
            }
        };
    }
}

fn show(context: &Context, said: &Said, problem: &Problem) -> Outcome {
    let exit = match said {
        Said::Report(report) => check::print(context, report)?,
        Said::Fault(fault) => {
            crate::context::say(&format!("checker: {fault}"));
            fault.exit
        }
    };
    footer(context, problem, exit)?;
    Ok(exit)
}

fn wait(watched: &mut Watched) -> Asked {
    let keys = Keys::new();
    loop {
        match &keys {
            None => std::thread::sleep(POLL),
            Some(keys) => match keys.next(POLL) {
                Some('q' | 'Q' | '\u{4}') => return Asked::Quit,
                Some('h' | 'H') => return Asked::Hint,
                Some('n' | 'N') => return Asked::Next,
                Some('v' | 'V') => return Asked::Whole,
                Some('r' | 'R' | '\n' | ' ') => return Asked::Again,
                _ => {}
            },
        }
        if watched.changed() {
            return Asked::Again;
        }
    }
}

fn clear(context: &Context) -> Result<(), crate::Fault> {
    // Scrollback stays: the reader may want to see the report before.
    if context.face.drawing { context.print(Screen::clear()) } else { Ok(()) }
}

fn footer(context: &Context, problem: &Problem, exit: Exit) -> Result<(), crate::Fault> {
    let mut pen = Pen::new(context.face);
    let shown = workbook::shown(&workbook::candidate(problem));
    pen.line(&[(Tone::Dim, "  watching "), (Tone::Accent, &shown), (Tone::Dim, ": save it to check again")]);
    if std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        let next = if exit == Exit::Met { "n next exercise   " } else { "" };
        let whole = if context.verbosity == Verbosity::Verbose { "less" } else { "everything" };
        let hint = if problem.manifest.hints.is_empty() { "" } else { "h hint   " };
        pen.line(&[(Tone::Dim, &format!("  {next}{hint}v {whole}   r check again   q quit"))]);
    }
    context.print(pen.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn content_counts_not_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kernel.cu");
        fs::write(&path, "one").unwrap();
        let mut watched = Watched::new(&path);
        assert!(!watched.changed());

        // Renamed over, as many editors do, with a moment in which there is no file.
        fs::remove_file(&path).unwrap();
        assert!(!watched.changed());
        let new = folder.path().join("kernel.cu~");
        fs::write(&new, "two two").unwrap();
        fs::rename(&new, &path).unwrap();
        assert!(watched.changed());
        assert!(!watched.changed());

        // Saved without a change.
        fs::write(&path, "two two").unwrap();
        assert!(!watched.changed());

        // Truncated first, written a moment later.
        fs::write(&path, "").unwrap();
        assert!(!watched.changed());
        fs::write(&path, "three").unwrap();
        assert!(watched.changed());
    }
}
