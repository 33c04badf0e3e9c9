//! `checker NAME`: checks an exercise or a pair.

use crate::progress::{Solved, Store, now};
use crate::spinner::Spinner;
use crate::{Blame, Context, Exit, Fault, Outcome, Verbosity, workbook};
use check::{self, BackendChoice, Budget, CheckError, Reach};
use clap::{Args, ValueEnum};
use compiler::toolchain;
use problem::{Kind, Problem, Workbook};
use report::{Detail, Next, Report, Verdict, render};
use std::path::{Path, PathBuf};
use system::text::Screen;

/// What to check and how.
#[derive(Debug, Clone, Default, Args)]
pub struct CheckArgs {
    /// Exercise, pair or ladder: ex03, local-array, reduction
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Of a ladder: the version to hold against the one before it
    #[arg(value_name = "VERSION", requires = "name")]
    pub step: Option<String>,
    /// How.
    #[command(flatten)]
    pub options: CheckFlags,
}

/// How to check.
#[derive(Debug, Clone, Default, Args)]
pub struct CheckFlags {
    /// Of a ladder, from the command line's second name.
    #[arg(skip)]
    pub step: Option<String>,
    /// Check the worked answer instead of your kernel
    #[arg(long)]
    pub solution: bool,
    /// Larger sizes, up to the one at which it is timed: half a minute. Of a ladder every element type at every size and block size
    #[arg(long)]
    pub all: bool,
    /// Where to run
    #[arg(long, value_enum, default_value_t)]
    pub backend: BackendArg,
    /// Repeat a run: the seed that its report names
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Machine code for this architecture: sm_75 to sm_121
    #[arg(long, value_name = "sm_XX")]
    pub arch: Option<String>,
    /// A CUDA folder to use instead of the one found
    #[arg(long, value_name = "DIR")]
    pub toolchain: Option<PathBuf>,
}

/// `--backend`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum BackendArg {
    /// The simulator, and for a check a GPU where there is one
    #[default]
    Auto,
    /// A GPU, or an error
    Gpu,
    /// The simulator only
    Sim,
}

impl BackendArg {
    /// As it is typed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Gpu => "gpu",
            Self::Sim => "sim",
        }
    }
}

impl From<BackendArg> for BackendChoice {
    fn from(arg: BackendArg) -> Self {
        match arg {
            BackendArg::Auto => Self::Auto,
            BackendArg::Gpu => Self::Gpu,
            BackendArg::Sim => Self::Sim,
        }
    }
}

impl From<CheckError> for Fault {
    fn from(error: CheckError) -> Self {
        let exit = if error.is_usage() { Exit::Usage } else { Exit::Environment };
        Self { exit, error: error.into() }
    }
}

/// What repeating a run needs of the options that most commands have, as they are typed, a space before each.
pub fn also(context: &Context, backend: BackendArg, toolchain: Option<&Path>) -> String {
    let mut also = String::new();
    if backend != BackendArg::default() {
        also.push_str(&format!(" --backend {}", backend.name()));
    }
    for (option, path) in [("toolchain", toolchain), ("workbook", context.workbook.as_deref())] {
        if let Some(path) = path {
            also.push_str(&format!(" --{option} {}", system::text::word(&system::text::path(path))));
        }
    }
    also
}

/// Checks the problem of that name and prints the report.
pub fn run(context: &Context, name: &str, options: &CheckFlags) -> Outcome {
    let workbook = workbook::open(context)?;
    let problem = workbook::find(&workbook, name)?;
    check(context, &workbook, &problem, options)
}

/// Checks a problem, keeps what was solved, prints the report.
pub fn check(context: &Context, workbook: &Workbook, problem: &Problem, options: &CheckFlags) -> Outcome {
    let whole_diff = context.verbosity == Verbosity::Verbose;
    print(context, &examine(context, workbook, problem, options, whole_diff)?)
}

/// Checks a problem and keeps what was solved.
pub fn examine(
    context: &Context,
    workbook: &Workbook,
    problem: &Problem,
    options: &CheckFlags,
    whole_diff: bool,
) -> Result<Report, Fault> {
    let reach = if options.all { Reach::Whole } else { Reach::Near };
    let how = check::CheckOptions {
        solution: options.solution,
        version: None,
        step: options.step.clone(),
        reach,
        budget: Budget { seconds: reach.seconds(), ..Budget::default() },
        backend: options.backend.into(),
        seed: options.seed,
        also: {
            let arch = options.arch.iter().map(|arch| format!(" --arch {arch}")).collect::<String>();
            also(context, options.backend, options.toolchain.as_deref()) + &arch
        },
        arch: options.arch.clone(),
        whole_diff,
        toolchain: toolchain::ToolchainOptions {
            dir: options.toolchain.clone(),
            ..toolchain::ToolchainOptions::default()
        },
        ..check::CheckOptions::default()
    };
    let spinner = Spinner::new(context);
    let mut report = judge(context, workbook, problem, &how, &|what| spinner.say(what))?;
    drop(spinner);
    report.notes.extend(workbook::judged_by(workbook));
    Ok(report)
}

/// The same for whoever shows progress in another way.
pub fn judge(
    context: &Context,
    workbook: &Workbook,
    problem: &Problem,
    how: &check::CheckOptions,
    progress: check::Progress<'_>,
) -> Result<Report, Fault> {
    let before = kernel(problem);
    let mut report = check::check(problem, how, progress)?;
    let mut solved = None;
    let own = !how.solution && problem.submission().is_none();
    if report.verdict == Verdict::Passed && problem.kind == Kind::Exercise && own {
        // Kept for the file that was checked, which may have been saved again meanwhile.
        solved = before.map(|kernel| Solved { kernel, at: now() });
    }
    advise(context, workbook, problem, solved, &mut report);
    Ok(report)
}

/// Prints a report in the face asked for; its verdict is the exit status.
pub fn print(context: &Context, report: &Report) -> Outcome {
    let detail = match context.verbosity {
        Verbosity::Quiet => Detail::Brief,
        Verbosity::Normal => Detail::Normal,
        Verbosity::Verbose => Detail::Full,
    };
    let text = if context.json { Screen::json(&report.to_json()) } else { render(report, context.face, detail) };
    context.print(text)?;
    Ok(if report.verdict.is_good() { Exit::Met } else { Exit::NotMet })
}

/// Hash of the learner's file.
fn kernel(problem: &Problem) -> Option<String> {
    use sha2::{Digest, Sha256};
    let path = workbook::candidate(problem);
    let bytes = system::files::read_in(Some(problem.root()), &path, compiler::compile::LARGEST_SOURCE).ok()?;
    Some(Sha256::digest(bytes).iter().take(16).map(|byte| format!("{byte:02x}")).collect())
}

/// Records what was solved and says what comes next.
fn advise(context: &Context, workbook: &Workbook, problem: &Problem, solved: Option<Solved>, report: &mut Report) {
    let name = problem.id.as_str();
    let mut known = workbook::progress(context, workbook);
    if let Some(solved) = solved {
        let kept = Store::of(workbook.root()).update(|progress| {
            // The first time counts: checking again is no new success.
            let same = progress.solved.get(name).is_some_and(|before| before.kernel == solved.kernel);
            if !same {
                progress.solved.insert(name.to_owned(), solved.clone());
            }
        });
        match kept {
            Ok((progress, warning)) => {
                known = progress;
                report.notes.extend(warning);
            }
            Err(error) => {
                known.solved.insert(name.to_owned(), solved);
                report.notes.push(error.to_string());
            }
        }
    }
    let unsolved = report.verdict != Verdict::Passed;
    if unsolved {
        // What its starter is wrong by is what its hints are about.
        let of_the_flaw = problem.manifest.flaw.is_some()
            && matches!(
                report.verdict,
                Verdict::Race
                    | Verdict::WrongResult
                    | Verdict::NotVerified
                    | Verdict::Uninitialised
                    | Verdict::Deadlock
                    | Verdict::Livelock
                    | Verdict::SyncMask
                    | Verdict::OutOfBounds
            );
        let helps = of_the_flaw || report.verdict == Verdict::NotYet;
        if problem.kind == Kind::Exercise && !problem.manifest.hints.is_empty() && helps {
            report.next = Some(Next { command: format!("checker hint {name}"), text: "a hint".to_owned() });
        }
        return;
    }
    if let Some(next) = workbook::find_next(context, workbook, &known, Some(problem)) {
        let chapter = workbook::chapter_title(workbook, &next.manifest.chapter);
        report.next = Some(Next {
            command: format!("checker {}", next.id),
            text: format!("{}, in the chapter \"{chapter}\"", next.manifest.title),
        });
    }
}

/// The problem to watch: of that name, or the next unsolved exercise.
pub fn resolve(context: &Context, name: Option<&str>) -> Result<(Workbook, Problem), Fault> {
    let workbook = workbook::open(context)?;
    let problem = workbook::find_or_next(context, &workbook, name)?;
    Ok((workbook, problem))
}

/// Checks that nothing else is wrong with the command line before a long run.
pub fn known_arch(arch: Option<&str>) -> Result<(), Fault> {
    match arch {
        Some(arch) if sass::sm_number(arch) == 0 => {
            Err(anyhow::anyhow!("`{arch}` is no architecture; write it as sm_90")).usage()
        }
        _ => Ok(()),
    }
}
