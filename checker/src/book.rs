//! `checker book`: builds or serves the book; `preprocess` is what `mdbook build` calls.

use book::{DirectiveError, OnProgress, PageError, PageKernels, Progress, Warpbook};
use check::CheckError;
use command::terminal::spinner::Spinner;
use command::{Blame, Context, Exit, Fault, Outcome, usage, workbook};
use mdbook_driver::MDBook;
use mdbook_driver::config::Config;
use mdbook_preprocessor::Preprocessor;
use problem::ProblemError;
use std::path::{Path, PathBuf};
use std::sync::Arc;

mod job;
mod serve;
mod simulator;

/// The book
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Build it into book/book
    Build {
        /// Write it here instead
        #[arg(long, value_name = "DIR")]
        dest: Option<PathBuf>,
    },
    /// Check that every sentence with a number or a comparison agrees with results, machine code and counts
    Check,
    /// Build it and show it at an address of this machine, until Ctrl-C: kernels are edited and checked on their page
    Serve(serve::ServeArgs),
    /// What a page asked the server for, in a process of its own
    #[command(hide = true)]
    Job,
    /// The preprocessor's protocol, for `mdbook build`
    #[command(hide = true)]
    Preprocess {
        /// None: rewrite the book on stdin
        #[command(subcommand)]
        question: Option<MdbookQuestion>,
    },
}

/// What mdBook asks a preprocessor before it runs it.
#[derive(Debug, clap::Subcommand)]
pub enum MdbookQuestion {
    /// Does it write for this renderer?
    Supports {
        /// "html"
        renderer: String,
    },
}

/// Runs the command.
pub fn run(context: &Context, command: &Command) -> Outcome {
    match command {
        Command::Build { dest } => {
            let spinner = Spinner::new(context);
            let told = move |progress: Progress<'_>| spinner.step(progress.done, progress.of, progress.page);
            let built = build(context, dest.as_deref(), Arc::new(told))?;
            context.print(format!("the book is in {}\n", built.display()))?;
            Ok(Exit::Met)
        }
        Command::Check => {
            let untrue = book::untrue(&workbook::open(context)?).map_err(blame)?;
            if untrue.is_empty() {
                context.print("every claim of the book holds\n".to_owned())?;
                return Ok(Exit::Met);
            }
            Err(usage(untrue.join("\n")))
        }
        Command::Serve(args) => serve::run(context, args),
        Command::Job => job::run(context),
        Command::Preprocess { question: Some(MdbookQuestion::Supports { .. }) } => Ok(Exit::Met),
        Command::Preprocess { question: None } => {
            let (preprocessing, book) =
                mdbook_preprocessor::parse_input(std::io::stdin()).map_err(|error| usage(format!("{error:#}")))?;
            let book = Warpbook::default().run(&preprocessing, book).map_err(blame)?;
            let text =
                serde_json::to_string(&book).map_err(|error| Fault { exit: Exit::Environment, error: error.into() })?;
            context.print(&text)?;
            Ok(Exit::Met)
        }
    }
}

/// Builds the book and returns its folder. `told` hears of each page, and is dropped when all are written.
fn build(context: &Context, dest: Option<&Path>, told: Arc<OnProgress>) -> Result<PathBuf, Fault> {
    let workbook = workbook::open(context)?;
    let root = workbook.root().join("book");
    let file = root.join("book.toml");
    let mut config = Config::from_disk(&file).map_err(|error| usage(format!("{}: {error:#}", file.display())))?;
    if let Some(dest) = dest {
        config.build.build_dir = std::path::absolute(dest)?;
    }
    context.note("building the book: every listing is compiled and every count simulated");
    let mut book = MDBook::load_with_config(&root, config).usage()?;
    // In process, in place of the command of the same name in book.toml.
    let scripts = root.join("theme/live").is_dir();
    let found = simulator::find(workbook.root());
    let page_kernels = scripts.then(|| PageKernels::new(&workbook, found.as_deref())).transpose()?.map(Arc::new);
    if found.is_none() && scripts {
        context.note("no page runs its kernels: scripts/wasm.sh builds the simulator for them");
    }
    book.with_preprocessor(Warpbook { page_kernels: page_kernels.clone(), told: Some(told) });
    book.build().map_err(blame)?;
    let built = book.build_dir_for("html");
    if let Some(page_kernels) = page_kernels {
        page_kernels.write(&built)?;
    }
    Ok(built)
}

/// A chapter, a problem or a kernel at fault is bad input; a missing compiler or a full disk is the machine's doing.
fn blame(error: anyhow::Error) -> Fault {
    let input = error.chain().any(|cause| {
        cause.is::<DirectiveError>()
            || cause.is::<PageError>()
            || cause.is::<ProblemError>()
            || cause.downcast_ref::<CheckError>().is_some_and(CheckError::is_usage)
    });
    Fault { exit: if input { Exit::Usage } else { Exit::Environment }, error }
}
