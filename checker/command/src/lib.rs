//! The command line: one file a command; this one has the options, the dispatch and the one place where an error is
//! printed. The book's and the class's commands, with all that they bring, are in the program `checker` beside it: who
//! begins with an exercise does not wait for their build.

pub mod dev;
mod doctor;
pub mod exercise;
pub mod kernel;
pub mod progress;
pub mod terminal;

pub use terminal::workbook;
use terminal::{context, exit, keys, spinner};

pub use context::{ColorWhen, Context, GlobalArgs, Verbosity};
pub use exit::{Blame, Exit, Fault, Outcome, in_words, usage};

use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;

/// Compiles, runs, verifies and compares CUDA kernels, with or without a GPU.
#[derive(Debug, Parser)]
#[command(name = "checker", bin_name = "checker", version, max_term_width = 100, subcommand_precedence_over_arg = true)]
#[command(
    after_help = "Exit status: 0 all goals met; 1 a goal not met, a wrong result, or anything else that is wrong with \
                        a kernel file; 2 bad usage; 3 the environment is at fault; 130 Ctrl-C."
)]
struct Cli<C: Commands> {
    #[command(flatten)]
    global: GlobalArgs,
    #[command(flatten)]
    check: exercise::check::CheckArgs,
    #[command(subcommand)]
    command: Option<Command<C>>,
}

/// A program's commands beside those of this crate.
pub trait Commands: Subcommand {
    /// Runs the command.
    ///
    /// # Errors
    /// Whatever the command says, with the exit status that belongs to it.
    fn run(self, context: &Context) -> Outcome;
}

/// A slot a command: add the variant here and its line in [`dispatch`].
#[derive(Debug, Subcommand)]
enum Command<C: Commands> {
    /// Chapters, exercises and pairs; what is solved, what is next
    List,
    /// A hint for an exercise, one more each time
    Hint(exercise::hint::HintArgs),
    /// Put the starter back; your version is kept
    Reset(exercise::reset::ResetArgs),
    /// Check again whenever the kernel is saved
    Watch(exercise::watch::WatchArgs),
    /// Run any self-describing kernel file, on the simulator or a GPU
    Run(Box<kernel::run::RunArgs>),
    /// The machine code of a kernel: listing, statistics, diff
    Sass(Box<kernel::sass::Args>),
    /// Careful measurement on a GPU, to results files
    Bench(kernel::bench::BenchArgs),
    #[command(flatten)]
    More(C),
    /// What is installed, what is missing, what to do about it
    Doctor(doctor::DoctorArgs),
    /// For authors: begin a problem, prove that problems hold
    Dev(dev::DevArgs),
}

/// The whole of a program's `main`: its children begin here, too.
pub fn main<C: Commands>() -> ExitCode {
    system::itself::this_is_the_checker();
    compiler::toolchain::installing::dispatch();
    compiler::compile::child::dispatch();
    system::confined::dispatch();
    execution::backend::worker::dispatch();
    run::<C>(&std::env::args_os().collect::<Vec<_>>()).into()
}

/// Parses, dispatches, prints an error once.
fn run<C: Commands>(args: &[OsString]) -> Exit {
    system::interrupt::install();
    let cli = match Cli::<C>::try_parse_from(args) {
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
            context::say(&format!("checker: {fault}"));
            fault.next().iter().for_each(|next| context::say(&format!("  next: {next}")));
            fault.exit
        }
    }
}

fn dispatch<C: Commands>(context: &Context, cli: Cli<C>) -> Outcome {
    match cli.command {
        None => match &cli.check.name {
            None => exercise::home::run(context),
            Some(name) => {
                exercise::check::known_arch(cli.check.options.arch.as_deref())?;
                let options = exercise::check::CheckFlags { step: cli.check.step.clone(), ..cli.check.options };
                exercise::check::run(context, name, &options)
            }
        },
        Some(_) if cli.check.name.is_some() => {
            Err(usage("a command and a name to check do not go together; next: `checker --help`"))
        }
        Some(Command::Watch(args)) => exercise::watch::run(context, &args),
        Some(Command::Run(args)) => kernel::run::run(context, &args),
        Some(Command::Bench(args)) => kernel::bench::run(context, &args),
        Some(Command::More(command)) => command.run(context),
        Some(Command::Doctor(args)) => doctor::run(context, &args),
        Some(Command::Dev(args)) => dev::run(context, &args),
        Some(Command::List) => exercise::list::run(context),
        Some(Command::Hint(args)) => exercise::hint::run(context, &args),
        Some(Command::Reset(args)) => exercise::reset::run(context, &args),
        Some(Command::Sass(args)) => kernel::sass::run(context, &args),
    }
}
