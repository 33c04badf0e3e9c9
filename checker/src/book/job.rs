//! A piece of work that a page asked the server for, in a process of its own: what hostile text can do to it ends with it. The
//! order is a line of JSON on the standard input, which stays open as long as anybody waits; answers are lines of JSON.

use check::{BackendChoice, Budget};
use command::{Context, Exit, Outcome, exercise::check as checking, usage, workbook};
use compiler::toolchain;
use live::Kernel;
use report::Report;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, Write};
use std::sync::{Mutex, PoisonError};
use system::interrupt::HalfWritten;

/// What a page may ask for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum PageJob {
    /// Check an exercise or a pair.
    Check {
        /// Which.
        name: String,
        /// A text in place of its kernel file; what passes then is not kept as solved.
        #[serde(default)]
        text: Option<String>,
        /// Measure, too.
        #[serde(default)]
        gpu: bool,
    },
    /// Compile a text in place of a kernel file of the workbook, for the simulator of the page.
    Compile {
        /// The file, from the workbook's root.
        file: String,
        /// The text.
        text: String,
    },
}

/// Work, and how much of the machine it may take.
#[derive(Debug, Serialize, Deserialize)]
pub struct JobOrder {
    /// What to do.
    pub work: PageJob,
    /// Workers at the same time.
    pub workers: usize,
}

/// What is heard of a job. The last is anything but `Waiting` and `Doing`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Said {
    /// So many are before it.
    Waiting(usize),
    /// What is being done.
    Doing(String),
    /// What became of a check, or why a text does not compile.
    Told(Told),
    /// The compiled kernel.
    Kernel(Box<Kernel>),
    /// There is neither, and why.
    Failed(String),
}

/// A report, with what a page cannot know of its verdict.
#[derive(Debug, Serialize)]
pub struct Told {
    badge: &'static str,
    good: bool,
    report: Box<Report>,
}

impl From<Report> for Said {
    fn from(report: Report) -> Self {
        Self::Told(Told { badge: report.verdict.label(), good: report.verdict.is_good(), report: Box::new(report) })
    }
}

impl Said {
    /// As a line of JSON.
    pub fn line(&self) -> String {
        // Maps in a report have texts as keys, so this cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Does what the standard input says.
pub fn run(context: &Context) -> Outcome {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    let order: JobOrder = serde_json::from_str(&line).map_err(|error| usage(format!("the order: {error}")))?;
    end_with_the_input();
    let out = Mutex::new(std::io::stdout());
    let say = |said: &Said| {
        let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever does not listen any more has closed the input, too.
        let _ = writeln!(out, "{}", said.line()).and_then(|()| out.flush());
    };
    let said = done(context, order, &|what| say(&Said::Doing(what.to_owned())))
        .unwrap_or_else(|fault| Said::Failed(format!("{fault}")));
    say(&said);
    Ok(Exit::Met)
}

fn done(context: &Context, order: JobOrder, progress: check::Progress<'_>) -> Result<Said, command::Fault> {
    let workbook = workbook::open(context)?;
    match order.work {
        PageJob::Check { name, text, gpu } => {
            let problem = workbook::find(&workbook, &name)?;
            let handed_in = text.map(|text| handed_in(&text)).transpose()?;
            let problem = match &handed_in {
                Some((file, _)) => problem.handed_in(file.path()),
                None => problem,
            };
            let backend = if gpu { BackendChoice::Gpu } else { BackendChoice::Sim };
            let budget = Budget { workers: order.workers, ..Budget::default() };
            let how = check::CheckOptions { backend, budget, ..check::CheckOptions::default() };
            Ok(checking::judge(context, &workbook, &problem, &how, progress)?.into())
        }
        PageJob::Compile { file, text } => {
            progress("compiling");
            let toolchain =
                toolchain::locate(&toolchain::ToolchainOptions::default()).map_err(check::CheckError::from)?;
            Ok(match check::edited_kernel(&toolchain, &workbook, &file, &text)? {
                Ok(kernel) => Said::Kernel(Box::new(kernel)),
                Err(report) => (*report).into(),
            })
        }
    }
}

/// The text as a file; a signal removes it, too.
fn handed_in(text: &str) -> std::io::Result<(tempfile::NamedTempFile, HalfWritten)> {
    let file = tempfile::Builder::new().prefix("warpbook-page-").suffix(".cu").tempfile()?;
    let guard = HalfWritten::new(file.path());
    std::fs::write(file.path(), text)?;
    Ok((file, guard))
}

/// Nobody waits any more when the input ends: neither the page nor the server.
fn end_with_the_input() {
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        // As Ctrl-C would end it, with everything removed that is half written.
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM);
    });
}
