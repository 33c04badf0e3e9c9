//! The `checker` program: all commands, those of the book and of a class included.

mod book;
mod class;

use clap::Subcommand;
use command::{Commands, Context, Outcome};
use std::process::ExitCode;

/// What this program has beside the commands of the crate `command`.
#[derive(Debug, Subcommand)]
enum More {
    /// Build the book, or read it in a browser
    #[command(subcommand)]
    Book(book::Command),
    /// Grade a class: a folder, a zip or a list of submissions
    Grade(Box<class::grade::GradeArgs>),
    /// Hand exercises out to students, or to a platform that grades them
    Dist(class::dist::DistArgs),
}

impl Commands for More {
    fn run(self, context: &Context) -> Outcome {
        match self {
            Self::Book(command) => book::run(context, &command),
            Self::Grade(args) => class::grade::run(context, &args),
            Self::Dist(args) => class::dist::run(context, &args),
        }
    }
}

fn main() -> ExitCode {
    command::main::<More>()
}
