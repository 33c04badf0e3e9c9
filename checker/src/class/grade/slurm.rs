//! `--slurm N`: a class as a job array. Each task grades its share into the grade book that all of them see; what a lost node left
//! is graded by the command itself, after them.

use super::{GradeArgs, fault};
use command::{Blame, Context, Fault, usage};
use grade::book::Book;
use grade::run::GradeError;
use std::path::Path;
use std::process::Command;

/// One of so many equal parts of the submissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// Which, from 0.
    pub index: usize,
    /// Of how many.
    pub of: usize,
}

/// `2/8`.
pub fn share(text: &str) -> Result<Share, String> {
    let parsed =
        text.split_once('/').and_then(|(index, of)| Some(Share { index: index.parse().ok()?, of: of.parse().ok()? }));
    parsed.filter(|share| share.index < share.of).ok_or_else(|| "a share is I/N, with I below N: 0/8 to 7/8".to_owned())
}

/// Writes the batch script, submits it, and waits for its end.
pub fn submit(context: &Context, args: &GradeArgs, book: &Book, tasks: u16, workbook: &Path) -> Result<(), Fault> {
    let script = script(args, book.path(), tasks, workbook)?;
    book.write(Path::new("slurm.sh"), script.as_bytes()).map_err(GradeError::from).map_err(fault)?;
    let path = book.path().join("slurm.sh");
    context.note(&format!(
        "sbatch --wait {}: {tasks} tasks; an end before theirs loses nothing",
        system::text::path(&path)
    ));
    let status = Command::new("sbatch").arg("--wait").arg(&path).status();
    let status = status
        .map_err(|error| anyhow::anyhow!("sbatch cannot be started: {error}: is this a Slurm login node?"))
        .environment()?;
    if !status.success() {
        // A task that failed is this command's to make up for.
        context.note(&format!("note: sbatch ended with {status}; what its tasks left is graded here"));
    }
    Ok(())
}

fn script(args: &GradeArgs, book: &Path, tasks: u16, workbook: &Path) -> Result<String, Fault> {
    let program = std::env::current_exe()?;
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut words: Vec<String> = Vec::new();
    let mut add = |words_of: &[&str]| words.extend(words_of.iter().map(|word| quoted(word)));
    let text = |path: &Path| {
        let path = absolute(path);
        path.to_str()
            .map(str::to_owned)
            .ok_or_else(|| usage(format!("{}: a batch script takes names in UTF-8 only", system::text::path(&path))))
    };
    let submissions = args.submissions.as_deref().unwrap_or(Path::new("."));
    add(&[&text(&program)?, "grade", &text(submissions)?, "--workbook", &text(workbook)?, "--book", &text(book)?]);
    if let Some(exercise) = &args.exercise {
        add(&["--exercise", exercise]);
    }
    if let Some(student) = &args.student {
        add(&["--student", student]);
    }
    if args.file_times {
        add(&["--file-times"]);
    }
    if let Some(rubric) = &args.how.rubric {
        add(&["--rubric", &text(rubric)?]);
    }
    if let Some(toolchain) = &args.how.toolchain {
        add(&["--toolchain", &text(toolchain)?]);
    }
    add(&["--limit", &args.how.limit.to_string(), "--backend", args.how.backend.name(), "--quiet"]);
    let gpu = if args.how.backend.name() == "sim" { "" } else { "#SBATCH --gres=gpu:1\n" };
    let log = text(&book.join("slurm-%a.log"))?;
    if log.contains(['\n', '"']) {
        return Err(usage("the grade book's path cannot stand in a batch script: name another with --book"));
    }
    Ok(format!(
        "#!/bin/sh\n#SBATCH --job-name=checker-grade\n#SBATCH --array=0-{}\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=2\n{gpu}\
         #SBATCH --requeue\n#SBATCH --output=\"{log}\"\nexec {} --jobs \"${{SLURM_CPUS_PER_TASK:-2}}\" --share \"$SLURM_ARRAY_TASK_ID/{tasks}\"\n",
        tasks - 1,
        words.join(" ")
    ))
}

/// A word for a shell, whatever it holds.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_below_their_number() {
        assert_eq!(share("2/8"), Ok(Share { index: 2, of: 8 }));
        for text in ["8/8", "2", "-1/8", "a/b", "0/0", ""] {
            assert!(share(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_word_stays_one() {
        assert_eq!(quoted("it's; rm $(x)"), "'it'\\''s; rm $(x)'");
    }
}
