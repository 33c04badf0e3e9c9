//! The command line: one file a command; this one has the options, the dispatch and the one place where an error is
//! printed.

mod bench;
pub mod book;
mod check;
pub mod dev;
mod dist;
mod doctor;
mod grade;
mod hint;
mod home;
mod list;
mod reset;
mod run;
pub mod sass;
mod terminal;
mod watch;

pub use terminal::workbook;
use terminal::{context, exit, keys, spinner};

pub use context::{ColorWhen, Context, GlobalArgs, Verbosity};
pub use exit::{Blame, Exit, Fault, Outcome, usage};

use clap::{Parser, Subcommand};
use std::ffi::OsString;

/// Compiles, runs, verifies and compares CUDA kernels, with or without a GPU.
#[derive(Debug, Parser)]
#[command(name = "checker", version, about, max_term_width = 100, subcommand_precedence_over_arg = true)]
#[command(after_help = "Exit status: 0 all goals met; 1 a goal not met or a wrong result; 2 bad usage; \
                        3 the environment is at fault.")]
struct Cli {
    #[command(flatten)]
    global: GlobalArgs,
    #[command(flatten)]
    check: check::CheckArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

/// A slot a command: add the variant here and its line in [`dispatch`].
#[derive(Debug, Subcommand)]
enum Command {
    /// Chapters, exercises and pairs; what is solved, what is next
    List,
    /// A hint for an exercise, one more each time
    Hint(hint::HintArgs),
    /// Put the starter back; your version is kept
    Reset(reset::ResetArgs),
    /// Check again whenever the kernel is saved
    Watch(watch::WatchArgs),
    /// Run any self-describing kernel file, on the simulator or a GPU
    Run(Box<run::RunArgs>),
    /// The machine code of a kernel: listing, statistics, diff
    Sass(Box<sass::Args>),
    /// Careful measurement on a GPU, to results files
    Bench(bench::BenchArgs),
    /// Build the book, or read it in a browser
    #[command(subcommand)]
    Book(book::Command),
    /// Grade a class: a folder, a zip or a list of submissions
    Grade(Box<grade::GradeArgs>),
    /// Hand exercises out to students, or to a platform that grades them
    Dist(dist::DistArgs),
    /// What is installed, what is missing, what to do about it
    Doctor(doctor::DoctorArgs),
    /// For authors: begin a problem, prove that problems hold
    Dev(dev::DevArgs),
}

/// Entry point: parses, dispatches, prints an error once.
pub fn main(args: impl IntoIterator<Item = OsString>) -> Exit {
    system::interrupt::install();
    let args: Vec<OsString> = args.into_iter().collect();
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are errors to clap; they go to stdout and are no fault.
            if !error.use_stderr() {
                let _ = error.print();
                return Exit::Met;
            }
            // It repeats what was typed, which may have lines of its own.
            let mut said = error.render().to_string();
            for typed in args.iter().map(|arg| arg.to_string_lossy()).filter(|arg| arg.contains('\n')) {
                said = said.replace(&*typed, &system::text::line(&typed));
            }
            context::say(said.trim_end());
            return Exit::Usage;
        }
    };
    let context = Context::new(&cli.global);
    match dispatch(&context, cli) {
        Ok(exit) => exit,
        Err(fault) => {
            context::say(&format!("checker: {:#}", fault.error));
            fault.exit
        }
    }
}

fn dispatch(context: &Context, cli: Cli) -> Outcome {
    match cli.command {
        None => match &cli.check.name {
            None => home::run(context),
            Some(name) => {
                check::known_arch(cli.check.options.arch.as_deref())?;
                let options = check::CheckFlags { step: cli.check.step.clone(), ..cli.check.options };
                check::run(context, name, &options)
            }
        },
        Some(_) if cli.check.name.is_some() => {
            Err(usage("a command and a name to check do not go together; next: `checker --help`"))
        }
        Some(Command::Book(command)) => book::run(context, &command),
        Some(Command::Watch(args)) => watch::run(context, &args),
        Some(Command::Run(args)) => run::run(context, &args),
        Some(Command::Bench(args)) => bench::run(context, &args),
        Some(Command::Grade(args)) => grade::run(context, &args),
        Some(Command::Dist(args)) => dist::run(context, &args),
        Some(Command::Doctor(args)) => doctor::run(context, &args),
        Some(Command::Dev(args)) => dev::run(context, &args),
        Some(Command::List) => list::run(context),
        Some(Command::Hint(args)) => hint::run(context, &args),
        Some(Command::Reset(args)) => reset::run(context, &args),
        Some(Command::Sass(args)) => sass::run(context, &args),
    }
}
